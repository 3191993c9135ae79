/* Whole files in and out. */
#ifndef CY_BASE_FILE_H
#define CY_BASE_FILE_H

#include "base/diag.h"

/* Reads a file ("-" is standard input) into `buf`, NUL-terminated.  Says why it could not, and returns false. */
bool cy_file_read(const char *path, struct cy_buf *buf, struct cy_diags *diags);

/* Writes a file so that it is either whole or not there: a temporary beside it, then rename.  "-" is standard output. */
bool cy_file_write(const char *path, const void *bytes, size_t size, bool executable, struct cy_diags *diags);

/* write() until everything is out; false: errno says why not. */
bool cy_write_all(int fd, const void *bytes, size_t size);

#endif
