#include "as/as_priv.h"

#include <string.h>

#define MAX_PARAMETERS 64

struct parameter {
    struct as_text name, fallback;
    bool required, rest;
};

struct as_macro {
    const char *name;
    const char *how; /* "in expansion of macro 'name'" */
    const char *file;
    struct as_text body;
    uint32_t body_line, count; /* \+ */
    struct parameter *parameters;
    unsigned parameter_count;
    struct cy_loc loc;
};

/* ---- bodies ---- */

static bool one_of(struct as_text word, const char *const *words)
{
    for (; *words; words++)
        if (as_text_is(word, *words))
            return true;
    return false;
}

/* The text between this statement and the one that closes it; as->p is left after the closing word. */
static bool collect(struct as *as, const char *const *openers, const char *const *closers, struct as_text *body,
                    uint32_t *line)
{
    struct cy_loc opening = as_loc(as, as->start, (size_t)(as->p - as->start));
    const char *start = NULL;
    unsigned depth = 0;
    while (as_next_statement(as) && !as->ended) {
        if (!start) {
            start = as->p;
            *line = as->line;
        }
        struct as_text word = as_word(as);
        if (one_of(word, openers)) {
            depth++;
        } else if (one_of(word, closers) && depth-- == 0) {
            *body = (struct as_text){start, (uint32_t)(as->start - start)};
            return true;
        }
        as_skip_rest(as);
    }
    as_error_at(as, &opening, "this has no %s", closers[0]);
    return false;
}

static struct as_text argument(struct as *as);

/* ---- .macro ---- */

static bool read_parameters(struct as *as, struct as_macro *macro)
{
    struct parameter parameters[MAX_PARAMETERS];
    unsigned count = 0;
    as_accept(as, ',');
    while (!as_at_end(as)) {
        const char *at = as->p;
        struct parameter *parameter = &parameters[count];
        *parameter = (struct parameter){.name = as_word(as)};
        if (!parameter->name.length)
            return as_expected(as, "the name of a parameter");
        if (count + 1 >= MAX_PARAMETERS)
            return as_fail(as, at, parameter->name.length, "a macro has at most %d parameters", MAX_PARAMETERS - 1);
        if (count && parameters[count - 1].rest)
            return as_fail(as, at, parameter->name.length, "nothing can follow a :vararg parameter");
        for (unsigned i = 0; i < count; i++)
            if (parameters[i].name.length == parameter->name.length &&
                memcmp(parameters[i].name.text, at, parameter->name.length) == 0)
                return as_fail(as, at, parameter->name.length, "there is already a parameter of this name");
        count++;
        if (as_accept(as, ':')) {
            struct as_text word = as_word(as);
            parameter->required = as_text_is(word, "req");
            parameter->rest = as_text_is(word, "vararg");
            if (!parameter->required && !parameter->rest)
                return as_fail(as, word.text, word.length ? word.length : 1, "expected 'req' or 'vararg'");
        }
        if (as_accept(as, '='))
            parameter->fallback = argument(as);
        as_accept(as, ',');
    }
    macro->parameter_count = count;
    macro->parameters = cy_arena_alloc(&as->arena, (count + 1) * sizeof(*parameters));
    if (count)
        memcpy(macro->parameters, parameters, count * sizeof(*parameters));
    return true;
}

/* .macro name [parameter[:req|:vararg][=default]] ... */
bool as_dir_macro(struct as *as, int unused)
{
    static const char *const openers[] = {".macro", NULL}, *const closers[] = {".endm", ".endmacro", NULL};
    (void)unused;
    struct as_macro *macro = CY_NEW(&as->arena, struct as_macro);
    struct as_text name = as_word(as);
    bool ok = name.length > 0 || as_expected(as, "the name of the macro");
    macro->loc = as_loc(as, name.text, name.length);
    macro->name = cy_arena_strndup(&as->arena, name.text, name.length);
    macro->how = cy_arena_printf(&as->arena, "in expansion of macro '%s'", macro->name);
    macro->file = as->source->name;
    ok = ok && read_parameters(as, macro);
    if (!ok)
        as_skip_rest(as);
    if (!collect(as, openers, closers, &macro->body, &macro->body_line))
        return true;
    if (!ok)
        return as_expect_end(as);
    struct as_name *entry = as_find_name(as, name.text, name.length);
    if (entry->macro) {
        cy_diag(as->diags, CY_ERROR, &macro->loc, "there is already a macro '%s'", macro->name);
        as_note_at(as, &entry->macro->loc, "the first definition is here");
    } else {
        entry->macro = macro;
    }
    return as_expect_end(as);
}

bool as_dir_purgem(struct as *as, int unused)
{
    (void)unused;
    do {
        struct as_text name = as_word(as);
        if (!name.length)
            return as_expected(as, "the name of a macro");
        struct as_name *entry = as_find_name(as, name.text, name.length);
        if (!entry->macro)
            return as_fail(as, name.text, name.length, "there is no macro '%.*s'", (int)name.length, name.text);
        entry->macro = NULL;
    } while (as_accept(as, ','));
    return as_expect_end(as);
}

/* ---- arguments ---- */

static bool is_operator(const char *p)
{
    if (p[0] == '/')
        return p[1] != '/' && p[1] != '*';
    return *p && strchr("+-*%|&^<>=!~", *p) != NULL;
}

/* "..." alone: without its quotes */
static bool quoted_argument(struct as *as, struct as_text *text)
{
    const char *p = as->p;
    if (*p != '"')
        return false;
    for (p++; *p && *p != '\n' && *p != '"'; p++)
        p += p[0] == '\\' && p[1] && p[1] != '\n';
    if (*p != '"')
        return false;
    *text = (struct as_text){as->p + 1, (uint32_t)(p - as->p - 1)};
    const char *back = as->p;
    as->p = p + 1;
    bool ends = as_is(*as->p, AS_C_BLANK) || *as->p == ',' || as_at_end(as);
    if (!ends)
        as->p = back;
    return ends;
}

/* One macro argument: up to a comma, or to a blank that is not next to an operator or inside parentheses. */
static struct as_text argument(struct as *as)
{
    struct as_text text;
    as_skip_blank(as);
    if (quoted_argument(as, &text))
        return text;
    const char *start = as->p, *end = start;
    unsigned depth = 0;
    bool behind_operator = false;
    for (;;) {
        const char *before = as->p;
        as_skip_blank(as);
        char c = *as->p;
        bool blank = as->p != before && before != start;
        if (as_is(c, AS_C_END) || (c == '/' && as->p[1] == '/') || (c == ',' && depth == 0))
            break;
        if (blank && depth == 0 && !behind_operator && !is_operator(as->p))
            break;
        behind_operator = is_operator(as->p);
        if (c == '(' || c == '[')
            depth++;
        else if ((c == ')' || c == ']') && depth)
            depth--;
        as->p++;
        if (c == '"' || c == '\'') {
            while (*as->p && *as->p != '\n' && *as->p != c && (c == '"' || !as_is(*as->p, AS_C_END)))
                as->p += as->p[0] == '\\' && as->p[1] && as->p[1] != '\n' ? 2 : 1;
            if (*as->p == c)
                as->p++;
        }
        end = as->p;
    }
    return (struct as_text){start, (uint32_t)(end - start)};
}

static int find_parameter(const struct as_macro *macro, const char *text, size_t length)
{
    for (unsigned i = 0; i < macro->parameter_count; i++)
        if (macro->parameters[i].name.length == length && memcmp(macro->parameters[i].name.text, text, length) == 0)
            return (int)i;
    return -1;
}

/* name=value: the parameter's index, with as->p after the '='; else -1. */
static int keyword(struct as *as, const struct as_macro *macro)
{
    as_skip_blank(as);
    const char *start = as->p;
    struct as_text word = as_word(as);
    as_skip_blank(as);
    if (word.length && as->p[0] == '=' && as->p[1] != '=') {
        int index = find_parameter(macro, word.text, word.length);
        if (index >= 0) {
            as->p++;
            return index;
        }
    }
    as->p = start;
    return -1;
}

static bool read_arguments(struct as *as, const struct as_macro *macro, struct as_text *values, const char *at)
{
    bool keywords = false;
    unsigned next = 0;
    while (!as_at_end(as)) {
        const char *start = as->p;
        int index = keyword(as, macro);
        if (index >= 0) {
            keywords = true;
        } else if (keywords) {
            return as_fail(as, start, 1, "an argument without a name cannot follow one with a name");
        } else if (next >= macro->parameter_count) {
            struct as_text extra = argument(as);
            return as_fail(as, start, extra.length ? extra.length : 1, "macro '%s' takes %u argument%s", macro->name,
                           macro->parameter_count, macro->parameter_count == 1 ? "" : "s");
        } else {
            index = (int)next++;
        }
        values[index] = macro->parameters[index].rest ? as_rest(as) : argument(as);
        as_accept(as, ',');
    }
    for (unsigned i = 0; i < macro->parameter_count; i++) {
        const struct parameter *parameter = &macro->parameters[i];
        if (!values[i].length)
            values[i] = parameter->fallback;
        if (!values[i].length && parameter->required)
            return as_fail(as, at, strlen(macro->name), "macro '%s' needs a value for '%.*s'", macro->name,
                           (int)parameter->name.length, parameter->name.text);
    }
    return true;
}

/* ---- expansion ---- */

struct substitution {
    const struct parameter *parameters;
    const struct as_text *values;
    unsigned count;
    uint32_t number, repeat; /* \@ and \+ */
};

/* The parameter that "\name..." starts with: the whole word, or the part before one of its dots. */
static size_t match_parameter(const struct substitution *with, const char *p, const struct as_text **value)
{
    size_t length = 0;
    while (as_is(p[length], AS_C_WORD))
        length++;
    while (length) {
        for (unsigned i = 0; i < with->count; i++)
            if (with->parameters[i].name.length == length && memcmp(with->parameters[i].name.text, p, length) == 0) {
                *value = &with->values[i];
                return length;
            }
        do
            length--;
        while (length && p[length] != '.' && p[length] != '$');
    }
    return 0;
}

static void substitute(struct cy_buf *out, struct as_text body, const struct substitution *with)
{
    const char *p = body.text, *end = p + body.length;
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        if (!slash || slash + 1 >= end) {
            cy_buf_append(out, p, (size_t)(end - p));
            return;
        }
        cy_buf_append(out, p, (size_t)(slash - p));
        p = slash + 1;
        const struct as_text *value;
        size_t length;
        if (*p == '@') {
            cy_buf_printf(out, "%u", with->number);
            p++;
        } else if (*p == '+') {
            cy_buf_printf(out, "%u", with->repeat);
            p++;
        } else if (p[0] == '(' && p + 1 < end && p[1] == ')') {
            p += 2;
        } else if ((length = match_parameter(with, p, &value)) > 0) {
            cy_buf_append(out, value->text, value->length);
            p += length;
        } else {
            cy_buf_putc(out, '\\');
            cy_buf_putc(out, *p++); /* so that "\\name" stays as it is */
        }
    }
}

bool as_call_macro(struct as *as, struct as_macro *macro, const char *at)
{
    struct as_text values[MAX_PARAMETERS] = {0};
    if (!read_arguments(as, macro, values, at))
        return false;
    struct cy_buf *text = &as->scratch;
    text->size = 0;
    struct substitution with = {macro->parameters, values, macro->parameter_count, as->macro_count++, macro->count++};
    substitute(text, macro->body, &with);
    struct cy_loc loc = as_loc(as, at, strlen(macro->name));
    if (!as_count_expansion(as, &loc, text->size + AS_COPY_BYTES))
        return false;
    const char *copy = cy_arena_strndup(&as->arena, text->data, text->size);
    struct cy_source *source = as_new_source(as, macro->file, copy, text->size);
    source->includer = as->source;
    source->includer_line = as->line;
    source->how = macro->how;
    return as_push(as, &(struct as_frame){.kind = AS_MACRO, .source = source, .loc = loc}, macro->body_line);
}

bool as_dir_exitm(struct as *as, int unused)
{
    (void)unused;
    if (!as_expect_end(as))
        return false;
    size_t i = as->frames.count;
    while (i > 0 && as->frames.at[i - 1].kind != AS_MACRO)
        i--;
    if (i == 0 && as->frames.at[as->frames.count - 1].kind == AS_REPEAT)
        i = as->frames.count; /* no macro: leave the repetition */
    if (i == 0)
        return as_fail(as, as->start, 6, ".exitm outside a macro");
    while (as->frames.count >= i) {
        as_close_conditions(as, as->frames.at[as->frames.count - 1].conditions, false);
        as_pop(as);
    }
    return true;
}

/* ---- repetitions ---- */

static const char *const repeat_openers[] = {".rept", ".rep", ".irp", ".irpc", NULL};
static const char *const repeat_closers[] = {".endr", NULL};

/* The next iteration's text: the body, or the body with the value substituted. */
static const struct cy_source *iteration(struct as *as, const struct as_frame *frame)
{
    if (!frame->parameter)
        return frame->source;
    struct parameter parameter = {.name = {frame->parameter, frame->parameter_length}};
    struct substitution with = {&parameter, &frame->values[frame->done], 1, as->macro_count++, (uint32_t)frame->done};
    as->scratch.size = 0;
    substitute(&as->scratch, (struct as_text){frame->body, frame->body_size}, &with);
    const char *copy = cy_arena_strndup(&as->arena, as->scratch.data, as->scratch.size);
    struct cy_source *source = as_new_source(as, frame->source->name, copy, as->scratch.size);
    source->includer = frame->source->includer;
    source->includer_line = frame->source->includer_line;
    source->how = frame->source->how;
    return source;
}

/* Can a body end its own repetition? */
static bool may_leave(struct as_text body)
{
    for (const char *p = body.text, *end = p + body.length; (p = memchr(p, '.', (size_t)(end - p))); p++)
        if ((size_t)(end - p) >= 4 && (!memcmp(p, ".exi", 4) || !memcmp(p, ".end", 4)))
            return true;
    return false;
}

static bool start_repetition(struct as *as, struct as_frame *frame, struct as_text body)
{
    if (!as_expect_end(as) || frame->count == 0)
        return as_at_end(as);
    if (frame->count > as->max_expanded / (body.length + AS_EXPANSION_BYTES) && !may_leave(body))
        return as_too_much_text(as, &frame->loc);
    frame->kind = AS_REPEAT;
    frame->body_size = body.length;
    const char *copy = cy_arena_strndup(&as->arena, body.text, body.length);
    frame->body = copy;
    struct cy_source *source = as_new_source(as, as->source->name, copy, body.length);
    source->includer = as->source->includer;
    source->includer_line = as->source->includer_line;
    source->how = as->source->how;
    frame->source = source;
    frame->source = iteration(as, frame);
    if (!as_count_expansion(as, &frame->loc, frame->source->size + body.length + AS_COPY_BYTES))
        return false;
    return as_push(as, frame, frame->body_line);
}

bool as_repeat_again(struct as *as)
{
    struct as_frame *frame = &as->frames.at[as->frames.count - 1];
    if (++frame->done >= frame->count || as->ended)
        return false;
    frame->source = iteration(as, frame);
    as->source = frame->source;
    as->p = as->from = as->start = frame->source->text;
    as->line = frame->body_line;
    return as_count_expansion(as, &frame->loc, frame->source->size + (frame->parameter ? AS_COPY_BYTES : 0));
}

/* .rept count */
bool as_dir_rept(struct as *as, int unused)
{
    (void)unused;
    int64_t count = 0;
    struct as_frame frame = {.loc = as_loc(as, as->start, (size_t)(as->p - as->start))};
    struct as_text body;
    if (!as_absolute_in(as, 0, INT64_MAX, "the count", &count) || !as_expect_end(as)) {
        count = 0;
        as_skip_rest(as);
    }
    if (!collect(as, repeat_openers, repeat_closers, &body, &frame.body_line))
        return true;
    frame.count = (uint64_t)count;
    return start_repetition(as, &frame, body);
}

/* .irp name, value, value ...   .irpc name, characters */
bool as_dir_irp(struct as *as, int by_character)
{
    struct as_frame frame = {.loc = as_loc(as, as->start, (size_t)(as->p - as->start))};
    struct as_text body, name = as_word(as);
    CY_VEC(struct as_text) values = {0};
    bool ok = name.length > 0 || as_expected(as, "the name of a parameter");
    as_accept(as, ',');
    if (ok && by_character) {
        struct as_text text = argument(as);
        for (uint32_t i = 0; i < text.length; i++)
            *cy_vec_push(&values) = (struct as_text){text.text + i, 1};
        ok = as_expect_end(as);
    }
    while (ok && !by_character && !as_at_end(as)) {
        *cy_vec_push(&values) = argument(as);
        as_accept(as, ',');
    }
    if (ok && values.count == 0)
        *cy_vec_push(&values) = (struct as_text){"", 0};
    if (!ok)
        as_skip_rest(as);
    frame.values = cy_arena_alloc(&as->arena, (values.count + 1) * sizeof(*values.at));
    if (values.count)
        memcpy(frame.values, values.at, values.count * sizeof(*values.at));
    frame.count = ok ? values.count : 0;
    frame.parameter = name.text;
    frame.parameter_length = name.length;
    cy_vec_free(&values);
    if (!collect(as, repeat_openers, repeat_closers, &body, &frame.body_line))
        return true;
    return start_repetition(as, &frame, body);
}
