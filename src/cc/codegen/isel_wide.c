/* Selection of operations on 64-bit values: rows on register pairs, which a prefix makes of the 32-bit ones.  Loads,
 * stores and phis handle the two words; coalescing makes the copies between words and pairs disappear. */
#include "cc/codegen/isel_priv.h"

enum { D = 1, S2 = 2, S1 = 4 }; /* a row's operands in assembler order, most: vd, vs2, vs1 */

/* By the signs of product and addend. */
static const uint16_t fma_addend[2][2] = {{CY_OP_vfmacc_vv, CY_OP_vfmsac_vv}, {CY_OP_vfnmsac_vv, CY_OP_vfnmacc_vv}};
static const uint16_t fma_factor[2][2] = {{CY_OP_vfmadd_vv, CY_OP_vfmsub_vv}, {CY_OP_vfnmsub_vv, CY_OP_vfnmadd_vv}};

static void copy_pair(struct isel *s, mir_reg to, mir_reg from)
{
    EMIT(s, MIR_COPY, to, from);
    EMIT(s, MIR_COPY, to + 1, from + 1);
}

/* Negation is a matter of the row; the absolute value is left to a prefix. */
static ir_value factor(const struct isel *s, ir_value value, bool *negative, struct isel_sign *sign)
{
    while (isel_at(s, value)->op == IR_DNEG && isel_may_look_through(s, value)) {
        *negative = !*negative;
        value = isel_at(s, value)->args[0];
    }
    value = isel_double_operand(s, value, sign);
    *negative ^= sign->negated;
    sign->negated = false;
    return value;
}

/* The accumulator is overwritten: an operand that is dead afterwards, if there is one. */
static void fused_multiply_add(struct isel *s, const struct ir_insn *insn, mir_reg d)
{
    bool np = false, na = false;
    struct isel_sign sx, sy, sc;
    ir_value x = factor(s, insn->args[0], &np, &sx), y = factor(s, insn->args[1], &np, &sy);
    ir_value c = factor(s, insn->args[2], &na, &sc);
    if (!isel_dies(s, x) && isel_dies(s, y)) {
        ir_value swap = x;
        struct isel_sign swap_sign = sx;
        x = y;
        y = swap;
        sx = sy;
        sy = swap_sign;
    }
    bool tie_addend = (isel_dies(s, c) && c != x && c != y) || !isel_dies(s, x) || x == y || x == c;
    mir_reg rx = isel_v(s, x), ry = isel_v(s, y), rc = isel_v(s, c);
    copy_pair(s, d, tie_addend ? rc : rx);
    if (tie_addend)
        EMIT_WIDE(s, fma_addend[np][na], D | S2 | S1, d, ry, rx);
    else
        EMIT_WIDE(s, fma_factor[np][na], D | S2 | S1, d, ry, rc);
    isel_sign_operand(s, 0, tie_addend ? sc : sx);
    isel_sign_operand(s, 1, sy);
    isel_sign_operand(s, 2, tie_addend ? sx : sc);
}

/* vd, vs2, vs1 */
static void binary(struct isel *s, unsigned op, unsigned wide, const struct ir_insn *insn, mir_reg d)
{
    struct isel_sign sa, sb;
    mir_reg a = isel_v(s, isel_double_operand(s, insn->args[0], &sa));
    mir_reg b = isel_v(s, isel_double_operand(s, insn->args[ir_ops[insn->op].arguments - 1], &sb));
    EMIT_WIDE(s, op, wide, d, a, b);
    isel_sign_operand(s, 1, sa);
    isel_sign_operand(s, 2, sb);
}

static void unary(struct isel *s, unsigned op, const struct ir_insn *insn, mir_reg d)
{
    struct isel_sign sign = {0};
    ir_value x = insn->args[0];
    if (insn->op != IR_STOD && insn->op != IR_UTOD) /* from integers */
        x = isel_double_operand(s, x, &sign);
    EMIT_WIDE(s, op, D | S2, d, isel_v(s, x));
    isel_sign_operand(s, 1, sign);
}

bool isel_wide(struct isel *s, ir_value value, const struct ir_insn *insn)
{
    static const uint16_t binary_rows[IR_COUNT] = {
        [IR_DADD] = CY_OP_vfadd_vv,   [IR_DSUB] = CY_OP_vfsub_vv,   [IR_DMUL] = CY_OP_vfmul_vv,
        [IR_DDIV] = CY_OP_vfdiv_vv,   [IR_DMIN] = CY_OP_vfmin_vv,   [IR_DMAX] = CY_OP_vfmax_vv,
        [IR_DSGNJ] = CY_OP_vfsgnj_vv, [IR_DNEG] = CY_OP_vfsgnjn_vv, [IR_DABS] = CY_OP_vfsgnjx_vv,
    };
    static const uint16_t unary_rows[IR_COUNT] = {
        [IR_DSQRT] = CY_OP_vfsqrt_v,   [IR_DTOS] = CY_OP_vfcvt_rtz_x_f_v, [IR_DTOU] = CY_OP_vfcvt_rtz_xu_f_v,
        [IR_STOD] = CY_OP_vfcvt_f_x_v, [IR_UTOD] = CY_OP_vfcvt_f_xu_v,
    };
    switch (insn->op) {
    case IR_LOW:
    case IR_HIGH: return true; /* isel_own */
    case IR_PACK: {
        mir_reg d = isel_own(s, value);
        isel_move(s, d, insn->args[0]);
        isel_move(s, d + 1, insn->args[1]);
        return true;
    }
    case IR_DFMA: fused_multiply_add(s, insn, isel_own(s, value)); return true;
    case IR_DEQ:
        binary(s, s->inverted[value] ? CY_OP_vmfne_vv : CY_OP_vmfeq_vv, S2 | S1, insn, isel_own(s, value));
        return true;
    case IR_DLT: binary(s, CY_OP_vmflt_vv, S2 | S1, insn, isel_own(s, value)); return true;
    case IR_DLE: binary(s, CY_OP_vmfle_vv, S2 | S1, insn, isel_own(s, value)); return true;
    default: break;
    }
    if (binary_rows[insn->op])
        binary(s, binary_rows[insn->op], D | S2 | S1, insn, isel_own(s, value));
    else if (unary_rows[insn->op])
        unary(s, unary_rows[insn->op], insn, isel_own(s, value));
    else
        return false;
    return true;
}
