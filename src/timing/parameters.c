/* The model's parameters: presets, settings by name, files in the format of the machine's configuration. */
#include "timing/model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/strmap.h"

static const char *const preset_names[] = {"ventus-verilog", "ventus-chisel"};

static const struct row {
    const char *part, *name, *unit, *text;
    uint32_t preset[CY_COUNT(preset_names)];
    uint32_t low, high;
} rows[] = {
#define PART(title) {.part = title},
#define PARAMETER(name, verilog, chisel, low, high, unit, text) {NULL, #name, unit, text, {verilog, chisel}, low, high},
#include "timing/timing.def"
};

_Static_assert((int)PARAMETER_COUNT <= (int)CY_TIMING_PARAMETERS_MOST, "struct cy_timing_config is too small");

/* ---- the table ---- */

bool cy_timing_parameter(const struct cy_timing_config *config, size_t index, struct cy_timing_parameter *parameter)
{
    const char *part = NULL;
    size_t at = 0;
    for (size_t i = 0; i < CY_COUNT(rows); i++) {
        if (rows[i].part) {
            part = rows[i].part;
        } else if (at++ == index) {
            *parameter = (struct cy_timing_parameter){part,        rows[i].name, rows[i].unit,        rows[i].text,
                                                      rows[i].low, rows[i].high, config->value[index]};
            return true;
        }
    }
    return false;
}

bool cy_timing_config_preset(struct cy_timing_config *config, const char *name)
{
    for (size_t preset = 0; preset < CY_COUNT(preset_names); preset++) {
        if (strcmp(preset_names[preset], name) != 0)
            continue;
        size_t at = 0;
        for (size_t i = 0; i < CY_COUNT(rows); i++)
            if (!rows[i].part)
                config->value[at++] = rows[i].preset[preset];
        return true;
    }
    return false;
}

void cy_timing_config_default(struct cy_timing_config *config)
{
    cy_timing_config_preset(config, preset_names[0]);
}

const char *cy_timing_preset_name(size_t index)
{
    return index < CY_COUNT(preset_names) ? preset_names[index] : NULL;
}

static uint32_t log2_of(uint32_t value)
{
    return 31 - (uint32_t)__builtin_clz(value);
}

void parameters_of(const struct cy_timing_config *config, struct parameters *parameters)
{
#define PARAMETER(name, ...) parameters->name = config->value[P_##name];
#include "timing/timing.def"
    parameters->l1d_shift = log2_of(parameters->l1d_line);
    parameters->l1i_shift = log2_of(parameters->l1i_line);
    parameters->l2_shift = log2_of(parameters->l2_line);
}

uint32_t cy_timing_config_get(const struct cy_timing_config *config, const char *name)
{
    struct cy_timing_parameter parameter;
    for (size_t i = 0; cy_timing_parameter(config, i, &parameter); i++)
        if (strcmp(parameter.name, name) == 0)
            return parameter.value;
    return 0;
}

/* ---- settings ---- */

struct word {
    const char *text;
    size_t length;
};

struct parsing {
    struct cy_timing_config config;
    struct cy_diags diags;
    const char *name; /* of the file; NULL: one setting */
    const char *text;
    size_t size;
    const struct cy_source *source;
    uint32_t line;
    bool ok;
};

static void complain(struct parsing *parsing, struct word word, const char *format, ...) CY_PRINTF(3, 4);
static void complain(struct parsing *parsing, struct word word, const char *format, ...)
{
    struct cy_buf text = {0};
    va_list args;
    va_start(args, format);
    cy_buf_vprintf(&text, format, args);
    va_end(args);
    parsing->ok = false;
    if (parsing->source) {
        const struct cy_loc loc = {parsing->source, parsing->line, (uint32_t)(word.text - parsing->source->text),
                                   (uint32_t)(word.length ? word.length : 1)};
        cy_diag(&parsing->diags, CY_ERROR, &loc, "%s", text.data);
    } else {
        cy_diag_file(&parsing->diags, CY_ERROR, NULL, "%s", text.data);
    }
    cy_buf_free(&text);
}

static bool is_word(struct word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

static void set_preset(struct parsing *parsing, struct word word)
{
    struct cy_buf known = {0};
    for (size_t i = 0; i < CY_COUNT(preset_names); i++) {
        cy_buf_printf(&known, "%s%s", i ? ", " : "", preset_names[i]);
        if (is_word(word, preset_names[i])) {
            cy_timing_config_preset(&parsing->config, preset_names[i]);
            cy_buf_free(&known);
            return;
        }
    }
    complain(parsing, word, "unknown timing preset '%.*s'; available: %s", (int)word.length, word.text, known.data);
    cy_buf_free(&known);
}

static bool parse_number(struct word word, uint64_t *value)
{
    char digits[24], *end;
    if (!word.length || word.length >= sizeof(digits) || !isdigit((unsigned char)word.text[0]))
        return false;
    memcpy(digits, word.text, word.length);
    digits[word.length] = 0;
    *value = strtoull(digits, &end, 0);
    if (*end == 'K' && end[1] == 0 && *value < 1u << 22) {
        *value <<= 10;
        end++;
    }
    return !*end;
}

/* Sizes that are used as masks. */
static bool must_be_power(const char *name)
{
    static const char *const names[] = {"fetch_bytes", "l1i_sets", "l1i_line",       "l1d_sets",    "l1d_line",
                                        "l2_sets",     "l2_line",  "register_banks", "shared_banks"};
    for (size_t i = 0; i < CY_COUNT(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void set_value(struct parsing *parsing, const struct cy_timing_parameter *row, size_t index, struct word word)
{
    uint64_t value;
    if (!parse_number(word, &value))
        complain(parsing, word, "'%s' needs a number (%s), not '%.*s'", row->name, row->unit, (int)word.length,
                 word.text);
    else if (value < row->low || value > row->high)
        complain(parsing, word, "'%s' must be from %u to %u, not %llu", row->name, row->low, row->high,
                 (unsigned long long)value);
    else if (must_be_power(row->name) && value & (value - 1))
        complain(parsing, word, "'%s' must be a power of two, not %llu", row->name, (unsigned long long)value);
    else
        parsing->config.value[index] = (uint32_t)value;
}

static void set_key(struct parsing *parsing, struct word key, struct word value)
{
    struct cy_timing_parameter row;
    const char *nearest = NULL;
    unsigned best = 6;
    if (is_word(key, "preset")) {
        set_preset(parsing, value);
        return;
    }
    for (size_t i = 0; cy_timing_parameter(&parsing->config, i, &row); i++) {
        if (is_word(key, row.name)) {
            set_value(parsing, &row, i, value);
            return;
        }
        const unsigned distance = cy_edit_distance(key.text, key.length, row.name, strlen(row.name), best);
        if (distance < best) {
            best = distance;
            nearest = row.name;
        }
    }
    if (nearest)
        complain(parsing, key, "unknown timing parameter '%.*s'; did you mean '%s'?", (int)key.length, key.text,
                 nearest);
    else
        complain(parsing, key, "unknown timing parameter '%.*s'", (int)key.length, key.text);
}

static struct word trim(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (from < to && isspace((unsigned char)to[-1]))
        to--;
    return (struct word){from, (size_t)(to - from)};
}

static void parse_line(struct parsing *parsing, const char *from, const char *to)
{
    const struct word line = trim(from, to);
    const char *equals = line.length ? memchr(line.text, '=', line.length) : NULL;
    if (!line.length)
        return;
    if (!equals) {
        complain(parsing, line, "expected 'parameter = value'");
        return;
    }
    const struct word key = trim(line.text, equals), value = trim(equals + 1, line.text + line.length);
    if (!key.length || !value.length)
        complain(parsing, (struct word){equals, 1}, key.length ? "no value after '='" : "no parameter before '='");
    else
        set_key(parsing, key, value);
}

static void parse_setting(void *argument)
{
    struct parsing *parsing = argument;
    parse_line(parsing, parsing->text, parsing->text + parsing->size);
}

static void parse_text(void *argument)
{
    struct parsing *parsing = argument;
    struct cy_arena arena = {0};
    const char *copy = cy_arena_strndup(&arena, parsing->text, parsing->size);
    const struct cy_source source = {.name = parsing->name, .text = copy, .size = parsing->size};
    parsing->source = &source;
    for (const char *at = copy, *end = copy + parsing->size; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        const char *comment = memchr(at, '#', (size_t)(stop - at));
        parsing->line++;
        parse_line(parsing, at, comment ? comment : stop);
        at = stop + 1;
    }
    parsing->source = NULL;
    cy_arena_free(&arena);
}

static void choose(void *argument)
{
    struct parsing *parsing = argument;
    struct cy_buf file = {0};
    if (!strpbrk(parsing->name, "/.")) {
        set_preset(parsing, (struct word){parsing->name, strlen(parsing->name)});
        return;
    }
    parsing->ok = cy_file_read(parsing->name, &file, &parsing->diags);
    if (parsing->ok) {
        parsing->text = file.data ? file.data : "";
        parsing->size = file.size;
        parse_text(parsing);
    }
    cy_buf_free(&file);
}

static enum cy_status parse(struct parsing *parsing, void (*run)(void *parsing), struct cy_timing_config *config,
                            char **message)
{
    parsing->config = *config;
    parsing->ok = true;
    const bool ran = cy_diags_try(&parsing->diags, run, parsing);
    const enum cy_status status = !ran ? CY_ERROR_HOST : parsing->ok ? CY_OK : CY_ERROR_INVALID;
    if (status == CY_OK) {
        *config = parsing->config;
    } else if (message) {
        *message = parsing->diags.text.data; /* grown by realloc, so free() can free it */
        parsing->diags.text = (struct cy_buf){0};
    }
    cy_diags_free(&parsing->diags);
    return status;
}

enum cy_status cy_timing_config_set(struct cy_timing_config *config, const char *assignment, char **message)
{
    struct parsing parsing = {.text = assignment, .size = strlen(assignment)};
    return parse(&parsing, parse_setting, config, message);
}

enum cy_status cy_timing_config_parse(struct cy_timing_config *config, const char *name, const char *text, size_t size,
                                      char **message)
{
    struct parsing parsing = {.name = name, .text = text, .size = size};
    return parse(&parsing, parse_text, config, message);
}

enum cy_status cy_timing_config_choose(struct cy_timing_config *config, const char *what, char **message)
{
    struct parsing parsing = {.name = what};
    return parse(&parsing, choose, config, message);
}
