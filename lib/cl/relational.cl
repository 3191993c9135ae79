/* Relational functions: 1 for true in scalars, -1 in each true component of vectors, like the operators. */
#include "builtins.h"

/* R: the result of scalars is an int, that of vectors has elements of the operands' size. */
#define IS2(n, R, T, name, expression)                                                                                 \
    OVL R name(T##n x, T##n y) { return expression; }
#define IS1(n, R, T, name, expression)                                                                                 \
    OVL R name(T##n x) { return expression; }
#define INFINITE ((((INT)1 << (8 * sizeof(INT) - 2 - FRACTION)) * 2 - 1) << FRACTION)
#define BITS(n) (AS(CAT(INT, n), x) & (INT)~((UINT)1 << (8 * sizeof(INT) - 1)))

#define RELATIONS(n, R, T)                                                                                             \
    IS2(n, R, T, isequal, x == y)                                                                                      \
    IS2(n, R, T, isnotequal, x != y)                                                                                   \
    IS2(n, R, T, isgreater, x > y)                                                                                     \
    IS2(n, R, T, isgreaterequal, x >= y)                                                                               \
    IS2(n, R, T, isless, x < y)                                                                                        \
    IS2(n, R, T, islessequal, x <= y)                                                                                  \
    IS2(n, R, T, islessgreater, (x < y) | (x > y))                                                                     \
    IS2(n, R, T, isordered, (x == x) & (y == y))                                                                       \
    IS2(n, R, T, isunordered, (x != x) | (y != y))                                                                     \
    IS1(n, R, T, isfinite, BITS(n) < (INT)INFINITE)                                                                    \
    IS1(n, R, T, isinf, BITS(n) == (INT)INFINITE)                                                                      \
    IS1(n, R, T, isnan, x != x)                                                                                        \
    IS1(n, R, T, isnormal, (BITS(n) >= (INT)((INT)1 << FRACTION)) & (BITS(n) < (INT)INFINITE))                                \
    IS1(n, R, T, signbit, AS(CAT(INT, n), x) < (INT)0)
#define VECTOR_RELATIONS(n, I, T) RELATIONS(n, I##n, T)
#define OF_REAL(T, I) RELATIONS(, int, T) VECTORS(VECTOR_RELATIONS, I, T)
OF_REAL(REAL, INT)

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
#if CY_IS_FLOAT
SIGNED_TYPES(ANY_ALL)
#endif

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
#if CY_IS_FLOAT
SIGNED_TYPES(SELECTS)
#endif
#define SELECTS_REAL(T, I, U) WIDTHS(BITSELECT, T, U) SELECT(T, I, I) SELECT(T, U, I)
SELECTS_REAL(REAL, INT, UINT)
