/* The listing: every source line with the bytes it produced.
 *
 *    12 .text:00000008 00b50533            add a0, a0, a1 */
#include "as/as_priv.h"

#include <string.h>

void as_note_line(struct as *as, const char *text, uint32_t line, const struct cy_source *source,
                  const struct as_section *section, uint32_t start)
{
    uint32_t offset = (uint32_t)(text - source->text);
    struct as_list_line *last = as->list_lines.count ? &as->list_lines.at[as->list_lines.count - 1] : NULL;
    if (last && last->source == source && last->line == line && last->section == section && last->end == start) {
        last->end = as_here(section); /* several statements on a line */
        return;
    }
    *cy_vec_push(&as->list_lines) = (struct as_list_line){
        .source = source,
        .section = section,
        .line = line,
        .text_offset = offset,
        .start = start,
        .end = as_here(section),
    };
}

static struct as_text source_line(const struct as_list_line *line)
{
    const char *text = line->source->text;
    size_t begin = line->text_offset, end = begin;
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    while (end < line->source->size && text[end] != '\n')
        end++;
    if (end > begin && text[end - 1] == '\r')
        end--;
    return (struct as_text){text + begin, (uint32_t)(end - begin)};
}

/* Code as words, data as bytes; at most eight bytes a line. */
static void print_bytes(struct cy_buf *out, const struct as_list_line *line, uint32_t at)
{
    const struct as_section *section = line->section;
    uint32_t count = line->end - at < 8 ? line->end - at : 8;
    size_t column = out->size;
    bool is_code = (section->flags & CY_SHF_EXECINSTR) && at % 4 == 0 && count % 4 == 0;
    for (uint32_t i = 0; i < count && section->type != CY_SHT_NOBITS; i++) {
        uint32_t byte = is_code ? (i & ~3u) + 3 - (i & 3) : i;
        cy_buf_printf(out, "%s%02x", is_code && i == 4 ? " " : "", (unsigned char)section->data.data[at + byte]);
    }
    while (out->size - column < 18)
        cy_buf_putc(out, ' ');
}

void as_print_listing(struct as *as, struct cy_buf *out)
{
    for (size_t i = 0; i < as->list_lines.count; i++) {
        const struct as_list_line *line = &as->list_lines.at[i];
        struct as_text text = source_line(line);
        uint32_t at = line->start;
        bool same_text = i > 0 && line[-1].source == line->source && line[-1].line == line->line;
        do {
            bool first = at == line->start && !same_text;
            if (first)
                cy_buf_printf(out, "%6u ", line->line);
            else
                cy_buf_puts(out, "       ");
            if (line->end > line->start)
                cy_buf_printf(out, "%s:%08x ", line->section->name, at);
            else
                cy_buf_puts(out, "               ");
            if (line->end > line->start)
                print_bytes(out, line, at);
            else
                cy_buf_puts(out, "                  ");
            if (first)
                cy_buf_append(out, text.text, text.length);
            cy_buf_putc(out, '\n');
            at += 8;
        } while (at < line->end && line->section->type != CY_SHT_NOBITS && at - line->start < 64);
        if (at < line->end)
            cy_buf_printf(out, "       ... %u bytes in total\n", line->end - line->start);
    }
}
