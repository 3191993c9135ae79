/* What the model knows about an instruction, from the rows of the instruction tables. */
#include "timing/model.h"

#include <string.h>

static void use(struct op *op, uint16_t reg)
{
    op->used[reg / 64] |= 1ull << reg % 64;
    op->uses_high |= reg / 64 > 1;
}

static void add_source(struct op *op, const struct cy_insn *insn, enum cy_field field, uint16_t file)
{
    const int32_t number = cy_insn_field(insn, field, -1);
    if (number < 0 || op->source_count == MOST_SOURCES)
        return;
    op->source[op->source_count++] = (uint16_t)(number + file);
    use(op, (uint16_t)(number + file));
}

/* The register operands that go through the collector, in its order. */
static void add_sources(struct op *op, const struct cy_insn *insn, const struct cy_insn_info *info)
{
    static const struct {
        enum cy_field field;
        uint16_t file;
    } fields[] = {
        {CY_FIELD_rs1, 0}, {CY_FIELD_vs1, VECTOR_REGISTER}, {CY_FIELD_rs2, 0}, {CY_FIELD_vs2, VECTOR_REGISTER},
        {CY_FIELD_rs3, 0}, {CY_FIELD_vs3, VECTOR_REGISTER},
    };
    for (size_t i = 0; i < CY_COUNT(fields); i++)
        add_source(op, insn, fields[i].field, fields[i].file);
    if (info->flags & CY_F_ACC)
        add_source(op, insn, CY_FIELD_vd, VECTOR_REGISTER);
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

static bool contains_any(const char *text, const char *const *parts)
{
    for (; *parts; parts++)
        if (strstr(text, *parts))
            return true;
    return false;
}

static uint32_t fp_latency(const struct parameters *p, const char *mnemonic)
{
    static const char *const fused[] = {"madd", "msub", "macc", "msac", NULL};
    static const char *const compares[] = {"min", "max",  "feq", "fne",   "flt",  "fle", "fgt",
                                           "fge", "fcvt", "sgn", "class", "f.mv", NULL};
    return contains_any(mnemonic, fused)      ? p->fp_fused_latency
           : contains_any(mnemonic, compares) ? p->fp_compare_latency
                                              : p->fp_latency;
}

/* Write-back ports serve the units in a fixed order. */
enum { FIRST_ALU, FIRST_FPU, FIRST_LSU, FIRST_CSR, FIRST_SFU, FIRST_MUL, FIRST_TENSOR };

static void set_unit(struct op *op, const struct parameters *p, const struct cy_insn_info *info)
{
    uint32_t latency = p->alu_latency;
    op->kind = KIND_ALU;
    switch (info->sched) {
    case CY_SCHED_smul:
    case CY_SCHED_vmul:
        latency = p->mul_latency;
        op->priority = FIRST_MUL;
        break;
    case CY_SCHED_sfpu:
    case CY_SCHED_vfpu:
        latency = fp_latency(p, info->mnemonic);
        op->priority = FIRST_FPU;
        break;
    case CY_SCHED_sdiv:
    case CY_SCHED_vdiv:
        op->kind = KIND_SFU;
        op->sfu = SFU_INT;
        op->priority = FIRST_SFU;
        op->is_signed = !strchr(info->mnemonic, 'u');
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

static void set_kind(struct op *op, const struct cy_insn_info *info)
{
    if (info->flags & CY_F_END)
        op->kind = KIND_END;
    else if (info->flags & CY_F_BARRIER)
        op->kind = KIND_BARRIER;
    else if (info->flags & (CY_F_DIVERGE | CY_F_CONVERGE))
        op->kind = KIND_VBRANCH;
    else if (info->flags & CY_F_BRANCH)
        op->kind = info->format == CY_FORMAT_BRANCH ? KIND_BRANCH : KIND_JUMP;
    else if (info->flags & (CY_F_LOAD | CY_F_STORE | CY_F_ATOMIC))
        op->kind = KIND_MEMORY;
    else if (info->flags & CY_F_FENCE)
        op->kind = KIND_FENCE;
}

bool timing_decode(const struct parameters *p, uint32_t pc, uint32_t word, uint32_t prefix, struct op *op)
{
    struct cy_insn insn;
    const uint32_t words[2] = {prefix ? prefix : word, word};
    *op = (struct op){.start = prefix ? pc - 4 : pc, .pc = pc, .latency = 1, .destination = NO_REGISTER};
    if (cy_decode(CY_GEN1, words, prefix ? 2 : 1, &insn) != CY_DECODE_OK &&
        cy_decode(CY_GEN2, words, prefix ? 2 : 1, &insn) != CY_DECODE_OK)
        return false;
    const struct cy_insn_info *info = &cy_insns[insn.op];
    set_unit(op, p, info);
    set_kind(op, info);
    if (info->format != CY_FORMAT_JOIN && op->kind != KIND_END && op->kind != KIND_BARRIER)
        add_sources(op, &insn, info);
    set_banks(op, p);
    const int32_t vd = cy_insn_field(&insn, CY_FIELD_vd, -1), rd = cy_insn_field(&insn, CY_FIELD_rd, -1);
    if (vd >= 0 && !(info->flags & CY_F_STORE && !(info->flags & CY_F_ATOMIC)))
        op->destination = (uint16_t)(vd + VECTOR_REGISTER);
    else if (rd > 0 || (rd == 0 && info->format == CY_FORMAT_SETRPC))
        op->destination = (uint16_t)rd;
    if (op->destination != NO_REGISTER)
        use(op, op->destination);
    op->is_vector = info->mnemonic[0] == 'v';
    op->is_write = info->flags & (CY_F_STORE | CY_F_ATOMIC);
    op->is_atomic = info->flags & CY_F_ATOMIC;
    op->is_masked = cy_insn_field(&insn, CY_FIELD_vm, 1) == 0;
    if (op->kind == KIND_MEMORY)
        op->priority = FIRST_LSU;
    if (op->is_masked)
        use(op, VECTOR_REGISTER);
    if (op->kind == KIND_BRANCH && cy_insn_field(&insn, CY_FIELD_boff, 0) == 4)
        op->branch = (uint16_t)insn.op;
    if (insn.op == CY_OP_barriersub)
        op->kind = KIND_ALU;
    if (op->sfu == SFU_INT) {
        const int32_t vs2 = cy_insn_field(&insn, CY_FIELD_vs2, -1), vs1 = cy_insn_field(&insn, CY_FIELD_vs1, -1),
                      rs1 = cy_insn_field(&insn, CY_FIELD_rs1, 0), rs2 = cy_insn_field(&insn, CY_FIELD_rs2, 0);
        op->dividend = (uint16_t)(vs2 >= 0 ? vs2 + VECTOR_REGISTER : rs1);
        op->divisor = (uint16_t)(vs1 >= 0 ? vs1 + VECTOR_REGISTER : vs2 >= 0 ? rs1 : rs2);
    }
    op->is_control =
        op->kind == KIND_BRANCH || op->kind == KIND_JUMP || op->kind == KIND_VBRANCH || op->kind == KIND_BARRIER;
    op->has_extra = op->kind == KIND_MEMORY || op->kind == KIND_SFU;
    op->has_more = op->has_extra || op->branch || op->kind == KIND_BARRIER || op->kind == KIND_END;
    return true;
}
