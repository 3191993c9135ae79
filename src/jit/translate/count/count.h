/* Counters, equal to the interpreter's.  Nothing is emitted unless the request asks for it.
 *
 *     count.c    of instructions and lanes
 *     tally.c    per instruction
 *     trails.c   the same outside of loops
 *     rounds.c   for branches in loops at which strips of a warp part
 *     laps.c     for loops that they leave in different turns
 *     chains.c   for loops that lanes leave by what they have loaded
 *     turns.c    for lanes that run one after the other
 *     paths.c    and do not meet before the join */
#ifndef CY_JIT_TRANSLATE_COUNT_H
#define CY_JIT_TRANSLATE_COUNT_H

#include "jit/abi.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct translator;
struct block;
struct inst;

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

/* count.c */
void count_block(struct translator *t, const struct block *block);
void count_join(struct translator *t);
void count_split(struct translator *t, LLVMValueRef taken, LLVMValueRef rest);

/* tally.c */
/* Decides what is counted, once classes are known.  False: strips cannot be parts of warps. */
bool plan_tallies(struct translator *t);
void make_tally_allocas(struct translator *t);
void begin_tallies(struct translator *t, unsigned phase); /* a strip */
void end_tallies(struct translator *t, unsigned phase);
void tally_sides(struct translator *t, LLVMValueRef taken,
                 LLVMValueRef rest); /* i1: some lanes take the branch, some do not */
LLVMValueRef flat_lane_count(struct translator *t, LLVMValueRef lanes); /* <W x i1> -> i64: the active ones of these */
/* In code that is executed for all lanes: so many would be at the present instruction; so many part at the present branch.  i64 */
void tally_flat(struct translator *t, LLVMValueRef count);
void tally_flat_sides(struct translator *t, LLVMValueRef taken, LLVMValueRef rest);

/* trails.c */
unsigned strips_of_warp(const struct translator *t);
void begin_phase_trails(struct translator *t, unsigned phase);
void trail_edge(struct translator *t, uint32_t number);

/* laps.c */
void laps_edge(struct translator *t, uint32_t number);
void begin_laps(struct translator *t);

/* turns.c */
bool can_count_alone(struct translator *t, const struct inst *branch, const bool *region);
void turns_edge(struct translator *t, uint32_t number);
void begin_turns(struct translator *t);
void end_turns(struct translator *t, const bool *region);

/* chains.c */
void begin_chains(struct translator *t);
void chain_parts(struct translator *t);
void chain_edge(struct translator *t, uint32_t number);

#endif
