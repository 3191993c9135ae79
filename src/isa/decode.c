/* Decoding words.
 *
 * Each target has a hash of its rows by the most distinctive bits (opcode, funct3 and funct6 for Ventus; type and f5
 * for EpicGPU).  A row whose mask leaves some of these bits free is in every bucket it can match; within a bucket the
 * most specific mask comes first. */
#include "isa/isa_priv.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct bucket_entry {
    uint16_t op;
    uint16_t next; /* index of the next entry, 0 = end */
};

/* As large as its indices can count, so that no allocation can fail; untouched pages use no memory. */
enum { MOST = 1 << 16 };
struct decoder {
    uint32_t key_mask; /* the bits of a word that form the key */
    uint32_t entry_count;
    uint16_t buckets[MOST];
    struct bucket_entry entries[MOST];
};

static struct decoder decoders[CY_TARGET_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define VENTUS_KEY 0xfc00707fu
#define EPIC_KEY 0xe0007c00u

static inline uint32_t ventus_key(uint32_t word)
{
    return (word & 0x7f) | ((word >> 12) & 7) << 7 | (word >> 26) << 10;
}
static inline uint32_t epic_key(uint32_t word)
{
    return (word >> 29) << 5 | ((word >> 10) & 31);
}
static inline bool is_epic(enum cy_target target)
{
    return target == CY_EPIC || target == CY_EPIC_FPGA;
}

static void add_row(struct decoder *decoder, enum cy_target target, int op)
{
    uint32_t mask = cy_formats[cy_insns[op].format].mask;
    uint32_t free_bits = decoder->key_mask & ~mask;
    for (uint32_t subset = free_bits;; subset = (subset - 1) & free_bits) {
        uint32_t word = (cy_insns[op].match & mask & decoder->key_mask) | subset;
        uint16_t *bucket = &decoder->buckets[is_epic(target) ? epic_key(word) : ventus_key(word)];
        struct bucket_entry entry = {(uint16_t)op, *bucket};
        assert(decoder->entry_count < MOST && "every entry has a number");
        *bucket = (uint16_t)decoder->entry_count;
        decoder->entries[decoder->entry_count++] = entry;
        if (!subset)
            break;
    }
}

static int less_specific_first(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    int bits = __builtin_popcount(cy_formats[cy_insns[x].format].mask) -
               __builtin_popcount(cy_formats[cy_insns[y].format].mask);
    return bits ? bits : x - y;
}

static void build(void)
{
    int order[CY_OP_COUNT];
    for (int i = 1; i < CY_OP_COUNT; i++)
        order[i] = i;
    qsort(order + 1, CY_OP_COUNT - 1, sizeof(order[0]), less_specific_first);
    for (int t = 0; t < CY_TARGET_COUNT; t++) {
        struct decoder *decoder = &decoders[t];
        decoder->key_mask = is_epic((enum cy_target)t) ? EPIC_KEY : VENTUS_KEY;
        decoder->entry_count = 1; /* 0 is the end of a bucket */
        for (int i = 1; i < CY_OP_COUNT; i++)
            if (cy_insns[order[i]].gens & (1 << t))
                add_row(decoder, (enum cy_target)t, order[i]);
    }
}

static enum cy_op find_row(enum cy_target target, uint32_t word)
{
    pthread_once(&once, build);
    const struct decoder *decoder = &decoders[target];
    unsigned index = decoder->buckets[is_epic(target) ? epic_key(word) : ventus_key(word)];
    for (; index; index = decoder->entries[index].next) {
        const struct cy_insn_info *info = &cy_insns[decoder->entries[index].op];
        if ((word & cy_formats[info->format].mask) == info->match)
            return (enum cy_op)decoder->entries[index].op;
    }
    return CY_OP_INVALID;
}

/* Reserved operand values: rounding modes, register groups that are not aligned. */
static bool is_reserved(const struct cy_insn_info *info, enum cy_field field, int32_t value)
{
    if (cy_fields[field].kind == CY_RM)
        return value == 5 || value == 6;
    return cy_fields[field].kind == CY_VREG && value % cy_register_step(info) != 0;
}

bool cy_decode_word(enum cy_target target, uint32_t word, struct cy_insn *insn)
{
    *insn = (struct cy_insn){.op = find_row(target, word), .size = 4, .word = word};
    if (insn->op == CY_OP_INVALID)
        return false;
    const struct cy_insn_info *info = &cy_insns[insn->op];
    const struct cy_format_syntax *syntax = &cy_syntaxes()->formats[info->format];
    for (unsigned i = 0; i < syntax->operand_count; i++) {
        enum cy_field field = (enum cy_field)syntax->operands[i];
        insn->operand[i] = cy_field_extract(field, word);
        if (is_reserved(info, field, insn->operand[i])) {
            *insn = (struct cy_insn){.size = 4, .word = word};
            return false;
        }
    }
    insn->operand_count = syntax->operand_count;
    return true;
}

/* Adds the prefix's high bits to the operands.  False if a scalar register would be beyond x63. */
static bool extend(struct cy_insn *insn, uint32_t ext, bool immediate)
{
    const struct cy_format_syntax *syntax = &cy_syntaxes()->formats[cy_insns[insn->op].format];
    for (unsigned i = 0; i < syntax->operand_count; i++) {
        const struct cy_field_info *field = &cy_fields[syntax->operands[i]];
        uint32_t high = 0;
        switch (field->slot) {
        case CY_EXT_D: high = ext & 7; break;
        case CY_EXT_1: high = immediate ? 0 : (ext >> 3) & 7; break;
        case CY_EXT_2: high = (ext >> (immediate ? 3 : 6)) & 7; break;
        case CY_EXT_3: high = immediate ? 0 : (ext >> 9) & 7; break;
        case CY_EXT_IMM:
            if (immediate)
                insn->operand[i] = cy_sign_extend((ext >> 6) << 5 | ((uint32_t)insn->operand[i] & 31), 11);
            continue;
        case CY_EXT_NONE: continue;
        }
        insn->operand[i] |= (int32_t)(high << 5);
        if (field->kind == CY_XREG && insn->operand[i] > 63)
            return false;
    }
    return true;
}

bool cy_prefix_applies(enum cy_op prefix, enum cy_op op)
{
    return !(cy_insns[prefix].flags & CY_F_MEM_PREFIX) || cy_insns[op].flags & (CY_F_LOAD | CY_F_STORE | CY_F_ATOMIC);
}

enum cy_decode_status cy_decode(enum cy_target target, const uint32_t *words, size_t count, struct cy_insn *insn)
{
    if (!count) {
        *insn = (struct cy_insn){.size = 4};
        return CY_DECODE_TRUNCATED;
    }
    if (!cy_decode_word(target, words[0], insn))
        return CY_DECODE_INVALID;
    uint32_t flags = cy_insns[insn->op].flags;
    if (!(flags & CY_F_PREFIX))
        return CY_DECODE_OK;
    struct cy_insn prefixed;
    if (count < 2)
        return CY_DECODE_TRUNCATED;
    if (!cy_decode_word(target, words[1], &prefixed) || cy_insns[prefixed.op].flags & CY_F_PREFIX ||
        (cy_prefix_applies(insn->op, prefixed.op) && !extend(&prefixed, words[0] >> 20, flags & CY_F_EXT_IMM)))
        return CY_DECODE_BAD_PREFIX;
    prefixed.prefix = words[0];
    prefixed.size = 8;
    *insn = prefixed;
    return CY_DECODE_OK;
}
