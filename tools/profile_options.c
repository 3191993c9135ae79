#include "profile_options.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "sources/sources.h"

static void (*const writers[CY_PROFILE_FORMS])(const struct cy_profile *profile, struct cy_buf *out) = {
    [CY_PROFILE_TEXT] = cy_profile_text,           [CY_PROFILE_JSON] = cy_profile_json,
    [CY_PROFILE_CALLGRIND] = cy_profile_callgrind, [CY_PROFILE_FLAMEGRAPH] = cy_profile_flamegraph,
    [CY_PROFILE_ROOFLINE] = cy_profile_roofline,   [CY_PROFILE_PERFETTO] = cy_profile_perfetto,
    [CY_PROFILE_KANATA] = cy_profile_kanata,
};

bool cy_profile_option(struct cy_profile_options *options, int id, const char *value, const struct cy_usage *usage,
                       int *status)
{
    if (id == CY_PROFILE_TABLE) {
        options->table = true;
    } else if (id == CY_PROFILE_EXACT) {
        options->exact = true;
    } else if (id >= CY_PROFILE_TO && id < CY_PROFILE_TO + CY_PROFILE_FORMS) {
        options->file[id - CY_PROFILE_TO] = value;
    } else if (id == CY_PROFILE_EVENTS) {
        if (!cy_parse_number(value, 1000000000, &options->events) || !options->events)
            *status = cy_usage_error(usage, "--events needs a number from 1 to 1000000000, not '%s'", value);
    } else {
        return false;
    }
    return true;
}

bool cy_profile_is_on(const struct cy_profile_options *options)
{
    bool on = options->table;
    for (unsigned form = 0; form < CY_PROFILE_FORMS; form++)
        on |= options->file[form] != NULL;
    return on;
}

size_t cy_profile_event_limit(const struct cy_profile_options *options)
{
    if (!options->file[CY_PROFILE_PERFETTO] && !options->file[CY_PROFILE_KANATA])
        return 0;
    return options->events ? (size_t)options->events : CY_PROFILE_EVENTS_DEFAULT;
}

static unsigned count_stdout(const struct cy_profile_options *options)
{
    unsigned count = options->table;
    for (unsigned form = 0; form < CY_PROFILE_FORMS; form++)
        count += options->file[form] && !strcmp(options->file[form], "-");
    return count;
}

bool cy_profile_uses_stdout(const struct cy_profile_options *options)
{
    return count_stdout(options) != 0;
}

int cy_profile_check(const struct cy_profile_options *options, bool timing, const struct cy_usage *usage)
{
    if (options->file[CY_PROFILE_KANATA] && !timing)
        return cy_usage_error(usage, "--kanata shows cycles: it needs --timing");
    if (count_stdout(options) > 1)
        return cy_usage_error(usage, "standard output takes one form of the profile; the others need a file");
    return CY_EXIT_OK;
}

void cy_profile_paths(const struct cy_profile_options *options, struct cy_paths *paths)
{
    for (unsigned form = 0; form < CY_PROFILE_FORMS; form++)
        cy_paths_write(paths, options->file[form]);
}

/* What a host program passed to clCreateProgramWithSource, in this run or the one that made the binary: it is no file. */
static bool find_source(const struct cy_profile_program *program, struct cy_buf *text)
{
    struct cy_object object;
    struct cy_sources sources;
    struct cy_diags unheard = {0};
    if (program->source) {
        cy_buf_puts(text, program->source);
    } else if (cy_object_read(&object, program->name, program->elf, program->elf_size, &unheard)) {
        if (cy_sources_read(&sources, &object) && !strcmp(sources.files.at[0].name, "<source>"))
            cy_buf_append(text, sources.files.at[0].text, sources.files.at[0].size);
        cy_sources_free(&sources);
        cy_object_free(&object);
    }
    cy_diags_free(&unheard);
    return text->size;
}

/* KCachegrind shows code that it disassembles and sources that it opens: both are written beside the profile. */
static void write_programs(const char *file, struct cy_profile *profile, struct cy_arena *arena, struct cy_diags *diags)
{
    for (size_t i = 0; i < profile->programs.count; i++) {
        struct cy_profile_program *program = &profile->programs.at[i];
        program->object_file = cy_arena_printf(arena, "%s.%zu.riscv", file, i + 1);
        cy_file_write(program->object_file, program->elf, program->elf_size, false, diags);
        struct cy_buf source = {0};
        if (!find_source(program, &source))
            continue;
        program->source_file = cy_arena_printf(arena, "%s.%zu.cl", file, i + 1);
        cy_file_write(program->source_file, source.data, source.size, false, diags);
        cy_buf_free(&source);
    }
}

/* What the profile does not have is said before it is written. */
static void say_what_is_missing(const struct cy_profile_options *options, const struct cy_profile *profile,
                                struct cy_diags *diags)
{
    for (size_t i = 0; i < profile->kernels.count && !options->table; i++) {
        const struct cy_profile_kernel *kernel = &profile->kernels.at[i];
        if (kernel->counted < kernel->workgroups)
            cy_diag_file(
                diags, CY_NOTE, NULL,
                "kernel %s: %llu of %llu workgroups (%.1f %%) were counted, which stand for all; --exact counts all",
                kernel->name, (unsigned long long)kernel->counted, (unsigned long long)kernel->workgroups,
                100.0 * (double)kernel->counted / (double)kernel->workgroups);
    }
    if (profile->events_left_out)
        cy_diag_file(diags, CY_NOTE, NULL, "%llu events beyond the first %zu were left out; --events COUNT keeps more",
                     (unsigned long long)profile->events_left_out, profile->events.count);
    cy_say(diags);
}

void cy_profile_show(const struct cy_profile_options *options, struct cy_profile *profile, struct cy_diags *diags)
{
    const char *callgrind = options->file[CY_PROFILE_CALLGRIND];
    struct cy_arena arena = {0};
    say_what_is_missing(options, profile, diags);
    if (callgrind && strcmp(callgrind, "-") != 0)
        write_programs(callgrind, profile, &arena, diags);
    for (unsigned i = 1; i <= CY_PROFILE_FORMS; i++) { /* the table last: `| head` ends us */
        const unsigned form = i % CY_PROFILE_FORMS;
        const char *file = form == CY_PROFILE_TEXT && options->table ? "-" : options->file[form];
        struct cy_buf text = {0};
        if (!file)
            continue;
        if (!strcmp(file, "-"))
            fflush(stdout);
        writers[form](profile, &text);
        cy_file_write(file, text.data ? text.data : "", text.size, false, diags);
        cy_buf_free(&text);
    }
    for (size_t i = 0; i < profile->programs.count; i++)
        profile->programs.at[i].object_file = profile->programs.at[i].source_file = NULL;
    cy_arena_free(&arena);
}
