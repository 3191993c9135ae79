#include "base/scan.h"

#include <stdio.h>
#include <string.h>

/* ---- errors ---- */

struct cy_loc cy_scan_here(const struct cy_scan *scan)
{
    return (struct cy_loc){&scan->source, scan->line, scan->at, scan->size ? scan->size : 1};
}

bool cy_scan_error(struct cy_scan *scan, const struct cy_loc *loc, const char *format, ...)
{
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    if (!scan->failed)
        cy_diag(scan->diags, CY_ERROR, loc, "%s", message);
    scan->failed = true;
    return false;
}

bool cy_scan_wanted(struct cy_scan *scan, const char *what)
{
    struct cy_loc loc = cy_scan_here(scan);
    return cy_scan_error(scan, &loc, "expected %s", what);
}

/* ---- tokens ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Starts at the quote. */
static void scan_string(struct cy_scan *scan)
{
    const char *text = scan->source.text, *p = text + scan->at + 1, *end = text + scan->source.size;
    scan->string.size = 0;
    for (; p < end && *p != '"' && *p != '\n'; p++) {
        int high = *p == '\\' && end - p > 2 ? hex_digit(p[1]) : -1, low = high >= 0 ? hex_digit(p[2]) : -1;
        if (*p == '\\' && low < 0)
            break;
        cy_buf_putc(&scan->string, *p == '\\' ? (char)(high * 16 + low) : *p);
        p += *p == '\\' ? 2 : 0;
    }
    scan->size = (uint32_t)(p - text) - scan->at;
    if (p == end || *p != '"') {
        struct cy_loc loc = cy_scan_here(scan);
        cy_scan_error(scan, &loc, "the string does not end, or has a backslash without two digits 0-9a-f");
        return;
    }
    scan->size++;
    cy_buf_reserve(&scan->string, 1);
    scan->string.data[scan->string.size] = 0;
}

static bool is_one_of(const char *set, char c)
{
    return c && strchr(set, c);
}

static bool ends_run(const struct cy_scan *scan, char c)
{
    return is_one_of(" \t\r\n;\"", c) || is_one_of(scan->marks, c);
}

void cy_scan_next(struct cy_scan *scan)
{
    const char *text = scan->source.text;
    size_t size = scan->source.size, p = (size_t)scan->at + scan->size;
    if (scan->kind == CY_SCAN_LINE)
        scan->line++;
    bool at_start = !p || text[p - 1] == '\n';
    if (at_start && size - p >= 3 && !memcmp(text + p, "---", 3))
        scan->source.size = size = p;
    while (p < size && is_one_of(" \t\r", text[p]))
        p++;
    if (p < size && text[p] == ';')
        while (p < size && text[p] != '\n')
            p++;
    scan->at = (uint32_t)p;
    scan->size = p < size;
    scan->kind = p == size                         ? CY_SCAN_END
                 : text[p] == '\n'                 ? CY_SCAN_LINE
                 : text[p] == '"'                  ? CY_SCAN_STRING
                 : is_one_of(scan->marks, text[p]) ? CY_SCAN_MARK
                                                   : CY_SCAN_RUN;
    if (scan->kind == CY_SCAN_STRING)
        scan_string(scan);
    while (scan->kind == CY_SCAN_RUN && p + scan->size < size && !ends_run(scan, text[p + scan->size]))
        scan->size++;
}

void cy_scan_start(struct cy_scan *scan, const char *name, const char *text, size_t size, const char *marks,
                   struct cy_diags *diags)
{
    *scan = (struct cy_scan){
        .source = {.name = name, .text = text, .size = size}, .diags = diags, .marks = marks, .line = 1};
    if (size > INT32_MAX) {
        cy_diag_file(diags, CY_ERROR, name, "the text is too long");
        scan->failed = true;
        return;
    }
    cy_scan_next(scan);
    while (!scan->failed && scan->kind == CY_SCAN_LINE)
        cy_scan_next(scan);
}

void cy_scan_free(struct cy_scan *scan)
{
    cy_buf_free(&scan->string);
}

/* ---- what is expected ---- */

const char *cy_scan_token(const struct cy_scan *scan)
{
    return scan->source.text + scan->at;
}

bool cy_scan_is(const struct cy_scan *scan, const char *word)
{
    return scan->kind >= CY_SCAN_MARK && scan->size == strlen(word) && !memcmp(cy_scan_token(scan), word, scan->size);
}

bool cy_scan_accept(struct cy_scan *scan, const char *word)
{
    if (scan->failed || !cy_scan_is(scan, word))
        return false;
    cy_scan_next(scan);
    return true;
}

bool cy_scan_expect(struct cy_scan *scan, const char *word)
{
    struct cy_loc loc = cy_scan_here(scan);
    return cy_scan_accept(scan, word) || cy_scan_error(scan, &loc, "expected '%s'", word);
}

bool cy_scan_end_of_line(struct cy_scan *scan)
{
    if (scan->failed || (scan->kind != CY_SCAN_LINE && scan->kind != CY_SCAN_END))
        return cy_scan_wanted(scan, "the end of the line");
    while (scan->kind == CY_SCAN_LINE && !scan->failed)
        cy_scan_next(scan);
    return !scan->failed;
}

bool cy_scan_parse(const struct cy_scan *scan, uint32_t from, uint64_t highest, uint64_t *value)
{
    const char *p = cy_scan_token(scan) + from, *end = cy_scan_token(scan) + scan->size;
    if (scan->kind != CY_SCAN_RUN || from >= scan->size)
        return false;
    const bool is_hex = end - p > 2 && p[0] == '0' && p[1] == 'x';
    const unsigned base = is_hex ? 16 : 10;
    *value = 0;
    for (p += is_hex ? 2 : 0; p < end; p++) {
        const int digit = hex_digit(*p);
        if (digit < 0 || digit >= (int)base || *value > (UINT64_MAX - (uint64_t)digit) / base)
            return false;
        *value = *value * base + (uint64_t)digit;
    }
    return *value <= highest;
}

void cy_scan_quote(struct cy_buf *out, const char *text, size_t size)
{
    cy_buf_putc(out, '"');
    for (size_t i = 0; i < size; i++)
        if (text[i] >= ' ' && text[i] <= '~' && text[i] != '"' && text[i] != '\\')
            cy_buf_putc(out, text[i]);
        else
            cy_buf_printf(out, "\\%02x", (unsigned char)text[i]);
    cy_buf_putc(out, '"');
}
