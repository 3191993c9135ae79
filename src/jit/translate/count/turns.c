/* Counters per instruction where lanes of a warp go on one after the other (lanes.c), which the machine's warp does in one pass: each
 * block of the detour issues once if any lane gets there, those of a loop once per turn.
 *
 * Outside of loops a bit of `passed` says that a lane was in a block.  In a loop these bits are of one turn, and a log has such a word
 * for each turn: a lane adds its own at the turn's end.  When all lanes are back, the log is counted and cleared.  Branches have
 * two bits, for lanes that take it and for those that do not: a warp with both has split.  Most loops do the same in every turn and are
 * left in one place, so that only the turns matter in which lanes leave them: of these the log has one bit per turn.
 *
 * Lanes that wait for others may not be in the same block, which is so unless both ways of a branch meet before the join, and of
 * loops in each other the turns of the inner one would need two numbers: such detours are made only where lanes do not meet again before
 * their end (paths.c).
 *
 * A guest's loop may be endless: a log has at most CY_JIT_LOG_WORDS, and what lanes do after so many turns is counted for each of them. */
#include "jit/translate/count/strips.h"

#include <string.h>

enum { MOST_BITS = 60 };

static uint32_t block_of(const struct translator *t, uint32_t inst)
{
    return t->insts[inst].block;
}

static bool is_in_region(const struct translator *t, const bool *region, uint32_t block)
{
    return region[t->blocks.at[block].first];
}

/* ---- loops of a region ---- */

static uint32_t successor(const struct translator *t, uint32_t block, unsigned which)
{
    const struct inst *last = &t->insts[t->blocks.at[block].last];
    const uint32_t to = which ? last->target : last->next;
    return to == NONE ? NONE : block_of(t, to);
}

/* Blocks that get to `from` without passing the header.  False: one of them is in another loop, too. */
static bool fill_loop(struct translator *t, const bool *region, uint32_t from, uint32_t header, uint32_t *loops)
{
    const uint32_t own = loops[header];
    bool changed = loops[from] != own;
    if (loops[from] != NONE && loops[from] != own)
        return false;
    loops[from] = own;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < t->blocks.count; i++)
            for (unsigned k = 0; k < 2 && is_in_region(t, region, i) && loops[i] != own; k++) {
                const uint32_t to = successor(t, i, k);
                if (to == NONE || to == header || loops[to] != own)
                    continue;
                if (loops[i] != NONE)
                    return false;
                loops[i] = own;
                changed = true;
            }
    }
    return true;
}

/* The loops of a region by block: the number of their first block; NONE.  False: they are not as is needed here. */
static bool find_region_loops(struct translator *t, const bool *region, uint32_t *loops)
{
    for (uint32_t i = 0; i < t->blocks.count; i++)
        loops[i] = NONE;
    for (uint32_t i = 0; i < t->blocks.count; i++)
        for (unsigned k = 0; k < 2 && is_in_region(t, region, i); k++) {
            const uint32_t to = successor(t, i, k);
            if (to == NONE || to > i || !is_in_region(t, region, to))
                continue;
            if (loops[to] != NONE && loops[to] != to)
                return false;
            loops[to] = to;
            if (!fill_loop(t, region, i, to, loops))
                return false;
        }
    for (uint32_t i = 0; i < t->blocks.count; i++) /* they are entered where they begin */
        for (unsigned k = 0; k < 2 && is_in_region(t, region, i); k++) {
            const uint32_t to = successor(t, i, k);
            if (to != NONE && is_in_region(t, region, to) && loops[to] != NONE && loops[to] != loops[i] &&
                loops[to] != to)
                return false;
        }
    return true;
}

static void mark_way(const struct translator *t, const bool *region, uint32_t from, uint32_t join, bool *marks)
{
    if (from == NONE || from == join || !region[from] || marks[from])
        return;
    const uint32_t last = t->blocks.at[block_of(t, from)].last;
    marks[from] = true;
    mark_way(t, region, t->insts[last].next, join, marks);
    mark_way(t, region, t->insts[last].target, join, marks);
}

/* Does a block follow both sides of a branch before its join? */
static bool meets_early(struct translator *t, const bool *region, const struct inst *branch)
{
    bool *next = cy_arena_alloc(&t->arena, t->count), *target = cy_arena_alloc(&t->arena, t->count), found = false;
    memset(next, 0, t->count);
    memset(target, 0, t->count);
    mark_way(t, region, branch->next, branch->rpc, next);
    mark_way(t, region, branch->target, branch->rpc, target);
    for (uint32_t i = 0; i < t->count; i++)
        found |= next[i] && target[i];
    return found;
}

static bool is_alone_in_block(const struct translator *t, uint32_t block)
{
    return t->blocks.at[block].first == t->blocks.at[block].last;
}

/* Does the order of lanes decide where they go on? */
static bool is_ordered(const struct inst *inst)
{
    return row_of(inst)->flags & CY_F_ATOMIC || inst->is_interpreted;
}

/* Lanes of a strip that is part of a warp go on alone only where the strip leaves a trail (trails.c), to which they add. */
static bool can_leave_trail(struct translator *t, const struct inst *branch, const bool *region)
{
    if (meets_early(t, region, branch))
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        const bool is_join = row_of(inst)->format == CY_FORMAT_JOIN;
        if (region[i] && (t->looping[i] || is_ordered(inst) || (is_join && !is_alone_in_block(t, inst->block)) ||
                          (is_vector_branch(inst) && meets_early(t, region, inst))))
            return false;
    }
    return true;
}

/* As loops whose lanes meet at joins.  Then it will be. */
static bool plan_turns_of(struct translator *t, const struct inst *branch, const bool *region)
{
    const uint32_t blocks = (uint32_t)t->blocks.count;
    uint32_t *loops = cy_arena_alloc(&t->arena, blocks * sizeof(*loops));
    unsigned bits = 0;
    if (!find_region_loops(t, region, loops) || meets_early(t, region, branch))
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        const struct cy_insn_info *row = row_of(inst);
        if (!region[i])
            continue;
        if (is_ordered(inst))
            return false;
        if (is_vector_branch(inst) && meets_early(t, region, inst))
            return false;
        if (row->format == CY_FORMAT_JOIN && !is_alone_in_block(t, inst->block))
            return false;
    }
    for (uint32_t i = 0; i < blocks; i++) {
        if (!is_in_region(t, region, i))
            continue;
        bits += 3;
        if (t->is_alone[i] && (t->turn_loop[i] != loops[i] || is_on_path(t, i)))
            return false;
    }
    if (bits > MOST_BITS)
        return false;
    for (uint32_t i = 0; i < blocks; i++)
        if (is_in_region(t, region, i)) {
            t->is_alone[i] = true;
            t->turn_loop[i] = loops[i];
        }
    return true;
}

bool can_count_alone(struct translator *t, const struct inst *branch, const bool *region)
{
    const uint32_t blocks = (uint32_t)t->blocks.count;
    if (t->request->counts != CY_JIT_COUNT_INSNS)
        return false;
    if (t->by_strip)
        return can_leave_trail(t, branch, region);
    if (!t->turn_loop) {
        t->turn_loop = cy_arena_alloc(&t->arena, blocks * sizeof(*t->turn_loop));
        t->is_alone = cy_arena_alloc(&t->arena, blocks);
        memset(t->is_alone, 0, blocks);
    }
    return plan_turns_of(t, branch, region) || plan_paths(t, branch, region);
}

/* ---- the plan ---- */

static struct turns *turns_of(struct translator *t, uint32_t block)
{
    for (size_t i = 0; t->is_alone && t->is_alone[block] && i < t->turns.count; i++)
        if (t->turns.at[i].header == t->turn_loop[block])
            return &t->turns.at[i];
    return NULL;
}

static bool is_of_loop(const struct translator *t, uint32_t block, uint32_t header)
{
    return t->is_alone[block] && t->turn_loop[block] == header;
}

/* The same in every turn, and left in one place: `exit` is its last block before that. */
static bool is_simple(const struct translator *t, uint32_t header, uint32_t *exit)
{
    unsigned exits = 0;
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        unsigned inside = 0;
        if (!is_of_loop(t, i, header))
            continue;
        for (unsigned k = 0; k < 2; k++) {
            const uint32_t to = successor(t, i, k);
            const bool stays = to != NONE && is_of_loop(t, to, header);
            inside += stays;
            if (to != NONE && !stays)
                exits++, *exit = i;
        }
        if (inside != 1)
            return false;
    }
    for (uint32_t i = 0; i < t->count; i++) { /* lanes may begin in the middle */
        const struct inst *inst = &t->insts[i];
        const uint32_t ways[] = {inst->next, inst->target};
        for (size_t k = 0; inst->by_lane && k < CY_COUNT(ways); k++)
            if (ways[k] != inst->rpc && is_of_loop(t, block_of(t, ways[k]), header) && block_of(t, ways[k]) != header)
                return false;
    }
    return exits == 1;
}

/* Is the block passed in each turn before the lane leaves the loop? */
static void find_before_exit(struct translator *t, struct turns *turns)
{
    uint32_t at = turns->header;
    turns->is_before = cy_arena_alloc(&t->arena, t->blocks.count);
    memset(turns->is_before, 0, t->blocks.count);
    for (;;) {
        turns->is_before[at] = true;
        if (at == turns->exit)
            return;
        const uint32_t next = successor(t, at, 0);
        at = next != NONE && is_of_loop(t, next, turns->header) ? next : successor(t, at, 1);
    }
}

void plan_turns(struct translator *t)
{
    unsigned bits = 0;
    if (!t->is_alone)
        return;
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        if (!t->is_alone[i] || t->turn_loop[i] != i)
            continue;
        struct turns *turns = cy_vec_push(&t->turns);
        *turns = (struct turns){.header = i, .exit = NONE};
        turns->is_simple = is_simple(t, i, &turns->exit);
        if (turns->is_simple)
            find_before_exit(t, turns);
    }
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        if (!t->is_alone[i] || is_on_path(t, i))
            continue;
        struct turns *turns = turns_of(t, i);
        unsigned *used = turns ? &turns->bits : &bits;
        t->counters[i].alone_bit = *used;
        t->counters[i].alone_sides = *used + 1;
        *used += 3;
    }
}

bool has_room_for_turns(const struct translator *t)
{
    unsigned outside = 0;
    for (uint32_t i = 0; t->is_alone && i < t->blocks.count; i++)
        outside += t->is_alone[i] && t->turn_loop[i] == NONE && !is_on_path(t, i) ? 3 : 0;
    return outside <= MOST_BITS && t->turns.count <= (t->path_bit ? CY_JIT_PATH_LOG : CY_JIT_LOGS);
}

void make_turn_allocas(struct translator *t)
{
    if (t->is_alone)
        t->passed = LLVMBuildAlloca(t->allocas, t->i64, "passed");
    for (size_t i = 0; i < t->turns.count; i++) {
        struct turns *turns = &t->turns.at[i];
        turns->turn = LLVMBuildAlloca(t->allocas, t->i64, "turn");
        turns->now = LLVMBuildAlloca(t->allocas, t->i64, "now");
        turns->length = LLVMBuildAlloca(t->allocas, t->i64, "length");
    }
}

/* ---- counting ---- */

static void set_bit(struct translator *t, uint32_t block, unsigned bit)
{
    const struct turns *turns = turns_of(t, block);
    if (turns && turns->is_simple)
        return;
    LLVMValueRef place = turns ? turns->now : t->passed;
    LLVMBuildStore(t->builder, LLVMBuildOr(t->builder, load64(t, place), number64(t, 1ull << bit), ""), place);
}

static bool is_join_block(const struct translator *t, uint32_t block)
{
    return row_of(&t->insts[t->blocks.at[block].last])->format == CY_FORMAT_JOIN;
}

void turns_block(struct translator *t, uint32_t block)
{
    const struct counter *counter = &t->counters[block];
    const struct turns *turns = turns_of(t, block);
    if (is_on_path(t, block)) {
        path_block(t, block);
        return;
    }
    if (!t->is_alone[block] || is_join_block(t, block) || counter->leader != block)
        return;
    set_bit(t, block, counter->alone_bit);
    if (counter->lanes != NONE && !(turns && turns->is_simple))
        add_tally_amount(t, counter->lanes, number64(t, 1));
}

LLVMValueRef log_field(struct translator *t, size_t log, size_t offset)
{
    return at_offset(t, t->frame,
                     (int64_t)(offsetof(struct cy_jit_frame, logs) + log * sizeof(struct cy_jit_log) + offset));
}

LLVMValueRef log_words(struct translator *t, size_t log)
{
    return LLVMBuildLoad2(t->builder, t->ptr, log_field(t, log, offsetof(struct cy_jit_log, words)), "");
}

/* The log gets a word of this index, but for the block it returns, from which the caller goes on where the builder is: there would be too
 * many words. */
LLVMBasicBlockRef lengthen_log(struct translator *t, size_t log, LLVMValueRef index)
{
    LLVMBasicBlockRef longer = new_block(t, "longer"), more = new_block(t, "more"), beyond = new_block(t, "beyond"),
                      fits = new_block(t, "fits");
    LLVMValueRef count = load64(t, log_field(t, log, offsetof(struct cy_jit_log, count)));
    LLVMValueRef is_short = LLVMBuildICmp(t->builder, LLVMIntUGE, index, count, "");
    make_rare(t, LLVMBuildCondBr(t->builder, is_short, longer, fits), true);
    LLVMPositionBuilderAtEnd(t->builder, longer);
    LLVMValueRef is_beyond = LLVMBuildICmp(t->builder, LLVMIntUGE, index, number64(t, CY_JIT_LOG_WORDS), "");
    make_rare(t, LLVMBuildCondBr(t->builder, is_beyond, beyond, more), true);
    LLVMPositionBuilderAtEnd(t->builder, more);
    LLVMValueRef args[] = {t->frame, number32(t, (uint32_t)log), LLVMBuildTrunc(t->builder, index, t->i32, "")};
    stop_if(t, call_rare_helper(t, offsetof(struct cy_jit_helpers, lengthen), args, 3));
    LLVMBuildBr(t->builder, fits);
    LLVMPositionBuilderAtEnd(t->builder, fits);
    return beyond;
}

/* Adds bits to a word of the log; the same block. */
LLVMBasicBlockRef add_to_log(struct translator *t, size_t log, LLVMValueRef index, LLVMValueRef bits)
{
    LLVMBasicBlockRef beyond = lengthen_log(t, log, index), on = new_block(t, "on");
    LLVMValueRef place = LLVMBuildGEP2(t->builder, t->i64, log_words(t, log), &index, 1, "");
    LLVMBuildStore(t->builder, LLVMBuildOr(t->builder, load64(t, place), bits, ""), place);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
    return beyond;
}

/* So many of the log's first words may have bits. */
LLVMValueRef words_used(struct translator *t, size_t log, LLVMValueRef length)
{
    LLVMValueRef least[] = {length, load64(t, log_field(t, log, offsetof(struct cy_jit_log, count)))};
    return intrinsic(t, "llvm.umin", t->i64, least, 2);
}

static size_t log_of(const struct translator *t, const struct turns *turns)
{
    return (size_t)(turns - t->turns.at);
}

static LLVMValueRef bit_of(struct translator *t, LLVMValueRef word, unsigned bit)
{
    return LLVMBuildAnd(t->builder, LLVMBuildLShr(t->builder, word, number64(t, bit), ""), number64(t, 1), "");
}

/* What a word says of the blocks of a loop, or of those outside. */
static void add_word(struct translator *t, const struct turns *turns, LLVMValueRef word)
{
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        const struct counter *counter = &t->counters[i];
        if (!t->is_alone[i] || is_on_path(t, i) || turns_of(t, i) != turns)
            continue;
        const uint32_t issued = is_join_block(t, i) ? counter->join : counter->issued;
        if (counter->leader == i && issued != NONE)
            add_tally_amount(t, issued, bit_of(t, word, counter->alone_bit));
        if (counter->split == NONE)
            continue;
        LLVMValueRef taken = bit_of(t, word, counter->alone_sides), rest = bit_of(t, word, counter->alone_sides + 1);
        add_tally_amount(t, counter->split, LLVMBuildAnd(t->builder, taken, rest, ""));
    }
}

static void end_turn(struct translator *t, const struct turns *turns, bool leaves)
{
    LLVMValueRef turn = load64(t, turns->turn), one = number64(t, 1),
                 following = LLVMBuildAdd(t->builder, turn, one, "");
    if (turns->is_simple && leaves) {
        LLVMValueRef bit = LLVMBuildShl(t->builder, one, LLVMBuildAnd(t->builder, turn, number64(t, 63), ""), "");
        LLVMValueRef word = LLVMBuildLShr(t->builder, turn, number64(t, 6), "");
        LLVMBasicBlockRef beyond = add_to_log(t, log_of(t, turns), word, bit), on = LLVMGetInsertBlock(t->builder);
        LLVMPositionBuilderAtEnd(t->builder, beyond);
        if (t->counters[turns->exit].split != NONE)
            add_tally_amount(t, t->counters[turns->exit].split, one);
        LLVMBuildBr(t->builder, on);
        LLVMPositionBuilderAtEnd(t->builder, on);
        for (uint32_t i = 0; i < t->blocks.count; i++) {
            const struct counter *counter = &t->counters[i];
            if (is_of_loop(t, i, turns->header) && counter->leader == i && counter->lanes != NONE)
                add_tally_amount(t, counter->lanes, turns->is_before[i] ? following : turn);
        }
    } else if (!turns->is_simple) {
        LLVMBasicBlockRef beyond = add_to_log(t, log_of(t, turns), turn, load64(t, turns->now));
        LLVMBasicBlockRef on = LLVMGetInsertBlock(t->builder);
        LLVMPositionBuilderAtEnd(t->builder, beyond);
        add_word(t, turns, load64(t, turns->now));
        LLVMBuildBr(t->builder, on);
        LLVMPositionBuilderAtEnd(t->builder, on);
        LLVMBuildStore(t->builder, number64(t, 0), turns->now);
    }
    if (!leaves) {
        LLVMBuildStore(t->builder, following, turns->turn);
        return;
    }
    LLVMValueRef most[] = {load64(t, turns->length), following};
    LLVMBuildStore(t->builder, intrinsic(t, "llvm.umax", t->i64, most, 2), turns->length);
}

/* A lane goes from the current instruction, or from the branch where its detour starts, to the block of another one. */
void turns_edge(struct translator *t, uint32_t number)
{
    const uint32_t to = block_of(t, number), from = block_of(t, t->at);
    if (!t->emit || !t->is_alone)
        return;
    path_edge(t, number);
    if (is_on_path(t, to) || is_on_path(t, from))
        return;
    const struct inst *inst = &t->insts[t->at];
    const struct turns *left = t->is_starting ? NULL : turns_of(t, from), *entered = turns_of(t, to);
    if (!t->is_starting && t->is_alone[from] && is_vector_branch(inst))
        set_bit(t, from, t->counters[from].alone_sides + (number == inst->target ? 0 : 1));
    if (!t->is_starting && t->is_alone[from] && is_join_block(t, from))
        set_bit(t, from, t->counters[from].alone_bit);
    if (left && (left != entered || to == left->header))
        end_turn(t, left, left != entered);
    if (entered && left != entered) {
        LLVMBuildStore(t->builder, number64(t, 0), entered->turn);
        LLVMBuildStore(t->builder, number64(t, 0), entered->now);
    }
}

void begin_turns(struct translator *t)
{
    if (!t->is_alone)
        return;
    LLVMBuildStore(t->builder, number64(t, 0), t->passed);
    for (size_t i = 0; i < t->turns.count; i++)
        LLVMBuildStore(t->builder, number64(t, 0), t->turns.at[i].length);
    begin_paths(t);
}

static void add_simple(struct translator *t, const struct turns *turns, LLVMValueRef length)
{
    LLVMValueRef less = LLVMBuildSub(t->builder, length, number64(t, 1), "");
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        const struct counter *counter = &t->counters[i];
        const uint32_t issued = is_join_block(t, i) ? counter->join : counter->issued;
        if (is_of_loop(t, i, turns->header) && counter->leader == i && issued != NONE)
            add_tally_amount(t, issued, turns->is_before[i] ? length : less);
    }
    if (t->counters[turns->exit].split != NONE) /* but for the last lanes, those that leave part from others */
        add_tally_amount(t, t->counters[turns->exit].split, number64(t, UINT64_MAX));
}

static void count_log(struct translator *t, const struct turns *turns)
{
    LLVMBasicBlockRef some = new_block(t, "turns"), loop = new_block(t, "log"), next = new_block(t, "next"),
                      end = new_block(t, "counted");
    LLVMValueRef length = load64(t, turns->length), one = number64(t, 1), used = length;
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, length, number64(t, 0), ""), some, end);
    LLVMPositionBuilderAtEnd(t->builder, some);
    LLVMValueRef words = log_words(t, log_of(t, turns));
    if (turns->is_simple) {
        add_simple(t, turns, length);
        used = LLVMBuildLShr(t->builder, LLVMBuildAdd(t->builder, length, number64(t, 63), ""), number64(t, 6), "");
    }
    used = words_used(t, log_of(t, turns), used);
    LLVMBuildStore(t->builder, number64(t, 0), turns->turn);
    LLVMBuildBr(t->builder, loop);
    LLVMPositionBuilderAtEnd(t->builder, loop);
    LLVMValueRef index = load64(t, turns->turn), place = LLVMBuildGEP2(t->builder, t->i64, words, &index, 1, "");
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntULT, index, used, ""), next, end);
    LLVMPositionBuilderAtEnd(t->builder, next);
    LLVMValueRef word = load64(t, place);
    LLVMBuildStore(t->builder, number64(t, 0), place);
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, index, one, ""), turns->turn);
    if (!turns->is_simple)
        add_word(t, turns, word);
    else if (t->counters[turns->exit].split != NONE)
        add_tally_amount(t, t->counters[turns->exit].split, intrinsic(t, "llvm.ctpop", t->i64, &word, 1));
    LLVMBuildBr(t->builder, loop);
    LLVMPositionBuilderAtEnd(t->builder, end);
}

void end_turns(struct translator *t, const bool *region)
{
    if (!t->is_alone)
        return;
    add_word(t, NULL, load64(t, t->passed));
    end_paths(t);
    for (size_t i = 0; i < t->turns.count; i++)
        if (is_in_region(t, region, t->turns.at[i].header))
            count_log(t, &t->turns.at[i]);
}
