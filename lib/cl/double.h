/* Shared by the functions of doubles. */
#ifndef CY_DOUBLE_H
#define CY_DOUBLE_H

#include "builtins.h"

#define fma1  __builtin_fma
#define abs1  __builtin_fabs
#define sign1 __builtin_copysign
#define sqrt1 __builtin_elementwise_sqrt

#define HIGH(x)          ((uint)(AS(ulong, x) >> 32))
#define WORDS(high, low) AS(double, (ulong)(high) << 32 | (uint)(low))

INTERNAL bool is_nan(double x) { return x != x; }
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

#endif
