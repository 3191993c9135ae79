/* The front end: clang as a child process. */
#ifndef CY_CC_CLANG_H
#define CY_CC_CLANG_H

#include "base/diag.h"

/* Compiles OpenCL C to bitcode.  clang's diagnostics are appended to `log` with `name` as the file name.  False: it
 * found errors, or is not there (`log` says what to install). */
bool cy_clang(const char *name, const char *source, size_t size, const char *const *args, size_t arg_count,
              struct cy_buf *bitcode, struct cy_buf *log);

#endif
