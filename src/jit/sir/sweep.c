/* Operations whose results nobody uses go, and what is put into cells that nobody reads.  Loads stay: they may fault. */
#include "jit/sir/sir.h"

typedef CY_VEC(cy_sir_value) values;

struct sweep {
    struct cy_sir_func *func;
    bool *is_used, *is_cell_read;
    values left, sets; /* used, but not what they use; and sets of cells */
};

static void use(struct sweep *s, cy_sir_value value)
{
    if (!value || s->is_used[value])
        return;
    s->is_used[value] = true;
    *cy_vec_push(&s->left) = value;
}

static void use_arguments(struct sweep *s, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(s->func, value);
    if (insn->op == CY_SIR_PHI) {
        for (size_t i = 0; i < s->func->blocks.at[insn->block].preds.count; i++)
            use(s, s->func->phi_args.at[insn->args[0] + i]);
        return;
    }
    for (unsigned i = 0; i < CY_COUNT(insn->args); i++)
        use(s, insn->args[i]);
    use(s, insn->mask);
    if (insn->op == CY_SIR_GET)
        s->is_cell_read[insn->imm] = true;
}

static bool is_needed(const struct cy_sir_insn *insn)
{
    const unsigned removable[] = {CY_SIR_PHI, CY_SIR_GET, CY_SIR_SET, CY_SIR_GET_X, CY_SIR_GET_V, CY_SIR_LAST};
    for (unsigned i = 0; i < CY_COUNT(removable); i++)
        if (insn->op == removable[i])
            return false;
    return !(cy_sir_ops[insn->op].flags & CY_SIR_PURE);
}

static void find_roots(struct sweep *s)
{
    for (size_t b = 0; b < s->func->blocks.count; b++) {
        const struct cy_sir_block *block = &s->func->blocks.at[b];
        use(s, block->condition);
        for (size_t i = 0; i < block->list.count; i++) {
            const struct cy_sir_insn *insn = cy_sir_at(s->func, block->list.at[i]);
            if (is_needed(insn))
                use(s, block->list.at[i]);
            else if (insn->op == CY_SIR_SET)
                *cy_vec_push(&s->sets) = block->list.at[i];
        }
    }
}

/* What is used by what is used; sets of cells that are read, once these are known, which may make others read. */
static void find_used(struct sweep *s)
{
    for (bool found = true; found;) {
        while (s->left.count)
            use_arguments(s, s->left.at[--s->left.count]);
        found = false;
        for (size_t i = 0; i < s->sets.count; i++)
            if (s->is_cell_read[cy_sir_at(s->func, s->sets.at[i])->imm] && !s->is_used[s->sets.at[i]]) {
                use(s, s->sets.at[i]);
                found = true;
            }
    }
}

static void keep_used(struct sweep *s, struct cy_sir_block *block)
{
    size_t kept = 0;
    for (size_t i = 0; i < block->list.count; i++) {
        if (s->is_used[block->list.at[i]])
            block->list.at[kept++] = block->list.at[i];
        else
            cy_sir_at(s->func, block->list.at[i])->block = CY_SIR_NOTHING;
    }
    block->list.count = kept;
}

void cy_sir_sweep(struct cy_sir_func *func)
{
    struct cy_arena arena = {0};
    struct sweep s = {.func = func};
    s.is_used = cy_arena_alloc(&arena, (func->insns.count + 1) * sizeof(*s.is_used));
    s.is_cell_read = cy_arena_alloc(&arena, (func->cells.count + 1) * sizeof(*s.is_cell_read));
    find_roots(&s);
    find_used(&s);
    for (size_t b = 0; b < func->blocks.count; b++)
        keep_used(&s, &func->blocks.at[b]);
    cy_vec_free(&s.left);
    cy_vec_free(&s.sets);
    cy_arena_free(&arena);
}
