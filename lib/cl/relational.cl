/* Relational functions: 1 for true in scalars, -1 in each true component of vectors, like the operators. */
#include "builtins.h"

#define IS2(n, name, expression)                                                                                       \
    OVL int##n name(float##n x, float##n y) { return expression; }
#define IS1(n, name, expression)                                                                                       \
    OVL int##n name(float##n x) { return expression; }
#define BITS(n) (AS(int##n, x) & 0x7fffffff)

#define RELATIONS(n, ...)                                                                                              \
    IS2(n, isequal, x == y)                                                                                            \
    IS2(n, isnotequal, x != y)                                                                                         \
    IS2(n, isgreater, x > y)                                                                                           \
    IS2(n, isgreaterequal, x >= y)                                                                                     \
    IS2(n, isless, x < y)                                                                                              \
    IS2(n, islessequal, x <= y)                                                                                        \
    IS2(n, islessgreater, (x < y) | (x > y))                                                                           \
    IS2(n, isordered, (x == x) & (y == y))                                                                             \
    IS2(n, isunordered, (x != x) | (y != y))                                                                           \
    IS1(n, isfinite, BITS(n) < 0x7f800000)                                                                             \
    IS1(n, isinf, BITS(n) == 0x7f800000)                                                                               \
    IS1(n, isnan, x != x)                                                                                              \
    IS1(n, isnormal, (BITS(n) >= 0x800000) & (BITS(n) < 0x7f800000))                                                   \
    IS1(n, signbit, AS(int##n, x) < 0)
WIDTHS(RELATIONS, )

/* ---- any, all: of the most significant bits ---- */

#define ANY_ALL(T, U, w)                                                                                               \
    OVL int any(T x) { return x < 0; }                                                                                 \
    OVL int all(T x) { return x < 0; }                                                                                 \
    OVL int any(T##2 x) { return any((T)(x.s0 | x.s1)); }                                                              \
    OVL int all(T##2 x) { return all((T)(x.s0 & x.s1)); }                                                              \
    OVL int any(T##3 x) { return any((T)(x.s0 | x.s1 | x.s2)); }                                                       \
    OVL int all(T##3 x) { return all((T)(x.s0 & x.s1 & x.s2)); }                                                       \
    OVL int any(T##4 x) { return any(x.lo | x.hi); }                                                                   \
    OVL int all(T##4 x) { return all(x.lo & x.hi); }                                                                   \
    OVL int any(T##8 x) { return any(x.lo | x.hi); }                                                                   \
    OVL int all(T##8 x) { return all(x.lo & x.hi); }                                                                   \
    OVL int any(T##16 x) { return any(x.lo | x.hi); }                                                                  \
    OVL int all(T##16 x) { return all(x.lo & x.hi); }
SIGNED_TYPES(ANY_ALL)

/* ---- bitselect, select ---- */

#define BITSELECT(n, T, U)                                                                                             \
    OVL T##n bitselect(T##n a, T##n b, T##n c)                                                                         \
    {                                                                                                                  \
        U##n mask = AS(U##n, c);                                                                                       \
        return AS(T##n, (U##n)((AS(U##n, a) & ~mask) | (AS(U##n, b) & mask)));                                         \
    }
/* S: the signed integer of the elements' size; C: the condition, S or its unsigned counterpart */
#define SELECT_N(n, T, C, S)                                                                                           \
    OVL T##n select(T##n a, T##n b, C##n c) { return AS(S##n, c) < (S)0 ? b : a; }
#define SELECT(T, C, S)                                                                                                \
    OVL T select(T a, T b, C c) { return c ? b : a; }                                                                  \
    VECTORS(SELECT_N, T, C, S)
#define SELECTS(S, U, w)                                                                                               \
    WIDTHS(BITSELECT, S, U) WIDTHS(BITSELECT, U, U)                                                                    \
    SELECT(S, S, S) SELECT(S, U, S) SELECT(U, S, S) SELECT(U, U, S)
SIGNED_TYPES(SELECTS)
WIDTHS(BITSELECT, float, uint)
SELECT(float, int, int)
SELECT(float, uint, int)
