/* Large kernels as several functions.
 *
 * Much of what LLVM does takes longer than in proportion to a function's length.  So the function of a workgroup, if it is long, becomes
 * *parts*, functions of their own, and a loop that calls them: each returns the number of the block where another one goes on.  That
 * is done while registers are still variables on the stack.  Those that are live where one part ends and another one begins are
 * copied through a place that all share, the *home*.  Loops are not cut, unless they are much longer than a part: what is copied is
 * little next to what a part does. */
#include "base/graph.h"
#include "jit/translate/translator.h"

#include <stdlib.h>
#include <string.h>

enum {
    PART = 6000,     /* LLVM's instructions in a part, before its passes */
    PARTS = 4,       /* times as many in a function that is left whole */
    PART_OF_LOOP = 4 /* times as many, before a loop is cut */
};
enum { FIRST_ENTRY = 16 }; /* numbers of blocks; those below are what the workgroup's function returns */

/* ---- whose block is it? ---- */

void claim_blocks(struct translator *t, unsigned phase, uint32_t guest, uint32_t unit)
{
    LLVMBasicBlockRef block = t->claims.count ? LLVMGetNextBasicBlock(t->claims.at[t->claims.count - 1].block)
                                              : LLVMGetFirstBasicBlock(t->function);
    for (; block; block = LLVMGetNextBasicBlock(block))
        *cy_vec_push(&t->claims) =
            (struct claim){.block = block, .phase = phase, .guest = guest, .unit = unit, .part = NONE, .entry = NONE};
}

struct variable {
    LLVMValueRef alloca;
    uint32_t offset; /* in the home */
    bool is_copied;  /* each part has its own; else it is always at home */
    uint32_t accesses, copies;
};

struct splitting {
    struct translator *t;
    LLVMValueRef function;
    struct claim **claims; /* by address of the block */
    uint32_t *parts;       /* by phase and block of the guest's */
    uint32_t part_count;
    bool *is_entered; /* by unit: at other blocks than its first, so that no value is known in the whole of it */
    CY_VEC(struct variable) variables;
    struct variable **by_alloca; /* the variables by address of the alloca */
    uint32_t home_bytes, home_align;
    size_t words;                /* of a set of variables */
    uint64_t *live;              /* by claim: before its block */
    uint64_t *accessed, *stored; /* by part */
    CY_VEC(struct claim *) entries;
};

static int compare_claims(const void *a, const void *b)
{
    const uintptr_t first = (uintptr_t)(*(struct claim *const *)a)->block;
    const uintptr_t second = (uintptr_t)(*(struct claim *const *)b)->block;
    return (first > second) - (first < second);
}

static struct claim *claim_of(const struct splitting *s, LLVMBasicBlockRef block)
{
    struct claim key = {.block = block}, *const wanted = &key;
    return *(struct claim **)bsearch(&wanted, s->claims, s->t->claims.count, sizeof(*s->claims), compare_claims);
}

static bool is_return(LLVMBasicBlockRef block)
{
    return LLVMIsAReturnInst(LLVMGetFirstInstruction(block)) != NULL;
}

/* ---- where to cut ---- */

struct cutting {
    struct splitting *s;
    const uint32_t *sizes;    /* of the phase, by block */
    const uint32_t *crossing; /* by block: loops that would be cut before it */
    unsigned phase;
    uint32_t size; /* of the present part */
};

/* Loops are jumps backwards that are neither calls nor returns; blocks are laid out in the source's order. */
static uint32_t *find_crossing(struct translator *t)
{
    uint32_t *crossing = cy_arena_alloc(&t->arena, t->blocks.count * sizeof(*crossing));
    memset(crossing, 0, t->blocks.count * sizeof(*crossing));
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        if (inst->reachable && inst->target <= i && field(inst, CY_FIELD_rd) <= 0 &&
            row_of(inst)->format != CY_FORMAT_JALR)
            for (uint32_t k = t->insts[inst->target].block + 1; k <= inst->block; k++)
                crossing[k]++;
    }
    return crossing;
}

static uint32_t total_of(const uint32_t *sizes, uint32_t from, uint32_t end)
{
    uint32_t total = 0;
    for (uint32_t i = from; i < end; i++)
        total += sizes[i];
    return total;
}

static void take_piece(struct cutting *c, uint32_t from, uint32_t end, uint32_t size)
{
    if (!c->s->part_count || c->size + size > PART) {
        c->s->part_count++;
        c->size = 0;
    }
    c->size += size;
    for (uint32_t i = from; i < end; i++)
        c->s->parts[c->phase * c->s->t->blocks.count + i] = c->s->part_count - 1;
}

/* In the middle, as far as loops allow. */
static void cut(struct cutting *c, uint32_t from, uint32_t end)
{
    const uint32_t size = total_of(c->sizes, from, end);
    uint32_t best = NONE, best_distance = 0, before = 0;
    for (uint32_t i = from + 1; i < end && size > PART; i++) {
        before += c->sizes[i - 1];
        const uint32_t least = before < size - before ? before : size - before;
        if (least < PART / 4 || (c->crossing[i] && size <= PART * PART_OF_LOOP))
            continue;
        const uint32_t distance = size / 2 - least;
        if (best != NONE &&
            (c->crossing[i] > c->crossing[best] || (c->crossing[i] == c->crossing[best] && distance >= best_distance)))
            continue;
        best = i;
        best_distance = distance;
    }
    if (best == NONE) {
        take_piece(c, from, end, size);
        return;
    }
    cut(c, from, best);
    cut(c, best, end);
}

static void choose_parts(struct splitting *s)
{
    struct translator *t = s->t;
    const uint32_t blocks = (uint32_t)t->blocks.count;
    uint32_t *sizes = cy_arena_alloc(&t->arena, t->phase_count * blocks * sizeof(*sizes)), total = 0;
    memset(sizes, 0, t->phase_count * blocks * sizeof(*sizes));
    for (size_t i = 0; i < t->claims.count; i++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(t->claims.at[i].block); v; v = LLVMGetNextInstruction(v)) {
            sizes[t->claims.at[i].phase * blocks + t->claims.at[i].guest]++;
            total++;
        }
    if (total <= PART * PARTS)
        return;
    s->parts = cy_arena_alloc(&t->arena, t->phase_count * blocks * sizeof(*s->parts));
    struct cutting c = {.s = s, .crossing = find_crossing(t)};
    for (; c.phase < t->phase_count; c.phase++) {
        c.sizes = sizes + c.phase * blocks;
        cut(&c, 0, blocks);
    }
    for (size_t i = 0; i < t->claims.count; i++)
        t->claims.at[i].part = s->parts[t->claims.at[i].phase * blocks + t->claims.at[i].guest];
}

/* ---- values that are used in other parts ---- */

static bool is_around_phase(const struct splitting *s, const struct claim *claim)
{
    return claim->unit >= s->t->phase_count * VERSIONS * s->t->blocks.count;
}

static void add_entry(struct splitting *s, struct claim *claim)
{
    if (claim->entry != NONE)
        return;
    claim->entry = 0;
    *cy_vec_push(&s->entries) = claim;
    if (!is_around_phase(s, claim) && s->t->nodes[claim->unit].block != claim->block)
        s->is_entered[claim->unit] = true;
}

/* False: a block that has values by the way to it is entered from another part. */
static bool find_entries(struct splitting *s)
{
    struct translator *t = s->t;
    s->is_entered = cy_arena_alloc(&t->arena, t->phase_count * VERSIONS * t->blocks.count);
    memset(s->is_entered, 0, t->phase_count * VERSIONS * t->blocks.count);
    add_entry(s, claim_of(s, LLVMGetEntryBasicBlock(s->function)));
    for (size_t i = 0; i < t->claims.count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(t->claims.at[i].block);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            LLVMBasicBlockRef block = LLVMGetSuccessor(end, k);
            struct claim *to = claim_of(s, block);
            if (to->part == t->claims.at[i].part || is_return(block))
                continue;
            if (LLVMIsAPHINode(LLVMGetFirstInstruction(block)))
                return false;
            add_entry(s, to);
        }
    }
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const struct claim *first = *(struct claim *const *)a, *second = *(struct claim *const *)b;
    return first->part != second->part ? (first->part > second->part) - (first->part < second->part)
                                       : (first > second) - (first < second);
}

static void number_entries(struct splitting *s)
{
    qsort(s->entries.at, s->entries.count, sizeof(*s->entries.at), compare_entries);
    for (size_t i = 0; i < s->entries.count; i++)
        s->entries.at[i]->entry = FIRST_ENTRY + (uint32_t)i;
}

static bool is_known_in(const struct splitting *s, const struct claim *own, LLVMBasicBlockRef block)
{
    return block == own->block ||
           (!is_around_phase(s, own) && claim_of(s, block)->unit == own->unit && !s->is_entered[own->unit]);
}

/* Can a user not take it any more?  What reaches a block by the way to it is used at that way's end. */
static bool is_lost_for(const struct splitting *s, const struct claim *own, LLVMValueRef value, LLVMValueRef user)
{
    if (!LLVMIsAPHINode(user))
        return !is_known_in(s, own, LLVMGetInstructionParent(user));
    for (unsigned i = 0; i < LLVMCountIncoming(user); i++)
        if (LLVMGetIncomingValue(user, i) == value && !is_known_in(s, own, LLVMGetIncomingBlock(user, i)))
            return true;
    return false;
}

static void use_instead(struct splitting *s, LLVMValueRef user, LLVMValueRef value, LLVMValueRef place)
{
    LLVMBuilderRef b = s->t->builder;
    const bool is_phi = LLVMIsAPHINode(user);
    LLVMPositionBuilderBefore(b, user);
    LLVMValueRef load = is_phi ? NULL : LLVMBuildLoad2(b, LLVMTypeOf(value), place, "");
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++) {
        if (LLVMGetOperand(user, i) != value)
            continue;
        if (is_phi) {
            LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, i)));
            load = LLVMBuildLoad2(b, LLVMTypeOf(value), place, "");
        }
        LLVMSetOperand(user, i, load);
    }
}

/* A value becomes a variable where it is not known any more. */
static void keep_value(struct splitting *s, const struct claim *own, LLVMValueRef value)
{
    CY_VEC(LLVMValueRef) users = {0};
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (is_lost_for(s, own, value, LLVMGetUser(use)))
            *cy_vec_push(&users) = LLVMGetUser(use);
    if (users.count) {
        LLVMBuilderRef b = s->t->builder;
        LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->function)));
        LLVMValueRef place = LLVMBuildAlloca(b, LLVMTypeOf(value), "kept"), next = LLVMGetNextInstruction(value);
        while (LLVMIsAPHINode(next))
            next = LLVMGetNextInstruction(next);
        LLVMPositionBuilderBefore(b, next);
        LLVMBuildStore(b, value, place);
        for (size_t i = 0; i < users.count; i++)
            use_instead(s, users.at[i], value, place);
    }
    cy_vec_free(&users);
}

static void keep_values(struct splitting *s)
{
    for (size_t i = 0; i < s->t->claims.count; i++) {
        const struct claim *own = &s->t->claims.at[i];
        for (LLVMValueRef v = LLVMGetFirstInstruction(own->block); v; v = LLVMGetNextInstruction(v))
            if (!LLVMIsAAllocaInst(v))
                keep_value(s, own, v);
    }
}

/* ---- variables ---- */

static uint64_t bytes_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMArrayTypeKind: return LLVMGetArrayLength2(type) * bytes_of(LLVMGetElementType(type));
    case LLVMVectorTypeKind:
        if (LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind)
            return LLVMGetVectorSize(type) * bytes_of(LLVMGetElementType(type));
        return (LLVMGetVectorSize(type) * bits_of_type(type) + 7) / 8;
    case LLVMPointerTypeKind: return 8;
    default: return (bits_of_type(type) + 7) / 8;
    }
}

/* Is it loaded and stored, and nothing else? */
static bool is_simple(LLVMValueRef alloca)
{
    LLVMTypeRef type = LLVMGetAllocatedType(alloca);
    for (LLVMUseRef use = LLVMGetFirstUse(alloca); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const bool is_load = LLVMIsALoadInst(user) && LLVMTypeOf(user) == type;
        const bool is_store = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == alloca &&
                              LLVMGetOperand(user, 0) != alloca && LLVMTypeOf(LLVMGetOperand(user, 0)) == type;
        if ((!is_load && !is_store) || LLVMGetVolatile(user))
            return false;
    }
    return true;
}

static int compare_variables(const void *a, const void *b)
{
    const uintptr_t first = (uintptr_t)(*(struct variable *const *)a)->alloca;
    const uintptr_t second = (uintptr_t)(*(struct variable *const *)b)->alloca;
    return (first > second) - (first < second);
}

static size_t variable_of(const struct splitting *s, LLVMValueRef alloca)
{
    struct variable key = {.alloca = alloca}, *const wanted = &key;
    struct variable **found =
        bsearch(&wanted, s->by_alloca, s->variables.count, sizeof(*s->by_alloca), compare_variables);
    return (size_t)(*found - s->variables.at);
}

static bool find_variables(struct splitting *s)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(s->function);
    for (LLVMValueRef v = LLVMGetFirstInstruction(entry); v; v = LLVMGetNextInstruction(v)) {
        if (!LLVMIsAAllocaInst(v))
            continue;
        const uint32_t align = LLVMGetAlignment(v), bytes = (uint32_t)bytes_of(LLVMGetAllocatedType(v));
        if (!bytes)
            return false;
        s->home_bytes = (s->home_bytes + align - 1) & ~(align - 1);
        *cy_vec_push(&s->variables) = (struct variable){v, s->home_bytes, is_simple(v), 0, 0};
        s->home_bytes += bytes;
        s->home_align = align > s->home_align ? align : s->home_align;
    }
    s->by_alloca = cy_arena_alloc(&s->t->arena, (s->variables.count + 1) * sizeof(*s->by_alloca));
    for (size_t i = 0; i < s->variables.count; i++)
        s->by_alloca[i] = &s->variables.at[i];
    qsort(s->by_alloca, s->variables.count, sizeof(*s->by_alloca), compare_variables);
    s->words = s->variables.count / 64 + 1;
    return true;
}

static void add_to(uint64_t *set, size_t number)
{
    set[number / 64] |= 1ull << number % 64;
}

static bool is_in(const uint64_t *set, size_t number)
{
    return set[number / 64] >> number % 64 & 1;
}

static uint64_t *new_sets(struct splitting *s, size_t count)
{
    uint64_t *sets = cy_arena_alloc(&s->t->arena, count * s->words * sizeof(*sets));
    memset(sets, 0, count * s->words * sizeof(*sets));
    return sets;
}

/* What a block loads before it stores it, and what it stores. */
static void find_accesses(struct splitting *s, const struct claim *claim, uint64_t *loaded, uint64_t *stored)
{
    for (LLVMValueRef v = LLVMGetFirstInstruction(claim->block); v; v = LLVMGetNextInstruction(v))
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++) {
            LLVMValueRef operand = LLVMGetOperand(v, i);
            if (!LLVMIsAAllocaInst(operand))
                continue;
            const size_t number = variable_of(s, operand);
            add_to(s->accessed + claim->part * s->words, number);
            s->variables.at[number].accesses++;
            if (!s->variables.at[number].is_copied)
                continue;
            if (LLVMIsAStoreInst(v)) {
                add_to(stored, number);
                add_to(s->stored + claim->part * s->words, number);
            } else if (!is_in(stored, number)) {
                add_to(loaded, number);
            }
        }
}

static void find_live_variables(struct splitting *s)
{
    const size_t count = s->t->claims.count, words = s->words;
    uint64_t *stored = new_sets(s, count);
    s->live = new_sets(s, count);
    s->accessed = new_sets(s, s->part_count);
    s->stored = new_sets(s, s->part_count);
    for (size_t i = 0; i < count; i++)
        find_accesses(s, &s->t->claims.at[i], s->live + i * words, stored + i * words);
    CY_VEC(struct cy_edge) edges = {0};
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(s->t->claims.at[i].block);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
            *cy_vec_push(&edges) =
                (struct cy_edge){(uint32_t)i, (uint32_t)(claim_of(s, LLVMGetSuccessor(end, k)) - s->t->claims.at)};
    }
    const struct cy_graph graph = cy_graph_make(&s->t->arena, (uint32_t)count, edges.at, edges.count);
    cy_graph_flow_back(&graph,
                       &(struct cy_flow){.words = words, .in = s->live, .out = new_sets(s, count), .kill = stored});
    cy_vec_free(&edges);
}

static void count_copies(struct splitting *s, const struct claim *to, const uint64_t *among)
{
    const uint64_t *live = s->live + (size_t)(to - s->t->claims.at) * s->words;
    for (size_t i = 0; i < s->variables.count; i++)
        s->variables.at[i].copies += is_in(live, i) && is_in(among, i);
}

/* Masks of lanes that wait are many, and live in many places, but rarely accessed: if each part copied them, there would be more copies
 * than code. */
static void choose_copied(struct splitting *s)
{
    struct translator *t = s->t;
    const size_t pairs = s->part_count * s->entries.count;
    bool *has_exit = cy_arena_alloc(&t->arena, pairs);
    memset(has_exit, 0, pairs);
    for (size_t i = 0; i < s->entries.count; i++)
        count_copies(s, s->entries.at[i], s->accessed + s->entries.at[i]->part * s->words);
    for (size_t i = 0; i < t->claims.count; i++) {
        const uint32_t own = t->claims.at[i].part;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(t->claims.at[i].block);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            const struct claim *to = claim_of(s, LLVMGetSuccessor(end, k));
            if (to->part == own || is_return(to->block) || has_exit[own * s->entries.count + to->entry - FIRST_ENTRY])
                continue;
            has_exit[own * s->entries.count + to->entry - FIRST_ENTRY] = true;
            count_copies(s, to, s->stored + own * s->words);
        }
    }
    for (size_t i = 0; i < s->variables.count; i++)
        s->variables.at[i].is_copied &= s->variables.at[i].copies <= 2 * s->variables.at[i].accesses;
}

/* ---- parts ---- */

enum { PARAMETERS = 5, HOME = PARAMETERS, ENTRY };

static LLVMValueRef at_home(struct splitting *s, LLVMValueRef part, size_t variable)
{
    LLVMValueRef offset = LLVMConstInt(s->t->i64, s->variables.at[variable].offset, false);
    return LLVMBuildGEP2(s->t->builder, s->t->i8, LLVMGetParam(part, HOME), &offset, 1, "");
}

static void copy(struct splitting *s, size_t variable, LLVMValueRef from, LLVMValueRef to)
{
    LLVMBuilderRef b = s->t->builder;
    LLVMValueRef alloca = s->variables.at[variable].alloca;
    LLVMValueRef value = LLVMBuildLoad2(b, LLVMGetAllocatedType(alloca), from, "");
    LLVMSetAlignment(value, LLVMGetAlignment(alloca));
    LLVMSetAlignment(LLVMBuildStore(b, value, to), LLVMGetAlignment(alloca));
}

struct part {
    LLVMValueRef function;
    LLVMValueRef *own;          /* by variable: its place in this part; NULL: not accessed */
    LLVMBasicBlockRef *exits;   /* by entry of another part */
    LLVMBasicBlockRef *returns; /* by number that the workgroup's function returns */
};

static LLVMBasicBlockRef block_of_part(struct splitting *s, const struct part *part, const char *name)
{
    LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(s->t->context, part->function, name);
    LLVMPositionBuilderAtEnd(s->t->builder, block);
    return block;
}

/* Where the function begins: places for its variables, and copies of those that are live. */
static void make_entries(struct splitting *s, struct part *part, uint32_t number)
{
    LLVMBuilderRef b = s->t->builder;
    LLVMBasicBlockRef begin = block_of_part(s, part, "begin"), never = block_of_part(s, part, "never");
    LLVMBuildUnreachable(b);
    LLVMPositionBuilderAtEnd(b, begin);
    for (size_t i = 0; i < s->variables.count; i++) {
        const struct variable *variable = &s->variables.at[i];
        part->own[i] = NULL;
        if (!is_in(s->accessed + number * s->words, i))
            continue;
        if (variable->is_copied)
            part->own[i] = LLVMBuildAlloca(b, LLVMGetAllocatedType(variable->alloca), "");
        else
            part->own[i] = at_home(s, part->function, i);
    }
    LLVMValueRef choice = LLVMBuildSwitch(b, LLVMGetParam(part->function, ENTRY), never, 8);
    for (size_t k = 0; k < s->entries.count; k++) {
        const struct claim *claim = s->entries.at[k];
        const uint64_t *live = s->live + (size_t)(claim - s->t->claims.at) * s->words;
        if (claim->part != number)
            continue;
        LLVMAddCase(choice, number32(s->t, claim->entry), block_of_part(s, part, "enter"));
        for (size_t i = 0; i < s->variables.count; i++)
            if (is_in(live, i) && part->own[i] && s->variables.at[i].is_copied)
                copy(s, i, at_home(s, part->function, i), part->own[i]);
        LLVMBuildBr(b, claim->block);
    }
}

static LLVMBasicBlockRef exit_to(struct splitting *s, struct part *part, const struct claim *from,
                                 const struct claim *to)
{
    const uint64_t *live = s->live + (size_t)(to - s->t->claims.at) * s->words;
    if (is_return(to->block)) {
        LLVMValueRef result = LLVMGetOperand(LLVMGetFirstInstruction(to->block), 0);
        LLVMBasicBlockRef *at = &part->returns[LLVMConstIntGetZExtValue(result)];
        if (!*at) {
            *at = block_of_part(s, part, "return");
            LLVMBuildRet(s->t->builder, result);
        }
        return *at;
    }
    LLVMBasicBlockRef *at = &part->exits[to->entry - FIRST_ENTRY];
    if (!*at) {
        *at = block_of_part(s, part, "leave");
        for (size_t i = 0; i < s->variables.count; i++)
            if (is_in(live, i) && is_in(s->stored + from->part * s->words, i) && s->variables.at[i].is_copied)
                copy(s, i, part->own[i], at_home(s, part->function, i));
        LLVMBuildRet(s->t->builder, number32(s->t, to->entry));
    }
    return *at;
}

static void replace_operands(struct splitting *s, const struct part *part, LLVMValueRef v)
{
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++) {
        LLVMValueRef operand = LLVMGetOperand(v, i);
        if (LLVMIsAAllocaInst(operand))
            LLVMSetOperand(v, i, part->own[variable_of(s, operand)]);
        else if (LLVMIsAArgument(operand))
            for (unsigned k = 0; k < PARAMETERS; k++)
                if (operand == LLVMGetParam(s->function, k))
                    LLVMSetOperand(v, i, LLVMGetParam(part->function, k));
    }
}

static void make_part(struct splitting *s, struct part *part, uint32_t number)
{
    struct translator *t = s->t;
    LLVMTypeRef types[] = {t->ptr, t->ptr, t->ptr, t->ptr, t->ptr, t->ptr, t->i32};
    part->function = LLVMAddFunction(t->module, "part", LLVMFunctionType(t->i32, types, CY_COUNT(types), false));
    set_body_attributes(t, part->function);
    add_enum_attribute(t, part->function, HOME + 1, "noalias");
    memset(part->exits, 0, s->entries.count * sizeof(*part->exits));
    memset(part->returns, 0, FIRST_ENTRY * sizeof(*part->returns));
    make_entries(s, part, number);
    for (size_t i = 0; i < t->claims.count; i++) {
        const struct claim *claim = &t->claims.at[i];
        if (claim->part != number || is_return(claim->block))
            continue;
        LLVMRemoveBasicBlockFromParent(claim->block);
        LLVMAppendExistingBasicBlock(part->function, claim->block);
        for (LLVMValueRef v = LLVMGetFirstInstruction(claim->block); v; v = LLVMGetNextInstruction(v))
            replace_operands(s, part, v);
        LLVMValueRef end = LLVMGetBasicBlockTerminator(claim->block);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            const struct claim *to = claim_of(s, LLVMGetSuccessor(end, k));
            if (to->part != number || is_return(to->block))
                LLVMSetSuccessor(end, k, exit_to(s, part, claim, to));
        }
    }
}

/* What is left of the workgroup's function. */
static void make_loop(struct splitting *s, const LLVMValueRef *functions, uint32_t first)
{
    struct translator *t = s->t;
    LLVMBuilderRef b = t->builder;
    LLVMBasicBlockRef begin = LLVMAppendBasicBlockInContext(t->context, s->function, "begin");
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(t->context, s->function, "loop");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(t->context, s->function, "end"), call = NULL;
    LLVMPositionBuilderAtEnd(b, begin);
    LLVMValueRef home = LLVMBuildAlloca(b, LLVMArrayType2(t->i8, s->home_bytes), "home");
    LLVMSetAlignment(home, s->home_align);
    LLVMValueRef entry = LLVMBuildAlloca(b, t->i32, "entry");
    LLVMBuildStore(b, number32(t, first), entry);
    LLVMBuildBr(b, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef number = LLVMBuildLoad2(b, t->i32, entry, ""), choice = LLVMBuildSwitch(b, number, end, 8);
    LLVMPositionBuilderAtEnd(b, end);
    LLVMBuildRet(b, number);
    for (size_t k = 0; k < s->entries.count; k++) {
        const uint32_t part = s->entries.at[k]->part;
        if (!k || part != s->entries.at[k - 1]->part) {
            LLVMValueRef args[ENTRY + 1];
            for (unsigned i = 0; i < PARAMETERS; i++)
                args[i] = LLVMGetParam(s->function, i);
            args[HOME] = home;
            args[ENTRY] = number;
            call = LLVMAppendBasicBlockInContext(t->context, s->function, "part");
            LLVMPositionBuilderAtEnd(b, call);
            LLVMTypeRef type = LLVMGlobalGetValueType(functions[part]);
            LLVMBuildStore(b, LLVMBuildCall2(b, type, functions[part], args, CY_COUNT(args), ""), entry);
            LLVMBuildBr(b, loop);
        }
        LLVMAddCase(choice, number32(t, s->entries.at[k]->entry), call);
    }
}

static void split(struct splitting *s, uint32_t first)
{
    struct translator *t = s->t;
    LLVMValueRef *functions = cy_arena_alloc(&t->arena, s->part_count * sizeof(LLVMValueRef));
    struct part part = {
        .own = cy_arena_alloc(&t->arena, s->variables.count * sizeof(LLVMValueRef)),
        .exits = cy_arena_alloc(&t->arena, s->entries.count * sizeof(LLVMBasicBlockRef)),
        .returns = cy_arena_alloc(&t->arena, FIRST_ENTRY * sizeof(LLVMBasicBlockRef)),
    };
    for (uint32_t i = 0; i < s->part_count; i++) {
        make_part(s, &part, i);
        functions[i] = part.function;
    }
    for (size_t i = 0; i < s->variables.count; i++)
        LLVMInstructionEraseFromParent(s->variables.at[i].alloca);
    for (LLVMBasicBlockRef block; (block = LLVMGetFirstBasicBlock(s->function));)
        LLVMDeleteBasicBlock(block); /* the returns */
    make_loop(s, functions, first);
}

void split_function(struct translator *t, LLVMValueRef function)
{
    struct splitting s = {.t = t, .function = function, .home_align = 1};
    choose_parts(&s);
    if (s.part_count > 1) {
        s.claims = cy_arena_alloc(&t->arena, t->claims.count * sizeof(struct claim *));
        for (size_t i = 0; i < t->claims.count; i++)
            s.claims[i] = &t->claims.at[i];
        qsort(s.claims, t->claims.count, sizeof(*s.claims), compare_claims);
        const struct claim *first = claim_of(&s, LLVMGetEntryBasicBlock(function));
        if (find_entries(&s)) {
            number_entries(&s);
            keep_values(&s);
            if (find_variables(&s)) {
                find_live_variables(&s);
                choose_copied(&s);
                split(&s, first->entry);
            }
        }
    }
    cy_vec_free(&s.entries);
    cy_vec_free(&s.variables);
}
