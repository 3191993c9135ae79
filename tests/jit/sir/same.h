/* Are two functions the same, apart from the numbers of instructions without results and where arguments of phis are kept? */
#ifndef CY_TESTS_JIT_SIR_SAME_H
#define CY_TESTS_JIT_SIR_SAME_H

#include "jit/sir/sir.h"

#include <string.h>

static inline bool same_bytes(const void *a, const void *b, size_t size)
{
    return !size || !memcmp(a, b, size);
}

static inline bool same_insn(const struct cy_sir_func *a, const struct cy_sir_func *b, cy_sir_value of_a,
                             cy_sir_value of_b)
{
    const struct cy_sir_insn *x = cy_sir_at(a, of_a), *y = cy_sir_at(b, of_b);
    bool same = x->op == y->op && x->type == y->type && x->flags == y->flags && x->mask == y->mask &&
                x->imm == y->imm && x->access == y->access && x->block == y->block && x->pc == y->pc &&
                x->variable == y->variable;
    if (same && x->op != CY_SIR_PHI)
        return same_bytes(x->args, y->args, sizeof(x->args));
    for (size_t i = 0; same && i < a->blocks.at[x->block].preds.count; i++)
        same = a->phi_args.at[x->args[0] + i] == b->phi_args.at[y->args[0] + i];
    return same;
}

static inline bool same_block(const struct cy_sir_func *a, const struct cy_sir_func *b, size_t index)
{
    const struct cy_sir_block *x = &a->blocks.at[index], *y = &b->blocks.at[index];
    bool same = x->terminator == y->terminator && x->condition == y->condition && x->succ[0] == y->succ[0] &&
                x->succ[1] == y->succ[1] && x->join == y->join && x->in_order == y->in_order && x->alone == y->alone &&
                x->phase == y->phase && x->pc == y->pc && x->list.count == y->list.count &&
                x->preds.count == y->preds.count && x->cases.count == y->cases.count;
    same = same && same_bytes(x->preds.at, y->preds.at, x->preds.count * sizeof(*x->preds.at));
    same = same && same_bytes(x->cases.at, y->cases.at, x->cases.count * sizeof(*x->cases.at));
    for (size_t i = 0; same && i < x->list.count; i++) {
        const bool has_result = cy_sir_ops[cy_sir_at(a, x->list.at[i])->op].result != CY_SIR_RESULT_VOID;
        same = same_insn(a, b, x->list.at[i], y->list.at[i]) && (!has_result || x->list.at[i] == y->list.at[i]);
    }
    return same;
}

static inline bool same_access(const struct cy_sir_access *x, const struct cy_sir_access *y)
{
    return x->pc == y->pc && x->word == y->word && x->prefix == y->prefix && x->op == y->op && x->bytes == y->bytes &&
           x->rights == y->rights && x->space == y->space && x->scale == y->scale &&
           x->is_index_signed == y->is_index_signed && x->is_scalar == y->is_scalar && x->is_apart == y->is_apart &&
           x->words == y->words && x->nth == y->nth && x->offset == y->offset && x->align == y->align &&
           x->group == y->group && x->form == y->form;
}

static inline bool same_code(const struct cy_sir_code *x, const struct cy_sir_code *y)
{
    return x->first == y->first && x->end == y->end && x->join == y->join && x->join_end == y->join_end &&
           x->insns == y->insns && x->vectors == y->vectors && x->branches == y->branches &&
           x->interpreted == y->interpreted && x->is_looping == y->is_looping;
}

static inline bool same_tables(const struct cy_sir_func *a, const struct cy_sir_func *b)
{
    bool same = a->cells.count == b->cells.count && a->accesses.count == b->accesses.count &&
                a->groups.count == b->groups.count && a->phases.count == b->phases.count &&
                a->codes.count == b->codes.count;
    for (size_t i = 0; same && i < a->codes.count; i++)
        same = same_code(&a->codes.at[i], &b->codes.at[i]);
    for (size_t i = 0; same && i < a->cells.count; i++)
        same = a->cells.at[i].type == b->cells.at[i].type && a->cells.at[i].is_warp == b->cells.at[i].is_warp &&
               a->cells.at[i].variable == b->cells.at[i].variable &&
               a->cells.at[i].is_empty_at_barriers == b->cells.at[i].is_empty_at_barriers;
    for (size_t i = 0; same && i < a->accesses.count; i++)
        same = same_access(&a->accesses.at[i], &b->accesses.at[i]);
    for (size_t i = 0; same && i < a->groups.count; i++)
        same = a->groups.at[i].low == b->groups.at[i].low && a->groups.at[i].high == b->groups.at[i].high &&
               a->groups.at[i].rights == b->groups.at[i].rights && a->groups.at[i].space == b->groups.at[i].space &&
               a->groups.at[i].align == b->groups.at[i].align;
    return same && same_bytes(a->phases.at, b->phases.at, a->phases.count * sizeof(*a->phases.at));
}

static inline bool same_func(const struct cy_sir_func *a, const struct cy_sir_func *b)
{
    bool same = !strcmp(a->name, b->name) && a->form == b->form && a->target == b->target && a->threads == b->threads &&
                a->warps == b->warps && same_bytes(a->local, b->local, sizeof(a->local)) &&
                a->private_bytes == b->private_bytes && a->exchanges == b->exchanges && a->slots == b->slots &&
                a->counters == b->counters && a->counts == b->counts && a->blocks.count == b->blocks.count;
    same = same && a->strip.lanes == b->strip.lanes && a->strip.width == b->strip.width &&
           a->strip.items == b->strip.items && a->strip.row == b->strip.row &&
           a->strip.straddles == b->strip.straddles && a->strip.is_whole == b->strip.is_whole;
    same = same && same_tables(a, b);
    for (size_t i = 0; same && i < a->blocks.count; i++)
        same = same_block(a, b, i);
    return same;
}

#endif
