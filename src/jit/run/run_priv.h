#ifndef CY_JIT_RUN_PRIV_H
#define CY_JIT_RUN_PRIV_H

#include "jit/run/run.h"

struct cy_jit_code {
    struct cy_jit_image header;
    uint64_t id; /* no other code of the process has it */
    struct cy_jit_access *accesses;
    struct cy_jit_group *groups;
    struct cy_jit_tally *tallies;
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
    struct cy_fault fault;
    uint32_t item;        /* of the fault */
    struct cy_warp *warp; /* for instructions that are interpreted; NULL: there are none */
    uint32_t print;       /* the buffer for printf */
};

/* worker.c */
extern const struct cy_jit_helpers cy_jit_helpers;

#endif
