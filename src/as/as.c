/* The assembler's public functions and its passes. */
#define _XOPEN_SOURCE 700 /* freelocale */
#include "as/as_priv.h"

#include <locale.h>
#include <string.h>

#include "base/file.h"
#include "base/fenv_guard.h"

enum { MANY_ERRORS = 10000 };
#define DEFAULT_MAX_OUTPUT ((uint64_t)256 << 20)
#define DEFAULT_MAX_EXPANDED ((uint64_t)512 << 20)

/* ---- one pass ---- */

static void free_pass(struct as *as)
{
    for (size_t i = 0; i < as->sections.count; i++) {
        struct as_section *section = as->sections.at[i];
        cy_buf_free(&section->data);
        cy_vec_free(&section->fixups);
        cy_vec_free(&section->mappings);
        cy_vec_free(&section->relocs);
    }
    cy_strmap_free(&as->strings);
    cy_vec_free(&as->names);
    cy_vec_free(&as->symbols);
    cy_vec_free(&as->sections);
    cy_vec_free(&as->section_stack);
    cy_vec_free(&as->frames);
    cy_vec_free(&as->conditions);
    cy_vec_free(&as->promises);
    cy_vec_free(&as->regions);
    cy_vec_free(&as->kernels);
    cy_vec_free(&as->attributes);
    cy_vec_free(&as->list_lines);
    cy_arena_free(&as->arena);
}

static void start_pass(struct as *as)
{
    as->expanded = as->output = 0;
    as->too_deep = as->hint_count = as->macro_count = as->option_depth = as->depth = 0;
    as->ended = as->again = as->crossed_lines = as->trying = as->in_operand = false;
    as->file_name = NULL;
    as->previous = NULL;
    as->section = as_get_section(as, ".text", 5, 0, 0);
    as->section->align = 4;
    as->section->declared = true;
}

/* Nothing new would be shown.  Errors of a pass that guesses numbers may be due to the guesses, so it gives up
 * later. */
static bool is_hopeless(const struct as *as)
{
    return cy_diags_are_full(as->diags) && (!as->promises.count || as->diags->errors > MANY_ERRORS);
}

static void read_statements(struct as *as)
{
    bool listing = (as->options->flags & CY_ASM_LISTING) != 0;
    while (!as->ended && !is_hopeless(as)) {
        const char *text = as->p;
        const struct cy_source *source = as->source;
        struct as_section *section = as->section;
        uint32_t line = as->line, start = as_here(section);
        as->switched = false;
        uint32_t errors = as->diags->errors;
        if (!as_statement(as)) {
            as->trying = false;
            if (errors == as->diags->errors && !as->ended) /* no statement is dropped silently */
                as_fail(as, as->start, 1, "this statement cannot be assembled");
            as->trying = as->in_operand = false;
            as->depth = 0;
            if (!as->switched)
                as_skip_rest(as);
        }
        if (listing && text < source->text + source->size)
            as_note_line(as, text, line, source, section, start);
        if (as->switched)
            continue;
        if (!as_next_statement(as) && !as_end_of_text(as))
            break;
    }
}

/* One pass over the text that resolves everything it can; as->again: some guess was wrong. */
static void run_pass(struct as *as)
{
    start_pass(as);
    for (size_t i = 0; i < as->options->define_count; i++)
        if (!as_define_option(as, as->options->defines[i]))
            as->trying = false;
    as->start = as->from = as->p = as->main_source->text;
    as->source = as->main_source;
    as_push(as, &(struct as_frame){.kind = AS_FILE, .source = as->main_source}, 1);
    read_statements(as);
    while (as->frames.count) { /* after .end */
        as_close_conditions(as, as->frames.at[as->frames.count - 1].conditions, false);
        as->frames.count--;
    }
    if (is_hopeless(as)) {
        cy_buf_printf(&as->diags->text, "%s: too many errors; stopped before the end\n", as->main_source->name);
        return;
    }
    as_check_last_prefixes(as);
    as_check_promises(as);
    as_finish_kernels(as);
    as_resolve(as);
}

static void run_passes(struct as *as, const struct cy_diags *settings)
{
    for (as->pass = 1;; as->pass++) {
        run_pass(as);
        if (!as->again || as->pass >= AS_MAX_PASSES)
            return;
        cy_diags_free(as->diags); /* messages of a pass that guessed wrong are meaningless */
        *as->diags = *settings;
        free_pass(as);
    }
}

/* ---- the public functions ---- */

static char *take_text(struct cy_buf *buf)
{
    cy_buf_append(buf, "", 0);
    char *text = buf->data;
    *buf = (struct cy_buf){0};
    return text;
}

static void finish_result(struct as *as, struct cy_asm_result *result)
{
    struct cy_object object = {0};
    if (as->diags->errors == 0) {
        if (as->options->flags & CY_ASM_LISTING) {
            struct cy_buf listing = {0};
            as_print_listing(as, &listing);
            result->listing = take_text(&listing);
        }
        as_build_object(as, &object);
    }
    if (as->diags->errors == 0) {
        struct cy_buf file = {0};
        cy_object_write(&object, &file);
        result->object_size = file.size;
        result->object = (unsigned char *)take_text(&file);
    }
    cy_object_free(&object);
}

static bool assemble(struct as *as, const struct cy_source *source, struct cy_asm_result *result)
{
    const struct cy_asm_options *options = as->options;
    const struct cy_diags settings = *as->diags;
    as->main_source = source;
    as->max_output = options->max_output_bytes ? options->max_output_bytes : DEFAULT_MAX_OUTPUT;
    as->max_expanded = options->max_expansion_bytes ? options->max_expansion_bytes : DEFAULT_MAX_EXPANDED;
    if (!cy_target_find(options->march ? options->march : "ventus", &as->target)) {
        cy_diag_file(as->diags, CY_ERROR, NULL,
                     "unknown instruction set '%s'; known are ventus, ventus-gen2, epic and "
                     "epic-fpga",
                     options->march);
        return false;
    }
    if (source->size > UINT32_MAX / 2) {
        cy_diag_file(as->diags, CY_ERROR, source->name, "the source is larger than 2 GiB");
        return false;
    }
    if (as->max_output > INT32_MAX)
        as->max_output = INT32_MAX;
    as->is_epic = as->target == CY_EPIC || as->target == CY_EPIC_FPGA;
    run_passes(as, &settings);
    finish_result(as, result);
    free_pass(as);
    struct cy_buf files = {0};
    for (size_t i = 0; i < as->files.count; i++) {
        cy_buf_printf(&files, "%s\n", as->files.at[i]->path);
        cy_buf_free(&as->files.at[i]->text);
        cy_free((void *)(uintptr_t)as->files.at[i]->path);
        cy_free(as->files.at[i]);
    }
    result->files = files.data;
    cy_vec_free(&as->files);
    cy_vec_free(&as->hints);
    cy_buf_free(&as->scratch);
    return result->object != NULL;
}

struct job {
    const char *name; /* of the file; "-": standard input */
    const char *text; /* NULL: read it from the file */
    size_t size;
    const struct cy_asm_options *options;
    struct cy_asm_result *result;
    struct as as; /* outside the scope for its locale, which a scope does not free */
    bool ok;
};

static void run(void *argument)
{
    struct job *job = argument;
    const struct cy_asm_options *options = job->options;
    struct cy_diags diags = {
        .error_limit = options->error_limit,
        .no_warnings = (options->flags & CY_ASM_NO_WARNINGS) != 0,
        .warnings_are_errors = (options->flags & CY_ASM_FATAL_WARNINGS) != 0,
    };
    struct cy_buf copy = {0}, from_listing = {0}; /* both NUL-terminated, which the caller's text need not be */
    if (job->text)
        cy_buf_append(&copy, job->text, job->size);
    else
        cy_file_read(job->name, &copy, &diags);
    struct cy_source source = {.name = job->name, .text = copy.data, .size = copy.size};
    if (!job->text && strcmp(job->name, "-") == 0)
        source.name = "<stdin>";
    enum cy_target target;
    if (copy.size && as_is_listing(copy.data, copy.size) && /* output of `cy dis` is accepted as well */
        cy_target_find(options->march ? options->march : "ventus", &target)) {
        as_listing_to_source(target, copy.data, copy.size, &from_listing);
        source.text = from_listing.size ? from_listing.data : "";
        source.size = from_listing.size;
    }
    job->as.options = options;
    job->as.diags = &diags;
    job->ok = diags.errors == 0 && assemble(&job->as, &source, job->result);
    cy_buf_free(&from_listing);
    cy_buf_free(&copy);
    job->result->errors = diags.errors;
    job->result->warnings = diags.warnings;
    job->result->messages = take_text(&diags.text);
}

static char no_memory[] = "error: out of memory\n";

static bool run_job(struct job *job)
{
    static const struct cy_asm_options no_options;
    if (!job->options)
        job->options = &no_options;
    *job->result = (struct cy_asm_result){0};
    fenv_t callers;
    cy_fenv_enter(&callers); /* strtod uses the unit's rounding mode */
    if (!cy_mem_try(run, job)) {
        *job->result = (struct cy_asm_result){.messages = no_memory, .errors = 1};
        job->ok = false;
    }
    cy_fenv_leave(&callers);
    if (job->as.locale)
        freelocale((locale_t)job->as.locale);
    return job->ok;
}

bool cy_asm(const char *name, const char *text, size_t size, const struct cy_asm_options *options,
            struct cy_asm_result *result)
{
    return run_job(
        &(struct job){.name = name, .text = text ? text : "", .size = size, .options = options, .result = result});
}

bool cy_asm_file(const char *path, const struct cy_asm_options *options, struct cy_asm_result *result)
{
    return run_job(&(struct job){.name = path, .options = options, .result = result});
}

void cy_asm_result_free(struct cy_asm_result *result)
{
    cy_free(result->object);
    if (result->messages != no_memory)
        cy_free(result->messages);
    cy_free(result->listing);
    cy_free(result->files);
    *result = (struct cy_asm_result){0};
}
