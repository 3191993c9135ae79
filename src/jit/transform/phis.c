/* Each phi is assumed to be whatever its first argument is, until another one differs: so phis of nested loops that only get each other
 * are found as well. */
#include "jit/transform/phis.h"

#include "base/graph.h"

#include <stdlib.h>
#include <string.h>

struct use { /* of a phi by a phi */
    cy_sir_value phi;
    uint32_t next;
};

struct phis {
    struct cy_sir_func *func;
    struct cy_arena arena;
    struct cy_graph graph; /* of the blocks, and a root from which all phases start */
    struct cy_dominators above;
    cy_sir_value *is;       /* by value, of phis: what it is; 0: nothing defined so far */
    cy_sir_value *constant; /* by value, of constants: the first one of its number */
    uint32_t *uses_of;
    CY_VEC(struct use) uses;
    CY_VEC(cy_sir_value) work;
    bool *is_queued;
};

static void *zeroed(struct phis *p, size_t count, size_t size)
{
    return memset(cy_arena_alloc(&p->arena, (count + 1) * size), 0, (count + 1) * size);
}

static enum cy_sir_op op_of(const struct phis *p, cy_sir_value value)
{
    return (enum cy_sir_op)cy_sir_at(p->func, value)->op;
}

/* ---- what must be known ---- */

static void find_dominators(struct phis *p)
{
    const uint32_t root = (uint32_t)p->func->blocks.count;
    CY_VEC(struct cy_edge) edges = {0};
    *cy_vec_push(&edges) = (struct cy_edge){root, 0};
    for (size_t i = 0; i < p->func->phases.count; i++)
        *cy_vec_push(&edges) = (struct cy_edge){root, p->func->phases.at[i]};
    for (uint32_t b = 0; b < root; b++)
        for (uint32_t i = 0; i < cy_sir_succ_count(&p->func->blocks.at[b]); i++)
            *cy_vec_push(&edges) = (struct cy_edge){b, cy_sir_succ(&p->func->blocks.at[b], i)};
    p->graph = cy_graph_make(&p->arena, root + 1, edges.at, edges.count);
    const struct cy_walk walk = cy_graph_walk(&p->arena, &p->graph, root);
    p->above = cy_graph_dominators(&p->arena, &p->graph, &walk);
    cy_vec_free(&edges);
}

struct number {
    uint64_t imm;
    cy_sir_value value;
    uint8_t type;
};

static int compare(const void *a, const void *b)
{
    const struct number *x = a, *y = b;
    if (x->imm != y->imm)
        return x->imm < y->imm ? -1 : 1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return x->value < y->value ? -1 : 1;
}

static void find_constants(struct phis *p)
{
    CY_VEC(struct number) numbers = {0};
    p->constant = zeroed(p, p->func->insns.count, sizeof(*p->constant));
    for (cy_sir_value value = 1; value < p->func->insns.count; value++)
        if (op_of(p, value) == CY_SIR_CONST)
            *cy_vec_push(&numbers) =
                (struct number){cy_sir_at(p->func, value)->imm, value, cy_sir_at(p->func, value)->type};
    if (numbers.count)
        qsort(numbers.at, numbers.count, sizeof(*numbers.at), compare);
    for (size_t i = 0; i < numbers.count; i++) {
        const bool is_first =
            !i || numbers.at[i].imm != numbers.at[i - 1].imm || numbers.at[i].type != numbers.at[i - 1].type;
        p->constant[numbers.at[i].value] = is_first ? numbers.at[i].value : p->constant[numbers.at[i - 1].value];
    }
    cy_vec_free(&numbers);
}

static void queue(struct phis *p, cy_sir_value phi)
{
    if (!p->is_queued[phi])
        *cy_vec_push(&p->work) = phi;
    p->is_queued[phi] = true;
}

static cy_sir_value argument(const struct phis *p, const struct cy_sir_insn *phi, size_t nth)
{
    return p->func->phi_args.at[phi->args[0] + nth];
}

static void find_uses(struct phis *p)
{
    const size_t count = p->func->insns.count;
    p->is = zeroed(p, count, sizeof(*p->is));
    p->uses_of = zeroed(p, count, sizeof(*p->uses_of));
    p->is_queued = zeroed(p, count, sizeof(*p->is_queued));
    (void)cy_vec_push(&p->uses); /* 0: none */
    for (size_t b = p->func->blocks.count; b-- > 0;) {
        const struct cy_sir_block *block = &p->func->blocks.at[b];
        for (size_t i = 0; i < block->list.count && op_of(p, block->list.at[i]) == CY_SIR_PHI; i++) {
            queue(p, block->list.at[i]);
            for (size_t k = 0; k < block->preds.count; k++) {
                const cy_sir_value from = argument(p, cy_sir_at(p->func, block->list.at[i]), k);
                if (op_of(p, from) != CY_SIR_PHI)
                    continue;
                *cy_vec_push(&p->uses) = (struct use){block->list.at[i], p->uses_of[from]};
                p->uses_of[from] = (uint32_t)p->uses.count - 1;
            }
        }
    }
}

/* ---- what a phi is ---- */

static cy_sir_value what(const struct phis *p, cy_sir_value value)
{
    switch (op_of(p, value)) {
    case CY_SIR_PHI: return p->is[value];
    case CY_SIR_CONST: return p->constant[value];
    case CY_SIR_UNDEF: return 0;
    default: return value;
    }
}

/* A constant is made again; another value must have been made before the phi's block. */
static bool can_be(const struct phis *p, cy_sir_value phi, cy_sir_value value)
{
    const uint32_t from = cy_sir_at(p->func, value)->block, to = cy_sir_at(p->func, phi)->block;
    return op_of(p, value) == CY_SIR_CONST || (from != to && cy_dominates(&p->above, from, to));
}

static cy_sir_value look_at(const struct phis *p, cy_sir_value phi)
{
    const struct cy_sir_insn *insn = cy_sir_at(p->func, phi);
    cy_sir_value one = 0;
    for (size_t k = 0; k < p->func->blocks.at[insn->block].preds.count; k++) {
        const cy_sir_value value = what(p, argument(p, insn, k));
        if (one && value && value != one)
            return phi;
        one = value ? value : one;
    }
    return one && one != phi && !can_be(p, phi, one) ? phi : one;
}

static void find_all(struct phis *p)
{
    while (p->work.count) {
        const cy_sir_value phi = p->work.at[--p->work.count];
        p->is_queued[phi] = false;
        const cy_sir_value is = p->is[phi] == phi ? phi : look_at(p, phi);
        if (is == p->is[phi])
            continue;
        p->is[phi] = is;
        for (uint32_t i = p->uses_of[phi]; i; i = p->uses.at[i].next)
            queue(p, p->uses.at[i].phi);
    }
}

/* ---- replacing ---- */

static bool is_made_again(const struct phis *p, cy_sir_value phi)
{
    return !p->is[phi] || op_of(p, p->is[phi]) == CY_SIR_CONST;
}

static void replace(const struct phis *p, cy_sir_value *use)
{
    if (*use && op_of(p, *use) == CY_SIR_PHI && !is_made_again(p, *use))
        *use = p->is[*use];
}

static void replace_all(struct phis *p)
{
    for (size_t i = 1; i < p->func->insns.count; i++) {
        struct cy_sir_insn *insn = &p->func->insns.at[i];
        for (unsigned k = 0; k < CY_COUNT(insn->args) && insn->op != CY_SIR_PHI; k++)
            replace(p, &insn->args[k]);
        replace(p, &insn->mask);
    }
    for (size_t i = 0; i < p->func->phi_args.count; i++)
        replace(p, &p->func->phi_args.at[i]);
    for (size_t b = 0; b < p->func->blocks.count; b++)
        replace(p, &p->func->blocks.at[b].condition);
}

static void make_again(const struct phis *p, cy_sir_value phi)
{
    struct cy_sir_insn *insn = cy_sir_at(p->func, phi);
    insn->op = p->is[phi] ? CY_SIR_CONST : CY_SIR_UNDEF;
    insn->imm = p->is[phi] ? cy_sir_at(p->func, p->is[phi])->imm : 0;
    insn->args[0] = 0;
}

/* Constants stand behind the phis that remain. */
static void list_again(struct phis *p, struct cy_sir_block *block)
{
    size_t i = 0, kept = 0;
    p->work.count = 0;
    for (; i < block->list.count && op_of(p, block->list.at[i]) == CY_SIR_PHI; i++) {
        const cy_sir_value phi = block->list.at[i];
        if (p->is[phi] == phi) {
            block->list.at[kept++] = phi;
        } else if (is_made_again(p, phi)) {
            make_again(p, phi);
            *cy_vec_push(&p->work) = phi;
        }
    }
    for (size_t k = 0; k < p->work.count; k++)
        block->list.at[kept++] = p->work.at[k];
    for (; i < block->list.count; i++)
        block->list.at[kept++] = block->list.at[i];
    block->list.count = kept;
}

void cy_sir_remove_phis(struct cy_sir_func *func)
{
    struct phis p = {.func = func};
    find_dominators(&p);
    find_constants(&p);
    find_uses(&p);
    find_all(&p);
    replace_all(&p);
    for (size_t b = 0; b < func->blocks.count; b++)
        list_again(&p, &func->blocks.at[b]);
    cy_vec_free(&p.uses);
    cy_vec_free(&p.work);
    cy_arena_free(&p.arena);
}
