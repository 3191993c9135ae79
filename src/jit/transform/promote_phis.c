/* Where cells need phis: at the dominance frontiers of the blocks that set them, as far as they are live there.  Cells are looked at one
 * after the other, each along the blocks in which it is live only. */
#include "jit/transform/promote_priv.h"

#include <string.h>

struct place { /* a block that reads or sets a cell, in a list of these */
    uint32_t block, next;
};

struct placing {
    struct promote *p;
    struct cy_arena arena;
    CY_VEC(struct place) places;
    uint32_t *reads, *sets, *kills;         /* by cell: a list: where it is read first, set, set in all lanes */
    uint32_t *is_killed;                    /* by cell: one more than the last block that kills it */
    uint32_t *killed, *live, *met, *queued; /* by block: one more than the last cell for which it is so */
    uint32_t *frontier_start, *frontier;    /* by block: where what it dominates ends */
    CY_VEC(uint32_t) work;
};

static uint32_t *zeros(struct placing *s, size_t count)
{
    return memset(cy_arena_alloc(&s->arena, (count + 1) * sizeof(uint32_t)), 0, (count + 1) * sizeof(uint32_t));
}

static uint32_t *nothings(struct placing *s, size_t count)
{
    return memset(cy_arena_alloc(&s->arena, (count + 1) * sizeof(uint32_t)), 0xff, (count + 1) * sizeof(uint32_t));
}

/* ---- what blocks do with cells ---- */

static void add(struct placing *s, uint32_t *list, uint32_t block)
{
    if (*list != CY_SIR_NOTHING && s->places.at[*list].block == block)
        return;
    *cy_vec_push(&s->places) = (struct place){block, *list};
    *list = (uint32_t)s->places.count - 1;
}

/* A set in some lanes leaves what the others have. */
static void find_places_of(struct placing *s, uint32_t b)
{
    const struct cy_sir_func *func = s->p->func;
    for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
        const struct cy_sir_insn *insn = cy_sir_at(func, func->blocks.at[b].list.at[i]);
        if (insn->op == CY_SIR_GET && s->is_killed[insn->imm] != b + 1)
            add(s, &s->reads[insn->imm], b);
        if (insn->op != CY_SIR_SET)
            continue;
        add(s, &s->sets[insn->imm], b);
        if (insn->mask && !func->cells.at[insn->imm].is_warp)
            continue;
        s->is_killed[insn->imm] = b + 1;
        add(s, &s->kills[insn->imm], b);
    }
}

/* ---- dominance frontiers ---- */

static bool is_reached(const struct placing *s, uint32_t block)
{
    return s->p->walk.place[block] != CY_NO_NODE;
}

/* Blocks that dominate a predecessor of `b`, but not `b` itself, have it in their frontier: they are counted, or it is listed. */
static void add_to_frontiers(struct placing *s, uint32_t b, uint32_t *count)
{
    const struct cy_graph *graph = &s->p->graph;
    const uint32_t end = s->p->above.idom[b];
    for (uint32_t i = graph->pred_start[b]; i < graph->pred_start[b + 1]; i++)
        for (uint32_t at = graph->pred[i]; is_reached(s, graph->pred[i]) && at != end && s->met[at] != b + 1;
             at = s->p->above.idom[at]) {
            s->met[at] = b + 1;
            if (s->frontier)
                s->frontier[s->frontier_start[at] + count[at]] = b;
            count[at]++;
        }
}

static void find_frontiers(struct placing *s)
{
    const uint32_t blocks = s->p->graph.count;
    uint32_t *count = zeros(s, blocks), total = 0;
    s->met = zeros(s, blocks);
    s->frontier_start = zeros(s, blocks);
    for (uint32_t b = 0; b + 1 < blocks; b++)
        if (is_reached(s, b))
            add_to_frontiers(s, b, count);
    for (uint32_t b = 0; b < blocks; b++) {
        s->frontier_start[b] = total;
        total += count[b];
        count[b] = s->met[b] = 0;
    }
    s->frontier_start[blocks] = total;
    s->frontier = zeros(s, total);
    for (uint32_t b = 0; b + 1 < blocks; b++)
        if (is_reached(s, b))
            add_to_frontiers(s, b, count);
}

/* ---- one cell ---- */

static void find_live(struct placing *s, uint32_t cell)
{
    const struct cy_graph *graph = &s->p->graph;
    for (uint32_t i = s->kills[cell]; i != CY_SIR_NOTHING; i = s->places.at[i].next)
        s->killed[s->places.at[i].block] = cell + 1;
    for (uint32_t i = s->reads[cell]; i != CY_SIR_NOTHING; i = s->places.at[i].next) {
        s->live[s->places.at[i].block] = cell + 1;
        *cy_vec_push(&s->work) = s->places.at[i].block;
    }
    while (s->work.count) {
        const uint32_t b = s->work.at[--s->work.count];
        for (uint32_t i = graph->pred_start[b]; i < graph->pred_start[b + 1]; i++) {
            const uint32_t from = graph->pred[i];
            if (s->killed[from] == cell + 1 || s->live[from] == cell + 1)
                continue;
            s->live[from] = cell + 1;
            *cy_vec_push(&s->work) = from;
        }
    }
}

static void add_phi(struct placing *s, uint32_t block, uint32_t cell)
{
    struct promote *p = s->p;
    const cy_sir_value phi = cy_sir_phi(p->func, block, p->func->cells.at[cell].type);
    cy_sir_at(p->func, phi)->variable = p->func->cells.at[cell].variable;
    *cy_vec_push(&p->phis) = (struct promoted){phi, cell, p->phis_of[block]};
    p->phis_of[block] = (uint32_t)p->phis.count - 1;
}

/* A phi is a place where the cell is set. */
static void place(struct placing *s, uint32_t cell)
{
    find_live(s, cell);
    for (uint32_t i = s->sets[cell]; i != CY_SIR_NOTHING; i = s->places.at[i].next)
        *cy_vec_push(&s->work) = s->places.at[i].block;
    while (s->work.count) {
        const uint32_t b = s->work.at[--s->work.count];
        for (uint32_t i = s->frontier_start[b]; i < s->frontier_start[b + 1]; i++) {
            const uint32_t to = s->frontier[i];
            if (s->live[to] != cell + 1 || s->queued[to] == cell + 1)
                continue;
            s->queued[to] = cell + 1;
            add_phi(s, to, cell);
            *cy_vec_push(&s->work) = to;
        }
    }
}

void promote_place_phis(struct promote *p)
{
    struct placing s = {.p = p};
    const size_t cells = p->func->cells.count, blocks = p->graph.count;
    s.reads = nothings(&s, cells);
    s.sets = nothings(&s, cells);
    s.kills = nothings(&s, cells);
    s.is_killed = zeros(&s, cells);
    s.killed = zeros(&s, blocks);
    s.live = zeros(&s, blocks);
    s.queued = zeros(&s, blocks);
    find_frontiers(&s);
    for (uint32_t b = 0; b + 1 < blocks; b++)
        if (is_reached(&s, b))
            find_places_of(&s, b);
    for (uint32_t cell = 0; cell < cells; cell++)
        place(&s, cell);
    cy_vec_free(&s.work);
    cy_vec_free(&s.places);
    cy_arena_free(&s.arena);
}
