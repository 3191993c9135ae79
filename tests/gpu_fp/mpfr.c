/* The exact functions against MPFR: every operation, format and rounding mode, results and flags. */
#include "values.h"
#include "support/test.h"

#include <mpfr.h>

/* Bits of the intermediate values from which ties are told; more than twice those of the widest format. */
#define WORK_BITS 200

enum operation { ADD, SUB, MUL, DIV, SQRT, FMA, EXP, CONVERT };
static const char *const operation_names[] = {"add", "sub", "mul", "div", "sqrt", "fma", "exp", "convert"};

struct result {
    uint64_t bits;
    unsigned flags;
};

/* Operands as numbers, made once per case. */
struct operands {
    mpfr_t x[3];
};

static void load(mpfr_t x, const struct format *f, uint64_t a)
{
    uint64_t magnitude = a & ~f->sign, fraction = a & ((UINT64_C(1) << f->mant) - 1);
    int exp = (int)(magnitude >> f->mant);
    if (magnitude > f->inf)
        mpfr_set_nan(x);
    else if (magnitude == f->inf)
        mpfr_set_inf(x, 1);
    else if (magnitude == 0)
        mpfr_set_zero(x, 1);
    else
        mpfr_set_uj_2exp(x, exp ? fraction | UINT64_C(1) << f->mant : fraction, (exp ? exp : 1) - f->bias - f->mant,
                         MPFR_RNDN);
    mpfr_setsign(x, x, (a & f->sign) != 0, MPFR_RNDN);
}

/* A number of the format, or an infinity, to its bits. */
static uint64_t store(const struct format *f, mpfr_t x)
{
    uint64_t sign = mpfr_signbit(x) ? f->sign : 0;
    if (mpfr_zero_p(x))
        return sign;
    if (mpfr_inf_p(x))
        return sign | f->inf;
    long exp = mpfr_get_exp(x) - 1 + f->bias; /* as stored */
    long lowest = (exp > 0 ? exp : 1) - f->bias - f->mant;
    mpfr_t scaled;
    mpfr_init2(scaled, WORK_BITS);
    mpfr_abs(scaled, x, MPFR_RNDN);
    mpfr_div_2si(scaled, scaled, lowest, MPFR_RNDN);
    uint64_t sig = mpfr_get_uj(scaled, MPFR_RNDN);
    mpfr_clear(scaled);
    return sign | (((uint64_t)((exp > 0 ? exp : 1) - 1) << f->mant) + sig);
}

static int compute(enum operation op, mpfr_t r, struct operands *o, mpfr_rnd_t rnd)
{
    switch (op) {
    case ADD: return mpfr_add(r, o->x[0], o->x[1], rnd);
    case SUB: return mpfr_sub(r, o->x[0], o->x[1], rnd);
    case MUL: return mpfr_mul(r, o->x[0], o->x[1], rnd);
    case DIV: return mpfr_div(r, o->x[0], o->x[1], rnd);
    case SQRT: return mpfr_sqrt(r, o->x[0], rnd);
    case FMA: return mpfr_fma(r, o->x[0], o->x[1], o->x[2], rnd);
    case EXP: return mpfr_exp(r, o->x[0], rnd);
    default: return mpfr_set(r, o->x[0], rnd);
    }
}

/* To the nearest multiple of 2^lowest, ties away from zero; `exact` may have been cut off towards zero. */
static int round_ties_away(mpfr_t r, mpfr_t exact, long lowest)
{
    mpfr_div_2si(r, exact, lowest, MPFR_RNDN);
    mpfr_round(r, r);
    mpfr_mul_2si(r, r, lowest, MPFR_RNDN);
    return mpfr_cmp(r, exact);
}

/* The finite, non-zero result of an operation: rounded without bounds on the exponent, then as the format has it. */
static struct result round_finite(const struct format *f, enum operation op, struct operands *o, uint8_t rm)
{
    static const mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU};
    long lowest = 1 - f->bias - f->mant; /* of a subnormal */
    struct result result = {0, 0};
    mpfr_t unbounded, bounded;
    mpfr_init2(unbounded, rm == CY_FP_RMM ? WORK_BITS : f->mant + 1);
    mpfr_init2(bounded, rm == CY_FP_RMM ? WORK_BITS : f->mant + 1);
    int inexact;
    if (rm == CY_FP_RMM) {
        mpfr_t exact;
        mpfr_init2(exact, WORK_BITS);
        int cut = compute(op, exact, o, MPFR_RNDZ);
        long own = mpfr_get_exp(exact) - f->mant - 1;
        round_ties_away(unbounded, exact, own);
        inexact = round_ties_away(bounded, exact, own > lowest ? own : lowest);
        inexact = inexact ? inexact : cut;
        if (mpfr_zero_p(bounded))
            mpfr_setsign(bounded, bounded, mpfr_signbit(exact), MPFR_RNDN);
        mpfr_clear(exact);
    } else {
        inexact = compute(op, unbounded, o, modes[rm]);
        mpfr_set(bounded, unbounded, MPFR_RNDN);
        mpfr_exp_t emin = mpfr_get_emin();
        mpfr_set_emin(lowest + 1);
        inexact = mpfr_subnormalize(bounded, mpfr_check_range(bounded, inexact, modes[rm]), modes[rm]);
        mpfr_set_emin(emin);
    }
    bool negative = mpfr_signbit(unbounded);
    bool tiny = mpfr_zero_p(unbounded) || mpfr_get_exp(unbounded) < 2 - f->bias;
    if (!mpfr_zero_p(unbounded) && mpfr_get_exp(unbounded) > f->bias + 1) {
        bool to_max = rm == CY_FP_RTZ || (rm == CY_FP_RUP && negative) || (rm == CY_FP_RDN && !negative);
        result = (struct result){(negative ? f->sign : 0) | (f->inf - to_max), CY_FP_OF | CY_FP_NX};
    } else {
        result.bits = store(f, bounded);
        result.flags = inexact ? tiny ? CY_FP_NX | CY_FP_UF : CY_FP_NX : 0;
    }
    mpfr_clear(unbounded);
    mpfr_clear(bounded);
    return result;
}

/* The result of an operation by MPFR; NaNs, exact zeros and infinities by the rules of IEEE 754. */
static struct result oracle(const struct format *f, enum operation op, struct operands *o, bool any_snan, uint8_t rm)
{
    mpfr_t probe;
    mpfr_init2(probe, 60);
    struct result result = {0, any_snan ? CY_FP_NV : 0};
    /* Down gives the sign of an exact zero in RDN. */
    compute(op, probe, o, rm == CY_FP_RDN ? MPFR_RNDD : MPFR_RNDN);
    int operands = op == FMA ? 3 : op <= DIV ? 2 : 1;
    bool any_nan = false, any_inf = false;
    for (int i = 0; i < operands; i++) {
        any_nan |= mpfr_nan_p(o->x[i]) != 0;
        any_inf |= mpfr_inf_p(o->x[i]) != 0;
    }
    if (mpfr_nan_p(probe)) {
        bool inf_zero = op == FMA && ((mpfr_inf_p(o->x[0]) && mpfr_zero_p(o->x[1])) ||
                                      (mpfr_zero_p(o->x[0]) && mpfr_inf_p(o->x[1])));
        result.bits = f->inf | f->quiet;
        if (!any_nan || inf_zero)
            result.flags |= CY_FP_NV;
    } else if (any_inf || mpfr_inf_p(probe) || mpfr_zero_p(probe)) {
        result.bits = store(f, probe);
        if (!any_inf && mpfr_inf_p(probe))
            result.flags |= CY_FP_DZ;
    } else {
        result = round_finite(f, op, o, rm);
    }
    mpfr_clear(probe);
    return result;
}

static void report(const struct format *f, const char *name, const uint64_t *a, uint8_t rm, struct result got,
                   struct result expected)
{
    if (!test_record(got.bits == expected.bits && got.flags == expected.flags))
        return;
    fprintf(stderr,
            "%s %s(%" PRIx64 ", %" PRIx64 ", %" PRIx64 ") rm %u: %" PRIx64 " flags %x, expected %" PRIx64 " flags %x\n",
            f->name, name, a[0], a[1], a[2], rm, got.bits, got.flags, expected.bits, expected.flags);
}

/* One case in all rounding modes.  CONVERT: f is the source, `to` the destination. */
static void check(const struct format *f, enum operation op, uint64_t a, uint64_t b, uint64_t c, struct operands *o)
{
    const uint64_t bits[3] = {a, b, c};
    bool any_snan = false;
    for (int i = 0; i < (op == FMA ? 3 : op <= DIV ? 2 : 1); i++) {
        load(o->x[i], f, bits[i]);
        any_snan |= value_is_snan(f, bits[i]);
    }
    if (op == EXP && mpfr_number_p(o->x[0]) && mpfr_cmpabs_ui(o->x[0], 100000) > 0)
        mpfr_set_si(o->x[0], mpfr_signbit(o->x[0]) ? -100000 : 100000, MPFR_RNDN); /* keeps e^x within MPFR's range */
    for (uint8_t rm = 0; rm <= CY_FP_RMM; rm++) {
        struct cy_fp fp = {rm, 0};
        uint64_t got = 0;
        switch (op) {
        case ADD: got = f->add(&fp, a, b); break;
        case SUB: got = f->sub(&fp, a, b); break;
        case MUL: got = f->mul(&fp, a, b); break;
        case DIV: got = f->div(&fp, a, b); break;
        case SQRT: got = f->sqrt(&fp, a); break;
        case FMA: got = f->fma(&fp, a, b, c); break;
        case EXP: got = f->exp(&fp, a); break;
        case CONVERT: return;
        }
        report(f, operation_names[op], bits, rm, (struct result){got, fp.flags}, oracle(f, op, o, any_snan, rm));
    }
}

static uint64_t convert(struct cy_fp *fp, const struct format *from, const struct format *to, uint64_t a)
{
    switch (from->bits << 8 | to->bits) {
    case 16 << 8 | 32: return cy_f16_to_f32(fp, (uint16_t)a);
    case 16 << 8 | 64: return cy_f16_to_f64(fp, (uint16_t)a);
    case 32 << 8 | 16: return cy_f32_to_f16(fp, (uint32_t)a);
    case 32 << 8 | 64: return cy_f32_to_f64(fp, (uint32_t)a);
    case 64 << 8 | 16: return cy_f64_to_f16(fp, a);
    default: return cy_f64_to_f32(fp, a);
    }
}

static void check_convert(const struct format *from, const struct format *to, uint64_t a, struct operands *o)
{
    const uint64_t bits[3] = {a, 0, 0};
    load(o->x[0], from, a);
    for (uint8_t rm = 0; rm <= CY_FP_RMM; rm++) {
        struct cy_fp fp = {rm, 0};
        uint64_t got = convert(&fp, from, to, a);
        report(to, "from another format", bits, rm, (struct result){got, fp.flags},
               oracle(to, CONVERT, o, value_is_snan(from, a), rm));
    }
}

/* Float to integer: MPFR rounds to an integer, the limits are compared there too. */
static void check_to_integer(const struct format *f, uint64_t a, struct operands *o)
{
    static const mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU};
    const uint64_t bits[3] = {a, 0, 0};
    load(o->x[0], f, a);
    for (uint8_t rm = 0; rm <= CY_FP_RMM; rm++) {
        int changed = rm == CY_FP_RMM ? mpfr_round(o->x[1], o->x[0]) : mpfr_rint(o->x[1], o->x[0], modes[rm]);
        for (unsigned width = 8; width <= 64; width *= 2) {
            struct cy_fp fp_i = {rm, 0}, fp_u = {rm, 0};
            struct result got_i = {(uint64_t)f->to_i(&fp_i, a, width), fp_i.flags};
            struct result got_u = {f->to_u(&fp_u, a, width), fp_u.flags};
            struct result i = {0, changed ? CY_FP_NX : 0}, u = i;
            int64_t max_i = INT64_MAX >> (64 - width), min_i = -max_i - 1;
            uint64_t max_u = UINT64_MAX >> (64 - width);
            bool nan = mpfr_nan_p(o->x[1]), negative = mpfr_signbit(o->x[1]);
            if (nan || mpfr_cmp_si(o->x[1], min_i) < 0 || mpfr_cmp_si(o->x[1], max_i) > 0)
                i = (struct result){(uint64_t)(negative && !nan ? min_i : max_i), CY_FP_NV};
            else
                i.bits = (uint64_t)mpfr_get_sj(o->x[1], MPFR_RNDN);
            if (nan || mpfr_sgn(o->x[1]) < 0 || mpfr_cmp_ui(o->x[1], max_u) > 0)
                u = (struct result){negative && !nan ? 0 : max_u, CY_FP_NV};
            else
                u.bits = mpfr_get_uj(o->x[1], MPFR_RNDN);
            report(f, "to_i", bits, rm, got_i, i);
            report(f, "to_u", bits, rm, got_u, u);
            if (rm == CY_FP_RTZ) {
                struct cy_fp other_i = {CY_FP_RUP, 0}, other_u = {CY_FP_RUP, 0};
                got_i = (struct result){(uint64_t)f->to_i_rtz(&other_i, a, width), other_i.flags};
                got_u = (struct result){f->to_u_rtz(&other_u, a, width), other_u.flags};
                report(f, "to_i_rtz", bits, rm, got_i, i);
                report(f, "to_u_rtz", bits, rm, got_u, u);
            }
        }
    }
}

static void check_from_integer(const struct format *f, uint64_t a, struct operands *o)
{
    const uint64_t bits[3] = {a, 0, 0};
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        if (is_signed)
            mpfr_set_sj(o->x[0], (int64_t)a, MPFR_RNDN);
        else
            mpfr_set_uj(o->x[0], a, MPFR_RNDN);
        for (uint8_t rm = 0; rm <= CY_FP_RMM; rm++) {
            struct cy_fp fp = {rm, 0};
            uint64_t got = is_signed ? f->from_i(&fp, (int64_t)a) : f->from_u(&fp, a);
            report(f, is_signed ? "from_i" : "from_u", bits, rm, (struct result){got, fp.flags},
                   oracle(f, CONVERT, o, false, rm));
        }
    }
}

/* eq, lt, le, min, max, class and sign injection, by their definitions. */
static void check_compare(const struct format *f, uint64_t a, uint64_t b, struct operands *o)
{
    const uint64_t bits[3] = {a, b, 0};
    load(o->x[0], f, a);
    load(o->x[1], f, b);
    bool nan = mpfr_nan_p(o->x[0]) || mpfr_nan_p(o->x[1]);
    unsigned quiet = value_is_snan(f, a) || value_is_snan(f, b) ? CY_FP_NV : 0, loud = nan ? CY_FP_NV : 0;
    struct cy_fp fp[5] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
    struct result eq = {f->eq(&fp[0], a, b), fp[0].flags}, lt = {f->lt(&fp[1], a, b), fp[1].flags};
    struct result le = {f->le(&fp[2], a, b), fp[2].flags}, min = {f->min(&fp[3], a, b), fp[3].flags};
    struct result max = {f->max(&fp[4], a, b), fp[4].flags};
    report(f, "eq", bits, 0, eq, (struct result){mpfr_equal_p(o->x[0], o->x[1]) != 0, quiet});
    report(f, "lt", bits, 0, lt, (struct result){mpfr_less_p(o->x[0], o->x[1]) != 0, loud});
    report(f, "le", bits, 0, le, (struct result){mpfr_lessequal_p(o->x[0], o->x[1]) != 0, loud});
    /* A NaN loses; two equal numbers are zeros or the same. */
    uint64_t low, high;
    if (value_is_nan(f, a) || value_is_nan(f, b)) {
        low = high = !value_is_nan(f, a) ? a : !value_is_nan(f, b) ? b : f->inf | f->quiet;
    } else {
        bool first = mpfr_cmp(o->x[0], o->x[1]) < 0 || (mpfr_equal_p(o->x[0], o->x[1]) && mpfr_signbit(o->x[0]));
        low = first ? a : b;
        high = first ? b : a;
    }
    report(f, "min", bits, 0, min, (struct result){low, quiet});
    report(f, "max", bits, 0, max, (struct result){high, quiet});
}

static unsigned expected_class(const struct format *f, uint64_t a)
{
    uint64_t magnitude = a & ~f->sign;
    if (magnitude > f->inf)
        return magnitude & f->quiet ? 0x200 : 0x100;
    int kind = magnitude == f->inf ? 0 : magnitude >> f->mant ? 1 : magnitude ? 2 : 3;
    return a & f->sign ? 1u << kind : 0x80u >> kind;
}

static void open_operands(struct operands *o)
{
    for (int i = 0; i < 3; i++)
        mpfr_init2(o->x[i], 64);
}

static void close_operands(struct operands *o)
{
    for (int i = 0; i < 3; i++)
        mpfr_clear(o->x[i]);
}

static void test_edges(void)
{
    struct operands o;
    open_operands(&o);
    for (int n = 0; n < FORMATS; n++) {
        const struct format *f = formats[n];
        uint64_t v[MAX_EDGES];
        int count = edge_values(f, v);
        for (int i = 0; i < count; i++) {
            check(f, SQRT, v[i], 0, 0, &o);
            check(f, EXP, v[i], 0, 0, &o);
            check_to_integer(f, v[i], &o);
            CHECK_EQ(f->class(v[i]), expected_class(f, v[i]));
            for (int m = 0; m < FORMATS; m++)
                if (m != n)
                    check_convert(f, formats[m], v[i], &o);
            for (int j = 0; j < count; j++) {
                for (enum operation op = ADD; op <= DIV; op++)
                    check(f, op, v[i], v[j], 0, &o);
                check_compare(f, v[i], v[j], &o);
            }
        }
        /* Every third value and every seventh: different ones for each format and place. */
        for (int i = n; i < count; i += 5)
            for (int j = 0; j < count; j += 3)
                for (int k = 1; k < count; k += 7)
                    check(f, FMA, v[i], v[j], v[k], &o);
    }
    close_operands(&o);
}

static void test_random(void)
{
    struct operands o;
    open_operands(&o);
    for (int n = 0; n < FORMATS; n++) {
        const struct format *f = formats[n];
        uint64_t state = 0x9e3779b97f4a7c15 + (uint64_t)n;
        for (int i = 0; i < 8000; i++) {
            uint64_t a = random_operand(f, &state, (uint64_t)f->bias << f->mant), b = random_operand(f, &state, a);
            for (enum operation op = ADD; op <= DIV; op++)
                check(f, op, a, b, 0, &o);
            struct cy_fp fp = {0, 0};
            uint64_t product = f->mul(&fp, a, b);
            for (int j = 0; j < 4; j++)
                check(f, FMA, a, b, j ? random_operand(f, &state, product) : product ^ f->sign, &o);
            check(f, SQRT, a & ~f->sign, 0, 0, &o);
            check_compare(f, a, b, &o);
            check_to_integer(f, b, &o);
            check_from_integer(f, random_bits(&state) >> (a & 63), &o);
            for (int m = 0; m < FORMATS; m++) {
                const struct format *to = formats[m];
                if (m == n)
                    continue;
                /* Within the other format's range, or just outside. */
                struct cy_fp quiet = {0, 0};
                uint64_t other = convert(&quiet, to, f, random_operand(to, &state, a));
                check_convert(f, to, other ^ (random_bits(&state) & 7), &o);
            }
        }
        /* e^x: exponents from where it is 1 to where it overflows. */
        for (int i = 0; i < 20000; i++) {
            uint64_t a = random_operand(f, &state, 0);
            uint64_t exp = (uint64_t)(f->bias - f->mant - 4) + random_bits(&state) % (uint64_t)(f->mant + 16);
            exp = exp > (uint64_t)f->bias * 2 ? (uint64_t)f->bias : exp;
            check(f, EXP, (a & (f->sign | ((UINT64_C(1) << f->mant) - 1))) | exp << f->mant, 0, 0, &o);
        }
    }
    /* The binary32 numbers whose e^x is closest to where rounding changes. */
    static const uint32_t hard[] = {0x33ffffff, 0x347ffffe, 0x34fffffc, 0x357ffff8,
                                    0x35bffff7, 0xb4800001, 0xb5000002, 0xb5800004};
    for (size_t i = 0; i < sizeof(hard) / sizeof(hard[0]); i++)
        check(&f32, EXP, hard[i], 0, 0, &o);
    close_operands(&o);
}

/* All of binary16. */
static void test_all_f16(void)
{
    struct operands o;
    open_operands(&o);
    for (uint64_t a = 0; a < 0x10000; a++) {
        check(&f16, SQRT, a, 0, 0, &o);
        check(&f16, EXP, a, 0, 0, &o);
        check_to_integer(&f16, a, &o);
        check_convert(&f16, &f32, a, &o);
        check_convert(&f16, &f64, a, &o);
        CHECK_EQ(f16.class(a), expected_class(&f16, a));
        check_from_integer(&f16, a, &o);
        check_from_integer(&f16, (uint64_t)(int64_t)(int16_t)(uint16_t)a, &o);
    }
    close_operands(&o);
}

/* Integers where the number of bits just exceeds what is kept. */
static void test_integers(void)
{
    struct operands o;
    open_operands(&o);
    for (int n = 0; n < FORMATS; n++)
        for (int top = 0; top < 64; top++)
            for (int low = 0; low < 64; low++)
                for (int delta = -2; delta <= 2; delta++)
                    check_from_integer(formats[n],
                                       (UINT64_C(1) << top) + (UINT64_C(1) << low) + (uint64_t)(int64_t)delta, &o);
    close_operands(&o);
}

static void test_sign(void)
{
    CHECK_EQ(cy_f16_sgnj(0x7e01, 0x8000), 0xfe01);
    CHECK_EQ(cy_f16_sgnjn(0x3c00, 0x0000), 0xbc00);
    CHECK_EQ(cy_f16_sgnjx(0xbc00, 0xfc01), 0x3c00);
    CHECK_EQ(cy_f16_neg(0x7c01), 0xfc01);
    CHECK_EQ(cy_f32_sgnj(0x7f800001, 0xffffffff), 0xff800001);
    CHECK_EQ(cy_f32_sgnjn(0xff800001, 0x80000000), 0x7f800001);
    CHECK_EQ(cy_f32_sgnjx(0x80000000, 0x80000000), 0);
    CHECK_EQ(cy_f32_neg(0), 0x80000000);
    CHECK(cy_f64_sgnj(1, UINT64_C(1) << 63) == (UINT64_C(1) << 63 | 1));
    CHECK(cy_f64_sgnjn(1, UINT64_C(1) << 63) == 1);
    CHECK(cy_f64_sgnjx(1, 1) == 1);
    CHECK(cy_f64_neg(1) == (UINT64_C(1) << 63 | 1));
}

int main(void)
{
    test_edges();
    test_random();
    test_all_f16();
    test_integers();
    test_sign();
    mpfr_free_cache();
    return test_finish();
}
