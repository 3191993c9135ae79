#include "timing_options.h"

#include <stdlib.h>
#include <string.h>

#include "machine_options.h"
#include "sweep/sweep.h"

bool cy_timing_is_setting(const char *assignment)
{
    return cy_sweep_is_of_model(assignment, strcspn(assignment, "="));
}

bool cy_timing_options_read(const struct cy_timing_options *options, struct cy_timing_config *config,
                            struct cy_diags *diags)
{
    const uint32_t errors = diags->errors;
    char *message = NULL;
    cy_timing_config_default(config);
    if (options->what) {
        const enum cy_status status = cy_timing_config_choose(config, options->what, &message);
        cy_take_message(diags, NULL, status, message);
    }
    for (size_t i = 0; i < options->settings.count; i++) {
        message = NULL;
        const enum cy_status status = cy_timing_config_set(config, options->settings.at[i], &message);
        cy_take_message(diags, options->settings.at[i], status, message);
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

/* cy sweep names a file for them, because a kernel may print such lines, too. */
static bool append_cycles(const char *machine, uint64_t cycles, bool is_estimate)
{
    const char *path = getenv("CHENGYING_TIMING_PRINT");
    FILE *file = path && *path == '/' ? fopen(path, "a") : NULL;
    if (!file)
        return false;
    fprintf(file, "timing: %s\ncycles: %llu%s\n", machine, (unsigned long long)cycles, is_estimate ? " estimated" : "");
    return fclose(file) == 0;
}

uint64_t cy_timing_report(struct cy_timing *timing, struct cy_timing_said *said, const char *path, FILE *out,
                          struct cy_diags *diags)
{
    struct cy_timing_said now;
    char note[256];
    const uint64_t cycles = cy_timing_finish(timing);
    const bool is_estimate = cycles != UINT64_MAX && cy_timing_note(timing, note, sizeof(note));
    cy_timing_describe(timing, now.text, sizeof(now.text));
    if (cycles == UINT64_MAX) {
        cy_diag_file(diags, CY_ERROR, path, "the cycle model ran out of memory or came to a halt");
        return cycles;
    }
    if (append_cycles(now.text, cycles, is_estimate))
        return cycles;
    if (!said || strcmp(said->text, now.text) != 0)
        fprintf(out, "timing: %s\n", now.text);
    if (said)
        *said = now;
    if (is_estimate) {
        fflush(stdout); /* what came before */
        cy_diag_file(diags, CY_NOTE, NULL, "%s", note);
        cy_say(diags);
    }
    fprintf(out, "cycles: %llu\n", (unsigned long long)cycles);
    return cycles;
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
