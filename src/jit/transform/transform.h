/* The passes over the strip IR; passes.def is their list. */
#ifndef CY_JIT_TRANSFORM_H
#define CY_JIT_TRANSFORM_H

#include "jit/sir/sir.h"

#define PASS(name, from, to, file, text) void cy_sir_pass_##name(struct cy_sir_func *func);
#include "jit/transform/passes.def"

#endif
