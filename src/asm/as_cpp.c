/* The C preprocessor as far as assembly sources named *.S use it: #include, #define of names, #undef, #if of numbers and
 * defined(NAME), #ifdef, #ifndef, #else, #endif.
 *
 * Every line of the source stays one line, so that messages point at the right place: directives become empty lines, and
 * what an included file says stands on the line of its #include, separated by ';'.  A macro with parameters is an error
 * that says so. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "as_priv.h"
#include "base/file.h"
#include "base/strmap.h"

#define MAX_INCLUDES 16
#define MAX_NESTING 64
#define MAX_REPLACEMENTS 32

struct macro {
    const char *body;
    size_t length;
    bool is_defined;
};

struct cpp {
    const struct cy_asm_options *options;
    struct cy_diags *diags;
    struct cy_arena arena;
    struct cy_strmap names;
    CY_VEC(struct macro) macros;            /* by name */
    unsigned depth;                         /* of #include */
    unsigned skipped[MAX_NESTING], nesting; /* of #if: 0 taken, 1 not taken, 2 something before it was taken */
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static struct macro *find_macro(struct cpp *cpp, const char *name, size_t length)
{
    uint32_t id = cy_strmap_find(&cpp->names, name, length);
    return id != CY_STR_NONE && cpp->macros.at[id].is_defined ? &cpp->macros.at[id] : NULL;
}

static void define(struct cpp *cpp, const char *name, size_t length, const char *body, size_t body_length,
                   bool is_defined)
{
    uint32_t id = cy_strmap_add(&cpp->names, name, length);
    while (cpp->macros.count <= id)
        *cy_vec_push(&cpp->macros) = (struct macro){0};
    cpp->macros.at[id] = (struct macro){cy_arena_strndup(&cpp->arena, body, body_length), body_length, is_defined};
}

static bool is_skipping(const struct cpp *cpp)
{
    for (unsigned i = 0; i < cpp->nesting; i++)
        if (cpp->skipped[i])
            return true;
    return false;
}

/* Text with its names replaced; strings stay, comments to the end of the line only where lines stay lines. */
static void replace(struct cpp *cpp, const char *text, size_t length, bool keep_lines, struct cy_buf *out,
                    unsigned depth)
{
    for (size_t i = 0; i < length;) {
        size_t start = i;
        if (text[i] == '"') {
            for (i++; i < length && text[i] != '"'; i++)
                i += text[i] == '\\' && i + 1 < length;
            i += i < length;
        } else if (text[i] == '#' || (text[i] == '/' && i + 1 < length && text[i + 1] == '/')) {
            i = length;
            if (!keep_lines)
                return;
        } else if (is_name(text[i])) {
            while (i < length && is_name(text[i]))
                i++;
            bool is_word = !isdigit((unsigned char)text[start]) && (start == 0 || text[start - 1] != '.');
            const struct macro *macro = is_word ? find_macro(cpp, text + start, i - start) : NULL;
            if (macro && depth < MAX_REPLACEMENTS) {
                replace(cpp, macro->body, macro->length, false, out, depth + 1);
                continue;
            }
        } else {
            i++;
        }
        cy_buf_append(out, text + start, i - start);
    }
}

struct line {
    const struct cy_source *source;
    uint32_t number;
    const char *text; /* the line */
    size_t length;
};

static void complain(struct cpp *cpp, const struct line *line, const char *at, size_t length, const char *what)
{
    struct cy_loc loc = {line->source, line->number, (uint32_t)(at - line->source->text),
                         (uint32_t)(length ? length : 1)};
    cy_diag(cpp->diags, CY_ERROR, &loc, "%s", what);
}

static void process(struct cpp *cpp, const struct cy_source *source, bool keep_lines, struct cy_buf *out);

static void include(struct cpp *cpp, const struct line *line, const char *at, const char *end, struct cy_buf *out)
{
    char close = at < end && *at == '<' ? '>' : '"';
    const char *stop = at < end ? memchr(at + 1, close, (size_t)(end - at - 1)) : NULL;
    struct cy_buf path = {0}, text = {0};
    if (at >= end || (*at != '"' && *at != '<') || !stop) {
        complain(cpp, line, at, 1, "expected \"file\" behind #include");
        return;
    }
    if (cpp->options->flags & CY_ASM_NO_FILES || cpp->depth == MAX_INCLUDES) {
        complain(cpp, line, at, (size_t)(stop - at + 1),
                 cpp->depth == MAX_INCLUDES ? "#include is nested too deeply" : "#include is not allowed here");
        return;
    }
    const char *slash = strrchr(line->source->name, '/');
    bool found = false;
    for (size_t i = 0; i <= cpp->options->include_dir_count && !found; i++) {
        struct cy_diags quiet = {0};
        path.size = text.size = 0;
        if (i)
            cy_buf_printf(&path, "%s/", cpp->options->include_dirs[i - 1]);
        else if (slash)
            cy_buf_append(&path, line->source->name, (size_t)(slash - line->source->name + 1));
        cy_buf_append(&path, at + 1, (size_t)(stop - at - 1));
        found = cy_file_read(path.data, &text, &quiet);
        cy_diags_free(&quiet);
    }
    if (found) {
        struct cy_source *inner = CY_NEW(&cpp->arena, struct cy_source);
        *inner = (struct cy_source){cy_arena_strndup(&cpp->arena, path.data, path.size),
                                    cy_arena_strndup(&cpp->arena, text.data ? text.data : "", text.size),
                                    text.size,
                                    line->source,
                                    line->number,
                                    "included from"};
        cpp->depth++;
        process(cpp, inner, false, out);
        cpp->depth--;
    } else {
        complain(cpp, line, at, (size_t)(stop - at + 1), "cannot find this file; -I adds a directory to look in");
    }
    cy_buf_free(&path);
    cy_buf_free(&text);
}

/* 0, 1, NAME, defined(NAME), !... */
static bool condition(struct cpp *cpp, const struct line *line, const char *at, const char *end)
{
    bool negate = false;
    for (; at < end && (*at == ' ' || *at == '!'); at++)
        negate ^= *at == '!';
    bool asks = end - at > 7 && !strncmp(at, "defined", 7) && !is_name(at[7]);
    if (asks)
        for (at += 7; at < end && (*at == ' ' || *at == '('); at++)
            ;
    const char *stop = at;
    while (stop < end && is_name(*stop))
        stop++;
    const char *rest = stop;
    while (rest < end && (*rest == ' ' || (asks && *rest == ')')))
        rest++;
    if (stop == at || rest != end) {
        complain(cpp, line, at, (size_t)(end - at),
                 "this condition is too complicated; run the source through clang -E first");
        return false;
    }
    const struct macro *macro = find_macro(cpp, at, (size_t)(stop - at));
    bool value = asks ? macro != NULL : strtol(macro ? macro->body : at, NULL, 0) != 0;
    return value != negate;
}

/* A line that begins with '#'.  False: it is a comment. */
static bool directive(struct cpp *cpp, const struct line *line, const char *at, struct cy_buf *out)
{
    static const char *const words[] = {"include", "define", "undef", "ifdef", "ifndef", "if", "else", "endif"};
    enum { INCLUDE, DEFINE, UNDEF, IFDEF, IFNDEF, IF, ELSE, ENDIF };
    const char *end = line->text + line->length, *word = at + 1;
    while (word < end && isblank((unsigned char)*word))
        word++;
    const char *name = word;
    while (name < end && is_name(*name))
        name++;
    size_t which = 0;
    while (which < CY_COUNT(words) &&
           (strlen(words[which]) != (size_t)(name - word) || memcmp(words[which], word, (size_t)(name - word)) != 0))
        which++;
    if (which == CY_COUNT(words))
        return false;
    while (name < end && isblank((unsigned char)*name))
        name++;
    while (end > name && isspace((unsigned char)end[-1]))
        end--;
    const char *body = name;
    while (body < end && is_name(*body))
        body++;
    bool skipping = is_skipping(cpp);
    switch (which) {
    case IFDEF:
    case IFNDEF:
    case IF:
        if (cpp->nesting == MAX_NESTING) {
            complain(cpp, line, at, 1, "#if is nested too deeply");
            return true;
        }
        if (skipping)
            cpp->skipped[cpp->nesting++] = 2;
        else if (which == IF)
            cpp->skipped[cpp->nesting++] = !condition(cpp, line, name, end);
        else
            cpp->skipped[cpp->nesting++] = (find_macro(cpp, name, (size_t)(body - name)) != NULL) == (which == IFNDEF);
        return true;
    case ELSE:
    case ENDIF:
        if (!cpp->nesting)
            complain(cpp, line, at, (size_t)(name - at), "there is no #if for this");
        else if (which == ENDIF)
            cpp->nesting--;
        else
            cpp->skipped[cpp->nesting - 1] = cpp->skipped[cpp->nesting - 1] == 1 ? 0 : 2;
        return true;
    default: break;
    }
    if (skipping)
        return true;
    if (which == INCLUDE) {
        include(cpp, line, name, end, out);
    } else if (body == name || isdigit((unsigned char)*name)) {
        complain(cpp, line, name, 1, "expected a name");
    } else if (which == UNDEF) {
        define(cpp, name, (size_t)(body - name), "", 0, false);
    } else if (body < end && *body == '(') {
        complain(cpp, line, name, (size_t)(body - name),
                 "macros with parameters are not supported; run the source through clang -E first");
    } else {
        const char *text = body;
        while (text < end && isblank((unsigned char)*text))
            text++;
        define(cpp, name, (size_t)(body - name), text, (size_t)(end - text), true);
    }
    return true;
}

static void process(struct cpp *cpp, const struct cy_source *source, bool keep_lines, struct cy_buf *out)
{
    uint32_t number = 1;
    unsigned nesting = cpp->nesting;
    bool in_comment = false;
    for (const char *at = source->text, *end = at + source->size; at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        struct line line = {source, number, at, length};
        const char *first = at;
        while (first < at + length && isblank((unsigned char)*first))
            first++;
        bool is_directive = !in_comment && first < at + length && *first == '#' && directive(cpp, &line, first, out);
        if (!is_directive && !is_skipping(cpp)) {
            if (in_comment)
                cy_buf_append(out, at, length);
            else
                replace(cpp, at, length, keep_lines, out, 0);
            if (!keep_lines && first < at + length && !in_comment)
                cy_buf_puts(out, " ; ");
        }
        /* comments over several lines: what is inside is no directive */
        for (size_t i = 0; i + 1 < length; i++) {
            if (!in_comment && at[i] == '/' && at[i + 1] == '*')
                in_comment = true, i++;
            else if (in_comment && at[i] == '*' && at[i + 1] == '/')
                in_comment = false, i++;
        }
        if (keep_lines && stop)
            cy_buf_putc(out, '\n');
        at += length + (stop != NULL);
    }
    if (cpp->nesting != nesting) {
        cy_diag_file(cpp->diags, CY_ERROR, source->name, "an #if has no #endif");
        cpp->nesting = nesting;
    }
}

bool cy_as_preprocess(const char *name, const char *text, size_t size, const struct cy_asm_options *options,
                      struct cy_buf *out, struct cy_diags *diags)
{
    struct cpp cpp = {.options = options, .diags = diags};
    struct cy_source source = {.name = name, .text = text, .size = size};
    uint32_t before = diags->errors;
    define(&cpp, "__ASSEMBLER__", 13, "1", 1, true);
    process(&cpp, &source, true, out);
    cy_vec_free(&cpp.macros);
    cy_strmap_free(&cpp.names);
    cy_arena_free(&cpp.arena);
    return diags->errors == before;
}
