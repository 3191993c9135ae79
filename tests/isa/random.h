/* Random instructions: operands that a row can have. */
#ifndef CY_TESTS_ISA_RANDOM_H
#define CY_TESTS_ISA_RANDOM_H

#include "isa/isa.h"

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static inline uint32_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

static inline int32_t register_step(int op)
{
    uint32_t flags = cy_insns[op].flags;
    return flags & CY_F_GROUP8 ? 8 : flags & CY_F_GROUP4 ? 4 : flags & CY_F_GROUP2 ? 2 : 1;
}

/* A random value that the operand can have; `extended`: also those that need a prefix. */
static inline int32_t random_operand(int op, enum cy_field field, bool extended)
{
    const struct cy_field_info *info = &cy_fields[field];
    bool prefix = cy_insns[op].flags & CY_F_PREFIX;
    bool wide = extended && info->slot != CY_EXT_NONE && !prefix && random_word() % 2;
    int64_t low, high;
    unsigned step;
    cy_field_fits(field, 0, &low, &high, &step);
    switch (info->kind) {
    case CY_VREG: return (int32_t)(random_word() % (wide ? 256 : 32)) / register_step(op) * register_step(op);
    case CY_XREG: return (int32_t)(random_word() % (wide ? 64 : 32));
    case CY_RM: return (int32_t)(random_word() % 5);
    case CY_EREG:
        if (field == CY_FIELD_erd)
            return 4 + (int32_t)(random_word() % 28);
        break;
    default: break;
    }
    if (wide) {
        low = info->kind == CY_SIMM ? -1024 : 0;
        high = 1023;
    }
    uint64_t choices = (uint64_t)(high - low) / step + 1;
    return (int32_t)(low + (int64_t)(random_word() % choices) * (int64_t)step);
}

static inline struct cy_insn random_insn(int op, bool extended)
{
    struct cy_insn insn = {.op = (enum cy_op)op};
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(cy_insns[op].format, fields);
    for (size_t i = 0; i < count; i++)
        insn.operand[i] = random_operand(op, fields[i], extended);
    return insn;
}

#endif
