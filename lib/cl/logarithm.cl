/* log, log2, log10, log1p and functions based on them: asinh, acosh, atanh. */
#include "float.h"

/* The result for an x that is not positive and finite, else r. */
INTERNAL float domain(float x, float r)
{
    return is_positive(x) ? r : x == 0.0f ? -INFINITY : x < 0.0f ? NAN : x;
}

INTERNAL float log_positive(float x)
{
    int k;
    float f = split(x, &k) - 1.0f, n = (float)k;
    return fma1(n, LN2_SHORT, f + fma1(n, LN2_REST, log_rest(f)));
}

OVL float log(float x) { return domain(x, log_positive(x)); }

OVL float log2(float x)
{
    int k;
    float f = split(x, &k) - 1.0f;
    struct pair first = product(f, LOG2E_HI);
    float rest = first.lo + fma1(f, LOG2E_LO, log_rest(f) * LOG2E_HI);
    return domain(x, (float)k + (first.hi + rest));
}

OVL float log10(float x)
{
    int k;
    float f = split(x, &k) - 1.0f, n = (float)k;
    struct pair first = product(f, 0x1.bcb7b2p-2f);
    float rest = first.lo + fma1(f, -0x1.5b235ep-27f, log_rest(f) * 0x1.bcb7b2p-2f);
    return domain(x, fma1(n, LOG10_2_SHORT, first.hi + fma1(n, LOG10_2_REST, rest)));
}

/* log(u + rest) with u = 1 + x rounded */
OVL float log1p(float x)
{
    struct pair u = any_sum(1.0f, x);
    int k;
    float m = split(u.hi, &k), n = (float)k;
    float f = (m - 1.0f) + (k > 120 ? 0.0f : u.lo * power_of_2(-k));
    float r = fma1(n, LN2_SHORT, f + fma1(n, LN2_REST, log_rest(f)));
    return abs1(x) < 0x1p-24f ? x : domain(u.hi, r);
}

OVL float asinh(float x)
{
    float a = abs1(x), z = a * a;
    bool large = a > 0x1p14f;
    float small = log1p(a + z / (1.0f + sqrt1(z + 1.0f)));
    float r = large ? log_positive(a) + LN2_HI : small;
    return abs1(x) < 0x1p-12f || !(a < INFINITY) ? x : sign1(r, x);
}

OVL float acosh(float x)
{
    float t = x - 1.0f;
    float small = log1p(t + sqrt1(t * (t + 2.0f)));
    float r = x > 0x1p14f ? log_positive(x) + LN2_HI : small;
    return x < INFINITY ? (x < 1.0f ? NAN : r) : x;
}

OVL float atanh(float x)
{
    float a = abs1(x);
    float r = 0.5f * log1p(2.0f * a / (1.0f - a));
    return a < 0x1p-12f ? x : a > 1.0f ? NAN : sign1(r, x);
}

SPLIT1(float, log, float)
SPLIT1(float, log2, float)
SPLIT1(float, log10, float)
SPLIT1(float, log1p, float)
SPLIT1(float, asinh, float)
SPLIT1(float, acosh, float)
SPLIT1(float, atanh, float)
