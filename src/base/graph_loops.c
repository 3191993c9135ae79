/* Loops: Havlak's algorithm as Ramalingam made it nearly linear.
 *
 * Nodes are named by their numbers in the preorder of the walk.  The loop of a header consists of the nodes below it in
 * the tree of the walk that reach it again without leaving what is below it.  From highest to lowest number, so inner
 * loops first, each header's loop is found by following edges backwards; then it is collapsed: its nodes are
 * represented by the header.
 *
 * An edge is of no use before a header is reached below which both of its ends are.  So it waits at the lowest such
 * node, the closest common ancestor of its ends, and is then added to those that can be followed backwards. */
#include "base/graph.h"
#include "base/graph_priv.h"

struct search {
    const struct cy_graph *graph;
    const struct cy_walk *walk;
    uint32_t *end;          /* the nodes from its own number up to this one are below it in the tree */
    uint32_t *visited;      /* sets of visited nodes: the parent in the tree that stands for them is not visited yet */
    uint32_t *collapsed;    /* sets of nodes that a header represents */
    uint32_t *waiting;      /* by ancestor: a list of edges */
    uint32_t *entering;     /* by representative: a list of edges that can be followed */
    uint32_t *next;         /* by edge, which is its index in graph->pred: another one in the same list */
    uint32_t *to;           /* by edge */
    uint32_t *header;       /* the innermost loop around the node; of a header, around its loop */
    uint32_t *lowest;       /* where edges to the node have waited, the lowest one */
    bool *is_header;        /* by node */
    CY_VEC(uint32_t) nodes; /* of the present loop, without its header */
};

static uint32_t find(uint32_t *set, uint32_t node)
{
    while (set[node] != node) {
        set[node] = set[set[node]];
        node = set[node];
    }
    return node;
}

static bool is_below(const struct search *s, uint32_t node, uint32_t above)
{
    return node >= above && node < s->end[above];
}

static void add_edge(struct search *s, uint32_t *list, uint32_t edge)
{
    s->next[edge] = *list;
    *list = edge;
}

static uint32_t source(const struct search *s, uint32_t edge)
{
    return s->walk->number[s->graph->pred[edge]];
}

/* The edges to a node that do not come from below it.  All nodes with higher numbers have been visited, so the first
 * ancestor of the source that has not been is above this one, too. */
static void let_edges_wait(struct search *s, uint32_t node)
{
    const uint32_t name = s->walk->preorder[node];
    for (uint32_t edge = s->graph->pred_start[name]; edge < s->graph->pred_start[name + 1]; edge++) {
        const uint32_t from = source(s, edge);
        if (from == CY_NO_NODE || is_below(s, from, node))
            continue;
        const uint32_t ancestor = from < node ? from : find(s->visited, from);
        s->to[edge] = node;
        s->lowest[node] = ancestor < s->lowest[node] ? ancestor : s->lowest[node];
        add_edge(s, &s->waiting[ancestor], edge);
    }
}

static void release_edges(struct search *s, uint32_t ancestor)
{
    for (uint32_t edge = s->waiting[ancestor], next; edge != CY_NO_NODE; edge = next) {
        next = s->next[edge];
        add_edge(s, &s->entering[find(s->collapsed, s->to[edge])], edge);
    }
}

static void add_node(struct search *s, uint32_t node, uint32_t header)
{
    const uint32_t representative = find(s->collapsed, node);
    if (representative == header || s->header[representative] != CY_NO_NODE)
        return;
    s->header[representative] = header;
    *cy_vec_push(&s->nodes) = representative;
}

static void find_loop(struct search *s, uint32_t header)
{
    const uint32_t name = s->walk->preorder[header];
    s->nodes.count = 0;
    for (uint32_t edge = s->graph->pred_start[name]; edge < s->graph->pred_start[name + 1]; edge++) {
        const uint32_t from = source(s, edge);
        if (from == CY_NO_NODE || !is_below(s, from, header))
            continue;
        s->is_header[name] = true;
        add_node(s, from, header);
    }
    for (size_t i = 0; i < s->nodes.count; i++)
        for (uint32_t edge = s->entering[s->nodes.at[i]]; edge != CY_NO_NODE; edge = s->next[edge])
            add_node(s, source(s, edge), header);
    for (size_t i = 0; i < s->nodes.count; i++)
        s->collapsed[s->nodes.at[i]] = header;
}

static void find_loops(struct search *s)
{
    const struct cy_walk *walk = s->walk;
    for (uint32_t i = walk->count; i-- > 0;) {
        const uint32_t parent = i ? walk->number[walk->parent[walk->preorder[i]]] : 0;
        s->end[i] = s->end[i] > i + 1 ? s->end[i] : i + 1;
        s->end[parent] = s->end[parent] > s->end[i] ? s->end[parent] : s->end[i];
        s->visited[i] = s->collapsed[i] = i;
        let_edges_wait(s, i);
        release_edges(s, i);
        find_loop(s, i);
        s->visited[i] = parent;
        s->visited[parent] = parent;
    }
}

/* Numbers the loops, and finds those that are entered elsewhere: an edge from outside to a node of the loop other than
 * its header waited above the header. */
static void describe_loops(struct search *s, struct cy_loops *loops, const uint32_t *headers, const uint32_t *parent,
                           const uint32_t *first, const uint32_t *size)
{
    const struct cy_walk *walk = s->walk;
    for (uint32_t i = 0; i < loops->count; i++) {
        struct cy_loop *loop = &loops->at[first[headers[i]]];
        loop->header = headers[i];
        loop->size = size[headers[i]];
        loop->parent = parent[headers[i]] == CY_NO_NODE ? CY_NO_NODE : first[parent[headers[i]]];
        loop->depth = loop->parent == CY_NO_NODE ? 1 : loops->at[loop->parent].depth + 1;
        loop->has_one_entry = true;
    }
    uint32_t *inner = s->visited; /* by header: `lowest` of its loop's other nodes */
    for (uint32_t i = 0; i < walk->count; i++)
        inner[i] = CY_NO_NODE;
    for (uint32_t i = walk->count; i-- > 0;) {
        const uint32_t header = s->header[i], lowest = inner[i] < s->lowest[i] ? inner[i] : s->lowest[i];
        if (s->is_header[walk->preorder[i]])
            loops->at[first[walk->preorder[i]]].has_one_entry = inner[i] >= i;
        if (header != CY_NO_NODE && lowest < inner[header])
            inner[header] = lowest;
    }
}

/* Sorts the nodes by their innermost loop, so that those of inner loops follow; by rpo within one. */
static void list_nodes(const struct cy_walk *walk, struct cy_loops *loops)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < walk->count; i++)
        if (loops->of[walk->rpo[i]] != CY_NO_NODE)
            loops->at[loops->of[walk->rpo[i]]].first_node++;
    for (uint32_t i = 0; i < loops->count; i++) {
        place += loops->at[i].first_node;
        loops->at[i].first_node = place;
    }
    for (uint32_t i = walk->count; i-- > 0;)
        if (loops->of[walk->rpo[i]] != CY_NO_NODE)
            loops->node[--loops->at[loops->of[walk->rpo[i]]].first_node] = walk->rpo[i];
    for (uint32_t i = 0; i < loops->count; i++) {
        const uint32_t after = i + loops->at[i].size;
        loops->at[i].node_count = (after < loops->count ? loops->at[after].first_node : place) - loops->at[i].first_node;
    }
}

static struct cy_loops number_loops(struct cy_arena *arena, struct cy_arena *scratch, struct search *s)
{
    const struct cy_walk *walk = s->walk;
    struct cy_loops loops = {.of = cy_graph_no_nodes(arena, s->graph->count),
                             .node = cy_graph_numbers(arena, walk->count)};
    uint32_t *headers = cy_graph_numbers(scratch, walk->count), *parent = cy_graph_no_nodes(scratch, s->graph->count);
    uint32_t *first = cy_graph_numbers(scratch, s->graph->count), *size = cy_graph_numbers(scratch, s->graph->count);
    for (uint32_t i = 0; i < walk->count; i++) {
        const uint32_t header = s->header[walk->number[walk->rpo[i]]];
        parent[walk->rpo[i]] = header == CY_NO_NODE ? CY_NO_NODE : walk->preorder[header];
        if (s->is_header[walk->rpo[i]])
            headers[loops.count++] = walk->rpo[i];
    }
    loops.at = cy_arena_alloc(arena, (loops.count + 1) * sizeof(*loops.at));
    cy_graph_number_forest(headers, loops.count, parent, first, size);
    describe_loops(s, &loops, headers, parent, first, size);
    for (uint32_t i = 0; i < walk->count; i++) {
        const uint32_t node = walk->rpo[i], header = s->is_header[node] ? node : parent[node];
        loops.of[node] = header == CY_NO_NODE ? CY_NO_NODE : first[header];
    }
    list_nodes(walk, &loops);
    return loops;
}

struct cy_loops cy_graph_loops(struct cy_arena *arena, const struct cy_graph *graph, const struct cy_walk *walk)
{
    struct cy_arena scratch = {0};
    const uint32_t edges = graph->pred_start[graph->count];
    struct search s = {.graph = graph,
                       .walk = walk,
                       .end = cy_graph_numbers(&scratch, walk->count),
                       .visited = cy_graph_numbers(&scratch, walk->count),
                       .collapsed = cy_graph_numbers(&scratch, walk->count),
                       .waiting = cy_graph_no_nodes(&scratch, walk->count),
                       .entering = cy_graph_no_nodes(&scratch, walk->count),
                       .next = cy_graph_numbers(&scratch, edges),
                       .to = cy_graph_numbers(&scratch, edges),
                       .header = cy_graph_no_nodes(&scratch, walk->count),
                       .lowest = cy_graph_no_nodes(&scratch, walk->count),
                       .is_header = cy_arena_alloc(&scratch, graph->count + 1)};
    find_loops(&s);
    const struct cy_loops loops = number_loops(arena, &scratch, &s);
    cy_vec_free(&s.nodes);
    cy_arena_free(&scratch);
    return loops;
}

bool cy_loop_has(const struct cy_loops *loops, uint32_t loop, uint32_t node)
{
    return loops->of[node] != CY_NO_NODE && loops->of[node] - loop < loops->at[loop].size;
}
