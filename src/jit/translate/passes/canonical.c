/* Where the host's arithmetic gives the guest's NaN, llvm.canonicalize stands for operations that LLVM folds to an operand, and for what minima
 * and maxima do to their operands: they prefer numbers to quiet NaNs only.  After LLVM's passes it becomes the operand where that has been
 * computed, and else a multiplication by 1: LLVM 19 has no code for the intrinsic on vectors. */
#include "jit/translate/translator.h"

#include <string.h>

struct walk {
    struct translator *t;
    bool is_quiet_enough; /* any NaN that does not signal will do */
    LLVMValueRef met[32]; /* what all is well with if it is with the rest */
    unsigned met_count;
};

static unsigned intrinsic_id(LLVMValueRef value)
{
    return LLVMIsACallInst(value) ? LLVMGetIntrinsicID(LLVMGetCalledValue(value)) : 0;
}

static bool is_intrinsic(LLVMValueRef value, const char *name)
{
    return intrinsic_id(value) && intrinsic_id(value) == LLVMLookupIntrinsicID(name, strlen(name));
}

static LLVMTypeRef element_of(LLVMTypeRef type)
{
    return is_vector(type) ? LLVMGetElementType(type) : type;
}

static bool is_float(const struct translator *t, LLVMTypeRef type)
{
    return element_of(type) == t->f32 || element_of(type) == t->f64;
}

static bool keeps_elements(LLVMValueRef cast)
{
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(cast, 0)), to = LLVMTypeOf(cast);
    return is_vector(from) == is_vector(to) && (!is_vector(to) || LLVMGetVectorSize(from) == LLVMGetVectorSize(to));
}

/* Of integers or floats; of NaNs only ours, or no signalling one. */
static bool is_fit(const struct walk *walk, LLVMValueRef constant)
{
    LLVMTypeRef type = LLVMTypeOf(constant), element = element_of(type);
    const bool is_double = element == walk->t->f64 || element == walk->t->i64;
    const uint64_t quiet = is_double ? 0x7ff8000000000000 : 0x7fc00000, sign = is_double ? 1ull << 63 : 1u << 31;
    for (unsigned i = 0; i < (is_vector(type) ? LLVMGetVectorSize(type) : 1); i++) {
        LLVMValueRef number = is_vector(type) ? LLVMGetAggregateElement(constant, i) : constant;
        if (is_float(walk->t, type))
            number = LLVMConstBitCast(number, is_double ? walk->t->i64 : walk->t->i32);
        if (!LLVMIsAConstantInt(number))
            return false;
        const uint64_t bits = LLVMConstIntGetZExtValue(number), infinity = quiet & quiet << 1;
        if ((bits & ~sign) > infinity && (walk->is_quiet_enough ? (bits & quiet) != quiet : bits != quiet))
            return false;
    }
    return true;
}

static bool is_settled(struct walk *walk, LLVMValueRef value);

static bool are_settled(struct walk *walk, LLVMValueRef value, unsigned first)
{
    for (unsigned i = 0; i < walk->met_count; i++)
        if (walk->met[i] == value)
            return true;
    if (walk->met_count == CY_COUNT(walk->met))
        return false;
    walk->met[walk->met_count++] = value;
    const unsigned count = LLVMIsAPHINode(value) ? LLVMCountIncoming(value) : (unsigned)LLVMGetNumOperands(value);
    for (unsigned i = first; i < count; i++)
        if (!is_settled(walk, LLVMIsAPHINode(value) ? LLVMGetIncomingValue(value, i) : LLVMGetOperand(value, i)))
            return false;
    return true;
}

/* Is it a result of the host's arithmetic, whose NaN is ours, or a choice of such? */
static bool is_settled(struct walk *walk, LLVMValueRef value)
{
    if (LLVMIsConstant(value))
        return is_fit(walk, value);
    if (!LLVMIsAInstruction(value))
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFPExt:
    case LLVMFPTrunc:
    case LLVMSIToFP:
    case LLVMUIToFP: return true;
    case LLVMFNeg: return walk->is_quiet_enough && is_settled(walk, LLVMGetOperand(value, 0));
    case LLVMCall:
        if (is_intrinsic(value, "llvm.fabs"))
            return is_settled(walk, LLVMGetOperand(value, 0));
        return intrinsic_id(value) && is_float(walk->t, LLVMTypeOf(value)) && !is_intrinsic(value, "llvm.copysign");
    case LLVMBitCast: return keeps_elements(value) && is_settled(walk, LLVMGetOperand(value, 0));
    case LLVMSelect: return are_settled(walk, value, 1);
    case LLVMShuffleVector:
    case LLVMPHI: return are_settled(walk, value, 0);
    default: return false;
    }
}

static bool is_for_extremes(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (!is_intrinsic(LLVMGetUser(use), "llvm.minnum") && !is_intrinsic(LLVMGetUser(use), "llvm.maxnum"))
            return false;
    return true;
}

void settle_canonicalisation(struct translator *t)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef value = LLVMGetFirstInstruction(block), next; value; value = next) {
                next = LLVMGetNextInstruction(value);
                if (!is_intrinsic(value, "llvm.canonicalize"))
                    continue;
                struct walk walk = {.t = t, .is_quiet_enough = is_for_extremes(value)};
                LLVMPositionBuilderBefore(t->builder, value);
                LLVMValueRef operand = LLVMGetOperand(value, 0);
                LLVMReplaceAllUsesWith(value, is_settled(&walk, operand) ? operand : times_one(t, operand));
                LLVMInstructionEraseFromParent(value);
            }
}
