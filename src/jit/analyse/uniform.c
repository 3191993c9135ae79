/* All are, until something shows that they are not: what each lane has of its own, and what is computed from it.  A cell is not if it
 * is set to different numbers, or in some lanes only; but one of the warp gets what the first active lane has. */
#include "jit/analyse/uniform.h"

#include <string.h>

static bool *all_true(struct cy_arena *arena, size_t count)
{
    return memset(cy_arena_alloc(arena, count + 1), true, count + 1);
}

static bool has_uniform_arguments(const struct cy_sir_uniform *u, const struct cy_sir_func *func,
                                  const struct cy_sir_insn *insn, uint32_t block)
{
    const bool is_phi = insn->op == CY_SIR_PHI;
    const size_t count = is_phi ? func->blocks.at[block].preds.count : CY_COUNT(insn->args);
    for (size_t i = 0; i < count; i++) {
        const cy_sir_value value = is_phi ? func->phi_args.at[insn->args[0] + i] : insn->args[i];
        if (value && !u->value[value])
            return false;
    }
    return true;
}

static bool is_uniform(const struct cy_sir_uniform *u, const struct cy_sir_func *func, const struct cy_sir_insn *insn)
{
    switch (insn->op) {
    case CY_SIR_SOURCE:
        return cy_sir_sources[insn->imm].is_uniform &&
               !(func->strip.straddles && (insn->imm == CY_SIR_SOURCE_TID || insn->imm == CY_SIR_SOURCE_WARP));
    case CY_SIR_UNDEF: return true;
    case CY_SIR_GET: return u->cell[insn->imm];
    case CY_SIR_RESTORE: return u->slot[insn->imm];
    case CY_SIR_LOAD: return func->accesses.at[insn->access].is_scalar; /* others give junk outside of the mask */
    case CY_SIR_ANY:
    case CY_SIR_ALL:
    case CY_SIR_POPCOUNT:
    case CY_SIR_FIRST:
    case CY_SIR_EXTRACT:
    case CY_SIR_LAST:
    case CY_SIR_GET_X: return true;
    case CY_SIR_ATOMIC:
    case CY_SIR_CAS:
    case CY_SIR_LR:
    case CY_SIR_SC:
    case CY_SIR_GET_V: return false;
    case CY_SIR_INSERT: return func->strip.lanes == 1;
    default: return has_uniform_arguments(u, func, insn, insn->block);
    }
}

/* True: something has changed. */
static bool look_again(struct cy_sir_uniform *u, const struct cy_sir_func *func, const struct cy_sir_insn *insn,
                       cy_sir_value value)
{
    bool *what = &u->value[value], now;
    if (insn->op == CY_SIR_SET) {
        what = &u->cell[insn->imm];
        now = func->cells.at[insn->imm].is_warp || (u->value[insn->args[0]] && !insn->mask);
    } else if (insn->op == CY_SIR_SAVE) {
        what = &u->slot[insn->imm];
        now = u->value[insn->args[0]];
    } else {
        now = is_uniform(u, func, insn);
    }
    if (now || !*what)
        return false;
    *what = false;
    return true;
}

struct cy_sir_uniform cy_sir_find_uniform(struct cy_arena *arena, const struct cy_sir_func *func)
{
    struct cy_sir_uniform u = {all_true(arena, func->insns.count), all_true(arena, func->cells.count),
                               all_true(arena, func->slots)};
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = 0; b < func->blocks.count; b++)
            for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
                const cy_sir_value value = func->blocks.at[b].list.at[i];
                changed |= look_again(&u, func, cy_sir_at(func, value), value);
            }
    }
    return u;
}
