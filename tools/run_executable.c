#define _POSIX_C_SOURCE 200809L
#include "run_executable.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "compiler.h"
#include "obj/lines.h"
#include "sources/sources.h"

struct executable {
    const struct cy_run_inputs *inputs;
    const char *path;
    const struct cy_object *object;
    struct cy_sources sources;
    bool has_sources, has_lines, is_for_check;
};

static bool has_lines(const struct cy_object *object)
{
    struct cy_lines lines = {0};
    const bool found = cy_lines_read(&lines, object);
    cy_lines_free(&lines);
    return found;
}

static void look(struct executable *executable)
{
    executable->has_lines = has_lines(executable->object);
    executable->has_sources = cy_sources_read(&executable->sources, executable->object);
    for (size_t i = 0; i < executable->sources.args.count; i++)
        executable->is_for_check |= !strcmp(executable->sources.args.at[i], CY_CC_CHECK);
}

static bool needs_more(const struct executable *executable)
{
    const struct cy_run_inputs *inputs = executable->inputs;
    return inputs->debug || inputs->unoptimized || (inputs->check && !executable->is_for_check) ||
           (inputs->lines && !executable->has_lines);
}

static bool is_file(const struct cy_source_file *program)
{
    struct cy_buf text = {0};
    struct cy_diags unheard = {0};
    const bool same = cy_file_read(program->name, &text, &unheard) && text.size == program->size &&
                      !memcmp(text.data ? text.data : "", program->text, program->size);
    cy_buf_free(&text);
    cy_diags_free(&unheard);
    return same;
}

/* The file that GDB shows: the one that was compiled, if it is still there, or one in the directory that `cy debug` has
 * for such files. */
static const char *name_for_debugger(const struct cy_source_file *program, struct cy_arena *arena)
{
    const char *directory = getenv("CHENGYING_GDB_DIR");
    struct cy_diags unheard = {0};
    if (!directory || !*directory || is_file(program))
        return program->name;
    const char *name = cy_arena_printf(arena, "%s/program1.cl", directory);
    const bool ok = cy_file_write(name, program->text, program->size, false, &unheard);
    cy_diags_free(&unheard);
    return ok ? name : program->name;
}

static bool compile(struct executable *executable, struct cy_buf *elf, struct cy_diags *diags)
{
    const struct cy_run_inputs *inputs = executable->inputs;
    const struct cy_source_file *program = &executable->sources.files.at[0];
    const char *more[] = {"-cl-kernel-arg-info", inputs->debug ? "-g" : CY_CC_LINE_TABLES, CY_CC_CHECK};
    struct cy_arena arena = {0};
    struct cy_buf text = {0};
    struct cy_cc_options options;
    struct cy_cc_result result;
    char here[PATH_MAX];
    cy_sources_options(&executable->sources, more, inputs->check ? 3 : 2, getcwd(here, sizeof(here)) ? here : "",
                       &arena, &options);
    options.generation = executable->object->flags & CY_EF_VENTUS_GEN2 ? 2 : 1;
    options.library_dir = inputs->libdir;
    if (inputs->unoptimized)
        options.optimize = 0;
    const char *name = inputs->debug ? name_for_debugger(program, &arena) : program->name;
    cy_buf_append(&text, program->text, program->size);
    const bool ok = cy_compile(name, &text, &options, &(struct cy_compile_how){0}, &result, diags);
    if (ok)
        cy_buf_append(elf, result.elf, result.elf_size);
    else if (result.log)
        cy_buf_puts(&diags->text, result.log);
    cy_cc_result_free(&result);
    cy_buf_free(&text);
    cy_arena_free(&arena);
    return ok;
}

static void say_what_is_missing(const struct executable *executable, const char *why, struct cy_diags *diags)
{
    const struct cy_run_inputs *inputs = executable->inputs;
    cy_diag_file(diags, CY_NOTE, executable->path, "%s, so it runs as it is: %s%s%s", why,
                 executable->has_lines ? "lines are known" : "there are addresses instead of lines",
                 inputs->debug         ? ", variables may not be"
                 : inputs->unoptimized ? ", and -O has no effect"
                                       : "",
                 inputs->check ? ", and what only its source or code compiled for the checker shows is not found" : "");
}

void cy_run_executable(const struct cy_run_inputs *inputs, const char *path, const struct cy_object *object,
                       const struct cy_buf *image, struct cy_buf *elf, struct cy_diags *diags)
{
    struct executable executable = {.inputs = inputs, .path = path, .object = object};
    look(&executable);
    const bool wanted = needs_more(&executable);
    const bool ok = wanted && executable.has_sources && compile(&executable, elf, diags);
    if (ok)
        cy_diag_file(diags, CY_NOTE, path, "compiled again from the source in it%s%s",
                     inputs->check ? " for the checker" : "",
                     inputs->debug         ? (inputs->unoptimized ? ", with -g -O0" : ", with -g")
                     : inputs->unoptimized ? ", with -O0"
                                           : "");
    else if (wanted)
        say_what_is_missing(&executable,
                            executable.has_sources ? "the source in it does not compile here" : "it carries no source",
                            diags);
    if (!ok)
        cy_buf_append(elf, image->data, image->size);
    cy_sources_free(&executable.sources);
}

void cy_run_say_no_lines(const struct cy_run_inputs *inputs, const char *path, const struct cy_buf *elf,
                         struct cy_diags *diags)
{
    struct cy_object object;
    struct cy_diags unheard = {0}; /* the linker has made it */
    if (!inputs->debug && !inputs->lines && !inputs->check)
        return;
    if (cy_object_read(&object, path, elf->data, elf->size, &unheard)) {
        if (!has_lines(&object))
            cy_diag_file(diags, CY_NOTE, path, "assembly has no lines: there are addresses instead");
        cy_object_free(&object);
    }
    cy_diags_free(&unheard);
}

void cy_run_note_no_lines(const char *path, const struct cy_buf *elf, struct cy_diags *diags)
{
    struct cy_object object;
    struct cy_sources sources = {0};
    struct cy_diags unheard = {0}; /* it was loaded before */
    if (cy_object_read(&object, path, elf->data, elf->size, &unheard)) {
        const bool has_sources = cy_sources_read(&sources, &object);
        if (!has_lines(&object))
            cy_diag_file(diags, CY_NOTE, path,
                         has_sources
                             ? "it has no lines, so there is an address: -g compiles it again from the source in "
                               "it, and shows the line"
                             : "it has no lines, so there is an address: 'cy dis' shows the code there, and what "
                               "'cy cc -g' compiles has lines");
        cy_sources_free(&sources);
        cy_object_free(&object);
    }
    cy_diags_free(&unheard);
}
