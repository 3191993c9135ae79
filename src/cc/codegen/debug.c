/* Debug information: DWARF 5.
 *
 *     .debug_line     the line table: a sequence of rows for every function
 *     .debug_info     one compile unit with a subprogram for every kernel and function (debug_unit.c); with -g types,
 *                     scopes, inlined functions and variables as well
 *     .debug_frame    with -g: how to find a function's caller (debug_frame.c)
 *     .debug_abbrev, .debug_str; with -g .debug_loclists, .debug_rnglists
 *
 * Every reference to an address or another section is a relocation, so that objects with their own debug information
 * can be linked with ours. */
#define _POSIX_C_SOURCE 200809L
#include "cc/codegen/debug_priv.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

enum {
    DW_LNS_copy = 1,
    DW_LNS_advance_pc = 2,
    DW_LNS_advance_line = 3,
    DW_LNS_set_file = 4,
    DW_LNS_set_column = 5,
    DW_LNS_negate_stmt = 6,
    DW_LNE_end_sequence = 1,
    DW_LNE_set_address = 2,
    DW_LNCT_path = 1,
    DW_LNCT_directory_index = 2,
    LINE_BASE = -5,
    LINE_RANGE = 14,
    OPCODE_BASE = 13
};

/* ---- bytes ---- */

struct cy_section *debug_section(const struct debug_writer *w, const char *name)
{
    return cy_object_find_section(w->debug->object, name);
}

uint32_t debug_add_section(struct debug_writer *w, const char *name)
{
    struct cy_object *object = w->debug->object;
    cy_object_add_section(object, name, CY_SHT_PROGBITS, 0);
    uint32_t number = (uint32_t)object->sections.count;
    *cy_vec_push(&object->symbols) =
        (struct cy_symbol){.name = object->sections.at[number - 1].name, .section = number, .type = CY_STT_SECTION};
    return (uint32_t)object->symbols.count - 1;
}

void debug_put(struct cy_section *to, unsigned bytes, uint32_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        cy_buf_putc(&to->data, (char)(value >> 8 * i));
}

void debug_put_udata(struct cy_section *to, uint32_t value)
{
    for (; value >= 0x80; value >>= 7)
        debug_put(to, 1, (value & 0x7f) | 0x80);
    debug_put(to, 1, value);
}

void debug_put_sdata(struct cy_section *to, int32_t value)
{
    for (; value < -64 || value >= 64; value >>= 7)
        debug_put(to, 1, ((uint32_t)value & 0x7f) | 0x80);
    debug_put(to, 1, (uint32_t)value & 0x7f);
}

/* A word that the linker fills in. */
void debug_put_reference(struct cy_section *to, uint32_t symbol, uint32_t addend)
{
    *cy_vec_push(&to->relocs) = (struct cy_reloc){(uint32_t)to->data.size, CY_R_RISCV_32, symbol, (int32_t)addend};
    debug_put(to, 4, 0);
}

void debug_put_string(struct debug_writer *w, struct cy_section *to, const char *text)
{
    struct cy_section *strings = debug_section(w, ".debug_str");
    debug_put_reference(to, w->strings, (uint32_t)strings->data.size);
    cy_buf_append(&strings->data, text, strlen(text) + 1);
}

/* Fills in a unit's length once its end is known. */
void debug_close_unit(struct cy_section *unit)
{
    uint32_t size = (uint32_t)unit->data.size - 4;
    for (int i = 0; i < 4; i++)
        unit->data.data[i] = (char)(size >> 8 * i);
}

/* ---- the line table ---- */

static void put_rows(struct debug_writer *w, struct cy_section *to, const struct ir_func *func,
                     const struct backend_stats *stats)
{
    uint32_t address = stats->code_offset, file = 0, line = 1, column = 0; /* our file 0 is number 1 */
    bool is_statement = true;
    debug_put(to, 1, 0);
    debug_put_udata(to, 5);
    debug_put(to, 1, DW_LNE_set_address);
    debug_put_reference(to, w->text, address);
    for (size_t i = 0; i <= stats->lines.count; i++) { /* rows before the first known line get the function's own */
        const ir_location location = i ? stats->lines.at[i - 1].line : func->line;
        const uint32_t offset = i ? stats->lines.at[i - 1].offset : address;
        if (!location || (!i && stats->lines.count && stats->lines.at[0].offset == address))
            continue;
        if (IR_FILE(location) != file) {
            file = IR_FILE(location);
            debug_put(to, 1, DW_LNS_set_file);
            debug_put_udata(to, file + 1);
        }
        const uint32_t site = IR_SITE(location), at = site ? w->debug->module->debug.sites.at[site - 1].column : 0;
        if (at != column) {
            column = at;
            debug_put(to, 1, DW_LNS_set_column);
            debug_put_udata(to, column);
        }
        if ((i && stats->lines.at[i - 1].is_not_statement) == is_statement) {
            is_statement = !is_statement;
            debug_put(to, 1, DW_LNS_negate_stmt);
        }
        int32_t lines = (int32_t)(IR_LINE(location) - line), advance = (int32_t)(offset - address);
        bool is_near = lines >= LINE_BASE && lines < LINE_BASE + LINE_RANGE &&
                       advance <= (255 - OPCODE_BASE - (lines - LINE_BASE)) / LINE_RANGE;
        if (is_near) {
            debug_put(to, 1, (uint32_t)(lines - LINE_BASE + LINE_RANGE * advance + OPCODE_BASE));
        } else {
            debug_put(to, 1, DW_LNS_advance_pc);
            debug_put_udata(to, (uint32_t)advance);
            debug_put(to, 1, DW_LNS_advance_line);
            debug_put_sdata(to, lines);
            debug_put(to, 1, DW_LNS_copy);
        }
        address = offset;
        line = IR_LINE(location);
    }
    debug_put(to, 1, DW_LNS_advance_pc);
    debug_put_udata(to, stats->code_offset + stats->code_bytes - address);
    debug_put(to, 1, 0);
    debug_put_udata(to, 1);
    debug_put(to, 1, DW_LNE_end_sequence);
}

/* One directory, the unit's; then the files.  The first appears twice: as the unit's own, number 0, and as number 1,
 * the default of the rows. */
static void put_files(struct debug_writer *w, struct cy_section *to)
{
    const struct ir_module *module = w->debug->module;
    const char *first = module->files.count ? module->files.at[0] : w->debug->name;
    debug_put(to, 1, 1);
    debug_put(to, 1, DW_LNCT_path);
    debug_put(to, 1, DW_FORM_string);
    debug_put(to, 1, 1);
    cy_buf_append(&to->data, w->directory, strlen(w->directory) + 1);
    debug_put(to, 1, 2);
    debug_put(to, 1, DW_LNCT_path);
    debug_put(to, 1, DW_FORM_string);
    debug_put(to, 1, DW_LNCT_directory_index);
    debug_put(to, 1, DW_FORM_udata);
    debug_put_udata(to, (uint32_t)module->files.count + 1);
    for (size_t i = 0; i <= module->files.count; i++) {
        const char *name = i ? module->files.at[i - 1] : first;
        cy_buf_append(&to->data, name, strlen(name) + 1);
        debug_put_udata(to, 0);
    }
}

static void put_line_table(struct debug_writer *w)
{
    static const uint8_t operands[OPCODE_BASE - 1] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    const struct ir_module *module = w->debug->module;
    struct cy_section *to = debug_section(w, ".debug_line");
    debug_put(to, 4, 0);
    debug_put(to, 2, DEBUG_VERSION);
    debug_put(to, 1, 4); /* address size, segment selector size */
    debug_put(to, 1, 0);
    debug_put(to, 4, 0);
    size_t header = to->data.size;
    debug_put(to, 1, 1); /* minimum instruction length, operations per instruction */
    debug_put(to, 1, 1);
    debug_put(to, 1, 1); /* is_stmt */
    debug_put(to, 1, (uint32_t)LINE_BASE);
    debug_put(to, 1, LINE_RANGE);
    debug_put(to, 1, OPCODE_BASE);
    cy_buf_append(&to->data, operands, sizeof(operands));
    put_files(w, to);
    uint32_t header_size = (uint32_t)(to->data.size - header);
    for (int i = 0; i < 4; i++)
        to->data.data[header - 4 + (size_t)i] = (char)(header_size >> 8 * i);
    for (size_t i = 0; i < module->funcs.count; i++)
        put_rows(w, to, &module->funcs.at[i], &w->debug->stats[i]);
    debug_close_unit(to);
}

void cc_emit_debug(const struct cc_debug *debug)
{
    struct debug_writer w = {.debug = debug};
    const struct cy_section *text = debug_section(&w, ".text");
    if (!text)
        return;
    char directory[PATH_MAX];
    w.directory = debug->no_directory || !getcwd(directory, sizeof(directory)) ? "" : directory;
    w.text = (uint32_t)debug->object->symbols.count;
    *cy_vec_push(&debug->object->symbols) = (struct cy_symbol){
        .name = text->name, .section = (uint32_t)(text - debug->object->sections.at) + 1, .type = CY_STT_SECTION};
    const size_t first = debug->object->sections.count;
    debug_add_section(&w, ".debug_info");
    w.abbrev = debug_add_section(&w, ".debug_abbrev");
    w.line = debug_add_section(&w, ".debug_line");
    w.strings = debug_add_section(&w, ".debug_str");
    if (debug->module->wants_debug) {
        w.locations = debug_add_section(&w, ".debug_loclists");
        w.ranges = debug_add_section(&w, ".debug_rnglists");
        w.frame = debug_add_section(&w, ".debug_frame");
        debug_put_frames(&w);
    }
    debug_put_unit(&w);
    put_line_table(&w);
    for (size_t i = first; i < debug->object->sections.count; i++)
        debug->object->sections.at[i].size = (uint32_t)debug->object->sections.at[i].data.size;
}
