/* Can a work-item wait for another one?  It must turn in a loop until something it reads changes: a branch that leaves the
 * loop depends on memory that is read in that loop, by an atomic operation or a volatile load.  A branch that stays in the loop
 * matters where it selects a value on which such a branch depends.  What a plain load reads only the work-item itself may have
 * written meanwhile; fences in loops suggest that the program expects others to, all the same.  What is only written, or read
 * before, does not make anybody wait.  Nor does a loop that looks elsewhere in each turn (a hash table's
 * next slot; where a pointer leads, until one leads to itself), or that counts on by itself (an atomic increment takes the next piece of work), or that takes a lock and releases it in
 * the same turn, which needs nobody else, or that stores a value until it finds it there.  Arguments are taken to point to different memory: an item that appends to a queue what it
 * finds in a list does not change the list's end. */
#include "cc/ir/ir.h"

#include <string.h>

struct slice {
    const struct ir_func *func;
    uint32_t header; /* of the loop that is left */
    bool has_fences; /* in loops */
    bool takes_locks, follows_groups;
    CY_VEC(uint32_t) stores; /* those in the loop to these objects have been pushed */
    bool *seen;              /* by value */
    bool *decided;           /* by block: what decides about it has been pushed */
    CY_VEC(ir_value) work;
};

/* ---- what changes with each turn of a loop ---- */

enum { MOST_STEPS = 16 }; /* of a search through operands */

static bool is_in_loop(const struct slice *slice, ir_value value)
{
    return ir_in_loop(slice->func, slice->func->insns.at[value].block, slice->header);
}

static bool is_nonzero(const struct ir_func *func, ir_value value)
{
    return func->insns.at[value].op == IR_CONST && func->insns.at[value].imm != 0;
}

/* Is it phi + n, n not 0, wrapped around before or after? */
static bool is_step_of(const struct slice *slice, ir_value value, ir_value phi)
{
    const struct ir_func *func = slice->func;
    bool is_moved = false;
    for (unsigned i = 0; i < MOST_STEPS; i++) {
        const struct ir_insn *insn = &func->insns.at[value];
        if (value == phi)
            return is_moved;
        if (insn->op == IR_AND || insn->op == IR_REMU) {
            if (is_in_loop(slice, insn->args[1]) && func->insns.at[insn->args[1]].op != IR_CONST)
                return false;
            value = insn->args[0];
            continue;
        }
        const bool is_reversed = insn->op == IR_ADD && is_nonzero(func, insn->args[0]);
        if (is_moved || (insn->op != IR_ADD && insn->op != IR_SUB) || !is_nonzero(func, insn->args[!is_reversed]))
            return false;
        is_moved = true;
        value = insn->args[is_reversed];
    }
    return false;
}

static bool is_same_sum(const struct ir_func *func, ir_value a, ir_value b)
{
    const struct ir_insn *first = &func->insns.at[a], *second = &func->insns.at[b];
    return a == b || (first->op == IR_ADD && second->op == IR_ADD &&
                      ((first->args[0] == second->args[0] && first->args[1] == second->args[1]) ||
                       (first->args[0] == second->args[1] && first->args[1] == second->args[0])));
}

/* A load in the loop from this address? */
static bool is_load_from(const struct slice *slice, ir_value value, ir_value address)
{
    const struct ir_insn *insn = &slice->func->insns.at[value];
    return insn->op == IR_LOAD && !insn->extra && is_in_loop(slice, value) &&
           is_same_sum(slice->func, insn->args[0], address);
}

/* Are they the same value, or loads of the same word? */
static bool is_same_word(const struct slice *slice, ir_value a, ir_value b)
{
    return a == b || (is_load_from(slice, b, slice->func->insns.at[b].args[0]) &&
                      is_load_from(slice, a, slice->func->insns.at[b].args[0]));
}

/* Is the phi compared with what it will be, or, if they are addresses, what is there? */
static bool is_compared(const struct slice *slice, ir_value a, ir_value b, ir_value phi, ir_value next)
{
    return (a == phi && is_same_word(slice, b, next)) || (is_load_from(slice, a, phi) && is_load_from(slice, b, next));
}

/* Does the loop go on from this block only if the value differs from the phi?  It follows pointers to one that points to itself. */
static bool is_another(const struct slice *slice, ir_value value, ir_value phi, uint32_t from)
{
    const struct ir_func *func = slice->func;
    uint32_t to = slice->header;
    for (uint32_t at = from; at != UINT32_MAX && ir_in_loop(func, at, slice->header); at = func->blocks.at[at].idom) {
        const struct ir_block *block = &func->blocks.at[at];
        const struct ir_insn *compare = &func->insns.at[block->terminator == IR_BRANCH ? block->condition : 0];
        const bool is_equal = compare->op == IR_EQ;
        if (at != from && block->terminator == IR_BRANCH)
            to = ir_dominates(func, block->succ[is_equal], from) ? block->succ[is_equal] : UINT32_MAX;
        if (block->terminator == IR_BRANCH && (is_equal || compare->op == IR_NE) && block->succ[is_equal] == to &&
            block->succ[!is_equal] != to &&
            (is_compared(slice, compare->args[0], compare->args[1], phi, value) ||
             is_compared(slice, compare->args[1], compare->args[0], phi, value)))
            return true;
    }
    return false;
}

/* What a phi of the loop's header, or a pair of them, is after this way back to it; 0: it is neither. */
static ir_value next_of(const struct slice *slice, ir_value value, size_t way)
{
    const struct ir_func *func = slice->func;
    const struct ir_insn *insn = &func->insns.at[value];
    if (insn->op == IR_PHI && insn->block == slice->header)
        return func->phi_args.at[insn->args[0] + way];
    if (insn->op != IR_PAIR || func->insns.at[insn->args[0]].op != IR_PHI || func->insns.at[insn->args[1]].op != IR_PHI)
        return 0;
    const struct ir_insn *low = &func->insns.at[next_of(slice, insn->args[0], way)];
    const struct ir_insn *high = &func->insns.at[next_of(slice, insn->args[1], way)];
    return low->op == IR_PLOW && high->op == IR_PHIGH && low->args[0] == high->args[0] ? low->args[0] : 0;
}

/* Is it another value in each turn? */
static bool advances(const struct slice *slice, ir_value value, bool by_pointers)
{
    const struct ir_func *func = slice->func;
    const struct ir_block *header = &func->blocks.at[slice->header];
    for (size_t i = 0; i < header->preds.count; i++) {
        if (!ir_in_loop(func, header->preds.at[i], slice->header))
            continue;
        const ir_value next = next_of(slice, value, i);
        if (!next ||
            ((by_pointers || !is_step_of(slice, next, value)) && !is_another(slice, next, value, header->preds.at[i])))
            return false;
    }
    return true;
}

/* An address computed from what advances with each turn, and from what does not change. */
static bool is_elsewhere(const struct slice *slice, ir_value address)
{
    const struct ir_func *func = slice->func;
    ir_value work[MOST_STEPS] = {address};
    bool moves = false;
    for (unsigned count = 1, steps = 0; count; steps++) {
        const ir_value value = work[--count];
        const struct ir_insn *insn = &func->insns.at[value];
        if (!value || !is_in_loop(slice, value))
            continue;
        if (advances(slice, value, false) || (insn->op == IR_LOAD && advances(slice, insn->args[0], true))) {
            moves = true;
            continue;
        }
        const unsigned arguments = ir_ops[insn->op].arguments;
        if (insn->op == IR_PHI || !(ir_ops[insn->op].flags & IR_PURE) || steps == MOST_STEPS ||
            count + arguments > MOST_STEPS)
            return false;
        for (unsigned i = 0; i < arguments; i++)
            work[count++] = insn->args[i];
    }
    return moves;
}

/* An atomic operation that changes its word whatever it finds, and nothing else in the loop changes that back. */
static bool counts_on(const struct slice *slice, ir_value value)
{
    const struct ir_func *func = slice->func;
    const struct ir_insn *insn = &func->insns.at[value];
    if (insn->op != IR_AMO || insn->imm != CY_OP_amoadd_w || !is_nonzero(func, insn->args[1]))
        return false;
    for (ir_value i = 1; i < func->insns.count; i++)
        if (i != value && ir_is_atomic(func->insns.at[i].op) && is_in_loop(slice, i))
            return false;
    return true;
}

/* ---- locks ---- */

static bool is_constant(const struct ir_func *func, ir_value value, int32_t number)
{
    return func->insns.at[value].op == IR_CONST && func->insns.at[value].imm == number;
}

/* Does the instruction put back what a lock holds while nobody has it? */
static bool is_release(const struct ir_func *func, ir_value value, ir_value lock, int32_t open)
{
    const struct ir_insn *insn = &func->insns.at[value];
    if (insn->args[0] != lock || insn->extra)
        return false;
    if (insn->op == IR_AMO && insn->imm != CY_OP_amoswap_w)
        return false;
    return (insn->op == IR_STORE || insn->op == IR_AMO) && is_constant(func, insn->args[1], open);
}

static bool has_release(const struct ir_func *func, uint32_t block, ir_value lock, int32_t open)
{
    const struct ir_block *at = &func->blocks.at[block];
    for (size_t i = 0; i < at->list.count; i++)
        if (is_release(func, at->list.at[i], lock, open))
            return true;
    return false;
}

/* Does every way from here to the loop's next turn, or out of it, pass a release? */
static bool is_released(const struct slice *slice, uint32_t from, ir_value lock, int32_t open)
{
    enum { MOST_BLOCKS = 64 };
    const struct ir_func *func = slice->func;
    uint32_t blocks[MOST_BLOCKS] = {from};
    for (size_t i = 0, count = 1; i < count; i++) {
        const struct ir_block *block = &func->blocks.at[blocks[i]];
        if (blocks[i] == slice->header || !ir_in_loop(func, blocks[i], slice->header) || !block->succ_count)
            return false;
        if (has_release(func, blocks[i], lock, open))
            continue;
        for (uint32_t k = 0; k < block->succ_count; k++) {
            bool is_new = true;
            for (size_t n = 0; n < count; n++)
                is_new &= blocks[n] != block->succ[k];
            if (is_new && count == MOST_BLOCKS)
                return false;
            if (is_new)
                blocks[count++] = block->succ[k];
        }
    }
    return true;
}

/* What an attempt to take a lock finds if it succeeds: *found. */
static bool tries_lock(const struct ir_func *func, const struct ir_insn *compare, ir_value attempt, int32_t *found)
{
    const struct ir_insn *insn = &func->insns.at[attempt];
    if ((compare->op != IR_EQ && compare->op != IR_NE) || compare->args[0] != attempt ||
        func->insns.at[compare->args[1]].op != IR_CONST)
        return false;
    *found = func->insns.at[compare->args[1]].imm;
    if (insn->op == IR_CAS)
        return is_constant(func, insn->args[1], *found);
    return insn->op == IR_AMO && insn->imm == CY_OP_amoswap_w && func->insns.at[insn->args[1]].op == IR_CONST &&
           !is_constant(func, insn->args[1], *found);
}

/* A work-item that gets the lock goes on by itself until it has released it; one that does not may have to turn again, but waits for
 * nobody who cannot go on. */
static bool is_lock(struct slice *slice, ir_value attempt)
{
    const struct ir_func *func = slice->func;
    bool is_tested = false;
    for (size_t i = 0; i < func->rpo.count; i++) {
        const struct ir_block *block = &func->blocks.at[func->rpo.at[i]];
        if (block->terminator != IR_BRANCH || !ir_in_loop(func, func->rpo.at[i], slice->header))
            continue;
        const struct ir_insn *compare = &func->insns.at[block->condition];
        int32_t open;
        if (!tries_lock(func, compare, attempt, &open))
            continue;
        if (func->insns.at[attempt].block == func->rpo.at[i]) { /* right after the attempt */
            if (!is_released(slice, block->succ[compare->op == IR_NE], func->insns.at[attempt].args[0], open))
                return false;
            is_tested = true;
        }
    }
    slice->takes_locks |= is_tested;
    return is_tested;
}

/* ---- what an address points to ---- */

enum {
    OBJECT_UNKNOWN,
    OBJECT_PRIVATE,
    OBJECT_LAUNCH, /* its sizes and offsets, which no kernel writes, whatever it points to */
    OBJECT_LOCAL,
    OBJECT_VARIABLE,                       /* this, and what follows: a variable in local memory */
    OBJECT_ARGUMENT = OBJECT_VARIABLE + 64 /* this, and what follows: an argument */
};

/* Are they different objects? */
static bool are_apart(uint32_t a, uint32_t b)
{
    const uint32_t first = a < b ? a : b, second = a < b ? b : a;
    if (first == OBJECT_LAUNCH || second == OBJECT_LAUNCH)
        return first != second;
    if (first == OBJECT_LOCAL && second < OBJECT_ARGUMENT)
        return false;
    return first != OBJECT_UNKNOWN && first != second;
}

/* The pointer that is loaded from here, as an object; OBJECT_UNKNOWN: it is none. */
static uint32_t argument_at(const struct ir_func *func, uint32_t at)
{
    uint32_t offset = 0;
    for (uint32_t i = 0; i < func->argument_count; i++) {
        const struct ir_argument *argument = &func->arguments[i];
        offset = (offset + argument->align - 1) & ~(argument->align - 1);
        if (offset == at && argument->is_pointer)
            return OBJECT_ARGUMENT + i;
        offset += (argument->size + 3) & ~3u;
    }
    return OBJECT_UNKNOWN;
}

static uint32_t object_at(const struct ir_func *func, const struct ir_insn *insn)
{
    if (insn->op == IR_CSR && insn->imm == CY_CSR_LDS)
        return OBJECT_LOCAL;
    if (insn->op == IR_CSR && insn->imm == CY_CSR_KNL)
        return OBJECT_LAUNCH;
    if (insn->op == IR_LOAD && func->insns.at[insn->args[0]].op == IR_ARGBASE)
        return argument_at(func, (uint32_t)insn->extra);
    return OBJECT_UNKNOWN;
}

/* The variable or argument that an access is to: the one to which its address adds numbers. */
static uint32_t object_of(const struct ir_func *func, const struct ir_insn *access)
{
    ir_value values[MOST_STEPS] = {access->args[0]};
    uint32_t found = OBJECT_UNKNOWN;
    if (access->is_private)
        return OBJECT_PRIVATE;
    if (access->variable)
        return OBJECT_VARIABLE + access->variable;
    for (size_t i = 0, count = 1; i < count; i++) {
        const struct ir_insn *insn = &func->insns.at[values[i]];
        const bool is_phi = insn->op == IR_PHI, is_sum = insn->op == IR_ADD || insn->op == IR_SUM;
        const size_t parts = is_phi   ? func->blocks.at[insn->block].preds.count
                             : is_sum ? 2
                                      : insn->op == IR_PAIR || insn->op == IR_PLOW;
        const uint32_t object = object_at(func, insn);
        if (object && found && object != found)
            return OBJECT_UNKNOWN;
        found = object ? object : found;
        for (size_t k = 0; k < parts; k++) {
            const ir_value part = is_phi ? func->phi_args.at[insn->args[0] + k] : insn->args[k];
            bool is_new = true;
            for (size_t n = 0; n < count; n++)
                is_new &= values[n] != part;
            if (is_new && count == MOST_STEPS)
                return OBJECT_UNKNOWN;
            if (is_new)
                values[count++] = part;
        }
    }
    return found;
}

/* ---- workgroups before this one ---- */

/* An argument's address, the number of the workgroup in its row times a factor, and an offset. */
struct place {
    uint32_t object;
    int64_t factor, offset;
};

static bool add_terms(const struct ir_func *func, ir_value value, int64_t times, struct place *place)
{
    enum { MOST = 1 << 20 };
    const struct ir_insn *insn = &func->insns.at[value];
    const uint32_t object = object_at(func, insn);
    if (times > MOST || times < -MOST)
        return false;
    if (object >= OBJECT_ARGUMENT) {
        const bool is_first = !place->object && times == 1;
        place->object = object;
        return is_first;
    }
    switch (insn->op) {
    case IR_CONST: place->offset += times * insn->imm; return true;
    case IR_CSR: place->factor += times; return insn->imm == CY_CSR_GIDX;
    case IR_ADD: return add_terms(func, insn->args[0], times, place) && add_terms(func, insn->args[1], times, place);
    case IR_SUB: return add_terms(func, insn->args[0], times, place) && add_terms(func, insn->args[1], -times, place);
    case IR_SHL: {
        const struct ir_insn *by = &func->insns.at[insn->args[1]];
        return by->op == IR_CONST && by->imm >= 0 && by->imm < 16 &&
               add_terms(func, insn->args[0], times << by->imm, place);
    }
    default: return false;
    }
}

static bool find_place(const struct ir_func *func, const struct ir_insn *access, struct place *place)
{
    *place = (struct place){.offset = access->extra};
    return add_terms(func, access->args[0], 1, place) && place->object;
}

/* An atomic operation by which programs only read. */
static bool changes_nothing(const struct ir_func *func, const struct ir_insn *insn)
{
    return insn->op == IR_AMO && is_constant(func, insn->args[1], 0) &&
           (insn->imm == CY_OP_amoor_w || insn->imm == CY_OP_amoadd_w || insn->imm == CY_OP_amoxor_w);
}

/* Is it a word that only workgroups before this one write, of a row of workgroups?  Prefixes are passed on so.  Where workgroups begin in
 * their order, the first of those that have not ended waits for none. */
static bool is_of_earlier_group(struct slice *slice, ir_value value)
{
    enum { WORD = 4 };
    const struct ir_func *func = slice->func;
    const struct ir_insn *awaited = &func->insns.at[value];
    struct place read, written;
    if ((awaited->op != IR_LOAD && !changes_nothing(func, awaited)) || !find_place(func, awaited, &read) ||
        read.factor < WORD)
        return false;
    for (ir_value i = 1; i < func->insns.count; i++) {
        const struct ir_insn *insn = &func->insns.at[i];
        if ((insn->op != IR_STORE && !ir_is_atomic(insn->op)) || insn->is_private || changes_nothing(func, insn) ||
            are_apart(object_of(func, insn), read.object))
            continue;
        if (!find_place(func, insn, &written) || written.object != read.object || written.factor != read.factor ||
            written.offset < read.offset + WORD)
            return false;
    }
    slice->follows_groups = true;
    return true;
}

static bool reads_changing_memory(struct slice *slice, ir_value value)
{
    const struct ir_insn *insn = &slice->func->insns.at[value];
    switch (insn->op) {
    case IR_LOAD:
        return !insn->is_private && (insn->is_volatile || slice->has_fences) && is_in_loop(slice, value) &&
               !is_elsewhere(slice, insn->args[0]) && !is_of_earlier_group(slice, value);
    case IR_AMO:
    case IR_CAS:
    case IR_AMO64:
    case IR_CAS64:
        return is_in_loop(slice, value) && !is_elsewhere(slice, insn->args[0]) && !counts_on(slice, value) &&
               !is_lock(slice, value) && !is_of_earlier_group(slice, value);
    case IR_CALL:
    case IR_RESULT: return true;
    default: return false;
    }
}

/* ---- what a branch depends on ---- */

static void push(struct slice *slice, ir_value value)
{
    if (!value || slice->seen[value])
        return;
    slice->seen[value] = true;
    *cy_vec_push(&slice->work) = value;
}

static bool leaves_loop(const struct ir_func *func, const struct ir_block *block, uint32_t header)
{
    bool leaves = false;
    for (uint32_t i = 0; i < block->succ_count; i++)
        leaves |= !ir_in_loop(func, block->succ[i], header);
    return leaves;
}

/* Do all ways from the branch to `merge` meet before it?  Then the branch does not decide where it is entered from. */
static bool rejoins_before(const struct ir_func *func, const struct ir_block *branch, const struct ir_block *merge)
{
    const uint32_t join = branch->ipdom;
    return join != UINT32_MAX && join != merge->idom && func->blocks.at[join].order < merge->order &&
           ir_dominates(func, merge->idom, join);
}

/* Conditions that may decide which of its values a phi takes: of the branches between the block that dominates it and its
 * own.  In a loop's header with one way back, that is only whether the loop goes on. */
static void push_selectors(struct slice *slice, uint32_t number)
{
    const struct ir_func *func = slice->func;
    const struct ir_block *merge = &func->blocks.at[number];
    const bool is_header = merge->loop_header == number;
    if ((is_header && merge->preds.count == 2) || merge->idom == UINT32_MAX)
        return;
    for (size_t i = func->blocks.at[merge->idom].order; i < func->rpo.count; i++) {
        const uint32_t at = func->rpo.at[i];
        const struct ir_block *block = &func->blocks.at[at];
        const bool is_before = i < merge->order && ir_dominates(func, merge->idom, at);
        if (block->terminator == IR_BRANCH &&
            ((is_before && !rejoins_before(func, block, merge)) || (is_header && ir_in_loop(func, at, number))))
            push(slice, block->condition);
    }
}

static bool always_follows(const struct ir_func *func, uint32_t block, uint32_t from)
{
    while (from != UINT32_MAX && from != block)
        from = func->blocks.at[from].ipdom;
    return from == block;
}

/* Conditions in the loop that decide whether a turn passes the block: of branches from which it is not always reached, but on one of
 * their sides it is, and of those that decide about these. */
static void push_deciders(struct slice *slice, uint32_t number)
{
    const struct ir_func *func = slice->func;
    CY_VEC(uint32_t) blocks = {0};
    if (!slice->decided[number])
        *cy_vec_push(&blocks) = number;
    slice->decided[number] = true;
    while (blocks.count) {
        const uint32_t decided = blocks.at[--blocks.count];
        for (size_t i = 0; i < func->rpo.count; i++) {
            const uint32_t at = func->rpo.at[i];
            const struct ir_block *block = &func->blocks.at[at];
            if (block->terminator != IR_BRANCH || !ir_in_loop(func, at, slice->header))
                continue;
            const bool by_side =
                always_follows(func, decided, block->succ[0]) || always_follows(func, decided, block->succ[1]);
            if (block->ipdom != UINT32_MAX && (!by_side || always_follows(func, decided, block->ipdom)))
                continue;
            push(slice, block->condition);
            if (!slice->decided[at])
                *cy_vec_push(&blocks) = at;
            slice->decided[at] = true;
        }
    }
    cy_vec_free(&blocks);
}

/* What a load in the loop may find there: values stored in it, and what decides whether they are.  Without optimisation variables
 * are in memory, and programs keep flags of work-items in arrays. */
static void push_stores(struct slice *slice, const struct ir_insn *load)
{
    const struct ir_func *func = slice->func;
    const uint32_t object = object_of(func, load);
    for (size_t i = 0; i < slice->stores.count; i++)
        if (slice->stores.at[i] == object)
            return;
    *cy_vec_push(&slice->stores) = object;
    for (ir_value i = 1; i < func->insns.count; i++) {
        const struct ir_insn *insn = &func->insns.at[i];
        if (insn->op != IR_STORE || insn->is_private != load->is_private || !is_in_loop(slice, i))
            continue;
        if (are_apart(object_of(func, insn), object))
            continue;
        for (unsigned k = 0; k < ir_ops[IR_STORE].arguments; k++)
            push(slice, insn->args[k]);
        push_deciders(slice, insn->block);
    }
}

static bool depends_on_memory(struct slice *slice, ir_value condition)
{
    const struct ir_func *func = slice->func;
    memset(slice->seen, 0, func->insns.count + 1);
    memset(slice->decided, 0, func->blocks.count);
    slice->stores.count = 0;
    slice->work.count = 0;
    push(slice, condition);
    while (slice->work.count) {
        const ir_value value = slice->work.at[--slice->work.count];
        const struct ir_insn *insn = &func->insns.at[value];
        if (reads_changing_memory(slice, value))
            return true;
        const size_t count = insn->op == IR_PHI ? func->blocks.at[insn->block].preds.count : ir_ops[insn->op].arguments;
        for (size_t i = 0; i < count; i++)
            push(slice, insn->op == IR_PHI ? func->phi_args.at[insn->args[0] + i] : insn->args[i]);
        if (insn->op == IR_PHI)
            push_selectors(slice, insn->block);
        if (insn->op == IR_LOAD && is_in_loop(slice, value))
            push_stores(slice, insn);
    }
    return false;
}

/* A value that was there in this turn of the loop: what was loaded from the address, or what the operation itself saw last. */
static bool is_fresh(const struct ir_func *func, ir_value value, ir_value address, ir_value seen)
{
    const struct ir_insn *insn = &func->insns.at[value];
    const struct ir_block *block = &func->blocks.at[insn->block];
    if (insn->op == IR_LOAD)
        return block->loop_depth && insn->args[0] == address;
    bool found = false;
    for (size_t i = 0; insn->op == IR_PHI && i < block->preds.count; i++)
        found |= func->phi_args.at[insn->args[0] + i] == seen;
    return found;
}

/* Does the comparison ask whether a compare-exchange has found what it expected?  Of one of 64 bits, half of that. */
static bool is_success(const struct ir_func *func, ir_value value, enum ir_op half, ir_value *cas)
{
    const struct ir_insn *compare = &func->insns.at[value];
    for (unsigned i = 0; i < 2; i++) {
        const ir_value seen = compare->args[i], other = compare->args[!i];
        const struct ir_insn *insn = &func->insns.at[seen];
        if (half && insn->op != half)
            continue;
        *cas = half ? insn->args[0] : seen;
        insn = &func->insns.at[*cas];
        ir_value expected = insn->args[1];
        if (insn->op != (half ? IR_CAS64 : IR_CAS) || (half && func->insns.at[expected].op != IR_PACK))
            continue;
        if (half)
            expected = func->insns.at[expected].args[half == IR_HIGH];
        if (expected == other && is_fresh(func, expected, insn->args[0], seen))
            return true;
    }
    return false;
}

/* do new = f(old = *p); while (cas(p, old, new) != old): it fails only if another work-item's has succeeded meanwhile, so that
 * nobody waits. */
static bool is_retry(const struct ir_func *func, ir_value condition)
{
    const struct ir_insn *insn = &func->insns.at[condition];
    ir_value cas, other;
    if (insn->op == IR_EQ || insn->op == IR_NE)
        return is_success(func, condition, IR_NONE, &cas);
    if (insn->op != IR_AND && insn->op != IR_OR)
        return false;
    const enum ir_op compare = insn->op == IR_AND ? IR_EQ : IR_NE;
    const bool is_swapped = !is_success(func, insn->args[0], IR_LOW, &cas);
    return func->insns.at[insn->args[0]].op == compare && func->insns.at[insn->args[1]].op == compare &&
           is_success(func, insn->args[is_swapped], IR_LOW, &cas) &&
           is_success(func, insn->args[!is_swapped], IR_HIGH, &other) && cas == other;
}

static bool is_word_at(const struct ir_insn *access, const struct ir_insn *other)
{
    return access->args[0] == other->args[0] && access->extra == other->extra && access->imm == 4 && other->imm == 4;
}

/* do *p = v; while (*p != v): programs without atomic operations on local memory count like this.  Of the work-items that have
 * stored there in the same turn one finds its value, and leaves: each turn needs only those that are in it. */
static bool is_stored(const struct ir_func *func, const struct ir_block *block)
{
    const struct ir_insn *compare = &func->insns.at[block->condition];
    if (compare->op != IR_EQ && compare->op != IR_NE)
        return false;
    if (ir_in_loop(func, block->succ[compare->op == IR_NE], block->loop_header))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const ir_value load = compare->args[i], value = compare->args[!i];
        bool is_there = false;
        for (size_t k = 0; k < block->list.count && block->list.at[k] != load; k++) {
            const struct ir_insn *insn = &func->insns.at[block->list.at[k]];
            if (insn->op == IR_STORE)
                is_there = insn->args[1] == value && is_word_at(insn, &func->insns.at[load]);
            else if (!(ir_ops[insn->op].flags & IR_PURE) && insn->op != IR_LOAD)
                is_there = false;
        }
        if (is_there && func->insns.at[load].op == IR_LOAD &&
            func->insns.at[load].block == func->insns.at[block->condition].block)
            return true;
    }
    return false;
}

static bool has_fences_in_loops(const struct ir_func *func)
{
    for (size_t i = 0; i < func->rpo.count; i++) {
        const struct ir_block *block = &func->blocks.at[func->rpo.at[i]];
        for (size_t k = 0; block->loop_depth && k < block->list.count; k++)
            if (func->insns.at[block->list.at[k]].op == IR_FENCE)
                return true;
    }
    return false;
}

bool ir_may_wait(const struct ir_func *func, bool *takes_locks, bool *follows_groups)
{
    struct slice slice = {.func = func,
                          .has_fences = has_fences_in_loops(func),
                          .seen = cy_xrealloc(NULL, func->insns.count + 1),
                          .decided = cy_xrealloc(NULL, func->blocks.count)};
    bool waits = func->callees.count != 0;         /* their loops have not been looked at */
    for (size_t i = 1; i < func->insns.count; i++) /* nor what assembly does */
        waits |= func->insns.at[i].op == IR_ASM;
    for (size_t i = 0; i < func->rpo.count; i++) {
        const struct ir_block *block = &func->blocks.at[func->rpo.at[i]];
        if (block->terminator != IR_BRANCH || is_retry(func, block->condition) || is_stored(func, block))
            continue;
        for (slice.header = block->loop_header; slice.header != UINT32_MAX && !waits;
             slice.header = func->blocks.at[slice.header].loop_parent)
            waits = leaves_loop(func, block, slice.header) && depends_on_memory(&slice, block->condition) &&
                    !ir_only_retries(func, slice.header);
    }
    cy_free(slice.seen);
    cy_free(slice.decided);
    cy_vec_free(&slice.stores);
    cy_vec_free(&slice.work);
    *takes_locks = slice.takes_locks;
    *follows_groups = slice.follows_groups;
    return waits;
}
