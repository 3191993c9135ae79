/* The line table of an object: DWARF 2 to 5, .debug_line.  It is a bytecode program that generates the rows; a table
 * that misstates its size or refers to something missing is abandoned there, and the rows read before are kept. */
#include "obj/lines.h"

#include <stdlib.h>
#include <string.h>

/* The DWARF constants used here, under the standard's names. */
enum {
    DW_LNS_copy = 1,
    DW_LNS_advance_pc,
    DW_LNS_advance_line,
    DW_LNS_set_file,
    DW_LNS_set_column,
    DW_LNS_negate_stmt,
    DW_LNS_set_basic_block,
    DW_LNS_const_add_pc,
    DW_LNS_fixed_advance_pc,
    DW_LNE_end_sequence = 1,
    DW_LNE_set_address = 2,
    DW_LNCT_path = 1,
    DW_LNCT_directory_index = 2,
    DW_FORM_data2 = 0x05,
    DW_FORM_data4 = 0x06,
    DW_FORM_data8 = 0x07,
    DW_FORM_string = 0x08,
    DW_FORM_block = 0x09,
    DW_FORM_data1 = 0x0b,
    DW_FORM_strp = 0x0e,
    DW_FORM_udata = 0x0f,
    DW_FORM_data16 = 0x1e,
    DW_FORM_line_strp = 0x1f
};

struct reader {
    const uint8_t *at, *end;
    bool failed;
};

static uint32_t take(struct reader *r, unsigned bytes)
{
    uint32_t value = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->failed = true;
        r->at = r->end;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= i < 4 ? (uint32_t)r->at[i] << 8 * i : 0;
    r->at += bytes;
    return value;
}

static uint32_t take_udata(struct reader *r)
{
    uint32_t value = 0, byte = 0x80;
    for (unsigned shift = 0; byte & 0x80 && !r->failed; shift += 7) {
        byte = take(r, 1);
        value |= shift < 32 ? (byte & 0x7f) << shift : 0;
    }
    return value;
}

static int32_t take_sdata(struct reader *r)
{
    uint32_t value = 0, byte = 0x80;
    unsigned shift = 0;
    for (; byte & 0x80 && !r->failed; shift += 7) {
        byte = take(r, 1);
        value |= shift < 32 ? (byte & 0x7f) << shift : 0;
    }
    return (int32_t)(shift < 32 && byte & 0x40 ? value | ~0u << shift : value);
}

static const char *take_string(struct reader *r)
{
    const uint8_t *nul = r->at < r->end ? memchr(r->at, 0, (size_t)(r->end - r->at)) : NULL;
    const char *text = (const char *)r->at;
    r->failed |= !nul;
    r->at = nul ? nul + 1 : r->end;
    return nul ? text : "";
}

/* A part of `r`, which continues after it. */
static struct reader take_part(struct reader *r, uint32_t size)
{
    struct reader part = {r->at, r->at + size, false};
    if (size > (size_t)(r->end - r->at)) {
        part.end = r->end;
        r->failed = true;
    }
    r->at = part.end;
    return part;
}

/* ---- one table ---- */

struct unit {
    const struct cy_object *object;
    struct cy_lines *lines;
    unsigned version, address_bytes, step, opcode_base;
    uint32_t line_range;
    int32_t line_base;
    uint8_t operands[256];
    CY_VEC(const char *) directories;
    uint32_t first_file; /* in lines->files: the unit's number 0 */
    uint32_t file_count;
};

static const char *string_at(const struct cy_object *object, const char *name, uint32_t offset)
{
    const struct cy_section *section = cy_object_find_section(object, name);
    if (!section || offset >= section->data.size)
        return "";
    struct reader r = {(const uint8_t *)section->data.data + offset,
                       (const uint8_t *)section->data.data + section->data.size, false};
    return take_string(&r);
}

/* A value of a version 5 entry: string or number. */
static void take_form(struct unit *u, struct reader *r, uint32_t form, const char **text, uint32_t *number)
{
    switch (form) {
    case DW_FORM_string: *text = take_string(r); break;
    case DW_FORM_line_strp: *text = string_at(u->object, ".debug_line_str", take(r, 4)); break;
    case DW_FORM_strp: *text = string_at(u->object, ".debug_str", take(r, 4)); break;
    case DW_FORM_udata: *number = take_udata(r); break;
    case DW_FORM_data1: *number = take(r, 1); break;
    case DW_FORM_data2: *number = take(r, 2); break;
    case DW_FORM_data4: *number = take(r, 4); break;
    case DW_FORM_data8: *number = take(r, 8); break;
    case DW_FORM_data16: take(r, 16); break;
    case DW_FORM_block: take_part(r, take_udata(r)); break;
    default: r->failed = true;
    }
}

static void add_file(struct unit *u, const char *name, uint32_t directory)
{
    const char *in = directory < u->directories.count ? u->directories.at[directory] : "";
    *cy_vec_push(&u->lines->files) = (struct cy_line_file){in, name};
    u->file_count++;
}

static void read_entries(struct unit *u, struct reader *r, bool are_files)
{
    uint32_t kinds[2 * 256];
    unsigned formats = take(r, 1);
    for (unsigned i = 0; i < 2 * formats; i++)
        kinds[i] = take_udata(r);
    for (uint32_t count = take_udata(r); count-- > 0 && !r->failed;) {
        const char *path = "";
        uint32_t directory = 0;
        for (unsigned i = 0; i < formats; i++) {
            const char *text = "";
            uint32_t number = 0;
            take_form(u, r, kinds[2 * i + 1], &text, &number);
            if (kinds[2 * i] == DW_LNCT_path)
                path = text;
            else if (kinds[2 * i] == DW_LNCT_directory_index)
                directory = number;
        }
        if (!formats)
            r->failed = true; /* empty entries: their count would be the only bound */
        else if (are_files)
            add_file(u, path, directory);
        else
            *cy_vec_push(&u->directories) = path;
    }
}

/* Up to version 4, directories and files are numbered from 1. */
static void read_old_entries(struct unit *u, struct reader *r)
{
    const char *name;
    *cy_vec_push(&u->directories) = "";
    while (*(name = take_string(r)))
        *cy_vec_push(&u->directories) = name;
    add_file(u, "", 0);
    while (*(name = take_string(r))) {
        uint32_t directory = take_udata(r);
        take_udata(r);
        take_udata(r);
        add_file(u, name, directory);
    }
}

static bool read_header(struct unit *u, struct reader *r)
{
    u->version = take(r, 2);
    if (u->version < 2 || u->version > 5)
        return false;
    u->address_bytes = 4;
    if (u->version == 5) {
        u->address_bytes = take(r, 1);
        take(r, 1);
    }
    struct reader header = take_part(r, take(r, 4));
    u->step = take(&header, 1);
    if (u->version >= 4)
        take(&header, 1);
    take(&header, 1);
    u->line_base = (int8_t)take(&header, 1);
    u->line_range = take(&header, 1);
    u->opcode_base = take(&header, 1);
    for (unsigned i = 1; i < u->opcode_base; i++)
        u->operands[i] = (uint8_t)take(&header, 1);
    u->first_file = (uint32_t)u->lines->files.count;
    if (u->version == 5) {
        read_entries(u, &header, false);
        read_entries(u, &header, true);
    } else {
        read_old_entries(u, &header);
    }
    return !header.failed && !r->failed && u->line_range && u->opcode_base && u->address_bytes == 4;
}

struct state {
    uint32_t address, file, line, column;
};

static void add_row(struct unit *u, const struct state *s, bool is_end)
{
    uint32_t file = s->file < u->file_count ? u->first_file + s->file : UINT32_MAX;
    *cy_vec_push(&u->lines->rows) = (struct cy_line_row){
        .address = s->address, .file = file, .line = s->line, .column = s->column, .is_end = is_end};
}

static void run_extended(struct unit *u, struct reader *r, struct state *s)
{
    struct reader part = take_part(r, take_udata(r));
    unsigned opcode = take(&part, 1);
    if (opcode == DW_LNE_end_sequence) {
        add_row(u, s, true);
        *s = (struct state){.file = 1, .line = 1};
    } else if (opcode == DW_LNE_set_address) {
        s->address = take(&part, 4);
    }
}

static void run_standard(struct unit *u, struct reader *r, struct state *s, unsigned opcode)
{
    switch (opcode) {
    case DW_LNS_copy: add_row(u, s, false); break;
    case DW_LNS_advance_pc: s->address += u->step * take_udata(r); break;
    case DW_LNS_advance_line: s->line += (uint32_t)take_sdata(r); break;
    case DW_LNS_set_file: s->file = take_udata(r); break;
    case DW_LNS_set_column: s->column = take_udata(r); break;
    case DW_LNS_const_add_pc: s->address += u->step * ((255 - u->opcode_base) / u->line_range); break;
    case DW_LNS_fixed_advance_pc: s->address += take(r, 2); break;
    default:
        for (unsigned i = 0; i < u->operands[opcode]; i++)
            take_udata(r);
    }
}

static void run(struct unit *u, struct reader *r)
{
    struct state s = {.file = 1, .line = 1};
    while (r->at < r->end && !r->failed) {
        unsigned opcode = take(r, 1);
        if (opcode == 0) {
            run_extended(u, r, &s);
        } else if (opcode < u->opcode_base) {
            run_standard(u, r, &s, opcode);
        } else {
            opcode -= u->opcode_base;
            s.address += u->step * (opcode / u->line_range);
            s.line += (uint32_t)(u->line_base + (int32_t)(opcode % u->line_range));
            add_row(u, &s, false);
        }
    }
}

/* ---- all tables ---- */

/* By address; an end precedes a row at the same address, other rows keep their order. */
static int by_address(const void *left, const void *right)
{
    const struct cy_line_row *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->is_end != b->is_end)
        return a->is_end ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

bool cy_lines_read(struct cy_lines *lines, const struct cy_object *object)
{
    const struct cy_section *section = cy_object_find_section(object, ".debug_line");
    *lines = (struct cy_lines){0};
    if (!section || !section->data.size)
        return false;
    struct reader all = {(const uint8_t *)section->data.data, (const uint8_t *)section->data.data + section->data.size,
                         false};
    while (all.at < all.end && !all.failed) {
        struct unit u = {.object = object, .lines = lines};
        struct reader r = take_part(&all, take(&all, 4));
        if (read_header(&u, &r))
            run(&u, &r);
        cy_vec_free(&u.directories);
    }
    for (size_t i = 0; i < lines->rows.count; i++)
        lines->rows.at[i].order = (uint32_t)i;
    if (lines->rows.count)
        qsort(lines->rows.at, lines->rows.count, sizeof(*lines->rows.at), by_address);
    return lines->rows.count > 0;
}

const struct cy_line_row *cy_lines_find(const struct cy_lines *lines, uint32_t address)
{
    size_t low = 0, high = lines->rows.count; /* the first row after the address */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (lines->rows.at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct cy_line_row *row = low ? &lines->rows.at[low - 1] : NULL;
    return row && !row->is_end && row->file != UINT32_MAX ? row : NULL;
}

void cy_lines_path(const struct cy_lines *lines, const struct cy_line_row *row, struct cy_buf *path)
{
    const struct cy_line_file *file = &lines->files.at[row->file];
    if (*file->directory && *file->name != '/')
        cy_buf_printf(path, "%s/", file->directory);
    cy_buf_puts(path, file->name);
}

void cy_lines_free(struct cy_lines *lines)
{
    cy_vec_free(&lines->rows);
    cy_vec_free(&lines->files);
}
