#include "base/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool cy_word_is(struct cy_word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

bool cy_word_number(struct cy_word word, uint64_t *value)
{
    char digits[40];
    if (word.length == 0 || word.length >= sizeof(digits) || !isdigit((unsigned char)word.text[0]))
        return false;
    memcpy(digits, word.text, word.length);
    digits[word.length] = 0;
    char *end;
    unsigned long long number = strtoull(digits, &end, 0);
    unsigned shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    end += shift != 0;
    if (*end || number > UINT64_MAX >> shift || (number == UINT64_MAX && shift == 0))
        return false;
    *value = (uint64_t)number << shift;
    return true;
}

bool cy_settings_fail(const struct cy_settings *settings, struct cy_word word, const char *format, ...)
{
    struct cy_buf text = {0};
    va_list args;
    va_start(args, format);
    cy_buf_vprintf(&text, format, args);
    va_end(args);
    if (settings->source) {
        struct cy_loc loc = {settings->source, settings->line, (uint32_t)(word.text - settings->source->text),
                             (uint32_t)(word.length ? word.length : 1)};
        cy_diag(settings->diags, CY_ERROR, &loc, "%s", text.data);
    } else {
        cy_diag_file(settings->diags, CY_ERROR, NULL, "%s", text.data);
    }
    cy_buf_free(&text);
    return false;
}

bool cy_settings_unknown(const struct cy_settings *settings, struct cy_word key, const char *nearest)
{
    if (nearest)
        return cy_settings_fail(settings, key, "unknown %s '%.*s'; did you mean '%s'?", settings->kind, (int)key.length,
                                key.text, nearest);
    return cy_settings_fail(settings, key, "unknown %s '%.*s'", settings->kind, (int)key.length, key.text);
}

bool cy_settings_no_value(const struct cy_settings *settings, struct cy_word key, struct cy_word value)
{
    return cy_settings_fail(settings, value, "no value for '%.*s': expected '%.*s = value'", (int)key.length, key.text,
                            (int)key.length, key.text);
}

static struct cy_word trim(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (from < to && isspace((unsigned char)to[-1]))
        to--;
    return (struct cy_word){from, (size_t)(to - from)};
}

static bool is_name(struct cy_word word)
{
    for (size_t i = 0; i < word.length; i++)
        if (!isalnum((unsigned char)word.text[i]) && word.text[i] != '_' && word.text[i] != '-')
            return false;
    return word.length != 0;
}

bool cy_settings_line(struct cy_settings *settings, const char *text, size_t size)
{
    struct cy_word line = trim(text, text + size);
    if (line.length == 0 && settings->source)
        return true;
    const char *end = line.text + line.length, *equals = memchr(line.text, '=', line.length);
    if (!equals && is_name(line))
        return settings->set(settings, line, (struct cy_word){line.text, 0});
    if (!equals)
        return cy_settings_fail(settings, line, "expected '%s = value'", settings->noun);
    struct cy_word key = trim(line.text, equals), value = trim(equals + 1, end);
    if (key.length == 0)
        return cy_settings_fail(settings, (struct cy_word){equals, 1}, "no %s before '='", settings->noun);
    return settings->set(settings, key, value.length ? value : (struct cy_word){equals, 0});
}

bool cy_settings_file(struct cy_settings *settings, const char *name, const char *text, size_t size)
{
    struct cy_arena arena = {0};
    const char *copy = cy_arena_strndup(&arena, text, size); /* a source ends with NUL */
    const struct cy_source source = {.name = name, .text = copy, .size = size};
    bool ok = true;
    settings->source = &source;
    for (const char *at = copy, *end = copy + size; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        const char *comment = memchr(at, '#', (size_t)(stop - at));
        settings->line++;
        ok = cy_settings_line(settings, at, (size_t)((comment ? comment : stop) - at)) && ok;
        at = stop + 1;
    }
    settings->source = NULL;
    cy_arena_free(&arena);
    return ok;
}
