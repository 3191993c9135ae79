/* Control flow that is simpler than it is written. */
#ifndef CY_JIT_TRANSFORM_BRANCHES_H
#define CY_JIT_TRANSFORM_BRANCHES_H

#include "jit/sir/sir.h"

/* Of a function in SIMT form.  False: nothing has changed. */
bool cy_sir_simplify_branches(struct cy_sir_func *func);
/* Divergent branches of which all lanes of a strip take one side become others; not if the strip is not chosen yet. */
bool cy_sir_find_agreement(struct cy_sir_func *func);

#endif
