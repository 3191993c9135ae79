/* What all lanes of a strip agree on, as shapes say: a divergent branch of which they take one side together is no longer divergent, and
 * what the last lane has is what each of them has.  Numbers that are the same for a warp come through vectors where they are floats, as
 * the machine has no scalar floating point. */
#include "jit/analyse/shape.h"
#include "jit/transform/edit.h"
#include "jit/transform/transform.h"

struct agree {
    struct cy_sir_edit edit;
    struct cy_sir_shapes shapes;
};

static bool is_one(struct agree *a, cy_sir_value value, uint32_t block)
{
    const struct cy_sir_shape shape = cy_sir_shape_at(&a->shapes, cy_sir_same_as(&a->edit, value), block);
    return cy_sir_is_one(&shape);
}

static void visit_block(struct agree *a, uint32_t b)
{
    struct cy_sir_block *block = &a->edit.func->blocks.at[b];
    size_t kept = 0;
    for (size_t i = 0; i < block->list.count; i++) {
        const cy_sir_value value = block->list.at[i];
        const struct cy_sir_insn *insn = cy_sir_at(a->edit.func, value);
        if (insn->op == CY_SIR_LAST && is_one(a, insn->args[0], b))
            cy_sir_edit_replace(&a->edit, value, insn->args[0]);
        else
            block->list.at[kept++] = value;
    }
    block->list.count = kept;
    if (block->terminator == CY_SIR_VBRANCH && is_one(a, block->condition, b))
        cy_sir_set_branch(a->edit.func, b, block->condition, block->succ[0], block->succ[1]);
}

void cy_sir_pass_agree(struct cy_sir_func *func)
{
    struct agree a = {.edit = {.func = func}};
    if (!func->strip.lanes)
        return; /* not chosen yet */
    cy_sir_edit_begin(&a.edit, func);
    a.shapes = cy_sir_find_shapes(&a.edit.arena, func);
    for (uint32_t b = 0; b < func->blocks.count; b++)
        visit_block(&a, b);
    cy_sir_free_shapes(&a.shapes);
    cy_sir_edit_end(&a.edit);
}
