/* Sets of bits that flow against the edges. */
#include "base/graph.h"
#include "base/graph_priv.h"

/* Adds what a node gets from its successors; has what is known before it become more? */
static bool update(const struct cy_graph *graph, const struct cy_flow *flow, uint32_t node)
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

/* In post-order, so that one round takes a bit from where it is known to all nodes but those that are reached from
 * there only through a back edge; each node again only where something has changed. */
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
            if (!update(graph, flow, node))
                continue;
            for (uint32_t k = graph->pred_start[node]; k < graph->pred_start[node + 1]; k++) {
                is_settled[graph->pred[k]] = false;
                again |= walk.place[graph->pred[k]] >= i;
            }
        }
    }
    cy_arena_free(&scratch);
}
