/* Operations, simplified where they are made: constants, and what comes from the guest's code by construction (stack pointers that grow
 * and shrink again, halves of pairs that are put together again, flags that are compared with 0).  More is for passes to find. */
#include "jit/import/import_priv.h"

enum cy_sir_type type_of(const struct importer *im, cy_sir_value value)
{
    return (enum cy_sir_type)cy_sir_at(im->func, value)->type;
}

static enum cy_sir_op op_of(const struct importer *im, cy_sir_value value)
{
    return value ? (enum cy_sir_op)cy_sir_at(im->func, value)->op : CY_SIR_NONE;
}

static cy_sir_value arg_of(const struct importer *im, cy_sir_value value, unsigned nth)
{
    return cy_sir_at(im->func, value)->args[nth];
}

bool is_number(const struct importer *im, cy_sir_value value, uint64_t *what)
{
    *what = op_of(im, value) == CY_SIR_CONST ? cy_sir_at(im->func, value)->imm : 0;
    return op_of(im, value) == CY_SIR_CONST;
}

static bool is_the_number(const struct importer *im, cy_sir_value value, uint64_t what)
{
    uint64_t is;
    return is_number(im, value, &is) && is == what;
}

/* ---- what the entry has for all blocks ---- */

static uint32_t *place_of_number(struct importer *im, enum cy_sir_type type, uint64_t value)
{
    const uint32_t mask = im->number_table_size - 1;
    uint32_t at = (uint32_t)((value * 0x9e3779b97f4a7c15ull) >> 40) + 0x85ebca6bu * type;
    for (at &= mask;; at = (at + 1) & mask) {
        const cy_sir_value found = im->number_table[at];
        if (!found || (type_of(im, found) == type && cy_sir_at(im->func, found)->imm == value))
            return &im->number_table[at];
    }
}

static void grow_numbers(struct importer *im)
{
    const uint32_t *const before = im->number_table, size = im->number_table_size;
    im->number_table_size = size ? 2 * size : 256;
    im->number_table = cy_arena_alloc(&im->arena, im->number_table_size * sizeof(*im->number_table));
    for (uint32_t i = 0; i < size; i++)
        if (before[i])
            *place_of_number(im, type_of(im, before[i]), cy_sir_at(im->func, before[i])->imm) = before[i];
}

cy_sir_value number(struct importer *im, enum cy_sir_type type, uint64_t value)
{
    const unsigned bits = cy_sir_bits(type);
    if (2 * im->number_count >= im->number_table_size)
        grow_numbers(im);
    value = bits < 64 ? value & ((1ull << bits) - 1) : value;
    uint32_t *place = place_of_number(im, type, value);
    if (!*place) {
        *place = cy_sir_const(im->func, 0, type, value);
        im->number_count++;
    }
    return *place;
}

cy_sir_value source(struct importer *im, enum cy_sir_source which)
{
    if (!im->sources[which]) {
        im->sources[which] = cy_sir_append(im->func, 0, CY_SIR_SOURCE, cy_sir_sources[which].type, 0, 0, 0);
        cy_sir_at(im->func, im->sources[which])->imm = which;
    }
    return im->sources[which];
}

/* ---- simplification: 0 if there is nothing simpler ---- */

static cy_sir_value folded(struct importer *im, enum cy_sir_op op, enum cy_sir_type type, const cy_sir_value *args)
{
    uint64_t values[3] = {0};
    if (!cy_sir_folds(op) || !cy_sir_ops[op].arguments || !(cy_sir_ops[op].flags & CY_SIR_PURE))
        return 0;
    for (unsigned i = 0; i < cy_sir_ops[op].arguments; i++)
        if (!is_number(im, args[i], &values[i]))
            return 0;
    return number(im, type, cy_sir_fold(op, type, type_of(im, args[0]), values[0], values[1], values[2]));
}

static cy_sir_value simpler_sum(struct importer *im, enum cy_sir_type type, cy_sir_value a, cy_sir_value b)
{
    uint64_t first, second;
    if (!is_number(im, b, &second))
        return 0;
    if (!second)
        return a;
    if (op_of(im, a) == CY_SIR_ADD && is_number(im, arg_of(im, a, 1), &first))
        return make(im, CY_SIR_ADD, type, arg_of(im, a, 0), number(im, type, first + second), 0);
    return 0;
}

/* A comparison with 0 of a flag. */
static cy_sir_value simpler_test(struct importer *im, enum cy_sir_op op, cy_sir_value a, cy_sir_value b)
{
    if (op_of(im, a) != CY_SIR_ZEXT || !is_the_number(im, b, 0) || type_of(im, arg_of(im, a, 0)) != CY_SIR_I1)
        return 0;
    const cy_sir_value flag = arg_of(im, a, 0);
    return op == CY_SIR_NE ? flag : make(im, CY_SIR_XOR, CY_SIR_I1, flag, number(im, CY_SIR_I1, 1), 0);
}

static cy_sir_value simpler_pair(struct importer *im, cy_sir_value a, cy_sir_value b)
{
    if (op_of(im, a) != CY_SIR_LOW)
        return 0;
    const cy_sir_value whole = arg_of(im, a, 0);
    if (op_of(im, b) == CY_SIR_HIGH && arg_of(im, b, 0) == whole)
        return whole;
    return is_the_number(im, b, 0) && op_of(im, whole) == CY_SIR_ZEXT ? whole : 0;
}

static cy_sir_value simpler_half(struct importer *im, enum cy_sir_op op, cy_sir_value a)
{
    if (op_of(im, a) == CY_SIR_PAIR)
        return arg_of(im, a, op == CY_SIR_HIGH);
    if (op_of(im, a) == CY_SIR_ZEXT && type_of(im, arg_of(im, a, 0)) == CY_SIR_I32)
        return op == CY_SIR_LOW ? arg_of(im, a, 0) : number(im, CY_SIR_I32, 0);
    return op == CY_SIR_LOW && op_of(im, a) == CY_SIR_SEXT && type_of(im, arg_of(im, a, 0)) == CY_SIR_I32
               ? arg_of(im, a, 0)
               : 0;
}

/* The smaller or larger of two. */
static cy_sir_value simpler_choice(struct importer *im, enum cy_sir_type type, const cy_sir_value *args)
{
    const enum cy_sir_op compares = op_of(im, args[0]);
    uint64_t condition;
    if (is_number(im, args[0], &condition))
        return condition ? args[1] : args[2];
    if (args[1] == args[2])
        return args[1];
    if ((compares != CY_SIR_LTS && compares != CY_SIR_LTU) || type_of(im, arg_of(im, args[0], 0)) != type)
        return 0;
    const cy_sir_value a = arg_of(im, args[0], 0), b = arg_of(im, args[0], 1);
    const bool is_signed = compares == CY_SIR_LTS;
    if (args[1] == a && args[2] == b)
        return make(im, is_signed ? CY_SIR_MINS : CY_SIR_MINU, type, a, b, 0);
    if (args[1] == b && args[2] == a)
        return make(im, is_signed ? CY_SIR_MAXS : CY_SIR_MAXU, type, b, a, 0);
    return 0;
}

/* Amounts count modulo the bits of what is shifted. */
static cy_sir_value simpler_shift(struct importer *im, enum cy_sir_op op, enum cy_sir_type type,
                                  const cy_sir_value *args)
{
    if (is_the_number(im, args[1], 0))
        return args[0];
    if (op_of(im, args[1]) == CY_SIR_AND && is_the_number(im, arg_of(im, args[1], 1), cy_sir_bits(type) - 1))
        return make(im, op, type, args[0], arg_of(im, args[1], 0), 0);
    return 0;
}

static cy_sir_value simpler(struct importer *im, enum cy_sir_op op, enum cy_sir_type type, const cy_sir_value *args)
{
    uint64_t amount;
    switch (op) {
    case CY_SIR_ADD: return simpler_sum(im, type, args[0], args[1]);
    case CY_SIR_SUB:
        return is_number(im, args[1], &amount) ? make(im, CY_SIR_ADD, type, args[0], number(im, type, 0 - amount), 0)
                                               : 0;
    case CY_SIR_OR:
    case CY_SIR_XOR: return is_the_number(im, args[1], 0) ? args[0] : 0;
    case CY_SIR_SHL:
    case CY_SIR_SHRU:
    case CY_SIR_SHRS: return simpler_shift(im, op, type, args);
    case CY_SIR_MUL: return is_the_number(im, args[1], 1) ? args[0] : 0;
    case CY_SIR_EQ:
    case CY_SIR_NE: return simpler_test(im, op, args[0], args[1]);
    case CY_SIR_SELECT: return simpler_choice(im, type, args);
    case CY_SIR_PAIR: return simpler_pair(im, args[0], args[1]);
    case CY_SIR_LOW:
    case CY_SIR_HIGH: return simpler_half(im, op, args[0]);
    default: return 0;
    }
}

cy_sir_value make(struct importer *im, enum cy_sir_op op, enum cy_sir_type type, cy_sir_value a, cy_sir_value b,
                  cy_sir_value c)
{
    cy_sir_value args[] = {a, b, c};
    const bool commutes = cy_sir_ops[op].flags & CY_SIR_COMMUTES;
    if (commutes && op_of(im, a) == CY_SIR_CONST && op_of(im, b) != CY_SIR_CONST)
        args[0] = b, args[1] = a;
    cy_sir_value value = folded(im, op, type, args);
    value = value ? value : simpler(im, op, type, args);
    if (value)
        return value;
    value = cy_sir_append(im->func, im->block, op, type, args[0], args[1], args[2]);
    cy_sir_at(im->func, value)->pc = im->at == NONE ? 0 : pc_of(im, im->at);
    return value;
}
