/* vload, vstore, half, shuffle, select and the relational functions for memory.c. */
#include "calls.h"

/* ---- vload and vstore: at each offset of a few, through each address space; counts what is wrong ---- */

#define LOAD_STORE(n, T, space)                                                                                        \
    for (uint i = 0; i < 3; i++) {                                                                                     \
        T to[16 * 3 + 3];                                                                                              \
        for (uint k = 0; k < 16 * 3 + 3; k++)                                                                          \
            to[k] = 0;                                                                                                 \
        T##n v = vload##n(i, (const space T *)(x + 1));                                                                \
        wrong += differ(n * sizeof(T), &v, x + 1 + i * n);                                                             \
        vstore##n(v, i, (space T *)(to + 1));                                                                          \
        wrong += differ(n * sizeof(T), to + 1 + i * n, x + 1 + i * n);                                                 \
        for (uint k = 0; k < 16 * 3 + 3; k++)                                                                          \
            wrong += to[k] != 0 && (k < 1 + i * n || k >= 1 + i * n + n);                                              \
    }
#define LOAD_STORES(T, space)                                                                                          \
    LOAD_STORE(2, T, space) LOAD_STORE(3, T, space) LOAD_STORE(4, T, space) LOAD_STORE(8, T, space)                    \
    LOAD_STORE(16, T, space)
#define MEMORY(T)                                                                                                      \
    uint memory_##T(const T *x)                                                                                        \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        LOAD_STORES(T, __generic) LOAD_STORES(T, __private)                                                            \
        return wrong;                                                                                                  \
    }
TYPES(MEMORY)

/* ---- half ---- */

void call_vload_half(uint count, const half *p, float *r)
{
    for (uint i = 0; i < count; i++)
        r[i] = vload_half(i, p);
}
#define STORE(suffix)                                                                                                  \
    void call_vstore_half##suffix(uint count, const float *x, half *p)                                                 \
    {                                                                                                                  \
        for (uint i = 0; i < count; i++)                                                                               \
            vstore_half##suffix(x[i], i, p);                                                                           \
    }
STORE()
STORE(_rte)
STORE(_rtz)
STORE(_rtp)
STORE(_rtn)

/* Vectors of half: stride is n, or 4 for three aligned ones. */
#define HALVES(n, stride, load, store, suffix, mode)                                                                   \
    for (uint i = 0; i < 3; i++) {                                                                                     \
        ushort to[16 * 4], one;                                                                                        \
        float##n v = load(i, (const half *)h);                                                                         \
        for (uint k = 0; k < n; k++) {                                                                                 \
            float f = vload_half(i * stride + k, (const half *)h);                                                     \
            wrong += differ(4, (float *)&v + k, &f);                                                                   \
        }                                                                                                              \
        for (uint k = 0; k < 16 * 4; k++)                                                                              \
            to[k] = 0xabcd;                                                                                            \
        store(vload##n(i, x), i, (half *)to);                                                                          \
        for (uint k = 0; k < 16 * 4; k++) {                                                                            \
            bool inside = k >= i * stride && k < i * stride + n;                                                       \
            one = 0xabcd;                                                                                              \
            if (inside)                                                                                                \
                vstore_half##mode(x[i * n + k - i * stride], 0, (half *)&one);                                         \
            wrong += to[k] != one && !(n == 3 && stride == 4 && k == i * stride + 3);                                  \
        }                                                                                                              \
    }
#define HALVES_MODE(suffix, mode)                                                                                      \
    HALVES(2, 2, vload_half2, vstore_half2##suffix, suffix, mode)                                                      \
    HALVES(3, 3, vload_half3, vstore_half3##suffix, suffix, mode)                                                      \
    HALVES(4, 4, vload_half4, vstore_half4##suffix, suffix, mode)                                                      \
    HALVES(8, 8, vload_half8, vstore_half8##suffix, suffix, mode)                                                      \
    HALVES(16, 16, vload_half16, vstore_half16##suffix, suffix, mode)                                                  \
    HALVES(2, 2, vloada_half2, vstorea_half2##suffix, suffix, mode)                                                    \
    HALVES(3, 4, vloada_half3, vstorea_half3##suffix, suffix, mode)                                                    \
    HALVES(4, 4, vloada_half4, vstorea_half4##suffix, suffix, mode)                                                    \
    HALVES(8, 8, vloada_half8, vstorea_half8##suffix, suffix, mode)                                                    \
    HALVES(16, 16, vloada_half16, vstorea_half16##suffix, suffix, mode)
uint half_vectors(const float *x, const ushort *h)
{
    uint wrong = 0;
    HALVES_MODE(, _rte)
    HALVES_MODE(_rte, _rte)
    HALVES_MODE(_rtz, _rtz)
    HALVES_MODE(_rtp, _rtp)
    HALVES_MODE(_rtn, _rtn)
    return wrong;
}

/* ---- shuffle ---- */

#define SHUFFLE(n, m, T, U)                                                                                            \
    {                                                                                                                  \
        T##n a = vload##n(0, x), b = vload##n(1, x);                                                                   \
        U##m i = vload##m(0, mask);                                                                                    \
        T##m one = shuffle(a, i), two = shuffle2(a, b, i);                                                             \
        for (uint k = 0; k < m; k++) {                                                                                 \
            wrong += differ(sizeof(T), (T *)&one + k, x + (mask[k] & (n - 1)));                                        \
            wrong += differ(sizeof(T), (T *)&two + k, x + (mask[k] & (2 * n - 1)));                                    \
        }                                                                                                              \
    }
#define SHUFFLE_TO(n, T, U) SHUFFLE(n, 2, T, U) SHUFFLE(n, 4, T, U) SHUFFLE(n, 8, T, U) SHUFFLE(n, 16, T, U)
#define SHUFFLES(T, U)                                                                                                 \
    uint shuffle_##T(const T *x, const U *mask)                                                                        \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        SHUFFLE_TO(2, T, U) SHUFFLE_TO(4, T, U) SHUFFLE_TO(8, T, U) SHUFFLE_TO(16, T, U)                               \
        return wrong;                                                                                                  \
    }
SHUFFLES(char, uchar)
SHUFFLES(uchar, uchar)
SHUFFLES(short, ushort)
SHUFFLES(ushort, ushort)
SHUFFLES(int, uint)
SHUFFLES(uint, uint)
SHUFFLES(long, ulong)
SHUFFLES(ulong, ulong)
SHUFFLES(float, uint)

/* ---- select, any, all ---- */

#define SELECT_N(n, T, C, S)                                                                                           \
    {                                                                                                                  \
        T##n a = vload##n(0, x), b = vload##n(1, x), r = select(a, b, vload##n(0, c));                                 \
        for (uint k = 0; k < n; k++)                                                                                   \
            wrong += differ(sizeof(T), (T *)&r + k, x + ((S)c[k] < 0 ? n + k : k));                                    \
    }
#define SELECT(T, C, S)                                                                                                \
    uint select_##T##_##C(const T *x, const C *c)                                                                      \
    {                                                                                                                  \
        T one = select(x[0], x[1], c[0]);                                                                              \
        uint wrong = differ(sizeof(T), &one, x + (c[0] != 0));                                                         \
        SELECT_N(2, T, C, S) SELECT_N(3, T, C, S) SELECT_N(4, T, C, S) SELECT_N(8, T, C, S) SELECT_N(16, T, C, S)      \
        return wrong;                                                                                                  \
    }
#define SELECTS(S, U) SELECT(S, S, S) SELECT(S, U, S) SELECT(U, S, S) SELECT(U, U, S)
SELECTS(char, uchar)
SELECTS(short, ushort)
SELECTS(int, uint)
SELECTS(long, ulong)
SELECT(float, int, int)
SELECT(float, uint, int)

#define ANY_N(n)                                                                                                       \
    {                                                                                                                  \
        int some = 0, every = 1;                                                                                       \
        for (uint k = 0; k < n; k++) {                                                                                 \
            some |= x[k] < 0;                                                                                          \
            every &= x[k] < 0;                                                                                         \
        }                                                                                                              \
        wrong += any(vload##n(0, x)) != some || all(vload##n(0, x)) != every;                                          \
    }
#define ANY(T)                                                                                                         \
    uint any_##T(const T *x)                                                                                           \
    {                                                                                                                  \
        uint wrong = (any(x[0]) != (x[0] < 0)) + (all(x[0]) != (x[0] < 0));                                            \
        ANY_N(2) ANY_N(3) ANY_N(4) ANY_N(8) ANY_N(16)                                                                  \
        return wrong;                                                                                                  \
    }
ANY(char)
ANY(short)
ANY(int)
ANY(long)

/* ---- relations: r[0] the scalar's result, r[1] the bits of a vector's two results, x and y in both places ---- */

#define RELATION2(name)                                                                                                \
    void call_##name(float x, float y, int *r)                                                                         \
    {                                                                                                                  \
        r[0] = name(x, y);                                                                                             \
        int16 v = name((float16)(x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x), (float16)y);                         \
        int3 w = name((float3)x, (float3)y);                                                                           \
        r[1] = v.sf;                                                                                                   \
        r[2] = w.z;                                                                                                    \
    }
#define RELATION1(name)                                                                                                \
    void call_##name(float x, float y, int *r)                                                                         \
    {                                                                                                                  \
        r[0] = name(x);                                                                                                \
        int16 v = name((float16)x);                                                                                    \
        int3 w = name((float3)x);                                                                                      \
        r[1] = v.sf;                                                                                                   \
        r[2] = w.z;                                                                                                    \
    }
#include "relations.def"
