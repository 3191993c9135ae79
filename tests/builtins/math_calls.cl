/* The math functions for math.c, as loops over arrays; and the widths: a vector's components must be what the scalar
 * function gives, bit by bit. */
#define COMPARE(n, call, type)                                                                                         \
    for (uint i = 0; i + n <= count; i += n) {                                                                         \
        type r = call;                                                                                                 \
        for (uint j = 0; j < n; j++)                                                                                   \
            wrong += as_uint(((float *)&r)[j]) != as_uint(expected[i + j]) && !isnan(expected[i + j]);                 \
    }
#define WIDTHS_(C) C(2) C(3) C(4) C(8) C(16)

#define ONE(name, ref, ulp, absolute, from, to, wide)                                                                  \
    void call_##name(uint count, const float *x, float *r)                                                             \
    {                                                                                                                  \
        for (uint i = 0; i < count; i++)                                                                               \
            r[i] = name(x[i]);                                                                                         \
    }                                                                                                                  \
    uint widths_##name(uint count, const float *x, const float *expected)                                              \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        COMPARE(2, name(vload2(0, x + i)), float2)                                                                     \
        COMPARE(3, name(vload3(0, x + i)), float3)                                                                     \
        COMPARE(4, name(vload4(0, x + i)), float4)                                                                     \
        COMPARE(8, name(vload8(0, x + i)), float8)                                                                     \
        COMPARE(16, name(vload16(0, x + i)), float16)                                                                  \
        return wrong;                                                                                                  \
    }
#define PAIR(name, T)                                                                                                  \
    void call_##name(uint count, const float *x, const T *y, float *r)                                                 \
    {                                                                                                                  \
        for (uint i = 0; i < count; i++)                                                                               \
            r[i] = name(x[i], y[i]);                                                                                   \
    }                                                                                                                  \
    uint widths_##name(uint count, const float *x, const T *y, const float *expected)                                  \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        COMPARE(2, name(vload2(0, x + i), vload2(0, y + i)), float2)                                                   \
        COMPARE(3, name(vload3(0, x + i), vload3(0, y + i)), float3)                                                   \
        COMPARE(4, name(vload4(0, x + i), vload4(0, y + i)), float4)                                                   \
        COMPARE(8, name(vload8(0, x + i), vload8(0, y + i)), float8)                                                   \
        COMPARE(16, name(vload16(0, x + i), vload16(0, y + i)), float16)                                               \
        return wrong;                                                                                                  \
    }
#define TWO(name, ref, ulp, absolute, from, to, wide) PAIR(name, float)
#define INT(name, ref, ulp, absolute, from, to, wide) PAIR(name, int)
#include "math.def"
