/* Source lines between the instructions, as llvm-objdump -l and -S show them. */
#include "dis/dis_priv.h"

#include <string.h>

struct dis_text {
    bool is_read;
    struct cy_buf text;
    CY_VEC(uint32_t) starts; /* of its lines */
};

void dis_lines_open(struct dis_lines *l, const struct cy_dis *listing, const struct cy_object *object)
{
    *l = (struct dis_lines){.lines_too = listing->lines, .sources_too = listing->sources, .last_line = UINT32_MAX};
    l->is_on = (listing->lines || listing->sources) && cy_lines_read(&l->lines, object);
    if (l->is_on) {
        cy_sources_read(&l->sources, object);
        l->texts = cy_xrealloc(NULL, (l->lines.files.count + 1) * sizeof(*l->texts));
        memset(l->texts, 0, (l->lines.files.count + 1) * sizeof(*l->texts));
    }
}

/* A file that cannot be read has no text to show; its name and line numbers are still printed. */
static void read_text(struct dis_text *text, const struct cy_sources *sources, const char *path)
{
    text->is_read = true;
    if (cy_sources_text(sources, path, &text->text) && text->text.size)
        for (size_t at = 0; at < text->text.size;) {
            *cy_vec_push(&text->starts) = (uint32_t)at;
            const char *next = memchr(text->text.data + at, '\n', text->text.size - at);
            at = next ? (size_t)(next - text->text.data) + 1 : text->text.size;
        }
}

static void put_source(struct dis_text *text, uint32_t line, struct cy_buf *out)
{
    if (!line || line > text->starts.count)
        return;
    const char *at = text->text.data + text->starts.at[line - 1];
    size_t length = strcspn(at, "\r\n");
    cy_buf_puts(out, "; ");
    cy_buf_append(out, at, length);
    cy_buf_putc(out, '\n');
}

void dis_lines_put(struct dis_lines *l, uint32_t address, const struct dis_label *function, struct cy_buf *out)
{
    const struct cy_line_row *row = l->is_on ? cy_lines_find(&l->lines, address) : NULL;
    uint32_t file = row ? row->file : UINT32_MAX, line = row ? row->line : 0;
    if (l->lines_too && function && function->name != l->last_function)
        cy_buf_printf(out, "; %s():\n", function->name);
    if (line && (file != l->last_file || line != l->last_line)) {
        struct cy_buf path = {0};
        cy_lines_path(&l->lines, row, &path);
        if (l->lines_too)
            cy_buf_printf(out, "; %s:%u\n", path.data, row->line);
        struct dis_text *text = &l->texts[row->file];
        if (l->sources_too && !text->is_read)
            read_text(text, &l->sources, path.data);
        if (l->sources_too)
            put_source(text, row->line, out);
        cy_buf_free(&path);
    }
    l->last_function = function ? function->name : NULL;
    l->last_file = file;
    l->last_line = line;
}

void dis_lines_close(struct dis_lines *l)
{
    for (size_t i = 0; l->texts && i < l->lines.files.count; i++) {
        cy_buf_free(&l->texts[i].text);
        cy_vec_free(&l->texts[i].starts);
    }
    cy_free(l->texts);
    cy_sources_free(&l->sources);
    cy_lines_free(&l->lines);
}
