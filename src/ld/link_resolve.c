/* Files and symbols: resolves definitions, and finds the library objects that are needed. */
#include "ld/link_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- linker-defined names ---- */

static const char *const provided_names[] = {
    "__global_pointer$",
    "_end",
    "end",
    "__executable_start",
    "_etext",
    "etext",
    "__etext",
    "_edata",
    "edata",
    "__bss_start",
    "__bss_start__",
    "__bss_end",
    "__bss_end__",
    "__BSS_END__",
    "__DATA_BEGIN__",
    "__SDATA_BEGIN__",
    "_GLOBAL_OFFSET_TABLE_",
    "__preinit_array_start",
    "__preinit_array_end",
    "__init_array_start",
    "__init_array_end",
    "__fini_array_start",
    "__fini_array_end",
};
/* These are in every program; the others only if something refers to them. */
static const char *const always_provided[] = {"__global_pointer$", "_end",       "_etext", "_edata",
                                              "__bss_start",       "__BSS_END__"};

bool link_is_provided(const char *name)
{
    for (size_t i = 0; i < CY_COUNT(provided_names); i++)
        if (strcmp(provided_names[i], name) == 0)
            return true;
    return link_start_stop(name) != NULL;
}

const char *link_start_stop(const char *name)
{
    if (strncmp(name, "__start_", 8) == 0 && name[8])
        return name + 8;
    if (strncmp(name, "__stop_", 7) == 0 && name[7])
        return name + 7;
    return NULL;
}

const char *link_resource_kernel(const char *section)
{
    size_t length = sizeof(CY_RESOURCE_SECTION) - 1;
    return strncmp(section, CY_RESOURCE_SECTION, length) == 0 && section[length] ? section + length : NULL;
}

/* ---- the symbol table ---- */

static struct link_symbol *intern(struct link *link, const char *name)
{
    uint32_t id = cy_strmap_add(&link->names, name, strlen(name));
    if (id == link->symbols.count) {
        struct link_symbol *symbol = CY_NEW(&link->arena, struct link_symbol);
        symbol->name = link->names.strings.at[id].text;
        symbol->weak = true; /* until there is a strong reference */
        *cy_vec_push(&link->symbols) = symbol;
    }
    return link->symbols.at[id];
}

struct link_symbol *link_find(const struct link *link, const char *name)
{
    uint32_t id = cy_strmap_find(&link->names, name, strlen(name));
    return id == CY_STR_NONE ? NULL : link->symbols.at[id];
}

static const char *place_name(struct link *link, const struct link_input *input, uint32_t value)
{
    return input ? cy_arena_printf(&link->arena, "%s+0x%x", input->name, value)
                 : cy_arena_printf(&link->arena, "absolute value 0x%x", value);
}

static void report_duplicate(struct link *link, const struct link_symbol *first, struct link_file *file,
                             const struct link_input *input, const struct cy_symbol *second)
{
    cy_diag_file(link->diags, CY_ERROR, file->object->name, "'%s' is defined twice: here at %s and in %s at %s",
                 first->name, place_name(link, input, second->value), first->file->object->name,
                 place_name(link, first->input, first->value));
}

/* Does a new definition replace the existing one?  Strong beats common beats weak. */
static int strength(bool common, bool weak)
{
    return common ? 1 : weak ? 0 : 2;
}

static void define(struct link *link, struct link_symbol *symbol, struct link_file *file, const struct cy_symbol *from)
{
    bool common = from->section == CY_SHN_COMMON, weak = from->binding == CY_STB_WEAK;
    struct link_input *input = NULL;
    if (!common && from->section != CY_SHN_ABS)
        input = &file->inputs[from->section - 1];

    if (symbol->state != LINK_UNDEFINED) {
        int old = strength(symbol->state == LINK_COMMON, symbol->weak), new = strength(common, weak);
        if (old == 2 && new == 2)
            report_duplicate(link, symbol, file, input, from);
        if (old == 1 && new == 1) {
            if (from->size > symbol->size)
                symbol->size = from->size;
            if (from->value > symbol->value)
                symbol->value = from->value;
        }
        if (new <= old)
            return;
    }
    symbol->state = common ? LINK_COMMON : LINK_DEFINED;
    symbol->weak = weak;
    symbol->type = from->type;
    symbol->visibility = from->visibility;
    symbol->file = file;
    symbol->input = input;
    symbol->value = from->value;
    symbol->size = from->size;
}

static void add_symbols(struct link *link, struct link_file *file)
{
    const struct cy_object *object = file->object;
    file->globals = cy_arena_alloc(&link->arena, object->symbols.count * sizeof(*file->globals) + 1);
    for (size_t i = 0; i < object->symbols.count; i++) {
        const struct cy_symbol *from = &object->symbols.at[i];
        if (from->binding == CY_STB_LOCAL)
            continue;
        struct link_symbol *symbol = intern(link, from->name);
        file->globals[i] = symbol;
        if (from->section == CY_SHN_UNDEF) {
            if (symbol->state == LINK_UNDEFINED && from->binding != CY_STB_WEAK)
                symbol->weak = false;
        } else {
            define(link, symbol, file, from);
        }
    }
}

/* ---- files ---- */

static bool is_ignored(const struct link *link, const struct cy_section *section)
{
    bool debug = strncmp(section->name, ".debug", 6) == 0 || strncmp(section->name, ".zdebug", 7) == 0;
    return (section->flags & LINK_SHF_EXCLUDE) || section->type == CY_SHT_RISCV_ATTRIBUTES || section->type == 0 ||
           section->type == LINK_SHT_GROUP ||
           (section->type >= LINK_SHT_LLVM_FIRST && section->type <= LINK_SHT_LLVM_LAST) ||
           strcmp(section->name, ".note.GNU-stack") == 0 || (debug && link->job->strip_debug);
}

static bool check_section(struct link *link, const struct cy_object *object, const struct cy_section *section)
{
    if (section->flags & LINK_SHF_TLS) {
        cy_diag_file(link->diags, CY_ERROR, object->name,
                     "section %s: there are no thread-local variables on this machine", section->name);
        return false;
    }
    if ((section->flags & LINK_SHF_COMPRESSED) && section->relocs.count) {
        cy_diag_file(link->diags, CY_ERROR, object->name, "section %s is compressed and has relocations",
                     section->name);
        return false;
    }
    if (section->align & (section->align - 1)) {
        cy_diag_file(link->diags, CY_ERROR, object->name, "section %s: alignment %u is not a power of two",
                     section->name, section->align);
        return false;
    }
    return true;
}

static bool has_code(const struct cy_object *object)
{
    for (size_t i = 0; i < object->sections.count; i++)
        if ((object->sections.at[i].flags & CY_SHF_EXECINSTR) && object->sections.at[i].size)
            return true;
    return false;
}

/* Objects for different machines, or different generations, cannot be linked together. */
static bool check_machine(struct link *link, const struct link_file *file)
{
    const struct cy_object *object = file->object, *first = link->files.count ? link->files.at[0]->object : object;
    if (object->type != CY_ET_REL) {
        cy_diag_file(link->diags, CY_ERROR, object->name, "not a relocatable object%s",
                     object->type == CY_ET_EXEC ? ": it is already linked" : "");
        return false;
    }
    if (object->machine != first->machine) {
        cy_diag_file(link->diags, CY_ERROR, object->name, "an object for a different machine than %s", first->name);
        return false;
    }
    if (object->machine != CY_EM_RISCV || !has_code(object) || link->job->gen2)
        return true;
    if (link->job->gen1 && object->flags & CY_EF_VENTUS_GEN2) {
        cy_diag_file(link->diags, CY_ERROR, object->name, "code for Ventus gen2, but -march=ventus asks for gen1");
        return false;
    }
    for (size_t i = 0; i < link->files.count; i++) {
        const struct cy_object *other = link->files.at[i]->object;
        if (!has_code(other) || !((other->flags ^ object->flags) & CY_EF_VENTUS_GEN2))
            continue;
        bool gen2 = object->flags & CY_EF_VENTUS_GEN2;
        cy_diag_file(link->diags, CY_ERROR, object->name, "code for Ventus gen%d, but %s is for gen%d", gen2 ? 2 : 1,
                     other->name, gen2 ? 1 : 2);
        return false;
    }
    return true;
}

struct sortable {
    struct cy_reloc reloc;
    size_t order;
};

static int by_offset(const void *a, const void *b)
{
    const struct sortable *x = a, *y = b;
    if (x->reloc.offset != y->reloc.offset)
        return x->reloc.offset < y->reloc.offset ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Objects read from files have their relocations sorted by offset; those built in memory may not. */
static void sort_relocs(struct link *link, struct link_input *input)
{
    const struct cy_reloc *relocs = input->section->relocs.at;
    size_t count = input->section->relocs.count, i = 1;
    input->relocs = relocs;
    input->reloc_count = count;
    while (i < count && relocs[i - 1].offset <= relocs[i].offset)
        i++;
    if (i >= count)
        return;
    struct sortable *sorted = cy_xrealloc(NULL, count * sizeof(*sorted));
    for (i = 0; i < count; i++)
        sorted[i] = (struct sortable){relocs[i], i};
    qsort(sorted, count, sizeof(*sorted), by_offset);
    struct cy_reloc *copy = cy_arena_alloc(&link->arena, count * sizeof(*copy));
    for (i = 0; i < count; i++)
        copy[i] = sorted[i].reloc;
    input->relocs = copy;
    cy_free(sorted);
}

static bool add_file(struct link *link, const struct cy_object *object, bool from_library)
{
    struct link_file *file = CY_NEW(&link->arena, struct link_file);
    file->object = object;
    file->from_library = from_library;
    if (!check_machine(link, file))
        return false;
    *cy_vec_push(&link->files) = file;
    link->machine = object->machine;
    file->inputs = cy_arena_alloc(&link->arena, object->sections.count * sizeof(*file->inputs) + 1);
    bool ok = true;
    for (size_t i = 0; i < object->sections.count; i++) {
        const struct cy_section *section = &object->sections.at[i];
        struct link_input *input = &file->inputs[i];
        *input = (struct link_input){.file = file,
                                     .section = section,
                                     .name = section->name,
                                     .type = section->type,
                                     .flags = section->flags,
                                     .align = section->align ? section->align : 1,
                                     .entry_size = section->entry_size,
                                     .size = section->size,
                                     .ignored = is_ignored(link, section)};
        if (input->ignored)
            continue;
        sort_relocs(link, input);
        ok = check_section(link, object, section) && ok;
        if (link->machine == CY_EM_RISCV)
            link_find_cuts(link, input);
    }
    add_symbols(link, file);
    return ok;
}

static bool is_taken(const struct link *link, const struct cy_object *object)
{
    for (size_t i = 0; i < link->files.count; i++)
        if (link->files.at[i]->object == object)
            return true;
    return false;
}

/* Adds library objects until no undefined symbol is defined in one.  Weak references add nothing. */
static bool take_members(struct link *link)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < link->symbols.count; i++) {
            const struct link_symbol *symbol = link->symbols.at[i];
            if (symbol->state != LINK_UNDEFINED || symbol->weak)
                continue;
            const struct cy_object *member = NULL;
            for (size_t k = 0; k < link->job->library_count && !member; k++)
                member = link_library_find(link->job->libraries[k], symbol->name, strlen(symbol->name));
            if (!member || is_taken(link, member))
                continue;
            if (!add_file(link, member, true))
                return false;
            more = true;
        }
    }
    return true;
}

/* The start-up code is at the base address, so its file comes first. */
static void start_first(struct link *link)
{
    const struct link_symbol *start = link_find(link, "_start");
    if (!start || start->state != LINK_DEFINED || !start->file->from_library)
        return;
    size_t at = 0;
    while (link->files.at[at] != start->file)
        at++;
    for (; at > 0; at--)
        link->files.at[at] = link->files.at[at - 1];
    link->files.at[0] = start->file;
}

/* ---- remaining definitions ---- */

static bool allocate_commons(struct link *link)
{
    bool ok = true;
    for (size_t i = 0; i < link->symbols.count; i++) {
        struct link_symbol *symbol = link->symbols.at[i];
        if (symbol->state != LINK_COMMON)
            continue;
        if (symbol->value & (symbol->value - 1)) {
            cy_diag_file(link->diags, CY_ERROR, symbol->file->object->name,
                         "common symbol '%s': alignment %u is not a power of two", symbol->name, symbol->value);
            ok = false;
        }
        struct link_input *input = CY_NEW(&link->arena, struct link_input);
        *input = (struct link_input){.file = symbol->file,
                                     .name = "COMMON",
                                     .type = CY_SHT_NOBITS,
                                     .flags = CY_SHF_ALLOC | CY_SHF_WRITE,
                                     .align = symbol->value ? symbol->value : 1,
                                     .size = symbol->size};
        *cy_vec_push(&link->extra) = input;
        symbol->state = LINK_DEFINED;
        symbol->input = input;
        symbol->value = 0;
        symbol->type = CY_STT_OBJECT;
    }
    return ok;
}

static bool is_section_of_program(const struct link *link, const char *name)
{
    for (size_t i = 0; i < link->files.count; i++)
        for (size_t k = 0; k < link->files.at[i]->object->sections.count; k++)
            if (strcmp(link->files.at[i]->inputs[k].name, name) == 0)
                return true;
    return false;
}

static void provide(struct link *link)
{
    if (link->machine == CY_EM_RISCV)
        for (size_t i = 0; i < CY_COUNT(always_provided); i++)
            intern(link, always_provided[i]);
    for (size_t i = 0; i < link->symbols.count; i++) {
        struct link_symbol *symbol = link->symbols.at[i];
        if (symbol->state != LINK_UNDEFINED || !link_is_provided(symbol->name))
            continue;
        const char *section = link_start_stop(symbol->name);
        if (section && !is_section_of_program(link, section))
            continue; /* undefined, like any other name */
        symbol->state = LINK_PROVIDED;
        symbol->weak = false;
    }
}

/* The generation is a property of the code; the other flags say what the code may contain. */
static void merge_flags(struct link *link)
{
    const struct link_file *first = NULL;
    for (size_t i = 0; i < link->files.count; i++) {
        const struct link_file *file = link->files.at[i];
        uint32_t flags = file->object->flags;
        if (!has_code(file->object))
            continue;
        link->flags |= flags & ~(uint32_t)LINK_EF_FLOAT_ABI;
        if (link->machine != CY_EM_RISCV || file->from_library)
            continue;
        if (!first)
            first = file;
        if ((first->object->flags ^ flags) & LINK_EF_FLOAT_ABI)
            cy_diag_file(link->diags, CY_WARNING, file->object->name,
                         "passes floating-point arguments in other registers than %s", first->object->name);
        if (flags & LINK_EF_RVC)
            cy_diag_file(link->diags, CY_WARNING, file->object->name,
                         "contains compressed instructions, which Ventus does not support");
    }
    if (first)
        link->flags |= first->object->flags & LINK_EF_FLOAT_ABI;
    if (link->job->gen2 && link->machine == CY_EM_RISCV)
        link->flags |= CY_EF_VENTUS_GEN2;
}

bool link_resolve(struct link *link)
{
    const struct cy_link_job *job = link->job;
    bool ok = true;
    for (size_t i = 0; i < job->object_count; i++)
        ok = add_file(link, job->objects[i], false) && ok;
    if (!ok)
        return false;
    if (link->files.count == 0) {
        cy_diag_file(link->diags, CY_ERROR, NULL, "nothing to link");
        return false;
    }
    if (!job->no_start && link->machine == CY_EM_RISCV)
        intern(link, "_start")->weak = false;
    if (job->entry)
        intern(link, job->entry)->weak = false;
    for (size_t i = 0; i < job->kernel_count; i++)
        intern(link, job->kernels[i])->weak = false;
    if (!take_members(link))
        return false;
    start_first(link);
    if (!allocate_commons(link))
        return false;
    provide(link);
    merge_flags(link);
    return link->diags->errors == link->errors_before;
}
