#include "page_table.h"

#include "base/file.h"
#include "options.h"

#include <string.h>

enum { MOST_WORDS = 6, PAGE = 4096 };

struct line {
    struct cy_loc loc;
    char words[MOST_WORDS][32];
    unsigned count;
};

static bool wrong(const struct line *line, const char *what, struct cy_diags *diags)
{
    cy_diag(diags, CY_ERROR, &line->loc, "%s", what);
    return false;
}

static bool rights_of(const char *text, unsigned *rights)
{
    *rights = 0;
    for (; *text; text++) {
        unsigned right = *text == 'r'   ? CY_SPACE_READ
                         : *text == 'w' ? CY_SPACE_WRITE
                         : *text == 'x' ? CY_SPACE_EXECUTE
                                        : 0;
        if (!right || *rights & right)
            return false;
        *rights |= right;
    }
    return *rights != 0;
}

static bool read_argument(const struct line *line, struct cy_page_mapping *made, struct cy_run_argument *arguments,
                          size_t count, struct cy_diags *diags)
{
    uint64_t number;
    if (!cy_parse_number(line->words[3], UINT32_MAX, &number) || number >= count ||
        arguments[number].kind != CY_ARG_BUFFER)
        return wrong(line, "there is no such argument, or it is not a buffer", diags);
    if (!arguments[number].is_wide && made->virtual_address >> 32)
        return wrong(line, "this kernel's pointers have 32 bits", diags);
    made->argument = (int)number;
    arguments[number].virtual_address = made->virtual_address;
    return true;
}

static bool read_line(struct cy_page_table *table, const struct line *line, struct cy_run_argument *arguments,
                      size_t count, struct cy_diags *diags)
{
    struct cy_page_mapping made = {.argument = -1, .level = -1};
    uint64_t level;
    const char(*words)[32] = line->words;
    bool ok;
    if (!strcmp(words[0], "entry")) {
        ok = line->count == 4 && cy_parse_number(words[1], 2, &level) &&
             cy_parse_number(words[2], UINT64_MAX, &made.virtual_address) &&
             cy_parse_number(words[3], UINT64_MAX, &made.entry);
        made.level = ok ? (int)level : 0;
        if (!ok)
            return wrong(line, "expected 'entry LEVEL VIRTUAL VALUE', with level 0, 1 or 2", diags);
    } else {
        ok = !strcmp(words[0], "map") && line->count == 5 &&
             cy_parse_number(words[1], UINT64_MAX, &made.virtual_address) && made.virtual_address % PAGE == 0 &&
             rights_of(words[4], &made.rights);
        bool is_argument = ok && !strcmp(words[2], "argument");
        if (is_argument && !read_argument(line, &made, arguments, count, diags))
            return false;
        ok = ok && (is_argument || (cy_parse_number(words[2], UINT64_MAX, &made.physical) &&
                                    cy_parse_number(words[3], UINT64_MAX, &made.size)));
        if (!ok)
            return wrong(
                line, "expected 'map VIRTUAL argument N RIGHTS' or 'map VIRTUAL PHYSICAL SIZE RIGHTS', of whole pages",
                diags);
    }
    *cy_vec_push(&table->lines) = made;
    return true;
}

static void split_words(struct line *line, const char *at, const char *end)
{
    line->count = 0;
    memset(line->words, 0, sizeof(line->words));
    while (at < end && *at != '#') {
        size_t length = strcspn(at, " \t\r\n#");
        length = length > (size_t)(end - at) ? (size_t)(end - at) : length;
        if (length) {
            if (line->count < MOST_WORDS)
                memcpy(line->words[line->count], at, length < 31 ? length : 31);
            line->count++;
        }
        at += length ? length : 1;
    }
}

bool cy_page_table_read(struct cy_page_table *table, const char *path, struct cy_run_argument *arguments, size_t count,
                        struct cy_diags *diags)
{
    struct cy_buf text = {0};
    bool ok = cy_file_read(path, &text, diags);
    struct cy_source source = {.name = path, .text = text.data ? text.data : "", .size = text.size};
    uint32_t number = 1;
    for (size_t at = 0; ok && at < text.size; number++) {
        const char *start = source.text + at, *end = memchr(start, '\n', text.size - at);
        end = end ? end : source.text + text.size;
        struct line line = {
            .loc = {&source, number, (uint32_t)at, (uint32_t)(end - start) ? (uint32_t)(end - start) : 1}};
        split_words(&line, start, end);
        ok = !line.count || read_line(table, &line, arguments, count, diags);
        at += (size_t)(end - start) + 1;
    }
    cy_buf_free(&text);
    return ok;
}

bool cy_page_table_install(const struct cy_page_table *table, struct cy_device *device,
                           const struct cy_run_argument *arguments, struct cy_space **space, struct cy_diags *diags)
{
    enum cy_status status = cy_space_create(device, space);
    for (size_t i = 0; i < table->lines.count && status == CY_OK; i++) {
        struct cy_page_mapping line = table->lines.at[i];
        if (line.argument >= 0) {
            line.physical = arguments[line.argument].address;
            line.size = (arguments[line.argument].size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
        }
        status = line.level >= 0 ? cy_space_set_entry(*space, line.virtual_address, (unsigned)line.level, line.entry)
                                 : cy_space_map(*space, line.virtual_address, line.physical, line.size, line.rights);
        if (status != CY_OK)
            cy_diag_file(diags, CY_ERROR, NULL, "--page-table: cannot map 0x%llx: %s",
                         (unsigned long long)line.virtual_address, cy_status_text(status));
    }
    if (status != CY_OK && !*space)
        cy_diag_file(diags, CY_ERROR, NULL, "--page-table: %s", cy_status_text(status));
    return status == CY_OK;
}

void cy_page_table_free(struct cy_page_table *table)
{
    cy_vec_free(&table->lines);
}
