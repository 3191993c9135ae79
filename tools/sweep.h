/* A sweep in progress: what cmd_sweep.c and sweep_slurm.c share. */
#ifndef CY_TOOLS_SWEEP_H
#define CY_TOOLS_SWEEP_H

#include "sweep/sweep.h"

struct cy_sweep {
    struct cy_diags diags;
    struct cy_sweep_plan plan;
    struct cy_sweep_store store;
    char (*keys)[CY_SWEEP_KEY];
    struct cy_sweep_result *results; /* by point */
    struct cy_buf program;           /* this one's path */
    const char *path, *store_path, *csv, *plot, *x, *y, *worker;
    size_t jobs, chunk, stall_seconds;
    bool slurm, only_show, quiet;
};

/* Looks for results that are not known yet. */
void cy_sweep_refresh(struct cy_sweep *sweep);
/* The points without a result; `points` has room for all. */
size_t cy_sweep_missing(const struct cy_sweep *sweep, size_t *points);
void cy_sweep_progress(const struct cy_sweep *sweep, size_t done, size_t all);
/* Measures points on this machine. */
void cy_sweep_run_points(struct cy_sweep *sweep, const size_t *points, size_t count);

/* sweep_slurm.c */
void cy_sweep_slurm(struct cy_sweep *sweep, const size_t *points, size_t count);
/* A task of a job array measures its part of the list. */
void cy_sweep_work(struct cy_sweep *sweep);

#endif
