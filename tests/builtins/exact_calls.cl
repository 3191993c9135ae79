/* The exact functions, those with a result through a pointer, and the geometric ones, for exact.c. */
#include "calls.h"

#define X(n) vload##n(0, x + i)
#define Y(n) vload##n(0, y + i)

#define EACH_WIDTH(name, call)                                                                                         \
    COMPARE(2, float, call(name, 2)) COMPARE(3, float, call(name, 3)) COMPARE(4, float, call(name, 4))                 \
    COMPARE(8, float, call(name, 8)) COMPARE(16, float, call(name, 16))
#define CALL1(name, n) name(X(n))
#define CALL2(name, n) name(X(n), Y(n))
#define E1(name, reference)                                                                                            \
    void exact_##name(uint count, const float *x, float *r)                                                            \
    {                                                                                                                  \
        for (uint i = 0; i < count; i++)                                                                               \
            r[i] = name(x[i]);                                                                                         \
    }                                                                                                                  \
    uint widths_##name(uint count, const float *x, const float *expected)                                              \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        EACH_WIDTH(name, CALL1)                                                                                        \
        return wrong;                                                                                                  \
    }
#define E2(name, reference)                                                                                            \
    void exact_##name(uint count, const float *x, const float *y, float *r)                                            \
    {                                                                                                                  \
        for (uint i = 0; i < count; i++)                                                                               \
            r[i] = name(x[i], y[i]);                                                                                   \
    }                                                                                                                  \
    uint widths_##name(uint count, const float *x, const float *y, const float *expected)                              \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        EACH_WIDTH(name, CALL2)                                                                                        \
        return wrong;                                                                                                  \
    }
#include "exact.def"

/* ---- results through pointers: the scalar function, and all widths and address spaces against it ---- */

#define OUT_ONE(n, name, P, space)                                                                                     \
    {                                                                                                                  \
        P##n second;                                                                                                   \
        float##n first = name(vload##n(0, x), (space P##n *)&second);                                                  \
        P seconds[n];                                                                                                  \
        float firsts[n];                                                                                               \
        for (uint i = 0; i < n; i++)                                                                                   \
            firsts[i] = name(x[i], &seconds[i]);                                                                       \
        wrong += values_differ(n, (const P *)&second, seconds) + values_differ(n, (const float *)&first, firsts);      \
    }
#define OUT_TWO(n, name, P, space)                                                                                     \
    {                                                                                                                  \
        P##n second;                                                                                                   \
        float##n first = name(vload##n(0, x), vload##n(0, y), (space P##n *)&second);                                  \
        P seconds[n];                                                                                                  \
        float firsts[n];                                                                                               \
        for (uint i = 0; i < n; i++)                                                                                   \
            firsts[i] = name(x[i], y[i], &seconds[i]);                                                                 \
        wrong += values_differ(n, (const P *)&second, seconds) + values_differ(n, (const float *)&first, firsts);      \
    }
#define OUT_WIDTHS(M, name, P, space)                                                                                  \
    M(2, name, P, space) M(3, name, P, space) M(4, name, P, space) M(8, name, P, space) M(16, name, P, space)
#define OUT_ALL(M, name, P) OUT_WIDTHS(M, name, P, __private) OUT_WIDTHS(M, name, P, __generic)
#define OUT(name, P, M, parameters, arguments)                                                                         \
    float scalar_##name parameters { return name arguments; }                                                          \
    uint out_##name(const float *x, const float *y)                                                                    \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        OUT_ALL(M, name, P)                                                                                            \
        return wrong;                                                                                                  \
    }
OUT(fract, float, OUT_ONE, (float x, float *p), (x, p))
OUT(modf, float, OUT_ONE, (float x, float *p), (x, p))
OUT(sincos, float, OUT_ONE, (float x, float *p), (x, p))
OUT(frexp, int, OUT_ONE, (float x, int *p), (x, p))
OUT(lgamma_r, int, OUT_ONE, (float x, int *p), (x, p))
OUT(remquo, int, OUT_TWO, (float x, float y, int *p), (x, y, p))

float call_cos(float x) { return cos(x); }
float call_sin(float x) { return sin(x); }
float call_lgamma(float x) { return lgamma(x); }
float call_ldexp(float x, int n) { return ldexp(x, n); }
int call_ilogb(float x) { return ilogb(x); }
float call_fma(float x, float y, float z) { return fma((float4)x, (float4)y, (float4)z).w; }
float call_nan(uint code) { return nan(code); }
float call_mix(float x, float y, float a) { return mix((float4)x, (float4)y, a).x; }
float call_smoothstep(float low, float high, float x) { return smoothstep(low, high, (float8)x).s7; }
uint ldexp_widths(uint count, const float *x, const int *y, const float *expected)
{
    uint wrong = 0;
    EACH_WIDTH(ldexp, CALL2)
    for (uint i = 0; i + 16 <= count; i += 16) {
        float16 a = ldexp(X(16), y[0]), b = ldexp(X(16), (int16)y[0]);
        wrong += values_differ(16, (const float *)&a, (const float *)&b);
    }
    return wrong;
}
uint ilogb_widths(uint count, const float *x, const int *expected)
{
    uint wrong = 0;
    COMPARE(2, int, ilogb(X(2))) COMPARE(3, int, ilogb(X(3))) COMPARE(4, int, ilogb(X(4)))
    COMPARE(8, int, ilogb(X(8))) COMPARE(16, int, ilogb(X(16)))
    return wrong;
}

/* ---- geometric: r has one value for each of 1 to 4 components ---- */

#define GEOMETRIC(name)                                                                                                \
    void geometric_##name(const float *x, const float *y, float *r)                                                    \
    {                                                                                                                  \
        r[0] = name(x[0], y[0]);                                                                                       \
        r[1] = name(vload2(0, x), vload2(0, y));                                                                       \
        r[2] = name(vload3(0, x), vload3(0, y));                                                                       \
        r[3] = name(vload4(0, x), vload4(0, y));                                                                       \
    }
#define LENGTH(name)                                                                                                   \
    void geometric_##name(const float *x, const float *y, float *r)                                                    \
    {                                                                                                                  \
        r[0] = name(x[0]);                                                                                             \
        r[1] = name(vload2(0, x));                                                                                     \
        r[2] = name(vload3(0, x));                                                                                     \
        r[3] = name(vload4(0, x));                                                                                     \
    }
/* r: 1, 2, 3, 4 components one after the other */
#define NORMALIZE(name)                                                                                                \
    void geometric_##name(const float *x, const float *y, float *r)                                                    \
    {                                                                                                                  \
        r[0] = name(x[0]);                                                                                             \
        vstore2(name(vload2(0, x)), 0, r + 1);                                                                         \
        vstore3(name(vload3(0, x)), 0, r + 3);                                                                         \
        vstore4(name(vload4(0, x)), 0, r + 6);                                                                         \
    }
GEOMETRIC(dot)
GEOMETRIC(distance)
GEOMETRIC(fast_distance)
LENGTH(length)
LENGTH(fast_length)
NORMALIZE(normalize)
NORMALIZE(fast_normalize)
void call_cross(const float *x, const float *y, float *r)
{
    vstore3(cross(vload3(0, x), vload3(0, y)), 0, r);
    vstore4(cross(vload4(0, x), vload4(0, y)), 0, r + 3);
}
