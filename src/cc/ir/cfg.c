/* Control flow: what base/graph finds out about the blocks of a function. */
#include "cc/ir/ir.h"

struct cy_graph ir_graph(const struct ir_func *func, struct cy_arena *arena)
{
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t i = 0; i < func->blocks.count; i++)
        for (uint32_t s = 0; s < func->blocks.at[i].succ_count; s++)
            *cy_vec_push(&edges) = (struct cy_edge){i, func->blocks.at[i].succ[s]};
    const struct cy_graph graph = cy_graph_make(arena, (uint32_t)func->blocks.count, edges.at, edges.count);
    cy_vec_free(&edges);
    return graph;
}

/* Only loops with one entry count as loops: LLVM has made sure that there are no others, but text may have them. */
static void set_loops(struct ir_func *func, const struct cy_loops *loops, struct cy_arena *arena)
{
    struct place {
        uint32_t header, depth;
    } *places = cy_arena_alloc(arena, (loops->count + 1) * sizeof(*places)); /* of a loop's own blocks */
    const struct place outside = {UINT32_MAX, 0};
    for (uint32_t i = 0; i < func->blocks.count; i++)
        func->blocks.at[i].loop_parent = UINT32_MAX;
    for (uint32_t i = 0; i < loops->count; i++) {
        const struct cy_loop *loop = &loops->at[i];
        places[i] = loop->parent == CY_NO_NODE ? outside : places[loop->parent];
        if (!loop->has_one_entry)
            continue;
        func->blocks.at[loop->header].loop_parent = places[i].header;
        places[i] = (struct place){loop->header, places[i].depth + 1};
    }
    for (uint32_t i = 0; i < func->blocks.count; i++) {
        const struct place place = loops->of[i] == CY_NO_NODE ? outside : places[loops->of[i]];
        func->blocks.at[i].loop_header = place.header;
        func->blocks.at[i].loop_depth = place.depth;
    }
}

void ir_analyse_cfg(struct ir_func *func)
{
    struct cy_arena arena = {0};
    const struct cy_graph graph = ir_graph(func, &arena);
    const struct cy_walk walk = cy_graph_walk(&arena, &graph, 0);
    const struct cy_dominators before = cy_graph_dominators(&arena, &graph, &walk);
    const struct cy_dominators after = cy_graph_post_dominators(&arena, &graph);
    const struct cy_loops loops = cy_graph_loops(&arena, &graph, &walk);
    func->rpo.count = 0;
    for (uint32_t i = 0; i < walk.count; i++)
        *cy_vec_push(&func->rpo) = walk.rpo[i];
    for (uint32_t i = 0; i < func->blocks.count; i++) {
        struct ir_block *block = &func->blocks.at[i];
        block->order = walk.place[i];
        block->idom = before.idom[i];
        block->ipdom = block->order == UINT32_MAX ? UINT32_MAX : after.idom[i];
        block->dom_first = before.first[i];
        block->dom_count = before.size[i];
    }
    set_loops(func, &loops, &arena);
    cy_arena_free(&arena);
}

bool ir_dominates(const struct ir_func *func, uint32_t above, uint32_t below)
{
    const struct ir_block *a = &func->blocks.at[above], *b = &func->blocks.at[below];
    return above == below || (b->dom_count && b->dom_first - a->dom_first < a->dom_count);
}

bool ir_in_loop(const struct ir_func *func, uint32_t block, uint32_t header)
{
    uint32_t at = func->blocks.at[block].loop_header;
    while (at != UINT32_MAX && at != header)
        at = func->blocks.at[at].loop_parent;
    return at == header;
}
