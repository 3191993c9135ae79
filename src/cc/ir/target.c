#include "cc/ir/target.h"

#include <stddef.h>

#define SCALAR_ROWS                                                                                                    \
    {{CY_OP_lbu, CY_OP_lb}, {CY_OP_lhu, CY_OP_lh}, {CY_OP_lw, CY_OP_lw}},                                              \
    {                                                                                                                  \
        CY_OP_sb, CY_OP_sh, CY_OP_sw                                                                                   \
    }
#define LANE_ROWS(w)                                                                                                   \
    {{CY_OP_vlbu##w##_v, CY_OP_vlb##w##_v},                                                                            \
     {CY_OP_vlhu##w##_v, CY_OP_vlh##w##_v},                                                                            \
     {CY_OP_vlw##w##_v, CY_OP_vlw##w##_v}},                                                                            \
    {                                                                                                                  \
        CY_OP_vsb##w##_v, CY_OP_vsh##w##_v, CY_OP_vsw##w##_v                                                           \
    }

enum {
    PAIR_BIT = 1 << 19,
    REGPAIR = 0x500b,
    PREFIX = 0x02,
    PRE_M_32 = 0x06,
    PRE_M_PRIVATE_32 = 0x46,
    GEN2_FLAG = 0x01000000
};

static const struct cc_target targets[] = {
    {.name = "ventus",
     .isa = CY_GEN1,
     .generation = 1,
     .pointer_words = 1,
     .prefix = {[CC_PREFIX_PAIRS] = REGPAIR},
     .scalar = {SCALAR_ROWS, .offset_bits = 12},
     .lanes = {LANE_ROWS(12), .offset_bits = 12},
     .private = {LANE_ROWS(), .offset_bits = 11}},
    {.name = "ventus-gen2",
     .isa = CY_GEN2,
     .generation = 2,
     .pointer_words = 2,
     .object_flags = GEN2_FLAG,
     .prefix = {[CC_PREFIX_PAIRS] = PREFIX | PAIR_BIT,
                [CC_PREFIX_WIDE] = PRE_M_32 | PAIR_BIT,
                [CC_PREFIX_PRIVATE] = PRE_M_PRIVATE_32},
     .move_prefix = PRE_M_32,
     .sign_prefix = PREFIX,
     .scalar = {SCALAR_ROWS, .offset_bits = 12},
     .lanes = {LANE_ROWS(12), .offset_bits = 12},
     .private = {LANE_ROWS(12), CC_PREFIX_PRIVATE, CC_PREFIX_PRIVATE, 12},
     .wide_scalar = {{{CY_OP_lbu, CY_OP_lb}, {CY_OP_lhu, CY_OP_lh}, {CY_OP_ld, CY_OP_ld}},
                     {CY_OP_sb, CY_OP_sh, CY_OP_sd},
                     .small_prefix = CC_PREFIX_WIDE,
                     .offset_bits = 12},
     .wide_lanes = {LANE_ROWS(12d), .offset_bits = 12},
     .wide_atomic = {{CY_OP_amoadd_w, CY_OP_amoadd_d},
                     {CY_OP_amoswap_w, CY_OP_amoswap_d},
                     {CY_OP_amoxor_w, CY_OP_amoxor_d},
                     {CY_OP_amoor_w, CY_OP_amoor_d},
                     {CY_OP_amoand_w, CY_OP_amoand_d},
                     {CY_OP_amomin_w, CY_OP_amomin_d},
                     {CY_OP_amomax_w, CY_OP_amomax_d},
                     {CY_OP_amominu_w, CY_OP_amominu_d},
                     {CY_OP_amomaxu_w, CY_OP_amomaxu_d},
                     {CY_OP_lr_w, CY_OP_lr_d},
                     {CY_OP_sc_w, CY_OP_sc_d}}},
};

const struct cc_target *cc_target(unsigned generation)
{
    generation = generation ? generation : 1;
    return generation <= sizeof(targets) / sizeof(*targets) ? &targets[generation - 1] : NULL;
}

uint32_t cc_prefix_word(const struct cc_target *target, unsigned prefix, unsigned words)
{
    enum { WIDTH_SHIFT = 3 };
    if (words < 2)
        return target->prefix[prefix];
    return (prefix ? target->prefix[prefix] : target->move_prefix) | (words - 1) << WIDTH_SHIFT;
}

/* The prefix numbers sources by their fields. */
static unsigned source_of(enum cy_field field)
{
    switch (field) {
    case CY_FIELD_rs1:
    case CY_FIELD_vs1: return 0;
    case CY_FIELD_rs2:
    case CY_FIELD_vs2: return 1;
    default: return 2; /* rs3, or the accumulator */
    }
}

uint32_t cc_sign_word(const struct cc_target *target, unsigned row, unsigned absolute, unsigned negated)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    uint32_t word = absolute | negated ? target->sign_prefix : 0;
    size_t count = cy_format_operands(cy_insns[row].format, fields);
    for (size_t i = 0; i < count; i++)
        word |= (absolute >> i & 1) << (CY_PREFIX_ABS + source_of(fields[i])) |
                (negated >> i & 1) << (CY_PREFIX_NEG + source_of(fields[i]));
    return word;
}

unsigned cc_wide_atomic(const struct cc_target *target, unsigned row)
{
    for (size_t i = 0; i < sizeof(target->wide_atomic) / sizeof(*target->wide_atomic); i++)
        if (target->wide_atomic[i][0] == row)
            return target->wide_atomic[i][1];
    return 0;
}
