/* What the fast engine would be given for a launch of a kernel: no launch is made. */
#ifndef CY_TOOLS_JIT_REQUEST_H
#define CY_TOOLS_JIT_REQUEST_H

#include "jit/abi.h"
#include "run_attributes.h"
#include "run_program.h"

struct jit_kernel {
    struct cy_run_inputs inputs;
    const char *name; /* NULL: the only one */
    struct cy_config config;
    struct cy_run_range
        range; /* a local size of 0: what the kernel requires, or one of ours; a global one of 0: one workgroup */
    const char *level; /* of the host; NULL: this one's */
    enum cy_jit_counting counts;
    bool threads_given;
    /* made by cy_jit_kernel_request: the program, and the kernel's name */
    struct cy_buf elf, label;
};

/* Appends the request (jit/abi.h). */
bool cy_jit_kernel_request(struct jit_kernel *kernel, struct cy_buf *request, struct cy_diags *diags);
/* False: there is no such level; its names are appended. */
bool cy_jit_knows_level(const char *name, struct cy_buf *names);

#endif
