/* Trees of comparisons of one number with constants, which the compiler makes of a `switch`: where a lane goes through one on its own,
 * every other branch is predicted wrongly.  LLVM makes a table of jumps of them, of which one is. */
#include "jit/translate/translator.h"

enum { MOST_NODES = 512, LEAST_NODES = 12, MOST_CASES = 1024 };

/* A block that goes two ways, or one of several. */
struct compared {
    LLVMBasicBlockRef block;
    LLVMValueRef table; /* LLVM's own; NULL: a comparison */
    LLVMIntPredicate how;
    int32_t number;
    LLVMBasicBlockRef to[2]; /* if it holds, and if not */
};

struct tree {
    struct translator *t;
    LLVMValueRef value; /* that is compared */
    struct compared nodes[MOST_NODES];
    unsigned count;
};

/* Where a number leads, and the last node before. */
struct way {
    LLVMBasicBlockRef from, to;
};

/* Does the block end with a comparison of a word with a constant? */
static bool read_node(const struct translator *t, LLVMBasicBlockRef block, struct compared *node, LLVMValueRef *value)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (!end || !LLVMIsABranchInst(end) || !LLVMIsConditional(end) || !LLVMIsAICmpInst(LLVMGetCondition(end)))
        return false;
    LLVMValueRef compare = LLVMGetCondition(end), number = LLVMGetOperand(compare, 1);
    if (!LLVMIsAConstantInt(number) || LLVMTypeOf(number) != t->i32 ||
        LLVMGetSuccessor(end, 0) == LLVMGetSuccessor(end, 1))
        return false;
    *value = LLVMGetOperand(compare, 0);
    *node = (struct compared){.block = block,
                              .how = LLVMGetICmpPredicate(compare),
                              .number = (int32_t)LLVMConstIntGetSExtValue(number),
                              .to = {LLVMGetSuccessor(end, 0), LLVMGetSuccessor(end, 1)}};
    return true;
}

/* Does it do nothing else? */
static bool is_inner(const struct translator *t, LLVMBasicBlockRef block, LLVMValueRef value, struct compared *node)
{
    LLVMValueRef other, first = LLVMGetFirstInstruction(block), end = LLVMGetBasicBlockTerminator(block);
    if (first == end && LLVMIsASwitchInst(end) && LLVMGetOperand(end, 0) == value) {
        *node = (struct compared){.block = block, .table = end};
        return true;
    }
    if (!read_node(t, block, node, &other) || other != value)
        return false;
    LLVMUseRef use = LLVMGetFirstUse(first);
    return first == end ||
           (first == LLVMGetCondition(end) && LLVMGetNextInstruction(first) == end && use && !LLVMGetNextUse(use));
}

static unsigned case_count(const struct compared *node)
{
    return (unsigned)LLVMGetNumOperands(node->table) / 2 - 1;
}

static int32_t case_number(const struct compared *node, unsigned i)
{
    return (int32_t)LLVMConstIntGetSExtValue(LLVMGetOperand(node->table, 2 + 2 * i));
}

static LLVMBasicBlockRef case_target(const struct compared *node, int32_t number)
{
    for (unsigned i = 0; i < case_count(node); i++)
        if (case_number(node, i) == number)
            return LLVMValueAsBasicBlock(LLVMGetOperand(node->table, 3 + 2 * i));
    return LLVMGetSwitchDefaultDest(node->table);
}

static const struct compared *find_node(const struct tree *tree, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < tree->count; i++)
        if (tree->nodes[i].block == block)
            return &tree->nodes[i];
    return NULL;
}

static bool holds(const struct compared *node, int32_t number)
{
    const uint32_t a = (uint32_t)number, b = (uint32_t)node->number;
    switch (node->how) {
    case LLVMIntEQ: return a == b;
    case LLVMIntNE: return a != b;
    case LLVMIntUGT: return a > b;
    case LLVMIntUGE: return a >= b;
    case LLVMIntULT: return a < b;
    case LLVMIntULE: return a <= b;
    case LLVMIntSGT: return number > node->number;
    case LLVMIntSGE: return number >= node->number;
    case LLVMIntSLT: return number < node->number;
    default: return number <= node->number;
    }
}

static struct way way_of(const struct tree *tree, int32_t number)
{
    struct way way = {.to = tree->nodes[0].block};
    for (const struct compared *node = &tree->nodes[0]; node; node = find_node(tree, way.to))
        way = (struct way){.from = node->block,
                           .to = node->table ? case_target(node, number) : node->to[!holds(node, number)]};
    return way;
}

static bool collect(struct tree *tree, LLVMBasicBlockRef root)
{
    if (!read_node(tree->t, root, &tree->nodes[0], &tree->value))
        return false;
    tree->count = 1;
    for (unsigned i = 0; i < tree->count; i++)
        for (unsigned k = 0; k < 2 && !tree->nodes[i].table; k++) {
            struct compared node;
            LLVMBasicBlockRef to = tree->nodes[i].to[k];
            if (to == root || find_node(tree, to))
                return false;
            if (!is_inner(tree->t, to, tree->value, &node))
                continue;
            if (tree->count == MOST_NODES)
                return false;
            tree->nodes[tree->count++] = node;
        }
    return tree->count >= LEAST_NODES;
}

/* Is it part of the tree of the only block before it? */
static bool has_parent(const struct translator *t, LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    struct compared node;
    LLVMValueRef value;
    return use && !LLVMGetNextUse(use) && LLVMIsABranchInst(LLVMGetUser(use)) &&
           read_node(t, LLVMGetInstructionParent(LLVMGetUser(use)), &node, &value) && is_inner(t, block, value, &node);
}

static LLVMValueRef incoming_from(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

/* A block that leads where this way does. */
static LLVMBasicBlockRef block_for(struct tree *tree, struct way way)
{
    struct translator *t = tree->t;
    LLVMBasicBlockRef block = LLVMInsertBasicBlockInContext(t->context, way.to, "case");
    LLVMPositionBuilderAtEnd(t->builder, block);
    LLVMBuildBr(t->builder, way.to);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(way.to); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef value = incoming_from(phi, way.from);
        LLVMAddIncoming(phi, &value, &block, 1);
    }
    return block;
}

/* The root's own edge is no more. */
static void forget_edge(struct translator *t, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(to), next; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(t->builder, phi);
        LLVMValueRef other = LLVMBuildPhi(t->builder, LLVMTypeOf(phi), "");
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            LLVMValueRef value = LLVMGetIncomingValue(phi, i);
            LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
            value = value == phi ? other : value;
            if (block != from)
                LLVMAddIncoming(other, &value, &block, 1);
        }
        LLVMReplaceAllUsesWith(phi, other);
        LLVMInstructionEraseFromParent(phi);
    }
}

static void replace(struct tree *tree, int64_t low, int64_t high)
{
    struct translator *t = tree->t;
    struct {
        struct way way;
        LLVMBasicBlockRef block;
    } ways[2 * MOST_NODES + 2];
    unsigned count = 0;
    LLVMBasicBlockRef root = tree->nodes[0].block, blocks[MOST_CASES + 2];
    for (int64_t number = low; number <= high; number++) {
        const struct way way = way_of(tree, (int32_t)number);
        unsigned k = 0;
        while (k < count && (ways[k].way.from != way.from || ways[k].way.to != way.to))
            k++;
        if (k == count) {
            ways[count].way = way;
            ways[count++].block = block_for(tree, way);
        }
        blocks[number - low] = ways[k].block;
    }
    LLVMValueRef end = LLVMGetBasicBlockTerminator(root);
    for (unsigned k = 0; k < 2; k++)
        forget_edge(t, root, tree->nodes[0].to[k]);
    LLVMInstructionEraseFromParent(end);
    LLVMBasicBlockRef jump = LLVMInsertBasicBlockInContext(t->context, tree->nodes[0].to[0], "switch");
    LLVMPositionBuilderAtEnd(t->builder, root);
    if (blocks[0] == blocks[high - low]) {
        LLVMBuildBr(t->builder, jump);
    } else {
        LLVMValueRef is_below = LLVMBuildICmp(t->builder, LLVMIntSLE, tree->value, number32(t, (uint32_t)low), "");
        LLVMBuildCondBr(t->builder, is_below, blocks[0], jump);
    }
    LLVMPositionBuilderAtEnd(t->builder, jump);
    LLVMValueRef table = LLVMBuildSwitch(t->builder, tree->value, blocks[high - low], (unsigned)(high - low));
    for (int64_t number = low + 1; number < high; number++)
        if (blocks[number - low] != blocks[high - low])
            LLVMAddCase(table, number32(t, (uint32_t)number), blocks[number - low]);
}

/* False: it is left as it is. */
static bool replace_tree(struct tree *tree)
{
    int64_t low = INT32_MAX, high = INT32_MIN;
    for (unsigned i = 0; i < tree->count; i++) {
        const struct compared *node = &tree->nodes[i];
        for (unsigned k = 0; k < (node->table ? case_count(node) : 1); k++) {
            const int32_t number = node->table ? case_number(node, k) : node->number;
            low = number < low ? number : low;
            high = number > high ? number : high;
        }
    }
    low--, high++;
    if (low < INT32_MIN || high > INT32_MAX || high - low > MOST_CASES)
        return false;
    const struct way below = way_of(tree, (int32_t)low), lowest = way_of(tree, INT32_MIN),
                     above = way_of(tree, (int32_t)high), highest = way_of(tree, INT32_MAX);
    /* as numbers without sign, those below may be above */
    if (below.to != lowest.to || below.from != lowest.from || above.to != highest.to || above.from != highest.from)
        return false;
    replace(tree, low, high);
    return true;
}

static bool is_reached(LLVMBasicBlockRef block)
{
    return LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
}

void make_switches(struct translator *t)
{
    static const char no_tables[] = "no-jump-tables"; /* LLVM's other ones are not worth it */
    struct tree *tree = cy_arena_alloc(&t->arena, sizeof(*tree));
    tree->t = t;
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f), next; block; block = next) {
            next = LLVMGetNextBasicBlock(block);
            if (is_reached(block) && !has_parent(t, block) && collect(tree, block) && replace_tree(tree))
                LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, no_tables,
                                                 sizeof(no_tables) - 1);
        }
}
