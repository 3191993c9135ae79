/* How much of the host's memory this process may use. */
#ifndef CY_CL_OBJECT_HOST_MEMORY_H
#define CY_CL_OBJECT_HOST_MEMORY_H

#include <stdint.h>

/* The smallest limit of the control groups that the process is in, and of those around them; UINT64_MAX without one.
 * `root` goes before every path: "" but for tests. */
uint64_t cy_cl_cgroup_limit(const char *root);

/* The same, or the host's memory if that is less. */
uint64_t cy_cl_usable_memory(void);

#endif
