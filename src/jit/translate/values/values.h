/* Values in the lanes of a strip, and arithmetic on them.
 *
 *     value.c    uniform, affine and vector values, and IR for arithmetic on them
 *     eval.c     expressions on values: used by most rows
 *     pair.c     64-bit values in pairs of vGPRs
 *     wide.c     expressions on 64-bit values
 *     exp.c      e^x */
#ifndef CY_JIT_TRANSLATE_VALUES_H
#define CY_JIT_TRANSLATE_VALUES_H

#include "isa/expr.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct translator;
struct inst;
struct regs;
struct phase;

enum kind { UNIFORM, AFFINE, VECTOR }; /* uniform; base + stride * lane; any */
enum pointer { NO_POINTER, TO_METADATA, TO_ARGUMENTS };

/* What get_local_size computes with; of which dimension is said besides. */
enum origin {
    NO_ORIGIN,
    GLOBAL_SIZE,
    GROUP_NUMBER,
    GROUP_START,
    GROUP_REST
}; /* the last: from its start to the range's end */

struct class
{
    uint8_t kind, pointer;
    uint8_t origin, dimension;
    bool is_const;
    /* base - item_factor * item - lane_factor * (lane of the warp), where item is the number of the strip's first work-item, is the
     * same in the whole workgroup */
    bool in_group;
    bool is_blended; /* the scalar is valid for the active lanes only, the vector for all */
    /* vectors: base + step * lane, with a step that is only known when the code runs; base and step are there besides the vector */
    bool is_line;
    bool is_computed; /* vectors: from ids and uniform values alone, so that lanes' numbers may well be consecutive */
    uint8_t align;    /* uniform, affine: the base is a multiple of 2^align */
    bool is_bool;     /* 0 or 1 */
    bool is_known; /* vectors of 0 or 1: numbers that tell whether all or no lanes are 1 are there besides the vector */
    bool is_item;  /* the base is the number of the strip's first work-item, or a part of the sum that makes it */
    uint8_t group_align; /* in_group: so is the part that the workgroup shares */
    uint16_t table;      /* affine, vectors: every lane's value is known, by t->tables; 0: not known */
    uint32_t constant;
    uint32_t stride;
    uint32_t item_factor, lane_factor;
};

struct value {
    struct class class;
    bool is_bit; /* i1 instead of i32 */
    LLVMValueRef scalar, vector;
    LLVMValueRef step;      /* of a line, whose base is `scalar` */
    LLVMValueRef all, none; /* i1: certainly every lane, certainly no lane is 1; both may be false */
};

/* 64-bit values in pairs of vGPRs.  Addresses are mostly a uniform base and a 32-bit index, extended and scaled: kept apart,
 * they are as cheap as 32-bit addresses. */
enum wide_kind { WIDE_UNIFORM, WIDE_INDEXED, WIDE_VECTOR }; /* base; base + factor * extended index; any */
struct wide_class {
    uint8_t kind;
    bool is_const;
    bool in_group;   /* the base is the same in the whole workgroup */
    bool is_blended; /* base and index are valid for the active lanes only, the vector for all */
    bool is_signed;  /* how the index is extended */
    uint8_t align;   /* the base is a multiple of 2^align */
    uint64_t constant, factor;
    struct class index;
};

struct wide {
    struct wide_class class;
    LLVMValueRef base;  /* i64 */
    struct value index; /* never uniform */
    LLVMValueRef vector;
};

#define PAIRS 128u
struct state {
    struct class x[64], v[256];
    bool is_pair[PAIRS]; /* the vGPRs 2i and 2i + 1 are a 64-bit value; v[] says nothing about them */
    struct wide_class w[PAIRS];
};

/* The same in every strip of the workgroup? */
static inline bool is_shared(const struct class *class)
{
    return class->in_group && !class->item_factor && !class->lane_factor;
}
/* Uniform, or computed from consecutive numbers or the addresses of consecutive words: not from other strides. */
static inline bool is_from_ids(const struct class *class)
{
    if (class->kind == VECTOR)
        return class->is_computed && !class->is_line;
    return class->kind == UNIFORM || class->stride == 1 || class->stride == 4;
}
static inline bool is_boolean(const struct class *class)
{
    return class->is_bool || (class->is_const && class->constant <= 1);
}

/* value.c */
struct value constant(struct translator *t, uint32_t value);
struct value uniform(struct translator *t, LLVMValueRef scalar, bool in_group);
struct value affine(struct translator *t, LLVMValueRef base, uint32_t stride, unsigned align, bool in_group);
struct value vector(struct translator *t, LLVMValueRef value);
struct value table_value(struct translator *t, const uint32_t *lanes); /* known in every lane */
bool known_lanes(const struct translator *t, const struct class *class, uint32_t *lanes);
struct value read_x(struct translator *t, unsigned number);
struct value read_v(struct translator *t, unsigned number);
struct value read_active(struct translator *t, unsigned number); /* what counts in active lanes only */
void write_x(struct translator *t, unsigned number, struct value value);
void write_v(struct translator *t, unsigned number, struct value value);
LLVMValueRef scalar_of(struct translator *t, struct value value); /* i32; of a uniform value or an affine one's base */
LLVMValueRef vector_of(struct translator *t, struct value value); /* <W x i32> */
LLVMValueRef bits_of(struct translator *t, struct value value);   /* a condition: <W x i1> */
/* The first for active lanes, the second for others; of 32 or 64 bits. */
LLVMValueRef blend_lanes(struct translator *t, LLVMValueRef value, LLVMValueRef kept);
LLVMValueRef splat(struct translator *t, LLVMValueRef scalar);
LLVMValueRef steps(struct translator *t, uint32_t stride); /* 0, stride, 2 * stride ... */
LLVMValueRef number32(struct translator *t, uint32_t value);
LLVMValueRef number64(const struct translator *t, uint64_t value);
LLVMValueRef load64(struct translator *t, LLVMValueRef place);
bool is_vector(LLVMTypeRef type);
LLVMValueRef all_ones(struct translator *t);
LLVMValueRef strip_mask(struct translator *t); /* all lanes of a strip */
LLVMValueRef intrinsic(struct translator *t, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned count);
LLVMValueRef intrinsic_of(struct translator *t, const char *name, LLVMTypeRef *types, unsigned type_count,
                          LLVMValueRef *args, unsigned count);   /* of several types */
LLVMValueRef any_lane(struct translator *t, LLVMValueRef mask);  /* i1 */
LLVMValueRef each_lane(struct translator *t, LLVMValueRef mask); /* i1: all are set */
LLVMValueRef mask_bits(struct translator *t, LLVMValueRef mask); /* i32 */
LLVMValueRef active_bits(struct translator *t);                  /* of the current version, i32 */

bool is_below_range(const struct translator *t,
                    const struct class *class); /* its products with the local size have no upper word */

enum binary { ADD, SUB, MUL, AND, OR, XOR, SHL, LSHR, ASHR, EQ, NE, LT, LE, GT, GE, ULT, ULE, UGT, UGE };
struct value binary(struct translator *t, enum binary op, struct value a, struct value b);
struct value choose(struct translator *t, struct value condition, struct value a, struct value b);
struct value as_word(struct translator *t, struct value value); /* 0 or 1 for a bit */
/* Applies `make` to the operands as scalars, if all are uniform, or as vectors. */
typedef LLVMValueRef make_fn(struct translator *t, LLVMValueRef *operands, bool is_vector, void *context);
struct value lift(struct translator *t, make_fn *make, void *context, const struct value *operands, unsigned count);
/* Of numbers of 32 or 64 bits; the bits above do not count in the result. */
uint64_t fold_binary(enum binary op, uint64_t a, uint64_t b, unsigned bits);
LLVMValueRef build_binary(struct translator *t, LLVMValueRef *operands, bool is_vector, void *context);
bool is_comparison(enum binary op);
LLVMValueRef lane_count(struct translator *t, LLVMValueRef mask); /* i32: lanes of the strip in it */

/* eval.c */
struct value evaluate(struct translator *t, const struct inst *inst);
bool is_known(const struct cy_expr *expr);
/* The bits of an arithmetic result, of which every NaN is ours. */
LLVMValueRef float_bits(struct translator *t, LLVMValueRef value, bool is_vector);
LLVMValueRef times_one(struct translator *t, LLVMValueRef value); /* the same number, computed */
make_fn *maker_of(enum cy_function function);                     /* NULL: unknown */
enum binary binary_of(const struct cy_expr *expr);
/* The words of 64-bit elements, and back. */
LLVMValueRef wide_from(struct translator *t, LLVMValueRef low, LLVMValueRef high, bool is_vector);
LLVMValueRef pair_word(struct translator *t, LLVMValueRef wide, bool high, bool is_vector);
struct value convert_towards_zero(struct translator *t, struct value value, bool is_signed);

/* pair.c */
struct wide wide_constant(struct translator *t, uint64_t value);
struct wide wide_uniform(struct translator *t, LLVMValueRef base, bool in_group);
struct wide wide_vector(struct translator *t, LLVMValueRef vector);
struct wide wide_extended(struct translator *t, struct value value, bool is_signed);
bool is_wide_shared(const struct wide_class *class);
LLVMValueRef wide_lanes(struct translator *t, struct wide value); /* <W x i64> */
struct value wide_half(struct translator *t, struct wide value, bool high);
struct wide read_pair(struct translator *t, unsigned number); /* of vGPRs */
struct wide read_active_pair(struct translator *t, unsigned number);
void write_pair(struct translator *t, unsigned number, struct wide value);
struct wide read_x_pair(struct translator *t, unsigned number);
void write_x_pair(struct translator *t, unsigned number, struct wide value);
void split_pair(struct translator *t, unsigned number); /* the vGPR is no longer half of a value */
void find_pairs(struct translator *t);
void make_pair_allocas(struct translator *t);
void forget_pairs(struct translator *t);
bool merge_pairs(struct translator *t, struct state *into, const struct state *from, const struct regs *live,
                 bool meeting, bool is_new);
void convert_pairs(struct translator *t, const struct state *to, const struct regs *live);
void unblend_pairs(struct state *state);
void give_pair_places(struct translator *t, const struct phase *phase);
bool is_equal_wide(const struct wide_class *a, const struct wide_class *b);
/* But those that are kept. */
void save_pairs(struct translator *t, const struct phase *next, const struct regs *kept);
void read_shared_pairs(struct translator *t, const struct phase *phase);
void restore_pairs(struct translator *t, const struct phase *phase);
void make_pairs_alone(struct state *state);
void save_pair_rows(struct translator *t, const struct regs *needed);
void load_lane_pairs(struct translator *t, const struct regs *needed, LLVMValueRef lane);

/* wide.c */
bool lower_wide(struct translator *t, const struct inst *inst);
struct value evaluate_wide_condition(struct translator *t, const struct inst *inst);
struct value modified(struct translator *t, const struct inst *inst, unsigned source, struct value value);

/* exp.c */
struct value exponential(struct translator *t, const struct inst *inst);
LLVMValueRef exponential_of(struct translator *t, LLVMValueRef bits, bool is_vector); /* of floats */

#endif
