/* The files a compile depended on, and whether they are still the same. */
#ifndef CY_CC_DRIVER_DEPEND_H
#define CY_CC_DRIVER_DEPEND_H

#include "base/pack.h"
#include "chengying/cc.h"

#include <time.h>

/* Packs what must hold for the result to be the same again: the contents of every file that clang's makefile rule names,
 * and that no file has come up that #include would find earlier.  False: that cannot be said for certain (the program
 * asks for files that are not there, or for the time; a file was changed after `started`). */
bool cc_depend_record(const char *rule, const char *name, const char *source, size_t size,
                      const struct cy_cc_options *options, const char *default_header, const struct timespec *started,
                      struct cy_buf *out);

/* The next file of a makefile rule, from behind its colon on, with its escapes taken off; NULL: no more. */
const char *cc_depend_next(const char *at, struct cy_buf *file);

/* Whether all that still holds. */
bool cc_depend_holds(struct cy_unpack *in);

#endif
