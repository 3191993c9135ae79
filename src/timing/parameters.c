/* The model's parameters: presets, settings by name, files in the format of the machine's configuration. */
#include "timing/model.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/settings.h"
#include "base/strmap.h"

static const char *const preset_names[] = {"ventus-verilog", "ventus-chisel"};

static const struct row {
    const char *part, *name, *unit, *text;
    uint32_t preset[CY_COUNT(preset_names)];
    uint32_t low, high;
    enum { ANY, POWER } values;
} rows[] = {
#define PART(title) {.part = title},
#define PARAMETER(name, verilog, chisel, low, high, values, unit, text)                                                \
    {NULL, #name, unit, text, {verilog, chisel}, low, high, values},
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

void cy_timing_config_describe(const struct cy_timing_config *config, char *text, size_t size)
{
    enum { NAMED = 3 }; /* of more, only the number is said */
    struct cy_timing_config base, nearest;
    struct cy_timing_parameter row;
    size_t best = SIZE_MAX, preset = 0;
    for (size_t i = 0; i < CY_COUNT(preset_names); i++) {
        size_t differ = 0;
        cy_timing_config_preset(&base, preset_names[i]);
        for (size_t k = 0; cy_timing_parameter(config, k, &row); k++)
            differ += config->value[k] != base.value[k];
        if (differ < best) {
            best = differ;
            preset = i;
            nearest = base;
        }
    }
    int at = snprintf(text, size, "%s", preset_names[preset]);
    if (best > NAMED)
        snprintf(text + at, size - (size_t)at, " with %zu parameters changed", best);
    for (size_t k = 0, said = 0; best <= NAMED && cy_timing_parameter(config, k, &row); k++)
        if (config->value[k] != nearest.value[k] && (size_t)at < size)
            at += snprintf(text + at, size - (size_t)at, "%s%s=%u", said++ ? " " : " with ", row.name, row.value);
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

struct parsing {
    struct cy_timing_config config;
    struct cy_diags diags;
    const char *name; /* of the file; NULL: one setting */
    const char *text;
    size_t size;
    bool ok;
};

static bool set_preset(struct cy_settings *parser, struct cy_word word)
{
    struct cy_buf known = {0};
    const char *nearest = NULL;
    unsigned best = 6;
    bool ok = false;
    for (size_t i = 0; i < CY_COUNT(preset_names) && !ok; i++) {
        const char *name = preset_names[i];
        const unsigned distance = cy_edit_distance(word.text, word.length, name, strlen(name), best);
        if (distance < best) {
            best = distance;
            nearest = name;
        }
        cy_buf_printf(&known, "%s%s", i ? ", " : "", name);
        ok = cy_word_is(word, name) && cy_timing_config_preset(parser->context, name);
    }
    if (!ok)
        cy_settings_fail(parser, word, "unknown timing preset '%.*s'; %s%s%savailable: %s", (int)word.length, word.text,
                         nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? " : "", known.data);
    cy_buf_free(&known);
    return ok;
}

static const struct row *row_of(const char *name)
{
    size_t at = 0;
    while (rows[at].part || strcmp(rows[at].name, name) != 0)
        at++;
    return &rows[at];
}

static bool set_value(struct cy_settings *parser, const struct cy_timing_parameter *row, size_t index,
                      struct cy_word word)
{
    struct cy_timing_config *config = parser->context;
    uint64_t value;
    if (!cy_word_number(word, &value))
        return cy_settings_fail(parser, word, "'%s' needs a number (%s), not '%.*s'", row->name, row->unit,
                                (int)word.length, word.text);
    if (value < row->low || value > row->high)
        return cy_settings_fail(parser, word, "'%s' must be from %u to %u, not %llu", row->name, row->low, row->high,
                                (unsigned long long)value);
    if (row_of(row->name)->values == POWER && value & (value - 1))
        return cy_settings_fail(parser, word, "'%s' must be a power of two, not %llu", row->name,
                                (unsigned long long)value);
    config->value[index] = (uint32_t)value;
    return true;
}

static bool set_key(struct cy_settings *parser, struct cy_word key, struct cy_word value)
{
    struct cy_timing_parameter row;
    const char *nearest = NULL;
    unsigned best = 6;
    if (cy_word_is(key, "preset"))
        return value.length ? set_preset(parser, value) : cy_settings_no_value(parser, key, value);
    for (size_t i = 0; cy_timing_parameter(parser->context, i, &row); i++) {
        if (cy_word_is(key, row.name))
            return value.length ? set_value(parser, &row, i, value) : cy_settings_no_value(parser, key, value);
        const unsigned distance = cy_edit_distance(key.text, key.length, row.name, strlen(row.name), best);
        if (distance < best) {
            best = distance;
            nearest = row.name;
        }
    }
    return cy_settings_unknown(parser, key, nearest);
}

static struct cy_settings parser_of(struct parsing *parsing)
{
    return (struct cy_settings){.noun = "parameter",
                                .kind = "timing parameter",
                                .set = set_key,
                                .context = &parsing->config,
                                .diags = &parsing->diags};
}

static void parse_all(void *argument)
{
    struct parsing *parsing = argument;
    struct cy_settings parser = parser_of(parsing);
    parsing->ok = parsing->name ? cy_settings_file(&parser, parsing->name, parsing->text, parsing->size)
                                : cy_settings_line(&parser, parsing->text, parsing->size);
}

static void choose(void *argument)
{
    struct parsing *parsing = argument;
    struct cy_settings parser = parser_of(parsing);
    struct cy_buf file = {0};
    if (!strpbrk(parsing->name, "/.")) {
        parsing->ok = set_preset(&parser, (struct cy_word){parsing->name, strlen(parsing->name)});
        return;
    }
    parsing->ok = cy_file_read(parsing->name, &file, &parsing->diags) &&
                  cy_settings_file(&parser, parsing->name, file.data ? file.data : "", file.size);
    cy_buf_free(&file);
}

static enum cy_status parse(struct parsing *parsing, void (*run)(void *parsing), struct cy_timing_config *config,
                            char **message)
{
    parsing->config = *config;
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
    return parse(&parsing, parse_all, config, message);
}

enum cy_status cy_timing_config_parse(struct cy_timing_config *config, const char *name, const char *text, size_t size,
                                      char **message)
{
    struct parsing parsing = {.name = name, .text = text, .size = size};
    return parse(&parsing, parse_all, config, message);
}

enum cy_status cy_timing_config_choose(struct cy_timing_config *config, const char *what, char **message)
{
    struct parsing parsing = {.name = what};
    return parse(&parsing, choose, config, message);
}
