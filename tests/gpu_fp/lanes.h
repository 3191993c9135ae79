/* The helpers of fp32_native.h, in loops over the lanes of a warp as the engine has them, against the exact functions:
 * results and flags of every helper.  Needs no C library: lanes.c runs it on this host, lanes_alone.c for another. */
#ifndef CY_TESTS_GPU_FP_LANES_H
#define CY_TESTS_GPU_FP_LANES_H

#include "gpu/fp/fp32_native.h"
#include "values.h"

#define LANES 32

/* Defined by the program that runs the checks: a result differs. */
struct difference {
    const char *name;
    uint32_t a, b, c, got, expected;
    unsigned got_flags, expected_flags;
};
static void lanes_differ(const struct difference *difference);

struct helper {
    const char *name;
    int operands;
    bool underflows; /* and may do so wrongly: rule 4 of fp32_native.h */
    void (*run)(uint32_t *restrict d, const uint32_t *restrict a, const uint32_t *restrict b,
                const uint32_t *restrict c);
    uint32_t (*exact)(struct cy_fp *fp, uint32_t a, uint32_t b, uint32_t c);
};

/* One row for each helper: HELPER(name, operands, underflows, helper of one lane, exact function). */
#define HELPERS                                                                                                        \
    HELPER(add, 2, false, h_add(a[i], b[i]), cy_f32_add(fp, a, b))                                                     \
    HELPER(sub, 2, false, h_sub(a[i], b[i]), cy_f32_sub(fp, a, b))                                                     \
    HELPER(mul, 2, true, h_mul(a[i], b[i]), cy_f32_mul(fp, a, b))                                                      \
    HELPER(div, 2, false, h_div(a[i], b[i]), cy_f32_div(fp, a, b))                                                     \
    HELPER(sqrt, 1, false, h_sqrt(a[i]), cy_f32_sqrt(fp, a))                                                           \
    HELPER(fma, 3, true, h_fma(a[i], b[i], c[i]), cy_f32_fma(fp, a, b, c))                                             \
    HELPER(fmsub, 3, true, h_fma(a[i], b[i], h_neg(c[i])), cy_f32_fma(fp, a, b, cy_f32_neg(c)))                        \
    HELPER(fnmadd, 3, true, h_fma(h_neg(a[i]), b[i], h_neg(c[i])), cy_f32_fma(fp, cy_f32_neg(a), b, cy_f32_neg(c)))    \
    HELPER(fnmsub, 3, true, h_fma(h_neg(a[i]), b[i], c[i]), cy_f32_fma(fp, cy_f32_neg(a), b, c))                       \
    HELPER(min, 2, false, h_min(a[i], b[i]), cy_f32_min(fp, a, b))                                                     \
    HELPER(max, 2, false, h_max(a[i], b[i]), cy_f32_max(fp, a, b))                                                     \
    HELPER(eq, 2, false, h_eq(a[i], b[i]), cy_f32_eq(fp, a, b))                                                        \
    HELPER(ne, 2, false, !h_eq(a[i], b[i]), !cy_f32_eq(fp, a, b))                                                      \
    HELPER(lt, 2, false, h_lt(a[i], b[i]), cy_f32_lt(fp, a, b))                                                        \
    HELPER(le, 2, false, h_le(a[i], b[i]), cy_f32_le(fp, a, b))                                                        \
    HELPER(gt, 2, false, h_lt(b[i], a[i]), cy_f32_lt(fp, b, a))                                                        \
    HELPER(sgnj, 2, false, h_sgnj(a[i], b[i]), cy_f32_sgnj(a, b))                                                      \
    HELPER(sgnjn, 2, false, h_sgnjn(a[i], b[i]), cy_f32_sgnjn(a, b))                                                   \
    HELPER(sgnjx, 2, false, h_sgnjx(a[i], b[i]), cy_f32_sgnjx(a, b))                                                   \
    HELPER(class, 1, false, h_class(a[i]), cy_f32_class(a))                                                            \
    HELPER(from_i, 1, false, h_from_i(a[i]), cy_f32_from_i(fp, (int32_t)a))                                            \
    HELPER(from_u, 1, false, h_from_u(a[i]), cy_f32_from_u(fp, a))                                                     \
    HELPER(to_i, 1, false, h_to_i(a[i]), (uint32_t)cy_f32_to_i(fp, a, 32))                                             \
    HELPER(to_u, 1, false, h_to_u(a[i]), (uint32_t)cy_f32_to_u(fp, a, 32))                                             \
    HELPER(to_i_rtz, 1, false, h_to_i_rtz(a[i]), (uint32_t)cy_f32_to_i_rtz(fp, a, 32))                                 \
    HELPER(to_u_rtz, 1, false, h_to_u_rtz(a[i]), (uint32_t)cy_f32_to_u_rtz(fp, a, 32))

#define HELPER(name, operands, underflows, lane, exact)                                                                \
    static __attribute__((noinline)) void run_##name(uint32_t *restrict d, const uint32_t *restrict a,                 \
                                                     const uint32_t *restrict b, const uint32_t *restrict c)           \
    {                                                                                                                  \
        (void)b, (void)c;                                                                                              \
        for (int i = 0; i < LANES; i++)                                                                                \
            d[i] = lane;                                                                                               \
    }                                                                                                                  \
    static uint32_t exact_##name(struct cy_fp *fp, uint32_t a, uint32_t b, uint32_t c)                                 \
    {                                                                                                                  \
        (void)fp, (void)b, (void)c;                                                                                    \
        return exact;                                                                                                  \
    }
HELPERS
#undef HELPER

#define HELPER(name, operands, underflows, lane, exact) {#name, operands, underflows, run_##name, exact_##name},
static const struct helper helpers[] = {HELPERS};
#undef HELPER
#define HELPER_COUNT (sizeof(helpers) / sizeof(helpers[0]))

struct warp {
    uint32_t a[LANES], b[LANES], c[LANES], d[LANES];
};

/* 0 * inf + NaN: NV is left open by rule 5. */
static bool is_open(const struct helper *helper, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t infinity = UINT32_C(0x7f800000);
    a &= 0x7fffffff, b &= 0x7fffffff, c &= 0x7fffffff;
    return FP_HOST_FMA && !FP_HOST_FMA_NV && helper->operands == 3 && c > infinity &&
           ((a == 0 && b == infinity) || (a == infinity && b == 0));
}

/* Runs one instruction as the engine does, with rule 4, and compares the lanes of `active`: their results, and the
 * flags that they raise together.  Without rule 4, UF may only be wrong as the rule says; NV only as rule 5 says. */
static void check_warp(const struct helper *helper, struct warp *w, uint32_t active)
{
    struct cy_fp fp = {CY_FP_RNE, 0};
    uint32_t expected[LANES];
    bool smallest_normal = false;
    unsigned compared = ~0u;
    for (int i = 0; i < LANES; i++)
        if (active >> i & 1) {
            expected[i] = helper->exact(&fp, w->a[i], w->b[i], w->c[i]);
            smallest_normal |= (expected[i] & 0x7fffffff) == 0x00800000;
            if (is_open(helper, w->a[i], w->b[i], w->c[i]))
                compared = ~(unsigned)CY_FP_NV;
        }
    struct warp quiet = *w;
    for (int i = 0; i < LANES && active != UINT32_MAX; i++) {
        uint32_t mask = active >> i & 1 ? UINT32_MAX : 0;
        quiet.a[i] = h_quiet(w->a[i], mask);
        quiet.b[i] = h_quiet(w->b[i], mask);
        quiet.c[i] = h_quiet(w->c[i], mask);
    }
    fp_host_flags_clear();
    helper->run(w->d, quiet.a, quiet.b, quiet.c);
    unsigned raw = fp_host_flags_get(), flags = 0;
    if (helper->underflows && fp_host_underflow_suspect()) {
        struct cy_fp again = {CY_FP_RNE, 0};
        fp_host_underflow_clear();
        for (int i = 0; i < LANES; i++)
            if (active >> i & 1)
                helper->exact(&again, w->a[i], w->b[i], w->c[i]);
        flags = again.flags;
    }
    flags |= fp_host_flags_get();
    flags &= compared, raw &= compared, fp.flags &= (uint8_t)compared;
    bool excused = helper->underflows && smallest_normal && (raw ^ fp.flags) == CY_FP_UF && raw & CY_FP_UF;
    bool flags_differ = flags != fp.flags || (raw != fp.flags && !excused);
    for (int i = 0; i < LANES; i++)
        if (active >> i & 1 && (flags_differ || w->d[i] != expected[i])) {
            lanes_differ(&(struct difference){helper->name, w->a[i], w->b[i], w->c[i], w->d[i], expected[i],
                                              flags == fp.flags ? raw : flags, fp.flags});
            return;
        }
}

/* The same operands in every lane: the flags are those of this case alone. */
static void check_case(const struct helper *helper, uint32_t a, uint32_t b, uint32_t c)
{
    struct warp w;
    for (int i = 0; i < LANES; i++) {
        w.a[i] = a;
        w.b[i] = b;
        w.c[i] = c;
    }
    check_warp(helper, &w, UINT32_MAX);
}

/* Results that round up to the smallest normal number: where hosts differ about UF. */
static void check_underflow(const struct helper *helper, uint64_t *state)
{
    for (int i = 0; i < 64; i++) {
        /* a and b about 2^-63, their product about 2^-126. */
        uint32_t a = UINT32_C(0x20000000) | (uint32_t)(random_bits(state) >> 41);
        struct cy_fp fp = {CY_FP_RNE, 0};
        uint32_t b = cy_f32_div(&fp, i & 1 ? 0x00800000 : 0x80800000, a);
        for (uint32_t delta = 0; delta < 5; delta++) {
            check_case(helper, a, b - 2 + delta, 0);
            check_case(helper, a, b - 2 + delta, 1 + delta);
            check_case(helper, a, b - 2 + delta, 0x80000001 + delta);
        }
    }
}

/* Quotients about the smallest normal number: m / (m + 1) * 2^-126 is as close to it as they come. */
static void check_quotients(const struct helper *helper, uint64_t *state)
{
    for (int i = 0; i < 2000; i++) {
        uint32_t m = (uint32_t)(random_bits(state) >> 41);
        m = i < 4 ? 0x7ffffc + (uint32_t)i : m;
        for (uint32_t delta = 0; delta < 5; delta++)
            check_case(helper, UINT32_C(0x20000000) + m - 2 + delta, UINT32_C(0x5f000000) | m, 0);
    }
}

/* `step`: every so many of the edge values, for the second and third operand. */
static void lanes_check(unsigned random_cases, int step)
{
    struct fp_host_saved saved;
    uint64_t edges[MAX_EDGES], state = UINT64_C(0x123456789abcdef);
    int count = edge_values(&f32, edges);
    fp_host_begin(&saved);
    for (size_t n = 0; n < HELPER_COUNT; n++) {
        const struct helper *h = &helpers[n];
        for (int i = 0; i < count; i++)
            for (int j = i % step; j < (h->operands > 1 ? count : step); j += step)
                for (int k = (i + j) % (2 * step); k < (h->operands > 2 ? count : 2 * step); k += 2 * step)
                    check_case(h, (uint32_t)edges[i], (uint32_t)edges[j], (uint32_t)edges[k]);
        if (h->underflows)
            check_underflow(h, &state);
        if (h->run == run_div)
            check_quotients(h, &state);
        for (unsigned i = 0; i < random_cases; i++) {
            uint32_t a = (uint32_t)random_operand(&f32, &state, 0x3f800000 + (i % 64 << 23));
            uint32_t b = (uint32_t)random_operand(&f32, &state, a), c = 0;
            if (h->operands == 3) {
                struct cy_fp fp = {CY_FP_RNE, 0};
                uint32_t product = cy_f32_mul(&fp, a, b);
                c = i % 8 ? (uint32_t)random_operand(&f32, &state, product) : product ^ 0x80000000;
            }
            check_case(h, a, b, c);
        }
        /* Different operands in each lane, all lanes and some of them. */
        for (unsigned i = 0; i < random_cases / 8; i++) {
            struct warp w;
            for (int lane = 0; lane < LANES; lane++) {
                w.a[lane] = (uint32_t)random_operand(&f32, &state, 0x3f800000);
                w.b[lane] = (uint32_t)random_operand(&f32, &state, w.a[lane]);
                w.c[lane] = (uint32_t)random_operand(&f32, &state, w.b[lane]);
            }
            uint32_t mask = i % 2 ? UINT32_MAX : (uint32_t)random_bits(&state);
            mask &= i % 2 ? UINT32_MAX : (uint32_t)random_bits(&state);
            check_warp(h, &w, mask);
        }
    }
    fp_host_end(&saved);
}

#endif
