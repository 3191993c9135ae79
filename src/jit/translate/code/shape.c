/* What an instruction does with its operands, as far as its row alone does not say it: prefixes, register pairs, 64-bit
 * addresses.  Combinations that fault, or that compilers do not emit, are left to the interpreter. */
#include "jit/translate/translator.h"

/* ---- the column of formats.def ---- */

#define A_NOTHING NO_OPERAND
#define A_VECTOR VECTOR_OPERAND
#define A_WIDE WIDE_OPERAND
#define A_SCALAR SCALAR_OPERAND
#define A_IMMEDIATE IMMEDIATE_OPERAND
#define D_ELEMENT ELEMENT_RESULT
#define D_WIDE WIDE_RESULT
#define D_BIT BIT_RESULT
#define D_PACKED_BIT PACKED_BIT_RESULT
#define D_BRANCH BRANCH_RESULT
enum { IS_FLOAT_INT, IS_FLOAT_BIT = 0, IS_FLOAT_VI12 = 0, IS_FLOAT_WVV = 0, IS_FLOAT_WWV = 0 };
enum { IS_FLOAT_FP = 1, IS_FLOAT_FPBIT = 1, IS_FLOAT_FWVV = 1, IS_FLOAT_FWWV = 1, IS_FLOAT_FWWF = 1, IS_FLOAT_FW1 = 1 };
#define SHAPE_LANES(loop, eval, a, b, d)                                                                               \
    {                                                                                                                  \
        A_##a, A_##b, D_##d, IS_FLOAT_##eval, true                                                                     \
    }
#define SHAPE_SCALAR(...)                                                                                              \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define SHAPE_MEMORY(...) SHAPE_SCALAR()
#define SHAPE_OWN() SHAPE_SCALAR()
#define SHAPE_JOINED() SHAPE_SCALAR()

struct shape shape_of(const struct inst *inst)
{
    static const struct shape shapes[CY_FORMAT_COUNT] = {
#define FORMAT(id, mask, syntax, shape) [CY_FORMAT_##id] = SHAPE_##shape,
#include "isa/formats.def"
    };
    struct shape shape = shapes[row_of(inst)->format];
    shape.is_float |= inst->insn.op == CY_OP_vfmv_v_f || inst->insn.op == CY_OP_vfmv_s_f;
    return shape;
}

/* ---- registers ---- */

static bool is_memory(const struct inst *inst)
{
    return is_access(inst) || row_of(inst)->flags & CY_F_ATOMIC;
}

static bool is_scalar_access(const struct inst *inst)
{
    return row_of(inst)->format == CY_FORMAT_LOAD || row_of(inst)->format == CY_FORMAT_STORE;
}

static bool is_base(const struct inst *inst, enum cy_field which)
{
    return which == (is_scalar_access(inst) ? CY_FIELD_rs1 : CY_FIELD_vs1);
}

/* Rows on pairs of sGPRs, without a prefix. */
static bool is_rv64(const struct inst *inst)
{
    const enum cy_format format = row_of(inst)->format;
    return format == CY_FORMAT_R64 || format == CY_FORMAT_I64 || format == CY_FORMAT_SHIFT64;
}

static unsigned pair_or_one(unsigned number)
{
    return number & 1 ? 1 : 2;
}

unsigned register_count(const struct inst *inst, enum cy_field which)
{
    const unsigned number = (unsigned)field(inst, which);
    const bool is_x = cy_fields[which].kind == CY_XREG;
    const struct shape shape = shape_of(inst);
    if (is_x && !number)
        return 1;
    if (row_of(inst)->flags & CY_F_ATOMIC && inst->pairs)
        return pair_or_one(number);
    if (is_memory(inst)) {
        if (is_base(inst, which))
            return inst->is_far ? 2 : 1;
        return row_of(inst)->flags & CY_F_ATOMIC || (is_x && !is_scalar_access(inst)) ? 1 : inst->words;
    }
    if (is_rv64(inst))
        return 2;
    if (is_x)
        return inst->pairs ? pair_or_one(number) : 1;
    if (which == CY_FIELD_vd && shape.d != ELEMENT_RESULT)
        return shape.d == WIDE_RESULT ? 2 : 1;
    if (inst->pairs)
        return pair_or_one(number);
    return which != CY_FIELD_vd && (which == CY_FIELD_vs1 ? shape.a : shape.b) == WIDE_OPERAND ? 2 : 1;
}

/* Pairs begin at an even number, floating point does not mix widths, and all registers exist. */
static bool has_valid_registers(const struct inst *inst)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    const size_t count = cy_format_operands(row_of(inst)->format, fields);
    const bool is_float = shape_of(inst).is_float || row_of(inst)->flags & CY_F_FP;
    for (size_t i = 0; i < count; i++) {
        const enum cy_field_kind kind = cy_fields[fields[i]].kind;
        if (kind != CY_XREG && kind != CY_VREG)
            continue;
        const unsigned number = (unsigned)inst->insn.operand[i], registers = register_count(inst, fields[i]);
        const bool is_data = is_memory(inst) && !is_base(inst, fields[i]);
        const bool is_bit = fields[i] == CY_FIELD_vd && shape_of(inst).d == BIT_RESULT;
        if (number + registers > (kind == CY_XREG ? 64 : 256) || (registers == 2 && !is_data && number & 1) ||
            (inst->pairs && is_float && number & 1 && !is_bit))
            return false;
    }
    return true;
}

/* ---- prefixes ---- */

static bool find_memory_shape(struct translator *t, struct inst *inst)
{
    const bool is_atomic = row_of(inst)->flags & CY_F_ATOMIC;
    const enum cy_format format = row_of(inst)->format;
    const bool by_lane =
        format == CY_FORMAT_VL12 || format == CY_FORMAT_VS12 || format == CY_FORMAT_VL12D || format == CY_FORMAT_VS12D;
    const bool is_plain = !inst->is_far && !inst->space && inst->words == 1;
    inst->abs = inst->neg = 0; /* of expressions only */
    if (inst->pairs && !is_atomic)
        return cannot(t, "pairs in a memory access");
    if (!is_atomic && access_size(inst) < 4)
        inst->words = 1;
    if (is_atomic && (inst->space || inst->words > 1))
        return cannot(t, "a prefix of an atomic operation");
    if ((inst->space && (!by_lane || inst->is_far || inst->space == SPACE_GLOBAL)) ||
        (!is_plain && !by_lane && !is_scalar_access(inst) && !is_atomic))
        return cannot(t, "a prefix of %s", row_of(inst)->mnemonic);
    return true;
}

bool find_shape(struct translator *t, struct inst *inst)
{
    const enum cy_target target = (enum cy_target)t->request->target;
    const enum cy_format format = row_of(inst)->format;
    const struct shape shape = shape_of(inst);
    const uint32_t word = inst->insn.prefix;
    struct cy_insn prefix;
    inst->words = 1;
    inst->is_far =
        is_memory(inst) && (row_of(inst)->flags & CY_F_WIDE || format == CY_FORMAT_VL12D || format == CY_FORMAT_VS12D);
    if (word && cy_decode_word(target, word, &prefix) && cy_prefix_applies(prefix.op, inst->insn.op)) {
        const uint32_t flags = cy_insns[prefix.op].flags;
        if (flags & CY_F_MEM_PREFIX) {
            inst->space = cy_prefix_space(word);
            inst->words = cy_prefix_words(word);
            inst->is_far |= cy_prefix_is_wide(word);
        } else if (flags & CY_F_PAIR) {
            inst->pairs = target == CY_GEN1 || cy_prefix_is_wide(word);
            inst->abs = target == CY_GEN1 ? 0 : cy_prefix_abs(word);
            inst->neg = target == CY_GEN1 ? 0 : cy_prefix_neg(word);
        }
    }
    if (row_of(inst)->flags & CY_F_ATOMIC && inst->pairs && target != CY_GEN1)
        inst->is_far |= !(field(inst, CY_FIELD_vs1) & 1);
    inst->is_wide = !is_memory(inst) && (inst->pairs || is_rv64(inst) || shape.d == WIDE_RESULT);
    if (is_memory(inst) && !find_memory_shape(t, inst))
        return false;
    const bool is_modified = inst->pairs || inst->abs || inst->neg;
    if (is_modified && !is_memory(inst) &&
        (!row_of(inst)->is_expression || format == CY_FORMAT_V1 || shape.d == PACKED_BIT_RESULT ||
         (inst->pairs && shape.d == WIDE_RESULT)))
        return cannot(t, "a prefix of %s", row_of(inst)->mnemonic);
    return has_valid_registers(inst) || cannot(t, "registers of %s", row_of(inst)->mnemonic);
}
