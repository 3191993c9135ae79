/* The compiler's intrinsics for library code that runs on the host. */
#ifndef CY_TESTS_BUILTINS_INTRINSICS_H
#define CY_TESTS_BUILTINS_INTRINSICS_H

#include <stdint.h>

/* How __cy_fexp rounds: to nearest 0, down -1, up +1.  Each is within 1 ulp. */
extern int fexp_rounding;

/* CSRs by number less 0x800, and the lane. */
extern uint32_t csr[16], lane;

/* What the last barrier's immediate was, and the number of fences so far. */
extern uint32_t last_barrier;
extern unsigned fences;

float __cy_fexp(float x);

#endif
