/* binary32 in round-to-nearest-even on the host's own floating-point unit, for loops over the lanes of a warp.
 *
 * Each helper does for one lane what cy_f32_* of the same name does in CY_FP_RNE, on bit patterns, without a branch, so
 * that a loop around it vectorises (-O3 -ffp-contract=off -fno-math-errno, gcc and clang).  Results are bit for bit
 * those of the exact functions.  Flags accumulate in the host's status register instead of a struct cy_fp.
 *
 *     struct fp_host_saved saved;
 *     fp_host_begin(&saved);                    set up the unit for the helpers, clear the flags
 *     for (i = 0; i < 32; i++)
 *         d[i] = h_add(a[i], b[i]);             any number of such loops
 *     fflags |= fp_host_flags_get();            whenever the guest reads fflags
 *     fflags |= fp_host_end(&saved);            restore the unit; the flags since begin or the last clear
 *
 * Rules for the caller
 *  1. Operands come from memory and results go to memory between begin, clear, get and end (these are compiler memory
 *     barriers, and nothing else orders arithmetic with respect to flags).
 *  2. Between begin and end nothing else may use floating point, or its flags are taken for the guest's: before
 *     calling out (an observer), get the flags, and clear them afterwards.  The exact functions are safe.
 *  3. An inactive lane must raise no flags: first pass its operands through h_quiet, which replaces them by 1.0
 *     (integers too, before h_from_*); its result must be dropped.  Callers whose flags are never read may omit it.
 *  4. h_mul and h_fma may raise a spurious UF on hosts that detect tininess before rounding (aarch64): when an inexact
 *     result was rounded up to the smallest normal number, where RISC-V, which detects it after rounding, may not raise
 *     it.  Everything else is exact everywhere: sums and roots cannot underflow, and no quotient is that close to a
 *     power of two.  After a loop with one of the two, and before its results overwrite an operand, do
 *         if (fp_host_underflow_suspect() && !(fflags & CY_FP_UF)) {
 *             fp_host_underflow_clear();
 *             for the active lanes: cy_f32_* with a struct cy_fp, fflags |= its flags
 *         }
 *     which is constant false on x86-64.  Callers whose flags are never read (no instruction of the kernel reads fflags
 *     or fcsr) may omit it.
 *  5. h_fma may fail to raise NV for 0 * inf + a quiet NaN where FP_HOST_FMA is 1 and FP_HOST_FMA_NV is 0: IEEE 754
 *     leaves it open, RISC-V requires it, the x86-64 instruction does not raise it.  Callers whose flags are read must
 *     use cy_f32_fma. */
#ifndef CY_GPU_FP_FP32_NATIVE_H
#define CY_GPU_FP_FP32_NATIVE_H

#include "gpu/fp/fp.h"

#include <float.h>

/* Every host file defines struct fp_host_saved, fp_host_begin, _end, _flags_get, _flags_clear, _underflow_suspect,
 * _underflow_clear, and
 *     FP_HOST_DEFAULT_NAN   1: arithmetic gives no other NaN than 0x7fc00000
 *     FP_HOST_FMA           1: fmaf is an instruction
 *     FP_HOST_FMA_NV        1: which raises NV for 0 * inf + NaN (rule 5)
 *     FP_HOST_RINT          1: rintf is an instruction
 *     FP_HOST_MIN_MAX       1: fminf and fmaxf are instructions that order zeros
 *     FP_HOST_TO_U          1: float to uint32_t is an instruction that raises the flags of its result */
#if defined(__aarch64__)
#include "gpu/fp/fp_host_aarch64.h"
#elif defined(__x86_64__)
#include "gpu/fp/fp_host_x86.h"
#else
#include "gpu/fp/fp_host_fenv.h"
#endif

#if defined(__GNUC__) && !defined(__clang__)
#define FP_HOST_SIGNALLING_COMPARE 1 /* C's < and <= raise NV for any NaN, as Annex F requires */
#else
#define FP_HOST_SIGNALLING_COMPARE 0
#endif

_Static_assert(FLT_EVAL_METHOD == 0, "float arithmetic is rounded to float");

/* Out-of-range conversions are intended: C's Annex F says they raise invalid and give any value. */
#if defined(__clang__)
#define H_CONVERSION __attribute__((no_sanitize("float-cast-overflow")))
#else
#define H_CONVERSION
#endif

static inline float h_float(uint32_t a)
{
    float x;
    __builtin_memcpy(&x, &a, sizeof(x));
    return x;
}

static inline uint32_t h_bits(float x)
{
    uint32_t a;
    __builtin_memcpy(&a, &x, sizeof(a));
    return a;
}

static inline double h_double(uint64_t a)
{
    double x;
    __builtin_memcpy(&x, &a, sizeof(x));
    return x;
}

static inline uint64_t h_double_bits(double x)
{
    uint64_t a;
    __builtin_memcpy(&a, &x, sizeof(a));
    return a;
}

/* An operand of a lane: unchanged where mask is all ones, 1.0 where it is zero. */
static inline uint32_t h_quiet(uint32_t a, uint32_t mask)
{
    return (a & mask) | (UINT32_C(0x3f800000) & ~mask);
}

/* All ones or zeros.  Use masks rather than ?: wherever computing the discarded value raises flags: the compiler would
 * be free to compute only the other. */
static inline uint32_t h_mask(bool condition)
{
    return 0 - (uint32_t)condition;
}

/* The result of arithmetic, never a signalling NaN. */
static inline uint32_t h_result(float x)
{
    return !FP_HOST_DEFAULT_NAN && x != x ? cy_fp_nan32 : h_bits(x);
}

/* ---- arithmetic ---- */

static inline uint32_t h_add(uint32_t a, uint32_t b)
{
    return h_result(h_float(a) + h_float(b));
}

static inline uint32_t h_sub(uint32_t a, uint32_t b)
{
    return h_result(h_float(a) - h_float(b));
}

static inline uint32_t h_mul(uint32_t a, uint32_t b)
{
    return h_result(h_float(a) * h_float(b));
}

static inline uint32_t h_div(uint32_t a, uint32_t b)
{
    return h_result(h_float(a) / h_float(b));
}

static inline uint32_t h_sqrt(uint32_t a)
{
    return h_result(__builtin_sqrtf(h_float(a)));
}

/* a * b + c with double: the product is exact, the sum is rounded to odd (its last bit is set if anything was lost),
 * so that rounding it again to float gives the right result (Boldo and Melquiond 2008) and the right flags. */
static inline float h_fma_by_double(float a, float b, float c)
{
    double p = (double)a * (double)b, z = (double)c, s = p + z;
    uint64_t bits = h_double_bits(s);
    /* The rounding error of the sum (Knuth's TwoSum); where it is not finite, computed from zeros, because inf - inf
     * would raise NV.  Without 64-bit comparisons, which SSE2 lacks. */
    uint64_t finite = (((bits >> 52 & 0x7ff) + 1) >> 11) - 1;
    p = h_double(h_double_bits(p) & finite);
    z = h_double(h_double_bits(z) & finite);
    s = h_double(bits & finite);
    double t = s - p;
    uint64_t lost = h_double_bits((p - (s - t)) + (z - t));
    /* One step towards the lost part, if there is one and the last bit is clear. */
    uint64_t magnitude = lost << 1, opposite = (bits ^ lost) >> 63;
    uint64_t step = (magnitude | (0 - magnitude)) >> 63 & ~bits;
    bits += (step ^ (0 - opposite)) + opposite;
    return (float)h_double(bits);
}

static inline uint32_t h_fma(uint32_t a, uint32_t b, uint32_t c)
{
    if (FP_HOST_FMA)
        return h_result(__builtin_fmaf(h_float(a), h_float(b), h_float(c)));
    return h_result(h_fma_by_double(h_float(a), h_float(b), h_float(c)));
}

/* ---- comparison: 1 or 0 ---- */

static inline uint32_t h_eq(uint32_t a, uint32_t b)
{
    return h_float(a) == h_float(b);
}

/* NV for any NaN.  gcc compares with the instructions that raise it, clang only in vector code.  There, infinity (built
 * from the NaN's own exponent so that the compiler cannot fold it) times zero raises it; the product's quiet bit adds
 * nothing to the comparison, but being part of the result it keeps the product alive. */
static inline uint32_t h_signal(uint32_t a, uint32_t b, bool ordered)
{
    if (FP_HOST_SIGNALLING_COMPARE)
        return ordered;
    uint32_t a_nan = a & h_mask((int32_t)(a & 0x7fffffff) > 0x7f800000);
    uint32_t b_nan = b & h_mask((int32_t)(b & 0x7fffffff) > 0x7f800000);
    uint32_t product = h_bits(h_float((a_nan | b_nan) & 0x7f800000) * 0.0f);
    return (uint32_t)ordered & ~(product >> 22);
}

static inline uint32_t h_lt(uint32_t a, uint32_t b)
{
    return h_signal(a, b, h_float(a) < h_float(b));
}

static inline uint32_t h_le(uint32_t a, uint32_t b)
{
    return h_signal(a, b, h_float(a) <= h_float(b));
}

/* Maps the order of numbers, -0 < +0, to that of integers. */
static inline int32_t h_order(uint32_t a)
{
    return (int32_t)(a ^ ((uint32_t)((int32_t)a >> 31) & 0x7fffffff));
}

/* All ones for a NaN; raises NV for a signalling one. */
static inline uint32_t h_nan_mask(uint32_t a)
{
    float x = h_float(a);
    return x != x ? UINT32_MAX : 0;
}

static inline uint32_t h_min(uint32_t a, uint32_t b)
{
    uint32_t a_nan = h_nan_mask(a), b_nan = h_nan_mask(b);
    if (FP_HOST_MIN_MAX) /* quieted NaNs: a signalling one would win */
        return h_bits(__builtin_fminf(h_float(a | (a_nan & 0x400000)), h_float(b | (b_nan & 0x400000))));
    uint32_t take_a = ((h_order(a) < h_order(b) ? UINT32_MAX : 0) | b_nan) & ~a_nan;
    uint32_t number = (a & take_a) | (b & ~take_a);
    return a_nan & b_nan ? UINT32_C(0x7fc00000) : number;
}

static inline uint32_t h_max(uint32_t a, uint32_t b)
{
    uint32_t a_nan = h_nan_mask(a), b_nan = h_nan_mask(b);
    if (FP_HOST_MIN_MAX)
        return h_bits(__builtin_fmaxf(h_float(a | (a_nan & 0x400000)), h_float(b | (b_nan & 0x400000))));
    uint32_t take_a = ((h_order(a) > h_order(b) ? UINT32_MAX : 0) | b_nan) & ~a_nan;
    uint32_t number = (a & take_a) | (b & ~take_a);
    return a_nan & b_nan ? UINT32_C(0x7fc00000) : number;
}

static inline uint32_t h_class(uint32_t a)
{
    uint32_t m = a & 0x7fffffff;
    uint32_t negative = m == 0x7f800000 ? 0x001 : m >= 0x00800000 ? 0x002 : m ? 0x004 : 0x008;
    uint32_t positive = m == 0x7f800000 ? 0x080 : m >= 0x00800000 ? 0x040 : m ? 0x020 : 0x010;
    uint32_t nan = m & 0x400000 ? 0x200 : 0x100;
    return m > 0x7f800000 ? nan : (int32_t)a < 0 ? negative : positive;
}

/* ---- signs: no flags ---- */

static inline uint32_t h_neg(uint32_t a)
{
    return cy_f32_neg(a);
}

static inline uint32_t h_sgnj(uint32_t a, uint32_t b)
{
    return cy_f32_sgnj(a, b);
}

static inline uint32_t h_sgnjn(uint32_t a, uint32_t b)
{
    return cy_f32_sgnjn(a, b);
}

static inline uint32_t h_sgnjx(uint32_t a, uint32_t b)
{
    return cy_f32_sgnjx(a, b);
}

/* ---- conversion from and to 32-bit integers ---- */

static inline uint32_t h_from_i(uint32_t a)
{
    return h_bits((float)(int32_t)a);
}

static inline uint32_t h_from_u(uint32_t a)
{
    return h_bits((float)a);
}

/* Rounds to an integral number, to nearest even, before a conversion. */
static inline uint32_t h_rint(uint32_t a)
{
    if (FP_HOST_RINT)
        return h_bits(__builtin_rintf(h_float(a)));
    /* Adding 2^23 leaves no room for a fraction.  Above, NaNs included, there is nothing to do. */
    uint32_t integral = h_mask((int32_t)(a & 0x7fffffff) >= 0x4b000000);
    float big = h_float(UINT32_C(0x4b000000) | (a & UINT32_C(0x80000000)));
    float rounded = (h_float(a & ~integral) + big) - big;
    return (a & integral) | (h_bits(rounded) & ~integral);
}

/* A number with the sign set: 0x80000000 to 0xff800000. */
static inline bool h_is_negative(uint32_t a)
{
    return (int32_t)a <= -0x800000;
}

H_CONVERSION static inline uint32_t h_to_i_rtz(uint32_t a)
{
    uint32_t converted = (uint32_t)(int32_t)h_float(a);
    uint32_t limit = UINT32_C(0x7fffffff) + h_is_negative(a);
    uint32_t fits = h_mask((int32_t)(a & 0x7fffffff) < 0x4f000000);
    return (converted & fits) | (limit & ~fits);
}

H_CONVERSION static inline uint32_t h_to_u_rtz(uint32_t a)
{
    uint32_t limit = ~h_mask(h_is_negative(a));
    uint32_t fits = h_mask(a < 0x4f800000); /* 0 <= x < 2^32; between -1 and 0 the result is the limit */
    uint32_t converted;
    if (FP_HOST_TO_U) {
        converted = (uint32_t)h_float(a);
    } else {
        /* By a signed conversion, which raises NX for a discarded fraction, and NV because out-of-range values are
         * replaced by a NaN. */
        uint32_t converts = fits | h_mask((int32_t)(a & 0x7fffffff) < 0x3f800000);
        uint32_t upper = fits & h_mask((int32_t)a >= 0x4f000000);
        float x = h_float((a & converts) | (UINT32_C(0x7fc00000) & ~converts)) - h_float(upper & 0x4f000000);
        converted = (uint32_t)(int32_t)x ^ (upper & UINT32_C(0x80000000));
    }
    return (converted & fits) | (limit & ~fits);
}

static inline uint32_t h_to_i(uint32_t a)
{
    return h_to_i_rtz(h_rint(a));
}

static inline uint32_t h_to_u(uint32_t a)
{
    /* Below -1/2 nothing is in range, whatever the fraction, and NX is not raised: the same as -1. */
    uint32_t below = h_mask(h_is_negative(a)) & h_mask(a > 0xbf000000);
    return h_to_u_rtz(h_rint((a & ~below) | (UINT32_C(0xbf800000) & below)));
}

#undef H_CONVERSION
#endif
