/* Explicit conversions: their types and roundings, and what they give, by exact arithmetic. */
#ifndef CY_TESTS_CL_CONVERSION_CASES_H
#define CY_TESTS_CL_CONVERSION_CASES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum type { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, HALF, FLOAT, DOUBLE, TYPES };
static const struct {
    const char *name;
    unsigned size;
    long double least, most; /* of integers */
    int precision, least_exponent, most_exponent;
} types[TYPES] = {
    {"char", 1, -0x1p7L, 0x1p7L - 1, 0, 0, 0},
    {"uchar", 1, 0, 0x1p8L - 1, 0, 0, 0},
    {"short", 2, -0x1p15L, 0x1p15L - 1, 0, 0, 0},
    {"ushort", 2, 0, 0x1p16L - 1, 0, 0, 0},
    {"int", 4, -0x1p31L, 0x1p31L - 1, 0, 0, 0},
    {"uint", 4, 0, 0x1p32L - 1, 0, 0, 0},
    {"long", 8, -0x1p63L, 0x1p63L - 1, 0, 0, 0},
    {"ulong", 8, 0, 0x1p64L - 1, 0, 0, 0},
    {"half", 2, 0, 0, 11, -14, 15},
    {"float", 4, 0, 0, 24, -126, 127},
    {"double", 8, 0, 0, 53, -1022, 1023},
};
enum rounding { DEFAULT, RTE, RTZ, RTP, RTN, ROUNDINGS };
static const char *const suffixes[ROUNDINGS] = {"", "_rte", "_rtz", "_rtp", "_rtn"};

static bool is_integer(enum type type)
{
    return type < HALF;
}

/* An element's value; long double holds all of them exactly. */
static long double value_of(enum type type, const void *elements, size_t i)
{
    const unsigned size = types[type].size;
    uint64_t bits = 0;
    memcpy(&bits, (const char *)elements + i * size, size);
    if (is_integer(type)) {
        const bool is_signed = types[type].least < 0;
        return is_signed ? (long double)((int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size)) : (long double)bits;
    }
    const int digits = types[type].precision - 1, bias = types[type].most_exponent;
    const uint64_t mantissa = bits & ((1ull << digits) - 1);
    const int exponent = (int)(bits >> digits & (unsigned)(2 * bias + 1));
    long double value = exponent > 2 * bias ? (mantissa ? NAN : INFINITY)
                        : exponent          ? ldexpl(mantissa | 1ull << digits, exponent - bias - digits)
                                            : ldexpl(mantissa, 1 - bias - digits);
    return bits >> (8 * size - 1) & 1 ? -value : value;
}

static long double to_integer(long double x, enum rounding rounding)
{
    const long double below = floorl(x), rest = x - below;
    switch (rounding) {
    case RTZ: return truncl(x);
    case RTP: return ceill(x);
    case RTN: return below;
    default: return rest < 0.5L || (rest == 0.5L && fmodl(below, 2) == 0) ? below : below + 1;
    }
}

static long double to_real(long double x, enum type type, enum rounding rounding)
{
    int exponent;
    if (isnan(x) || isinf(x) || x == 0)
        return x;
    frexpl(x, &exponent);
    exponent = exponent - 1 < types[type].least_exponent ? types[type].least_exponent : exponent - 1;
    const long double unit = ldexpl(1, exponent - types[type].precision + 1);
    const long double most = ldexpl(2 - ldexpl(1, 1 - types[type].precision), types[type].most_exponent);
    const long double result = to_integer(x / unit, rounding) * unit;
    if (fabsl(result) <= most)
        return result == 0 ? copysignl(0, x) : result;
    const bool is_kept = rounding == RTZ || (rounding == RTP && x < 0) || (rounding == RTN && x > 0);
    return copysignl(is_kept ? most : INFINITY, x);
}

/* False: the result is undefined. */
static bool expect(enum type to, enum type from, enum rounding rounding, bool saturates, long double x,
                   long double *result)
{
    if (!is_integer(to)) {
        *result = to_real(x, to, rounding);
        return true;
    }
    *result = isnan(x) ? 0 : isinf(x) ? x : to_integer(x, rounding == DEFAULT && !is_integer(from) ? RTZ : rounding);
    if (!isnan(x) && *result >= types[to].least && *result <= types[to].most)
        return true;
    if (!isnan(x))
        *result = *result < 0 ? types[to].least : types[to].most;
    return saturates;
}

static bool is_right(enum type to, long double got, long double want)
{
    return isnan(want) ? isnan(got) : got == want && (is_integer(to) || !signbit(got) == !signbit(want));
}

#endif
