/* Loads, stores and atomic operations.
 *
 *     memory.c   by 32-bit addresses
 *     pointers.c where each lane accesses memory
 *     bounds.c   checks of the addresses
 *     far.c      by 64-bit addresses
 *     far_bounds.c  checks of these
 *     row_ways.c words that turn out to be consecutive, or one
 *     twos.c     two words of each lane, at any addresses
 *     chunks.c   several words of each lane
 *     narrow.c   several bytes or halves of each lane
 *     far_elements.c, far_narrow.c  the same by 64-bit addresses
 *     atomics.c  atomic operations */
#ifndef CY_JIT_TRANSLATE_MEMORY_H
#define CY_JIT_TRANSLATE_MEMORY_H

#include "jit/abi.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct translator;
struct inst;

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

/* memory.c */
bool lower_access(struct translator *t, struct inst *inst);
bool has_gathers(const struct translator *t); /* words are loaded from any addresses at once */
LLVMValueRef extended(struct translator *t, LLVMValueRef value, bool zero_extend, LLVMTypeRef to);
void store_to(struct translator *t, LLVMValueRef value, LLVMValueRef pointer);
unsigned register_bits(const struct translator *t); /* of a vector register, by the forms */

/* chunks.c */
/* Lanes [first, first + count) of a vector. */
LLVMValueRef part_of(struct translator *t, LLVMValueRef row, unsigned first, unsigned count);
/* Vectors of equal length, one after the other. */
LLVMValueRef joined(struct translator *t, LLVMValueRef *parts, unsigned count);
void forget_chunks(struct translator *t);

/* narrow.c */
/* Computes only: other accesses may be moved to its other side. */
bool is_passable(const struct inst *inst);

/* atomics.c */
bool lower_atomic(struct translator *t, struct inst *inst);
unsigned atomic_size(const struct inst *inst); /* bytes of each lane */
bool is_plain_atomic(const struct inst *inst); /* it has a translation */

#endif
