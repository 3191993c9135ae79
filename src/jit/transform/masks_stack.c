/* Where it is counted who runs with whom, a join has a stack, as the guest's has: lanes that wait for it at its sides go on with those of
 * one branch, in one round of a loop, and with no others.
 *
 * A cell has the number of entries, and a cell of each lane the entry in which it waits. */
#include "jit/transform/masks_priv.h"

static cy_sir_value number(struct masks *m, uint32_t block, uint32_t value)
{
    return cy_sir_const(m->func, block, CY_SIR_I32, value);
}

void masks_push(struct masks *m, uint32_t at, const struct join *join, cy_sir_value lanes)
{
    if (join->level == CY_SIR_NOTHING)
        return;
    const cy_sir_value some = masks_emit(m, at, CY_SIR_ANY, CY_SIR_I1, lanes, 0);
    const cy_sir_value one = masks_emit(m, at, CY_SIR_ZEXT, CY_SIR_I32, some, 0);
    const cy_sir_value level = masks_emit(m, at, CY_SIR_ADD, CY_SIR_I32, masks_get(m, at, join->level), one);
    masks_set(m, at, join->level, level, 0);
    masks_set(m, at, join->rank, level, lanes);
}

/* Nobody waits any more: said, so that nothing of it need be kept until lanes come again. */
static void forget(struct masks *m, uint32_t at, const struct join *join)
{
    masks_set(m, at, join->level, number(m, at, 0), 0);
    masks_set(m, at, join->rank, masks_emit(m, at, CY_SIR_UNDEF, CY_SIR_I32, 0, 0), 0);
}

uint32_t masks_pop(struct masks *m, const struct join *join, uint32_t *empty)
{
    const uint32_t at = join->gate, some = cy_sir_block_new(m->func);
    *empty = cy_sir_block_new(m->func);
    const cy_sir_value level = masks_get(m, at, join->level);
    const cy_sir_value is_some = masks_emit(m, at, CY_SIR_NE, CY_SIR_I1, level, number(m, at, 0));
    cy_sir_set_branch(m->func, at, is_some, some, *empty);
    masks_set(m, some, join->level, masks_emit(m, some, CY_SIR_SUB, CY_SIR_I32, level, number(m, some, 1)), 0);
    forget(m, *empty, join);
    return some;
}

cy_sir_value masks_popped(struct masks *m, uint32_t at, const struct join *join, cy_sir_value lanes)
{
    const cy_sir_value level = masks_get(m, at, join->level);
    const cy_sir_value top = masks_emit(m, at, CY_SIR_ADD, CY_SIR_I32, level, number(m, at, 1));
    const cy_sir_value is_top = masks_emit(m, at, CY_SIR_EQ, CY_SIR_I1, masks_get(m, at, join->rank), top);
    return masks_emit(m, at, CY_SIR_AND, CY_SIR_I1, lanes, is_top);
}
