/* Co-simulation: a launch that the caller steps, warp instruction by warp instruction, so that an RTL test bench or any other
 * implementation can run beside it and stop at the first difference.
 *
 *     struct cy_cosim *cosim;
 *     cy_cosim_start(device, &desc, &cosim, &why);            // everything loaded, workgroups placed, nothing executed
 *     ...
 *     // the test bench, whenever its warp `number` retires an instruction:
 *     struct cy_commit theirs = {.warp = number, .pc = pc, .parts = CY_COMMIT_REGISTER,
 *                                .file = CY_COSIM_V, .reg = vd, .regs = 1, .lanes = write_mask, .value = result};
 *     if (cy_cosim_check(cosim, &theirs, NULL, &why) == CY_ERROR_DIFFERENT) { fputs(why, stderr); stop(); }
 *     ...
 *     cy_cosim_end(cosim, &why);
 *     cy_cosim_destroy(cosim);
 *
 * The caller decides the order of the warps; of one warp, instructions are reported in program order.  A warp is known by its
 * number in the launch: workgroup number times warps per workgroup, plus its place in the workgroup.  Where the two machines
 * may differ (a race, an address of local memory, a CSR), the caller makes them agree by cy_cosim_inject or by writing
 * registers, CSRs and memory.
 *
 * Calls may come from any thread, one at a time for each struct cy_cosim (others wait).  A fault ends the launch, as always. */
#ifndef CHENGYING_COSIM_H
#define CHENGYING_COSIM_H

#include "chengying/api.h"
#include "chengying/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cy_cosim;
/* Like cy_launch_start, but the launch waits for the caller; returns when it has the device.  `desc` may have observers. */
CY_API enum cy_status cy_cosim_start(struct cy_device *device, const struct cy_launch_desc *desc,
                                     struct cy_cosim **cosim, char **message);
/* Ends the launch, complete or not, and returns what cy_launch_wait would: CY_ERROR_CANCELLED if warps were left. */
CY_API enum cy_status cy_cosim_end(struct cy_cosim *cosim, char **message);
CY_API void cy_cosim_destroy(struct cy_cosim *cosim); /* after ending it, if need be */
/* The launch, for cy_launch_fault and, at its end, cy_launch_counters; valid as long as the cosim. */
CY_API struct cy_launch *cy_cosim_launch(struct cy_cosim *cosim);

/* ---- warps ---- */

enum cy_cosim_state { CY_COSIM_READY, CY_COSIM_BARRIER, CY_COSIM_ENDED, CY_COSIM_FAULTED };
struct cy_cosim_warp {
    uint32_t number;       /* in the launch */
    uint32_t workgroup[3]; /* its workgroup */
    uint32_t warp;         /* in its workgroup */
    uint32_t sm, slot;     /* where it runs */
    uint32_t lanes;        /* threads per warp */
    uint64_t active;       /* active lanes */
    uint32_t pc;           /* of the next instruction, or of its prefix */
    uint64_t retired;      /* instructions so far */
    enum cy_cosim_state state;
};
/* The warps that are on the machine: the index-th, by SM and slot (false: there are no more), or the one of that number. */
CY_API bool cy_cosim_warp(struct cy_cosim *cosim, size_t index, struct cy_cosim_warp *warp);
CY_API bool cy_cosim_find(struct cy_cosim *cosim, uint32_t number, struct cy_cosim_warp *warp);

/* ---- instructions ---- */

enum cy_cosim_file { CY_COSIM_NONE, CY_COSIM_X, CY_COSIM_V, CY_COSIM_CSR, CY_COSIM_PC };
/* One lane's access to memory.  An atomic one is both; its value is the one that it loaded. */
struct cy_commit_access {
    uint64_t address;
    uint32_t value; /* as it is in the register */
    uint8_t lane, size;
    bool read, write;
};
enum cy_commit_parts {
    CY_COMMIT_WORD = 1,
    CY_COMMIT_ACTIVE = 2,
    CY_COMMIT_REGISTER = 4,
    CY_COMMIT_MEMORY = 8,
    CY_COMMIT_NEXT = 16,
    CY_COMMIT_ALL = 31,
};
/* What one instruction of a warp did. */
struct cy_commit {
    uint32_t warp;
    uint32_t pc;                             /* of the instruction, after its prefix */
    uint32_t parts;                          /* set of enum cy_commit_parts: which of the following are known */
    uint32_t word, prefix;                   /* WORD; 0: no prefix */
    uint64_t active;                         /* ACTIVE: lanes that were active before it */
    enum cy_cosim_file file;                 /* REGISTER: X, V or NONE */
    uint32_t reg, regs;                      /* the first one, and how many (1 unless it wrote a group or a pair) */
    uint64_t lanes;                          /* lanes of a vGPR that it wrote */
    const uint32_t *value;                   /* new values: value[i] of sGPRs, value[i * threads + lane] of vGPRs */
    const struct cy_commit_access *accesses; /* MEMORY: by lane */
    size_t access_count;
    uint32_t next_pc; /* NEXT: where the warp goes on */

    /* set by cy_cosim_step alone */
    const char *mnemonic;
    enum cy_cosim_state state; /* of the warp afterwards */
};

#define CY_COSIM_ANY UINT32_MAX
/* Executes one instruction of a warp (CY_COSIM_ANY: of the next one that is ready, in turn); `commit`, which may be NULL, says
 * what it did; its pointers are valid until the next call.
 *   CY_OK                it did
 *   CY_RUNNING           the warp waits at a barrier that others have not reached
 *   CY_ERROR_INVALID     there is no such warp on the machine: it has not started yet, or it has ended
 *   CY_ERROR_FAULT       this instruction, or an earlier one, faulted
 *   CY_ERROR_CANCELLED   the launch has ended */
CY_API enum cy_status cy_cosim_step(struct cy_cosim *cosim, uint32_t warp, struct cy_commit *commit);
/* Steps the warp of their commit and compares the parts that are known: CY_ERROR_DIFFERENT, if they differ, with a report of the
 * instruction, its source line, both values and the instructions before it; otherwise what cy_cosim_step returns, with a message
 * unless it is CY_OK.  `ours`, which may be NULL, is our commit.  Lanes that they did not write count as unchanged.
 * CY_ERROR_HOST: no memory to compare them; the instruction was executed. */
CY_API enum cy_status cy_cosim_check(struct cy_cosim *cosim, const struct cy_commit *theirs, struct cy_commit *ours,
                                     char **message);

/* ---- registers and memory ---- */

/* A register of a warp that is on the machine: sGPR (0 to 63), vGPR (0 to 255, of a lane), CSR (by its number) or the pc; `lane`
 * matters for vGPRs only.  False: there is no such warp or register.  All CSRs of a warp's identity can be written, also those
 * that a kernel can only read. */
CY_API bool cy_cosim_read_register(struct cy_cosim *cosim, uint32_t warp, enum cy_cosim_file file, uint32_t reg,
                                   uint32_t lane, uint32_t *value);
CY_API bool cy_cosim_write_register(struct cy_cosim *cosim, uint32_t warp, enum cy_cosim_file file, uint32_t reg,
                                    uint32_t lane, uint32_t value);
/* Memory by physical address, local memory and buffers above 4 GiB included.  False: some of it is not mapped, and nothing has been read or written. */
CY_API bool cy_cosim_read(struct cy_cosim *cosim, uint64_t address, void *to, size_t size);
CY_API bool cy_cosim_write(struct cy_cosim *cosim, uint64_t address, const void *from, size_t size);
/* What the next instruction reads there, and nobody else: bytes that it does not overwrite have their old value afterwards.  So
 * a load returns what the other machine's load returned.  May be called several times before a step.  False: not mapped, or no
 * memory. */
CY_API bool cy_cosim_inject(struct cy_cosim *cosim, uint64_t address, const void *from, size_t size);

#ifdef __cplusplus
}
#endif

#endif
