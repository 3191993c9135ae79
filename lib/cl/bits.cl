/* Functions that take a number apart or assemble one, and the simplest arithmetic. */
#include "real.h"

#define EXPRESSIONS(n, ...)                                                                                            \
    OVL REALS(n) fabs(REALS(n) x) { return __builtin_elementwise_abs(x); }                                             \
    OVL REALS(n) copysign(REALS(n) x, REALS(n) y) { return __builtin_elementwise_copysign(x, y); }                     \
    OVL REALS(n) fma(REALS(n) a, REALS(n) b, REALS(n) c) { return __builtin_elementwise_fma(a, b, c); }                \
    OVL REALS(n) mad(REALS(n) a, REALS(n) b, REALS(n) c) { return __builtin_elementwise_fma(a, b, c); }                \
    OVL REALS(n) fdim(REALS(n) x, REALS(n) y) { return x <= y ? (REALS(n))0.0f : x - y; }                              \
    OVL REALS(n) sqrt(REALS(n) x) { return __builtin_elementwise_sqrt(x); }                                            \
    OVL REALS(n) rsqrt(REALS(n) x) { return 1.0f / __builtin_elementwise_sqrt(x); }
WIDTHS(EXPRESSIONS, )
#if CY_IS_FLOAT /* all three here: their operands do not tell for which type they are (src/cc/llvm/library.c) */
#define NAN_N(n, T, U, quiet) OVL T##n nan(U##n code) { return AS(T##n, (U##n)(code | (U)quiet)); }
WIDTHS(NAN_N, float, uint, 0x7fc00000)
WIDTHS(NAN_N, double, ulong, 0x7ff8000000000000)
WIDTHS(NAN_N, half, ushort, 0x7e00)
#endif
OVL REAL fmin(REAL x, REAL y) { return min1(x, y); }
OVL REAL fmax(REAL x, REAL y) { return max1(x, y); }
SPLIT2(REAL, fmin, REAL, REAL)
SPLIT2(REAL, fmax, REAL, REAL)
#define WITH_SCALARS(n, ...)                                                                                           \
    OVL REALS(n) fmax(REALS(n) x, REAL y) { return fmax(x, (REALS(n))y); }                                            \
    OVL REALS(n) fmin(REALS(n) x, REAL y) { return fmin(x, (REALS(n))y); }                                            \
    OVL REALS(n) ldexp(REALS(n) x, int k) { return ldexp(x, (CAT(int, n))k); }

OVL REAL maxmag(REAL x, REAL y)
{
    REAL a = abs1(x), b = abs1(y);
    return a > b ? x : b > a ? y : fmax(x, y);
}
OVL REAL minmag(REAL x, REAL y)
{
    REAL a = abs1(x), b = abs1(y);
    return a < b ? x : b < a ? y : fmin(x, y);
}
SPLIT2(REAL, maxmag, REAL, REAL)
SPLIT2(REAL, minmag, REAL, REAL)

/* |x| = m 2^e with m in [1, 2): x finite, not 0.  Returns e. */
INTERNAL int exponent(REAL x, UINT *mantissa)
{
    bool small = abs1(x) < AS(REAL, (INT)1 << FRACTION);
    UINT bits = AS(UINT, abs1(small ? x * (REAL)((INT)1 << FRACTION) : x)), one = (UINT)1 << FRACTION;
    *mantissa = (bits & (one - 1)) | (UINT)BIAS << FRACTION;
    return (int)(bits >> FRACTION) - BIAS - (small ? FRACTION : 0);
}

OVL REAL frexp(REAL x, __private int *power)
{
    UINT m;
    int e = exponent(x, &m);
    *power = is_ordinary(x) ? e + 1 : 0;
    return is_ordinary(x) ? sign1(AS(REAL, m - ((UINT)1 << FRACTION)), x) : x;
}
OUT1(frexp, int)

OVL int ilogb(REAL x)
{
    UINT m;
    int e = exponent(x, &m);
    return is_ordinary(x) ? e : x == 0.0f ? FP_ILOGB0 : abs1(x) == INFINITY ? INT_MAX : FP_ILOGBNAN;
}
OVL REAL logb(REAL x)
{
    UINT m;
    int e = exponent(x, &m);
    return is_ordinary(x) ? (REAL)e : x == 0.0f ? -INFINITY : x * x;
}
SPLIT1(int, ilogb, REAL)
SPLIT1(REAL, logb, REAL)

OVL REAL ldexp(REAL x, int k)
{
    UINT m;
    int e = exponent(x, &m);
    k = k > 5 * BIAS ? 5 * BIAS : k < -5 * BIAS ? -5 * BIAS : k;
    e += k;
    e = e > BIAS + 70 ? BIAS + 70 : e < -BIAS - 70 ? -BIAS - 70 : e;
    return is_ordinary(x) ? sign1(scale(AS(REAL, m), e), x) : x;
}
SPLIT2(REAL, ldexp, REAL, int)
VECTORS(WITH_SCALARS, )

OVL REAL nextafter(REAL x, REAL y)
{
    UINT bits = AS(UINT, x);
    bits += (x < y) == ((INT)bits >= 0) ? 1 : -1;
    REAL r = x == 0.0f ? sign1(AS(REAL, (UINT)1), y) : AS(REAL, bits);
    return is_nan(x) || is_nan(y) ? x + y : x == y ? y : r;
}
SPLIT2(REAL, nextafter, REAL, REAL)
