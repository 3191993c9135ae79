/* Spin-lock loops: each work-item tries to take a lock; the one that gets it runs its critical section, releases the
 * lock and leaves the loop.  The lanes of a warp that leave a loop wait at the reconvergence point after it, so the
 * critical section must stay inside the loop: a lane that waited there while holding the lock would deadlock.  LLVM,
 * which has no notion of lockstep, threads the successful lane straight out of the loop together with its critical
 * section, and so does anyone who writes `break`.  So the block that decides who leaves gets a call that cannot be
 * duplicated, and lanes that break reconverge with the others before they leave. */
#include "cc/llvm/lock_loops.h"
#include "cc/llvm/observes_workgroup.h"

#include "base/mem.h"
#include "base/strmap.h"

#include <llvm-c/Core.h>

#include <string.h>

static const LLVMAttributeIndex on_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
static const char tries[] = "cy-tries-lock", meet[] = "__cy_meet";

static bool is_marked(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, on_function, tries, (unsigned)strlen(tries)) != NULL;
}

/* Is it one of the specification's functions with which a lock can be taken? */
static bool takes_lock(LLVMValueRef function)
{
    static const char *const names[] = {"atomic_xchg",         "atomic_cmpxchg",  "atom_xchg",
                                        "atom_cmpxchg",        "atomic_exchange", "atomic_compare_exchange",
                                        "atomic_flag_test_and"};
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    name = cc_base_name(name, &length);
    for (size_t i = 0; i < CY_COUNT(names); i++)
        if (length >= strlen(names[i]) && !memcmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

static bool tries_lock(LLVMValueRef insn)
{
    if (LLVMIsAAtomicCmpXchgInst(insn))
        return true;
    if (LLVMIsAAtomicRMWInst(insn))
        return LLVMGetAtomicRMWBinOp(insn) == LLVMAtomicRMWBinOpXchg;
    if (!LLVMIsACallInst(insn))
        return false;
    LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(insn));
    return callee && is_marked(callee);
}

static bool block_tries_lock(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (tries_lock(i))
            return true;
    return false;
}

static bool function_tries_lock(LLVMValueRef function)
{
    if (LLVMIsDeclaration(function))
        return takes_lock(function);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        if (block_tries_lock(b))
            return true;
    return false;
}

/* Marks the functions that try to take a lock, and their callers; returns whether there are any. */
static bool mark_functions(const struct cc_program *program)
{
    bool any = false, more = true;
    while (more) {
        more = false;
        for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
            if (!is_marked(f) && function_tries_lock(f)) {
                LLVMAddAttributeAtIndex(
                    f, on_function, LLVMCreateStringAttribute(program->context, tries, (unsigned)strlen(tries), "", 0));
                any = more = true;
            }
    }
    return any;
}

/* A loop as clang emits it: the blocks from its header to the latch, then its end. */
struct loop {
    LLVMBasicBlockRef header, latch, end;
};

static bool is_inside(const struct loop *loop, LLVMBasicBlockRef block)
{
    for (LLVMBasicBlockRef b = loop->header; b != loop->end; b = LLVMGetNextBasicBlock(b))
        if (b == block)
            return true;
    return false;
}

static void add_meeting(LLVMBuilderRef builder, LLVMValueRef function)
{
    LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, NULL, 0, "");
}

/* The target by which a block leaves the loop for good: break, goto or return. */
static LLVMBasicBlockRef way_out(const struct loop *loop, LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (LLVMGetNumSuccessors(end) != 1 || is_inside(loop, LLVMGetSuccessor(end, 0)))
        return NULL;
    LLVMBasicBlockRef to = LLVMGetSuccessor(end, 0);
    return LLVMIsAPHINode(LLVMGetFirstInstruction(to)) ? NULL : to;
}

/* Lanes that leave record their target and reconverge with those that continue in a new block. */
static void join_ways(const struct cc_program *program, LLVMBuilderRef builder, const struct loop *loop,
                      LLVMValueRef function)
{
    LLVMTypeRef type = LLVMInt32TypeInContext(program->context);
    LLVMValueRef whole = LLVMGetBasicBlockParent(loop->header);
    struct cy_strmap ways = {0};
    for (LLVMBasicBlockRef b = loop->header; b != loop->end; b = LLVMGetNextBasicBlock(b)) {
        LLVMBasicBlockRef to = way_out(loop, b);
        if (to)
            cy_strmap_add(&ways, (const char *)&to, sizeof(to));
    }
    size_t count = ways.strings.count;
    if (!count || LLVMIsAPHINode(LLVMGetFirstInstruction(loop->header))) {
        cy_strmap_free(&ways);
        return;
    }
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(whole)));
    LLVMValueRef next = LLVMBuildAlloca(builder, type, "");
    LLVMBasicBlockRef all = LLVMAppendBasicBlockInContext(program->context, whole, "");
    LLVMMoveBasicBlockAfter(all, loop->latch);
    LLVMPositionBuilderAtEnd(builder, all);
    LLVMSetCurrentDebugLocation2(builder, NULL);
    add_meeting(builder, function);
    LLVMValueRef choice =
        LLVMBuildSwitch(builder, LLVMBuildLoad2(builder, type, next, ""), loop->header, (unsigned)count);
    for (size_t i = 0; i < count; i++) {
        LLVMBasicBlockRef to;
        memcpy(&to, ways.strings.at[i].text, sizeof(to));
        LLVMAddCase(choice, LLVMConstInt(type, i + 1, 0), to);
    }
    for (LLVMBasicBlockRef b = loop->header; b != all; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        LLVMBasicBlockRef out = way_out(loop, b);
        size_t way = out ? cy_strmap_add(&ways, (const char *)&out, sizeof(out)) + 1 : 0;
        bool changed = false;
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
            if (out || LLVMGetSuccessor(end, i) == loop->header) {
                LLVMSetSuccessor(end, i, all);
                changed = true;
            }
        if (changed) {
            LLVMPositionBuilderBefore(builder, end);
            LLVMBuildStore(builder, LLVMConstInt(type, way, 0), next);
        }
    }
    cy_strmap_free(&ways);
}

static void hold_loop(const struct cc_program *program, LLVMBuilderRef builder, const struct loop *loop,
                      LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = loop->header; b != loop->end; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        bool decides = b == loop->header;
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end) && LLVMGetNumSuccessors(end) > 1; i++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);
            decides |= to == loop->header || !is_inside(loop, to);
        }
        if (decides) {
            LLVMPositionBuilderBefore(builder, end);
            add_meeting(builder, function);
        }
    }
    join_ways(program, builder, loop, function);
}

/* A function opaque to LLVM: convergent, and without memory effects. */
static LLVMValueRef declare_meeting(const struct cc_program *program)
{
    enum { INACCESSIBLE_MEMORY = 3 << 2 };
    static const struct {
        const char *name;
        uint64_t value;
    } attributes[] = {{"convergent", 0}, {"nounwind", 0}, {"willreturn", 0}, {"memory", INACCESSIBLE_MEMORY}};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(program->context), NULL, 0, 0);
    LLVMValueRef function = LLVMAddFunction(program->module, meet, type);
    for (size_t i = 0; i < CY_COUNT(attributes); i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i].name, strlen(attributes[i].name));
        LLVMAddAttributeAtIndex(function, on_function,
                                LLVMCreateEnumAttribute(program->context, kind, attributes[i].value));
    }
    LLVMSetFunctionCallConv(function, CC_SPIR_FUNC);
    return function;
}

/* The innermost loops around the lock attempts: inner loops end before outer ones. */
static void hold_loops(const struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef f, LLVMValueRef function)
{
    struct cy_strmap seen = {0}, held = {0};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        struct loop loop = {NULL, b, LLVMGetNextBasicBlock(b)};
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        cy_strmap_add(&seen, (const char *)&b, sizeof(b));
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);
            if (cy_strmap_find(&seen, (const char *)&to, sizeof(to)) != CY_STR_NONE)
                loop.header = to;
        }
        bool wanted = false;
        for (LLVMBasicBlockRef in = loop.header; in && in != loop.end; in = LLVMGetNextBasicBlock(in))
            if (block_tries_lock(in) && cy_strmap_find(&held, (const char *)&in, sizeof(in)) == CY_STR_NONE) {
                cy_strmap_add(&held, (const char *)&in, sizeof(in));
                wanted = true;
            }
        if (loop.header && cc_sink_release(program, builder, loop.header, &loop.latch)) {
            loop.end = LLVMGetNextBasicBlock(loop.latch);
            wanted = true;
        }
        if (wanted)
            hold_loop(program, builder, &loop, function);
    }
    cy_strmap_free(&seen);
    cy_strmap_free(&held);
}

static bool watches_memory(const struct cc_program *program)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && cc_may_wait(f))
            return true;
    return false;
}

void cc_hold_turns(const struct cc_program *program)
{
    if (!mark_functions(program) && !watches_memory(program))
        return;

    LLVMBuilderRef builder = LLVMCreateBuilderInContext(program->context);
    LLVMValueRef function = declare_meeting(program);
    cc_prepare_locks(program, builder, function);
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            hold_loops(program, builder, f, function);
    LLVMDisposeBuilder(builder);
}

void cc_let_go_turns(const struct cc_program *program)
{
    LLVMValueRef function = LLVMGetNamedFunction(program->module, meet);
    if (!function)
        return;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(function));)
        LLVMInstructionEraseFromParent(LLVMGetUser(use));
    LLVMDeleteFunction(function);
}
