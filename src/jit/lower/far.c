/* Accesses by 64-bit addresses: by a helper, lane by lane. */
#include "jit/lower/access.h"

void lower_store_addresses(struct lower *l, LLVMValueRef base)
{
    struct translator *t = l->t;
    if (LLVMTypeOf(base) != t->vi64)
        base = LLVMBuildZExt(t->builder, base, t->vi64, "");
    LLVMBuildStore(t->builder, base, l->addresses);
}

static void access_far(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    LLVMValueRef bits = lower_bits(l, insn->mask);
    if (access->is_scalar) /* by the first lane */
        bits = LLVMBuildAnd(t->builder, bits, LLVMBuildNeg(t->builder, bits, ""), "");
    lower_store_addresses(l, lower_base(l, insn, true));
    LLVMValueRef args[] = {t->frame, number32(t, l->accesses[insn->access]), l->addresses, l->data, bits, rare_item(t)};
    stop_if(t, call_helper(t, offsetof(struct cy_jit_helpers, far_access), t->i32, args, CY_COUNT(args)));
}

LLVMValueRef lower_far_load(struct lower *l, const struct cy_sir_insn *insn, bool is_vector)
{
    struct translator *t = l->t;
    access_far(l, insn);
    LLVMValueRef row = LLVMBuildLoad2(t->builder, t->vi32, l->data, "");
    LLVMTypeRef type = lower_type(l, (enum cy_sir_type)insn->type);
    row = is_vector ? row : lower_first_active(l, row, insn->mask);
    type = is_vector ? LLVMVectorType(type, t->w) : type;
    return LLVMTypeOf(row) == type ? row : LLVMBuildTrunc(t->builder, row, type, "");
}

void lower_far_store(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    LLVMValueRef data = lower_vector(l, insn->args[2]);
    if (LLVMTypeOf(data) != t->vi32)
        data = LLVMBuildZExt(t->builder, data, t->vi32, "");
    LLVMBuildStore(t->builder, data, l->data);
    access_far(l, insn);
}
