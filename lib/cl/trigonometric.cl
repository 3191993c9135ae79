/* sin, cos, tan, sincos and the -pi forms.
 *
 * x = n pi/2 + r.  For the sine n is even, for the cosine odd, so that |r| <= pi/2 and one polynomial serves both; for
 * the tangent n is any integer.  r is a pair of floats: the result is accurate near the zeros too, for every x. */
#include "float.h"

OVL CONST float rint(float x);

enum parity { EVEN, ODD, ANY };

/* 2/pi, after 32 bits before the point: bits of weight 4 and more in its product with x do not matter. */
static __constant uint two_over_pi[8] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                  0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

INTERNAL uint word_at(uint index, uint shift)
{
    ulong both = (ulong)two_over_pi[index] << 32 | two_over_pi[index + 1];
    return (uint)(both >> (32 - shift));
}

/* Any |x| >= 1: the 24-bit mantissa times 96 bits of 2/pi, modulo 4 quarter turns, is a number of 2 + 62 bits. */
INTERNAL struct pair reduce_large(float a, enum parity parity, uint *n)
{
    uint bits = AS(uint, a), mantissa = (bits & 0x7fffff) | 0x800000, start = (bits >> 23) - 120;
    uint index = start >> 5, shift = start & 31;
    ulong low = (ulong)mantissa * word_at(index + 2, shift);
    ulong middle = (ulong)mantissa * word_at(index + 1, shift) + (low >> 32);
    uint high = mantissa * word_at(index, shift) + (uint)(middle >> 32);
    ulong turns = (ulong)high << 32 | (uint)middle;

    long rest;
    if (parity == ANY) {
        rest = (long)(turns << 2);
        *n = (high >> 30) + (uint)(rest < 0);
        rest >>= 2;
    } else {
        turns += parity == EVEN ? 1ul << 62 : 0;
        *n = (uint)(turns >> 63 << 1) + (parity == ODD);
        rest = (long)(turns & ~(1ul << 63)) - (1l << 62);
    }
    ulong size = (ulong)(rest < 0 ? -rest : rest);
    int zeros = __builtin_clzl(size | 1);
    size <<= zeros;
    float unit = AS(float, (uint)(127 - 22 - zeros) << 23); /* of the first 24 bits */
    unit = rest < 0 ? -unit : unit;
    float first = (float)(uint)(size >> 40) * unit, second = (float)(uint)(size >> 16 & 0xffffff) * (unit * 0x1p-24f);
    struct pair r = product(first, HALF_PI_HI);
    return sum(r.hi, r.lo + fma1(first, HALF_PI_LO, second * HALF_PI_HI));
}

/* |x| < 2^17: n has so few bits that x - n times the first part of pi/2 is exact. */
INTERNAL struct pair reduce_small(float x, enum parity parity, uint *n)
{
    float turns = parity == EVEN  ? 2.0f * nearest(x * INV_PI)
                  : parity == ODD ? 2.0f * nearest(fma1(x, INV_PI, -0.5f)) + 1.0f
                                  : nearest(x * (2.0f * INV_PI));
    float first = fma1(-turns, HALF_PI_HI, x);
    struct pair second = product(turns, HALF_PI_LO), r = any_sum(first, -second.hi);
    *n = (uint)(int)turns;
    return sum(r.hi, fma1(-turns, -0x1.ee59dap-50f, r.lo - second.lo));
}

INTERNAL struct pair reduce(float x, enum parity parity, uint *n)
{
    if (abs1(x) < 0x1p17f)
        return reduce_small(x, parity, n);
    if (!(abs1(x) < INFINITY)) {
        *n = 0;
        return (struct pair){NAN, 0.0f};
    }
    struct pair r = reduce_large(abs1(x), parity, n);
    if (x < 0.0f) {
        *n = 0 - *n;
        r.hi = -r.hi;
        r.lo = -r.lo;
    }
    return r;
}

/* |r| <= pi/2 plus a little */
INTERNAL float sin_pair(struct pair r)
{
    float z = r.hi * r.hi;
    float p = 0x1.5da864p-19f;
    p = fma1(p, z, -0x1.9f6f24p-13f);
    p = fma1(p, z, 0x1.110ed4p-7f);
    p = fma1(p, z, -0x1.55554cp-3f);
    return r.hi + fma1(r.hi * z, p, fma1(-0.5f * z, r.lo, r.lo)); /* roughly the cosine times r.lo */
}
/* |r| <= pi/4 */
INTERNAL float tan_pair(struct pair r)
{
    float z = r.hi * r.hi;
    float p = 0x1.1eb04ap-8f;
    p = fma1(p, z, 0x1.8f98f2p-14f);
    p = fma1(p, z, 0x1.62d9ccp-7f);
    p = fma1(p, z, 0x1.5cbf06p-6f);
    p = fma1(p, z, 0x1.bad9d6p-5f);
    p = fma1(p, z, 0x1.110d9ep-3f);
    p = fma1(p, z, 0x1.55556p-2f);
    return r.hi + fma1(r.hi * z, p, fma1(z, r.lo, r.lo));
}
/* -x if bit 1 of n is set. */
INTERNAL float turn(float x, uint n) { return AS(float, AS(uint, x) ^ (n << 30 & 0x80000000)); }

OVL float sin(float x)
{
    uint n;
    struct pair r = reduce(x, EVEN, &n);
    float s = turn(sin_pair(r), n);
    return abs1(x) < 0x1p-12f ? x : s;
}
OVL float cos(float x)
{
    uint n;
    struct pair r = reduce(x, ODD, &n);
    float c = turn(sin_pair(r), n + 2);
    return abs1(x) < 0x1p-12f ? 1.0f : c;
}
OVL float tan(float x)
{
    uint n;
    struct pair r = reduce(x, ANY, &n);
    float t = tan_pair(r);
    return abs1(x) < 0x1p-12f ? x : n & 1 ? -1.0f / t : t;
}
OVL float sincos(float x, __private float *cosine)
{
    *cosine = cos(x);
    return sin(x);
}

/* ---- of pi x: the reduction is exact ---- */

/* x in half turns: from 2^24 up they are even integers. */
INTERNAL float reduce_pi(float x, enum parity parity, uint *n, struct pair *r)
{
    float bounded = abs1(x) < 0x1p24f || !(abs1(x) < INFINITY) ? x : 0.0f;
    float turns = parity == EVEN  ? 2.0f * rint(bounded)
                  : parity == ODD ? 2.0f * rint(bounded - 0.5f) + 1.0f
                                  : rint(2.0f * bounded);
    float rest = fma1(-0.5f, turns, bounded);
    *n = abs1(x) < INFINITY ? (uint)(int)turns : 0;
    *r = product(rest, PI_HI);
    r->lo += rest * PI_LO;
    return rest;
}

OVL float sinpi(float x)
{
    uint n;
    struct pair r;
    float rest = reduce_pi(x, EVEN, &n, &r);
    return rest == 0.0f ? sign1(0.0f, x) : turn(sin_pair(r), n);
}
OVL float cospi(float x)
{
    uint n;
    struct pair r;
    float rest = reduce_pi(x, ODD, &n, &r);
    float c = turn(sin_pair(r), n + 2);
    float a = abs1(x);
    c = a < 0x1p-13f ? 1.0f : rest == 0.0f ? 0.0f : c;
    return a >= 0x1p23f && a < INFINITY ? (a < 0x1p24f && ((int)a & 1) ? -1.0f : 1.0f) : c;
}
OVL float tanpi(float x)
{
    uint n;
    struct pair r;
    float rest = reduce_pi(x, ANY, &n, &r);
    float t = tan_pair(r);
    if (rest == 0.0f)
        return n & 1 ? (n & 2 ? -INFINITY : INFINITY) : turn(sign1(0.0f, x), n);
    return n & 1 ? -1.0f / t : t;
}

SPLIT1(float, sin, float)
SPLIT1(float, cos, float)
SPLIT1(float, tan, float)
OUT1(sincos, float)
SPLIT1(float, sinpi, float)
SPLIT1(float, cospi, float)
SPLIT1(float, tanpi, float)
