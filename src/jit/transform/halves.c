/* Conversions between halves and floats, which the guest has no instructions for: its device library (lib/cl/half.cl) computes them with
 * integers and one operation on floats.  What simplify has made of that becomes the operations htof and ftoh, if the host has these.
 *
 * Both end by joining four values, in any order.  Of ftoh's only the lower 16 bits count: it is for those who take no more. */
#include "jit/transform/edit.h"
#include "jit/transform/patterns.h"
#include "jit/transform/transform.h"

enum { PARTS = 4 };

/* ---- a half as a float: b is the half without its sign, in a word ---- */

static const struct cy_sir_node *const from_half[PARTS - 1] = {
    fmul(shl(b, K(13)), K(0x77800000)),             /* numbers, subnormal ones as well */
    select(ltu(K(0x7bff), b), K(0x7f800000), zero), /* infinity, NaN */
    shl(zext(ltu(K(0x7c00), b)), K(22)),            /* NaN */
};
static const struct cy_sir_node *const sign_of_half = and_(sext(a), K(0x80000000)); /* a is the half */
static const struct cy_sir_node *const sign_of_word = and_(shl(c, K(16)), K(0x80000000));
static const struct cy_sir_node *const rest_of_half = zext(and_(a, K(0x7fff)));
static const struct cy_sir_node *const rest_of_word = and_(c, K(0x7fff));
static const struct cy_sir_node *const lower_half = trunc16(c); /* the half, if it is in a word */

/* ---- a float as a half ---- */

#define SIZE and_(a, K(0x7fffffff))
#define FINITE minu(SIZE, K(0x477fffff)) /* or what is infinite as a half */
#define EXPONENT maxu(and_(FINITE, K(0x7f800000)), K(0x38800000))
#define SUM fadd(FINITE, add(EXPONENT, K(0x6800000)))
#define SHIFTED shru(add(EXPONENT, K(0x7800000)), K(13))
#define NUMBER maxu(SIZE, K(0x7f800000)) /* infinity, if it is a number */
static const struct cy_sir_node *const to_half[PARTS - 1] = {
    and_(shru(a, K(16)), K(0x8000)),
    shru(add(NUMBER, K(0x80800000)), K(13)),
    add(select(eq(NUMBER, K(0x7f800000)), K(0xfffffe00), zero), K(512)),
};
/* The first one has other bits above. */
static const struct cy_sir_node *const rounded[] = {add(SUM, SHIFTED), add(sub(SUM, EXPONENT), SHIFTED)};

#undef a
#undef b
#undef c
#undef d

struct halves {
    struct cy_sir_edit edit;
    uint32_t block;
    cy_sir_values list;    /* of the block, as it becomes */
    cy_sir_values half_of; /* by value: if it is a float as a half, that half; 0 */
};

static struct cy_sir_insn *insn_at(const struct halves *h, cy_sir_value value)
{
    return cy_sir_at(h->edit.func, value);
}

static bool is(const struct halves *h, const struct cy_sir_node *pattern, cy_sir_value value,
               struct cy_sir_match *match)
{
    const struct cy_sir_match before = *match;
    const struct cy_sir_uses unknown = {0};
    if (cy_sir_is(h->edit.func, &unknown, pattern, value, match))
        return true;
    *match = before;
    return false;
}

static cy_sir_value emit(struct halves *h, enum cy_sir_op op, enum cy_sir_type type, cy_sir_value of)
{
    const cy_sir_value value = cy_sir_make(h->edit.func, op, type, of, 0, 0);
    insn_at(h, value)->block = h->block;
    *cy_vec_push(&h->list) = value;
    return value;
}

/* ---- four parts ---- */

/* The values that are joined; false: there are not four of them. */
static bool find_parts(const struct halves *h, cy_sir_value value, cy_sir_value parts[PARTS])
{
    unsigned count = 1;
    parts[0] = value;
    for (unsigned i = 0; i < count;) {
        const struct cy_sir_insn *insn = insn_at(h, parts[i]);
        if (insn->op != CY_SIR_OR || insn->type != CY_SIR_I32) {
            i++;
            continue;
        }
        if (count == PARTS)
            return false;
        parts[count++] = insn->args[1];
        parts[i] = insn->args[0];
    }
    return count == PARTS;
}

/* All but one are what the patterns say: which one is left; PARTS: they are not. */
static unsigned match_parts(const struct halves *h, const cy_sir_value parts[PARTS],
                            const struct cy_sir_node *const patterns[PARTS - 1], struct cy_sir_match *match)
{
    unsigned taken = 0;
    for (unsigned i = 0; i < PARTS - 1; i++) {
        unsigned k = 0;
        while (k < PARTS && (taken >> k & 1 || !is(h, patterns[i], parts[k], match)))
            k++;
        if (k == PARTS)
            return PARTS;
        taken |= 1u << k;
    }
    return (unsigned)__builtin_ctz(~taken);
}

/* ---- conversions ---- */

static cy_sir_value half_of(const struct halves *h, cy_sir_value value)
{
    return value < h->half_of.count ? h->half_of.at[value] : 0;
}

/* The half of which `sign` is the sign, and the value b the rest; 0: they are not of one half. */
static cy_sir_value half_with(struct halves *h, cy_sir_value sign, struct cy_sir_match *match)
{
    enum { A, B, WORD };
    const cy_sir_value rest = match->value[B];
    if (is(h, sign_of_word, sign, match) && is(h, rest_of_word, rest, match))
        return emit(h, CY_SIR_TRUNC, CY_SIR_I16, match->value[WORD]);
    match->value[WORD] = 0;
    if (!is(h, sign_of_half, sign, match) || insn_at(h, match->value[A])->type != CY_SIR_I16)
        return 0;
    const cy_sir_value half = match->value[A];
    if (is(h, rest_of_half, rest, match))
        return half;
    if (!is(h, rest_of_word, rest, match))
        return 0;
    return is(h, lower_half, half, match) || half_of(h, match->value[WORD]) == half ? half : 0;
}

static cy_sir_value from_half_of(struct halves *h, const cy_sir_value parts[PARTS])
{
    struct cy_sir_match match = {.w = 0};
    const unsigned sign = match_parts(h, parts, from_half, &match);
    return sign < PARTS ? half_with(h, parts[sign], &match) : 0;
}

/* The float; 0: it is no conversion. */
static cy_sir_value to_half_of(const struct halves *h, const cy_sir_value parts[PARTS])
{
    struct cy_sir_match match = {.w = 0};
    const unsigned rest = match_parts(h, parts, to_half, &match);
    for (unsigned i = 0; i < CY_COUNT(rounded) && rest < PARTS; i++)
        if (is(h, rounded[i], parts[rest], &match))
            return match.value[0];
    return 0;
}

static void remember(struct halves *h, cy_sir_value value, cy_sir_value half)
{
    while (h->half_of.count <= value)
        *cy_vec_push(&h->half_of) = 0;
    h->half_of.at[value] = half;
}

static void visit_join(struct halves *h, cy_sir_value value)
{
    cy_sir_value parts[PARTS];
    const bool has_parts = find_parts(h, value, parts);
    const cy_sir_value half = has_parts ? from_half_of(h, parts) : 0, word = has_parts ? to_half_of(h, parts) : 0;
    if (half) {
        struct cy_sir_insn *insn = insn_at(h, value);
        insn->op = CY_SIR_HTOF;
        insn->args[0] = half;
        insn->args[1] = 0;
    }
    *cy_vec_push(&h->list) = value;
    if (word)
        remember(h, value, emit(h, CY_SIR_FTOH, CY_SIR_I16, word));
}

/* Those who take the lower half take it from the conversion.  True: it has been replaced. */
static bool take_half(struct halves *h, cy_sir_value value)
{
    const struct cy_sir_insn insn = *insn_at(h, value);
    const cy_sir_value half = half_of(h, insn.args[0]);
    uint64_t number = 0;
    if (!half)
        return false;
    if (insn.op == CY_SIR_TRUNC && insn.type == CY_SIR_I16) {
        cy_sir_edit_replace(&h->edit, value, half);
        return true;
    }
    if (!insn.args[1] || !cy_sir_is_constant(h->edit.func, insn.args[1], &number))
        return false;
    if (insn.op == CY_SIR_AND && number == UINT16_MAX) {
        cy_sir_edit_replace(&h->edit, value, emit(h, CY_SIR_ZEXT, CY_SIR_I32, half));
        return true;
    }
    if (insn.op == CY_SIR_SHL && number == 16) {
        const cy_sir_value word = emit(h, CY_SIR_ZEXT, CY_SIR_I32, half);
        insn_at(h, value)->args[0] = word;
    }
    return false;
}

static void visit_block(struct halves *h, uint32_t b)
{
    struct cy_sir_block *block = &h->edit.func->blocks.at[b];
    h->block = b;
    h->list.count = 0;
    for (size_t i = 0; i < block->list.count; i++) {
        const cy_sir_value value = block->list.at[i];
        cy_sir_update_arguments(&h->edit, value);
        const struct cy_sir_insn *insn = insn_at(h, value);
        if (insn->op == CY_SIR_OR && insn->type == CY_SIR_I32)
            visit_join(h, value);
        else if (!take_half(h, value))
            *cy_vec_push(&h->list) = value;
    }
    block->list.count = 0;
    for (size_t i = 0; i < h->list.count; i++)
        *cy_vec_push(&block->list) = h->list.at[i];
}

void cy_sir_pass_halves(struct cy_sir_func *func)
{
    struct halves h = {.block = 0};
    if (!func->converts_halves)
        return;
    cy_sir_edit_begin(&h.edit, func);
    const struct cy_graph graph = cy_sir_graph(&h.edit.arena, func);
    const struct cy_walk walk = cy_graph_walk(&h.edit.arena, &graph, 0);
    for (uint32_t i = 0; i < walk.count; i++)
        visit_block(&h, walk.rpo[i]);
    cy_sir_edit_end(&h.edit);
    cy_vec_free(&h.list);
    cy_vec_free(&h.half_of);
}
