/* Floating-point arithmetic of the guest: binary16, binary32 and binary64 as bit patterns.
 *
 * The exact functions below compute with integers only: they give the RISC-V result and flags in every rounding mode,
 * whatever the state of the host's floating-point unit, and leave that state alone.  They are the reference; fp32_native.h
 * has the same operations of binary32 in round-to-nearest-even for whole warps on the host's own instructions.
 *
 * Rules (RISC-V F/D/Zfh version 2.2 and V 1.0): a NaN result is the canonical one, except for sign injection;
 * subnormals are kept; tininess is detected after rounding; underflow is raised only together with inexact. */
#ifndef CY_GPU_FP_FP_H
#define CY_GPU_FP_FP_H

#include <stdbool.h>
#include <stdint.h>

/* Rounding modes, numbered as in frm and rm. */
enum cy_fp_rounding {
    CY_FP_RNE, /* to nearest, ties to even */
    CY_FP_RTZ, /* towards zero */
    CY_FP_RDN, /* down */
    CY_FP_RUP, /* up */
    CY_FP_RMM, /* to nearest, ties away from zero */
};

/* The canonical NaN of binary32, in memory: loops over lanes load it into a vector with one instruction, where a constant takes
 * three. */
extern const uint32_t cy_fp_nan32;

/* Flags, numbered as in fflags. */
enum cy_fp_flag {
    CY_FP_NX = 1,  /* inexact */
    CY_FP_UF = 2,  /* underflow */
    CY_FP_OF = 4,  /* overflow */
    CY_FP_DZ = 8,  /* divide by zero */
    CY_FP_NV = 16, /* invalid operation */
};

struct cy_fp {
    uint8_t rm;    /* enum cy_fp_rounding; the caller has resolved DYN and rejected 5 and 6 */
    uint8_t flags; /* enum cy_fp_flag, sticky */
};

/* The operations of one format.
 *
 *   fma        a * b + c, rounded once
 *   min, max   minimumNumber, maximumNumber: a number beats a NaN, -0 < +0
 *   eq         raises NV for signalling NaNs only; lt and le for any NaN
 *   to_i, to_u to an integer of `width` bits (8, 16, 32 or 64), rounded by rm or (_rtz) towards zero; values out
 *              of range raise only NV and give the nearest integer in range, a NaN the largest.  The result is
 *              sign- or zero-extended to 64 bits
 *   from_*     from an integer of any width, extended to 64 bits by the caller
 *   rec7, rsqrt7  the 7-bit estimates of V 1.0, 14.9 and 14.10
 *   exp        e^x by rm; correctly rounded (binary64: unless e^x is closer than 2^-60 ulp to where rounding changes)
 *   class      the bit mask of fclass
 *   sgnj*, neg change the sign bit of any operand, NaNs included */
#define CY_FP_DECLARE(f, word)                                                                                         \
    word cy_##f##_add(struct cy_fp *fp, word a, word b);                                                               \
    word cy_##f##_sub(struct cy_fp *fp, word a, word b);                                                               \
    word cy_##f##_mul(struct cy_fp *fp, word a, word b);                                                               \
    word cy_##f##_div(struct cy_fp *fp, word a, word b);                                                               \
    word cy_##f##_sqrt(struct cy_fp *fp, word a);                                                                      \
    word cy_##f##_fma(struct cy_fp *fp, word a, word b, word c);                                                       \
    word cy_##f##_min(struct cy_fp *fp, word a, word b);                                                               \
    word cy_##f##_max(struct cy_fp *fp, word a, word b);                                                               \
    bool cy_##f##_eq(struct cy_fp *fp, word a, word b);                                                                \
    bool cy_##f##_lt(struct cy_fp *fp, word a, word b);                                                                \
    bool cy_##f##_le(struct cy_fp *fp, word a, word b);                                                                \
    int64_t cy_##f##_to_i(struct cy_fp *fp, word a, unsigned width);                                                   \
    uint64_t cy_##f##_to_u(struct cy_fp *fp, word a, unsigned width);                                                  \
    int64_t cy_##f##_to_i_rtz(struct cy_fp *fp, word a, unsigned width);                                               \
    uint64_t cy_##f##_to_u_rtz(struct cy_fp *fp, word a, unsigned width);                                              \
    word cy_##f##_from_i(struct cy_fp *fp, int64_t a);                                                                 \
    word cy_##f##_from_u(struct cy_fp *fp, uint64_t a);                                                                \
    word cy_##f##_rec7(struct cy_fp *fp, word a);                                                                      \
    word cy_##f##_rsqrt7(struct cy_fp *fp, word a);                                                                    \
    word cy_##f##_exp(struct cy_fp *fp, word a);                                                                       \
    unsigned cy_##f##_class(word a);                                                                                   \
    static inline word cy_##f##_neg(word a)                                                                            \
    {                                                                                                                  \
        return (word)(a ^ (word)1 << (sizeof(word) * 8 - 1));                                                          \
    }                                                                                                                  \
    static inline word cy_##f##_sgnj(word a, word b)                                                                   \
    {                                                                                                                  \
        word sign = (word)((word)1 << (sizeof(word) * 8 - 1));                                                         \
        return (word)((a & ~sign) | (b & sign));                                                                       \
    }                                                                                                                  \
    static inline word cy_##f##_sgnjn(word a, word b)                                                                  \
    {                                                                                                                  \
        return cy_##f##_sgnj(a, (word)~b);                                                                             \
    }                                                                                                                  \
    static inline word cy_##f##_sgnjx(word a, word b)                                                                  \
    {                                                                                                                  \
        return (word)(a ^ (b & (word)1 << (sizeof(word) * 8 - 1)));                                                    \
    }

CY_FP_DECLARE(f16, uint16_t)
CY_FP_DECLARE(f32, uint32_t)
CY_FP_DECLARE(f64, uint64_t)
#undef CY_FP_DECLARE

/* Conversions between formats: widening is exact, narrowing rounds by rm. */
uint32_t cy_f16_to_f32(struct cy_fp *fp, uint16_t a);
uint64_t cy_f16_to_f64(struct cy_fp *fp, uint16_t a);
uint64_t cy_f32_to_f64(struct cy_fp *fp, uint32_t a);
uint16_t cy_f32_to_f16(struct cy_fp *fp, uint32_t a);
uint16_t cy_f64_to_f16(struct cy_fp *fp, uint64_t a);
uint32_t cy_f64_to_f32(struct cy_fp *fp, uint64_t a);

#endif
