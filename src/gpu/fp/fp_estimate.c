/* Estimates of 1/x and 1/sqrt(x) to seven bits: vfrec7.v and vfrsqrt7.v of V 1.0, sections 14.10 and 14.9.
 *
 * Each entry is the significand (7 bits after the point) of the estimate that minimises the largest relative error over
 * all significands with the same leading bits; tests/gpu_fp recomputes the tables from that definition. */
#include "gpu/fp/fp_format.h"

/* By the leading 7 bits of the significand. */
static const uint8_t rec7_table[128] = {
    127, 125, 123, 121, 119, 117, 116, 114, 112, 110, 109, 107, 105, 104, 102, 100, 99, 97, 96, 94, 93, 91,
    90,  88,  87,  85,  84,  83,  81,  80,  79,  77,  76,  75,  74,  72,  71,  70,  69, 68, 66, 65, 64, 63,
    62,  61,  60,  59,  58,  57,  56,  55,  54,  53,  52,  51,  50,  49,  48,  47,  46, 45, 44, 43, 42, 41,
    40,  40,  39,  38,  37,  36,  35,  35,  34,  33,  32,  31,  31,  30,  29,  28,  28, 27, 26, 25, 25, 24,
    23,  23,  22,  21,  21,  20,  19,  19,  18,  17,  17,  16,  15,  15,  14,  14,  13, 12, 12, 11, 11, 10,
    9,   9,   8,   8,   7,   7,   6,   5,   5,   4,   4,   3,   3,   2,   2,   1,   1,  0,
};

/* By the lowest bit of the exponent and the leading 6 bits of the significand. */
const uint8_t cy_fp_rsqrt7_table[128] = {
    52,  51,  50,  48,  47,  46,  44,  43,  42,  41,  40,  39,  38,  36,  35,  34, 33, 32, 31, 30, 30,  29,
    28,  27,  26,  25,  24,  23,  23,  22,  21,  20,  19,  19,  18,  17,  16,  16, 15, 14, 14, 13, 12,  12,
    11,  10,  10,  9,   9,   8,   7,   7,   6,   6,   5,   4,   4,   3,   3,   2,  2,  1,  1,  0,  127, 125,
    123, 121, 119, 118, 116, 114, 113, 111, 109, 108, 106, 105, 103, 102, 100, 99, 97, 96, 95, 93, 92,  91,
    90,  88,  87,  86,  85,  84,  83,  82,  80,  79,  78,  77,  76,  75,  74,  73, 72, 71, 70, 70, 69,  68,
    67,  66,  65,  64,  63,  63,  62,  61,  60,  59,  59,  58,  57,  56,  56,  55, 54, 53,
};

FP_INLINE uint64_t rec7(struct cy_fp *fp, struct fp_format f, uint64_t a)
{
    bool sign = fp_sign(f, a);
    if (FP_UNLIKELY(fp_is_nan(f, a)))
        return fp_nan_from(fp, f, a, a);
    if (FP_UNLIKELY(fp_abs(f, a) == fp_inf(f)))
        return fp_signed(f, sign, 0);
    if (FP_UNLIKELY(fp_abs(f, a) == 0))
        return fp_raise(fp, CY_FP_DZ, fp_signed(f, sign, fp_inf(f)));
    struct fp_parts x = fp_unpack(f, a);
    int exp = 2 * fp_bias(f) - 1 - x.exp;
    if (FP_UNLIKELY(exp >= fp_exp_max(f))) /* below a quarter of the smallest normal number: treated as an overflow */
        return fp_round(fp, f, sign, fp_exp_max(f), FP_ONE);
    uint64_t sig = (uint64_t)(128 + rec7_table[x.sig >> 55 & 127]) << (f.mant - 7);
    if (FP_UNLIKELY(exp <= 0)) /* a subnormal estimate is truncated without a flag */
        return fp_signed(f, sign, sig >> (1 - exp));
    return fp_signed(f, sign, ((uint64_t)(exp - 1) << f.mant) + sig);
}

FP_INLINE uint64_t rsqrt7(struct cy_fp *fp, struct fp_format f, uint64_t a)
{
    bool sign = fp_sign(f, a);
    if (FP_UNLIKELY(fp_is_nan(f, a)))
        return fp_nan_from(fp, f, a, a);
    if (FP_UNLIKELY(fp_abs(f, a) == 0))
        return fp_raise(fp, CY_FP_DZ, fp_signed(f, sign, fp_inf(f)));
    if (FP_UNLIKELY(sign))
        return fp_raise(fp, CY_FP_NV, fp_nan(f));
    if (FP_UNLIKELY(a == fp_inf(f)))
        return 0;
    struct fp_parts x = fp_unpack(f, a);
    uint64_t entry = cy_fp_rsqrt7_table[(x.exp & 1) << 6 | (int)(x.sig >> 56 & 63)];
    int exp = (3 * fp_bias(f) - 1 - x.exp) / 2; /* positive: every estimate is a normal number */
    return (uint64_t)exp << f.mant | entry << (f.mant - 7);
}

#define DEFINE_FORMAT(f, word, format)                                                                                 \
    word cy_##f##_rec7(struct cy_fp *fp, word a)                                                                       \
    {                                                                                                                  \
        return (word)rec7(fp, format, a);                                                                              \
    }                                                                                                                  \
    word cy_##f##_rsqrt7(struct cy_fp *fp, word a)                                                                     \
    {                                                                                                                  \
        return (word)rsqrt7(fp, format, a);                                                                            \
    }

DEFINE_FORMAT(f16, uint16_t, FP_16)
DEFINE_FORMAT(f32, uint32_t, FP_32)
DEFINE_FORMAT(f64, uint64_t, FP_64)
