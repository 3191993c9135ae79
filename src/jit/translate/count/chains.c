/* Counters per instruction of loops that do the same in every turn, which lanes leave by what they have loaded: searches.
 *
 * The blocks of such a loop are a chain.  A strip passes each of them in its first turns, without a gap, and the warp as often as the
 * strip that does so most.  A strip that is whole counts turns; once some lanes have left, each lane counts how often it has passed, which
 * says in which turn it has left, and where.  The warp splits at an exit in turns in which some of its lanes leave and others go on: the
 * runtime counts these turns.
 *
 * Blocks between two exits are a segment, and share counters.  Lanes that leave wait at the join; a scalar branch takes all of them. */
#include "jit/translate/count/strips.h"

#include <string.h>

/* ---- the plan ---- */

static uint32_t chain_of(const struct translator *t, uint32_t block)
{
    return t->chain_of ? t->chain_of[block] : NONE;
}

bool is_in_chain(const struct translator *t, uint32_t block)
{
    return chain_of(t, block) != NONE;
}

static bool stays_in(const struct translator *t, const struct lap_loop *loop, uint32_t number)
{
    return number != NONE && loop->has[t->insts[number].block];
}

/* Is it as the loop's blocks have to be?  `next`: the one that follows. */
static bool is_link(const struct translator *t, const struct lap_loop *loop, uint32_t block, uint32_t *next)
{
    const struct inst *last = &t->insts[t->blocks.at[block].last];
    const bool by_next = stays_in(t, loop, last->next), by_target = stays_in(t, loop, last->target);
    const uint32_t out = by_next ? last->target : last->next;
    for (uint32_t i = t->blocks.at[block].first;; i = t->insts[i].next) {
        const struct inst *inst = &t->insts[i];
        if (inst->is_return || inst->is_interpreted || inst->wants_alone || row_of(inst)->flags & CY_F_ATOMIC ||
            inst->insn.op == CY_OP_barrier || row_of(inst)->format == CY_FORMAT_JOIN)
            return false;
        if (inst == last)
            break;
    }
    *next = t->insts[by_next ? last->next : last->target].block;
    return by_next != by_target && (!is_vector_branch(last) || out == last->rpc);
}

static bool is_entered_at_header(const struct translator *t, const struct lap_loop *loop)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        const uint32_t to[] = {inst->next, inst->target};
        for (size_t k = 0; inst->reachable && !loop->has[inst->block] && k < CY_COUNT(to); k++)
            if (stays_in(t, loop, to[k]) && to[k] != t->blocks.at[loop->header].first)
                return false;
    }
    for (size_t i = 0; i < t->returns.count; i++)
        if (stays_in(t, loop, t->returns.at[i]))
            return false;
    return true;
}

static uint32_t size_of(const struct translator *t, const struct lap_loop *loop)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < t->blocks.count; i++)
        size += loop->has[i];
    return size;
}

/* If the loop is one. */
static void add_chain(struct translator *t, const struct lap_loop *loop)
{
    const uint32_t size = size_of(t, loop), number = (uint32_t)t->chains.count;
    struct chain chain = {.segments = 1, .leaders = {loop->header}};
    bool parts = false;
    uint32_t block = loop->header, next = NONE;
    if (loop->parent != NONE || loop->has_inner || !is_entered_at_header(t, loop))
        return;
    for (uint32_t i = 0; i < size; i++, block = next) {
        const uint32_t last = t->blocks.at[block].last;
        if (!is_link(t, loop, block, &next) || (next == loop->header) != (i + 1 == size) ||
            chain.exit_count == MAX_SEGMENTS)
            return;
        parts |= is_vector_branch(&t->insts[last]) && t->insts[last].differs && depends_on_loads(t, last);
        t->segment_of[block] = chain.segments - 1;
        if (t->insts[last].next == NONE || t->insts[last].target == NONE)
            continue;
        chain.exits[chain.exit_count++] = last;
        if (next != loop->header)
            chain.leaders[chain.segments++] = next;
    }
    if (!parts)
        return;
    for (uint32_t i = 0; i < t->blocks.count; i++)
        if (loop->has[i])
            t->chain_of[i] = number;
    *cy_vec_push(&t->chains) = chain;
}

/* Once it is known at which branches strips part. */
void find_chains(struct translator *t)
{
    const size_t blocks = t->blocks.count;
    t->chains.count = 0;
    t->chain_of = cy_arena_alloc(&t->arena, (blocks + 1) * sizeof(*t->chain_of));
    t->segment_of = cy_arena_alloc(&t->arena, (blocks + 1) * sizeof(*t->segment_of));
    memset(t->chain_of, 0xff, blocks * sizeof(*t->chain_of));
    find_loaded(t);
    find_lap_loops(t);
    for (size_t i = 0; i < t->lap_loops.count; i++)
        add_chain(t, &t->lap_loops.at[i]);
    t->lap_loops.count = 0;
}

uint32_t chain_leader(const struct translator *t, uint32_t block)
{
    return t->chains.at[t->chain_of[block]].leaders[t->segment_of[block]];
}

/* ---- counting ---- */

void make_chain_allocas(struct translator *t)
{
    for (size_t i = 0; i < t->chains.count; i++) {
        struct chain *chain = &t->chains.at[i];
        chain->turn = LLVMBuildAlloca(t->allocas, t->i64, "turn");
        for (unsigned k = 0; k < chain->segments; k++) {
            chain->most[k] = LLVMBuildAlloca(t->allocas, t->i64, "most");
            chain->lanes[k] = LLVMBuildAlloca(t->allocas, t->vi32, "passed");
        }
        for (unsigned k = 0; k < chain->exit_count; k++)
            chain->left[k] = LLVMBuildAlloca(t->allocas, LLVMArrayType2(t->vi32, strips_of_warp(t)), "left");
    }
}

static LLVMValueRef left_by_strip(struct translator *t, const struct chain *chain, unsigned exit, LLVMValueRef strip)
{
    return LLVMBuildGEP2(t->builder, t->vi32, chain->left[exit], &strip, 1, "");
}

/* Of a workgroup's phase. */
void begin_chains(struct translator *t)
{
    for (size_t i = 0; i < t->chains.count; i++) {
        const struct chain *chain = &t->chains.at[i];
        for (unsigned k = 0; k < chain->segments; k++)
            LLVMBuildStore(t->builder, number64(t, 0), chain->most[k]);
        for (unsigned k = 0; k < chain->exit_count; k++)
            for (unsigned strip = 0; strip < strips_of_warp(t); strip++)
                LLVMBuildStore(t->builder, LLVMConstNull(t->vi32), left_by_strip(t, chain, k, number32(t, strip)));
    }
}

/* Of a strip: it has not been there. */
void begin_chain_strip(struct translator *t)
{
    for (size_t i = 0; i < t->chains.count; i++)
        for (unsigned k = 0; k < t->chains.at[i].segments; k++)
            LLVMBuildStore(t->builder, LLVMConstNull(t->vi32), t->chains.at[i].lanes[k]);
}

/* The active lanes of a strip that is not whole pass a segment. */
void chain_block(struct translator *t, uint32_t block)
{
    if (t->version != MASKED || chain_leader(t, block) != block)
        return;
    LLVMValueRef place = t->chains.at[t->chain_of[block]].lanes[t->segment_of[block]];
    LLVMValueRef before = LLVMBuildLoad2(t->builder, t->vi32, place, "");
    LLVMValueRef mask = LLVMBuildLoad2(t->builder, t->vi32, t->mask, ""); /* its lanes are 0 or -1 */
    LLVMBuildStore(t->builder, LLVMBuildSub(t->builder, before, mask, ""), place);
}

/* Some or all lanes of a strip leave at the present instruction; up to here it was whole. */
void chain_parts(struct translator *t)
{
    const uint32_t block = t->insts[t->at].block;
    if (!t->emit || t->version != FULL || !is_in_chain(t, block))
        return;
    const struct chain *chain = &t->chains.at[t->chain_of[block]];
    for (unsigned i = 0; i < chain->segments; i++) {
        LLVMValueRef turns = LLVMBuildTrunc(t->builder, load64(t, chain->turn), t->i32, "");
        turns = LLVMBuildAdd(t->builder, turns, number32(t, i <= t->segment_of[block]), "");
        LLVMBuildStore(t->builder, splat(t, turns), chain->lanes[i]);
    }
}

/* The strip goes from the current instruction to another one. */
void chain_edge(struct translator *t, uint32_t number)
{
    const uint32_t to = t->insts[number].block;
    const uint32_t left = chain_of(t, t->insts[t->at].block), entered = chain_of(t, to);
    if (!t->emit)
        return;
    if (left != NONE && entered != left)
        chain_parts(t);
    if (entered == NONE || t->chains.at[entered].leaders[0] != to)
        return;
    LLVMValueRef turn = t->chains.at[entered].turn;
    LLVMValueRef following = LLVMBuildAdd(t->builder, load64(t, turn), number64(t, 1), "");
    LLVMBuildStore(t->builder, entered == left ? following : number64(t, 0), turn);
}

static bool is_of_phase(const struct translator *t, const struct chain *chain)
{
    const uint32_t blocks = (uint32_t)t->blocks.count;
    return t->nodes[(t->phase * VERSIONS + FULL) * blocks + chain->leaders[0]].reached ||
           t->nodes[(t->phase * VERSIONS + MASKED) * blocks + chain->leaders[0]].reached;
}

static LLVMValueRef passed_by_lanes(struct translator *t, const struct chain *chain, unsigned segment)
{
    LLVMValueRef passed = LLVMBuildLoad2(t->builder, t->vi32, chain->lanes[segment], "");
    return t->lanes < t->w ? LLVMBuildAnd(t->builder, passed, strip_mask(t), "") : passed;
}

/* By lane: in which turn, from 1 on, it has left there; 0: it has not.  Then it has passed what follows once less. */
static LLVMValueRef turn_left(struct translator *t, const struct chain *chain, unsigned exit)
{
    const bool is_last = exit + 1 == chain->segments;
    LLVMValueRef passed = passed_by_lanes(t, chain, exit), other = passed_by_lanes(t, chain, is_last ? 0 : exit + 1);
    if (!is_last)
        other = LLVMBuildAdd(t->builder, other, splat(t, number32(t, 1)), "");
    LLVMValueRef has_left = LLVMBuildICmp(t->builder, LLVMIntEQ, passed, other, "");
    return LLVMBuildSelect(t->builder, has_left, passed, LLVMConstNull(t->vi32), "");
}

/* The strip was there. */
static void end_strip(struct translator *t, const struct chain *chain)
{
    for (unsigned i = 0; i < chain->segments; i++) {
        const uint32_t lanes = t->counters[chain->leaders[i]].lanes;
        LLVMValueRef passed = passed_by_lanes(t, chain, i);
        LLVMValueRef most = intrinsic(t, "llvm.vector.reduce.umax", t->vi32, &passed, 1);
        LLVMValueRef before = load64(t, chain->most[i]);
        LLVMValueRef both[] = {before, LLVMBuildZExt(t->builder, most, t->i64, "")};
        LLVMBuildStore(t->builder, intrinsic(t, "llvm.umax", t->i64, both, 2), chain->most[i]);
        passed = LLVMBuildZExt(t->builder, passed, t->vi64, "");
        if (lanes != NONE)
            add_tally_amount(t, lanes, intrinsic(t, "llvm.vector.reduce.add", t->vi64, &passed, 1));
    }
    LLVMValueRef strip = LLVMBuildAnd(t->builder, t->item, number32(t, t->request->threads - 1), "");
    strip = LLVMBuildUDiv(t->builder, strip, number32(t, t->lanes), "");
    for (unsigned i = 0; i < chain->exit_count; i++) {
        LLVMValueRef left = turn_left(t, chain, i);
        LLVMBuildStore(t->builder, left, left_by_strip(t, chain, i, strip));
    }
}

/* The last strip of the warp was there, or one before it. */
static void end_warp(struct translator *t, const struct chain *chain)
{
    for (unsigned i = 0; i < chain->segments; i++)
        add_tally_amount(t, t->counters[chain->leaders[i]].issued, load64(t, chain->most[i]));
    for (unsigned i = 0; i < chain->exit_count; i++) {
        const struct inst *inst = &t->insts[chain->exits[i]];
        const bool is_last = i + 1 == chain->segments;
        LLVMValueRef going = load64(t, chain->most[is_last ? 0 : i + 1]);
        if (is_last)
            going = LLVMBuildSub(t->builder, going, number64(t, 1), "");
        LLVMValueRef args[] = {chain->left[i], number32(t, strips_of_warp(t) * t->w),
                               LLVMBuildTrunc(t->builder, going, t->i32, "")};
        LLVMValueRef splits = call_helper(t, offsetof(struct cy_jit_helpers, distinct), t->i32, args, CY_COUNT(args));
        if (is_vector_branch(inst))
            add_tally_amount(t, t->counters[inst->block].split, LLVMBuildZExt(t->builder, splits, t->i64, ""));
    }
    for (unsigned i = 0; i < chain->segments; i++)
        LLVMBuildStore(t->builder, number64(t, 0), chain->most[i]);
}

/* `is_last`: the strip is the last of its warp. */
void end_chains(struct translator *t, LLVMValueRef is_last)
{
    for (size_t i = 0; i < t->chains.count; i++) {
        const struct chain *chain = &t->chains.at[i];
        if (!is_of_phase(t, chain))
            continue;
        LLVMBasicBlockRef strip = new_block(t, "strip"), was = new_block(t, "was"), warp = new_block(t, "warp"),
                          on = new_block(t, "on");
        LLVMValueRef passed = passed_by_lanes(t, chain, 0);
        passed = LLVMBuildICmp(t->builder, LLVMIntNE, passed, LLVMConstNull(t->vi32), "");
        LLVMBuildCondBr(t->builder, any_lane(t, LLVMBuildSExt(t->builder, passed, t->vi32, "")), strip, was);
        LLVMPositionBuilderAtEnd(t->builder, strip);
        end_strip(t, chain);
        LLVMBuildBr(t->builder, was);
        LLVMPositionBuilderAtEnd(t->builder, was);
        LLVMValueRef is_some = LLVMBuildICmp(t->builder, LLVMIntNE, load64(t, chain->most[0]), number64(t, 0), "");
        LLVMBuildCondBr(t->builder, LLVMBuildAnd(t->builder, is_last, is_some, ""), warp, on);
        LLVMPositionBuilderAtEnd(t->builder, warp);
        end_warp(t, chain);
        LLVMBuildBr(t->builder, on);
        LLVMPositionBuilderAtEnd(t->builder, on);
    }
}
