#include "base/toml.h"

#include <string.h>

#include "base/file.h"

struct reader {
    struct cy_toml *toml;
    struct cy_diags *diags;
    const char *at;
    uint32_t line;
    const char *table;
    struct cy_loc table_loc;
    uint32_t element, elements; /* of the table being read; of all arrays of tables so far */
};

static struct cy_loc place(const struct reader *reader, const char *at, size_t length)
{
    return (struct cy_loc){&reader->toml->source, reader->line, (uint32_t)(at - reader->toml->text.data),
                           (uint32_t)(length ? length : 1)};
}

static bool fail(struct reader *reader, const char *at, size_t length, const char *message)
{
    const struct cy_loc loc = place(reader, at, length);
    cy_diag(reader->diags, CY_ERROR, &loc, "%s", message);
    return false;
}

/* Blanks and comments; with `lines` line ends too. */
static void skip(struct reader *reader, bool lines)
{
    for (;; reader->at++) {
        if (*reader->at == '#')
            reader->at += strcspn(reader->at, "\n");
        if (*reader->at == '\n' && lines)
            reader->line++;
        else if (*reader->at != ' ' && *reader->at != '\t' && *reader->at != '\r')
            return;
    }
}

static size_t bare(const char *at)
{
    return strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
}

static bool read_string(struct reader *reader, struct cy_toml_value *value)
{
    const char quote = *reader->at, *start = reader->at;
    struct cy_buf text = {0};
    for (reader->at++; *reader->at && *reader->at != quote && *reader->at != '\n'; reader->at++) {
        if (*reader->at == '\\' && quote == '"') {
            static const char names[] = "ntr\"\\", values[] = "\n\t\r\"\\";
            const char *name = reader->at[1] ? strchr(names, reader->at[1]) : NULL;
            if (!name) {
                cy_buf_free(&text);
                return fail(reader, reader->at, 2, "unknown escape in a string; \\n, \\t, \\r, \\\" and \\\\ exist");
            }
            cy_buf_putc(&text, values[name - names]);
            reader->at++;
        } else {
            cy_buf_putc(&text, *reader->at);
        }
    }
    if (*reader->at != quote) {
        cy_buf_free(&text);
        return fail(reader, start, (size_t)(reader->at - start), "the string does not end on its line");
    }
    reader->at++;
    value->kind = CY_TOML_STRING;
    value->text = cy_arena_strndup(&reader->toml->arena, text.data ? text.data : "", text.size);
    value->loc = place(reader, start, (size_t)(reader->at - start));
    cy_buf_free(&text);
    return true;
}

static bool read_value(struct reader *reader, struct cy_toml_value *value)
{
    if (*reader->at == '"' || *reader->at == '\'')
        return read_string(reader, value);
    const size_t length = strcspn(reader->at, " \t\r\n,]#");
    const bool is_bool =
        (length == 4 && !strncmp(reader->at, "true", 4)) || (length == 5 && !strncmp(reader->at, "false", 5));
    if (!length)
        return fail(reader, reader->at, 1, "a value is missing");
    if (!is_bool && !strchr("+-.0123456789", *reader->at))
        return fail(reader, reader->at, length, "neither a number nor true or false; text needs quotes");
    value->kind = is_bool ? CY_TOML_BOOL : CY_TOML_NUMBER;
    value->text = cy_arena_strndup(&reader->toml->arena, reader->at, length);
    value->loc = place(reader, reader->at, length);
    reader->at += length;
    return true;
}

static bool read_array(struct reader *reader, struct cy_toml_entry *entry)
{
    const char *start = reader->at++;
    const uint32_t line = reader->line;
    entry->is_array = true;
    for (;;) {
        struct cy_toml_value value;
        skip(reader, true);
        if (*reader->at == ']')
            break;
        if (!*reader->at) {
            reader->line = line;
            return fail(reader, start, 1, "the array has no end");
        }
        if (!read_value(reader, &value))
            return false;
        *cy_vec_push(&entry->values) = value;
        skip(reader, true);
        if (*reader->at == ',')
            reader->at++;
        else if (*reader->at && *reader->at != ']')
            return fail(reader, reader->at, 1, "expected ',' or ']'");
    }
    reader->at++;
    return true;
}

static bool read_heading(struct reader *reader)
{
    const char *start = reader->at;
    const bool is_array = start[1] == '[';
    reader->at += 1 + is_array;
    skip(reader, false);
    const size_t length = bare(reader->at);
    if (!length)
        return fail(reader, start, 1, "a table's name is missing");
    reader->table = cy_arena_strndup(&reader->toml->arena, reader->at, length);
    reader->table_loc = place(reader, reader->at, length);
    reader->element = is_array ? ++reader->elements : 0;
    reader->at += length;
    skip(reader, false);
    if (strncmp(reader->at, is_array ? "]]" : "]", 1u + is_array) != 0)
        return fail(reader, start, (size_t)(reader->at - start), is_array ? "expected ']]'" : "expected ']'");
    reader->at += 1 + is_array;
    return true;
}

static bool read_pair(struct reader *reader)
{
    const size_t length = bare(reader->at);
    if (!length)
        return fail(reader, reader->at, 1, "expected 'key = value' or '[table]'");
    struct cy_toml_entry entry = {.table = reader->table,
                                  .table_loc = reader->table_loc,
                                  .element = reader->element,
                                  .key = cy_arena_strndup(&reader->toml->arena, reader->at, length),
                                  .loc = place(reader, reader->at, length)};
    for (size_t i = reader->toml->entries.count; i-- > 0;) {
        const struct cy_toml_entry *other = &reader->toml->entries.at[i];
        if (entry.element && other->element != entry.element)
            break; /* the keys of an element stand together, and there may be thousands of elements */
        if (!strcmp(other->table, entry.table) && other->element == entry.element && !strcmp(other->key, entry.key))
            return fail(reader, reader->at, length, "the key is there already");
    }
    reader->at += length;
    skip(reader, false);
    if (*reader->at != '=')
        return fail(reader, reader->at, 1, "expected '=' after the key");
    reader->at++;
    skip(reader, false);
    struct cy_toml_value value;
    bool ok = *reader->at == '[' ? read_array(reader, &entry) : read_value(reader, &value);
    if (ok && !entry.is_array)
        *cy_vec_push(&entry.values) = value;
    if (ok)
        *cy_vec_push(&reader->toml->entries) = entry;
    else
        cy_vec_free(&entry.values);
    return ok;
}

/* The text is there. */
static bool read_all(struct cy_toml *toml, const char *name, struct cy_diags *diags)
{
    if (!toml->text.data)
        cy_buf_puts(&toml->text, "");
    if (memchr(toml->text.data, 0, toml->text.size)) {
        cy_diag_file(diags, CY_ERROR, name, "not a text file");
        return false;
    }
    toml->source = (struct cy_source){
        .name = cy_arena_printf(&toml->arena, "%s", name), .text = toml->text.data, .size = toml->text.size};
    struct reader reader = {.toml = toml, .diags = diags, .at = toml->source.text, .line = 1, .table = ""};
    for (skip(&reader, true); *reader.at; skip(&reader, true)) {
        if (!(*reader.at == '[' ? read_heading(&reader) : read_pair(&reader)))
            return false;
        skip(&reader, false);
        if (*reader.at && *reader.at != '\n')
            return fail(&reader, reader.at, strcspn(reader.at, "\r\n"), "nothing more is expected on this line");
    }
    return true;
}

bool cy_toml_read(struct cy_toml *toml, const char *path, struct cy_diags *diags)
{
    *toml = (struct cy_toml){0};
    return cy_file_read(path, &toml->text, diags) && read_all(toml, path, diags);
}

bool cy_toml_parse(struct cy_toml *toml, const char *name, const char *text, size_t size, struct cy_diags *diags)
{
    *toml = (struct cy_toml){0};
    cy_buf_append(&toml->text, text, size);
    return read_all(toml, name, diags);
}

void cy_toml_free(struct cy_toml *toml)
{
    for (size_t i = 0; i < toml->entries.count; i++)
        cy_vec_free(&toml->entries.at[i].values);
    cy_vec_free(&toml->entries);
    cy_arena_free(&toml->arena);
    cy_buf_free(&toml->text);
    *toml = (struct cy_toml){0};
}

bool cy_toml_number(const struct cy_toml_value *value, uint64_t *number)
{
    const char *at = value->text;
    unsigned base = 10;
    if (value->kind != CY_TOML_NUMBER)
        return false;
    if (at[0] == '0' && at[1] == 'x') {
        base = 16;
        at += 2;
    }
    uint64_t sum = 0;
    size_t digits = 0;
    for (; *at; at++) {
        if (*at == '_' && digits && at[1])
            continue;
        const char *all = "0123456789abcdef", *found = strchr(all, *at >= 'A' && *at <= 'F' ? *at + 32 : *at);
        const unsigned digit = found ? (unsigned)(found - all) : base;
        if (digit >= base || sum > (UINT64_MAX - digit) / base)
            return false;
        sum = sum * base + digit;
        digits++;
    }
    *number = sum;
    return digits > 0;
}

/* ---- writing ---- */

void cy_toml_put_text(struct cy_buf *out, const char *text)
{
    static const char plain[] = "\n\t\r\"\\", escaped[] = "ntr\"\\";
    cy_buf_putc(out, '"');
    for (; *text; text++) {
        const char *found = strchr(plain, *text);
        if (found) {
            cy_buf_putc(out, '\\');
            cy_buf_putc(out, escaped[found - plain]);
        } else {
            cy_buf_putc(out, (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
        }
    }
    cy_buf_putc(out, '"');
}
