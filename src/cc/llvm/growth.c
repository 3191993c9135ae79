#include "cc/llvm/growth.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stddef.h>

bool cc_growth_depends(const struct cc_growth *growth, unsigned number)
{
    return growth->varies[number] || growth->factor[number];
}

struct cc_growth cc_growth_sum(struct cc_growth a, struct cc_growth b, int64_t scale)
{
    for (unsigned n = 0; n < CC_GROWTH_NUMBERS; n++) {
        a.factor[n] = (int64_t)((uint64_t)a.factor[n] + (uint64_t)b.factor[n] * (uint64_t)scale);
        a.varies[n] |= b.varies[n];
    }
    return a;
}

struct cc_growth cc_growth_mixed(struct cc_growth a, struct cc_growth b)
{
    struct cc_growth mixed = {0};
    for (unsigned n = 0; n < CC_GROWTH_NUMBERS; n++)
        mixed.varies[n] = cc_growth_depends(&a, n) || cc_growth_depends(&b, n);
    return mixed;
}

bool cc_growth_enter(struct cc_growth_search *search, LLVMValueRef value)
{
    for (unsigned i = 0; i < search->depth; i++)
        if (search->path[i] == value)
            return false;
    if (search->depth == CC_GROWTH_DEEPEST)
        return false;
    search->path[search->depth++] = value;
    return true;
}

void cc_growth_leave(struct cc_growth_search *search)
{
    search->depth--;
}

static struct cc_growth growth_of_both(struct cc_growth_search *search, LLVMValueRef x, LLVMValueRef y)
{
    const struct cc_growth first = cc_growth_of(search, x), second = cc_growth_of(search, y);
    return cc_growth_mixed(first, second);
}

static struct cc_growth growth_of_product(struct cc_growth_search *search, LLVMValueRef x, LLVMValueRef y)
{
    const struct cc_growth none = {0};
    if (LLVMIsAConstantInt(y))
        return cc_growth_sum(none, cc_growth_of(search, x), LLVMConstIntGetSExtValue(y));
    if (LLVMIsAConstantInt(x))
        return cc_growth_sum(none, cc_growth_of(search, y), LLVMConstIntGetSExtValue(x));
    return growth_of_both(search, x, y);
}

/* `by`: what the second one is multiplied by. */
static struct cc_growth growth_of_sum(struct cc_growth_search *search, LLVMValueRef x, LLVMValueRef y, int64_t by)
{
    const struct cc_growth first = cc_growth_of(search, x), second = cc_growth_of(search, y);
    return cc_growth_sum(first, second, by);
}

static struct cc_growth growth_of_address(struct cc_growth_search *search, LLVMValueRef gep)
{
    struct cc_growth growth = cc_growth_of(search, LLVMGetOperand(gep, 0));
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if (i > 1 && kind != LLVMArrayTypeKind && kind != LLVMVectorTypeKind)
            return growth; /* members: their offsets are constant, and what follows mostly is */
        type = i > 1 ? LLVMGetElementType(type) : type;
        const int64_t size = (int64_t)LLVMABISizeOfType(search->layout, type);
        growth = cc_growth_sum(growth, cc_growth_of(search, LLVMGetOperand(gep, i)), size);
    }
    return growth;
}

struct cc_growth cc_growth_of(struct cc_growth_search *search, LLVMValueRef value)
{
    struct cc_growth growth = {0};
    if (!LLVMIsAInstruction(value) || !search->left)
        return growth;
    search->left--;
    if (search->knows(search, value, &growth))
        return growth;
    LLVMValueRef first = LLVMGetNumOperands(value) > 0 ? LLVMGetOperand(value, 0) : NULL;
    LLVMValueRef second = LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : NULL;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMOr: return growth_of_sum(search, first, second, 1);
    case LLVMSub: return growth_of_sum(search, first, second, -1);
    case LLVMMul: return growth_of_product(search, first, second);
    case LLVMShl:
        if (LLVMIsAConstantInt(second) && LLVMConstIntGetZExtValue(second) < 32)
            return cc_growth_sum(growth, cc_growth_of(search, first), 1ll << LLVMConstIntGetZExtValue(second));
        return growth_of_both(search, first, second);
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc: return cc_growth_of(search, first);
    case LLVMGetElementPtr: return growth_of_address(search, value);
    default:
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
            growth = cc_growth_mixed(growth, cc_growth_of(search, LLVMGetOperand(value, i)));
        return growth;
    }
}
