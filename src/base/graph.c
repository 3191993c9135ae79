/* Graphs and the order of their nodes. */
#include "base/graph.h"
#include "base/graph_priv.h"

uint32_t *cy_graph_numbers(struct cy_arena *arena, size_t count)
{
    return cy_arena_alloc(arena, (count + 1) * sizeof(uint32_t));
}

uint32_t *cy_graph_no_nodes(struct cy_arena *arena, size_t count)
{
    uint32_t *numbers = cy_graph_numbers(arena, count);
    for (size_t i = 0; i < count; i++)
        numbers[i] = CY_NO_NODE;
    return numbers;
}

/* Turns counts into the places where each node's list starts; start[count] is where the last one ends. */
static void make_starts(uint32_t *start, uint32_t count)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i <= count; i++) {
        const uint32_t own = start[i];
        start[i] = total;
        total += own;
    }
}

struct cy_graph cy_graph_make(struct cy_arena *arena, uint32_t count, const struct cy_edge *edges, size_t edge_count)
{
    struct cy_graph graph = {.count = count};
    struct cy_arena scratch = {0};
    uint32_t *succ_count = cy_graph_numbers(&scratch, count), *pred_count = cy_graph_numbers(&scratch, count);
    graph.succ_start = cy_graph_numbers(arena, count);
    graph.pred_start = cy_graph_numbers(arena, count);
    graph.succ = cy_graph_numbers(arena, edge_count);
    graph.pred = cy_graph_numbers(arena, edge_count);
    for (size_t i = 0; i < edge_count; i++) {
        graph.succ_start[edges[i].from]++;
        graph.pred_start[edges[i].to]++;
    }
    make_starts(graph.succ_start, count);
    make_starts(graph.pred_start, count);
    for (size_t i = 0; i < edge_count; i++) {
        const uint32_t from = edges[i].from, to = edges[i].to;
        graph.succ[graph.succ_start[from] + succ_count[from]++] = to;
        graph.pred[graph.pred_start[to] + pred_count[to]++] = from;
    }
    cy_arena_free(&scratch);
    return graph;
}

/* Lists what is reached from a root in post-order in walk->rpo, after what is there.  The path to the present node is
 * that of its parents. */
static void search(const struct cy_graph *graph, struct cy_walk *walk, uint32_t root, uint32_t *followed,
                   uint32_t *finished)
{
    uint32_t here = root;
    walk->number[root] = walk->count;
    walk->preorder[walk->count++] = root;
    while (here != CY_NO_NODE) {
        const uint32_t next = graph->succ_start[here] + followed[here];
        if (next == graph->succ_start[here + 1]) {
            walk->rpo[(*finished)++] = here;
            here = walk->parent[here];
            continue;
        }
        const uint32_t to = graph->succ[next];
        followed[here]++;
        if (walk->number[to] != CY_NO_NODE)
            continue;
        walk->parent[to] = here;
        walk->number[to] = walk->count;
        walk->preorder[walk->count++] = to;
        here = to;
    }
}

static struct cy_walk walk_from(struct cy_arena *arena, const struct cy_graph *graph, uint32_t first, uint32_t end)
{
    struct cy_arena scratch = {0};
    uint32_t *followed = cy_graph_numbers(&scratch, graph->count), finished = 0;
    struct cy_walk walk = {.rpo = cy_graph_numbers(arena, graph->count),
                           .place = cy_graph_no_nodes(arena, graph->count),
                           .preorder = cy_graph_numbers(arena, graph->count),
                           .number = cy_graph_no_nodes(arena, graph->count),
                           .parent = cy_graph_no_nodes(arena, graph->count)};
    for (uint32_t root = first; root < end; root++)
        if (walk.number[root] == CY_NO_NODE)
            search(graph, &walk, root, followed, &finished);
    for (uint32_t i = 0, k = finished; i + 1 < k--; i++) {
        const uint32_t swap = walk.rpo[i];
        walk.rpo[i] = walk.rpo[k];
        walk.rpo[k] = swap;
    }
    for (uint32_t i = 0; i < finished; i++)
        walk.place[walk.rpo[i]] = i;
    cy_arena_free(&scratch);
    return walk;
}

struct cy_walk cy_graph_walk(struct cy_arena *arena, const struct cy_graph *graph, uint32_t entry)
{
    return walk_from(arena, graph, entry, entry + 1);
}

struct cy_walk cy_graph_walk_all(struct cy_arena *arena, const struct cy_graph *graph)
{
    return walk_from(arena, graph, 0, graph->count);
}

void cy_graph_number_forest(const uint32_t *nodes, uint32_t count, const uint32_t *parent, uint32_t *first,
                            uint32_t *size)
{
    uint32_t roots = 0;
    for (uint32_t i = count; i-- > 0;) {
        size[nodes[i]]++;
        if (parent[nodes[i]] != CY_NO_NODE)
            size[parent[nodes[i]]] += size[nodes[i]];
    }
    /* Until all have their number, first[n] is the number for the next one below n; it is then moved back. */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *place = parent[nodes[i]] == CY_NO_NODE ? &roots : &first[parent[nodes[i]]];
        first[nodes[i]] = *place + 1;
        *place += size[nodes[i]];
    }
    for (uint32_t i = 0; i < count; i++)
        first[nodes[i]] -= size[nodes[i]];
}
