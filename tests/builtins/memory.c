/* vload, vstore, half in memory, shuffle, select, any, all and the relational functions. */
#include "support/test.h"

#include <math.h>

static uint64_t seed = 1442695040888963407u;
static uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}
static void fill(void *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)p)[i] = (unsigned char)(random64() >> 17);
}
/* Floats that equal themselves: copies are compared bit by bit, but the host may quiet a NaN. */
static void fill_floats(float *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int32_t digits = (int32_t)random64();
        p[i] = ldexpf((float)digits, (int)(random64() % 60) - 30);
    }
}

/* ---- vload, vstore, shuffle, select ---- */

#define ROUNDS 50
#define TYPE(T, C, U)                                                                                                  \
    unsigned memory_##T(const C *x);                                                                                   \
    unsigned shuffle_##T(const C *x, const U *mask);                                                                   \
    static void test_##T(void)                                                                                         \
    {                                                                                                                  \
        C x[64];                                                                                                       \
        U mask[16];                                                                                                    \
        for (unsigned i = 0; i < ROUNDS; i++) {                                                                        \
            FILL(T, x);                                                                                                \
            fill(mask, sizeof(mask));                                                                                  \
            CHECK_EQ(memory_##T(x), 0);                                                                                \
            CHECK_EQ(shuffle_##T(x, mask), 0);                                                                         \
        }                                                                                                              \
    }
#define FILL(T, x) FILL_##T(x)
#define FILL_char(x) fill(x, sizeof(x))
#define FILL_uchar(x) fill(x, sizeof(x))
#define FILL_short(x) fill(x, sizeof(x))
#define FILL_ushort(x) fill(x, sizeof(x))
#define FILL_int(x) fill(x, sizeof(x))
#define FILL_uint(x) fill(x, sizeof(x))
#define FILL_long(x) fill(x, sizeof(x))
#define FILL_ulong(x) fill(x, sizeof(x))
#define FILL_float(x) fill_floats(x, 64)
TYPE(char, int8_t, uint8_t)
TYPE(uchar, uint8_t, uint8_t)
TYPE(short, int16_t, uint16_t)
TYPE(ushort, uint16_t, uint16_t)
TYPE(int, int32_t, uint32_t)
TYPE(uint, uint32_t, uint32_t)
TYPE(long, int64_t, uint64_t)
TYPE(ulong, uint64_t, uint64_t)
TYPE(float, float, uint32_t)

#define SELECT(T, CT, C, CC)                                                                                           \
    unsigned select_##T##_##C(const CT *x, const CC *c);                                                               \
    static void test_select_##T##_##C(void)                                                                            \
    {                                                                                                                  \
        CT x[64];                                                                                                      \
        CC c[16];                                                                                                      \
        for (unsigned i = 0; i < ROUNDS; i++) {                                                                        \
            FILL(T, x);                                                                                                \
            fill(c, sizeof(c));                                                                                        \
            if (i % 2)                                                                                                 \
                c[0] = (CC)(i % 4 == 1);                                                                               \
            CHECK_EQ(select_##T##_##C(x, c), 0);                                                                       \
        }                                                                                                              \
    }
#define SELECTS(S, CS, U, CU) SELECT(S, CS, S, CS) SELECT(S, CS, U, CU) SELECT(U, CU, S, CS) SELECT(U, CU, U, CU)
SELECTS(char, int8_t, uchar, uint8_t)
SELECTS(short, int16_t, ushort, uint16_t)
SELECTS(int, int32_t, uint, uint32_t)
SELECTS(long, int64_t, ulong, uint64_t)
SELECT(float, float, int, int32_t)
SELECT(float, float, uint, uint32_t)

#define ANY(T, C)                                                                                                      \
    unsigned any_##T(const C *x);                                                                                      \
    static void test_any_##T(void)                                                                                     \
    {                                                                                                                  \
        C x[16];                                                                                                       \
        for (unsigned i = 0; i < 300; i++) {                                                                           \
            for (unsigned k = 0; k < 16; k++)                                                                          \
                x[k] = (C)(i % 3 == 0 ? (C)-1 : i % 3 == 1 ? (C)(random64() >> 7) : (C)(random64() >> 7 & INT8_MAX));  \
            if (i % 5 == 0)                                                                                            \
                x[random64() % 16] = (C)(i % 2 ? -1 : 5);                                                              \
            CHECK_EQ(any_##T(x), 0);                                                                                   \
        }                                                                                                              \
    }
ANY(char, int8_t)
ANY(short, int16_t)
ANY(int, int32_t)
ANY(long, int64_t)

static void test_select(void)
{
    test_select_char_char();
    test_select_char_uchar();
    test_select_uchar_char();
    test_select_uchar_uchar();
    test_select_short_short();
    test_select_short_ushort();
    test_select_ushort_short();
    test_select_ushort_ushort();
    test_select_int_int();
    test_select_int_uint();
    test_select_uint_int();
    test_select_uint_uint();
    test_select_long_long();
    test_select_long_ulong();
    test_select_ulong_long();
    test_select_ulong_ulong();
    test_select_float_int();
    test_select_float_uint();
    test_any_char();
    test_any_short();
    test_any_int();
    test_any_long();
}

/* ---- half ---- */

void call_vload_half(unsigned count, const uint16_t *p, float *r);
typedef void store(unsigned count, const float *x, uint16_t *p);
store call_vstore_half, call_vstore_half_rte, call_vstore_half_rtz, call_vstore_half_rtp, call_vstore_half_rtn;
unsigned half_vectors(const float *x, const uint16_t *h);

static double half_value(uint16_t h)
{
    int exponent = h >> 10 & 0x1f;
    double size = exponent ? ldexp(1024 + (h & 0x3ff), exponent - 25) : ldexp(h & 0x3ff, -24);
    return h & 0x8000 ? -size : size;
}

static void test_half_load(void)
{
    static uint16_t halves[65536];
    static float r[65536];
    for (unsigned i = 0; i < 65536; i++)
        halves[i] = (uint16_t)i;
    call_vload_half(65536, halves, r);
    for (unsigned i = 0; i < 65536; i++) {
        if ((i & 0x7c00) == 0x7c00)
            CHECK((i & 0x3ff ? isnan(r[i]) : isinf(r[i])) && !signbit(r[i]) == !(i & 0x8000));
        else
            CHECK((double)r[i] == half_value((uint16_t)i) && !signbit(r[i]) == !(i & 0x8000));
    }
}

/* The half next to x in the direction of the rounding: by quantum, in double, which holds everything exactly. */
static uint16_t rounded(float x, double (*round)(double))
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x))
        return sign | 0x7e00;
    if (isinf(x))
        return sign | 0x7c00;
    int e;
    frexp((double)x, &e);
    e = e < -13 ? -13 : e;
    double quantum = ldexp(1, e - 11), r = round((double)x / quantum) * quantum, size = fabs(r);
    if (size >= 65536) /* what is beyond the largest half rounds to it or to infinity */
        return sign | (round(x < 0 ? -1.5 : 1.5) == (x < 0 ? -1.0 : 1.0) ? 0x7bff : 0x7c00);
    frexp(size, &e);
    if (size < 0x1p-14)
        return sign | (uint16_t)(size * 0x1p24);
    return sign | (uint16_t)(((e + 14) << 10) + ((int)ldexp(size, 11 - e) - 1024));
}

static void test_half_store(void)
{
    enum { COUNT = 60000 };
    static const struct {
        store *store;
        double (*round)(double);
    } modes[] = {{call_vstore_half, rint},
                 {call_vstore_half_rte, rint},
                 {call_vstore_half_rtz, trunc},
                 {call_vstore_half_rtp, ceil},
                 {call_vstore_half_rtn, floor}};
    static float x[COUNT];
    static uint16_t r[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        uint32_t bits = (uint32_t)random64();
        if (i % 2) /* near a half */
            x[i] = nextafterf((float)half_value((uint16_t)(bits & 0xfbff)) * (i % 8 == 1 ? 1.00048828125f : 1),
                              i % 3 == 0   ? INFINITY
                              : i % 3 == 1 ? -INFINITY
                                           : 0);
        else if (i % 4)
            x[i] = ldexpf((float)(int32_t)bits, -(int)(random64() % 40) - 20);
        else
            memcpy(&x[i], &bits, sizeof(bits));
    }
    static const float edges[] = {0,        65504,     65519.99f,    65520,        65535,    65536,
                                  1e10f,    INFINITY,  NAN,          0x1p-24f,     0x1p-25f, 0x1.000002p-25f,
                                  0x1p-26f, 0x1p-149f, 0x1.ff8p-15f, 0x1.ffep-15f, 0x1p-14f, 1.5f};
    for (unsigned i = 0; i < 2 * sizeof(edges) / sizeof(edges[0]); i++)
        x[i] = i % 2 ? -edges[i / 2] : edges[i / 2];
    for (unsigned m = 0; m < 5; m++) {
        modes[m].store(COUNT, x, r);
        for (unsigned i = 0; i < COUNT; i++) {
            uint16_t wanted = rounded(x[i], modes[m].round);
            bool right = isnan(x[i]) ? (r[i] & 0x7c00) == 0x7c00 && (r[i] & 0x3ff) : r[i] == wanted;
            if (!CHECK(right))
                fprintf(stderr, "    mode %u: %a gives %04x, not %04x\n", m, (double)x[i], r[i], wanted);
        }
    }
    uint16_t h[64];
    for (unsigned i = 0; i < 20; i++) {
        for (unsigned k = 0; k < 64; k++)
            h[k] = (uint16_t)(random64() & 0xfbff);
        CHECK_EQ(half_vectors(x + i * 48, h), 0);
    }
}

/* ---- relations ---- */

#define RELATION1(name) void call_##name(float x, float y, int *r);
#define RELATION2(name) RELATION1(name)
#include "relations.def"
#undef RELATION1
#undef RELATION2

static int ref_isequal(float x, float y)
{
    return x == y;
}
static int ref_isnotequal(float x, float y)
{
    return x != y;
}
static int ref_isgreater(float x, float y)
{
    return x > y;
}
static int ref_isgreaterequal(float x, float y)
{
    return x >= y;
}
static int ref_isless(float x, float y)
{
    return x < y;
}
static int ref_islessequal(float x, float y)
{
    return x <= y;
}
static int ref_islessgreater(float x, float y)
{
    return x < y || x > y;
}
static int ref_isordered(float x, float y)
{
    return !isnan(x) && !isnan(y);
}
static int ref_isunordered(float x, float y)
{
    return isnan(x) || isnan(y);
}
static int ref_isfinite(float x, float y)
{
    return (void)y, isfinite(x) != 0;
}
static int ref_isinf(float x, float y)
{
    return (void)y, isinf(x) != 0;
}
static int ref_isnan(float x, float y)
{
    return (void)y, isnan(x) != 0;
}
static int ref_isnormal(float x, float y)
{
    return (void)y, isnormal(x) != 0;
}
static int ref_signbit(float x, float y)
{
    return (void)y, signbit(x) != 0;
}

static void test_relations(void)
{
    static const float values[] = {0,
                                   -0.0f,
                                   1,
                                   -1,
                                   2,
                                   0x1p-149f,
                                   -0x1p-149f,
                                   0x1.fffffcp-127f,
                                   0x1p-126f,
                                   -0x1p-126f,
                                   0x1.fffffep127f,
                                   -0x1.fffffep127f,
                                   INFINITY,
                                   -INFINITY,
                                   NAN,
                                   -NAN};
    const unsigned count = sizeof(values) / sizeof(values[0]);
    for (unsigned i = 0; i < count * count; i++) {
        float x = values[i % count], y = values[i / count];
        int r[3];
#define RELATION1(name)                                                                                                \
    call_##name(x, y, r);                                                                                              \
    CHECK_EQ(r[0], ref_##name(x, y));                                                                                  \
    CHECK_EQ(r[1], -ref_##name(x, y));                                                                                 \
    CHECK_EQ(r[2], -ref_##name(x, y));
#define RELATION2(name) RELATION1(name)
#include "relations.def"
    }
}

TEST_MAIN(test_char, test_uchar, test_short, test_ushort, test_int, test_uint, test_long, test_ulong, test_float,
          test_select, test_half_load, test_half_store, test_relations)
