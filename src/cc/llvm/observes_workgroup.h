/* Which kernels observe the workgroup decomposition, and in which a work-item may wait for another. */
#ifndef CY_CC_LLVM_OBSERVES_WORKGROUP_H
#define CY_CC_LLVM_OBSERVES_WORKGROUP_H

#include "cc/llvm/llvm_pipeline.h"

#include <stdbool.h>

/* Marks them, and the functions through which they do, before the library is linked. */
void cc_find_groups(const struct cc_program *program);
bool cc_sees_groups(LLVMValueRef function);
bool cc_may_wait(LLVMValueRef function);

#endif
