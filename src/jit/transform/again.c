/* Values that follow from what the launch gives are computed again where they would be kept: in a slot of the strip's record across a
 * barrier, or in a phi that joins several copies of one computation.
 *
 *     %7 = restore i32 slot 2                   %1 = source i32 lane
 *                                               %2 = const i32 4
 *                                               %7 = mul i32 %1, %2
 *
 * They are numbered: two have the same number if they are the same operation on the same ones, a phi if all that it joins have one, and
 * what is restored if all that is saved has.  What a slot holds already is not saved again, and what nobody restores is not saved. */
#include "jit/transform/transform.h"

#include "jit/analyse/address.h"

#include <string.h>

/* Numbers; the others are one more than the index of an expression. */
#define UNKNOWN 0u
#define NEVER UINT32_MAX

struct expression {
    cy_sir_value like; /* a value that is computed so */
    uint64_t imm;
    uint32_t args[3], key[3]; /* of its arguments; the same, as far as they tell it from others */
    uint16_t op;
    uint8_t type, cost;
};

struct again {
    struct cy_sir_func *func;
    struct cy_arena arena;
    struct cy_sir_shapes shapes;
    CY_VEC(struct expression) all;
    uint32_t *table, table_size; /* of numbers, by hash */
    uint32_t *number, *of_slot;  /* by value; by slot */
    cy_sir_value *by;            /* by value: what takes its place, or 0 */
    cy_sir_value *made;          /* by number: in the current block */
    size_t count;                /* of the values that were there before */
    CY_VEC(cy_sir_value) list;   /* of the block, as it becomes */
};

static void *zeroed(struct again *a, size_t count, size_t size)
{
    return memset(cy_arena_alloc(&a->arena, (count + 1) * size), 0, (count + 1) * size);
}

/* ---- expressions ---- */

static uint32_t hash(const struct expression *e)
{
    uint64_t h = e->op * 0x9e3779b97f4a7c15ull + e->type;
    h = (h ^ e->imm) * 0x9e3779b97f4a7c15ull;
    for (unsigned i = 0; i < CY_COUNT(e->key); i++)
        h = (h ^ e->key[i]) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(h >> 32);
}

static bool is_same(const struct expression *x, const struct expression *y)
{
    return x->op == y->op && x->type == y->type && x->imm == y->imm && !memcmp(x->key, y->key, sizeof(x->key));
}

static uint32_t number_of(struct again *a, const struct expression *e)
{
    uint32_t at = hash(e) & (a->table_size - 1);
    while (a->table[at] && !is_same(&a->all.at[a->table[at] - 1], e))
        at = (at + 1) & (a->table_size - 1);
    if (!a->table[at]) {
        *cy_vec_push(&a->all) = *e;
        a->table[at] = (uint32_t)a->all.count;
    }
    return a->table[at];
}

/* Floating point, and what is not cheap, is better kept. */
static unsigned cost_of(const struct cy_sir_insn *insn)
{
    enum { TOO_MUCH = 100, DIVISION = 3 };
    switch (insn->op) {
    case CY_SIR_CONST:
    case CY_SIR_SOURCE: return 0;
    case CY_SIR_DIVU:
    case CY_SIR_REMU: return DIVISION;
    case CY_SIR_DIVS:
    case CY_SIR_REMS:
    case CY_SIR_ROW: return TOO_MUCH;
    default: return insn->op >= CY_SIR_FADD && insn->op <= CY_SIR_FNARROW ? TOO_MUCH : 1;
    }
}

static uint32_t met(uint32_t x, uint32_t y)
{
    return x == UNKNOWN || x == y ? y : y == UNKNOWN ? x : NEVER;
}

static uint32_t phi_number(const struct again *a, const struct cy_sir_insn *insn)
{
    uint32_t number = UNKNOWN;
    for (size_t i = 0; i < a->func->blocks.at[insn->block].preds.count; i++)
        number = met(number, a->number[a->func->phi_args.at[insn->args[0] + i]]);
    return number;
}

/* Of a constant load, whose address says all. */
static bool describe_load(struct again *a, const struct cy_sir_insn *insn, struct expression *e)
{
    if (!cy_sir_is_constant_load(&a->shapes, insn) || insn->args[1])
        return false;
    const struct cy_sir_shape address = cy_sir_address_shape(&a->shapes, insn);
    e->imm = (uint64_t)address.origin << 48 | address.constant;
    e->key[0] = 0;
    return true;
}

static uint32_t computed_number(struct again *a, cy_sir_value value)
{
    enum { MOST = 8 };
    const struct cy_sir_insn *insn = cy_sir_at(a->func, value);
    struct expression e = {.like = value, .imm = insn->imm, .op = insn->op, .type = insn->type};
    unsigned cost = cost_of(insn);
    bool are_known = true;
    for (unsigned i = 0; i < cy_sir_ops[insn->op].arguments && i < CY_COUNT(e.args); i++) {
        e.args[i] = e.key[i] = insn->args[i] ? a->number[insn->args[i]] : UNKNOWN;
        if (e.args[i] == NEVER)
            return NEVER;
        are_known &= !insn->args[i] || e.args[i] != UNKNOWN;
        cost += e.args[i] != UNKNOWN ? a->all.at[e.args[i] - 1].cost : 0;
    }
    if (!are_known)
        return UNKNOWN;
    if (insn->op == CY_SIR_LOAD && !describe_load(a, insn, &e))
        return NEVER;
    e.cost = insn->op == CY_SIR_LOAD ? 1 : (uint8_t)cost;
    return cost <= MOST ? number_of(a, &e) : NEVER;
}

static uint32_t find_number(struct again *a, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(a->func, value);
    switch (insn->op) {
    case CY_SIR_UNDEF: return UNKNOWN;
    case CY_SIR_PHI: return phi_number(a, insn);
    case CY_SIR_RESTORE: return a->of_slot[insn->imm];
    case CY_SIR_LOAD: return computed_number(a, value);
    default: return cy_sir_ops[insn->op].flags & CY_SIR_PURE ? computed_number(a, value) : NEVER;
    }
}

/* True: something has changed.  What is known only becomes less. */
static bool look_again(struct again *a, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(a->func, value);
    uint32_t *what = &a->number[value], now;
    if (insn->op == CY_SIR_SAVE) {
        what = &a->of_slot[insn->imm];
        now = met(*what, a->number[insn->args[0]]);
    } else {
        now = *what == NEVER ? NEVER : met(*what, find_number(a, value));
    }
    const bool has_changed = now != *what;
    *what = now;
    return has_changed;
}

static void look_until_same(struct again *a)
{
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (size_t b = 0; b < a->func->blocks.count; b++)
            for (size_t i = 0; i < a->func->blocks.at[b].list.count; i++)
                has_changed |= look_again(a, a->func->blocks.at[b].list.at[i]);
    }
}

/* What is computed of something undefined is not undefined itself: a selection has the other value in some lanes. */
static bool is_of_undefined(const struct again *a, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(a->func, value);
    return a->number[value] == UNKNOWN && cy_sir_ops[insn->op].flags & CY_SIR_PURE && insn->op != CY_SIR_UNDEF;
}

static void find_numbers(struct again *a)
{
    look_until_same(a);
    for (cy_sir_value value = 1; value < a->count; value++)
        if (is_of_undefined(a, value))
            a->number[value] = NEVER;
    look_until_same(a);
}

/* ---- computing again ---- */

static cy_sir_value make_again(struct again *a, uint32_t b, uint32_t number)
{
    if (a->made[number] && cy_sir_at(a->func, a->made[number])->block == b)
        return a->made[number];
    const struct expression e = a->all.at[number - 1];
    const struct cy_sir_insn like = *cy_sir_at(a->func, e.like);
    cy_sir_value args[3] = {0};
    for (unsigned i = 0; i < CY_COUNT(args); i++)
        if (e.args[i] != UNKNOWN)
            args[i] = make_again(a, b, e.args[i]);
    const cy_sir_value made =
        cy_sir_make(a->func, (enum cy_sir_op)like.op, (enum cy_sir_type)like.type, args[0], args[1], args[2]);
    struct cy_sir_insn *insn = cy_sir_at(a->func, made);
    insn->imm = like.imm;
    insn->access = like.access;
    insn->pc = like.pc;
    insn->variable = like.variable;
    insn->block = b;
    a->made[number] = made;
    *cy_vec_push(&a->list) = made;
    return made;
}

static bool is_kept(const struct again *a, cy_sir_value value)
{
    const uint32_t number = a->number[value];
    const unsigned op = cy_sir_at(a->func, value)->op;
    return (op != CY_SIR_PHI && op != CY_SIR_RESTORE) || number == UNKNOWN || number == NEVER;
}

static void rewrite_block(struct again *a, uint32_t b)
{
    const size_t count = a->func->blocks.at[b].list.count;
    a->list.count = 0;
    for (size_t i = 0; i < count; i++)
        if (cy_sir_at(a->func, a->func->blocks.at[b].list.at[i])->op == CY_SIR_PHI &&
            is_kept(a, a->func->blocks.at[b].list.at[i]))
            *cy_vec_push(&a->list) = a->func->blocks.at[b].list.at[i];
    for (size_t i = 0; i < count; i++) {
        const cy_sir_value value = a->func->blocks.at[b].list.at[i];
        if (!is_kept(a, value))
            a->by[value] = make_again(a, b, a->number[value]);
        else if (cy_sir_at(a->func, value)->op != CY_SIR_PHI)
            *cy_vec_push(&a->list) = value;
    }
    a->func->blocks.at[b].list.count = 0;
    for (size_t i = 0; i < a->list.count; i++)
        *cy_vec_push(&a->func->blocks.at[b].list) = a->list.at[i];
}

static void use(const struct again *a, cy_sir_value *value)
{
    if (*value < a->count && a->by[*value])
        *value = a->by[*value];
}

static void use_all(struct again *a)
{
    struct cy_sir_func *func = a->func;
    for (size_t i = 0; i < func->phi_args.count; i++)
        use(a, &func->phi_args.at[i]);
    for (size_t b = 0; b < func->blocks.count; b++) {
        use(a, &func->blocks.at[b].condition);
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
            struct cy_sir_insn *insn = cy_sir_at(func, func->blocks.at[b].list.at[i]);
            for (unsigned k = 0; k < CY_COUNT(insn->args) && insn->op != CY_SIR_PHI; k++)
                use(a, &insn->args[k]);
            use(a, &insn->mask);
        }
    }
}

/* ---- saving ---- */

static bool is_saved_in_vain(const struct again *a, const struct cy_sir_insn *insn, const bool *are_restored)
{
    const struct cy_sir_insn *saved = insn->op == CY_SIR_SAVE ? cy_sir_at(a->func, insn->args[0]) : NULL;
    return saved && (!are_restored[insn->imm] || (saved->op == CY_SIR_RESTORE && saved->imm == insn->imm));
}

static void drop_saves(struct again *a)
{
    bool *are_restored = zeroed(a, a->func->slots, sizeof(*are_restored));
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t b = 0; b < a->func->blocks.count; b++) {
            struct cy_sir_block *block = &a->func->blocks.at[b];
            size_t kept = 0;
            for (size_t i = 0; i < block->list.count; i++) {
                const struct cy_sir_insn *insn = cy_sir_at(a->func, block->list.at[i]);
                if (insn->op == CY_SIR_RESTORE)
                    are_restored[insn->imm] = true;
                if (!pass || !is_saved_in_vain(a, insn, are_restored))
                    block->list.at[kept++] = block->list.at[i];
            }
            block->list.count = kept;
        }
}

void cy_sir_pass_again(struct cy_sir_func *func)
{
    struct again a = {.func = func, .count = func->insns.count};
    a.shapes = cy_sir_find_shapes(&a.arena, func);
    for (a.table_size = 64; a.table_size < 2 * a.count;)
        a.table_size *= 2;
    a.table = zeroed(&a, a.table_size, sizeof(*a.table));
    a.number = zeroed(&a, a.count, sizeof(*a.number));
    a.of_slot = zeroed(&a, func->slots, sizeof(*a.of_slot));
    a.by = zeroed(&a, a.count, sizeof(*a.by));
    find_numbers(&a);
    a.made = zeroed(&a, a.all.count, sizeof(*a.made));
    for (uint32_t b = 0; b < func->blocks.count; b++)
        rewrite_block(&a, b);
    use_all(&a);
    drop_saves(&a);
    cy_vec_free(&a.all);
    cy_vec_free(&a.list);
    cy_sir_free_shapes(&a.shapes);
    cy_arena_free(&a.arena);
}
