/* Reading and writing whole files. */
#ifndef CY_BASE_FILE_H
#define CY_BASE_FILE_H

#include "base/diag.h"

/* Reads a file ("-" is standard input) into `buf`, NUL-terminated.  Returns false after a diagnostic. */
bool cy_file_read(const char *path, struct cy_buf *buf, struct cy_diags *diags);

/* Writes a file atomically: to a temporary next to it, then rename.  "-" is standard output. */
bool cy_file_write(const char *path, const void *bytes, size_t size, bool executable, struct cy_diags *diags);

/* write() until everything is written; false: see errno. */
bool cy_write_all(int fd, const void *bytes, size_t size);

#endif
