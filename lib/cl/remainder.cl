/* fmod, remainder and remquo: exact, by division of the mantissas, twenty bits of the quotient per step. */
#include "float.h"

struct division {
    uint rest, divisor; /* both in units of 2^unit; rest < divisor, or 0 if much less */
    int unit;
    uint quotient; /* its low bits */
};

/* |x| = m 2^e, m of 24 bits */
INTERNAL int whole(float x, uint *m)
{
    bool small = abs1(x) < 0x1p-126f;
    uint bits = AS(uint, small ? x * 0x1p23f : x) & 0x7fffffff;
    *m = (bits & 0x7fffff) | 0x800000;
    return (int)(bits >> 23) - 150 - (small ? 23 : 0);
}

INTERNAL struct division divide(float x, float y)
{
    uint a, b;
    int ea = whole(x, &a), eb = whole(y, &b), steps = ea - eb;
    if (steps < 0) /* one extra bit allows comparing x with half of y; with fewer bits it is not needed */
        return steps == -1 ? (struct division){a, b << 1, ea, 0} : (struct division){0, 0, ea, 0};
    float rest = (float)a, divisor = (float)b, inverse = 1.0f / divisor;
    uint q = 0;
    do {
        int step = steps > 20 ? 20 : steps;
        rest *= power_of_2(step);
        float digit = nearest(rest * inverse); /* off by less than 3/4: the remainder has 24 bits and a sign */
        rest = fma1(-digit, divisor, rest);
        q = (q << step) + (uint)(int)digit;
        steps -= step;
    } while (steps > 0);
    bool below = rest < 0.0f;
    return (struct division){(uint)(below ? rest + divisor : rest), b, eb, q - below};
}

/* m 2^e, which is a float: both factors are exact. */
INTERNAL float assemble(uint m, int e)
{
    int part = e < -100 ? e + 100 : e;
    float f = (float)m * power_of_2(part);
    return e < -100 ? f * 0x1p-100f : f;
}
INTERNAL bool defined(float x, float y) { return abs1(x) < INFINITY && y != 0.0f && !is_nan(y); }

float __cy_fmod(float x, float y)
{
    if (!defined(x, y))
        return NAN;
    if (abs1(x) < abs1(y))
        return x;
    struct division d = divide(x, y);
    return sign1(assemble(d.rest, d.unit), x);
}

OVL float remquo(float x, float y, __private int *quotient)
{
    *quotient = 0;
    if (!defined(x, y))
        return NAN;
    if (x == 0.0f || abs1(y) == INFINITY)
        return x;
    struct division d = divide(x, y);
    if (d.divisor == 0)
        return x; /* less than half of y */
    bool up = d.rest * 2 > d.divisor || (d.rest * 2 == d.divisor && (d.quotient & 1));
    int q = (int)((d.quotient + up) & 0x7f);
    *quotient = (AS(int, x) ^ AS(int, y)) < 0 ? -q : q;
    float size = assemble(up ? d.divisor - d.rest : d.rest, d.unit);
    return AS(float, AS(uint, size) ^ (AS(uint, x) & 0x80000000) ^ (uint)up << 31);
}

OVL float fmod(float x, float y) { return __cy_fmod(x, y); }
OVL float remainder(float x, float y)
{
    int quotient;
    return remquo(x, y, &quotient);
}
SPLIT2(float, fmod, float, float)
SPLIT2(float, remainder, float, float)
OUT2(remquo, int)
