/* Rounding to integral values. */
#include "real.h"

/* From here on every number is integral. */
#define WHOLE (REAL)((INT)1 << FRACTION)
INTERNAL bool has_fraction(REAL x) { return abs1(x) < WHOLE; }

OVL REAL trunc(REAL x) { return has_fraction(x) ? sign1((REAL)(INT)x, x) : x; }
OVL REAL rint(REAL x) { return has_fraction(x) ? sign1((abs1(x) + WHOLE) - WHOLE, x) : x; }
OVL REAL floor(REAL x)
{
    REAL t = trunc(x);
    return t > x ? t - 1.0f : t;
}
OVL REAL ceil(REAL x)
{
    REAL t = trunc(x);
    return t < x ? sign1(t + 1.0f, x) : t;
}
OVL REAL round(REAL x)
{
    REAL t = trunc(x);
    return abs1(x - t) >= 0.5f ? t + sign1(1.0f, x) : t; /* infinity - infinity compares as false */
}
SPLIT1(REAL, trunc, REAL)
SPLIT1(REAL, rint, REAL)
SPLIT1(REAL, floor, REAL)
SPLIT1(REAL, ceil, REAL)
SPLIT1(REAL, round, REAL)

OVL REAL fract(REAL x, __private REAL *whole)
{
    REAL f = *whole = floor(x), r = x - f;
    r = r < 1.0f ? r : AS(REAL, ((INT)BIAS << FRACTION) - 1); /* just below an integer: x - f rounds up to 1 */
    return is_nan(x) || x == 0.0f ? x : abs1(x) == INFINITY ? sign1(0.0f, x) : r;
}
OUT1(fract, REAL)

OVL REAL modf(REAL x, __private REAL *whole)
{
    REAL t = *whole = trunc(x);
    return sign1(abs1(x) == INFINITY ? 0.0f : x - t, x);
}
OUT1(modf, REAL)
