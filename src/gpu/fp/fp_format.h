/* Shared by the exact floating-point functions: formats, unpacking, rounding.
 *
 * Everything is written once for all formats.  The functions take the format as a constant and are inlined into
 * cy_f16_*, cy_f32_* and cy_f64_*, where the compiler folds it; bit patterns are passed as uint64_t. */
#ifndef CY_GPU_FP_FP_FORMAT_H
#define CY_GPU_FP_FP_FORMAT_H

#include "gpu/fp/fp.h"

#define FP_INLINE static inline __attribute__((always_inline))
#define FP_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

__extension__ typedef unsigned __int128 fp_u128;
__extension__ typedef __int128 fp_i128;

struct fp_format {
    int mant;     /* stored bits of the significand */
    int exp_bits; /* bits of the exponent */
};
static const struct fp_format FP_16 = {10, 5}, FP_32 = {23, 8}, FP_64 = {52, 11};

/* A finite nonzero number: sig * 2^(exp - bias - 62), with the leading one at bit 62 of sig.  exp is the stored
 * exponent, continued downwards for subnormals. */
struct fp_parts {
    bool sign;
    int exp;
    uint64_t sig;
};
#define FP_ONE (UINT64_C(1) << 62)

/* The table of V 1.0, 14.9; also the initial estimate of the square root. */
extern const uint8_t cy_fp_rsqrt7_table[128];

FP_INLINE int fp_bias(struct fp_format f)
{
    return (1 << (f.exp_bits - 1)) - 1;
}

FP_INLINE int fp_exp_max(struct fp_format f)
{
    return (1 << f.exp_bits) - 1;
}

FP_INLINE uint64_t fp_sign_bit(struct fp_format f)
{
    return UINT64_C(1) << (f.mant + f.exp_bits);
}

FP_INLINE uint64_t fp_quiet_bit(struct fp_format f)
{
    return UINT64_C(1) << (f.mant - 1);
}

FP_INLINE uint64_t fp_inf(struct fp_format f)
{
    return (uint64_t)fp_exp_max(f) << f.mant;
}

FP_INLINE uint64_t fp_nan(struct fp_format f)
{
    return fp_inf(f) | fp_quiet_bit(f);
}

FP_INLINE bool fp_sign(struct fp_format f, uint64_t a)
{
    return a >> (f.mant + f.exp_bits) & 1;
}

FP_INLINE uint64_t fp_abs(struct fp_format f, uint64_t a)
{
    return a & (fp_sign_bit(f) - 1);
}

FP_INLINE uint64_t fp_signed(struct fp_format f, bool sign, uint64_t magnitude)
{
    return (uint64_t)sign << (f.mant + f.exp_bits) | magnitude;
}

FP_INLINE int fp_exp(struct fp_format f, uint64_t a)
{
    return (int)(a >> f.mant) & fp_exp_max(f);
}

FP_INLINE bool fp_is_nan(struct fp_format f, uint64_t a)
{
    return fp_abs(f, a) > fp_inf(f);
}

FP_INLINE bool fp_is_snan(struct fp_format f, uint64_t a)
{
    return fp_is_nan(f, a) && !(a & fp_quiet_bit(f));
}

FP_INLINE uint64_t fp_raise(struct cy_fp *fp, unsigned flags, uint64_t result)
{
    fp->flags = (uint8_t)(fp->flags | flags);
    return result;
}

/* The result when an operand is a NaN. */
FP_INLINE uint64_t fp_nan_from(struct cy_fp *fp, struct fp_format f, uint64_t a, uint64_t b)
{
    return fp_raise(fp, fp_is_snan(f, a) || fp_is_snan(f, b) ? CY_FP_NV : 0, fp_nan(f));
}

/* sig >> n with the bits shifted out ORed into the lowest bit (sticky): exact enough for rounding.  sig is less than
 * 2^63. */
FP_INLINE uint64_t fp_jam(uint64_t sig, int n)
{
    n = n > 63 ? 63 : n;
    return sig >> n | ((sig & ((UINT64_C(1) << n) - 1)) != 0);
}

/* Unpacks a finite nonzero number. */
FP_INLINE struct fp_parts fp_unpack(struct fp_format f, uint64_t a)
{
    struct fp_parts p = {fp_sign(f, a), fp_exp(f, a), a << (62 - f.mant) & (FP_ONE - 1)};
    if (FP_UNLIKELY(p.exp == 0)) {
        int n = __builtin_clzll(p.sig) - 1;
        p.sig <<= n;
        p.exp = 1 - n;
    } else {
        p.sig |= FP_ONE;
    }
    return p;
}

/* The increment that makes truncating `drop` bits of a magnitude round it; ties in RNE need one more correction. */
FP_INLINE uint64_t fp_increment(uint8_t rm, bool sign, int drop)
{
    if (rm == CY_FP_RNE || rm == CY_FP_RMM)
        return UINT64_C(1) << (drop - 1);
    bool away = rm == (sign ? CY_FP_RDN : CY_FP_RUP);
    return (0 - (uint64_t)away) >> (64 - drop);
}

/* Rounds sig * 2^(exp - bias - 62), bit 62 of sig set, to the format; the lowest bit of sig may be sticky.  Every
 * inexact result of every function is produced here, with its flags. */
FP_INLINE uint64_t fp_round(struct cy_fp *fp, struct fp_format f, bool sign, int exp, uint64_t sig)
{
    const int drop = 62 - f.mant;
    const uint64_t increment = fp_increment(fp->rm, sign, drop);
    bool tiny = false;
    if (FP_UNLIKELY(exp <= 0)) {
        /* Tiny: with an unbounded exponent the rounded result would still be below the smallest normal number. */
        tiny = exp < 0 || sig + increment < 2 * FP_ONE;
        sig = fp_jam(sig, 1 - exp);
        exp = 1;
    }
    uint64_t dropped = sig & ((UINT64_C(1) << drop) - 1);
    uint64_t kept = (sig + increment) >> drop;
    if (dropped == UINT64_C(1) << (drop - 1) && fp->rm == CY_FP_RNE)
        kept &= ~UINT64_C(1);
    /* The highest bit of `kept` increments the exponent, and again if rounding carried into it. */
    uint64_t magnitude = ((uint64_t)(exp - 1) << f.mant) + kept;
    if (FP_UNLIKELY(exp >= fp_exp_max(f) || magnitude >= fp_inf(f)))
        return fp_raise(fp, CY_FP_OF | CY_FP_NX, fp_signed(f, sign, fp_inf(f) - (increment == 0)));
    unsigned inexact = dropped != 0;
    return fp_raise(fp, inexact * CY_FP_NX | (inexact & tiny) * CY_FP_UF, fp_signed(f, sign, magnitude));
}

/* The same with the leading one of sig anywhere; sig is nonzero. */
FP_INLINE uint64_t fp_normalise_round(struct cy_fp *fp, struct fp_format f, bool sign, int exp, uint64_t sig)
{
    int n = __builtin_clzll(sig) - 1;
    return fp_round(fp, f, sign, exp - n, n < 0 ? sig >> 1 | (sig & 1) : sig << n);
}

/* x - x: +0, in RDN -0. */
FP_INLINE uint64_t fp_cancelled(const struct cy_fp *fp, struct fp_format f)
{
    return fp_signed(f, fp->rm == CY_FP_RDN, 0);
}

#endif
