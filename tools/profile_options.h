/* The options of every command that can profile: --profile and the files that a profile is written to. */
#ifndef CY_TOOLS_PROFILE_OPTIONS_H
#define CY_TOOLS_PROFILE_OPTIONS_H

#include "options.h"
#include "paths.h"
#include "profile/profile.h"

enum {
    CY_PROFILE_TABLE = 600,
    CY_PROFILE_TO, /* + enum cy_profile_form */
    CY_PROFILE_EVENTS = CY_PROFILE_TO + CY_PROFILE_FORMS,
    CY_PROFILE_EXACT,
};

#define CY_PROFILE_FILE_ROWS                                                                                            \
    {CY_PROFILE_TO + CY_PROFILE_JSON, 0, "json", "FILE", "write the profile as JSON (docs/profile.schema.json)", 0},    \
        {CY_PROFILE_TO + CY_PROFILE_CALLGRIND,                                                                          \
         0,                                                                                                             \
         "callgrind",                                                                                                   \
         "FILE",                                                                                                        \
         "write it for KCachegrind and callgrind_annotate",                                                             \
         0},                                                                                                            \
        {CY_PROFILE_TO + CY_PROFILE_FLAMEGRAPH, 0, "flamegraph", "FILE", "write it as folded stacks", 0},               \
        {CY_PROFILE_TO + CY_PROFILE_ROOFLINE, 0, "roofline", "FILE", "write a roofline plot (SVG)", 0},                 \
        {CY_PROFILE_TO + CY_PROFILE_PERFETTO,                                                                           \
         0,                                                                                                             \
         "perfetto",                                                                                                    \
         "FILE",                                                                                                        \
         "write trace events for Perfetto's and Chrome's viewers",                                                      \
         0},                                                                                                            \
        {CY_PROFILE_TO + CY_PROFILE_KANATA, 0, "kanata", "FILE", "write a pipeline log for Konata (with --timing)", 0}, \
        {CY_PROFILE_EXACT, 0, "exact", NULL, "count all workgroups of kernels for which that takes long, too", 0},      \
    {                                                                                                                   \
        CY_PROFILE_EVENTS, 0, "events", "COUNT",                                                                        \
            "events that --perfetto and --kanata hold at most (default 200000), and warp instructions that\n"           \
            "--cytrace and --html do (default 20000000)",                                                               \
            0                                                                                                           \
    }

struct cy_profile_options {
    bool table; /* print it */
    bool exact; /* count every workgroup */
    const char *file[CY_PROFILE_FORMS];
    uint64_t events;
};
#define CY_PROFILE_EVENTS_DEFAULT 200000

/* False: not an option of this table.  A bad value is reported in `status`. */
bool cy_profile_option(struct cy_profile_options *options, int id, const char *value, const struct cy_usage *usage,
                       int *status);
bool cy_profile_is_on(const struct cy_profile_options *options);
/* The limit of events to record: 0 if no file needs them. */
size_t cy_profile_event_limit(const struct cy_profile_options *options);
/* Is something written to standard output: the table, or a form with the file "-"? */
bool cy_profile_uses_stdout(const struct cy_profile_options *options);
/* CY_EXIT_USAGE, after a message, if a form needs the cycle model and it is off, or two are to go to standard output. */
int cy_profile_check(const struct cy_profile_options *options, bool timing, const struct cy_usage *usage);
void cy_profile_paths(const struct cy_profile_options *options, struct cy_paths *paths);
/* Prints and writes what the options ask for. */
void cy_profile_show(const struct cy_profile_options *options, struct cy_profile *profile, struct cy_diags *diags);

#endif
