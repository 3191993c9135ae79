/* Conversions between double and float or half that the compiler calls.  Branch-free: lanes would diverge at each
 * branch. */
#include "double.h"

/* The bits at a double's position are the value times 2^-896, for subnormals too; infinities and NaN differ. */
double __cy_f32_to_f64(float x)
{
    uint bits = AS(uint, x), rest = bits & 0x7fffffff;
    double shifted = WORDS(rest >> 3, rest << 29) * 0x1p896;
    uint high = HIGH(shifted) | (rest >= 0x7f800000 ? 0x7ff00000 : 0) | (rest > 0x7f800000 ? 0x80000 : 0);
    return WORDS(high | (bits & 0x80000000), (uint)AS(ulong, shifted));
}

/* A half's value in a double is 2^-1008 times that of its bits. */
double __cy_f16_to_f64(ushort h)
{
    uint rest = h & 0x7fff;
    double shifted = WORDS(rest << 10, 0) * 0x1p1008;
    uint high = HIGH(shifted) | (rest >= 0x7c00 ? 0x7ff00000 : 0) | (rest > 0x7c00 ? 0x80000 : 0);
    return WORDS(high | (uint)(h & 0x8000) << 16, 0);
}

/* To a format with `bits` of fraction and exponents from -bias + 1: the magnitude's bits, rounded to nearest even. Adding
 * a number whose last bit is the format's smallest rounds subnormal results. */
INTERNAL uint narrowed(double size, int bits, int bias)
{
    ulong all = AS(ulong, size);
    uint shift = (uint)(52 - bits), high = HIGH(size), infinity = (uint)(2 * bias + 1) << bits;
    ulong odd = all >> shift & 1, rounded = (all + ((1ul << (shift - 1)) - 1) + odd) >> shift;
    uint normal = (uint)rounded - ((uint)(1023 - bias) << bits);
    uint tiny = (uint)AS(ulong, size + power_of_2(53 - bits - bias));
    uint result = high < (uint)(1024 - bias) << 20 ? tiny : normal;
    result = high >= (uint)(1024 + bias) << 20 ? infinity : result;
    return size == size ? result : infinity | 1u << (bits - 1);
}
float __cy_f64_to_f32(double x)
{
    return AS(float, narrowed(abs1(x), 23, 127) | (HIGH(x) & 0x80000000));
}
