/* Checks command-line arguments against the kernel's declared parameters. */
#ifndef CY_TOOLS_RUN_SIGNATURE_H
#define CY_TOOLS_RUN_SIGNATURE_H

#include "chengying/cc.h"
#include "run_arguments.h"

/* Number, kinds and types must fit; a message says what does not, and the kernel's declaration.  Numbers without a type get the
 * parameter's, and values its size. */
bool cy_run_check_arguments(const struct cy_kernel_info *kernel, struct cy_run_argument *arguments, size_t count,
                            struct cy_diags *diags);

#endif
