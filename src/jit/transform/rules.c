/* The table of rules, and whether a value is what a pattern says. */
#include "jit/transform/rules.h"

#include <string.h>

/* ---- the columns of rules.def ---- */

#include "jit/transform/patterns.h"

const struct cy_sir_rule cy_sir_rules[CY_SIR_RULES] = {
#define RULE(name, pattern, result, condition, number) {#name, pattern, result},
#include "jit/transform/rules.def"
};

/* In conditions they are numbers. */
#undef a
#undef b
#undef c
#undef d
#undef C
#undef D
#undef E

/* ---- what conditions and numbers are written with ---- */

static uint64_t low_bits(uint64_t count)
{
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

static uint64_t sign_bit(unsigned bits)
{
    return UINT64_C(1) << (bits - 1);
}

static bool is_power(uint64_t number)
{
    return number && !(number & (number - 1));
}

static uint64_t log2_of(uint64_t number)
{
    return number ? (uint64_t)__builtin_ctzll(number) : 0;
}

/* The lowest `from` bits, of which there are none in a rule without the letter, as a number of `to` bits. */
static uint64_t sign_extended(uint64_t number, unsigned from, unsigned to)
{
    const unsigned rest = from ? 64 - from : 0;
    return (uint64_t)((int64_t)(number << rest) >> rest) & low_bits(to);
}

enum {
#define RULE(name, pattern, result, condition, number) RULE_##name,
#include "jit/transform/rules.def"
};
#define GIVES(name, what)                                                                                              \
    case RULE_##name: return what;

static bool holds(unsigned rule, uint64_t C, uint64_t D, unsigned W, unsigned T, unsigned A, unsigned B)
{
    switch (rule) {
#define RULE(name, pattern, result, condition, number) GIVES(name, condition)
#include "jit/transform/rules.def"
    default: (void)C, (void)D, (void)W, (void)T, (void)A, (void)B; return false;
    }
}

static uint64_t computed(unsigned rule, uint64_t C, uint64_t D, unsigned W)
{
    switch (rule) {
#define RULE(name, pattern, result, condition, number) GIVES(name, (uint64_t)(number))
#include "jit/transform/rules.def"
    default: (void)C, (void)D, (void)W; return 0;
    }
}

/* ---- matching ---- */

bool cy_sir_is_in_class(enum cy_sir_class class, unsigned op)
{
    switch (class) {
    case CY_SIR_EXT: return op == CY_SIR_ZEXT || op == CY_SIR_SEXT;
    case CY_SIR_MODULAR: return (op >= CY_SIR_ADD && op <= CY_SIR_MUL) || (op >= CY_SIR_AND && op <= CY_SIR_XOR);
    case CY_SIR_BITWISE: return op >= CY_SIR_AND && op <= CY_SIR_XOR;
    case CY_SIR_EQUALITY: return op == CY_SIR_EQ || op == CY_SIR_NE;
    default: return false;
    }
}

/* Where values are looked up. */
struct place {
    const struct cy_sir_func *func;
    const struct cy_sir_uses *uses;
};

static bool matches(const struct place *place, const struct cy_sir_node *node, cy_sir_value value,
                    struct cy_sir_match *match);

static bool is_used_once(const struct place *place, cy_sir_value value)
{
    return value >= place->uses->count || place->uses->at[value] <= 1;
}

static bool match_letter(const struct cy_sir_node *node, cy_sir_value value, struct cy_sir_match *match)
{
    cy_sir_value *is = &match->value[node->which];
    if (*is)
        return *is == value;
    *is = value;
    return true;
}

static bool match_constant(const struct cy_sir_node *node, const struct cy_sir_insn *insn, struct cy_sir_match *match)
{
    if (insn->op != CY_SIR_CONST || (match->has[node->which] && match->constant[node->which] != insn->imm))
        return false;
    match->has[node->which] = true;
    match->constant[node->which] = insn->imm;
    return true;
}

static bool match_arguments(const struct place *place, const struct cy_sir_node *node, const struct cy_sir_insn *insn,
                            struct cy_sir_match *match, unsigned swap)
{
    for (unsigned i = 0; i < CY_COUNT(node->args) && node->args[i]; i++)
        if (!matches(place, node->args[i], insn->args[i < 2 ? i ^ swap : i], match))
            return false;
    return true;
}

static bool match_either_way(const struct place *place, const struct cy_sir_node *node, const struct cy_sir_insn *insn,
                             struct cy_sir_match *match)
{
    const struct cy_sir_match before = *match;
    if (match_arguments(place, node, insn, match, 0))
        return true;
    *match = before;
    return cy_sir_ops[insn->op].flags & CY_SIR_COMMUTES && match_arguments(place, node, insn, match, 1);
}

static bool matches(const struct place *place, const struct cy_sir_node *node, cy_sir_value value,
                    struct cy_sir_match *match)
{
    const struct cy_sir_insn *insn = cy_sir_at(place->func, value);
    if (node->type != CY_SIR_VOID && node->type != insn->type)
        return false;
    switch (node->kind) {
    case CY_SIR_NODE_VALUE: return match_letter(node, value, match);
    case CY_SIR_NODE_CONSTANT: return match_constant(node, insn, match);
    case CY_SIR_NODE_NUMBER:
        return insn->op == CY_SIR_CONST &&
               insn->imm == ((uint64_t)node->number & low_bits(cy_sir_bits((enum cy_sir_type)insn->type)));
    case CY_SIR_NODE_OP: return insn->op == node->which && match_either_way(place, node, insn, match);
    case CY_SIR_NODE_ONCE: return is_used_once(place, value) && matches(place, node->args[0], value, match);
    case CY_SIR_NODE_CLASS: break;
    }
    uint8_t *op = &match->op[node->which];
    if (!cy_sir_is_in_class((enum cy_sir_class)node->which, insn->op) || (*op && *op != insn->op))
        return false;
    *op = (uint8_t)insn->op;
    return match_either_way(place, node, insn, match);
}

static unsigned bits_of(const struct cy_sir_func *func, cy_sir_value value)
{
    return cy_sir_bits((enum cy_sir_type)cy_sir_at(func, value)->type);
}

bool cy_sir_is(const struct cy_sir_func *func, const struct cy_sir_uses *uses, const struct cy_sir_node *pattern,
               cy_sir_value value, struct cy_sir_match *match)
{
    return matches(&(struct place){func, uses}, pattern, value, match);
}

bool cy_sir_matches(const struct cy_sir_func *func, const struct cy_sir_uses *uses, unsigned rule, cy_sir_value value,
                    struct cy_sir_match *match)
{
    enum { LAST = CY_SIR_CONSTANTS - 1 };
    const struct cy_sir_insn *insn = cy_sir_at(func, value);
    memset(match, 0, sizeof(*match));
    if (!cy_sir_is(func, uses, cy_sir_rules[rule].pattern, value, match))
        return false;
    match->w = bits_of(func, insn->args[insn->op == CY_SIR_SELECT]);
    match->t = bits_of(func, value);
    const uint64_t first = match->constant[0], second = match->constant[1];
    if (!holds(rule, first, second, match->w, match->t, bits_of(func, match->value[0]), bits_of(func, match->value[1])))
        return false;
    match->constant[LAST] = computed(rule, first, second, match->w);
    return true;
}
