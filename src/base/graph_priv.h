/* What the files of graph.h share. */
#ifndef CY_BASE_GRAPH_PRIV_H
#define CY_BASE_GRAPH_PRIV_H

#include "base/graph.h"

uint32_t *cy_graph_numbers(struct cy_arena *arena, size_t count); /* zeros */
uint32_t *cy_graph_no_nodes(struct cy_arena *arena, size_t count);

/* Walks from node 0, then from each node that has not been reached, in order. */
struct cy_walk cy_graph_walk_all(struct cy_arena *arena, const struct cy_graph *graph);

/* Numbers the nodes of a forest so that a tree's nodes follow its root: `nodes` lists them, each after its parent;
 * trees with the same parent keep that order.  `size` is zero for all of them. */
void cy_graph_number_forest(const uint32_t *nodes, uint32_t count, const uint32_t *parent, uint32_t *first,
                            uint32_t *size);

#endif
