/* The back end alone, for whoever has IR. */
#include "cc/passes.h"

#include <string.h>

void cy_backend_stats_free(struct backend_stats *stats)
{
    cy_vec_free(&stats->lines);
}

bool cy_backend(struct ir_func *func, const struct ir_module *module, struct cy_object *object,
                struct backend_stats *stats, struct cy_buf *assembly, const struct ir_dump *dump,
                struct cy_diags *diags)
{
    struct cc_pipeline pipeline = {.dump = dump ? *dump : (struct ir_dump){0}};
    struct cc_unit unit = {.pipeline = &pipeline,
                           .func = func,
                           .module = module,
                           .object = object,
                           .stats = stats,
                           .assembly = assembly,
                           .diags = diags};
    memset(stats, 0, sizeof(*stats));
    return cc_run_passes(&unit, PASS_isel, PASS_emit);
}
