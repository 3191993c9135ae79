/* Regions: what lies between nodes. */
#include "base/graph.h"
#include "base/graph_priv.h"

struct cy_graph_region cy_graph_region(struct cy_arena *arena, const struct cy_graph *graph)
{
    return (struct cy_graph_region){.graph = graph,
                                    .node = cy_graph_numbers(arena, graph->count),
                                    .search = cy_graph_numbers(arena, graph->count),
                                    .stop = CY_NO_NODE};
}

void cy_graph_region_begin(struct cy_graph_region *region, uint32_t stop)
{
    region->present++;
    region->count = 0;
    region->stop = stop;
}

static void add_node(struct cy_graph_region *region, uint32_t node)
{
    if (node == region->stop || region->search[node] == region->present)
        return;
    region->search[node] = region->present;
    region->node[region->count++] = node;
}

void cy_graph_region_add(struct cy_graph_region *region, uint32_t start)
{
    const struct cy_graph *graph = region->graph;
    const uint32_t first = region->count;
    add_node(region, start);
    for (uint32_t i = first; i < region->count; i++)
        for (uint32_t k = graph->succ_start[region->node[i]]; k < graph->succ_start[region->node[i] + 1]; k++)
            add_node(region, graph->succ[k]);
}

bool cy_graph_region_has(const struct cy_graph_region *region, uint32_t node)
{
    return region->present && region->search[node] == region->present;
}
