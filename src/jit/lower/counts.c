/* Counters: numbers of the frame, and what the image says they are. */
#include "jit/lower/lower.h"

static LLVMValueRef place_of(struct lower *l, uint64_t counter)
{
    struct translator *t = l->t;
    if (l->func->counts == CY_JIT_COUNT_INSNS)
        return at_offset(t, t->tally_array, (int64_t)(counter * sizeof(uint64_t)));
    return at_offset(t, t->frame, (int64_t)(offsetof(struct cy_jit_frame, counts) + counter * sizeof(uint64_t)));
}

void lower_count(struct lower *l, const struct cy_sir_insn *insn)
{
    LLVMBuilderRef b = l->t->builder;
    LLVMValueRef place = place_of(l, insn->imm), before = LLVMBuildLoad2(b, l->t->i64, place, "");
    LLVMValueRef amount = LLVMBuildZExt(b, lower_number(l, insn->args[0]), l->t->i64, "");
    LLVMBuildStore(b, LLVMBuildAdd(b, before, amount, ""), place);
}

/* Lanes are counted as active, of issues in which none is. */
static void list_code(struct lower *l, uint32_t number)
{
    struct translator *t = l->t;
    const struct cy_sir_code *code = &l->func->codes.at[number];
    const uint32_t base = t->request->code_base;
    struct cy_jit_tally tally = {.counter = 2 * number,
                                 .first = (code->first - base) / 4,
                                 .end = (code->end - base) / 4,
                                 .insns = code->insns,
                                 .idle = t->request->threads};
    if (code->join) {
        tally.kind = CY_JIT_SPLIT;
        tally.join = (code->join - base) / 4;
        tally.end = (code->join_end - base) / 4;
        *cy_vec_push(&t->tallies) = tally;
        return;
    }
    tally.kind = CY_JIT_ISSUED;
    *cy_vec_push(&t->tallies) = tally;
    tally.kind = CY_JIT_LANES;
    tally.counter++;
    *cy_vec_push(&t->tallies) = tally;
}

void list_counters(struct lower *l)
{
    struct translator *t = l->t;
    if (l->func->counts != CY_JIT_COUNT_INSNS)
        return;
    for (uint32_t i = 0; i < l->func->codes.count; i++)
        list_code(l, i);
    for (uint32_t i = 0; i < l->func->counters; i++)
        *cy_vec_push(&t->counted_at) = 0;
    t->tally_array = LLVMBuildLoad2(t->builder, t->ptr,
                                    at_offset(t, t->frame, (int64_t)offsetof(struct cy_jit_frame, counters)), "");
    mark_invariant(t, t->tally_array);
}
