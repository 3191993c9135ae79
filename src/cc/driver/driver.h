/* The compiler from outside: through the cache, and everything that clang and LLVM do in other processes.  Nothing here
 * depends on LLVM: it is linked into the programs. */
#ifndef CY_CC_DRIVER_DRIVER_H
#define CY_CC_DRIVER_DRIVER_H

#include "chengying/cc.h"

struct cc_driver {
    const char *helpers;        /* the directory of the compile server */
    const char *library_dir;    /* of the device library */
    const unsigned *time_limit; /* in seconds, 0: none; NULL: as $CHENGYING_COMPILE_SECONDS says */
    const char *reproducer;     /* for cc_reproduce */
    bool no_cache;
};

/* The same as cy_cc. */
bool cc_drive(const struct cc_driver *driver, const char *name, const char *source, size_t size,
              const struct cy_cc_options *options, struct cy_cc_result *result);

/* Compiles again what the compiler died of.  False with an empty result: `error` says why the file cannot be read. */
bool cc_reproduce(const struct cc_driver *driver, struct cy_cc_result *result, char *error, size_t room);

/* Where our files are: beside the program or the shared library that this code is in. */
struct cc_places {
    char helpers[4096], library_dir[4096];
    bool has_library; /* the device library is there */
};
void cc_find_places(struct cc_places *places);

#endif
