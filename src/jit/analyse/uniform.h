/* Which values, and which cells, are one number for all lanes of a strip.  Of a function in vector form. */
#ifndef CY_JIT_ANALYSE_UNIFORM_H
#define CY_JIT_ANALYSE_UNIFORM_H

#include "jit/sir/sir.h"

struct cy_sir_uniform {
    bool *value, *cell, *slot;
};
struct cy_sir_uniform cy_sir_find_uniform(struct cy_arena *arena, const struct cy_sir_func *func);

#endif
