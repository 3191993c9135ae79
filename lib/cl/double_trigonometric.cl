/* sin, cos, tan, sincos and the -pi forms of doubles: x = n pi/2 + r with |r| <= pi/4, where r is a pair of doubles, so that
 * the result is accurate near the zeros too, for every x. */
#include "double.h"

OVL CONST double rint(double x);
OVL CONST ulong mul_hi(ulong x, ulong y);

/* 2/pi, after 64 bits before the point: bits of weight 4 and more in its product with x do not matter. */
static __constant uint two_over_pi[42] = {
    0, 0,
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

/* 64 of its bits */
INTERNAL ulong bits_at(uint bit)
{
    uint index = bit >> 5, shift = bit & 31;
    ulong upper = (ulong)two_over_pi[index] << 32 | two_over_pi[index + 1];
    ulong lower = (ulong)two_over_pi[index + 1] << 32 | two_over_pi[index + 2];
    return upper >> (32 - shift) << 32 | (uint)(lower >> (32 - shift));
}

/* Any |x| >= 2^30: the 53-bit mantissa times 192 bits of 2/pi, modulo 4 quarter turns, is a number of 2 + 190 bits. */
INTERNAL struct pair reduce_large(double a, uint *n)
{
    ulong bits = AS(ulong, a), m = (bits & 0xfffffffffffff) | 1ul << 52;
    uint first = (uint)(bits >> 52) - 1023 + 10;
    ulong low = bits_at(first + 128), middle = bits_at(first + 64), high = bits_at(first);
    ulong t0 = m * low, above = mul_hi(m, low), t1 = m * middle + above;
    ulong t2 = m * high + mul_hi(m, middle) + (t1 < above);
    ulong f2 = t2 << 2 | t1 >> 62, f1 = t1 << 2 | t0 >> 62, f0 = t0 << 2;
    bool negative = (long)f2 < 0;
    *n = (uint)(t2 >> 62) + negative;
    if (negative) {
        f0 = 0 - f0;
        f1 = ~f1 + (f0 == 0);
        f2 = ~f2 + (f0 == 0 && f1 == 0);
    }
    int zeros = 0;
    if (f2 == 0) {
        f2 = f1, f1 = f0, f0 = 0;
        zeros = 64;
    }
    uint shift = (uint)__builtin_clzl(f2 | 1);
    f2 = shift ? f2 << shift | f1 >> (64 - shift) : f2;
    f1 = shift ? f1 << shift | f0 >> (64 - shift) : f1;
    double unit = power_of_2(-53 - zeros - (int)shift);
    unit = negative ? -unit : unit;
    double whole = (double)(long)(f2 >> 11) * unit;
    double rest = (double)(long)((f2 & 0x7ff) << 42 | f1 >> 22) * (unit * 0x1p-53);
    struct pair r = product(whole, HALF_PI_HI);
    return sum(r.hi, r.lo + fma1(whole, HALF_PI_LO, rest * HALF_PI_HI));
}

/* |x| < 2^30: x minus n times the first part of pi/2 is exact. */
INTERNAL struct pair reduce_small(double x, uint *n)
{
    double turns = nearest(x * (2.0 * INV_PI_HI));
    double first = fma1(-turns, HALF_PI_HI, x);
    struct pair second = product(turns, HALF_PI_LO), r = any_sum(first, -second.hi);
    *n = (uint)(int)turns;
    return sum(r.hi, fma1(-turns, HALF_PI_END, r.lo - second.lo));
}

INTERNAL struct pair reduce(double x, uint *n)
{
    if (abs1(x) < 0x1p30)
        return reduce_small(x, n);
    if (!is_finite(x)) {
        *n = 0;
        return (struct pair){NAN, 0.0};
    }
    struct pair r = reduce_large(abs1(x), n);
    if (x < 0.0) {
        *n = 0 - *n;
        r.hi = -r.hi;
        r.lo = -r.lo;
    }
    return r;
}

/* |r| <= pi/4 plus a little */
INTERNAL double sin_pair(struct pair r)
{
    double z = r.hi * r.hi;
    double p = -0x1.ab167f4fb1867p-41;
    p = fma1(p, z, 0x1.61217cc913fp-33);
    p = fma1(p, z, -0x1.ae64540feaf6dp-26);
    p = fma1(p, z, 0x1.71de3a545ef0dp-19);
    p = fma1(p, z, -0x1.a01a01a01992ap-13);
    p = fma1(p, z, 0x1.111111111111p-7);
    p = fma1(p, z, -0x1.5555555555555p-3);
    return r.hi + fma1(r.hi * z, p, fma1(-0.5 * z, r.lo, r.lo)); /* roughly the cosine times r.lo */
}
INTERNAL double cos_pair(struct pair r)
{
    double z = r.hi * r.hi, half_z = 0.5 * z, w = 1.0 - half_z;
    double p = 0x1.ab772beb3cf95p-45;
    p = fma1(p, z, -0x1.9394b80a4b2f9p-37);
    p = fma1(p, z, 0x1.1eed8dea52c99p-29);
    p = fma1(p, z, -0x1.27e4fb77121b2p-22);
    p = fma1(p, z, 0x1.a01a01a019d04p-16);
    p = fma1(p, z, -0x1.6c16c16c16c16p-10);
    p = fma1(p, z, 0x1.5555555555555p-5);
    return w + (((1.0 - w) - half_z) + fma1(z * z, p, -r.hi * r.lo));
}
/* -x if bit 1 of n is set. */
INTERNAL double turn(double x, uint n) { return AS(double, AS(ulong, x) ^ ((ulong)(n & 2) << 62)); }

INTERNAL double sine(struct pair r, uint n) { return turn(n & 1 ? cos_pair(r) : sin_pair(r), n); }
INTERNAL double tangent(struct pair r, uint n)
{
    double s = sin_pair(r), c = cos_pair(r);
    return n & 1 ? -c / s : s / c;
}

OVL double sin(double x)
{
    uint n;
    struct pair r = reduce(x, &n);
    double s = sine(r, n);
    return abs1(x) < 0x1p-27 ? x : s;
}
OVL double cos(double x)
{
    uint n;
    struct pair r = reduce(x, &n);
    return sine(r, n + 1);
}
OVL double tan(double x)
{
    uint n;
    struct pair r = reduce(x, &n);
    double t = tangent(r, n);
    return abs1(x) < 0x1p-27 ? x : t;
}
OVL double sincos(double x, __private double *cosine)
{
    uint n;
    struct pair r = reduce(x, &n);
    double s = sine(r, n);
    *cosine = sine(r, n + 1);
    return abs1(x) < 0x1p-27 ? x : s;
}

/* ---- of pi x: the reduction is exact ---- */

/* x in half turns: from 2^53 up they are even integers. */
INTERNAL double reduce_pi(double x, uint *n, struct pair *r)
{
    double bounded = abs1(x) < 0x1p53 || !is_finite(x) ? x : 0.0;
    double turns = rint(2.0 * bounded), rest = fma1(-0.5, turns, bounded);
    *n = is_finite(x) ? (uint)(ulong)(long)turns : 0;
    *r = product(rest, PI_HI);
    r->lo = fma1(rest, PI_LO, r->lo);
    return rest;
}

OVL double sinpi(double x)
{
    uint n;
    struct pair r;
    double rest = reduce_pi(x, &n, &r);
    return rest == 0.0 && !(n & 1) ? sign1(0.0, x) : sine(r, n);
}
OVL double cospi(double x)
{
    uint n;
    struct pair r;
    double rest = reduce_pi(x, &n, &r);
    return rest == 0.0 && n & 1 ? 0.0 : sine(r, n + 1);
}
OVL double tanpi(double x)
{
    uint n;
    struct pair r;
    double rest = reduce_pi(x, &n, &r);
    if (rest == 0.0)
        return n & 1 ? (n & 2 ? -INFINITY : INFINITY) : turn(sign1(0.0, x), n);
    return tangent(r, n);
}

SPLIT1(double, sin, double)
SPLIT1(double, cos, double)
SPLIT1(double, tan, double)
OUT1_OF(double, sincos, double)
SPLIT1(double, sinpi, double)
SPLIT1(double, cospi, double)
SPLIT1(double, tanpi, double)
