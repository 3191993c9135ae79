/* Operations without a machine instruction become calls into the device library: 64-bit division and conversions, math
 * intrinsics, memory blocks too large or of unknown size for inline copying.  Functions are replaced by fast variants
 * where the program allows it. */
#include "cc/llvm/llvm_pipeline.h"
#include "chengying/cc.h"

#include <llvm-c/Core.h>

#include <stdio.h>
#include <string.h>

static LLVMValueRef declare(LLVMModuleRef module, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    if (!function) {
        function = LLVMAddFunction(module, name, type);
        LLVMSetFunctionCallConv(function, CC_SPIR_FUNC);
    }
    return function;
}

static LLVMValueRef build_call(struct cc_program *program, LLVMBuilderRef builder, const char *name, LLVMTypeRef result,
                               LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef types[4];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
    LLVMValueRef call = LLVMBuildCall2(builder, type, declare(program->module, name, type), args, count, "");
    LLVMSetInstructionCallConv(call, CC_SPIR_FUNC);
    return call;
}

static void replace(LLVMValueRef insn, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(insn, by);
    LLVMInstructionEraseFromParent(insn);
}

/* ---- 64 bits ---- */

static bool is_wide(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 32 &&
           LLVMGetIntTypeWidth(type) <= 64;
}

static bool is_double(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

/* The machine converts between doubles and 64-bit integers itself. */
static const char *wide_helper(LLVMValueRef insn)
{
    LLVMTypeRef type = LLVMTypeOf(insn), from = LLVMGetNumOperands(insn) ? LLVMTypeOf(LLVMGetOperand(insn, 0)) : type;
    bool wide = is_wide(type), from_wide = is_wide(from);
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMSDiv: return wide ? "__cy_sdiv64" : NULL;
    case LLVMUDiv: return wide ? "__cy_udiv64" : NULL;
    case LLVMSRem: return wide ? "__cy_srem64" : NULL;
    case LLVMURem: return wide ? "__cy_urem64" : NULL;
    case LLVMSIToFP: return from_wide && !is_double(type) ? "__cy_i64_to_f32" : NULL;
    case LLVMUIToFP: return from_wide && !is_double(type) ? "__cy_u64_to_f32" : NULL;
    case LLVMFPToSI: return wide && !is_double(from) ? "__cy_f32_to_i64" : NULL;
    case LLVMFPToUI: return wide && !is_double(from) ? "__cy_f32_to_u64" : NULL;
    case LLVMFPExt: return "__cy_f32_to_f64";
    case LLVMFPTrunc: return "__cy_f64_to_f32";
    case LLVMFRem: return is_double(type) ? "__cy_fmod64" : "__cy_fmod";
    default: return NULL;
    }
}

/* Integers between 32 and 64 bits are widened to 64. */
static void call_wide_helper(struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef insn, const char *helper)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(program->context), type = LLVMTypeOf(insn);
    LLVMOpcode op = LLVMGetInstructionOpcode(insn);
    bool is_signed = op == LLVMSDiv || op == LLVMSRem || op == LLVMSIToFP;
    unsigned count = (unsigned)LLVMGetNumOperands(insn);
    LLVMValueRef args[2];
    LLVMPositionBuilderBefore(builder, insn);
    for (unsigned i = 0; i < count; i++) {
        args[i] = LLVMGetOperand(insn, i);
        if (is_wide(LLVMTypeOf(args[i])))
            args[i] = LLVMBuildIntCast2(builder, args[i], i64, is_signed, "");
    }
    LLVMValueRef result = build_call(program, builder, helper, is_wide(type) ? i64 : type, args, count);
    replace(insn, is_wide(type) ? LLVMBuildIntCast2(builder, result, type, 0, "") : result);
}

/* ---- math ---- */

/* The function's parameters: f for the type of the intrinsic, i for int. */
static const struct {
    const char *intrinsic, *function, *parameters;
} math[] = {
    {"sin", "_Z3sin", "f"},        {"cos", "_Z3cos", "f"},    {"tan", "_Z3tan", "f"},
    {"asin", "_Z4asin", "f"},      {"acos", "_Z4acos", "f"},  {"atan", "_Z4atan", "f"},
    {"sinh", "_Z4sinh", "f"},      {"cosh", "_Z4cosh", "f"},  {"tanh", "_Z4tanh", "f"},
    {"exp", "_Z3exp", "f"},        {"exp2", "_Z4exp2", "f"},  {"exp10", "_Z5exp10", "f"},
    {"log", "_Z3log", "f"},        {"log2", "_Z4log2", "f"},  {"log10", "_Z5log10", "f"},
    {"pow", "_Z3pow", "ff"},       {"powi", "_Z4pown", "fi"}, {"ldexp", "_Z5ldexp", "fi"},
    {"floor", "_Z5floor", "f"},    {"ceil", "_Z4ceil", "f"},  {"trunc", "_Z5trunc", "f"},
    {"round", "_Z5round", "f"},    {"rint", "_Z4rint", "f"},  {"nearbyint", "_Z4rint", "f"},
    {"roundeven", "_Z4rint", "f"},
};

/* llvm.sin.f32, llvm.powi.f64.i32 ... */
static bool call_math(struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef call, const char *name)
{
    LLVMValueRef args[2] = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1)};
    unsigned count = LLVMGetNumArgOperands(call);
    const char *base = name + strlen("llvm."), *type = strrchr(base, '.');
    if (!strcmp(name, "llvm.fptosi.sat.i64.f32") || !strcmp(name, "llvm.fptoui.sat.i64.f32")) {
        const char *helper = base[4] == 's' ? "__cy_f32_to_i64" : "__cy_f32_to_u64";
        replace(call, build_call(program, builder, helper, LLVMTypeOf(call), args, count));
        return true;
    }
    if (type && !strcmp(type, ".i32")) /* the second operand */
        type -= 4;
    if (!type || type <= base || (strncmp(type, ".f32", 4) != 0 && strncmp(type, ".f64", 4) != 0))
        return false;
    for (size_t i = 0; i < CY_COUNT(math); i++) {
        char function[32];
        if (strlen(math[i].intrinsic) != (size_t)(type - base) ||
            strncmp(math[i].intrinsic, base, (size_t)(type - base)))
            continue;
        int length = snprintf(function, sizeof(function), "%s%s", math[i].function, math[i].parameters);
        for (char *at = function + strlen(math[i].function); type[2] == '6' && at < function + length; at++)
            *at = *at == 'f' ? 'd' : *at;
        replace(call, build_call(program, builder, function, LLVMTypeOf(call), args, count));
        return true;
    }
    return false;
}

/* Replaced by the short functions of native.cl where -cl-fast-relaxed-math or -cl-unsafe-math-optimizations allow it
 * (clang marks the calls). */
static const char *const relaxed[] = {"sin",  "cos",   "tan", "exp",  "exp2", "exp10", "log",
                                      "log2", "log10", "pow", "powr", "sqrt", "rsqrt"};

static void relax(struct cc_program *program, LLVMValueRef call)
{
    size_t length;
    LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
    if (!callee || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) || !LLVMCanValueUseFastMathFlags(call) ||
        !(LLVMGetFastMathFlags(call) & LLVMFastMathApproxFunc))
        return;
    const char *name = LLVMGetValueName2(callee, &length);
    for (size_t i = 0; i < CY_COUNT(relaxed); i++) {
        char from[16], to[64];
        int known = snprintf(from, sizeof(from), "_Z%zu%s", strlen(relaxed[i]), relaxed[i]);
        /* the name is followed by the types: f, or Dv4_f; there are no native functions of doubles and halves */
        if (strncmp(name, from, (size_t)known) != 0)
            continue;
        const char *type = name + known;
        if (!strncmp(type, "Dv", 2))
            type += 2 + strspn(type + 2, "0123456789") + 1;
        if (*type != 'f')
            return;
        snprintf(to, sizeof(to), "_Z%zunative_%s%s", strlen(relaxed[i]) + 7, relaxed[i], name + known);
        LLVMValueRef other = declare(program->module, to, LLVMGlobalGetValueType(callee));
        LLVMSetOperand(call, LLVMGetNumArgOperands(call), other);
        return;
    }
}

void cc_apply_fast_math(struct cc_program *program)
{
    for (LLVMValueRef function = LLVMGetFirstFunction(program->module); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block); insn; insn = LLVMGetNextInstruction(insn))
                relax(program, insn);
}

/* ---- memory blocks (block.cl) ---- */

enum { GENERIC = 4 }; /* address space */

static unsigned alignment(LLVMValueRef call, unsigned index)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, index + 1, kind);
    return attribute ? (unsigned)LLVMGetEnumAttributeValue(attribute) : 1;
}

static LLVMValueRef in_space(LLVMBuilderRef builder, LLVMValueRef pointer, unsigned space)
{
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == space)
        return pointer;
    LLVMTypeRef type = LLVMPointerTypeInContext(LLVMGetTypeContext(LLVMTypeOf(pointer)), space);
    return LLVMBuildAddrSpaceCast(builder, pointer, type, "");
}

static void call_block(struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef call, const char *name)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(program->context), none = LLVMVoidTypeInContext(program->context);
    LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1), size = LLVMGetOperand(call, 2);
    unsigned align = alignment(call, 0), to_space = LLVMGetPointerAddressSpace(LLVMTypeOf(to));
    char helper[32];
    size = LLVMBuildIntCast2(builder, size, i32, 0, "");
    if (!strncmp(name, "llvm.memset", 11)) {
        LLVMValueRef args[] = {to, LLVMBuildIntCast2(builder, from, i32, 0, ""), size, LLVMConstInt(i32, align, 0)};
        snprintf(helper, sizeof(helper), "__cy_fill_%u", to_space);
        build_call(program, builder, helper, none, args, 4);
    } else {
        unsigned from_space = LLVMGetPointerAddressSpace(LLVMTypeOf(from)), other = alignment(call, 1);
        if (to_space == GENERIC || from_space == GENERIC)
            to_space = from_space = GENERIC;
        bool may_overlap = !strncmp(name, "llvm.memmove", 12) && to_space == from_space;
        LLVMValueRef destination = in_space(builder, to, to_space);
        LLVMValueRef args[] = {destination, in_space(builder, from, from_space), size,
                               LLVMConstInt(i32, align < other ? align : other, 0)};
        snprintf(helper, sizeof(helper), "__cy_%s_%u%u", may_overlap ? "move" : "copy", to_space, from_space);
        build_call(program, builder, helper, none, args, 4);
    }
    LLVMInstructionEraseFromParent(call);
}

/* Blocks that the importer expands word by word are left alone. */
static bool is_large_block(LLVMValueRef call, const char *name)
{
    bool fill = !strncmp(name, "llvm.memset", 11);
    if (!fill && strncmp(name, "llvm.memcpy", 11) != 0 && strncmp(name, "llvm.memmove", 12) != 0)
        return false;
    LLVMValueRef size = LLVMGetOperand(call, 2);
    if (!LLVMIsAConstantInt(size) || LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(call, 0))) == GENERIC ||
        (!fill && LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(call, 1))) == GENERIC))
        return true;
    unsigned align = alignment(call, 0), other = fill ? align : alignment(call, 1);
    align = align < other ? align : other;
    return LLVMConstIntGetZExtValue(size) / (align < 4 ? align : 4) > CC_BLOCK_PIECES;
}

/* ---- printf takes floats as doubles, which we lack: the library converts the bits ---- */

static void widen_printf(struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef call)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(program->context);
    for (unsigned i = 1; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef arg = LLVMGetOperand(call, i);
        if (LLVMGetTypeKind(LLVMTypeOf(arg)) == LLVMFloatTypeKind)
            LLVMSetOperand(call, i, build_call(program, builder, "__cy_f32_to_f64_bits", i64, &arg, 1));
    }
}

/* ---- local memory used by the library ---- */

static LLVMValueRef scratch(struct cc_program *program, LLVMValueRef bytes)
{
    char name[32];
    unsigned size = (unsigned)LLVMConstIntGetZExtValue(bytes);
    snprintf(name, sizeof(name), "__cy_scratch_%u", size);
    LLVMValueRef variable = LLVMGetNamedGlobal(program->module, name);
    if (!variable) {
        LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(program->context), size);
        variable = LLVMAddGlobalInAddressSpace(program->module, type, name, CY_ADDRESS_LOCAL);
        LLVMSetAlignment(variable, 8);
    }
    return variable;
}

static void use_helper(struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef insn)
{
    /* A function of the library that stays a call until the optimiser has merged the calls with equal results. */
    static const char late[] = "__cy_late_";
    const char *helper = wide_helper(insn);
    size_t length;
    if (helper) {
        call_wide_helper(program, builder, insn, helper);
        return;
    }
    if (!LLVMIsACallInst(insn) || !LLVMIsAFunction(LLVMGetCalledValue(insn)))
        return;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(insn), &length);
    LLVMPositionBuilderBefore(builder, insn);
    if (!strcmp(name, "printf"))
        widen_printf(program, builder, insn);
    else if (!strcmp(name, "__cy_scratch"))
        replace(insn, scratch(program, LLVMGetOperand(insn, 0)));
    else if (!strncmp(name, late, strlen(late))) {
        char function[64];
        snprintf(function, sizeof(function), "__cy_%s", name + strlen(late));
        replace(insn, build_call(program, builder, function, LLVMTypeOf(insn), NULL, 0));
    } else if (!strncmp(name, "llvm.", 5) && !call_math(program, builder, insn, name) && is_large_block(insn, name))
        call_block(program, builder, insn, name);
}

void cc_lower_libcalls(struct cc_program *program)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(program->context);
    for (LLVMValueRef function = LLVMGetFirstFunction(program->module); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
                next = LLVMGetNextInstruction(insn);
                use_helper(program, builder, insn);
            }
    LLVMDisposeBuilder(builder);
}
