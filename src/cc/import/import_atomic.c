/* Atomic operations on words and pairs of them.  Private memory is not shared, so there they are a plain load and store. */
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
    unsigned words;                    /* 1 or 2 */
    LLVMValueRef pointer;
    ir_value operand[2], desired[2];
};

static void in_memory(struct importer *im, const struct atomic *a, ir_value *old)
{
    bool wide = a->words == 2;
    ir_value address = import_address(im, a->pointer, false);
    ir_value operand = wide ? build_pack(im, a->operand) : a->operand[0], result;
    if (!a->operation) {
        ir_value desired = wide ? build_pack(im, a->desired) : a->desired[0];
        result = emit3(im, wide ? IR_CAS64 : IR_CAS, address, operand, desired);
    } else {
        result = build(im, wide ? IR_AMO64 : IR_AMO, address, operand);
        ir_at(im->func, result)->imm = (int32_t)a->operation->row;
    }
    if (wide)
        build_unpack(im, result, old);
    else
        old[0] = result;
}

/* The new value of a pair of words. */
static void combine(struct importer *im, enum ir_op op, const ir_value *a, const ir_value *b, ir_value *out)
{
    bool is_min = op == IR_MINS || op == IR_MINU;
    switch (op) {
    case IR_NONE: memcpy(out, b, 2 * sizeof(*out)); break;
    case IR_ADD: int_add(im, 2, a, b, out); break;
    case IR_AND:
    case IR_OR:
    case IR_XOR:
        out[0] = build(im, op, a[0], b[0]);
        out[1] = build(im, op, a[1], b[1]);
        break;
    default: {
        ir_value less = int_less(im, op == IR_MINS || op == IR_MAXS, 2, a, b);
        int_select(im, 2, less, is_min ? a : b, is_min ? b : a, out);
    }
    }
}

static void in_private(struct importer *im, const struct atomic *a, ir_value *old)
{
    ir_value value[2], address = import_address(im, a->pointer, true);
    for (unsigned i = 0; i < a->words; i++)
        old[i] = build_load(im, address, 4 * (int32_t)i, 4, true);
    if (!a->operation)
        int_select(im, a->words, int_equal(im, a->words, old, a->operand), a->desired, old, value);
    else if (a->words == 2)
        combine(im, a->operation->plain, old, a->operand, value);
    else
        value[0] =
            a->operation->plain == IR_NONE ? a->operand[0] : build(im, a->operation->plain, old[0], a->operand[0]);
    for (unsigned i = 0; i < a->words; i++)
        build_store(im, address, 4 * (int32_t)i, 4, value[i], true);
}

static void anywhere(struct importer *im, const struct atomic *a, ir_value *old)
{
    struct import_both both;
    ir_value first[2], second[2];
    switch (import_space(a->pointer)) {
    case IMPORT_PRIVATE: in_private(im, a, old); return;
    case IMPORT_PLAIN: in_memory(im, a, old); return;
    case IMPORT_EITHER: break;
    }
    import_both_begin(im, a->pointer, &both);
    in_private(im, a, first);
    import_both_next(im, &both);
    in_memory(im, a, second);
    import_both_end(im, &both);
    for (unsigned i = 0; i < a->words; i++)
        old[i] = import_both_value(im, first[i], second[i]);
}

static const char amo[] = "__cy_amo", cas[] = "__cy_cas";

/* __cy_amo_add_g, __cy_amo64_add_g, __cy_cas_l ... */
bool import_atomic_call(struct importer *im, LLVMValueRef call, const char *name)
{
    struct atomic atomic = {.words = 1};
    size_t length = 0;
    if (strncmp(name, amo, strlen(amo)) != 0 && strncmp(name, cas, strlen(cas)) != 0)
        return false;
    if (!strncmp(name + strlen(amo), "64", 2))
        atomic.words = 2;
    if (!strncmp(name, amo, strlen(amo))) {
        name += strlen(amo) + (atomic.words == 2 ? 2 : 0) + 1;
        length = strcspn(name, "_");
        for (size_t i = 0; i < CY_COUNT(operations); i++)
            if (strlen(operations[i].name) == length && !strncmp(name, operations[i].name, length))
                atomic.operation = &operations[i];
    }
    ir_value old[2];
    atomic.pointer = LLVMGetOperand(call, 0);
    import_get(im, LLVMGetOperand(call, 1), atomic.operand, atomic.words);
    if (!atomic.operation)
        import_get(im, LLVMGetOperand(call, 2), atomic.desired, atomic.words);
    anywhere(im, &atomic, old);
    import_set(im, call, old, atomic.words);
    return true;
}

/* ---- LLVM's instructions ---- */

/* The machine performs a work-item's accesses in order; for other work-items a fence orders the accesses around it. */
static void build_fence(struct importer *im, int32_t which)
{
    ir_at(im->func, build(im, IR_FENCE, 0, 0))->imm = which;
}

void import_fence(struct importer *im, LLVMAtomicOrdering ordering)
{
    switch (ordering) {
    case LLVMAtomicOrderingAcquire: build_fence(im, IR_FENCE_ACQUIRE); break;
    case LLVMAtomicOrderingRelease: build_fence(im, IR_FENCE_RELEASE); break;
    case LLVMAtomicOrderingAcquireRelease: build_fence(im, IR_FENCE_TSO); break;
    case LLVMAtomicOrderingSequentiallyConsistent: build_fence(im, IR_FENCE_FULL); break;
    default: break;
    }
}

/* Every sequentially consistent access has a full fence before it, so that none is needed after it. */
void import_fence_before(struct importer *im, LLVMAtomicOrdering ordering)
{
    if (ordering == LLVMAtomicOrderingSequentiallyConsistent)
        build_fence(im, IR_FENCE_FULL);
    else if (ordering == LLVMAtomicOrderingRelease || ordering == LLVMAtomicOrderingAcquireRelease)
        build_fence(im, IR_FENCE_RELEASE);
}

void import_fence_after(struct importer *im, LLVMAtomicOrdering ordering)
{
    if (ordering == LLVMAtomicOrderingSequentiallyConsistent || ordering == LLVMAtomicOrderingAcquire ||
        ordering == LLVMAtomicOrderingAcquireRelease)
        build_fence(im, IR_FENCE_ACQUIRE);
}

/* 1, 2, or after a diagnostic 0. */
static unsigned word_count(struct importer *im, LLVMValueRef insn, LLVMTypeRef type)
{
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(im->layout, type);
    if (bits == 32 || bits == 64)
        return bits / 32;
    import_error(im, insn, "atomic operations are supported on 32 and 64 bits, not on %u", bits);
    return 0;
}

static void import_rmw(struct importer *im, LLVMValueRef insn)
{
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(insn);
    bool subtract = op == LLVMAtomicRMWBinOpSub;
    struct atomic atomic = {.words = word_count(im, insn, LLVMTypeOf(insn))};
    ir_value old[2];
    if (!atomic.words)
        return;
    for (size_t i = 0; i < CY_COUNT(operations); i++)
        if (operations[i].llvm == (subtract ? LLVMAtomicRMWBinOpAdd : op))
            atomic.operation = &operations[i];
    if (!atomic.operation) {
        import_error(im, insn, "this atomic operation is not supported");
        return;
    }
    atomic.pointer = LLVMGetOperand(insn, 0);
    import_get(im, LLVMGetOperand(insn, 1), atomic.operand, atomic.words);
    if (subtract)
        int_negate(im, atomic.words, atomic.operand, atomic.operand);
    import_fence_before(im, LLVMGetOrdering(insn));
    anywhere(im, &atomic, old);
    import_fence_after(im, LLVMGetOrdering(insn));
    import_set(im, insn, old, atomic.words);
}

static void import_cmpxchg(struct importer *im, LLVMValueRef insn)
{
    struct atomic atomic = {.words = word_count(im, insn, LLVMTypeOf(LLVMGetOperand(insn, 1)))};
    ir_value old[3];
    if (!atomic.words)
        return;
    atomic.pointer = LLVMGetOperand(insn, 0);
    import_get(im, LLVMGetOperand(insn, 1), atomic.operand, atomic.words);
    import_get(im, LLVMGetOperand(insn, 2), atomic.desired, atomic.words);
    const LLVMAtomicOrdering success = LLVMGetCmpXchgSuccessOrdering(insn);
    const LLVMAtomicOrdering failure = LLVMGetCmpXchgFailureOrdering(insn);
    import_fence_before(im, failure == LLVMAtomicOrderingSequentiallyConsistent ? failure : success);
    anywhere(im, &atomic, old);
    import_fence_after(im, failure != LLVMAtomicOrderingMonotonic ? failure : success);
    old[atomic.words] = int_equal(im, atomic.words, old, atomic.operand);
    import_set(im, insn, old, atomic.words + 1);
}

static bool is_compare_exchange(LLVMValueRef insn)
{
    if (LLVMIsAAtomicCmpXchgInst(insn))
        return true;
    LLVMValueRef callee = LLVMIsACallInst(insn) ? LLVMIsAFunction(LLVMGetCalledValue(insn)) : NULL;
    size_t length;
    return callee && !strncmp(LLVMGetValueName2(callee, &length), cas, strlen(cas));
}

/* Is it what a compare-exchange at the same address expects to find?  The operation asks by itself whether it is still there. */
bool import_is_expected(LLVMValueRef value, LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (is_compare_exchange(user) && LLVMGetOperand(user, 0) == pointer && LLVMGetOperand(user, 1) == value)
            return true;
        for (LLVMUseRef next = LLVMGetFirstUse(user); next; next = LLVMGetNextUse(next)) {
            LLVMValueRef after = LLVMGetUser(next); /* as another type, or what a loop has found last */
            if ((LLVMIsABitCastInst(user) || LLVMIsAPHINode(user)) && is_compare_exchange(after) &&
                LLVMGetOperand(after, 0) == pointer && LLVMGetOperand(after, 1) == user)
                return true;
        }
    }
    return false;
}

bool import_atomic(struct importer *im, LLVMValueRef insn)
{
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMAtomicRMW: import_rmw(im, insn); return true;
    case LLVMAtomicCmpXchg: import_cmpxchg(im, insn); return true;
    case LLVMFence: import_fence(im, LLVMGetOrdering(insn)); return true;
    default: return false;
    }
}
