/* The options of every command that can run the cycle model: --timing[=PRESET|FILE] and --set parameter=value. */
#ifndef CY_TOOLS_TIMING_OPTIONS_H
#define CY_TOOLS_TIMING_OPTIONS_H

#include "chengying/timing.h"
#include "options.h"
#include "paths.h"

#define CY_TIMING_OPTION_ROW(id)                                                                                       \
    {                                                                                                                  \
        id, 0, "timing", "PRESET|FILE", "print the cycles of each launch; without a value: preset ventus-verilog",     \
            CY_OPTION_OPTIONAL                                                                                         \
    }
#define CY_TIMING_PRINT_ROW(id)                                                                                        \
    {                                                                                                                  \
        id, 0, "timing-print", NULL, "print the cycle model's parameters as a file for --timing=FILE; run nothing", 0  \
    }

struct cy_timing_options {
    bool on, print;
    const char *what; /* a preset or a file; NULL: the default */
    CY_VEC(const char *) settings;
};
/* Is this --set for the model? */
bool cy_timing_is_setting(const char *assignment);
/* The configuration requested by the options, settings last.  False: messages are in diags. */
bool cy_timing_options_read(const struct cy_timing_options *options, struct cy_timing_config *config,
                            struct cy_diags *diags);

/* The file that --timing names, if it names one. */
void cy_timing_paths(const struct cy_timing_options *options, struct cy_paths *paths);

/* The configuration as a file that --timing=FILE takes. */
void cy_timing_options_print(const struct cy_timing_config *config, FILE *out);

/* The line `cycles: N` of a launch that has ended, after the machine and the preset, if `said` is not the same (what was
 * said for the last launch; NULL: nothing), and after a note if they are an estimate.  UINT64_MAX: the model has failed. */
struct cy_timing_said {
    char text[256];
};
uint64_t cy_timing_report(struct cy_timing *timing, struct cy_timing_said *said, const char *path, FILE *out,
                          struct cy_diags *diags);

/* Two sets of observers as one. */
struct cy_observers_pair {
    struct cy_observers first, second;
};
struct cy_observers cy_observers_both(struct cy_observers_pair *pair);

#endif
