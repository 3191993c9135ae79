/* Accuracy of the math functions of halves, on the device: each against MPFR, in ulp, within the half-precision table's
 * limits.  Functions of one argument over every half with the argument "all", otherwise over every 31st and edge values. */
#include "cl_test.h"

#include "support/mpfr_references.h"

#include <math.h>
#include <string.h>

enum { PRECISION = 64, ALL = 65536, PAIRS = 4096 };

/* ---- more references ---- */

static int ref_round(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    (void)rnd;
    return mpfr_round(r, x);
}
static int ref_floor(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    (void)rnd;
    return mpfr_floor(r, x);
}
static int ref_ceil(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    (void)rnd;
    return mpfr_ceil(r, x);
}
static int ref_trunc(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    (void)rnd;
    return mpfr_trunc(r, x);
}

/* MPFR has 1 for a power of 1 that is not a number. */
static int ref_powr(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd)
{
    int i = mpfr_powr(r, x, y, rnd);
    if (mpfr_nan_p(y))
        mpfr_set_nan(r);
    return i;
}

/* name, reference, ulp, absolute error allowed instead; exact results count as half an ulp: they are rounded once */
#define ONES(F)                                                                                                        \
    F(acos, mpfr_acos, 2, 0)                                                                                           \
    F(acosh, mpfr_acosh, 2, 0)                                                                                         \
    F(acospi, mpfr_acospi, 2, 0)                                                                                       \
    F(asin, mpfr_asin, 2, 0)                                                                                           \
    F(asinh, mpfr_asinh, 2, 0)                                                                                         \
    F(asinpi, mpfr_asinpi, 2, 0)                                                                                       \
    F(atan, mpfr_atan, 2, 0)                                                                                           \
    F(atanh, mpfr_atanh, 2, 0)                                                                                         \
    F(atanpi, mpfr_atanpi, 2, 0)                                                                                       \
    F(cbrt, mpfr_cbrt, 2, 0)                                                                                           \
    F(ceil, ref_ceil, 0.5, 0)                                                                                          \
    F(cos, mpfr_cos, 2, 0)                                                                                             \
    F(cosh, mpfr_cosh, 2, 0)                                                                                           \
    F(cospi, mpfr_cospi, 2, 0)                                                                                         \
    F(erf, mpfr_erf, 4, 0)                                                                                             \
    F(erfc, mpfr_erfc, 4, 0)                                                                                           \
    F(exp, mpfr_exp, 2, 0)                                                                                             \
    F(exp2, mpfr_exp2, 2, 0)                                                                                           \
    F(exp10, mpfr_exp10, 2, 0)                                                                                         \
    F(expm1, mpfr_expm1, 2, 0)                                                                                         \
    F(floor, ref_floor, 0.5, 0)                                                                                        \
    F(lgamma, ref_lgamma, 4, 1e-4)                                                                                     \
    F(log, mpfr_log, 2, 0)                                                                                             \
    F(log2, mpfr_log2, 2, 0)                                                                                           \
    F(log10, mpfr_log10, 2, 0)                                                                                         \
    F(log1p, mpfr_log1p, 2, 0)                                                                                         \
    F(rint, mpfr_rint, 0.5, 0)                                                                                         \
    F(round, ref_round, 0.5, 0)                                                                                        \
    F(rsqrt, ref_rsqrt, 1, 0)                                                                                          \
    F(sin, mpfr_sin, 2, 0)                                                                                             \
    F(sinh, mpfr_sinh, 2, 0)                                                                                           \
    F(sinpi, mpfr_sinpi, 2, 0)                                                                                         \
    F(sqrt, mpfr_sqrt, 0.5, 0)                                                                                         \
    F(tan, mpfr_tan, 2, 0)                                                                                             \
    F(tanh, mpfr_tanh, 2, 0)                                                                                           \
    F(tanpi, mpfr_tanpi, 2, 0)                                                                                         \
    F(tgamma, mpfr_gamma, 4, 0)                                                                                        \
    F(trunc, ref_trunc, 0.5, 0)                                                                                        \
    F(degrees, ref_degrees, 2, 0)                                                                                      \
    F(radians, ref_radians, 2, 0)
#define TWOS(F)                                                                                                        \
    F(atan2, mpfr_atan2, 2, 0)                                                                                         \
    F(atan2pi, mpfr_atan2pi, 2, 0)                                                                                     \
    F(fmod, mpfr_fmod, 0.5, 0)                                                                                         \
    F(remainder, mpfr_remainder, 0.5, 0)                                                                               \
    F(hypot, mpfr_hypot, 2, 0)                                                                                         \
    F(pow, mpfr_pow, 4, 0)                                                                                             \
    F(powr, ref_powr, 4, 0)                                                                                            \
    F(divide, mpfr_div, 1, 0)                                                                                          \
    F(sum, mpfr_add, 0.5, 0)                                                                                           \
    F(product, mpfr_mul, 0.5, 0)

/* ---- measuring ---- */

static double value_of(unsigned bits)
{
    const double sign = bits & 0x8000 ? -1 : 1;
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24));
}

/* The error in ulp of the exact result; infinity counts as 2^16. */
static double error_ulp(double value, const mpfr_t exact, double absolute)
{
    const bool negative = mpfr_signbit(exact) != 0;
    if (mpfr_nan_p(exact) || isnan(value))
        return mpfr_nan_p(exact) && isnan(value) ? 0 : INFINITY;
    if (mpfr_inf_p(exact))
        return isinf(value) && (value < 0) == negative ? 0 : INFINITY;
    if (mpfr_zero_p(exact))
        return value == 0 && !signbit(value) == !negative ? 0 : INFINITY;
    if (isinf(value) && mpfr_get_exp(exact) > 16) /* far beyond: infinity is right */
        return (value < 0) == negative ? 0 : INFINITY;
    long exponent = mpfr_get_exp(exact) - 11;
    exponent = exponent < -24 ? -24 : exponent > 5 ? 5 : exponent;
    mpfr_t difference;
    mpfr_init2(difference, PRECISION);
    mpfr_set_d(difference, isinf(value) ? copysign(65536.0, value) : value, MPFR_RNDN);
    mpfr_sub(difference, difference, exact, MPFR_RNDN);
    mpfr_abs(difference, difference, MPFR_RNDN);
    const bool close = absolute > 0 && mpfr_cmp_d(difference, absolute) <= 0;
    mpfr_mul_2si(difference, difference, -exponent, MPFR_RNDN);
    const double ulp = close ? 0 : mpfr_get_d(difference, MPFR_RNDN);
    mpfr_clear(difference);
    return ulp;
}

static cl_ushort xs[ALL], ys[PAIRS], got[ALL];

static void report(const char *name, double worst, double limit, unsigned x, unsigned y)
{
    printf("%-10s %6.3f of %g at %04x %04x\n", name, worst, limit, x, y);
    CHECK(worst <= limit);
}

typedef int one_ref(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd);
static void measure_one(const char *name, one_ref *ref, double limit, double absolute, unsigned step)
{
    double worst = 0;
    unsigned at = 0;
    mpfr_t x, exact;
    mpfr_inits2(PRECISION, x, exact, (mpfr_ptr)0);
    for (unsigned i = 0; i < ALL; i += i % 1024 < 2 || i % 1024 > 1021 ? 1 : step) { /* all next to powers of two */
        mpfr_set_d(x, value_of(i), MPFR_RNDN);
        ref(exact, x, MPFR_RNDN);
        double ulp = error_ulp(value_of(got[i]), exact, absolute);
        if (ulp > worst) {
            worst = ulp;
            at = i;
        }
    }
    mpfr_clears(x, exact, (mpfr_ptr)0);
    report(name, worst, limit, at, 0);
}

typedef int two_ref(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd);
static void measure_two(const char *name, two_ref *ref, double limit)
{
    double worst = 0;
    unsigned at = 0;
    mpfr_t x, y, exact;
    mpfr_inits2(PRECISION, x, y, exact, (mpfr_ptr)0);
    for (unsigned i = 0; i < PAIRS; i++) {
        mpfr_set_d(x, value_of(xs[i]), MPFR_RNDN);
        mpfr_set_d(y, value_of(ys[i]), MPFR_RNDN);
        ref(exact, x, y, MPFR_RNDN);
        double ulp = error_ulp(value_of(got[i]), exact, 0);
        if (ulp > worst) {
            worst = ulp;
            at = i;
        }
    }
    mpfr_clears(x, y, exact, (mpfr_ptr)0);
    report(name, worst, limit, xs[at], ys[at]);
}

#define ONE_KERNEL(name, ref, ulp, absolute)                                                                           \
    "kernel void k_" #name "(global ushort *r) {\n"                                                                    \
    "    size_t i = get_global_id(0); r[i] = as_ushort(" #name "(as_half((ushort)i)));\n"                              \
    "}\n",
#define TWO_KERNEL(name, ref, ulp, absolute)                                                                           \
    "kernel void k_" #name "(global ushort *r, global const half *x, global const half *y) {\n"                        \
    "    size_t i = get_global_id(0); r[i] = as_ushort((half)" #name "(x[i], y[i]));\n"                                \
    "}\n",
#define DOTS_KERNEL                                                                                                    \
    "kernel void k_dots(global ushort *r, global const half *x, global const half *y) {\n"                             \
    "    size_t i = get_global_id(0) / 4 * 4; half4 a = vload4(0, x + i), b = vload4(0, y + i);\n"                     \
    "    half dots[4] = {dot(a.x, b.x), dot(a.xy, b.xy), dot(a.xyz, b.xyz), dot(a, b)};\n"                             \
    "    r[get_global_id(0)] = as_ushort(dots[get_global_id(0) % 4]);\n"                                               \
    "}\n"
static const char *const pieces[] = {"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                                     "#define divide(x, y) ((x) / (y))\n"
                                     "#define sum(x, y) ((x) + (y))\n"
                                     "#define product(x, y) ((x) * (y))\n",
                                     ONES(ONE_KERNEL) TWOS(TWO_KERNEL) DOTS_KERNEL};

/* As `build`, of several texts. */
static cl_program build_pieces(void)
{
    cl_int error;
    const cl_uint count = sizeof(pieces) / sizeof(*pieces);
    cl_program program = clCreateProgramWithSource(context, count, (const char **)(uintptr_t)pieces, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    if (!CHECK_EQ(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_SUCCESS))
        exit(test_finish());
    return program;
}

static void run(cl_program program, const char *name, cl_mem result, size_t count, cl_mem x, cl_mem y)
{
    cl_kernel kernel = kernel_of(program, name);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(result), &result), CL_SUCCESS);
    if (x) {
        CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(x), &x), CL_SUCCESS);
        CHECK_EQ(clSetKernelArg(kernel, 2, sizeof(y), &y), CL_SUCCESS);
    }
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, count * 2, got, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
}

/* The sums of dot are halves, from the last product on: the conformance tests' reference stays infinite once a sum is.  Each sum is
 * exact in double, and rounded twice. */
static void check_dots(void)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        const unsigned first = i / 4 * 4;
        double exact = 0;
        bool undefined = false; /* products of infinity and zero */
        for (unsigned k = i % 4 + 1; k--;) {
            const double x = value_of(xs[first + k]), y = value_of(ys[first + k]);
            undefined |= isinf(x) || isinf(y);
            exact = (float)(x * y + exact);
            if (fabs(exact) >= 65520)
                exact = copysign(INFINITY, exact);
            else if (exact != 0) {
                int exponent;
                frexp(exact, &exponent);
                const double ulp = ldexp(1, exponent - 11 < -24 ? -24 : exponent - 11);
                exact = nearbyint(exact / ulp) * ulp;
            }
        }
        const double found = value_of(got[i]);
        if (!CHECK(undefined || found == exact || (isnan(found) && isnan(exact))))
            fprintf(stderr, "dot of %u halves at %u: %a, not %a\n", i % 4 + 1, first, found, exact);
    }
}

/* Edges against edges, then anything. */
static void make_pairs(void)
{
    static const cl_ushort edges[] = {0,      1,      0x3ff,  0x400,  0x3800, 0x3bff, 0x3c00, 0x3c01,
                                      0x4000, 0x4200, 0x4900, 0x5bff, 0x6400, 0x7bff, 0x7c00, 0x7e00};
    unsigned seed = 12345;
    for (unsigned i = 0; i < PAIRS; i++) {
        seed = seed * 1664525 + 1013904223;
        xs[i] = (cl_ushort)(i < 1024 ? edges[i % 16] | (i & 256) << 7 : seed >> 16);
        seed = seed * 1664525 + 1013904223;
        ys[i] = (cl_ushort)(i < 1024 ? edges[i / 16 % 16] | (i & 512) << 6 : seed >> 16);
        if (i >= 2048) /* nearer to 1, where a power is a number */
            xs[i] = (cl_ushort)(0x3000 + xs[i] % 0x2000),
            ys[i] = (cl_ushort)((ys[i] & 0x8000) + 0x3000 + ys[i] % 0x1800);
    }
}

int main(int argc, char **argv)
{
    const unsigned step = argc > 1 && !strcmp(argv[1], "all") ? 1 : 31;
    set_up(0);
    mpfr_set_emin(-1000);
    make_pairs();
    cl_program program = build_pieces();
    cl_mem result = buffer_of(0, sizeof(got), NULL), x = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(ys), xs),
           y = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(ys), ys);
#define MEASURE_ONE(name, ref, ulp, absolute)                                                                          \
    run(program, "k_" #name, result, ALL, NULL, NULL);                                                                 \
    measure_one(#name, ref, ulp, absolute, step);
    ONES(MEASURE_ONE)
#define MEASURE_TWO(name, ref, ulp, absolute)                                                                          \
    run(program, "k_" #name, result, PAIRS, x, y);                                                                     \
    measure_two(#name, ref, ulp);
    TWOS(MEASURE_TWO)
    run(program, "k_dots", result, PAIRS, x, y);
    check_dots();
    CHECK_EQ(clReleaseMemObject(result), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(x), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(y), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    tear_down();
    mpfr_free_cache();
    return test_finish();
}
