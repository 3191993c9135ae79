/* Checks every relocation of what is kept: its type is known, its location is inside the section, its symbol is
 * defined; creates the GOT entries.  All undefined symbols are reported in one run. */
#include "ld/link_priv.h"

#include <string.h>

/* ---- alignment ---- */

/* R_RISCV_ALIGN marks where an assembler that expects relaxation has inserted as many no-operations as the alignment
 * could ever need; the linker removes the surplus.  How many depends only on offsets in the section, because the
 * section itself is aligned at least as much. */
void link_find_cuts(struct link *link, struct link_input *input)
{
    const struct cy_section *section = input->section;
    size_t count = 0;
    for (size_t i = 0; i < input->reloc_count; i++)
        count += input->relocs[i].type == CY_R_RISCV_ALIGN;
    if (!count)
        return;
    input->cuts = cy_arena_alloc(&link->arena, count * sizeof(*input->cuts));
    uint32_t removed = 0;
    for (size_t i = 0; i < input->reloc_count; i++) {
        const struct cy_reloc *reloc = &input->relocs[i];
        if (reloc->type != CY_R_RISCV_ALIGN)
            continue;
        uint32_t most = (uint32_t)reloc->addend;
        if (most == 0 || most > section->size || reloc->offset > section->size - most || reloc->offset < removed)
            continue; /* link_scan reports it */
        uint32_t align = 2;
        while (align <= most)
            align *= 2;
        if (input->align < align)
            input->align = align;
        uint32_t needed = (0u - (reloc->offset - removed)) & (align - 1);
        if (needed > most)
            continue; /* the section was not laid out for this alignment: leave the padding alone */
        if (needed == most)
            continue;
        removed += most - needed;
        input->cuts[input->cut_count++] = (struct link_cut){reloc->offset + most, removed};
    }
    input->size -= removed;
}

/* The new position of an offset in the section as it was read.  An offset inside removed padding moves to its end. */
uint32_t link_cut_offset(const struct link_input *input, uint32_t offset)
{
    uint32_t low = 0, high = input->cut_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (input->cuts[middle].at <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t before = low ? input->cuts[low - 1].removed : 0;
    if (low < input->cut_count) {
        const struct link_cut *next = &input->cuts[low];
        uint32_t kept_end = next->at - (next->removed - before); /* removed bytes are the last ones before `at` */
        if (offset > kept_end)
            offset = kept_end;
    }
    return offset - before;
}

/* ---- symbols ---- */

struct link_target link_target_of(const struct link_file *file, uint32_t index)
{
    struct link_target target = {.name = ""};
    if (index >= file->object->symbols.count)
        return target; /* no symbol: the number 0 */
    const struct cy_symbol *symbol = &file->object->symbols.at[index];
    target.name = symbol->name;
    struct link_symbol *global = file->globals[index];
    if (global) {
        target.global = global;
        target.input = global->state == LINK_DEFINED ? global->input : NULL;
        target.value = global->value;
        target.weak_undefined = global->state == LINK_UNDEFINED;
        return target;
    }
    target.value = symbol->value;
    if (symbol->section != CY_SHN_UNDEF && symbol->section != CY_SHN_ABS && symbol->section != CY_SHN_COMMON)
        target.input = &file->inputs[symbol->section - 1];
    if (symbol->type == CY_STT_SECTION) {
        target.is_section = true;
        if (target.input && !*target.name)
            target.name = target.input->name;
    }
    return target;
}

struct nearest {
    const char *name, *best;
    unsigned distance;
};

static void consider(void *context, const char *candidate)
{
    struct nearest *nearest = context;
    unsigned distance =
        cy_edit_distance(nearest->name, strlen(nearest->name), candidate, strlen(candidate), nearest->distance);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = candidate;
    }
}

const char *link_nearest(struct link *link, const char *name)
{
    /* A third of the letters may differ, at most three. */
    size_t letters = strlen(name) / 3;
    struct nearest nearest = {.name = name, .distance = letters < 1 ? 2 : letters > 3 ? 4 : (unsigned)letters + 1};
    for (size_t i = 0; i < link->symbols.count; i++)
        if (link->symbols.at[i]->state != LINK_UNDEFINED && strcmp(link->symbols.at[i]->name, name) != 0)
            consider(&nearest, link->symbols.at[i]->name);
    for (size_t i = 0; i < link->job->library_count; i++)
        link_library_names(link->job->libraries[i], consider, &nearest);
    return nearest.best;
}

/* ---- the scan ---- */

#define SHOWN_REFERENCES 3

struct scan {
    struct link *link;
    CY_VEC(struct reference {
        struct link_symbol *symbol;
        uint32_t count; /* so far */
        struct cy_buf places;
        const char *file; /* of the first */
    })
    undefined;
};

static void add_undefined(struct scan *scan, const struct link_input *input, const struct cy_reloc *reloc,
                          struct link_symbol *symbol)
{
    struct reference *reference = NULL;
    for (size_t i = 0; i < scan->undefined.count && !reference; i++)
        if (scan->undefined.at[i].symbol == symbol)
            reference = &scan->undefined.at[i];
    if (!reference) {
        reference = cy_vec_push(&scan->undefined);
        *reference = (struct reference){.symbol = symbol, .file = input->file->object->name};
    }
    if (reference->count < SHOWN_REFERENCES) {
        if (reference->count)
            cy_buf_puts(&reference->places, ", ");
        if (strcmp(reference->file, input->file->object->name) != 0)
            cy_buf_printf(&reference->places, "%s(%s+0x%x)", input->file->object->name, input->name, reloc->offset);
        else
            cy_buf_printf(&reference->places, "%s+0x%x", input->name, reloc->offset);
    }
    reference->count++;
}

static void report_undefined(struct scan *scan)
{
    for (size_t i = 0; i < scan->undefined.count; i++) {
        struct reference *reference = &scan->undefined.at[i];
        const char *name = reference->symbol->name, *near = link_nearest(scan->link, name);
        if (reference->count > SHOWN_REFERENCES)
            cy_buf_printf(&reference->places, " and %u more", reference->count - SHOWN_REFERENCES);
        cy_diag_file(scan->link->diags, CY_ERROR, reference->file, "undefined symbol '%s', needed at %s%s%s%s", name,
                     reference->places.data, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        cy_buf_free(&reference->places);
    }
    cy_vec_free(&scan->undefined);
}

static bool same_target(const struct link_target *a, const struct link_target *b)
{
    return a->global == b->global && a->input == b->input && a->value == b->value;
}

static void add_got(struct link *link, const struct link_target *target)
{
    for (size_t i = 0; i < link->got.count; i++)
        if (same_target(&link->got.at[i], target))
            return;
    *cy_vec_push(&link->got) = *target;
}

uint32_t link_got_offset(const struct link *link, const struct link_target *target)
{
    uint32_t i = 0;
    while (!same_target(&link->got.at[i], target))
        i++;
    return LINK_GOT_RESERVED + i * 4;
}

static void scan_reloc(struct scan *scan, const struct link_input *input, const struct cy_reloc *reloc)
{
    struct link *link = scan->link;
    const char *file = input->file->object->name, *why = NULL;
    int bytes = link_reloc_bytes(link, reloc->type, &why);
    const char *type = cy_reloc_name(link->machine, reloc->type);
    if (bytes < 0) {
        cy_diag_file(link->diags, CY_ERROR, file, "relocation %s (type %u) at %s+0x%x: %s",
                     type ? type : "of unknown type", reloc->type, input->name, reloc->offset, why);
        return;
    }
    uint32_t length =
        reloc->type == CY_R_RISCV_ALIGN && link->machine == CY_EM_RISCV ? (uint32_t)reloc->addend : (uint32_t)bytes;
    if (reloc->offset > input->section->size || length > input->section->size - reloc->offset) {
        cy_diag_file(link->diags, CY_ERROR, file, "%s at %s+0x%x is beyond the end of its section (%u bytes)", type,
                     input->name, reloc->offset, input->section->size);
        return;
    }
    if (bytes == 0)
        return; /* a marker: its symbol does not matter */
    struct link_target target = link_target_of(input->file, reloc->symbol);
    if (target.global && target.global->state == LINK_UNDEFINED && !target.global->weak)
        add_undefined(scan, input, reloc, target.global);
    else if (link_is_got(link, reloc->type))
        add_got(link, &target);
}

static void check_entry(struct link *link)
{
    const char *name = link->job->entry ? link->job->entry : link->job->no_start ? NULL : "_start";
    if (!name || link->machine != CY_EM_RISCV)
        return;
    const struct link_symbol *symbol = link_find(link, name);
    if (symbol && symbol->state != LINK_UNDEFINED)
        return;
    const char *near = link_nearest(link, name);
    if (!link->job->entry)
        cy_diag_file(link->diags, CY_ERROR, NULL, "no start-up code: neither an object nor a library defines '_start'");
    else
        cy_diag_file(link->diags, CY_ERROR, NULL, "undefined symbol '%s', the entry%s%s%s", name,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static void make_got(struct link *link)
{
    static const struct cy_object linker = {.name = "<linker>"};
    if (!link->got.count)
        return;
    struct link_file *file = CY_NEW(&link->arena, struct link_file);
    file->object = &linker;
    link->got_input = CY_NEW(&link->arena, struct link_input);
    *link->got_input = (struct link_input){.file = file,
                                           .name = ".got",
                                           .type = CY_SHT_PROGBITS,
                                           .flags = CY_SHF_ALLOC | CY_SHF_WRITE,
                                           .align = 4,
                                           .size = LINK_GOT_RESERVED + (uint32_t)link->got.count * 4,
                                           .live = true};
    *cy_vec_push(&link->extra) = link->got_input;
}

bool link_scan(struct link *link)
{
    struct scan scan = {.link = link};
    for (size_t i = 0; i < link->files.count; i++) {
        const struct link_file *file = link->files.at[i];
        for (size_t k = 0; k < file->object->sections.count; k++) {
            const struct link_input *input = &file->inputs[k];
            if (!input->live)
                continue;
            for (size_t r = 0; r < input->reloc_count; r++) {
                if (input->type == CY_SHT_NOBITS) {
                    cy_diag_file(link->diags, CY_ERROR, file->object->name,
                                 "section %s has relocations but no contents", input->name);
                    break;
                }
                scan_reloc(&scan, input, &input->relocs[r]);
            }
        }
    }
    report_undefined(&scan);
    check_entry(link);
    make_got(link);
    return link->diags->errors == link->errors_before;
}
