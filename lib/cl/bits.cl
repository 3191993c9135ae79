/* Functions that take a float apart or assemble one, and the simplest arithmetic. */
#include "float.h"

#define EXPRESSIONS(n, ...)                                                                                            \
    OVL float##n fabs(float##n x) { return __builtin_elementwise_abs(x); }                                             \
    OVL float##n copysign(float##n x, float##n y) { return __builtin_elementwise_copysign(x, y); }                     \
    OVL float##n fma(float##n a, float##n b, float##n c) { return __builtin_elementwise_fma(a, b, c); }                \
    OVL float##n mad(float##n a, float##n b, float##n c) { return __builtin_elementwise_fma(a, b, c); }                \
    OVL float##n fdim(float##n x, float##n y) { return x <= y ? (float##n)0.0f : x - y; }                              \
    OVL float##n nan(uint##n code) { return AS(float##n, code | 0x7fc00000); }                                         \
    OVL float##n sqrt(float##n x) { return __builtin_elementwise_sqrt(x); }                                            \
    OVL float##n rsqrt(float##n x) { return 1.0f / __builtin_elementwise_sqrt(x); }
WIDTHS(EXPRESSIONS, )
OVL float fmin(float x, float y) { return __cy_fmin(x, y); }
OVL float fmax(float x, float y) { return __cy_fmax(x, y); }
SPLIT2(float, fmin, float, float)
SPLIT2(float, fmax, float, float)
#define WITH_SCALARS(n, ...)                                                                                           \
    OVL float##n fmax(float##n x, float y) { return fmax(x, (float##n)y); }                                            \
    OVL float##n fmin(float##n x, float y) { return fmin(x, (float##n)y); }                                            \
    OVL float##n ldexp(float##n x, int k) { return ldexp(x, (int##n)k); }

OVL float maxmag(float x, float y)
{
    float a = abs1(x), b = abs1(y);
    return a > b ? x : b > a ? y : fmax(x, y);
}
OVL float minmag(float x, float y)
{
    float a = abs1(x), b = abs1(y);
    return a < b ? x : b < a ? y : fmin(x, y);
}
SPLIT2(float, maxmag, float, float)
SPLIT2(float, minmag, float, float)

/* |x| = m 2^e with m in [1, 2): x finite, not 0.  Returns e. */
INTERNAL int exponent(float x, uint *mantissa)
{
    bool small = abs1(x) < 0x1p-126f;
    uint bits = AS(uint, small ? x * 0x1p23f : x) & 0x7fffffff;
    *mantissa = (bits & 0x7fffff) | 127u << 23;
    return (int)(bits >> 23) - 127 - (small ? 23 : 0);
}

OVL float frexp(float x, __private int *power)
{
    uint m;
    int e = exponent(x, &m);
    *power = is_ordinary(x) ? e + 1 : 0;
    return is_ordinary(x) ? sign1(AS(float, m - (1u << 23)), x) : x;
}
OUT1(frexp, int)

OVL int ilogb(float x)
{
    uint m;
    int e = exponent(x, &m);
    return is_ordinary(x) ? e : x == 0.0f ? FP_ILOGB0 : abs1(x) == INFINITY ? INT_MAX : FP_ILOGBNAN;
}
OVL float logb(float x)
{
    uint m;
    int e = exponent(x, &m);
    return is_ordinary(x) ? (float)e : x == 0.0f ? -INFINITY : x * x;
}
SPLIT1(int, ilogb, float)
SPLIT1(float, logb, float)

OVL float ldexp(float x, int k)
{
    uint m;
    int e = exponent(x, &m);
    k = k > 600 ? 600 : k < -600 ? -600 : k;
    e += k;
    e = e > 200 ? 200 : e < -200 ? -200 : e;
    return is_ordinary(x) ? sign1(scale(AS(float, m), e), x) : x;
}
SPLIT2(float, ldexp, float, int)
VECTORS(WITH_SCALARS, )

OVL float nextafter(float x, float y)
{
    uint bits = AS(uint, x);
    bits += (x < y) == ((int)bits >= 0) ? 1 : -1;
    float r = x == 0.0f ? sign1(0x1p-149f, y) : AS(float, bits);
    return is_nan(x) || is_nan(y) ? x + y : x == y ? y : r;
}
SPLIT2(float, nextafter, float, float)
