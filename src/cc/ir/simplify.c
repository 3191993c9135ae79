/* Small clean-ups after LLVM's: folding that the importer's splitting exposes, common subexpressions, dead code. */
#include "cc/ir/optimise.h"

#include <string.h>

#define NONE UINT32_MAX

struct optimiser {
    struct ir_func *func;
    struct ir_folder folder;
    ir_value *replaced; /* by value: its replacement */
    ir_value *table;    /* hash of pure values */
    size_t table_size;
    size_t capacity; /* of the by-value arrays */
};

static ir_value resolve(const struct optimiser *o, ir_value value)
{
    while (o->replaced[value] != value)
        value = o->replaced[value];
    return value;
}

/* Is this pair the sign extension of a constant word? */
static bool is_const_pair(const struct ir_func *func, ir_value pair, int32_t *constant)
{
    const struct ir_insn *insn = ir_at(func, pair);
    if (insn->op != IR_PAIR)
        return false;
    const struct ir_insn *low = ir_at(func, insn->args[0]), *high = ir_at(func, insn->args[1]);
    *constant = low->imm;
    return low->op == IR_CONST && high->op == IR_CONST && high->imm == (low->imm < 0 ? -1 : 0);
}

/* Folds a + constant into the access's offset. */
static void fold_offset(const struct ir_func *func, struct ir_insn *insn)
{
    for (;;) {
        const struct ir_insn *address = ir_at(func, insn->args[0]), *add = ir_at(func, address->args[1]);
        int32_t constant = add->imm;
        if (!(address->op == IR_ADD && add->op == IR_CONST) &&
            !(address->op == IR_SUM && is_const_pair(func, address->args[1], &constant)))
            return;
        int64_t offset = (int64_t)insn->extra + constant, limit = insn->is_private ? 1024 : 2048;
        if (offset < -limit || offset >= limit)
            return;
        insn->extra = (int32_t)offset;
        insn->args[0] = address->args[0];
    }
}

static size_t hash(const struct ir_insn *insn)
{
    uint64_t h = insn->op * 0x9e3779b97f4a7c15ull;
    h = (h ^ (uint32_t)insn->imm) * 0x9e3779b97f4a7c15ull;
    h = (h ^ (uint32_t)insn->extra) * 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < 3; i++)
        h = (h ^ insn->args[i]) * 0x9e3779b97f4a7c15ull;
    return (size_t)(h >> 20);
}

static bool same_value(const struct ir_insn *a, const struct ir_insn *b)
{
    return a->op == b->op && a->imm == b->imm && a->extra == b->extra && !memcmp(a->args, b->args, sizeof(a->args));
}

/* Finds an equal value in a dominating block, or records this one. */
static void number(struct optimiser *o, ir_value value)
{
    struct ir_insn *insn = ir_at(o->func, value);
    if (!(ir_ops[insn->op].flags & IR_PURE))
        return;
    for (size_t slot = hash(insn) & (o->table_size - 1);; slot = (slot + 1) & (o->table_size - 1)) {
        ir_value other = o->table[slot];
        if (!other) {
            o->table[slot] = value;
            return;
        }
        if (same_value(insn, ir_at(o->func, other)) &&
            ir_dominates(o->func, ir_at(o->func, other)->block, insn->block)) {
            o->replaced[value] = other;
            return;
        }
    }
}

static void grow(struct optimiser *o)
{
    size_t count = o->func->insns.count, old = o->capacity;
    if (count < old)
        return;
    o->capacity = count * 2;
    o->replaced = cy_xrealloc(o->replaced, o->capacity * sizeof(*o->replaced));
    o->folder.known = cy_xrealloc(o->folder.known, o->capacity * sizeof(*o->folder.known));
    for (size_t i = old; i < o->capacity; i++) {
        o->replaced[i] = (ir_value)i;
        o->folder.known[i] = (struct ir_known){UINT32_MAX, 32};
    }
}

static void dead_code(struct ir_func *func)
{
    CY_VEC(ir_value) work = {0};
    uint8_t *live = cy_xrealloc(NULL, func->insns.count);
    memset(live, 0, func->insns.count);
    for (size_t b = 0; b < func->rpo.count; b++) {
        const struct ir_block *block = &func->blocks.at[func->rpo.at[b]];
        for (size_t i = 0; i < block->list.count; i++)
            if (ir_ops[ir_at(func, block->list.at[i])->op].flags & IR_EFFECT)
                *cy_vec_push(&work) = block->list.at[i];
        if (block->terminator == IR_BRANCH)
            *cy_vec_push(&work) = block->condition;
    }
    while (work.count) {
        ir_value value = work.at[--work.count];
        if (live[value])
            continue;
        live[value] = 1;
        const struct ir_insn *insn = ir_at(func, value);
        unsigned args =
            insn->op == IR_PHI ? (unsigned)func->blocks.at[insn->block].preds.count : ir_ops[insn->op].arguments;
        for (unsigned a = 0; a < args; a++)
            *cy_vec_push(&work) = insn->op == IR_PHI ? func->phi_args.at[insn->args[0] + a] : insn->args[a];
    }
    for (size_t b = 0; b < func->blocks.count; b++) {
        struct ir_block *block = &func->blocks.at[b];
        size_t kept = 0;
        for (size_t i = 0; i < block->list.count; i++)
            if (live[block->list.at[i]])
                block->list.at[kept++] = block->list.at[i];
        block->list.count = kept;
    }
    for (size_t i = 0; i < func->debug_values.count; i++)
        if (!live[func->debug_values.at[i].value])
            func->debug_values.at[i].value = 0;
    cy_free(live);
    cy_vec_free(&work);
}

static void rewrite_args(struct optimiser *o, ir_value value)
{
    struct ir_insn *insn = ir_at(o->func, value);
    if (insn->op != IR_PHI)
        for (unsigned a = 0; a < ir_ops[insn->op].arguments; a++)
            insn->args[a] = resolve(o, insn->args[a]);
}

/* Inserts the values that folding created before position `at` of a block. */
static void insert_made(struct optimiser *o, uint32_t b, size_t at)
{
    size_t count = o->folder.made.count;
    struct ir_block *block = &o->func->blocks.at[b];
    for (size_t i = 0; i < count; i++)
        *cy_vec_push(&block->list) = 0;
    memmove(block->list.at + at + count, block->list.at + at, (block->list.count - count - at) * sizeof(ir_value));
    for (size_t i = 0; i < count; i++) {
        block->list.at[at + i] = o->folder.made.at[i];
        ir_at(o->func, o->folder.made.at[i])->block = b;
        ir_at(o->func, o->folder.made.at[i])->line = ir_at(o->func, block->list.at[at + count])->line;
    }
    o->folder.made.count = 0;
}

/* ---- bits that a branch before has found to be zero ---- */

static bool has_no_sign(const struct optimiser *o, ir_value value)
{
    return !(o->folder.known[value].ones >> 31);
}

/* Is a word without sign wherever this condition holds, or does not? */
static bool excludes_sign(const struct optimiser *o, ir_value condition, bool holds, ir_value word, unsigned depth)
{
    enum { DEEP = 4 };
    const struct ir_insn *insn = ir_at(o->func, condition);
    const ir_value a = insn->args[0], b = insn->args[1];
    uint32_t number;
    switch (insn->op) {
    case IR_GES: holds = !holds; /* fall through */
    case IR_LTS:                 /* a < b */
        if (!holds)
            return a == word && has_no_sign(o, b);
        return b == word && (has_no_sign(o, a) || (ir_is_const(&o->folder, a, &number) && number == UINT32_MAX));
    case IR_GEU: holds = !holds; /* fall through */
    case IR_LTU: return holds && a == word && has_no_sign(o, b);
    case IR_SELECT: /* both conditions; of either, none */
        if (depth == DEEP || !ir_is_const(&o->folder, insn->args[holds ? 2 : 1], &number) || number != !holds)
            return false;
        return excludes_sign(o, a, holds, word, depth + 1) ||
               excludes_sign(o, insn->args[holds ? 1 : 2], holds, word, depth + 1);
    default: return false;
    }
}

/* LLVM extends a word that cannot be negative there without its sign, and writes that as a mask of bits: an index that lanes no longer
 * seem to have consecutively. */
static bool is_unmasked(const struct optimiser *o, uint32_t b, const struct ir_insn *insn)
{
    uint32_t mask;
    if (insn->op != IR_AND || !ir_is_const(&o->folder, insn->args[1], &mask) ||
        o->folder.known[insn->args[0]].ones & ~mask & INT32_MAX)
        return false;
    for (; b != UINT32_MAX; b = o->func->blocks.at[b].idom) {
        const struct ir_block *block = &o->func->blocks.at[b];
        if (block->preds.count != 1)
            continue;
        const struct ir_block *before = &o->func->blocks.at[block->preds.at[0]];
        if (before->terminator == IR_BRANCH && before->succ[0] != before->succ[1] &&
            excludes_sign(o, resolve(o, before->condition), before->succ[0] == b, insn->args[0], 0))
            return true;
    }
    return false;
}

/* One step for the value at a position; false: visit the position again, which may now hold another value. */
static bool optimise_at(struct optimiser *o, uint32_t b, size_t at)
{
    ir_value value = o->func->blocks.at[b].list.at[at];
    rewrite_args(o, value);
    struct ir_insn *insn = ir_at(o->func, value);
    if (insn->op == IR_LOAD || insn->op == IR_STORE)
        fold_offset(o->func, insn);
    ir_value instead = ir_fold(&o->folder, value);
    grow(o);
    if (instead == value) {
        insert_made(o, b, at);
        return false;
    }
    if (!instead && is_unmasked(o, b, ir_at(o->func, value)))
        instead = ir_at(o->func, value)->args[0];
    if (instead) {
        o->replaced[value] = resolve(o, instead);
        return true;
    }
    ir_know(&o->folder, value);
    number(o, value);
    return true;
}

/* ---- loads that extend the sign ---- */

enum { ONLY_LOW_BITS = 0, ALL_BITS = 1, SIGNED = 2 };

/* The load whose lowest bits this shifts to the top; 0: it is something else. */
static ir_value shifted_load(const struct ir_func *func, const struct ir_insn *insn)
{
    const struct ir_insn *load = ir_at(func, insn->args[0]), *by = ir_at(func, insn->args[1]);
    return insn->op == IR_SHL && load->op == IR_LOAD && by->op == IR_CONST && by->imm == 32 - 8 * load->imm
               ? insn->args[0]
               : 0;
}

static void note_use(const struct ir_func *func, const struct ir_insn *insn, unsigned arg, uint8_t *uses)
{
    const ir_value value = insn->args[arg], of_shift = insn->op == IR_SHRS ? insn->args[0] : 0;
    const bool stores_low = insn->op == IR_STORE && arg == 1 && insn->imm <= ir_at(func, value)->imm;
    if (ir_at(func, value)->op == IR_LOAD && !stores_low && !(arg == 0 && shifted_load(func, insn)))
        uses[value] |= ALL_BITS;
    const ir_value load = of_shift && arg == 0 ? shifted_load(func, ir_at(func, of_shift)) : 0;
    if (load && ir_at(func, insn->args[1])->op == IR_CONST &&
        ir_at(func, insn->args[1])->imm == ir_at(func, ir_at(func, of_shift)->args[1])->imm)
        uses[load] |= SIGNED;
}

/* Of bytes and halves that are only used with their sign: the shifts after them are then folded. */
static void sign_loads(struct ir_func *func)
{
    uint8_t *uses = cy_xrealloc(NULL, func->insns.count);
    memset(uses, ONLY_LOW_BITS, func->insns.count);
    for (size_t b = 0; b < func->rpo.count; b++) {
        const struct ir_block *block = &func->blocks.at[func->rpo.at[b]];
        for (size_t i = 0; i < block->list.count; i++) {
            const struct ir_insn *insn = ir_at(func, block->list.at[i]);
            for (unsigned a = 0; a < ir_ops[insn->op].arguments; a++)
                note_use(func, insn, a, uses);
        }
        if (block->terminator == IR_BRANCH)
            uses[block->condition] |= ALL_BITS;
    }
    for (size_t i = 0; i < func->phi_args.count; i++)
        uses[func->phi_args.at[i]] |= ALL_BITS;
    for (size_t i = 0; i < func->insns.count; i++) {
        struct ir_insn *insn = ir_at(func, (ir_value)i);
        if (insn->op == IR_LOAD && uses[i] == SIGNED && (insn->imm == 1 || insn->imm == 2))
            insn->imm = -insn->imm;
    }
    cy_free(uses);
}

/* ---- pairs of loop invariants ---- */

/* Takes a value out of its block's list and appends it to another. */
static void move_to(struct ir_func *func, ir_value value, uint32_t to)
{
    struct ir_block *from = &func->blocks.at[ir_at(func, value)->block];
    size_t kept = 0;
    for (size_t i = 0; i < from->list.count; i++)
        if (from->list.at[i] != value)
            from->list.at[kept++] = from->list.at[i];
    from->list.count = kept;
    ir_at(func, value)->block = to;
    *cy_vec_push(&func->blocks.at[to].list) = value;
}

/* The outermost block before the loops of `block` that the operands allow. */
static uint32_t place_before_loops(const struct ir_func *func, const struct ir_insn *pack, uint32_t block)
{
    for (uint32_t header = func->blocks.at[block].loop_header; header != NONE;
         header = func->blocks.at[block].loop_header) {
        for (unsigned i = 0; i < 2; i++) {
            const struct ir_insn *arg = ir_at(func, pack->args[i]);
            if (arg->op != IR_CONST && ir_in_loop(func, arg->block, header))
                return block;
        }
        if (func->blocks.at[header].idom == NONE)
            return block;
        block = func->blocks.at[header].idom;
    }
    return block;
}

/* Constants need no registers where they are added to an address. */
static bool is_made_of_words(const struct ir_func *func, ir_value value)
{
    const struct ir_insn *insn = ir_at(func, value);
    return insn->op == IR_PACK || (insn->op == IR_PAIR && (ir_at(func, insn->args[0])->op != IR_CONST ||
                                                           ir_at(func, insn->args[1])->op != IR_CONST));
}

/* The pair of a loop invariant is made before the loop: inside, it would be made in each iteration.  A few only: every
 * one takes two registers. */
static void hoist_packs(struct ir_func *func)
{
    enum { MOST = 24 };
    unsigned hoisted = 0;
    for (size_t b = 0; b < func->rpo.count; b++) {
        uint32_t at = func->rpo.at[b];
        const struct ir_block *block = &func->blocks.at[at];
        for (size_t i = 0; block->loop_header != NONE && i < block->list.count && hoisted < MOST; i++) {
            ir_value value = block->list.at[i];
            if (!is_made_of_words(func, value))
                continue;
            uint32_t to = place_before_loops(func, ir_at(func, value), at);
            if (to == at)
                continue;
            for (unsigned k = 0; k < 2; k++) {
                ir_value arg = ir_at(func, value)->args[k];
                if (ir_at(func, arg)->op == IR_CONST && !ir_dominates(func, ir_at(func, arg)->block, to))
                    move_to(func, arg, to);
            }
            move_to(func, value, to);
            hoisted++;
            i = SIZE_MAX; /* the list has changed */
        }
    }
}

void ir_simplify(struct ir_func *func)
{
    struct optimiser o = {.func = func, .folder.func = func};
    sign_loads(func);
    grow(&o);
    for (o.table_size = 1024; o.table_size < func->insns.count * 4; o.table_size *= 2)
        ;
    o.table = cy_xrealloc(NULL, o.table_size * sizeof(*o.table));
    memset(o.table, 0, o.table_size * sizeof(*o.table));
    for (size_t b = 0; b < func->rpo.count; b++) {
        uint32_t at = func->rpo.at[b];
        for (size_t i = 0; i < func->blocks.at[at].list.count;)
            i += optimise_at(&o, at, i);
    }
    for (size_t i = 0; i < func->phi_args.count; i++)
        if (func->phi_args.at[i])
            func->phi_args.at[i] = resolve(&o, func->phi_args.at[i]);
    for (size_t b = 0; b < func->blocks.count; b++) {
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++)
            rewrite_args(&o, func->blocks.at[b].list.at[i]);
        if (func->blocks.at[b].terminator == IR_BRANCH)
            func->blocks.at[b].condition = resolve(&o, func->blocks.at[b].condition);
    }
    for (size_t i = 0; i < func->debug_values.count; i++)
        func->debug_values.at[i].value = resolve(&o, func->debug_values.at[i].value);
    dead_code(func);
    hoist_packs(func);
    cy_free(o.replaced);
    cy_free(o.folder.known);
    cy_free(o.table);
    cy_vec_free(&o.folder.made);
}
