/* From a plan to its points.
 *
 * `run` or `program` holds the words of a command line; {name} in them stands for a parameter.  A parameter that no word names is
 * one of the machine or of the cycle model.  [cross] gives values of which every combination is a point; each [[point]] is one. */
#include "sweep/sweep.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"
#include "chengying/device.h"
#include "chengying/timing.h"

enum { MOST_POINTS = 1000000 };
static const char *const keys[] = {"run", "program", "timing"};

struct reading {
    struct cy_sweep_plan *plan;
    struct cy_diags *diags;
    const struct cy_toml_entry *command;
    bool has_machine; /* the command has settings of the machine, too */
};

static const char *nearest(const char *name, const char *const *names, size_t count, unsigned *best)
{
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const unsigned distance = cy_edit_distance(name, strlen(name), names[i], strlen(names[i]), *best);
        if (distance < *best) {
            *best = distance;
            found = names[i];
        }
    }
    return found;
}

const char *cy_sweep_nearest(const struct cy_sweep_plan *plan, const char *name)
{
    unsigned best = 4;
    return nearest(name, plan->names.at, plan->names.count, &best);
}

/* Does a word of the command contain {name}? */
static bool is_named(const struct reading *reading, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < reading->command->values.count; i++)
        for (const char *at = reading->command->values.at[i].text; (at = strchr(at, '{')); at++)
            if (!strncmp(at + 1, name, length) && at[1 + length] == '}')
                return true;
    return false;
}

/* The same but for underscores, dashes and case. */
static bool resembles(const char *key, size_t length, const char *name)
{
    for (const char *end = key + length; key < end; key++) {
        if (*key == '-' || *key == '_')
            continue;
        name += *name == '_';
        if (tolower((unsigned char)*key) != *name++)
            return false;
    }
    return !*name;
}

bool cy_sweep_is_of_model(const char *key, size_t length)
{
    struct cy_timing_config config;
    struct cy_timing_parameter row;
    cy_timing_config_default(&config);
    for (size_t i = 0; cy_timing_parameter(&config, i, &row); i++)
        if (resembles(key, length, row.name))
            return true;
    return memchr(key, '_', length) != NULL;
}

static bool is_of_model(const char *key)
{
    return cy_sweep_is_of_model(key, strlen(key));
}

/* A message of the settings' own check, at the value or the key. */
static bool refuse(struct reading *reading, const struct cy_loc *loc, const char *message)
{
    const char *at = message ? strstr(message, "error: ") : NULL;
    at = at ? at + strlen("error: ") : message ? message : "out of memory";
    cy_diag(reading->diags, CY_ERROR, loc, "%.*s", (int)strcspn(at, "\n"), at);
    return false;
}

static bool check_setting(struct reading *reading, const struct cy_toml_entry *entry, const struct cy_toml_value *value)
{
    struct cy_config config;
    struct cy_timing_config timing;
    struct cy_buf text = {0};
    char *message = NULL;
    if (is_named(reading, entry->key))
        return true;
    cy_config_default(&config);
    cy_timing_config_default(&timing);
    cy_buf_printf(&text, "%s=%s", entry->key, value->text);
    const bool ok = is_of_model(entry->key) ? cy_timing_config_set(&timing, text.data, &message) == CY_OK
                                            : cy_config_set(&config, text.data, &message) == CY_OK;
    const bool about_key = message && strstr(message, "unknown");
    if (!ok)
        refuse(reading, about_key && strcmp(entry->key, "preset") != 0 ? &entry->loc : &value->loc, message);
    free(message);
    cy_buf_free(&text);
    return ok;
}

static size_t name_index(struct cy_sweep_plan *plan, const char *name)
{
    size_t at = 0;
    while (at < plan->names.count && strcmp(plan->names.at[at], name) != 0)
        at++;
    if (at == plan->names.count)
        *cy_vec_push(&plan->names) = name;
    return at;
}

/* ---- the command line of a point ---- */

static bool expand(struct reading *reading, const struct cy_toml_value *word, const struct cy_sweep_point *point,
                   const char **result)
{
    const struct cy_sweep_plan *plan = reading->plan;
    struct cy_buf text = {0};
    for (const char *at = word->text; *at; at++) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        size_t name = 0;
        if (!end) {
            cy_buf_putc(&text, *at);
            continue;
        }
        const size_t length = (size_t)(end - at) - 1;
        while (name < plan->names.count &&
               (strlen(plan->names.at[name]) != length || strncmp(plan->names.at[name], at + 1, length) != 0))
            name++;
        if (name == plan->names.count || !point->settings[name].value) {
            char *missing = cy_arena_strndup(&reading->plan->toml.arena, at + 1, length);
            const char *near = name == plan->names.count ? cy_sweep_nearest(plan, missing) : NULL;
            cy_diag(reading->diags, CY_ERROR, &word->loc, "no value for {%s}%s%s%s", missing,
                    near ? "; did you mean {" : "", near ? near : "", near ? "}?" : "");
            cy_buf_free(&text);
            return false;
        }
        cy_buf_puts(&text, point->settings[name].value);
        at = end;
    }
    *result = cy_arena_strndup(&reading->plan->toml.arena, text.data ? text.data : "", text.size);
    cy_buf_free(&text);
    return true;
}

static bool add_words(struct reading *reading, struct cy_sweep_point *point)
{
    struct cy_sweep_plan *plan = reading->plan;
    struct cy_arena *arena = &plan->toml.arena;
    struct cy_buf machine = {0};
    *cy_vec_push(&point->words) = plan->is_program ? "exec" : "run";
    *cy_vec_push(&point->words) = cy_arena_printf(arena, "--timing=%s", plan->timing);
    for (size_t i = 0; i < plan->names.count; i++) {
        const struct cy_sweep_setting *setting = &point->settings[i];
        if (!setting->value || is_named(reading, setting->name))
            continue;
        if (plan->is_program && !is_of_model(setting->name)) {
            cy_buf_printf(&machine, "%s%s=%s", machine.size ? "," : "", setting->name, setting->value);
            continue;
        }
        *cy_vec_push(&point->words) = "--set";
        *cy_vec_push(&point->words) = cy_arena_printf(arena, "%s=%s", setting->name, setting->value);
    }
    if (machine.size) {
        *cy_vec_push(&point->words) = "--machine";
        *cy_vec_push(&point->words) = cy_arena_strndup(arena, machine.data, machine.size);
    }
    cy_buf_free(&machine);
    if (plan->is_program)
        *cy_vec_push(&point->words) = "--";
    for (size_t i = 0; i < reading->command->values.count; i++) {
        const char *word;
        if (!expand(reading, &reading->command->values.at[i], point, &word))
            return false;
        *cy_vec_push(&point->words) = word;
    }
    return true;
}

static struct cy_sweep_point new_point(struct cy_sweep_plan *plan)
{
    struct cy_sweep_point point = {
        .settings = cy_arena_alloc(&plan->toml.arena, (plan->names.count + 1) * sizeof(struct cy_sweep_setting))};
    for (size_t i = 0; i < plan->names.count; i++)
        point.settings[i].name = plan->names.at[i];
    return point;
}

/* ---- points ---- */

static void set(struct cy_sweep_plan *plan, struct cy_sweep_point *point, const char *name,
                const struct cy_toml_value *value)
{
    struct cy_sweep_setting *setting = &point->settings[name_index(plan, name)];
    setting->value = value->text;
    setting->loc = &value->loc;
}

static bool add_cross(struct reading *reading)
{
    struct cy_sweep_plan *plan = reading->plan;
    const struct cy_toml_entry *axes[64];
    size_t axis_count = 0, count = 1;
    for (size_t i = 0; i < plan->toml.entries.count; i++) {
        const struct cy_toml_entry *entry = &plan->toml.entries.at[i];
        if (strcmp(entry->table, "cross") != 0)
            continue;
        if (!entry->values.count || axis_count == CY_COUNT(axes)) {
            cy_diag(reading->diags, CY_ERROR, &entry->loc,
                    entry->values.count ? "more than 64 parameters" : "'%s' has no values", entry->key);
            return false;
        }
        axes[axis_count++] = entry;
        count *= entry->values.count;
        if (count > MOST_POINTS) {
            cy_diag(reading->diags, CY_ERROR, &entry->loc, "more than %d points", MOST_POINTS);
            return false;
        }
    }
    for (size_t number = 0; axis_count && number < count; number++) {
        struct cy_sweep_point point = new_point(plan);
        size_t rest = number;
        for (size_t i = axis_count; i-- > 0;) {
            const struct cy_toml_entry *axis = axes[i];
            set(plan, &point, axis->key, &axis->values.at[rest % axis->values.count]);
            rest /= axis->values.count;
        }
        *cy_vec_push(&plan->points) = point;
    }
    return true;
}

static bool add_list(struct reading *reading)
{
    struct cy_sweep_plan *plan = reading->plan;
    uint32_t element = 0;
    for (size_t i = 0; i < plan->toml.entries.count; i++) {
        const struct cy_toml_entry *entry = &plan->toml.entries.at[i];
        if (strcmp(entry->table, "point") != 0)
            continue;
        if (entry->is_array || !entry->element) {
            cy_diag(reading->diags, CY_ERROR, &entry->loc,
                    entry->element ? "a point has one value of '%s'" : "'%s': points are written as [[point]]",
                    entry->key);
            return false;
        }
        if (entry->element != element)
            *cy_vec_push(&plan->points) = new_point(plan);
        element = entry->element;
        set(plan, &plan->points.at[plan->points.count - 1], entry->key, &entry->values.at[0]);
    }
    return true;
}

/* Do the machine's settings of a point go together?  With those of a command line they are looked at when it runs. */
static bool check_machine(struct reading *reading, const struct cy_sweep_point *point)
{
    struct cy_config config;
    const struct cy_loc *last = NULL;
    struct cy_buf text = {0};
    char *message = NULL;
    if (reading->has_machine)
        return true;
    cy_config_default(&config);
    for (size_t i = 0; i < reading->plan->names.count; i++) {
        const struct cy_sweep_setting *setting = &point->settings[i];
        if (!setting->value || is_of_model(setting->name) || is_named(reading, setting->name))
            continue;
        text.size = 0;
        cy_buf_printf(&text, "%s=%s", setting->name, setting->value);
        cy_config_set(&config, text.data, NULL); /* each of them has been checked */
        last = setting->loc;
    }
    const bool ok = !last || cy_config_check(&config, &message) == CY_OK;
    if (!ok)
        refuse(reading, last, message);
    free(message);
    cy_buf_free(&text);
    return ok;
}

/* ---- the plan ---- */

/* Is it a key or a table of a plan? */
static bool check_place(struct reading *reading, const struct cy_toml_entry *entry)
{
    static const char *const tables[] = {"cross", "point"};
    unsigned best = 4;
    if (!*entry->table) {
        for (size_t i = 0; i < CY_COUNT(keys); i++)
            if (!strcmp(entry->key, keys[i]))
                return true;
        const char *near = nearest(entry->key, keys, CY_COUNT(keys), &best);
        cy_diag(reading->diags, CY_ERROR, &entry->loc, "unknown key '%s'%s%s%s", entry->key,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "; a plan has run, program and timing");
        return false;
    }
    if (strcmp(entry->table, "cross") != 0 && strcmp(entry->table, "point") != 0) {
        const char *near = nearest(entry->table, tables, CY_COUNT(tables), &best);
        cy_diag(reading->diags, CY_ERROR, &entry->table_loc, "unknown table '%s'%s%s%s", entry->table,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "; a plan has [cross] and [[point]]");
        return false;
    }
    return true;
}

static bool check_values(struct reading *reading, const struct cy_toml_entry *entry)
{
    if (!*entry->table)
        return true;
    for (size_t i = 0; i < entry->values.count; i++)
        if (!check_setting(reading, entry, &entry->values.at[i]))
            return false;
    name_index(reading->plan, entry->key);
    return true;
}

/* An option of `cy run` by which the machine is another. */
static bool names_machine(const char *word)
{
    static const char *const names[] = {"--set", "--preset", "--config"};
    for (size_t i = 0; i < CY_COUNT(names); i++)
        if (!strncmp(word, names[i], strlen(names[i])))
            return true;
    return false;
}

static bool find_command(struct reading *reading)
{
    struct cy_sweep_plan *plan = reading->plan;
    plan->timing = cy_timing_preset_name(0);
    for (size_t i = 0; i < plan->toml.entries.count; i++) {
        const struct cy_toml_entry *entry = &plan->toml.entries.at[i];
        const bool is_program = !strcmp(entry->key, "program");
        if (*entry->table)
            continue;
        if (!strcmp(entry->key, "timing") && !entry->is_array) {
            struct cy_timing_config config;
            char *message = NULL;
            cy_timing_config_default(&config);
            plan->timing = entry->values.at[0].text;
            const bool ok = cy_timing_config_choose(&config, plan->timing, &message) == CY_OK;
            if (!ok)
                refuse(reading, &entry->values.at[0].loc, message);
            free(message);
            if (!ok)
                return false;
        }
        if (!is_program && strcmp(entry->key, "run") != 0)
            continue;
        if (reading->command || !entry->is_array || !entry->values.count) {
            cy_diag(reading->diags, CY_ERROR, &entry->loc,
                    reading->command ? "a plan has either run or program"
                                     : "'%s' is an array of words: [\"kernel.cl\", \"--global\", \"64\"]",
                    entry->key);
            return false;
        }
        reading->command = entry;
        for (size_t k = 0; k < entry->values.count; k++)
            reading->has_machine |= names_machine(entry->values.at[k].text);
        plan->is_program = is_program;
    }
    if (!reading->command)
        cy_diag_file(reading->diags, CY_ERROR, plan->toml.source.name,
                     "neither run nor program: what is to be measured?");
    return reading->command != NULL;
}

bool cy_sweep_read(struct cy_sweep_plan *plan, const char *path, struct cy_diags *diags)
{
    *plan = (struct cy_sweep_plan){0};
    struct reading reading = {.plan = plan, .diags = diags};
    if (!cy_toml_read(&plan->toml, path, diags))
        return false;
    bool ok = true;
    for (size_t i = 0; i < plan->toml.entries.count; i++)
        ok = check_place(&reading, &plan->toml.entries.at[i]) && ok;
    if (!ok || !find_command(&reading))
        return false;
    for (size_t i = 0; i < plan->toml.entries.count; i++)
        ok = check_values(&reading, &plan->toml.entries.at[i]) && ok;
    if (!ok || !add_cross(&reading) || !add_list(&reading))
        return false;
    if (!plan->points.count)
        *cy_vec_push(&plan->points) = new_point(plan);
    for (size_t i = 0; i < plan->points.count; i++)
        if (!check_machine(&reading, &plan->points.at[i]) || !add_words(&reading, &plan->points.at[i]))
            return false;
    return true;
}

void cy_sweep_free(struct cy_sweep_plan *plan)
{
    for (size_t i = 0; i < plan->points.count; i++)
        cy_vec_free(&plan->points.at[i].words);
    cy_vec_free(&plan->points);
    cy_vec_free(&plan->names);
    cy_toml_free(&plan->toml);
}
