/* From LLVM IR to an image: passes, code generation, and the object file's sections put one after the other.
 *
 * The code has no external references by name.  References between its own sections (vector constants) are resolved
 * here, so that mapping the image is all that is left to do. */
#include "jit/translate/translator.h"

#include <elf.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

/* Options that are not in the C interface: the schedulers compare every access with every other, and out-of-order
 * processors gain little from them.  Where SLP gains little it joins words of sites, which checks then take apart again. */
static void set_options(void)
{
    static const char *const options[] = {"jit",
                                          "-enable-misched=false",
                                          "-enable-post-misched=false",
                                          "-unswitch-threshold=400",
                                          "-slp-threshold=8",
                                          "-scalable-vectorization=off"}; /* lengths are known */
    static bool is_done;
    if (!is_done)
        LLVMParseCommandLineOptions(CY_COUNT(options), options, NULL);
    is_done = true;
}

/* In units of 128 bits, the least and the most. */
static void set_vector_length(struct translator *t)
{
    const uint64_t units = t->level->vector_bytes / 16;
    const unsigned kind = LLVMGetEnumAttributeKindForName("vscale_range", strlen("vscale_range"));
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f && units; f = LLVMGetNextFunction(f))
        if (LLVMCountBasicBlocks(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(t->context, kind, units << 32 | units));
}

/* What is moved out of the loop over the strips is live in all of its blocks, so that the time it takes grows with the square of the
 * code; there is then much more of it than the host has registers.  Strength reduction there looks at sums through all phases: 90
 * barriers took half a minute.  Register allocation looked at ten thousand blocks each time it split a value's range: a long kernel
 * took a minute. */
static void set_options_for_size(bool is_large)
{
    static const char *const small[] = {"jit", "-disable-machine-licm=false", "-disable-lsr=false",
                                        "-grow-region-complexity-budget=500"};
    static const char *const large[] = {"jit", "-disable-machine-licm=true", "-disable-lsr=true",
                                        "-grow-region-complexity-budget=100"};
    LLVMParseCommandLineOptions(CY_COUNT(small), is_large ? large : small, NULL);
}

LLVMTargetMachineRef make_machine(struct translator *t)
{
    LLVMTargetRef target;
    char *error = NULL;
    set_options();
    t->host->initialise(t->level);
    if (LLVMGetTargetFromTriple(t->host->triple, &target, &error)) {
        cannot(t, "%s", error);
        LLVMDisposeMessage(error);
        return NULL;
    }
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, t->host->triple, t->level->cpu, t->level->features,
                                                           LLVMCodeGenLevelLess, LLVMRelocPIC, t->host->model);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(t->module, layout);
    LLVMSetTarget(t->module, t->host->triple);
    LLVMDisposeTargetData(layout);
    set_vector_length(t);
    return machine;
}

/* ---- one check for all strips ---- */

/* The function for whole workgroups asks, strip by strip, whether the accesses of all strips are allowed: is_group_inside()
 * in bounds.c.  The answers do not depend on the strip, but LLVM does not see that.  So they are computed before the loop,
 * for strip 0, and become one condition, on which the loop is then split. */
struct hoisting {
    struct translator *t;
    LLVMValueRef strip;       /* the loop's counter; NULL: not yet met */
    LLVMBasicBlockRef before; /* the loop */
};

static bool is_pure(LLVMValueRef value)
{
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMAnd:
    case LLVMOr:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMFreeze: return true;
    case LLVMCall: return LLVMGetIntrinsicID(LLVMGetCalledValue(value)) != 0; /* a rotation */
    default: return false;
    }
}

/* A counter from 0: what LLVM makes of the number of the strip. */
static bool meet_strip(struct hoisting *hoisting, LLVMValueRef phi)
{
    if (LLVMCountIncoming(phi) != 2 || (hoisting->strip && hoisting->strip != phi))
        return false;
    for (unsigned i = 0; i < 2 && !hoisting->strip; i++) {
        LLVMValueRef first = LLVMGetIncomingValue(phi, i);
        if (LLVMIsAConstantInt(first) && !LLVMConstIntGetZExtValue(first)) {
            hoisting->strip = phi;
            hoisting->before = LLVMGetIncomingBlock(phi, i);
        }
    }
    return hoisting->strip == phi;
}

/* Can it be computed before the loop? */
static bool is_movable(struct hoisting *hoisting, LLVMValueRef value, unsigned depth)
{
    enum { DEEP = 24 };
    if (!LLVMIsAInstruction(value))
        return true;
    if (LLVMIsAPHINode(value))
        return meet_strip(hoisting, value);
    LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
    if (block == hoisting->before || block == LLVMGetEntryBasicBlock(hoisting->t->whole))
        return true;
    if (!is_pure(value) || depth == DEEP)
        return false;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
        if (!is_movable(hoisting, LLVMGetOperand(value, i), depth + 1))
            return false;
    return true;
}

/* What LLVM has learnt of a value from the conditions around it holds there only. */
static void forget_conditions(LLVMValueRef copy)
{
    switch (LLVMGetInstructionOpcode(copy)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        LLVMSetNUW(copy, false);
        LLVMSetNSW(copy, false);
        break;
    case LLVMLShr: LLVMSetExact(copy, false); break;
    case LLVMZExt: LLVMSetNNeg(copy, false); break;
    case LLVMOr: LLVMSetIsDisjoint(copy, false); break;
    default: break;
    }
}

/* The value in strip 0, at the builder's position. */
static LLVMValueRef moved(struct hoisting *hoisting, LLVMValueRef value)
{
    if (value == hoisting->strip)
        return LLVMConstNull(LLVMTypeOf(value));
    LLVMBasicBlockRef block = LLVMIsAInstruction(value) ? LLVMGetInstructionParent(value) : NULL;
    if (!block || block == hoisting->before || block == LLVMGetEntryBasicBlock(hoisting->t->whole))
        return value;
    if (LLVMIsATruncInst(value)) /* whose flags no function clears */
        return LLVMBuildTrunc(hoisting->t->builder, moved(hoisting, LLVMGetOperand(value, 0)), LLVMTypeOf(value), "");
    LLVMValueRef copy = LLVMInstructionClone(value);
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
        LLVMSetOperand(copy, i, moved(hoisting, LLVMGetOperand(value, i)));
    LLVMInsertIntoBuilder(hoisting->t->builder, copy);
    forget_conditions(copy);
    return copy;
}

static void merge_group_checks(struct translator *t)
{
    const unsigned kind = LLVMGetMDKindIDInContext(t->context, GROUP_CHECK, sizeof(GROUP_CHECK) - 1);
    CY_VEC(LLVMValueRef) branches = {0};
    struct hoisting hoisting = {.t = t};
    LLVMValueRef all = NULL;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(t->whole); block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        if (LLVMIsABranchInst(end) && LLVMIsConditional(end) && LLVMGetMetadata(end, kind) &&
            !LLVMIsUndef(LLVMGetCondition(end)) && is_movable(&hoisting, LLVMGetCondition(end), 0))
            *cy_vec_push(&branches) = end;
    }
    for (size_t i = 0; hoisting.strip && i < branches.count; i++) {
        LLVMPositionBuilderBefore(t->builder, LLVMGetBasicBlockTerminator(hoisting.before));
        LLVMValueRef one = moved(&hoisting, LLVMGetCondition(branches.at[i]));
        one = LLVMBuildFreeze(t->builder, one, ""); /* poison, perhaps, if its block is not reached */
        all = all ? LLVMBuildAnd(t->builder, all, one, "") : one;
    }
    for (size_t i = 0; all && i < branches.count; i++)
        LLVMSetCondition(branches.at[i], all);
    cy_vec_free(&branches);
}

/* ---- passes ---- */

/* In parts, as fast as -O2's code, in a third of the time. */
#define FIRST_PASSES "function(sroa)"
#define EARLY_PASSES "function(simplifycfg,instcombine<no-verify-fixpoint>,early-cse<memssa>,loop-mssa(licm))"
#define UNSWITCH "function(loop-mssa(simple-loop-unswitch<nontrivial;trivial>))"
#define LATE_PASSES "function(gvn,instcombine<no-verify-fixpoint>,simplifycfg,adce)"
#define LOOP_PASSES                                                                                                    \
    "function(aggressive-instcombine,loop-vectorize,early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm)" \
    ",simplifycfg)"
#define LANE_PASSES "function(slp-vectorizer)"
#define UNUSED_PASSES "function(adce)"

/* Where results of 32 bits clear the upper half of the register, LLVM uses that within a block only.  Addresses are computed before their check and used after it. */
static bool is_extended_by_host(LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value))
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMLoad: return true;
    default: return false;
    }
}

static bool goes_to(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    for (unsigned i = 0; from != to && i < LLVMGetNumSuccessors(end); i++)
        if (LLVMGetSuccessor(end, i) == to)
            return true;
    return false;
}

/* Values that live longer than from one block to the next are left alone: with more of them in whole registers, breadth-first search took
 * 5 % more instructions. */
static void extend_early(struct translator *t)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef value = LLVMGetFirstInstruction(block), next; value; value = next) {
                next = LLVMGetNextInstruction(value);
                if (!LLVMIsAZExtInst(value) || LLVMTypeOf(value) != t->i64)
                    continue;
                LLVMValueRef number = LLVMGetOperand(value, 0);
                if (LLVMTypeOf(number) != t->i32 || !is_extended_by_host(number) ||
                    !goes_to(LLVMGetInstructionParent(number), block))
                    continue;
                LLVMInstructionRemoveFromParent(value);
                LLVMPositionBuilderBefore(t->builder, LLVMGetNextInstruction(number));
                LLVMInsertIntoBuilder(t->builder, value);
            }
}

/* LLVM makes selections, and operations that complement an operand, of what it finds in one block. */
static void complement_late(struct translator *t)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef value = LLVMGetFirstInstruction(block); value; value = LLVMGetNextInstruction(value))
                for (unsigned i = 0; !LLVMIsAPHINode(value) && i < (unsigned)LLVMGetNumOperands(value); i++) {
                    LLVMValueRef operand = LLVMGetOperand(value, i);
                    if (!LLVMIsABinaryOperator(operand) || LLVMGetInstructionOpcode(operand) != LLVMXor ||
                        LLVMGetInstructionParent(operand) == block || LLVMTypeOf(operand) != t->vi32 ||
                        LLVMGetOperand(operand, 1) != LLVMConstAllOnes(t->vi32))
                        continue;
                    LLVMPositionBuilderBefore(t->builder, value);
                    LLVMSetOperand(value, i, LLVMBuildNot(t->builder, LLVMGetOperand(operand, 0), ""));
                }
}

/* The 64-bit elements of which wide_from() joins both words again; NULL: it joins others. */
static LLVMValueRef elements_of(struct translator *t, LLVMValueRef joined)
{
    LLVMValueRef low = LLVMGetOperand(joined, 0), high = LLVMGetOperand(joined, 1);
    if (LLVMGetNumMaskElements(joined) != 2 * t->w || !LLVMIsATruncInst(low) || !LLVMIsATruncInst(high))
        return NULL;
    LLVMValueRef all = LLVMGetOperand(low, 0), upper = LLVMGetOperand(high, 0);
    if (LLVMTypeOf(all) != t->vi64 || !LLVMIsABinaryOperator(upper) || LLVMGetInstructionOpcode(upper) != LLVMLShr ||
        LLVMGetOperand(upper, 0) != all || LLVMGetOperand(upper, 1) != splat(t, LLVMConstInt(t->i64, 32, false)))
        return NULL;
    for (unsigned i = 0; i < 2 * t->w; i++)
        if (LLVMGetMaskValue(joined, i) != (int)(i / 2 + i % 2 * t->w))
            return NULL;
    return all;
}

/* 64-bit elements are in two registers each, from which and to which memory is accessed: most are taken apart only to be joined
 * again.  As elements they are understood by nans.c, and LLVM does not see through shuffles. */
static void rejoin_words(struct translator *t)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef value = LLVMGetFirstInstruction(block); value; value = LLVMGetNextInstruction(value)) {
                LLVMValueRef all = LLVMIsAShuffleVectorInst(value) ? elements_of(t, value) : NULL;
                if (!all)
                    continue;
                for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
                    if (LLVMIsABitCastInst(LLVMGetUser(use)) && LLVMTypeOf(LLVMGetUser(use)) == t->vi64)
                        LLVMReplaceAllUsesWith(LLVMGetUser(use), all);
                LLVMPositionBuilderBefore(t->builder, value);
                LLVMReplaceAllUsesWith(value, LLVMBuildBitCast(t->builder, all, LLVMTypeOf(value), ""));
            }
}

static bool computes_only(LLVMValueRef value)
{
    return LLVMIsABinaryOperator(value) || LLVMIsACastInst(value) || LLVMIsAShuffleVectorInst(value) ||
           LLVMIsAInsertElementInst(value) || LLVMIsAExtractElementInst(value) || LLVMIsAGetElementPtrInst(value) ||
           LLVMIsACmpInst(value) || LLVMIsASelectInst(value);
}

bool is_used_only_in(LLVMValueRef value, LLVMBasicBlockRef block)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) != block)
            return false;
    }
    return true;
}

static bool uses(LLVMValueRef insn, LLVMValueRef value)
{
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(insn); i++)
        if (LLVMGetOperand(insn, i) == value)
            return true;
    return false;
}

/* A block that is rarely executed, and those that come after it only: of many calls, each has its own. */
struct rare {
    LLVMBasicBlockRef blocks[64];
    unsigned count;
};

static bool is_in(const struct rare *rare, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < rare->count; i++)
        if (rare->blocks[i] == block)
            return true;
    return false;
}

static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    return use && !LLVMGetNextUse(use) ? LLVMGetInstructionParent(LLVMGetUser(use)) : NULL;
}

static void find_region(struct translator *t, LLVMBasicBlockRef first, struct rare *rare)
{
    LLVMBasicBlockRef before = only_predecessor(first);
    const unsigned weights = LLVMGetMDKindIDInContext(t->context, "prof", strlen("prof"));
    const bool is_aside = before && LLVMGetMetadata(LLVMGetBasicBlockTerminator(before), weights);
    rare->blocks[0] = first;
    rare->count = 1;
    for (unsigned i = 0; is_aside && i < rare->count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(rare->blocks[i]);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end) && rare->count < CY_COUNT(rare->blocks); k++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, k);
            if (only_predecessor(next) == rare->blocks[i] && !is_in(rare, next))
                rare->blocks[rare->count++] = next;
        }
    }
}

/* Where it is computed, if only these blocks need it: in the one that does, else in the first.  NULL: others do as well. */
static LLVMBasicBlockRef sinks_to(const struct rare *rare, LLVMValueRef value)
{
    LLVMBasicBlockRef block = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMBasicBlockRef other = LLVMGetInstructionParent(user);
        if (LLVMIsAPHINode(user) || !is_in(rare, other))
            return NULL;
        block = block && block != other ? rare->blocks[0] : other;
    }
    return block;
}

/* What only blocks that are rarely executed need is computed there.  LLVM moves it out of loops, from where it is kept on the stack: of
 * a loop that compares bytes by 64-bit addresses, half of the instructions were so. */
static void sink_to_region(struct translator *t, const struct rare *rare)
{
    for (unsigned k = rare->count; k-- > 0;)
        for (LLVMValueRef insn = LLVMGetLastInstruction(rare->blocks[k]); insn; insn = LLVMGetPreviousInstruction(insn))
            for (unsigned i = 0; !LLVMIsAPHINode(insn) && i < (unsigned)LLVMGetNumOperands(insn); i++) {
                LLVMValueRef value = LLVMGetOperand(insn, i);
                if (!LLVMIsAInstruction(value) || !computes_only(value) || is_in(rare, LLVMGetInstructionParent(value)))
                    continue;
                LLVMBasicBlockRef block = sinks_to(rare, value);
                if (!block)
                    continue;
                LLVMValueRef first = LLVMGetFirstInstruction(block), end = LLVMGetBasicBlockTerminator(block);
                while (first != end && !uses(first, value))
                    first = LLVMGetNextInstruction(first);
                LLVMInstructionRemoveFromParent(value);
                LLVMPositionBuilderBefore(t->builder, first);
                LLVMInsertIntoBuilder(t->builder, value);
            }
}

static bool is_rare(LLVMBasicBlockRef block, unsigned kind)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsACallInst(i) && LLVMGetMetadata(i, kind))
            return true;
    return false;
}

static void sink_rare(struct translator *t)
{
    const unsigned kind = LLVMGetMDKindIDInContext(t->context, RARE_CALL, sizeof(RARE_CALL) - 1);
    struct rare rare;
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
            LLVMBasicBlockRef before = only_predecessor(block);
            if (!is_rare(block, kind) || (before && is_rare(before, kind)))
                continue;
            find_region(t, block, &rare);
            sink_to_region(t, &rare);
        }
}

bool optimise(struct translator *t, LLVMTargetMachineRef machine)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(t->module, FIRST_PASSES, machine, options);
    if (!error) {
        rejoin_words(t);
        compute_small(t);
        find_conversions(t);
        settle_nans(t);
        error = LLVMRunPasses(t->module, EARLY_PASSES, machine, options);
    }
    if (!error)
        rejoin_words(t); /* of elements whose loads have become one */
    if (!error)
        count_pointers(t);
    bool splits = t->whole;
    if (!error && t->whole)
        merge_group_checks(t);
    if (!error)
        splits |= hoist_loop_checks(t);
    if (!error && splits)
        error = LLVMRunPasses(t->module, UNSWITCH, machine, options);
    error = error ? error : LLVMRunPasses(t->module, LATE_PASSES, machine, options);
    if (!error && t->lanes == 1) {
        join_halves(t);
        error = LLVMRunPasses(t->module, LOOP_PASSES, machine, options);
    }
    if (!error) {
        settle_conversions(t);
        settle_canonicalisation(t);
        if (t->host->keeps_elements && keep_elements(t))
            error = LLVMRunPasses(t->module, UNUSED_PASSES, machine, options);
        /* lanes that run alone: a structure's elements, or four words of a row, are vectors */
        if (!error && (t->lanes == 1 || (t->detours.count && has_neighbours_alone(t))))
            error = LLVMRunPasses(t->module, LANE_PASSES, machine, options);
    }
    LLVMDisposePassBuilderOptions(options);
    if (!error) {
        if (t->host->jumps_by_table)
            make_switches(t);
        sink_rare(t);
        if (t->host->clears_upper_halves)
            extend_early(t);
        if (t->host->complements_operands)
            complement_late(t);
        order_blocks(t);
        if (t->level->finish)
            t->level->finish(t);
        return true;
    }
    char *message = LLVMGetErrorMessage(error);
    cannot(t, "%s", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

/* Does LLVM take so long for it that it is made with fewer passes? */
static bool is_large(struct translator *t)
{
    enum { MANY_BLOCKS = 600 };
    unsigned count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        count += LLVMCountBasicBlocks(f);
    return count > MANY_BLOCKS;
}

/* ---- the object file ---- */

struct object {
    const uint8_t *bytes;
    size_t size;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
    uint64_t *place; /* of each section in the code; UINT64_MAX: omitted */
};

static void lay_out(struct translator *t, struct object *object, struct cy_buf *code)
{
    object->header = (const Elf64_Ehdr *)(const void *)object->bytes;
    object->sections = (const Elf64_Shdr *)(const void *)(object->bytes + object->header->e_shoff);
    object->place = cy_arena_alloc(&t->arena, object->header->e_shnum * sizeof(*object->place));
    for (unsigned i = 0; i < object->header->e_shnum; i++) {
        const Elf64_Shdr *section = &object->sections[i];
        object->place[i] = UINT64_MAX;
        if (!(section->sh_flags & SHF_ALLOC) || section->sh_type != SHT_PROGBITS)
            continue;
        const size_t align = section->sh_addralign ? section->sh_addralign : 1;
        cy_buf_zeros(code, (align - code->size % align) % align);
        object->place[i] = code->size;
        cy_buf_append(code, object->bytes + section->sh_offset, section->sh_size);
    }
}

static bool relocate(struct translator *t, const struct object *object, const Elf64_Shdr *section, struct cy_buf *code)
{
    const Elf64_Rela *relocation = (const Elf64_Rela *)(const void *)(object->bytes + section->sh_offset);
    const Elf64_Shdr *table = &object->sections[section->sh_link];
    const Elf64_Sym *symbols = (const Elf64_Sym *)(const void *)(object->bytes + table->sh_offset);
    const char *names = (const char *)object->bytes + object->sections[table->sh_link].sh_offset;
    const uint64_t start = object->place[section->sh_info];
    if (start == UINT64_MAX)
        return true;
    for (size_t i = 0; i < section->sh_size / sizeof(*relocation); i++, relocation++) {
        const Elf64_Sym *symbol = &symbols[ELF64_R_SYM(relocation->r_info)];
        if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= object->header->e_shnum ||
            object->place[symbol->st_shndx] == UINT64_MAX)
            return cannot(t, "a call of '%s'", names + symbol->st_name);
        const uint64_t at = start + relocation->r_offset;
        const int64_t to = (int64_t)(object->place[symbol->st_shndx] + symbol->st_value) + relocation->r_addend;
        uint32_t word;
        memcpy(&word, code->data + at, sizeof(word));
        if (!t->host->relocate(t, &word, to - (int64_t)at, ELF64_R_TYPE(relocation->r_info)))
            return false;
        memcpy(code->data + at, &word, sizeof(word));
    }
    return true;
}

static uint32_t find_entry(const struct object *object)
{
    for (unsigned i = 0; i < object->header->e_shnum; i++) {
        const Elf64_Shdr *section = &object->sections[i];
        if (section->sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *symbol = (const Elf64_Sym *)(const void *)(object->bytes + section->sh_offset);
        const char *names = (const char *)object->bytes + object->sections[section->sh_link].sh_offset;
        for (size_t k = 0; k < section->sh_size / sizeof(*symbol); k++, symbol++)
            if (strcmp(names + symbol->st_name, "run") == 0)
                return (uint32_t)(object->place[symbol->st_shndx] + symbol->st_value);
    }
    return UINT32_MAX;
}

static bool link(struct translator *t, LLVMMemoryBufferRef file, struct cy_buf *code, uint32_t *entry)
{
    struct object object = {.bytes = (const uint8_t *)LLVMGetBufferStart(file), .size = LLVMGetBufferSize(file)};
    lay_out(t, &object, code);
    for (unsigned i = 0; i < object.header->e_shnum; i++)
        if (object.sections[i].sh_type == SHT_RELA && !relocate(t, &object, &object.sections[i], code))
            return false;
    *entry = find_entry(&object);
    return *entry != UINT32_MAX || cannot(t, "no entry");
}

static void write_image(struct translator *t, const struct cy_buf *code, uint32_t entry, struct cy_buf *image)
{
    struct cy_jit_image header = {
        .version = CY_JIT_VERSION,
        .frame_bytes = sizeof(struct cy_jit_frame),
        .vector_bytes = t->level->vector_bytes,
        .entry = entry,
        .code_bytes = (uint32_t)code->size,
        .access_count = (uint32_t)t->accesses.count,
        .group_count = (uint32_t)t->groups.count,
        .site_count = t->site_count,
        .strip = t->lanes,
        .row = t->row,
        .interpreted = t->interpreted,
        .record_bytes = t->record_bytes,
        .tally_count = (uint32_t)t->tallies.count,
        .counters = (uint32_t)t->counted_at.count,
    };
    memcpy(header.magic, CY_JIT_MAGIC, sizeof(header.magic));
    for (uint32_t i = 0; i < t->count; i++) {
        header.instructions += t->insts[i].reachable;
        header.loops |= t->looping[i];
    }
    cy_buf_append(image, &header, sizeof(header));
    cy_buf_append(image, t->accesses.at, t->accesses.count * sizeof(*t->accesses.at));
    cy_buf_append(image, t->groups.at, t->groups.count * sizeof(*t->groups.at));
    cy_buf_append(image, t->tallies.at, t->tallies.count * sizeof(*t->tallies.at));
    cy_buf_append(image, code->data, code->size);
}

static bool emit(struct translator *t, LLVMTargetMachineRef machine, LLVMCodeGenFileType form,
                 LLVMMemoryBufferRef *file)
{
    char *error = NULL;
    set_options_for_size(is_large(t));
    if (!LLVMTargetMachineEmitToMemoryBuffer(machine, t->module, form, &error, file))
        return true;
    cannot(t, "%s", error);
    LLVMDisposeMessage(error);
    return false;
}

bool compile_module(struct translator *t, LLVMMemoryBufferRef *file)
{
    LLVMTargetMachineRef machine = make_machine(t);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = NULL;
    static const char *const passes[] = {FIRST_PASSES, EARLY_PASSES, LATE_PASSES};
    for (size_t i = 0; machine && !error && i < CY_COUNT(passes); i++)
        error = LLVMRunPasses(t->module, passes[i], machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        char *message = LLVMGetErrorMessage(error);
        cannot(t, "%s", message);
        LLVMDisposeErrorMessage(message);
    }
    if (machine && !error && t->level->finish)
        t->level->finish(t);
    const bool ok = machine && !error && emit(t, machine, LLVMObjectFile, file);
    if (machine)
        LLVMDisposeTargetMachine(machine);
    return ok;
}

bool make_image(struct translator *t, struct cy_buf *image)
{
    LLVMTargetMachineRef machine = make_machine(t);
    LLVMMemoryBufferRef file = NULL;
    struct cy_buf code = {0};
    uint32_t entry;
    bool ok = machine && optimise(t, machine) && emit(t, machine, LLVMObjectFile, &file);
    ok = ok && link(t, file, &code, &entry);
    if (ok)
        write_image(t, &code, entry, image);
    if (file)
        LLVMDisposeMemoryBuffer(file);
    if (machine)
        LLVMDisposeTargetMachine(machine);
    cy_buf_free(&code);
    return ok;
}

bool make_assembly(struct translator *t, struct cy_buf *text)
{
    LLVMTargetMachineRef machine = make_machine(t);
    LLVMMemoryBufferRef file = NULL;
    const bool ok = machine && optimise(t, machine) && emit(t, machine, LLVMAssemblyFile, &file);
    if (ok)
        cy_buf_append(text, LLVMGetBufferStart(file), LLVMGetBufferSize(file));
    if (file)
        LLVMDisposeMemoryBuffer(file);
    if (machine)
        LLVMDisposeTargetMachine(machine);
    return ok;
}
