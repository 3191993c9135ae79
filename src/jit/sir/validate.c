/* What must hold of a function, of either form: its blocks and edges, the order of definitions and uses, and where the sides of a
 * vbranch meet.  Tables and single instructions are checked by validate_tables.c and validate_insn.c. */
#include "jit/sir/validate_priv.h"

#include "base/graph.h"
#include "jit/sir/sir_text_priv.h"

struct validator {
    struct cy_sir_func *func;
    struct cy_arena arena;
    struct cy_graph graph; /* of the blocks, and a root from which the entry and all phases start */
    struct cy_dominators above;
    uint32_t *place; /* by value: its index in the list of its block; NOTHING: it is in none */
    uint32_t *mark;  /* by block */
};

static const char *block_error(const struct validator *v, uint32_t block, const char *why)
{
    return why ? cy_arena_printf(&v->func->arena, "b%u: %s", block, why) : NULL;
}

static const char *insn_error(const struct validator *v, uint32_t block, size_t place, const char *why)
{
    const cy_sir_value value = v->func->blocks.at[block].list.at[place];
    const struct cy_sir_op_info *op = &cy_sir_ops[cy_sir_at(v->func, value)->op];
    if (!why)
        return NULL;
    if (op->result == CY_SIR_RESULT_VOID)
        return cy_arena_printf(&v->func->arena, "b%u: instruction %zu, %s: %s", block, place, op->name, why);
    return cy_arena_printf(&v->func->arena, "b%u: %%%u = %s: %s", block, value, op->name, why);
}

/* ---- blocks ---- */

static const char *check_condition(const struct validator *v, const struct cy_sir_block *block)
{
    const struct cy_sir_func *func = v->func;
    const bool is_switch = block->terminator == CY_SIR_SWITCH;
    if (!is_switch && block->terminator != CY_SIR_BRANCH && block->terminator != CY_SIR_VBRANCH)
        return block->condition ? "it has a condition, but does not branch" : NULL;
    if (!block->condition || block->condition >= func->insns.count ||
        cy_sir_at(func, block->condition)->op == CY_SIR_NONE)
        return "it branches without a condition";
    if (cy_sir_at(func, block->condition)->type != (is_switch ? CY_SIR_I32 : CY_SIR_I1))
        return is_switch ? "the condition of a switch is not i32" : "the condition is not i1";
    return NULL;
}

static const char *check_cases(const struct cy_sir_block *block)
{
    if (!block->cases.count)
        return "a switch has no cases";
    for (size_t i = 0; i < block->cases.count; i++)
        for (size_t k = 0; k < i; k++)
            if (block->cases.at[i].value == block->cases.at[k].value)
                return "a switch has a case twice";
    return NULL;
}

static const char *check_terminator(const struct validator *v, const struct cy_sir_block *block)
{
    const bool is_simt = v->func->form == CY_SIR_FORM_SIMT, is_split = block->terminator == CY_SIR_VBRANCH;
    if (block->terminator > CY_SIR_PHASE)
        return "there is no such terminator";
    if (is_split && !is_simt)
        return "only SIMT form has vbranch";
    if (block->terminator == CY_SIR_PHASE && is_simt)
        return "only vector form has phases";
    if (block->terminator == CY_SIR_PHASE && block->phase >= v->func->phases.count)
        return "there is no such phase";
    if (is_split ? block->join >= v->func->blocks.count
                 : block->join != CY_SIR_NOTHING || block->in_order || block->alone)
        return is_split ? "there is no such join" : "only vbranch has a join";
    for (uint32_t i = 0; i < cy_sir_succ_count(block); i++)
        if (cy_sir_succ(block, i) >= v->func->blocks.count)
            return "it goes to a block that does not exist";
    const char *wrong = block->terminator == CY_SIR_SWITCH ? check_cases(block) : NULL;
    return wrong ? wrong : check_condition(v, block);
}

/* Marks the place of each instruction. */
static const char *check_list(struct validator *v, uint32_t index)
{
    const struct cy_sir_block *block = &v->func->blocks.at[index];
    bool was_phi = true;
    for (size_t i = 0; i < block->list.count; i++) {
        const cy_sir_value value = block->list.at[i];
        if (!value || value >= v->func->insns.count)
            return block_error(v, index, "it lists an instruction that does not exist");
        const struct cy_sir_insn *insn = cy_sir_at(v->func, value);
        if (insn->op == CY_SIR_NONE || insn->op >= CY_SIR_OPS)
            return block_error(v, index, "it lists an instruction without an operation");
        if (v->place[value] != CY_SIR_NOTHING || insn->block != index)
            return insn_error(v, index, i, "it is in two blocks, or twice in one");
        v->place[value] = (uint32_t)i;
        if (insn->op == CY_SIR_PHI && !was_phi)
            return insn_error(v, index, i, "phis come first");
        was_phi = insn->op == CY_SIR_PHI;
    }
    return NULL;
}

static const char *check_blocks(struct validator *v)
{
    struct cy_sir_func *func = v->func;
    const char *wrong = func->blocks.count ? NULL : "there is no block";
    v->place = cy_arena_alloc(&v->arena, (func->insns.count + 1) * sizeof(*v->place));
    for (size_t i = 0; i < func->insns.count; i++)
        v->place[i] = CY_SIR_NOTHING;
    for (uint32_t b = 0; b < func->blocks.count && !wrong; b++) {
        wrong = block_error(v, b, check_terminator(v, &func->blocks.at[b]));
        wrong = wrong ? wrong : check_list(v, b);
    }
    return wrong;
}

/* ---- edges ---- */

static void make_graph(struct validator *v)
{
    const struct cy_sir_func *func = v->func;
    const uint32_t root = (uint32_t)func->blocks.count;
    CY_VEC(struct cy_edge) edges = {0};
    *cy_vec_push(&edges) = (struct cy_edge){root, 0};
    for (size_t i = 0; i < func->phases.count; i++)
        *cy_vec_push(&edges) = (struct cy_edge){root, func->phases.at[i]};
    for (uint32_t b = 0; b < root; b++)
        for (uint32_t i = 0; i < cy_sir_succ_count(&func->blocks.at[b]); i++)
            *cy_vec_push(&edges) = (struct cy_edge){b, cy_sir_succ(&func->blocks.at[b], i)};
    v->graph = cy_graph_make(&v->arena, root + 1, edges.at, edges.count);
    const struct cy_walk walk = cy_graph_walk(&v->arena, &v->graph, root);
    v->above = cy_graph_dominators(&v->arena, &v->graph, &walk);
    cy_vec_free(&edges);
}

static bool is_reached(const struct validator *v, uint32_t block)
{
    return v->above.size[block] != 0;
}

/* The edges to a block and its list of predecessors are the same, in any order; `count` is zero, and is again. */
static bool has_right_preds(const struct validator *v, uint32_t index, uint32_t *count)
{
    const struct cy_sir_block *block = &v->func->blocks.at[index];
    const uint32_t root = v->graph.count - 1, *first = v->graph.pred + v->graph.pred_start[index];
    const uint32_t *end = v->graph.pred + v->graph.pred_start[index + 1];
    bool is_right = true;
    for (const uint32_t *p = first; p < end; p++)
        count[*p] += *p != root;
    for (size_t i = 0; i < block->preds.count && is_right; i++)
        is_right = block->preds.at[i] < root && count[block->preds.at[i]]-- > 0;
    for (const uint32_t *p = first; p < end; p++) {
        is_right &= !count[*p];
        count[*p] = 0;
    }
    for (size_t i = 0; i < block->preds.count; i++)
        if (block->preds.at[i] < root)
            count[block->preds.at[i]] = 0;
    return is_right;
}

static const char *check_preds(struct validator *v)
{
    uint32_t *count = cy_arena_alloc(&v->arena, (v->graph.count + 1) * sizeof(*count));
    for (uint32_t b = 0; b < v->func->blocks.count; b++)
        if (!has_right_preds(v, b, count))
            return block_error(v, b, "its predecessors are not those that go to it");
    return v->func->blocks.at[0].preds.count ? "b0: the entry has a predecessor" : NULL;
}

/* ---- definitions and uses ---- */

/* Is the value there before the instruction with index `place` of the block? */
static bool is_defined(const struct validator *v, cy_sir_value value, uint32_t block, size_t place)
{
    const uint32_t where = cy_sir_at(v->func, value)->block;
    if (v->place[value] == CY_SIR_NOTHING)
        return false;
    return where == block ? v->place[value] < place : cy_dominates(&v->above, where, block);
}

static const char *undefined(const struct validator *v, cy_sir_value value)
{
    return cy_arena_printf(&v->func->arena, "value %u is used where it need not be defined", value);
}

static const char *check_phi_uses(const struct validator *v, const struct cy_sir_insn *phi)
{
    const struct cy_sir_block *block = &v->func->blocks.at[phi->block];
    for (size_t i = 0; i < block->preds.count; i++) {
        const cy_sir_value used = v->func->phi_args.at[phi->args[0] + i];
        const uint32_t from = block->preds.at[i];
        if (is_reached(v, from) && !is_defined(v, used, from, v->func->blocks.at[from].list.count))
            return undefined(v, used);
    }
    return NULL;
}

static const char *check_uses(const struct validator *v, uint32_t block, size_t place)
{
    const struct cy_sir_insn *insn = cy_sir_at(v->func, v->func->blocks.at[block].list.at[place]);
    if (insn->op == CY_SIR_PHI)
        return check_phi_uses(v, insn);
    for (unsigned i = 0; i < cy_sir_ops[insn->op].arguments; i++)
        if (insn->args[i] && !is_defined(v, insn->args[i], block, place))
            return undefined(v, insn->args[i]);
    return insn->mask && !is_defined(v, insn->mask, block, place) ? undefined(v, insn->mask) : NULL;
}

static const char *check_insns(const struct validator *v)
{
    const struct cy_sir_func *func = v->func;
    for (uint32_t b = 0; b < func->blocks.count; b++) {
        const struct cy_sir_block *block = &func->blocks.at[b];
        for (size_t i = 0; i < block->list.count; i++) {
            const char *wrong = cy_sir_check_insn(v->func, block->list.at[i]);
            wrong = wrong || !is_reached(v, b) ? wrong : check_uses(v, b, i);
            if (wrong)
                return insn_error(v, b, i, wrong);
        }
        if (block->condition && is_reached(v, b) && !is_defined(v, block->condition, b, block->list.count))
            return block_error(v, b, undefined(v, block->condition));
    }
    return NULL;
}

/* ---- joins ---- */

typedef CY_VEC(uint32_t) blocks;

/* Each block is visited once; true: it is the join. */
static bool visit(struct validator *v, blocks *left, uint32_t block, uint32_t of)
{
    if (block == v->func->blocks.at[of].join)
        return true;
    if (v->mark[block] != of)
        *cy_vec_push(left) = block;
    v->mark[block] = of;
    return false;
}

/* Every path from the sides of a vbranch that ends, other than in a trap, has come to the join before. */
static const char *check_join(struct validator *v, uint32_t of, blocks *left)
{
    const struct cy_sir_block *split = &v->func->blocks.at[of];
    bool is_found = false;
    left->count = 0;
    for (unsigned i = 0; i < 2; i++)
        is_found |= visit(v, left, split->succ[i], of);
    while (left->count) {
        const uint32_t at = left->at[--left->count];
        const struct cy_sir_block *block = &v->func->blocks.at[at];
        if (block->terminator == CY_SIR_END)
            return cy_arena_printf(&v->func->arena, "a side ends in b%u, not at the join b%u", at, split->join);
        for (uint32_t i = 0; i < cy_sir_succ_count(block); i++)
            is_found |= visit(v, left, cy_sir_succ(block, i), of);
    }
    return is_found ? NULL : cy_arena_printf(&v->func->arena, "no side comes to the join b%u", split->join);
}

/* The blocks with what leads to an end: traps go nowhere. */
static struct cy_dominators find_ends(struct validator *v)
{
    const struct cy_sir_func *func = v->func;
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t b = 0; b < func->blocks.count; b++) {
        for (uint32_t i = 0; i < cy_sir_succ_count(&func->blocks.at[b]); i++)
            *cy_vec_push(&edges) = (struct cy_edge){b, cy_sir_succ(&func->blocks.at[b], i)};
        if (func->blocks.at[b].terminator == CY_SIR_UNREACHABLE)
            *cy_vec_push(&edges) = (struct cy_edge){b, b};
    }
    const struct cy_graph graph = cy_graph_make(&v->arena, (uint32_t)func->blocks.count, edges.at, edges.count);
    cy_vec_free(&edges);
    return cy_graph_post_dominators(&v->arena, &graph);
}

/* Does a side of a vbranch lead to an end, and through the join on all ways there?  Else it is searched. */
static bool comes_to_join(const struct cy_dominators *below, uint32_t side, uint32_t join)
{
    return side == join || (below->size[side] && cy_dominates(below, join, side));
}

static const char *check_joins(struct validator *v)
{
    const char *wrong = NULL;
    const struct cy_dominators below = find_ends(v);
    blocks left = {0};
    v->mark = cy_arena_alloc(&v->arena, v->func->blocks.count * sizeof(*v->mark));
    for (size_t b = 0; b < v->func->blocks.count; b++)
        v->mark[b] = CY_SIR_NOTHING;
    for (uint32_t b = 0; b < v->func->blocks.count && !wrong; b++) {
        const struct cy_sir_block *block = &v->func->blocks.at[b];
        if (block->terminator == CY_SIR_VBRANCH && is_reached(v, b) &&
            !(comes_to_join(&below, block->succ[0], block->join) && comes_to_join(&below, block->succ[1], block->join)))
            wrong = block_error(v, b, check_join(v, b, &left));
        if (block->alone && !wrong)
            wrong = block_error(v, b, cy_sir_check_alone(v->func, b));
    }
    cy_vec_free(&left);
    return wrong;
}

const char *cy_sir_validate(struct cy_sir_func *func)
{
    struct validator v = {.func = func};
    const char *wrong = check_blocks(&v);
    wrong = wrong ? wrong : cy_sir_check_tables(func);
    if (!wrong) {
        make_graph(&v);
        wrong = check_preds(&v);
    }
    wrong = wrong ? wrong : check_insns(&v);
    wrong = wrong || func->form == CY_SIR_FORM_VECTOR ? wrong : check_joins(&v);
    cy_arena_free(&v.arena);
    return wrong;
}
