#include "obj/obj.h"

#include <string.h>

static const char *const riscv_names[] = {
#define RELOC(name, number) [number] = "R_RISCV_" #name,
#include "obj/relocs.def"
};

static const char *const epic_names[] = {
#define EPIC_RELOC(name, number) [number] = "R_EPIC_" #name,
#include "obj/epic_relocs.def"
};

const char *cy_reloc_name(uint16_t machine, uint32_t type)
{
    if (machine == CY_EM_RISCV && type < CY_COUNT(riscv_names))
        return riscv_names[type];
    if (machine == CY_EM_EPIC && type < CY_COUNT(epic_names))
        return epic_names[type];
    return NULL;
}

void cy_object_free(struct cy_object *object)
{
    for (size_t i = 0; i < object->sections.count; i++) {
        cy_buf_free(&object->sections.at[i].data);
        cy_vec_free(&object->sections.at[i].relocs);
    }
    cy_vec_free(&object->sections);
    cy_vec_free(&object->symbols);
    cy_vec_free(&object->segments);
    cy_arena_free(&object->arena);
    *object = (struct cy_object){0};
}

struct cy_section *cy_object_add_section(struct cy_object *object, const char *name, uint32_t type, uint32_t flags)
{
    const char *copy = cy_arena_strndup(&object->arena, name, strlen(name));
    struct cy_section *section = cy_vec_push(&object->sections);
    *section = (struct cy_section){.name = copy, .type = type, .flags = flags, .align = 1};
    return section;
}

struct cy_section *cy_object_find_section(const struct cy_object *object, const char *name)
{
    for (size_t i = 0; i < object->sections.count; i++)
        if (strcmp(object->sections.at[i].name, name) == 0)
            return &object->sections.at[i];
    return NULL;
}

void cy_object_copy(const struct cy_object *object, uint32_t address, void *bytes, size_t size)
{
    for (size_t i = 0; i < object->segments.count; i++) {
        const struct cy_segment *segment = &object->segments.at[i];
        const uint32_t at = segment->address - address;
        if (segment->data && at < size)
            memcpy((char *)bytes + at, segment->data, segment->file_size < size - at ? segment->file_size : size - at);
    }
}

/* Section and source file names are symbols too, but not ones that a program can refer to. */
const struct cy_symbol *cy_object_find_symbol(const struct cy_object *object, const char *name)
{
    const struct cy_symbol *local = NULL;
    for (size_t i = 0; i < object->symbols.count; i++) {
        const struct cy_symbol *symbol = &object->symbols.at[i];
        if (symbol->section == CY_SHN_UNDEF || symbol->section == CY_SHN_COMMON || symbol->type == CY_STT_SECTION ||
            symbol->type == CY_STT_FILE || strcmp(symbol->name, name) != 0)
            continue;
        if (symbol->binding != CY_STB_LOCAL)
            return symbol;
        if (!local)
            local = symbol;
    }
    return local;
}
