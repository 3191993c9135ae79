/* Output sections and addresses.
 *
 * Sections are grouped by permission, each group on its own pages: code, constants, variables (zeroed ones last), then
 * anything both writable and executable.  Sections that are not loaded follow with address 0. */
#include "abi/abi.h"
#include "ld/link_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- mapping inputs to outputs ---- */

/* `.text.foo` belongs to `.text`, and so on; everything else keeps its name. */
static const char *output_name(const struct link_input *input)
{
    static const char *const stems[] = {".text",  ".rodata", ".srodata",    ".data.rel.ro", ".data",
                                        ".sdata", ".sbss",   ".init_array", ".fini_array",  ".bss"};
    if (strcmp(input->name, "COMMON") == 0)
        return ".bss";
    if (strncmp(input->name, CY_RESOURCE_SECTION_OLD, sizeof(CY_RESOURCE_SECTION_OLD) - 1) == 0)
        return input->name;
    for (size_t i = 0; i < CY_COUNT(stems); i++) {
        size_t length = strlen(stems[i]);
        if (strncmp(input->name, stems[i], length) == 0 && (input->name[length] == '.' || input->name[length] == 0))
            return stems[i];
    }
    return input->name;
}

enum { CLASS_CODE, CLASS_CONSTANTS, CLASS_VARIABLES, CLASS_ALL_RIGHTS, CLASS_NOT_LOADED };

static uint32_t class_of(uint32_t flags)
{
    if (!(flags & CY_SHF_ALLOC))
        return CLASS_NOT_LOADED;
    if (flags & CY_SHF_EXECINSTR)
        return flags & CY_SHF_WRITE ? CLASS_ALL_RIGHTS : CLASS_CODE;
    return flags & CY_SHF_WRITE ? CLASS_VARIABLES : CLASS_CONSTANTS;
}

/* Within a class: well-known sections in their usual order, unknown ones in the middle, zeroed ones at the end. */
static uint32_t kind_of(const struct link_output *output)
{
    static const struct {
        const char *name;
        uint32_t kind;
    } known[] = {
        {".init", 0},        {".text", 1},          {".fini", 9}, /* code */
        {".rodata", 0},      {".srodata", 1},                     /* constants */
        {".data.rel.ro", 0}, {".preinit_array", 1}, {".init_array", 2}, {".fini_array", 3}, {".data", 4},
        {".got", 8},         {".sdata", 9},         {".sbss", 16},      {".bss", 18}, /* variables: the small ones are
                                                                                       * adjacent */
    };
    uint32_t kind = output->type == CY_SHT_NOBITS ? 17 : 5;
    for (size_t i = 0; i < CY_COUNT(known); i++)
        if (strcmp(output->name, known[i].name) == 0)
            kind = known[i].kind;
    if (output->type == CY_SHT_NOBITS && kind < 16)
        kind += 16;
    if (output->type != CY_SHT_NOBITS && kind >= 16)
        kind -= 8;
    return kind;
}

static struct link_output *find_output(struct link *link, const char *name, uint32_t flags)
{
    for (size_t i = 0; i < link->outputs.count; i++) {
        struct link_output *output = link->outputs.at[i];
        if (strcmp(output->name, name) == 0 && !((output->flags ^ flags) & CY_SHF_ALLOC))
            return output;
    }
    return NULL;
}

static void add_input(struct link *link, struct link_input *input)
{
    const uint32_t rights = CY_SHF_ALLOC | CY_SHF_WRITE | CY_SHF_EXECINSTR;
    const char *name = output_name(input);
    struct link_output *output = find_output(link, name, input->flags);
    if (!output) {
        output = CY_NEW(&link->arena, struct link_output);
        *output = (struct link_output){.name = name,
                                       .type = input->type,
                                       .flags = input->flags & ~(uint32_t)LINK_SHF_TIES,
                                       .align = 1,
                                       .entry_size = input->entry_size,
                                       .order = (uint32_t)link->outputs.count};
        *cy_vec_push(&link->outputs) = output;
    } else {
        if (output->type == CY_SHT_NOBITS)
            output->type = input->type;
        if ((output->flags ^ input->flags) & ~rights || output->entry_size != input->entry_size) {
            output->flags &= rights; /* mergeable strings mixed with other data are just bytes */
            output->entry_size = 0;
        }
        output->flags |= input->flags & rights;
    }
    if (output->align < input->align)
        output->align = input->align;
    input->output = output;
    *cy_vec_push(&output->inputs) = input;
}

static bool is_first(const struct link_input *input)
{
    return strcmp(input->name, ".text.init") == 0 || strncmp(input->name, ".text.init.", 11) == 0;
}

static void collect(struct link *link)
{
    /* `.text.init` precedes all other code, wherever its file is. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < link->files.count; i++) {
            struct link_file *file = link->files.at[i];
            for (size_t k = 0; k < file->object->sections.count; k++)
                if (file->inputs[k].live && is_first(&file->inputs[k]) == (pass == 0))
                    add_input(link, &file->inputs[k]);
        }
    for (size_t i = 0; i < link->extra.count; i++)
        if (link->extra.at[i]->live)
            add_input(link, link->extra.at[i]);
}

static int by_rank(const void *a, const void *b)
{
    const struct link_output *x = *(struct link_output *const *)a, *y = *(struct link_output *const *)b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* ---- addresses ---- */

static uint64_t round_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

static bool place_inputs(struct link *link, struct link_output *output)
{
    for (size_t i = 0; i < output->inputs.count; i++) {
        struct link_input *input = output->inputs.at[i];
        uint64_t offset = round_up(output->size, input->align);
        output->size = offset + input->size;
        if (output->size > UINT32_MAX) {
            cy_diag_file(link->diags, CY_ERROR, input->file->object->name, "section %s grows beyond 4 GiB",
                         output->name);
            return false;
        }
        input->offset = (uint32_t)offset;
    }
    return true;
}

static const struct cy_link_place *find_place(const struct link *link, const char *name)
{
    for (size_t i = 0; i < link->job->place_count; i++)
        if (strcmp(link->job->places[i].section, name) == 0)
            return &link->job->places[i];
    return NULL;
}

static bool place_outputs(struct link *link)
{
    uint64_t address = link->base;
    uint32_t class = CLASS_CODE;
    bool any = false;
    for (size_t i = 0; i < link->outputs.count; i++) {
        struct link_output *output = link->outputs.at[i];
        if (!(output->flags & CY_SHF_ALLOC))
            continue;
        const struct cy_link_place *place = find_place(link, output->name);
        if (any && class_of(output->flags) != class)
            address = round_up(address, LINK_PAGE_BYTES);
        address = round_up(place ? place->address : address, output->align);
        if (place && address != place->address) {
            cy_diag_file(link->diags, CY_ERROR, NULL, "section %s cannot start at 0x%x: its alignment is %u",
                         output->name, place->address, output->align);
            return false;
        }
        if (address + output->size > (uint64_t)1 << 32) {
            cy_diag_file(link->diags, CY_ERROR, NULL,
                         "section %s (%llu bytes at 0x%llx) does not fit in the 32-bit address space", output->name,
                         (unsigned long long)output->size, (unsigned long long)address);
            return false;
        }
        output->address = (uint32_t)address;
        address += output->size;
        class = class_of(output->flags);
        any = true;
    }
    if (link->machine == CY_EM_RISCV && link->base >= CY_IMAGE_BASE && link->base < CY_BUFFER_BASE &&
        address > CY_BUFFER_BASE && link->job->place_count == 0) {
        cy_diag_file(link->diags, CY_ERROR, NULL, "the program ends at 0x%llx, but buffers begin at 0x%x",
                     (unsigned long long)address, CY_BUFFER_BASE);
        return false;
    }
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct link_output *x = *(struct link_output *const *)a, *y = *(struct link_output *const *)b;
    bool x_loaded = x->flags & CY_SHF_ALLOC, y_loaded = y->flags & CY_SHF_ALLOC;
    if (x_loaded != y_loaded)
        return x_loaded ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    /* An empty section shares its address with the next one and comes first. */
    if ((x->size == 0) != (y->size == 0))
        return x->size == 0 ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static bool check_overlap(struct link *link)
{
    const struct link_output *last = NULL;
    for (size_t i = 0; i < link->outputs.count; i++) {
        const struct link_output *output = link->outputs.at[i];
        if (!(output->flags & CY_SHF_ALLOC) || output->size == 0)
            continue;
        if (last && last->address + last->size > output->address) {
            cy_diag_file(link->diags, CY_ERROR, NULL, "sections %s (0x%x to 0x%llx) and %s (from 0x%x) overlap",
                         last->name, last->address, (unsigned long long)(last->address + last->size), output->name,
                         output->address);
            return false;
        }
        last = output;
    }
    return true;
}

/* ---- linker-defined symbols ---- */

static void put(struct link *link, const char *name, struct link_output *output, uint32_t value)
{
    struct link_symbol *symbol = link_find(link, name);
    if (!symbol || symbol->state != LINK_PROVIDED)
        return;
    symbol->value = value;
    symbol->output = output;
}

static uint32_t end_of(const struct link_output *output)
{
    return (uint32_t)(output->address + output->size);
}

static void put_bounds(struct link *link, const char *start, const char *stop, const char *section)
{
    struct link_output *output = find_output(link, section, CY_SHF_ALLOC);
    put(link, start, output, output ? output->address : 0);
    put(link, stop, output, output ? end_of(output) : 0);
}

static void put_many(struct link *link, const char *const *names, struct link_output *output, uint32_t value)
{
    for (; *names; names++)
        put(link, *names, output, value);
}

static void provide_symbols(struct link *link)
{
    struct link_output *code = NULL, *data = NULL, *first_bss = NULL, *last = NULL;
    for (size_t i = 0; i < link->outputs.count; i++) {
        struct link_output *output = link->outputs.at[i];
        if (!(output->flags & CY_SHF_ALLOC))
            continue;
        last = output;
        if (class_of(output->flags) == CLASS_CODE)
            code = output;
        if (output->type == CY_SHT_NOBITS)
            first_bss = first_bss ? first_bss : output;
        else
            data = output;
    }
    uint32_t end = last ? end_of(last) : link->base, data_end = data ? end_of(data) : link->base;
    put_many(link, (const char *const[]){"_etext", "etext", "__etext", NULL}, code, code ? end_of(code) : link->base);
    put_many(link, (const char *const[]){"_edata", "edata", NULL}, data, data_end);
    put_many(link, (const char *const[]){"__bss_start", "__bss_start__", NULL}, first_bss ? first_bss : data,
             first_bss ? first_bss->address : data_end);
    put_many(link, (const char *const[]){"__bss_end", "__bss_end__", "__BSS_END__", "_end", "end", NULL}, last, end);
    put(link, "__executable_start", NULL, link->base);
    put_bounds(link, "__preinit_array_start", "__preinit_array_end", ".preinit_array");
    put_bounds(link, "__init_array_start", "__init_array_end", ".init_array");
    put_bounds(link, "__fini_array_start", "__fini_array_end", ".fini_array");
    put_bounds(link, "_GLOBAL_OFFSET_TABLE_", "", ".got");

    /* gp points to the middle of the range that a signed 12-bit offset reaches from the start of the small
     * variables. */
    struct link_output *small = find_output(link, ".sdata", CY_SHF_ALLOC);
    struct link_output *variables = find_output(link, ".data", CY_SHF_ALLOC);
    if (!small)
        small = find_output(link, ".sbss", CY_SHF_ALLOC);
    put(link, "__DATA_BEGIN__", variables, variables ? variables->address : data_end);
    put(link, "__SDATA_BEGIN__", small, small ? small->address : data_end);
    link->global_pointer = 0x800 + (small ? small->address : variables ? variables->address : data_end);
    put(link, "__global_pointer$", NULL, link->global_pointer);
    const struct link_symbol *gp = link_find(link, "__global_pointer$");
    if (gp && gp->state == LINK_DEFINED)
        link->global_pointer = gp->input && gp->input->output ? gp->input->output->address + gp->input->offset +
                                                                    link_cut_offset(gp->input, gp->value)
                                                              : gp->value;
}

static void provide_start_stop(struct link *link)
{
    for (size_t i = 0; i < link->symbols.count; i++) {
        struct link_symbol *symbol = link->symbols.at[i];
        const char *section = symbol->state == LINK_PROVIDED ? link_start_stop(symbol->name) : NULL;
        if (!section)
            continue;
        struct link_output *output = find_output(link, section, CY_SHF_ALLOC);
        if (!output)
            output = find_output(link, section, 0);
        if (output)
            put(link, symbol->name, output,
                strncmp(symbol->name, "__start_", 8) == 0 ? output->address : end_of(output));
    }
}

static void find_entry(struct link *link)
{
    const struct link_symbol *symbol = link_find(link, link->job->entry ? link->job->entry : "_start");
    link->entry = link->base;
    if (!symbol || symbol->state == LINK_UNDEFINED)
        return;
    struct link_target target = {.global = NULL, .input = symbol->input, .value = symbol->value};
    link->entry = link_target_address(&target, 0);
}

static void sort_outputs(struct link *link, int (*order)(const void *, const void *))
{
    if (link->outputs.count)
        qsort(link->outputs.at, link->outputs.count, sizeof(*link->outputs.at), order);
}

bool link_layout(struct link *link)
{
    const struct cy_link_job *job = link->job;
    link->base = job->base ? *job->base : link->machine == CY_EM_RISCV ? CY_IMAGE_BASE : 0;
    collect(link);
    for (size_t i = 0; i < link->outputs.count; i++) {
        struct link_output *output = link->outputs.at[i];
        output->rank = class_of(output->flags) << 8 | kind_of(output);
        if (!place_inputs(link, output))
            return false;
    }
    sort_outputs(link, by_rank);
    if (!place_outputs(link))
        return false;
    for (size_t i = 0; i < job->place_count; i++)
        if (!find_output(link, job->places[i].section, CY_SHF_ALLOC)) {
            cy_diag_file(link->diags, CY_ERROR, NULL, "there is no section %s to place", job->places[i].section);
            return false;
        }
    sort_outputs(link, by_address);
    for (size_t i = 0; i < link->outputs.count; i++)
        link->outputs.at[i]->index = (uint32_t)i;
    if (!check_overlap(link))
        return false;
    provide_symbols(link);
    provide_start_stop(link);
    find_entry(link);
    return true;
}
