/* Memory accesses: their properties, and which of them are checked together.
 *
 * Accesses of a straight-line sequence with the same, unchanged address register form a group: the first of them checks
 * the bytes of all.  A fault is then found earlier than by the interpreter, before other instructions of the run; only
 * stores of the same run tell the difference, and a launch that faults leaves its buffers undefined anyway. */
#include "jit/translate/translator.h"

bool is_private(const struct inst *inst)
{
    return inst->effects.access.space == CY_SPACE_PRIVATE;
}

/* Atomic operations, and accesses with elements that are not words of their own register, are none. */
bool is_access(const struct inst *inst)
{
    const struct cy_effects_access *access = &inst->effects.access;
    const struct cy_operand *data = cy_effects_operand(&inst->effects, access->writes ? CY_ROLE_DATA : CY_ROLE_RESULT);
    switch (access->addressing) {
    case CY_ADDRESS_SCALAR: return true;
    case CY_ADDRESS_LANE: return !access->atomic;
    case CY_ADDRESS_UNIT: return access->bytes == 4 && data->bits == 32;
    case CY_ADDRESS_INDEXED: return access->index_bytes == 4;
    default: return false;
    }
}

unsigned access_size(const struct inst *inst)
{
    return is_access(inst) ? inst->effects.access.bytes : 4;
}

int32_t access_offset(const struct inst *inst)
{
    return inst->effects.access.offset;
}

static bool may_write(const struct inst *inst)
{
    return inst->effects.access.writes;
}

static void add_registers(struct regs *set, const struct cy_operand *operand)
{
    for (unsigned i = 0; operand && i < operand->count; i++) {
        const unsigned number = (unsigned)operand->value + i;
        if (operand->kind == CY_OPERAND_X)
            set->x |= 1ull << number;
        else
            set->v[number >> 6] |= 1ull << (number & 63);
    }
}

/* The registers that make the address of an access. */
static struct regs base_of(const struct inst *inst)
{
    struct regs base = {0};
    add_registers(&base, cy_effects_operand(&inst->effects, CY_ROLE_BASE));
    add_registers(&base, cy_effects_operand(&inst->effects, CY_ROLE_INDEX));
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
    bool is_unit;          /* vle32 and lw of the same register access different bytes */
    int32_t low, high;
    int32_t anchor, align; /* the widest access: its position, and its size, to which all others are aligned */
    uint8_t rights;
    uint8_t space; /* of the prefix */
    bool is_private, is_far;
};

static uint32_t add_access(struct translator *t, struct inst *inst)
{
    const bool is_atomic = inst->effects.access.atomic, is_load = inst->effects.access.atomic == CY_ATOMIC_RESERVE;
    const uint8_t access = (uint8_t)(is_atomic && !is_load ? READ | WRITE : may_write(inst) ? WRITE : READ);
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
    const bool is_unit = inst->effects.access.addressing == CY_ADDRESS_UNIT;
    const int32_t size = (int32_t)access_size(inst), distance = access_offset(inst) - open->anchor;
    return is_same(&open->base, base) && open->is_private == is_private(inst) && open->is_far == inst->is_far &&
           open->space == inst->space && is_unit == open->is_unit && distance % size == 0;
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
                                                    .is_unit = inst->effects.access.addressing == CY_ADDRESS_UNIT,
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
        const enum cy_flow_kind flow = (enum cy_flow_kind)inst->effects.flow;
        const bool stops = flow == CY_FLOW_BARRIER || flow == CY_FLOW_WARP_BARRIER || flow == CY_FLOW_END;
        if (inst->reachable && (inst->is_interpreted || inst->effects.access.atomic || stops ||
                                row_of(inst)->format == CY_FORMAT_CSRR || flow == CY_FLOW_INDIRECT))
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
