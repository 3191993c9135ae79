/* Counters, equal to the interpreter's.  Nothing is emitted unless the request asks for it.  Then a strip is a warp, whose lanes stay in
 * lockstep, and each block adds to its counters.
 *
 *     count.c    of instructions and lanes
 *     tally.c    per instruction */
#ifndef CY_JIT_TRANSLATE_COUNT_H
#define CY_JIT_TRANSLATE_COUNT_H

#include "jit/abi.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct translator;
struct block;

/* What is counted of a block: counters of the frame, or NONE. */
struct counter {
    uint32_t issued, lanes, join, split;
    bool is_flat; /* executed for all lanes (flat.c): `lanes` counts active ones, else those that are not */
};

/* count.c */
void count_block(struct translator *t, const struct block *block);
void count_join(struct translator *t);
void count_split(struct translator *t, LLVMValueRef taken, LLVMValueRef rest);

/* tally.c */
void plan_tallies(struct translator *t); /* what is counted, once it is known which blocks are reached */
void make_tally_allocas(struct translator *t);
void begin_tallies(struct translator *t, unsigned phase); /* a strip */
void end_tallies(struct translator *t, unsigned phase);
void tally_block(struct translator *t, const struct block *block);
void tally_join(struct translator *t);
void tally_sides(struct translator *t, LLVMValueRef taken,
                 LLVMValueRef rest); /* i1: some lanes take the branch, some do not */
LLVMValueRef flat_lane_count(struct translator *t, LLVMValueRef lanes); /* <W x i1> -> i64: the active ones of these */
/* In code that is executed for all lanes: so many would be at the present instruction; so many part at the present branch.  i64 */
void tally_flat(struct translator *t, LLVMValueRef count);
void tally_flat_sides(struct translator *t, LLVMValueRef taken, LLVMValueRef rest);

#endif
