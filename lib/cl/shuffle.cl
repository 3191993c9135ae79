/* shuffle and shuffle2: each result component is picked by a tree of selects, one level per bit of its index. */
#include "builtins.h"

#define PICK(T, U)                                                                                                     \
    INTERNAL OVL T pick(T##2 v, U i) { return i & 1 ? v.hi : v.lo; }                                                   \
    INTERNAL OVL T pick(T##4 v, U i) { return pick(i & 2 ? v.hi : v.lo, i); }                                          \
    INTERNAL OVL T pick(T##8 v, U i) { return pick(i & 4 ? v.hi : v.lo, i); }                                          \
    INTERNAL OVL T pick(T##16 v, U i) { return pick(i & 8 ? v.hi : v.lo, i); }

#define SHUFFLE_TO(T, U, n, m)                                                                                         \
    OVL T##m shuffle(T##n v, U##m i) { return (T##m)(shuffle(v, i.lo), shuffle(v, i.hi)); }                            \
    OVL T##m shuffle2(T##n v, T##n w, U##m i) { return (T##m)(shuffle2(v, w, i.lo), shuffle2(v, w, i.hi)); }
#define SHUFFLE_FROM(T, U, n)                                                                                          \
    OVL T##2 shuffle(T##n v, U##2 i) { return (T##2)(pick(v, i.lo), pick(v, i.hi)); }                                  \
    INTERNAL OVL T pick2(T##n v, T##n w, U i) { return pick(i & n ? w : v, i); }                                       \
    OVL T##2 shuffle2(T##n v, T##n w, U##2 i) { return (T##2)(pick2(v, w, i.lo), pick2(v, w, i.hi)); }                 \
    SHUFFLE_TO(T, U, n, 4) SHUFFLE_TO(T, U, n, 8) SHUFFLE_TO(T, U, n, 16)
#define SHUFFLES(T, U, w)                                                                                              \
    PICK(T, U)                                                                                                         \
    SHUFFLE_FROM(T, U, 2) SHUFFLE_FROM(T, U, 4) SHUFFLE_FROM(T, U, 8) SHUFFLE_FROM(T, U, 16)
#if CY_IS_FLOAT
INTEGER_TYPES(SHUFFLES)
#endif
#define OF_REAL(T, U) SHUFFLES(T, U, )
OF_REAL(REAL, UINT)
