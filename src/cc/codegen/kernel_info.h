/* kernel_info.c: the facts of a kernel. */
#ifndef CY_CC_CODEGEN_KERNEL_INFO_H
#define CY_CC_CODEGEN_KERNEL_INFO_H

#include "cc/codegen/backend.h"
#include "chengying/kernel.h"

/* The strings and `arguments` are one allocation, which starts at `arguments`. */
void cc_kernel_info(const struct ir_func *func, const struct backend_stats *stats, struct cy_kernel_info *info);

#endif
