/* Samplers that are constants in the program.  clang makes them by a call of an opaque function, and the library looks
 * into a sampler by another: once inlining has brought the two together, the result is a number, and the library's code
 * for the other samplers folds away. */
#include "cc/llvm/llvm_pipeline.h"

#include <llvm-c/Core.h>

#include <string.h>

static bool calls(LLVMValueRef value, const char *name)
{
    size_t length;
    LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    return callee && LLVMIsAFunction(callee) && !strcmp(LLVMGetValueName2(callee, &length), name);
}

bool cc_has_samplers(const struct cc_program *program)
{
    LLVMValueRef maker = LLVMGetNamedFunction(program->module, "__translate_sampler_initializer");
    return maker && LLVMGetFirstUse(maker);
}

void cc_fold_samplers(const struct cc_program *program)
{
    LLVMValueRef reader = LLVMGetNamedFunction(program->module, "__cy_sampler");
    LLVMUseRef next;
    for (LLVMUseRef use = reader ? LLVMGetFirstUse(reader) : NULL; use; use = next) {
        LLVMValueRef call = LLVMGetUser(use), made = calls(call, "__cy_sampler") ? LLVMGetOperand(call, 0) : NULL;
        next = LLVMGetNextUse(use);
        if (made && calls(made, "__translate_sampler_initializer")) {
            LLVMReplaceAllUsesWith(call, LLVMGetOperand(made, 0));
            LLVMInstructionEraseFromParent(call);
        }
    }
}
