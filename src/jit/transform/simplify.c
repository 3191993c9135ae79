/* Values that are simpler than they are written: operations on constants, what rules.def lists, phis of one value.  Then control flow
 * (branches.c), which may make phis simpler, and so on.
 *
 * A lane sees only its own path through the code, so that what holds for one lane's values holds in SIMT form.  Blocks are visited in
 * reverse post-order, so that arguments are simple before what uses them, but for those that phis of loops get from behind: the few
 * rounds are for these. */
#include "jit/transform/branches.h"
#include "jit/transform/edit.h"
#include "jit/transform/rules.h"
#include "jit/transform/transform.h"

#include <string.h>

struct simplify {
    struct cy_sir_edit edit;
    uint16_t
        *rules[CY_SIR_OPS];  /* by operation: those whose pattern may begin with it, in order; ends with CY_SIR_RULES */
    struct cy_sir_uses uses; /* at the start of the round */
    uint32_t block;
    cy_sir_values list; /* of the block */
    bool has_changed;
};

/* ---- the rules of each operation ---- */

/* The operations with which a pattern may begin, one after the other; CY_SIR_OPS: there are no more. */
static unsigned next_op(const struct cy_sir_node *pattern, unsigned op)
{
    if (pattern->kind != CY_SIR_NODE_CLASS)
        return op < pattern->which ? pattern->which : CY_SIR_OPS;
    do
        op++;
    while (op < CY_SIR_OPS && !cy_sir_is_in_class((enum cy_sir_class)pattern->which, op));
    return op;
}

static void sort_rules(struct simplify *s, struct cy_arena *arena)
{
    uint16_t count[CY_SIR_OPS] = {0};
    for (unsigned i = 0; i < CY_SIR_RULES; i++)
        for (unsigned op = next_op(cy_sir_rules[i].pattern, 0); op < CY_SIR_OPS;
             op = next_op(cy_sir_rules[i].pattern, op))
            count[op]++;
    for (unsigned op = 0; op < CY_SIR_OPS; op++) {
        s->rules[op] = cy_arena_alloc(arena, (count[op] + 1u) * sizeof(*s->rules[op]));
        s->rules[op][count[op]] = CY_SIR_RULES;
    }
    for (unsigned i = CY_SIR_RULES; i-- > 0;)
        for (unsigned op = next_op(cy_sir_rules[i].pattern, 0); op < CY_SIR_OPS;
             op = next_op(cy_sir_rules[i].pattern, op))
            s->rules[op][--count[op]] = (uint16_t)i;
}

/* ---- results of rules ---- */

static cy_sir_value simpler(struct simplify *s, cy_sir_value value);

static enum cy_sir_type type_of(const struct simplify *s, cy_sir_value value)
{
    return (enum cy_sir_type)cy_sir_at(s->edit.func, value)->type;
}

static bool is_number(const struct cy_sir_node *node)
{
    return node->kind == CY_SIR_NODE_CONSTANT || node->kind == CY_SIR_NODE_NUMBER;
}

static cy_sir_value number_of(struct simplify *s, const struct cy_sir_node *node, const struct cy_sir_match *match,
                              enum cy_sir_type type)
{
    const bool is_literal = node->kind == CY_SIR_NODE_NUMBER;
    return cy_sir_number(&s->edit, type, is_literal ? (uint64_t)node->number : match->constant[node->which]);
}

static unsigned op_of(const struct cy_sir_node *node, const struct cy_sir_match *match)
{
    return node->kind == CY_SIR_NODE_CLASS ? match->op[node->which] : node->which;
}

static cy_sir_value build(struct simplify *s, const struct cy_sir_node *node, const struct cy_sir_match *match,
                          enum cy_sir_type type);

/* Numbers are of the other arguments' type.  `type`: of the result, or VOID if that follows from the arguments. */
static void build_arguments(struct simplify *s, const struct cy_sir_node *node, const struct cy_sir_match *match,
                            enum cy_sir_type type, cy_sir_value *args)
{
    const unsigned op = op_of(node, match);
    const bool is_select = op == CY_SIR_SELECT;
    const enum cy_sir_type of_same = cy_sir_ops[op].result == CY_SIR_RESULT_SAME || is_select ? type : CY_SIR_VOID;
    enum cy_sir_type of_numbers = of_same;
    for (unsigned i = 0; i < CY_COUNT(node->args) && node->args[i]; i++)
        if (!is_number(node->args[i])) {
            args[i] = build(s, node->args[i], match, is_select && !i ? CY_SIR_I1 : of_same);
            of_numbers = is_select && !i ? of_numbers : type_of(s, args[i]);
        }
    for (unsigned i = 0; i < CY_COUNT(node->args) && node->args[i]; i++)
        if (is_number(node->args[i]))
            args[i] = number_of(s, node->args[i], match, of_numbers);
}

static enum cy_sir_type type_of_result(const struct simplify *s, unsigned op, enum cy_sir_type wanted,
                                       const cy_sir_value *args)
{
    if (cy_sir_ops[op].result == CY_SIR_RESULT_BOOL)
        return CY_SIR_I1;
    if (cy_sir_ops[op].result == CY_SIR_RESULT_SAME)
        return type_of(s, args[0]);
    return op == CY_SIR_SELECT ? type_of(s, args[1]) : wanted;
}

/* A part of a result, in front of the instruction that is made simpler. */
static cy_sir_value build(struct simplify *s, const struct cy_sir_node *node, const struct cy_sir_match *match,
                          enum cy_sir_type type)
{
    cy_sir_value args[3] = {0};
    if (node->kind == CY_SIR_NODE_VALUE)
        return match->value[node->which];
    if (is_number(node))
        return number_of(s, node, match, type);
    const unsigned op = op_of(node, match);
    type = node->type != CY_SIR_VOID ? (enum cy_sir_type)node->type : type;
    build_arguments(s, node, match, type, args);
    type = type_of_result(s, op, type, args);
    const cy_sir_value made = cy_sir_make(s->edit.func, (enum cy_sir_op)op, type, args[0], args[1], args[2]);
    const cy_sir_value by = simpler(s, made);
    if (by == made) {
        cy_sir_at(s->edit.func, made)->block = s->block;
        *cy_vec_push(&s->list) = made;
    }
    return by;
}

/* The instruction becomes the result, unless that is a value that there is already. */
static cy_sir_value turn(struct simplify *s, cy_sir_value value, const struct cy_sir_node *result,
                         const struct cy_sir_match *match)
{
    const enum cy_sir_type type = type_of(s, value);
    cy_sir_value args[3] = {0};
    if (result->kind == CY_SIR_NODE_VALUE || is_number(result))
        return build(s, result, match, type);
    build_arguments(s, result, match, type, args);
    struct cy_sir_insn *insn = cy_sir_at(s->edit.func, value);
    insn->op = (uint16_t)op_of(result, match);
    memcpy(insn->args, args, sizeof(args));
    return value;
}

/* ---- one value ---- */

/* Of two arguments that may change places. */
static void put_constant_last(struct cy_sir_func *func, cy_sir_value value)
{
    struct cy_sir_insn *insn = cy_sir_at(func, value);
    const cy_sir_value first = insn->args[0];
    if (!(cy_sir_ops[insn->op].flags & CY_SIR_COMMUTES) || cy_sir_at(func, first)->op != CY_SIR_CONST ||
        cy_sir_at(func, insn->args[1])->op == CY_SIR_CONST)
        return;
    insn->args[0] = insn->args[1];
    insn->args[1] = first;
}

/* An operation on constants; 0: it is none. */
static cy_sir_value folded(struct simplify *s, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(s->edit.func, value);
    const unsigned count = cy_sir_ops[insn->op].arguments;
    uint64_t numbers[4] = {0};
    if (!count || !(cy_sir_ops[insn->op].flags & CY_SIR_PURE) || !cy_sir_folds((enum cy_sir_op)insn->op))
        return 0;
    for (unsigned i = 0; i < count; i++)
        if (!cy_sir_is_constant(s->edit.func, insn->args[i], &numbers[i]))
            return 0;
    const enum cy_sir_type type = (enum cy_sir_type)insn->type, of = type_of(s, insn->args[0]);
    return cy_sir_number(&s->edit, type,
                         cy_sir_fold((enum cy_sir_op)insn->op, type, of, numbers[0], numbers[1], numbers[2]));
}

static cy_sir_value by_rule(struct simplify *s, cy_sir_value value)
{
    struct cy_sir_match match;
    for (const uint16_t *rule = s->rules[cy_sir_at(s->edit.func, value)->op]; *rule < CY_SIR_RULES; rule++)
        if (cy_sir_matches(s->edit.func, &s->uses, *rule, value, &match))
            return turn(s, value, cy_sir_rules[*rule].result, &match);
    return 0;
}

/* What it is the same as: itself, after all rules that apply. */
static cy_sir_value simpler(struct simplify *s, cy_sir_value value)
{
    enum { MOST_RULES = 16 };
    for (unsigned i = 0; i < MOST_RULES; i++) {
        put_constant_last(s->edit.func, value);
        cy_sir_value by = folded(s, value);
        by = by ? by : by_rule(s, value);
        s->has_changed |= by != 0;
        if (!by || by != value)
            return by ? by : value;
    }
    return value;
}

/* ---- all values ---- */

static void count_uses(struct simplify *s, struct cy_arena *arena)
{
    const struct cy_sir_func *func = s->edit.func;
    s->uses.count = func->insns.count;
    s->uses.at = cy_arena_alloc(arena, s->uses.count * sizeof(*s->uses.at));
    for (size_t b = 0; b < func->blocks.count; b++) {
        const struct cy_sir_block *block = &func->blocks.at[b];
        for (size_t i = 0; i < block->list.count; i++) {
            const struct cy_sir_insn *insn = cy_sir_at(func, block->list.at[i]);
            const bool is_phi = insn->op == CY_SIR_PHI;
            const cy_sir_value *args = is_phi ? &func->phi_args.at[insn->args[0]] : insn->args;
            for (size_t k = 0; k < (is_phi ? block->preds.count : CY_COUNT(insn->args)); k++)
                s->uses.at[args[k]]++;
        }
        s->uses.at[block->condition]++;
    }
}

static cy_sir_value visit(struct simplify *s, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(s->edit.func, value);
    cy_sir_update_arguments(&s->edit, value);
    if (insn->op == CY_SIR_CONST)
        return cy_sir_same_number(&s->edit, value);
    if (insn->op == CY_SIR_PHI) {
        const cy_sir_value by = cy_sir_same_arguments(&s->edit, value);
        s->has_changed |= by != 0;
        return by ? by : value;
    }
    if (insn->op == CY_SIR_LAST && cy_sir_at(s->edit.func, insn->args[0])->op == CY_SIR_CONST)
        return insn->args[0];
    return simpler(s, value);
}

static void visit_block(struct simplify *s, uint32_t b)
{
    struct cy_sir_block *block = &s->edit.func->blocks.at[b];
    s->block = b;
    s->list.count = 0;
    for (size_t i = 0; i < block->list.count; i++) {
        const cy_sir_value value = block->list.at[i], by = visit(s, value);
        if (by != value)
            cy_sir_edit_replace(&s->edit, value, by);
        else if (cy_sir_at(s->edit.func, value)->op != CY_SIR_CONST)
            *cy_vec_push(&s->list) = value;
    }
    block->list.count = 0;
    for (size_t i = 0; i < s->list.count; i++)
        *cy_vec_push(&block->list) = s->list.at[i];
    block->condition = cy_sir_same_as(&s->edit, block->condition);
}

static bool simplify_values(struct simplify *s, struct cy_sir_func *func)
{
    struct cy_arena arena = {0};
    cy_sir_edit_begin(&s->edit, func);
    const struct cy_graph graph = cy_sir_graph(&arena, func);
    const struct cy_walk walk = cy_graph_walk(&arena, &graph, 0);
    count_uses(s, &arena);
    s->has_changed = false;
    for (uint32_t i = 0; i < walk.count; i++)
        visit_block(s, walk.rpo[i]);
    cy_sir_edit_end(&s->edit);
    cy_arena_free(&arena);
    return s->has_changed;
}

void cy_sir_pass_simplify(struct cy_sir_func *func)
{
    enum { MOST_ROUNDS = 8 };
    struct cy_arena arena = {0};
    struct simplify s = {.block = 0};
    sort_rules(&s, &arena);
    cy_sir_simplify_branches(func);
    bool has_changed = true;
    for (unsigned i = 0; i < MOST_ROUNDS && has_changed; i++) {
        has_changed = simplify_values(&s, func);
        has_changed |= cy_sir_simplify_branches(func);
    }
    cy_vec_free(&s.list);
    cy_arena_free(&arena);
}
