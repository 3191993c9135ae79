/* What the model knows about an instruction, from its effects. */
#include "timing/model.h"

#include "isa/effects.h"

static void use(struct op *op, uint16_t reg)
{
    op->used[reg / 64] |= 1ull << reg % 64;
    op->uses_high |= reg / 64 > 1;
}

static uint16_t register_of(const struct cy_operand *operand)
{
    return (uint16_t)(operand->value + (operand->kind == CY_OPERAND_V ? VECTOR_REGISTER : 0));
}

/* The register operands that go through the collector, in its order: by their places in the word, what is added to last. */
static void add_sources(struct op *op, const struct cy_effects *effects)
{
    static const enum cy_field order[] = {CY_FIELD_rs1, CY_FIELD_vs1, CY_FIELD_rs2, CY_FIELD_vs2,
                                          CY_FIELD_rs3, CY_FIELD_vs3, CY_FIELD_vd};
    for (size_t i = 0; i < CY_COUNT(order); i++)
        for (unsigned k = 0; k < effects->operand_count; k++) {
            const struct cy_operand *operand = &effects->operand[k];
            if (operand->field != order[i] || !operand->is_read || op->source_count == MOST_SOURCES)
                continue;
            op->source[op->source_count++] = register_of(operand);
            use(op, register_of(operand));
        }
}

static void set_banks(struct op *op, const struct parameters *p)
{
    for (unsigned turn = 0; p->register_banks <= BANK_TURNS && turn < BANK_TURNS; turn++)
        for (unsigned i = 0; i < op->source_count; i++) {
            const unsigned bank = register_bank(p, turn, op->source[i]);
            op->banks[turn] |= (uint8_t)(1u << bank);
            op->bank_operands[turn][bank] |= (uint8_t)(1u << i);
        }
}

static uint32_t fp_latency(const struct parameters *p, const struct cy_effects *effects)
{
    switch ((enum cy_work)cy_functions[effects->function].work) {
    case CY_WORK_FUSED: return p->fp_fused_latency;
    case CY_WORK_COMPARE:
    case CY_WORK_CONVERT:
    case CY_WORK_SIGN: return p->fp_compare_latency;
    default: return p->fp_latency;
    }
}

/* Write-back ports serve the units in a fixed order. */
enum { FIRST_ALU, FIRST_FPU, FIRST_LSU, FIRST_CSR, FIRST_SFU, FIRST_MUL, FIRST_TENSOR };

static void set_unit(struct op *op, const struct parameters *p, const struct cy_effects *effects)
{
    uint32_t latency = p->alu_latency;
    op->kind = KIND_ALU;
    switch (effects->row->sched) {
    case CY_SCHED_smul:
    case CY_SCHED_vmul:
        latency = p->mul_latency;
        op->priority = FIRST_MUL;
        break;
    case CY_SCHED_sfpu:
    case CY_SCHED_vfpu:
        latency = fp_latency(p, effects);
        op->priority = FIRST_FPU;
        break;
    case CY_SCHED_sdiv:
    case CY_SCHED_vdiv:
        op->kind = KIND_SFU;
        op->sfu = SFU_INT;
        op->priority = FIRST_SFU;
        op->is_signed = cy_functions[effects->function].work == CY_WORK_SIGNED_DIVISION;
        break;
    case CY_SCHED_sfdiv:
    case CY_SCHED_vfdiv:
    case CY_SCHED_vsfu:
        op->kind = KIND_SFU;
        op->sfu = SFU_FP;
        op->priority = FIRST_SFU;
        break;
    case CY_SCHED_tensor:
        latency = p->tensor_latency;
        op->priority = FIRST_TENSOR;
        break;
    case CY_SCHED_csr:
    case CY_SCHED_vcfg: op->priority = FIRST_CSR; break;
    default: break;
    }
    op->latency = (uint16_t)latency;
}

static void set_kind(struct op *op, const struct cy_effects *effects)
{
    switch ((enum cy_flow_kind)effects->flow) {
    case CY_FLOW_END: op->kind = KIND_END; break;
    case CY_FLOW_BARRIER: op->kind = KIND_BARRIER; break;
    case CY_FLOW_VECTOR_BRANCH:
    case CY_FLOW_JOIN: op->kind = KIND_VBRANCH; break;
    case CY_FLOW_BRANCH: op->kind = KIND_BRANCH; break;
    case CY_FLOW_JUMP:
    case CY_FLOW_INDIRECT: op->kind = KIND_JUMP; break;
    case CY_FLOW_WARP_BARRIER: break;
    case CY_FLOW_NEXT:
        if (effects->access.addressing != CY_ADDRESS_NONE)
            op->kind = KIND_MEMORY;
        else if (effects->is_fence)
            op->kind = KIND_FENCE;
        break;
    }
}

/* The registers of an integer division: the operands of the function that the row's expression calls. */
static void set_division(struct op *op, const struct cy_effects *effects)
{
    static const enum cy_role roles[] = {[CY_SOURCE_A] = CY_ROLE_A, [CY_SOURCE_B] = CY_ROLE_B};
    op->dividend = register_of(cy_effects_operand(effects, roles[effects->expr->part[0]->source]));
    op->divisor = register_of(cy_effects_operand(effects, roles[effects->expr->part[1]->source]));
}

/* setrpc occupies the port even if nobody wants the address: its result is the CSR, too. */
static void set_destination(struct op *op, const struct cy_effects *effects)
{
    const struct cy_operand *result = cy_effects_operand(effects, CY_ROLE_RESULT);
    const bool is_discarded = result && result->kind == CY_OPERAND_X && !result->value;
    if (!result || (is_discarded && !(effects->state_writes & CY_STATE_RPC && effects->csr < 0)))
        return;
    op->destination = register_of(result);
    use(op, op->destination);
}

bool timing_decode(const struct parameters *p, uint32_t pc, uint32_t word, uint32_t prefix, struct op *op)
{
    struct cy_insn insn;
    struct cy_effects effects;
    const uint32_t words[2] = {prefix ? prefix : word, word};
    enum cy_target target = CY_GEN1;
    *op = (struct op){.start = prefix ? pc - 4 : pc, .pc = pc, .latency = 1, .destination = NO_REGISTER};
    while (cy_decode(target, words, prefix ? 2 : 1, &insn) != CY_DECODE_OK)
        if (target++ == CY_GEN2)
            return false;
    cy_effects(target, &insn, &effects);
    set_unit(op, p, &effects);
    set_kind(op, &effects);
    add_sources(op, &effects);
    set_banks(op, p);
    set_destination(op, &effects);
    op->is_vector = effects.is_lanes;
    op->is_write = effects.access.writes || effects.access.atomic;
    op->is_atomic = effects.access.atomic;
    op->is_masked = effects.is_masked;
    if (op->kind == KIND_MEMORY)
        op->priority = FIRST_LSU;
    if (op->is_masked)
        use(op, VECTOR_REGISTER);
    if (op->kind == KIND_BRANCH && effects.distance == 4)
        op->branch = (uint16_t)insn.op;
    if (op->sfu == SFU_INT)
        set_division(op, &effects);
    op->is_control =
        op->kind == KIND_BRANCH || op->kind == KIND_JUMP || op->kind == KIND_VBRANCH || op->kind == KIND_BARRIER;
    op->has_extra = op->kind == KIND_MEMORY || op->kind == KIND_SFU;
    op->has_more = op->has_extra || op->branch || op->kind == KIND_BARRIER || op->kind == KIND_END;
    return true;
}
