/* Memory accesses: their properties, and which of them are checked together.
 *
 * Accesses of a straight-line sequence with the same, unchanged address register form a group: the first of them checks
 * the bytes of all.  A fault is then found earlier than by the interpreter, before other instructions of the run; only
 * stores of the same run tell the difference, and a launch that faults leaves its buffers undefined anyway. */
#include "jit/translate/translator.h"

bool is_private(const struct inst *inst)
{
    return row_of(inst)->flags & CY_F_PRIVATE || inst->space == SPACE_PRIVATE;
}

bool is_access(const struct inst *inst)
{
    switch (row_of(inst)->format) {
    case CY_FORMAT_LOAD:
    case CY_FORMAT_STORE:
    case CY_FORMAT_VL12:
    case CY_FORMAT_VS12:
    case CY_FORMAT_VL12D:
    case CY_FORMAT_VS12D:
    case CY_FORMAT_VLP:
    case CY_FORMAT_VSP: return true;
    default:
        return inst->insn.op == CY_OP_vluxei32_v || inst->insn.op == CY_OP_vsuxei32_v ||
               inst->insn.op == CY_OP_vloxei32_v || inst->insn.op == CY_OP_vsoxei32_v ||
               inst->insn.op == CY_OP_vle32_v || inst->insn.op == CY_OP_vse32_v;
    }
}

unsigned access_size(const struct inst *inst)
{
    const unsigned funct3 = inst->insn.word >> 12 & 7;
    switch (row_of(inst)->format) {
    case CY_FORMAT_VS12:
    case CY_FORMAT_VS12D: return funct3 == 6 ? 4 : funct3 == 3 ? 2 : 1;
    case CY_FORMAT_LOAD:
    case CY_FORMAT_STORE:
    case CY_FORMAT_VL12:
    case CY_FORMAT_VL12D:
    case CY_FORMAT_VLP:
    case CY_FORMAT_VSP: return (funct3 & 3) == 3 ? 4 : 1u << (funct3 & 3); /* ld, sd: words at 64-bit addresses */
    default: return 4;
    }
}

int32_t access_offset(const struct inst *inst)
{
    static const enum cy_field immediates[] = {CY_FIELD_imm12, CY_FIELD_simm12, CY_FIELD_imm11, CY_FIELD_simm11};
    for (size_t i = 0; i < CY_COUNT(immediates); i++) {
        const int32_t value = cy_insn_field(&inst->insn, immediates[i], INT32_MIN);
        if (value != INT32_MIN)
            return value;
    }
    return 0;
}

static bool may_write(const struct inst *inst)
{
    return row_of(inst)->flags & (CY_F_STORE | CY_F_ATOMIC);
}

/* The base registers of an access. */
static struct regs base_of(const struct inst *inst)
{
    struct regs base = {0};
    const int32_t rs1 = field(inst, CY_FIELD_rs1), vs1 = field(inst, CY_FIELD_vs1);
    const int32_t index =
        row_of(inst)->format == CY_FORMAT_VLX || row_of(inst)->format == CY_FORMAT_VSX ? field(inst, CY_FIELD_vs2) : -1;
    for (int32_t k = 0; rs1 >= 0 && k < (inst->is_far && rs1 ? 2 : 1); k++)
        base.x |= 1ull << (rs1 + k);
    for (int32_t k = 0; vs1 >= 0 && k < (inst->is_far ? 2 : 1); k++)
        base.v[(vs1 + k) >> 6] |= 1ull << ((vs1 + k) & 63);
    if (index >= 0)
        base.v[index >> 6] |= 1ull << (index & 63);
    return base;
}

static bool is_same(const struct regs *a, const struct regs *b)
{
    bool same = a->x == b->x;
    for (unsigned i = 0; i < 4; i++)
        same &= a->v[i] == b->v[i];
    return same;
}

bool regs_meet(const struct regs *a, const struct regs *b)
{
    bool found = a->x & b->x;
    for (unsigned i = 0; i < 4; i++)
        found |= (a->v[i] & b->v[i]) != 0;
    return found;
}

struct open { /* a group that can still grow */
    struct regs base;
    uint32_t first, count; /* first: instruction */
    uint32_t format;       /* vle32 and lw of the same register access different bytes */
    int32_t low, high;
    int32_t anchor, align; /* the widest access: its position, and its size, to which all others are aligned */
    uint8_t rights;
    uint8_t space; /* of the prefix */
    bool is_private, is_far;
};

static uint32_t add_access(struct translator *t, struct inst *inst)
{
    const bool is_atomic = row_of(inst)->flags & CY_F_ATOMIC, is_load = row_of(inst)->format == CY_FORMAT_LR;
    const uint8_t access = (uint8_t)(is_atomic && !is_load ? READ | WRITE : may_write(inst) && !is_load ? WRITE : READ);
    inst->access = (uint32_t)t->accesses.count;
    *cy_vec_push(&t->accesses) = (struct cy_jit_access){
        .pc = inst->pc,
        .word = inst->insn.word,
        .prefix = inst->insn.prefix,
        .offset = access_offset(inst),
        .op = (uint16_t)inst->insn.op,
        .size = (uint8_t)(is_atomic ? atomic_size(inst) : access_size(inst)),
        .access = access,
        .words = inst->words,
        .is_interpreted = inst->is_interpreted,
        .is_far = inst->is_far,
        .is_apart = inst->is_apart,
    };
    return inst->access;
}

static bool fits_group(const struct open *open, const struct inst *inst, const struct regs *base)
{
    const enum cy_format format = row_of(inst)->format;
    const bool is_unit = format == CY_FORMAT_VL || format == CY_FORMAT_VS;
    const bool was_unit = open->format == CY_FORMAT_VL || open->format == CY_FORMAT_VS;
    const int32_t size = (int32_t)access_size(inst), distance = access_offset(inst) - open->anchor;
    return is_same(&open->base, base) && open->is_private == is_private(inst) && open->is_far == inst->is_far &&
           open->space == inst->space && is_unit == was_unit && distance % size == 0;
}

static void group_block(struct translator *t, const struct block *block)
{
    CY_VEC(struct open) open = {0};
    CY_VEC(uint32_t) groups = {0}; /* of the open ones */
    for (uint32_t i = block->first;; i = t->insts[i].next) {
        struct inst *inst = &t->insts[i];
        if (is_access(inst) && !inst->is_interpreted) {
            const struct regs base = base_of(inst);
            const int32_t size = (int32_t)access_size(inst), low = access_offset(inst), high = low + inst->words * size;
            size_t k = 0;
            while (k < open.count && !fits_group(&open.at[k], inst, &base))
                k++;
            if (k == open.count) {
                *cy_vec_push(&groups) = (uint32_t)t->groups.count;
                *cy_vec_push(&t->groups) = (struct cy_jit_group){0};
                *cy_vec_push(&open) = (struct open){.base = base,
                                                    .first = i,
                                                    .format = row_of(inst)->format,
                                                    .low = low,
                                                    .high = high,
                                                    .anchor = low,
                                                    .align = size,
                                                    .space = inst->space,
                                                    .is_private = is_private(inst),
                                                    .is_far = inst->is_far};
            }
            struct open *group = &open.at[k];
            group->low = low < group->low ? low : group->low;
            group->high = high > group->high ? high : group->high;
            if (size > group->align)
                group->align = size, group->anchor = low;
            group->rights |= may_write(inst) ? WRITE : READ;
            inst->group = groups.at[k];
            struct cy_jit_group *out = &t->groups.at[inst->group];
            out->low = group->anchor - (group->anchor - group->low + group->align - 1) / group->align * group->align;
            out->align = (uint8_t)__builtin_ctz((unsigned)group->align);
            out->high = group->high;
            out->rights = group->rights;
            out->is_private = group->is_private;
        }
        for (size_t k = 0; k < open.count;) { /* a base that changes */
            if (!regs_meet(&open.at[k].base, &inst->defs)) {
                k++;
                continue;
            }
            open.at[k] = open.at[--open.count];
            groups.at[k] = groups.at[--groups.count];
        }
        if (i == block->last)
            break;
    }
    cy_vec_free(&open);
    cy_vec_free(&groups);
}

/* A group's members are consecutive in the table of accesses. */
static void number_accesses(struct translator *t)
{
    for (uint32_t group = 0; group < t->groups.count; group++) {
        t->groups.at[group].first = (uint32_t)t->accesses.count;
        for (uint32_t i = 0; i < t->count; i++)
            if (t->insts[i].reachable && t->insts[i].group == group) {
                add_access(t, &t->insts[i]);
                t->groups.at[group].count++;
            }
    }
    for (uint32_t i = 0; i < t->count; i++) {
        struct inst *inst = &t->insts[i];
        const enum cy_format format = inst->reachable ? row_of(inst)->format : CY_FORMAT_U;
        if (inst->reachable &&
            (inst->is_interpreted || row_of(inst)->flags & CY_F_ATOMIC || format == CY_FORMAT_BARRIER ||
             format == CY_FORMAT_ENDPRG || format == CY_FORMAT_CSRR || format == CY_FORMAT_JALR))
            add_access(t, inst);
        if (inst->reachable && inst->store != NONE) /* right after its LR */
            add_access(t, &t->insts[inst->store]);
    }
}

bool group_accesses(struct translator *t)
{
    for (size_t i = 0; i < t->blocks.count; i++)
        group_block(t, &t->blocks.at[i]);
    number_accesses(t);
    return true;
}
