/* Functions with exact results against the host's C library, those with a second result through a pointer, and the
 * geometric functions against double. */
#include "support/test.h"

#include <math.h>
#include <mpfr.h>

static float ref_sign(float x)
{
    return isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x;
}
static float ref_maxmag(float x, float y)
{
    return fabsf(x) > fabsf(y) ? x : fabsf(y) > fabsf(x) ? y : fmaxf(x, y);
}
static float ref_minmag(float x, float y)
{
    return fabsf(x) < fabsf(y) ? x : fabsf(y) < fabsf(x) ? y : fminf(x, y);
}
static float ref_step(float edge, float x)
{
    return x < edge ? 0 : 1;
}

/* ---- samples ---- */

static uint64_t seed = 4101842887655102017u;
static uint32_t random_bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20);
}
static float from_bits(uint32_t bits)
{
    float f;
    if ((bits & 0x7fffffff) > 0x7f800000)
        bits = 0x7fc00000;
    memcpy(&f, &bits, sizeof(f));
    return f;
}
static const float edges[] = {0,
                              0.25f,
                              0.5f,
                              0.75f,
                              1,
                              1.5f,
                              2,
                              2.5f,
                              3.5f,
                              4,
                              7.5f,
                              1e6f,
                              0x1p22f,
                              0x1.fffffep22f,
                              0x1p23f,
                              0x1.000002p23f,
                              0x1p24f,
                              0x1p31f,
                              1e30f,
                              0x1.fffffep127f,
                              0x1p-149f,
                              0x1.fffffcp-127f,
                              0x1p-126f,
                              0x1.fffffep-1f,
                              0x1.fffffep-2f,
                              0x1.000002p0f,
                              INFINITY,
                              NAN};
#define EDGES (2 * sizeof(edges) / sizeof(edges[0]))
static float edge(unsigned i)
{
    return i & 1 ? -edges[i / 2 % (EDGES / 2)] : edges[i / 2 % (EDGES / 2)];
}
/* A random number times 2^(most - 0 ... range - 1). */
static float scaled(int most, unsigned range)
{
    int32_t digits = (int32_t)random_bits();
    return ldexpf((float)digits, most - (int)(random_bits() % range));
}
static float sample(void)
{
    int32_t digits;
    switch (random_bits() % 4) {
    case 0: return edge(random_bits() % EDGES);
    case 1: return from_bits(random_bits());
    case 2: digits = (int32_t)random_bits(); return (float)(digits >> (random_bits() & 31)) * 0.25f;
    default: return scaled(-20, 16);
    }
}

/* Bit by bit, but any NaN is one, and a zero either zero where C leaves that open. */
static bool same(float a, float b, bool any_zero)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return a == b && (any_zero || !signbit(a) == !signbit(b));
}

#define COUNT 6000
static float x[COUNT], y[COUNT], r[COUNT];

#define E1(name, reference)                                                                                            \
    void exact_##name(unsigned count, const float *x, float *r);                                                       \
    unsigned widths_##name(unsigned count, const float *x, const float *expected);
#define E2(name, reference)                                                                                            \
    void exact_##name(unsigned count, const float *x, const float *y, float *r);                                       \
    unsigned widths_##name(unsigned count, const float *x, const float *y, const float *expected);
#include "exact.def"
#undef E1
#undef E2

static void test_exact(void)
{
    for (unsigned i = 0; i < COUNT; i++) {
        x[i] = i < EDGES * EDGES ? edge(i % EDGES) : sample();
        y[i] = i < EDGES * EDGES ? edge(i / EDGES) : sample();
    }
#define E1(name, reference)                                                                                            \
    exact_##name(COUNT, x, r);                                                                                         \
    for (unsigned i = 0; i < COUNT; i++)                                                                               \
        if (!CHECK(same(r[i], reference(x[i]), false)))                                                                \
            fprintf(stderr, "    " #name "(%a) = %a\n", (double)x[i], (double)r[i]);                                   \
    CHECK_EQ(widths_##name(COUNT, x, r), 0);
#define E2(name, reference)                                                                                            \
    exact_##name(COUNT, x, y, r);                                                                                      \
    for (unsigned i = 0; i < COUNT; i++)                                                                               \
        if (!CHECK(same(r[i], reference(x[i], y[i]), strstr(#name, "max") || strstr(#name, "min"))))                   \
            fprintf(stderr, "    " #name "(%a, %a) = %a\n", (double)x[i], (double)y[i], (double)r[i]);                 \
    CHECK_EQ(widths_##name(COUNT, x, y, r), 0);
#include "exact.def"
}

/* ---- second results ---- */

float scalar_fract(float x, float *p), scalar_modf(float x, float *p), scalar_sincos(float x, float *p);
float scalar_frexp(float x, int *p), scalar_lgamma_r(float x, int *p), scalar_remquo(float x, float y, int *p);
unsigned out_fract(const float *x, const float *y), out_modf(const float *x, const float *y);
unsigned out_sincos(const float *x, const float *y), out_frexp(const float *x, const float *y);
unsigned out_lgamma_r(const float *x, const float *y), out_remquo(const float *x, const float *y);
float call_cos(float x), call_sin(float x), call_lgamma(float x), call_ldexp(float x, int n), call_nan(uint32_t code);
float call_fma(float x, float y, float z), call_mix(float x, float y, float a);
float call_smoothstep(float low, float high, float x);
int call_ilogb(float x);
unsigned ldexp_widths(unsigned count, const float *x, const int *y, const float *expected);
unsigned ilogb_widths(unsigned count, const float *x, const int *expected);

static void check_fract(float v)
{
    float whole, fraction = scalar_fract(v, &whole);
    float wanted = v - floorf(v);
    if (wanted == 1)
        wanted = 0x1.fffffep-1f;
    if (v == 0 || isinf(v))
        wanted = copysignf(0, v);
    CHECK(same(fraction, wanted, false));
    CHECK(same(whole, floorf(v), false));
}
static void check_remquo(float v, float w, mpfr_t a, mpfr_t b)
{
    int quotient;
    long exact = 0;
    float rest = scalar_remquo(v, w, &quotient), wanted = remainderf(v, w);
    if (!CHECK(same(rest, wanted, false)))
        fprintf(stderr, "    remquo(%a, %a) = %a\n", (double)v, (double)w, (double)rest);
    mpfr_set_flt(a, v, MPFR_RNDN);
    mpfr_set_flt(b, w, MPFR_RNDN);
    mpfr_remquo(a, &exact, a, b, MPFR_RNDN);
    if (!isnan(wanted) && !CHECK_EQ(quotient, exact < 0 ? -(-exact & 0x7f) : exact & 0x7f))
        fprintf(stderr, "    remquo(%a, %a)\n", (double)v, (double)w);
}
static void check_lgamma_r(float v, mpfr_t a)
{
    int sign, exact;
    CHECK(same(scalar_lgamma_r(v, &sign), call_lgamma(v), false));
    mpfr_set_flt(a, v, MPFR_RNDN);
    mpfr_lgamma(a, &exact, a, MPFR_RNDN);
    if (!mpfr_inf_p(a) && !isnan(v))
        CHECK_EQ(sign, exact);
}

static void test_outputs(void)
{
    mpfr_t a, b;
    mpfr_inits2(300, a, b, (mpfr_ptr)0);
    for (unsigned i = 0; i < 5000; i++) {
        float v = i < EDGES ? edge(i) : sample(), w = sample(), out;
        int power, exact;
        check_fract(v);
        float fraction = scalar_modf(v, &out), whole, wanted = modff(v, &whole);
        CHECK(same(fraction, wanted, false) && same(out, whole, false));
        CHECK(same(scalar_sincos(v, &out), call_sin(v), false) && same(out, call_cos(v), false));
        fraction = scalar_frexp(v, &power), wanted = frexpf(v, &exact);
        CHECK(same(fraction, wanted, false));
        if (isfinite(v))
            CHECK_EQ(power, exact);
        check_remquo(v, w, a, b);
        check_lgamma_r(v, a);
        int logarithm = call_ilogb(v);
        CHECK_EQ(logarithm, v == 0 ? INT32_MIN : isfinite(v) ? ilogbf(v) : INT32_MAX);
        int by = (int)(random_bits() % 700) - 350;
        CHECK(same(call_ldexp(v, by), ldexpf(v, by), false));
        CHECK(same(call_ldexp(v, INT32_MAX), ldexpf(v, 100000), false));
        CHECK(same(call_ldexp(v, INT32_MIN), ldexpf(v, -100000), false));
        CHECK(same(call_fma(v, w, fraction), fmaf(v, w, fraction), false));
    }
    for (unsigned i = 0; i + 16 <= COUNT; i += 16)
        for (unsigned k = 0; k < 16; k++) /* bits of NaN may differ between inlined copies */
            x[i + k] = isnan(x[i + k]) ? 1 : x[i + k], y[i + k] = y[i + k] == 0 || isnan(y[i + k]) ? 3 : y[i + k];
    for (unsigned i = 0; i < COUNT - 16; i += 5) {
        unsigned wrong =
            out_fract(x + i, y + i) + out_modf(x + i, y + i) + out_frexp(x + i, y + i) + out_lgamma_r(x + i, y + i);
        CHECK_EQ(wrong, 0);
        for (unsigned k = 0; k < 16; k++)
            r[k] = isfinite(x[i + k]) ? x[i + k] : 1;
        CHECK_EQ(out_sincos(r, y + i) + out_remquo(r, y + i), 0);
    }
    mpfr_clears(a, b, (mpfr_ptr)0);
}

static void test_ldexp_ilogb(void)
{
    static int n[COUNT], logs[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        n[i] = (int)(random_bits() % 400) - 200;
        r[i] = call_ldexp(x[i], n[i]);
        logs[i] = call_ilogb(x[i]);
    }
    CHECK_EQ(ldexp_widths(COUNT, x, n, r), 0);
    CHECK_EQ(ilogb_widths(COUNT, x, logs), 0);
}

static void test_common(void)
{
    CHECK(isnan(call_nan(5)));
    for (unsigned i = 0; i < 1000; i++) {
        float a = (float)(random_bits() % 1000) / 1000, u = (float)(random_bits() % 1000),
              v = (float)(random_bits() % 1000);
        CHECK(fabs((double)call_mix(u, v, a) - ((double)u + ((double)v - (double)u) * (double)a)) <= 1e-3);
        double t = fmin(fmax(((double)a * 1000 - (double)u) / ((double)v - (double)u), 0), 1);
        if (u < v)
            CHECK(fabs((double)call_smoothstep(u, v, a * 1000) - t * t * (3 - 2 * t)) <= 1e-5);
    }
}

/* ---- geometric ---- */

typedef void geometric(const float *x, const float *y, float *r);
geometric geometric_dot, geometric_distance, geometric_fast_distance, geometric_length, geometric_fast_length;
geometric geometric_normalize, geometric_fast_normalize, call_cross;

static double ulp_of(double v)
{
    int e;
    frexp(v, &e);
    return ldexp(1, e - 24 < -149 ? -149 : e - 24);
}
static double length_of(const double *v, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

static void check_lengths(const float *u, const float *v, bool moderate)
{
    float lengths[4], fast[4], distances[4], fast_distances[4], units[10], fast_units[10];
    geometric_length(u, v, lengths);
    geometric_fast_length(u, v, fast);
    geometric_distance(u, v, distances);
    geometric_fast_distance(u, v, fast_distances);
    geometric_normalize(u, v, units);
    geometric_fast_normalize(u, v, fast_units);
    for (unsigned n = 1, at = 0; n <= 4; at += n, n++) {
        double a[4], d[4];
        for (unsigned i = 0; i < n; i++)
            a[i] = u[i], d[i] = (double)u[i] - (double)v[i];
        double size = length_of(a, n), distance = length_of(d, n);
        CHECK(fabs((double)lengths[n - 1] - size) <= (2.75 + 0.5 * n) * ulp_of(size));
        CHECK(fabs((double)distances[n - 1] - distance) <= (2.5 + 2 * n) * ulp_of(distance));
        if (moderate) {
            CHECK(fabs((double)fast[n - 1] - size) <= 8191.5 * ulp_of(size));
            CHECK(fabs((double)fast_distances[n - 1] - distance) <= 8191.5 * ulp_of(distance));
        }
        for (unsigned i = 0; i < n; i++) {
            double unit = a[i] / size;
            if (!CHECK(fabs((double)units[at + i] - unit) <= (2 + n) * ulp_of(unit)))
                fprintf(stderr, "    normalize(%u): %a, exactly %a\n", n, (double)units[at + i], unit);
            if (moderate)
                CHECK(fabs((double)fast_units[at + i] - unit) <= 8192 * ulp_of(unit));
        }
    }
}

static void check_products(const float *u, const float *v)
{
    float dots[4], cross[7];
    geometric_dot(u, v, dots);
    call_cross(u, v, cross);
    double sum = 0, size = 0;
    for (unsigned n = 1; n <= 4; n++) {
        sum += (double)u[n - 1] * (double)v[n - 1];
        size += fabs((double)u[n - 1] * (double)v[n - 1]);
        CHECK(fabs((double)dots[n - 1] - sum) <= size * n * 0x1p-23);
    }
    for (unsigned i = 0; i < 3; i++) {
        unsigned j = (i + 1) % 3, k = (i + 2) % 3;
        double p = (double)u[j] * (double)v[k], q = (double)u[k] * (double)v[j];
        CHECK(fabs((double)cross[i] - (p - q)) <= (fabs(p) + fabs(q)) * 0x1p-23);
        CHECK(cross[3 + i] == cross[i]);
    }
    CHECK(cross[6] == 0);
}

static void test_geometric(void)
{
    for (unsigned i = 0; i < 4000; i++) {
        float u[4], v[4];
        int scale = i % 3 == 0 ? 90 : i % 3 == 1 ? -130 : 0;
        for (unsigned k = 0; k < 4; k++) {
            u[k] = scaled(scale - 28, 6);
            v[k] = scaled(scale - 28, 6);
        }
        check_lengths(u, v, scale == 0);
        if (scale == 0)
            check_products(u, v);
    }
    float zero[4] = {0, 0, 0, 0}, far[4] = {1, -INFINITY, 2, 3}, none[4] = {1, NAN, 2, 3}, lengths[4], units[10];
    geometric_length(zero, zero, lengths);
    CHECK(lengths[3] == 0);
    geometric_normalize(zero, zero, units);
    CHECK(units[1] == 0 && units[6] == 0);
    geometric_length(far, zero, lengths);
    CHECK(isinf(lengths[1]) && isinf(lengths[3]));
    geometric_normalize(far, zero, units);
    CHECK(units[1] == 0 && units[2] == -1 && units[7] == -1 && units[9] == 0);
    geometric_length(none, zero, lengths);
    CHECK(isnan(lengths[1]) && isnan(lengths[3]));
    geometric_normalize(none, zero, units);
    CHECK(isnan(units[1]) && isnan(units[9]));
}

TEST_MAIN(test_exact, test_outputs, test_ldexp_ilogb, test_common, test_geometric)
