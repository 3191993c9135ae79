/* Arithmetic on halves becomes arithmetic on floats: the machine's binary16 needs another vtype around each instruction,
 * and a float has so many more bits that rounding twice gives the same sums, products, quotients and roots.  Halves
 * themselves stay 16-bit words; the device library converts. */
#include "cc/llvm/llvm_pipeline.h"

#include <llvm-c/Core.h>

#include <string.h>

struct lowering {
    struct cc_program *program;
    LLVMBuilderRef builder;
    LLVMTypeRef i16, f16, f32, f64;
};

static bool is(LLVMTypeRef type, LLVMTypeKind kind)
{
    return LLVMGetTypeKind(type) == kind;
}

static LLVMValueRef call(struct lowering *l, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef types[3];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
    LLVMValueRef function = LLVMGetNamedFunction(l->program->module, name);
    if (!function) {
        function = LLVMAddFunction(l->program->module, name, type);
        LLVMSetFunctionCallConv(function, CC_SPIR_FUNC);
    }
    LLVMValueRef made = LLVMBuildCall2(l->builder, type, function, args, count, "");
    LLVMSetInstructionCallConv(made, CC_SPIR_FUNC);
    return made;
}

static LLVMValueRef bits_of(struct lowering *l, LLVMValueRef half)
{
    return LLVMBuildBitCast(l->builder, half, l->i16, "");
}

static LLVMValueRef to_float(struct lowering *l, LLVMValueRef half)
{
    LLVMValueRef bits = bits_of(l, half);
    return call(l, "__cy_f16_to_f32", l->f32, &bits, 1);
}

static LLVMValueRef from_bits(struct lowering *l, LLVMValueRef bits)
{
    return LLVMBuildBitCast(l->builder, bits, l->f16, "");
}

static LLVMValueRef to_half(struct lowering *l, LLVMValueRef number)
{
    bool is_double = is(LLVMTypeOf(number), LLVMDoubleTypeKind);
    return from_bits(l, call(l, is_double ? "__cy_f64_to_f16" : "__cy_f32_to_f16", l->i16, &number, 1));
}

/* The intrinsic of the same name on floats; fused operations and signs have code of their own. */
static LLVMValueRef lower_intrinsic(struct lowering *l, LLVMValueRef insn, unsigned id)
{
    size_t length;
    const char *name = LLVMIntrinsicGetName(id, &length);
    unsigned count = LLVMGetNumArgOperands(insn);
    LLVMTypeRef type = LLVMTypeOf(insn), types[2] = {type, l->f32};
    LLVMValueRef args[3];
    if (count > 3 || !strcmp(name, "llvm.fabs") || !strcmp(name, "llvm.is.fpclass"))
        return NULL; /* the importer's */
    bool fused = !strcmp(name, "llvm.fma") || !strcmp(name, "llvm.fmuladd");
    for (unsigned i = 0; i < count; i++) {
        args[i] = LLVMGetOperand(insn, i);
        if (is(LLVMTypeOf(args[i]), LLVMHalfTypeKind))
            args[i] = fused || !strcmp(name, "llvm.copysign") ? bits_of(l, args[i]) : to_float(l, args[i]);
    }
    if (fused)
        return from_bits(l, call(l, "__cy_fma16", l->i16, args, 3));
    if (!strcmp(name, "llvm.copysign")) {
        LLVMValueRef size = LLVMBuildAnd(l->builder, args[0], LLVMConstInt(l->i16, 0x7fff, 0), "");
        LLVMValueRef sign = LLVMBuildAnd(l->builder, args[1], LLVMConstInt(l->i16, 0x8000, 0), "");
        return from_bits(l, LLVMBuildOr(l->builder, size, sign, ""));
    }
    static const char *const minmax[][2] = {{"llvm.minnum", "__cy_fmin"},
                                            {"llvm.maxnum", "__cy_fmax"},
                                            {"llvm.minimum", "__cy_fminimum"},
                                            {"llvm.maximum", "__cy_fmaximum"}}; /* see opaque.c */
    for (size_t i = 0; i < sizeof(minmax) / sizeof(minmax[0]); i++)
        if (!strcmp(name, minmax[i][0]))
            return to_half(l, call(l, minmax[i][1], l->f32, args, 2));
    bool to_int = is(type, LLVMIntegerTypeKind); /* llvm.fptosi.sat */
    unsigned overloads = to_int || (count == 2 && is(LLVMTypeOf(args[1]), LLVMIntegerTypeKind)) ? 2 : 1;
    if (!to_int && overloads == 2) /* llvm.powi, llvm.ldexp */
        types[1] = LLVMTypeOf(args[1]);
    if (!to_int)
        types[0] = l->f32;
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(l->program->module, id, types, overloads);
    LLVMValueRef made = LLVMBuildCall2(l->builder, LLVMGlobalGetValueType(function), function, args, count, "");
    return to_int ? made : to_half(l, made);
}

static bool is_printf(LLVMValueRef callee)
{
    size_t length;
    return LLVMIsAFunction(callee) && !strcmp(LLVMGetValueName2(callee, &length), "printf");
}

/* OpenCL C promotes the operands of printf; SPIR-V has halves there. */
static void promote_operands(struct lowering *l, LLVMValueRef call)
{
    for (unsigned i = 1; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef argument = LLVMGetOperand(call, i);
        if (is(LLVMTypeOf(argument), LLVMHalfTypeKind))
            LLVMSetOperand(call, i, to_float(l, argument));
    }
}

/* What replaces an instruction; NULL: it stays. */
static LLVMValueRef lower(struct lowering *l, LLVMValueRef insn)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(insn);
    LLVMTypeRef type = LLVMTypeOf(insn);
    if (op == LLVMCall && is_printf(LLVMGetCalledValue(insn)))
        promote_operands(l, insn);
    LLVMValueRef first = LLVMGetNumOperands(insn) > 0 ? LLVMGetOperand(insn, 0) : NULL;
    bool is_half = is(type, LLVMHalfTypeKind), from_half = first && is(LLVMTypeOf(first), LLVMHalfTypeKind);
    if (!is_half && !from_half)
        return NULL;
    switch (op) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem: {
        LLVMValueRef a = to_float(l, first), b = to_float(l, LLVMGetOperand(insn, 1));
        return to_half(l, LLVMBuildBinOp(l->builder, op, a, b, ""));
    }
    case LLVMFCmp: {
        LLVMValueRef a = to_float(l, first), b = to_float(l, LLVMGetOperand(insn, 1));
        return LLVMBuildFCmp(l->builder, LLVMGetFCmpPredicate(insn), a, b, "");
    }
    case LLVMFPExt: {
        LLVMValueRef bits = bits_of(l, first);
        return is(type, LLVMDoubleTypeKind) ? call(l, "__cy_f16_to_f64", l->f64, &bits, 1) : to_float(l, first);
    }
    case LLVMFPTrunc: return to_half(l, first);
    case LLVMSIToFP:
    case LLVMUIToFP: return to_half(l, LLVMBuildCast(l->builder, op, first, l->f32, ""));
    case LLVMFPToSI:
    case LLVMFPToUI: return LLVMBuildCast(l->builder, op, to_float(l, first), type, "");
    case LLVMCall: {
        LLVMValueRef callee = LLVMGetCalledValue(insn);
        unsigned id = LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
        return id ? lower_intrinsic(l, insn, id) : NULL;
    }
    default: return NULL;
    }
}

void cc_lower_half(struct cc_program *program)
{
    struct lowering l = {.program = program,
                         .i16 = LLVMInt16TypeInContext(program->context),
                         .f16 = LLVMHalfTypeInContext(program->context),
                         .f32 = LLVMFloatTypeInContext(program->context),
                         .f64 = LLVMDoubleTypeInContext(program->context)};
    l.builder = LLVMCreateBuilderInContext(program->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
                next = LLVMGetNextInstruction(insn);
                LLVMPositionBuilderBefore(l.builder, insn);
                LLVMValueRef instead = lower(&l, insn);
                if (instead) {
                    LLVMReplaceAllUsesWith(insn, instead);
                    LLVMInstructionEraseFromParent(insn);
                }
            }
    LLVMDisposeBuilder(l.builder);
}
