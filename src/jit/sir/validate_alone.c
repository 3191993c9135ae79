/* Where lanes may go one after the other: up to the join none of them waits for others, looks at what others have, or changes what
 * they share but memory. */
#include "jit/sir/sir.h"

static bool is_of_warp(const struct cy_sir_func *func, const struct cy_sir_insn *insn)
{
    return (insn->op == CY_SIR_GET || insn->op == CY_SIR_SET) && func->cells.at[insn->imm].is_warp;
}

static const char *check_block(const struct cy_sir_func *func, const struct cy_sir_block *block)
{
    for (size_t i = 0; i < block->list.count; i++) {
        const struct cy_sir_insn *insn = cy_sir_at(func, block->list.at[i]);
        switch (insn->op) {
        case CY_SIR_BARRIER:
        case CY_SIR_BARRIERSUB: return "lanes wait for others";
        case CY_SIR_LAST:
        case CY_SIR_LR:
        case CY_SIR_SC:
        case CY_SIR_PUT_X:
        case CY_SIR_PUT_V:
        case CY_SIR_GET_X:
        case CY_SIR_GET_V:
        case CY_SIR_INTERPRET: return "lanes look at others";
        default: break;
        }
        if (is_of_warp(func, insn))
            return "lanes look at the warp's state";
    }
    return block->terminator == CY_SIR_END ? "lanes end" : NULL;
}

const char *cy_sir_check_alone(const struct cy_sir_func *func, uint32_t branch)
{
    const struct cy_sir_block *split = &func->blocks.at[branch];
    const char *wrong = split->succ[0] == split->succ[1] ? "its sides are one" : NULL;
    struct cy_arena arena = {0};
    bool *is_there = cy_arena_alloc(&arena, func->blocks.count + 1);
    CY_VEC(uint32_t) left = {0};
    for (size_t b = 0; b < func->blocks.count; b++)
        is_there[b] = b == split->join;
    *cy_vec_push(&left) = branch;
    while (left.count && !wrong) {
        const uint32_t b = left.at[--left.count];
        wrong = b == branch && !is_there[b] ? NULL : check_block(func, &func->blocks.at[b]);
        for (uint32_t i = 0; i < cy_sir_succ_count(&func->blocks.at[b]); i++) {
            const uint32_t to = cy_sir_succ(&func->blocks.at[b], i);
            if (!is_there[to])
                *cy_vec_push(&left) = to;
            is_there[to] = true;
        }
    }
    cy_vec_free(&left);
    cy_arena_free(&arena);
    return wrong;
}
