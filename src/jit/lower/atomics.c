/* Atomic operations: by a helper, lane by lane.  And fences. */
#include "jit/lower/access.h"

LLVMValueRef lower_atomic_op(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    LLVMBuilderRef b = t->builder;
    if (insn->op == CY_SIR_LR || insn->op == CY_SIR_SC) {
        cannot(t, "an LR and an SC that are not one operation");
        return LLVMConstNull(LLVMVectorType(lower_type(l, (enum cy_sir_type)insn->type), t->w));
    }
    const cy_sir_value data[2] = {insn->args[2], insn->op == CY_SIR_CAS ? insn->args[3] : 0};
    LLVMValueRef base = lower_plus(l, lower_base(l, insn, true), l->func->accesses.at[insn->access].offset);
    lower_store_addresses(l, base);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef words = data[i] ? lower_vector(l, data[i]) : LLVMConstNull(t->vi64);
        words = LLVMTypeOf(words) == t->vi64 ? words : LLVMBuildZExt(b, words, t->vi64, "");
        LLVMBuildStore(b, words, at_offset(t, l->data, (int64_t)i * 8 * CY_JIT_MAX_STRIP));
    }
    LLVMValueRef args[] = {t->frame,
                           number32(t, l->accesses[insn->access]),
                           number32(t, lower_site(l)),
                           l->addresses,
                           l->data,
                           lower_bits(l, insn->mask),
                           rare_item(t),
                           t->memory};
    stop_if(t, call_helper(t, offsetof(struct cy_jit_helpers, atomic), t->i32, args, CY_COUNT(args)));
    LLVMValueRef result = LLVMBuildLoad2(b, t->vi64, l->data, "");
    return insn->type == CY_SIR_I64
               ? result
               : LLVMBuildTrunc(b, result, LLVMVectorType(lower_type(l, (enum cy_sir_type)insn->type), t->w), "");
}

/* Hosts order all but loads after stores at little or no cost.  imm: succ, pred above, and above that whether it is fence.tso. */
void lower_fence(struct lower *l, const struct cy_sir_insn *insn)
{
    enum { WRITES = 5, READS = 10, TSO = 256 }; /* iorw */
    LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
    if (insn->imm & TSO)
        order = LLVMAtomicOrderingAcquireRelease;
    else if (!(insn->imm >> 4 & WRITES))
        order = LLVMAtomicOrderingAcquire;
    else if (!(insn->imm & READS))
        order = LLVMAtomicOrderingRelease;
    LLVMBuildFence(l->t->builder, order, false, "");
}
