/* The compiler is a library of its own, loaded when a command needs it: it brings LLVM along, which the other commands
 * should not wait for. */
#ifndef CY_TOOLS_COMPILER_H
#define CY_TOOLS_COMPILER_H

#include "base/diag.h"
#include "chengying/cc.h"

struct cy_compiler {
    bool (*compile)(const char *name, const char *source, size_t size, const struct cy_cc_options *options,
                    struct cy_cc_result *result);
    void (*free_result)(struct cy_cc_result *result);
};

bool cy_compiler_load(struct cy_compiler *compiler, struct cy_diags *diags);

#endif
