/* LLVM and the back end in this process: the body of a compile-server worker. */
#ifndef CY_CC_COMPILE_H
#define CY_CC_COMPILE_H

#include "base/mem.h"
#include "chengying/cc.h"

struct cc_progress;

/* Compiles the bitcode of the options' parts; with compile_only it only links them.  `source` (may be NULL) is quoted
 * in the assembly; `note` is the executable's CY_NOTE_SOURCE, or empty.  With `progress` (may be NULL) the process must exit after this call. */
bool cc_compile(const char *name, const char *source, size_t size, const struct cy_cc_options *options,
                const struct cy_buf *note, struct cc_progress *progress, struct cy_cc_result *result);

#endif
