/* Words that turn out to be consecutive, or one.  Butterflies, windows that end at an image's border and the like compute addresses in
 * ways of which only the numbers show that. */
#include "jit/translate/translate_priv.h"

/* Are the lanes' numbers those of steps from the first one on? */
static LLVMValueRef follow(struct translator *t, LLVMValueRef numbers, LLVMValueRef first, uint32_t step)
{
    LLVMValueRef starts = step ? LLVMBuildSub(t->builder, numbers, steps(t, step), "") : numbers;
    LLVMValueRef same = LLVMBuildICmp(t->builder, LLVMIntEQ, starts, splat(t, first), "");
    return each_lane(t, LLVMBuildSExt(t->builder, same, t->vi32, ""));
}

LLVMValueRef find_kind(struct translator *t, LLVMValueRef numbers, LLVMValueRef first, uint32_t step)
{
    LLVMBuilderRef b = t->builder;
    LLVMBasicBlockRef row = new_block(t, "may_be_row"), other = new_block(t, "is_no_row"),
                      one = new_block(t, "may_be_one");
    LLVMBasicBlockRef known = new_block(t, "known");
    LLVMValueRef second = LLVMBuildExtractElement(b, numbers, number32(t, 1), "");
    LLVMValueRef way = LLVMBuildSub(b, second, first, ""), apart = number32(t, KIND_APART), values[3];
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, way, number32(t, step), ""), row, other);
    LLVMPositionBuilderAtEnd(b, row);
    values[0] = LLVMBuildSelect(b, follow(t, numbers, first, step), number32(t, KIND_ROW), apart, "");
    row = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, known);
    LLVMPositionBuilderAtEnd(b, other);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, way, number32(t, 0), ""), one, known);
    values[1] = apart;
    LLVMPositionBuilderAtEnd(b, one);
    values[2] = LLVMBuildSelect(b, follow(t, numbers, first, 0), number32(t, KIND_ONE), apart, "");
    one = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, known);
    LLVMPositionBuilderAtEnd(b, known);
    LLVMBasicBlockRef blocks[] = {row, other, one};
    LLVMValueRef kind = LLVMBuildPhi(b, t->i32, "");
    LLVMAddIncoming(kind, values, blocks, 3);
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
