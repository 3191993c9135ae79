/* Where lanes that have parted meet again, in SIMT form: at blocks that both sides of a vbranch reach, up to its join.  And loops that
 * lanes leave in different rounds: by a vbranch whose join is behind the loop. */
#include "jit/analyse/shape_priv.h"

#include "base/graph.h"

#include <string.h>

struct cy_sir_parting {
    const struct cy_sir_func *func;
    struct cy_graph graph;
    struct cy_loops loops;
    struct cy_graph_region sides[2];
    bool *parts, *meets; /* by block */
    bool *is_left_apart; /* by loop */
};

static bool *all_false(struct cy_arena *arena, size_t count)
{
    return memset(cy_arena_alloc(arena, count + 1), false, count + 1);
}

struct cy_sir_parting *cy_parting_new(struct cy_arena *arena, const struct cy_sir_func *func)
{
    struct cy_sir_parting *p = cy_arena_alloc(arena, sizeof(*p));
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t b = 0; b < func->blocks.count; b++)
        for (uint32_t i = 0; i < cy_sir_succ_count(&func->blocks.at[b]); i++)
            *cy_vec_push(&edges) = (struct cy_edge){b, cy_sir_succ(&func->blocks.at[b], i)};
    *p = (struct cy_sir_parting){.func = func};
    p->graph = cy_graph_make(arena, (uint32_t)func->blocks.count, edges.at, edges.count);
    const struct cy_walk walk = cy_graph_walk(arena, &p->graph, 0);
    p->loops = cy_graph_loops(arena, &p->graph, &walk);
    for (unsigned i = 0; i < 2; i++)
        p->sides[i] = cy_graph_region(arena, &p->graph);
    p->parts = all_false(arena, func->blocks.count);
    p->meets = all_false(arena, func->blocks.count);
    p->is_left_apart = all_false(arena, p->loops.count);
    cy_vec_free(&edges);
    return p;
}

bool cy_parting_add(struct cy_sir_parting *p, uint32_t block)
{
    const struct cy_sir_block *from = &p->func->blocks.at[block];
    if (p->parts[block])
        return false;
    p->parts[block] = p->meets[from->join] = true;
    for (unsigned i = 0; i < 2; i++) {
        cy_graph_region_begin(&p->sides[i], from->join);
        cy_graph_region_add(&p->sides[i], from->succ[i]);
    }
    for (uint32_t i = 0; i < p->sides[0].count; i++)
        p->meets[p->sides[0].node[i]] |= cy_graph_region_has(&p->sides[1], p->sides[0].node[i]);
    for (uint32_t loop = p->loops.of[block]; loop != CY_NO_NODE && !cy_loop_has(&p->loops, loop, from->join);
         loop = p->loops.at[loop].parent)
        p->is_left_apart[loop] = true;
    return true;
}

bool cy_parting_meets(const struct cy_sir_parting *p, uint32_t block)
{
    return p->meets[block];
}

bool cy_parting_is_behind(const struct cy_sir_parting *p, uint32_t from, uint32_t block)
{
    for (uint32_t loop = p->loops.of[from]; loop != CY_NO_NODE && !cy_loop_has(&p->loops, loop, block);
         loop = p->loops.at[loop].parent)
        if (p->is_left_apart[loop])
            return true;
    return false;
}
