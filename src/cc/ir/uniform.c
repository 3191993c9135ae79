/* Uniformity analysis: which values can differ between the lanes of a warp, which branches can diverge, and where the
 * lanes reconverge.
 *
 * A value is divergent when it depends on the lane number, on private memory, on a function's parameters or results, or
 * on another divergent value.  Through control flow, a phi is divergent where paths from a divergent branch meet (found
 * by propagating a label from each side), or at the exit of a loop that lanes leave in different iterations.  The IR is
 * in loop-closed SSA: values used after their loop go through such phis.  temporal.c adds values that are uniform but
 * cannot be kept in a scalar register. */
#include "cc/ir/ir.h"

#define NONE UINT32_MAX

struct ir_users {
    ir_value *at;
    size_t count, capacity;
};

struct loop_exit {
    uint32_t to, next; /* next: another exit of the same loop */
};

struct uniformity {
    struct ir_func *func;
    CY_VEC(ir_value) values;   /* newly divergent */
    CY_VEC(uint32_t) branches; /* newly divergent */
    struct ir_users *users;    /* by value */
    uint32_t *branch_of;       /* by value: the last block that branches on it */
    uint32_t *next_branch;     /* by block: another one that branches on the same value */
    uint32_t *label;           /* by block, during the analysis of one branch; otherwise NONE */
    uint8_t *seen;             /* by block: 1 + its side of the branch being analysed */
    CY_VEC(uint32_t) region[2];
    uint32_t *exit_of; /* by header: the last exit of its loop */
    CY_VEC(struct loop_exit) exits;
};

static void mark(struct uniformity *u, ir_value value)
{
    struct ir_insn *insn = ir_at(u->func, value);
    if (insn->is_divergent)
        return;
    insn->is_divergent = 1;
    *cy_vec_push(&u->values) = value;
}

static void mark_phis(struct uniformity *u, uint32_t block)
{
    const struct ir_block *b = &u->func->blocks.at[block];
    for (size_t i = 0; i < b->list.count; i++)
        if (ir_at(u->func, b->list.at[i])->op == IR_PHI)
            mark(u, b->list.at[i]);
}

static void mark_branch(struct uniformity *u, uint32_t block)
{
    struct ir_block *b = &u->func->blocks.at[block];
    if (b->is_divergent_branch || b->terminator != IR_BRANCH || b->succ[0] == b->succ[1])
        return;
    b->is_divergent_branch = true;
    *cy_vec_push(&u->branches) = block;
}

/* Are all predecessors in `side` (marked in u->seen) or the branch itself? */
static bool is_closed(const struct uniformity *u, uint32_t branch, int side)
{
    for (size_t i = 0; i < u->region[side].count; i++) {
        const struct ir_block *block = &u->func->blocks.at[u->region[side].at[i]];
        for (size_t p = 0; p < block->preds.count; p++)
            if (block->preds.at[p] != branch && u->seen[block->preds.at[p]] != side + 1 &&
                u->func->blocks.at[block->preds.at[p]].order != NONE)
                return false;
    }
    return true;
}

/* Adds a block to a side; false: it is on the other side. */
static bool visit(struct uniformity *u, uint32_t block, int side)
{
    if (!u->seen[block]) {
        u->seen[block] = (uint8_t)(side + 1);
        *cy_vec_push(&u->region[side]) = block;
    }
    return u->seen[block] == side + 1;
}

/* Do the two sides of a branch meet only at its post-dominator?  They are explored alternately until one is complete,
 * so the cost is that of the smaller side. */
static bool is_plain(struct uniformity *u, uint32_t branch)
{
    const struct ir_func *func = u->func;
    uint32_t stop = func->blocks.at[branch].ipdom;
    bool apart = true, known = false;
    u->region[0].count = u->region[1].count = 0;
    for (int side = 0; side < 2; side++)
        if (func->blocks.at[branch].succ[side] != stop)
            apart = visit(u, func->blocks.at[branch].succ[side], side) && apart;
    for (size_t i = 0; apart && !known; i++)
        for (int side = 0; side < 2 && apart && !known; side++) {
            known = i == u->region[side].count;
            if (known) {
                apart = is_closed(u, branch, side);
                break;
            }
            const struct ir_block *here = &func->blocks.at[u->region[side].at[i]];
            for (uint32_t s = 0; s < here->succ_count && apart; s++)
                if (here->succ[s] != stop)
                    apart = here->succ[s] != branch && visit(u, here->succ[s], side);
        }
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < u->region[side].count; i++)
            u->seen[u->region[side].at[i]] = 0;
    return apart;
}

static void spread_label(struct uniformity *u, uint32_t block, uint32_t label, uint32_t *first, uint32_t *last)
{
    uint32_t order = u->func->blocks.at[block].order;
    u->label[block] = label;
    *first = order < *first ? order : *first;
    *last = order > *last ? order : *last;
}

/* Labels spread from the two sides until all paths meet at the post-dominator; a block reached by two labels is a join
 * and spreads a label of its own. */
static void join_blocks(struct uniformity *u, uint32_t branch)
{
    struct ir_func *func = u->func;
    const struct ir_block *from = &func->blocks.at[branch];
    uint32_t stop = from->ipdom;
    if (stop != NONE)
        mark_phis(u, stop);
    if (is_plain(u, branch))
        return;
    uint32_t first = func->blocks.at[from->succ[0]].order, last = first; /* labelled blocks lie between these in rpo */
    spread_label(u, from->succ[0], from->succ[0], &first, &last);
    spread_label(u, from->succ[1], from->succ[1], &first, &last);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = first; i <= last; i++) {
            uint32_t here = func->rpo.at[i];
            if (u->label[here] == NONE || here == stop)
                continue;
            for (uint32_t s = 0; s < func->blocks.at[here].succ_count; s++) {
                uint32_t to = func->blocks.at[here].succ[s], old = u->label[to];
                if (here == branch)
                    continue; /* a back edge: the branch starts over */
                uint32_t label = old == NONE ? u->label[here] : old == u->label[here] || old == to ? old : to;
                changed |= label != old;
                spread_label(u, to, label, &first, &last);
                if (label == to && old != NONE && old != u->label[here])
                    mark_phis(u, to);
            }
        }
    }
    /* one side is itself the join (if without else) */
    for (int side = 0; side < 2; side++) {
        uint32_t to = from->succ[side];
        const struct ir_block *b = &func->blocks.at[to];
        for (size_t p = 0; p < b->preds.count; p++)
            if (b->preds.at[p] != branch && func->blocks.at[b->preds.at[p]].order != NONE &&
                u->label[b->preds.at[p]] != NONE && u->label[b->preds.at[p]] != to)
                mark_phis(u, to);
    }
    for (uint32_t i = first; i <= last; i++)
        u->label[func->rpo.at[i]] = NONE;
}

static void find_exits(struct uniformity *u)
{
    const struct ir_func *func = u->func;
    for (size_t i = 0; i < func->blocks.count; i++)
        u->exit_of[i] = NONE;
    for (size_t i = 0; i < func->rpo.count; i++) {
        const struct ir_block *block = &func->blocks.at[func->rpo.at[i]];
        for (uint32_t s = 0; s < block->succ_count; s++)
            for (uint32_t header = block->loop_header; header != NONE && !ir_in_loop(func, block->succ[s], header);
                 header = func->blocks.at[header].loop_parent) {
                struct loop_exit *leaving = cy_vec_push(&u->exits);
                leaving->to = block->succ[s];
                leaving->next = u->exit_of[header];
                u->exit_of[header] = (uint32_t)u->exits.count - 1;
            }
    }
}

/* Lanes leave these loops in different iterations. */
static void loop_exits(struct uniformity *u, uint32_t branch)
{
    struct ir_func *func = u->func;
    uint32_t meet = func->blocks.at[branch].ipdom, header = func->blocks.at[branch].loop_header;
    for (; header != NONE && (meet == NONE || !ir_in_loop(func, meet, header));
         header = func->blocks.at[header].loop_parent)
        for (uint32_t e = u->exit_of[header]; e != NONE; e = u->exits.at[e].next)
            mark_phis(u, u->exits.at[e].to);
}

static bool is_source(const struct ir_insn *insn)
{
    return insn->op == IR_LANE || insn->op == IR_PARAM || insn->op == IR_RESULT ||
           (insn->op == IR_ASMOUT && insn->extra) || ir_is_atomic(insn->op) || ir_is_wide(insn->op) ||
           (insn->op == IR_LOAD && insn->is_private);
}

static void spread(struct uniformity *u)
{
    while (u->values.count || u->branches.count) {
        if (u->values.count) {
            ir_value value = u->values.at[--u->values.count];
            for (size_t i = 0; i < u->users[value].count; i++)
                mark(u, u->users[value].at[i]);
            for (uint32_t b = u->branch_of[value]; b != NONE; b = u->next_branch[b])
                mark_branch(u, b);
        } else {
            uint32_t branch = u->branches.at[--u->branches.count];
            join_blocks(u, branch);
            loop_exits(u, branch);
        }
    }
}

void ir_analyse_uniformity(struct ir_func *func)
{
    struct uniformity u = {.func = func};
    size_t count = func->insns.count;
    u.users = cy_xrealloc(NULL, (count + 1) * sizeof(*u.users));
    u.label = cy_xrealloc(NULL, (func->blocks.count + 1) * sizeof(*u.label));
    u.seen = cy_xrealloc(NULL, func->blocks.count + 1);
    u.exit_of = cy_xrealloc(NULL, (func->blocks.count + 1) * sizeof(*u.exit_of));
    for (size_t i = 0; i < func->blocks.count; i++)
        u.label[i] = NONE, u.seen[i] = 0;
    find_exits(&u);
    u.branch_of = cy_xrealloc(NULL, (count + 1) * sizeof(*u.branch_of));
    u.next_branch = cy_xrealloc(NULL, (func->blocks.count + 1) * sizeof(*u.next_branch));
    for (size_t i = 0; i <= count; i++) {
        u.users[i].at = NULL;
        u.users[i].count = u.users[i].capacity = 0;
        u.branch_of[i] = NONE;
    }
    for (size_t b = 0; b < func->rpo.count; b++) {
        const struct ir_block *block = &func->blocks.at[func->rpo.at[b]];
        if (block->terminator == IR_BRANCH) {
            u.next_branch[func->rpo.at[b]] = u.branch_of[block->condition];
            u.branch_of[block->condition] = func->rpo.at[b];
        }
    }
    for (size_t b = 0; b < func->blocks.count; b++) {
        struct ir_block *block = &func->blocks.at[b];
        block->is_divergent_branch = block->needs_join = false;
        for (size_t i = 0; i < block->list.count; i++) {
            ir_value value = block->list.at[i];
            struct ir_insn *insn = ir_at(func, value);
            unsigned args = insn->op == IR_PHI ? (unsigned)block->preds.count : ir_ops[insn->op].arguments;
            for (unsigned a = 0; a < args; a++)
                *cy_vec_push(&u.users[insn->op == IR_PHI ? func->phi_args.at[insn->args[0] + a] : insn->args[a]]) =
                    value;
            insn->is_divergent = 0;
        }
    }
    for (ir_value v = 1; v < count; v++)
        if (ir_at(func, v)->block != NONE && is_source(ir_at(func, v)))
            mark(&u, v);
    ir_value *temporal = cy_xrealloc(NULL, (count + 1) * sizeof(*temporal));
    size_t found;
    do {
        spread(&u);
        found = ir_find_temporal(func, temporal);
        for (size_t i = 0; i < found; i++)
            mark(&u, temporal[i]);
    } while (found);
    cy_free(temporal);
    for (size_t b = 0; b < func->rpo.count; b++) {
        const struct ir_block *block = &func->blocks.at[func->rpo.at[b]];
        if (block->is_divergent_branch && block->ipdom != NONE)
            func->blocks.at[block->ipdom].needs_join = true;
    }
    for (size_t i = 0; i <= count; i++)
        cy_vec_free(&u.users[i]);
    cy_free(u.users);
    cy_free(u.label);
    cy_free(u.seen);
    cy_free(u.exit_of);
    cy_vec_free(&u.region[0]);
    cy_vec_free(&u.region[1]);
    cy_vec_free(&u.exits);
    cy_free(u.branch_of);
    cy_free(u.next_branch);
    cy_vec_free(&u.values);
    cy_vec_free(&u.branches);
}

/* Checks only the rules that are visible from one instruction or block. */
const char *ir_validate_uniformity(const struct ir_func *func, struct cy_arena *arena)
{
    for (size_t i = 0; i < func->rpo.count; i++) {
        uint32_t b = func->rpo.at[i];
        const struct ir_block *block = &func->blocks.at[b];
        bool may_split = block->terminator == IR_BRANCH && block->succ[0] != block->succ[1];
        for (size_t k = 0; k < block->list.count; k++) {
            const struct ir_insn *insn = ir_at(func, block->list.at[k]);
            bool is_divergent = is_source(insn);
            for (unsigned a = 0; insn->op != IR_PHI && a < ir_ops[insn->op].arguments; a++)
                is_divergent |= ir_at(func, insn->args[a])->is_divergent;
            for (size_t p = 0; insn->op == IR_PHI && p < block->preds.count; p++)
                is_divergent |= func->blocks.at[block->preds.at[p]].order != NONE &&
                                ir_at(func, func->phi_args.at[insn->args[0] + p])->is_divergent;
            if (is_divergent && !insn->is_divergent && !(ir_ops[insn->op].flags & IR_EFFECT))
                return cy_arena_printf(arena, "value %u in block %u is uniform, but an operand is divergent",
                                       block->list.at[k], b);
        }
        if (may_split && block->is_divergent_branch != ir_at(func, block->condition)->is_divergent)
            return cy_arena_printf(arena, "the branch of block %u does not match its condition", b);
        if (block->is_divergent_branch && block->ipdom != NONE && !func->blocks.at[block->ipdom].needs_join)
            return cy_arena_printf(arena, "lanes that diverge in block %u do not reconverge in block %u", b,
                                   block->ipdom);
    }
    return NULL;
}
