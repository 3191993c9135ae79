/* Several words, or parts of words, of each lane, moved as one element: forms narrow, pair and chunk.  What was loaded is kept until the
 * next store, for the other words. */
#include "jit/lower/access.h"

#include "jit/translate/memory/narrow.h"

enum { CHUNK_BYTES = 16, NO_OTHERS = 0 }; /* the latter: a length that is not the translator's for parts of words */

static struct places places_of(const struct lower *l, const struct move *m, const struct near *near)
{
    const bool is_even = m->address.kind == CY_SIR_SHAPE_EVEN;
    return (struct places){.access = near,
                           .pointer = near_pointer,
                           .group = m->access->group,
                           .stride = is_even ? m->address.stride : 0,
                           .at = m->access->offset - m->group->low,
                           .readable = INT32_MAX, /* see the window's guard */
                           .are_gathered = has_gathers(l->t) && !is_even};
}

/* ---- loads ---- */

/* Elements of two words, which hosts gather as fast as words. */
LLVMValueRef lower_pair_load(struct lower *l, const struct move *m)
{
    struct translator *t = l->t;
    const int64_t at = m->access->offset - m->group->low;
    const unsigned is_high = at / 4 & 1;
    struct chunk *chunk = kept_chunk(t, m->access->group, at & ~7ll, 8);
    if (!chunk) {
        LLVMValueRef pointers = word_pointers(t, &m->lanes, (uint32_t)m->lanes.offset - 4 * is_high);
        LLVMValueRef row = gather_where(t, t->vi64, pointers, 4, lower_mask(l, m->insn->mask));
        chunk = keep_chunk(t, m->access->group, at & ~7ll, 8);
        for (unsigned k = 0; k < 2; k++)
            chunk->words[k] = pair_word(t, row, k, true);
    }
    return chunk->words[is_high];
}

/* Sixteen bytes of each lane, transposed.  The last words may belong to nobody. */
LLVMValueRef lower_chunk_load(struct lower *l, const struct move *m)
{
    struct translator *t = l->t;
    const int64_t at = m->access->offset - m->group->low;
    const unsigned word = (unsigned)(at / 4 % 4);
    struct chunk *chunk = kept_chunk(t, m->access->group, at & ~15ll, NO_OTHERS);
    if (!chunk) {
        const struct near near = {&m->lanes, m->lowest};
        const struct places places = places_of(l, m, &near);
        chunk = keep_chunk(t, m->access->group, at & ~15ll, NO_OTHERS);
        load_fours(t, &places, -4 * (int64_t)word, chunk->words);
    }
    return chunk->words[word];
}

/* A part of larger pieces; NULL: it is better loaded alone. */
LLVMValueRef lower_narrow_load(struct lower *l, const struct move *m)
{
    const struct near near = {&m->lanes, m->lowest};
    const struct places places = places_of(l, m, &near);
    LLVMValueRef row = load_narrow(l->t, &places, m->access->bytes, true);
    return row ? LLVMBuildTrunc(l->t->builder, row, m->row, "") : NULL;
}

/* ---- stores ---- */

static unsigned element_bytes(const struct move *m)
{
    return m->access->form == CY_SIR_FORM_CHUNK ? CHUNK_BYTES : m->access->form == CY_SIR_FORM_PAIR ? 8 : 4;
}

/* The words of the element, of parts that were given before. */
static void join_parts(struct lower *l, const struct elements *run, LLVMValueRef *words)
{
    LLVMBuilderRef b = l->t->builder;
    for (unsigned i = 0; i < run->count; i++) {
        LLVMValueRef part = run->data[i], *word = &words[run->at[i] / 4];
        if (LLVMTypeOf(part) != l->t->vi32)
            part = LLVMBuildZExt(b, part, l->t->vi32, "");
        if (run->at[i] % 4)
            part = LLVMBuildShl(b, part, splat(l->t, number32(l->t, 8 * (run->at[i] % 4))), "");
        *word = *word ? LLVMBuildOr(b, *word, part, "") : part;
    }
}

static void store_element(struct lower *l, const struct move *m, struct access first, LLVMValueRef *words)
{
    struct translator *t = l->t;
    const unsigned bytes = element_bytes(m);
    const struct near near = {&first, m->lowest};
    const struct places places = places_of(l, m, &near);
    const bool is_row = m->address.kind == CY_SIR_SHAPE_EVEN && m->address.stride == bytes;
    if (is_row && bytes < CHUNK_BYTES) {
        LLVMValueRef row = join_row_words(t, words, bytes), pointer = at_offset(t, m->lowest, first.offset);
        if (m->is_full)
            store_row(t, row, pointer);
        else
            store_masked_row(t, row, pointer);
    } else if (bytes == CHUNK_BYTES) {
        store_chunk_lanes(t, &places, words, 1, false);
    } else {
        LLVMValueRef pointers = word_pointers(t, &first, (uint32_t)first.offset);
        scatter_where(t, wide_from(t, words[0], words[1], true), pointers, lower_mask(l, m->insn->mask));
    }
}

/* With the last of its parts. */
void lower_element_store(struct lower *l, const struct move *m, LLVMValueRef row)
{
    struct elements *run = &l->elements;
    run->at[run->count] = run->bytes;
    run->data[run->count++] = row;
    run->bytes += m->access->bytes;
    if (run->bytes < element_bytes(m))
        return;
    LLVMValueRef words[4] = {0};
    struct access first = m->lanes;
    first.offset -= run->bytes - m->access->bytes;
    join_parts(l, run, words);
    store_element(l, m, first, words);
    *run = (struct elements){0};
}
