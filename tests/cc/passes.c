/* What each pass does, as text: tests/cc/passes/PASS/CASE.ir.  The input is the text form of the IR; the first lines say
 *
 *     ; RUN: simplify                      the pass, and with sgprs=N vgprs=N how many registers it may allocate
 *     ; what must happen, and why
 *
 * and after a line "--- output" stands what `cy cc --run-pass=PASS CASE.ir` prints.  --update writes that part again.
 *
 * The kernel is executed too: lane by lane by an interpreter as it was read, once more after a pass on the IR, and as
 * machine code, with the registers of the RUN line.  All must leave the same memory. */
#define _GNU_SOURCE
#include "cc/backend_run.h"
#include "cc/run_passes.h"

#include "base/file.h"

#include <glob.h>

static struct harness machine;
static uint8_t data[COMPARED], expected[COMPARED], got[COMPARED];
static bool is_updating;

struct test {
    const char *path;
    struct cy_buf text, output;
    struct cc_pipeline pipeline;
    struct ir_module module;
    struct cy_diags diags;
};

static bool complain(const struct test *t, const char *what)
{
    fprintf(stderr, "%s: %s\n%s", t->path, what, t->diags.text.data ? t->diags.text.data : "");
    return CHECK(false);
}

static bool read_run_line(struct test *t)
{
    char name[32];
    int used = 0;
    if (!t->text.data || sscanf(t->text.data, "; RUN: %31[a-z]%n", name, &used) != 1)
        return complain(t, "does not begin with ; RUN: PASS");
    t->pipeline.only = t->pipeline.stop = cc_find_pass(name);
    if (!t->pipeline.only || !strstr(t->path, cy_arena_printf(&t->module.arena, "/%s/", name)))
        return complain(t, "is not in the directory of its pass");
    const char *p = t->text.data + used;
    for (unsigned number; *p == ' '; p += used) {
        if (sscanf(p, " sgprs=%u%n", &number, &used) == 1)
            t->pipeline.sgprs = number;
        else if (sscanf(p, " vgprs=%u%n", &number, &used) == 1)
            t->pipeline.vgprs = number;
        else
            break;
    }
    return *p == '\n' && !strncmp(p, "\n; ", 3) ? true : complain(t, "the second line must say what happens and why");
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
                               .diags = &t->diags};
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

static bool update(const struct test *t, const char *separator)
{
    struct cy_buf file = {0};
    struct cy_diags diags = {0};
    cy_buf_append(&file, t->text.data, separator ? (size_t)(separator - t->text.data) + 1 : t->text.size);
    cy_buf_printf(&file, "--- output\n%s", t->output.data);
    bool ok = cy_file_write(t->path, file.data, file.size, false, &diags);
    cy_buf_free(&file);
    cy_diags_free(&diags);
    return ok;
}

static bool run_test(struct test *t)
{
    struct compiled none = {0};
    if (!cy_file_read(t->path, &t->text, &t->diags))
        return complain(t, "cannot be read");
    const char *separator = strstr(t->text.data, "\n--- output\n");
    if (!read_run_line(t) ||
        !(ir_read(t->path, t->text.data, t->text.size, &t->module, &t->diags) || complain(t, "cannot be read")))
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
    t->pipeline.dump.out = &t->output;
    if (!run_rows(t, &t->pipeline, PASS_import, PASS_peephole, &none))
        return complain(t, "the pass fails");
    if (!run_ir(kernel, &t->module, got, machine.run.lanes) || memcmp(got, expected, sizeof(got)) != 0)
        return complain(t, "the IR does something else after the pass");
    if (!same_as_code(t))
        return false;
    if (is_updating)
        return update(t, separator);
    if (!separator)
        return complain(t, "has no output: --update");
    return CHECK_STR(t->output.data, separator + strlen("\n--- output\n")) || complain(t, "prints something else");
}

int main(int argc, char **argv)
{
    glob_t found;
    struct cy_buf pattern = {0};
    const char *source = getenv("CY_SOURCE");
    is_updating = argc > 1 && !strcmp(argv[1], "--update");
    cy_buf_printf(&pattern, "%s/tests/cc/passes/*/%s.ir", source ? source : ".",
                  argc > 1 + is_updating ? argv[1 + is_updating] : "*");
    CHECK(!glob(pattern.data, 0, NULL, &found));
    CHECK(is_updating || argc > 1 || found.gl_pathc >= 60);
    if (!CHECK(harness_init(&machine, CY_GEN1, 32)))
        return 1;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct test t = {.path = found.gl_pathv[i]};
        CHECK(run_test(&t));
        cy_buf_free(&t.text);
        cy_buf_free(&t.output);
        ir_module_free(&t.module);
        cy_diags_free(&t.diags);
    }
    harness_close(&machine);
    globfree(&found);
    cy_buf_free(&pattern);
    return test_finish();
}
