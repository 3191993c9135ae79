/* LLVM's part: link the built-in functions that a program needs, inline, optimise, and bring control flow into the form
 * the importer expects (no switches, reducible, loop-closed).  The vectorisers are off: each lane runs scalar code.  Only loops
 * that own_rows.c marks are vectorised, for the accesses. */
#include "cc/llvm/llvm_pipeline.h"

#include "cc/llvm/observes_workgroup.h"
#include "cc/llvm/row_dimension.h"
#include "cc/passes/passes.h"
#include "cc/llvm/lock_loops.h"

#include "base/strmap.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <string.h>

static bool failed(const struct cc_program *program, const char *what, char *message)
{
    cy_diag_file(program->diags, CY_ERROR, program->name, "%s: %s", what, message ? message : "unknown reason");
    if (message)
        LLVMDisposeMessage(message);
    return false;
}

static bool run_for(struct cc_program *program, const char *passes, LLVMTargetMachineRef machine)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, 0);
    LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, 0);
    LLVMErrorRef error = LLVMRunPasses(program->module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    char *message = LLVMGetErrorMessage(error);
    cy_diag_file(program->diags, CY_ERROR, program->name, "internal error: the passes %s: %s", passes, message);
    LLVMDisposeErrorMessage(message);
    return false;
}

static bool run(struct cc_program *program, const char *passes)
{
    return run_for(program, passes, NULL);
}

/* LLVM's default<O2> minus the vectorisers and passes for other languages, with or without jump threading.  Jump
 * threading sends lanes whose condition is already known past the block where they would reconverge: faster, but wrong
 * if a barrier after that block must be reached together.  LLVM has no notion of divergence here.
 *
 * The level of unrolling is the size up to which a loop is unrolled completely.  64-bit pointers count extensions of indices,
 * which disappear once these are constants: with O2 loops would stay that are unrolled for 32-bit ones. */
#define COMBINE "instcombine<no-verify-fixpoint>"
#define SIMPLIFY "simplifycfg<switch-range-to-icmp>"
#define SHARE "hoist-common-insts;sink-common-insts"
#define OPTIMISATION(thread, level)                                                                                    \
    "forceattrs,inferattrs,function<eager-inv>(lower-expect,simplifycfg,sroa,early-cse),ipsccp,globalopt,"             \
    "function<eager-inv>(mem2reg," COMBINE "," SIMPLIFY "),always-inline,"                                             \
    "require<globals-aa>,function(invalidate<aa>),require<profile-summary>,"                                           \
    "cgscc(devirt<4>(inline,function-attrs<skip-non-recursive-function-attrs>,"                                        \
    "function<eager-inv;no-rerun>(sroa,early-cse<memssa>," thread "correlated-propagation," SIMPLIFY "," COMBINE ","   \
    "aggressive-instcombine," SIMPLIFY ",reassociate,constraint-elimination,"                                          \
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,licm,simple-loop-unswitch)"    \
    "," SIMPLIFY "," COMBINE ",loop(loop-idiom,indvars,simple-loop-unswitch,loop-deletion,loop-unroll-full),"          \
    "sroa,mldst-motion,gvn,sccp,bdce," COMBINE "," thread "correlated-propagation,adce,memcpyopt,dse,loop-mssa(licm)," \
    "simplifycfg<switch-range-to-icmp;" SHARE ">," COMBINE "),function-attrs)),"                                       \
    "deadargelim,globalopt,globaldce,rpo-function-attrs,recompute-globalsaa,"                                          \
    "function<eager-inv>(float2int,lower-constant-intrinsics,loop(loop-rotate,loop-deletion),infer-alignment,"         \
    "loop-load-elim," COMBINE                                                                                          \
    ",simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;" SHARE ">," COMBINE         \
    ",loop-unroll<" level ">,sroa<preserve-cfg>,infer-alignment," COMBINE ",loop-mssa(licm),"                          \
    "alignment-from-assumptions,loop-sink,instsimplify,div-rem-pairs," SIMPLIFY "),globaldce,constmerge,"              \
    "function(scalarizer)"

static bool is_far(const struct cc_program *program)
{
    return LLVMPointerSize(LLVMGetModuleDataLayout(program->module)) == 8;
}

static const char *optimisation(const struct cc_program *program)
{
    const bool by_far = is_far(program);
    static const char *const meetings[] = {"__cy_barrier", "__cy_warp_barrier", "__cy_exchange", "__cy_unite"};
    for (size_t i = 0; i < CY_COUNT(meetings); i++) {
        LLVMValueRef meeting = LLVMGetNamedFunction(program->module, meetings[i]);
        if (meeting && LLVMGetFirstUse(meeting))
            return by_far ? OPTIMISATION("", "O3") : OPTIMISATION("", "O2");
    }
    return by_far ? OPTIMISATION("jump-threading,", "O3") : OPTIMISATION("jump-threading,", "O2");
}

/* The options that disable LLVM's vectorisers have no effect on a pipeline run through LLVM 19's C interface; this
 * attribute has. */
static void allow_vectors(struct cc_program *program, bool allow)
{
    static const char attribute[] = "noimplicitfloat";
    const LLVMAttributeIndex on_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    LLVMAttributeRef made = LLVMCreateEnumAttribute(program->context, kind, 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && allow)
            LLVMRemoveEnumAttributeAtIndex(f, on_function, kind);
        else if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, on_function, made);
}

/* Loops in which each lane goes through memory of its own get several elements per turn.  Unrolling has to wait until 64-bit pointers
 * are induction variables: of sums of indices it is not known that they do not wrap around. */
static bool widen_own_rows(struct cc_program *program)
{
    if (!cc_find_own_rows(program, !is_far(program)))
        return true;
    allow_vectors(program, true);
    const bool ok =
        run(program, "function(loop-vectorize<interleave-forced-only;vectorize-forced-only>,loop-unroll<O2>," COMBINE
                     "," SIMPLIFY ",early-cse<memssa>,loop-mssa(licm),scalarizer," COMBINE ")");
    allow_vectors(program, false);
    return ok;
}

/* The largest number of backward branches in any function; and the number of calls, whose inlining may add more. */
static size_t count_loops(const struct cc_program *program, size_t *calls)
{
    size_t most = 0;
    *calls = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f)) {
        struct cy_strmap seen = {0}; /* blocks seen so far */
        size_t loops = 0;
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
            cy_strmap_add(&seen, (const char *)&block, sizeof(block));
            for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
                LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);
                loops += cy_strmap_find(&seen, (const char *)&to, sizeof(to)) != CY_STR_NONE;
            }
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block); insn; insn = LLVMGetNextInstruction(insn))
                *calls += LLVMGetInstructionOpcode(insn) == LLVMCall;
        }
        most = loops > most ? loops : most;
        cy_strmap_free(&seen);
    }
    return most;
}

static bool has_many_loops(struct cc_program *program)
{
    enum { MANY = 100 };
    size_t calls;
    return count_loops(program, &calls) > MANY ||
           (calls > MANY && run(program, "always-inline") && count_loops(program, &calls) > MANY);
}

/* LLVM's loop passes and memory GVN take time cubic in the number of loops: a kernel with hundreds of loops gets this
 * pipeline instead. */
static const char many_loops[] =
    "always-inline,globaldce,function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "correlated-propagation,simplifycfg,reassociate,sroa,early-cse<memssa>,sccp,bdce,instcombine<no-verify-fixpoint>,"
    "adce,simplifycfg,instcombine<no-verify-fixpoint>)";

/* ---- the rows of passes.def ---- */

static bool load_parse(struct cc_program *program)
{
    program->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(program->context, cc_on_llvm_diagnostic, program->diags);
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(program->bitcode->data, program->bitcode->size, program->name);
    bool bad = LLVMParseBitcodeInContext2(program->context, buffer, &program->module);
    LLVMDisposeMemoryBuffer(buffer);
    if (bad)
        return failed(program, "internal error: clang's bitcode cannot be read", NULL);
    cc_adapt_spirv(program);
    return true;
}

static bool load_prepare(struct cc_program *program)
{
    cc_find_groups(program);
    cc_find_rows(program);
    cc_hold_turns(program);
    cc_apply_fast_math(program);
    if (program->check)
        cc_prepare_check(program);
    cc_split_element_stores(program);
    return true;
}

static bool link_and_choose(struct cc_program *program)
{
    if (!cc_library_link(program, program->name, program->library, program->diags))
        return false;
    cc_lower_notes(program);
    return cc_plan_inlining(program, program->name, program->diags);
}

/* Runs here and again after lowering: optimisation can create operations that need the library, and library code needs
 * optimising. */
static bool load_builtins(struct cc_program *program)
{
    if (!link_and_choose(program))
        return false;
    cc_hide(program);
    return run(program, "globaldce"); /* do not inline into functions that are never called */
}

static bool is_optimised(const struct cc_program *program)
{
    return !program->as_written && !program->has_many_loops;
}

static bool load_llvm(struct cc_program *program)
{
    if (!program->as_written && has_many_loops(program)) {
        if (!run(program, many_loops))
            return false;
        program->has_many_loops = true;
    }
    allow_vectors(program, false);
    if (is_optimised(program) && cc_has_samplers(program)) {
        if (!run(program, "always-inline,function(sroa,early-cse)"))
            return false;
        cc_fold_samplers(program);
    }
    if (!is_optimised(program))
        return run(program, "always-inline,function(scalarizer)");
    return run(program, optimisation(program)) && (program->check || widen_own_rows(program));
}

static bool load_helpers(struct cc_program *program)
{
    cc_lower_half(program);
    cc_lower_libcalls(program);
    return link_and_choose(program);
}

static bool load_tidy(struct cc_program *program)
{
    return run(
        program,
        is_optimised(program)
            ? "always-inline,globaldce,function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,gvn,dce)"
            : "always-inline,globaldce");
}

/* LLVM 19's loop-reduce sometimes says that a variable is in an induction variable of its own that has another value.  So all
 * instructions are marked before it, and variables that are in one without a mark afterwards are not known. */
static const char mark[] = "cy.marked";

static void mark_instructions(struct cc_program *program)
{
    const unsigned kind = LLVMGetMDKindIDInContext(program->context, mark, sizeof(mark) - 1);
    LLVMValueRef node = LLVMMetadataAsValue(program->context, LLVMMDNodeInContext2(program->context, NULL, 0));
    if (!LLVMGetNamedMetadata(program->module, "llvm.dbg.cu", 11))
        return;
    LLVMSetIsNewDbgInfoFormat(program->module, 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block); insn; insn = LLVMGetNextInstruction(insn))
                LLVMSetMetadata(insn, kind, node);
}

static void forget_new_places(struct cc_program *program)
{
    const unsigned kind = LLVMGetMDKindIDInContext(program->context, mark, sizeof(mark) - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block); insn; insn = LLVMGetNextInstruction(insn)) {
                LLVMValueRef place = LLVMIsADbgVariableIntrinsic(insn) ? LLVMGetOperand(insn, 0) : NULL, value = NULL;
                if (!place || LLVMGetMetadataKind(LLVMValueAsMetadata(place)) != LLVMLocalAsMetadataMetadataKind)
                    continue;
                LLVMGetMDNodeOperands(place, &value);
                if (value && LLVMIsAInstruction(value) && !LLVMGetMetadata(value, kind))
                    LLVMSetOperand(
                        insn, 0,
                        LLVMMetadataAsValue(program->context, LLVMValueAsMetadata(LLVMGetUndef(LLVMTypeOf(value)))));
            }
}

/* The machine's accesses add a constant to a register, and nothing else.  Of the processors that LLVM knows, MIPS does so; without
 * one, each element of a structure or vector would get an induction variable.  An LLVM may lack it. */
#pragma weak LLVMInitializeMipsTargetInfo
#pragma weak LLVMInitializeMipsTarget
#pragma weak LLVMInitializeMipsTargetMC

static LLVMTargetMachineRef machine_with_offsets(void)
{
    static const char triple[] = "mips64-unknown-elf";
    LLVMTargetRef target;
    char *message = NULL;
    if (!LLVMInitializeMipsTargetInfo || !LLVMInitializeMipsTarget || !LLVMInitializeMipsTargetMC)
        return NULL;
    LLVMInitializeMipsTargetInfo();
    LLVMInitializeMipsTarget();
    LLVMInitializeMipsTargetMC();
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, triple, "mips64r2", "", LLVMCodeGenLevelDefault, LLVMRelocDefault,
                                   LLVMCodeModelDefault);
}

/* Loops go on counting turns: loop-reduce would rather compare a pointer that it has anyway, which takes two words, and lanes part
 * where it is not the same for all.  It does so if what the counter is compared with does not change in the loop, which it cannot
 * tell of these. */
static const char held[] = "cy.held";

static void hold_counters(struct cc_program *program)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(program->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
            LLVMValueRef test = LLVMIsABranchInst(end) && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
            if (!test || !LLVMIsAICmpInst(test) || LLVMGetInstructionParent(test) != block ||
                LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(test, 1))) != LLVMIntegerTypeKind ||
                (LLVMGetICmpPredicate(test) != LLVMIntEQ && LLVMGetICmpPredicate(test) != LLVMIntNE))
                continue;
            LLVMPositionBuilderBefore(builder, test);
            LLVMSetOperand(test, 1, LLVMBuildFreeze(builder, LLVMGetOperand(test, 1), held));
        }
    LLVMDisposeBuilder(builder);
}

static void let_go_counters(struct cc_program *program)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
                size_t length;
                next = LLVMGetNextInstruction(insn);
                if (!LLVMIsAFreezeInst(insn) || strncmp(LLVMGetValueName2(insn, &length), held, sizeof(held) - 1) != 0)
                    continue;
                LLVMReplaceAllUsesWith(insn, LLVMGetOperand(insn, 0));
                LLVMInstructionEraseFromParent(insn);
            }
}

/* Pointers of 64 bits become induction variables where an index does; 32-bit addresses are left to ir/strength_reduce.c.  Here
 * LLVM knows which indices do not wrap around before they are extended.  The pass leaves types alone that are not native, and
 * clang's data layout names none: for it alone 64 bits are, because earlier passes would turn 32-bit counters into these.  It may
 * divide an index in 64 bits: the last pass makes that narrower where it can, and what is left calls the library. */
static bool reduce_far_addresses(struct cc_program *program)
{
    if (!is_far(program))
        return true;
    struct cy_arena arena = {0};
    const char *layout = LLVMGetDataLayoutStr(program->module);
    const char *old = cy_arena_strndup(&arena, layout, strlen(layout));
    LLVMSetDataLayout(program->module, cy_arena_printf(&arena, "%s-n8:16:32:64", old));
    mark_instructions(program);
    LLVMTargetMachineRef machine = machine_with_offsets();
    hold_counters(program);
    bool ok = run_for(program, "function(loop(loop-reduce))", machine);
    let_go_counters(program);
    if (machine)
        LLVMDisposeTargetMachine(machine);
    forget_new_places(program);
    if (ok && !program->check && cc_find_own_rows(program, true))
        ok = run(program, "function(loop-unroll<O2>," COMBINE ")");
    ok = ok && run(program, "function(early-cse,correlated-propagation)");
    LLVMSetDataLayout(program->module, old);
    cy_arena_free(&arena);
    return ok && load_helpers(program);
}

static bool load_lower(struct cc_program *program)
{
    char *message = NULL;
    cc_let_go_turns(program);
    cc_lower_half(program);
    cc_lower_libcalls(program); /* instcombine should not create any; make sure */
    if (is_optimised(program) && !reduce_far_addresses(program))
        return false;
    if (!run(program, "always-inline,globaldce,function(lower-switch,fix-irreducible,loop-simplify,lcssa)"))
        return false;
    if (LLVMVerifyModule(program->module, LLVMReturnStatusAction, &message))
        return failed(program, "internal error: the module is not valid", message);
    LLVMDisposeMessage(message);
    LLVMSetIsNewDbgInfoFormat(program->module, 0); /* LLVM 19 shows the contents of intrinsics only */
    return true;
}

static bool (*const loads[PASS_COUNT])(struct cc_program *) = {
#define ROW_FRONT(name)
#define ROW_LLVM(name) [PASS_##name] = load_##name,
#define ROW_IR(name)
#define ROW_MACHINE(name)
#define ROW_ALLOC(name)
#define ROW_EMIT(name)
#define ROW_OBJECT(name)
#define PASS(name, stage, level, help, check) ROW_##stage(name)
#include "cc/passes/passes.def"
};

bool cc_run_llvm(struct cc_program *program, enum cc_pass pass)
{
    return loads[pass](program);
}

void cc_program_free(struct cc_program *program)
{
    if (program->module)
        LLVMDisposeModule(program->module);
    if (program->context)
        LLVMContextDispose(program->context);
    *program = (struct cc_program){0};
}
