/* Recorded launches: everything that one launch depends on and what it must give, in a folder that can be run anywhere.
 *
 *     launch.metadata, launch.data   the pair of files that the vendor's tools read (docs/replay.md)
 *     launch.toml                    what the pair cannot hold; record_fields.def has its keys
 *     launch.riscv                   the executable
 *     launch.after, launch.printed   memory after the launch, and what it printed, by the interpreter
 *
 * There is one writer and one reader.  To record a launch that has run, or is about to:
 *
 *     struct cy_record record = {0};
 *     struct cy_diags diags = {0};
 *     cy_record_add_memory(&record, device, program);                    // before it: copies of all memory
 *     ...                                                                // it runs
 *     bool ok = cy_record_of_launch(&record, launch, &diags) &&              // what it is and gave
 *          cy_record_set_result(&record, device, launch, printed, size, &diags) && cy_record_write(&record, "folder", &diags);
 *
 * Who has memory before and after it elsewhere fills in record.memory instead: addresses, sizes and pointers.
 *
 *     cy_record_free(&record);
 *
 * A record that was read from a folder runs with cy_record_run, on a device of its own, where everything has the address that
 * it had. */
#ifndef CY_GPU_REPLAY_RECORD_H
#define CY_GPU_REPLAY_RECORD_H

#include "base/diag.h"
#include "chengying/device.h"

#define CY_RECORD_VERSION 1

/* What an argument is; how it looks in the argument buffer is in `arguments` of the record. */
enum cy_record_kind {
    CY_RECORD_VALUE, /* a scalar, a vector, a struct */
    CY_RECORD_BUFFER,
    CY_RECORD_IMAGE, /* the address of its description */
    CY_RECORD_SAMPLER,
    CY_RECORD_LOCAL,
};
struct cy_record_argument {
    const char *kind; /* the name of an enum cy_record_kind */
    const char *name; /* NULL or "": not known */
    const char *type; /* likewise */
    uint32_t offset;  /* in the argument buffer */
    uint32_t size;    /* there */
    uint32_t local;   /* bytes of local memory; 0: no __local argument */
};

enum cy_record_place {
    CY_RECORD_NEAR,      /* a buffer below 4 GiB */
    CY_RECORD_FAR,       /* above it */
    CY_RECORD_SHARED,    /* shared virtual memory, at an address of the host that recorded it */
    CY_RECORD_VARIABLES, /* a writable segment of the program */
};
struct cy_record_memory {
    const char *place; /* the name of an enum cy_record_place */
    uint64_t address, size;
    /* Contents before and after the launch: so many bytes, at most `size` in whole pages, and zeros after them.  The writer leaves
     * zeros at the end out, and `after` if it is the same. */
    const void *before, *after;
    uint64_t before_bytes, after_bytes;
    bool is_changed; /* after reading; the writer finds it out */
};
/* Memory of the driver while the launch ran; 0: none. */
struct cy_record_range {
    uint32_t address;
    uint64_t size;
};

struct cy_record_bytes {
    const void *data;
    size_t size;
};

struct cy_record {
    uint32_t version;
    const char *program; /* the file that it was, for messages */
    const char *marked;  /* after reading: why the pair alone does not hold this launch; "" or NULL: it does */
    const void *elf;
    size_t elf_size;

    /* the launch; counts and sizes as in struct cy_launch_desc */
    const char *kernel;
    uint64_t number; /* among those of its program, from 1; 0: not known */
    uint32_t dimensions;
    uint64_t global[3], offset[3];
    uint64_t local[3]; /* never 0: as chosen */
    uint32_t lds_bytes, stack_bytes, private_bytes, print_bytes, gds;
    bool scalar_atomics;
    struct cy_record_bytes argument_bytes; /* the argument buffer; the pointers of __local arguments are 0 */
    bool wide_pointers;                    /* of 8 bytes */
    CY_VEC(struct cy_record_argument) arguments;

    struct cy_config machine; /* without the engine */
    const char *engine;       /* that gave other words than the interpreter, or was just asked for; NULL: not known */
    const char *level;        /* and its level, see cy_engine_level_name; NULL: not known */
    uint32_t strip;           /* lanes that its code computes together; 0: not known */

    CY_VEC(struct cy_record_memory) memory;
    struct cy_record_range constants, prints, private_memory;

    /* what the interpreter gave */
    bool has_result;
    const char *status; /* "done", "fault" */
    const char *fault;  /* its kind, a name in faults.def; "" or NULL: none */
    const char *message;
    const void *printed;
    size_t printed_size;

    struct cy_arena arena;
    struct cy_buf files[5]; /* what was read, which members point into */
};

/* The next three run in a scope (cy_mem_try), or in a program that ends without memory.
 *
 * Fills in all but the memory and the result from a launch, which may have ended; the strings and bytes are the launch's and its
 * program's.  Arguments are described by the kernel's signature, unless they are there.  False: it has page tables. */
bool cy_record_of_launch(struct cy_record *record, const struct cy_launch *launch, struct cy_diags *diags);
/* Adds every buffer of the device but the driver's own, and the variables of the program, with copies in the arena of what they
 * contain now: before the launch.  While nothing runs.  `program` NULL: no variables. */
void cy_record_add_memory(struct cy_record *record, struct cy_device *device, const struct cy_program *program);
/* The result of a launch that has ended; `after` of all memory is the device's own; `printed` is the caller's. */
bool cy_record_set_result(struct cy_record *record, struct cy_device *device, struct cy_launch *launch,
                          const void *printed, size_t size, struct cy_diags *diags);

/* The same of a launch whose verifier is being told of a difference: what the interpreter gave. */
bool cy_record_set_interpreted(struct cy_record *record, const struct cy_launch *launch, const void *printed,
                               size_t size, struct cy_diags *diags);

/* Creates the folder if there is none; files in it are replaced.  It finds out itself whether to mark the pair. */
bool cy_record_write(const struct cy_record *record, const char *folder, struct cy_diags *diags);
/* Free it in any case. */
bool cy_record_read(struct cy_record *record, const char *folder, struct cy_diags *diags);
/* The names of its files, in the order in which they are written; NULL after the last. */
const char *cy_record_file_name(size_t index);
/* Is there a launch.toml in this folder? */
bool cy_record_is_folder(const char *path);
void cy_record_free(struct cy_record *record);

/* ---- running ---- */

struct cy_record_settings {
    enum cy_engine engine;
    const char *level; /* of both engines; NULL: the record's, or the best if this processor lacks that */
    const struct cy_translator *translator;
    bool deterministic;                   /* whatever was recorded; like the three below */
    const struct cy_observers *observers; /* NULL: none */
    const struct cy_observer *engine_observer;
    uint64_t watchdog_instructions; /* 0: as recorded */
    bool checking, scalar_atomics, mask_per_lane;
    bool count_lanes;
    /* Called when the device is there, and after the launch; NULL: not. */
    void (*opened)(void *context, struct cy_device *device);
    void (*ended)(void *context, struct cy_device *device, struct cy_launch *launch);
    void *context;
};
struct cy_record_difference {
    uint64_t address;
    uint32_t expected, got;
    size_t memory;  /* which of the record's */
    int argument;   /* that points to it; -1: none */
    uint64_t index; /* of the word, from the address that the argument points to, or from the start of the memory */
};
struct cy_record_result {
    enum cy_status status;
    char fault[32]; /* its kind; "": none */
    struct cy_buf message, printed;
    struct cy_counters counters; /* strings of the program, which is gone, are not there */
    bool translated;
    const char *level;
    char not_translated[256];
    bool memory_is_compared;     /* not after a fault: what other work-items had done by then depends on their order */
    uint64_t differences, words; /* and how many were compared */
    CY_VEC(struct cy_record_difference) first; /* of the differences, at most CY_RECORD_SHOWN */
    bool same_status, same_printed;
    bool is_same; /* all of it */
};
enum { CY_RECORD_SHOWN = 100 };
/* False: it could not be run; see diags.  A fault is a result. */
bool cy_record_run(const struct cy_record *record, const struct cy_record_settings *settings,
                   struct cy_record_result *result, struct cy_diags *diags);
void cy_record_result_free(struct cy_record_result *result);

#endif
