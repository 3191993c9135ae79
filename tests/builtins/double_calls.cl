/* The math functions of doubles for double.c, as loops over arrays; and the widths: a vector's components must be what the scalar
 * function gives, bit by bit. */
#define COMPARE(n, call, type)                                                                                         \
    for (uint i = 0; i + n <= count; i += n) {                                                                         \
        type r = call;                                                                                                 \
        for (uint j = 0; j < n; j++)                                                                                   \
            wrong += as_ulong(((double *)&r)[j]) != as_ulong(expected[i + j]) && !isnan(expected[i + j]);                 \
    }
#define WIDTHS_(C) C(2) C(3) C(4) C(8) C(16)

#define ONE(name, ref, ulp, absolute, from, to, wide)                                                                  \
    void double_##name(uint count, const double *x, double *r)                                                             \
    {                                                                                                                  \
        for (uint i = 0; i < count; i++)                                                                               \
            r[i] = name(x[i]);                                                                                         \
    }                                                                                                                  \
    uint double_widths_##name(uint count, const double *x, const double *expected)                                              \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        COMPARE(2, name(vload2(0, x + i)), double2)                                                                     \
        COMPARE(3, name(vload3(0, x + i)), double3)                                                                     \
        COMPARE(4, name(vload4(0, x + i)), double4)                                                                     \
        COMPARE(8, name(vload8(0, x + i)), double8)                                                                     \
        COMPARE(16, name(vload16(0, x + i)), double16)                                                                  \
        return wrong;                                                                                                  \
    }
#define PAIR(name, T)                                                                                                  \
    void double_##name(uint count, const double *x, const T *y, double *r)                                                 \
    {                                                                                                                  \
        for (uint i = 0; i < count; i++)                                                                               \
            r[i] = name(x[i], y[i]);                                                                                   \
    }                                                                                                                  \
    uint double_widths_##name(uint count, const double *x, const T *y, const double *expected)                                  \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        COMPARE(2, name(vload2(0, x + i), vload2(0, y + i)), double2)                                                   \
        COMPARE(3, name(vload3(0, x + i), vload3(0, y + i)), double3)                                                   \
        COMPARE(4, name(vload4(0, x + i), vload4(0, y + i)), double4)                                                   \
        COMPARE(8, name(vload8(0, x + i), vload8(0, y + i)), double8)                                                   \
        COMPARE(16, name(vload16(0, x + i), vload16(0, y + i)), double16)                                               \
        return wrong;                                                                                                  \
    }
#define TWO(name, ref, ulp, absolute, from, to, wide) PAIR(name, double)
#define INT(name, ref, ulp, absolute, from, to, wide) PAIR(name, int)
#include "double.def"
