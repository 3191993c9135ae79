/* Reads the expressions of all rows, once: a parser for the part of C that the tables use.  A mistake in the tables is reported by an
 * assertion, as in syntax.c. */
#include "isa/expr.h"
#include "isa/isa_priv.h"

#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PURE 0, 0
#define FLAGS 0, CY_STATE_FFLAGS
#define ROUNDS CY_STATE_FRM, CY_STATE_FFLAGS
#define SATURATES 0, CY_STATE_VXSAT
#define FIXED CY_STATE_VXRM, 0
#define FIXED_SATURATES CY_STATE_VXRM, CY_STATE_VXSAT
const struct cy_function_info cy_functions[CY_FN_COUNT] = {
#define FUNCTION(name, operands, work, state) [CY_FN_##name] = {#name, operands, CY_WORK_##work, state},
#include "isa/functions.def"
};

/* Every node of every row: so many that no allocation can fail; untouched pages use no memory. */
enum { MOST = 1 << 13 };
static struct {
    struct cy_expr nodes[MOST];
    uint32_t count;
    const struct cy_expr *rows[CY_OP_COUNT];
} trees;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- names ---- */

/* What the sections of the tables call the sources.  A leading s is the signed spelling, a leading w the wide one. */
static const struct {
    const char *name;
    enum cy_expr_source source;
} sources[] = {
    {"a", CY_SOURCE_A},   {"x1", CY_SOURCE_A},  {"x", CY_SOURCE_A},    {"s1", CY_SOURCE_A},    {"sx", CY_SOURCE_A},
    {"sa", CY_SOURCE_A},  {"wa", CY_SOURCE_A},  {"swa", CY_SOURCE_A},  {"b", CY_SOURCE_B},     {"x2", CY_SOURCE_B},
    {"y", CY_SOURCE_B},   {"s2", CY_SOURCE_B},  {"sy", CY_SOURCE_B},   {"sb", CY_SOURCE_B},    {"wb", CY_SOURCE_B},
    {"swb", CY_SOURCE_B}, {"imm", CY_SOURCE_B}, {"simm", CY_SOURCE_B}, {"shamt", CY_SOURCE_B}, {"d", CY_SOURCE_C},
    {"x3", CY_SOURCE_C},  {"sd", CY_SOURCE_C},  {"wd", CY_SOURCE_C},   {"m", CY_SOURCE_MASK},  {"sm", CY_SOURCE_MASK},
};

static enum cy_function function_by_name(const char *name, size_t length)
{
    for (int f = CY_FN_NONE + 1; f < CY_FN_COUNT; f++)
        if (cy_text_is(name, length, cy_functions[f].name))
            return (enum cy_function)f;
    return CY_FN_NONE;
}

/* ---- the parser ---- */

struct parser {
    const char *text, *at;
    bool is_atomic; /* m is the word in memory */
};

static const struct cy_expr *parse_choice(struct parser *p);

static void table_mistake(const struct parser *p, const char *what)
{
    fprintf(stderr, "instruction tables: %s in '%s' at '%s'\n", what, p->text, p->at);
    assert(false && "an error in the instruction tables, see the line above");
}

static struct cy_expr *make(enum cy_expr_kind kind)
{
    assert(trees.count < MOST && "every node has its place");
    struct cy_expr *expr = &trees.nodes[trees.count++];
    expr->kind = (uint8_t)kind;
    return expr;
}

static void add_part(struct cy_expr *expr, const struct cy_expr *part)
{
    assert(expr->part_count < CY_EXPR_MAX_PARTS && "no function has more operands");
    expr->part[expr->part_count++] = part;
}

static bool accept(struct parser *p, const char *text)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
    if (strncmp(p->at, text, strlen(text)) != 0)
        return false;
    p->at += strlen(text);
    return true;
}

static void expect(struct parser *p, const char *text)
{
    if (!accept(p, text))
        table_mistake(p, text);
}

static const struct cy_expr *parse_call(struct parser *p, const char *name, size_t length)
{
    struct cy_expr *expr = make(CY_EXPR_CALL);
    expr->function = (uint16_t)function_by_name(name, length);
    if (!expr->function)
        table_mistake(p, "a function that functions.def lacks");
    while (expr->part_count < cy_functions[expr->function].operand_count) {
        if (expr->part_count)
            expect(p, ",");
        add_part(expr, parse_choice(p));
    }
    expect(p, ")");
    return expr;
}

static const struct cy_expr *parse_source(struct parser *p, const char *name, size_t length)
{
    struct cy_expr *expr = make(CY_EXPR_SOURCE);
    size_t i = 0;
    while (i < CY_COUNT(sources) && !cy_text_is(name, length, sources[i].name))
        i++;
    if (i == CY_COUNT(sources))
        table_mistake(p, "an unknown name");
    else
        expr->source = (uint8_t)sources[i].source;
    if (expr->source == CY_SOURCE_MASK && p->is_atomic)
        expr->source = CY_SOURCE_WORD;
    expr->is_signed = *name == 's' && !cy_text_is(name, length, "shamt");
    expr->is_wide = name[expr->is_signed] == 'w';
    return expr;
}

static const struct cy_expr *parse_number(uint32_t number, bool is_signed)
{
    struct cy_expr *expr = make(CY_EXPR_NUMBER);
    expr->number = number;
    expr->is_signed = is_signed;
    return expr;
}

static const struct cy_expr *parse_name(struct parser *p)
{
    const char *name = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    const size_t length = (size_t)(p->at - name);
    if (accept(p, "("))
        return parse_call(p, name, length);
    if (cy_text_is(name, length, "SEW") || cy_text_is(name, length, "XLEN"))
        return make(CY_EXPR_WIDTH);
    if (cy_text_is(name, length, "F_ONE"))
        return parse_number(0x3f800000, false);
    return parse_source(p, name, length);
}

static const struct cy_expr *make_unary(enum cy_expr_op op, const struct cy_expr *operand, bool is_signed)
{
    struct cy_expr *expr = make(CY_EXPR_UNARY);
    expr->op = (uint8_t)op;
    add_part(expr, operand);
    expr->is_signed = is_signed;
    return expr;
}

static const struct cy_expr *parse_unary(struct parser *p)
{
    static const struct {
        const char *text;
        enum cy_expr_op op;
    } operators[] = {{"~", CY_EXPR_NOT}, {"!", CY_EXPR_IS_ZERO}, {"-", CY_EXPR_NEGATE}};
    for (size_t i = 0; i < CY_COUNT(operators); i++)
        if (accept(p, operators[i].text)) {
            const struct cy_expr *operand = parse_unary(p);
            return make_unary(operators[i].op, operand, operators[i].op == CY_EXPR_IS_ZERO || operand->is_signed);
        }
    if (accept(p, "(int32_t)"))
        return make_unary(CY_EXPR_CAST, parse_unary(p), true);
    if (accept(p, "(uint32_t)"))
        return make_unary(CY_EXPR_CAST, parse_unary(p), false);
    if (accept(p, "(")) {
        const struct cy_expr *inner = parse_choice(p);
        expect(p, ")");
        return inner;
    }
    if (isdigit((unsigned char)*p->at)) {
        char *end;
        const uint32_t number = (uint32_t)strtoul(p->at, &end, 0);
        p->at = end;
        return parse_number(number, !accept(p, "u"));
    }
    if (!isalpha((unsigned char)*p->at))
        table_mistake(p, "no operand");
    return parse_name(p);
}

/* By precedence, the weakest first; of a level, the longer spelling first. */
#define OPERATORS_MOST 4
static const struct level {
    struct {
        const char *text;
        enum cy_expr_op op;
    } operators[OPERATORS_MOST];
} levels[] = {
    {{{"|", CY_EXPR_OR}}},
    {{{"^", CY_EXPR_XOR}}},
    {{{"&", CY_EXPR_AND}}},
    {{{"==", CY_EXPR_EQ}, {"!=", CY_EXPR_NE}}},
    {{{"<=", CY_EXPR_LE}, {">=", CY_EXPR_GE}, {"<", CY_EXPR_LT}, {">", CY_EXPR_GT}}},
    {{{"<<", CY_EXPR_SHL}, {">>", CY_EXPR_SHR}}},
    {{{"+", CY_EXPR_ADD}, {"-", CY_EXPR_SUB}}},
    {{{"*", CY_EXPR_MUL}}},
};

/* The operator of this level that is next; NULL: none is.  A < that begins << belongs to a level of stronger ones. */
static const char *accept_operator(struct parser *p, const struct level *level, enum cy_expr_op *op)
{
    for (size_t i = 0; i < OPERATORS_MOST && level->operators[i].text; i++) {
        const char *text = level->operators[i].text;
        const struct parser before = *p;
        if (!accept(p, text))
            continue;
        *op = level->operators[i].op;
        if (text[1] || !strchr("<>", *text) || *p->at != *text)
            return text;
        *p = before;
    }
    return NULL;
}

static bool is_comparison(enum cy_expr_op op)
{
    return op >= CY_EXPR_EQ && op <= CY_EXPR_GT;
}

static const struct cy_expr *parse_binary(struct parser *p, size_t level)
{
    if (level == CY_COUNT(levels))
        return parse_unary(p);
    const struct cy_expr *left = parse_binary(p, level + 1);
    enum cy_expr_op op;
    while (accept_operator(p, &levels[level], &op)) {
        struct cy_expr *expr = make(CY_EXPR_BINARY);
        const struct cy_expr *right = parse_binary(p, level + 1);
        const bool is_shift = op == CY_EXPR_SHL || op == CY_EXPR_SHR;
        expr->op = (uint8_t)op;
        add_part(expr, left);
        add_part(expr, right);
        expr->is_signed = is_comparison(op) || (left->is_signed && (is_shift || right->is_signed));
        left = expr;
    }
    return left;
}

static const struct cy_expr *parse_choice(struct parser *p)
{
    const struct cy_expr *condition = parse_binary(p, 0);
    if (!accept(p, "?"))
        return condition;
    struct cy_expr *expr = make(CY_EXPR_CHOICE);
    add_part(expr, condition);
    add_part(expr, parse_choice(p));
    expect(p, ":");
    add_part(expr, parse_choice(p));
    expr->is_signed = expr->part[1]->is_signed && expr->part[2]->is_signed;
    return expr;
}

static void build(void)
{
    for (int op = 1; op < CY_OP_COUNT; op++) {
        const struct cy_insn_info *row = &cy_insns[op];
        struct parser p = {row->semantics, row->semantics, row->flags & CY_F_ATOMIC};
        if (!row->is_expression)
            continue;
        trees.rows[op] = parse_choice(&p);
        if (!accept(&p, "") || *p.at)
            table_mistake(&p, "something after the expression");
    }
}

const struct cy_expr *cy_expr_of(enum cy_op op)
{
    pthread_once(&once, build);
    return trees.rows[op];
}

/* ---- questions about a tree ---- */

bool cy_expr_reads(const struct cy_expr *expr, enum cy_expr_source source)
{
    bool found = expr->kind == CY_EXPR_SOURCE && expr->source == source;
    for (unsigned i = 0; i < expr->part_count; i++)
        found |= cy_expr_reads(expr->part[i], source);
    return found;
}

bool cy_expr_calls(const struct cy_expr *expr, enum cy_function function)
{
    bool found = expr->kind == CY_EXPR_CALL && expr->function == function;
    for (unsigned i = 0; i < expr->part_count; i++)
        found |= cy_expr_calls(expr->part[i], function);
    return found;
}

enum cy_function cy_expr_function(const struct cy_expr *expr)
{
    if (expr->kind == CY_EXPR_CALL)
        return (enum cy_function)expr->function;
    enum cy_function found = CY_FN_NONE;
    for (unsigned i = 0; i < expr->part_count && !found; i++)
        found = cy_expr_function(expr->part[i]);
    return found;
}

uint16_t cy_expr_state(const struct cy_expr *expr, bool is_written)
{
    const struct cy_function_info *function = &cy_functions[expr->function];
    uint16_t state = is_written ? function->writes : function->reads;
    for (unsigned i = 0; i < expr->part_count; i++)
        state |= cy_expr_state(expr->part[i], is_written);
    return state;
}
