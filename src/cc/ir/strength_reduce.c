/* Strength reduction of addresses.  The address of every access is decomposed into a sum of terms, constant * value *
 * value, and rebuilt so that
 *
 *     loop-invariant terms          are added up before the loop;
 *     uniform terms                 form a scalar, the base, and divergent terms a vector, the index, which accesses to
 *                                   several arrays can share: the machine adds the two (isel_memory.c);
 *     constants                     become the access's offset;
 *     a base that is linear in an induction variable   becomes an induction variable itself: one addition per
 *                                   iteration, no product.
 *
 * All arithmetic is modulo 2^32, so reassociation is always exact.  A subexpression whose terms all belong to the same
 * loop is left as it is: it may have other users. */
#include "cc/ir/optimise.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
enum { MOST_TERMS = 10, MOST_IVS = 10, DEEPEST = 16, MOST_STEPS = 64 };

struct term {
    uint32_t factor;
    ir_value a, b; /* b: 0 or a uniform value */
    uint32_t level;
    bool is_divergent;
};

struct sum {
    struct term terms[MOST_TERMS];
    unsigned count;
    uint32_t constant;
    bool is_distributed; /* a product was multiplied out */
    bool failed;         /* too many terms */
};

struct access {
    ir_value value;
    struct sum sum;
    uint32_t group, next; /* a group of accesses that differ at most in their constants: its first, and the next one */
    bool is_mixed;        /* of a group: the constants differ */
};

/* Where a new value goes: before the current access, or at the end of a block. */
struct place {
    uint32_t block;
    bool at_end;
};

struct induction { /* a base turned into an induction variable */
    uint32_t header;
    ir_value before, value;
    struct sum terms;
};

struct addresses {
    struct ir_func *func;
    CY_VEC(struct access) list;
    CY_VEC(ir_value) out; /* the current block, with the values added so far */
    struct ir_values {
        ir_value *at;
        size_t count, capacity;
    } * tails, *heads; /* by block: values to append, new phis */
    CY_VEC(struct induction) ivs;
    CY_VEC(ir_value) made;
    uint32_t block;
    unsigned steps; /* budget left for the current access */
};

static const struct ir_insn *at(const struct addresses *x, ir_value value)
{
    return ir_at(x->func, value);
}
static bool is_const(const struct addresses *x, ir_value value, uint32_t *out)
{
    *out = (uint32_t)at(x, value)->imm;
    return at(x, value)->op == IR_CONST;
}

/* ---- loops around the current block, by depth ---- */

static uint32_t loop_at(const struct addresses *x, uint32_t level) /* its header */
{
    uint32_t header = x->func->blocks.at[x->block].loop_header;
    while (header != NONE && x->func->blocks.at[header].loop_depth > level)
        header = x->func->blocks.at[header].loop_parent;
    return header;
}

/* The depth of the innermost of these loops in which the value is computed. */
static uint32_t level_of(const struct addresses *x, ir_value value)
{
    uint32_t header = x->func->blocks.at[x->block].loop_header;
    if (at(x, value)->op == IR_SYMBOL)
        return 0;
    while (header != NONE && !ir_in_loop(x->func, at(x, value)->block, header))
        header = x->func->blocks.at[header].loop_parent;
    return header == NONE ? 0 : x->func->blocks.at[header].loop_depth;
}

/* ---- decomposing ---- */

static void add_term(const struct addresses *x, struct sum *sum, uint32_t factor, ir_value a, ir_value b)
{
    for (unsigned i = 0; i < sum->count; i++)
        if (sum->terms[i].a == a && sum->terms[i].b == b) {
            sum->terms[i].factor += factor;
            return;
        }
    if (sum->count == MOST_TERMS) {
        sum->failed = true;
        return;
    }
    uint32_t level = level_of(x, a), other = b ? level_of(x, b) : 0;
    sum->terms[sum->count++] = (struct term){factor, a, b, level > other ? level : other,
                                             at(x, a)->is_divergent || (b && at(x, b)->is_divergent)};
}

static void add_scaled(const struct addresses *x, struct sum *sum, const struct sum *part, uint32_t factor)
{
    for (unsigned i = 0; i < part->count; i++)
        add_term(x, sum, factor * part->terms[i].factor, part->terms[i].a, part->terms[i].b);
    sum->constant += factor * part->constant;
    sum->is_distributed |= part->is_distributed;
    sum->failed |= part->failed;
}

/* Are there loop-invariant terms, while the terms of the innermost loop are all uniform?  (If one is divergent, a
 * vector addition is needed in the loop anyway.) */
static bool is_worth_splitting(const struct sum *sum)
{
    uint32_t deepest = 0, shallowest = UINT32_MAX;
    bool is_divergent = false;
    for (unsigned i = 0; i < sum->count; i++) {
        uint32_t level = sum->terms[i].level;
        if (level >= deepest)
            is_divergent = sum->terms[i].is_divergent || (level == deepest && is_divergent);
        deepest = level > deepest ? level : deepest;
        shallowest = level < shallowest ? level : shallowest;
    }
    return sum->count && deepest != shallowest && !is_divergent;
}

static struct sum decompose(struct addresses *x, ir_value value, bool is_pointer, unsigned depth);

/* (p + q) * u becomes p * u + q * u when the terms belong to different loops or one is a constant. */
static bool distribute(struct addresses *x, ir_value value, unsigned depth, struct sum *out)
{
    ir_value a = at(x, value)->args[0], b = at(x, value)->args[1];
    if (at(x, b)->is_divergent || (!at(x, a)->is_divergent && level_of(x, b) > level_of(x, a))) {
        ir_value swap = a;
        a = b;
        b = swap;
    }
    if (at(x, b)->is_divergent)
        return false;
    struct sum part = decompose(x, a, false, depth + 1);
    if (part.failed || (!is_worth_splitting(&part) && !part.constant))
        return false;
    for (unsigned i = 0; i < part.count; i++)
        if (part.terms[i].b)
            return false;
    for (unsigned i = 0; i < part.count; i++)
        add_term(x, out, part.terms[i].factor, part.terms[i].a, b);
    if (part.constant)
        add_term(x, out, part.constant, b, 0);
    out->is_distributed = true;
    return true;
}

/* `is_pointer`: not inside a product: base and index are split. */
static struct sum decompose(struct addresses *x, ir_value value, bool is_pointer, unsigned depth)
{
    const struct ir_insn *insn = at(x, value);
    struct sum sum = {0}, part;
    uint32_t c;
    if (x->steps)
        x->steps--;
    else
        depth = DEEPEST;
    if (insn->op == IR_CONST) {
        sum.constant = (uint32_t)insn->imm;
        return sum;
    }
    if (depth < DEEPEST && (insn->op == IR_ADD || insn->op == IR_SUB)) {
        part = decompose(x, insn->args[0], is_pointer, depth + 1);
        add_scaled(x, &sum, &part, 1);
        part = decompose(x, insn->args[1], is_pointer, depth + 1);
        add_scaled(x, &sum, &part, insn->op == IR_ADD ? 1 : UINT32_MAX);
        bool keeps = is_pointer || is_worth_splitting(&sum) || sum.constant || sum.is_distributed;
        if (!sum.failed && keeps)
            return sum;
    } else if (depth < DEEPEST && (insn->op == IR_SHL || insn->op == IR_MUL) && is_const(x, insn->args[1], &c)) {
        part = decompose(x, insn->args[0], false, depth + 1);
        add_scaled(x, &sum, &part, insn->op == IR_SHL ? 1u << (c & 31) : c);
        if (!sum.failed)
            return sum;
    } else if (depth < DEEPEST && insn->op == IR_MUL && distribute(x, value, depth, &sum)) {
        if (!sum.failed)
            return sum;
    }
    memset(&sum, 0, sizeof(sum));
    add_term(x, &sum, 1, value, 0);
    return sum;
}

static int by_place(const void *left, const void *right)
{
    const struct term *p = left, *q = right;
    if (p->is_divergent != q->is_divergent)
        return p->is_divergent ? 1 : -1;
    if (p->level != q->level)
        return p->level < q->level ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

/* Sorts the terms and drops zeros. */
static void bring_in_order(struct sum *sum)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < sum->count; i++)
        if (sum->terms[i].factor)
            sum->terms[kept++] = sum->terms[i];
    sum->count = kept;
    if (kept)
        qsort(sum->terms, kept, sizeof(*sum->terms), by_place);
}

static bool same_terms(const struct sum *a, const struct sum *b)
{
    bool same = a->count == b->count;
    for (unsigned i = 0; same && i < a->count; i++)
        same = a->terms[i].a == b->terms[i].a && a->terms[i].b == b->terms[i].b &&
               a->terms[i].factor == b->terms[i].factor;
    return same;
}

/* ---- rebuilding ---- */

/* Is the value available at this place? */
static bool is_before(const struct addresses *x, ir_value value, struct place place)
{
    uint32_t block = at(x, value)->block;
    if (block != place.block)
        return ir_dominates(x->func, block, place.block);
    for (size_t i = x->tails[block].count; i-- > 0 && !place.at_end;)
        if (x->tails[block].at[i] == value)
            return false;
    return true;
}

static struct place here(const struct addresses *x)
{
    return (struct place){x->block, false};
}

/* The place, if both values are available there; otherwise before the access, where everything is. */
static struct place where_both_are(const struct addresses *x, struct place place, ir_value a, ir_value b)
{
    return (!a || is_before(x, a, place)) && (!b || is_before(x, b, place)) ? place : here(x);
}

static ir_value make_new(struct addresses *x, struct place place, struct ir_insn insn)
{
    enum { LOOK_BACK = 200 };
    for (size_t i = x->made.count; i-- > 0 && x->made.count - i < LOOK_BACK;) {
        const struct ir_insn *old = at(x, x->made.at[i]);
        if (old->op == insn.op && old->args[0] == insn.args[0] && old->args[1] == insn.args[1] &&
            old->imm == insn.imm && old->extra == insn.extra && is_before(x, x->made.at[i], place))
            return x->made.at[i];
    }
    ir_value value = ir_new(x->func, (enum ir_op)insn.op);
    insn.block = place.block;
    *ir_at(x->func, value) = insn;
    if (place.at_end)
        *cy_vec_push(&x->tails[place.block]) = value;
    else
        *cy_vec_push(&x->out) = value;
    *cy_vec_push(&x->made) = value;
    return value;
}

static ir_value make(struct addresses *x, struct place place, enum ir_op op, ir_value a, ir_value b)
{
    return make_new(x, place, (struct ir_insn){.op = (uint16_t)op, .args = {a, b, 0}});
}

static ir_value make_const(struct addresses *x, struct place place, uint32_t constant)
{
    return make_new(x, place, (struct ir_insn){.op = IR_CONST, .imm = (int32_t)constant});
}

static ir_value make_add(struct addresses *x, struct place place, ir_value a, ir_value b)
{
    return !a ? b : !b ? a : make(x, place, IR_ADD, a, b);
}

static ir_value make_shift(struct addresses *x, struct place place, ir_value a, unsigned by)
{
    return by && a ? make(x, place, IR_SHL, a, make_const(x, place, by)) : a;
}

static uint32_t magnitude(uint32_t factor)
{
    return factor >> 31 ? 0u - factor : factor;
}

/* Terms with the same power of two in their factor are added before shifting. */
static int by_shift(const void *left, const void *right)
{
    const struct term *p = left, *q = right;
    int a = __builtin_ctz(p->factor), b = __builtin_ctz(q->factor);
    if (a != b)
        return a > b ? -1 : 1;
    if (p->factor >> 31 != q->factor >> 31)
        return p->factor >> 31 ? 1 : -1;
    return by_place(left, right);
}

static ir_value make_sum(struct addresses *x, struct place place, const struct term *terms, unsigned count)
{
    struct term sorted[MOST_TERMS];
    ir_value sum = 0;
    unsigned shift = 0;
    if (!count)
        return 0;
    memcpy(sorted, terms, count * sizeof(*terms));
    qsort(sorted, count, sizeof(*sorted), by_shift);
    for (unsigned i = 0; i < count; i++) {
        uint32_t size = magnitude(sorted[i].factor);
        unsigned zeros = (unsigned)__builtin_ctz(size);
        ir_value value = sorted[i].a;
        if (at(x, value)->op == IR_SYMBOL) /* not a computation: it can be placed anywhere */
            value = make_new(x, place,
                             (struct ir_insn){.op = IR_SYMBOL, .imm = at(x, value)->imm, .extra = at(x, value)->extra});
        if (sorted[i].b)
            value = make(x, place, IR_MUL, value, sorted[i].b);
        if (size >> zeros != 1)
            value = make(x, place, IR_MUL, value, make_const(x, place, size >> zeros));
        sum = make_shift(x, place, sum, i ? shift - zeros : 0);
        shift = zeros;
        if (sorted[i].factor >> 31)
            sum = make(x, place, IR_SUB, sum ? sum : make_const(x, place, 0), value);
        else
            sum = make_add(x, place, sum, value);
    }
    return make_shift(x, place, sum, shift);
}

/* The end of the block before the next deeper loop; before the access if no such block is at this level. */
static struct place place_of(const struct addresses *x, uint32_t level)
{
    uint32_t header = loop_at(x, level + 1);
    if (x->func->blocks.at[x->block].loop_depth == level || header == NONE)
        return here(x);
    uint32_t before = x->func->blocks.at[header].idom;
    if (before == NONE || x->func->blocks.at[before].loop_depth != level)
        return here(x);
    return (struct place){before, true};
}

/* ---- induction variables ---- */

struct loop {
    uint32_t header, before, latch; /* blocks */
};

/* A loop with one entry and one latch, in which the access runs in every iteration. */
static bool find_loop(const struct addresses *x, uint32_t level, struct loop *loop)
{
    const struct ir_func *func = x->func;
    loop->header = loop_at(x, level);
    loop->before = loop->latch = NONE;
    const struct ir_block *header = &func->blocks.at[loop->header];
    for (size_t p = 0; p < header->preds.count; p++) {
        uint32_t pred = header->preds.at[p],
                 *which = ir_in_loop(func, pred, loop->header) ? &loop->latch : &loop->before;
        if (func->blocks.at[pred].order == NONE)
            continue;
        if (*which != NONE)
            return false;
        *which = pred;
    }
    return loop->before != NONE && loop->latch != NONE && func->blocks.at[loop->before].succ_count == 1 &&
           func->blocks.at[loop->before].loop_depth == level - 1 && ir_dominates(func, x->block, loop->latch);
}

static ir_value phi_arg(const struct addresses *x, ir_value phi, uint32_t from)
{
    const struct ir_block *block = &x->func->blocks.at[at(x, phi)->block];
    for (size_t p = 0; p < block->preds.count; p++)
        if (block->preds.at[p] == from)
            return x->func->phi_args.at[at(x, phi)->args[0] + p];
    return 0;
}

/* The step of a phi in the loop header; 0: not an induction variable. */
static ir_value step_of(const struct addresses *x, const struct loop *loop, ir_value phi)
{
    if (at(x, phi)->op != IR_PHI || at(x, phi)->block != loop->header || at(x, phi)->is_divergent)
        return 0;
    const struct ir_insn *next = at(x, phi_arg(x, phi, loop->latch));
    if (next->op != IR_ADD || (next->args[0] != phi && next->args[1] != phi))
        return 0;
    ir_value step = next->args[next->args[0] == phi];
    const struct ir_insn *s = at(x, step);
    return s->op == IR_CONST || (!s->is_divergent && !ir_in_loop(x->func, s->block, loop->header)) ? step : 0;
}

/* Splits off the terms that are linear in an induction variable; the rest stays in `terms`. */
static unsigned split_growing(const struct addresses *x, const struct loop *loop, struct term *terms, unsigned count,
                              struct sum *growing)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++) {
        bool invariant = !terms[i].b || !ir_in_loop(x->func, at(x, terms[i].b)->block, loop->header);
        if (invariant && step_of(x, loop, terms[i].a))
            growing->terms[growing->count++] = terms[i];
        else
            terms[kept++] = terms[i];
    }
    return kept;
}

static void set_phi(struct addresses *x, ir_value phi, const struct loop *loop, ir_value first, ir_value next)
{
    const struct ir_block *header = &x->func->blocks.at[loop->header];
    ir_at(x->func, phi)->args[0] = (ir_value)x->func->phi_args.count;
    for (size_t p = 0; p < header->preds.count; p++)
        *cy_vec_push(&x->func->phi_args) = header->preds.at[p] == loop->latch ? next : first;
}

static ir_value make_iv(struct addresses *x, const struct loop *loop, ir_value before, const struct sum *growing)
{
    unsigned count = 0;
    for (size_t i = 0; i < x->ivs.count; i++) {
        const struct induction *c = &x->ivs.at[i];
        if (c->header == loop->header && c->before == before && same_terms(&c->terms, growing))
            return c->value;
        count += c->header == loop->header;
    }
    if (count >= MOST_IVS)
        return 0;
    struct place outside = {loop->before, true}, end = {loop->latch, true};
    struct sum start = *growing, step = *growing, steps = {0};
    for (unsigned i = 0; i < growing->count; i++) {
        start.terms[i].a = phi_arg(x, growing->terms[i].a, loop->before);
        step.terms[i].a = step_of(x, loop, growing->terms[i].a);
        uint32_t c;
        struct term *term = &step.terms[i];
        if (!is_const(x, term->a, &c)) {
            steps.terms[steps.count++] = *term;
            continue;
        }
        /* the constant may be in the loop, where it cannot be used before */
        if (!term->b)
            steps.constant += c * term->factor;
        else if (c * term->factor != 0)
            steps.terms[steps.count++] = (struct term){c * term->factor, term->b, 0, term->level, term->is_divergent};
    }
    ir_value first = make_add(x, outside, before, make_sum(x, outside, start.terms, start.count));
    ir_value by = make_sum(x, outside, steps.terms, steps.count);
    if (steps.constant || !by)
        by = make_add(x, outside, by, make_const(x, outside, steps.constant));
    ir_value phi = ir_new(x->func, IR_PHI);
    ir_at(x->func, phi)->block = loop->header;
    *cy_vec_push(&x->heads[loop->header]) = phi;
    set_phi(x, phi, loop, first, make(x, end, IR_ADD, phi, by));
    *cy_vec_push(&x->ivs) = (struct induction){loop->header, before, phi, *growing};
    return phi;
}

/* Does a separate induction variable save at least a shift? */
static bool is_worth_it(const struct sum *growing)
{
    return growing->count > 1 || (growing->count == 1 && (growing->terms[0].factor != 1 || growing->terms[0].b));
}

/* ---- the parts of an address ---- */

/* The terms of one kind, level by level. */
static ir_value make_part(struct addresses *x, const struct sum *sum, bool is_divergent, uint32_t far, uint32_t *level)
{
    ir_value part = far && !is_divergent ? make_const(x, place_of(x, 0), far) : 0;
    *level = 0;
    for (unsigned i = 0; i < sum->count;) {
        struct term terms[MOST_TERMS];
        unsigned count = 0;
        uint32_t depth = sum->terms[i].level;
        bool wanted = sum->terms[i].is_divergent == is_divergent;
        for (; i < sum->count && sum->terms[i].level == depth && (sum->terms[i].is_divergent == is_divergent) == wanted;
             i++)
            terms[count++] = sum->terms[i];
        if (!wanted)
            continue;
        struct sum growing = {0};
        struct loop loop;
        *level = depth;
        if (depth && !is_divergent && find_loop(x, depth, &loop) &&
            (!part || is_before(x, part, (struct place){loop.before, true}))) {
            unsigned rest = split_growing(x, &loop, terms, count, &growing);
            ir_value iv = is_worth_it(&growing) ? make_iv(x, &loop, part, &growing) : 0;
            if (iv) {
                part = iv;
                count = rest;
            } else {
                memcpy(terms + rest, growing.terms, growing.count * sizeof(*terms));
            }
        }
        struct place place = where_both_are(x, place_of(x, depth), part, 0);
        part = make_add(x, place, part, make_sum(x, place, terms, count));
    }
    return part;
}

static bool can_be_indexed(const struct ir_insn *insn)
{
    return (insn->op == IR_LOAD || insn->op == IR_STORE) && (insn->imm == 4 || insn->imm == -4);
}

/* Adds base and index where accesses have several constants.  When the base is several terms of the access's own loop,
 * adding them up first gains nothing: they are added to the index one by one, so that other accesses can share a
 * prefix. */
static ir_value add_up(struct addresses *x, const struct sum *sum, uint32_t far)
{
    uint32_t base_level, index_level, own = x->func->blocks.at[x->block].loop_depth;
    unsigned uniform = 0;
    while (uniform < sum->count && !sum->terms[uniform].is_divergent)
        uniform++;
    ir_value index = make_part(x, sum, true, 0, &index_level);
    if (index && uniform > 1 && !far && sum->terms[0].level == own) {
        for (unsigned i = 0; i < uniform; i++)
            index = make_add(x, here(x), index, make_sum(x, here(x), &sum->terms[i], 1));
        return index;
    }
    ir_value base = make_part(x, sum, false, far, &base_level);
    uint32_t level = base_level > index_level ? base_level : index_level;
    struct place place = where_both_are(x, place_of(x, level), base, index);
    return base || index ? make_add(x, place, index, base) : make_const(x, here(x), 0);
}

static ir_value leave_apart(struct addresses *x, const struct sum *sum)
{
    uint32_t base_level, index_level;
    ir_value base = make_part(x, sum, false, 0, &base_level), index = make_part(x, sum, true, 0, &index_level);
    struct place place = where_both_are(x, place_of(x, base_level), base, 0);
    if (sum->constant)
        base = make_add(x, place, base, make_const(x, place, sum->constant));
    return make(x, here(x), IR_ADD, index, base);
}

static void rebuild(struct addresses *x, const struct access *access)
{
    const struct sum *sum = &access->sum;
    int32_t low = (int32_t)(sum->constant << 20) >> 20;
    bool has_base = sum->count && !sum->terms[0].is_divergent,
         has_index = sum->count && sum->terms[sum->count - 1].is_divergent;
    ir_value address;
    if (has_base && has_index && can_be_indexed(at(x, access->value)) && !x->list.at[access->group].is_mixed) {
        address = leave_apart(x, sum);
        low = 0;
    } else {
        address = add_up(x, sum, sum->constant - (uint32_t)low);
    }
    struct ir_insn *insn = ir_at(x->func, access->value);
    insn->args[0] = address;
    insn->extra = low;
}

/* ---- driver ---- */

static bool is_access(const struct ir_insn *insn)
{
    return (insn->op == IR_LOAD || insn->op == IR_STORE || ir_is_atomic(insn->op)) && !insn->is_private;
}

static uint32_t hash(const struct sum *sum)
{
    uint64_t h = sum->count;
    for (unsigned i = 0; i < sum->count; i++)
        h = (((h ^ sum->terms[i].a) * 0x9e3779b97f4a7c15ull ^ sum->terms[i].b) * 0x9e3779b97f4a7c15ull) ^
            sum->terms[i].factor;
    return (uint32_t)(h >> 16) ^ (uint32_t)h;
}

/* Collects all accesses, grouped by equal terms. */
static void find_accesses(struct addresses *x)
{
    size_t buckets = 256;
    for (size_t i = 0; i < x->func->rpo.count; i++) {
        x->block = x->func->rpo.at[i];
        const struct ir_block *block = &x->func->blocks.at[x->block];
        for (size_t k = 0; k < block->list.count; k++) {
            const struct ir_insn *insn = at(x, block->list.at[k]);
            if (!is_access(insn) || ir_is_pair(at(x, insn->args[0])->op))
                continue;
            struct access access = {.value = block->list.at[k], .next = NONE};
            x->steps = MOST_STEPS;
            access.sum = decompose(x, insn->args[0], true, 0);
            access.sum.constant += (uint32_t)insn->extra;
            bring_in_order(&access.sum);
            access.group = (uint32_t)x->list.count;
            *cy_vec_push(&x->list) = access;
        }
    }
    while (buckets < 2 * x->list.count)
        buckets *= 2;
    uint32_t *first = cy_xrealloc(NULL, buckets * sizeof(*first));
    for (size_t i = 0; i < buckets; i++)
        first[i] = NONE;
    for (uint32_t i = 0; i < x->list.count; i++) {
        struct access *access = &x->list.at[i];
        size_t slot = hash(&access->sum) & (buckets - 1);
        uint32_t g = first[slot];
        while (g != NONE && !same_terms(&x->list.at[g].sum, &access->sum))
            g = x->list.at[g].next;
        if (g == NONE) {
            access->next = first[slot];
            first[slot] = i;
        } else {
            access->group = g;
            x->list.at[g].is_mixed |= x->list.at[g].sum.constant != access->sum.constant ||
                                      !can_be_indexed(at(x, access->value)) ||
                                      !can_be_indexed(at(x, x->list.at[g].value));
        }
    }
    cy_free(first);
}

static void rewrite(struct addresses *x)
{
    size_t next = 0;
    for (size_t i = 0; i < x->func->rpo.count; i++) {
        x->block = x->func->rpo.at[i];
        x->out.count = 0;
        for (size_t k = 0; k < x->func->blocks.at[x->block].list.count; k++) {
            ir_value value = x->func->blocks.at[x->block].list.at[k];
            if (next < x->list.count && x->list.at[next].value == value) {
                size_t before = x->out.count;
                rebuild(x, &x->list.at[next++]);
                for (size_t n = before; n < x->out.count; n++)
                    ir_at(x->func, x->out.at[n])->line = at(x, value)->line;
            }
            *cy_vec_push(&x->out) = value;
        }
        struct ir_block *block = &x->func->blocks.at[x->block];
        block->list.count = 0;
        for (size_t k = 0; k < x->out.count; k++)
            *cy_vec_push(&block->list) = x->out.at[k];
    }
}

/* New phis go to the front of their blocks, sums to the end. */
static void place_new(struct addresses *x)
{
    for (size_t b = 0; b < x->func->blocks.count; b++) {
        struct ir_block *block = &x->func->blocks.at[b];
        size_t phis = x->heads[b].count, old = block->list.count;
        for (size_t i = 0; i < phis; i++)
            cy_vec_push(&block->list);
        if (phis)
            memmove(block->list.at + phis, block->list.at, old * sizeof(*block->list.at));
        for (size_t i = 0; i < phis; i++)
            block->list.at[i] = x->heads[b].at[i];
        for (size_t i = 0; i < x->tails[b].count; i++)
            *cy_vec_push(&block->list) = x->tails[b].at[i];
        cy_vec_free(&x->heads[b]);
        cy_vec_free(&x->tails[b]);
    }
}

void ir_strength_reduce(struct ir_func *func)
{
    struct addresses x = {.func = func};
    size_t size = (func->blocks.count + 1) * sizeof(*x.tails);
    x.tails = cy_xrealloc(NULL, size);
    x.heads = cy_xrealloc(NULL, size);
    memset(x.tails, 0, size);
    memset(x.heads, 0, size);
    find_accesses(&x);
    rewrite(&x);
    place_new(&x);
    cy_free(x.tails);
    cy_free(x.heads);
    cy_vec_free(&x.list);
    cy_vec_free(&x.out);
    cy_vec_free(&x.ivs);
    cy_vec_free(&x.made);
}
