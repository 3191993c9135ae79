/* Accuracy of the math functions of doubles: each against MPFR, in ulp, over edge values and samples; the table is
 * printed, and every function must keep the full profile's limit (double.def).
 *
 *     CY_ULP_SAMPLES=n    samples of each function (more than the default for a dense run) */
#include "support/mpfr_references.h"
#include "support/xorshift.h"
#include "support/test.h"

#include "intrinsics.h"

#include <math.h>

#define PRECISION 200

static int ref_ldexp(mpfr_t r, const mpfr_t x, long n, mpfr_rnd_t rnd)
{
    return mpfr_mul_2si(r, x, n, rnd);
}

/* ---- samples ---- */

static double from_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof(d));
    return isnan(d) ? (double)NAN : d; /* OpenCL C has no signaling NaNs */
}
static double within(double from, double to)
{
    return from + (to - from) * ((double)(random_bits() >> 11) * 0x1p-53);
}

static const double edges[] = {
    0.0,
    0x1p-1074,
    0x1.ffffffffffffep-1023,
    0x1p-1022,
    0x1p-537,
    0x1p-60,
    0x1p-54,
    0x1p-53,
    0x1p-28,
    0x1p-27,
    0x1p-26,
    0.25,
    0.5,
    0x1.fffffffffffffp-2,
    1.0,
    0x1.fffffffffffffp-1,
    0x1.0000000000001p0,
    1.5,
    2.0,
    2.5,
    3.0,
    4.0,
    10.0,
    17.0,
    0x1.921fb54442d18p+0,
    0x1.921fb54442d18p+1,
    0x1.2d97c7f3321d2p+2,
    0.41421356237309503,
    0.41421356237309509,
    25.0,
    26.5,
    27.2,
    27.3,
    28.0,
    30.0,
    40.0,
    53.0,
    60.0,
    170.0,
    171.62,
    171.63,
    180.0,
    307.0,
    308.25,
    308.26,
    323.0,
    324.0,
    700.0,
    708.0,
    709.78,
    709.79,
    710.47,
    710.48,
    745.1,
    745.2,
    800.0,
    1023.0,
    1024.0,
    1074.0,
    1075.0,
    2047.0,
    0x1p20,
    0x1p28,
    0x1p30,
    0x1p31,
    0x1.fffffffep31,
    0x1.fffffffffffffp51,
    0x1p52,
    0x1.0000000000001p52,
    0x1p53,
    0x1.0000000000001p53,
    0x1p63,
    0x1p64,
    0x1p100,
    0x1p600,
    0x1p900,
    0x1.5p1014,
    0x1.fffffffffffffp1022,
    0x1p1023,
    0x1.fffffffffffffp1023,
    (double)INFINITY,
    (double)NAN,
    0x1.6ac5b262ca1ffp849, /* as close to a multiple of pi/2 as a double gets */
    0x1.921fb54442d18p29,
    0x1.921fb54442d18p40,
};
#define EDGES (2 * sizeof(edges) / sizeof(edges[0]))
static double edge(unsigned i)
{
    return i % 2 ? -edges[i / 2] : edges[i / 2];
}

static double sample_one(unsigned i, double from, double to, bool wide)
{
    if (wide && i < EDGES)
        return edge(i);
    return wide && i % 2 ? from_bits(random_bits()) : within(from, to);
}
static const int int_edges[] = {0,  1,   -1, 2,   -2,   3,   -3,  4,        5,         7,
                                10, -16, 31, 127, -128, 255, 256, 16777217, INT32_MAX, INT32_MIN};

static unsigned samples = 4000;
static double *xs, *ys, *got;
static int32_t *ns;

/* ---- measuring ---- */

struct result {
    double ulp;
    double x, y, value;
    double exact;
};

/* The error in ulp of the exact result; infinity counts as 2^1024. */
static double error_ulp(double value, const mpfr_t exact, double absolute)
{
    if (mpfr_nan_p(exact))
        return isnan(value) ? 0 : (double)INFINITY;
    if (isnan(value))
        return (double)INFINITY;
    if (mpfr_inf_p(exact))
        return isinf(value) && (value < 0) == (mpfr_sgn(exact) < 0) ? 0 : (double)INFINITY;
    if (mpfr_zero_p(exact))
        return value == 0 && !signbit(value) == !mpfr_signbit(exact) ? 0 : (double)INFINITY;
    mpfr_exp_t exponent = mpfr_get_exp(exact) - 53;
    if (isinf(value) && mpfr_get_exp(exact) > 1024) /* far beyond: infinity is right */
        return (value < 0) == (mpfr_sgn(exact) < 0) ? 0 : (double)INFINITY;
    mpfr_t difference;
    mpfr_init2(difference, PRECISION);
    if (isinf(value))
        mpfr_set_si_2exp(difference, value > 0 ? 1 : -1, 1024, MPFR_RNDN);
    else
        mpfr_set_d(difference, value, MPFR_RNDN);
    mpfr_sub(difference, difference, exact, MPFR_RNDN);
    mpfr_abs(difference, difference, MPFR_RNDN);
    bool close = mpfr_cmp_d(difference, absolute) <= 0 && absolute > 0;
    mpfr_mul_2si(difference, difference, -(exponent < -1074 ? -1074 : exponent > 971 ? 971 : exponent), MPFR_RNDU);
    double ulp = close ? 0 : mpfr_get_d(difference, MPFR_RNDU);
    mpfr_clear(difference);
    return ulp;
}

static void keep(struct result *worst, double ulp, double x, double y, double value, const mpfr_t exact)
{
    if (ulp > worst->ulp)
        *worst = (struct result){ulp, x, y, value, mpfr_get_d(exact, MPFR_RNDN)};
}

static void report(const char *name, double limit, const struct result *worst, unsigned wrong_widths)
{
    printf("%-14s %8.2f of %-6g at %a", name, worst->ulp, limit, worst->x);
    if (worst->y != 0)
        printf(", %a", worst->y);
    printf("\n");
    if (!CHECK(worst->ulp <= limit))
        printf("    %s(%a, %a) = %a, exactly %a\n", name, worst->x, worst->y, worst->value, worst->exact);
    if (!CHECK_EQ(wrong_widths, 0))
        printf("    %s: vectors differ from scalars\n", name);
}

typedef int one_ref(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
typedef int two_ref(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd);
typedef int int_ref(mpfr_t r, const mpfr_t x, long n, mpfr_rnd_t rnd);
typedef void one_call(unsigned count, const double *x, double *r);
typedef unsigned one_widths(unsigned count, const double *x, const double *expected);

static void measure_one(const char *name, one_ref *ref, one_call *call, one_widths *widths, double limit,
                        double absolute, double from, double to, bool wide)
{
    struct result worst = {0};
    mpfr_t x, exact;
    mpfr_inits2(PRECISION, x, exact, (mpfr_ptr)0);
    for (unsigned i = 0; i < samples; i++)
        xs[i] = sample_one(i, from, to, wide);
    call(samples, xs, got);
    for (unsigned i = 0; i < samples; i++) {
        mpfr_set_d(x, xs[i], MPFR_RNDN);
        ref(exact, x, MPFR_RNDN);
        keep(&worst, error_ulp(got[i], exact, absolute), xs[i], 0, got[i], exact);
    }
    mpfr_clears(x, exact, (mpfr_ptr)0);
    report(name, limit, &worst, widths(samples < 512 ? samples : 512, xs, got));
}

/* Second operands: edges against edges, then values near which much happens, then any. */
static double sample_two(unsigned i, double to)
{
    if (i < EDGES * 8)
        return edge(i / 8 * 37 % EDGES);
    switch (i % 4) {
    case 0: return from_bits(random_bits());
    case 1: return (double)((int)(random_bits() % 41) - 20);
    default: return within(-to, to);
    }
}

typedef void two_call(unsigned count, const double *x, const double *y, double *r);
typedef unsigned two_widths(unsigned count, const double *x, const double *y, const double *expected);
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
        mpfr_set_d(x, xs[i], MPFR_RNDN);
        mpfr_set_d(y, ys[i], MPFR_RNDN);
        ref(exact, x, y, MPFR_RNDN);
        keep(&worst, error_ulp(got[i], exact, absolute), xs[i], ys[i], got[i], exact);
    }
    mpfr_clears(x, y, exact, (mpfr_ptr)0);
    report(name, limit, &worst, widths(samples < 512 ? samples : 512, xs, ys, got));
}

typedef void int_call(unsigned count, const double *x, const int32_t *y, double *r);
typedef unsigned int_widths(unsigned count, const double *x, const int32_t *y, const double *expected);
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
        mpfr_set_d(x, xs[i], MPFR_RNDN);
        ref(exact, x, ns[i], MPFR_RNDN);
        keep(&worst, error_ulp(got[i], exact, absolute), xs[i], (double)ns[i], got[i], exact);
    }
    mpfr_clears(x, exact, (mpfr_ptr)0);
    report(name, limit, &worst, widths(samples < 512 ? samples : 512, xs, ns, got));
}

#define ONE(name, ...)                                                                                                 \
    one_call double_##name;                                                                                            \
    one_widths double_widths_##name;
#define TWO(name, ...)                                                                                                 \
    two_call double_##name;                                                                                            \
    two_widths double_widths_##name;
#define INT(name, ...)                                                                                                 \
    int_call double_##name;                                                                                            \
    int_widths double_widths_##name;
#include "double.def"
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
        measure_##kind(#name, ref, double_##name, double_widths_##name, ulp, absolute, from, to, wide);
#define ONE(...) ROW(one, __VA_ARGS__)
#define TWO(...) ROW(two, __VA_ARGS__)
#define INT(...) ROW(int, __VA_ARGS__)
#include "double.def"
    free(xs);
    free(ys);
    free(ns);
    free(got);
    return test_finish();
}
