/* Counters of instructions and lanes, equal to the interpreter's (gpu/engine/warp.c): what a block adds is known when it is
 * translated, but for its active lanes.
 *
 * Joins are counted apart.  The interpreter executes one whenever lanes arrive or are sent on: twice for each divergent
 * branch, and once when all go on. */
#include "jit/translate/translator.h"

static bool is_counting(const struct translator *t)
{
    return t->emit && t->request->counts == CY_JIT_COUNT_LANES;
}

static void add_to(struct translator *t, enum cy_jit_count which, LLVMValueRef amount)
{
    LLVMValueRef offset = LLVMConstInt(t->i64, offsetof(struct cy_jit_frame, counts) + which * sizeof(uint64_t), false);
    LLVMValueRef at = LLVMBuildGEP2(t->builder, t->i8, t->frame, &offset, 1, "");
    LLVMValueRef before = LLVMBuildLoad2(t->builder, t->i64, at, "");
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, before, amount, ""), at);
}

static void add_constant(struct translator *t, enum cy_jit_count which, uint64_t amount)
{
    if (amount)
        add_to(t, which, LLVMConstInt(t->i64, amount, false));
}

/* cy_kind_of, as far as it matters here. */
static bool is_vector_insn(const struct inst *inst)
{
    const struct cy_insn_info *row = row_of(inst);
    enum cy_field fields[CY_MAX_OPERANDS];
    const size_t count = cy_format_operands(row->format, fields);
    if (row->flags & (CY_F_LOAD | CY_F_STORE | CY_F_ATOMIC))
        return row->sched != CY_SCHED_slsu;
    bool found = is_vector_branch(inst);
    for (size_t i = 0; i < count; i++)
        found |= cy_fields[fields[i]].kind == CY_VREG;
    return found;
}

void count_block(struct translator *t, const struct block *block)
{
    tally_block(t, block);
    uint64_t instructions = 0, interpreted = 0, vectors = 0, branches = 0;
    if (!is_counting(t))
        return;
    for (uint32_t i = block->first;; i = t->insts[i].next) {
        const struct inst *inst = &t->insts[i];
        instructions += row_of(inst)->format != CY_FORMAT_JOIN;
        interpreted += inst->is_interpreted;
        vectors += is_vector_insn(inst);
        branches += is_vector_branch(inst);
        if (i == block->last)
            break;
    }
    add_constant(t, CY_JIT_INSTRUCTIONS, instructions);
    add_constant(t, CY_JIT_INTERPRETED, interpreted);
    add_constant(t, CY_JIT_VECTORS, vectors);
    add_constant(t, CY_JIT_BRANCHES, branches);
    if (t->version == FULL || !vectors) {
        add_constant(t, CY_JIT_ACTIVE, vectors * t->lanes);
        add_constant(t, CY_JIT_PARTIAL, t->lanes < t->request->threads ? vectors : 0);
        return;
    }
    LLVMValueRef bits = active_bits(t), number = LLVMConstInt(t->i64, vectors, false);
    LLVMValueRef active = intrinsic(t, "llvm.ctpop", t->i32, &bits, 1);
    LLVMValueRef is_partial = LLVMBuildICmp(t->builder, LLVMIntNE, active, number32(t, t->request->threads), "");
    active = LLVMBuildZExt(t->builder, active, t->i64, "");
    add_to(t, CY_JIT_ACTIVE, LLVMBuildMul(t->builder, active, number, ""));
    add_to(t, CY_JIT_PARTIAL, LLVMBuildSelect(t->builder, is_partial, number, LLVMConstInt(t->i64, 0, false), ""));
}

void count_join(struct translator *t)
{
    tally_join(t);
    if (is_counting(t))
        add_constant(t, CY_JIT_INSTRUCTIONS, 1);
}

/* Of the active lanes some take the branch and the rest does not; if neither side is empty, they part. */
void count_split(struct translator *t, LLVMValueRef taken, LLVMValueRef rest)
{
    if (!t->emit || !t->request->counts)
        return;
    LLVMValueRef some = any_lane(t, taken), others = cy_jit_broken(COUNT) ? some : any_lane(t, rest);
    tally_sides(t, some, others);
    if (!is_counting(t))
        return;
    LLVMValueRef both = LLVMBuildAnd(t->builder, some, others, "");
    LLVMValueRef one = LLVMBuildZExt(t->builder, both, t->i64, "");
    add_to(t, CY_JIT_SPLITS, one);
    add_to(t, CY_JIT_INSTRUCTIONS, LLVMBuildAdd(t->builder, one, one, ""));
}
