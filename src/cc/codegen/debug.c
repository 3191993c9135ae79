/* Debug information: DWARF 5, enough to map an instruction to its source file and line.
 *
 *     .debug_line     the line table: a sequence of rows for every function
 *     .debug_info     one compile unit with a subprogram for every kernel and function
 *     .debug_abbrev, .debug_str
 *
 * Every reference to an address or another section is a relocation, so that objects with their own debug information
 * can be linked with ours. */
#define _POSIX_C_SOURCE 200809L
#include "cc/codegen/debug.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The DWARF constants used here, under the standard's names. */
enum {
    DW_TAG_compile_unit = 0x11,
    DW_TAG_subprogram = 0x2e,
    DW_AT_name = 0x03,
    DW_AT_stmt_list = 0x10,
    DW_AT_low_pc = 0x11,
    DW_AT_high_pc = 0x12,
    DW_AT_language = 0x13,
    DW_AT_comp_dir = 0x1b,
    DW_AT_producer = 0x25,
    DW_AT_decl_file = 0x3a,
    DW_AT_decl_line = 0x3b,
    DW_AT_external = 0x3f,
    DW_FORM_addr = 0x01,
    DW_FORM_data2 = 0x05,
    DW_FORM_data4 = 0x06,
    DW_FORM_strp = 0x0e,
    DW_FORM_udata = 0x0f,
    DW_FORM_sec_offset = 0x17,
    DW_FORM_flag_present = 0x19,
    DW_LANG_C99 = 0x0c, /* DWARF 5 defines OpenCL C, but debuggers do not support it and then parse expressions as C */
    DW_LNS_copy = 1,
    DW_LNS_advance_pc = 2,
    DW_LNS_advance_line = 3,
    DW_LNS_set_file = 4,
    DW_LNE_end_sequence = 1,
    DW_LNE_set_address = 2,
    DW_UT_compile = 1,
    DW_LNCT_path = 1,
    DW_LNCT_directory_index = 2,
    DW_FORM_string = 0x08,
    VERSION = 5,
    LINE_BASE = -5,
    LINE_RANGE = 14,
    OPCODE_BASE = 13
};
enum { UNIT = 1, KERNEL, FUNCTION }; /* abbreviations */

struct writer {
    const struct cc_debug *debug;
    uint32_t abbrev, line, text; /* section symbols */
    uint32_t strings;
    char directory[PATH_MAX];
};

/* ---- bytes ---- */

static struct cy_section *section(const struct writer *w, const char *name)
{
    return cy_object_find_section(w->debug->object, name);
}

static uint32_t add_section(struct writer *w, const char *name)
{
    struct cy_object *object = w->debug->object;
    cy_object_add_section(object, name, CY_SHT_PROGBITS, 0);
    uint32_t number = (uint32_t)object->sections.count;
    *cy_vec_push(&object->symbols) =
        (struct cy_symbol){.name = object->sections.at[number - 1].name, .section = number, .type = CY_STT_SECTION};
    return (uint32_t)object->symbols.count - 1;
}

static void put(struct cy_section *to, unsigned bytes, uint32_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        cy_buf_putc(&to->data, (char)(value >> 8 * i));
}

static void put_udata(struct cy_section *to, uint32_t value)
{
    for (; value >= 0x80; value >>= 7)
        put(to, 1, (value & 0x7f) | 0x80);
    put(to, 1, value);
}

static void put_sdata(struct cy_section *to, int32_t value)
{
    for (; value < -64 || value >= 64; value >>= 7)
        put(to, 1, ((uint32_t)value & 0x7f) | 0x80);
    put(to, 1, (uint32_t)value & 0x7f);
}

/* A word that the linker fills in. */
static void put_reference(struct cy_section *to, uint32_t symbol, uint32_t addend)
{
    *cy_vec_push(&to->relocs) = (struct cy_reloc){(uint32_t)to->data.size, CY_R_RISCV_32, symbol, (int32_t)addend};
    put(to, 4, 0);
}

static void put_string(struct writer *w, struct cy_section *to, const char *text)
{
    struct cy_section *strings = section(w, ".debug_str");
    put_reference(to, w->strings, (uint32_t)strings->data.size);
    cy_buf_append(&strings->data, text, strlen(text) + 1);
}

/* Fills in a unit's length once its end is known. */
static void close_unit(struct cy_section *unit)
{
    uint32_t size = (uint32_t)unit->data.size - 4;
    for (int i = 0; i < 4; i++)
        unit->data.data[i] = (char)(size >> 8 * i);
}

/* ---- the line table ---- */

static void put_rows(struct writer *w, struct cy_section *to, const struct ir_func *func,
                     const struct backend_stats *stats)
{
    uint32_t address = stats->code_offset, file = 0, line = 1; /* our file 0 is number 1 */
    put(to, 1, 0);
    put_udata(to, 5);
    put(to, 1, DW_LNE_set_address);
    put_reference(to, w->text, address);
    for (size_t i = 0; i <= stats->lines.count; i++) { /* rows before the first known line get the function's own */
        uint32_t location = i ? stats->lines.at[i - 1].line : func->line,
                 offset = i ? stats->lines.at[i - 1].offset : address;
        if (!location || (!i && stats->lines.count && stats->lines.at[0].offset == address))
            continue;
        if (IR_FILE(location) != file) {
            file = IR_FILE(location);
            put(to, 1, DW_LNS_set_file);
            put_udata(to, file + 1);
        }
        int32_t lines = (int32_t)(IR_LINE(location) - line), advance = (int32_t)(offset - address);
        bool is_near = lines >= LINE_BASE && lines < LINE_BASE + LINE_RANGE &&
                       advance <= (255 - OPCODE_BASE - (lines - LINE_BASE)) / LINE_RANGE;
        if (is_near) {
            put(to, 1, (uint32_t)(lines - LINE_BASE + LINE_RANGE * advance + OPCODE_BASE));
        } else {
            put(to, 1, DW_LNS_advance_pc);
            put_udata(to, (uint32_t)advance);
            put(to, 1, DW_LNS_advance_line);
            put_sdata(to, lines);
            put(to, 1, DW_LNS_copy);
        }
        address = offset;
        line = IR_LINE(location);
    }
    put(to, 1, DW_LNS_advance_pc);
    put_udata(to, stats->code_offset + stats->code_bytes - address);
    put(to, 1, 0);
    put_udata(to, 1);
    put(to, 1, DW_LNE_end_sequence);
}

/* One directory, the unit's; then the files.  The first appears twice: as the unit's own, number 0, and as number 1,
 * the default of the rows. */
static void put_files(struct writer *w, struct cy_section *to)
{
    const struct ir_module *module = w->debug->module;
    const char *first = module->files.count ? module->files.at[0] : w->debug->name;
    put(to, 1, 1);
    put(to, 1, DW_LNCT_path);
    put(to, 1, DW_FORM_string);
    put(to, 1, 1);
    cy_buf_append(&to->data, w->directory, strlen(w->directory) + 1);
    put(to, 1, 2);
    put(to, 1, DW_LNCT_path);
    put(to, 1, DW_FORM_string);
    put(to, 1, DW_LNCT_directory_index);
    put(to, 1, DW_FORM_udata);
    put_udata(to, (uint32_t)module->files.count + 1);
    for (size_t i = 0; i <= module->files.count; i++) {
        const char *name = i ? module->files.at[i - 1] : first;
        cy_buf_append(&to->data, name, strlen(name) + 1);
        put_udata(to, 0);
    }
}

static void put_line_table(struct writer *w)
{
    static const uint8_t operands[OPCODE_BASE - 1] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    const struct ir_module *module = w->debug->module;
    struct cy_section *to = section(w, ".debug_line");
    put(to, 4, 0);
    put(to, 2, VERSION);
    put(to, 1, 4); /* address size, segment selector size */
    put(to, 1, 0);
    put(to, 4, 0);
    size_t header = to->data.size;
    put(to, 1, 1); /* minimum instruction length, operations per instruction */
    put(to, 1, 1);
    put(to, 1, 1); /* is_stmt */
    put(to, 1, (uint32_t)LINE_BASE);
    put(to, 1, LINE_RANGE);
    put(to, 1, OPCODE_BASE);
    cy_buf_append(&to->data, operands, sizeof(operands));
    put_files(w, to);
    uint32_t header_size = (uint32_t)(to->data.size - header);
    for (int i = 0; i < 4; i++)
        to->data.data[header - 4 + (size_t)i] = (char)(header_size >> 8 * i);
    for (size_t i = 0; i < module->funcs.count; i++)
        put_rows(w, to, &module->funcs.at[i], &w->debug->stats[i]);
    close_unit(to);
}

/* ---- the unit ---- */

static void put_abbreviations(struct writer *w)
{
    static const uint8_t unit[][2] = {
        {DW_AT_producer, DW_FORM_strp}, {DW_AT_language, DW_FORM_data2},       {DW_AT_name, DW_FORM_strp},
        {DW_AT_comp_dir, DW_FORM_strp}, {DW_AT_stmt_list, DW_FORM_sec_offset}, {DW_AT_low_pc, DW_FORM_addr},
        {DW_AT_high_pc, DW_FORM_data4}};
    static const uint8_t function[][2] = {{DW_AT_name, DW_FORM_strp},       {DW_AT_low_pc, DW_FORM_addr},
                                          {DW_AT_high_pc, DW_FORM_data4},   {DW_AT_decl_file, DW_FORM_udata},
                                          {DW_AT_decl_line, DW_FORM_udata}, {DW_AT_external, DW_FORM_flag_present}};
    struct cy_section *to = section(w, ".debug_abbrev");
    for (unsigned i = UNIT; i <= FUNCTION; i++) {
        put_udata(to, i);
        put_udata(to, i == UNIT ? DW_TAG_compile_unit : DW_TAG_subprogram);
        put(to, 1, i == UNIT); /* has children */
        if (i == UNIT)
            cy_buf_append(&to->data, unit, sizeof(unit));
        else
            cy_buf_append(&to->data, function, sizeof(function) - (i == FUNCTION ? sizeof(function[0]) : 0));
        put(to, 2, 0);
    }
    put(to, 1, 0);
}

static void put_unit(struct writer *w)
{
    const struct ir_module *module = w->debug->module;
    struct cy_section *to = section(w, ".debug_info");
    const struct cy_section *text = section(w, ".text");
    put(to, 4, 0);
    put(to, 2, VERSION);
    put(to, 1, DW_UT_compile);
    put(to, 1, 4); /* address size */
    put_reference(to, w->abbrev, 0);
    put_udata(to, UNIT);
    put_string(w, to, "Chengying");
    put(to, 2, DW_LANG_C99);
    put_string(w, to, w->debug->name);
    put_string(w, to, w->directory);
    put_reference(to, w->line, 0);
    put_reference(to, w->text, 0);
    put(to, 4, text->size);
    for (size_t i = 0; i < module->funcs.count; i++) {
        const struct ir_func *func = &module->funcs.at[i];
        put_udata(to, func->is_function ? FUNCTION : KERNEL);
        put_string(w, to, func->name);
        put_reference(to, w->text, w->debug->stats[i].code_offset);
        put(to, 4, w->debug->stats[i].code_bytes);
        put_udata(to, IR_FILE(func->line) + 1);
        put_udata(to, IR_LINE(func->line));
    }
    put(to, 1, 0);
    close_unit(to);
}

void cc_emit_debug(const struct cc_debug *debug)
{
    static const char *const names[] = {".debug_info", ".debug_abbrev", ".debug_line", ".debug_str"};
    struct writer w = {.debug = debug};
    const struct cy_section *text = section(&w, ".text");
    if (!text)
        return;
    if (debug->no_directory || !getcwd(w.directory, sizeof(w.directory)))
        w.directory[0] = 0;
    w.text = (uint32_t)debug->object->symbols.count;
    *cy_vec_push(&debug->object->symbols) = (struct cy_symbol){
        .name = text->name, .section = (uint32_t)(text - debug->object->sections.at) + 1, .type = CY_STT_SECTION};
    add_section(&w, names[0]);
    w.abbrev = add_section(&w, names[1]);
    w.line = add_section(&w, names[2]);
    w.strings = add_section(&w, names[3]);
    put_abbreviations(&w);
    put_unit(&w);
    put_line_table(&w);
    for (size_t i = 0; i < CY_COUNT(names); i++)
        section(&w, names[i])->size = (uint32_t)section(&w, names[i])->data.size;
}
