/* Loops that only retry a compare-exchange, in whichever way they end:
 *
 *     for (old = *p; old < x; old = seen)
 *         if ((seen = cas(p, old, x)) == old)
 *             break;
 *
 * Every way through such a loop and back to its beginning passes the failure of a compare-exchange that expected what was there a
 * moment ago.  It fails only if another work-item has changed the word meanwhile, so that nobody waits.  Other atomic operations fail in the
 * same way where they do not return what was there a moment ago.
 *
 * The ways are followed one by one: conditions that a way has decided stay decided, and a phi is the value that comes with it.  Of inner
 * loops that only read, a way has what was decided in the last turn.  So it knows roots, i with p[i] == i, to which a
 * loop has followed pointers: to append one to another, cas(&p[i], i, other), programs find roots and try until it succeeds. */
#include "cc/ir/ir.h"

enum { MOST_BLOCKS = 32, MOST_WAYS = 500, MOST_FAILURES = 4, MOST_STEPS = 16, DEEPEST = 5 };

struct failure {
    ir_value cas;
    ir_value seen[2], expected[2]; /* halves; of 32 bits only the first */
    bool is_change;                /* it has changed the word all the same */
};

struct way {
    const struct ir_func *func;
    uint32_t header;
    uint32_t blocks[MOST_BLOCKS], count;
    ir_value decided[MOST_BLOCKS]; /* conditions */
    bool taken[MOST_BLOCKS];
    uint32_t decided_count;
    struct failure failures[MOST_FAILURES];
    uint32_t failure_count;
    uint32_t ways; /* blocks that were visited */
};

static const struct ir_insn *insn_of(const struct way *way, ir_value value)
{
    return &way->func->insns.at[value];
}

static ir_value incoming(const struct way *way, ir_value phi, uint32_t from)
{
    const struct ir_insn *insn = insn_of(way, phi);
    const struct ir_block *block = &way->func->blocks.at[insn->block];
    for (size_t i = 0; i < block->preds.count; i++)
        if (block->preds.at[i] == from)
            return way->func->phi_args.at[insn->args[0] + i];
    return phi;
}

/* What a value is on this way; phis of the loop's header stay, they are of the turn before. */
static ir_value resolve(const struct way *way, ir_value value)
{
    for (uint32_t k = way->count; k-- > 1;) /* a phi's operand is from an earlier block */
        if (insn_of(way, value)->op == IR_PHI && insn_of(way, value)->block == way->blocks[k])
            value = incoming(way, value, way->blocks[k - 1]);
    return value;
}

static bool is_number(const struct way *way, ir_value value, int32_t number)
{
    return insn_of(way, value)->op == IR_CONST && insn_of(way, value)->imm == number;
}

/* The condition without negations: whether it is zero is all that counts. */
static ir_value strip(const struct way *way, ir_value condition, bool *is_negated)
{
    *is_negated = false;
    condition = resolve(way, condition);
    for (unsigned i = 0; i < MOST_STEPS; i++) {
        const struct ir_insn *insn = insn_of(way, condition);
        if ((insn->op != IR_EQ && insn->op != IR_NE) || !is_number(way, insn->args[1], 0))
            break;
        *is_negated ^= insn->op == IR_EQ;
        condition = resolve(way, insn->args[0]);
    }
    return condition;
}

/* ---- failures ---- */

/* Is a comparison one of what a compare-exchange has seen, or of half of that, with what it expected? */
static bool is_comparison(const struct way *way, ir_value condition, enum ir_op half, struct failure *failure)
{
    const struct ir_insn *compare = insn_of(way, condition);
    const unsigned which = half == IR_HIGH;
    for (unsigned i = 0; i < 2; i++) {
        const ir_value seen = resolve(way, compare->args[i]);
        if (half && insn_of(way, seen)->op != half)
            continue;
        const ir_value cas = half ? insn_of(way, seen)->args[0] : seen;
        const struct ir_insn *insn = insn_of(way, cas);
        const bool is_change = !half && insn->op == IR_AMO;
        if (insn->op != (half ? IR_CAS64 : IR_CAS) && !is_change)
            continue;
        const struct ir_insn *pack = insn_of(way, insn->args[1]);
        if (half && pack->op != IR_PACK)
            continue;
        const ir_value expected = resolve(way, half        ? pack->args[which]
                                               : is_change ? compare->args[!i]
                                                           : insn->args[1]);
        if (expected != resolve(way, compare->args[!i]) || !ir_in_loop(way->func, insn->block, way->header))
            continue;
        failure->cas = cas;
        failure->is_change = is_change;
        failure->seen[which] = seen;
        failure->expected[which] = expected;
        return true;
    }
    return false;
}

/* Does this side of a branch mean that a compare-exchange has failed? */
static bool is_failure(const struct way *way, ir_value condition, bool truth, struct failure *failure)
{
    const struct ir_insn *insn = insn_of(way, condition);
    *failure = (struct failure){0};
    if (insn->op == IR_EQ || insn->op == IR_NE)
        return truth == (insn->op == IR_NE) && is_comparison(way, condition, IR_NONE, failure);
    if ((insn->op != IR_AND && insn->op != IR_OR) || truth != (insn->op == IR_OR))
        return false;
    const enum ir_op compare = insn->op == IR_AND ? IR_EQ : IR_NE;
    const ir_value parts[2] = {resolve(way, insn->args[0]), resolve(way, insn->args[1])};
    if (insn_of(way, parts[0])->op != compare || insn_of(way, parts[1])->op != compare)
        return false;
    for (unsigned low = 0; low < 2; low++) {
        struct failure high;
        if (is_comparison(way, parts[low], IR_LOW, failure) && is_comparison(way, parts[!low], IR_HIGH, &high) &&
            high.cas == failure->cas) {
            failure->seen[1] = high.seen[1];
            failure->expected[1] = high.expected[1];
            return true;
        }
    }
    return false;
}

/* The same for a value whose halves are phis. */
static ir_value resolve_whole(const struct way *way, ir_value value)
{
    const struct ir_insn *pair = insn_of(way, value = resolve(way, value));
    if (pair->op != IR_PAIR)
        return value;
    const struct ir_insn *low = insn_of(way, resolve(way, pair->args[0]));
    const struct ir_insn *high = insn_of(way, resolve(way, pair->args[1]));
    return low->op == IR_PLOW && high->op == IR_PHIGH && low->args[0] == high->args[0] ? low->args[0] : value;
}

/* Do two values become the same if `a` is `b`? */
static bool is_same_place(const struct way *way, ir_value first, ir_value a, ir_value second, ir_value b,
                          unsigned depth)
{
    first = resolve_whole(way, first);
    second = resolve_whole(way, second);
    const struct ir_insn *one = insn_of(way, first), *other = insn_of(way, second);
    if (first == a || second == b)
        return first == a && second == b;
    if (first == second && (one->op == IR_CONST || !ir_in_loop(way->func, one->block, way->header)))
        return true;
    const struct ir_op_info *op = &ir_ops[one->op];
    if (!depth || one->op != other->op || one->op == IR_PHI || !(op->flags & IR_PURE) || one->imm != other->imm ||
        one->extra != other->extra)
        return false;
    bool is_same = op->arguments != 0, is_swapped = op->flags & IR_COMMUTES && op->arguments == 2;
    for (unsigned i = 0; i < op->arguments; i++) {
        is_same = is_same && is_same_place(way, one->args[i], a, other->args[i], b, depth - 1);
        is_swapped = is_swapped && is_same_place(way, one->args[i], a, other->args[!i], b, depth - 1);
    }
    return is_same || is_swapped;
}

static uint32_t place_on(const struct way *way, uint32_t block)
{
    uint32_t i = 0;
    while (i < way->count && way->blocks[i] != block)
        i++;
    return i;
}

/* Has this way found the value where the operation would, were it the one that is expected there? */
static bool is_found(const struct way *way, const struct failure *failure, ir_value value, bool is_before)
{
    const struct ir_insn *operation = insn_of(way, failure->cas);
    for (uint32_t i = 0; i < way->decided_count; i++) {
        const struct ir_insn *compare = insn_of(way, way->decided[i]);
        if (compare->op != (way->taken[i] ? IR_EQ : IR_NE))
            continue;
        for (unsigned k = 0; k < 2; k++) {
            const ir_value found = resolve(way, compare->args[k]), at = resolve(way, compare->args[!k]);
            const struct ir_insn *load = insn_of(way, found);
            if (load->op == IR_LOAD && ir_in_loop(way->func, load->block, way->header) &&
                (!is_before || place_on(way, load->block) < place_on(way, operation->block)) &&
                (value == found || value == at) && load->extra == operation->extra &&
                is_same_place(way, load->args[0], at, operation->args[0], failure->expected[0], DEEPEST))
                return true;
        }
    }
    return false;
}

/* The same in this turn, or in the one before. */
static bool is_root(const struct way *way, const struct failure *failure, ir_value value, unsigned depth)
{
    const struct ir_insn *insn = insn_of(way, value = resolve(way, value));
    const bool is_carried = insn->op == IR_PHI && insn->block == way->header;
    if (is_found(way, failure, value, is_carried))
        return true;
    if (is_carried) {
        value = resolve(way, incoming(way, value, way->blocks[way->count - 1]));
        insn = insn_of(way, value);
    }
    if (insn->op == IR_MAXS || insn->op == IR_MINS || insn->op == IR_MAXU || insn->op == IR_MINU)
        return depth && is_root(way, failure, insn->args[0], depth - 1) &&
               is_root(way, failure, insn->args[1], depth - 1);
    return is_carried && is_found(way, failure, value, false);
}

/* Was it in memory in this turn, or in the one before? */
static bool is_fresh(const struct way *way, const struct failure *failure, unsigned half)
{
    const struct ir_insn *insn = insn_of(way, failure->expected[half]);
    const ir_value address = insn_of(way, failure->cas)->args[0];
    if (insn->op == IR_PHI && insn->block == way->header) {
        const ir_value next = resolve(way, incoming(way, failure->expected[half], way->blocks[way->count - 1]));
        if (next == failure->seen[half] && !failure->is_change)
            return true;
        insn = insn_of(way, next);
    }
    if (!failure->seen[1] && is_root(way, failure, failure->expected[0], DEEPEST))
        return true;
    return insn->op == IR_LOAD && insn->args[0] == address && ir_in_loop(way->func, insn->block, way->header);
}

/* The way is back at the header: has a compare-exchange failed on it? */
static bool is_retry(const struct way *way)
{
    for (uint32_t i = 0; i < way->failure_count; i++)
        if (is_fresh(way, &way->failures[i], 0) && (!way->failures[i].seen[1] || is_fresh(way, &way->failures[i], 1)))
            return true;
    return false;
}

/* ---- the ways ---- */

static bool follow(struct way *way, uint32_t number);

/* Takes one side of the last block's branch. */
static bool take(struct way *way, ir_value condition, bool truth, uint32_t to)
{
    const uint32_t decided = way->decided_count, failures = way->failure_count;
    struct failure failure;
    if (way->failure_count < MOST_FAILURES && is_failure(way, condition, truth, &failure))
        way->failures[way->failure_count++] = failure;
    way->decided[way->decided_count] = condition;
    way->taken[way->decided_count++] = truth;
    const bool ok = follow(way, to);
    way->decided_count = decided;
    way->failure_count = failures;
    return ok;
}

static bool branch(struct way *way, const struct ir_block *block)
{
    bool is_negated, ok = true;
    const ir_value condition = strip(way, block->condition, &is_negated);
    bool may[2] = {true, true}; /* by the condition's truth */
    if (insn_of(way, condition)->op == IR_CONST)
        may[!insn_of(way, condition)->imm] = false;
    for (uint32_t i = 0; i < way->decided_count; i++)
        if (way->decided[i] == condition)
            may[!way->taken[i]] = false;
    for (unsigned truth = 0; truth < 2; truth++)
        if (may[truth])
            ok = ok && take(way, condition, truth, block->succ[truth == is_negated]);
    return ok;
}

/* Does the instruction change nothing that others see? */
static bool only_reads(const struct ir_insn *insn)
{
    return insn->op == IR_PHI || insn->op == IR_LOAD || ir_ops[insn->op].flags & IR_PURE ||
           (insn->op == IR_STORE && insn->is_private);
}

static bool is_reading_loop(const struct ir_func *func, uint32_t header)
{
    for (size_t i = 0; i < func->rpo.count; i++) {
        const struct ir_block *block = &func->blocks.at[func->rpo.at[i]];
        for (size_t k = 0; ir_in_loop(func, func->rpo.at[i], header) && k < block->list.count; k++)
            if (!only_reads(&func->insns.at[block->list.at[k]]))
                return false;
    }
    return true;
}

/* Goes on where an inner loop is left.  What its phis are is not known. */
static bool follow_out(struct way *way, uint32_t inner)
{
    const struct ir_func *func = way->func;
    bool ok = func->blocks.at[inner].loop_parent == way->header && way->count + 2 <= MOST_BLOCKS &&
              is_reading_loop(func, inner);
    for (size_t i = 0; i < func->rpo.count && ok; i++) {
        const uint32_t number = func->rpo.at[i];
        const struct ir_block *block = &func->blocks.at[number];
        for (uint32_t k = 0; k < block->succ_count && ir_in_loop(func, number, inner) && ok; k++) {
            if (ir_in_loop(func, block->succ[k], inner))
                continue;
            bool is_negated;
            way->blocks[way->count++] = UINT32_MAX;
            way->blocks[way->count++] = number;
            const ir_value condition = block->terminator == IR_BRANCH ? strip(way, block->condition, &is_negated) : 0;
            ok = condition ? take(way, condition, (k == 0) != is_negated, block->succ[k]) : follow(way, block->succ[k]);
            way->count -= 2;
        }
    }
    return ok;
}

/* Do all ways on from a block leave the loop, or retry? */
static bool follow(struct way *way, uint32_t number)
{
    const struct ir_block *block = &way->func->blocks.at[number];
    bool ok = true;
    if (way->count && number == way->header)
        return is_retry(way);
    if (!ir_in_loop(way->func, number, way->header))
        return true;
    if (way->count == MOST_BLOCKS || ++way->ways > MOST_WAYS)
        return false;
    if (block->loop_header != way->header)
        return follow_out(way, block->loop_header);
    way->blocks[way->count++] = number;
    if (block->terminator == IR_BRANCH)
        ok = branch(way, block);
    else
        for (uint32_t i = 0; i < block->succ_count; i++)
            ok = ok && follow(way, block->succ[i]);
    way->count--;
    return ok;
}

bool ir_only_retries(const struct ir_func *func, uint32_t header)
{
    struct way way = {.func = func, .header = header};
    return follow(&way, header);
}
