/* The function's loops, for what is asked of addresses in them: loops.c, indices.c. */
#ifndef CY_JIT_TRANSLATE_LOOPS_H
#define CY_JIT_TRANSLATE_LOOPS_H

#include "base/graph.h"
#include "jit/translate/translator.h"

struct graph {
    struct translator *t;
    LLVMBasicBlockRef *blocks;
    struct place *places; /* of the blocks, by address */
    uint32_t count;
    struct cy_graph edges;
    struct cy_dominators dominators;
    struct cy_loops loops;
};

struct loop {
    const struct graph *graph;
    uint32_t number; /* in graph->loops */
    uint32_t header;
    uint32_t latch; /* a block that goes back to it */
    LLVMBasicBlockRef before;
    LLVMValueRef last;     /* i64: the number of the last turn, at most; the first is 0.  NULL: not known */
    LLVMValueRef ok;       /* i1: no check is needed */
    LLVMValueRef exit;     /* the branch that leaves it after the last turn */
    uint32_t most;         /* turns without asking */
    LLVMValueRef in_range; /* i1: indices that linear_of() has extended do not wrap in any turn; NULL: there are none */
};

struct linear {
    LLVMValueRef first, step; /* in turn 0; from turn to turn; NULL: it is no such value */
};

/* A placeholder in the code: an address, the addresses of lanes, or the turns that are left until the next poll. */
struct question {
    LLVMValueRef call;
    uint32_t block;
    bool is_poll, is_lanes, is_answered;
    struct linear address; /* of a check that was hoisted */
};

/* A site, as it is at the builder's position. */
struct site_words {
    LLVMValueRef low, count;
};

LLVMValueRef ask(struct translator *t, const char *name, LLVMValueRef *args, unsigned count);
uint32_t number_of(const struct graph *graph, LLVMBasicBlockRef block); /* NONE: another function's */
bool is_outside(const struct loop *loop, LLVMValueRef value);
LLVMValueRef rotated(struct translator *t, LLVMValueRef value, LLVMValueRef by);
struct site_words load_site(struct translator *t, LLVMValueRef function, LLVMValueRef call);
void answer(LLVMValueRef call, LLVMValueRef with);

/* Answers what is asked of an address whose base does not change: in the loop, or, without one, in all of them.  False: it has none. */
bool compare_index(const struct graph *graph, const struct loop *loop, struct question *question);

#endif
