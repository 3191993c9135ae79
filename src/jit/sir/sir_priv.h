/* The functions that the last column of ops.def names: what one lane computes, with the guest's bits.  Arguments are zero-extended from
 * `bits`, or sign-extended where they are int64_t; of a result the lowest bits count.  There is floating point of 16, 32 and 64 bits. */
#ifndef CY_JIT_SIR_SIR_PRIV_H
#define CY_JIT_SIR_SIR_PRIV_H

#include "gpu/fp/fp.h"

#include <assert.h>

/* ---- integers ---- */

__extension__ typedef unsigned __int128 sir_u128;
__extension__ typedef __int128 sir_i128;

static inline uint64_t sir_mulhu(uint64_t a, uint64_t b, unsigned bits)
{
    return (uint64_t)((sir_u128)a * b >> bits);
}

static inline uint64_t sir_mulhs(int64_t a, int64_t b, unsigned bits)
{
    return (uint64_t)((sir_i128)a * b >> bits);
}

static inline uint64_t sir_mulhsu(int64_t a, uint64_t b, unsigned bits)
{
    return (uint64_t)((sir_i128)a * (sir_i128)b >> bits);
}

/* The lowest number by -1 does not fit: the quotient wraps around, the remainder is 0.  Negation wraps in fewer bits, too. */
static inline uint64_t sir_divs(int64_t a, int64_t b, unsigned bits)
{
    (void)bits;
    return b == 0 ? UINT64_MAX : b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b);
}

static inline uint64_t sir_rems(int64_t a, int64_t b, unsigned bits)
{
    (void)bits;
    return b == 0 ? (uint64_t)a : b == -1 ? 0 : (uint64_t)(a % b);
}

/* ---- floating point ---- */

/* Chooses the function of the format; `fp` rounds to nearest even, and its flags are dropped. */
#define SIR_FORMATS(bits, call)                                                                                        \
    struct cy_fp fp = {.rm = CY_FP_RNE};                                                                               \
    switch (bits) {                                                                                                    \
    case 16: return (uint64_t)call(f16, uint16_t);                                                                     \
    case 32: return (uint64_t)call(f32, uint32_t);                                                                     \
    case 64: return (uint64_t)call(f64, uint64_t);                                                                     \
    default: assert(!"a floating-point number has 16, 32 or 64 bits"); return 0;                                       \
    }
#define SIR_FLOAT1(op)                                                                                                 \
    static inline uint64_t sir_f##op(uint64_t a, unsigned bits)                                                        \
    {                                                                                                                  \
        SIR_FORMATS(bits, SIR_FLOAT1_##op)                                                                             \
    }
#define SIR_FLOAT2(op)                                                                                                 \
    static inline uint64_t sir_f##op(uint64_t a, uint64_t b, unsigned bits)                                            \
    {                                                                                                                  \
        SIR_FORMATS(bits, SIR_FLOAT2_##op)                                                                             \
    }
#define SIR_FLOAT1_sqrt(f, word) cy_##f##_sqrt(&fp, (word)a)
#define SIR_FLOAT1_exp(f, word) cy_##f##_exp(&fp, (word)a)
#define SIR_FLOAT2_add(f, word) cy_##f##_add(&fp, (word)a, (word)b)
#define SIR_FLOAT2_sub(f, word) cy_##f##_sub(&fp, (word)a, (word)b)
#define SIR_FLOAT2_mul(f, word) cy_##f##_mul(&fp, (word)a, (word)b)
#define SIR_FLOAT2_div(f, word) cy_##f##_div(&fp, (word)a, (word)b)
#define SIR_FLOAT2_min(f, word) cy_##f##_min(&fp, (word)a, (word)b)
#define SIR_FLOAT2_max(f, word) cy_##f##_max(&fp, (word)a, (word)b)
#define SIR_FLOAT2_eq(f, word) cy_##f##_eq(&fp, (word)a, (word)b)
#define SIR_FLOAT2_lt(f, word) cy_##f##_lt(&fp, (word)a, (word)b)
#define SIR_FLOAT2_le(f, word) cy_##f##_le(&fp, (word)a, (word)b)
SIR_FLOAT1(sqrt)
SIR_FLOAT1(exp)
SIR_FLOAT2(add)
SIR_FLOAT2(sub)
SIR_FLOAT2(mul)
SIR_FLOAT2(div)
SIR_FLOAT2(min)
SIR_FLOAT2(max)
SIR_FLOAT2(eq)
SIR_FLOAT2(lt)
SIR_FLOAT2(le)
#undef SIR_FLOAT1
#undef SIR_FLOAT2

static inline uint64_t sir_fma(uint64_t a, uint64_t b, uint64_t c, unsigned bits)
{
#define SIR_FMA(f, word) cy_##f##_fma(&fp, (word)a, (word)b, (word)c)
    SIR_FORMATS(bits, SIR_FMA)
#undef SIR_FMA
}

static inline uint64_t sir_ftos(uint64_t a, unsigned bits, bool is_towards_zero)
{
#define SIR_FTOS(f, word) (is_towards_zero ? cy_##f##_to_i_rtz(&fp, (word)a, bits) : cy_##f##_to_i(&fp, (word)a, bits))
    SIR_FORMATS(bits, SIR_FTOS)
#undef SIR_FTOS
}

static inline uint64_t sir_ftou(uint64_t a, unsigned bits, bool is_towards_zero)
{
#define SIR_FTOU(f, word) (is_towards_zero ? cy_##f##_to_u_rtz(&fp, (word)a, bits) : cy_##f##_to_u(&fp, (word)a, bits))
    SIR_FORMATS(bits, SIR_FTOU)
#undef SIR_FTOU
}

static inline uint64_t sir_stof(int64_t a, unsigned bits)
{
#define SIR_STOF(f, word) cy_##f##_from_i(&fp, a)
    SIR_FORMATS(bits, SIR_STOF)
#undef SIR_STOF
}

static inline uint64_t sir_utof(uint64_t a, unsigned bits)
{
#define SIR_UTOF(f, word) cy_##f##_from_u(&fp, a)
    SIR_FORMATS(bits, SIR_UTOF)
#undef SIR_UTOF
}

static inline uint64_t sir_fconvert(uint64_t a, unsigned from, unsigned to)
{
    struct cy_fp fp = {.rm = CY_FP_RNE};
    switch (from * 100 + to) {
    case 1632: return cy_f16_to_f32(&fp, (uint16_t)a);
    case 1664: return cy_f16_to_f64(&fp, (uint16_t)a);
    case 3264: return cy_f32_to_f64(&fp, (uint32_t)a);
    case 3216: return cy_f32_to_f16(&fp, (uint32_t)a);
    case 6416: return cy_f64_to_f16(&fp, a);
    case 6432: return cy_f64_to_f32(&fp, a);
    default: assert(!"there is no conversion between these formats"); return 0;
    }
}

static inline uint64_t sir_htof(uint64_t half)
{
    const bool is_nan = (half & 0x7fff) > 0x7c00;
    return is_nan ? (half & 0x8000) << 16 | 0x7fc00000 | (half & 0x3ff) << 13 : sir_fconvert(half, 16, 32);
}

static inline uint64_t sir_ftoh(uint64_t word)
{
    const bool is_nan = (word & 0x7fffffff) > 0x7f800000;
    return is_nan ? (word >> 16 & 0x8000) | 0x7e00 | (word >> 13 & 0x3ff) : sir_fconvert(word, 32, 16);
}

#endif
