/* Rows of elements of all lanes, whatever the addresses have: between the files of this folder. */
#ifndef CY_JIT_TRANSLATE_ROWS_H
#define CY_JIT_TRANSLATE_ROWS_H

#include "jit/translate/translator.h"

/* memory.c */
bool has_masked_stores(const struct translator *t); /* of rows of words */
bool has_masked_stores_of(const struct translator *t, unsigned size);
LLVMValueRef active_lanes(struct translator *t); /* <W x i1> */
/* Rows under a mask, <n x i1>: of words that lie beside each other, or anywhere. */
void store_where(struct translator *t, LLVMValueRef row, LLVMValueRef pointer, unsigned align, LLVMValueRef lanes);
LLVMValueRef gather_where(struct translator *t, LLVMTypeRef row, LLVMValueRef pointers, unsigned align,
                          LLVMValueRef lanes);
void scatter_where(struct translator *t, LLVMValueRef row, LLVMValueRef pointers, LLVMValueRef lanes);
LLVMTypeRef element_type(struct translator *t, unsigned size);
LLVMValueRef load_from(struct translator *t, LLVMTypeRef type, LLVMValueRef pointer);
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
struct chunk *kept_chunk(struct translator *t, uint32_t group, int64_t first, unsigned bytes); /* NULL: not loaded */
struct chunk *keep_chunk(struct translator *t, uint32_t group, int64_t first, unsigned bytes);

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
/* <W x i32>; NULL: it is better loaded alone. */
LLVMValueRef load_narrow(struct translator *t, const struct places *places, unsigned size, bool zero_extend);
/* The store is done with ones that follow, or is the last of them: then t->stores.left is 0, and end_stores() does all. */
bool defer_store(struct translator *t, struct inst *inst, const struct places *places, LLVMValueRef data);
void end_stores(struct translator *t, const struct places *places);
/* i1: so many bytes from the one address on, and from the other, have none in common. */
LLVMValueRef ranges_apart(struct translator *t, LLVMValueRef a, uint64_t a_length, LLVMValueRef b, uint64_t b_length);

/* chunks.c */
/* Sixteen bytes of each lane as two 64-bit elements. */
void load_twos(struct translator *t, const struct places *places, LLVMValueRef *words);
/* Stores four words of each lane, or two 64-bit elements, so many times. */
void store_chunk_lanes(struct translator *t, const struct places *places, LLVMValueRef *words, unsigned chunks,
                       bool is_wide);

/* far.c */
bool lower_far_access(struct translator *t, struct inst *inst);
/* i1: the words of all active lanes are in the site, whose addresses are the host's plus *bias. */
LLVMValueRef are_far_words_inside(struct translator *t, uint32_t site, const struct wide *address, unsigned align,
                                  LLVMValueRef *bias);

#endif
