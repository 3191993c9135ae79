/* Phis that are not needed: one that gets the same value on all ways is that value, also if several of them only get each other beside
 * it; and one that gets a constant or nothing defined is that. */
#ifndef CY_JIT_TRANSFORM_PHIS_H
#define CY_JIT_TRANSFORM_PHIS_H

#include "jit/sir/sir.h"

void cy_sir_remove_phis(struct cy_sir_func *func);

#endif
