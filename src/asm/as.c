/* The assembler from outside, and its passes. */
#define _XOPEN_SOURCE 700 /* freelocale */
#include "asm/as_priv.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "asm/listing.h"
#include "base/file.h"
#include "base/host_fp.h"

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

static void read_statements(struct as *as)
{
    bool listing = (as->options->flags & CY_ASM_LISTING) != 0;
    while (!as->ended) {
        const char *text = as->p;
        const struct cy_source *source = as->source;
        struct as_section *section = as->section;
        uint32_t line = as->line, start = as_here(section);
        as->switched = false;
        uint32_t errors = as->diags->errors;
        if (!as_statement(as)) {
            as->trying = false;
            if (errors == as->diags->errors && !as->ended) /* nothing is left out without a word */
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

/* The whole text once, and everything settled that can be; as->again: some guess was wrong. */
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
        cy_diags_free(as->diags); /* messages of a pass that guessed wrong mean nothing */
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

static bool assemble(const struct cy_source *source, const struct cy_asm_options *options, struct cy_diags *diags,
                     struct cy_asm_result *result)
{
    const struct cy_diags settings = *diags;
    struct as as = {
        .options = options,
        .diags = diags,
        .main_source = source,
        .max_output = options->max_output_bytes ? options->max_output_bytes : DEFAULT_MAX_OUTPUT,
        .max_expanded = options->max_expansion_bytes ? options->max_expansion_bytes : DEFAULT_MAX_EXPANDED,
    };
    if (!cy_target_find(options->march ? options->march : "ventus", &as.target)) {
        cy_diag_file(diags, CY_ERROR, NULL,
                     "unknown instruction set '%s'; known are ventus, ventus-gen2, epic and "
                     "epic-fpga",
                     options->march);
        return false;
    }
    if (source->size > UINT32_MAX / 2) {
        cy_diag_file(diags, CY_ERROR, source->name, "the source is larger than 2 GiB");
        return false;
    }
    if (as.max_output > INT32_MAX)
        as.max_output = INT32_MAX;
    as.is_epic = as.target == CY_EPIC || as.target == CY_EPIC_FPGA;
    run_passes(&as, &settings);
    finish_result(&as, result);
    free_pass(&as);
    for (size_t i = 0; i < as.files.count; i++) {
        cy_buf_free(&as.files.at[i]->text);
        free((void *)(uintptr_t)as.files.at[i]->path);
        free(as.files.at[i]);
    }
    cy_vec_free(&as.files);
    cy_vec_free(&as.hints);
    cy_buf_free(&as.scratch);
    if (as.locale)
        freelocale((locale_t)as.locale);
    return result->object != NULL;
}

/* `text` ends in NUL. */
static bool run(const char *name, const char *text, size_t size, const struct cy_asm_options *options,
                struct cy_diags *diags, struct cy_asm_result *result)
{
    struct cy_source source = {.name = name, .text = text, .size = size};
    struct cy_buf from_listing = {0}; /* what `cy dis` printed is taken as well */
    enum cy_target target;
    if (size && cy_listing_is_listing(text, size) &&
        cy_target_find(options->march ? options->march : "ventus", &target)) {
        cy_listing_to_source(target, text, size, &from_listing);
        source.text = from_listing.size ? from_listing.data : "";
        source.size = from_listing.size;
    }
    fenv_t callers;
    cy_host_fp_enter(&callers); /* strtod rounds as the unit does */
    bool ok = diags->errors == 0 && assemble(&source, options, diags, result);
    cy_host_fp_leave(&callers);
    cy_buf_free(&from_listing);
    result->errors = diags->errors;
    result->warnings = diags->warnings;
    result->messages = take_text(&diags->text);
    cy_diags_free(diags);
    return ok;
}

static const struct cy_asm_options no_options;

static struct cy_diags new_diags(const struct cy_asm_options *options)
{
    return (struct cy_diags){
        .error_limit = options->error_limit,
        .no_warnings = (options->flags & CY_ASM_NO_WARNINGS) != 0,
        .warnings_are_errors = (options->flags & CY_ASM_FATAL_WARNINGS) != 0,
    };
}

bool cy_asm(const char *name, const char *text, size_t size, const struct cy_asm_options *options,
            struct cy_asm_result *result)
{
    if (!options)
        options = &no_options;
    *result = (struct cy_asm_result){0};
    struct cy_diags diags = new_diags(options);
    struct cy_buf copy = {0};
    cy_buf_append(&copy, text, size); /* ends in NUL, which the caller's text need not */
    bool ok = run(name, copy.data, size, options, &diags, result);
    cy_buf_free(&copy);
    return ok;
}

bool cy_asm_file(const char *path, const struct cy_asm_options *options, struct cy_asm_result *result)
{
    if (!options)
        options = &no_options;
    *result = (struct cy_asm_result){0};
    struct cy_diags diags = new_diags(options);
    struct cy_buf text = {0};
    cy_file_read(path, &text, &diags);
    bool ok = run(strcmp(path, "-") == 0 ? "<stdin>" : path, text.data, text.size, options, &diags, result);
    cy_buf_free(&text);
    return ok;
}

void cy_asm_result_free(struct cy_asm_result *result)
{
    free(result->object);
    free(result->messages);
    free(result->listing);
    *result = (struct cy_asm_result){0};
}
