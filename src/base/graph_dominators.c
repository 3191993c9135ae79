/* Dominators, by Lengauer and Tarjan's algorithm with path compression.
 *
 * Nodes are named by their numbers in the preorder of the walk.  A semi-dominator of w is the lowest number from which
 * a path leads to w whose inner nodes all have higher numbers than w; it is found from highest to lowest w.  Nodes
 * above the present one form a forest of tree edges, in which best() finds the lowest semi-dominator on the way up. */
#include "base/graph.h"
#include "base/graph_priv.h"

struct search {
    const struct cy_graph *graph;
    const struct cy_walk *walk;
    uint32_t *semi, *idom;
    uint32_t *above; /* in the forest; CY_NO_NODE: a root */
    uint32_t *label; /* the node with the lowest semi-dominator on the compressed part of the way up */
    uint32_t *path;
    uint32_t *bucket, *next; /* by semi-dominator: a list of nodes that it has */
};

static uint32_t best(struct search *s, uint32_t node)
{
    uint32_t depth = 0;
    if (s->above[node] == CY_NO_NODE)
        return node;
    for (uint32_t at = node; s->above[s->above[at]] != CY_NO_NODE; at = s->above[at])
        s->path[depth++] = at;
    while (depth) {
        const uint32_t at = s->path[--depth], above = s->above[at];
        if (s->semi[s->label[above]] < s->semi[s->label[at]])
            s->label[at] = s->label[above];
        s->above[at] = s->above[above];
    }
    return s->label[node];
}

static void find_semi(struct search *s, uint32_t number)
{
    const uint32_t node = s->walk->preorder[number];
    for (uint32_t i = s->graph->pred_start[node]; i < s->graph->pred_start[node + 1]; i++) {
        const uint32_t from = s->walk->number[s->graph->pred[i]];
        if (from == CY_NO_NODE)
            continue;
        const uint32_t semi = s->semi[best(s, from)];
        s->semi[number] = semi < s->semi[number] ? semi : s->semi[number];
    }
}

/* The nodes whose semi-dominator is `parent` and which are below the child that was added to the forest last. */
static void empty_bucket(struct search *s, uint32_t parent)
{
    for (uint32_t node = s->bucket[parent]; node != CY_NO_NODE; node = s->next[node]) {
        const uint32_t lowest = best(s, node);
        s->idom[node] = s->semi[lowest] < s->semi[node] ? lowest : parent; /* the former: the same as that one's */
    }
    s->bucket[parent] = CY_NO_NODE;
}

static void find_idoms(struct search *s)
{
    const struct cy_walk *walk = s->walk;
    for (uint32_t i = 0; i < walk->count; i++)
        s->semi[i] = s->label[i] = i;
    for (uint32_t i = walk->count; i-- > 1;) {
        const uint32_t parent = walk->number[walk->parent[walk->preorder[i]]];
        find_semi(s, i);
        s->next[i] = s->bucket[s->semi[i]];
        s->bucket[s->semi[i]] = i;
        s->above[i] = parent;
        empty_bucket(s, parent);
    }
    for (uint32_t i = 1; i < walk->count; i++)
        if (s->idom[i] != s->semi[i])
            s->idom[i] = s->idom[s->idom[i]];
}

struct cy_dominators cy_graph_dominators(struct cy_arena *arena, const struct cy_graph *graph,
                                         const struct cy_walk *walk)
{
    struct cy_arena scratch = {0};
    struct search s = {.graph = graph,
                       .walk = walk,
                       .semi = cy_graph_numbers(&scratch, walk->count),
                       .idom = cy_graph_numbers(&scratch, walk->count),
                       .above = cy_graph_no_nodes(&scratch, walk->count),
                       .label = cy_graph_numbers(&scratch, walk->count),
                       .path = cy_graph_numbers(&scratch, walk->count),
                       .bucket = cy_graph_no_nodes(&scratch, walk->count),
                       .next = cy_graph_numbers(&scratch, walk->count)};
    struct cy_dominators tree = {.idom = cy_graph_no_nodes(arena, graph->count),
                                 .first = cy_graph_numbers(arena, graph->count),
                                 .size = cy_graph_numbers(arena, graph->count)};
    find_idoms(&s);
    for (uint32_t i = 1; i < walk->count; i++)
        tree.idom[walk->preorder[i]] = walk->preorder[s.idom[i]];
    cy_graph_number_forest(walk->preorder, walk->count, tree.idom, tree.first, tree.size);
    cy_arena_free(&scratch);
    return tree;
}

/* The reverse of a graph, with one more node that leads to all exits. */
static struct cy_graph reverse(struct cy_arena *arena, const struct cy_graph *graph)
{
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t i = 0; i < graph->count; i++) {
        if (graph->succ_start[i] == graph->succ_start[i + 1])
            *cy_vec_push(&edges) = (struct cy_edge){graph->count, i};
        for (uint32_t k = graph->succ_start[i]; k < graph->succ_start[i + 1]; k++)
            *cy_vec_push(&edges) = (struct cy_edge){graph->succ[k], i};
    }
    const struct cy_graph reversed = cy_graph_make(arena, graph->count + 1, edges.at, edges.count);
    cy_vec_free(&edges);
    return reversed;
}

struct cy_dominators cy_graph_post_dominators(struct cy_arena *arena, const struct cy_graph *graph)
{
    struct cy_arena scratch = {0};
    const struct cy_graph reversed = reverse(&scratch, graph);
    const struct cy_walk walk = cy_graph_walk(&scratch, &reversed, graph->count);
    const struct cy_dominators tree = cy_graph_dominators(arena, &reversed, &walk);
    for (uint32_t i = 0; i < graph->count; i++)
        if (tree.idom[i] == graph->count)
            tree.idom[i] = CY_NO_NODE;
    cy_arena_free(&scratch);
    return tree;
}

bool cy_dominates(const struct cy_dominators *tree, uint32_t above, uint32_t below)
{
    return above == below || (tree->size[below] && tree->first[below] - tree->first[above] < tree->size[above]);
}
