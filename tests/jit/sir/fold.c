/* What pure operations give, against a plain second computation: integers bit by bit, floating point by the host's in double. */
#include "support/test.h"

#include "base/mem.h"
#include "jit/sir/sir.h"
#include "support/xorshift.h"

#include <math.h>

static uint64_t cut(uint64_t value, unsigned bits)
{
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static bool is_negative(uint64_t value, unsigned bits)
{
    return value >> (bits - 1) & 1;
}

static uint64_t magnitude(uint64_t value, unsigned bits)
{
    return is_negative(value, bits) ? cut(0 - value, bits) : value;
}

/* Special ones and random ones, of which many are small. */
static uint64_t operand(unsigned bits)
{
    const uint64_t chosen = random_bits(), any = random_bits();
    const uint64_t edge = UINT64_C(1) << (bits - 1);
    const uint64_t special[] = {0, 1, 2, 3, edge, edge - 1, edge + 1, UINT64_MAX, UINT64_MAX - 1};
    if (chosen % 4 == 0)
        return cut(special[(chosen >> 8) % CY_COUNT(special)], bits);
    return cut(chosen % 4 == 1 ? any >> (chosen >> 8) % 64 : any, bits);
}

static void operands(unsigned bits, uint64_t args[3])
{
    for (unsigned i = 0; i < 3; i++)
        args[i] = operand(bits);
}

static bool check(enum cy_sir_op op, enum cy_sir_type type, enum cy_sir_type from, const uint64_t *args,
                  uint64_t expected)
{
    const uint64_t got = cy_sir_fold(op, type, from, args[0], args[1], args[2]);
    if (CHECK(got == expected))
        return true;
    fprintf(stderr, "%s of i%u to i%u: %#" PRIx64 " %#" PRIx64 " %#" PRIx64 ": %#" PRIx64 ", expected %#" PRIx64 "\n",
            cy_sir_ops[op].name, cy_sir_bits(from), cy_sir_bits(type), args[0], args[1], args[2], got, expected);
    return false;
}

/* ---- integers ---- */

/* The product's lower and upper half, by adding shifted numbers. */
static void multiply(uint64_t a, uint64_t b, unsigned bits, uint64_t *low, uint64_t *high)
{
    *low = *high = 0;
    for (unsigned i = bits; i-- > 0;) {
        const uint64_t carry = is_negative(*low, bits);
        *low = cut(*low << 1, bits);
        *high = cut(*high << 1 | carry, bits);
        if (b >> i & 1) {
            *low = cut(*low + a, bits);
            *high = cut(*high + (*low < a), bits);
        }
    }
}

static uint64_t multiply_high(uint64_t a, uint64_t b, unsigned bits, bool is_signed_a, bool is_signed_b)
{
    uint64_t low, high;
    multiply(a, b, bits, &low, &high);
    high -= is_signed_a && is_negative(a, bits) ? b : 0;
    high -= is_signed_b && is_negative(b, bits) ? a : 0;
    return cut(high, bits);
}

/* By subtracting shifted numbers. */
static uint64_t divide(uint64_t a, uint64_t b, unsigned bits, uint64_t *rest)
{
    uint64_t quotient = 0;
    *rest = 0;
    for (unsigned i = bits; i-- > 0;) {
        const bool carry = is_negative(*rest, bits);
        *rest = cut(*rest << 1 | (a >> i & 1), bits);
        quotient = quotient << 1;
        if (carry || *rest >= b) {
            *rest = cut(*rest - b, bits);
            quotient |= 1;
        }
    }
    return cut(quotient, bits);
}

static void check_division(enum cy_sir_type type, const uint64_t *args)
{
    const unsigned bits = cy_sir_bits(type);
    const uint64_t a = args[0], b = args[1];
    uint64_t rest, signed_rest;
    const uint64_t quotient = divide(a, b, bits, &rest);
    const uint64_t positive = divide(magnitude(a, bits), magnitude(b, bits), bits, &signed_rest);
    const bool is_minus = is_negative(a, bits) != is_negative(b, bits);
    check(CY_SIR_DIVU, type, type, args, b ? quotient : cut(UINT64_MAX, bits));
    check(CY_SIR_REMU, type, type, args, b ? rest : a);
    check(CY_SIR_DIVS, type, type, args, cut(!b ? UINT64_MAX : is_minus ? 0 - positive : positive, bits));
    check(CY_SIR_REMS, type, type, args, cut(!b ? a : is_negative(a, bits) ? 0 - signed_rest : signed_rest, bits));
}

static bool less(uint64_t a, uint64_t b, unsigned bits)
{
    return is_negative(a, bits) != is_negative(b, bits) ? is_negative(a, bits) : a < b;
}

static void check_order(enum cy_sir_type type, const uint64_t *args)
{
    const unsigned bits = cy_sir_bits(type);
    const uint64_t a = args[0], b = args[1];
    const bool is_less = less(a, b, bits);
    check(CY_SIR_MINS, type, type, args, is_less ? a : b);
    check(CY_SIR_MAXS, type, type, args, is_less ? b : a);
    check(CY_SIR_MINU, type, type, args, a < b ? a : b);
    check(CY_SIR_MAXU, type, type, args, a < b ? b : a);
    check(CY_SIR_EQ, CY_SIR_I1, type, args, !(a ^ b));
    check(CY_SIR_NE, CY_SIR_I1, type, args, (a ^ b) != 0);
    check(CY_SIR_LTS, CY_SIR_I1, type, args, is_less);
    check(CY_SIR_GES, CY_SIR_I1, type, args, !is_less);
    check(CY_SIR_LTU, CY_SIR_I1, type, args, a < b);
    check(CY_SIR_GEU, CY_SIR_I1, type, args, !(a < b));
}

static void check_bits(enum cy_sir_type type, const uint64_t *args)
{
    const unsigned bits = cy_sir_bits(type), shift = (unsigned)(args[1] % bits);
    uint64_t low, high, left = args[0], right = args[0], arithmetic = args[0];
    for (unsigned i = 0; i < shift; i++) {
        left = cut(left * 2, bits);
        right /= 2;
        arithmetic = arithmetic / 2 | (is_negative(args[0], bits) ? UINT64_C(1) << (bits - 1) : 0);
    }
    multiply(args[0], args[1], bits, &low, &high);
    check(CY_SIR_COPY, type, type, args, args[0]);
    check(CY_SIR_ADD, type, type, args, cut(args[0] + args[1], bits));
    check(CY_SIR_SUB, type, type, args, cut(args[0] + ~args[1] + 1, bits));
    check(CY_SIR_MUL, type, type, args, low);
    check(CY_SIR_MULHU, type, type, args, high);
    check(CY_SIR_MULHS, type, type, args, multiply_high(args[0], args[1], bits, true, true));
    check(CY_SIR_MULHSU, type, type, args, multiply_high(args[0], args[1], bits, true, false));
    check(CY_SIR_AND, type, type, args, ~(~args[0] | ~args[1]));
    check(CY_SIR_OR, type, type, args, args[0] + args[1] - (args[0] & args[1]));
    check(CY_SIR_XOR, type, type, args, (args[0] | args[1]) - (args[0] & args[1]));
    check(CY_SIR_SHL, type, type, args, left);
    check(CY_SIR_SHRU, type, type, args, right);
    check(CY_SIR_SHRS, type, type, args, arithmetic);
}

static void check_sizes(enum cy_sir_type type, const uint64_t *args)
{
    const unsigned bits = cy_sir_bits(type);
    for (unsigned other = CY_SIR_I1; other < CY_SIR_TYPES; other++) {
        const unsigned other_bits = cy_sir_bits((enum cy_sir_type)other);
        const uint64_t sign = is_negative(args[0], bits) ? cut(UINT64_MAX, other_bits) - cut(UINT64_MAX, bits) : 0;
        if (other < type)
            check(CY_SIR_TRUNC, (enum cy_sir_type)other, type, args, cut(args[0], other_bits));
        if (other <= type)
            continue;
        check(CY_SIR_ZEXT, (enum cy_sir_type)other, type, args, args[0]);
        check(CY_SIR_SEXT, (enum cy_sir_type)other, type, args, args[0] + sign);
    }
}

static void test_integers(void)
{
    enum { TRIES = 3000 };
    for (unsigned type = CY_SIR_I1; type < CY_SIR_TYPES; type++)
        for (unsigned i = 0; i < TRIES; i++) {
            const unsigned bits = cy_sir_bits((enum cy_sir_type)type);
            uint64_t args[3];
            operands(bits, args);
            check_bits((enum cy_sir_type)type, args);
            check_division((enum cy_sir_type)type, args);
            check_order((enum cy_sir_type)type, args);
            check_sizes((enum cy_sir_type)type, args);
        }
}

static void test_words(void)
{
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t two[3], one[3], choice[3];
        operands(32, two);
        operands(64, one);
        operands(64, choice);
        choice[0] = i % 2;
        check(CY_SIR_PAIR, CY_SIR_I64, CY_SIR_I32, two, two[0] + (two[1] << 32));
        check(CY_SIR_LOW, CY_SIR_I32, CY_SIR_I64, one, one[0] % (UINT64_C(1) << 32));
        check(CY_SIR_HIGH, CY_SIR_I32, CY_SIR_I64, one, one[0] / (UINT64_C(1) << 32));
        check(CY_SIR_SELECT, CY_SIR_I64, CY_SIR_I1, choice, choice[2 - choice[0]]);
    }
}

/* ---- floating point ---- */

struct format {
    enum cy_sir_type type;
    int mantissa, lowest; /* stored bits, the exponent of the smallest normal number */
};
static const struct format formats[] = {{CY_SIR_I16, 10, -14}, {CY_SIR_I32, 23, -126}, {CY_SIR_I64, 52, -1022}};

static uint64_t infinity_of(const struct format *f)
{
    const unsigned bits = cy_sir_bits(f->type);
    return ((UINT64_C(1) << (bits - 1)) - 1) >> f->mantissa << f->mantissa;
}

static uint64_t nan_of(const struct format *f)
{
    return infinity_of(f) | UINT64_C(1) << (f->mantissa - 1);
}

static double number(const struct format *f, uint64_t bits)
{
    const uint64_t sign = UINT64_C(1) << (cy_sir_bits(f->type) - 1), size = bits & (sign - 1);
    const int exponent = (int)(size >> f->mantissa);
    const uint64_t fraction = size & ((UINT64_C(1) << f->mantissa) - 1);
    double value;
    if (size > infinity_of(f))
        return NAN;
    if (size == infinity_of(f))
        value = INFINITY;
    else if (!exponent)
        value = ldexp((double)fraction, f->lowest - f->mantissa);
    else
        value = ldexp((double)(fraction | UINT64_C(1) << f->mantissa), exponent - 1 + f->lowest - f->mantissa);
    return bits & sign ? -value : value;
}

/* Rounded to the format, to nearest even; exact results only if the format is double. */
static uint64_t encode(const struct format *f, double value)
{
    const uint64_t sign = signbit(value) ? UINT64_C(1) << (cy_sir_bits(f->type) - 1) : 0;
    int exponent;
    if (isnan(value))
        return nan_of(f);
    value = fabs(value);
    if (isinf(value) || value == 0)
        return sign | (value == 0 ? 0 : infinity_of(f));
    frexp(value, &exponent);
    exponent = exponent - 1 < f->lowest ? f->lowest : exponent - 1;
    const uint64_t steps = (uint64_t)rint(ldexp(value, f->mantissa - exponent)); /* carries into the exponent */
    const uint64_t size = ((uint64_t)(exponent - f->lowest) << f->mantissa) + steps;
    return sign | (size > infinity_of(f) ? infinity_of(f) : size);
}

static uint64_t float_operand(const struct format *f)
{
    static const double special[] = {0.0,   1.0,     -1.0,    0.5,    1.5,     2.5,    -2.5,  3.0,
                                     127.5, 32767.0, 65504.0, 0x1p31, -0x1p31, 0x1p32, 0x1p63};
    const unsigned bits = cy_sir_bits(f->type);
    const uint64_t sign = UINT64_C(1) << (bits - 1), chosen = random_bits(), any = cut(random_bits(), bits);
    switch (chosen % 8) {
    case 0: return encode(f, special[(chosen >> 8) % CY_COUNT(special)]);
    case 1: return infinity_of(f) | (chosen & 256 ? sign : 0);
    case 2: return infinity_of(f) | (any & 255); /* NaNs, most of which signal */
    case 3: return (any & 15) | (chosen & 256 ? sign : 0);
    case 4: return infinity_of(f) - 1 - (any & 3);
    case 5: return encode(f, (double)(int64_t)random_bits() / (double)(UINT64_C(1) << (chosen >> 8) % 64));
    default: return any;
    }
}

static uint64_t lesser(const struct format *f, uint64_t a, uint64_t b, bool is_greater)
{
    const double x = number(f, a), y = number(f, b);
    if (isnan(x) && isnan(y))
        return nan_of(f);
    if (isnan(x) || isnan(y))
        return isnan(x) ? b : a;
    const bool a_first = x == y ? signbit(x) != 0 : x < y; /* -0 comes before +0 */
    return a_first != is_greater ? a : b;
}

static uint64_t to_integer(double value, unsigned bits, bool is_signed)
{
    const double low = is_signed ? -ldexp(1, (int)bits - 1) : 0, high = ldexp(1, (int)bits - is_signed);
    const uint64_t most = cut(UINT64_MAX, bits) >> is_signed;
    if (isnan(value) || value >= high)
        return most;
    if (value < low)
        return is_signed ? most + 1 : 0;
    return cut(value < 0 ? 0 - (uint64_t)-value : (uint64_t)value, bits);
}

static void check_arithmetic(const struct format *f, const uint64_t *args)
{
    const double a = number(f, args[0]), b = number(f, args[1]), c = number(f, args[2]);
    check(CY_SIR_FADD, f->type, f->type, args, encode(f, a + b));
    check(CY_SIR_FSUB, f->type, f->type, args, encode(f, a - b));
    check(CY_SIR_FMUL, f->type, f->type, args, encode(f, a * b));
    check(CY_SIR_FDIV, f->type, f->type, args, encode(f, a / b));
    check(CY_SIR_FSQRT, f->type, f->type, args, encode(f, sqrt(a)));
    if (f->type == CY_SIR_I64)
        check(CY_SIR_FMA, f->type, f->type, args, encode(f, fma(a, b, c)));
    if (f->type == CY_SIR_I32)
        check(CY_SIR_FMA, f->type, f->type, args, encode(f, (double)fmaf((float)a, (float)b, (float)c)));
    check(CY_SIR_FMIN, f->type, f->type, args, lesser(f, args[0], args[1], false));
    check(CY_SIR_FMAX, f->type, f->type, args, lesser(f, args[0], args[1], true));
    check(CY_SIR_FEQ, CY_SIR_I1, f->type, args, a == b);
    check(CY_SIR_FLT, CY_SIR_I1, f->type, args, a < b);
    check(CY_SIR_FLE, CY_SIR_I1, f->type, args, a <= b);
}

/* Is it e^x, or next to it?  tests/gpu_fp has the last bit. */
static void check_exp(const struct format *f, const uint64_t *args)
{
    const uint64_t got = cy_sir_fold(CY_SIR_FEXP, f->type, f->type, args[0], 0, 0);
    const uint64_t expected = encode(f, exp(number(f, args[0])));
    CHECK(got == expected || got + 1 == expected || got == expected + 1);
}

static void check_conversions(const struct format *f, const uint64_t *args)
{
    const unsigned bits = cy_sir_bits(f->type);
    const double a = number(f, args[0]);
    check(CY_SIR_FTOS, f->type, f->type, args, to_integer(rint(a), bits, true));
    check(CY_SIR_FTOU, f->type, f->type, args, to_integer(rint(a), bits, false));
    check(CY_SIR_FTOSZ, f->type, f->type, args, to_integer(trunc(a), bits, true));
    check(CY_SIR_FTOUZ, f->type, f->type, args, to_integer(trunc(a), bits, false));
    const double size = (double)magnitude(args[0], bits), whole = (double)args[0];
    check(CY_SIR_STOF, f->type, f->type, args, encode(f, is_negative(args[0], bits) ? -size : size));
    check(CY_SIR_UTOF, f->type, f->type, args, encode(f, whole));
    for (const struct format *other = formats; other < formats + CY_COUNT(formats); other++)
        if (other->type != f->type)
            check(other->type > f->type ? CY_SIR_FWIDEN : CY_SIR_FNARROW, other->type, f->type, args, encode(other, a));
}

/* Sums and products of small formats are exact in double, or rounding twice does not matter (Figueroa 1995). */
static void test_floating_point(void)
{
    enum { TRIES = 20000 };
    for (const struct format *f = formats; f < formats + CY_COUNT(formats); f++)
        for (unsigned i = 0; i < TRIES; i++) {
            uint64_t args[3];
            for (unsigned k = 0; k < CY_COUNT(args); k++)
                args[k] = float_operand(f);
            CHECK_EQ(encode(f, number(f, args[0])), isnan(number(f, args[0])) ? nan_of(f) : args[0]);
            check_arithmetic(f, args);
            check_exp(f, args);
            check_conversions(f, args);
        }
}

/* As the device library converts halves (lib/cl/half.cl). */
static void test_halves(void)
{
    const struct format *f16 = NULL, *f32 = NULL;
    for (const struct format *f = formats; f < formats + CY_COUNT(formats); f++) {
        f16 = f->type == CY_SIR_I16 ? f : f16;
        f32 = f->type == CY_SIR_I32 ? f : f32;
    }
    for (uint64_t half = 0; half <= UINT16_MAX; half++) {
        const uint64_t args[3] = {half}, rest = half & 0x7fff;
        const uint64_t nan = (half & 0x8000) << 16 | rest << 13 | 0x7fc00000;
        check(CY_SIR_HTOF, CY_SIR_I32, CY_SIR_I16, args, rest > 0x7c00 ? nan : encode(f32, number(f16, half)));
    }
    for (uint64_t word = 0; word <= UINT32_MAX; word += 4093) {
        const uint64_t args[3] = {word};
        const uint64_t nan = (word >> 16 & 0x8000) | 0x7e00 | (word >> 13 & 0x3ff);
        check(CY_SIR_FTOH, CY_SIR_I16, CY_SIR_I32, args,
              (word & 0x7fffffff) > 0x7f800000 ? nan : encode(f16, number(f32, word)));
    }
}

/* ---- which ---- */

/* Every operation that can be folded is pure and has a check above; the others say so. */
static void test_folds(void)
{
    unsigned count = 0;
    for (unsigned op = CY_SIR_NONE; op < CY_SIR_OPS; op++) {
        count += cy_sir_folds((enum cy_sir_op)op);
        CHECK(!cy_sir_folds((enum cy_sir_op)op) || cy_sir_ops[op].flags & CY_SIR_PURE);
    }
    CHECK_EQ(count, CY_SIR_FTOH - CY_SIR_COPY + 1);
    CHECK(cy_sir_folds(CY_SIR_COPY) && cy_sir_folds(CY_SIR_FTOH) && !cy_sir_folds(CY_SIR_ROW) &&
          !cy_sir_folds(CY_SIR_CONST));
}

TEST_MAIN(test_integers, test_words, test_floating_point, test_halves, test_folds)
