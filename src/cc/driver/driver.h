/* The compiler as seen by its users: goes through the cache; clang and LLVM run in other processes.  Nothing here
 * depends on LLVM: it is linked into the programs. */
#ifndef CY_CC_DRIVER_DRIVER_H
#define CY_CC_DRIVER_DRIVER_H

#include "base/mem.h"
#include "base/sha256.h"
#include "cc/driver/clang.h"
#include "chengying/cc.h"

#include <stdatomic.h>

/* What cc_translate has found out about compilers, which costs more than the rest of asking the cache.  All zeros at first; never
 * freed. */
struct cc_tools {
    atomic_int state;
    struct cc_clang_place place;
    struct cy_sha256 sha; /* to which their identity was added */
};

struct cc_driver {
    const char *helpers;        /* the compile server's directory */
    const char *library_dir;    /* of the device library */
    const unsigned *time_limit; /* in seconds, 0: none; NULL: as in $CHENGYING_COMPILE_SECONDS */
    const char *reproducer;     /* for cc_reproduce */
    struct cy_buf *files;       /* cc_drive: receives the names of the files that it includes, a line each; or NULL */
    bool no_cache;
    bool only_cached;   /* cc_translate: makes no new translation; then `why` is empty */
    bool ends;          /* cc_translate: the process does; the server keeps its answer, if there is a cache */
    char **environment; /* cc_translate: a copy of it (environment.h); NULL: the process's */
    struct cc_tools
        *tools; /* cc_translate with only_cached or ends: of earlier calls; or NULL.  They may have been replaced
                             * meanwhile, but what the cache has of them is as right as before */
};

/* Same contract as cy_cc. */
bool cc_drive(const struct cc_driver *driver, const char *name, const char *source, size_t size,
              const struct cy_cc_options *options, struct cy_cc_result *result);

/* Compiles saved crash input again.  False with an empty result: `error` says why the file cannot be read. */
bool cc_reproduce(const struct cc_driver *driver, struct cy_cc_result *result, char *error, size_t room);

/* Translates guest code for this host (jit/abi.h), through the cache.  False: `why` says why not, in a few words.  The image is
 * freed with free(). */
bool cc_translate(const struct cc_driver *driver, const void *request, size_t size, void **image, size_t *image_size,
                  char *why, size_t room);

/* What is on the way there, as text: CC_TEXT_... (request.h).  Not through the cache. */
bool cc_print_translation(const struct cc_driver *driver, const void *request, size_t size, const char *what,
                          struct cy_buf *text, char *why, size_t room);

/* Where our files are: next to the program or shared library that contains this code. */
struct cc_places {
    char helpers[4096], library_dir[4096];
    bool has_library; /* it contains the device library */
};
void cc_find_places(struct cc_places *places);

#endif
