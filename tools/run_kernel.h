/* Which kernel of a program is meant, and how many work-items. */
#ifndef CY_TOOLS_RUN_KERNEL_H
#define CY_TOOLS_RUN_KERNEL_H

#include "chengying/device.h"
#include "options.h"

/* The kernel with this name, or without one (NULL) the only one.  False: diags says which there are.  `file` is the program's name. */
bool cy_run_choose_kernel(const struct cy_program *program, const char *name, const char *file,
                          struct cy_kernel_info *kernel, struct cy_diags *diags);

/* "64", "8,8" or "8x8x4", each at most `limit`: sets `count`, and the others to `others`.  CY_EXIT_OK, or what was reported. */
int cy_run_parse_sizes(const struct cy_usage *usage, const char *option, const char *text, uint64_t limit,
                       uint64_t others, uint64_t sizes[3], unsigned *count);

#endif
