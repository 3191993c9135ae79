/* Selection of uniform operations: RV32IM and Zfinx on sGPRs; also the table of rows shared with vectors. */
#include "cc/codegen/isel_priv.h"

#include <assert.h>

#define ROW(rr, ri, vv, vx, vi, xv, iv)                                                                                \
    {                                                                                                                  \
        CY_OP_##rr, CY_OP_##ri, CY_OP_##vv, CY_OP_##vx, CY_OP_##vi, CY_OP_##xv, CY_OP_##iv                             \
    }
const struct isel_forms isel_forms[IR_COUNT] = {
    [IR_ADD] = ROW(add, addi, vadd_vv, vadd_vx, vadd_vi, INVALID, INVALID),
    [IR_SUB] = ROW(sub, INVALID, vsub_vv, vsub_vx, INVALID, vrsub_vx, vrsub_vi),
    [IR_MUL] = ROW(mul, INVALID, vmul_vv, vmul_vx, INVALID, INVALID, INVALID),
    [IR_MULHU] = ROW(mulhu, INVALID, vmulhu_vv, vmulhu_vx, INVALID, INVALID, INVALID),
    [IR_MULHS] = ROW(mulh, INVALID, vmulh_vv, vmulh_vx, INVALID, INVALID, INVALID),
    [IR_DIVU] = ROW(divu, INVALID, vdivu_vv, vdivu_vx, INVALID, INVALID, INVALID),
    [IR_DIVS] = ROW(div, INVALID, vdiv_vv, vdiv_vx, INVALID, INVALID, INVALID),
    [IR_REMU] = ROW(remu, INVALID, vremu_vv, vremu_vx, INVALID, INVALID, INVALID),
    [IR_REMS] = ROW(rem, INVALID, vrem_vv, vrem_vx, INVALID, INVALID, INVALID),
    [IR_AND] = ROW(and, andi, vand_vv, vand_vx, vand_vi, INVALID, INVALID),
    [IR_OR] = ROW(or, ori, vor_vv, vor_vx, vor_vi, INVALID, INVALID),
    [IR_XOR] = ROW(xor, xori, vxor_vv, vxor_vx, vxor_vi, INVALID, INVALID),
    [IR_SHL] = ROW(sll, slli, vsll_vv, vsll_vx, vsll_vi, INVALID, INVALID),
    [IR_SHRU] = ROW(srl, srli, vsrl_vv, vsrl_vx, vsrl_vi, INVALID, INVALID),
    [IR_SHRS] = ROW(sra, srai, vsra_vv, vsra_vx, vsra_vi, INVALID, INVALID),
    [IR_MINS] = ROW(INVALID, INVALID, vmin_vv, vmin_vx, INVALID, INVALID, INVALID),
    [IR_MINU] = ROW(INVALID, INVALID, vminu_vv, vminu_vx, INVALID, INVALID, INVALID),
    [IR_MAXS] = ROW(INVALID, INVALID, vmax_vv, vmax_vx, INVALID, INVALID, INVALID),
    [IR_MAXU] = ROW(INVALID, INVALID, vmaxu_vv, vmaxu_vx, INVALID, INVALID, INVALID),
    [IR_FADD] = ROW(fadd_s, INVALID, vfadd_vv, vfadd_vf, INVALID, INVALID, INVALID),
    [IR_FSUB] = ROW(fsub_s, INVALID, vfsub_vv, vfsub_vf, INVALID, vfrsub_vf, INVALID),
    [IR_FMUL] = ROW(fmul_s, INVALID, vfmul_vv, vfmul_vf, INVALID, INVALID, INVALID),
    [IR_FDIV] = ROW(fdiv_s, INVALID, vfdiv_vv, vfdiv_vf, INVALID, vfrdiv_vf, INVALID),
    [IR_FMIN] = ROW(fmin_s, INVALID, vfmin_vv, vfmin_vf, INVALID, INVALID, INVALID),
    [IR_FMAX] = ROW(fmax_s, INVALID, vfmax_vv, vfmax_vf, INVALID, INVALID, INVALID),
    [IR_FSGNJ] = ROW(fsgnj_s, INVALID, vfsgnj_vv, vfsgnj_vf, INVALID, INVALID, INVALID),
    [IR_FEQ] = ROW(feq_s, INVALID, INVALID, INVALID, INVALID, INVALID, INVALID),
    [IR_FLT] = ROW(flt_s, INVALID, INVALID, INVALID, INVALID, INVALID, INVALID),
    [IR_FLE] = ROW(fle_s, INVALID, INVALID, INVALID, INVALID, INVALID, INVALID),
};

enum { DEFAULT = -1, RTZ = 1 }; /* rounding modes */

ir_value isel_factor(const struct isel *s, ir_value value, bool *negative, struct isel_sign *sign)
{
    const struct ir_insn *insn = isel_at(s, value);
    for (int i = 0; i < 2 && insn->op == IR_XOR; i++)
        if (isel_is(s, insn->args[i], INT32_MIN) && isel_may_look_through(s, value)) {
            *negative = !*negative;
            value = insn->args[!i];
            break;
        }
    value = isel_float_operand(s, value, sign);
    *negative ^= sign->negated;
    sign->negated = false;
    return value;
}

static void float_binary(struct isel *s, const struct ir_insn *insn, mir_reg d)
{
    struct isel_sign sa, sb;
    ir_value a = isel_float_operand(s, insn->args[0], &sa), b = isel_float_operand(s, insn->args[1], &sb);
    EMIT_2(s, isel_forms[insn->op].rr, d, isel_s(s, a), isel_s(s, b));
    isel_sign_operand(s, 1, sa);
    isel_sign_operand(s, 2, sb);
}

/* A row with one operand, and perhaps a rounding mode. */
static void float_unary(struct isel *s, unsigned op, int rounding, ir_value value, mir_reg d)
{
    struct isel_sign sign;
    mir_reg x = isel_s(s, isel_float_operand(s, value, &sign));
    if (rounding < 0)
        EMIT(s, op, d, x);
    else
        EMIT(s, op, d, x, rounding);
    isel_sign_operand(s, 1, sign);
}

static void binary(struct isel *s, const struct ir_insn *insn, mir_reg d)
{
    const struct isel_forms *form = &isel_forms[insn->op];
    ir_value a = insn->args[0], b = insn->args[1];
    int32_t c;
    if (ir_ops[insn->op].flags & IR_COMMUTES && isel_is_const(s, a, &c)) {
        a = insn->args[1];
        b = insn->args[0];
    }
    if (isel_is_const(s, b, &c)) {
        if (insn->op == IR_SHL || insn->op == IR_SHRU || insn->op == IR_SHRS)
            c &= 31;
        if (insn->op == IR_SUB && c != INT32_MIN && isel_fits(CY_OP_addi, 2, -(int64_t)c)) {
            EMIT(s, CY_OP_addi, d, isel_s(s, a), -c);
            return;
        }
        if (form->ri && isel_fits(form->ri, 2, c)) {
            EMIT(s, form->ri, d, isel_s(s, a), c);
            return;
        }
        if (insn->op == IR_XOR && c == INT32_MIN) { /* change of sign */
            EMIT_2(s, CY_OP_fsgnjn_s, d, isel_s(s, a), isel_s(s, a));
            return;
        }
        if (insn->op == IR_AND && c == INT32_MAX) { /* absolute value */
            EMIT_2(s, CY_OP_fsgnjx_s, d, isel_s(s, a), isel_s(s, a));
            return;
        }
    }
    EMIT_2(s, form->rr, d, isel_s(s, a), isel_s(s, b));
}

/* a < b as 0 or 1. */
static void less(struct isel *s, bool is_signed, ir_value a, ir_value b, mir_reg d)
{
    int32_t c;
    unsigned immediate = is_signed ? CY_OP_slti : CY_OP_sltiu;
    if (isel_is_const(s, b, &c) && c && isel_fits(immediate, 2, c))
        EMIT(s, immediate, d, isel_s(s, a), c);
    else
        EMIT_2(s, is_signed ? CY_OP_slt : CY_OP_sltu, d, isel_s(s, a), isel_s(s, b));
}

static void compare(struct isel *s, const struct ir_insn *insn, mir_reg d)
{
    ir_value a = insn->args[0], b = insn->args[1];
    int32_t c;
    if (insn->op != IR_EQ && insn->op != IR_NE) {
        bool inverse = insn->op == IR_GES || insn->op == IR_GEU;
        mir_reg t = inverse ? isel_temp(s, MIR_S) : d;
        less(s, insn->op == IR_LTS || insn->op == IR_GES, a, b, t);
        if (inverse)
            EMIT(s, CY_OP_xori, d, t, 1);
        return;
    }
    if (isel_is_const(s, a, &c)) {
        a = insn->args[1];
        b = insn->args[0];
    }
    mir_reg difference = isel_temp(s, MIR_S);
    if (isel_is(s, b, 0))
        difference = isel_s(s, a);
    else if (isel_is_const(s, b, &c) && c != INT32_MIN && isel_fits(CY_OP_addi, 2, -(int64_t)c))
        EMIT(s, CY_OP_addi, difference, isel_s(s, a), -c);
    else
        EMIT_2(s, CY_OP_xor, difference, isel_s(s, a), isel_s(s, b));
    if (insn->op == IR_EQ)
        EMIT(s, CY_OP_sltiu, d, difference, 1);
    else
        EMIT(s, CY_OP_sltu, d, MIR_X0, difference);
}

/* otherwise + condition * (then - otherwise): there is no conditional move, and a branch would cost more. */
static void choose(struct isel *s, mir_reg condition, mir_reg then, mir_reg otherwise, mir_reg d)
{
    mir_reg difference = isel_temp(s, MIR_S), product = isel_temp(s, MIR_S);
    EMIT(s, CY_OP_sub, difference, then, otherwise);
    EMIT(s, CY_OP_mul, product, difference, condition);
    EMIT(s, CY_OP_add, d, product, otherwise);
}

static void minimum(struct isel *s, const struct ir_insn *insn, mir_reg d)
{
    mir_reg a = isel_s(s, insn->args[0]), b = isel_s(s, insn->args[1]), is_less = isel_temp(s, MIR_S);
    bool is_min = insn->op == IR_MINS || insn->op == IR_MINU, is_signed = insn->op == IR_MINS || insn->op == IR_MAXS;
    EMIT(s, is_signed ? CY_OP_slt : CY_OP_sltu, is_less, a, b);
    choose(s, is_less, is_min ? a : b, is_min ? b : a, d);
}

static void select_constants(struct isel *s, mir_reg condition, int32_t then, int32_t otherwise, mir_reg d)
{
    uint32_t difference = (uint32_t)then - (uint32_t)otherwise;
    mir_reg product = otherwise ? isel_temp(s, MIR_S) : d;
    if (difference == 1)
        product = condition;
    else if (!(difference & (difference - 1)))
        EMIT(s, CY_OP_slli, product, condition, __builtin_ctz(difference));
    else if (difference == UINT32_MAX)
        EMIT(s, CY_OP_sub, product, MIR_X0, condition);
    else
        EMIT(s, CY_OP_mul, product, condition, isel_const(s, (int32_t)difference));
    if (!otherwise && product == condition)
        EMIT(s, MIR_COPY, d, condition);
    else if (otherwise && isel_fits(CY_OP_addi, 2, otherwise))
        EMIT(s, CY_OP_addi, d, product, otherwise);
    else if (otherwise)
        EMIT(s, CY_OP_add, d, product, isel_const(s, otherwise));
}

static void select_value(struct isel *s, const struct ir_insn *insn, mir_reg d)
{
    int32_t then, otherwise;
    bool then_const = isel_is_const(s, insn->args[1], &then), else_const = isel_is_const(s, insn->args[2], &otherwise);
    mir_reg condition = isel_s(s, insn->args[0]);
    if (then_const && else_const) {
        if (then == otherwise)
            EMIT(s, MIR_LI, d, then);
        else
            select_constants(s, condition, then, otherwise, d);
    } else if (else_const && otherwise == 0) {
        EMIT(s, CY_OP_mul, d, condition, isel_s(s, insn->args[1]));
    } else if (then_const && then == 0) {
        mir_reg mask = isel_temp(s, MIR_S);
        EMIT(s, CY_OP_addi, mask, condition, -1);
        EMIT(s, CY_OP_and, d, mask, isel_s(s, insn->args[2]));
    } else {
        mir_reg first = isel_s(s, insn->args[1]);
        choose(s, condition, first, isel_s(s, insn->args[2]), d);
    }
}

static void multiply_add(struct isel *s, const struct ir_insn *insn, mir_reg d)
{
    bool product = false, addend = false;
    struct isel_sign sa, sb, sc;
    ir_value a = isel_factor(s, insn->args[0], &product, &sa), b = isel_factor(s, insn->args[1], &product, &sb);
    ir_value c = isel_factor(s, insn->args[2], &addend, &sc);
    unsigned op = product ? (addend ? CY_OP_fnmadd_s : CY_OP_fnmsub_s) : (addend ? CY_OP_fmsub_s : CY_OP_fmadd_s);
    EMIT_3(s, op, d, isel_s(s, a), isel_s(s, b), isel_s(s, c));
    isel_sign_operand(s, 1, sa);
    isel_sign_operand(s, 2, sb);
    isel_sign_operand(s, 3, sc);
}

static void exponential(struct isel *s, const struct ir_insn *insn, mir_reg d)
{
    mir_reg x = isel_temp(s, MIR_V), y = isel_temp(s, MIR_V);
    EMIT(s, MIR_COPY, x, isel_s(s, insn->args[0]));
    EMIT(s, CY_OP_vfexp_v, y, x);
    EMIT(s, MIR_COPY, d, y);
}

void isel_scalar(struct isel *s, const struct ir_insn *insn, mir_reg d)
{
    mir_reg (*const get)(struct isel *, ir_value) = isel_s;
    switch (insn->op) {
    case IR_COPY: isel_move(s, d, insn->args[0]); break;
    case IR_CSR: EMIT(s, CY_OP_csrrs, d, insn->imm, MIR_X0); break;
    case IR_EQ:
    case IR_NE:
    case IR_LTS:
    case IR_GES:
    case IR_LTU:
    case IR_GEU: compare(s, insn, d); break;
    case IR_SELECT: select_value(s, insn, d); break;
    case IR_MINS:
    case IR_MINU:
    case IR_MAXS:
    case IR_MAXU: minimum(s, insn, d); break;
    case IR_FMA: multiply_add(s, insn, d); break;
    case IR_FADD:
    case IR_FSUB:
    case IR_FMUL:
    case IR_FDIV:
    case IR_FMIN:
    case IR_FMAX:
    case IR_FSGNJ:
    case IR_FEQ:
    case IR_FLT:
    case IR_FLE: float_binary(s, insn, d); break;
    case IR_FSQRT: float_unary(s, CY_OP_fsqrt_s, DEFAULT, insn->args[0], d); break;
    case IR_FTOS: float_unary(s, CY_OP_fcvt_w_s, RTZ, insn->args[0], d); break;
    case IR_FTOU: float_unary(s, CY_OP_fcvt_wu_s, RTZ, insn->args[0], d); break;
    case IR_STOF: EMIT(s, CY_OP_fcvt_s_w, d, get(s, insn->args[0])); break;
    case IR_UTOF: EMIT(s, CY_OP_fcvt_s_wu, d, get(s, insn->args[0])); break;
    case IR_FEXP: exponential(s, insn, d); break;
    default: assert(isel_forms[insn->op].rr && "no scalar instruction for this operation"); binary(s, insn, d);
    }
}
