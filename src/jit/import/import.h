/* Guest code -> the strip IR, in SIMT form: what a launch of one shape can reach, with registers as values.
 *
 * Everything is represented: instructions that have no operations of their own are executed by the interpreter, one at a time. */
#ifndef CY_JIT_IMPORT_IMPORT_H
#define CY_JIT_IMPORT_IMPORT_H

#include "jit/sir/sir.h"

/* `request` is `size` bytes, with the code behind it.  NULL: `why` says in a few words what stands against it. */
struct cy_sir_func *cy_jit_import(const struct cy_jit_request *request, size_t size, struct cy_buf *why);

#endif
