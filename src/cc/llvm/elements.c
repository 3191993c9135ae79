/* Assignments to elements of vectors in memory that others can see.  For `p->x = v` clang loads the vector, replaces the
 * element and stores the vector: a write-only buffer is read, and elements that other work-items write meanwhile get their
 * old values back.  Here only the elements that change are stored. */
#include "cc/llvm/llvm_pipeline.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

enum { MOST_ELEMENTS = 16, MOST_STEPS = 32 };

/* Is it a load of the stored vector that nothing separates from the store? */
static bool is_old_value(LLVMValueRef store, LLVMValueRef load)
{
    if (!LLVMIsALoadInst(load) || LLVMGetOperand(load, 0) != LLVMGetOperand(store, 1) ||
        LLVMTypeOf(load) != LLVMTypeOf(LLVMGetOperand(store, 0)) ||
        LLVMGetInstructionParent(load) != LLVMGetInstructionParent(store))
        return false;
    for (LLVMValueRef at = LLVMGetNextInstruction(load); at; at = LLVMGetNextInstruction(at)) {
        if (at == store)
            return true;
        const bool is_note = LLVMIsAStoreInst(at) && LLVMIsAConstantExpr(LLVMGetOperand(at, 1)); /* to a checker */
        if (((LLVMIsAStoreInst(at) || LLVMIsACallInst(at)) && !is_note && !LLVMIsADbgInfoIntrinsic(at)) ||
            LLVMIsAFenceInst(at) || LLVMIsAAtomicRMWInst(at) || LLVMIsAAtomicCmpXchgInst(at))
            return false;
    }
    return false;
}

/* The vector and the index from which an element comes, through insertions and shuffles; the scalar and -1 if it was
 * inserted; NULL if it has no value or is not known. */
static LLVMValueRef origin_of(LLVMValueRef vector, int *index)
{
    for (unsigned step = 0; step < MOST_STEPS; step++) {
        if (LLVMIsPoison(vector) || LLVMIsUndef(vector))
            return NULL;
        if (LLVMIsAInsertElementInst(vector)) {
            LLVMValueRef place = LLVMGetOperand(vector, 2);
            if (!LLVMIsAConstantInt(place))
                return NULL;
            if (LLVMConstIntGetZExtValue(place) == (uint64_t)*index) {
                *index = -1;
                return LLVMGetOperand(vector, 1);
            }
            vector = LLVMGetOperand(vector, 0);
        } else if (LLVMIsAShuffleVectorInst(vector)) {
            const int from = LLVMGetMaskValue(vector, (unsigned)*index);
            const int size = (int)LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(vector, 0)));
            if (from < 0)
                return NULL;
            vector = LLVMGetOperand(vector, from < size ? 0 : 1);
            *index = from < size ? from : from - size;
        } else {
            return vector;
        }
    }
    return NULL;
}

static void remove_unused(LLVMValueRef value)
{
    LLVMValueRef operands[2] = {NULL, NULL};
    if (!LLVMIsAInstruction(value) || LLVMGetFirstUse(value))
        return;
    if (LLVMIsAInsertElementInst(value) || LLVMIsAShuffleVectorInst(value)) {
        operands[0] = LLVMGetOperand(value, 0);
        operands[1] = LLVMGetOperand(value, 1);
    } else if (!LLVMIsALoadInst(value)) {
        return;
    }
    LLVMInstructionEraseFromParent(value);
    for (unsigned i = 0; i < 2 && operands[i]; i++)
        remove_unused(operands[i]);
}

struct splitting {
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMTypeRef i32;
};

static LLVMValueRef element_of(struct splitting *s, LLVMValueRef from, int index)
{
    if (index < 0)
        return from;
    if (LLVMIsAConstant(from))
        return LLVMGetAggregateElement(from, (unsigned)index);
    return LLVMBuildExtractElement(s->builder, from, LLVMConstInt(s->i32, (unsigned)index, 0), "");
}

static void store_element(struct splitting *s, LLVMValueRef store, LLVMValueRef value, LLVMValueRef index)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(s->builder, type, LLVMGetOperand(store, 1), &index, 1, "");
    LLVMValueRef made = LLVMBuildStore(s->builder, value, at);
    const unsigned size = (unsigned)LLVMABISizeOfType(s->layout, type), align = LLVMGetAlignment(store);
    LLVMSetAlignment(made, align < size ? align : size);
    LLVMSetVolatile(made, LLVMGetVolatile(store));
}

static void split(struct splitting *s, LLVMValueRef store)
{
    LLVMValueRef vector = LLVMGetOperand(store, 0), from[MOST_ELEMENTS];
    int index[MOST_ELEMENTS];
    const unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
    LLVMPositionBuilderBefore(s->builder, store); /* which also takes the debug location */
    if (LLVMIsAInsertElementInst(vector) && !LLVMIsAConstantInt(LLVMGetOperand(vector, 2))) {
        if (!is_old_value(store, LLVMGetOperand(vector, 0)))
            return;
        store_element(s, store, LLVMGetOperand(vector, 1), LLVMGetOperand(vector, 2));
    } else {
        unsigned kept = 0;
        for (unsigned i = 0; i < count; i++) {
            index[i] = (int)i;
            from[i] = origin_of(vector, &index[i]);
            if (!from[i])
                return;
            if (index[i] == (int)i && is_old_value(store, from[i])) {
                from[i] = NULL;
                kept++;
            }
        }
        if (!kept)
            return;
        for (unsigned i = 0; i < count; i++)
            if (from[i])
                store_element(s, store, element_of(s, from[i], index[i]), LLVMConstInt(s->i32, i, 0));
    }
    LLVMInstructionEraseFromParent(store);
    remove_unused(vector);
}

static bool is_candidate(LLVMValueRef insn)
{
    LLVMValueRef value = LLVMIsAStoreInst(insn) ? LLVMGetOperand(insn, 0) : NULL;
    if (!value || !(LLVMIsAInsertElementInst(value) || LLVMIsAShuffleVectorInst(value)) ||
        !LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(insn, 1))))
        return false;
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(value)));
    return LLVMGetVectorSize(LLVMTypeOf(value)) <= MOST_ELEMENTS &&
           (kind != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(value))) >= 8);
}

void cc_split_element_stores(struct cc_program *program)
{
    struct splitting s = {.builder = LLVMCreateBuilderInContext(program->context),
                          .layout = LLVMGetModuleDataLayout(program->module),
                          .i32 = LLVMInt32TypeInContext(program->context)};
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
                next = LLVMGetNextInstruction(insn);
                if (is_candidate(insn))
                    split(&s, insn);
            }
    LLVMDisposeBuilder(s.builder);
}
