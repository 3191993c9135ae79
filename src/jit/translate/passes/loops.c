/* Checks that are made once, before a loop.
 *
 * If the number of turns is known when a loop begins, addresses that grow evenly are all allowed if the first and the
 * last one are, and turns need not be counted one by one.  Addresses that do not change are checked once however often it turns.  What is emitted therefore asks a placeholder, before it
 * checks an address or counts a turn, whether that is still needed.  Once registers have become values,
 * hoist_loop_checks() replaces the placeholders: by a condition that is computed before the innermost loop and on
 * which LLVM then splits the loop, or by false. */
#include "jit/translate/passes/loops.h"

#include "jit/translate/memory/far.h"

#include <stdlib.h>
#include <string.h>

#define PLACEHOLDER "chengying.loop"
#define FAR_PLACEHOLDER "chengying.loop.far" /* of 64-bit addresses */
#define LANES_PLACEHOLDER "chengying.lanes"
enum { NO_SITE = -1 }; /* counts turns */
enum {
    MOST_TURNS = 1 << 20,
    MOST_SHORT = 1 << 24
}; /* not to go on for long without asking whether the launch was stopped: powers of 2 */

/* ---- placeholders ---- */

void find_loops(struct translator *t)
{
    t->looping = cy_arena_alloc(&t->arena, t->count);
    memset(t->looping, 0, t->count);
    for (uint32_t i = 0; i < t->count; i++) /* blocks are laid out in the source's order */
        if (t->insts[i].reachable && t->insts[i].target != NONE && t->insts[i].target <= i)
            memset(&t->looping[t->insts[i].target], 1, i + 1 - t->insts[i].target);
}

LLVMValueRef ask(struct translator *t, const char *name, LLVMValueRef *args, unsigned count)
{
    enum { INACCESSIBLE_ONLY = 3 << 2, MOST = 4 }; /* of LLVM's attribute "memory": such calls stay where they are */
    static const char memory[] = "memory", *const names[] = {"nounwind", "willreturn", "nosync", "nofree"};
    LLVMTypeRef types[MOST];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(t->i1, types, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(t->module, name);
    if (!function) {
        const LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
        const unsigned kind = LLVMGetEnumAttributeKindForName(memory, sizeof(memory) - 1);
        function = LLVMAddFunction(t->module, name, type);
        LLVMAddAttributeAtIndex(function, index, LLVMCreateEnumAttribute(t->context, kind, INACCESSIBLE_ONLY));
        for (size_t i = 0; i < CY_COUNT(names); i++)
            add_enum_attribute(t, function, index, names[i]);
    }
    return LLVMBuildCall2(t->builder, type, function, args, count, "");
}

LLVMValueRef loop_check(struct translator *t, LLVMValueRef lowest, uint32_t site, unsigned align)
{
    LLVMValueRef args[] = {lowest, number32(t, site), number32(t, align)};
    const bool is_far = LLVMTypeOf(lowest) == t->i64;
    if (!t->looping[t->at] && (is_far || t->version != ALONE))
        return NULL;
    return ask(t, is_far ? FAR_PLACEHOLDER : PLACEHOLDER, args, CY_COUNT(args));
}

LLVMValueRef loop_poll(struct translator *t, LLVMValueRef left)
{
    LLVMValueRef args[] = {left, number32(t, (uint32_t)NO_SITE), number32(t, 0)};
    return ask(t, PLACEHOLDER, args, CY_COUNT(args));
}

LLVMValueRef lanes_check(struct translator *t, LLVMValueRef addresses, uint32_t site, unsigned align)
{
    LLVMValueRef mask = t->version == MASKED ? LLVMBuildLoad2(t->builder, t->vi32, t->mask, "") : strip_mask(t);
    LLVMValueRef args[] = {addresses, number32(t, site), number32(t, align), mask};
    return ask(t, LANES_PLACEHOLDER, args, CY_COUNT(args));
}

/* ---- the function's blocks ---- */

struct place {
    LLVMBasicBlockRef block;
    uint32_t number;
};

static int by_address(const void *a, const void *b)
{
    const uintptr_t first = (uintptr_t)((const struct place *)a)->block,
                    second = (uintptr_t)((const struct place *)b)->block;
    return first < second ? -1 : first > second;
}

uint32_t number_of(const struct graph *graph, LLVMBasicBlockRef block)
{
    const struct place wanted = {.block = block};
    const struct place *found = bsearch(&wanted, graph->places, graph->count, sizeof(wanted), by_address);
    return found ? found->number : NONE;
}

static struct graph make_graph(struct translator *t, LLVMValueRef function)
{
    struct graph graph = {.t = t, .count = LLVMCountBasicBlocks(function)};
    graph.blocks = cy_arena_alloc(&t->arena, graph.count * sizeof(LLVMBasicBlockRef));
    graph.places = cy_arena_alloc(&t->arena, graph.count * sizeof(*graph.places));
    LLVMGetBasicBlocks(function, graph.blocks);
    for (uint32_t i = 0; i < graph.count; i++)
        graph.places[i] = (struct place){graph.blocks[i], i};
    qsort(graph.places, graph.count, sizeof(*graph.places), by_address);
    return graph;
}

static void find_edges(struct graph *graph)
{
    struct cy_arena *arena = &graph->t->arena;
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t i = 0; i < graph->count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(graph->blocks[i]);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
            *cy_vec_push(&edges) = (struct cy_edge){i, number_of(graph, LLVMGetSuccessor(end, k))};
    }
    graph->edges = cy_graph_make(arena, graph->count, edges.at, edges.count);
    const struct cy_walk walk = cy_graph_walk(arena, &graph->edges, 0);
    graph->dominators = cy_graph_dominators(arena, &graph->edges, &walk);
    graph->loops = cy_graph_loops(arena, &graph->edges, &walk);
    cy_vec_free(&edges);
}

static bool is_inside(const struct loop *loop, uint32_t block)
{
    return cy_loop_has(&loop->graph->loops, loop->number, block);
}

/* Does every turn pass this block of the loop?  Then it dominates those that go back to the header. */
static bool is_in_every_turn(const struct loop *loop, uint32_t block)
{
    const struct cy_graph *edges = &loop->graph->edges;
    bool is_passed = true;
    for (uint32_t i = edges->pred_start[loop->header]; i < edges->pred_start[loop->header + 1]; i++)
        is_passed &= !is_inside(loop, edges->pred[i]) || cy_dominates(&loop->graph->dominators, block, edges->pred[i]);
    return is_passed;
}

/* ---- values that grow evenly ---- */

static bool is_zero(LLVMValueRef value)
{
    return LLVMIsAConstantInt(value) && !LLVMConstIntGetZExtValue(value);
}

bool is_outside(const struct loop *loop, LLVMValueRef value)
{
    return !LLVMIsAInstruction(value) || !is_inside(loop, number_of(loop->graph, LLVMGetInstructionParent(value)));
}

static struct linear linear_of(struct loop *loop, LLVMValueRef value, unsigned depth);

/* A counter: what is added to it in a turn does not change. */
static struct linear linear_phi(const struct loop *loop, LLVMValueRef phi)
{
    const struct graph *graph = loop->graph;
    LLVMValueRef first = NULL, next = NULL;
    if (LLVMGetInstructionParent(phi) != graph->blocks[loop->header] || LLVMCountIncoming(phi) != 2)
        return (struct linear){0};
    for (unsigned i = 0; i < 2; i++) {
        if (LLVMGetIncomingBlock(phi, i) == loop->before)
            first = LLVMGetIncomingValue(phi, i);
        else
            next = LLVMGetIncomingValue(phi, i);
    }
    if (!first || !next || !LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd)
        return (struct linear){0};
    for (unsigned i = 0; i < 2; i++)
        if (LLVMGetOperand(next, i) == phi && is_outside(loop, LLVMGetOperand(next, 1 - i)))
            return (struct linear){first, LLVMGetOperand(next, 1 - i)};
    return (struct linear){0};
}

static struct linear both_parts(LLVMBuilderRef b, LLVMOpcode op, struct linear x, struct linear y)
{
    LLVMValueRef first = LLVMBuildBinOp(b, op, x.first, y.first, "");
    return (struct linear){first, LLVMBuildBinOp(b, op, x.step, y.step, "")};
}

/* An index of 32 bits as one of 64. */
static struct linear extended_linear(struct loop *loop, LLVMOpcode op, struct linear x)
{
    struct translator *t = loop->graph->t;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef first = LLVMBuildCast(b, op, x.first, t->i64, "");
    if (is_zero(x.step))
        return (struct linear){first, number64(t, 0)};
    if (!loop->last)
        return (struct linear){0};
    LLVMValueRef step = LLVMBuildSExt(b, x.step, t->i64, "");
    LLVMValueRef end = LLVMBuildAdd(b, first, LLVMBuildMul(b, step, loop->last, ""), "");
    LLVMValueRef same = LLVMBuildCast(b, op, LLVMBuildTrunc(b, end, t->i32, ""), t->i64, "");
    LLVMValueRef is_same = LLVMBuildICmp(b, LLVMIntEQ, end, same, "");
    loop->in_range = loop->in_range ? LLVMBuildAnd(b, loop->in_range, is_same, "") : is_same;
    return (struct linear){first, step};
}

/* The code is emitted before the loop; what turns out not to be used is removed by LLVM. */
static struct linear linear_of(struct loop *loop, LLVMValueRef value, unsigned depth)
{
    enum { DEEP = 16 };
    LLVMBuilderRef b = loop->graph->t->builder;
    const struct linear none = {0};
    if (is_outside(loop, value))
        return (struct linear){value, LLVMConstNull(LLVMTypeOf(value))};
    if (LLVMIsAPHINode(value))
        return linear_phi(loop, value);
    const LLVMOpcode op = LLVMGetInstructionOpcode(value);
    if (op == LLVMXor && depth < DEEP && LLVMGetOperand(value, 1) == LLVMConstAllOnes(LLVMTypeOf(value))) {
        const struct linear x = linear_of(loop, LLVMGetOperand(value, 0), depth + 1); /* n - 1 - i is n + ~i */
        if (!x.first)
            return none;
        LLVMValueRef first = LLVMBuildNot(b, x.first, "");
        return (struct linear){first, LLVMBuildNeg(b, x.step, "")};
    }
    if (depth < DEEP && (op == LLVMSExt || op == LLVMZExt) &&
        LLVMTypeOf(LLVMGetOperand(value, 0)) == loop->graph->t->i32) {
        const struct linear index = linear_of(loop, LLVMGetOperand(value, 0), depth + 1);
        return index.first ? extended_linear(loop, op, index) : none;
    }
    if (depth == DEEP || (op != LLVMAdd && op != LLVMSub && op != LLVMMul && op != LLVMShl &&
                          !(op == LLVMOr && LLVMGetIsDisjoint(value))))
        return none;
    struct linear x = linear_of(loop, LLVMGetOperand(value, 0), depth + 1);
    struct linear y = x.first ? linear_of(loop, LLVMGetOperand(value, 1), depth + 1) : none;
    if (!x.first || !y.first)
        return none;
    switch (op) {
    case LLVMAdd:
    case LLVMOr: return both_parts(b, LLVMAdd, x, y);
    case LLVMSub: return both_parts(b, LLVMSub, x, y);
    case LLVMShl:
        if (!LLVMIsAConstantInt(y.first) || !is_zero(y.step))
            return none;
        y.step = y.first;
        return both_parts(b, LLVMShl, x, y);
    default:
        if (!is_zero(y.step) && !is_zero(x.step))
            return none;
        if (is_zero(x.step))
            x.step = x.first;
        else
            y.step = y.first;
        return both_parts(b, LLVMMul, x, y);
    }
}

/* ---- how many turns ---- */

/* Of a check that no turn reaches the condition may be poison. */
static void require(struct loop *loop, LLVMValueRef condition)
{
    condition = LLVMBuildFreeze(loop->graph->t->builder, condition, "");
    loop->ok = loop->ok ? LLVMBuildAnd(loop->graph->t->builder, loop->ok, condition, "") : condition;
}

static LLVMIntPredicate swapped(LLVMIntPredicate how)
{
    switch (how) {
    case LLVMIntSLT: return LLVMIntSGT;
    case LLVMIntSLE: return LLVMIntSGE;
    case LLVMIntSGT: return LLVMIntSLT;
    case LLVMIntSGE: return LLVMIntSLE;
    case LLVMIntULT: return LLVMIntUGT;
    case LLVMIntULE: return LLVMIntUGE;
    case LLVMIntUGT: return LLVMIntULT;
    case LLVMIntUGE: return LLVMIntULE;
    default: return how;
    }
}

static LLVMIntPredicate inverted(LLVMIntPredicate how)
{
    switch (how) {
    case LLVMIntSLT: return LLVMIntSGE;
    case LLVMIntSLE: return LLVMIntSGT;
    case LLVMIntSGT: return LLVMIntSLE;
    case LLVMIntSGE: return LLVMIntSLT;
    case LLVMIntULT: return LLVMIntUGE;
    case LLVMIntULE: return LLVMIntUGT;
    case LLVMIntUGT: return LLVMIntULE;
    case LLVMIntUGE: return LLVMIntULT;
    case LLVMIntEQ: return LLVMIntNE;
    default: return LLVMIntEQ;
    }
}

/* The loop goes on while `x`, which changes by `by` in each turn, is not equal to `end`.  It must meet it. */
static void count_to(struct loop *loop, LLVMValueRef x, LLVMValueRef end, int64_t by)
{
    struct translator *t = loop->graph->t;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef size = LLVMConstInt(t->i32, (uint64_t)(by < 0 ? -by : by), false);
    LLVMValueRef way = by < 0 ? LLVMBuildSub(b, x, end, "") : LLVMBuildSub(b, end, x, "");
    loop->last = LLVMBuildZExt(b, LLVMBuildUDiv(b, way, size, ""), t->i64, "");
    require(loop, LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildURem(b, way, size, ""), number32(t, 0), ""));
}

/* The same while it is less, or greater, than `end`.  It must not overflow. */
static void count_below(struct loop *loop, LLVMValueRef x, LLVMValueRef end, int64_t by, LLVMIntPredicate how)
{
    struct translator *t = loop->graph->t;
    LLVMBuilderRef b = t->builder;
    const bool is_signed = how == LLVMIntSLT || how == LLVMIntSLE || how == LLVMIntSGT || how == LLVMIntSGE;
    const bool with_end = how == LLVMIntSLE || how == LLVMIntULE || how == LLVMIntSGE || how == LLVMIntUGE;
    const int64_t least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX,
                  size = by < 0 ? -by : by;
    x = is_signed ? LLVMBuildSExt(b, x, t->i64, "") : LLVMBuildZExt(b, x, t->i64, "");
    end = is_signed ? LLVMBuildSExt(b, end, t->i64, "") : LLVMBuildZExt(b, end, t->i64, "");
    if (with_end)
        end = LLVMBuildAdd(b, end, number64(t, by < 0 ? UINT64_MAX : 1), "");
    LLVMValueRef border = number64(t, (uint64_t)(by < 0 ? least + size - 1 : most - size + 1));
    require(loop, LLVMBuildICmp(b, by < 0 ? LLVMIntSGE : LLVMIntSLE, end, border, ""));
    LLVMValueRef way = by < 0 ? LLVMBuildSub(b, x, end, "") : LLVMBuildSub(b, end, x, "");
    /* if it has passed the end before, this is larger than any number of turns that is allowed */
    loop->last =
        LLVMBuildUDiv(b, LLVMBuildAdd(b, way, number64(t, (uint64_t)size - 1), ""), number64(t, (uint64_t)size), "");
}

/* A way out by the comparison of a counter with a number that does not change. */
static bool count_by(struct loop *loop, uint32_t block)
{
    const struct graph *graph = loop->graph;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(graph->blocks[block]);
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) || !LLVMIsAICmpInst(LLVMGetCondition(end)))
        return false;
    const bool first_stays = is_inside(loop, number_of(graph, LLVMGetSuccessor(end, 0)));
    const bool second_stays = is_inside(loop, number_of(graph, LLVMGetSuccessor(end, 1)));
    LLVMValueRef condition = LLVMGetCondition(end);
    if (first_stays == second_stays || LLVMTypeOf(LLVMGetOperand(condition, 0)) != graph->t->i32)
        return false;
    struct linear x = linear_of(loop, LLVMGetOperand(condition, 0), 0),
                  y = linear_of(loop, LLVMGetOperand(condition, 1), 0);
    LLVMIntPredicate how = LLVMGetICmpPredicate(condition);
    how = first_stays ? how : inverted(how);
    if (!x.first || !y.first)
        return false;
    if (is_zero(x.step)) {
        const struct linear other = x;
        x = y;
        y = other;
        how = swapped(how);
    }
    if (!LLVMIsAConstantInt(x.step) || is_zero(x.step) || !is_zero(y.step) || !is_in_every_turn(loop, block))
        return false;
    const int64_t by = LLVMConstIntGetSExtValue(x.step);
    loop->exit = end;
    switch (how) {
    case LLVMIntNE: count_to(loop, x.first, y.first, by); return true;
    case LLVMIntSLT:
    case LLVMIntSLE:
    case LLVMIntULT:
    case LLVMIntULE:
        if (by < 0)
            return false;
        break;
    case LLVMIntSGT:
    case LLVMIntSGE:
    case LLVMIntUGT:
    case LLVMIntUGE:
        if (by > 0)
            return false;
        break;
    default: return false;
    }
    count_below(loop, x.first, y.first, by, how);
    return true;
}

static bool count_turns(struct loop *loop)
{
    bool found = false;
    for (uint32_t i = 0; i < loop->graph->count && !found; i++)
        found = is_inside(loop, i) && count_by(loop, i);
    if (found)
        require(loop, LLVMBuildICmp(loop->graph->t->builder, LLVMIntULT, loop->last,
                                    number64(loop->graph->t, loop->most), ""));
    return found;
}

/* ---- checks ---- */

struct questions {
    CY_VEC(struct question) all;
};

LLVMValueRef rotated(struct translator *t, LLVMValueRef value, LLVMValueRef by)
{
    LLVMValueRef args[] = {value, value, by};
    return intrinsic(t, "llvm.fshr", LLVMTypeOf(value), args, 3);
}

/* Is there another way out, by what a turn has found?  Searches take it soon. */
static bool is_left_early(const struct loop *loop)
{
    const unsigned rare = LLVMGetMDKindIDInContext(loop->graph->t->context, "prof", 4);
    for (uint32_t i = 0; i < loop->graph->count; i++) {
        LLVMValueRef end = is_inside(loop, i) ? LLVMGetBasicBlockTerminator(loop->graph->blocks[i]) : NULL;
        for (unsigned k = 0; end && end != loop->exit && !LLVMGetMetadata(end, rare) && k < LLVMGetNumSuccessors(end);
             k++)
            if (!is_inside(loop, number_of(loop->graph, LLVMGetSuccessor(end, k))))
                return true;
    }
    return false;
}

/* The same of 64-bit addresses, which are farther apart than any extent is long. */
static bool hoist_far_check(struct loop *loop, struct question *question, struct linear address)
{
    enum { LARGEST_STEP = 36 };
    struct translator *t = loop->graph->t;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef sites = LLVMGetParam(LLVMGetBasicBlockParent(loop->before), SITES_PARAMETER);
    const uint64_t site = LLVMConstIntGetZExtValue(LLVMGetOperand(question->call, 1));
    const uint64_t align = LLVMConstIntGetZExtValue(LLVMGetOperand(question->call, 2));
    if (is_left_early(loop)) /* before this much is gained */
        return false;
    if (loop->in_range)
        require(loop, loop->in_range);
    LLVMValueRef low = far_site_field(t, sites, site, FAR_LOW), count = far_site_field(t, sites, site, FAR_COUNT);
    LLVMValueRef start = LLVMBuildSub(b, address.first, low, "");
    LLVMValueRef number = rotated(t, start, number64(t, align));
    require(loop, LLVMBuildICmp(b, LLVMIntULT, number, count, ""));
    if (is_zero(address.step))
        return true;
    LLVMValueRef step = LLVMBuildAdd(b, address.step, number64(t, 1ull << LARGEST_STEP), "");
    require(loop, LLVMBuildICmp(b, LLVMIntULT, step, number64(t, 2ull << LARGEST_STEP), ""));
    LLVMValueRef odd = LLVMBuildAnd(b, address.step, number64(t, (1ull << align) - 1), "");
    require(loop, LLVMBuildICmp(b, LLVMIntEQ, odd, number64(t, 0), ""));
    LLVMValueRef end = LLVMBuildAdd(b, start, LLVMBuildMul(b, address.step, loop->last, ""), "");
    LLVMValueRef last = rotated(t, end, number64(t, align));
    require(loop, LLVMBuildICmp(b, LLVMIntULT, last, count, ""));
    return true;
}

void answer(LLVMValueRef call, LLVMValueRef with)
{
    LLVMReplaceAllUsesWith(call, with);
    LLVMInstructionEraseFromParent(call);
}

struct site_words load_site(struct translator *t, LLVMValueRef function, LLVMValueRef call)
{
    const uint64_t at = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1)) * sizeof(struct cy_jit_site);
    LLVMValueRef sites = LLVMGetParam(function, SITES_PARAMETER);
    LLVMValueRef low = at_offset(t, sites, (int64_t)(at + offsetof(struct cy_jit_site, low)));
    LLVMValueRef count = at_offset(t, sites, (int64_t)(at + offsetof(struct cy_jit_site, count)));
    low = LLVMBuildLoad2(t->builder, t->i32, low, "");
    return (struct site_words){low, LLVMBuildLoad2(t->builder, t->i32, count, "")};
}

/* All addresses are in the site, as it is before the loop. */
static bool hoist_check(struct loop *loop, struct question *question)
{
    struct translator *t = loop->graph->t;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef call = question->call;
    loop->in_range = NULL;
    const struct linear address = linear_of(loop, LLVMGetOperand(call, 0), 0);
    LLVMValueRef align = LLVMGetOperand(call, 2);
    if (!address.first || LLVMIsUndef(address.first) || (!loop->last && !is_zero(address.step)))
        return false;
    question->address = address;
    if (LLVMTypeOf(address.first) == t->i64)
        return hoist_far_check(loop, question, address);
    const struct site_words site = load_site(t, LLVMGetBasicBlockParent(loop->before), call);
    const uint32_t unit = 1u << LLVMConstIntGetZExtValue(align);
    LLVMValueRef start = LLVMBuildSub(b, address.first, site.low, ""), number = rotated(t, start, align);
    const int64_t by = LLVMIsAConstantInt(address.step) ? LLVMConstIntGetSExtValue(address.step) : 0;
    if (by > 0 && by % unit == 0) { /* the last one is the highest, whatever the first one is */
        LLVMValueRef way = LLVMBuildMul(b, loop->last, number64(t, (uint64_t)(by / unit)), "");
        LLVMValueRef highest = LLVMBuildAdd(b, LLVMBuildZExt(b, number, t->i64, ""), way, "");
        require(loop, LLVMBuildICmp(b, LLVMIntULT, highest, LLVMBuildZExt(b, site.count, t->i64, ""), ""));
        return true;
    }
    require(loop, LLVMBuildICmp(b, LLVMIntULT, number, site.count, ""));
    if (is_zero(address.step))
        return true;
    LLVMValueRef odd = LLVMBuildAnd(b, address.step, number32(t, unit - 1), "");
    LLVMValueRef way = LLVMBuildMul(b, LLVMBuildSExt(b, address.step, t->i64, ""), loop->last, "");
    LLVMValueRef end = LLVMBuildAdd(b, LLVMBuildZExt(b, start, t->i64, ""), way, "");
    LLVMValueRef last = rotated(t, LLVMBuildTrunc(b, end, t->i32, ""), align);
    require(loop, LLVMBuildICmp(b, LLVMIntEQ, odd, number32(t, 0), ""));
    require(loop, LLVMBuildICmp(b, LLVMIntULE, end, number64(t, UINT32_MAX), ""));
    require(loop, LLVMBuildICmp(b, LLVMIntULT, last, site.count, ""));
    return true;
}

/* The turns that are not counted are taken from the counter before, which may become negative. */
static bool hoist_poll(struct loop *loop, LLVMValueRef call)
{
    struct translator *t = loop->graph->t;
    LLVMValueRef counter = LLVMGetOperand(call, 0);
    if (!LLVMIsAPHINode(counter) || LLVMGetInstructionParent(counter) != loop->graph->blocks[loop->header])
        return false;
    for (unsigned i = 0; i < LLVMCountIncoming(counter); i++) {
        if (LLVMGetIncomingBlock(counter, i) != loop->before)
            continue;
        LLVMValueRef turns = LLVMBuildTrunc(t->builder, loop->last, t->i32, "");
        /* strips of profiles enter loops under masks, whose first lane may have passed the end: they would always poll */
        if (t->request->counts)
            turns = LLVMBuildSelect(t->builder, loop->ok, turns, number32(t, 0), "");
        else
            turns = LLVMBuildAnd(t->builder, turns, number32(t, loop->most - 1), ""); /* if more, they are counted */
        LLVMSetOperand(counter, i, LLVMBuildSub(t->builder, LLVMGetIncomingValue(counter, i), turns, ""));
    }
    return true;
}

/* A number that grows by `step`, of 64 bits, in a loop with one latch. */
static LLVMValueRef add_counter(struct loop *loop, LLVMValueRef first, LLVMValueRef step)
{
    LLVMBuilderRef b = loop->graph->t->builder;
    LLVMBasicBlockRef header = loop->graph->blocks[loop->header],
                      blocks[] = {loop->before, loop->graph->blocks[loop->latch]};
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(header));
    LLVMValueRef counter = LLVMBuildPhi(b, loop->graph->t->i64, ""), after = counter;
    while (LLVMIsAPHINode(after))
        after = LLVMGetNextInstruction(after);
    LLVMPositionBuilderBefore(b, after); /* not in the latch, which LLVM removes if it is empty */
    LLVMValueRef values[] = {first, LLVMBuildAdd(b, counter, step, "")};
    LLVMAddIncoming(counter, values, blocks, 2);
    return counter;
}

/* A 64-bit address need not be computed from an index in each turn. */
static void widen_far(struct loop *loop, const struct question *question)
{
    LLVMBuilderRef b = loop->graph->t->builder;
    LLVMValueRef address = LLVMGetOperand(question->call, 0);
    if (is_outside(loop, address) || LLVMIsAPHINode(address))
        return;
    LLVMValueRef counter = add_counter(loop, question->address.first, question->address.step);
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(address));
    LLVMValueRef chosen = LLVMBuildSelect(b, loop->ok, counter, address, "");
    LLVMReplaceAllUsesWith(address, chosen);
    LLVMSetOperand(chosen, 2, address);
}

/* Addresses that are checked before the loop do not overflow in it.  Where it needs no checks, they are therefore counted as the
 * host's numbers of 64 bits, which need not be extended in each turn. */
static void widen(struct loop *loop, const struct question *question)
{
    struct translator *t = loop->graph->t;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef address = LLVMGetOperand(question->call, 0), wide = NULL;
    if (LLVMTypeOf(address) == t->i64) {
        widen_far(loop, question);
        return;
    }
    for (LLVMUseRef use = LLVMGetFirstUse(address), next; use; use = next) {
        LLVMValueRef extension = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!LLVMIsAZExtInst(extension) || LLVMTypeOf(extension) != t->i64 || is_outside(loop, extension))
            continue;
        if (!wide) {
            LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(loop->before));
            LLVMValueRef first = LLVMBuildZExt(b, question->address.first, t->i64, "");
            wide = add_counter(loop, first, LLVMBuildSExt(b, question->address.step, t->i64, ""));
        }
        LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(extension));
        LLVMValueRef chosen = LLVMBuildSelect(b, loop->ok, wide, extension, "");
        LLVMReplaceAllUsesWith(extension, chosen);
        LLVMSetOperand(chosen, 2, extension);
    }
}

/* Then the guest's counter is needed only to know when to leave; the number of the turn, from which LLVM can compute the
 * addresses, says so, too. */
static void leave_by_turns(struct loop *loop)
{
    struct translator *t = loop->graph->t;
    LLVMValueRef turn = add_counter(loop, number64(t, 0), number64(t, 1));
    LLVMPositionBuilderBefore(t->builder, loop->exit);
    const bool first_stays = is_inside(loop, number_of(loop->graph, LLVMGetSuccessor(loop->exit, 0)));
    LLVMValueRef stays = LLVMBuildICmp(t->builder, first_stays ? LLVMIntNE : LLVMIntEQ, turn, loop->last, "");
    LLVMSetCondition(loop->exit, LLVMBuildSelect(t->builder, loop->ok, stays, LLVMGetCondition(loop->exit), ""));
}

/* Those that make vectors: of a turn without its checks and what follows if they fail. */
static unsigned vector_count(const struct loop *loop)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < loop->graph->count; i++)
        for (LLVMValueRef value = is_inside(loop, i) ? LLVMGetFirstInstruction(loop->graph->blocks[i]) : NULL; value;
             value = LLVMGetNextInstruction(value))
            count += LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
    return count;
}

/* What such a loop does takes longer than to ask in each turn, and in one that LLVM had split there were twenty moves more, because of
 * its register allocation.  It splits a loop only by what is computed before it. */
static bool has_many_vectors(const struct loop *loop)
{
    enum { MANY = 24 };
    return vector_count(loop) >= MANY;
}

/* LLVM will split it, so that each of its turns knows whether it needs checks. */
static bool is_small(const struct loop *loop)
{
    const unsigned most = has_many_vectors(loop) ? 100 : 200;
    unsigned count = 0;
    for (uint32_t i = 0; i < loop->graph->count; i++)
        for (LLVMValueRef at = is_inside(loop, i) ? LLVMGetFirstInstruction(loop->graph->blocks[i]) : NULL; at;
             at = LLVMGetNextInstruction(at))
            count++;
    return count <= most;
}

/* ---- rows of later turns ---- */

/* Calls that were answered are no more. */
static bool is_asked_in(const struct loop *loop, const struct question *question)
{
    return is_inside(loop, question->block) && !question->is_answered;
}

/* Processors begin with the next turns while one waits for memory, unless a turn is too long.  And they see streams of memory, unless
 * the loop goes from row to row of a matrix.  Where both hold, rows are asked for two turns before. */
static void prefetch_rows(struct loop *loop, const struct questions *questions)
{
    enum { NEAR = 256, AHEAD = 2, LOCALITY = 3, DATA = 1 };
    struct translator *t = loop->graph->t;
    LLVMBuilderRef b = t->builder;
    if (!has_many_vectors(loop))
        return;
    for (size_t i = 0; i < questions->all.count; i++) {
        const struct question *question = &questions->all.at[i];
        if (!is_asked_in(loop, question) || question->is_poll || question->is_lanes)
            continue;
        LLVMValueRef address = LLVMGetOperand(question->call, 0);
        if (LLVMTypeOf(address) != t->i32)
            continue;
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(loop->before));
        const struct linear linear = linear_of(loop, address, 0);
        const int64_t by =
            linear.first && LLVMIsAConstantInt(linear.step) ? LLVMConstIntGetSExtValue(linear.step) : NEAR;
        if (!linear.first || (by < NEAR && by > -NEAR))
            continue;
        LLVMValueRef way = LLVMBuildMul(b, linear.step, number32(t, AHEAD), "");
        LLVMPositionBuilderBefore(b, question->call);
        LLVMValueRef memory = LLVMGetParam(LLVMGetBasicBlockParent(loop->before), MEMORY_PARAMETER);
        LLVMValueRef index = LLVMBuildZExt(b, LLVMBuildAdd(b, address, way, ""), t->i64, "");
        LLVMValueRef args[] = {LLVMBuildGEP2(b, t->i8, memory, &index, 1, ""), number32(t, 0), number32(t, LOCALITY),
                               number32(t, DATA)};
        intrinsic(t, "llvm.prefetch", t->ptr, args, CY_COUNT(args));
    }
}

static bool hoist_from(struct loop *loop, struct questions *questions)
{
    const struct graph *graph = loop->graph;
    struct translator *t = graph->t;
    CY_VEC(struct question *) hoisted = {0};
    bool asks = false;
    for (size_t i = 0; i < questions->all.count; i++)
        asks |= is_asked_in(loop, &questions->all.at[i]) && !questions->all.at[i].is_poll;
    if (!asks)
        return false;
    const uint32_t start = graph->edges.pred_start[loop->header], end = graph->edges.pred_start[loop->header + 1];
    const unsigned ways = end - start;
    for (uint32_t i = start; i < end; i++) {
        const uint32_t from = graph->edges.pred[i];
        if (is_inside(loop, from))
            loop->latch = from;
        else
            loop->before = loop->before ? NULL : graph->blocks[from];
    }
    if (!loop->before || LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(loop->before)) != 1)
        return false;
    LLVMPositionBuilderBefore(t->builder, LLVMGetBasicBlockTerminator(loop->before));
    loop->most = is_small(loop) ? MOST_SHORT : MOST_TURNS;
    const bool is_counted = count_turns(loop);
    prefetch_rows(loop, questions);
    LLVMPositionBuilderBefore(t->builder, LLVMGetBasicBlockTerminator(loop->before));
    for (size_t i = 0; i < questions->all.count; i++) {
        struct question *question = &questions->all.at[i];
        if (is_asked_in(loop, question) && !question->is_poll && !question->is_lanes && hoist_check(loop, question))
            *cy_vec_push(&hoisted) = question;
    }
    for (size_t i = 0; is_counted && hoisted.count && i < questions->all.count; i++) {
        struct question *question = &questions->all.at[i];
        if (is_asked_in(loop, question) && question->is_poll && hoist_poll(loop, question->call))
            *cy_vec_push(&hoisted) = question;
    }
    const bool found = hoisted.count > 0;
    /* of vectors on aarch64, loops took up to 1.7 times as many instructions so */
    const bool gains = t->host->adds_in_accesses || !vector_count(loop);
    const bool widens = gains && is_counted && ways == 2 && is_small(loop);
    for (size_t i = 0; widens && i < hoisted.count; i++)
        if (!hoisted.at[i]->is_poll)
            widen(loop, hoisted.at[i]);
    if (widens && found)
        leave_by_turns(loop);
    const bool stays_one = !widens && has_many_vectors(loop);
    for (size_t i = 0; i < hoisted.count; i++) {
        LLVMPositionBuilderBefore(t->builder, hoisted.at[i]->call);
        answer(hoisted.at[i]->call, stays_one ? LLVMBuildFreeze(t->builder, loop->ok, "") : loop->ok);
        hoisted.at[i]->is_answered = true;
    }
    for (size_t i = 0; i < questions->all.count; i++) {
        struct question *question = &questions->all.at[i];
        if (is_asked_in(loop, question) && !question->is_poll && !compare_index(graph, NULL, question))
            compare_index(graph, loop, question);
    }
    cy_vec_free(&hoisted);
    return found;
}

static void find_questions(const struct graph *graph, const char *name, struct questions *questions)
{
    LLVMValueRef placeholder = LLVMGetNamedFunction(graph->t->module, name);
    for (LLVMUseRef use = placeholder ? LLVMGetFirstUse(placeholder) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMBasicBlockRef block = LLVMGetInstructionParent(call);
        if (number_of(graph, block) != NONE)
            *cy_vec_push(&questions->all) = (struct question){
                .call = call,
                .block = number_of(graph, block),
                .is_poll = LLVMConstIntGetSExtValue(LLVMGetOperand(call, 1)) == NO_SITE,
                .is_lanes = LLVMTypeOf(LLVMGetOperand(call, 0)) == graph->t->vi32,
            };
    }
}

static bool hoist_in(struct translator *t, LLVMValueRef function)
{
    struct graph graph = make_graph(t, function);
    struct questions questions = {0};
    find_questions(&graph, PLACEHOLDER, &questions);
    find_questions(&graph, LANES_PLACEHOLDER, &questions);
    find_questions(&graph, FAR_PLACEHOLDER, &questions);
    bool found = false;
    if (questions.all.count)
        find_edges(&graph);
    for (uint32_t i = 0; i < graph.loops.count; i++) {
        const struct cy_loop *innermost = &graph.loops.at[i];
        struct loop loop = {.graph = &graph, .number = i, .header = innermost->header};
        found |= innermost->size == 1 && innermost->has_one_entry && hoist_from(&loop, &questions);
    }
    for (size_t i = 0; i < questions.all.count; i++)
        if (!questions.all.at[i].is_answered &&
            (questions.all.at[i].is_poll || !compare_index(&graph, NULL, &questions.all.at[i])))
            answer(questions.all.at[i].call, LLVMConstInt(t->i1, 0, false));
    cy_vec_free(&questions.all);
    return found;
}

bool hoist_loop_checks(struct translator *t)
{
    static const char *const names[] = {PLACEHOLDER, LANES_PLACEHOLDER, FAR_PLACEHOLDER};
    bool found = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        if (LLVMCountBasicBlocks(f))
            found |= hoist_in(t, f);
    for (size_t i = 0; i < CY_COUNT(names); i++)
        if (LLVMGetNamedFunction(t->module, names[i]))
            LLVMDeleteFunction(LLVMGetNamedFunction(t->module, names[i]));
    return found;
}
