/* The options of every command that runs the machine: --config, --set and the shorthands. */
#ifndef CY_TOOLS_MACHINE_OPTIONS_H
#define CY_TOOLS_MACHINE_OPTIONS_H

#include "chengying/device.h"
#include "options.h"

/* Rows for a command's option table; ids start at CY_MACHINE_OPTIONS. */
enum {
    CY_MACHINE_OPTIONS = 1000,
    CY_MACHINE_CONFIG = CY_MACHINE_OPTIONS,
    CY_MACHINE_SET,
    CY_MACHINE_PRESET,
    CY_MACHINE_SMS,
    CY_MACHINE_WARPS,
    CY_MACHINE_THREADS,
    CY_MACHINE_HOST_THREADS,
    CY_MACHINE_ENGINE,
    CY_MACHINE_VERIFY_EVERY,
    CY_MACHINE_DETERMINISTIC,
};
#define CY_MACHINE_OPTION_ROWS                                                                                         \
    {CY_MACHINE_CONFIG, 0, "config", "FILE", "the machine's configuration: lines 'key = value'", 0},                   \
        {CY_MACHINE_SET, 0, "set", "KEY=VALUE", "one setting (repeatable); docs/machine.md lists the keys", 0},        \
        {CY_MACHINE_PRESET, 0, "preset", "PRESET", "default, rtl, rtl32 or manual", 0},                                \
        {CY_MACHINE_SMS, 0, "sms", "N", "streaming multiprocessors", 0},                                               \
        {CY_MACHINE_WARPS, 0, "warps", "N", "warps per SM", 0},                                                        \
        {CY_MACHINE_THREADS, 0, "threads", "N", "threads per warp: 4, 8, 16, 32 or 64", 0},                            \
        {CY_MACHINE_HOST_THREADS, 0, "host-threads", "N", "host threads that run SMs", 0},                             \
        {CY_MACHINE_ENGINE, 0, "engine", "ENGINE", "interp, jit, auto or verify: both, compared", 0},                  \
        {CY_MACHINE_VERIFY_EVERY,                                                                                      \
         0,                                                                                                            \
         "verify-every",                                                                                               \
         "N",                                                                                                          \
         "--engine verify, for one of N launches with translated code",                                                \
         0},                                                                                                           \
        {CY_MACHINE_DETERMINISTIC, 0, "deterministic", NULL, "one host thread: even races are reproducible", 0},

/* The library's message, which is ready to print, and frees it.  `place`: the --set it is about, or NULL. */
void cy_take_message(struct cy_diags *diags, const char *place, enum cy_status status, char *message);

/* What CHENGYING_MACHINE and CHENGYING_ENGINE say, as OpenCL programs obey it; before the command line.  Returns whether the
 * number of threads of a warp is among it. */
bool cy_machine_from_environment(struct cy_config *config, struct cy_diags *diags);

/* Applies one of them.  False: not one of ours.  Messages go to diags. */
bool cy_machine_option(struct cy_config *config, int id, const char *value, struct cy_diags *diags);

#endif
