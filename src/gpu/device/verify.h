/* The engine `verify`: a launch runs translated, then interpreted, each on a copy-on-write view of the device's memory, and what they
 * leave is compared.  The device goes on with what the interpreter gave. */
#ifndef CY_GPU_DEVICE_VERIFY_H
#define CY_GPU_DEVICE_VERIFY_H

#include "gpu/device/machine.h"

/* Called once the engine is chosen and everything is in device memory: if the launch is to be verified, it gets its first view.
 * Without memory for that the interpreter alone runs it. */
void cy_verify_begin(struct cy_launch *launch);
/* A run of the launch is over.  True: it is to run once more, and everything is set up for that. */
bool cy_verify_next(struct cy_launch *launch);
/* The launch ends without having been verified: nothing of it reaches the device's memory. */
void cy_verify_abandon(struct cy_launch *launch);
void cy_verify_free(struct cy_verification *verification);
/* Of the device. */
void cy_verify_leave(struct cy_device *device);

/* What the interpreter left, for those who are told of a difference; the device's own memory is still as it was before the launch. */
const struct cy_memory *cy_launch_interpreted(const struct cy_launch *launch);

/* ---- what a run gave, and comparing it (difference.c) ---- */

struct cy_run_result {
    bool faulted, no_memory;
    struct cy_fault_info fault;
    struct cy_buf message, text; /* why it failed; what it printed */
    uint64_t prints, prints_dropped;
    uint64_t instructions, barriers;
    struct cy_lane_counters lanes;
    struct cy_insn_counts *counts; /* for each SM; NULL: not counted */
};

/* Words that differ, of which only so many are looked at in other orders. */
enum { CY_MOST_DIFFERENT_WORDS = 1 << 16 };
struct cy_different_word {
    uint64_t address;
    uint32_t translated, interpreted;
    bool has_race;
};

enum cy_verify_phase {
    CY_VERIFY_TRANSLATED,
    CY_VERIFY_INTERPRETED,
    CY_VERIFY_ORDERED,
    CY_VERIFY_WRITER,
    CY_VERIFY_WATCHED
};

struct cy_verification {
    enum cy_verify_phase phase;
    unsigned attempt;                /* among the orders */
    struct cy_run_result results[3]; /* by phase; the last one is that of the run that is on */
    struct cy_difference difference;
    struct cy_different_word *words; /* that no order explains, yet */
    size_t word_count;
    bool has_race_anywhere;
    bool end_differs, text_differs, counts_differ; /* and no order explains it, yet */

    /* who wrote the first word last */
    struct cy_observer writer;

    /* the launch's, while others have their place */
    void (*print)(void *context, const char *text, size_t size);
    void *print_context;
    struct cy_insn_counts *counts, *sampled;
    struct cy_jit_code *translated;
    const char *interpreted_parts;
    uint64_t items_translated, instructions_translated;
    uint32_t order;
    unsigned sm_count, slots_per_sm;
};

/* Compares the two runs, and lists what differs.  False: no memory. */
bool cy_verify_compare(struct cy_launch *launch, bool *differs);
/* Takes from what differs whatever another run of the interpreter gave otherwise, too. */
void cy_verify_explain(struct cy_launch *launch);
/* A race is known at these bytes (size 0: at what any word may come from).  If they differ they are no fault, which the second function
 * takes into account. */
void cy_verify_mark_race(struct cy_launch *launch, uint64_t address, unsigned size);
void cy_verify_excuse_races(struct cy_launch *launch);
/* The first difference, as it is told; the words are in device memory of `interpreted`. */
void cy_verify_describe(struct cy_launch *launch);

#endif
