/* Guest code to host code.  Needs LLVM: it runs in the compile server's worker, never in the user's process. */
#ifndef CY_JIT_TRANSLATE_H
#define CY_JIT_TRANSLATE_H

#include "base/mem.h"

#include <stdbool.h>

/* Where what was found out about the linked LLVM is kept for other processes: facts that take a compile to find out, by names that say
 * which LLVM they are about. */
struct cy_jit_facts {
    const void *context;
    bool (*recall)(const void *context, const char *name, bool *holds); /* false: it is not known */
    void (*remember)(const void *context, const char *name, bool holds);
};

/* Appends the image (jit/abi.h) of the request's kernel.  False: it cannot be translated, and `why` has the reason in a
 * few words ("v0.t masks", "lr.w").  Without facts (NULL) all are found out anew. */
bool cy_jit_translate(const struct cy_jit_facts *facts, const void *request, size_t size, struct cy_buf *image,
                      struct cy_buf *why);

/* The same, up to LLVM IR as text: for debugging and tests.  `optimised`: after LLVM's passes. */
bool cy_jit_print_ir(const void *request, size_t size, bool optimised, struct cy_buf *text, struct cy_buf *why);
/* The host's assembly, in which line N of the directives `.loc` is the Nth word of the guest's code. */
bool cy_jit_print_assembly(const void *request, size_t size, struct cy_buf *text, struct cy_buf *why);

#endif
