/* pow, pown, powr, rootn, cbrt, hypot. */
#include "float.h"

/* a^(y + y_rest) for a >= 0: 2^(y log2 a).  Zero and infinity come out right through the logarithm's infinities, except
 * for 0 times infinity: a = 1 or y = 0, which the callers handle. */
INTERNAL float power(float a, float y, float y_rest)
{
    bool ordinary = is_positive(a);
    struct pair l = log2_pair(ordinary ? a : 1.0f);
    l.hi = ordinary ? l.hi : a == 0.0f ? -INFINITY : INFINITY;
    struct pair e = product(y, l.hi);
    float rest = e.lo + fma1(y, l.lo, y_rest * l.hi);
    return exp2_pair(e.hi, rest, 1.0f);
}

INTERNAL float flip_if(bool negative, float x) { return AS(float, AS(uint, x) ^ (uint)negative << 31); }
INTERNAL bool is_negative(float x) { return AS(int, x) < 0; }

OVL float pow(float x, float y)
{
    float a = abs1(x), b = abs1(y);
    bool integer = b >= 0x1p23f || (float)(int)b == b;
    bool odd = b < 0x1p24f && integer && ((int)b & 1);
    float r = a == 1.0f ? 1.0f : power(a, y, 0.0f);
    r = flip_if(is_negative(x) && odd, r);
    r = is_positive(-x) && !integer ? NAN : r;
    r = is_nan(x) || is_nan(y) ? NAN : r;
    return y == 0.0f || x == 1.0f ? 1.0f : r;
}

OVL float powr(float x, float y)
{
    float r = x == 1.0f ? 1.0f : power(abs1(x), y, 0.0f);
    bool undefined = x < 0.0f || is_nan(x) || is_nan(y) || (y == 0.0f && !is_ordinary(x)) ||
                     (x == 1.0f && abs1(y) == INFINITY);
    return undefined ? NAN : y == 0.0f ? 1.0f : r;
}

OVL float pown(float x, int n)
{
    float a = abs1(x), high = (float)(n & ~0xff), low = (float)(n & 0xff);
    struct pair y = sum(high, low); /* |high| >= 256 > low, or 0 */
    float r = a == 1.0f ? 1.0f : power(a, y.hi, y.lo);
    r = flip_if(is_negative(x) && (n & 1), r);
    return n == 0 ? 1.0f : is_nan(x) ? x : r;
}

OVL float rootn(float x, int n)
{
    float a = abs1(x), high = (float)(n & ~0xff), low = (float)(n & 0xff);
    struct pair d = sum(high, low);
    float y = 1.0f / d.hi, y_rest = fma1(-y, d.lo, fma1(-y, d.hi, 1.0f)) * y;
    float r = a == 1.0f ? 1.0f : power(a, y, y_rest);
    r = flip_if(is_negative(x) && (n & 1), r);
    return n == 0 || (x < 0.0f && !(n & 1)) || is_nan(x) ? NAN : r;
}

/* |x| = m 2^(3k), m in [1, 8): a cubic estimate, one Halley and one Newton step, the latter with the exact residual. */
OVL float cbrt(float x)
{
    float a = abs1(x);
    bool small = a < 0x1p-126f;
    int bits = AS(int, small ? a * 0x1p24f : a);
    int e = (bits >> 23) - 127, k = (e + 150) / 3 - 50;
    float m = AS(float, bits - (3 * k << 23));
    float y = 0x1.2e39fap-9f;
    y = fma1(y, m, -0x1.61f772p-5f);
    y = fma1(y, m, 0x1.74df82p-2f);
    y = fma1(y, m, 0x1.5d39p-1f);
    float cube = y * y * y;
    y = y * (cube + 2.0f * m) / (2.0f * cube + m);
    struct pair square = product(y, y);
    float residue = fma1(y, square.lo, fma1(y, square.hi, -m));
    y -= residue / (3.0f * square.hi);
    float r = y * power_of_2(k - (small ? 8 : 0));
    return is_ordinary(x) ? sign1(r, x) : x;
}

OVL float hypot(float x, float y)
{
    float a = abs1(x), b = abs1(y), large = __cy_fmax(a, b), less = __cy_fmin(a, b);
    int e = AS(int, large) >> 23;
    e = e < 1 ? 1 : e > 252 ? 252 : e;
    float down = AS(float, (254 - e) << 23), up = AS(float, e << 23);
    large *= down;
    less *= down;
    float r = sqrt1(fma1(large, large, less * less)) * up;
    return a == INFINITY || b == INFINITY ? INFINITY : is_nan(x) || is_nan(y) ? NAN : r;
}

SPLIT2(float, pow, float, float)
SPLIT2(float, powr, float, float)
SPLIT2(float, pown, float, int)
SPLIT2(float, rootn, float, int)
SPLIT1(float, cbrt, float)
SPLIT2(float, hypot, float, float)
