#include "as/as_priv.h"

#include <string.h>

/* What .if asks. */
enum test { IF_NE, IF_EQ, IF_GT, IF_GE, IF_LT, IF_LE, IF_DEF, IF_NDEF, IF_B, IF_NB, IF_C, IF_NC, IF_EQS, IF_NES };

/* .ifc: text up to a comma, or in quotes */
static struct as_text ifc_argument(struct as *as)
{
    as_skip_blank(as);
    const char *start = as->p;
    if (*start == '\'' || *start == '"') {
        char quote = *as->p++;
        while (*as->p && *as->p != '\n' && *as->p != quote)
            as->p++;
        if (*as->p == quote)
            as->p++;
        return (struct as_text){start + 1,
                                (uint32_t)(as->p - start - (as->p[-1] == quote && as->p - start > 1 ? 2 : 1))};
    }
    while (*as->p != ',' && !as_is(*as->p, AS_C_END))
        as->p++;
    const char *end = as->p;
    while (end > start && as_is(end[-1], AS_C_BLANK))
        end--;
    return (struct as_text){start, (uint32_t)(end - start)};
}

static bool same_text(struct as_text a, struct as_text b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static bool compare_strings(struct as *as, bool *result)
{
    struct cy_buf a = {0}, b = {0};
    bool ok = as_string(as, &a) && as_comma(as) && as_string(as, &b) && as_expect_end(as);
    *result = ok && a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
    cy_buf_free(&a);
    cy_buf_free(&b);
    return ok;
}

static bool is_defined(struct as *as, bool *result)
{
    struct as_text name;
    if (!as_name_text(as, "the name of a symbol", &name) || !as_expect_end(as))
        return false;
    const struct as_name *entry = as_find_name(as, name.text, name.length);
    *result = entry->symbol && entry->symbol->kind != AS_UNDEFINED;
    return true;
}

static bool holds(struct as *as, enum test test, bool *result)
{
    int64_t value;
    switch (test) {
    case IF_DEF:
    case IF_NDEF:
        if (!is_defined(as, result))
            return false;
        *result ^= test == IF_NDEF;
        return true;
    case IF_B:
    case IF_NB: *result = (as_rest(as).length == 0) == (test == IF_B); return true;
    case IF_C:
    case IF_NC: {
        struct as_text a = ifc_argument(as);
        if (!as_comma(as))
            return false;
        struct as_text b = ifc_argument(as);
        *result = same_text(a, b) == (test == IF_C);
        return as_expect_end(as);
    }
    case IF_EQS:
    case IF_NES:
        if (!compare_strings(as, result))
            return false;
        *result ^= test == IF_NES;
        return true;
    default: break;
    }
    if (!as_absolute(as, &value) || !as_expect_end(as))
        return false;
    *result = test == IF_EQ   ? value == 0
              : test == IF_GT ? value > 0
              : test == IF_GE ? value >= 0
              : test == IF_LT ? value < 0
              : test == IF_LE ? value <= 0
                              : value != 0;
    return true;
}

/* Skips without assembling to the .else, .elseif or .endif of the innermost condition; as->p is left at that
 * directive. */
static void skip_branch(struct as *as)
{
    unsigned depth = 0;
    while (as_next_statement(as) && !as->ended) {
        struct as_text word = as_word(as);
        if (word.length > 2 && memcmp(word.text, ".if", 3) == 0) {
            depth++;
        } else if (word.length > 4 && word.text[0] == '.' && word.text[1] == 'e') {
            bool ends = as_text_is(word, ".endif");
            if (depth == 0 && (ends || as_text_is(word, ".else") || as_text_is(word, ".elseif"))) {
                as->p = word.text;
                break;
            }
            depth -= ends;
        }
        as_skip_rest(as);
    }
    as->switched = true; /* as->p is at a statement */
}

bool as_dir_if(struct as *as, int test)
{
    if (as->conditions.count >= AS_MAX_CONDITIONS)
        return as_fail(as, as->start, 3, "conditions are nested more than %d deep", AS_MAX_CONDITIONS);
    struct as_condition *condition = cy_vec_push(&as->conditions);
    *condition = (struct as_condition){.loc = as_loc(as, as->start, (size_t)(as->p - as->start))};
    bool result = false;
    bool ok = holds(as, (enum test)test, &result);
    if (!ok)
        as_skip_rest(as);
    condition->taken = result || !ok; /* after an error no branch is assembled */
    if (!result)
        skip_branch(as);
    return true;
}

/* The condition that belongs to this text: not one opened outside the macro or file. */
static struct as_condition *innermost(struct as *as, const char *directive)
{
    size_t outer = as->frames.at[as->frames.count - 1].conditions;
    if (as->conditions.count > outer)
        return &as->conditions.at[as->conditions.count - 1];
    as_fail(as, as->start, strlen(directive), "%s without .if", directive);
    return NULL;
}

bool as_dir_else(struct as *as, int is_elseif)
{
    const char *directive = is_elseif ? ".elseif" : ".else";
    struct as_condition *condition = innermost(as, directive);
    if (!condition)
        return false;
    if (condition->in_else) {
        as_fail(as, as->start, strlen(directive), "%s after .else", directive);
        as_note_at(as, &condition->loc, "the .if is here");
    }
    condition->in_else = !is_elseif;
    bool result = !condition->taken;
    if (is_elseif && result) {
        bool ok = holds(as, IF_NE, &result);
        if (!ok)
            condition->taken = true;
        result = ok && result;
    } else if (!is_elseif && !as_expect_end(as)) {
        result = false;
    }
    as_skip_rest(as);
    condition->taken |= result;
    if (!result)
        skip_branch(as);
    return true;
}

bool as_dir_endif(struct as *as, int unused)
{
    (void)unused;
    if (!innermost(as, ".endif"))
        return false;
    as->conditions.count--;
    return as_expect_end(as);
}

void as_close_conditions(struct as *as, size_t down_to, bool complain)
{
    while (as->conditions.count > down_to) {
        as->conditions.count--;
        if (complain)
            as_error_at(as, &as->conditions.at[as->conditions.count].loc, "this condition has no .endif");
    }
}
