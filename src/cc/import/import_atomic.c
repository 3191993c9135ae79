/* Atomic operations on words.  Private memory is not shared, so there they are a plain load and store. */
#include "cc/import/import_priv.h"

#include "isa/isa.h"

#include <string.h>

static const struct operation {
    LLVMAtomicRMWBinOp llvm;
    const char *name; /* in the device library's intrinsic */
    enum cy_op row;
    enum ir_op plain; /* the operation; IR_NONE: the result is the operand */
} operations[] = {
    {LLVMAtomicRMWBinOpXchg, "swap", CY_OP_amoswap_w, IR_NONE},
    {LLVMAtomicRMWBinOpAdd, "add", CY_OP_amoadd_w, IR_ADD},
    {LLVMAtomicRMWBinOpAnd, "and", CY_OP_amoand_w, IR_AND},
    {LLVMAtomicRMWBinOpOr, "or", CY_OP_amoor_w, IR_OR},
    {LLVMAtomicRMWBinOpXor, "xor", CY_OP_amoxor_w, IR_XOR},
    {LLVMAtomicRMWBinOpMax, "max", CY_OP_amomax_w, IR_MAXS},
    {LLVMAtomicRMWBinOpMin, "min", CY_OP_amomin_w, IR_MINS},
    {LLVMAtomicRMWBinOpUMax, "maxu", CY_OP_amomaxu_w, IR_MAXU},
    {LLVMAtomicRMWBinOpUMin, "minu", CY_OP_amominu_w, IR_MINU},
};

struct atomic {
    const struct operation *operation; /* NULL: compare and exchange */
    ir_value address, operand, desired;
};

static ir_value in_memory(struct importer *im, const struct atomic *a)
{
    if (!a->operation)
        return emit3(im, IR_CAS, a->address, a->operand, a->desired);
    ir_value result = build(im, IR_AMO, a->address, a->operand);
    ir_at(im->func, result)->imm = (int32_t)a->operation->row;
    return result;
}

static ir_value in_private(struct importer *im, const struct atomic *a)
{
    ir_value old = build_load(im, a->address, 0, 4, true), value = a->operand;
    if (!a->operation)
        value = build_select(im, build(im, IR_EQ, old, a->operand), a->desired, old);
    else if (a->operation->plain != IR_NONE)
        value = build(im, a->operation->plain, old, a->operand);
    build_store(im, a->address, 0, 4, value, true);
    return old;
}

static ir_value anywhere(struct importer *im, LLVMValueRef pointer, const struct atomic *a)
{
    struct import_both both;
    switch (import_space(pointer)) {
    case IMPORT_PRIVATE: return in_private(im, a);
    case IMPORT_PLAIN: return in_memory(im, a);
    case IMPORT_EITHER: break;
    }
    import_both_begin(im, a->address, &both);
    ir_value first = in_private(im, a);
    import_both_next(im, &both);
    ir_value second = in_memory(im, a);
    import_both_end(im, &both);
    return import_both_value(im, first, second);
}

bool import_atomic_call(struct importer *im, LLVMValueRef call, const char *name)
{
    static const char amo[] = "__cy_amo_", cas[] = "__cy_cas_";
    LLVMValueRef pointer = LLVMGetOperand(call, 0);
    struct atomic atomic = {0};
    size_t length = 0;
    if (!strncmp(name, amo, strlen(amo))) {
        name += strlen(amo);
        length = strcspn(name, "_");
        for (size_t i = 0; i < CY_COUNT(operations); i++)
            if (strlen(operations[i].name) == length && !strncmp(name, operations[i].name, length))
                atomic.operation = &operations[i];
    } else if (strncmp(name, cas, strlen(cas)) != 0) {
        return false;
    }
    import_get(im, pointer, &atomic.address, 1);
    import_get(im, LLVMGetOperand(call, 1), &atomic.operand, 1);
    if (!atomic.operation)
        import_get(im, LLVMGetOperand(call, 2), &atomic.desired, 1);
    ir_value result = anywhere(im, pointer, &atomic);
    import_set(im, call, &result, 1);
    return true;
}

/* ---- LLVM's instructions ---- */

/* The machine performs a work-item's accesses in order; for other work-items a fence orders the accesses around it. */
void import_fence_for(struct importer *im, LLVMAtomicOrdering ordering)
{
    if (ordering != LLVMAtomicOrderingNotAtomic && ordering != LLVMAtomicOrderingUnordered &&
        ordering != LLVMAtomicOrderingMonotonic)
        build(im, IR_FENCE, 0, 0);
}

static bool is_word(struct importer *im, LLVMValueRef insn, LLVMTypeRef type)
{
    bool word = import_is(type, LLVMFloatTypeKind) || import_is(type, LLVMPointerTypeKind) ||
                (import_is(type, LLVMIntegerTypeKind) && LLVMGetIntTypeWidth(type) == 32);
    if (!word)
        import_error(im, insn, "atomic operations are supported on 32 bits, not on %u",
                     (unsigned)LLVMSizeOfTypeInBits(im->layout, type));
    return word;
}

static void import_rmw(struct importer *im, LLVMValueRef insn)
{
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(insn);
    bool subtract = op == LLVMAtomicRMWBinOpSub;
    struct atomic atomic = {0};
    if (!is_word(im, insn, LLVMTypeOf(insn)))
        return;
    for (size_t i = 0; i < CY_COUNT(operations); i++)
        if (operations[i].llvm == (subtract ? LLVMAtomicRMWBinOpAdd : op))
            atomic.operation = &operations[i];
    if (!atomic.operation) {
        import_error(im, insn, "this atomic operation is not supported");
        return;
    }
    import_get(im, LLVMGetOperand(insn, 0), &atomic.address, 1);
    import_get(im, LLVMGetOperand(insn, 1), &atomic.operand, 1);
    if (subtract)
        atomic.operand = build(im, IR_SUB, build_const(im, 0), atomic.operand);
    import_fence_for(im, LLVMGetOrdering(insn));
    ir_value result = anywhere(im, LLVMGetOperand(insn, 0), &atomic);
    import_fence_for(im, LLVMGetOrdering(insn));
    import_set(im, insn, &result, 1);
}

static void import_cmpxchg(struct importer *im, LLVMValueRef insn)
{
    struct atomic atomic = {0};
    if (!is_word(im, insn, LLVMTypeOf(LLVMGetOperand(insn, 1))))
        return;
    import_get(im, LLVMGetOperand(insn, 0), &atomic.address, 1);
    import_get(im, LLVMGetOperand(insn, 1), &atomic.operand, 1);
    import_get(im, LLVMGetOperand(insn, 2), &atomic.desired, 1);
    import_fence_for(im, LLVMGetCmpXchgSuccessOrdering(insn));
    ir_value old = anywhere(im, LLVMGetOperand(insn, 0), &atomic);
    import_fence_for(im, LLVMGetCmpXchgSuccessOrdering(insn));
    import_set(im, insn, (ir_value[]){old, build(im, IR_EQ, old, atomic.operand)}, 2);
}

bool import_atomic(struct importer *im, LLVMValueRef insn)
{
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMAtomicRMW: import_rmw(im, insn); return true;
    case LLVMAtomicCmpXchg: import_cmpxchg(im, insn); return true;
    case LLVMFence: build(im, IR_FENCE, 0, 0); return true;
    default: return false;
    }
}
