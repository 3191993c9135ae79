/* Vector expressions at SEW 32, the case compilers emit: whole-warp loops that the C compiler vectorises.
 *
 * Every row has four handlers: all lanes or some, for 32 lanes (a constant, so that the compiler unrolls) or any
 * number.  With some lanes inactive the value is computed for all and blended.  Then these raise floating-point flags, too: code that
 * reads them does not get here (code.c).  Rows without a loop here (carries, fixed point, widening ...) and every row in other
 * modes go to cy_exec_vector_generic. */
#include "gpu/engine/engine_priv.h"
#include "gpu/fp/fp.h"
#include "gpu/fp/fp32_native.h"
#include "gpu/engine/int_ops.h"
#include "isa/shapes.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define SEW 32
#define FN(name) name##_32
#define VXRM w->vxrm
#define SAT &sat /* of one lane: inactive lanes do not set it */
#include "gpu/engine/expr_int.h"
#include "gpu/engine/expr_fp_host.h"

/* Where the divisor is the same for all lanes. */
#undef u_div
#undef u_rem
#undef i_div
#undef i_rem
#define u_div(x, y) (is_uniform ? u_div_by(x, y, by) : u_div_32(x, y))
#define u_rem(x, y) (is_uniform ? u_rem_by(x, y, by) : u_rem_32(x, y))
#define i_div(x, y) (is_uniform ? i_div_by((uint32_t)(x), (uint32_t)(y), by_magnitude) : i_div_32(x, y))
#define i_rem(x, y) (is_uniform ? i_rem_by((uint32_t)(x), (uint32_t)(y), by_magnitude) : i_rem_32(x, y))

#define ONE 0x3f800000u /* a source that the row lacks */

/* Sources of a lane.  A, B, D point to rows; X is a scalar or immediate for all lanes. */
#define ROWS                                                                                                           \
    uint32_t *const D = w->v + (size_t)u->d * n;                                                                       \
    const uint32_t *const A = w->v + (size_t)u->a * n, *const B = w->v + (size_t)u->b * n;                             \
    const uint32_t *const mask = w->lane_mask;                                                                         \
    (void)A, (void)B, (void)mask;
#define WORDS(a_, b_)                                                                                                  \
    const uint32_t a = (a_), b = (b_), d = D[i];                                                                       \
    const int32_t sa = (int32_t)a, sb = (int32_t)b;                                                                    \
    (void)a, (void)b, (void)d, (void)sa, (void)sb;

/* The four handlers of a row: body(w, u, n, partial). */
#define ONE_HANDLER(name, id, lanes, partial)                                                                          \
    static const struct cy_uop *name##_##id(struct cy_warp *w, const struct cy_uop *u, uint64_t left)                  \
    {                                                                                                                  \
        return cy_then(w, body_##id(w, u, lanes, partial), left);                                                      \
    }
#define HANDLERS(id)                                                                                                   \
    ONE_HANDLER(full32, id, 32, false)                                                                                 \
    ONE_HANDLER(part32, id, 32, true)                                                                                  \
    ONE_HANDLER(full, id, w->numt, false)                                                                              \
    ONE_HANDLER(part, id, w->numt, true)
#define BODY(id)                                                                                                       \
    ALWAYS_INLINE const struct cy_uop *body_##id(struct cy_warp *w, const struct cy_uop *u, unsigned n, bool partial)

/* Lanes are processed in groups whose results are stored together: a row's destination may be one of its sources, and
 * stores between loads would keep the compiler from combining either.  EACH_LANE(i) ... PUT(value) ... END_LANES */
#define GROUP (__builtin_constant_p(n) ? CY_GROUP : 4u)
#define EACH_LANE                                                                                                      \
    for (unsigned first = 0; first < n; first += GROUP) {                                                              \
        uint32_t out[CY_GROUP];                                                                                        \
        for (unsigned k = 0; k < GROUP; k++) {                                                                         \
            const unsigned i = first + k;
#define PUT(value) out[k] = (value)
#define END_LANES                                                                                                      \
    }                                                                                                                  \
    for (unsigned k = 0; k < GROUP; k++)                                                                               \
        D[first + k] = out[k];                                                                                         \
    }
#define BLEND(value) (partial ? ((value)&mask[i]) | (D[i] & ~mask[i]) : (value))
#define LANE_LOOP(id, uniform, x, a_, b_, ...)                                                                         \
    BODY(id)                                                                                                           \
    {                                                                                                                  \
        ROWS const uint32_t X = (x);                                                                                   \
        const bool is_uniform = uniform;                                                                               \
        const struct cy_divisor by = cy_divisor_of(X), by_magnitude = cy_divisor_of(cy_magnitude(X));                  \
        uint32_t saturated = 0;                                                                                        \
        (void)X, (void)is_uniform, (void)by, (void)by_magnitude;                                                       \
        EACH_LANE                                                                                                      \
        uint8_t sat = 0;                                                                                               \
        WORDS(a_, b_)                                                                                                  \
        const uint32_t value = (uint32_t)(__VA_ARGS__);                                                                \
        PUT(BLEND(value));                                                                                             \
        saturated |= partial ? sat & mask[i] : sat;                                                                    \
        END_LANES                                                                                                      \
        w->vxsat |= (uint8_t)saturated;                                                                                \
        return cy_next(u);                                                                                             \
    }                                                                                                                  \
    HANDLERS(id)

#define LANE_VV(id, ...) LANE_LOOP(id, false, 0, A[i], B[i], __VA_ARGS__)
#define LANE_VX(id, ...) LANE_LOOP(id, true, w->x[u->a], X, B[i], __VA_ARGS__)
#define LANE_VI(id, ...) LANE_LOOP(id, true, (uint32_t)u->imm, X, B[i], __VA_ARGS__)
#define LANE_MVV(id, ...) LANE_LOOP(id, false, 0, A[i], 0, __VA_ARGS__)
#define LANE_MVX(id, ...) LANE_LOOP(id, true, w->x[u->a], X, 0, __VA_ARGS__)
#define LANE_MVI(id, ...) LANE_LOOP(id, true, (uint32_t)u->imm, X, 0, __VA_ARGS__)
#define LANE_VI12(id, ...)                                                                                             \
    BODY(id)                                                                                                           \
    {                                                                                                                  \
        ROWS const uint32_t imm = (uint32_t)u->imm;                                                                    \
        EACH_LANE                                                                                                      \
        const uint32_t a = A[i], value = (__VA_ARGS__);                                                                \
        PUT(BLEND(value));                                                                                             \
        END_LANES                                                                                                      \
        return cy_next(u);                                                                                             \
    }                                                                                                                  \
    HANDLERS(id)

/* Widening: the result is a pair of rows, which must start at an even one. */
#define WIDE_HANDLER(name, id, lanes, partial)                                                                         \
    static const struct cy_uop *name##_##id(struct cy_warp *w, const struct cy_uop *u, uint64_t left)                  \
    {                                                                                                                  \
        if (CY_UNLIKELY(u->d & 1))                                                                                     \
            return cy_exec_vector_generic(w, u, left);                                                                 \
        return cy_then(w, body_##id(w, u, lanes, partial), left);                                                      \
    }
#define WIDE_LOOP(id, x, a_, ...)                                                                                      \
    BODY(id)                                                                                                           \
    {                                                                                                                  \
        ROWS uint32_t *const high = D + n;                                                                             \
        const uint32_t X = (x);                                                                                        \
        (void)X;                                                                                                       \
        for (unsigned first = 0; first < n; first += GROUP) {                                                          \
            uint64_t out[CY_GROUP];                                                                                    \
            for (unsigned k = 0; k < GROUP; k++) {                                                                     \
                const unsigned i = first + k;                                                                          \
                const uint64_t wa = (a_), wb = B[i];                                                                   \
                const uint64_t swa = (uint64_t)(int64_t)(int32_t)wa, swb = (uint64_t)(int64_t)(int32_t)wb;             \
                (void)wa, (void)wb, (void)swa, (void)swb;                                                              \
                out[k] = (uint64_t)(__VA_ARGS__);                                                                      \
            }                                                                                                          \
            for (unsigned k = 0; k < GROUP; k++) {                                                                     \
                const unsigned i = first + k;                                                                          \
                const uint32_t bottom = (uint32_t)out[k], top = (uint32_t)(out[k] >> 32);                              \
                D[i] = BLEND(bottom);                                                                                  \
                high[i] = partial ? (top & mask[i]) | (high[i] & ~mask[i]) : top;                                      \
            }                                                                                                          \
        }                                                                                                              \
        return cy_next(u);                                                                                             \
    }                                                                                                                  \
    WIDE_HANDLER(full32, id, 32, false)                                                                                \
    WIDE_HANDLER(part32, id, 32, true)                                                                                 \
    WIDE_HANDLER(full, id, w->numt, false)                                                                             \
    WIDE_HANDLER(part, id, w->numt, true)
#define LANE_WVV(id, ...) WIDE_LOOP(id, 0, A[i], __VA_ARGS__)
#define LANE_WVX(id, ...) WIDE_LOOP(id, w->x[u->a], X, __VA_ARGS__)

/* Floating point: host arithmetic, round to nearest even (other modes are CY_MODE_GENERAL). */
#define FLOAT_LOOP(id, x, a_, b_, ...)                                                                                 \
    BODY(id)                                                                                                           \
    {                                                                                                                  \
        ROWS const uint32_t X = (x);                                                                                   \
        uint32_t flags = 0;                                                                                            \
        (void)X;                                                                                                       \
        EACH_LANE                                                                                                      \
        const uint32_t a = (a_), b = (b_), d = D[i];                                                                   \
        struct cy_fp fp = {CY_FP_RNE, 0}; /* for operations not computed on the host's unit */                         \
        (void)a, (void)b, (void)d, (void)fp;                                                                           \
        const uint32_t value = (uint32_t)(__VA_ARGS__);                                                                \
        PUT(BLEND(value));                                                                                             \
        flags |= partial ? fp.flags & mask[i] : fp.flags;                                                              \
        END_LANES                                                                                                      \
        w->fflags |= (uint8_t)flags;                                                                                   \
        return cy_next(u);                                                                                             \
    }                                                                                                                  \
    HANDLERS(id)
#define LANE_FVV(id, ...) FLOAT_LOOP(id, 0, A[i], B[i], __VA_ARGS__)
#define LANE_FVF(id, ...) FLOAT_LOOP(id, w->x[u->a], X, B[i], __VA_ARGS__)
#define LANE_F1(id, ...) FLOAT_LOOP(id, 0, ONE, B[i], __VA_ARGS__)

/* The lanes diverge, or somebody looks: a function of its own, so that others save no registers. */
static __attribute__((noinline)) const struct cy_uop *split(struct cy_warp *w, const struct cy_uop *u, uint64_t left,
                                                            uint64_t taken)
{
    return cy_then(w, cy_simt_branch(w, u, taken), left);
}

/* If the lanes agree: a separate host branch per row, for better prediction. */
ALWAYS_INLINE const struct cy_uop *branch(struct cy_warp *w, const struct cy_uop *u, uint64_t left, uint64_t taken)
{
    if (CY_LIKELY(!w->run->observer)) {
        if (!taken)
            return cy_then(w, cy_next(u), left);
        if (CY_LIKELY(taken == w->active && cy_is_near(u)))
            return cy_then(w, u + (u->imm >> 1), left);
    }
    return split(w, u, left, taken);
}

/* Vector branches: the condition of every lane, packed. */
#ifdef __AVX2__
#include "gpu/engine/lanes_x86.h"
/* The row's condition, applied to vectors of eight lanes. */
#define LANE_BITS32(id, ...)                                                                                           \
    ALWAYS_INLINE uint32_t bits32_##id(const uint32_t *A, const uint32_t *B)                                           \
    {                                                                                                                  \
        typedef int32_t signed_eight __attribute__((vector_size(32)));                                                 \
        cy_eight is_taken[4];                                                                                          \
        for (unsigned i = 0; i < 4; i++) {                                                                             \
            cy_eight a, b;                                                                                             \
            memcpy(&a, A + 8 * i, sizeof(a));                                                                          \
            memcpy(&b, B + 8 * i, sizeof(b));                                                                          \
            const signed_eight sa = (signed_eight)a, sb = (signed_eight)b;                                             \
            (void)sa, (void)sb;                                                                                        \
            is_taken[i] = (cy_eight)(__VA_ARGS__);                                                                     \
        }                                                                                                              \
        return cy_eight_bits(is_taken);                                                                                \
    }
#define HAS_BITS32 true
#else
#define LANE_BITS32(id, ...)                                                                                           \
    ALWAYS_INLINE uint32_t bits32_##id(const uint32_t *A, const uint32_t *B)                                           \
    {                                                                                                                  \
        (void)A, (void)B;                                                                                              \
        return 0;                                                                                                      \
    }
#define HAS_BITS32 false
#endif
#define BRANCH_HANDLER(name, id, lanes)                                                                                \
    static const struct cy_uop *name##_##id(struct cy_warp *w, const struct cy_uop *u, uint64_t left)                  \
    {                                                                                                                  \
        return branch(w, u, left, taken_##id(w, u, lanes) & w->active);                                                \
    }
#define LANE_VB(id, ...)                                                                                               \
    LANE_BITS32(id, __VA_ARGS__)                                                                                       \
    ALWAYS_INLINE uint64_t taken_##id(const struct cy_warp *w, const struct cy_uop *u, unsigned n)                     \
    {                                                                                                                  \
        const uint32_t *const A = w->v + (size_t)u->a * n, *const B = w->v + (size_t)u->b * n;                         \
        uint64_t taken = 0;                                                                                            \
        if (HAS_BITS32 && __builtin_constant_p(n) && n == 32)                                                          \
            return bits32_##id(A, B);                                                                                  \
        for (unsigned half = 0; half < n; half += 32) {                                                                \
            uint32_t bits = 0;                                                                                         \
            const unsigned end = n - half < 32 ? n - half : 32;                                                        \
            for (unsigned i = 0; i < end; i++) {                                                                       \
                const uint32_t a = A[half + i], b = B[half + i];                                                       \
                const int32_t sa = (int32_t)a, sb = (int32_t)b;                                                        \
                (void)sa, (void)sb;                                                                                    \
                bits |= (__VA_ARGS__) ? 1u << i : 0;                                                                   \
            }                                                                                                          \
            taken |= (uint64_t)bits << half;                                                                           \
        }                                                                                                              \
        return taken;                                                                                                  \
    }                                                                                                                  \
    BRANCH_HANDLER(full32, id, 32)                                                                                     \
    BRANCH_HANDLER(part32, id, 32)                                                                                     \
    BRANCH_HANDLER(full, id, w->numt)                                                                                  \
    BRANCH_HANDLER(part, id, w->numt)

/* vid.v: used by nearly every kernel to compute its ids.  The compiler must not know what it copies: it would copy a
 * constant by narrow stores, which are not forwarded to a wide load. */
BODY(vid_v)
{
    static const uint32_t numbers[CY_MAX_LANES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                   16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                                   32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                                   48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const uint32_t *from = numbers;
    __asm__("" : "+r"(from));
    ROWS EACH_LANE PUT(BLEND(from[i]));
    END_LANES
    return cy_next(u);
}
HANDLERS(vid_v)

#define LANE_NONE(id, ...)

/* The macro that a row's shape names, applied to the row. */
#define APPLY(macro, ...) macro(__VA_ARGS__)
#define LANES(loop, eval, a, b, d) LANE_##loop
#define EXPR(id, mnemonic, format, match, gens, sched, flags, ...) APPLY(CY_SHAPE_##format, id, __VA_ARGS__)
#define HOOK(...)
#include "isa/rvv.def"
#include "isa/ventus.def"
#undef EXPR

#define T_FAST(id, full, part) [CY_OP_##id] = {{full##_##id, part##_##id, cy_exec_vector_generic}},
#define T_SLOW(id, full, part)                                                                                         \
    [CY_OP_##id] = {{cy_exec_vector_generic, cy_exec_vector_generic, cy_exec_vector_generic}},
/* T_FAST for every loop but NONE. */
#define SECOND(first, second, ...) second
#define PICK(...) SECOND(__VA_ARGS__)
#define IS_NONE ~, T_SLOW
#undef LANES
#define LANES(loop, eval, a, b, d) PICK(IS_##loop, T_FAST, ~)

extern const struct cy_handlers CY_OF_LEVEL(cy_lane32_handlers, CY_LEVEL)[CY_OP_COUNT];
const struct cy_handlers CY_OF_LEVEL(cy_lane32_handlers, CY_LEVEL)[CY_OP_COUNT] = {
#define EXPR(id, mnemonic, format, ...) APPLY(CY_SHAPE_##format, id, full32, part32)
#include "isa/rvv.def"
#include "isa/ventus.def"
#undef EXPR
    [CY_OP_vid_v] = {{full32_vid_v, part32_vid_v, cy_exec_vid_v}},
};
extern const struct cy_handlers CY_OF_LEVEL(cy_lanes_handlers, CY_LEVEL)[CY_OP_COUNT];
const struct cy_handlers CY_OF_LEVEL(cy_lanes_handlers, CY_LEVEL)[CY_OP_COUNT] = {
#define EXPR(id, mnemonic, format, ...) APPLY(CY_SHAPE_##format, id, full, part)
#include "isa/rvv.def"
#include "isa/ventus.def"
#undef EXPR
    [CY_OP_vid_v] = {{full_vid_v, part_vid_v, cy_exec_vid_v}},
};
