/* The order of what a block computes.  The compiler takes vectors apart operation by operation, all elements of one before the next, so
 * that many values wait for their turn; hosts with few registers keep them in memory meanwhile.  Where that is much, each value is
 * computed right before it is needed: element by element. */
#include "jit/translate/translator.h"

#include <string.h>

enum { FEWEST = 48, MOST = 6000 };

struct item {
    LLVMValueRef value;
    bool is_pure, is_placed;
    unsigned registers; /* that it takes, of vectors */
    uint32_t last;      /* position of the last use */
};

struct order {
    struct translator *t;
    struct item *items;
    uint32_t count, *table, table_size; /* of items by value, plus 1 */
    uint32_t *placed, placed_count;
    unsigned memory; /* LLVM's number of the attribute */
};

static uint32_t *slot_of(const struct order *o, LLVMValueRef value)
{
    uint32_t at = (uint32_t)(((uintptr_t)value >> 4) * 2654435761u) & (o->table_size - 1);
    while (o->table[at] && o->items[o->table[at] - 1].value != value)
        at = (at + 1) & (o->table_size - 1);
    return &o->table[at];
}

static struct item *item_of(const struct order *o, LLVMValueRef value)
{
    const uint32_t number = *slot_of(o, value);
    return number ? &o->items[number - 1] : NULL;
}

static bool is_pure_call(const struct order *o, LLVMValueRef value)
{
    LLVMValueRef called = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    if (!called || !LLVMIsAFunction(called) || !LLVMGetIntrinsicID(called))
        return false;
    LLVMAttributeRef memory =
        LLVMGetEnumAttributeAtIndex(called, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, o->memory);
    return memory && !LLVMGetEnumAttributeValue(memory);
}

static bool is_pure(const struct order *o, LLVMValueRef value)
{
    return LLVMIsABinaryOperator(value) || LLVMIsACastInst(value) || LLVMIsAShuffleVectorInst(value) ||
           LLVMIsAInsertElementInst(value) || LLVMIsAExtractElementInst(value) || LLVMIsAGetElementPtrInst(value) ||
           LLVMIsACmpInst(value) || LLVMIsASelectInst(value) || LLVMIsAUnaryOperator(value) || is_pure_call(o, value);
}

static unsigned registers_of(const struct order *o, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    const unsigned bits = is_vector(type) ? bits_of_type(type) * LLVMGetVectorSize(type) : 0;
    return (bits + register_bits(o->t) - 1) / register_bits(o->t);
}

static bool read_block(struct order *o, LLVMBasicBlockRef block)
{
    uint32_t count = 0, vectors = 0;
    for (LLVMValueRef value = LLVMGetFirstInstruction(block); value; value = LLVMGetNextInstruction(value)) {
        count++;
        vectors += is_vector(LLVMTypeOf(value));
    }
    if (vectors < FEWEST || count > MOST)
        return false;
    for (o->table_size = 64; o->table_size < 2 * count;)
        o->table_size *= 2;
    memset(o->table, 0, o->table_size * sizeof(*o->table));
    o->count = o->placed_count = 0;
    for (LLVMValueRef value = LLVMGetFirstInstruction(block); value; value = LLVMGetNextInstruction(value)) {
        o->items[o->count] =
            (struct item){.value = value, .is_pure = is_pure(o, value), .registers = registers_of(o, value)};
        *slot_of(o, value) = ++o->count;
    }
    return true;
}

static void place(struct order *o, struct item *item)
{
    if (item->is_placed)
        return;
    item->is_placed = true;
    for (unsigned i = 0; !LLVMIsAPHINode(item->value) && i < (unsigned)LLVMGetNumOperands(item->value); i++) {
        struct item *operand = item_of(o, LLVMGetOperand(item->value, i));
        if (operand)
            place(o, operand);
    }
    o->placed[o->placed_count++] = (uint32_t)(item - o->items);
}

/* What accesses memory stays in its order; then comes what other blocks use. */
static void place_all(struct order *o, LLVMBasicBlockRef block)
{
    for (uint32_t i = 0; i + 1 < o->count; i++)
        if (!o->items[i].is_pure)
            place(o, &o->items[i]);
    for (uint32_t i = 0; i + 1 < o->count; i++)
        if (!is_used_only_in(o->items[i].value, block))
            place(o, &o->items[i]);
    for (uint32_t i = 0; i < o->count; i++)
        place(o, &o->items[i]);
}

/* How many registers too many there are, summed up over the block, in this order. */
static uint64_t excess(struct order *o, LLVMBasicBlockRef block, const uint32_t *order, unsigned registers)
{
    uint64_t sum = 0;
    unsigned live = 0;
    for (uint32_t i = 0; i < o->count; i++)
        o->items[i].last = is_used_only_in(o->items[i].value, block) ? 0 : o->count;
    for (uint32_t i = 0; i < o->count; i++) {
        LLVMValueRef value = o->items[order[i]].value;
        for (unsigned k = 0; !LLVMIsAPHINode(value) && k < (unsigned)LLVMGetNumOperands(value); k++) {
            struct item *operand = item_of(o, LLVMGetOperand(value, k));
            if (operand && operand->last < i)
                operand->last = i;
        }
    }
    for (uint32_t i = 0; i < o->count; i++) {
        LLVMValueRef value = o->items[order[i]].value;
        for (unsigned k = 0; !LLVMIsAPHINode(value) && k < (unsigned)LLVMGetNumOperands(value); k++) {
            struct item *operand = item_of(o, LLVMGetOperand(value, k));
            if (operand && operand->last == i) {
                live -= operand->registers;
                operand->last = o->count; /* it may be there twice */
            }
        }
        live += o->items[order[i]].registers;
        sum += live > registers ? live - registers : 0;
    }
    return sum;
}

/* Does control come to a block from this one only, or after what is rarely done in between? */
static bool comes_from(LLVMBasicBlockRef to, LLVMBasicBlockRef from, unsigned steps)
{
    bool any = false;
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(to)); use; use = LLVMGetNextUse(use)) {
        LLVMBasicBlockRef before = LLVMGetInstructionParent(LLVMGetUser(use));
        if (before != from && (!steps || before == to || !comes_from(before, from, steps - 1)))
            return false;
        any = true;
    }
    return any;
}

/* What only the next block needs is computed there: its operands wait longer, which is better only where most wait in memory anyway. */
static bool sink_to_next(struct order *o, LLVMBasicBlockRef block)
{
    enum { STEPS = 3 };
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    bool found = false;
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
        LLVMBasicBlockRef next = LLVMGetSuccessor(end, s);
        if (next == block || !comes_from(next, block, STEPS))
            continue;
        LLVMValueRef first = LLVMGetFirstInstruction(next);
        while (LLVMIsAPHINode(first))
            first = LLVMGetNextInstruction(first);
        for (uint32_t i = o->count; i-- > 0;) {
            LLVMValueRef value = o->items[i].value;
            if (!o->items[i].is_pure || LLVMGetInstructionParent(value) != block || !LLVMGetFirstUse(value) ||
                !is_used_only_in(value, next))
                continue;
            LLVMInstructionRemoveFromParent(value);
            LLVMPositionBuilderBefore(o->t->builder, first);
            LLVMInsertIntoBuilder(o->t->builder, value);
            first = value;
            found = true;
        }
    }
    return found;
}

static void reorder(struct order *o, LLVMBasicBlockRef block, uint32_t *before)
{
    enum { SOME = 4, BETTER = 1, OF = 2 }; /* a quarter of the registers too many, on average */
    const unsigned registers = vector_registers(o->t);
    if (!read_block(o, block))
        return;
    for (uint32_t i = 0; i < o->count; i++)
        before[i] = i;
    const uint64_t now = excess(o, block, before, registers);
    if (now * SOME < (uint64_t)registers * o->count)
        return;
    if (now >= (uint64_t)registers * o->count && sink_to_next(o, block)) {
        reorder(o, block, before);
        return;
    }
    place_all(o, block);
    if (excess(o, block, o->placed, registers) * OF > now * BETTER)
        return;
    LLVMPositionBuilderBefore(o->t->builder, LLVMGetBasicBlockTerminator(block));
    for (uint32_t i = 0; i < o->count; i++) {
        LLVMValueRef value = o->items[o->placed[i]].value;
        if (LLVMIsAPHINode(value) || value == LLVMGetBasicBlockTerminator(block))
            continue;
        LLVMInstructionRemoveFromParent(value);
        LLVMInsertIntoBuilder(o->t->builder, value);
    }
}

void order_blocks(struct translator *t)
{
    struct order o = {.t = t, .memory = LLVMGetEnumAttributeKindForName("memory", strlen("memory"))};
    o.items = cy_arena_alloc(&t->arena, MOST * sizeof(*o.items));
    o.table = cy_arena_alloc(&t->arena, 4 * MOST * sizeof(*o.table));
    o.placed = cy_arena_alloc(&t->arena, 2 * MOST * sizeof(*o.placed));
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            reorder(&o, block, o.placed + MOST);
}
