/* The front end: clang as a child process of the compile server. */
#ifndef CY_CC_DRIVER_CLANG_H
#define CY_CC_DRIVER_CLANG_H

#include "cc/driver/request.h"

#include <sys/types.h>

/* Where clang is; found once per compile, because the cache key needs it too. */
struct cc_clang_place {
    char *program; /* the file itself, with no symbolic link in its path */
    char *header;  /* the declarations of OpenCL C, included by every program */
};

/* False: there is no clang-19, and `log` names the package to install. */
bool cc_clang_find(struct cc_clang_place *place, const char *name, struct cy_buf *log);
void cc_clang_place_free(struct cc_clang_place *place);

/* A clang command line and the files it starts with. */
struct cc_clang {
    const char *name;
    CY_VEC(int) files; /* ours, in the order of the child's descriptors, all of which are smaller */
    CY_VEC(const char *) argv;
    struct cy_arena arena;
    bool is_spirv; /* it is llvm-spirv */
};

/* `directory` is the path of its working directory.  The text need not be a file; includes are searched for in the
 * directory of its name first.  False: `log` has the reason; free with cc_clang_free in either case. */
enum cc_clang_step {
    CC_CLANG_WHOLE,
    CC_CLANG_PREPROCESS,  /* its output is text, not bitcode */
    CC_CLANG_PREPROCESSED /* compiles `text`, which has been preprocessed */
};
bool cc_clang_prepare(struct cc_clang *clang, const struct cc_request *request, const char *directory,
                      enum cc_clang_step step, const struct cy_buf *text, struct cy_buf *log);
/* Writes the arguments after "-cc1" into the file that the child has as CC_CLANG_ARGUMENTS; false: impossible. */
bool cc_clang_write_arguments(struct cc_clang *clang);
#define CC_CLANG_DEPENDENCIES 4
#define CC_CLANG_ARGUMENTS 5
/* Closes what only the child needs, and limits the child's memory. */
void cc_clang_started(struct cc_clang *clang, pid_t child);

/* After it has exited.  Appends clang's messages to `log` and the files it read, as a makefile rule, to `dependencies`.
 * False: there were errors. */
bool cc_clang_finish(struct cc_clang *clang, int status, struct cy_buf *bitcode, struct cy_buf *log,
                     struct cy_buf *dependencies);
void cc_clang_free(struct cc_clang *clang);

/* A file in memory whose descriptor is at least `floor`; -1: see errno. */
int cc_memory_file(const char *text, size_t size, int floor);
void cc_read_memory_file(int fd, struct cy_buf *to);

/* The lines of lib/include/ventus.h, then NULL; CMake writes them. */
extern const char *const cc_ventus_header[];

/* The directory in which clang sees the options' headers. */
#define CC_HEADER_DIRECTORY "/<headers>/"

#endif
