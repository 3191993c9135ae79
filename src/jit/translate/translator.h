/* The translator's state.  From guest code to an image:
 *
 *     code/      the guest's code: instructions, blocks, what each does
 *     values/    values in the lanes of a strip, and arithmetic on them
 *     memory/    loads, stores, atomic operations
 *     control/   the function around them: phases, divergence
 *     count/     counters
 *     passes/    on LLVM's code, and code generation
 *     host/      what differs between hosts */
#ifndef CY_JIT_TRANSLATOR_H
#define CY_JIT_TRANSLATOR_H

#include "base/mem.h"
#include "jit/abi.h"
#include "jit/translate/broken.h"
#include "jit/translate/code/code.h"
#include "jit/translate/control/control.h"
#include "jit/translate/count/count.h"
#include "jit/translate/host/host.h"
#include "jit/translate/memory/memory.h"
#include "jit/translate/passes/passes.h"
#include "jit/translate/passes/split.h"
#include "jit/translate/values/values.h"

/* What earlier attempts at this kernel have found out. */
struct attempt {
    bool by_item;      /* strips of one work-item are better */
    bool is_doubled;   /* strips of two registers are */
    bool gathers_much; /* and the host does it slowly */
};

struct translator {
    struct attempt attempt;
    const struct cy_jit_facts *facts; /* NULL: none are kept */
    const struct cy_jit_request *request;
    const struct host *host;
    const struct host_level *level;
    enum cy_jit_forms forms;
    const uint32_t *words;
    struct cy_arena arena;
    struct cy_buf *why; /* set: cannot be translated */
    bool failed;
    bool wants_lines; /* in assembly for people: of which guest instruction it is */

    struct inst *insts;
    uint32_t count;
    uint32_t start;
    CY_VEC(uint32_t) returns; /* instructions after calls */
    CY_VEC(struct block) blocks;
    CY_VEC(struct pending) pendings;
    CY_VEC(uint32_t) joins;
    bool *looping;      /* by instruction: it is in a loop */
    bool *varying;      /* by instruction: not all strips of a workgroup may get here, or not equally often */
    bool *meeting;      /* by instruction: strips that took different paths may rejoin here */
    bool varies_more;   /* another one was found */
    bool may_end_early; /* strips may end while others wait at a barrier */

    CY_VEC(struct cy_jit_access) accesses;
    CY_VEC(struct cy_jit_group) groups;
    CY_VEC(struct cy_jit_tally) tallies;
    bool may_exchange;           /* lanes of a warp see what others store before they are at a barrier */
    struct counter *counters;    /* by block */
    CY_VEC(uint32_t) counted_at; /* by counter of the frame: an instruction of its block */
    uint32_t site_count;
    uint32_t interpreted; /* instructions that are left to the interpreter */
    bool keeps_sites;     /* in registers: there are few */
    bool is_short;        /* so that it is worth a second function for workgroups without missing work-items */
    bool is_whole;        /* the current function is that one */
    bool all_whole;       /* all strips of all workgroups are full */
    bool is_long;         /* so that accesses lane by lane are loops */
    bool in_lockstep;     /* lanes exchange values, or are counted: a strip is a warp, whose lanes stay together */
    bool in_order; /* and of a divergent branch's sides the one with fewer lanes runs first, as the machine's do */
    CY_VEC(const uint32_t *) tables;

    struct phase phases[MAX_PHASES];
    unsigned phase_count;
    struct node *nodes; /* (phase * VERSIONS + version) * blocks */
    CY_VEC(uint32_t) work;

    /* the translator's current position */
    bool emit; /* else: only classes */
    unsigned phase;
    enum version version;
    uint32_t at;    /* instruction */
    uint64_t *open; /* where lanes may be that are not active */
    struct state now;
    uint32_t stored; /* so many accesses that follow were done together with the one before them */
    bool is_moved;   /* the next instruction's half of a pair was moved with the other half */
    struct exchange exchange;
    struct chunk chunks[4];
    unsigned next_chunk;
    struct stores stores;
    struct loads loads;
    bool is_wide;   /* eval.c: elements have 64 bits */
    bool is_strict; /* operations may be neutral ones, which LLVM would fold */

    /* LLVM */
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder, allocas;
    LLVMValueRef function, whole; /* NULL: there is none for workgroups without missing work-items */
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr, vi1, vi32, vf32, vi64, vf64, vptr;
    LLVMValueRef memory, frame, sites, records, helpers;
    LLVMValueRef x[64], vs[256], vv[256]; /* allocas: sGPRs, scalars and vectors of vGPRs */
    LLVMValueRef vstep[256];              /* allocas: steps of lines */
    LLVMValueRef vall[256], vnone[256];   /* allocas: what is known of conditions */
    LLVMValueRef unblended[256]; /* vGPRs as this block has written them, without what waiting lanes keep; or NULL */
    LLVMValueRef unblended_pairs[PAIRS]; /* the same of pairs */
    LLVMValueRef mask, full, polls, next, strip;
    LLVMValueRef shared_x[64], shared_v[256]; /* the same, at the start of the phase */
    LLVMValueRef group_x[64], group_v[256];   /* allocas: workgroup-uniform values, across barriers */
    LLVMValueRef rare[2][sizeof(struct cy_jit_helpers) / sizeof(void *)]; /* functions that call helpers */
    LLVMValueRef edges;                                                   /* function: see memory.c */
    LLVMValueRef *waiting;                                                /* by join */
    struct stack *stacks;                                                 /* by join; NULL: there are none */
    LLVMValueRef alone[256];                                              /* allocas: vGPRs of a lane that runs alone */
    LLVMValueRef rows[256];                                               /* allocas: their vectors, in memory */
    LLVMValueRef before[64];                                              /* allocas: sGPRs at the branch */
    LLVMValueRef lane, lanes_left, jumping; /* allocas: the lane; lanes that follow it; those that take the branch */
    LLVMValueRef lane_for_helpers;          /* alloca: the lane again, not in a register */
    LLVMValueRef detour;                    /* alloca: number of the detour */
    LLVMValueRef tag_bits;                  /* alloca: in which lanes' tags differ (tags.c) */
    CY_VEC(struct detour) detours;          /* of the phase */
    CY_VEC(struct early) earlies;
    CY_VEC(struct claim) claims; /* in the order in which blocks were made */
    LLVMValueRef buffers[3];     /* for calls with vectors */
    LLVMValueRef *kept;          /* by tally: an alloca, or NULL */
    LLVMValueRef tally_array;
    LLVMValueRef item; /* number of the strip's first work-item */
    LLVMValueRef record;
    LLVMBasicBlockRef exit;
    LLVMValueRef *group_pointer;     /* by group, in the current block */
    LLVMValueRef *group_kind;        /* the same: what memory.c found out about the lanes' addresses */
    struct numbers **group_numbers;  /* the lanes' addresses or indices */
    LLVMValueRef *group_is_straight; /* the same, of lines: i1, no lane's address overflows */
    uint32_t record_x[64], record_v[256], record_bytes;
    struct pair_places { /* allocas of a pair of vGPRs; NULL: never used as a pair */
        LLVMValueRef base, index, step, index_vector, vector;
        LLVMValueRef group_base, group_index;   /* across barriers */
        LLVMValueRef shared_base, shared_index; /* the same, at the start of the phase */
        LLVMValueRef alone, rows, index_rows;   /* of a lane that runs alone; vectors, in memory */
        uint32_t record_base, record_index, record_vector;
        bool is_used;
    } pairs[PAIRS];
    LLVMValueRef *group_inside;  /* by group of far accesses, in the current block: i1, the site has all of it */
    LLVMValueRef *group_bias;    /* host minus guest address */
    LLVMValueRef far_buffers[2]; /* for calls: addresses; data */
    uint32_t items;              /* of a workgroup */
    uint32_t row;                /* of so many work-items, with which strips end; one row is the workgroup */
    unsigned w;                  /* lanes of its vectors: a power of two */
    unsigned lanes;              /* lanes of a strip; those above have any value, and no effect */
};

/* A row whose last lane has what the one before it has, if the translator is broken there (broken.h). */
static inline LLVMValueRef spoiled(struct translator *t, bool is_broken, LLVMValueRef row)
{
    if (!is_broken || t->lanes < 2)
        return row;
    LLVMValueRef other = LLVMBuildExtractElement(t->builder, row, LLVMConstInt(t->i32, t->lanes - 2, false), "");
    return LLVMBuildInsertElement(t->builder, row, other, LLVMConstInt(t->i32, t->lanes - 1, false), "");
}

/* Records the reason in a few words; always false. */
bool cannot(struct translator *t, const char *format, ...) CY_PRINTF(2, 3);
unsigned vector_registers(const struct translator *t); /* how many the host has */

void open_llvm(struct translator *t);
bool translate_by_sir(struct translator *t, size_t size); /* from_sir.c */

#endif
