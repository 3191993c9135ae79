/* Operations on values: one function each, named after the row.  A number is a vector of one. */
#include "jit/lower/access.h"

#include <string.h>

LLVMTypeRef lower_type(const struct lower *l, enum cy_sir_type type)
{
    const struct translator *t = l->t;
    const LLVMTypeRef types[CY_SIR_TYPES] = {NULL, t->i1, t->i8, t->i16, t->i32, t->i64};
    return types[type];
}

LLVMValueRef lower_splat(struct lower *l, LLVMValueRef number)
{
    return splat(l->t, number);
}

static bool is_any(const struct lower *l, cy_sir_value value)
{
    return l->shapes.value[value].kind == CY_SIR_SHAPE_LANES;
}

bool lower_is_one(const struct lower *l, cy_sir_value value)
{
    return cy_sir_is_one(&l->shapes.value[value]);
}

LLVMValueRef lower_number(struct lower *l, cy_sir_value value)
{
    return is_any(l, value) ? LLVMBuildExtractElement(l->t->builder, l->values[value], number32(l->t, 0), "")
                            : l->values[value];
}

static LLVMValueRef distances(struct lower *l, LLVMTypeRef type, uint64_t stride)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < l->t->w; i++)
        lanes[i] = LLVMConstInt(type, stride * i, false);
    return LLVMConstVector(lanes, l->t->w);
}

LLVMValueRef lower_vector(struct lower *l, cy_sir_value value)
{
    const struct cy_sir_shape *shape = &l->shapes.value[value];
    if (is_any(l, value))
        return l->values[value];
    LLVMValueRef base = lower_splat(l, l->values[value]);
    if (cy_sir_is_one(shape))
        return base;
    return LLVMBuildAdd(l->t->builder, base, distances(l, LLVMTypeOf(l->values[value]), shape->stride), "");
}

LLVMValueRef lower_as(struct lower *l, cy_sir_value value, const struct cy_sir_shape *shape)
{
    return shape->kind == CY_SIR_SHAPE_LANES ? lower_vector(l, value) : lower_number(l, value);
}

/* Where vectors are wider than the strip, what is behind its last lane may be anything. */
LLVMValueRef lower_mask(struct lower *l, cy_sir_value mask)
{
    LLVMValueRef all = LLVMBuildTrunc(l->t->builder, strip_mask(l->t), l->t->vi1, "");
    if (!mask)
        return all;
    LLVMValueRef lanes = lower_vector(l, mask);
    return l->t->lanes == l->t->w ? lanes : LLVMBuildAnd(l->t->builder, lanes, all, "");
}

LLVMValueRef lower_bits(struct lower *l, cy_sir_value mask)
{
    return mask_bits(l->t, LLVMBuildSExt(l->t->builder, lower_mask(l, mask), l->t->vi32, ""));
}

/* ---- the operations ---- */

struct operation { /* what a lowering function gets */
    struct lower *l;
    const struct cy_sir_insn *insn;
    LLVMValueRef a, b, c;
    LLVMTypeRef type; /* of the result */
    bool is_vector;
};

#define LOWER(id) static LLVMValueRef lower_##id(const struct operation *o)
#define BUILDER (o->l->t->builder)

/* Amounts count modulo the number of bits. */
static LLVMValueRef amount(const struct operation *o)
{
    LLVMTypeRef type = LLVMTypeOf(o->b), element = o->is_vector ? LLVMGetElementType(type) : type;
    LLVMValueRef most = LLVMConstInt(element, LLVMGetIntTypeWidth(element) - 1, false);
    return LLVMBuildAnd(BUILDER, o->b, o->is_vector ? lower_splat(o->l, most) : most, "");
}
LOWER(SHL)
{
    return LLVMBuildShl(BUILDER, o->a, amount(o), "");
}
LOWER(SHRU)
{
    return LLVMBuildLShr(BUILDER, o->a, amount(o), "");
}
LOWER(SHRS)
{
    return LLVMBuildAShr(BUILDER, o->a, amount(o), "");
}

LOWER(SELECT)
{
    const cy_sir_value only = cy_sir_only_choice(&o->l->shapes, o->insn);
    if (only)
        return only == o->insn->args[1] ? o->b : o->c;
    return LLVMBuildSelect(BUILDER, o->a, o->b, o->c, "");
}
LOWER(COPY)
{
    return o->a;
}
LOWER(TRUNC)
{
    return LLVMBuildTrunc(BUILDER, o->a, o->type, "");
}
LOWER(ZEXT)
{
    return LLVMBuildZExt(BUILDER, o->a, o->type, "");
}
LOWER(SEXT)
{
    return LLVMBuildSExt(BUILDER, o->a, o->type, "");
}
LOWER(PAIR)
{
    return wide_from(o->l->t, o->a, o->b, o->is_vector);
}
LOWER(LOW)
{
    return pair_word(o->l->t, o->a, false, o->is_vector);
}
LOWER(HIGH)
{
    return pair_word(o->l->t, o->a, true, o->is_vector);
}

/* Functions that rows call, on bits of 32 or 64. */
static LLVMValueRef call(const struct operation *o, enum cy_function function)
{
    LLVMValueRef args[] = {o->a, o->b, o->c};
    LLVMTypeRef type = LLVMTypeOf(o->a);
    o->l->t->is_wide = LLVMGetIntTypeWidth(o->is_vector ? LLVMGetElementType(type) : type) == 64;
    LLVMValueRef result = maker_of(function)(o->l->t, args, o->is_vector, NULL);
    o->l->t->is_wide = false;
    return result;
}
/* A NaN that is computed is the canonical one. */
LOWER(FWIDEN)
{
    struct translator *t = o->l->t;
    LLVMTypeRef from = o->is_vector ? t->vf32 : t->f32, to = o->is_vector ? t->vf64 : t->f64;
    if (o->insn->type != CY_SIR_I64) {
        cannot(t, "floating point of 16 bits");
        return LLVMConstNull(o->type);
    }
    LLVMValueRef value = LLVMBuildFPExt(BUILDER, LLVMBuildBitCast(BUILDER, o->a, from, ""), to, "");
    LLVMValueRef is_nan = LLVMBuildFCmp(BUILDER, LLVMRealUNO, value, value, "");
    LLVMValueRef nan = LLVMConstInt(t->i64, 0x7ff8000000000000, false);
    return LLVMBuildSelect(BUILDER, is_nan, o->is_vector ? splat(t, nan) : nan,
                           LLVMBuildBitCast(BUILDER, value, o->type, ""), "");
}

/* The host converts whole vectors. */
static LLVMValueRef convert_halves(const struct operation *o, bool narrows)
{
    struct translator *t = o->l->t;
    LLVMTypeRef type = LLVMVectorType(narrows ? t->i16 : t->i32, t->w);
    LLVMValueRef first = number32(t, 0), words = o->a;
    words = narrows ? words : LLVMBuildZExt(BUILDER, words, o->is_vector ? t->vi32 : t->i32, "");
    words = o->is_vector ? words : LLVMBuildInsertElement(BUILDER, LLVMConstNull(t->vi32), words, first, "");
    words = call_conversion(t, narrows, words);
    words = narrows ? LLVMBuildTrunc(BUILDER, words, type, "") : words;
    return o->is_vector ? words : LLVMBuildExtractElement(BUILDER, words, first, "");
}
LOWER(HTOF)
{
    return convert_halves(o, false);
}
LOWER(FTOH)
{
    return convert_halves(o, true);
}

LOWER(CONST)
{
    LLVMValueRef number = LLVMConstInt(lower_type(o->l, (enum cy_sir_type)o->insn->type), o->insn->imm, false);
    return o->is_vector ? lower_splat(o->l, number) : number;
}
LOWER(UNDEF)
{
    return LLVMConstNull(o->type);
}

/* What a launch, a workgroup, a warp and a lane give. */
LOWER(SOURCE)
{
    struct translator *t = o->l->t;
    LLVMValueRef threads = number32(t, t->request->threads - 1);
    LLVMValueRef items = o->is_vector ? LLVMBuildAdd(BUILDER, splat(t, t->item), steps(t, 1), "") : t->item;
    threads = o->is_vector ? splat(t, threads) : threads;
    switch ((enum cy_sir_source)o->insn->imm) {
    case CY_SIR_SOURCE_ITEM: return items;
    case CY_SIR_SOURCE_LANE: return LLVMBuildAnd(BUILDER, items, threads, "");
    case CY_SIR_SOURCE_EXISTS: return LLVMBuildLoad2(BUILDER, t->vi1, o->l->exists, "");
    case CY_SIR_SOURCE_TID: return LLVMBuildAnd(BUILDER, items, LLVMBuildNot(BUILDER, threads, ""), "");
    case CY_SIR_SOURCE_WARP:
        return LLVMBuildUDiv(
            BUILDER, items,
            LLVMBuildAdd(BUILDER, threads, o->is_vector ? splat(t, number32(t, 1)) : number32(t, 1), ""), "");
    case CY_SIR_SOURCE_GROUP_X: return frame_word(t, offsetof(struct cy_jit_frame, group));
    case CY_SIR_SOURCE_GROUP_Y: return frame_word(t, offsetof(struct cy_jit_frame, group) + 4);
    case CY_SIR_SOURCE_GROUP_Z: return frame_word(t, offsetof(struct cy_jit_frame, group) + 8);
    case CY_SIR_SOURCE_SLOT: return frame_word(t, offsetof(struct cy_jit_frame, workgroup));
    case CY_SIR_SOURCE_METADATA: return frame_word(t, offsetof(struct cy_jit_frame, metadata));
    case CY_SIR_SOURCE_LDS: return frame_word(t, offsetof(struct cy_jit_frame, lds));
    case CY_SIR_SOURCE_PDS: return frame_word(t, offsetof(struct cy_jit_frame, pds));
    case CY_SIR_SOURCES: break;
    }
    return NULL;
}

/* By the interpreter's function, lane by lane. */
static LLVMValueRef evaluate_one(const struct operation *o, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    struct translator *t = o->l->t;
    const bool is_wide = o->insn->type == CY_SIR_I64;
    const uint32_t row = o->insn->op == CY_SIR_FEXP ? CY_OP_vfexp_v : (uint32_t)o->insn->imm & 0xffff;
    LLVMValueRef op = number32(t, row), bits = number32(t, 64);
    LLVMValueRef words[] = {op, a, b, c}, wide[] = {op, bits, a, b, c};
    return is_wide ? call_helper(t, offsetof(struct cy_jit_helpers, eval_wide), t->i64, wide, CY_COUNT(wide))
                   : call_helper(t, offsetof(struct cy_jit_helpers, eval), t->i32, words, CY_COUNT(words));
}
static LLVMValueRef evaluate_lanes(const struct operation *o)
{
    struct translator *t = o->l->t;
    LLVMValueRef none = LLVMConstNull(lower_type(o->l, (enum cy_sir_type)o->insn->type)), result;
    LLVMValueRef args[] = {o->a, o->b, o->c}, each[3];
    if (!o->is_vector)
        return evaluate_one(o, o->a ? o->a : none, o->b ? o->b : none, o->c ? o->c : none);
    result = LLVMConstNull(o->type);
    for (unsigned i = 0; i < t->lanes; i++) {
        for (unsigned k = 0; k < 3; k++)
            each[k] = args[k] ? LLVMBuildExtractElement(BUILDER, args[k], number32(t, i), "") : none;
        result =
            LLVMBuildInsertElement(BUILDER, result, evaluate_one(o, each[0], each[1], each[2]), number32(t, i), "");
    }
    return result;
}
LOWER(ROW)
{
    return evaluate_lanes(o);
}

/* Of other sizes than a float's by its row, which has the operand second. */
LOWER(FEXP)
{
    struct operation row = *o;
    if (o->insn->type == CY_SIR_I32) {
        lower_under(o->l, 0); /* whose lanes count is not known here */
        return exponential_of(o->l->t, o->a, o->is_vector);
    }
    row.b = o->a;
    return evaluate_lanes(&row);
}

/* ---- the table ---- */

/* How each operation is made: by a builder's function; as a comparison; as the extreme by a comparison; by a function that rows call, or
 * a condition that they give as a word; in a way of its own, above. */
#define OPERATIONS(SIMPLE, COMPARISON, EXTREME, FUNCTION, CONDITION, OWN)                                              \
    SIMPLE(ADD, LLVMBuildAdd)                                                                                          \
    SIMPLE(SUB, LLVMBuildSub)                                                                                          \
    SIMPLE(MUL, LLVMBuildMul)                                                                                          \
    SIMPLE(AND, LLVMBuildAnd)                                                                                          \
    SIMPLE(OR, LLVMBuildOr)                                                                                            \
    SIMPLE(XOR, LLVMBuildXor)                                                                                          \
    COMPARISON(EQ, LLVMIntEQ)                                                                                          \
    COMPARISON(NE, LLVMIntNE)                                                                                          \
    COMPARISON(LTS, LLVMIntSLT)                                                                                        \
    COMPARISON(GES, LLVMIntSGE)                                                                                        \
    COMPARISON(LTU, LLVMIntULT)                                                                                        \
    COMPARISON(GEU, LLVMIntUGE)                                                                                        \
    EXTREME(MINS, LLVMIntSLT)                                                                                          \
    EXTREME(MAXS, LLVMIntSGT)                                                                                          \
    EXTREME(MINU, LLVMIntULT)                                                                                          \
    EXTREME(MAXU, LLVMIntUGT)                                                                                          \
    FUNCTION(MULHU, CY_FN_mulhu)                                                                                       \
    FUNCTION(MULHS, CY_FN_mulh)                                                                                        \
    FUNCTION(MULHSU, CY_FN_mulhsu)                                                                                     \
    FUNCTION(DIVU, CY_FN_u_div)                                                                                        \
    FUNCTION(DIVS, CY_FN_i_div)                                                                                        \
    FUNCTION(REMU, CY_FN_u_rem)                                                                                        \
    FUNCTION(REMS, CY_FN_i_rem)                                                                                        \
    FUNCTION(FADD, CY_FN_f_add)                                                                                        \
    FUNCTION(FSUB, CY_FN_f_sub)                                                                                        \
    FUNCTION(FMUL, CY_FN_f_mul)                                                                                        \
    FUNCTION(FDIV, CY_FN_f_div)                                                                                        \
    FUNCTION(FSQRT, CY_FN_f_sqrt)                                                                                      \
    FUNCTION(FMA, CY_FN_f_fma)                                                                                         \
    FUNCTION(FMIN, CY_FN_f_min)                                                                                        \
    FUNCTION(FMAX, CY_FN_f_max)                                                                                        \
    FUNCTION(FTOS, CY_FN_f_to_i)                                                                                       \
    FUNCTION(FTOU, CY_FN_f_to_u)                                                                                       \
    FUNCTION(FTOSZ, CY_FN_f_to_i_rtz)                                                                                  \
    FUNCTION(FTOUZ, CY_FN_f_to_u_rtz)                                                                                  \
    FUNCTION(STOF, CY_FN_f_from_i)                                                                                     \
    FUNCTION(UTOF, CY_FN_f_from_u)                                                                                     \
    CONDITION(FEQ, CY_FN_f_eq)                                                                                         \
    CONDITION(FLT, CY_FN_f_lt)                                                                                         \
    CONDITION(FLE, CY_FN_f_le)                                                                                         \
    OWN(SHL, )                                                                                                         \
    OWN(SHRU, )                                                                                                        \
    OWN(SHRS, )                                                                                                        \
    OWN(SELECT, )                                                                                                      \
    OWN(COPY, )                                                                                                        \
    OWN(TRUNC, )                                                                                                       \
    OWN(ZEXT, )                                                                                                        \
    OWN(SEXT, )                                                                                                        \
    OWN(PAIR, )                                                                                                        \
    OWN(LOW, )                                                                                                         \
    OWN(HIGH, )                                                                                                        \
    OWN(FWIDEN, )                                                                                                      \
    OWN(HTOF, )                                                                                                        \
    OWN(FTOH, )                                                                                                        \
    OWN(CONST, )                                                                                                       \
    OWN(UNDEF, )                                                                                                       \
    OWN(SOURCE, )                                                                                                      \
    OWN(ROW, )                                                                                                         \
    OWN(FEXP, )

#define SIMPLE(id, build)                                                                                              \
    LOWER(id)                                                                                                          \
    {                                                                                                                  \
        return build(BUILDER, o->a, o->b, "");                                                                         \
    }
#define COMPARISON(id, how)                                                                                            \
    LOWER(id)                                                                                                          \
    {                                                                                                                  \
        return LLVMBuildICmp(BUILDER, how, o->a, o->b, "");                                                            \
    }
#define EXTREME(id, how)                                                                                               \
    LOWER(id)                                                                                                          \
    {                                                                                                                  \
        return LLVMBuildSelect(BUILDER, LLVMBuildICmp(BUILDER, how, o->a, o->b, ""), o->a, o->b, "");                  \
    }
#define FUNCTION(id, function)                                                                                         \
    LOWER(id)                                                                                                          \
    {                                                                                                                  \
        return call(o, function);                                                                                      \
    }
#define CONDITION(id, function)                                                                                        \
    LOWER(id)                                                                                                          \
    {                                                                                                                  \
        return LLVMBuildTrunc(BUILDER, call(o, function), o->type, "");                                                \
    }
#define NOTHING(id, how)
OPERATIONS(SIMPLE, COMPARISON, EXTREME, FUNCTION, CONDITION, NOTHING)

typedef LLVMValueRef lower_fn(const struct operation *o);

/* What is known already; NULL: that must be computed. */
static LLVMValueRef lower_known(struct lower *l, const struct cy_sir_insn *insn)
{
    const struct cy_sir_shape *shape = &l->shapes.value[insn - l->func->insns.at];
    LLVMTypeRef type = lower_type(l, (enum cy_sir_type)insn->type);
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    if (shape->kind == CY_SIR_SHAPE_LANES && shape->table) {
        for (unsigned i = 0; i < l->t->w; i++)
            lanes[i] = LLVMConstInt(type, i < l->t->lanes ? l->shapes.tables.at[shape->table - 1][i] : 0, false);
        return LLVMConstVector(lanes, l->t->w);
    }
    return shape->is_const && !shape->origin ? LLVMConstInt(type, shape->constant, false) : NULL;
}

LLVMValueRef lower_pure(struct lower *l, const struct cy_sir_insn *insn, bool is_vector)
{
    static lower_fn *const functions[CY_SIR_OPS] = {
#define ENTRY(id, how) [CY_SIR_##id] = lower_##id,
        OPERATIONS(ENTRY, ENTRY, ENTRY, ENTRY, ENTRY, ENTRY)};
    LLVMTypeRef type = lower_type(l, (enum cy_sir_type)insn->type);
    LLVMValueRef known = lower_known(l, insn);
    if (known)
        return known;
    struct operation o = {
        .l = l, .insn = insn, .is_vector = is_vector, .type = is_vector ? LLVMVectorType(type, l->t->w) : type};
    LLVMValueRef *to[] = {&o.a, &o.b, &o.c};
    for (unsigned i = 0; i < 3; i++)
        if (insn->args[i])
            *to[i] = is_vector ? lower_vector(l, insn->args[i]) : lower_number(l, insn->args[i]);
    if (!functions[insn->op]) {
        cannot(l->t, "the operation %s", cy_sir_ops[insn->op].name);
        return LLVMConstNull(o.type);
    }
    return functions[insn->op](&o);
}
