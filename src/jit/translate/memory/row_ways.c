/* Words that turn out to be consecutive, or one.  Butterflies, windows that end at an image's border and the like compute addresses in
 * ways of which only the numbers show that. */
#include "jit/translate/memory/rows.h"

/* Are the lanes' numbers those of steps from the first one on? */
static LLVMValueRef follow(struct translator *t, LLVMValueRef numbers, LLVMValueRef first, uint32_t step)
{
    LLVMValueRef starts = step ? LLVMBuildSub(t->builder, numbers, steps(t, step), "") : numbers;
    LLVMValueRef same = LLVMBuildICmp(t->builder, LLVMIntEQ, starts, splat(t, first), "");
    return each_lane(t, LLVMBuildSExt(t->builder, same, t->vi32, ""));
}

LLVMValueRef find_kind(struct translator *t, LLVMValueRef numbers, LLVMValueRef first, uint32_t step, uint32_t two)
{
    const struct {
        uint32_t kind, step;
    } kinds[] = {{KIND_ROW, step}, {KIND_ONE, 0}, {KIND_TWOS, two}};
    LLVMBuilderRef b = t->builder;
    LLVMBasicBlockRef known = new_block(t, "known"), ends[CY_COUNT(kinds) + 1];
    LLVMValueRef second = LLVMBuildExtractElement(b, numbers, number32(t, 1), ""), values[CY_COUNT(kinds) + 1];
    LLVMValueRef way = LLVMBuildSub(b, second, first, ""), apart = number32(t, KIND_APART);
    const unsigned count = two ? CY_COUNT(kinds) : CY_COUNT(kinds) - 1;
    for (unsigned i = 0; i < count; i++) {
        LLVMBasicBlockRef may_be = new_block(t, "may_be"), other = new_block(t, "is_other");
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, way, number32(t, kinds[i].step), ""), may_be, other);
        LLVMPositionBuilderAtEnd(b, may_be);
        values[i] = LLVMBuildSelect(b, follow(t, numbers, first, kinds[i].step), number32(t, kinds[i].kind), apart, "");
        ends[i] = LLVMGetInsertBlock(b);
        LLVMBuildBr(b, known);
        LLVMPositionBuilderAtEnd(b, other);
    }
    values[count] = apart;
    ends[count] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, known);
    LLVMPositionBuilderAtEnd(b, known);
    LLVMValueRef kind = LLVMBuildPhi(b, t->i32, "");
    LLVMAddIncoming(kind, values, ends, count + 1);
    return kind;
}

static void end_way(struct translator *t, struct row_ways *ways, LLVMValueRef loaded)
{
    ways->loaded[ways->count] = loaded;
    ways->ends[ways->count++] = LLVMGetInsertBlock(t->builder);
    LLVMBuildBr(t->builder, ways->done);
}

struct row_ways begin_ways(struct translator *t, LLVMValueRef kind, LLVMValueRef pointer, LLVMValueRef data)
{
    LLVMBasicBlockRef apart = new_block(t, "apart"), row = new_block(t, "row"),
                      one = data ? apart : new_block(t, "one");
    struct row_ways ways = {.done = new_block(t, "row_done")};
    LLVMValueRef where = LLVMBuildSwitch(t->builder, kind, apart, 2);
    LLVMAddCase(where, number32(t, KIND_ROW), row);
    if (!data)
        LLVMAddCase(where, number32(t, KIND_ONE), one);
    LLVMPositionBuilderAtEnd(t->builder, row);
    if (data)
        store_row(t, data, pointer);
    end_way(t, &ways, data ? NULL : load_from(t, t->vi32, pointer));
    if (!data) {
        LLVMPositionBuilderAtEnd(t->builder, one);
        end_way(t, &ways, splat(t, load_from(t, t->i32, pointer)));
    }
    LLVMPositionBuilderAtEnd(t->builder, apart);
    return ways;
}

LLVMValueRef end_ways(struct translator *t, struct row_ways *ways, LLVMValueRef apart)
{
    LLVMBasicBlockRef end = LLVMGetInsertBlock(t->builder);
    LLVMBuildBr(t->builder, ways->done);
    LLVMPositionBuilderAtEnd(t->builder, ways->done);
    if (!apart)
        return NULL;
    LLVMValueRef phi = LLVMBuildPhi(t->builder, t->vi32, "");
    LLVMAddIncoming(phi, &apart, &end, 1);
    for (unsigned i = 0; i < ways->count; i++)
        LLVMAddIncoming(phi, &ways->loaded[i], &ways->ends[i], 1);
    return phi;
}
