/* Large kernels as several functions. */
#ifndef CY_JIT_TRANSLATE_SPLIT_H
#define CY_JIT_TRANSLATE_SPLIT_H

#include <llvm-c/Core.h>
#include <stdint.h>

struct translator;

/* A block of LLVM's, and of which part of the guest's code it is. */
struct claim {
    LLVMBasicBlockRef block;
    unsigned phase;
    uint32_t guest; /* block */
    uint32_t unit;  /* what was emitted at once: a node, or what is around those of a phase */
    uint32_t part;
    uint32_t entry; /* what a part returns to go on here; NONE: no other part does */
};

void claim_blocks(struct translator *t, unsigned phase, uint32_t guest, uint32_t unit); /* all that are new */
void split_function(struct translator *t, LLVMValueRef function);

#endif
