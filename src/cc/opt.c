/* Small clean-ups behind LLVM's: what the importer's splitting left to fold, values computed twice, dead code. */
#include "cc/ir.h"

#include <string.h>

#define NONE UINT32_MAX

struct optimiser {
    struct ir_func *func;
    ir_value *replaced; /* by value: what stands for it now */
    ir_value *table;    /* hash of pure values */
    size_t table_size;
};

static ir_value resolve(const struct optimiser *o, ir_value value)
{
    while (o->replaced[value] != value)
        value = o->replaced[value];
    return value;
}

static bool is_const(const struct ir_func *func, ir_value value, uint32_t *out)
{
    const struct ir_insn *insn = ir_at(func, value);
    if (insn->op != IR_CONST)
        return false;
    *out = (uint32_t)insn->imm;
    return true;
}

/* The value of an integer operation on constants; false: left to the machine. */
static bool fold(enum ir_op op, uint32_t a, uint32_t b, uint32_t *out)
{
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    switch (op) {
    case IR_ADD: *out = a + b; return true;
    case IR_SUB: *out = a - b; return true;
    case IR_MUL: *out = a * b; return true;
    case IR_MULHU: *out = (uint32_t)((uint64_t)a * b >> 32); return true;
    case IR_MULHS: *out = (uint32_t)(((int64_t)sa * sb) >> 32); return true;
    case IR_DIVU: *out = b ? a / b : UINT32_MAX; return true;
    case IR_REMU: *out = b ? a % b : a; return true;
    case IR_AND: *out = a & b; return true;
    case IR_OR: *out = a | b; return true;
    case IR_XOR: *out = a ^ b; return true;
    case IR_SHL: *out = a << (b & 31); return true;
    case IR_SHRU: *out = a >> (b & 31); return true;
    case IR_SHRS: *out = (uint32_t)(sa >> (b & 31)); return true;
    case IR_MINS: *out = sa < sb ? a : b; return true;
    case IR_MAXS: *out = sa > sb ? a : b; return true;
    case IR_MINU: *out = a < b ? a : b; return true;
    case IR_MAXU: *out = a > b ? a : b; return true;
    case IR_EQ: *out = a == b; return true;
    case IR_NE: *out = a != b; return true;
    case IR_LTS: *out = sa < sb; return true;
    case IR_GES: *out = sa >= sb; return true;
    case IR_LTU: *out = a < b; return true;
    case IR_GEU: *out = a >= b; return true;
    default: return false;
    }
}

static void become_const(struct ir_insn *insn, uint32_t value)
{
    insn->op = IR_CONST;
    insn->imm = (int32_t)value;
    insn->extra = 0;
    memset(insn->args, 0, sizeof(insn->args));
}

/* x + 0, x * 1, x & ~0, (x << n) >> n of what is narrow already ...; returns another value to use, or 0. */
static ir_value identity(const struct ir_func *func, const struct ir_insn *insn)
{
    uint32_t b;
    if (insn->op == IR_SELECT) {
        if (insn->args[1] == insn->args[2])
            return insn->args[1];
        if (is_const(func, insn->args[0], &b))
            return insn->args[b & 1 ? 1 : 2];
        return 0;
    }
    if (insn->op == IR_COPY)
        return insn->args[0];
    if (ir_ops[insn->op].arguments != 2 || !is_const(func, insn->args[1], &b))
        return 0;
    switch (insn->op) {
    case IR_ADD:
    case IR_SUB:
    case IR_OR:
    case IR_XOR:
    case IR_SHL:
    case IR_SHRU:
    case IR_SHRS: return b == 0 ? insn->args[0] : 0;
    case IR_MUL:
    case IR_DIVU: return b == 1 ? insn->args[0] : 0;
    case IR_AND: return b == UINT32_MAX ? insn->args[0] : 0;
    default: return 0;
    }
}

/* Offsets of addresses go into the access: a + constant. */
static void fold_offset(const struct ir_func *func, struct ir_insn *insn)
{
    uint32_t add;
    for (;;) {
        const struct ir_insn *address = ir_at(func, insn->args[0]);
        if (address->op != IR_ADD || !is_const(func, address->args[1], &add))
            return;
        int64_t offset = (int64_t)insn->extra + (int32_t)add, limit = insn->is_private ? 1024 : 2048;
        if (offset < -limit || offset >= limit)
            return;
        insn->extra = (int32_t)offset;
        insn->args[0] = address->args[0];
    }
}

static bool simplify(struct optimiser *o, ir_value value)
{
    struct ir_func *func = o->func;
    struct ir_insn *insn = ir_at(func, value);
    uint32_t a, b, result;
    if (ir_ops[insn->op].flags & IR_COMMUTES && ir_at(func, insn->args[0])->op == IR_CONST) {
        ir_value first = insn->args[0]; /* constants second */
        insn->args[0] = insn->args[1];
        insn->args[1] = first;
    }
    if (ir_ops[insn->op].arguments == 2 && is_const(func, insn->args[0], &a) && is_const(func, insn->args[1], &b) &&
        fold((enum ir_op)insn->op, a, b, &result)) {
        become_const(insn, result);
        return false;
    }
    if (insn->op == IR_ADD && is_const(func, insn->args[1], &b)) { /* (x + a) + b */
        const struct ir_insn *inner = ir_at(func, insn->args[0]);
        if (inner->op == IR_ADD && is_const(func, inner->args[1], &a)) {
            ir_value sum = ir_new(func, IR_CONST);
            insn = ir_at(func, value);
            inner = ir_at(func, insn->args[0]);
            ir_at(func, sum)->imm = (int32_t)(a + b);
            ir_at(func, sum)->block = NONE; /* placed by the caller */
            insn->args[0] = inner->args[0];
            insn->args[1] = sum;
            return true;
        }
    }
    if (insn->op == IR_LOAD || insn->op == IR_STORE)
        fold_offset(func, insn);
    ir_value same = identity(func, insn);
    if (same)
        o->replaced[value] = resolve(o, same);
    return false;
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

/* An equal value in a block that dominates this one, or remember this one. */
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

static void grow(struct optimiser *o, size_t *capacity)
{
    size_t count = o->func->insns.count;
    if (count < *capacity)
        return;
    size_t old = *capacity;
    *capacity = count * 2;
    o->replaced = cy_xrealloc(o->replaced, *capacity * sizeof(*o->replaced));
    for (size_t i = old; i < *capacity; i++)
        o->replaced[i] = (ir_value)i;
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
    cy_xrealloc(live, 0);
    cy_vec_free(&work);
}

static void rewrite_args(struct optimiser *o, ir_value value)
{
    struct ir_insn *insn = ir_at(o->func, value);
    if (insn->op != IR_PHI)
        for (unsigned a = 0; a < ir_ops[insn->op].arguments; a++)
            insn->args[a] = resolve(o, insn->args[a]);
}

void ir_optimise(struct ir_func *func)
{
    struct optimiser o = {.func = func};
    size_t capacity = 0;
    grow(&o, &capacity);
    for (o.table_size = 1024; o.table_size < func->insns.count * 4; o.table_size *= 2)
        ;
    o.table = cy_xrealloc(NULL, o.table_size * sizeof(*o.table));
    memset(o.table, 0, o.table_size * sizeof(*o.table));
    for (size_t b = 0; b < func->rpo.count; b++) {
        uint32_t at = func->rpo.at[b];
        for (size_t i = 0; i < func->blocks.at[at].list.count; i++) {
            ir_value value = func->blocks.at[at].list.at[i];
            rewrite_args(&o, value);
            bool again = simplify(&o, value);
            grow(&o, &capacity);
            if (again) { /* a new constant goes in front of its user */
                ir_value made = ir_at(func, value)->args[1];
                ir_at(func, made)->block = at;
                *cy_vec_push(&func->blocks.at[at].list) = 0;
                struct ir_block *block = &func->blocks.at[at];
                memmove(block->list.at + i + 1, block->list.at + i,
                        (block->list.count - 1 - i) * sizeof(*block->list.at));
                block->list.at[i] = made;
                number(&o, made);
                continue;
            }
            if (o.replaced[value] == value)
                number(&o, value);
        }
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
    dead_code(func);
    cy_xrealloc(o.replaced, 0);
    cy_xrealloc(o.table, 0);
}
