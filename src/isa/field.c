/* Inserting and extracting field values, and the range of a field. */
#include "isa/isa_priv.h"

uint32_t cy_field_insert(enum cy_field field, uint32_t word, int32_t value)
{
    const struct cy_field_info *info = &cy_fields[field];
    for (unsigned i = 0; i < info->piece_count; i++) {
        const struct cy_piece *piece = &info->pieces[i];
        uint32_t ones = (uint32_t)((1ull << piece->width) - 1);
        word &= ~(ones << piece->insn_lsb);
        word |= (((uint32_t)value >> piece->value_lsb) & ones) << piece->insn_lsb;
    }
    return word;
}

static bool is_signed(enum cy_field_kind kind)
{
    return kind == CY_SIMM || kind == CY_PCREL;
}

int32_t cy_field_extract(enum cy_field field, uint32_t word)
{
    const struct cy_field_info *info = &cy_fields[field];
    uint32_t value = 0;
    for (unsigned i = 0; i < info->piece_count; i++) {
        const struct cy_piece *piece = &info->pieces[i];
        uint32_t ones = (uint32_t)((1ull << piece->width) - 1);
        value |= ((word >> piece->insn_lsb) & ones) << piece->value_lsb;
    }
    return is_signed(info->kind) ? cy_sign_extend(value, info->bits) : (int32_t)value;
}

bool cy_field_fits(enum cy_field field, int64_t value, int64_t *low, int64_t *high, unsigned *step)
{
    const struct cy_field_info *info = &cy_fields[field];
    unsigned lowest = info->bits;
    for (unsigned i = 0; i < info->piece_count; i++)
        lowest = info->pieces[i].value_lsb < lowest ? info->pieces[i].value_lsb : lowest;
    int64_t least = is_signed(info->kind) ? -((int64_t)1 << (info->bits - 1)) : 0;
    int64_t unit = (int64_t)1 << lowest;
    int64_t most = least + ((int64_t)1 << info->bits) - unit;
    if (low)
        *low = least;
    if (high)
        *high = most;
    if (step)
        *step = (unsigned)unit;
    if (info->kind == CY_RM && (value == 5 || value == 6))
        return false;
    return value >= least && value <= most && (value & (unit - 1)) == 0;
}

int32_t cy_operand_default(enum cy_field field)
{
    return cy_fields[field].kind == CY_VM ? 1 : cy_fields[field].kind == CY_RM ? 7 : 0;
}
