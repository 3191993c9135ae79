#ifndef CY_JIT_RUN_PRIV_H
#define CY_JIT_RUN_PRIV_H

#include "jit/run/run.h"

struct cy_jit_code {
    struct cy_jit_image header;
    uint64_t id; /* no other code of the process has it */
    struct cy_jit_access *accesses;
    struct cy_jit_group *groups;
    struct cy_jit_tally *tallies;
    struct cy_jit_mark *marks;
    struct cy_jit_table *tables;
    void *map;
    uint32_t (*run)(struct cy_jit_frame *frame);
};

/* The frame comes first: helpers get a pointer to it. */
struct cy_jit_worker {
    struct cy_jit_frame frame;
    const struct cy_jit_code *code; /* between launches it may have been unloaded */
    uint64_t code_id;
    struct cy_jit_shape shape;
    unsigned generation; /* of the memory's rights, when the sites were filled */
    uint32_t inside[3];
    bool faulted;
    bool no_memory; /* for a log: the launch fails */
    struct cy_fault fault;
    uint32_t item;        /* of the fault */
    struct cy_warp *warp; /* for instructions that are interpreted; NULL: there are none */
    uint32_t print;       /* the buffer for printf */
    struct laps *laps;    /* NULL: there are none */
};

/* laps.c */
uint32_t cy_jit_count_laps(struct cy_jit_frame *frame, uint32_t count, uint64_t key, uint64_t *counters);
void cy_jit_add_laps(struct cy_jit_worker *worker); /* to the counters */
void cy_jit_free_laps(struct cy_jit_worker *worker);

/* paths.c */
uint32_t cy_jit_count_paths(struct cy_jit_frame *frame, uint32_t table, uint32_t count, uint64_t *counters);

/* worker.c */
/* What a key says of the counters, of so many warps. */
void cy_jit_count_trail(const struct cy_jit_code *code, uint64_t *counters, const struct cy_jit_table *table,
                        uint64_t key, uint64_t warps, unsigned strips);
extern const struct cy_jit_helpers cy_jit_helpers;

#endif
