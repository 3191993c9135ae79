/* A row's expression on values. */
#include "jit/translate/translator.h"

#include <string.h>

/* ---- functions that the rows call ---- */

static LLVMTypeRef int_type(struct translator *t, bool is_vector)
{
    if (t->is_wide)
        return is_vector ? t->vi64 : t->i64;
    return is_vector ? t->vi32 : t->i32;
}
static LLVMTypeRef float_type(struct translator *t, bool is_vector)
{
    if (t->is_wide)
        return is_vector ? t->vf64 : t->f64;
    return is_vector ? t->vf32 : t->f32;
}
static LLVMValueRef to_float(struct translator *t, LLVMValueRef bits, bool is_vector)
{
    return LLVMBuildBitCast(t->builder, bits, float_type(t, is_vector), "");
}
static LLVMValueRef number(struct translator *t, bool is_vector, uint64_t value)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = LLVMConstInt(t->is_wide ? t->i64 : t->i32, value, false);
    return is_vector ? LLVMConstVector(lanes, t->w) : lanes[0];
}
static LLVMValueRef nan_of(struct translator *t, bool is_vector)
{
    return our_nan(t, int_type(t, is_vector));
}
static uint64_t sign_bit(const struct translator *t)
{
    return t->is_wide ? 1ull << 63 : 1ull << 31;
}

/* The bits of an arithmetic result.  aarch64 computes with FPCR.DN, which leaves only one NaN; what LLVM folds to an operand, as
 * x - 0, is not computed, and only there object.c leaves the intrinsic.  nans.c moves what is done here for other hosts. */
LLVMValueRef float_bits(struct translator *t, LLVMValueRef value, bool is_vector)
{
    if (t->host->has_one_nan)
        value = intrinsic(t, "llvm.canonicalize", LLVMTypeOf(value), &value, 1);
    LLVMValueRef bits = LLVMBuildBitCast(t->builder, value, int_type(t, is_vector), "");
    if (t->host->has_one_nan || (cy_jit_broken(NANS) && is_vector))
        return bits;
    LLVMValueRef is_nan = LLVMBuildFCmp(t->builder, LLVMRealUNO, value, value, "");
    return LLVMBuildSelect(t->builder, is_nan, nan_of(t, is_vector), bits, "");
}

/* LLVM folds x * 1 and x + -0 to x, which is wrong for a NaN with a different pattern than ours, unless it is replaced
 * afterwards.  It does not see through constrained operations. */
static bool is_neutral(LLVMValueRef bits)
{
    if (LLVMIsAConstantInt(bits)) {
        const uint32_t value = (uint32_t)LLVMConstIntGetZExtValue(bits) & 0x7fffffff;
        return value == 0 || value == 0x3f800000;
    }
    return false;
}

static LLVMValueRef strict(struct translator *t, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef at_once = t->level->strict ? t->level->strict(t, name, a, b) : NULL;
    if (at_once)
        return at_once;
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(t->module, id, &type, 1);
    LLVMValueRef rounding = LLVMMetadataAsValue(t->context, LLVMMDStringInContext2(t->context, "round.tonearest", 15));
    LLVMValueRef except = LLVMMetadataAsValue(t->context, LLVMMDStringInContext2(t->context, "fpexcept.strict", 15));
    LLVMValueRef args[] = {a, b, rounding, except};
    return LLVMBuildCall2(t->builder, LLVMGlobalGetValueType(function), function, args, 4, "");
}

LLVMValueRef times_one(struct translator *t, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMValueRef one = LLVMConstReal(is_vector ? LLVMGetElementType(type) : type, 1), lanes[CY_JIT_MAX_STRIP];
    const unsigned count = is_vector ? LLVMGetVectorSize(type) : 1;
    for (unsigned i = 0; i < count; i++)
        lanes[i] = one;
    return strict(t, "llvm.experimental.constrained.fmul", value, is_vector ? LLVMConstVector(lanes, count) : one);
}

static LLVMValueRef arithmetic(struct translator *t, LLVMValueRef *o, bool is_vector, LLVMOpcode op, const char *name)
{
    LLVMValueRef a = to_float(t, o[0], is_vector), b = to_float(t, o[1], is_vector);
    const bool careful =
        t->host->has_one_nan &&
        (t->is_strict ||
         (is_vector ? LLVMIsConstant(o[0]) || LLVMIsConstant(o[1]) ||
                          (LLVMIsAShuffleVectorInst(o[0]) && is_neutral(LLVMGetOperand(LLVMGetOperand(o[0], 0), 1))) ||
                          (LLVMIsAShuffleVectorInst(o[1]) && is_neutral(LLVMGetOperand(LLVMGetOperand(o[1], 0), 1)))
                    : is_neutral(o[0]) || is_neutral(o[1])));
    if (careful)
        return float_bits(t, strict(t, name, a, b), is_vector);
    return float_bits(t, LLVMBuildBinOp(t->builder, op, a, b, ""), is_vector);
}

#define MAKE(name) static LLVMValueRef name(struct translator *t, LLVMValueRef *o, bool v, void *context)

MAKE(make_f_add)
{
    (void)context;
    return arithmetic(t, o, v, LLVMFAdd, "llvm.experimental.constrained.fadd");
}
MAKE(make_f_sub)
{
    (void)context;
    return arithmetic(t, o, v, LLVMFSub, "llvm.experimental.constrained.fsub");
}
MAKE(make_f_mul)
{
    (void)context;
    return arithmetic(t, o, v, LLVMFMul, "llvm.experimental.constrained.fmul");
}
MAKE(make_f_div)
{
    (void)context;
    return arithmetic(t, o, v, LLVMFDiv, "llvm.experimental.constrained.fdiv");
}
MAKE(make_f_sqrt)
{
    (void)context;
    LLVMValueRef x = to_float(t, o[0], v);
    return float_bits(t, intrinsic(t, "llvm.sqrt", float_type(t, v), &x, 1), v);
}
/* Without FMA instructions: the product is exact in double, and the sum is rounded to odd there, which the rounding to
 * float does not notice. */
static LLVMValueRef fma_by_double(struct translator *t, const LLVMValueRef *x, bool v)
{
    LLVMBuilderRef b = t->builder;
    LLVMTypeRef wide = v ? t->vf64 : t->f64, bits_type = v ? t->vi64 : t->i64;
    LLVMValueRef first = LLVMBuildFPExt(b, x[0], wide, ""), second = LLVMBuildFPExt(b, x[1], wide, "");
    LLVMValueRef product = LLVMBuildFMul(b, first, second, "");
    LLVMValueRef addend = LLVMBuildFPExt(b, x[2], wide, "");
    LLVMValueRef sum = LLVMBuildFAdd(b, product, addend, "");
    LLVMValueRef part = LLVMBuildFSub(b, sum, product, ""); /* of the addend, in the sum */
    LLVMValueRef lost = LLVMBuildFSub(b, product, LLVMBuildFSub(b, sum, part, ""), "");
    lost = LLVMBuildFAdd(b, lost, LLVMBuildFSub(b, addend, part, ""), "");
    LLVMValueRef zero = LLVMConstNull(wide), none = LLVMConstNull(bits_type), one = LLVMConstInt(t->i64, 1, false);
    one = v ? splat(t, one) : one;
    LLVMValueRef bits = LLVMBuildBitCast(b, sum, bits_type, "");
    LLVMValueRef is_even = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, bits, one, ""), none, "");
    LLVMValueRef changes = LLVMBuildAnd(b, is_even, LLVMBuildFCmp(b, LLVMRealONE, lost, zero, ""), "");
    LLVMValueRef grows = LLVMBuildFCmp(b, LLVMRealOGT, lost, zero, "");
    grows = LLVMBuildXor(b, grows, LLVMBuildICmp(b, LLVMIntSLT, bits, none, ""), "");
    LLVMValueRef above = LLVMBuildAdd(b, bits, one, ""), below = LLVMBuildSub(b, bits, one, "");
    LLVMValueRef odd = LLVMBuildSelect(b, grows, above, below, "");
    bits = LLVMBuildSelect(b, changes, odd, bits, "");
    return LLVMBuildFPTrunc(b, LLVMBuildBitCast(b, bits, wide, ""), float_type(t, v), "");
}

MAKE(make_f_fma)
{
    (void)context;
    LLVMValueRef x[3];
    for (int i = 0; i < 3; i++)
        x[i] = to_float(t, o[i], v);
    if (!t->level->has_fma && !t->is_wide) /* doubles: the interpreter's function, see wide.c */
        return float_bits(t, fma_by_double(t, x, v), v);
    return float_bits(t, intrinsic(t, "llvm.fma", float_type(t, v), x, 3), v);
}
MAKE(make_f_neg)
{
    (void)context;
    return LLVMBuildXor(t->builder, o[0], number(t, v, sign_bit(t)), "");
}

static LLVMValueRef signed_by(struct translator *t, LLVMValueRef magnitude, LLVMValueRef sign, bool v)
{
    LLVMValueRef low = LLVMBuildAnd(t->builder, magnitude, number(t, v, sign_bit(t) - 1), "");
    LLVMValueRef high = LLVMBuildAnd(t->builder, sign, number(t, v, sign_bit(t)), "");
    return LLVMBuildOr(t->builder, low, high, "");
}
MAKE(make_f_sgnj)
{
    (void)context;
    return signed_by(t, o[0], o[1], v);
}
MAKE(make_f_sgnjn)
{
    (void)context;
    return signed_by(t, o[0], LLVMBuildNot(t->builder, o[1], ""), v);
}
MAKE(make_f_sgnjx)
{
    (void)context;
    return LLVMBuildXor(t->builder, o[0], LLVMBuildAnd(t->builder, o[1], number(t, v, sign_bit(t)), ""), "");
}

/* By the host's instruction, which does not tell zeros apart: of equal numbers, all bits are the same but those of zeros. */
static LLVMValueRef extreme_of_floats(struct translator *t, LLVMValueRef *o, bool v, bool least)
{
    LLVMBuilderRef b = t->builder;
    LLVMValueRef x[2], bits[2];
    for (int i = 0; i < 2; i++) {
        x[i] = to_float(t, o[i], v);
        bits[i] = LLVMBuildBitCast(b, x[i], int_type(t, v), "");
    }
    LLVMValueRef same = least ? LLVMBuildOr(b, bits[0], bits[1], "") : LLVMBuildAnd(b, bits[0], bits[1], "");
    LLVMValueRef is_same = LLVMBuildFCmp(b, LLVMRealOEQ, x[0], x[1], "");
    LLVMValueRef number = intrinsic(t, least ? "llvm.minnum" : "llvm.maxnum", float_type(t, v), x, 2);
    same = LLVMBuildBitCast(b, same, float_type(t, v), "");
    return float_bits(t, LLVMBuildSelect(b, is_same, same, number, ""), v);
}

/* Operands are made quiet where they may be signalling: see settle_canonicalisation(). */
static LLVMValueRef exact_extreme(struct translator *t, LLVMValueRef *o, bool v, bool least)
{
    LLVMValueRef x[2];
    for (int i = 0; i < 2; i++) {
        x[i] = to_float(t, o[i], v);
        x[i] = intrinsic(t, "llvm.canonicalize", float_type(t, v), &x[i], 1);
    }
    return float_bits(t, intrinsic(t, least ? "llvm.minnum" : "llvm.maxnum", float_type(t, v), x, 2), v);
}

/* Numbers before NaNs, -0 before +0; two NaNs give ours. */
static LLVMValueRef extreme(struct translator *t, LLVMValueRef *o, bool v, bool least)
{
    if (t->host->has_fast_extremes)
        return extreme_of_floats(t, o, v, least);
    if (t->host->has_exact_extremes)
        return exact_extreme(t, o, v, least);
    LLVMValueRef nan[2], order[2];
    for (int i = 0; i < 2; i++) {
        LLVMValueRef x = to_float(t, o[i], v);
        nan[i] = LLVMBuildFCmp(t->builder, LLVMRealUNO, x, x, "");
        LLVMValueRef sign = LLVMBuildAShr(t->builder, o[i], number(t, v, t->is_wide ? 63 : 31), "");
        order[i] = LLVMBuildXor(t->builder, o[i], LLVMBuildLShr(t->builder, sign, number(t, v, 1), ""), "");
    }
    LLVMValueRef first = LLVMBuildICmp(t->builder, least ? LLVMIntSLT : LLVMIntSGT, order[0], order[1], "");
    LLVMValueRef wins = LLVMBuildOr(t->builder, first, nan[1], "");
    LLVMValueRef take = LLVMBuildAnd(t->builder, wins, LLVMBuildNot(t->builder, nan[0], ""), "");
    LLVMValueRef both = LLVMBuildAnd(t->builder, nan[0], nan[1], "");
    return LLVMBuildSelect(t->builder, both, nan_of(t, v), LLVMBuildSelect(t->builder, take, o[0], o[1], ""), "");
}
MAKE(make_f_min)
{
    (void)context;
    return extreme(t, o, v, true);
}
MAKE(make_f_max)
{
    (void)context;
    return extreme(t, o, v, false);
}

static LLVMValueRef compared(struct translator *t, LLVMValueRef *o, bool v, LLVMRealPredicate how)
{
    LLVMValueRef a = to_float(t, o[0], v), b = to_float(t, o[1], v);
    LLVMValueRef is = LLVMBuildFCmp(t->builder, how, a, b, "");
    return LLVMBuildZExt(t->builder, is, int_type(t, v), "");
}
MAKE(make_f_eq)
{
    (void)context;
    return compared(t, o, v, LLVMRealOEQ);
}
MAKE(make_f_lt)
{
    (void)context;
    return compared(t, o, v, LLVMRealOLT);
}
MAKE(make_f_le)
{
    (void)context;
    return compared(t, o, v, LLVMRealOLE);
}

MAKE(make_f_from_i)
{
    (void)context;
    return LLVMBuildBitCast(t->builder, LLVMBuildSIToFP(t->builder, o[0], float_type(t, v), ""), int_type(t, v), "");
}
MAKE(make_f_from_u)
{
    (void)context;
    return LLVMBuildBitCast(t->builder, LLVMBuildUIToFP(t->builder, o[0], float_type(t, v), ""), int_type(t, v), "");
}

/* A selection does not care what the conversion gives where it is not chosen. */
static LLVMValueRef converted_by_selection(struct translator *t, LLVMValueRef x, bool is_signed)
{
    LLVMBuilderRef b = t->builder;
    const uint64_t least = !is_signed ? 0 : t->is_wide ? 0xc3e0000000000000 : 0xcf000000;
    const uint64_t limit = t->is_wide ? is_signed ? 0x43e0000000000000 : 0x43f0000000000000
                                      : (is_signed ? 0x4f000000 : 0x4f800000); /* the first number that is too large */
    LLVMTypeRef type = int_type(t, true);
    LLVMValueRef result = is_signed ? LLVMBuildFPToSI(b, x, type, "") : LLVMBuildFPToUI(b, x, type, "");
    LLVMValueRef is_low = LLVMBuildFCmp(b, LLVMRealOLT, x, to_float(t, number(t, true, least), true), "");
    LLVMValueRef is_high = LLVMBuildFCmp(b, LLVMRealUGE, x, to_float(t, number(t, true, limit), true), "");
    result = LLVMBuildSelect(b, is_low, number(t, true, is_signed ? sign_bit(t) : 0), result, "");
    return LLVMBuildSelect(b, is_high, number(t, true, is_signed ? sign_bit(t) - 1 : 2 * sign_bit(t) - 1), result, "");
}

static LLVMValueRef saturated(struct translator *t, LLVMValueRef x, bool v, bool is_signed)
{
    const char *name = is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    LLVMTypeRef types[] = {int_type(t, v), float_type(t, v)};
    LLVMValueRef at_once = t->level->to_integers ? t->level->to_integers(t, x, is_signed) : NULL;
    if (at_once)
        return at_once;
    return intrinsic_of(t, name, types, 2, &x, 1);
}

/* Out-of-range numbers saturate, NaNs become the largest. */
static LLVMValueRef converted(struct translator *t, LLVMValueRef x, bool v, bool is_signed)
{
    if (v && !t->host->saturates_vectors)
        return converted_by_selection(t, x, is_signed);
    LLVMValueRef result = saturated(t, x, v, is_signed);
    LLVMValueRef is_nan = LLVMBuildFCmp(t->builder, LLVMRealUNO, x, x, "");
    LLVMValueRef most = number(t, v, is_signed ? sign_bit(t) - 1 : 2 * sign_bit(t) - 1);
    if (!v)
        return LLVMBuildSelect(t->builder, is_nan, most, result, "");
    is_nan = LLVMBuildSExt(t->builder, is_nan, int_type(t, v), ""); /* of which the conversion makes 0 */
    return LLVMBuildOr(t->builder, result, LLVMBuildAnd(t->builder, is_nan, most, ""), "");
}
static LLVMValueRef rounded(struct translator *t, LLVMValueRef bits, bool v)
{
    LLVMValueRef x = to_float(t, bits, v);
    if (!t->level->has_fma) { /* numbers below 2^23 (2^52 of doubles) have a fraction, which adding this rounds away */
        LLVMValueRef sign = LLVMBuildAnd(t->builder, bits, number(t, v, sign_bit(t)), "");
        LLVMValueRef size = LLVMBuildXor(t->builder, bits, sign, "");
        LLVMValueRef limit = number(t, v, t->is_wide ? 0x4330000000000000 : 0x4b000000);
        LLVMValueRef large = to_float(t, limit, v), sum = LLVMBuildFAdd(t->builder, to_float(t, size, v), large, "");
        LLVMValueRef whole =
            LLVMBuildBitCast(t->builder, LLVMBuildFSub(t->builder, sum, large, ""), int_type(t, v), "");
        LLVMValueRef has_fraction = LLVMBuildICmp(t->builder, LLVMIntULT, size, limit, "");
        whole = LLVMBuildOr(t->builder, whole, sign, "");
        return to_float(t, LLVMBuildSelect(t->builder, has_fraction, whole, bits, ""), v);
    }
    return intrinsic(t, "llvm.roundeven", float_type(t, v), &x, 1);
}
MAKE(make_f_to_i)
{
    (void)context;
    return converted(t, rounded(t, o[0], v), v, true);
}
MAKE(make_f_to_u)
{
    (void)context;
    return converted(t, rounded(t, o[0], v), v, false);
}
MAKE(make_f_to_i_rtz)
{
    (void)context;
    return converted(t, to_float(t, o[0], v), v, true);
}
MAKE(make_f_to_u_rtz)
{
    (void)context;
    return converted(t, to_float(t, o[0], v), v, false);
}

static LLVMValueRef high_half(struct translator *t, LLVMValueRef *o, bool v, bool first_signed, bool second_signed)
{
    const unsigned bits = t->is_wide ? 64 : 32;
    LLVMTypeRef twice = LLVMIntTypeInContext(t->context, 2 * bits), wide = v ? LLVMVectorType(twice, t->w) : twice;
    LLVMValueRef a =
        first_signed ? LLVMBuildSExt(t->builder, o[0], wide, "") : LLVMBuildZExt(t->builder, o[0], wide, "");
    LLVMValueRef b =
        second_signed ? LLVMBuildSExt(t->builder, o[1], wide, "") : LLVMBuildZExt(t->builder, o[1], wide, "");
    LLVMValueRef shift = LLVMConstInt(twice, bits, false);
    LLVMValueRef product = LLVMBuildMul(t->builder, a, b, "");
    return LLVMBuildTrunc(t->builder, LLVMBuildLShr(t->builder, product, v ? splat(t, shift) : shift, ""),
                          int_type(t, v), "");
}
MAKE(make_mulh)
{
    (void)context;
    return high_half(t, o, v, true, true);
}
MAKE(make_mulhsu)
{
    (void)context;
    return high_half(t, o, v, true, false);
}
MAKE(make_mulhu)
{
    (void)context;
    return high_half(t, o, v, false, false);
}

/* The number of which a vector was made; NULL: it was not made of one. */
static LLVMValueRef splatted(LLVMValueRef vector)
{
    LLVMValueRef first = LLVMIsAShuffleVectorInst(vector) ? LLVMGetOperand(vector, 0) : NULL;
    if (!first || !LLVMIsAInsertElementInst(first) || !LLVMIsNull(LLVMGetOperand(first, 2)))
        return NULL;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(vector); i++)
        if (LLVMGetMaskValue(vector, i) != 0)
            return NULL;
    return LLVMGetOperand(first, 1);
}

/* One divisor, not 0 or -1, for all lanes, which hosts would divide one after the other: the product with its reciprocal in
 * double precision, rounded towards zero.  The reciprocal is larger by 2^-50 of itself, more than all roundings together, so that
 * multiples of the divisor do not fall short; other quotients are 2^-33 of themselves or more below the next number. */
static LLVMValueRef quotient_by_one(struct translator *t, LLVMValueRef dividend, LLVMValueRef divisor, bool is_signed)
{
    LLVMBuilderRef b = t->builder;
    LLVMValueRef one = LLVMConstReal(t->f64, 1), more = LLVMConstReal(t->f64, 1 + 0x1p-50);
    LLVMValueRef by = is_signed ? LLVMBuildSIToFP(b, divisor, t->f64, "") : LLVMBuildUIToFP(b, divisor, t->f64, "");
    by = LLVMBuildFMul(b, LLVMBuildFDiv(b, one, by, ""), more, "");
    LLVMValueRef from =
        is_signed ? LLVMBuildSIToFP(b, dividend, t->vf64, "") : LLVMBuildUIToFP(b, dividend, t->vf64, "");
    LLVMValueRef product = LLVMBuildFMul(b, from, splat(t, by), "");
    return is_signed ? LLVMBuildFPToSI(b, product, t->vi32, "") : LLVMBuildFPToUI(b, product, t->vi32, "");
}

/* Quotients of numbers of 32 bits, rounded to double precision, are below the next number if they were before: they are 2^-33 of
 * themselves or more below it. */
static LLVMValueRef quotients(struct translator *t, LLVMValueRef dividends, LLVMValueRef divisors, bool is_signed)
{
    LLVMBuilderRef b = t->builder;
    LLVMValueRef from[] = {dividends, divisors}, to[2];
    for (unsigned i = 0; i < 2; i++)
        to[i] = is_signed ? LLVMBuildSIToFP(b, from[i], t->vf64, "") : LLVMBuildUIToFP(b, from[i], t->vf64, "");
    LLVMValueRef exact = LLVMBuildFDiv(b, to[0], to[1], "");
    return is_signed ? LLVMBuildFPToSI(b, exact, t->vi32, "") : LLVMBuildFPToUI(b, exact, t->vi32, "");
}

/* The quotient, or the remainder.  `only`: the number that all lanes of `b` have; NULL: they may differ. */
static LLVMValueRef divided_plainly(struct translator *t, LLVMValueRef a, LLVMValueRef b, LLVMValueRef only,
                                    bool is_signed, bool remainder)
{
    const bool are_doubles = t->host->divides_as_doubles && LLVMTypeOf(a) == t->vi32;
    if (!t->is_wide && (only || (are_doubles && !LLVMIsConstant(b)))) { /* by a number LLVM divides well */
        LLVMValueRef quotient = only ? quotient_by_one(t, a, only, is_signed) : quotients(t, a, b, is_signed);
        return remainder ? LLVMBuildSub(t->builder, a, LLVMBuildMul(t->builder, quotient, b, ""), "") : quotient;
    }
    if (remainder)
        return is_signed ? LLVMBuildSRem(t->builder, a, b, "") : LLVMBuildURem(t->builder, a, b, "");
    return is_signed ? LLVMBuildSDiv(t->builder, a, b, "") : LLVMBuildUDiv(t->builder, a, b, "");
}

/* RISC-V's division: by 0 gives all ones, or the dividend as the remainder; no overflow. */
static LLVMValueRef divided(struct translator *t, LLVMValueRef *o, bool v, bool is_signed, bool remainder)
{
    LLVMBuilderRef b = t->builder;
    LLVMValueRef zero = number(t, v, 0), one = number(t, v, 1),
                 minus = number(t, v, t->is_wide ? UINT64_MAX : UINT32_MAX);
    LLVMValueRef by_zero = LLVMBuildICmp(b, LLVMIntEQ, o[1], zero, "");
    LLVMValueRef special = by_zero, by_minus = NULL;
    if (is_signed) {
        by_minus = LLVMBuildICmp(b, LLVMIntEQ, o[1], minus, "");
        special = LLVMBuildOr(b, by_zero, by_minus, "");
    }
    LLVMValueRef divisor, only = v ? splatted(o[1]) : NULL;
    if (only) {
        LLVMTypeRef type = LLVMTypeOf(only);
        LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, only, LLVMConstNull(type), "");
        if (is_signed)
            same = LLVMBuildOr(b, same, LLVMBuildICmp(b, LLVMIntEQ, only, LLVMConstAllOnes(type), ""), "");
        only = LLVMBuildSelect(b, same, LLVMConstInt(type, 1, false), only, "");
        divisor = splat(t, only);
    } else {
        divisor = LLVMBuildSelect(b, special, one, o[1], "");
    }
    LLVMValueRef result = divided_plainly(t, o[0], divisor, only, is_signed, remainder);
    if (is_signed)
        result = LLVMBuildSelect(b, by_minus, remainder ? zero : LLVMBuildSub(b, zero, o[0], ""), result, "");
    return LLVMBuildSelect(b, by_zero, remainder ? o[0] : minus, result, "");
}
MAKE(make_i_div)
{
    (void)context;
    return divided(t, o, v, true, false);
}
MAKE(make_i_rem)
{
    (void)context;
    return divided(t, o, v, true, true);
}
MAKE(make_u_div)
{
    (void)context;
    return divided(t, o, v, false, false);
}
MAKE(make_u_rem)
{
    (void)context;
    return divided(t, o, v, false, true);
}
MAKE(make_carry)
{
    (void)context;
    LLVMValueRef sum = LLVMBuildAdd(t->builder, o[0], o[1], "");
    return LLVMBuildZExt(t->builder, LLVMBuildICmp(t->builder, LLVMIntULT, sum, o[0], ""), int_type(t, v), "");
}
MAKE(make_borrow)
{
    (void)context;
    return LLVMBuildZExt(t->builder, LLVMBuildICmp(t->builder, LLVMIntULT, o[0], o[1], ""), int_type(t, v), "");
}

make_fn *maker_of(enum cy_function function)
{
    static make_fn *const makers[CY_FN_COUNT] = {
        [CY_FN_f_add] = make_f_add,
        [CY_FN_f_sub] = make_f_sub,
        [CY_FN_f_mul] = make_f_mul,
        [CY_FN_f_div] = make_f_div,
        [CY_FN_f_sqrt] = make_f_sqrt,
        [CY_FN_f_fma] = make_f_fma,
        [CY_FN_f_neg] = make_f_neg,
        [CY_FN_f_sgnj] = make_f_sgnj,
        [CY_FN_f_sgnjn] = make_f_sgnjn,
        [CY_FN_f_sgnjx] = make_f_sgnjx,
        [CY_FN_f_min] = make_f_min,
        [CY_FN_f_max] = make_f_max,
        [CY_FN_f_eq] = make_f_eq,
        [CY_FN_f_lt] = make_f_lt,
        [CY_FN_f_le] = make_f_le,
        [CY_FN_f_from_i] = make_f_from_i,
        [CY_FN_f_from_u] = make_f_from_u,
        [CY_FN_f_to_i] = make_f_to_i,
        [CY_FN_f_to_u] = make_f_to_u,
        [CY_FN_f_to_i_rtz] = make_f_to_i_rtz,
        [CY_FN_f_to_u_rtz] = make_f_to_u_rtz,
        [CY_FN_mulh] = make_mulh,
        [CY_FN_mulhsu] = make_mulhsu,
        [CY_FN_mulhu] = make_mulhu,
        [CY_FN_i_div] = make_i_div,
        [CY_FN_i_rem] = make_i_rem,
        [CY_FN_u_div] = make_u_div,
        [CY_FN_u_rem] = make_u_rem,
        [CY_FN_carry] = make_carry,
        [CY_FN_borrow] = make_borrow,
    };
    return makers[function];
}

/* Is all of it supported here?  Otherwise the row is evaluated by the interpreter's function, lane by lane. */
bool is_known(const struct cy_expr *expr)
{
    if ((expr->kind == CY_EXPR_CALL && !maker_of((enum cy_function)expr->function)) ||
        (expr->kind == CY_EXPR_SOURCE && (expr->source == CY_SOURCE_MASK || expr->source == CY_SOURCE_WORD)))
        return false;
    for (unsigned i = 0; i < expr->part_count; i++)
        if (!is_known(expr->part[i]))
            return false;
    return true;
}

/* ---- local ids: consecutive numbers divided by a size of the workgroup ---- */

static LLVMValueRef lane_numbers(struct translator *t, uint32_t by, bool remainder)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = LLVMConstInt(t->i32, remainder ? i % by : i / by, false);
    return LLVMConstVector(lanes, t->w);
}

/* Strips that do not straddle a multiple of the divisor, because they end with a row or are a part of one, or that contain several
 * whole ones. */
static bool divide_ids(struct translator *t, const struct value *id, const struct value *by, bool remainder,
                       struct value *result)
{
    const uint32_t divisor = by->class.constant;
    if (id->class.kind != AFFINE || id->class.stride != 1 || !by->class.is_const || !divisor)
        return false;
    const bool is_item = id->class.is_item && !id->class.lane_factor;
    if (divisor == 1 || (is_item && divisor >= t->items)) {
        *result = remainder == (divisor == 1) ? constant(t, 0) : *id;
        return true;
    }
    const bool is_multiple = (is_item && t->row == t->items) || (1u << id->class.align) % t->lanes == 0;
    const bool ends_with_row = is_item && divisor % t->row == 0;
    LLVMValueRef dividend = scalar_of(t, *id);
    LLVMValueRef by_what = scalar_of(t, *by);
    LLVMValueRef base = NULL;
    if (t->emit && is_item && divisor == t->row) {
        LLVMValueRef strip = LLVMBuildLoad2(t->builder, t->i32, t->strip, "");
        base = remainder ? item_in_row(t, strip) : row_number(t, strip);
    } else if (t->emit)
        base = remainder ? LLVMBuildURem(t->builder, dividend, by_what, "")
                         : LLVMBuildUDiv(t->builder, dividend, by_what, "");
    if ((divisor % t->lanes == 0 && is_multiple) || ends_with_row) {
        *result = remainder ? affine(t, base, 1, item_align(t), false) : uniform(t, base, false);
        return true;
    }
    if (t->lanes % divisor || !(is_multiple || (1ull << id->class.align) % divisor == 0))
        return false;
    LLVMValueRef lanes = t->emit ? lane_numbers(t, divisor, remainder) : NULL;
    if (remainder)
        *result = vector(t, lanes);
    else
        *result = vector(t, t->emit ? LLVMBuildAdd(t->builder, splat(t, base), lanes, "") : NULL);
    return true;
}

/* The number of a work-item in its workgroup, and a divisor. */
static bool are_positive(const struct value *id, const struct value *by)
{
    return id->class.is_item && !id->class.lane_factor && by->class.is_const && (int32_t)by->class.constant > 0;
}

/* ---- trees ---- */

static struct value operand(struct translator *t, const struct inst *inst, enum cy_expr_source source)
{
    static const enum cy_role roles[] = {CY_ROLE_A, CY_ROLE_B, CY_ROLE_C};
    const struct cy_operand *from = cy_effects_operand(&inst->effects, roles[source]);
    if (!from) {
        cannot(t, "an operand of %s", row_of(inst)->mnemonic);
        return constant(t, 0);
    }
    switch (from->kind) {
    case CY_OPERAND_X: return modified(t, inst, source, read_x(t, (unsigned)from->value));
    case CY_OPERAND_V: return modified(t, inst, source, read_active(t, (unsigned)from->value));
    default: {
        const struct value immediate = constant(t, (uint32_t)from->value);
        return source == CY_SOURCE_A ? modified(t, inst, source, immediate) : immediate;
    }
    }
}

enum binary binary_of(const struct cy_expr *expr)
{
    const bool is_signed = expr->part[0]->is_signed && expr->part[1]->is_signed;
    switch ((enum cy_expr_op)expr->op) {
    case CY_EXPR_ADD: return ADD;
    case CY_EXPR_SUB: return SUB;
    case CY_EXPR_MUL: return MUL;
    case CY_EXPR_AND: return AND;
    case CY_EXPR_OR: return OR;
    case CY_EXPR_XOR: return XOR;
    case CY_EXPR_EQ: return EQ;
    case CY_EXPR_NE: return NE;
    case CY_EXPR_SHL: return SHL;
    case CY_EXPR_SHR: return expr->part[0]->is_signed ? ASHR : LSHR;
    case CY_EXPR_LE: return is_signed ? LE : ULE;
    case CY_EXPR_LT: return is_signed ? LT : ULT;
    case CY_EXPR_GE: return is_signed ? GE : UGE;
    default: return is_signed ? GT : UGT;
    }
}

/* The upper word of a workgroup's first work-item's number. */
static bool is_upper_of_start(const struct translator *t, const struct class *x, const struct class *y)
{
    const struct class *number = x->is_const ? y : x, *size = x->is_const ? x : y;
    return number->origin == GROUP_NUMBER && is_below_range(t, number) && size->is_const &&
           size->constant <= t->request->local[number->dimension];
}

static struct value call(struct translator *t, enum cy_function function, struct value *parts, unsigned count)
{
    const bool is_unsigned = function == CY_FN_u_rem || function == CY_FN_u_div;
    const bool is_rem = function == CY_FN_u_rem || function == CY_FN_i_rem,
               is_div = is_unsigned || function == CY_FN_i_div;
    struct value result;
    if ((is_rem || is_div) && (is_unsigned || are_positive(&parts[0], &parts[1])) &&
        divide_ids(t, &parts[0], &parts[1], is_rem, &result))
        return result;
    if (function == CY_FN_mulhu && is_upper_of_start(t, &parts[0].class, &parts[1].class))
        return constant(t, 0);
    return lift(t, maker_of(function), NULL, parts, count);
}

static struct value tree(struct translator *t, const struct inst *inst, const struct cy_expr *expr)
{
    struct value parts[CY_EXPR_MAX_PARTS];
    for (unsigned i = 0; i < expr->part_count; i++) {
        parts[i] = tree(t, inst, expr->part[i]);
        if (expr->kind == CY_EXPR_CALL)
            parts[i] = as_word(t, parts[i]);
    }
    switch ((enum cy_expr_kind)expr->kind) {
    case CY_EXPR_NUMBER: return constant(t, expr->number);
    case CY_EXPR_WIDTH: return constant(t, 32);
    case CY_EXPR_SOURCE: return operand(t, inst, (enum cy_expr_source)expr->source);
    case CY_EXPR_CALL: return call(t, (enum cy_function)expr->function, parts, expr->part_count);
    case CY_EXPR_UNARY:
        switch ((enum cy_expr_op)expr->op) {
        case CY_EXPR_NOT: return binary(t, XOR, parts[0], constant(t, UINT32_MAX));
        case CY_EXPR_IS_ZERO: return binary(t, EQ, parts[0], constant(t, 0));
        case CY_EXPR_NEGATE: return binary(t, SUB, constant(t, 0), parts[0]);
        default: return parts[0];
        }
    case CY_EXPR_BINARY: return binary(t, binary_of(expr), parts[0], parts[1]);
    case CY_EXPR_CHOICE: return choose(t, parts[0], parts[1], parts[2]);
    }
    return constant(t, 0);
}

/* ---- rows that only the interpreter can evaluate ---- */

static LLVMValueRef call_eval(struct translator *t, uint32_t op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef d)
{
    LLVMValueRef args[] = {number32(t, op), a, b, d};
    return call_helper(t, offsetof(struct cy_jit_helpers, eval), t->i32, args, 4);
}

MAKE(make_by_eval)
{
    const uint32_t op = *(const uint32_t *)context;
    if (!v)
        return call_eval(t, op, o[0], o[1], o[2]);
    LLVMValueRef result = LLVMConstNull(t->vi32);
    for (unsigned i = 0; i < t->lanes; i++) {
        LLVMValueRef lane = number32(t, i), each[3];
        for (int k = 0; k < 3; k++)
            each[k] = LLVMBuildExtractElement(t->builder, o[k], lane, "");
        result = LLVMBuildInsertElement(t->builder, result, call_eval(t, op, each[0], each[1], each[2]), lane, "");
    }
    return result;
}

/* a, b and d as cy_eval_fn expects them. */
static struct value by_eval(struct translator *t, const struct inst *inst)
{
    static const enum cy_role roles[] = {CY_ROLE_A, CY_ROLE_B, CY_ROLE_C};
    struct value operands[3];
    uint32_t op = (uint32_t)inst->insn.op;
    for (unsigned i = 0; i < 3; i++)
        operands[i] =
            cy_effects_operand(&inst->effects, roles[i]) ? operand(t, inst, (enum cy_expr_source)i) : constant(t, 0);
    return lift(t, make_by_eval, &op, operands, 3);
}

struct value convert_towards_zero(struct translator *t, struct value value, bool is_signed)
{
    return lift(t, is_signed ? make_f_to_i_rtz : make_f_to_u_rtz, NULL, &value, 1);
}

/* ---- 64-bit elements ---- */

/* Words are shuffled to 64-bit elements, which is shorter than shifts (both hosts are little-endian); object.c undoes it where they
 * come from such elements. */
LLVMValueRef wide_from(struct translator *t, LLVMValueRef low, LLVMValueRef high, bool is_vector)
{
    LLVMTypeRef type = is_vector ? t->vi64 : t->i64;
    LLVMValueRef by = LLVMConstInt(t->i64, 32, false);
    if (is_vector && !LLVMIsConstant(high) && LLVMTypeOf(low) == t->vi32 && LLVMTypeOf(high) == t->vi32) {
        LLVMValueRef order[2 * CY_JIT_MAX_STRIP];
        for (unsigned i = 0; i < 2 * t->w; i++)
            order[i] = number32(t, i / 2 + i % 2 * t->w);
        low = LLVMBuildShuffleVector(t->builder, low, high, LLVMConstVector(order, 2 * t->w), "");
        return LLVMBuildBitCast(t->builder, low, type, "");
    }
    if (is_vector)
        by = splat(t, by);
    LLVMValueRef upper = LLVMBuildShl(t->builder, LLVMBuildZExt(t->builder, high, type, ""), by, "");
    return LLVMBuildOr(t->builder, upper, LLVMBuildZExt(t->builder, low, type, ""), "");
}

LLVMValueRef pair_word(struct translator *t, LLVMValueRef wide, bool high, bool is_vector)
{
    LLVMValueRef by = LLVMConstInt(t->i64, 32, false);
    if (high)
        wide = LLVMBuildLShr(t->builder, wide, is_vector ? splat(t, by) : by, "");
    return LLVMBuildTrunc(t->builder, wide, is_vector ? t->vi32 : t->i32, "");
}

struct value evaluate(struct translator *t, const struct inst *inst)
{
    const struct cy_expr *expr = inst->effects.expr;
    if (inst->is_wide)
        return evaluate_wide_condition(t, inst);
    if (is_known(expr))
        return tree(t, inst, expr);
    if (expr->kind == CY_EXPR_CALL && expr->function == CY_FN_f_exp)
        return exponential(t, inst);
    if (inst->effects.reads_mask) {
        cannot(t, "%s", row_of(inst)->mnemonic);
        return constant(t, 0);
    }
    return by_eval(t, inst);
}
