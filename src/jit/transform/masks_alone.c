/* Lanes one after the other: what they do from a branch to its join as code for one lane, in a loop over those that do not go to the join
 * at once.
 *
 *     head:  lane = first of left; left = left without it; %7 of the lane: extract %7, lane
 *            branch extract jumping, lane ...          the code between, with accesses under the mask of this lane
 *     back:  results are set under the same mask; any left? head
 *
 * There is one copy of the code, for both versions of the branch.  All values in it are one number, as they are made of a lane's. */
#include "jit/transform/masks_priv.h"

#include <string.h>

struct alone {
    struct masks *m;
    const struct way *way;
    uint32_t branch, head, back;
    cy_sir_value lane, mask;
    uint32_t *block_of; /* by block of the region: its copy */
    cy_sir_value *made; /* by value: its copy, or what the lane has of it */
    uint32_t *cell;     /* by value: that is made again on the way, and was there before; and phis: NOTHING */
    cy_sir_value *got;  /* by value: what its cell holds, in block got_in - 1 */
    uint32_t *got_in;
    CY_VEC(cy_sir_value) inputs;
    uint32_t at; /* the current block */
};

static bool is_inside(const struct alone *a, cy_sir_value value)
{
    return a->m->home[value] != CY_SIR_NOTHING && cy_graph_region_has(&a->m->region, a->m->home[value]);
}

static enum cy_sir_type type_of(const struct alone *a, cy_sir_value value)
{
    return (enum cy_sir_type)cy_sir_at(a->m->func, value)->type;
}

static cy_sir_value emit(struct alone *a, enum cy_sir_op op, enum cy_sir_type type, cy_sir_value b, cy_sir_value c)
{
    return masks_emit(a->m, a->at, op, type, b, c);
}

/* ---- values of the lane ---- */

static bool is_own(const struct cy_sir_insn *insn)
{
    return insn->op == CY_SIR_SOURCE && !cy_sir_sources[insn->imm].is_uniform;
}

static cy_sir_value of_lane(struct alone *a, cy_sir_value value)
{
    const cy_sir_value one = emit(a, CY_SIR_EXTRACT, type_of(a, value), value, a->lane);
    cy_sir_at(a->m->func, one)->variable = cy_sir_at(a->m->func, value)->variable;
    return one;
}

/* Before the lane's code: constants are made again. */
static cy_sir_value take_input(struct alone *a, cy_sir_value value)
{
    const struct cy_sir_insn insn = *cy_sir_at(a->m->func, value);
    if (!(cy_sir_ops[insn.op].flags & CY_SIR_PURE) || cy_sir_ops[insn.op].arguments)
        return of_lane(a, value);
    const cy_sir_value again = emit(a, (enum cy_sir_op)insn.op, (enum cy_sir_type)insn.type, 0, 0);
    cy_sir_at(a->m->func, again)->imm = insn.imm;
    return is_own(&insn) ? of_lane(a, again) : again;
}

static cy_sir_value used(struct alone *a, cy_sir_value value)
{
    if (!value || a->cell[value] == CY_SIR_NOTHING)
        return value ? a->made[value] : 0;
    if (a->got_in[value] != a->at + 1) {
        a->got[value] = masks_get(a->m, a->at, a->cell[value]);
        a->got_in[value] = a->at + 1;
    }
    return a->got[value];
}

/* Behind its definition in a block the value itself is used there. */
static void define(struct alone *a, cy_sir_value value)
{
    if (a->cell[value] == CY_SIR_NOTHING)
        return;
    masks_set(a->m, a->at, a->cell[value], a->made[value], 0);
    a->got[value] = a->made[value];
    a->got_in[value] = a->at + 1;
}

/* ---- what the lane needs ---- */

static void need(struct alone *a, cy_sir_value value)
{
    if (a->made[value])
        return;
    a->made[value] = take_input(a, value);
    *cy_vec_push(&a->inputs) = value;
    if (!is_inside(a, value))
        return;
    a->cell[value] = masks_new_cell(a->m, type_of(a, value), cy_sir_at(a->m->func, value)->variable);
    masks_set(a->m, a->at, a->cell[value], a->made[value], 0);
}

static size_t edge_from(const struct masks *m, uint32_t from, uint32_t to)
{
    size_t edge = 0;
    while (m->func->blocks.at[to].preds.at[edge] != from)
        edge++;
    return edge;
}

static cy_sir_value argument(const struct masks *m, cy_sir_value phi, size_t edge)
{
    return m->func->phi_args.at[cy_sir_at(m->func, phi)->args[0] + edge];
}

static bool is_phi(const struct masks *m, cy_sir_value value)
{
    return cy_sir_at(m->func, value)->op == CY_SIR_PHI;
}

/* What is live at a side, and what its phis get. */
static void need_for_side(struct alone *a, uint32_t side)
{
    struct masks *m = a->m;
    const size_t edge = edge_from(m, a->branch, side);
    for (size_t i = 0; i < m->way[side].count && is_phi(m, m->way[side].list[i]); i++)
        need(a, argument(m, m->way[side].list[i], edge));
    for (size_t i = 0; i < m->words; i++)
        for (uint64_t left = m->live[side * m->words + i]; left; left &= left - 1)
            need(a, (cy_sir_value)(i * 64 + (unsigned)__builtin_ctzll(left)));
}

/* ---- edges ---- */

/* All at once: what phis get may be what phis were. */
static void give_phis(struct alone *a, uint32_t from, uint32_t to)
{
    struct masks *m = a->m;
    const struct way *way = &m->way[to];
    const size_t edge = edge_from(m, from, to);
    for (size_t i = 0; i < way->count && is_phi(m, way->list[i]); i++)
        (void)used(a, argument(m, way->list[i], edge));
    for (size_t i = 0; i < way->count && is_phi(m, way->list[i]); i++)
        masks_set(m, a->at, a->cell[way->list[i]], used(a, argument(m, way->list[i], edge)), 0);
}

/* The lane is at the join: what is needed there. */
static void give_results(struct alone *a, uint32_t from)
{
    struct masks *m = a->m;
    const uint32_t join = a->way->join;
    const struct way *way = &m->way[join];
    for (size_t i = 0; i < way->count && is_phi(m, way->list[i]); i++)
        masks_set(m, a->at, m->cell_of[way->list[i]], used(a, argument(m, way->list[i], edge_from(m, from, join))),
                  a->mask);
    for (size_t i = 0; i < m->words; i++)
        for (uint64_t left = m->live[join * m->words + i]; left; left &= left - 1) {
            const cy_sir_value value = (cy_sir_value)(i * 64 + (unsigned)__builtin_ctzll(left));
            if (is_inside(a, value) && m->is_masked[value])
                masks_set(m, a->at, m->cell_of[value], used(a, value), a->mask);
        }
}

static bool has_phis(const struct masks *m, uint32_t block)
{
    return m->way[block].count && is_phi(m, m->way[block].list[0]);
}

/* Where a copy goes instead of to a block. */
static uint32_t edge_to(struct alone *a, uint32_t from, uint32_t to)
{
    const uint32_t before = a->at, edge = cy_sir_block_new(a->m->func);
    const bool is_join = to == a->way->join;
    if (!is_join && !has_phis(a->m, to)) {
        cy_sir_set_jump(a->m->func, edge, a->block_of[to]);
        return edge;
    }
    a->at = edge;
    if (is_join)
        give_results(a, from);
    else
        give_phis(a, from, to);
    cy_sir_set_jump(a->m->func, edge, is_join ? a->back : a->block_of[to]);
    a->at = before;
    return edge;
}

static void leave_by_switch(struct alone *a, uint32_t from)
{
    const struct way *way = &a->m->way[from];
    const cy_sir_value number = of_lane(a, used(a, way->condition));
    CY_VEC(struct cy_sir_case) cases = {0};
    for (uint32_t i = 0; i < way->case_count; i++)
        *cy_vec_push(&cases) = (struct cy_sir_case){way->cases[i].value, edge_to(a, from, way->cases[i].block)};
    struct cy_sir_block *block = &a->m->func->blocks.at[a->at];
    block->terminator = CY_SIR_SWITCH;
    block->condition = number;
    for (size_t i = 0; i < cases.count; i++)
        *cy_vec_push(&block->cases) = cases.at[i];
    cy_vec_free(&cases);
}

static void leave(struct alone *a, uint32_t from)
{
    const struct way *way = &a->m->way[from];
    if (way->terminator == CY_SIR_JUMP) {
        const uint32_t edge = edge_to(a, from, way->succ[0]);
        cy_sir_set_jump(a->m->func, a->at, edge);
    } else if (way->terminator == CY_SIR_BRANCH || way->terminator == CY_SIR_VBRANCH) {
        const cy_sir_value condition = of_lane(a, used(a, way->condition));
        const uint32_t then = edge_to(a, from, way->succ[0]), otherwise = edge_to(a, from, way->succ[1]);
        cy_sir_set_branch(a->m->func, a->at, condition, then, otherwise);
    } else if (way->terminator == CY_SIR_SWITCH) {
        leave_by_switch(a, from);
    }
}

/* ---- the code between ---- */

/* A cell of lanes, and what each lane has of its own, is looked at in all, and the lane's taken. */
static bool is_taken(const struct cy_sir_insn *insn)
{
    return insn->op == CY_SIR_GET || is_own(insn);
}

static void prepare_copies(struct alone *a, uint32_t b)
{
    struct masks *m = a->m;
    for (size_t i = 0; i < m->way[b].count; i++) {
        const cy_sir_value value = m->way[b].list[i];
        const struct cy_sir_insn insn = *cy_sir_at(m->func, value);
        if (!a->made[value])
            *cy_vec_push(&a->inputs) = value;
        if (insn.op == CY_SIR_PHI) {
            if (a->cell[value] == CY_SIR_NOTHING)
                a->cell[value] = masks_new_cell(m, (enum cy_sir_type)insn.type, insn.variable);
            continue;
        }
        a->made[value] = cy_sir_make(m->func, is_taken(&insn) ? CY_SIR_EXTRACT : (enum cy_sir_op)insn.op,
                                     (enum cy_sir_type)insn.type, 0, 0, 0);
        cy_sir_at(m->func, a->made[value])->variable = insn.variable;
        cy_sir_at(m->func, a->made[value])->pc = insn.pc;
    }
}

static void list(struct alone *a, cy_sir_value made)
{
    cy_sir_at(a->m->func, made)->block = a->at;
    *cy_vec_push(&a->m->func->blocks.at[a->at].list) = made;
}

static void copy_insn(struct alone *a, cy_sir_value value)
{
    struct masks *m = a->m;
    const struct cy_sir_insn old = *cy_sir_at(m->func, value);
    const cy_sir_value made = a->made[value];
    if (is_taken(&old)) {
        const cy_sir_value all = emit(a, (enum cy_sir_op)old.op, (enum cy_sir_type)old.type, 0, 0);
        cy_sir_at(m->func, all)->imm = old.imm;
        cy_sir_at(m->func, made)->args[0] = all;
        cy_sir_at(m->func, made)->args[1] = a->lane;
    } else {
        for (unsigned k = 0; k < CY_COUNT(old.args); k++) {
            const cy_sir_value by = used(a, old.args[k]);
            cy_sir_at(m->func, made)->args[k] = by;
        }
        cy_sir_at(m->func, made)->imm = old.imm;
        cy_sir_at(m->func, made)->access = masks_copy_access(m, old.access);
        cy_sir_at(m->func, made)->mask = masks_needs_mask(&old) ? a->mask : 0;
    }
    list(a, made);
    define(a, value);
}

static void copy_block(struct alone *a, uint32_t b)
{
    struct masks *m = a->m;
    a->at = a->block_of[b];
    m->func->blocks.at[a->at].pc = m->way[b].pc;
    for (size_t i = 0; i < m->way[b].count; i++)
        if (!is_phi(m, m->way[b].list[i]))
            copy_insn(a, m->way[b].list[i]);
    m->func->blocks.at[a->at].terminator = CY_SIR_UNREACHABLE;
    leave(a, b);
}

/* ---- the loop over lanes ---- */

static void begin_lane(struct alone *a, const struct masks_alone *cells)
{
    struct masks *m = a->m;
    a->at = a->head;
    const cy_sir_value left = masks_get(m, a->at, cells->left);
    const cy_sir_value no = cy_sir_const(m->func, a->at, CY_SIR_I1, 0),
                       yes = cy_sir_const(m->func, a->at, CY_SIR_I1, 1);
    a->lane = emit(a, CY_SIR_FIRST, CY_SIR_I32, left, 0);
    a->mask = cy_sir_append(m->func, a->at, CY_SIR_INSERT, CY_SIR_I1, no, a->lane, yes);
    const cy_sir_value others = emit(a, CY_SIR_XOR, CY_SIR_I1, a->mask, yes);
    masks_set(m, a->at, cells->left, emit(a, CY_SIR_AND, CY_SIR_I1, left, others), 0);
}

static void enter_sides(struct alone *a, const struct masks_alone *cells)
{
    struct masks *m = a->m;
    const uint32_t *succ = a->way->succ, join = a->way->join;
    a->at = a->head;
    if (succ[0] != join && succ[1] != join) {
        const cy_sir_value jumps = of_lane(a, masks_get(m, a->at, cells->jumping));
        const uint32_t then = edge_to(a, a->branch, succ[0]), otherwise = edge_to(a, a->branch, succ[1]);
        cy_sir_set_branch(m->func, a->at, jumps, then, otherwise);
        return;
    }
    const uint32_t edge = edge_to(a, a->branch, succ[succ[0] == join]);
    cy_sir_set_jump(m->func, a->at, edge);
}

static void end_lane(struct alone *a, const struct masks_alone *cells, uint32_t after)
{
    a->at = a->back;
    const cy_sir_value any = emit(a, CY_SIR_ANY, CY_SIR_I1, masks_get(a->m, a->at, cells->left), 0);
    cy_sir_set_branch(a->m->func, a->at, any, a->head, after);
}

static void forget(struct alone *a)
{
    for (size_t i = 0; i < a->inputs.count; i++) {
        a->made[a->inputs.at[i]] = 0;
        a->cell[a->inputs.at[i]] = CY_SIR_NOTHING;
        a->got_in[a->inputs.at[i]] = 0;
    }
    a->inputs.count = 0;
}

static void make_one(struct alone *a, const struct masks_alone *cells)
{
    struct masks *m = a->m;
    const uint32_t after = masks_after_alone(m, cells);
    a->way = &m->way[cells->branch];
    a->branch = cells->branch;
    a->head = cells->head;
    a->back = cy_sir_block_new(m->func);
    cy_graph_region_begin(&m->region, a->way->join);
    cy_graph_region_add(&m->region, a->way->succ[0]);
    cy_graph_region_add(&m->region, a->way->succ[1]);
    for (uint32_t i = 0; i < m->region.count; i++)
        a->block_of[m->region.node[i]] = cy_sir_block_new(m->func);
    begin_lane(a, cells);
    for (unsigned i = 0; i < 2; i++)
        if (a->way->succ[i] != a->way->join)
            need_for_side(a, a->way->succ[i]);
    for (uint32_t i = 0; i < m->region.count; i++)
        prepare_copies(a, m->region.node[i]);
    enter_sides(a, cells);
    for (uint32_t i = 0; i < m->region.count; i++)
        copy_block(a, m->region.node[i]);
    end_lane(a, cells, after);
    forget(a);
}

void masks_make_alone(struct masks *m)
{
    const size_t count = m->value_count + 1;
    struct alone a = {.m = m};
    if (!m->alone.count)
        return;
    a.block_of = cy_arena_alloc(&m->arena, (m->block_count + 1) * sizeof(*a.block_of));
    a.made = memset(cy_arena_alloc(&m->arena, count * sizeof(*a.made)), 0, count * sizeof(*a.made));
    a.cell = memset(cy_arena_alloc(&m->arena, count * sizeof(*a.cell)), 0xff, count * sizeof(*a.cell));
    a.got = memset(cy_arena_alloc(&m->arena, count * sizeof(*a.got)), 0, count * sizeof(*a.got));
    a.got_in = memset(cy_arena_alloc(&m->arena, count * sizeof(*a.got_in)), 0, count * sizeof(*a.got_in));
    for (size_t i = 0; i < m->alone.count; i++)
        make_one(&a, &m->alone.at[i]);
    cy_vec_free(&a.inputs);
}
