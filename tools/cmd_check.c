/* `cy check`: finds what a kernel, or an OpenCL program, does wrong. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "check/check.h"
#include "commands.h"
#include "exec_program.h"
#include "compiler.h"
#include "isa/isa.h"
#include "options.h"
#include "paths.h"
#include "run_check.h"

enum { EXIT_FOUND = 3 };

enum {
    OPT_TOOL = 1,
    OPT_JSON,
    OPT_SARIF,
    OPT_OUTPUT,
    OPT_MAX,
    OPT_EXITCODE,
    OPT_SUPPRESSIONS,
    OPT_SAME_VALUE,
    OPT_QUIET,
    OPT_RUN, /* and more: those of `cy run`, which are passed on */
};

#define RUN(number, short_name, long_name, argument, help)                                                             \
    {                                                                                                                  \
        OPT_RUN + number, short_name, long_name, argument, help, 0                                                     \
    }
static const struct cy_option options[] = {
    {OPT_TOOL, 't', "tool", "TOOL[,TOOL]", "memory, init, race, sync, api (default: all)", 0},
    {OPT_JSON, 0, "json", NULL, "write the reports as JSON to standard output, or to the file of --output", 0},
    {OPT_SARIF, 0, "sarif", NULL, "the same as SARIF 2.1.0, for editors and code hosts", 0},
    {OPT_OUTPUT, 'o', "output", "FILE", "where --json and --sarif write", 0},
    {OPT_MAX, 0, "max-reports", "N", "show N reports of a kind in full and count the rest (default: 10)", 0},
    {OPT_EXITCODE, 0, "error-exitcode", "N", "exit status if something was found (default: 3)", 0},
    {OPT_SUPPRESSIONS, 0, "suppressions", "FILE", "lines of KIND KERNEL FILE, patterns with *, that are not reported",
     0},
    {OPT_SAME_VALUE, 0, "no-same-value", NULL, "no notes about races in which both write the same value", 0},
    {OPT_QUIET, 'q', "quiet", NULL, "print no reports on standard error", 0},
    RUN(0, 'k', "kernel", "NAME", "the kernel (required if there are several)"),
    RUN(1, 0, "global", "X[,Y[,Z]]", "work-items"),
    RUN(2, 'l', "local", "X[,Y[,Z]]", "work-items of a workgroup (default: what the kernel requires, or chosen)"),
    RUN(3, 0, "offset", "X[,Y[,Z]]", "added to global ids"),
    RUN(4, 'a', "arg", "ARG", "an argument, in order, as `cy run` takes it"),
    RUN(5, 'p', "print", "N[:COUNT]", "print the buffer of argument N (from 0) afterwards"),
    RUN(6, 0, "set", "KEY=VALUE", "one setting of the machine (repeatable)"),
    RUN(8, 0, "gdb", "WHERE", "stop in GDB at the first report (docs/debug.md): a port, the path of a socket, or -"),
    RUN(9, 'O', NULL, "LEVEL", "compile FILE.cl with 0: unoptimised; 2: everything (default)"),
    RUN(7, 0, "build-options", "OPTIONS", "more options for FILE.cl: '-cl-std=CL3.0 -DN=4'"),
    {OPT_RUN + 10, 0, "march", "TARGET", "instruction set of FILE.cl: ventus (default), ventus-gen2",
     CY_OPTION_ONE_DASH},
};

static const struct cy_usage usage = {
    "check",
    "[options] -- PROGRAM [ARGUMENT...]",
    "Runs an OpenCL program, or one kernel (cy check [options] FILE.cl --global N --arg ...), and reports accesses "
    "outside\n"
    "of buffers and variables, races, barriers that not all work-items reach, and values that nobody wrote.",
    "arguments are those of `cy run`, and:\n"
    "  buffer:TYPE:COUNT         a buffer that nobody has written\n"
    "  readonly:... writeonly:...  a buffer that kernels may only read or write\n"
    "\n"
    "examples:\n"
    "  cy check -- ./vecadd\n"
    "  cy check kernel.cl --global 1024 --arg 2.5 --arg buffer:f32:1024=iota --arg buffer:f32:1024=ones\n"
    "exit status: 0 nothing found, 3 something found, otherwise that of the program\n",
    options,
    CY_COUNT(options)};

struct request {
    struct cy_check_options options;
    bool json;
    const char *output;
    int exit_found;
    const char *tools, *max, *suppressions;
    struct cy_buf suppression_text;
    char log[64];
    CY_VEC(char *) words; /* for `cy run` */
    struct cy_arena arena;
};

/* Where the program's own words start: after "--"; none: argc. */
static int split(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--"))
            return i;
    return argc;
}

/* ---- the documents ---- */

static void write_counts(struct cy_json *json, const char *text, size_t size)
{
    cy_json_key(json, "counts");
    cy_json_begin(json, '{');
    for (const char *at = text, *end = text + size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        unsigned id;
        unsigned long long count;
        if (sscanf(at, "{\"count_of\":%u,\"count\":%llu}", &id, &count) == 2) {
            char key[16];
            snprintf(key, sizeof(key), "%u", id);
            cy_json_key(json, key);
            cy_json_uint(json, count);
        }
        at = stop ? stop + 1 : end;
    }
    cy_json_end(json);
}

/* The log's lines are the elements of the array. */
static void write_lines(struct cy_buf *out, const char *text, size_t size)
{
    bool any = false;
    for (const char *at = text, *end = text + size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *next = stop ? stop + 1 : end;
        if (strncmp(at, "{\"count_of\"", 11) != 0) {
            cy_buf_puts(out, any ? ",\n" : "\n");
            cy_buf_append(out, at, (size_t)((stop ? stop : end) - at));
            any = true;
        }
        at = next;
    }
}

static void write_rules(struct cy_buf *out)
{
    struct cy_json json = {.out = out};
    const char *id, *title;
    bool is_note;
    cy_json_begin(&json, '[');
    for (unsigned i = 0; cy_check_kind(i, &id, &title, &is_note); i++) {
        cy_json_begin(&json, '{');
        cy_json_key(&json, "id");
        cy_json_string(&json, id);
        cy_json_key(&json, "shortDescription");
        cy_json_begin(&json, '{');
        cy_json_key(&json, "text");
        cy_json_string(&json, title);
        cy_json_end(&json);
        cy_json_key(&json, "defaultConfiguration");
        cy_json_begin(&json, '{');
        cy_json_key(&json, "level");
        cy_json_string(&json, is_note ? "note" : "error");
        cy_json_end(&json);
        cy_json_end(&json);
    }
    cy_json_end(&json);
}

static void document(const struct request *request, const struct cy_buf *log, struct cy_buf *out)
{
    const char *text = log->data ? log->data : "";
    if (request->options.sarif) {
        cy_buf_puts(out,
                    "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{"
                    "\"tool\":{\"driver\":{\"name\":\"cy check\",\"version\":\"" CY_VERSION "\",\"rules\":");
        write_rules(out);
        cy_buf_puts(out, "}},\"results\":[");
        write_lines(out, text, log->size);
        cy_buf_puts(out, "\n]}]}\n");
        return;
    }
    struct cy_json json = {.out = out};
    cy_buf_puts(out, "{\"reports\":[");
    write_lines(out, text, log->size);
    cy_buf_puts(out, "\n],");
    struct cy_buf counts = {0};
    json.out = &counts;
    cy_json_begin(&json, '{');
    write_counts(&json, text, log->size);
    cy_json_end(&json);
    cy_buf_append(out, counts.data + 1, counts.size - 1); /* the members of our own object */
    cy_buf_putc(out, '\n');
    cy_buf_free(&counts);
}

/* Was there a report that counts?  Notes alone do not. */
static bool has_errors(const struct cy_buf *log)
{
    return log->data && (strstr(log->data, "\"severity\":\"error\"") || strstr(log->data, "\"level\":\"error\""));
}

static int finish(struct request *request, int status)
{
    struct cy_diags diags = {0};
    struct cy_buf log = {0}, text = {0};
    if (!cy_file_read(request->log, &log, &diags))
        return cy_report(&diags);
    unlink(request->log);
    if (request->json || request->options.sarif) {
        document(request, &log, &text);
        if (request->output)
            cy_file_write(request->output, text.data, text.size, false, &diags);
        else
            fwrite(text.data, 1, text.size, stdout);
    }
    const bool found = has_errors(&log);
    cy_buf_free(&log);
    cy_buf_free(&text);
    const int wrong = cy_report(&diags);
    return wrong ? wrong : found ? request->exit_found : status;
}

/* A document on standard output is alone there: what the program and its kernels print goes to standard error. */
static int begin_output(const struct request *request)
{
    const bool is_document = (request->json || request->options.sarif) && !request->output;
    fflush(stdout);
    const int out = is_document ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
    if (out >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    return out;
}

static void end_output(int out)
{
    fflush(stdout);
    if (out < 0)
        return;
    dup2(out, STDOUT_FILENO);
    close(out);
}

static bool make_log(struct request *request, struct cy_diags *diags)
{
    const char *directory = getenv("TMPDIR");
    snprintf(request->log, sizeof(request->log), "%s/cy-check-XXXXXX",
             directory && *directory && strlen(directory) < 40 ? directory : "/tmp");
    const int file = mkstemp(request->log);
    if (file < 0) {
        cy_diag_file(diags, CY_ERROR, request->log, "cannot create: %s", strerror(errno));
        return false;
    }
    close(file);
    return true;
}

/* ---- an OpenCL program ---- */

static void set_flag(const char *name, bool value)
{
    if (value)
        setenv(name, "1", 1);
    else
        unsetenv(name);
}

static void set_environment(const struct request *request)
{
    setenv("CHENGYING_CHECK", request->tools ? request->tools : "all", 1);
    setenv("CHENGYING_CHECK_LOG", request->log, 1);
    if (request->max)
        setenv("CHENGYING_CHECK_MAX", request->max, 1);
    if (request->suppression_text.data)
        setenv("CHENGYING_CHECK_SUPPRESSIONS", request->suppression_text.data, 1);
    set_flag("CHENGYING_CHECK_SARIF", request->options.sarif);
    set_flag("CHENGYING_CHECK_QUIET", request->options.quiet);
    set_flag("CHENGYING_CHECK_NO_SAME_VALUE", request->options.no_same_value);
}

static int run_program(struct request *request, char **program)
{
    struct cy_diags diags = {0};
    if (!cy_exec_environment(&diags))
        return cy_report(&diags);
    set_environment(request);
    const int status = cy_exec_run(program, 127, &diags);
    return cy_report(&diags) == CY_EXIT_OK ? status : CY_EXIT_INPUT;
}

/* ---- one kernel ---- */

static int run_kernel(struct request *request)
{
    uint64_t found;
    request->options.log = request->log;
    request->options.suppressions = request->suppression_text.data;
    struct cy_check *check = cy_check_create(&request->options);
    if (!check)
        cy_mem_fail();
    *cy_vec_push(&request->words) = NULL;
    const int status = cy_run_checked((int)request->words.count - 1, request->words.at, check);
    if (status != CY_EXIT_USAGE)
        cy_check_finish(check, &found);
    cy_check_destroy(check);
    return status;
}

/* ---- the command ---- */

static int take(struct request *request, int id, const char *value)
{
    const char *bad;
    size_t length;
    uint64_t number;
    switch (id) {
    case OPT_TOOL:
        if (!cy_check_parse_tools(value, &request->options.tools, &bad, &length))
            return cy_usage_error(&usage, "--tool is a list of memory, init, race, sync and api, not '%s'", value);
        request->tools = value;
        break;
    case OPT_JSON: request->json = true; break;
    case OPT_SARIF: request->options.sarif = true; break;
    case OPT_OUTPUT: request->output = value; break;
    case OPT_MAX:
        if (!cy_parse_number(value, 1000000, &number) || !number)
            return cy_usage_error(&usage, "--max-reports needs a number, not '%s'", value);
        request->options.max_reports = (unsigned)number;
        request->max = value;
        break;
    case OPT_EXITCODE:
        if (!cy_parse_number(value, 255, &number))
            return cy_usage_error(&usage, "--error-exitcode needs a number up to 255, not '%s'", value);
        request->exit_found = (int)number;
        break;
    case OPT_SUPPRESSIONS: request->suppressions = value; break;
    case OPT_SAME_VALUE: request->options.no_same_value = true; break;
    case OPT_QUIET: request->options.quiet = true; break;
    default: break;
    }
    return CY_EXIT_OK;
}

/* An option of `cy run`, as a word for it. */
static void pass_on(struct request *request, int id, const char *value)
{
    for (size_t i = 0; i < CY_COUNT(options); i++)
        if (options[i].id == id && options[i].long_name)
            *cy_vec_push(&request->words) =
                cy_arena_printf(&request->arena, "--%s=%s", options[i].long_name, value ? value : "");
        else if (options[i].id == id)
            *cy_vec_push(&request->words) =
                cy_arena_printf(&request->arena, "-%c%s", options[i].short_name, value ? value : "");
    request->options.stop |= id == OPT_RUN + 8;
}

/* What of them programs obey, too: they choose their kernels and ranges themselves. */
static int pass_to_program(const struct request *request)
{
    for (size_t i = 1; i < request->words.count; i++) {
        const char *word = request->words.at[i], *value = strchr(word, '=');
        enum cy_target target;
        if (strncmp(word, "-O", 2) == 0) {
            setenv("CHENGYING_OPTIMIZE", word[2] == '0' ? "0" : "1", 1);
        } else if (strncmp(word, "--set=", 6) == 0) {
            const char *before = getenv("CHENGYING_MACHINE");
            struct cy_buf all = {0};
            cy_buf_printf(&all, "%s%s%s", before ? before : "", before ? "," : "", value + 1);
            setenv("CHENGYING_MACHINE", all.data, 1);
            cy_buf_free(&all);
        } else if (strncmp(word, "--march=", 8) == 0) {
            if (!cy_target_find(value + 1, &target) || (target != CY_GEN1 && target != CY_GEN2))
                return cy_usage_error(&usage, "-march: expected ventus or ventus-gen2, not '%s'", value + 1);
            setenv("CHENGYING_DEVICES", target == CY_GEN1 ? "gen1" : "gen2", 1);
        } else {
            return cy_usage_error(&usage, "'%s' is for a kernel's file: a program says so itself", word);
        }
    }
    return CY_EXIT_OK;
}

static int check_paths(const struct request *request, const char *program)
{
    struct cy_paths paths = {0};
    cy_paths_read(&paths, program);
    cy_paths_read(&paths, request->suppressions);
    for (size_t i = 1; i < request->words.count; i++) {
        const char *word = request->words.at[i], *at = !strncmp(word, "--arg=", 6) ? strchr(word, '@') : NULL;
        cy_paths_read(&paths, at ? at + 1 : word[0] == '-' ? NULL : word);
    }
    cy_paths_write(&paths, request->output);
    return cy_paths_check(&paths, &usage);
}

static int check(struct request *request, int own, int argc, char **argv)
{
    struct cy_diags diags = {0};
    struct cy_args args;
    bool has_file = false;
    int status = CY_EXIT_OK;
    *cy_vec_push(&request->words) = cy_arena_printf(&request->arena, "run");
    cy_args_start(&args, &usage, own, argv);
    for (int id; status == CY_EXIT_OK && (id = cy_args_next(&args)) != CY_ARGS_END;) {
        if (id == CY_ARGS_EXIT)
            return args.status;
        if (id == CY_ARGS_FILE) {
            *cy_vec_push(&request->words) = cy_arena_printf(&request->arena, "%s", args.value);
            has_file = true;
        } else if (id >= OPT_RUN) {
            pass_on(request, id, args.value);
        } else {
            status = take(request, id, args.value);
        }
    }
    if (status != CY_EXIT_OK)
        return status;
    if (has_file == (own < argc - 1))
        return cy_usage_error(&usage, has_file ? "a kernel's file or -- PROGRAM, not both"
                                               : "no kernel's file, and no program after --");
    status = cy_args_check_needs(&args, &(struct cy_need){"output", {"json", "sarif"}}, 1);
    if (status == CY_EXIT_OK && request->json && request->options.sarif)
        status = cy_usage_error(&usage, "--json or --sarif, not both");
    if (status == CY_EXIT_OK && !has_file)
        status = pass_to_program(request);
    if (status == CY_EXIT_OK)
        status = check_paths(request, has_file ? NULL : argv[own + 1]);
    if (status != CY_EXIT_OK)
        return status;
    if (request->suppressions && !cy_file_read(request->suppressions, &request->suppression_text, &diags))
        return cy_report(&diags);
    if (!make_log(request, &diags))
        return cy_report(&diags);
    const int out = begin_output(request);
    status = has_file ? run_kernel(request) : run_program(request, argv + own + 1);
    end_output(out);
    return finish(request, status);
}

int cy_cmd_check(int argc, char **argv)
{
    struct request request = {.exit_found = EXIT_FOUND};
    const int status = check(&request, split(argc, argv), argc, argv);
    cy_vec_free(&request.words);
    cy_arena_free(&request.arena);
    cy_buf_free(&request.suppression_text);
    return status;
}
