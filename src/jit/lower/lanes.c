/* Masks, and what looks at other lanes. */
#include "jit/lower/lower.h"

/* The number of the last lane that has its bit. */
static LLVMValueRef last_lane(struct lower *l, LLVMValueRef bits)
{
    struct translator *t = l->t;
    LLVMValueRef args[] = {bits, LLVMConstInt(t->i1, 0, false)};
    LLVMValueRef above = intrinsic(t, "llvm.ctlz", t->i32, args, 2);
    return LLVMBuildAnd(t->builder, LLVMBuildSub(t->builder, number32(t, 31), above, ""), number32(t, t->w - 1), "");
}

static LLVMValueRef first_lane(struct lower *l, LLVMValueRef bits)
{
    struct translator *t = l->t;
    LLVMValueRef args[] = {bits, LLVMConstInt(t->i1, 0, false)};
    return LLVMBuildAnd(t->builder, intrinsic(t, "llvm.cttz", t->i32, args, 2), number32(t, t->w - 1), "");
}

static LLVMValueRef element(struct lower *l, cy_sir_value value, LLVMValueRef lane)
{
    return lower_is_one(l, value) ? lower_number(l, value)
                                  : LLVMBuildExtractElement(l->t->builder, lower_vector(l, value), lane, "");
}

LLVMValueRef lower_lanes(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    const bool is_mask = insn->op == CY_SIR_ANY || insn->op == CY_SIR_ALL || insn->op == CY_SIR_POPCOUNT;
    LLVMValueRef mask = is_mask ? LLVMBuildSExt(t->builder, lower_mask(l, insn->args[0]), t->vi32, "") : NULL;
    switch (insn->op) {
    case CY_SIR_ANY: return any_lane(t, mask);
    case CY_SIR_ALL: return each_lane(t, mask);
    case CY_SIR_POPCOUNT: return lane_count(t, mask);
    case CY_SIR_FIRST: return first_lane(l, lower_bits(l, insn->args[0]));
    case CY_SIR_LAST: return element(l, insn->args[0], last_lane(l, lower_bits(l, insn->mask)));
    case CY_SIR_EXTRACT: return element(l, insn->args[0], lower_number(l, insn->args[1]));
    default: /* INSERT */
        return LLVMBuildInsertElement(t->builder, lower_vector(l, insn->args[0]),
                                      element(l, insn->args[2], lower_number(l, insn->args[1])),
                                      lower_number(l, insn->args[1]), "");
    }
}
