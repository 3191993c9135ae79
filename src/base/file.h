/* Reading and writing whole files. */
#ifndef CY_BASE_FILE_H
#define CY_BASE_FILE_H

#include "base/diag.h"

/* Reads a file ("-" is standard input) into `buf`, NUL-terminated.  Returns false after a diagnostic. */
bool cy_file_read(const char *path, struct cy_buf *buf, struct cy_diags *diags);

/* The bytes of a file of any size, which are not in memory all at once.  Pipes and other things that cannot be mapped are read. */
struct cy_file_bytes {
    const char *data;
    size_t size;
    struct cy_buf read; /* where they are, if they are not mapped */
};
/* Returns false after a diagnostic, with nothing to unmap. */
bool cy_file_map(const char *path, struct cy_file_bytes *bytes, struct cy_diags *diags);
void cy_file_unmap(struct cy_file_bytes *bytes);

/* Writes a file atomically: to a temporary next to it, then rename.  "-" is standard output. */
bool cy_file_write(const char *path, const void *bytes, size_t size, bool executable, struct cy_diags *diags);

/* write() until everything is written; false: see errno. */
bool cy_write_all(int fd, const void *bytes, size_t size);

#endif
