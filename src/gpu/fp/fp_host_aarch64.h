/* The floating-point unit of aarch64.  FPCR.DN makes every NaN result 0x7fc00000; FPSR accumulates the flags, with
 * tininess detected before rounding. */
#ifndef CY_GPU_FP_FP_HOST_AARCH64_H
#define CY_GPU_FP_FP_HOST_AARCH64_H

#define FP_HOST_DEFAULT_NAN 1
#define FP_HOST_FMA 1
#define FP_HOST_FMA_NV 1
#define FP_HOST_RINT 1
#define FP_HOST_MIN_MAX 1
#define FP_HOST_TO_U 1

#define FP_HOST_FPCR_DN (UINT64_C(1) << 25)
#define FP_HOST_FPSR_UFC (UINT64_C(1) << 3)

struct fp_host_saved {
    uint64_t control, status;
};

static inline uint64_t fp_host_status(void)
{
    uint64_t status;
    __asm__ volatile("mrs %0, fpsr" : "=r"(status) : : "memory");
    return status;
}

static inline void fp_host_set_status(uint64_t status)
{
    __asm__ volatile("msr fpsr, %0" : : "r"(status) : "memory");
}

static inline unsigned fp_host_flags_get(void)
{
    /* IOC DZC OFC UFC IXC from bit 0 up are NV DZ OF UF NX from bit 4 down. */
    uint32_t reversed;
    __asm__("rbit %w0, %w1" : "=r"(reversed) : "r"((uint32_t)fp_host_status()));
    return reversed >> 27;
}

static inline void fp_host_flags_clear(void)
{
    fp_host_set_status(0);
}

static inline bool fp_host_underflow_suspect(void)
{
    return __builtin_expect((fp_host_status() & FP_HOST_FPSR_UFC) != 0, 0);
}

static inline void fp_host_underflow_clear(void)
{
    fp_host_set_status(fp_host_status() & ~FP_HOST_FPSR_UFC);
}

static inline void fp_host_begin(struct fp_host_saved *saved)
{
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved->control) : : "memory");
    saved->status = fp_host_status();
    __asm__ volatile("msr fpcr, %0" : : "r"(FP_HOST_FPCR_DN) : "memory");
    fp_host_flags_clear();
}

static inline unsigned fp_host_end(const struct fp_host_saved *saved)
{
    unsigned flags = fp_host_flags_get();
    __asm__ volatile("msr fpcr, %0" : : "r"(saved->control) : "memory");
    fp_host_set_status(saved->status);
    return flags;
}

#endif
