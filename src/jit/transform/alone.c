/* Of which branches lanes go one after the other.
 *
 * Where lanes part and the code up to the join gathers and scatters, one lane at a time is faster than all under a mask: nobody waits for
 * the lane with the longest loop, and addresses are in registers.  A gather also waits for memory that a lane has just stored, where a
 * plain load is forwarded: stacks of lanes in local or private memory are 2.5 times faster lane by lane (N-queens).  Without gathers
 * (AVX2, NEON) sparse rows are, too: sixteen lanes in lockstep took 175 instructions per iteration.
 *
 * Host instructions of a strip under a mask are compared with those of one lane: estimates that have to be right only where the two are
 * far apart. */
#include "base/graph.h"
#include "jit/analyse/address.h"
#include "jit/transform/edit.h"
#include "jit/transform/transform.h"

#include <string.h>

enum {
    ITERATIONS = 4, /* assumed of a loop */
    DEEPEST = 3,    /* loops that count */
    /* of a switch's cases a lane executes one, a strip as many as it has lanes; and LLVM takes long for so many masks */
    MANY_CHOICES = 20,
    PER_CHOICE = 20,
    MOST_INSNS = 400 /* else of a region */
};

struct costs {
    unsigned full, masked, alone; /* of all lanes, of a part of them, of one */
};

struct chooser {
    struct cy_sir_func *func;
    struct cy_arena arena;
    struct cy_graph graph;
    struct cy_loops loops;
    struct cy_sir_shapes shapes;
    uint8_t *parts; /* by loop: of it and those around it, how many lanes leave one by one */
    /* the region of the branch that is looked at */
    CY_VEC(uint32_t) blocks;
    uint32_t *inside, search; /* by block: the number of the last search that found it */
    unsigned insns, choices;
};

/* ---- loops and regions ---- */

static unsigned depth_of(const struct chooser *c, uint32_t b)
{
    return c->loops.of[b] == CY_NO_NODE ? 0 : c->loops.at[c->loops.of[b]].depth;
}

static unsigned parts_of(const struct chooser *c, uint32_t b)
{
    return c->loops.of[b] == CY_NO_NODE ? 0 : c->parts[c->loops.of[b]];
}

static bool is_vbranch(const struct chooser *c, uint32_t b)
{
    return c->func->blocks.at[b].terminator == CY_SIR_VBRANCH;
}

/* Does the branch leave the loop in which it is, or one around it? */
static bool leaves_loop(const struct chooser *c, uint32_t b)
{
    const struct cy_sir_block *block = &c->func->blocks.at[b];
    const uint32_t loop = c->loops.of[b];
    return is_vbranch(c, b) && loop != CY_NO_NODE &&
           (!cy_loop_has(&c->loops, loop, block->succ[0]) || !cy_loop_has(&c->loops, loop, block->succ[1]));
}

static void find_loops(struct chooser *c, const struct cy_walk *walk)
{
    c->loops = cy_graph_loops(&c->arena, &c->graph, walk);
    c->parts = memset(cy_arena_alloc(&c->arena, c->loops.count + 1), 0, c->loops.count + 1);
    for (uint32_t b = 0; b < c->func->blocks.count; b++)
        if (leaves_loop(c, b))
            c->parts[c->loops.of[b]] = 1;
    for (uint32_t i = 0; i < c->loops.count; i++) /* outer ones come first */
        if (c->loops.at[i].parent != CY_NO_NODE)
            c->parts[i] = (uint8_t)(c->parts[i] + c->parts[c->loops.at[i].parent]);
}

static void enter(struct chooser *c, uint32_t branch, uint32_t b)
{
    if (b == c->func->blocks.at[branch].join || c->inside[b] == c->search)
        return;
    c->inside[b] = c->search;
    c->insns += (unsigned)c->func->blocks.at[b].list.count;
    c->choices += is_vbranch(c, b);
    *cy_vec_push(&c->blocks) = b;
}

/* False: it is too long. */
static bool find_region(struct chooser *c, uint32_t branch)
{
    const struct cy_sir_block *split = &c->func->blocks.at[branch];
    c->blocks.count = c->insns = c->choices = 0;
    c->search++;
    enter(c, branch, split->succ[0]);
    enter(c, branch, split->succ[1]);
    for (size_t i = 0; i < c->blocks.count; i++) {
        const struct cy_sir_block *block = &c->func->blocks.at[c->blocks.at[i]];
        for (uint32_t k = 0; k < cy_sir_succ_count(block); k++)
            enter(c, branch, cy_sir_succ(block, k));
        if (c->insns >= MOST_INSNS &&
            (c->insns >= MOST_INSNS * MANY_CHOICES || c->insns >= PER_CHOICE * c->choices + 400))
            return false;
    }
    return true;
}

/* ---- costs ---- */

/* Processors with registers of 512 bits gather words at once. */
static bool gathers(const struct chooser *c)
{
    return c->func->host >= CY_JIT_FORMS_512;
}

static unsigned registers(const struct chooser *c)
{
    const unsigned host = c->func->host == CY_JIT_FORMS_128 ? 4 : 8;
    return (c->func->strip.width + host - 1) / host;
}

struct cost {
    unsigned one, all, full;
};

static struct cost cost_of_access(struct chooser *c, const struct cy_sir_insn *insn, unsigned depth)
{
    const unsigned w = c->func->strip.width;
    const struct cy_sir_access *access = &c->func->accesses.at[insn->access];
    const struct cy_sir_address address = cy_sir_address_of(&c->shapes, insn, access->align);
    const bool is_spread = address.kind == CY_SIR_SHAPE_EVEN && address.stride != access->bytes;
    const bool is_gather = address.kind == CY_SIR_SHAPE_LANES, at_once = gathers(c) && access->bytes == 4;
    const unsigned gather = at_once ? 12 + 5 * w / 4 : 12 + 6 * w; /* lanes wait for the slowest one */
    struct cost cost = {.one = depth ? 3 : 4};                     /* of some in loops, addresses are checked before */
    cost.full = cost.all = is_gather ? gather : is_spread ? 8 + 3 * w / 2 : 6 + registers(c);
    if (!at_once && insn->op == CY_SIR_STORE)
        cost.all = 20 + 3 * w;
    else if (!at_once && is_gather)
        cost.all = 12 + 5 * w / 2;
    return cost;
}

static struct cost cost_of(struct chooser *c, const struct cy_sir_insn *insn, cy_sir_value value, unsigned depth)
{
    const unsigned w = c->func->strip.width, all = registers(c);
    switch (insn->op) {
    case CY_SIR_CONST:
    case CY_SIR_UNDEF:
    case CY_SIR_SOURCE:
    case CY_SIR_PHI:
    case CY_SIR_COPY:
    case CY_SIR_POLL: return (struct cost){0};
    case CY_SIR_ATOMIC:
    case CY_SIR_CAS: return (struct cost){12, 20 + 10 * w, 20 + 10 * w};
    case CY_SIR_ROW:
    case CY_SIR_FEXP: return (struct cost){10, 10 * w, 10 * w};
    case CY_SIR_LOAD:
    case CY_SIR_STORE: return cost_of_access(c, insn, depth);
    default: break;
    }
    return cy_sir_is_one(&c->shapes.value[value]) ? (struct cost){1, 1, 1} : (struct cost){1, all, all};
}

static void add(struct costs *costs, struct cost cost, unsigned depth, unsigned parts)
{
    unsigned weight = 1;
    for (unsigned k = 0; k < depth && k < DEEPEST; k++)
        weight *= ITERATIONS;
    costs->alone += weight * cost.one;
    if (parts > 2) /* inside of three loops that lanes leave one by one, few are left */
        weight += weight / 2;
    costs->full += weight * cost.full;
    costs->masked += weight * cost.all;
}

/* ---- memory that lanes have just stored ---- */

static bool have_same_address(const struct chooser *c, const struct cy_sir_insn *load, const struct cy_sir_insn *store)
{
    const uint8_t from = c->func->accesses.at[load->access].space, to = c->func->accesses.at[store->access].space;
    if (from == CY_SIR_PRIVATE || to == CY_SIR_PRIVATE) /* lanes have nothing but their own arrays there */
        return from == to;
    return load->args[0] == store->args[0] && load->args[1] == store->args[1];
}

static bool is_stored_in(const struct chooser *c, uint32_t b, const struct cy_sir_insn *load)
{
    const struct cy_sir_block *block = &c->func->blocks.at[b];
    for (size_t i = 0; i < block->list.count; i++) {
        const struct cy_sir_insn *store = cy_sir_at(c->func, block->list.at[i]);
        if (store->op == CY_SIR_STORE && have_same_address(c, load, store))
            return true;
    }
    return false;
}

/* Does it gather, in a loop, what lanes scatter there? */
static bool waits_for_scatter(struct chooser *c, const struct cy_sir_insn *load, uint32_t b)
{
    const struct cy_sir_access *access = load->op == CY_SIR_LOAD ? &c->func->accesses.at[load->access] : NULL;
    if (!access || (!gathers(c) && access->space != CY_SIR_PRIVATE) ||
        cy_sir_address_of(&c->shapes, load, access->align).kind != CY_SIR_SHAPE_LANES)
        return false;
    for (size_t i = 0; i < c->blocks.count; i++)
        if (depth_of(c, c->blocks.at[i]) == depth_of(c, b) && is_stored_in(c, c->blocks.at[i], load))
            return true;
    return false;
}

/* ---- the choice ---- */

struct region { /* what was found in it */
    struct costs costs;
    bool loops, contends, stores, is_ordered;
};

/* One access of the warp, at its first lane's address: lanes of their own would make others. */
static bool is_of_first(struct chooser *c, const struct cy_sir_insn *insn)
{
    const struct cy_sir_access *access =
        insn->op == CY_SIR_LOAD || insn->op == CY_SIR_STORE ? &c->func->accesses.at[insn->access] : NULL;
    return access && access->is_scalar && cy_sir_address_of(&c->shapes, insn, access->align).kind != CY_SIR_SHAPE_ONE;
}

static void look_at_block(struct chooser *c, uint32_t b, unsigned outer, unsigned parted, struct region *region)
{
    const unsigned depth = depth_of(c, b) > outer ? depth_of(c, b) - outer : 0;
    const unsigned parts = parts_of(c, b) > parted ? parts_of(c, b) - parted : 0, w = c->func->strip.width;
    const struct cy_sir_block *block = &c->func->blocks.at[b];
    for (size_t i = 0; i < block->list.count; i++) {
        const struct cy_sir_insn *insn = cy_sir_at(c->func, block->list.at[i]);
        add(&region->costs, cost_of(c, insn, block->list.at[i], depth), depth, parts);
        region->contends |= insn->op == CY_SIR_CAS && depth;
        region->is_ordered |= is_of_first(c, insn);
        region->stores |= (cy_sir_ops[insn->op].flags & CY_SIR_WRITES) != 0;
        if (depth && waits_for_scatter(c, insn, b)) {
            const unsigned wait = (c->func->accesses.at[insn->access].space == CY_SIR_PRIVATE ? 12 : 4) * ITERATIONS;
            region->costs.masked += wait * w;
            region->costs.full += wait * w;
        }
    }
    if (is_vbranch(c, b))
        add(&region->costs, (struct cost){2, 12 + 4 * registers(c), 12 + 4 * registers(c)}, depth, parts);
    region->loops |= leaves_loop(c, b) && depth;
}

/* Half of the lanes are assumed to be active.  Lanes in a loop soon part, because they leave it one by one. */
static enum cy_sir_alone choose(struct chooser *c, uint32_t branch)
{
    const uint32_t join = c->func->blocks.at[branch].join;
    const unsigned w = c->func->strip.width;
    /* a loop around all of it makes neither way cheaper; other hosts' estimates were made with it */
    const unsigned outer = gathers(c) ? depth_of(c, join) : 0, parted = parts_of(c, join);
    struct region region = {.costs.alone = 10};
    if (!find_region(c, branch) || !c->insns)
        return CY_SIR_TOGETHER;
    for (size_t i = 0; i < c->blocks.count; i++)
        look_at_block(c, c->blocks.at[i], outer, parted, &region);
    region.contends &= region.loops; /* of lanes with the same word, one succeeds in each iteration */
    if (region.is_ordered || (c->func->exchanges && region.stores) || cy_sir_check_alone(c->func, branch))
        return CY_SIR_TOGETHER;
    if (c->choices >= MANY_CHOICES && c->insns < PER_CHOICE * c->choices)
        return CY_SIR_ALONE_FIRST;
    if (c->insns >= MOST_INSNS || (!region.contends && region.costs.alone * (w / 2) >= region.costs.masked))
        return CY_SIR_TOGETHER;
    return region.contends || (region.loops && region.costs.alone * w < region.costs.full) ? CY_SIR_ALONE_FIRST
                                                                                           : CY_SIR_ALONE;
}

/* Are some of these blocks in deeper loops, and all that are also in the other branch's region? */
static bool has_loops_of(struct chooser *c, uint32_t other, const uint32_t *blocks, size_t count, unsigned depth)
{
    bool has_all = find_region(c, other), has_any = false;
    for (size_t i = 0; i < count && has_all; i++) {
        has_any |= depth_of(c, blocks[i]) > depth;
        has_all = depth_of(c, blocks[i]) <= depth || c->inside[blocks[i]] == c->search;
    }
    return has_all && has_any;
}

/* Of a branch's region, does another branch from which lanes go alone have all loops?  What comes before it, often a condition that few
 * lanes meet, is then better done by all of them at once. */
static bool begins_later(struct chooser *c, uint32_t branch)
{
    const unsigned depth = depth_of(c, branch);
    bool later = false;
    if (!find_region(c, branch))
        return false;
    const size_t count = c->blocks.count;
    uint32_t *blocks = memcpy(cy_xrealloc(NULL, count * sizeof(*blocks)), c->blocks.at, count * sizeof(*blocks));
    for (size_t i = 0; i < count && !later; i++) {
        const bool is_first = c->func->blocks.at[blocks[i]].alone == CY_SIR_ALONE_FIRST;
        later = blocks[i] != branch && is_first && depth_of(c, blocks[i]) == depth &&
                has_loops_of(c, blocks[i], blocks, count, depth);
    }
    cy_free(blocks);
    return later;
}

/* Behind a branch from which lanes always go alone no others part. */
static void forget_inner(struct chooser *c, const struct cy_dominators *above, uint32_t branch)
{
    if (c->func->blocks.at[branch].alone != CY_SIR_ALONE_FIRST || !find_region(c, branch))
        return;
    for (size_t i = 0; i < c->blocks.count; i++)
        if (c->blocks.at[i] != branch && cy_dominates(above, branch, c->blocks.at[i]))
            c->func->blocks.at[c->blocks.at[i]].alone = CY_SIR_TOGETHER;
}

/* ---- strips of one lane ---- */

/* Of a loop through which lanes go together: where they part, and accesses to arrays of their own. */
static void count_own_ways(struct chooser *c, uint32_t loop, unsigned *ways, unsigned *own)
{
    const struct cy_loop *of = &c->loops.at[loop];
    for (uint32_t i = 0; i < of->node_count; i++) {
        const uint32_t b = c->loops.node[of->first_node + i];
        const struct cy_sir_block *block = &c->func->blocks.at[b];
        *ways += is_vbranch(c, b);
        for (size_t k = 0; k < block->list.count; k++) {
            const struct cy_sir_insn *insn = cy_sir_at(c->func, block->list.at[k]);
            const bool is_access = insn->op == CY_SIR_LOAD || insn->op == CY_SIR_STORE;
            const struct cy_sir_access *access = is_access ? &c->func->accesses.at[insn->access] : NULL;
            *own += access && access->space == CY_SIR_PRIVATE &&
                    cy_sir_address_of(&c->shapes, insn, access->align).kind == CY_SIR_SHAPE_LANES;
        }
    }
}

static bool has_barrier(const struct cy_sir_func *func)
{
    for (size_t b = 0; b < func->blocks.count; b++)
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++)
            if (cy_sir_at(func, func->blocks.at[b].list.at[i])->op == CY_SIR_BARRIER)
                return true;
    return false;
}

/* Is there a loop that lanes turn through together, but in which each goes its own way at many branches, and has an array of its own, as
 * an interpreter of byte code has a stack?  In each iteration a strip goes all these ways.  Strips of one lane are faster then. */
static bool is_better_by_item(struct chooser *c)
{
    enum { MANY_WAYS = 12, MANY_OWN = 6 };
    if (c->func->exchanges || has_barrier(c->func))
        return false;
    for (uint32_t i = 0; i < c->loops.count; i++) {
        const uint32_t header = c->loops.at[i].header;
        bool is_together = false;
        for (uint32_t k = c->graph.pred_start[header]; k < c->graph.pred_start[header + 1]; k++)
            is_together |= cy_loop_has(&c->loops, i, c->graph.pred[k]) && !is_vbranch(c, c->graph.pred[k]);
        unsigned ways = 0, own = 0;
        if (is_together)
            count_own_ways(c, i, &ways, &own);
        if (ways >= MANY_WAYS && own >= MANY_OWN)
            return true;
    }
    return false;
}

static void choose_all(struct chooser *c, const struct cy_walk *walk)
{
    const struct cy_dominators above = cy_graph_dominators(&c->arena, &c->graph, walk);
    for (uint32_t i = 0; i < walk->count; i++) {
        struct cy_sir_block *block = &c->func->blocks.at[walk->rpo[i]];
        if (block->terminator == CY_SIR_VBRANCH && !block->alone)
            block->alone = (uint8_t)choose(c, walk->rpo[i]);
    }
    for (uint32_t i = 0; i < walk->count; i++) /* outer ones come first */
        if (c->func->blocks.at[walk->rpo[i]].alone == CY_SIR_ALONE_FIRST && begins_later(c, walk->rpo[i]))
            c->func->blocks.at[walk->rpo[i]].alone = CY_SIR_ALONE;
    for (uint32_t i = 0; i < walk->count; i++)
        forget_inner(c, &above, walk->rpo[i]);
}

void cy_sir_pass_alone(struct cy_sir_func *func)
{
    struct chooser c = {.func = func};
    const size_t blocks = func->blocks.count;
    if (func->strip.lanes < 2 || func->counts)
        return;
    c.graph = cy_sir_graph(&c.arena, func);
    c.shapes = cy_sir_find_shapes(&c.arena, func);
    c.inside = memset(cy_arena_alloc(&c.arena, (blocks + 1) * sizeof(*c.inside)), 0, (blocks + 1) * sizeof(*c.inside));
    const struct cy_walk walk = cy_graph_walk(&c.arena, &c.graph, 0);
    find_loops(&c, &walk);
    if (is_better_by_item(&c)) {
        func->strip.lanes = 1;
        func->strip.width = 2; /* of the narrowest vectors */
    } else {
        choose_all(&c, &walk);
    }
    cy_vec_free(&c.blocks);
    cy_sir_free_shapes(&c.shapes);
    cy_arena_free(&c.arena);
}
