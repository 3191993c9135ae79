/* Files that `cy epic` can load. */
#include "epic_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ld/link.h"
#include "base/file.h"
#include "chengying/asm.h"
#include "obj/obj.h"

enum { MAX_PLACES = 64 };

/* ---- source lines ---- */

/* The lines of a text, by number from 1; NULL: part of a macro's definition. */
struct line_index {
    CY_VEC(const char *) lines;
};

static bool starts_with(const char *line, const char *directive)
{
    return strncmp(line + strspn(line, " \t"), directive, strlen(directive)) == 0;
}

static void index_lines(struct line_index *index, const char *text)
{
    unsigned macros = 0; /* definitions around the line */
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        macros += starts_with(line, ".macro");
        *cy_vec_push(&index->lines) = macros ? NULL : line;
        macros -= macros > 0 && starts_with(line, ".endm");
    }
}

/* Is this the source text of that line?  Lines of macros and included files are not; they count for the line that
 * included them. */
static bool is_source_line(const struct line_index *index, unsigned long number, const char *shown, size_t shown_length)
{
    if (number == 0 || number > index->lines.count || !index->lines.at[number - 1])
        return false;
    const char *line = index->lines.at[number - 1];
    const size_t length = strcspn(line, "\r\n");
    return length == shown_length && memcmp(line, shown, length) == 0;
}

/* From the listing:  "   12 .text:00000008 00b50533 00b50533   source text" */
static void read_lines(struct epic_program *program, const char *listing, const char *source)
{
    enum { TEXT_COLUMN = 40 }; /* after number, address and bytes */
    struct line_index index = {0};
    unsigned long current = 0;
    index_lines(&index, source);
    for (const char *row = listing; row && *row; row = strchr(row, '\n') ? strchr(row, '\n') + 1 : NULL) {
        const size_t length = strcspn(row, "\n");
        unsigned long number = strtoul(row, NULL, 10);
        const char *code = memchr(row, ':', length);
        unsigned address;
        const char *text = length > 0 ? row + (length < TEXT_COLUMN ? length : TEXT_COLUMN) : row;
        if (is_source_line(&index, number, text, length - (size_t)(text - row)))
            current = number;
        if (current && code && code - row >= 5 && memcmp(code - 5, ".text", 5) == 0 &&
            sscanf(code, ":%8x ", &address) == 1)
            *cy_vec_push(&program->lines) =
                (struct cy_epic_line){program->word_address + address / 4, (uint32_t)current};
    }
    cy_vec_free(&index.lines);
}

/* ---- objects ---- */

static bool is_data(const struct cy_section *section)
{
    return (section->flags & CY_SHF_ALLOC) && !(section->flags & CY_SHF_EXECINSTR) && section->size;
}

static bool is_code(const struct cy_section *section)
{
    return (section->flags & CY_SHF_ALLOC) && (section->flags & CY_SHF_EXECINSTR) && section->size;
}

/* Code at the slot's address, everything else in data memory. */
static bool link_object(const struct cy_object *object, uint32_t base, uint32_t data_address, struct cy_object *linked,
                        struct cy_diags *diags)
{
    struct cy_link_place places[MAX_PLACES];
    struct cy_link_job job = {.objects = &object, .object_count = 1, .base = &base, .no_start = true, .places = places};
    for (size_t i = 0; i < object->sections.count && job.place_count < MAX_PLACES; i++) {
        const struct cy_section *section = &object->sections.at[i];
        if (!is_data(section))
            continue;
        data_address = (data_address + section->align - 1) & ~(section->align - 1);
        places[job.place_count++] = (struct cy_link_place){section->name, data_address};
        data_address += section->size;
    }
    return cy_link(&job, linked, diags);
}

static bool take_code(struct epic_program *program, const struct cy_section *section, struct cy_diags *diags)
{
    if (section->address % 4 || section->size % 4) {
        cy_diag_file(diags, CY_ERROR, program->file, "the size of section %s is not a multiple of 4", section->name);
        return false;
    }
    const uint32_t first = section->address / 4, count = section->size / 4;
    if (program->code.count == 0)
        program->word_address = first;
    if (first != program->word_address + program->code.count) {
        cy_diag_file(diags, CY_ERROR, program->file, "section %s overlaps the code before it", section->name);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        memcpy(cy_vec_push(&program->code), section->data.data + (size_t)i * 4, 4);
    return true;
}

static void take_data(struct epic_program *program, const struct cy_section *section)
{
    struct epic_data *data = cy_vec_push(&program->data);
    *data = (struct epic_data){.address = section->address};
    if (section->data.size)
        cy_buf_append(&data->bytes, section->data.data, section->data.size);
    cy_buf_zeros(&data->bytes, section->size - data->bytes.size);
}

/* Splits a linked program into code and data. */
static bool take_sections(struct epic_program *program, const struct cy_object *object, struct cy_diags *diags)
{
    for (size_t i = 0; i < object->sections.count; i++) {
        const struct cy_section *section = &object->sections.at[i];
        if (is_code(section) && !take_code(program, section, diags))
            return false;
        if (is_data(section))
            take_data(program, section);
    }
    if (program->code.count == 0) {
        cy_diag_file(diags, CY_ERROR, program->file, "there is no code in it");
        return false;
    }
    if (object->entry != program->word_address * 4) {
        cy_diag_file(diags, CY_ERROR, program->file,
                     "a program starts at its first word, 0x%x, but its entry is at 0x%x", program->word_address * 4,
                     object->entry);
        return false;
    }
    return true;
}

static bool read_elf(struct epic_program *program, const void *bytes, size_t size,
                     const struct epic_load_options *options, struct cy_diags *diags)
{
    struct cy_object object, linked;
    if (!cy_object_read(&object, program->file, bytes, size, diags))
        return false;
    bool ok = object.machine == CY_EM_EPIC;
    if (!ok) {
        cy_diag_file(diags, CY_ERROR, program->file, "not for EpicGPU; assemble it with --march=epic");
    } else if (object.type == CY_ET_REL) {
        ok = link_object(&object, program->word_address * 4, options->data_address, &linked, diags);
        ok = ok && take_sections(program, &linked, diags);
        cy_object_free(&linked);
    } else {
        ok = take_sections(program, &object, diags);
    }
    cy_object_free(&object);
    return ok;
}

/* ---- sources and streams ---- */

static bool read_source(struct epic_program *program, const char *text, size_t size,
                        const struct epic_load_options *options, struct cy_diags *diags)
{
    const struct cy_asm_options assembler = {
        .march = options->march,
        .flags = CY_ASM_LISTING,
        .defines = options->defines,
        .define_count = options->define_count,
    };
    struct cy_asm_result result;
    bool ok = cy_asm(program->file, text, size, &assembler, &result);
    fputs(result.messages, stderr);
    if (ok)
        ok = read_elf(program, result.object, result.object_size, options, diags);
    else
        diags->errors++;
    if (ok && result.listing)
        read_lines(program, result.listing, text);
    cy_asm_result_free(&result);
    return ok;
}

static bool read_stream(struct epic_program *program, const char *bytes, size_t size, struct cy_diags *diags)
{
    program->is_stream = true;
    if (size % 4) {
        cy_diag_file(diags, CY_ERROR, program->file, "a command stream consists of words, but there are %zu bytes",
                     size);
        return false;
    }
    for (size_t i = 0; i < size; i += 4)
        memcpy(cy_vec_push(&program->code), bytes + i, 4);
    return true;
}

static bool is_source_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return strcmp(path, "-") == 0 ||
           (dot && (strcmp(dot, ".s") == 0 || strcmp(dot, ".S") == 0 || strcmp(dot, ".asm") == 0));
}

bool epic_program_read(struct epic_program *program, const char *path, unsigned slot, uint32_t word_address,
                       const struct epic_load_options *options, struct cy_diags *diags)
{
    struct cy_buf bytes = {0};
    *program = (struct epic_program){.file = path, .slot = slot, .word_address = word_address};
    bool ok = cy_file_read(path, &bytes, diags);
    if (ok && cy_object_is_elf(bytes.data, bytes.size))
        ok = read_elf(program, bytes.data, bytes.size, options, diags);
    else if (ok && is_source_name(path))
        ok = read_source(program, bytes.data, bytes.size, options, diags);
    else if (ok)
        ok = read_stream(program, bytes.data, bytes.size, diags);
    cy_buf_free(&bytes);
    return ok;
}

void epic_program_free(struct epic_program *program)
{
    for (size_t i = 0; i < program->data.count; i++)
        cy_buf_free(&program->data.at[i].bytes);
    cy_vec_free(&program->code);
    cy_vec_free(&program->lines);
    cy_vec_free(&program->data);
}
