/* Parts of the back end that random kernels do not reach, and the checker of the register allocation. */
#include "ld/link.h"
#include "cc/backend_run.h"
#include "cc/codegen/mir.h"

static struct harness machine;
static uint8_t data[COMPARED], expected[COMPARED];

static ir_value op(struct ir_func *func, uint32_t block, enum ir_op code, ir_value a, ir_value b, ir_value c)
{
    return ir_append(func, block, code, a, b, c);
}
static ir_value constant(struct ir_func *func, uint32_t block, uint32_t value)
{
    ir_value v = op(func, block, IR_CONST, 0, 0, 0);
    ir_at(func, v)->imm = (int32_t)value;
    return v;
}
static ir_value memory_op(struct ir_func *func, uint32_t block, enum ir_op code, ir_value address, ir_value value,
                          int32_t offset)
{
    ir_value v = op(func, block, code, address, value, 0);
    ir_at(func, v)->imm = 4;
    ir_at(func, v)->extra = offset;
    return v;
}
static ir_value phi(struct ir_func *func, uint32_t block, ir_value first, ir_value second)
{
    ir_value v = op(func, block, IR_PHI, (ir_value)func->phi_args.count, 0, 0);
    *cy_vec_push(&func->phi_args) = first;
    *cy_vec_push(&func->phi_args) = second;
    return v;
}
static void pred(struct ir_func *func, uint32_t block, uint32_t from)
{
    *cy_vec_push(&func->blocks.at[block].preds) = from;
}

static bool same_as_ir(struct ir_func *func, const char *name)
{
    struct compiled c;
    fill_data(data, 7);
    memcpy(expected, data, sizeof(data));
    compile(func, NULL, &c, false);
    bool ok = CHECK(c.ok) && CHECK(run_ir(func, NULL, expected, machine.run.lanes));
    if (!c.ok)
        fprintf(stderr, "%s: %s\n", name, c.diags.text.data);
    ok = ok && CHECK_EQ(run_code(&machine, &c, data, 3), CY_STOP_END) &&
         CHECK_EQ(first_difference(&machine, expected), -1);
    compiled_free(&c);
    free_func(func);
    return ok;
}

/* All lanes add to one word by compare and swap, in a loop until it succeeds. */
static void test_shared_cas(void)
{
    struct ir_func func = {.name = "cas"};
    uint32_t entry = ir_new_block(&func), loop = ir_new_block(&func), done = ir_new_block(&func);
    ir_value address = constant(&func, entry, DATA + COUNTERS), lane = op(&func, entry, IR_LANE, 0, 0, 0);
    ir_value one = constant(&func, entry, 1), first = memory_op(&func, entry, IR_LOAD, address, 0, 0);
    ir_set_jump(&func, entry, loop);
    pred(&func, loop, entry);
    pred(&func, loop, loop);
    pred(&func, done, loop);
    ir_value old = phi(&func, loop, first, 0);
    ir_value sum = op(&func, loop, IR_ADD, op(&func, loop, IR_ADD, old, lane, 0), one, 0);
    ir_value seen = op(&func, loop, IR_CAS, address, old, sum);
    func.phi_args.at[ir_at(&func, old)->args[0] + 1] = seen;
    ir_set_branch(&func, loop, op(&func, loop, IR_NE, seen, old, 0), loop, done);
    same_as_ir(&func, "cas");
}

/* e^x of scalars and vectors; the last bit is free. */
static void test_exponential(void)
{
    struct ir_func func = {.name = "exp"};
    struct compiled c;
    uint32_t b = ir_new_block(&func);
    ir_value base = op(&func, b, IR_ARGBASE, 0, 0, 0), lane = op(&func, b, IR_LANE, 0, 0, 0);
    ir_value address = op(&func, b, IR_ADD, base, op(&func, b, IR_SHL, lane, constant(&func, b, 2), 0), 0);
    ir_value uniform = op(&func, b, IR_FEXP, memory_op(&func, b, IR_LOAD, base, 0, (int32_t)TABLE), 0, 0);
    ir_value mine = op(&func, b, IR_FEXP, op(&func, b, IR_STOF, lane, 0, 0), 0, 0);
    memory_op(&func, b, IR_STORE, address, mine, 0x10000);
    memory_op(&func, b, IR_STORE, base, uniform, 0x11000);
    fill_data(data, 7);
    float x = 2.5f;
    memcpy(data + TABLE, &x, 4);
    compile(&func, NULL, &c, false);
    if (CHECK(c.ok) && CHECK_EQ(run_code(&machine, &c, data, 3), CY_STOP_END)) {
        CHECK(labs((long)(harness_word(&machine, DATA + 0x11000) - run_word(expf(x)))) <= 1);
        for (unsigned i = 0; i < machine.run.lanes; i++)
            CHECK(labs((long)(int32_t)(harness_word(&machine, DATA + 0x10000 + 4 * i) - run_word(expf((float)i)))) <=
                  1);
    }
    compiled_free(&c);
    free_func(&func);
}

static void test_effects(void)
{
    struct ir_func func = {.name = "effects", .local_bytes = 40, .private_bytes = 10};
    struct compiled c;
    struct cy_kernel_info *kernels;
    uint32_t b = ir_new_block(&func);
    ir_value barrier = op(&func, b, IR_BARRIER, 0, 0, 0);
    ir_at(&func, barrier)->imm = 3;
    ir_at(&func, barrier)->line = 12;
    ir_value fence = op(&func, b, IR_FENCE, 0, 0, 0);
    ir_at(&func, fence)->imm = IR_FENCE_FULL;
    ir_at(&func, fence)->line = 13;
    op(&func, b, IR_PRINTED, 0, 0, 0);
    compile(&func, NULL, &c, true);
    const struct cy_section *text = cy_object_find_section(&c.object, ".text");
    if (CHECK(c.ok)) {
        struct cy_buf code = {0};
        uint32_t end = cy_insns[CY_OP_endprg].match;
        cy_buf_append(&code, text->data.data, text->data.size);
        cy_buf_append(&code, &end, 4);
        harness_code(&machine, code.data, code.size);
        machine.warp.x[1] = CODE + (uint32_t)text->data.size;
        CHECK_EQ(cy_warp_run(&machine.warp, 100), CY_STOP_BARRIER);
        CHECK_EQ(cy_warp_run(&machine.warp, 100), CY_STOP_PRINT);
        CHECK_EQ(machine.warp.print, 1);
        CHECK_EQ(cy_warp_run(&machine.warp, 100), CY_STOP_END);
        cy_buf_free(&code);
        CHECK_EQ(cy_object_kernels(&c.object, &kernels), 1);
        CHECK_STR(kernels[0].name, "effects");
        CHECK_EQ(kernels[0].lds_bytes, 40);
        CHECK_EQ(kernels[0].pds_bytes, 12);
        CHECK_EQ(kernels[0].vgprs, 4);
        CHECK_EQ(kernels[0].sgprs, 12);
        CHECK_EQ(c.stats.lines.count, 2);
        CHECK_EQ(c.stats.lines.at[0].line, 12);
        CHECK_EQ(c.stats.lines.at[1].offset, 4);
        CHECK(strstr(c.assembly.data, "\tbarrier\tx0, x0, 3\n") && strstr(c.assembly.data, "\tfence\trw, rw\n"));
    }
    compiled_free(&c);
    free_func(&func);
}

/* More local memory than a record can express. */
static void test_too_much(void)
{
    struct ir_func func = {.name = "big", .local_bytes = 70000};
    struct compiled c;
    ir_new_block(&func);
    compile(&func, NULL, &c, false);
    CHECK(!c.ok);
    CHECK_STR(c.diags.text.data, "big: error: the kernel needs 70000 bytes of local memory: more than 65535\n");
    compiled_free(&c);
    free_func(&func);
}

/* A kernel that never returns, with lanes that diverge and never reconverge. */
static void test_endless(void)
{
    struct ir_func func = {.name = "endless"};
    struct compiled c;
    uint32_t entry = ir_new_block(&func), loop = ir_new_block(&func), side = ir_new_block(&func);
    ir_value lane = op(&func, entry, IR_LANE, 0, 0, 0), address = constant(&func, entry, DATA + COUNTERS);
    ir_set_branch(&func, entry, op(&func, entry, IR_LTU, lane, constant(&func, entry, 2), 0), loop, side);
    pred(&func, loop, entry);
    pred(&func, loop, loop);
    pred(&func, side, entry);
    pred(&func, side, side);
    memory_op(&func, loop, IR_STORE, address, lane, 0);
    ir_set_jump(&func, loop, loop);
    ir_set_jump(&func, side, side);
    compile(&func, NULL, &c, false);
    if (CHECK(c.ok))
        CHECK(cy_object_find_section(&c.object, ".text")->size > 0);
    compiled_free(&c);
    free_func(&func);
}

/* Addresses of data: relocations that the linker resolves. */
static void test_symbols(void)
{
    struct ir_func func = {.name = "lookup"};
    struct ir_module module = {0};
    struct compiled c;
    struct cy_object program = {0};
    uint32_t words[4] = {11, 22, 33, 44};
    for (int i = 0; i < 2; i++)
        *cy_vec_push(&module.symbols) = (struct ir_symbol){.name = i ? "table" : "other"};
    uint32_t b = ir_new_block(&func);
    ir_value base = op(&func, b, IR_ARGBASE, 0, 0, 0), lane = op(&func, b, IR_LANE, 0, 0, 0),
             two = constant(&func, b, 2);
    ir_value table = op(&func, b, IR_SYMBOL, 0, 0, 0), other = op(&func, b, IR_SYMBOL, 0, 0, 0);
    ir_at(&func, table)->imm = 1;
    ir_at(&func, table)->extra = 4;
    ir_at(&func, other)->imm = 0;
    ir_value index = op(&func, b, IR_AND, lane, constant(&func, b, 1), 0);
    ir_value from = op(&func, b, IR_ADD, table, op(&func, b, IR_SHL, index, two, 0), 0);
    ir_value to = op(&func, b, IR_ADD, base, op(&func, b, IR_SHL, lane, two, 0), 0);
    memory_op(&func, b, IR_STORE, to, memory_op(&func, b, IR_LOAD, from, 0, 0), 0x10000);
    memory_op(&func, b, IR_STORE, base, memory_op(&func, b, IR_LOAD, other, 0, 0), 0x11000);
    compile(&func, &module, &c, false);
    CHECK(c.ok);
    struct cy_section *section = cy_object_add_section(&c.object, ".rodata", CY_SHT_PROGBITS, CY_SHF_ALLOC);
    section->align = 4;
    cy_buf_append(&section->data, words, sizeof(words));
    section->size = sizeof(words);
    uint32_t number = (uint32_t)c.object.sections.count;
    for (size_t i = 0; i < c.object.symbols.count; i++) { /* "table" and "other" were left undefined: they are here */
        struct cy_symbol *symbol = &c.object.symbols.at[i];
        if (strcmp(symbol->name, "table") == 0 || strcmp(symbol->name, "other") == 0) {
            CHECK_EQ(symbol->section, CY_SHN_UNDEF);
            symbol->section = number;
            symbol->value = symbol->name[0] == 'o' ? 12 : 0;
        }
    }
    const struct cy_object *objects[] = {&c.object};
    struct cy_link_job job = {.objects = objects, .object_count = 1, .no_start = true};
    if (CHECK(cy_link(&job, &program, &c.diags))) {
        const struct cy_section *text = cy_object_find_section(&program, ".text"),
                                *rodata = cy_object_find_section(&program, ".rodata");
        CHECK_EQ(text->address, CODE);
        cy_memory_alloc_at(&machine.memory, rodata->address & ~0xfffu, 0x1000, CY_READ | CY_WRITE);
        memcpy(machine.memory.base + rodata->address, rodata->data.data, rodata->size);
        fill_data(data, 7);
        struct cy_buf old = cy_object_find_section(&c.object, ".text")->data;
        cy_object_find_section(&c.object, ".text")->data = text->data;
        CHECK_EQ(run_code(&machine, &c, data, 3), CY_STOP_END);
        cy_object_find_section(&c.object, ".text")->data = old;
        for (unsigned i = 0; i < machine.run.lanes; i++)
            CHECK_EQ(harness_word(&machine, DATA + 0x10000 + 4 * i), words[1 + i % 2]);
        CHECK_EQ(harness_word(&machine, DATA + 0x11000), 44);
    } else {
        fputs(c.diags.text.data, stderr);
    }
    cy_object_free(&program);
    compiled_free(&c);
    cy_vec_free(&module.symbols);
    free_func(&func);
}

/* ---- the checker ---- */

/* Moves a register to another place.  Whatever the checker accepts must still compute the right result. */
static void mutate(struct rng *rng, struct mir_func *mir)
{
    uint32_t victim = rng_below(rng, (uint32_t)mir->vregs.count), other = rng_below(rng, (uint32_t)mir->vregs.count);
    for (uint32_t tries = 0; tries < 1000; tries++) {
        const struct mir_vreg *a = &mir->vregs.at[victim], *b = &mir->vregs.at[other];
        if (a->physical >= 0 && b->physical >= 0 && a->class == b->class && a->physical != b->physical)
            break;
        victim = rng_below(rng, (uint32_t)mir->vregs.count);
        other = rng_below(rng, (uint32_t)mir->vregs.count);
    }
    uint32_t leader = mir_index(mir_leader(mir, (mir_reg)(MIR_FIRST_VREG + victim)));
    int16_t place = mir->vregs.at[other].physical;
    for (uint32_t v = 0; v < mir->vregs.count; v++)
        if (mir_index(mir_leader(mir, (mir_reg)(MIR_FIRST_VREG + v))) == leader)
            mir->vregs.at[v].physical = place;
}

static void test_checker(void)
{
    unsigned rejected = 0, accepted = 0, scalar = 0;
    for (uint64_t seed = 1; seed < 1500; seed++) {
        struct ir_func func;
        struct gen gen;
        struct mir_func mir = {0};
        struct compiled c = {.object = {.machine = CY_EM_RISCV}};
        struct cy_arena arena = {0};
        struct rng rng = {seed};
        struct ir_module module = {.private_align = 4};
        if (seed % 3 == 0) { /* something to call */
            ir_random_function(&gen, &func, &module, 0, "f", seed + 1, 0);
            *cy_vec_push(&module.funcs) = func;
            c.ok = true;
            compile_one(&module.funcs.at[0], &module, &c, false);
            cy_backend_stats_free(&c.stats);
        }
        ir_random(&gen, &func, &module, "k", seed, 0, 0);
        ir_analyse_cfg(&func);
        ir_analyse_uniformity(&func);
        bool ok = CHECK(mir_select(&func, &module, &mir, &c.diags)) && CHECK(mir_allocate(&mir, NULL, &c.diags));
        CHECK(ok && !mir_validate(&mir, &arena));
        mutate(&rng, &mir);
        const char *wrong = mir_validate(&mir, &arena);
        rejected += wrong != NULL;
        scalar += wrong && strstr(wrong, "is live into block");
        if (!wrong) {
            accepted++;
            fill_data(data, seed);
            memcpy(expected, data, sizeof(data));
            CHECK(run_ir(&func, &module, expected, machine.run.lanes));
            CHECK(mir_emit(&mir, &func, &c.object, &c.stats, NULL, &c.diags));
            enum cy_stop stop = run_code(&machine, &c, data, seed);
            if (!CHECK(stop == CY_STOP_END && first_difference(&machine, expected) < 0))
                fprintf(stderr, "seed %" PRIu64 ": the checker let a wrong allocation pass\n", seed);
        }
        mir_free(&mir);
        cy_arena_free(&arena);
        compiled_free(&c);
        free_func(&func);
        ir_module_free(&module);
    }
    printf("checker: %u rejected (%u for divergence alone), %u accepted\n", rejected, scalar, accepted);
    CHECK(rejected > 500 && accepted > 50 && scalar > 5);
}

/* The loop of temporal.c: lanes that store i wait while the others start the next iteration.
 *
 *     for (i = 0; ; i = next) {
 *         next = i + 1;
 *         if (lane < i) { output[lane] = i; if (lane & 1) break; }
 *         if (next >= 10) break;
 *     } */
static ir_value make_temporal(struct ir_func *func)
{
    *func = (struct ir_func){.name = "temporal"};
    uint32_t entry = ir_new_block(func), loop = ir_new_block(func), side = ir_new_block(func),
             latch = ir_new_block(func), out = ir_new_block(func);
    ir_value base = op(func, entry, IR_ARGBASE, 0, 0, 0), lane = op(func, entry, IR_LANE, 0, 0, 0);
    ir_value one = constant(func, entry, 1), zero = constant(func, entry, 0);
    ir_value address = op(func, entry, IR_ADD, base, op(func, entry, IR_SHL, lane, constant(func, entry, 2), 0), 0);
    ir_set_jump(func, entry, loop);
    pred(func, loop, entry);
    pred(func, loop, latch);
    ir_value i = phi(func, loop, zero, 0), next = op(func, loop, IR_ADD, i, one, 0);
    func->phi_args.at[ir_at(func, i)->args[0] + 1] = next;
    ir_set_branch(func, loop, op(func, loop, IR_LTU, lane, i, 0), side, latch);
    pred(func, side, loop);
    memory_op(func, side, IR_STORE, address, i, 0x10000);
    ir_set_branch(func, side, op(func, side, IR_AND, lane, one, 0), out, latch);
    pred(func, latch, loop);
    pred(func, latch, side);
    ir_set_branch(func, latch, op(func, latch, IR_LTU, next, constant(func, latch, 10), 0), loop, out);
    pred(func, out, side);
    pred(func, out, latch);
    return i;
}

/* A scalar that the other side of a divergent branch overwrites: the analysis avoids it, and without the analysis the
 * checker finds it. */
static void test_temporal(void)
{
    struct ir_func func;
    struct mir_func mir = {0};
    struct cy_diags diags = {0};
    struct cy_arena arena = {0};
    make_temporal(&func);
    same_as_ir(&func, "temporal");
    ir_value i = make_temporal(&func);
    ir_analyse_cfg(&func);
    ir_analyse_uniformity(&func);
    CHECK(ir_at(&func, i)->is_divergent);
    for (ir_value v = 1; v < func.insns.count; v++)
        if (v == i || (ir_at(&func, v)->op == IR_ADD && ir_at(&func, v)->args[0] == i))
            ir_at(&func, v)->is_divergent = 0;
    CHECK(mir_select(&func, NULL, &mir, &diags) && !mir_validate_code(&mir, &arena));
    CHECK(!mir_allocate(&mir, NULL, &diags)); /* the row of passes.def wants its result validated */
    CHECK(strstr(diags.text.data, "after regalloc") && strstr(diags.text.data, "overwrite it"));
    const char *wrong = mir_validate(&mir, &arena);
    CHECK(wrong && strstr(wrong, "overwrite it"));
    mir_free(&mir);
    cy_arena_free(&arena);
    cy_diags_free(&diags);
    free_func(&func);
}

/* Each validator finds its kind of error. */
static void test_validators(void)
{
    struct ir_func func;
    struct mir_func mir = {0};
    struct cy_diags diags = {0};
    struct cy_arena arena = {0};
    ir_value i = make_temporal(&func), next = func.phi_args.at[ir_at(&func, i)->args[0] + 1];
    ir_analyse_cfg(&func);
    ir_analyse_uniformity(&func);
    CHECK(!ir_validate(&func, &arena) && !ir_validate_uniformity(&func, &arena));
    struct ir_insn saved = *ir_at(&func, next);
    ir_at(&func, next)->args[1] = next;
    CHECK(ir_validate(&func, &arena) && strstr(ir_validate(&func, &arena), "before it is defined"));
    *ir_at(&func, next) = saved;
    ir_at(&func, next)->is_divergent = 0; /* depends on i, which is not uniform */
    CHECK(ir_validate_uniformity(&func, &arena));
    *ir_at(&func, next) = saved;
    func.blocks.at[1].is_divergent_branch = false;
    CHECK(ir_validate_uniformity(&func, &arena));
    func.blocks.at[1].is_divergent_branch = true;
    CHECK(!ir_validate_uniformity(&func, &arena) && mir_select(&func, NULL, &mir, &diags));
    CHECK(!mir_validate_code(&mir, &arena));
    for (size_t b = 0; b < mir.order.count; b++) { /* without its first instruction some block lacks a register */
        struct mir_block *block = &mir.blocks.at[mir.order.at[b]];
        if (!block->insns.count || mir_validate_code(&mir, &arena))
            continue;
        block->insns.at[0] = mir_make(MIR_COPY, 2, (int32_t[]){mir_new_reg(&mir, MIR_S), MIR_X0});
    }
    CHECK(mir_validate_code(&mir, &arena) && strstr(mir_validate_code(&mir, &arena), "not written on every path"));
    mir.vregs.at[0].class = !mir.vregs.at[0].class;
    CHECK(mir_validate_code(&mir, &arena) && strstr(mir_validate_code(&mir, &arena), "is not a"));
    ir_value call = op(&func, 0, IR_CALL, 0, 0, 0);
    ir_at(&func, call)->extra = 1;
    CHECK(strstr(ir_validate(&func, &arena), "does not find its argument 0"));
    mir_free(&mir);
    cy_arena_free(&arena);
    cy_diags_free(&diags);
    free_func(&func);
}

/* A callee more than 1 MiB away. */
static void test_far_call(void)
{
    struct ir_module module = {.private_align = 4};
    struct ir_func func = {.name = "far"}, callee = {.name = "callee", .is_function = true, .params = 1, .results = 1};
    struct compiled c = {.object = {.name = "test", .machine = CY_EM_RISCV, .type = CY_ET_REL}, .ok = true};
    uint32_t b = ir_new_block(&callee);
    ir_value parameter = op(&callee, b, IR_PARAM, 0, 0, 0);
    ir_value tripled = op(&callee, b, IR_MUL, parameter, constant(&callee, b, 3), 0);
    op(&callee, b, IR_RETVAL, tripled, 0, 0);
    *cy_vec_push(&module.funcs) = callee;
    b = ir_new_block(&func);
    ir_value base = op(&func, b, IR_ARGBASE, 0, 0, 0), lane = op(&func, b, IR_LANE, 0, 0, 0);
    ir_value address = op(&func, b, IR_ADD, base, op(&func, b, IR_SHL, lane, constant(&func, b, 2), 0), 0);
    op(&func, b, IR_ARG, lane, 0, 0);
    ir_value call = op(&func, b, IR_CALL, 0, 0, 0);
    ir_at(&func, call)->extra = 1;
    memory_op(&func, b, IR_STORE, address, op(&func, b, IR_RESULT, call, 0, 0), 0x10000);
    *cy_vec_push(&func.callees) = 0;
    compile_one(&module.funcs.at[0], &module, &c, false);
    cy_backend_stats_free(&c.stats);
    cy_buf_zeros(&cy_object_find_section(&c.object, ".text")->data, 1 << 20);
    compile_one(&func, &module, &c, false);
    fill_data(data, 7);
    if (CHECK(c.ok) && CHECK_EQ(run_code(&machine, &c, data, 3), CY_STOP_END))
        for (unsigned i = 0; i < machine.run.lanes; i++)
            CHECK_EQ(harness_word(&machine, DATA + 0x10000 + 4 * i), 3 * i);
    CHECK_EQ(c.stats.calls, 1);
    compiled_free(&c);
    free_func(&func);
    ir_module_free(&module);
}

int main(void)
{
    if (!harness_init(&machine, CY_GEN1, 32))
        return 1;
    test_shared_cas();
    test_exponential();
    test_effects();
    test_too_much();
    test_endless();
    test_symbols();
    test_checker();
    test_temporal();
    test_validators();
    test_far_call();
    harness_close(&machine);
    return test_finish();
}
