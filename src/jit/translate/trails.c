/* Counters per instruction of code that a strip passes at most once between two barriers.
 *
 * A strip leaves a trail: bits of a word, for blocks, for joins at which its lanes go on together, and for branches at which they part.
 * The trails of a warp's strips are a key, by which a table counts warps (cy_jit_trail): the few different ways that most kernels
 * take cost a few instructions per warp, however many blocks they have.  What a key says of each counter is found out later, in the
 * runtime.  Lanes that are missing are counted where a block is executed under a mask, and for strips of a warp that do not get to
 * it at all; of code that every strip executes nothing is counted but workgroups.
 *
 * Loops have counters of their own (tally.c), and so have lanes that run alone (turns.c). */
#include "jit/translate/translate_priv.h"

#include <string.h>

enum { KEY_BITS = 64 };

static LLVMValueRef number64(struct translator *t, uint64_t number)
{
    return LLVMConstInt(t->i64, number, false);
}

static LLVMValueRef load64(struct translator *t, LLVMValueRef place)
{
    return LLVMBuildLoad2(t->builder, t->i64, place, "");
}

/* ---- the plan ---- */

unsigned strips_of_warp(const struct translator *t)
{
    return t->by_strip ? t->request->threads / t->lanes : 1;
}

static bool is_reached(const struct translator *t, unsigned phase, uint32_t block)
{
    const uint32_t blocks = (uint32_t)t->blocks.count;
    return t->nodes[(phase * VERSIONS + FULL) * blocks + block].reached ||
           t->nodes[(phase * VERSIONS + MASKED) * blocks + block].reached;
}

bool is_on_trail(const struct translator *t, uint32_t block)
{
    const struct counter *counter = &t->counters[block];
    return t->trail_marks && !counter->is_repeated && !counter->is_flat && !counter->is_both_ways &&
           counter->round == NONE && counter->opens == NONE && !(t->is_alone && t->is_alone[block]);
}

static const struct trail_mark *mark_of(const struct translator *t, uint32_t block)
{
    return &t->trail_marks[t->phase * t->blocks.count + block];
}

static void add_mark(struct translator *t, unsigned phase, enum cy_jit_mark_kind kind, unsigned bit, uint32_t counter)
{
    *cy_vec_push(&t->marks) =
        (struct cy_jit_mark){.table = t->trail_table[phase], .kind = kind, .bit = bit, .counter = counter};
}

/* Bits of a block in a phase, from `first` on; returns how many. */
static unsigned give_marks(struct translator *t, uint32_t block, struct trail_mark *mark, unsigned first)
{
    const struct block *code = &t->blocks.at[block];
    const bool ends_in_join = row_of(&t->insts[code->last])->format == CY_FORMAT_JOIN;
    const bool leads = t->counters[block].leader == block;
    unsigned bits = first;
    *mark = (struct trail_mark){NO_MARK, NO_MARK, NO_MARK};
    if (leads && !(ends_in_join && code->first == code->last))
        mark->passed = (uint8_t)bits++;
    if (leads && ends_in_join)
        mark->joined = (uint8_t)bits++;
    if (t->counters[block].split != NONE) {
        mark->parted = (uint8_t)bits;
        bits += t->by_strip ? 2 : 1; /* some lanes take it, some do not: of different strips, too */
    }
    return bits - first;
}

/* Bits of all phases; false: there are too many. */
static bool give_bits(struct translator *t)
{
    const uint32_t blocks = (uint32_t)t->blocks.count;
    for (unsigned phase = 0; phase < t->phase_count; phase++) {
        unsigned bits = 0;
        for (uint32_t i = 0; i < blocks; i++) {
            if (!is_on_trail(t, i) || !is_reached(t, phase, i))
                continue;
            bits += give_marks(t, i, &t->trail_marks[phase * blocks + i], bits);
            if (bits > KEY_BITS / strips_of_warp(t))
                return false;
        }
        t->trail_bits[phase] = bits;
    }
    return true;
}

void plan_trails(struct translator *t)
{
    const size_t marks = t->phase_count * t->blocks.count;
    t->trail_marks = cy_arena_alloc(&t->arena, (marks + 1) * sizeof(*t->trail_marks));
    if (!give_bits(t))
        t->trail_marks = NULL;
}

/* Once counters are known. */
void mark_trails(struct translator *t)
{
    const uint32_t blocks = (uint32_t)t->blocks.count;
    for (unsigned phase = 0; t->trail_marks && phase < t->phase_count; phase++) {
        if (!t->trail_bits[phase])
            continue;
        t->trail_table[phase] = t->trail_tables++;
        for (uint32_t i = 0; i < blocks; i++) {
            const struct counter *counter = &t->counters[i];
            const struct trail_mark *mark = &t->trail_marks[phase * blocks + i];
            if (!is_on_trail(t, i) || !is_reached(t, phase, i))
                continue;
            if (mark->passed != NO_MARK)
                add_mark(t, phase, CY_JIT_PASSED, mark->passed, counter->issued);
            if (mark->passed != NO_MARK && counter->lanes != NONE && t->by_strip)
                add_mark(t, phase, CY_JIT_MISSING, mark->passed, counter->lanes);
            if (mark->joined != NO_MARK)
                add_mark(t, phase, CY_JIT_PASSED, mark->joined, counter->join);
            if (mark->parted != NO_MARK)
                add_mark(t, phase, t->by_strip ? CY_JIT_PARTED : CY_JIT_PASSED, mark->parted, counter->split);
        }
    }
}

/* ---- code ---- */

void make_trail_allocas(struct translator *t)
{
    t->trail = LLVMBuildAlloca(t->allocas, t->i64, "trail");
    t->trail_key = LLVMBuildAlloca(t->allocas, t->i64, "key");
}

static void pass(struct translator *t, LLVMValueRef bits)
{
    LLVMBuildStore(t->builder, LLVMBuildOr(t->builder, load64(t, t->trail), bits, ""), t->trail);
}

bool trail_block(struct translator *t, uint32_t block)
{
    if (!is_on_trail(t, block))
        return false;
    const struct trail_mark *mark = mark_of(t, block);
    if (mark->passed != NO_MARK && !t->is_straight)
        pass(t, number64(t, 1ull << mark->passed));
    return true;
}

bool trail_join(struct translator *t, uint32_t block)
{
    if (!is_on_trail(t, block))
        return false;
    const struct trail_mark *mark = mark_of(t, block);
    if (mark->joined != NO_MARK)
        pass(t, number64(t, 1ull << mark->joined));
    return true;
}

bool trail_sides(struct translator *t, uint32_t block, LLVMValueRef taken, LLVMValueRef rest)
{
    if (!is_on_trail(t, block))
        return false;
    const unsigned bit = mark_of(t, block)->parted;
    LLVMValueRef zero = number64(t, 0), first = number64(t, 1ull << bit);
    if (!t->by_strip) {
        taken = LLVMBuildAnd(t->builder, taken, rest, "");
        rest = NULL;
    }
    pass(t, LLVMBuildSelect(t->builder, taken, first, zero, ""));
    if (rest)
        pass(t, LLVMBuildSelect(t->builder, rest, number64(t, 2ull << bit), zero, ""));
    return true;
}

/* Does every strip of every workgroup execute all of the phase that is counted? */
static bool is_straight(const struct translator *t, unsigned phase)
{
    const uint32_t entry = t->insts[t->phases[phase].entry].block;
    const bool begins = (t->all_whole || t->is_whole) && !(phase && t->may_end_early);
    return t->trail_bits[phase] == 1 && begins && is_on_trail(t, entry) &&
           t->trail_marks[phase * t->blocks.count + entry].passed == 0;
}

void begin_phase_trails(struct translator *t, unsigned phase)
{
    const uint32_t *local = t->request->local, items = local[0] * local[1] * local[2];
    t->is_straight = t->trail_marks && is_straight(t, phase);
    if (!t->trail_marks || !t->trail_bits[phase])
        return;
    LLVMBuildStore(t->builder, number64(t, 0), t->trail_key);
    if (!t->is_straight)
        return;
    const struct counter *counter = &t->counters[t->insts[t->phases[phase].entry].block];
    const uint32_t missing = t->request->warps * t->request->threads - items;
    add_tally_amount(t, counter->issued, number64(t, t->request->warps));
    if (counter->lanes != NONE && t->by_strip && missing)
        add_tally_amount(t, counter->lanes, number64(t, missing));
}

void begin_trail(struct translator *t)
{
    if (t->trail_marks)
        LLVMBuildStore(t->builder, number64(t, 0), t->trail);
}

/* Counts a warp.  Where its key should be there may be another one, which the helper then counts for good. */
static void count_warp(struct translator *t, unsigned phase, LLVMValueRef key)
{
    LLVMBasicBlockRef other = new_block(t, "other"), same = new_block(t, "same"), on = new_block(t, "on");
    LLVMValueRef hash = LLVMBuildMul(t->builder, key, number64(t, CY_JIT_TRAIL_HASH), "");
    hash = LLVMBuildLShr(t->builder, hash, number64(t, KEY_BITS - CY_JIT_TRAIL_BITS), "");
    const uint64_t table = t->counted_at.count * sizeof(uint64_t) +
                           (size_t)t->trail_table[phase] * CY_JIT_TRAILS * sizeof(struct cy_jit_trail);
    LLVMValueRef at = LLVMBuildMul(t->builder, hash, number64(t, sizeof(struct cy_jit_trail)), "");
    LLVMValueRef entry = at_offset(t, t->tally_array, (int64_t)table);
    entry = LLVMBuildGEP2(t->builder, t->i8, entry, &at, 1, "");
    LLVMValueRef is_same = LLVMBuildICmp(t->builder, LLVMIntEQ, load64(t, entry), key, "");
    make_rare(t, LLVMBuildCondBr(t->builder, is_same, same, other), false);
    LLVMPositionBuilderAtEnd(t->builder, other);
    LLVMValueRef args[] = {t->frame, number32(t, t->trail_table[phase]), key, t->tally_array};
    call_rare_helper(t, offsetof(struct cy_jit_helpers, trail), args, CY_COUNT(args));
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, same);
    LLVMValueRef warps = at_offset(t, entry, offsetof(struct cy_jit_trail, warps));
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, load64(t, warps), number64(t, 1), ""), warps);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

/* `is_last`: the strip is the last of its warp. */
void end_trail(struct translator *t, LLVMValueRef is_last)
{
    if (!t->trail_marks || !t->trail_bits[t->phase] || t->is_straight)
        return;
    LLVMValueRef key = load64(t, t->trail);
    if (!t->by_strip) {
        count_warp(t, t->phase, key);
        return;
    }
    LLVMBasicBlockRef whole = new_block(t, "warp"), on = new_block(t, "on");
    LLVMValueRef before =
        LLVMBuildShl(t->builder, load64(t, t->trail_key), number64(t, KEY_BITS / strips_of_warp(t)), "");
    key = LLVMBuildOr(t->builder, before, key, "");
    LLVMBuildStore(t->builder, key, t->trail_key);
    LLVMBuildCondBr(t->builder, is_last, whole, on);
    LLVMPositionBuilderAtEnd(t->builder, whole);
    count_warp(t, t->phase, key);
    LLVMBuildStore(t->builder, number64(t, 0), t->trail_key);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}
