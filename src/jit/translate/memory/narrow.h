/* Bytes and halves of lanes that follow each other closely, as they are in memory: between narrow.c and far_narrow.c. */
#ifndef CY_JIT_TRANSLATE_NARROW_H
#define CY_JIT_TRANSLATE_NARROW_H

#include "jit/translate/memory/rows.h"

/* One, two or four words of each lane, one after the other; three are better taken apart where they are loaded. */
struct narrow_row {
    int64_t first;  /* from the group's first byte on */
    unsigned bytes; /* of each lane */
};

/* The row with an access of this size; false: there is none. */
bool find_narrow_row(const struct translator *t, const struct places *places, unsigned size, struct narrow_row *row);
LLVMValueRef load_narrow_row(struct translator *t, const struct places *places, const struct narrow_row *row);
/* Its words, and the other way round. */
void part_row_words(struct translator *t, LLVMValueRef row, unsigned bytes, LLVMValueRef *words);
LLVMValueRef join_row_words(struct translator *t, LLVMValueRef *words, unsigned bytes);
/* <W x i32>: some bytes of them. */
LLVMValueRef part_of_words(struct translator *t, const LLVMValueRef *words, unsigned at, unsigned size,
                           bool zero_extend);

#endif
