#define _GNU_SOURCE /* memmem */
#include "cc/driver/asm_rewrite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum token_kind { END, NAME, STRING, OTHER };

struct token {
    enum token_kind kind;
    size_t at, size;
    uint32_t line, column; /* as the line markers say */
};

/* A variable with a register of its own: register int x __asm__("v5"). */
struct variable {
    size_t name_at, name_size, register_at, register_size;
    unsigned depth;
};

struct rewriter {
    const char *text;
    size_t size, at;
    size_t line_start;
    uint32_t line;
    size_t file_at, file_size; /* the current file's name, as in its marker */
    struct token token, before;
    unsigned depth;     /* of braces */
    size_t register_at; /* the last `register`, a word that OpenCL C does not have */
    size_t copied;      /* what is before it is in `out` */
    struct cy_buf *out;
    CY_VEC(struct variable) variables;
    bool changed;
    bool is_source; /* not preprocessed: directives are text like any other */
};

/* ---- tokens ---- */

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void new_line(struct rewriter *r)
{
    r->line++;
    r->line_start = r->at;
}

/* # 12 "file" 1 3 */
static void read_marker(struct rewriter *r)
{
    const char *end = memchr(r->text + r->at, '\n', r->size - r->at), *at = r->text + r->at + 1;
    end = end ? end : r->text + r->size;
    at += strspn(at, " ");
    if (!strncmp(at, "line", 4))
        at += 4 + strspn(at + 4, " ");
    if (isdigit((unsigned char)*at)) {
        r->line = (uint32_t)strtoul(at, NULL, 10) - 1;
        const char *open = memchr(at, '"', (size_t)(end - at)), *close = end;
        while (open && close > open + 1 && close[-1] != '"')
            close--;
        if (open && close > open + 1) {
            r->file_at = (size_t)(open + 1 - r->text);
            r->file_size = (size_t)(close - open) - 2;
        }
    }
    r->at = (size_t)(end - r->text);
}

static void skip_comment(struct rewriter *r)
{
    bool is_line = r->text[r->at + 1] == '/';
    for (r->at += 2; r->at < r->size; r->at++) {
        if (is_line && r->text[r->at] == '\n')
            return;
        if (!is_line && r->text[r->at] == '*' && r->at + 1 < r->size && r->text[r->at + 1] == '/') {
            r->at += 2;
            return;
        }
        if (r->text[r->at] == '\n') {
            r->at++;
            new_line(r);
            r->at--;
        }
    }
}

static void skip_space(struct rewriter *r)
{
    while (r->at < r->size) {
        char c = r->text[r->at], after = r->at + 1 < r->size ? r->text[r->at + 1] : 0;
        if (c == '\n') {
            r->at++;
            new_line(r);
        } else if (isspace((unsigned char)c)) {
            r->at++;
        } else if (c == '#' && r->at == r->line_start && !r->is_source) {
            read_marker(r);
        } else if (c == '/' && (after == '/' || after == '*')) {
            skip_comment(r);
        } else {
            return;
        }
    }
}

static void next(struct rewriter *r)
{
    skip_space(r);
    const char *text = r->text;
    r->before = r->token;
    size_t at = r->at, end = at;
    r->token = (struct token){OTHER, at, 1, r->line, (uint32_t)(at - r->line_start) + 1};
    if (at == r->size) {
        r->token.kind = END;
        r->token.size = 0;
        return;
    }
    if (is_name_char(text[at])) {
        while (end < r->size && is_name_char(text[end]))
            end++;
        r->token.kind = NAME;
    } else if (text[at] == '"' || text[at] == '\'') {
        for (end++; end < r->size && text[end] != text[at] && text[end] != '\n'; end++)
            end += text[end] == '\\' && end + 1 < r->size;
        end += end < r->size && text[end] == text[at];
        r->token.kind = text[at] == '"' ? STRING : OTHER;
    } else {
        end++;
    }
    r->token.size = end - at;
    r->at = end;
}

static bool is(const struct rewriter *r, const char *word)
{
    return r->token.size == strlen(word) && !memcmp(r->text + r->token.at, word, r->token.size);
}

static bool was(const struct rewriter *r, const char *word)
{
    return r->before.size == strlen(word) && !memcmp(r->text + r->before.at, word, r->before.size);
}

static bool is_asm(const struct rewriter *r)
{
    return is(r, "asm") || is(r, "__asm") || is(r, "__asm__");
}

bool cc_has_asm(const char *source, size_t size)
{
    struct rewriter r = {.text = source, .size = size, .line = 1, .is_source = true};
    if (memmem(source, size, "ventus.h", 8)) /* it consists of it */
        return true;
    if (!memmem(source, size, "asm", 3))
        return false;
    do {
        next(&r);
        if (r.token.kind == NAME && is_asm(&r))
            return true;
    } while (r.token.kind != END);
    return false;
}

bool cc_blames_asm(const char *messages)
{
    return strstr(messages, " in asm") || strstr(messages, "'asm'") || strstr(messages, "unknown register name");
}

/* ---- what is written ---- */

/* An asm statement while it is read. */
struct statement {
    struct cy_buf text, runs, operands, clobbers, plain;
    uint32_t next_line, next_column; /* where the next byte of the text is if it is in the same run */
    bool is_memory;
};

static void copy_to(struct rewriter *r, size_t end)
{
    cy_buf_append(r->out, r->text + r->copied, end - r->copied);
    r->copied = end;
}

static void add_byte(struct statement *s, uint32_t line, uint32_t column, unsigned width, char byte)
{
    if (line != s->next_line || column != s->next_column)
        cy_buf_printf(&s->runs, "R %zu %u %u\n", s->text.size, line, column);
    cy_buf_putc(&s->text, byte);
    s->next_line = line;
    s->next_column = width == 1 ? column + 1 : 0;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 99;
}

/* The byte that an escape stands for; *width is its length in the source. */
static char unescape(const char *at, size_t size, unsigned *width)
{
    static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
    const char *simple = size > 1 && at[1] ? strchr(from, at[1]) : NULL;
    unsigned value = 0, i = 1;
    *width = 2;
    if (simple)
        return to[simple - from];
    if (size > 2 && at[1] == 'x') {
        for (i = 2; i < size && digit(at[i]) < 16; i++)
            value = value * 16 + (unsigned)digit(at[i]);
        *width = i;
        return (char)value;
    }
    for (; i < size && i < 4 && digit(at[i]) < 8; i++)
        value = value * 8 + (unsigned)digit(at[i]);
    if (i > 1) {
        *width = i;
        return (char)value;
    }
    return size > 1 ? at[1] : '\\';
}

/* What follows is at this place for clang, whose messages so show the program's own text. */
static void resume(const struct rewriter *r, struct cy_buf *out, uint32_t line, uint32_t column)
{
    cy_buf_printf(out, "\n# %u \"%.*s\"\n%*s", line, (int)r->file_size, r->text + r->file_at, (int)column - 1, "");
}

/* The literal at hand, and those after it, as one text. */
static void read_text(struct rewriter *r, struct statement *s)
{
    for (; r->token.kind == STRING; next(r)) {
        const char *at = r->text + r->token.at;
        for (size_t i = 1; i + 1 < r->token.size;) {
            unsigned width = 1;
            char byte = at[i] == '\\' ? unescape(at + i, r->token.size - 1 - i, &width) : at[i];
            add_byte(s, r->token.line, r->token.column + (uint32_t)i, width, byte);
            i += width;
        }
    }
}

static const struct variable *find_variable(const struct rewriter *r, size_t at, size_t size)
{
    for (size_t i = r->variables.count; i-- > 0;) {
        const struct variable *variable = &r->variables.at[i];
        if (variable->name_size == size && !memcmp(r->text + variable->name_at, r->text + at, size))
            return variable;
    }
    return NULL;
}

/* (...); returns the variable with a register of its own that it is, if it is one. */
static const struct variable *skip_expression(struct rewriter *r)
{
    unsigned open = 0, tokens = 0;
    struct token only = {0};
    do {
        open += is(r, "(");
        open -= is(r, ")");
        only = ++tokens == 2 ? r->token : only;
        next(r);
    } while (open && r->token.kind != END);
    return tokens == 3 && only.kind == NAME ? find_variable(r, only.at, only.size) : NULL;
}

/* The constraint that clang sees: it knows only general registers, memory, constants and ties. */
static const char *plain_constraint(const char *constraint, struct cy_buf *buffer)
{
    const char *at = constraint + strspn(constraint, "=+&% ");
    bool is_output = *constraint == '=' || *constraint == '+';
    if (strchr("0123456789[", *at) && *at)
        return constraint;
    buffer->size = 0;
    cy_buf_append(buffer, constraint, (size_t)(at - constraint));
    bool is_register = strpbrk(at, "vrfgX{") != NULL;
    if (!is_register && strpbrk(at, "moVAQ"))
        cy_buf_puts(buffer, "m");
    else if (!is_register && !is_output && strpbrk(at, "insIJKLMEF"))
        cy_buf_puts(buffer, "i");
    else
        cy_buf_puts(buffer, "r");
    return buffer->data;
}

/* [name] "constraint" (expression) */
static bool read_operand(struct rewriter *r, struct statement *s)
{
    struct cy_buf constraint = {0}, plain = {0}, name = {0};
    struct statement string = {0};
    if (is(r, "[")) {
        next(r);
        cy_buf_append(&name, r->text + r->token.at, r->token.size);
        next(r);
        next(r);
    }
    bool ok = r->token.kind == STRING;
    read_text(r, &string);
    cy_buf_puts(&constraint, string.text.data ? string.text.data : "");
    ok = ok && is(r, "(");
    if (ok) {
        const struct token open = r->token;
        const char *shown = plain_constraint(constraint.data, &plain);
        const size_t width = strlen(shown) + 2 + (name.size ? name.size + 3 : 0);
        resume(r, &s->plain, open.line, open.column > width ? open.column - (uint32_t)width : 1);
        cy_buf_printf(&s->plain, name.size ? "[%s] \"%s\"" : "%s\"%s\"", name.size ? name.data : "", shown);
        const struct variable *variable = skip_expression(r);
        size_t head = strspn(constraint.data, "=+&%");
        cy_buf_puts(&s->operands, "O ");
        if (variable && strpbrk(constraint.data + head, "vrfgX"))
            cy_buf_printf(&s->operands, "%.*s{%.*s}", (int)head, constraint.data, (int)variable->register_size,
                          r->text + variable->register_at);
        else
            cy_buf_puts(&s->operands, *constraint.data ? constraint.data : "?");
        cy_buf_printf(&s->operands, " %s\n", name.data ? name.data : "");
        cy_buf_append(&s->plain, r->text + open.at, r->before.at + r->before.size - open.at);
    }
    cy_buf_free(&constraint);
    cy_buf_free(&plain);
    cy_buf_free(&name);
    cy_buf_free(&string.text);
    cy_buf_free(&string.runs);
    return ok;
}

static bool read_operands(struct rewriter *r, struct statement *s)
{
    cy_buf_puts(&s->plain, " :");
    for (next(r); !is(r, ":") && !is(r, ")"); next(r)) {
        cy_buf_puts(&s->plain, " ");
        if (!read_operand(r, s))
            return false;
        if (!is(r, ","))
            break;
        cy_buf_putc(&s->plain, ',');
    }
    return is(r, ":") || is(r, ")");
}

static bool read_clobbers(struct rewriter *r, struct statement *s)
{
    for (next(r); r->token.kind == STRING; next(r)) {
        struct statement name = {0};
        read_text(r, &name);
        if (name.text.data && !strcmp(name.text.data, "memory"))
            s->is_memory = true;
        else if (name.text.data && strcmp(name.text.data, "cc") != 0)
            cy_buf_printf(&s->clobbers, "C %s\n", name.text.data);
        cy_buf_free(&name.text);
        cy_buf_free(&name.runs);
        if (!is(r, ","))
            break;
    }
    if (s->is_memory)
        cy_buf_puts(&s->plain, " : \"memory\"");
    return is(r, ")");
}

static void put_statement(struct rewriter *r, const struct statement *s, bool is_volatile, uint32_t line)
{
    struct cy_buf all = {0};
    cy_buf_printf(&all, "F %.*s\n%s%s%sT%s", (int)r->file_size, r->text + r->file_at,
                  s->operands.data ? s->operands.data : "", s->clobbers.data ? s->clobbers.data : "",
                  s->runs.data ? s->runs.data : "", s->text.data ? s->text.data : "");
    resume(r, r->out, line, 1);
    cy_buf_printf(r->out, "__asm__ %s(\"" CC_ASM_TAG, is_volatile ? "volatile " : "");
    for (size_t i = 0; i < all.size; i++)
        cy_buf_printf(r->out, "%02x", (unsigned char)all.data[i]);
    cy_buf_printf(r->out, "\"%s)", s->plain.data ? s->plain.data : "");
    cy_buf_free(&all);
}

/* At the keyword.  What is no asm statement after all stays as it is. */
static void rewrite_statement(struct rewriter *r)
{
    struct rewriter start = *r;
    struct statement s = {0};
    size_t out_size = r->out->size;
    copy_to(r, r->token.at);
    bool is_volatile = false;
    for (next(r); is(r, "volatile") || is(r, "__volatile__") || is(r, "__volatile") || is(r, "inline"); next(r))
        is_volatile |= !is(r, "inline");
    bool ok = is(r, "(");
    next(r);
    ok = ok && r->token.kind == STRING;
    read_text(r, &s);
    bool is_basic = is(r, ")");
    for (int part = 0; ok && part < 2 && is(r, ":"); part++)
        ok = read_operands(r, &s);
    ok = ok && (is(r, ":") ? read_clobbers(r, &s) : is(r, ")"));
    if (ok) {
        put_statement(r, &s, is_volatile || is_basic, start.token.line);
        r->copied = r->token.at + 1;
        resume(r, r->out, r->token.line, r->token.column + 1);
        r->changed = true;
        next(r);
    } else {
        r->out->size = out_size;
        start.variables.at = r->variables.at;
        *r = start;
        next(r);
    }
    cy_buf_free(&s.text);
    cy_buf_free(&s.runs);
    cy_buf_free(&s.operands);
    cy_buf_free(&s.clobbers);
    cy_buf_free(&s.plain);
}

/* At the keyword, after a declarator: the name of its register. */
static void rewrite_variable(struct rewriter *r)
{
    struct variable variable = {.name_at = r->before.at, .name_size = r->before.size, .depth = r->depth};
    size_t at = r->token.at;
    next(r);
    next(r);
    if (r->token.kind == STRING && r->token.size > 2) {
        variable.register_at = r->token.at + 1;
        variable.register_size = r->token.size - 2;
        next(r);
        if (is(r, ")")) {
            if (r->register_at && r->register_at >= r->copied) {
                copy_to(r, r->register_at);
                cy_buf_puts(r->out, "        ");
                r->copied += strlen("register");
            }
            copy_to(r, at);
            r->copied = r->token.at + 1;
            *cy_vec_push(&r->variables) = variable;
            r->changed = true;
        }
    }
    next(r);
}

bool cc_rewrite_asm(const char *preprocessed, size_t size, struct cy_buf *out)
{
    struct rewriter r = {.text = preprocessed, .size = size, .line = 1, .out = out};
    next(&r);
    while (r.token.kind != END) {
        bool is_keyword = r.token.kind == NAME && is_asm(&r);
        if (is_keyword && r.depth && r.before.kind == NAME && !was(&r, "else") && !was(&r, "do")) {
            rewrite_variable(&r);
            continue;
        }
        if (is_keyword && r.depth) { /* elsewhere it is the name of a function for the linker */
            rewrite_statement(&r);
            continue;
        }
        if (is(&r, "register"))
            r.register_at = r.token.at;
        r.depth += is(&r, "{");
        if (is(&r, "}") && r.depth)
            r.depth--;
        while (r.variables.count && r.variables.at[r.variables.count - 1].depth > r.depth)
            r.variables.count--;
        next(&r);
    }
    copy_to(&r, size);
    cy_vec_free(&r.variables);
    return r.changed;
}
