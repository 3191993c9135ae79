/* What the translator makes of an instruction's effects: pairs, prefixes, accesses.  Combinations that fault, or that compilers do
 * not emit, are left to the interpreter. */
#include "jit/translate/translator.h"

static bool is_memory(const struct inst *inst)
{
    return is_access(inst) || inst->effects.access.atomic;
}

unsigned register_count(const struct inst *inst, enum cy_field which)
{
    for (unsigned i = 0; i < inst->effects.operand_count; i++)
        if (inst->effects.operand[i].field == which)
            return inst->effects.operand[i].count;
    return 0;
}

static bool find_memory_shape(struct translator *t, struct inst *inst)
{
    const struct cy_effects_access *access = &inst->effects.access;
    const bool by_lane = access->addressing == CY_ADDRESS_LANE && !access->atomic;
    const bool is_scalar = access->addressing == CY_ADDRESS_SCALAR;
    inst->space = access->space;
    inst->is_far = access->is_far;
    inst->words = access->atomic ? 1 : access->words;
    if (access->atomic && t->request->target == CY_GEN1) /* pairs: their addresses are left to the interpreter */
        inst->is_far = row_of(inst)->flags & CY_F_WIDE;
    const bool is_plain = !inst->is_far && !inst->space && inst->words == 1;
    if (inst->pairs && !access->atomic)
        return cannot(t, "pairs in a memory access");
    if (access->atomic && inst->space)
        return cannot(t, "a prefix of an atomic operation");
    if ((inst->space && (!by_lane || inst->is_far || inst->space == CY_SPACE_GLOBAL)) ||
        (!is_plain && !by_lane && !is_scalar && !access->atomic))
        return cannot(t, "a prefix of %s", row_of(inst)->mnemonic);
    return true;
}

bool find_shape(struct translator *t, struct inst *inst)
{
    const struct cy_effects *effects = &inst->effects;
    cy_effects((enum cy_target)t->request->target, &inst->insn, &inst->effects);
    inst->words = 1;
    inst->pairs = effects->has_pairs;
    inst->abs = effects->abs;
    inst->neg = effects->neg;
    inst->is_wide = !is_memory(inst) && (effects->is_wide || effects->has_pairs);
    if (is_memory(inst) && !find_memory_shape(t, inst))
        return false;
    const bool is_modified = inst->pairs || inst->abs || inst->neg;
    if (is_modified && !is_memory(inst) &&
        (!effects->expr || row_of(inst)->format == CY_FORMAT_V1 || effects->result == CY_RESULT_PACKED ||
         (inst->pairs && effects->result == CY_RESULT_WIDE)))
        return cannot(t, "a prefix of %s", row_of(inst)->mnemonic);
    return !effects->is_illegal || cannot(t, "registers of %s", row_of(inst)->mnemonic);
}
