/* Where lanes go at a block's end: on together, to sides and joins where some wait, through gates. */
#include "jit/transform/masks_priv.h"

cy_sir_value masks_emit(struct masks *m, uint32_t block, enum cy_sir_op op, enum cy_sir_type type, cy_sir_value a,
                        cy_sir_value b)
{
    return cy_sir_append(m->func, block, op, type, a, b, 0);
}

cy_sir_value masks_get(struct masks *m, uint32_t block, uint32_t cell)
{
    const cy_sir_value value = masks_emit(m, block, CY_SIR_GET, m->func->cells.at[cell].type, 0, 0);
    cy_sir_at(m->func, value)->imm = cell;
    return value;
}

void masks_set(struct masks *m, uint32_t block, uint32_t cell, cy_sir_value value, cy_sir_value mask)
{
    const cy_sir_value made = masks_emit(m, block, CY_SIR_SET, CY_SIR_VOID, value, 0);
    cy_sir_at(m->func, made)->imm = cell;
    cy_sir_at(m->func, made)->mask = mask;
}

cy_sir_value masks_exists(struct masks *m, uint32_t block)
{
    const cy_sir_value value = masks_emit(m, block, CY_SIR_SOURCE, CY_SIR_I1, 0, 0);
    cy_sir_at(m->func, value)->imm = CY_SIR_SOURCE_EXISTS;
    return value;
}

static uint32_t new_block(struct masks *m)
{
    return cy_sir_block_new(m->func);
}

/* Lanes that leave a block in one of its versions; the code is in block `at`, which gets its terminator.  No mask: all of the strip. */
struct leaving {
    enum version version;
    uint32_t from, at;
    cy_sir_value lanes;
};

static cy_sir_value value_in(const struct masks *m, const struct leaving *l, cy_sir_value value)
{
    const bool is_copied = l->version == FULL && value && m->home[value] == l->from && m->copy[value];
    return is_copied ? m->copy[value] : value;
}

/* The phis of a block get their values from one that lanes leave for it. */
static void give_phis(struct masks *m, const struct leaving *l, uint32_t to)
{
    const struct cy_sir_block *block = &m->func->blocks.at[to];
    uint32_t edge = 0;
    while (edge < block->preds.count && block->preds.at[edge] != l->from)
        edge++;
    for (size_t i = 0; i < m->func->blocks.at[to].list.count; i++) {
        const cy_sir_value phi = m->func->blocks.at[to].list.at[i];
        const struct cy_sir_insn *insn = cy_sir_at(m->func, phi);
        if (insn->op != CY_SIR_PHI)
            break;
        masks_set(m, l->at, m->cell_of[phi], value_in(m, l, m->func->phi_args.at[insn->args[0] + edge]),
                  m->is_masked[phi] ? l->lanes : 0);
    }
}

static bool has_phis(const struct masks *m, uint32_t block)
{
    const struct cy_sir_block *to = &m->func->blocks.at[block];
    return to->list.count && cy_sir_at(m->func, to->list.at[0])->op == CY_SIR_PHI;
}

/* ---- lanes that need not be all ---- */

/* To those that wait; coming from code that all execute, they are the first. */
static void add_lanes(struct masks *m, const struct leaving *l, uint32_t cell)
{
    cy_sir_value lanes = l->lanes;
    if (l->version == PARTIAL)
        lanes = masks_emit(m, l->at, CY_SIR_OR, CY_SIR_I1, masks_get(m, l->at, cell), lanes);
    masks_set(m, l->at, cell, lanes, 0);
}

/* Nobody may be waiting when the strip ends or comes to a barrier. */
static void trap_if_parted(struct masks *m, uint32_t block, cy_sir_value lanes, uint32_t pc)
{
    const cy_sir_value missing = masks_emit(m, block, CY_SIR_XOR, CY_SIR_I1, masks_exists(m, block), lanes);
    const cy_sir_value trap = masks_emit(m, block, CY_SIR_TRAP, CY_SIR_VOID, 0, 0);
    cy_sir_at(m->func, trap)->imm = CY_JIT_DIVERGED;
    cy_sir_at(m->func, trap)->mask = missing;
    cy_sir_at(m->func, trap)->pc = pc;
}

/* The cell of active lanes changes, or gets a value for the first time. */
static bool changes_mask(const struct masks *m, const struct leaving *l, uint32_t to)
{
    return m->is_open[to] && (l->version == FULL || !m->is_open[l->from] || l->lanes != m->mask[l->from]);
}

static void enter(struct masks *m, const struct leaving *l, uint32_t to, bool are_others)
{
    if (m->join_of[to] != CY_SIR_NOTHING) {
        const struct leaving others = {PARTIAL, l->from, l->at, l->lanes}; /* some may be there */
        add_lanes(m, &others, m->joins.at[m->join_of[to]].arrived);
        cy_sir_set_jump(m->func, l->at, m->joins.at[m->join_of[to]].gate);
        return;
    }
    if (m->is_barrier[to] && m->is_open[l->from])
        trap_if_parted(m, l->at, l->lanes, m->way[to].pc);
    if (are_others && m->is_open[to])
        masks_set(m, l->at, m->mask_cell, l->lanes, 0);
    cy_sir_set_jump(m->func, l->at, m->version[PARTIAL][to]);
}

static void send(struct masks *m, const struct leaving *l, uint32_t to)
{
    give_phis(m, l, to);
    if (l->lanes)
        enter(m, l, to, changes_mask(m, l, to));
    else
        cy_sir_set_jump(m->func, l->at, m->version[FULL][to]);
}

/* ---- vbranches ---- */

/* One side waits, the other one goes on. */
static void wait_and_go(struct masks *m, struct leaving *l, const cy_sir_value *lanes, unsigned waits)
{
    const struct way *way = &m->way[l->from];
    const struct join *join = &m->joins.at[m->join_of[way->join]];
    const size_t side = masks_find_side(join, masks_in_order(way) ? l->from : CY_SIR_NOTHING, way->succ[waits]);
    const bool has_come = way->succ[waits] == way->join;
    l->lanes = lanes[waits];
    give_phis(m, l, way->succ[waits]);
    if (!has_come)
        masks_push(m, l->at, join, l->lanes);
    add_lanes(m, l, has_come ? join->arrived : join->sides.at[side].cell);
    l->lanes = lanes[!waits];
    send(m, l, way->succ[!waits]);
}

/* The side with fewer lanes first, the then-side on a tie; some take the else-side, and if all do it goes first. */
static void part_in_order(struct masks *m, const struct leaving *l, const cy_sir_value *lanes)
{
    struct leaving first = *l, second = *l;
    cy_sir_value counts[2];
    for (unsigned i = 0; i < 2; i++)
        counts[i] = masks_emit(m, l->at, CY_SIR_POPCOUNT, CY_SIR_I32, lanes[i], 0);
    const cy_sir_value some = masks_emit(m, l->at, CY_SIR_ANY, CY_SIR_I1, lanes[0], 0);
    const cy_sir_value fewer = masks_emit(m, l->at, CY_SIR_GEU, CY_SIR_I1, counts[1], counts[0]);
    first.at = new_block(m);
    second.at = new_block(m);
    cy_sir_set_branch(m->func, l->at, masks_emit(m, l->at, CY_SIR_AND, CY_SIR_I1, some, fewer), first.at, second.at);
    wait_and_go(m, &first, lanes, 1);
    wait_and_go(m, &second, lanes, 0);
}

/* Which of the lanes do not go to the join at once. */
static cy_sir_value find_going(struct masks *m, const struct leaving *l, const cy_sir_value *lanes)
{
    const struct way *way = &m->way[l->from];
    if (way->succ[0] == way->join || way->succ[1] == way->join)
        return lanes[way->succ[0] == way->join];
    return l->version == PARTIAL ? m->mask[l->from] : cy_sir_const(m->func, l->at, CY_SIR_I1, 1);
}

static struct masks_alone alone_at(struct masks *m, uint32_t branch)
{
    if (m->alone.count && m->alone.at[m->alone.count - 1].branch == branch) /* its other version was just left */
        return m->alone.at[m->alone.count - 1];
    struct masks_alone alone = {.branch = branch, .head = new_block(m)};
    alone.left = masks_new_cell(m, CY_SIR_I1, CY_SIR_NOTHING);
    alone.jumping = masks_new_cell(m, CY_SIR_I1, CY_SIR_NOTHING);
    alone.full = masks_new_cell(m, CY_SIR_I1, CY_SIR_NOTHING);
    *cy_vec_push(&m->alone) = alone;
    return alone;
}

static void go_alone(struct masks *m, struct leaving *l, const cy_sir_value *lanes)
{
    const struct way *way = &m->way[l->from];
    const struct masks_alone alone = alone_at(m, l->from);
    const cy_sir_value going = find_going(m, l, lanes);
    for (unsigned i = 0; i < 2; i++)
        if (way->succ[i] == way->join) {
            l->lanes = lanes[i];
            give_phis(m, l, way->join);
        }
    masks_set(m, l->at, alone.left, going, 0);
    masks_set(m, l->at, alone.jumping, lanes[0], 0);
    masks_set(m, l->at, alone.full, cy_sir_const(m->func, l->at, CY_SIR_I1, l->version == FULL), 0);
    cy_sir_set_jump(m->func, l->at, alone.head);
}

uint32_t masks_after_alone(struct masks *m, const struct masks_alone *alone)
{
    const uint32_t after = new_block(m), join = m->way[alone->branch].join;
    if (!masks_is_double(m, alone->branch)) {
        cy_sir_set_jump(m->func, after, m->version[FULL][join]);
        return after;
    }
    struct leaving l = {PARTIAL, alone->branch, new_block(m), 0};
    cy_sir_set_branch(m->func, after, masks_get(m, after, alone->full), m->version[FULL][join], l.at);
    l.lanes = m->is_open[alone->branch] ? masks_get(m, l.at, m->mask_cell) : masks_exists(m, l.at);
    enter(m, &l, join, false);
    return after;
}

static void part(struct masks *m, struct leaving *l, const cy_sir_value *lanes)
{
    if (m->way[l->from].alone)
        go_alone(m, l, lanes);
    else if (masks_in_order(&m->way[l->from]))
        part_in_order(m, l, lanes);
    else
        wait_and_go(m, l, lanes, masks_waiting_side(&m->way[l->from]));
}

/* Lanes that take this side go alone even if all of them do. */
static bool is_alone_first(const struct way *way, unsigned side)
{
    return way->alone == CY_SIR_ALONE_FIRST && way->succ[side] != way->join;
}

/* If nobody takes the side that goes on, all go to the one that would wait. */
static void part_some(struct masks *m, struct leaving *l)
{
    const struct way *way = &m->way[l->from];
    const unsigned waits = masks_waiting_side(way);
    cy_sir_value lanes[2];
    lanes[0] = masks_emit(m, l->at, CY_SIR_AND, CY_SIR_I1, l->lanes, way->condition);
    lanes[1] = masks_emit(m, l->at, CY_SIR_XOR, CY_SIR_I1, l->lanes, lanes[0]);
    if (!is_alone_first(way, waits)) {
        const uint32_t go = new_block(m), only = new_block(m);
        cy_sir_set_branch(m->func, l->at, masks_emit(m, l->at, CY_SIR_ANY, CY_SIR_I1, lanes[!waits], 0), go, only);
        l->at = only;
        l->lanes = lanes[waits];
        send(m, l, way->succ[waits]);
        l->at = go;
    }
    part(m, l, lanes);
}

/* Where all lanes of the strip take one side. */
static uint32_t side_for_all(struct masks *m, const struct leaving *l, unsigned side)
{
    struct leaving all = *l;
    all.at = new_block(m);
    send(m, &all, m->way[l->from].succ[side]);
    return all.at;
}

/* Lanes that agree stay together, but for those that go alone first; the code that parts the others is in the block that is given. */
static uint32_t part_unless_all(struct masks *m, const struct leaving *l, const cy_sir_value *lanes)
{
    const struct way *way = &m->way[l->from];
    const uint32_t parted = new_block(m);
    uint32_t at = l->at;
    for (unsigned i = 0; i < 2; i++) {
        if (is_alone_first(way, !i))
            continue;
        const uint32_t some = is_alone_first(way, i) || i ? parted : new_block(m);
        const uint32_t all = side_for_all(m, l, !i);
        cy_sir_set_branch(m->func, at, masks_emit(m, at, CY_SIR_ANY, CY_SIR_I1, lanes[i], 0), some, all);
        at = some;
    }
    return parted;
}

static void part_all(struct masks *m, struct leaving *l)
{
    const struct way *way = &m->way[l->from];
    const cy_sir_value condition = value_in(m, l, way->condition);
    if (m->func->strip.lanes == 1) {
        const uint32_t then = side_for_all(m, l, 0), otherwise = side_for_all(m, l, 1);
        cy_sir_set_branch(m->func, l->at, condition, then, otherwise);
        return;
    }
    const cy_sir_value all = cy_sir_const(m->func, l->at, CY_SIR_I1, 1);
    const cy_sir_value lanes[2] = {condition, masks_emit(m, l->at, CY_SIR_XOR, CY_SIR_I1, condition, all)};
    if (!is_alone_first(way, 0) || !is_alone_first(way, 1))
        l->at = part_unless_all(m, l, lanes);
    part(m, l, lanes);
}

/* ---- other terminators ---- */

/* A block on the edge, if lanes do something on their way. */
static uint32_t edge_to(struct masks *m, const struct leaving *l, uint32_t to)
{
    struct leaving edge = *l;
    if (!has_phis(m, to) && !l->lanes)
        return m->version[FULL][to];
    if (!has_phis(m, to) && m->join_of[to] == CY_SIR_NOTHING && !changes_mask(m, l, to) && !m->is_barrier[to])
        return m->version[PARTIAL][to];
    edge.at = new_block(m);
    send(m, &edge, to);
    return edge.at;
}

static void leave_by_switch(struct masks *m, const struct leaving *l)
{
    const struct way *way = &m->way[l->from];
    CY_VEC(struct cy_sir_case) cases = {0};
    for (uint32_t i = 0; i < way->case_count; i++)
        *cy_vec_push(&cases) = (struct cy_sir_case){way->cases[i].value, edge_to(m, l, way->cases[i].block)};
    struct cy_sir_block *block = &m->func->blocks.at[l->at];
    block->terminator = CY_SIR_SWITCH;
    block->condition = value_in(m, l, way->condition);
    block->cases.count = 0;
    for (size_t i = 0; i < cases.count; i++)
        *cy_vec_push(&block->cases) = cases.at[i];
    cy_vec_free(&cases);
}

void masks_leave(struct masks *m, enum version version, uint32_t b)
{
    const struct way *way = &m->way[b];
    struct leaving l = {version, b, m->version[version][b], version == PARTIAL ? m->mask[b] : 0};
    switch (way->terminator) {
    case CY_SIR_JUMP: send(m, &l, way->succ[0]); break;
    case CY_SIR_BRANCH: {
        const uint32_t then = edge_to(m, &l, way->succ[0]), otherwise = edge_to(m, &l, way->succ[1]);
        cy_sir_set_branch(m->func, l.at, value_in(m, &l, way->condition), then, otherwise);
        break;
    }
    case CY_SIR_VBRANCH: (version == FULL ? part_all : part_some)(m, &l); break;
    case CY_SIR_SWITCH: leave_by_switch(m, &l); break;
    case CY_SIR_END:
        if (version == PARTIAL && m->is_open[b])
            trap_if_parted(m, l.at, m->mask[b], way->pc);
        m->func->blocks.at[l.at].terminator = CY_SIR_END;
        break;
    default: m->func->blocks.at[l.at].terminator = way->terminator;
    }
}

/* ---- where all that wait come together ---- */

/* Lanes that may be all of the strip. */
static void choose_version(struct masks *m, uint32_t at, uint32_t to, cy_sir_value lanes)
{
    if (!masks_is_double(m, to)) {
        cy_sir_set_jump(m->func, at, m->version[FULL][to]);
        return;
    }
    uint32_t partial = m->version[PARTIAL][to];
    if (m->is_open[to]) {
        partial = new_block(m);
        masks_set(m, partial, m->mask_cell, lanes, 0);
        cy_sir_set_jump(m->func, partial, m->version[PARTIAL][to]);
    }
    cy_sir_set_branch(m->func, at, masks_emit(m, at, CY_SIR_ALL, CY_SIR_I1, lanes, 0), m->version[FULL][to], partial);
}

void masks_go_together(struct masks *m, uint32_t at, uint32_t to)
{
    if (m->is_whole)
        cy_sir_set_jump(m->func, at, m->version[FULL][to]);
    else
        choose_version(m, at, to, masks_is_double(m, to) ? masks_exists(m, at) : 0);
}

/* Those that wait at a side go on, or those of them that were on top of the stack. */
static void release(struct masks *m, uint32_t at, const struct join *join, const struct side *side, uint32_t next)
{
    const bool has_stack = join->level != CY_SIR_NOTHING;
    const uint32_t go = new_block(m);
    const cy_sir_value all = masks_get(m, at, side->cell), lanes = has_stack ? masks_popped(m, at, join, all) : all;
    cy_sir_set_branch(m->func, at, masks_emit(m, at, CY_SIR_ANY, CY_SIR_I1, lanes, 0), go, next);
    masks_set(
        m, go, side->cell,
        has_stack ? masks_emit(m, go, CY_SIR_XOR, CY_SIR_I1, all, lanes) : cy_sir_const(m->func, go, CY_SIR_I1, 0), 0);
    const struct leaving released = {PARTIAL, CY_SIR_NOTHING, go, lanes};
    enter(m, &released, side->block, true);
}

/* Before lanes go through a join, those that wait at its sides come to it, first those of inner branches. */
void masks_make_gate(struct masks *m, const struct join *join)
{
    const bool has_stack = join->level != CY_SIR_NOTHING;
    uint32_t at = join->gate, end = at;
    if (has_stack)
        at = masks_pop(m, join, &end);
    for (size_t i = join->sides.count; i-- > 0;) {
        const uint32_t next = has_stack && !i ? end : new_block(m);
        release(m, at, join, &join->sides.at[i], next);
        at = next;
    }
    /* Nobody waits any more: said, so that nothing of it is kept until lanes come again. */
    for (size_t i = 0; i < join->sides.count; i++)
        masks_set(m, at, join->sides.at[i].cell, cy_sir_const(m->func, at, CY_SIR_I1, 0), 0);
    const cy_sir_value arrived = masks_get(m, at, join->arrived);
    masks_set(m, at, join->arrived, cy_sir_const(m->func, at, CY_SIR_I1, 0), 0);
    choose_version(m, at, join->block, arrived);
}
