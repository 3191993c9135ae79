/* The linker's pipeline, and building the executable. */
#include "ld/link_priv.h"

#include <string.h>

/* ---- the executable ---- */

static void emit_sections(struct link *link, struct cy_object *program)
{
    for (size_t i = 0; i < link->outputs.count; i++) {
        struct link_output *output = link->outputs.at[i];
        struct cy_section *section = cy_object_add_section(program, output->name, output->type, output->flags);
        section->address = output->address;
        section->align = output->align;
        section->entry_size = output->entry_size;
        section->size = (uint32_t)output->size;
        if (output->type == CY_SHT_NOBITS)
            continue;
        section->data = output->data; /* now owned by the executable */
        output->data = (struct cy_buf){0};
    }
    struct cy_buf attributes = {0};
    if (link->machine == CY_EM_RISCV)
        link_attributes(link, &attributes);
    if (!attributes.size) {
        cy_buf_free(&attributes);
        return;
    }
    struct cy_section *section = cy_object_add_section(program, ".riscv.attributes", CY_SHT_RISCV_ATTRIBUTES, 0);
    section->align = 1;
    section->size = (uint32_t)attributes.size;
    section->data = attributes;
}

static void add_symbol(struct cy_object *program, struct cy_symbol symbol)
{
    symbol.name = cy_arena_strndup(&program->arena, symbol.name, strlen(symbol.name));
    *cy_vec_push(&program->symbols) = symbol;
}

/* Sets the symbol's final section and address; false if its section is not part of the program. */
static bool settle(struct cy_symbol *symbol, const struct link_input *input)
{
    if (!input || !input->output)
        return false;
    uint32_t start = link_cut_offset(input, symbol->value);
    symbol->size = link_cut_offset(input, symbol->value + symbol->size) - start;
    symbol->value = input->output->address + input->offset + start;
    symbol->section = input->output->index + 1;
    return true;
}

static void emit_locals(const struct link_file *file, struct cy_object *program)
{
    const struct cy_object *object = file->object;
    for (size_t i = 0; i < object->symbols.count; i++) {
        struct cy_symbol symbol = object->symbols.at[i];
        if (symbol.binding != CY_STB_LOCAL || symbol.type == CY_STT_SECTION || symbol.section == CY_SHN_UNDEF ||
            symbol.section == CY_SHN_COMMON) /* a local common symbol would have no address */
            continue;
        const struct link_input *input = symbol.section == CY_SHN_ABS ? NULL : &file->inputs[symbol.section - 1];
        /* Labels of a compiler's string constants are many and useless; lld drops them too. */
        if (input && (input->flags & CY_SHF_MERGE) && strncmp(symbol.name, ".L", 2) == 0)
            continue;
        if (!input || settle(&symbol, input))
            add_symbol(program, symbol);
    }
}

static void emit_global(const struct link_symbol *from, struct cy_object *program)
{
    struct cy_symbol symbol = {.name = from->name,
                               .value = from->value,
                               .size = from->size,
                               .section = CY_SHN_ABS,
                               .binding = from->weak ? CY_STB_WEAK : CY_STB_GLOBAL,
                               .type = from->type,
                               .visibility = from->visibility};
    if (from->state == LINK_PROVIDED) {
        if (from->output)
            symbol.section = from->output->index + 1;
    } else if (from->state == LINK_UNDEFINED) {
        symbol.section = CY_SHN_UNDEF; /* weak and undefined: every use resolved to 0 */
    } else if (from->input && !settle(&symbol, from->input)) {
        return;
    }
    add_symbol(program, symbol);
}

static void emit(struct link *link, struct cy_object *program)
{
    program->type = CY_ET_EXEC;
    program->machine = link->machine;
    program->flags = link->flags;
    program->entry = link->entry;
    emit_sections(link, program);
    for (size_t i = 0; i < link->files.count; i++)
        emit_locals(link->files.at[i], program);
    for (size_t i = 0; i < link->symbols.count; i++)
        emit_global(link->symbols.at[i], program);
}

static void free_link(struct link *link)
{
    for (size_t i = 0; i < link->outputs.count; i++) {
        cy_buf_free(&link->outputs.at[i]->data);
        cy_vec_free(&link->outputs.at[i]->inputs);
    }
    cy_vec_free(&link->outputs);
    cy_vec_free(&link->files);
    cy_vec_free(&link->symbols);
    cy_vec_free(&link->extra);
    cy_vec_free(&link->got);
    cy_strmap_free(&link->names);
    cy_arena_free(&link->arena);
}

struct linking {
    const struct cy_link_job *job;
    struct cy_object *output;
    struct cy_diags *diags;
    bool ok;
};

static void run(void *argument)
{
    struct linking *linking = argument;
    struct link link = {.job = linking->job, .diags = linking->diags, .errors_before = linking->diags->errors};
    linking->ok =
        link_resolve(&link) && link_gc(&link) && link_scan(&link) && link_layout(&link) && link_relocate(&link);
    if (linking->ok) {
        if (link.job->map)
            link_map(&link, link.job->map);
        emit(&link, linking->output);
    }
    free_link(&link);
}

bool cy_link(const struct cy_link_job *job, struct cy_object *output, struct cy_diags *diags)
{
    static const struct cy_object empty = {.name = "a.out"};
    const struct cy_buf map = job->map ? *job->map : (struct cy_buf){0};
    struct linking linking = {.job = job, .output = output, .diags = diags};
    *output = empty;
    if (cy_diags_try(diags, run, &linking))
        return linking.ok;
    *output = empty;
    if (job->map)
        cy_buf_undo(job->map, map);
    return false;
}
