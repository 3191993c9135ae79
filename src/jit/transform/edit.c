#include "jit/transform/edit.h"

void cy_sir_edit_begin(struct cy_sir_edit *edit, struct cy_sir_func *func)
{
    *edit = (struct cy_sir_edit){.func = func};
}

/* ---- replaced values ---- */

cy_sir_value cy_sir_same_as(struct cy_sir_edit *edit, cy_sir_value value)
{
    cy_sir_value is = value;
    while (is < edit->same.count && edit->same.at[is])
        is = edit->same.at[is];
    while (value != is) { /* the next time it is found at once */
        const cy_sir_value next = edit->same.at[value];
        edit->same.at[value] = is;
        value = next;
    }
    return is;
}

void cy_sir_edit_replace(struct cy_sir_edit *edit, cy_sir_value old, cy_sir_value by)
{
    while (edit->same.count <= old)
        *cy_vec_push(&edit->same) = 0;
    edit->same.at[old] = by;
    cy_sir_at(edit->func, old)->block = CY_SIR_NOTHING;
}

void cy_sir_update_arguments(struct cy_sir_edit *edit, cy_sir_value value)
{
    struct cy_sir_insn *insn = cy_sir_at(edit->func, value);
    for (unsigned i = 0; i < CY_COUNT(insn->args) && insn->op != CY_SIR_PHI; i++)
        insn->args[i] = cy_sir_same_as(edit, insn->args[i]);
    insn->mask = cy_sir_same_as(edit, insn->mask);
}

cy_sir_value cy_sir_same_arguments(struct cy_sir_edit *edit, cy_sir_value phi)
{
    const struct cy_sir_insn *insn = cy_sir_at(edit->func, phi);
    cy_sir_value common = 0;
    for (size_t i = 0; i < edit->func->blocks.at[insn->block].preds.count; i++) {
        const cy_sir_value value = cy_sir_same_as(edit, edit->func->phi_args.at[insn->args[0] + i]);
        if (value == phi || value == common)
            continue;
        if (common)
            return 0;
        common = value;
    }
    return common;
}

static void update_block(struct cy_sir_edit *edit, struct cy_sir_block *block)
{
    for (size_t i = 0; i < block->list.count; i++) {
        const struct cy_sir_insn *insn = cy_sir_at(edit->func, block->list.at[i]);
        cy_sir_update_arguments(edit, block->list.at[i]);
        for (size_t k = 0; k < block->preds.count && insn->op == CY_SIR_PHI; k++) {
            cy_sir_value *argument = &edit->func->phi_args.at[insn->args[0] + k];
            *argument = cy_sir_same_as(edit, *argument);
        }
    }
    block->condition = cy_sir_same_as(edit, block->condition);
}

/* ---- constants ---- */

static cy_sir_value *place_of(struct cy_sir_edit *edit, enum cy_sir_type type, uint64_t value)
{
    const uint32_t mask = edit->number_table_size - 1;
    uint32_t at = (uint32_t)((value * 0x9e3779b97f4a7c15ull) >> 40) + 0x85ebca6bu * type;
    for (at &= mask;; at = (at + 1) & mask) {
        const cy_sir_value found = edit->number_table[at];
        if (!found || (cy_sir_at(edit->func, found)->type == type && cy_sir_at(edit->func, found)->imm == value))
            return &edit->number_table[at];
    }
}

static void grow_table(struct cy_sir_edit *edit)
{
    edit->number_table_size = edit->number_table_size ? 2 * edit->number_table_size : 256;
    edit->number_table = cy_arena_alloc(&edit->arena, edit->number_table_size * sizeof(*edit->number_table));
    for (size_t i = 0; i < edit->numbers.count; i++) {
        const struct cy_sir_insn *insn = cy_sir_at(edit->func, edit->numbers.at[i]);
        *place_of(edit, (enum cy_sir_type)insn->type, insn->imm) = edit->numbers.at[i];
    }
}

static cy_sir_value *place_for(struct cy_sir_edit *edit, enum cy_sir_type type, uint64_t value)
{
    if (2 * edit->numbers.count >= edit->number_table_size)
        grow_table(edit);
    return place_of(edit, type, value);
}

cy_sir_value cy_sir_number(struct cy_sir_edit *edit, enum cy_sir_type type, uint64_t value)
{
    const unsigned bits = cy_sir_bits(type);
    value = bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
    cy_sir_value *place = place_for(edit, type, value);
    if (!*place) {
        *place = cy_sir_make(edit->func, CY_SIR_CONST, type, 0, 0, 0);
        cy_sir_at(edit->func, *place)->imm = value;
        *cy_vec_push(&edit->numbers) = *place;
    }
    return *place;
}

cy_sir_value cy_sir_same_number(struct cy_sir_edit *edit, cy_sir_value constant)
{
    const struct cy_sir_insn *insn = cy_sir_at(edit->func, constant);
    cy_sir_value *place = place_for(edit, (enum cy_sir_type)insn->type, insn->imm);
    if (!*place)
        *cy_vec_push(&edit->numbers) = *place = constant;
    return *place;
}

static void put_numbers_first(struct cy_sir_edit *edit)
{
    struct cy_sir_block *entry = &edit->func->blocks.at[0];
    cy_sir_values list = {0};
    for (size_t i = 0; i < edit->numbers.count; i++) {
        *cy_vec_push(&list) = edit->numbers.at[i];
        cy_sir_at(edit->func, edit->numbers.at[i])->block = 0;
    }
    for (size_t i = 0; i < entry->list.count; i++)
        *cy_vec_push(&list) = entry->list.at[i];
    cy_vec_free(&entry->list);
    entry->list.at = list.at;
    entry->list.count = list.count;
    entry->list.capacity = list.capacity;
}

void cy_sir_edit_end(struct cy_sir_edit *edit)
{
    for (size_t b = 0; b < edit->func->blocks.count; b++)
        update_block(edit, &edit->func->blocks.at[b]);
    put_numbers_first(edit);
    cy_sir_sweep(edit->func);
    cy_vec_free(&edit->same);
    cy_vec_free(&edit->numbers);
    cy_arena_free(&edit->arena);
}

/* ---- the graph ---- */

struct cy_graph cy_sir_graph(struct cy_arena *arena, const struct cy_sir_func *func)
{
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t b = 0; b < func->blocks.count; b++)
        for (uint32_t i = 0; i < cy_sir_succ_count(&func->blocks.at[b]); i++)
            *cy_vec_push(&edges) = (struct cy_edge){b, cy_sir_succ(&func->blocks.at[b], i)};
    const struct cy_graph graph = cy_graph_make(arena, (uint32_t)func->blocks.count, edges.at, edges.count);
    cy_vec_free(&edges);
    return graph;
}
