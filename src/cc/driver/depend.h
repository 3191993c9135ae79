/* The files a compile depended on, and whether they are still the same. */
#ifndef CY_CC_DRIVER_DEPEND_H
#define CY_CC_DRIVER_DEPEND_H

#include "base/pack.h"
#include "chengying/cc.h"

#include <time.h>

/* Packs what must hold for the result to be reproducible: the contents of every file in clang's makefile rule, and the
 * absence of any file that #include would find earlier.  False: this cannot be decided (the program tests for files
 * that do not exist, or uses the time; a file changed after `started`). */
bool cc_depend_record(const char *rule, const char *name, const char *source, size_t size,
                      const struct cy_cc_options *options, const char *default_header, const struct timespec *started,
                      struct cy_buf *out);

/* The next file of a makefile rule, starting after its colon, unescaped; NULL: no more. */
const char *cc_depend_next(const char *at, struct cy_buf *file);

/* Appends the names of the files that were packed, a line each. */
void cc_depend_list(struct cy_unpack in, struct cy_buf *names);

/* Does all of that still hold? */
bool cc_depend_holds(struct cy_unpack *in);

#endif
