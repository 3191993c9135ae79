/* Random functions of the strip IR in SIMT form, which depend on a seed alone, to be evaluated before and after a pass.
 *
 * They are valid and end, and their results do not depend on the order in which lanes are executed: between two barriers a work-item
 * writes only memory of its own and reads only that, or what nobody writes; sums are atomic, and their old values are not looked at.
 * Scalar variables change within a vbranch only where all sides around them are in the machine's order. */
#ifndef CY_TESTS_JIT_SIR_RANDOM_H
#define CY_TESTS_JIT_SIR_RANDOM_H

#include "jit/sir/sir.h"

/* They access this much memory from the source `lds` on, which is aligned to 64 bytes. */
enum { RANDOM_SIR_BYTES = 8192 };

struct cy_sir_func *random_sir(uint64_t seed);

#endif
