/* The compiler for the commands that need it. */
#ifndef CY_TOOLS_COMPILER_H
#define CY_TOOLS_COMPILER_H

#include "base/diag.h"
#include "chengying/cc.h"

/* cy_cc through the cache (unless `no_cache`).  cy_cc_result_free also when it returns false. */
bool cy_compile(const char *name, const struct cy_buf *source, const struct cy_cc_options *options, bool no_cache,
                struct cy_cc_result *result, struct cy_diags *diags);

#endif
