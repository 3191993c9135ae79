/* LLVM and the back end, in this process: what a worker of the compile server runs. */
#ifndef CY_CC_COMPILE_H
#define CY_CC_COMPILE_H

#include "chengying/cc.h"

struct cc_progress;

/* Compiles the bitcode of the options' parts, or with compile_only only links them.  The source, if there is one, is for
 * the assembly to quote.  With `progress` (may be NULL) this is the last that the process does. */
bool cc_compile(const char *name, const char *source, size_t size, const struct cy_cc_options *options,
                struct cc_progress *progress, struct cy_cc_result *result);

#endif
