/* What each pass over the strip IR does: tests/jit/passes/PASS/CASE.sir (support/pass_text.h).  The output is what `cy jit --run-pass PASS
 * CASE.sir` prints.
 *
 * The function is evaluated, too, before and after the pass, on memory from the source `lds` on: it must leave the same. */
#include "sir/bytes_machine.h"
#include "support/pass_text.h"

#include "jit/transform/transform.h"

enum { SEEDS = 4, COUNTERS = 64 };

static uint8_t expected[SEEDS][RANDOM_SIR_BYTES], got[RANDOM_SIR_BYTES];
static uint64_t counted[SEEDS][COUNTERS];

/* Does it do anything that can be seen? */
static bool evaluate_before(struct pass_text *file, const struct cy_sir_func *func)
{
    bool is_seen = false;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct cy_sir_fault fault = {0};
        memset(counted[seed], 0, sizeof(counted[seed]));
        if (count_on_bytes(func, seed, expected[seed], counted[seed], &fault) != CY_SIR_DONE)
            return pass_text_complain(file, fault.why ? fault.why : "the kernel faults, or does not end");
        fill_bytes(seed, got);
        is_seen |= memcmp(got, expected[seed], sizeof(got)) != 0;
    }
    return is_seen ? true : pass_text_complain(file, "the kernel does nothing that can be seen");
}

static bool evaluate_after(struct pass_text *file, const struct cy_sir_func *func)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct cy_sir_fault fault = {0};
        uint64_t counters[COUNTERS] = {0};
        if (count_on_bytes(func, seed, got, counters, &fault) != CY_SIR_DONE ||
            memcmp(got, expected[seed], sizeof(got)) != 0)
            return pass_text_complain(file, fault.why ? fault.why : "it does something else after the pass");
        if (memcmp(counters, counted[seed], sizeof(counters)) != 0)
            return pass_text_complain(file, "it counts something else after the pass");
    }
    return true;
}

static bool run_pass(struct pass_text *file, struct cy_sir_func *func)
{
    struct cy_sir_pipeline pipeline = {.only = file->pass, .dump = file->pass, .out = &file->output};
    const char *wrong = cy_sir_validate(func);
    if (wrong)
        return pass_text_complain(file, wrong);
    if (func->counters > COUNTERS)
        return pass_text_complain(file, "it has too many counters");
    if (!evaluate_before(file, func))
        return false;
    wrong = cy_sir_run_passes(func, &pipeline);
    return wrong ? pass_text_complain(file, wrong) : evaluate_after(file, func);
}

static bool run_test(struct pass_text *file)
{
    if (!pass_text_has_reason(file, file->options) ||
        !(cy_sir_knows_pass(file->pass) || pass_text_complain(file, "there is no such pass")))
        return false;
    struct cy_sir_func *func = cy_sir_read(file->path, file->text.data, file->text.size, &file->diags);
    const bool ok = func ? run_pass(file, func) : pass_text_complain(file, "cannot be read");
    cy_sir_free(func);
    return ok;
}

int main(int argc, char **argv)
{
    static const struct pass_texts texts = {"tests/jit/passes", "sir", 3 * CY_SIR_PASSES, run_test};
    return pass_texts_main(&texts, argc, argv);
}
