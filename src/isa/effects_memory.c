/* Effects of an instruction that accesses memory: how the address is made, how much is moved, and the registers of both. */
#include "isa/effects_priv.h"
#include "isa/isa_priv.h"

static enum cy_addressing addressing_of(const struct cy_insn_info *row, const struct cy_insn *insn)
{
    switch (row->format) {
    case CY_FORMAT_LOAD:
    case CY_FORMAT_STORE: return CY_ADDRESS_SCALAR;
    case CY_FORMAT_AMO:
    case CY_FORMAT_LR:
    case CY_FORMAT_EL:
    case CY_FORMAT_ES: return CY_ADDRESS_LANE;
    default: break;
    }
    const bool is_mask = insn->op == CY_OP_vlm_v || insn->op == CY_OP_vsm_v;
    return is_mask ? CY_ADDRESS_BITS : (enum cy_addressing)cy_shapes[row->format].addressing;
}

static enum cy_memory_width width_of(const struct cy_insn_info *row)
{
    const bool is_scalar = row->format == CY_FORMAT_LOAD || row->format == CY_FORMAT_STORE;
    return is_scalar ? CY_WIDTH_RISCV : (enum cy_memory_width)cy_shapes[row->format].width;
}

/* Bytes by funct3, in each of its three meanings.  ld and sd move words; they have 64-bit addresses. */
static unsigned bytes_of(enum cy_memory_width width, const struct cy_insn *insn)
{
    const unsigned funct3 = insn->word >> 12 & 7;
    switch (width) {
    case CY_WIDTH_RVV: return funct3 == 0 ? 1 : funct3 == 5 ? 2 : funct3 == 6 ? 4 : 8;
    case CY_WIDTH_STORE12: return funct3 == 6 ? 4 : funct3 == 3 ? 2 : 1;
    case CY_WIDTH_RISCV: return (funct3 & 3) == 3 ? 4 : 1u << (funct3 & 3);
    default: return 4;
    }
}

static enum cy_atomic atomic_of(const struct cy_effects *effects)
{
    if (!(effects->row->flags & CY_F_ATOMIC))
        return CY_ATOMIC_NONE;
    if (effects->expr)
        return CY_ATOMIC_UPDATE;
    return effects->row->format == CY_FORMAT_LR ? CY_ATOMIC_RESERVE : CY_ATOMIC_CONDITIONAL;
}

/* An even-numbered register under a prefix of pairs; x0 is even, too. */
static bool is_pair(const struct cy_effects *effects, const struct cy_operand *operand)
{
    return effects->has_pairs && operand && !(operand->value & 1);
}

static void widen_base(struct cy_effects *effects, struct cy_operand *base)
{
    const unsigned bits = effects->access.is_far ? 64 : 32;
    effects->is_illegal |= effects->access.is_far && base->value & 1;
    cy_effects_widen(effects, base, bits, 1);
}

/* 64-bit addresses.  With pairs, an even-numbered base is one, but for lanes' private memory; masks have 32-bit addresses always. */
static bool has_far_address(const struct cy_effects *effects, const struct cy_prefix_effects *prefix,
                            const struct cy_operand *base)
{
    const struct cy_effects_access *access = &effects->access;
    const bool is_private = access->addressing == CY_ADDRESS_LANE && access->space == CY_SPACE_PRIVATE;
    if (access->addressing == CY_ADDRESS_BITS)
        return false;
    return effects->row->flags & CY_F_WIDE || cy_shapes[effects->row->format].is_far || prefix->is_far ||
           (is_pair(effects, base) && (!is_private || access->atomic));
}

/* `count` registers of words, which need not begin at an even number. */
static void set_count(struct cy_effects *effects, struct cy_operand *operand, unsigned count)
{
    const bool is_x = operand->kind == CY_OPERAND_X;
    effects->is_illegal |= (unsigned)operand->value + count > (is_x ? 64 : 256);
    operand->count = (uint8_t)(is_x && !operand->value ? 1 : count);
}

/* ---- atomic operations ---- */

/* Pairs make 64 bits of the data: of what is loaded for LR, else of the operand, with which the result must agree unless it is
 * SC's, whose result is a flag. */
static void find_atomic_data(struct cy_effects *effects)
{
    struct cy_effects_access *access = &effects->access;
    struct cy_operand *operand = cy_effects_slot(effects, CY_ROLE_B),
                      *result = cy_effects_slot(effects, CY_ROLE_RESULT);
    const bool is_reserve = access->atomic == CY_ATOMIC_RESERVE;
    access->words = is_pair(effects, is_reserve ? result : operand) ? 2 : 1;
    access->align = (uint8_t)(4 * access->words);
    if (access->atomic == CY_ATOMIC_UPDATE)
        effects->is_illegal |= is_pair(effects, operand) != is_pair(effects, result);
    if (operand)
        cy_effects_widen(effects, operand, access->words == 2 ? 64 : 32, 1);
    cy_effects_widen(effects, result, access->words == 2 && is_pair(effects, result) ? 64 : 32, 1);
}

static void find_atomic(struct cy_effects *effects)
{
    struct cy_effects_access *access = &effects->access;
    access->reads = access->atomic != CY_ATOMIC_CONDITIONAL;
    access->writes = access->atomic != CY_ATOMIC_RESERVE;
    find_atomic_data(effects);
}

/* ---- loads and stores ---- */

/* What vtype and the row decide: element, index, and the registers of a group. */
static void find_elements(struct cy_effects *effects, const struct cy_effects_mode *mode, const struct cy_insn *insn)
{
    struct cy_effects_access *access = &effects->access;
    unsigned bytes = bytes_of(width_of(effects->row), insn);
    switch (access->addressing) {
    case CY_ADDRESS_INDEXED:
        access->index_bytes = (uint8_t)bytes;
        bytes = mode->sew / 8;
        access->parts = mode->lmul;
        break;
    case CY_ADDRESS_UNIT:
    case CY_ADDRESS_STRIDED: access->parts = mode->lmul; break;
    case CY_ADDRESS_WHOLE:
        bytes = 4;
        access->parts = (uint8_t)cy_register_step(effects->row);
        break;
    case CY_ADDRESS_BITS: bytes = 1; break;
    default: break;
    }
    access->words = bytes == 8 ? 2 : 1;
    access->bytes = (uint8_t)(bytes == 8 ? 4 : bytes);
    access->align = access->bytes;
}

/* A prefix moves several words, or, with pairs, two of an even-numbered data register. */
static void find_words(struct cy_effects *effects, const struct cy_prefix_effects *prefix,
                       const struct cy_operand *data)
{
    struct cy_effects_access *access = &effects->access;
    if (access->bytes < 4 || access->addressing == CY_ADDRESS_WHOLE)
        return;
    if (prefix->words > access->words)
        access->words = prefix->words;
    if (is_pair(effects, data))
        access->words = 2;
}

static void find_data(struct cy_effects *effects, const struct cy_effects_mode *mode,
                      const struct cy_prefix_effects *prefix)
{
    struct cy_effects_access *access = &effects->access;
    struct cy_operand *data = cy_effects_slot(effects, access->writes ? CY_ROLE_DATA : CY_ROLE_RESULT);
    struct cy_operand *index = cy_effects_slot(effects, CY_ROLE_INDEX);
    const bool has_double =
        access->words == 2; /* elements of 64 bits: even-numbered pairs, unless a prefix moves more words */
    find_words(effects, prefix, data);
    if (access->addressing == CY_ADDRESS_BITS) {
        set_count(effects, data, mode->is_mask_by_lane ? mode->lmul : 1);
        data->crosses_lanes = access->writes || !mode->is_mask_by_lane; /* stored are the bits of inactive lanes, too */
        return;
    }
    if (has_double && prefix->words <= 2) {
        effects->is_illegal |= data->value & 1;
        data->bits = 64;
    }
    set_count(effects, data, access->parts * access->words);
    if (index)
        set_count(effects, index, access->parts);
}

void cy_effects_find_access(struct cy_effects *effects, const struct cy_effects_mode *mode, const struct cy_insn *insn,
                            const struct cy_prefix_effects *prefix)
{
    const struct cy_insn_info *row = effects->row;
    const struct cy_shape *shape = &cy_shapes[row->format];
    struct cy_effects_access *access = &effects->access;
    struct cy_operand *base = cy_effects_slot(effects, CY_ROLE_BASE);
    const struct cy_operand *offset = cy_effects_operand(effects, CY_ROLE_OFFSET);
    access->addressing = (uint8_t)addressing_of(row, insn);
    access->atomic = (uint8_t)atomic_of(effects);
    access->reads = row->flags & CY_F_LOAD;
    access->writes = row->flags & CY_F_STORE;
    access->space = shape->is_private ? CY_SPACE_PRIVATE : CY_SPACE_DEFAULT;
    if (prefix->place && access->addressing != CY_ADDRESS_BITS)
        access->space = prefix->place;
    access->is_interleaved = access->space == CY_SPACE_PRIVATE;
    access->offset = offset ? offset->value : 0;
    access->parts = 1;
    access->bytes = access->align = 4;
    access->words = 1;
    access->is_far = has_far_address(effects, prefix, base);
    if (base->kind != CY_OPERAND_E)
        widen_base(effects, base);
    if (access->atomic) {
        find_atomic(effects);
        return;
    }
    find_elements(effects, mode, insn);
    find_data(effects, mode, prefix);
    /* narrow elements are extended to the register's 32 bits: by zeroes only in the rows whose funct3 says so */
    const bool is_unsigned = width_of(row) == CY_WIDTH_RISCV && insn->word >> 14 & 1;
    access->is_sign_extended =
        access->reads && access->bytes < 4 && access->addressing != CY_ADDRESS_BITS && !is_unsigned;
}
