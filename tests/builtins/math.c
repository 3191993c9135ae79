/* Accuracy of the math functions: each against MPFR, in ulp, over edge values and samples; the table is printed, and every
 * function must keep the full profile's limit (math.def).  The machine's e^x may round either way: functions are measured
 * with both, and the worst counts.
 *
 *     CY_ULP_SAMPLES=n    samples of each function (more than the default for a dense run) */
#include "support/mpfr_references.h"
#include "support/test.h"

#include "intrinsics.h"

#include <math.h>

#define PRECISION 96

/* ---- more references ---- */

static int ref_recip(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    return mpfr_si_div(r, 1, x, rnd);
}

/* ---- samples ---- */

static uint64_t seed = 0x9e3779b97f4a7c15u;
static uint32_t random_bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}
static float from_bits(uint32_t bits)
{
    float f;
    if ((bits & 0x7fffffff) > 0x7f800000)
        bits |= 0x400000; /* OpenCL C has no signaling NaNs */
    memcpy(&f, &bits, sizeof(f));
    return f;
}
static float within(double from, double to)
{
    return (float)(from + (to - from) * random_bits() / 4294967295.0);
}

static const float edges[] = {
    0.0f,
    0x1p-149f,
    0x1.fffffcp-127f,
    0x1p-126f,
    0x1p-64f,
    0x1p-24f,
    0x1p-13f,
    0x1p-12f,
    0x1p-11f,
    0.25f,
    0.5f,
    0x1.fffffep-2f,
    1.0f,
    0x1.fffffep-1f,
    0x1.000002p0f,
    1.5f,
    2.0f,
    2.5f,
    3.0f,
    0x1.921fb6p+0f,
    0x1.921fb6p+1f,
    0x1.2d97c8p+2f,
    4.0f,
    10.0f,
    17.0f,
    20.0f,
    35.0f,
    35.03f,
    36.0f,
    38.0f,
    44.0f,
    45.0f,
    80.0f,
    88.0f,
    88.72f,
    88.73f,
    89.4f,
    103.9f,
    127.0f,
    128.0f,
    149.0f,
    150.0f,
    255.0f,
    65535.0f,
    65536.0f,
    131071.0f,
    131072.0f,
    0x1.fffffep22f,
    0x1p23f,
    8388609.0f,
    0x1p24f,
    16777218.0f,
    0x1p31f,
    0x1p32f,
    0x1.fffffep62f,
    0x1p64f,
    0x1p100f,
    0x1.fffffep126f,
    0x1p127f,
    0x1.fffffep127f,
    INFINITY,
    NAN,
    0x1.47d0fep34f,
    0x1.921fb6p17f,
    0x1.ffff64p+2f, /* next to a pole of lgamma */
};
#define EDGES (2 * sizeof(edges) / sizeof(edges[0]))
static float edge(unsigned i)
{
    return i % 2 ? -edges[i / 2] : edges[i / 2];
}

static float sample_one(unsigned i, double from, double to, bool wide)
{
    if (wide && i < EDGES)
        return edge(i);
    return wide && i % 2 ? from_bits(random_bits()) : within(from, to);
}
static const int int_edges[] = {0,  1,   -1, 2,   -2,   3,   -3,  4,        5,         7,
                                10, -16, 31, 127, -128, 255, 256, 16777217, INT32_MAX, INT32_MIN};

static unsigned samples = 10000;
static float *xs, *ys, *got;
static int32_t *ns;

/* ---- measuring ---- */

struct result {
    double ulp;
    float x, y, value;
    double exact;
};

/* The error in ulp of the exact result; infinity counts as 2^128. */
static double error_ulp(float value, const mpfr_t exact, double absolute)
{
    if (mpfr_nan_p(exact))
        return isnan(value) ? 0 : INFINITY;
    if (isnan(value))
        return INFINITY;
    if (mpfr_inf_p(exact))
        return isinf(value) && (value < 0) == (mpfr_sgn(exact) < 0) ? 0 : INFINITY;
    if (mpfr_zero_p(exact))
        return value == 0 && !signbit(value) == !mpfr_signbit(exact) ? 0 : INFINITY;
    mpfr_t difference;
    mpfr_init2(difference, PRECISION);
    if (isinf(value))
        mpfr_set_d(difference, value > 0 ? 0x1p128 : -0x1p128, MPFR_RNDN);
    else
        mpfr_set_d(difference, (double)value, MPFR_RNDN);
    mpfr_exp_t exponent = mpfr_get_exp(exact) - 24;
    if (isinf(value) && mpfr_get_exp(exact) > 128) { /* far beyond: infinity is right */
        mpfr_clear(difference);
        return (value < 0) == (mpfr_sgn(exact) < 0) ? 0 : INFINITY;
    }
    mpfr_sub(difference, difference, exact, MPFR_RNDN);
    mpfr_abs(difference, difference, MPFR_RNDN);
    bool close = mpfr_cmp_d(difference, absolute) <= 0 && absolute > 0;
    mpfr_mul_2si(difference, difference, -(exponent < -149 ? -149 : exponent > 104 ? 104 : exponent), MPFR_RNDU);
    double ulp = close ? 0 : mpfr_get_d(difference, MPFR_RNDU);
    mpfr_clear(difference);
    return ulp;
}

static void keep(struct result *worst, double ulp, float x, float y, float value, const mpfr_t exact)
{
    if (ulp > worst->ulp)
        *worst = (struct result){ulp, x, y, value, mpfr_get_d(exact, MPFR_RNDN)};
}

static void report(const char *name, double limit, const struct result *worst, unsigned wrong_widths)
{
    printf("%-14s %8.2f of %-6g at %a", name, worst->ulp, limit, (double)worst->x);
    if (worst->y != 0)
        printf(", %a", (double)worst->y);
    printf("\n");
    if (!CHECK(worst->ulp <= limit))
        printf("    %s(%a, %a) = %a, exactly %a\n", name, (double)worst->x, (double)worst->y, (double)worst->value,
               worst->exact);
    if (!CHECK_EQ(wrong_widths, 0))
        printf("    %s: vectors differ from scalars\n", name);
}

typedef int one_ref(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
typedef int two_ref(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd);
typedef int int_ref(mpfr_t r, const mpfr_t x, long n, mpfr_rnd_t rnd);
typedef void one_call(unsigned count, const float *x, float *r);
typedef unsigned one_widths(unsigned count, const float *x, const float *expected);

static void measure_one(const char *name, one_ref *ref, one_call *call, one_widths *widths, double limit,
                        double absolute, double from, double to, bool wide)
{
    struct result worst = {0};
    unsigned wrong = 0;
    mpfr_t x, exact;
    mpfr_inits2(PRECISION, x, exact, (mpfr_ptr)0);
    float *values = got + samples;
    for (unsigned i = 0; i < samples; i++)
        xs[i] = sample_one(i, from, to, wide);
    for (int rounding = -1; rounding <= 1; rounding++) {
        fexp_rounding = rounding;
        call(samples, xs, values + (rounding + 1) * (int)samples);
        if (rounding == 0)
            wrong = widths(samples < 512 ? samples : 512, xs, values + samples);
    }
    fexp_rounding = 0;
    for (unsigned i = 0; i < samples; i++) {
        mpfr_set_flt(x, xs[i], MPFR_RNDN);
        ref(exact, x, MPFR_RNDN);
        for (unsigned k = 0; k < 3; k++) {
            float value = values[k * samples + i];
            if (k && value == values[(k - 1) * samples + i])
                continue;
            keep(&worst, error_ulp(value, exact, absolute), xs[i], 0, value, exact);
        }
    }
    mpfr_clears(x, exact, (mpfr_ptr)0);
    report(name, limit, &worst, wrong);
}

/* Second operands: edges against edges, then values near which much happens, then any. */
static float sample_two(unsigned i, double to)
{
    if (i < EDGES * 8)
        return edge(i / 8 * 37 % EDGES);
    switch (i % 4) {
    case 0: return from_bits(random_bits());
    case 1: return (float)((int)(random_bits() % 41) - 20);
    default: return within(-to, to);
    }
}

typedef void two_call(unsigned count, const float *x, const float *y, float *r);
typedef unsigned two_widths(unsigned count, const float *x, const float *y, const float *expected);
static void measure_two(const char *name, two_ref *ref, two_call *call, two_widths *widths, double limit,
                        double absolute, double from, double to, bool wide)
{
    struct result worst = {0};
    mpfr_t x, y, exact;
    mpfr_inits2(PRECISION, x, y, exact, (mpfr_ptr)0);
    for (unsigned i = 0; i < samples; i++) {
        xs[i] = wide && i < EDGES * 8 ? edge(i % EDGES) : sample_one(i + EDGES, from, to, wide);
        ys[i] = wide ? sample_two(i, to) : within(-to, to);
    }
    call(samples, xs, ys, got);
    for (unsigned i = 0; i < samples; i++) {
        mpfr_set_flt(x, xs[i], MPFR_RNDN);
        mpfr_set_flt(y, ys[i], MPFR_RNDN);
        ref(exact, x, y, MPFR_RNDN);
        keep(&worst, error_ulp(got[i], exact, absolute), xs[i], ys[i], got[i], exact);
    }
    mpfr_clears(x, y, exact, (mpfr_ptr)0);
    report(name, limit, &worst, widths(samples < 512 ? samples : 512, xs, ys, got));
}

typedef void int_call(unsigned count, const float *x, const int32_t *y, float *r);
typedef unsigned int_widths(unsigned count, const float *x, const int32_t *y, const float *expected);
static void measure_int(const char *name, int_ref *ref, int_call *call, int_widths *widths, double limit,
                        double absolute, double from, double to, bool wide)
{
    struct result worst = {0};
    mpfr_t x, exact;
    mpfr_inits2(PRECISION, x, exact, (mpfr_ptr)0);
    for (unsigned i = 0; i < samples; i++) {
        xs[i] = i < EDGES * 8 ? edge(i % EDGES) : sample_one(i + EDGES, from, to, wide);
        ns[i] = i % 2 ? int_edges[random_bits() % (sizeof(int_edges) / sizeof(int_edges[0]))]
                      : (int32_t)(random_bits() % 121) - 60;
    }
    call(samples, xs, ns, got);
    for (unsigned i = 0; i < samples; i++) {
        mpfr_set_flt(x, xs[i], MPFR_RNDN);
        ref(exact, x, ns[i], MPFR_RNDN);
        keep(&worst, error_ulp(got[i], exact, absolute), xs[i], (float)ns[i], got[i], exact);
    }
    mpfr_clears(x, exact, (mpfr_ptr)0);
    report(name, limit, &worst, widths(samples < 512 ? samples : 512, xs, ns, got));
}

#define ONE(name, ...)                                                                                                 \
    one_call call_##name;                                                                                              \
    one_widths widths_##name;
#define TWO(name, ...)                                                                                                 \
    two_call call_##name;                                                                                              \
    two_widths widths_##name;
#define INT(name, ...)                                                                                                 \
    int_call call_##name;                                                                                              \
    int_widths widths_##name;
#include "math.def"
#undef ONE
#undef TWO
#undef INT

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    const char *asked = getenv("CY_ULP_SAMPLES");
    if (asked)
        samples = (unsigned)strtoul(asked, NULL, 10);
    xs = calloc(samples, sizeof(*xs));
    ys = calloc(samples, sizeof(*ys));
    ns = calloc(samples, sizeof(*ns));
    got = calloc((size_t)samples * 4, sizeof(*got));
    if (!xs || !ys || !ns || !got)
        return 2;
#define ROW(kind, name, ref, ulp, absolute, from, to, wide)                                                            \
    if (!only || !strcmp(only, #name))                                                                                 \
        measure_##kind(#name, ref, call_##name, widths_##name, ulp, absolute, from, to, wide);
#define ONE(...) ROW(one, __VA_ARGS__)
#define TWO(...) ROW(two, __VA_ARGS__)
#define INT(...) ROW(int, __VA_ARGS__)
#include "math.def"
    free(xs);
    free(ys);
    free(ns);
    free(got);
    return test_finish();
}
