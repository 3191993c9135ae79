/* Finds the kernels that observe the workgroup decomposition: those that query it, wait at a barrier or use local
 * memory. The host may split the others as it likes, provided no work-item waits for another through atomics or
 * volatile memory: within one warp it would wait forever.  Looks at the user's program only, because the library's
 * get_global_id itself reads the group number. */
#include "cc/llvm/observes_workgroup.h"

#include "base/mem.h"
#include "chengying/cc.h"

#include <llvm-c/Core.h>

#include <string.h>

static const LLVMAttributeIndex on_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
static const char observes_workgroup[] = "cy-sees-groups", may_spin[] = "cy-may-wait";

static bool has_mark(LLVMValueRef function, const char *mark)
{
    return LLVMGetStringAttributeAtIndex(function, on_function, mark, (unsigned)strlen(mark)) != NULL;
}

bool cc_sees_groups(LLVMValueRef function)
{
    return has_mark(function, observes_workgroup);
}

bool cc_may_wait(LLVMValueRef function)
{
    return has_mark(function, may_spin);
}

/* What calling a function of the specification implies for the caller, by the prefix of its name. */
static const char *mark_of(LLVMValueRef function)
{
    static const struct {
        const char *name, *mark;
    } names[] = {
        {"get_local", observes_workgroup},
        {"get_enqueued_local", observes_workgroup},
        {"get_group", observes_workgroup},
        {"get_num_groups", observes_workgroup},
        {"barrier", observes_workgroup},
        {"work_group", observes_workgroup},
        {"async_work_group", observes_workgroup},
        {"wait_group_events", observes_workgroup},
        {"sub_group", observes_workgroup},
        {"get_sub_group", observes_workgroup},
        {"get_num_sub_groups", observes_workgroup},
        {"get_max_sub_group", observes_workgroup},
        {"get_enqueued_num_sub_groups", observes_workgroup},
        {"__work_group_", observes_workgroup}, /* of pipes, as the others with underscores */
        {"__sub_group_", observes_workgroup},
        {"__reserve_", may_spin},
        {"__commit_", may_spin},
        {"__read_pipe", may_spin},
        {"__write_pipe", may_spin},
        {"__get_pipe", may_spin},
        {"atom", may_spin},
        {"mem_fence", may_spin},
        {"read_mem_fence", may_spin},
        {"write_mem_fence", may_spin},
    };
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    name = cc_base_name(name, &length);
    for (size_t i = 0; i < CY_COUNT(names); i++)
        if (length >= strlen(names[i].name) && !memcmp(name, names[i].name, strlen(names[i].name)))
            return names[i].mark;
    return NULL;
}

static void mark_users(const struct cc_program *program, LLVMValueRef value, const char *mark);

static void mark_function(const struct cc_program *program, LLVMValueRef function, const char *mark)
{
    if (has_mark(function, mark))
        return;
    LLVMAddAttributeAtIndex(function, on_function,
                            LLVMCreateStringAttribute(program->context, mark, (unsigned)strlen(mark), "", 0));
    mark_users(program, function, mark);
}

/* Marks the functions that use a value, and their callers. */
static void mark_users(const struct cc_program *program, LLVMValueRef value, const char *mark)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user))
            mark_function(program, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)), mark);
        else
            mark_users(program, user, mark); /* a constant expression has its own users */
    }
}

/* Does it read memory that others may write meanwhile? */
static bool watches_memory(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
                (LLVMIsALoadInst(i) && (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)))
                return true;
    return false;
}

static bool has_assembly(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) && LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
                return true;
    return false;
}

void cc_find_groups(const struct cc_program *program)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f)) {
        const char *mark = LLVMIsDeclaration(f) ? mark_of(f) : NULL;
        if (mark)
            mark_users(program, f, mark);
        if (watches_memory(f))
            mark_function(program, f, may_spin);
        if (has_assembly(f)) /* it may do anything */
            mark_function(program, f, observes_workgroup);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(program->module); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == CY_ADDRESS_LOCAL)
            mark_users(program, g, observes_workgroup);
}
