/* Explicit conversions: convert_<type><n>[_sat][_rte|_rtz|_rtp|_rtn] between all integer types and float, double, half.
 *
 * The scalar conversions are built from a few parts; between integers a rounding mode has no effect, and an
 * out-of-range value without _sat wraps.  From float to integer the value is rounded first, by default toward zero. */
#include "builtins.h"

OVL CONST float rint(float x);
OVL CONST float floor(float x);
OVL CONST float ceil(float x);

OVL CONST double rint(double x);
OVL CONST double floor(double x);
OVL CONST double ceil(double x);

#define ROUND(T)                                                                                                       \
    INTERNAL OVL T round_(T x) { return x; } /* the conversion itself truncates */                                     \
    INTERNAL OVL T round_rtz(T x) { return x; }                                                                        \
    INTERNAL OVL T round_rte(T x) { return rint(x); }                                                                  \
    INTERNAL OVL T round_rtp(T x) { return ceil(x); }                                                                  \
    INTERNAL OVL T round_rtn(T x) { return floor(x); }
ROUND(float)
ROUND(double)

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

/* ---- the same from double and half ---- */

#define FROM_DOUBLE(T, name)                                                                                           \
    T name(double x);                                                                                                  \
    INTERNAL T T##_from_double_sat(double x) { return name(x); }
int to_int_d(double x) __asm__("llvm.fptosi.sat.i32.f64");
uint to_uint_d(double x) __asm__("llvm.fptoui.sat.i32.f64");
long to_long_d(double x) __asm__("llvm.fptosi.sat.i64.f64");
ulong to_ulong_d(double x) __asm__("llvm.fptoui.sat.i64.f64");
FROM_DOUBLE(int, to_int_d)
FROM_DOUBLE(uint, to_uint_d)
FROM_DOUBLE(long, to_long_d)
FROM_DOUBLE(ulong, to_ulong_d)
#define FROM_DOUBLE_NARROW(T, least, most)                                                                             \
    INTERNAL T T##_from_double(double x) { return (T)to_int_d(x); }                                                    \
    INTERNAL T T##_from_double_sat(double x)                                                                           \
    {                                                                                                                  \
        return x >= most ? (T)most : x <= least ? (T)least : (T)to_int_d(x);                                           \
    }
FROM_DOUBLE_NARROW(char, -128, 127)
FROM_DOUBLE_NARROW(uchar, 0, 255)
FROM_DOUBLE_NARROW(short, -32768, 32767)
FROM_DOUBLE_NARROW(ushort, 0, 65535)
INTERNAL int int_from_double(double x) { return to_int_d(x); }
INTERNAL uint uint_from_double(double x) { return to_uint_d(x); }
INTERNAL long long_from_double(double x) { return to_long_d(x); }
INTERNAL ulong ulong_from_double(double x) { return to_ulong_d(x); }

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
EXACT_TO_FLOAT(half)

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

/* From double: the neighbour of the nearest float, if that is on the wrong side. */
INTERNAL float towards(double x, bool up)
{
    float near = (float)x;
    bool wrong = up ? (double)near < x : (double)near > x;
    uint bits = AS(uint, near), step = (near < 0.0f || (near == 0.0f && AS(long, x) < 0)) == up ? -1u : 1u;
    bits = near == 0.0f ? 1 | (up ? 0 : 0x80000000) : bits + step;
    return wrong ? AS(float, bits) : near;
}
INTERNAL float double_to_float_(double x) { return (float)x; }
INTERNAL float double_to_float_rte(double x) { return (float)x; }
INTERNAL float double_to_float_rtz(double x) { return towards(x, x < 0.0); }
INTERNAL float double_to_float_rtp(double x) { return towards(x, true); }
INTERNAL float double_to_float_rtn(double x) { return towards(x, false); }

/* ---- to double: only 64-bit integers round ---- */

#define EXACT_TO_DOUBLE(T)                                                                                             \
    INTERNAL double T##_to_double_(T x) { return (double)x; }                                                          \
    INTERNAL double T##_to_double_rte(T x) { return (double)x; }                                                       \
    INTERNAL double T##_to_double_rtz(T x) { return (double)x; }                                                       \
    INTERNAL double T##_to_double_rtp(T x) { return (double)x; }                                                       \
    INTERNAL double T##_to_double_rtn(T x) { return (double)x; }
EXACT_TO_DOUBLE(char)
EXACT_TO_DOUBLE(uchar)
EXACT_TO_DOUBLE(short)
EXACT_TO_DOUBLE(ushort)
EXACT_TO_DOUBLE(int)
EXACT_TO_DOUBLE(uint)
EXACT_TO_DOUBLE(half)
EXACT_TO_DOUBLE(float)
EXACT_TO_DOUBLE(double)
INTERNAL double magnitude_double(ulong size, bool away)
{
    uint zeros = (uint)__builtin_clzl(size | 1);
    ulong scaled = size << zeros;
    ulong bits = ((ulong)(1085 - zeros) << 52) + (scaled >> 11) + (away && (scaled & 0x7ff));
    return AS(double, size ? bits : 0);
}
#define ROUNDED_TO_DOUBLE(T)                                                                                           \
    INTERNAL double T##_to_double_(T x) { return (double)x; }                                                          \
    INTERNAL double T##_to_double_rte(T x) { return (double)x; }                                                       \
    INTERNAL double T##_directed_double(T x, bool away)                                                                \
    {                                                                                                                  \
        double size = magnitude_double(x < 0 ? 0 - (ulong)x : (ulong)x, away);                                         \
        return x < 0 ? -size : size;                                                                                   \
    }                                                                                                                  \
    INTERNAL double T##_to_double_rtz(T x) { return T##_directed_double(x, false); }                                   \
    INTERNAL double T##_to_double_rtp(T x) { return T##_directed_double(x, x >= 0); }                                  \
    INTERNAL double T##_to_double_rtn(T x) { return T##_directed_double(x, x < 0); }
ROUNDED_TO_DOUBLE(long)
ROUNDED_TO_DOUBLE(ulong)

/* ---- to half: integers that a float does not hold are out of range anyway ---- */

INTERNAL half half_of(ushort bits) { return AS(half, bits); }
#define TO_HALF(T, R)                                                                                                  \
    INTERNAL half T##_to_half_(T x) { return (half)(R)x; }                                                             \
    INTERNAL half T##_to_half_rte(T x) { return (half)(R)x; }                                                          \
    INTERNAL half T##_to_half_rtz(T x) { return half_of(__cy_half_rtz_##R((R)x)); }                                    \
    INTERNAL half T##_to_half_rtp(T x) { return half_of(__cy_half_rtp_##R((R)x)); }                                    \
    INTERNAL half T##_to_half_rtn(T x) { return half_of(__cy_half_rtn_##R((R)x)); }
TO_HALF(char, float)
TO_HALF(uchar, float)
TO_HALF(short, float)
TO_HALF(ushort, float)
TO_HALF(int, float)
TO_HALF(uint, float)
TO_HALF(long, float)
TO_HALF(ulong, float)
TO_HALF(half, float)
TO_HALF(float, float)
TO_HALF(double, double)

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
/* From S by way of R, which is float for half. */
#define REAL_TO_INT_(suffix, mode, D, S, R)                                                                            \
    OVL D convert_##D##mode(S x) { return D##_from_##R(round##suffix((R)x)); }                                         \
    OVL D convert_##D##_sat##mode(S x) { return D##_from_##R##_sat(round##suffix((R)x)); }                             \
    SPLITS(D, S, mode) SPLITS(D, S, _sat##mode)
#define FLOAT_TO_INT_(suffix, mode, D)  REAL_TO_INT_(suffix, mode, D, float, float)
#define DOUBLE_TO_INT_(suffix, mode, D) REAL_TO_INT_(suffix, mode, D, double, double)
#define HALF_TO_INT_(suffix, mode, D)   REAL_TO_INT_(suffix, mode, D, half, float)
#define ANY_TO_REAL(suffix, mode, D, S)                                                                                \
    OVL D convert_##D##mode(S x) { return S##_to_##D##suffix(x); }                                                     \
    SPLITS(D, S, mode)
#define ANY_TO_FLOAT_(suffix, mode, S)  ANY_TO_REAL(suffix, mode, float, S)
#define ANY_TO_DOUBLE_(suffix, mode, S) ANY_TO_REAL(suffix, mode, double, S)
#define ANY_TO_HALF_(suffix, mode, S)   ANY_TO_REAL(suffix, mode, half, S)
/* The parts for the default mode end in a bare underscore. */
#define EACH_MODE(M, T) M(_, , T) M(_rte, _rte, T) M(_rtz, _rtz, T) M(_rtp, _rtp, T) M(_rtn, _rtn, T)

/* Compiled once per destination type CY_TO: there are thousands of names, and a kernel that uses one should not have to
 * load them all.  Those from double and half are in modules of their own (CY_DOUBLE, CY_HALF). */
#if defined(CY_DOUBLE)
#define TO_INTEGER(D) EACH_MODE(DOUBLE_TO_INT_, D)
#define TO_float(D)   EACH_MODE(ANY_TO_FLOAT_, double)
#elif defined(CY_HALF)
#define TO_INTEGER(D) EACH_MODE(HALF_TO_INT_, D)
#define TO_float(D)   EACH_MODE(ANY_TO_FLOAT_, half)
#else
#define TO_INTEGER(D)                                                                                                  \
    MODES(INT_TO_INT, D, char) MODES(INT_TO_INT, D, uchar) MODES(INT_TO_INT, D, short) MODES(INT_TO_INT, D, ushort)    \
    MODES(INT_TO_INT, D, int) MODES(INT_TO_INT, D, uint) MODES(INT_TO_INT, D, long) MODES(INT_TO_INT, D, ulong)        \
    EACH_MODE(FLOAT_TO_INT_, D)
#define FROM(S, U, w) EACH_MODE(ANY_TO_FLOAT_, S)
#define TO_float(D)   INTEGER_TYPES(FROM) FROM(float, , )
#endif
#define DOUBLE_FROM(S, U, w) EACH_MODE(ANY_TO_DOUBLE_, S)
#define HALF_FROM(S, U, w)   EACH_MODE(ANY_TO_HALF_, S)
#define TO_double(D)         INTEGER_TYPES(DOUBLE_FROM) DOUBLE_FROM(half, , ) DOUBLE_FROM(float, , ) DOUBLE_FROM(double, , )
#define TO_half(D)           INTEGER_TYPES(HALF_FROM) HALF_FROM(half, , ) HALF_FROM(float, , ) HALF_FROM(double, , )
#define TO_char(D)      TO_INTEGER(D)
#define TO_uchar(D)     TO_INTEGER(D)
#define TO_short(D)     TO_INTEGER(D)
#define TO_ushort(D)    TO_INTEGER(D)
#define TO_int(D)       TO_INTEGER(D)
#define TO_uint(D)      TO_INTEGER(D)
#define TO_long(D)      TO_INTEGER(D)
#define TO_ulong(D)     TO_INTEGER(D)
CAT(TO_, CY_TO)(CY_TO)
