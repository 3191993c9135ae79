/* Functions of extensions: extended bit operations and the integer dot product. */
#include "builtins.h"

/* ---- cl_khr_extended_bit_ops ---- */

#define REVERSE(T, U, w)                                                                                               \
    OVL T bit_reverse(T x) { return (T)__builtin_bitreverse##w((U)x); }                                                \
    SPLIT1(T, bit_reverse, T)
INTEGER_TYPES(REVERSE)

/* count bits of `insert` at `offset`; both operands of a shift stay below the width */
#define INSERT_N(n, T, U, w)                                                                                           \
    OVL T##n bitfield_insert(T##n base, T##n insert, uint offset, uint count)                                          \
    {                                                                                                                  \
        U mask = count ? (U)((U)((U)-1 >> (w - count)) << offset) : (U)0;                                              \
        U##n bits = AS(U##n, insert) << (U##n)(U)(count ? offset : 0);                                                 \
        return AS(T##n, (U##n)((AS(U##n, base) & (U)~mask) | (bits & mask)));                                          \
    }
#define EXTRACT_N(n, S, U, T, w)                                                                                       \
    OVL S##n bitfield_extract_signed(T##n base, uint offset, uint count)                                               \
    {                                                                                                                  \
        U##n bits = AS(U##n, base) << (U##n)(U)(count ? w - offset - count : 0);                                       \
        return count ? (S##n)(AS(S##n, bits) >> (S##n)(S)(w - count)) : (S##n)(S)0;                                    \
    }                                                                                                                  \
    OVL U##n bitfield_extract_unsigned(T##n base, uint offset, uint count)                                             \
    {                                                                                                                  \
        U##n bits = AS(U##n, base) << (U##n)(U)(count ? w - offset - count : 0);                                       \
        return count ? (U##n)(bits >> (U##n)(U)(w - count)) : (U##n)(U)0;                                              \
    }
#define FIELDS(S, U, w)                                                                                                \
    WIDTHS(INSERT_N, S, U, w) WIDTHS(INSERT_N, U, U, w) WIDTHS(EXTRACT_N, S, U, S, w) WIDTHS(EXTRACT_N, S, U, U, w)
SIGNED_TYPES(FIELDS)

/* ---- cl_khr_integer_dot_product ---- */

OVL CONST int add_sat(int a, int b);
OVL CONST uint add_sat(uint a, uint b);

#define DOT(R, A, B, name)                                                                                             \
    OVL R dot(A a, B b)                                                                                                \
    {                                                                                                                  \
        return (R)a.s0 * (R)b.s0 + (R)a.s1 * (R)b.s1 + (R)a.s2 * (R)b.s2 + (R)a.s3 * (R)b.s3;                          \
    }                                                                                                                  \
    OVL R dot_acc_sat(A a, B b, R c) { return add_sat(dot(a, b), c); }                                                 \
    OVL R dot_4x8packed_##name(uint a, uint b) { return dot(AS(A, a), AS(B, b)); }                                     \
    OVL R dot_acc_sat_4x8packed_##name(uint a, uint b, R c) { return add_sat(dot(AS(A, a), AS(B, b)), c); }
DOT(uint, uchar4, uchar4, uu_uint)
DOT(int, char4, char4, ss_int)
DOT(int, uchar4, char4, us_int)
DOT(int, char4, uchar4, su_int)
