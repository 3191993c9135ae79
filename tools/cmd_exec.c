/* `cy exec`: runs a program with only our OpenCL platform visible. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "commands.h"
#include "exec_program.h"
#include "isa/isa.h"
#include "options.h"

enum { SIGNALLED = 128 }; /* added to a signal's number by cy_exec_run */
enum {
    OPT_MACHINE = 1,
    OPT_ENGINE,
    OPT_STATS,
    OPT_DEBUG,
    OPT_QUIET,
    OPT_TIMING,
    OPT_SET,
    OPT_MARCH,
    OPT_VERIFY_EVERY,
    OPT_VERIFY_STOP
};

static const struct cy_option options[] = {
    {OPT_MACHINE, 'm', "machine", "SETTINGS", "shape of the machine: sms=4,warps=16 or preset=rtl", 0},
    {OPT_ENGINE, 0, "engine", "ENGINE", "interp, jit, auto or verify: both, compared", 0},
    {OPT_VERIFY_EVERY, 0, "verify-every", "N", "--engine verify, for one of N launches with translated code", 0},
    {OPT_VERIFY_STOP, 0, "verify-stop", NULL, "--engine verify, and the first difference ends the program", 0},
    {OPT_MARCH, 0, "march", "TARGET", "the one device there is: ventus or ventus-gen2 (default: both)",
     CY_OPTION_ONE_DASH},
    {OPT_STATS, 's', "stats", NULL, "print a table of the kernels when the program ends", 0},
    {OPT_DEBUG, 'd', "debug", NULL, "print every fault, not only a kernel's first, and failed builds", 0},
    {OPT_QUIET, 'q', "quiet", NULL, "print no faults", 0},
    CY_TIMING_OPTION_ROW(OPT_TIMING),
    {OPT_SET, 0, "set", "PARAMETER=VALUE", "one parameter of the cycle model (repeatable); docs/timing.md lists them",
     0},
};

static const struct cy_usage usage = {"exec",
                                      "[options] -- PROGRAM [ARGUMENT...]",
                                      "Runs an OpenCL program on the Ventus machine.",
                                      "examples:\n"
                                      "  cy exec -- clinfo\n"
                                      "  cy exec --stats -- ./vecadd\n"
                                      "  cy exec -march=ventus-gen2 -- ./vecadd\n"
                                      "docs/opencl.md describes the corresponding environment variables.\n",
                                      options,
                                      CY_COUNT(options)};

/* The program was ended by a signal, and so are we: a caller sees what it would see without us.  One core file is enough. */
static void end_as_it(int signal_number)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

int cy_cmd_exec(int argc, char **argv)
{
    struct cy_args args;
    enum cy_target target;
    struct cy_diags diags = {0};
    struct cy_timing_options timing = {0};
    const char *engine = NULL; /* by an option */
    bool verifies = false;     /* by others */
    int own = cy_exec_split(&usage, argc, argv);
    char **program = argv + own + (own < argc && !strcmp(argv[own], "--"));
    cy_args_start(&args, &usage, own, argv);
    for (int id; (id = cy_args_next(&args)) != CY_ARGS_END;) {
        switch (id) {
        case OPT_MACHINE: setenv("CHENGYING_MACHINE", args.value, 1); break;
        case OPT_ENGINE:
            engine = args.value;
            setenv("CHENGYING_ENGINE", engine, 1);
            break;
        case OPT_VERIFY_EVERY:
            verifies = true;
            setenv("CHENGYING_VERIFY", args.value, 1);
            break;
        case OPT_VERIFY_STOP:
            verifies = true;
            setenv("CHENGYING_VERIFY_STOP", "1", 1);
            break;
        case OPT_MARCH:
            if (!cy_target_find(args.value, &target) || (target != CY_GEN1 && target != CY_GEN2)) {
                cy_vec_free(&timing.settings);
                return cy_usage_error(&usage, "-march: expected ventus or ventus-gen2, not '%s'", args.value);
            }
            setenv("CHENGYING_DEVICES", target == CY_GEN1 ? "gen1" : "gen2", 1);
            break;
        case OPT_STATS: setenv("CHENGYING_STATS", "1", 1); break;
        case OPT_DEBUG: setenv("CHENGYING_DEBUG", "1", 1); break;
        case OPT_QUIET: setenv("CHENGYING_DEBUG", "0", 1); break;
        case OPT_TIMING:
            timing.on = true;
            timing.what = args.value;
            break;
        case OPT_SET: *cy_vec_push(&timing.settings) = args.value; break;
        case CY_ARGS_EXIT: cy_vec_free(&timing.settings); return args.status;
        }
    }
    int status = CY_EXIT_OK;
    if (program >= argv + argc)
        status = cy_usage_error(&usage, "no program to run");
    else if (verifies && engine && strcmp(engine, "verify") != 0)
        status = cy_usage_error(&usage, "--verify-every and --verify-stop are for --engine verify, not '%s'", engine);
    else if (timing.settings.count && !timing.on)
        status = cy_usage_error(&usage, "--set is for the cycle model: it needs --timing");
    else if (timing.on && !cy_exec_pass_timing(&timing, true, &diags))
        status = cy_report(&diags);
    cy_vec_free(&timing.settings);
    if (status != CY_EXIT_OK)
        return status;
    if (verifies)
        setenv("CHENGYING_ENGINE", "verify", 1);
    else if (engine && strcmp(engine, "verify") != 0) /* the command line has the last word */
        unsetenv("CHENGYING_VERIFY");
    if (!cy_exec_environment(&diags))
        return cy_report(&diags);
    status = cy_exec_run(program, CY_EXIT_INPUT, &diags);
    if (cy_report(&diags) != CY_EXIT_OK)
        return CY_EXIT_INPUT;
    if (status > SIGNALLED)
        end_as_it(status - SIGNALLED);
    return status;
}
