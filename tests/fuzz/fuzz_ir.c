/* The reader of the IR's text on anything at all, and the passes on what is left of a function when some of its operations,
 * arguments, numbers and edges are changed (a change of single bytes seldom leaves a valid one).  Either there is a message, or functions that are valid, print, read and
 * print the same again, and go through every pass to code without an internal error: only a text that asks for too much
 * may be refused. */
#include "cc/run_passes.h"
#include "fuzz/fuzz.h"

#include <string.h>

enum { MOST_VALUES = 2000 }; /* the passes' time is tested elsewhere */

static void print_again(const struct ir_module *module, struct cy_buf *text)
{
    struct ir_module again = {0};
    struct cy_diags diags = {0};
    struct cy_buf second = {0};
    ir_print_module(module, text);
    FUZZ_CHECK(ir_read("again.ir", text->data ? text->data : "", text->size, &again, &diags));
    ir_print_module(&again, &second);
    FUZZ_CHECK(text->size == second.size && (!text->size || !memcmp(text->data, second.data, text->size)));
    ir_module_free(&again);
    cy_diags_free(&diags);
    cy_buf_free(&second);
}

static void compile(struct ir_module *module, int level, const char *text)
{
    struct cy_object object = {.name = "fuzz", .machine = CY_EM_RISCV, .type = CY_ET_REL};
    struct cy_diags diags = {0};
    struct cc_pipeline pipeline = {.optimize = level};
    uint32_t *order = cy_xrealloc(NULL, (module->funcs.count + 1) * sizeof(*order));
    FUZZ_CHECK(!ir_order_funcs(module, order));
    bool ok = true;
    for (size_t i = 0; i < module->funcs.count && ok; i++) {
        struct backend_stats stats = {0};
        struct cc_unit unit = {.pipeline = &pipeline,
                               .func = &module->funcs.at[order[i]],
                               .module = module,
                               .object = &object,
                               .stats = &stats,
                               .diags = &diags};
        ok = cc_run_passes(&unit, PASS_import, PASS_emit);
        if (!ok)
            fprintf(stderr, "%s%s", text, diags.text.data);
        FUZZ_CHECK(ok);
        cy_backend_stats_free(&stats);
    }
    cy_free(order);
    cy_object_free(&object);
    cy_diags_free(&diags);
}

static uint32_t draw(uint64_t *state, uint32_t limit)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % limit;
}

static void change_argument(const struct ir_func *func, struct ir_insn *insn, uint64_t *state)
{
    uint32_t which = draw(state, ir_ops[insn->op].arguments);
    insn->args[which] = 1 + draw(state, (uint32_t)func->insns.count - 1);
}

static void change_func(struct ir_func *func, uint64_t *state)
{
    for (size_t i = 1; i < func->insns.count; i++) {
        struct ir_insn *insn = &func->insns.at[i];
        if (insn->op == IR_NONE || insn->op == IR_PHI || insn->op >= IR_PARAM || draw(state, 6))
            continue;
        uint32_t what = draw(state, 4), op = 1 + draw(state, IR_COUNT - 1);
        if (what == 0 && op < IR_PARAM && op != IR_AMO && op != IR_SYMBOL && op != IR_PHI &&
            ir_ops[op].arguments == ir_ops[insn->op].arguments)
            insn->op = (uint16_t)op;
        else if (what == 1 && insn->op != IR_SYMBOL && insn->op != IR_AMO)
            insn->imm = draw(state, 2) ? (int32_t)draw(state, 64) - 32 : (int32_t)(draw(state, UINT32_MAX) * 2u);
        else if (what == 2)
            insn->extra = (int32_t)draw(state, 8192) - 4096;
        else if (ir_ops[insn->op].arguments)
            change_argument(func, insn, state);
    }
    for (size_t b = 0; b < func->blocks.count; b++)
        if (func->blocks.at[b].terminator == IR_BRANCH && !draw(state, 4)) {
            uint32_t other = func->blocks.at[b].succ[0];
            func->blocks.at[b].succ[0] = func->blocks.at[b].succ[1];
            func->blocks.at[b].succ[1] = other;
        }
}

/* The changed functions are printed and read, so that the reader decides what is valid. */
static void compile_changed(struct ir_module *module, uint64_t seed)
{
    struct cy_buf text = {0}, printed = {0};
    struct cy_diags diags = {0};
    struct ir_module changed = {0};
    for (size_t i = 0; i < module->funcs.count; i++)
        change_func(&module->funcs.at[i], &seed);
    ir_print_module(module, &text);
    if (ir_read("changed.ir", text.data ? text.data : "", text.size, &changed, &diags)) {
        print_again(&changed, &printed);
        compile(&changed, seed & 256 ? 2 : 0, text.data ? text.data : "");
    }
    ir_module_free(&changed);
    cy_diags_free(&diags);
    cy_buf_free(&text);
    cy_buf_free(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cy_buf text = {0}, printed = {0};
    struct cy_diags diags = {0};
    struct ir_module module = {0};
    size_t values = 0;
    cy_buf_append(&text, data, size);
    bool ok = ir_read("input.ir", text.data ? text.data : "", text.size, &module, &diags);
    FUZZ_CHECK(ok == !diags.errors);
    for (size_t i = 0; ok && i < module.funcs.count; i++)
        values += module.funcs.at[i].insns.count;
    if (ok)
        print_again(&module, &printed);
    if (ok && values < MOST_VALUES) {
        uint64_t seed = size;
        for (size_t i = 0; i < size; i++)
            seed = (seed ^ data[i]) * 0x100000001b3u;
        struct ir_module copy = {0};
        FUZZ_CHECK(ir_read("copy.ir", text.data ? text.data : "", text.size, &copy, &diags));
        compile_changed(&copy, seed);
        ir_module_free(&copy);
        compile(&module, size % 2 ? 2 : 0, text.data ? text.data : "");
    }
    ir_module_free(&module);
    cy_diags_free(&diags);
    cy_buf_free(&text);
    cy_buf_free(&printed);
    return 0;
}
