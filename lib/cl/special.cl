/* erf, erfc, tgamma, lgamma. */
#include "float.h"

OVL CONST float log(float x);
OVL CONST float floor(float x);
OVL CONST float sinpi(float x);

/* erf(x) = x + x P(x^2) for |x| < 1 */
INTERNAL float erf_small(float x)
{
    float z = x * x;
    float p = 0x1.4793b8p-14f;
    p = fma1(p, z, -0x1.a359b6p-11f);
    p = fma1(p, z, 0x1.53f2cap-8f);
    p = fma1(p, z, -0x1.b7f722p-6f);
    p = fma1(p, z, 0x1.ce2ce6p-4f);
    p = fma1(p, z, -0x1.81273ep-2f);
    p = fma1(p, z, 0x1.06eba8p-3f);
    return fma1(x, p, x);
}

/* erfc(a) = e^(-a^2) P(q) / (1 + 2a), q = (a - 2) / (a + 2), for a >= 1/2; from 10.06 on it is 0. */
INTERNAL float erfc_large(float a)
{
    a = a < 11.0f ? a : 11.0f;
    float q = (a - 2.0f) / (a + 2.0f);
    float p = -0x1.eb7812p-13f;
    p = fma1(p, q, -0x1.50c124p-10f);
    p = fma1(p, q, 0x1.30591p-10f);
    p = fma1(p, q, 0x1.1c459ap-7f);
    p = fma1(p, q, -0x1.068d06p-7f);
    p = fma1(p, q, -0x1.bc22c4p-5f);
    p = fma1(p, q, 0x1.4ff96p-3f);
    p = fma1(p, q, -0x1.5407bap-3f);
    p = fma1(p, q, -0x1.7bf5eap-4f);
    p = fma1(p, q, 0x1.46e80ep+0f);
    struct pair square = product(a, a);
    float e = __cy_fexp(-square.hi);
    p /= fma1(2.0f, a, 1.0f);
    return p * fma1(-e, square.lo, e);
}

OVL float erf(float x)
{
    float a = abs1(x);
    float r = a < 1.0f ? erf_small(x) : sign1(1.0f - erfc_large(a), x);
    return is_nan(x) ? x : r;
}

OVL float erfc(float x)
{
    float a = abs1(x);
    float large = erfc_large(a), r = x < 0.0f ? 2.0f - large : large;
    r = a < 0.5f ? 1.0f - erf_small(x) : r;
    return is_nan(x) ? x : r;
}

/* log(Gamma(w)) - ((w - 1/2) log w - w + log(2 pi) / 2) for w >= 3.5: Stirling's series, in 1/w */
INTERNAL float stirling(float w)
{
    float v = 1.0f / w, z = v * v;
    float p = -0x1.381382p-11f;        /* -1/1680 */
    p = fma1(p, z, 0x1.a01a02p-11f);   /* 1/1260 */
    p = fma1(p, z, -0x1.6c16c2p-9f);   /* -1/360 */
    p = fma1(p, z, 0x1.555556p-4f);    /* 1/12 */
    return p * v;
}

/* Gamma(x) = Gamma(w) / (x (x+1) (x+2) (x+3)), w = x + 4, for small x; Gamma(-z) = -pi / (z sin(pi z) Gamma(z)). */
OVL float tgamma(float x)
{
    bool reflected = x < -0.5f;
    float z = reflected ? -x : x;
    bool shifted = z < 4.0f;
    float far = z < 60.0f ? z : 60.0f, w = shifted ? far + 4.0f : far, w_rest = shifted ? far - (w - 4.0f) : 0.0f;
    float rising = shifted ? z * (z + 1.0f) * ((z + 2.0f) * (z + 3.0f)) : 1.0f;
    /* log2 of Gamma(w): (w - 1/2) log2(w) - w log2(e) + ..., the first two as pairs */
    struct pair l = log2_pair(w), grow = product(w - 0.5f, l.hi), fall = product(w, LOG2E_HI);
    struct pair e = sum(grow.hi, -fall.hi);
    float rest = fma1(w - 0.5f, l.lo, grow.lo) - fma1(w, LOG2E_LO, fall.lo) + fma1(w_rest, l.hi - 0.72f / w, e.lo);
    rest += fma1(stirling(w), LOG2E_HI, 0x1.53643ap+0f);
    float positive = exp2_pair(e.hi, rest, 1.0f / rising);
    float negative = exp2_pair(-e.hi, -rest, -PI_HI * rising / (z * sinpi(z)));
    float r = reflected ? negative : positive;
    bool pole = x < 0.0f && floor(x) == x;
    return x == 0.0f ? sign1(INFINITY, x) : pole ? NAN : abs1(x) < INFINITY ? r : x;
}

/* lgamma(t + 2) = t (t + 1) P(t) for -1/2 <= t <= 1 */
INTERNAL float lgamma_middle(float t)
{
    float p = -0x1.299536p-15f;
    p = fma1(p, t, 0x1.6f83fp-13f);
    p = fma1(p, t, -0x1.cf01a4p-12f);
    p = fma1(p, t, 0x1.eaaefcp-11f);
    p = fma1(p, t, -0x1.1368c6p-9f);
    p = fma1(p, t, 0x1.4733bp-8f);
    p = fma1(p, t, -0x1.95d12ep-7f);
    p = fma1(p, t, 0x1.0e0dacp-5f);
    p = fma1(p, t, -0x1.9ae65p-4f);
    p = fma1(p, t, 0x1.b0ee6p-2f);
    return t * fma1(t, p, p);
}

INTERNAL float lgamma_positive(float x)
{
    if (x >= 3.0f) {
        float l = log(x) - 1.0f;
        return fma1(x - 0.5f, l, 0x1.acfe3ap-2f + stirling(x)); /* (log(2 pi) - 1) / 2 */
    }
    if (x >= 1.5f)
        return lgamma_middle(x - 2.0f);
    if (x >= 0.5f)
        return lgamma_middle(x - 1.0f) - log(x);
    return lgamma_middle(x) - log(fma1(x, x, x));
}

/* log(pi / (z sine)) - lgamma(z) for z >= 3, where both are large and their difference may be small, next to a pole: as pairs, in
 * log2 as in tgamma. */
INTERNAL float lgamma_reflected(float z, float sine)
{
    struct pair l = log2_pair(z), grow = product(z - 0.5f, l.hi), fall = product(z, LOG2E_HI);
    struct pair e = any_sum(grow.hi, -fall.hi), other = log2_pair(PI_HI / (z * sine)), d = any_sum(other.hi, -e.hi);
    float rest = fma1(z - 0.5f, l.lo, grow.lo) - fma1(z, LOG2E_LO, fall.lo) + e.lo;
    rest += fma1(stirling(z), LOG2E_HI, 0x1.53643ap+0f);
    return fma1(d.hi, LN2_HI, (d.lo + other.lo - rest) * LN2_HI);
}

OVL float lgamma_r(float x, __private int *sign)
{
    float z = abs1(x), below = floor(x);
    bool negative = AS(int, x) < 0, pole = x == 0.0f || (x < 0.0f && below == x);
    bool odd = z < 0x1p23f && ((int)below & 1);
    *sign = negative && (x == 0.0f || (odd && !pole)) ? -1 : 1;
    float r, sine = abs1(sinpi(z));
    if (negative && z >= 3.0f && !pole && z < INFINITY) {
        r = lgamma_reflected(z, sine);
    } else {
        r = lgamma_positive(z);
        if (negative)
            r = z < 0x1p-20f ? -log(z) : log(PI_HI / (z * sine)) - r;
    }
    return is_nan(x) ? x : pole || z == INFINITY ? INFINITY : r;
}

OVL float lgamma(float x)
{
    int sign;
    return lgamma_r(x, &sign);
}

SPLIT1(float, erf, float)
SPLIT1(float, erfc, float)
SPLIT1(float, tgamma, float)
SPLIT1(float, lgamma, float)
OUT1(lgamma_r, int)
