/* Finds the dimension of the range along which work-items access consecutive memory.  Mostly it is the first, along which
 * work-groups number their items; `a[i * n + j]` with i of the first dimension and j of the second has it in the second.
 * The host gives a kernel that does not observe the work-group decomposition work-groups along it.
 *
 * This is a guess that results do not depend on.  Looks at the user's program as clang wrote it, where ids are still
 * calls: variables are in memory, and have what is stored to them. */
#include "cc/llvm/row_dimension.h"

#include "base/mem.h"
#include "chengying/cc.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include <string.h>

static const LLVMAttributeIndex on_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
static const char attribute[] = "cy-rows-along";
enum { DIMENSIONS = 3, BOTH = 3, BUDGET = 400, DEEPEST = 24 };

/* How a value depends on the global ids: the factor of each, if it is linear and the factor is a number. */
struct growth {
    int64_t factor[DIMENSIONS];
    bool varies[DIMENSIONS]; /* depends on the id in another way */
};

struct search {
    LLVMTargetDataRef layout;
    LLVMValueRef path[DEEPEST]; /* variables whose values are being found: loops change them by themselves */
    unsigned depth, left;       /* of BUDGET */
};

static bool depends(const struct growth *growth, unsigned d)
{
    return growth->varies[d] || growth->factor[d];
}

static struct growth sum(struct growth a, struct growth b, int64_t scale)
{
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        a.factor[d] = (int64_t)((uint64_t)a.factor[d] + (uint64_t)b.factor[d] * (uint64_t)scale);
        a.varies[d] |= b.varies[d];
    }
    return a;
}

static struct growth mixed(struct growth a, struct growth b)
{
    for (unsigned d = 0; d < DIMENSIONS; d++)
        a.varies[d] = depends(&a, d) || depends(&b, d);
    memset(a.factor, 0, sizeof(a.factor));
    return a;
}

/* One of both: if only one depends on an id, as in clamped indices, that one counts. */
static struct growth either(struct growth a, struct growth b)
{
    for (unsigned d = 0; d < DIMENSIONS; d++)
        if (!depends(&a, d)) {
            a.factor[d] = b.factor[d];
            a.varies[d] = b.varies[d];
        } else if (depends(&b, d)) {
            a.varies[d] |= b.varies[d] || a.factor[d] != b.factor[d];
        }
    return a;
}

static struct growth growth_of(struct search *search, LLVMValueRef value);

static struct growth growth_of_product(struct search *search, LLVMValueRef x, LLVMValueRef y)
{
    const struct growth none = {0};
    if (LLVMIsAConstantInt(y))
        return sum(none, growth_of(search, x), LLVMConstIntGetSExtValue(y));
    if (LLVMIsAConstantInt(x))
        return sum(none, growth_of(search, y), LLVMConstIntGetSExtValue(x));
    return mixed(growth_of(search, x), growth_of(search, y));
}

static struct growth growth_of_address(struct search *search, LLVMValueRef gep)
{
    struct growth growth = growth_of(search, LLVMGetOperand(gep, 0));
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if (i > 1 && kind != LLVMArrayTypeKind && kind != LLVMVectorTypeKind)
            return growth; /* members: their offsets do not depend on ids, and what follows seldom does */
        type = i > 1 ? LLVMGetElementType(type) : type;
        const int64_t size = (int64_t)LLVMABISizeOfType(search->layout, type);
        growth = sum(growth, growth_of(search, LLVMGetOperand(gep, i)), size);
    }
    return growth;
}

/* What a variable has: any of the values that are stored to it. */
static struct growth growth_of_variable(struct search *search, LLVMValueRef variable)
{
    struct growth growth = {0};
    for (unsigned i = 0; i < search->depth; i++)
        if (search->path[i] == variable)
            return growth;
    if (search->depth == DEEPEST)
        return growth;
    search->path[search->depth++] = variable;
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable)
            growth = either(growth, growth_of(search, LLVMGetOperand(user, 0)));
    }
    search->depth--;
    return growth;
}

static bool is_named(const char *name, size_t length, const char *other)
{
    return length == strlen(other) && !memcmp(name, other, length);
}

static struct growth growth_of_call(struct search *search, LLVMValueRef call)
{
    struct growth growth = {0};
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
        struct growth argument = growth_of(search, LLVMGetOperand(call, i));
        growth = clamps ? either(growth, argument) : mixed(growth, argument);
    }
    return growth;
}

static struct growth growth_of(struct search *search, LLVMValueRef value)
{
    struct growth growth = {0};
    if (!LLVMIsAInstruction(value) || !search->left)
        return growth;
    search->left--;
    LLVMValueRef first = LLVMGetNumOperands(value) > 0 ? LLVMGetOperand(value, 0) : NULL;
    LLVMValueRef second = LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : NULL;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMLoad:
        if (LLVMIsAAllocaInst(first))
            return growth_of_variable(search, first);
        return mixed(growth, growth_of(search, first));
    case LLVMAdd:
    case LLVMOr: return sum(growth_of(search, first), growth_of(search, second), 1);
    case LLVMSub: return sum(growth_of(search, first), growth_of(search, second), -1);
    case LLVMMul: return growth_of_product(search, first, second);
    case LLVMShl:
        if (LLVMIsAConstantInt(second) && LLVMConstIntGetZExtValue(second) < 32)
            return sum(growth, growth_of(search, first), 1ll << LLVMConstIntGetZExtValue(second));
        return mixed(growth_of(search, first), growth_of(search, second));
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast: return growth_of(search, first);
    case LLVMGetElementPtr: return growth_of_address(search, value);
    case LLVMCall: return growth_of_call(search, value);
    case LLVMSelect: return either(growth_of(search, second), growth_of(search, LLVMGetOperand(value, 2)));
    case LLVMPHI: /* of ?: */
        for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
            growth = either(growth, growth_of(search, LLVMGetIncomingValue(value, i)));
        return growth;
    default:
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
            growth = mixed(growth, growth_of(search, LLVMGetOperand(value, i)));
        return growth;
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

static void add_access(struct search *search, LLVMValueRef access, uint64_t weight, struct costs *costs)
{
    enum { ROW = 1, NEAR = 2, ANYWHERE = 6, LINE_BYTES = 32 };
    const bool is_store = LLVMIsAStoreInst(access);
    LLVMValueRef pointer = LLVMGetOperand(access, is_store ? 1 : 0);
    LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(access, 0) : access);
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    if ((space != CY_ADDRESS_GLOBAL && space != CY_ADDRESS_CONSTANT) || !LLVMTypeIsSized(type))
        return;
    search->left = BUDGET;
    const struct growth growth = growth_of(search, pointer);
    const int64_t size = (int64_t)LLVMABISizeOfType(search->layout, type);
    bool is_far = false;
    for (unsigned d = 0; d < DIMENSIONS && search->left; d++) {
        const int64_t step = growth.factor[d] < 0 ? -growth.factor[d] : growth.factor[d];
        const bool is_row = !growth.varies[d] && step == size, is_near = !growth.varies[d] && step <= LINE_BYTES;
        costs->is_row[d] |= is_row;
        costs->is_column |= d == 1 && is_row && is_far;
        is_far = !is_near;
        if (depends(&growth, d))
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
    struct cy_arena arena = {0};
    struct search search = {.layout = layout};
    struct costs costs = {0};
    const unsigned *depths = loop_depths(&arena, function);
    unsigned number = 0, best = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b), number++) {
        const uint64_t weight = 1ull << 3 * (depths[number] < 3 ? depths[number] : 3);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
                add_access(&search, i, weight, &costs);
    }
    for (unsigned d = 1; d < DIMENSIONS; d++)
        if (costs.is_row[d] && costs.along[d] * 2 <= costs.along[0] && costs.along[d] < costs.along[best])
            best = d;
    cy_arena_free(&arena);
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
