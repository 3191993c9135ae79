/* The function's frame, calls of its helpers, and ways out. */
#include "jit/translate/translator.h"

#include <string.h>

void mark(struct translator *t, LLVMValueRef instruction, const char *name)
{
    const unsigned kind = LLVMGetMDKindIDInContext(t->context, name, (unsigned)strlen(name));
    LLVMSetMetadata(instruction, kind, LLVMMetadataAsValue(t->context, LLVMMDNodeInContext2(t->context, NULL, 0)));
}

void mark_invariant(struct translator *t, LLVMValueRef load)
{
    mark(t, load, "invariant.load");
}

LLVMValueRef at_offset(struct translator *t, LLVMValueRef pointer, int64_t offset)
{
    LLVMValueRef index = LLVMConstInt(t->i64, (uint64_t)offset, true);
    return LLVMBuildGEP2(t->builder, t->i8, pointer, &index, 1, "");
}

/* Words that do not change while a workgroup runs are loaded once, before everything else: LLVM would not move loads out
 * of code that might not be reached. */
struct early *early_word(struct translator *t, const struct early *wanted)
{
    for (size_t i = 0; i < t->earlies.count; i++) {
        struct early *early = &t->earlies.at[i];
        if (early->from == wanted->from && early->offset == wanted->offset && early->size == wanted->size &&
            early->zero_extend == wanted->zero_extend)
            return early;
    }
    *cy_vec_push(&t->earlies) = *wanted;
    return &t->earlies.at[t->earlies.count - 1];
}

LLVMValueRef frame_word(struct translator *t, size_t offset)
{
    if (!t->emit)
        return NULL;
    struct early *word = early_word(t, &(struct early){.size = 4, .offset = (uint32_t)offset});
    if (!word->value) {
        LLVMValueRef index = LLVMConstInt(t->i64, offset, false);
        LLVMValueRef at = LLVMBuildGEP2(t->allocas, t->i8, t->frame, &index, 1, "");
        word->value = LLVMBuildLoad2(t->allocas, t->i32, at, "");
        mark_invariant(t, word->value);
    }
    return word->value;
}

LLVMValueRef call_helper(struct translator *t, size_t offset, LLVMTypeRef result, LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef types[8];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMValueRef function = LLVMBuildLoad2(t->builder, t->ptr, at_offset(t, t->helpers, (int64_t)offset), "");
    mark_invariant(t, function);
    return LLVMBuildCall2(t->builder, LLVMFunctionType(result, types, count, false), function, args, count, "");
}

/* A helper that is rarely called.  The call preserves all registers, which keeps values that are live across it in
 * registers: an ordinary call preserves no vector, so that every check would be a reason to spill them all. */
LLVMValueRef call_rare_helper(struct translator *t, size_t offset, LLVMValueRef *args, unsigned count)
{
    if (!t->host->keeps_registers) {
        LLVMValueRef direct = call_helper(t, offset, t->i32, args, count);
        mark(t, direct, RARE_CALL);
        return direct;
    }
    const bool has_vectors = t->level->vector_bytes && t->version != ALONE;
    const unsigned convention = has_vectors ? PRESERVE_VECTORS : PRESERVE_ALL;
    LLVMTypeRef types[8], type;
    LLVMValueRef *stub = &t->rare[has_vectors][offset / sizeof(void *)];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    type = LLVMFunctionType(t->i32, types, count, false);
    if (!*stub) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(t->builder);
        LLVMValueRef given[8], helpers = t->helpers;
        *stub = LLVMAddFunction(t->module, "rare", type);
        LLVMSetLinkage(*stub, LLVMInternalLinkage);
        LLVMSetFunctionCallConv(*stub, convention);
        add_enum_attribute(t, *stub, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
        add_enum_attribute(t, *stub, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noinline");
        LLVMGetParams(*stub, given);
        LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, *stub, "entry"));
        t->helpers = LLVMBuildLoad2(t->builder, t->ptr,
                                    at_offset(t, given[0], (int64_t)offsetof(struct cy_jit_frame, helpers)), "");
        LLVMBuildRet(t->builder, call_helper(t, offset, t->i32, given, count));
        t->helpers = helpers;
        LLVMPositionBuilderAtEnd(t->builder, here);
    }
    LLVMValueRef call = LLVMBuildCall2(t->builder, type, *stub, args, count, "");
    LLVMSetInstructionCallConv(call, convention);
    mark(t, call, RARE_CALL);
    return call;
}

LLVMValueRef hidden(struct translator *t, LLVMValueRef value)
{
    LLVMValueRef args[] = {value, LLVMConstNull(LLVMTypeOf(value))};
    return intrinsic(t, "llvm.expect", LLVMTypeOf(value), args, 2);
}

uint32_t strips_of_row(const struct translator *t)
{
    return cy_jit_strip_count(t->row, t->row, t->lanes);
}

LLVMValueRef row_number(struct translator *t, LLVMValueRef strip)
{
    return LLVMBuildUDiv(t->builder, strip, number32(t, strips_of_row(t)), "");
}

LLVMValueRef item_in_row(struct translator *t, LLVMValueRef strip)
{
    strip = LLVMBuildURem(t->builder, strip, number32(t, strips_of_row(t)), "");
    return LLVMBuildMul(t->builder, strip, number32(t, t->lanes), "");
}

LLVMValueRef first_item(struct translator *t, LLVMValueRef strip)
{
    if (t->row == t->items)
        return LLVMBuildMul(t->builder, strip, number32(t, t->lanes), "item");
    LLVMValueRef before = LLVMBuildMul(t->builder, row_number(t, strip), number32(t, t->row), "");
    return LLVMBuildAdd(t->builder, before, item_in_row(t, strip), "item");
}

unsigned item_align(const struct translator *t)
{
    return (unsigned)__builtin_ctz(t->row == t->items ? t->lanes : t->lanes | t->row);
}

uint32_t last_item(const struct translator *t)
{
    return t->items - t->row + (t->row - 1) / t->lanes * t->lanes;
}

LLVMValueRef rare_item(struct translator *t)
{
    return first_item(t, hidden(t, LLVMBuildLoad2(t->builder, t->i32, t->strip, "")));
}

void make_rare(struct translator *t, LLVMValueRef conditional, bool first)
{
    LLVMValueRef likely = LLVMConstInt(t->i32, 2000, false), rare = LLVMConstInt(t->i32, 1, false);
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(t->context, "branch_weights", 14),
                               LLVMValueAsMetadata(first ? rare : likely), LLVMValueAsMetadata(first ? likely : rare)};
    LLVMMetadataRef node = LLVMMDNodeInContext2(t->context, parts, 3);
    LLVMSetMetadata(conditional, LLVMGetMDKindIDInContext(t->context, "prof", 4),
                    LLVMMetadataAsValue(t->context, node));
}

LLVMValueRef lane_word(struct translator *t, LLVMValueRef row, LLVMValueRef lane)
{
    LLVMValueRef index = LLVMBuildZExt(t->builder, lane, t->i64, "");
    return LLVMBuildGEP2(t->builder, t->i32, row, &index, 1, "");
}

void stop_if(struct translator *t, LLVMValueRef word)
{
    LLVMBasicBlockRef after = new_block(t, "on");
    LLVMValueRef stops = LLVMBuildICmp(t->builder, LLVMIntNE, word, number32(t, 0), "");
    make_rare(t, LLVMBuildCondBr(t->builder, stops, t->exit, after), true);
    LLVMPositionBuilderAtEnd(t->builder, after);
}

void trap(struct translator *t, uint32_t access, enum cy_jit_trap kind, LLVMValueRef mask)
{
    LLVMValueRef args[] = {t->frame, number32(t, access), number32(t, kind), mask, rare_item(t)};
    call_helper(t, offsetof(struct cy_jit_helpers, trap), LLVMVoidTypeInContext(t->context), args, 5);
    LLVMBuildBr(t->builder, t->exit);
}

struct numbers *numbers_of(struct translator *t, uint32_t group, LLVMValueRef vector)
{
    LLVMBasicBlockRef home = LLVMGetInsertBlock(t->builder);
    struct numbers *numbers = group != NONE ? t->group_numbers[group] : NULL;
    if (numbers && numbers->home == home)
        return numbers;
    numbers = cy_arena_alloc(&t->arena, sizeof(*numbers));
    *numbers = (struct numbers){.vector = vector, .home = home};
    if (group != NONE)
        t->group_numbers[group] = numbers;
    return numbers;
}

/* Not with AVX-512, which gathers most words: there, graph colouring on generation 2 took a tenth longer. */
bool takes_lanes_by_memory(const struct translator *t)
{
    return t->host->takes_lanes_by_memory && !has_gathers(t);
}

/* Stores the vector where all of its uses follow.  LLVM would make moves from the register of plain accesses. */
static void put_numbers(struct translator *t, struct numbers *numbers)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(t->builder);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(numbers->home);
    numbers->buffer = LLVMBuildAlloca(t->allocas, LLVMTypeOf(numbers->vector), "numbers");
    if (end)
        LLVMPositionBuilderBefore(t->builder, end);
    else
        LLVMPositionBuilderAtEnd(t->builder, numbers->home);
    LLVMSetVolatile(LLVMBuildStore(t->builder, numbers->vector, numbers->buffer), true);
    LLVMPositionBuilderAtEnd(t->builder, here);
}

LLVMValueRef number_of_lane(struct translator *t, struct numbers *numbers, unsigned lane)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(t->builder);
    if (!takes_lanes_by_memory(t))
        return LLVMBuildExtractElement(t->builder, numbers->vector, number32(t, lane), "");
    if (!numbers->buffer)
        put_numbers(t, numbers);
    if (numbers->blocks[lane] != here) {
        LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(numbers->vector));
        LLVMValueRef at = number32(t, lane), from = LLVMBuildGEP2(t->builder, type, numbers->buffer, &at, 1, "");
        numbers->lanes[lane] = LLVMBuildLoad2(t->builder, type, from, "");
        LLVMSetVolatile(numbers->lanes[lane], true);
        numbers->blocks[lane] = here;
    }
    return numbers->lanes[lane];
}

LLVMValueRef host_pointer(struct translator *t, LLVMValueRef address)
{
    LLVMValueRef index = LLVMBuildZExt(t->builder, address, t->i64, "");
    return LLVMBuildGEP2(t->builder, t->i8, t->memory, &index, 1, "");
}
