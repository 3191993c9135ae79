/* 64-bit operations that 32-bit words lack: the compiler calls these by name. */
#include "builtins.h"

/* (high:low) / d for high < d, two 16-bit digits; d has its top bit set.  Each digit is estimated from the divisor's
 * upper half, at most two too large. */
INTERNAL uint divide_digit(uint rest, uint digit, uint d, uint *remainder)
{
    uint upper = d >> 16, lower = d & 0xffff;
    uint q = rest / upper, left = rest - q * upper;
    if (q > 0xffff) { /* rest < d: then rest / upper is 0x10000 or 0x10001 */
        left += (q - 0xffff) * upper;
        q = 0xffff;
    }
    for (int i = 0; i < 2; i++)
        if (left <= 0xffff && q * lower > (left << 16 | digit)) {
            q--;
            left += upper;
        }
    *remainder = (rest << 16 | digit) - q * d;
    return q;
}

INTERNAL uint divide_word(uint high, uint low, uint d, uint *remainder)
{
    uint rest, first = divide_digit(high, low >> 16, d, &rest);
    uint second = divide_digit(rest, low & 0xffff, d, remainder);
    return first << 16 | second;
}

INTERNAL ulong divide(ulong n, ulong d, ulong *remainder)
{
    uint n1 = (uint)(n >> 32), n0 = (uint)n, d1 = (uint)(d >> 32), d0 = (uint)d, rest;
    if ((n1 | d1) == 0) {
        uint q = n0 / d0;
        *remainder = n0 - q * d0;
        return q;
    }
    if (d1 == 0) {
        uint shift = (uint)__builtin_clz(d0 | 1), q1 = n1 / d0;
        ulong left = ((ulong)(n1 - q1 * d0) << 32 | n0) << shift;
        uint q0 = divide_word((uint)(left >> 32), (uint)left, d0 << shift, &rest);
        *remainder = rest >> shift;
        return (ulong)q1 << 32 | q0;
    }
    /* A one-word quotient: the quotient of n / 2 by the divisor's top 32 bits is at most one too large, and never too
     * small once scaled back and decremented. */
    uint shift = (uint)__builtin_clz(d1);
    uint q = divide_word(n1 >> 1, n1 << 31 | n0 >> 1, (uint)(d << shift >> 32), &rest);
    q = (uint)((ulong)q << shift >> 31);
    if (q)
        q--;
    ulong left = n - q * d;
    if (left >= d) {
        q++;
        left -= d;
    }
    *remainder = left;
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
