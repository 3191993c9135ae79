/* Shared by the functions of doubles. */
#ifndef CY_DOUBLE_H
#define CY_DOUBLE_H

#include "builtins.h"

#define fma1  __builtin_fma
#define abs1  __builtin_fabs
#define sign1 __builtin_copysign
#define sqrt1 __builtin_elementwise_sqrt
#define min1  __cy_dmin
#define max1  __cy_dmax

#define HIGH(x)          ((uint)(AS(ulong, x) >> 32))
#define WORDS(high, low) AS(double, (ulong)(high) << 32 | (uint)(low))

INTERNAL bool is_nan(double x) { return x != x; }
/* not 0 and finite */
INTERNAL bool is_ordinary(double x) { return (AS(ulong, x) & LONG_MAX) - 1 < 0x7fefffffffffffff; }
INTERNAL bool is_finite(double x) { return (HIGH(x) & 0x7fffffff) < 0x7ff00000; }

/* To the nearest integer, ties to even, for |x| < 2^51. */
INTERNAL double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

/* 2^n for -1022 <= n <= 1023 */
INTERNAL double power_of_2(int n) { return WORDS((uint)(n + 1023) << 20, 0); }

/* x * 2^n, rounded once, for x of moderate size and |n| <= 2044. */
INTERNAL double scale(double x, int n)
{
    int part = n >> 1;
    return x * power_of_2(part) * power_of_2(n - part);
}

/* hi + lo, where hi is the nearest double: sums and products without rounding error. */
struct pair {
    double hi, lo;
};
INTERNAL struct pair product(double a, double b)
{
    double p = a * b;
    return (struct pair){p, fma1(a, b, -p)};
}
/* |a| >= |b|, or a = 0 */
INTERNAL struct pair sum(double a, double b)
{
    double s = a + b;
    return (struct pair){s, b - (s - a)};
}
INTERNAL struct pair any_sum(double a, double b)
{
    double s = a + b, of_b = s - a;
    return (struct pair){s, (a - (s - of_b)) + (b - of_b)};
}
INTERNAL struct pair pair_add(struct pair a, struct pair b)
{
    struct pair s = any_sum(a.hi, b.hi);
    return sum(s.hi, s.lo + (a.lo + b.lo));
}
INTERNAL struct pair pair_mul(struct pair a, struct pair b)
{
    struct pair p = product(a.hi, b.hi);
    return sum(p.hi, fma1(a.hi, b.lo, fma1(a.lo, b.hi, p.lo)));
}
/* a / b */
INTERNAL struct pair pair_div(struct pair a, struct pair b)
{
    double q = a.hi / b.hi;
    double r = fma1(-q, b.hi, a.hi) + fma1(-q, b.lo, a.lo);
    return sum(q, r / b.hi);
}

/* ---- constants, as the sum of two or three doubles ---- */

#define LN2_HI     0x1.62e42fefa39efp-1
#define LN2_LO     0x1.abc9e3b39803fp-56
#define LOG2E_HI   0x1.71547652b82fep+0
#define LOG2E_LO   0x1.777d0ffda0d24p-56
#define HALF_PI_HI 0x1.921fb54442d18p+0
#define HALF_PI_LO 0x1.1a62633145c07p-54
#define HALF_PI_END -0x1.f1976b7ed8fbcp-110
#define PI_HI      0x1.921fb54442d18p+1
#define PI_LO      0x1.1a62633145c07p-53
#define INV_PI_HI  0x1.45f306dc9c883p-2
#define INV_PI_LO  -0x1.6b01ec5417056p-56
/* With a first part of 38 bits: its product with an exponent is exact. */
#define LN2_SHORT     0x1.62e42fefap-1
#define LN2_REST      0x1.cf79abc9e3b3ap-40
#define LOG10_2_SHORT 0x1.34413509f8p-2
#define LOG10_2_REST  -0x1.80433b83b532ap-44

/* ---- exponentials ---- */

/* (e^r - 1 - r) / r^2 for |r| <= 0.347 */
INTERNAL double exp_rest(double r)
{
    double p = 0x1.61c0041f196cep-33;
    p = fma1(p, r, 0x1.1f7f7bd858cc6p-29);
    p = fma1(p, r, 0x1.ae642c522f57ep-26);
    p = fma1(p, r, 0x1.27e4d3ebbbbb4p-22);
    p = fma1(p, r, 0x1.71de3a5ab0d8p-19);
    p = fma1(p, r, 0x1.a01a01a9faa85p-16);
    p = fma1(p, r, 0x1.a01a01a019696p-13);
    p = fma1(p, r, 0x1.6c16c16c15a3fp-10);
    p = fma1(p, r, 0x1.1111111111111p-7);
    p = fma1(p, r, 0x1.5555555555557p-5);
    p = fma1(p, r, 0x1.5555555555555p-3);
    p = fma1(p, r, 0x1p-1);
    return p;
}

/* factor * e^(hi + lo) for |lo| much less than 1; overflows and underflows as it should. */
INTERNAL double exp_pair(double hi, double lo, double factor)
{
    bool inside = abs1(hi) < 800.0;
    double x = inside || is_nan(hi) ? hi : sign1(800.0, hi);
    double n = nearest(x * LOG2E_HI);
    struct pair r = any_sum(fma1(-n, LN2_SHORT, x), fma1(-n, LN2_REST, inside ? lo : 0.0));
    double e = 1.0 + (r.hi + fma1(r.hi * r.hi, exp_rest(r.hi), fma1(r.hi, r.lo, r.lo)));
    return scale(factor * e, is_nan(n) ? 0 : (int)n);
}

/* e^x - 1 for |x| <= 709 */
INTERNAL double expm1_bounded(double x)
{
    double n = nearest(x * LOG2E_HI);
    struct pair r = any_sum(fma1(-n, LN2_SHORT, x), -n * LN2_REST);
    double power = power_of_2((int)n);
    double small = r.hi + fma1(r.hi * r.hi, exp_rest(r.hi), fma1(r.hi, r.lo, r.lo));
    return fma1(power, small, power - 1.0);
}

/* ---- logarithms ---- */

/* x = m 2^k with m in [sqrt(1/2), sqrt(2)); x > 0 and finite. */
INTERNAL double split(double x, int *k)
{
    bool small = x < 0x1p-1022;
    ulong bits = AS(ulong, small ? x * 0x1p54 : x) - 0x3fe6a09e667f3bcd;
    *k = (int)((long)bits >> 52) - (small ? 54 : 0);
    return AS(double, (bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd);
}

/* log(1 + f) to about 66 bits: 2 atanh(u), u = f / (2 + f), of which the first two terms are pairs. */
INTERNAL struct pair log1p_pair(struct pair f)
{
    struct pair d = sum(2.0, f.hi);
    d.lo += f.lo;
    struct pair u = pair_div(f, d), square = product(u.hi, u.hi);
    double z = square.hi;
    square.lo = fma1(2.0 * u.hi, u.lo, square.lo);
    double p = 0x1.e03154927f8a6p-4;
    p = fma1(p, z, 0x1.df7c8211b283cp-4);
    p = fma1(p, z, 0x1.1118c93749c38p-3);
    p = fma1(p, z, 0x1.3b1395cbdf152p-3);
    p = fma1(p, z, 0x1.745d177aa4f0ep-3);
    p = fma1(p, z, 0x1.c71c71c6ea903p-3);
    p = fma1(p, z, 0x1.2492492492522p-2);
    p = fma1(p, z, 0x1.999999999999ap-2);
    struct pair cube = pair_mul(pair_mul(square, u), (struct pair){0x1.5555555555555p-1, 0x1.5555555555555p-55});
    struct pair r = sum(2.0 * u.hi, cube.hi);
    return sum(r.hi, r.lo + (2.0 * u.lo + (cube.lo + u.hi * (z * z) * p)));
}

/* log(x), x > 0 and finite */
INTERNAL struct pair log_pair(double x)
{
    int k;
    double m = split(x, &k), n = (double)k;
    struct pair l = log1p_pair((struct pair){m - 1.0, 0.0}), r = sum(n * LN2_SHORT, l.hi);
    r = n == 0.0 ? (struct pair){l.hi, 0.0} : r;
    return sum(r.hi, r.lo + fma1(n, LN2_REST, l.lo));
}

#endif
