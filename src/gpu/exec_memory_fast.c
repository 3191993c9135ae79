/* Vector memory, fast: all lanes active, SEW 32, no prefix but regext, no mask register.
 *
 * Addresses are checked by extent (gpu/memory.h): a warp whose lanes all lie in the extent it used last pays a minimum,
 * a maximum and two compares for the whole access; consecutive addresses become one block move.  Whatever does not fit
 * goes to cy_memory_general, which finds out why. */
#include "gpu/engine_priv.h"

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

/* Two tests decide the common cases: the extent used last, and the workgroup's local memory. */
ALWAYS_INLINE bool span_known(const struct cy_warp *w, uint64_t low, uint64_t end, unsigned access)
{
    return CY_LIKELY(cy_in_extent(&w->extent, low, end, access)) ||
           (low >= w->lds && low < end && end <= (uint64_t)w->lds + w->lds_size && !cy_is_watched(w));
}

/* Remembers the extent of an address, so that the next access finds it.  The access at hand is left to the caller. */
static void remember_extent(struct cy_warp *w, uint64_t address)
{
    bool local = address >= CY_LDS_WINDOW && address < CY_LDS_WINDOW_END;
    if (!cy_is_watched(w) && !local && address <= UINT32_MAX)
        w->extent = cy_memory_extent(w->run->memory, address);
}

/* Are the addresses a[0], a[0] + size, a[0] + 2*size ...?  (Without wrapping round the end of the space.)  The second
 * lane answers for most that are not; then each quad must be the one before it plus four times the size. */
ALWAYS_INLINE bool is_consecutive(const uint32_t *a, unsigned size, unsigned n)
{
    if (a[1] - a[0] != size)
        return false;
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

struct range {
    uint32_t low, high, bits;
};
ALWAYS_INLINE struct range measure(const uint32_t *a, unsigned n)
{
    struct range r = {UINT32_MAX, 0, 0};
    for (unsigned i = 0; i < n; i++) {
        r.low = a[i] < r.low ? a[i] : r.low;
        r.high = a[i] > r.high ? a[i] : r.high;
        r.bits |= a[i];
    }
    return r;
}

/* Where lanes' data of `size` bytes starts in the host, when every lane may go there; NULL: ask the general driver.
 * Sets *block when the lanes are consecutive: then the result is the block's address, else it is what a[i] is added to. */
ALWAYS_INLINE uint8_t *lanes_base(struct cy_warp *w, const uint32_t *a, int32_t offset, unsigned size, unsigned access,
                                  unsigned n, bool *block)
{
    *block = is_consecutive(a, size, n);
    struct range r = {a[0], a[0] + size * (n - 1), a[0]};
    if (!*block)
        r = measure(a, n);
    /* in 64 bits: a span that leaves the 32-bit space, below 0 too, is never inside an extent */
    int64_t low = (int64_t)r.low + offset, end = (int64_t)r.high + offset + size;
    if (CY_UNLIKELY((r.bits | (uint32_t)offset) & (size - 1)) ||
        CY_UNLIKELY(!span_known(w, (uint64_t)low, (uint64_t)end, access)))
        return NULL;
    return w->memory_base + (*block ? low : (int64_t)offset);
}

#define LOAD_LANES(type)                                                                                               \
    ALWAYS_INLINE bool load_##type(struct cy_warp *w, uint32_t *d, const uint32_t *a, int32_t offset, unsigned n)      \
    {                                                                                                                  \
        bool block;                                                                                                    \
        const uint8_t *base = lanes_base(w, a, offset, sizeof(type), CY_READ, n, &block);                              \
        if (CY_UNLIKELY(!base))                                                                                        \
            return false;                                                                                              \
        if (CY_LIKELY(block) && sizeof(type) == 4) {                                                                   \
            memcpy(d, base, n * sizeof(type));                                                                         \
        } else if (block) {                                                                                            \
            type values[CY_MAX_LANES];                                                                                 \
            memcpy(values, base, n * sizeof(type));                                                                    \
            for (unsigned i = 0; i < n; i++)                                                                           \
                d[i] = (uint32_t)(int32_t)values[i];                                                                   \
        } else {                                                                                                       \
            for (unsigned i = 0; i < n; i++) /* d may be a: each lane reads its address before it writes */            \
                d[i] = (uint32_t)(int32_t) * (const type *)(const void *)(base + a[i]);                                \
        }                                                                                                              \
        return true;                                                                                                   \
    }
#define STORE_LANES(type)                                                                                              \
    ALWAYS_INLINE bool store_##type(struct cy_warp *w, const uint32_t *b, const uint32_t *a, int32_t offset,           \
                                    unsigned n)                                                                        \
    {                                                                                                                  \
        bool block;                                                                                                    \
        uint8_t *base = lanes_base(w, a, offset, sizeof(type), CY_WRITE, n, &block);                                   \
        if (CY_UNLIKELY(!base))                                                                                        \
            return false;                                                                                              \
        if (CY_LIKELY(block) && sizeof(type) == 4) {                                                                   \
            memcpy(base, b, n * sizeof(type));                                                                         \
        } else if (block) {                                                                                            \
            type values[CY_MAX_LANES];                                                                                 \
            for (unsigned i = 0; i < n; i++)                                                                           \
                values[i] = (type)b[i];                                                                                \
            memcpy(base, values, n * sizeof(type));                                                                    \
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

/* The access did not go straight: the general driver does it, and the next one may. */
static __attribute__((noinline)) const struct cy_uop *slow(struct cy_warp *w, const struct cy_uop *u, uint64_t address)
{
    const struct cy_uop *next = cy_memory_general(w, u);
    if (next)
        remember_extent(w, address);
    return next;
}

/* Each row's handler for 32 lanes (a constant) and for any number; `address` is one of those it uses. */
#define BOTH(id, condition, address)                                                                                   \
    static const struct cy_uop *full32_##id(struct cy_warp *w, const struct cy_uop *u)                                 \
    {                                                                                                                  \
        const unsigned n = 32;                                                                                         \
        return CY_LIKELY(condition) ? cy_next(u) : slow(w, u, address);                                                \
    }                                                                                                                  \
    static const struct cy_uop *full_##id(struct cy_warp *w, const struct cy_uop *u)                                   \
    {                                                                                                                  \
        const unsigned n = w->numt;                                                                                    \
        return CY_LIKELY(condition) ? cy_next(u) : slow(w, u, address);                                                \
    }
#define ROW(number) (w->v + (size_t)(number)*n)
#define LOAD(id, type)                                                                                                 \
    BOTH(id, load_##type(w, ROW(u->d), ROW(u->a), u->imm, n), (uint32_t)(ROW(u->a)[0] + (uint32_t)u->imm))
#define STORE(id, type)                                                                                                \
    BOTH(id, store_##type(w, ROW(u->b), ROW(u->a), u->imm, n), (uint32_t)(ROW(u->a)[0] + (uint32_t)u->imm))

/* Private memory is interleaved by word: lanes that use the same private address touch consecutive words. */
ALWAYS_INLINE bool private_addresses(const struct cy_warp *w, const struct cy_uop *u, uint32_t *out, unsigned size,
                                     unsigned n)
{
    const uint32_t *a = ROW(u->a);
    uint32_t threads = w->numw * n, worst = 0, first = w->pds + 4 * w->tid;
    for (unsigned i = 0; i < n; i++) {
        uint32_t at = a[i] + (uint32_t)u->imm;
        worst = at > worst ? at : worst;
        out[i] = first + (at & ~3u) * threads + (at & 3) + 4 * i;
    }
    return w->pds_size <= 1u << 20 && (uint64_t)worst + size <= w->pds_size;
}
#define PRIVATE(id, type, move, data)                                                                                  \
    ALWAYS_INLINE bool private_##id(struct cy_warp *w, const struct cy_uop *u, unsigned n)                             \
    {                                                                                                                  \
        uint32_t at[CY_MAX_LANES];                                                                                     \
        at[0] = at[1] = 0;                                                                                             \
        return private_addresses(w, u, at, sizeof(type), n) && move##_##type(w, ROW(data), at, 0, n);                  \
    }                                                                                                                  \
    BOTH(id, private_##id(w, u, n), w->pds)

/* Unit stride is consecutive by definition; imm = vm. */
ALWAYS_INLINE uint8_t *unit_stride(struct cy_warp *w, const struct cy_uop *u, unsigned access, unsigned n)
{
    uint32_t first = w->x[u->a];
    return u->imm && !(first & 3) && span_known(w, first, (uint64_t)first + 4 * n, access) ? w->memory_base + first
                                                                                           : NULL;
}
ALWAYS_INLINE bool unit_load(struct cy_warp *w, const struct cy_uop *u, unsigned n)
{
    const uint8_t *from = unit_stride(w, u, CY_READ, n);
    return from && memcpy(ROW(u->d), from, 4 * n);
}
ALWAYS_INLINE bool unit_store(struct cy_warp *w, const struct cy_uop *u, unsigned n)
{
    uint8_t *to = unit_stride(w, u, CY_WRITE, n);
    return to && memcpy(to, ROW(u->d), 4 * n);
}

LOAD(vlb12_v, int8_t)
LOAD(vlh12_v, int16_t)
LOAD(vlw12_v, uint32_t)
LOAD(vlbu12_v, uint8_t)
LOAD(vlhu12_v, uint16_t)
STORE(vsb12_v, uint8_t)
STORE(vsh12_v, uint16_t)
STORE(vsw12_v, uint32_t)
PRIVATE(vlb_v, int8_t, load, u->d)
PRIVATE(vlh_v, int16_t, load, u->d)
PRIVATE(vlw_v, uint32_t, load, u->d)
PRIVATE(vlbu_v, uint8_t, load, u->d)
PRIVATE(vlhu_v, uint16_t, load, u->d)
PRIVATE(vsb_v, uint8_t, store, u->b)
PRIVATE(vsh_v, uint16_t, store, u->b)
PRIVATE(vsw_v, uint32_t, store, u->b)
BOTH(vle32_v, unit_load(w, u, n), w->x[u->a])
BOTH(vse32_v, unit_store(w, u, n), w->x[u->a])

/* The rows with a fast path: those of these formats, and unit stride of 32 bits. */
#define EXPR(...)
#define HOOK(id, mnemonic, format, ...) HANDLERS_##format(id)
#define NO_HANDLERS(id)
#define HANDLERS_VL12 SOME_HANDLERS
#define HANDLERS_VS12 SOME_HANDLERS
#define HANDLERS_VLP SOME_HANDLERS
#define HANDLERS_VSP SOME_HANDLERS
#define HANDLERS_VL12D NO_HANDLERS
#define HANDLERS_VS12D NO_HANDLERS
#define HANDLERS_JOIN NO_HANDLERS
#define HANDLERS_SETRPC NO_HANDLERS
#define HANDLERS_ENDPRG NO_HANDLERS
#define HANDLERS_BARRIER NO_HANDLERS
#define HANDLERS_PREFIX NO_HANDLERS
#define HANDLERS_PREM NO_HANDLERS
#define HANDLERS_PRE NO_HANDLERS
#define HANDLERS_FVV NO_HANDLERS

const struct cy_handlers cy_memory32_handlers[CY_OP_COUNT] = {
#define SOME_HANDLERS(id) [CY_OP_##id] = {{full32_##id, cy_memory_general, cy_memory_general}},
#include "isa/ventus.def"
    SOME_HANDLERS(vle32_v) SOME_HANDLERS(vse32_v)
#undef SOME_HANDLERS
};
const struct cy_handlers cy_memory_handlers[CY_OP_COUNT] = {
#define SOME_HANDLERS(id) [CY_OP_##id] = {{full_##id, cy_memory_general, cy_memory_general}},
#include "isa/ventus.def"
    SOME_HANDLERS(vle32_v) SOME_HANDLERS(vse32_v)
#undef SOME_HANDLERS
};
