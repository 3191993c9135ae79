/* Operations whose results nobody uses go: registers are written more often than they are read. */
#include "jit/import/import_priv.h"

typedef CY_VEC(cy_sir_value) values;

static void use(struct cy_sir_func *func, bool *is_used, values *left, cy_sir_value value)
{
    (void)func;
    if (!value || is_used[value])
        return;
    is_used[value] = true;
    *cy_vec_push(left) = value;
}

static void use_arguments(struct cy_sir_func *func, bool *is_used, values *left, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(func, value);
    if (insn->op == CY_SIR_PHI) {
        for (size_t i = 0; i < func->blocks.at[insn->block].preds.count; i++)
            use(func, is_used, left, func->phi_args.at[insn->args[0] + i]);
        return;
    }
    for (unsigned i = 0; i < CY_COUNT(insn->args); i++)
        use(func, is_used, left, insn->args[i]);
}

static bool is_needed(const struct cy_sir_insn *insn)
{
    const unsigned removable[] = {CY_SIR_PHI, CY_SIR_GET, CY_SIR_GET_X, CY_SIR_GET_V, CY_SIR_LAST};
    for (unsigned i = 0; i < CY_COUNT(removable); i++)
        if (insn->op == removable[i])
            return false;
    return !(cy_sir_ops[insn->op].flags & CY_SIR_PURE);
}

void sweep(struct cy_sir_func *func)
{
    bool *is_used = cy_arena_alloc(&func->arena, func->insns.count * sizeof(*is_used));
    values left = {0};
    for (size_t b = 0; b < func->blocks.count; b++) {
        const struct cy_sir_block *block = &func->blocks.at[b];
        use(func, is_used, &left, block->condition);
        for (size_t i = 0; i < block->list.count; i++)
            if (is_needed(cy_sir_at(func, block->list.at[i])))
                use(func, is_used, &left, block->list.at[i]);
    }
    while (left.count)
        use_arguments(func, is_used, &left, left.at[--left.count]);
    for (size_t b = 0; b < func->blocks.count; b++) {
        struct cy_sir_block *block = &func->blocks.at[b];
        size_t kept = 0;
        for (size_t i = 0; i < block->list.count; i++) {
            if (is_used[block->list.at[i]])
                block->list.at[kept++] = block->list.at[i];
            else
                cy_sir_at(func, block->list.at[i])->block = CY_SIR_NOTHING;
        }
        block->list.count = kept;
    }
    cy_vec_free(&left);
}
