/* CHENGYING_STATS=1: a table of the kernels when the process ends. */
#define _POSIX_C_SOURCE 200809L
#include "cl/cl_priv.h"

#include <stdio.h>
#include <stdlib.h>

struct row {
    char *kernel;
    uint64_t launches, instructions, work_items;
    double seconds;
};

static struct {
    pthread_mutex_t lock;
    CY_VEC(struct row) rows;
} table = {PTHREAD_MUTEX_INITIALIZER, {0}};

static void show(void)
{
    pthread_mutex_lock(&table.lock);
    fprintf(stderr, "%-32s %9s %12s %14s %14s\n", "kernel", "launches", "milliseconds", "instructions", "work-items");
    for (size_t i = 0; i < table.rows.count; i++) {
        const struct row *row = &table.rows.at[i];
        fprintf(stderr, "%-32s %9llu %12.3f %14llu %14llu\n", row->kernel, (unsigned long long)row->launches,
                row->seconds * 1000, (unsigned long long)row->instructions, (unsigned long long)row->work_items);
    }
    pthread_mutex_unlock(&table.lock);
}

void cy_cl_stats_add(const char *kernel, struct cy_launch *launch)
{
    struct cy_counters counters;
    size_t i = 0;
    if (!cy_cl_setting("CHENGYING_STATS"))
        return;
    cy_launch_counters(launch, &counters);
    pthread_mutex_lock(&table.lock);
    if (!table.rows.count)
        atexit(show);
    while (i < table.rows.count && strcmp(table.rows.at[i].kernel, kernel) != 0)
        i++;
    if (i == table.rows.count)
        *cy_vec_push(&table.rows) = (struct row){.kernel = strdup(kernel)};
    struct row *row = &table.rows.at[i];
    row->launches++;
    row->instructions += counters.instructions;
    row->work_items += counters.work_items;
    row->seconds += counters.seconds;
    pthread_mutex_unlock(&table.lock);
}
