/* The interpreter: decoded code, a warp's state, and running a warp.
 *
 * The SM (sm.c) owns workgroups and warps, schedules them and calls cy_warp_run; the engine runs one warp until its
 * budget is used up or it waits, ends or faults, and never looks at other warps.  Everything the engine needs from
 * outside is in struct cy_warp and struct cy_run below. */
#ifndef CY_GPU_ENGINE_ENGINE_H
#define CY_GPU_ENGINE_ENGINE_H

#include "chengying/device.h"
#include "gpu/engine/levels.h"
#include "gpu/memory/memory.h"
#include "gpu/memory/mmu.h"
#include "isa/isa.h"

#include <stddef.h>

#define CY_MAX_LANES 64

/* ---- decoded code ---- */

/* A range of guest code, decoded once: one entry per word, so that a jump is an index. */
struct cy_code;
/* Decodes [base, base + size) of physical memory (with translation on: of the virtual range, from the caller's copy in
 * `bytes`).  `lanes` and `level` (gpu/engine/levels.h) select the handlers.  Never fails: a word that is not an
 * instruction decodes to one that faults. */
struct cy_level;
struct cy_code *cy_code_build(enum cy_target target, uint32_t base, const void *bytes, uint32_t size, unsigned lanes,
                              const struct cy_level *level);
const struct cy_level *cy_code_level(const struct cy_code *code);
/* Has the kernel a loop in which lanes part without leaving it, or more than once, or load and leave it one by one, or very many branches?
 * Translated code has strips of few lanes there; with those of a warp, to be counted, it may take ten times as long (branches.c). */
bool cy_code_is_branchy(const struct cy_code *code, uint32_t entry);
void cy_code_free(struct cy_code *code);
/* A copy that calls observer->check before the instructions that it wants and runs the others at full speed.  It shares
 * what it can with the original, which must outlive it; NULL: no memory. */
struct cy_observer;
struct cy_code *cy_code_watch(const struct cy_code *code, const struct cy_observer *observer);

/* ---- faults ---- */

enum cy_fault_kind {
    CY_FAULT_NONE,
#define FAULT(name, text) CY_FAULT_##name,
#include "gpu/engine/faults.def"
};

/* A guest fault as a value.  The caller adds what the launch, the dispatcher and the symbol table know. */
struct cy_fault {
    enum cy_fault_kind kind;
    uint32_t pc;
    uint32_t word, prefix; /* the instruction, to be disassembled */
    int lane;              /* the lane that faulted; -1: the warp as a whole */
    uint64_t address;      /* memory faults: the address; stack faults: the depth */
    uint8_t access;        /* memory faults: CY_READ, CY_WRITE or CY_EXECUTE */
    uint8_t size;          /* bytes accessed */
    bool translated;       /* memory faults: found by the page-table walk, details in `walk` */
    struct cy_walk_fault walk;
};

/* ---- a run: shared by all warps of a launch, read-only while it runs ---- */

struct cy_run {
    struct cy_memory *memory;
    const struct cy_code *code;
    enum cy_target target;
    unsigned lanes;                     /* threads per warp: 4, 8, 16, 32, 64 */
    unsigned stack_depth;               /* entries of the SIMT stack */
    uint64_t ptbr;                      /* SV39 root, 0 = no translation */
    uint32_t knl;                       /* CSR_KNL of warps without one of their own */
    uint32_t gds;                       /* CSR_GDS */
    bool mask_per_lane;                 /* machine option mask=lane */
    bool scalar_atomics;                /* launch option: AMO/LR/SC on x registers */
    bool keeps_scalars;                 /* the sGPRs at every divergence, in warp->kept */
    bool checking;                      /* endprg and barrier under divergence are faults */
    bool counting;                      /* warps count active lanes; free when off */
    const struct cy_observer *observer; /* NULL: no observer, no cost */
    const struct cy_observer *watch;    /* whose `check` the code calls (cy_code_watch); NULL: none */
    const struct cy_start *start;       /* of its warps; NULL: they run all of the code themselves */
};

/* What all warps compute alike at their start, computed once: start.c.  For launches whose single instructions nobody looks at. */
struct cy_constants {
    uint32_t bytes;      /* of metadata and arguments, from run->knl on */
    unsigned warps;      /* of a workgroup: CSR_NUMW */
    bool varies;         /* each warp has its own copy, in which these words differ, besides CY_KNL_ARG_BASE: */
    const uint32_t *own; /* their offsets */
    size_t own_count;
};
/* NULL: there is nothing to gain, or no memory. */
struct cy_start *cy_start_build(const struct cy_run *run, uint32_t entry, const struct cy_constants *constants);
void cy_start_free(struct cy_start *start);

/* Observers: the engine calls the members that are not NULL.  `warp` identifies the warp; nothing may be changed. */
struct cy_warp;
struct cy_memory_access {
    uint8_t kind;            /* CY_READ, CY_WRITE, or both for atomics */
    uint8_t size;            /* bytes per lane */
    uint64_t lanes;          /* mask of lanes that accessed memory (bit 0 for scalar instructions) */
    const uint64_t *address; /* by lane (index 0 for scalar) */
    const uint32_t *value;   /* by lane: what was stored, or loaded */
};
struct cy_observer {
    void *context;
    /* Needs no values: `before` finds the addresses of most accesses in warp->ahead, and these take their fast paths; `memory`
     * is called for the others only. */
    bool wants_addresses;
    /* before: the old register values; retired: the new ones, with warp->pc at the next instruction and the same
     * insn */
    void (*before)(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn);
    void (*retired)(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn);
    /* Without `retired`, and if it wants addresses: instructions that follow this one in the code have been executed, so many,
     * with the same lanes, and `before` was not called for them.  They neither access memory nor divide, nor do they branch to
     * the next instruction. */
    void (*ran)(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn, uint64_t active,
                uint64_t count);
    void (*memory)(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                   const struct cy_memory_access *access);
    void (*branch)(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn, uint64_t taken,
                   uint64_t active);
    void (*barrier)(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn);
    /* For checkers, which look at some instructions and must be fast: `check` is called before each instruction for which
     * `wants` was true when the launch began.  It returns the lanes that must not execute it (bit 0 for a scalar one):
     * these keep their registers, and memory stays as it is.  If it also sets kind and lane of warp->fault, the launch ends
     * there, or, with CY_FAULT_PAUSED, whoever runs the warp decides when it goes on. */
    bool (*wants)(void *context, uint32_t pc, const struct cy_insn *insn);
    uint64_t (*check)(void *context, struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn);
    bool (*tool)(void *context, const char *name, bool on); /* from a debugger; false: it has no such tool */
};

/* ---- a warp ---- */

enum cy_warp_mode {
    CY_MODE_FULL,    /* all lanes active, SEW 32, LMUL 1: the fast path */
    CY_MODE_PARTIAL, /* some lanes active, SEW 32, LMUL 1 */
    CY_MODE_GENERAL, /* any other SEW or LMUL */
};

struct cy_warp {
    /* hot state */
    uint32_t *v;         /* vGPRs: v[number * lanes + lane]; 256 + a few rows, 64-byte aligned; followed by lane_mask */
    uint32_t x[64 + 2];  /* sGPRs; x[64] is the sink for writes to x0: the engine decodes rd = x0 as 64 */
    uint8_t mode;        /* enum cy_warp_mode, maintained by cy_warp_refresh */
    uint32_t *lane_mask; /* ~0 for active lanes (SIMT mask and vl), for blending; in mode PARTIAL only */
    uint64_t active;     /* the same as bits */
    struct cy_extent extent;        /* last extent used by a vector access */
    struct cy_extent scalar_extent; /* last one used by a scalar access: arguments and buffers are rarely in the same
                                     * extent */
    unsigned extent_generation;
    uint64_t missed;      /* an address that was in neither, while it is being looked up */
    uint8_t *memory_base; /* run->memory->base */
    const struct cy_run *run;
    uint8_t stop;  /* enum cy_stop, set by the instruction that stops the warp */
    bool is_fresh; /* it has not run, and will begin with run->start */
    uint64_t left; /* budget left when it stops */

    /* SIMT state */
    uint64_t mask;               /* SIMT mask */
    uint64_t full;               /* lanes that exist at launch (fewer than all in a partial warp) */
    struct cy_simt_entry *stack; /* run->stack_depth entries */
    uint32_t (*kept)[64];        /* by entry: the sGPRs when its lanes diverged; NULL: no storage */

    /* What is zero when a warp begins, together, so that a few stores clear it. */
    union {
        struct {
            uint32_t rpc;
            unsigned depth;  /* entries on the stack */
            unsigned lowest; /* the lowest depth since the owner of the warp last set it */
            uint32_t vstart;
            uint8_t frm, fflags, vxrm, vxsat;
            uint32_t mtvec;
            uint32_t print;                /* CSR_PRINT: set by the guest, cleared by the host */
            uint32_t ahead_count;          /* of `ahead` */
            uint64_t retired;              /* instructions retired so far */
            struct cy_lane_counters lanes; /* with run->counting */
            const uint32_t
                *ahead;    /* addresses of the lanes' accesses for observers that want them; NULL: not known yet */
            void *watched; /* what a checker knows of it */
        };
        uint64_t zeroes[12];
    };

    /* vector state */
    uint32_t vl, vtype;

    /* identity: the constant CSRs */
    uint32_t numw, numt, knl, tid, wid, wgid, lds, pds, gid[3];
    uint32_t lds_size, pds_size; /* bytes of the workgroup's LDS; private bytes per thread (0: not checked) */
    uint32_t mstatus;
    uint32_t number; /* warp number in the launch, in dispatch order */

    /* where it is */
    uint32_t pc;
    struct cy_insn_counts *counts; /* of its SM, by word of the code; NULL: instructions are not counted */
    bool looks;                    /* the addresses of its accesses are counted, too */
    struct cy_fault fault;
    struct cy_tlb *tlb;                 /* of its SM; NULL when translation is off */
    bool reserves;                      /* LR or SC was used: the next member is live */
    uint64_t reservation[CY_MAX_LANES]; /* LR, by lane: address + 1, 0 = none */
    uint64_t reserved_value[CY_MAX_LANES];
    void *owner; /* the workgroup; used by the SM */
};
_Static_assert(offsetof(struct cy_warp, watched) + sizeof(void *) ==
                   offsetof(struct cy_warp, zeroes) + sizeof(((struct cy_warp *)0)->zeroes),
               "`zeroes` covers what is zero");

/* vGPR storage that a warp needs; the caller allocates it once and reuses it. */
size_t cy_warp_vgpr_bytes(unsigned lanes);
/* Resets everything but the storage pointers (v, stack, run, tlb must be set): registers zero, pc = entry, mask = full,
 * vl = lanes, vtype = e32 m1. */
void cy_warp_start(struct cy_warp *warp, uint32_t entry, uint64_t full);
/* Its two halves, for storage that many warps of one run use in turn: what they have in common, once; and the rest, for each of
 * them.  The extents that one of them has found are left to the next. */
void cy_warp_prepare(struct cy_warp *warp);
void cy_warp_begin(struct cy_warp *warp, uint32_t entry, uint64_t full);
/* Recomputes mode, active and lane_mask after mask, vl or vtype changed. */
void cy_warp_refresh(struct cy_warp *warp);

/* For tools that look at a warp between two instructions; false: no such CSR.  Also the CSRs of its identity, which the guest
 * can only read, can be written. */
bool cy_warp_read_csr(struct cy_warp *warp, unsigned number, uint32_t *value);
bool cy_warp_write_csr(struct cy_warp *warp, unsigned number, uint32_t value);
/* The lanes in which the instruction takes place: the active ones, less those that its mask register excludes. */
uint64_t cy_warp_lanes_of(const struct cy_warp *warp, const struct cy_insn *insn);

enum cy_stop {
    CY_STOP_BUDGET,  /* budget used up */
    CY_STOP_BARRIER, /* at a barrier; pc is the next instruction */
    CY_STOP_END,     /* endprg */
    CY_STOP_FAULT,   /* see warp->fault; pc is the faulting instruction */
    CY_STOP_PRINT,   /* CSR_PRINT was set; the caller drains the buffer and continues */
};
enum cy_stop cy_warp_run(struct cy_warp *warp, uint64_t budget);
/* The same for a caller that runs many warps between its own fp_host_begin and fp_host_end (gpu/fp/fp32_native.h),
 * which cost as much as many instructions.  The warp's fflags are maintained only if its code reads them. */
enum cy_stop cy_warp_run_inside(struct cy_warp *warp, uint64_t budget);
/* The same for a run with a `start`, where nobody looks at single instructions. */
enum cy_stop cy_warp_run_plain(struct cy_warp *warp, uint64_t budget);

/* ---- address translation (mmu.c) ---- */

#endif
