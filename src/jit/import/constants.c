/* Constants in scalar registers and in the warp's state, as far as jumps, reconvergence points and vtype need them: start-up code
 * jumps to the kernel through the metadata, whose first word is part of the request, and setrpc takes an address from auipc. */
#include "jit/import/import_priv.h"

static bool merge(struct constant *into, struct constant other)
{
    if (other.is == UNSEEN || into->is == UNKNOWN || (into->is == other.is && into->value == other.value))
        return false;
    *into = into->is == UNSEEN ? other : (struct constant){UNKNOWN, 0};
    return true;
}

bool merge_facts(struct facts *into, const struct facts *other)
{
    bool has_changed = merge(&into->rpc, other->rpc);
    has_changed |= merge(&into->vtype, other->vtype);
    has_changed |= merge(&into->rounding, other->rounding);
    for (unsigned i = 0; i < CY_COUNT(into->x); i++)
        has_changed |= merge(&into->x[i], other->x[i]);
    for (unsigned i = 0; i < CY_COUNT(into->changed); i++) {
        has_changed |= (other->changed[i] & ~into->changed[i]) != 0;
        into->changed[i] |= other->changed[i];
    }
    return has_changed;
}

struct facts facts_at_start(void)
{
    struct facts facts = {.rpc = {KNOWN, 0}, .vtype = {KNOWN, E32_M1}, .rounding = {KNOWN, 0}};
    for (unsigned i = 0; i < CY_COUNT(facts.x); i++)
        facts.x[i] = (struct constant){KNOWN, 0};
    return facts;
}

struct constant plus(struct constant a, uint32_t b)
{
    a.value += a.is == KNOWN || a.is == METADATA ? b : 0;
    return a;
}

bool known_metadata(const struct cy_jit_request *request, uint32_t offset, uint32_t *value)
{
    if (offset & 3 || offset / 4 >= CY_JIT_METADATA_WORDS || !(request->known >> offset / 4 & 1))
        return false;
    *value = request->metadata[offset / 4];
    return true;
}

bool is_zero_vgpr(const struct facts *facts, int32_t number)
{
    return !(facts->changed[number >> 6] >> (number & 63) & 1);
}

static struct constant loaded(const struct importer *im, const struct inst *inst, struct constant base)
{
    const struct cy_effects_access *access = &inst->effects.access;
    uint32_t value;
    if (base.is == METADATA && !access->space && !access->is_far && access->words == 1 &&
        known_metadata(im->request, base.value + (uint32_t)access->offset, &value))
        return (struct constant){KNOWN, value};
    return (struct constant){UNKNOWN, 0};
}

/* What the instruction leaves in its scalar result, if that is one register. */
static struct constant result_of(const struct importer *im, uint32_t at, const struct facts *facts)
{
    const struct inst *inst = inst_at(im, at);
    const struct cy_operand *a = cy_effects_operand(&inst->effects, CY_ROLE_A),
                            *base = cy_effects_operand(&inst->effects, CY_ROLE_BASE);
    const uint32_t own = pc_of(im, at) + inst->insn.size - 4;
    const uint32_t upper = (uint32_t)cy_insn_field(&inst->insn, CY_FIELD_imm20, 0) << 12;
    const uint32_t imm = (uint32_t)cy_insn_field(&inst->insn, CY_FIELD_imm12, 0);
    const bool is_plain = !inst->effects.is_wide && !inst->effects.abs && !inst->effects.neg;
    switch (inst->insn.op) {
    case CY_OP_lui: return (struct constant){KNOWN, upper};
    case CY_OP_auipc: return (struct constant){KNOWN, own + upper};
    case CY_OP_jal:
    case CY_OP_jalr: return (struct constant){KNOWN, own + 4};
    case CY_OP_setrpc: return plus(facts->x[a->value], imm);
    case CY_OP_addi: return is_plain ? plus(facts->x[a->value], imm) : (struct constant){UNKNOWN, 0};
    case CY_OP_lw: return loaded(im, inst, facts->x[base->value]);
    case CY_OP_csrrs: {
        const bool is_metadata = inst->effects.csr == CY_CSR_KNL && !inst->effects.state_writes;
        return (struct constant){is_metadata ? METADATA : UNKNOWN, 0};
    }
    default: return (struct constant){UNKNOWN, 0};
    }
}

/* frm, where the new value is known; the parts of fcsr are treated as not known. */
static struct constant rounding_after(const struct inst *inst, const struct facts *facts)
{
    const struct cy_operand *from = cy_effects_operand(&inst->effects, CY_ROLE_A);
    const bool is_immediate = from && from->kind == CY_OPERAND_IMMEDIATE;
    if (inst->effects.csr != CY_CSR_frm || (inst->insn.op != CY_OP_csrrw && inst->insn.op != CY_OP_csrrwi))
        return (struct constant){UNKNOWN, 0};
    struct constant value = is_immediate ? (struct constant){KNOWN, (uint32_t)from->value} : facts->x[from->value];
    value.value &= 7;
    return value.is == KNOWN ? value : (struct constant){UNKNOWN, 0};
}

/* vl is as long as it can be, else the result is not known. */
static struct constant vtype_after(const struct importer *im, const struct inst *inst, const struct facts *facts)
{
    const struct cy_insn *insn = &inst->insn;
    const struct cy_operand *length = cy_effects_operand(&inst->effects, CY_ROLE_A);
    const int32_t vtype = cy_insn_field(insn, CY_FIELD_vtype11, cy_insn_field(insn, CY_FIELD_vtype10, -1));
    const bool is_whole = insn->op == CY_OP_vsetvli && !length->value;
    const bool is_immediate = length->kind == CY_OPERAND_IMMEDIATE;
    const struct constant asked =
        is_immediate ? (struct constant){KNOWN, (uint32_t)length->value} : facts->x[length->value];
    const bool is_enough = is_whole || (asked.is == KNOWN && asked.value >= im->request->threads);
    if (vtype < 0 || (vtype & ~VTYPE_AGNOSTIC) != E32_M1 || !is_enough)
        return (struct constant){UNKNOWN, 0};
    return (struct constant){KNOWN, E32_M1};
}

void follow_facts(const struct importer *im, uint32_t at, struct facts *facts)
{
    const struct inst *inst = inst_at(im, at);
    const struct cy_effects *effects = &inst->effects;
    const struct cy_operand *result = cy_effects_operand(effects, CY_ROLE_RESULT);
    const struct constant value = result_of(im, at, facts);
    if (effects->state_writes & CY_STATE_FRM)
        facts->rounding = rounding_after(inst, facts);
    if (effects->state_writes & CY_STATE_VTYPE)
        facts->vtype = vtype_after(im, inst, facts);
    if (effects->row->format == CY_FORMAT_SETRPC)
        facts->rpc = value;
    else if (effects->state_writes & CY_STATE_RPC)
        facts->rpc = (struct constant){UNKNOWN, 0};
    for (unsigned i = 1; i < CY_COUNT(facts->x); i++)
        if (cy_regs_has_x(&effects->writes, i))
            facts->x[i] = result->count == 1 ? value : (struct constant){UNKNOWN, 0};
    const bool is_zero =
        inst->insn.op == CY_OP_vmv_v_i && !effects->has_pairs && !cy_insn_field(&inst->insn, CY_FIELD_simm5, 0);
    for (unsigned i = 0; i < CY_COUNT(facts->changed); i++)
        facts->changed[i] =
            is_zero ? facts->changed[i] & ~effects->writes.v[i] : facts->changed[i] | effects->writes.v[i];
}
