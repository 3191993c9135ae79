/* Pure operations on values that a loop does not change are computed before it: in the block that is closest to the header of those that
 * dominate it, and so on out of the loops around it.  No pure operation faults, and what lanes compute that would not have come to it
 * nobody sees.
 *
 * Whether lanes leave the loop in different rounds does not matter: a lane's value is the same in each of its own. */
#include "base/graph.h"
#include "jit/transform/edit.h"
#include "jit/transform/transform.h"

struct invariant {
    struct cy_sir_func *func;
    struct cy_arena arena;
    struct cy_dominators above;
    struct cy_loops loops;
};

/* What a helper computes is too expensive for lanes, or launches, that may not need it. */
static bool is_movable(const struct cy_sir_insn *insn)
{
    return cy_sir_ops[insn->op].flags & CY_SIR_PURE && insn->op != CY_SIR_ROW && insn->op != CY_SIR_UNDEF;
}

static bool are_arguments_above(const struct invariant *v, const struct cy_sir_insn *insn, uint32_t block)
{
    for (unsigned i = 0; i < CY_COUNT(insn->args); i++)
        if (insn->args[i] && !cy_dominates(&v->above, cy_sir_at(v->func, insn->args[i])->block, block))
            return false;
    return true;
}

/* Its own block, or the one before the outermost loop in which the arguments do not change. */
static uint32_t place_of(const struct invariant *v, const struct cy_sir_insn *insn)
{
    uint32_t place = insn->block;
    for (uint32_t loop = v->loops.of[place]; loop != CY_NO_NODE; loop = v->loops.at[loop].parent) {
        const uint32_t before = v->above.idom[v->loops.at[loop].header];
        if (!v->loops.at[loop].has_one_entry || !are_arguments_above(v, insn, before))
            break;
        place = before;
    }
    return place;
}

static void visit_block(struct invariant *v, uint32_t b)
{
    struct cy_sir_block *block = &v->func->blocks.at[b];
    size_t kept = 0;
    for (size_t i = 0; i < block->list.count && v->loops.of[b] != CY_NO_NODE; i++) {
        const cy_sir_value value = block->list.at[i];
        struct cy_sir_insn *insn = cy_sir_at(v->func, value);
        const uint32_t place = is_movable(insn) ? place_of(v, insn) : b;
        if (place == b) {
            block->list.at[kept++] = value;
            continue;
        }
        insn->block = place;
        *cy_vec_push(&v->func->blocks.at[place].list) = value;
    }
    block->list.count = v->loops.of[b] == CY_NO_NODE ? block->list.count : kept;
}

void cy_sir_pass_invariant(struct cy_sir_func *func)
{
    struct invariant v = {.func = func};
    const struct cy_graph graph = cy_sir_graph(&v.arena, func);
    const struct cy_walk walk = cy_graph_walk(&v.arena, &graph, 0);
    v.above = cy_graph_dominators(&v.arena, &graph, &walk);
    v.loops = cy_graph_loops(&v.arena, &graph, &walk);
    for (uint32_t i = 0; i < walk.count; i++)
        visit_block(&v, walk.rpo[i]);
    cy_arena_free(&v.arena);
}
