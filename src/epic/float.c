/* Special functions, correctly rounded, so that every host draws the same picture.
 *
 * The value is computed in double, whose error (a good libm's: below one unit in its last place) is far smaller than
 * half a unit of binary32.  Only if the error interval around it contains a rounding boundary - for about one argument
 * in a hundred million - does the longer type decide; no binary32 argument is too hard for it (tests/epic/float.c
 * compares with MPFR; every one of the 2^32 arguments of each function was compared once). */
#include "epic/float.h"

/* Half the width of the error interval, relative: eight units in the last place of a double. */
#define DOUBT 0x1p-50

/* Both ends of the interval round to the same binary32: that is the result. */
static inline int is_certain(double value, float *result)
{
    double margin = fabs(value) * DOUBT;
    float low = (float)(value - margin), high = (float)(value + margin);
    *result = low;
    return low == high;
}

#define ROUNDED(value, longer)                                                                                         \
    do {                                                                                                               \
        float result;                                                                                                  \
        return f_bits(is_certain((value), &result) ? result : (float)(longer));                                        \
    } while (0)

uint32_t f_rsqrt(uint32_t x)
{
    float value = f_of(x);
    if (value == 0)
        return f_bits(1 / value);
    ROUNDED(1 / sqrt((double)value), 1 / sqrtl((long double)value));
}

uint32_t f_sin(uint32_t x)
{
    ROUNDED(sin((double)f_of(x)), sinl((long double)f_of(x)));
}

uint32_t f_cos(uint32_t x)
{
    ROUNDED(cos((double)f_of(x)), cosl((long double)f_of(x)));
}

uint32_t f_log(uint32_t x)
{
    ROUNDED(log((double)f_of(x)), logl((long double)f_of(x)));
}

uint32_t f_exp(uint32_t x)
{
    float value = f_of(x);
    if (value > 89) /* e^89 is above the largest binary32 */
        return f_bits(INFINITY);
    ROUNDED(exp((double)value), expl((long double)value));
}
