/* Expressions.  Precedence and results are GNU as's (and llvm-mc's): * / % << >> bind tighter than | & ^ !, those
 * tighter than + -, those tighter than comparisons, then && and ||; a true comparison is -1. */
#include "as/as_priv.h"

#include <string.h>

/* ---- arithmetic ---- */

static struct as_value number(int64_t n)
{
    return (struct as_value){.addend = n};
}

/* 64-bit arithmetic wraps around; NULL, or why there is no result. */
static const char *compute(enum as_operator op, int64_t l, int64_t r, int64_t *result)
{
    uint64_t a = (uint64_t)l, b = (uint64_t)r, u = 0;
    switch (op) {
    case AS_OP_OROR: u = a || b; break;
    case AS_OP_ANDAND: u = a && b; break;
    case AS_OP_EQ: u = -(uint64_t)(l == r); break;
    case AS_OP_NE: u = -(uint64_t)(l != r); break;
    case AS_OP_LT: u = -(uint64_t)(l < r); break;
    case AS_OP_LE: u = -(uint64_t)(l <= r); break;
    case AS_OP_GT: u = -(uint64_t)(l > r); break;
    case AS_OP_GE: u = -(uint64_t)(l >= r); break;
    case AS_OP_ADD: u = a + b; break;
    case AS_OP_SUB: u = a - b; break;
    case AS_OP_OR: u = a | b; break;
    case AS_OP_XOR: u = a ^ b; break;
    case AS_OP_AND: u = a & b; break;
    case AS_OP_ORNOT: u = a | ~b; break;
    case AS_OP_MUL: u = a * b; break;
    case AS_OP_SHL: u = b < 64 ? a << b : 0; break;
    case AS_OP_SHR: u = b < 64 ? a >> b : 0; break;
    case AS_OP_NEG: u = 0 - a; break;
    case AS_OP_NOT: u = ~a; break;
    case AS_OP_LNOT: u = !a; break;
    case AS_OP_DIV:
    case AS_OP_REM:
        if (r == 0)
            return "division by zero";
        if (r == -1)
            u = op == AS_OP_DIV ? 0 - a : 0;
        else
            u = (uint64_t)(op == AS_OP_DIV ? l / r : l % r);
        break;
    case AS_OP_NONE: break;
    }
    *result = (int64_t)u;
    return NULL;
}

static bool cancels(const struct as_symbol *plus, const struct as_symbol *minus)
{
    return plus == minus || (plus->kind == AS_LABEL && minus->kind == AS_LABEL && plus->section == minus->section);
}

/* left + right (or left - right) as one plus, one minus and a number; false: it does not reduce to that. */
static bool add_sums(const struct as_value *left, const struct as_value *right, bool subtract, struct as_value *sum)
{
    struct as_symbol *plus[2] = {left->plus, subtract ? right->minus : right->plus};
    struct as_symbol *minus[2] = {left->minus, subtract ? right->plus : right->minus};
    uint64_t addend = (uint64_t)left->addend;
    addend = subtract ? addend - (uint64_t)right->addend : addend + (uint64_t)right->addend;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (plus[i] && minus[j] && cancels(plus[i], minus[j])) {
                if (plus[i] != minus[j])
                    addend += (uint64_t)plus[i]->offset - (uint64_t)minus[j]->offset;
                plus[i] = minus[j] = NULL;
            }
    if ((plus[0] && plus[1]) || (minus[0] && minus[1]))
        return false;
    *sum = (struct as_value){
        .plus = plus[0] ? plus[0] : plus[1], .minus = minus[0] ? minus[0] : minus[1], .addend = (int64_t)addend};
    return true;
}

static bool is_comparison(enum as_operator op)
{
    return op >= AS_OP_EQ && op <= AS_OP_GE;
}

enum outcome { DONE, LATER, IMPOSSIBLE };

/* One operation on two values, as far as it can be done with what is known now. */
static enum outcome operate(enum as_operator op, const struct as_value *left, const struct as_value *right,
                            struct as_value *result, const char **why)
{
    *why = NULL;
    if (left->deep || right->deep)
        return LATER;
    if (as_is_constant(left) && as_is_constant(right)) {
        *result = number(0);
        *why = compute(op, left->addend, right->addend, &result->addend);
        return *why ? IMPOSSIBLE : DONE;
    }
    if (op == AS_OP_ADD || op == AS_OP_SUB)
        return add_sums(left, right, op == AS_OP_SUB, result) ? DONE : LATER;
    struct as_value difference;
    if (is_comparison(op) && add_sums(left, right, true, &difference) && as_is_constant(&difference)) {
        *result = number(0);
        compute(op, difference.addend, 0, &result->addend);
        return DONE;
    }
    return LATER;
}

static unsigned depth_of(const struct as_value *value)
{
    return value->deep ? value->deep->depth : 0;
}

/* Performs the operation, or defers it to the end of the pass. */
static bool combine(struct as *as, enum as_operator op, const struct as_value *left, const struct as_value *right,
                    struct as_value *result, const char *at, size_t length)
{
    const char *why;
    struct as_value sum = {0};
    switch (operate(op, left, right, &sum, &why)) {
    case DONE: *result = sum; return true;
    case IMPOSSIBLE: return as_fail(as, at, length, "%s", why);
    case LATER: break;
    }
    unsigned depth = 1 + (depth_of(left) > depth_of(right) ? depth_of(left) : depth_of(right));
    if (depth > AS_MAX_TREE_DEPTH)
        return as_fail(as, at, length, "the expression is too complex");
    struct as_node *node = CY_NEW(&as->arena, struct as_node);
    *node = (struct as_node){.left = *left, .right = *right, .op = (uint8_t)op, .depth = (uint16_t)depth};
    *result = (struct as_value){.deep = node};
    return true;
}

bool as_simplify(struct as *as, struct as_value *value)
{
    for (unsigned steps = 0; value->plus && value->plus->kind == AS_EQUATE; steps++) {
        struct as_value rest = {.minus = value->minus, .addend = value->addend};
        if (steps > AS_MAX_TREE_DEPTH)
            return as_fail(as, as->start, 1, "the expression is too complex");
        if (!combine(as, AS_OP_ADD, &value->plus->value, &rest, value, as->start, 1))
            return false;
    }
    for (unsigned steps = 0; value->minus && value->minus->kind == AS_EQUATE; steps++) {
        struct as_value rest = {.plus = value->plus, .addend = value->addend};
        if (steps > AS_MAX_TREE_DEPTH)
            return as_fail(as, as->start, 1, "the expression is too complex");
        if (!combine(as, AS_OP_SUB, &rest, &value->minus->value, value, as->start, 1))
            return false;
    }
    if (value->plus && value->minus && cancels(value->plus, value->minus)) {
        struct as_value zero = number(0);
        return add_sums(value, &zero, false, value);
    }
    return true;
}

/* ---- parsing ---- */

struct operator_text {
    char text[3];
    uint8_t op, precedence;
};

/* Longest first. */
static const struct operator_text operators[] = {
    {"||", AS_OP_OROR, 1}, {"&&", AS_OP_ANDAND, 2}, {"==", AS_OP_EQ, 3},  {"!=", AS_OP_NE, 3},  {"<>", AS_OP_NE, 3},
    {"<=", AS_OP_LE, 3},   {">=", AS_OP_GE, 3},     {"<<", AS_OP_SHL, 6}, {">>", AS_OP_SHR, 6}, {"<", AS_OP_LT, 3},
    {">", AS_OP_GT, 3},    {"+", AS_OP_ADD, 4},     {"-", AS_OP_SUB, 4},  {"|", AS_OP_OR, 5},   {"^", AS_OP_XOR, 5},
    {"&", AS_OP_AND, 5},   {"!", AS_OP_ORNOT, 5},   {"*", AS_OP_MUL, 6},  {"/", AS_OP_DIV, 6},  {"%", AS_OP_REM, 6},
};

static const struct operator_text *binary_operator(const char *p)
{
    switch (*p) {
    case '|':
    case '&':
    case '=':
    case '!':
    case '<':
    case '>':
    case '+':
    case '-':
    case '^':
    case '*':
    case '/':
    case '%': break;
    default: return NULL;
    }
    for (size_t i = 0; i < CY_COUNT(operators); i++) {
        const char *text = operators[i].text;
        if (text[0] == p[0] && (!text[1] || text[1] == p[1]))
            return p[0] == '/' && p[1] == '/' ? NULL : &operators[i];
    }
    return NULL;
}

static bool parse(struct as *as, unsigned precedence, struct as_value *value);

/* foo, foo@plt, "foo bar" */
static bool symbol_value(struct as *as, struct as_value *value)
{
    const char *at = as->p;
    struct as_text name;
    if (!as_name_text(as, "an expression", &name))
        return false;
    size_t length = (size_t)(as->p - at);
    if (name.length == 1 && *at == '.') {
        *value = (struct as_value){.plus = as->section->symbol, .addend = as_here(as->section)};
        return true;
    }
    if (as->in_operand && *at != '"' && !as_no_register(as, at, length))
        return false;
    if (*as->p == '@') {
        const char *suffix = as->p++;
        struct as_text word = as_word(as);
        if (!as_text_is(word, "plt") && !as_text_is(word, "PLT"))
            return as_fail(as, suffix, 1 + word.length, "unknown reference '@%.*s'; only @plt is supported",
                           (int)word.length, word.text);
    }
    struct as_symbol *symbol = as_find_symbol(as, name.text, name.length);
    if (symbol->kind == AS_UNDEFINED && !symbol->defined_at.source)
        symbol->defined_at = as_loc(as, at, length);
    *value = (struct as_value){.plus = symbol};
    return symbol->kind != AS_EQUATE || as_simplify(as, value);
}

/* A number, or a numeric label: 1b, 1f. */
static bool number_value(struct as *as, struct as_value *value)
{
    const char *at = as->p, *p = at;
    while (as_is(*p, AS_C_DIGIT))
        p++;
    if ((*p == 'b' || *p == 'f') && !as_is(p[1], AS_C_WORD)) {
        struct as_symbol *symbol = as_numeric_reference(as, at, (size_t)(p - at), *p == 'f');
        as->p = p + 1;
        if (!symbol)
            return as_fail(as, at, (size_t)(as->p - at), "there is no label '%.*s:' before this", (int)(p - at), at);
        *value = (struct as_value){.plus = symbol};
        return true;
    }
    *value = number(0);
    return as_integer(as, &value->addend);
}

static bool unary_operation(struct as *as, enum as_operator op, struct as_value *value)
{
    const char *at = as->p++;
    struct as_value operand;
    as_skip_blank(as);
    if (!parse(as, UINT32_MAX, &operand))
        return false;
    struct as_value zero = number(0);
    if (op == AS_OP_NEG)
        return combine(as, AS_OP_SUB, &zero, &operand, value, at, 1);
    return combine(as, op, &operand, &zero, value, at, 1);
}

static bool primary(struct as *as, struct as_value *value)
{
    as_skip_blank(as);
    char c = *as->p;
    switch (c) {
    case '(': {
        const char *open = as->p++;
        if (!parse(as, 0, value))
            return false;
        return as_accept(as, ')') || as_fail(as, open, 1, "this '(' is not closed");
    }
    case '-': return unary_operation(as, AS_OP_NEG, value);
    case '~': return unary_operation(as, AS_OP_NOT, value);
    case '!': return unary_operation(as, AS_OP_LNOT, value);
    case '+': as->p++; return parse(as, UINT32_MAX, value);
    case '\'': *value = number(0); return as_character(as, &value->addend);
    default: break;
    }
    if (as_is(c, AS_C_DIGIT))
        return number_value(as, value);
    if (as_is(c, AS_C_START) || c == '"')
        return symbol_value(as, value);
    return as_expected(as, "an expression");
}

static bool parse(struct as *as, unsigned precedence, struct as_value *value)
{
    if (++as->depth > AS_MAX_EXPR_DEPTH) {
        as->depth--;
        return as_fail(as, as->p, 1, "the expression is nested too deeply");
    }
    bool ok = primary(as, value);
    while (ok) {
        as_skip_blank(as);
        const struct operator_text *found = binary_operator(as->p);
        if (!found || found->precedence < precedence)
            break;
        const char *at = as->p;
        size_t length = found->text[1] ? 2 : 1;
        as->p += length;
        struct as_value right, left = *value;
        ok = parse(as, found->precedence + 1u, &right) && combine(as, found->op, &left, &right, value, at, length);
    }
    as->depth--;
    return ok;
}

bool as_expression(struct as *as, struct as_value *value)
{
    as_skip_blank(as);
    return parse(as, 0, value);
}

/* ---- numbers needed immediately ---- */

static const struct as_symbol *culprit(const struct as_value *value)
{
    while (value->deep)
        value = as_is_constant(&value->deep->left) ? &value->deep->right : &value->deep->left;
    if (value->plus && value->plus->kind == AS_UNDEFINED)
        return value->plus;
    if (value->minus && value->minus->kind == AS_UNDEFINED)
        return value->minus;
    return value->plus ? value->plus : value->minus;
}

bool as_absolute(struct as *as, int64_t *result)
{
    as_skip_blank(as);
    const char *at = as->p;
    struct as_value value;
    if (!as_expression(as, &value))
        return false;
    *result = value.addend;
    if (as_is_constant(&value))
        return true;
    const struct as_symbol *symbol = culprit(&value);
    const char *name = symbol ? as_symbol_text(as, symbol) : "";
    if (symbol && symbol->kind == AS_UNDEFINED)
        return as_fail(as, at, (size_t)(as->p - at), "a number is needed here, but %s is not defined yet", name);
    return as_fail(as, at, (size_t)(as->p - at), "a number is needed here, but %s is an address", name);
}

bool as_absolute_in(struct as *as, int64_t low, int64_t high, const char *what, int64_t *value)
{
    as_skip_blank(as);
    const char *at = as->p;
    if (!as_absolute(as, value))
        return false;
    if (*value >= low && *value <= high)
        return true;
    return as_fail(as, at, (size_t)(as->p - at), "%s must be between %lld and %lld", what, (long long)low,
                   (long long)high);
}

uint32_t as_new_hint(struct as *as)
{
    uint32_t hint = as->hint_count++;
    if (hint == as->hints.count)
        *cy_vec_push(&as->hints) = 0;
    return hint;
}

bool as_soon(struct as *as, const struct as_value *value, const char *at, size_t length, int64_t *result)
{
    if (as_is_constant(value)) {
        *result = value->addend;
        return true;
    }
    uint32_t hint = as_new_hint(as);
    *cy_vec_push(&as->promises) = (struct as_promise){.value = *value, .loc = as_loc(as, at, length), .hint = hint};
    *result = as->hints.at[hint];
    return true;
}

bool as_absolute_soon(struct as *as, int64_t *result)
{
    as_skip_blank(as);
    const char *at = as->p;
    struct as_value value;
    return as_expression(as, &value) && as_soon(as, &value, at, (size_t)(as->p - at), result);
}

/* ---- at the end of the pass ---- */

static bool evaluate(struct as *as, struct as_value *value, const char **why);

static bool evaluate_symbol(struct as *as, struct as_symbol *symbol, struct as_value *value, const char **why)
{
    *value = symbol->value;
    if (symbol->visiting) {
        *why = "the value depends on itself";
        return false;
    }
    symbol->visiting = true;
    bool ok = evaluate(as, value, why);
    symbol->visiting = false;
    if (ok)
        symbol->value = *value; /* final: nothing changes any more */
    return ok;
}

static bool evaluate_node(struct as *as, struct as_node *node, struct as_value *value, const char **why)
{
    if (node->state == AS_NODE_NEW) {
        struct as_value left = node->left, right = node->right;
        node->state = AS_NODE_BUSY;
        bool ok = evaluate(as, &left, why) && evaluate(as, &right, why);
        node->state = AS_NODE_FAILED;
        if (!ok)
            return false;
        enum outcome outcome = operate(node->op, &left, &right, &node->result, why);
        if (outcome == LATER)
            *why = "this operation needs numbers, but an operand is an address";
        if (outcome != DONE)
            return false;
        node->state = AS_NODE_DONE;
    }
    if (node->state != AS_NODE_DONE) {
        *why = node->state == AS_NODE_BUSY ? "the value depends on itself" : "the expression has no value";
        return false;
    }
    *value = node->result;
    return true;
}

static bool evaluate(struct as *as, struct as_value *value, const char **why)
{
    if (as->eval_depth >= 2 * AS_MAX_TREE_DEPTH) {
        *why = "the expression is too complex";
        return false;
    }
    as->eval_depth++;
    bool ok = true;
    if (value->deep)
        ok = evaluate_node(as, value->deep, value, why);
    while (ok && value->plus && value->plus->kind == AS_EQUATE) {
        struct as_value meaning, rest = {.minus = value->minus, .addend = value->addend};
        ok = evaluate_symbol(as, value->plus, &meaning, why) && add_sums(&meaning, &rest, false, value);
    }
    while (ok && value->minus && value->minus->kind == AS_EQUATE) {
        struct as_value meaning, rest = {.plus = value->plus, .addend = value->addend};
        ok = evaluate_symbol(as, value->minus, &meaning, why) && add_sums(&rest, &meaning, true, value);
    }
    if (ok) {
        struct as_value zero = number(0);
        add_sums(value, &zero, false, value);
    }
    as->eval_depth--;
    return ok;
}

bool as_evaluate(struct as *as, struct as_value *value, const struct cy_loc *loc)
{
    const char *why = "the expression has too many symbols";
    as->eval_depth = 0;
    return evaluate(as, value, &why) || as_error_at(as, loc, "%s", why);
}

bool as_not_constant(struct as *as, const struct as_value *value, const struct cy_loc *loc)
{
    const struct as_symbol *symbol = culprit(value);
    const char *name = symbol ? as_symbol_text(as, symbol) : "the expression";
    if (symbol && symbol->kind == AS_UNDEFINED)
        return as_error_at(as, loc, "a number is needed here, but %s is not defined", name);
    return as_error_at(as, loc, "a number is needed here, but %s is an address", name);
}

void as_check_promises(struct as *as)
{
    for (size_t i = 0; i < as->promises.count; i++) {
        struct as_promise *promise = &as->promises.at[i];
        struct as_value value = promise->value;
        if (!as_evaluate(as, &value, &promise->loc))
            continue;
        int64_t *hint = &as->hints.at[promise->hint];
        if (!as_is_constant(&value)) {
            as_not_constant(as, &value, &promise->loc);
        } else if (*hint != value.addend) {
            *hint = value.addend;
            as->again = true;
            if (as->pass == AS_MAX_PASSES)
                as_error_at(as, &promise->loc, "the value depends on itself through addresses and does not converge");
        }
    }
}
