/* exp, exp2, exp10, expm1 and functions based on them: sinh, cosh, tanh.  The machine has e^x, within 1 ulp. */
#include "float.h"

OVL float exp(float x) { return __cy_fexp(x); }

OVL float exp2(float x)
{
    float bounded = x > 200.0f ? 200.0f : x < -200.0f ? -200.0f : x; /* NaN stays */
    float n = nearest(bounded);
    float r = scale(__cy_fexp((bounded - n) * LN2_HI), is_nan(x) ? 0 : (int)n);
    return r;
}

OVL float exp10(float x)
{
    float bounded = x > 60.0f ? 60.0f : x < -60.0f ? -60.0f : x;
    float n = nearest(bounded * 0x1.a934fp+1f);
    float r = fma1(-n, LOG10_2_SHORT, bounded);
    r = fma1(-n, LOG10_2_REST, r);
    return scale(__cy_fexp(r * 0x1.26bb1cp+1f), is_nan(x) ? 0 : (int)n);
}

OVL float expm1(float x)
{
    float bounded = x < -30.0f ? -30.0f : x > 80.0f ? 80.0f : x;
    float r = expm1_bounded(is_nan(x) ? 0.0f : bounded);
    return abs1(x) < 0x1p-24f ? x : is_nan(x) || x > 80.0f ? __cy_fexp(x) : r;
}

/* e^x / 2 for large x, where e^x, and e^(x - ln 2) before it is corrected, may overflow */
INTERNAL float half_exp_of(float x)
{
    struct pair y = sum(x, -2.0f * LN2_HI);
    float e = __cy_fexp(y.hi);
    return e == INFINITY ? e : 2.0f * fma1(e, y.lo - 2.0f * LN2_LO, e);
}

OVL float sinh(float x)
{
    float a = abs1(x), t = expm1_bounded(a < 80.0f ? a : 80.0f);
    float r = 0.5f * (t + t / (t + 1.0f));
    r = a > 20.0f ? half_exp_of(a) : r;
    return is_nan(x) || a < 0x1p-12f ? x : sign1(r, x);
}

OVL float cosh(float x)
{
    float a = abs1(x), e = __cy_fexp(a < 80.0f ? a : 80.0f);
    float r = 0.5f * (e + 1.0f / e);
    return is_nan(x) ? x : a > 20.0f ? half_exp_of(a) : r;
}

OVL float tanh(float x)
{
    float a = abs1(x), t = expm1_bounded(a < 20.0f ? 2.0f * a : 40.0f);
    float r = t / (t + 2.0f);
    return is_nan(x) || a < 0x1p-12f ? x : sign1(r, x);
}

SPLIT1(float, exp, float)
SPLIT1(float, exp2, float)
SPLIT1(float, exp10, float)
SPLIT1(float, expm1, float)
SPLIT1(float, sinh, float)
SPLIT1(float, cosh, float)
SPLIT1(float, tanh, float)
