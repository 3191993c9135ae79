/* The front end: clang as a child process of the compile server. */
#ifndef CY_CC_DRIVER_CLANG_H
#define CY_CC_DRIVER_CLANG_H

#include "cc/driver/request.h"

#include <sys/types.h>

/* Where clang is; found once for a compile, because the cache wants to know too. */
struct cc_clang_place {
    char *program; /* the file itself, with no symbolic link in its path */
    char *header;  /* the declarations of OpenCL C that every program begins with */
};

/* False: there is no clang-19, and `log` says what to install. */
bool cc_clang_find(struct cc_clang_place *place, const char *name, struct cy_buf *log);
void cc_clang_place_free(struct cc_clang_place *place);

/* A clang's command line and the files it is started with. */
struct cc_clang {
    const char *name;
    CY_VEC(int) files; /* ours, by their numbers in the child, all of which are smaller */
    CY_VEC(const char *) argv;
    struct cy_arena arena;
};

/* `directory` is the path of the directory it will run in.  The text need not be a file; what it includes
 * is looked for in the directory of its name first.  False: `log` says why not; freed in any case by cc_clang_free. */
bool cc_clang_prepare(struct cc_clang *clang, const struct cc_request *request, const char *directory,
                      struct cy_buf *log);
/* Writes the arguments after "-cc1" into the file that the child has as CC_CLANG_ARGUMENTS; false: that cannot be. */
bool cc_clang_write_arguments(struct cc_clang *clang);
#define CC_CLANG_DEPENDENCIES 4
#define CC_CLANG_ARGUMENTS 5
/* Closes what only the child needs, and limits the child's memory. */
void cc_clang_started(struct cc_clang *clang, pid_t child);

/* After its end.  clang's messages are appended to `log`, and the files that were read, as a rule of a makefile, to
 * `dependencies`.  False: there were errors. */
bool cc_clang_finish(struct cc_clang *clang, int status, struct cy_buf *bitcode, struct cy_buf *log,
                     struct cy_buf *dependencies);
void cc_clang_free(struct cc_clang *clang);

/* A file in memory whose descriptor is at least `floor`; -1: errno says why not. */
int cc_memory_file(const char *text, size_t size, int floor);
void cc_read_memory_file(int fd, struct cy_buf *to);

/* The directory in which clang sees the options' headers. */
#define CC_HEADER_DIRECTORY "/<headers>/"

#endif
