/* Which kernels can tell how the work-items were put into workgroups, and whose work-items may wait for each other. */
#ifndef CY_CC_LLVM_OBSERVES_WORKGROUP_H
#define CY_CC_LLVM_OBSERVES_WORKGROUP_H

#include "cc/llvm/llvm_pipeline.h"

#include <stdbool.h>

/* Marks them, and the functions through which they can, before the library is linked. */
void cc_find_groups(const struct cc_program *program);
bool cc_sees_groups(LLVMValueRef function);
bool cc_may_wait(LLVMValueRef function);

#endif
