/* Engine internals: decoded instructions and helpers for their handlers. */
#ifndef CY_GPU_ENGINE_ENGINE_PRIV_H
#define CY_GPU_ENGINE_ENGINE_PRIV_H

#include "gpu/engine/engine.h"
#include "gpu/engine/levels.h"

#define CY_LIKELY(x) __builtin_expect(!!(x), 1)
#define CY_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* One decoded instruction, 32 bytes: a handler for each mode of the warp, register numbers including the prefix's part,
 * the immediate.
 *
 * A handler executes its instruction and continues with the next one's handler, up to `left` instructions: it ends in a
 * call with the same arguments, which the compiler turns into a jump.  It returns the next instruction when the budget
 * is used up, or NULL when the warp has stopped, with warp->stop and warp->pc set; warp->left is the remaining
 * budget. */
struct cy_uop;
typedef const struct cy_uop *cy_handler(struct cy_warp *warp, const struct cy_uop *uop, uint64_t left);

struct cy_uop {
    cy_handler *run[3]; /* by enum cy_warp_mode */
    uint8_t d, a, b;    /* rd/vd, rs1/vs1, rs2/vs2 */
    uint8_t step;       /* words to the next instruction: 1, or 2 with a prefix */
    int32_t imm;        /* immediate; rs3 and rounding mode of scalar FP; see code.c */
};
_Static_assert(sizeof(struct cy_uop) == 32, "a decoded instruction is half a cache line");

/* For counting.  Accesses whose addresses follow from the registers in a simple way are counted before they run, the others by
 * cy_observe_memory. */
enum cy_kind {
    CY_KIND_SCALAR,
    CY_KIND_SCALAR_MEMORY, /* x[a] + imm */
    CY_KIND_OTHER_SCALAR_MEMORY,
    CY_KIND_VECTOR,
    CY_KIND_VECTOR_BRANCH,
    CY_KIND_PER_LANE, /* v[a] + imm */
    CY_KIND_PRIVATE,  /* the same, interleaved */
    CY_KIND_UNIT,     /* x[a] + 4 * lane */
    CY_KIND_INDEXED,  /* x[a] + v[b] */
    CY_KIND_ATOMIC,   /* v[a], or x[a] if the launch says so */
    CY_KIND_OTHER_MEMORY,
};

/* Instructions from here on that run one after the other with the same lanes; an access to memory begins a new stretch, and so does
 * an instruction of which observers need to see the operands. */
struct cy_stretch {
    uint16_t insns, words;
};

struct cy_code {
    enum cy_target target;
    uint32_t base, size; /* bytes */
    unsigned lanes;
    const struct cy_level *level;
    unsigned vgprs;        /* vGPR rows that the code can touch */
    bool has_prefixes;     /* without one, no instruction names an sGPR from x32 on */
    bool reads_flags;      /* some instruction reads fflags: they must be exact (fp32_native.h, rule 4) */
    bool changes_vtype;    /* some instruction sets another one than e32, m1 */
    struct cy_uop *uops;   /* one per word, and one after the end that faults */
    struct cy_insn *insns; /* by word, as the tables decode it: for observers, faults and the general handlers */
    uint8_t *kinds;        /* by word: enum cy_kind, for counting */
    const struct cy_code *original; /* of cy_code_watch's copy, which owns nothing but its uops; else NULL */
    struct cy_stretch *stretches;   /* by word, for counting and observing */
};

/* See start.c. */
#define CY_START_MOST 192
struct cy_start {
    uint32_t x[64], vtype, rpc;
    unsigned total;   /* instructions it stands for */
    unsigned skipped; /* of these, executed beforehand */
    struct cy_uop uops[CY_START_MOST + 1];
};

/* Handlers.  Scalar rows and hooks have one, cy_exec_<id>, for all modes (declared from the rows, so a missing one does
 * not link); vector expressions have one per mode, exec_lanes.c. */
#define EXPR(id, ...) cy_handler cy_exec_##id;
#define HOOK(id, ...) cy_handler cy_exec_##id;
#include "isa/rv32.def"
#undef EXPR
#define EXPR(id, ...)
#include "isa/rvv.def"
#include "isa/ventus.def"
#undef EXPR
#undef HOOK
struct cy_handlers {
    cy_handler *run[3];
};
cy_handler cy_memory_general; /* any vector load or store, exec_memory.c */
cy_handler cy_memory_scalar;  /* any scalar load or store under a prefix that changes it */
cy_handler cy_load_words, cy_load_words_far, cy_store_words,
    cy_store_words_far;            /* scalar, several words: exec_scalar.c */
cy_handler cy_exec_vector_generic; /* any vector expression, exec_general.c */
/* Vector expressions of which a prefix only changes the signs of sources, where the row has a loop for whole warps. */
bool cy_has_sign_loop(const struct cy_insn *insn);
extern const struct cy_handlers cy_sign_handlers;
cy_handler cy_exec_scalar_generic; /* any scalar expression under a pair or abs/neg prefix */
cy_handler cy_exec_fault;          /* imm = enum cy_fault_kind */
cy_handler cy_read_word;           /* csrr of a constant CSR; imm = its offset in struct cy_warp */
int cy_csr_word(unsigned number);  /* that offset; -1: not constant */

/* Ends an instruction: `next` is the one to continue with, NULL if the warp has stopped.  A faulting instruction does
 * not count as retired. */
static inline __attribute__((always_inline)) const struct cy_uop *cy_then(struct cy_warp *warp,
                                                                          const struct cy_uop *next, uint64_t left)
{
    if (CY_UNLIKELY(!next)) {
        warp->left = left - (warp->stop != CY_STOP_FAULT);
        return NULL;
    }
    if (CY_UNLIKELY(!--left)) {
        warp->left = 0;
        return next;
    }
    return next->run[warp->mode](warp, next, left);
}
/* CY_HANDLER(linkage, name) { body: executes instruction u of warp w; returns the next one, or NULL } */
#define CY_HANDLER(linkage, name)                                                                                      \
    static inline const struct cy_uop *step_##name(struct cy_warp *w, const struct cy_uop *u);                         \
    linkage const struct cy_uop *name(struct cy_warp *w, const struct cy_uop *u, uint64_t left)                        \
    {                                                                                                                  \
        return cy_then(w, step_##name(w, u), left);                                                                    \
    }                                                                                                                  \
    static inline const struct cy_uop *step_##name(struct cy_warp *w, const struct cy_uop *u)

static inline uint32_t cy_uop_pc(const struct cy_warp *warp, const struct cy_uop *uop)
{
    return warp->run->code->base + 4 * (uint32_t)(uop - warp->run->code->uops);
}
static inline const struct cy_insn *cy_uop_insn(const struct cy_warp *warp, const struct cy_uop *uop)
{
    return &warp->run->code->insns[uop - warp->run->code->uops];
}
static inline const struct cy_uop *cy_next(const struct cy_uop *uop)
{
    if (CY_UNLIKELY(uop->step != 1)) {
        /* A branch rather than a sum: the next instruction must not wait for the load of the step. */
        __asm__ volatile("");
        return uop + 2;
    }
    return uop + 1;
}

/* Stops the warp, which will resume at `pc`. */
static inline const struct cy_uop *cy_stop(struct cy_warp *warp, enum cy_stop stop, uint32_t pc)
{
    warp->stop = (uint8_t)stop;
    warp->pc = pc;
    return NULL;
}
/* A fault at this instruction. */
const struct cy_uop *cy_fault(struct cy_warp *warp, const struct cy_uop *uop, enum cy_fault_kind kind, int lane,
                              uint64_t address);
/* Jumps to an address: returns the instruction there, or faults at `uop` (fetch). */
enum cy_fault_kind cy_translation_fault(const struct cy_walk_fault *why); /* exec_memory.c */
const struct cy_uop *cy_goto(struct cy_warp *warp, const struct cy_uop *uop, uint32_t pc);

/* PC-relative jumps: imm is odd if the target is a word of this code, and then imm >> 1 is the distance in uops;
 * otherwise it is the distance in bytes from the instruction after its prefix, and jumping there faults. */
static inline bool cy_is_near(const struct cy_uop *uop)
{
    return uop->imm & 1;
}
static inline uint32_t cy_target_pc(const struct cy_warp *warp, const struct cy_uop *uop)
{
    return cy_is_near(uop) ? cy_uop_pc(warp, uop + (uop->imm >> 1))
                           : cy_uop_pc(warp, uop) + 4u * (uop->step - 1u) + (uint32_t)uop->imm;
}
static inline const struct cy_uop *cy_relative(struct cy_warp *warp, const struct cy_uop *uop)
{
    return CY_LIKELY(cy_is_near(uop)) ? uop + (uop->imm >> 1) : cy_goto(warp, uop, cy_target_pc(warp, uop));
}

/* ---- counting (count.c) ---- */

/* `is_plain`: a vector access with a fast path, or a scalar one that its prefix does not change; `vgprs`: it has vector
 * operands. */
enum cy_kind cy_kind_of(const struct cy_insn *insn, bool is_plain, bool vgprs);
/* Runs the warp and counts in warp->counts; the other one counts an instruction that is about to run. */
const struct cy_uop *cy_run_profiled(struct cy_warp *warp, const struct cy_uop *uop, uint64_t *left);
void cy_count_issue(struct cy_warp *warp, const struct cy_uop *uop);
void cy_stretches_build(struct cy_code *code);
/* Sets warp->ahead, to `address` if that can be told before the instruction runs.  False: it has no access at all. */
bool cy_look_ahead(struct cy_warp *warp, const struct cy_uop *uop, uint32_t address[CY_MAX_LANES]);
void cy_count_observed(struct cy_warp *warp, const struct cy_uop *uop, uint64_t lanes, const uint64_t *address);

/* ---- memory ---- */

/* Every access is observed or translated: then extents are not used. */
static inline bool cy_is_watched(const struct cy_warp *warp)
{
    return (warp->run->observer && !warp->ahead) || warp->run->ptbr;
}

/* Host address of `size` bytes at a guest address, or NULL with the fault recorded in the warp.  The fast path tests
 * the warp's last extent; cy_memory_slow handles everything else. */
uint8_t *cy_memory_slow(struct cy_warp *warp, const struct cy_uop *uop, uint64_t address, unsigned size,
                        unsigned access, int lane);
static inline bool cy_in_extent(const struct cy_extent *extent, uint64_t low, uint64_t high_end, unsigned access)
{
    /* low < high_end: a span that wraps around the end of 64 bits, or starts below 0, is in no extent */
    return low >= extent->start && low < high_end && high_end <= extent->end && (extent->rights & access) == access;
}
static inline uint8_t *cy_host(struct cy_warp *warp, const struct cy_uop *uop, uint64_t address, unsigned size,
                               unsigned access, int lane)
{
    if (CY_LIKELY(cy_in_extent(&warp->extent, address, address + size, access) && !(address & (size - 1))))
        return cy_extent_host(&warp->extent, address);
    return cy_memory_slow(warp, uop, address, size, access, lane);
}
static inline uint8_t *cy_host_scalar(struct cy_warp *warp, const struct cy_uop *uop, uint64_t address, unsigned size,
                                      unsigned access)
{
    if (CY_LIKELY(cy_in_extent(&warp->scalar_extent, address, address + size, access) && !(address & (size - 1))))
        return cy_extent_host(&warp->scalar_extent, address);
    struct cy_extent vector = warp->extent;
    uint8_t *host = cy_memory_slow(warp, uop, address, size, access, -1);
    warp->scalar_extent = warp->extent; /* as found by cy_memory_slow */
    warp->extent = vector;
    return host;
}

/* Effects of a prefix on a memory access. */
enum cy_place { CY_SPACE_DEFAULT, CY_SPACE_GLOBAL, CY_SPACE_PRIVATE, CY_SPACE_LOCAL }; /* numbered as in pre_m */
struct cy_memory_prefix {
    enum cy_place space;
    unsigned words; /* consecutive words, to consecutive registers */
    bool wide;      /* 64-bit addresses */
    bool pairs;     /* operands with even numbers are 64-bit pairs */
};
struct cy_memory_prefix cy_memory_prefix(const struct cy_warp *warp, const struct cy_insn *insn);
/* The address within its space (docs/isa.md, "Private memory of generation 1"); false: outside the thread's private
 * memory. */
bool cy_memory_place(struct cy_warp *warp, const struct cy_uop *uop, enum cy_place space, bool wide, uint64_t *address,
                     unsigned size, unsigned access, int lane);
void cy_observe_memory(struct cy_warp *warp, const struct cy_uop *uop, unsigned kind, unsigned size, uint64_t lanes,
                       const uint64_t *address, const uint32_t *value);

/* ---- SIMT ---- */

const struct cy_uop *cy_simt_branch(struct cy_warp *warp, const struct cy_uop *uop, uint64_t taken);

/* ---- state ---- */

static inline uint64_t cy_ones(unsigned count)
{
    return count >= 64 ? ~0ull : (1ull << count) - 1;
}
static inline uint32_t *cy_vreg(const struct cy_warp *warp, unsigned number)
{
    return warp->v + (size_t)number * warp->numt;
}
static inline unsigned cy_sew(const struct cy_warp *warp) /* 8, 16, 32, 64 */
{
    return 8u << (warp->vtype >> 3 & 7);
}
static inline unsigned cy_lmul(const struct cy_warp *warp) /* 1 or 2 */
{
    return 1u << (warp->vtype & 7);
}
#define CY_VGPR_ROWS 264 /* 256, plus room for pairs and groups that start at the last register */
#define CY_VILL 0x80000000u
/* mstatus: the vector state is always dirty (VS = 3, SD), as it is in the standard after the first vsetvli; writing a
 * nonzero FS makes the floating-point state dirty too. */
#define CY_MSTATUS_VS 0x80000600u
#define CY_MSTATUS_FS 0x00006000u

/* v0.t: the lanes' mask bits for the elements of one part of a register group: bit i of the packed mask for element i,
 * or bit 0 of each lane (of the next register for the second part). */
static inline uint64_t cy_mask_bits(const struct cy_warp *warp, unsigned part)
{
    const uint32_t *row = cy_vreg(warp, part);
    uint64_t bits = 0;
    for (unsigned lane = 0; lane < warp->numt; lane++) {
        unsigned element = part * warp->numt + lane;
        uint32_t bit = warp->run->mask_per_lane ? row[lane] : warp->v[element >> 5] >> (element & 31);
        bits |= (uint64_t)(bit & 1) << lane;
    }
    return bits;
}
/* The active lanes of one part: SIMT mask, vl and (when `masked`) v0.t. */
static inline uint64_t cy_part_active(const struct cy_warp *warp, unsigned part, bool masked)
{
    uint32_t before = part * warp->numt, left = warp->vl > before ? warp->vl - before : 0;
    uint64_t active = warp->mask & cy_ones(left < warp->numt ? left : warp->numt);
    return masked ? active & cy_mask_bits(warp, part) : active;
}

/* Adds the FP flags raised on the host since the warp started running to its fflags. */
void cy_collect_flags(struct cy_warp *warp);

/* For lists that expand the shapes of formats.def: a format that is none of theirs. */
#define CY_NO_SHAPE                                                                                                    \
    {                                                                                                                  \
        0                                                                                                              \
    }

#endif
