/* Lanes one after the other.
 *
 * Where lanes diverge and the code up to the join gathers and scatters, one lane at a time is faster than all under a
 * mask: nobody waits for the lane with the longest loop, and addresses are in registers.  Such a branch is a detour:
 * each of its lanes runs on its own, in version ALONE, from the branch to the join, where the strip continues as if all
 * lanes had arrived together.  Values that lanes compute are collected in rows, one per vGPR. */
#include "jit/translate/translator.h"

#include <string.h>

LLVMValueRef lane_number(struct translator *t)
{
    return LLVMBuildLoad2(t->builder, t->i32, t->lane, "");
}

/* ---- which branches ---- */

struct region {
    bool *inside;    /* by instruction */
    uint16_t *depth; /* of loops, by instruction */
    uint16_t *parts; /* of those that lanes leave one by one */
    CY_VEC(uint32_t) work;
};

static void enter(struct region *region, uint32_t number, uint32_t join)
{
    if (number == NONE || number == join || region->inside[number])
        return;
    region->inside[number] = true;
    *cy_vec_push(&region->work) = number;
}

/* The instructions from the branch to its join.  False: lanes cannot run through them on their own. */
static bool find_region(struct translator *t, struct region *region, const struct inst *branch)
{
    memset(region->inside, 0, t->count);
    region->work.count = 0;
    enter(region, branch->next, branch->rpc);
    enter(region, branch->target, branch->rpc);
    while (region->work.count) {
        const struct inst *inst = &t->insts[region->work.at[--region->work.count]];
        const enum cy_format format = row_of(inst)->format;
        if (format == CY_FORMAT_BARRIER || format == CY_FORMAT_ENDPRG || inst->is_return || inst->is_across)
            return false;
        if (t->may_exchange && row_of(inst)->flags & (CY_F_STORE | CY_F_ATOMIC))
            return false; /* the other lanes may be about to load it */
        enter(region, inst->next, branch->rpc);
        enter(region, inst->target, branch->rpc);
    }
    return true;
}

/* Loops are backward jumps; blocks are laid out in the source's order. */
static void find_depths(struct translator *t, struct region *region)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        for (uint32_t k = inst->target; inst->reachable && k != NONE && k <= i; k++) {
            region->depth[k]++;
            if (is_vector_branch(inst))
                region->parts[k]++;
        }
    }
}

enum {
    TURNS = 4, /* assumed of a loop */
    /* of a switch's cases a lane executes one, a strip as many as it has lanes; and LLVM takes long for so many masks */
    MANY_CHOICES = 20
};

/* Where lanes part, and some wait for the slowest. */
static bool gathers_fast(const struct translator *t)
{
    return has_gathers(t) && !t->level->gathers_slowly;
}

/* Host instructions for a strip under a mask, and for one lane alone: estimates that have to be right only where the two
 * are far apart. */
struct costs {
    unsigned full, masked, alone;
};

static void add_cost(const struct translator *t, const struct inst *inst, unsigned depth, unsigned parts,
                     struct costs *costs)
{
    unsigned weight = 1;
    for (unsigned k = 0; k < depth && k < 3; k++)
        weight *= TURNS;
    const unsigned host = t->forms == CY_JIT_FORMS_128 ? 4 : 8;
    const unsigned registers = (t->w + host - 1) / host;
    const bool is_store = row_of(inst)->flags & CY_F_STORE;
    unsigned one = 1, all = registers, full = 0; /* full: all lanes, without a mask; 0: the same */
    if (row_of(inst)->flags & CY_F_ATOMIC)
        one = 12, all = 20 + 10 * t->w;
    else if (is_access(inst)) {
        const bool at_once = gathers_fast(t) && access_size(inst) == 4;
        const unsigned gather = at_once ? 12 + 5 * t->w / 4 : 12 + 6 * t->w; /* lanes wait for the slowest one */
        const unsigned spread = 8 + 3 * t->w / 2, row = 6 + registers;
        one = depth ? 3 : 4; /* of some in loops, addresses are checked before */
        full = inst->may_be_row ? 14 + 4 * registers : inst->is_gather ? gather : inst->is_spread ? spread : row;
        if (at_once)
            all = inst->may_be_row ? gather : full;
        else
            all = is_store ? 20 + 3 * t->w : inst->is_gather ? 12 + 5 * t->w / 2 : full;
    } else if (is_vector_branch(inst))
        one = 2, all = 6 + 3 * registers;
    else if (row_of(inst)->format == CY_FORMAT_JOIN)
        one = 0, all = 6 + registers;
    else if (inst->defs.x)
        all = 1;
    costs->alone += weight * one;
    if (parts > 2) /* inside of three loops that lanes leave one by one, few are left */
        weight += weight / 2;
    costs->full += weight * (full ? full : all);
    costs->masked += weight * all;
}

static bool have_same_address(const struct inst *load, const struct inst *store)
{
    if (is_private(load) || is_private(store)) /* lanes have nothing but their own arrays there */
        return is_private(load) && is_private(store);
    if (row_of(load)->format == CY_FORMAT_VLX && row_of(store)->format == CY_FORMAT_VSX)
        return field(load, CY_FIELD_vs2) == field(store, CY_FIELD_vs2) &&
               field(load, CY_FIELD_rs1) == field(store, CY_FIELD_rs1);
    return row_of(load)->format == CY_FORMAT_VL12 && row_of(store)->format == CY_FORMAT_VS12 &&
           field(load, CY_FIELD_vs1) == field(store, CY_FIELD_vs1);
}

/* Does it gather, in a loop, what lanes scatter there by the same registers?  Stacks and queues of lanes are so: processors do not
 * forward what they scatter, and loads wait until it is written.  Lanes with stacks in private memory, walks through trees, soon part
 * as well. */
static bool waits_for_scatter(const struct translator *t, const struct region *region, const struct inst *load)
{
    const bool is_own = is_access(load) && is_private(load);
    if ((!gathers_fast(t) && !is_own) || !is_access(load) || row_of(load)->flags & CY_F_STORE || !load->is_gather ||
        (load->may_be_row && !is_own))
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *store = &t->insts[i];
        if (region->inside[i] && is_access(store) && row_of(store)->flags & CY_F_STORE && store->is_gather &&
            region->depth[i] == region->depth[load - t->insts] && have_same_address(load, store))
            return true;
    }
    return false;
}

/* Half of the lanes are assumed to be active.  Lanes in a loop soon part, because they leave it one by one. */
static bool is_better_alone(struct translator *t, const struct region *region, struct inst *branch)
{
    const uint64_t after = t->insts[branch->rpc].live.x;
    struct costs costs = {.alone = 10};
    /* a loop around all of it makes neither way cheaper; other hosts' estimates were made with it */
    const unsigned outer = gathers_fast(t) ? region->depth[branch->rpc] : 0, parted = region->parts[branch->rpc];
    unsigned count = 0, choices = 0;
    bool loops = false, exchanges = false;
    for (uint32_t i = 0; i < t->count; i++) {
        if (!region->inside[i])
            continue;
        const unsigned depth = region->depth[i] > outer ? region->depth[i] - outer : 0;
        const unsigned parts = region->parts[i] > parted ? region->parts[i] - parted : 0;
        add_cost(t, &t->insts[i], depth, parts, &costs);
        const unsigned wait = (is_private(&t->insts[i]) ? 12 : 4) * TURNS;
        if (depth && waits_for_scatter(t, region, &t->insts[i]))
            costs.masked += wait * t->w, costs.full += wait * t->w;
        choices += is_vector_branch(&t->insts[i]);
        loops |= is_vector_branch(&t->insts[i]) && t->insts[i].target <= i;
        exchanges |= t->insts[i].store != NONE && region->depth[i];
        if (t->insts[i].defs.x & after) /* the last lane's value would be seen */
            return false;
        count++;
    }
    /* a compare-exchange that is repeated until it succeeds: of lanes with the same word, one does in each turn */
    const bool contends = loops && exchanges;
    branch->is_alone_first = contends || (loops && costs.alone * t->w < costs.full);
    if (choices >= MANY_CHOICES && count < 20 * choices) {
        branch->is_alone_first = true;
        return true;
    }
    if (!count || count >= 400)
        return false;
    if (contends || costs.alone * (t->w / 2) < costs.masked)
        return true;
    /* of few lanes, each may be better off alone where more are not */
    const bool is_entry = branch->target > (uint32_t)(branch - t->insts);
    branch->alone_up_to = loops && is_entry && gathers_fast(t) ? costs.masked / costs.alone : 0;
    branch->is_alone_first = false;
    return branch->alone_up_to > 1;
}

/* A loop in which lanes part at a branch that they then follow alone: strips that enter it together do not stay so, and would begin
 * a detour in each turn, in the middle of the loop that lanes run alone, of which LLVM then makes little. */
static bool parts_in_loop(const struct translator *t, const struct region *region)
{
    bool loops = false, parts = false;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        if (!region->inside[i] || !is_vector_branch(inst))
            continue;
        loops |= inst->target <= i;
        parts |= inst->by_lane && inst->target > i && region->depth[i];
    }
    return loops && parts;
}

/* Does another branch from which lanes go alone have all the loops of this one's region?  What comes before it, often a condition that
 * few lanes meet, is then better done by all of them at once. */
static bool begins_later(struct translator *t, struct region *region, const struct inst *branch)
{
    const uint32_t number = (uint32_t)(branch - t->insts);
    const unsigned depth = region->depth[number];
    bool *all = cy_arena_alloc(&t->arena, t->count);
    if (!find_region(t, region, branch))
        return false;
    memcpy(all, region->inside, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *other = &t->insts[i];
        if (!all[i] || i == number || !other->by_lane || !other->is_alone_first || region->depth[i] != depth ||
            !find_region(t, region, other))
            continue;
        bool has_loops = true;
        for (uint32_t k = 0; k < t->count; k++)
            has_loops &= !all[k] || region->depth[k] <= depth || region->inside[k];
        if (has_loops)
            return true;
    }
    return false;
}

bool choose_detours(struct translator *t)
{
    struct region region = {.inside = cy_arena_alloc(&t->arena, t->count),
                            .depth = cy_arena_alloc(&t->arena, t->count * sizeof(*region.depth)),
                            .parts = cy_arena_alloc(&t->arena, t->count * sizeof(*region.parts))};
    bool found = false;
    if (t->request->counts) /* of warps, in which lanes go together */
        return false;
    memset(region.depth, 0, t->count * sizeof(*region.depth));
    memset(region.parts, 0, t->count * sizeof(*region.parts));
    find_depths(t, &region);
    for (uint32_t i = 0; i < t->count; i++) {
        struct inst *branch = &t->insts[i];
        if (!branch->reachable || !is_vector_branch(branch) || !find_region(t, &region, branch) ||
            !is_better_alone(t, &region, branch))
            continue;
        found = branch->by_lane = true;
        for (uint32_t k = 0; k < t->count; k++) {
            if (!region.inside[k])
                continue;
            t->insts[k].is_passed = true;
            branch->changed.x |= t->insts[k].defs.x;
            for (unsigned j = 0; j < 4; j++)
                branch->changed.v[j] |= t->insts[k].defs.v[j];
        }
    }
    for (uint32_t i = 0; i < t->count; i++)
        if (t->insts[i].by_lane && find_region(t, &region, &t->insts[i]))
            t->insts[i].is_alone_first |= !t->insts[i].alone_up_to && parts_in_loop(t, &region);
    for (uint32_t i = 0; i < t->count; i++) /* outer ones come first */
        if (t->insts[i].by_lane && t->insts[i].is_alone_first && begins_later(t, &region, &t->insts[i]))
            t->insts[i].is_alone_first = false;
    cy_vec_free(&region.work);
    found |= find_tagged_loops(t);
    return found;
}

/* Do lanes that run alone access words next to each other?  Only of these does LLVM make vectors, and it looks for them for as long as
 * all its other passes take. */
bool has_neighbours_alone(const struct translator *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *first = &t->insts[i];
        if (!first->is_passed || !is_access(first))
            continue;
        if (first->words > 1)
            return true;
        const uint32_t last = t->blocks.at[first->block].last;
        for (uint32_t k = i + 1; k <= last; k++) {
            const struct inst *second = &t->insts[k];
            if (!second->reachable || !is_access(second) || first->group == NONE || second->group != first->group ||
                access_size(second) != access_size(first))
                continue;
            const int64_t distance = (int64_t)access_offset(second) - access_offset(first);
            const int64_t size = access_size(first);
            if (distance == size || distance == -size)
                return true;
        }
    }
    return false;
}

/* Are many of its instructions gathers, of those in loops if there are any?  Strips in lockstep, which are wide, are better with them. */
bool gathers_much(const struct translator *t)
{
    enum { IN_LOOPS = 20, OUTSIDE = 12 }; /* one of so many */
    unsigned count[2] = {0}, gathers[2] = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        const bool is_load = is_access(inst) && !(row_of(inst)->flags & CY_F_STORE);
        count[t->looping[i]] += inst->reachable;
        gathers[t->looping[i]] += inst->reachable && is_load && inst->is_gather && !inst->may_be_row;
    }
    if (t->in_lockstep)
        return false;
    return count[true] ? gathers[true] && gathers[true] * IN_LOOPS >= count[true]
                       : gathers[false] && gathers[false] * OUTSIDE >= count[false];
}

/* Is there a loop that lanes turn through together, but in which each goes its own way at many branches, and has an array of its own,
 * as an interpreter of byte code has a stack?  In each turn a strip goes all these ways.  Strips of one lane are faster then. */
bool is_better_by_item(const struct translator *t)
{
    enum { MANY_WAYS = 12, MANY_OWN = 6 };
    if (t->request->counts || t->in_lockstep || t->phase_count > 1)
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *last = &t->insts[i];
        unsigned ways = 0, own = 0;
        if (!last->reachable || last->target > i || is_vector_branch(last))
            continue;
        for (uint32_t k = last->target; k <= i; k++) {
            const struct inst *inst = &t->insts[k];
            ways += inst->reachable && is_vector_branch(inst) && inst->differs;
            own += inst->reachable && is_access(inst) && is_private(inst) && inst->is_gather;
        }
        if (ways >= MANY_WAYS && own >= MANY_OWN)
            return true;
    }
    return false;
}

/* Words from anywhere, such as a table, which the host loads at once.  Lanes that each have a row of their own need twice as many lines of
 * the cache. */
static bool is_fast_gather(const struct translator *t, const struct inst *inst)
{
    return inst->is_gather && !inst->is_line && !(row_of(inst)->flags & CY_F_STORE) && !is_private(inst) &&
           access_size(inst) == 4 && inst->words == 1 && gathers_fast(t) && !t->level->for_gathers;
}

/* Registers of 512 bits hold a strip's values, and what the processor could do beside waits for one result after the other.  Strips of two
 * registers take two thirds of the time then.  Where lanes are accessed one by one, or each value has several registers, the work grows
 * with the lanes. */
bool is_better_doubled(const struct translator *t)
{
    const uint32_t *local = t->request->local;
    if (register_bits(t) != 512 || t->in_lockstep || 32 * t->lanes != register_bits(t) ||
        2 * t->lanes > CY_JIT_MAX_STRIP || t->request->threads < 2 * t->lanes || local[0] % (2 * t->lanes))
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        const bool is_apart = is_access(inst) && inst->is_spread && !inst->may_be_row && !is_fast_gather(t, inst);
        if (inst->reachable && (inst->is_wide || inst->is_interpreted || row_of(inst)->flags & CY_F_ATOMIC || is_apart))
            return false;
    }
    return true;
}

/* ---- detours ---- */

void make_lane_allocas(struct translator *t, const struct regs *used)
{
    struct regs changed = {0};
    bool any = false;
    for (uint32_t i = 0; i < t->count; i++) {
        any |= t->insts[i].by_lane || t->insts[i].tagged;
        changed.x |= t->insts[i].changed.x;
    }
    if (!any)
        return;
    for (unsigned r = 0; r < 64; r++)
        if (in_x(&changed, r))
            t->before[r] = LLVMBuildAlloca(t->allocas, t->i32, "before");
    for (unsigned r = 0; r < 256; r++)
        if (in_v(used, r)) {
            t->alone[r] = LLVMBuildAlloca(t->allocas, t->i32, "alone");
            t->rows[r] = LLVMBuildAlloca(t->allocas, t->vi32, "row");
        }
    t->lane = LLVMBuildAlloca(t->allocas, t->i32, "lane");
    t->lane_for_helpers = LLVMBuildAlloca(t->allocas, t->i32, "lane_for_helpers");
    t->lanes_left = LLVMBuildAlloca(t->allocas, t->i32, "left");
    t->jumping = LLVMBuildAlloca(t->allocas, t->i32, "jumping");
    t->detour = LLVMBuildAlloca(t->allocas, t->i32, "detour");
    t->tag_bits = LLVMBuildAlloca(t->allocas, t->i32, "tag_bits");
}

/* Registers that lanes need after the branch, wherever they go. */
static struct regs needed_by(const struct translator *t, const struct inst *inst)
{
    const struct regs *next = &t->insts[inst->next].live, *target = &t->insts[inst->target].live;
    struct regs both = {.x = next->x | target->x};
    for (unsigned i = 0; i < 4; i++)
        both.v[i] = next->v[i] | target->v[i];
    return both;
}

static bool is_collected(const struct translator *t, const struct inst *inst, unsigned r)
{
    return in_v(&inst->changed, r) && in_v(&t->insts[inst->rpc].live, r);
}

/* The state of one lane: each of its values is uniform. */
static void make_alone(struct state *state)
{
    for (unsigned r = 0; r < 256; r++) {
        struct class *class = &state->v[r];
        if (class->kind == VECTOR)
            *class = (struct class){.kind = UNIFORM};
        if (class->kind == AFFINE)
            *class = (struct class){.kind = UNIFORM};
        class->is_blended = class->in_group = false;
        class->item_factor = class->lane_factor = 0;
    }
    make_pairs_alone(state);
}

static void save_rows(struct translator *t, const struct inst *inst, const struct regs *needed)
{
    for (unsigned r = 0; r < 256; r++) {
        const bool is_row = t->now.v[r].kind == VECTOR || t->now.v[r].is_blended;
        if (!is_collected(t, inst, r) && !(in_v(needed, r) && t->now.v[r].kind == VECTOR))
            continue;
        LLVMValueRef row = is_row ? LLVMBuildLoad2(t->builder, t->vi32, t->vv[r], "") : vector_of(t, read_v(t, r));
        LLVMBuildStore(t->builder, row, t->rows[r]);
    }
    save_pair_rows(t, needed);
    for (unsigned r = 1; r < 64; r++)
        if (in_x(&inst->changed, r) && in_x(needed, r))
            LLVMBuildStore(t->builder, LLVMBuildLoad2(t->builder, t->i32, t->x[r], ""), t->before[r]);
}

/* The lane's own registers. */
static void load_lane(struct translator *t, const struct inst *inst, const struct regs *needed, LLVMValueRef lane)
{
    for (unsigned r = 0; r < 256; r++) {
        if (!in_v(needed, r) || t->now.is_pair[r / 2])
            continue;
        struct value value = read_v(t, r);
        LLVMValueRef word = value.scalar;
        if (value.class.kind == VECTOR)
            word = LLVMBuildLoad2(t->builder, t->i32, lane_word(t, t->rows[r], lane), "");
        else if (value.class.kind == AFFINE)
            word =
                LLVMBuildAdd(t->builder, word, LLVMBuildMul(t->builder, lane, number32(t, value.class.stride), ""), "");
        LLVMBuildStore(t->builder, word, t->alone[r]);
    }
    load_lane_pairs(t, needed, lane);
    for (unsigned r = 1; r < 64; r++)
        if (in_x(&inst->changed, r) && in_x(needed, r))
            LLVMBuildStore(t->builder, LLVMBuildLoad2(t->builder, t->i32, t->before[r], ""), t->x[r]);
}

/* What the strip has where its lanes are back. */
static void return_state(struct translator *t, const struct inst *inst)
{
    for (unsigned r = 0; r < 256; r++)
        if (is_collected(t, inst, r)) {
            if (t->emit)
                LLVMBuildStore(t->builder, LLVMBuildLoad2(t->builder, t->vi32, t->rows[r], ""), t->vv[r]);
            t->now.v[r] = (struct class){.kind = VECTOR};
        }
    for (unsigned r = 1; r < 64; r++)
        if (in_x(&inst->changed, r))
            t->now.x[r] = (struct class){.kind = UNIFORM};
}

/* The only instruction that leads to this one, if it is such a branch, too; NULL: it is not, or there are several. */
static const struct inst *branch_before(const struct translator *t, const struct inst *inst)
{
    const uint32_t number = (uint32_t)(inst - t->insts);
    const struct inst *found = NULL;
    if (t->blocks.at[inst->block].first != number)
        return NULL;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *other = &t->insts[i];
        if (!other->reachable || (other->next != number && other->target != number))
            continue;
        if (found || !is_vector_branch(other) || !other->by_lane || other->tagged || other->rpc != inst->rpc)
            return NULL;
        found = other;
    }
    return found;
}

/* Are its operands among these registers? */
static bool has_operands(const struct inst *inst, const struct regs *among)
{
    for (unsigned i = 0; i < 4; i++)
        if (inst->uses.v[i] & ~among->v[i])
            return false;
    return true;
}

/* Are there more branches than conditions in conditions have? */
static bool is_in_tree(const struct translator *t, const struct inst *inst)
{
    enum { FEWEST = 3 };
    unsigned count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        count += t->insts[i].reachable && t->insts[i].by_lane && t->insts[i].rpc == inst->rpc;
    return count >= FEWEST && !inst->tagged;
}

/* Where lanes that part at this branch begin: at the root of a tree of comparisons, so that no others lead to its inside, and
 * switches.c can make a table of it. */
static const struct inst *root_of(const struct translator *t, const struct inst *inst, const struct regs *needed)
{
    const struct inst *root = inst, *before;
    while (is_in_tree(t, inst) && (before = branch_before(t, root)) && has_operands(before, needed))
        root = before;
    return root;
}

static void start_lane(struct translator *t, const struct inst *branch, const struct regs *needed, LLVMValueRef lane)
{
    const enum version version = t->version;
    const struct state state = t->now;
    const uint32_t at = t->at;
    const struct inst *inst = root_of(t, branch, needed);
    const bool both = inst->target != inst->rpc && inst->next != inst->rpc;
    make_alone(&t->now);
    t->version = ALONE;
    const struct value condition = inst != branch ? evaluate(t, inst) : (struct value){0};
    if (inst != branch)
        t->at = (uint32_t)(inst - t->insts); /* it is no way back */
    LLVMBasicBlockRef target = inst->target != inst->rpc ? way_to(t, ALONE, inst->target) : NULL;
    LLVMBasicBlockRef next = inst->next != inst->rpc ? way_to(t, ALONE, inst->next) : NULL;
    t->at = at;
    if (t->emit && both && inst != branch) {
        LLVMBuildCondBr(t->builder, condition.scalar, target, next);
    } else if (t->emit && both) {
        LLVMValueRef jumping = LLVMBuildLoad2(t->builder, t->i32, t->jumping, "");
        LLVMValueRef bit = LLVMBuildLShr(t->builder, jumping, lane, "");
        LLVMBuildCondBr(t->builder, LLVMBuildTrunc(t->builder, bit, t->i1, ""), target, next);
    } else if (t->emit) {
        LLVMBuildBr(t->builder, target ? target : next);
    }
    t->version = version;
    t->now = state;
}

LLVMValueRef lanes_going(struct translator *t, const struct inst *inst, LLVMValueRef taken, LLVMValueRef rest)
{
    if (inst->target == inst->rpc)
        return rest;
    return inst->next == inst->rpc ? taken : LLVMBuildOr(t->builder, taken, rest, "");
}

static LLVMValueRef bit_of_lane(struct translator *t, LLVMValueRef lane)
{
    return LLVMBuildShl(t->builder, number32(t, 1), lane, "");
}

/* The lane that goes next, of these. */
static LLVMValueRef next_lane(struct translator *t, const struct inst *inst, LLVMValueRef left)
{
    LLVMValueRef args[] = {left, LLVMConstInt(t->i1, 1, false)};
    if (!inst->tagged)
        return intrinsic(t, "llvm.cttz", t->i32, args, 2);
    return LLVMBuildXor(t->builder, intrinsic(t, "llvm.ctlz", t->i32, args, 2), number32(t, 31), "");
}

/* The present lane has given up. */
static void go_on_together(struct translator *t, const struct inst *inst)
{
    LLVMValueRef bits = NULL;
    if (t->emit) {
        LLVMValueRef left = LLVMBuildLoad2(t->builder, t->i32, t->lanes_left, "");
        bits = LLVMBuildOr(t->builder, left, bit_of_lane(t, lane_number(t)), "");
    }
    return_state(t, inst);
    part_lanes(t, inst, bits);
    go_to(t, MASKED, inst->target);
}

void lane_gives_up(struct translator *t, uint32_t join)
{
    LLVMBasicBlockRef nowhere = new_block(t, "nowhere");
    LLVMValueRef which = LLVMBuildLoad2(t->builder, t->i32, t->detour, "");
    LLVMValueRef where = LLVMBuildSwitch(t->builder, which, nowhere, 2);
    for (size_t i = 0; i < t->detours.count; i++)
        if (t->detours.at[i].join == join && t->detours.at[i].together)
            LLVMAddCase(where, number32(t, (uint32_t)i), t->detours.at[i].together);
    LLVMPositionBuilderAtEnd(t->builder, nowhere);
    LLVMBuildUnreachable(t->builder);
}

void lanes_alone(struct translator *t, struct inst *inst, LLVMValueRef taken, LLVMValueRef rest)
{
    const struct regs needed = needed_by(t, inst);
    const uint32_t number = (uint32_t)t->detours.count;
    for (unsigned r = 0; r < 256; r++)
        if (in_v(&inst->changed, r)) /* its lanes come back as registers */
            split_pair(t, r);
    if (!t->emit) {
        start_lane(t, inst, &needed, NULL);
        return_state(t, inst);
        go_to(t, t->version, inst->rpc);
        if (inst->tagged)
            go_on_together(t, inst);
        return;
    }
    LLVMBasicBlockRef loop = new_block(t, "lane"), back = new_block(t, "back"), end = new_block(t, "lanes_end");
    LLVMBasicBlockRef together = inst->tagged ? new_block(t, "together") : NULL;
    *cy_vec_push(&t->detours) = (struct detour){inst->rpc, back, together};
    LLVMBuildStore(t->builder, mask_bits(t, lanes_going(t, inst, taken, rest)), t->lanes_left);
    if (inst->target != inst->rpc && inst->next != inst->rpc)
        LLVMBuildStore(t->builder, mask_bits(t, taken), t->jumping);
    save_rows(t, inst, &needed);
    LLVMBuildBr(t->builder, loop);

    LLVMPositionBuilderAtEnd(t->builder, loop);
    LLVMValueRef left = LLVMBuildLoad2(t->builder, t->i32, t->lanes_left, "");
    LLVMValueRef lane = next_lane(t, inst, left);
    LLVMValueRef following = LLVMBuildSub(t->builder, left, number32(t, 1), "");
    following = inst->tagged ? LLVMBuildXor(t->builder, left, bit_of_lane(t, lane), "")
                             : LLVMBuildAnd(t->builder, left, following, "");
    LLVMBuildStore(t->builder, lane, t->lane);
    LLVMSetVolatile(LLVMBuildStore(t->builder, lane, t->lane_for_helpers), true);
    LLVMBuildStore(t->builder, following, t->lanes_left);
    LLVMBuildStore(t->builder, number32(t, number), t->detour);
    load_lane(t, inst, &needed, lane);
    start_lane(t, inst, &needed, lane);

    LLVMPositionBuilderAtEnd(t->builder, back); /* its values were stored by the join */
    LLVMValueRef more = LLVMBuildLoad2(t->builder, t->i32, t->lanes_left, "");
    LLVMValueRef last = lane_number(t);
    for (unsigned r = 0; r < 256; r++)
        if (is_collected(t, inst, r)) {
            LLVMValueRef word = LLVMBuildLoad2(t->builder, t->i32, t->alone[r], "");
            LLVMBuildStore(t->builder, word, lane_word(t, t->rows[r], last));
        }
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, more, number32(t, 0), ""), loop, end);
    LLVMPositionBuilderAtEnd(t->builder, end);
    return_state(t, inst);
    go_to(t, t->version, inst->rpc);
    if (together) {
        LLVMPositionBuilderAtEnd(t->builder, together);
        go_on_together(t, inst);
    }
}

/* A lane is back if its detour ends here. */
void join_alone(struct translator *t, struct inst *inst)
{
    for (unsigned r = 0; r < 256; r += 2)
        split_pair(t, r);
    LLVMBasicBlockRef way = inst->is_passed ? way_to(t, ALONE, inst->next) : NULL;
    if (!t->emit)
        return;
    size_t count = 0, only = 0;
    for (size_t i = 0; i < t->detours.count; i++)
        if (t->detours.at[i].join == t->at)
            only = i, count++;
    if (!count && !way) { /* of branches whose lanes never part: no lane passes the joins before it */
        LLVMBuildUnreachable(t->builder);
        return;
    }
    if (!count || (count == 1 && !way)) {
        LLVMBuildBr(t->builder, count ? t->detours.at[only].back : way);
        return;
    }
    if (!way) {
        way = new_block(t, "nowhere");
        LLVMBasicBlockRef here = LLVMGetInsertBlock(t->builder);
        LLVMPositionBuilderAtEnd(t->builder, way);
        LLVMBuildUnreachable(t->builder);
        LLVMPositionBuilderAtEnd(t->builder, here);
    }
    LLVMValueRef which = LLVMBuildLoad2(t->builder, t->i32, t->detour, "");
    LLVMValueRef where = LLVMBuildSwitch(t->builder, which, way, (unsigned)count);
    for (size_t i = 0; i < t->detours.count; i++)
        if (t->detours.at[i].join == t->at)
            LLVMAddCase(where, number32(t, (uint32_t)i), t->detours.at[i].back);
}
