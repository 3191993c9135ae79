/* Scalar instructions: one handler per row, the same in every mode.  x0 reads as zero because nothing writes it: a
 * destination x0 is decoded as x[64]. */
#include "gpu/engine/engine_priv.h"
#include "gpu/engine/guest_access.h"
#include "gpu/engine/eval.h"
#include "gpu/engine/int_ops.h"

#include <string.h>

#define HANDLER(id) CY_HANDLER(, cy_exec_##id)

/* ---- rows with an expression ---- */

#define XLEN 32
#define FN(name) name##_32
#include "gpu/engine/expr_int.h"

#define ROW_R(id, ...)                                                                                                 \
    HANDLER(id)                                                                                                        \
    {                                                                                                                  \
        const uint32_t x1 = w->x[u->a], x2 = w->x[u->b];                                                               \
        const int32_t s1 = (int32_t)x1, s2 = (int32_t)x2;                                                              \
        (void)x1, (void)x2, (void)s1, (void)s2;                                                                        \
        w->x[u->d] = (uint32_t)(__VA_ARGS__);                                                                          \
        return cy_next(u);                                                                                             \
    }
#define ROW_I(id, ...)                                                                                                 \
    HANDLER(id)                                                                                                        \
    {                                                                                                                  \
        const uint32_t x1 = w->x[u->a], imm = (uint32_t)u->imm, shamt = imm;                                           \
        const int32_t s1 = (int32_t)x1, simm = u->imm;                                                                 \
        (void)x1, (void)imm, (void)shamt, (void)s1, (void)simm;                                                        \
        w->x[u->d] = (uint32_t)(__VA_ARGS__);                                                                          \
        return cy_next(u);                                                                                             \
    }
#define ROW_SHIFT ROW_I
/* A jump out of the code, which faults: a function of its own, so that branches save no registers. */
CY_HANDLER(static __attribute__((noinline)), jump_away)
{
    return cy_relative(w, u);
}
#define ROW_BRANCH(id, ...)                                                                                            \
    const struct cy_uop *cy_exec_##id(struct cy_warp *w, const struct cy_uop *u, uint64_t left)                        \
    {                                                                                                                  \
        const uint32_t x1 = w->x[u->a], x2 = w->x[u->b];                                                               \
        const int32_t s1 = (int32_t)x1, s2 = (int32_t)x2;                                                              \
        (void)x1, (void)x2, (void)s1, (void)s2;                                                                        \
        if (!(__VA_ARGS__))                                                                                            \
            return cy_then(w, cy_next(u), left);                                                                       \
        return CY_LIKELY(cy_is_near(u)) ? cy_then(w, u + (u->imm >> 1), left) : jump_away(w, u, left);                 \
    }
/* Scalar floating point and 64-bit pairs are rare: they use the general evaluation, see below. */
#define ROW_FR(id, ...)                                                                                                \
    HANDLER(id)                                                                                                        \
    {                                                                                                                  \
        return float_row(w, u);                                                                                        \
    }
#define ROW_FRN ROW_FR
#define ROW_FU ROW_FR
#define ROW_FUN ROW_FR
#define ROW_FR4 ROW_FR
#define ROW_R64(id, ...)                                                                                               \
    HANDLER(id)                                                                                                        \
    {                                                                                                                  \
        return pair_row(w, u);                                                                                         \
    }
#define ROW_I64 ROW_R64
#define ROW_SHIFT64 ROW_R64
#define ROW_AMO(id, ...) /* exec_atomic.c */

/* imm = rs3 | rm << 8; a rounding mode of 7 means frm. */
static const struct cy_uop *float_row(struct cy_warp *w, const struct cy_uop *u)
{
    unsigned rm = (unsigned)u->imm >> 8;
    struct cy_eval e = {.fp = {.rm = (uint8_t)(rm == 7 ? w->frm : rm)}};
    if (e.fp.rm > 4)
        return cy_fault(w, u, CY_FAULT_ILLEGAL, -1, 0);
    w->x[u->d] = (uint32_t)cy_evals_32[cy_uop_insn(w, u)->op](&e, w->x[u->a], w->x[u->b], w->x[u->imm & 63]);
    w->fflags |= e.fp.flags;
    return cy_next(u);
}

static uint64_t pair(const struct cy_warp *w, unsigned number)
{
    return (uint64_t)(number ? w->x[number + 1] : 0) << 32 | w->x[number];
}

/* RV64 rows of gen2: operands and result are even pairs; x0 as a pair is 0. */
static const struct cy_uop *pair_row(struct cy_warp *w, const struct cy_uop *u)
{
    const struct cy_insn *insn = cy_uop_insn(w, u);
    bool immediate = cy_insns[insn->op].format != CY_FORMAT_R64;
    unsigned d = u->d == 64 ? 0 : u->d;
    if ((d | u->a | (immediate ? 0 : u->b)) & 1)
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, 0);
    struct cy_eval e = {0};
    uint64_t value = cy_evals_64[insn->op](&e, pair(w, u->a), immediate ? (uint64_t)(int64_t)u->imm : pair(w, u->b), 0);
    w->x[u->d] = (uint32_t)value;
    if (d)
        w->x[d + 1] = (uint32_t)(value >> 32);
    return cy_next(u);
}

#define EXPR(id, mnemonic, format, match, gens, sched, flags, ...) ROW_##format(id, __VA_ARGS__)
#define HOOK(...)
#include "isa/rv32.def"
#undef EXPR
#undef HOOK

/* ---- the other rows ---- */

HANDLER(lui) /* imm = the value */
{
    w->x[u->d] = (uint32_t)u->imm;
    return cy_next(u);
}

HANDLER(auipc) /* imm = pc + the value */
{
    w->x[u->d] = (uint32_t)u->imm;
    return cy_next(u);
}

static uint32_t return_address(const struct cy_warp *w, const struct cy_uop *u)
{
    return cy_uop_pc(w, u) + 4u * u->step;
}

HANDLER(jal)
{
    const struct cy_uop *target = cy_relative(w, u);
    if (target)
        w->x[u->d] = return_address(w, u);
    return target;
}

HANDLER(jalr)
{
    const struct cy_uop *target = cy_goto(w, u, (w->x[u->a] + (uint32_t)u->imm) & ~1u);
    if (target)
        w->x[u->d] = return_address(w, u);
    return target;
}

/* The fast path: an aligned access inside the extent used last (extents are whole pages).  Never taken under an
 * observer, because then there is no extent. */
static inline bool is_near(const struct cy_warp *w, uint64_t at, unsigned size, unsigned access)
{
    const struct cy_extent *extent = &w->scalar_extent;
    return at - extent->start < extent->end - extent->start && !(at & (size - 1)) && extent->rights & access;
}

/* The workgroup's local memory, whose end is not that of a page: no extent has it. */
static inline bool is_local(const struct cy_warp *w, uint64_t at, unsigned size)
{
    return at >= w->lds && at + size <= (uint64_t)w->lds + w->lds_size && !(at & (size - 1)) && !cy_is_watched(w);
}

static __attribute__((noinline)) uint8_t *reach(struct cy_warp *w, const struct cy_uop *u, uint64_t at, unsigned size,
                                                unsigned access, uint32_t value)
{
    uint8_t *host = cy_host_scalar(w, u, at, size, access);
    if (host && w->run->observer && !w->ahead) {
        if (access == CY_READ)
            cy_guest_load(&value, host, size);
        cy_observe_memory(w, u, access, size, 1, &at, &value);
    }
    return host;
}

/* Near, local, and other accesses are three functions, so that none saves registers for the next. */
#define THREE_WAYS(id, type, access, address, move)                                                                    \
    CY_HANDLER(static __attribute__((noinline)), far_##id)                                                             \
    {                                                                                                                  \
        const type value = (type)w->x[u->b];                                                                           \
        uint8_t *host = reach(w, u, (address), sizeof(type), access, access == CY_WRITE ? (uint32_t)value : 0);        \
        if (host)                                                                                                      \
            move(type, host);                                                                                          \
        return host ? cy_next(u) : NULL;                                                                               \
    }                                                                                                                  \
    static __attribute__((noinline))                                                                                   \
    const struct cy_uop *local_##id(struct cy_warp *w, const struct cy_uop *u, uint64_t left)                          \
    {                                                                                                                  \
        const uint64_t at = (address);                                                                                 \
        if (!is_local(w, at, sizeof(type)))                                                                            \
            return far_##id(w, u, left);                                                                               \
        move(type, w->memory_base + at);                                                                               \
        return cy_then(w, cy_next(u), left);                                                                           \
    }                                                                                                                  \
    const struct cy_uop *cy_exec_##id(struct cy_warp *w, const struct cy_uop *u, uint64_t left)                        \
    {                                                                                                                  \
        const uint64_t at = (address);                                                                                 \
        if (CY_UNLIKELY(!is_near(w, at, sizeof(type), access)))                                                        \
            return local_##id(w, u, left);                                                                             \
        move(type, w->memory_base + at);                                                                               \
        return cy_then(w, cy_next(u), left);                                                                           \
    }
#define TAKE(type, host)                                                                                               \
    do {                                                                                                               \
        type loaded;                                                                                                   \
        cy_guest_load(&loaded, host, sizeof(loaded));                                                                  \
        w->x[u->d] = (uint32_t)(int32_t)loaded;                                                                        \
    } while (0)
#define GIVE(type, host)                                                                                               \
    do {                                                                                                               \
        const type stored = (type)w->x[u->b];                                                                          \
        cy_guest_store(host, &stored, sizeof(stored));                                                                 \
    } while (0)
#define LOAD(id, type, address) THREE_WAYS(id, type, CY_READ, address, TAKE)
#define STORE(id, type, address) THREE_WAYS(id, type, CY_WRITE, address, GIVE)
#define ADDRESS32 (w->x[u->a] + (uint32_t)u->imm)

LOAD(lb, int8_t, ADDRESS32)
LOAD(lh, int16_t, ADDRESS32)
LOAD(lw, uint32_t, ADDRESS32)
LOAD(lbu, uint8_t, ADDRESS32)
LOAD(lhu, uint16_t, ADDRESS32)
LOAD(flw, uint32_t, ADDRESS32)
STORE(sb, uint8_t, ADDRESS32)
STORE(sh, uint16_t, ADDRESS32)
STORE(sw, uint32_t, ADDRESS32)
STORE(fsw, uint32_t, ADDRESS32)

/* gen2: the address is an even pair, data are 32 bits; what is not in the extent used last is handled by the driver for
 * prefixes. */
#define ADDRESS64 (((uint64_t)w->x[u->a + 1] << 32 | w->x[u->a]) + (uint64_t)(int64_t)u->imm)
static inline bool is_pair(const struct cy_uop *u)
{
    return u->a && !(u->a & 1);
}
static void look_up(struct cy_warp *w, uint64_t at)
{
    if (!cy_is_watched(w) && !(at >= CY_LDS_BASE && at < CY_LDS_END)) {
        const struct cy_extent found = cy_memory_extent(w->run->memory, at);
        if (found.start < found.end)
            w->scalar_extent = found;
    }
}
const struct cy_uop *cy_exec_ld(struct cy_warp *w, const struct cy_uop *u, uint64_t left)
{
    uint32_t value;
    const uint64_t at = ADDRESS64;
    if (CY_LIKELY(is_pair(u) && is_near(w, at, sizeof(value), CY_READ))) {
        cy_guest_load(&value, cy_extent_host(&w->scalar_extent, at), sizeof(value));
        w->x[u->d] = value;
        return cy_then(w, cy_next(u), left);
    }
    look_up(w, at);
    return cy_memory_scalar(w, u, left);
}
const struct cy_uop *cy_exec_sd(struct cy_warp *w, const struct cy_uop *u, uint64_t left)
{
    const uint32_t value = w->x[u->b];
    const uint64_t at = ADDRESS64;
    if (CY_LIKELY(is_pair(u) && is_near(w, at, sizeof(value), CY_WRITE))) {
        cy_guest_store(cy_extent_host(&w->scalar_extent, at), &value, sizeof(value));
        return cy_then(w, cy_next(u), left);
    }
    look_up(w, at);
    return cy_memory_scalar(w, u, left);
}

/* Accesses to 2 to 4 words, of which a load has the number in b and a store in d: inside the extent used last; everything
 * else, and what is counted, is left to the driver for prefixes. */
static inline bool are_words_near(const struct cy_warp *w, uint64_t at, unsigned words, unsigned data, unsigned access)
{
    return is_near(w, at, 4, access) && at + 4 * words <= w->scalar_extent.end && data + words <= 64 && !w->looks;
}
#define LOAD_WORDS(name, address, is_allowed)                                                                          \
    const struct cy_uop *name(struct cy_warp *w, const struct cy_uop *u, uint64_t left)                                \
    {                                                                                                                  \
        const uint64_t at = (address);                                                                                 \
        if (CY_LIKELY((is_allowed) && are_words_near(w, at, u->b, u->d, CY_READ))) {                                   \
            const uint8_t *from = cy_extent_host(&w->scalar_extent, at);                                               \
            for (unsigned i = 0; i < u->b; i++)                                                                        \
                cy_guest_load(&w->x[u->d + i], from + 4 * i, 4);                                                       \
            return cy_then(w, cy_next(u), left);                                                                       \
        }                                                                                                              \
        look_up(w, at);                                                                                                \
        return cy_memory_scalar(w, u, left);                                                                           \
    }
#define STORE_WORDS(name, address, is_allowed)                                                                         \
    const struct cy_uop *name(struct cy_warp *w, const struct cy_uop *u, uint64_t left)                                \
    {                                                                                                                  \
        const uint64_t at = (address);                                                                                 \
        if (CY_LIKELY((is_allowed) && u->b && are_words_near(w, at, u->d, u->b, CY_WRITE))) {                          \
            uint8_t *to = cy_extent_host(&w->scalar_extent, at);                                                       \
            for (unsigned i = 0; i < u->d; i++)                                                                        \
                cy_guest_store(to + 4 * i, &w->x[u->b + i], 4);                                                        \
            return cy_then(w, cy_next(u), left);                                                                       \
        }                                                                                                              \
        look_up(w, at);                                                                                                \
        return cy_memory_scalar(w, u, left);                                                                           \
    }
LOAD_WORDS(cy_load_words, ADDRESS32, true)
LOAD_WORDS(cy_load_words_far, ADDRESS64, is_pair(u))
STORE_WORDS(cy_store_words, ADDRESS32, true)
STORE_WORDS(cy_store_words_far, ADDRESS64, is_pair(u))

HANDLER(fence)
{
    (void)w;
    atomic_thread_fence(memory_order_seq_cst);
    return cy_next(u);
}

HANDLER(fence_tso)
{
    return step_cy_exec_fence(w, u);
}
