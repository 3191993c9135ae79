/* Addresses become base, index and offset of their access: constant parts of sums, wherever in them they are, go into the offset, and a
 * word that is extended, shifted and added to an address of 64 bits becomes its index.
 *
 *     %3 = add i32 %1, 4                       %9 = shl i32 %1, 2
 *     %4 = shl i32 %3, 2                       %10 = add i32 %2, %9
 *     %5 = add i32 %2, %4                      load %10, access with offset 16
 *     load %5
 *
 * Accesses near each other then have one base, which is computed once (values.c) and checked once. */
#include "jit/transform/edit.h"
#include "jit/transform/transform.h"

enum {
    DEEPEST = 12,          /* of a sum */
    MOST_OFFSET = 1 << 20, /* so that sums of offsets and sizes stay far from 2^31 */
    MOST_SCALE = 6
};

/* A value is `rest` + `constant`; rest 0: it is a constant.  Not known yet: `is_known` is not set. */
struct parts {
    cy_sir_value rest;
    bool is_known;
    uint64_t constant;
};

struct addresses {
    struct cy_sir_edit edit;
    CY_VEC(struct parts) parts; /* by value */
    CY_VEC(cy_sir_value) made;  /* to be put in front of the value that they are a part of */
    CY_VEC(cy_sir_value) owner;
    uint32_t *users; /* by access, of those that there were: instructions that have it */
    size_t access_count;
};

static struct cy_sir_insn *insn_at(const struct addresses *a, cy_sir_value value)
{
    return cy_sir_at(a->edit.func, value);
}

/* ---- sums ---- */

static struct parts parts_of(struct addresses *a, cy_sir_value value, unsigned depth);

/* Of a large one, such as the address of an array, most stays in the base: the same part for all that are near each other. */
static struct parts parts_of_constant(struct addresses *a, cy_sir_value value)
{
    const struct cy_sir_insn insn = *insn_at(a, value);
    const unsigned rest = 64 - cy_sir_bits((enum cy_sir_type)insn.type);
    const int64_t number = (int64_t)(insn.imm << rest) >> rest;
    if (number <= MOST_OFFSET / 2 && number >= -MOST_OFFSET / 2)
        return (struct parts){0, true, insn.imm};
    const uint64_t large = (insn.imm + MOST_OFFSET / 2) & ~(uint64_t)(MOST_OFFSET - 1);
    return (struct parts){cy_sir_number(&a->edit, (enum cy_sir_type)insn.type, large), true, insn.imm - large};
}

/* The same operation on other arguments, in front of it. */
static cy_sir_value made(struct addresses *a, cy_sir_value owner, enum cy_sir_op op, cy_sir_value x, cy_sir_value y)
{
    const struct cy_sir_insn old = *insn_at(a, owner);
    const cy_sir_value value = cy_sir_make(a->edit.func, op, (enum cy_sir_type)old.type, x, y, 0);
    struct cy_sir_insn *insn = insn_at(a, value);
    insn->pc = old.pc;
    insn->variable = old.variable;
    insn->block = old.block;
    *cy_vec_push(&a->made) = value;
    *cy_vec_push(&a->owner) = owner;
    return value;
}

static struct parts parts_of_sum(struct addresses *a, cy_sir_value value, unsigned depth)
{
    const struct cy_sir_insn insn = *insn_at(a, value);
    const bool adds = insn.op == CY_SIR_ADD;
    const struct parts x = parts_of(a, insn.args[0], depth + 1), y = parts_of(a, insn.args[1], depth + 1);
    struct parts sum = {value, true, adds ? x.constant + y.constant : x.constant - y.constant};
    if ((x.rest == insn.args[0] && y.rest == insn.args[1]) || (!x.rest && !adds && y.rest))
        return (struct parts){value, true, 0};
    if (x.rest && y.rest)
        sum.rest = made(a, value, (enum cy_sir_op)insn.op, x.rest, y.rest);
    else
        sum.rest = x.rest ? x.rest : y.rest;
    return sum;
}

/* A sum times a constant. */
static struct parts parts_of_product(struct addresses *a, cy_sir_value value, unsigned depth)
{
    const struct cy_sir_insn insn = *insn_at(a, value);
    uint64_t factor;
    if (!cy_sir_is_constant(a->edit.func, insn.args[1], &factor))
        return (struct parts){value, true, 0};
    const struct parts x = parts_of(a, insn.args[0], depth + 1);
    if (x.rest == insn.args[0] || !x.rest ||
        (insn.op == CY_SIR_SHL && factor >= cy_sir_bits((enum cy_sir_type)insn.type)))
        return (struct parts){value, true, 0};
    const uint64_t constant = insn.op == CY_SIR_SHL ? x.constant << factor : x.constant * factor;
    return (struct parts){made(a, value, (enum cy_sir_op)insn.op, x.rest, insn.args[1]), true, constant};
}

static struct parts parts_of(struct addresses *a, cy_sir_value value, unsigned depth)
{
    const struct cy_sir_insn *insn = insn_at(a, value);
    struct parts parts = {value, true, 0};
    while (a->parts.count <= value)
        *cy_vec_push(&a->parts) = (struct parts){0};
    if (a->parts.at[value].is_known)
        return a->parts.at[value];
    if (insn->op == CY_SIR_CONST)
        parts = parts_of_constant(a, value);
    else if (depth < DEEPEST && (insn->op == CY_SIR_ADD || insn->op == CY_SIR_SUB))
        parts = parts_of_sum(a, value, depth);
    else if (depth < DEEPEST && (insn->op == CY_SIR_SHL || insn->op == CY_SIR_MUL))
        parts = parts_of_product(a, value, depth);
    while (a->parts.count <= value)
        *cy_vec_push(&a->parts) = (struct parts){0};
    a->parts.at[value] = parts;
    return parts;
}

/* ---- accesses ---- */

/* A row that only this instruction has. */
static struct cy_sir_access *own_access(struct addresses *a, cy_sir_value value)
{
    struct cy_sir_func *func = a->edit.func;
    uint32_t *number = &insn_at(a, value)->access;
    if (*number < a->access_count && a->users[*number] > 1) {
        const struct cy_sir_access copy = func->accesses.at[*number];
        *cy_vec_push(&func->accesses) = copy;
        *number = (uint32_t)func->accesses.count - 1;
    }
    return &func->accesses.at[*number];
}

static void count_users(struct addresses *a)
{
    const struct cy_sir_func *func = a->edit.func;
    a->access_count = func->accesses.count;
    a->users = cy_arena_alloc(&a->edit.arena, (a->access_count + 1) * sizeof(*a->users));
    for (size_t b = 0; b < func->blocks.count; b++)
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
            const struct cy_sir_insn *insn = insn_at(a, func->blocks.at[b].list.at[i]);
            if (insn->access != CY_SIR_NOTHING)
                a->users[insn->access]++;
        }
}

/* Near addresses are of 32 bits. */
static void take_offset(struct addresses *a, cy_sir_value value)
{
    const cy_sir_value base = insn_at(a, value)->args[0];
    const struct cy_sir_access *access = &a->edit.func->accesses.at[insn_at(a, value)->access];
    const struct parts parts = parts_of(a, base, 0);
    const uint64_t sum = (uint64_t)access->offset + parts.constant;
    const int64_t offset = access->space == CY_SIR_FAR ? (int64_t)sum : (int32_t)(uint32_t)sum;
    if (!parts.rest || parts.rest == base || offset > MOST_OFFSET || offset < -MOST_OFFSET)
        return;
    own_access(a, value)->offset = offset;
    insn_at(a, value)->args[0] = parts.rest;
}

/* An extended word, shifted or not; 0: it is none. */
static cy_sir_value index_of(const struct addresses *a, cy_sir_value value, uint64_t *scale, bool *is_signed)
{
    const struct cy_sir_insn *insn = insn_at(a, value);
    *scale = 0;
    if (insn->op == CY_SIR_SHL && cy_sir_is_constant(a->edit.func, insn->args[1], scale) && *scale <= MOST_SCALE)
        insn = insn_at(a, insn->args[0]);
    *is_signed = insn->op == CY_SIR_SEXT;
    const bool is_extended = insn->op == CY_SIR_SEXT || insn->op == CY_SIR_ZEXT;
    return is_extended && insn_at(a, insn->args[0])->type == CY_SIR_I32 ? insn->args[0] : 0;
}

struct index {
    cy_sir_value value, base;
    uint64_t scale;
    bool is_signed;
};

/* Of two, the one that is scaled: the other one may be a base that happens to be a word. */
static struct index choose_index(const struct addresses *a, const struct cy_sir_insn *sum)
{
    struct index best = {0};
    for (unsigned i = 0; i < 2; i++) {
        struct index index = {.base = sum->args[!i]};
        index.value = index_of(a, sum->args[i], &index.scale, &index.is_signed);
        if (index.value && (!best.value || index.scale >= best.scale))
            best = index;
    }
    return best;
}

static void take_index(struct addresses *a, cy_sir_value value)
{
    const struct cy_sir_insn insn = *insn_at(a, value), sum = *insn_at(a, insn.args[0]);
    if (a->edit.func->accesses.at[insn.access].space != CY_SIR_FAR || insn.args[1] || sum.op != CY_SIR_ADD)
        return;
    const struct index index = choose_index(a, &sum);
    if (!index.value)
        return;
    struct cy_sir_access *access = own_access(a, value);
    access->scale = (uint8_t)index.scale;
    access->is_index_signed = index.is_signed;
    insn_at(a, value)->args[0] = index.base;
    insn_at(a, value)->args[1] = index.value;
}

static bool has_address(unsigned op)
{
    return op == CY_SIR_LOAD || op == CY_SIR_STORE || op == CY_SIR_ATOMIC || op == CY_SIR_CAS;
}

/* ---- where the parts are put ---- */

/* Stable, by owner: parts of one value stay in their order. */
static void put_parts(struct addresses *a)
{
    struct cy_sir_func *func = a->edit.func;
    const size_t count = func->insns.count + 1;
    uint32_t *start = cy_arena_alloc(&a->edit.arena, (count + 1) * sizeof(*start));
    cy_sir_value *sorted = cy_arena_alloc(&a->edit.arena, (a->made.count + 1) * sizeof(*sorted));
    for (size_t i = 0; i < a->owner.count; i++)
        start[a->owner.at[i] + 1]++;
    for (size_t i = 1; i <= count; i++)
        start[i] += start[i - 1];
    for (size_t i = 0; i < a->owner.count; i++)
        sorted[start[a->owner.at[i]]++] = a->made.at[i];
    for (size_t b = 0; b < func->blocks.count; b++) {
        struct cy_sir_block *block = &func->blocks.at[b];
        cy_sir_values list = {0};
        for (size_t i = 0; i < block->list.count; i++) {
            const cy_sir_value value = block->list.at[i];
            for (uint32_t k = value ? start[value - 1] : 0; k < start[value]; k++)
                *cy_vec_push(&list) = sorted[k];
            *cy_vec_push(&list) = value;
        }
        cy_vec_free(&block->list);
        block->list.at = list.at;
        block->list.count = list.count;
        block->list.capacity = list.capacity;
    }
}

void cy_sir_pass_addresses(struct cy_sir_func *func)
{
    struct addresses a = {.parts = {0}};
    cy_sir_edit_begin(&a.edit, func);
    count_users(&a);
    for (size_t b = 0; b < func->blocks.count; b++)
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
            const cy_sir_value value = func->blocks.at[b].list.at[i];
            if (!has_address(cy_sir_at(func, value)->op))
                continue;
            take_offset(&a, value);
            take_index(&a, value);
        }
    put_parts(&a);
    cy_sir_edit_end(&a.edit);
    cy_vec_free(&a.parts);
    cy_vec_free(&a.made);
    cy_vec_free(&a.owner);
}
