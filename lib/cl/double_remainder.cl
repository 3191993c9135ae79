/* fmod, remainder and remquo of doubles: exact, by division of the mantissas, forty bits of the quotient per step. */
#include "double.h"

struct division {
    double rest, divisor; /* integers, both in units of 2^unit; rest < divisor; divisor 0: much less than half of it */
    int unit;
    uint quotient; /* its low bits */
};

/* |x| = m 2^e, m of 53 bits */
INTERNAL int whole(double x, double *m)
{
    bool small = abs1(x) < 0x1p-1022;
    ulong bits = AS(ulong, abs1(small ? x * 0x1p53 : x));
    *m = (double)(long)((bits & 0xfffffffffffff) | 1ul << 52);
    return (int)(bits >> 52) - 1075 - (small ? 53 : 0);
}

INTERNAL struct division divide(double x, double y)
{
    double a, b;
    int ea = whole(x, &a), eb = whole(y, &b), steps = ea - eb;
    if (steps < 0) /* one extra bit allows comparing x with half of y; with fewer bits it is not needed */
        return steps == -1 ? (struct division){a, b * 2.0, ea, 0} : (struct division){0.0, 0.0, ea, 0};
    double rest = a, inverse = 1.0 / b;
    ulong q = 0;
    do {
        int step = steps > 40 ? 40 : steps;
        rest *= power_of_2(step);
        double digit = nearest(rest * inverse); /* off by less than 3/4: the remainder has 53 bits and a sign */
        rest = fma1(-digit, b, rest);
        q = (q << step) + (ulong)(long)digit;
        steps -= step;
    } while (steps > 0);
    bool below = rest < 0.0;
    return (struct division){below ? rest + b : rest, b, eb, (uint)q - below};
}

/* m 2^e, which is a double: both factors are exact. */
INTERNAL double assemble(double m, int e)
{
    int part = e < -900 ? e + 900 : e;
    double f = m * power_of_2(part);
    return e < -900 ? f * 0x1p-900 : f;
}
INTERNAL bool defined(double x, double y) { return is_finite(x) && y != 0.0 && !is_nan(y); }

double __cy_fmod64(double x, double y)
{
    if (!defined(x, y))
        return NAN;
    if (abs1(x) < abs1(y))
        return x;
    struct division d = divide(x, y);
    return sign1(assemble(d.rest, d.unit), x);
}

OVL double remquo(double x, double y, __private int *quotient)
{
    *quotient = 0;
    if (!defined(x, y))
        return NAN;
    if (x == 0.0 || abs1(y) == INFINITY)
        return x;
    struct division d = divide(x, y);
    if (d.divisor == 0.0)
        return x; /* less than half of y */
    bool up = d.rest * 2.0 > d.divisor || (d.rest * 2.0 == d.divisor && (d.quotient & 1));
    int q = (int)((d.quotient + up) & 0x7f);
    *quotient = (AS(long, x) ^ AS(long, y)) < 0 ? -q : q;
    double size = assemble(up ? d.divisor - d.rest : d.rest, d.unit);
    return AS(double, AS(ulong, size) ^ (AS(ulong, x) & 1ul << 63) ^ (ulong)up << 63);
}

OVL double fmod(double x, double y) { return __cy_fmod64(x, y); }
OVL double remainder(double x, double y)
{
    int quotient;
    return remquo(x, y, &quotient);
}
SPLIT2(double, fmod, double, double)
SPLIT2(double, remainder, double, double)
OUT2_OF(double, remquo, int)
