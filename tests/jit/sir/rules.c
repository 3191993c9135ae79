/* Each row of rules.def (jit/transform): operations that its pattern describes, on random values and constants, give the same after the
 * pass simplify; and the row is the one that applies to some of them. */
#include "bytes_machine.h"
#include "support/test.h"

#include "jit/transform/rules.h"
#include "jit/transform/transform.h"

#include <string.h>

enum { ITEMS = 64, HITS = 6, TRIES = 60000, RESULTS = 2048 };

struct maker {
    struct cy_sir_func *func;
    uint64_t state;
    struct cy_sir_match is; /* what letters and classes stand for */
    cy_sir_value item, lds;
    unsigned loads;
    bool has_failed; /* types do not fit */
};

static uint32_t draw(struct maker *m, uint32_t limit)
{
    m->state ^= m->state << 13;
    m->state ^= m->state >> 7;
    m->state ^= m->state << 17;
    return (uint32_t)((m->state * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % limit;
}

static enum cy_sir_type draw_type(struct maker *m, unsigned from, unsigned to)
{
    if (from > to) {
        m->has_failed = true;
        return CY_SIR_I32;
    }
    return (enum cy_sir_type)(from + draw(m, to - from + 1));
}

static cy_sir_value emit(struct maker *m, enum cy_sir_op op, enum cy_sir_type type, cy_sir_value a, cy_sir_value b,
                         cy_sir_value c)
{
    return cy_sir_append(m->func, 0, op, type, a, b, c);
}

static cy_sir_value constant(struct maker *m, enum cy_sir_type type, uint64_t number)
{
    return cy_sir_const(m->func, 0, type, number);
}

/* ---- values that nobody knows: of memory, sometimes small, so that equal ones meet ---- */

static cy_sir_value unknown(struct maker *m, enum cy_sir_type type)
{
    const unsigned log_bytes = type == CY_SIR_I1 ? 0 : (unsigned)type - CY_SIR_I8;
    *cy_vec_push(&m->func->accesses) = (struct cy_sir_access){.bytes = (uint8_t)(1u << log_bytes),
                                                              .rights = 1,
                                                              .scale = (uint8_t)log_bytes,
                                                              .words = 1,
                                                              .offset = 512 * m->loads++,
                                                              .align = 1,
                                                              .group = CY_SIR_NOTHING};
    const enum cy_sir_type loaded = type == CY_SIR_I1 ? CY_SIR_I8 : type;
    const cy_sir_value value = emit(m, CY_SIR_LOAD, loaded, m->lds, m->item, 0);
    cy_sir_at(m->func, value)->access = (uint32_t)m->func->accesses.count - 1;
    if (type == CY_SIR_I1)
        return emit(m, CY_SIR_TRUNC, CY_SIR_I1, value, 0, 0);
    const cy_sir_value mask = constant(m, type, draw(m, 2) ? 1 : (UINT64_C(1) << (cy_sir_bits(type) - 1)) | 1);
    return draw(m, 3) ? value : emit(m, CY_SIR_AND, type, value, mask, 0);
}

static cy_sir_value letter(struct maker *m, const struct cy_sir_node *node, enum cy_sir_type type)
{
    cy_sir_value *is = &m->is.value[node->which];
    m->has_failed |= node->type && node->type != type;
    if (!*is)
        *is = unknown(m, type);
    m->has_failed |= cy_sir_at(m->func, *is)->type != type;
    return *is;
}

/* Amounts of shifts, masks of low bits, and others; the second constant often has to do with the first. */
static uint64_t draw_constant(struct maker *m, unsigned which)
{
    const unsigned bits = draw(m, 65);
    const uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX, first = m->is.constant[0];
    switch (draw(m, which ? 9 : 6)) {
    case 0: return bits;
    case 1: return mask;
    case 2: return mask + 1;
    case 3: return UINT64_C(1) << ((8u << draw(m, 4)) - 1);
    case 4: return (8u << draw(m, 4)) - draw(m, 2) * (8u << draw(m, 3));
    case 5: return (uint64_t)draw(m, UINT32_MAX) * draw(m, 7) << draw(m, 33);
    case 6: return ~first;
    case 7: return first;
    default: return first & mask;
    }
}

static uint64_t cut(enum cy_sir_type type, uint64_t number)
{
    const unsigned bits = cy_sir_bits(type);
    return bits < 64 ? number & ((UINT64_C(1) << bits) - 1) : number;
}

static cy_sir_value number(struct maker *m, const struct cy_sir_node *node, enum cy_sir_type type)
{
    uint64_t *is = &m->is.constant[node->which];
    if (node->kind == CY_SIR_NODE_NUMBER)
        return constant(m, type, (uint64_t)node->number);
    if (!m->is.has[node->which])
        *is = cut(type, draw_constant(m, node->which));
    m->is.has[node->which] = true;
    m->has_failed |= cut(type, *is) != *is;
    return constant(m, type, *is);
}

/* ---- patterns ---- */

static unsigned op_of(struct maker *m, const struct cy_sir_node *node)
{
    if (node->kind != CY_SIR_NODE_CLASS)
        return node->which;
    while (!cy_sir_is_in_class((enum cy_sir_class)node->which, m->is.op[node->which]))
        m->is.op[node->which] = (uint8_t)draw(m, CY_SIR_OPS);
    return m->is.op[node->which];
}

static bool is_float(unsigned op)
{
    return op >= CY_SIR_FADD && op <= CY_SIR_FNARROW;
}

static enum cy_sir_type type_of_argument(struct maker *m, unsigned op, enum cy_sir_type type)
{
    switch (op) {
    case CY_SIR_TRUNC: return draw_type(m, type + 1u, CY_SIR_I64);
    case CY_SIR_ZEXT:
    case CY_SIR_SEXT: return draw_type(m, CY_SIR_I1, type - 1u);
    case CY_SIR_LOW:
    case CY_SIR_HIGH: m->has_failed |= type != CY_SIR_I32; return CY_SIR_I64;
    case CY_SIR_PAIR: m->has_failed |= type != CY_SIR_I64; return CY_SIR_I32;
    default: break;
    }
    m->has_failed |= is_float(op) && type < CY_SIR_I16;
    if (cy_sir_ops[op].result != CY_SIR_RESULT_BOOL)
        return type;
    m->has_failed |= type != CY_SIR_I1;
    return draw_type(m, CY_SIR_I1, CY_SIR_I64);
}

static cy_sir_value grow(struct maker *m, const struct cy_sir_node *node, enum cy_sir_type type)
{
    cy_sir_value args[3] = {0};
    if (node->kind == CY_SIR_NODE_VALUE)
        return letter(m, node, type);
    if (node->kind == CY_SIR_NODE_CONSTANT || node->kind == CY_SIR_NODE_NUMBER)
        return number(m, node, type);
    if (node->kind == CY_SIR_NODE_ONCE)
        return grow(m, node->args[0], type);
    const unsigned op = op_of(m, node);
    m->has_failed |= node->type && node->type != type;
    const enum cy_sir_type of = type_of_argument(m, op, type);
    for (unsigned i = 0; i < CY_COUNT(args) && node->args[i] && !m->has_failed; i++)
        args[i] = grow(m, node->args[i], op == CY_SIR_SELECT && !i ? CY_SIR_I1 : of);
    return m->has_failed ? 0 : emit(m, (enum cy_sir_op)op, type, args[0], args[1], args[2]);
}

/* ---- functions ---- */

static cy_sir_value source(struct maker *m, enum cy_sir_source which)
{
    const cy_sir_value value = emit(m, CY_SIR_SOURCE, CY_SIR_I32, 0, 0, 0);
    cy_sir_at(m->func, value)->imm = which;
    return value;
}

static void start(struct maker *m)
{
    m->func = cy_sir_new("rule");
    m->func->threads = m->func->local[0] = ITEMS;
    m->func->local[1] = m->func->local[2] = m->func->warps = 1;
    m->func->strip = (struct cy_sir_strip){.lanes = ITEMS, .width = ITEMS, .items = ITEMS, .row = ITEMS};
    cy_sir_block_new(m->func);
    m->item = source(m, CY_SIR_SOURCE_ITEM);
    m->lds = source(m, CY_SIR_SOURCE_LDS);
    m->func->blocks.at[0].terminator = CY_SIR_END;
}

static void store(struct maker *m, cy_sir_value value)
{
    if (cy_sir_at(m->func, value)->type == CY_SIR_I1)
        value = emit(m, CY_SIR_ZEXT, CY_SIR_I8, value, 0, 0);
    const unsigned log_bytes = cy_sir_at(m->func, value)->type - (unsigned)CY_SIR_I8;
    *cy_vec_push(&m->func->accesses) = (struct cy_sir_access){.bytes = (uint8_t)(1u << log_bytes),
                                                              .rights = 2,
                                                              .scale = (uint8_t)log_bytes,
                                                              .words = 1,
                                                              .offset = RESULTS,
                                                              .align = 1,
                                                              .group = CY_SIR_NOTHING};
    const cy_sir_value made = emit(m, CY_SIR_STORE, CY_SIR_VOID, m->lds, m->item, value);
    cy_sir_at(m->func, made)->access = (uint32_t)m->func->accesses.count - 1;
}

/* No row before this one applies. */
static bool is_hit(const struct maker *m, unsigned rule, cy_sir_value root)
{
    struct cy_sir_match match;
    for (unsigned i = 0; i < rule; i++)
        if (cy_sir_matches(m->func, &(struct cy_sir_uses){0}, i, root, &match))
            return false;
    return cy_sir_matches(m->func, &(struct cy_sir_uses){0}, rule, root, &match);
}

static bool gives_the_same(struct cy_sir_func *func, uint64_t seed)
{
    static uint8_t expected[RANDOM_SIR_BYTES], memory[RANDOM_SIR_BYTES];
    struct cy_sir_func *after = cy_sir_clone(func);
    struct cy_sir_fault fault;
    bool is_same = CHECK_STR(cy_sir_validate(func), NULL);
    cy_sir_pass_simplify(after);
    is_same = is_same && CHECK_STR(cy_sir_validate(after), NULL) &&
              CHECK_EQ(evaluate_on_bytes(func, seed, expected, &fault), CY_SIR_DONE) &&
              CHECK_EQ(evaluate_on_bytes(after, seed, memory, &fault), CY_SIR_DONE) &&
              CHECK(memcmp(memory, expected, sizeof(memory)) == 0);
    cy_sir_free(after);
    return is_same;
}

static void show(const struct cy_sir_func *func)
{
    struct cy_buf text = {0};
    cy_sir_print(func, &text);
    fprintf(stderr, "%.*s", (int)text.size, text.data);
    cy_buf_free(&text);
}

/* 1: the row applies, and gives the same. */
static int try_rule(unsigned rule, uint64_t seed)
{
    struct maker m = {.state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    int result = 0;
    draw(&m, 2);
    start(&m);
    const cy_sir_value root = grow(&m, cy_sir_rules[rule].pattern, draw_type(&m, CY_SIR_I1, CY_SIR_I64));
    if (!m.has_failed && is_hit(&m, rule, root)) {
        store(&m, root);
        result = gives_the_same(m.func, seed * 3 + 1) ? 1 : -1;
        if (result < 0)
            show(m.func);
    }
    cy_sir_free(m.func);
    return result;
}

int main(void)
{
    for (unsigned rule = 0; rule < CY_SIR_RULES; rule++) {
        int hits = 0, result = 0;
        for (uint64_t seed = 0; seed < TRIES && hits < HITS && result >= 0; seed++)
            hits += (result = try_rule(rule, seed)) > 0;
        if (!CHECK(result >= 0 && hits > 0))
            fprintf(stderr, "the rule %s %s\n", cy_sir_rules[rule].name, result < 0 ? "is wrong" : "never applies");
    }
    return test_finish();
}
