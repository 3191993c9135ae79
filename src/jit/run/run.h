/* Running translated code (jit/abi.h).  Needs no LLVM: this half is part of the device. */
#ifndef CY_JIT_RUN_H
#define CY_JIT_RUN_H

#include "gpu/engine/engine.h"
#include "jit/abi.h"

/* ---- code ---- */

struct cy_jit_code; /* an image, mapped executable */
/* NULL: an image of another version, a damaged one, or no memory. */
struct cy_jit_code *cy_jit_load(const void *image, size_t size);
void cy_jit_unload(struct cy_jit_code *code);
const struct cy_jit_image *cy_jit_header(const struct cy_jit_code *code);

/* The enum cy_jit_host, the level and the forms of a request, for a device whose interpreter has this level; 0: nothing can be
 * translated for the host. */
uint32_t cy_jit_host(const struct cy_level *engine, uint32_t *level, uint32_t *forms);
/* False: it was made for vector registers of another length than this thread's. */
bool cy_jit_is_for_thread(const struct cy_jit_code *code);
/* How many lanes of a workgroup of this size should run together. */
uint32_t cy_jit_strip(uint32_t threads, const uint32_t local[3]);

/* ---- workers: one per host thread that runs workgroups of a launch, and of later ones if they are alike ---- */

struct cy_jit_shape { /* the same for all workgroups of a launch */
    struct cy_memory *memory;
    const struct cy_run *run; /* for instructions that are interpreted */
    uint32_t local[3], threads;
    uint32_t grid[2]; /* workgroups in x and y */
    uint32_t private_bytes, local_bytes;
    const atomic_bool *stop, *cancel; /* polled in loops */
    bool (*is_late)(void *context);   /* and called now and then: has the launch run too long? */
    void *context;
    void (*print)(void *context, uint32_t buffer); /* a warp has finished records; NULL: it has nowhere to print */
};

struct cy_jit_worker;
/* NULL: no memory. */
struct cy_jit_worker *cy_jit_worker_create(const struct cy_jit_code *code, const struct cy_jit_shape *shape);
/* For another launch, with what the worker has found out about memory.  False: it does not fit. */
bool cy_jit_worker_renew(struct cy_jit_worker *worker, const struct cy_jit_code *code,
                         const struct cy_jit_shape *shape);
void cy_jit_worker_free(struct cy_jit_worker *worker);

struct cy_jit_place { /* where a worker's workgroups are */
    uint32_t metadata, arguments, lds, pds, workgroup, print;
};
void cy_jit_worker_place(struct cy_jit_worker *worker, const struct cy_jit_place *place);

/* Runs `count` workgroups in the order of their numbers, each with `inside` work-items inside the range in each dimension.  False:
 * `group` is the one that was stopped, by a fault if *fault is set. */
bool cy_jit_run(struct cy_jit_worker *worker, uint32_t group[3], const uint32_t inside[3], uint32_t count,
                struct cy_fault *fault, uint32_t *item);
/* Barriers passed since the last call. */
uint32_t cy_jit_barriers(struct cy_jit_worker *worker);
/* Adds what was counted since the last call; returns the number of instructions, of which `interpreted`. */
uint64_t cy_jit_counted(struct cy_jit_worker *worker, struct cy_lane_counters *lanes, uint64_t *interpreted);
/* Adds what was counted per instruction to the counts of an SM, of a program with that many `words`; returns the number of
 * instructions. */
uint64_t cy_jit_tallied(struct cy_jit_worker *worker, struct cy_insn_counts *counts, size_t words);
/* The instructions that are left to the interpreter, as text; empty: none. */
void cy_jit_list_interpreted(const struct cy_jit_code *code, char *text, size_t size);

#endif
