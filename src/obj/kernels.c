/* Which symbols of an object are kernels, and their resource records. */
#include "abi/abi.h"
#include "base/strmap.h"
#include "obj/notes.h"
#include "obj/obj_priv.h"

#include <stdlib.h>
#include <string.h>

const char *const cy_mark_sections[CY_MARK_COUNT] = {".cy.lanes", ".cy.warps", ".cy.locks", ".cy.rows"};

/* Without a record a kernel may use every register there is, and has the ABI's private memory. */
static void set_defaults(struct cy_kernel_info *kernel)
{
    kernel->vgprs = CY_VGPRS;
    kernel->sgprs = CY_SGPRS;
    kernel->pds_bytes = CY_PRIVATE_BYTES;
}

static void read_record(const char *data, struct cy_kernel_info *kernel)
{
    const uint8_t *at = (const uint8_t *)data;
    kernel->has_resources = true;
    kernel->vgprs = load16(at + CY_RESOURCE_VGPRS);
    kernel->sgprs = load16(at + CY_RESOURCE_SGPRS);
    kernel->lds_bytes = load16(at + CY_RESOURCE_LDS);
    kernel->pds_bytes = load16(at + CY_RESOURCE_PDS);
}

static bool is_defined(const struct cy_symbol *symbol)
{
    return symbol->section != CY_SHN_UNDEF && symbol->section != CY_SHN_COMMON && symbol->type != CY_STT_SECTION &&
           symbol->type != CY_STT_FILE;
}

/* Defined symbols by name; a global one takes precedence over a local one. */
struct symbol_index {
    struct cy_strmap names;
    CY_VEC(const struct cy_symbol *) symbols; /* by name id */
};

static void index_symbols(struct symbol_index *index, const struct cy_object *object)
{
    for (size_t i = 0; i < object->symbols.count; i++) {
        const struct cy_symbol *symbol = &object->symbols.at[i];
        if (!is_defined(symbol))
            continue;
        uint32_t id = cy_strmap_add(&index->names, symbol->name, strlen(symbol->name));
        if (id == index->symbols.count)
            *cy_vec_push(&index->symbols) = symbol;
        else if (index->symbols.at[id]->binding == CY_STB_LOCAL && symbol->binding != CY_STB_LOCAL)
            index->symbols.at[id] = symbol;
    }
}

struct kernel_list { /* a named CY_VEC */
    struct cy_kernel_info *at;
    size_t count, capacity;
};

static struct cy_kernel_info *add_kernel(const struct cy_object *object, const struct cy_symbol *symbol,
                                         struct kernel_list *kernels)
{
    struct cy_kernel_info *kernel = cy_vec_push(kernels);
    *kernel = (struct cy_kernel_info){.name = symbol->name,
                                      .entry = symbol->value,
                                      .generation = object->flags & CY_EF_VENTUS_GEN2 ? 2 : 1,
                                      .attributes = ""};
    set_defaults(kernel);
    return kernel;
}

static void kernels_with_records(const struct cy_object *object, struct kernel_list *kernels)
{
    struct symbol_index index = {0};
    index_symbols(&index, object);
    for (size_t i = 0; i < object->sections.count; i++) {
        const struct cy_section *section = &object->sections.at[i];
        size_t prefix = strlen(CY_RESOURCE_SECTION);
        if (strncmp(section->name, CY_RESOURCE_SECTION, prefix) != 0)
            continue;
        const char *name = section->name + prefix;
        uint32_t id = cy_strmap_find(&index.names, name, strlen(name));
        if (id == CY_STR_NONE || !index.symbols.at[id])
            continue;
        struct cy_kernel_info *kernel = add_kernel(object, index.symbols.at[id], kernels);
        if (section->data.size == CY_RESOURCE_BYTES)
            read_record(section->data.data, kernel);
        index.symbols.at[id] = NULL; /* the first record of a name counts */
    }
    cy_strmap_free(&index.names);
    cy_vec_free(&index.symbols);
}

static void global_functions(const struct cy_object *object, struct kernel_list *kernels)
{
    for (size_t i = 0; i < object->symbols.count; i++) {
        const struct cy_symbol *symbol = &object->symbols.at[i];
        if (is_defined(symbol) && symbol->type == CY_STT_FUNC && symbol->binding != CY_STB_LOCAL &&
            strcmp(symbol->name, "_start") != 0)
            add_kernel(object, symbol, kernels);
    }
}

static int by_entry(const void *a, const void *b)
{
    const struct cy_kernel_info *left = a, *right = b;
    return left->entry != right->entry ? (left->entry < right->entry ? -1 : 1) : strcmp(left->name, right->name);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Old records carry no name.  The compiler wrote one per kernel in code order, so if there are as many records as
 * functions they correspond one to one; otherwise every function gets the largest requirement, which is safe for
 * each. */
static void give_old_records(const struct cy_section *old, struct kernel_list *kernels)
{
    size_t count = old->data.size / CY_RESOURCE_BYTES;
    if (count == 0 || kernels->count == 0)
        return;
    qsort(kernels->at, kernels->count, sizeof(*kernels->at), by_entry);
    struct cy_kernel_info most = {0}, record = {0};
    for (size_t i = 0; i < count; i++) {
        read_record(old->data.data + i * CY_RESOURCE_BYTES, &record);
        most.vgprs = larger(most.vgprs, record.vgprs);
        most.sgprs = larger(most.sgprs, record.sgprs);
        most.lds_bytes = larger(most.lds_bytes, record.lds_bytes);
        most.pds_bytes = larger(most.pds_bytes, record.pds_bytes);
    }
    for (size_t i = 0; i < kernels->count; i++) {
        struct cy_kernel_info *kernel = &kernels->at[i];
        kernel->has_resources = true;
        kernel->vgprs = most.vgprs;
        kernel->sgprs = most.sgprs;
        kernel->lds_bytes = most.lds_bytes;
        kernel->pds_bytes = most.pds_bytes;
        if (count == kernels->count)
            read_record(old->data.data + i * CY_RESOURCE_BYTES, kernel);
    }
}

/* The signatures, from the compiler's notes; the first valid note of a kernel counts. */
static void read_signatures(struct cy_object *object, struct kernel_list *kernels)
{
    struct cy_strmap names = {0};
    for (size_t i = 0; i < kernels->count; i++) /* those with records have different names: ids are indices */
        cy_strmap_add(&names, kernels->at[i].name, strlen(kernels->at[i].name));
    for (struct cy_note note = {0}; cy_note_next(object, &note);) {
        if (note.type != CY_NOTE_KERNEL || cy_unpack(&note.bytes) != CY_NOTE_VERSION)
            continue;
        struct cy_unpack peek = note.bytes;
        const char *name = cy_unpack_text(&peek);
        uint32_t id = cy_strmap_find(&names, name, strlen(name));
        if (id == CY_STR_NONE || kernels->at[id].has_signature)
            continue;
        struct cy_kernel_info *kernel = &kernels->at[id], before = *kernel;
        cy_facts_unpack(&note.bytes, kernel);
        kernel->arguments = cy_arena_alloc(&object->arena, (kernel->argument_count + 1) * sizeof(*kernel->arguments));
        cy_facts_unpack_arguments(&note.bytes, kernel);
        if (note.bytes.failed || note.bytes.at != note.bytes.end)
            *kernel = before;
    }
    cy_strmap_free(&names);
}

size_t cy_object_kernels(struct cy_object *object, struct cy_kernel_info **kernels)
{
    struct kernel_list list = {0};
    kernels_with_records(object, &list);
    if (list.count) {
        read_signatures(object, &list);
    } else {
        global_functions(object, &list);
        const struct cy_section *old = cy_object_find_section(object, CY_RESOURCE_SECTION_OLD);
        if (old)
            give_old_records(old, &list);
    }
    size_t count = list.count;
    *kernels = cy_arena_alloc(&object->arena, count * sizeof(**kernels));
    if (count)
        memcpy(*kernels, list.at, count * sizeof(**kernels));
    cy_vec_free(&list);
    return count;
}
