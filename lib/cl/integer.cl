/* Integer functions for all eight types and six widths. */
#include "builtins.h"

/* ---- bodies of operators, the same for all widths: U is the unsigned type, w its bits ---- */

#define ANY_WIDTH(n, T, U, w)                                                                                          \
    OVL T##n min(T##n x, T##n y) { return __builtin_elementwise_min(x, y); }                                           \
    OVL T##n max(T##n x, T##n y) { return __builtin_elementwise_max(x, y); }                                           \
    OVL T##n clamp(T##n x, T##n low, T##n high) { return min(max(x, low), high); }                                     \
    OVL U##n abs_diff(T##n x, T##n y) { return AS(U##n, max(x, y)) - AS(U##n, min(x, y)); }                            \
    OVL T##n hadd(T##n x, T##n y) { return (x >> (T)1) + (y >> (T)1) + (x & y & (T)1); }                               \
    OVL T##n rhadd(T##n x, T##n y) { return (x >> (T)1) + (y >> (T)1) + ((x | y) & (T)1); }                            \
    OVL T##n rotate(T##n x, T##n by)                                                                                   \
    {                                                                                                                  \
        U##n v = AS(U##n, x), left = AS(U##n, by) & (U)(w - 1), right = (U##n)((U)0 - left) & (U)(w - 1);              \
        return AS(T##n, (U##n)(v << left | v >> right));                                                               \
    }                                                                                                                  \
    OVL T##n mad_hi(T##n a, T##n b, T##n c) { return AS(T##n, (U##n)(AS(U##n, mul_hi(a, b)) + AS(U##n, c))); }
#define WITH_SCALARS(n, T)                                                                                             \
    OVL T##n min(T##n x, T y) { return min(x, (T##n)y); }                                                              \
    OVL T##n max(T##n x, T y) { return max(x, (T##n)y); }                                                              \
    OVL T##n clamp(T##n x, T low, T high) { return clamp(x, (T##n)low, (T##n)high); }
#define SIGNED_WIDTH(n, T, U)   OVL U##n abs(T##n x) { return AS(U##n, (T##n)__builtin_elementwise_abs(x)); }
#define UNSIGNED_WIDTH(n, T, U) OVL U##n abs(T##n x) { return x; }

/* ---- scalars ---- */

#define NARROW_BITS(T, U, w)                                                                                           \
    OVL T clz(T x) { return (T)(U)x ? (T)(__builtin_clz((uint)(U)x) - (32 - w)) : (T)w; }                              \
    OVL T ctz(T x) { return x ? (T)__builtin_ctz((uint)(U)x) : (T)w; }                                                 \
    OVL T popcount(T x) { return (T)__builtin_popcount((uint)(U)x); }
#define WIDE_BITS(T)                                                                                                   \
    OVL T clz(T x) { return x ? (T)__builtin_clzl((ulong)x) : (T)64; }                                                 \
    OVL T ctz(T x) { return x ? (T)__builtin_ctzl((ulong)x) : (T)64; }                                                 \
    OVL T popcount(T x) { return (T)__builtin_popcountl((ulong)x); }
NARROW_BITS(char, uchar, 8)
NARROW_BITS(uchar, uchar, 8)
NARROW_BITS(short, ushort, 16)
NARROW_BITS(ushort, ushort, 16)
NARROW_BITS(int, uint, 32)
NARROW_BITS(uint, uint, 32)
WIDE_BITS(long)
WIDE_BITS(ulong)

/* W holds a product of two T plus one T: everything in it is exact. */
#define BY_WIDER(T, W, w, least, most)                                                                                 \
    OVL T mul_hi(T x, T y) { return (T)((W)x * (W)y >> w); }                                                           \
    OVL T mad_sat(T x, T y, T z)                                                                                       \
    {                                                                                                                  \
        W r = (W)x * (W)y + (W)z;                                                                                      \
        return r > (W)most ? (T)most : r < (W)least ? (T)least : (T)r;                                                 \
    }
#define BY_INT(T, least, most)                                                                                         \
    OVL T add_sat(T x, T y) { return (T)__builtin_elementwise_max(__builtin_elementwise_min(x + y, most), least); }    \
    OVL T sub_sat(T x, T y) { return (T)__builtin_elementwise_max(__builtin_elementwise_min(x - y, most), least); }
BY_WIDER(char, int, 8, -128, 127)
BY_WIDER(uchar, int, 8, 0, 255)
BY_WIDER(short, int, 16, -32768, 32767)
BY_WIDER(ushort, uint, 16, 0, 65535)
BY_WIDER(int, long, 32, INT_MIN, INT_MAX)
BY_WIDER(uint, ulong, 32, 0, UINT_MAX)
BY_INT(char, -128, 127)
BY_INT(uchar, 0, 255)
BY_INT(short, -32768, 32767)
BY_INT(ushort, 0, 65535)

/* Signed overflow shows in the sign: of a sum if both operands' signs differ from it, of a difference if the operands'
 * signs differ and the result's is the subtrahend's. */
#define SATURATE_SIGNED(T, U, w)                                                                                       \
    OVL T add_sat(T x, T y)                                                                                            \
    {                                                                                                                  \
        T r = (T)((U)x + (U)y);                                                                                        \
        return ((x ^ r) & (y ^ r)) < 0 ? (x >> (w - 1)) ^ (T)(~(U)0 >> 1) : r;                                         \
    }                                                                                                                  \
    OVL T sub_sat(T x, T y)                                                                                            \
    {                                                                                                                  \
        T r = (T)((U)x - (U)y);                                                                                        \
        return ((x ^ y) & (x ^ r)) < 0 ? (x >> (w - 1)) ^ (T)(~(U)0 >> 1) : r;                                         \
    }
#define SATURATE_UNSIGNED(T)                                                                                           \
    OVL T add_sat(T x, T y) { return x > (T)~y ? (T)-1 : x + y; }                                                      \
    OVL T sub_sat(T x, T y) { return x < y ? (T)0 : x - y; }
SATURATE_SIGNED(int, uint, 32)
SATURATE_SIGNED(long, ulong, 64)
SATURATE_UNSIGNED(uint)
SATURATE_UNSIGNED(ulong)

OVL ulong mul_hi(ulong x, ulong y)
{
    ulong x0 = (uint)x, x1 = x >> 32, y0 = (uint)y, y1 = y >> 32;
    ulong middle = x1 * y0 + (x0 * y0 >> 32), other = x0 * y1 + (uint)middle;
    return x1 * y1 + (middle >> 32) + (other >> 32);
}
OVL long mul_hi(long x, long y)
{
    return (long)(mul_hi((ulong)x, (ulong)y) - (x < 0 ? (ulong)y : 0) - (y < 0 ? (ulong)x : 0));
}
OVL ulong mad_sat(ulong x, ulong y, ulong z)
{
    ulong low = x * y, sum = low + z;
    return mul_hi(x, y) || sum < low ? ~0ul : sum;
}
OVL long mad_sat(long x, long y, long z)
{
    ulong low = (ulong)x * (ulong)y, sum = low + (ulong)z;
    long high = mul_hi(x, y) + (z >> 63) + (sum < low);
    return high == (long)sum >> 63 ? (long)sum : (high >> 63) ^ (long)(~0ul >> 1);
}

/* ---- all widths ---- */

#define SPLITS(T, U, w)                                                                                                \
    SPLIT1(T, clz, T) SPLIT1(T, ctz, T) SPLIT1(T, popcount, T)                                                         \
    SPLIT2(T, mul_hi, T, T) SPLIT2(T, add_sat, T, T) SPLIT2(T, sub_sat, T, T) SPLIT3(T, mad_sat, T, T, T)              \
    WIDTHS(ANY_WIDTH, T, U, w) VECTORS(WITH_SCALARS, T)
INTEGER_TYPES(SPLITS)

#define ABS_SIGNED(T, U, w)   WIDTHS(SIGNED_WIDTH, T, U)
#define ABS_UNSIGNED(T, U, w) WIDTHS(UNSIGNED_WIDTH, T, U)
SIGNED_TYPES(ABS_SIGNED)
UNSIGNED_TYPES(ABS_UNSIGNED)

/* The result's vectors are converted element by element, so that a scalar needs no separate body. */
#define UPSAMPLE(R, H, L, w)                                                                                           \
    OVL R upsample(H high, L low) { return (R)((R)high << w | (R)low); }                                               \
    SPLIT2(R, upsample, H, L)
UPSAMPLE(short, char, uchar, 8)
UPSAMPLE(ushort, uchar, uchar, 8)
UPSAMPLE(int, short, ushort, 16)
UPSAMPLE(uint, ushort, ushort, 16)
UPSAMPLE(long, int, uint, 32)
UPSAMPLE(ulong, uint, uint, 32)

/* Operands of more than 24 bits are undefined; a multiplication is one instruction anyway. */
#define MUL24(n, T)                                                                                                    \
    OVL T##n mul24(T##n x, T##n y) { return AS(T##n, AS(uint##n, x) * AS(uint##n, y)); }                               \
    OVL T##n mad24(T##n x, T##n y, T##n z) { return AS(T##n, AS(uint##n, x) * AS(uint##n, y) + AS(uint##n, z)); }
WIDTHS(MUL24, int)
WIDTHS(MUL24, uint)
