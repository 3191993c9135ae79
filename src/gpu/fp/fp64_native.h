/* binary64 in round-to-nearest-even on the host's own floating-point unit, for loops over the lanes of a warp: what
 * fp32_native.h is for binary32, under the same rules, but only for kernels that do not read the flags. */
#ifndef CY_GPU_FP_FP64_NATIVE_H
#define CY_GPU_FP_FP64_NATIVE_H

#include "gpu/fp/fp32_native.h"

#define D_NAN UINT64_C(0x7ff8000000000000)

/* An operand of a lane: unchanged where mask is all ones, 1.0 where it is zero. */
static inline uint64_t d_quiet(uint64_t a, uint32_t mask)
{
    uint64_t wide = (uint64_t)(int64_t)(int32_t)mask;
    return (a & wide) | (UINT64_C(0x3ff0000000000000) & ~wide);
}

static inline uint64_t d_result(double x)
{
    return !FP_HOST_DEFAULT_NAN && x != x ? D_NAN : h_double_bits(x);
}

static inline uint64_t d_add(uint64_t a, uint64_t b)
{
    return d_result(h_double(a) + h_double(b));
}

static inline uint64_t d_sub(uint64_t a, uint64_t b)
{
    return d_result(h_double(a) - h_double(b));
}

static inline uint64_t d_mul(uint64_t a, uint64_t b)
{
    return d_result(h_double(a) * h_double(b));
}

static inline uint64_t d_div(uint64_t a, uint64_t b)
{
    return d_result(h_double(a) / h_double(b));
}

static inline uint64_t d_sqrt(uint64_t a)
{
    return d_result(__builtin_sqrt(h_double(a)));
}

static inline uint64_t d_fma(struct cy_fp *fp, uint64_t a, uint64_t b, uint64_t c)
{
    if (FP_HOST_FMA)
        return d_result(__builtin_fma(h_double(a), h_double(b), h_double(c)));
    return cy_f64_fma(fp, a, b, c);
}

static inline uint64_t d_eq(uint64_t a, uint64_t b)
{
    return h_double(a) == h_double(b);
}

static inline uint64_t d_lt(uint64_t a, uint64_t b)
{
    return h_double(a) < h_double(b);
}

static inline uint64_t d_le(uint64_t a, uint64_t b)
{
    return h_double(a) <= h_double(b);
}

/* Numbers before NaNs, -0 before +0. */
static inline int64_t d_order(uint64_t a)
{
    return (int64_t)(a ^ ((uint64_t)((int64_t)a >> 63) & INT64_MAX));
}

static inline bool d_is_nan(uint64_t a)
{
    return (a & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

static inline uint64_t d_min(uint64_t a, uint64_t b)
{
    bool a_nan = d_is_nan(a), b_nan = d_is_nan(b), take_a = (d_order(a) < d_order(b) || b_nan) && !a_nan;
    return a_nan && b_nan ? D_NAN : take_a ? a : b;
}

static inline uint64_t d_max(uint64_t a, uint64_t b)
{
    bool a_nan = d_is_nan(a), b_nan = d_is_nan(b), take_a = (d_order(a) > d_order(b) || b_nan) && !a_nan;
    return a_nan && b_nan ? D_NAN : take_a ? a : b;
}

static inline uint64_t d_from_i(uint64_t a)
{
    return h_double_bits((double)(int64_t)a);
}

static inline uint64_t d_from_u(uint64_t a)
{
    return h_double_bits((double)a);
}

/* Out-of-range numbers saturate, NaNs become the largest. */
static inline uint64_t d_to_i_rtz(uint64_t a)
{
    double x = h_double(a);
    if (x >= -0x1p63 && x < 0x1p63)
        return (uint64_t)(int64_t)x;
    return x < 0 ? (uint64_t)INT64_MIN : (uint64_t)INT64_MAX;
}

static inline uint64_t d_to_u_rtz(uint64_t a)
{
    double x = h_double(a);
    if (x > -1.0 && x < 0x1p64)
        return (uint64_t)(x < 0 ? 0 : x);
    return x < 0 ? 0 : UINT64_MAX;
}

#undef D_NAN
#endif
