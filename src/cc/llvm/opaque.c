/* Operations that must be opaque to LLVM.
 *
 * LLVM 19's instruction simplifier (foldMinimumMaximumSharedOp) mistakes any intrinsic of the same two operands for a
 * minimum or maximum: max(max(a, b), fma(a, b, c)) becomes max(a, b), or the compiler crashes.  So no llvm.minnum,
 * maxnum, minimum or maximum may exist while LLVM optimises:
 *
 *     those in clang's output become calls to __cy_fmin and the like, as in the device library;
 *     instcombine creates them from `a < b ? a : b` where a select has the flags nnan and nsz, and flags move between
 *     instructions; so clang never sets nnan (clang.c).  The importer forms minima from selects.
 *
 * The integer ones (llvm.smin ...) are simplified by a different function, which is correct.
 *
 * LLVM treats the code after llvm.trap as unreachable, and may drop or merge the code before it.  __cy_trap is an
 * ordinary call that could return: lanes that do not trap reconverge after it as after any branch. */
#include "cc/llvm/llvm_pipeline.h"

#include "base/mem.h"

#include <llvm-c/Core.h>

#include <string.h>

static const LLVMAttributeIndex on_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

static const struct opaque {
    const char *intrinsic; /* without "llvm." and types */
    const char *function;
} opaque[] = {
    {"minnum", "__cy_fmin"}, {"maxnum", "__cy_fmax"}, {"minimum", "__cy_fminimum"}, {"maximum", "__cy_fmaximum"},
    {"minnum", "__cy_dmin"}, {"maxnum", "__cy_dmax"}, {"minimum", "__cy_dminimum"}, {"maximum", "__cy_dmaximum"},
    {"trap", CC_TRAP},       {"debugtrap", CC_TRAP},  {"ubsantrap", CC_TRAP},
};
enum { OF_DOUBLES = 4 }; /* further down in the table */

static const struct opaque *opaque_function(LLVMValueRef function)
{
    unsigned id = LLVMIsAFunction(function) ? LLVMGetIntrinsicID(function) : 0;
    size_t length;
    const char *name = id ? LLVMIntrinsicGetName(id, &length) + strlen("llvm.") : "";
    for (size_t i = 0; i < CY_COUNT(opaque); i++)
        if (!strcmp(name, opaque[i].intrinsic))
            return &opaque[i];
    return NULL;
}

static void add_attributes(struct cc_program *program, LLVMValueRef function, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        LLVMAddAttributeAtIndex(function, on_function, LLVMCreateEnumAttribute(program->context, kind, 0));
    }
}

/* Also for calls that clang declares `const`: LLVM may speculate a minimum. */
static void describe_minmax(struct cc_program *program, LLVMValueRef function)
{
    static const char *const names[] = {"speculatable", "nounwind", "willreturn", "nosync", "nofree"};
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", strlen("memory"));
    add_attributes(program, function, names, CY_COUNT(names));
    LLVMAddAttributeAtIndex(function, on_function, LLVMCreateEnumAttribute(program->context, memory, 0)); /* none */
}

static LLVMValueRef declare(struct cc_program *program, const char *name, LLVMTypeRef type)
{
    static const char *const of_trap[] = {"nounwind", "cold", "nomerge"}; /* each trap keeps its line */
    LLVMValueRef function = LLVMGetNamedFunction(program->module, name);
    if (!function) {
        function = LLVMAddFunction(program->module, name, type);
        LLVMSetFunctionCallConv(function, CC_SPIR_FUNC);
        if (!strcmp(name, CC_TRAP))
            add_attributes(program, function, of_trap, CY_COUNT(of_trap));
    }
    return function;
}

static LLVMValueRef build_call(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef *args, unsigned count)
{
    LLVMValueRef call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, args, count, "");
    LLVMSetInstructionCallConv(call, CC_SPIR_FUNC);
    return call;
}

static void hide_trap(struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(program->context), NULL, 0, 0);
    build_call(builder, declare(program, CC_TRAP, type), NULL, 0);
    LLVMInstructionEraseFromParent(call);
}

/* Element by element: the functions are scalar. */
static void hide_minmax(struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef call, const struct opaque *row)
{
    LLVMTypeRef type = LLVMTypeOf(call), i32 = LLVMInt32TypeInContext(program->context);
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeRef element = is_vector ? LLVMGetElementType(type) : type;
    if (LLVMGetTypeKind(element) == LLVMHalfTypeKind)
        return; /* becomes one of floats (lower_half.c) */
    if (LLVMGetTypeKind(element) == LLVMDoubleTypeKind)
        row += OF_DOUBLES;
    LLVMValueRef function =
        declare(program, row->function, LLVMFunctionType(element, (LLVMTypeRef[]){element, element}, 2, 0));
    LLVMValueRef args[2] = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1)}, made = LLVMGetPoison(type);
    for (unsigned i = 0; is_vector && i < LLVMGetVectorSize(type); i++) {
        LLVMValueRef at = LLVMConstInt(i32, i, 0), pair[2];
        for (unsigned k = 0; k < 2; k++)
            pair[k] = LLVMBuildExtractElement(builder, args[k], at, "");
        made = LLVMBuildInsertElement(builder, made, build_call(builder, function, pair, 2), at, "");
    }
    LLVMReplaceAllUsesWith(call, is_vector ? made : build_call(builder, function, args, 2));
    LLVMInstructionEraseFromParent(call);
}

static void hide(struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef insn)
{
    const struct opaque *row = LLVMIsACallInst(insn) ? opaque_function(LLVMGetCalledValue(insn)) : NULL;
    if (!row)
        return;
    LLVMPositionBuilderBefore(builder, insn);
    if (!strcmp(row->function, CC_TRAP))
        hide_trap(program, builder, insn);
    else
        hide_minmax(program, builder, insn, row);
}

void cc_hide(struct cc_program *program)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(program->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
                next = LLVMGetNextInstruction(insn);
                hide(program, builder, insn);
            }
    }
    LLVMDisposeBuilder(builder);
    for (size_t i = 0; i < CY_COUNT(opaque); i++) {
        LLVMValueRef function = LLVMGetNamedFunction(program->module, opaque[i].function);
        if (function && strcmp(opaque[i].function, CC_TRAP) != 0)
            describe_minmax(program, function);
    }
}
