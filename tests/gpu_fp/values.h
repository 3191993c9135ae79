/* The exact functions of each format in one table, and the test operands.
 * Needs no C library: lanes_alone.c runs without one. */
#ifndef CY_TESTS_GPU_FP_VALUES_H
#define CY_TESTS_GPU_FP_VALUES_H

#include "gpu/fp/fp.h"

#include <stddef.h>

struct format {
    const char *name;
    int bits, mant, bias;
    uint64_t sign, inf, quiet;
    uint64_t (*add)(struct cy_fp *, uint64_t, uint64_t), (*sub)(struct cy_fp *, uint64_t, uint64_t);
    uint64_t (*mul)(struct cy_fp *, uint64_t, uint64_t), (*div)(struct cy_fp *, uint64_t, uint64_t);
    uint64_t (*min)(struct cy_fp *, uint64_t, uint64_t), (*max)(struct cy_fp *, uint64_t, uint64_t);
    uint64_t (*eq)(struct cy_fp *, uint64_t, uint64_t), (*lt)(struct cy_fp *, uint64_t, uint64_t);
    uint64_t (*le)(struct cy_fp *, uint64_t, uint64_t);
    uint64_t (*sqrt)(struct cy_fp *, uint64_t), (*exp)(struct cy_fp *, uint64_t);
    uint64_t (*rec7)(struct cy_fp *, uint64_t), (*rsqrt7)(struct cy_fp *, uint64_t);
    uint64_t (*fma)(struct cy_fp *, uint64_t, uint64_t, uint64_t);
    int64_t (*to_i)(struct cy_fp *, uint64_t, unsigned), (*to_i_rtz)(struct cy_fp *, uint64_t, unsigned);
    uint64_t (*to_u)(struct cy_fp *, uint64_t, unsigned), (*to_u_rtz)(struct cy_fp *, uint64_t, unsigned);
    uint64_t (*from_i)(struct cy_fp *, int64_t), (*from_u)(struct cy_fp *, uint64_t);
    unsigned (*class)(uint64_t);
};

#define UNARY(f, word, name)                                                                                           \
    static inline uint64_t test_##f##_##name(struct cy_fp *fp, uint64_t a)                                             \
    {                                                                                                                  \
        return cy_##f##_##name(fp, (word)a);                                                                           \
    }
#define BINARY(f, word, name)                                                                                          \
    static inline uint64_t test_##f##_##name(struct cy_fp *fp, uint64_t a, uint64_t b)                                 \
    {                                                                                                                  \
        return cy_##f##_##name(fp, (word)a, (word)b);                                                                  \
    }
#define TO_INTEGER(f, word, name, integer)                                                                             \
    static inline integer test_##f##_##name(struct cy_fp *fp, uint64_t a, unsigned width)                              \
    {                                                                                                                  \
        return cy_##f##_##name(fp, (word)a, width);                                                                    \
    }
#define FORMAT(f, word, mant_bits, exp_bias)                                                                           \
    BINARY(f, word, add)                                                                                               \
    BINARY(f, word, sub)                                                                                               \
    BINARY(f, word, mul)                                                                                               \
    BINARY(f, word, div)                                                                                               \
    BINARY(f, word, min)                                                                                               \
    BINARY(f, word, max)                                                                                               \
    BINARY(f, word, eq)                                                                                                \
    BINARY(f, word, lt)                                                                                                \
    BINARY(f, word, le)                                                                                                \
    UNARY(f, word, sqrt)                                                                                               \
    UNARY(f, word, exp)                                                                                                \
    UNARY(f, word, rec7)                                                                                               \
    UNARY(f, word, rsqrt7)                                                                                             \
    TO_INTEGER(f, word, to_i, int64_t)                                                                                 \
    TO_INTEGER(f, word, to_i_rtz, int64_t)                                                                             \
    TO_INTEGER(f, word, to_u, uint64_t)                                                                                \
    TO_INTEGER(f, word, to_u_rtz, uint64_t)                                                                            \
    static inline uint64_t test_##f##_fma(struct cy_fp *fp, uint64_t a, uint64_t b, uint64_t c)                        \
    {                                                                                                                  \
        return cy_##f##_fma(fp, (word)a, (word)b, (word)c);                                                            \
    }                                                                                                                  \
    static inline uint64_t test_##f##_from_i(struct cy_fp *fp, int64_t a)                                              \
    {                                                                                                                  \
        return cy_##f##_from_i(fp, a);                                                                                 \
    }                                                                                                                  \
    static inline uint64_t test_##f##_from_u(struct cy_fp *fp, uint64_t a)                                             \
    {                                                                                                                  \
        return cy_##f##_from_u(fp, a);                                                                                 \
    }                                                                                                                  \
    static inline unsigned test_##f##_class(uint64_t a)                                                                \
    {                                                                                                                  \
        return cy_##f##_class((word)a);                                                                                \
    }                                                                                                                  \
    static const struct format f = {                                                                                   \
        .name = #f,                                                                                                    \
        .bits = 8 * (int)sizeof(word),                                                                                 \
        .mant = mant_bits,                                                                                             \
        .bias = exp_bias,                                                                                              \
        .sign = UINT64_C(1) << (8 * sizeof(word) - 1),                                                                 \
        .inf = (UINT64_C(2) * exp_bias + 1) << mant_bits,                                                              \
        .quiet = UINT64_C(1) << (mant_bits - 1),                                                                       \
        .add = test_##f##_add,                                                                                         \
        .sub = test_##f##_sub,                                                                                         \
        .mul = test_##f##_mul,                                                                                         \
        .div = test_##f##_div,                                                                                         \
        .min = test_##f##_min,                                                                                         \
        .max = test_##f##_max,                                                                                         \
        .eq = test_##f##_eq,                                                                                           \
        .lt = test_##f##_lt,                                                                                           \
        .le = test_##f##_le,                                                                                           \
        .sqrt = test_##f##_sqrt,                                                                                       \
        .exp = test_##f##_exp,                                                                                         \
        .rec7 = test_##f##_rec7,                                                                                       \
        .rsqrt7 = test_##f##_rsqrt7,                                                                                   \
        .fma = test_##f##_fma,                                                                                         \
        .to_i = test_##f##_to_i,                                                                                       \
        .to_i_rtz = test_##f##_to_i_rtz,                                                                               \
        .to_u = test_##f##_to_u,                                                                                       \
        .to_u_rtz = test_##f##_to_u_rtz,                                                                               \
        .from_i = test_##f##_from_i,                                                                                   \
        .from_u = test_##f##_from_u,                                                                                   \
        .class = test_##f##_class,                                                                                     \
    };

FORMAT(f16, uint16_t, 10, 15)
FORMAT(f32, uint32_t, 23, 127)
FORMAT(f64, uint64_t, 52, 1023)
static const struct format *const formats[] = {&f16, &f32, &f64};
#define FORMATS 3

static inline bool value_is_nan(const struct format *f, uint64_t a)
{
    return (a & ~f->sign) > f->inf;
}

static inline bool value_is_snan(const struct format *f, uint64_t a)
{
    return value_is_nan(f, a) && !(a & f->quiet);
}

/* xorshift64*: the same operands in every run. */
static inline uint64_t random_bits(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* Every kind of special value, and the neighbours of the places where something changes. */
#define MAX_EDGES 128
static inline int edge_values(const struct format *f, uint64_t *values)
{
    uint64_t one = (uint64_t)f->bias << f->mant, normal = UINT64_C(1) << f->mant, ulp = 1;
    uint64_t two_mant = one + ((uint64_t)f->mant << f->mant); /* 2^mant: the last place is worth 1 */
    uint64_t limits[] = {0, 0, 0, 0};                         /* 2^15, 2^31, 2^63 as far as there are such numbers */
    for (int i = 0; i < 4; i++)
        limits[i] = f->bias >= (8 << i) ? one + ((uint64_t)(8 << i) - 1) * normal : one;
    uint64_t positive[] = {
        0,
        ulp,
        2 * ulp,
        3 * ulp,
        normal / 2,
        normal / 2 + 1,
        normal - 2,
        normal - 1,
        normal,
        normal + 1,
        2 * normal - 1,
        2 * normal,
        3 * normal + normal / 2,
        one / 2,
        one - 2 * normal,
        one - normal,
        one - normal / 2,
        one - 2,
        one - 1,
        one,
        one + 1,
        one + 2,
        one + normal / 2 - 1,
        one + normal / 2,
        one + normal / 2 + 1,
        one + normal - 1,
        one + normal,
        one + normal + normal / 2,
        two_mant - normal,
        two_mant - normal + 1,
        two_mant - 1,
        two_mant,
        two_mant + 1,
        two_mant + normal,
        limits[0],
        limits[1] - 1,
        limits[1],
        limits[2] - 1,
        limits[2],
        limits[2] + normal,
        limits[3] - 1,
        limits[3],
        limits[3] + normal,
        f->inf - normal,
        f->inf - 2,
        f->inf - 1,
        f->inf,
        f->inf | f->quiet,
        f->inf | f->quiet | 5,
        f->inf | 1,
        f->inf | (f->quiet - 1),
    };
    int n = 0;
    for (size_t i = 0; i < sizeof(positive) / sizeof(positive[0]); i++) {
        values[n++] = positive[i];
        values[n++] = positive[i] | f->sign;
    }
    return n;
}

/* A random operand: any bits, few bits set or clear in the significand, or an exponent near that of `near` (which
 * makes cancellations) or near where the product with `near` leaves the range of normal numbers. */
static inline uint64_t random_operand(const struct format *f, uint64_t *state, uint64_t near)
{
    uint64_t bits = random_bits(state) >> (64 - f->bits), kind = random_bits(state) >> 60;
    uint64_t fraction = bits & ((UINT64_C(1) << f->mant) - 1);
    int max_exp = 2 * f->bias, near_exp = (int)(near >> f->mant) & (max_exp + 1);
    if (kind & 1) { /* a run of equal bits above or below */
        int n = (int)(random_bits(state) % (uint64_t)(f->mant + 1));
        uint64_t run = (UINT64_C(1) << n) - 1;
        fraction = kind & 2 ? fraction & ~run : fraction | run;
        if (kind & 4)
            fraction ^= ((UINT64_C(1) << f->mant) - 1) & ~run & (bits >> 3);
    }
    int exp = (int)((bits & ~f->sign) >> f->mant);
    int spread = (int)(random_bits(state) % 8) - 4;
    switch (kind >> 2) {
    case 0: exp = near_exp + spread; break;
    case 1: exp = f->bias + 1 - near_exp + spread; break;                 /* product near the smallest normal number */
    case 2: exp = near_exp + (int)(random_bits(state) % 130) - 65; break; /* the smaller one is partly shifted out */
    default: break;
    }
    exp = exp < 0 ? 0 : exp > max_exp + 1 ? max_exp : exp;
    return (bits & f->sign) | (uint64_t)exp << f->mant | fraction;
}

#undef UNARY
#undef BINARY
#undef TO_INTEGER
#undef FORMAT
#endif
