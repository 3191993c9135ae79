/* What keeps LLVM's back end from making one instruction of two operations, where that would be a wrong one. */
#include "jit/translate/translator.h"

LLVMValueRef fenced(struct translator *t, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), floats = bits_of_type(type) == 64 ? t->f64 : t->f32;
    if (is_vector(type))
        floats = LLVMVectorType(floats, LLVMGetVectorSize(type));
    LLVMValueRef same = LLVMBuildBitCast(t->builder, value, floats, "");
    same = intrinsic(t, "llvm.arithmetic.fence", floats, &same, 1);
    return LLVMBuildBitCast(t->builder, same, type, "");
}
