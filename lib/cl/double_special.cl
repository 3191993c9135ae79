/* erf, erfc, tgamma, lgamma of doubles. */
#include "double.h"

OVL CONST double floor(double x);
OVL CONST double sinpi(double x);

/* erf(x) = x + x P(x^2) for |x| < 1 */
INTERNAL double erf_small(double x)
{
    double z = x * x;
    double p = 0x1.05ffd737fb32ep-34;
    p = fma1(p, z, -0x1.389d4f2641625p-30);
    p = fma1(p, z, 0x1.f7b4bf3b13964p-27);
    p = fma1(p, z, -0x1.5f1ecb6f0764cp-23);
    p = fma1(p, z, 0x1.b9df224ca4b97p-20);
    p = fma1(p, z, -0x1.f4d1e3183f7aep-17);
    p = fma1(p, z, 0x1.f9a321d5b8e1ep-14);
    p = fma1(p, z, -0x1.c02db3dac435fp-11);
    p = fma1(p, z, 0x1.565bcd0dbaa38p-8);
    p = fma1(p, z, -0x1.b82ce31284ep-6);
    p = fma1(p, z, 0x1.ce2f21a042b3p-4);
    p = fma1(p, z, -0x1.812746b0379e6p-2);
    p = fma1(p, z, 0x1.06eba8214db69p-3);
    return fma1(x, p, x);
}

/* erfc(a) = e^(-a^2) P(q) / (1 + 2a), q = (a - 3.75) / (a + 3.75), for a >= 1/2; from 27.3 on it is 0. */
INTERNAL double erfc_large(double a)
{
    a = a < 28.0 ? a : 28.0;
    double q = (a - 3.75) / (a + 3.75);
    double p = 0x1.7f40a339df88bp-31;
    p = fma1(p, q, 0x1.c922543932677p-32);
    p = fma1(p, q, -0x1.b51ae537894f7p-28);
    p = fma1(p, q, -0x1.204007822b3c8p-28);
    p = fma1(p, q, 0x1.6029b42458de8p-25);
    p = fma1(p, q, 0x1.9e7a509fdbe47p-26);
    p = fma1(p, q, -0x1.189c9a31f223p-22);
    p = fma1(p, q, -0x1.f3c0d1b91fbeap-25);
    p = fma1(p, q, 0x1.d6bc81040654bp-20);
    p = fma1(p, q, -0x1.05277c0fad0f7p-20);
    p = fma1(p, q, -0x1.80090e9cc1e63p-17);
    p = fma1(p, q, 0x1.778a2ff9faae8p-16);
    p = fma1(p, q, 0x1.b144538e7dc51p-15);
    p = fma1(p, q, -0x1.303f9da0744bdp-12);
    p = fma1(p, q, 0x1.33fb241807841p-12);
    p = fma1(p, q, 0x1.cc3a0e2279a8dp-10);
    p = fma1(p, q, -0x1.3f603c335ad0dp-7);
    p = fma1(p, q, 0x1.d0b0037dcc4e1p-6);
    p = fma1(p, q, -0x1.e0d0fa6e02438p-5);
    p = fma1(p, q, 0x1.7a14188a99b34p-4);
    p = fma1(p, q, -0x1.bda9309a28838p-4);
    p = fma1(p, q, 0x1.510169d096803p-4);
    p = fma1(p, q, 0x1.d5f2948159dp-9);
    p = fma1(p, q, -0x1.1f367683f89a7p-3);
    p = fma1(p, q, 0x1.3ccda0b5d5dc2p+0);
    struct pair square = product(a, a);
    return exp_pair(-square.hi, -square.lo, p / fma1(2.0, a, 1.0));
}

OVL double erf(double x)
{
    double a = abs1(x);
    double r = a < 1.0 ? erf_small(x) : sign1(1.0 - erfc_large(a), x);
    return is_nan(x) ? x : r;
}

OVL double erfc(double x)
{
    double a = abs1(x);
    double large = erfc_large(a), r = x < 0.0 ? 2.0 - large : large;
    r = a < 0.5 ? 1.0 - erf_small(x) : r;
    return is_nan(x) ? x : r;
}

/* log(Gamma(w)) - ((w - 1/2) log w - w + log(2 pi) / 2) for w >= 10: Stirling's series, in 1/w */
INTERNAL double stirling(double w)
{
    double v = 1.0 / w, z = v * v;
    double p = -0x1.e4286cb0f5398p-6;              /* -3617/122400 */
    p = fma1(p, z, 0x1.a41a41a41a41ap-8);          /* 1/156 */
    p = fma1(p, z, -0x1.f6ab0d9993c7dp-10);        /* -691/360360 */
    p = fma1(p, z, 0x1.b951e2b18ff23p-11);         /* 1/1188 */
    p = fma1(p, z, -0x1.3813813813814p-11);        /* -1/1680 */
    p = fma1(p, z, 0x1.a01a01a01a01ap-11);         /* 1/1260 */
    p = fma1(p, z, -0x1.6c16c16c16c17p-9);         /* -1/360 */
    p = fma1(p, z, 0x1.5555555555555p-4);          /* 1/12 */
    return p * v;
}

/* log(Gamma(z)) for z > 0 as `log` + log(1 / `rising`): Gamma(z) = Gamma(w) / (z (z+1) ... (w-1)) with w >= 10. */
struct gamma {
    struct pair log, rising;
};
INTERNAL struct gamma gamma_of(double z)
{
    struct gamma g = {.rising = {1.0, 0.0}};
    struct pair w = {z, 0.0};
    for (int i = 0; i < 10 && w.hi < 10.0; i++) {
        g.rising = pair_mul(g.rising, w);
        w = any_sum(w.hi, 1.0 + w.lo);
    }
    struct pair l = log_pair(w.hi), less = any_sum(w.hi, -0.5);
    l = pair_add(l, (struct pair){w.lo / w.hi, 0.0});
    less.lo += w.lo;
    g.log = pair_add(pair_mul(less, l), (struct pair){-w.hi, -w.lo});
    g.log = pair_add(g.log, (struct pair){0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55});
    g.log = pair_add(g.log, (struct pair){stirling(w.hi), 0.0});
    return g;
}

/* Gamma(-z) = -pi / (z sin(pi z) Gamma(z)) */
OVL double tgamma(double x)
{
    bool reflected = x < -0.5, tiny = abs1(x) < 0x1p-60;
    double z = reflected ? -x : tiny ? 1.0 : x;
    struct gamma g = gamma_of(z < 200.0 ? z : 200.0);
    double inverse = 1.0 / g.rising.hi;
    double rest = -g.rising.lo * inverse; /* of the logarithm */
    double positive = exp_pair(g.log.hi, g.log.lo + rest, inverse);
    double negative = exp_pair(-g.log.hi, -g.log.lo - rest, -PI_HI * g.rising.hi / (z * sinpi(z)));
    double r = reflected ? negative : tiny ? 1.0 / x : positive;
    bool pole = x < 0.0 && floor(x) == x;
    return x == 0.0 ? sign1(INFINITY, x) : pole ? NAN : is_finite(x) ? r : x;
}

/* log |Gamma(x)| and its sign: log |Gamma(-z)| = log(pi / (z |sin(pi z)|)) - log(Gamma(z)) */
INTERNAL double log_gamma(double x, int *sign)
{
    bool reflected = x < 0.0;
    double z = abs1(x), bounded = z < 0x1p1014 ? z : 0x1p1014;
    bool tiny = z < 0x1p-60;
    struct gamma g = gamma_of(tiny ? 1.0 : bounded);
    struct pair fall = log_pair(g.rising.hi);
    fall.lo += g.rising.lo / g.rising.hi;
    struct pair l = pair_add(g.log, (struct pair){-fall.hi, -fall.lo});
    double s = sinpi(z), turn = z * abs1(s);
    struct pair up = log_pair(turn > 0.0 && is_finite(turn) ? turn : 1.0), down = log_pair(tiny && z > 0.0 ? z : 1.0);
    struct pair of_pi = {0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57}; /* log(pi) */
    struct pair mirrored = pair_add(pair_add(of_pi, (struct pair){-up.hi, -up.lo}), (struct pair){-l.hi, -l.lo});
    bool pole = x == 0.0 || (reflected && floor(x) == x);
    *sign = AS(long, x) < 0 && (x == 0.0 || (!pole && (tiny || s > 0.0))) ? -1 : 1;
    double huge = z * 0x1p-10 * (log_pair(is_finite(z) && z > 0.0 ? z : 1.0).hi - 1.0) * 0x1p10;
    double r = tiny ? -(down.hi + down.lo) : z > 0x1p1014 ? huge : reflected ? mirrored.hi : l.hi;
    r = x == 1.0 || x == 2.0 ? 0.0 : r;
    return is_nan(x) ? x : pole || !is_finite(x) ? INFINITY : r;
}

OVL double lgamma(double x)
{
    int sign;
    return log_gamma(x, &sign);
}
OVL double lgamma_r(double x, __private int *sign) { return log_gamma(x, sign); }

SPLIT1(double, erf, double)
SPLIT1(double, erfc, double)
SPLIT1(double, tgamma, double)
SPLIT1(double, lgamma, double)
OUT1_OF(double, lgamma_r, int)
