/* log, log2, log10, log1p, asinh, acosh, atanh of doubles. */
#include "double.h"

/* The result for an x that is not positive and finite, else r. */
INTERNAL double domain(double x, double r)
{
    return x > 0.0 && is_finite(x) ? r : x == 0.0 ? -INFINITY : x < 0.0 ? NAN : x;
}

OVL double log(double x)
{
    struct pair l = log_pair(x);
    return domain(x, l.hi + l.lo);
}

/* n / log(base) + l / ln(base), where n may be a pair */
INTERNAL double in_base(double n, double n_rest, struct pair l, double hi, double lo)
{
    struct pair first = product(l.hi, hi), r = any_sum(n, first.hi);
    return r.hi + (r.lo + (n_rest + (first.lo + fma1(l.hi, lo, l.lo * hi))));
}

OVL double log2(double x)
{
    int k;
    double m = split(x, &k);
    return domain(x, in_base((double)k, 0.0, log1p_pair((struct pair){m - 1.0, 0.0}), LOG2E_HI, LOG2E_LO));
}

OVL double log10(double x)
{
    int k;
    double m = split(x, &k), n = (double)k;
    struct pair l = log1p_pair((struct pair){m - 1.0, 0.0});
    return domain(x, in_base(n * LOG10_2_SHORT, n * LOG10_2_REST, l, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57));
}

/* log(u + rest) with u = 1 + x rounded */
OVL double log1p(double x)
{
    struct pair u = any_sum(1.0, x);
    int k;
    double m = split(u.hi, &k), n = (double)k;
    struct pair f = any_sum(m - 1.0, k > 1000 ? 0.0 : u.lo * power_of_2(-k)), l = log1p_pair(f);
    struct pair r = any_sum(n * LN2_SHORT, l.hi);
    double sum = r.hi + (r.lo + fma1(n, LN2_REST, l.lo));
    return abs1(x) < 0x1p-54 ? x : domain(u.hi, sum);
}

OVL double asinh(double x)
{
    double a = abs1(x), z = a * a;
    bool large = a > 0x1p28;
    struct pair l = log_pair(large ? a : 1.0);
    double small = log1p(a + z / (1.0 + sqrt1(z + 1.0)));
    double r = large ? l.hi + (l.lo + LN2_HI) : small;
    return a < 0x1p-28 || !is_finite(x) ? x : sign1(r, x);
}

OVL double acosh(double x)
{
    double t = x - 1.0;
    bool large = x > 0x1p28;
    struct pair l = log_pair(large ? x : 1.0);
    double small = log1p(t + sqrt1(t * (t + 2.0)));
    double r = large ? l.hi + (l.lo + LN2_HI) : small;
    return x < INFINITY ? (x < 1.0 ? NAN : r) : x;
}

OVL double atanh(double x)
{
    double a = abs1(x);
    double r = 0.5 * log1p(2.0 * a / (1.0 - a));
    return a < 0x1p-28 ? x : a > 1.0 ? NAN : sign1(r, x);
}

SPLIT1(double, log, double)
SPLIT1(double, log2, double)
SPLIT1(double, log10, double)
SPLIT1(double, log1p, double)
SPLIT1(double, asinh, double)
SPLIT1(double, acosh, double)
SPLIT1(double, atanh, double)
