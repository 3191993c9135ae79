/* The pipeline of the back end. */
#include "cc/mir.h"
#include "cc/progress.h"

#include <string.h>

void cy_backend_stats_free(struct backend_stats *stats)
{
    cy_vec_free(&stats->lines);
}

static bool is_valid(const char *wrong, const char *name, const char *pass, struct cy_diags *diags)
{
    if (wrong)
        cy_diag_file(diags, CY_ERROR, name, "internal error: %s: %s", pass, wrong);
    return !wrong;
}

bool cy_backend(struct ir_func *func, const struct ir_module *module, struct cy_object *object,
                struct backend_stats *stats, struct cy_buf *assembly, const struct ir_dump *dump,
                struct cy_diags *diags)
{
    struct mir_func mir = {0};
    struct cy_arena arena = {0};
    struct cc_progress *progress = module ? module->progress : NULL;
    memset(stats, 0, sizeof(*stats));
    cc_progress_enter(progress, CC_STAGE_ISEL, func->name);
    bool ok = mir_select(func, module, &mir, diags);
    if (ok)
        mir_drop_setrpc(&mir);
    if (ok && ir_is_dumped(dump, "isel"))
        mir_print(&mir, "isel", dump->out);
    ok = ok && is_valid(mir_validate_code(&mir, &arena), func->name, "instruction selection", diags);
    cc_progress_enter(progress, CC_STAGE_REGALLOC, func->name);
    ok = ok && mir_allocate(&mir, dump, diags) &&
         is_valid(mir_validate(&mir, &arena), func->name, "register allocation", diags);
    if (ok && ir_is_dumped(dump, "regalloc"))
        mir_print(&mir, "regalloc", dump->out);
    cc_progress_enter(progress, CC_STAGE_PEEPHOLE, func->name);
    if (ok)
        mir_peephole(&mir);
    if (ok && ir_is_dumped(dump, "peephole"))
        mir_print(&mir, "peephole", dump->out);
    ok = ok && is_valid(mir_validate(&mir, &arena), func->name, "peephole", diags) &&
         is_valid(mir_validate_rpc(&mir, &arena), func->name, "reconvergence", diags);
    cc_progress_enter(progress, CC_STAGE_EMIT, func->name);
    ok = ok && mir_emit(&mir, func, object, stats, assembly, diags);
    mir_free(&mir);
    cy_arena_free(&arena);
    return ok;
}
