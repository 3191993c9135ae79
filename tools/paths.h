/* The files that a command reads and writes.  Every command lists all of them before it writes the first, and fails if
 * an output is also an input, or two outputs are the same file: through symbolic and hard links and however the names
 * are spelled.  "-", devices and pipes may be given any number of times. */
#ifndef CY_TOOLS_PATHS_H
#define CY_TOOLS_PATHS_H

#include "base/mem.h"
#include "options.h"

struct cy_path; /* private to paths.c */

struct cy_paths {
    CY_VEC(struct cy_path) list;
    struct cy_arena arena;
};

/* NULL means no file.  The strings are copied. */
void cy_paths_read(struct cy_paths *paths, const char *path);
void cy_paths_write(struct cy_paths *paths, const char *path);
/* The same for a file whose directory is made if there is none. */
void cy_paths_write_made(struct cy_paths *paths, const char *path);
/* The files that a source includes, a line each; they are known once it is compiled. */
void cy_paths_read_lines(struct cy_paths *paths, const char *lines);
/* Files PREFIX...SUFFIX in a directory, which need not exist yet. */
void cy_paths_write_many(struct cy_paths *paths, const char *directory, const char *prefix, const char *suffix);

/* CY_EXIT_OK, or CY_EXIT_USAGE after a message; CY_EXIT_INPUT if an output cannot be written.  Frees the list. */
int cy_paths_check(struct cy_paths *paths, const struct cy_usage *usage);

#endif
