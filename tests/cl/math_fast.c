#define _GNU_SOURCE /* exp10, lgamma_r */
#include "math_fast.h"

#include <math.h>
#include <mpfr.h>
#include <string.h>

/* glibc has vectors of these on x86-64, within 4 ulp. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define VECTORS(f) __attribute__((simd("notinbranch"))) extern double f(double);
#define VECTORS2(f) __attribute__((simd("notinbranch"))) extern double f(double, double);
VECTORS(acos)
VECTORS(acosh)
VECTORS(asin)
VECTORS(asinh)
VECTORS(atan)
VECTORS(atanh)
VECTORS(cbrt)
VECTORS(cos)
VECTORS(cosh)
VECTORS(erf)
VECTORS(erfc)
VECTORS(exp)
VECTORS(exp2)
VECTORS(exp10)
VECTORS(expm1)
VECTORS(log)
VECTORS(log2)
VECTORS(log10)
VECTORS(log1p)
VECTORS(sin)
VECTORS(sinh)
VECTORS(tan)
VECTORS(tanh)
VECTORS2(atan2)
VECTORS2(hypot)
VECTORS2(pow)
#endif

/* 2/pi times the unit of each exponent of a float, modulo 4, in parts of at most 29 bits: products with the 24 bits of a mantissa
 * are exact. */
static double quarters[256][3];

static void make_quarters(void)
{
    mpfr_t pi, rest, part;
    mpfr_init2(pi, 400);
    mpfr_inits2(400, rest, (mpfr_ptr)0);
    mpfr_init2(part, 29);
    mpfr_const_pi(pi, MPFR_RNDN);
    for (int e = 1; e < 255; e++) {
        mpfr_set_ui_2exp(rest, 1, e - 127 - 23 + 1 - 2, MPFR_RNDN); /* of 4 */
        mpfr_div(rest, rest, pi, MPFR_RNDN);
        mpfr_frac(rest, rest, MPFR_RNDN);
        mpfr_mul_ui(rest, rest, 4, MPFR_RNDN);
        for (unsigned k = 0; k < 3; k++) {
            mpfr_set(part, rest, MPFR_RNDZ);
            quarters[e][k] = mpfr_get_d(part, MPFR_RNDZ);
            mpfr_sub(rest, rest, part, MPFR_RNDN);
        }
    }
    mpfr_clears(pi, rest, part, (mpfr_ptr)0);
}

/* Quarter turns of a float, -1/2 to 1/2, and which quarter: the C library takes long for large numbers. */
static inline double quarter_of(double x, int64_t *quarter)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    const uint64_t exponent = bits >> 52 & 2047;
    const uint64_t index = exponent < 897 ? 1 : exponent > 1150 ? 254 : exponent - 896; /* a normal float's */
    const uint64_t unit_bits = (uint64_t)(index + 896 - 23) << 52;
    double unit;
    memcpy(&unit, &unit_bits, 8);
    const double mantissa = x / unit, *part = quarters[index];
    const double high = mantissa * part[0], turn = high - 4 * rint(high / 4), nearest = rint(turn);
    const double rest = (turn - nearest) + mantissa * part[1] + mantissa * part[2];
    const double more = rint(rest);
    *quarter = (int64_t)nearest + (int64_t)more;
    return rest - more;
}
static inline double sine_of(double x, int64_t plus)
{
    int64_t n;
    double f = quarter_of(x, &n);
    n += plus;
    f = n & 1 ? 1 - fabs(f) : f;
    const double s = sin(f * 1.57079632679489661923);
    return n & 2 ? -s : s;
}
static inline double double_one_sin(double x)
{
    const double s = sine_of(x, 0);
    return fabs(x) < 0x1p-20 ? x - x * x * x / 6 : s;
}
static inline double double_one_cos(double x)
{
    return sine_of(x, 1);
}
static inline double double_one_tan(double x)
{
    int64_t n;
    const double t = tan(quarter_of(x, &n) * 1.57079632679489661923), r = n & 1 ? -1 / t : t;
    return fabs(x) < 0x1p-20 ? x + x * x * x / 3 : r;
}
static inline long double wide_one_sin(long double x)
{
    return sinl(x);
}
static inline long double wide_one_cos(long double x)
{
    return cosl(x);
}
static inline long double wide_one_tan(long double x)
{
    return tanl(x);
}

struct entry {
    const char *name;
    fast_function *run;
};

#define REAL double
#define F(name) name
#define N(name) double_##name
#define LGAMMA_R lgamma_r
#define BOUNDED(x, most) (x > most ? most : x < -most ? -most : x) /* beyond the powers of a float */
#include "math_fast.inc"

#undef LOOPS
#define LOOPS
#define REAL long double
#define F(name) name##l
#define N(name) wide_##name
#define LGAMMA_R lgammal_r
#define BOUNDED(x, most) x
#include "math_fast.inc"

fast_function *fast_of(const char *name, bool wide)
{
    if (quarters[1][0] == 0)
        make_quarters();
    const struct entry *entries = wide ? wide_entries : double_entries;
    const char *operators = "+-*/!", *at = strchr(operators, *name);
    static const char *const words[] = {"add", "subtract", "multiply", "divide", "not"};
    if (at)
        name = words[at - operators];
    name += !strncmp(name, "half_", 5) ? 5 : !strncmp(name, "native_", 7) ? 7 : 0;
    for (size_t i = 0; i < sizeof(double_entries) / sizeof(*double_entries); i++)
        if (!strcmp(name, entries[i].name))
            return entries[i].run;
    return NULL;
}
