/* Along which dimension of the range a kernel's work-items access consecutive memory. */
#ifndef CY_CC_LLVM_ROW_DIMENSION_H
#define CY_CC_LLVM_ROW_DIMENSION_H

#include "cc/llvm/llvm_pipeline.h"

/* Marks functions, before the library is linked. */
void cc_find_rows(const struct cc_program *program);
unsigned cc_row_dimension(LLVMValueRef function); /* 0: the first, or not known; 3: the first and the second */

#endif
