/* What a kernel's attributes say about its launch: reqd_work_group_size, work_group_size_hint, and the size of its
 * sub-groups. */
#ifndef CY_TOOLS_RUN_ATTRIBUTES_H
#define CY_TOOLS_RUN_ATTRIBUTES_H

#include "base/diag.h"
#include "chengying/device.h"

struct cy_run_range {
    unsigned dimensions;
    uint64_t global[3], local[3], offset[3]; /* local[0] 0: not given */
};

/* A kernel's reqd_work_group_size or work_group_size_hint becomes the local size if none was given.  False: the range
 * contradicts the attribute, and diags has the message.  `file` is the program's name there. */
bool cy_run_obey_attributes(const struct cy_kernel_info *kernel, const struct cy_config *config, const char *file,
                            struct cy_run_range *range, struct cy_diags *diags);

/* The threads of a warp that a kernel of this executable requires for its sub-groups; 0: any number.  `kernel` NULL: the
 * only one. */
uint32_t cy_run_required_threads(const struct cy_buf *elf, const char *kernel);

#endif
