/* Branches on what is known become jumps, empty blocks and those that are not reached go, and a block with one predecessor becomes part
 * of it.
 *
 * Joins stay blocks of their own: lanes meet where one begins. */
#include "jit/transform/branches.h"

#include "jit/transform/edit.h"

#include <string.h>

struct branches {
    struct cy_sir_func *func;
    struct cy_arena arena;
    bool *is_join;    /* by block */
    uint32_t *reason; /* by block: the last one for which it was marked, and one more */
    bool has_changed, has_fewer_edges;
};

static struct cy_sir_block *block_at(const struct branches *s, uint32_t block)
{
    return &s->func->blocks.at[block];
}

static bool has_phis(const struct branches *s, uint32_t block)
{
    const struct cy_sir_block *at = block_at(s, block);
    return at->list.count && cy_sir_at(s->func, at->list.at[0])->op == CY_SIR_PHI;
}

static void *zeroed(struct branches *s, size_t size)
{
    return cy_arena_alloc(&s->arena, (s->func->blocks.count + 1) * size);
}

/* ---- conditions that are known ---- */

/* Do lanes that come by either of two edges find the same values? */
static bool are_alike(const struct branches *s, uint32_t block, size_t a, size_t b)
{
    const struct cy_sir_block *at = block_at(s, block);
    for (size_t i = 0; i < at->list.count; i++) {
        const struct cy_sir_insn *insn = cy_sir_at(s->func, at->list.at[i]);
        if (insn->op != CY_SIR_PHI)
            break;
        if (s->func->phi_args.at[insn->args[0] + a] != s->func->phi_args.at[insn->args[0] + b])
            return false;
    }
    return true;
}

/* All edges from the block go to one place, with the same values. */
static bool goes_to_one_place(const struct branches *s, uint32_t from)
{
    const struct cy_sir_block *block = block_at(s, from);
    const uint32_t to = cy_sir_succ(block, 0);
    size_t first = SIZE_MAX;
    for (uint32_t i = 1; i < cy_sir_succ_count(block); i++)
        if (cy_sir_succ(block, i) != to)
            return false;
    for (size_t i = 0; i < block_at(s, to)->preds.count; i++) {
        if (block_at(s, to)->preds.at[i] != from)
            continue;
        first = first == SIZE_MAX ? i : first;
        if (!are_alike(s, to, first, i))
            return false;
    }
    return true;
}

/* The only way on; NOTHING: there are several. */
static uint32_t only_way(const struct branches *s, uint32_t from)
{
    const struct cy_sir_block *block = block_at(s, from);
    uint64_t number;
    if (cy_sir_succ_count(block) < 2)
        return CY_SIR_NOTHING;
    if (goes_to_one_place(s, from))
        return cy_sir_succ(block, 0);
    if (!cy_sir_is_constant(s->func, block->condition, &number))
        return CY_SIR_NOTHING;
    if (block->terminator != CY_SIR_SWITCH)
        return block->succ[!number];
    size_t way = 0;
    while (way + 1 < block->cases.count && block->cases.at[way].value != number)
        way++;
    return block->cases.at[way].block;
}

static void fold_branches(struct branches *s)
{
    for (uint32_t b = 0; b < s->func->blocks.count; b++) {
        const uint32_t to = only_way(s, b);
        if (to == CY_SIR_NOTHING)
            continue;
        cy_sir_set_jump(s->func, b, to);
        s->has_fewer_edges = true;
    }
    s->has_changed |= s->has_fewer_edges;
    if (s->has_fewer_edges)
        cy_sir_find_preds(s->func);
}

static void find_joins(struct branches *s)
{
    memset(s->is_join, 0, s->func->blocks.count * sizeof(*s->is_join));
    for (uint32_t b = 0; b < s->func->blocks.count; b++)
        if (block_at(s, b)->terminator == CY_SIR_VBRANCH)
            s->is_join[block_at(s, b)->join] = true;
}

/* ---- empty blocks ---- */

typedef CY_VEC(uint32_t) numbers;

/* The edges into a block as they will be: from where, and whose arguments of phis they have. */
struct edges {
    numbers from, as;
};

static bool is_empty(const struct branches *s, uint32_t block)
{
    const struct cy_sir_block *at = block_at(s, block);
    return block && !at->list.count && at->terminator == CY_SIR_JUMP && at->succ[0] != block && !s->is_join[block] &&
           at->preds.count;
}

/* Is there an edge from the same place already, with which lanes find other values? */
static bool is_in_the_way(const struct branches *s, uint32_t to, const struct edges *edges, uint32_t from, uint32_t as)
{
    for (size_t i = 0; s->reason[from] == to + 1 && i < edges->from.count; i++)
        if (edges->from.at[i] == from && !are_alike(s, to, edges->as.at[i], as))
            return true;
    return false;
}

static void add_edge(struct branches *s, uint32_t to, struct edges *edges, uint32_t from, uint32_t as)
{
    *cy_vec_push(&edges->from) = from;
    *cy_vec_push(&edges->as) = as;
    s->reason[from] = to + 1;
}

/* Would lanes that go there by two sides, one after the other in the machine's order, go there together? */
static bool unites_sides(const struct branches *s, uint32_t from, uint32_t to)
{
    const struct cy_sir_block *block = block_at(s, from);
    return block->terminator == CY_SIR_VBRANCH && (block->in_order || s->func->exchanges) && to != block->join &&
           (block->succ[0] == to || block->succ[1] == to || block->succ[0] == block->succ[1]);
}

static bool can_skip(const struct branches *s, uint32_t to, const struct edges *edges, uint32_t empty, uint32_t as)
{
    const struct cy_sir_block *block = block_at(s, empty);
    for (size_t i = 0; i < block->preds.count; i++)
        if (is_in_the_way(s, to, edges, block->preds.at[i], as) || unites_sides(s, block->preds.at[i], to))
            return false;
    return true;
}

static void redirect(struct branches *s, uint32_t from, uint32_t old, uint32_t to)
{
    struct cy_sir_block *block = block_at(s, from);
    for (size_t i = 0; i < block->cases.count; i++)
        if (block->cases.at[i].block == old)
            block->cases.at[i].block = to;
    for (unsigned i = 0; i < CY_COUNT(block->succ); i++)
        if (block->succ[i] == old)
            block->succ[i] = to;
}

static void skip(struct branches *s, uint32_t to, struct edges *edges, uint32_t empty, uint32_t as)
{
    struct cy_sir_block *block = block_at(s, empty);
    for (size_t i = 0; i < block->preds.count; i++) {
        redirect(s, block->preds.at[i], empty, to);
        add_edge(s, to, edges, block->preds.at[i], as);
    }
    block->preds.count = 0;
    block->terminator = CY_SIR_UNREACHABLE;
    block->succ[0] = CY_SIR_NOTHING;
    s->has_changed = true;
}

static void take_edges(struct branches *s, uint32_t to, const struct edges *edges)
{
    struct cy_sir_block *block = block_at(s, to);
    for (size_t i = 0; i < block->list.count && cy_sir_at(s->func, block->list.at[i])->op == CY_SIR_PHI; i++) {
        struct cy_sir_insn *phi = cy_sir_at(s->func, block->list.at[i]);
        const size_t first = s->func->phi_args.count;
        for (size_t k = 0; k < edges->as.count; k++) {
            const cy_sir_value argument = s->func->phi_args.at[phi->args[0] + edges->as.at[k]];
            *cy_vec_push(&s->func->phi_args) = argument;
        }
        phi->args[0] = (cy_sir_value)first;
    }
    block->preds.count = 0;
    for (size_t k = 0; k < edges->from.count; k++)
        *cy_vec_push(&block->preds) = edges->from.at[k];
}

/* Who comes through an empty block comes at once. */
static void skip_empty(struct branches *s, uint32_t to)
{
    const struct cy_sir_block *block = block_at(s, to);
    struct edges edges = {{0}, {0}};
    for (uint32_t i = 0; i < block->preds.count; i++)
        if (!is_empty(s, block->preds.at[i]))
            add_edge(s, to, &edges, block->preds.at[i], i);
    const size_t kept = edges.from.count;
    bool skips = false;
    for (uint32_t i = 0; i < block->preds.count; i++) {
        const uint32_t from = block->preds.at[i];
        if (!is_empty(s, from))
            continue;
        if (can_skip(s, to, &edges, from, i)) {
            skip(s, to, &edges, from, i);
            skips = true;
        } else {
            add_edge(s, to, &edges, from, i);
        }
    }
    if (skips && (kept || edges.from.count))
        take_edges(s, to, &edges);
    cy_vec_free(&edges.from);
    cy_vec_free(&edges.as);
}

/* ---- blocks that follow each other ---- */

bool cy_sir_is_continued(const struct cy_sir_func *func, uint32_t block)
{
    const uint32_t next = func->blocks.at[block].succ[0];
    return func->blocks.at[block].terminator == CY_SIR_JUMP && next && next != block &&
           func->blocks.at[next].preds.count == 1;
}

static void rename_pred(struct cy_sir_block *block, uint32_t old, uint32_t by)
{
    for (size_t i = 0; i < block->preds.count; i++)
        if (block->preds.at[i] == old)
            block->preds.at[i] = by;
}

void cy_sir_append_next(struct cy_sir_func *func, uint32_t first)
{
    struct cy_sir_block *block = &func->blocks.at[first];
    const uint32_t number = block->succ[0];
    struct cy_sir_block *next = &func->blocks.at[number];
    for (size_t i = 0; i < next->list.count; i++) {
        *cy_vec_push(&block->list) = next->list.at[i];
        cy_sir_at(func, next->list.at[i])->block = first;
    }
    next->list.count = next->preds.count = 0;
    block->terminator = next->terminator;
    block->condition = next->condition;
    block->join = next->join;
    block->in_order = next->in_order;
    block->alone = next->alone;
    block->phase = next->phase;
    block->pc = block->pc ? block->pc : next->pc;
    memcpy(block->succ, next->succ, sizeof(block->succ));
    block->cases.count = 0;
    for (size_t i = 0; i < next->cases.count; i++)
        *cy_vec_push(&block->cases) = next->cases.at[i];
    for (uint32_t i = 0; i < cy_sir_succ_count(next); i++)
        rename_pred(&func->blocks.at[cy_sir_succ(next, i)], number, first);
    next->terminator = CY_SIR_UNREACHABLE;
    next->condition = 0;
    next->succ[0] = next->succ[1] = next->join = CY_SIR_NOTHING;
    next->in_order = false;
    next->alone = CY_SIR_TOGETHER;
    next->cases.count = 0;
}

static void join_blocks(struct branches *s)
{
    for (uint32_t b = 0; b < s->func->blocks.count; b++)
        for (;;) {
            const uint32_t next = block_at(s, b)->succ[0];
            if (!cy_sir_is_continued(s->func, b) || s->is_join[next] || has_phis(s, next))
                break;
            cy_sir_append_next(s->func, b);
            s->has_changed = true;
        }
}

/* ---- blocks that are not reached ---- */

/* No lane that takes part comes to the join: they end in traps, or never.  Then one side may as well be it. */
static void repair_joins(struct branches *s)
{
    const struct cy_graph graph = cy_sir_graph(&s->arena, s->func);
    struct cy_graph_region region = cy_graph_region(&s->arena, &graph);
    for (uint32_t b = 0; b < s->func->blocks.count && s->has_fewer_edges; b++) {
        struct cy_sir_block *block = block_at(s, b);
        if (block->terminator != CY_SIR_VBRANCH)
            continue;
        bool is_reached = block->succ[0] == block->join || block->succ[1] == block->join;
        cy_graph_region_begin(&region, block->join);
        for (unsigned i = 0; i < 2 && !is_reached; i++)
            cy_graph_region_add(&region, block->succ[i]);
        for (uint32_t i = graph.pred_start[block->join]; i < graph.pred_start[block->join + 1] && !is_reached; i++)
            is_reached = cy_graph_region_has(&region, graph.pred[i]);
        if (!is_reached)
            block->join = block->succ[1];
    }
}

static void renumber_block(struct branches *s, uint32_t block, const uint32_t *number)
{
    struct cy_sir_block *at = block_at(s, block);
    for (unsigned i = 0; i < CY_COUNT(at->succ); i++)
        at->succ[i] = at->succ[i] == CY_SIR_NOTHING ? CY_SIR_NOTHING : number[at->succ[i]];
    at->join = at->join == CY_SIR_NOTHING ? CY_SIR_NOTHING : number[at->join];
    for (size_t i = 0; i < at->cases.count; i++)
        at->cases.at[i].block = number[at->cases.at[i].block];
    for (size_t i = 0; i < at->list.count; i++)
        cy_sir_at(s->func, at->list.at[i])->block = number[block];
}

static void drop_block(struct branches *s, uint32_t block)
{
    struct cy_sir_block *at = block_at(s, block);
    for (size_t i = 0; i < at->list.count; i++)
        cy_sir_at(s->func, at->list.at[i])->block = CY_SIR_NOTHING;
    cy_vec_free(&at->list);
    cy_vec_free(&at->preds);
    cy_vec_free(&at->cases);
}

/* Predecessors are still what they were: with their new numbers, those that are left have the same places, and the same arguments. */
static void renumber_preds(struct branches *s, uint32_t block, const uint32_t *number)
{
    struct cy_sir_block *at = block_at(s, block);
    for (size_t i = 0; i < at->preds.count; i++)
        at->preds.at[i] = number[at->preds.at[i]];
}

static void drop_unreached(struct branches *s)
{
    const uint32_t count = (uint32_t)s->func->blocks.count;
    const struct cy_graph graph = cy_sir_graph(&s->arena, s->func);
    const struct cy_walk walk = cy_graph_walk(&s->arena, &graph, 0);
    uint32_t *number = zeroed(s, sizeof(*number)), kept = 0;
    if (walk.count == count)
        return;
    for (uint32_t b = 0; b < count; b++)
        number[b] = walk.place[b] == CY_NO_NODE ? CY_SIR_NOTHING : kept++;
    for (uint32_t b = 0; b < count; b++)
        if (number[b] == CY_SIR_NOTHING)
            drop_block(s, b);
        else
            renumber_block(s, b, number);
    for (uint32_t b = 0; b < count; b++) {
        if (number[b] == CY_SIR_NOTHING)
            continue;
        renumber_preds(s, b, number);
        s->func->blocks.at[number[b]] = s->func->blocks.at[b];
    }
    s->func->blocks.count = kept;
    s->has_changed = true;
    cy_sir_find_preds(s->func);
}

bool cy_sir_simplify_branches(struct cy_sir_func *func)
{
    struct branches s = {.func = func};
    s.is_join = zeroed(&s, sizeof(*s.is_join));
    s.reason = zeroed(&s, sizeof(*s.reason));
    fold_branches(&s);
    repair_joins(&s);
    drop_unreached(&s);
    find_joins(&s);
    for (uint32_t b = 1; b < func->blocks.count; b++)
        skip_empty(&s, b);
    join_blocks(&s);
    drop_unreached(&s);
    cy_arena_free(&s.arena);
    return s.has_changed;
}
