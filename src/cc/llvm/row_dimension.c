/* Finds the dimension of the range along which work-items access consecutive memory.  Mostly it is the first, along which
 * work-groups number their items; `a[i * n + j]` with i of the first dimension and j of the second has it in the second.
 * The host gives a kernel that does not observe the work-group decomposition work-groups along it.
 *
 * This is a guess that results do not depend on.  Looks at the user's program as clang wrote it, where ids are still
 * calls: variables are in memory, and have what is stored to them. */
#include "cc/llvm/row_dimension.h"

#include "base/mem.h"
#include "base/strmap.h"
#include "cc/llvm/growth.h"
#include "chengying/cc.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include <string.h>

static const LLVMAttributeIndex on_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
static const char attribute[] = "cy-rows-along";
enum { DIMENSIONS = CC_GROWTH_NUMBERS, BOTH = 3, BUDGET = 400 };

/* One of both: if only one depends on an id, as in clamped indices, that one counts. */
static struct cc_growth either(struct cc_growth a, struct cc_growth b)
{
    for (unsigned d = 0; d < DIMENSIONS; d++)
        if (!cc_growth_depends(&a, d)) {
            a.factor[d] = b.factor[d];
            a.varies[d] = b.varies[d];
        } else if (cc_growth_depends(&b, d)) {
            a.varies[d] |= b.varies[d] || a.factor[d] != b.factor[d];
        }
    return a;
}

/* The values that are stored to the variables of a function.  A long function uses a variable in thousands of places, and each of
 * its accesses asks. */
struct stored {
    LLVMValueRef value;
    const struct stored *next;
};
struct rows_search {
    struct cc_growth_search search; /* the first member */
    struct cy_arena arena;
    struct cy_strmap variables;
    CY_VEC(const struct stored *) stored; /* by the variable's number */
};

static void note_store(struct rows_search *rows, LLVMValueRef store)
{
    LLVMValueRef variable = LLVMGetOperand(store, 1);
    if (!LLVMIsAAllocaInst(variable))
        return;
    const uint32_t number = cy_strmap_add(&rows->variables, (const char *)&variable, sizeof(variable));
    if (number == rows->stored.count)
        *cy_vec_push(&rows->stored) = NULL;
    struct stored *stored = CY_NEW(&rows->arena, struct stored);
    *stored = (struct stored){LLVMGetOperand(store, 0), rows->stored.at[number]};
    rows->stored.at[number] = stored;
}

/* What a variable has: any of the values that are stored to it. */
static struct cc_growth growth_of_variable(struct cc_growth_search *search, LLVMValueRef variable)
{
    const struct rows_search *rows = (const struct rows_search *)search;
    const uint32_t number = cy_strmap_find(&rows->variables, (const char *)&variable, sizeof(variable));
    struct cc_growth growth = {0};
    if (number == CY_STR_NONE || !cc_growth_enter(search, variable))
        return growth;
    for (const struct stored *s = rows->stored.at[number]; s && search->left; s = s->next)
        growth = either(growth, cc_growth_of(search, s->value));
    cc_growth_leave(search);
    return growth;
}

static bool is_named(const char *name, size_t length, const char *other)
{
    return length == strlen(other) && !memcmp(name, other, length);
}

static struct cc_growth growth_of_call(struct cc_growth_search *search, LLVMValueRef call)
{
    struct cc_growth growth = {0};
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const unsigned count = LLVMGetNumArgOperands(call);
    size_t length = 0;
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    name = length ? cc_base_name(name, &length) : name;
    if (is_named(name, length, "get_global_id") && count == 1) {
        LLVMValueRef dimension = LLVMGetOperand(call, 0);
        if (LLVMIsAConstantInt(dimension) && LLVMConstIntGetZExtValue(dimension) < DIMENSIONS)
            growth.factor[LLVMConstIntGetZExtValue(dimension)] = 1;
        return growth;
    }
    const bool clamps =
        is_named(name, length, "min") || is_named(name, length, "max") || is_named(name, length, "clamp");
    for (unsigned i = 0; i < count; i++) {
        struct cc_growth argument = cc_growth_of(search, LLVMGetOperand(call, i));
        growth = clamps ? either(growth, argument) : cc_growth_mixed(growth, argument);
    }
    return growth;
}

/* Calls, variables and choices; the rest is arithmetic. */
static bool knows(struct cc_growth_search *search, LLVMValueRef value, struct cc_growth *growth)
{
    LLVMValueRef first = LLVMGetNumOperands(value) > 0 ? LLVMGetOperand(value, 0) : NULL;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMLoad:
        if (!LLVMIsAAllocaInst(first))
            return false;
        *growth = growth_of_variable(search, first);
        return true;
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast: *growth = cc_growth_of(search, first); return true;
    case LLVMCall: *growth = growth_of_call(search, value); return true;
    case LLVMSelect:
        *growth = cc_growth_of(search, LLVMGetOperand(value, 1));
        *growth = either(*growth, cc_growth_of(search, LLVMGetOperand(value, 2)));
        return true;
    case LLVMPHI: /* of ?: */
        for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
            *growth = either(*growth, cc_growth_of(search, LLVMGetIncomingValue(value, i)));
        return true;
    default: return false;
    }
}

/* ---- costs ---- */

/* What an access costs next to others if work-items go along a dimension: nothing if all access one place, little if their
 * places are consecutive. */
struct costs {
    uint64_t along[DIMENSIONS];
    bool is_row[DIMENSIONS]; /* some places are consecutive */
    bool is_column;          /* or are so along the second dimension and far apart along the first */
};

static void add_access(struct cc_growth_search *search, LLVMValueRef access, uint64_t weight, struct costs *costs)
{
    enum { ROW = 1, NEAR = 2, ANYWHERE = 6, LINE_BYTES = 32 };
    const bool is_store = LLVMIsAStoreInst(access);
    LLVMValueRef pointer = LLVMGetOperand(access, is_store ? 1 : 0);
    LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(access, 0) : access);
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    if ((space != CY_ADDRESS_GLOBAL && space != CY_ADDRESS_CONSTANT) || !LLVMTypeIsSized(type))
        return;
    search->left = BUDGET;
    const struct cc_growth growth = cc_growth_of(search, pointer);
    const int64_t size = (int64_t)LLVMABISizeOfType(search->layout, type);
    bool is_far = false;
    for (unsigned d = 0; d < DIMENSIONS && search->left; d++) {
        const int64_t step = growth.factor[d] < 0 ? -growth.factor[d] : growth.factor[d];
        const bool is_row = !growth.varies[d] && step == size, is_near = !growth.varies[d] && step <= LINE_BYTES;
        costs->is_row[d] |= is_row;
        costs->is_column |= d == 1 && is_row && is_far;
        is_far = !is_near;
        if (cc_growth_depends(&growth, d))
            costs->along[d] += weight * (is_row ? ROW : is_near ? NEAR : ANYWHERE);
    }
}

/* The blocks of a loop lie between its first one and the one that jumps back to that, as clang lays them out. */
static unsigned *loop_depths(struct cy_arena *arena, LLVMValueRef function)
{
    const unsigned count = LLVMCountBasicBlocks(function);
    LLVMBasicBlockRef *blocks = cy_arena_alloc(arena, count * sizeof(LLVMBasicBlockRef));
    unsigned *depths = cy_arena_alloc(arena, count * sizeof(*depths));
    enum { FARTHEST = 64 }; /* blocks of a loop: keeps this linear */
    LLVMGetBasicBlocks(function, blocks);
    memset(depths, 0, count * sizeof(*depths));
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks[i]);
        for (unsigned k = 0; end && k < LLVMGetNumSuccessors(end); k++)
            for (unsigned first = i < FARTHEST ? 0 : i - FARTHEST; first <= i; first++)
                if (blocks[first] == LLVMGetSuccessor(end, k))
                    for (unsigned b = first; b <= i; b++)
                        depths[b]++;
    }
    return depths;
}

static unsigned best_dimension(LLVMTargetDataRef layout, LLVMValueRef function)
{
    struct rows_search rows = {.search = {.layout = layout, .knows = knows}};
    struct costs costs = {0};
    const unsigned *depths = loop_depths(&rows.arena, function);
    unsigned number = 0, best = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAStoreInst(i))
                note_store(&rows, i);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b), number++) {
        const uint64_t weight = 1ull << 3 * (depths[number] < 3 ? depths[number] : 3);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
                add_access(&rows.search, i, weight, &costs);
    }
    for (unsigned d = 1; d < DIMENSIONS; d++)
        if (costs.is_row[d] && costs.along[d] * 2 <= costs.along[0] && costs.along[d] < costs.along[best])
            best = d;
    cy_vec_free(&rows.stored);
    cy_strmap_free(&rows.variables);
    cy_arena_free(&rows.arena);
    return !best && costs.is_row[0] && costs.is_column ? BOTH : best;
}

void cc_find_rows(const struct cc_program *program)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(program->module);
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f)) {
        const unsigned best = LLVMCountBasicBlocks(f) ? best_dimension(layout, f) : 0;
        const char digit = (char)('0' + best);
        if (best)
            LLVMAddAttributeAtIndex(
                f, on_function,
                LLVMCreateStringAttribute(program->context, attribute, (unsigned)strlen(attribute), &digit, 1));
    }
}

unsigned cc_row_dimension(LLVMValueRef function)
{
    LLVMAttributeRef found =
        LLVMGetStringAttributeAtIndex(function, on_function, attribute, (unsigned)strlen(attribute));
    unsigned length = 0;
    const char *digit = found ? LLVMGetStringAttributeValue(found, &length) : NULL;
    return length == 1 && *digit >= '0' && *digit <= '0' + BOTH ? (unsigned)(*digit - '0') : 0;
}
