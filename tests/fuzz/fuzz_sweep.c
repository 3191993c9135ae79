/* Plans of sweeps.  What is read can be printed and drawn, whatever the results are. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz/file.h"
#include "sweep/sweep.h"

#include <string.h>

enum { MOST_POINTS = 2000 }; /* more only take longer */

static void draw(const struct cy_sweep_plan *plan, const struct cy_sweep_result *results, const char *x, const char *y)
{
    struct cy_diags diags = {0};
    struct canvas canvas = {0};
    const bool ok = cy_sweep_plot(plan, results, x, y, &canvas, &diags);
    FUZZ_CHECK(ok == (diags.errors == 0));
    canvas_free(&canvas);
    cy_diags_free(&diags);
}

static void use(const struct cy_sweep_plan *plan, bool draws)
{
    struct cy_buf out = {0};
    struct cy_sweep_result *results = calloc(plan->points.count + 1, sizeof(*results));
    FUZZ_CHECK(results);
    for (size_t i = 0; i < plan->points.count; i++)
        if (i % 3 != 1)
            results[i] = (struct cy_sweep_result){.is_there = true,
                                                  .cycles = i % 4 ? i * 1000003u : UINT64_MAX / (i + 1),
                                                  .launches = i % 2,
                                                  .estimated = i % 3,
                                                  .seconds = (double)i};
    cy_sweep_table(plan, results, &out);
    cy_sweep_csv(plan, results, &out);
    for (size_t i = 0; i < plan->names.count && i < 4; i++)
        FUZZ_CHECK(cy_sweep_nearest(plan, plan->names.at[i]));
    if (draws) {
        draw(plan, results, NULL, NULL);
        for (size_t i = 0; i < plan->names.count && i < 4; i++) {
            draw(plan, results, plan->names.at[i], NULL);
            draw(plan, results, plan->names.at[0], plan->names.at[i]);
        }
    }
    cy_buf_free(&out);
    free(results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cy_sweep_plan plan = {0};
    struct cy_diags diags = {0};
    struct fuzz_file file = fuzz_file_open(data, size);
    const bool ok = cy_sweep_read(&plan, file.path, &diags);
    FUZZ_CHECK(ok == (diags.errors == 0));
    if (ok && plan.points.count <= MOST_POINTS)
        use(&plan, size % 16 == 0); /* drawing takes longest */
    cy_sweep_free(&plan);
    cy_diags_free(&diags);
    fuzz_file_close(&file);
    return 0;
}
