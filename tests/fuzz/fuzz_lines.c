/* The reader of line tables: any ELF file, and any bytes as the three debug sections that it reads.  Byte 0 says which; of
 * the latter the next four give the lengths of .debug_line_str and .debug_str. */
#include "fuzz/fuzz.h"
#include "obj/lines.h"

#include <string.h>

static void use(const struct cy_object *object)
{
    struct cy_lines lines;
    struct cy_buf path = {0};
    if (cy_lines_read(&lines, object)) {
        FUZZ_CHECK(lines.rows.count > 0);
        for (size_t i = 0; i < lines.rows.count; i++) {
            const struct cy_line_row *row = &lines.rows.at[i];
            FUZZ_CHECK(i == 0 || row[-1].address <= row->address);
            FUZZ_CHECK(row->file == UINT32_MAX || row->file < lines.files.count);
            const struct cy_line_row *found = cy_lines_find(&lines, row->address);
            if (found && path.size < 100000)
                cy_lines_path(&lines, found, &path);
        }
        cy_lines_find(&lines, 0);
        cy_lines_find(&lines, UINT32_MAX);
    }
    cy_lines_free(&lines);
    cy_buf_free(&path);
}

static void add(struct cy_object *object, const char *name, const uint8_t *data, size_t size)
{
    struct cy_section *section = cy_object_add_section(object, name, CY_SHT_PROGBITS, 0);
    cy_buf_append(&section->data, data, size);
    section->size = (uint32_t)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cy_object object = {0};
    struct cy_diags diags = {0};
    if (size >= 5 && data[0] == 0) {
        size_t first = (size_t)(data[1] | data[2] << 8), second = (size_t)(data[3] | data[4] << 8), left = size - 5;
        first = first < left ? first : left;
        second = second < left - first ? second : left - first;
        object.machine = CY_EM_RISCV;
        add(&object, ".debug_line_str", data + 5, first);
        add(&object, ".debug_str", data + 5 + first, second);
        add(&object, ".debug_line", data + 5 + first + second, left - first - second);
        use(&object);
        cy_object_free(&object);
    } else if (size && cy_object_read(&object, "input", data + 1, size - 1, &diags)) {
        use(&object);
        cy_object_free(&object);
    }
    cy_diags_free(&diags);
    return 0;
}
