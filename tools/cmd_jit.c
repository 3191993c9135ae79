/* `cy jit`: what the fast engine makes of a kernel, pass by pass. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "commands.h"
#include "jit/transform/transform.h"
#include "options.h"

enum { OPT_DUMP = 1, OPT_STOP_AFTER, OPT_RUN_PASS, OPT_PASSES, OPT_TIME };

static const struct cy_option options[] = {
    {OPT_DUMP, 0, "dump", "PASS", "print the kernel after a pass, after import, or after all of them", 0},
    {OPT_STOP_AFTER, 0, "stop-after", "PASS", "run no pass behind this one; import: none at all", 0},
    {OPT_RUN_PASS, 0, "run-pass", "PASS", "run this pass alone", 0},
    {OPT_PASSES, 0, "passes", NULL, "list the passes, in order", 0},
    {OPT_TIME, 0, "time-passes", NULL, "print on standard error how long each pass took", 0},
};

static const struct cy_usage usage = {"jit",
                                      "[options] FILE.sir",
                                      "Shows what the fast engine makes of a kernel: the strip IR behind its passes.",
                                      "examples:\n"
                                      "  cy jit --passes\n"
                                      "  cy jit --run-pass=masks kernel.sir     what one pass does\n",
                                      options,
                                      CY_COUNT(options)};

static const char *const forms[] = {"SIMT", "vector", "any"};

static void list_passes(void)
{
    printf("%-12s%-17s%s\n", "pass", "form", "what it does");
    for (size_t i = 0; i < CY_SIR_PASSES; i++) {
        const struct cy_sir_pass *pass = &cy_sir_passes[i];
        char form[32];
        snprintf(form, sizeof(form), pass->from == pass->to ? "%s" : "%s to %s", forms[pass->from], forms[pass->to]);
        printf("%-12s%-17s%s\n", pass->name, form, pass->text);
    }
}

static void print_times(const struct cy_sir_pipeline *pipeline)
{
    uint64_t total = 0;
    for (size_t i = 0; i < CY_SIR_PASSES; i++)
        total += pipeline->ns[i];
    fprintf(stderr, "%-12s%12s%8s\n", "pass", "time/ms", "share");
    for (size_t i = 0; i < CY_SIR_PASSES; i++)
        if (pipeline->ns[i])
            fprintf(stderr, "%-12s%12.3f%7.1f%%\n", cy_sir_passes[i].name, (double)pipeline->ns[i] / 1e6,
                    100.0 * (double)pipeline->ns[i] / (double)total);
    fprintf(stderr, "%-12s%12.3f\n", "all", (double)total / 1e6);
}

/* False after a message: there is no such pass. */
static bool is_pass(const char *option, const char *name, bool may_be_all)
{
    if (!name || (may_be_all && strcmp(name, "all") == 0) || cy_sir_knows_pass(name))
        return true;
    struct cy_buf list = {0};
    for (size_t i = 0; i < CY_SIR_PASSES; i++)
        cy_buf_printf(&list, ", %s", cy_sir_passes[i].name);
    cy_usage_error(&usage, "--%s: there is no pass '%s'; there are import%s%s", option, name, list.data,
                   may_be_all ? ", and all" : "");
    cy_buf_free(&list);
    return false;
}

/* Prints the function at the end, unless that was the one to be printed. */
static bool run_passes(const char *file, struct cy_sir_func *func, struct cy_sir_pipeline *pipeline,
                       struct cy_diags *diags)
{
    const char *wrong = cy_sir_run_passes(func, pipeline);
    if (wrong)
        cy_diag_file(diags, CY_ERROR, file, "%s", wrong);
    else if (!pipeline->dump)
        cy_sir_print(func, pipeline->out);
    return !wrong;
}

static bool run_file(const char *file, struct cy_sir_pipeline *pipeline, struct cy_diags *diags)
{
    struct cy_buf text = {0};
    struct cy_sir_func *func = NULL;
    bool ok = cy_file_read(file, &text, diags) && (func = cy_sir_read(file, text.data, text.size, diags)) &&
              run_passes(file, func, pipeline, diags);
    cy_sir_free(func);
    cy_buf_free(&text);
    return ok;
}

int cy_cmd_jit(int argc, char **argv)
{
    struct cy_args args;
    struct cy_diags diags = {0};
    struct cy_buf out = {0};
    struct cy_sir_pipeline pipeline = {.out = &out};
    const char *file = NULL;
    bool is_timed = false;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; (id = cy_args_next(&args)) != CY_ARGS_END;) {
        switch (id) {
        case OPT_DUMP: pipeline.dump = args.value; break;
        case OPT_STOP_AFTER: pipeline.stop = args.value; break;
        case OPT_RUN_PASS: pipeline.only = args.value; break;
        case OPT_PASSES: list_passes(); return CY_EXIT_OK;
        case OPT_TIME: is_timed = true; break;
        case CY_ARGS_FILE:
            if (file)
                return cy_usage_error(&usage, "one kernel at a time: '%s' and '%s'", file, args.value);
            file = args.value;
            break;
        case CY_ARGS_EXIT: return args.status;
        }
    }
    if (!file)
        return cy_usage_error(&usage, "no input file");
    if (!is_pass("dump", pipeline.dump, true) || !is_pass("stop-after", pipeline.stop, false) ||
        !is_pass("run-pass", pipeline.only, false))
        return CY_EXIT_USAGE;
    run_file(file, &pipeline, &diags);
    if (out.size)
        fwrite(out.data, 1, out.size, stdout);
    if (is_timed)
        print_times(&pipeline);
    cy_buf_free(&out);
    return cy_report(&diags);
}
