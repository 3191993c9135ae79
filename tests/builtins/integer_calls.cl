/* The integer functions for integer.c: call_<function>_<type>, and widths_..., which counts the vectors that differ. */
#include "calls.h"

#define X(n) vload##n(0, x + i)
#define Y(n) vload##n(0, y + i)
#define Z(n) vload##n(0, z + i)

#define FUNCTION(name, T, R, scalar, CALL)                                                                             \
    void call_##name##_##T(uint count, const T *x, const T *y, const T *z, R *r)                                       \
    {                                                                                                                  \
        for (uint i = 0; i < count; i++)                                                                               \
            r[i] = scalar;                                                                                             \
    }                                                                                                                  \
    uint widths_##name##_##T(uint count, const T *x, const T *y, const T *z, const R *expected)                        \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        COMPARE_ALL(R, CALL)                                                                                           \
        return wrong;                                                                                                  \
    }

#define U1(name, T, R)                                                                                                 \
    FUNCTION(name, T, R, name(x[i]), CALL_##name)
#define U2(name, T, R) FUNCTION(name, T, R, name(x[i], y[i]), CALL_##name)
#define U3(name, T, R) FUNCTION(name, T, R, name(x[i], y[i], z[i]), CALL_##name)

#define CALL_clz(n)         clz(X(n))
#define CALL_ctz(n)         ctz(X(n))
#define CALL_popcount(n)    popcount(X(n))
#define CALL_bit_reverse(n) bit_reverse(X(n))
#define CALL_abs(n)         abs(X(n))
#define CALL_abs_diff(n)    abs_diff(X(n), Y(n))
#define CALL_add_sat(n)     add_sat(X(n), Y(n))
#define CALL_hadd(n)        hadd(X(n), Y(n))
#define CALL_rhadd(n)       rhadd(X(n), Y(n))
#define CALL_max(n)         max(X(n), Y(n))
#define CALL_min(n)         min(X(n), Y(n))
#define CALL_mul_hi(n)      mul_hi(X(n), Y(n))
#define CALL_rotate(n)      rotate(X(n), Y(n))
#define CALL_sub_sat(n)     sub_sat(X(n), Y(n))
#define CALL_clamp(n)       clamp(X(n), Y(n), Z(n))
#define CALL_mad_hi(n)      mad_hi(X(n), Y(n), Z(n))
#define CALL_mad_sat(n)     mad_sat(X(n), Y(n), Z(n))
#define CALL_bitselect(n)   bitselect(X(n), Y(n), Z(n))

#define ALL(T, U)                                                                                                      \
    U1(abs, T, U) U1(clz, T, T) U1(ctz, T, T) U1(popcount, T, T) U1(bit_reverse, T, T)                                 \
    U2(abs_diff, T, U) U2(add_sat, T, T) U2(hadd, T, T) U2(rhadd, T, T) U2(max, T, T) U2(min, T, T)                    \
    U2(mul_hi, T, T) U2(rotate, T, T) U2(sub_sat, T, T)                                                                \
    U3(clamp, T, T) U3(mad_hi, T, T) U3(mad_sat, T, T) U3(bitselect, T, T)
ALL(char, uchar)
ALL(uchar, uchar)
ALL(short, ushort)
ALL(ushort, ushort)
ALL(int, uint)
ALL(uint, uint)
ALL(long, ulong)
ALL(ulong, ulong)

/* ---- those of other types ---- */

#define UPSAMPLE(H, L, R)                                                                                              \
    void call_upsample_##H(uint count, const H *x, const L *y, R *r)                                                   \
    {                                                                                                                  \
        for (uint i = 0; i < count; i++)                                                                               \
            r[i] = upsample(x[i], y[i]);                                                                               \
    }                                                                                                                  \
    uint widths_upsample_##H(uint count, const H *x, const L *y, const R *expected)                                    \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        COMPARE(2, R, upsample(X(2), Y(2)))                                                                            \
        COMPARE(3, R, upsample(X(3), Y(3)))                                                                            \
        COMPARE(4, R, upsample(X(4), Y(4)))                                                                            \
        COMPARE(8, R, upsample(X(8), Y(8)))                                                                            \
        COMPARE(16, R, upsample(X(16), Y(16)))                                                                         \
        return wrong;                                                                                                  \
    }
UPSAMPLE(char, uchar, short)
UPSAMPLE(uchar, uchar, ushort)
UPSAMPLE(short, ushort, int)
UPSAMPLE(ushort, ushort, uint)
UPSAMPLE(int, uint, long)
UPSAMPLE(uint, uint, ulong)

int call_mul24(int a, int b) { return mul24(a, b); }
uint call_umul24(uint a, uint b) { return mul24(a, b); }
int call_mad24(int a, int b, int c) { return mad24((int4)a, (int4)b, (int4)c).w; }

/* Vectors against scalar second operands. */
#define MIXED(T)                                                                                                       \
    uint mixed_##T(const T *x)                                                                                         \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        for (uint i = 0; i < 64; i++) {                                                                                \
            T##16 v = vload16(0, x + i), a = min(v, x[i]), b = max(v, x[i]), c = clamp(v, min(x[0], x[1]), max(x[0], x[1])); \
            T##16 aa = min(v, (T##16)x[i]), bb = max(v, (T##16)x[i]);                                                  \
            T##16 cc = min(max(v, (T##16)min(x[0], x[1])), (T##16)max(x[0], x[1]));                                    \
            wrong += differ(sizeof(a), &a, &aa) + differ(sizeof(b), &b, &bb) + differ(sizeof(c), &c, &cc);             \
        }                                                                                                              \
        return wrong;                                                                                                  \
    }
INTEGERS(MIXED)

