/* Effects of an instruction: its operands' roles and registers, the state it uses, where it goes on.
 *
 * What an operand is follows from its field and the shape of the row's format; how many registers it has follows from the width of
 * elements, which the row, vtype or a prefix decides.  Accesses to memory are in effects_memory.c. */
#include "isa/effects.h"
#include "isa/effects_priv.h"
#include "isa/isa_priv.h"

/* ---- sets of registers ---- */

void cy_regs_unite(struct cy_regs *into, const struct cy_regs *other)
{
    into->x |= other->x;
    for (unsigned i = 0; i < CY_COUNT(into->v); i++)
        into->v[i] |= other->v[i];
}

void cy_regs_remove(struct cy_regs *from, const struct cy_regs *other)
{
    from->x &= ~other->x;
    for (unsigned i = 0; i < CY_COUNT(from->v); i++)
        from->v[i] &= ~other->v[i];
}

bool cy_regs_meet(const struct cy_regs *a, const struct cy_regs *b)
{
    bool found = a->x & b->x;
    for (unsigned i = 0; i < CY_COUNT(a->v); i++)
        found |= (a->v[i] & b->v[i]) != 0;
    return found;
}

bool cy_regs_same(const struct cy_regs *a, const struct cy_regs *b)
{
    bool same = a->x == b->x;
    for (unsigned i = 0; i < CY_COUNT(a->v); i++)
        same &= a->v[i] == b->v[i];
    return same;
}

static void add_operand(struct cy_regs *set, const struct cy_operand *operand)
{
    for (unsigned i = 0; i < operand->count; i++) {
        const unsigned number = (unsigned)operand->value + i;
        if (operand->kind == CY_OPERAND_X && operand->value && number < 64)
            cy_regs_add_x(set, number);
        else if (operand->kind == CY_OPERAND_V && number < 256)
            cy_regs_add_v(set, number);
    }
}

/* ---- the column of formats.def ---- */

enum { IS_FLOAT_INT, IS_FLOAT_BIT = 0, IS_FLOAT_VI12 = 0, IS_FLOAT_WVV = 0, IS_FLOAT_WWV = 0 };
enum { IS_FLOAT_FP = 1, IS_FLOAT_FPBIT = 1, IS_FLOAT_FWVV = 1, IS_FLOAT_FWWV = 1, IS_FLOAT_FWWF = 1, IS_FLOAT_FW1 = 1 };
enum { IS_FLOAT_SCALAR, IS_FLOAT_AMO = 0, IS_FLOAT_FPSCALAR = 1 };
enum {
    COMPUTES_SCALAR = CY_COMPUTES_SCALAR,
    COMPUTES_FPSCALAR = CY_COMPUTES_SCALAR,
    COMPUTES_AMO = CY_COMPUTES_ATOMIC
};
#define A_NOTHING CY_LANE_NOTHING
#define A_VECTOR CY_LANE_VECTOR
#define A_WIDE CY_LANE_WIDE
#define A_SCALAR CY_LANE_SCALAR
#define A_IMMEDIATE CY_LANE_IMMEDIATE
#define D_ELEMENT CY_RESULT_ELEMENT
#define D_WIDE CY_RESULT_WIDE
#define D_BIT CY_RESULT_BIT
#define D_PACKED_BIT CY_RESULT_PACKED
#define D_BRANCH CY_RESULT_BRANCH
#define M_UNIT .addressing = CY_ADDRESS_UNIT
#define M_STRIDED .addressing = CY_ADDRESS_STRIDED
#define M_INDEXED .addressing = CY_ADDRESS_INDEXED
#define M_WHOLE .addressing = CY_ADDRESS_WHOLE
#define M_PER_LANE .addressing = CY_ADDRESS_LANE
#define M_PER_LANE_64 .addressing = CY_ADDRESS_LANE, .is_far = true
#define M_PRIVATE .addressing = CY_ADDRESS_LANE, .is_private = true
#define SHAPE_LANES(loop, eval, a_, b_, d_)                                                                            \
    {                                                                                                                  \
        .computes = CY_COMPUTES_LANES, .a = A_##a_, .b = A_##b_, .result = D_##d_, .is_float = IS_FLOAT_##eval         \
    }
#define SHAPE_SCALAR(eval)                                                                                             \
    {                                                                                                                  \
        .computes = COMPUTES_##eval, .is_float = IS_FLOAT_##eval                                                       \
    }
#define SHAPE_MEMORY(addressing_, width_, path)                                                                        \
    {                                                                                                                  \
        M_##addressing_, .width = CY_WIDTH_##width_                                                                    \
    }
#define SHAPE_OWN()                                                                                                    \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define SHAPE_JOINED() SHAPE_OWN()
const struct cy_shape cy_shapes[CY_FORMAT_COUNT] = {
#define FORMAT(id, mask, syntax, shape) [CY_FORMAT_##id] = SHAPE_##shape,
#include "isa/formats.def"
};

/* ---- prefixes ---- */

static struct cy_prefix_effects prefix_of(enum cy_target target, const struct cy_insn *insn)
{
    struct cy_prefix_effects effects = {.words = 1};
    struct cy_insn prefix;
    if (!insn->prefix || !cy_decode_word(target, insn->prefix, &prefix) || !cy_prefix_applies(prefix.op, insn->op))
        return effects;
    const uint32_t flags = cy_insns[prefix.op].flags;
    if (flags & CY_F_MEM_PREFIX) {
        effects.place = cy_prefix_space(insn->prefix);
        effects.words = cy_prefix_words(insn->prefix);
        effects.is_far = cy_prefix_is_wide(insn->prefix);
    } else if (flags & CY_F_PAIR) {
        const bool has_fields = target != CY_GEN1; /* generation 1's prefix of pairs has nothing to choose */
        effects.has_pairs = !has_fields || cy_prefix_is_wide(insn->prefix);
        effects.abs = has_fields ? cy_prefix_abs(insn->prefix) : 0;
        effects.neg = has_fields ? cy_prefix_neg(insn->prefix) : 0;
    }
    return effects;
}

/* ---- operands ---- */

static enum cy_operand_kind kind_of(enum cy_field field)
{
    switch (cy_fields[field].kind) {
    case CY_XREG: return CY_OPERAND_X;
    case CY_VREG: return CY_OPERAND_V;
    case CY_EREG: return CY_OPERAND_E;
    case CY_SIMM:
    case CY_UIMM:
    case CY_UPPER:
    case CY_PCREL: return CY_OPERAND_IMMEDIATE;
    default: return CY_OPERAND_OTHER;
    }
}

static enum cy_role role_of(enum cy_field field)
{
    switch (field) {
    case CY_FIELD_rd:
    case CY_FIELD_vd:
    case CY_FIELD_erd: return CY_ROLE_RESULT;
    case CY_FIELD_rs1:
    case CY_FIELD_vs1:
    case CY_FIELD_ers1:
    case CY_FIELD_simm5:
    case CY_FIELD_uimm5:
    case CY_FIELD_zimm5:
    case CY_FIELD_imm20: return CY_ROLE_A;
    case CY_FIELD_rs2:
    case CY_FIELD_vs2:
    case CY_FIELD_ers2:
    case CY_FIELD_imm12:
    case CY_FIELD_shamt:
    case CY_FIELD_eimm13:
    case CY_FIELD_eimm18: return CY_ROLE_B;
    case CY_FIELD_rs3: return CY_ROLE_C;
    case CY_FIELD_vs3: return CY_ROLE_DATA;
    case CY_FIELD_simm12:
    case CY_FIELD_imm11:
    case CY_FIELD_simm11:
    case CY_FIELD_ecall: return CY_ROLE_OFFSET;
    case CY_FIELD_boff:
    case CY_FIELD_joff:
    case CY_FIELD_ejoff: return CY_ROLE_TARGET;
    case CY_FIELD_vm: return CY_ROLE_MASK;
    case CY_FIELD_csr: return CY_ROLE_CSR;
    case CY_FIELD_rm: return CY_ROLE_ROUNDING;
    default: return CY_ROLE_NONE;
    }
}

/* Of instructions with an address: what else would be a source is part of it, or the data. */
static enum cy_role role_in_address(enum cy_field field, const struct cy_insn_info *row)
{
    const uint8_t addressing = cy_shapes[row->format].addressing;
    const enum cy_role role = role_of(field);
    if (role == CY_ROLE_A)
        return CY_ROLE_BASE;
    if (role != CY_ROLE_B)
        return role;
    if (field == CY_FIELD_imm12)
        return CY_ROLE_OFFSET;
    if (addressing == CY_ADDRESS_STRIDED)
        return CY_ROLE_STRIDE;
    if (addressing == CY_ADDRESS_INDEXED)
        return CY_ROLE_INDEX;
    return row->flags & CY_F_ATOMIC ? CY_ROLE_B : CY_ROLE_DATA;
}

static bool has_address(const struct cy_insn_info *row)
{
    return row->flags & (CY_F_LOAD | CY_F_STORE | CY_F_ATOMIC) || row->format == CY_FORMAT_JALR ||
           row->format == CY_FORMAT_ECALL || row->format == CY_FORMAT_ERET;
}

/* These name registers that they do not use. */
static bool ignores_operands(const struct cy_insn_info *row)
{
    return row->flags & CY_F_PREFIX || row->format == CY_FORMAT_JOIN;
}

static void find_operands(struct cy_effects *effects, const struct cy_insn *insn)
{
    const struct cy_insn_info *row = effects->row;
    enum cy_field fields[CY_MAX_OPERANDS];
    effects->operand_count = (uint8_t)cy_format_operands(row->format, fields);
    for (unsigned i = 0; i < effects->operand_count; i++) {
        struct cy_operand *operand = &effects->operand[i];
        const enum cy_operand_kind kind = kind_of(fields[i]);
        enum cy_role role = has_address(row) ? role_in_address(fields[i], row) : role_of(fields[i]);
        if (ignores_operands(row))
            role = CY_ROLE_NONE;
        const bool is_register = kind == CY_OPERAND_X || kind == CY_OPERAND_V || kind == CY_OPERAND_E;
        *operand = (struct cy_operand){
            .kind = (uint8_t)kind, .role = (uint8_t)role, .field = (uint8_t)fields[i], .value = insn->operand[i]};
        if (!is_register || role == CY_ROLE_NONE)
            continue;
        operand->count = 1;
        operand->bits = 32;
        operand->is_written = role == CY_ROLE_RESULT;
        operand->is_read = !operand->is_written || row->flags & CY_F_ACC;
        effects->is_lanes |= kind == CY_OPERAND_V;
    }
}

struct cy_operand *cy_effects_slot(struct cy_effects *effects, enum cy_role role)
{
    for (unsigned i = 0; i < effects->operand_count; i++) {
        struct cy_operand *operand = &effects->operand[i];
        if (operand->role == role || (role == CY_ROLE_C && operand->is_read && operand->is_written))
            return operand;
    }
    return NULL;
}

const struct cy_operand *cy_effects_operand(const struct cy_effects *effects, enum cy_role role)
{
    for (unsigned i = 0; i < effects->operand_count; i++) {
        const struct cy_operand *operand = &effects->operand[i];
        if (operand->role == role || (role == CY_ROLE_C && operand->is_read && operand->is_written))
            return operand;
    }
    return NULL;
}

void cy_effects_widen(struct cy_effects *effects, struct cy_operand *operand, unsigned bits, unsigned parts)
{
    const bool is_x = operand->kind == CY_OPERAND_X;
    if (!operand->count || (is_x && !operand->value))
        return; /* x0 is 0 as a pair, too */
    operand->bits = (uint8_t)bits;
    operand->count = (uint8_t)((bits == 64 ? 2 : 1) * parts);
    effects->is_illegal |= bits == 64 && operand->value & 1;
    effects->is_illegal |= operand->value + operand->count > (is_x ? 64 : 256);
}

/* Under a prefix of pairs, odd-numbered registers stay 32 bits wide. */
static unsigned pair_bits(const struct cy_operand *operand)
{
    return operand->value & 1 ? 32 : 64;
}

/* ---- widths ---- */

/* vzext.vf8 extends the lowest eighth of an element, .vf4 a quarter, .vf2 half of it. */
static unsigned extended_bits(const struct cy_insn *insn, unsigned sew)
{
    return sew >> (4 - (insn->word >> 16 & 3));
}

static void widen_scalars(struct cy_effects *effects)
{
    const bool is_rv64 = effects->row->flags & CY_F_WIDE;
    effects->is_wide = is_rv64 || effects->has_pairs;
    for (unsigned i = 0; effects->is_wide && i < effects->operand_count; i++) {
        struct cy_operand *operand = &effects->operand[i];
        const bool is_all = is_rv64 || effects->is_float; /* no operand may be one register */
        if (operand->count)
            cy_effects_widen(effects, operand, is_all ? 64 : pair_bits(operand), 1);
    }
}

static unsigned lane_bits(const struct cy_effects *effects, const struct cy_operand *operand, bool is_twice,
                          unsigned sew)
{
    return effects->has_pairs ? pair_bits(operand) : is_twice ? 2 * sew : sew;
}

/* The source A in x registers: of floating point with 64 bits, and under a prefix, a pair. */
static void widen_scalar_source(struct cy_effects *effects, struct cy_operand *a, unsigned sew)
{
    const bool is_double = effects->is_float && sew == 64;
    cy_effects_widen(effects, a, is_double ? 64 : effects->has_pairs ? pair_bits(a) : 32, 1);
}

static void widen_lanes(struct cy_effects *effects, const struct cy_effects_mode *mode, const struct cy_insn *insn)
{
    const struct cy_shape *shape = &cy_shapes[effects->row->format];
    const unsigned sew = effects->has_pairs ? 64 : mode->sew;
    const bool is_packed = shape->result == CY_RESULT_PACKED;
    const unsigned parts = shape->result == CY_RESULT_BRANCH || (is_packed && !mode->is_mask_by_lane) ? 1 : mode->lmul;
    struct cy_operand *a = cy_effects_slot(effects, CY_ROLE_A), *b = cy_effects_slot(effects, CY_ROLE_B),
                      *d = cy_effects_slot(effects, CY_ROLE_RESULT);
    effects->is_wide = effects->has_pairs || shape->result == CY_RESULT_WIDE;
    effects->is_illegal |= (effects->is_float && sew == 8) || (shape->result == CY_RESULT_WIDE && sew == 64);
    if (a && a->kind == CY_OPERAND_X)
        widen_scalar_source(effects, a, sew);
    else if (a)
        cy_effects_widen(effects, a, is_packed ? 32 : lane_bits(effects, a, shape->a == CY_LANE_WIDE, sew), parts);
    if (b && effects->row->format == CY_FORMAT_V1) {
        const unsigned bits = extended_bits(insn, sew);
        effects->is_illegal |= bits < 8;
        cy_effects_widen(effects, b, bits, parts);
    } else if (b) {
        cy_effects_widen(effects, b, is_packed ? 32 : lane_bits(effects, b, shape->b == CY_LANE_WIDE, sew), parts);
    }
    if (d) {
        const bool is_wide = shape->result == CY_RESULT_WIDE, is_bit = shape->result == CY_RESULT_BIT;
        cy_effects_widen(effects, d, is_bit || is_packed ? 32 : lane_bits(effects, d, is_wide, sew), parts);
    }
    const struct cy_operand *const all[] = {a, b, shape->result == CY_RESULT_ELEMENT ? d : NULL};
    for (unsigned i = 0; effects->has_pairs && effects->is_float && i < CY_COUNT(all);
         i++) /* floats do not mix widths */
        effects->is_illegal |= all[i] && all[i]->kind == CY_OPERAND_V && all[i]->bits != 64;
    for (unsigned i = 0; is_packed && !mode->is_mask_by_lane && i < effects->operand_count; i++)
        effects->operand[i].crosses_lanes = effects->operand[i].kind == CY_OPERAND_V;
}

/* ---- hooks ---- */

static void find_move_to_scalar(struct cy_effects *effects, const struct cy_effects_mode *mode)
{
    struct cy_operand *from = cy_effects_slot(effects, CY_ROLE_B), *to = cy_effects_slot(effects, CY_ROLE_RESULT);
    const unsigned bits = effects->has_pairs ? pair_bits(from) : mode->sew;
    const bool is_pair = effects->is_float ? bits == 64 : effects->has_pairs && !(to->value & 1);
    effects->is_illegal |= effects->is_float && bits == 8;
    cy_effects_widen(effects, from, bits, 1);
    cy_effects_widen(effects, to, is_pair ? 64 : 32, 1);
    from->crosses_lanes = true; /* the last active lane's */
}

static void find_hook(struct cy_effects *effects, const struct cy_effects_mode *mode)
{
    struct cy_operand *d = cy_effects_slot(effects, CY_ROLE_RESULT);
    switch (effects->row->format) {
    case CY_FORMAT_MVXS: find_move_to_scalar(effects, mode); break;
    case CY_FORMAT_MVR:
        for (unsigned i = 0; i < effects->operand_count; i++)
            cy_effects_widen(effects, &effects->operand[i], 32, (unsigned)cy_register_step(effects->row));
        break;
    case CY_FORMAT_VID: cy_effects_widen(effects, d, effects->has_pairs ? pair_bits(d) : mode->sew, mode->lmul); break;
    default: break;
    }
    if (effects->row->sched != CY_SCHED_tensor)
        return;
    effects->is_illegal |= mode->sew != 32;
    for (unsigned i = 0; i < effects->operand_count; i++)
        effects->operand[i].crosses_lanes = effects->operand[i].kind == CY_OPERAND_V;
}

/* ---- control ---- */

static void find_flow(struct cy_effects *effects, const struct cy_insn *insn)
{
    enum { RETURN_ADDRESS = 1 }; /* the register that calls write, by the ABI */
    const uint32_t flags = effects->row->flags;
    const struct cy_operand *target = cy_effects_operand(effects, CY_ROLE_TARGET),
                            *result = cy_effects_operand(effects, CY_ROLE_RESULT),
                            *base = cy_effects_operand(effects, CY_ROLE_BASE),
                            *offset = cy_effects_operand(effects, CY_ROLE_OFFSET);
    effects->distance = target ? target->value : 0;
    effects->is_fence = flags & CY_F_FENCE;
    if (flags & CY_F_END)
        effects->flow = CY_FLOW_END;
    else if (flags & CY_F_BARRIER)
        effects->flow = insn->op == CY_OP_barriersub ? CY_FLOW_WARP_BARRIER : CY_FLOW_BARRIER;
    else if (flags & CY_F_CONVERGE)
        effects->flow = CY_FLOW_JOIN;
    else if (flags & CY_F_DIVERGE)
        effects->flow = CY_FLOW_VECTOR_BRANCH;
    else if (flags & CY_F_BRANCH)
        effects->flow = effects->expr ? CY_FLOW_BRANCH : target ? CY_FLOW_JUMP : CY_FLOW_INDIRECT;
    effects->is_call = flags & CY_F_CALL && result && result->value;
    effects->is_return = effects->flow == CY_FLOW_INDIRECT && !effects->is_call && base->kind == CY_OPERAND_X &&
                         base->value == RETURN_ADDRESS && !(offset && offset->value);
}

/* ---- state ---- */

static uint16_t state_of_csr(unsigned csr)
{
    switch (csr) {
    case CY_CSR_fflags: return CY_STATE_FFLAGS;
    case CY_CSR_frm: return CY_STATE_FRM;
    case CY_CSR_fcsr: return CY_STATE_FRM | CY_STATE_FFLAGS;
    case CY_CSR_vxsat: return CY_STATE_VXSAT;
    case CY_CSR_vxrm: return CY_STATE_VXRM;
    case CY_CSR_vcsr: return CY_STATE_VXRM | CY_STATE_VXSAT;
    case CY_CSR_vl: return CY_STATE_VL;
    case CY_CSR_vtype: return CY_STATE_VTYPE;
    case CY_CSR_RPC: return CY_STATE_RPC;
    default: return CY_STATE_CSR;
    }
}

/* Forms that set or clear bits do not write with x0, or with an immediate of 0. */
static void find_csr_state(struct cy_effects *effects, const struct cy_insn *insn)
{
    const struct cy_operand *source = cy_effects_operand(effects, CY_ROLE_A);
    const bool always_writes = insn->op == CY_OP_csrrw || insn->op == CY_OP_csrrwi;
    effects->csr = (int16_t)cy_effects_operand(effects, CY_ROLE_CSR)->value;
    effects->state_reads |= state_of_csr((unsigned)effects->csr);
    if (always_writes || source->value)
        effects->state_writes |= state_of_csr((unsigned)effects->csr);
}

static void find_lane_state(struct cy_effects *effects)
{
    const bool is_whole = effects->row->format == CY_FORMAT_MVR || effects->access.addressing == CY_ADDRESS_WHOLE;
    const struct cy_operand *mask = cy_effects_operand(effects, CY_ROLE_MASK);
    effects->state_reads |= is_whole ? 0 : CY_STATE_VL | CY_STATE_VTYPE;
    effects->is_masked = mask && !mask->value;
    effects->reads_mask = effects->expr && cy_expr_reads(effects->expr, CY_SOURCE_MASK);
}

static void find_vsetvl_state(struct cy_effects *effects)
{
    const struct cy_operand *length = cy_effects_operand(effects, CY_ROLE_A),
                            *result = cy_effects_operand(effects, CY_ROLE_RESULT);
    effects->state_writes |= CY_STATE_VL | CY_STATE_VTYPE;
    if (length->kind == CY_OPERAND_X && !length->value && !result->value)
        effects->state_reads |= CY_STATE_VL;
}

static void find_rounding(struct cy_effects *effects)
{
    const struct cy_operand *mode = cy_effects_operand(effects, CY_ROLE_ROUNDING);
    const bool is_tensor = effects->row->sched == CY_SCHED_tensor; /* a hook that multiplies and adds */
    uint16_t reads = effects->expr ? cy_expr_state(effects->expr, false) : is_tensor ? CY_STATE_FRM : 0;
    if (reads & CY_STATE_FRM)
        effects->rounding = (int8_t)(mode ? mode->value : 7);
    if (effects->rounding != 7)
        reads &= (uint16_t)~CY_STATE_FRM;
    effects->state_reads |= reads;
    effects->state_writes |= effects->expr ? cy_expr_state(effects->expr, true) : is_tensor ? CY_STATE_FFLAGS : 0;
}

static void find_state(struct cy_effects *effects, const struct cy_insn *insn)
{
    const struct cy_insn_info *row = effects->row;
    find_rounding(effects);
    if (effects->is_lanes)
        find_lane_state(effects);
    if (row->flags & CY_F_CSR)
        find_csr_state(effects, insn);
    if (row->sched == CY_SCHED_vcfg)
        find_vsetvl_state(effects);
    if (row->format == CY_FORMAT_SETRPC)
        effects->state_writes |= CY_STATE_RPC;
    if (effects->flow == CY_FLOW_VECTOR_BRANCH && effects->expr) {
        effects->state_reads |= CY_STATE_RPC;
        effects->state_writes |= CY_STATE_STACK;
    }
    if (effects->flow == CY_FLOW_JOIN) {
        effects->state_reads |= CY_STATE_STACK;
        effects->state_writes |= CY_STATE_STACK;
    }
    if (effects->access.atomic == CY_ATOMIC_RESERVE || effects->access.atomic == CY_ATOMIC_CONDITIONAL)
        effects->state_writes |= CY_STATE_RESERVATION;
    if (effects->access.atomic == CY_ATOMIC_CONDITIONAL)
        effects->state_reads |= CY_STATE_RESERVATION;
}

/* EpicGPU's predicate: instructions that are executed if it is set, branches, comparisons. */
static void find_predicate(struct cy_effects *effects)
{
    for (unsigned i = 0; i < effects->operand_count; i++)
        if (effects->operand[i].field == CY_FIELD_p && effects->operand[i].value)
            effects->state_reads |= CY_STATE_PREDICATE;
    if (effects->flow == CY_FLOW_VECTOR_BRANCH && !effects->expr)
        effects->state_reads |= CY_STATE_PREDICATE;
    if (effects->row->flags & CY_F_SETP)
        effects->state_writes |= CY_STATE_PREDICATE;
}

/* ---- all of it ---- */

static void add_mask_registers(struct cy_effects *effects, const struct cy_effects_mode *mode)
{
    const unsigned count = mode->is_mask_by_lane ? mode->lmul : 1;
    for (unsigned i = 0; i < count; i++)
        cy_regs_add_v(&effects->reads, i);
    effects->crosses_lanes |= !mode->is_mask_by_lane;
}

static void find_registers(struct cy_effects *effects, const struct cy_effects_mode *mode)
{
    for (unsigned i = 0; i < effects->operand_count; i++) {
        const struct cy_operand *operand = &effects->operand[i];
        if (operand->is_read)
            add_operand(&effects->reads, operand);
        if (operand->is_written)
            add_operand(&effects->writes, operand);
        if (operand->is_written && (effects->is_masked || operand->crosses_lanes))
            add_operand(&effects->keeps, operand);
        effects->crosses_lanes |= operand->crosses_lanes;
    }
    if (effects->row->format == CY_FORMAT_MVXS)
        effects->keeps = effects->writes; /* without an active lane */
    if (effects->is_masked || effects->reads_mask)
        add_mask_registers(effects, mode);
}

void cy_effects_in(const struct cy_effects_mode *mode, const struct cy_insn *insn, struct cy_effects *out)
{
    const struct cy_insn_info *row = &cy_insns[insn->op];
    const struct cy_shape *shape = &cy_shapes[row->format];
    const struct cy_prefix_effects prefix = prefix_of(mode->target, insn);
    *out = (struct cy_effects){.row = row, .expr = cy_expr_of(insn->op), .csr = -1, .rounding = -1};
    out->function = (uint16_t)(out->expr ? cy_expr_function(out->expr) : CY_FN_NONE);
    /* moves of one format are of integers or of floats, which their class tells apart */
    out->is_float = shape->is_float || row->sched == CY_SCHED_vfpu || row->sched == CY_SCHED_tensor;
    out->result = shape->result;
    out->has_pairs = prefix.has_pairs;
    find_operands(out, insn);
    if (row->flags & (CY_F_LOAD | CY_F_STORE | CY_F_ATOMIC)) {
        cy_effects_find_access(out, mode, insn, &prefix);
    } else {
        out->abs = prefix.abs;
        out->neg = prefix.neg;
        if (shape->computes == CY_COMPUTES_LANES && out->expr)
            widen_lanes(out, mode, insn);
        else if (shape->computes == CY_COMPUTES_SCALAR && out->expr)
            widen_scalars(out);
        else
            find_hook(out, mode);
    }
    find_flow(out, insn);
    find_state(out, insn);
    find_predicate(out);
    find_registers(out, mode);
}

void cy_effects(enum cy_target target, const struct cy_insn *insn, struct cy_effects *out)
{
    const struct cy_effects_mode mode = {.target = target, .sew = 32, .lmul = 1};
    cy_effects_in(&mode, insn, out);
}
