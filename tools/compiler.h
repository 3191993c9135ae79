/* The compiler for the commands that need it. */
#ifndef CY_TOOLS_COMPILER_H
#define CY_TOOLS_COMPILER_H

#include "base/diag.h"
#include "chengying/cc.h"

/* cy_cc through the cache (unless `no_cache`).  cy_cc_result_free also when it returns false. */
bool cy_compile(const char *name, const struct cy_buf *source, const struct cy_cc_options *options, bool no_cache,
                struct cy_cc_result *result, struct cy_diags *diags);

/* The path of a shared library of ours beside this program: in BIN/../lib, or where it is installed.  False: it is not there,
 * and the path is only its name. */
bool cy_library_beside(const char *name, struct cy_buf *path);

#endif
