/* The optimisations of the IR: random kernels give the same memory as IR before and after, and as code.  Three kinds: those
 * of ir_random.h with all control flow, straight arithmetic on few values and telling constants, where rules of algebra
 * meet each other, and nested loops over arrays. */
#include "cc/backend_run.h"
#include "cc/ir/optimise.h"

#include <time.h>

static struct harness machines[2], *machine;

static ir_value telling_const(struct gen *g)
{
    static const uint32_t constants[] = {0,    1,      2,      3,          4,          7,
                                         8,    15,     16,     24,         31,         32,
                                         33,   63,     64,     96,         UINT32_MAX, UINT32_MAX - 1,
                                         0xff, 0xffff, 0x1000, 0x7fffffff, 0x80000000, 0xffff0000};
    return gen_const(g, constants[rng_below(&g->rng, sizeof(constants) / sizeof(*constants))]);
}

static ir_value telling_pick(struct gen *g)
{
    uint32_t count = (uint32_t)g->pool.count, recent = count < 6 ? count : 6;
    return rng_chance(&g->rng, 3)
               ? telling_const(g)
               : g->pool
                     .at[rng_chance(&g->rng, 2) ? count - 1 - rng_below(&g->rng, recent) : rng_below(&g->rng, count)];
}

static ir_value telling_op(struct gen *g)
{
    static const uint8_t ops[] = {IR_ADD,  IR_ADD,  IR_SUB,  IR_MUL,  IR_MUL,  IR_AND,  IR_AND,  IR_OR,
                                  IR_XOR,  IR_SHL,  IR_SHL,  IR_SHL,  IR_SHRU, IR_SHRU, IR_SHRS, IR_SHRS,
                                  IR_DIVU, IR_REMU, IR_DIVS, IR_REMS, IR_EQ,   IR_NE,   IR_LTS,  IR_GES,
                                  IR_LTU,  IR_GEU,  IR_MINS, IR_MINU, IR_MAXS, IR_MAXU, IR_MULHU};
    static const uint8_t compares[] = {IR_EQ, IR_LTU, IR_LTS, IR_GES, IR_FLT};
    ir_value a = telling_pick(g), b = telling_pick(g);
    if (rng_chance(&g->rng, 8)) { /* the compare of 64-bit numbers, and others like it */
        ir_value c = telling_pick(g), d = telling_pick(g);
        ir_value equal = gen_op(g, IR_EQ, a, b, 0), low = gen_op(g, IR_LTU, c, d, 0);
        return gen_op(g, IR_SELECT, equal, low, gen_op(g, rng_chance(&g->rng, 2) ? IR_LTU : IR_LTS, a, b, 0));
    }
    if (rng_chance(&g->rng, 8)) {
        ir_value condition = gen_op(g, compares[rng_below(&g->rng, sizeof(compares))], a, b, 0);
        ir_value then = telling_pick(g), otherwise = telling_pick(g);
        return gen_op(g, IR_SELECT, condition, then, otherwise);
    }
    return gen_op(g, ops[rng_below(&g->rng, sizeof(ops))], a, b, 0);
}

/* Straight code: words and bytes from the table, arithmetic, everything stored. */
static void telling_kernel(struct ir_func *func, uint64_t seed)
{
    struct gen g = {.rng = {seed}, .func = func};
    *func = (struct ir_func){.name = "k"};
    g.block = ir_new_block(func);
    ir_value base = gen_op(&g, IR_ARGBASE, 0, 0, 0), lane = gen_op(&g, IR_LANE, 0, 0, 0), words[3];
    for (int i = 0; i < 3; i++) {
        words[i] = gen_op(&g, IR_LOAD, base, 0, 0);
        ir_at(func, words[i])->imm = 4;
        ir_at(func, words[i])->extra = 4 * i + (i == 2 ? 4 : 0);
    }
    ir_value mine = gen_op(&g, IR_ADD, words[0], gen_op(&g, IR_SHL, lane, gen_const(&g, 2), 0), 0);
    static const int8_t sizes[] = {4, 4, 1, -1, 2, -2};
    *cy_vec_push(&g.pool) = lane;
    *cy_vec_push(&g.pool) = words[2];
    for (int i = 0; i < 6; i++) {
        ir_value load = gen_op(&g, IR_LOAD, i % 2 ? mine : words[0], 0, 0);
        ir_at(func, load)->imm = sizes[i];
        ir_at(func, load)->extra = (int32_t)(4 * rng_below(&g.rng, 64));
        *cy_vec_push(&g.pool) = load;
    }
    for (int i = 0; i < 40; i++) {
        ir_value made = telling_op(&g);
        *cy_vec_push(&g.pool) = made;
    }
    ir_value out = gen_op(&g, IR_ADD, words[1], gen_op(&g, IR_SHL, lane, gen_const(&g, 8), 0), 0);
    for (size_t i = 2; i < g.pool.count; i++) {
        ir_value store = gen_op(&g, IR_STORE, out, g.pool.at[i], 0);
        ir_at(func, store)->imm = 4;
        ir_at(func, store)->extra = (int32_t)(4 * i);
    }
    cy_vec_free(&g.pool);
}

/* ---- loops over arrays ---- */

static ir_value phi_of(struct gen *g, uint32_t block, ir_value first, ir_value second)
{
    ir_value phi = ir_append(g->func, block, IR_PHI, (ir_value)g->func->phi_args.count, 0, 0);
    *cy_vec_push(&g->func->phi_args) = first;
    *cy_vec_push(&g->func->phi_args) = second;
    return phi;
}
static void edge(struct gen *g, uint32_t from, uint32_t to)
{
    *cy_vec_push(&g->func->blocks.at[to].preds) = from;
}
static ir_value times(struct gen *g, ir_value value, uint32_t most)
{
    uint32_t factor = rng_below(&g->rng, most + 1);
    if (factor && !(factor & (factor - 1)) && rng_chance(&g->rng, 2))
        return gen_op(g, IR_SHL, value, gen_const(g, (uint32_t)__builtin_ctz(factor)), 0);
    return gen_op(g, IR_MUL, value, gen_const(g, factor), 0);
}

/* An element of the table (512 words), indexed by counters below 8 and 4, the lane, and constants; sometimes of a
 * different size. */
static ir_value element(struct gen *g, ir_value i, ir_value j, ir_value width)
{
    ir_value row = rng_chance(&g->rng, 2) ? gen_op(g, IR_ADD, i, gen_const(g, rng_below(&g->rng, 3)), 0) : i;
    if (rng_chance(&g->rng, 3))
        row = gen_op(g, IR_ADD, row, j, 0);
    ir_value index = rng_chance(&g->rng, 2) ? gen_op(g, IR_MUL, row, width, 0) : times(g, row, 12);
    index = gen_op(g, IR_ADD, index, times(g, j, 20), 0);
    if (!rng_chance(&g->rng, 4)) {
        uint8_t join = rng_chance(&g->rng, 8) ? IR_XOR : IR_ADD;
        index = gen_op(g, join, index, times(g, g->lane, 3), 0);
    }
    if (rng_chance(&g->rng, 3)) {
        ir_value later = gen_op(g, IR_ADD, index, gen_const(g, 40), 0);
        index = gen_op(g, IR_SUB, later, times(g, i, 4), 0);
    }
    ir_value at = gen_op(g, IR_ADD, g->table, gen_op(g, IR_SHL, index, gen_const(g, 2), 0), 0);
    ir_value load = gen_op(g, IR_LOAD, at, 0, 0);
    static const int8_t sizes[] = {4, 4, 4, 2, -1};
    ir_at(g->func, load)->imm = sizes[rng_below(&g->rng, sizeof(sizes))];
    ir_at(g->func, load)->extra = (int32_t)(4 * rng_below(&g->rng, 8));
    return load;
}

/* for i: for j: sum += elements, some of them only for some lanes */
static void array_kernel(struct ir_func *func, uint64_t seed)
{
    struct gen g = {.rng = {seed}, .func = func};
    enum { ENTRY, BEFORE, OUTER, MIDDLE, INNER, SOME, LATCH, BACK, EXIT, BLOCKS };
    *func = (struct ir_func){.name = "k"};
    for (int b = 0; b < BLOCKS; b++)
        ir_new_block(func);
    g.block = ENTRY;
    ir_value base = gen_op(&g, IR_ARGBASE, 0, 0, 0), words[2];
    for (int i = 0; i < 2; i++) {
        words[i] = gen_op(&g, IR_LOAD, base, 0, 0);
        ir_at(func, words[i])->imm = 4;
        ir_at(func, words[i])->extra = 4 * i;
    }
    g.table = words[0];
    g.lane = gen_op(&g, IR_LANE, 0, 0, 0);
    ir_value width = gen_op(&g, IR_AND, words[1], gen_const(&g, 0), 0), zero = gen_const(&g, 0);
    width = gen_op(&g, IR_ADD, width, gen_const(&g, 1 + rng_below(&g.rng, 9)), 0);
    ir_value own = gen_op(&g, IR_AND, g.lane, gen_const(&g, 3), 0), lanes_differ = rng_chance(&g.rng, 2) ? own : zero;
    ir_set_jump(func, ENTRY, BEFORE);
    ir_set_jump(func, BEFORE, OUTER);
    ir_value i = phi_of(&g, OUTER, zero, 0), sum = phi_of(&g, OUTER, g.lane, 0);
    g.block = OUTER;
    ir_value first = element(&g, i, zero, width);
    ir_set_jump(func, OUTER, MIDDLE);
    g.block = MIDDLE;
    ir_value start = gen_const(&g, rng_below(&g.rng, 2));
    ir_set_jump(func, MIDDLE, INNER);
    ir_value j = phi_of(&g, INNER, start, 0), inner = phi_of(&g, INNER, sum, 0);
    g.block = INNER;
    ir_value more = gen_op(&g, IR_ADD, inner, element(&g, i, j, width), 0);
    more = gen_op(&g, IR_XOR, more, element(&g, i, j, width), 0);
    ir_set_branch(func, INNER, gen_op(&g, IR_LTU, lanes_differ, j, 0), SOME, LATCH);
    g.block = SOME;
    ir_value extra = gen_op(&g, IR_ADD, more, element(&g, i, j, width), 0);
    ir_set_jump(func, SOME, LATCH);
    ir_value joined = phi_of(&g, LATCH, more, extra);
    g.block = LATCH;
    ir_value next_j = gen_op(&g, IR_ADD, j, gen_const(&g, 1 + rng_below(&g.rng, 2)), 0);
    ir_value last = gen_op(&g, IR_ADD, joined, element(&g, i, j, width), 0);
    ir_set_branch(func, LATCH, gen_op(&g, IR_LTS, next_j, gen_const(&g, 4), 0), INNER, BACK);
    ir_value out = phi_of(&g, BACK, last, 0);
    func->phi_args.count--;
    g.block = BACK;
    ir_value next_i = gen_op(&g, IR_ADD, gen_const(&g, 1), i, 0), total = gen_op(&g, IR_MUL, out, first, 0);
    ir_set_branch(func, BACK, gen_op(&g, IR_GES, next_i, gen_const(&g, 8), 0), EXIT, OUTER);
    ir_value result = phi_of(&g, EXIT, total, 0);
    func->phi_args.count--;
    g.block = EXIT;
    ir_value at = gen_op(&g, IR_ADD, words[1], gen_op(&g, IR_SHL, g.lane, gen_const(&g, 8), 0), 0);
    ir_at(func, gen_op(&g, IR_STORE, at, result, 0))->imm = 4;
    func->phi_args.at[ir_at(func, i)->args[0] + 1] = next_i;
    func->phi_args.at[ir_at(func, sum)->args[0] + 1] = total;
    func->phi_args.at[ir_at(func, j)->args[0] + 1] = next_j;
    func->phi_args.at[ir_at(func, inner)->args[0] + 1] = last;
    static const uint8_t edges[][2] = {{ENTRY, BEFORE}, {BEFORE, OUTER}, {BACK, OUTER}, {OUTER, MIDDLE},
                                       {MIDDLE, INNER}, {LATCH, INNER},  {INNER, SOME}, {INNER, LATCH},
                                       {SOME, LATCH},   {LATCH, BACK},   {BACK, EXIT}};
    for (size_t e = 0; e < sizeof(edges) / sizeof(*edges); e++)
        edge(&g, edges[e][0], edges[e][1]);
}

static void show(const struct ir_func *func)
{
    struct cy_buf text = {0};
    ir_print(func, &text);
    fputs(text.data, stderr);
    cy_buf_free(&text);
}

static bool same(const char *what, uint64_t seed, const struct ir_func *func, const uint8_t *got,
                 const uint8_t *expected)
{
    for (uint32_t i = 0; i < COMPARED; i++)
        if (got[i] != expected[i]) {
            show(func);
            fprintf(stderr, "seed %" PRIu64 ": %s differs at 0x%x\n", seed, what, i);
            return CHECK(false);
        }
    return CHECK(true);
}

static bool try_kernel(struct ir_func *func, uint64_t seed)
{
    static uint8_t data[COMPARED], expected[COMPARED], got[COMPARED];
    struct cy_arena arena = {0};
    struct compiled c;
    ir_analyse_cfg(func);
    fill_data(data, seed);
    memcpy(expected, data, sizeof(data));
    memcpy(got, data, sizeof(data));
    bool ok = CHECK(run_ir(func, NULL, expected, machine->run.lanes));
    ir_optimise(func);
    const char *wrong = ir_validate(func, &arena);
    if (!CHECK(!wrong)) {
        show(func);
        fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, wrong);
    }
    ok =
        ok && !wrong && CHECK(run_ir(func, NULL, got, machine->run.lanes)) && same("the IR", seed, func, got, expected);
    if (ok) {
        compile(func, NULL, &c, false);
        if (!CHECK(c.ok))
            fprintf(stderr, "seed %" PRIu64 ": %s", seed, c.diags.text.data);
        ok = c.ok && CHECK_EQ(run_code(machine, &c, data, seed), CY_STOP_END) &&
             same("the code", seed, func, machine->memory.base + DATA, expected);
        compiled_free(&c);
    }
    free_func(func);
    cy_arena_free(&arena);
    return ok;
}

/* CY_FUZZ_SECONDS gives more time than the default. */
static void test_random(void)
{
    const char *more = getenv("CY_FUZZ_SECONDS");
    time_t end = time(NULL) + (more ? atoi(more) : 4);
    struct ir_func func;
    struct gen gen;
    if (!CHECK(harness_init(&machines[0], CY_GEN1, 32) && harness_init(&machines[1], CY_GEN1, 8)))
        return;
    for (uint64_t seed = 1, failures = 0; (time(NULL) < end || seed < 100) && failures < 3; seed++) {
        machine = &machines[seed % 3 == 0];
        telling_kernel(&func, seed);
        failures += !try_kernel(&func, seed);
        array_kernel(&func, seed);
        failures += !try_kernel(&func, seed);
        ir_random(&gen, &func, NULL, "k", seed, 0, 0);
        failures += !try_kernel(&func, seed);
    }
    harness_close(&machines[0]);
    harness_close(&machines[1]);
}

TEST_MAIN(test_random)
