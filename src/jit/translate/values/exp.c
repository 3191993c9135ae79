/* e^x, rounded correctly as the interpreter's (gpu/fp/fp_exp.c): computed with doubles, whose error is far below a float's
 * rounding.  Lanes for which that does not decide, and those without a normal result, are left to the interpreter. */
#include "jit/translate/translator.h"

enum { DOUBT = 512 }; /* in units of a double's last place; the error is below 100 */

struct doubles {
    struct translator *t;
    bool is_vector;
};

static LLVMValueRef every(const struct doubles *d, LLVMValueRef number)
{
    return d->is_vector ? splat(d->t, number) : number;
}

static LLVMValueRef real(const struct doubles *d, double value)
{
    return every(d, LLVMConstReal(d->t->f64, value));
}

static LLVMValueRef word(const struct doubles *d, uint64_t value)
{
    return every(d, LLVMConstInt(d->t->i64, value, false));
}

/* a * b + c, fused or not. */
static LLVMValueRef multiply_add(const struct doubles *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef args[] = {a, b, c};
    return intrinsic(d->t, "llvm.fmuladd", LLVMTypeOf(a), args, 3);
}

/* Splits x = k * ln 2 + r; *power is 2^k's place in a double's exponent. */
static LLVMValueRef reduce(const struct doubles *d, LLVMValueRef x, LLVMValueRef *power)
{
    LLVMBuilderRef b = d->t->builder;
    LLVMValueRef rounder = real(d, 0x1.8p52); /* its last place is worth 1 */
    LLVMValueRef sum = LLVMBuildFAdd(b, LLVMBuildFMul(b, x, real(d, 0x1.71547652b82fep0), ""), rounder, "");
    LLVMValueRef k = LLVMBuildFSub(b, sum, rounder, "");
    LLVMValueRef bits = LLVMBuildBitCast(b, sum, d->is_vector ? d->t->vi64 : d->t->i64, "");
    *power = LLVMBuildShl(b, bits, word(d, 52), "");
    /* ln 2 in two parts, the first so short that its product with k is exact */
    LLVMValueRef r = LLVMBuildFSub(b, x, LLVMBuildFMul(b, k, real(d, 0x1.62e42feep-1), ""), "");
    return LLVMBuildFSub(b, r, LLVMBuildFMul(b, k, real(d, 0x1.a39ef35793c76p-33), ""), "");
}

/* The bits of e^x as doubles, x in the range of normal results. */
static LLVMValueRef exponential_bits(const struct doubles *d, LLVMValueRef x)
{
    enum { DEGREE = 11 }; /* |r| < 0.35: the rest of the series is below 2^-47 */
    LLVMBuilderRef b = d->t->builder;
    LLVMValueRef power, r = reduce(d, x, &power);
    double factorial = 1;
    for (int i = 2; i <= DEGREE; i++)
        factorial *= i;
    LLVMValueRef sum = real(d, 1 / factorial);
    for (int i = DEGREE; i > 0; i--) {
        factorial /= i;
        sum = multiply_add(d, sum, r, real(d, 1 / factorial));
    }
    LLVMValueRef bits = LLVMBuildBitCast(b, sum, d->is_vector ? d->t->vi64 : d->t->i64, "");
    return LLVMBuildAdd(b, bits, power, "");
}

/* Evaluates some lanes by the interpreter's function. */
static LLVMValueRef correct(struct translator *t, uint32_t op, LLVMValueRef from, LLVMValueRef fast, LLVMValueRef lanes)
{
    LLVMTypeRef type = LLVMTypeOf(from);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(t->builder), slow = new_block(t, "exact"), on = new_block(t, "exp");
    LLVMValueRef none = LLVMBuildICmp(t->builder, LLVMIntEQ, lanes, number32(t, 0), "");
    LLVMBuildCondBr(t->builder, none, on, slow);
    LLVMPositionBuilderAtEnd(t->builder, slow);
    LLVMBuildStore(t->builder, from, t->buffers[0]);
    LLVMBuildStore(t->builder, fast, t->buffers[1]);
    LLVMValueRef args[] = {t->frame, number32(t, op), t->buffers[0], t->buffers[1], lanes};
    call_rare_helper(t, offsetof(struct cy_jit_helpers, eval_lanes), args, 5);
    LLVMValueRef exact = LLVMBuildLoad2(t->builder, type, t->buffers[1], "");
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
    LLVMValueRef result = LLVMBuildPhi(t->builder, type, ""), values[] = {fast, exact};
    LLVMBasicBlockRef blocks[] = {before, slow};
    LLVMAddIncoming(result, values, blocks, 2);
    return result;
}

static LLVMValueRef make_exponential(struct translator *t, LLVMValueRef *operands, bool is_vector, void *context)
{
    const struct doubles d = {t, is_vector};
    LLVMBuilderRef b = t->builder;
    LLVMTypeRef word_type = is_vector ? t->vi32 : t->i32, float_type = is_vector ? t->vf32 : t->f32;
    LLVMValueRef x = LLVMBuildBitCast(b, operands[0], float_type, "");
    x = LLVMBuildFPExt(b, x, is_vector ? t->vf64 : t->f64, "");
    LLVMValueRef bits = exponential_bits(&d, x);
    LLVMValueRef fast = LLVMBuildFPTrunc(b, LLVMBuildBitCast(b, bits, LLVMTypeOf(x), ""), float_type, "");
    fast = LLVMBuildBitCast(b, fast, word_type, "");
    /* near the middle between two floats, or without a normal result */
    LLVMValueRef rest = LLVMBuildAnd(b, bits, word(&d, (1u << 29) - 1), "");
    rest = LLVMBuildSub(b, rest, word(&d, (1u << 28) - DOUBT), "");
    LLVMValueRef doubtful = LLVMBuildICmp(b, LLVMIntULT, rest, word(&d, 2 * (uint64_t)DOUBT), "");
    LLVMValueRef low = LLVMBuildFCmp(b, LLVMRealULT, x, real(&d, -87), "");
    LLVMValueRef high = LLVMBuildFCmp(b, LLVMRealUGT, x, real(&d, 88), "");
    LLVMValueRef slow = LLVMBuildOr(b, doubtful, LLVMBuildOr(b, low, high, ""), "");
    LLVMValueRef lanes = LLVMBuildZExt(b, slow, word_type, "");
    if (is_vector) {
        lanes = mask_bits(t, lanes);
        if (t->version == MASKED)
            lanes = LLVMBuildAnd(b, lanes, active_bits(t), "");
    }
    return correct(t, *(const uint32_t *)context, operands[0], fast, lanes);
}

LLVMValueRef exponential_of(struct translator *t, LLVMValueRef bits, bool is_vector)
{
    uint32_t op = CY_OP_vfexp_v;
    return make_exponential(t, &bits, is_vector, &op);
}

struct value exponential(struct translator *t, const struct inst *inst)
{
    uint32_t op = (uint32_t)inst->insn.op;
    struct value from = modified(t, inst, 1, read_active(t, (unsigned)field(inst, CY_FIELD_vs2)));
    return lift(t, make_exponential, &op, &from, 1);
}
