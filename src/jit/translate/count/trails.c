/* Counters per instruction of code that a strip passes at most once between two barriers.
 *
 * A strip leaves a trail: bits of a word, for blocks, for joins at which its lanes go on together, and for branches at which they part.
 * The trails of a warp's strips are a key, by which a table counts warps (cy_jit_trail): the few different ways that most kernels
 * take cost a few instructions per warp, however many blocks they have.  What a key says of each counter is found out later, in the
 * runtime.  Lanes that are missing are counted where a block is executed under a mask, and for strips of a warp that do not get to
 * it at all; of code that every strip executes nothing is counted but workgroups.
 *
 * Loops have counters of their own (tally.c), and so have lanes that run alone (turns.c). */
#include "jit/translate/count/strips.h"

#include <string.h>

enum { KEY_BITS = 64 };

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

bool may_have_trail(const struct translator *t, uint32_t block)
{
    const struct counter *counter = &t->counters[block];
    return !counter->is_repeated && !counter->is_flat && (!counter->is_both_ways || counter->is_by_edges) &&
           counter->round == NONE && counter->opens == NONE && !(t->is_alone && t->is_alone[block]);
}

/* ---- ways that meet before the join ----
 *
 * Lanes of both ways pass what follows apart from each other: the warp issues that once for each edge to it.  The edges have bits: those
 * of the branch's sides, or of the block before it, if that leads nowhere else. */

bool leads_to_block(const struct translator *t, uint32_t from, uint32_t to)
{
    const struct inst *last = &t->insts[t->blocks.at[from].last];
    const uint32_t first = t->blocks.at[to].first;
    return t->insts[t->blocks.at[from].first].reachable && (last->next == first || last->target == first);
}

static bool has_one_way(const struct translator *t, uint32_t block)
{
    const struct inst *last = &t->insts[t->blocks.at[block].last];
    return (last->next == NONE) != (last->target == NONE) && !last->is_return && last->insn.op != CY_OP_barrier &&
           row_of(last)->format != CY_FORMAT_JOIN;
}

bool may_count_edges(const struct translator *t, uint32_t block)
{
    const struct counter *counter = &t->counters[block];
    uint32_t edges = 0, parted = NONE;
    if (counter->is_repeated || counter->is_flat || counter->round != NONE || counter->lap != NONE ||
        !has_one_way(t, block))
        return false;
    for (size_t i = 0; i < t->returns.count; i++)
        if (t->returns.at[i] == t->blocks.at[block].first)
            return false;
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        const struct counter *before = &t->counters[i];
        if (!leads_to_block(t, i, block))
            continue;
        edges++;
        parted = before->is_both_ways ? i : parted;
        if (before->is_flat || before->opens != NONE || before->round != NONE || before->lap != NONE ||
            before->is_both_ways != before->is_parted ||
            !(has_one_way(t, i) || is_vector_branch(&t->insts[t->blocks.at[i].last])))
            return false;
    }
    return parted == NONE ||
           (edges == 1 && may_count_edges(t, parted)); /* of several, each might be more than one way */
}

bool is_on_trail(const struct translator *t, uint32_t block)
{
    return t->trail_marks && may_have_trail(t, block);
}

static const struct trail_mark *mark_of(const struct translator *t, uint32_t block)
{
    return &t->trail_marks[t->phase * t->blocks.count + block];
}

void add_mark(struct translator *t, enum cy_jit_mark_kind kind, unsigned bit, unsigned other, uint32_t counter)
{
    *cy_vec_push(&t->marks) = (struct cy_jit_mark){.kind = kind, .bit = bit, .other = other, .counter = counter};
}

/* Bits of a block in a phase, from `first` on; returns how many. */
static unsigned give_marks(struct translator *t, uint32_t block, struct trail_mark *mark, unsigned first)
{
    const struct block *code = &t->blocks.at[block];
    const bool ends_in_join = row_of(&t->insts[code->last])->format == CY_FORMAT_JOIN;
    const bool leads = t->counters[block].leader == block && !t->counters[block].is_by_edges;
    unsigned bits = first;
    *mark = (struct trail_mark){NO_MARK, NO_MARK, NO_MARK, NO_MARK, false, false, false, false, false};
    if (leads && !(ends_in_join && code->first == code->last))
        mark->passed = (uint8_t)bits++;
    if (leads && ends_in_join)
        mark->joined = (uint8_t)bits++;
    return bits - first;
}

/* The bit that lanes of this side of the branch leave anyway: that of the block it leads to, if nothing else does. */
static uint8_t side_mark(const struct translator *t, const struct trail_mark *marks, uint32_t branch, uint32_t side)
{
    const uint32_t block = t->insts[side].block;
    if (side == t->insts[branch].rpc || t->blocks.at[block].first != side || !may_have_trail(t, block))
        return NO_MARK;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->insts[i].reachable && i != branch && (t->insts[i].next == side || t->insts[i].target == side))
            return NO_MARK;
    for (size_t i = 0; i < t->returns.count; i++)
        if (t->returns.at[i] == side)
            return NO_MARK;
    return marks[block].passed;
}

/* The same for a branch. */
static unsigned give_sides(struct translator *t, uint32_t block, struct trail_mark *marks, unsigned first)
{
    const uint32_t last = t->blocks.at[block].last;
    struct trail_mark *mark = &marks[block];
    unsigned bits = first;
    if (t->counters[block].split == NONE)
        return 0;
    mark->taken = side_mark(t, marks, last, t->insts[last].target);
    mark->rest = side_mark(t, marks, last, t->insts[last].next);
    if (!t->by_strip && (mark->taken == NO_MARK || mark->rest == NO_MARK)) {
        mark->is_parted = true;
        mark->taken = mark->rest = (uint8_t)bits++;
    }
    mark->sets_taken = mark->taken == NO_MARK || mark->is_parted;
    mark->sets_rest = mark->rest == NO_MARK;
    if (mark->taken == NO_MARK)
        mark->taken = (uint8_t)bits++;
    if (mark->rest == NO_MARK)
        mark->rest = (uint8_t)bits++;
    return bits - first;
}

/* Bits of all phases; false: there are too many. */
static bool give_bits(struct translator *t)
{
    const uint32_t blocks = (uint32_t)t->blocks.count;
    for (unsigned phase = 0; phase < t->phase_count; phase++) {
        struct trail_mark *marks = &t->trail_marks[phase * blocks];
        unsigned bits = 0;
        memset(marks, NO_MARK, blocks * sizeof(*marks));
        for (uint32_t i = 0; i < blocks && bits < NO_MARK - 4; i++)
            if (may_have_trail(t, i) && is_reached(t, phase, i))
                bits += give_marks(t, i, &marks[i], bits);
        for (uint32_t i = 0; i < blocks && bits < NO_MARK - 4; i++)
            if (may_have_trail(t, i) && is_reached(t, phase, i))
                bits += give_sides(t, i, marks, bits);
        if (bits > KEY_BITS / strips_of_warp(t))
            return false;
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

/* Once for each bit of the edges that lead to the block. */
static void mark_edges(struct translator *t, uint32_t block, const struct trail_mark *marks, uint32_t counter)
{
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        const uint32_t first = t->blocks.at[block].first, last = t->blocks.at[i].last;
        if (!leads_to_block(t, i, block))
            continue;
        if (t->counters[i].is_by_edges)
            mark_edges(t, i, marks, counter);
        else if (is_vector_branch(&t->insts[last]))
            add_mark(t, CY_JIT_PASSED, t->insts[last].target == first ? marks[i].taken : marks[i].rest, 0, counter);
        else
            add_mark(t, CY_JIT_PASSED, marks[i].passed, 0, counter);
    }
}

static void mark_block(struct translator *t, uint32_t block, const struct trail_mark *marks)
{
    const struct counter *counter = &t->counters[block];
    const struct trail_mark *mark = &marks[block];
    if (counter->is_by_edges) {
        mark_edges(t, block, marks, counter->issued);
        return;
    }
    if (mark->passed != NO_MARK)
        add_mark(t, CY_JIT_PASSED, mark->passed, 0, counter->issued);
    if (mark->passed != NO_MARK && counter->lanes != NONE && counter->has_idle && t->by_strip)
        add_mark(t, CY_JIT_MISSING, mark->passed, 0, counter->lanes);
    if (mark->joined != NO_MARK)
        add_mark(t, CY_JIT_PASSED, mark->joined, 0, counter->join);
    if (counter->split != NONE)
        add_mark(t, CY_JIT_PARTED, mark->taken, mark->rest, counter->split);
}

void mark_trails(struct translator *t)
{
    const uint32_t blocks = (uint32_t)t->blocks.count;
    for (unsigned phase = 0; t->trail_marks && phase < t->phase_count; phase++) {
        const unsigned width = t->trail_bits[phase] * strips_of_warp(t);
        if (!width)
            continue;
        struct cy_jit_table table = {.at = t->trail_words,
                                     .width = t->trail_bits[phase],
                                     .is_short = width <= CY_JIT_SHORT_KEY,
                                     .first = (uint32_t)t->marks.count};
        t->trail_words += table.is_short ? 1u << width : 2 * CY_JIT_TRAILS;
        for (uint32_t i = 0; i < blocks; i++)
            if (is_on_trail(t, i) && is_reached(t, phase, i))
                mark_block(t, i, &t->trail_marks[phase * blocks]);
        table.count = (uint32_t)t->marks.count - table.first;
        t->trail_table[phase] = (uint32_t)t->trail_tables.count;
        *cy_vec_push(&t->trail_tables) = table;
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
    const struct trail_mark *mark = mark_of(t, block);
    LLVMValueRef zero = number64(t, 0);
    if (mark->is_parted)
        taken = LLVMBuildAnd(t->builder, taken, rest, "");
    if (mark->sets_taken)
        pass(t, LLVMBuildSelect(t->builder, taken, number64(t, 1ull << mark->taken), zero, ""));
    if (mark->sets_rest)
        pass(t, LLVMBuildSelect(t->builder, rest, number64(t, 1ull << mark->rest), zero, ""));
    return true;
}

bool is_reached_alone(const struct translator *t, uint32_t block)
{
    bool found = false;
    for (unsigned phase = 0; phase < t->phase_count; phase++)
        found |= t->nodes[(phase * VERSIONS + ALONE) * t->blocks.count + block].reached;
    return found;
}

void trail_block_alone(struct translator *t, uint32_t block)
{
    const struct counter *counter = &t->counters[block];
    trail_block(t, block);
    if (counter->leader == block && counter->lanes != NONE)
        add_tally_amount(t, counter->lanes, number64(t, 1));
}

void trail_edge(struct translator *t, uint32_t number)
{
    const struct inst *inst = &t->insts[t->at];
    if (!t->emit || t->is_starting || !is_on_trail(t, inst->block))
        return;
    const struct trail_mark *mark = mark_of(t, inst->block);
    const bool is_taken = number == inst->target;
    if (is_vector_branch(inst) && (is_taken ? mark->sets_taken : mark->sets_rest))
        pass(t, number64(t, 1ull << (is_taken ? mark->taken : mark->rest)));
    if (row_of(inst)->format == CY_FORMAT_JOIN && mark->joined != NO_MARK)
        pass(t, number64(t, 1ull << mark->joined));
}

/* Does every strip of every workgroup execute all of the phase that is counted? */
static bool is_straight(const struct translator *t, unsigned phase)
{
    const uint32_t entry = t->insts[t->phases[phase].entry].block;
    const bool begins = (t->request->whole || t->is_whole) && t->row % t->lanes == 0 && !(phase && t->may_end_early);
    return t->trail_bits[phase] == 1 && begins && is_on_trail(t, entry) &&
           t->trail_marks[phase * t->blocks.count + entry].passed == 0;
}

void begin_phase_trails(struct translator *t, unsigned phase)
{
    t->is_straight = t->trail_marks && is_straight(t, phase);
    if (!t->trail_marks || !t->trail_bits[phase])
        return;
    LLVMBuildStore(t->builder, number64(t, 0), t->trail_key);
    if (!t->is_straight)
        return;
    const struct counter *counter = &t->counters[t->insts[t->phases[phase].entry].block];
    const uint32_t missing = t->request->warps * t->request->threads - t->items;
    add_tally_amount(t, counter->issued, number64(t, t->request->warps));
    if (counter->lanes != NONE && t->by_strip && missing)
        add_tally_amount(t, counter->lanes, number64(t, missing));
}

void begin_trail(struct translator *t)
{
    if (t->trail_marks)
        LLVMBuildStore(t->builder, number64(t, 0), t->trail);
}

static LLVMValueRef word_at(struct translator *t, uint64_t words, LLVMValueRef index, unsigned size)
{
    LLVMValueRef first = at_offset(t, t->tally_array, (int64_t)(words * sizeof(uint64_t)));
    LLVMValueRef offset = LLVMBuildMul(t->builder, index, number64(t, size), "");
    return LLVMBuildGEP2(t->builder, t->i8, first, &offset, 1, "");
}

static void increase(struct translator *t, LLVMValueRef place)
{
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, load64(t, place), number64(t, 1), ""), place);
}

/* Counts a warp.  Where its key should be there may be another one, which the helper then counts for good. */
static void count_warp(struct translator *t, unsigned phase, LLVMValueRef key)
{
    const struct cy_jit_table *table = &t->trail_tables.at[t->trail_table[phase]];
    const uint64_t first = t->counted_at.count + table->at;
    if (table->is_short) {
        increase(t, word_at(t, first, key, sizeof(uint64_t)));
        return;
    }
    LLVMBasicBlockRef other = new_block(t, "other"), same = new_block(t, "same"), on = new_block(t, "on");
    LLVMValueRef hash = LLVMBuildMul(t->builder, key, number64(t, CY_JIT_TRAIL_HASH), "");
    hash = LLVMBuildLShr(t->builder, hash, number64(t, KEY_BITS - CY_JIT_TRAIL_BITS), "");
    LLVMValueRef entry = word_at(t, first, hash, sizeof(struct cy_jit_trail));
    LLVMValueRef is_same = LLVMBuildICmp(t->builder, LLVMIntEQ, load64(t, entry), key, "");
    make_rare(t, LLVMBuildCondBr(t->builder, is_same, same, other), false);
    LLVMPositionBuilderAtEnd(t->builder, other);
    LLVMValueRef args[] = {t->frame, number32(t, t->trail_table[phase]), key, t->tally_array};
    call_rare_helper(t, offsetof(struct cy_jit_helpers, trail), args, CY_COUNT(args));
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, same);
    increase(t, at_offset(t, entry, offsetof(struct cy_jit_trail, warps)));
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
    LLVMValueRef before = LLVMBuildShl(t->builder, load64(t, t->trail_key), number64(t, t->trail_bits[t->phase]), "");
    key = LLVMBuildOr(t->builder, before, key, "");
    LLVMBuildStore(t->builder, key, t->trail_key);
    LLVMBuildCondBr(t->builder, is_last, whole, on);
    LLVMPositionBuilderAtEnd(t->builder, whole);
    count_warp(t, t->phase, key);
    LLVMBuildStore(t->builder, number64(t, 0), t->trail_key);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}
