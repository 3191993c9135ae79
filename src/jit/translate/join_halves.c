/* 64-bit numbers that a lane on its own stores word by word are stored at once: it is one instruction less, and LLVM makes vectors of
 * what it loads and stores as one number.  Loads it joins by itself. */
#include "jit/translate/translate_priv.h"

/* A half of a 64-bit number, or of a constant where some condition holds: nans.c makes such. */
struct half {
    LLVMValueRef number, condition, constant;
    bool is_high;
};

static bool is_half_of(struct translator *t, LLVMValueRef value, struct half *half)
{
    if (LLVMIsASelectInst(value) && !half->condition && LLVMIsAConstantInt(LLVMGetOperand(value, 1))) {
        half->condition = LLVMGetOperand(value, 0);
        half->constant = LLVMGetOperand(value, 1);
        return is_half_of(t, LLVMGetOperand(value, 2), half);
    }
    if (!LLVMIsATruncInst(value) || LLVMTypeOf(LLVMGetOperand(value, 0)) != t->i64)
        return false;
    half->number = LLVMGetOperand(value, 0);
    half->is_high = LLVMIsABinaryOperator(half->number) && LLVMGetInstructionOpcode(half->number) == LLVMLShr &&
                    LLVMGetOperand(half->number, 1) == number64(t, 32);
    if (half->is_high)
        half->number = LLVMGetOperand(half->number, 0);
    return true;
}

/* Is it four bytes from the other one on? */
static bool is_next_word(struct translator *t, LLVMValueRef pointer, LLVMValueRef from)
{
    return LLVMIsAGetElementPtrInst(pointer) && LLVMGetNumOperands(pointer) == 2 &&
           LLVMGetGEPSourceElementType(pointer) == t->i8 && LLVMGetOperand(pointer, 0) == from &&
           LLVMGetOperand(pointer, 1) == number64(t, 4);
}

static bool accesses_memory(LLVMValueRef value)
{
    return LLVMIsALoadInst(value) || LLVMIsAStoreInst(value) || LLVMIsACallInst(value) || LLVMIsAAtomicRMWInst(value) ||
           LLVMIsAAtomicCmpXchgInst(value) || LLVMIsAFenceInst(value);
}

/* The store of the other half, with no access between; NULL: there is none. */
static LLVMValueRef other_store(struct translator *t, LLVMValueRef low)
{
    LLVMValueRef next = LLVMGetNextInstruction(low);
    while (next && !accesses_memory(next))
        next = LLVMGetNextInstruction(next);
    const bool is_store = next && LLVMIsAStoreInst(next) && LLVMTypeOf(LLVMGetOperand(next, 0)) == t->i32;
    return is_store && is_next_word(t, LLVMGetOperand(next, 1), LLVMGetOperand(low, 1)) ? next : NULL;
}

static void join(struct translator *t, LLVMValueRef store, LLVMValueRef other)
{
    struct half low = {0}, high = {0};
    if (!is_half_of(t, LLVMGetOperand(store, 0), &low) || !is_half_of(t, LLVMGetOperand(other, 0), &high) ||
        low.is_high || !high.is_high || low.number != high.number || low.condition != high.condition)
        return;
    LLVMValueRef number = low.number;
    LLVMPositionBuilderBefore(t->builder, other);
    if (low.condition) {
        const uint64_t constant =
            LLVMConstIntGetZExtValue(high.constant) << 32 | LLVMConstIntGetZExtValue(low.constant);
        number = LLVMBuildSelect(t->builder, low.condition, number64(t, constant), number, "");
    }
    LLVMSetAlignment(LLVMBuildStore(t->builder, number, LLVMGetOperand(store, 1)), 1);
    LLVMInstructionEraseFromParent(other);
    LLVMInstructionEraseFromParent(store);
}

void join_halves(struct translator *t)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef value = LLVMGetFirstInstruction(block), next; value; value = next) {
                next = LLVMGetNextInstruction(value);
                LLVMValueRef other = LLVMIsAStoreInst(value) && LLVMTypeOf(LLVMGetOperand(value, 0)) == t->i32
                                         ? other_store(t, value)
                                         : NULL;
                if (next == other && other)
                    next = LLVMGetNextInstruction(other);
                if (other)
                    join(t, value, other);
            }
}
