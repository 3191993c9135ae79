/* Counters per instruction of loops that strips of a warp leave in different turns, or in which they part.
 *
 * The machine's warp goes through such a loop once, for as many turns as its last lanes need.  In each turn a strip leaves bits of what
 * it passes, as outside of loops (trails.c); turns in a row with the same bits are a lap, and a log has the laps of all strips of the
 * warp (struct cy_jit_lap).  A table counts warps by a hash of their log: most warps of a kernel have one of a few.  What a new
 * log says of each counter is found out by the runtime, which joins the strips turn by turn.  A loop in another one begins anew
 * in each of its turns, so each turn of that one is a lap, and follows those of the inner one.
 *
 * Loops are as compilers make them: they are entered where they begin, and lanes that leave one wait for the others. */
#include "jit/translate/count/strips.h"

#include <string.h>

enum { MOST_DEPTH = 3, MOST_LOOPS = 200 };
_Static_assert(MOST_LOOPS + MAX_PHASES <= CY_JIT_LAP_TABLES, "a lap has room for the number of its table");

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
    *loop = (struct lap_loop){
        .header = header, .parent = NONE, .table = NONE, .has = cy_arena_alloc(&t->arena, t->blocks.count)};
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

/* Can a strip get from the one block to the other without a barrier, or is it there? */
static bool reaches(const struct translator *t, uint32_t from, uint32_t to, bool *seen)
{
    memset(seen, 0, t->blocks.count);
    seen[from] = true;
    for (bool changed = true; changed && !seen[to];) {
        changed = false;
        for (uint32_t i = 0; i < t->blocks.count; i++)
            for (unsigned k = 0; k < 2 && seen[i]; k++) {
                const uint32_t next = successor(t, i, k);
                if (next != NONE && !seen[next])
                    changed = seen[next] = true;
            }
    }
    return seen[to];
}

void find_lap_loops(struct translator *t)
{
    bool *seen = cy_arena_alloc(&t->arena, t->blocks.count + 1);
    for (uint32_t i = 0; i < t->blocks.count; i++)
        for (unsigned k = 0; k < 2; k++) {
            const uint32_t to = successor(t, i, k);
            if (to != NONE && to <= i && reaches(t, to, i, seen)) /* blocks are laid out in the source's order */
                fill_loop(t, loop_from(t, to), i);
        }
    for (uint32_t i = 0; i < t->lap_loops.count; i++) {
        struct lap_loop *loop = &t->lap_loops.at[i];
        loop->parent = innermost(t, loop->header, size_of(t, loop));
        if (loop->parent != NONE)
            t->lap_loops.at[loop->parent].has_inner = true;
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
        if (t->counters[i].lap != NONE && (!chosen[t->counters[i].lap] || is_in_chain(t, i)))
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

/* Before each instruction: registers that depend on what lanes have loaded, or all of them in a loop. */
void find_loaded(struct translator *t)
{
    t->loaded = cy_arena_alloc(&t->arena, (t->count + 2) * sizeof(*t->loaded));
    memset(t->loaded, 0, (t->count + 2) * sizeof(*t->loaded));
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < t->count; i++) {
            const struct inst *inst = &t->insts[i];
            const bool is_load = row_of(inst)->flags & (CY_F_LOAD | CY_F_ATOMIC) &&
                                 (row_of(inst)->sched != CY_SCHED_slsu || t->looping[i]);
            const bool is_loaded = is_load || meets(&inst->uses, &t->loaded[i]);
            struct regs after = t->loaded[i];
            if (!inst->reachable)
                continue;
            after.x = is_loaded ? after.x | inst->defs.x : after.x & ~inst->defs.x;
            for (unsigned k = 0; k < 4; k++)
                after.v[k] = is_loaded ? after.v[k] | inst->defs.v[k] : after.v[k] & ~inst->defs.v[k];
            changed |= flow(t, &after, inst->next);
            changed |= flow(t, &after, inst->target);
            for (size_t k = 0; inst->is_return && k < t->returns.count; k++)
                changed |= flow(t, &after, t->returns.at[k]);
        }
    }
}

bool depends_on_loads(const struct translator *t, uint32_t number)
{
    return meets(&t->insts[number].uses, &t->loaded[number]);
}

static bool can_have_laps(const struct translator *t, uint32_t number)
{
    const struct inst *inst = &t->insts[number];
    const uint32_t loop = t->counters[inst->block].lap;
    if (inst->is_return || inst->is_interpreted || row_of(inst)->flags & CY_F_ATOMIC || inst->insn.op == CY_OP_barrier)
        return false;
    if (!is_vector_branch(inst)) /* turns that differ for all lanes would be laps, too */
        return inst->target == NONE || inst->next == NONE || !contains(t, loop, t->insts[inst->target].block) ||
               !contains(t, loop, t->insts[inst->next].block);
    if (depends_on_loads(t, number))
        return false; /* such lanes take ways of their own: whole warps, and lanes alone, are faster */
    /* in an inner loop lanes may part in many ways, and whole warps are as fast where they are rows */
    const bool is_way_out =
        !contains(t, loop, t->insts[inst->target].block) || !contains(t, loop, t->insts[inst->next].block);
    if (t->request->local[0] % t->request->threads == 0 && t->lap_loops.at[loop].parent != NONE && !is_way_out)
        return false;
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
    find_lap_loops(t);
    choose_lap_loops(t);
    for (unsigned i = 0; i < t->phase_count; i++) /* after a barrier on one of the ways through it */
        if (t->counters[t->insts[t->phases[i].entry].block].lap != NONE)
            return false;
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

/* ---- bits ---- */

/* Does a strip that passes the one block pass the other, too, later in the same turn? */
static bool leads_to(const struct translator *t, uint32_t from, uint32_t to, bool *seen)
{
    const struct lap_loop *loop = &t->lap_loops.at[t->counters[from].lap];
    bool leads = from != to;
    memset(seen, 0, t->blocks.count);
    seen[from] = true;
    for (bool changed = true; changed && leads;) {
        changed = false;
        for (uint32_t i = 0; i < t->blocks.count; i++) {
            const struct inst *last = &t->insts[t->blocks.at[i].last];
            if (!seen[i] || i == to)
                continue;
            leads &= last->insn.op != CY_OP_barrier && !last->is_return && row_of(last)->format != CY_FORMAT_ENDPRG;
            for (unsigned k = 0; k < 2; k++) {
                const uint32_t next = successor(t, i, k);
                if (next == NONE || seen[next])
                    continue;
                leads &= next != loop->header && loop->has[next];
                changed = seen[next] = true;
            }
        }
    }
    return leads && seen[to];
}

/* The instruction is the first one of a block that nothing else leads to. */
bool is_only_way(const struct translator *t, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->insts[i].reachable && i != from && (t->insts[i].next == to || t->insts[i].target == to))
            return false;
    for (size_t i = 0; i < t->returns.count; i++)
        if (t->returns.at[i] == to)
            return false;
    return t->blocks.at[t->insts[to].block].first == to;
}

/* The bit that lanes which go there leave anyway. */
static uint8_t mark_at(const struct translator *t, uint32_t from, uint32_t to)
{
    const uint32_t block = t->insts[to].block;
    return t->counters[block].lap == t->counters[t->insts[from].block].lap && is_only_way(t, from, to)
               ? t->lap_marks[block].passed
               : NO_MARK;
}

static void give_passed(struct translator *t, uint32_t block, bool *seen)
{
    const struct block *code = &t->blocks.at[block];
    struct lap_loop *loop = &t->lap_loops.at[t->counters[block].lap];
    struct trail_mark *mark = &t->lap_marks[block];
    const bool is_join = row_of(&t->insts[code->last])->format == CY_FORMAT_JOIN && code->first == code->last;
    *mark = (struct trail_mark){NO_MARK, NO_MARK, NO_MARK, NO_MARK, false, false, false, false, false};
    if (is_join && block != loop->header) /* no turn is empty */
        return;
    for (uint32_t i = 0; i < block && mark->passed == NO_MARK; i++)
        if (t->counters[i].lap == t->counters[block].lap && t->insts[t->blocks.at[i].first].reachable &&
            t->lap_marks[i].passed != NO_MARK && is_dominated(t, block, i) && leads_to(t, i, block, seen))
            mark->passed = t->lap_marks[i].passed;
    if (mark->passed != NO_MARK)
        return;
    mark->passed = (uint8_t)loop->bits++;
    mark->sets_passed = true;
}

/* Once all blocks have theirs. */
static void give_others(struct translator *t, uint32_t block)
{
    const uint32_t last = t->blocks.at[block].last;
    const struct inst *inst = &t->insts[last];
    struct lap_loop *loop = &t->lap_loops.at[t->counters[block].lap];
    struct trail_mark *mark = &t->lap_marks[block];
    if (row_of(inst)->format == CY_FORMAT_JOIN) {
        mark->joined = mark_at(t, last, inst->next);
        mark->sets_joined = mark->joined == NO_MARK;
        if (mark->sets_joined)
            mark->joined = (uint8_t)loop->bits++;
    }
    if (t->counters[block].split == NONE)
        return;
    mark->taken = inst->target == inst->rpc ? NO_MARK : mark_at(t, last, inst->target);
    mark->rest = inst->next == inst->rpc ? NO_MARK : mark_at(t, last, inst->next);
    mark->sets_taken = mark->taken == NO_MARK;
    mark->sets_rest = mark->rest == NO_MARK;
    if (mark->sets_taken)
        mark->taken = (uint8_t)loop->bits++;
    if (mark->sets_rest)
        mark->rest = (uint8_t)loop->bits++;
}

/* False: there are too many bits, or blocks that are passed repeatedly without being in a loop. */
bool give_lap_bits(struct translator *t)
{
    enum { MOST_BLOCKS = 200 };
    bool *seen = cy_arena_alloc(&t->arena, t->blocks.count + 1);
    t->lap_marks = cy_arena_alloc(&t->arena, (t->blocks.count + 1) * sizeof(*t->lap_marks));
    for (uint32_t i = 0; i < t->blocks.count; i++)
        if (t->insts[t->blocks.at[i].first].reachable && t->counters[i].is_repeated && innermost(t, i, 0) == NONE)
            return false;
    if (t->blocks.count > MOST_BLOCKS) /* comparing each with each would take long */
        return false;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < t->blocks.count; i++) {
            if (t->counters[i].lap == NONE || !t->insts[t->blocks.at[i].first].reachable)
                continue;
            if (t->lap_loops.at[t->counters[i].lap].bits + 4 > CY_JIT_LAP_LAST_BIT)
                return false;
            if (pass)
                give_others(t, i);
            else
                give_passed(t, i, seen);
        }
    return true;
}

static void mark_block(struct translator *t, uint32_t block)
{
    const struct counter *counter = &t->counters[block];
    const struct trail_mark *mark = &t->lap_marks[block];
    if (mark->passed != NO_MARK)
        add_mark(t, CY_JIT_PASSED, mark->passed, 0, counter->issued);
    if (mark->joined != NO_MARK)
        add_mark(t, CY_JIT_PASSED, mark->joined, 0, counter->join);
    if (mark->taken != NO_MARK)
        add_mark(t, CY_JIT_PARTED, mark->taken, mark->rest, counter->split);
}

void mark_laps(struct translator *t)
{
    for (uint32_t loop = 0; loop < t->lap_loops.count; loop++) {
        struct cy_jit_table table = {
            .is_lap = true, .width = t->lap_loops.at[loop].bits, .parent = NONE, .first = (uint32_t)t->marks.count};
        if (!table.width)
            continue;
        for (uint32_t i = 0; i < t->blocks.count; i++)
            if (t->counters[i].lap == loop && t->insts[t->blocks.at[i].first].reachable)
                mark_block(t, i);
        table.count = (uint32_t)t->marks.count - table.first;
        t->lap_loops.at[loop].table = (uint32_t)t->trail_tables.count;
        *cy_vec_push(&t->trail_tables) = table;
    }
    for (uint32_t i = 0; i < t->lap_loops.count; i++) {
        const struct lap_loop *loop = &t->lap_loops.at[i];
        if (loop->table != NONE && loop->parent != NONE)
            t->trail_tables.at[loop->table].parent = t->lap_loops.at[loop->parent].table;
    }
}

/* ---- code ---- */

void make_lap_allocas(struct translator *t)
{
    for (size_t i = 0; i < t->lap_loops.count; i++) {
        struct lap_loop *loop = &t->lap_loops.at[i];
        loop->now = LLVMBuildAlloca(t->allocas, t->i64, "now");
        loop->before = LLVMBuildAlloca(t->allocas, t->i64, "before");
        loop->run = LLVMBuildAlloca(t->allocas, t->i64, "run");
    }
    if (t->lap_loops.count) {
        t->lap_count = LLVMBuildAlloca(t->allocas, t->i64, "laps");
        t->lap_hash = LLVMBuildAlloca(t->allocas, t->i64, "hash");
    }
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
    if (loop && t->lap_marks[block].sets_passed)
        pass(t, loop, number64(t, 1ull << t->lap_marks[block].passed));
    return loop;
}

bool lap_join(struct translator *t, uint32_t block)
{
    const struct lap_loop *loop = laps_of(t, block);
    if (loop && t->lap_marks[block].sets_joined)
        pass(t, loop, number64(t, 1ull << t->lap_marks[block].joined));
    return loop;
}

bool lap_sides(struct translator *t, uint32_t block, LLVMValueRef taken, LLVMValueRef rest)
{
    const struct lap_loop *loop = laps_of(t, block);
    if (!loop)
        return false;
    const struct trail_mark *mark = &t->lap_marks[block];
    LLVMValueRef zero = number64(t, 0);
    if (mark->sets_taken)
        pass(t, loop, LLVMBuildSelect(t->builder, taken, number64(t, 1ull << mark->taken), zero, ""));
    if (mark->sets_rest)
        pass(t, loop, LLVMBuildSelect(t->builder, rest, number64(t, 1ull << mark->rest), zero, ""));
    return true;
}

static LLVMValueRef lap_word(struct translator *t, LLVMValueRef index)
{
    LLVMValueRef at = LLVMBuildMul(t->builder, index, number64(t, sizeof(struct cy_jit_lap)), "");
    return LLVMBuildGEP2(t->builder, t->i8, log_words(t, CY_JIT_LAP_LOG), &at, 1, "");
}

/* The next warp. */
static void clear_log(struct translator *t)
{
    LLVMBuildStore(t->builder, number64(t, 0), t->lap_count);
    LLVMBuildStore(t->builder, number64(t, 0), t->lap_hash);
}

/* A hash that may not be in the table. */
static void count_log(struct translator *t, LLVMValueRef key)
{
    LLVMValueRef args[] = {t->frame, LLVMBuildTrunc(t->builder, load64(t, t->lap_count), t->i32, ""), key,
                           t->tally_array};
    stop_if(t, call_rare_helper(t, offsetof(struct cy_jit_helpers, laps), args, CY_COUNT(args)));
}

/* 0 is no key. */
static LLVMValueRef lap_key(struct translator *t)
{
    return LLVMBuildOr(t->builder, load64(t, t->lap_hash), number64(t, 1), "");
}

/* The log gets room for another lap. */
static void make_room(struct translator *t)
{
    enum { WORDS = sizeof(struct cy_jit_lap) / sizeof(uint64_t) };
    LLVMValueRef index = LLVMBuildMul(t->builder, load64(t, t->lap_count), number64(t, WORDS), "");
    LLVMBasicBlockRef beyond =
        lengthen_log(t, CY_JIT_LAP_LOG, LLVMBuildAdd(t->builder, index, number64(t, WORDS - 1), ""));
    LLVMBasicBlockRef fits = LLVMGetInsertBlock(t->builder);
    LLVMPositionBuilderAtEnd(t->builder, beyond);
    count_log(t, lap_key(t));
    clear_log(t);
    LLVMBuildBr(t->builder, fits);
    LLVMPositionBuilderAtEnd(t->builder, fits);
}

/* So many turns had these bits; `leaves`: they were the loop's last ones. */
static void log_lap(struct translator *t, const struct lap_loop *loop, LLVMValueRef bits, LLVMValueRef turns,
                    bool leaves)
{
    make_room(t);
    const uint64_t flags = (uint64_t)loop->table << CY_JIT_LAP_TABLE_BIT | (uint64_t)leaves << CY_JIT_LAP_LAST_BIT;
    LLVMValueRef number = load64(t, t->lap_count), place = lap_word(t, number);
    LLVMValueRef word = LLVMBuildOr(t->builder, bits, number64(t, flags), "");
    LLVMBuildStore(t->builder, word, at_offset(t, place, offsetof(struct cy_jit_lap, word)));
    LLVMBuildStore(t->builder, turns, at_offset(t, place, offsetof(struct cy_jit_lap, turns)));
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, number, number64(t, 1), ""), t->lap_count);
    LLVMValueRef hash = LLVMBuildXor(t->builder, load64(t, t->lap_hash), word, "");
    hash = LLVMBuildMul(t->builder, hash, number64(t, CY_JIT_TRAIL_HASH), "");
    hash = LLVMBuildXor(t->builder, hash, LLVMBuildLShr(t->builder, hash, number64(t, 32), ""), "");
    LLVMValueRef more = LLVMBuildMul(t->builder, turns, number64(t, CY_JIT_LAP_HASH), "");
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, hash, more, ""), t->lap_hash);
}

/* Of a loop without others in it: if the turn was like those before it, it belongs to their lap. */
static void end_turn(struct translator *t, const struct lap_loop *loop, bool leaves)
{
    LLVMBasicBlockRef same = new_block(t, "same"), other = new_block(t, "other"), some = new_block(t, "lap"),
                      begin = new_block(t, "begin"), on = new_block(t, "on");
    LLVMValueRef now = load64(t, loop->now), before = load64(t, loop->before), run = load64(t, loop->run),
                 one = number64(t, 1);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, now, before, ""), same, other);
    LLVMPositionBuilderAtEnd(t->builder, same);
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, run, one, ""), loop->run);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, other);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, run, number64(t, 0), ""), begin, some);
    LLVMPositionBuilderAtEnd(t->builder, some);
    log_lap(t, loop, before, run, false);
    LLVMBuildBr(t->builder, begin);
    LLVMPositionBuilderAtEnd(t->builder, begin);
    LLVMBuildStore(t->builder, now, loop->before);
    LLVMBuildStore(t->builder, one, loop->run);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
    if (leaves) {
        LLVMValueRef first = load64(t, loop->before);
        log_lap(t, loop, first, load64(t, loop->run), true);
    }
}

static void next_turn(struct translator *t, const struct lap_loop *loop, bool leaves)
{
    if (loop->has_inner)
        log_lap(t, loop, load64(t, loop->now), number64(t, 1), leaves);
    else
        end_turn(t, loop, leaves);
    LLVMBuildStore(t->builder, number64(t, 0), loop->now);
}

static void begin_loop(struct translator *t, const struct lap_loop *loop)
{
    LLVMBuildStore(t->builder, number64(t, 0), loop->now);
    LLVMBuildStore(t->builder, number64(t, 0), loop->before);
    LLVMBuildStore(t->builder, number64(t, 0), loop->run);
}

/* The strip goes from the current instruction to another one. */
void laps_edge(struct translator *t, uint32_t number)
{
    const uint32_t from = t->insts[t->at].block, to = t->insts[number].block;
    if (!t->emit || !t->lap_loops.count)
        return;
    uint32_t loop = t->counters[from].lap;
    for (; loop != NONE && !contains(t, loop, to); loop = t->lap_loops.at[loop].parent)
        next_turn(t, &t->lap_loops.at[loop], true);
    if (loop != NONE && t->lap_loops.at[loop].header == to)
        next_turn(t, &t->lap_loops.at[loop], false);
    else if (t->counters[to].lap != loop)
        begin_loop(t, &t->lap_loops.at[t->counters[to].lap]);
}

/* Of a workgroup's phase. */
void begin_laps(struct translator *t)
{
    if (t->lap_loops.count)
        clear_log(t);
}

/* `is_last`: the strip is the last of its warp. */
void end_laps(struct translator *t, LLVMValueRef is_last)
{
    LLVMBasicBlockRef some = new_block(t, "laps"), same = new_block(t, "same"), other = new_block(t, "other"),
                      counted = new_block(t, "counted"), on = new_block(t, "on");
    LLVMValueRef has_some = LLVMBuildICmp(t->builder, LLVMIntNE, load64(t, t->lap_count), number64(t, 0), "");
    LLVMBuildCondBr(t->builder, LLVMBuildAnd(t->builder, is_last, has_some, ""), some, on);
    LLVMPositionBuilderAtEnd(t->builder, some);
    LLVMValueRef key = lap_key(t), hash = LLVMBuildMul(t->builder, key, number64(t, CY_JIT_TRAIL_HASH), "");
    hash = LLVMBuildLShr(t->builder, hash, number64(t, 64 - CY_JIT_LAP_BITS), "");
    LLVMValueRef offset = LLVMBuildMul(t->builder, hash, number64(t, sizeof(struct cy_jit_trail)), "");
    LLVMValueRef table =
        at_offset(t, t->tally_array, (int64_t)((t->counted_at.count + t->trail_words) * sizeof(uint64_t)));
    LLVMValueRef place = LLVMBuildGEP2(t->builder, t->i8, table, &offset, 1, "");
    LLVMValueRef is_same = LLVMBuildICmp(t->builder, LLVMIntEQ, load64(t, place), key, "");
    make_rare(t, LLVMBuildCondBr(t->builder, is_same, same, other), false);
    LLVMPositionBuilderAtEnd(t->builder, same);
    LLVMValueRef warps = at_offset(t, place, offsetof(struct cy_jit_trail, warps));
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, load64(t, warps), number64(t, 1), ""), warps);
    LLVMBuildBr(t->builder, counted);
    LLVMPositionBuilderAtEnd(t->builder, other);
    count_log(t, key);
    LLVMBuildBr(t->builder, counted);
    LLVMPositionBuilderAtEnd(t->builder, counted);
    clear_log(t);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}
