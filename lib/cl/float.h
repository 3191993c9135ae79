/* Shared by several math functions. */
#ifndef CY_FLOAT_H
#define CY_FLOAT_H

#include "builtins.h"

/* Constants as the sum of two floats, the first being the nearest one: 48 bits. */
#define PI_HI      0x1.921fb6p+1f
#define PI_LO      -0x1.777a5cp-24f
#define HALF_PI_HI 0x1.921fb6p+0f
#define HALF_PI_LO -0x1.777a5cp-25f
#define INV_PI     0x1.45f306p-2f
#define LN2_HI     0x1.62e43p-1f
#define LN2_LO     -0x1.05c61p-29f
#define LOG2E_HI   0x1.715476p+0f
#define LOG2E_LO   0x1.4ae0cp-26f
/* The same with a first part of 14 bits: its product with an exponent is exact. */
#define LN2_SHORT    0x1.62e8p-1f
#define LN2_REST     -0x1.e8082ep-16f
#define LOG10_2_SHORT 0x1.344p-2f
#define LOG10_2_REST  0x1.3509f8p-18f

#define fma1 __builtin_fmaf
#define abs1 __builtin_fabsf
#define sign1 __builtin_copysignf
#define sqrt1 __builtin_elementwise_sqrt
#define min1  __cy_fmin
#define max1  __cy_fmax

INTERNAL bool is_nan(float x) { return x != x; }
/* x > 0 and finite: one subtraction, one comparison of the bits */
INTERNAL bool is_positive(float x) { return AS(uint, x) - 1u < 0x7f7fffffu; }
/* not 0 and finite */
INTERNAL bool is_ordinary(float x) { return is_positive(abs1(x)); }

/* To the nearest integer, ties to even, for |x| < 2^22. */
INTERNAL float nearest(float x) { return (x + 0x1.8p23f) - 0x1.8p23f; }

/* 2^n for -126 <= n <= 127 */
INTERNAL float power_of_2(int n) { return AS(float, ((uint)n + 127u) << 23); }

/* x * 2^n, rounded once, for x of moderate size and |n| <= 250. */
INTERNAL float scale(float x, int n)
{
    int part = n >> 1;
    return x * power_of_2(part) * power_of_2(n - part);
}

/* hi + lo, where hi is the nearest float: sums and products without rounding error. */
struct pair {
    float hi, lo;
};
INTERNAL struct pair product(float a, float b)
{
    float p = a * b;
    return (struct pair){p, fma1(a, b, -p)};
}
/* |a| >= |b|, or a = 0 */
INTERNAL struct pair sum(float a, float b)
{
    float s = a + b;
    return (struct pair){s, b - (s - a)};
}
INTERNAL struct pair any_sum(float a, float b)
{
    float s = a + b, of_b = s - a;
    return (struct pair){s, (a - (s - of_b)) + (b - of_b)};
}

/* x = m 2^k with m in [sqrt(1/2), sqrt(2)); x > 0 and finite. */
INTERNAL float split(float x, int *k)
{
    bool small = x < 0x1p-126f;
    x = small ? x * 0x1p23f : x;
    int above = (int)(AS(uint, x) - 0x3f3504f3u);
    *k = (above >> 23) - (small ? 23 : 0);
    return AS(float, (above & 0x7fffff) + 0x3f3504f3);
}

/* log(1 + f) = f + log_rest(f), 1 + f in [sqrt(1/2), sqrt(2)] */
INTERNAL float log_rest(float f)
{
    float p = -0x1.38cd68p-4f;
    p = fma1(p, f, 0x1.055f1ep-3f);
    p = fma1(p, f, -0x1.0d81cep-3f);
    p = fma1(p, f, 0x1.22d90cp-3f);
    p = fma1(p, f, -0x1.54728ep-3f);
    p = fma1(p, f, 0x1.99a01ep-3f);
    p = fma1(p, f, -0x1.000226p-2f);
    p = fma1(p, f, 0x1.555554p-2f);
    return f * f * fma1(p, f, -0.5f);
}

/* log2(x) to about 32 bits, x > 0 and finite: 2 atanh(u), u = f / (2 + f), of which the first term counts double. */
INTERNAL struct pair log2_pair(float x)
{
    int k;
    float f = split(x, &k) - 1.0f;
    struct pair d = sum(2.0f, f);
    float u = f / d.hi, u_rest = (fma1(-u, d.hi, f) - u * d.lo) / d.hi, z = u * u;
    float p = 0x1.23fda8p-1f;
    p = fma1(p, z, 0x1.8f15eep-3f);
    p = fma1(p, z, 0x1.2542b4p-2f);
    p = fma1(p, z, 0x1.9997e2p-2f);
    p = fma1(p, z, 0x1.555556p-1f);
    struct pair ln = sum(2.0f * u, fma1(u * z, p, 2.0f * u_rest));
    struct pair log2 = product(ln.hi, LOG2E_HI);
    log2.lo += fma1(ln.hi, LOG2E_LO, ln.lo * LOG2E_HI);
    struct pair r = sum((float)k, log2.hi);
    return sum(r.hi, r.lo + log2.lo);
}

/* 2^(hi + lo) for |lo| < 2; overflows and underflows as it should. */
INTERNAL float exp2_pair(float hi, float lo, float factor)
{
    float n = nearest(hi > 300.0f ? 300.0f : hi < -300.0f ? -300.0f : hi);
    float r = hi - n;
    r = abs1(hi) > 300.0f ? 0.0f : r + lo;
    n = n > 240.0f ? 240.0f : n < -240.0f ? -240.0f : n;
    return scale(factor * __cy_fexp(r * LN2_HI), (int)n);
}

/* e^x - 1 for |x| <= 88 */
INTERNAL float expm1_bounded(float x)
{
    float n = nearest(x * LOG2E_HI);
    float r = fma1(-n, LN2_SHORT, x);
    r = fma1(-n, LN2_REST, r);
    float p = 0x1.9e7c8cp-13f;
    p = fma1(p, r, 0x1.6d3a52p-10f);
    p = fma1(p, r, 0x1.1112d4p-7f);
    p = fma1(p, r, 0x1.5554f8p-5f);
    p = fma1(p, r, 0x1.555554p-3f);
    float small = fma1(r * r, fma1(p, r, 0.5f), r);
    float power = power_of_2((int)n);
    return fma1(power, small, power - 1.0f);
}

#endif
