/* Barriers become blocks of their own.  All lanes pass a barrier together, whichever version of the code they come from, so that there
 * must be one of it; behind it they choose a version again. */
#include "jit/transform/masks_priv.h"

/* What begins with an instruction becomes a block of its own, to which the rest jumps. */
static uint32_t cut(struct cy_sir_func *func, uint32_t b, size_t at)
{
    const uint32_t rest = cy_sir_block_new(func);
    struct cy_sir_block *block = &func->blocks.at[b], *next = &func->blocks.at[rest];
    const struct cy_sir_block empty = *next;
    *next = *block;
    next->list = empty.list;
    next->preds = empty.preds;
    block->cases = empty.cases;
    for (size_t i = at; i < block->list.count; i++) {
        *cy_vec_push(&next->list) = block->list.at[i];
        cy_sir_at(func, block->list.at[i])->block = rest;
    }
    block->list.count = at;
    next->pc = next->list.count ? cy_sir_at(func, next->list.at[0])->pc : 0;
    *cy_vec_push(&next->preds) = b;
    cy_sir_set_jump(func, b, rest);
    for (uint32_t i = 0; i < cy_sir_succ_count(next); i++) {
        struct cy_sir_block *to = &func->blocks.at[cy_sir_succ(next, i)];
        for (size_t k = 0; k < to->preds.count; k++)
            to->preds.at[k] = to->preds.at[k] == b ? rest : to->preds.at[k];
    }
    return rest;
}

static size_t find_barrier(const struct cy_sir_func *func, uint32_t b)
{
    size_t i = 0;
    while (i < func->blocks.at[b].list.count && cy_sir_at(func, func->blocks.at[b].list.at[i])->op != CY_SIR_BARRIER)
        i++;
    return i;
}

void masks_cut_barriers(struct masks *m)
{
    const uint32_t count = (uint32_t)m->func->blocks.count;
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t at = b; find_barrier(m->func, at) < m->func->blocks.at[at].list.count;) {
            const uint32_t barrier = cut(m->func, at, find_barrier(m->func, at));
            *cy_vec_push(&m->barriers) = barrier;
            at = cut(m->func, barrier, 1);
        }
}
