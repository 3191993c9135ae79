#include "as/as_priv.h"

#include <string.h>

static void put_uleb128(struct cy_buf *out, uint64_t value)
{
    do {
        uint8_t byte = value & 0x7f;
        value >>= 7;
        cy_buf_putc(out, (char)(value ? byte | 0x80 : byte));
    } while (value);
}

static void put_u32(struct cy_buf *out, uint32_t value)
{
    cy_buf_append(out, &value, 4);
}

/* .riscv.attributes: "A", then one subsection for vendor "riscv" about the whole file. */
static void build_attributes(const struct as *as, struct cy_object *object)
{
    struct cy_buf body = {0};
    if (as->attributes.count == 0)
        return;
    for (size_t i = 0; i < as->attributes.count; i++) {
        const struct as_attribute *attribute = &as->attributes.at[i];
        put_uleb128(&body, attribute->tag);
        if (attribute->text)
            cy_buf_append(&body, attribute->text, strlen(attribute->text) + 1);
        else
            put_uleb128(&body, attribute->number);
    }
    struct cy_section *section = cy_object_add_section(object, ".riscv.attributes", CY_SHT_RISCV_ATTRIBUTES, 0);
    section->align = 1;
    cy_buf_putc(&section->data, 'A');
    put_u32(&section->data, 4 + sizeof("riscv") + 1 + 4 + (uint32_t)body.size);
    cy_buf_append(&section->data, "riscv", sizeof("riscv"));
    cy_buf_putc(&section->data, 1);
    put_u32(&section->data, 1 + 4 + (uint32_t)body.size);
    cy_buf_append(&section->data, body.data, body.size);
    section->size = (uint32_t)section->data.size;
    cy_buf_free(&body);
}

/* ---- symbols ---- */

static bool is_kept(const struct as_symbol *symbol)
{
    if (symbol->relocated)
        return true;
    return symbol->kind != AS_UNDEFINED && !symbol->is_private;
}

static const char *object_name(struct as *as, const struct as_symbol *symbol)
{
    if (symbol->name)
        return symbol->name;
    if (symbol->is_section)
        return "";
    if (symbol->is_numeric)
        return cy_arena_printf(&as->arena, ".L%u_%u", symbol->number, symbol->ordinal);
    return cy_arena_printf(&as->arena, ".Lpcrel_hi%u", symbol->ordinal);
}

/* An equate: a number, or a place in a section. */
static bool place_equate(struct as *as, struct as_symbol *symbol, struct cy_symbol *out)
{
    struct as_value value = symbol->value;
    if (!as_evaluate(as, &value, &symbol->defined_at))
        return false;
    if (value.minus || (value.plus && value.plus->kind != AS_LABEL)) {
        if (symbol->binding != CY_STB_LOCAL)
            as_error_at(as, &symbol->defined_at, "'%s' is global, but its value is not in this file", symbol->name);
        return false; /* references to it were replaced */
    }
    out->section = value.plus ? value.plus->section->index + 1 : CY_SHN_ABS;
    out->value = (uint32_t)(uint64_t)value.addend + (value.plus ? value.plus->offset : 0);
    if (value.plus && !out->type)
        out->type = value.plus->is_section ? CY_STT_NOTYPE : value.plus->type;
    return true;
}

static void build_symbol(struct as *as, struct cy_object *object, struct as_symbol *symbol)
{
    struct cy_symbol out = {
        .name = cy_arena_strndup(&object->arena, object_name(as, symbol), strlen(object_name(as, symbol))),
        .binding = symbol->binding,
        .type = symbol->type,
        .visibility = symbol->visibility,
        .size = symbol->has_size ? (uint32_t)symbol->size.addend : 0,
    };
    switch (symbol->kind) {
    case AS_LABEL:
        out.section = symbol->section->index + 1;
        out.value = symbol->offset;
        break;
    case AS_EQUATE:
        if (!place_equate(as, symbol, &out))
            return;
        break;
    case AS_COMMON:
        out.section = CY_SHN_COMMON;
        out.value = symbol->offset;
        break;
    default:
        out.section = CY_SHN_UNDEF;
        if (out.binding == CY_STB_LOCAL)
            out.binding = CY_STB_GLOBAL;
    }
    symbol->index = (uint32_t)object->symbols.count;
    *cy_vec_push(&object->symbols) = out;
}

/* Marks alternating code and data in an executable section with $x and $d, as disassemblers expect. */
static void build_mappings(struct cy_object *object, const struct as_section *section)
{
    bool is_mixed = section->mappings.count > 1 || (section->mappings.count && section->mappings.at[0].is_data);
    for (size_t i = 0; is_mixed && i < section->mappings.count; i++)
        *cy_vec_push(&object->symbols) = (struct cy_symbol){
            .name = section->mappings.at[i].is_data ? "$d" : "$x",
            .value = section->mappings.at[i].offset,
            .section = section->index + 1,
        };
}

/* ---- the object ---- */

static void build_section(struct cy_object *object, struct as_section *section)
{
    const char *name = cy_arena_strndup(&object->arena, section->name, strlen(section->name));
    struct cy_section *out = cy_object_add_section(object, name, section->type, section->flags);
    out->align = section->align;
    out->entry_size = section->entry_size;
    out->size = as_here(section);
    out->data = section->data;
    section->data = (struct cy_buf){0};
    if (out->data.data) /* emitting omits the terminator */
        out->data.data[out->data.size] = 0;
}

static void build_relocations(const struct as *as, struct cy_object *object)
{
    for (size_t i = 0; i < as->sections.count; i++) {
        struct as_section *section = as->sections.at[i];
        struct cy_section *out = &object->sections.at[i];
        for (size_t j = 0; j < section->relocs.count; j++) {
            struct cy_reloc reloc = section->relocs.at[j];
            if (reloc.symbol != CY_NO_SYMBOL)
                reloc.symbol = as->symbols.at[reloc.symbol]->index;
            *cy_vec_push(&out->relocs) = reloc;
        }
    }
}

void as_build_object(struct as *as, struct cy_object *object)
{
    object->type = CY_ET_REL;
    object->machine = as->is_epic ? CY_EM_EPIC : CY_EM_RISCV;
    object->flags = as->target == CY_GEN2 ? CY_EF_VENTUS_GEN2 : 0;
    for (size_t i = 0; i < as->sections.count; i++)
        build_section(object, as->sections.at[i]);
    build_attributes(as, object);
    if (as->file_name)
        *cy_vec_push(&object->symbols) = (struct cy_symbol){
            .name = cy_arena_strndup(&object->arena, as->file_name, strlen(as->file_name)),
            .section = CY_SHN_ABS,
            .type = CY_STT_FILE,
        };
    for (size_t i = 0; i < as->sections.count; i++)
        build_mappings(object, as->sections.at[i]);
    for (size_t i = 0; i < as->symbols.count; i++)
        if (is_kept(as->symbols.at[i]))
            build_symbol(as, object, as->symbols.at[i]);
    build_relocations(as, object);
}
