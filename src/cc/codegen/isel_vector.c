/* Selection of divergent operations: the vector form that matches the operands (vector, scalar, immediate). */
#include "cc/codegen/isel_priv.h"

#include <assert.h>

/* d = a op b in the form that fits; at least one of a and b is a vector.  Returns the row's operand that is a; b is the
 * other one of 1 and 2. */
static unsigned by_forms(struct isel *s, const struct isel_forms *form, ir_value a, ir_value b, mir_reg d)
{
    int32_t c;
    if (isel_is_v(s, a)) {
        if (isel_is_const(s, b, &c) && isel_fits(form->vi, 2, c))
            EMIT(s, form->vi, d, isel_v(s, a), c);
        else if (!isel_is_v(s, b) && form->vx)
            EMIT_2(s, form->vx, d, isel_v(s, a), isel_s(s, b));
        else
            EMIT_2(s, form->vv, d, isel_v(s, a), isel_v(s, b));
    } else if (isel_is_const(s, a, &c) && isel_fits(form->iv, 2, c)) {
        EMIT(s, form->iv, d, isel_v(s, b), c);
        return 2;
    } else if (form->xv) {
        EMIT_2(s, form->xv, d, isel_v(s, b), isel_s(s, a));
        return 2;
    } else {
        EMIT_2(s, form->vv, d, isel_v(s, a), isel_v(s, b));
    }
    return 1;
}

/* The same with absolute values and negations as modifiers of the operands. */
static void by_signed_forms(struct isel *s, const struct isel_forms *form, bool is_float, ir_value a, ir_value b,
                            mir_reg d)
{
    ir_value (*const operand)(const struct isel *, ir_value, struct isel_sign *) =
        is_float ? isel_float_operand : isel_int_operand;
    struct isel_sign sa, sb;
    a = operand(s, a, &sa);
    b = operand(s, b, &sb);
    unsigned first = by_forms(s, form, a, b, d);
    isel_sign_operand(s, first, sa);
    isel_sign_operand(s, 3 - first, sb);
}

static void float_unary(struct isel *s, unsigned op, ir_value value, mir_reg d)
{
    struct isel_sign sign;
    EMIT(s, op, d, isel_v(s, isel_float_operand(s, value, &sign)));
    isel_sign_operand(s, 1, sign);
}

static bool add_constant(struct isel *s, ir_value a, int64_t c, mir_reg d)
{
    if (isel_fits(CY_OP_vadd_vi, 2, c))
        EMIT(s, CY_OP_vadd_vi, d, isel_v(s, a), (int32_t)c);
    else if (isel_fits(CY_OP_vadd12_vi, 2, c))
        EMIT(s, CY_OP_vadd12_vi, d, isel_v(s, a), (int32_t)c);
    else
        return false;
    return true;
}

/* A product used only by this sum or difference: one instruction if an operand can be overwritten. */
static bool multiply_add(struct isel *s, ir_value product, ir_value addend, bool negative, mir_reg d)
{
    const struct ir_insn *mul = isel_at(s, product);
    if (mul->op != IR_MUL || !mul->is_divergent || s->uses[product] != 1 || mul->block != s->block ||
        !isel_is_v(s, addend))
        return false;
    ir_value x = mul->args[0], y = mul->args[1];
    if (!isel_is_v(s, x) || (isel_is_v(s, y) && isel_dies(s, y))) {
        x = mul->args[1];
        y = mul->args[0];
    }
    if (!isel_is_v(s, x))
        return false;
    bool tie_addend = isel_dies(s, addend) && addend != x && addend != y,
         tie_factor = isel_dies(s, x) && x != y && x != addend;
    bool scalar = !isel_is_v(s, y);
    if (!tie_addend && !tie_factor)
        return false;
    mir_reg factor = scalar ? isel_s(s, y) : isel_v(s, y);
    if (tie_addend) {
        unsigned op =
            negative ? (scalar ? CY_OP_vnmsac_vx : CY_OP_vnmsac_vv) : (scalar ? CY_OP_vmacc_vx : CY_OP_vmacc_vv);
        EMIT(s, MIR_COPY, d, isel_v(s, addend));
        EMIT(s, op, d, factor, isel_v(s, x));
    } else {
        unsigned op =
            negative ? (scalar ? CY_OP_vnmsub_vx : CY_OP_vnmsub_vv) : (scalar ? CY_OP_vmadd_vx : CY_OP_vmadd_vv);
        EMIT(s, MIR_COPY, d, isel_v(s, x));
        EMIT(s, op, d, factor, isel_v(s, addend));
    }
    return true;
}

static void binary(struct isel *s, const struct ir_insn *insn, mir_reg d)
{
    struct isel_forms form = isel_forms[insn->op];
    ir_value a = insn->args[0], b = insn->args[1];
    int32_t c;
    assert(form.vv && "no vector instruction for this operation");
    if (ir_ops[insn->op].flags & IR_COMMUTES && !isel_is_v(s, a)) {
        a = insn->args[1];
        b = insn->args[0];
    }
    if (isel_is_const(s, b, &c)) {
        if ((insn->op == IR_ADD && add_constant(s, a, c, d)) ||
            (insn->op == IR_SUB && add_constant(s, a, -(int64_t)c, d)))
            return;
        if ((insn->op == IR_XOR && c == INT32_MIN) ||
            (insn->op == IR_AND && c == INT32_MAX)) { /* sign, absolute value */
            struct isel_sign sign;
            a = isel_float_operand(s, a, &sign);
            EMIT_2(s, c == INT32_MIN ? CY_OP_vfsgnjn_vv : CY_OP_vfsgnjx_vv, d, isel_v(s, a), isel_v(s, a));
            isel_sign_operand(s, 1, sign);
            isel_sign_operand(s, 2, sign);
            return;
        }
        if (insn->op == IR_SHL || insn->op == IR_SHRU || insn->op == IR_SHRS) {
            EMIT(s, form.vi, d, isel_v(s, a), c & 31);
            return;
        }
    }
    if (insn->op == IR_ADD && (multiply_add(s, a, b, false, d) || multiply_add(s, b, a, false, d)))
        return;
    if (insn->op == IR_SUB && multiply_add(s, b, a, true, d))
        return;
    by_signed_forms(s, &form, insn->op >= IR_FADD && insn->op <= IR_FSGNJ, a, b, d);
}

/* ---- compares ---- */

/* a < b, or a <= b.  The vector compares are less-or-equal and greater. */
static void less(struct isel *s, bool is_signed, bool or_equal, ir_value a, ir_value b, mir_reg d)
{
    unsigned lt_vv = is_signed ? CY_OP_vmslt_vv : CY_OP_vmsltu_vv, lt_vx = is_signed ? CY_OP_vmslt_vx : CY_OP_vmsltu_vx;
    unsigned le_vv = is_signed ? CY_OP_vmsle_vv : CY_OP_vmsleu_vv, le_vx = is_signed ? CY_OP_vmsle_vx : CY_OP_vmsleu_vx;
    unsigned le_vi = is_signed ? CY_OP_vmsle_vi : CY_OP_vmsleu_vi, gt_vi = is_signed ? CY_OP_vmsgt_vi : CY_OP_vmsgtu_vi;
    unsigned gt_vx = is_signed ? CY_OP_vmsgt_vx : CY_OP_vmsgtu_vx;
    int32_t lowest = is_signed ? INT32_MIN : 0, c;
    if (isel_is_v(s, a) && isel_is_v(s, b)) {
        EMIT_2(s, or_equal ? le_vv : lt_vv, d, isel_v(s, a), isel_v(s, b));
    } else if (isel_is_v(s, a)) { /* a < b */
        bool is_const = isel_is_const(s, b, &c);
        if (is_const && or_equal && isel_fits(le_vi, 2, c))
            EMIT(s, le_vi, d, isel_v(s, a), c);
        else if (is_const && !or_equal && c != lowest && isel_fits(le_vi, 2, (int64_t)c - 1))
            EMIT(s, le_vi, d, isel_v(s, a), c - 1);
        else
            EMIT_2(s, or_equal ? le_vx : lt_vx, d, isel_v(s, a), isel_s(s, b));
    } else { /* b > a, or b >= a */
        bool is_const = isel_is_const(s, a, &c);
        if (!or_equal && is_const && isel_fits(gt_vi, 2, c))
            EMIT(s, gt_vi, d, isel_v(s, b), c);
        else if (!or_equal)
            EMIT_2(s, gt_vx, d, isel_v(s, b), isel_s(s, a));
        else if (is_const && c != lowest && isel_fits(gt_vi, 2, (int64_t)c - 1))
            EMIT(s, gt_vi, d, isel_v(s, b), c - 1);
        else if (is_const && c != lowest)
            EMIT_2(s, gt_vx, d, isel_v(s, b), isel_const(s, (int32_t)((uint32_t)c - 1)));
        else
            EMIT_2(s, le_vv, d, isel_v(s, a), isel_v(s, b));
    }
}

static void compare(struct isel *s, unsigned op, ir_value a, ir_value b, mir_reg d)
{
    static const struct isel_forms equal = {.vv = CY_OP_vmseq_vv, .vx = CY_OP_vmseq_vx, .vi = CY_OP_vmseq_vi},
                                   not_equal = {.vv = CY_OP_vmsne_vv, .vx = CY_OP_vmsne_vx, .vi = CY_OP_vmsne_vi};
    switch (op) {
    case IR_EQ:
    case IR_NE:
        by_forms(s, op == IR_EQ ? &equal : &not_equal, isel_is_v(s, a) ? a : b, isel_is_v(s, a) ? b : a, d);
        break;
    case IR_LTS: less(s, true, false, a, b, d); break;
    case IR_LTU: less(s, false, false, a, b, d); break;
    case IR_GES: less(s, true, true, b, a, d); break;
    default: less(s, false, true, b, a, d); break;
    }
}

static void float_compare(struct isel *s, unsigned op, bool inverted, ir_value a, ir_value b, mir_reg d)
{
    static const struct isel_forms equal = {.vv = CY_OP_vmfeq_vv, .vx = CY_OP_vmfeq_vf},
                                   not_equal = {.vv = CY_OP_vmfne_vv, .vx = CY_OP_vmfne_vf},
                                   lt = {.vv = CY_OP_vmflt_vv, .vx = CY_OP_vmflt_vf, .xv = CY_OP_vmfgt_vf},
                                   le = {.vv = CY_OP_vmfle_vv, .vx = CY_OP_vmfle_vf, .xv = CY_OP_vmfge_vf};
    if (op == IR_FEQ)
        by_signed_forms(s, inverted ? &not_equal : &equal, true, isel_is_v(s, a) ? a : b, isel_is_v(s, a) ? b : a, d);
    else
        by_signed_forms(s, op == IR_FLT ? &lt : &le, true, a, b, d);
}

/* ---- select ---- */

/* d = condition * x; the condition is 0 or 1 and may be a scalar. */
static void times_condition(struct isel *s, ir_value condition, mir_reg x, mir_reg d)
{
    if (isel_is_v(s, condition))
        EMIT(s, CY_OP_vmul_vv, d, x, isel_v(s, condition));
    else
        EMIT(s, CY_OP_vmul_vx, d, x, isel_s(s, condition));
}

/* d = addend + condition * difference; d holds the difference. */
static void blend(struct isel *s, ir_value condition, ir_value addend, mir_reg d)
{
    if (isel_is_v(s, condition))
        EMIT_2(s, CY_OP_vmadd_vv, d, isel_v(s, condition), isel_v(s, addend));
    else
        EMIT_2(s, CY_OP_vmadd_vx, d, isel_s(s, condition), isel_v(s, addend));
}

static void difference(struct isel *s, ir_value a, ir_value b, mir_reg d)
{
    int32_t c;
    if (isel_is_const(s, b, &c) && add_constant(s, a, -(int64_t)c, d))
        return;
    by_forms(s, &isel_forms[IR_SUB], a, b, d);
}

static void add_scalar(struct isel *s, mir_reg x, ir_value scalar, mir_reg d)
{
    int32_t c;
    bool is_const = isel_is_const(s, scalar, &c);
    if (is_const && isel_fits(CY_OP_vadd_vi, 2, c))
        EMIT(s, CY_OP_vadd_vi, d, x, c);
    else if (is_const && isel_fits(CY_OP_vadd12_vi, 2, c))
        EMIT(s, CY_OP_vadd12_vi, d, x, c);
    else
        EMIT(s, CY_OP_vadd_vx, d, x, isel_s(s, scalar));
}

/* A divergent condition selects between two scalars. */
static void select_scalars(struct isel *s, ir_value condition, ir_value then, ir_value otherwise, mir_reg d)
{
    int32_t t, e;
    bool then_const = isel_is_const(s, then, &t), else_const = isel_is_const(s, otherwise, &e),
         is_const = then_const && else_const;
    uint32_t k = (uint32_t)t - (uint32_t)e;
    bool is_zero = isel_is(s, otherwise, 0);
    mir_reg product = is_zero ? d : isel_temp(s, MIR_V), c = isel_v(s, condition);
    if (is_const && k == 1)
        product = c;
    else if (is_const && k && !(k & (k - 1)))
        EMIT(s, CY_OP_vsll_vi, product, c, __builtin_ctz(k));
    else if (is_const && k == UINT32_MAX)
        EMIT(s, CY_OP_vrsub_vx, product, c, MIR_X0);
    else if (is_const)
        EMIT(s, CY_OP_vmul_vx, product, c, isel_const(s, (int32_t)k));
    else if (is_zero)
        EMIT(s, CY_OP_vmul_vx, product, c, isel_s(s, then));
    else {
        mir_reg scalar = isel_temp(s, MIR_S);
        EMIT_2(s, CY_OP_sub, scalar, isel_s(s, then), isel_s(s, otherwise));
        EMIT(s, CY_OP_vmul_vx, product, c, scalar);
    }
    if (is_zero && product != d)
        EMIT(s, MIR_COPY, d, product);
    else if (!is_zero)
        add_scalar(s, product, otherwise, d);
}

/* Can the condition be inverted at no cost? */
static bool invert_condition(struct isel *s, ir_value condition)
{
    const struct ir_insn *insn = isel_at(s, condition);
    if (s->uses[condition] != 1 || !insn->is_divergent ||
        !(ir_opposite(insn->op) || insn->op == IR_FEQ || insn->op == IR_DEQ))
        return false;
    bool has_vectors = isel_is_v(s, insn->args[0]) || isel_is_v(s, insn->args[1]);
    s->inverted[condition] = has_vectors;
    return has_vectors;
}

/* min and max written as compare and select. */
static bool select_minimum(struct isel *s, ir_value condition, ir_value then, ir_value otherwise, mir_reg d)
{
    const struct ir_insn *c = isel_at(s, condition);
    bool is_less = c->op == IR_LTS || c->op == IR_LTU, is_signed = c->op == IR_LTS || c->op == IR_GES;
    if (!is_less && c->op != IR_GES && c->op != IR_GEU)
        return false;
    bool same = c->args[0] == then && c->args[1] == otherwise, swapped = c->args[1] == then && c->args[0] == otherwise;
    if (s->uses[condition] != 1 || (!same && !swapped))
        return false;
    bool is_min = is_less == same;
    unsigned op = is_signed ? (is_min ? IR_MINS : IR_MAXS) : (is_min ? IR_MINU : IR_MAXU);
    by_forms(s, &isel_forms[op], isel_is_v(s, then) ? then : otherwise, isel_is_v(s, then) ? otherwise : then, d);
    return true;
}

static void select_value(struct isel *s, const struct ir_insn *insn, mir_reg d)
{
    ir_value condition = insn->args[0], then = insn->args[1], otherwise = insn->args[2];
    bool then_v = isel_is_v(s, then), else_v = isel_is_v(s, otherwise);
    if (select_minimum(s, condition, then, otherwise, d))
        return;
    if (!then_v && !else_v) {
        select_scalars(s, condition, then, otherwise, d);
    } else if (isel_is(s, otherwise, 0)) {
        times_condition(s, condition, isel_v(s, then), d);
    } else if (isel_is(s, then, 0) && invert_condition(s, condition)) {
        times_condition(s, condition, isel_v(s, otherwise), d);
    } else if (isel_is(s, then, 0) && isel_is_v(s, condition)) {
        mir_reg mask = isel_temp(s, MIR_V);
        EMIT(s, CY_OP_vadd_vi, mask, isel_v(s, condition), -1);
        EMIT(s, CY_OP_vand_vv, d, mask, isel_v(s, otherwise));
    } else if (!else_v && invert_condition(s, condition)) {
        difference(s, otherwise, then, d);
        blend(s, condition, then, d);
    } else if (!else_v && (s->ir->blocks.at[s->block].loop_header == NONE || isel_in_loop_of(s, otherwise))) {
        mir_reg a = isel_temp(s, MIR_V), b = isel_temp(s, MIR_V);
        difference(s, then, otherwise, a);
        times_condition(s, condition, a, b);
        add_scalar(s, b, otherwise, d);
    } else {
        difference(s, then, otherwise, d);
        blend(s, condition, otherwise, d);
    }
}

/* ---- fused multiply and add ---- */

/* By the signs of product and addend; the accumulator is the addend, or a factor. */
static const uint16_t fma_addend[2][2][2] = {
    {{CY_OP_vfmacc_vv, CY_OP_vfmacc_vf}, {CY_OP_vfmsac_vv, CY_OP_vfmsac_vf}},
    {{CY_OP_vfnmsac_vv, CY_OP_vfnmsac_vf}, {CY_OP_vfnmacc_vv, CY_OP_vfnmacc_vf}},
};
static const uint16_t fma_factor[2][2][2] = {
    {{CY_OP_vfmadd_vv, CY_OP_vfmadd_vf}, {CY_OP_vfmsub_vv, CY_OP_vfmsub_vf}},
    {{CY_OP_vfnmsub_vv, CY_OP_vfnmsub_vf}, {CY_OP_vfnmadd_vv, CY_OP_vfnmadd_vf}},
};

/* Is the operand a phi that has this value as its back-edge argument?  Then both should share a register. */
static bool goes_back_to(const struct isel *s, ir_value value, ir_value operand)
{
    const struct ir_insn *phi = isel_at(s, operand);
    for (size_t i = 0; phi->op == IR_PHI && i < s->ir->blocks.at[phi->block].preds.count; i++)
        if (s->ir->phi_args.at[phi->args[0] + i] == value)
            return true;
    return false;
}

static void fused_multiply_add(struct isel *s, ir_value value, const struct ir_insn *insn, mir_reg d)
{
    bool np = false, na = false;
    struct isel_sign sx, sy, sc;
    ir_value x = isel_factor(s, insn->args[0], &np, &sx), y = isel_factor(s, insn->args[1], &np, &sy);
    ir_value c = isel_factor(s, insn->args[2], &na, &sc);
    bool better = isel_is_v(s, y) && isel_dies(s, y) && (!isel_dies(s, x) || goes_back_to(s, value, y));
    if (!isel_is_v(s, x) || better) {
        ir_value swap = x; /* x is a vector if either is, preferably one that can be overwritten */
        struct isel_sign swap_sign = sx;
        x = y;
        y = swap;
        sx = sy;
        sy = swap_sign;
    }
    bool c_v = isel_is_v(s, c), scalar = !isel_is_v(s, y) && isel_is_v(s, x),
         hoistable = !c_v && !isel_in_loop_of(s, c);
    bool factor_dies = isel_dies(s, x) && x != y && x != c;
    bool tie_addend = c_v ? (isel_dies(s, c) && c != x && c != y) || !factor_dies : !(hoistable && factor_dies);
    mir_reg other = scalar ? isel_s(s, y) : isel_v(s, y);
    if (tie_addend) {
        mir_reg factor = isel_v(s, x);
        isel_move(s, d, c);
        EMIT(s, fma_addend[np][na][scalar], d, other, factor);
    } else {
        EMIT(s, MIR_COPY, d, isel_v(s, x));
        EMIT(s, fma_factor[np][na][scalar], d, other, isel_v(s, c));
    }
    isel_sign_operand(s, 0, tie_addend ? sc : sx);
    isel_sign_operand(s, 1, sy);
    isel_sign_operand(s, 2, tie_addend ? sx : sc);
}

void isel_vector(struct isel *s, ir_value value, const struct ir_insn *insn, mir_reg d)
{
    bool inverted = s->inverted[value];
    ir_value a = insn->args[0];
    switch (insn->op) {
    case IR_COPY: isel_move(s, d, a); break;
    case IR_LANE: EMIT(s, CY_OP_vid_v, d); break;
    case IR_EQ:
    case IR_NE:
    case IR_LTS:
    case IR_GES:
    case IR_LTU:
    case IR_GEU: compare(s, inverted ? ir_opposite(insn->op) : insn->op, a, insn->args[1], d); break;
    case IR_FEQ:
    case IR_FLT:
    case IR_FLE: float_compare(s, insn->op, inverted, a, insn->args[1], d); break;
    case IR_SELECT: select_value(s, insn, d); break;
    case IR_FMA: fused_multiply_add(s, value, insn, d); break;
    case IR_FSQRT: float_unary(s, CY_OP_vfsqrt_v, a, d); break;
    case IR_FTOS: float_unary(s, CY_OP_vfcvt_rtz_x_f_v, a, d); break;
    case IR_FTOU: float_unary(s, CY_OP_vfcvt_rtz_xu_f_v, a, d); break;
    case IR_STOF: EMIT(s, CY_OP_vfcvt_f_x_v, d, isel_v(s, a)); break;
    case IR_UTOF: EMIT(s, CY_OP_vfcvt_f_xu_v, d, isel_v(s, a)); break;
    case IR_FEXP: float_unary(s, CY_OP_vfexp_v, a, d); break;
    default: binary(s, insn, d); break;
    }
}
