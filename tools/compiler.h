/* The compiler for the commands that need it. */
#ifndef CY_TOOLS_COMPILER_H
#define CY_TOOLS_COMPILER_H

#include "base/diag.h"
#include "chengying/cc.h"

struct cy_compile_how {
    const unsigned *time_limit; /* in seconds, 0: none; NULL: from the environment */
    bool no_cache;
    struct cy_buf *files; /* receives the names of included files, a line each; or NULL */
};

/* cy_cc through the cache (unless `no_cache`); without a source, `name` is a file saved for --reproduce.  Call
 * cy_cc_result_free even if it returns false. */
bool cy_compile(const char *name, const struct cy_buf *source, const struct cy_cc_options *options,
                const struct cy_compile_how *how, struct cy_cc_result *result, struct cy_diags *diags);

/* The generation of a Ventus target by its -march name; false: another target, or none. */
bool cy_generation(const char *march, unsigned *generation);

#define CY_LIBRARY "libchengying.so." CY_ABI
#define CY_CL_LIBRARY "libchengying_cl.so." CY_ABI
/* The path of one of our shared libraries next to this program: in BIN/../lib, or where it is installed.  False: it
 * does not exist, and the path is only its name. */
bool cy_library_beside(const char *name, struct cy_buf *path);

/* Lets the device have kernels translated by the compile server. */
struct cy_device;
void cy_give_translator(struct cy_device *device);

#endif
