/* Counting per instruction: issues, inactive lanes, divergence, lines and bank conflicts of memory accesses.
 *
 * This is what a profile without the cycle model consists of.  It must be cheap, so it does not use observers: the handlers run
 * as always, with their fast paths, and the addresses of an access are computed once more beside them.  Issues are not counted
 * one by one but by stretches: `issued` and `idle_lanes` grow where a stretch begins and shrink after its end, and
 * cy_insn_counts_sum adds them up. */
#include "gpu/engine/engine_priv.h"

#include <string.h>

enum cy_kind cy_kind_of(const struct cy_insn *insn, bool is_plain, bool vgprs)
{
    const struct cy_insn_info *row = &cy_insns[insn->op];
    const bool is_memory = row->flags & (CY_F_LOAD | CY_F_STORE | CY_F_ATOMIC);
    if (!is_memory)
        return row->format == CY_FORMAT_VB ? CY_KIND_VECTOR_BRANCH : vgprs ? CY_KIND_VECTOR : CY_KIND_SCALAR;
    if (row->sched == CY_SCHED_slsu)
        return is_plain ? CY_KIND_SCALAR_MEMORY : CY_KIND_OTHER_SCALAR_MEMORY;
    if (row->flags & CY_F_ATOMIC)
        return insn->prefix || row->flags & CY_F_WIDE ? CY_KIND_OTHER_MEMORY : CY_KIND_ATOMIC;
    if (!is_plain || !cy_insn_field(insn, CY_FIELD_vm, 1))
        return CY_KIND_OTHER_MEMORY;
    switch (row->format) {
    case CY_FORMAT_VL12:
    case CY_FORMAT_VS12: return CY_KIND_PER_LANE;
    case CY_FORMAT_VLP:
    case CY_FORMAT_VSP: return CY_KIND_PRIVATE;
    case CY_FORMAT_VL:
    case CY_FORMAT_VS: return CY_KIND_UNIT;
    case CY_FORMAT_VLX:
    case CY_FORMAT_VSX: return CY_KIND_INDEXED;
    default: return CY_KIND_OTHER_MEMORY;
    }
}

static bool is_memory(uint8_t kind)
{
    return kind == CY_KIND_SCALAR_MEMORY || kind == CY_KIND_OTHER_SCALAR_MEMORY || kind >= CY_KIND_PER_LANE;
}

/* Unit-stride and indexed accesses of other element widths take the general path. */
static bool is_counted_ahead(const struct cy_warp *warp, uint8_t kind)
{
    switch ((enum cy_kind)kind) {
    case CY_KIND_SCALAR_MEMORY:
    case CY_KIND_PER_LANE:
    case CY_KIND_PRIVATE: return true;
    case CY_KIND_UNIT:
    case CY_KIND_INDEXED: return warp->mode != CY_MODE_GENERAL;
    case CY_KIND_ATOMIC: return !warp->run->scalar_atomics;
    default: return false;
    }
}

static bool is_local(uint32_t address)
{
    return address >= CY_LDS_BASE && address < CY_LDS_END;
}

/* ---- lines and banks ---- */

/* A set of the first numbers of an access's range: enough for most. */
#define SET_WORDS 32
#define SET_SIZE (32 * SET_WORDS)

/* Distinct values in any range.  Most of those that are not equal to their neighbour are new, which a filter says at once. */
static unsigned distinct(const uint32_t *values, unsigned n, uint32_t *different)
{
    uint64_t filter[4] = {0};
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++) {
        const uint32_t value = values[i], hash = value * 2654435769u >> 24;
        const uint64_t bit = 1ull << (hash & 63);
        unsigned k = 0;
        if (i && value == values[i - 1])
            continue;
        if (filter[hash >> 6] & bit) {
            while (k < count && different[k] != value)
                k++;
            if (k < count)
                continue;
        }
        filter[hash >> 6] |= bit;
        different[count++] = value;
    }
    return count;
}

/* `low` and `high`: the lowest and the highest line; they differ by two or more. */
static unsigned count_lines(const uint32_t *address, unsigned n, uint32_t low, uint32_t high)
{
    uint32_t set[SET_WORDS], line[CY_MAX_LANES], different[CY_MAX_LANES];
    unsigned count = 0;
    if (high - low < 64) {
        uint64_t small = 0;
        for (unsigned i = 0; i < n; i++)
            small |= 1ull << (address[i] / CY_COUNT_LINE - low);
        return (unsigned)__builtin_popcountll(small);
    }
    for (unsigned i = 0; i < n; i++)
        line[i] = address[i] / CY_COUNT_LINE - low;
    if (high - low >= SET_SIZE)
        return distinct(line, n, different);
    memset(set, 0, ((high - low) / 32 + 1) * sizeof(set[0]));
    for (unsigned i = 0; i < n; i++) {
        const uint32_t bit = 1u << line[i] % 32, row = set[line[i] / 32];
        count += !(row & bit);
        set[line[i] / 32] = row | bit;
    }
    return count;
}

/* The same for words: the most that one bank has.  A row of the set has one word of each bank. */
static unsigned count_passes(const uint32_t *address, unsigned n, uint32_t low, uint32_t high)
{
    uint32_t set[SET_WORDS], sums[6] = {0}, all = UINT32_MAX;
    unsigned most = 0;
    _Static_assert(CY_COUNT_BANKS == 32, "a row of the set is a word");
    if (high - low < CY_COUNT_BANKS)
        return 1;
    if (high - low >= SET_SIZE) { /* local memory is that large only on unusual machines */
        uint32_t word[CY_MAX_LANES], different[CY_MAX_LANES];
        uint8_t banks[CY_COUNT_BANKS] = {0};
        for (unsigned i = 0; i < n; i++)
            word[i] = address[i] / 4;
        const unsigned count = distinct(word, n, different);
        for (unsigned i = 0; i < count; i++) {
            uint8_t *bank = &banks[different[i] % CY_COUNT_BANKS];
            most = ++*bank > most ? *bank : most;
        }
        return most;
    }
    const uint32_t rows = (high - low) / 32 + 1;
    memset(set, 0, rows * sizeof(set[0]));
    for (unsigned i = 0; i < n; i++)
        set[(address[i] / 4 - low) / 32] |= 1u << (address[i] / 4 - low) % 32;
    for (uint32_t row = 0; row < rows; row++) { /* 32 counters, bit by bit */
        uint32_t carry = set[row];
        for (unsigned bit = 0; carry; bit++) {
            const uint32_t next = sums[bit] & carry;
            sums[bit] ^= carry;
            carry = next;
        }
    }
    for (unsigned bit = CY_COUNT(sums); bit-- > 0;)
        if (sums[bit] & all) {
            all &= sums[bit];
            most |= 1u << bit;
        }
    return most;
}

/* `address`: of the lanes that take part, at least one.  Most accesses touch one or two lines, or one row of banks. */
static inline __attribute__((always_inline)) void count_access(struct cy_insn_counts *counts, const uint32_t *address,
                                                               unsigned n)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (unsigned i = 0; i < n; i++) {
        low = address[i] < low ? address[i] : low;
        high = address[i] > high ? address[i] : high;
    }
    if (is_local(low)) {
        counts->local_accesses++;
        counts->local_lanes += n;
        counts->local_passes += count_passes(address, n, low / 4, high / 4);
    } else {
        const uint32_t first = low / CY_COUNT_LINE, last = high / CY_COUNT_LINE;
        counts->accesses++;
        counts->access_lanes += n;
        counts->lines += (last - first < 2 ? last - first + 1 : count_lines(address, n, first, last));
    }
}

/* The addresses of the active lanes; returns how many. */
static inline __attribute__((always_inline)) unsigned addresses(const struct cy_warp *warp, const struct cy_uop *uop,
                                                                uint8_t kind, uint32_t *address, unsigned n)
{
    const uint32_t *a = warp->v + (size_t)uop->a * n, *b = warp->v + (size_t)uop->b * n;
    const uint32_t threads = warp->numw * n, first = warp->pds + 4 * warp->tid, x = warp->x[uop->a & 63];
    const uint32_t imm = (uint32_t)uop->imm;
    uint32_t all[CY_MAX_LANES];
    uint32_t *to = warp->active == cy_ones(n) ? address : all;
    unsigned count = 0;
    switch ((enum cy_kind)kind) {
    case CY_KIND_PRIVATE:
        for (unsigned i = 0; i < n; i++)
            to[i] = first + ((a[i] + imm) & ~3u) * threads + 4 * i;
        break;
    case CY_KIND_UNIT:
        for (unsigned i = 0; i < n; i++)
            to[i] = x + 4 * i;
        break;
    case CY_KIND_INDEXED:
        for (unsigned i = 0; i < n; i++)
            to[i] = x + b[i];
        break;
    default:
        for (unsigned i = 0; i < n; i++)
            to[i] = a[i] + imm;
        break;
    }
    if (to == address)
        return n;
    for (uint64_t left = warp->active; left; left &= left - 1)
        address[count++] = all[__builtin_ctzll(left)];
    return count;
}

static __attribute__((noinline)) unsigned vector_addresses(const struct cy_warp *warp, const struct cy_uop *uop,
                                                           uint8_t kind, uint32_t *address)
{
    return warp->numt == 32 ? addresses(warp, uop, kind, address, 32) : addresses(warp, uop, kind, address, warp->numt);
}

bool cy_look_ahead(struct cy_warp *warp, const struct cy_uop *uop, uint32_t address[CY_MAX_LANES])
{
    const struct cy_code *code = warp->run->code;
    const uint8_t kind = code->kinds[uop - code->uops];
    warp->ahead = NULL;
    if (!is_memory(kind))
        return false;
    if (!is_counted_ahead(warp, kind))
        return true;
    warp->ahead = address;
    warp->ahead_count = 1;
    if (kind == CY_KIND_SCALAR_MEMORY)
        address[0] = warp->x[uop->a] + (uint32_t)uop->imm;
    else
        warp->ahead_count = vector_addresses(warp, uop, kind, address);
    return true;
}

static __attribute__((noinline)) void count_vector(const struct cy_warp *warp, const struct cy_uop *uop, uint8_t kind,
                                                   struct cy_insn_counts *counts)
{
    uint32_t address[CY_MAX_LANES];
    const unsigned n =
        warp->numt == 32 ? addresses(warp, uop, kind, address, 32) : addresses(warp, uop, kind, address, warp->numt);
    if (n)
        count_access(counts, address, n);
}

static void count_scalar(const struct cy_warp *warp, const struct cy_uop *uop, struct cy_insn_counts *counts)
{
    if (is_local(warp->x[uop->a] + (uint32_t)uop->imm)) {
        counts->local_accesses++;
        counts->local_lanes++;
        counts->local_passes++;
    } else {
        counts->accesses++;
        counts->access_lanes++;
        counts->lines++;
    }
}

void cy_count_observed(struct cy_warp *warp, const struct cy_uop *uop, uint64_t lanes, const uint64_t *address)
{
    const size_t at = (size_t)(uop - warp->run->code->uops);
    uint32_t low[CY_MAX_LANES];
    unsigned n = 0;
    if (is_counted_ahead(warp, warp->run->code->kinds[at]))
        return;
    for (; lanes; lanes &= lanes - 1)
        low[n++] = (uint32_t)address[__builtin_ctzll(lanes)];
    if (n)
        count_access(&warp->counts[at], low, n);
}

/* An access that is not counted ahead is left to cy_count_observed. */
static inline void count_memory(struct cy_warp *warp, const struct cy_uop *uop, uint8_t kind,
                                struct cy_insn_counts *counts)
{
    if (!is_memory(kind))
        return;
    counts->looked++;
    if (kind == CY_KIND_SCALAR_MEMORY)
        count_scalar(warp, uop, counts);
    else if (is_counted_ahead(warp, kind))
        count_vector(warp, uop, kind, counts);
}

/* ---- issues ---- */

static bool ends_stretch(const struct cy_insn *insn)
{
    const uint32_t flags = CY_F_DIVERGE | CY_F_CONVERGE | CY_F_BRANCH | CY_F_CALL | CY_F_END | CY_F_BARRIER;
    return cy_insns[insn->op].flags & flags || insn->op == CY_OP_vsetvli || insn->op == CY_OP_vsetivli ||
           insn->op == CY_OP_vsetvl;
}

/* How long a division takes depends on its operands, and whether a branch to the next instruction is taken shows nowhere else. */
static bool shows_operands(const struct cy_insn *insn)
{
    const struct cy_insn_info *row = &cy_insns[insn->op];
    return row->sched == CY_SCHED_sdiv || row->sched == CY_SCHED_vdiv ||
           (row->format == CY_FORMAT_BRANCH && cy_insn_field(insn, CY_FIELD_boff, 0) == 4);
}

void cy_stretches_build(struct cy_code *code)
{
    const uint32_t count = code->size / 4;
    for (uint32_t i = count + 2; i-- > 0;) {
        struct cy_stretch *stretch = &code->stretches[i];
        const uint32_t step = i < count ? code->uops[i].step : 1, next = i + step;
        *stretch = (struct cy_stretch){1, (uint16_t)step};
        if (next >= count || ends_stretch(&code->insns[i]) || code->stretches[next].insns > 1000 ||
            is_memory(code->kinds[next]) || shows_operands(&code->insns[next]))
            continue;
        stretch->insns = (uint16_t)(stretch->insns + code->stretches[next].insns);
        stretch->words = (uint16_t)(stretch->words + code->stretches[next].words);
    }
}

static inline void count_issue(const struct cy_warp *warp, struct cy_insn_counts *counts, uint32_t words,
                               uint64_t active)
{
    counts[0].issued++;
    counts[words].issued--;
    if (active != cy_ones(warp->numt)) {
        const uint64_t idle = warp->numt - (unsigned)__builtin_popcountll(active);
        counts[0].idle_lanes += idle;
        counts[words].idle_lanes -= idle;
    }
}

void cy_count_issue(struct cy_warp *warp, const struct cy_uop *uop)
{
    const size_t at = (size_t)(uop - warp->run->code->uops);
    if (warp->looks)
        count_memory(warp, uop, warp->run->code->kinds[at], &warp->counts[at]);
    count_issue(warp, &warp->counts[at], uop->step, warp->active);
}

/* The words of the first instructions from here on. */
static uint32_t words_of(const struct cy_uop *uop, uint64_t insns)
{
    uint32_t words = 0;
    for (; insns; insns--)
        words += uop[words].step;
    return words;
}

const struct cy_uop *cy_run_profiled(struct cy_warp *warp, const struct cy_uop *uop, uint64_t *left)
{
    const struct cy_code *code = warp->run->code;
    while (*left && uop) {
        const size_t at = (size_t)(uop - code->uops);
        struct cy_insn_counts *counts = &warp->counts[at];
        const struct cy_stretch stretch = code->stretches[at];
        const struct cy_uop *const start = uop;
        const uint64_t some = stretch.insns < *left ? stretch.insns : *left, active = warp->active;
        if (warp->looks)
            count_memory(warp, uop, code->kinds[at], counts);
        uop = uop->run[warp->mode](warp, uop, some);
        const uint64_t done = some - warp->left;
        count_issue(warp, counts, CY_LIKELY(done == stretch.insns) ? stretch.words : words_of(start, done), active);
        *left -= done;
    }
    return uop;
}

void cy_insn_counts_sum(const struct cy_insn_counts *raw, uint32_t sms, size_t words, struct cy_insn_counts *sums)
{
    for (uint32_t sm = 0; sm < sms; sm++, raw += words) {
        uint64_t issued = 0, idle_lanes = 0;
        for (size_t i = 0; i < words; i++) {
            issued += raw[i].issued;
            idle_lanes += raw[i].idle_lanes;
            sums[i].issued += issued;
            sums[i].idle_lanes += idle_lanes;
            sums[i].divergent += raw[i].divergent;
            sums[i].looked += raw[i].looked;
            sums[i].accesses += raw[i].accesses;
            sums[i].access_lanes += raw[i].access_lanes;
            sums[i].lines += raw[i].lines;
            sums[i].local_accesses += raw[i].local_accesses;
            sums[i].local_lanes += raw[i].local_lanes;
            sums[i].local_passes += raw[i].local_passes;
        }
    }
}
