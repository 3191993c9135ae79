/* Reading JSON (RFC 8259) into a tree. */
#include "base/json_read.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

struct reader {
    struct cy_arena *arena;
    const char *start, *at, *end;
    unsigned depth;
    const char *why; /* NULL: no error yet */
};

static bool fail(struct reader *reader, const char *why)
{
    if (!reader->why)
        reader->why = why;
    return false;
}

static void skip(struct reader *reader)
{
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at)
        reader->at++;
}

static bool take(struct reader *reader, char c)
{
    skip(reader);
    if (reader->at == reader->end || *reader->at != c)
        return false;
    reader->at++;
    return true;
}

static void put_code_point(struct cy_buf *out, uint32_t c)
{
    if (c < 0x80) {
        cy_buf_putc(out, (char)c);
    } else if (c < 0x800) {
        cy_buf_putc(out, (char)(0xc0 | c >> 6));
        cy_buf_putc(out, (char)(0x80 | (c & 63)));
    } else if (c < 0x10000) {
        cy_buf_putc(out, (char)(0xe0 | c >> 12));
        cy_buf_putc(out, (char)(0x80 | (c >> 6 & 63)));
        cy_buf_putc(out, (char)(0x80 | (c & 63)));
    } else {
        cy_buf_putc(out, (char)(0xf0 | c >> 18));
        cy_buf_putc(out, (char)(0x80 | (c >> 12 & 63)));
        cy_buf_putc(out, (char)(0x80 | (c >> 6 & 63)));
        cy_buf_putc(out, (char)(0x80 | (c & 63)));
    }
}

static bool take_hex(struct reader *reader, uint32_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < 4; i++, reader->at++) {
        static const char digits[] = "0123456789abcdef";
        const char c = reader->at < reader->end ? *reader->at : 0;
        const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
        if (!digit)
            return fail(reader, "\\u needs four hexadecimal digits");
        *value = *value << 4 | (uint32_t)(digit - digits);
    }
    return true;
}

static bool read_escape(struct reader *reader, struct cy_buf *out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char c = reader->at < reader->end ? *reader->at++ : 0;
    const char *name = c ? strchr(names, c) : NULL;
    uint32_t first, second;
    if (name) {
        cy_buf_putc(out, values[name - names]);
        return true;
    }
    if (c != 'u')
        return fail(reader, "unknown escape in a string");
    if (!take_hex(reader, &first))
        return false;
    if (first >= 0xd800 && first < 0xdc00 && reader->end - reader->at >= 6 && reader->at[0] == '\\' &&
        reader->at[1] == 'u') {
        reader->at += 2;
        if (!take_hex(reader, &second))
            return false;
        first = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    }
    put_code_point(out, first < 0x110000 ? first : 0xfffd);
    return true;
}

static bool read_string(struct reader *reader, const char **text)
{
    struct cy_buf out = {0};
    bool ok = take(reader, '"') || fail(reader, "expected a string");
    while (ok && reader->at < reader->end && *reader->at != '"') {
        const char c = *reader->at++;
        if (c == '\\')
            ok = read_escape(reader, &out);
        else if ((unsigned char)c < 0x20)
            ok = fail(reader, "a control character in a string");
        else
            cy_buf_putc(&out, c);
    }
    ok = ok && (take(reader, '"') || fail(reader, "the string has no end"));
    *text = cy_arena_strndup(reader->arena, out.data ? out.data : "", out.size);
    cy_buf_free(&out);
    return ok;
}

static bool read_value(struct reader *reader, struct cy_json_value *value);

/* Objects and arrays: their members are a list. */
static bool read_members(struct reader *reader, struct cy_json_value *value, char close)
{
    struct cy_json_value **next = &value->first;
    if (++reader->depth > MOST_DEPTH)
        return fail(reader, "nested too deeply");
    if (!take(reader, close)) {
        do {
            struct cy_json_value *member = cy_arena_alloc(reader->arena, sizeof(*member));
            if (close == '}' &&
                (!read_string(reader, &member->key) || !(take(reader, ':') || fail(reader, "expected ':'"))))
                return false;
            if (!read_value(reader, member))
                return false;
            *next = member;
            next = &member->next;
        } while (take(reader, ','));
        if (!take(reader, close))
            return fail(reader, close == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    reader->depth--;
    return true;
}

static bool read_word(struct reader *reader, struct cy_json_value *value)
{
    static const struct {
        const char *text;
        enum cy_json_kind kind;
        double number;
    } words[] = {{"true", CY_JSON_BOOL, 1}, {"false", CY_JSON_BOOL, 0}, {"null", CY_JSON_NULL, 0}};
    for (size_t i = 0; i < CY_COUNT(words); i++)
        if ((size_t)(reader->end - reader->at) >= strlen(words[i].text) &&
            !strncmp(reader->at, words[i].text, strlen(words[i].text))) {
            reader->at += strlen(words[i].text);
            value->kind = words[i].kind;
            value->number = words[i].number;
            return true;
        }
    char *end; /* the text ends with a zero byte */
    value->kind = CY_JSON_NUMBER;
    value->number = strtod(reader->at, &end);
    if (end == reader->at || !strchr("-0123456789", *reader->at))
        return fail(reader, "expected a value");
    reader->at = end;
    return true;
}

static bool read_value(struct reader *reader, struct cy_json_value *value)
{
    skip(reader);
    if (reader->at == reader->end)
        return fail(reader, "the text ends where a value is expected");
    if (*reader->at == '{' || *reader->at == '[') {
        const char open = *reader->at++;
        value->kind = open == '{' ? CY_JSON_OBJECT : CY_JSON_ARRAY;
        return read_members(reader, value, open == '{' ? '}' : ']');
    }
    if (*reader->at == '"') {
        value->kind = CY_JSON_STRING;
        return read_string(reader, &value->text);
    }
    return read_word(reader, value);
}

const struct cy_json_value *cy_json_read(struct cy_arena *arena, const char *name, const struct cy_buf *text,
                                         struct cy_diags *diags)
{
    const char *data = text->data ? text->data : "";
    struct reader reader = {.arena = arena, .start = data, .at = data, .end = data + text->size};
    struct cy_json_value *value = cy_arena_alloc(arena, sizeof(*value));
    bool ok = read_value(&reader, value);
    skip(&reader);
    ok = ok && (reader.at == reader.end || fail(&reader, "nothing more is expected"));
    if (ok)
        return value;
    struct cy_source source = {.name = name, .text = data, .size = text->size};
    struct cy_loc loc = {&source, 1, (uint32_t)(reader.at - data), 1};
    for (const char *at = data; at < reader.at; at++)
        loc.line += *at == '\n';
    cy_diag(diags, CY_ERROR, &loc, "%s", reader.why);
    return NULL;
}

const struct cy_json_value *cy_json_get(const struct cy_json_value *object, const char *key)
{
    for (const struct cy_json_value *member = object ? object->first : NULL; member; member = member->next)
        if (member->key && !strcmp(member->key, key))
            return member;
    return NULL;
}

double cy_json_number(const struct cy_json_value *object, const char *key)
{
    const struct cy_json_value *member = cy_json_get(object, key);
    return member && member->kind == CY_JSON_NUMBER ? member->number : 0;
}

const char *cy_json_text(const struct cy_json_value *object, const char *key)
{
    const struct cy_json_value *member = cy_json_get(object, key);
    return member && member->kind == CY_JSON_STRING ? member->text : "";
}
