/* Counters per instruction of loops that strips of a warp leave in different turns, or in which they part.
 *
 * The machine's warp goes through such a loop once, for as many turns as its last lanes need.  In each turn a strip leaves bits of what
 * it passes, as outside of loops (trails.c); turns in a row with the same bits are a lap, and a log has the laps of all strips of the
 * warp (struct cy_jit_lap).  After the last one the runtime finds out what the warp has passed in each turn.  A loop in another one
 * begins anew in each of its turns: laps have numbers of these, too.
 *
 * Loops are as compilers make them: they are entered where they begin, and lanes that leave one wait for the others. */
#include "jit/translate/translate_priv.h"

#include <string.h>

enum { MOST_DEPTH = 3, MOST_LOOPS = 200, MOST_BITS = 64 };

static LLVMValueRef number64(struct translator *t, uint64_t number)
{
    return LLVMConstInt(t->i64, number, false);
}

static LLVMValueRef load64(struct translator *t, LLVMValueRef place)
{
    return LLVMBuildLoad2(t->builder, t->i64, place, "");
}

/* ---- loops ---- */

static uint32_t successor(const struct translator *t, uint32_t block, unsigned which)
{
    const struct inst *last = &t->insts[t->blocks.at[block].last];
    const uint32_t to = last->insn.op == CY_OP_barrier ? NONE : which ? last->target : last->next;
    return to == NONE || !last->reachable ? NONE : t->insts[to].block;
}

/* Blocks that get to `from` without passing the loop's first one. */
static void fill_loop(const struct translator *t, struct lap_loop *loop, uint32_t from)
{
    bool changed = !loop->has[from];
    loop->has[from] = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < t->blocks.count; i++)
            for (unsigned k = 0; k < 2 && !loop->has[i]; k++) {
                const uint32_t to = successor(t, i, k);
                if (to != NONE && to != loop->header && loop->has[to])
                    changed = loop->has[i] = true;
            }
    }
}

static struct lap_loop *loop_from(struct translator *t, uint32_t header)
{
    for (size_t i = 0; i < t->lap_loops.count; i++)
        if (t->lap_loops.at[i].header == header)
            return &t->lap_loops.at[i];
    struct lap_loop *loop = cy_vec_push(&t->lap_loops);
    *loop = (struct lap_loop){.header = header, .parent = NONE, .has = cy_arena_alloc(&t->arena, t->blocks.count)};
    memset(loop->has, 0, t->blocks.count);
    loop->has[header] = true;
    return loop;
}

static uint32_t size_of(const struct translator *t, const struct lap_loop *loop)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < t->blocks.count; i++)
        size += loop->has[i];
    return size;
}

/* The smallest loop with the block, and larger than `above` blocks; NONE. */
static uint32_t innermost(const struct translator *t, uint32_t block, uint32_t above)
{
    uint32_t found = NONE, least = UINT32_MAX;
    for (uint32_t i = 0; i < t->lap_loops.count; i++) {
        const uint32_t size = size_of(t, &t->lap_loops.at[i]);
        if (t->lap_loops.at[i].has[block] && size > above && size < least) {
            found = i;
            least = size;
        }
    }
    return found;
}

static void find_lap_loops(struct translator *t)
{
    for (uint32_t i = 0; i < t->blocks.count; i++)
        for (unsigned k = 0; k < 2; k++) {
            const uint32_t to = successor(t, i, k);
            if (to != NONE && to <= i) /* blocks are laid out in the source's order */
                fill_loop(t, loop_from(t, to), i);
        }
    for (uint32_t i = 0; i < t->lap_loops.count; i++) {
        struct lap_loop *loop = &t->lap_loops.at[i];
        loop->parent = innermost(t, loop->header, size_of(t, loop));
    }
    for (uint32_t i = 0; i < t->blocks.count; i++)
        t->counters[i].lap = innermost(t, i, 0);
}

static bool contains(const struct translator *t, uint32_t loop, uint32_t block)
{
    return loop != NONE && t->lap_loops.at[loop].has[block];
}

/* Loops in which strips part, those around them and those inside.  Others keep their counters. */
static void choose_lap_loops(struct translator *t)
{
    const uint32_t count = (uint32_t)t->lap_loops.count;
    bool *parts = cy_arena_alloc(&t->arena, count + 1), *chosen = cy_arena_alloc(&t->arena, count + 1);
    memset(parts, 0, count);
    memset(chosen, 0, count);
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        if (inst->reachable && is_vector_branch(inst) && inst->differs)
            for (uint32_t k = 0; k < count; k++)
                parts[k] |= t->lap_loops.at[k].has[inst->block];
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t up = i; up != NONE; up = t->lap_loops.at[up].parent)
            chosen[i] |= parts[up];
    for (uint32_t i = 0; i < t->blocks.count; i++)
        if (t->counters[i].lap != NONE && !chosen[t->counters[i].lap])
            t->counters[i].lap = NONE;
}

/* ---- conditions ---- */

/* Does every way into the loops of a block lead to their first one, one loop after the other? */
static bool is_entered_well(const struct translator *t, uint32_t from, uint32_t to)
{
    const uint32_t loop = t->counters[to].lap;
    if (loop == NONE || contains(t, loop, from))
        return true;
    const uint32_t parent = t->lap_loops.at[loop].parent;
    return t->lap_loops.at[loop].header == to && (parent == NONE || contains(t, parent, from));
}

static bool meets(const struct regs *a, const struct regs *b)
{
    bool found = a->x & b->x;
    for (unsigned i = 0; i < 4; i++)
        found |= (a->v[i] & b->v[i]) != 0;
    return found;
}

static bool flow(struct translator *t, const struct regs *from, uint32_t to)
{
    struct regs before;
    if (to == NONE)
        return false;
    before = t->loaded[to];
    unite(&t->loaded[to], from);
    return memcmp(&before, &t->loaded[to], sizeof(before)) != 0;
}

/* Before each instruction: vGPRs that depend on what lanes have loaded. */
static void find_loaded(struct translator *t)
{
    t->loaded = cy_arena_alloc(&t->arena, (t->count + 2) * sizeof(*t->loaded));
    memset(t->loaded, 0, (t->count + 2) * sizeof(*t->loaded));
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < t->count; i++) {
            const struct inst *inst = &t->insts[i];
            const bool is_load =
                row_of(inst)->flags & (CY_F_LOAD | CY_F_ATOMIC) && row_of(inst)->sched != CY_SCHED_slsu;
            struct regs after = t->loaded[i];
            if (!inst->reachable)
                continue;
            for (unsigned k = 0; k < 4; k++)
                after.v[k] = is_load || meets(&inst->uses, &t->loaded[i]) ? after.v[k] | inst->defs.v[k]
                                                                          : after.v[k] & ~inst->defs.v[k];
            changed |= flow(t, &after, inst->next);
            changed |= flow(t, &after, inst->target);
            for (size_t k = 0; inst->is_return && k < t->returns.count; k++)
                changed |= flow(t, &after, t->returns.at[k]);
        }
    }
}

static bool can_have_laps(const struct translator *t, uint32_t number)
{
    const struct inst *inst = &t->insts[number];
    const uint32_t loop = t->counters[inst->block].lap;
    if (inst->is_return || inst->is_interpreted || row_of(inst)->flags & CY_F_ATOMIC || inst->insn.op == CY_OP_barrier)
        return false;
    if (!is_vector_branch(inst))
        return true;
    if (meets(&inst->uses, &t->loaded[number]))
        return false; /* such lanes take ways of their own: whole warps, and lanes alone, are faster */
    const bool is_both_sided = inst->target != inst->rpc && inst->next != inst->rpc;
    const bool stays = contains(t, loop, t->insts[inst->rpc].block);
    return !is_both_sided || (stays && t->insts[inst->target].block != t->lap_loops.at[loop].header);
}

static unsigned depth_of(const struct translator *t, uint32_t loop)
{
    return loop == NONE ? 0 : 1 + depth_of(t, t->lap_loops.at[loop].parent);
}

/* False: there are loops that are not so. */
bool plan_laps(struct translator *t)
{
    find_loaded(t);
    find_lap_loops(t);
    choose_lap_loops(t);
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        const struct block *block = &t->blocks.at[i];
        const uint32_t loop = t->counters[i].lap;
        if (!t->insts[block->first].reachable)
            continue;
        if (loop != NONE && depth_of(t, loop) > MOST_DEPTH)
            return false;
        for (unsigned k = 0; k < 2; k++) {
            const uint32_t to = successor(t, i, k);
            if (to != NONE && !is_entered_well(t, i, to))
                return false;
        }
        for (uint32_t k = block->first; loop != NONE; k = t->insts[k].next) {
            if (!can_have_laps(t, k))
                return false;
            if (k == block->last)
                break;
        }
    }
    return t->lap_loops.count <= MOST_LOOPS;
}

/* Bits, once counters are known.  False: there are too many, or blocks that are passed repeatedly without being in a loop. */
bool give_lap_bits(struct translator *t)
{
    t->lap_marks = cy_arena_alloc(&t->arena, (t->blocks.count + 1) * sizeof(*t->lap_marks));
    for (uint32_t i = 0; i < t->blocks.count; i++)
        if (t->insts[t->blocks.at[i].first].reachable && t->counters[i].is_repeated && innermost(t, i, 0) == NONE)
            return false;
    for (uint32_t loop = 0; loop < t->lap_loops.count; loop++) {
        struct lap_loop *laps = &t->lap_loops.at[loop];
        struct cy_jit_table table = {.is_lap = true, .first = (uint32_t)t->marks.count};
        unsigned bits = 0;
        for (uint32_t i = 0; i < t->blocks.count && bits <= MOST_BITS; i++) {
            const struct counter *counter = &t->counters[i];
            struct trail_mark *mark = &t->lap_marks[i];
            if (counter->lap != loop || !t->insts[t->blocks.at[i].first].reachable)
                continue;
            *mark = (struct trail_mark){NO_MARK, NO_MARK, NO_MARK, NO_MARK, false, true, true};
            mark->passed = (uint8_t)bits++; /* so that no turn is empty */
            add_mark(t, CY_JIT_PASSED, mark->passed, 0, counter->issued);
            if (counter->join != NONE) {
                mark->joined = (uint8_t)bits++;
                add_mark(t, CY_JIT_PASSED, mark->joined, 0, counter->join);
            }
            if (counter->split != NONE) {
                mark->taken = (uint8_t)bits++;
                mark->rest = (uint8_t)bits++;
                add_mark(t, CY_JIT_PARTED, mark->taken, mark->rest, counter->split);
            }
        }
        if (bits > MOST_BITS)
            return false;
        table.count = (uint32_t)t->marks.count - table.first;
        if (!bits)
            continue;
        table.width = bits;
        laps->table = (uint32_t)t->trail_tables.count;
        *cy_vec_push(&t->trail_tables) = table;
    }
    return true;
}

/* ---- code ---- */

void make_lap_allocas(struct translator *t)
{
    for (size_t i = 0; i < t->lap_loops.count; i++) {
        struct lap_loop *loop = &t->lap_loops.at[i];
        loop->turn = LLVMBuildAlloca(t->allocas, t->i64, "turn");
        loop->start = LLVMBuildAlloca(t->allocas, t->i64, "start");
        loop->now = LLVMBuildAlloca(t->allocas, t->i64, "now");
        loop->before = LLVMBuildAlloca(t->allocas, t->i64, "before");
        loop->visit = LLVMBuildAlloca(t->allocas, t->i64, "visit");
    }
    if (t->lap_loops.count)
        t->lap_count = LLVMBuildAlloca(t->allocas, t->i64, "laps");
}

static const struct lap_loop *laps_of(const struct translator *t, uint32_t block)
{
    const uint32_t loop = t->counters[block].lap;
    return loop == NONE ? NULL : &t->lap_loops.at[loop];
}

static void pass(struct translator *t, const struct lap_loop *loop, LLVMValueRef bits)
{
    LLVMBuildStore(t->builder, LLVMBuildOr(t->builder, load64(t, loop->now), bits, ""), loop->now);
}

bool lap_block(struct translator *t, uint32_t block)
{
    const struct lap_loop *loop = laps_of(t, block);
    if (loop)
        pass(t, loop, number64(t, 1ull << t->lap_marks[block].passed));
    return loop;
}

bool lap_join(struct translator *t, uint32_t block)
{
    const struct lap_loop *loop = laps_of(t, block);
    if (loop)
        pass(t, loop, number64(t, 1ull << t->lap_marks[block].joined));
    return loop;
}

bool lap_sides(struct translator *t, uint32_t block, LLVMValueRef taken, LLVMValueRef rest)
{
    const struct lap_loop *loop = laps_of(t, block);
    if (!loop)
        return false;
    LLVMValueRef zero = number64(t, 0);
    pass(t, loop, LLVMBuildSelect(t->builder, taken, number64(t, 1ull << t->lap_marks[block].taken), zero, ""));
    pass(t, loop, LLVMBuildSelect(t->builder, rest, number64(t, 1ull << t->lap_marks[block].rest), zero, ""));
    return true;
}

/* The warp's laps up to here are counted. */
static void count_laps(struct translator *t)
{
    LLVMValueRef args[] = {t->frame, LLVMBuildTrunc(t->builder, load64(t, t->lap_count), t->i32, ""), t->tally_array};
    stop_if(t, call_rare_helper(t, offsetof(struct cy_jit_helpers, laps), args, CY_COUNT(args)));
    LLVMBuildStore(t->builder, number64(t, 0), t->lap_count);
}

/* The turns from the lap's start up to this one go to the log. */
static void log_lap(struct translator *t, const struct lap_loop *loop)
{
    enum { WORDS = sizeof(struct cy_jit_lap) / sizeof(uint64_t) };
    LLVMBasicBlockRef full = new_block(t, "full"), beyond = new_block(t, "beyond"), more = new_block(t, "more"),
                      fits = new_block(t, "fits");
    LLVMValueRef index = LLVMBuildMul(t->builder, load64(t, t->lap_count), number64(t, WORDS), "");
    LLVMValueRef last = LLVMBuildAdd(t->builder, index, number64(t, WORDS - 1), "");
    LLVMValueRef count = load64(t, log_field(t, CY_JIT_LAP_LOG, offsetof(struct cy_jit_log, count)));
    LLVMValueRef is_full = LLVMBuildICmp(t->builder, LLVMIntUGE, last, count, "");
    make_rare(t, LLVMBuildCondBr(t->builder, is_full, full, fits), true);
    LLVMPositionBuilderAtEnd(t->builder, full);
    LLVMValueRef is_beyond = LLVMBuildICmp(t->builder, LLVMIntUGE, last, number64(t, CY_JIT_LOG_WORDS), "");
    make_rare(t, LLVMBuildCondBr(t->builder, is_beyond, beyond, more), true);
    LLVMPositionBuilderAtEnd(t->builder, beyond);
    count_laps(t);
    LLVMBuildBr(t->builder, fits);
    LLVMPositionBuilderAtEnd(t->builder, more);
    LLVMValueRef args[] = {t->frame, number32(t, CY_JIT_LAP_LOG), LLVMBuildTrunc(t->builder, last, t->i32, "")};
    stop_if(t, call_rare_helper(t, offsetof(struct cy_jit_helpers, lengthen), args, CY_COUNT(args)));
    LLVMBuildBr(t->builder, fits);
    LLVMPositionBuilderAtEnd(t->builder, fits);
    LLVMValueRef number = load64(t, t->lap_count);
    LLVMValueRef at = LLVMBuildMul(t->builder, number, number64(t, sizeof(struct cy_jit_lap)), "");
    LLVMValueRef place = LLVMBuildGEP2(t->builder, t->i8, log_words(t, CY_JIT_LAP_LOG), &at, 1, "");
    LLVMValueRef turns = LLVMBuildShl(t->builder, load64(t, loop->turn), number64(t, 32), "");
    turns = LLVMBuildOr(t->builder, turns, load64(t, loop->start), "");
    LLVMBuildStore(t->builder, number64(t, loop->table), place);
    LLVMBuildStore(t->builder, load64(t, loop->visit), at_offset(t, place, offsetof(struct cy_jit_lap, visit)));
    LLVMBuildStore(t->builder, turns, at_offset(t, place, offsetof(struct cy_jit_lap, start)));
    LLVMBuildStore(t->builder, load64(t, loop->before), at_offset(t, place, offsetof(struct cy_jit_lap, word)));
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, number, number64(t, 1), ""), t->lap_count);
}

static void end_turn(struct translator *t, const struct lap_loop *loop)
{
    LLVMBasicBlockRef other = new_block(t, "other"), some = new_block(t, "lap"), begin = new_block(t, "begin"),
                      on = new_block(t, "on");
    LLVMValueRef now = load64(t, loop->now), turn = load64(t, loop->turn);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, now, load64(t, loop->before), ""), on, other);
    LLVMPositionBuilderAtEnd(t->builder, other);
    LLVMValueRef is_new = LLVMBuildICmp(t->builder, LLVMIntEQ, turn, load64(t, loop->start), "");
    LLVMBuildCondBr(t->builder, is_new, begin, some);
    LLVMPositionBuilderAtEnd(t->builder, some);
    log_lap(t, loop);
    LLVMBuildBr(t->builder, begin);
    LLVMPositionBuilderAtEnd(t->builder, begin);
    LLVMBuildStore(t->builder, now, loop->before);
    LLVMBuildStore(t->builder, turn, loop->start);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, turn, number64(t, 1), ""), loop->turn);
    LLVMBuildStore(t->builder, number64(t, 0), loop->now);
}

static void begin_loop(struct translator *t, const struct lap_loop *loop)
{
    enum { TURN_BITS = 20 };
    LLVMValueRef zero = number64(t, 0), visit = zero;
    if (loop->parent != NONE) {
        const struct lap_loop *parent = &t->lap_loops.at[loop->parent];
        visit = LLVMBuildShl(t->builder, load64(t, parent->visit), number64(t, TURN_BITS), "");
        visit = LLVMBuildAdd(t->builder, visit, load64(t, parent->turn), "");
    }
    LLVMBuildStore(t->builder, visit, loop->visit);
    LLVMBuildStore(t->builder, zero, loop->turn);
    LLVMBuildStore(t->builder, zero, loop->start);
    LLVMBuildStore(t->builder, zero, loop->now);
    LLVMBuildStore(t->builder, zero, loop->before);
}

/* The strip goes from the current instruction to another one. */
void laps_edge(struct translator *t, uint32_t number)
{
    const uint32_t from = t->insts[t->at].block, to = t->insts[number].block;
    if (!t->emit || !t->lap_loops.count)
        return;
    uint32_t loop = t->counters[from].lap;
    for (; loop != NONE && !contains(t, loop, to); loop = t->lap_loops.at[loop].parent) {
        end_turn(t, &t->lap_loops.at[loop]);
        log_lap(t, &t->lap_loops.at[loop]);
    }
    if (loop != NONE && t->lap_loops.at[loop].header == to)
        end_turn(t, &t->lap_loops.at[loop]);
    else if (t->counters[to].lap != loop)
        begin_loop(t, &t->lap_loops.at[t->counters[to].lap]);
}

/* Of a workgroup's phase. */
void begin_laps(struct translator *t)
{
    if (t->lap_loops.count)
        LLVMBuildStore(t->builder, number64(t, 0), t->lap_count);
}

void end_laps(struct translator *t, LLVMValueRef is_last)
{
    LLVMBasicBlockRef some = new_block(t, "laps"), on = new_block(t, "on");
    LLVMValueRef count = load64(t, t->lap_count);
    LLVMValueRef has_some = LLVMBuildICmp(t->builder, LLVMIntNE, count, number64(t, 0), "");
    LLVMBuildCondBr(t->builder, LLVMBuildAnd(t->builder, is_last, has_some, ""), some, on);
    LLVMPositionBuilderAtEnd(t->builder, some);
    count_laps(t);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}
