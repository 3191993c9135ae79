#include "timing_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* `place`: the option it is about. */
static void take_message(struct cy_diags *diags, const char *place, enum cy_status status, char *message)
{
    if (status != CY_OK) {
        if (place)
            cy_buf_printf(&diags->text, "--set %s: ", place);
        cy_buf_puts(&diags->text, message ? message : "error: out of memory\n");
        diags->errors++;
    }
    free(message);
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

bool cy_timing_is_setting(const char *assignment)
{
    const size_t length = strcspn(assignment, "=");
    struct cy_timing_config config;
    struct cy_timing_parameter row;
    cy_timing_config_default(&config);
    for (size_t i = 0; cy_timing_parameter(&config, i, &row); i++)
        if (resembles(assignment, length, row.name))
            return true;
    return memchr(assignment, '_', length) != NULL;
}

bool cy_timing_options_read(const struct cy_timing_options *options, struct cy_timing_config *config,
                            struct cy_diags *diags)
{
    const uint32_t errors = diags->errors;
    char *message = NULL;
    cy_timing_config_default(config);
    if (options->what) {
        const enum cy_status status = cy_timing_config_choose(config, options->what, &message);
        take_message(diags, NULL, status, message);
    }
    for (size_t i = 0; i < options->settings.count; i++) {
        message = NULL;
        const enum cy_status status = cy_timing_config_set(config, options->settings.at[i], &message);
        take_message(diags, options->settings.at[i], status, message);
    }
    return diags->errors == errors;
}

void cy_timing_paths(const struct cy_timing_options *options, struct cy_paths *paths)
{
    struct cy_timing_config unused;
    if (options->what && !cy_timing_config_preset(&unused, options->what))
        cy_paths_read(paths, options->what);
}

void cy_timing_options_print(const struct cy_timing_config *config, FILE *out)
{
    struct cy_timing_parameter row;
    const char *part = NULL;
    for (size_t i = 0; cy_timing_parameter(config, i, &row); i++) {
        if (row.part != part)
            fprintf(out, "%s# %s\n", part ? "\n" : "", row.part);
        part = row.part;
        fprintf(out, row.value >= 1u << 24 ? "%s = 0x%x" : "%s = %u", row.name, row.value);
        fprintf(out, " # %s%s%s\n", row.unit, *row.text ? ": " : "", row.text);
    }
}

/* ---- two sets of observers ---- */

#define BOTH(function, ...)                                                                                            \
    do {                                                                                                               \
        const struct cy_observers_pair *pair = context;                                                                \
        if (pair->first.function)                                                                                      \
            pair->first.function(pair->first.context, __VA_ARGS__);                                                    \
        if (pair->second.function)                                                                                     \
            pair->second.function(pair->second.context, __VA_ARGS__);                                                  \
    } while (0)

static void both_launch(void *context, const struct cy_launch_shape *shape)
{
    BOTH(launch, shape);
}
static void both_before(void *context, const struct cy_event *event)
{
    BOTH(before, event);
}
static void both_retired(void *context, const struct cy_event *event)
{
    BOTH(retired, event);
}
static void both_memory(void *context, const struct cy_event *event, const struct cy_memory_event *access)
{
    BOTH(memory, event, access);
}
static void both_branch(void *context, const struct cy_event *event, uint64_t taken)
{
    BOTH(branch, event, taken);
}
static void both_barrier(void *context, const struct cy_event *event)
{
    BOTH(barrier, event);
}
static void both_group_start(void *context, uint32_t sm, const uint32_t workgroup[3])
{
    BOTH(workgroup_start, sm, workgroup);
}
static void both_group_end(void *context, uint32_t sm, const uint32_t workgroup[3])
{
    BOTH(workgroup_end, sm, workgroup);
}
static void both_fault(void *context, const struct cy_fault_info *fault)
{
    BOTH(fault, fault);
}

struct cy_observers cy_observers_both(struct cy_observers_pair *pair)
{
    return (struct cy_observers){.context = pair,
                                 .launch = both_launch,
                                 .before = both_before,
                                 .retired = both_retired,
                                 .memory = both_memory,
                                 .branch = both_branch,
                                 .barrier = both_barrier,
                                 .workgroup_start = both_group_start,
                                 .workgroup_end = both_group_end,
                                 .fault = both_fault};
}
