/* Counters per instruction, for profiles: how often warps issue each block, with how many active lanes, and how often they split.
 * Equal to the interpreter's (gpu/engine/count.c).
 *
 * Blocks have two versions, for full and for partial masks, and mostly run in the first: what is counted there is the issue alone.  The
 * other one adds the lanes that are not active.  Blocks of flat branches have no version of their own, and add those that are. */
#include "jit/translate/translator.h"

static bool is_tallying(const struct translator *t)
{
    return t->request->counts == CY_JIT_COUNT_INSNS;
}

/* ---- the plan ---- */

static uint32_t new_counter(struct translator *t, uint32_t at, struct cy_jit_tally tally)
{
    *cy_vec_push(&t->counted_at) = at;
    tally.counter = (uint32_t)t->counted_at.count - 1;
    *cy_vec_push(&t->tallies) = tally;
    return tally.counter;
}

static uint32_t end_of(const struct translator *t, uint32_t number)
{
    return number + t->insts[number].insn.size / 4;
}

static bool is_join(const struct translator *t, uint32_t number)
{
    return row_of(&t->insts[number])->format == CY_FORMAT_JOIN;
}

static bool is_reached(const struct translator *t, unsigned phase, enum version version, uint32_t block)
{
    return t->nodes[(phase * VERSIONS + version) * t->blocks.count + block].reached;
}

/* May lanes be missing where it runs? */
static bool is_partial(const struct translator *t, uint32_t block)
{
    bool partial = t->counters[block].is_flat;
    for (unsigned phase = 0; phase < t->phase_count; phase++)
        partial |= is_reached(t, phase, MASKED, block);
    return partial;
}

static void plan_block(struct translator *t, uint32_t index)
{
    const struct block *block = &t->blocks.at[index];
    const uint32_t threads = t->request->threads;
    struct counter *counter = &t->counters[index];
    struct cy_jit_tally tally = {.first = block->first, .end = end_of(t, block->last)};
    if (is_join(t, block->last)) { /* which has no lanes */
        const struct cy_jit_tally join = {.kind = CY_JIT_ISSUED, .first = block->last, .end = tally.end, .insns = 1};
        counter->join = new_counter(t, block->last, join);
        tally.end = block->last;
    }
    if (tally.first == tally.end)
        return;
    for (uint32_t i = block->first; i < tally.end; i = end_of(t, i))
        tally.insns++;
    tally.kind = CY_JIT_ISSUED;
    tally.idle = counter->is_flat ? threads : threads - t->lanes;
    counter->issued = new_counter(t, block->first, tally);
    tally.kind = counter->is_flat ? CY_JIT_LANES : CY_JIT_IDLE;
    if (is_partial(t, index))
        counter->lanes = new_counter(t, block->first, tally);
}

static void plan_branch(struct translator *t, uint32_t number)
{
    const struct inst *inst = &t->insts[number];
    const struct cy_jit_tally tally = {
        .kind = CY_JIT_SPLIT, .first = number, .join = inst->rpc, .end = end_of(t, inst->rpc)};
    t->counters[inst->block].split = new_counter(t, number, tally);
    for (uint32_t i = number + 1; is_flat(t, inst) && i < inst->rpc; i++)
        t->counters[t->insts[i].block].is_flat |= t->insts[i].reachable && t->insts[i].block != inst->block;
}

void plan_tallies(struct translator *t)
{
    if (!is_tallying(t))
        return;
    t->counters = cy_arena_alloc(&t->arena, t->blocks.count * sizeof(*t->counters));
    for (size_t i = 0; i < t->blocks.count; i++)
        t->counters[i] = (struct counter){.issued = NONE, .lanes = NONE, .join = NONE, .split = NONE};
    for (uint32_t i = 0; i < t->count; i++)
        if (t->insts[i].reachable && is_vector_branch(&t->insts[i]))
            plan_branch(t, i);
    for (uint32_t i = 0; i < t->blocks.count; i++)
        if (t->insts[t->blocks.at[i].first].reachable)
            plan_block(t, i);
}

/* ---- strips ---- */

/* Counters of loops are in registers while a strip runs. */
void make_tally_allocas(struct translator *t)
{
    if (!is_tallying(t))
        return;
    t->kept = cy_arena_alloc(&t->arena, (t->counted_at.count + 1) * sizeof(*t->kept));
    for (uint32_t i = 0; i < t->counted_at.count; i++)
        t->kept[i] = t->looping[t->counted_at.at[i]] ? LLVMBuildAlloca(t->allocas, t->i64, "kept") : NULL;
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

/* Is the counter's code part of the phase? */
static bool is_of_phase(const struct translator *t, unsigned phase, uint32_t counter)
{
    const uint32_t block = t->insts[t->counted_at.at[counter]].block;
    return t->counters[block].is_flat || /* which is emitted with the branch */
           is_reached(t, phase, FULL, block) || is_reached(t, phase, MASKED, block);
}

void begin_tallies(struct translator *t, unsigned phase)
{
    for (uint32_t i = 0; i < t->counted_at.count; i++)
        if (t->kept[i] && is_of_phase(t, phase, i))
            LLVMBuildStore(t->builder, number64(t, 0), t->kept[i]);
}

void end_tallies(struct translator *t, unsigned phase)
{
    for (uint32_t i = 0; i < t->counted_at.count; i++)
        if (t->kept[i] && is_of_phase(t, phase, i))
            add_at(t, place_of(t, i), LLVMBuildLoad2(t->builder, t->i64, t->kept[i], ""));
}

/* ---- counting ---- */

void tally_block(struct translator *t, const struct block *block)
{
    if (!is_tallying(t) || !t->emit)
        return;
    const struct counter *counter = &t->counters[block - t->blocks.at];
    if (counter->issued != NONE)
        add(t, counter->issued, number64(t, 1));
    if (counter->lanes == NONE || (t->version == FULL && !counter->is_flat))
        return;
    LLVMValueRef active = number32(t, t->lanes);
    if (t->version == MASKED)
        active = lane_count(t, LLVMBuildLoad2(t->builder, t->vi32, t->mask, ""));
    if (!counter->is_flat)
        active = LLVMBuildSub(t->builder, number32(t, t->lanes), active, "");
    add(t, counter->lanes, LLVMBuildZExt(t->builder, active, t->i64, ""));
}

void tally_join(struct translator *t)
{
    if (is_tallying(t) && t->emit)
        add(t, t->counters[t->insts[t->at].block].join, number64(t, 1));
}

void tally_sides(struct translator *t, LLVMValueRef taken, LLVMValueRef rest)
{
    if (!is_tallying(t) || !t->emit)
        return;
    LLVMValueRef both = LLVMBuildAnd(t->builder, taken, rest, "");
    add(t, t->counters[t->insts[t->at].block].split, LLVMBuildZExt(t->builder, both, t->i64, ""));
}

/* ---- flat branches ---- */

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
    if (!is_tallying(t) || !t->emit)
        return;
    const struct inst *inst = &t->insts[t->at];
    const struct counter *counter = &t->counters[inst->block];
    LLVMValueRef one = LLVMBuildZExt(t->builder, is_some(t, count), t->i64, "");
    if (is_join(t, t->at)) {
        add(t, counter->join, one);
        return;
    }
    if (t->blocks.at[inst->block].first != t->at)
        return;
    add(t, counter->issued, one);
    add(t, counter->lanes, count);
}

void tally_flat_sides(struct translator *t, LLVMValueRef taken, LLVMValueRef rest)
{
    if (is_tallying(t) && t->emit) {
        LLVMValueRef is_taken = is_some(t, taken);
        tally_sides(t, is_taken, is_some(t, rest));
    }
}
