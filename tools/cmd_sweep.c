/* `cy sweep`: measures the points of a plan, on all cores of this machine or on a Slurm cluster. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "commands.h"
#include "compiler.h"
#include "options.h"
#include "paths.h"
#include "picture.h"
#include "sweep.h"

enum {
    OPT_STORE = 1,
    OPT_JOBS,
    OPT_CSV,
    OPT_PLOT,
    OPT_X,
    OPT_Y,
    OPT_SLURM,
    OPT_CHUNK,
    OPT_STALL,
    OPT_WORKER,
    OPT_QUIET
};

static const struct cy_option options[] = {
    {OPT_STORE, 0, "store", "DIR", "where results are kept (default: the plan's name with .sweep)", 0},
    {OPT_JOBS, 'j', "jobs", "COUNT", "processes at a time on this machine (default: its cores)", 0},
    {OPT_CSV, 0, "csv", "FILE", "write the results as CSV", 0},
    {OPT_PLOT, 0, "plot", "FILE",
     "plot them (SVG, or PNG if it ends in .png): a heat map of two parameters, or a Pareto front", 0},
    {OPT_X, 0, "x", "NAME", "the parameter of the plot's x axis", 0},
    {OPT_Y, 0, "y", "NAME", "the parameter of a heat map's y axis", 0},
    {OPT_SLURM, 0, "slurm", NULL, "run the points as job arrays of Slurm; the store must be on a shared file system",
     0},
    {OPT_CHUNK, 0, "chunk", "COUNT", "points per task of an array (default 10)", 0},
    {OPT_STALL, 0, "stall", "SECONDS", "submit what is missing again if nothing arrives for so long (default 60)", 0},
    {OPT_QUIET, 'q', "quiet", NULL, "no progress and no table", 0},
    {OPT_WORKER, 0, "worker", "LIST", "a task of a job array: the points of this list", CY_OPTION_HIDDEN},
};

static const struct cy_usage usage = {
    "sweep",
    "[options] PLAN.toml | show [options] PLAN.toml",
    "Measures every point of a plan that was not measured before, and prints the results; 'show' only prints.",
    "a plan:\n"
    "  run = [\"vecadd.cl\", \"--global\", \"{n}\", \"--arg\", \"buffer:f32:{n}\", \"--arg\", \"buffer:f32:{n}\"]\n"
    "  [cross]\n"
    "  n = [256, 1024]\n"
    "  memory_latency = [4, 40, 100]\n"
    "  l1d_sets = [16, 32, 64]\n"
    "docs/sweep.md describes it.\n",
    options,
    CY_COUNT(options)};

/* ---- one point ---- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Starts the command of a point; its output goes to an anonymous file. */
static pid_t start_point(const struct cy_sweep *sweep, size_t index, FILE *output)
{
    const struct cy_sweep_point *point = &sweep->plan.points.at[index];
    const pid_t child = fork();
    if (child != 0)
        return child;
    union {
        const char **words;
        char **argv;
    } list = {.words = cy_xrealloc(NULL, (point->words.count + 2) * sizeof(const char *))};
    list.words[0] = sweep->program.data;
    for (size_t i = 0; i < point->words.count; i++)
        list.words[i + 1] = point->words.at[i];
    list.words[point->words.count + 1] = NULL;
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(fileno(output), 1);
    dup2(fileno(output), 2);
    execv(sweep->program.data, list.argv);
    _exit(127);
}

/* It has ended: its result, or what it said. */
static bool end_point(struct cy_sweep *sweep, size_t index, FILE *output, int status, double seconds)
{
    struct cy_buf text = {0};
    char block[4096];
    rewind(output);
    for (size_t got; (got = fread(block, 1, sizeof(block), output)) > 0;)
        cy_buf_append(&text, block, got);
    struct cy_sweep_result result = {0};
    const bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0 && cy_sweep_parse(text.data, &result);
    if (ok) {
        result.is_there = true;
        result.seconds = seconds;
        sweep->results[index] = result;
        cy_sweep_save(&sweep->store, sweep->keys[index], &result, &sweep->diags);
    } else {
        struct cy_buf line = {0};
        const struct cy_sweep_point *point = &sweep->plan.points.at[index];
        for (size_t i = 0; i < point->words.count; i++)
            cy_buf_printf(&line, " %s", point->words.at[i]);
        const char *why = WIFSIGNALED(status) ? "it was killed" : text.size ? text.data : "no line 'cycles: N'";
        cy_diag_file(&sweep->diags, CY_ERROR, NULL, "point %zu failed: cy%s\n%.*s", index + 1, line.data,
                     (int)(strlen(why) < 2000 ? strlen(why) : 2000), why);
        cy_buf_free(&line);
    }
    cy_buf_free(&text);
    return ok;
}

/* ---- all points, here ---- */

struct slot {
    pid_t child;
    size_t index;
    FILE *output;
    double start;
};

void cy_sweep_progress(const struct cy_sweep *sweep, size_t done, size_t all)
{
    enum { BAR = 40 };
    char bar[BAR + 1];
    if (sweep->quiet || !isatty(STDERR_FILENO))
        return;
    const size_t full = all ? BAR * done / all : BAR;
    for (size_t i = 0; i < BAR; i++)
        bar[i] = i < full ? '#' : '.';
    bar[BAR] = 0;
    fprintf(stderr, "\r[%s] %zu of %zu%s", bar, done, all, done == all ? "\n" : "");
    fflush(stderr);
}

static struct slot *find_slot(struct slot *slots, size_t count, pid_t child)
{
    for (size_t i = 0; i < count; i++)
        if (slots[i].child == child)
            return &slots[i];
    return NULL;
}

void cy_sweep_run_points(struct cy_sweep *sweep, const size_t *points, size_t count)
{
    const size_t jobs = sweep->jobs;
    struct slot *slots = cy_xrealloc(NULL, jobs * sizeof(slots[0]));
    size_t next = 0, running = 0, done = 0;
    memset(slots, 0, jobs * sizeof(slots[0]));
    while (next < count || running) {
        struct slot *slot = running < jobs && next < count ? find_slot(slots, jobs, 0) : NULL;
        if (slot) {
            *slot = (struct slot){.index = points[next++], .output = tmpfile(), .start = now()};
            slot->child = slot->output ? start_point(sweep, slot->index, slot->output) : -1;
            if (slot->child > 0) {
                running++;
                continue;
            }
            cy_diag_file(&sweep->diags, CY_ERROR, NULL, "cannot start a process: %s", strerror(errno));
            if (slot->output)
                fclose(slot->output);
            *slot = (struct slot){0};
            next = count;
            continue;
        }
        int status;
        const pid_t child = wait(&status);
        slot = child > 0 ? find_slot(slots, jobs, child) : NULL;
        if (!slot)
            continue;
        end_point(sweep, slot->index, slot->output, status, now() - slot->start);
        fclose(slot->output);
        *slot = (struct slot){0};
        running--;
        cy_sweep_progress(sweep, ++done, count);
    }
    cy_free(slots);
}

/* ---- the command ---- */

void cy_sweep_refresh(struct cy_sweep *sweep)
{
    for (size_t i = 0; i < sweep->plan.points.count; i++)
        if (!sweep->results[i].is_there)
            sweep->results[i] = cy_sweep_load(&sweep->store, sweep->keys[i]);
}

size_t cy_sweep_missing(const struct cy_sweep *sweep, size_t *points)
{
    size_t count = 0;
    for (size_t i = 0; i < sweep->plan.points.count; i++)
        if (!sweep->results[i].is_there)
            points[count++] = i;
    return count;
}

static bool open_sweep(struct cy_sweep *sweep, const char *path)
{
    struct cy_buf directory = {0}, library = {0}, server = {0};
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length <= 0) {
        cy_diag_file(&sweep->diags, CY_ERROR, NULL, "cannot find this program: %s", strerror(errno));
        return false;
    }
    self[length] = 0;
    cy_buf_puts(&sweep->program, self);
    sweep->path = path;
    if (!cy_sweep_read(&sweep->plan, path, &sweep->diags))
        return false;
    const char *dot = strrchr(path, '.');
    cy_buf_printf(&directory, "%.*s.sweep", (int)(dot && !strchr(dot, '/') ? dot - path : (ptrdiff_t)strlen(path)),
                  path);
    cy_library_beside(CY_CL_LIBRARY, &library);
    const char *slash = strrchr(self, '/');
    cy_buf_printf(&server, "%.*s/../lib/chengying/compile-server", (int)(slash - self), self);
    const char *const programs[] = {self, library.data, server.data, NULL};
    const bool ok =
        cy_sweep_open(&sweep->store, sweep->store_path ? sweep->store_path : directory.data, programs, &sweep->diags);
    cy_buf_free(&directory);
    cy_buf_free(&library);
    cy_buf_free(&server);
    const size_t count = sweep->plan.points.count;
    sweep->keys = cy_xrealloc(NULL, count * sizeof(sweep->keys[0]));
    sweep->results = cy_xrealloc(NULL, count * sizeof(sweep->results[0]));
    memset(sweep->results, 0, count * sizeof(sweep->results[0]));
    for (size_t i = 0; i < count; i++)
        cy_sweep_key(&sweep->store, &sweep->plan.points.at[i], sweep->keys[i]);
    return ok;
}

/* The plan, and what its command lines name: a point's words that are the last one's, too, are looked at once. */
static int check_paths(const struct cy_sweep *sweep)
{
    struct cy_paths paths = {0};
    const struct cy_sweep_point *last = NULL;
    cy_paths_read(&paths, sweep->path);
    for (size_t i = 0; i < sweep->plan.points.count; last = &sweep->plan.points.at[i++]) {
        const struct cy_sweep_point *point = &sweep->plan.points.at[i];
        for (size_t k = 0; k < point->words.count; k++) {
            const char *word = point->words.at[k], *at = strchr(word, '@'), *equals = strchr(word, '=');
            if (last && k < last->words.count && !strcmp(word, last->words.at[k]))
                continue;
            const char *const names[] = {word, at ? at + 1 : NULL, equals ? equals + 1 : NULL};
            for (size_t n = 0; n < CY_COUNT(names); n++)
                if (names[n] && access(names[n], F_OK) == 0)
                    cy_paths_read(&paths, names[n]);
        }
    }
    cy_paths_write(&paths, sweep->csv);
    cy_paths_write(&paths, sweep->plot);
    return cy_paths_check(&paths, &usage);
}

static void show(struct cy_sweep *sweep)
{
    struct cy_buf text = {0};
    if (!sweep->quiet) {
        cy_sweep_table(&sweep->plan, sweep->results, &text);
        fputs(text.data, stdout);
        cy_buf_free(&text);
    }
    if (sweep->csv) {
        text = (struct cy_buf){0};
        cy_sweep_csv(&sweep->plan, sweep->results, &text);
        cy_file_write(sweep->csv, text.data, text.size, false, &sweep->diags);
        cy_buf_free(&text);
    }
    if (sweep->plot) {
        struct canvas canvas = {0};
        const size_t length = strlen(sweep->plot);
        const bool as_png = length > 4 && !strcmp(sweep->plot + length - 4, ".png");
        if (!cy_sweep_plot(&sweep->plan, sweep->results, sweep->x, sweep->y, &canvas, &sweep->diags))
            ; /* it has said why */
        else if (as_png)
            cy_png_write(sweep->plot, canvas.pixels, canvas.width, canvas.height, &sweep->diags);
        else
            cy_file_write(sweep->plot, canvas.svg.data, canvas.svg.size, false, &sweep->diags);
        canvas_free(&canvas);
    }
}

static void do_sweep(struct cy_sweep *sweep)
{
    const size_t all = sweep->plan.points.count;
    size_t *points = cy_xrealloc(NULL, all * sizeof(points[0]));
    cy_sweep_refresh(sweep);
    const size_t missing = cy_sweep_missing(sweep, points);
    if (sweep->worker) {
        cy_sweep_work(sweep);
    } else if (!sweep->only_show && missing) {
        if (sweep->slurm)
            cy_sweep_slurm(sweep, points, missing);
        else
            cy_sweep_run_points(sweep, points, missing);
    }
    if (!sweep->worker) {
        const size_t left = cy_sweep_missing(sweep, points);
        if (!sweep->quiet && !sweep->only_show)
            fprintf(stderr, "%zu point%s: %zu known before, %zu measured, %zu missing\n", all, all == 1 ? "" : "s",
                    all - missing, missing - left, left);
        show(sweep);
    }
    cy_free(points);
}

static void free_sweep(struct cy_sweep *sweep)
{
    cy_free(sweep->keys);
    cy_free(sweep->results);
    cy_buf_free(&sweep->program);
    cy_sweep_close(&sweep->store);
    cy_sweep_free(&sweep->plan);
}

static int parse_count(const char *name, const char *value, size_t *count)
{
    uint64_t number;
    if (!cy_parse_number(value, 1000000, &number) || !number)
        return cy_usage_error(&usage, "--%s needs a number from 1 to 1000000, not '%s'", name, value);
    *count = (size_t)number;
    return CY_EXIT_OK;
}

int cy_cmd_sweep(int argc, char **argv)
{
    struct cy_args args;
    struct cy_sweep sweep = {.chunk = 10, .stall_seconds = 60};
    const char *plan = NULL;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int status = CY_EXIT_OK;
    sweep.jobs = cores > 0 ? (size_t)cores : 1;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; status == CY_EXIT_OK && (id = cy_args_next(&args)) != CY_ARGS_END;) {
        switch (id) {
        case OPT_STORE: sweep.store_path = args.value; break;
        case OPT_JOBS: status = parse_count("jobs", args.value, &sweep.jobs); break;
        case OPT_CSV: sweep.csv = args.value; break;
        case OPT_PLOT: sweep.plot = args.value; break;
        case OPT_X: sweep.x = args.value; break;
        case OPT_Y: sweep.y = args.value; break;
        case OPT_SLURM: sweep.slurm = true; break;
        case OPT_CHUNK: status = parse_count("chunk", args.value, &sweep.chunk); break;
        case OPT_STALL: status = parse_count("stall", args.value, &sweep.stall_seconds); break;
        case OPT_WORKER: sweep.worker = args.value; break;
        case OPT_QUIET: sweep.quiet = true; break;
        case CY_ARGS_FILE:
            if (!plan && !sweep.only_show && !strcmp(args.value, "show"))
                sweep.only_show = true;
            else if (plan)
                status = cy_usage_error(&usage, "more than one plan: '%s'", args.value);
            else
                plan = args.value;
            break;
        case CY_ARGS_EXIT: return args.status;
        }
    }
    if (status == CY_EXIT_OK && !plan)
        status = cy_usage_error(&usage, "no plan");
    if (status != CY_EXIT_OK)
        return status;
    const bool is_open = open_sweep(&sweep, plan);
    if (is_open && (status = check_paths(&sweep)) == CY_EXIT_OK)
        do_sweep(&sweep);
    fflush(stdout);
    const int reported = cy_report(&sweep.diags);
    status = status == CY_EXIT_OK ? reported : status;
    free_sweep(&sweep);
    return status;
}
