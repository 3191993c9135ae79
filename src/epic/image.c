/* Predecoded programs: the image that cores run. */
#include "epic/epic_priv.h"

#include <stdlib.h>

/* A word that is not an instruction has no effect in lanes that are predicated off, like any other. */
const struct insn *cy_epic_illegal(struct core *core, const struct insn *insn)
{
    const uint64_t enabled = cy_epic_enabled(core, insn);
    return enabled ? cy_epic_fault(core, insn, CY_EPIC_FAULT_ILLEGAL, lowest_lane(enabled), 0) : insn + 1;
}

const struct insn *cy_epic_fell_off(struct core *core, const struct insn *insn)
{
    return cy_epic_fault(core, insn, CY_EPIC_FAULT_FELL_OFF, lowest_lane(core->active), 0);
}

const struct insn *cy_epic_image_find(const struct image *image, uint32_t pc)
{
    if (pc & 3)
        return NULL;
    for (unsigned i = 0; i < image->range_count; i++) {
        const struct range *range = &image->ranges[i];
        if (pc >= range->first_pc && pc < range->end_pc)
            return range->first + (pc - range->first_pc) / 4;
    }
    return NULL;
}

/* r0, %BlockDim and %ThreadIdx are read-only: writes to them are discarded. */
static unsigned destination(unsigned number)
{
    return number == 0 || number == 2 || number == 3 ? (unsigned)ROW_NOWHERE : number;
}

/* Bit 28 is the predicate bit in every type but X and C, even in words that are not instructions. */
static bool is_predicated(uint32_t word)
{
    enum { X_TYPE = 5, C_TYPE = 7 };
    const unsigned type = word >> 29;
    return type != X_TYPE && type != C_TYPE && cy_field_extract(CY_FIELD_p, word) != 0;
}

static void predecode(struct insn *insn, enum cy_target target, uint32_t stride)
{
    struct cy_insn decoded;
    struct row_code code = {NULL, NULL};
    if (cy_decode_word(target, insn->word, &decoded))
        code = cy_epic_row_code(decoded.op);
    insn->op = CY_OP_INVALID;
    const bool predicated = is_predicated(insn->word);
    insn->always = predicated ? 0 : UINT32_MAX;
    if (!code.full) {
        insn->full = insn->masked = cy_epic_illegal;
        return;
    }
    insn->op = (uint16_t)decoded.op;
    insn->rd = (uint16_t)(destination((unsigned)cy_insn_field(&decoded, CY_FIELD_erd, 0)) * stride);
    insn->rs1 = (uint16_t)((uint32_t)cy_insn_field(&decoded, CY_FIELD_ers1, 0) * stride);
    insn->rs2 = (uint16_t)((uint32_t)cy_insn_field(&decoded, CY_FIELD_ers2, 0) * stride);
    /* A format has at most one of these; a jump's distance is only needed to find its target. */
    insn->imm = (uint32_t)(cy_insn_field(&decoded, CY_FIELD_eimm13, 0) | cy_insn_field(&decoded, CY_FIELD_eimm18, 0) |
                           cy_insn_field(&decoded, CY_FIELD_ecall, 0) | cy_insn_field(&decoded, CY_FIELD_ejoff, 0));
    insn->full = predicated ? code.masked : code.full;
    insn->masked = code.masked;
}

static void add_slot(struct image *image, const struct slot *slot, enum cy_target target, uint32_t stride)
{
    struct insn *insn = image->insns + image->count;
    image->ranges[image->range_count++] = (struct range){slot->address * 4, (slot->address + slot->count) * 4, insn};
    for (uint32_t i = 0; i < slot->count; i++, insn++) {
        insn->pc = (slot->address + i) * 4;
        insn->word = slot->words[i];
        predecode(insn, target, stride);
    }
    *insn =
        (struct insn){.full = cy_epic_fell_off, .masked = cy_epic_fell_off, .pc = (slot->address + slot->count) * 4};
    image->count += slot->count + (size_t)1;
}

bool cy_epic_image_build(struct image *image, const struct slot slots[CY_EPIC_PROGRAMS], enum cy_target target,
                         uint32_t stride)
{
    const struct slot *sorted[CY_EPIC_PROGRAMS];
    unsigned count = 0;
    size_t total = 0;
    for (unsigned n = 0; n < CY_EPIC_PROGRAMS; n++) {
        if (!slots[n].loaded)
            continue;
        unsigned at = count++;
        for (; at > 0 && sorted[at - 1]->address > slots[n].address; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = &slots[n];
        total += slots[n].count + (size_t)1;
    }
    *image = (struct image){0};
    image->insns = calloc(total + 1, sizeof(*image->insns));
    if (!image->insns)
        return false;
    for (unsigned i = 0; i < count; i++) {
        image->starts[sorted[i] - slots] = image->insns + image->count;
        add_slot(image, sorted[i], target, stride);
    }
    for (size_t i = 0; i < image->count; i++) {
        struct insn *insn = &image->insns[i];
        insn->target = cy_epic_image_find(image, insn->pc + insn->imm);
    }
    return true;
}
