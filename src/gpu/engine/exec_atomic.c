/* The A extension on vector registers: lane by lane, active lanes in ascending order.  For old binaries, the launch
 * option scalar_atomics gives the encodings their scalar meaning. */
#include "gpu/engine/engine_priv.h"
#include "gpu/engine/eval.h"

#define HANDLER(id) CY_HANDLER(, cy_exec_##id)

enum atomic_kind { RMW, LOAD_RESERVED, STORE_CONDITIONAL };

/* LR and SC of one thread: SC succeeds if the word is reserved and unchanged.  A store of the same value by another
 * thread goes unnoticed, which LR/SC loops over values do not depend on; a lane's SC ends the reservations of the
 * warp's lanes on that word. */
static uint32_t end_reservations(struct cy_warp *w, uint64_t at, unsigned lane, bool done)
{
    w->reservation[lane] = 0;
    for (unsigned i = 0; done && i < w->numt; i++)
        if (w->reservation[i] == at + 1)
            w->reservation[i] = 0;
    return !done;
}
static uint32_t store_conditional(struct cy_warp *w, _Atomic uint32_t *word, uint64_t at, uint32_t operand,
                                  unsigned lane)
{
    uint32_t expected = (uint32_t)w->reserved_value[lane];
    bool done = w->reservation[lane] == at + 1 && atomic_compare_exchange_strong(word, &expected, operand);
    return end_reservations(w, at, lane, done);
}
static uint32_t store_conditional_pair(struct cy_warp *w, _Atomic uint64_t *word, uint64_t at, uint64_t operand,
                                       unsigned lane)
{
    uint64_t expected = w->reserved_value[lane];
    bool done = w->reservation[lane] == at + 1 && atomic_compare_exchange_strong(word, &expected, operand);
    return end_reservations(w, at, lane, done);
}

/* One word, and the destination's value.  The host's atomics make it atomic across SMs. */
static uint32_t access_word(struct cy_warp *w, enum atomic_kind kind, cy_eval_fn *eval, _Atomic uint32_t *word,
                            uint64_t at, uint32_t operand, unsigned lane)
{
    struct cy_eval e = {0};
    if (kind == STORE_CONDITIONAL)
        return store_conditional(w, word, at, operand, lane);
    uint32_t seen = atomic_load(word);
    if (kind == LOAD_RESERVED) {
        w->reserves = true;
        w->reservation[lane] = at + 1;
        w->reserved_value[lane] = seen;
        return seen;
    }
    while (!atomic_compare_exchange_weak(word, &seen, (uint32_t)eval(&e, seen, operand, 0)))
        ;
    return seen;
}

static unsigned rights_of(enum atomic_kind kind)
{
    return kind == LOAD_RESERVED ? CY_READ : CY_READ | CY_WRITE;
}

/* The same for a warp whose lanes all name one word, as a compare-exchange loop on a counter does: of the conditional
 * stores one can succeed, and then no lane has a reservation any more.  `high`: the second register of 64-bit data. */
static void reserve_one_word(struct cy_warp *w, void *word, uint64_t at, uint32_t *d, uint32_t *high)
{
    const uint64_t seen = high ? atomic_load((_Atomic uint64_t *)word) : atomic_load((_Atomic uint32_t *)word);
    w->reserves = true;
    for (uint64_t left = w->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        w->reservation[lane] = at + 1;
        w->reserved_value[lane] = seen;
        d[lane] = (uint32_t)seen;
        if (high)
            high[lane] = (uint32_t)(seen >> 32);
    }
}
static void store_one_word(struct cy_warp *w, void *word, uint64_t at, const uint32_t *b, const uint32_t *high,
                           uint32_t *d)
{
    bool done = false;
    for (uint64_t left = w->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if (done)
            d[lane] = 1;
        else if (high)
            d[lane] = store_conditional_pair(w, word, at, (uint64_t)high[lane] << 32 | b[lane], lane);
        else
            d[lane] = store_conditional(w, word, at, b[lane], lane);
        done |= !d[lane];
    }
    if (!done)
        return;
    for (uint64_t left = w->active; left; left &= left - 1)
        w->reservation[__builtin_ctzll(left)] = 0;
}

/* The common case: all lanes in the workgroup's local memory or in the extent used last.  Local memory belongs to the
 * host thread that runs the SM, so nothing can interleave. */
static bool access_words(struct cy_warp *w, const struct cy_uop *u, enum atomic_kind kind, cy_eval_fn *eval)
{
    const uint32_t *a = cy_vreg(w, u->a), *b = cy_vreg(w, u->b);
    uint32_t *d = cy_vreg(w, u->d), low = UINT32_MAX, high = 0, bits = 0;
    struct cy_eval e = {0};
    for (uint64_t left = w->active; left; left &= left - 1) {
        const uint32_t at = a[__builtin_ctzll(left)];
        low = at < low ? at : low;
        high = at > high ? at : high;
        bits |= at;
    }
    const uint64_t end = (uint64_t)high + 4;
    const bool local = low >= w->lds && end <= (uint64_t)w->lds + w->lds_size;
    if (bits & 3 || !(local || cy_in_extent(&w->extent, low, end, rights_of(kind))))
        return false;
    if (kind != RMW && low == high) {
        if (kind == LOAD_RESERVED)
            reserve_one_word(w, w->memory_base + low, low, d, NULL);
        else
            store_one_word(w, w->memory_base + low, low, b, NULL, d);
        return true;
    }
    for (uint64_t left = w->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        _Atomic uint32_t *word = (_Atomic uint32_t *)(void *)(w->memory_base + a[lane]);
        const uint32_t operand = b[lane];
        if (kind != RMW) {
            d[lane] = access_word(w, kind, eval, word, a[lane], operand, lane);
            continue;
        }
        uint32_t seen = atomic_load_explicit(word, memory_order_relaxed);
        if (local)
            atomic_store_explicit(word, (uint32_t)eval(&e, seen, operand, 0), memory_order_relaxed);
        else
            while (!atomic_compare_exchange_weak(word, &seen, (uint32_t)eval(&e, seen, operand, 0)))
                ;
        d[lane] = seen;
    }
    return true;
}

/* Shared by all forms: from the row and its prefix. */
struct atomic {
    enum atomic_kind kind;
    cy_eval_fn *eval;
    struct cy_memory_prefix prefix;
    bool wide; /* 64-bit addresses */
    unsigned rights;
};

static _Atomic uint32_t *resolve(struct cy_warp *w, const struct cy_uop *u, const struct atomic *atomic,
                                 uint64_t *address, int lane)
{
    if (!cy_memory_place(w, u, atomic->prefix.space, atomic->wide, address, 4, atomic->rights, lane))
        return NULL;
    return (_Atomic uint32_t *)(void *)cy_host(w, u, *address, 4, atomic->rights, lane);
}

/* The rows name v registers: here they mean x registers, of which there are fewer, and x0 is not written. */
static const struct cy_uop *scalar(struct cy_warp *w, const struct cy_uop *u, const struct atomic *atomic)
{
    if (u->a > 63 || u->b > 63 || u->d > 63 || (atomic->wide && u->a & 1))
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, u->a);
    uint64_t at = w->x[u->a] | (atomic->wide && u->a ? (uint64_t)w->x[u->a + 1] << 32 : 0);
    _Atomic uint32_t *word = resolve(w, u, atomic, &at, -1);
    uint32_t operand = w->x[u->b];
    if (!word)
        return NULL;
    w->x[u->d ? u->d : 64] = access_word(w, atomic->kind, atomic->eval, word, at, operand, 0);
    cy_observe_memory(w, u, atomic->rights, 4, 1, &at, &operand);
    return cy_next(u);
}

/* ---- 64 bits: even data registers under a pair prefix ---- */

static uint64_t access_pair(struct cy_warp *w, enum atomic_kind kind, cy_eval_fn *eval, _Atomic uint64_t *word,
                            uint64_t at, uint64_t operand, unsigned lane)
{
    struct cy_eval e = {0};
    if (kind == STORE_CONDITIONAL)
        return store_conditional_pair(w, word, at, operand, lane);
    uint64_t seen = atomic_load(word);
    if (kind == LOAD_RESERVED) {
        w->reserves = true;
        w->reservation[lane] = at + 1;
        w->reserved_value[lane] = seen;
        return seen;
    }
    while (!atomic_compare_exchange_weak(word, &seen, eval(&e, seen, operand, 0)))
        ;
    return seen;
}

/* Does the prefix make the data of this instruction 64 bits wide?  Sets *fits to false if its registers differ. */
static bool has_wide_data(const struct cy_uop *u, enum atomic_kind kind, const struct cy_memory_prefix *prefix,
                          bool *fits)
{
    const bool from_pair = !(u->b & 1), to_pair = !(u->d & 1);
    *fits = !prefix->pairs || kind != RMW || from_pair == to_pair;
    return prefix->pairs && (kind == LOAD_RESERVED ? to_pair : from_pair);
}

static const struct cy_uop *wide_lanes(struct cy_warp *w, const struct cy_uop *u, const struct atomic *atomic,
                                       const uint64_t *addresses, cy_eval_fn *eval)
{
    uint64_t place[CY_MAX_LANES], upper[CY_MAX_LANES];
    uint32_t low[CY_MAX_LANES], high[CY_MAX_LANES];
    _Atomic uint64_t *words[CY_MAX_LANES];
    for (uint64_t left = w->active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        place[lane] = addresses[lane];
        if (!cy_memory_place(w, u, atomic->prefix.space, atomic->wide, &place[lane], 8, atomic->rights, (int)lane))
            return NULL;
        words[lane] = (_Atomic uint64_t *)(void *)cy_host(w, u, place[lane], 8, atomic->rights, (int)lane);
        if (!words[lane])
            return NULL;
        upper[lane] = place[lane] + 4;
    }
    uint32_t *d = cy_vreg(w, u->d), *d_high = u->d & 1 ? NULL : cy_vreg(w, u->d + 1u);
    const uint32_t *b = cy_vreg(w, u->b), *b_high = cy_vreg(w, u->b + 1u);
    for (uint64_t left = w->active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        low[lane] = b[lane];
        high[lane] = b_high[lane];
        uint64_t value =
            access_pair(w, atomic->kind, eval, words[lane], place[lane], (uint64_t)high[lane] << 32 | low[lane], lane);
        d[lane] = (uint32_t)value;
        if (d_high)
            d_high[lane] = (uint32_t)(value >> 32);
    }
    cy_observe_memory(w, u, atomic->rights, 4, w->active, place, low);
    cy_observe_memory(w, u, atomic->rights, 4, w->active, upper, high);
    return cy_next(u);
}

/* The same as access_words for 64-bit addresses and 64-bit data. */
static bool access_far_words(struct cy_warp *w, const struct cy_uop *u, const struct atomic *atomic, const uint64_t *at,
                             bool wide_data, cy_eval_fn *eval)
{
    const uint32_t *b = cy_vreg(w, u->b), *b_high = cy_vreg(w, u->b + wide_data);
    uint32_t *d = cy_vreg(w, u->d), *d_high = wide_data && !(u->d & 1) ? cy_vreg(w, u->d + 1u) : NULL;
    const unsigned bytes = wide_data ? 8 : 4;
    uint64_t low = UINT64_MAX, high = 0, bits = 0;
    for (uint64_t left = w->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        low = at[lane] < low ? at[lane] : low;
        high = at[lane] > high ? at[lane] : high;
        bits |= at[lane];
    }
    const bool local = low >= w->lds && low < high + bytes && high + bytes <= (uint64_t)w->lds + w->lds_size;
    if (bits & (bytes - 1) || !(local || cy_in_extent(&w->extent, low, high + bytes, atomic->rights)))
        return false;
    uint8_t *base = local ? w->memory_base + low : cy_extent_host(&w->extent, low);
    if (atomic->kind == LOAD_RESERVED && low == high && !wide_data == !d_high) {
        reserve_one_word(w, base, low, d, d_high);
        return true;
    }
    if (atomic->kind == STORE_CONDITIONAL && low == high) {
        store_one_word(w, base, low, b, wide_data ? b_high : NULL, d);
        if (d_high)
            for (uint64_t left = w->active; left; left &= left - 1)
                d_high[__builtin_ctzll(left)] = 0;
        return true;
    }
    for (uint64_t left = w->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        void *word = base + (at[lane] - low);
        uint64_t seen =
            wide_data ? access_pair(w, atomic->kind, eval, word, at[lane], (uint64_t)b_high[lane] << 32 | b[lane], lane)
                      : access_word(w, atomic->kind, eval, word, at[lane], b[lane], lane);
        d[lane] = (uint32_t)seen;
        if (d_high)
            d_high[lane] = (uint32_t)(seen >> 32);
    }
    return true;
}

static const struct cy_uop *lanes(struct cy_warp *w, const struct cy_uop *u, enum atomic_kind kind)
{
    const struct cy_insn *insn = cy_uop_insn(w, u);
    const bool plain = w->mode != CY_MODE_GENERAL && !insn->prefix && !(cy_insns[insn->op].flags & CY_F_WIDE);
    if (CY_LIKELY(plain && !cy_is_watched(w) && !w->run->scalar_atomics) &&
        access_words(w, u, kind, cy_evals_32[insn->op]))
        return cy_next(u);
    struct atomic atomic = {.kind = kind, .eval = cy_evals_32[insn->op], .prefix = cy_memory_prefix(w, insn)};
    uint64_t address[CY_MAX_LANES];
    uint32_t operands[CY_MAX_LANES];
    _Atomic uint32_t *words[CY_MAX_LANES];
    atomic.wide = cy_insns[insn->op].flags & CY_F_WIDE || atomic.prefix.wide || (atomic.prefix.pairs && !(u->a & 1));
    atomic.rights = rights_of(kind);
    if (w->run->scalar_atomics)
        return scalar(w, u, &atomic);
    if (w->vtype & CY_VILL)
        return cy_fault(w, u, CY_FAULT_VTYPE, -1, w->vtype);
    bool fits;
    const bool wide_data = has_wide_data(u, kind, &atomic.prefix, &fits);
    if ((atomic.wide && u->a & 1) || !fits)
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, u->a);
    cy_eval_fn *eval = wide_data ? cy_evals_64[insn->op] : atomic.eval;
    const uint32_t *a = cy_vreg(w, u->a), *a_high = cy_vreg(w, u->a + atomic.wide);
    for (uint64_t left = w->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        address[lane] = a[lane] | (atomic.wide ? (uint64_t)a_high[lane] << 32 : 0);
    }
    if (w->mode != CY_MODE_GENERAL && atomic.prefix.space == CY_SPACE_DEFAULT && !cy_is_watched(w) &&
        access_far_words(w, u, &atomic, address, wide_data, eval))
        return cy_next(u);
    if (wide_data)
        return wide_lanes(w, u, &atomic, address, eval);
    for (uint64_t left = w->active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        words[lane] = resolve(w, u, &atomic, &address[lane], (int)lane);
        if (!words[lane])
            return NULL;
    }
    uint32_t *d = cy_vreg(w, u->d);
    const uint32_t *b = cy_vreg(w, u->b);
    for (uint64_t left = w->active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        operands[lane] = b[lane];
        d[lane] = access_word(w, kind, atomic.eval, words[lane], address[lane], operands[lane], lane);
    }
    cy_observe_memory(w, u, atomic.rights, 4, w->active, address, operands);
    return cy_next(u);
}

#define EXPR(id, mnemonic, format, ...) ATOMIC_##format(id)
#define HOOK(...)
#define ATOMIC_AMO(id)                                                                                                 \
    HANDLER(id)                                                                                                        \
    {                                                                                                                  \
        return lanes(w, u, RMW);                                                                                       \
    }
#define ATOMIC_R(id)
#define ATOMIC_I(id)
#define ATOMIC_SHIFT(id)
#define ATOMIC_BRANCH(id)
#define ATOMIC_R64(id)
#define ATOMIC_I64(id)
#define ATOMIC_SHIFT64(id)
#define ATOMIC_FR(id)
#define ATOMIC_FRN(id)
#define ATOMIC_FU(id)
#define ATOMIC_FUN(id)
#define ATOMIC_FR4(id)
#include "isa/rv32.def"

HANDLER(lr_w)
{
    return lanes(w, u, LOAD_RESERVED);
}
HANDLER(lr_d)
{
    return lanes(w, u, LOAD_RESERVED);
}
HANDLER(sc_w)
{
    return lanes(w, u, STORE_CONDITIONAL);
}
HANDLER(sc_d)
{
    return lanes(w, u, STORE_CONDITIONAL);
}
