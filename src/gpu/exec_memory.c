/* Vector memory in general: where an address leads, and the driver that works lane by lane and knows all the rules
 * (page tables, observers, faults, prefixes, masks, element widths).  The fast paths are in exec_memory_fast.c. */
#include "gpu/engine_priv.h"

#include <string.h>

/* ---- one address ---- */

static uint8_t *memory_fault(struct cy_warp *w, const struct cy_uop *u, enum cy_fault_kind kind, uint64_t address,
                             unsigned size, unsigned access, int lane)
{
    cy_fault(w, u, kind, lane, address);
    w->fault.size = (uint8_t)size;
    w->fault.access = (uint8_t)access;
    return NULL;
}

uint8_t *cy_memory_slow(struct cy_warp *w, const struct cy_uop *u, uint64_t address, unsigned size, unsigned access,
                        int lane)
{
    struct cy_memory *memory = w->run->memory;
    uint64_t physical = address;
    if (address & (size - 1))
        return memory_fault(w, u, CY_FAULT_MISALIGNED, address, size, access, lane);
    if (address >= CY_LDS_WINDOW && address < CY_LDS_WINDOW_END) {
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
    if (!cy_is_watched(w))
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
