/* `cy sweep`: measures the points of a plan, on all cores of this machine or on a Slurm cluster. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cc/driver/driver.h"
#include "cc/driver/protocol.h"
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
     "plot them (SVG, or PNG if it ends in .png): heat maps of two parameters, one for each combination of\nthe "
     "others, or a Pareto front",
     0},
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

struct slot { /* a point that is being measured */
    pid_t child;
    size_t index;
    FILE *output, *cycles;
    double start;
};

static void close_slot(struct slot *slot)
{
    if (slot->output)
        fclose(slot->output);
    if (slot->cycles)
        fclose(slot->cycles);
    *slot = (struct slot){0};
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Starts the command of a point; its output goes to an anonymous file, and its cycles to another, which it opens by our name for it. */
static pid_t start_point(const struct cy_sweep *sweep, size_t index, FILE *output, FILE *cycles)
{
    const struct cy_sweep_point *point = &sweep->plan.points.at[index];
    const pid_t us = getpid(), child = fork();
    if (child != 0)
        return child;
    char file[64];
    snprintf(file, sizeof(file), "/proc/%ld/fd/%d", (long)us, fileno(cycles));
    setenv("CHENGYING_TIMING_PRINT", file, 1);
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

static void read_back(FILE *file, struct cy_buf *text)
{
    char block[4096];
    rewind(file);
    for (size_t got; (got = fread(block, 1, sizeof(block), file)) > 0;)
        cy_buf_append(text, block, got);
}

static void put_failure(const struct cy_sweep_point *point, const struct cy_buf *output, int status, struct cy_buf *out)
{
    enum { MOST = 2000 };
    for (size_t i = 0; i < point->words.count; i++)
        cy_buf_printf(out, " %s", point->words.at[i]);
    cy_buf_putc(out, '\n');
    if (WIFSIGNALED(status))
        cy_buf_printf(out, "it was killed by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == 0)
        cy_buf_puts(out, "it launched no kernel\n");
    else
        cy_buf_printf(out, "it ended with status %d\n", WEXITSTATUS(status));
    cy_buf_append(out, output->data ? output->data : "", output->size < MOST ? output->size : MOST);
    while (out->size && out->data[out->size - 1] == '\n')
        out->data[--out->size] = 0;
}

/* It has ended: its result, or what it said. */
static bool end_point(struct cy_sweep *sweep, size_t index, const struct slot *slot, int status)
{
    struct cy_buf cycles = {0}, output = {0};
    struct cy_sweep_result result = {0};
    read_back(slot->cycles, &cycles);
    const bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0 && cy_sweep_parse(cycles.data, &result);
    if (ok) {
        result.is_there = true;
        result.seconds = now() - slot->start;
        sweep->results[index] = result;
        cy_sweep_save(&sweep->store, sweep->keys[index], &result, &sweep->diags);
    } else {
        struct cy_buf why = {0};
        read_back(slot->output, &output);
        put_failure(&sweep->plan.points.at[index], &output, status, &why);
        cy_diag_file(&sweep->diags, CY_ERROR, NULL, "point %zu failed: cy%s", index + 1, why.data);
        cy_buf_free(&why);
    }
    cy_buf_free(&cycles);
    cy_buf_free(&output);
    return ok;
}

/* ---- all points, here ---- */

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
            *slot = (struct slot){.index = points[next++], .output = tmpfile(), .cycles = tmpfile(), .start = now()};
            slot->child =
                slot->output && slot->cycles ? start_point(sweep, slot->index, slot->output, slot->cycles) : -1;
            if (slot->child > 0) {
                running++;
                continue;
            }
            cy_diag_file(&sweep->diags, CY_ERROR, NULL, "cannot start a process: %s", strerror(errno));
            close_slot(slot);
            next = count;
            continue;
        }
        int status;
        const pid_t child = wait(&status);
        slot = child > 0 ? find_slot(slots, jobs, child) : NULL;
        if (!slot)
            continue;
        end_point(sweep, slot->index, slot, status);
        close_slot(slot);
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

struct files {
    CY_VEC(const char *) list;
    struct cy_arena arena;
};

/* The device library of a generation. */
static void add_library(struct files *files, const char *directory)
{
    struct dirent **list;
    const char *builtins = cy_arena_printf(&files->arena, "%s/builtins", directory);
    *cy_vec_push(&files->list) = cy_arena_printf(&files->arena, "%s/crt0.o", directory);
    const int count = scandir(builtins, &list, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        *cy_vec_push(&files->list) = cy_arena_printf(&files->arena, "%s/%s", builtins, list[i]->d_name);
        free(list[i]);
    }
    if (count >= 0)
        free(list);
}

/* What turns a point into a number: this program, the OpenCL platform, the compiler and the device library. */
static void add_programs(struct files *files, const char *self)
{
    static const char *const helpers[] = {"compile-server", CC_LLVM};
    struct cc_places places;
    struct cy_buf library = {0};
    cc_find_places(&places);
    *cy_vec_push(&files->list) = self;
    if (cy_library_beside(CY_CL_LIBRARY, &library))
        *cy_vec_push(&files->list) = cy_arena_printf(&files->arena, "%s", library.data);
    for (size_t i = 0; i < CY_COUNT(helpers); i++)
        *cy_vec_push(&files->list) = cy_arena_printf(&files->arena, "%s/%s", places.helpers, helpers[i]);
    if (places.has_library) {
        add_library(files, places.library_dir);
        add_library(files, cy_arena_printf(&files->arena, "%s-gen2", places.library_dir));
    }
    cy_buf_free(&library);
}

static bool open_sweep(struct cy_sweep *sweep, const char *path)
{
    struct cy_buf directory = {0};
    struct files files = {0};
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
    add_programs(&files, self);
    const bool ok = cy_sweep_open(&sweep->store, sweep->store_path ? sweep->store_path : directory.data, files.list.at,
                                  files.list.count, &sweep->diags);
    cy_vec_free(&files.list);
    cy_arena_free(&files.arena);
    cy_buf_free(&directory);
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
    if (!sweep->quiet || sweep->csv || sweep->plot) {
        cy_sweep_machines(&sweep->plan, sweep->results, &text);
        fputs(text.data ? text.data : "", stderr);
        cy_buf_free(&text);
        text = (struct cy_buf){0};
    }
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
    static const struct cy_need needs[] = {
        {"x", {"plot"}}, {"y", {"plot"}}, {"chunk", {"slurm"}}, {"stall", {"slurm"}}};
    if (status == CY_EXIT_OK)
        status = cy_args_check_needs(&args, needs, CY_COUNT(needs));
    if (status == CY_EXIT_OK && !plan)
        status = cy_usage_error(&usage, "no plan");
    if (status == CY_EXIT_OK && sweep.x && sweep.y && strcmp(sweep.x, sweep.y) == 0)
        status = cy_usage_error(&usage, "--x and --y are the same parameter");
    if (status == CY_EXIT_OK && sweep.only_show && (sweep.slurm || cy_args_given(&args, "jobs")))
        status = cy_usage_error(&usage, "'show' prints what is known: it measures nothing, with or without --%s",
                                sweep.slurm ? "slurm" : "jobs");
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
