/* What is counted becomes counters: each block adds to them, with the population count of its mask.  Strips are warps.
 *
 * A strip keeps its counters in cells while it runs, so that loops add to numbers, and gives them to the frame when it ends or waits.
 * Counters of blocks that are executed once are the frame's. */
#include "jit/transform/transform.h"

#include <string.h>

struct count {
    struct cy_sir_func *func;
    struct cy_arena arena;
    uint32_t *cell_of; /* by counter; NOTHING: none */
    bool keeps;        /* counters in cells: of loops */
    bool is_looping;   /* what is counted now */
    cy_sir_value *old; /* the block's instructions */
    uint32_t block;
};

/* ---- code ---- */

static cy_sir_value emit(struct count *c, enum cy_sir_op op, enum cy_sir_type type, cy_sir_value a, cy_sir_value b,
                         cy_sir_value d)
{
    return cy_sir_append(c->func, c->block, op, type, a, b, d);
}

static cy_sir_value number(struct count *c, enum cy_sir_type type, uint64_t value)
{
    return cy_sir_const(c->func, c->block, type, value);
}

static uint32_t cell_of(struct count *c, uint32_t counter)
{
    if (c->cell_of[counter] == CY_SIR_NOTHING) {
        c->cell_of[counter] = (uint32_t)c->func->cells.count;
        *cy_vec_push(&c->func->cells) =
            (struct cy_sir_cell){.type = CY_SIR_I64, .variable = CY_SIR_NOTHING, .is_empty_at_barriers = true};
    }
    return c->cell_of[counter];
}

static void add(struct count *c, uint32_t counter, cy_sir_value amount)
{
    if (!c->is_looping || !c->keeps) {
        cy_sir_at(c->func, emit(c, CY_SIR_COUNT, CY_SIR_VOID, amount, 0, 0))->imm = counter;
        return;
    }
    const uint32_t cell = cell_of(c, counter);
    const cy_sir_value before = emit(c, CY_SIR_GET, CY_SIR_I64, 0, 0, 0);
    cy_sir_at(c->func, before)->imm = cell;
    const cy_sir_value sum = emit(c, CY_SIR_ADD, CY_SIR_I64, before, amount, 0);
    cy_sir_at(c->func, emit(c, CY_SIR_SET, CY_SIR_VOID, sum, 0, 0))->imm = cell;
}

static void add_number(struct count *c, uint32_t counter, uint64_t amount)
{
    if (amount)
        add(c, counter, number(c, CY_SIR_I64, amount));
}

/* i32: the lanes of a mask; 0: all. */
static cy_sir_value lanes_of(struct count *c, cy_sir_value mask)
{
    return mask ? emit(c, CY_SIR_POPCOUNT, CY_SIR_I32, mask, 0, 0) : number(c, CY_SIR_I32, c->func->strip.lanes);
}

static cy_sir_value extended(struct count *c, cy_sir_value value)
{
    return emit(c, CY_SIR_ZEXT, CY_SIR_I64, value, 0, 0);
}

/* ---- what is counted ---- */

/* All that the block issues under one mask. */
static void add_lanes(struct count *c, const struct cy_sir_code *sum, cy_sir_value mask)
{
    c->is_looping = sum->is_looping;
    add_number(c, CY_JIT_INSTRUCTIONS, sum->insns);
    add_number(c, CY_JIT_INTERPRETED, sum->interpreted);
    add_number(c, CY_JIT_VECTORS, sum->vectors);
    add_number(c, CY_JIT_BRANCHES, sum->branches);
    if (!sum->vectors)
        return;
    const cy_sir_value lanes = lanes_of(c, mask), vectors = number(c, CY_SIR_I64, sum->vectors);
    add(c, CY_JIT_ACTIVE, emit(c, CY_SIR_MUL, CY_SIR_I64, extended(c, lanes), vectors, 0));
    const cy_sir_value is_partial = emit(c, CY_SIR_NE, CY_SIR_I1, lanes, number(c, CY_SIR_I32, c->func->threads), 0);
    add(c, CY_JIT_PARTIAL, emit(c, CY_SIR_SELECT, CY_SIR_I64, is_partial, vectors, number(c, CY_SIR_I64, 0)));
}

static void add_issue(struct count *c, uint32_t code, cy_sir_value mask)
{
    c->is_looping = c->func->codes.at[code].is_looping;
    add_number(c, 2 * code, 1);
    add(c, 2 * code + 1, extended(c, lanes_of(c, mask)));
}

static void add_split(struct count *c, uint32_t code, cy_sir_value condition, cy_sir_value mask)
{
    c->is_looping = c->func->codes.at[code].is_looping;
    if (!mask)
        mask = number(c, CY_SIR_I1, 1);
    const cy_sir_value taken = emit(c, CY_SIR_AND, CY_SIR_I1, mask, condition, 0);
    const cy_sir_value rest = emit(c, CY_SIR_XOR, CY_SIR_I1, mask, taken, 0);
    const cy_sir_value some = emit(c, CY_SIR_ANY, CY_SIR_I1, taken, 0, 0);
    const cy_sir_value others = emit(c, CY_SIR_ANY, CY_SIR_I1, rest, 0, 0);
    const cy_sir_value both = emit(c, CY_SIR_AND, CY_SIR_I1, some, others, 0);
    const cy_sir_value one = extended(c, both);
    if (c->func->counts == CY_JIT_COUNT_INSNS) {
        add(c, 2 * code, one);
        return;
    }
    add(c, CY_JIT_SPLITS, one);
    add(c, CY_JIT_INSTRUCTIONS, emit(c, CY_SIR_ADD, CY_SIR_I64, one, one, 0));
}

/* Before the strip ends or waits. */
static void give_counters(struct count *c)
{
    for (uint32_t i = 0; i < c->func->counters; i++) {
        if (c->cell_of[i] == CY_SIR_NOTHING)
            continue;
        const cy_sir_value sum = emit(c, CY_SIR_GET, CY_SIR_I64, 0, 0, 0);
        cy_sir_at(c->func, sum)->imm = c->cell_of[i];
        cy_sir_at(c->func, emit(c, CY_SIR_COUNT, CY_SIR_VOID, sum, 0, 0))->imm = i;
        const cy_sir_value none = number(c, CY_SIR_I64, 0);
        cy_sir_at(c->func, emit(c, CY_SIR_SET, CY_SIR_VOID, none, 0, 0))->imm = c->cell_of[i];
    }
}

/* ---- blocks ---- */

/* Instructions under one mask are added up, as far as these counters do not tell them apart. */
static void add_issues(struct count *c, const struct cy_sir_insn *insn, struct cy_sir_code *sum)
{
    const struct cy_sir_code *code = &c->func->codes.at[insn->imm];
    if (c->func->counts == CY_JIT_COUNT_INSNS) {
        add_issue(c, (uint32_t)insn->imm, insn->mask);
        return;
    }
    sum->insns = (uint16_t)(sum->insns + code->insns);
    sum->interpreted = (uint16_t)(sum->interpreted + code->interpreted);
    sum->vectors = (uint16_t)(sum->vectors + code->vectors);
    sum->branches = (uint16_t)(sum->branches + code->branches);
    sum->is_looping |= code->is_looping;
}

static void rewrite(struct count *c, uint32_t b)
{
    struct cy_sir_func *func = c->func;
    const size_t count = func->blocks.at[b].list.count;
    struct cy_sir_code sum = {0};
    cy_sir_value mask = 0;
    c->block = b;
    c->old = cy_arena_alloc(&c->arena, (count + 1) * sizeof(*c->old));
    for (size_t i = 0; i < count; i++)
        c->old[i] = func->blocks.at[b].list.at[i];
    func->blocks.at[b].list.count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct cy_sir_insn insn = *cy_sir_at(func, c->old[i]);
        if (sum.insns && (insn.op != CY_SIR_ISSUE || insn.mask != mask)) {
            add_lanes(c, &sum, mask);
            sum = (struct cy_sir_code){0};
        }
        mask = insn.mask;
        if (insn.op == CY_SIR_ISSUE)
            add_issues(c, &insn, &sum);
        else if (insn.op == CY_SIR_SPLIT)
            add_split(c, (uint32_t)insn.imm, insn.args[0], insn.mask);
        else
            *cy_vec_push(&func->blocks.at[b].list) = c->old[i];
    }
    if (sum.insns)
        add_lanes(c, &sum, mask);
}

static void give_all(struct count *c, uint32_t b)
{
    struct cy_sir_func *func = c->func;
    const size_t count = func->blocks.at[b].list.count;
    c->block = b;
    c->old = cy_arena_alloc(&c->arena, (count + 1) * sizeof(*c->old));
    for (size_t i = 0; i < count; i++)
        c->old[i] = func->blocks.at[b].list.at[i];
    func->blocks.at[b].list.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (cy_sir_at(func, c->old[i])->op == CY_SIR_BARRIER)
            give_counters(c);
        *cy_vec_push(&func->blocks.at[b].list) = c->old[i];
    }
    if (func->blocks.at[b].terminator == CY_SIR_END)
        give_counters(c);
}

/* Where many would be in cells, phis of them would be more than what they save. */
static bool has_few_loops(const struct cy_sir_func *func)
{
    enum { FEW = 32 };
    unsigned count = 0;
    for (size_t i = 0; i < func->codes.count; i++)
        count += func->codes.at[i].is_looping;
    return count <= FEW;
}

void cy_sir_pass_count(struct cy_sir_func *func)
{
    struct count c = {.func = func};
    if (!func->counts)
        return;
    c.keeps = func->counts == CY_JIT_COUNT_LANES || has_few_loops(func);
    c.cell_of = cy_arena_alloc(&c.arena, (func->counters + 1) * sizeof(*c.cell_of));
    memset(c.cell_of, 0xff, (func->counters + 1) * sizeof(*c.cell_of));
    const uint32_t blocks = (uint32_t)func->blocks.count;
    for (uint32_t b = 0; b < blocks; b++)
        rewrite(&c, b);
    for (uint32_t b = 0; b < blocks; b++)
        give_all(&c, b);
    cy_arena_free(&c.arena);
}
