/* EpicGPU, a small graphics GPU, as a library: load programs, launch them, look at the frames.
 *
 *     struct cy_epic *gpu;
 *     if (cy_epic_create(NULL, &gpu) != CY_EPIC_OK) ...
 *     cy_epic_on_frame(gpu, show, window);
 *     struct cy_epic_stream_error error;
 *     if (cy_epic_load(gpu, stream, stream_words, &error) != CY_EPIC_OK)
 *         fprintf(stderr, "word %zu: %s\n", error.word, error.text);
 *     struct cy_epic_fault fault;
 *     if (cy_epic_launch(gpu, 0, 240, &fault) == CY_EPIC_FAULT)
 *         fprintf(stderr, "%s\n", fault.text);
 *     cy_epic_destroy(gpu);
 *
 * docs/epic.md describes the machine.  Nothing is printed and the process never exits; a guest program's faults are
 * returned as values.  A device may be used from several threads: its functions, launches included, are serialised.
 * The callbacks run on the thread that called cy_epic_launch, one at a time; from inside one every function of the same
 * device returns CY_EPIC_BUSY (the callback gets what it needs as arguments).  Devices are independent of each
 * other. */
#ifndef CHENGYING_EPIC_H
#define CHENGYING_EPIC_H

#include "chengying/api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cy_epic; /* a device */

enum {
    CY_EPIC_PROGRAMS = 8, /* program slots */
    CY_EPIC_MAX_CORES = 256,
    CY_EPIC_MAX_LANES = 64, /* of a core */
    CY_EPIC_MAX_THREADS = 64,
    CY_EPIC_DEPTH_FAR = 0x7fffffff, /* the depth buffer's initial value */
};

enum cy_epic_status {
    CY_EPIC_OK,
    CY_EPIC_BAD_ARGUMENT, /* a number is out of range; nothing was done */
    CY_EPIC_BAD_STREAM,   /* the command stream is invalid; nothing was loaded */
    CY_EPIC_EMPTY,        /* launch: there is no program in this slot */
    CY_EPIC_FAULT,        /* launch: a lane did something forbidden, or the watchdog stopped it */
    CY_EPIC_STOPPED,      /* launch: a callback asked to stop */
    CY_EPIC_BUSY,         /* called from inside a callback of the same device */
    CY_EPIC_NO_MEMORY,    /* the host has no memory or no threads for it */
};
CY_API const char *cy_epic_status_text(enum cy_epic_status status);

/* A member that is 0 gets the default given in its comment. */
struct cy_epic_config {
    uint32_t cores;                 /* 4 */
    uint32_t lanes;                 /* of each core: 8 */
    uint32_t memory_bytes;          /* of data and frame buffers: 4 MiB; a multiple of 4 */
    uint32_t width, height;         /* of a frame, in pixels: 320, 240 */
    uint32_t threads;               /* host threads: as many as the host has processors, at most one per core */
    uint64_t watchdog_instructions; /* per block: 1,000,000,000; UINT64_MAX: no limit */
    double watchdog_seconds;        /* per launch: no limit */
    bool fpga;                      /* only the FPGA's instructions; the others are illegal */
    bool counters;                  /* count instructions by class and pixels (costs some speed) */
    bool keep_depth;                /* `disp` does not clear the depth buffer */
};
/* `config` may be NULL.  Unless CY_EPIC_OK, *device is NULL. */
CY_API enum cy_epic_status cy_epic_create(const struct cy_epic_config *config, struct cy_epic **device);
CY_API void cy_epic_destroy(struct cy_epic *device); /* may be NULL */
/* The configuration with its defaults filled in. */
CY_API void cy_epic_get_config(const struct cy_epic *device, struct cy_epic_config *config);

/* ---- programs ---- */

struct cy_epic_stream_error {
    size_t word; /* index of the offending word; the number of words if the stream ends early */
    char text[160];
};
/* Loads the programs of a command stream.  A slot that was loaded before is replaced; a slot whose words are
 * overwritten becomes empty.  On an error nothing changes and *error (may be NULL) says why. */
CY_API enum cy_epic_status cy_epic_load(struct cy_epic *device, const uint32_t *words, size_t count,
                                        struct cy_epic_stream_error *error);

/* Writes the command stream of one program into `stream`, which has room for cy_epic_pack_words(count) words; streams
 * may be concatenated.  Returns the words written; 0: the slot is above 7 or the program does not fit in instruction
 * memory. */
CY_API size_t cy_epic_pack_words(size_t count);
CY_API size_t cy_epic_pack(unsigned program, uint32_t word_address, const uint32_t *code, size_t count,
                           uint32_t *stream);

/* Source lines, so that a fault can name them.  Sorted by word address; copied; discarded when the slot is loaded
 * again. */
struct cy_epic_line {
    uint32_t word_address;
    uint32_t line;
};
CY_API enum cy_epic_status cy_epic_set_lines(struct cy_epic *device, unsigned program, const char *file,
                                             const struct cy_epic_line *lines, size_t count);

/* ---- running ---- */

enum cy_epic_fault_kind {
    CY_EPIC_FAULT_NONE,
    CY_EPIC_FAULT_MISALIGNED,   /* an address that is not a multiple of 4 */
    CY_EPIC_FAULT_OUT_OF_RANGE, /* an address beyond the memory; disp: the frame does not fit */
    CY_EPIC_FAULT_ILLEGAL,      /* a word that is not an instruction, or not one for lanes */
    CY_EPIC_FAULT_BAD_TARGET,   /* jump, branch, call or ret to where there is no program, or not to a multiple of 4 */
    CY_EPIC_FAULT_FELL_OFF,     /* ran past the last word of a program */
    CY_EPIC_FAULT_WATCHDOG,     /* too many instructions, or too much time */
};
struct cy_epic_fault {
    enum cy_epic_fault_kind kind;
    uint32_t block, core, lane; /* lane: the lowest one that faulted */
    uint32_t pc;                /* byte address of the instruction */
    uint32_t address;           /* of the access or target; 0: none */
    uint32_t word;              /* the instruction; 0: none */
    uint32_t line;              /* source line; 0: not known */
    char file[128];             /* source file, truncated if it is too long; "": not known */
    char instruction[64];       /* disassembled; "": none */
    char text[320];             /* everything above as one sentence, without a newline */
};
CY_API const char *cy_epic_fault_name(enum cy_epic_fault_kind kind); /* "misaligned address" ... */

/* Runs the program of a slot once for each block 0 ... blocks - 1, and returns when all have ended.  If several blocks
 * fault the lowest one is reported; higher blocks may have run, in part or not at all.  `fault` may be NULL. */
CY_API enum cy_epic_status cy_epic_launch(struct cy_epic *device, unsigned program, uint32_t blocks,
                                          struct cy_epic_fault *fault);

/* ---- memory ---- */

/* Bytes of the data memory; the range must be inside it.  Words are little endian. */
CY_API enum cy_epic_status cy_epic_read(struct cy_epic *device, uint32_t address, void *bytes, size_t size);
CY_API enum cy_epic_status cy_epic_write(struct cy_epic *device, uint32_t address, const void *bytes, size_t size);
/* The depth of `count` pixels, starting with the one at `address` (a multiple of 4). */
CY_API enum cy_epic_status cy_epic_read_depth(struct cy_epic *device, uint32_t address, int32_t *depth, size_t count);
CY_API enum cy_epic_status cy_epic_clear_depth(struct cy_epic *device);

/* ---- callbacks ---- */

struct cy_epic_frame {
    const uint32_t
        *pixels; /* width * height words 0x00RRGGBB, row by row from the top; valid until the callback returns */
    uint32_t width, height;
    uint32_t address; /* address of the frame buffer */
    uint32_t block;
    uint64_t number; /* counts the device's frames, from 0 */
};
/* Called for each frame shown by a `disp`; false ends the launch.  NULL: no callback. */
CY_API enum cy_epic_status
cy_epic_on_frame(struct cy_epic *device, bool (*callback)(void *user, const struct cy_epic_frame *frame), void *user);

struct cy_epic_step {
    uint32_t block, core, pc, word;
    uint64_t active;        /* lanes that run this instruction; bit 0 is lane 0 */
    uint64_t enabled;       /* those of them that are not predicated off */
    uint32_t rd;            /* register written; 0: none */
    const uint32_t *result; /* rd of each lane after the instruction; NULL: none, or the lane faulted */
    char text[64];          /* disassembled */
};
/* Called after each instruction that a core issues; false ends the launch.  While it is set a launch uses one
 * thread. */
CY_API enum cy_epic_status cy_epic_on_step(struct cy_epic *device,
                                           bool (*callback)(void *user, const struct cy_epic_step *step), void *user);

/* Totals over the launches of a device.  All but `launches`, `blocks`, `frames`, `issued` and `lane_instructions` stay
 * 0 unless cy_epic_config.counters is set. */
enum { CY_EPIC_CLASSES = 6 };
struct cy_epic_counters {
    uint64_t launches, blocks, frames;
    uint64_t issued;            /* instructions issued by cores */
    uint64_t lane_instructions; /* the same, once per lane that ran them */
    uint64_t lane_slots;        /* issued * lanes of a core: the total if every lane always ran */
    uint64_t predicated_off;    /* lane instructions that were predicated off */
    struct cy_epic_class_counter {
        const char *name;
        uint64_t issued, lanes;
    } by_class[CY_EPIC_CLASSES];
    uint64_t loads, stores;                /* words, one per lane */
    uint64_t depth_passed, depth_rejected; /* lanes whose `sz` passed or failed */
};
CY_API enum cy_epic_status cy_epic_read_counters(struct cy_epic *device, struct cy_epic_counters *counters);
CY_API enum cy_epic_status cy_epic_clear_counters(struct cy_epic *device);

#ifdef __cplusplus
}
#endif

#endif
