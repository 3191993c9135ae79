/* CHENGYING_STATS=1: a table of kernels at process exit, those that took longest first. */
#define _POSIX_C_SOURCE 200809L
#include "cl/observe/observe_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    char *kernel;
    uint64_t launches, instructions, work_items;
    double seconds;
    struct cy_lane_counters lanes;
    double lanes_possible; /* lane slots of all vector instructions */
    uint64_t translated;   /* work-items that ran as translated code */
    uint64_t instructions_translated;
    char interpreted[128]; /* instructions of translated code that the interpreter executed */
    char why[160];         /* the others did not: of the launch in which these instructions, the most, were not */
    uint64_t not_translated;
};

static struct {
    pthread_mutex_t lock;
    CY_VEC(struct row) rows;
    const char *engine_level;
    enum cy_engine engine;
    bool is_shown; /* at process exit */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add(struct row *sum, const struct row *more)
{
    sum->launches += more->launches;
    sum->instructions += more->instructions;
    sum->work_items += more->work_items;
    sum->seconds += more->seconds;
    sum->lanes.vectors += more->lanes.vectors;
    sum->lanes.partial += more->lanes.partial;
    sum->lanes.active += more->lanes.active;
    sum->lanes.branches += more->lanes.branches;
    sum->lanes.splits += more->lanes.splits;
    sum->lanes_possible += more->lanes_possible;
    sum->translated += more->translated;
    sum->instructions_translated += more->instructions_translated;
}

/* "12.3%", or "-" if the whole is zero. */
static const char *percent(char text[16], double part, double whole)
{
    if (whole > 0)
        snprintf(text, 16, "%.1f%%", 100 * part / whole);
    else
        snprintf(text, 16, "-");
    return text;
}

static void show_row(const struct row *row, double seconds)
{
    char share[16], used[16], partial[16], split[16];
    const struct cy_lane_counters *lanes = &row->lanes;
    fprintf(stderr, "%-32s %9llu %12.3f %7s %14llu %12llu %7s %8s %9s\n", row->kernel,
            (unsigned long long)row->launches, row->seconds * 1000, percent(share, row->seconds, seconds),
            (unsigned long long)row->instructions, (unsigned long long)row->work_items,
            percent(used, (double)lanes->active, row->lanes_possible),
            percent(partial, (double)lanes->partial, (double)lanes->vectors),
            percent(split, (double)lanes->splits, (double)lanes->branches));
}

/* What the interpreter had to run, and why. */
static void show_translated(const struct row *total)
{
    char items[16], instructions[16];
    fprintf(stderr, "%-32s %9s of the work-items, %s of the instructions\n", "translated",
            percent(items, (double)total->translated, (double)total->work_items),
            percent(instructions, (double)total->instructions_translated, (double)total->instructions));
    for (size_t i = 0; i < table.rows.count; i++) {
        const struct row *row = &table.rows.at[i];
        if (row->translated && row->translated < row->work_items)
            fprintf(stderr, "  %-30s %9s %s (%s of its work-items)\n", row->kernel, "not:", row->why,
                    percent(items, (double)(row->work_items - row->translated), (double)row->work_items));
        else if (row->translated < row->work_items)
            fprintf(stderr, "  %-30s %9s %s\n", row->kernel, "not:", row->why);
        if (*row->interpreted)
            fprintf(stderr, "  %-30s %9s %s\n", row->kernel, "without:", row->interpreted);
    }
}

/* How to see more: the command that this process was started by, recorded for the viewer. */
static void show_how_to_view(void)
{
    char words[512];
    FILE *file = fopen("/proc/self/cmdline", "r");
    const size_t size = file ? fread(words, 1, sizeof(words) - 1, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i + 1 < size; i++)
        words[i] = words[i] ? words[i] : ' ';
    words[size] = 0;
    fprintf(stderr, "every step of it in a browser:   cy profile --html run.html -- %s\n",
            size && size < sizeof(words) - 1 && !strpbrk(words, "\n'\"\\$`;&|<>()*?") ? words : "PROGRAM ARGUMENTS");
}

static int by_time(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    return left->seconds < right->seconds ? 1 : left->seconds > right->seconds ? -1 : 0;
}

static void show_table(void)
{
    struct row total = {.kernel = (char[]){"total"}};
    for (size_t i = 0; i < table.rows.count; i++)
        add(&total, &table.rows.at[i]);
    qsort(table.rows.at, table.rows.count, sizeof(table.rows.at[0]), by_time);
    fprintf(stderr, "%-32s %9s %12s %7s %14s %12s %7s %8s %9s\n", "kernel", "launches", "milliseconds", "time",
            "instructions", "work-items", "lanes", "partial", "diverged");
    for (size_t i = 0; i < table.rows.count; i++)
        show_row(&table.rows.at[i], total.seconds);
    show_row(&total, total.seconds);
    fprintf(stderr, "%-32s %9s\n", "engine level", table.engine_level);
    if (table.engine != CY_ENGINE_INTERP)
        show_translated(&total);
    show_how_to_view();
}

static void show(void)
{
    pthread_mutex_lock(&table.lock);
    if (table.rows.count) /* or this is a child whose parent has some */
        show_table();
    pthread_mutex_unlock(&table.lock);
}

/* Launches may have different reasons: that of the longest one counts. */
static void take_reason(struct row *row, const struct cy_counters *counters)
{
    const uint64_t interpreted = counters->instructions - counters->instructions_translated;
    if (*row->why && interpreted < row->not_translated)
        return;
    row->not_translated = interpreted;
    snprintf(row->why, sizeof(row->why), "%s", counters->not_translated);
}

static void launch_ended(cl_event event, struct cy_launch *launch, const char *fault)
{
    const char *kernel = event->command.launch.kernel;
    struct cy_counters counters;
    size_t i = 0;
    (void)fault;
    if (!launch)
        return;
    cy_launch_counters(launch, &counters);
    const struct row fresh = {.launches = 1,
                              .instructions = counters.instructions,
                              .work_items = counters.work_items,
                              .seconds = counters.seconds,
                              .lanes = counters.lanes,
                              .lanes_possible =
                                  (double)counters.lanes.vectors * event->queue->device->capabilities.config.threads,
                              .translated = counters.work_items_translated,
                              .instructions_translated = counters.instructions_translated};
    pthread_mutex_lock(&table.lock);
    if (!table.is_shown) {
        table.is_shown = true;
        atexit(show);
    }
    while (i < table.rows.count && strcmp(table.rows.at[i].kernel, kernel) != 0)
        i++;
    if (i == table.rows.count) {
        char *name = strdup(kernel);
        struct row *row = name ? cy_vec_try_push(&table.rows) : NULL;
        if (row)
            *row = (struct row){.kernel = name};
        else
            free(name); /* libc's; the table lacks a kernel, which is better than failing the launch */
    }
    if (i < table.rows.count)
        add(&table.rows.at[i], &fresh);
    if (i < table.rows.count)
        snprintf(table.rows.at[i].interpreted, sizeof(table.rows.at[i].interpreted), "%s", counters.interpreted);
    if (i < table.rows.count && counters.work_items_translated < counters.work_items)
        take_reason(&table.rows.at[i], &counters);
    table.engine = counters.engine;
    table.engine_level = counters.engine_level; /* constant within a process */
    pthread_mutex_unlock(&table.lock);
}

/* The parent reports its own launches. */
static void forked(void)
{
    bool is_shown = table.is_shown;
    cy_cl_leave_behind(table.rows.at);
    memset(&table, 0, sizeof(table));
    pthread_mutex_init(&table.lock, NULL);
    table.is_shown = is_shown;
}

static void prepare(struct cy_config *config)
{
    static const struct cy_cl_watcher watcher = {.demands = {.lane_counts = true}, .launch_ended = launch_ended};
    (void)config;
    if (cy_cl_setting("CHENGYING_STATS"))
        cy_cl_watch(&watcher);
}

const struct cy_cl_attachment cy_cl_stats_attachment = {.prepare = prepare, .forked = forked};
