/* Profiles: what the kernels of a run did, per kernel, source line and instruction.
 *
 *   record.c     collects launches, while they run; saves them, and reads what other processes saved
 *   shared.c     keeps them in files, for processes that do not come to their end
 *   symbols.c    instructions with their text, function and source line
 *   text.c json.c callgrind.c flamegraph.c roofline.c perfetto.c kanata.c     the forms in which they are shown
 *
 * Without the cycle model a profile has counts only (struct cy_insn_counts); with it also cycles, stalls and cache hits. */
#ifndef CY_PROFILE_PROFILE_H
#define CY_PROFILE_PROFILE_H

#include <pthread.h>

#include "base/diag.h"
#include "chengying/device.h"
#include "chengying/timing.h"

/* What can be counted for an instruction, a line or a kernel. */
struct cy_figures_of {
    struct cy_insn_counts counts;
    uint64_t cycles[CY_STALL_COUNT];
    uint64_t l1d_requests, l1d_hits;
    uint64_t vector_issued; /* of `counts.issued`, vector instructions */
    uint64_t flops;         /* floating-point operations of all lanes; a fused one is two */
};

struct cy_profile_program {
    const void *key; /* tells programs apart while they are recorded; NULL: read from a file */
    char *name;      /* the source's name */
    char *source;    /* the text of a source that is in no file; NULL: there is none */
    unsigned char *elf;
    size_t elf_size;
    uint32_t code_base;
    size_t words;                          /* cy_program_count_words */
    const char *object_file, *source_file; /* for --callgrind: where they have been written; NULL: nowhere */
};

struct cy_profile_kernel {
    char *name;
    size_t program;
    uint32_t sms;
    unsigned char *block;             /* where the following are; NULL: in a file, which is */
    void *map;                        /* mapped here */
    size_t map_size;                  /* and in which */
    struct cy_profile_kernel *shared; /* the figures below are kept */
    struct cy_insn_counts *counts;    /* by SM and word: what launches add to; NULL: read from a file */
    struct cy_insn_counts *parts;     /* by word: its first launch by itself, if has_first; and room for as many */
    bool has_first;
    bool is_slow; /* to count, whatever its launches are */
    /* Of a kernel that is slow to count: workgroups that stand for others, of its first launch, then of later ones, by SM and word.
     * NULL: all are counted. */
    struct cy_insn_counts *sampled;
    struct cy_profile_part {
        uint64_t workgroups, counted, sampled; /* which are not in the sums yet */
    } first, later;
    struct cy_insn_counts *sums; /* by word, once cy_profile_finish was called */
    struct cy_timing_pc *cycles; /* by word; NULL: no cycle model */
    uint64_t launches, workgroups, warps, work_items, instructions, barriers;
    uint64_t counted; /* of the workgroups; if not all are, counts are estimates */
    uint64_t begun;   /* launches, ended or not */
    uint64_t ended;   /* well or not */
    uint64_t failed;  /* launches that did not end well; they are in the figures only if there are no cycles */
    uint32_t resident_workgroups, resident_warps, most_workgroups, most_warps; /* of the last launch */
    char limited_by[24];
    uint64_t total_cycles, empty_cycles; /* of the launches; of warp slots without a warp */
    struct cy_timing_counters timing;    /* sums */
    double seconds;
};

/* One command of a queue; times are the device's, in nanoseconds. */
struct cy_profile_command {
    char *name;
    uint32_t queue;
    uint64_t queued_ns, start_ns, end_ns;
    uint64_t launch; /* number of the launch among the recorded, from 1; 0: not a kernel */
    uint32_t device; /* of a process; each has its own clock */
};

/* A stretch of cycles of a warp (timing.h), or an instruction from its issue to its end. */
struct cy_profile_event {
    struct cy_timing_event event;
    uint32_t launch;
    uint32_t device;
    bool is_done;
};

struct cy_profile {
    struct cy_config config;
    bool is_timed;
    bool is_machine_said; /* before the cycles, so that the table need not say it again */
    bool is_exact;        /* every workgroup is counted, however long that takes */
    struct cy_timing_config timing;
    CY_VEC(struct cy_profile_program) programs;
    CY_VEC(struct cy_profile_kernel) kernels;
    CY_VEC(struct cy_profile_command) commands;
    CY_VEC(struct cy_profile_event) events;
    CY_VEC(uint32_t) launched; /* the kernel of each launch, if events are recorded; fewer than launches: no memory */
    const char *shared;        /* where kernels are kept in files: how their paths begin; NULL: in memory only */
    size_t event_limit;        /* 0: events are not recorded */
    uint64_t events_left_out;  /* beyond the limit */
    uint32_t launches;
    uint32_t devices; /* whose profiles have been read */
    uint32_t running; /* launches that have begun and not ended */
    bool is_partial;  /* passed on before the process ended; if it passed on nothing later, something may be missing */
    bool is_mixed;    /* read from files of machines of different shapes */
};

/* ---- recording: no function fails its caller's launch; false or NULL: no memory ---- */

void cy_profile_init(struct cy_profile *profile, const struct cy_config *config, const struct cy_timing_config *timing);
void cy_profile_free(struct cy_profile *profile);
/* The program with this key, added if it is new.  `is_new` may be NULL. */
bool cy_profile_program(struct cy_profile *profile, const void *key, const char *name, const void *elf, size_t elf_size,
                        const char *source, const struct cy_program *program, size_t *index, bool *is_new);
/* Index of a kernel; its counts are where launches add to, unless it is read from a file and there is no `code`. */
bool cy_profile_kernel(struct cy_profile *profile, size_t program, const char *name, const struct cy_program *code,
                       size_t *index);
/* Adds what was counted so far to the sums, which everything below reads. */
void cy_profile_finish(struct cy_profile *profile);
/* A launch that is being recorded; several may be at a time.  The address stays the same until it is added. */
struct cy_profile_launch {
    struct cy_profile *profile; /* NULL: not recorded */
    pthread_mutex_t *lock;      /* held while events are added; NULL: there is one thread */
    size_t kernel;
    uint32_t number; /* from 1 */
    uint64_t before; /* launches of this kernel */
    /* What it alone has counted: cycles of a launch that fails are unknown, so its counts are left out, too.  NULL: it adds to the
     * kernel's own. */
    struct cy_insn_counts *counts;
};
void cy_profile_begin(struct cy_profile *profile, size_t kernel, pthread_mutex_t *lock,
                      struct cy_profile_launch *launch);
/* Where and how the launch is to be counted. */
void cy_profile_describe(struct cy_profile_launch *launch, struct cy_launch_desc *desc);
/* The callbacks for cy_timing_profile. */
struct cy_timing_events cy_profile_events(struct cy_profile_launch *launch);
/* It has ended.  `timing` is NULL without the cycle model, else cy_timing_finish was called and returned `cycles`. */
bool cy_profile_add(struct cy_profile_launch *launch, struct cy_launch *ended, const struct cy_timing *timing,
                    uint64_t cycles);
/* It has faulted or was cancelled; NULL: it did not start. */
void cy_profile_fail(struct cy_profile_launch *launch, struct cy_launch *ended);
/* From here on as if there had been no cycle model: what has no end has no cycles. */
void cy_profile_drop_cycles(struct cy_profile *profile);
bool cy_profile_command(struct cy_profile *profile, const char *name, uint32_t queue, uint64_t queued_ns,
                        uint64_t start_ns, uint64_t end_ns, uint64_t launch);

/* ---- files between processes: written in a scope (base/mem.h), while no launch runs ---- */
void cy_profile_save(const struct cy_profile *profile, struct cy_buf *out);
/* Adds what a file holds to a profile, which may be empty.  False: the file is damaged or of another version. */
bool cy_profile_load(struct cy_profile *profile, const char *name, const void *bytes, size_t size,
                     struct cy_diags *diags);

#define CY_PROFILE_FILE ".cyprofile"
#define CY_PROFILE_SHARED ".cykernel"
/* What a process that was killed left of a kernel, as cy_profile_save writes it.  False: the file is damaged. */
bool cy_profile_recover(const char *name, const void *bytes, size_t size, struct cy_buf *out, struct cy_diags *diags);

/* Of large launches only some accesses are looked at: what was found of an instruction's becomes what that is for all, in proportion.
 * Nothing is known of an instruction that only other workgroups have executed. */
void cy_profile_for_all_issues(struct cy_insn_counts *counts);

/* ---- showing; all of them in a scope ---- */
enum cy_profile_form {
    CY_PROFILE_TEXT,
    CY_PROFILE_JSON,
    CY_PROFILE_CALLGRIND,
    CY_PROFILE_FLAMEGRAPH,
    CY_PROFILE_ROOFLINE,
    CY_PROFILE_PERFETTO,
    CY_PROFILE_KANATA,
    CY_PROFILE_FORMS
};
void cy_profile_text(const struct cy_profile *profile, struct cy_buf *out);
void cy_profile_json(const struct cy_profile *profile, struct cy_buf *out);
void cy_profile_callgrind(const struct cy_profile *profile, struct cy_buf *out);
void cy_profile_flamegraph(const struct cy_profile *profile, struct cy_buf *out);
void cy_profile_roofline(const struct cy_profile *profile, struct cy_buf *out); /* SVG */
void cy_profile_perfetto(const struct cy_profile *profile, struct cy_buf *out);
void cy_profile_kanata(const struct cy_profile *profile, struct cy_buf *out);

#endif
