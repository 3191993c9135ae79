/* Which symbols of an object are kernels, and what each needs: isa.md section 4, "Resource record". */
#include "abi/abi.h"
#include "base/strmap.h"
#include "obj/obj_priv.h"

#include <stdlib.h>
#include <string.h>

/* Without a record a kernel may use every register there is, and has the ABI's stack and private memory. */
static const struct cy_resources default_resources = {
    .vgprs = CY_VGPRS, .sgprs = CY_SGPRS, .lds_bytes = CY_STACK_BYTES, .pds_bytes = CY_PRIVATE_BYTES};

static struct cy_resources read_record(const char *data)
{
    const uint8_t *at = (const uint8_t *)data;
    return (struct cy_resources){load16(at + CY_RESOURCE_VGPRS), load16(at + CY_RESOURCE_SGPRS),
                                 load16(at + CY_RESOURCE_LDS), load16(at + CY_RESOURCE_PDS)};
}

static bool is_defined(const struct cy_symbol *symbol)
{
    return symbol->section != CY_SHN_UNDEF && symbol->section != CY_SHN_COMMON && symbol->type != CY_STT_SECTION &&
           symbol->type != CY_STT_FILE;
}

/* Defined symbols by name; a global one wins over a local one. */
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

struct kernel_list { /* a CY_VEC with a name */
    struct cy_kernel *at;
    size_t count, capacity;
};

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
        bool usable = section->data.size == CY_RESOURCE_BYTES;
        *cy_vec_push(kernels) = (struct cy_kernel){
            .name = index.symbols.at[id]->name,
            .entry = index.symbols.at[id]->value,
            .has_resources = usable,
            .resources = usable ? read_record(section->data.data) : default_resources,
        };
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
            *cy_vec_push(kernels) =
                (struct cy_kernel){.name = symbol->name, .entry = symbol->value, .resources = default_resources};
    }
}

static int by_entry(const void *a, const void *b)
{
    const struct cy_kernel *left = a, *right = b;
    return left->entry != right->entry ? (left->entry < right->entry ? -1 : 1) : strcmp(left->name, right->name);
}

static uint16_t larger(uint16_t a, uint16_t b)
{
    return a > b ? a : b;
}

/* Old records carry no name.  The compiler wrote one per kernel in the order of the code, so as many records as
 * functions belong together one by one; otherwise every function gets the largest need, which is safe for each. */
static void give_old_records(const struct cy_section *old, struct kernel_list *kernels)
{
    size_t count = old->data.size / CY_RESOURCE_BYTES;
    if (count == 0 || kernels->count == 0)
        return;
    qsort(kernels->at, kernels->count, sizeof(*kernels->at), by_entry);
    struct cy_resources most = {0};
    for (size_t i = 0; i < count; i++) {
        struct cy_resources record = read_record(old->data.data + i * CY_RESOURCE_BYTES);
        most.vgprs = larger(most.vgprs, record.vgprs);
        most.sgprs = larger(most.sgprs, record.sgprs);
        most.lds_bytes = larger(most.lds_bytes, record.lds_bytes);
        most.pds_bytes = larger(most.pds_bytes, record.pds_bytes);
    }
    for (size_t i = 0; i < kernels->count; i++) {
        kernels->at[i].has_resources = true;
        kernels->at[i].resources = count == kernels->count ? read_record(old->data.data + i * CY_RESOURCE_BYTES) : most;
    }
}

size_t cy_object_kernels(struct cy_object *object, struct cy_kernel **kernels)
{
    struct kernel_list list = {0};
    kernels_with_records(object, &list);
    if (list.count == 0) {
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
