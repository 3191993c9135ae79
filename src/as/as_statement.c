#include "as/as_priv.h"

#include <stdio.h>
#include <string.h>

/* ---- messages ---- */

bool as_fail(struct as *as, const char *at, size_t length, const char *format, ...)
{
    char text[sizeof(as->complaint.text)];
    if (as->trying && as->complaint.at && at <= as->complaint.at)
        return false; /* an earlier attempt got as far */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (as->trying) {
        as->complaint.at = at;
        as->complaint.length = (uint32_t)length;
        memcpy(as->complaint.text, text, sizeof(text));
        return false;
    }
    struct cy_loc loc = as_loc(as, at, length);
    return as_error_at(as, &loc, "%s", text);
}

bool as_expected(struct as *as, const char *what)
{
    if (as_at_end(as))
        return as_fail(as, as->p, 1, "expected %s, found the end of the statement", what);
    const char *start = as->p, *p = start;
    if (*p == '"') {
        p++;
        while (*p && *p != '\n' && *p != '"')
            p++;
        p += *p == '"';
    } else if (as_is(*p, AS_C_WORD)) {
        while (as_is(*p, AS_C_WORD))
            p++;
    } else {
        p++;
    }
    int length = p - start > 60 ? 60 : (int)(p - start);
    return as_fail(as, start, (size_t)(p - start), "expected %s, found '%.*s'%s", what, length, start,
                   p - start > 60 ? "..." : "");
}

/* ---- kinds of words ---- */

/* Looks a name up in all tables, once. */
static void look_up(struct as *as, struct as_name *name, const char *text, size_t length)
{
    char lower[32];
    name->looked_up = true;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (*text == '.')
            name->directive = as_find_directive(text, length);
        if (!name->directive) {
            name->spelling = cy_spelling_find(as->target, text, length);
            name->pseudo = as_find_pseudo(as->target, text, length);
        }
        if (name->directive || name->spelling || name->pseudo || length >= sizeof(lower))
            return;
        for (size_t i = 0; i < length; i++) /* ADD, .WORD */
            lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
        text = lower;
    }
}

static const char *other_target(const struct as *as, const char *text, size_t length)
{
    for (int target = 0; target < CY_TARGET_COUNT; target++)
        if ((enum cy_target)target != as->target && (target >= CY_EPIC) == as->is_epic &&
            (cy_spelling_find((enum cy_target)target, text, length) ||
             as_find_pseudo((enum cy_target)target, text, length)))
            return cy_target_name((enum cy_target)target);
    return NULL;
}

static bool unknown(struct as *as, const char *text, size_t length)
{
    const char *nearest = NULL;
    if (*text == '.') {
        nearest = as_nearest_directive(text, length);
        if (nearest)
            return as_fail(as, text, length, "unknown directive '%.*s'; did you mean '%s'?", (int)length, text,
                           nearest);
        return as_fail(as, text, length, "unknown directive '%.*s'", (int)length, text);
    }
    const char *target = other_target(as, text, length);
    if (target)
        return as_fail(as, text, length, "'%.*s' is an instruction of %s, not of %s", (int)length, text, target,
                       cy_target_name(as->target));
    nearest = cy_mnemonic_nearest(as->target, text, length);
    unsigned limit = nearest ? cy_edit_distance(text, length, nearest, strlen(nearest), 4) : length < 4 ? 2 : 3;
    const char *pseudo = as_nearest_pseudo(as->target, text, length, limit);
    if (pseudo)
        nearest = pseudo;
    if (nearest)
        return as_fail(as, text, length, "unknown instruction '%.*s'; did you mean '%s'?", (int)length, text, nearest);
    return as_fail(as, text, length, "unknown instruction '%.*s'", (int)length, text);
}

static bool operation(struct as *as, const char *text, size_t length, bool predicated)
{
    struct as_name *name = as_find_name(as, text, length);
    if (name->macro && !predicated)
        return as_call_macro(as, name->macro, text);
    if (!name->looked_up)
        look_up(as, name, text, length);
    if (name->directive && !predicated)
        return name->directive->run(as, name->directive->argument);
    if (!name->spelling && !name->pseudo)
        return unknown(as, text, length);
    struct as_name copy = *name; /* names may move while operands are parsed */
    return as_instruction(as, &copy, text, length, predicated) && as_expect_end(as);
}

/* ---- statements ---- */

/* name = expression */
static bool assignment(struct as *as, const char *text, size_t length)
{
    struct as_value value;
    as->p++;
    bool equiv = *as->p == '='; /* name == expression: must not be defined before */
    as->p += equiv;
    if (length == 1 && *text == '.')
        return as_dir_org(as, 0);
    return as_expression(as, &value) && as_expect_end(as) &&
           as_assign(as, text, length, equiv ? AS_EQUIV : AS_SET, &value);
}

/* 1: */
static bool numeric_label(struct as *as, bool *found)
{
    const char *start = as->p, *p = start;
    while (as_is(*p, AS_C_DIGIT))
        p++;
    size_t length = (size_t)(p - start);
    while (as_is(*p, AS_C_BLANK))
        p++;
    *found = *p == ':';
    if (!*found)
        return as_expected(as, "a label, an instruction or a directive");
    as->p = p + 1;
    return as_define_numeric(as, start, length);
}

/* "a name": or "a name" = ... */
static bool quoted_start(struct as *as, bool *is_label)
{
    struct as_text name;
    const char *at = as->p;
    *is_label = false;
    if (!as_name_text(as, "a name", &name))
        return false;
    as_skip_blank(as);
    *is_label = *as->p == ':';
    if (*is_label) {
        as->p++;
        return as_define_label(as, name.text, name.length);
    }
    if (*as->p == '=')
        return assignment(as, name.text, name.length);
    as->p = at;
    return as_expected(as, "a label, an instruction or a directive");
}

/* @p instruction */
static bool predicated_operation(struct as *as)
{
    const char *at = as->p++;
    struct as_text word = as_word(as);
    if (!as->is_epic || !as_text_is(word, "p"))
        return as_fail(as, at, 1 + word.length, as->is_epic ? "expected '@p'" : "unexpected '@'");
    word = as_word(as);
    if (!word.length)
        return as_expected(as, "an instruction after '@p'");
    return operation(as, word.text, word.length, true);
}

bool as_statement(struct as *as)
{
    for (;;) {
        as_skip_blank(as);
        const char *start = as->p;
        char c = *start;
        if (as_is(c, AS_C_START)) {
            const char *p = start;
            while (as_is(*p, AS_C_WORD))
                p++;
            size_t length = (size_t)(p - start);
            as->p = p;
            if (*p == ':') {
                as->p++;
                if (!as_define_label(as, start, length))
                    return false;
                continue;
            }
            as_skip_blank(as);
            if (*as->p == ':') {
                as->p++;
                if (!as_define_label(as, start, length))
                    return false;
                continue;
            }
            if (*as->p == '=')
                return assignment(as, start, length);
            as->p = p;
            as->start = start;
            return operation(as, start, length, false);
        }
        bool is_label = false;
        if (as_is(c, AS_C_DIGIT)) {
            if (!numeric_label(as, &is_label))
                return false;
            continue;
        }
        if (c == '"') {
            if (!quoted_start(as, &is_label))
                return false;
            if (is_label)
                continue;
            return true;
        }
        if (as_at_end(as))
            return true;
        as->start = start;
        if (c == '@')
            return predicated_operation(as);
        return as_expected(as, "a label, an instruction or a directive");
    }
}
