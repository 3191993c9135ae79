/* How a value depends on a few numbers that differ between work-items or between the turns of a loop: for guesses that results do
 * not depend on. */
#ifndef CY_CC_LLVM_GROWTH_H
#define CY_CC_LLVM_GROWTH_H

#include <llvm-c/Target.h>

#include <stdbool.h>
#include <stdint.h>

enum { CC_GROWTH_NUMBERS = 3, CC_GROWTH_DEEPEST = 24 };

/* The factor of each number, if the value is linear in it and the factor is a number. */
struct cc_growth {
    int64_t factor[CC_GROWTH_NUMBERS];
    bool varies[CC_GROWTH_NUMBERS]; /* depends on it in another way */
};

struct cc_growth_search {
    LLVMTargetDataRef layout;
    /* What a pass knows of an instruction by itself: of ids, variables and phis.  False: it is like any other. */
    bool (*knows)(struct cc_growth_search *search, LLVMValueRef value, struct cc_growth *growth);
    LLVMBasicBlockRef loop; /* for the pass */
    unsigned left;          /* instructions that may still be looked at; 0: the answer is not to be trusted */
    LLVMValueRef path[CC_GROWTH_DEEPEST];
    unsigned depth;
};

struct cc_growth cc_growth_of(struct cc_growth_search *search, LLVMValueRef value);

bool cc_growth_depends(const struct cc_growth *growth, unsigned number);
/* Of two values that make one: a sum, or something else. */
struct cc_growth cc_growth_sum(struct cc_growth a, struct cc_growth b, int64_t scale);
struct cc_growth cc_growth_mixed(struct cc_growth a, struct cc_growth b);

/* Brackets the search for what a variable or phi has, which may lead to itself.  False: it does, or too far. */
bool cc_growth_enter(struct cc_growth_search *search, LLVMValueRef value);
void cc_growth_leave(struct cc_growth_search *search);

#endif
