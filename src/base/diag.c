#include "base/diag.h"

#include <stdio.h>
#include <string.h>

enum {
    DEFAULT_ERROR_LIMIT = 100,
    LONGEST_LINE = 200,    /* bytes of a source line to show; longer lines are windowed around the caret */
    DEEPEST_INCLUSION = 8, /* "included from" notes per message */
};

/* ---- characters ---- */

/* Bytes of the UTF-8 character at text[0..size), or 0 if invalid; *code is its code point. */
static size_t utf8_character(const char *text, size_t size, uint32_t *code)
{
    unsigned char first = (unsigned char)text[0];
    size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length == 0 || length > size)
        return 0;
    *code = length == 1 ? first : first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | ((unsigned char)text[i] & 0x3fu);
    }
    return length;
}

/* Terminal columns of a character: 2 for the East Asian wide ranges. */
static unsigned width_of(uint32_t code)
{
    static const uint32_t wide[][2] = {
        {0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
        {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
    };
    for (size_t i = 0; i < CY_COUNT(wide); i++)
        if (code >= wide[i][0] && code <= wide[i][1])
            return 2;
    return 1;
}

static bool is_control(char c)
{
    return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

/* ---- the source line and its caret ---- */

struct line {
    const char *text;
    size_t size;
    size_t caret, length; /* byte position in `text` and bytes to underline */
};

/* The line around an offset.  Locations come from our own lexers, but a wrong one must not read outside the text. */
static struct line find_line(const struct cy_loc *loc)
{
    const char *text = loc->source->text;
    size_t offset = loc->offset < loc->source->size ? loc->offset : loc->source->size;
    size_t begin = offset, end = offset;
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    while (end < loc->source->size && text[end] != '\n')
        end++;
    if (end > begin && text[end - 1] == '\r')
        end--;
    struct line line = {.text = text + begin, .size = end - begin, .caret = offset - begin, .length = loc->length};
    if (line.caret > line.size)
        line.caret = line.size;
    if (line.length > line.size - line.caret)
        line.length = line.size - line.caret;
    return line;
}

/* Shortens a long line to a window around the caret, a third of it before the caret. */
static struct line window(struct line line, bool *cut_left, bool *cut_right)
{
    *cut_left = *cut_right = false;
    if (line.size <= LONGEST_LINE)
        return line;
    size_t begin = line.caret > LONGEST_LINE / 3 ? line.caret - LONGEST_LINE / 3 : 0;
    if (begin > line.size - LONGEST_LINE)
        begin = line.size - LONGEST_LINE;
    while (begin < line.caret && ((unsigned char)line.text[begin] & 0xc0) == 0x80)
        begin++;
    size_t end = begin + LONGEST_LINE < line.size ? begin + LONGEST_LINE : line.size;
    *cut_left = begin > 0;
    *cut_right = end < line.size;
    line.text += begin;
    line.caret -= begin;
    line.size = end - begin;
    if (line.length > line.size - line.caret)
        line.length = line.size - line.caret;
    return line;
}

static void put_many(struct cy_buf *out, char c, unsigned count)
{
    while (count--)
        cy_buf_putc(out, c);
}

/* Both lines are built in one pass, so that they cannot get out of step. */
static void print_line(struct cy_buf *out, struct line line)
{
    bool cut_left, cut_right;
    line = window(line, &cut_left, &cut_right);
    struct cy_buf under = {0};
    if (cut_left) {
        cy_buf_puts(out, "...");
        cy_buf_puts(&under, "   ");
    }
    for (size_t i = 0; i < line.size;) {
        uint32_t code = 0;
        size_t length = utf8_character(line.text + i, line.size - i, &code);
        if (length == 0 || is_control(line.text[i])) {
            cy_buf_putc(out, '?');
            length = 1;
            code = '?';
        } else {
            cy_buf_append(out, line.text + i, length);
        }
        if (i + length <= line.caret)
            put_many(&under, code == '\t' ? '\t' : ' ', width_of(code));
        else if (i <= line.caret)
            cy_buf_putc(&under, '^'), put_many(&under, '~', width_of(code) - 1);
        else if (i < line.caret + line.length)
            put_many(&under, '~', width_of(code));
        i += length;
    }
    if (line.caret == line.size)
        cy_buf_putc(&under, '^');
    if (cut_right)
        cy_buf_puts(out, "...");
    cy_buf_putc(out, '\n');
    cy_buf_append(out, under.data, under.size);
    cy_buf_putc(out, '\n');
    cy_buf_free(&under);
}

static void print_includers(struct cy_buf *out, const struct cy_source *source)
{
    unsigned depth = 0, hidden = 0;
    for (; source->includer; source = source->includer) {
        if (depth++ >= DEEPEST_INCLUSION) {
            hidden++;
            continue;
        }
        const char *how = source->how ? source->how : "included from";
        cy_buf_printf(out, "%s:%u: note: %s%s\n", source->includer->name, source->includer_line, how,
                      strcmp(how, "included from") == 0 ? " here" : "");
    }
    if (hidden)
        cy_buf_printf(out, "note: %u more levels not shown\n", hidden);
}

/* ---- messages ---- */

/* Past the limit the text ends in one line that counts the omitted errors; each further error rewrites it. */
static void count_hidden_error(struct cy_diags *diags, uint32_t limit)
{
    static const char format[] = "too many errors; %u more not shown\n";
    char line[64];
    uint32_t hidden = diags->errors - limit;
    size_t length = (size_t)snprintf(line, sizeof(line), format, hidden - 1);
    struct cy_buf *text = &diags->text;
    if (text->size >= length && memcmp(text->data + text->size - length, line, length) == 0)
        text->size -= length;
    cy_buf_printf(text, format, hidden);
}

static uint32_t limit_of(const struct cy_diags *diags)
{
    return diags->error_limit ? diags->error_limit : DEFAULT_ERROR_LIMIT;
}

bool cy_diags_are_full(const struct cy_diags *diags)
{
    return diags->errors >= limit_of(diags);
}

/* Counts the message; returns whether to print it, and at which severity. */
static bool admit(struct cy_diags *diags, enum cy_severity *severity)
{
    uint32_t limit = limit_of(diags);
    if (*severity == CY_NOTE)
        return !diags->muted;
    if (*severity == CY_WARNING) {
        if (diags->no_warnings) {
            diags->muted = true;
            return false;
        }
        if (diags->warnings_are_errors)
            *severity = CY_ERROR;
    }
    if (*severity == CY_WARNING)
        diags->warnings++;
    else
        diags->errors++;
    diags->muted = diags->errors > limit || (*severity == CY_WARNING && diags->warnings > limit);
    if (*severity == CY_WARNING && diags->warnings == limit + 1 && diags->errors <= limit)
        cy_buf_puts(&diags->text, "too many warnings; the others are not shown\n");
    if (diags->muted && *severity == CY_ERROR)
        count_hidden_error(diags, limit);
    return !diags->muted;
}

static const char *const severity_names[] = {[CY_NOTE] = "note", [CY_WARNING] = "warning", [CY_ERROR] = "error"};

/* Messages contain names and tokens of the user's text: none of it may control a terminal. */
static void print_message(struct cy_buf *out, enum cy_severity severity, const char *format, va_list args)
{
    cy_buf_printf(out, "%s: ", severity_names[severity]);
    size_t begin = out->size;
    cy_buf_vprintf(out, format, args);
    for (size_t i = begin; i < out->size; i++)
        if (is_control(out->data[i]) && out->data[i] != '\n')
            out->data[i] = '?';
    cy_buf_putc(out, '\n');
}

void cy_diag(struct cy_diags *diags, enum cy_severity severity, const struct cy_loc *loc, const char *format, ...)
{
    bool is_note = severity == CY_NOTE;
    if (!admit(diags, &severity))
        return;
    struct cy_buf *out = &diags->text;
    const struct cy_source *source = loc ? loc->source : NULL;
    bool has_line = source && loc->line > 0 && source->text;
    struct line line = {0};
    if (has_line) {
        line = find_line(loc);
        cy_buf_printf(out, "%s:%u:%zu: ", source->name, loc->line, line.caret + 1);
    } else if (source) {
        cy_buf_printf(out, "%s: ", source->name);
    }
    va_list args;
    va_start(args, format);
    print_message(out, severity, format, args);
    va_end(args);
    if (has_line)
        print_line(out, line);
    if (source && !is_note)
        print_includers(out, source);
}

void cy_diag_file(struct cy_diags *diags, enum cy_severity severity, const char *name, const char *format, ...)
{
    if (!admit(diags, &severity))
        return;
    if (name)
        cy_buf_printf(&diags->text, "%s: ", name);
    va_list args;
    va_start(args, format);
    print_message(&diags->text, severity, format, args);
    va_end(args);
}

void cy_diags_free(struct cy_diags *diags)
{
    cy_buf_free(&diags->text);
    diags->errors = diags->warnings = 0;
    diags->muted = false;
}

bool cy_diags_try(struct cy_diags *diags, void (*run)(void *argument), void *argument)
{
    static const char message[] = "error: out of memory\n";
    const struct cy_diags before = *diags;
    if (cy_mem_try(run, argument))
        return true;
    cy_buf_undo(&diags->text, before.text);
    diags->errors = before.errors + 1;
    diags->warnings = before.warnings;
    diags->muted = false;
    diags->no_memory = true;
    cy_buf_try_append(&diags->text, message, sizeof(message) - 1);
    return false;
}
