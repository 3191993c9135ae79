/* The floating-point unit of the calling thread, for code of ours that computes, prints or reads numbers: as C programs
 * find it when they start, whatever the caller has set (a rounding mode, subnormal numbers as zeros, exceptions that trap),
 * and afterwards as the caller left it, flags included.  So neither results nor generated code depend on who asks. */
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
