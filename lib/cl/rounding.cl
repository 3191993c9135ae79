/* Rounding to integral values.  From 2^23 up every float is integral. */
#include "float.h"

INTERNAL bool has_fraction(float x) { return abs1(x) < 0x1p23f; }

OVL float trunc(float x) { return has_fraction(x) ? sign1((float)(int)x, x) : x; }
OVL float rint(float x) { return has_fraction(x) ? sign1((abs1(x) + 0x1p23f) - 0x1p23f, x) : x; }
OVL float floor(float x)
{
    float t = trunc(x);
    return t > x ? t - 1.0f : t;
}
OVL float ceil(float x)
{
    float t = trunc(x);
    return t < x ? sign1(t + 1.0f, x) : t;
}
OVL float round(float x)
{
    float t = trunc(x);
    return abs1(x - t) >= 0.5f ? t + sign1(1.0f, x) : t; /* infinity - infinity compares as false */
}
SPLIT1(float, trunc, float)
SPLIT1(float, rint, float)
SPLIT1(float, floor, float)
SPLIT1(float, ceil, float)
SPLIT1(float, round, float)

OVL float fract(float x, __private float *whole)
{
    float f = *whole = floor(x), r = x - f;
    r = r < 1.0f ? r : 0x1.fffffep-1f; /* just below an integer: x - f rounds up to 1 */
    return is_nan(x) || x == 0.0f ? x : abs1(x) == INFINITY ? sign1(0.0f, x) : r;
}
OUT1(fract, float)

OVL float modf(float x, __private float *whole)
{
    float t = *whole = trunc(x);
    return sign1(abs1(x) == INFINITY ? 0.0f : x - t, x);
}
OUT1(modf, float)
