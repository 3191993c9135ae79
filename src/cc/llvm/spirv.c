/* What llvm-spirv leaves for others: functions without a name, and instructions for which OpenCL C has a function of
 * another name. */
#include "cc/llvm/llvm_pipeline.h"

#include <llvm-c/Core.h>

#include <stdio.h>
#include <string.h>

/* Functions need no name in SPIR-V; in an object each has a symbol. */
static void name_functions(LLVMModuleRef module)
{
    unsigned count = 0;
    size_t length;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        char name[32];
        LLVMGetValueName2(f, &length);
        if (length)
            continue;
        snprintf(name, sizeof(name), "__cy_unnamed%u", count++); /* LLVM makes it unique */
        LLVMSetValueName2(f, name, strlen(name));
    }
}

/* SPV_KHR_integer_dot_product.  Vectors have four bytes; packed ones are followed by their format, of which there is
 * one. */
static const struct dot {
    const char *spirv, *vectors, *packed;
    unsigned operands;
} dots[] = {
    {"__spirv_SDotKHR_Rint", "_Z3dotDv4_cS_", "_Z20dot_4x8packed_ss_intjj", 2},
    {"__spirv_UDotKHR_Ruint", "_Z3dotDv4_hS_", "_Z21dot_4x8packed_uu_uintjj", 2},
    {"__spirv_SUDotKHR_Rint", "_Z3dotDv4_cDv4_h", "_Z20dot_4x8packed_su_intjj", 2},
    {"__spirv_SDotAccSatKHR_Rint", "_Z11dot_acc_satDv4_cS_i", "_Z28dot_acc_sat_4x8packed_ss_intjji", 3},
    {"__spirv_UDotAccSatKHR_Ruint", "_Z11dot_acc_satDv4_hS_j", "_Z29dot_acc_sat_4x8packed_uu_uintjjj", 3},
    {"__spirv_SUDotAccSatKHR_Rint", "_Z11dot_acc_satDv4_cDv4_hi", "_Z28dot_acc_sat_4x8packed_su_intjji", 3},
};

static bool is_vector_of_bytes(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) == 4 &&
           LLVMGetElementType(type) == LLVMInt8TypeInContext(LLVMGetTypeContext(type));
}

static void replace_dot(LLVMModuleRef module, LLVMValueRef function, const struct dot *dot)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(module)), types[4];
    LLVMTypeRef old = LLVMGlobalGetValueType(function);
    if (LLVMGetReturnType(old) != word || LLVMCountParamTypes(old) < 2 || LLVMCountParamTypes(old) > 4)
        return; /* the importer reports it */
    LLVMGetParamTypes(old, types);
    bool is_packed = types[0] == word && LLVMCountParamTypes(old) == dot->operands + 1;
    if (!is_packed && !(is_vector_of_bytes(types[0]) && LLVMCountParamTypes(old) == dot->operands))
        return;
    const char *name = is_packed ? dot->packed : dot->vectors;
    LLVMTypeRef type = LLVMFunctionType(word, types, dot->operands, false);
    LLVMValueRef other = LLVMGetNamedFunction(module, name);
    if (!other) {
        other = LLVMAddFunction(module, name, type);
        LLVMSetFunctionCallConv(other, CC_SPIR_FUNC);
    }
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetFirstUse(function)) {
        LLVMValueRef call = LLVMGetUser(use), operands[3];
        for (unsigned i = 0; i < dot->operands; i++)
            operands[i] = LLVMGetOperand(call, i);
        LLVMPositionBuilderBefore(builder, call);
        LLVMValueRef result = LLVMBuildCall2(builder, type, other, operands, dot->operands, "");
        LLVMSetInstructionCallConv(result, CC_SPIR_FUNC);
        LLVMReplaceAllUsesWith(call, result);
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDisposeBuilder(builder);
    LLVMDeleteFunction(function);
}

void cc_adapt_spirv(struct cc_program *program)
{
    LLVMValueRef next;
    name_functions(program->module);
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = next) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        next = LLVMGetNextFunction(f);
        if (!LLVMIsDeclaration(f))
            continue;
        name = cc_base_name(name, &length);
        for (size_t i = 0; i < CY_COUNT(dots); i++)
            if (strlen(dots[i].spirv) == length && !strncmp(dots[i].spirv, name, length)) {
                replace_dot(program->module, f, &dots[i]);
                break;
            }
    }
}
