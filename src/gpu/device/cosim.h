/* Co-simulation, between cosim.c (stepping) and cosim_check.c (comparing). */
#ifndef CY_GPU_DEVICE_COSIM_H
#define CY_GPU_DEVICE_COSIM_H

#include "chengying/cosim.h"
#include "gpu/device/machine.h"

enum {
    COSIM_SGPRS = 64,
    COSIM_VGPRS = 256,
    COSIM_GROUP = 8,   /* the most registers an instruction writes, */
    COSIM_SCALARS = 4, /* and sGPRs */
    COSIM_RECENT = 4,  /* the instructions shown before a difference */
};

struct cosim_byte {
    uint64_t address;
    uint8_t *host;
    uint8_t value, old;
};

struct cy_cosim {
    pthread_mutex_t lock;    /* one call at a time */
    pthread_mutex_t parking; /* protects the three flags */
    pthread_cond_t moved;
    bool parked; /* the launch has the device, and its thread waits */
    bool over;   /* it shall not wait any more */
    bool ended;  /* the launch has */
    struct cy_launch *launch;
    struct cy_controller controller;
    struct cy_observer observer;
    void (*done)(void *context, struct cy_launch *launch); /* the caller's */
    void *done_context;
    unsigned next;                      /* warp slot to look at for CY_COSIM_ANY */
    uint64_t executed;                  /* instructions, for the watchdog */
    CY_VEC(struct cosim_byte) injected; /* for the next instruction */

    /* of the current instruction */
    struct cy_commit commit;
    struct cy_insn insn;
    uint32_t base_pc; /* of its prefix, if it has one */
    uint32_t workgroup[3], wid;
    uint64_t retired; /* before it */
    int rows;         /* of `before` that are in use, */
    int words;        /* or words of its first row, for sGPRs */
    bool no_memory;
    uint32_t before[COSIM_GROUP][CY_MAX_LANES], after[COSIM_GROUP][CY_MAX_LANES];
    CY_VEC(struct cy_commit_access) accesses;
    uint32_t (*recent)[COSIM_RECENT];          /* by warp slot: where it was, a ring indexed by instructions retired */
    uint32_t recent_count, past[COSIM_RECENT]; /* of the current warp, oldest first */
};

/* With the lock held. */
enum cy_status cosim_step(struct cy_cosim *cosim, uint32_t warp);
struct cy_warp_slot *cosim_slot(const struct cy_cosim *cosim, uint32_t warp);

#endif
