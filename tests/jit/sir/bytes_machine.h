/* A machine with RANDOM_SIR_BYTES of memory from the source `lds` on, for functions that are evaluated before and after a pass. */
#ifndef CY_TESTS_JIT_SIR_BYTES_MACHINE_H
#define CY_TESTS_JIT_SIR_BYTES_MACHINE_H

#include "random.h"

void fill_bytes(uint64_t seed, uint8_t memory[RANDOM_SIR_BYTES]);
/* Everything depends on the seed: the bytes, junk, and whether the launch ends within the workgroup, as every third does. */
enum cy_sir_outcome evaluate_on_bytes(const struct cy_sir_func *func, uint64_t seed, uint8_t memory[RANDOM_SIR_BYTES],
                                      struct cy_sir_fault *fault);
/* The same; what it counts is added to func->counters of these, unless they are NULL. */
enum cy_sir_outcome count_on_bytes(const struct cy_sir_func *func, uint64_t seed, uint8_t memory[RANDOM_SIR_BYTES],
                                   uint64_t *counters, struct cy_sir_fault *fault);

#endif
