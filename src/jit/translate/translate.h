/* Guest code to host code.  Needs LLVM: it runs in the compile server's worker, never in the user's process. */
#ifndef CY_JIT_TRANSLATE_H
#define CY_JIT_TRANSLATE_H

#include "base/mem.h"

/* Appends the image (jit/abi.h) of the request's kernel.  False: it cannot be translated, and `why` has the reason in a
 * few words ("v0.t masks", "lr.w"). */
bool cy_jit_translate(const void *request, size_t size, struct cy_buf *image, struct cy_buf *why);

/* The same, up to LLVM IR as text: for debugging and tests.  `optimised`: after LLVM's passes. */
bool cy_jit_print_ir(const void *request, size_t size, bool optimised, struct cy_buf *text, struct cy_buf *why);

#endif
