/* Explicit prefixes in the source: `regext zero, zero, 1`, then `vmv.v.x v32, tp`.  The vendor's compiler writes the
 * full register names after a prefix; hand-written code often has the low five bits (`vmv.v.x v0, tp`).  Both are
 * accepted; full names must agree with the prefix.  (cy_encode adds the prefixes that are not written.) */
#include "as/as_priv.h"

#include <string.h>

bool as_take_prefix(struct as *as, const struct cy_insn *insn, bool fill)
{
    as->section->prefix = (struct as_prefix){
        .active = true,
        .fill_extension = fill,
        .word = insn->word,
        .offset = as_here(as->section) - 4,
        .op = insn->op,
        .flags = cy_insns[insn->op].flags,
        .loc = as_loc(as, as->start, (size_t)(as->p - as->start)),
    };
    return true;
}

bool as_no_prefix_pending(struct as *as)
{
    struct as_prefix *prefix = &as->section->prefix;
    if (!prefix->active)
        return true;
    prefix->active = false; /* one message is enough */
    as_fail(as, as->start, 1, "only an instruction can follow a prefix");
    as_note_at(as, &prefix->loc, "the prefix is here");
    return false;
}

void as_check_last_prefixes(struct as *as)
{
    for (size_t i = 0; i < as->sections.count; i++)
        if (as->sections.at[i]->prefix.active)
            as_error_at(as, &as->sections.at[i]->prefix.loc, "no instruction follows this prefix in section %s",
                        as->sections.at[i]->name);
}

/* The position and width of a slot's part in the twelve extension bits. */
static bool part_of(const struct as_prefix *prefix, enum cy_ext_slot slot, unsigned *shift, unsigned *bits)
{
    bool immediate = (prefix->flags & CY_F_EXT_IMM) != 0;
    *bits = slot == CY_EXT_IMM ? 6 : 3;
    switch (slot) {
    case CY_EXT_D: *shift = 0; return true;
    case CY_EXT_1: *shift = 3; return !immediate;
    case CY_EXT_2: *shift = immediate ? 3 : 6; return true;
    case CY_EXT_3: *shift = 9; return !immediate;
    case CY_EXT_IMM: *shift = 6; return immediate;
    default: return false;
    }
}

static int32_t low_part(const struct cy_field_info *field, int32_t value)
{
    uint32_t low = (uint32_t)value & 31;
    return field->kind == CY_SIMM && (low & 16) ? (int32_t)low - 32 : (int32_t)low;
}

/* Removes from one operand what the prefix supplies.  *extension: the prefix's bits, filled in if they are open. */
static bool strip(struct as *as, const struct as_prefix *prefix, enum cy_field id, const struct as_operand *operand,
                  bool applies, int32_t *value, uint32_t *extension)
{
    const struct cy_field_info *field = &cy_fields[id];
    bool is_immediate = field->slot == CY_EXT_IMM;
    unsigned shift = 0, bits = 0;
    bool extended = applies && part_of(prefix, field->slot, &shift, &bits);
    uint32_t high = ((uint32_t)*value >> 5) & (is_immediate ? 63 : 7);
    uint32_t part = extended ? *extension >> shift & ((1u << bits) - 1) : 0;
    bool is_raw = is_immediate ? *value >= -16 && *value <= 31 : *value <= 31;
    const char *at = operand ? operand->at : as->start;
    size_t length = operand ? operand->length : 1;
    if (!extended) {
        if (is_immediate ? cy_field_fits(id, *value, NULL, NULL, NULL) : *value <= 31)
            return true;
        return as_fail(as, at, length,
                       applies
                           ? "the prefix before this has no room for the high bits of this operand"
                           : "the prefix before this applies to memory accesses only: no high bits for this operand");
    }
    if (prefix->fill_extension) {
        *extension |= high << shift;
        part = high;
    } else if (high != part && !is_raw) {
        return as_fail(as, at, length, "this operand needs %u in the prefix before it, which has %u", high, part);
    }
    if (!is_immediate) {
        int32_t number = (int32_t)(part << 5 | ((uint32_t)*value & 31));
        if (field->kind == CY_XREG && number > 63)
            return as_fail(as, at, length, "with this prefix it is x%d, and sGPRs are x0 to x63", number);
        as_note_register(as, id, number);
    }
    *value = low_part(field, *value);
    return true;
}

bool as_apply_prefix(struct as *as, struct cy_insn *insn, const struct as_operand *operands)
{
    struct as_section *section = as->section;
    struct as_prefix *prefix = &section->prefix;
    if (cy_insns[insn->op].flags & CY_F_PREFIX)
        return as_no_prefix_pending(as);
    prefix->active = false;
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(cy_insns[insn->op].format, fields);
    uint32_t extension = prefix->word >> 20;
    bool applies = cy_prefix_applies(prefix->op, insn->op);
    for (size_t i = 0; i < count; i++) {
        const struct as_operand *operand = operands && operands[i].at ? &operands[i] : NULL;
        if (cy_fields[fields[i]].slot != CY_EXT_NONE &&
            !strip(as, prefix, fields[i], operand, applies, &insn->operand[i], &extension)) {
            as_note_at(as, &prefix->loc, "the prefix is here");
            return false;
        }
    }
    if (prefix->fill_extension) {
        uint32_t word = (prefix->word & 0xfffff) | extension << 20;
        memcpy(section->data.data + prefix->offset, &word, 4);
    }
    return true;
}
