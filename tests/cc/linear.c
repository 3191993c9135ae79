/* Kernels of growing size through all passes after LLVM.  It checks nothing itself: linear.py runs it under callgrind
 * and compares the instruction counts of each size.
 *
 *     linear SHAPE SIZE... */
#include "cc/run_passes.h"
#include "cc/ir/optimise.h"

#include <valgrind/callgrind.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ir_func *func;

static ir_value op(uint32_t block, enum ir_op code, ir_value a, ir_value b, ir_value c)
{
    ir_value value = ir_append(func, block, code, a, b, c);
    ir_at(func, value)->line = value;
    return value;
}

static ir_value number(uint32_t block, uint32_t constant)
{
    ir_value value = op(block, IR_CONST, 0, 0, 0);
    ir_at(func, value)->imm = (int32_t)constant;
    return value;
}

static ir_value load(uint32_t block, ir_value address, unsigned index)
{
    ir_value value = op(block, IR_LOAD, address, 0, 0);
    ir_at(func, value)->imm = 4;
    ir_at(func, value)->extra = (int32_t)(4 * index);
    return value;
}

static void store(uint32_t block, ir_value address, unsigned index, ir_value what)
{
    ir_value value = op(block, IR_STORE, address, what, 0);
    ir_at(func, value)->imm = 4;
    ir_at(func, value)->extra = (int32_t)(4 * index);
}

static ir_value phi(uint32_t block, ir_value first, ir_value second)
{
    ir_value value = op(block, IR_PHI, (ir_value)func->phi_args.count, 0, 0);
    *cy_vec_push(&func->phi_args) = first;
    *cy_vec_push(&func->phi_args) = second;
    return value;
}

static void jump(uint32_t from, uint32_t to)
{
    ir_set_jump(func, from, to);
    *cy_vec_push(&func->blocks.at[to].preds) = from;
}

static void branch(uint32_t from, ir_value condition, uint32_t then, uint32_t otherwise)
{
    ir_set_branch(func, from, condition, then, otherwise);
    *cy_vec_push(&func->blocks.at[then].preds) = from;
    *cy_vec_push(&func->blocks.at[otherwise].preds) = from;
}

/* The common start of every kernel: a uniform address, and one per lane. */
static uint32_t begin(ir_value *uniform, ir_value *own)
{
    uint32_t entry = ir_new_block(func);
    *uniform = load(entry, op(entry, IR_ARGBASE, 0, 0, 0), 0);
    ir_value lane = op(entry, IR_LANE, 0, 0, 0);
    *own = op(entry, IR_ADD, *uniform, op(entry, IR_SHL, lane, number(entry, 12), 0), 0);
    return entry;
}

/* ---- the shapes ---- */

static void straight(unsigned size)
{
    ir_value uniform, own;
    uint32_t b = begin(&uniform, &own);
    ir_value t = load(b, own, 0);
    for (unsigned i = 0; i < size; i++) {
        t = op(b, IR_MUL, t, number(b, 2 * i + 3), 0);
        t = op(b, IR_ADD, t, load(b, uniform, i % 64), 0);
        store(b, own, i % 64, t);
    }
}

/* a sequence of ifs; their conditions are loaded from memory that is uniform or not */
static void chain(unsigned size, bool is_uniform)
{
    ir_value uniform, own;
    uint32_t b = begin(&uniform, &own);
    ir_value t = load(b, own, 0);
    for (unsigned i = 0; i < size; i++) {
        uint32_t then = ir_new_block(func), join = ir_new_block(func);
        ir_value condition = is_uniform ? load(b, uniform, i % 64) : t;
        branch(b, op(b, IR_AND, condition, number(b, 1), 0), then, join);
        ir_value more = op(then, IR_MUL, t, number(then, i + 3), 0);
        jump(then, join);
        t = phi(join, t, more);
        b = join;
    }
    store(b, own, 0, t);
}
static void divergent_ifs(unsigned size)
{
    chain(size, false);
}
static void uniform_ifs(unsigned size)
{
    chain(size, true);
}

/* if in if in if */
static void nested_ifs(unsigned size)
{
    ir_value uniform, own;
    uint32_t *blocks = malloc((size + 1) * sizeof(*blocks));
    blocks[0] = begin(&uniform, &own);
    for (unsigned i = 0; i < size; i++)
        blocks[i + 1] = ir_new_block(func);
    uint32_t last = blocks[size];
    store(last, own, 1, uniform);
    for (unsigned i = size; i-- > 0;) {
        uint32_t b = blocks[i], join = ir_new_block(func);
        ir_value loaded = load(b, own, i % 512);
        branch(b, op(b, IR_LTS, loaded, number(b, i), 0), blocks[i + 1], join);
        jump(last, join);
        store(join, own, i % 512, number(join, i));
        last = join;
    }
    free(blocks);
}

static void loops(unsigned size)
{
    ir_value uniform, own;
    uint32_t b = begin(&uniform, &own);
    for (unsigned i = 0; i < size; i++) {
        uint32_t body = ir_new_block(func), out = ir_new_block(func);
        ir_value zero = number(b, 0);
        jump(b, body);
        ir_value k = phi(body, zero, 0);
        ir_value next = op(body, IR_ADD, k, number(body, 1), 0);
        func->phi_args.at[func->phi_args.count - 1] = next;
        store(body, own, i % 512, k);
        branch(body, op(body, IR_LTS, next, load(body, own, i % 500), 0), body, out);
        b = out;
    }
}

/* values that are live from top to bottom */
static void live(unsigned size)
{
    ir_value uniform, own, *values = malloc(size * sizeof(*values));
    uint32_t b = begin(&uniform, &own);
    for (unsigned i = 0; i < size; i++)
        values[i] = load(b, own, i % 512);
    op(b, IR_BARRIER, 0, 0, 0);
    for (unsigned i = 0; i < size; i++)
        store(b, own, i % 512, op(b, IR_MUL, values[i], values[(7 * i + 3) % size], 0));
    free(values);
}

/* as many variables carried around a loop */
static void phis(unsigned size)
{
    ir_value uniform, own, *first = malloc(size * sizeof(*first)), *carried = malloc(size * sizeof(*carried));
    uint32_t b = begin(&uniform, &own), body = ir_new_block(func), out = ir_new_block(func);
    for (unsigned i = 0; i < size; i++)
        first[i] = load(b, own, i % 512);
    jump(b, body);
    for (unsigned i = 0; i < size; i++)
        carried[i] = phi(body, first[i], 0);
    for (unsigned i = 0; i < size; i++) {
        ir_value product = op(body, IR_MUL, carried[i], number(body, 2 * i + 1), 0);
        ir_value sum = op(body, IR_ADD, product, carried[(i + 1) % size], 0);
        func->phi_args.at[ir_at(func, carried[i])->args[0] + 1] = sum;
    }
    ir_value again = load(body, own, 0);
    branch(body, op(body, IR_NE, again, number(body, 0), 0), body, out);
    for (unsigned i = 0; i < size; i++)
        store(out, own, i % 512, carried[i]);
    free(first);
    free(carried);
}

/* one block that many branches lead to, with a value from each */
static void meeting(unsigned size)
{
    ir_value uniform, own, *values = malloc(size * sizeof(*values));
    uint32_t b = begin(&uniform, &own), join = ir_new_block(func);
    ir_value t = load(b, own, 0);
    for (unsigned i = 0; i < size; i++) {
        uint32_t then = ir_new_block(func), next = ir_new_block(func);
        branch(b, op(b, IR_EQ, t, number(b, 3 * i), 0), then, next);
        values[i] = op(then, IR_MUL, t, number(then, i + 5), 0);
        jump(then, join);
        b = next;
    }
    jump(b, join);
    ir_value result = op(join, IR_PHI, (ir_value)func->phi_args.count, 0, 0);
    for (unsigned i = 0; i < size; i++)
        *cy_vec_push(&func->phi_args) = values[i];
    *cy_vec_push(&func->phi_args) = t;
    store(join, own, 0, result);
    free(values);
}

static const struct {
    const char *name;
    void (*make)(unsigned size);
} shapes[] = {
    {"straight", straight},
    {"divergent-ifs", divergent_ifs},
    {"uniform-ifs", uniform_ifs},
    {"nested-ifs", nested_ifs},
    {"loops", loops},
    {"live", live},
    {"phis", phis},
    {"meeting", meeting},
};

/* As compile_function of cc.c does it. */
static bool compile(struct ir_module *module)
{
    struct cy_object object = {.name = "linear", .type = CY_ET_REL, .machine = CY_EM_RISCV};
    struct cy_diags diags = {0};
    struct backend_stats stats;
    ir_analyse_cfg(func);
    const char *wrong = ir_validate(func, &module->arena);
    ir_optimise(func);
    wrong = wrong ? wrong : ir_validate(func, &module->arena);
    ir_analyse_uniformity(func);
    wrong = wrong ? wrong : ir_validate_uniformity(func, &module->arena);
    bool ok = !wrong && cy_backend(func, module, &object, &stats, NULL, NULL, &diags);
    if (!ok)
        fprintf(stderr, "%s%s\n", wrong ? wrong : "", diags.text.data ? diags.text.data : "");
    else
        cy_backend_stats_free(&stats);
    cy_object_free(&object);
    cy_diags_free(&diags);
    return ok;
}

int main(int argc, char **argv)
{
    bool ok = argc > 2;
    for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
        for (int i = 2; i < argc && ok && !strcmp(argv[1], shapes[s].name); i++) {
            struct ir_module module = {0};
            func = cy_vec_push(&module.funcs);
            *func = (struct ir_func){.name = "kernel"};
            shapes[s].make((unsigned)atoi(argv[i]));
            CALLGRIND_ZERO_STATS;
            ok = compile(&module);
            CALLGRIND_DUMP_STATS;
            ir_module_free(&module);
        }
    return !ok;
}
