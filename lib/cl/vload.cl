/* vload and vstore: the address is only aligned to the element size, so each element is one access. */
#include "builtins.h"

#define LOAD(T, space)                                                                                                 \
    OVL T##2 vload2(size_t i, const space T *p) { return (T##2)(p[2 * i], p[2 * i + 1]); }                             \
    OVL T##3 vload3(size_t i, const space T *p) { return (T##3)(p[3 * i], p[3 * i + 1], p[3 * i + 2]); }               \
    OVL T##4 vload4(size_t i, const space T *p) { return (T##4)(vload2(0, p + 4 * i), vload2(1, p + 4 * i)); }         \
    OVL T##8 vload8(size_t i, const space T *p) { return (T##8)(vload4(0, p + 8 * i), vload4(1, p + 8 * i)); }         \
    OVL T##16 vload16(size_t i, const space T *p) { return (T##16)(vload8(0, p + 16 * i), vload8(1, p + 16 * i)); }
#define STORE(T, space)                                                                                                \
    OVL void vstore2(T##2 v, size_t i, space T *p)                                                                     \
    {                                                                                                                  \
        p[2 * i] = v.s0;                                                                                               \
        p[2 * i + 1] = v.s1;                                                                                           \
    }                                                                                                                  \
    OVL void vstore3(T##3 v, size_t i, space T *p)                                                                     \
    {                                                                                                                  \
        p[3 * i] = v.s0;                                                                                               \
        p[3 * i + 1] = v.s1;                                                                                           \
        p[3 * i + 2] = v.s2;                                                                                           \
    }                                                                                                                  \
    OVL void vstore4(T##4 v, size_t i, space T *p)                                                                     \
    {                                                                                                                  \
        vstore2(v.lo, 0, p + 4 * i);                                                                                   \
        vstore2(v.hi, 1, p + 4 * i);                                                                                   \
    }                                                                                                                  \
    OVL void vstore8(T##8 v, size_t i, space T *p)                                                                     \
    {                                                                                                                  \
        vstore4(v.lo, 0, p + 8 * i);                                                                                   \
        vstore4(v.hi, 1, p + 8 * i);                                                                                   \
    }                                                                                                                  \
    OVL void vstore16(T##16 v, size_t i, space T *p)                                                                   \
    {                                                                                                                  \
        vstore8(v.lo, 0, p + 16 * i);                                                                                  \
        vstore8(v.hi, 1, p + 16 * i);                                                                                  \
    }
#define WRITABLE(T, space) LOAD(T, space) STORE(T, space)
#define SPACES(T, ...)                                                                                                 \
    WRITABLE(T, __global) WRITABLE(T, __local) WRITABLE(T, __private) WRITABLE(T, __generic) LOAD(T, __constant)
#if CY_IS_FLOAT
INTEGER_TYPES(SPACES)
#endif
#define OF_REAL(T) SPACES(T)
OF_REAL(REAL)
