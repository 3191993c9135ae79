/* Runs the rows of passes.def on a function: runs, times, prints and validates. */
#define _POSIX_C_SOURCE 200809L
#include "jit/transform/transform.h"

#include <string.h>
#include <time.h>

#define SIMT CY_SIR_PASS_SIMT
#define VECTOR CY_SIR_PASS_VECTOR
#define ANY CY_SIR_PASS_ANY
const struct cy_sir_pass cy_sir_passes[CY_SIR_PASSES] = {
#define PASS(name, from, to, file, text) {#name, file, text, from, to, cy_sir_pass_##name},
#include "jit/transform/passes.def"
};
#undef SIMT
#undef VECTOR
#undef ANY

static const char import[] = "import";

bool cy_sir_knows_pass(const char *name)
{
    bool is_known = strcmp(name, import) == 0;
    for (size_t i = 0; i < CY_SIR_PASSES; i++)
        is_known |= strcmp(name, cy_sir_passes[i].name) == 0;
    return is_known;
}

static bool is_named(const char *wanted, const char *name)
{
    return wanted && strcmp(wanted, name) == 0;
}

static bool takes(const struct cy_sir_pass *pass, const struct cy_sir_func *func)
{
    return pass->from == CY_SIR_PASS_ANY || (pass->from == CY_SIR_PASS_VECTOR) == (func->form == CY_SIR_FORM_VECTOR);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Prints the function, if that was asked for: also if it is wrong. */
static const char *finish(struct cy_sir_func *func, const struct cy_sir_pipeline *pipeline, const char *name)
{
    if (is_named(pipeline->dump, name) || is_named(pipeline->dump, "all")) {
        cy_buf_printf(pipeline->out, "; after %s\n", name);
        cy_sir_print(func, pipeline->out);
    }
    const char *wrong = cy_sir_validate(func);
    return wrong ? cy_arena_printf(&func->arena, "after %s: %s", name, wrong) : NULL;
}

static const char *run_pass(struct cy_sir_func *func, struct cy_sir_pipeline *pipeline, size_t nth)
{
    const struct cy_sir_pass *pass = &cy_sir_passes[nth];
    const uint64_t before = now_ns();
    pass->run(func);
    pipeline->ns[nth] += now_ns() - before;
    return finish(func, pipeline, pass->name);
}

const char *cy_sir_run_passes(struct cy_sir_func *func, struct cy_sir_pipeline *pipeline)
{
    const char *wrong = finish(func, pipeline, import);
    bool is_over = is_named(pipeline->stop, import);
    for (size_t i = 0; i < CY_SIR_PASSES && !wrong && !is_over; i++) {
        const struct cy_sir_pass *pass = &cy_sir_passes[i];
        const bool is_only = is_named(pipeline->only, pass->name);
        if (is_only && !takes(pass, func))
            return cy_arena_printf(&func->arena, "the pass '%s' takes %s form, and this is the other one", pass->name,
                                   pass->from == CY_SIR_PASS_VECTOR ? "vector" : "SIMT");
        if ((!pipeline->only || is_only) && takes(pass, func))
            wrong = run_pass(func, pipeline, i);
        is_over = is_only || is_named(pipeline->stop, pass->name);
    }
    return wrong;
}
