/* Divergence.
 *
 * There is no SIMT stack.  At a divergent branch, one side waits, in a mask, either at the reconvergence point (the
 * join) or at the branch's target; when the others reach the join, lanes that wait at a target are released, and when
 * there are none, all lanes at the join continue.  Every lane follows its own path whatever the order, and the mask is
 * never empty.
 *
 * Lanes that wait at the same target go on together, wherever they have come from.  Where that is counted, they go on as on the machine,
 * which has a stack: those of one branch, in one turn of a loop, apart from others. */
#include "jit/translate/translator.h"

#include <string.h>

/* ---- code whose lanes exchange values ---- */

struct region {
    bool *inside;
    CY_VEC(uint32_t) work;
};

static void enter(struct region *region, uint32_t number, uint32_t join)
{
    if (number == NONE || number == join || region->inside[number])
        return;
    region->inside[number] = true;
    *cy_vec_push(&region->work) = number;
}

/* What lanes can reach from an instruction without passing the join. */
static void find_region(struct translator *t, struct region *region, uint32_t join)
{
    while (region->work.count) {
        const struct inst *inst = &t->insts[region->work.at[--region->work.count]];
        enter(region, inst->next, join);
        enter(region, inst->target, join);
        for (size_t i = 0; inst->is_return && i < t->returns.count; i++)
            enter(region, t->returns.at[i], join);
    }
}

static bool has_effects(const struct translator *t, const struct region *region)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (region->inside[i] && (row_of(&t->insts[i])->flags & (CY_F_STORE | CY_F_ATOMIC) || t->insts[i].is_across))
            return true;
    return false;
}

static void region_from(struct translator *t, struct region *region, uint32_t from, uint32_t join)
{
    memset(region->inside, 0, t->count);
    enter(region, from, join);
    find_region(t, region, join);
}

static bool is_both_sided(const struct inst *inst)
{
    return inst->reachable && is_vector_branch(inst) && inst->target != inst->rpc && inst->next != inst->rpc;
}

/* Where lanes wait while the branch's other side runs. */
static uint32_t waits_at(const struct inst *inst)
{
    return inst->is_target_first ? inst->next : inst->target;
}

/* Lanes that leave a loop, or go where those of other branches go, do so at once where that is counted: if they waited, more of them
 * would come. */
void choose_first_sides(struct translator *t)
{
    struct region region = {.inside = cy_arena_alloc(&t->arena, t->count)};
    for (uint32_t i = 0; i < t->count && t->request->counts && !t->request->exchanges && !t->in_order; i++) {
        struct inst *inst = &t->insts[i];
        if (!is_both_sided(inst))
            continue;
        region_from(t, &region, inst->next, inst->rpc);
        for (uint32_t k = 0; k < t->count; k++)
            inst->is_target_first |= region.inside[k] && is_both_sided(&t->insts[k]) && t->insts[k].rpc == inst->rpc &&
                                     t->insts[k].target == inst->target;
    }
    cy_vec_free(&region.work);
}

static size_t pending_index(const struct translator *t, const struct inst *inst)
{
    size_t i = 0;
    while (t->pendings.at[i].join != inst->rpc || t->pendings.at[i].target != waits_at(inst))
        i++;
    return i;
}

/* While lanes wait at one side of the branch, no others come there: neither from its first side nor from where lanes of that wait in
 * turn.  The join releases the last of the pendings first. */
static bool waits_alone(struct translator *t, const struct inst *inst, struct region *first, struct region *second)
{
    const uint32_t place = waits_at(inst);
    region_from(t, first, inst->is_target_first ? inst->target : inst->next, inst->rpc);
    region_from(t, second, place, inst->rpc);
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *other = &t->insts[i];
        if (!first->inside[i] || !is_both_sided(other) || other->rpc != inst->rpc)
            continue;
        if (waits_at(other) == place)
            return false;
        if (pending_index(t, other) > pending_index(t, inst))
            continue;
        for (uint32_t k = 0; k < t->count; k++) /* that one is still waiting when these go on */
            if (second->inside[k] && is_both_sided(&t->insts[k]) && t->insts[k].rpc == inst->rpc &&
                waits_at(&t->insts[k]) == waits_at(other))
                return false;
    }
    return true;
}

static void need_stack(struct translator *t, uint32_t join)
{
    if (!t->stacks) {
        t->stacks = cy_arena_alloc(&t->arena, (t->joins.count + 1) * sizeof(*t->stacks));
        memset(t->stacks, 0, (t->joins.count + 1) * sizeof(*t->stacks));
    }
    t->stacks[join_index(t, join)].is_needed = true;
}

/* Lanes that wait at a branch's target run together, although they may have come there at different times: several turns of
 * a loop, or several branches.  The interpreter runs them one after the other, which lanes notice if they exchange
 * values, and which shows in counters: there the join has a stack. */
bool meets_as_interpreted(struct translator *t)
{
    struct region region = {.inside = cy_arena_alloc(&t->arena, t->count)};
    struct region other = {.inside = cy_arena_alloc(&t->arena, t->count)};
    const bool has_sides = t->request->counts && !t->request->exchanges && !t->in_order;
    bool ok = true;
    for (uint32_t i = 0; i < t->count && ok; i++) {
        const struct inst *inst = &t->insts[i];
        if (!is_both_sided(inst))
            continue;
        if (has_sides) {
            if (!waits_alone(t, inst, &region, &other))
                need_stack(t, inst->rpc);
            continue;
        }
        bool again = false;
        memset(region.inside, 0, t->count);
        enter(&region, inst->next, inst->rpc);
        enter(&region, inst->target, inst->rpc);
        find_region(t, &region, inst->rpc);
        for (uint32_t k = 0; k < t->count; k++)
            again |= (region.inside[k] || k != i) && t->insts[k].reachable && is_vector_branch(&t->insts[k]) &&
                     t->insts[k].rpc == inst->rpc && t->insts[k].target == inst->target;
        region_from(t, &region, inst->target, inst->rpc);
        ok = !again || !(t->request->counts || has_effects(t, &region));
    }
    cy_vec_free(&region.work);
    cy_vec_free(&other.work);
    const char *what = t->request->exchanges ? "sub-groups" : t->request->counts ? "counting" : "exchanges";
    return ok || cannot(t, "%s where lanes of several branches meet", what);
}

/* ---- masks ---- */

unsigned join_index(const struct translator *t, uint32_t join)
{
    unsigned i = 0;
    while (i < t->joins.count && t->joins.at[i] != join)
        i++;
    return i;
}

void make_masks(struct translator *t)
{
    t->waiting = cy_arena_alloc(&t->arena, (t->joins.count + 1) * sizeof(*t->waiting));
    for (size_t i = 0; i < t->joins.count; i++)
        t->waiting[i] = LLVMBuildAlloca(t->allocas, t->vi32, "waiting");
    for (size_t i = 0; i < t->pendings.count; i++)
        t->pendings.at[i].mask = LLVMBuildAlloca(t->allocas, t->vi32, "pending");
    for (size_t i = 0; t->stacks && i < t->joins.count; i++)
        if (t->stacks[i].is_needed) {
            LLVMTypeRef words = LLVMArrayType2(t->i32, CY_JIT_MAX_STRIP); /* each entry has a lane at least */
            t->stacks[i].depth = LLVMBuildAlloca(t->allocas, t->i32, "depth");
            t->stacks[i].lanes = LLVMBuildAlloca(t->allocas, words, "stack");
            t->stacks[i].places = LLVMBuildAlloca(t->allocas, words, "places");
        }
}

static struct stack *stack_of(struct translator *t, uint32_t join)
{
    struct stack *stack = t->stacks ? &t->stacks[join_index(t, join)] : NULL;
    return stack && stack->is_needed ? stack : NULL;
}

static void clear_stack(struct translator *t, uint32_t join)
{
    const struct stack *stack = stack_of(t, join);
    if (stack)
        LLVMBuildStore(t->builder, number32(t, 0), stack->depth);
}

static LLVMValueRef load32(struct translator *t, LLVMValueRef place)
{
    return LLVMBuildLoad2(t->builder, t->i32, place, "");
}

static LLVMValueRef entry_of(struct translator *t, LLVMValueRef words, LLVMValueRef index)
{
    return LLVMBuildGEP2(t->builder, t->i32, words, &index, 1, "");
}

/* Lanes, of which there may be none, wait at a place: a row of t->pendings. */
static void push(struct translator *t, const struct stack *stack, LLVMValueRef lanes, size_t place)
{
    LLVMValueRef depth = load32(t, stack->depth), bits = mask_bits(t, lanes);
    LLVMBuildStore(t->builder, bits, entry_of(t, stack->lanes, depth));
    LLVMBuildStore(t->builder, number32(t, (uint32_t)place), entry_of(t, stack->places, depth));
    LLVMValueRef is_some = LLVMBuildICmp(t->builder, LLVMIntNE, bits, number32(t, 0), "");
    is_some = LLVMBuildZExt(t->builder, is_some, t->i32, "");
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, depth, is_some, ""), stack->depth);
}

/* No lane waits for this join. */
static void clear_join(struct translator *t, uint32_t join)
{
    LLVMBuildStore(t->builder, LLVMConstNull(t->vi32), t->waiting[join_index(t, join)]);
    for (size_t i = 0; i < t->pendings.count; i++)
        if (t->pendings.at[i].join == join)
            LLVMBuildStore(t->builder, LLVMConstNull(t->vi32), t->pendings.at[i].mask);
    clear_stack(t, join);
}

/* ---- where lanes may wait ---- */

/* Bit i of such a set: at join i or at a target before it; the last one: some lanes do not exist.  Masks of a join are valid only where
 * it is in the set, so that LLVM has to carry few of them: whatever leads into such code from elsewhere clears them. */
static size_t open_words(const struct translator *t)
{
    return t->joins.count / 64 + 1;
}

static uint64_t *new_open(struct translator *t)
{
    uint64_t *open = cy_arena_alloc(&t->arena, open_words(t) * sizeof(*open));
    memset(open, 0, open_words(t) * sizeof(*open));
    return open;
}

void make_open(struct translator *t)
{
    t->open = new_open(t);
}

void open_as_in(struct translator *t, const struct node *node)
{
    for (size_t i = 0; i < open_words(t); i++)
        t->open[i] = node->open ? node->open[i] : 0;
}

static bool is_open(const uint64_t *open, size_t number)
{
    return open[number / 64] >> number % 64 & 1;
}

static void set_open(uint64_t *open, size_t number, bool is_open)
{
    const uint64_t bit = 1ull << number % 64;
    open[number / 64] = is_open ? open[number / 64] | bit : open[number / 64] & ~bit;
}

static bool is_any_open(const struct translator *t)
{
    uint64_t any = 0;
    for (size_t i = 0; i < open_words(t); i++)
        any |= t->open[i];
    return any;
}

bool merge_open(struct translator *t, struct node *node)
{
    uint64_t more = 0;
    if (!node->open)
        node->open = new_open(t);
    for (size_t i = 0; i < open_words(t); i++) {
        more |= t->open[i] & ~node->open[i];
        node->open[i] |= t->open[i];
    }
    return more;
}

void add_partial(struct translator *t, struct node *node)
{
    if (!node->open)
        node->open = new_open(t);
    set_open(node->open, t->joins.count, true);
}

/* On the way to the node, before which no lane waits for what is not open. */
void clear_unopened(struct translator *t, const struct node *node)
{
    for (size_t i = 0; node->open && i < t->joins.count; i++)
        if (is_open(node->open, i) && !is_open(t->open, i))
            clear_join(t, t->joins.at[i]);
}

static void add_lanes(struct translator *t, LLVMValueRef to, LLVMValueRef lanes)
{
    LLVMValueRef there = LLVMBuildLoad2(t->builder, t->vi32, to, "");
    LLVMBuildStore(t->builder, LLVMBuildOr(t->builder, there, lanes, ""), to);
}

/* Splits the active lanes: `on` go on, the others wait at `end`, one of the branch's or its join.  The builder is at the branch. */
static void split(struct translator *t, const struct inst *inst, LLVMValueRef on, LLVMValueRef others, uint32_t end)
{
    const struct stack *stack = stack_of(t, inst->rpc);
    size_t place = 0;
    while (place < t->pendings.count &&
           (t->pendings.at[place].join != inst->rpc || t->pendings.at[place].target != end))
        place++;
    if (place == t->pendings.count)
        add_lanes(t, t->waiting[join_index(t, inst->rpc)], others);
    else if (stack)
        push(t, stack, others, place);
    else
        add_lanes(t, t->pendings.at[place].mask, others);
    LLVMBuildStore(t->builder, on, t->mask);
}

LLVMValueRef mask_of(struct translator *t, LLVMValueRef bits)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = LLVMConstInt(t->i32, 1u << i, false);
    LLVMValueRef own = LLVMBuildAnd(t->builder, splat(t, bits), LLVMConstVector(lanes, t->w), "");
    own = LLVMBuildICmp(t->builder, LLVMIntNE, own, LLVMConstNull(t->vi32), "");
    return LLVMBuildSExt(t->builder, own, t->vi32, "");
}

void part_lanes(struct translator *t, const struct inst *inst, LLVMValueRef bits)
{
    const unsigned join = join_index(t, inst->rpc);
    const bool was_open = is_open(t->open, join);
    set_open(t->open, join, true);
    if (!t->emit)
        return;
    LLVMValueRef on = mask_of(t, bits), all = strip_mask(t);
    if (!was_open)
        clear_join(t, inst->rpc);
    if (t->version != FULL)
        all = LLVMBuildLoad2(t->builder, t->vi32, t->mask, "");
    split(t, inst, on, LLVMBuildAnd(t->builder, all, LLVMBuildNot(t->builder, on, ""), ""), inst->rpc);
}

/* The machine's order: the side with fewer lanes goes first, the taken one if they are as many. */
static void split_in_order(struct translator *t, const struct inst *inst, LLVMValueRef taken, LLVMValueRef rest)
{
    LLVMBasicBlockRef jumps = new_block(t, "jumps"), falls = new_block(t, "falls");
    if (t->emit) {
        LLVMValueRef first = lane_count(t, taken), second = lane_count(t, rest);
        first = LLVMBuildSub(t->builder, first, number32(t, 1), ""); /* if there are none, they do not go first */
        branch(t, LLVMBuildICmp(t->builder, LLVMIntULT, first, second, ""), jumps, falls);
        LLVMPositionBuilderAtEnd(t->builder, jumps);
        split(t, inst, taken, rest, inst->next);
    }
    go_to(t, MASKED, inst->target);
    if (t->emit) {
        LLVMPositionBuilderAtEnd(t->builder, falls);
        split(t, inst, rest, taken, inst->target);
    }
    go_to(t, MASKED, inst->next);
}

/* A few lanes go on alone; the builder is then where they are more. */
static void few_alone(struct translator *t, struct inst *inst, LLVMValueRef taken, LLVMValueRef rest)
{
    LLVMBasicBlockRef few = new_block(t, "few"), many = new_block(t, "many");
    const struct state state = t->now;
    if (t->emit) {
        LLVMValueRef count = lane_count(t, lanes_going(t, inst, taken, rest));
        LLVMValueRef is_few = LLVMBuildICmp(t->builder, LLVMIntULE, count, number32(t, inst->alone_up_to), "");
        LLVMBuildCondBr(t->builder, is_few, few, many);
        LLVMPositionBuilderAtEnd(t->builder, few);
    }
    lanes_alone(t, inst, taken, rest);
    if (t->emit)
        LLVMPositionBuilderAtEnd(t->builder, many);
    t->now = state;
}

bool lower_vector_branch(struct translator *t, struct inst *inst)
{
    struct value condition = evaluate(t, inst);
    const bool take = inst->next == inst->rpc;
    const uint32_t on = take ? inst->target : inst->next;
    if (t->version == MASKED && !inst->is_inside)
        set_open(t->open, join_index(t, inst->rpc), false);
    if (condition.class.is_const) {
        go_to(t, t->version, condition.class.constant ? inst->target : inst->next);
        return true;
    }
    if (condition.class.kind == VECTOR && !condition.class.is_known && t->version != ALONE && is_flat(t, inst))
        return lower_flat(t, inst, condition);
    if (!is_shared(&condition.class) || condition.class.kind != UNIFORM) {
        strips_vary(t, t->at, inst->rpc);
        inst->differs = true;
    }
    LLVMBasicBlockRef parted = NULL, some = NULL, target, next;
    if (inst->by_lane && inst->is_alone_first && t->version != ALONE && condition.class.kind != UNIFORM) {
        parted = new_block(t, "parted"); /* only lanes that are at the join need not go on one by one */
        target = inst->target == inst->rpc ? way_to(t, t->version, inst->target) : parted;
        next = inst->next == inst->rpc ? way_to(t, t->version, inst->next) : parted;
    } else {
        target = way_to(t, t->version, inst->target);
        next = way_to(t, t->version, inst->next);
    }
    if (condition.class.kind == UNIFORM) {
        branch(t, condition.scalar, target, next);
        return true;
    }
    parted = parted ? parted : new_block(t, "parted");
    some = new_block(t, "some");
    LLVMValueRef taken = NULL, rest = NULL;
    if (condition.class.is_known && t->emit && target != parted && next != parted) {
        LLVMBasicBlockRef not_all = new_block(t, "not_all"), mixed = new_block(t, "mixed");
        branch(t, condition.all, target, not_all);
        LLVMPositionBuilderAtEnd(t->builder, not_all);
        branch(t, condition.none, next, mixed);
        LLVMPositionBuilderAtEnd(t->builder, mixed);
    }
    if (t->emit) {
        taken = LLVMBuildSExt(t->builder, bits_of(t, condition), t->vi32, "");
        rest = LLVMBuildNot(t->builder, taken, "");
        if (t->lanes < t->w) {
            taken = LLVMBuildAnd(t->builder, taken, strip_mask(t), "");
            rest = LLVMBuildAnd(t->builder, rest, strip_mask(t), "");
        }
        if (t->version == MASKED) {
            LLVMValueRef mask = LLVMBuildLoad2(t->builder, t->vi32, t->mask, "");
            taken = LLVMBuildAnd(t->builder, taken, mask, "");
            rest = LLVMBuildAnd(t->builder, rest, mask, "");
        }
    }
    count_split(t, taken, rest);
    if (t->version == FULL) {
        branch(t, any_lane(t, taken), some, next);
        if (t->emit)
            LLVMPositionBuilderAtEnd(t->builder, some);
        branch(t, any_lane(t, rest), parted, target);
    } else {
        /* a side without lanes does not need its own test: no lane is added to those that wait */
        const bool jumps = take || inst->is_target_first;
        branch(t, any_lane(t, jumps ? taken : rest), parted, jumps ? next : target);
    }
    if (t->emit) {
        if (t->version == MASKED)
            LLVMDeleteBasicBlock(some);
        LLVMPositionBuilderAtEnd(t->builder, parted);
    }
    if (inst->by_lane && !inst->alone_up_to) {
        lanes_alone(t, inst, taken, rest);
        return true;
    }
    if (inst->by_lane)
        few_alone(t, inst, taken, rest);
    if (t->emit && !is_open(t->open, join_index(t, inst->rpc)))
        clear_join(t, inst->rpc);
    set_open(t->open, join_index(t, inst->rpc), true);
    if (t->in_order && inst->target != inst->rpc && !take) {
        split_in_order(t, inst, taken, rest);
        return true;
    }
    if (inst->is_target_first) {
        if (t->emit)
            split(t, inst, taken, rest, inst->next);
        go_to(t, MASKED, inst->target);
        return true;
    }
    if (t->emit && take) /* lanes that do not jump are already at the join */
        split(t, inst, taken, rest, inst->rpc);
    else if (t->emit)
        split(t, inst, rest, taken, inst->target);
    go_to(t, MASKED, on);
    return true;
}

/* The lanes that came last to the join's stack go on where they wait; the builder is then where there are none. */
static void pop(struct translator *t, const struct stack *stack, LLVMValueRef mask)
{
    LLVMBasicBlockRef others = new_block(t, "others"), none = new_block(t, "none"), nowhere = new_block(t, "nowhere");
    LLVMValueRef which = NULL;
    if (t->emit) {
        LLVMValueRef depth = load32(t, stack->depth);
        branch(t, LLVMBuildICmp(t->builder, LLVMIntNE, depth, number32(t, 0), ""), others, none);
        LLVMPositionBuilderAtEnd(t->builder, nowhere);
        LLVMBuildUnreachable(t->builder);
        LLVMPositionBuilderAtEnd(t->builder, others);
        LLVMValueRef last = LLVMBuildSub(t->builder, depth, number32(t, 1), "");
        LLVMBuildStore(t->builder, last, stack->depth);
        add_lanes(t, t->waiting[join_index(t, t->at)], mask);
        LLVMBuildStore(t->builder, mask_of(t, load32(t, entry_of(t, stack->lanes, last))), t->mask);
        which = LLVMBuildSwitch(t->builder, load32(t, entry_of(t, stack->places, last)), nowhere, 4);
    }
    for (size_t i = 0; i < t->pendings.count; i++) {
        if (t->pendings.at[i].join != t->at)
            continue;
        LLVMBasicBlockRef way = way_to(t, MASKED, t->pendings.at[i].target);
        if (t->emit)
            LLVMAddCase(which, number32(t, (uint32_t)i), way);
    }
    if (t->emit)
        LLVMPositionBuilderAtEnd(t->builder, none);
}

bool lower_join(struct translator *t, struct inst *inst)
{
    const unsigned join = join_index(t, t->at);
    if (t->version == ALONE) {
        join_alone(t, inst);
        return true;
    }
    if (t->version == FULL || join == t->joins.count || !is_open(t->open, join)) {
        count_join(t);
        go_to(t, t->version, inst->next);
        return true;
    }
    LLVMValueRef mask = NULL;
    unblend(&t->now);
    if (t->emit)
        mask = LLVMBuildLoad2(t->builder, t->vi32, t->mask, "");
    if (stack_of(t, t->at))
        pop(t, stack_of(t, t->at), mask);
    for (size_t i = t->pendings.count; i-- > 0;) { /* those of inner branches first */
        const struct pending *pending = &t->pendings.at[i];
        if (pending->join != t->at || stack_of(t, t->at))
            continue;
        LLVMBasicBlockRef others = new_block(t, "others"), none = new_block(t, "none");
        LLVMValueRef lanes = t->emit ? LLVMBuildLoad2(t->builder, t->vi32, pending->mask, "") : NULL;
        branch(t, any_lane(t, lanes), others, none);
        if (t->emit) {
            LLVMPositionBuilderAtEnd(t->builder, others);
            add_lanes(t, t->waiting[join], mask);
            LLVMBuildStore(t->builder, lanes, t->mask);
            LLVMBuildStore(t->builder, LLVMConstNull(t->vi32), pending->mask);
        }
        go_to(t, MASKED, pending->target);
        if (t->emit)
            LLVMPositionBuilderAtEnd(t->builder, none);
    }
    LLVMValueRef all = NULL;
    if (t->emit) {
        all = LLVMBuildOr(t->builder, mask, LLVMBuildLoad2(t->builder, t->vi32, t->waiting[join], ""), "");
        LLVMBuildStore(t->builder, all, t->mask);
        LLVMBuildStore(t->builder, LLVMConstNull(t->vi32), t->waiting[join]);
    }
    count_join(t);
    set_open(t->open, join, false);
    if (!is_any_open(t)) {
        go_to(t, FULL, inst->next);
        return true;
    }
    LLVMBasicBlockRef full = way_to(t, FULL, inst->next), masked = way_to(t, MASKED, inst->next);
    branch(t, cy_jit_broken(FULL) ? any_lane(t, all) : each_lane(t, all), full, masked);
    return true;
}
