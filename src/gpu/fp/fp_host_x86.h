/* The vector unit of x86-64: MXCSR holds the rounding mode and accumulates the flags, with tininess detected after
 * rounding.  What is available beyond SSE2 depends on the level being compiled (levels_x86.h). */
#ifndef CY_GPU_FP_FP_HOST_X86_H
#define CY_GPU_FP_FP_HOST_X86_H

#define FP_HOST_DEFAULT_NAN 0
#define FP_HOST_MIN_MAX 0
#ifdef __FMA__
#define FP_HOST_FMA 1
#else
#define FP_HOST_FMA 0
#endif
#define FP_HOST_FMA_NV 0
#ifdef __SSE4_1__
#define FP_HOST_RINT 1
#else
#define FP_HOST_RINT 0
#endif
#if defined(__AVX__) &&                                                                                                \
    !defined(__clang__) /* clang's vector code compares with the instruction that raises NV for any NaN */
#define FP_HOST_QUIET_LESS 1
#else
#define FP_HOST_QUIET_LESS 0
#endif
#define FP_HOST_TO_U 0

#define FP_HOST_MXCSR_QUIET UINT32_C(0x1f80) /* all exceptions masked, to nearest, subnormals kept, no flags */

struct fp_host_saved {
    uint32_t mxcsr;
};

static inline uint32_t fp_host_mxcsr(void)
{
    uint32_t mxcsr;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr) : : "memory");
    return mxcsr;
}

static inline void fp_host_set_mxcsr(uint32_t mxcsr)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}

static inline unsigned fp_host_flags_get(void)
{
    /* From bit 0: invalid, subnormal operand, divide by zero, overflow, underflow, precision. */
    uint32_t mxcsr = fp_host_mxcsr();
    return (mxcsr >> 5 & CY_FP_NX) | (mxcsr >> 3 & CY_FP_UF) | (mxcsr >> 1 & CY_FP_OF) | (mxcsr << 1 & CY_FP_DZ) |
           (mxcsr << 4 & CY_FP_NV);
}

static inline void fp_host_flags_clear(void)
{
    fp_host_set_mxcsr(FP_HOST_MXCSR_QUIET);
}

static inline bool fp_host_underflow_suspect(void)
{
    return false;
}

static inline void fp_host_underflow_clear(void)
{
}

static inline void fp_host_begin(struct fp_host_saved *saved)
{
    saved->mxcsr = fp_host_mxcsr();
    fp_host_flags_clear();
}

static inline unsigned fp_host_end(const struct fp_host_saved *saved)
{
    unsigned flags = fp_host_flags_get();
    fp_host_set_mxcsr(saved->mxcsr);
    return flags;
}

#endif
