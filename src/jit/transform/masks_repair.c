/* What the pass masks leaves to do when all code stands: definitions that do not reach all uses any more, and conditions that lanes take
 * together. */
#include "jit/transform/masks_priv.h"

#include "jit/analyse/shape.h"
#include "jit/transform/cells.h"

#include <string.h>

/* ---- what no longer dominates its uses ---- */

/* A definition that does not come before all of its uses any more, since lanes that wait go on from a gate, is put into a cell as well. */
static void repair_one(struct masks *m, const struct cy_dominators *above, cy_sir_value value, uint32_t b)
{
    const struct cy_sir_insn *insn = value ? cy_sir_at(m->func, value) : NULL;
    if (insn && insn->block != b && m->cell_of[value] == CY_SIR_NOTHING && !cy_dominates(above, insn->block, b))
        m->cell_of[value] = masks_new_cell(m, (enum cy_sir_type)insn->type, insn->variable);
}

void masks_repair(struct masks *m)
{
    const size_t value_count = m->func->insns.count;
    m->cell_of = cy_arena_alloc(&m->arena, (value_count + 1) * sizeof(*m->cell_of));
    memset(m->cell_of, 0xff, (value_count + 1) * sizeof(*m->cell_of));
    masks_find_graph(m);
    const struct cy_walk walk = cy_graph_walk(&m->arena, &m->graph, 0);
    const struct cy_dominators above = cy_graph_dominators(&m->arena, &m->graph, &walk);
    for (uint32_t b = 0; b < m->func->blocks.count; b++) {
        if (walk.place[b] == CY_NO_NODE)
            continue;
        for (size_t i = 0; i < m->func->blocks.at[b].list.count; i++) {
            const struct cy_sir_insn insn = *cy_sir_at(m->func, m->func->blocks.at[b].list.at[i]);
            for (unsigned k = 0; k < 4; k++)
                repair_one(m, &above, insn.args[k], b);
            repair_one(m, &above, insn.mask, b);
        }
        repair_one(m, &above, m->func->blocks.at[b].condition, b);
    }
    for (cy_sir_value value = 1; value < value_count; value++)
        if (m->cell_of[value] != CY_SIR_NOTHING)
            cy_sir_set_after(m->func, value, m->cell_of[value]);
    cy_sir_use_cells(m->func, m->cell_of, value_count);
}

/* ---- branches that all lanes take ---- */

/* In other lanes than the active ones a condition may be anything.  No mask: all are active. */
static cy_sir_value agreed(struct masks *m, uint32_t b, cy_sir_value condition, cy_sir_value mask)
{
    if (m->func->blocks.at[b].terminator == CY_SIR_BRANCH)
        return mask ? masks_emit(m, b, CY_SIR_ANY, CY_SIR_I1, masks_emit(m, b, CY_SIR_AND, CY_SIR_I1, mask, condition),
                                 0)
                    : condition;
    const cy_sir_value first =
        mask ? masks_emit(m, b, CY_SIR_FIRST, CY_SIR_I32, mask, 0) : cy_sir_const(m->func, b, CY_SIR_I32, 0);
    return masks_emit(m, b, CY_SIR_EXTRACT, CY_SIR_I32, condition, first);
}

void masks_agree(struct masks *m)
{
    struct cy_sir_shapes shapes = cy_sir_find_shapes(&m->arena, m->func);
    for (uint32_t b = 0; b < m->block_count; b++)
        for (unsigned version = 0; version < VERSIONS; version++) {
            const uint32_t at = m->version[version][b];
            const bool is_left = m->way[b].terminator == CY_SIR_BRANCH || m->way[b].terminator == CY_SIR_SWITCH;
            if (at == CY_SIR_NOTHING || !is_left || cy_sir_is_agreed(&shapes.value[m->func->blocks.at[at].condition]))
                continue;
            const cy_sir_value condition =
                agreed(m, at, m->func->blocks.at[at].condition, version == FULL ? 0 : m->mask[b]);
            m->func->blocks.at[at].condition = condition;
        }
    cy_sir_free_shapes(&shapes);
}
