/* LR and SC that are not one operation: a strip keeps for each lane which word it has reserved, and what was there.  SC is a
 * compare-exchange with that: a word that was changed and changed back meanwhile is taken for unchanged. */
#include "jit/lower/access.h"

/* No word has this address. */
static LLVMValueRef nowhere(struct lower *l)
{
    return LLVMConstAllOnes(l->t->vi64);
}

void make_reservations(struct lower *l)
{
    l->reserved_at = LLVMBuildAlloca(l->t->allocas, l->t->vi64, "reserved_at");
    l->reserved = LLVMBuildAlloca(l->t->allocas, l->t->vi64, "reserved");
}

void begin_reservations(struct lower *l)
{
    LLVMBuildStore(l->t->builder, nowhere(l), l->reserved_at);
}

static LLVMValueRef addresses_of(struct lower *l, const struct cy_sir_insn *insn)
{
    return lower_plus(l, lower_base(l, insn, true), l->func->accesses.at[insn->access].offset);
}

static LLVMValueRef words64(struct lower *l, LLVMValueRef words)
{
    return LLVMTypeOf(words) == l->t->vi64 ? words : LLVMBuildZExt(l->t->builder, words, l->t->vi64, "");
}

/* What the words were, <W x i64>. */
static LLVMValueRef call(struct lower *l, const struct cy_sir_insn *insn, LLVMValueRef addresses,
                         const LLVMValueRef words[2], LLVMValueRef lanes)
{
    struct translator *t = l->t;
    LLVMBuildStore(t->builder, words64(l, addresses), l->addresses);
    for (unsigned i = 0; i < 2; i++)
        LLVMBuildStore(t->builder, words[i], at_offset(t, l->data, (int64_t)i * 8 * CY_JIT_MAX_STRIP));
    LLVMValueRef args[] = {t->frame,
                           number32(t, l->accesses[insn->access]),
                           number32(t, lower_site(l)),
                           l->addresses,
                           l->data,
                           lanes,
                           rare_item(t),
                           t->memory};
    stop_if(t, call_helper(t, offsetof(struct cy_jit_helpers, atomic), t->i32, args, CY_COUNT(args)));
    return LLVMBuildLoad2(t->builder, t->vi64, l->data, "");
}

/* In the lanes of a mask. */
static void replace(struct lower *l, LLVMValueRef place, LLVMValueRef by, LLVMValueRef mask)
{
    LLVMBuilderRef b = l->t->builder;
    LLVMValueRef before = LLVMBuildLoad2(b, l->t->vi64, place, "");
    LLVMBuildStore(b, LLVMBuildSelect(b, mask, by, before, ""), place);
}

LLVMValueRef lower_reserve(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    LLVMValueRef addresses = addresses_of(l, insn), mask = lower_mask(l, insn->mask);
    LLVMValueRef nothing[] = {LLVMConstNull(t->vi64), LLVMConstNull(t->vi64)};
    LLVMValueRef words = call(l, insn, addresses, nothing, lower_bits(l, insn->mask));
    replace(l, l->reserved_at, words64(l, addresses), mask);
    replace(l, l->reserved, words, mask);
    LLVMTypeRef type = LLVMVectorType(lower_type(l, (enum cy_sir_type)insn->type), t->w);
    return insn->type == CY_SIR_I64 ? words : LLVMBuildTrunc(t->builder, words, type, "");
}

/* <W x i1>: of these lanes those that have stored, in the lanes that `bits` has. */
static LLVMValueRef store_words(struct lower *l, const struct cy_sir_insn *insn, LLVMValueRef addresses,
                                LLVMValueRef bits)
{
    struct translator *t = l->t;
    LLVMValueRef words[2] = {LLVMBuildLoad2(t->builder, t->vi64, l->reserved, "")};
    words[1] = words64(l, lower_vector(l, insn->args[2]));
    LLVMValueRef found = call(l, insn, addresses, words, bits);
    return LLVMBuildICmp(t->builder, LLVMIntEQ, found, words[0], "");
}

LLVMValueRef lower_store_reserved(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef addresses = addresses_of(l, insn), mask = lower_mask(l, insn->mask);
    LLVMValueRef at = LLVMBuildLoad2(b, t->vi64, l->reserved_at, "");
    LLVMValueRef may = LLVMBuildICmp(b, LLVMIntEQ, at, words64(l, addresses), "");
    may = LLVMBuildAnd(b, may, mask, "");
    replace(l, l->reserved_at, nowhere(l), mask);
    LLVMValueRef bits = mask_bits(t, LLVMBuildSExt(b, may, t->vi32, "")), none = LLVMConstNull(t->vi1);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), store = new_block(t, "store"), on = new_block(t, "stored");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, bits, number32(t, 0), ""), store, on);
    LLVMPositionBuilderAtEnd(b, store);
    LLVMValueRef stored = LLVMBuildAnd(b, store_words(l, insn, addresses, bits), may, "");
    LLVMBasicBlockRef after = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, on);
    LLVMPositionBuilderAtEnd(b, on);
    LLVMValueRef which = LLVMBuildPhi(b, t->vi1, "");
    LLVMAddIncoming(which, &none, &before, 1);
    LLVMAddIncoming(which, &stored, &after, 1);
    return LLVMBuildZExt(b, LLVMBuildNot(b, which, ""), t->vi32, "");
}
