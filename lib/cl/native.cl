/* native_ and half_ functions: short, without special care for huge operands.  half_ ones are within 8192 ulp where the
 * specification requires it; native_ ones replace the full functions under -cl-fast-relaxed-math. */
#include "float.h"

INTERNAL float sin_short(float r)
{
    float z = r * r;
    float p = 0x1.5da864p-19f;
    p = fma1(p, z, -0x1.9f6f24p-13f);
    p = fma1(p, z, 0x1.110ed4p-7f);
    p = fma1(p, z, -0x1.55554cp-3f);
    return fma1(r * z, p, r);
}
/* x minus n pi, `rest` the third part of pi or 0; negated if n is odd: its sine is that of x. */
INTERNAL float less_turns(float x, float n, float rest)
{
    float r = fma1(-n, PI_HI, x);
    r = fma1(-n, PI_LO, r);
    r = fma1(-n, rest, r);
    return r;
}
/* The sum in `nearest` before the subtraction: its last bit tells whether n is odd. */
INTERNAL float rounded(float x) { return x + 0x1.8p23f; }
INTERNAL float turned(float x, float n) { return AS(float, AS(uint, x) ^ AS(uint, n) << 31); }
INTERNAL float fast_sin(float x, float rest)
{
    float n = rounded(x * INV_PI);
    return turned(sin_short(less_turns(x, n - 0x1.8p23f, rest)), n);
}
/* cos x = sin(x + pi/2) = sin(x - (n - 1/2) pi) with the sign of n */
INTERNAL float fast_cos(float x, float rest)
{
    float n = rounded(fma1(x, INV_PI, 0.5f));
    return turned(sin_short(less_turns(x, n - 0x1.8p23f - 0.5f, rest)), n);
}
#define PI_REST -0x1.ee59dap-49f

OVL float native_sin(float x) { return fast_sin(x, 0.0f); }
OVL float native_cos(float x) { return fast_cos(x, 0.0f); }
OVL float native_tan(float x) { return fast_sin(x, 0.0f) / fast_cos(x, 0.0f); }
/* Beyond 2^16 any value that a sine can have is acceptable; infinity and NaN are kept. */
INTERNAL float near_zero(float x) { return abs1(x) > 65536.0f && abs1(x) < INFINITY ? 0.0f : x; }
OVL float half_sin(float x) { return x == 0.0f ? x : fast_sin(near_zero(x), PI_REST); } /* keeps the sign of zero */
OVL float half_cos(float x) { return fast_cos(near_zero(x), PI_REST); }
OVL float half_tan(float x) { return half_sin(x) / half_cos(x); }

/* log(m) for m in [sqrt(1/2), sqrt(2)) */
INTERNAL float log_short(float m)
{
    float f = m - 1.0f;
    float p = 0x1.645ecp-4f;
    p = fma1(p, f, -0x1.242d88p-3f);
    p = fma1(p, f, 0x1.3171b6p-3f);
    p = fma1(p, f, -0x1.5382c2p-3f);
    p = fma1(p, f, 0x1.98d83ep-3f);
    p = fma1(p, f, -0x1.00038p-2f);
    p = fma1(p, f, 0x1.5556d8p-2f);
    return fma1(f * f, fma1(p, f, -0.5f), f);
}
/* Zero, infinity, NaN and negative values: even native functions should not return ordinary numbers for these. */
INTERNAL float domain(float x, float r)
{
    return is_positive(x) ? r : x == 0.0f ? -INFINITY : x < 0.0f ? NAN : x;
}
INTERNAL float fast_log(float m, float n) { return fma1(n, LN2_HI, log_short(m)); }
INTERNAL float fast_log2(float m, float n) { return fma1(log_short(m), LOG2E_HI, n); }
INTERNAL float fast_log10(float m, float n) { return fma1(log_short(m), 0x1.bcb7b2p-2f, n * 0x1.344136p-2f); }
#define LOGARITHM(name)                                                                                                \
    OVL float half_##name(float x)                                                                                     \
    {                                                                                                                  \
        int n;                                                                                                         \
        float m = split(x, &n);                                                                                        \
        return domain(x, fast_##name(m, (float)n));                                                                    \
    }                                                                                                                  \
    OVL float native_##name(float x) { return half_##name(x); }
LOGARITHM(log)
LOGARITHM(log2)
LOGARITHM(log10)

OVL float native_exp(float x) { return __cy_fexp(x); }
OVL float native_exp2(float x) { return __cy_fexp(x * LN2_HI); }
OVL float native_exp10(float x) { return __cy_fexp(x * 0x1.26bb1cp+1f); }
OVL float native_powr(float x, float y) { return native_exp2(y * native_log2(x)); }
/* Not in the language: pow under relaxed math.  The sign is that of an odd power of a negative number. */
OVL float native_pow(float x, float y)
{
    float r = native_exp2(y * native_log2(abs1(x)));
    bool whole = abs1(y) >= 0x1p+23f || (float)(int)y == y;
    bool odd = AS(uint, x) >> 31 && whole && abs1(y) < 0x1p+24f && ((int)y & 1);
    return y == 0.0f ? 1.0f : x < 0.0f && !whole ? NAN : odd ? -r : r;
}
OVL float native_sqrt(float x) { return sqrt1(x); }
OVL float native_rsqrt(float x) { return 1.0f / sqrt1(x); }
OVL float native_recip(float x) { return 1.0f / x; }
OVL float native_divide(float x, float y) { return x / y; }

OVL float half_exp(float x) { return __cy_fexp(x); }
OVL float half_exp2(float x) { return __cy_fexp(x * LN2_HI); }
OVL float half_exp10(float x) { return __cy_fexp(x * 0x1.26bb1cp+1f); }
OVL float half_powr(float x, float y)
{
    float r = half_exp2(y * half_log2(x));
    return x == 1.0f && abs1(y) < INFINITY ? 1.0f : r;
}
OVL float half_sqrt(float x) { return sqrt1(x); }
OVL float half_rsqrt(float x) { return 1.0f / sqrt1(x); }
OVL float half_recip(float x) { return 1.0f / x; }
OVL float half_divide(float x, float y) { return x / y; }

#define BOTH1(f) SPLIT1(float, native_##f, float) SPLIT1(float, half_##f, float)
#define BOTH2(f) SPLIT2(float, native_##f, float, float) SPLIT2(float, half_##f, float, float)
BOTH1(sin)
BOTH1(cos)
BOTH1(tan)
BOTH1(log)
BOTH1(log2)
BOTH1(log10)
BOTH1(exp)
BOTH1(exp2)
BOTH1(exp10)
BOTH1(sqrt)
BOTH1(rsqrt)
BOTH1(recip)
BOTH2(powr)
SPLIT2(float, native_pow, float, float)
BOTH2(divide)
