/* Selection of pairs: 64-bit addresses in two adjacent registers.  Uniform ones are in sGPRs, where the RV64 rows
 * compute; in vGPRs the usual rows do, with a prefix that makes their operands pairs. */
#include "cc/codegen/isel_priv.h"

#include <assert.h>

void isel_emit_pairs(struct isel *s, unsigned op, unsigned prefix, unsigned pairs, unsigned count,
                     const int32_t *operands)
{
    isel_emit_wide(s, op, pairs, count, operands);
    s->sequence.at[s->sequence.count - 1].prefix = (uint8_t)prefix;
}

static void copy_pair(struct isel *s, mir_reg to, mir_reg from)
{
    EMIT(s, MIR_COPY, to, from);
    EMIT(s, MIR_COPY, to + 1, from + 1);
}

mir_reg isel_pair(struct isel *s, ir_value value, enum mir_class class)
{
    assert((class == MIR_V || !isel_is_v(s, value)) && "a scalar pair for a divergent value");
    s->needed[value] = 1;
    mir_reg own = isel_own(s, value);
    if (class == MIR_S || isel_is_v(s, value))
        return own;
    mir_reg lanes = mir_new_pair(s->mir, MIR_V);
    copy_pair(s, lanes, own);
    return lanes;
}

/* A constant, sign-extended, as a scalar pair. */
static mir_reg constant_pair(struct isel *s, int32_t constant)
{
    mir_reg pair = mir_new_pair(s->mir, MIR_S);
    EMIT(s, MIR_LI, pair, constant);
    EMIT(s, MIR_LI, pair + 1, constant < 0 ? -1 : 0);
    return pair;
}

static void add_pairs(struct isel *s, enum mir_class class, mir_reg d, mir_reg a, mir_reg b)
{
    if (class == MIR_S) {
        isel_emit_pairs(s, CY_OP_addw, CC_PREFIX_NONE, 7, 3, (int32_t[]){d, a, b});
        return;
    }
    bool b_is_scalar = mir_class_of(s->mir, b) == MIR_S;
    isel_emit_pairs(s, b_is_scalar ? CY_OP_vadd_vx : CY_OP_vadd_vv, CC_PREFIX_PAIRS, 7, 3, (int32_t[]){d, a, b});
}

/* pair + constant, if one instruction can add it. */
static bool add_immediate(struct isel *s, enum mir_class class, mir_reg d, mir_reg pair, int32_t constant)
{
    if (!isel_fits(class == MIR_S ? CY_OP_addiw : CY_OP_vadd_vi, 2, constant))
        return false;
    if (class == MIR_S)
        isel_emit_pairs(s, CY_OP_addiw, CC_PREFIX_NONE, 3, 3, (int32_t[]){d, pair, constant});
    else
        isel_emit_pairs(s, CY_OP_vadd_vi, CC_PREFIX_PAIRS, 3, 3, (int32_t[]){d, pair, constant});
    return true;
}

mir_reg isel_pair_plus(struct isel *s, enum mir_class class, mir_reg pair, int32_t constant)
{
    mir_reg sum = mir_new_pair(s->mir, class);
    if (!add_immediate(s, class, sum, pair, constant))
        add_pairs(s, class, sum, pair, constant_pair(s, constant));
    return sum;
}

/* Is it a pair that holds a constant of 32 bits, sign-extended? */
static bool is_constant_pair(const struct isel *s, ir_value value, int32_t *constant)
{
    const struct ir_insn *pair = isel_at(s, value);
    int32_t high;
    return pair->op == IR_PAIR && isel_is_const(s, pair->args[0], constant) && isel_is_const(s, pair->args[1], &high) &&
           high == (*constant < 0 ? -1 : 0);
}

/* The product of two words as a pair; with vectors by the widening rows. */
static void multiply(struct isel *s, const struct ir_insn *insn, enum mir_class class, mir_reg d)
{
    bool is_signed = insn->op == IR_WMULS;
    ir_value a = insn->args[0], b = insn->args[1];
    if (class == MIR_S) {
        mir_reg x = isel_s(s, a), y = isel_s(s, b);
        EMIT(s, CY_OP_mul, d, x, y);
        EMIT(s, is_signed ? CY_OP_mulh : CY_OP_mulhu, d + 1, x, y);
        return;
    }
    if (!isel_is_v(s, a)) {
        ir_value swap = a;
        a = b;
        b = swap;
    }
    mir_reg x = isel_v(s, a);
    if (isel_is_v(s, b))
        isel_emit_pairs(s, is_signed ? CY_OP_vwmul_vv : CY_OP_vwmulu_vv, CC_PREFIX_NONE, 1, 3,
                        (int32_t[]){d, x, isel_v(s, b)});
    else
        isel_emit_pairs(s, is_signed ? CY_OP_vwmul_vx : CY_OP_vwmulu_vx, CC_PREFIX_NONE, 1, 3,
                        (int32_t[]){d, x, isel_s(s, b)});
}

static void sum(struct isel *s, const struct ir_insn *insn, enum mir_class class, mir_reg d)
{
    ir_value a = insn->args[0], b = insn->args[1];
    if (class == MIR_V && !isel_is_v(s, a)) {
        ir_value swap = a;
        a = b;
        b = swap;
    }
    int32_t constant;
    if (is_constant_pair(s, a, &constant) && isel_is_v(s, b) == isel_is_v(s, a)) {
        ir_value swap = a;
        a = b;
        b = swap;
    }
    mir_reg x = isel_pair(s, a, class);
    if (is_constant_pair(s, b, &constant) && add_immediate(s, class, d, x, constant))
        return;
    add_pairs(s, class, d, x, isel_pair(s, b, isel_is_v(s, b) ? MIR_V : MIR_S));
}

static void shift(struct isel *s, const struct ir_insn *insn, enum mir_class class, mir_reg d)
{
    int32_t amount = isel_at(s, insn->args[1])->imm;
    mir_reg x = isel_pair(s, insn->args[0], class);
    if (class == MIR_S)
        isel_emit_pairs(s, CY_OP_slliw, CC_PREFIX_NONE, 3, 3, (int32_t[]){d, x, amount});
    else
        isel_emit_pairs(s, CY_OP_vsll_vi, CC_PREFIX_PAIRS, 3, 3, (int32_t[]){d, x, amount});
}

/* The low word of a sum of which nobody wants the rest: its users, all of them selected by now, would have said so. */
static bool add_low_words(struct isel *s, ir_value value, ir_value sum)
{
    const struct ir_insn *insn = isel_at(s, sum), *a = isel_at(s, insn->args[0]), *b = isel_at(s, insn->args[1]);
    if (insn->op != IR_SUM || s->needed[sum] || a->op != IR_PAIR || b->op != IR_PAIR || insn->block != s->block ||
        !isel_may_look_through(s, insn->args[0]) || !isel_may_look_through(s, insn->args[1]))
        return false;
    struct ir_insn add = *isel_at(s, value);
    add.op = IR_ADD;
    add.args[0] = a->args[0];
    add.args[1] = b->args[0];
    bool has_vectors = isel_is_v(s, add.args[0]) || isel_is_v(s, add.args[1]);
    if (add.is_divergent && !has_vectors) /* see temporal.c */
        return false;
    if (isel_is_v(s, add.args[1]) && !isel_is_v(s, add.args[0])) {
        add.args[0] = b->args[0];
        add.args[1] = a->args[0];
    }
    if (add.is_divergent)
        isel_vector(s, value, &add, isel_own(s, value));
    else
        isel_scalar(s, &add, isel_own(s, value));
    return true;
}

bool isel_pair_op(struct isel *s, ir_value value, const struct ir_insn *insn)
{
    if (insn->op == IR_PLOW && add_low_words(s, value, insn->args[0]))
        return true;
    if (insn->op == IR_PLOW || insn->op == IR_PHIGH) {
        s->needed[insn->args[0]] = 1;
        EMIT(s, MIR_COPY, isel_own(s, value), isel_own(s, insn->args[0]) + (insn->op == IR_PHIGH));
        return true;
    }
    if (!ir_is_pair(insn->op))
        return false;
    mir_reg d = isel_own(s, value), result = d;
    bool has_vectors = isel_is_v(s, insn->args[0]) || isel_is_v(s, insn->args[1]);
    enum mir_class class = has_vectors ? MIR_V : MIR_S;
    if (insn->is_divergent && !has_vectors) /* see temporal.c */
        result = mir_new_pair(s->mir, MIR_S);
    if (insn->op == IR_PAIR) {
        isel_move(s, result, insn->args[0]);
        isel_move(s, result + 1, insn->args[1]);
    } else if (insn->op == IR_SUM) {
        sum(s, insn, class, result);
    } else if (insn->op == IR_PSHL) {
        shift(s, insn, class, result);
    } else {
        multiply(s, insn, class, result);
    }
    if (result != d)
        copy_pair(s, d, result);
    return true;
}
