/* exp, exp2, exp10, expm1, sinh, cosh, tanh of doubles. */
#include "double.h"

OVL double exp(double x) { return exp_pair(x, 0.0, 1.0); }

OVL double exp2(double x)
{
    double bounded = x > 1100.0 ? 1100.0 : x < -1200.0 ? -1200.0 : x; /* NaN stays */
    double n = nearest(bounded), r = bounded - n;
    struct pair y = product(r, LN2_HI);
    double lo = fma1(r, LN2_LO, y.lo);
    double e = 1.0 + (y.hi + fma1(y.hi * y.hi, exp_rest(y.hi), fma1(y.hi, lo, lo)));
    return scale(e, is_nan(x) ? 0 : (int)n);
}

OVL double exp10(double x)
{
    double bounded = x > 320.0 ? 320.0 : x < -340.0 ? -340.0 : x;
    double n = nearest(bounded * 0x1.a934f0979a371p+1);
    struct pair r = any_sum(fma1(-n, LOG10_2_SHORT, bounded), -n * LOG10_2_REST);
    struct pair y = product(r.hi, 0x1.26bb1bbb55516p+1);
    double lo = y.lo + fma1(r.hi, -0x1.f48ad494ea3e9p-53, r.lo * 0x1.26bb1bbb55516p+1);
    double e = 1.0 + (y.hi + fma1(y.hi * y.hi, exp_rest(y.hi), fma1(y.hi, lo, lo)));
    return scale(e, is_nan(x) ? 0 : (int)n);
}

OVL double expm1(double x)
{
    double bounded = x < -60.0 ? -60.0 : x > 700.0 ? 700.0 : x;
    double r = expm1_bounded(is_nan(x) ? 0.0 : bounded);
    return abs1(x) < 0x1p-54 ? x : is_nan(x) || x > 700.0 ? exp_pair(x, 0.0, 1.0) : r;
}

OVL double sinh(double x)
{
    double a = abs1(x), t = expm1_bounded(a < 40.0 ? a : 40.0);
    double r = 0.5 * (t + t / (t + 1.0));
    r = a > 30.0 ? exp_pair(a, 0.0, 0.5) : r;
    return is_nan(x) || a < 0x1p-27 ? x : sign1(r, x);
}

OVL double cosh(double x)
{
    double a = abs1(x), e = exp_pair(a < 40.0 ? a : 40.0, 0.0, 1.0);
    double r = 0.5 * (e + 1.0 / e);
    return is_nan(x) ? x : a > 30.0 ? exp_pair(a, 0.0, 0.5) : r;
}

OVL double tanh(double x)
{
    double a = abs1(x), t = expm1_bounded(a < 25.0 ? 2.0 * a : 50.0);
    double r = t / (t + 2.0);
    return is_nan(x) || a < 0x1p-27 ? x : sign1(r, x);
}

SPLIT1(double, exp, double)
SPLIT1(double, exp2, double)
SPLIT1(double, exp10, double)
SPLIT1(double, expm1, double)
SPLIT1(double, sinh, double)
SPLIT1(double, cosh, double)
SPLIT1(double, tanh, double)
