/* What each pass does: tests/cc/passes/PASS/CASE.ir (support/pass_text.h), with sgprs=N vgprs=N how many registers it may allocate.  The
 * output is what `cy cc --run-pass=PASS CASE.ir` prints.
 *
 * The kernel is executed too: lane by lane by an interpreter as it was read, once more after a pass on the IR, and as
 * machine code, with the registers of the RUN line.  All must leave the same memory. */
#define _GNU_SOURCE
#include "cc/backend_run.h"
#include "cc/run_passes.h"
#include "support/pass_text.h"

static struct harness machine;
static uint8_t data[COMPARED], expected[COMPARED], got[COMPARED];

struct test {
    struct pass_text *file;
    struct cc_pipeline pipeline;
    struct ir_module module;
};

static bool complain(const struct test *t, const char *what)
{
    return pass_text_complain(t->file, what);
}

static bool read_options(struct test *t)
{
    t->pipeline.only = t->pipeline.stop = cc_find_pass(t->file->pass);
    if (!t->pipeline.only)
        return complain(t, "there is no such pass");
    const char *p = t->file->options;
    int used = 0;
    for (unsigned number; *p == ' '; p += used) {
        if (sscanf(p, " sgprs=%u%n", &number, &used) == 1)
            t->pipeline.sgprs = number;
        else if (sscanf(p, " vgprs=%u%n", &number, &used) == 1)
            t->pipeline.vgprs = number;
        else
            break;
    }
    return pass_text_has_reason(t->file, p);
}

/* Runs rows on every function, callees first. */
static bool run_rows(struct test *t, struct cc_pipeline *pipeline, enum cc_pass from, enum cc_pass to,
                     struct compiled *c)
{
    uint32_t *order = cy_xrealloc(NULL, (t->module.funcs.count + 1) * sizeof(*order));
    bool ok = !ir_order_funcs(&t->module, order);
    for (size_t i = 0; i < t->module.funcs.count && ok; i++) {
        cy_backend_stats_free(&c->stats);
        memset(&c->stats, 0, sizeof(c->stats));
        struct cc_unit unit = {.pipeline = pipeline,
                               .func = &t->module.funcs.at[order[i]],
                               .module = &t->module,
                               .object = &c->object,
                               .stats = &c->stats,
                               .diags = &t->file->diags};
        ok = cc_run_passes(&unit, from, to);
    }
    cy_free(order);
    return ok;
}

static const struct ir_func *kernel_of(const struct test *t)
{
    const struct ir_func *kernel = NULL;
    for (size_t i = 0; i < t->module.funcs.count; i++)
        if (!t->module.funcs.at[i].is_function)
            kernel = &t->module.funcs.at[i];
    return kernel;
}

/* Code for what the pass left, next to the interpreter before it. */
static bool same_as_code(struct test *t)
{
    struct compiled c = {.object = {.name = "test", .machine = CY_EM_RISCV, .type = CY_ET_REL}};
    struct cc_pipeline pipeline = {.sgprs = t->pipeline.sgprs, .vgprs = t->pipeline.vgprs};
    bool ok = run_rows(t, &pipeline, PASS_uniformity, PASS_emit, &c) || complain(t, "does not compile");
    if (ok && run_code(&machine, &c, data, 7) != CY_STOP_END)
        ok = complain(t, "the code does not end");
    if (ok && first_difference(&machine, expected) >= 0)
        ok = complain(t, "the code leaves other memory than the IR");
    compiled_free(&c);
    return ok;
}

static bool run_kernel(struct test *t)
{
    struct compiled none = {0};
    struct pass_text *file = t->file;
    if (!read_options(t) || !(ir_read(file->path, file->text.data, file->text.size, &t->module, &file->diags) ||
                              complain(t, "cannot be read")))
        return false;
    const struct ir_func *kernel = kernel_of(t);
    if (!kernel)
        return complain(t, "has no kernel");
    fill_data(data, 7);
    memset(data + OUTPUT, 0xa5, 32 * 256); /* so that a store of 0 is detected too */
    memcpy(expected, data, sizeof(data));
    memcpy(got, data, sizeof(data));
    if (!run_ir(kernel, &t->module, expected, machine.run.lanes))
        return complain(t, "the kernel goes astray");
    if (!memcmp(expected, data, sizeof(data)))
        return complain(t, "the kernel does nothing that can be seen");
    t->pipeline.optimize = 2;
    t->pipeline.dump.out = &file->output;
    if (!run_rows(t, &t->pipeline, PASS_import, PASS_peephole, &none))
        return complain(t, "the pass fails");
    if (!run_ir(kernel, &t->module, got, machine.run.lanes) || memcmp(got, expected, sizeof(got)) != 0)
        return complain(t, "the IR does something else after the pass");
    return same_as_code(t);
}

static bool run_test(struct pass_text *file)
{
    struct test t = {.file = file};
    bool ok = run_kernel(&t);
    ir_module_free(&t.module);
    return ok;
}

int main(int argc, char **argv)
{
    static const struct pass_texts texts = {"tests/cc/passes", "ir", 60, run_test};
    if (!CHECK(harness_init(&machine, CY_GEN1, 32)))
        return 1;
    int status = pass_texts_main(&texts, argc, argv);
    harness_close(&machine);
    return status;
}
