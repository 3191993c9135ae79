/* Translator internals.
 *
 *     cfg.c      guest code -> instructions, blocks, reconvergence points, liveness
 *     groups.c   accesses that share a base and are checked together
 *     expr.c     the rows' expressions as trees
 *     value.c    uniform, affine and vector values, and IR for arithmetic on them
 *     eval.c     expressions on values: used by most rows
 *     shape.c    what an instruction does with its operands: pairs, prefixes
 *     pair.c     64-bit values in pairs of vGPRs
 *     wide.c     expressions on 64-bit values
 *     far.c      accesses by 64-bit addresses
 *     far_narrow.c  of several bytes or halves of each lane
 *     far_elements.c  of elements of sixteen bytes or more
 *     exp.c      e^x
 *     frame.c    the function's frame, calls of helpers
 *     memory.c   loads, stores
 *     chunks.c   of several words of each lane
 *     twos.c     of two words of each lane, at any addresses
 *     narrow.c   of several bytes or halves of each lane
 *     atomics.c  atomic operations
 *     compare_exchange.c  LR and SC that are one
 *     bounds.c   checks of their addresses
 *     loops.c    checks that are made once, before a loop
 *     diverge.c  vector branches, joins
 *     flat.c     short branches whose sides are executed for all lanes
 *     lanes.c    divergent regions whose lanes run one after the other
 *     tags.c     loops that do although their lanes exchange values
 *     join_halves.c  pairs of words that a lane on its own stores
 *     lower.c    one instruction
 *     interpret.c  instructions that are left to the interpreter
 *     phases.c   the function around the blocks: strips, phases between barriers
 *     split.c    large kernels as several functions
 *     count.c    counters
 *     tally.c    counters per instruction
 *     trails.c   the same outside of loops
 *     rounds.c   the same for branches in loops at which strips of a warp part
 *     laps.c     the same for loops that they leave in different turns
 *     turns.c    the same for lanes that run one after the other
 *     nans.c     NaNs that do not have the guest's bits
 *     halves.c   conversions between halves and floats
 *     interleaved.c  elements of several parts that need not be transposed
 *     switches.c  trees of comparisons as tables of jumps
 *     order.c    the order of what is computed, where registers are few
 *     object.c   LLVM's passes, code generation, the image
 *     host_*.c   what differs between hosts */
#ifndef CY_JIT_TRANSLATE_PRIV_H
#define CY_JIT_TRANSLATE_PRIV_H

#include "base/mem.h"
#include "isa/isa.h"
#include "jit/abi.h"
#include "jit/translate/host.h"
#include "jit/translate/image.h"
#include "jit/translate/split.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

/* ---- the guest's code ---- */

#define NONE UINT32_MAX

struct regs { /* a set of registers */
    uint64_t x, v[4];
};

struct inst {
    struct cy_insn insn;
    uint32_t pc;
    bool reachable, is_leader;
    bool is_wide;          /* computes with 64-bit elements, in register pairs */
    bool pairs;            /* a prefix makes pairs of even-numbered operands */
    uint8_t abs, neg;      /* modified sources: bit 0 src1, 1 src2, 2 src3 */
    bool is_far;           /* accesses: by a 64-bit address */
    uint8_t space;         /* accesses: enum space */
    uint8_t words;         /* accesses: consecutive words, in consecutive registers */
    bool moves_pair;       /* with the next one, from one even-numbered pair of vGPRs to another */
    bool is_interpreted;   /* is left to the interpreter, with its registers */
    bool is_across;        /* of these: looks at registers of other lanes, or at what they have printed */
    uint32_t next, target; /* instruction numbers; NONE: no fall-through, no target */
    uint32_t rpc;          /* vector branches: the reconvergence point */
    uint32_t store;        /* LR: the SC with which it is a compare-exchange; NONE */
    uint8_t expected;      /* of these: the register with what it compares with */
    bool is_apart;         /* LR and SC of a compare-exchange that are executed one by one, as that is counted */
    bool is_done;          /* vector branches that belong to one: all lanes go on at `next` */
    uint8_t is_zero;       /* vector branches: vs1 is 0 (1), vs2 is (2) */
    bool is_inside; /* vector branches: follows another one with the same join, which may have left lanes waiting */
    bool is_target_first; /* vector branches: lanes that take it go on first, the others wait at `next` */
    bool is_return;       /* jumps through a register: to one of the return sites */
    bool by_lane;         /* vector branches: when lanes diverge, each one runs on its own up to the join */
    const bool *region;   /* of these, where that is counted: instructions up to the join */
    bool is_alone_first;  /* and also when all take the same way */
    bool wants_alone;     /* lanes would go through it alone, if that could be counted of strips */
    unsigned alone_up_to; /* only if they are at most so many; 0: however many there are */
    const struct tagged_loop
        *tagged;     /* such a loop's branch, its first instruction, the one that adds the tag; or NULL */
    bool differs;    /* vector branches: not all strips of a workgroup take the same way */
    bool is_passed;  /* joins: lanes that run on their own may pass it on their way to another join */
    bool is_spread;  /* accesses: the addresses of a strip are neither one nor consecutive */
    bool is_gather;  /* and have no constant stride */
    bool may_be_row; /* but may well turn out to be one or consecutive, where all lanes are active */
    struct regs uses, defs;
    struct regs changed; /* vector branches by lane: registers that code up to the join changes */
    struct regs live;    /* before it */
    struct regs keep;    /* registers that lanes waiting elsewhere still need: masked writes must not change them */
    uint32_t block;
    uint32_t group;  /* of accesses; NONE */
    uint32_t access; /* in the image's table; NONE */
};

/* Address spaces of the prefixes of generation 2, by their encoding; rows have their own (is_private). */
enum space { SPACE_DEFAULT, SPACE_GLOBAL, SPACE_PRIVATE, SPACE_LOCAL };

struct block {
    uint32_t first, last; /* instructions, inclusive */
};

/* What is counted of a block: rows of the image's table, or NONE; and bits of strips that share a warp (tally.c). */
struct counter {
    uint32_t issued, lanes, join, split;
    uint32_t leader;   /* block that adds to the first three */
    bool is_both_ways; /* on both ways from a branch, before its join */
    bool is_parted;    /* the same, of a branch at which strips part */
    bool is_by_edges;  /* it counts by the bits of the blocks and branches before it (trails.c) */
    bool is_edge;      /* it is one of these blocks */
    bool is_repeated;  /* a strip may pass it several times between two barriers */
    bool is_flat;      /* executed for all lanes (flat.c) */
    bool has_idle;     /* `lanes` counts those that are not active */
    unsigned bit, sides;
    uint32_t lap; /* row of t->lap_loops or NONE: of blocks in such loops */
    uint32_t round,
        opens; /* rows of t->rounds or NONE: of blocks between a branch and its join; of the branch itself */
    unsigned round_bit;
    unsigned alone_bit, alone_sides; /* of lanes that run alone (turns.c) */
};

/* Bits of a block's trail (trails.c). */
struct trail_mark {
    uint8_t passed, joined, taken, rest; /* the last two: some lanes take the branch, some do not */
    bool is_parted;                      /* these two are one: both is so */
    bool sets_taken, sets_rest;          /* they are not bits of the blocks to which the branch leads */
    bool sets_passed, sets_joined;       /* in loops (laps.c): they are not bits of other blocks */
};
#define NO_MARK 0xff

/* A branch in a loop at which strips of a warp part (rounds.c). */
struct round {
    uint32_t block;
    unsigned bits;
    LLVMValueRef passed, number, length; /* allocas: bits of this round; its number; the most rounds of a strip */
};

/* A loop that strips of a warp leave in different turns (laps.c). */
struct lap_loop {
    uint32_t header; /* block */
    uint32_t parent; /* row of t->lap_loops, or NONE */
    uint32_t table;
    unsigned bits;
    bool has_inner;                /* other loops in it */
    bool *has;                     /* by block */
    LLVMValueRef now, before, run; /* allocas: bits of the strip's turn; those of the lap's turns; how many these are */
};

/* A loop that lanes leave by what they have loaded (chains.c).  Segment i ends at exit i. */
enum { MAX_SEGMENTS = 8 };
struct chain {
    unsigned segments, exit_count;
    uint32_t leaders[MAX_SEGMENTS + 1]; /* blocks: the first of each segment */
    uint32_t exits[MAX_SEGMENTS];       /* instructions */
    LLVMValueRef turn;                  /* alloca: of the strip */
    LLVMValueRef left[MAX_SEGMENTS];    /* allocas: by strip of the warp and lane, in which turn it has left there */
    /* allocas, by segment: how often a strip of the warp has passed it at most; how often each lane of this strip has */
    LLVMValueRef most[MAX_SEGMENTS + 1], lanes[MAX_SEGMENTS + 1];
};

/* A loop that lanes go through on their own, where that is counted. */
struct turns {
    uint32_t header, exit; /* blocks */
    bool is_simple;        /* the same in every turn, and left from `exit` only */
    bool *is_before;       /* of these: blocks that come before that one, and itself */
    unsigned bits;
    LLVMValueRef turn, now, length; /* allocas: the lane's turn; what it passed in it; the most turns of a lane */
};

/* Lanes that wait at `target` until the others reach the join at `join`. */
struct pending {
    uint32_t join, target;
    LLVMValueRef mask;
};

/* Of a join whose lanes wait apart from each other (diverge.c). */
struct stack {
    bool is_needed;
    LLVMValueRef depth, lanes, places; /* allocas: entries; bits of each; rows of t->pendings, where they wait */
};

/* ---- classes of values ---- */

enum kind { UNIFORM, AFFINE, VECTOR }; /* uniform; base + stride * lane; any */
enum pointer { NO_POINTER, TO_METADATA, TO_ARGUMENTS };

/* What get_local_size computes with; of which dimension is said besides. */
enum origin {
    NO_ORIGIN,
    GLOBAL_SIZE,
    GROUP_NUMBER,
    GROUP_START,
    GROUP_REST
}; /* the last: from its start to the range's end */

struct class
{
    uint8_t kind, pointer;
    uint8_t origin, dimension;
    bool is_const;
    /* base - item_factor * item - lane_factor * (lane of the warp), where item is the number of the strip's first work-item, is the
     * same in the whole workgroup */
    bool in_group;
    bool is_blended; /* the scalar is valid for the active lanes only, the vector for all */
    /* vectors: base + step * lane, with a step that is only known when the code runs; base and step are there besides the vector */
    bool is_line;
    bool is_computed; /* vectors: from ids and uniform values alone, so that lanes' numbers may well be consecutive */
    uint8_t align;    /* uniform, affine: the base is a multiple of 2^align */
    bool is_bool;     /* 0 or 1 */
    bool is_known; /* vectors of 0 or 1: numbers that tell whether all or no lanes are 1 are there besides the vector */
    bool is_item;  /* the base is the number of the strip's first work-item, or a part of the sum that makes it */
    uint8_t group_align; /* in_group: so is the part that the workgroup shares */
    uint16_t table;      /* affine, vectors: every lane's value is known, by t->tables; 0: not known */
    uint32_t constant;
    uint32_t stride;
    uint32_t item_factor, lane_factor;
};

struct value {
    struct class class;
    bool is_bit; /* i1 instead of i32 */
    LLVMValueRef scalar, vector;
    LLVMValueRef step;      /* of a line, whose base is `scalar` */
    LLVMValueRef all, none; /* i1: certainly every lane, certainly no lane is 1; both may be false */
};

/* 64-bit values in pairs of vGPRs.  Addresses are mostly a uniform base and a 32-bit index, extended and scaled: kept apart,
 * they are as cheap as 32-bit addresses. */
enum wide_kind { WIDE_UNIFORM, WIDE_INDEXED, WIDE_VECTOR }; /* base; base + factor * extended index; any */
struct wide_class {
    uint8_t kind;
    bool is_const;
    bool in_group;   /* the base is the same in the whole workgroup */
    bool is_blended; /* base and index are valid for the active lanes only, the vector for all */
    bool is_signed;  /* how the index is extended */
    uint8_t align;   /* the base is a multiple of 2^align */
    uint64_t constant, factor;
    struct class index;
};

struct wide {
    struct wide_class class;
    LLVMValueRef base;  /* i64 */
    struct value index; /* never uniform */
    LLVMValueRef vector;
};

#define PAIRS 128u
struct state {
    struct class x[64], v[256];
    bool is_pair[PAIRS]; /* the vGPRs 2i and 2i + 1 are a 64-bit value; v[] says nothing about them */
    struct wide_class w[PAIRS];
};

/* A position in the translated code: a block in one of its versions.  FULL: every lane of the strip is active.  MASKED:
 * those of t->mask.  ALONE: only t->lane, and every value is uniform. */
enum version { FULL, MASKED, ALONE, VERSIONS };
struct node {
    bool reached, queued;
    uint64_t *open; /* MASKED, ALONE: where the other lanes may be (diverge.c); NULL: nowhere */
    struct state *in;
    LLVMBasicBlockRef block;
};

#define MAX_PHASES 96
struct phase {      /* from the start or a barrier to the next ones */
    uint32_t entry; /* instruction */
    bool reached, can_end;
    struct state *in;
    struct regs changed; /* registers that its code may change */
    LLVMBasicBlockRef begin, strip_end;
    bool outcomes[MAX_PHASES]; /* phases that may come next */
};

/* A branch from which lanes go on one by one, and where they return to. */
struct detour {
    uint32_t join;
    LLVMBasicBlockRef back;
    LLVMBasicBlockRef together; /* where its lane and those that follow go on in lockstep; NULL: they never do */
};

/* A word of the frame, the metadata or the arguments, loaded when the function begins. */
struct early {
    uint8_t from; /* enum pointer; NO_POINTER: the frame */
    uint8_t size;
    bool zero_extend;
    uint32_t offset;
    LLVMValueRef value;
};

/* The last store of the block: what its lanes wrote and to where, from the same sGPR.  A load of these words is an
 * exchange between lanes. */
struct exchange {
    bool is_valid;
    unsigned base; /* sGPR */
    uint32_t to[CY_JIT_MAX_STRIP];
    LLVMValueRef data;
};

/* Words of the lanes that were loaded together, in the present block and since its last store. */
struct chunk {
    bool is_valid;
    uint32_t group;
    unsigned bytes;
    int64_t first; /* the first word's offset */
    LLVMValueRef words[4];
};

/* A vector whose lanes are used as numbers. */
struct numbers {
    LLVMValueRef vector;
    LLVMBasicBlockRef home; /* where it was computed */
    LLVMValueRef buffer;    /* alloca that holds it; NULL: none yet */
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    LLVMBasicBlockRef blocks[CY_JIT_MAX_STRIP]; /* where these were loaded */
};

/* Stores to one group's bytes that are done together with the last of them (narrow.c). */
enum { MOST_STORES = 32 };
struct stores {
    unsigned left, count;   /* to come; known */
    unsigned load_count;    /* loads in between from other groups, which are done before if these are elsewhere: */
    LLVMValueRef are_apart; /* i1; NULL: there are none */
    const struct inst *loads[MOST_STORES];
    struct narrow_store {
        int64_t at; /* from the group's first byte on */
        unsigned size;
        LLVMValueRef data;
        struct inst *inst;
    } at[MOST_STORES];
};

/* Loads that were done with an instruction before them: by 64-bit addresses, in the present block and since its last store; or before
 * the stores that are done together. */
struct loads {
    unsigned count;
    struct {
        const struct inst *inst;
        LLVMValueRef row;
    } at[MOST_STORES];
};

struct expr;

struct translator {
    const struct cy_jit_request *request;
    const struct host *host;
    const struct host_level *level;
    const uint32_t *words;
    struct cy_arena arena;
    struct cy_buf *why; /* set: cannot be translated */
    bool failed;

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
    CY_VEC(struct cy_jit_mark) marks;
    struct trail_mark *trail_marks;   /* by phase and block; NULL: there are no trails */
    unsigned trail_bits[MAX_PHASES];  /* of a strip */
    uint32_t trail_table[MAX_PHASES]; /* of those that have some */
    CY_VEC(struct cy_jit_table) trail_tables;
    uint32_t trail_words;          /* of all */
    bool is_straight;              /* all of the phase that is counted is executed by every strip */
    LLVMValueRef trail, trail_key; /* allocas: of the strip; of the warp's strips before it */
    CY_VEC(struct turns) turns;
    CY_VEC(struct round) rounds;
    CY_VEC(struct chain) chains;
    uint32_t *chain_of; /* by block: a row of t->chains or NONE; NULL: there are none */
    unsigned *segment_of;
    CY_VEC(struct lap_loop) lap_loops;
    struct trail_mark *lap_marks;     /* by block */
    struct regs *loaded;              /* by instruction (laps.c) */
    LLVMValueRef lap_count, lap_hash; /* allocas: laps of the warp */
    uint32_t *turn_loop;              /* by block that lanes run alone: the header of its loop; NONE */
    bool *is_alone;                   /* by block; NULL: there are none */
    bool is_starting;                 /* a detour */
    uint8_t *path_bit;                /* by block, or NO_MARK (paths.c); NULL: there are none */
    uint32_t path_table;              /* row of t->trail_tables */
    LLVMValueRef path_now, path_words,
        path_first; /* allocas: a lane's bits since it has jumped backwards; words in the log; the lane's first one */
    LLVMValueRef passed;                    /* alloca: where its lanes have been outside of loops */
    bool may_exchange;                      /* lanes of a warp see what others store before they are at a barrier */
    struct counter *counters;               /* by block */
    CY_VEC(uint32_t) counted_at;            /* by counter of the frame: an instruction of its block */
    uint64_t *dominators, *post_dominators; /* by block: sets of blocks */
    bool by_strip;                          /* they are counted, and strips are parts of warps */
    bool avoids_detours;                    /* then: of lanes alone; their blocks have no trail */
    bool needs_lockstep;                    /* which cannot be done for this kernel */
    unsigned bits;                          /* so many in `seen` */
    uint32_t site_count;
    uint32_t interpreted; /* instructions that are left to the interpreter */
    bool keeps_sites;     /* in registers: there are few */
    bool by_item;         /* strips of one work-item are better */
    bool is_short;        /* so that it is worth a second function for workgroups without missing work-items */
    bool is_whole;        /* the current function is that one */
    bool all_whole;       /* all strips of all workgroups are full */
    bool is_long;         /* so that accesses lane by lane are loops */
    bool in_lockstep;     /* lanes exchange values: a strip is a warp, whose lanes stay together */
    bool in_order; /* and of a divergent branch's sides the one with fewer lanes runs first, as the machine's do */
    CY_VEC(const uint32_t *) tables;

    struct phase phases[MAX_PHASES];
    unsigned phase_count;
    struct node *nodes; /* (phase * VERSIONS + version) * blocks */
    CY_VEC(uint32_t) work;

    const struct expr **exprs; /* by row, parsed on demand */

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
    LLVMValueRef seen[8], been[8]; /* allocas: where strips of the warp have been; where this strip has been */
    LLVMValueRef item;             /* number of the strip's first work-item */
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
    unsigned w;                  /* lanes of its vectors: a power of two */
    unsigned lanes;              /* lanes of a strip; those above have any value, and no effect */
};

/* Records the reason in a few words; always false. */
bool cannot(struct translator *t, const char *format, ...) CY_PRINTF(2, 3);

static inline bool in_x(const struct regs *set, unsigned r)
{
    return set->x >> r & 1;
}
static inline bool in_v(const struct regs *set, unsigned r)
{
    return set->v[r >> 6] >> (r & 63) & 1;
}
/* The same in every strip of the workgroup? */
static inline bool is_shared(const struct class *class)
{
    return class->in_group && !class->item_factor && !class->lane_factor;
}
/* Uniform, or computed from consecutive numbers or the addresses of consecutive words: not from other strides. */
static inline bool is_from_ids(const struct class *class)
{
    if (class->kind == VECTOR)
        return class->is_computed && !class->is_line;
    return class->kind == UNIFORM || class->stride == 1 || class->stride == 4;
}
static inline bool is_boolean(const struct class *class)
{
    return class->is_bool || (class->is_const && class->constant <= 1);
}
static inline const struct cy_insn_info *row_of(const struct inst *inst)
{
    return &cy_insns[inst->insn.op];
}
static inline int32_t field(const struct inst *inst, enum cy_field id)
{
    return cy_insn_field(&inst->insn, id, -1);
}

/* cfg.c */
bool find_code(struct translator *t);
bool is_vector_branch(const struct inst *inst);
/* May the lanes of a strip be of two warps? */
bool may_straddle_warps(const struct translator *t);
void unite(struct regs *into, const struct regs *other);
/* shape.c */
bool find_shape(struct translator *t, struct inst *inst);
enum operand_kind { NO_OPERAND, VECTOR_OPERAND, WIDE_OPERAND, SCALAR_OPERAND, IMMEDIATE_OPERAND };
enum result_kind { ELEMENT_RESULT, WIDE_RESULT, BIT_RESULT, PACKED_BIT_RESULT, BRANCH_RESULT };
struct shape {    /* of rows on lanes: a column of isa/formats.def */
    uint8_t a, b; /* enum operand_kind */
    uint8_t d;    /* enum result_kind */
    bool is_float, is_lanes;
};
struct shape shape_of(const struct inst *inst);
/* How many registers an operand has, from the one that is written. */
unsigned register_count(const struct inst *inst, enum cy_field which);

/* groups.c */
bool regs_meet(const struct regs *a, const struct regs *b); /* have they a register in common? */
enum { READ = 1, WRITE = 2 };                               /* rights of a group: enum cy_access */
bool group_accesses(struct translator *t);
bool is_access(const struct inst *inst);
bool is_private(const struct inst *inst);
unsigned access_size(const struct inst *inst);
int32_t access_offset(const struct inst *inst);

/* value.c */
struct value constant(struct translator *t, uint32_t value);
struct value uniform(struct translator *t, LLVMValueRef scalar, bool in_group);
struct value affine(struct translator *t, LLVMValueRef base, uint32_t stride, unsigned align, bool in_group);
struct value vector(struct translator *t, LLVMValueRef value);
struct value table_value(struct translator *t, const uint32_t *lanes); /* known in every lane */
bool known_lanes(const struct translator *t, const struct class *class, uint32_t *lanes);
struct value read_x(struct translator *t, unsigned number);
struct value read_v(struct translator *t, unsigned number);
struct value read_active(struct translator *t, unsigned number); /* what counts in active lanes only */
void write_x(struct translator *t, unsigned number, struct value value);
void write_v(struct translator *t, unsigned number, struct value value);
LLVMValueRef scalar_of(struct translator *t, struct value value); /* i32; of a uniform value or an affine one's base */
LLVMValueRef vector_of(struct translator *t, struct value value); /* <W x i32> */
LLVMValueRef bits_of(struct translator *t, struct value value);   /* a condition: <W x i1> */
/* The first for active lanes, the second for others; of 32 or 64 bits. */
LLVMValueRef blend_lanes(struct translator *t, LLVMValueRef value, LLVMValueRef kept);
LLVMValueRef splat(struct translator *t, LLVMValueRef scalar);
LLVMValueRef steps(struct translator *t, uint32_t stride); /* 0, stride, 2 * stride ... */
LLVMValueRef number32(struct translator *t, uint32_t value);
LLVMValueRef number64(const struct translator *t, uint64_t value);
LLVMValueRef load64(struct translator *t, LLVMValueRef place);
bool is_vector(LLVMTypeRef type);
LLVMValueRef all_ones(struct translator *t);
LLVMValueRef strip_mask(struct translator *t); /* all lanes of a strip */
LLVMValueRef intrinsic(struct translator *t, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned count);
LLVMValueRef intrinsic_of(struct translator *t, const char *name, LLVMTypeRef *types, unsigned type_count,
                          LLVMValueRef *args, unsigned count);   /* of several types */
LLVMValueRef any_lane(struct translator *t, LLVMValueRef mask);  /* i1 */
LLVMValueRef each_lane(struct translator *t, LLVMValueRef mask); /* i1: all are set */
LLVMValueRef mask_bits(struct translator *t, LLVMValueRef mask); /* i32 */
LLVMValueRef active_bits(struct translator *t);                  /* of the current version, i32 */

bool is_below_range(const struct translator *t,
                    const struct class *class); /* its products with the local size have no upper word */

enum binary { ADD, SUB, MUL, AND, OR, XOR, SHL, LSHR, ASHR, EQ, NE, LT, LE, GT, GE, ULT, ULE, UGT, UGE };
struct value binary(struct translator *t, enum binary op, struct value a, struct value b);
struct value choose(struct translator *t, struct value condition, struct value a, struct value b);
struct value as_word(struct translator *t, struct value value); /* 0 or 1 for a bit */
/* Applies `make` to the operands as scalars, if all are uniform, or as vectors. */
typedef LLVMValueRef make_fn(struct translator *t, LLVMValueRef *operands, bool is_vector, void *context);
struct value lift(struct translator *t, make_fn *make, void *context, const struct value *operands, unsigned count);

/* expr.c, eval.c */
struct value evaluate(struct translator *t, const struct inst *inst);
const struct expr *expr_of(struct translator *t, enum cy_op op);
bool is_known(const struct expr *expr);
bool reads_mask(const char *text); /* the row reads its bit of v0 */
/* The bits of an arithmetic result, of which every NaN is ours. */
LLVMValueRef float_bits(struct translator *t, LLVMValueRef value, bool is_vector);
LLVMValueRef times_one(struct translator *t, LLVMValueRef value); /* the same number, computed */
make_fn *function_named(const char *name);                        /* NULL: unknown */
enum binary binary_of(const struct expr *expr);
/* Of numbers of 32 or 64 bits; the bits above do not count in the result. */
uint64_t fold_binary(enum binary op, uint64_t a, uint64_t b, unsigned bits);
LLVMValueRef build_binary(struct translator *t, LLVMValueRef *operands, bool is_vector, void *context);
bool is_comparison(enum binary op);

/* pair.c */
struct wide wide_constant(struct translator *t, uint64_t value);
struct wide wide_uniform(struct translator *t, LLVMValueRef base, bool in_group);
struct wide wide_vector(struct translator *t, LLVMValueRef vector);
struct wide wide_extended(struct translator *t, struct value value, bool is_signed);
bool is_wide_shared(const struct wide_class *class);
LLVMValueRef wide_lanes(struct translator *t, struct wide value); /* <W x i64> */
struct value wide_half(struct translator *t, struct wide value, bool high);
struct wide read_pair(struct translator *t, unsigned number); /* of vGPRs */
struct wide read_active_pair(struct translator *t, unsigned number);
void write_pair(struct translator *t, unsigned number, struct wide value);
struct wide read_x_pair(struct translator *t, unsigned number);
void write_x_pair(struct translator *t, unsigned number, struct wide value);
void split_pair(struct translator *t, unsigned number); /* the vGPR is no longer half of a value */
void find_pairs(struct translator *t);
void make_pair_allocas(struct translator *t);
void forget_pairs(struct translator *t);
bool merge_pairs(struct translator *t, struct state *into, const struct state *from, const struct regs *live,
                 bool meeting, bool is_new);
void convert_pairs(struct translator *t, const struct state *to, const struct regs *live);
void unblend_pairs(struct state *state);
void give_pair_places(struct translator *t, const struct phase *phase);
bool is_equal_wide(const struct wide_class *a, const struct wide_class *b);
/* But those that are kept. */
void save_pairs(struct translator *t, const struct phase *next, const struct regs *kept);
void read_shared_pairs(struct translator *t, const struct phase *phase);
void restore_pairs(struct translator *t, const struct phase *phase);
void make_pairs_alone(struct state *state);
void save_pair_rows(struct translator *t, const struct regs *needed);
void load_lane_pairs(struct translator *t, const struct regs *needed, LLVMValueRef lane);

/* wide.c */
bool lower_wide(struct translator *t, const struct inst *inst);
struct value evaluate_wide_condition(struct translator *t, const struct inst *inst);
struct value modified(struct translator *t, const struct inst *inst, unsigned source, struct value value);
/* The words of 64-bit elements, and back. */
LLVMValueRef wide_from(struct translator *t, LLVMValueRef low, LLVMValueRef high, bool is_vector);
LLVMValueRef pair_word(struct translator *t, LLVMValueRef wide, bool high, bool is_vector);
struct value convert_towards_zero(struct translator *t, struct value value, bool is_signed);

/* far.c */
bool lower_far_access(struct translator *t, struct inst *inst);
/* i1: the words of all active lanes are in the site, whose addresses are the host's plus *bias. */
LLVMValueRef are_far_words_inside(struct translator *t, uint32_t site, const struct wide *address, unsigned align,
                                  LLVMValueRef *bias);

/* exp.c */
struct value exponential(struct translator *t, const struct inst *inst);

/* memory.c */
bool lower_access(struct translator *t, struct inst *inst);
bool has_gathers(const struct translator *t);       /* words are loaded from any addresses at once */
bool has_masked_stores(const struct translator *t); /* of rows of words */
LLVMValueRef active_lanes(struct translator *t);    /* <W x i1> */
/* Rows under a mask, <n x i1>: of words that lie beside each other, or anywhere. */
void store_where(struct translator *t, LLVMValueRef row, LLVMValueRef pointer, unsigned align, LLVMValueRef lanes);
LLVMValueRef gather_where(struct translator *t, LLVMTypeRef row, LLVMValueRef pointers, unsigned align,
                          LLVMValueRef lanes);
void scatter_where(struct translator *t, LLVMValueRef row, LLVMValueRef pointers, LLVMValueRef lanes);
LLVMTypeRef element_type(struct translator *t, unsigned size);
LLVMValueRef extended(struct translator *t, LLVMValueRef value, bool zero_extend, LLVMTypeRef to);
LLVMValueRef load_from(struct translator *t, LLVMTypeRef type, LLVMValueRef pointer);
void store_to(struct translator *t, LLVMValueRef value, LLVMValueRef pointer);
unsigned register_bits(const struct translator *t);    /* of a vector register, by the forms */
unsigned vector_registers(const struct translator *t); /* translate.c: how many of them there are */
void store_row(struct translator *t, LLVMValueRef row, LLVMValueRef pointer);        /* the lanes of a strip */
void store_masked_row(struct translator *t, LLVMValueRef row, LLVMValueRef pointer); /* the active ones */

/* row_ways.c */
/* What the numbers of lanes, of an active strip, are, as a number: i32.  The first two lanes decide what is asked about all. */
enum { KIND_APART, KIND_ROW, KIND_ONE, KIND_TWOS, KINDS }; /* twos: a row of elements of two words */
/* `two`: the step of such elements; 0: there are none. */
LLVMValueRef find_kind(struct translator *t, LLVMValueRef numbers, LLVMValueRef first, uint32_t step, uint32_t two);
/* An access in several versions: of a row, of one word, and of words anywhere. */
struct row_ways {
    LLVMBasicBlockRef done, ends[2];
    LLVMValueRef loaded[2]; /* a row, one word for all */
    unsigned count;
};
/* Loads or stores the row, or loads the word, and goes on where words are anywhere.  The pointer is the first lane's. */
struct row_ways begin_ways(struct translator *t, LLVMValueRef kind, LLVMValueRef pointer, LLVMValueRef data);
LLVMValueRef end_ways(struct translator *t, struct row_ways *ways, LLVMValueRef apart);

/* chunks.c */
/* Lanes [first, first + count) of a vector. */
LLVMValueRef part_of(struct translator *t, LLVMValueRef row, unsigned first, unsigned count);
/* Four vectors: of each four of their words, rows become columns. */
void transpose(struct translator *t, LLVMValueRef *rows);
/* Is it a half of 64-bit elements, which stay whole until they are in registers? */
static inline bool is_half(const struct translator *t, unsigned number, unsigned word)
{
    return t->pairs[number / 2].is_used && (number & 1) == (word & 1);
}
/* Two ways of doing the same, of which the first is the usual one. */
struct fork {
    LLVMBasicBlockRef other, done, end; /* NULL: there is only one */
};
struct fork begin_fork(struct translator *t, LLVMValueRef condition); /* NULL: the first way is the only one */
void other_way(struct translator *t, struct fork *fork);
/* Results of the first way become those of either. */
void end_fork(struct translator *t, const struct fork *fork, LLVMValueRef *first, LLVMValueRef *second, unsigned count);
/* Vectors of equal length, one after the other. */
LLVMValueRef joined(struct translator *t, LLVMValueRef *parts, unsigned count);

/* narrow.c */
/* Where the lanes of an access are. */
struct places {
    const void *access;
    LLVMValueRef (*pointer)(struct translator *t, const void *access, unsigned lane, int64_t from_it);
    uint32_t group;
    int64_t stride;    /* bytes from lane to lane; 0: that is not known */
    int64_t at;        /* the access, from the group's first byte on */
    int64_t readable;  /* bytes of each lane, from there on */
    bool are_gathered; /* words of lanes anywhere are loaded at once */
    /* May the load be done before the store, if it is from elsewhere?  NULL: none may. */
    bool (*may_go_first)(struct translator *t, const struct inst *store, const struct inst *load);
};
/* Sixteen bytes of each lane, `first` from the access: four words. */
void load_fours(struct translator *t, const struct places *places, int64_t first, LLVMValueRef *words);
/* chunks.c: the same as two 64-bit elements. */
void load_twos(struct translator *t, const struct places *places, LLVMValueRef *words);
/* chunks.c: stores four words of each lane, or two 64-bit elements, so many times. */
void store_chunk_lanes(struct translator *t, const struct places *places, LLVMValueRef *words, unsigned chunks,
                       bool is_wide);
/* <W x i32>; NULL: it is better loaded alone. */
LLVMValueRef load_narrow(struct translator *t, const struct places *places, unsigned size, bool zero_extend);
/* The store is done with ones that follow, or is the last of them: then t->stores.left is 0, and end_stores() does all. */
bool defer_store(struct translator *t, struct inst *inst, const struct places *places, LLVMValueRef data);
void end_stores(struct translator *t, const struct places *places);
/* i1: so many bytes from the one address on, and from the other, have none in common. */
LLVMValueRef ranges_apart(struct translator *t, LLVMValueRef a, uint64_t a_length, LLVMValueRef b, uint64_t b_length);
/* Computes only: other accesses may be moved to its other side. */
bool is_passable(const struct inst *inst);
struct chunk *kept_chunk(struct translator *t, uint32_t group, int64_t first, unsigned bytes); /* NULL: not loaded */
struct chunk *keep_chunk(struct translator *t, uint32_t group, int64_t first, unsigned bytes);
void forget_chunks(struct translator *t);

/* atomics.c */
bool lower_atomic(struct translator *t, struct inst *inst);
unsigned atomic_size(const struct inst *inst); /* bytes of each lane */
bool is_plain_atomic(const struct inst *inst); /* it has a translation */

/* compare_exchange.c */
void find_compare_exchanges(struct translator *t);

/* frame.c */
#define RARE_CALL "chengying.rare" /* metadata of calls of such helpers */
/* Of LLVM's calling conventions, for functions that are rarely called: the first keeps 128 bits of vectors at most, the second half of SVE's. */
enum { PRESERVE_ALL = 15, PRESERVE_VECTORS = 98 };
void mark(struct translator *t, LLVMValueRef instruction, const char *name); /* by metadata of this name */
void mark_invariant(struct translator *t, LLVMValueRef load);
LLVMValueRef at_offset(struct translator *t, LLVMValueRef pointer, int64_t offset);
/* The lanes of a vector as numbers: those that a group's accesses of a block have in common are taken once; NONE: no group's. */
struct numbers *numbers_of(struct translator *t, uint32_t group, LLVMValueRef vector);
bool takes_lanes_by_memory(const struct translator *t);
LLVMValueRef number_of_lane(struct translator *t, struct numbers *numbers, unsigned lane);
LLVMValueRef host_pointer(struct translator *t, LLVMValueRef address);      /* of a guest address of 32 bits */
struct early *early_word(struct translator *t, const struct early *wanted); /* the same one whenever it is asked for */
/* Weights of a conditional branch: its first way is the rare one, or the second. */
void make_rare(struct translator *t, LLVMValueRef conditional, bool first);
LLVMValueRef frame_word(struct translator *t, size_t offset);
LLVMValueRef call_helper(struct translator *t, size_t offset, LLVMTypeRef result, LLVMValueRef *args, unsigned count);
LLVMValueRef lane_word(struct translator *t, LLVMValueRef row, LLVMValueRef lane); /* a pointer to the lane's word */
LLVMValueRef call_rare_helper(struct translator *t, size_t offset, LLVMValueRef *args, unsigned count);
void stop_if(struct translator *t, LLVMValueRef word); /* leaves the function when it is not 0 */
void trap(struct translator *t, uint32_t access, enum cy_jit_trap kind, LLVMValueRef mask);

/* loops.c */
enum { MEMORY_PARAMETER = 1, SITES_PARAMETER = 2 }; /* of the functions that run a workgroup */
void find_loops(struct translator *t);
/* i1: all addresses that `lowest` has in the loop are in the site.  NULL: it is in no loop. */
LLVMValueRef loop_check(struct translator *t, LLVMValueRef lowest, uint32_t site, unsigned align);
/* The same of lanes' addresses; i1, always. */
LLVMValueRef lanes_check(struct translator *t, LLVMValueRef addresses, uint32_t site, unsigned align);
LLVMValueRef loop_poll(struct translator *t, LLVMValueRef left); /* i1: the loop's turns need not be counted */
bool hoist_loop_checks(struct translator *t);                    /* true: loops have become splittable */

/* diverge.c */
bool lower_vector_branch(struct translator *t, struct inst *inst);
bool lower_join(struct translator *t, struct inst *inst);
void choose_first_sides(struct translator *t);
bool meets_as_interpreted(struct translator *t);
/* Of the branch's lanes, those of these bits are active, and the others wait at its join. */
void part_lanes(struct translator *t, const struct inst *inst, LLVMValueRef bits);
void make_masks(struct translator *t);
/* Sets of places where lanes may be that are not active: t->open, those of nodes. */
void make_open(struct translator *t);
void open_as_in(struct translator *t, const struct node *node);
bool merge_open(struct translator *t, struct node *node); /* true: it has grown */
void add_partial(struct translator *t, struct node *node);
void clear_unopened(struct translator *t, const struct node *node);
unsigned join_index(const struct translator *t, uint32_t join);
/* Strips may diverge here, up to `end` (NONE: for good). */
void strips_vary(struct translator *t, uint32_t from, uint32_t end);

/* flat.c */
/* Is everything between the vector branch and its join executed for all lanes? */
bool is_flat(const struct translator *t, const struct inst *inst);
bool lower_flat(struct translator *t, struct inst *branch, struct value condition);

/* lanes.c */
bool has_neighbours_alone(const struct translator *t);
bool is_better_by_item(const struct translator *t);
bool choose_detours(struct translator *t); /* true: there are some */
void make_lane_allocas(struct translator *t, const struct regs *used);
/* Those of the branch's lanes that are not at its join. */
LLVMValueRef lanes_going(struct translator *t, const struct inst *inst, LLVMValueRef taken, LLVMValueRef rest);
/* The branch's lanes go on alone and return in the present version at its join. */
void lanes_alone(struct translator *t, struct inst *inst, LLVMValueRef taken, LLVMValueRef rest);
void join_alone(struct translator *t, struct inst *inst);
void lane_gives_up(struct translator *t, uint32_t join); /* it goes on in lockstep with those that follow it */
LLVMValueRef lane_number(struct translator *t);          /* of the strip */

/* tags.c */
bool find_tagged_loops(struct translator *t); /* true: there are some */
/* False: lanes go through the loop that begins here in lockstep, or none begins. */
bool enter_tagged_loop(struct translator *t, uint32_t number);
void check_tag(struct translator *t, const struct inst *inst); /* of a lane alone, before it is added */

/* interpret.c */
/* Finds instructions that have no translation and can be interpreted one by one. */
void leave_to_interpreter(struct translator *t);
void keep_what_others_see(struct translator *t);
void lower_interpreted(struct translator *t, struct inst *inst);

/* count.c: nothing is emitted unless the request asks for it */
/* Decides what is counted, once classes are known.  False: strips cannot be parts of warps. */
unsigned strips_of_warp(const struct translator *t);
bool may_have_trail(const struct translator *t, uint32_t block);
bool leads_to_block(const struct translator *t, uint32_t from, uint32_t to); /* the next one */
bool may_count_edges(const struct translator *t, uint32_t block);            /* of a block on both ways from a branch */
bool is_on_trail(const struct translator *t, uint32_t block);                /* it has one */
void plan_trails(struct translator *t);                                      /* once leaders are known */
void mark_trails(struct translator *t);                                      /* once counters are */
void make_trail_allocas(struct translator *t);
void begin_phase_trails(struct translator *t, unsigned phase);
void begin_trail(struct translator *t); /* a strip's */
void end_trail(struct translator *t, LLVMValueRef is_last);
/* False: it is not on the trail. */
bool trail_block(struct translator *t, uint32_t block);
bool trail_join(struct translator *t, uint32_t block);
bool trail_sides(struct translator *t, uint32_t block, LLVMValueRef taken, LLVMValueRef rest);
/* A lane of a strip that is part of a warp, alone: it is in a block; it goes from the present instruction to another one. */
void trail_block_alone(struct translator *t, uint32_t block);
void trail_edge(struct translator *t, uint32_t number);
bool is_reached_alone(const struct translator *t, uint32_t block);
bool can_count_alone(struct translator *t, const struct inst *branch, const bool *region);
void add_mark(struct translator *t, enum cy_jit_mark_kind kind, unsigned bit, unsigned other, uint32_t counter);
bool is_only_way(const struct translator *t, uint32_t from, uint32_t to);
void find_loaded(struct translator *t);
bool depends_on_loads(const struct translator *t, uint32_t number); /* once that is found */
void find_lap_loops(struct translator *t);
bool is_on_path(const struct translator *t, uint32_t block);
bool plan_paths(struct translator *t, const struct inst *branch, const bool *region);
void mark_paths(struct translator *t);
void make_path_allocas(struct translator *t);
void begin_paths(struct translator *t);
void path_block(struct translator *t, uint32_t block);
void path_edge(struct translator *t, uint32_t number);
void end_paths(struct translator *t);
void find_chains(struct translator *t);
bool is_in_chain(const struct translator *t, uint32_t block);
uint32_t chain_leader(const struct translator *t, uint32_t block);
void make_chain_allocas(struct translator *t);
void begin_chains(struct translator *t);
void begin_chain_strip(struct translator *t);
void chain_block(struct translator *t, uint32_t block);
void chain_parts(struct translator *t);
void chain_edge(struct translator *t, uint32_t number);
void end_chains(struct translator *t, LLVMValueRef is_last);
bool plan_laps(struct translator *t);     /* once counters are empty */
bool give_lap_bits(struct translator *t); /* once branches are planned */
void mark_laps(struct translator *t);     /* once counters are known */
bool is_dominated(const struct translator *t, uint32_t block, uint32_t by);
void make_lap_allocas(struct translator *t);
bool lap_block(struct translator *t, uint32_t block); /* false: it is not in such a loop */
bool lap_join(struct translator *t, uint32_t block);
bool lap_sides(struct translator *t, uint32_t block, LLVMValueRef taken, LLVMValueRef rest);
void laps_edge(struct translator *t, uint32_t number);
void begin_laps(struct translator *t);
void end_laps(struct translator *t, LLVMValueRef is_last);
bool open_round(struct translator *t, uint32_t number, const bool *inside);
void make_round_allocas(struct translator *t);
bool rounds_block(struct translator *t, const struct counter *counter);
bool rounds_join(struct translator *t, const struct counter *counter);
bool rounds_sides(struct translator *t, const struct counter *counter, LLVMValueRef taken, LLVMValueRef rest);
void begin_rounds(struct translator *t, LLVMValueRef is_first);
void end_rounds(struct translator *t, LLVMValueRef is_last);
LLVMValueRef log_field(struct translator *t, size_t log, size_t offset);
LLVMValueRef log_words(struct translator *t, size_t log);
LLVMBasicBlockRef add_to_log(struct translator *t, size_t log, LLVMValueRef index, LLVMValueRef bits);
LLVMBasicBlockRef lengthen_log(struct translator *t, size_t log, LLVMValueRef index);
LLVMValueRef words_used(struct translator *t, size_t log, LLVMValueRef length);
void plan_turns(struct translator *t);
bool has_room_for_turns(const struct translator *t);
void make_turn_allocas(struct translator *t);
void turns_block(struct translator *t, uint32_t block);
void turns_edge(struct translator *t, uint32_t number);
void begin_turns(struct translator *t);
void end_turns(struct translator *t, const bool *region);
void add_tally_amount(struct translator *t, uint32_t counter, LLVMValueRef amount);
bool plan_tallies(struct translator *t);
void make_tally_allocas(struct translator *t);
void begin_tallies(struct translator *t, unsigned phase); /* a strip */
void end_tallies(struct translator *t, unsigned phase);
LLVMValueRef lane_count(struct translator *t, LLVMValueRef mask); /* i32: lanes of the strip in it */
void tally_block(struct translator *t, const struct block *block);
void tally_join(struct translator *t);
void tally_sides(struct translator *t, LLVMValueRef taken,
                 LLVMValueRef rest); /* i1: some lanes take the branch, some do not */
LLVMValueRef flat_lane_count(struct translator *t, LLVMValueRef lanes); /* <W x i1> -> i64: the active ones of these */
/* In code that is executed for all lanes: so many would be at the present instruction; so many part at the present branch.  i64 */
void tally_flat(struct translator *t, LLVMValueRef count);
void tally_flat_sides(struct translator *t, LLVMValueRef taken, LLVMValueRef rest);
void count_block(struct translator *t, const struct block *block);
void count_join(struct translator *t);
void count_split(struct translator *t, LLVMValueRef taken, LLVMValueRef rest);

/* lower.c */
bool lower(struct translator *t, struct inst *inst);
/* Continues at an instruction in a version: returns the block to branch to (NULL when not emitting). */
LLVMBasicBlockRef way_to(struct translator *t, enum version version, uint32_t inst);
void go_to(struct translator *t, enum version version, uint32_t inst);
/* Registers that lanes need there, including those that wait elsewhere. */
struct regs needed_at(const struct translator *t, enum version version, uint32_t inst);
bool is_equal_class(const struct class *a, const struct class *b);
struct class merged_class(const struct class *a, const struct class *b, bool meeting);
bool merge_states(struct translator *t, struct state **into, const struct state *from, const struct regs *live,
                  bool meeting);
void unblend(struct state *state);
void work_on(struct translator *t, uint32_t node);
void branch(struct translator *t, LLVMValueRef condition, LLVMBasicBlockRef then, LLVMBasicBlockRef otherwise);
LLVMBasicBlockRef new_block(struct translator *t, const char *name);

/* phases.c */
LLVMValueRef in_record(struct translator *t, uint32_t offset);
void save_value(struct translator *t, struct value value, const struct class *as, LLVMValueRef shared, uint32_t place);
LLVMValueRef saved_value(struct translator *t, const struct class *as, LLVMValueRef shared, uint32_t place);
bool build_function(struct translator *t);
void add_enum_attribute(struct translator *t, LLVMValueRef function, LLVMAttributeIndex index, const char *name);
bool lower_barrier(struct translator *t, struct inst *inst);
bool lower_end(struct translator *t, struct inst *inst);
void set_body_attributes(struct translator *t, LLVMValueRef function);

#endif
