/* The math, common and geometric functions of halves: those of floats, rounded once more.  A float has more than twice a
 * half's bits, so that sums, products, quotients and roots come out correctly rounded, and everything else within little
 * more than half an ulp. */
#include "builtins.h"

/* ---- f(half) ---- */

#define ONE(f)                                                                                                         \
    OVL CONST float f(float x);                                                                                        \
    OVL half f(half x) { return (half)f((float)x); }                                                                   \
    SPLIT1(half, f, half)
#define TWO(f)                                                                                                         \
    OVL CONST float f(float x, float y);                                                                               \
    OVL half f(half x, half y) { return (half)f((float)x, (float)y); }                                                 \
    SPLIT2(half, f, half, half)
#define WITH_INT(f)                                                                                                    \
    OVL CONST float f(float x, int n);                                                                                 \
    OVL half f(half x, int n) { return (half)f((float)x, n); }                                                         \
    SPLIT2(half, f, half, int)
#define WITH_OUT(f, P, R)                                                                                              \
    OVL float f(float x, __private R *out);                                                                            \
    OVL half f(half x, __private P *out)                                                                               \
    {                                                                                                                  \
        R value;                                                                                                       \
        half r = (half)f((float)x, &value);                                                                            \
        *out = (P)value;                                                                                               \
        return r;                                                                                                      \
    }                                                                                                                  \
    OUT1_OF(half, f, P)

ONE(acos) ONE(acosh) ONE(acospi) ONE(asin) ONE(asinh) ONE(asinpi) ONE(atan) ONE(atanh) ONE(atanpi) ONE(cbrt) ONE(ceil)
ONE(cos) ONE(cosh) ONE(cospi) ONE(erf) ONE(erfc) ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(floor) ONE(lgamma)
ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(logb) ONE(rint) ONE(round) ONE(rsqrt) ONE(sin) ONE(sinh) ONE(sinpi)
ONE(sqrt) ONE(tan) ONE(tanh) ONE(tanpi) ONE(tgamma) ONE(trunc) ONE(degrees) ONE(radians) ONE(sign)
TWO(atan2) TWO(atan2pi) TWO(fdim) TWO(fmod) TWO(hypot) TWO(maxmag) TWO(minmag) TWO(pow) TWO(powr) TWO(remainder)
TWO(fmin) TWO(fmax) TWO(min) TWO(max) TWO(step)
WITH_INT(pown) WITH_INT(rootn) WITH_INT(ldexp)
WITH_OUT(modf, half, float)
WITH_OUT(sincos, half, float)
WITH_OUT(frexp, int, int)
WITH_OUT(lgamma_r, int, int)

/* Less than 1 as a half, too. */
OVL float fract(float x, __private float *out);
OVL half fract(half x, __private half *out)
{
    float whole, r = fract((float)x, &whole);
    *out = (half)whole;
    return r > 0x1.ffcp-1f ? (half)0x1.ffcp-1f : (half)r;
}
OUT1_OF(half, fract, half)

OVL CONST int ilogb(float x);
OVL int ilogb(half x) { return ilogb((float)x); }
SPLIT1(int, ilogb, half)

OVL float remquo(float x, float y, __private int *quotient);
OVL half remquo(half x, half y, __private int *quotient) { return (half)remquo((float)x, (float)y, quotient); }
OUT2_OF(half, remquo, int)

/* ---- of the bits ---- */

OVL half fabs(half x) { return AS(half, (ushort)(AS(ushort, x) & 0x7fff)); }
OVL half copysign(half x, half y)
{
    return AS(half, (ushort)((AS(ushort, x) & 0x7fff) | (AS(ushort, y) & 0x8000)));
}
OVL half nextafter(half x, half y)
{
    ushort bits = AS(ushort, x);
    bits = (ushort)(bits + ((x < y) == ((short)bits >= 0) ? 1 : -1));
    half r = AS(half, (ushort)(x == 0.0h ? 1 | (AS(ushort, y) & 0x8000) : bits));
    return x != x || y != y ? (half)NAN : x == y ? y : r;
}
SPLIT1(half, fabs, half)
SPLIT2(half, copysign, half, half)
SPLIT2(half, nextafter, half, half)

/* ---- fused ---- */

/* The product is exact in float, and the sum is rounded to odd, so that rounding it again is harmless. */
ushort __cy_fma16(ushort a, ushort b, ushort c)
{
    float z = __cy_f16_to_f32(c), p = __cy_f16_to_f32(a) * __cy_f16_to_f32(b), s = p + z;
    float of_z = s - p, lost = (p - (s - of_z)) + (z - of_z);
    uint bits = AS(uint, s), odd = bits & 1;
    bool inexact = (bits & 0x7f800000) != 0x7f800000 && lost != 0.0f && !odd;
    bits = inexact ? bits + ((lost > 0.0f) == (s > 0.0f) ? 1 : -1u) : bits;
    return __cy_f32_to_f16(AS(float, bits));
}
OVL half fma(half a, half b, half c)
{
    return AS(half, __cy_fma16(AS(ushort, a), AS(ushort, b), AS(ushort, c)));
}
OVL half mad(half a, half b, half c) { return fma(a, b, c); }
SPLIT3(half, fma, half, half, half)
SPLIT3(half, mad, half, half, half)

/* ---- common functions ---- */

#define THREE(f)                                                                                                       \
    OVL CONST float f(float x, float y, float z);                                                                      \
    OVL half f(half x, half y, half z) { return (half)f((float)x, (float)y, (float)z); }                               \
    SPLIT3(half, f, half, half, half)
THREE(clamp)
THREE(mix)
THREE(smoothstep)
#define WITH_SCALARS(n, ...)                                                                                           \
    OVL half##n min(half##n x, half y) { return min(x, (half##n)y); }                                                  \
    OVL half##n max(half##n x, half y) { return max(x, (half##n)y); }                                                  \
    OVL half##n fmin(half##n x, half y) { return fmin(x, (half##n)y); }                                                \
    OVL half##n fmax(half##n x, half y) { return fmax(x, (half##n)y); }                                                \
    OVL half##n ldexp(half##n x, int k) { return ldexp(x, (int##n)k); }                                                \
    OVL half##n clamp(half##n x, half low, half high) { return clamp(x, (half##n)low, (half##n)high); }                \
    OVL half##n mix(half##n x, half##n y, half a) { return mix(x, y, (half##n)a); }                                    \
    OVL half##n step(half edge, half##n x) { return step((half##n)edge, x); }                                          \
    OVL half##n smoothstep(half low, half high, half##n x) { return smoothstep((half##n)low, (half##n)high, x); }
VECTORS(WITH_SCALARS, )

/* ---- geometric functions ---- */

/* The sums are halves, from the last product on: where one overflows, the others do not bring it back. */
INTERNAL half add_product(half a, half b, half sum) { return (half)((float)a * (float)b + (float)sum); }
OVL half dot(half a, half b) { return a * b; }
OVL half dot(half2 a, half2 b) { return add_product(a.x, b.x, a.y * b.y); }
OVL half dot(half3 a, half3 b) { return add_product(a.x, b.x, dot(a.yz, b.yz)); }
OVL half dot(half4 a, half4 b) { return add_product(a.x, b.x, dot(a.yzw, b.yzw)); }

#define GEOMETRIC(n)                                                                                                   \
    OVL CONST float length(float##n a);                                                                                \
    OVL CONST float distance(float##n a, float##n b);                                                                  \
    OVL CONST float##n normalize(float##n a);                                                                          \
    OVL half length(half##n a) { return (half)length(FLOATS(n, a)); }                                                  \
    OVL half distance(half##n a, half##n b) { return (half)distance(FLOATS(n, a), FLOATS(n, b)); }                     \
    OVL half##n normalize(half##n a) { return HALVES(n, normalize(FLOATS(n, a))); }
#define FLOATS(n, x) CONV(float##n, x)
#define HALVES(n, x) CONV(half##n, x)
GEOMETRIC(2)
GEOMETRIC(3)
GEOMETRIC(4)
#undef FLOATS
#undef HALVES
#define FLOATS(n, x) (float)(x)
#define HALVES(n, x) (half)(x)
GEOMETRIC()
OVL CONST float3 cross(float3 a, float3 b);
OVL half3 cross(half3 a, half3 b) { return CONV(half3, cross(CONV(float3, a), CONV(float3, b))); }
OVL half4 cross(half4 a, half4 b) { return (half4)(cross(a.xyz, b.xyz), 0.0h); }
