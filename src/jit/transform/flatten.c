/* Short divergent branches that only compute: their code is executed for all lanes, and selections take the place of phis.  There are
 * no masks and no jumps then, and nothing is asked about the lanes.
 *
 *     vbranch %c, b1, b2, join b3          %5 = add %3, %4
 *     b1: %5 = add %3, %4; jump b3         %6 = sub %3, %4
 *     b2: %6 = sub %3, %4; jump b3         %7 = select %c, %5, %6
 *     b3: %7 = phi %5, %6
 *
 * Inner branches come before outer ones, so that chains of ?: become one block.  Of two branches one behind the other that share a
 * side, as && and || make them, it becomes one on both conditions. */
#include "jit/transform/branches.h"
#include "jit/transform/edit.h"
#include "jit/transform/transform.h"

enum { PER_BRANCH = 8 }; /* operations that are computed in vain instead of a branch, at most, on average */

struct flatten {
    struct cy_sir_func *func;
    struct cy_sir_edit edit;
    uint32_t *branches; /* by block: those that have become part of it */
    uint32_t *joins;    /* by block: branches whose lanes meet there */
};

static struct cy_sir_block *block_at(const struct flatten *f, uint32_t block)
{
    return &f->func->blocks.at[block];
}

/* ---- what is cheap ---- */

/* Integers: floats may be denormals in lanes that would not be active, which take long, and divisions take long anyway. */
static bool is_cheap(const struct cy_sir_insn *insn)
{
    const bool is_division = insn->op >= CY_SIR_DIVU && insn->op <= CY_SIR_REMS;
    const bool is_float = insn->op >= CY_SIR_FADD && insn->op <= CY_SIR_FNARROW;
    return cy_sir_ops[insn->op].flags & CY_SIR_PURE && !is_division && !is_float && insn->op != CY_SIR_ROW;
}

static bool is_plain(const struct flatten *f, uint32_t block)
{
    const struct cy_sir_block *at = block_at(f, block);
    if (at->list.count > PER_BRANCH * (f->branches[block] + 1) || at->preds.count != 1 || f->joins[block])
        return false;
    for (size_t i = 0; i < at->list.count; i++)
        if (!is_cheap(cy_sir_at(f->func, at->list.at[i])))
            return false;
    return true;
}

/* ---- edges and phis ---- */

static size_t place_of_pred(const struct flatten *f, uint32_t block, uint32_t pred)
{
    size_t place = 0;
    while (block_at(f, block)->preds.at[place] != pred)
        place++;
    return place;
}

static void remove_edge(struct flatten *f, uint32_t block, size_t place)
{
    struct cy_sir_block *at = block_at(f, block);
    at->preds.count--;
    for (size_t i = place; i < at->preds.count; i++)
        at->preds.at[i] = at->preds.at[i + 1];
    for (size_t i = 0; i < at->list.count && cy_sir_at(f->func, at->list.at[i])->op == CY_SIR_PHI; i++) {
        cy_sir_value *args = &f->func->phi_args.at[cy_sir_at(f->func, at->list.at[i])->args[0]];
        for (size_t k = place; k < at->preds.count; k++)
            args[k] = args[k + 1];
    }
}

/* In `from`, what lanes bring to the block by two edges becomes selections, which are brought by the first. */
static void select_arguments(struct flatten *f, uint32_t from, uint32_t block, cy_sir_value condition, size_t then,
                             size_t otherwise)
{
    for (size_t i = 0; i < block_at(f, block)->list.count; i++) {
        const struct cy_sir_insn insn = *cy_sir_at(f->func, block_at(f, block)->list.at[i]);
        if (insn.op != CY_SIR_PHI)
            break;
        const cy_sir_value *args = &f->func->phi_args.at[insn.args[0]];
        if (cy_sir_same_as(&f->edit, args[then]) == cy_sir_same_as(&f->edit, args[otherwise]))
            continue;
        const cy_sir_value value = cy_sir_append(f->func, from, CY_SIR_SELECT, (enum cy_sir_type)insn.type, condition,
                                                 args[then], args[otherwise]);
        cy_sir_at(f->func, value)->variable = insn.variable;
        cy_sir_at(f->func, value)->pc = block_at(f, from)->pc;
        f->func->phi_args.at[insn.args[0] + then] = value;
    }
}

static void take_code(struct flatten *f, uint32_t into, uint32_t from)
{
    struct cy_sir_block *block = block_at(f, from);
    for (size_t i = 0; i < block->list.count; i++) {
        *cy_vec_push(&block_at(f, into)->list) = block->list.at[i];
        cy_sir_at(f->func, block->list.at[i])->block = into;
    }
    block->list.count = block->preds.count = 0;
    if (block->join != CY_SIR_NOTHING)
        f->joins[block->join]--;
    block->terminator = CY_SIR_UNREACHABLE;
    block->condition = 0;
    block->succ[0] = block->succ[1] = block->join = CY_SIR_NOTHING;
    block->in_order = false;
}

/* ---- one branch ---- */

/* The side is the join, or leads there and only computes. */
static bool is_side(const struct flatten *f, uint32_t side, uint32_t join)
{
    const struct cy_sir_block *block = block_at(f, side);
    return side == join || (block->terminator == CY_SIR_JUMP && block->succ[0] == join && is_plain(f, side));
}

static bool is_flat(const struct flatten *f, uint32_t b)
{
    const struct cy_sir_block *block = block_at(f, b);
    size_t computes = 0, branches = 1;
    for (unsigned i = 0; i < CY_COUNT(block->succ); i++) {
        if (!is_side(f, block->succ[i], block->join))
            return false;
        computes += block->succ[i] == block->join ? 0 : block_at(f, block->succ[i])->list.count;
        branches += block->succ[i] == block->join ? 0 : f->branches[block->succ[i]];
    }
    return block->succ[0] != block->succ[1] && computes <= PER_BRANCH * branches;
}

/* What follows becomes part of the block, unless lanes meet there. */
static void go_on(struct flatten *f, uint32_t b)
{
    for (;;) {
        const uint32_t next = block_at(f, b)->succ[0];
        if (!cy_sir_is_continued(f->func, b) || f->joins[next])
            return;
        struct cy_sir_block *block = block_at(f, next);
        size_t phis = 0;
        for (; phis < block->list.count && cy_sir_at(f->func, block->list.at[phis])->op == CY_SIR_PHI; phis++) {
            const cy_sir_value phi = block->list.at[phis];
            cy_sir_edit_replace(&f->edit, phi, f->func->phi_args.at[cy_sir_at(f->func, phi)->args[0]]);
        }
        for (size_t i = phis; i < block->list.count; i++)
            block->list.at[i - phis] = block->list.at[i];
        block->list.count -= phis;
        f->branches[b] += f->branches[next];
        cy_sir_append_next(f->func, b);
    }
}

static void flatten(struct flatten *f, uint32_t b)
{
    const struct cy_sir_block old = *block_at(f, b);
    const uint32_t join = old.join;
    size_t place[2];
    for (unsigned i = 0; i < CY_COUNT(place); i++)
        place[i] = place_of_pred(f, join, old.succ[i] == join ? b : old.succ[i]);
    for (unsigned i = 0; i < CY_COUNT(place); i++)
        if (old.succ[i] != join) {
            f->branches[b] += f->branches[old.succ[i]];
            take_code(f, b, old.succ[i]);
        }
    select_arguments(f, b, join, old.condition, place[0], place[1]);
    block_at(f, join)->preds.at[place[0]] = b;
    remove_edge(f, join, place[1]);
    cy_sir_set_jump(f->func, b, join);
    f->branches[b]++;
    f->joins[join]--;
}

/* ---- two branches ---- */

struct two {
    unsigned side;                  /* of the first: where the second one is */
    uint32_t second, shared, other; /* blocks: the second one, the side that both have, and the second one's own */
};

/* Where the order of sides, or who is together, shows, both must be as they were. */
static bool find_two(const struct flatten *f, uint32_t b, struct two *two)
{
    const struct cy_sir_block *first = block_at(f, b);
    for (two->side = 0; two->side < CY_COUNT(first->succ); two->side++) {
        two->second = first->succ[two->side];
        two->shared = first->succ[!two->side];
        const struct cy_sir_block *second = block_at(f, two->second);
        if (two->second == b || second->terminator != CY_SIR_VBRANCH || second->join != first->join ||
            (second->succ[0] == two->shared) == (second->succ[1] == two->shared) || !is_plain(f, two->second))
            continue;
        const bool sees_order = first->in_order || second->in_order || f->func->exchanges;
        two->other = second->succ[second->succ[0] == two->shared];
        if (two->shared == first->join || !sees_order)
            return true;
    }
    return false;
}

/* The condition, or its contrary. */
static cy_sir_value condition_for(struct flatten *f, uint32_t b, cy_sir_value condition, bool is_then)
{
    if (is_then)
        return condition;
    return cy_sir_append(f->func, b, CY_SIR_XOR, CY_SIR_I1, condition, cy_sir_number(&f->edit, CY_SIR_I1, 1), 0);
}

/* Lanes go to the second one's own side that would have come to it by both conditions. */
static void unite(struct flatten *f, uint32_t b, const struct two *two)
{
    const struct cy_sir_block first = *block_at(f, b), second = *block_at(f, two->second);
    const size_t from_first = place_of_pred(f, two->shared, b),
                 from_second = place_of_pred(f, two->shared, two->second);
    const size_t kept = two->side ? from_first : from_second, gone = two->side ? from_second : from_first;
    f->branches[b] += f->branches[two->second] + 1;
    take_code(f, b, two->second);
    select_arguments(f, b, two->shared, first.condition, kept, gone);
    block_at(f, two->shared)->preds.at[kept] = b;
    remove_edge(f, two->shared, gone);
    block_at(f, two->other)->preds.at[place_of_pred(f, two->other, two->second)] = b;
    const cy_sir_value comes = condition_for(f, b, first.condition, two->side == 0),
                       goes = condition_for(f, b, second.condition, second.succ[0] == two->other);
    const cy_sir_value both = cy_sir_append(f->func, b, CY_SIR_AND, CY_SIR_I1, comes, goes, 0);
    cy_sir_set_vbranch(f->func, b, both, two->other, two->shared, first.join);
    block_at(f, b)->in_order = first.in_order || second.in_order;
}

/* ---- all branches ---- */

static void visit(struct flatten *f, uint32_t b)
{
    struct two two;
    while (block_at(f, b)->terminator == CY_SIR_VBRANCH) {
        if (is_flat(f, b)) {
            flatten(f, b);
            go_on(f, b);
        } else if (find_two(f, b, &two)) {
            unite(f, b, &two);
        } else {
            return;
        }
    }
}

void cy_sir_pass_flatten(struct cy_sir_func *func)
{
    struct flatten f = {.func = func};
    cy_sir_edit_begin(&f.edit, func);
    const struct cy_graph graph = cy_sir_graph(&f.edit.arena, func);
    const struct cy_walk walk = cy_graph_walk(&f.edit.arena, &graph, 0);
    f.branches = cy_arena_alloc(&f.edit.arena, func->blocks.count * sizeof(*f.branches));
    f.joins = cy_arena_alloc(&f.edit.arena, func->blocks.count * sizeof(*f.joins));
    for (uint32_t b = 0; b < func->blocks.count; b++)
        if (func->blocks.at[b].terminator == CY_SIR_VBRANCH)
            f.joins[func->blocks.at[b].join]++;
    for (uint32_t i = walk.count; i-- > 0;)
        visit(&f, walk.rpo[i]);
    cy_sir_edit_end(&f.edit);
    cy_sir_simplify_branches(func);
}
