/* 64-bit numbers that a lane on its own stores word by word are stored at once: it is one instruction less, and LLVM makes vectors of
 * what it loads and stores as one number.  Loads it joins by itself.  Pointers in two sGPRs that a loop counts are one number, too. */
#include "jit/translate/translator.h"

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

/* ---- pointers that a loop counts ---- */

static bool is_operation(LLVMValueRef value, LLVMOpcode opcode)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == opcode;
}

/* The number that is extended to 64 bits without its sign; NULL. */
static LLVMValueRef extended_phi(struct translator *t, LLVMValueRef value)
{
    LLVMValueRef from = is_operation(value, LLVMZExt) ? LLVMGetOperand(value, 0) : NULL;
    return from && LLVMTypeOf(from) == t->i32 && LLVMIsAPHINode(from) ? from : NULL;
}

/* high << 32 | low, of phis of one block? */
static bool is_joined(struct translator *t, LLVMValueRef value, LLVMValueRef *low, LLVMValueRef *high)
{
    for (unsigned i = 0; i < 2 && is_operation(value, LLVMOr); i++) {
        LLVMValueRef shifted = LLVMGetOperand(value, i);
        *low = extended_phi(t, LLVMGetOperand(value, !i));
        *high = is_operation(shifted, LLVMShl) && LLVMGetOperand(shifted, 1) == number64(t, 32)
                    ? extended_phi(t, LLVMGetOperand(shifted, 0))
                    : NULL;
        if (*low && *high && LLVMGetInstructionParent(*low) == LLVMGetInstructionParent(*high))
            return true;
    }
    return false;
}

/* The sum of the joined number and a constant whose halves these are; NULL: they are not.  LLVM adds to the lower half by itself. */
static LLVMValueRef sum_of(struct translator *t, LLVMValueRef joined, LLVMValueRef phi, LLVMValueRef low,
                           LLVMValueRef high)
{
    struct half upper = {0}, lower = {0};
    if (!is_half_of(t, high, &upper) || !upper.is_high || !is_operation(upper.number, LLVMAdd) ||
        LLVMGetOperand(upper.number, 0) != joined || !LLVMIsAConstantInt(LLVMGetOperand(upper.number, 1)))
        return NULL;
    const uint64_t step = LLVMConstIntGetZExtValue(LLVMGetOperand(upper.number, 1));
    const bool adds_alike = is_operation(low, LLVMAdd) && LLVMGetOperand(low, 0) == phi &&
                            LLVMGetOperand(low, 1) == number32(t, (uint32_t)step);
    const bool is_half = is_half_of(t, low, &lower) && !lower.is_high && lower.number == upper.number;
    return adds_alike || is_half ? upper.number : NULL;
}

static LLVMValueRef joined_at_end(struct translator *t, LLVMBasicBlockRef block, LLVMValueRef low, LLVMValueRef high)
{
    LLVMPositionBuilderBefore(t->builder, LLVMGetBasicBlockTerminator(block));
    return wide_from(t, low, high, false);
}

static void count_whole(struct translator *t, LLVMValueRef joined, LLVMValueRef low, LLVMValueRef high)
{
    enum { MOST_WAYS = 8 };
    const unsigned ways = LLVMCountIncoming(low);
    LLVMValueRef values[MOST_WAYS];
    LLVMBasicBlockRef from[MOST_WAYS];
    bool counts = false;
    if (ways > MOST_WAYS || ways != LLVMCountIncoming(high))
        return;
    for (unsigned i = 0; i < ways; i++) {
        from[i] = LLVMGetIncomingBlock(low, i);
        values[i] = sum_of(t, joined, low, LLVMGetIncomingValue(low, i), LLVMGetIncomingValue(high, i));
        counts |= values[i] != NULL;
        if (from[i] != LLVMGetIncomingBlock(high, i))
            return;
    }
    for (unsigned i = 0; i < ways && counts; i++)
        if (!values[i])
            values[i] = joined_at_end(t, from[i], LLVMGetIncomingValue(low, i), LLVMGetIncomingValue(high, i));
    if (!counts)
        return;
    LLVMPositionBuilderBefore(t->builder, low);
    LLVMValueRef whole = LLVMBuildPhi(t->builder, t->i64, "");
    LLVMAddIncoming(whole, values, from, ways);
    LLVMReplaceAllUsesWith(joined, whole);
}

/* An address in two sGPRs is two numbers in each turn of a loop, of which checks before the loop and LLVM make nothing. */
void count_pointers(struct translator *t)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef value = LLVMGetFirstInstruction(block); value; value = LLVMGetNextInstruction(value)) {
                LLVMValueRef low, high;
                if (is_joined(t, value, &low, &high))
                    count_whole(t, value, low, high);
            }
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
