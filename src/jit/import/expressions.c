/* Rows with an expression: its tree becomes operations.  What has none is a `row`, which computes what the interpreter does. */
#include "jit/import/import_priv.h"

/* ---- sources ---- */

static enum cy_sir_type element_type(const struct inst *inst)
{
    return inst->effects.is_wide ? CY_SIR_I64 : CY_SIR_I32;
}

static cy_sir_value extended(struct importer *im, cy_sir_value value, bool is_signed)
{
    if (type_of(im, value) == CY_SIR_I64)
        return value;
    return make(im, is_signed ? CY_SIR_SEXT : CY_SIR_ZEXT, CY_SIR_I64, value, 0, 0);
}

static cy_sir_value read_operand(struct importer *im, const struct cy_operand *operand)
{
    const unsigned first = (unsigned)operand->value;
    const bool is_pair = operand->bits == 64;
    if (operand->kind == CY_OPERAND_X)
        return is_pair ? import_read_x_pair(im, first) : import_read_x(im, first);
    return is_pair ? read_v_pair(im, first) : import_read_v(im, first);
}

/* A prefix takes the absolute value first, then negates. */
static cy_sir_value modified(struct importer *im, const struct inst *inst, unsigned which, cy_sir_value value)
{
    const struct cy_effects *effects = &inst->effects;
    const enum cy_sir_type type = type_of(im, value);
    const cy_sir_value sign = number(im, type, 1ull << (cy_sir_bits(type) - 1)), zero = number(im, type, 0);
    if (effects->abs >> which & 1) {
        const cy_sir_value positive = make(im, CY_SIR_XOR, type, sign, number(im, type, UINT64_MAX), 0);
        if (effects->is_float) {
            value = make(im, CY_SIR_AND, type, value, positive, 0);
        } else {
            const cy_sir_value negated = make(im, CY_SIR_SUB, type, zero, value, 0);
            const cy_sir_value is_negative = make(im, CY_SIR_LTS, CY_SIR_I1, value, zero, 0);
            value = make(im, CY_SIR_SELECT, type, is_negative, negated, value);
        }
    }
    if (effects->neg >> which & 1)
        value =
            effects->is_float ? make(im, CY_SIR_XOR, type, value, sign, 0) : make(im, CY_SIR_SUB, type, zero, value, 0);
    return value;
}

/* Immediates are not changed by prefixes, but those in the place of vs1. */
static bool is_modified(const struct inst *inst, const struct cy_operand *operand, unsigned which)
{
    const struct cy_effects *effects = &inst->effects;
    const bool is_immediate = operand->kind == CY_OPERAND_IMMEDIATE;
    const bool is_lanes = cy_shapes[effects->row->format].computes == CY_COMPUTES_LANES;
    return (effects->abs | effects->neg) >> which & 1 && (!is_immediate || (is_lanes && operand->role == CY_ROLE_A));
}

/* `expr` says how it is extended, if the row widens its sources; NULL: as it is. */
static cy_sir_value read_source(struct importer *im, const struct inst *inst, unsigned which,
                                const struct cy_expr *expr)
{
    static const enum cy_role roles[] = {CY_ROLE_A, CY_ROLE_B, CY_ROLE_C};
    const struct cy_effects *effects = &inst->effects;
    const struct cy_operand *operand = cy_effects_operand(effects, roles[which]);
    const bool widens = effects->result == CY_RESULT_WIDE,
               is_modified_here = operand && is_modified(inst, operand, which);
    if (!operand)
        return number(im, element_type(inst), 0);
    if (operand->kind == CY_OPERAND_IMMEDIATE) {
        const enum cy_sir_type type = widens ? CY_SIR_I32 : element_type(inst);
        const cy_sir_value value = number(im, type, (uint64_t)(int64_t)operand->value);
        return is_modified_here ? modified(im, inst, which, value) : value;
    }
    cy_sir_value value = read_operand(im, operand);
    const bool is_early = effects->row->format == CY_FORMAT_WWX && which == 0; /* it is extended before it is changed */
    if (!widens && effects->is_wide)
        value = extended(im, value, true);
    else if (is_early && expr)
        value = extended(im, value, expr->is_signed);
    if (is_modified_here)
        value = modified(im, inst, which, value);
    if (!widens || !expr || !expr->is_wide || type_of(im, value) == CY_SIR_I64)
        return value;
    return effects->is_float ? make(im, CY_SIR_FWIDEN, CY_SIR_I64, value, 0, 0) : extended(im, value, expr->is_signed);
}

/* ---- trees ---- */

static cy_sir_value tree(struct importer *im, const struct inst *inst, const struct cy_expr *expr);

/* A comparison as a number. */
static cy_sir_value as_number(struct importer *im, const struct inst *inst, cy_sir_value value)
{
    return type_of(im, value) == CY_SIR_I1 ? make(im, CY_SIR_ZEXT, element_type(inst), value, 0, 0) : value;
}

static cy_sir_value as_condition(struct importer *im, cy_sir_value value)
{
    const enum cy_sir_type type = type_of(im, value);
    return type == CY_SIR_I1 ? value : make(im, CY_SIR_NE, CY_SIR_I1, value, number(im, type, 0), 0);
}

/* The functions that are one operation. */
static enum cy_sir_op op_of_function(enum cy_function function)
{
    switch (function) {
    case CY_FN_mulh: return CY_SIR_MULHS;
    case CY_FN_mulhu: return CY_SIR_MULHU;
    case CY_FN_mulhsu: return CY_SIR_MULHSU;
    case CY_FN_i_div: return CY_SIR_DIVS;
    case CY_FN_i_rem: return CY_SIR_REMS;
    case CY_FN_u_div: return CY_SIR_DIVU;
    case CY_FN_u_rem: return CY_SIR_REMU;
    case CY_FN_f_add:
    case CY_FN_fw_add: return CY_SIR_FADD;
    case CY_FN_f_sub:
    case CY_FN_fw_sub: return CY_SIR_FSUB;
    case CY_FN_f_mul:
    case CY_FN_fw_mul: return CY_SIR_FMUL;
    case CY_FN_f_div: return CY_SIR_FDIV;
    case CY_FN_f_sqrt: return CY_SIR_FSQRT;
    case CY_FN_f_fma:
    case CY_FN_fw_fma: return CY_SIR_FMA;
    case CY_FN_f_min: return CY_SIR_FMIN;
    case CY_FN_f_max: return CY_SIR_FMAX;
    case CY_FN_f_eq: return CY_SIR_FEQ;
    case CY_FN_f_lt: return CY_SIR_FLT;
    case CY_FN_f_le: return CY_SIR_FLE;
    case CY_FN_f_exp: return CY_SIR_FEXP;
    case CY_FN_f_to_i:
    case CY_FN_fw_to_i: return CY_SIR_FTOS;
    case CY_FN_f_to_u:
    case CY_FN_fw_to_u: return CY_SIR_FTOU;
    case CY_FN_f_to_i_rtz:
    case CY_FN_fw_to_i_rtz: return CY_SIR_FTOSZ;
    case CY_FN_f_to_u_rtz:
    case CY_FN_fw_to_u_rtz: return CY_SIR_FTOUZ;
    case CY_FN_f_from_i:
    case CY_FN_fw_from_i: return CY_SIR_STOF;
    case CY_FN_f_from_u:
    case CY_FN_fw_from_u: return CY_SIR_UTOF;
    default: return CY_SIR_NONE;
    }
}

/* The other ones that operations can be made of. */
static bool is_composed(const struct cy_expr *call)
{
    switch ((enum cy_function)call->function) {
    case CY_FN_carry:
    case CY_FN_borrow: return call->part[2]->kind == CY_EXPR_NUMBER && !call->part[2]->number;
    case CY_FN_b_part:
    case CY_FN_sb_part:
    case CY_FN_f_neg:
    case CY_FN_fw_neg:
    case CY_FN_fw_widen:
    case CY_FN_f_sgnj:
    case CY_FN_f_sgnjn:
    case CY_FN_f_sgnjx: return true;
    default: return false;
    }
}

static cy_sir_value sign_taken(struct importer *im, enum cy_function function, cy_sir_value a, cy_sir_value b)
{
    const enum cy_sir_type type = type_of(im, a);
    const cy_sir_value sign = number(im, type, 1ull << (cy_sir_bits(type) - 1)), ones = number(im, type, UINT64_MAX);
    if (function == CY_FN_f_sgnjx)
        return make(im, CY_SIR_XOR, type, a, make(im, CY_SIR_AND, type, b, sign, 0), 0);
    if (function == CY_FN_f_sgnjn)
        b = make(im, CY_SIR_XOR, type, b, ones, 0);
    a = make(im, CY_SIR_AND, type, a, make(im, CY_SIR_XOR, type, sign, ones, 0), 0);
    return make(im, CY_SIR_OR, type, a, make(im, CY_SIR_AND, type, b, sign, 0), 0);
}

/* The lowest part of the source B: 1 / `divisor` of an element. */
static cy_sir_value lowest_part(struct importer *im, const struct inst *inst, uint32_t divisor, bool is_signed)
{
    const enum cy_sir_type type = element_type(inst);
    const unsigned bits = cy_sir_bits(type) / divisor;
    const enum cy_sir_type part = bits == 8 ? CY_SIR_I8 : bits == 16 ? CY_SIR_I16 : CY_SIR_I32;
    cy_sir_value value = import_read_v(im, (unsigned)cy_effects_operand(&inst->effects, CY_ROLE_B)->value);
    if (part != CY_SIR_I32)
        value = make(im, CY_SIR_TRUNC, part, value, 0, 0);
    return type == part ? value : make(im, is_signed ? CY_SIR_SEXT : CY_SIR_ZEXT, type, value, 0, 0);
}

static cy_sir_value composed(struct importer *im, const struct inst *inst, const struct cy_expr *call,
                             const cy_sir_value *parts)
{
    const enum cy_sir_type type = parts[0] ? type_of(im, parts[0]) : CY_SIR_VOID;
    switch ((enum cy_function)call->function) {
    case CY_FN_carry: {
        const cy_sir_value sum = make(im, CY_SIR_ADD, type, parts[0], parts[1], 0);
        return make(im, CY_SIR_LTU, CY_SIR_I1, sum, parts[0], 0);
    }
    case CY_FN_borrow: return make(im, CY_SIR_LTU, CY_SIR_I1, parts[0], parts[1], 0);
    case CY_FN_f_neg:
    case CY_FN_fw_neg:
        return make(im, CY_SIR_XOR, type, parts[0], number(im, type, 1ull << (cy_sir_bits(type) - 1)), 0);
    case CY_FN_fw_widen: return make(im, CY_SIR_FWIDEN, CY_SIR_I64, parts[0], 0, 0);
    default: return sign_taken(im, (enum cy_function)call->function, parts[0], parts[1]);
    }
    (void)inst;
}

/* What functions that convert to twice the width are given: the number as one of that width. */
static cy_sir_value converted(struct importer *im, enum cy_function function, cy_sir_value value)
{
    switch (function) {
    case CY_FN_fw_to_i:
    case CY_FN_fw_to_u:
    case CY_FN_fw_to_i_rtz:
    case CY_FN_fw_to_u_rtz: return make(im, CY_SIR_FWIDEN, CY_SIR_I64, value, 0, 0);
    case CY_FN_fw_from_i:
    case CY_FN_fw_from_u: return extended(im, value, function == CY_FN_fw_from_i);
    default: return value;
    }
}

static bool rounds_to_zero(const struct importer *im, const struct inst *inst)
{
    const int8_t mode = inst->effects.rounding;
    return mode == 1 || (mode == 7 && im->now.rounding.is == KNOWN && im->now.rounding.value == 1);
}

static cy_sir_value call(struct importer *im, const struct inst *inst, const struct cy_expr *expr)
{
    const enum cy_function function = (enum cy_function)expr->function;
    enum cy_sir_op op = op_of_function(function);
    cy_sir_value parts[CY_EXPR_MAX_PARTS] = {0};
    if (function == CY_FN_b_part || function == CY_FN_sb_part)
        return lowest_part(im, inst, expr->part[0]->number, function == CY_FN_sb_part);
    for (unsigned i = 0; i < expr->part_count; i++)
        parts[i] = as_number(im, inst, tree(im, inst, expr->part[i]));
    parts[0] = converted(im, function, parts[0]);
    if (op == CY_SIR_NONE)
        return composed(im, inst, expr, parts);
    if (rounds_to_zero(im, inst) && (op == CY_SIR_FTOS || op == CY_SIR_FTOU))
        op = op == CY_SIR_FTOS ? CY_SIR_FTOSZ : CY_SIR_FTOUZ;
    const bool is_condition = cy_sir_ops[op].result == CY_SIR_RESULT_BOOL;
    return make(im, op, is_condition ? CY_SIR_I1 : type_of(im, parts[0]), parts[0], parts[1], parts[2]);
}

static cy_sir_value unary(struct importer *im, const struct inst *inst, const struct cy_expr *expr)
{
    const cy_sir_value value = tree(im, inst, expr->part[0]);
    if (expr->op == CY_EXPR_IS_ZERO)
        return make(im, CY_SIR_XOR, CY_SIR_I1, as_condition(im, value), number(im, CY_SIR_I1, 1), 0);
    const cy_sir_value whole = as_number(im, inst, value);
    const enum cy_sir_type type = type_of(im, whole);
    switch (expr->op) {
    case CY_EXPR_NOT: return make(im, CY_SIR_XOR, type, whole, number(im, type, UINT64_MAX), 0);
    case CY_EXPR_NEGATE: return make(im, CY_SIR_SUB, type, number(im, type, 0), whole, 0);
    default: return whole; /* a cast: types are in the operations */
    }
}

static cy_sir_value binary(struct importer *im, const struct inst *inst, const struct cy_expr *expr)
{
    const cy_sir_value a = as_number(im, inst, tree(im, inst, expr->part[0])),
                       b = as_number(im, inst, tree(im, inst, expr->part[1]));
    const bool is_signed = expr->part[0]->is_signed, are_signed = is_signed && expr->part[1]->is_signed;
    const enum cy_sir_type type = type_of(im, a);
    const enum cy_sir_op less = are_signed ? CY_SIR_LTS : CY_SIR_LTU, other = are_signed ? CY_SIR_GES : CY_SIR_GEU;
    switch ((enum cy_expr_op)expr->op) {
    case CY_EXPR_OR: return make(im, CY_SIR_OR, type, a, b, 0);
    case CY_EXPR_XOR: return make(im, CY_SIR_XOR, type, a, b, 0);
    case CY_EXPR_AND: return make(im, CY_SIR_AND, type, a, b, 0);
    case CY_EXPR_EQ: return make(im, CY_SIR_EQ, CY_SIR_I1, a, b, 0);
    case CY_EXPR_NE: return make(im, CY_SIR_NE, CY_SIR_I1, a, b, 0);
    case CY_EXPR_LE: return make(im, other, CY_SIR_I1, b, a, 0);
    case CY_EXPR_GE: return make(im, other, CY_SIR_I1, a, b, 0);
    case CY_EXPR_LT: return make(im, less, CY_SIR_I1, a, b, 0);
    case CY_EXPR_GT: return make(im, less, CY_SIR_I1, b, a, 0);
    case CY_EXPR_SHL: return make(im, CY_SIR_SHL, type, a, b, 0);
    case CY_EXPR_SHR: return make(im, is_signed ? CY_SIR_SHRS : CY_SIR_SHRU, type, a, b, 0);
    case CY_EXPR_ADD: return make(im, CY_SIR_ADD, type, a, b, 0);
    case CY_EXPR_SUB: return make(im, CY_SIR_SUB, type, a, b, 0);
    default: return make(im, CY_SIR_MUL, type, a, b, 0);
    }
}

/* A source is read once in an expression, so that a prefix changes it once. */
static cy_sir_value tree(struct importer *im, const struct inst *inst, const struct cy_expr *expr)
{
    switch ((enum cy_expr_kind)expr->kind) {
    case CY_EXPR_NUMBER: return number(im, element_type(inst), expr->number);
    case CY_EXPR_WIDTH: return number(im, element_type(inst), cy_sir_bits(element_type(inst)));
    case CY_EXPR_SOURCE: return read_source(im, inst, expr->source, expr);
    case CY_EXPR_CALL: return call(im, inst, expr);
    case CY_EXPR_UNARY: return unary(im, inst, expr);
    case CY_EXPR_BINARY: return binary(im, inst, expr);
    default: break;
    }
    const cy_sir_value condition = as_condition(im, tree(im, inst, expr->part[0])),
                       a = as_number(im, inst, tree(im, inst, expr->part[1])),
                       b = as_number(im, inst, tree(im, inst, expr->part[2]));
    return make(im, CY_SIR_SELECT, type_of(im, a), condition, a, b);
}

/* ---- rows ---- */

enum { MOST_ROUNDING = 4 };

static bool is_known(const struct cy_expr *expr)
{
    if (expr->kind == CY_EXPR_CALL && op_of_function((enum cy_function)expr->function) == CY_SIR_NONE &&
        !is_composed(expr))
        return false;
    for (unsigned i = 0; i < expr->part_count; i++)
        if (!is_known(expr->part[i]))
            return false;
    return true;
}

static uint32_t rounding_of(const struct importer *im, const struct inst *inst)
{
    const int8_t mode = inst->effects.rounding;
    return mode < 0 ? 0 : mode == 7 ? im->now.rounding.value : (uint32_t)mode;
}

static bool rounds_as_operations(const struct importer *im, const struct inst *inst)
{
    const enum cy_sir_op op = op_of_function((enum cy_function)inst->effects.function);
    return !rounding_of(im, inst) || ((op == CY_SIR_FTOS || op == CY_SIR_FTOU) && rounds_to_zero(im, inst));
}

/* What the interpreter's function of the row makes of its sources. */
static cy_sir_value by_row(struct importer *im, const struct inst *inst)
{
    const bool is_wide = inst->effects.is_wide;
    cy_sir_value parts[3];
    for (unsigned i = 0; i < CY_COUNT(parts); i++)
        parts[i] = read_source(im, inst, i, NULL);
    const enum cy_sir_type type = is_wide ? CY_SIR_I64 : CY_SIR_I32;
    const cy_sir_value value = make(im, CY_SIR_ROW, type, parts[0], parts[1], parts[2]);
    cy_sir_at(im->func, value)->imm = (uint64_t)inst->insn.op | (uint64_t)rounding_of(im, inst) << 16;
    return value;
}

bool has_operations(const struct importer *im, const struct inst *inst)
{
    const struct cy_effects *effects = &inst->effects;
    const bool knows_rounding = effects->rounding != 7 || im->now.rounding.is == KNOWN;
    if (!effects->expr || effects->is_illegal || effects->crosses_lanes || effects->is_masked || effects->reads_mask ||
        !knows_rounding || rounding_of(im, inst) > MOST_ROUNDING)
        return false;
    /* a `row` has sources as wide as its result */
    return effects->result != CY_RESULT_WIDE || (is_known(effects->expr) && rounds_as_operations(im, inst));
}

static cy_sir_value value_of(struct importer *im, const struct inst *inst)
{
    const struct cy_expr *expr = inst->effects.expr;
    return is_known(expr) && rounds_as_operations(im, inst) ? tree(im, inst, expr) : by_row(im, inst);
}

cy_sir_value condition_of(struct importer *im, const struct inst *inst)
{
    return as_condition(im, value_of(im, inst));
}

void make_expression(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *result = cy_effects_operand(&inst->effects, CY_ROLE_RESULT);
    const unsigned to = (unsigned)result->value;
    cy_sir_value value = value_of(im, inst);
    if (inst->effects.result == CY_RESULT_BIT)
        value = as_condition(im, value);
    if (type_of(im, value) == CY_SIR_I1)
        value = make(im, CY_SIR_ZEXT, result->bits == 64 ? CY_SIR_I64 : CY_SIR_I32, value, 0, 0);
    const bool is_pair = result->bits == 64;
    if (!is_pair && type_of(im, value) == CY_SIR_I64)
        value = make(im, CY_SIR_LOW, CY_SIR_I32, value, 0, 0);
    if (result->kind == CY_OPERAND_X && is_pair)
        import_write_x_pair(im, to, value);
    else if (result->kind == CY_OPERAND_X)
        import_write_x(im, to, value);
    else if (is_pair)
        write_v_pair(im, to, value);
    else
        import_write_v(im, to, value);
}
