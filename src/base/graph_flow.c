/* Sets of bits that flow through a graph.  Nodes are visited in an order in which one round takes a bit to all nodes but
 * those to which it gets only along a back edge; after the first round, only where something has changed. */
#include "base/graph.h"
#include "base/graph_priv.h"

/* Adds what a node gets from its successors.  Has what is known before it become more? */
static bool add_to(const struct cy_graph *graph, const struct cy_flow *flow, uint32_t node)
{
    uint64_t *in = flow->in + node * flow->words, *out = flow->out + node * flow->words, more = 0;
    const uint64_t *kill = flow->kill + node * flow->words;
    for (uint32_t i = graph->succ_start[node]; i < graph->succ_start[node + 1]; i++)
        for (size_t w = 0; w < flow->words; w++)
            out[w] |= flow->in[graph->succ[i] * flow->words + w];
    for (size_t w = 0; w < flow->words; w++) {
        more |= out[w] & ~kill[w] & ~in[w];
        in[w] |= out[w] & ~kill[w];
    }
    return more != 0;
}

void cy_graph_flow_back(const struct cy_graph *graph, const struct cy_flow *flow)
{
    struct cy_arena scratch = {0};
    const struct cy_walk walk = cy_graph_walk_all(&scratch, graph);
    bool *is_settled = cy_arena_alloc(&scratch, graph->count + 1);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = walk.count; i-- > 0;) {
            const uint32_t node = walk.rpo[i];
            if (is_settled[node])
                continue;
            is_settled[node] = true;
            if (!add_to(graph, flow, node))
                continue;
            for (uint32_t k = graph->pred_start[node]; k < graph->pred_start[node + 1]; k++) {
                is_settled[graph->pred[k]] = false;
                again |= walk.place[graph->pred[k]] >= i;
            }
        }
    }
    cy_arena_free(&scratch);
}

/* Removes what a predecessor does not give.  Has what is known after the node become less? */
static bool remove_from(const struct cy_graph *graph, const struct cy_flow *flow, uint32_t node)
{
    const size_t first = node * flow->words;
    uint64_t *in = flow->in + first, *out = flow->out + first, less = 0;
    for (uint32_t i = graph->pred_start[node]; i < graph->pred_start[node + 1]; i++)
        for (size_t w = 0; w < flow->words; w++)
            in[w] &= flow->out[graph->pred[i] * flow->words + w];
    for (size_t w = 0; w < flow->words; w++) {
        const uint64_t given = (in[w] & ~flow->kill[first + w]) | flow->gen[first + w];
        less |= out[w] & ~given;
        out[w] &= given;
    }
    return less != 0;
}

void cy_graph_flow_forth(const struct cy_graph *graph, const struct cy_flow *flow)
{
    struct cy_arena scratch = {0};
    const struct cy_walk walk = cy_graph_walk_all(&scratch, graph);
    bool *is_settled = cy_arena_alloc(&scratch, graph->count + 1);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < walk.count; i++) {
            const uint32_t node = walk.rpo[i];
            if (is_settled[node])
                continue;
            is_settled[node] = true;
            if (!remove_from(graph, flow, node))
                continue;
            for (uint32_t k = graph->succ_start[node]; k < graph->succ_start[node + 1]; k++) {
                is_settled[graph->succ[k]] = false;
                again |= walk.place[graph->succ[k]] <= i;
            }
        }
    }
    cy_arena_free(&scratch);
}
