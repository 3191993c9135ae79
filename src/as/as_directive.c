#include "as/as_priv.h"

#include <string.h>

static const struct as_directive directives[] = {
#define DIRECTIVE(name, function, argument) {name, as_dir_##function, argument},
#include "as/directives.def"
};

const struct as_directive *as_find_directive(const char *text, size_t length)
{
    for (size_t i = 0; i < CY_COUNT(directives); i++) {
        size_t known = strlen(directives[i].name);
        bool is_prefix = directives[i].name[known - 1] == '_';
        if ((is_prefix ? length >= known : length == known) && memcmp(directives[i].name, text, known) == 0)
            return &directives[i];
    }
    return NULL;
}

const char *as_nearest_directive(const char *text, size_t length)
{
    const char *best = NULL;
    unsigned best_distance = length < 5 ? 2 : 3;
    for (size_t i = 0; i < CY_COUNT(directives); i++) {
        const char *name = directives[i].name;
        unsigned distance = cy_edit_distance(text, length, name, strlen(name), best_distance);
        if (distance < best_distance) {
            best_distance = distance;
            best = name;
        }
    }
    return best;
}

bool as_dir_ignore(struct as *as, int unused)
{
    (void)unused;
    as_skip_rest(as);
    return true;
}

bool as_dir_unsupported(struct as *as, int unused)
{
    (void)unused;
    struct as_text word = {as->start, (uint32_t)(as->p - as->start)};
    return as_fail(as, word.text, word.length, "'%.*s' is not supported", (int)word.length, word.text);
}

bool as_dir_stray(struct as *as, int is_endr)
{
    return as_fail(as, as->start, (size_t)(as->p - as->start), "%s without %s", is_endr ? ".endr" : ".endm",
                   is_endr ? ".rept or .irp" : ".macro");
}

/* .option push | pop | rvc | norvc | relax | norelax | pic | nopic | arch, ... */
bool as_dir_option(struct as *as, int unused)
{
    static const char *const accepted[] = {"norvc", "relax", "norelax", "pic", "nopic", "exact", "noexact"};
    (void)unused;
    struct as_text word = as_word(as);
    if (as_text_is(word, "push")) {
        as->option_depth++;
        return as_expect_end(as);
    }
    if (as_text_is(word, "pop")) {
        if (as->option_depth == 0)
            return as_fail(as, word.text, word.length, ".option pop without .option push");
        as->option_depth--;
        return as_expect_end(as);
    }
    if (as_text_is(word, "rvc"))
        return as_fail(as, word.text, word.length, "the C extension is not supported");
    if (as_text_is(word, "arch")) {
        as_skip_rest(as);
        return true;
    }
    for (size_t i = 0; i < CY_COUNT(accepted); i++)
        if (as_text_is(word, accepted[i]))
            return as_expect_end(as);
    as->p = word.text;
    return as_expected(as, "push, pop, norvc, relax, norelax, pic, nopic or arch");
}

/* .attribute tag, value: copied to .riscv.attributes */
bool as_dir_attribute(struct as *as, int unused)
{
    static const struct {
        const char *name;
        uint32_t tag;
    } tags[] = {
        {"stack_align", 4},      {"arch", 5},
        {"unaligned_access", 6}, {"priv_spec", 8},
        {"priv_spec_minor", 10}, {"priv_spec_revision", 12},
        {"atomic_abi", 14},
    };
    (void)unused;
    struct as_attribute attribute = {0};
    int64_t number = -1;
    as_skip_blank(as);
    if (as_is(*as->p, AS_C_START)) {
        struct as_text word = as_word(as);
        for (size_t i = 0; i < CY_COUNT(tags); i++)
            if (word.length > 4 && memcmp(word.text, "Tag_", 4) == 0 && strlen(tags[i].name) == word.length - 4 &&
                memcmp(word.text + 4, tags[i].name, word.length - 4) == 0)
                number = tags[i].tag;
            else if (as_text_is(word, tags[i].name))
                number = tags[i].tag;
        if (number < 0)
            return as_fail(as, word.text, word.length, "unknown attribute '%.*s'", (int)word.length, word.text);
    } else if (!as_absolute_in(as, 1, UINT32_MAX, "the tag of an attribute", &number)) {
        return false;
    }
    attribute.tag = (uint32_t)number;
    if (!as_comma(as))
        return false;
    as_skip_blank(as);
    if (attribute.tag % 2) {
        struct as_text text;
        if (*as->p != '"')
            return as_expected(as, "a string: odd attributes are texts");
        if (!as_name_text(as, "a string", &text))
            return false;
        attribute.text = text.text;
    } else {
        if (!as_absolute_in(as, 0, UINT32_MAX, "the value of an attribute", &number))
            return false;
        attribute.number = (uint64_t)number;
    }
    if (!as_expect_end(as))
        return false;
    for (size_t i = 0; i < as->attributes.count; i++)
        if (as->attributes.at[i].tag == attribute.tag) {
            as->attributes.at[i] = attribute;
            return true;
        }
    *cy_vec_push(&as->attributes) = attribute;
    return true;
}

/* .file "name": the object's source; .file 1 "name" belongs to line numbers and is ignored */
bool as_dir_file(struct as *as, int unused)
{
    (void)unused;
    as_skip_blank(as);
    if (*as->p != '"')
        return as_dir_ignore(as, 0);
    struct cy_buf text = {0};
    bool ok = as_string(as, &text);
    if (ok)
        as->file_name = cy_arena_strndup(&as->arena, text.data, strlen(text.data));
    cy_buf_free(&text);
    return ok && as_dir_ignore(as, 0);
}

/* .error "text"   .warning "text"   .print "text" */
bool as_dir_message(struct as *as, int severity)
{
    struct cy_loc loc = as_loc(as, as->start, (size_t)(as->p - as->start));
    struct cy_buf text = {0};
    bool has_text = !as_at_end(as);
    bool ok = !has_text || (as_string(as, &text) && as_expect_end(as));
    if (ok) {
        const char *directive = severity == CY_ERROR ? ".error" : severity == CY_WARNING ? ".warning" : ".print";
        if (has_text)
            cy_diag(as->diags, (enum cy_severity)severity, &loc, "%s", text.data);
        else
            cy_diag(as->diags, (enum cy_severity)severity, &loc, "%s was reached", directive);
    }
    cy_buf_free(&text);
    return ok;
}

bool as_dir_end(struct as *as, int unused)
{
    (void)unused;
    as_close_conditions(as, 0, false);
    as->ended = true;
    return true;
}
