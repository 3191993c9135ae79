/* The floating-point functions of the EXPR rows: binary32 in, binary32 out, as bits.
 *
 * Round to nearest even, subnormal numbers kept, no flags.  A NaN result is always 0x7fc00000, so that hosts agree.
 * Every function is correctly rounded, fsin, fcos, flog, fexp and frsqrt included (float.c). */
#ifndef CY_EPIC_FLOAT_H
#define CY_EPIC_FLOAT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define F_NAN 0x7fc00000u
#define F_ONE 0x3f800000u

static inline float f_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline uint32_t f_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return value != value ? F_NAN : bits;
}

static inline uint32_t f_add(uint32_t x, uint32_t y)
{
    return f_bits(f_of(x) + f_of(y));
}

static inline uint32_t f_sub(uint32_t x, uint32_t y)
{
    return f_bits(f_of(x) - f_of(y));
}

static inline uint32_t f_mul(uint32_t x, uint32_t y)
{
    return f_bits(f_of(x) * f_of(y));
}

static inline uint32_t f_div(uint32_t x, uint32_t y)
{
    return f_bits(f_of(x) / f_of(y));
}

static inline uint32_t f_fma(uint32_t x, uint32_t y, uint32_t z)
{
    return f_bits(fmaf(f_of(x), f_of(y), f_of(z)));
}

static inline uint32_t f_sqrt(uint32_t x)
{
    return f_bits(sqrtf(f_of(x)));
}

static inline uint32_t f_lt(uint32_t x, uint32_t y)
{
    return f_of(x) < f_of(y);
}

static inline uint32_t f_eq(uint32_t x, uint32_t y)
{
    return f_of(x) == f_of(y);
}

/* If only one operand is a number, that number; -0 is below +0. */
static inline uint32_t f_min(uint32_t x, uint32_t y)
{
    float a = f_of(x), b = f_of(y);
    uint32_t smaller = a < b ? x : b < a ? y : x | y; /* equal: the same bits, or zeros of which one may be negative */
    return a != a ? f_bits(b) : b != b ? x : smaller;
}

static inline uint32_t f_max(uint32_t x, uint32_t y)
{
    float a = f_of(x), b = f_of(y);
    uint32_t larger = a > b ? x : b > a ? y : x & y;
    return a != a ? f_bits(b) : b != b ? x : larger;
}

static inline uint32_t f_from_i(uint32_t x)
{
    return f_bits((float)(int32_t)x);
}

/* To integers: out-of-range values give the nearest integer, a NaN the largest (as RISC-V). */
static inline uint32_t f_whole_to_i(float whole)
{
    if (!(whole < 2147483648.0f))
        return 0x7fffffffu;
    return whole < -2147483648.0f ? 0x80000000u : (uint32_t)(int32_t)whole;
}

static inline uint32_t f_to_i_rtz(uint32_t x)
{
    return f_whole_to_i(f_of(x)); /* the conversion itself truncates */
}

static inline uint32_t f_to_i_rne(uint32_t x)
{
    return f_whole_to_i(rintf(f_of(x)));
}

static inline uint32_t f_to_i_rup(uint32_t x)
{
    return f_whole_to_i(ceilf(f_of(x)));
}

uint32_t f_rsqrt(uint32_t x);
uint32_t f_sin(uint32_t x);
uint32_t f_cos(uint32_t x);
uint32_t f_log(uint32_t x);
uint32_t f_exp(uint32_t x);

#endif
