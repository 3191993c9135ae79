/* Control-flow graphs: orders, dominators, loops and liveness, for whoever has blocks and edges.
 *
 * A caller numbers its blocks, lists its edges, and asks for what it needs:
 *
 *     CY_VEC(struct cy_edge) edges = {0};
 *     ... *cy_vec_push(&edges) = (struct cy_edge){from, to}; ...
 *     const struct cy_graph graph = cy_graph_make(&arena, blocks, edges.at, edges.count);
 *     const struct cy_walk walk = cy_graph_walk(&arena, &graph, entry);
 *     const struct cy_dominators above = cy_graph_dominators(&arena, &graph, &walk);
 *     const struct cy_loops loops = cy_graph_loops(&arena, &graph, &walk);
 *
 * All graphs are accepted: several exits or none, nodes that are not reached, endless loops, loops with several
 * entries, edges that occur twice, edges from a node to itself.  Time is nearly linear in nodes and edges; nothing
 * recurses.  Results depend only on the numbers of the nodes and the order of the edges.  They live as long as the
 * arena. */
#ifndef CY_BASE_GRAPH_H
#define CY_BASE_GRAPH_H

#include "base/mem.h"

#define CY_NO_NODE UINT32_MAX

struct cy_edge {
    uint32_t from, to;
};

/* The successors of node n are succ[succ_start[n]] ... succ[succ_start[n + 1] - 1], in the order in which the edges were
 * given; its predecessors likewise. */
struct cy_graph {
    uint32_t count;
    uint32_t *succ_start, *succ;
    uint32_t *pred_start, *pred;
};
struct cy_graph cy_graph_make(struct cy_arena *arena, uint32_t count, const struct cy_edge *edges, size_t edge_count);

/* A depth-first search from an entry, which takes a node's successors in order. */
struct cy_walk {
    uint32_t count;     /* nodes that it reaches */
    uint32_t *rpo;      /* these in reverse post-order, the entry first */
    uint32_t *place;    /* by node: its index in rpo; CY_NO_NODE: not reached */
    uint32_t *preorder; /* the same nodes in the order in which they are reached */
    uint32_t *number;   /* by node: its index in preorder; CY_NO_NODE: not reached */
    uint32_t *parent;   /* by node: from which it is reached; CY_NO_NODE: the entry, or not reached */
};
struct cy_walk cy_graph_walk(struct cy_arena *arena, const struct cy_graph *graph, uint32_t entry);

/* A dominates B if every path from the entry to B passes A: every node dominates itself.  Nodes that are not reached
 * dominate nothing but themselves, and nothing else dominates them. */
struct cy_dominators {
    uint32_t *idom;         /* by node: its closest dominator but itself; CY_NO_NODE: the entry, or not reached */
    uint32_t *first, *size; /* by node: those that it dominates have the numbers first ... first + size - 1, its own is
                             * first; size 0: not reached */
};
struct cy_dominators cy_graph_dominators(struct cy_arena *arena, const struct cy_graph *graph,
                                         const struct cy_walk *walk);
/* A post-dominates B if every path from B to an exit (a node without successors) passes A.  Paths that never end do not
 * count, and a node from which no exit can be reached is treated as one that is not reached.  CY_NO_NODE as `idom`
 * therefore means: an exit, a node from which different exits are reached, or none. */
struct cy_dominators cy_graph_post_dominators(struct cy_arena *arena, const struct cy_graph *graph);
bool cy_dominates(const struct cy_dominators *tree, uint32_t above, uint32_t below);

/* The loops of the nodes that a walk reaches.  An outermost loop is a largest set of nodes each of which can be reached
 * from each, along at least one edge; its header is the first of them in rpo.  Without the edges to its header, such
 * sets within it are the loops inside it, and so on.  Where all loops have one entry these are the natural loops.
 * Edges from a node of a loop to the loop's header are its back edges. */
struct cy_loop {
    uint32_t header;
    uint32_t parent; /* the innermost loop around it; CY_NO_NODE: none */
    uint32_t depth;  /* 1: outermost */
    uint32_t size;   /* loops with the numbers from its own on that it consists of: itself, and those inside it */
    uint32_t first_node, node_count; /* its nodes in cy_loops.node: those of inner loops, too */
    bool has_one_entry;              /* its header dominates its nodes */
};
struct cy_loops {
    uint32_t count;
    struct cy_loop *at; /* outer before inner, in rpo of headers where neither is inside the other */
    uint32_t *of;       /* by node: the innermost loop that it is in; CY_NO_NODE: none */
    uint32_t *node;
};
struct cy_loops cy_graph_loops(struct cy_arena *arena, const struct cy_graph *graph, const struct cy_walk *walk);
bool cy_loop_has(const struct cy_loops *loops, uint32_t loop, uint32_t node);

/* Sets of bits that flow against the edges, `words` words for each node: liveness, if `in` is what a node reads before
 * it writes it, `out` is empty, and `kill` is what it writes.  Adds to `in` and `out` until
 *
 *     out(n) contains in(s) for all successors s of n,
 *     in(n) contains out(n) without kill(n).
 *
 * All nodes take part, reached or not. */
struct cy_flow {
    size_t words;
    uint64_t *in, *out;
    const uint64_t *kill;
};
void cy_graph_flow_back(const struct cy_graph *graph, const struct cy_flow *flow);

#endif
