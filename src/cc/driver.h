/* The compiler from outside: through the cache, and with the part that needs LLVM loaded only when it is needed, while
 * clang is already at work.  Nothing here depends on LLVM: it is linked into the programs. */
#ifndef CY_CC_DRIVER_H
#define CY_CC_DRIVER_H

#include "chengying/cc.h"

struct cc_driver {
    const char *compiler;    /* the file libchengying_cc.so, or its name alone for the loader to find */
    const char *library_dir; /* of the device library */
    bool no_cache;
};

/* The same as cy_cc. */
bool cc_drive(const struct cc_driver *driver, const char *name, const char *source, size_t size,
              const struct cy_cc_options *options, struct cy_cc_result *result);

#endif
