/* Control flow that lanes may take apart becomes control flow that a strip takes together.
 *
 * Which lanes are active is a cell, `mask`, wherever they are not all that exist.  At a vbranch one side waits: its lanes are put into
 * a cell of the pending side, or, if that side is the join, into the join's own.  Every way into a join passes a gate, which sends off
 * the sides that wait before it lets all go on that have arrived:
 *
 *     b1:  ...                              b1:  ...
 *       vbranch %c, b2, b3, join b4              set pending, true, mask %m & %c
 *                                                set mask, %m & !%c
 *                                                jump b3
 *     b2:  ...                              b2:  ...
 *       jump b4                                  set arrived, true, mask %m; jump gate
 *     b3:  ...                              b3:  the same
 *                                           gate: any pending? set mask, pending; jump b2
 *                                                set mask, arrived; jump b4
 *
 * A value is overwritten in all lanes, whoever is active.  What a lane that waits will need and others may compute once more meanwhile
 * becomes a cell of each lane, set under the mask.  So do the phis of joins and of sides that wait, as their lanes come one after the
 * other.  Any other phi is a cell, too, set in all lanes; and what no longer dominates its uses.  Cells are taken out again later.
 *
 * A block that lanes may execute while others wait, or while some do not exist, is there a second time, for all lanes of the strip:
 * without masks, and with what it makes for other blocks in cells that both versions share.  Lanes that part there go on in the first
 * version; all come back to the second one at a gate, at the start, and behind a barrier.
 *
 * Sides are let go from the gate as from a stack: those of inner branches first.  Lanes that wait at one side go on together though they
 * parted at several branches, unless these are in the machine's order, or in several rounds of a loop: what they execute must not depend
 * on who is with them. */
#include "jit/transform/masks_priv.h"

#include "jit/transform/cells.h"

#include <string.h>

bool masks_needs_mask(const struct cy_sir_insn *insn)
{
    const unsigned flags = cy_sir_ops[insn->op].flags;
    return !(flags & CY_SIR_PURE) && insn->op != CY_SIR_GET && insn->op != CY_SIR_POLL && insn->op != CY_SIR_FENCE &&
           insn->op != CY_SIR_BARRIER;
}

/* ---- instructions in their versions ---- */

uint32_t masks_copy_access(struct masks *m, uint32_t access)
{
    if (access == CY_SIR_NOTHING)
        return access;
    const struct cy_sir_access copy = m->func->accesses.at[access];
    *cy_vec_push(&m->func->accesses) = copy;
    return (uint32_t)m->func->accesses.count - 1;
}

/* Of the same block the full version uses its own values. */
static cy_sir_value make_copy(struct masks *m, cy_sir_value value)
{
    const struct cy_sir_insn old = *cy_sir_at(m->func, value);
    const cy_sir_value made = cy_sir_make(m->func, CY_SIR_GET, (enum cy_sir_type)old.type, 0, 0, 0);
    struct cy_sir_insn *insn = cy_sir_at(m->func, made);
    if (old.op == CY_SIR_PHI) {
        insn->imm = m->cell_of[value];
        insn->variable = old.variable;
        insn->pc = old.pc;
        return made;
    }
    *insn = old;
    insn->access = masks_copy_access(m, old.access);
    for (unsigned k = 0; k < CY_COUNT(insn->args); k++)
        if (m->home[insn->args[k]] == m->home[value] && m->copy[insn->args[k]])
            insn->args[k] = m->copy[insn->args[k]];
    return made;
}

struct rewriting {
    enum version version;
    uint32_t block, to;
    bool is_copied;
    cy_sir_value mask; /* 0: all lanes of the strip */
};

/* Values that others use get into their cells: under the mask if lanes that wait need them, and if any may be waiting. */
static void rewrite_insn(struct masks *m, const struct rewriting *r, cy_sir_value value)
{
    const bool is_phi = cy_sir_at(m->func, value)->op == CY_SIR_PHI;
    const cy_sir_value made = r->is_copied ? make_copy(m, value) : value;
    m->copy[value] = r->is_copied ? made : m->copy[value];
    struct cy_sir_insn *insn = cy_sir_at(m->func, made);
    insn->block = r->to;
    if (masks_needs_mask(insn))
        insn->mask = r->mask;
    *cy_vec_push(&m->func->blocks.at[r->to].list) = made;
    if (m->cell_of[value] != CY_SIR_NOTHING && !is_phi)
        masks_set(m, r->to, m->cell_of[value], made, m->is_masked[value] && m->is_open[r->block] ? r->mask : 0);
}

/* Phis become gets when all edges have been given: they stay, in one version. */
static void rewrite(struct masks *m, enum version version, uint32_t b, const cy_sir_value *old, size_t count)
{
    struct rewriting r = {version, b, m->version[version][b], version == FULL && masks_is_double(m, b), 0};
    struct cy_sir_block *block = &m->func->blocks.at[r.to];
    block->pc = m->way[b].pc;
    size_t i = 0;
    for (; !r.is_copied && i < count && cy_sir_at(m->func, old[i])->op == CY_SIR_PHI; i++)
        *cy_vec_push(&block->list) = old[i];
    if (version == PARTIAL)
        r.mask = m->mask[b] = m->is_open[b] ? masks_get(m, r.to, m->mask_cell) : masks_exists(m, r.to);
    for (; i < count; i++)
        if (!m->is_first[old[i]])
            rewrite_insn(m, &r, old[i]);
}

/* The copy is made first, while the instructions are as they were. */
static void rewrite_all(struct masks *m)
{
    CY_VEC(cy_sir_value) old = {0};
    for (uint32_t b = 0; b < m->block_count; b++) {
        old.count = 0;
        for (size_t i = 0; i < m->func->blocks.at[b].list.count; i++)
            *cy_vec_push(&old) = m->func->blocks.at[b].list.at[i];
        m->func->blocks.at[b].list.count = 0;
        rewrite(m, FULL, b, old.at, old.count);
        if (masks_is_double(m, b))
            rewrite(m, PARTIAL, b, old.at, old.count);
    }
    cy_vec_free(&old);
}

static void leave_all(struct masks *m)
{
    for (uint32_t b = 0; b < m->block_count; b++) {
        if (m->is_barrier[b]) {
            masks_go_together(m, b, m->way[b].succ[0]);
            continue;
        }
        masks_leave(m, FULL, b);
        if (masks_is_double(m, b))
            masks_leave(m, PARTIAL, b);
    }
    for (size_t i = 0; i < m->joins.count; i++)
        masks_make_gate(m, &m->joins.at[i]);
    if (masks_is_double(m, 0))
        masks_go_together(m, 0, 0);
    masks_make_alone(m);
}

/* ---- what comes first ---- */

typedef CY_VEC(cy_sir_value) values;

static void list(struct masks *m, values *first, cy_sir_value value)
{
    cy_sir_at(m->func, value)->block = 0;
    *cy_vec_push(first) = value;
}

/* What lanes have that have not come to a value is undefined, so that it is nothing to choose. */
static void forget_old(struct masks *m, values *first)
{
    cy_sir_value undefined[CY_SIR_TYPES] = {0};
    for (cy_sir_value value = 1; value < m->value_count; value++) {
        const enum cy_sir_type type = (enum cy_sir_type)cy_sir_at(m->func, value)->type;
        if (!m->is_masked[value] || m->cell_of[value] == CY_SIR_NOTHING)
            continue;
        if (!undefined[type])
            list(m, first, undefined[type] = cy_sir_make(m->func, CY_SIR_UNDEF, type, 0, 0, 0));
        const cy_sir_value set = cy_sir_make(m->func, CY_SIR_SET, CY_SIR_VOID, undefined[type], 0, 0);
        cy_sir_at(m->func, set)->imm = m->cell_of[value];
        list(m, first, set);
    }
}

/* What is the same wherever it is made, and used by both versions. */
static void begin(struct masks *m)
{
    values first = {0};
    struct cy_sir_block *entry = &m->func->blocks.at[0];
    for (cy_sir_value value = 1; value < m->value_count; value++)
        if (m->is_first[value])
            list(m, &first, value);
    forget_old(m, &first);
    for (size_t i = 0; i < entry->list.count; i++)
        *cy_vec_push(&first) = entry->list.at[i];
    entry->list.count = 0;
    for (size_t i = 0; i < first.count; i++)
        *cy_vec_push(&entry->list) = first.at[i];
    cy_vec_free(&first);
}

/* ---- phis ---- */

/* After all edges have been given: a phi is what its cell holds. */
static void turn_phis(struct masks *m)
{
    for (cy_sir_value value = 1; value < m->value_count; value++) {
        struct cy_sir_insn *insn = cy_sir_at(m->func, value);
        if (insn->op != CY_SIR_PHI)
            continue;
        insn->op = CY_SIR_GET;
        insn->imm = m->cell_of[value];
        insn->args[0] = 0;
    }
}

/* ---- the pass ---- */

void cy_sir_pass_masks(struct cy_sir_func *func)
{
    struct masks m = {.func = func};
    masks_prepare(&m);
    for (size_t i = 0; i < m.joins.count; i++)
        m.joins.at[i].gate = cy_sir_block_new(func);
    rewrite_all(&m);
    leave_all(&m);
    begin(&m);
    turn_phis(&m);
    cy_sir_use_cells(func, m.cell_of, m.value_count);
    func->form = CY_SIR_FORM_VECTOR;
    *cy_vec_push(&func->phases) = 0;
    masks_repair(&m);
    cy_sir_find_preds(func);
    masks_agree(&m);
    for (size_t i = 0; i < m.joins.count; i++) {
        cy_vec_free(&m.joins.at[i].sides);
        cy_vec_free(&m.joins.at[i].branches);
    }
    cy_vec_free(&m.joins);
    cy_vec_free(&m.alone);
    cy_vec_free(&m.barriers);
    cy_arena_free(&m.arena);
}
