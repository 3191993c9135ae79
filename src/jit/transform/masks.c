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
 * Sides are let go from the gate as from a stack: those of inner branches first.  Lanes that wait at one side go on together though they
 * parted at several branches, unless these are in the machine's order, or in several rounds of a loop: what they execute must not depend
 * on who is with them. */
#include "jit/transform/transform.h"

#include "jit/transform/masks_priv.h"

#include "jit/analyse/shape.h"
#include "jit/transform/cells.h"

#include <string.h>

/* ---- code ---- */

static cy_sir_value emit(struct masks *m, uint32_t block, enum cy_sir_op op, enum cy_sir_type type, cy_sir_value a,
                         cy_sir_value b)
{
    return cy_sir_append(m->func, block, op, type, a, b, 0);
}

static cy_sir_value get(struct masks *m, uint32_t block, uint32_t cell)
{
    const cy_sir_value value = emit(m, block, CY_SIR_GET, m->func->cells.at[cell].type, 0, 0);
    cy_sir_at(m->func, value)->imm = cell;
    return value;
}

/* In the lanes of a mask; 0: in all. */
static void set(struct masks *m, uint32_t block, uint32_t cell, cy_sir_value value, cy_sir_value mask)
{
    const cy_sir_value made = emit(m, block, CY_SIR_SET, CY_SIR_VOID, value, 0);
    cy_sir_at(m->func, made)->imm = cell;
    cy_sir_at(m->func, made)->mask = mask;
}

static void add_lanes(struct masks *m, uint32_t block, uint32_t cell, cy_sir_value lanes)
{
    set(m, block, cell, emit(m, block, CY_SIR_OR, CY_SIR_I1, get(m, block, cell), lanes), 0);
}

static cy_sir_value exists(struct masks *m, uint32_t block)
{
    const cy_sir_value value = emit(m, block, CY_SIR_SOURCE, CY_SIR_I1, 0, 0);
    cy_sir_at(m->func, value)->imm = CY_SIR_SOURCE_EXISTS;
    return value;
}

/* The phis of a block get their values from one that lanes leave for it. */
static void give_phis(struct masks *m, uint32_t at, uint32_t from, uint32_t to, cy_sir_value lanes)
{
    const struct cy_sir_block *block = &m->func->blocks.at[to];
    uint32_t edge = 0;
    while (edge < block->preds.count && block->preds.at[edge] != from)
        edge++;
    for (size_t i = 0; i < m->func->blocks.at[to].list.count; i++) {
        const cy_sir_value phi = m->func->blocks.at[to].list.at[i];
        const struct cy_sir_insn *insn = cy_sir_at(m->func, phi);
        if (insn->op != CY_SIR_PHI)
            break;
        set(m, at, m->cell_of[phi], m->func->phi_args.at[insn->args[0] + edge], m->is_masked[phi] ? lanes : 0);
    }
}

/* Lanes enter a block from block `at`, which gets its terminator. */
static void enter(struct masks *m, uint32_t at, uint32_t to, cy_sir_value lanes, bool are_others)
{
    if (m->join_of[to] != CY_SIR_NOTHING) {
        add_lanes(m, at, m->joins.at[m->join_of[to]].arrived, lanes);
        cy_sir_set_jump(m->func, at, m->joins.at[m->join_of[to]].gate);
        return;
    }
    if (are_others && m->is_open[to])
        set(m, at, m->mask_cell, lanes, 0);
    cy_sir_set_jump(m->func, at, to);
}

/* Where lanes leave `from`, the cell of active ones changes, or gets a value for the first time. */
static bool changes_mask(const struct masks *m, uint32_t from, uint32_t to, cy_sir_value lanes)
{
    return m->is_open[to] && (!m->is_open[from] || lanes != m->mask[from]);
}

/* Lanes leave `from` for `to`; the code is in block `at`, which gets its terminator. */
static void send(struct masks *m, uint32_t at, uint32_t from, uint32_t to, cy_sir_value lanes)
{
    give_phis(m, at, from, to, lanes);
    enter(m, at, to, lanes, changes_mask(m, from, to, lanes));
}

static uint32_t new_block(struct masks *m)
{
    return cy_sir_block_new(m->func);
}

/* A vbranch, and the lanes that take its sides. */
struct parting {
    uint32_t from;
    struct cy_sir_block block; /* as it was */
    cy_sir_value lanes[2];
};

/* One side waits, the other one goes on; the code is in block `at`. */
static void wait_and_go(struct masks *m, uint32_t at, const struct parting *parting, unsigned waits)
{
    const struct cy_sir_block *block = &parting->block;
    const struct join *join = &m->joins.at[m->join_of[block->join]];
    const size_t side =
        masks_find_side(join, masks_in_order(block) ? parting->from : CY_SIR_NOTHING, block->succ[waits]);
    const bool has_come = block->succ[waits] == block->join;
    give_phis(m, at, parting->from, block->succ[waits], parting->lanes[waits]);
    add_lanes(m, at, has_come ? join->arrived : join->sides.at[side].cell, parting->lanes[waits]);
    send(m, at, parting->from, block->succ[!waits], parting->lanes[!waits]);
}

/* The side with fewer lanes first, the then-side on a tie; some take the else-side, and if all do it goes first. */
static void part_in_order(struct masks *m, uint32_t at, const struct parting *parting)
{
    const uint32_t first = new_block(m), second = new_block(m);
    cy_sir_value counts[2];
    for (unsigned i = 0; i < 2; i++)
        counts[i] = emit(m, at, CY_SIR_POPCOUNT, CY_SIR_I32, parting->lanes[i], 0);
    const cy_sir_value some = emit(m, at, CY_SIR_ANY, CY_SIR_I1, parting->lanes[0], 0);
    const cy_sir_value fewer = emit(m, at, CY_SIR_GEU, CY_SIR_I1, counts[1], counts[0]);
    cy_sir_set_branch(m->func, at, emit(m, at, CY_SIR_AND, CY_SIR_I1, some, fewer), first, second);
    wait_and_go(m, first, parting, 1);
    wait_and_go(m, second, parting, 0);
}

/* Code at the end of a block that lanes leave by a vbranch: in `only` all of them go to the side that would wait. */
static void part(struct masks *m, uint32_t b)
{
    struct parting parting = {.from = b, .block = m->func->blocks.at[b]};
    const unsigned waits = masks_waiting_side(&parting.block);
    const cy_sir_value mask = m->mask[b], then = emit(m, b, CY_SIR_AND, CY_SIR_I1, mask, parting.block.condition);
    parting.lanes[0] = then;
    parting.lanes[1] = emit(m, b, CY_SIR_XOR, CY_SIR_I1, mask, then);
    const uint32_t go = new_block(m), only = new_block(m);
    cy_sir_set_branch(m->func, b, emit(m, b, CY_SIR_ANY, CY_SIR_I1, parting.lanes[!waits], 0), go, only);
    send(m, only, b, parting.block.succ[waits], parting.lanes[waits]);
    if (masks_in_order(&parting.block))
        part_in_order(m, go, &parting);
    else
        wait_and_go(m, go, &parting, waits);
}

/* A block on the edge, if lanes do something on their way. */
static uint32_t edge_to(struct masks *m, uint32_t from, uint32_t to)
{
    const struct cy_sir_block *block = &m->func->blocks.at[to];
    const bool has_phi = block->list.count && cy_sir_at(m->func, block->list.at[0])->op == CY_SIR_PHI;
    if (!has_phi && m->join_of[to] == CY_SIR_NOTHING && !changes_mask(m, from, to, m->mask[from]))
        return to;
    const uint32_t edge = new_block(m);
    send(m, edge, from, to, m->mask[from]);
    return edge;
}

/* Nobody may be waiting when the strip ends or comes to a barrier. */
static void trap_if_parted(struct masks *m, uint32_t block, uint32_t pc)
{
    const cy_sir_value missing = emit(m, block, CY_SIR_XOR, CY_SIR_I1, exists(m, block), m->mask[block]);
    const cy_sir_value trap = emit(m, block, CY_SIR_TRAP, CY_SIR_VOID, 0, 0);
    cy_sir_at(m->func, trap)->imm = CY_JIT_DIVERGED;
    cy_sir_at(m->func, trap)->mask = missing;
    cy_sir_at(m->func, trap)->pc = pc;
}

static void leave(struct masks *m, uint32_t b)
{
    const enum cy_sir_terminator terminator = m->func->blocks.at[b].terminator;
    if (terminator == CY_SIR_VBRANCH) {
        part(m, b);
    } else if (terminator == CY_SIR_JUMP) {
        send(m, b, b, m->func->blocks.at[b].succ[0], m->mask[b]);
    } else if (terminator == CY_SIR_BRANCH) {
        for (unsigned i = 0; i < 2; i++) {
            const uint32_t edge = edge_to(m, b, m->func->blocks.at[b].succ[i]);
            m->func->blocks.at[b].succ[i] = edge;
        }
    } else if (terminator == CY_SIR_SWITCH) {
        for (size_t i = 0; i < m->func->blocks.at[b].cases.count; i++) {
            const uint32_t edge = edge_to(m, b, m->func->blocks.at[b].cases.at[i].block);
            m->func->blocks.at[b].cases.at[i].block = edge;
        }
    } else if (terminator == CY_SIR_END && m->is_open[b]) {
        trap_if_parted(m, b, m->func->blocks.at[b].pc);
    }
}

static bool needs_mask(const struct cy_sir_insn *insn)
{
    const unsigned flags = cy_sir_ops[insn->op].flags;
    return !(flags & CY_SIR_PURE) && insn->op != CY_SIR_GET && insn->op != CY_SIR_POLL && insn->op != CY_SIR_FENCE &&
           insn->op != CY_SIR_PHI;
}

/* Behind a barrier all lanes are active, so that the cell need not be kept. */
static void go_on_together(struct masks *m, uint32_t b)
{
    m->mask[b] = exists(m, b);
    set(m, b, m->mask_cell, m->mask[b], 0);
}

/* The block's instructions once more, with masks and cells. */
static void rewrite(struct masks *m, uint32_t b)
{
    struct cy_sir_func *func = m->func;
    struct cy_sir_block *block = &func->blocks.at[b];
    const size_t count = block->list.count;
    cy_sir_value *old = cy_arena_alloc(&m->arena, (count + 1) * sizeof(*old));
    for (size_t i = 0; i < count; i++)
        old[i] = block->list.at[i];
    size_t phis = 0;
    while (phis < count && cy_sir_at(func, old[phis])->op == CY_SIR_PHI)
        phis++;
    block->list.count = phis;
    m->mask[b] = m->is_open[b] ? get(m, b, m->mask_cell) : exists(m, b);
    for (size_t i = phis; i < count; i++) {
        struct cy_sir_insn *insn = cy_sir_at(func, old[i]);
        if (insn->op == CY_SIR_BARRIER && m->is_open[b])
            trap_if_parted(m, b, insn->pc);
        insn = cy_sir_at(func, old[i]);
        if (needs_mask(insn))
            insn->mask = m->mask[b];
        *cy_vec_push(&func->blocks.at[b].list) = old[i];
        if (m->cell_of[old[i]] != CY_SIR_NOTHING)
            set(m, b, m->cell_of[old[i]], old[i], m->is_masked[old[i]] ? m->mask[b] : 0);
        if (cy_sir_at(func, old[i])->op == CY_SIR_BARRIER && m->is_open[b])
            go_on_together(m, b);
    }
}

/* After all edges have been given: a phi is what its cell holds. */
static void turn_phis(struct masks *m)
{
    for (uint32_t b = 0; b < m->block_count; b++)
        for (size_t i = 0; i < m->func->blocks.at[b].list.count; i++) {
            struct cy_sir_insn *insn = cy_sir_at(m->func, m->func->blocks.at[b].list.at[i]);
            if (insn->op != CY_SIR_PHI)
                continue;
            insn->op = CY_SIR_GET;
            insn->imm = m->cell_of[m->func->blocks.at[b].list.at[i]];
            insn->args[0] = 0;
        }
}

/* Before lanes go through a join, those that wait at its sides come to it, first those of inner branches. */
static void make_gate(struct masks *m, const struct join *join)
{
    uint32_t at = join->gate;
    for (size_t i = join->sides.count; i-- > 0;) {
        const struct side *side = &join->sides.at[i];
        const uint32_t go = new_block(m), next = new_block(m);
        const cy_sir_value lanes = get(m, at, side->cell);
        cy_sir_set_branch(m->func, at, emit(m, at, CY_SIR_ANY, CY_SIR_I1, lanes, 0), go, next);
        set(m, go, side->cell, cy_sir_const(m->func, go, CY_SIR_I1, 0), 0);
        enter(m, go, side->block, lanes, true);
        at = next;
    }
    if (m->is_open[join->block])
        set(m, at, m->mask_cell, get(m, at, join->arrived), 0);
    set(m, at, join->arrived, cy_sir_const(m->func, at, CY_SIR_I1, 0), 0);
    cy_sir_set_jump(m->func, at, join->block);
}

/* ---- what no longer dominates its uses ---- */

/* A definition that does not come before all of its uses any more, since lanes that wait go on from a gate, is put into a cell as well. */
static void repair_one(struct masks *m, const struct cy_dominators *above, cy_sir_value value, uint32_t b)
{
    const struct cy_sir_insn *insn = value ? cy_sir_at(m->func, value) : NULL;
    if (insn && insn->block != b && m->cell_of[value] == CY_SIR_NOTHING && !cy_dominates(above, insn->block, b))
        m->cell_of[value] = masks_new_cell(m, (enum cy_sir_type)insn->type, insn->variable);
}

static void repair(struct masks *m)
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

/* In the other lanes a condition may be anything: what the active ones have decides. */
static void agree(struct masks *m)
{
    struct cy_sir_shapes shapes = cy_sir_find_shapes(&m->arena, m->func);
    for (uint32_t b = 0; b < m->block_count; b++) {
        const struct cy_sir_block *block = &m->func->blocks.at[b];
        const cy_sir_value condition = block->condition;
        if (!condition || cy_sir_is_agreed(&shapes.value[condition]))
            continue;
        cy_sir_value agreed;
        if (block->terminator == CY_SIR_BRANCH)
            agreed = emit(m, b, CY_SIR_ANY, CY_SIR_I1, emit(m, b, CY_SIR_AND, CY_SIR_I1, m->mask[b], condition), 0);
        else
            agreed =
                emit(m, b, CY_SIR_EXTRACT, CY_SIR_I32, condition, emit(m, b, CY_SIR_FIRST, CY_SIR_I32, m->mask[b], 0));
        m->func->blocks.at[b].condition = agreed;
    }
    cy_sir_free_shapes(&shapes);
}

/* ---- the pass ---- */

void cy_sir_pass_masks(struct cy_sir_func *func)
{
    struct masks m = {.func = func};
    const size_t value_count = func->insns.count;
    masks_prepare(&m);
    for (size_t i = 0; i < m.joins.count; i++)
        m.joins.at[i].gate = new_block(&m);
    for (uint32_t b = 0; b < m.block_count; b++)
        rewrite(&m, b);
    for (uint32_t b = 0; b < m.block_count; b++)
        leave(&m, b);
    for (size_t i = 0; i < m.joins.count; i++)
        make_gate(&m, &m.joins.at[i]);
    turn_phis(&m);
    cy_sir_use_cells(func, m.cell_of, value_count);
    func->form = CY_SIR_FORM_VECTOR;
    *cy_vec_push(&func->phases) = 0;
    repair(&m);
    cy_sir_find_preds(func);
    agree(&m);
    for (size_t i = 0; i < m.joins.count; i++)
        cy_vec_free(&m.joins.at[i].sides);
    cy_vec_free(&m.joins);
    cy_arena_free(&m.arena);
}
