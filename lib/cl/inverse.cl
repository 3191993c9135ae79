/* asin, acos, atan, atan2 and the -pi forms. */
#include "float.h"

/* asin(x) = x + x z P(z), z = x^2 <= 1/4 */
INTERNAL float asin_poly(float z)
{
    float p = 0x1.33e7b6p-5f;
    p = fma1(p, z, 0x1.d75044p-7f);
    p = fma1(p, z, 0x1.04b444p-5f);
    p = fma1(p, z, 0x1.6caa0cp-5f);
    p = fma1(p, z, 0x1.3338a2p-4f);
    return fma1(p, z, 0x1.55554cp-3f);
}

/* From 1/2 by the half angle: asin x = pi/2 - 2 asin(sqrt((1 - x) / 2)). */
OVL float asin(float x)
{
    float a = abs1(x);
    bool large = a >= 0.5f;
    float z = large ? fma1(-0.5f, a, 0.5f) : a * a, s = large ? sqrt1(z) : a;
    float r = fma1(s * z, asin_poly(z), s);
    r = large ? HALF_PI_HI - fma1(2.0f, r, -HALF_PI_LO) : r;
    return sign1(r, x);
}

OVL float acos(float x)
{
    float a = abs1(x);
    bool large = a >= 0.5f;
    float z = large ? fma1(-0.5f, a, 0.5f) : a * a, s = large ? sqrt1(z) : x;
    float rest = s * z * asin_poly(z);
    float middle = HALF_PI_HI - (x + (rest - HALF_PI_LO)), right = 2.0f * (s + rest);
    float left = PI_HI - fma1(2.0f, s + rest, -PI_LO);
    return !large ? middle : x > 0.0f ? right : left;
}

/* atan(t) for 0 <= t <= 1 */
INTERNAL float atan_unit(float t)
{
    float z = t * t;
    float p = -0x1.d510bap-10f;
    p = fma1(p, z, 0x1.6501dcp-7f);
    p = fma1(p, z, -0x1.fe3408p-6f);
    p = fma1(p, z, 0x1.da7896p-5f);
    p = fma1(p, z, -0x1.581c0ep-4f);
    p = fma1(p, z, 0x1.c09152p-4f);
    p = fma1(p, z, -0x1.2420dap-3f);
    p = fma1(p, z, 0x1.9991e8p-3f);
    p = fma1(p, z, -0x1.55553ep-2f);
    return fma1(t * z, p, t);
}

OVL float atan(float x)
{
    float a = abs1(x);
    bool large = a > 1.0f;
    float r = atan_unit(large ? 1.0f / a : a);
    r = large ? HALF_PI_HI - (r - HALF_PI_LO) : r;
    return sign1(r, x);
}

/* atan of the smaller over the larger, which is in the first octant */
INTERNAL float atan_ratio(float a, float b)
{
    float large = __cy_fmax(a, b), small = __cy_fmin(a, b);
    float t = large == 0.0f ? 0.0f : small == INFINITY ? 1.0f : small / large;
    return atan_unit(t);
}

OVL float atan2(float y, float x)
{
    float a = abs1(x), b = abs1(y), r = atan_ratio(a, b);
    r = b > a ? HALF_PI_HI - (r - HALF_PI_LO) : r;
    r = AS(int, x) < 0 ? PI_HI - (r - PI_LO) : r;
    return is_nan(x) || is_nan(y) ? NAN : sign1(r, y);
}

OVL float atan2pi(float y, float x)
{
    float a = abs1(x), b = abs1(y), r = atan_ratio(a, b) * INV_PI;
    r = a == b && a != 0.0f ? 0.25f : r; /* two infinities must give exactly that */
    r = b > a ? 0.5f - r : r;
    r = AS(int, x) < 0 ? 1.0f - r : r;
    return is_nan(x) || is_nan(y) ? NAN : sign1(r, y);
}

OVL float asinpi(float x) { return asin(x) * INV_PI; }
OVL float acospi(float x) { return acos(x) * INV_PI; }
OVL float atanpi(float x) { return atan(x) * INV_PI; }

SPLIT1(float, asin, float)
SPLIT1(float, acos, float)
SPLIT1(float, atan, float)
SPLIT1(float, asinpi, float)
SPLIT1(float, acospi, float)
SPLIT1(float, atanpi, float)
SPLIT2(float, atan2, float, float)
SPLIT2(float, atan2pi, float, float)
