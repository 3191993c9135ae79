/* Algebraic simplification of one instruction: constants, identities, chains of shifts and masks, compares of compares.
 *
 * For every value we track which bits can be one, and how many low bits it is the sign extension of; masks and
 * extensions that change nothing are dropped on that basis.  Floating point is left alone: its rules are the
 * program's. */
#include "cc/ir/optimise.h"

#include <string.h>

bool ir_is_const(const struct ir_folder *f, ir_value value, uint32_t *out)
{
    const struct ir_insn *insn = ir_at(f->func, value);
    *out = (uint32_t)insn->imm;
    return insn->op == IR_CONST;
}

bool ir_evaluate(enum ir_op op, uint32_t a, uint32_t b, uint32_t *out)
{
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    bool overflows = sa == INT32_MIN && sb == -1;
    switch (op) {
    case IR_ADD: *out = a + b; return true;
    case IR_SUB: *out = a - b; return true;
    case IR_MUL: *out = a * b; return true;
    case IR_MULHU: *out = (uint32_t)((uint64_t)a * b >> 32); return true;
    case IR_MULHS: *out = (uint32_t)(((int64_t)sa * sb) >> 32); return true;
    case IR_DIVU: *out = b ? a / b : UINT32_MAX; return true;
    case IR_REMU: *out = b ? a % b : a; return true;
    case IR_DIVS: *out = b ? overflows ? a : (uint32_t)(sa / sb) : UINT32_MAX; return true;
    case IR_REMS: *out = b ? overflows ? 0 : (uint32_t)(sa % sb) : a; return true;
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

/* ---- known bits ---- */

static uint32_t below(uint32_t highest) /* every bit up to and including the highest */
{
    return highest ? UINT32_MAX >> __builtin_clz(highest) : 0;
}

static bool is_compare(unsigned op)
{
    return (op >= IR_EQ && op <= IR_GEU) || (op >= IR_FEQ && op <= IR_FLE) || (op >= IR_DEQ && op <= IR_DLE);
}

static uint32_t possible_ones(const struct ir_folder *f, const struct ir_insn *insn)
{
    unsigned arguments = insn->op == IR_PHI ? 0 : ir_ops[insn->op].arguments;
    uint32_t a = arguments > 0 ? f->known[insn->args[0]].ones : 0, c;
    uint32_t b = arguments > 1 ? f->known[insn->args[1]].ones : 0;
    bool has_const = arguments == 2 && ir_is_const(f, insn->args[1], &c);
    if (is_compare(insn->op))
        return 1;
    switch (insn->op) {
    case IR_CONST: return (uint32_t)insn->imm;
    case IR_LANE: return 63;
    case IR_AND: return a & b;
    case IR_OR:
    case IR_XOR: return a | b;
    case IR_MAXU: return below(a | b);
    case IR_MINU: return below(a < b ? a : b);
    case IR_SELECT: return f->known[insn->args[1]].ones | f->known[insn->args[2]].ones;
    case IR_SHL: return has_const ? a << (c & 31) : UINT32_MAX;
    case IR_SHRU: return has_const ? a >> (c & 31) : below(a);
    case IR_ADD: return below((uint32_t)((uint64_t)a + b > UINT32_MAX ? UINT32_MAX : a + b));
    case IR_MUL: return (uint64_t)a * b > UINT32_MAX ? UINT32_MAX : below(a * b);
    case IR_DIVU: return has_const && c ? below(a / c) : UINT32_MAX;
    case IR_REMU: return has_const && c ? below(a < c ? a : c - 1) : UINT32_MAX;
    case IR_LOAD: return insn->imm == 1 ? 0xff : insn->imm == 2 ? 0xffff : UINT32_MAX;
    default: return UINT32_MAX;
    }
}

/* The number of low bits of which the value is the sign extension. */
static unsigned sign_bits(const struct ir_folder *f, const struct ir_insn *insn, uint32_t ones)
{
    unsigned plain = ones >> 31 ? 32 : ones ? 33 - (unsigned)__builtin_clz(ones) : 1;
    uint32_t c;
    if (insn->op == IR_CONST)
        return 33 - (unsigned)__builtin_clz((uint32_t)(insn->imm ^ insn->imm >> 31) | 1);
    if (insn->op == IR_LOAD && insn->imm < 0 && insn->imm > -4)
        return insn->imm == -1 ? 8 : 16;
    if (insn->op == IR_SHRS && ir_is_const(f, insn->args[1], &c)) {
        unsigned before = f->known[insn->args[0]].sign_bits, shift = c & 31;
        return before > shift ? before - shift : 1;
    }
    if (insn->op == IR_MINS || insn->op == IR_MAXS || insn->op == IR_SELECT) {
        unsigned i = insn->op == IR_SELECT, x = f->known[insn->args[i]].sign_bits,
                 y = f->known[insn->args[i + 1]].sign_bits;
        x = x > y ? x : y;
        return x < plain ? x : plain;
    }
    return plain;
}

void ir_know(struct ir_folder *f, ir_value value)
{
    const struct ir_insn *insn = ir_at(f->func, value);
    uint32_t ones = possible_ones(f, insn);
    f->known[value] = (struct ir_known){ones, (uint8_t)sign_bits(f, insn, ones)};
}

/* ---- building ---- */

static ir_value make(struct ir_folder *f, enum ir_op op, ir_value a, ir_value b, uint32_t imm)
{
    ir_value value = ir_new(f->func, op);
    struct ir_insn *insn = ir_at(f->func, value);
    insn->args[0] = a;
    insn->args[1] = b;
    insn->imm = (int32_t)imm;
    *cy_vec_push(&f->made) = value;
    return value;
}

static ir_value make_const(struct ir_folder *f, uint32_t constant)
{
    return make(f, IR_CONST, 0, 0, constant);
}

/* Rewrites the instruction to op(a, constant). */
static ir_value become(struct ir_folder *f, ir_value value, enum ir_op op, ir_value a, uint32_t constant)
{
    ir_value second = make_const(f, constant);
    struct ir_insn *insn = ir_at(f->func, value);
    insn->op = (uint16_t)op;
    insn->imm = insn->extra = 0;
    insn->args[0] = a;
    insn->args[1] = second;
    insn->args[2] = 0;
    return value;
}

static ir_value become_const(struct ir_folder *f, ir_value value, uint32_t constant)
{
    struct ir_insn *insn = ir_at(f->func, value);
    insn->op = IR_CONST;
    insn->imm = (int32_t)constant;
    insn->extra = 0;
    memset(insn->args, 0, sizeof(insn->args));
    return value;
}

/* ---- rules: 0 for no change, the value itself for a change in place, else the replacement ---- */

static ir_value fold_shift(struct ir_folder *f, ir_value value, ir_value a, uint32_t c)
{
    unsigned op = ir_at(f->func, value)->op;
    const struct ir_insn *inner = ir_at(f->func, a);
    uint32_t n = c & 31, m;
    if (!n)
        return a;
    if (!ir_is_const(f, inner->args[1], &m) || ir_ops[inner->op].arguments != 2)
        return op == IR_SHRU && !(f->known[a].ones >> n) ? become_const(f, value, 0) : 0;
    if (inner->op == op) { /* (x << m) << n */
        uint32_t sum = n + (m & 31);
        if (sum < 32 || op == IR_SHRS)
            return become(f, value, (enum ir_op)op, inner->args[0], sum < 32 ? sum : 31);
        return become_const(f, value, 0);
    }
    if (inner->op == IR_SHL && op == IR_SHRS && (m & 31) == n && f->known[inner->args[0]].sign_bits <= 32 - n)
        return inner->args[0]; /* extended already */
    if (inner->op == IR_SHL && op == IR_SHRU && (m & 31) == n)
        return become(f, value, IR_AND, inner->args[0], UINT32_MAX >> n);
    if (inner->op == IR_SHRU && op == IR_SHL && (m & 31) == n)
        return become(f, value, IR_AND, inner->args[0], UINT32_MAX << n);
    if (inner->op == IR_MUL && op == IR_SHL)
        return become(f, value, IR_MUL, inner->args[0], m << n);
    return op == IR_SHRU && !(f->known[a].ones >> n) ? become_const(f, value, 0) : 0;
}

static ir_value fold_and(struct ir_folder *f, ir_value value, ir_value a, uint32_t c)
{
    const struct ir_insn *inner = ir_at(f->func, a);
    uint32_t m, ones = f->known[a].ones;
    if (!(ones & ~c))
        return a;
    if (!(ones & c))
        return become_const(f, value, 0);
    return inner->op == IR_AND && ir_is_const(f, inner->args[1], &m) ? become(f, value, IR_AND, inner->args[0], m & c)
                                                                     : 0;
}

/* !a, where a is 0 or 1. */
static ir_value fold_not(struct ir_folder *f, ir_value value, ir_value a)
{
    const struct ir_insn *inner = ir_at(f->func, a);
    enum ir_op op = ir_opposite(inner->op);
    struct ir_insn *insn = ir_at(f->func, value);
    if (op == IR_NONE)
        return 0;
    insn->op = (uint16_t)op;
    insn->args[0] = inner->args[0];
    insn->args[1] = inner->args[1];
    return value;
}

static ir_value fold_compare(struct ir_folder *f, ir_value value, ir_value a, uint32_t c)
{
    unsigned op = ir_at(f->func, value)->op;
    bool is_bit = f->known[a].ones <= 1;
    if (is_bit && ((op == IR_NE && c == 0) || (op == IR_EQ && c == 1)))
        return a;
    if (is_bit && ((op == IR_EQ && c == 0) || (op == IR_NE && c == 1)))
        return fold_not(f, value, a);
    if (c == 0 && (op == IR_LTU || op == IR_GEU))
        return become_const(f, value, op == IR_GEU);
    if (c == 1 && (op == IR_LTU || op == IR_GEU))
        return become(f, value, op == IR_LTU ? IR_EQ : IR_NE, a, 0);
    return 0;
}

static ir_value fold_divide(struct ir_folder *f, ir_value value, ir_value a, uint32_t c)
{
    bool is_power = c && !(c & (c - 1));
    switch (ir_at(f->func, value)->op) {
    case IR_DIVU:
        if (c == 1)
            return a;
        return is_power ? become(f, value, IR_SHRU, a, (uint32_t)__builtin_ctz(c)) : 0;
    case IR_REMU: return is_power ? become(f, value, IR_AND, a, c - 1) : 0;
    case IR_DIVS: return c == 1 ? a : 0;
    default: return c == 1 ? become_const(f, value, 0) : 0;
    }
}

static ir_value fold_multiply(struct ir_folder *f, ir_value value, ir_value a, uint32_t c)
{
    const struct ir_insn *inner = ir_at(f->func, a);
    uint32_t m;
    if (c <= 1)
        return c ? a : become_const(f, value, 0);
    if (!(c & (c - 1)))
        return become(f, value, IR_SHL, a, (uint32_t)__builtin_ctz(c));
    if (inner->op == IR_MUL && ir_is_const(f, inner->args[1], &m))
        return become(f, value, IR_MUL, inner->args[0], m * c);
    if (inner->op == IR_SHL && ir_is_const(f, inner->args[1], &m))
        return become(f, value, IR_MUL, inner->args[0], c << (m & 31));
    return 0;
}

static ir_value fold_add(struct ir_folder *f, ir_value value, ir_value a, uint32_t c)
{
    const struct ir_insn *inner = ir_at(f->func, a);
    uint32_t m;
    if (!c)
        return a;
    return inner->op == IR_ADD && ir_is_const(f, inner->args[1], &m) ? become(f, value, IR_ADD, inner->args[0], m + c)
                                                                     : 0;
}

/* The second argument is a constant. */
static ir_value fold_constant(struct ir_folder *f, ir_value value, ir_value a, uint32_t c)
{
    const struct ir_insn *inner = ir_at(f->func, a);
    uint32_t m;
    switch (ir_at(f->func, value)->op) {
    case IR_ADD: return fold_add(f, value, a, c);
    case IR_SUB: return c ? become(f, value, IR_ADD, a, 0u - c) : a;
    case IR_MUL: return fold_multiply(f, value, a, c);
    case IR_MULHU: return c <= 1 ? become_const(f, value, 0) : 0;
    case IR_DIVU:
    case IR_DIVS:
    case IR_REMU:
    case IR_REMS: return fold_divide(f, value, a, c);
    case IR_AND: return fold_and(f, value, a, c);
    case IR_OR:
        if (!c)
            return a;
        if (c == UINT32_MAX)
            return become_const(f, value, c);
        return inner->op == IR_OR && ir_is_const(f, inner->args[1], &m) ? become(f, value, IR_OR, inner->args[0], m | c)
                                                                        : 0;
    case IR_XOR:
        if (!c)
            return a;
        if (c == 1 && f->known[a].ones <= 1)
            return fold_not(f, value, a);
        return inner->op == IR_XOR && ir_is_const(f, inner->args[1], &m)
                   ? become(f, value, IR_XOR, inner->args[0], m ^ c)
                   : 0;
    case IR_SHL:
    case IR_SHRU:
    case IR_SHRS: return fold_shift(f, value, a, c);
    case IR_MINU: return c == 0 ? become_const(f, value, 0) : f->known[a].ones <= c ? a : 0;
    case IR_MAXU: return c == 0 ? a : c == UINT32_MAX ? become_const(f, value, c) : 0;
    case IR_EQ:
    case IR_NE:
    case IR_LTU:
    case IR_GEU: return fold_compare(f, value, a, c);
    default: return 0;
    }
}

static ir_value fold_same(struct ir_folder *f, ir_value value, ir_value a)
{
    switch (ir_at(f->func, value)->op) {
    case IR_AND:
    case IR_OR:
    case IR_MINS:
    case IR_MINU:
    case IR_MAXS:
    case IR_MAXU: return a;
    case IR_SUB:
    case IR_XOR:
    case IR_NE:
    case IR_LTS:
    case IR_LTU: return become_const(f, value, 0);
    case IR_EQ:
    case IR_GES:
    case IR_GEU: return become_const(f, value, 1);
    default: return 0;
    }
}

/* High words first, then low: (h == k) ? low : (h < k) is (h == k) * low + (h < k), one instruction less. */
static ir_value fold_wide_compare(struct ir_folder *f, ir_value value)
{
    const struct ir_insn *insn = ir_at(f->func, value), *equal = ir_at(f->func, insn->args[0]),
                         *less = ir_at(f->func, insn->args[2]);
    ir_value condition = insn->args[0], low = insn->args[1], other = insn->args[2];
    if (equal->op != IR_EQ || (less->op != IR_LTS && less->op != IR_LTU) || f->known[low].ones > 1)
        return 0;
    bool same = less->args[0] == equal->args[0] && less->args[1] == equal->args[1],
         swapped = less->args[0] == equal->args[1] && less->args[1] == equal->args[0];
    if (!same && !swapped)
        return 0;
    ir_value product = make(f, IR_MUL, condition, low, 0);
    struct ir_insn *sum = ir_at(f->func, value);
    sum->op = IR_ADD;
    sum->args[0] = product;
    sum->args[1] = other;
    sum->args[2] = 0;
    return value;
}

static ir_value fold_select(struct ir_folder *f, ir_value value)
{
    const struct ir_insn *insn = ir_at(f->func, value);
    ir_value condition = insn->args[0], then = insn->args[1], otherwise = insn->args[2];
    uint32_t c, t, e;
    if (then == otherwise)
        return then;
    if (ir_is_const(f, condition, &c))
        return c & 1 ? then : otherwise;
    if (ir_is_const(f, then, &t) && ir_is_const(f, otherwise, &e)) {
        if (t == 1 && e == 0)
            return condition;
        if (t == 0 && e == 1)
            return become(f, value, IR_XOR, condition, 1);
    }
    return fold_wide_compare(f, value);
}

/* A word of a pair made of words, and a pair made of the words of another. */
static ir_value fold_pair(const struct ir_folder *f, const struct ir_insn *insn)
{
    const struct ir_insn *first = ir_at(f->func, insn->args[0]);
    if (insn->op != IR_PAIR)
        return first->op == IR_PAIR ? first->args[insn->op == IR_PHIGH] : 0;
    const struct ir_insn *second = ir_at(f->func, insn->args[1]);
    return first->op == IR_PLOW && second->op == IR_PHIGH && first->args[0] == second->args[0] ? first->args[0] : 0;
}

ir_value ir_fold(struct ir_folder *f, ir_value value)
{
    struct ir_insn *insn = ir_at(f->func, value);
    uint32_t a, b, result;
    if (insn->op == IR_COPY)
        return insn->args[0];
    if (insn->op == IR_SELECT)
        return fold_select(f, value);
    if (insn->op == IR_PLOW || insn->op == IR_PHIGH || insn->op == IR_PAIR)
        return fold_pair(f, insn);
    if (ir_is_pair(insn->op))
        return 0;
    if (insn->op == IR_LOW || insn->op == IR_HIGH) {
        const struct ir_insn *wide = ir_at(f->func, insn->args[0]);
        return wide->op == IR_PACK ? wide->args[insn->op == IR_HIGH] : 0;
    }
    if (insn->op == IR_PACK) {
        const struct ir_insn *low = ir_at(f->func, insn->args[0]), *high = ir_at(f->func, insn->args[1]);
        return low->op == IR_LOW && high->op == IR_HIGH && low->args[0] == high->args[0] ? low->args[0] : 0;
    }
    if (ir_ops[insn->op].arguments != 2 || !(ir_ops[insn->op].flags & IR_PURE))
        return 0;
    if (ir_ops[insn->op].flags & IR_COMMUTES && ir_at(f->func, insn->args[0])->op == IR_CONST) {
        ir_value first = insn->args[0]; /* canonical form: the constant second */
        insn->args[0] = insn->args[1];
        insn->args[1] = first;
    }
    bool has_const = ir_is_const(f, insn->args[1], &b);
    if (has_const && ir_is_const(f, insn->args[0], &a) && ir_evaluate((enum ir_op)insn->op, a, b, &result))
        return become_const(f, value, result);
    if (insn->args[0] == insn->args[1])
        return fold_same(f, value, insn->args[0]);
    return has_const ? fold_constant(f, value, insn->args[0], b) : 0;
}
