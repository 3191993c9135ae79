/* Any other host, through <fenv.h>.  How it detects tininess is unknown: an underflow is always suspect. */
#ifndef CY_GPU_FP_FP_HOST_FENV_H
#define CY_GPU_FP_FP_HOST_FENV_H

#include <fenv.h>

#define FP_HOST_DEFAULT_NAN 0
#define FP_HOST_FMA 0
#define FP_HOST_FMA_NV 0
#define FP_HOST_RINT 0
#define FP_HOST_MIN_MAX 0
#define FP_HOST_TO_U 0

struct fp_host_saved {
    fenv_t environment;
};

#define FP_HOST_BARRIER() __asm__ volatile("" : : : "memory")

static inline unsigned fp_host_flags_get(void)
{
    FP_HOST_BARRIER();
    int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_INEXACT ? CY_FP_NX : 0u) | (raised & FE_UNDERFLOW ? CY_FP_UF : 0u) |
           (raised & FE_OVERFLOW ? CY_FP_OF : 0u) | (raised & FE_DIVBYZERO ? CY_FP_DZ : 0u) |
           (raised & FE_INVALID ? CY_FP_NV : 0u);
}

static inline void fp_host_flags_clear(void)
{
    FP_HOST_BARRIER();
    feclearexcept(FE_ALL_EXCEPT);
    FP_HOST_BARRIER();
}

static inline bool fp_host_underflow_suspect(void)
{
    FP_HOST_BARRIER();
    return fetestexcept(FE_UNDERFLOW) != 0;
}

static inline void fp_host_underflow_clear(void)
{
    feclearexcept(FE_UNDERFLOW);
    FP_HOST_BARRIER();
}

static inline void fp_host_begin(struct fp_host_saved *saved)
{
    FP_HOST_BARRIER();
    feholdexcept(&saved->environment);
    fesetround(FE_TONEAREST);
    FP_HOST_BARRIER();
}

static inline unsigned fp_host_end(const struct fp_host_saved *saved)
{
    unsigned flags = fp_host_flags_get();
    fesetenv(&saved->environment);
    FP_HOST_BARRIER();
    return flags;
}

#endif
