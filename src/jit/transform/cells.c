#include "jit/transform/cells.h"

#include <string.h>

void cy_sir_set_after(struct cy_sir_func *func, cy_sir_value value, uint32_t cell)
{
    const uint32_t block = cy_sir_at(func, value)->block;
    size_t at = 0;
    while (func->blocks.at[block].list.at[at] != value)
        at++;
    const cy_sir_value made = cy_sir_make(func, CY_SIR_SET, CY_SIR_VOID, value, 0, 0);
    cy_sir_at(func, made)->imm = cell;
    cy_sir_insert(func, block, at + 1, made);
}

struct uses {
    struct cy_sir_func *func;
    const uint32_t *cell_of;
    size_t count;
    cy_sir_value *made;         /* by value: what stands for it in the current block */
    uint32_t *in;               /* by value: one more than the block for which that was made */
    CY_VEC(cy_sir_value) first; /* to be put before the block's instructions */
};

static void take_out(struct uses *uses, cy_sir_value value, uint32_t block)
{
    const struct cy_sir_insn old = *cy_sir_at(uses->func, value);
    const cy_sir_value made = cy_sir_make(uses->func, CY_SIR_GET, (enum cy_sir_type)old.type, 0, 0, 0);
    struct cy_sir_insn *insn = cy_sir_at(uses->func, made);
    insn->imm = uses->cell_of[value];
    insn->variable = old.variable;
    insn->block = block;
    *cy_vec_push(&uses->first) = made;
    uses->made[value] = made;
    uses->in[value] = block + 1;
}

static cy_sir_value used(struct uses *uses, uint32_t block, cy_sir_value value)
{
    if (!value || value >= uses->count || uses->cell_of[value] == CY_SIR_NOTHING ||
        cy_sir_at(uses->func, value)->block == block)
        return value;
    if (uses->in[value] != block + 1)
        take_out(uses, value, block);
    return uses->made[value];
}

static void use_in_block(struct uses *uses, uint32_t b)
{
    struct cy_sir_func *func = uses->func;
    uses->first.count = 0;
    for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
        const cy_sir_value value = func->blocks.at[b].list.at[i];
        for (unsigned k = 0; k < CY_COUNT(func->insns.at[0].args); k++) {
            const cy_sir_value by = used(uses, b, cy_sir_at(func, value)->args[k]);
            cy_sir_at(func, value)->args[k] = by;
        }
        const cy_sir_value mask = used(uses, b, cy_sir_at(func, value)->mask);
        cy_sir_at(func, value)->mask = mask;
    }
    func->blocks.at[b].condition = used(uses, b, func->blocks.at[b].condition);
    for (size_t i = 0; i < uses->first.count; i++)
        cy_sir_insert(func, b, i, uses->first.at[i]);
}

void cy_sir_use_cells(struct cy_sir_func *func, const uint32_t *cell_of, size_t count)
{
    struct uses uses = {.func = func, .cell_of = cell_of, .count = count};
    const size_t made_bytes = (count + 1) * sizeof(*uses.made), in_bytes = (count + 1) * sizeof(*uses.in);
    uses.made = memset(cy_xrealloc(NULL, made_bytes), 0, made_bytes);
    uses.in = memset(cy_xrealloc(NULL, in_bytes), 0, in_bytes);
    for (uint32_t b = 0; b < func->blocks.count; b++)
        use_in_block(&uses, b);
    cy_vec_free(&uses.first);
    cy_free(uses.made);
    cy_free(uses.in);
}
