/* The back end against an interpreter of the IR: random kernels with nested divergent control flow, on one warp. */
#include "cc/backend_run.h"

#include <time.h>

static void show(const struct ir_func *func, struct compiled *c)
{
    struct cy_buf text = {0};
    ir_print(func, &text);
    fputs(text.data, stderr);
    if (c && c->dump.data)
        fputs(c->dump.data, stderr);
    if (c && c->assembly.data)
        fputs(c->assembly.data, stderr);
    cy_buf_free(&text);
}

/* The assembly text assembles to the same code. */
static bool assembles_alike(const struct compiled *c)
{
    struct cy_asm_options options = {.march = "ventus"};
    struct cy_asm_result result;
    struct cy_object object = {0};
    struct cy_diags diags = {0};
    bool ok = cy_asm("test.s", c->assembly.data, c->assembly.size, &options, &result);
    if (!ok)
        fputs(result.messages, stderr);
    ok = ok && cy_object_read(&object, "test.o", result.object, result.object_size, &diags);
    if (ok) {
        const struct cy_section *ours = cy_object_find_section(&c->object, ".text"),
                                *theirs = cy_object_find_section(&object, ".text");
        ok = ours->data.size == theirs->data.size && memcmp(ours->data.data, theirs->data.data, ours->data.size) == 0;
        cy_object_free(&object);
    }
    cy_asm_result_free(&result);
    cy_diags_free(&diags);
    return ok;
}

static unsigned long spilled, divergent, calls;

/* Functions for every second kernel; false: an invalid one was generated. */
static bool add_functions(struct ir_module *module, uint64_t seed, struct cy_arena *arena)
{
    static const char *const names[] = {"f0", "f1", "f2"};
    struct rng rng = {seed ^ 0x5eed};
    size_t count = seed % 2 ? 1 + rng_below(&rng, 3) : 0;
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        struct gen gen;
        struct ir_func func;
        uint64_t own = rng_word(&rng) + seed;
        ir_random_function(&gen, &func, module, i, names[i], own, rng_chance(&rng, 4) ? 60 : 0);
        ir_analyse_cfg(&func);
        const char *wrong = ir_validate(&func, arena);
        ok &= CHECK(!wrong);
        if (wrong)
            fprintf(stderr, "seed %" PRIu64 ": %s: IR: %s\n", seed, names[i], wrong);
        *cy_vec_push(&module->funcs) = func;
    }
    return ok;
}

/* One kernel: compiled, run, compared. */
static bool try_seed(struct harness *h, uint64_t seed, unsigned pressure, unsigned bulk, bool verbose)
{
    static uint8_t data[COMPARED], expected[COMPARED];
    struct ir_func func;
    struct gen gen;
    struct compiled c;
    struct cy_arena arena = {0};
    struct ir_module module = {.private_align = seed % 4 == 1 ? 16 : 4};
    add_functions(&module, seed, &arena);
    ir_random(&gen, &func, &module, "k", seed, pressure, bulk);
    ir_analyse_cfg(&func);
    const char *wrong = ir_validate(&func, &arena);
    bool ok = CHECK(!wrong), with_text = verbose || seed % 8 == 0;
    if (wrong)
        fprintf(stderr, "seed %" PRIu64 ": IR: %s\n", seed, wrong);
    fill_data(data, seed);
    memcpy(expected, data, sizeof(data));
    if (ok && !run_ir(&func, &module, expected, h->run.lanes)) { /* loops that call functions with loops may be slow */
        ok = CHECK(module.funcs.count);
        if (!ok)
            fprintf(stderr, "seed %" PRIu64 ": the IR does not end\n", seed);
        ir_module_free(&module);
        free_func(&func);
        cy_arena_free(&arena);
        return ok;
    }
    compile(&func, &module, &c, with_text);
    calls += func.callees.count > 0;
    spilled += c.stats.spills > 0;
    for (size_t b = 0; b < func.blocks.count; b++)
        divergent += func.blocks.at[b].is_divergent_branch;
    if (ok && !CHECK(c.ok)) {
        fprintf(stderr, "seed %" PRIu64 ": %s", seed, c.diags.text.data);
        ok = false;
    }
    if (ok) {
        enum cy_stop stop = run_code(h, &c, data, seed);
        int64_t at = first_difference(h, expected);
        ok = CHECK(stop == CY_STOP_END && at < 0);
        if (!ok)
            fprintf(stderr,
                    "seed %" PRIu64
                    " pressure %u bulk %u lanes %u: stop %d fault %d at pc 0x%x, difference at 0x%" PRIx64 "\n",
                    seed, pressure, bulk, h->run.lanes, (int)stop, (int)h->warp.fault.kind, h->warp.fault.pc, at);
    }
    if (ok && with_text && !CHECK(assembles_alike(&c))) {
        fprintf(stderr, "seed %" PRIu64 ": the assembly is not the code\n", seed);
        ok = false;
    }
    for (size_t i = 0; verbose && i < module.funcs.count; i++)
        show(&module.funcs.at[i], NULL);
    if (verbose)
        show(&func, &c);
    compiled_free(&c);
    ir_module_free(&module);
    free_func(&func);
    cy_arena_free(&arena);
    return ok;
}

/* test_cc_backend [SEED [PRESSURE [BULK [LANES]]]]: one kernel, with full output. */
int main(int argc, char **argv)
{
    static const unsigned widths[] = {32, 8, 16, 4};
    const char *seconds = getenv("CY_FUZZ_SECONDS");
    struct harness h[4];
    for (int i = 0; i < 4; i++)
        if (!harness_init(&h[i], CY_GEN1, widths[i]))
            return 1;
    if (argc > 1) {
        unsigned lanes = argc > 4 ? (unsigned)atoi(argv[4]) : 32, i = 0;
        while (i < 3 && widths[i] != lanes)
            i++;
        try_seed(&h[i], strtoull(argv[1], NULL, 0), argc > 2 ? (unsigned)atoi(argv[2]) : 0,
                 argc > 3 ? (unsigned)atoi(argv[3]) : 0, true);
        return test_finish();
    }
    time_t end = seconds ? time(NULL) + atoi(seconds) : 0;
    uint64_t seed = seconds ? (uint64_t)time(NULL) << 20 : 1, count = seconds ? UINT64_MAX : 1500;
    unsigned long failures = 0;
    for (uint64_t n = 0; n < count && failures < 5 && (!end || time(NULL) < end); n++, seed++) {
        unsigned pressure = n % 512 == 300 ? 1200 : n % 16 == 7 ? 40 + (unsigned)(seed % 400) : 0;
        failures += !try_seed(&h[n % 4], seed, pressure, n % 128 == 100 ? 400 : 0, false);
    }
    printf("%lu divergent branches, %lu kernels with spills, %lu with calls\n", divergent, spilled, calls);
    CHECK(divergent > 0 && (seconds || (spilled > 10 && calls > 100)));
    for (int i = 0; i < 4; i++)
        harness_close(&h[i]);
    return test_finish();
}
