/* Every instruction with difficult values, against expectations computed here: integers in 64-bit C, floating point by
 * MPFR.  Each case runs three ways: by all lanes, under the predicate, and by diverged lanes. */
#include <stdint.h>
#include <mpfr.h> /* after stdint.h, so that it supports intmax_t */

#include "epic/gpu.h"

enum {
    LANES = 8,
    X_AT = 0x10000, /* operands and results, one word for each lane of each block */
    Y_AT = 0x20000,
    D_AT = 0x30000,
    RESULT_AT = 0x40000,
    PRED_AT = 0x50000,
    MAX_CASES = 0x4000,
    RX = 10, /* registers of the test program */
    RY,
    RD,
    RI,
    RT,
    RP,
};

enum mode { PLAIN, UNDER_PREDICATE, DIVERGED, MODES };

struct cases {
    uint32_t x[MAX_CASES], y[MAX_CASES], d[MAX_CASES];
    size_t count;
};

static void add_case(struct cases *cases, uint32_t x, uint32_t y, uint32_t d)
{
    if (cases->count == MAX_CASES)
        abort();
    cases->x[cases->count] = x;
    cases->y[cases->count] = y;
    cases->d[cases->count++] = d;
}

/* rd = the word of this thread in the array at `address` */
static void load_operand(struct code *code, unsigned rd, uint32_t address)
{
    load_value(code, RT, address);
    emit(code, r_type(ADD, RT, RT, RI));
    emit(code, lw(rd, RT));
}

static void store_result(struct code *code, unsigned rs, uint32_t address)
{
    load_value(code, RT, address);
    emit(code, r_type(ADD, RT, RT, RI));
    emit(code, sw(rs, RT));
}

/* The program: operands from memory, the instruction, result and predicate to memory.  The predicate of odd lanes is 1
 * before it.  Diverged: odd lanes jump to their own copy of the instruction, after that of the even lanes. */
static void make_program(struct code *code, uint32_t word, enum mode mode)
{
    code->count = 0;
    emit(code, r_type(MUL, RI, 1, 2));
    emit(code, r_type(ADD, RI, RI, 3));
    emit(code, i_type(SLL, RI, RI, 2));
    load_operand(code, RX, X_AT);
    load_operand(code, RY, Y_AT);
    load_operand(code, RD, D_AT);
    emit(code, i_type(AND, RT, 3, 1));
    emit(code, i_type(SEQ, RT, RT, 1));
    if (mode == PLAIN) {
        emit(code, word);
    } else if (mode == UNDER_PREDICATE) {
        emit(code, word | PREDICATED);
    } else {
        emit(code, branch(12));
        emit(code, word);
        emit(code, jump(8));
        emit(code, word);
    }
    emit(code, i_type(ADD, RP, 0, 0));
    emit(code, i_type(ADD, RP, 0, 1) | PREDICATED);
    store_result(code, RD, RESULT_AT);
    store_result(code, RP, PRED_AT);
    emit(code, EXIT);
}

typedef uint32_t expect(uint32_t x, uint32_t y, uint32_t d);

static void check_mode(struct cy_epic *gpu, const char *name, uint32_t word, const struct cases *cases,
                       expect *expected, bool sets_predicate, enum mode mode)
{
    static struct code code;
    static uint32_t results[MAX_CASES], predicates[MAX_CASES];
    const uint32_t blocks = (uint32_t)(cases->count + LANES - 1) / LANES;
    make_program(&code, word, mode);
    if (!run_code(gpu, &code, blocks))
        return;
    CHECK_EQ(cy_epic_read(gpu, RESULT_AT, results, cases->count * 4), CY_EPIC_OK);
    CHECK_EQ(cy_epic_read(gpu, PRED_AT, predicates, cases->count * 4), CY_EPIC_OK);
    for (size_t i = 0; i < cases->count; i++) {
        const uint32_t odd = i % LANES & 1;
        const bool off = mode == UNDER_PREDICATE && !odd;
        const uint32_t value = expected(cases->x[i], cases->y[i], cases->d[i]);
        const uint32_t result = off ? cases->d[i] : value;
        const uint32_t predicate = sets_predicate && !off ? value : odd;
        const bool good = CHECK_EQ(results[i], result);
        if (!CHECK_EQ(predicates[i], predicate) || !good)
            fprintf(stderr, "  %s, mode %d, x 0x%08x, y 0x%08x, d 0x%08x\n", name, mode, cases->x[i], cases->y[i],
                    cases->d[i]);
    }
}

static void check_insn(struct cy_epic *gpu, const char *name, uint32_t word, const struct cases *cases,
                       expect *expected, bool sets_predicate)
{
    CHECK_EQ(cy_epic_write(gpu, X_AT, cases->x, cases->count * 4), CY_EPIC_OK);
    CHECK_EQ(cy_epic_write(gpu, Y_AT, cases->y, cases->count * 4), CY_EPIC_OK);
    CHECK_EQ(cy_epic_write(gpu, D_AT, cases->d, cases->count * 4), CY_EPIC_OK);
    for (int mode = 0; mode < MODES; mode++)
        check_mode(gpu, name, word, cases, expected, sets_predicate, (enum mode)mode);
}

/* ---- integers ---- */

static int64_t wide(uint32_t value)
{
    return value & 0x80000000u ? (int64_t)value - ((int64_t)1 << 32) : (int64_t)value;
}

static uint32_t want_add(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return (uint32_t)((uint64_t)(wide(x) + wide(y)) & 0xffffffff);
}
static uint32_t want_sub(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return (uint32_t)((uint64_t)(wide(x) - wide(y)) & 0xffffffff);
}
static uint32_t want_mul(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return (uint32_t)((uint64_t)(wide(x) * wide(y)) & 0xffffffff);
}
static uint32_t want_mac(uint32_t x, uint32_t y, uint32_t d)
{
    return (uint32_t)(((uint64_t)(wide(x) * wide(y)) + d) & 0xffffffff);
}
static uint32_t want_div(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return y == 0 ? 0xffffffff : (uint32_t)((uint64_t)(wide(x) / wide(y)) & 0xffffffff);
}
static uint32_t want_rem(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return y == 0 ? x : (uint32_t)((uint64_t)(wide(x) % wide(y)) & 0xffffffff);
}
static uint32_t want_abs(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    return (uint32_t)((uint64_t)llabs((long long)wide(x)) & 0xffffffff);
}

/* Bit by bit. */
static uint32_t by_bits(uint32_t x, uint32_t y, unsigned truth)
{
    uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; bit++)
        result |= (uint32_t)(truth >> ((x >> bit & 1) * 2 + (y >> bit & 1)) & 1) << bit;
    return result;
}
static uint32_t want_and(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return by_bits(x, y, 8);
}
static uint32_t want_or(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return by_bits(x, y, 14);
}
static uint32_t want_xor(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return by_bits(x, y, 6);
}
static uint32_t want_sll(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    for (y %= 32; y; y--)
        x += x;
    return x;
}
static uint32_t want_srl(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    for (y %= 32; y; y--)
        x /= 2;
    return x;
}
static uint32_t want_sra(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    for (y %= 32; y; y--)
        x = x / 2 + (x & 0x80000000u);
    return x;
}
static uint32_t want_min(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return wide(x) <= wide(y) ? x : y;
}
static uint32_t want_minu(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return x <= y ? x : y;
}
static uint32_t want_max(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return wide(x) >= wide(y) ? x : y;
}
static uint32_t want_maxu(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return x >= y ? x : y;
}
static uint32_t want_slt(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return wide(x) < wide(y) ? 1 : 0;
}
static uint32_t want_seq(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return wide(x) - wide(y) == 0 ? 1 : 0;
}

static const struct integer_insn {
    const char *name;
    unsigned func5;
    expect *expected;
    bool sets_predicate, only_registers;
} integer_insns[] = {
    {"add", ADD, want_add, false, false},    {"sub", SUB, want_sub, false, false},
    {"mul", MUL, want_mul, false, false},    {"mac", MAC, want_mac, false, false},
    {"div", DIV, want_div, false, false},    {"rem", REM, want_rem, false, false},
    {"abs", ABS, want_abs, false, true},     {"and", AND, want_and, false, false},
    {"or", OR, want_or, false, false},       {"xor", XOR, want_xor, false, false},
    {"sll", SLL, want_sll, false, false},    {"srl", SRL, want_srl, false, false},
    {"sra", SRA, want_sra, false, false},    {"min", MIN, want_min, false, false},
    {"minu", MINU, want_minu, false, false}, {"max", MAX, want_max, false, false},
    {"maxu", MAXU, want_maxu, false, false}, {"slt", SLT, want_slt, true, false},
    {"seq", SEQ, want_seq, true, false},
};

static const uint32_t integers[] = {
    0,          1,          2,          3,          5,          7,          31,         32,
    33,         0x7f,       0x80,       0xfff,      0x1000,     0x1fff,     0x7fff,     0x8000,
    0xffff,     0x10000,    0x55555555, 0xaaaaaaaa, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
    0xfffff000, 0xffffffe0, 0xffffffe1, 0xfffffffb, 0xfffffffe, 0xffffffff, 0x12345678, 0xdeadbeef,
};

static void test_integers(void)
{
    static struct cases cases;
    struct cy_epic *gpu = make_gpu(NULL);
    uint64_t seed = 1;
    cases.count = 0;
    for (size_t i = 0; i < sizeof(integers) / 4; i++)
        for (size_t j = 0; j < sizeof(integers) / 4; j++)
            add_case(&cases, integers[i], integers[j], next_random(&seed));
    for (int i = 0; i < 1000; i++) {
        const uint32_t x = next_random(&seed), bits = next_random(&seed), y = bits >> next_random(&seed) % 32;
        add_case(&cases, x, y, next_random(&seed));
    }
    for (size_t i = 0; i < sizeof(integer_insns) / sizeof(integer_insns[0]); i++) {
        const struct integer_insn *insn = &integer_insns[i];
        check_insn(gpu, insn->name, r_type(insn->func5, RD, RX, RY), &cases, insn->expected, insn->sets_predicate);
    }
    cy_epic_destroy(gpu);
}

static void test_immediates(void)
{
    static const int immediates[] = {0, 1, 2, 5, 31, 32, 33, 0x7ff, 0xfff, -1, -2, -7, -32, -0xfff, -0x1000};
    static struct cases cases;
    struct cy_epic *gpu = make_gpu(NULL);
    uint64_t seed = 2;
    for (size_t n = 0; n < sizeof(immediates) / sizeof(immediates[0]); n++) {
        cases.count = 0;
        for (size_t i = 0; i < sizeof(integers) / 4; i++)
            add_case(&cases, integers[i], (uint32_t)immediates[n], next_random(&seed));
        for (size_t i = 0; i < sizeof(integer_insns) / sizeof(integer_insns[0]); i++) {
            const struct integer_insn *insn = &integer_insns[i];
            if (!insn->only_registers)
                check_insn(gpu, insn->name, i_type(insn->func5, RD, RX, immediates[n]), &cases, insn->expected,
                           insn->sets_predicate);
        }
    }
    cy_epic_destroy(gpu);
}

static uint32_t want_y(uint32_t x, uint32_t y, uint32_t d)
{
    (void)x, (void)d;
    return y;
}

static void test_lui(void)
{
    static const uint32_t values[] = {0, 1, 31, 32, 0x155, 0x1ffff, 0x20000, 0x2aaaa, 0x3ffff};
    static struct cases cases;
    struct cy_epic *gpu = make_gpu(NULL);
    for (size_t n = 0; n < sizeof(values) / 4; n++) {
        cases.count = 0;
        for (int i = 0; i < LANES; i++)
            add_case(&cases, 0, values[n] * 16384u, 0x01234567);
        check_insn(gpu, "lui", lui(RD, values[n]), &cases, want_y, false);
    }
    cy_epic_destroy(gpu);
}

/* ---- floating point ---- */

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

static void set_mpfr(mpfr_t value, uint32_t bits)
{
    float number;
    memcpy(&number, &bits, 4);
    mpfr_set_flt(value, number, MPFR_RNDN);
}

/* The value, already rounded to 24 bits with this ternary result, as binary32. */
static uint32_t get_mpfr(mpfr_t value, int ternary)
{
    if (mpfr_nan_p(value))
        return 0x7fc00000;
    ternary = mpfr_check_range(value, ternary, MPFR_RNDN);
    mpfr_subnormalize(value, ternary, MPFR_RNDN);
    float number = mpfr_get_flt(value, MPFR_RNDN);
    uint32_t bits;
    memcpy(&bits, &number, 4);
    return bits;
}

typedef int mpfr_binary(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
typedef int mpfr_unary(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

static uint32_t by_binary(mpfr_binary *function, uint32_t x, uint32_t y)
{
    mpfr_t a, b, result;
    mpfr_inits2(24, a, b, result, (mpfr_ptr)0);
    set_mpfr(a, x);
    set_mpfr(b, y);
    const uint32_t bits = get_mpfr(result, function(result, a, b, MPFR_RNDN));
    mpfr_clears(a, b, result, (mpfr_ptr)0);
    return bits;
}

static uint32_t by_unary(mpfr_unary *function, uint32_t x)
{
    mpfr_t a, result;
    mpfr_inits2(24, a, result, (mpfr_ptr)0);
    set_mpfr(a, x);
    const uint32_t bits = get_mpfr(result, function(result, a, MPFR_RNDN));
    mpfr_clears(a, result, (mpfr_ptr)0);
    return bits;
}

static uint32_t want_fadd(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return by_binary(mpfr_add, x, y);
}
static uint32_t want_fsub(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return by_binary(mpfr_sub, x, y);
}
static uint32_t want_fmul(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return by_binary(mpfr_mul, x, y);
}
static uint32_t want_fdiv(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    return by_binary(mpfr_div, x, y);
}
static uint32_t want_fmac(uint32_t x, uint32_t y, uint32_t d)
{
    mpfr_t a, b, c, result;
    mpfr_inits2(24, a, b, c, result, (mpfr_ptr)0);
    set_mpfr(a, x);
    set_mpfr(b, y);
    set_mpfr(c, d);
    const uint32_t bits = get_mpfr(result, mpfr_fma(result, a, b, c, MPFR_RNDN));
    mpfr_clears(a, b, c, result, (mpfr_ptr)0);
    return bits;
}
static uint32_t want_fabs(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    return x & 0x80000000u ? x - 0x80000000u : x; /* of a NaN too, keeping its other bits */
}
static uint32_t want_frcp(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    return by_binary(mpfr_div, 0x3f800000, x);
}
static uint32_t want_fsqrt(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    return by_unary(mpfr_sqrt, x);
}
static uint32_t want_frsqrt(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    return x == 0x80000000u ? 0xff800000u : by_unary(mpfr_rec_sqrt, x); /* IEEE 754: rSqrt(-0) is -infinity */
}
static uint32_t want_fsin(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    return by_unary(mpfr_sin, x);
}
static uint32_t want_fcos(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    return by_unary(mpfr_cos, x);
}
static uint32_t want_flog(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    return by_unary(mpfr_log, x);
}
static uint32_t want_fexp(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    return by_unary(mpfr_exp, x);
}
static uint32_t want_fslt(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    mpfr_t a, b;
    mpfr_inits2(24, a, b, (mpfr_ptr)0);
    set_mpfr(a, x);
    set_mpfr(b, y);
    const uint32_t result = mpfr_less_p(a, b) ? 1 : 0;
    mpfr_clears(a, b, (mpfr_ptr)0);
    return result;
}
static uint32_t want_fseq(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    mpfr_t a, b;
    mpfr_inits2(24, a, b, (mpfr_ptr)0);
    set_mpfr(a, x);
    set_mpfr(b, y);
    const uint32_t result = mpfr_equal_p(a, b) ? 1 : 0;
    mpfr_clears(a, b, (mpfr_ptr)0);
    return result;
}

/* Order of all numbers, -0 below +0. */
static int64_t order(uint32_t x)
{
    return x & 0x80000000u ? -(int64_t)(x & 0x7fffffff) - 1 : (int64_t)x;
}
static uint32_t want_fmin(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    if (is_nan(x))
        return is_nan(y) ? 0x7fc00000 : y;
    return is_nan(y) || order(x) < order(y) ? x : y;
}
static uint32_t want_fmax(uint32_t x, uint32_t y, uint32_t d)
{
    (void)d;
    if (is_nan(x))
        return is_nan(y) ? 0x7fc00000 : y;
    return is_nan(y) || order(x) > order(y) ? x : y;
}
static uint32_t want_cvtif(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    mpfr_t result;
    mpfr_init2(result, 24);
    const uint32_t bits = get_mpfr(result, mpfr_set_sj(result, wide(x), MPFR_RNDN));
    mpfr_clear(result);
    return bits;
}
static uint32_t to_integer(uint32_t x, mpfr_rnd_t rounding)
{
    mpfr_t a;
    mpfr_init2(a, 24);
    set_mpfr(a, x);
    uint32_t result;
    if (is_nan(x))
        result = 0x7fffffff;
    else if (mpfr_inf_p(a) || mpfr_cmpabs_ui(a, 1ul << 40) > 0)
        result = x & 0x80000000u ? 0x80000000u : 0x7fffffff;
    else {
        const intmax_t whole = mpfr_get_sj(a, rounding);
        result = whole > INT32_MAX ? 0x7fffffff : whole < INT32_MIN ? 0x80000000u : (uint32_t)(whole & 0xffffffff);
    }
    mpfr_clear(a);
    return result;
}
static uint32_t want_cvtfi(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    return to_integer(x, MPFR_RNDZ);
}
static uint32_t want_cvtfr(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    return to_integer(x, MPFR_RNDN);
}
static uint32_t want_cvtfc(uint32_t x, uint32_t y, uint32_t d)
{
    (void)y, (void)d;
    return to_integer(x, MPFR_RNDU);
}

static const struct float_insn {
    const char *name;
    unsigned func5;
    expect *expected;
    bool sets_predicate;
} float_insns[] = {
    {"fadd", FADD, want_fadd, false},    {"fsub", FSUB, want_fsub, false},    {"fmul", FMUL, want_fmul, false},
    {"fmac", FMAC, want_fmac, false},    {"fdiv", FDIV, want_fdiv, false},    {"fabs", FABS, want_fabs, false},
    {"frcp", FRCP, want_frcp, false},    {"fsqrt", FSQRT, want_fsqrt, false}, {"frsqrt", FRSQRT, want_frsqrt, false},
    {"fsin", FSIN, want_fsin, false},    {"fcos", FCOS, want_fcos, false},    {"flog", FLOG, want_flog, false},
    {"fexp", FEXP, want_fexp, false},    {"cvtif", CVTIF, want_cvtif, false}, {"cvtfi", CVTFI, want_cvtfi, false},
    {"cvtfr", CVTFR, want_cvtfr, false}, {"cvtfc", CVTFC, want_cvtfc, false}, {"fmin", FMIN, want_fmin, false},
    {"fmax", FMAX, want_fmax, false},    {"fslt", FSLT, want_fslt, true},     {"fseq", FSEQ, want_fseq, true},
};

static const uint32_t floats[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x00ffffff,
    0x33800000, 0x3effffff, 0x3f000000, 0x3f000001, 0xbf000000, 0x3f7fffff, 0x3f800000, 0x3f800001,
    0xbf800000, 0x3fc00000, 0x40000000, 0x40200000, 0xc0200000, 0x40490fdb, 0x3fc90fdb, 0x42b17217,
    0x42b17218, 0x42b17219, 0xc2aeac50, 0xc2cff1b4, 0xc2cff1b5, 0x4effffff, 0x4f000000, 0xcf000000,
    0xcf000001, 0x4b000001, 0x4b7fffff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
    0xffc12345, 0x7f800001, 0x5a000001, 0x1f800000, 0x20000001, 0xceffffff, 0x4efffffe,
};

static void test_floats(void)
{
    static struct cases cases;
    struct cy_epic *gpu = make_gpu(NULL);
    uint64_t seed = 3;
    const size_t count = sizeof(floats) / 4;
    cases.count = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            add_case(&cases, floats[i], floats[j], floats[next_random(&seed) % count]);
    for (int i = 0; i < 1000; i++) {
        const uint32_t x = next_random(&seed), y = next_random(&seed);
        add_case(&cases, x, y, next_random(&seed));
    }
    for (int i = 0; i < 1000; i++) { /* of similar size, so that sums cancel and products are close to the addend */
        const uint32_t near = 0x3f800000 + (next_random(&seed) & 0x3ffffff) - 0x2000000;
        const uint32_t y = near ^ (next_random(&seed) & 0x801fffff);
        add_case(&cases, near, y, near ^ (next_random(&seed) & 0x80ffffff));
    }
    for (size_t i = 0; i < sizeof(float_insns) / sizeof(float_insns[0]); i++)
        check_insn(gpu, float_insns[i].name, f_type(float_insns[i].func5, RD, RX, RY), &cases, float_insns[i].expected,
                   float_insns[i].sets_predicate);
    cy_epic_destroy(gpu);
}

/* ---- registers ---- */

/* r0, r2, r3 keep their values whatever is written; r1 takes a new one. */
static void test_registers(void)
{
    struct cy_epic *gpu = make_gpu(&(struct cy_epic_config){.lanes = 5});
    struct code code = {.count = 0};
    for (unsigned r = 0; r < 4; r++)
        emit(&code, i_type(ADD, r, 0, 77));
    emit(&code, i_type(SEQ, 0, 0, 0)); /* the predicate is still set */
    emit(&code, i_type(SLL, 10, 3, 5));
    for (unsigned r = 0; r < 4; r++) {
        emit(&code, sw(r, 10));
        emit(&code, i_type(ADD, 10, 10, 4));
    }
    emit(&code, i_type(ADD, 11, 0, 55) | PREDICATED);
    emit(&code, sw(11, 10));
    emit(&code, EXIT);
    run_code(gpu, &code, 1);
    for (unsigned lane = 0; lane < 5; lane++) {
        CHECK_EQ(read_word(gpu, lane * 32), 0);
        CHECK_EQ(read_word(gpu, lane * 32 + 4), 77);
        CHECK_EQ(read_word(gpu, lane * 32 + 8), 5);
        CHECK_EQ(read_word(gpu, lane * 32 + 12), lane);
        CHECK_EQ(read_word(gpu, lane * 32 + 16), 55);
    }
    cy_epic_destroy(gpu);
}

int main(void)
{
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    test_integers();
    test_immediates();
    test_lui();
    test_floats();
    test_registers();
    return test_finish();
}
