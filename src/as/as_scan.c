#define _GNU_SOURCE /* strtod_l */
#include "as/as_priv.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#define S AS_C_START
#define D AS_C_DIGIT
#define B AS_C_BLANK
#define E AS_C_END
const uint8_t as_class[256] = {
    [0] = E,   ['\n'] = E, [';'] = E, ['#'] = E, [' '] = B, ['\t'] = B, ['\r'] = B, ['\f'] = B, ['\v'] = B, ['0'] = D,
    ['1'] = D, ['2'] = D,  ['3'] = D, ['4'] = D, ['5'] = D, ['6'] = D,  ['7'] = D,  ['8'] = D,  ['9'] = D,  ['_'] = S,
    ['.'] = S, ['$'] = S,  ['a'] = S, ['b'] = S, ['c'] = S, ['d'] = S,  ['e'] = S,  ['f'] = S,  ['g'] = S,  ['h'] = S,
    ['i'] = S, ['j'] = S,  ['k'] = S, ['l'] = S, ['m'] = S, ['n'] = S,  ['o'] = S,  ['p'] = S,  ['q'] = S,  ['r'] = S,
    ['s'] = S, ['t'] = S,  ['u'] = S, ['v'] = S, ['w'] = S, ['x'] = S,  ['y'] = S,  ['z'] = S,  ['A'] = S,  ['B'] = S,
    ['C'] = S, ['D'] = S,  ['E'] = S, ['F'] = S, ['G'] = S, ['H'] = S,  ['I'] = S,  ['J'] = S,  ['K'] = S,  ['L'] = S,
    ['M'] = S, ['N'] = S,  ['O'] = S, ['P'] = S, ['Q'] = S, ['R'] = S,  ['S'] = S,  ['T'] = S,  ['U'] = S,  ['V'] = S,
    ['W'] = S, ['X'] = S,  ['Y'] = S, ['Z'] = S,
/* bytes of UTF-8 characters */
#define R8(n) [n] = S, [n + 1] = S, [n + 2] = S, [n + 3] = S, [n + 4] = S, [n + 5] = S, [n + 6] = S, [n + 7] = S
    R8(128),   R8(136),    R8(144),   R8(152),   R8(160),   R8(168),    R8(176),    R8(184),    R8(192),    R8(200),
    R8(208),   R8(216),    R8(224),   R8(232),   R8(240),   R8(248),
};
#undef R8
#undef S
#undef D
#undef B
#undef E

/* ---- blanks, ends ---- */

void as_skip_comment(struct as *as)
{
    while (as->p[0] == '/' && as->p[1] == '*') {
        const char *p = as->p + 2;
        while (*p && !(p[0] == '*' && p[1] == '/')) {
            as->crossed_lines |= *p == '\n';
            p++;
        }
        if (!*p) {
            struct cy_loc loc = as_loc(as, as->p, 2);
            if (!as->ended)
                as_error_at(as, &loc, "this comment is not terminated");
            as->ended = true;
            as->p = p;
            return;
        }
        as->p = p + 2;
        while (as_is(*as->p, AS_C_BLANK))
            as->p++;
    }
}

static const char *skip_quoted(const char *p)
{
    char quote = *p++;
    while (*p && *p != '\n' && *p != quote)
        p += p[0] == '\\' && p[1] && p[1] != '\n' ? 2 : 1;
    return *p == quote ? p + 1 : p;
}

/* 'x' or 'x without the closing quote, as in GNU as */
static const char *skip_character(const char *p)
{
    p++;
    if (p[0] == '\\' && p[1] && p[1] != '\n')
        p += 2;
    else if (*p && *p != '\n')
        p++;
    return *p == '\'' ? p + 1 : p;
}

void as_skip_rest(struct as *as)
{
    for (;;) {
        char c = *as->p;
        if (as_is(c, AS_C_END))
            return;
        if (c == '"') {
            as->p = skip_quoted(as->p);
        } else if (c == '\'') {
            as->p = skip_character(as->p);
        } else if (c == '/') {
            const char *before = as->p;
            as_skip_comment(as);
            if (as->p == before) {
                if (as->p[1] == '/')
                    return;
                as->p++;
            }
        } else {
            as->p++;
        }
    }
}

struct as_text as_rest(struct as *as)
{
    as_skip_blank(as);
    const char *start = as->p;
    as_skip_rest(as);
    const char *end = as->p;
    while (end > start && as_is(end[-1], AS_C_BLANK))
        end--;
    return (struct as_text){start, (uint32_t)(end - start)};
}

/* # 12 "file.S": a preprocessor's line marker: the next line is line 12 of that file. */
static void line_marker(struct as *as)
{
    const char *p = as->p + 1;
    struct as_frame *frame = &as->frames.at[as->frames.count - 1];
    bool starts_line = as->p == as->source->text || as->p[-1] == '\n';
    if (!starts_line || frame->kind != AS_FILE || !as_is(*p, AS_C_BLANK))
        return;
    while (as_is(*p, AS_C_BLANK))
        p++;
    uint32_t line = 0;
    const char *digits = p;
    for (; as_is(*p, AS_C_DIGIT) && line < 100000000; p++)
        line = line * 10 + (uint32_t)(*p - '0');
    if (p == digits || p[0] != ' ' || p[1] != '"')
        return;
    const char *name = p + 2, *end = name;
    while (*end && *end != '\n' && *end != '"')
        end++;
    if (*end != '"' || end == name)
        return;
    struct cy_source *source =
        as_new_source(as, cy_arena_strndup(&as->arena, name, (size_t)(end - name)), as->source->text, as->source->size);
    source->includer = as->source->includer;
    source->includer_line = as->source->includer_line;
    source->how = as->source->how;
    frame->source = as->source = source;
    as->line = line - 1; /* this line's end comes next */
}

static bool step_over_end(struct as *as)
{
    if (*as->p == '#')
        line_marker(as);
    if (*as->p == '#' || *as->p == '/') {
        const char *end = memchr(as->p, '\n', (size_t)(as->source->text + as->source->size - as->p));
        as->p = end ? end : as->source->text + as->source->size;
    }
    if (*as->p == '\n') {
        as->p++;
        as->line++;
        return true;
    }
    if (*as->p == ';') {
        as->p++;
        return true;
    }
    if (as->p == as->source->text + as->source->size)
        return false;
    as_fail(as, as->p, 1, "the source text contains a NUL character");
    as->p++;
    return true;
}

bool as_next_statement(struct as *as)
{
    if (as->crossed_lines) {
        for (const char *p = as->from; p < as->p; p++)
            as->line += *p == '\n';
        as->crossed_lines = false;
    }
    bool more = step_over_end(as);
    as->from = as->start = as->p;
    return more;
}

bool as_expect_end(struct as *as)
{
    return as_at_end(as) || as_expected(as, "the end of the statement");
}

bool as_expect(struct as *as, char c)
{
    if (as_accept(as, c))
        return true;
    char what[] = {'\'', c, '\'', 0};
    return as_expected(as, what);
}

bool as_comma(struct as *as)
{
    return as_accept(as, ',') || as_expected(as, "','");
}

/* ---- names, strings, numbers ---- */

bool as_name_text(struct as *as, const char *what, struct as_text *name)
{
    as_skip_blank(as);
    if (*as->p == '"') {
        const char *start = as->p;
        struct cy_buf text = {0};
        if (!as_string(as, &text)) {
            cy_buf_free(&text);
            return false;
        }
        *name = (struct as_text){cy_arena_strndup(&as->arena, text.data, text.size), (uint32_t)text.size};
        bool usable = text.size > 0 && !memchr(text.data, 0, text.size);
        cy_buf_free(&text);
        return usable || as_fail(as, start, (size_t)(as->p - start), "this is not a usable name");
    }
    *name = as_word(as);
    return name->length > 0 || as_expected(as, what);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The character after a backslash; as->p is at it. */
static bool escape(struct as *as, unsigned char *value)
{
    char c = *as->p++;
    switch (c) {
    case 'a': *value = '\a'; return true;
    case 'b': *value = '\b'; return true;
    case 'f': *value = '\f'; return true;
    case 'n': *value = '\n'; return true;
    case 'r': *value = '\r'; return true;
    case 't': *value = '\t'; return true;
    case 'v': *value = '\v'; return true;
    case '\\':
    case '\'':
    case '"': *value = (unsigned char)c; return true;
    case 'x':
    case 'X': {
        unsigned sum = 0;
        const char *digits = as->p;
        for (int digit; (digit = hex_digit(*as->p)) >= 0; as->p++)
            sum = (sum << 4 | (unsigned)digit) & 0xff; /* only the last two digits count */
        *value = (unsigned char)sum;
        return as->p > digits || as_fail(as, digits - 2, 2, "\\x needs hexadecimal digits");
    }
    default: break;
    }
    if (c >= '0' && c <= '7') {
        unsigned sum = (unsigned)(c - '0');
        for (int i = 0; i < 2 && *as->p >= '0' && *as->p <= '7'; i++)
            sum = sum << 3 | (unsigned)(*as->p++ - '0');
        *value = (unsigned char)sum;
        return true;
    }
    if (!c || c == '\n') {
        as->p--;
        return as_fail(as, as->p - 1, 1, "nothing after the backslash");
    }
    return as_fail(as, as->p - 2, 2, "unknown escape '\\%c'", c);
}

bool as_string(struct as *as, struct cy_buf *out)
{
    as_skip_blank(as);
    if (*as->p != '"')
        return as_expected(as, "a string in double quotes");
    const char *start = as->p++;
    for (;;) {
        char c = *as->p;
        if (c == '"') {
            as->p++;
            cy_buf_append(out, "", 0);
            return true;
        }
        if (c == '\n' || as->p == as->source->text + as->source->size)
            return as_fail(as, start, (size_t)(as->p - start), "this string has no closing quote");
        as->p++;
        unsigned char value = (unsigned char)c;
        if (c == '\\' && !escape(as, &value))
            return false;
        cy_buf_putc(out, (char)value);
    }
}

bool as_character(struct as *as, int64_t *value)
{
    const char *start = as->p++;
    unsigned char c = (unsigned char)*as->p;
    if (c == 0 || c == '\n')
        return as_fail(as, start, 1, "expected a character after the quote");
    as->p++;
    if (c == '\\' && !escape(as, &c))
        return false;
    if (*as->p == '\'')
        as->p++;
    *value = c;
    return true;
}

bool as_integer(struct as *as, int64_t *value)
{
    const char *start = as->p, *p = start;
    unsigned base = 10;
    if (p[0] == '0') {
        char letter = (char)(p[1] | 0x20);
        if (letter == 'x' && hex_digit(p[2]) >= 0)
            base = 16;
        else if (letter == 'b' && (p[2] == '0' || p[2] == '1'))
            base = 2;
        else if (letter == 'o' && as_is(p[2], AS_C_DIGIT))
            base = 8;
        if (base != 10)
            p += 2;
        else if (as_is(p[1], AS_C_DIGIT))
            base = 8;
    }
    uint64_t sum = 0;
    bool overflow = false;
    for (;; p++) {
        int digit = hex_digit(*p);
        if (digit < 0 || digit >= (int)base)
            break;
        overflow |= sum > (UINT64_MAX - (unsigned)digit) / base;
        sum = sum * base + (unsigned)digit;
    }
    as->p = p;
    if (as_is(*p, AS_C_WORD)) {
        while (as_is(*as->p, AS_C_WORD))
            as->p++;
        return as_fail(as, start, (size_t)(as->p - start), "'%.*s' is not an integer", (int)(as->p - start), start);
    }
    if (overflow)
        return as_fail(as, start, (size_t)(p - start), "the number does not fit in 64 bits");
    *value = (int64_t)sum;
    return true;
}

static locale_t c_locale(struct as *as)
{
    if (!as->locale)
        as->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!as->locale)
        cy_mem_fail();
    return (locale_t)as->locale;
}

static bool starts_float(const char *p)
{
    static const char *const words[] = {"inf", "infinity", "nan"};
    if (as_is(*p, AS_C_DIGIT) || (*p == '.' && as_is(p[1], AS_C_DIGIT)))
        return true;
    size_t length = 0;
    while (as_is(p[length], AS_C_WORD))
        length++;
    for (size_t i = 0; i < CY_COUNT(words); i++) {
        size_t j = 0;
        while (j < length && words[i][j] && (p[j] | 0x20) == words[i][j])
            j++;
        if (j == length && !words[i][j])
            return true;
    }
    return false;
}

bool as_float(struct as *as, unsigned bytes, uint64_t *bits)
{
    as_skip_blank(as);
    const char *start = as->p, *p = start;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (p[0] == '0' && ((p[1] | 0x20) == 'f' || (p[1] | 0x20) == 'd') && starts_float(p + 2))
        p += 2; /* GNU as accepts a prefix 0f or 0d */
    if (!starts_float(p))
        return as_expected(as, "a floating-point number");
    char *end = NULL;
    locale_t locale = c_locale(as);
    if ((*p | 0x20) == 'n') { /* the NaN that GNU as and llvm-mc emit: quiet, all ones */
        as->p = p + 3;
        *bits = bytes == 4 ? 0x7fffffff | (uint64_t)negative << 31 : (UINT64_MAX >> 1) | (uint64_t)negative << 63;
        return true;
    }
    if (bytes == 4) {
        float value = locale ? strtof_l(p, &end, locale) : strtof(p, &end);
        uint32_t word;
        memcpy(&word, &value, sizeof(word));
        *bits = word | (uint32_t)negative << 31;
    } else {
        double value = strtod_l(p, &end, locale);
        memcpy(bits, &value, sizeof(*bits));
        *bits |= (uint64_t)negative << 63;
    }
    as->p = end;
    if (as_is(*as->p, AS_C_WORD)) {
        while (as_is(*as->p, AS_C_WORD))
            as->p++;
        return as_fail(as, start, (size_t)(as->p - start), "'%.*s' is not a floating-point number",
                       (int)(as->p - start), start);
    }
    return true;
}
