/* halves [STEP]: what the device library computes for a conversion of halves, as tests/jit/passes/halves/to.sir has it before the pass, is
 * what htof gives for every half, and ftoh for every STEP-th float. */
#include "support/test.h"

#include "base/file.h"
#include "jit/sir/sir.h"

#include <stdlib.h>
#include <string.h>

enum { HALF = 3, WIDENED = 45, WORD = 50, NARROWED = 90, MOST = 128 }; /* values of that file */

static uint32_t step = 65521;

static struct cy_sir_func *read_function(void)
{
    struct cy_buf text = {0};
    struct cy_diags diags = {0};
    struct cy_sir_func *func = NULL;
    if (CHECK(cy_file_read("tests/jit/passes/halves/to.sir", &text, &diags))) {
        const char *end = strstr(text.data, "--- output");
        func = cy_sir_read("to.sir", text.data, end ? (size_t)(end - text.data) : text.size, &diags);
    }
    CHECK(func && func->insns.count <= MOST);
    cy_buf_free(&text);
    cy_diags_free(&diags);
    return func;
}

/* What is computed behind value `given`, up to `wanted`. */
static uint64_t compute(const struct cy_sir_func *func, cy_sir_value given, uint64_t number, cy_sir_value wanted)
{
    uint64_t values[MOST] = {0};
    bool is_behind = false;
    for (size_t i = 0; i < func->blocks.at[0].list.count; i++) {
        const cy_sir_value value = func->blocks.at[0].list.at[i];
        const struct cy_sir_insn *insn = cy_sir_at(func, value);
        const enum cy_sir_type of = (enum cy_sir_type)cy_sir_at(func, insn->args[insn->op == CY_SIR_SELECT])->type;
        if (insn->op == CY_SIR_CONST)
            values[value] = insn->imm;
        else if (is_behind)
            values[value] = cy_sir_fold((enum cy_sir_op)insn->op, (enum cy_sir_type)insn->type, of,
                                        values[insn->args[0]], values[insn->args[1]], values[insn->args[2]]);
        if (value == wanted)
            break;
        if (value == given)
            values[value] = number, is_behind = true;
    }
    return values[wanted];
}

static void test_from_half(void)
{
    struct cy_sir_func *func = read_function();
    for (uint64_t half = 0; func && half <= UINT16_MAX; half++)
        if (!CHECK_EQ(cy_sir_fold(CY_SIR_HTOF, CY_SIR_I32, CY_SIR_I16, half, 0, 0), compute(func, HALF, half, WIDENED)))
            break;
    cy_sir_free(func);
}

static void test_to_half(void)
{
    struct cy_sir_func *func = read_function();
    for (uint64_t word = 0; func && word <= UINT32_MAX; word += step)
        if (cy_sir_fold(CY_SIR_FTOH, CY_SIR_I16, CY_SIR_I32, word, 0, 0) != compute(func, WORD, word, NARROWED)) {
            CHECK_EQ(word, 0);
            break;
        }
    cy_sir_free(func);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        step = (uint32_t)strtoul(argv[1], NULL, 0);
    test_from_half();
    test_to_half();
    return test_finish();
}
