/* Rows on register pairs, as compilers emit them for doubles and addresses: whole-warp loops, floating point on the host's
 * unit in round to nearest even.  Everything else on pairs (other integer rows, odd registers, rounding modes, masks, flags
 * that are read) goes to cy_exec_vector_generic. */
#include "gpu/engine/engine_priv.h"
#include "gpu/engine/levels.h"
#include "gpu/fp/fp64_native.h"
#include "isa/shapes.h"

#define f_add(x, y) d_add(x, y)
#define f_sub(x, y) d_sub(x, y)
#define f_mul(x, y) d_mul(x, y)
#define f_div(x, y) d_div(x, y)
#define f_sqrt(x) d_sqrt(x)
#define f_fma(x, y, z) d_fma(&fp, x, y, z)
#define f_min(x, y) d_min(x, y)
#define f_max(x, y) d_max(x, y)
#define f_eq(x, y) d_eq(x, y)
#define f_lt(x, y) d_lt(x, y)
#define f_le(x, y) d_le(x, y)
#define f_neg(x) cy_f64_neg(x)
#define f_sgnj(x, y) cy_f64_sgnj(x, y)
#define f_sgnjn(x, y) cy_f64_sgnjn(x, y)
#define f_sgnjx(x, y) cy_f64_sgnjx(x, y)
#define f_from_i(x) d_from_i(x)
#define f_from_u(x) d_from_u(x)
#define f_to_i_rtz(x) d_to_i_rtz(x)
#define f_to_u_rtz(x) d_to_u_rtz(x)
/* without a host instruction: exact */
#define f_to_i(x) cy_f64_to_i(&fp, x, 64)
#define f_to_u(x) cy_f64_to_u(&fp, x, 64)
#define f_class(x) cy_f64_class(x)
#define f_rec7(x) cy_f64_rec7(&fp, x)
#define f_rsqrt7(x) cy_f64_rsqrt7(&fp, x)
#define f_exp(x) cy_f64_exp(&fp, x)

/* The low words of a pair are in row R, the high ones in the next. */
#define PAIR(R) ((uint64_t)(R)[n + i] << 32 | (R)[i])
#define QUIET(x) (partial ? d_quiet(x, mask[i]) : (x))

/* In groups whose results are stored together, as in exec_lanes.c. */
#define GROUP (__builtin_constant_p(n) ? CY_GROUP : 4u)
#define BLEND(value, old) (partial ? ((value)&mask[i]) | ((old) & ~mask[i]) : (value))
#define BODY(id, b_is_all, is_bit, ...)                                                                                \
    static inline __attribute__((always_inline))                                                                       \
    const struct cy_uop *body_##id(struct cy_warp *w, const struct cy_uop *u, const unsigned n, const bool partial)    \
    {                                                                                                                  \
        uint32_t *const D = w->v + (size_t)u->d * n;                                                                   \
        const uint32_t *const A = w->v + (size_t)u->a * n, *const B = w->v + (size_t)u->b * n;                         \
        const uint32_t *const mask = w->lane_mask;                                                                     \
        (void)A, (void)mask;                                                                                           \
        for (unsigned first = 0; first < n; first += GROUP) {                                                          \
            uint64_t out[CY_GROUP];                                                                                    \
            for (unsigned k = 0; k < GROUP; k++) {                                                                     \
                const unsigned i = first + k;                                                                          \
                const uint64_t b = QUIET(PAIR(B)), a = b_is_all ? b : QUIET(PAIR(A)), d = is_bit ? 0 : QUIET(PAIR(D)); \
                struct cy_fp fp = {CY_FP_RNE, 0};                                                                      \
                (void)a, (void)d, (void)fp;                                                                            \
                out[k] = (uint64_t)(__VA_ARGS__);                                                                      \
            }                                                                                                          \
            for (unsigned k = 0; k < GROUP; k++) {                                                                     \
                const unsigned i = first + k;                                                                          \
                D[i] = BLEND((uint32_t)out[k], D[i]);                                                                  \
                if (!is_bit)                                                                                           \
                    D[n + i] = BLEND((uint32_t)(out[k] >> 32), D[n + i]);                                              \
            }                                                                                                          \
        }                                                                                                              \
        return cy_next(u);                                                                                             \
    }                                                                                                                  \
    ONE_HANDLER(full32, id, 32, false)                                                                                 \
    ONE_HANDLER(part32, id, 32, true)                                                                                  \
    ONE_HANDLER(full, id, w->numt, false)                                                                              \
    ONE_HANDLER(part, id, w->numt, true)
#define ONE_HANDLER(name, id, lanes, partial)                                                                          \
    static const struct cy_uop *name##_##id(struct cy_warp *w, const struct cy_uop *u, uint64_t left)                  \
    {                                                                                                                  \
        return cy_then(w, body_##id(w, u, lanes, partial), left);                                                      \
    }

/* The shapes that have a loop: PICK gives the second of what follows if the name is defined, else the third. */
#define SECOND(first, second, ...) second
#define PICK(...) SECOND(__VA_ARGS__)
#define IS_FVV_FP ~, LOOP_FVV
#define IS_FVV_FPBIT ~, LOOP_BIT
#define IS_F1_FP ~, LOOP_F1
#define LANES(loop, eval, a, b, d) PICK(IS_##loop##_##eval, LOOP_NONE, ~)
#define LOOP_FVV(id, ...) BODY(id, false, false, __VA_ARGS__)
#define LOOP_BIT(id, ...) BODY(id, false, true, __VA_ARGS__)
#define LOOP_F1(id, ...) BODY(id, true, false, __VA_ARGS__)
#define LOOP_NONE(id, ...)

#define APPLY(macro, ...) macro(__VA_ARGS__)
#define EXPR(id, mnemonic, format, match, gens, sched, flags, ...) APPLY(CY_SHAPE_##format, id, __VA_ARGS__)
#define HOOK(...)
#include "isa/rvv.def"
#include "isa/ventus.def"
#undef EXPR

/* Sums and differences, for addresses: word by word, which takes less shuffling than 64-bit lanes.  An odd scalar
 * register is sign-extended. */
#define SCALAR_PAIR                                                                                                    \
    (u->a & 1 ? (uint64_t)(int64_t)(int32_t)w->x[u->a] : u->a ? (uint64_t)w->x[u->a + 1] << 32 | w->x[u->a] : 0)
#define SUM_BODY(id, x, a_low, a_high, low_, high_)                                                                    \
    static inline __attribute__((always_inline))                                                                       \
    const struct cy_uop *body_##id(struct cy_warp *w, const struct cy_uop *u, const unsigned n, const bool partial)    \
    {                                                                                                                  \
        uint32_t *const D = w->v + (size_t)u->d * n;                                                                   \
        const uint32_t *const A = w->v + (size_t)u->a * n, *const B = w->v + (size_t)u->b * n;                         \
        const uint32_t *const mask = w->lane_mask;                                                                     \
        const uint64_t X = (x);                                                                                        \
        (void)A, (void)mask, (void)X;                                                                                  \
        for (unsigned first = 0; first < n; first += GROUP) {                                                          \
            uint32_t lows[CY_GROUP], highs[CY_GROUP];                                                                  \
            for (unsigned k = 0; k < GROUP; k++) {                                                                     \
                const unsigned i = first + k;                                                                          \
                const uint32_t a = (a_low), b = B[i], low = (low_);                                                    \
                lows[k] = low;                                                                                         \
                highs[k] = (high_);                                                                                    \
            }                                                                                                          \
            for (unsigned k = 0; k < GROUP; k++) {                                                                     \
                const unsigned i = first + k;                                                                          \
                D[i] = BLEND(lows[k], D[i]);                                                                           \
                D[n + i] = BLEND(highs[k], D[n + i]);                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        return cy_next(u);                                                                                             \
    }                                                                                                                  \
    ONE_HANDLER(full32, id, 32, false)                                                                                 \
    ONE_HANDLER(part32, id, 32, true)                                                                                  \
    ONE_HANDLER(full, id, w->numt, false)                                                                              \
    ONE_HANDLER(part, id, w->numt, true)
#define ADD_BODY(id, x, a_low, a_high) SUM_BODY(id, x, a_low, a_high, b + a, B[n + i] + (a_high) + (low < a))
#define SUB_BODY(id, x, a_low, a_high) SUM_BODY(id, x, a_low, a_high, b - a, B[n + i] - (a_high) - (b < a))
ADD_BODY(vadd_vv, 0, A[i], A[n + i])
ADD_BODY(vadd_vx, SCALAR_PAIR, (uint32_t)X, (uint32_t)(X >> 32))
ADD_BODY(vadd_vi, (uint64_t)(int64_t)u->imm, (uint32_t)X, (uint32_t)(X >> 32))
SUB_BODY(vsub_vv, 0, A[i], A[n + i])
SUB_BODY(vsub_vx, SCALAR_PAIR, (uint32_t)X, (uint32_t)(X >> 32))

#undef LANES
#undef IS_FVV_FP
#undef IS_FVV_FPBIT
#undef IS_F1_FP
#define IS_FVV_FP ~, ROW_FAST
#define IS_FVV_FPBIT ~, ROW_FAST
#define IS_F1_FP ~, ROW_FAST
#define LANES(loop, eval, a, b, d) PICK(IS_##loop##_##eval, ROW_NONE, ~)
#define ROW_FAST(id, full, part) [CY_OP_##id] = {{full##_##id, part##_##id, cy_exec_vector_generic}},
#define ROW_NONE(id, full, part)

extern const struct cy_handlers CY_OF_LEVEL(cy_pair32_handlers, CY_LEVEL)[CY_OP_COUNT];
const struct cy_handlers CY_OF_LEVEL(cy_pair32_handlers, CY_LEVEL)[CY_OP_COUNT] = {
#define EXPR(id, mnemonic, format, ...) APPLY(CY_SHAPE_##format, id, full32, part32)
#include "isa/rvv.def"
#include "isa/ventus.def"
#undef EXPR
    ROW_FAST(vadd_vv, full32, part32) ROW_FAST(vadd_vx, full32, part32) ROW_FAST(vadd_vi, full32, part32)
        ROW_FAST(vsub_vv, full32, part32) ROW_FAST(vsub_vx, full32, part32)};
extern const struct cy_handlers CY_OF_LEVEL(cy_pair_handlers, CY_LEVEL)[CY_OP_COUNT];
const struct cy_handlers CY_OF_LEVEL(cy_pair_handlers, CY_LEVEL)[CY_OP_COUNT] = {
#define EXPR(id, mnemonic, format, ...) APPLY(CY_SHAPE_##format, id, full, part)
#include "isa/rvv.def"
#include "isa/ventus.def"
#undef EXPR
    ROW_FAST(vadd_vv, full, part) ROW_FAST(vadd_vx, full, part) ROW_FAST(vadd_vi, full, part)
        ROW_FAST(vsub_vv, full, part) ROW_FAST(vsub_vx, full, part)};
