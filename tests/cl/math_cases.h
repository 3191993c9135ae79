/* What the tests of the math functions share: the types, the references by MPFR, the table of functions (math.def) with what
 * each option allows, special arguments, and how a result is judged. */
#ifndef CY_TESTS_MATH_CASES_H
#define CY_TESTS_MATH_CASES_H

#include "cl_test.h"

#include "support/mpfr_references.h"
#include "support/xorshift.h"

#include <math.h>
#include <string.h>

enum { PRECISION = 160 };

/* ---- types ---- */

static const struct type {
    const char *name, *truth; /* truth: the elements of vectors that comparisons give */
    unsigned bytes;
    int precision, least, most; /* least: exponent of the smallest subnormal; most: infinity is 2^most */
} types[] = {
    {"float", "int", 4, 24, -149, 128}, {"double", "long", 8, 53, -1074, 1024}, {"half", "short", 2, 11, -24, 16}};

static double value_of(const struct type *type, const void *at)
{
    float single;
    double value;
    cl_ushort bits;
    switch (type->bytes) {
    case 4: memcpy(&single, at, 4); return (double)single;
    case 8: memcpy(&value, at, 8); return value;
    default: memcpy(&bits, at, 2);
    }
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    value = exponent == 31 ? (fraction ? NAN : INFINITY)
            : exponent     ? ldexp(1024 + fraction, exponent - 25)
                           : ldexp(fraction, -24);
    return bits & 0x8000 ? -value : value;
}

/* A number rounded to the type, towards zero but for what is above the largest one. */
static void put_value(const struct type *type, void *at, double value)
{
    float single = (float)value;
    if (type->bytes == 4) {
        memcpy(at, &single, 4);
    } else if (type->bytes == 8) {
        memcpy(at, &value, 8);
    } else {
        const double size = fabs(value);
        int exponent = 0;
        frexp(size, &exponent);
        unsigned bits = isnan(value)    ? 0x7e00
                        : size >= 65536 ? 0x7c00
                        : size < 0x1p-14
                            ? (unsigned)(size * 0x1p24)
                            : ((unsigned)(exponent + 14) << 10) + (unsigned)ldexp(size, 11 - exponent) - 1024;
        cl_ushort half = (cl_ushort)(bits | (signbit(value) ? 0x8000u : 0u));
        memcpy(at, &half, 2);
    }
}

/* ---- references ---- */

struct call {
    const struct type *type;
    mpfr_t x, y, z, r, second;
    int inexact;    /* r has been rounded */
    long n, number; /* the argument and the second result that are ints */
};
#define ANY_INT LONG_MAX

#define SIMPLE(name, f)                                                                                                \
    static int name(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)                                                          \
    {                                                                                                                  \
        (void)rnd;                                                                                                     \
        return f(r, x);                                                                                                \
    }
SIMPLE(ref_round, mpfr_round)
SIMPLE(ref_floor, mpfr_floor)
SIMPLE(ref_ceil, mpfr_ceil)
SIMPLE(ref_trunc, mpfr_trunc)

static int ref_recip(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    return mpfr_si_div(r, 1, x, rnd);
}
static int ref_logb(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    if (mpfr_regular_p(x))
        return mpfr_set_si(r, mpfr_get_exp(x) - 1, rnd);
    if (mpfr_zero_p(x))
        mpfr_set_inf(r, -1);
    else
        mpfr_abs(r, x, rnd);
    return 0;
}
static int ref_fdim(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd)
{
    if (!mpfr_nan_p(x) && !mpfr_nan_p(y) && mpfr_lessequal_p(x, y))
        return mpfr_set_ui(r, 0, rnd);
    return mpfr_sub(r, x, y, rnd);
}
static int ref_powr(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd)
{
    int i = mpfr_powr(r, x, y, rnd);
    if (mpfr_nan_p(y)) /* MPFR has 1 for a power of 1 that is not a number */
        mpfr_set_nan(r);
    return i;
}
static int magnitude(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd, bool most)
{
    const int order = mpfr_nan_p(x) || mpfr_nan_p(y) ? 0 : mpfr_cmpabs(x, y);
    if (order)
        return mpfr_set(r, (order > 0) == most ? x : y, rnd);
    return most ? mpfr_max(r, x, y, rnd) : mpfr_min(r, x, y, rnd);
}
static int ref_maxmag(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd)
{
    return magnitude(r, x, y, rnd, true);
}
static int ref_minmag(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rnd)
{
    return magnitude(r, x, y, rnd, false);
}
static int ref_ldexp(mpfr_t r, const mpfr_t x, long n, mpfr_rnd_t rnd)
{
    return mpfr_mul_2si(r, x, n < -4000 ? -4000 : n > 4000 ? 4000 : n, rnd);
}

static void ref_nextafter(struct call *c)
{
    if (mpfr_nan_p(c->x) || mpfr_nan_p(c->y)) {
        mpfr_set_nan(c->r);
        return;
    }
    mpfr_set(c->r, mpfr_equal_p(c->x, c->y) ? c->y : c->x, MPFR_RNDN);
    if (mpfr_equal_p(c->x, c->y))
        return;
    const struct type *t = c->type;
    const bool up = mpfr_less_p(c->x, c->y), outward = !mpfr_zero_p(c->x) && up == (mpfr_sgn(c->x) > 0);
    mpfr_t unit;
    mpfr_init2(unit, PRECISION);
    if (mpfr_inf_p(c->x)) { /* the largest number */
        mpfr_set_ui_2exp(c->r, 1, t->most, MPFR_RNDN);
        mpfr_set_ui_2exp(unit, 1, t->most - t->precision, MPFR_RNDN);
        mpfr_sub(c->r, c->r, unit, MPFR_RNDN);
        mpfr_setsign(c->r, c->r, mpfr_signbit(c->x), MPFR_RNDN);
    } else {
        long e = mpfr_zero_p(c->x) ? t->least : mpfr_get_exp(c->x) - t->precision;
        if (!mpfr_zero_p(c->x) && !outward && mpfr_min_prec(c->x) == 1) /* a power of two */
            e--;
        mpfr_set_ui_2exp(unit, 1, e < t->least ? t->least : e, MPFR_RNDN);
        (up ? mpfr_add : mpfr_sub)(c->r, c->x, unit, MPFR_RNDN);
        if (mpfr_zero_p(c->r))
            mpfr_setsign(c->r, c->r, mpfr_signbit(c->x), MPFR_RNDN);
    }
    mpfr_clear(unit);
}
static void ref_fract(struct call *c)
{
    mpfr_floor(c->second, c->x);
    mpfr_sub(c->r, c->x, c->second, MPFR_RNDN);
    if (mpfr_inf_p(c->x) || mpfr_zero_p(c->x)) {
        mpfr_set_zero(c->r, mpfr_signbit(c->x) ? -1 : 1);
    } else if (mpfr_number_p(c->x)) { /* at most the largest number below 1 */
        mpfr_t most;
        mpfr_init2(most, PRECISION);
        mpfr_set_ui_2exp(most, 1, -c->type->precision, MPFR_RNDN);
        mpfr_ui_sub(most, 1, most, MPFR_RNDN);
        mpfr_min(c->r, c->r, most, MPFR_RNDN);
        mpfr_clear(most);
    }
}
static void ref_modf(struct call *c)
{
    mpfr_modf(c->second, c->r, c->x, MPFR_RNDN);
}
static void ref_sincos(struct call *c)
{
    mpfr_sin_cos(c->r, c->second, c->x, MPFR_RNDN);
}
static void ref_frexp(struct call *c)
{
    mpfr_exp_t e = 0;
    c->number = 0;
    mpfr_set(c->r, c->x, MPFR_RNDN);
    if (mpfr_regular_p(c->x)) {
        mpfr_frexp(&e, c->r, c->x, MPFR_RNDN);
        c->number = e;
    }
}
static void ref_ilogb(struct call *c)
{
    c->number = mpfr_regular_p(c->x) ? mpfr_get_exp(c->x) - 1 : mpfr_zero_p(c->x) ? INT32_MIN : INT32_MAX;
}
static void ref_nan(struct call *c)
{
    mpfr_set_nan(c->r);
}
/* The sign counts only where there is a value. */
static void ref_lgamma_r(struct call *c)
{
    int sign = 1;
    mpfr_lgamma(c->r, &sign, c->x, MPFR_RNDN);
    c->number = mpfr_number_p(c->r) ? sign : ANY_INT;
}
/* The sign and the last seven bits of the quotient. */
static void ref_remquo(struct call *c)
{
    mpfr_t quotient;
    c->number = 0;
    mpfr_remainder(c->r, c->x, c->y, MPFR_RNDN);
    if (!mpfr_number_p(c->x) || !mpfr_number_p(c->y) || mpfr_zero_p(c->y))
        return;
    mpfr_init2(quotient, 2300); /* exact */
    mpfr_sub(quotient, c->x, c->r, MPFR_RNDN);
    mpfr_div(quotient, quotient, c->y, MPFR_RNDN);
    const bool negative = mpfr_signbit(quotient) != 0;
    mpfr_t modulus;
    mpfr_init2(modulus, 2300);
    mpfr_set_ui(modulus, 128, MPFR_RNDN);
    mpfr_abs(quotient, quotient, MPFR_RNDN);
    mpfr_rint(quotient, quotient, MPFR_RNDN);
    mpfr_fmod(quotient, quotient, modulus, MPFR_RNDN);
    c->number = mpfr_get_si(quotient, MPFR_RNDN) * (negative ? -1 : 1);
    mpfr_clears(quotient, modulus, (mpfr_ptr)0);
}

#define TRUTH(name, condition)                                                                                         \
    static void ref_##name(struct call *c)                                                                             \
    {                                                                                                                  \
        c->number = (condition) != 0;                                                                                  \
    }
TRUTH(isequal, mpfr_equal_p(c->x, c->y))
TRUTH(isnotequal, !mpfr_equal_p(c->x, c->y))
TRUTH(isgreater, mpfr_greater_p(c->x, c->y))
TRUTH(isgreaterequal, mpfr_greaterequal_p(c->x, c->y))
TRUTH(isless, mpfr_less_p(c->x, c->y))
TRUTH(islessequal, mpfr_lessequal_p(c->x, c->y))
TRUTH(islessgreater, mpfr_lessgreater_p(c->x, c->y))
TRUTH(isordered, !mpfr_unordered_p(c->x, c->y))
TRUTH(isunordered, mpfr_unordered_p(c->x, c->y))
TRUTH(isfinite, mpfr_number_p(c->x))
TRUTH(isinf, mpfr_inf_p(c->x))
TRUTH(isnan, mpfr_nan_p(c->x))
TRUTH(isnormal, mpfr_regular_p(c->x) && mpfr_get_exp(c->x) >= c->type->least + c->type->precision)
TRUTH(signbit, mpfr_signbit(c->x))
TRUTH(not, mpfr_zero_p(c->x))

/* ---- the table ---- */

enum shape { one, two, op, three, with_int, of_bits, out, int_out, int_out2, to_int, relation1, relation2, next };
/* What counts under -cl-fast-relaxed-math: see `limit_of`. */
enum relaxed {
    SAME,
    NOT,
    ULP_3,
    ULP_4096,
    ULP_8192,
    NEAR_PI,
    NEAR_1,
    NEAR_ONE,
    NEAR_65536,
    BY_SIZE,
    QUOTIENT,
    RECIPROCAL,
    NEAR_ROOT,
    ANY_ZERO
};
#define EXACT 0.5

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define REFERENCE JOIN(reference_, __LINE__)
#define CALL_one(f) c->inexact = f(c->r, c->x, MPFR_RNDN)
#define CALL_two(f) c->inexact = f(c->r, c->x, c->y, MPFR_RNDN)
#define CALL_op(f) c->inexact = f(c->r, c->x, c->y, MPFR_RNDN)
#define CALL_three(f) c->inexact = f(c->r, c->x, c->y, c->z, MPFR_RNDN)
#define CALL_with_int(f) c->inexact = f(c->r, c->x, c->n, MPFR_RNDN)
#define CALL_of_bits(f) f(c)
#define CALL_out(f) f(c)
#define CALL_int_out(f) f(c)
#define CALL_int_out2(f) f(c)
#define CALL_to_int(f) f(c)
#define CALL_relation1(f) f(c)
#define CALL_relation2(f) f(c)
#define CALL_next(f) f(c)
#define FUNCTION(shape, name, ref, ...)                                                                                \
    static void REFERENCE(struct call *c)                                                                              \
    {                                                                                                                  \
        CALL_##shape(ref);                                                                                             \
    }
#include "math.def"
#undef FUNCTION

static const struct row {
    enum shape shape;
    const char *name;
    void (*reference)(struct call *call);
    double ulp[3];
    enum relaxed relaxed;
} rows[] = {
#define FUNCTION(shape, name, ref, f, d, h, relaxed) {shape, #name, REFERENCE, {f, d, h}, relaxed},
#include "math.def"
};

/* ---- options ---- */

enum { ANY_SIGN = 1, FINITE = 2, FLUSH = 4, RELAXED = 8 };
static const struct option {
    const char *text;
    unsigned flags;
} options[] = {{"", 0},
               {"-cl-opt-disable", 0},
               {"-cl-mad-enable", 0},
               {"-cl-denorms-are-zero", FLUSH},
               {"-cl-no-signed-zeros", ANY_SIGN},
               {"-cl-finite-math-only", FINITE},
               {"-cl-unsafe-math-optimizations", ANY_SIGN | RELAXED | FLUSH},
               {"-cl-fast-relaxed-math", ANY_SIGN | FINITE | RELAXED | FLUSH},
               {"-cl-fp32-correctly-rounded-divide-sqrt -cl-std=CL3.0", 0}};
enum { OPTIONS = sizeof(options) / sizeof(*options) };

/* ---- arguments ---- */

enum { SPECIALS = 104 };
/* Next to and at powers of two and halves, where roundings and ranges change; subnormals; the ends. */
static double special(const struct type *t, unsigned i)
{
    static const double centres[] = {0.25, 0.5, 1, 1.5, 2.5, 0x1p31, 0x1p32, 0x1p63, 0x1p64};
    static const double others[] = {0, 2, 3, 3.5, 4, 100, 1000, INFINITY, NAN};
    const double unit = ldexp(1, 1 - t->precision), sign = i & 1 ? -1 : 1;
    i /= 2;
    if (i < 27) {
        const double below = i / 3 == 3 || i / 3 == 4 ? 1 - unit : 1 - unit / 2;
        return sign * centres[i / 3] * (i % 3 == 0 ? below : i % 3 == 1 ? 1 : 1 + unit);
    }
    i -= 27;
    if (i == 5 && t->precision == 24)
        return sign * 0x1.65a9f8p+6; /* the largest whose sinh is finite */
    if (i < 9)
        return sign * others[i];
    i -= 9;
    const double least = ldexp(1, t->least), normal = ldexp(least, t->precision - 1);
    if (i < 8)
        return sign * least * (i < 7 ? i + 1 : 127);
    i -= 8;
    if (i < 5)
        return sign * (i == 0   ? normal
                       : i == 1 ? normal - least
                       : i == 2 ? normal + least
                       : i == 3 ? normal * 2
                                : ldexp(2 - unit, t->most - 1));
    return sign * (i == 5 ? 0x1.921fb6p1 : 0x1.8p-3);
}
static const cl_int int_specials[] = {
    0,   1,  -1, 2,   -2,   3,    -3,    4,        5,         -7,        10,
    -16, 31, 64, 127, -128, 1000, -1023, 16777217, INT32_MAX, INT32_MIN, INT32_MAX - 1};

static double anything(const struct type *t)
{
    unsigned char bytes[8];
    const uint64_t bits = random_bits();
    memcpy(bytes, &bits, 8);
    if (bits >> 61 < 4) /* any bits */
        return value_of(t, bytes);
    const double size = ldexp((double)(random_bits() >> 11), -53);
    return (bits & 1 ? -1 : 1) * ldexp(size, (int)(bits >> 8 & 15) - 6);
}

/* ---- kernels ---- */

static bool is_relation(const struct row *row)
{
    return row->shape == relation1 || row->shape == relation2;
}
static bool has_int(const struct row *row)
{
    return row->shape == int_out || row->shape == int_out2 || row->shape == to_int;
}
/* Is there no result but an integer? */
static bool is_integral(const struct row *row)
{
    return is_relation(row) || row->shape == to_int;
}

/* The call in OpenCL C: of x, y, z and m, or parts of them; `n`: the width's number, empty for scalars. */
static void write_call(char *text, size_t room, const struct row *row, const char *p, const char *n)
{
    switch (row->shape) {
    case one:
    case to_int:
    case relation1: snprintf(text, room, "%s(x%s)", row->name, p); break;
    case op: snprintf(text, room, "x%s %s y%s", p, row->name, p); break;
    case two:
    case next:
    case relation2: snprintf(text, room, "%s(x%s, y%s)", row->name, p, p); break;
    case three: snprintf(text, room, "%s(x%s, y%s, z%s)", row->name, p, p, p); break;
    case with_int: snprintf(text, room, "%s(x%s, m%s)", row->name, p, p); break;
    case of_bits: snprintf(text, room, "%s(as_B%s(x%s))", row->name, n, p); break;
    case out:
    case int_out: snprintf(text, room, "%s(x%s, &s)", row->name, p); break;
    case int_out2: snprintf(text, room, "%s(x%s, y%s, &s)", row->name, p, p); break;
    }
}

/* The types of arguments, results and second results in every width: T4, S4, as_B4. */
static int write_types(char *text, size_t room, const struct row *row, const struct type *t)
{
    static const char *const widths[] = {"", "2", "3", "4", "8", "16"};
    const char *second = is_relation(row) ? t->truth : has_int(row) ? "int" : t->name;
    int at = snprintf(text, room,
                      "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                      "#define reciprocal(x) (1 / (x))\n");
    for (unsigned k = 0; k < sizeof(widths) / sizeof(*widths); k++)
        at += snprintf(text + at, room - (size_t)at, "#define T%s %s%s\n#define S%s %s%s\n#define as_B%s as_u%s%s\n",
                       widths[k], t->name, widths[k], widths[k], second, widths[k], widths[k], t->truth, widths[k]);
    return at;
}

/* ---- checks ---- */

/* In ulp of the exact result; infinity counts as 2^most.  Infinite if it is of the wrong kind. */
static double error_of(const struct type *t, double value, const mpfr_t exact, bool any_sign)
{
    const bool negative = mpfr_signbit(exact) != 0;
    if (mpfr_nan_p(exact) || isnan(value))
        return mpfr_nan_p(exact) && isnan(value) ? 0 : INFINITY;
    if (mpfr_inf_p(exact))
        return isinf(value) && (value < 0) == negative ? 0 : INFINITY;
    if (mpfr_zero_p(exact))
        return value == 0 && (any_sign || !signbit(value) == !negative) ? 0 : INFINITY;
    if (isinf(value) && mpfr_get_exp(exact) > t->most)
        return (value < 0) == negative ? 0 : INFINITY;
    long exponent = mpfr_get_exp(exact) - t->precision;
    exponent = exponent < t->least ? t->least : exponent > t->most - t->precision ? t->most - t->precision : exponent;
    mpfr_t difference;
    mpfr_init2(difference, PRECISION);
    if (isinf(value))
        mpfr_set_si_2exp(difference, value > 0 ? 1 : -1, t->most, MPFR_RNDN);
    else
        mpfr_set_d(difference, value, MPFR_RNDN);
    mpfr_sub(difference, difference, exact, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, -exponent, MPFR_RNDN);
    mpfr_abs(difference, difference, MPFR_RNDN);
    double ulp = mpfr_get_d(difference, MPFR_RNDN);
    if (ulp == 0.5) /* a tie only if it is one exactly */
        ulp = nextafter(0.5, 0.5 + mpfr_cmp_d(difference, 0.5));
    mpfr_clear(difference);
    return ulp;
}

static double absolute_of(double value, const mpfr_t exact)
{
    return fabs(mpfr_get_d(exact, MPFR_RNDN) - value);
}

/* Is it small enough to count as 0 where subnormals may? */
static bool flushes(const struct type *t, const mpfr_t exact)
{
    return mpfr_zero_p(exact) || (mpfr_regular_p(exact) && mpfr_get_exp(exact) < t->least + t->precision);
}

static bool is_finite_call(const struct row *row, const struct call *c, const mpfr_t exact)
{
    const bool y = row->shape == two || row->shape == op || row->shape == three || row->shape == relation2 ||
                   row->shape == int_out2 || row->shape == next;
    return mpfr_number_p(c->x) && (!y || mpfr_number_p(c->y)) && (row->shape != three || mpfr_number_p(c->z)) &&
           (is_integral(row) || (mpfr_number_p(exact) && (mpfr_zero_p(exact) || mpfr_get_exp(exact) <= c->type->most)));
}

/* The rule that counts, and whether it says nothing about these arguments. */
static enum relaxed rule_of(const struct row *row, unsigned type, unsigned flags)
{
    return (flags & RELAXED && type == 0) || !strncmp(row->name, "native_", 7) ? row->relaxed : SAME;
}
static bool is_free(const struct row *row, unsigned type, unsigned flags, double x, double y)
{
    switch (rule_of(row, type, flags)) {
    case NOT: return true;
    case NEAR_PI: return !(fabs(x) <= 0x1.921fb6p1);
    case NEAR_1: return !(fabs(x) <= 1);
    case RECIPROCAL: return !(fabs(x) >= 0x1p-126 && fabs(x) <= 0x1p126);
    case QUOTIENT: return !(fabs(x) >= 0x1p-62 && fabs(x) <= 0x1p62 && fabs(y) >= 0x1p-62 && fabs(y) <= 0x1p62);
    default: return false;
    }
}

static bool is_odd(const struct type *t, double value)
{
    unsigned char bytes[8];
    put_value(t, bytes, value);
    return bytes[0] & 1;
}

/* Does the value keep the limit?  *ulp: its error, where that counts. */
static bool is_close(const struct row *row, const struct call *c, unsigned flags, double value, const mpfr_t exact,
                     double *ulp)
{
    const unsigned kind = (unsigned)(c->type - types);
    const double x = mpfr_get_d(c->x, MPFR_RNDN), y = mpfr_get_d(c->y, MPFR_RNDN);
    const bool native = !strncmp(row->name, "native_", 7);
    const enum relaxed rule = rule_of(row, kind, flags);
    double limit = row->ulp[kind];
    *ulp = 0;
    if (native) /* stands for the full function under relaxed math */
        flags |= ANY_SIGN | FINITE | FLUSH;
    if (is_free(row, kind, flags, x, y) || (flags & FINITE && !is_finite_call(row, c, exact)))
        return true;
    if (row->relaxed == NEAR_65536 && isfinite(x) && fabs(x) > 65536)
        return !isnan(value) && (!strcmp(row->name, "half_tan") || fabs(value) <= 1 + 8192 * 0x1p-24);
    if (row->relaxed == NEAR_ROOT && absolute_of(value, exact) <= (kind == 0 ? 1e-6 : kind == 1 ? 1e-14 : 0x1p-11))
        return true;
    switch (rule) {
    case ULP_3: limit = 3; break;
    case ULP_4096: limit = 4096; break;
    case ULP_8192: limit = 8192; break;
    case NEAR_PI:
    case NEAR_1: return absolute_of(value, exact) <= 0x1p-11;
    case NEAR_ONE:
        if (x >= 0.5 && x <= 2)
            return absolute_of(value, exact) <= 0x1p-21;
        break;
    case BY_SIZE: limit = 3 + floor(fabs(2 * x)); break;
    case QUOTIENT:
    case RECIPROCAL: limit = 2.5; break;
    default: break;
    }
    *ulp = error_of(c->type, value, exact, flags & ANY_SIGN || row->relaxed == ANY_ZERO);
    if (limit == EXACT && *ulp == 0.5 && !c->inexact && is_odd(c->type, value)) /* a tie */
        *ulp = 1;
    if (*ulp > limit && flags & FLUSH && value == 0 && flushes(c->type, exact))
        *ulp = 0;
    return *ulp <= limit;
}

/* Both results of one call, in one width. */
static bool is_right(const struct row *row, struct call *c, unsigned flags, const unsigned char *result,
                     const unsigned char *second, bool scalar, double *worst)
{
    const struct type *t = c->type;
    double ulp = 0;
    bool ok = true;
    if (is_relation(row) || has_int(row)) {
        const unsigned size = has_int(row) ? 4 : t->bytes;
        int64_t got = 0;
        memcpy(&got, second, size);
        got = (int64_t)((uint64_t)got << (64 - 8 * size)) >> (64 - 8 * size);
        ok = c->number == ANY_INT || got == (is_relation(row) && !scalar ? -c->number : c->number) ||
             (flags & FINITE && !is_finite_call(row, c, c->r));
    }
    if (!is_integral(row))
        ok &= is_close(row, c, flags, value_of(t, result), c->r, &ulp);
    *worst = fmax(*worst, ulp);
    if (row->shape == out)
        ok &= is_close(row, c, flags, value_of(t, second), c->second, &ulp);
    *worst = fmax(*worst, ulp);
    return ok;
}

static cl_uint open_device(cl_uint index)
{
    cl_device_id all[4];
    cl_uint count = 0;
    cl_int error;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    if (!CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 4, all, &count), CL_SUCCESS))
        exit(test_finish());
    device = all[index];
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return count;
}

#endif
