/* The front end: clang as a child process.  It is started and awaited by two calls, so that the caller can get something
 * done in between. */
#ifndef CY_CC_CLANG_H
#define CY_CC_CLANG_H

#include "base/diag.h"
#include "chengying/cc.h"

#include <sys/types.h>

/* Where clang is; found once for a compile, because the cache wants to know too. */
struct cc_clang_place {
    char *program; /* the file itself, with no symbolic link in its path */
    char *header;  /* the declarations of OpenCL C that every program begins with */
};

/* False: there is no clang-19, and `log` says what to install. */
bool cc_clang_find(struct cc_clang_place *place, const char *name, struct cy_buf *log);
void cc_clang_place_free(struct cc_clang_place *place);

struct cc_clang {
    const char *name;
    pid_t child;
    int bitcode, messages, dependencies; /* files in memory that the child writes */
};

/* Starts compiling a text that is called `name`, which need not be a file; what it includes is looked for in the
 * directory of `name` first.  The options' headers need not be files either. */
bool cc_clang_start(struct cc_clang *clang, const struct cc_clang_place *place, const char *name, const char *source,
                    size_t size, const struct cy_cc_options *options, struct cy_buf *log);

/* Waits for the end.  clang's messages are appended to `log`, and the files that were read, as a rule of a makefile, to
 * `dependencies`, which stays empty when it is not certain that the list is whole.  False: there were errors. */
bool cc_clang_finish(struct cc_clang *clang, struct cy_buf *bitcode, struct cy_buf *log, struct cy_buf *dependencies);

/* The directory in which clang sees the options' headers. */
#define CC_HEADER_DIRECTORY "/<headers>/"

#endif
