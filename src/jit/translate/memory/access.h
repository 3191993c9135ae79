/* How lanes access memory by 32-bit addresses: between memory.c, atomics.c and bounds.c. */
#ifndef CY_JIT_ACCESS_H
#define CY_JIT_ACCESS_H

#include "jit/translate/memory/rows.h"

enum { FAR_APART = 1024 }; /* strides from here on are treated as arbitrary addresses: see the window's guard */

struct access {
    struct value base; /* without the offset */
    bool is_affine;    /* or uniform: the group's pointer is used */
    bool is_line;      /* base and step are used */
    bool is_straight;  /* lines: no lane's address, with the lowest offset of the group, overflows */
    int32_t low;       /* that offset */
    bool may_be_row;   /* lanes' words may turn out to be consecutive, or one: `kind` says so */
    LLVMValueRef kind;
    bool is_table; /* the base is uniform, and lanes' distances from it are known */
    int32_t from_base[CY_JIT_MAX_STRIP];
    int32_t nearest, farthest;            /* of them */
    struct numbers *numbers;              /* else: addresses of lanes, or pointers */
    LLVMValueRef straight_if;             /* lines: i1, they are straight */
    LLVMValueRef chain[CY_JIT_MAX_STRIP]; /* then one pointer per lane, made of the one before */
    int64_t offset;                       /* from the group's pointer, or from the lane's */
    bool is_single;                       /* nothing else is accessed by these addresses */
    unsigned size;
    bool zero_extend;
    bool is_unaligned;  /* words that need not be */
    bool is_high;       /* the upper word, if elements have two */
    bool is_record;     /* elements have several words, of which others are accessed, too; this one is */
    unsigned in_record; /* the word of that number, counted from anywhere */
    unsigned to;        /* loads: the vGPR */
    bool is_part;       /* loads: half of a 64-bit element, all of which the group has */
};

/* How far lanes are below the base. */
static inline uint32_t below_base(const struct translator *t, const struct class *class)
{
    return (int32_t) class->stride < 0 ? class->stride * (t->lanes - 1) : 0;
}

/* pointers.c */
LLVMValueRef lane_pointer(struct translator *t, const struct access *access, LLVMValueRef group, unsigned lane);
/* The lanes' addresses, or pointers; for inactive lanes, somewhere in the window. */
struct numbers *lane_places(struct translator *t, uint32_t group, LLVMValueRef addresses);
LLVMValueRef first_lane(struct translator *t, const struct access *access); /* its pointer, where words may be a row */
void part_row(struct translator *t, struct access *access);                 /* here they are not */
struct access chained(struct translator *t, const struct access *access);   /* where lines are straight */

/* memory.c */
bool is_consecutive(const struct access *access);
/* Elements of two to four words, one after the other: how many words; 0: no such access. */
unsigned record_words(const struct access *access);
unsigned data_register(const struct inst *inst);
LLVMValueRef word_pointers(struct translator *t, const struct access *access, uint32_t offset); /* of each lane */

/* twos.c */
/* Is the group of elements of two words, both of which it loads (access: READ) or stores (WRITE)? */
bool has_twos(const struct translator *t, uint32_t group, unsigned access);
LLVMValueRef load_two(struct translator *t, const struct inst *inst, struct access access,
                      uint32_t offset); /* NULL: this is no such word */
/* Two stores in a row are one. */
bool store_two(struct translator *t, const struct inst *inst, struct access access);

/* chunks.c */
/* For struct places. */
struct near {
    const struct access *access;
    LLVMValueRef group;
};
/* The data of stores in a row, to words one after the other. */
bool following_words(struct translator *t, const struct inst *inst, unsigned words, LLVMValueRef *rows);
LLVMValueRef near_pointer(struct translator *t, const void *access, unsigned lane, int64_t from_it);
/* Under a mask, what follows is for this lane only if it is active.  Where to go on; NULL: it always is. */
LLVMBasicBlockRef begin_lane(struct translator *t, LLVMValueRef bits, unsigned lane);
void end_lane(struct translator *t, LLVMBasicBlockRef on);
/* Stores in a row, of all words of the lanes' elements, are one. */
bool store_records(struct translator *t, const struct inst *inst, const struct access *access, LLVMValueRef group);
/* Where the group has most of the four words around one of a lane: how many of these come before it; 4: it has not.  Words are counted
 * from the group's first one. */
unsigned in_chunk(const struct translator *t, const struct inst *inst, const struct access *access, uint32_t offset);
/* One of these words.  Where addresses do not overflow, the others are kept; else LLVM merges their loads with this one. */
LLVMValueRef load_chunk(struct translator *t, const struct inst *inst, struct access access, LLVMValueRef group,
                        unsigned word);

/* bounds.c: the group's first access checks it, and sets its pointer if its lanes are at even distances. */
void check_affine(struct translator *t, uint32_t number, struct value base);
/* Lines: where `only_if`, an i1, is not NULL, base and step hold under that condition. */
void check_lanes(struct translator *t, uint32_t number, struct value base, bool is_line, LLVMValueRef only_if);
void check_table(struct translator *t, uint32_t number, const struct access *access);
void check_private(struct translator *t, uint32_t number, struct value base);
/* i1: the words (of 2^align bytes) of all active lanes are in the site, of which *low becomes the first address. */
LLVMValueRef are_words_inside(struct translator *t, uint32_t site, const struct value *address, unsigned align,
                              LLVMValueRef *low);

/* A loop over lanes, of which there is at least one: code size matters more than speed here. */
struct lane_loop {
    LLVMBasicBlockRef before, start;
    LLVMValueRef all, left, lane;
};
struct lane_loop begin_lanes(struct translator *t, LLVMValueRef bits);
void end_lanes(struct translator *t, const struct lane_loop *loop);

#endif
