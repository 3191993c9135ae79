#include "profile_options.h"

#include <stdio.h>

#include "base/file.h"

static void (*const writers[CY_PROFILE_FORMS])(const struct cy_profile *profile, struct cy_buf *out) = {
    [CY_PROFILE_TEXT] = cy_profile_text,           [CY_PROFILE_JSON] = cy_profile_json,
    [CY_PROFILE_CALLGRIND] = cy_profile_callgrind, [CY_PROFILE_FLAMEGRAPH] = cy_profile_flamegraph,
    [CY_PROFILE_ROOFLINE] = cy_profile_roofline,   [CY_PROFILE_PERFETTO] = cy_profile_perfetto,
    [CY_PROFILE_KANATA] = cy_profile_kanata,
};

bool cy_profile_option(struct cy_profile_options *options, int id, const char *value, const struct cy_usage *usage,
                       int *status)
{
    if (id == CY_PROFILE_TABLE) {
        options->table = true;
    } else if (id >= CY_PROFILE_TO && id < CY_PROFILE_TO + CY_PROFILE_FORMS) {
        options->file[id - CY_PROFILE_TO] = value;
    } else if (id == CY_PROFILE_EVENTS) {
        if (!cy_parse_number(value, 1000000000, &options->events) || !options->events)
            *status = cy_usage_error(usage, "--events needs a number from 1 to 1000000000, not '%s'", value);
    } else {
        return false;
    }
    return true;
}

bool cy_profile_is_on(const struct cy_profile_options *options)
{
    bool on = options->table;
    for (unsigned form = 0; form < CY_PROFILE_FORMS; form++)
        on |= options->file[form] != NULL;
    return on;
}

size_t cy_profile_event_limit(const struct cy_profile_options *options)
{
    if (!options->file[CY_PROFILE_PERFETTO] && !options->file[CY_PROFILE_KANATA])
        return 0;
    return options->events ? (size_t)options->events : CY_PROFILE_EVENTS_DEFAULT;
}

int cy_profile_check(const struct cy_profile_options *options, bool timing, const struct cy_usage *usage)
{
    if (options->file[CY_PROFILE_KANATA] && !timing)
        return cy_usage_error(usage, "--kanata shows cycles: it needs --timing");
    return CY_EXIT_OK;
}

void cy_profile_paths(const struct cy_profile_options *options, struct cy_paths *paths)
{
    for (unsigned form = 0; form < CY_PROFILE_FORMS; form++)
        cy_paths_write(paths, options->file[form]);
}

void cy_profile_show(const struct cy_profile_options *options, const struct cy_profile *profile, struct cy_diags *diags)
{
    for (unsigned form = 0; form < CY_PROFILE_FORMS; form++) {
        const char *file = form == CY_PROFILE_TEXT && options->table ? "-" : options->file[form];
        struct cy_buf text = {0};
        if (!file)
            continue;
        fflush(stdout);
        writers[form](profile, &text);
        cy_file_write(file, text.data ? text.data : "", text.size, false, diags);
        cy_buf_free(&text);
    }
    if (profile->events_left_out)
        cy_diag_file(diags, CY_NOTE, NULL, "%llu events beyond the first %zu were left out; --events COUNT keeps more",
                     (unsigned long long)profile->events_left_out, profile->events.count);
}
