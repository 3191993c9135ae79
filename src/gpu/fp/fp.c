/* The exact functions: arithmetic, comparison, conversion.  fp_format.h explains how they are written once for all
 * formats; the definitions of cy_f16_*, cy_f32_* and cy_f64_* are at the end. */
#include "gpu/fp/fp.h"

#include "gpu/fp/fp_format.h"

const uint32_t cy_fp_nan32 = UINT32_C(0x7fc00000);

/* ---- addition ---- */

/* One operand is infinite or a NaN. */
static inline uint64_t add_special(struct cy_fp *fp, struct fp_format f, uint64_t a, uint64_t b)
{
    if (fp_is_nan(f, a) || fp_is_nan(f, b))
        return fp_nan_from(fp, f, a, b);
    if (fp_abs(f, a) == fp_abs(f, b) && a != b)
        return fp_raise(fp, CY_FP_NV, fp_nan(f));
    return fp_abs(f, a) == fp_inf(f) ? a : b;
}

FP_INLINE uint64_t add(struct cy_fp *fp, struct fp_format f, uint64_t a, uint64_t b)
{
    int a_exp = fp_exp(f, a), b_exp = fp_exp(f, b);
    if (FP_UNLIKELY(a_exp == fp_exp_max(f) || b_exp == fp_exp_max(f)))
        return add_special(fp, f, a, b);
    /* Bit 61 is the integer bit, to leave room for the sum; subnormals need not be normalised to be added. */
    const int up = 61 - f.mant;
    const uint64_t integer = UINT64_C(1) << 61;
    uint64_t a_sig = (a << up & (integer - 1)) | (a_exp ? integer : 0);
    uint64_t b_sig = (b << up & (integer - 1)) | (b_exp ? integer : 0);
    a_exp += a_exp == 0;
    b_exp += b_exp == 0;
    int exp = a_exp > b_exp ? a_exp : b_exp;
    bool a_sign = fp_sign(f, a), b_sign = fp_sign(f, b);
    a_sig = fp_jam(a_sig, exp - a_exp);
    b_sig = fp_jam(b_sig, exp - b_exp);
    /* Signs are unpredictable: negate without a branch. */
    int64_t a_minus = -(int64_t)a_sign, b_minus = -(int64_t)b_sign;
    int64_t sum = (((int64_t)a_sig ^ a_minus) - a_minus) + (((int64_t)b_sig ^ b_minus) - b_minus);
    if (FP_UNLIKELY(sum == 0))
        return a_sign == b_sign ? a : fp_cancelled(fp, f);
    return fp_normalise_round(fp, f, sum < 0, exp + 1, (uint64_t)(sum < 0 ? -sum : sum));
}

/* ---- multiplication, division, square root ---- */

static inline uint64_t mul_special(struct cy_fp *fp, struct fp_format f, uint64_t a, uint64_t b)
{
    bool sign = fp_sign(f, a) != fp_sign(f, b);
    uint64_t a_abs = fp_abs(f, a), b_abs = fp_abs(f, b);
    if (fp_is_nan(f, a) || fp_is_nan(f, b))
        return fp_nan_from(fp, f, a, b);
    if (a_abs == fp_inf(f) || b_abs == fp_inf(f))
        return a_abs == 0 || b_abs == 0 ? fp_raise(fp, CY_FP_NV, fp_nan(f)) : fp_signed(f, sign, fp_inf(f));
    return fp_signed(f, sign, 0);
}

/* Infinite, NaN or zero. */
FP_INLINE bool is_special(struct fp_format f, uint64_t a)
{
    return fp_abs(f, a) - 1 >= fp_inf(f) - 1;
}

FP_INLINE uint64_t multiply(struct cy_fp *fp, struct fp_format f, uint64_t a, uint64_t b)
{
    if (FP_UNLIKELY(is_special(f, a) || is_special(f, b)))
        return mul_special(fp, f, a, b);
    struct fp_parts x = fp_unpack(f, a), y = fp_unpack(f, b);
    fp_u128 product = (fp_u128)x.sig * (y.sig << 1); /* bit 125 or 126 is the highest */
    uint64_t sig = (uint64_t)(product >> 64) | ((uint64_t)product != 0);
    int up = sig < FP_ONE; /* a sticky bit that moves up stays below the bits that rounding examines */
    return fp_round(fp, f, x.sign != y.sign, x.exp + y.exp - fp_bias(f) + 1 - up, sig << up);
}

static inline uint64_t div_special(struct cy_fp *fp, struct fp_format f, uint64_t a, uint64_t b)
{
    bool sign = fp_sign(f, a) != fp_sign(f, b);
    uint64_t a_abs = fp_abs(f, a), b_abs = fp_abs(f, b);
    if (fp_is_nan(f, a) || fp_is_nan(f, b))
        return fp_nan_from(fp, f, a, b);
    if (a_abs == b_abs && (a_abs == 0 || a_abs == fp_inf(f)))
        return fp_raise(fp, CY_FP_NV, fp_nan(f));
    if (b_abs == 0)
        return fp_raise(fp, a_abs == fp_inf(f) ? 0 : CY_FP_DZ, fp_signed(f, sign, fp_inf(f)));
    return fp_signed(f, sign, a_abs == fp_inf(f) ? fp_inf(f) : 0);
}

FP_INLINE uint64_t divide(struct cy_fp *fp, struct fp_format f, uint64_t a, uint64_t b)
{
    if (FP_UNLIKELY(is_special(f, a) || is_special(f, b)))
        return div_special(fp, f, a, b);
    struct fp_parts x = fp_unpack(f, a), y = fp_unpack(f, b);
    uint64_t n = x.sig >> (62 - f.mant), d = y.sig >> (62 - f.mant);
    int up = n < d, exp = x.exp - y.exp + fp_bias(f) - up;
    n <<= up;
    /* The quotient with its leading one at bit `bits`, at least two bits more than the format keeps. */
    const int bits = f.mant <= 23 ? 38 : 62;
    uint64_t q = f.mant <= 23 ? (n << bits) / d : (uint64_t)(((fp_u128)n << bits) / d);
    uint64_t remainder = (n << bits) - q * d; /* less than d: its low word is enough */
    return fp_round(fp, f, x.sign != y.sign, exp, q << (62 - bits) | (remainder != 0));
}

/* About 1/sqrt(m / 2^62) for m >= 2^62, as a 31-bit fraction: the table's 7 bits and two Newton steps give 26. */
FP_INLINE uint64_t inverse_root(uint64_t m)
{
    uint64_t entry = cy_fp_rsqrt7_table[m >> 63 ? m >> 57 & 63 : 64 + (m >> 56 & 63)];
    uint64_t x = m >> 32, y = (128 + entry) << 23;
    for (int i = 0; i < 2; i++) {
        uint64_t xyy = (x * (y * y >> 30)) >> 30;           /* 32 bits of fraction */
        y = (y * ((UINT64_C(3) << 31) - (xyy >> 1))) >> 32; /* y (3 - x y y) / 2 */
    }
    return y;
}

/* floor(sqrt(m)), m >= 2^62: 32 bits.  An estimate, corrected once by the remainder, then made exact. */
FP_INLINE uint64_t root_32(uint64_t m)
{
    uint64_t y = inverse_root(m);
    uint64_t s = (m >> 32) * y >> 30;
    int64_t remainder = (int64_t)(m - s * s);
    s += (uint64_t)((remainder >> 9) * (int64_t)y >> 54); /* remainder / 2s */
    if (s > UINT32_MAX)
        s = UINT32_MAX;
    while (s * s > m)
        s--;
    while (m - s * s > 2 * s)
        s++;
    return s;
}

FP_INLINE uint64_t mul_high(uint64_t a, uint64_t b)
{
    return (uint64_t)((fp_u128)a * b >> 64);
}

/* floor(sqrt(m * 2^64)), m >= 2^62: 64 bits. */
FP_INLINE uint64_t root_64(uint64_t m)
{
    uint64_t y = inverse_root(m) << 32;
    uint64_t xyy = mul_high(m, mul_high(y, y));      /* 60 bits of fraction */
    y = mul_high(y, (UINT64_C(3) << 60) - xyy) << 3; /* 63 bits, 51 of them good */
    uint64_t s = mul_high(m, y);
    s = s >> 62 ? UINT64_MAX : s << 2;
    fp_u128 square = (fp_u128)m << 64;
    fp_i128 remainder = (fp_i128)(square - (fp_u128)s * s);
    int64_t step = (int64_t)(remainder >> 50) * (int64_t)(y >> 32) >> 45; /* remainder / 2s */
    s = step > 0 && s + (uint64_t)step < s ? UINT64_MAX : s + (uint64_t)step;
    while ((fp_u128)s * s > square)
        s--;
    while (square - (fp_u128)s * s > (fp_u128)s * 2)
        s++;
    return s;
}

FP_INLINE uint64_t square_root(struct cy_fp *fp, struct fp_format f, uint64_t a)
{
    if (FP_UNLIKELY(fp_sign(f, a) || is_special(f, a))) {
        if (fp_is_nan(f, a))
            return fp_nan_from(fp, f, a, a);
        if (fp_sign(f, a) && fp_abs(f, a) != 0)
            return fp_raise(fp, CY_FP_NV, fp_nan(f));
        return a;
    }
    struct fp_parts x = fp_unpack(f, a);
    int exp = x.exp - fp_bias(f);
    uint64_t m = x.sig << (exp & 1); /* a = m * 2^(even exp - 62) */
    exp = (exp - (exp & 1)) / 2 + fp_bias(f);
    if (f.mant <= 23) {
        uint64_t s = root_32(m);
        return fp_round(fp, f, false, exp, s << 31 | (s * s != m));
    }
    uint64_t s = root_64(m);
    return fp_round(fp, f, false, exp, s >> 1 | ((fp_u128)s * s != (fp_u128)m << 64) | (s & 1));
}

/* ---- fused multiply-add ---- */

static inline uint64_t fma_special(struct cy_fp *fp, struct fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t a_abs = fp_abs(f, a), b_abs = fp_abs(f, b), inf = fp_inf(f);
    bool sign = fp_sign(f, a) != fp_sign(f, b);
    if ((a_abs == inf && b_abs == 0) || (a_abs == 0 && b_abs == inf)) /* invalid even when c is a quiet NaN */
        return fp_raise(fp, CY_FP_NV, fp_nan(f));
    if (fp_is_nan(f, a) || fp_is_nan(f, b) || fp_is_nan(f, c))
        return fp_raise(fp, fp_is_snan(f, c) ? CY_FP_NV : 0, fp_nan_from(fp, f, a, b));
    if (a_abs == inf || b_abs == inf)
        return add_special(fp, f, fp_signed(f, sign, inf), c);
    if (fp_abs(f, c) == inf)
        return c;
    /* The product is zero. */
    if (fp_abs(f, c) != 0)
        return c;
    return sign == fp_sign(f, c) ? c : fp_cancelled(fp, f);
}

/* The sum of a product and an addend; `exp` and `addend_exp` are the exponents of the bit below the highest that a
 * product may have.  Bits that alignment shifts out of the smaller one never take part in a cancellation, because the
 * product has more zeros below it than the distance by which it may be shifted when it is close to the addend. */

/* binary16 and binary32: the product of two significands has 48 bits; exp belongs to bit 60. */
FP_INLINE uint64_t add_product_64(struct cy_fp *fp, struct fp_format f, bool sign, int exp, uint64_t product,
                                  struct fp_parts addend)
{
    int common = exp > addend.exp ? exp : addend.exp;
    int64_t minus = -(int64_t)(sign != addend.sign);
    int64_t sum = (int64_t)fp_jam(product, common - exp);
    sum += ((int64_t)fp_jam(addend.sig >> 2, common - addend.exp) ^ minus) - minus;
    if (FP_UNLIKELY(sum == 0))
        return fp_cancelled(fp, f);
    return fp_normalise_round(fp, f, sign != (sum < 0), common + 2, (uint64_t)(sum < 0 ? -sum : sum));
}

/* sig >> n as fp_jam; sig is less than 2^127. */
FP_INLINE fp_i128 jam_128(fp_u128 sig, int n)
{
    n = n > 127 ? 127 : n;
    return (fp_i128)(sig >> n | ((sig & (((fp_u128)1 << n) - 1)) != 0));
}

/* binary64: 106 bits; exp belongs to bit 124. */
FP_INLINE uint64_t add_product_128(struct cy_fp *fp, struct fp_format f, bool sign, int exp, fp_u128 product,
                                   struct fp_parts addend)
{
    int common = exp > addend.exp ? exp : addend.exp;
    fp_i128 minus = -(fp_i128)(sign != addend.sign);
    fp_i128 sum = jam_128(product, common - exp);
    sum += (jam_128((fp_u128)addend.sig << 62, common - addend.exp) ^ minus) - minus;
    if (FP_UNLIKELY(sum == 0))
        return fp_cancelled(fp, f);
    minus = sum >> 127;
    sign ^= minus != 0;
    fp_u128 magnitude = (fp_u128)((sum ^ minus) - minus);
    uint64_t high = (uint64_t)(magnitude >> 64);
    if (FP_UNLIKELY(high == 0))
        return fp_normalise_round(fp, f, sign, common - 62, (uint64_t)magnitude);
    int n = __builtin_clzll(high) - 1; /* bit 127 is never the leading one */
    magnitude <<= n;
    return fp_round(fp, f, sign, common + 2 - n, (uint64_t)(magnitude >> 64) | ((uint64_t)magnitude != 0));
}

FP_INLINE uint64_t multiply_add(struct cy_fp *fp, struct fp_format f, uint64_t a, uint64_t b, uint64_t c)
{
    if (FP_UNLIKELY(is_special(f, a) || is_special(f, b) || fp_exp(f, c) == fp_exp_max(f)))
        return fma_special(fp, f, a, b, c);
    if (FP_UNLIKELY(fp_abs(f, c) == 0)) /* the product is nonzero, and decides the sign */
        return multiply(fp, f, a, b);
    struct fp_parts x = fp_unpack(f, a), y = fp_unpack(f, b), z = fp_unpack(f, c);
    bool sign = x.sign != y.sign;
    int exp = x.exp + y.exp - fp_bias(f);
    if (f.mant > 23)
        return add_product_128(fp, f, sign, exp, (fp_u128)x.sig * y.sig, z);
    return add_product_64(fp, f, sign, exp, (x.sig >> 32) * (y.sig >> 32), z);
}

/* ---- comparison ---- */

/* a < b, or a <= b with `equal`, for two numbers. */
FP_INLINE bool less(struct fp_format f, uint64_t a, uint64_t b, bool equal)
{
    if (a == b || fp_abs(f, a | b) == 0)
        return equal;
    bool a_sign = fp_sign(f, a);
    return a_sign != fp_sign(f, b) ? a_sign : a_sign != (a < b);
}

FP_INLINE bool compare(struct cy_fp *fp, struct fp_format f, uint64_t a, uint64_t b, bool equal)
{
    if (FP_UNLIKELY(fp_is_nan(f, a) || fp_is_nan(f, b)))
        return fp_raise(fp, CY_FP_NV, false);
    return less(f, a, b, equal);
}

FP_INLINE bool equals(struct cy_fp *fp, struct fp_format f, uint64_t a, uint64_t b)
{
    if (FP_UNLIKELY(fp_is_nan(f, a) || fp_is_nan(f, b)))
        return fp_raise(fp, fp_is_snan(f, a) || fp_is_snan(f, b) ? CY_FP_NV : 0, false);
    return a == b || fp_abs(f, a | b) == 0;
}

/* min: max = 0; max: max = 1. */
FP_INLINE uint64_t min_max(struct cy_fp *fp, struct fp_format f, uint64_t a, uint64_t b, bool max)
{
    bool a_nan = fp_is_nan(f, a), b_nan = fp_is_nan(f, b);
    if (FP_UNLIKELY(a_nan || b_nan)) {
        uint64_t nan = fp_nan_from(fp, f, a, b);
        return a_nan && b_nan ? nan : a_nan ? b : a;
    }
    if (fp_abs(f, a | b) == 0) /* zeros: -0 < +0 */
        return max ? a & b : a | b;
    return less(f, a, b, false) != max ? a : b;
}

FP_INLINE unsigned class(struct fp_format f, uint64_t a)
{
    bool sign = fp_sign(f, a);
    if (fp_is_nan(f, a))
        return a & fp_quiet_bit(f) ? 1u << 9 : 1u << 8;
    if (fp_abs(f, a) == fp_inf(f))
        return sign ? 1u << 0 : 1u << 7;
    if (fp_abs(f, a) == 0)
        return sign ? 1u << 3 : 1u << 4;
    if (fp_exp(f, a) == 0)
        return sign ? 1u << 2 : 1u << 5;
    return sign ? 1u << 1 : 1u << 6;
}

/* ---- conversion ---- */

/* The magnitude of a finite number rounded to an integer; *inexact tells whether that changed it.  UINT64_MAX for 2^64
 * and above, which is out of range everywhere and the result of no smaller number. */
FP_INLINE uint64_t round_to_integer(struct fp_format f, uint64_t a, uint8_t rm, bool *inexact)
{
    *inexact = false;
    if (fp_abs(f, a) == 0)
        return 0;
    struct fp_parts x = fp_unpack(f, a);
    int drop = 62 - (x.exp - fp_bias(f)); /* a = sig / 2^drop */
    if (drop <= 0)
        return drop == 0 ? x.sig : drop == -1 ? x.sig << 1 : UINT64_MAX;
    uint64_t integer = drop > 62 ? 0 : x.sig >> drop;
    uint64_t fraction = drop > 64 ? 1 : drop == 64 ? x.sig : x.sig << (64 - drop); /* in units of 2^-64 */
    *inexact = fraction != 0;
    switch (rm) {
    case CY_FP_RNE: return integer + (fraction > UINT64_C(1) << 63 || (fraction == UINT64_C(1) << 63 && integer & 1));
    case CY_FP_RMM: return integer + (fraction >> 63);
    case CY_FP_RDN: return integer + (x.sign && fraction);
    case CY_FP_RUP: return integer + (!x.sign && fraction);
    default: return integer;
    }
}

FP_INLINE int64_t to_signed(struct cy_fp *fp, struct fp_format f, uint64_t a, unsigned width, uint8_t rm)
{
    const uint64_t limit = UINT64_C(1) << (width - 1); /* magnitude of the smallest integer */
    const int64_t max = (int64_t)(limit - 1);
    bool inexact, sign = fp_sign(f, a);
    if (FP_UNLIKELY(fp_exp(f, a) == fp_exp_max(f)))
        return (int64_t)fp_raise(fp, CY_FP_NV, (uint64_t)(sign && !fp_is_nan(f, a) ? -max - 1 : max));
    uint64_t magnitude = round_to_integer(f, a, rm, &inexact);
    if (FP_UNLIKELY(magnitude > limit - !sign))
        return (int64_t)fp_raise(fp, CY_FP_NV, (uint64_t)(sign ? -max - 1 : max));
    return (int64_t)fp_raise(fp, inexact ? CY_FP_NX : 0, sign ? 0 - magnitude : magnitude);
}

FP_INLINE uint64_t to_unsigned(struct cy_fp *fp, struct fp_format f, uint64_t a, unsigned width, uint8_t rm)
{
    const uint64_t max = UINT64_MAX >> (64 - width);
    bool inexact, sign = fp_sign(f, a);
    if (FP_UNLIKELY(fp_exp(f, a) == fp_exp_max(f)))
        return fp_raise(fp, CY_FP_NV, sign && !fp_is_nan(f, a) ? 0 : max);
    uint64_t magnitude = round_to_integer(f, a, rm, &inexact);
    if (sign)
        return fp_raise(fp, magnitude ? CY_FP_NV : inexact ? CY_FP_NX : 0, 0);
    /* No number of any format lies between the largest 64-bit integer and 2^64, or rounds to that integer. */
    if (FP_UNLIKELY(magnitude > max || magnitude == UINT64_MAX))
        return fp_raise(fp, CY_FP_NV, max);
    return fp_raise(fp, inexact ? CY_FP_NX : 0, magnitude);
}

FP_INLINE uint64_t from_integer(struct cy_fp *fp, struct fp_format f, bool sign, uint64_t magnitude)
{
    return magnitude == 0 ? 0 : fp_normalise_round(fp, f, sign, fp_bias(f) + 62, magnitude);
}

FP_INLINE uint64_t convert(struct cy_fp *fp, struct fp_format from, struct fp_format to, uint64_t a)
{
    bool sign = fp_sign(from, a);
    if (FP_UNLIKELY(is_special(from, a))) {
        if (fp_is_nan(from, a))
            return fp_raise(fp, fp_is_snan(from, a) ? CY_FP_NV : 0, fp_nan(to));
        return fp_signed(to, sign, fp_abs(from, a) ? fp_inf(to) : 0);
    }
    struct fp_parts x = fp_unpack(from, a);
    return fp_round(fp, to, sign, x.exp - fp_bias(from) + fp_bias(to), x.sig);
}

/* ---- the functions of each format ---- */

#define DEFINE_OPERATION(f, word, format, name, operation, ...)                                                        \
    word cy_##f##_##name(struct cy_fp *fp, word a, word b)                                                             \
    {                                                                                                                  \
        return (word)operation(fp, format, a, __VA_ARGS__);                                                            \
    }
#define DEFINE_TO_INTEGER(f, word, format, name, integer, operation, rm)                                               \
    integer cy_##f##_##name(struct cy_fp *fp, word a, unsigned width)                                                  \
    {                                                                                                                  \
        return operation(fp, format, a, width, rm);                                                                    \
    }
#define DEFINE_FORMAT(f, word, format)                                                                                 \
    DEFINE_OPERATION(f, word, format, add, add, b)                                                                     \
    DEFINE_OPERATION(f, word, format, sub, add, fp_is_nan(format, b) ? b : cy_##f##_neg(b))                            \
    DEFINE_OPERATION(f, word, format, mul, multiply, b)                                                                \
    DEFINE_OPERATION(f, word, format, div, divide, b)                                                                  \
    DEFINE_OPERATION(f, word, format, min, min_max, b, false)                                                          \
    DEFINE_OPERATION(f, word, format, max, min_max, b, true)                                                           \
    word cy_##f##_sqrt(struct cy_fp *fp, word a)                                                                       \
    {                                                                                                                  \
        return (word)square_root(fp, format, a);                                                                       \
    }                                                                                                                  \
    word cy_##f##_fma(struct cy_fp *fp, word a, word b, word c)                                                        \
    {                                                                                                                  \
        return (word)multiply_add(fp, format, a, b, c);                                                                \
    }                                                                                                                  \
    bool cy_##f##_eq(struct cy_fp *fp, word a, word b)                                                                 \
    {                                                                                                                  \
        return equals(fp, format, a, b);                                                                               \
    }                                                                                                                  \
    bool cy_##f##_lt(struct cy_fp *fp, word a, word b)                                                                 \
    {                                                                                                                  \
        return compare(fp, format, a, b, false);                                                                       \
    }                                                                                                                  \
    bool cy_##f##_le(struct cy_fp *fp, word a, word b)                                                                 \
    {                                                                                                                  \
        return compare(fp, format, a, b, true);                                                                        \
    }                                                                                                                  \
    unsigned cy_##f##_class(word a)                                                                                    \
    {                                                                                                                  \
        return class(format, a);                                                                                       \
    }                                                                                                                  \
    DEFINE_TO_INTEGER(f, word, format, to_i, int64_t, to_signed, fp->rm)                                               \
    DEFINE_TO_INTEGER(f, word, format, to_u, uint64_t, to_unsigned, fp->rm)                                            \
    DEFINE_TO_INTEGER(f, word, format, to_i_rtz, int64_t, to_signed, CY_FP_RTZ)                                        \
    DEFINE_TO_INTEGER(f, word, format, to_u_rtz, uint64_t, to_unsigned, CY_FP_RTZ)                                     \
    word cy_##f##_from_i(struct cy_fp *fp, int64_t a)                                                                  \
    {                                                                                                                  \
        return (word)from_integer(fp, format, a < 0, a < 0 ? 0 - (uint64_t)a : (uint64_t)a);                           \
    }                                                                                                                  \
    word cy_##f##_from_u(struct cy_fp *fp, uint64_t a)                                                                 \
    {                                                                                                                  \
        return (word)from_integer(fp, format, false, a);                                                               \
    }

DEFINE_FORMAT(f16, uint16_t, FP_16)
DEFINE_FORMAT(f32, uint32_t, FP_32)
DEFINE_FORMAT(f64, uint64_t, FP_64)

uint32_t cy_f16_to_f32(struct cy_fp *fp, uint16_t a)
{
    return (uint32_t)convert(fp, FP_16, FP_32, a);
}

uint64_t cy_f16_to_f64(struct cy_fp *fp, uint16_t a)
{
    return convert(fp, FP_16, FP_64, a);
}

uint64_t cy_f32_to_f64(struct cy_fp *fp, uint32_t a)
{
    return convert(fp, FP_32, FP_64, a);
}

uint16_t cy_f32_to_f16(struct cy_fp *fp, uint32_t a)
{
    return (uint16_t)convert(fp, FP_32, FP_16, a);
}

uint16_t cy_f64_to_f16(struct cy_fp *fp, uint64_t a)
{
    return (uint16_t)convert(fp, FP_64, FP_16, a);
}

uint32_t cy_f64_to_f32(struct cy_fp *fp, uint64_t a)
{
    return (uint32_t)convert(fp, FP_64, FP_32, a);
}
