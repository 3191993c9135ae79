/* Which kernels can tell how the work-items were put into workgroups: those that ask for it, wait for their group or have
 * local memory.  The others the host may cut as it likes.  This looks at the user's program alone, because the library's
 * own get_global_id counts groups too. */
#include "cc/groups.h"

#include "base/mem.h"
#include "chengying/cc.h"

#include <llvm-c/Core.h>

#include <string.h>

static const LLVMAttributeIndex on_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
static const char mark[] = "cy-sees-groups";

bool cc_sees_groups(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, on_function, mark, (unsigned)strlen(mark)) != NULL;
}

/* Functions of the specification by what their names begin with. */
static bool is_about_groups(LLVMValueRef function)
{
    static const char *const names[] = {"get_local", "get_enqueued_local", "get_group",        "get_num_groups",
                                        "barrier",   "work_group",         "async_work_group", "wait_group_events",
                                        "sub_group"};
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    name = cc_base_name(name, &length);
    for (size_t i = 0; i < CY_COUNT(names); i++)
        if (length >= strlen(names[i]) && !memcmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Marks the functions that use a value, and those that call them. */
static void mark_users(const struct cc_program *program, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user)) {
            user = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
            if (cc_sees_groups(user))
                continue;
            LLVMAddAttributeAtIndex(user, on_function,
                                    LLVMCreateStringAttribute(program->context, mark, (unsigned)strlen(mark), "", 0));
        }
        mark_users(program, user); /* a constant expression has users of its own */
    }
}

void cc_find_groups(const struct cc_program *program)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f) && is_about_groups(f))
            mark_users(program, f);
    for (LLVMValueRef g = LLVMGetFirstGlobal(program->module); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == CY_CC_LOCAL)
            mark_users(program, g);
}
