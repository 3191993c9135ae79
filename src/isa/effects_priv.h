/* Between the files that compute effects. */
#ifndef CY_ISA_EFFECTS_PRIV_H
#define CY_ISA_EFFECTS_PRIV_H

#include "isa/effects.h"

/* What a prefix says beside the high bits of registers; all zero but `words` where there is none. */
struct cy_prefix_effects {
    uint8_t place; /* enum cy_place */
    uint8_t words;
    bool is_far;
    bool has_pairs;
    uint8_t abs, neg;
};

/* The operand with this role, to be changed; NULL: there is none. */
struct cy_operand *cy_effects_slot(struct cy_effects *effects, enum cy_role role);

/* A register operand's elements have `bits`, in `parts` registers of a group, or as many pairs. */
void cy_effects_widen(struct cy_effects *effects, struct cy_operand *operand, unsigned bits, unsigned parts);

/* effects_memory.c: the access, and the registers of its operands. */
void cy_effects_find_access(struct cy_effects *effects, const struct cy_effects_mode *mode, const struct cy_insn *insn,
                            const struct cy_prefix_effects *prefix);

#endif
