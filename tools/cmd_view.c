/* `cy view`: a recorded run as a page that any browser opens. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "view_options.h"

enum { OPT_OUTPUT = 1, OPT_PARTIAL };

static const struct cy_option options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "the page (default: the trace's name with .html; -: standard output)", 0},
    {OPT_PARTIAL, 0, "partial", NULL, "of a trace that was not written to its end, show what there is", 0},
};

static const struct cy_usage usage = {
    "view",
    "[options] FILE.cytrace",
    "Writes a recorded run as one HTML page, which needs nothing else: source and disassembly with the cycles of each\n"
    "line, the warps of each SM over time, lanes, SIMT stack and memory accesses at every step.",
    "examples:\n"
    "  cy run --cytrace run.cytrace vecadd.cl --global 1024 --arg buffer:f32:1024=iota --arg buffer:f32:1024=ones \\\n"
    "      --arg buffer:f32:1024 --arg 1024\n"
    "  cy view run.cytrace\n"
    "  cy profile --html run.html -- ./vecadd\n",
    options,
    CY_COUNT(options)};

/* run.cytrace: run.html */
static void default_output(const char *trace, struct cy_buf *out)
{
    static const char suffix[] = ".cytrace";
    const size_t length = strlen(trace), most = sizeof(suffix) - 1;
    const bool has = length > most && !strcmp(trace + length - most, suffix);
    cy_buf_append(out, trace, has ? length - most : length);
    cy_buf_puts(out, ".html");
}

int cy_cmd_view(int argc, char **argv)
{
    struct cy_args args;
    struct cy_diags diags = {0};
    struct cy_paths paths = {0};
    struct cy_buf output = {0};
    struct cy_view_summary summary;
    const char *trace = NULL;
    bool partial = false;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; (id = cy_args_next(&args)) != CY_ARGS_END;) {
        switch (id) {
        case OPT_OUTPUT:
            output.size = 0;
            cy_buf_puts(&output, args.value);
            break;
        case OPT_PARTIAL: partial = true; break;
        case CY_ARGS_FILE:
            if (trace)
                return cy_usage_error(&usage, "one trace at a time: '%s' and '%s'", trace, args.value);
            trace = args.value;
            break;
        case CY_ARGS_EXIT: return args.status;
        }
    }
    if (!trace)
        return cy_usage_error(&usage, "no trace");
    if (!output.size && !strcmp(trace, "-"))
        return cy_usage_error(&usage, "a trace from standard input needs -o FILE");
    if (!output.size)
        default_output(trace, &output);
    cy_paths_read(&paths, trace);
    cy_paths_write(&paths, output.data);
    int status = cy_paths_check(&paths, &usage);
    if (status == CY_EXIT_OK) {
        if (cy_view_make_page(trace, partial, output.data, &summary, &diags) && strcmp(output.data, "-") != 0)
            printf("%s: %llu launch%s, %llu warp%s, %llu warp instructions; open it in a browser\n", output.data,
                   (unsigned long long)summary.launches, summary.launches == 1 ? "" : "es",
                   (unsigned long long)summary.warps, summary.warps == 1 ? "" : "s",
                   (unsigned long long)summary.instructions);
        status = cy_report(&diags);
    }
    cy_buf_free(&output);
    return status;
}
