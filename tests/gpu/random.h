/* Random instructions that can run: operands, and registers such that addresses and targets are good. */
#ifndef CY_TESTS_GPU_RANDOM_H
#define CY_TESTS_GPU_RANDOM_H

#include "gpu/harness.h"

struct rng {
    uint64_t state;
};

static inline uint32_t rng_word(struct rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (uint32_t)((z ^ z >> 31) >> 16);
}
static inline uint64_t rng_long(struct rng *r)
{
    uint64_t high = rng_word(r);
    return high << 32 | rng_word(r);
}
static inline uint32_t rng_below(struct rng *r, uint32_t limit)
{
    return rng_word(r) % limit;
}
static inline bool rng_chance(struct rng *r, uint32_t one_in)
{
    return rng_below(r, one_in) == 0;
}

/* Values at which arithmetic changes, as integers and as floats of 16 and 32 bits; others at random. */
static inline uint32_t rng_value(struct rng *r)
{
    static const uint32_t edges[] = {
        0,          1,          2,          0xffffffff, 0x80000000, 0x7fffffff, 0x80000001, 0x7f,       0x80,
        0xff,       0xffffff80, 0x7fff,     0x8000,     0xffff,     0xffff8000, 0x3f800000, 0xbf800000, 0x3f000000,
        0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x00800000, 0x00000001, 0x807fffff, 0x7f7fffff,
        0x4f000000, 0xcf000000, 0x4f800000, 0x4b000001, 0x3fc00000, 0x40200000, 0x33800000, 0x3f7fffff, 0x00003c00,
        0x00007c00, 0xfffffc00, 0x00007e00, 0x00007c01, 0x00000400, 0x000003ff, 0x00007bff, 31,         32,
    };
    switch (rng_below(r, 6)) {
    case 0:
    case 1: return edges[rng_below(r, sizeof(edges) / sizeof(edges[0]))];
    case 2: return rng_below(r, 64) - 32;
    case 3: return 0x3f800000 + (rng_word(r) & 0x81ffffff); /* a float near 1 or 4 */
    default: return rng_word(r);
    }
}

static inline void rng_registers(struct rng *r, struct harness *h)
{
    for (unsigned i = 1; i < 64; i++)
        h->warp.x[i] = rng_value(r);
    for (unsigned i = 0; i < 256 * h->run.lanes; i++)
        h->warp.v[i] = rng_value(r);
}

static inline int32_t *operand_of(struct cy_insn *insn, enum cy_field field)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(cy_insns[insn->op].format, fields);
    for (size_t i = 0; i < count; i++)
        if (fields[i] == field)
            return &insn->operand[i];
    return NULL;
}
static inline bool has_field(enum cy_op op, enum cy_field field)
{
    struct cy_insn insn = {.op = op};
    return operand_of(&insn, field) != NULL;
}
static inline int32_t get_operand(struct cy_insn *insn, enum cy_field field, int32_t otherwise)
{
    const int32_t *operand = operand_of(insn, field);
    return operand ? *operand : otherwise;
}

static inline int32_t rng_csr(struct rng *r, bool writable)
{
    for (;;) {
        const struct cy_csr_info *csr = &cy_csrs[rng_below(r, (uint32_t)cy_csr_count)];
        if (csr->exists && (csr->writable || !writable) && csr->number != CY_CSR_PRINT)
            return csr->number;
    }
}

/* A value the operand can have.  Registers: any the format reaches, with a prefix too when `extended`. */
static inline int32_t rng_operand(struct rng *r, enum cy_op op, enum cy_field field, bool extended)
{
    static const int32_t modes[] = {0, 1, 2, 3, 4, 7};
    const struct cy_field_info *info = &cy_fields[field];
    const uint32_t flags = cy_insns[op].flags, step = flags & CY_F_GROUP8   ? 8
                                                      : flags & CY_F_GROUP4 ? 4
                                                      : flags & CY_F_GROUP2 ? 2
                                                                            : 1;
    int64_t low, high;
    unsigned grain;
    cy_field_fits(field, 0, &low, &high, &grain);
    switch (info->kind) {
    case CY_VREG: return (int32_t)(rng_below(r, extended ? 256 : 32) / step * step);
    case CY_XREG: return (int32_t)rng_below(r, extended ? 64 : 32);
    case CY_RM: return modes[rng_below(r, 6)];
    case CY_PCREL: return 4 * (int32_t)rng_below(r, 6);
    case CY_CSR: return rng_csr(r, true);
    default: break;
    }
    if (extended && info->slot == CY_EXT_IMM) {
        low = info->kind == CY_SIMM ? -1024 : 0;
        high = 1023;
    }
    return (int32_t)(low + (int64_t)(rng_word(r) % ((uint64_t)(high - low) / grain + 1)) * (int64_t)grain);
}

/* An instruction of this row; `pairs`: its v registers are even and have room for groups after them. */
static inline struct cy_insn rng_insn(struct rng *r, enum cy_target target, enum cy_op op, bool pairs)
{
    struct cy_insn insn = {.op = op};
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(cy_insns[op].format, fields);
    bool wide = cy_insns[op].flags & CY_F_WIDE;
    do {
        bool extended = rng_chance(r, 3);
        for (size_t i = 0; i < count; i++) {
            insn.operand[i] = rng_operand(r, op, fields[i], extended);
            if (cy_fields[fields[i]].kind == CY_VREG && pairs)
                insn.operand[i] = insn.operand[i] / 8 * 8 + 4 * (int32_t)rng_below(r, 2);
            if (cy_fields[fields[i]].kind == CY_XREG && (wide || pairs))
                insn.operand[i] &= ~1;
        }
    } while (cy_encode(target, &insn, NULL) != NULL);
    return insn;
}

/* ---- addresses ---- */

#define ARENA 0x2000u /* the part of DATA with good addresses, and half as much of local memory */

/* Patterns of lanes' addresses of `size` bytes: consecutive, all the same, scattered, by stride, with some in local memory. */
static inline void rng_addresses(struct rng *r, uint32_t *address, unsigned lanes, unsigned size, uint32_t base,
                                 uint32_t room)
{
    unsigned pattern = rng_below(r, 5), slots = room / size;
    uint32_t first = rng_below(r, slots / 2), stride = rng_below(r, 4);
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t slot = pattern == 0   ? first + i
                        : pattern == 1 ? first
                        : pattern == 2 ? rng_below(r, slots)
                        : pattern == 3 ? first + i * stride
                                       : rng_below(r, 8);
        address[i] = base + slot % slots * size;
    }
}

/* The bytes one lane of a memory row moves at most at once. */
static inline unsigned access_size(const struct cy_insn *insn, unsigned sew)
{
    unsigned funct3 = insn->word >> 12 & 7;
    switch (cy_insns[insn->op].format) {
    case CY_FORMAT_VLX:
    case CY_FORMAT_VSX: return sew / 8;
    case CY_FORMAT_VL:
    case CY_FORMAT_VS:
    case CY_FORMAT_VLS:
    case CY_FORMAT_VSS: return funct3 == 0 ? 1 : funct3 == 5 ? 2 : funct3 == 6 ? 4 : 8;
    case CY_FORMAT_LOAD:
    case CY_FORMAT_STORE:
    case CY_FORMAT_VL12:
    case CY_FORMAT_VLP:
    case CY_FORMAT_VSP:
    case CY_FORMAT_VL12D: return (funct3 & 3) == 3 ? 4 : 1u << (funct3 & 3);
    case CY_FORMAT_VS12:
    case CY_FORMAT_VS12D: return funct3 == 6 ? 4 : funct3 == 3 ? 2 : 1;
    default: return 4;
    }
}

static inline uint32_t rng_base(struct rng *r, unsigned size)
{
    uint32_t base = rng_chance(r, 4) ? LDS : DATA;
    return base + rng_below(r, ARENA / 4 / size) * size;
}

/* Sets the registers that a memory access or an indirect jump takes its addresses from.  Changes operands where they
 * cannot be good (x0 as a base, the stride register that is the base as well). */
static inline void rng_make_good(struct rng *r, struct harness *h, struct cy_insn *insn, unsigned sew, unsigned parts)
{
    struct cy_warp *w = &h->warp;
    const unsigned lanes = h->run.lanes, size = access_size(insn, sew), flags = cy_insns[insn->op].flags;
    int32_t *rs1 = operand_of(insn, CY_FIELD_rs1), *rs2 = operand_of(insn, CY_FIELD_rs2);
    const bool scalar_base = rs1 && (flags & (CY_F_LOAD | CY_F_STORE) || insn->op == CY_OP_jalr);
    int32_t imm = get_operand(
        insn, CY_FIELD_imm12,
        get_operand(insn, CY_FIELD_simm12, get_operand(insn, CY_FIELD_imm11, get_operand(insn, CY_FIELD_simm11, 0))));
    if (scalar_base) {
        if (*rs1 == 0)
            *rs1 = 2;
        if (cy_insns[insn->op].format == CY_FORMAT_VLS || cy_insns[insn->op].format == CY_FORMAT_VSS) {
            if (*rs2 == *rs1)
                *rs2 = *rs1 ^ 1;
            if (*rs2 != 0)
                w->x[*rs2] = (rng_below(r, 9) - 4) * size;
            w->x[*rs1] = DATA + 0x4000 + rng_below(r, 64) * size;
        } else if (insn->op == CY_OP_jalr) {
            w->x[*rs1] = CODE + 8 + 4 * rng_below(r, 4) - (uint32_t)imm;
        } else {
            w->x[*rs1] = rng_base(r, size) - (uint32_t)imm;
        }
        if (flags & CY_F_WIDE) {
            uint64_t address = (uint64_t)rng_base(r, size) - (uint64_t)(int64_t)imm;
            w->x[*rs1] = (uint32_t)address;
            w->x[*rs1 + 1] = (uint32_t)(address >> 32);
        }
    }
    cy_encode(h->run.target, insn, NULL);
    if (cy_insns[insn->op].format == CY_FORMAT_VLX || cy_insns[insn->op].format == CY_FORMAT_VSX) {
        int32_t index = get_operand(insn, CY_FIELD_vs2, 0);
        unsigned bits = (insn->word >> 12 & 7) == 0 ? 8 : 16;
        for (unsigned part = 0; part < parts; part++) {
            uint32_t *row = harness_vreg(h, (unsigned)index + part);
            rng_addresses(r, row, lanes, size, 0, bits == 8 ? 256 : ARENA / 4);
            for (unsigned i = 0; i < lanes && (insn->word >> 12 & 7) != 6; i++)
                row[i] |= rng_word(r) << bits; /* only the low bits of an index count */
        }
        w->x[*rs1] = DATA + rng_below(r, 64) * size;
    }
    const int32_t vs1 = get_operand(insn, CY_FIELD_vs1, -1);
    if (vs1 < 0 || !(flags & (CY_F_LOAD | CY_F_STORE | CY_F_ATOMIC)))
        return;
    uint32_t *row = harness_vreg(h, (unsigned)vs1);
    bool in_private = flags & CY_F_PRIVATE, local = !in_private && rng_chance(r, 4);
    rng_addresses(r, row, lanes, size, in_private ? 0 : local ? LDS : DATA, in_private ? 1024 : local ? 0x1000 : ARENA);
    for (unsigned i = 0; i < lanes; i++) {
        uint64_t address = (uint64_t)row[i] - (uint64_t)(int64_t)imm;
        row[i] = (uint32_t)address;
        if (flags & CY_F_WIDE)
            row[i + lanes] = (uint32_t)(address >> 32);
    }
}

/* ---- state: what two runs are compared by ---- */

#define WATCHED 0x10000u /* bytes of DATA, beside private and local memory */

struct snapshot {
    uint32_t x[64], v[256 * CY_MAX_LANES];
    uint32_t vl, vtype, rpc, pc;
    uint64_t mask, active, retired;
    unsigned depth;
    uint8_t fflags, frm, vxsat, vxrm, stop;
    struct cy_fault fault;
    uint8_t data[WATCHED], private_[0x10000], lds[0x1000];
};

static inline void snapshot_take(struct snapshot *s, const struct harness *h)
{
    const struct cy_warp *w = &h->warp;
    memset(s, 0, offsetof(struct snapshot, data));
    memcpy(s->x, w->x, sizeof(s->x));
    memcpy(s->v, w->v, 256 * 4 * h->run.lanes);
    s->vl = w->vl, s->vtype = w->vtype, s->rpc = w->rpc, s->pc = w->pc;
    s->mask = w->mask, s->active = w->active, s->retired = w->retired;
    s->depth = w->depth;
    s->fflags = w->fflags, s->frm = w->frm, s->vxsat = w->vxsat, s->vxrm = w->vxrm, s->stop = w->stop;
    s->fault = w->fault;
    memcpy(s->data, h->memory.base + DATA, sizeof(s->data));
    memcpy(s->private_, h->memory.base + PRIVATE, sizeof(s->private_));
    memcpy(s->lds, h->memory.base + LDS, sizeof(s->lds));
}

/* Restores registers, memory and state; the code and its place are kept. */
static inline void snapshot_restore(const struct snapshot *s, struct harness *h)
{
    struct cy_warp *w = &h->warp;
    cy_warp_start(w, s->pc, w->full);
    memcpy(w->x, s->x, sizeof(s->x));
    memcpy(w->v, s->v, 256 * 4 * h->run.lanes);
    w->vl = s->vl, w->vtype = s->vtype, w->rpc = s->rpc;
    w->mask = s->mask;
    w->fflags = s->fflags, w->frm = s->frm, w->vxsat = s->vxsat, w->vxrm = s->vxrm;
    memcpy(h->memory.base + DATA, s->data, sizeof(s->data));
    memcpy(h->memory.base + PRIVATE, s->private_, sizeof(s->private_));
    memcpy(h->memory.base + LDS, s->lds, sizeof(s->lds));
    cy_warp_refresh(w);
}

#endif
