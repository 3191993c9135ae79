/* Accesses to several words of each lane: three or four words of the same sixteen bytes are accessed at once, and the lanes' words
 * transposed in registers. */
#include "jit/translate/memory/access.h"

LLVMValueRef part_of(struct translator *t, LLVMValueRef row, unsigned first, unsigned count)
{
    LLVMValueRef order[CY_JIT_MAX_STRIP];
    if (count == LLVMGetVectorSize(LLVMTypeOf(row)))
        return row;
    for (unsigned i = 0; i < count; i++)
        order[i] = number32(t, first + i);
    return LLVMBuildShuffleVector(t->builder, row, row, LLVMConstVector(order, count), "");
}

/* Of every four words of two vectors, 0 to 3 of the one and 4 to 7 of the other: these. */
static LLVMValueRef shuffle(struct translator *t, LLVMValueRef a, LLVMValueRef b, unsigned first, unsigned second,
                            unsigned third, unsigned fourth)
{
    const unsigned words[] = {first, second, third, fourth}, size = LLVMGetVectorSize(LLVMTypeOf(a));
    LLVMValueRef order[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < size; i++) {
        const unsigned word = words[i % 4];
        order[i] = number32(t, (i & ~3u) + (word < 4 ? word : size + word - 4));
    }
    return LLVMBuildShuffleVector(t->builder, a, b, LLVMConstVector(order, size), "");
}

void transpose(struct translator *t, LLVMValueRef *rows)
{
    LLVMValueRef low[2], high[2];
    for (unsigned i = 0; i < 2; i++) {
        low[i] = shuffle(t, rows[2 * i], rows[2 * i + 1], 0, 4, 1, 5);
        high[i] = shuffle(t, rows[2 * i], rows[2 * i + 1], 2, 6, 3, 7);
    }
    rows[0] = cy_jit_broken(CHUNK) ? shuffle(t, low[0], low[1], 0, 1, 6, 5) : shuffle(t, low[0], low[1], 0, 1, 4, 5);
    rows[1] = shuffle(t, low[0], low[1], 2, 3, 6, 7);
    rows[2] = shuffle(t, high[0], high[1], 0, 1, 4, 5);
    rows[3] = shuffle(t, high[0], high[1], 2, 3, 6, 7);
}

LLVMValueRef joined(struct translator *t, LLVMValueRef *parts, unsigned count)
{
    LLVMValueRef order[CY_JIT_MAX_STRIP];
    for (unsigned size = LLVMGetVectorSize(LLVMTypeOf(parts[0])); count > 1; size *= 2, count /= 2)
        for (unsigned i = 0; i < count / 2; i++) {
            for (unsigned k = 0; k < 2 * size; k++)
                order[k] = number32(t, k);
            parts[i] = LLVMBuildShuffleVector(t->builder, parts[2 * i], parts[2 * i + 1],
                                              LLVMConstVector(order, 2 * size), "");
        }
    return parts[0];
}

struct fork begin_fork(struct translator *t, LLVMValueRef condition)
{
    if (!condition)
        return (struct fork){0};
    LLVMBasicBlockRef usual = new_block(t, "usual");
    struct fork fork = {.other = new_block(t, "other")};
    fork.done = new_block(t, "joined");
    make_rare(t, LLVMBuildCondBr(t->builder, condition, usual, fork.other), false);
    LLVMPositionBuilderAtEnd(t->builder, usual);
    return fork;
}

void other_way(struct translator *t, struct fork *fork)
{
    fork->end = LLVMGetInsertBlock(t->builder);
    LLVMBuildBr(t->builder, fork->done);
    LLVMPositionBuilderAtEnd(t->builder, fork->other);
}

void end_fork(struct translator *t, const struct fork *fork, LLVMValueRef *first, LLVMValueRef *second, unsigned count)
{
    LLVMBasicBlockRef ends[] = {fork->end, LLVMGetInsertBlock(t->builder)};
    if (!fork->done)
        return;
    LLVMBuildBr(t->builder, fork->done);
    LLVMPositionBuilderAtEnd(t->builder, fork->done);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef values[] = {first[i], second[i]};
        first[i] = LLVMBuildPhi(t->builder, LLVMTypeOf(values[0]), "");
        LLVMAddIncoming(first[i], values, ends, 2);
    }
}

enum { MOST_CHUNKS = 4, WORDS_OF_LINE = 0 }; /* the latter: of no length that narrow.c has */

bool following_words(struct translator *t, const struct inst *inst, unsigned words, LLVMValueRef *rows)
{
    const struct inst *next = inst;
    for (unsigned i = 0; i < words; i++) {
        if (next->insn.op != inst->insn.op || next->words > 1 || next->space != inst->space ||
            next->block != inst->block || next->group != inst->group ||
            field(next, CY_FIELD_vs1) != field(inst, CY_FIELD_vs1) ||
            access_offset(next) != access_offset(inst) + 4 * (int32_t)i || next->next == NONE)
            return false;
        next = &t->insts[next->next];
    }
    next = inst;
    for (unsigned i = 0; i < words; i++, next = &t->insts[next->next])
        rows[i] = vector_of(t, read_v(t, data_register(next)));
    return true;
}

/* Are these words halves of 64-bit elements? */
static bool are_halves(const struct translator *t, const struct inst *inst, unsigned words)
{
    for (unsigned i = 0; i < words; i++, inst = &t->insts[inst->next])
        if (!is_half(t, data_register(inst), i))
            return false;
    return true;
}

/* Is it worth asking whether addresses overflow?  Not where each lane's address is an addition anyway. */
static LLVMValueRef straight_line(const struct translator *t, const struct inst *inst, const struct access *access)
{
    return access->is_line && t->host->adds_in_accesses ? t->group_is_straight[inst->group] : NULL;
}

LLVMBasicBlockRef begin_lane(struct translator *t, LLVMValueRef bits, unsigned lane)
{
    if (t->version != MASKED)
        return NULL;
    LLVMBasicBlockRef active = new_block(t, "active"), on = new_block(t, "on");
    LLVMValueRef bit = LLVMBuildAnd(t->builder, bits, number32(t, 1u << lane), "");
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, bit, number32(t, 0), ""), active, on);
    LLVMPositionBuilderAtEnd(t->builder, active);
    return on;
}

void end_lane(struct translator *t, LLVMBasicBlockRef on)
{
    if (!on)
        return;
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

LLVMValueRef near_pointer(struct translator *t, const void *access, unsigned lane, int64_t from_it)
{
    const struct near *near = access;
    struct access at = *near->access;
    at.offset += from_it;
    return lane_pointer(t, &at, near->group, lane);
}

/* The same of two 64-bit elements. */
static void store_wide_lanes(struct translator *t, const struct places *places, LLVMValueRef *words, unsigned chunks)
{
    LLVMValueRef rows[MOST_CHUNKS], order[2 * CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < 2 * t->w; i++)
        order[i] = number32(t, i / 2 + i % 2 * t->w);
    for (unsigned c = 0; c < chunks; c++) {
        LLVMValueRef first = wide_from(t, words[4 * c], words[4 * c + 1], true);
        LLVMValueRef second = wide_from(t, words[4 * c + 2], words[4 * c + 3], true);
        rows[c] = LLVMBuildShuffleVector(t->builder, first, second, LLVMConstVector(order, 2 * t->w), "");
    }
    LLVMValueRef bits = active_bits(t);
    for (unsigned i = 0; i < t->lanes; i++) {
        LLVMBasicBlockRef on = begin_lane(t, bits, i);
        for (unsigned c = 0; c < chunks; c++) {
            LLVMValueRef data = part_of(t, rows[c], 2 * i, 2);
            store_to(t, data, places->pointer(t, places->access, i, 16 * (int64_t)c));
        }
        end_lane(t, on);
    }
}

void store_chunk_lanes(struct translator *t, const struct places *places, LLVMValueRef *words, unsigned chunks,
                       bool is_wide)
{
    LLVMValueRef rows[MOST_CHUNKS][4];
    if (is_wide) {
        store_wide_lanes(t, places, words, chunks);
        return;
    }
    const unsigned at_once = register_bits(t) / 32 < t->w ? register_bits(t) / 32 : t->w;
    LLVMValueRef bits = active_bits(t);
    for (unsigned first = 0; first < t->lanes; first += at_once) {
        for (unsigned c = 0; c < chunks; c++) {
            for (unsigned k = 0; k < 4; k++)
                rows[c][k] = part_of(t, words[4 * c + k], first, at_once);
            transpose(t, rows[c]);
        }
        for (unsigned i = 0; i < at_once && first + i < t->lanes; i++) {
            LLVMBasicBlockRef on = begin_lane(t, bits, first + i);
            for (unsigned c = 0; c < chunks; c++) {
                LLVMValueRef data = part_of(t, rows[c][i % 4], i & ~3u, 4);
                store_to(t, data, places->pointer(t, places->access, first + i, 16 * (int64_t)c));
            }
            end_lane(t, on);
        }
    }
}

/* Four words of each lane are one store, if lanes do not overlap, or do not see each other's words.  Elements of up to sixteen words
 * are stored one after the other, so that processors see a stream. */
static bool store_chunks(struct translator *t, const struct inst *inst, struct access access, LLVMValueRef group)
{
    const int32_t stride = access.base.class.kind == AFFINE ? (int32_t)access.base.class.stride : 0;
    LLVMValueRef words[4 * MOST_CHUNKS];
    const bool is_apart = access.is_affine && (stride >= 16 || stride <= -16);
    const bool is_anywhere = access.base.class.kind == VECTOR && !access.is_table && !access.may_be_row;
    if (access.size != 4 || t->is_long || t->w < 4 || !(is_apart || (is_anywhere && !t->may_exchange)))
        return false;
    unsigned chunks = stride % 16 == 0 && stride > 0 && stride / 16 <= MOST_CHUNKS ? (unsigned)stride / 16 : 1;
    if (!following_words(t, inst, 4 * chunks, words)) {
        chunks = 1;
        if (!following_words(t, inst, 4, words))
            return false;
    }
    t->stored = 4 * chunks - 1;
    const bool is_wide = are_halves(t, inst, 4 * chunks);
    LLVMValueRef is_straight = straight_line(t, inst, &access);
    const struct near near = {&access, group};
    const struct places places = {.access = &near, .pointer = near_pointer};
    struct fork fork = begin_fork(t, is_straight);
    if (is_straight) {
        access.is_straight = true;
        store_chunk_lanes(t, &places, words, chunks, is_wide);
        access.is_straight = false;
        other_way(t, &fork);
    }
    store_chunk_lanes(t, &places, words, chunks, is_wide);
    end_fork(t, &fork, NULL, NULL, 0);
    return true;
}

bool store_records(struct translator *t, const struct inst *inst, const struct access *access, LLVMValueRef group)
{
    const unsigned words = record_words(access);
    LLVMValueRef rows[4], lanes[4 * CY_JIT_MAX_STRIP], halves[2];
    if (!t->emit || is_private(inst) || row_of(inst)->format != CY_FORMAT_VS12 || inst->words > 1)
        return false;
    if ((!words || words == 4) && (store_chunks(t, inst, *access, group) || store_two(t, inst, *access)))
        return true;
    if (t->version == MASKED) {
        if (words != 2 || t->is_long || t->w < 4 || !following_words(t, inst, words, rows))
            return false;
        t->stored = words - 1;
        store_masked_row(t, wide_from(t, rows[0], rows[1], true), at_offset(t, group, access->offset));
        return true;
    }
    if (!words || (words > 2 && t->lanes != t->w) || !following_words(t, inst, words, rows))
        return false;
    t->stored = words - 1;
    if (words == 2) {
        LLVMValueRef row = wide_from(t, rows[0], rows[1], true);
        store_row(t, row, at_offset(t, group, access->offset));
        return true;
    }
    for (unsigned i = 0; i < 2 * t->w; i++)
        lanes[i] = number32(t, i);
    rows[3] = words > 3 ? rows[3] : LLVMGetPoison(t->vi32);
    for (unsigned i = 0; i < 2; i++)
        halves[i] =
            LLVMBuildShuffleVector(t->builder, rows[2 * i], rows[2 * i + 1], LLVMConstVector(lanes, 2 * t->w), "");
    for (unsigned i = 0; i < words * t->w; i++)
        lanes[i] = number32(t, i % words * t->w + i / words);
    LLVMValueRef all =
        LLVMBuildShuffleVector(t->builder, halves[0], halves[1], LLVMConstVector(lanes, words * t->w), "");
    store_to(t, all, at_offset(t, group, access->offset));
    return true;
}

unsigned in_chunk(const struct translator *t, const struct inst *inst, const struct access *access, uint32_t offset)
{
    const struct cy_jit_group *group = &t->groups.at[inst->group];
    const bool is_one = access->is_affine && (access->base.class.kind == UNIFORM || is_consecutive(access));
    const uint32_t at = offset - (uint32_t)group->low;
    if (access->size != 4 || at & 3 || is_private(inst) || is_one || access->is_table || t->is_long || t->w < 4 ||
        record_words(access) == 2 || record_words(access) == 3) /* hosts have instructions for these */
        return 4;
    unsigned words = 0; /* a set */
    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        const struct cy_jit_access *other = &t->accesses.at[i];
        for (uint32_t k = 0; other->size == 4 && k < other->words; k++)
            if (((uint32_t)(other->offset - group->low) + 4 * k) / 16 == at / 16)
                words |= 1u << ((uint32_t)(other->offset - group->low) / 4 + k) % 4;
    }
    return __builtin_popcount(words) > 2 ? at / 4 % 4 : 4;
}

/* Of vectors of two 64-bit elements: one of each. */
static LLVMValueRef two_of(struct translator *t, LLVMValueRef a, LLVMValueRef b, unsigned element)
{
    LLVMValueRef order[] = {number32(t, element), number32(t, 2 + element)};
    return LLVMBuildShuffleVector(t->builder, a, b, LLVMConstVector(order, 2), "");
}

void load_twos(struct translator *t, const struct places *places, LLVMValueRef *words)
{
    LLVMTypeRef two = LLVMVectorType(t->i64, 2);
    LLVMValueRef parts[2][CY_JIT_MAX_STRIP / 2];
    for (unsigned first = 0; first < t->w; first += 2) {
        LLVMValueRef rows[2];
        for (unsigned i = 0; i < 2; i++)
            rows[i] = first + i < t->lanes ? load_from(t, two, places->pointer(t, places->access, first + i, 0))
                                           : LLVMConstNull(two);
        for (unsigned k = 0; k < 2; k++)
            parts[k][first / 2] = two_of(t, rows[0], rows[1], k);
    }
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef row = joined(t, parts[k], t->w / 2);
        words[2 * k] = pair_word(t, row, false, true);
        words[2 * k + 1] = pair_word(t, row, true, true);
    }
}

/* A load of four words for each lane, which hosts do as fast as one of a word.  The last words may belong to nobody. */
static void load_four(struct translator *t, const struct access *access, LLVMValueRef group, bool is_wide,
                      LLVMValueRef *words)
{
    const struct near near = {access, group};
    const struct places places = {.access = &near, .pointer = near_pointer};
    if (is_wide)
        load_twos(t, &places, words);
    else
        load_fours(t, &places, 0, words);
}

/* Lanes that change rows of their own, word after word, are as many streams, more than processors see: when they get to another line
 * of the cache, one behind it is asked for.  Loops that only read such rows took up to a tenth longer so. */
static void prefetch_lines(struct translator *t, const struct inst *inst, struct access access, LLVMValueRef lanes)
{
    enum { LINE = 64, AHEAD = 2, LOCALITY = 3, DATA = 1 };
    const struct cy_jit_group *group = &t->groups.at[inst->group];
    if (!t->looping[t->at] || inst->access != group->first || !(group->rights & WRITE))
        return;
    LLVMBasicBlockRef fetch = new_block(t, "fetch"), on = new_block(t, "on");
    LLVMValueRef at = LLVMBuildAdd(t->builder, access.base.scalar, number32(t, (uint32_t)group->low), "");
    LLVMValueRef in_line = LLVMBuildAnd(t->builder, at, number32(t, LINE - 1), "");
    LLVMValueRef length = number32(t, (uint32_t)(group->high - group->low));
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntULT, in_line, length, ""), fetch, on);
    LLVMPositionBuilderAtEnd(t->builder, fetch);
    access.offset += AHEAD * LINE;
    for (unsigned i = 0; i < t->lanes; i++) {
        LLVMValueRef args[] = {lane_pointer(t, &access, lanes, i), number32(t, 0), number32(t, LOCALITY),
                               number32(t, DATA)};
        intrinsic(t, "llvm.prefetch", t->ptr, args, CY_COUNT(args));
    }
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

LLVMValueRef load_chunk(struct translator *t, const struct inst *inst, struct access access, LLVMValueRef group,
                        unsigned word)
{
    const bool is_wide = is_half(t, access.to, word);
    LLVMValueRef words[4], is_straight = straight_line(t, inst, &access);
    access.offset -= 4 * (int64_t)word;
    if (!is_straight) {
        load_four(t, &access, group, is_wide, words);
        return words[word];
    }
    struct chunk *chunk = kept_chunk(t, inst->group, access.offset, WORDS_OF_LINE);
    if (chunk)
        return chunk->words[word];
    chunk = keep_chunk(t, inst->group, access.offset, WORDS_OF_LINE);
    struct fork fork = begin_fork(t, is_straight);
    access.is_straight = true;
    prefetch_lines(t, inst, access, group);
    load_four(t, &access, group, is_wide, chunk->words);
    access.is_straight = false;
    other_way(t, &fork);
    load_four(t, &access, group, is_wide, words);
    end_fork(t, &fork, chunk->words, words, 4);
    return chunk->words[word];
}
