/* Control flow that is simpler than it is written. */
#ifndef CY_JIT_TRANSFORM_BRANCHES_H
#define CY_JIT_TRANSFORM_BRANCHES_H

#include "jit/sir/sir.h"

/* Of a function in SIMT form.  False: nothing has changed. */
bool cy_sir_simplify_branches(struct cy_sir_func *func);
/* Does the block jump to one that is entered from nowhere else?  That may still be a join, or have phis. */
bool cy_sir_is_continued(const struct cy_sir_func *func, uint32_t block);
/* That one becomes part of it, and is not reached any more; it must be neither. */
void cy_sir_append_next(struct cy_sir_func *func, uint32_t block);

#endif
