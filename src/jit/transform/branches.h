/* Control flow that is simpler than it is written. */
#ifndef CY_JIT_TRANSFORM_BRANCHES_H
#define CY_JIT_TRANSFORM_BRANCHES_H

#include "jit/sir/sir.h"

/* Of a function in SIMT form.  False: nothing has changed. */
bool cy_sir_simplify_branches(struct cy_sir_func *func);

#endif
