#include "base/json.h"

#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What stands before a value or a key. */
static void separate(struct cy_json *json)
{
    if (json->has_key || !json->depth) {
        json->has_key = false;
        return;
    }
    if (json->has_items[json->depth - 1])
        cy_buf_putc(json->out, ',');
    json->has_items[json->depth - 1] = true;
}

/* A value is an element of an array, follows a key, or is the whole text. */
static void begin_value(struct cy_json *json)
{
    assert((json->has_key || !json->depth || json->closing[json->depth - 1] == ']') &&
           "a value inside an object has a key");
    separate(json);
}

void cy_json_begin(struct cy_json *json, char bracket)
{
    assert((bracket == '{' || bracket == '[') && json->depth < CY_JSON_DEPTH && "brackets are { and [, not too deep");
    begin_value(json);
    cy_buf_putc(json->out, bracket);
    json->has_items[json->depth] = false;
    json->closing[json->depth++] = bracket == '{' ? '}' : ']';
}

void cy_json_end(struct cy_json *json)
{
    assert(json->depth && !json->has_key && "something is open, and no key lacks its value");
    cy_buf_putc(json->out, json->closing[--json->depth]);
}

static void put_string(struct cy_json *json, const char *text, size_t size)
{
    static const char escapes[] = "\bb\tt\nn\ff\rr\"\"\\\\"; /* pairs */
    struct cy_buf *out = json->out;
    cy_buf_putc(out, '"');
    for (size_t i = 0; i < size;) {
        const char *at = text + i;
        size_t length = cy_utf8_length(at, size - i);
        const char *escape = NULL;
        for (const char *pair = escapes; *pair && !escape; pair += 2)
            escape = *pair == *at ? pair : NULL;
        if (escape)
            cy_buf_printf(out, "\\%c", escape[1]);
        else if ((unsigned char)*at < ' ' || *at == 0x7f)
            cy_buf_printf(out, "\\u%04x", (unsigned)*at);
        else if (!length && !json->any_bytes)
            cy_buf_puts(out, "\xef\xbf\xbd");
        else
            cy_buf_append(out, at, length ? length : 1);
        i += length ? length : 1;
    }
    cy_buf_putc(out, '"');
}

void cy_json_key(struct cy_json *json, const char *key)
{
    assert(json->depth && json->closing[json->depth - 1] == '}' && !json->has_key && "keys are for objects");
    separate(json);
    put_string(json, key, strlen(key));
    cy_buf_putc(json->out, ':');
    json->has_key = true;
}

void cy_json_bytes(struct cy_json *json, const char *text, size_t size)
{
    begin_value(json);
    put_string(json, text, size);
}

void cy_json_string(struct cy_json *json, const char *text)
{
    cy_json_bytes(json, text, strlen(text));
}

void cy_json_int(struct cy_json *json, int64_t number)
{
    begin_value(json);
    cy_buf_printf(json->out, "%" PRId64, number);
}

void cy_json_uint(struct cy_json *json, uint64_t number)
{
    begin_value(json);
    cy_buf_printf(json->out, "%" PRIu64, number);
}

void cy_json_double(struct cy_json *json, double number)
{
    if (!isfinite(number)) {
        cy_json_null(json);
        return;
    }
    begin_value(json);
    size_t start = json->out->size;
    cy_buf_printf(json->out, "%.17g", number);
    for (size_t i = start; i < json->out->size; i++) /* the host's locale may have a decimal comma */
        if (!strchr("0123456789+-e", json->out->data[i]))
            json->out->data[i] = '.';
    if (!strpbrk(json->out->data + start, ".e"))
        cy_buf_puts(json->out, ".0"); /* an integer to some readers, for which -0 is 0 */
}

void cy_json_bool(struct cy_json *json, bool value)
{
    begin_value(json);
    cy_buf_puts(json->out, value ? "true" : "false");
}

void cy_json_null(struct cy_json *json)
{
    begin_value(json);
    cy_buf_puts(json->out, "null");
}
