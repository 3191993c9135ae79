/* Expressions on 64-bit values: rows under a prefix for pairs, widening rows, and RV64's. */
#include "jit/translate/translator.h"

/* ---- arithmetic ---- */

static struct wide lift_wide(struct translator *t, make_fn *make, void *context, const struct wide *operands,
                             unsigned count)
{
    LLVMValueRef given[3] = {0};
    bool is_vector = false, in_group = true;
    for (unsigned i = 0; i < count; i++) {
        is_vector |= operands[i].class.kind != WIDE_UNIFORM;
        in_group &= is_wide_shared(&operands[i].class);
    }
    for (unsigned i = 0; i < count; i++)
        given[i] = is_vector ? wide_lanes(t, operands[i]) : operands[i].base;
    t->is_wide = true;
    LLVMValueRef made = t->emit ? make(t, given, is_vector, context) : NULL;
    t->is_wide = false;
    return is_vector ? wide_vector(t, made) : wide_uniform(t, made, in_group);
}

/* Comparisons are 0 or 1. */
static LLVMValueRef make_binary(struct translator *t, LLVMValueRef *operands, bool is_vector, void *context)
{
    LLVMValueRef made = build_binary(t, operands, is_vector, context);
    return is_comparison(*(const enum binary *)context)
               ? LLVMBuildZExt(t->builder, made, is_vector ? t->vi64 : t->i64, "")
               : made;
}

static LLVMValueRef make_choice(struct translator *t, LLVMValueRef *operands, bool is_vector, void *context)
{
    (void)context, (void)is_vector;
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(operands[0]));
    LLVMValueRef condition = LLVMBuildICmp(t->builder, LLVMIntNE, operands[0], zero, "");
    return LLVMBuildSelect(t->builder, condition, operands[1], operands[2], "");
}

static unsigned align_of(enum binary op, const struct wide_class *a, const struct wide_class *b)
{
    unsigned align = 0;
    if (op == ADD || op == SUB)
        align = a->align < b->align ? a->align : b->align;
    else if (op == MUL)
        align = (unsigned)a->align + b->align;
    else if (op == SHL && b->is_const)
        align = a->align + (unsigned)(b->constant & 63);
    return align < 63 ? align : 63;
}

/* Keeps base and index apart where the operation allows it. */
static bool combine(struct translator *t, enum binary op, const struct wide *a, const struct wide *b,
                    struct wide *result)
{
    const bool is_indexed = a->class.kind == WIDE_INDEXED;
    const struct wide *indexed = is_indexed ? a : b, *other = is_indexed ? b : a;
    if (indexed->class.kind != WIDE_INDEXED || other->class.kind != WIDE_UNIFORM)
        return false;
    const bool is_scaled = (op == MUL && other->class.is_const) || (op == SHL && is_indexed && other->class.is_const);
    if (op != ADD && !(op == SUB && is_indexed) && !is_scaled)
        return false;
    *result = *indexed;
    result->class.is_blended = false;
    result->class.is_const = false;
    if (is_scaled)
        result->class.factor = fold_binary(op, indexed->class.factor, other->class.constant, 64);
    if (is_scaled && indexed->class.is_const && !indexed->class.constant) { /* a base of zero */
        result->class.is_const = true;
        return true;
    }
    if (indexed->class.is_const && !indexed->class.constant && op == ADD) {
        result->base = other->base;
        result->class.is_const = other->class.is_const;
        result->class.constant = other->class.constant;
        result->class.align = other->class.align;
        result->class.in_group = other->class.in_group;
        return true;
    }
    LLVMValueRef bases[] = {a->base, b->base};
    result->base = t->emit ? build_binary(t, bases, false, &op) : NULL;
    result->class.constant = 0;
    result->class.align = (uint8_t)align_of(op, &a->class, &b->class);
    result->class.in_group = a->class.in_group && b->class.in_group && !t->varying[t->at];
    return true;
}

static struct wide wide_binary(struct translator *t, enum binary op, struct wide a, struct wide b)
{
    struct wide result;
    if (a.class.is_const && a.class.kind == WIDE_UNIFORM && b.class.is_const && b.class.kind == WIDE_UNIFORM)
        return wide_constant(t, fold_binary(op, a.class.constant, b.class.constant, 64));
    if (combine(t, op, &a, &b, &result))
        return result;
    const struct wide both[] = {a, b};
    result = lift_wide(t, make_binary, &op, both, 2);
    if (result.class.kind == WIDE_UNIFORM && a.class.kind == WIDE_UNIFORM && b.class.kind == WIDE_UNIFORM)
        result.class.align = (uint8_t)align_of(op, &a.class, &b.class);
    return result;
}

/* ---- operands ---- */

/* Absolute value first, then negation. */
static struct wide modified_wide(struct translator *t, const struct inst *inst, unsigned source, struct wide value)
{
    const struct wide zero = wide_constant(t, 0), sign = wide_constant(t, 1ull << 63);
    const bool is_float = inst->effects.is_float;
    if (inst->abs >> source & 1) {
        if (is_float) {
            value = wide_binary(t, AND, value, wide_constant(t, ~(1ull << 63)));
        } else {
            const struct wide is_negative = wide_binary(t, LT, value, zero), negated = wide_binary(t, SUB, zero, value);
            const struct wide all[] = {is_negative, negated, value};
            value = lift_wide(t, make_choice, NULL, all, 3);
        }
    }
    if (inst->neg >> source & 1)
        value = is_float ? wide_binary(t, XOR, value, sign) : wide_binary(t, SUB, zero, value);
    return value;
}

struct value modified(struct translator *t, const struct inst *inst, unsigned source, struct value value)
{
    const struct value zero = constant(t, 0);
    const bool is_float = inst->effects.is_float;
    if (inst->abs >> source & 1) {
        const struct value is_negative = binary(t, LT, value, zero), negated = binary(t, SUB, zero, value);
        value = is_float ? binary(t, AND, value, constant(t, INT32_MAX)) : choose(t, is_negative, negated, value);
    }
    if (inst->neg >> source & 1)
        value = is_float ? binary(t, XOR, value, constant(t, 1u << 31)) : binary(t, SUB, zero, value);
    return value;
}

static LLVMValueRef make_float_wide(struct translator *t, LLVMValueRef *operands, bool is_vector, void *context)
{
    (void)context;
    LLVMValueRef narrow = LLVMBuildBitCast(t->builder, operands[0], is_vector ? t->vf32 : t->f32, "");
    return float_bits(t, LLVMBuildFPExt(t->builder, narrow, is_vector ? t->vf64 : t->f64, ""), is_vector);
}

/* A float as a double. */
static struct wide widened(struct translator *t, struct value value)
{
    LLVMValueRef word, made = NULL;
    const bool is_vector = value.class.kind != UNIFORM;
    word = is_vector ? vector_of(t, value) : scalar_of(t, value);
    t->is_wide = true;
    if (t->emit)
        made = make_float_wide(t, &word, is_vector, NULL);
    t->is_wide = false;
    return is_vector ? wide_vector(t, made) : wide_uniform(t, made, is_shared(&value.class));
}

/* NULL: the row has no such source. */
static const struct cy_operand *operand_of(const struct inst *inst, enum cy_expr_source source)
{
    static const enum cy_role roles[] = {CY_ROLE_A, CY_ROLE_B, CY_ROLE_C};
    return cy_effects_operand(&inst->effects, roles[source]);
}

/* 32 bits of a source, which the row extends. */
static struct value narrow_source(struct translator *t, const struct inst *inst, enum cy_expr_source source)
{
    const struct cy_operand *from = operand_of(inst, source);
    switch (from->kind) {
    case CY_OPERAND_X: return read_x(t, (unsigned)from->value);
    case CY_OPERAND_V: return read_v(t, (unsigned)from->value);
    default: return constant(t, (uint32_t)from->value);
    }
}

/* 64 bits: a pair, or 32 bits sign-extended. */
static struct wide wide_source(struct translator *t, const struct inst *inst, enum cy_expr_source source)
{
    const struct cy_operand *from = operand_of(inst, source);
    if (!from)
        return wide_constant(t, 0);
    if (from->kind == CY_OPERAND_IMMEDIATE) { /* of lanes, the immediate is a source like others */
        const struct wide immediate = wide_constant(t, (uint64_t)(int64_t)from->value);
        return source == CY_SOURCE_A ? modified_wide(t, inst, source, immediate) : immediate;
    }
    const unsigned number = (unsigned)from->value;
    struct wide value;
    if (from->kind == CY_OPERAND_X && !number)
        value = wide_constant(t, 0);
    else if (from->count != 2)
        value = wide_extended(t, narrow_source(t, inst, source), true);
    else
        value = from->kind == CY_OPERAND_X ? read_x_pair(t, number) : read_active_pair(t, number);
    return modified_wide(t, inst, source, value);
}

/* Operands of widening rows: wa, wb, swa, swb, wd, and b of conversions. */
static struct wide widening_source(struct translator *t, const struct inst *inst, enum cy_expr_source source,
                                   bool is_signed)
{
    if (operand_of(inst, source)->bits == 64)
        return wide_source(t, inst, source);
    struct value narrow = narrow_source(t, inst, source);
    return inst->effects.is_float ? widened(t, narrow) : wide_extended(t, narrow, is_signed);
}

/* ---- trees ---- */

/* fw_add: f_add with wide operands. */
static make_fn *wide_maker(enum cy_function function)
{
    switch (function) {
    case CY_FN_fw_add: return maker_of(CY_FN_f_add);
    case CY_FN_fw_sub: return maker_of(CY_FN_f_sub);
    case CY_FN_fw_mul: return maker_of(CY_FN_f_mul);
    case CY_FN_fw_fma: return maker_of(CY_FN_f_fma);
    case CY_FN_fw_neg: return maker_of(CY_FN_f_neg);
    default: return maker_of(function);
    }
}

static bool is_known_wide(const struct cy_expr *expr)
{
    if ((expr->kind == CY_EXPR_CALL && !wide_maker((enum cy_function)expr->function)) ||
        (expr->kind == CY_EXPR_UNARY && expr->op == CY_EXPR_CAST) ||
        (expr->kind == CY_EXPR_SOURCE && (expr->source == CY_SOURCE_MASK || expr->source == CY_SOURCE_WORD)))
        return false;
    for (unsigned i = 0; i < expr->part_count; i++)
        if (!is_known_wide(expr->part[i]))
            return false;
    return true;
}

static struct wide operand(struct translator *t, const struct inst *inst, const struct cy_expr *expr)
{
    const enum cy_expr_source source = (enum cy_expr_source)expr->source;
    return inst->effects.result == CY_RESULT_WIDE ? widening_source(t, inst, source, expr->is_signed)
                                                  : wide_source(t, inst, source);
}

static struct wide tree(struct translator *t, const struct inst *inst, const struct cy_expr *expr)
{
    struct wide parts[CY_EXPR_MAX_PARTS];
    bool is_strict = false;
    for (unsigned i = 0; i < expr->part_count; i++) {
        parts[i] = tree(t, inst, expr->part[i]);
        is_strict |= parts[i].class.is_const && parts[i].class.kind == WIDE_UNIFORM;
    }
    switch ((enum cy_expr_kind)expr->kind) {
    case CY_EXPR_NUMBER: return wide_constant(t, expr->number);
    case CY_EXPR_WIDTH: return wide_constant(t, 64);
    case CY_EXPR_SOURCE: return operand(t, inst, expr);
    case CY_EXPR_CALL: {
        t->is_strict = is_strict; /* LLVM folds operations with neutral elements */
        const struct wide made =
            lift_wide(t, wide_maker((enum cy_function)expr->function), NULL, parts, expr->part_count);
        t->is_strict = false;
        return made;
    }
    case CY_EXPR_UNARY:
        switch ((enum cy_expr_op)expr->op) {
        case CY_EXPR_NOT: return wide_binary(t, XOR, parts[0], wide_constant(t, UINT64_MAX));
        case CY_EXPR_IS_ZERO: return wide_binary(t, EQ, parts[0], wide_constant(t, 0));
        default: return wide_binary(t, SUB, wide_constant(t, 0), parts[0]);
        }
    case CY_EXPR_BINARY: return wide_binary(t, binary_of(expr), parts[0], parts[1]);
    case CY_EXPR_CHOICE:
        if (parts[0].class.is_const && parts[0].class.kind == WIDE_UNIFORM)
            return parts[0].class.constant ? parts[1] : parts[2];
        return lift_wide(t, make_choice, NULL, parts, 3);
    }
    return wide_constant(t, 0);
}

/* ---- conversions from 32 to 64 bits ---- */

static bool convert(struct translator *t, const struct inst *inst, struct wide *result)
{
    static const struct {
        enum cy_op op;
        enum cy_function function; /* of 64-bit operands */
        char from;                 /* what the operand is: f a float, i or u an integer */
    } conversions[] = {
        {CY_OP_vfwcvt_xu_f_v, CY_FN_f_to_u, 'f'},
        {CY_OP_vfwcvt_x_f_v, CY_FN_f_to_i, 'f'},
        {CY_OP_vfwcvt_rtz_xu_f_v, CY_FN_f_to_u_rtz, 'f'},
        {CY_OP_vfwcvt_rtz_x_f_v, CY_FN_f_to_i_rtz, 'f'},
        {CY_OP_vfwcvt_f_xu_v, CY_FN_f_from_u, 'u'},
        {CY_OP_vfwcvt_f_x_v, CY_FN_f_from_i, 'i'},
        {CY_OP_vfwcvt_f_f_v, CY_FN_NONE, 'f'},
    };
    for (size_t i = 0; i < CY_COUNT(conversions); i++) {
        if (conversions[i].op != inst->insn.op)
            continue;
        struct value narrow = narrow_source(t, inst, CY_SOURCE_B);
        const char from = conversions[i].from;
        *result = from == 'f' ? widened(t, narrow) : wide_extended(t, narrow, from == 'i');
        if (conversions[i].function)
            *result = lift_wide(t, maker_of(conversions[i].function), NULL, result, 1);
        return true;
    }
    return false;
}

/* ---- rows that only the interpreter can evaluate ---- */

static LLVMValueRef make_by_eval(struct translator *t, LLVMValueRef *operands, bool is_vector, void *context)
{
    const uint32_t *row = context;
    LLVMValueRef result = is_vector ? LLVMGetPoison(t->vi64) : NULL;
    for (unsigned i = 0; i < (is_vector ? t->w : 1); i++) {
        LLVMValueRef lane = number32(t, i), args[5] = {number32(t, row[0]), number32(t, row[1])};
        for (int k = 0; k < 3; k++)
            args[2 + k] = is_vector ? LLVMBuildExtractElement(t->builder, operands[k], lane, "") : operands[k];
        LLVMValueRef one = call_helper(t, offsetof(struct cy_jit_helpers, eval_wide), t->i64, args, 5);
        result = is_vector ? LLVMBuildInsertElement(t->builder, result, one, lane, "") : one;
    }
    return result;
}

static struct wide by_eval(struct translator *t, const struct inst *inst)
{
    uint32_t row[2] = {(uint32_t)inst->insn.op, inst->effects.result == CY_RESULT_WIDE ? 32 : 64};
    struct wide sources[3];
    for (unsigned i = 0; i < 3; i++)
        sources[i] = wide_source(t, inst, (enum cy_expr_source)i);
    return lift_wide(t, make_by_eval, row, sources, 3);
}

static struct wide value_of(struct translator *t, const struct inst *inst)
{
    const struct cy_expr *expr = inst->effects.expr;
    struct wide result;
    if (inst->effects.result == CY_RESULT_WIDE && (inst->abs || inst->neg))
        cannot(t, "a prefix of %s", row_of(inst)->mnemonic);
    if (convert(t, inst, &result))
        return result;
    const bool is_fused = cy_functions[inst->effects.function].work == CY_WORK_FUSED;
    const bool is_libm = !t->level->has_fma && is_fused; /* LLVM would call fma() */
    if (is_known_wide(expr) && !is_libm)
        return tree(t, inst, expr);
    if (inst->effects.reads_mask)
        cannot(t, "%s on pairs", row_of(inst)->mnemonic);
    return by_eval(t, inst);
}

struct value evaluate_wide_condition(struct translator *t, const struct inst *inst)
{
    return binary(t, NE, wide_half(t, value_of(t, inst), false), constant(t, 0));
}

bool lower_wide(struct translator *t, const struct inst *inst)
{
    const int32_t rd = field(inst, CY_FIELD_rd), vd = field(inst, CY_FIELD_vd);
    const struct wide value = value_of(t, inst);
    const bool is_pair = register_count(inst, rd >= 0 ? CY_FIELD_rd : CY_FIELD_vd) == 2;
    if (t->failed)
        return false;
    if (rd >= 0 && is_pair)
        write_x_pair(t, (unsigned)rd, value);
    else if (rd >= 0)
        write_x(t, (unsigned)rd, wide_half(t, value, false));
    else if (is_pair)
        write_pair(t, (unsigned)vd, value);
    else
        write_v(t, (unsigned)vd, wide_half(t, value, false));
    return !t->failed;
}
