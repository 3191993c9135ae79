/* Graph algorithms against definitions that are obviously right, on random graphs; on well-known ones against what is
 * known about them. */
#include "base/graph.h"

#include "support/test.h"
#include "support/xorshift.h"

enum { MOST = 2000, FEW = 60 };

struct edges {
    CY_VEC(struct cy_edge) all;
    uint32_t nodes;
};

static uint32_t below(uint32_t end)
{
    return (uint32_t)((random_bits() >> 32) % end);
}

static void add(struct edges *edges, uint32_t from, uint32_t to)
{
    *cy_vec_push(&edges->all) = (struct cy_edge){from, to};
}

/* ---- random graphs ---- */

/* Anything: nodes that are not reached, several exits or none, edges that occur twice, loops with several entries. */
static void make_wild(struct edges *edges, uint32_t nodes)
{
    const uint32_t count = below(2 * nodes + 1);
    edges->nodes = nodes;
    for (uint32_t i = 0; i < count; i++)
        add(edges, below(nodes), below(nodes));
}

/* Mostly forwards and not far, as compilers make them; some edges back. */
static void make_likely(struct edges *edges, uint32_t nodes)
{
    edges->nodes = nodes;
    for (uint32_t i = 0; i + 1 < nodes; i++) {
        const uint32_t last = i + 5 < nodes ? i + 5 : nodes - 1;
        if (below(30))
            add(edges, i, i + 1);
        if (!below(3))
            add(edges, i, i + 1 + below(last - i));
        if (!below(6))
            add(edges, i, below(i + 1));
    }
}

/* A program of sequences, branches and loops, which can be left in the middle and may have no end, from `from`.  Returns
 * where it ends. */
static uint32_t make_program(struct edges *edges, uint32_t from, uint32_t nodes, uint32_t header, uint32_t after)
{
    while (edges->nodes + 4 < nodes) {
        const uint32_t next = edges->nodes++, part = edges->nodes + below(nodes - edges->nodes);
        uint32_t end;
        switch (below(header == CY_NO_NODE ? 4 : 6)) {
        case 0: return from;
        case 1: /* if */
            add(edges, from, next);
            end = make_program(edges, next, part, header, after);
            add(edges, from, edges->nodes);
            add(edges, end, edges->nodes);
            from = edges->nodes++;
            break;
        case 2: /* for */
            add(edges, from, next);
            from = edges->nodes++;
            add(edges, next, edges->nodes);
            end = edges->nodes++;
            end = make_program(edges, end, part, next, from);
            add(edges, end, next);
            if (below(10))
                add(edges, next, from);
            break;
        case 3: add(edges, from, next), from = next; break;
        case 4: /* continue */
            add(edges, from, header);
            add(edges, from, next), from = next;
            break;
        default: /* break */ add(edges, from, after); add(edges, from, next), from = next;
        }
    }
    return from;
}

static void make_graph(struct edges *edges, uint32_t most)
{
    const uint32_t nodes = 1 + below(most), kind = below(5);
    edges->all.count = edges->nodes = 0;
    if (kind == 0) {
        make_wild(edges, nodes);
    } else if (kind == 1) {
        make_likely(edges, nodes);
    } else {
        edges->nodes = 1;
        while (edges->nodes + 4 < nodes) {
            const uint32_t from = edges->nodes - 1, part = nodes < 100 ? nodes : edges->nodes + 100;
            const uint32_t end = make_program(edges, from, part < nodes ? part : nodes, CY_NO_NODE, CY_NO_NODE);
            add(edges, end, edges->nodes++);
        }
        for (uint32_t i = 0; kind == 2 && i < 1 + edges->nodes / 50; i++) /* also into and out of loops */
            add(edges, below(edges->nodes), below(edges->nodes));
    }
}

/* ---- definitions ---- */

/* The nodes of `among` (NULL: all) that are reached from one, itself included, without passing another. */
static void reach(const struct edges *edges, const struct cy_graph *graph, uint32_t from, uint32_t without,
                  bool backwards, const bool *among, bool *reached)
{
    const uint32_t *start = backwards ? graph->pred_start : graph->succ_start;
    const uint32_t *list = backwards ? graph->pred : graph->succ;
    static uint32_t work[MOST];
    uint32_t count = 0;
    memset(reached, 0, edges->nodes);
    if (from != without)
        reached[from] = true, work[count++] = from;
    while (count) {
        const uint32_t at = work[--count];
        for (uint32_t i = start[at]; i < start[at + 1]; i++)
            if (list[i] != without && !reached[list[i]] && (!among || among[list[i]]))
                reached[list[i]] = true, work[count++] = list[i];
    }
}

static void check_lists(const struct edges *edges, const struct cy_graph *graph)
{
    static uint32_t succ_count[MOST], pred_count[MOST];
    memset(succ_count, 0, sizeof(succ_count));
    memset(pred_count, 0, sizeof(pred_count));
    for (size_t i = 0; i < edges->all.count; i++) { /* in order */
        const struct cy_edge edge = edges->all.at[i];
        CHECK_EQ(graph->succ[graph->succ_start[edge.from] + succ_count[edge.from]++], edge.to);
        CHECK_EQ(graph->pred[graph->pred_start[edge.to] + pred_count[edge.to]++], edge.from);
    }
    for (uint32_t i = 0; i < edges->nodes; i++) {
        CHECK_EQ(graph->succ_start[i + 1] - graph->succ_start[i], succ_count[i]);
        CHECK_EQ(graph->pred_start[i + 1] - graph->pred_start[i], pred_count[i]);
    }
}

struct recursion {
    const struct cy_graph *graph;
    bool seen[MOST];
    uint32_t preorder[MOST], postorder[MOST], parent[MOST], entered, left;
};

static void visit(struct recursion *r, uint32_t node, uint32_t parent)
{
    if (r->seen[node])
        return;
    r->seen[node] = true;
    r->parent[node] = parent;
    r->preorder[r->entered++] = node;
    for (uint32_t i = r->graph->succ_start[node]; i < r->graph->succ_start[node + 1]; i++)
        visit(r, r->graph->succ[i], node);
    r->postorder[r->left++] = node;
}

static void check_walk(const struct cy_graph *graph, const struct cy_walk *walk)
{
    static struct recursion r;
    memset(&r, 0, sizeof(r));
    r.graph = graph;
    visit(&r, 0, CY_NO_NODE);
    if (!CHECK_EQ(walk->count, r.entered))
        return;
    for (uint32_t i = 0; i < walk->count; i++) {
        CHECK_EQ(walk->rpo[i], r.postorder[walk->count - 1 - i]);
        CHECK_EQ(walk->place[walk->rpo[i]], i);
        CHECK_EQ(walk->preorder[i], r.preorder[i]);
        CHECK_EQ(walk->number[walk->preorder[i]], i);
        CHECK_EQ(walk->parent[walk->preorder[i]], r.parent[walk->preorder[i]]);
    }
    for (uint32_t i = 0; i < graph->count; i++)
        if (!r.seen[i])
            CHECK(walk->place[i] == CY_NO_NODE && walk->number[i] == CY_NO_NODE && walk->parent[i] == CY_NO_NODE);
}

/* A dominates B if B is reached, but not without A.  `root` is the node from which, or backwards: to which. */
static void check_dominators(const struct edges *edges, const struct cy_graph *graph, uint32_t root, bool backwards,
                             const struct cy_dominators *tree)
{
    static bool reached[MOST + 1], without[MOST + 1];
    const struct edges all = {.nodes = graph->count};
    reach(&all, graph, root, CY_NO_NODE, backwards, NULL, reached);
    for (uint32_t i = 0; i < edges->nodes; i++) {
        const bool is_root = !reached[i] || i == root || tree->idom[i] == CY_NO_NODE;
        CHECK_EQ(tree->size[i] != 0, reached[i]);
        CHECK(is_root || (tree->idom[i] != i && cy_dominates(tree, tree->idom[i], i)));
        CHECK(reached[i] || tree->idom[i] == CY_NO_NODE);
    }
    for (uint32_t k = 0; k < (edges->nodes <= FEW ? edges->nodes : 10); k++) {
        const uint32_t above = edges->nodes <= FEW ? k : below(edges->nodes);
        reach(&all, graph, root, above, backwards, NULL, without);
        for (uint32_t i = 0; i < edges->nodes; i++) {
            const bool expected = i == above || (reached[above] && reached[i] && !without[i]);
            CHECK_EQ(cy_dominates(tree, above, i), expected);
            if (expected && i != above && CHECK(tree->idom[i] != CY_NO_NODE)) /* the closest one */
                CHECK(cy_dominates(tree, above, tree->idom[i]));
        }
    }
}

/* With an exit that all others lead to. */
static void check_post_dominators(struct cy_arena *arena, struct edges *edges, const struct cy_graph *graph)
{
    const struct cy_dominators tree = cy_graph_post_dominators(arena, graph);
    const size_t count = edges->all.count;
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->succ_start[i] == graph->succ_start[i + 1])
            add(edges, i, graph->count);
    const struct cy_graph closed = cy_graph_make(arena, graph->count + 1, edges->all.at, edges->all.count);
    check_dominators(edges, &closed, graph->count, true, &tree);
    edges->all.count = count;
}

struct loops { /* by node, as they should be */
    uint32_t header[MOST], around[MOST], depth[MOST], count;
    bool has_one_entry[MOST];
};

/* The loops among some nodes, of which those with edges to `header` are not followed. */
static void find_loops(struct loops *loops, const struct edges *edges, const struct cy_graph *graph,
                       const struct cy_walk *walk, const bool *among, uint32_t header, uint32_t depth)
{
    bool *left = calloc(edges->nodes, 1), *forth = calloc(edges->nodes, 1), *back = calloc(edges->nodes, 1);
    memcpy(left, among, edges->nodes);
    if (header != CY_NO_NODE)
        left[header] = false;
    for (uint32_t i = 0; i < walk->count; i++) {
        const uint32_t first = walk->rpo[i];
        bool is_loop = false, has_one_entry = true;
        if (!left[first])
            continue;
        reach(edges, graph, first, CY_NO_NODE, false, left, forth);
        reach(edges, graph, first, CY_NO_NODE, true, left, back);
        for (uint32_t k = 0; k < edges->nodes; k++)
            forth[k] &= back[k];
        for (size_t k = 0; k < edges->all.count; k++) {
            const struct cy_edge edge = edges->all.at[k];
            is_loop |= edge.to == first && forth[edge.from];
            has_one_entry &=
                edge.to == first || !forth[edge.to] || forth[edge.from] || walk->place[edge.from] == CY_NO_NODE;
        }
        for (uint32_t k = 0; k < edges->nodes; k++)
            if (forth[k] && is_loop)
                loops->header[k] = first, loops->depth[k] = depth;
        if (is_loop) {
            loops->around[first] = header;
            loops->has_one_entry[first] = has_one_entry;
            loops->count++;
            find_loops(loops, edges, graph, walk, forth, first, depth + 1);
        }
        for (uint32_t k = 0; k < edges->nodes; k++)
            left[k] &= !forth[k];
    }
    free(left);
    free(forth);
    free(back);
}

static void check_loop(const struct cy_loops *loops, uint32_t number, const struct cy_walk *walk,
                       const struct loops *expected, uint32_t nodes)
{
    const struct cy_loop *loop = &loops->at[number];
    uint32_t count = 0;
    CHECK_EQ(loop->depth, expected->depth[loop->header]);
    CHECK_EQ(loop->has_one_entry, expected->has_one_entry[loop->header]);
    CHECK_EQ(loop->parent == CY_NO_NODE ? CY_NO_NODE : loops->at[loop->parent].header, expected->around[loop->header]);
    if (number + 1 < loops->count && loops->at[number + 1].parent == loop->parent)
        CHECK(walk->place[loop->header] < walk->place[loops->at[number + 1].header]);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t header = expected->header[i];
        while (header != CY_NO_NODE && header != loop->header)
            header = expected->around[header];
        CHECK_EQ(cy_loop_has(loops, number, i), header != CY_NO_NODE);
        count += header != CY_NO_NODE;
    }
    CHECK_EQ(loop->node_count, count);
    CHECK_EQ(loops->node[loop->first_node], loop->header);
    for (uint32_t i = 0; i < loop->node_count; i++)
        CHECK(cy_loop_has(loops, number, loops->node[loop->first_node + i]));
}

static void check_loops(struct cy_arena *arena, const struct edges *edges, const struct cy_graph *graph,
                        const struct cy_walk *walk)
{
    static struct loops expected;
    static bool reached[MOST];
    const struct cy_loops loops = cy_graph_loops(arena, graph, walk);
    memset(&expected, 0, sizeof(expected));
    for (uint32_t i = 0; i < edges->nodes; i++) {
        expected.header[i] = CY_NO_NODE;
        reached[i] = walk->place[i] != CY_NO_NODE;
    }
    find_loops(&expected, edges, graph, walk, reached, CY_NO_NODE, 1);
    CHECK_EQ(loops.count, expected.count);
    for (uint32_t i = 0; i < edges->nodes; i++)
        CHECK_EQ(loops.of[i] == CY_NO_NODE ? CY_NO_NODE : loops.at[loops.of[i]].header, expected.header[i]);
    for (uint32_t i = 0; i < loops.count; i++)
        check_loop(&loops, i, walk, &expected, edges->nodes);
}

enum { WORDS = 2 };

struct sets { /* by node and word */
    uint64_t *in, *out, *kill, *gen, *given_in, *given_out;
};

/* Sets with so many bits in 64. */
static uint64_t *random_sets(struct cy_arena *arena, uint32_t nodes, uint32_t bits)
{
    uint64_t *sets = cy_arena_alloc(arena, nodes * WORDS * sizeof(*sets));
    for (uint32_t i = 0; i < nodes * WORDS * bits; i++)
        sets[i / bits] |= 1ull << below(64);
    return sets;
}

static struct sets make_sets(struct cy_arena *arena, uint32_t nodes, bool is_all)
{
    const size_t bytes = nodes * WORDS * sizeof(uint64_t);
    struct sets sets = {.kill = random_sets(arena, nodes, 10), .gen = random_sets(arena, nodes, 10)};
    sets.given_in = random_sets(arena, nodes, 1);
    sets.given_out = random_sets(arena, nodes, 1);
    sets.in = cy_arena_alloc(arena, bytes);
    sets.out = cy_arena_alloc(arena, bytes);
    for (uint32_t i = 0; i < nodes * WORDS; i++) {
        sets.given_in[i] &= below(4) ? 0 : UINT64_MAX;
        sets.given_out[i] &= below(4) ? 0 : UINT64_MAX;
        sets.in[i] = sets.given_in[i] ^= is_all ? UINT64_MAX : 0;
        sets.out[i] = sets.given_out[i] ^= is_all ? UINT64_MAX : 0;
    }
    return sets;
}

static bool has(const uint64_t *sets, uint32_t node, uint32_t bit)
{
    return sets[node * WORDS + bit / 64] >> bit % 64 & 1;
}

/* Is there a path from the node to where the bit is, without one that kills it before? */
static void check_back(const struct edges *edges, const struct cy_graph *graph, const struct sets *sets, uint32_t node,
                       uint32_t bit)
{
    static bool passes[MOST], reached[MOST];
    bool is_in = has(sets->given_in, node, bit), is_out = has(sets->given_out, node, bit);
    for (uint32_t i = 0; i < edges->nodes; i++)
        passes[i] = !has(sets->kill, i, bit);
    reach(edges, graph, node, CY_NO_NODE, false, passes, reached);
    for (uint32_t i = 0; i < edges->nodes; i++) {
        if (!reached[i] || !passes[node])
            continue;
        is_in |= has(sets->given_out, i, bit);
        for (uint32_t k = graph->succ_start[i]; k < graph->succ_start[i + 1]; k++)
            is_in |= has(sets->given_in, graph->succ[k], bit);
    }
    for (uint32_t k = graph->succ_start[node]; k < graph->succ_start[node + 1]; k++)
        is_out |= has(sets->in, graph->succ[k], bit);
    CHECK_EQ(has(sets->in, node, bit), is_in);
    CHECK_EQ(has(sets->out, node, bit), is_out);
}

/* Is there no path to the node from where the bit is missing, without one that makes it after that? */
static void check_forth(const struct edges *edges, const struct cy_graph *graph, const struct sets *sets, uint32_t node,
                        uint32_t bit)
{
    static bool passes[MOST], reached[MOST];
    bool is_in = true;
    for (uint32_t i = 0; i < edges->nodes; i++)
        passes[i] = !has(sets->gen, i, bit);
    reach(edges, graph, node, CY_NO_NODE, true, passes, reached);
    for (uint32_t i = 0; i < edges->nodes; i++) {
        if (!reached[i])
            continue;
        is_in &= has(sets->given_in, i, bit);
        for (uint32_t k = graph->pred_start[i]; k < graph->pred_start[i + 1]; k++)
            is_in &= has(sets->given_out, graph->pred[k], bit) &&
                     (has(sets->gen, graph->pred[k], bit) || !has(sets->kill, graph->pred[k], bit));
    }
    const bool passes_on = has(sets->gen, node, bit) || (has(sets->in, node, bit) && !has(sets->kill, node, bit));
    CHECK_EQ(has(sets->in, node, bit), is_in);
    CHECK_EQ(has(sets->out, node, bit), has(sets->given_out, node, bit) && passes_on);
}

static void check_flow(struct cy_arena *arena, const struct edges *edges, const struct cy_graph *graph)
{
    const struct sets back = make_sets(arena, edges->nodes, false), forth = make_sets(arena, edges->nodes, true);
    cy_graph_flow_back(graph, &(struct cy_flow){.words = WORDS, .in = back.in, .out = back.out, .kill = back.kill});
    cy_graph_flow_forth(graph, &(struct cy_flow){WORDS, forth.in, forth.out, forth.kill, forth.gen});
    for (uint32_t try = 0; try < 400 / edges->nodes + 1; try++)
        for (uint32_t node = below(edges->nodes), bit = 0; bit < WORDS * 64; bit++) {
            check_back(edges, graph, &back, node, bit);
            check_forth(edges, graph, &forth, node, bit);
        }
}

/* All that is reached from some nodes, but not through another. */
static void check_region(struct cy_arena *arena, const struct edges *edges, const struct cy_graph *graph)
{
    static bool reached[MOST], expected[MOST];
    struct cy_graph_region region = cy_graph_region(arena, graph);
    CHECK(!cy_graph_region_has(&region, 0));
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t stop = below(5) ? below(edges->nodes) : CY_NO_NODE, starts = below(3);
        uint32_t count = 0;
        memset(expected, 0, sizeof(expected));
        cy_graph_region_begin(&region, stop);
        for (uint32_t k = 0; k < starts; k++) {
            const uint32_t start = below(edges->nodes);
            cy_graph_region_add(&region, start);
            reach(edges, graph, start, stop, false, NULL, reached);
            for (uint32_t n = 0; n < edges->nodes; n++)
                expected[n] |= reached[n];
        }
        for (uint32_t n = 0; n < edges->nodes; n++) {
            CHECK_EQ(cy_graph_region_has(&region, n), expected[n]);
            count += expected[n];
        }
        CHECK_EQ(region.count, count);
        for (uint32_t n = 0; n < region.count; n++)
            CHECK(expected[region.node[n]]);
    }
}

static void check(struct edges *edges)
{
    struct cy_arena arena = {0};
    const struct cy_graph graph = cy_graph_make(&arena, edges->nodes, edges->all.at, edges->all.count);
    const struct cy_walk walk = cy_graph_walk(&arena, &graph, 0);
    const struct cy_dominators tree = cy_graph_dominators(&arena, &graph, &walk);
    check_lists(edges, &graph);
    check_walk(&graph, &walk);
    check_dominators(edges, &graph, 0, false, &tree);
    check_post_dominators(&arena, edges, &graph);
    check_loops(&arena, edges, &graph, &walk);
    check_flow(&arena, edges, &graph);
    check_region(&arena, edges, &graph);
    cy_arena_free(&arena);
}

static void test_random(void)
{
    struct edges edges = {0};
    for (unsigned i = 0; i < 1500; i++) {
        make_graph(&edges, i < 500 ? 6 : FEW);
        check(&edges);
    }
    for (unsigned i = 0; i < 12; i++) {
        make_graph(&edges, MOST - 1);
        check(&edges);
    }
    cy_vec_free(&edges.all);
}

/* ---- well-known graphs ---- */

/* "ab ac": edges from a to b and from a to c; the entry is a. */
static struct cy_graph parse(struct cy_arena *arena, const char *text)
{
    struct edges edges = {.nodes = 1};
    for (; *text; text += text[2] ? 3 : 2) {
        const uint32_t from = (uint32_t)(text[0] - 'a'), to = (uint32_t)(text[1] - 'a'), last = from > to ? from : to;
        edges.nodes = last < edges.nodes ? edges.nodes : last + 1;
        add(&edges, from, to);
    }
    const struct cy_graph graph = cy_graph_make(arena, edges.nodes, edges.all.at, edges.all.count);
    cy_vec_free(&edges.all);
    return graph;
}

static void check_names(const uint32_t *nodes, uint32_t count, const char *expected)
{
    char names[32] = "";
    for (uint32_t i = 0; i < count; i++)
        names[i] = nodes[i] == CY_NO_NODE ? '-' : (char)('a' + nodes[i]);
    CHECK_STR(names, expected);
}

static void check_known(const char *text, const char *rpo, const char *idom, const char *post)
{
    struct cy_arena arena = {0};
    const struct cy_graph graph = parse(&arena, text);
    const struct cy_walk walk = cy_graph_walk(&arena, &graph, 0);
    check_names(walk.rpo, walk.count, rpo);
    check_names(cy_graph_dominators(&arena, &graph, &walk).idom, graph.count, idom);
    check_names(cy_graph_post_dominators(&arena, &graph).idom, graph.count, post);
    cy_arena_free(&arena);
}

static void test_trees(void)
{
    check_known("", "a", "-", "-");
    check_known("aa", "a", "-", "-");
    check_known("ab ac bd cd", "acbd", "-aaa", "ddd-");
    check_known("ab ab bc bc", "abc", "-ab", "bc-");
    check_known("ab ac", "acb", "-aa", "---");             /* two exits */
    check_known("ab ac cc", "acb", "-aa", "b--");          /* one side never ends */
    check_known("ab bc cb", "abc", "-ab", "---");          /* no exit */
    check_known("ab ac bc cb bd", "abdc", "-aab", "bdb-"); /* a loop with two entries */
    check_known("ac bc bd", "ac", "--a-", "c---");         /* b and d are not reached; b leads to both exits */
    /* the example of Lengauer and Tarjan's article, with a for R and b to m for A to L */
    check_known("ab ac ad be cb ce cf dg dh em fi gj hj hk if il jl kj la lj mi", "adhkgcbemiljf", "-aaaaaddaahae",
                "-------------");
}

/* `expected`: a loop is its header, '!' if it has other entries, and in brackets its nodes in the order in which they
 * are listed and the loops inside it. */
static void check_known_loops(const char *text, const char *expected)
{
    struct cy_arena arena = {0};
    struct cy_buf found = {0};
    const struct cy_graph graph = parse(&arena, text);
    const struct cy_walk walk = cy_graph_walk(&arena, &graph, 0);
    const struct cy_loops loops = cy_graph_loops(&arena, &graph, &walk);
    uint32_t depth = 0;
    for (uint32_t i = 0; i < loops.count; i++) {
        const struct cy_loop *loop = &loops.at[i];
        for (; depth >= loop->depth; depth--)
            cy_buf_putc(&found, ')');
        cy_buf_printf(&found, "%c%s(", 'a' + (int)loop->header, loop->has_one_entry ? "" : "!");
        for (uint32_t k = 0; k < loop->node_count; k++)
            if (loops.of[loops.node[loop->first_node + k]] == i)
                cy_buf_putc(&found, (char)('a' + loops.node[loop->first_node + k]));
        depth = loop->depth;
    }
    for (; depth; depth--)
        cy_buf_putc(&found, ')');
    cy_buf_putc(&found, 0);
    CHECK_STR(found.data, expected);
    cy_buf_free(&found);
    cy_arena_free(&arena);
}

static void test_loops(void)
{
    check_known_loops("ab bc", "");
    check_known_loops("ab bb bc", "b(b)");
    check_known_loops("ab bc cb bd", "b(bc)");
    check_known_loops("ab bc cd dc db be", "b(bc(cd))");
    check_known_loops("ab bc cb bd de ed", "b(bc)d(de)");
    check_known_loops("ab bc bd cb db", "b(bdc)"); /* two back edges, one loop */
    check_known_loops("ab ac bc cb", "b!(bc)");    /* two entries */
    check_known_loops("ab bc bd cd dc ce eb", "b(bec!(cd))");
    check_known_loops("ab ba bc ca", "a(abc)"); /* the entry is a header */
    check_known_loops("bc cb ab", "b(bc)");
    check_known_loops("bc cb ad", ""); /* not reached */
}

/* ---- large graphs: what takes quadratic time, or recurses, does not come back from these ---- */

enum { LARGE = 200000 };

static void check_large(struct edges *edges, uint32_t loop_count, uint32_t deepest, uint32_t dominated)
{
    struct cy_arena arena = {0};
    const struct cy_graph graph = cy_graph_make(&arena, edges->nodes, edges->all.at, edges->all.count);
    const struct cy_walk walk = cy_graph_walk(&arena, &graph, 0);
    const struct cy_dominators tree = cy_graph_dominators(&arena, &graph, &walk);
    const struct cy_loops loops = cy_graph_loops(&arena, &graph, &walk);
    uint64_t *sets = cy_arena_alloc(&arena, 4 * (size_t)graph.count * sizeof(*sets));
    uint32_t depth = 0;
    struct cy_flow flow = {1, sets, sets + graph.count, sets + 2 * (size_t)graph.count, sets + 3 * (size_t)graph.count};
    sets[graph.count - 1] = 1;
    cy_graph_flow_back(&graph, &flow);
    CHECK_EQ(sets[0], 1);
    cy_graph_flow_forth(&graph, &flow);
    cy_graph_post_dominators(&arena, &graph);
    for (uint32_t i = 0; i < loops.count; i++)
        depth = loops.at[i].depth > depth ? loops.at[i].depth : depth;
    CHECK_EQ(walk.count, graph.count);
    CHECK_EQ(loops.count, loop_count);
    CHECK_EQ(depth, deepest);
    CHECK_EQ(tree.size[1], dominated);
    cy_arena_free(&arena);
    edges->all.count = 0;
}

static void test_large(void)
{
    struct edges edges = {.nodes = LARGE};
    for (uint32_t i = 0; i + 1 < LARGE; i++) /* a chain */
        add(&edges, i, i + 1);
    check_large(&edges, 0, 0, LARGE - 1);
    for (uint32_t i = 0; i + 1 < LARGE; i++) { /* loops, each around the next one */
        add(&edges, i, i + 1);
        add(&edges, LARGE - 1 - i / 2, i / 2);
    }
    check_large(&edges, LARGE / 2, LARGE / 2, LARGE - 1);
    for (uint32_t i = 0; i + 1 < LARGE; i++) { /* each node and the next one are a loop; they have headers in common */
        add(&edges, i, i + 1);
        add(&edges, i + 1, i);
    }
    check_large(&edges, LARGE - 1, LARGE - 1, LARGE - 1);
    for (uint32_t i = 1; i + 1 < LARGE; i++) { /* and the entry leads to all of them */
        add(&edges, 0, i);
        add(&edges, i, i + 1);
        add(&edges, i + 1, i);
    }
    check_large(&edges, LARGE - 2, LARGE - 2, 1);
    cy_vec_free(&edges.all);
}

int main(void)
{
    test_random();
    test_trees();
    test_loops();
    test_large();
    return test_finish();
}
