/* Runs the rows of passes.def on a function: runs, times, dumps and validates each as the table says. */
#include "cc/run_passes.h"

#include "cc/codegen/mir.h"
#include "cc/ir/optimise.h"

#include <string.h>

struct work {
    const struct cc_unit *unit;
    struct mir_func *mir;
    struct mir_allocation allocation;
    struct cy_arena arena;
};

/* SKIPPED: nothing to do, or the result is incomplete: neither dumped nor validated. */
enum outcome { FAILED, DONE, SKIPPED };

/* ---- the rows ---- */

static enum outcome run_import(struct work *w) /* import.c has built the function */
{
    ir_analyse_cfg(w->unit->func);
    return DONE;
}

static enum outcome run_simplify(struct work *w)
{
    ir_simplify(w->unit->func);
    return DONE;
}

static enum outcome run_address(struct work *w)
{
    ir_analyse_uniformity(w->unit->func);
    ir_strength_reduce(w->unit->func);
    return DONE;
}

static enum outcome run_optimise(struct work *w)
{
    ir_simplify(w->unit->func);
    return DONE;
}

static enum outcome run_stores(struct work *w)
{
    ir_sink_stores(w->unit->func);
    return DONE;
}

static enum outcome run_uniformity(struct work *w)
{
    ir_analyse_uniformity(w->unit->func);
    return DONE;
}

static enum outcome run_isel(struct work *w)
{
    bool ok = mir_select(w->unit->func, w->unit->module, w->mir, w->unit->diags);
    w->mir->most_sgprs = w->unit->pipeline->sgprs;
    w->mir->most_vgprs = w->unit->pipeline->vgprs;
    w->mir->has_wide_moves = w->unit->pipeline->optimize >= 2 && w->mir->target->move_prefix;
    return ok ? DONE : FAILED;
}

static enum outcome run_rpc(struct work *w)
{
    mir_drop_setrpc(w->mir);
    return DONE;
}

static enum outcome run_live(struct work *w)
{
    mir_start_round(w->mir, &w->allocation);
    return DONE;
}

static enum outcome run_coalesce(struct work *w)
{
    mir_coalesce(w->mir, &w->allocation.live);
    return DONE;
}

static enum outcome run_regalloc(struct work *w)
{
    const char *error = mir_assign(w->mir, &w->allocation);
    if (error && (w->mir->most_sgprs || w->mir->most_vgprs))
        cy_diag_file(w->unit->diags, CY_ERROR, w->mir->name, "too few registers to allocate from: %s", error);
    else if (error)
        cy_diag_file(w->unit->diags, CY_ERROR, w->mir->name, "internal error: register allocation: %s", error);
    return error ? FAILED : w->allocation.failed ? SKIPPED : DONE;
}

static enum outcome run_spill(struct work *w)
{
    if (!w->allocation.failed)
        return SKIPPED;
    mir_spill(w->mir, w->allocation.spilled);
    return DONE;
}

static enum outcome run_peephole(struct work *w)
{
    mir_peephole(w->mir);
    return DONE;
}

static enum outcome run_widen(struct work *w)
{
    mir_merge_moves(w->mir);
    return DONE;
}

static enum outcome run_emit(struct work *w)
{
    const struct cc_unit *u = w->unit;
    return mir_emit(w->mir, u->func, u->object, u->stats, u->assembly, u->diags) ? DONE : FAILED;
}

/* Rows that run per function; compile.c runs the others. */
static enum outcome (*const runs[PASS_COUNT])(struct work *) = {
#define ROW_FRONT(name)
#define ROW_LLVM(name)
#define ROW_OBJECT(name)
#define ROW_IR(name) [PASS_##name] = run_##name,
#define ROW_MACHINE(name) [PASS_##name] = run_##name,
#define ROW_ALLOC(name) [PASS_##name] = run_##name,
#define ROW_EMIT(name) [PASS_##name] = run_##name,
#define PASS(name, stage, level, help, check) ROW_##stage(name)
#include "cc/passes/passes.def"
};

/* ---- after a row ---- */

static void print(const struct work *w, enum cc_pass pass)
{
    struct cc_pipeline *pipeline = w->unit->pipeline;
    struct cy_buf *out = pipeline->dump.out;
    const char *name = cc_passes[pass].name;
    bool is_ir = cc_passes[pass].stage == CC_IR;
    if (is_ir && w->unit->module && !pipeline->has_head) {
        ir_print_head(w->unit->module, out);
        pipeline->has_head = true;
    }
    cy_buf_printf(out, "; after %s\n", name);
    if (is_ir)
        ir_print_in(w->unit->func, w->unit->module, out);
    else if (pass == PASS_live)
        mir_print_live(w->mir, &w->allocation.live, out);
    else if (pass == PASS_coalesce)
        mir_print_joined(w->mir, name, out);
    else
        mir_print(w->mir, name, out);
}

static const char *function_name(const struct work *w)
{
    return w->unit->func ? w->unit->func->name : w->mir->name;
}

static bool is_valid(struct work *w, enum cc_pass pass)
{
    const struct cc_unit *u = w->unit;
    const char *wrong = NULL;
    switch ((enum cc_check)cc_passes[pass].check) {
    case CC_CHECK_NOTHING: break;
    case CC_CHECK_IR: wrong = ir_validate(u->func, &w->arena); break;
    case CC_CHECK_UNIFORM: wrong = ir_validate_uniformity(u->func, &w->arena); break;
    case CC_CHECK_CODE: wrong = mir_validate_code(w->mir, &w->arena); break;
    case CC_CHECK_PLACES: wrong = mir_validate(w->mir, &w->arena); break;
    case CC_CHECK_MEETING:
        wrong = mir_validate(w->mir, &w->arena);
        wrong = wrong ? wrong : mir_validate_rpc(w->mir, &w->arena);
        break;
    }
    const char *name = function_name(w);
    if (wrong)
        cy_diag_file(u->diags, CY_ERROR, u->name ? u->name : name, "internal error: '%s' after %s: %s", name,
                     cc_passes[pass].name, wrong);
    return !wrong;
}

static bool is_due(const struct cc_pipeline *pipeline, enum cc_pass pass)
{
    bool is_ir = cc_passes[pass].stage == CC_IR;
    if (pipeline->only && is_ir && pass != pipeline->only)
        return pass == PASS_uniformity && cc_passes[pipeline->only].stage != CC_IR;
    return cc_passes[pass].level <= pipeline->optimize || pass == pipeline->only;
}

static bool run_rows(struct work *w, enum cc_pass from, enum cc_pass to)
{
    struct cc_pipeline *pipeline = w->unit->pipeline;
    bool ok = true, stops = false;
    for (unsigned p = from; p <= to && ok && !stops; p++) {
        enum cc_pass pass = (enum cc_pass)p;
        const char *name = cc_passes[p].name;
        enum outcome outcome = SKIPPED;
        bool is_named = pipeline->dump.pass && !strcmp(pipeline->dump.pass, name);
        if (is_due(pipeline, pass)) {
            cc_pass_begin(pipeline, pass, function_name(w));
            outcome = runs[p](w);
            cc_pass_end(pipeline, pass);
            ok = outcome != FAILED;
        }
        stops = p && pass == pipeline->stop && (outcome == DONE || pass != PASS_regalloc);
        if (cc_has_text(pass) && (outcome == DONE ? cc_is_dumped(&pipeline->dump, name) || stops
                                                  : stops || (is_named && cc_passes[p].stage == CC_IR)))
            print(w, pass);
        ok = ok && (outcome == SKIPPED || is_valid(w, pass));
        if (pass == PASS_spill && outcome == DONE)
            p = PASS_live - 1; /* once more, with the short live ranges that spilling leaves */
    }
    return ok;
}

bool cc_run_passes(const struct cc_unit *unit, enum cc_pass from, enum cc_pass to)
{
    struct mir_func mir = {0};
    struct work w = {.unit = unit, .mir = &mir};
    bool ok = run_rows(&w, from, to);
    mir_allocation_free(&w.allocation);
    mir_free(&mir);
    cy_arena_free(&w.arena);
    return ok;
}

bool cy_backend(struct ir_func *func, const struct ir_module *module, struct cy_object *object,
                struct backend_stats *stats, struct cy_buf *assembly, const struct cc_dump *dump,
                struct cy_diags *diags)
{
    struct cc_pipeline pipeline = {.dump = dump ? *dump : (struct cc_dump){0}};
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

void ir_optimise(struct ir_func *func)
{
    struct cc_pipeline pipeline = {.optimize = 2};
    struct cy_diags diags = {0};
    struct cc_unit unit = {.pipeline = &pipeline, .func = func, .diags = &diags};
    cc_run_passes(&unit, PASS_simplify, PASS_stores);
    cy_diags_free(&diags);
}

bool mir_allocate(struct mir_func *func, const struct cc_dump *dump, struct cy_diags *diags)
{
    struct cc_pipeline pipeline = {.dump = dump ? *dump : (struct cc_dump){0}};
    struct cc_unit unit = {.pipeline = &pipeline, .diags = diags};
    struct work w = {.unit = &unit, .mir = func};
    bool ok = run_rows(&w, PASS_live, PASS_spill);
    mir_allocation_free(&w.allocation);
    cy_arena_free(&w.arena);
    return ok;
}
