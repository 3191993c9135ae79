/* The ELF reader on arbitrary input.  What it accepts can be written, is read again, and is then written
 * identically. */
#include "fuzz/fuzz.h"
#include "obj/notes.h"

#include <string.h>

static bool read_object(struct cy_object *object, const void *bytes, size_t size)
{
    struct cy_diags diags = {0};
    bool ok = cy_object_read(object, "input", bytes, size, &diags);
    FUZZ_CHECK(ok ? diags.text.size == 0 : diags.errors == 1);
    FUZZ_CHECK(ok || strncmp(diags.text.data, "input: error: ", 14) == 0);
    cy_diags_free(&diags);
    return ok;
}

static void check_model(struct cy_object *object, size_t object_size)
{
    for (size_t i = 0; i < object->sections.count; i++) {
        const struct cy_section *section = &object->sections.at[i];
        FUZZ_CHECK(section->data.size == (section->type == CY_SHT_NOBITS ? 0 : section->size));
        for (size_t j = 0; j < section->relocs.count; j++) {
            const struct cy_reloc *reloc = &section->relocs.at[j];
            FUZZ_CHECK(reloc->offset <= section->size);
            FUZZ_CHECK(reloc->symbol == CY_NO_SYMBOL || reloc->symbol < object->symbols.count);
            FUZZ_CHECK(j == 0 || reloc->offset >= section->relocs.at[j - 1].offset);
        }
    }
    for (size_t i = 0; i < object->symbols.count; i++) {
        uint32_t section = object->symbols.at[i].section;
        FUZZ_CHECK(section <= object->sections.count || section == CY_SHN_ABS || section == CY_SHN_COMMON);
    }
    struct cy_kernel_info *kernels;
    size_t count = cy_object_kernels(object, &kernels);
    for (size_t i = 0; i < count; i++) {
        FUZZ_CHECK(cy_object_find_symbol(object, kernels[i].name) != NULL);
        for (size_t a = 0; kernels[i].has_signature && a < kernels[i].argument_count; a++) {
            const struct cy_kernel_argument *argument = &kernels[i].arguments[a];
            FUZZ_CHECK(argument->align && argument->address <= CY_ADDRESS_LOCAL &&
                       strlen(argument->name) < object_size);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cy_object object, again;
    struct cy_buf second = {0}, third = {0};
    if (!read_object(&object, data, size))
        return 0;
    check_model(&object, size);
    cy_object_write(&object, &second);
    FUZZ_CHECK(read_object(&again, second.data, second.size));
    check_model(&again, second.size);
    cy_checksum_check(data, size);
    FUZZ_CHECK(again.sections.count == object.sections.count && again.symbols.count == object.symbols.count);
    cy_object_write(&again, &third);
    FUZZ_CHECK(second.size == third.size && memcmp(second.data, third.data, second.size) == 0);
    cy_object_free(&object);
    cy_object_free(&again);
    cy_buf_free(&second);
    cy_buf_free(&third);
    return 0;
}
