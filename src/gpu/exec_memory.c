/* Vector memory: where an address leads, whole-warp fast paths, and the general driver for everything else.
 *
 * Addresses are checked by extent (gpu/memory.h): a warp whose lanes all lie in the extent it used last pays a minimum,
 * a maximum and two compares for the whole access; consecutive addresses become one block move.  Whatever does not fit
 * (another extent, page tables, observers, faults, prefixes, masks, other element widths) takes cy_memory_general, which
 * works lane by lane and knows all the rules. */
#include "gpu/engine_priv.h"

#include <string.h>

#define HANDLER(id) const struct cy_uop *cy_exec_##id(struct cy_warp *w, const struct cy_uop *u)
#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define LDS_WINDOW 0x70000000u
#define LDS_WINDOW_END 0x80000000u

/* ---- one address ---- */

static uint8_t *memory_fault(struct cy_warp *w, const struct cy_uop *u, enum cy_fault_kind kind, uint64_t address,
                             unsigned size, unsigned access, int lane)
{
    cy_fault(w, u, kind, lane, address);
    w->fault.size = (uint8_t)size;
    w->fault.access = (uint8_t)access;
    return NULL;
}

/* Somebody looks at every access, or every access is translated: then extents are not used. */
static bool is_watched(const struct cy_warp *w)
{
    return w->run->observer || w->run->ptbr;
}

uint8_t *cy_memory_slow(struct cy_warp *w, const struct cy_uop *u, uint64_t address, unsigned size, unsigned access,
                        int lane)
{
    struct cy_memory *memory = w->run->memory;
    uint64_t physical = address;
    if (address & (size - 1))
        return memory_fault(w, u, CY_FAULT_MISALIGNED, address, size, access, lane);
    if (address >= LDS_WINDOW && address < LDS_WINDOW_END) {
        if (address - w->lds + size > w->lds_size || address < w->lds)
            return memory_fault(w, u, CY_FAULT_LDS, address, size, access, lane);
        return memory->base + address;
    }
    if (w->run->ptbr && !cy_mmu_translate(memory, w->run->ptbr, w->tlb, address, (uint8_t)access, &physical))
        return memory_fault(w, u, CY_FAULT_TRANSLATION, address, size, access, lane);
    if (physical > UINT32_MAX)
        return memory_fault(w, u, CY_FAULT_UNMAPPED, address, size, access, lane);
    struct cy_extent extent = cy_memory_extent(memory, physical);
    if (extent.start == extent.end)
        return memory_fault(w, u, CY_FAULT_UNMAPPED, address, size, access, lane);
    if ((extent.rights & access) != access)
        return memory_fault(w, u, CY_FAULT_FORBIDDEN, address, size, access, lane);
    if (!is_watched(w))
        w->extent = extent;
    return memory->base + physical;
}

void cy_observe_memory(struct cy_warp *w, const struct cy_uop *u, unsigned kind, unsigned size, uint64_t lanes,
                       const uint64_t *address, const uint32_t *value)
{
    const struct cy_observer *observer = w->run->observer;
    if (!observer || !observer->memory)
        return;
    struct cy_memory_access access = {(uint8_t)kind, (uint8_t)size, lanes, address, value};
    observer->memory(observer->context, w, cy_uop_pc(w, u), cy_uop_insn(w, u), &access);
}

/* ---- an address per lane ---- */

/* All lanes are checked before the first one stores, so that a fault leaves memory as it was. */
static bool lanes_resolve(struct cy_warp *w, const struct cy_uop *u, const struct cy_lane_access *access, uint64_t active,
                          unsigned size, unsigned kind, uint8_t **host)
{
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        host[lane] = cy_host(w, u, access->address[lane], size, kind, (int)lane);
        if (!host[lane])
            return false;
    }
    return true;
}

bool cy_lanes_load(struct cy_warp *w, const struct cy_uop *u, struct cy_lane_access *access, uint64_t active, unsigned size)
{
    uint8_t *host[CY_MAX_LANES];
    if (!lanes_resolve(w, u, access, active, size, CY_READ, host))
        return false;
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        access->value[lane] = 0;
        memcpy(&access->value[lane], host[lane], size);
    }
    cy_observe_memory(w, u, CY_READ, size, active, access->address, access->value);
    return true;
}

bool cy_lanes_store(struct cy_warp *w, const struct cy_uop *u, struct cy_lane_access *access, uint64_t active, unsigned size)
{
    uint8_t *host[CY_MAX_LANES];
    if (!lanes_resolve(w, u, access, active, size, CY_WRITE, host))
        return false;
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        memcpy(host[lane], &access->value[lane], size);
    }
    cy_observe_memory(w, u, CY_WRITE, size, active, access->address, access->value);
    return true;
}

/* ---- the general driver ---- */

enum addressing { PER_LANE, PER_LANE_64, PRIVATE, UNIT, STRIDED, INDEXED, WHOLE, MASK_BITS };

/* What an access does: from its row, its prefix and vtype. */
struct plan {
    enum addressing addressing;
    uint8_t size;       /* bytes of an element in memory, at most 4; 8-byte elements are two words */
    uint8_t words;      /* consecutive words per element, to consecutive registers */
    uint8_t parts;      /* register groups: LMUL, or the registers of a whole-register move */
    uint8_t index_size; /* bytes of an index */
    bool store, zero_extend;
    uint8_t space;      /* gen2 prefix: 0 as the instruction says, 1 global, 2 private, 3 local */
};

/* The width in funct3: RISC-V's for loads, RVV's for RVV, the 12 forms' own for their stores. */
static unsigned width_bytes(enum cy_format format, uint32_t word)
{
    unsigned funct3 = word >> 12 & 7;
    switch (format) {
    case CY_FORMAT_VS12D:
    case CY_FORMAT_VS12: return funct3 == 6 ? 4 : funct3 == 3 ? 2 : 1;
    case CY_FORMAT_VL12D:
    case CY_FORMAT_VL12:
    case CY_FORMAT_VLP:
    case CY_FORMAT_VSP: return 1u << (funct3 & 3);
    default: return funct3 == 0 ? 1 : funct3 == 5 ? 2 : funct3 == 6 ? 4 : 8;
    }
}

static struct plan make_plan(const struct cy_warp *w, const struct cy_insn *insn)
{
    const struct cy_insn_info *row = &cy_insns[insn->op];
    struct plan plan = {.store = row->flags & CY_F_STORE, .words = 1, .parts = 1};
    unsigned width = width_bytes(row->format, insn->word);
    switch (row->format) {
    case CY_FORMAT_VL12:
    case CY_FORMAT_VS12: plan.addressing = PER_LANE; break;
    case CY_FORMAT_VL12D:
    case CY_FORMAT_VS12D: plan.addressing = PER_LANE_64; break;
    case CY_FORMAT_VLP:
    case CY_FORMAT_VSP: plan.addressing = PRIVATE; break;
    case CY_FORMAT_VLS:
    case CY_FORMAT_VSS: plan.addressing = STRIDED; break;
    case CY_FORMAT_VLX:
    case CY_FORMAT_VSX:
        plan.addressing = INDEXED;
        plan.index_size = (uint8_t)width;
        width = cy_sew(w) / 8;
        break;
    case CY_FORMAT_VLN:
    case CY_FORMAT_VSN:
        plan.addressing = insn->op == CY_OP_vlm_v || insn->op == CY_OP_vsm_v ? MASK_BITS : WHOLE;
        plan.parts = plan.addressing == WHOLE ? (uint8_t)((insn->word >> 29) + 1) : 1;
        width = plan.addressing == WHOLE ? 4 : 1;
        break;
    default: plan.addressing = UNIT; break;
    }
    if (plan.addressing == UNIT || plan.addressing == STRIDED || plan.addressing == INDEXED)
        plan.parts = (uint8_t)cy_lmul(w);
    bool custom = row->format == CY_FORMAT_VL12 || row->format == CY_FORMAT_VL12D || row->format == CY_FORMAT_VLP;
    plan.zero_extend = custom && insn->word >> 14 & 1;
    plan.size = (uint8_t)(width > 4 ? 4 : width);
    plan.words = width > 4 ? 2 : 1;
    struct cy_insn prefix;
    if (insn->prefix && cy_decode_word(w->run->target, insn->prefix, &prefix)) {
        uint32_t flags = cy_insns[prefix.op].flags;
        bool per_lane = plan.addressing == PER_LANE || plan.addressing == PRIVATE;
        if (flags & CY_F_MEM_PREFIX) { /* gen2 pre_m */
            plan.space = insn->prefix >> 5 & 3;
            if (plan.size == 4)
                plan.words = (uint8_t)((insn->prefix >> 3 & 3) + 1);
            if (per_lane && insn->prefix >> 19 & 1)
                plan.addressing = PER_LANE_64;
        } else if (flags & CY_F_PAIR && (w->run->target == CY_GEN1 || insn->prefix >> 19 & 1)) {
            /* pairs: an even address register is 64 bits wide; even data registers move 64 bits */
            int32_t address = cy_insn_field(insn, CY_FIELD_vs1, 1);
            int32_t data = cy_insn_field(insn, plan.store ? CY_FIELD_vs2 : CY_FIELD_vd, 1);
            if (plan.addressing == PER_LANE && !(address & 1))
                plan.addressing = PER_LANE_64;
            if (plan.size == 4 && !(data & 1))
                plan.words = 2;
        }
    }
    return plan;
}

static uint64_t private_address(const struct cy_warp *w, uint64_t at, unsigned lane)
{
    return w->pds + (at & ~3ull) * w->numw * w->numt + (at & 3) + 4ull * (w->tid + lane);
}

/* The address of element `i` (lane, and part for groups), word 0. */
static uint64_t element_address(const struct cy_warp *w, const struct cy_uop *u, const struct plan *plan, unsigned lane,
                                unsigned part)
{
    unsigned element = part * w->numt + lane;
    uint32_t low;
    switch (plan->addressing) {
    case UNIT: return (uint32_t)(w->x[u->a] + element * plan->size * plan->words);
    case WHOLE: return (uint32_t)(w->x[u->a] + element * 4);
    case STRIDED: return (uint32_t)(w->x[u->a] + element * w->x[u->b]);
    case INDEXED:
        low = cy_vreg(w, u->b + part)[lane];
        return (uint32_t)(w->x[u->a] + (plan->index_size == 4 ? low : low & (uint32_t)cy_ones(8u * plan->index_size)));
    case PER_LANE_64:
        return ((uint64_t)cy_vreg(w, u->a + 1u)[lane] << 32 | cy_vreg(w, u->a)[lane]) + (uint64_t)(int64_t)u->imm;
    case PER_LANE:
    case PRIVATE:
    case MASK_BITS: break;
    }
    return cy_vreg(w, u->a)[lane] + (uint32_t)u->imm;
}

/* Applies the space of the instruction or of its prefix. */
static bool place(struct cy_warp *w, const struct cy_uop *u, const struct plan *plan, uint64_t *address, unsigned lane,
                  unsigned word)
{
    bool is_private = plan->space ? plan->space == 2 : plan->addressing == PRIVATE;
    if (is_private) {
        uint64_t at = *address + 4ull * word;
        if (plan->addressing != PER_LANE_64)
            at = (uint32_t)at;
        if (w->pds_size && (at >= w->pds_size || at + plan->size > w->pds_size)) {
            memory_fault(w, u, CY_FAULT_PRIVATE, at, plan->size, plan->store ? CY_WRITE : CY_READ, (int)lane);
            return false;
        }
        *address = private_address(w, at, lane);
        return true;
    }
    *address += 4ull * word + (plan->space == 3 ? w->lds : plan->space == 1 ? w->run->gds : 0);
    if (plan->addressing != PER_LANE_64)
        *address = (uint32_t)*address;
    return true;
}

static uint32_t extend(uint32_t value, const struct plan *plan)
{
    if (plan->size == 4 || plan->zero_extend)
        return value;
    unsigned up = 32 - 8u * plan->size;
    return (uint32_t)((int32_t)(value << up) >> up);
}

/* The packed mask of vlm and vsm: ceil(vl / 8) bytes of the register. */
static const struct cy_uop *mask_bits(struct cy_warp *w, const struct cy_uop *u, bool store)
{
    unsigned bytes = (w->vl + 7) / 8;
    uint8_t *data = (uint8_t *)cy_vreg(w, u->d), *host[CY_MAX_LANES / 4];
    for (unsigned i = 0; i < bytes; i++) {
        host[i] = cy_host(w, u, (uint32_t)(w->x[u->a] + i), 1, store ? CY_WRITE : CY_READ, -1);
        if (!host[i])
            return NULL;
    }
    for (unsigned i = 0; i < bytes; i++) {
        uint64_t address = (uint32_t)(w->x[u->a] + i);
        if (store)
            *host[i] = data[i];
        else
            data[i] = *host[i];
        uint32_t value = data[i];
        cy_observe_memory(w, u, store ? CY_WRITE : CY_READ, 1, 1, &address, &value);
    }
    return cy_next(u);
}

const struct cy_uop *cy_memory_general(struct cy_warp *w, const struct cy_uop *u)
{
    const struct cy_insn *insn = cy_uop_insn(w, u);
    struct cy_lane_access access;
    if (w->vtype & CY_VILL)
        return cy_fault(w, u, CY_FAULT_VTYPE, -1, w->vtype);
    struct plan plan = make_plan(w, insn);
    if (plan.addressing == MASK_BITS)
        return mask_bits(w, u, plan.store);
    /* custom stores keep their data in vs2, RVV's in the place of vd */
    unsigned data = cy_insn_field(insn, CY_FIELD_vs1, -1) >= 0 && plan.store ? u->b : u->d;
    unsigned registers = plan.parts * plan.words;
    bool uneven = (plan.addressing == PER_LANE_64 && u->a & 1) || (plan.words == 2 && plan.parts > 0 && data & 1 && !plan.space);
    if (uneven || data + registers > 256)
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, data);
    for (unsigned part = 0; part < plan.parts; part++) {
        uint64_t active = plan.addressing == WHOLE ? w->mask : 0;
        if (plan.addressing != WHOLE)
            for (unsigned lane = 0; lane < w->numt; lane++)
                if (w->mask >> lane & 1 && part * w->numt + lane < w->vl &&
                    (cy_insn_field(insn, CY_FIELD_vm, 1) || cy_mask_bit(w, lane)))
                    active |= 1ull << lane;
        for (unsigned word = 0; word < plan.words; word++) {
            uint32_t *rows = cy_vreg(w, data + part * plan.words + word);
            for (uint64_t left = active; left; left &= left - 1) {
                unsigned lane = (unsigned)__builtin_ctzll(left);
                access.address[lane] = element_address(w, u, &plan, lane, part);
                if (!place(w, u, &plan, &access.address[lane], lane, word))
                    return NULL;
                if (plan.store)
                    access.value[lane] = rows[lane];
            }
            if (plan.store ? !cy_lanes_store(w, u, &access, active, plan.size) : !cy_lanes_load(w, u, &access, active, plan.size))
                return NULL;
            if (!plan.store)
                for (uint64_t left = active; left; left &= left - 1) {
                    unsigned lane = (unsigned)__builtin_ctzll(left);
                    rows[lane] = extend(access.value[lane], &plan);
                }
        }
    }
    return cy_next(u);
}

/* ---- fast paths: SEW 32, LMUL 1, no prefix but regext, no mask register ---- */

/* May all lanes go straight to memory_base + address?  False: let the general driver find out what is special. */
ALWAYS_INLINE bool span_ok(struct cy_warp *w, uint64_t low, uint64_t end, unsigned access)
{
    if (CY_LIKELY(cy_in_extent(&w->extent, low, end, access)))
        return true;
    if (is_watched(w))
        return false;
    if (low >= w->lds && end <= (uint64_t)w->lds + w->lds_size && w->lds_size)
        return true;
    if (low >= LDS_WINDOW && low < LDS_WINDOW_END)
        return false;
    struct cy_extent extent = cy_memory_extent(w->run->memory, low);
    if (!cy_in_extent(&extent, low, end, access))
        return false;
    w->extent = extent;
    return true;
}

/* Lane addresses a[i] + offset: consecutive elements of `size` bytes?  Their first address then; else their range. */
struct span {
    bool consecutive;
    uint32_t first, low, high, bits;
};
ALWAYS_INLINE struct span measure(const uint32_t *a, uint32_t offset, unsigned size, unsigned n)
{
    struct span s = {.first = a[0] + offset, .low = UINT32_MAX};
    uint32_t off = 0;
    for (unsigned i = 0; i < n; i++)
        off |= (a[i] + offset) ^ (s.first + size * i);
    s.consecutive = !off && s.first <= UINT32_MAX - size * n;
    if (s.consecutive) {
        s.low = s.bits = s.first;
        s.high = s.first + size * (n - 1);
        return s;
    }
    for (unsigned i = 0; i < n; i++) {
        uint32_t at = a[i] + offset;
        s.low = at < s.low ? at : s.low;
        s.high = at > s.high ? at : s.high;
        s.bits |= at;
    }
    return s;
}

#define LOAD_LANES(type)                                                                                               \
    ALWAYS_INLINE bool load_##type(struct cy_warp *w, uint32_t *restrict d, const uint32_t *a, uint32_t offset, unsigned n) \
    {                                                                                                                  \
        struct span s = measure(a, offset, sizeof(type), n);                                                           \
        if (CY_UNLIKELY(s.bits & (sizeof(type) - 1)) ||                                                                \
            CY_UNLIKELY(!span_ok(w, s.low, (uint64_t)s.high + sizeof(type), CY_READ)))                                 \
            return false;                                                                                              \
        const uint8_t *base = w->memory_base;                                                                          \
        if (s.consecutive) {                                                                                           \
            const type *from = (const type *)(const void *)(base + s.first);                                           \
            for (unsigned i = 0; i < n; i++)                                                                           \
                d[i] = (uint32_t)(int32_t)from[i];                                                                     \
        } else {                                                                                                       \
            for (unsigned i = 0; i < n; i++)                                                                           \
                d[i] = (uint32_t)(int32_t) * (const type *)(const void *)(base + (uint32_t)(a[i] + offset));           \
        }                                                                                                              \
        return true;                                                                                                   \
    }
#define STORE_LANES(type)                                                                                              \
    ALWAYS_INLINE bool store_##type(struct cy_warp *w, const uint32_t *b, const uint32_t *a, uint32_t offset, unsigned n) \
    {                                                                                                                  \
        struct span s = measure(a, offset, sizeof(type), n);                                                           \
        if (CY_UNLIKELY(s.bits & (sizeof(type) - 1)) ||                                                                \
            CY_UNLIKELY(!span_ok(w, s.low, (uint64_t)s.high + sizeof(type), CY_WRITE)))                                \
            return false;                                                                                              \
        uint8_t *base = w->memory_base;                                                                                \
        if (s.consecutive) {                                                                                           \
            type *to = (type *)(void *)(base + s.first);                                                               \
            for (unsigned i = 0; i < n; i++)                                                                           \
                to[i] = (type)b[i];                                                                                    \
        } else {                                                                                                       \
            for (unsigned i = 0; i < n; i++)                                                                           \
                *(type *)(void *)(base + (uint32_t)(a[i] + offset)) = (type)b[i];                                      \
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

/* The destination may be the address register: addresses are read before anything is written only when they are not the
 * same row, so a load onto its own addresses goes through a copy. */
#define LOAD12(id, type)                                                                                               \
    HANDLER(id)                                                                                                        \
    {                                                                                                                  \
        if (CY_LIKELY(w->mode == CY_MODE_FULL)) {                                                                      \
            uint32_t copy[CY_MAX_LANES];                                                                               \
            const uint32_t *a = cy_vreg(w, u->a);                                                                      \
            if (u->a == u->d)                                                                                          \
                a = memcpy(copy, a, w->numt * sizeof(*a));                                                             \
            if (CY_LIKELY(w->numt == 32) ? load_##type(w, cy_vreg(w, u->d), a, (uint32_t)u->imm, 32)                   \
                                         : load_##type(w, cy_vreg(w, u->d), a, (uint32_t)u->imm, w->numt))             \
                return cy_next(u);                                                                                     \
        }                                                                                                              \
        return cy_memory_general(w, u);                                                                                \
    }
#define STORE12(id, type)                                                                                              \
    HANDLER(id)                                                                                                        \
    {                                                                                                                  \
        if (CY_LIKELY(w->mode == CY_MODE_FULL)) {                                                                      \
            const uint32_t *a = cy_vreg(w, u->a), *b = cy_vreg(w, u->b);                                               \
            if (CY_LIKELY(w->numt == 32) ? store_##type(w, b, a, (uint32_t)u->imm, 32)                                 \
                                         : store_##type(w, b, a, (uint32_t)u->imm, w->numt))                           \
                return cy_next(u);                                                                                     \
        }                                                                                                              \
        return cy_memory_general(w, u);                                                                                \
    }
LOAD12(vlb12_v, int8_t)
LOAD12(vlh12_v, int16_t)
LOAD12(vlw12_v, uint32_t)
LOAD12(vlbu12_v, uint8_t)
LOAD12(vlhu12_v, uint16_t)
STORE12(vsb12_v, uint8_t)
STORE12(vsh12_v, uint16_t)
STORE12(vsw12_v, uint32_t)

/* Private memory is interleaved by word: lanes that use the same private address touch consecutive words. */
static bool private_addresses(const struct cy_warp *w, const struct cy_uop *u, uint32_t *out, unsigned size)
{
    const uint32_t *a = cy_vreg(w, u->a);
    uint32_t threads = w->numw * w->numt, worst = 0;
    for (unsigned i = 0; i < w->numt; i++) {
        uint32_t at = a[i] + (uint32_t)u->imm;
        worst = at > worst ? at : worst;
        out[i] = w->pds + (at & ~3u) * threads + (at & 3) + 4 * (w->tid + i);
    }
    return !w->pds_size || (uint64_t)worst + size <= w->pds_size;
}
#define PRIVATE_ROW(id, type, move, data)                                                                              \
    HANDLER(id)                                                                                                        \
    {                                                                                                                  \
        uint32_t at[CY_MAX_LANES];                                                                                     \
        at[0] = 0;                                                                                                     \
        if (CY_LIKELY(w->mode == CY_MODE_FULL) && w->pds_size && w->pds_size <= 1u << 20 &&                            \
            private_addresses(w, u, at, sizeof(type)) && move##_##type(w, cy_vreg(w, data), at, 0, w->numt))           \
            return cy_next(u);                                                                                         \
        return cy_memory_general(w, u);                                                                                \
    }
PRIVATE_ROW(vlb_v, int8_t, load, u->d)
PRIVATE_ROW(vlh_v, int16_t, load, u->d)
PRIVATE_ROW(vlw_v, uint32_t, load, u->d)
PRIVATE_ROW(vlbu_v, uint8_t, load, u->d)
PRIVATE_ROW(vlhu_v, uint16_t, load, u->d)
PRIVATE_ROW(vsb_v, uint8_t, store, u->b)
PRIVATE_ROW(vsh_v, uint16_t, store, u->b)
PRIVATE_ROW(vsw_v, uint32_t, store, u->b)

/* Unit stride is consecutive by definition. */
HANDLER(vle32_v)
{
    uint32_t first = w->x[u->a], bytes = 4 * w->numt;
    if (w->mode != CY_MODE_FULL || !u->imm || first & 3 || !span_ok(w, first, (uint64_t)first + bytes, CY_READ))
        return cy_memory_general(w, u);
    memcpy(cy_vreg(w, u->d), w->memory_base + first, bytes);
    return cy_next(u);
}
HANDLER(vse32_v)
{
    uint32_t first = w->x[u->a], bytes = 4 * w->numt;
    if (w->mode != CY_MODE_FULL || !u->imm || first & 3 || !span_ok(w, first, (uint64_t)first + bytes, CY_WRITE))
        return cy_memory_general(w, u);
    memcpy(w->memory_base + first, cy_vreg(w, u->d), bytes);
    return cy_next(u);
}
