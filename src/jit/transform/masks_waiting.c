/* Where lanes wait for others, what these may execute meanwhile, and which values must therefore be kept. */
#include "jit/transform/masks_priv.h"

#include <string.h>

uint32_t masks_new_cell(struct masks *m, enum cy_sir_type type, uint32_t variable)
{
    *cy_vec_push(&m->func->cells) = (struct cy_sir_cell){.type = type, .variable = variable};
    return (uint32_t)m->func->cells.count - 1;
}

/* About lanes that wait: none do at the start, and none at a barrier. */
static uint32_t new_waiting(struct masks *m, enum cy_sir_type type)
{
    const uint32_t cell = masks_new_cell(m, type, CY_SIR_NOTHING);
    m->func->cells.at[cell].is_empty_at_barriers = true;
    return cell;
}

static uint32_t new_lanes(struct masks *m)
{
    return new_waiting(m, CY_SIR_I1);
}

static void *zeroed(struct masks *m, size_t count, size_t size)
{
    return memset(cy_arena_alloc(&m->arena, (count + 1) * size), 0, (count + 1) * size);
}

/* ---- the graph, and what is live ---- */

void masks_find_graph(struct masks *m)
{
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t b = 0; b < m->func->blocks.count; b++)
        for (uint32_t i = 0; i < cy_sir_succ_count(&m->func->blocks.at[b]); i++)
            *cy_vec_push(&edges) = (struct cy_edge){b, cy_sir_succ(&m->func->blocks.at[b], i)};
    m->graph = cy_graph_make(&m->arena, (uint32_t)m->func->blocks.count, edges.at, edges.count);
    cy_vec_free(&edges);
}

static void add_use(uint64_t *in, const uint64_t *kill, cy_sir_value value)
{
    if (value && !(kill[value >> 6] >> (value & 63) & 1))
        in[value >> 6] |= 1ull << (value & 63);
}

/* Arguments of phis are read at the end of the predecessor. */
static void find_uses(struct masks *m, uint32_t b, uint64_t *in, uint64_t *out, uint64_t *kill)
{
    struct cy_sir_func *func = m->func;
    const struct cy_sir_block *block = &func->blocks.at[b];
    for (size_t i = 0; i < block->list.count; i++) {
        const cy_sir_value value = block->list.at[i];
        const struct cy_sir_insn *insn = cy_sir_at(func, value);
        for (unsigned k = 0; k < 4 && insn->op != CY_SIR_PHI; k++)
            add_use(in + b * m->words, kill + b * m->words, insn->args[k]);
        kill[b * m->words + (value >> 6)] |= 1ull << (value & 63);
        for (size_t k = 0; k < block->preds.count && insn->op == CY_SIR_PHI; k++) {
            const cy_sir_value argument = func->phi_args.at[insn->args[0] + k];
            out[block->preds.at[k] * m->words + (argument >> 6)] |= 1ull << (argument & 63);
        }
    }
    add_use(in + b * m->words, kill + b * m->words, block->condition);
}

static void find_live(struct masks *m)
{
    m->words = m->func->insns.count / 64 + 1;
    m->live = zeroed(m, m->words * m->block_count, sizeof(*m->live));
    uint64_t *out = zeroed(m, m->words * m->block_count, sizeof(*out));
    uint64_t *kill = zeroed(m, m->words * m->block_count, sizeof(*kill));
    for (uint32_t b = 0; b < m->block_count; b++)
        find_uses(m, b, m->live, out, kill);
    for (uint32_t b = 0; b < m->block_count; b++) /* read at the end, and not made in the block */
        for (size_t i = 0; i < m->words; i++)
            m->live[b * m->words + i] |= out[b * m->words + i] & ~kill[b * m->words + i];
    cy_graph_flow_back(&m->graph, &(struct cy_flow){.words = m->words, .in = m->live, .out = out, .kill = kill});
}

/* ---- joins ---- */

static struct join *join_at(struct masks *m, uint32_t block)
{
    if (m->join_of[block] == CY_SIR_NOTHING) {
        m->join_of[block] = (uint32_t)m->joins.count;
        *cy_vec_push(&m->joins) = (struct join){.block = block,
                                                .arrived = new_lanes(m),
                                                .gate = CY_SIR_NOTHING,
                                                .level = CY_SIR_NOTHING,
                                                .rank = CY_SIR_NOTHING};
    }
    return &m->joins.at[m->join_of[block]];
}

/* If one side is the join, its lanes do nothing before the others come: any order is the machine's. */
bool masks_in_order(const struct way *way)
{
    return way->in_order && way->succ[0] != way->join && way->succ[1] != way->join;
}

size_t masks_find_side(const struct join *join, uint32_t from, uint32_t block)
{
    size_t i = 0;
    while (i < join->sides.count && (join->sides.at[i].block != block || join->sides.at[i].from != from))
        i++;
    return i;
}

static void add_side(struct masks *m, struct join *join, uint32_t from, uint32_t block)
{
    if (block == join->block)
        return;
    m->is_met[block] = true;
    if (m->func->counts && join->level == CY_SIR_NOTHING) {
        join->level = new_waiting(m, CY_SIR_I32);
        join->rank = new_waiting(m, CY_SIR_I32);
    }
    if (masks_find_side(join, from, block) == join->sides.count)
        *cy_vec_push(&join->sides) = (struct side){block, from, new_lanes(m)};
}

/* Of a vbranch in any order the side that waits is the join, or else the then-side. */
unsigned masks_waiting_side(const struct way *way)
{
    return way->succ[1] == way->join;
}

/* Those who wait to go on in a loop parted in its last round: they are on top of those who wait to leave it. */
static void find_join_of(struct masks *m, uint32_t b)
{
    const struct way *way = &m->way[b];
    struct join *join = join_at(m, way->join);
    unsigned first = masks_waiting_side(way);
    m->is_met[way->join] = true;
    *cy_vec_push(&join->branches) = b;
    if (way->alone)
        return; /* nobody waits at its sides */
    if (!masks_in_order(way)) {
        add_side(m, join, CY_SIR_NOTHING, way->succ[first]);
        return;
    }
    cy_graph_region_begin(&m->region, way->join);
    cy_graph_region_add(&m->region, way->succ[0]);
    first = cy_graph_region_has(&m->region, b);
    add_side(m, join, b, way->succ[first]);
    add_side(m, join, b, way->succ[!first]);
}

/* Outer branches come before inner ones. */
static void find_joins(struct masks *m)
{
    const struct cy_walk walk = cy_graph_walk(&m->arena, &m->graph, 0);
    for (uint32_t i = 0; i < walk.count; i++)
        if (m->way[walk.rpo[i]].terminator == CY_SIR_VBRANCH)
            find_join_of(m, walk.rpo[i]);
    for (uint32_t b = 0; b < m->block_count; b++) /* no lane comes there */
        if (walk.place[b] == CY_NO_NODE && m->way[b].terminator == CY_SIR_VBRANCH)
            find_join_of(m, b);
}

/* What lanes may execute while others wait for them to come to the join.  From another join those that wait for it go on as well. */
static void find_region(struct masks *m, const struct join *join)
{
    cy_graph_region_begin(&m->region, join->block);
    for (size_t i = 0; i < join->branches.count; i++)
        for (unsigned k = 0; k < 2; k++)
            cy_graph_region_add(&m->region, m->way[join->branches.at[i]].succ[k]);
    for (uint32_t i = 0; i < m->region.count; i++) {
        const uint32_t other = m->join_of[m->region.node[i]];
        m->is_open[m->region.node[i]] = true;
        for (size_t k = 0; other != CY_SIR_NOTHING && k < m->joins.at[other].sides.count; k++)
            cy_graph_region_add(&m->region, m->joins.at[other].sides.at[k].block);
    }
}

static bool is_same_again(const struct cy_sir_insn *insn)
{
    return cy_sir_ops[insn->op].flags & CY_SIR_PURE && !cy_sir_ops[insn->op].arguments;
}

static void keep_for_waiting(struct masks *m, uint32_t place)
{
    for (size_t i = 0; i < m->words; i++)
        for (uint64_t left = m->live[place * m->words + i]; left; left &= left - 1) {
            const cy_sir_value value = (cy_sir_value)(i * 64 + (unsigned)__builtin_ctzll(left));
            const struct cy_sir_insn *insn = cy_sir_at(m->func, value);
            if (cy_graph_region_has(&m->region, insn->block) && !is_same_again(insn))
                m->is_masked[value] = true;
        }
}

/* Values that lanes at the join, or at a side that waits, will need, and that others may compute again before they get there. */
static void find_kept(struct masks *m)
{
    for (uint32_t i = 0; i < m->joins.count; i++) {
        find_region(m, &m->joins.at[i]);
        keep_for_waiting(m, m->joins.at[i].block);
        for (size_t k = 0; k < m->joins.at[i].sides.count; k++)
            keep_for_waiting(m, m->joins.at[i].sides.at[k].block);
    }
}

/* ---- versions ---- */

/* If lanes may wait elsewhere, or some do not exist, a block is executed by others than all of the strip. */
static void choose_versions(struct masks *m)
{
    m->is_whole = m->func->strip.is_whole || m->func->strip.lanes == 1;
    for (unsigned i = 0; i < VERSIONS; i++)
        m->version[i] = cy_arena_alloc(&m->arena, (m->block_count + 1) * sizeof(uint32_t));
    for (uint32_t b = 0; b < m->block_count; b++) {
        const bool is_double = (!m->is_whole || m->is_open[b]) && !m->is_barrier[b];
        m->version[PARTIAL][b] = m->is_barrier[b] ? b : CY_SIR_NOTHING;
        m->version[FULL][b] = is_double ? cy_sir_block_new(m->func) : b;
        if (is_double) /* the entry stays where the versions part */
            m->version[PARTIAL][b] = b ? b : cy_sir_block_new(m->func);
    }
}

static void cross(struct masks *m, bool *crosses, uint32_t b, cy_sir_value value)
{
    crosses[value] |= value && (m->home[value] != b || m->way[b].alone);
}

/* Values that are used in other blocks than their own.  Phis use theirs at the end of the predecessor. */
static bool *find_crossing(struct masks *m)
{
    bool *crosses = zeroed(m, m->value_count, sizeof(*crosses));
    for (uint32_t b = 0; b < m->block_count; b++) {
        const struct cy_sir_block *block = &m->func->blocks.at[b];
        for (size_t i = 0; i < block->list.count; i++) {
            const struct cy_sir_insn *insn = cy_sir_at(m->func, block->list.at[i]);
            for (unsigned k = 0; k < CY_COUNT(insn->args) && insn->op != CY_SIR_PHI; k++)
                cross(m, crosses, b, insn->args[k]);
            for (size_t k = 0; k < block->preds.count && insn->op == CY_SIR_PHI; k++)
                cross(m, crosses, block->preds.at[k], m->func->phi_args.at[insn->args[0] + k]);
        }
        cross(m, crosses, b, block->condition);
    }
    return crosses;
}

/* What two versions make is a cell, unless it is the same in both. */
static void choose_cells(struct masks *m)
{
    const bool *crosses = find_crossing(m);
    for (uint32_t b = 0; b < m->block_count; b++)
        for (size_t i = 0; i < m->func->blocks.at[b].list.count; i++) {
            const cy_sir_value value = m->func->blocks.at[b].list.at[i];
            const struct cy_sir_insn *insn = cy_sir_at(m->func, value);
            const bool is_phi = insn->op == CY_SIR_PHI, is_shared = crosses[value] && masks_is_double(m, b);
            m->is_masked[value] |= is_phi && m->is_met[b];
            m->is_first[value] = is_shared && is_same_again(insn);
            if (is_phi || m->is_masked[value] || (is_shared && !m->is_first[value]))
                m->cell_of[value] = masks_new_cell(m, (enum cy_sir_type)insn->type, insn->variable);
        }
}

/* ---- all of it ---- */

static void *copied(struct masks *m, const void *from, size_t size)
{
    return size ? memcpy(cy_arena_alloc(&m->arena, size), from, size) : NULL;
}

/* What is counted is counted of lanes that go together. */
static void remember_ways(struct masks *m)
{
    const bool goes_alone = m->func->strip.lanes > 1 && !m->func->counts;
    m->way = zeroed(m, m->block_count, sizeof(*m->way));
    for (uint32_t b = 0; b < m->block_count; b++) {
        const struct cy_sir_block *block = &m->func->blocks.at[b];
        struct way *way = &m->way[b];
        *way = (struct way){.terminator = block->terminator,
                            .condition = block->condition,
                            .succ = {block->succ[0], block->succ[1]},
                            .join = block->join,
                            .pc = block->pc,
                            .in_order = block->in_order,
                            .alone = goes_alone ? block->alone : CY_SIR_TOGETHER,
                            .count = block->list.count,
                            .case_count = cy_sir_succ_count(block)};
        if (block->terminator == CY_SIR_SWITCH)
            way->cases = copied(m, block->cases.at, block->cases.count * sizeof(*way->cases));
        way->list = copied(m, block->list.at, block->list.count * sizeof(*way->list));
    }
}

static void make_tables(struct masks *m)
{
    m->block_count = (uint32_t)m->func->blocks.count;
    m->value_count = (cy_sir_value)m->func->insns.count;
    remember_ways(m);
    m->home = zeroed(m, m->value_count, sizeof(*m->home));
    for (cy_sir_value value = 0; value < m->value_count; value++)
        m->home[value] = cy_sir_at(m->func, value)->block;
    m->join_of = zeroed(m, m->block_count, sizeof(*m->join_of));
    memset(m->join_of, 0xff, m->block_count * sizeof(*m->join_of));
    m->is_open = zeroed(m, m->block_count, sizeof(*m->is_open));
    m->is_met = zeroed(m, m->block_count, sizeof(*m->is_met));
    m->is_barrier = zeroed(m, m->block_count, sizeof(*m->is_barrier));
    for (size_t i = 0; i < m->barriers.count; i++)
        m->is_barrier[m->barriers.at[i]] = true;
    m->mask = zeroed(m, m->block_count, sizeof(*m->mask));
    m->is_masked = zeroed(m, m->value_count, sizeof(*m->is_masked));
    m->is_first = zeroed(m, m->value_count, sizeof(*m->is_first));
    m->copy = zeroed(m, m->value_count, sizeof(*m->copy));
    m->cell_of = zeroed(m, m->value_count, sizeof(*m->cell_of));
    memset(m->cell_of, 0xff, m->value_count * sizeof(*m->cell_of));
    m->mask_cell = masks_new_cell(m, CY_SIR_I1, CY_SIR_NOTHING);
}

void masks_prepare(struct masks *m)
{
    masks_cut_barriers(m);
    make_tables(m);
    masks_find_graph(m);
    m->region = cy_graph_region(&m->arena, &m->graph);
    find_live(m);
    find_joins(m);
    find_kept(m);
    choose_versions(m);
    choose_cells(m);
}
