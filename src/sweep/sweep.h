/* Sweeps: one command for many combinations of parameters.
 *
 *   plan.c    a plan: the command, the parameters, the points
 *   store.c   results by content: a point that was measured before costs nothing
 *   plot.c    tables and plots of the results; canvas.c  what they are drawn on
 *
 * Running them, here or on a cluster, is tools/cmd_sweep.c's part. */
#ifndef CY_SWEEP_SWEEP_H
#define CY_SWEEP_SWEEP_H

#include "base/toml.h"
#include "sweep/canvas.h"

/* ---- plan.c ---- */

struct cy_sweep_setting {
    const char *name, *value;
    const struct cy_loc *loc; /* of the value */
};
struct cy_sweep_point {
    struct cy_sweep_setting *settings; /* as many as the plan has parameters; value NULL: not set in this point */
    CY_VEC(const char *) words;        /* of the command line of cy */
};
struct cy_sweep_plan {
    struct cy_toml toml;
    bool is_program; /* `program`: an OpenCL program; else `run`: a kernel */
    const char *timing;
    CY_VEC(const char *) names; /* parameters, in the order of the plan */
    CY_VEC(struct cy_sweep_point) points;
};
/* Is a setting the cycle model's, or nearly?  Its parameters have an underscore in their names, settings of the machine never do. */
bool cy_sweep_is_of_model(const char *key, size_t length);
bool cy_sweep_read(struct cy_sweep_plan *plan, const char *path, struct cy_diags *diags);
void cy_sweep_free(struct cy_sweep_plan *plan);

/* ---- store.c ---- */

#define CY_SWEEP_KEY 65
struct cy_sweep_result {
    bool is_there;
    uint64_t cycles, launches, estimated; /* of so many launches the cycles are an estimate */
    double seconds;
    char machine[64]; /* "2 SMs x 32 warps x 32 threads", of the last launch */
};
struct cy_sweep_store {
    struct cy_buf directory;
    char version[CY_SWEEP_KEY]; /* hash of the programs that compute the results */
};
/* Creates the directory if there is none.  `programs`: paths; those that cannot be read count as empty. */
bool cy_sweep_open(struct cy_sweep_store *store, const char *directory, const char *const *programs, size_t count,
                   struct cy_diags *diags);
void cy_sweep_close(struct cy_sweep_store *store);
/* Hash of everything that the result depends on: versions, command line, contents of the files it names. */
void cy_sweep_key(const struct cy_sweep_store *store, const struct cy_sweep_point *point, char key[CY_SWEEP_KEY]);
struct cy_sweep_result cy_sweep_load(const struct cy_sweep_store *store, const char *key);
/* Many processes may save at a time: a result appears complete or not at all. */
bool cy_sweep_save(const struct cy_sweep_store *store, const char *key, const struct cy_sweep_result *result,
                   struct cy_diags *diags);
/* Cycles from what the command printed: lines "timing: MACHINE, PRESET" and "cycles: N", perhaps with "estimated".  False: there
 * are no cycles. */
bool cy_sweep_parse(const char *output, struct cy_sweep_result *result);

/* ---- plot.c ---- */
/* The machines of the results, a line, and how many of them are estimates, if any. */
void cy_sweep_machines(const struct cy_sweep_plan *plan, const struct cy_sweep_result *results, struct cy_buf *out);
void cy_sweep_table(const struct cy_sweep_plan *plan, const struct cy_sweep_result *results, struct cy_buf *out);
void cy_sweep_csv(const struct cy_sweep_plan *plan, const struct cy_sweep_result *results, struct cy_buf *out);
/* A heat map over `x` and `y` for each combination of the other parameters, or with `y` NULL the cycles over `x` with their
 * Pareto front.  NULL and NULL: a front if only one parameter varies, else maps over the first two.  False: a message. */
bool cy_sweep_plot(const struct cy_sweep_plan *plan, const struct cy_sweep_result *results, const char *x,
                   const char *y, struct canvas *out, struct cy_diags *diags);
/* The nearest of the plan's parameters; NULL: none is near. */
const char *cy_sweep_nearest(const struct cy_sweep_plan *plan, const char *name);

#endif
