/* Explicit conversions: convert_<type><n>[_sat][_rte|_rtz|_rtp|_rtn] between all integer types and float.
 *
 * The scalar conversions are built from a few parts; between integers a rounding mode has no effect, and an
 * out-of-range value without _sat wraps.  From float to integer the value is rounded first, by default toward zero. */
#include "builtins.h"

OVL CONST float rint(float x);
OVL CONST float floor(float x);
OVL CONST float ceil(float x);

INTERNAL float round_(float x) { return x; } /* the conversion itself truncates */
INTERNAL float round_rtz(float x) { return x; }
INTERNAL float round_rte(float x) { return rint(x); }
INTERNAL float round_rtp(float x) { return ceil(x); }
INTERNAL float round_rtn(float x) { return floor(x); }

/* ---- float to integer; x is rounded, out-of-range values saturate, NaN becomes 0 ----
 *
 * Casting an out-of-range value is undefined, and LLVM may give each use a different result.  OpenCL requires one
 * implementation-defined result: an int or uint saturates without _sat too, a narrower type takes the low bits of that
 * int. */
int to_int(float x) __asm__("llvm.fptosi.sat.i32.f32");
uint to_uint(float x) __asm__("llvm.fptoui.sat.i32.f32");

#define FROM_FLOAT_NARROW(T, least, most)                                                                              \
    INTERNAL T T##_from_float(float x) { return (T)to_int(x); }                                                        \
    INTERNAL T T##_from_float_sat(float x)                                                                             \
    {                                                                                                                  \
        return x >= most ? (T)most : x <= least ? (T)least : (T)to_int(x);                                             \
    }
FROM_FLOAT_NARROW(char, -128, 127)
FROM_FLOAT_NARROW(uchar, 0, 255)
FROM_FLOAT_NARROW(short, -32768, 32767)
FROM_FLOAT_NARROW(ushort, 0, 65535)
INTERNAL int int_from_float(float x) { return to_int(x); }
INTERNAL uint uint_from_float(float x) { return to_uint(x); }
INTERNAL int int_from_float_sat(float x) { return to_int(x); }
INTERNAL uint uint_from_float_sat(float x) { return to_uint(x); }
INTERNAL long long_from_float(float x) { return __cy_f32_to_i64(x); }
INTERNAL long long_from_float_sat(float x) { return __cy_f32_to_i64(x); }
INTERNAL ulong ulong_from_float(float x) { return __cy_f32_to_u64(x); }
INTERNAL ulong ulong_from_float_sat(float x) { return __cy_f32_to_u64(x); }

/* ---- integer to float: 24 bits are exact, the others round away from zero (`away`) or toward it ---- */

INTERNAL float magnitude32(uint size, bool away)
{
    uint zeros = (uint)__builtin_clz(size | 1), scaled = size << zeros;
    uint bits = ((157 - zeros) << 23) + (scaled >> 8) + (away && (scaled & 0xff));
    return AS(float, size ? bits : 0);
}
INTERNAL float magnitude64(ulong size, bool away)
{
    uint zeros = (uint)__builtin_clzl(size | 1);
    ulong scaled = size << zeros;
    uint bits = ((189 - zeros) << 23) + (uint)(scaled >> 40) + (away && (scaled & 0xffffffffffu));
    return AS(float, size ? bits : 0);
}

#define EXACT_TO_FLOAT(T)                                                                                              \
    INTERNAL float T##_to_float_(T x) { return (float)x; }                                                             \
    INTERNAL float T##_to_float_rte(T x) { return (float)x; }                                                          \
    INTERNAL float T##_to_float_rtz(T x) { return (float)x; }                                                          \
    INTERNAL float T##_to_float_rtp(T x) { return (float)x; }                                                          \
    INTERNAL float T##_to_float_rtn(T x) { return (float)x; }
EXACT_TO_FLOAT(char)
EXACT_TO_FLOAT(uchar)
EXACT_TO_FLOAT(short)
EXACT_TO_FLOAT(ushort)
EXACT_TO_FLOAT(float)

#define ROUNDED_TO_FLOAT(T, U, magnitude, nearest)                                                                     \
    INTERNAL float T##_to_float_(T x) { return nearest; }                                                              \
    INTERNAL float T##_to_float_rte(T x) { return nearest; }                                                           \
    INTERNAL float T##_directed(T x, bool away)                                                                        \
    {                                                                                                                  \
        float size = magnitude(x < 0 ? 0 - (U)x : (U)x, away);                                                         \
        return x < 0 ? -size : size;                                                                                   \
    }                                                                                                                  \
    INTERNAL float T##_to_float_rtz(T x) { return T##_directed(x, false); }                                            \
    INTERNAL float T##_to_float_rtp(T x) { return T##_directed(x, x >= 0); }                                           \
    INTERNAL float T##_to_float_rtn(T x) { return T##_directed(x, x < 0); }
ROUNDED_TO_FLOAT(int, uint, magnitude32, (float)x)
ROUNDED_TO_FLOAT(uint, uint, magnitude32, (float)x)
ROUNDED_TO_FLOAT(long, ulong, magnitude64, __cy_i64_to_f32(x))
ROUNDED_TO_FLOAT(ulong, ulong, magnitude64, __cy_u64_to_f32(x))

/* ---- integer to integer: S is signed, both bounds of D in the type in which S and D can be compared ---- */

#define SATURATE(D, S, W, least, most)                                                                                 \
    INTERNAL D D##_from_##S##_sat(S x) { return (W)x < (W)(least) ? (D)(least) : (W)x > (W)(most) ? (D)(most) : (D)x; }
#define SATURATE_FROM_SIGNED(S)                                                                                        \
    SATURATE(char, S, long, -128, 127) SATURATE(uchar, S, long, 0, 255)                                                \
    SATURATE(short, S, long, -32768, 32767) SATURATE(ushort, S, long, 0, 65535)                                        \
    SATURATE(int, S, long, INT_MIN, INT_MAX) SATURATE(uint, S, long, 0, UINT_MAX)                                      \
    SATURATE(long, S, long, LONG_MIN, LONG_MAX) SATURATE(ulong, S, long, 0, LONG_MAX)
#define SATURATE_FROM_UNSIGNED(S)                                                                                      \
    SATURATE(char, S, ulong, 0, 127) SATURATE(uchar, S, ulong, 0, 255)                                                 \
    SATURATE(short, S, ulong, 0, 32767) SATURATE(ushort, S, ulong, 0, 65535)                                           \
    SATURATE(int, S, ulong, 0, INT_MAX) SATURATE(uint, S, ulong, 0, UINT_MAX)                                          \
    SATURATE(long, S, ulong, 0, LONG_MAX) SATURATE(ulong, S, ulong, 0, ULONG_MAX)
SATURATE_FROM_SIGNED(char)
SATURATE_FROM_SIGNED(short)
SATURATE_FROM_SIGNED(int)
SATURATE_FROM_SIGNED(long)
SATURATE_FROM_UNSIGNED(uchar)
SATURATE_FROM_UNSIGNED(ushort)
SATURATE_FROM_UNSIGNED(uint)
SATURATE_FROM_UNSIGNED(ulong)

/* ---- the names ---- */

#define MODES(M, ...) M(, __VA_ARGS__) M(_rte, __VA_ARGS__) M(_rtz, __VA_ARGS__) M(_rtp, __VA_ARGS__) M(_rtn, __VA_ARGS__)

#define SPLIT_N(n, half_n, D, S, suffix)                                                                               \
    OVL D##n convert_##D##n##suffix(S##n x)                                                                            \
    {                                                                                                                  \
        return (D##n)(convert_##D##half_n##suffix(x.lo), convert_##D##half_n##suffix(x.hi));                           \
    }
#define SPLITS(D, S, suffix)                                                                                           \
    SPLIT_N(2, , D, S, suffix)                                                                                         \
    OVL D##3 convert_##D##3##suffix(S##3 x) { return (D##3)(convert_##D##2##suffix(x.xy), convert_##D##suffix(x.z)); } \
    SPLIT_N(4, 2, D, S, suffix) SPLIT_N(8, 4, D, S, suffix) SPLIT_N(16, 8, D, S, suffix)

#define CAST_N(n, D, S, mode) OVL D##n convert_##D##n##mode(S##n x) { return CONV(D##n, x); }
#define INT_TO_INT(mode, D, S)                                                                                         \
    OVL D convert_##D##mode(S x) { return (D)x; }                                                                      \
    VECTORS(CAST_N, D, S, mode)                                                                                        \
    OVL D convert_##D##_sat##mode(S x) { return D##_from_##S##_sat(x); }                                               \
    SPLITS(D, S, _sat##mode)
#define FLOAT_TO_INT_(suffix, mode, D)                                                                                 \
    OVL D convert_##D##mode(float x) { return D##_from_float(round##suffix(x)); }                                      \
    OVL D convert_##D##_sat##mode(float x) { return D##_from_float_sat(round##suffix(x)); }                            \
    SPLITS(D, float, mode) SPLITS(D, float, _sat##mode)
#define ANY_TO_FLOAT_(suffix, mode, S)                                                                                 \
    OVL float convert_float##mode(S x) { return S##_to_float##suffix(x); }                                             \
    SPLITS(float, S, mode)
/* The parts for the default mode end in a bare underscore. */
#define EACH_MODE(M, T) M(_, , T) M(_rte, _rte, T) M(_rtz, _rtz, T) M(_rtp, _rtp, T) M(_rtn, _rtn, T)

/* Compiled once per destination type CY_TO: there are 4,590 names, and a kernel that uses one should not have to load
 * them all. */
#define TO_INTEGER(D)                                                                                                  \
    MODES(INT_TO_INT, D, char) MODES(INT_TO_INT, D, uchar) MODES(INT_TO_INT, D, short) MODES(INT_TO_INT, D, ushort)    \
    MODES(INT_TO_INT, D, int) MODES(INT_TO_INT, D, uint) MODES(INT_TO_INT, D, long) MODES(INT_TO_INT, D, ulong)        \
    EACH_MODE(FLOAT_TO_INT_, D)
#define FROM(S, U, w)   EACH_MODE(ANY_TO_FLOAT_, S)
#define TO_float(D)     INTEGER_TYPES(FROM) FROM(float, , )
#define TO_char(D)      TO_INTEGER(D)
#define TO_uchar(D)     TO_INTEGER(D)
#define TO_short(D)     TO_INTEGER(D)
#define TO_ushort(D)    TO_INTEGER(D)
#define TO_int(D)       TO_INTEGER(D)
#define TO_uint(D)      TO_INTEGER(D)
#define TO_long(D)      TO_INTEGER(D)
#define TO_ulong(D)     TO_INTEGER(D)
CAT(TO_, CY_TO)(CY_TO)
