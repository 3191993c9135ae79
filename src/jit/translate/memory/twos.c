/* Elements of two words (float2, complex numbers, 64-bit numbers) at addresses that only the run shows: both words are accessed at once.
 * Where the elements turn out to be one after the other, they are a row. */
#include "jit/translate/memory/access.h"

bool has_twos(const struct translator *t, uint32_t number, unsigned access)
{
    const struct cy_jit_group *group = &t->groups.at[number];
    unsigned words = 0; /* a set */
    if (group->high - group->low != 8 || group->is_private)
        return false;
    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        const struct cy_jit_access *one = &t->accesses.at[i];
        const uint32_t at = (uint32_t)(one->offset - group->low);
        if (one->size != 4 || one->words != 1 || at & 3 || one->is_interpreted)
            return false;
        if (one->access & access)
            words |= 1u << at / 4;
    }
    return words == 3;
}

/* Where each lane's element is: not worked out one by one in long code, unless the host gathers. */
static bool is_anywhere(const struct translator *t, const struct access *access)
{
    return t->emit && access->size == 4 && access->base.class.kind == VECTOR && !access->is_affine &&
           !access->is_table && !access->is_line && t->w >= 4 && t->version != ALONE && (has_gathers(t) || !t->is_long);
}

static LLVMValueRef load_apart(struct translator *t, struct access access)
{
    if (has_gathers(t)) {
        LLVMValueRef pointers = word_pointers(t, &access, (uint32_t)access.offset);
        return gather_where(t, t->vi64, pointers, 4, active_lanes(t));
    }
    if (access.may_be_row)
        part_row(t, &access);
    LLVMValueRef row = t->lanes == t->w ? LLVMGetPoison(t->vi64) : LLVMConstNull(t->vi64);
    for (unsigned i = 0; i < t->lanes; i++) {
        LLVMValueRef element = load_from(t, t->i64, lane_pointer(t, &access, NULL, i));
        row = LLVMBuildInsertElement(t->builder, row, element, number32(t, i), "");
    }
    return row;
}

/* Two words, or one element of 64 bits, of lanes whose elements are as `kind` says. */
static void load_kind(struct translator *t, const struct access *access, unsigned kind, bool is_wide, LLVMValueRef *out)
{
    LLVMValueRef first = kind == KIND_APART ? NULL : first_lane(t, access), elements = NULL;
    if (kind == KIND_ROW) { /* neighbours, which overlap: never elements of 64 bits */
        out[0] = load_from(t, t->vi32, first);
        out[1] = load_from(t, t->vi32, at_offset(t, first, 4));
        return;
    }
    if (kind == KIND_APART)
        elements = load_apart(t, *access);
    else if (kind == KIND_TWOS)
        elements = load_from(t, t->vi64, first);
    else
        elements = splat(t, load_from(t, t->i64, first));
    elements = spoiled(t, cy_jit_broken(TWOS), elements);
    out[0] = is_wide ? elements : pair_word(t, elements, false, true);
    out[1] = is_wide ? NULL : pair_word(t, elements, true, true);
}

/* The same where only the run shows the kind. */
static void load_kinds(struct translator *t, const struct access *access, bool is_wide, LLVMValueRef *out)
{
    LLVMBasicBlockRef kinds[KINDS], done = new_block(t, "twos_done");
    const unsigned parts = is_wide ? 1 : 2;
    LLVMValueRef words[2];
    for (unsigned k = 0; k < KINDS; k++)
        kinds[k] = is_wide && k == KIND_ROW ? kinds[KIND_APART] : new_block(t, "twos");
    LLVMValueRef where = LLVMBuildSwitch(t->builder, access->kind, kinds[KIND_APART], KINDS - 1);
    LLVMPositionBuilderAtEnd(t->builder, done);
    for (unsigned i = 0; i < parts; i++)
        out[i] = LLVMBuildPhi(t->builder, is_wide ? t->vi64 : t->vi32, "");
    for (unsigned k = 0; k < KINDS; k++) {
        if (k != KIND_APART && kinds[k] != kinds[KIND_APART])
            LLVMAddCase(where, number32(t, k), kinds[k]);
        else if (k != KIND_APART)
            continue;
        LLVMPositionBuilderAtEnd(t->builder, kinds[k]);
        load_kind(t, access, k, is_wide, words);
        LLVMBasicBlockRef end = LLVMGetInsertBlock(t->builder);
        LLVMBuildBr(t->builder, done);
        for (unsigned i = 0; i < parts; i++)
            LLVMAddIncoming(out[i], &words[i], &end, 1);
    }
    LLVMPositionBuilderAtEnd(t->builder, done);
}

LLVMValueRef load_two(struct translator *t, const struct inst *inst, struct access access, uint32_t offset)
{
    enum { TWO_WORDS = 1 }; /* of no length that narrow.c has */
    const unsigned word = (offset - (uint32_t)t->groups.at[inst->group].low) / 4;
    if (!is_anywhere(t, &access) || row_of(inst)->format != CY_FORMAT_VL12 || !has_twos(t, inst->group, READ))
        return NULL;
    access.offset -= 4 * (int64_t)word;
    struct chunk *chunk = kept_chunk(t, inst->group, access.offset, TWO_WORDS);
    if (chunk)
        return chunk->words[word];
    const bool is_wide = is_half(t, access.to, word);
    chunk = keep_chunk(t, inst->group, access.offset, TWO_WORDS);
    if (access.may_be_row)
        load_kinds(t, &access, is_wide, chunk->words);
    else
        load_kind(t, &access, KIND_APART, is_wide, chunk->words);
    if (is_wide) {
        LLVMValueRef elements = chunk->words[0];
        chunk->words[0] = pair_word(t, elements, false, true);
        chunk->words[1] = pair_word(t, elements, true, true);
    }
    return chunk->words[word];
}

bool store_two(struct translator *t, const struct inst *inst, struct access access)
{
    LLVMValueRef words[2];
    if (!is_anywhere(t, &access) || t->may_exchange || (t->version == MASKED && !has_gathers(t)) ||
        !following_words(t, inst, 2, words))
        return false;
    t->stored = 1;
    LLVMValueRef elements = wide_from(t, words[0], words[1], true);
    struct fork fork = {0};
    if (access.may_be_row && has_twos(t, inst->group, WRITE)) {
        fork = begin_fork(t, LLVMBuildICmp(t->builder, LLVMIntEQ, access.kind, number32(t, KIND_TWOS), ""));
        store_row(t, elements, first_lane(t, &access));
        other_way(t, &fork);
    }
    if (access.may_be_row)
        part_row(t, &access);
    if (has_gathers(t))
        scatter_where(t, elements, word_pointers(t, &access, (uint32_t)access.offset), active_lanes(t));
    for (unsigned i = 0; !has_gathers(t) && i < t->lanes; i++) {
        LLVMValueRef element = LLVMBuildExtractElement(t->builder, elements, number32(t, i), "");
        store_to(t, element, lane_pointer(t, &access, NULL, i));
    }
    end_fork(t, &fork, NULL, NULL, 0);
    return true;
}
