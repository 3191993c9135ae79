/* Registers -> values, per lane, as in Braun et al. (CC 2013), with phis only for what is live.  A pair of registers is one value of 64 bits
 * where its next reader takes it as one, else two of 32. */
#include "jit/import/import_priv.h"

#include <string.h>

static bool is_pair(unsigned variable)
{
    return variable >= FIRST_X_PAIR;
}
static unsigned pair_of(unsigned number)
{
    return FIRST_X_PAIR + number / 2;
}
static unsigned low_half(unsigned pair)
{
    return 2 * (pair - FIRST_X_PAIR);
}
static bool is_cell(const struct importer *im, unsigned number)
{
    return im->cell[number] != NONE;
}
static bool is_live(const struct importer *im, uint32_t block, unsigned number)
{
    const struct cy_regs *live = &im->live[block];
    return number < FIRST_V ? cy_regs_has_x(live, number) : cy_regs_has_v(live, number - FIRST_V);
}

cy_sir_value same_as(const struct importer *im, cy_sir_value value)
{
    while (value < im->replaced_count && im->replaced[value])
        value = im->replaced[value];
    return value;
}

/* ---- cells ---- */

static void make_cell(struct importer *im, unsigned number)
{
    im->cell[number] = (uint32_t)im->func->cells.count;
    *cy_vec_push(&im->func->cells) =
        (struct cy_sir_cell){.type = CY_SIR_I32, .is_warp = number < FIRST_V, .variable = number};
}

static cy_sir_value cell_op(struct importer *im, enum cy_sir_op op, unsigned variable, cy_sir_value value)
{
    const enum cy_sir_type type = op == CY_SIR_GET ? CY_SIR_I32 : CY_SIR_VOID;
    const cy_sir_value made = cy_sir_append(im->func, im->block, op, type, value, 0, 0);
    cy_sir_at(im->func, made)->imm = im->cell[variable];
    cy_sir_at(im->func, made)->pc = im->at == NONE ? 0 : pc_of(im, im->at);
    if (op == CY_SIR_GET)
        cy_sir_at(im->func, made)->variable = variable;
    return made;
}

/* ---- variables of a block ---- */

static cy_sir_value take(struct importer *im, struct values *values, unsigned variable)
{
    cy_sir_value *value = &values->of[variable];
    if (*value)
        return *value;
    if (is_pair(variable)) {
        const unsigned low = low_half(variable);
        const cy_sir_value a = take(im, values, low), b = take(im, values, low + 1);
        *value = make(im, CY_SIR_PAIR, CY_SIR_I64, a, b, 0);
    } else if (values->of[pair_of(variable)]) {
        const enum cy_sir_op op = variable & 1 ? CY_SIR_HIGH : CY_SIR_LOW;
        *value = make(im, op, CY_SIR_I32, values->of[pair_of(variable)], 0, 0);
    } else {
        *value = cy_sir_append(im->func, im->block, CY_SIR_UNDEF, CY_SIR_I32, 0, 0, 0);
    }
    return *value;
}

static cy_sir_value read_variable(struct importer *im, unsigned variable)
{
    if (is_pair(variable)) {
        const unsigned low = low_half(variable);
        if (is_cell(im, low) || is_cell(im, low + 1))
            return make(im, CY_SIR_PAIR, CY_SIR_I64, read_variable(im, low), read_variable(im, low + 1), 0);
    } else if (is_cell(im, variable)) {
        return cell_op(im, CY_SIR_GET, variable, 0);
    }
    return take(im, &im->values, variable);
}

static void name(struct importer *im, cy_sir_value value, unsigned variable)
{
    struct cy_sir_insn *insn = cy_sir_at(im->func, value);
    if (insn->variable == CY_SIR_NOTHING && insn->op != CY_SIR_CONST && insn->op != CY_SIR_SOURCE)
        insn->variable = is_pair(variable) ? low_half(variable) : variable;
}

static void write_half(struct importer *im, unsigned number, cy_sir_value value)
{
    if (is_cell(im, number)) {
        cell_op(im, CY_SIR_SET, number, value);
        return;
    }
    if (im->values.of[pair_of(number)])
        take(im, &im->values, number ^ 1);
    im->values.of[pair_of(number)] = 0;
    im->values.of[number] = value;
    name(im, value, number);
}

static void write_pair(struct importer *im, unsigned pair, cy_sir_value value)
{
    const unsigned low = low_half(pair);
    if (is_cell(im, low) || is_cell(im, low + 1)) {
        write_half(im, low, make(im, CY_SIR_LOW, CY_SIR_I32, value, 0, 0));
        write_half(im, low + 1, make(im, CY_SIR_HIGH, CY_SIR_I32, value, 0, 0));
        return;
    }
    im->values.of[low] = im->values.of[low + 1] = 0;
    im->values.of[pair] = value;
    name(im, value, pair);
}

cy_sir_value import_read_x(struct importer *im, unsigned number_)
{
    return number_ ? read_variable(im, number_) : number(im, CY_SIR_I32, 0);
}
cy_sir_value import_read_v(struct importer *im, unsigned number)
{
    return read_variable(im, FIRST_V + number);
}
cy_sir_value import_read_x_pair(struct importer *im, unsigned number_)
{
    return number_ ? read_variable(im, FIRST_X_PAIR + number_ / 2) : number(im, CY_SIR_I64, 0);
}
cy_sir_value read_v_pair(struct importer *im, unsigned number)
{
    return read_variable(im, FIRST_V_PAIR + number / 2);
}
void import_write_x(struct importer *im, unsigned number, cy_sir_value value)
{
    if (number)
        write_half(im, number, value);
}
void import_write_v(struct importer *im, unsigned number, cy_sir_value value)
{
    write_half(im, FIRST_V + number, value);
}
void import_write_x_pair(struct importer *im, unsigned number, cy_sir_value value)
{
    if (number)
        write_pair(im, FIRST_X_PAIR + number / 2, value);
}
void write_v_pair(struct importer *im, unsigned number, cy_sir_value value)
{
    write_pair(im, FIRST_V_PAIR + number / 2, value);
}

/* ---- where blocks meet ---- */

static cy_sir_value value_at_end(struct importer *im, uint32_t block, unsigned variable)
{
    const uint32_t own = im->block, at = im->at;
    im->block = block;
    im->at = NONE;
    const cy_sir_value value = take(im, &im->ends[block], variable);
    im->block = own;
    im->at = at;
    return value;
}

struct held held_at_end(const struct importer *im, uint32_t block, unsigned number)
{
    const struct values *end = &im->ends[block];
    const cy_sir_value value = same_as(im, end->of[number]), pair = same_as(im, end->of[pair_of(number)]);
    const struct cy_sir_insn *insn = cy_sir_at(im->func, value);
    if (value && (insn->op == CY_SIR_LOW || insn->op == CY_SIR_HIGH))
        return (struct held){same_as(im, insn->args[0]), insn->op == CY_SIR_HIGH, true};
    return value ? (struct held){value, false, false} : (struct held){pair, number & 1, true};
}

/* The same value at the end of all blocks before this one, which are made already; else 0. */
static cy_sir_value common_value(struct importer *im, uint32_t block, unsigned variable)
{
    const size_t count = im->func->blocks.at[block].preds.count;
    cy_sir_value common = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t from = im->func->blocks.at[block].preds.at[i];
        if (from >= block)
            return 0;
        const cy_sir_value value = value_at_end(im, from, variable);
        if (i && value != common)
            return 0;
        common = value;
    }
    return common;
}

static void meet(struct importer *im, uint32_t block, unsigned variable)
{
    cy_sir_value value = common_value(im, block, variable);
    if (!value) {
        value = cy_sir_phi(im->func, block, is_pair(variable) ? CY_SIR_I64 : CY_SIR_I32);
        *cy_vec_push(&im->phis) = (struct pending_phi){value, block, (uint16_t)variable};
        name(im, value, variable);
    }
    im->values.of[variable] = value;
}

static bool have_pair(const struct importer *im, uint32_t block, unsigned pair)
{
    const struct cy_sir_block *at = &im->func->blocks.at[block];
    for (size_t i = 0; i < at->preds.count; i++)
        if (at->preds.at[i] >= block || !im->ends[at->preds.at[i]].of[pair] ||
            im->ends[at->preds.at[i]].of[pair] != im->ends[at->preds.at[0]].of[pair])
            return false;
    return true;
}

static void meet_pair(struct importer *im, uint32_t block, unsigned pair)
{
    const unsigned low = low_half(pair), index = pair - FIRST_X_PAIR;
    const bool needs[] = {is_live(im, block, low) && !is_cell(im, low),
                          is_live(im, block, low + 1) && !is_cell(im, low + 1)};
    const bool is_one = im->live_pairs[block * PAIR_WORDS + index / 64] >> index % 64 & 1;
    const bool has_cells = is_cell(im, low) || is_cell(im, low + 1);
    if (!has_cells && (needs[0] || needs[1]) && (is_one || have_pair(im, block, pair))) {
        meet(im, block, pair);
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        if (needs[i])
            meet(im, block, low + i);
}

/* Registers are 0 at the start. */
static void begin_entry(struct importer *im)
{
    const cy_sir_value zero = number(im, CY_SIR_I32, 0);
    for (unsigned r = 0; r < FIRST_X_PAIR; r++) {
        im->values.of[r] = zero;
        if (is_cell(im, r))
            cell_op(im, CY_SIR_SET, r, zero);
    }
}

void begin_block(struct importer *im, uint32_t block)
{
    const struct cy_sir_block *at = &im->func->blocks.at[block];
    im->block = block;
    im->at = NONE;
    memset(&im->values, 0, sizeof(im->values));
    if (!block) {
        begin_entry(im);
        return;
    }
    if (at->preds.count == 1) {
        im->values = im->ends[at->preds.at[0]];
        return;
    }
    for (unsigned pair = FIRST_X_PAIR; pair < VARIABLES; pair++)
        meet_pair(im, block, pair);
}

void end_block(struct importer *im)
{
    im->ends[im->block] = im->values;
}

void begin_registers(struct importer *im)
{
    im->number_table_size = im->number_count = 0;
    im->number_table = NULL;
    memset(im->sources, 0, sizeof(im->sources));
    im->phis.count = 0;
    im->replaced_count = 0;
    im->interpreted = 0;
    im->ends = cy_arena_alloc(&im->arena, im->blocks.count * sizeof(*im->ends));
    for (unsigned r = 0; r < FIRST_X_PAIR; r++) {
        const bool is_one = r < FIRST_V ? cy_regs_has_x(&im->cells, r) : cy_regs_has_v(&im->cells, r - FIRST_V);
        im->cell[r] = NONE;
        if (is_one)
            make_cell(im, r);
    }
}

/* ---- afterwards ---- */

/* A phi of one value and itself is that value. */
static bool simplify_phi(struct importer *im, const struct pending_phi *phi)
{
    const size_t count = im->func->blocks.at[phi->block].preds.count;
    const cy_sir_value *args = im->func->phi_args.at + cy_sir_at(im->func, phi->phi)->args[0];
    cy_sir_value only = 0;
    if (im->replaced[phi->phi])
        return false;
    for (size_t i = 0; i < count; i++) {
        const cy_sir_value value = same_as(im, args[i]);
        if (value == phi->phi || value == only)
            continue;
        if (only)
            return false;
        only = value;
    }
    im->replaced[phi->phi] = only;
    return only != 0;
}

void complete_phis(struct importer *im)
{
    for (size_t i = 0; i < im->phis.count; i++) {
        const struct pending_phi phi = im->phis.at[i];
        const size_t count = im->func->blocks.at[phi.block].preds.count;
        const uint32_t first = cy_sir_at(im->func, phi.phi)->args[0];
        for (size_t k = 0; k < count; k++) {
            const cy_sir_value value = value_at_end(im, im->func->blocks.at[phi.block].preds.at[k], phi.variable);
            im->func->phi_args.at[first + k] = value;
        }
    }
    im->replaced_count = im->func->insns.count;
    im->replaced = cy_arena_alloc(&im->arena, im->replaced_count * sizeof(*im->replaced));
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (size_t i = 0; i < im->phis.count; i++)
            has_changed |= simplify_phi(im, &im->phis.at[i]);
    }
}

void finish_registers(struct importer *im)
{
    struct cy_sir_func *func = im->func;
    for (size_t i = 1; i < func->insns.count; i++)
        for (unsigned k = 0; k < CY_COUNT(func->insns.at[i].args) && func->insns.at[i].op != CY_SIR_PHI; k++)
            func->insns.at[i].args[k] = same_as(im, func->insns.at[i].args[k]);
    for (size_t i = 0; i < func->phi_args.count; i++)
        func->phi_args.at[i] = same_as(im, func->phi_args.at[i]);
    for (size_t b = 0; b < func->blocks.count; b++)
        func->blocks.at[b].condition = same_as(im, func->blocks.at[b].condition);
    cy_sir_sweep(func);
}
