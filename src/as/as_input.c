#include "as/as_priv.h"

#include <string.h>

#include "base/file.h"

/* ---- input stack ---- */

struct cy_source *as_new_source(struct as *as, const char *name, const char *text, size_t size)
{
    struct cy_source *source = CY_NEW(&as->arena, struct cy_source);
    *source = (struct cy_source){.name = name, .text = text, .size = size};
    return source;
}

bool as_push(struct as *as, const struct as_frame *frame, uint32_t line)
{
    if (as->frames.count >= AS_MAX_NESTING) {
        as->ended |= ++as->too_deep > 2; /* there may be many more */
        return as_error_at(as, &frame->loc, "files, macros and repetitions are nested more than %d deep",
                           AS_MAX_NESTING);
    }
    if (as->frames.count > 0) {
        struct as_frame *below = &as->frames.at[as->frames.count - 1];
        as_next_statement(as);
        below->next = as->p;
        below->line = as->line;
    }
    struct as_frame *top = cy_vec_push(&as->frames);
    *top = *frame;
    top->conditions = as->conditions.count;
    as->source = frame->source;
    as->p = as->from = as->start = frame->source->text;
    as->line = line;
    as->switched = true;
    return true;
}

void as_pop(struct as *as)
{
    as->switched = true;
    if (--as->frames.count == 0)
        return;
    const struct as_frame *top = &as->frames.at[as->frames.count - 1];
    as->source = top->source;
    as->p = as->from = as->start = top->next;
    as->crossed_lines = false;
    as->line = top->line;
}

bool as_end_of_text(struct as *as)
{
    as_close_conditions(as, as->frames.at[as->frames.count - 1].conditions, true);
    if (as->frames.at[as->frames.count - 1].kind == AS_REPEAT && as_repeat_again(as))
        return true;
    as_pop(as);
    return as->frames.count > 0;
}

bool as_too_much_text(struct as *as, const struct cy_loc *loc)
{
    return as_error_at(as, loc, "macros, repetitions and included files expand to more than %llu bytes of text",
                       (unsigned long long)as->max_expanded);
}

bool as_count_expansion(struct as *as, const struct cy_loc *loc, uint64_t bytes)
{
    as->expanded += bytes + AS_EXPANSION_BYTES;
    if (as->expanded <= as->max_expanded)
        return true;
    if (!as->ended)
        as_too_much_text(as, loc);
    as->ended = true;
    return false;
}

/* ---- files ---- */

static const struct as_file *known_file(const struct as *as, const char *path)
{
    for (size_t i = 0; i < as->files.count; i++)
        if (strcmp(as->files.at[i]->path, path) == 0)
            return as->files.at[i];
    return NULL;
}

static const struct as_file *try_file(struct as *as, const char *path)
{
    const struct as_file *known = known_file(as, path);
    if (known)
        return known;
    struct cy_diags quiet = {0};
    struct cy_buf text = {0};
    bool ok = cy_file_read(path, &text, &quiet);
    cy_diags_free(&quiet);
    if (!ok) {
        cy_buf_free(&text);
        return NULL;
    }
    struct as_file *file = cy_xrealloc(NULL, sizeof(*file));
    size_t length = strlen(path) + 1;
    char *copy = cy_xrealloc(NULL, length);
    memcpy(copy, path, length);
    *file = (struct as_file){.path = copy, .text = text};
    *cy_vec_push(&as->files) = file;
    return file;
}

const struct as_file *as_read_file(struct as *as, struct as_text name)
{
    if (as->options->flags & CY_ASM_NO_FILES) {
        as_fail(as, as->start, 1, "files must not be read here");
        return NULL;
    }
    const struct as_file *file = NULL;
    const char *here = as->source->name, *slash = strrchr(here, '/');
    if (name.text[0] == '/')
        return try_file(as, name.text);
    if (slash)
        file = try_file(as, cy_arena_printf(&as->arena, "%.*s/%s", (int)(slash - here), here, name.text));
    if (!file) /* "./": a file called "-" is not standard input */
        file = try_file(as, name.text[0] == '-' ? cy_arena_printf(&as->arena, "./%s", name.text) : name.text);
    for (size_t i = 0; !file && i < as->options->include_dir_count; i++)
        file = try_file(as, cy_arena_printf(&as->arena, "%s/%s", as->options->include_dirs[i], name.text));
    return file;
}

bool as_dir_include(struct as *as, int unused)
{
    (void)unused;
    as_skip_blank(as);
    const char *at = as->p;
    struct as_text name;
    if (*at != '"')
        return as_expected(as, "a file name in double quotes");
    if (!as_name_text(as, "a file name", &name))
        return false;
    size_t length = (size_t)(as->p - at);
    if (!as_expect_end(as))
        return false;
    uint32_t errors = as->diags->errors;
    const struct as_file *file = as_read_file(as, name);
    if (!file)
        return errors != as->diags->errors || as_fail(as, at, length, "cannot read '%s'", name.text);
    struct cy_loc loc = as_loc(as, at, length);
    if (file->text.size > UINT32_MAX / 2 || !as_count_expansion(as, &loc, file->text.size))
        return false;
    struct cy_source *source = as_new_source(as, file->path, file->text.data, file->text.size);
    source->includer = as->source;
    source->includer_line = as->line;
    source->how = "included from";
    return as_push(as, &(struct as_frame){.kind = AS_FILE, .source = source, .loc = loc}, 1);
}
