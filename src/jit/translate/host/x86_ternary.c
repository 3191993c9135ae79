/* LLVM makes `vpternlog` of a selection by constant bits, (a & c) | (b & ~c), and of copysign.  Where a vector select merges the result
 * with a or b, the instruction gets a mask register and the select disappears.  If the constant is then in memory, the operands have to
 * change places, and with them the bits of the immediate operand: LLVM takes two of these permutations for each other (llvm-project's
 * issue 157929, mended in 2026), so that the lanes of the mask have wrong values.
 *
 * llvm.arithmetic.fence() between the combination and the select keeps them apart: it is no instruction, but the operation is unmasked,
 * and the select is a move under the mask. */
#define _GNU_SOURCE /* dladdr */
#include "jit/translate/host/x86_ternary.h"

#include "jit/translate/translator.h"

#include <dlfcn.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- does LLVM have the fault? ---- */

/* The smallest function that it makes wrongly. */
static const char example[] = "define <16 x i32> @f(<16 x i32> %a, <16 x i32> %b, <16 x i1> %m) {\n"
                              "  %x = and <16 x i32> %a, splat (i32 -2147483648)\n"
                              "  %y = and <16 x i32> %b, splat (i32 2147483647)\n"
                              "  %o = or <16 x i32> %x, %y\n"
                              "  %r = select <16 x i1> %m, <16 x i32> %o, <16 x i32> %a\n"
                              "  ret <16 x i32> %r\n"
                              "}\n";
/* The code that is right, for operands a and b and the sign bits.  LLVM 19 prints 184. */
static const char right[] = "vpternlogd\t$228, ";

/* The assembly of the example; NULL: LLVM has not compiled it. */
static LLVMMemoryBufferRef compile_example(LLVMContextRef context)
{
    LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRangeCopy(example, sizeof(example) - 1, "example"),
                        assembly = NULL;
    LLVMModuleRef module = NULL;
    LLVMTargetRef target;
    char *error = NULL;
    bool failed = LLVMParseIRInContext(context, text, &module, &error) ||
                  LLVMGetTargetFromTriple(host_x86.triple, &target, &error);
    if (!failed) {
        LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, host_x86.triple, "x86-64-v4", "-prefer-256-bit",
                                                               LLVMCodeGenLevelLess, LLVMRelocPIC, host_x86.model);
        failed = LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile, &error, &assembly);
        LLVMDisposeTargetMachine(machine);
    }
    if (failed)
        LLVMDisposeMessage(error);
    if (module)
        LLVMDisposeModule(module);
    return failed ? NULL : assembly;
}

/* What is not certainly right counts as wrong: that costs next to nothing. */
static bool find_fault(void)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMInitializeX86TargetInfo(); /* not initialise(): its options are those of the code that is being made */
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMMemoryBufferRef assembly = compile_example(context);
    const bool has_fault = !assembly || !strstr(LLVMGetBufferStart(assembly), right);
    if (assembly)
        LLVMDisposeMemoryBuffer(assembly);
    LLVMContextDispose(context);
    return has_fault;
}

/* Names the linked LLVM: a distribution may mend a fault without a new version, so its file counts, too. */
static void name_fact(char *name, size_t room)
{
    unsigned major, minor, patch;
    Dl_info info;
    struct stat status = {0};
    void *symbol;
    LLVMContextRef (*const function)(void) = LLVMContextCreate;
    LLVMGetVersion(&major, &minor, &patch);
    memcpy(&symbol, &function, sizeof(symbol)); /* ISO C does not convert it */
    if (!dladdr(symbol, &info) || stat(info.dli_fname, &status))
        memset(&status, 0, sizeof(status));
    snprintf(name, room, "masked vpternlog of LLVM %u.%u.%u, %llu.%09ld %llu", major, minor, patch,
             (unsigned long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec, (unsigned long long)status.st_size);
}

bool x86_has_ternary_fault(const struct cy_jit_facts *facts)
{
    char name[128];
    bool has_fault;
    if (!facts)
        return find_fault();
    name_fact(name, sizeof(name));
    if (!facts->recall(facts->context, name, &has_fault)) {
        has_fault = find_fault();
        facts->remember(facts->context, name, has_fault);
    }
    return has_fault;
}

/* ---- what is kept from it ---- */

static LLVMValueRef without_casts(LLVMValueRef value)
{
    while (LLVMIsABitCastInst(value))
        value = LLVMGetOperand(value, 0);
    return value;
}

static bool is_call_of(LLVMValueRef value, const char *name)
{
    const unsigned id = LLVMIsACallInst(value) ? LLVMGetIntrinsicID(LLVMGetCalledValue(value)) : 0;
    return id && id == LLVMLookupIntrinsicID(name, strlen(name));
}

/* The operand of a bitwise operation on it and a constant; NULL: it is none. */
static LLVMValueRef operand_of(LLVMValueRef value)
{
    if (LLVMIsAUnaryOperator(value) || is_call_of(value, "llvm.fabs")) /* fneg */
        return without_casts(LLVMGetOperand(value, 0));
    if (!LLVMIsABinaryOperator(value))
        return NULL;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    const bool swaps = LLVMIsConstant(LLVMGetOperand(value, 0));
    if (opcode != LLVMAnd && opcode != LLVMOr && opcode != LLVMXor && opcode != LLVMShl && opcode != LLVMLShr)
        return NULL;
    return swaps || LLVMIsConstant(LLVMGetOperand(value, 1)) ? without_casts(LLVMGetOperand(value, swaps)) : NULL;
}

static bool is_shift(LLVMValueRef value)
{
    return LLVMIsABinaryOperator(value) &&
           (LLVMGetInstructionOpcode(value) == LLVMShl || LLVMGetInstructionOpcode(value) == LLVMLShr);
}

/* Some of the operand's bits, or what LLVM may find to be that: a shift to and fro, not a single one. */
static bool is_part(LLVMValueRef value)
{
    LLVMValueRef operand = operand_of(value);
    return operand && (!is_shift(value) || is_part(operand) || (is_shift(operand) && operand_of(operand)));
}

/* Is it a selection by constant bits, or a similar combination?  One that is none costs a move under the mask if its operands are used
 * elsewhere, too. */
static bool selects_bits(LLVMValueRef value)
{
    value = without_casts(value);
    for (LLVMValueRef inner = operand_of(value); inner; inner = operand_of(value))
        value = inner;
    if (is_call_of(value, "llvm.copysign"))
        return true;
    if (!LLVMIsABinaryOperator(value))
        return false;
    LLVMValueRef a = without_casts(LLVMGetOperand(value, 0)), b = without_casts(LLVMGetOperand(value, 1));
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMXor: return is_part(a) || is_part(b); /* ((a ^ b) & c) ^ b, too */
    case LLVMAdd:
    case LLVMAnd:
    case LLVMOr: return operand_of(a) && operand_of(b) && (is_part(a) || is_part(b));
    default: return false;
    }
}

/* Vector selects, and shuffles, of which some are the same with a constant mask. */
static void fence_operands(struct translator *t, LLVMValueRef value)
{
    const unsigned first = LLVMIsASelectInst(value) != NULL;
    if ((!first && !LLVMIsAShuffleVectorInst(value)) || !is_vector(LLVMTypeOf(value)) ||
        bits_of_type(LLVMTypeOf(value)) < 32 || (first && !is_vector(LLVMTypeOf(LLVMGetOperand(value, 0)))))
        return;
    for (unsigned i = first; i < first + 2; i++)
        if (selects_bits(LLVMGetOperand(value, i))) {
            LLVMPositionBuilderBefore(t->builder, value);
            LLVMSetOperand(value, i, fenced(t, LLVMGetOperand(value, i)));
        }
}

void x86_avoid_ternary_fault(struct translator *t)
{
    if (!x86_has_ternary_fault(t->facts))
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef value = LLVMGetFirstInstruction(block); value; value = LLVMGetNextInstruction(value))
                fence_operands(t, value);
}
