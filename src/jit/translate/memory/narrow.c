/* Bytes and halves of each lane, several of them next to each other: pixels, vectors of halves, samples, structures.  They are loaded
 * and stored as parts of larger pieces: of rows, if lanes follow each other closely, else of up to sixteen bytes per lane. */
#include "jit/translate/memory/narrow.h"

#include "jit/translate/memory/access.h"

enum { WORDS = 4 }; /* of a piece */

/* ---- loads ---- */

struct chunk *kept_chunk(struct translator *t, uint32_t group, int64_t first, unsigned bytes)
{
    for (unsigned i = 0; i < CY_COUNT(t->chunks); i++) {
        struct chunk *chunk = &t->chunks[i];
        if (chunk->is_valid && chunk->group == group && chunk->first == first && chunk->bytes == bytes)
            return chunk;
    }
    return NULL;
}

struct chunk *keep_chunk(struct translator *t, uint32_t group, int64_t first, unsigned bytes)
{
    struct chunk *chunk = &t->chunks[t->next_chunk++ % CY_COUNT(t->chunks)];
    *chunk = (struct chunk){.is_valid = true, .group = group, .first = first, .bytes = bytes};
    return chunk;
}

void forget_chunks(struct translator *t)
{
    for (unsigned i = 0; i < CY_COUNT(t->chunks); i++)
        t->chunks[i].is_valid = false;
    t->loads.count = 0;
}

static LLVMValueRef reversed(struct translator *t, LLVMValueRef row)
{
    LLVMValueRef order[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        order[i] = number32(t, t->w - 1 - i);
    return LLVMBuildShuffleVector(t->builder, row, LLVMGetPoison(LLVMTypeOf(row)), LLVMConstVector(order, t->w), "");
}

/* Of every `from` elements of a vector, the first `to`; more of them are poison. */
static LLVMValueRef resized(struct translator *t, LLVMValueRef row, unsigned from, unsigned to)
{
    const unsigned size = LLVMGetVectorSize(LLVMTypeOf(row)) / from * to;
    LLVMValueRef order[4 * CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < size; i++)
        order[i] = i % to < from ? number32(t, i / to * from + i % to) : LLVMGetPoison(t->i32);
    return LLVMBuildShuffleVector(t->builder, row, LLVMGetPoison(LLVMTypeOf(row)), LLVMConstVector(order, size), "");
}

/* The same within blocks, which keep their size. */
static LLVMValueRef resized_within(struct translator *t, LLVMValueRef row, unsigned block, unsigned from, unsigned to)
{
    const unsigned size = LLVMGetVectorSize(LLVMTypeOf(row));
    LLVMValueRef order[4 * CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < size; i++) {
        const unsigned at = i % block / to * from + i % block % to;
        order[i] = i % block % to < from && at < block ? number32(t, i / block * block + at) : LLVMGetPoison(t->i32);
    }
    return LLVMBuildShuffleVector(t->builder, row, LLVMGetPoison(LLVMTypeOf(row)), LLVMConstVector(order, size), "");
}

static LLVMValueRef as_vector(struct translator *t, LLVMValueRef row, LLVMTypeRef element, unsigned count)
{
    return LLVMBuildBitCast(t->builder, row, LLVMVectorType(element, count), "");
}

static void halves_of(struct translator *t, LLVMValueRef row, LLVMValueRef *words)
{
    words[0] = pair_word(t, row, false, true);
    words[1] = pair_word(t, row, true, true);
}

static LLVMTypeRef row_type(struct translator *t, unsigned bytes)
{
    return bytes == 8 ? t->vi64 : LLVMVectorType(t->i32, t->w * bytes / 4);
}

void part_row_words(struct translator *t, LLVMValueRef row, unsigned bytes, LLVMValueRef *words)
{
    LLVMValueRef order[CY_JIT_MAX_STRIP];
    if (bytes == 8) {
        halves_of(t, row, words);
        return;
    }
    for (unsigned k = 0; k < bytes / 4; k++) {
        for (unsigned i = 0; i < t->w; i++)
            order[i] = number32(t, i * bytes / 4 + k);
        words[k] =
            LLVMBuildShuffleVector(t->builder, row, LLVMGetPoison(LLVMTypeOf(row)), LLVMConstVector(order, t->w), "");
    }
}

LLVMValueRef join_row_words(struct translator *t, LLVMValueRef *words, unsigned bytes)
{
    LLVMValueRef rows[2], order[WORDS * CY_JIT_MAX_STRIP];
    if (bytes == 4)
        return words[0];
    if (bytes == 8)
        return wide_from(t, words[0], words[1], true);
    for (unsigned i = 0; i < 2 * t->w; i++)
        order[i] = number32(t, i);
    for (unsigned k = 0; k < 2; k++)
        rows[k] =
            LLVMBuildShuffleVector(t->builder, words[2 * k], words[2 * k + 1], LLVMConstVector(order, 2 * t->w), "");
    for (unsigned i = 0; i < WORDS * t->w; i++)
        order[i] = number32(t, i % WORDS * t->w + i / WORDS);
    return LLVMBuildShuffleVector(t->builder, rows[0], rows[1], LLVMConstVector(order, WORDS * t->w), "");
}

/* The lanes' pieces follow each other: three bytes or halves of each are spread in steps that hosts have, words in groups of four
 * and then parts within these. */
static void load_row(struct translator *t, LLVMValueRef from, unsigned bytes, LLVMValueRef *words)
{
    LLVMValueRef row;
    switch (bytes) {
    case 1:
    case 2:
        row = load_from(t, LLVMVectorType(element_type(t, bytes), t->w), from);
        words[0] = LLVMBuildZExt(t->builder, row, t->vi32, "");
        return;
    case 3:
        row = resized(t, load_from(t, LLVMVectorType(t->i32, t->w / 4 * 3), from), 3, 4);
        row = resized_within(t, as_vector(t, row, t->i8, 4 * t->w), 16, 3, 4);
        words[0] = as_vector(t, row, t->i32, t->w);
        return;
    case 6:
        row = resized(t, load_from(t, LLVMVectorType(t->i32, t->w / 2 * 3), from), 3, 4);
        row = resized_within(t, as_vector(t, row, t->i16, 4 * t->w), 8, 3, 4);
        halves_of(t, as_vector(t, row, t->i64, t->w), words);
        return;
    default: part_row_words(t, load_from(t, row_type(t, bytes), from), bytes, words);
    }
}

void load_fours(struct translator *t, const struct places *places, int64_t first, LLVMValueRef *words)
{
    LLVMTypeRef four = LLVMVectorType(t->i32, 4);
    LLVMValueRef parts[4][CY_JIT_MAX_STRIP / 4];
    for (unsigned lane = 0; lane < t->w; lane += 4) {
        LLVMValueRef rows[4];
        for (unsigned i = 0; i < 4; i++)
            rows[i] = lane + i < t->lanes ? load_from(t, four, places->pointer(t, places->access, lane + i, first))
                                          : LLVMConstNull(four);
        transpose(t, rows);
        for (unsigned k = 0; k < 4; k++)
            parts[k][lane / 4] = rows[k];
    }
    for (unsigned k = 0; k < 4; k++)
        words[k] = joined(t, parts[k], t->w / 4);
}

/* Four or eight bytes of each lane. */
static void load_each(struct translator *t, const struct places *places, int64_t first, unsigned bytes,
                      LLVMValueRef *words)
{
    LLVMTypeRef element = bytes == 4 ? t->i32 : t->i64, type = LLVMVectorType(element, t->w);
    LLVMValueRef row = t->lanes == t->w ? LLVMGetPoison(type) : LLVMConstNull(type);
    for (unsigned i = 0; i < t->lanes; i++) {
        LLVMValueRef piece = load_from(t, element, places->pointer(t, places->access, i, first));
        row = LLVMBuildInsertElement(t->builder, row, piece, number32(t, i), "");
    }
    words[0] = row;
    if (bytes > 4)
        halves_of(t, row, words);
}

/* How many accesses the group has in these bytes; of each lane, counted from the group's first one. */
static unsigned accesses_in(const struct translator *t, uint32_t number, int64_t first, int64_t bytes)
{
    const struct cy_jit_group *group = &t->groups.at[number];
    unsigned count = 0;
    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        const struct cy_jit_access *access = &t->accesses.at[i];
        const int64_t at = access->offset - group->low;
        count += at < first + bytes && first < at + access->size * (int64_t)access->words;
    }
    return count;
}

/* The piece with an access: its first byte, and how many it has; 0: there is none. */
struct piece {
    int64_t first;
    unsigned bytes;
    bool is_row;
};

static struct piece piece_with(const struct translator *t, const struct places *places, unsigned size)
{
    const int64_t at = places->at, step = places->stride < 0 ? -places->stride : places->stride;
    const bool is_close = (step && step <= 4) || step == 6 || step == 8 || step == 12 || step == 16;
    if (t->w >= 4 && is_close && (places->stride > 0 || t->lanes == t->w)) {
        const struct piece row = {at / step * step, (unsigned)step, true};
        if (at - row.first + size <= step && row.first + step <= places->readable)
            return row;
    }
    unsigned words = 0;
    for (int64_t k = 0; k < WORDS; k++)
        words += accesses_in(t, places->group, (at & ~15ll) + 4 * k, 4) > 0;
    if (t->w >= 4 && !t->is_long && words > 2 && (at & ~15ll) + 16 <= places->readable)
        return (struct piece){at & ~15ll, 16, false};
    if (t->is_long || places->are_gathered)
        return (struct piece){0};
    if (accesses_in(t, places->group, at & ~7ll, 4) && accesses_in(t, places->group, (at & ~7ll) + 4, 4) &&
        (at & ~7ll) + 8 <= places->readable)
        return (struct piece){at & ~7ll, 8, false};
    if (accesses_in(t, places->group, at & ~3ll, 4) > 1 && (at & ~3ll) + 4 <= places->readable)
        return (struct piece){at & ~3ll, 4, false};
    return (struct piece){0};
}

LLVMValueRef load_narrow(struct translator *t, const struct places *places, unsigned size, bool zero_extend)
{
    const struct piece piece = piece_with(t, places, size);
    const unsigned in_piece = (unsigned)(places->at - piece.first);
    if (!piece.bytes || in_piece % 4 + size > 4)
        return NULL;
    struct chunk *chunk = kept_chunk(t, places->group, piece.first, piece.bytes);
    if (!chunk) {
        const int64_t from_here = piece.first - places->at;
        chunk = keep_chunk(t, places->group, piece.first, piece.bytes);
        if (piece.is_row) {
            const unsigned lowest = places->stride < 0 ? t->w - 1 : 0;
            load_row(t, places->pointer(t, places->access, lowest, from_here), piece.bytes, chunk->words);
        } else if (piece.bytes == 16) {
            load_fours(t, places, from_here, chunk->words);
        } else {
            load_each(t, places, from_here, piece.bytes, chunk->words);
        }
        for (unsigned k = 0; piece.is_row && places->stride < 0 && k < (piece.bytes + 3) / 4; k++)
            chunk->words[k] = reversed(t, chunk->words[k]);
    }
    return part_of_words(t, chunk->words, in_piece, size, zero_extend);
}

LLVMValueRef part_of_words(struct translator *t, const LLVMValueRef *words, unsigned at, unsigned size,
                           bool zero_extend)
{
    LLVMTypeRef row = LLVMVectorType(element_type(t, size), t->w);
    LLVMValueRef shift = splat(t, number32(t, 8 * (at % 4)));
    LLVMValueRef bits = LLVMBuildLShr(t->builder, words[at / 4], shift, "");
    return extended(t, LLVMBuildTrunc(t->builder, bits, row, ""), zero_extend, t->vi32);
}

bool find_narrow_row(const struct translator *t, const struct places *places, unsigned size, struct narrow_row *row)
{
    const struct piece piece = piece_with(t, places, size);
    *row = (struct narrow_row){.first = piece.first, .bytes = piece.bytes};
    const bool is_power = piece.bytes == 4 || piece.bytes == 8 || piece.bytes == 16;
    return piece.is_row && places->stride > 0 && is_power && (places->at - piece.first) % 4 + size <= 4;
}

LLVMValueRef load_narrow_row(struct translator *t, const struct places *places, const struct narrow_row *row)
{
    return load_from(t, row_type(t, row->bytes), places->pointer(t, places->access, 0, row->first - places->at));
}

/* ---- stores ---- */

bool is_passable(const struct inst *inst)
{
    const struct cy_insn_info *row = row_of(inst);
    return !inst->is_interpreted && !is_access(inst) && !(row->flags & (CY_F_LOAD | CY_F_STORE | CY_F_ATOMIC)) &&
           (row->is_expression || row->format == CY_FORMAT_U) && row->format != CY_FORMAT_BRANCH &&
           row->format != CY_FORMAT_VB;
}

static bool stores_bytes(const struct translator *t, const struct places *places)
{
    const int64_t step = places->stride < 0 ? -places->stride : places->stride;
    return has_gathers(t) && t->version == FULL && t->lanes == t->w && (step == 2 || step == 4 || step == 8);
}

/* How many stores from this one on can be done with the last of them: what is loaded in between, if anything, are other bytes, and none of
 * their own, of any lane, is stored twice. */
static unsigned run_length(struct translator *t, const struct inst *inst, const struct places *places)
{
    const struct block *block = &t->blocks.at[inst->block];
    const int64_t step = places->stride < 0 ? -places->stride : places->stride, at = access_offset(inst);
    struct stores *run = &t->stores;
    int64_t low = at, high = at, ends[MOST_STORES][2];
    unsigned count = 0, narrow = 0, loads = 0;
    run->load_count = 0;
    for (const struct inst *next = inst;; next = &t->insts[next->next]) {
        const bool is_store = row_of(next)->flags & CY_F_STORE;
        const bool is_own = is_access(next) && next->group == inst->group;
        if (is_own && !next->is_interpreted) {
            const int64_t first = access_offset(next), end = first + access_size(next);
            bool fits = next->words == 1 && count < MOST_STORES &&
                        (is_store ? row_of(next)->format == row_of(inst)->format : step > 0);
            for (unsigned i = 0; fits && i < count; i++)
                fits = end <= ends[i][0] || ends[i][1] <= first;
            low = first < low ? first : low;
            high = end > high ? end : high;
            if (!fits || (step && high - low > step))
                break;
            if (is_store) {
                run->load_count = loads; /* what comes after the last store stays there */
                ends[count][0] = first;
                ends[count++][1] = end;
                narrow += access_size(next) < 4;
            }
        } else if (!is_passable(next)) {
            if (is_store || !step || !places->may_go_first || loads == MOST_STORES ||
                !places->may_go_first(t, inst, next))
                break;
            run->loads[loads++] = next;
        }
        if (next == &t->insts[block->last] || next->next == NONE)
            break;
    }
    return narrow > !stores_bytes(t, places) ? count : 0;
}

/* The words of bytes that follow each other, from those of stores[first] on; returns the number of bytes, and *next becomes the number
 * of the first store that is not one of them. */
static unsigned join_stores(struct translator *t, const struct stores *run, unsigned first, unsigned *next,
                            LLVMValueRef *words)
{
    unsigned bytes = 0;
    for (*next = first; *next < run->count && run->at[*next].at == run->at[first].at + bytes; ++*next) {
        const struct narrow_store *store = &run->at[*next];
        const unsigned bits = 8 * (bytes % 4), all = 8 * store->size;
        LLVMValueRef data = LLVMBuildAnd(t->builder, store->data, splat(t, number32(t, UINT32_MAX >> (32 - all))), "");
        LLVMValueRef low = bits ? LLVMBuildShl(t->builder, data, splat(t, number32(t, bits)), "") : data;
        words[bytes / 4] = bits ? LLVMBuildOr(t->builder, words[bytes / 4], low, "") : low;
        if (bits + all > 32)
            words[bytes / 4 + 1] = LLVMBuildLShr(t->builder, data, splat(t, number32(t, 32 - bits)), "");
        bytes += store->size;
    }
    return bytes;
}

/* All bytes of lanes that follow each other. */
static bool store_dense(struct translator *t, const struct places *places, int64_t from_here, unsigned bytes,
                        LLVMValueRef *words)
{
    const bool is_power = bytes == 2 || bytes == 4 || bytes == 8;
    const bool is_full = t->version == FULL && t->lanes == t->w;
    LLVMValueRef rows[3], row;
    if ((places->stride != bytes && places->stride != -(int64_t)bytes) || t->w < 4 ||
        !(is_full ? is_power || bytes == 3 || bytes == 6 : is_power && places->stride > 0))
        return false;
    for (unsigned k = 0; k < (bytes + 3) / 4; k++)
        rows[k] = places->stride < 0 ? reversed(t, words[k]) : words[k];
    LLVMValueRef to = places->pointer(t, places->access, places->stride < 0 ? t->w - 1 : 0, from_here);
    if (bytes == 3) {
        row = resized_within(t, as_vector(t, rows[0], t->i8, 4 * t->w), 16, 4, 3);
        store_to(t, resized(t, as_vector(t, row, t->i32, t->w), 4, 3), to);
        return true;
    }
    row = bytes == 2 ? LLVMBuildTrunc(t->builder, rows[0], LLVMVectorType(t->i16, t->w), "") : rows[0];
    row = bytes > 4 ? wide_from(t, rows[0], rows[1], true) : row;
    if (bytes == 6) {
        row = resized_within(t, as_vector(t, row, t->i16, 4 * t->w), 8, 4, 3);
        store_to(t, resized(t, as_vector(t, row, t->i32, 2 * t->w), 4, 3), to);
    } else if (t->version == MASKED) {
        store_masked_row(t, row, to);
    } else {
        store_row(t, row, to);
    }
    return true;
}

/* Some bytes of lanes that follow each other closely: hosts that store under masks do so for bytes, too. */
static bool store_some_bytes(struct translator *t, const struct places *places, int64_t from_here, unsigned bytes,
                             LLVMValueRef *words)
{
    const unsigned step = (unsigned)(places->stride < 0 ? -places->stride : places->stride), count = step * t->w;
    LLVMValueRef row = words[0], mask[8 * CY_JIT_MAX_STRIP];
    if (!stores_bytes(t, places) || bytes >= step)
        return false;
    if (step == 8)
        row = wide_from(t, words[0], bytes > 4 ? words[1] : LLVMConstNull(t->vi32), true);
    else if (step == 2)
        row = LLVMBuildTrunc(t->builder, row, LLVMVectorType(t->i16, t->w), "");
    row = as_vector(t, places->stride < 0 ? reversed(t, row) : row, t->i8, count);
    for (unsigned i = 0; i < count; i++)
        mask[i] = LLVMConstInt(t->i1, i % step < bytes, false);
    LLVMValueRef to = places->pointer(t, places->access, places->stride < 0 ? t->w - 1 : 0, from_here);
    store_where(t, row, to, 1, LLVMConstVector(mask, count));
    return true;
}

/* Lane by lane, as few pieces as there can be. */
static void store_pieces(struct translator *t, const struct places *places, int64_t from_here, unsigned bytes,
                         LLVMValueRef *words)
{
    enum { MOST = MOST_STORES + 4 };
    struct {
        LLVMValueRef rows[4];
        unsigned at, bytes;
    } pieces[MOST];
    unsigned count = 0;
    for (unsigned at = 0; at < bytes; at += pieces[count++].bytes) {
        LLVMValueRef *from = &words[at / 4], *rows = pieces[count].rows;
        unsigned size = 16;
        while (size > bytes - at || (size > 8 && t->w < 4))
            size /= 2;
        pieces[count].at = at;
        pieces[count].bytes = size;
        for (unsigned k = 0; k < (size + 3) / 4; k++)
            rows[k] = from[k];
        if (size == 16)
            transpose(t, rows);
        else if (size == 8)
            rows[0] = wide_from(t, rows[0], rows[1], true);
        else if (at % 4)
            rows[0] = LLVMBuildLShr(t->builder, rows[0], splat(t, number32(t, 8 * (at % 4))), "");
        if (size < 4)
            rows[0] = LLVMBuildTrunc(t->builder, rows[0], LLVMVectorType(element_type(t, size), t->w), "");
    }
    LLVMValueRef bits = active_bits(t);
    for (unsigned i = 0; i < t->lanes; i++) {
        LLVMBasicBlockRef on = begin_lane(t, bits, i);
        for (unsigned k = 0; k < count; k++) {
            LLVMValueRef *rows = pieces[k].rows;
            LLVMValueRef piece = pieces[k].bytes == 16
                                     ? part_of(t, rows[i % 4], i & ~3u, 4)
                                     : LLVMBuildExtractElement(t->builder, rows[0], number32(t, i), "");
            store_to(t, piece, places->pointer(t, places->access, i, from_here + pieces[k].at));
        }
        end_lane(t, on);
    }
}

void end_stores(struct translator *t, const struct places *places)
{
    struct stores *run = &t->stores;
    LLVMValueRef words[MOST_STORES + 4];
    for (unsigned i = 1; i < run->count; i++) { /* by address */
        const struct narrow_store store = run->at[i];
        unsigned k = i;
        for (; k && run->at[k - 1].at > store.at; k--)
            run->at[k] = run->at[k - 1];
        run->at[k] = store;
    }
    for (unsigned first = 0, next; first < run->count; first = next) {
        const int64_t from_here = run->at[first].at - places->at;
        const unsigned bytes = join_stores(t, run, first, &next, words);
        if (!store_dense(t, places, from_here, bytes, words) && !store_some_bytes(t, places, from_here, bytes, words))
            store_pieces(t, places, from_here, bytes, words);
    }
}

LLVMValueRef ranges_apart(struct translator *t, LLVMValueRef a, uint64_t a_length, LLVMValueRef b, uint64_t b_length)
{
    LLVMValueRef up = LLVMBuildSub(t->builder, b, a, ""), down = LLVMBuildSub(t->builder, a, b, "");
    LLVMValueRef above = LLVMBuildICmp(t->builder, LLVMIntUGE, up, LLVMConstInt(t->i64, a_length, false), "");
    LLVMValueRef below = LLVMBuildICmp(t->builder, LLVMIntUGE, down, LLVMConstInt(t->i64, b_length, false), "");
    return LLVMBuildAnd(t->builder, above, below, "");
}

bool defer_store(struct translator *t, struct inst *inst, const struct places *places, LLVMValueRef data)
{
    struct stores *run = &t->stores;
    if (!run->left) {
        const bool is_spread = places->stride || !t->may_exchange;
        run->left = is_spread && !t->is_long ? run_length(t, inst, places) : 0;
        run->count = 0;
        run->are_apart = NULL;
    }
    if (!run->left)
        return false;
    run->at[run->count++] =
        (struct narrow_store){.at = places->at, .size = access_size(inst), .data = data, .inst = inst};
    run->left--;
    return true;
}
