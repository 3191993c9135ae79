/* What vectors that are stored are made of: between interleaved.c and small.c. */
#ifndef CY_JIT_TRANSLATE_PARTS_H
#define CY_JIT_TRANSLATE_PARTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct translator;

enum { MOST_PARTS = 64, MOST_JOINS = 4 };

/* Some bits of an element of a vector, or of a number if there is no index; 0 if there is no value. */
struct part {
    LLVMValueRef value;
    uint32_t index;
    unsigned shift;
};

/* Where so many bits come from, through what only moves them, and through at most so many operations that join words. */
struct part source_of(struct part part, unsigned bits, unsigned depth);
/* What is next to each other in vectors that were loaded, perhaps in one of two ways, at least eight bytes of each, as a vector of
 * such integers; NULL: it is not. */
LLVMValueRef loaded_parts(struct translator *t, const struct part *parts, unsigned count, unsigned bits);
/* Are they consecutive in one vector?  Then nothing was transposed. */
bool is_row(const struct part *parts, unsigned count, unsigned bits);

struct store {
    LLVMValueRef instruction, base;
    int64_t offset;
    unsigned bytes;
};

/* Stores, one after the other, whole registers instead, if each can be made of its parts, of this size: before the last store.  Whether it
 * has.  NULL: it cannot. */
typedef LLVMValueRef make_piece_fn(void *context, const struct part *parts, unsigned count, unsigned bits,
                                   LLVMValueRef store);
bool replace_stores(struct translator *t, const struct store *stores, unsigned count, unsigned bits,
                    make_piece_fn *make, void *context);
/* Gives stores one after the other, in memory as well, to a function.  Whether it has changed any. */
typedef bool store_run_fn(void *context, const struct store *stores, unsigned count);
bool change_stores(struct translator *t, store_run_fn *change, void *context);

#endif
