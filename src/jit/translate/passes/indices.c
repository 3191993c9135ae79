/* Checks of indices instead of addresses.
 *
 * Most addresses are an array's, which does not change, and an index.  How many elements there are from the array's start to the end
 * of the extent in which accesses last succeeded is computed once; to compare the index with that takes less than to find out
 * whether the address is aligned and where in the extent it is.  Where the index is not less, or the extent is another one
 * meanwhile, the address is checked as usual. */
#include "jit/translate/passes/loops.h"

/* An address that is `base` + `offset` + `scale` * `index`, of which only the index changes. */
struct indexed {
    LLVMValueRef base, index;
    uint64_t offset, scale;
    uint64_t bound;          /* of the index: what it is at most */
    LLVMBasicBlockRef place; /* at whose end the base is known */
};

static bool is_fixed(const struct graph *graph, const struct loop *loop, LLVMValueRef value)
{
    if (loop)
        return is_outside(loop, value);
    return !LLVMIsAInstruction(value) ||
           graph->loops.of[number_of(graph, LLVMGetInstructionParent(value))] == CY_NO_NODE;
}

/* What all lanes of a vector are; NULL: not known.  The value itself if it is no vector. */
static LLVMValueRef in_all_lanes(struct translator *t, LLVMValueRef value)
{
    if (LLVMTypeOf(value) != t->vi32)
        return value;
    if (LLVMIsAConstant(value)) {
        LLVMValueRef first = LLVMGetAggregateElement(value, 0);
        for (unsigned i = 1; i < t->w; i++)
            if (LLVMGetAggregateElement(value, i) != first)
                return NULL;
        return first;
    }
    if (!LLVMIsAShuffleVectorInst(value) || !LLVMIsAInsertElementInst(LLVMGetOperand(value, 0)))
        return NULL;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(value); i++)
        if (LLVMGetMaskValue(value, i))
            return NULL;
    LLVMValueRef insert = LLVMGetOperand(value, 0), at = LLVMGetOperand(insert, 2);
    return LLVMIsAConstantInt(at) && !LLVMConstIntGetZExtValue(at) ? LLVMGetOperand(insert, 1) : NULL;
}

/* A constant operand, in all lanes. */
static bool constant_operand(struct translator *t, LLVMValueRef value, unsigned number, uint64_t *constant)
{
    LLVMValueRef operand = in_all_lanes(t, LLVMGetOperand(value, number));
    if (!operand || !LLVMIsAConstantInt(operand))
        return false;
    *constant = LLVMConstIntGetZExtValue(operand);
    return true;
}

static bool is_opcode(LLVMValueRef value, LLVMOpcode op)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == op;
}

/* Takes a part that does not change off the sum. */
static bool take_part(const struct graph *graph, const struct loop *loop, struct indexed *sum)
{
    LLVMValueRef all = sum->index;
    if (!is_opcode(all, LLVMAdd) && !(is_opcode(all, LLVMOr) && LLVMGetIsDisjoint(all)))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef part = in_all_lanes(graph->t, LLVMGetOperand(all, i));
        if (!part || !(LLVMIsAConstantInt(part) || (!sum->base && is_fixed(graph, loop, part))))
            continue;
        if (LLVMIsAConstantInt(part))
            sum->offset += LLVMConstIntGetZExtValue(part);
        else
            sum->base = part;
        sum->index = LLVMGetOperand(all, 1 - i);
        return true;
    }
    return false;
}

static struct indexed indexed_of(const struct graph *graph, const struct loop *loop, LLVMValueRef address,
                                 uint64_t unit)
{
    struct indexed found = {.index = address, .scale = 1, .bound = UINT32_MAX};
    uint64_t constant;
    while (take_part(graph, loop, &found)) {
    }
    if (is_opcode(found.index, LLVMShl) && constant_operand(graph->t, found.index, 1, &constant)) {
        found.scale = 1ull << constant;
        found.index = LLVMGetOperand(found.index, 0);
    } else if (is_opcode(found.index, LLVMAnd) && constant_operand(graph->t, found.index, 1, &constant) &&
               constant % unit == 0) {
        found.scale = unit;
        found.bound = constant / unit;
    }
    if (is_opcode(found.index, LLVMZExt)) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(found.index, 0));
        type = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
        found.bound = (1ull << LLVMGetIntTypeWidth(type)) - 1;
    }
    if (loop)
        found.place = loop->before;
    else if (found.base && LLVMIsAInstruction(found.base))
        found.place = LLVMGetInstructionParent(found.base);
    return found;
}

/* The number of elements from the base on, at the builder's position. */
static LLVMValueRef element_count(struct translator *t, const struct indexed *address, LLVMValueRef call, uint64_t unit)
{
    LLVMBuilderRef b = t->builder;
    const struct site_words site = load_site(t, LLVMGetBasicBlockParent(address->place), call);
    LLVMValueRef base = LLVMBuildAdd(b, address->base, number32(t, (uint32_t)address->offset), "");
    LLVMValueRef first = rotated(t, LLVMBuildSub(b, base, site.low, ""), LLVMGetOperand(call, 2));
    LLVMValueRef more = LLVMBuildSub(b, LLVMBuildSub(b, site.count, first, ""), number32(t, 1), "");
    more = LLVMBuildUDiv(b, more, number32(t, (uint32_t)(address->scale / unit)), "");
    LLVMValueRef is_inside = LLVMBuildICmp(b, LLVMIntULT, first, site.count, "");
    return LLVMBuildSelect(b, is_inside, LLVMBuildAdd(b, more, number32(t, 1), ""), number32(t, 0), "");
}

static LLVMValueRef are_less(struct translator *t, LLVMValueRef indices, LLVMValueRef count, LLVMValueRef mask)
{
    LLVMBuilderRef b = t->builder;
    if (t->level->are_below)
        return t->level->are_below(t, LLVMBuildAnd(b, indices, mask, ""), count);
    if (!t->host->has_mask_moves) {
        indices = LLVMBuildAnd(b, indices, mask, "");
        LLVMValueRef most = intrinsic(t, "llvm.vector.reduce.umax", t->vi32, &indices, 1);
        return LLVMBuildICmp(b, LLVMIntULT, most, count, "");
    }
    LLVMValueRef are = LLVMBuildICmp(b, LLVMIntULT, indices, splat(t, count), "");
    LLVMValueRef fit = LLVMBuildSExt(b, are, t->vi32, "");
    return each_lane(t, LLVMBuildOr(b, fit, LLVMBuildNot(b, mask, ""), ""));
}

bool compare_index(const struct graph *graph, const struct loop *loop, struct question *question)
{
    struct translator *t = graph->t;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef call = question->call;
    if (LLVMTypeOf(LLVMGetOperand(call, 0)) == t->i64)
        return false;
    const uint64_t unit = 1ull << LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    const struct indexed address = indexed_of(graph, loop, LLVMGetOperand(call, 0), unit);
    if (!address.place || !address.base || LLVMIsUndef(address.base) || is_fixed(graph, loop, address.index) ||
        address.scale % unit)
        return false;
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(address.place));
    LLVMValueRef count = element_count(t, &address, call, unit), is_less;
    LLVMPositionBuilderBefore(b, call);
    if (address.bound < UINT32_MAX)
        is_less = LLVMBuildICmp(b, LLVMIntULT, number32(t, (uint32_t)address.bound), count, "");
    else if (question->is_lanes)
        is_less = are_less(t, address.index, count, LLVMGetOperand(call, 3));
    else
        is_less = LLVMBuildICmp(b, LLVMIntULT, address.index, count, "");
    answer(call, is_less);
    question->is_answered = true;
    return true;
}
