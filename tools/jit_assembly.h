/* The host's assembly of a translated kernel for people. */
#ifndef CY_TOOLS_JIT_ASSEMBLY_H
#define CY_TOOLS_JIT_ASSEMBLY_H

#include "base/mem.h"
#include "jit/abi.h"

/* Appends what LLVM printed (jit/translate/translate.h: line N of `.loc` is the Nth word of the code) without the directives, and with
 * the guest's instruction and the source line above the code that comes from it.  `elf` is the program, `name` its file; the code follows the request. */
void cy_jit_put_assembly(const char *assembly, const char *name, const struct cy_buf *elf,
                         const struct cy_jit_request *request, struct cy_buf *out);

#endif
