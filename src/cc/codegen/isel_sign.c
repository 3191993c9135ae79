/* Generation 2: absolute values and negations as modifiers of the operand that reads them.
 *
 * The prefix costs a word.  Operations on pairs have one anyway, so all their operands are looked through.  Elsewhere it
 * replaces an instruction only if that one has no other user. */
#include "cc/codegen/isel_priv.h"

static bool may_fold(const struct isel *s, ir_value value, ir_value operand)
{
    return s->mir->target->sign_prefix && s->uses[value] == 1 && isel_is_v(s, value) == isel_is_v(s, operand) &&
           isel_may_look_through(s, value);
}

/* x of x op constant, and of constant op x. */
static bool is_with_constant(const struct isel *s, const struct ir_insn *insn, unsigned op, int32_t constant,
                             ir_value *x)
{
    for (int i = 0; i < 2 && insn->op == op; i++)
        if (isel_is(s, insn->args[i], constant)) {
            *x = insn->args[!i];
            return true;
        }
    return false;
}

ir_value isel_float_operand(const struct isel *s, ir_value value, struct isel_sign *sign)
{
    ir_value x;
    *sign = (struct isel_sign){0};
    if (is_with_constant(s, isel_at(s, value), IR_XOR, INT32_MIN, &x) && may_fold(s, value, x)) {
        sign->negated = true;
        value = x;
    }
    if (is_with_constant(s, isel_at(s, value), IR_AND, INT32_MAX, &x) && may_fold(s, value, x)) {
        sign->absolute = true;
        value = x;
    }
    return value;
}

static bool is_minus(const struct isel *s, ir_value value, ir_value *x)
{
    const struct ir_insn *insn = isel_at(s, value);
    *x = insn->args[1];
    return insn->op == IR_SUB && isel_is(s, insn->args[0], 0) && may_fold(s, value, *x);
}

/* max(x, -x) */
static bool is_magnitude(const struct isel *s, ir_value value, ir_value *x)
{
    const struct ir_insn *insn = isel_at(s, value);
    for (int i = 0; i < 2 && insn->op == IR_MAXS; i++)
        if (is_minus(s, insn->args[i], x) && *x == insn->args[!i] && may_fold(s, value, *x))
            return true;
    return false;
}

ir_value isel_int_operand(const struct isel *s, ir_value value, struct isel_sign *sign)
{
    ir_value x;
    *sign = (struct isel_sign){0};
    if (is_minus(s, value, &x)) {
        sign->negated = true;
        value = x;
    }
    if (is_magnitude(s, value, &x)) {
        sign->absolute = true;
        value = x;
    }
    return value;
}

ir_value isel_double_operand(const struct isel *s, ir_value value, struct isel_sign *sign)
{
    *sign = (struct isel_sign){0};
    for (; s->mir->target->sign_prefix && isel_may_look_through(s, value); value = isel_at(s, value)->args[0]) {
        unsigned op = isel_at(s, value)->op;
        if (op == IR_DNEG)
            sign->negated ^= !sign->absolute;
        else if (op == IR_DABS)
            sign->absolute = true;
        else
            break;
    }
    return value;
}

void isel_sign_operand(struct isel *s, unsigned operand, struct isel_sign sign)
{
    struct mir_insn *insn = &s->sequence.at[s->sequence.count - 1];
    insn->absolute |= (uint8_t)(sign.absolute << operand);
    insn->negated |= (uint8_t)(sign.negated << operand);
}
