#include "jit_assembly.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dis/dis.h"
#include "obj/lines.h"

struct listing {
    struct cy_object program;
    struct cy_lines lines;
    bool has_lines;
    const struct cy_jit_request *request;
    uint32_t last_word, last_line;
    struct cy_buf *out;
};

/* The line of the source, if it is not that of the instruction before. */
static void put_source(struct listing *l, uint32_t pc)
{
    const struct cy_line_row *row = l->has_lines ? cy_lines_find(&l->lines, pc) : NULL;
    if (!row || !row->line || row->line == l->last_line)
        return;
    struct cy_buf path = {0};
    cy_lines_path(&l->lines, row, &path);
    cy_buf_printf(l->out, "# %s:%" PRIu32 "\n", path.data, row->line);
    cy_buf_free(&path);
    l->last_line = row->line;
}

/* "0x80000120: vadd.vv v1, v2, v3"; a prefix before it belongs to it. */
static void put_guest(struct listing *l, uint32_t pc)
{
    struct cy_insn insn;
    struct cy_buf text = {0};
    const enum cy_target target = cy_dis_target(&l->program);
    const uint32_t *word = (const uint32_t *)(l->request + 1) + (pc - l->request->code_base) / 4;
    const bool is_first = pc == l->request->code_base;
    if ((!is_first && cy_decode(target, word - 1, 2, &insn) == CY_DECODE_OK && insn.size == 8) ||
        cy_decode(target, word, 1, &insn) == CY_DECODE_OK)
        cy_print(&text, target, &insn, pc, CY_PRINT_CSR_NAMES);
    for (char *at = text.data; at && *at; at++)
        *at = *at == '\t' ? ' ' : *at;
    cy_buf_printf(l->out, "# 0x%08" PRIx32 ": %s\n", pc, text.data ? text.data : "");
    cy_buf_free(&text);
}

static void put_location(struct listing *l, const char *line)
{
    uint32_t file, word;
    if (sscanf(line, " .loc %" SCNu32 " %" SCNu32, &file, &word) != 2 || !word || word == l->last_word ||
        word > l->request->code_bytes / 4)
        return;
    const uint32_t pc = l->request->code_base + 4 * (word - 1);
    l->last_word = word;
    put_source(l, pc);
    put_guest(l, pc);
}

/* Directives describe the object; these labels are theirs, or constants'. */
static bool is_code(const char *line)
{
    const bool is_label = *line != '\t' && *line != ' ';
    if (is_label)
        return *line && strncmp(line, ".Ltmp", 5) != 0 && strncmp(line, ".Lfunc", 6) != 0 &&
               strncmp(line, ".LCPI", 5) != 0;
    return line[strspn(line, " \t")] != '.';
}

static void put_line(struct listing *l, const char *line, size_t length)
{
    struct cy_buf text = {0};
    cy_buf_append(&text, line, length);
    cy_buf_append(&text, "", 1);
    if (strncmp(text.data, "\t.loc\t", 6) == 0)
        put_location(l, text.data);
    else if (is_code(text.data))
        cy_buf_printf(l->out, "%s\n", text.data);
    cy_buf_free(&text);
}

void cy_jit_put_assembly(const char *assembly, const char *name, const struct cy_buf *elf,
                         const struct cy_jit_request *request, struct cy_buf *out)
{
    struct listing l = {.request = request, .out = out};
    struct cy_diags unheard = {0}; /* it was read before */
    if (!cy_object_read(&l.program, name, elf->data, elf->size, &unheard))
        return;
    l.has_lines = cy_lines_read(&l.lines, &l.program);
    for (const char *at = assembly; *at && strncmp(at, "\t.section\t.debug", 16) != 0;) {
        const size_t length = strcspn(at, "\n");
        put_line(&l, at, length);
        at += length + (at[length] == '\n');
    }
    cy_lines_free(&l.lines);
    cy_object_free(&l.program);
    cy_diags_free(&unheard);
}
