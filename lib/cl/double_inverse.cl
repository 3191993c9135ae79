/* asin, acos, atan, atan2 and the -pi forms of doubles. */
#include "double.h"

/* asin(x) = x + x z P(z), z = x^2 <= 1/4 */
INTERNAL double asin_poly(double z)
{
    double p = 0x1.e58a4f278e007p-6;
    p = fma1(p, z, -0x1.3bd7e353ddbc2p-6);
    p = fma1(p, z, 0x1.40c91fa8deb7ep-6);
    p = fma1(p, z, 0x1.8dcdf11997e0fp-9);
    p = fma1(p, z, 0x1.31777489dfd29p-7);
    p = fma1(p, z, 0x1.3b462d121c5d2p-7);
    p = fma1(p, z, 0x1.7b02ef007d23ep-7);
    p = fma1(p, z, 0x1.c990a42b32b03p-7);
    p = fma1(p, z, 0x1.1c4efd20ebb99p-6);
    p = fma1(p, z, 0x1.6e8ba121b9d5fp-6);
    p = fma1(p, z, 0x1.f1c71c7a5e151p-6);
    p = fma1(p, z, 0x1.6db6db6dac0eap-5);
    p = fma1(p, z, 0x1.3333333333389p-4);
    p = fma1(p, z, 0x1.5555555555555p-3);
    return p;
}

/* From 1/2 by the half angle: asin x = pi/2 - 2 asin(sqrt((1 - x) / 2)). */
OVL double asin(double x)
{
    double a = abs1(x);
    bool large = a >= 0.5;
    double z = large ? fma1(-0.5, a, 0.5) : a * a, s = large ? sqrt1(z) : a;
    double s_rest = large && s > 0.0 ? fma1(-s, s, z) / (2.0 * s) : 0.0, rest = fma1(s * z, asin_poly(z), s_rest);
    double r = large ? HALF_PI_HI - fma1(2.0, s, fma1(2.0, rest, -HALF_PI_LO)) : s + rest;
    return sign1(r, x);
}

OVL double acos(double x)
{
    double a = abs1(x);
    bool large = a >= 0.5;
    double z = large ? fma1(-0.5, a, 0.5) : a * a, s = large ? sqrt1(z) : x;
    double s_rest = large && s > 0.0 ? fma1(-s, s, z) / (2.0 * s) : 0.0, rest = fma1(s * z, asin_poly(z), s_rest);
    double middle = HALF_PI_HI - (x + (rest - HALF_PI_LO)), right = 2.0 * (s + rest);
    double left = PI_HI - fma1(2.0, s + rest, -PI_LO);
    return !large ? middle : x > 0.0 ? right : left;
}

/* atan(t) = t + t z P(z), |t| <= tan(pi/8) */
INTERNAL double atan_poly(double z)
{
    double p = -0x1.c7e58bd277197p-7;
    p = fma1(p, z, 0x1.f5d93505ee44ep-6);
    p = fma1(p, z, -0x1.50377721cdf65p-5);
    p = fma1(p, z, 0x1.829bb2e795bd7p-5);
    p = fma1(p, z, -0x1.aebcefff3cdb1p-5);
    p = fma1(p, z, 0x1.e1d8e4d50cc26p-5);
    p = fma1(p, z, -0x1.1110cebcd1076p-4);
    p = fma1(p, z, 0x1.3b13aea7f573fp-4);
    p = fma1(p, z, -0x1.745d173556dedp-4);
    p = fma1(p, z, 0x1.c71c71c6dd82ep-4);
    p = fma1(p, z, -0x1.24924924920a9p-3);
    p = fma1(p, z, 0x1.9999999999997p-3);
    p = fma1(p, z, -0x1.5555555555555p-2);
    return p;
}

/* atan(y / x), 0 <= y <= x, x > 0, as a pair: from tan(pi/8) up it is pi/4 + atan((y - x) / (y + x)). */
INTERNAL struct pair atan_ratio(double y, double x)
{
    bool upper = y > 0.4142135623730951 * x;
    struct pair above = upper ? sum(-x, y) : (struct pair){y, 0.0}, below = upper ? sum(x, y) : (struct pair){x, 0.0};
    double t = above.hi / below.hi;
    double t_rest = (fma1(-t, below.hi, above.hi) + fma1(-t, below.lo, above.lo)) / below.hi;
    t_rest = is_finite(t_rest) && abs1(t) > 0x1p-900 ? t_rest : 0.0;
    double z = t * t, rest = fma1(t * z, atan_poly(z), t_rest);
    struct pair r = upper ? sum(0.5 * HALF_PI_HI, t) : (struct pair){t, 0.0};
    return sum(r.hi, r.lo + (rest + (upper ? 0.5 * HALF_PI_LO : 0.0)));
}

/* Of the larger and the smaller, scaled so that nothing overflows and no bits of products are lost below. */
INTERNAL struct pair first_octant(double a, double b)
{
    double large = __cy_dmax(a, b), small = __cy_dmin(a, b);
    small = small == INFINITY ? 1.0 : large == INFINITY ? 0.0 : small;
    large = large == INFINITY || large == 0.0 ? 1.0 : large;
    double scale = large > 0x1p1000 ? 0x1p-4 : large < 0x1p-900 ? 0x1p180 : 1.0;
    return atan_ratio(small * scale, large * scale);
}

OVL double atan(double x)
{
    double a = abs1(x);
    struct pair r = first_octant(a, 1.0);
    double far = HALF_PI_HI - (r.hi - (HALF_PI_LO - r.lo));
    return is_nan(x) ? x : sign1(a > 1.0 ? far : r.hi, x);
}

OVL double atan2(double y, double x)
{
    double a = abs1(x), b = abs1(y);
    struct pair r = first_octant(a, b);
    r = b > a ? pair_add((struct pair){HALF_PI_HI, HALF_PI_LO}, (struct pair){-r.hi, -r.lo}) : r;
    r = AS(long, x) < 0 ? pair_add((struct pair){PI_HI, PI_LO}, (struct pair){-r.hi, -r.lo}) : r;
    return is_nan(x) || is_nan(y) ? NAN : sign1(r.hi, y);
}

/* In units of pi: scaled up where the low part of the product would be subnormal. */
INTERNAL double over_pi(struct pair r)
{
    bool tiny = abs1(r.hi) < 0x1p-900;
    double up = tiny ? 0x1p110 : 1.0;
    struct pair p = pair_mul((struct pair){r.hi * up, r.lo * up}, (struct pair){INV_PI_HI, INV_PI_LO});
    return p.hi * (tiny ? 0x1p-110 : 1.0);
}

OVL double atan2pi(double y, double x)
{
    double a = abs1(x), b = abs1(y), r = over_pi(first_octant(a, b));
    r = a == b && a != 0.0 ? 0.25 : r; /* two infinities must give exactly that */
    r = b > a ? 0.5 - r : r;
    r = AS(long, x) < 0 ? 1.0 - r : r;
    return is_nan(x) || is_nan(y) ? NAN : sign1(r, y);
}

OVL double asinpi(double x) { return sign1(over_pi((struct pair){asin(x), 0.0}), x); }
OVL double acospi(double x) { return over_pi((struct pair){acos(x), 0.0}); }
OVL double atanpi(double x) { return sign1(over_pi((struct pair){atan(x), 0.0}), x); }

SPLIT1(double, asin, double)
SPLIT1(double, acos, double)
SPLIT1(double, atan, double)
SPLIT1(double, asinpi, double)
SPLIT1(double, acospi, double)
SPLIT1(double, atanpi, double)
SPLIT2(double, atan2, double, double)
SPLIT2(double, atan2pi, double, double)
