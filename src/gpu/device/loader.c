/* Programs: reading an ELF executable, finding its kernels and symbols, loading its image into device memory. */
#include "gpu/device/machine.h"
#include "gpu/device/translated.h"
#include "obj/lines.h"

#include <stdlib.h>
#include <string.h>

enum { PT_LOAD = 1, PF_X = 1, PF_W = 2 };
#define MAX_SEGMENTS 64
#define MAX_CODE_BYTES (64u << 20) /* decoded code is many times larger */

/* ---- symbols ---- */

struct named {
    uint32_t address, size;
    bool function;
    const char *name;
};
struct cy_symbol_table {
    const struct cy_object *object;
    size_t count;
    struct named at[];
};

static int by_address(const void *a, const void *b)
{
    const struct named *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return (int)left->function - (int)right->function; /* the function last: it takes precedence */
}

static bool is_label(const struct cy_symbol *symbol)
{
    bool defined = symbol->section != CY_SHN_UNDEF && symbol->section != CY_SHN_COMMON && symbol->section != CY_SHN_ABS;
    bool code = symbol->type == CY_STT_FUNC || symbol->type == CY_STT_NOTYPE;
    return defined && code && symbol->name[0] && symbol->name[0] != '$' && strncmp(symbol->name, ".L", 2) != 0;
}

struct cy_symbol_table *cy_symbols_create(const struct cy_object *object)
{
    struct cy_symbol_table *table = cy_xrealloc(NULL, sizeof(*table) + object->symbols.count * sizeof(table->at[0]));
    table->count = 0;
    table->object = object;
    for (size_t i = 0; i < object->symbols.count; i++) {
        const struct cy_symbol *symbol = &object->symbols.at[i];
        if (is_label(symbol))
            table->at[table->count++] =
                (struct named){symbol->value, symbol->size, symbol->type == CY_STT_FUNC, symbol->name};
    }
    qsort(table->at, table->count, sizeof(table->at[0]), by_address);
    return table;
}

void cy_symbols_free(struct cy_symbol_table *table)
{
    cy_free(table);
}

const char *cy_symbols_find(const struct cy_symbol_table *table, uint32_t pc, uint32_t *offset)
{
    size_t low = 0, high = table ? table->count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->at[middle].address <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const struct named *nearest = &table->at[low - 1];
    for (size_t i = low; i-- > 0 && low - i < 4096;) { /* the enclosing function is more informative than a label
                                                        * inside */
        if (table->at[i].function && pc - table->at[i].address < table->at[i].size) {
            nearest = &table->at[i];
            break;
        }
    }
    *offset = pc - nearest->address;
    return nearest->name;
}

/* Parsed anew each time: only faults need it. */
uint32_t cy_symbols_line(const struct cy_symbol_table *table, uint32_t pc, struct cy_buf *path)
{
    struct cy_lines lines;
    const struct cy_line_row *row = table && cy_lines_read(&lines, table->object) ? cy_lines_find(&lines, pc) : NULL;
    uint32_t line = row ? row->line : 0;
    if (row)
        cy_lines_path(&lines, row, path);
    if (table)
        cy_lines_free(&lines);
    return line;
}

/* ---- reading ---- */

/* Where an image may be: everywhere below the buffers except in the LDS window and page 0. */
static bool is_image_range(uint32_t start, uint64_t size)
{
    uint64_t end = start + size;
    return (start >= CY_IMAGE_BASE && end <= CY_BUFFER_BASE) || (start >= CY_PAGE_SIZE && end <= CY_LDS_BASE);
}

static bool check_segments(struct cy_program *program, struct cy_diags *diags)
{
    uint64_t low = UINT64_MAX, high = 0;
    size_t loads = 0;
    for (size_t i = 0; i < program->object.segments.count; i++) {
        const struct cy_segment *segment = &program->object.segments.at[i];
        if (segment->type != PT_LOAD || segment->memory_size == 0)
            continue;
        if (segment->file_size > segment->memory_size || !is_image_range(segment->address, segment->memory_size)) {
            cy_diag_file(diags, CY_ERROR, program->name,
                         "segment of %u bytes at 0x%08x is outside the range for programs, 0x%08x to 0x%08x",
                         segment->memory_size, segment->address, CY_IMAGE_BASE, CY_BUFFER_BASE);
            return false;
        }
        loads++;
        if (segment->flags & PF_X) {
            low = segment->address < low ? segment->address : low;
            uint64_t end = (uint64_t)segment->address + segment->memory_size;
            high = end > high ? end : high;
        }
    }
    if (low >= high || loads > MAX_SEGMENTS || low & 3) {
        cy_diag_file(diags, CY_ERROR, program->name,
                     low >= high ? "no executable segment"
                     : low & 3   ? "the executable segment is not aligned to 4 bytes"
                                 : "too many segments");
        return false;
    }
    if (high - low > MAX_CODE_BYTES) {
        cy_diag_file(diags, CY_ERROR, program->name, "executable segments span %llu bytes, more than %u",
                     (unsigned long long)(high - low), MAX_CODE_BYTES);
        return false;
    }
    program->code_base = (uint32_t)low;
    program->code_size = (uint32_t)((high - low + 3) & ~3ull);
    return true;
}

static bool check_header(const struct cy_program *program, struct cy_diags *diags)
{
    const struct cy_object *object = &program->object;
    if (object->machine != CY_EM_RISCV) {
        cy_diag_file(diags, CY_ERROR, program->name, "not a RISC-V file (machine %u)", object->machine);
        return false;
    }
    if (object->type != CY_ET_EXEC) {
        cy_diag_file(diags, CY_ERROR, program->name, "not an executable: link it first ('cy ld')");
        return false;
    }
    return true;
}

void cy_program_code(const struct cy_program *program, void *bytes)
{
    memset(bytes, 0, program->code_size);
    for (size_t i = 0; i < program->object.segments.count; i++) {
        const struct cy_segment *segment = &program->object.segments.at[i];
        if (segment->type == PT_LOAD && segment->flags & PF_X && segment->file_size)
            memcpy((uint8_t *)bytes + (segment->address - program->code_base), segment->data, segment->file_size);
    }
}

static void decode(struct cy_program *program, const struct cy_config *config)
{
    uint8_t *bytes = cy_try_alloc(program->code_size); /* at most MAX_CODE_BYTES */
    if (!bytes)
        cy_mem_fail();
    cy_program_code(program, bytes);
    program->code = cy_code_build(program->target, program->code_base, bytes, program->code_size, config->threads,
                                  cy_level_at(config->engine_level - 1));
    cy_free(bytes);
}

struct reading {
    struct cy_program *program;
    const char *name;
    const void *elf;
    size_t size;
    const struct cy_config *config;
    struct cy_diags *diags;
    bool ok;
};

/* Kernels that initialise the objects of a translation unit (C++ for OpenCL; the Itanium C++ ABI's name) are not the
 * host's: they run once, after loading. */
static void move_initialisers(struct cy_program *program)
{
    static const char prefix[] = "_GLOBAL__sub_I_";
    struct cy_kernel_info *apart = cy_arena_alloc(&program->object.arena, (program->kernel_count + 1) * sizeof(*apart));
    size_t count = 0;
    for (size_t i = 0; i < program->kernel_count; i++) {
        if (!strncmp(program->kernels[i].name, prefix, strlen(prefix)))
            apart[program->initialiser_count++] = program->kernels[i];
        else
            program->kernels[count++] = program->kernels[i];
    }
    program->kernel_count = count;
    for (size_t i = 0; i < program->initialiser_count; i++)
        program->kernels[count + i] = apart[i];
}

static void read_program(void *argument)
{
    struct reading *reading = argument;
    struct cy_program *program = reading->program;
    struct cy_diags *diags = reading->diags;
    const char *name = reading->name;
    const void *elf = reading->elf;
    size_t size = reading->size;
    program->name = cy_xrealloc(NULL, strlen(name) + 1);
    strcpy(program->name, name);
    program->elf = cy_xrealloc(NULL, size + 1);
    if (size)
        memcpy(program->elf, elf, size);
    program->elf_size = size;
    if (!cy_object_read(&program->object, program->name, program->elf, size, diags))
        memset(&program->object, 0, sizeof(program->object));
    else if (check_header(program, diags) && check_segments(program, diags)) {
        program->target = program->object.flags & CY_EF_VENTUS_GEN2 ? CY_GEN2 : CY_GEN1;
        program->kernel_count = cy_object_kernels(&program->object, &program->kernels);
        move_initialisers(program);
        program->symbols = cy_symbols_create(&program->object);
        for (unsigned i = 0; i < CY_MARK_COUNT; i++) {
            const struct cy_section *names = cy_object_find_section(&program->object, cy_mark_sections[i]);
            program->marks[i].names = names ? names->data.data : NULL;
            program->marks[i].size = names ? names->data.size : 0;
        }
        const struct cy_section *formats = cy_object_find_section(&program->object, CY_PRINTF_SECTION);
        if (formats && formats->data.size) {
            program->formats = formats->data.data;
            program->formats_size = formats->data.size;
        }
        decode(program, reading->config);
        reading->ok = true;
        return;
    }
    cy_program_clear(program);
}

bool cy_program_read(struct cy_program *program, const char *name, const void *elf, size_t size,
                     const struct cy_config *config, struct cy_diags *diags)
{
    struct reading reading = {program, name, elf, size, config, diags, false};
    memset(program, 0, sizeof(*program));
    return cy_diags_try(diags, read_program, &reading) && reading.ok;
}

void cy_program_clear(struct cy_program *program)
{
    if (program->code)
        cy_code_free(program->code);
    cy_translated_forget(program);
    cy_symbols_free(program->symbols);
    cy_object_free(&program->object);
    cy_free(program->variables);
    cy_free(program->elf);
    cy_free(program->name);
}

const struct cy_kernel_info *cy_program_kernel_by_name(const struct cy_program *program, const char *name)
{
    for (size_t i = 0; i < program->kernel_count + program->initialiser_count; i++)
        if (strcmp(program->kernels[i].name, name) == 0)
            return &program->kernels[i];
    return NULL;
}

/* ---- loading ---- */

static void copy_segment(const struct cy_segment *segment, struct cy_memory *memory)
{
    uint8_t *to = memory->base + segment->address;
    if (segment->file_size)
        memcpy(to, segment->data, segment->file_size);
    memset(to + segment->file_size, 0, segment->memory_size - segment->file_size);
}

void cy_image_copy(const struct cy_object *object, struct cy_memory *memory)
{
    for (size_t i = 0; i < object->segments.count; i++)
        if (object->segments.at[i].type == PT_LOAD)
            copy_segment(&object->segments.at[i], memory);
}

static uint32_t first_page(const struct cy_segment *segment)
{
    return segment->address & ~(CY_PAGE_SIZE - 1);
}
static uint64_t page_end(const struct cy_segment *segment)
{
    return ((uint64_t)segment->address + segment->memory_size + CY_PAGE_SIZE - 1) & ~(uint64_t)(CY_PAGE_SIZE - 1);
}
static uint8_t segment_rights(const struct cy_segment *segment)
{
    return (uint8_t)(CY_READ | (segment->flags & PF_W ? CY_WRITE : 0) | (segment->flags & PF_X ? CY_EXECUTE : 0));
}

static void unload(const struct cy_program *program, struct cy_memory *memory)
{
    for (size_t i = 0; i < program->object.segments.count; i++) {
        const struct cy_segment *segment = &program->object.segments.at[i];
        if (segment->type == PT_LOAD && segment->memory_size)
            cy_memory_protect(memory, first_page(segment), page_end(segment) - first_page(segment), 0);
    }
}

/* A page shared by two segments gets the rights of both. */
static bool map_segment(const struct cy_program *program, size_t index, struct cy_memory *memory)
{
    const struct cy_segment *segment = &program->object.segments.at[index];
    uint8_t rights = segment_rights(segment);
    if (!cy_memory_protect(memory, first_page(segment), page_end(segment) - first_page(segment), rights))
        return false;
    for (size_t i = 0; i < index; i++) {
        const struct cy_segment *other = &program->object.segments.at[i];
        if (other->type != PT_LOAD || !other->memory_size)
            continue;
        uint32_t start = first_page(other) > first_page(segment) ? first_page(other) : first_page(segment);
        uint64_t end = page_end(other) < page_end(segment) ? page_end(other) : page_end(segment);
        for (uint64_t page = start; page < end; page += CY_PAGE_SIZE) {
            uint8_t both = atomic_load(&memory->page_rights[page >> CY_PAGE_BITS]) | rights | segment_rights(other);
            if (!cy_memory_protect(memory, (uint32_t)page, CY_PAGE_SIZE, both))
                return false;
        }
    }
    return true;
}

bool cy_segment_is_writable(const struct cy_segment *segment)
{
    return segment->type == PT_LOAD && segment->flags & PF_W && segment->memory_size;
}

uint32_t cy_program_code_base(const struct cy_program *program)
{
    return program->code_base;
}

size_t cy_program_count_words(const struct cy_program *program)
{
    return program->code_size / 4 + 2; /* those after the end fault */
}

uint64_t cy_program_variable_bytes(const struct cy_program *program)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < program->object.segments.count; i++)
        if (cy_segment_is_writable(&program->object.segments.at[i]))
            bytes += program->object.segments.at[i].memory_size;
    return bytes;
}

void cy_image_clear_bss(const struct cy_program *program, struct cy_memory *memory)
{
    for (size_t i = 0; i < program->object.segments.count; i++) {
        const struct cy_segment *segment = &program->object.segments.at[i];
        if (cy_segment_is_writable(segment))
            memset(memory->base + segment->address + segment->file_size, 0, segment->memory_size - segment->file_size);
    }
}

/* A program's variables live as long as the program: they are saved when another one takes its place. */
static bool put_aside(struct cy_program *program, const struct cy_memory *memory)
{
    size_t size = 0;
    uint64_t bytes = cy_program_variable_bytes(program);
    if (bytes && !program->variables && !(program->variables = cy_try_alloc(bytes)))
        return false;
    for (size_t i = 0; i < program->object.segments.count; i++) {
        const struct cy_segment *segment = &program->object.segments.at[i];
        if (!cy_segment_is_writable(segment))
            continue;
        memcpy(program->variables + size, memory->base + segment->address, segment->memory_size);
        size += segment->memory_size;
    }
    return true;
}

bool cy_image_unload(struct cy_program *program, struct cy_memory *memory)
{
    if (!put_aside(program, memory))
        return false;
    unload(program, memory);
    return true;
}

bool cy_image_load(const struct cy_program *program, struct cy_memory *memory)
{
    for (size_t i = 0; i < program->object.segments.count; i++) {
        const struct cy_segment *segment = &program->object.segments.at[i];
        if (segment->type != PT_LOAD || !segment->memory_size)
            continue;
        if (!map_segment(program, i, memory)) {
            unload(program, memory);
            return false;
        }
    }
    const uint8_t *variables = program->variables;
    for (size_t i = 0; i < program->object.segments.count; i++) {
        const struct cy_segment *segment = &program->object.segments.at[i];
        if (variables && cy_segment_is_writable(segment)) {
            memcpy(memory->base + segment->address, variables, segment->memory_size);
            variables += segment->memory_size;
        } else if (segment->type == PT_LOAD) {
            copy_segment(segment, memory);
        }
    }
    return true;
}

void cy_program_release(struct cy_program *program)
{
    if (program && atomic_fetch_sub(&program->references, 1) == 1) {
        cy_program_clear(program);
        cy_free(program);
    }
}
