/* The floating-point environment of the calling thread, for our code that computes, prints or parses numbers: C's
 * default environment inside, whatever the caller has set (a rounding mode, flush-to-zero, trapping exceptions), and
 * the caller's again afterwards, flags included.  So neither results nor generated code depend on the caller. */
#ifndef CY_BASE_FENV_GUARD_H
#define CY_BASE_FENV_GUARD_H

#include <fenv.h>

static inline void cy_fenv_enter(fenv_t *callers)
{
    fegetenv(callers);
    fesetenv(FE_DFL_ENV);
}

static inline void cy_fenv_leave(const fenv_t *callers)
{
    fesetenv(callers);
}

#endif
