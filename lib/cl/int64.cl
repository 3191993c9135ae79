/* 64-bit operations that 32-bit words lack: the compiler calls these by name. */
#include "builtins.h"

INTERNAL float nearly(ulong x) { return __builtin_fmaf((float)(uint)(x >> 32), 0x1p32f, (float)(uint)x); }

/* The next digit of a quotient, 2^place its unit: the rest times the divisor's inverse in single precision.  It is below 2^31: hosts
 * convert to numbers with a sign faster. */
INTERNAL ulong take_digit(ulong *rest, ulong d, float inverse, int place)
{
    uint digit = (uint)(int)(nearly(*rest) * (inverse * AS(float, (127 - place) << 23)));
    *rest -= digit * d << place;
    return (ulong)digit << place;
}

/* Six roundings of 2^-24 go into a digit and the inverse is 2^-21 too small, so that none is too large; each leaves at most
 * 2^-20 of the quotient, and one unit, to the next.  Lanes with different numbers stay together. */
INTERNAL ulong divide(ulong n, ulong d, ulong *remainder)
{
    if ((n | d) >> 32 == 0) {
        uint q = (uint)n / (uint)d;
        *remainder = (uint)n - q * (uint)d;
        return q;
    }
    float inverse = 0x1.fffffp-1f / nearly(d);
    ulong rest = n, q = take_digit(&rest, d, inverse, 40);
    q += take_digit(&rest, d, inverse, 20);
    q += take_digit(&rest, d, inverse, 0); /* below 2^25 */
    q += take_digit(&rest, d, inverse, 0); /* below 64 */
    if (rest >= d) {
        q++;
        rest -= d;
    }
    *remainder = rest;
    return q;
}

ulong __cy_udiv64(ulong a, ulong b)
{
    ulong rest;
    return divide(a, b, &rest);
}

ulong __cy_urem64(ulong a, ulong b)
{
    ulong rest;
    divide(a, b, &rest);
    return rest;
}

INTERNAL ulong magnitude(long x) { return x < 0 ? 0 - (ulong)x : (ulong)x; }
INTERNAL long with_sign(ulong x, long sign) { return (long)(sign < 0 ? 0 - x : x); }

long __cy_sdiv64(long a, long b) { return with_sign(__cy_udiv64(magnitude(a), magnitude(b)), a ^ b); }
long __cy_srem64(long a, long b) { return with_sign(__cy_urem64(magnitude(a), magnitude(b)), a); }

/* To nearest, ties to even: the 32 bits after the leading one round like all 64, if the last is sticky for those
 * below. */
float __cy_u64_to_f32(ulong x)
{
    uint zeros = (uint)__builtin_clzl(x | 1);
    ulong scaled = x << zeros;
    float top = (float)((uint)(scaled >> 32) | ((uint)scaled != 0));
    return top * AS(float, (159 - zeros) << 23);
}

float __cy_i64_to_f32(long x)
{
    float r = __cy_u64_to_f32(magnitude(x));
    return x < 0 ? -r : r;
}

/* Toward zero; out-of-range values saturate, NaN becomes 0. */
ulong __cy_f32_to_u64(float x)
{
    uint high = (uint)(x * 0x1p-32f), low = (uint)__builtin_fmaf(-0x1p32f, (float)high, x);
    ulong whole = x >= 0x1p64f ? ~0ul : (ulong)high << 32 | low;
    return x >= 1.0f ? whole : 0;
}

long __cy_f32_to_i64(float x)
{
    ulong size = __cy_f32_to_u64(__builtin_fabsf(x));
    ulong bounded = size >> 63 ? (1ul << 63) - (x > 0) : size;
    return with_sign(bounded, AS(int, x));
}

/* The bits of the double equal to x: what printf's conversions expect. */
ulong __cy_f32_to_f64_bits(float x)
{
    uint bits = AS(uint, x), exponent = bits >> 23 & 0xff, mantissa = bits & 0x7fffff;
    if (exponent == 0xff)
        exponent = 0x7ff;
    else if (exponent)
        exponent += 896;
    else if (mantissa) {
        uint zeros = (uint)__builtin_clz(mantissa) - 8;
        mantissa = mantissa << zeros & 0x7fffff;
        exponent = 897 - zeros;
    }
    uint high = (bits & 0x80000000) | exponent << 20 | mantissa >> 3;
    return (ulong)high << 32 | mantissa << 29;
}
