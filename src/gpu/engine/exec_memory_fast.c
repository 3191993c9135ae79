/* Vector memory, fast paths: SEW 32, no prefix but regext, no mask register.
 *
 * Addresses are checked by extent (gpu/memory/memory.h): a warp whose lanes are all in the extent it used last pays a
 * minimum, a maximum and two compares for the whole access; coalesced accesses become block moves.  Whatever does not
 * fit goes to cy_memory_general, which finds out why. */
#include "gpu/engine/engine_priv.h"
#include "isa/shapes.h"
#include "gpu/engine/guest_access.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Four lanes at a time, in the compiler's portable vector types. */
typedef uint32_t quad __attribute__((vector_size(16)));
typedef uint64_t two __attribute__((vector_size(16)));

ALWAYS_INLINE quad load_quad(const uint32_t *from)
{
    quad value;
    memcpy(&value, from, sizeof(value));
    return value;
}

/* Two tests decide the common cases: the extent used last, and the workgroup's local memory.  Otherwise the address is
 * left to `missed`.  Under ThreadSanitizer all of them are: the general driver marks its accesses as atomic. */
ALWAYS_INLINE bool span_allowed(struct cy_warp *w, uint64_t low, uint64_t end, unsigned access)
{
    if (!CY_TSAN && (CY_LIKELY(cy_in_extent(&w->extent, low, end, access)) ||
                     (low >= w->lds && low < end && end <= (uint64_t)w->lds + w->lds_size && !cy_is_watched(w))))
        return true;
    w->missed = low;
    return false;
}

/* Retries an access that missed after looking up its extent, which the next one will use too; or hands it to the
 * general driver if that found nothing new. */
static __attribute__((noinline)) const struct cy_uop *missed(struct cy_warp *w, const struct cy_uop *u, uint64_t left)
{
    const uint64_t at = w->missed;
    const bool local = at >= CY_LDS_BASE && at < CY_LDS_END;
    if (!cy_is_watched(w) && !local) {
        const struct cy_extent old = w->extent;
        const struct cy_code *code = w->run->code; /* a checker has seen the instruction once */
        const struct cy_uop *again = code->original ? &code->original->uops[u - code->uops] : u;
        w->extent = cy_memory_extent(w->run->memory, at);
        if (w->extent.start < w->extent.end && w->extent.start != old.start)
            return again->run[w->mode](w, u, left);
    }
    return cy_memory_general(w, u, left);
}

/* Vectors of the level's preferred width.  Registers are written in these: a store can be forwarded to a load of the
 * same width, but not several stores to one load. */
typedef uint32_t wide __attribute__((vector_size(CY_GROUP * 4)));
typedef uint64_t wide_halves __attribute__((vector_size(CY_GROUP * 4)));

/* Is any bit of eight lanes set? */
typedef uint32_t eight __attribute__((vector_size(32)));
#ifdef __AVX2__
#include "gpu/engine/lanes_x86.h"
#define any_of_eight cy_eight_any
#else
typedef uint64_t eight_halves __attribute__((vector_size(32)));
/* By address: how wide vectors are passed depends on the level. */
ALWAYS_INLINE bool any_of_eight(const eight *bits)
{
    const eight_halves halves = (eight_halves)*bits;
    return halves[0] | halves[1] | halves[2] | halves[3];
}
#endif

/* The same as below for 32 lanes, in wide vectors. */
ALWAYS_INLINE bool is_consecutive32(const uint32_t *a, unsigned size)
{
    static const uint32_t numbers[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    wide here, number, differs = {0};
    uint64_t any = 0;
    for (unsigned i = 0; i < 32; i += CY_GROUP) {
        memcpy(&here, a + i, sizeof(here));
        memcpy(&number, numbers + i, sizeof(number));
        differs |= (number * size + a[0]) ^ here;
    }
#if CY_GROUP == 8
    return !any_of_eight(&differs);
#endif
    for (unsigned k = 0; k < CY_GROUP / 2; k++)
        any |= ((wide_halves)differs)[k];
    return !any;
}

/* Are the addresses a[0], a[0] + size, a[0] + 2*size ...?  (Without wrapping around the end of the address space.)  The
 * second lane and the last rule out most that are not; then each quad must be the previous one plus four times the
 * size. */
ALWAYS_INLINE bool is_consecutive(const uint32_t *a, unsigned size, unsigned n)
{
    if (a[1] - a[0] != size || a[n - 1] - a[0] != size * (n - 1))
        return false;
    if (__builtin_constant_p(n) && n == 32)
        return is_consecutive32(a, size);
    const quad step = {4 * size, 4 * size, 4 * size, 4 * size}, ramp = {0, size, 2 * size, 3 * size};
    quad before = load_quad(a), first = {a[0], a[0], a[0], a[0]}, differs = (before - first) ^ ramp;
    for (unsigned i = 4; i < n; i += 4) {
        quad here = load_quad(a + i);
        differs |= (here - before) ^ step;
        before = here;
    }
    two halves = (two)differs;
    return !(halves[0] | halves[1]);
}

/* The other common patterns: runs of eight lanes, inside which neighbours are `step` apart, the same in every run.  A
 * broadcast, rows of a tile and strides are such; the second lane gives the step. */
#define RUN (n < 8 ? n : 8u)

ALWAYS_INLINE bool in_runs(const uint32_t *a, unsigned n)
{
    const uint32_t step = a[1] - a[0];
    if (a[2] - a[1] != step) /* rules out most others */
        return false;
    const quad ramp = {0, step, 2 * step, 3 * step}, next = {4 * step, 4 * step, 4 * step, 4 * step};
    quad differs = {0, 0, 0, 0};
    for (unsigned i = 0; i < n; i += RUN) {
        const quad head = load_quad(a + i), first = {a[i], a[i], a[i], a[i]};
        differs |= (head - first) ^ ramp;
        if (RUN == 8)
            differs |= (load_quad(a + i + 4) - head) ^ next;
    }
    const two halves = (two)differs;
    return !(halves[0] | halves[1]);
}

/* The span of the lanes' addresses, not counting the last one's data. */
struct range {
    int64_t low, high;
    uint32_t bits; /* OR of all addresses */
};

/* Of all lanes, or of the active ones. */
ALWAYS_INLINE struct range measure(const uint32_t *a, unsigned n, const uint32_t *mask)
{
    uint32_t low = UINT32_MAX, high = 0, bits = 0;
    for (unsigned i = 0; i < n; i++) {
        const uint32_t at_least = mask ? a[i] | ~mask[i] : a[i], at_most = mask ? a[i] & mask[i] : a[i];
        low = at_least < low ? at_least : low;
        high = at_most > high ? at_most : high;
        bits |= at_most;
    }
    return (struct range){low, high, bits};
}

/* Of runs: from their first lanes and the step.  In 64 bits: a span that wraps around is not inside the address
 * space. */
ALWAYS_INLINE struct range measure_runs(const uint32_t *a, unsigned n)
{
    const uint32_t step = a[1] - a[0];
    uint32_t low = a[0], high = a[0], bits = a[0] | step;
    for (unsigned i = RUN; i < n; i += RUN) {
        low = a[i] < low ? a[i] : low;
        high = a[i] > high ? a[i] : high;
        bits |= a[i];
    }
    const int64_t length = (int64_t)(int32_t)step * (int64_t)(RUN - 1);
    return (struct range){length < 0 ? low + length : low, length < 0 ? high : high + length, bits};
}

/* `offset`: of all lanes' addresses, which are 32 bits wide; above that, their common high word.  Without one a span that
 * leaves the 32-bit space, below 0 too, is never inside an extent: far ones begin at 8 GiB. */
ALWAYS_INLINE bool range_allowed(struct cy_warp *w, struct range r, int64_t offset, unsigned size, unsigned access)
{
    return CY_LIKELY(!((r.bits | (uint32_t)offset) & (size - 1))) &&
           CY_LIKELY(span_allowed(w, (uint64_t)(r.low + offset), (uint64_t)(r.high + offset + size), access));
}

/* The host address for lane address 0 of an access that is allowed: far ones are in the warp's extent. */
ALWAYS_INLINE uint8_t *base_of(const struct cy_warp *w, int64_t offset)
{
    const uintptr_t base = offset >> 32 > 0 ? w->extent.bias : (uintptr_t)w->memory_base;
    return (uint8_t *)(base + (uintptr_t)offset);
}

enum shape { REFUSED, SCATTERED, IN_RUNS };

/* Is it one block of memory?  With `some` lanes active, a load of a block or of runs loads all lanes and drops the
 * surplus; a store cannot.  `base` is added to all addresses, in 32 bits. */
ALWAYS_INLINE bool is_block(struct cy_warp *w, const uint32_t *a, uint32_t base, int64_t offset, unsigned size,
                            unsigned access, unsigned n, bool some)
{
    const uint32_t first = a[0] + base;
    const struct range block = {first, (int64_t)first + size * (n - 1), first};
    return !(some && access == CY_WRITE) && is_consecutive(a, size, n) && range_allowed(w, block, offset, size, access);
}

/* May every lane access its address?  REFUSED: use the general driver. */
ALWAYS_INLINE enum shape shape_of(struct cy_warp *w, const uint32_t *a, int64_t offset, unsigned size, unsigned access,
                                  unsigned n, bool some)
{
    const bool all = !(some && access == CY_WRITE);
    const bool runs = all && in_runs(a, n);
    if (runs && range_allowed(w, measure_runs(a, n), offset, size, access))
        return IN_RUNS;
    if (runs && !some)
        return REFUSED;
    return range_allowed(w, measure(a, n, some ? w->lane_mask : NULL), offset, size, access) ? SCATTERED : REFUSED;
}

/* Words for all 32 lanes from runs whose words are equal or consecutive: rows of a tile, one value per row.  The second
 * lane tells whether that is possible; false: it is not so, or the access is not allowed. */
ALWAYS_INLINE bool are_word_runs(const uint32_t *a)
{
    return a[1] == a[0] || a[1] - a[0] == 4;
}
ALWAYS_INLINE bool load_word_runs(struct cy_warp *w, uint32_t *d, const uint32_t *a, int64_t offset)
{
    static const uint32_t steps[2][8] = {{0}, {0, 4, 8, 12, 16, 20, 24, 28}};
    const uint32_t heads[4] = {a[0], a[8], a[16], a[24]}; /* d may be a */
    const uint32_t step = a[1] == a[0] ? 0 : 4;
    struct range all = {a[0], a[0], a[0] | step};
    eight differs = {0}, here, ramp;
    memcpy(&ramp, steps[step != 0], sizeof(ramp));
    for (unsigned i = 0; i < 4; i++) {
        memcpy(&here, a + 8 * i, sizeof(here));
        differs |= (here - heads[i]) ^ ramp;
        all.low = heads[i] < all.low ? heads[i] : all.low;
        all.high = heads[i] > all.high ? heads[i] : all.high;
        all.bits |= heads[i];
    }
    all.high += 7 * step;
    if (any_of_eight(&differs) || !range_allowed(w, all, offset, 4, CY_READ))
        return false;
    const uint8_t *base = base_of(w, offset);
    for (unsigned i = 0; i < 4; i++) {
        if (step)
            memcpy(&here, base + heads[i], sizeof(here));
        else
            here = (eight){0} + *(const uint32_t *)(const void *)(base + heads[i]);
        memcpy(d + 8 * i, &here, sizeof(here));
    }
    return true;
}

/* The same for two runs of sixteen: rows of a tile as wide as most are.  For hosts with registers of 32 bytes: on others it
 * takes longer. */
#ifndef CY_LONG_RUNS
#define CY_LONG_RUNS false
#endif
ALWAYS_INLINE bool load_word_halves(struct cy_warp *w, uint32_t *d, const uint32_t *a, int64_t offset)
{
    static const uint32_t steps[2][16] = {{0}, {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60}};
    const uint32_t one = a[0], other = a[16], step = a[1] - one; /* d may be a */
    const uint32_t low = one < other ? one : other, high = one < other ? other : one;
    const struct range all = {low, (int64_t)high + 15 * step, one | other};
    if (a[15] - one != 15 * step)
        return false;
    eight differs = {0}, here, ramp;
    for (unsigned i = 0; i < 32; i += 8) {
        memcpy(&ramp, &steps[step != 0][i % 16], sizeof(ramp));
        memcpy(&here, a + i, sizeof(here));
        differs |= (ramp + (i < 16 ? one : other)) ^ here;
    }
    if (any_of_eight(&differs) || !range_allowed(w, all, offset, 4, CY_READ))
        return false;
    const uint8_t *base = base_of(w, offset);
    for (unsigned i = 0; i < 32; i += 8) {
        const uint8_t *from = base + (i < 16 ? one : other);
        if (step)
            memcpy(&here, from + 4 * (i % 16), sizeof(here));
        else
            here = (eight){0} + *(const uint32_t *)(const void *)from;
        memcpy(d + i, &here, sizeof(here));
    }
    return true;
}

#define BLEND(value) (some ? ((value)&w->lane_mask[i]) | (d[i] & ~w->lane_mask[i]) : (value))
#define EACH_ACTIVE                                                                                                    \
    for (uint64_t left = w->active, i; left && (i = (uint64_t)__builtin_ctzll(left), true); left &= left - 1)

/* Runs of words with a step of one word or zero.  d may be a. */
ALWAYS_INLINE void load_runs(const struct cy_warp *w, uint32_t *d, const uint32_t *a, const uint8_t *base, unsigned n,
                             bool some)
{
    const bool one = a[1] == a[0];
    const uint8_t *from[CY_MAX_LANES / 4];
    for (unsigned i = 0; i < n; i += RUN)
        from[i / RUN] = base + a[i];
    for (unsigned first = 0; first < n; first += RUN) {
        uint32_t values[8];
        if (one)
            for (unsigned k = 0; k < RUN; k++)
                memcpy(values + k, from[first / RUN], sizeof(uint32_t));
        else
            memcpy(values, from[first / RUN], RUN * sizeof(uint32_t));
        for (unsigned i = first; i < first + RUN; i++)
            d[i] = BLEND(values[i - first]);
    }
}

/* Consecutive words, from registers to memory or back. */
ALWAYS_INLINE void move_words(void *to, const void *from, unsigned n)
{
    if (!__builtin_constant_p(n) || n % CY_GROUP) {
        memcpy(to, from, 4 * n);
        return;
    }
    for (unsigned i = 0; i < 4 * n; i += sizeof(wide)) {
        wide words;
        memcpy(&words, (const uint8_t *)from + i, sizeof(words));
        memcpy((uint8_t *)to + i, &words, sizeof(words));
    }
}

/* Lanes in groups whose results are stored together: stores between loads would keep the compiler from combining
 * either. d may be a: a group reads its addresses before it writes. */
#define LOAD_LANES(type)                                                                                               \
    ALWAYS_INLINE void strided_##type(const struct cy_warp *w, uint32_t *d, const uint32_t *a, const uint8_t *base,    \
                                      unsigned n, bool some)                                                           \
    {                                                                                                                  \
        const int64_t step = (int32_t)(a[1] - a[0]);                                                                   \
        for (unsigned first = 0; first < n; first += RUN) {                                                            \
            const uint8_t *from = base + a[first];                                                                     \
            uint32_t values[8];                                                                                        \
            for (unsigned k = 0; k < RUN; k++)                                                                         \
                values[k] = (uint32_t)(int32_t) * (const type *)(const void *)(from + (int64_t)k * step);              \
            for (unsigned i = first; i < first + RUN; i++)                                                             \
                d[i] = BLEND(values[i - first]);                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    ALWAYS_INLINE void gather_##type(uint32_t *d, const uint32_t *a, const uint8_t *base, unsigned n)                  \
    {                                                                                                                  \
        for (unsigned first = 0; first < n; first += RUN) {                                                            \
            uint32_t values[8];                                                                                        \
            for (unsigned k = 0; k < RUN; k++)                                                                         \
                values[k] = (uint32_t)(int32_t) * (const type *)(const void *)(base + a[first + k]);                   \
            for (unsigned k = 0; k < RUN; k++)                                                                         \
                d[first + k] = values[k];                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    ALWAYS_INLINE bool load_block_##type(struct cy_warp *w, uint32_t *d, const uint32_t *a, uint32_t base,             \
                                         int64_t offset, unsigned n, bool some)                                        \
    {                                                                                                                  \
        type values[CY_MAX_LANES];                                                                                     \
        if (!is_block(w, a, base, offset, sizeof(type), CY_READ, n, some))                                             \
            return false;                                                                                              \
        const uint8_t *from = base_of(w, offset) + (uint32_t)(a[0] + base);                                            \
        if (sizeof(type) == 4 && !some) {                                                                              \
            move_words(d, from, n);                                                                                    \
            return true;                                                                                               \
        }                                                                                                              \
        memcpy(values, from, n * sizeof(type));                                                                        \
        for (unsigned i = 0; i < n; i++)                                                                               \
            d[i] = BLEND((uint32_t)(int32_t)values[i]);                                                                \
        return true;                                                                                                   \
    }                                                                                                                  \
    ALWAYS_INLINE bool load_##type(struct cy_warp *w, uint32_t *d, const uint32_t *a, int64_t offset, unsigned n,      \
                                   bool some)                                                                          \
    {                                                                                                                  \
        const enum shape shape = shape_of(w, a, offset, sizeof(type), CY_READ, n, some);                               \
        const uint8_t *base = base_of(w, offset);                                                                      \
        if (CY_UNLIKELY(shape == REFUSED))                                                                             \
            return false;                                                                                              \
        if (shape == IN_RUNS && sizeof(type) == 4 && (a[1] - a[0] == 4 || a[1] == a[0])) {                             \
            load_runs(w, d, a, base, n, some);                                                                         \
        } else if (shape == IN_RUNS) {                                                                                 \
            strided_##type(w, d, a, base, n, some);                                                                    \
        } else if (some) {                                                                                             \
            EACH_ACTIVE d[i] = (uint32_t)(int32_t) * (const type *)(const void *)(base + a[i]);                        \
        } else {                                                                                                       \
            gather_##type(d, a, base, n);                                                                              \
        }                                                                                                              \
        return true;                                                                                                   \
    }
#define STORE_LANES(type)                                                                                              \
    ALWAYS_INLINE bool store_block_##type(struct cy_warp *w, const uint32_t *b, const uint32_t *a, uint32_t base,      \
                                          int64_t offset, unsigned n, bool some)                                       \
    {                                                                                                                  \
        type values[CY_MAX_LANES];                                                                                     \
        if (!is_block(w, a, base, offset, sizeof(type), CY_WRITE, n, some))                                            \
            return false;                                                                                              \
        uint8_t *to = base_of(w, offset) + (uint32_t)(a[0] + base);                                                    \
        if (sizeof(type) == 4) {                                                                                       \
            move_words(to, b, n);                                                                                      \
            return true;                                                                                               \
        }                                                                                                              \
        for (unsigned i = 0; i < n; i++)                                                                               \
            values[i] = (type)b[i];                                                                                    \
        memcpy(to, values, n * sizeof(type));                                                                          \
        return true;                                                                                                   \
    }                                                                                                                  \
    ALWAYS_INLINE bool store_##type(struct cy_warp *w, const uint32_t *b, const uint32_t *a, int64_t offset,           \
                                    unsigned n, bool some)                                                             \
    {                                                                                                                  \
        const enum shape shape = shape_of(w, a, offset, sizeof(type), CY_WRITE, n, some);                              \
        uint8_t *base = base_of(w, offset);                                                                            \
        if (CY_UNLIKELY(shape == REFUSED))                                                                             \
            return false;                                                                                              \
        if (shape == IN_RUNS && a[1] - a[0] == sizeof(type)) {                                                         \
            for (unsigned i = 0; i < n; i += RUN) {                                                                    \
                type values[8];                                                                                        \
                for (unsigned k = 0; k < RUN; k++)                                                                     \
                    values[k] = (type)b[i + k];                                                                        \
                memcpy(base + a[i], values, RUN * sizeof(type));                                                       \
            }                                                                                                          \
        } else if (some) {                                                                                             \
            EACH_ACTIVE *(type *)(void *)(base + a[i]) = (type)b[i];                                                   \
        } else {                                                                                                       \
            for (unsigned i = 0; i < n; i++)                                                                           \
                *(type *)(void *)(base + a[i]) = (type)b[i];                                                           \
        }                                                                                                              \
        return true;                                                                                                   \
    }
LOAD_LANES(int8_t)
LOAD_LANES(int16_t)
LOAD_LANES(uint8_t)
LOAD_LANES(uint16_t)
LOAD_LANES(uint32_t)
STORE_LANES(uint8_t)
STORE_LANES(uint16_t)
STORE_LANES(uint32_t)

/* Each row's handlers, for all lanes or `some`, for 32 lanes (a constant) or any number `n`.  There are four
 * strategies: a block, the most common and shortest; long runs and short ones, if `may_run`; any.  Each is a separate function, so that it
 * does not save registers for the next.  If none succeeds the general driver finds out why. */
#define ONE_WAY(name, id, lanes, partial, condition, otherwise)                                                        \
    static __attribute__((noinline))                                                                                   \
    const struct cy_uop *name##_##id(struct cy_warp *w, const struct cy_uop *u, uint64_t left)                         \
    {                                                                                                                  \
        const unsigned n = (lanes);                                                                                    \
        const bool some = (partial);                                                                                   \
        (void)n, (void)some;                                                                                           \
        return CY_LIKELY(condition) ? cy_then(w, cy_next(u), left) : (otherwise)(w, u, left);                          \
    }
#define HANDLER(name, id, lanes, partial, block, may_run, halves, runs, any)                                           \
    ONE_WAY(name##_any, id, lanes, partial, any, missed)                                                               \
    ONE_WAY(name##_runs, id, lanes, partial, runs, name##_any_##id)                                                    \
    ONE_WAY(name##_halves, id, lanes, partial, halves, name##_runs_##id)                                               \
    ONE_WAY(name, id, lanes, partial, block,                                                                           \
            (may_run) ? (CY_LONG_RUNS ? name##_halves_##id : name##_runs_##id) : name##_any_##id)
#define FOUR(id, block, may_run, halves, runs, any)                                                                    \
    HANDLER(full32, id, 32, false, block, may_run, halves, runs, any)                                                  \
    HANDLER(part32, id, 32, true, block, may_run, halves, runs, any)                                                   \
    HANDLER(full, id, w->numt, false, block, may_run, halves, runs, any)                                               \
    HANDLER(part, id, w->numt, true, block, may_run, halves, runs, any)
#define ROW(number) (w->v + (size_t)(number)*n)
#define LOAD(id, type)                                                                                                 \
    FOUR(id, load_block_##type(w, ROW(u->d), ROW(u->a), 0, u->imm, n, some),                                           \
         sizeof(type) == 4 && __builtin_constant_p(n) && n == 32 && !some && are_word_runs(ROW(u->a)),                 \
         load_word_halves(w, ROW(u->d), ROW(u->a), u->imm), load_word_runs(w, ROW(u->d), ROW(u->a), u->imm),           \
         load_##type(w, ROW(u->d), ROW(u->a), u->imm, n, some))
#define STORE(id, type)                                                                                                \
    FOUR(id, store_block_##type(w, ROW(u->b), ROW(u->a), 0, u->imm, n, some), false, false, false,                     \
         store_##type(w, ROW(u->b), ROW(u->a), u->imm, n, some))

/* 64-bit addresses, in a pair of registers: lanes whose high words are equal are lanes with 32-bit addresses and a large
 * offset.  What counts instructions wants to see each address. */
#define MOST_HIGH 0x3fffffffu /* no memory is above, and sums of addresses and offsets below do not overflow */
ALWAYS_INLINE bool common_high(struct cy_warp *w, const struct cy_uop *u, unsigned n, bool some, int64_t *offset)
{
    const uint32_t *high = ROW(u->a + 1), *low = ROW(u->a);
    const unsigned first = some ? (unsigned)__builtin_ctzll(w->active | 1ull << 63) % n : 0;
    const uint32_t one = high[first];
    uint32_t differs = 0;
    for (unsigned i = 0; i < n; i++)
        differs |= some ? (high[i] ^ one) & w->lane_mask[i] : high[i] ^ one;
    w->missed = (uint64_t)one << 32 | low[first];
    *offset = (int64_t)((uint64_t)(one & MOST_HIGH) << 32) + u->imm;
    return !differs && one <= MOST_HIGH && !(u->a & 1) && !w->looks;
}
#define LOAD_FAR(id, type)                                                                                             \
    ALWAYS_INLINE bool far_##id(struct cy_warp *w, const struct cy_uop *u, unsigned n, bool some, unsigned strategy)   \
    {                                                                                                                  \
        int64_t offset;                                                                                                \
        if (!common_high(w, u, n, some, &offset))                                                                      \
            return false;                                                                                              \
        return strategy == 0   ? load_block_##type(w, ROW(u->d), ROW(u->a), 0, offset, n, some)                        \
               : strategy == 1 ? load_word_halves(w, ROW(u->d), ROW(u->a), offset)                                     \
               : strategy == 2 ? load_word_runs(w, ROW(u->d), ROW(u->a), offset)                                       \
                               : load_##type(w, ROW(u->d), ROW(u->a), offset, n, some);                                \
    }                                                                                                                  \
    FOUR(id, far_##id(w, u, n, some, 0),                                                                               \
         sizeof(type) == 4 && __builtin_constant_p(n) && n == 32 && !some && are_word_runs(ROW(u->a)),                 \
         far_##id(w, u, n, some, 1), far_##id(w, u, n, some, 2), far_##id(w, u, n, some, 3))
#define STORE_FAR(id, type)                                                                                            \
    ALWAYS_INLINE bool far_##id(struct cy_warp *w, const struct cy_uop *u, unsigned n, bool some, bool block)          \
    {                                                                                                                  \
        int64_t offset;                                                                                                \
        if (!common_high(w, u, n, some, &offset))                                                                      \
            return false;                                                                                              \
        return block ? store_block_##type(w, ROW(u->b), ROW(u->a), 0, offset, n, some)                                 \
                     : store_##type(w, ROW(u->b), ROW(u->a), offset, n, some);                                         \
    }                                                                                                                  \
    FOUR(id, far_##id(w, u, n, some, true), false, false, false, far_##id(w, u, n, some, false))

/* Private memory is interleaved by word: lanes that use the same private address access consecutive words. */
ALWAYS_INLINE bool private_addresses(const struct cy_warp *w, const struct cy_uop *u, uint32_t *out, unsigned size,
                                     unsigned n, bool some)
{
    const uint32_t *a = ROW(u->a);
    uint32_t threads = w->numw * n, worst = 0, first = w->pds + 4 * w->tid;
    for (unsigned i = 0; i < n; i++) {
        uint32_t at = a[i] + (uint32_t)u->imm, counts = some ? at & w->lane_mask[i] : at;
        worst = counts > worst ? counts : worst;
        out[i] = first + (at & ~3u) * threads + (at & 3) + 4 * i;
    }
    return w->pds_size <= 1u << 20 && (uint64_t)worst + size <= w->pds_size;
}
#define PRIVATE(id, type, move, data)                                                                                  \
    ALWAYS_INLINE bool private_##id(struct cy_warp *w, const struct cy_uop *u, unsigned n, bool some, bool block)      \
    {                                                                                                                  \
        uint32_t at[CY_MAX_LANES];                                                                                     \
        at[0] = at[1] = 0;                                                                                             \
        if (!private_addresses(w, u, at, sizeof(type), n, some))                                                       \
            return false;                                                                                              \
        return block ? move##_block_##type(w, ROW(data), at, 0, 0, n, some)                                            \
                     : move##_##type(w, ROW(data), at, 0, n, some);                                                    \
    }                                                                                                                  \
    FOUR(id, private_##id(w, u, n, some, true), false, false, false, private_##id(w, u, n, some, false))

/* Unit stride is consecutive by definition; imm = vm. */
ALWAYS_INLINE uint8_t *unit_stride(struct cy_warp *w, const struct cy_uop *u, unsigned access, unsigned n)
{
    uint32_t first = w->x[u->a];
    return u->imm && !(first & 3) && span_allowed(w, first, (uint64_t)first + 4 * n, access) ? w->memory_base + first
                                                                                             : NULL;
}
ALWAYS_INLINE bool unit_load(struct cy_warp *w, const struct cy_uop *u, unsigned n, bool some)
{
    const uint8_t *from = unit_stride(w, u, CY_READ, n);
    uint32_t *d = ROW(u->d), values[CY_MAX_LANES];
    if (!from)
        return false;
    if (!some) {
        move_words(d, from, n);
        return true;
    }
    memcpy(values, from, 4 * n);
    for (unsigned i = 0; i < n; i++)
        d[i] = BLEND(values[i]);
    return true;
}
ALWAYS_INLINE bool unit_store(struct cy_warp *w, const struct cy_uop *u, unsigned n, bool some)
{
    uint8_t *to = some ? NULL : unit_stride(w, u, CY_WRITE, n);
    if (to)
        move_words(to, ROW(u->d), n);
    return to;
}

/* A scalar base plus a per-lane index; imm = vm. */
#define INDEXED(id, move)                                                                                              \
    ALWAYS_INLINE bool indexed_##id(struct cy_warp *w, const struct cy_uop *u, unsigned n, bool some, bool block)      \
    {                                                                                                                  \
        const uint32_t *index = ROW(u->b), base = w->x[u->a];                                                          \
        uint32_t at[CY_MAX_LANES];                                                                                     \
        at[0] = at[1] = at[2] = 0;                                                                                     \
        if (!u->imm)                                                                                                   \
            return false;                                                                                              \
        if (block)                                                                                                     \
            return move##_block_uint32_t(w, ROW(u->d), index, base, 0, n, some);                                       \
        for (unsigned i = 0; i < n; i++)                                                                               \
            at[i] = base + index[i];                                                                                   \
        return move##_uint32_t(w, ROW(u->d), at, 0, n, some);                                                          \
    }                                                                                                                  \
    FOUR(id, indexed_##id(w, u, n, some, true), false, false, false, indexed_##id(w, u, n, some, false))

/* Two to four words per lane, to or from as many registers; a load has the number in b, a store in d.  Lanes whose words
 * follow those of the lane before are one block.  Everything is allowed before anything moves, and addresses are copied: a load may
 * overwrite them. */
ALWAYS_INLINE bool words_allowed(struct cy_warp *w, const uint32_t *a, int64_t offset, unsigned words, unsigned access,
                                 unsigned n, bool some, bool *block)
{
    const unsigned size = 4 * words;
    *block = !(some && access == CY_WRITE) && is_consecutive(a, size, n);
    const struct range all =
        *block ? (struct range){a[0], (int64_t)a[0] + size * (n - 1), a[0]} : measure(a, n, some ? w->lane_mask : NULL);
    return !((all.bits | (uint32_t)offset) & 3) &&
           span_allowed(w, (uint64_t)(all.low + offset), (uint64_t)(all.high + offset + size), access);
}
#define MOVE_WORDS(words)                                                                                              \
    ALWAYS_INLINE bool load_##words##_words(struct cy_warp *w, unsigned d0, const uint32_t *a, int64_t offset,         \
                                            unsigned n, bool some)                                                     \
    {                                                                                                                  \
        uint32_t at[CY_MAX_LANES], values[words][CY_MAX_LANES];                                                        \
        bool block;                                                                                                    \
        if (!words_allowed(w, a, offset, words, CY_READ, n, some, &block))                                             \
            return false;                                                                                              \
        const uint8_t *base = base_of(w, offset);                                                                      \
        if (block) {                                                                                                   \
            const uint32_t *from = (const uint32_t *)(const void *)(base + a[0]);                                      \
            for (unsigned i = 0; i < n; i++)                                                                           \
                for (unsigned k = 0; k < (words); k++)                                                                 \
                    values[k][i] = from[(words)*i + k];                                                                \
        } else if (some) {                                                                                             \
            memcpy(at, a, n * sizeof(*a));                                                                             \
            EACH_ACTIVE for (unsigned k = 0; k < (words); k++) ROW(d0 + k)[i] =                                        \
                *(const uint32_t *)(const void *)(base + at[i] + 4 * k);                                               \
            return true;                                                                                               \
        } else {                                                                                                       \
            for (unsigned i = 0; i < n; i++) {                                                                         \
                const uint32_t *from = (const uint32_t *)(const void *)(base + a[i]);                                  \
                for (unsigned k = 0; k < (words); k++)                                                                 \
                    values[k][i] = from[k];                                                                            \
            }                                                                                                          \
        }                                                                                                              \
        for (unsigned k = 0; k < (words); k++) {                                                                       \
            uint32_t *d = ROW(d0 + k);                                                                                 \
            if (!some)                                                                                                 \
                move_words(d, values[k], n);                                                                           \
            for (unsigned i = 0; some && i < n; i++)                                                                   \
                d[i] = BLEND(values[k][i]);                                                                            \
        }                                                                                                              \
        return true;                                                                                                   \
    }                                                                                                                  \
    ALWAYS_INLINE bool store_##words##_words(struct cy_warp *w, unsigned b0, const uint32_t *a, int64_t offset,        \
                                             unsigned n, bool some)                                                    \
    {                                                                                                                  \
        bool block;                                                                                                    \
        if (!words_allowed(w, a, offset, words, CY_WRITE, n, some, &block))                                            \
            return false;                                                                                              \
        uint8_t *base = base_of(w, offset);                                                                            \
        if (block) {                                                                                                   \
            uint32_t *to = (uint32_t *)(void *)(base + a[0]), values[words][CY_MAX_LANES];                             \
            for (unsigned k = 0; k < (words); k++)                                                                     \
                move_words(values[k], ROW(b0 + k), n);                                                                 \
            for (unsigned i = 0; i < n; i++)                                                                           \
                for (unsigned k = 0; k < (words); k++)                                                                 \
                    to[(words)*i + k] = values[k][i];                                                                  \
        } else {                                                                                                       \
            for (unsigned k = 0; k < (words); k++) { /* word by word: lanes may overlap */                             \
                const uint32_t *b = ROW(b0 + k);                                                                       \
                EACH_ACTIVE *(uint32_t *)(void *)(base + a[i] + 4 * k) = b[i];                                         \
            }                                                                                                          \
        }                                                                                                              \
        return true;                                                                                                   \
    }
MOVE_WORDS(2)
MOVE_WORDS(3)
MOVE_WORDS(4)
#define BY_WORDS(move, words, ...)                                                                                     \
    ((words) == 2   ? move##_2_words(__VA_ARGS__)                                                                      \
     : (words) == 3 ? move##_3_words(__VA_ARGS__)                                                                      \
                    : move##_4_words(__VA_ARGS__))
#define WORDS(id, move, data, words)                                                                                   \
    FOUR(words_##id,                                                                                                   \
         !w->looks && (data) + (words) <= 256u && BY_WORDS(move, words, w, data, ROW(u->a), u->imm, n, some), false,   \
         false, false, false)
#define WORDS_FAR(id, move, data, words)                                                                               \
    ALWAYS_INLINE bool far_words_##id(struct cy_warp *w, const struct cy_uop *u, unsigned n, bool some)                \
    {                                                                                                                  \
        int64_t offset;                                                                                                \
        if (!common_high(w, u, n, some, &offset) || (data) + (words) > 256u)                                           \
            return false;                                                                                              \
        return BY_WORDS(move, words, w, data, ROW(u->a), offset, n, some);                                             \
    }                                                                                                                  \
    FOUR(words_##id, far_words_##id(w, u, n, some), false, false, false, false)

/* Words of private memory are interleaved: each of them is a row of consecutive ones if the lanes' private addresses are
 * equal. */
ALWAYS_INLINE bool private_words(struct cy_warp *w, const struct cy_uop *u, unsigned n, bool some, bool is_store)
{
    const unsigned words = is_store ? u->d : u->b, data = is_store ? u->b : u->d;
    const uint32_t step = 4 * w->numw * n;
    uint32_t at[CY_MAX_LANES];
    at[0] = at[1] = at[n - 1] = 0;
    if (w->looks || data + words > 256u || !private_addresses(w, u, at, 4 * words, n, some))
        return false;
    const bool block = !(some && is_store) && is_consecutive(at, 4, n);
    const struct range all =
        block ? (struct range){at[0], (int64_t)at[0] + 4 * (n - 1), at[0]} : measure(at, n, some ? w->lane_mask : NULL);
    if (all.bits & 3 || !span_allowed(w, (uint64_t)all.low, (uint64_t)(all.high + step * (words - 1) + 4),
                                      is_store ? CY_WRITE : CY_READ))
        return false;
    for (unsigned k = 0; k < words; k++) {
        uint32_t *d = ROW(data + k);
        uint8_t *base = w->memory_base + (size_t)step * k;
        if (block && !some && is_store)
            move_words(base + at[0], d, n);
        else if (block && !some)
            move_words(d, base + at[0], n);
        else if (is_store)
            EACH_ACTIVE *(uint32_t *)(void *)(base + at[i]) = d[i];
        else
            EACH_ACTIVE d[i] = *(const uint32_t *)(const void *)(base + at[i]);
    }
    return true;
}

LOAD(vlb12_v, int8_t)
LOAD(vlh12_v, int16_t)
LOAD(vlw12_v, uint32_t)
LOAD(vlbu12_v, uint8_t)
LOAD(vlhu12_v, uint16_t)
STORE(vsb12_v, uint8_t)
STORE(vsh12_v, uint16_t)
STORE(vsw12_v, uint32_t)
LOAD_FAR(vlb12d_v, int8_t)
LOAD_FAR(vlh12d_v, int16_t)
LOAD_FAR(vlw12d_v, uint32_t)
LOAD_FAR(vlbu12d_v, uint8_t)
LOAD_FAR(vlhu12d_v, uint16_t)
STORE_FAR(vsb12d_v, uint8_t)
STORE_FAR(vsh12d_v, uint16_t)
STORE_FAR(vsw12d_v, uint32_t)
PRIVATE(vlb_v, int8_t, load, u->d)
PRIVATE(vlh_v, int16_t, load, u->d)
PRIVATE(vlw_v, uint32_t, load, u->d)
PRIVATE(vlbu_v, uint8_t, load, u->d)
PRIVATE(vlhu_v, uint16_t, load, u->d)
PRIVATE(vsb_v, uint8_t, store, u->b)
PRIVATE(vsh_v, uint16_t, store, u->b)
PRIVATE(vsw_v, uint32_t, store, u->b)
FOUR(vle32_v, unit_load(w, u, n, some), false, false, false, false)
FOUR(vse32_v, unit_store(w, u, n, some), false, false, false, false)
INDEXED(vluxei32_v, load)
INDEXED(vsuxei32_v, store)
WORDS(vlw12_v, load, u->d, u->b)
WORDS(vsw12_v, store, u->b, u->d)
WORDS_FAR(vlw12d_v, load, u->d, u->b)
WORDS_FAR(vsw12d_v, store, u->b, u->d)
FOUR(words_vlw_v, private_words(w, u, n, some, false), false, false, false, false)
FOUR(words_vsw_v, private_words(w, u, n, some, true), false, false, false, false)

/* The rows with a fast path: of these formats, unit stride and 32-bit indices. */
#define EXPR(...)
#define APPLY(macro, id) macro(id)
#define HOOK(id, mnemonic, format, ...) APPLY(CY_SHAPE_##format, id)
#define HANDLERS_SLOW(id)
#define MEMORY(addressing, width, path) HANDLERS_##path
#define LANES(...) HANDLERS_SLOW
#define OWN() HANDLERS_SLOW
#define JOINED() HANDLERS_SLOW

extern const struct cy_handlers CY_OF_LEVEL(cy_memory32_handlers, CY_LEVEL)[CY_OP_COUNT];
const struct cy_handlers CY_OF_LEVEL(cy_memory32_handlers, CY_LEVEL)[CY_OP_COUNT] = {
#define HANDLERS_FAST(id) [CY_OP_##id] = {{full32_##id, part32_##id, cy_memory_general}},
#include "isa/ventus.def"
    HANDLERS_FAST(vle32_v) HANDLERS_FAST(vse32_v) HANDLERS_FAST(vluxei32_v) HANDLERS_FAST(vsuxei32_v)
#undef HANDLERS_FAST
};
extern const struct cy_handlers CY_OF_LEVEL(cy_memory_handlers, CY_LEVEL)[CY_OP_COUNT];
const struct cy_handlers CY_OF_LEVEL(cy_memory_handlers, CY_LEVEL)[CY_OP_COUNT] = {
#define HANDLERS_FAST(id) [CY_OP_##id] = {{full_##id, part_##id, cy_memory_general}},
#include "isa/ventus.def"
    HANDLERS_FAST(vle32_v) HANDLERS_FAST(vse32_v) HANDLERS_FAST(vluxei32_v) HANDLERS_FAST(vsuxei32_v)
#undef HANDLERS_FAST
};
#define EACH_WORDS(ROW_OF) ROW_OF(vlw12_v) ROW_OF(vsw12_v) ROW_OF(vlw12d_v) ROW_OF(vsw12d_v) ROW_OF(vlw_v) ROW_OF(vsw_v)
extern const struct cy_handlers CY_OF_LEVEL(cy_words32_handlers, CY_LEVEL)[CY_OP_COUNT];
const struct cy_handlers CY_OF_LEVEL(cy_words32_handlers, CY_LEVEL)[CY_OP_COUNT] = {
#define HANDLERS_WORDS(id) [CY_OP_##id] = {{full32_words_##id, part32_words_##id, cy_memory_general}},
    EACH_WORDS(HANDLERS_WORDS)
#undef HANDLERS_WORDS
};
extern const struct cy_handlers CY_OF_LEVEL(cy_words_handlers, CY_LEVEL)[CY_OP_COUNT];
const struct cy_handlers CY_OF_LEVEL(cy_words_handlers, CY_LEVEL)[CY_OP_COUNT] = {
#define HANDLERS_WORDS(id) [CY_OP_##id] = {{full_words_##id, part_words_##id, cy_memory_general}},
    EACH_WORDS(HANDLERS_WORDS)
#undef HANDLERS_WORDS
};
