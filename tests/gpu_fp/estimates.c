/* rec7 and rsqrt7: the tables follow from their definition, and the results from the tables. */
#include "values.h"
#include "support/test.h"

#include <math.h>

/* The table entry whose largest relative error over the inputs from `low` to `high` is least, where the estimate
 * (128 + entry) / 256 times root(input) should be 1. */
static int best_entry(double low, double high)
{
    int best = 0;
    double least = INFINITY;
    for (int entry = 0; entry < 128; entry++) {
        double at_low = fabs(low * (128 + entry) / 256 - 1), at_high = fabs(high * (128 + entry) / 256 - 1);
        double worst = at_low > at_high ? at_low : at_high;
        if (worst < least) {
            least = worst;
            best = entry;
        }
    }
    return best;
}

/* The estimate of a normal number by the definition: its significand's place in the table, and the exponent. */
static void test_tables(void)
{
    for (int n = 0; n < FORMATS; n++) {
        const struct format *f = formats[n];
        uint64_t below = (UINT64_C(1) << (f->mant - 7)) - 1;
        for (uint64_t i = 0; i < 128; i++) {
            struct cy_fp fp = {CY_FP_RNE, 0};
            uint64_t entry = (uint64_t)best_entry((double)(128 + i) / 128, (double)(129 + i) / 128);
            for (int exp = 1; exp < 2 * f->bias - 1; exp += 1 + f->bias / 7)
                for (uint64_t tail = 0; tail < 2; tail++) {
                    uint64_t x = (uint64_t)exp << f->mant | i << (f->mant - 7) | (tail ? below : 0);
                    uint64_t estimate = (uint64_t)(2 * f->bias - 1 - exp) << f->mant | entry << (f->mant - 7);
                    CHECK(f->rec7(&fp, x) == estimate);
                    CHECK(f->rec7(&fp, x | f->sign) == (estimate | f->sign));
                }
            /* i = lowest bit of the exponent, then six bits of the significand; odd exponents: 1 <= x < 2. */
            double unit = i & 64 ? 64 : 32;
            entry = (uint64_t)best_entry(sqrt((double)(64 + (i & 63)) / unit), sqrt((double)(65 + (i & 63)) / unit));
            for (int exp = i & 64 ? 1 : 2; exp <= 2 * f->bias; exp += 2 + f->bias / 7 * 2)
                for (uint64_t tail = 0; tail < 2; tail++) {
                    uint64_t x = (uint64_t)exp << f->mant | (i & 63) << (f->mant - 6) | (tail ? below : 0);
                    uint64_t estimate = (uint64_t)((3 * f->bias - 1 - exp) / 2) << f->mant | entry << (f->mant - 7);
                    CHECK(f->rsqrt7(&fp, x) == estimate);
                }
            CHECK_EQ(fp.flags, 0);
        }
    }
}

/* The relative error is below 2^-7 for all of binary16 whose reciprocal is a normal number. */
static double value(uint64_t a)
{
    int exp = (int)(a >> 10 & 31);
    double magnitude = ldexp((double)((a & 1023) + (exp ? 1024 : 0)), (exp ? exp : 1) - 25);
    return a & 0x8000 ? -magnitude : magnitude;
}

static void test_error(void)
{
    struct cy_fp fp = {CY_FP_RNE, 0};
    for (uint64_t a = 0x0100; a <= 0x7400; a++) {
        double x = value(a);
        CHECK(fabs(value(f16.rec7(&fp, a)) * x - 1) < 0x1p-7);
        CHECK(fabs(value(f16.rec7(&fp, a | 0x8000)) * x + 1) < 0x1p-7);
        CHECK(fabs(value(f16.rsqrt7(&fp, a)) * sqrt(x) - 1) < 0x1p-7);
    }
    CHECK_EQ(fp.flags, 0);
}

static void check_one(uint64_t got, unsigned got_flags, uint64_t expected, unsigned expected_flags)
{
    CHECK_EQ(got, expected);
    CHECK_EQ(got_flags, expected_flags);
}

#define CHECK_REC7(mode, a, result, raised)                                                                            \
    do {                                                                                                               \
        struct cy_fp fp = {CY_FP_##mode, 0};                                                                           \
        uint64_t got = cy_f32_rec7(&fp, a);                                                                            \
        check_one(got, fp.flags, result, raised);                                                                      \
    } while (0)
#define CHECK_RSQRT7(a, result, raised)                                                                                \
    do {                                                                                                               \
        struct cy_fp fp = {CY_FP_RNE, 0};                                                                              \
        uint64_t got = cy_f32_rsqrt7(&fp, a);                                                                          \
        check_one(got, fp.flags, result, raised);                                                                      \
    } while (0)

/* The special values, as the tables of the specification list them. */
static void test_special(void)
{
    CHECK_REC7(RNE, 0xff800000, 0x80000000, 0);
    CHECK_REC7(RNE, 0xff7fffff, 0x80200000, 0); /* 2^127 and more: subnormal, without a flag */
    CHECK_REC7(RNE, 0x80000001, 0xff800000, CY_FP_NX | CY_FP_OF);
    CHECK_REC7(RTZ, 0x80000001, 0xff7fffff, CY_FP_NX | CY_FP_OF);
    CHECK_REC7(RDN, 0x80000001, 0xff800000, CY_FP_NX | CY_FP_OF);
    CHECK_REC7(RUP, 0x80000001, 0xff7fffff, CY_FP_NX | CY_FP_OF);
    CHECK_REC7(RMM, 0x001fffff, 0x7f800000, CY_FP_NX | CY_FP_OF);
    CHECK_REC7(RDN, 0x001fffff, 0x7f7fffff, CY_FP_NX | CY_FP_OF);
    CHECK_REC7(RUP, 0x001fffff, 0x7f800000, CY_FP_NX | CY_FP_OF);
    CHECK_REC7(RTZ, 0x00200000, 0x7f7f0000, 0);
    CHECK_REC7(RNE, 0x80000000, 0xff800000, CY_FP_DZ);
    CHECK_REC7(RNE, 0x00000000, 0x7f800000, CY_FP_DZ);
    CHECK_REC7(RNE, 0x7f800000, 0x00000000, 0);
    CHECK_REC7(RNE, 0xffc00001, 0x7fc00000, 0);
    CHECK_REC7(RNE, 0x7f800001, 0x7fc00000, CY_FP_NV);
    CHECK_RSQRT7(0xff800000, 0x7fc00000, CY_FP_NV);
    CHECK_RSQRT7(0xbf800000, 0x7fc00000, CY_FP_NV);
    CHECK_RSQRT7(0x80000001, 0x7fc00000, CY_FP_NV);
    CHECK_RSQRT7(0x80000000, 0xff800000, CY_FP_DZ);
    CHECK_RSQRT7(0x00000000, 0x7f800000, CY_FP_DZ);
    CHECK_RSQRT7(0x7f800000, 0x00000000, 0);
    CHECK_RSQRT7(0xffc00001, 0x7fc00000, 0);
    CHECK_RSQRT7(0xff800001, 0x7fc00000, CY_FP_NV);
    CHECK_RSQRT7(0x00718abc, 0x5f080000, 0); /* the examples of the specification's text */
    CHECK_REC7(RNE, 0x00718abc, 0x7e900000, 0);
}

TEST_MAIN(test_tables, test_error, test_special)
