/* The address space of a pointer: private memory has its own instructions, everything else is plain memory.  The type
 * decides, except for generic pointers, whose origins are traced, and for data that clang and LLVM put into address
 * space 0 although it is constant: switch tables, structures passed to a kernel by value. */
#include "abi/abi.h"
#include "cc/import/import_priv.h"

#include <string.h>

enum { PRIVATE, GLOBAL, CONSTANT, LOCAL, GENERIC }; /* clang's address space numbers for target spir */

static LLVMOpcode opcode_of(LLVMValueRef value)
{
    return LLVMIsAConstantExpr(value)  ? LLVMGetConstOpcode(value)
           : LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value)
                                       : LLVMRet;
}

/* The pointer from which this one gets its address space; NULL: none, or not unique. */
static LLVMValueRef behind(LLVMValueRef pointer)
{
    switch (opcode_of(pointer)) {
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMFreeze: return LLVMGetOperand(pointer, 0);
    default: return NULL;
    }
}

static bool is_read_only(LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMOpcode op = opcode_of(user);
        size_t length;
        if (op == LLVMLoad)
            continue;
        if ((op == LLVMGetElementPtr || op == LLVMBitCast || op == LLVMAddrSpaceCast) && is_read_only(user))
            continue;
        if (op == LLVMCall && LLVMIsAFunction(LLVMGetCalledValue(user))) {
            const char *name = LLVMGetValueName2(LLVMGetCalledValue(user), &length);
            if (!strncmp(name, "llvm.lifetime.", 14) ||
                (!strncmp(name, "llvm.memcpy.", 12) && LLVMGetOperand(user, 0) != pointer))
                continue;
        }
        return false;
    }
    return true;
}

bool import_stays_in_place(LLVMValueRef function, unsigned index)
{
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    return LLVMGetFunctionCallConv(function) == CC_SPIR_KERNEL &&
           LLVMGetEnumAttributeAtIndex(function, index + 1, byval) && is_read_only(LLVMGetParam(function, index));
}

static bool is_argument_in_place(LLVMValueRef value)
{
    if (!LLVMIsAArgument(value))
        return false;
    LLVMValueRef function = LLVMGetParamParent(value);
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (LLVMGetParam(function, i) == value)
            return import_stays_in_place(function, i);
    return false;
}

/* The operands to follow from a generic pointer: casts and offsets, phis, selects.  False: none, this is an origin. */
struct walk {
    CY_VEC(LLVMValueRef) seen;
};

static void visit(struct walk *walk, LLVMValueRef value)
{
    for (size_t i = 0; i < walk->seen.count; i++)
        if (walk->seen.at[i] == value)
            return;
    *cy_vec_push(&walk->seen) = value;
}

static bool go_on(struct walk *walk, LLVMValueRef value)
{
    LLVMOpcode op = opcode_of(value);
    if (behind(value)) {
        visit(walk, behind(value));
    } else if (op == LLVMPHI) {
        for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
            visit(walk, LLVMGetIncomingValue(value, i));
    } else if (op == LLVMSelect) {
        visit(walk, LLVMGetOperand(value, 1));
        visit(walk, LLVMGetOperand(value, 2));
    } else {
        return false;
    }
    return true;
}

static enum import_space of_type(LLVMValueRef pointer)
{
    LLVMValueRef from = pointer;
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    while (space == PRIVATE && behind(from))
        from = behind(from);
    if (space == GENERIC)
        return IMPORT_EITHER;
    return space != PRIVATE || LLVMIsAGlobalVariable(from) || is_argument_in_place(from) ? IMPORT_PLAIN
                                                                                         : IMPORT_PRIVATE;
}

enum import_space import_space(LLVMValueRef pointer)
{
    enum import_space found = of_type(pointer);
    if (found != IMPORT_EITHER)
        return found;
    struct walk walk = {0};
    bool is_private = false, is_plain = false;
    visit(&walk, pointer);
    for (size_t i = 0; i < walk.seen.count && !(is_private && is_plain); i++) {
        LLVMValueRef value = walk.seen.at[i];
        enum import_space space = LLVMIsAGlobalVariable(value) ? IMPORT_PLAIN : of_type(value);
        if (LLVMIsNull(value) || LLVMIsUndef(value) || (space == IMPORT_EITHER && go_on(&walk, value)))
            continue;
        is_private |= space != IMPORT_PLAIN;
        is_plain |= space != IMPORT_PRIVATE;
    }
    cy_vec_free(&walk.seen);
    return is_private && is_plain ? IMPORT_EITHER : is_private ? IMPORT_PRIVATE : IMPORT_PLAIN;
}

/* ---- pointers that can be either ---- */

void import_both_begin(struct importer *im, LLVMValueRef pointer, struct import_both *both)
{
    ir_value words[2];
    import_get(im, pointer, words, import_pointer_words(im));
    ir_value condition = build_imm(im, IR_LTU, words[0], CY_LDS_BASE); /* the ABI's windows: private memory is lowest */
    if (import_pointer_words(im) > 1)
        condition = build(im, IR_AND, condition, build_imm(im, IR_EQ, words[1], 0));
    both->sides[0] = ir_new_block(im->func);
    both->sides[1] = ir_new_block(im->func);
    both->after = ir_new_block(im->func);
    ir_set_branch(im->func, im->block, condition, both->sides[0], both->sides[1]);
    im->block = both->sides[0];
}

void import_both_next(struct importer *im, struct import_both *both)
{
    ir_set_jump(im->func, im->block, both->after);
    im->block = both->sides[1];
}

void import_both_end(struct importer *im, struct import_both *both)
{
    ir_set_jump(im->func, im->block, both->after);
    im->block = both->after;
}

ir_value import_both_value(struct importer *im, ir_value first, ir_value second)
{
    ir_value phi = build(im, IR_PHI, 0, 0);
    ir_at(im->func, phi)->args[0] = (uint32_t)im->func->phi_args.count;
    *cy_vec_push(&im->func->phi_args) = first;
    *cy_vec_push(&im->func->phi_args) = second;
    return phi;
}
