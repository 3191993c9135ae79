/* `cy profile`: an OpenCL program, or a kernel as `cy run` launches it, with a profile of its kernels. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "commands.h"
#include "exec_program.h"
#include "profile_options.h"
#include "view_options.h"

enum { OPT_MACHINE = 1, OPT_TIMING, OPT_SET };

static const struct cy_option options[] = {
    {OPT_MACHINE, 'm', "machine", "SETTINGS", "shape of the machine: sms=4,warps=16 or preset=rtl", 0},
    CY_TIMING_OPTION_ROW(OPT_TIMING),
    {OPT_SET, 0, "set", "PARAMETER=VALUE", "one parameter of the cycle model (repeatable); docs/timing.md lists them",
     0},
    {CY_PROFILE_TABLE, 0, "profile", NULL, "print the table even if a file is written", 0},
    CY_PROFILE_FILE_ROWS,
    CY_VIEW_OPTION_ROWS,
};

static const struct cy_usage usage = {
    "profile",
    "[options] -- PROGRAM [ARGUMENT...] | [options of cy run] FILE...",
    "Runs an OpenCL program, or a kernel as 'cy run' does, and shows what its kernels did: per kernel, source line "
    "and\n"
    "instruction.  With --timing also cycles, what warps waited for, and cache hits.",
    "examples:\n"
    "  cy profile -- ./vecadd\n"
    "  cy profile --timing --callgrind vecadd.callgrind -- ./vecadd\n"
    "  cy profile --timing vecadd.cl --global 1024 --arg buffer:f32:1024=iota --arg buffer:f32:1024=ones \\\n"
    "      --arg buffer:f32:1024 --arg 1024\n",
    options,
    CY_COUNT(options)};

static bool has_program(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--"))
            return true;
    return false;
}

static bool wants_help(int argc, char **argv)
{
    return argc < 2 || !strcmp(argv[1], "-h") || !strcmp(argv[1], "--help");
}

/* `cy run --profile`; without the table if a file takes its place. */
static int profile_kernel(int argc, char **argv)
{
    bool has_file = false;
    char **words = cy_xrealloc(NULL, ((size_t)argc + 2) * sizeof(words[0]));
    int count = 0;
    for (int i = 1; i < argc; i++)
        for (size_t k = 0; k < CY_COUNT(options); k++) {
            const char *name = options[k].long_name;
            const int id = options[k].id;
            has_file |=
                ((id >= CY_PROFILE_TO && id < CY_PROFILE_EVENTS) || id == CY_VIEW_TRACE || id == CY_VIEW_HTML) &&
                argv[i][0] == '-' && argv[i][1] == '-' && !strncmp(argv[i] + 2, name, strlen(name));
        }
    words[count++] = argv[0];
    static char table[] = "--profile";
    if (!has_file)
        words[count++] = table;
    for (int i = 1; i < argc; i++)
        words[count++] = argv[i];
    words[count] = NULL;
    const int status = cy_cmd_run(count, words);
    cy_free(words);
    return status;
}

/* ---- programs ---- */

/* Removes what is left of a directory of files. */
static void remove_directory(const char *directory)
{
    DIR *list = opendir(directory);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        struct cy_buf path = {0};
        cy_buf_printf(&path, "%s/%s", directory, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path.data);
        cy_buf_free(&path);
    }
    if (list)
        closedir(list);
    rmdir(directory);
}

static bool has_suffix(const char *name, const char *suffix)
{
    const size_t length = strlen(name), most = strlen(suffix);
    return length > most && !strcmp(name + length - most, suffix);
}

/* A kernel's file is of interest if its process did not write the whole: device.kernel.cykernel without device.cyprofile. */
static bool is_left_over(const char *path)
{
    struct cy_buf whole = {0};
    size_t length = strlen(path);
    if (!has_suffix(path, CY_PROFILE_SHARED))
        return false;
    length -= strlen(CY_PROFILE_SHARED);
    while (length && path[length - 1] != '.')
        length--;
    cy_buf_printf(&whole, "%.*s%s", (int)length - 1, path, CY_PROFILE_FILE);
    const bool is_there = access(whole.data, F_OK) == 0;
    cy_buf_free(&whole);
    return !is_there;
}

/* Adds one of the files that processes left.  Others, which have not got their name yet, were written last. */
static void collect_file(const char *path, struct cy_profile *profile, struct cy_diags *diags)
{
    struct cy_file_bytes bytes = {0};
    struct cy_buf recovered = {0};
    const bool is_left = is_left_over(path);
    if ((!is_left && !has_suffix(path, CY_PROFILE_FILE)) || !cy_file_map(path, &bytes, diags))
        return;
    if (!is_left)
        cy_profile_load(profile, path, bytes.data, bytes.size, diags);
    else if (cy_profile_recover(path, bytes.data, bytes.size, &recovered, diags))
        cy_profile_load(profile, path, recovered.data, recovered.size, diags);
    cy_buf_free(&recovered);
    cy_file_unmap(&bytes);
}

/* Reads and removes what the processes left, in an order that does not change. */
static void collect(const char *directory, struct cy_profile *profile, struct cy_diags *diags)
{
    struct dirent **list;
    const int count = scandir(directory, &list, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        struct cy_buf path = {0};
        cy_buf_printf(&path, "%s/%s", directory, list[i]->d_name);
        collect_file(path.data, profile, diags);
        cy_buf_free(&path);
        free(list[i]);
    }
    if (count >= 0)
        free(list);
    remove_directory(directory);
    if (profile->is_partial)
        cy_diag_file(
            diags, CY_NOTE, NULL,
            "a process did not end by exit: what it launched last may be missing or incomplete in the profile");
    if (profile->is_mixed)
        cy_diag_file(diags, CY_NOTE, NULL,
                     "kernels ran on devices of different shapes; figures per SM are for one with %u SMs of %u warps",
                     profile->config.sms, profile->config.warps);
}

/* A directory for what the processes leave. */
static bool make_directory(struct cy_buf *path, struct cy_diags *diags)
{
    const char *tmp = getenv("TMPDIR");
    cy_buf_printf(path, "%s/cy-profile-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(path->data))
        return true;
    cy_diag_file(diags, CY_ERROR, path->data, "cannot create: %s", strerror(errno));
    return false;
}

static void set_number(const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    setenv(name, text, 1);
}

/* The trace of the process that recorded most, as users want it; of a process that was killed, what it had written. */
static void show_trace(const struct cy_view_options *viewing, const char *directory, int status, struct cy_diags *diags)
{
    struct cy_file_bytes best = {0};
    struct cy_view_summary most = {0};
    unsigned traces = 0;
    DIR *list = opendir(directory);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        struct cy_buf path = {0};
        struct cy_file_bytes bytes;
        struct cy_view_summary summary;
        if (entry->d_name[0] == '.')
            continue;
        cy_buf_printf(&path, "%s/%s", directory, entry->d_name);
        const bool ok = cy_view_load(path.data, true, &bytes, &summary, diags);
        traces += ok;
        if (ok && (!best.size || summary.instructions > most.instructions)) {
            most = summary;
            const struct cy_file_bytes other = best;
            best = bytes;
            bytes = other;
        }
        cy_file_unmap(&bytes);
        cy_buf_free(&path);
    }
    if (list)
        closedir(list);
    if (!traces && !diags->errors && !status) /* a program that failed has said why */
        cy_diag_file(diags, CY_ERROR, NULL, "the program launched no kernel: there is nothing to view");
    if (traces > 1)
        cy_diag_file(diags, CY_NOTE, NULL, "%u processes launched kernels; the page has the one with most instructions",
                     traces);
    if (best.size && viewing->trace)
        cy_file_write(viewing->trace, best.data, best.size, false, diags);
    if (best.size && viewing->html)
        cy_view_write_page(viewing->html, "Chengying", &best, diags);
    if (best.size)
        cy_view_note_left_out(&most, diags);
    cy_file_unmap(&best);
}

static int profile_program(const struct cy_profile_options *profiling, const struct cy_view_options *viewing,
                           char **program)
{
    struct cy_diags diags = {0};
    struct cy_profile profile = {0};
    struct cy_buf directory = {0}, traces = {0};
    int status = CY_EXIT_INPUT;
    const bool profiled = cy_profile_is_on(profiling), viewed = cy_view_is_on(viewing);
    if ((profiled && !make_directory(&directory, &diags)) || (viewed && !make_directory(&traces, &diags)))
        return cy_report(&diags);
    if (profiled)
        setenv("CHENGYING_PROFILE", directory.data, 1);
    if (profiled && cy_profile_event_limit(profiling))
        set_number("CHENGYING_PROFILE_EVENTS", cy_profile_event_limit(profiling));
    if (profiled && profiling->exact)
        setenv("CHENGYING_PROFILE_EXACT", "1", 1);
    if (viewed) {
        setenv("CHENGYING_VIEW", traces.data, 1);
        set_number("CHENGYING_VIEW_LIMIT", profiling->events ? profiling->events : CY_VIEW_LIMIT);
    }
    if (cy_exec_environment(&diags))
        status = cy_exec_run(program, 127, &diags);
    if (profiled)
        collect(directory.data, &profile, &diags);
    const bool collected = profiled && !diags.errors;
    if (viewed) {
        show_trace(viewing, traces.data, status, &diags);
        remove_directory(traces.data);
    }
    if (collected)
        cy_profile_show(profiling, &profile, &diags);
    cy_profile_free(&profile);
    cy_buf_free(&directory);
    cy_buf_free(&traces);
    const int reported = cy_report(&diags);
    return status ? status : reported;
}

static int check_paths(const struct cy_profile_options *profiling, const struct cy_view_options *viewing,
                       const struct cy_timing_options *timing, const char *program)
{
    struct cy_paths paths = {0};
    cy_paths_read(&paths, program);
    cy_timing_paths(timing, &paths);
    cy_profile_paths(profiling, &paths);
    cy_view_paths(viewing, &paths);
    return cy_paths_check(&paths, &usage);
}

int cy_cmd_profile(int argc, char **argv)
{
    struct cy_args args;
    struct cy_diags diags = {0};
    struct cy_timing_options timing = {0};
    struct cy_profile_options profiling = {0};
    static const struct cy_need needs[] = {{"events", {"perfetto", "kanata", "cytrace", "html"}}};
    struct cy_view_options viewing = {0};
    int status = CY_EXIT_OK;
    if (!has_program(argc, argv) && !wants_help(argc, argv))
        return profile_kernel(argc, argv);
    const int own = cy_exec_split(&usage, argc, argv);
    char **program = argv + own + (own < argc && !strcmp(argv[own], "--"));
    cy_args_start(&args, &usage, own, argv);
    for (int id; status == CY_EXIT_OK && (id = cy_args_next(&args)) != CY_ARGS_END;) {
        if (cy_profile_option(&profiling, id, args.value, &usage, &status) || cy_view_option(&viewing, id, args.value))
            continue;
        switch (id) {
        case OPT_MACHINE: setenv("CHENGYING_MACHINE", args.value, 1); break;
        case OPT_TIMING:
            timing.on = true;
            timing.what = args.value;
            break;
        case OPT_SET: *cy_vec_push(&timing.settings) = args.value; break;
        case CY_ARGS_EXIT: cy_vec_free(&timing.settings); return args.status;
        }
    }
    profiling.table |= !cy_profile_is_on(&profiling) && !cy_view_is_on(&viewing);
    timing.on |= cy_view_is_on(&viewing); /* a page shows what happens when */
    if (status == CY_EXIT_OK && program >= argv + argc)
        status = cy_usage_error(&usage, "no program to run");
    else if (status == CY_EXIT_OK)
        status = cy_args_check_needs(&args, needs, CY_COUNT(needs));
    if (status == CY_EXIT_OK && timing.settings.count && !timing.on)
        status = cy_usage_error(&usage, "--set is for the cycle model: it needs --timing");
    else if (status == CY_EXIT_OK)
        status = cy_profile_check(&profiling, timing.on, &usage);
    if (status == CY_EXIT_OK)
        status = cy_view_check(&viewing, cy_profile_uses_stdout(&profiling), &usage);
    if (status == CY_EXIT_OK)
        status = check_paths(&profiling, &viewing, &timing, program[0]);
    if (status == CY_EXIT_OK && timing.on && !cy_exec_pass_timing(&timing, false, &diags))
        status = cy_report(&diags);
    cy_vec_free(&timing.settings);
    return status == CY_EXIT_OK ? profile_program(&profiling, &viewing, program) : status;
}
