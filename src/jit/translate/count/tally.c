/* Counters per instruction, for profiles: how often warps issue each block, with how many active lanes, and how often they split.
 * Equal to the interpreter's (gpu/engine/count.c).  Code that a strip passes once between two barriers: trails.c.  Here is that in loops.
 *
 * If a strip is a warp, a block counts when it runs.  Strips that are parts of a warp run one after the other, but the warp issues a
 * block once for all of them.  Where strips of a warp part only outside of loops, those that get to a block do so equally
 * often: the first of them counts for all.  `seen` has a bit for each block that not all strips get to, set by strips that
 * were there, and two for each branch that parts strips: some lanes have taken it, some have not.  Active lanes are added up
 * whatever the order.  Strips that part in a loop: laps.c; if they do so by what they have loaded, but do not leave it: rounds.c.
 * Other kernels run a warp per strip; turns.c counts where its lanes run one after the other. */
#include "jit/translate/count/strips.h"

#include <string.h>

enum { WORD = 64, MOST_WORDS = 8 };

static bool is_tallying(const struct translator *t)
{
    return t->request->counts == CY_JIT_COUNT_INSNS;
}

/* ---- what is counted ---- */

static void enter(bool *inside, uint32_t *work, uint32_t *count, uint32_t number, uint32_t stop)
{
    if (number == NONE || number == stop || inside[number])
        return;
    inside[number] = true;
    work[(*count)++] = number;
}

/* What a strip can get to from `from`: up to the instruction `stop`, or if that is NONE, up to the next barrier. */
static void find_region(const struct translator *t, uint32_t from, uint32_t stop, bool *inside, uint32_t *work)
{
    uint32_t count = 0;
    enter(inside, work, &count, from, stop);
    while (count) {
        const struct inst *inst = &t->insts[work[--count]];
        if (stop == NONE && inst->insn.op == CY_OP_barrier)
            continue;
        enter(inside, work, &count, inst->next, stop);
        enter(inside, work, &count, inst->target, stop);
        for (size_t i = 0; inst->is_return && i < t->returns.count; i++)
            enter(inside, work, &count, t->returns.at[i], stop);
    }
}

static uint32_t new_counter(struct translator *t, uint32_t at)
{
    *cy_vec_push(&t->counted_at) = at;
    return (uint32_t)t->counted_at.count - 1;
}

static void add_tally(struct translator *t, uint32_t counter, struct cy_jit_tally tally)
{
    tally.counter = counter;
    *cy_vec_push(&t->tallies) = tally;
}

static uint32_t end_of(const struct translator *t, uint32_t number)
{
    return number + t->insts[number].insn.size / 4;
}

static bool is_join(const struct translator *t, uint32_t number)
{
    return row_of(&t->insts[number])->format == CY_FORMAT_JOIN;
}

/* ---- dominators: sets of blocks, of which there are few ---- */

static size_t set_words(const struct translator *t)
{
    return (t->blocks.count + WORD - 1) / WORD;
}

static bool is_in(const uint64_t *sets, const struct translator *t, uint32_t of, uint32_t block)
{
    return sets[of * set_words(t) + block / WORD] >> block % WORD & 1;
}

bool is_dominated(const struct translator *t, uint32_t block, uint32_t by)
{
    return is_in(t->dominators, t, block, by);
}

/* The set of `to` becomes a subset of that of `from` and `to` itself. */
static bool narrow(const struct translator *t, uint64_t *sets, uint32_t from, uint32_t to)
{
    const size_t words = set_words(t);
    bool changed = false;
    for (size_t i = 0; i < words; i++) {
        const uint64_t own = to / WORD == i ? 1ull << to % WORD : 0, before = sets[to * words + i];
        sets[to * words + i] &= sets[from * words + i] | own;
        changed |= sets[to * words + i] != before;
    }
    return changed;
}

static bool is_ever_reached(const struct translator *t, uint32_t block)
{
    bool found = false;
    for (uint32_t i = 0; i < t->phase_count * VERSIONS; i++)
        found |= t->nodes[i * t->blocks.count + block].reached;
    return found;
}

/* A uniform branch goes one way only if what it asks is known of all launches of this shape: that ids have two dimensions. */
static bool is_edge(const struct translator *t, const struct inst *last, uint32_t to)
{
    const uint32_t other = to == last->next ? last->target : last->next;
    return to != NONE && (is_vector_branch(last) || other == NONE || is_ever_reached(t, t->insts[to].block) ||
                          !is_ever_reached(t, t->insts[other].block));
}

static bool narrow_edge(struct translator *t, uint32_t block, uint32_t successor)
{
    if (!is_edge(t, &t->insts[t->blocks.at[block].last], successor))
        return false;
    const uint32_t to = t->insts[successor].block;
    const bool changed = narrow(t, t->dominators, block, to);
    return narrow(t, t->post_dominators, to, block) || changed;
}

static void visit(const struct translator *t, bool *visited, uint32_t *work, uint32_t *count, uint32_t number)
{
    const uint32_t block = t->insts[number].block;
    if (visited[block])
        return;
    visited[block] = true;
    work[(*count)++] = block;
}

static const bool *find_visited(struct translator *t)
{
    bool *visited = cy_arena_alloc(&t->arena, t->blocks.count);
    uint32_t *work = cy_arena_alloc(&t->arena, t->blocks.count * sizeof(*work)), count = 0;
    memset(visited, 0, t->blocks.count);
    visit(t, visited, work, &count, t->start);
    while (count) {
        const struct inst *last = &t->insts[t->blocks.at[work[--count]].last];
        if (is_edge(t, last, last->next))
            visit(t, visited, work, &count, last->next);
        if (is_edge(t, last, last->target))
            visit(t, visited, work, &count, last->target);
        for (size_t i = 0; last->is_return && i < t->returns.count; i++)
            visit(t, visited, work, &count, t->returns.at[i]);
    }
    return visited;
}

static void clear_set(const struct translator *t, uint64_t *sets, uint32_t block)
{
    const size_t words = set_words(t);
    memset(&sets[block * words], 0, words * sizeof(*sets));
    sets[block * words + block / WORD] = 1ull << block % WORD;
}

/* A phase begins with what is known of its strips before the barrier; the graph does not end there.  Blocks that no strip gets to have
 * nothing to do with others. */
static void find_dominators(struct translator *t)
{
    const size_t bytes = t->blocks.count * set_words(t) * sizeof(uint64_t);
    const bool *visited = find_visited(t);
    t->dominators = cy_arena_alloc(&t->arena, bytes + 1);
    t->post_dominators = cy_arena_alloc(&t->arena, bytes + 1);
    memset(t->dominators, 0xff, bytes);
    memset(t->post_dominators, 0xff, bytes);
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        if (!visited[i] || i == t->insts[t->start].block)
            clear_set(t, t->dominators, i);
        if (!visited[i] || row_of(&t->insts[t->blocks.at[i].last])->format == CY_FORMAT_ENDPRG)
            clear_set(t, t->post_dominators, i);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < t->blocks.count; i++) {
            const struct inst *last = &t->insts[t->blocks.at[i].last];
            if (!visited[i])
                continue;
            changed |= narrow_edge(t, i, last->next);
            changed |= narrow_edge(t, i, last->target);
            for (size_t k = 0; last->is_return && k < t->returns.count; k++)
                changed |= narrow_edge(t, i, t->returns.at[k]);
        }
    }
}

/* ---- the plan ---- */

/* Some lanes may be missing. */
static bool is_partial(const struct translator *t, const struct block *block)
{
    const uint32_t blocks = (uint32_t)t->blocks.count, index = (uint32_t)(block - t->blocks.at);
    bool partial = !t->all_whole || t->items % t->request->threads || t->counters[index].bit != 0 ||
                   t->counters[index].round != NONE || t->counters[index].is_flat || t->counters[index].lap != NONE ||
                   t->counters[index].is_by_edges || is_in_chain(t, index);
    for (unsigned phase = 0; phase < t->phase_count; phase++)
        partial |= t->nodes[(phase * VERSIONS + MASKED) * blocks + index].reached ||
                   t->nodes[(phase * VERSIONS + ALONE) * blocks + index].reached;
    return partial;
}

/* All strips of a warp get to the block, and no warp is short of some: then each of them counts, which needs no question, and the sum is
 * divided by their number. */
static bool is_divided(const struct translator *t, uint32_t index)
{
    return t->by_strip && t->all_whole && t->items % t->request->threads == 0 && !t->counters[index].bit &&
           t->counters[index].round == NONE && t->counters[index].lap == NONE && !is_on_trail(t, index) &&
           !is_in_chain(t, index);
}

/* Are the lanes counted that are not active, instead of those that are?  Where all lanes of a strip are active that costs nothing; but
 * strips of the warp that do not get there would not be counted. */
static bool has_idle(const struct translator *t, uint32_t index)
{
    if (t->counters[index].is_flat || t->counters[index].is_by_edges || (t->is_alone && t->is_alone[index]) ||
        (t->by_strip && is_reached_alone(t, index)))
        return false;
    return !t->by_strip || is_on_trail(t, index) || is_divided(t, index);
}

static bool can_share(const struct translator *t, uint32_t index)
{
    const struct counter *counter = &t->counters[index];
    return !counter->is_both_ways && !counter->is_edge && counter->lap == NONE && counter->round == NONE &&
           !(t->is_alone && t->is_alone[index]) && !is_in_chain(t, index);
}

static bool is_repeated(const struct translator *t, uint32_t index)
{
    return t->looping[t->blocks.at[index].first] || t->counters[index].is_repeated;
}

/* May a strip get from the block to itself without passing the other one? */
static bool returns_without(struct translator *t, uint32_t index, uint32_t other)
{
    const struct inst *last = &t->insts[t->blocks.at[index].last];
    const uint32_t stop = t->blocks.at[other].first;
    bool *inside = cy_arena_alloc(&t->arena, t->count);
    uint32_t *work = cy_arena_alloc(&t->arena, t->count * sizeof(*work));
    memset(inside, 0, t->count);
    find_region(t, last->next, stop, inside, work);
    find_region(t, last->target, stop, inside, work);
    for (size_t i = 0; last->is_return && i < t->returns.count; i++)
        find_region(t, t->returns.at[i], stop, inside, work);
    return inside[t->blocks.at[index].first];
}

/* Lanes get to a join one after the other, and go on together. */
static bool can_share_in_loop(struct translator *t, uint32_t index, uint32_t other)
{
    return !is_join(t, t->blocks.at[index].last) && !is_join(t, t->blocks.at[other].last) &&
           !returns_without(t, index, other) && !returns_without(t, other, index);
}

/* Blocks that run equally often, with the same lanes, share counters, which the first of them adds to: each of two is on every way
 * through the other. */
static uint32_t leader_of(struct translator *t, uint32_t index)
{
    for (uint32_t other = 0; other < t->blocks.count && can_share(t, index); other++)
        if (other != index && can_share(t, other) && t->counters[other].bit == t->counters[index].bit &&
            is_in(t->dominators, t, index, other) && is_in(t->post_dominators, t, other, index) &&
            is_repeated(t, index) == is_repeated(t, other) &&
            !(is_repeated(t, index) && !can_share_in_loop(t, index, other)))
            return leader_of(t, other);
    return index;
}

/* The only phase in which strips get to the block; NONE: there are several. */
static uint32_t phase_of(const struct translator *t, uint32_t index)
{
    const uint32_t blocks = (uint32_t)t->blocks.count;
    uint32_t found = NONE;
    for (uint32_t i = 0; i < t->phase_count * VERSIONS; i++) {
        if (!t->nodes[i * blocks + index].reached)
            continue;
        if (found != NONE && found != i / VERSIONS)
            return NONE;
        found = i / VERSIONS;
    }
    return found;
}

/* Does every way from the phase's start to a barrier or the end lead through the block? */
static bool is_on_all_ways(struct translator *t, const struct phase *phase, uint32_t index, bool *inside,
                           uint32_t *work)
{
    const uint32_t first = t->blocks.at[index].first;
    memset(inside, 0, t->count);
    find_region(t, phase->entry, NONE, inside, work);
    if (!inside[first])
        return false;
    memset(inside, 0, t->count);
    inside[first] = true; /* is not entered */
    find_region(t, phase->entry, NONE, inside, work);
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        if (inside[i] && inst->block != index &&
            (inst->insn.op == CY_OP_barrier || row_of(inst)->format == CY_FORMAT_ENDPRG))
            return false;
    }
    return true;
}

/* In loops with barriers: blocks that every strip passes once in a phase share the counters of that in which it begins. */
static void share_phases(struct translator *t)
{
    bool *inside = cy_arena_alloc(&t->arena, t->count);
    uint32_t *work = cy_arena_alloc(&t->arena, t->count * sizeof(*work));
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        const uint32_t number = t->insts[t->blocks.at[i].first].reachable ? phase_of(t, i) : NONE;
        const uint32_t entry = number != NONE ? t->insts[t->phases[number].entry].block : NONE;
        if (entry == NONE || entry == i || t->counters[i].leader != i || !may_have_trail(t, i) ||
            !may_have_trail(t, entry) || t->counters[entry].bit != t->counters[i].bit || phase_of(t, entry) != number ||
            t->blocks.at[entry].first != t->phases[number].entry || t->counters[entry].leader != entry)
            continue;
        if (!is_on_all_ways(t, &t->phases[number], i, inside, work))
            continue;
        for (uint32_t k = 0; k < t->blocks.count; k++) /* itself, and what follows it */
            if (t->counters[k].leader == i)
                t->counters[k].leader = entry;
    }
}

static void plan_block(struct translator *t, uint32_t index)
{
    const struct block *block = &t->blocks.at[index];
    const uint32_t leader = t->counters[index].leader, threads = t->request->threads;
    struct counter *counter = &t->counters[leader];
    struct cy_jit_tally tally = {.kind = CY_JIT_ISSUED, .first = block->first, .end = end_of(t, block->last)};
    bool partial = is_partial(t, block);
    tally.strips = is_divided(t, leader) ? t->request->threads / t->lanes : 1;
    counter->has_idle = has_idle(t, leader);
    tally.idle = t->by_strip ? 0 : threads - t->lanes;
    if (counter->issued == NONE)
        counter->issued = new_counter(t, t->blocks.at[leader].first);
    if (is_join(t, block->last)) { /* which has no lanes */
        t->counters[index].join = leader == index ? new_counter(t, block->last) : counter->issued;
        add_tally(t, t->counters[index].join,
                  (struct cy_jit_tally){.first = block->last, .end = tally.end, .insns = 1, .strips = tally.strips});
        tally.end = block->last;
    }
    if (tally.first == tally.end)
        return;
    for (uint32_t i = block->first; i < tally.end; i = end_of(t, i))
        tally.insns++;
    if (partial && !counter->has_idle)
        tally.idle = threads;
    add_tally(t, counter->issued, tally);
    if (!partial)
        return;
    if (counter->lanes == NONE)
        counter->lanes = new_counter(t, t->blocks.at[leader].first);
    tally.kind = counter->has_idle ? CY_JIT_IDLE : CY_JIT_LANES;
    tally.strips = 1;
    add_tally(t, counter->lanes, tally);
}

/* Blocks on both ways from a branch, before its join: lanes of either pass them on their own. */
static void find_both_ways(struct translator *t, const struct inst *branch, bool *inside, bool *others, uint32_t *work,
                           bool parts)
{
    memset(inside, 0, t->count);
    memset(others, 0, t->count);
    find_region(t, branch->next, branch->rpc, inside, work);
    find_region(t, branch->target, branch->rpc, others, work);
    for (size_t i = 0; i < t->blocks.count; i++) {
        const uint32_t first = t->blocks.at[i].first;
        const bool is_both_ways = inside[first] && others[first];
        t->counters[i].is_both_ways |= is_both_ways;
        t->counters[i].is_parted |= is_both_ways && parts;
        inside[first] |= others[first];
    }
}

/* The bits of strips that part at a branch; `inside` is what they get to before the join. */
static void give_bits(struct translator *t, const struct inst *branch, const bool *inside)
{
    t->bits += t->bits % WORD == WORD - 1; /* both in one word */
    t->counters[branch->block].sides = t->bits;
    t->bits += 2;
    for (size_t i = 0; i < t->blocks.count; i++)
        if (inside[t->blocks.at[i].first] && !t->counters[i].bit)
            t->counters[i].bit = t->bits++;
}

/* Blocks that a strip may get to again without a barrier. */
static const bool *find_repeats(struct translator *t, bool *inside, uint32_t *work)
{
    bool *repeats = cy_arena_alloc(&t->arena, t->blocks.count + 1);
    for (size_t i = 0; i < t->blocks.count; i++) {
        const struct inst *last = &t->insts[t->blocks.at[i].last];
        memset(inside, 0, t->count);
        if (last->insn.op != CY_OP_barrier) {
            find_region(t, last->next, NONE, inside, work);
            find_region(t, last->target, NONE, inside, work);
        }
        for (size_t k = 0; last->is_return && k < t->returns.count; k++)
            find_region(t, t->returns.at[k], NONE, inside, work);
        repeats[i] = inside[t->blocks.at[i].first];
        t->counters[i].is_repeated |= repeats[i];
    }
    return repeats;
}

/* False: strips of a warp part in a loop, or their ways meet before the join, so that some pass what follows once and others twice. */
static bool plan_branches(struct translator *t)
{
    bool *inside = cy_arena_alloc(&t->arena, t->count), *others = cy_arena_alloc(&t->arena, t->count), ok = true;
    uint32_t *work = cy_arena_alloc(&t->arena, t->count * sizeof(*work));
    const bool *repeats = find_repeats(t, inside, work);
    t->bits = 1; /* the first one: of blocks that all strips get to */
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        if (!inst->reachable || !is_vector_branch(inst))
            continue;
        struct counter *counter = &t->counters[inst->block];
        counter->split = new_counter(t, i);
        add_tally(
            t, counter->split,
            (struct cy_jit_tally){.kind = CY_JIT_SPLIT, .first = i, .join = inst->rpc, .end = end_of(t, inst->rpc)});
        for (uint32_t k = i + 1; is_flat(t, inst) && k < inst->rpc; k++)
            t->counters[t->insts[k].block].is_flat |= t->insts[k].reachable && t->insts[k].block != inst->block;
        const bool parts = t->by_strip && inst->differs;
        find_both_ways(t, inst, inside, others, work, parts);
        for (size_t k = 0; k < t->blocks.count; k++) /* lanes that leave a loop one after the other */
            t->counters[k].is_repeated |= repeats[inst->block] && inside[t->blocks.at[k].first];
        if (!parts || counter->round != NONE)
            continue;
        if (counter->lap != NONE)
            continue;
        if (is_in_chain(t, inst->block)) {
            give_bits(t, inst, inside);
            continue;
        }
        memset(others, 0, t->count);
        find_region(t, inst->next, NONE, others, work);
        find_region(t, inst->target, NONE, others, work);
        if (others[i] && open_round(t, i, inside))
            continue;
        give_bits(t, inst, inside);
        ok &= !others[i];
    }
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        t->counters[i].is_by_edges = t->counters[i].is_parted && may_count_edges(t, i);
        for (uint32_t k = 0; k < t->blocks.count && t->counters[i].is_by_edges; k++)
            t->counters[k].is_edge |= leads_to_block(t, k, i);
        ok &= !t->counters[i].is_parted || t->counters[i].is_by_edges;
    }
    return ok && t->bits <= MOST_WORDS * WORD;
}

static void clear_counters(struct translator *t)
{
    for (size_t i = 0; i < t->blocks.count; i++)
        t->counters[i] = (struct counter){
            .issued = NONE, .lanes = NONE, .join = NONE, .split = NONE, .lap = NONE, .round = NONE, .opens = NONE};
    t->tallies.count = t->counted_at.count = t->rounds.count = 0;
}

/* Would a warp per strip be slower?  Not where its lanes are a row, and what they access in loops is one. */
static bool is_slow_in_lockstep(const struct translator *t)
{
    bool is_slow = t->request->local[0] % t->request->threads != 0;
    for (uint32_t i = 0; i < t->count; i++)
        is_slow |= t->insts[i].reachable && t->looping[i] && t->insts[i].is_spread;
    return is_slow;
}

/* Where strips of a warp part in loops, laps are counted if that can be, else rounds. */
static bool plan_loops(struct translator *t)
{
    find_dominators(t);
    clear_counters(t);
    if (t->by_strip)
        find_chains(t);
    clear_counters(t);
    const bool ok = plan_branches(t);
    if (!t->by_strip || (ok && !t->rounds.count) || !(ok || is_slow_in_lockstep(t)))
        return ok;
    clear_counters(t);
    if (plan_laps(t) && plan_branches(t) && give_lap_bits(t))
        return true;
    t->lap_loops.count = 0;
    clear_counters(t);
    return ok && plan_branches(t);
}

/* Do lanes that go on alone do so only where there are trails?  At the join, which has no lanes, they are back. */
static bool leaves_trails(const struct translator *t)
{
    bool ok = true;
    for (uint32_t i = 0; i < t->blocks.count; i++)
        ok &= !is_reached_alone(t, i) || is_on_trail(t, i) || is_join(t, t->blocks.at[i].first);
    return ok;
}

/* Are all blocks that need it on a trail? */
static bool counts_edges(const struct translator *t)
{
    bool ok = true;
    for (uint32_t i = 0; i < t->blocks.count; i++)
        ok &= !t->counters[i].is_by_edges || is_on_trail(t, i);
    return ok;
}

bool plan_tallies(struct translator *t)
{
    if (!is_tallying(t))
        return true;
    t->counters = cy_arena_alloc(&t->arena, t->blocks.count * sizeof(*t->counters));
    if (!plan_loops(t)) {
        t->attempt.needs_lockstep = true;
        return cannot(t, "strips of a warp that part in a loop, or meet before the join");
    }
    for (uint32_t i = 0; i < t->blocks.count; i++)
        t->counters[i].leader = is_in_chain(t, i)                           ? chain_leader(t, i)
                                : t->insts[t->blocks.at[i].first].reachable ? leader_of(t, i)
                                                                            : i;
    share_phases(t);
    plan_trails(t);
    if (!counts_edges(t)) {
        t->attempt.needs_lockstep = true;
        return cannot(t, "ways that meet before the join where there is no trail");
    }
    if (t->by_strip && !leaves_trails(t)) {
        t->attempt.avoids_detours = true;
        return cannot(t, "lanes that go on alone where there is no trail");
    }
    for (uint32_t i = 0; i < t->blocks.count; i++)
        if (t->insts[t->blocks.at[i].first].reachable)
            plan_block(t, i);
    mark_trails(t);
    mark_laps(t);
    mark_paths(t);
    plan_turns(t);
    return has_room_for_turns(t) || cannot(t, "counting in many loops of lanes that run alone");
}

/* ---- counting ---- */

/* Counters of loops are in registers while a strip runs. */
static bool is_kept(const struct translator *t, uint32_t counter)
{
    const uint32_t at = t->counted_at.at[counter];
    return t->looping[at] && !is_on_trail(t, t->insts[at].block) && !is_in_chain(t, t->insts[at].block);
}

void make_tally_allocas(struct translator *t)
{
    if (!is_tallying(t))
        return;
    t->kept = cy_arena_alloc(&t->arena, (t->counted_at.count + 1) * sizeof(*t->kept));
    for (uint32_t i = 0; i < t->counted_at.count; i++)
        t->kept[i] = is_kept(t, i) ? LLVMBuildAlloca(t->allocas, t->i64, "kept") : NULL;
    make_turn_allocas(t);
    make_path_allocas(t);
    make_trail_allocas(t);
    make_lap_allocas(t);
    make_chain_allocas(t);
    make_round_allocas(t);
    for (unsigned i = 0; t->by_strip && i * WORD < t->bits; i++) {
        t->seen[i] = LLVMBuildAlloca(t->allocas, t->i64, "seen");
        t->been[i] = LLVMBuildAlloca(t->allocas, t->i64, "been");
    }
}

static LLVMValueRef place_of(struct translator *t, uint32_t counter)
{
    LLVMValueRef offset = number64(t, counter * sizeof(uint64_t));
    return LLVMBuildGEP2(t->builder, t->i8, t->tally_array, &offset, 1, "");
}

static void add_at(struct translator *t, LLVMValueRef place, LLVMValueRef amount)
{
    LLVMValueRef before = LLVMBuildLoad2(t->builder, t->i64, place, "");
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, before, amount, ""), place);
}

static void add(struct translator *t, uint32_t counter, LLVMValueRef amount)
{
    add_at(t, t->kept[counter] ? t->kept[counter] : place_of(t, counter), amount);
}

void add_tally_amount(struct translator *t, uint32_t counter, LLVMValueRef amount)
{
    add(t, counter, amount);
}

/* Is the counter's code part of the phase? */
static bool is_of_phase(const struct translator *t, uint32_t counter)
{
    const uint32_t blocks = (uint32_t)t->blocks.count, block = t->insts[t->counted_at.at[counter]].block;
    bool found = t->counters[block].is_flat; /* which is emitted with the branch */
    for (unsigned version = 0; version < VERSIONS; version++)
        found |= t->nodes[(t->phase * VERSIONS + version) * blocks + block].reached;
    return found;
}

void begin_tallies(struct translator *t, unsigned phase)
{
    if (!is_tallying(t))
        return;
    t->phase = phase;
    for (uint32_t i = 0; i < t->counted_at.count; i++)
        if (t->kept[i] && is_of_phase(t, i))
            LLVMBuildStore(t->builder, number64(t, 0), t->kept[i]);
    begin_trail(t);
    begin_chain_strip(t);
    if (!t->by_strip)
        return;
    LLVMValueRef lane = LLVMBuildAnd(t->builder, t->item, number32(t, t->request->threads - 1), "");
    LLVMValueRef is_first = LLVMBuildICmp(t->builder, LLVMIntEQ, lane, number32(t, 0), "");
    for (unsigned i = 0; i * WORD < t->bits; i++) {
        LLVMValueRef before = LLVMBuildLoad2(t->builder, t->i64, t->seen[i], "");
        LLVMBuildStore(t->builder, LLVMBuildSelect(t->builder, is_first, number64(t, 0), before, ""), t->seen[i]);
        LLVMBuildStore(t->builder, number64(t, 0), t->been[i]);
    }
    begin_rounds(t, is_first);
}

/* Is the strip the last one of its warp? */
static LLVMValueRef ends_warp(struct translator *t)
{
    LLVMValueRef end = LLVMBuildAdd(t->builder, t->item, number32(t, t->lanes), "");
    LLVMValueRef lane = LLVMBuildAnd(t->builder, end, number32(t, t->request->threads - 1), "");
    LLVMValueRef is_last = LLVMBuildICmp(t->builder, LLVMIntEQ, lane, number32(t, 0), "");
    if (t->items % t->request->threads == 0)
        return is_last;
    return LLVMBuildOr(t->builder, is_last, LLVMBuildICmp(t->builder, LLVMIntUGE, end, number32(t, t->items), ""), "");
}

void end_tallies(struct translator *t, unsigned phase)
{
    if (!is_tallying(t))
        return;
    t->phase = phase;
    if (t->by_strip)
        end_rounds(t, ends_warp(t));
    end_trail(t, t->by_strip ? ends_warp(t) : NULL);
    if (t->lap_loops.count)
        end_laps(t, ends_warp(t));
    if (t->chains.count)
        end_chains(t, ends_warp(t));
    for (uint32_t i = 0; i < t->counted_at.count; i++)
        if (t->kept[i] && is_of_phase(t, i)) {
            LLVMValueRef amount = LLVMBuildLoad2(t->builder, t->i64, t->kept[i], "");
            add_at(t, place_of(t, i), amount);
        }
    for (unsigned i = 0; t->by_strip && i * WORD < t->bits; i++) {
        LLVMValueRef before = LLVMBuildLoad2(t->builder, t->i64, t->seen[i], "");
        LLVMValueRef now = LLVMBuildLoad2(t->builder, t->i64, t->been[i], "");
        LLVMBuildStore(t->builder, LLVMBuildOr(t->builder, before, now, ""), t->seen[i]);
    }
}

/* 1 if no strip of the warp was here before this one, else 0. */
static LLVMValueRef first_here(struct translator *t, unsigned bit)
{
    if (!t->by_strip)
        return number64(t, 1);
    LLVMValueRef seen = LLVMBuildLoad2(t->builder, t->i64, t->seen[bit / WORD], "");
    LLVMValueRef own = LLVMBuildLShr(t->builder, LLVMBuildNot(t->builder, seen, ""), number64(t, bit % WORD), "");
    return LLVMBuildAnd(t->builder, own, number64(t, 1), "");
}

void tally_block(struct translator *t, const struct block *block)
{
    if (!is_tallying(t) || !t->emit)
        return;
    const struct counter *counter = &t->counters[block - t->blocks.at];
    if (t->version == ALONE) {
        if (t->by_strip)
            trail_block_alone(t, (uint32_t)(block - t->blocks.at));
        else
            turns_block(t, (uint32_t)(block - t->blocks.at));
        return;
    }
    const uint32_t index = (uint32_t)(block - t->blocks.at);
    if (is_in_chain(t, index)) {
        chain_block(t, index);
        return;
    }
    const bool is_round = rounds_block(t, counter), has_trail = trail_block(t, index) || lap_block(t, index);
    const bool is_even = is_divided(t, (uint32_t)(block - t->blocks.at));
    if (t->by_strip && !is_round && !is_even && !has_trail) {
        LLVMValueRef *been = &t->been[counter->bit / WORD];
        LLVMValueRef before = LLVMBuildLoad2(t->builder, t->i64, *been, "");
        LLVMValueRef bit = number64(t, 1ull << counter->bit % WORD);
        LLVMBuildStore(t->builder, LLVMBuildOr(t->builder, before, bit, ""), *been);
    }
    if (counter->leader != block - t->blocks.at)
        return;
    if (!is_round && !has_trail)
        add(t, counter->issued, is_even ? number64(t, 1) : first_here(t, counter->bit));
    if (counter->lanes == NONE)
        return;
    if (t->version == FULL) {
        if (!counter->has_idle)
            add(t, counter->lanes, number64(t, t->lanes));
        return;
    }
    LLVMValueRef active = lane_count(t, LLVMBuildLoad2(t->builder, t->vi32, t->mask, ""));
    if (counter->has_idle)
        active = LLVMBuildSub(t->builder, number32(t, t->lanes), active, "");
    add(t, counter->lanes, LLVMBuildZExt(t->builder, active, t->i64, ""));
}

LLVMValueRef flat_lane_count(struct translator *t, LLVMValueRef lanes)
{
    LLVMValueRef mask = LLVMBuildSExt(t->builder, lanes, t->vi32, "");
    if (t->version == MASKED)
        mask = LLVMBuildAnd(t->builder, mask, LLVMBuildLoad2(t->builder, t->vi32, t->mask, ""), "");
    return LLVMBuildZExt(t->builder, lane_count(t, mask), t->i64, "");
}

static LLVMValueRef is_some(struct translator *t, LLVMValueRef count)
{
    return LLVMBuildICmp(t->builder, LLVMIntNE, count, number64(t, 0), "");
}

void tally_flat(struct translator *t, LLVMValueRef count)
{
    const uint32_t block = t->insts[t->at].block;
    const bool is_first = t->blocks.at[block].first == t->at;
    if (!is_tallying(t) || !t->emit || !(is_first || is_join(t, t->at)) || t->counters[block].leader != block)
        return;
    const struct counter *counter = &t->counters[block];
    LLVMValueRef one = LLVMBuildZExt(t->builder, is_some(t, count), t->i64, "");
    if (is_join(t, t->at))
        add(t, counter->join, one);
    if (!is_first || (is_join(t, t->at) && t->blocks.at[block].last == t->at))
        return;
    add(t, counter->issued, one);
    if (counter->lanes != NONE)
        add(t, counter->lanes, count);
}

void tally_flat_sides(struct translator *t, LLVMValueRef taken, LLVMValueRef rest)
{
    if (is_tallying(t) && t->emit) {
        LLVMValueRef is_taken = is_some(t, taken);
        tally_sides(t, is_taken, is_some(t, rest));
    }
}

void tally_join(struct translator *t)
{
    if (!is_tallying(t) || !t->emit)
        return;
    const struct counter *counter = &t->counters[t->insts[t->at].block];
    if (rounds_join(t, counter) || trail_join(t, t->insts[t->at].block) || lap_join(t, t->insts[t->at].block))
        return;
    if (counter->leader == t->insts[t->at].block)
        add(t, counter->join, is_divided(t, counter->leader) ? number64(t, 1) : first_here(t, counter->bit));
}

void tally_sides(struct translator *t, LLVMValueRef taken, LLVMValueRef rest)
{
    const struct inst *inst = &t->insts[t->at];
    if (!is_tallying(t) || !t->emit)
        return;
    const struct counter *counter = &t->counters[inst->block];
    if (is_in_chain(t, inst->block))
        return;
    if (trail_sides(t, inst->block, taken, rest) || lap_sides(t, inst->block, taken, rest))
        return;
    if (!t->by_strip) {
        add(t, counter->split, LLVMBuildZExt(t->builder, LLVMBuildAnd(t->builder, taken, rest, ""), t->i64, ""));
        return;
    }
    if (rounds_sides(t, counter, taken, rest) || !counter->sides)
        return;
    LLVMValueRef seen = t->seen[counter->sides / WORD], shift = number64(t, counter->sides % WORD);
    LLVMValueRef before = LLVMBuildLoad2(t->builder, t->i64, seen, ""), one = number64(t, 1);
    LLVMValueRef first = LLVMBuildShl(t->builder, LLVMBuildZExt(t->builder, taken, t->i64, ""), shift, "");
    LLVMValueRef second = LLVMBuildShl(t->builder, LLVMBuildZExt(t->builder, rest, t->i64, ""), shift, "");
    second = LLVMBuildShl(t->builder, second, one, "");
    LLVMValueRef after = LLVMBuildOr(t->builder, before, LLVMBuildOr(t->builder, first, second, ""), "");
    LLVMBuildStore(t->builder, after, seen);
    LLVMValueRef both[2] = {before, after}; /* of the two bits */
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef low = LLVMBuildLShr(t->builder, both[i], shift, "");
        both[i] = LLVMBuildAnd(t->builder, low, LLVMBuildLShr(t->builder, low, one, ""), "");
        both[i] = LLVMBuildAnd(t->builder, both[i], one, "");
    }
    add(t, counter->split, LLVMBuildSub(t->builder, both[1], both[0], ""));
}
