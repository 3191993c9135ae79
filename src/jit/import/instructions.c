/* One instruction: who makes its operations. */
#include "jit/import/import_priv.h"

static void make_lane_numbers(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *to = cy_effects_operand(&inst->effects, CY_ROLE_RESULT);
    const cy_sir_value lane = source(im, CY_SIR_SOURCE_LANE);
    if (to->bits == 64)
        write_v_pair(im, (unsigned)to->value, make(im, CY_SIR_ZEXT, CY_SIR_I64, lane, 0, 0));
    else
        import_write_v(im, (unsigned)to->value, lane);
}

static void make_whole_moves(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *to = cy_effects_operand(&inst->effects, CY_ROLE_RESULT),
                            *from = cy_effects_operand(&inst->effects, CY_ROLE_B);
    for (unsigned i = 0; i < to->count; i++)
        import_write_v(im, (unsigned)to->value + i, import_read_v(im, (unsigned)from->value + i));
}

/* The value of the last active lane. */
static void make_read_lane(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *to = cy_effects_operand(&inst->effects, CY_ROLE_RESULT),
                            *from = cy_effects_operand(&inst->effects, CY_ROLE_B);
    const bool is_pair = from->bits == 64;
    const enum cy_sir_type type = is_pair ? CY_SIR_I64 : CY_SIR_I32;
    cy_sir_value value = is_pair ? read_v_pair(im, (unsigned)from->value) : import_read_v(im, (unsigned)from->value);
    value = make(im, CY_SIR_LAST, type, value, 0, 0);
    if (to->bits == 64)
        import_write_x_pair(im, (unsigned)to->value, is_pair ? value : make(im, CY_SIR_SEXT, CY_SIR_I64, value, 0, 0));
    else
        import_write_x(im, (unsigned)to->value, is_pair ? make(im, CY_SIR_LOW, CY_SIR_I32, value, 0, 0) : value);
}

static void make_ordered(struct importer *im, enum cy_sir_op op, uint64_t imm)
{
    const cy_sir_value made = cy_sir_append(im->func, im->block, op, CY_SIR_VOID, 0, 0, 0);
    cy_sir_at(im->func, made)->imm = imm;
    cy_sir_at(im->func, made)->pc = pc_of(im, im->at);
}

/* What constants.c knows of the result. */
static bool make_known(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *to = cy_effects_operand(&inst->effects, CY_ROLE_RESULT);
    struct facts facts = im->now;
    if (!to || to->kind != CY_OPERAND_X || to->count != 1 || !to->value)
        return false;
    follow_facts(im, im->at, &facts);
    if (facts.x[to->value].is != KNOWN)
        return false;
    import_write_x(im, (unsigned)to->value, number(im, CY_SIR_I32, facts.x[to->value].value));
    return true;
}

static bool depends_on_vtype(const struct inst *inst)
{
    return inst->effects.state_reads & CY_STATE_VTYPE;
}

static void make_setrpc(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *to = cy_effects_operand(&inst->effects, CY_ROLE_RESULT),
                            *base = cy_effects_operand(&inst->effects, CY_ROLE_A);
    const cy_sir_value imm = number(im, CY_SIR_I32, (uint32_t)cy_insn_field(&inst->insn, CY_FIELD_imm12, 0));
    import_write_x(im, (unsigned)to->value,
                   make(im, CY_SIR_ADD, CY_SIR_I32, import_read_x(im, (unsigned)base->value), imm, 0));
}

/* What compilers write for a trap is a CSR that does not exist; anything else with that faults, too. */
static void make_no_csr(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *to = cy_effects_operand(&inst->effects, CY_ROLE_RESULT),
                            *from = cy_effects_operand(&inst->effects, CY_ROLE_A);
    if (inst->insn.op == CY_OP_csrrw && !to->value && !from->value)
        make_trap(im, inst, CY_JIT_TRAP);
    else
        make_interpreted(im, inst);
}

/* Jumps leave the address behind them, which is known. */
bool make_instruction(struct importer *im, uint32_t at)
{
    const struct inst *inst = inst_at(im, at);
    const struct cy_effects *effects = &inst->effects;
    im->at = at;
    if (depends_on_vtype(inst) && im->now.vtype.is != KNOWN)
        return import_cannot(im, "another vtype than e32, m1 at 0x%x", pc_of(im, at));
    if (is_interpreted(im, inst))
        return make_interpreted(im, inst);
    if (effects->csr == CY_CSR_UNIMP) {
        make_no_csr(im, inst);
        return true;
    }
    if (make_known(im, inst) || ends_piece(inst))
        return true;
    if (effects->access.addressing) {
        make_access(im, inst);
        return true;
    }
    switch (effects->flow) {
    case CY_FLOW_JOIN: return true;
    case CY_FLOW_BARRIER:
    case CY_FLOW_WARP_BARRIER:
        make_ordered(im, effects->flow == CY_FLOW_BARRIER ? CY_SIR_BARRIER : CY_SIR_BARRIERSUB, 0);
        return true;
    default: break;
    }
    if (effects->is_fence)
        make_ordered(im, CY_SIR_FENCE, inst->insn.word >> 20);
    else if (effects->row->format == CY_FORMAT_SETRPC)
        make_setrpc(im, inst);
    else if (effects->row->sched == CY_SCHED_vcfg)
        return make_vsetvl(im, inst);
    else if (effects->csr >= 0)
        return make_csr(im, inst);
    else if (effects->row->format == CY_FORMAT_VID)
        make_lane_numbers(im, inst);
    else if (effects->row->format == CY_FORMAT_MVR)
        make_whole_moves(im, inst);
    else if (effects->row->format == CY_FORMAT_MVXS)
        make_read_lane(im, inst);
    else if (effects->row->format != CY_FORMAT_U) /* whose result is known, or nobody's */
        make_expression(im, inst);
    return !im->has_failed;
}
