#include "jit/translate/code/expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    struct cy_arena *arena;
    const char *at;
    bool failed;
};

static const struct expr *parse_choice(struct parser *p);

static struct expr *make(struct parser *p, enum expr_kind kind)
{
    struct expr *expr = cy_arena_alloc(p->arena, sizeof(*expr));
    *expr = (struct expr){.kind = kind};
    return expr;
}

static void skip_space(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool accept(struct parser *p, const char *text)
{
    skip_space(p);
    if (strncmp(p->at, text, strlen(text)) != 0)
        return false;
    p->at += strlen(text);
    return true;
}

static const struct expr *parse_name(struct parser *p)
{
    const char *start = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    struct expr *expr = make(p, EXPR_NAME);
    expr->name = cy_arena_strndup(p->arena, start, (size_t)(p->at - start));
    /* sa, sb, sd, s1, s2, simm: the signed spellings (isa/insns.def) */
    expr->is_signed = expr->name[0] == 's' && strcmp(expr->name, "shamt") != 0;
    if (!accept(p, "("))
        return expr;
    expr->kind = EXPR_CALL;
    expr->is_signed = false;
    while (!p->failed && !accept(p, ")")) {
        if (expr->count == CY_COUNT(expr->part) || (expr->count && !accept(p, ",")))
            p->failed = true;
        else
            expr->part[expr->count++] = parse_choice(p);
    }
    return expr;
}

static const struct expr *parse_unary(struct parser *p)
{
    static const char *const operators[] = {"~", "!", "-"};
    skip_space(p);
    for (size_t i = 0; i < CY_COUNT(operators); i++)
        if (accept(p, operators[i])) {
            struct expr *expr = make(p, EXPR_UNARY);
            memcpy(expr->op, operators[i], 2);
            expr->part[0] = parse_unary(p);
            expr->is_signed = *operators[i] == '!' || (expr->part[0] && expr->part[0]->is_signed);
            return expr;
        }
    if (accept(p, "(int32_t)")) {
        const struct expr *operand = parse_unary(p);
        struct expr *expr = make(p, EXPR_UNARY);
        expr->op[0] = '+';
        expr->part[0] = operand;
        expr->is_signed = true;
        return expr;
    }
    if (accept(p, "(")) {
        const struct expr *inner = parse_choice(p);
        p->failed |= !accept(p, ")");
        return inner;
    }
    if (isdigit((unsigned char)*p->at)) {
        struct expr *expr = make(p, EXPR_NUMBER);
        char *end;
        expr->number = (uint32_t)strtoul(p->at, &end, 0);
        expr->is_signed = true;
        p->at = end;
        return expr;
    }
    if (isalpha((unsigned char)*p->at))
        return parse_name(p);
    p->failed = true;
    return NULL;
}

/* By precedence, the weakest first. */
static const char *const levels[][4] = {
    {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*"},
};

static bool is_comparison(const char *op)
{
    return strchr("=!<>", op[0]) && strcmp(op, "<<") != 0 && strcmp(op, ">>") != 0;
}

static const struct expr *parse_binary(struct parser *p, size_t level)
{
    if (level == CY_COUNT(levels))
        return parse_unary(p);
    const struct expr *left = parse_binary(p, level + 1);
    while (!p->failed) {
        const char *found = NULL;
        skip_space(p);
        for (size_t i = 0; i < 4 && levels[level][i] && !found; i++) {
            const char *op = levels[level][i];
            const bool may_go_on = (*op == '<' || *op == '>') && !op[1] && *p->at == *op;
            const bool longer = may_go_on && (p->at[1] == *op || p->at[1] == '=');
            if (!longer && accept(p, op))
                found = op;
        }
        if (!found)
            return left;
        struct expr *expr = make(p, EXPR_BINARY);
        memcpy(expr->op, found, strlen(found) + 1);
        expr->part[0] = left;
        expr->part[1] = parse_binary(p, level + 1);
        if (p->failed)
            return NULL;
        const bool is_shift = level == 5;
        expr->is_signed = is_comparison(found) || (left->is_signed && (is_shift || expr->part[1]->is_signed));
        left = expr;
    }
    return NULL;
}

static const struct expr *parse_choice(struct parser *p)
{
    const struct expr *condition = parse_binary(p, 0);
    if (p->failed || !accept(p, "?"))
        return condition;
    struct expr *expr = make(p, EXPR_CHOICE);
    expr->part[0] = condition;
    expr->part[1] = parse_choice(p);
    p->failed |= !accept(p, ":");
    expr->part[2] = p->failed ? NULL : parse_choice(p);
    expr->is_signed = !p->failed && expr->part[1]->is_signed && expr->part[2]->is_signed;
    return expr;
}

const struct expr *expr_parse(struct cy_arena *arena, const char *text)
{
    struct parser p = {.arena = arena, .at = text};
    const struct expr *expr = parse_choice(&p);
    skip_space(&p);
    return p.failed || *p.at ? NULL : expr;
}
