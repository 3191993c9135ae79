/* `cy as`: sources to relocatable objects. */
#include <string.h>

#include "base/file.h"
#include "chengying/asm.h"
#include "commands.h"
#include "options.h"
#include "paths.h"
#include "preprocess.h"

enum { OPT_OUTPUT = 1, OPT_MARCH, OPT_INCLUDE, OPT_DEFINE, OPT_LISTING, OPT_NO_WARN, OPT_FATAL, OPT_EXPANSION };

static const struct cy_option options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE",
     "write the object to FILE, '-' is standard output (default: the name of the\n"
     "source with .o in the current directory)",
     0},
    {OPT_MARCH, 0, "march", "TARGET", "ventus (default), ventus-gen2, epic or epic-fpga", CY_OPTION_ONE_DASH},
    {OPT_INCLUDE, 'I', NULL, "DIR", "also search DIR for .include and .incbin files", 0},
    {OPT_DEFINE, 'D', NULL, "NAME=VALUE", "define a symbol (without =VALUE: as 1)", 0},
    {OPT_LISTING, 'l', "listing", NULL, "print the source with addresses and bytes", 0},
    {OPT_NO_WARN, 'W', "no-warn", NULL, "suppress warnings", 0},
    {OPT_FATAL, 0, "fatal-warnings", NULL, "treat warnings as errors", 0},
    {OPT_EXPANSION, 0, "max-expansion", "BYTES", "stop when macros and repetitions expand to more text than this", 0},
};

static const struct cy_usage usage = {
    "as",
    "[options] FILE...",
    "Assembles each FILE ('-': standard input) into a relocatable object.  If a file has errors, all of them "
    "errors\n"
    "are shown and no object is written for it.  A file whose name ends in .S goes through the C preprocessor first.",
    "examples:\n"
    "  cy as examples/asm/vecadd.s              writes vecadd.o\n"
    "  cy as -l -o /dev/null examples/asm/vecadd.s\n"
    "  echo 'vadd.vv v40, v1, v200' | cy as -o - - | cy dis -\n",
    options,
    CY_COUNT(options),
};

struct job {
    struct cy_asm_options options;
    const char *output;
    CY_VEC(const char *) files;
    CY_VEC(const char *) include_dirs;
    CY_VEC(const char *) defines;
};

/* "src/x.s" -> "x.o"; standard input -> "a.o" */
static void default_output(const char *source, struct cy_buf *name)
{
    const char *slash = strrchr(source, '/');
    const char *base = slash ? slash + 1 : source;
    const char *dot = strrchr(base, '.');
    if (strcmp(source, "-") == 0)
        cy_buf_puts(name, "a");
    else
        cy_buf_append(name, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    cy_buf_puts(name, ".o");
}

static bool assemble_file(const struct job *job, const char *file, struct cy_asm_result *result)
{
    if (!cy_wants_preprocessor(file))
        return cy_asm_file(file, &job->options, result);
    struct cy_buf text = {0};
    struct cy_asm_options adjusted = job->options;
    adjusted.define_count = 0; /* the preprocessor has applied them */
    const struct cy_preprocess macros = {job->include_dirs.at, job->include_dirs.count, job->defines.at,
                                         job->defines.count};
    bool ok = cy_preprocess(&macros, file, &text);
    if (!ok)
        *result = (struct cy_asm_result){0};
    else
        ok = cy_asm(file, text.data, text.size, &adjusted, result);
    cy_buf_free(&text);
    return ok;
}

/* ---- one source ---- */

static int assemble(const struct job *job, const char *file)
{
    struct cy_asm_result result;
    int status = assemble_file(job, file, &result) ? CY_EXIT_OK : CY_EXIT_INPUT;
    if (result.messages)
        fputs(result.messages, stderr);
    if (status == CY_EXIT_OK) {
        struct cy_diags diags = {0};
        struct cy_buf name = {0};
        if (job->output)
            cy_buf_puts(&name, job->output);
        else
            default_output(file, &name);
        struct cy_paths paths = {0};
        cy_paths_write(&paths, name.data);
        cy_paths_read_lines(&paths, result.files);
        status = cy_paths_check(&paths, &usage);
        if (status == CY_EXIT_OK && result.listing)
            fputs(result.listing, strcmp(name.data, "-") == 0 ? stderr : stdout);
        if (status == CY_EXIT_OK) {
            cy_file_write(name.data, result.object, result.object_size, false, &diags);
            status = cy_report(&diags);
        }
        cy_buf_free(&name);
    }
    cy_asm_result_free(&result);
    return status;
}

static int check_paths(const struct job *job)
{
    struct cy_paths paths = {0};
    struct cy_buf name = {0};
    for (size_t i = 0; i < job->files.count; i++) {
        name.size = 0;
        default_output(job->files.at[i], &name);
        cy_paths_read(&paths, job->files.at[i]);
        cy_paths_write(&paths, job->output ? job->output : name.data);
    }
    cy_buf_free(&name);
    return cy_paths_check(&paths, &usage);
}

/* False: *status is the exit status. */
static bool read_options(struct job *job, int argc, char **argv, int *status)
{
    struct cy_args args;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; (id = cy_args_next(&args)) != CY_ARGS_END;) {
        switch (id) {
        case OPT_OUTPUT: job->output = args.value; break;
        case OPT_MARCH: job->options.march = args.value; break;
        case OPT_INCLUDE: *cy_vec_push(&job->include_dirs) = args.value; break;
        case OPT_DEFINE: *cy_vec_push(&job->defines) = args.value; break;
        case OPT_LISTING: job->options.flags |= CY_ASM_LISTING; break;
        case OPT_NO_WARN: job->options.flags |= CY_ASM_NO_WARNINGS; break;
        case OPT_FATAL: job->options.flags |= CY_ASM_FATAL_WARNINGS; break;
        case OPT_EXPANSION: {
            uint64_t bytes;
            if (!cy_parse_number(args.value, SIZE_MAX, &bytes)) {
                *status = cy_usage_error(&usage, "'%s' is not a number of bytes", args.value);
                return false;
            }
            job->options.max_expansion_bytes = (size_t)bytes;
            break;
        }
        case CY_ARGS_FILE: *cy_vec_push(&job->files) = args.value; break;
        case CY_ARGS_EXIT: *status = args.status; return false;
        }
    }
    *status = CY_EXIT_OK;
    if (job->files.count == 0)
        *status = cy_usage_error(&usage, "no input file");
    else if (job->output && job->files.count > 1)
        *status = cy_usage_error(&usage, "-o names one object, but there are %zu sources", job->files.count);
    else
        *status = check_paths(job);
    job->options.include_dirs = job->include_dirs.at;
    job->options.include_dir_count = job->include_dirs.count;
    job->options.defines = job->defines.at;
    job->options.define_count = job->defines.count;
    return *status == CY_EXIT_OK;
}

int cy_cmd_as(int argc, char **argv)
{
    struct job job = {0};
    int status;
    if (read_options(&job, argc, argv, &status))
        for (size_t i = 0; i < job.files.count; i++) {
            int result = assemble(&job, job.files.at[i]);
            status = result > status ? result : status;
        }
    cy_vec_free(&job.files);
    cy_vec_free(&job.include_dirs);
    cy_vec_free(&job.defines);
    return status;
}
