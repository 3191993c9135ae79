/* Modes of the host's floating-point unit that a program may have set when it calls us; one part per architecture. */
#ifndef CY_TESTS_SUPPORT_HOST_FP_H
#define CY_TESTS_SUPPORT_HOST_FP_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

struct host_fp {
    uint64_t control, status;
    int rounding; /* as C sees it: another register on x86-64 */
};

#if defined(__x86_64__)
#define HOST_FP_TRAPS 1
static inline struct host_fp host_fp_get(void)
{
    uint32_t mxcsr;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr) : : "memory");
    return (struct host_fp){mxcsr & ~0x3fu, mxcsr & 0x3f, fegetround()};
}

/* -ffast-math's start-up code does this, and audio programs do. */
static inline void host_fp_flush(void)
{
    uint32_t mxcsr = (uint32_t)host_fp_get().control | 0x8040; /* results, operands */
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}

static inline void host_fp_trap(void)
{
    uint32_t mxcsr = (uint32_t)host_fp_get().control & ~0x1f80u;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}
#elif defined(__aarch64__)
#define HOST_FP_TRAPS 0
static inline struct host_fp host_fp_get(void)
{
    uint64_t control, status;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(status) : : "memory");
    return (struct host_fp){control, status & 0x9f, fegetround()};
}

static inline void host_fp_flush(void)
{
    uint64_t control = host_fp_get().control | UINT64_C(3) << 24; /* FZ, and DN: no payloads of NaNs */
    __asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory");
}

static inline void host_fp_trap(void)
{
}
#else
#error "how does this host treat subnormal numbers as zeros?"
#endif

static inline bool host_fp_same(struct host_fp a, struct host_fp b)
{
    return a.control == b.control && a.status == b.status && a.rounding == b.rounding;
}

#endif
