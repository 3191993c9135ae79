/* Encoding instructions, with the prefix that a register number or a 5-bit immediate needs. */
#include "isa/isa_priv.h"

static uint32_t register_limit(enum cy_field_kind kind)
{
    return kind == CY_VREG ? 255 : kind == CY_XREG ? 63 : 31;
}

static bool is_register(enum cy_field_kind kind)
{
    return kind == CY_VREG || kind == CY_XREG || kind == CY_XNUM || kind == CY_EREG;
}

const char *cy_encode(enum cy_target target, struct cy_insn *insn, unsigned *bad_operand)
{
    const struct cy_insn_info *info = &cy_insns[insn->op];
    const struct cy_format_syntax *syntax = &cy_syntaxes()->formats[info->format];
    uint32_t parts[5] = {0}; /* by slot: -, D, 1, 2, 3 */
    uint32_t immediate = 0, word = info->match;
    bool extends = false, extends_immediate = false;
    unsigned ignored;
    if (!bad_operand)
        bad_operand = &ignored;
    if (!(info->gens & (1 << target)))
        return "instruction is not part of this instruction set";
    for (unsigned i = 0; i < syntax->operand_count; i++) {
        enum cy_field id = (enum cy_field)syntax->operands[i];
        const struct cy_field_info *field = &cy_fields[id];
        int32_t value = insn->operand[i];
        *bad_operand = i;
        if (is_register(field->kind)) {
            bool extendable = field->slot != CY_EXT_NONE && !(info->flags & CY_F_PREFIX);
            uint32_t limit = extendable ? register_limit(field->kind) : 31;
            if (value < 0 || (uint32_t)value > limit)
                return limit == 31 ? "register number above 31 cannot be used here" : "no such register";
            if (field->kind == CY_VREG && value % cy_register_step(info) != 0)
                return "the register must be the first of its group: a multiple of 2, 4 or 8 as in the mnemonic";
            if (id == CY_FIELD_erd && (value == 0 || value == 2 || value == 3))
                return "r0, r2 (%BlockDim) and r3 (%ThreadIdx) are read only";
            parts[field->slot] = (uint32_t)value >> 5;
            extends |= value > 31;
        } else if (id == CY_FIELD_uimm12 && value < 0 && value >= -2048) {
            /* A prefix: the vendor's tools print its bits as a signed number. */
        } else if (!cy_field_fits(id, value, NULL, NULL, NULL)) {
            int64_t low = field->kind == CY_SIMM ? -1024 : 0;
            if (field->slot != CY_EXT_IMM || value < low || value > 1023)
                return "immediate out of range";
            immediate = ((uint32_t)value >> 5) & 63;
            extends = extends_immediate = true;
        }
        word = cy_field_insert(id, word, value);
    }
    insn->word = word;
    insn->prefix = 0;
    insn->size = 4;
    insn->operand_count = syntax->operand_count;
    if (extends) {
        uint32_t ext = extends_immediate
                           ? parts[CY_EXT_D] | parts[CY_EXT_2] << 3 | immediate << 6
                           : parts[CY_EXT_D] | parts[CY_EXT_1] << 3 | parts[CY_EXT_2] << 6 | parts[CY_EXT_3] << 9;
        insn->prefix = cy_insns[extends_immediate ? CY_OP_regexti : CY_OP_regext].match | ext << 20;
        insn->size = 8;
    }
    return NULL;
}
