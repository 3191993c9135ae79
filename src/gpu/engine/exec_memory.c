/* Vector memory, general case: address spaces, and the driver that works lane by lane and implements all rules (page
 * tables, observers, faults, prefixes, masks, element widths).  The fast paths are in exec_memory_fast.c. */
#include "gpu/engine/engine_priv.h"
#include "gpu/engine/guest_access.h"

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

enum cy_fault_kind cy_translation_fault(const struct cy_walk_fault *why)
{
    switch ((enum cy_walk_problem)why->problem) {
    case CY_WALK_NOT_READABLE:
    case CY_WALK_READ_ONLY:
    case CY_WALK_NOT_EXECUTABLE:
    case CY_WALK_PAGE_FORBIDDEN: return CY_FAULT_FORBIDDEN;
    case CY_WALK_PAGE_UNMAPPED: return CY_FAULT_UNMAPPED;
    default: return CY_FAULT_TRANSLATION;
    }
}

uint8_t *cy_memory_slow(struct cy_warp *w, const struct cy_uop *u, uint64_t address, unsigned size, unsigned access,
                        int lane)
{
    struct cy_memory *memory = w->run->memory;
    uint64_t physical = address;
    if (address & (size - 1))
        return memory_fault(w, u, CY_FAULT_MISALIGNED, address, size, access, lane);
    if (address >= CY_LDS_BASE && address < CY_LDS_END) {
        if (address - w->lds + size > w->lds_size || address < w->lds)
            return memory_fault(w, u, CY_FAULT_LDS, address, size, access, lane);
        return memory->base + address;
    }
    struct cy_walk_fault why;
    if (w->run->ptbr && !cy_mmu_translate(memory, w->run->ptbr, w->tlb, address, (uint8_t)access, &physical, &why)) {
        memory_fault(w, u, cy_translation_fault(&why), address, size, access, lane);
        w->fault.translated = true;
        w->fault.walk = why;
        return NULL;
    }
    struct cy_extent extent = cy_memory_extent(memory, physical);
    if (extent.start == extent.end)
        return memory_fault(w, u, CY_FAULT_UNMAPPED, address, size, access, lane);
    if ((extent.rights & access) != access)
        return memory_fault(w, u, CY_FAULT_FORBIDDEN, address, size, access, lane);
    if (!cy_is_watched(w))
        w->extent = extent;
    return cy_extent_host(&extent, physical);
}

void cy_observe_memory(struct cy_warp *w, const struct cy_uop *u, unsigned kind, unsigned size, uint64_t lanes,
                       const uint64_t *address, const uint32_t *value)
{
    const struct cy_observer *observer = w->run->observer;
    if (w->looks)
        cy_count_observed(w, u, lanes, address);
    if (!observer || !observer->memory || w->ahead)
        return;
    struct cy_memory_access access = {(uint8_t)kind, (uint8_t)size, lanes, address, value};
    observer->memory(observer->context, w, cy_uop_pc(w, u), cy_uop_insn(w, u), &access);
}

static uint32_t extend(uint32_t value, unsigned size, bool zero)
{
    unsigned up = 32 - 8 * size;
    return zero ? value : (uint32_t)((int32_t)(value << up) >> up);
}

bool cy_memory_place(struct cy_warp *w, const struct cy_uop *u, enum cy_place space, bool wide, uint64_t *address,
                     unsigned size, unsigned access, int lane)
{
    if (space == CY_SPACE_PRIVATE) { /* interleaved by word */
        uint64_t at = wide ? *address : (uint32_t)*address;
        if (w->pds_size && (at >= w->pds_size || at + size > w->pds_size)) {
            memory_fault(w, u, CY_FAULT_PRIVATE, at, size, access, lane);
            return false;
        }
        *address =
            w->pds + (at & ~3ull) * w->numw * w->numt + (at & 3) + 4ull * (w->tid + (uint32_t)(lane < 0 ? 0 : lane));
        return true;
    }
    *address += space == CY_SPACE_LOCAL ? w->lds : space == CY_SPACE_GLOBAL ? w->run->gds : 0;
    if (!wide)
        *address = (uint32_t)*address;
    return true;
}

struct cy_memory_prefix cy_memory_prefix(const struct cy_warp *w, const struct cy_insn *insn)
{
    struct cy_memory_prefix result = {.words = 1};
    struct cy_insn prefix;
    if (!insn->prefix || !cy_decode_word(w->run->target, insn->prefix, &prefix))
        return result;
    uint32_t flags = cy_insns[prefix.op].flags;
    if (flags & CY_F_MEM_PREFIX) {
        result.space = (enum cy_place)cy_prefix_space(insn->prefix);
        result.words = cy_prefix_words(insn->prefix);
        result.wide = cy_prefix_is_wide(insn->prefix);
    } else if (flags & CY_F_PAIR) {
        result.pairs = w->run->target == CY_GEN1 || cy_prefix_is_wide(insn->prefix);
    }
    return result;
}

/* ---- scalar accesses with a prefix that changes them ---- */

CY_HANDLER(, cy_memory_scalar)
{
    const struct cy_insn *insn = cy_uop_insn(w, u);
    const struct cy_insn_info *row = &cy_insns[insn->op];
    const struct cy_memory_prefix prefix = cy_memory_prefix(w, insn);
    const unsigned funct3 = insn->word >> 12 & 7, size = (funct3 & 3) == 3 ? 4 : 1u << (funct3 & 3);
    const bool store = row->flags & CY_F_STORE,
               wide = row->flags & CY_F_WIDE || prefix.wide || (prefix.pairs && !(u->a & 1));
    const unsigned data = store ? u->b : u->d == 64 ? 0 : u->d, access = store ? CY_WRITE : CY_READ;
    const unsigned words = size < 4 ? 1 : prefix.pairs && !(data & 1) ? 2 : prefix.words;
    const uint64_t base = w->x[u->a] | (wide && u->a ? (uint64_t)w->x[u->a + 1] << 32 : 0);
    uint64_t address[4];
    uint8_t *host[4];
    if ((wide && u->a & 1) || data + words > 64)
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, data);
    for (unsigned i = 0; i < words; i++) {
        address[i] = base + (uint64_t)(int64_t)u->imm + 4 * i;
        if (!cy_memory_place(w, u, prefix.space, wide, &address[i], size, access, -1))
            return NULL;
        host[i] = cy_host(w, u, address[i], size, access, -1);
        if (!host[i])
            return NULL;
    }
    for (unsigned i = 0; i < words; i++) {
        uint32_t value = data || !store ? w->x[(data + i) & 63] & (uint32_t)cy_ones(8 * size) : 0;
        if (store)
            cy_guest_store(host[i], &value, size);
        else
            cy_guest_load(&value, host[i], size);
        if (!store && data) /* x0 discards all words */
            w->x[data + i] = extend(value, size, funct3 >> 2 & 1);
        cy_observe_memory(w, u, access, size, 1, &address[i], &value);
    }
    return cy_next(u);
}

/* ---- the general driver ---- */

enum addressing { PER_LANE, UNIT, STRIDED, INDEXED, WHOLE, MASK_BITS };

/* A description of the access: from its row, its prefix and vtype. */
struct plan {
    enum addressing addressing;
    uint8_t size;       /* element size in memory, at most 4; 8-byte elements are two words */
    uint8_t words;      /* consecutive words per element, to consecutive registers */
    uint8_t parts;      /* registers in the group: LMUL, or those of a whole-register move */
    uint8_t index_size; /* size of an index */
    bool store, zero_extend;
    bool wide; /* the address, or the scalar base, is a 64-bit pair */
    bool even; /* data are pairs */
    enum cy_place space;
};

/* The column of formats.def: how lanes are addressed, and what the width in funct3 means. */
enum form { FORM_UNIT, FORM_STRIDED, FORM_INDEXED, FORM_WHOLE, FORM_PER_LANE, FORM_PER_LANE_64, FORM_PRIVATE };
enum width { WIDTH_RVV, WIDTH_RISCV, WIDTH_STORE12 };
struct shape {
    uint8_t form, width;
};
#define SHAPE_MEMORY(addressing, width, path)                                                                          \
    {                                                                                                                  \
        FORM_##addressing, WIDTH_##width                                                                               \
    }
#define SHAPE_LANES(...) CY_NO_SHAPE
#define SHAPE_SCALAR(...) CY_NO_SHAPE
#define SHAPE_OWN() CY_NO_SHAPE
#define SHAPE_JOINED() CY_NO_SHAPE
static const struct shape shapes[CY_FORMAT_COUNT] = {
#define FORMAT(id, mask, syntax, shape) [CY_FORMAT_##id] = SHAPE_##shape,
#include "isa/formats.def"
};

static unsigned width_bytes(enum width width, uint32_t word)
{
    unsigned funct3 = word >> 12 & 7;
    switch (width) {
    case WIDTH_STORE12: return funct3 == 6 ? 4 : funct3 == 3 ? 2 : 1;
    case WIDTH_RISCV: return 1u << (funct3 & 3);
    case WIDTH_RVV: break;
    }
    return funct3 == 0 ? 1 : funct3 == 5 ? 2 : funct3 == 6 ? 4 : 8;
}

/* gen2 pre_m: space, width, 64-bit addresses.  Pairs: an even address register is 64 bits wide, even data registers
 * move 64 bits. */
static void apply_prefix(const struct cy_warp *w, const struct cy_insn *insn, struct plan *plan)
{
    const struct cy_memory_prefix prefix = cy_memory_prefix(w, insn);
    bool words = plan->size == 4 && plan->addressing != WHOLE;
    if (prefix.space)
        plan->space = prefix.space;
    if (words && prefix.words > plan->words) {
        plan->words = (uint8_t)prefix.words;
        plan->even = false;
    }
    plan->wide |= prefix.wide;
    if (!prefix.pairs)
        return;
    int32_t address = cy_insn_field(insn, CY_FIELD_vs1, cy_insn_field(insn, CY_FIELD_rs1, 1));
    int32_t data = cy_insn_field(insn, CY_FIELD_vd, cy_insn_field(insn, CY_FIELD_vs3, -1));
    if (data < 0)
        data = cy_insn_field(insn, CY_FIELD_vs2, 1);
    plan->wide |= plan->space != CY_SPACE_PRIVATE && !(address & 1);
    if (words && !(data & 1))
        plan->words = 2;
}

static struct plan make_plan(const struct cy_warp *w, const struct cy_insn *insn)
{
    const struct cy_insn_info *row = &cy_insns[insn->op];
    struct plan plan = {.store = row->flags & CY_F_STORE, .words = 1, .parts = 1};
    const struct shape shape = shapes[row->format];
    unsigned width = width_bytes((enum width)shape.width, insn->word);
    switch ((enum form)shape.form) {
    case FORM_UNIT: plan.addressing = UNIT; break;
    case FORM_PER_LANE: plan.addressing = PER_LANE; break;
    case FORM_PER_LANE_64:
        plan.addressing = PER_LANE;
        plan.wide = true;
        break;
    case FORM_PRIVATE:
        plan.addressing = PER_LANE;
        plan.space = CY_SPACE_PRIVATE;
        break;
    case FORM_STRIDED: plan.addressing = STRIDED; break;
    case FORM_INDEXED:
        plan.addressing = INDEXED;
        plan.index_size = (uint8_t)width;
        width = cy_sew(w) / 8;
        break;
    case FORM_WHOLE:
        plan.addressing = insn->op == CY_OP_vlm_v || insn->op == CY_OP_vsm_v ? MASK_BITS : WHOLE;
        plan.parts = plan.addressing == WHOLE ? (uint8_t)((insn->word >> 29) + 1) : 1;
        width = plan.addressing == WHOLE ? 4 : 1;
        break;
    }
    if (plan.addressing == UNIT || plan.addressing == STRIDED || plan.addressing == INDEXED)
        plan.parts = (uint8_t)cy_lmul(w);
    bool custom = !plan.store && shape.width == WIDTH_RISCV;
    plan.zero_extend = custom && insn->word >> 14 & 1;
    plan.size = (uint8_t)(width > 4 ? 4 : width);
    plan.words = width > 4 ? 2 : 1;
    plan.even = width > 4;
    if (insn->prefix)
        apply_prefix(w, insn, &plan);
    return plan;
}

/* The address of a lane's element (of one part, for groups) before its space is applied. */
static uint64_t element_address(const struct cy_warp *w, const struct cy_uop *u, const struct plan *plan, unsigned lane,
                                unsigned part)
{
    unsigned element = part * w->numt + lane;
    uint64_t base = w->x[u->a & 63] | (plan->wide && u->a ? (uint64_t)w->x[(u->a + 1) & 63] << 32 : 0), index;
    switch (plan->addressing) {
    case UNIT: base += (uint64_t)element * plan->size * plan->words; break;
    case WHOLE: base += (uint64_t)element * 4; break;
    case STRIDED: base += (uint64_t)((int64_t)element * (int32_t)w->x[u->b]); break;
    case INDEXED:
        index = cy_vreg(w, u->b + part)[lane];
        base += index & cy_ones(8u * plan->index_size);
        break;
    case PER_LANE:
    case MASK_BITS:
        base = cy_vreg(w, u->a)[lane] | (plan->wide ? (uint64_t)cy_vreg(w, u->a + 1u)[lane] << 32 : 0);
        base += (uint64_t)(int64_t)u->imm;
        break;
    }
    return plan->wide ? base : (uint32_t)base;
}

/* The mask of vlm and vsm in memory: ceil(vl / 8) bytes, lane i's bit at bit i.  In the register it is packed too (bits
 * of lanes that the SIMT mask disables are kept), or bit 0 of each lane with the option mask=lane. */
static uint8_t mask_byte(const struct cy_warp *w, const struct cy_uop *u, unsigned byte)
{
    unsigned bits = 0;
    if (!w->run->mask_per_lane)
        return ((const uint8_t *)cy_vreg(w, u->d))[byte];
    for (unsigned i = 8 * byte; i < 8 * byte + 8 && i < w->vl; i++)
        bits |= (cy_vreg(w, u->d)[i] & 1) << (i & 7);
    return (uint8_t)bits;
}

static void set_mask_byte(struct cy_warp *w, const struct cy_uop *u, unsigned byte, uint8_t value)
{
    for (unsigned i = 8 * byte; i < 8 * byte + 8; i++) {
        uint8_t *packed = (uint8_t *)cy_vreg(w, u->d) + byte, bit = (uint8_t)(1u << (i & 7));
        if (!(w->mask >> (i & (w->numt - 1)) & 1))
            continue;
        if (!w->run->mask_per_lane)
            *packed = (uint8_t)((*packed & ~bit) | (value & bit));
        else if (i < w->vl)
            cy_vreg(w, u->d)[i] = value >> (i & 7) & 1;
    }
}

static const struct cy_uop *mask_bits(struct cy_warp *w, const struct cy_uop *u, bool store)
{
    unsigned bytes = (w->vl + 7) / 8;
    uint8_t *host[CY_MAX_LANES / 4];
    if (w->run->mask_per_lane && u->d + cy_lmul(w) > 256)
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, u->d);
    for (unsigned i = 0; i < bytes; i++) {
        host[i] = cy_host(w, u, (uint32_t)(w->x[u->a] + i), 1, store ? CY_WRITE : CY_READ, -1);
        if (!host[i])
            return NULL;
    }
    for (unsigned i = 0; i < bytes; i++) {
        uint64_t address = (uint32_t)(w->x[u->a] + i);
        if (store)
            *host[i] = mask_byte(w, u, i);
        else
            set_mask_byte(w, u, i, *host[i]);
        uint32_t value = *host[i];
        cy_observe_memory(w, u, store ? CY_WRITE : CY_READ, 1, 1, &address, &value);
    }
    return cy_next(u);
}

/* One register's part of an access, with its addresses resolved. */
struct move {
    uint64_t active;
    uint32_t *row;
    uint64_t address[CY_MAX_LANES];
    uint8_t *host[CY_MAX_LANES];
};
#define MAX_MOVES 8 /* eight whole registers, or two parts of four words */

static bool resolve(struct cy_warp *w, const struct cy_uop *u, const struct plan *plan, struct move *move,
                    unsigned part, unsigned word)
{
    for (uint64_t left = move->active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        unsigned access = plan->store ? CY_WRITE : CY_READ;
        move->address[lane] = element_address(w, u, plan, lane, part) + 4 * word;
        if (!cy_memory_place(w, u, plan->space, plan->wide, &move->address[lane], plan->size, access, (int)lane))
            return false;
        move->host[lane] = cy_host(w, u, move->address[lane], plan->size, access, (int)lane);
        if (!move->host[lane])
            return false;
    }
    return true;
}

static void perform(struct cy_warp *w, const struct cy_uop *u, const struct plan *plan, const struct move *move)
{
    uint32_t values[CY_MAX_LANES];
    for (uint64_t left = move->active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        if (plan->store) {
            values[lane] = move->row[lane] & (uint32_t)cy_ones(8u * plan->size);
            cy_guest_store(move->host[lane], &values[lane], plan->size);
        } else {
            values[lane] = 0;
            cy_guest_load(&values[lane], move->host[lane], plan->size);
            move->row[lane] = extend(values[lane], plan->size, plan->zero_extend);
        }
    }
    cy_observe_memory(w, u, plan->store ? CY_WRITE : CY_READ, plan->size, move->active, move->address, values);
}

/* Every lane of every register is resolved before the first byte moves: a fault leaves memory and registers unchanged,
 * and a load may overwrite its own address register. */
CY_HANDLER(, cy_memory_general)
{
    const struct cy_insn *insn = cy_uop_insn(w, u);
    struct plan plan = make_plan(w, insn);
    struct move moves[MAX_MOVES];
    unsigned count = 0;
    if (w->vtype & CY_VILL && plan.addressing != WHOLE)
        return cy_fault(w, u, CY_FAULT_VTYPE, -1, w->vtype);
    if (plan.addressing == MASK_BITS)
        return mask_bits(w, u, plan.store);
    /* custom stores have their data in vs2, RVV's in the vd field */
    unsigned data = cy_insn_field(insn, CY_FIELD_vs1, -1) >= 0 && plan.store ? u->b : u->d;
    if ((plan.wide && u->a & 1) || (plan.even && data & 1) || data + plan.parts * plan.words > 256u ||
        (plan.addressing == INDEXED && u->b + plan.parts > 256u))
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, data);
    bool masked = !cy_insn_field(insn, CY_FIELD_vm, 1);
    for (unsigned part = 0; part < plan.parts; part++)
        for (unsigned word = 0; word < plan.words; word++, count++) {
            moves[count].active = plan.addressing == WHOLE ? w->mask : cy_part_active(w, part, masked);
            moves[count].row = cy_vreg(w, data + part * plan.words + word);
            if (!resolve(w, u, &plan, &moves[count], part, word))
                return NULL;
        }
    for (unsigned i = 0; i < count; i++)
        perform(w, u, &plan, &moves[i]);
    return cy_next(u);
}
