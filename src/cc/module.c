/* LLVM's part: link the built-in functions a program needs, inline everything, optimise, and bring control flow into the
 * form the importer expects (no switches, reducible, loop-closed).  Vectorisers are off: a lane is a scalar program. */
#include "cc/module.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <string.h>

static bool failed(struct cy_diags *diags, const char *name, const char *what, char *message)
{
    cy_diag_file(diags, CY_ERROR, name, "%s: %s", what, message ? message : "unknown reason");
    if (message)
        LLVMDisposeMessage(message);
    return false;
}

static bool run(struct cc_program *program, const char *name, const char *passes, struct cy_diags *diags)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, 0);
    LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, 0);
    LLVMErrorRef error = LLVMRunPasses(program->module, passes, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    char *message = LLVMGetErrorMessage(error);
    cy_diag_file(diags, CY_ERROR, name, "internal error: the passes %s: %s", passes, message);
    LLVMDisposeErrorMessage(message);
    return false;
}

/* ---- operations the machine has no instruction for become calls into the library ---- */

static const char *helper_of(LLVMValueRef insn)
{
    LLVMTypeRef type = LLVMTypeOf(insn);
    LLVMTypeRef from = LLVMGetNumOperands(insn) ? LLVMTypeOf(LLVMGetOperand(insn, 0)) : NULL;
    bool wide = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64;
    bool from_wide = from && LLVMGetTypeKind(from) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(from) == 64;
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMSDiv: return wide ? "__cy_sdiv64" : NULL;
    case LLVMUDiv: return wide ? "__cy_udiv64" : NULL;
    case LLVMSRem: return wide ? "__cy_srem64" : NULL;
    case LLVMURem: return wide ? "__cy_urem64" : NULL;
    case LLVMSIToFP: return from_wide ? "__cy_i64_to_f32" : NULL;
    case LLVMUIToFP: return from_wide ? "__cy_u64_to_f32" : NULL;
    case LLVMFPToSI: return wide ? "__cy_f32_to_i64" : NULL;
    case LLVMFPToUI: return wide ? "__cy_f32_to_u64" : NULL;
    case LLVMFRem: return "__cy_fmod";
    default: return NULL;
    }
}

static LLVMValueRef declare(LLVMModuleRef module, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    if (!function) {
        function = LLVMAddFunction(module, name, type);
        LLVMSetFunctionCallConv(function, CC_SPIR_FUNC);
    }
    return function;
}

static void call_helper(struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef insn, const char *helper)
{
    unsigned count = (unsigned)LLVMGetNumOperands(insn);
    LLVMTypeRef types[2];
    LLVMValueRef args[2];
    for (unsigned i = 0; i < count; i++) {
        args[i] = LLVMGetOperand(insn, i);
        types[i] = LLVMTypeOf(args[i]);
    }
    LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(insn), types, count, 0);
    LLVMPositionBuilderBefore(builder, insn);
    LLVMValueRef call = LLVMBuildCall2(builder, type, declare(program->module, helper, type), args, count, "");
    LLVMSetInstructionCallConv(call, CC_SPIR_FUNC);
    LLVMReplaceAllUsesWith(insn, call);
    LLVMInstructionEraseFromParent(insn);
}

/* printf takes floats as doubles, and we have none: their bits come from the library. */
static void widen_printf(struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef call)
{
    LLVMTypeRef f32 = LLVMFloatTypeInContext(program->context), i64 = LLVMInt64TypeInContext(program->context);
    LLVMTypeRef type = LLVMFunctionType(i64, &f32, 1, 0);
    for (unsigned i = 1; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef arg = LLVMGetOperand(call, i);
        if (LLVMGetTypeKind(LLVMTypeOf(arg)) != LLVMFloatTypeKind)
            continue;
        LLVMPositionBuilderBefore(builder, call);
        LLVMValueRef bits =
            LLVMBuildCall2(builder, type, declare(program->module, "__cy_f32_to_f64_bits", type), &arg, 1, "");
        LLVMSetInstructionCallConv(bits, CC_SPIR_FUNC);
        LLVMSetOperand(call, i, bits);
    }
}

static void use_helpers(struct cc_program *program)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(program->context);
    for (LLVMValueRef function = LLVMGetFirstFunction(program->module); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
                next = LLVMGetNextInstruction(insn);
                const char *helper = helper_of(insn);
                size_t length;
                if (helper)
                    call_helper(program, builder, insn, helper);
                else if (LLVMIsACallInst(insn) && LLVMIsAFunction(LLVMGetCalledValue(insn)) &&
                         !strcmp(LLVMGetValueName2(LLVMGetCalledValue(insn), &length), "printf"))
                    widen_printf(program, builder, insn);
            }
    LLVMDisposeBuilder(builder);
}

bool cc_program_load(struct cc_program *program, const char *name, const struct cy_buf *bitcode, const char *library,
                     int optimize, struct cy_diags *diags)
{
    char *message = NULL;
    program->context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode->data, bitcode->size, name);
    bool bad = LLVMParseBitcodeInContext2(program->context, buffer, &program->module);
    LLVMDisposeMemoryBuffer(buffer);
    if (bad)
        return failed(diags, name, "internal error: clang's bitcode cannot be read", NULL);
    /* Twice: optimising can make operations that need the library, and the library's code wants optimising. */
    if (!cc_library_link(program, name, library, diags) || !cc_choose_calls(program, name, diags))
        return false;
    if (!run(program, name, optimize ? "default<O2>,function(scalarizer)" : "always-inline,function(scalarizer)",
             diags))
        return false;
    use_helpers(program);
    if (!cc_library_link(program, name, library, diags) || !cc_choose_calls(program, name, diags))
        return false;
    if (!run(
            program, name,
            optimize
                ? "always-inline,globaldce,function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,gvn,dce)"
                : "always-inline,globaldce",
            diags))
        return false;
    use_helpers(program); /* instcombine does not make them, but let nothing slip through */
    if (!run(program, name, "always-inline,globaldce,function(lower-switch,fix-irreducible,loop-simplify,lcssa)",
             diags))
        return false;
    if (LLVMVerifyModule(program->module, LLVMReturnStatusAction, &message))
        return failed(diags, name, "internal error: the module is not valid", message);
    LLVMDisposeMessage(message);
    return true;
}

void cc_program_free(struct cc_program *program)
{
    if (program->module)
        LLVMDisposeModule(program->module);
    if (program->context)
        LLVMContextDispose(program->context);
    *program = (struct cc_program){0};
}
