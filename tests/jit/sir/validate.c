/* The validator refuses each function of invalid.txt, with its message, and some that no text can say.  What it accepts is
 * tested by text.c, too. */
#include "support/test.h"

#include "base/file.h"
#include "isa/isa.h"
#include "jit/sir/sir.h"

/* ---- texts ---- */

static void check_case(const char *message, size_t length, const char *text, size_t size)
{
    struct cy_diags diags = {0};
    char expected[256];
    snprintf(expected, sizeof(expected), "%.*s", (int)length, message);
    struct cy_sir_func *func = cy_sir_read("invalid.txt", text, size, &diags);
    if (!CHECK(func != NULL))
        fprintf(stderr, "%s: %s", expected, diags.text.data);
    else if (!CHECK_STR(cy_sir_validate(func), strcmp(expected, "valid") != 0 ? expected : NULL))
        fprintf(stderr, "%.*s", (int)size, text);
    cy_sir_free(func);
    cy_diags_free(&diags);
}

static void test_texts(void)
{
    static const char mark[] = "\n=== ";
    struct cy_buf all = {0}, path = {0};
    struct cy_diags diags = {0};
    unsigned count = 0;
    cy_buf_printf(&path, "%s/tests/jit/sir/invalid.txt", getenv("CY_SOURCE") ? getenv("CY_SOURCE") : ".");
    if (!CHECK(cy_file_read(path.data, &all, &diags)))
        return;
    for (const char *at = strstr(all.data, mark); at; count++) {
        const char *message = at + strlen(mark), *text = strchr(message, '\n') + 1;
        at = strstr(text - 1, mark);
        check_case(message, (size_t)(text - 1 - message), text, at ? (size_t)(at + 1 - text) : strlen(text));
    }
    CHECK(count > 90);
    cy_buf_free(&all);
    cy_buf_free(&path);
}

/* ---- what no text can say ---- */

/* b0 has a constant, its copy, and jumps to b1, in which there are a phi and a barrier. */
enum { CONSTANT = 1, COPY, PHI, BARRIER };
static struct cy_sir_func *small(void)
{
    struct cy_sir_func *func = cy_sir_new("small");
    cy_sir_block_new(func);
    cy_sir_block_new(func);
    cy_sir_const(func, 0, CY_SIR_I32, 1);
    cy_sir_append(func, 0, CY_SIR_COPY, CY_SIR_I32, CONSTANT, 0, 0);
    cy_sir_set_jump(func, 0, 1);
    func->blocks.at[1].terminator = CY_SIR_END;
    cy_sir_find_preds(func);
    cy_sir_phi(func, 1, CY_SIR_I32);
    func->phi_args.at[0] = COPY;
    cy_sir_append(func, 1, CY_SIR_BARRIER, CY_SIR_VOID, 0, 0, 0);
    return func;
}

static void expect(struct cy_sir_func *func, const char *message)
{
    CHECK_STR(cy_sir_validate(func), message);
    cy_sir_free(func);
}

static void test_blocks(void)
{
    struct cy_sir_func *func;
    expect(small(), NULL);
    expect(cy_sir_new("empty"), "there is no block");
    func = small(), func->blocks.at[0].succ[0] = 2;
    expect(func, "b0: it goes to a block that does not exist");
    func = small(), func->blocks.at[0].terminator = (enum cy_sir_terminator)9;
    expect(func, "b0: there is no such terminator");
    func = small(), func->blocks.at[0].condition = COPY;
    expect(func, "b0: it has a condition, but does not branch");
    func = small(), func->blocks.at[0].join = 1;
    expect(func, "b0: only vbranch has a join");
    func = small(), func->blocks.at[0].in_order = true;
    expect(func, "b0: only vbranch has a join");
    func = small(), cy_sir_set_vbranch(func, 0, COPY, 1, 1, 2);
    expect(func, "b0: there is no such join");
    func = small(), cy_sir_set_branch(func, 0, 99, 1, 1);
    expect(func, "b0: it branches without a condition");
    func = small(), func->blocks.at[1].preds.at[0] = 77;
    expect(func, "b1: its predecessors are not those that go to it");
    func = small(), func->form = CY_SIR_FORM_VECTOR, *cy_vec_push(&func->phases) = 2;
    func->strip = (struct cy_sir_strip){.lanes = 4, .width = 4};
    expect(func, "phase 0 starts in a block that does not exist");
}

static void test_lists(void)
{
    struct cy_sir_func *func;
    func = small(), *cy_vec_push(&func->blocks.at[1].list) = 99;
    expect(func, "b1: it lists an instruction that does not exist");
    func = small(), *cy_vec_push(&func->blocks.at[1].list) = 0;
    expect(func, "b1: it lists an instruction that does not exist");
    func = small(), cy_sir_at(func, BARRIER)->op = CY_SIR_NONE;
    expect(func, "b1: it lists an instruction without an operation");
    func = small(), cy_sir_at(func, BARRIER)->op = CY_SIR_OPS;
    expect(func, "b1: it lists an instruction without an operation");
    func = small(), *cy_vec_push(&func->blocks.at[1].list) = CONSTANT;
    expect(func, "b1: %1 = const: it is in two blocks, or twice in one");
    func = small(), *cy_vec_push(&func->blocks.at[1].list) = BARRIER;
    expect(func, "b1: instruction 2, barrier: it is in two blocks, or twice in one");
    func = small(), cy_sir_at(func, CONSTANT)->block = 1;
    expect(func, "b0: %1 = const: it is in two blocks, or twice in one");
    func = small();
    const cy_sir_value apart = cy_sir_make(func, CY_SIR_CONST, CY_SIR_I32, 0, 0, 0);
    cy_sir_at(func, COPY)->args[0] = apart;
    expect(func, "b0: %2 = copy: value 5 is used where it need not be defined");
}

static void test_insns(void)
{
    struct cy_sir_func *func;
    func = small(), cy_sir_at(func, COPY)->args[0] = 99;
    expect(func, "b0: %2 = copy: there is no value 99");
    func = small(), cy_sir_at(func, COPY)->args[0] = BARRIER;
    expect(func, "b0: %2 = copy: instruction 4 has no result");
    func = small(), cy_sir_at(func, COPY)->args[3] = CONSTANT;
    expect(func, "b0: %2 = copy: it takes 1 arguments");
    func = small(), cy_sir_at(func, CONSTANT)->type = 17;
    expect(func, "b0: %1 = const: there is no such type");
    func = small(), cy_sir_at(func, BARRIER)->type = CY_SIR_I1;
    expect(func, "b1: instruction 1, barrier: it has no result");
    func = small(), cy_sir_at(func, COPY)->flags = 1;
    expect(func, "b0: %2 = copy: a pass has left its flags");
    func = small(), cy_sir_at(func, COPY)->variable = 64 + 256;
    expect(func, "b0: %2 = copy: there is no such variable");
    func = small(), cy_sir_at(func, PHI)->args[0] = 1;
    expect(func, "b1: %3 = phi: its arguments are not there");
    func = small(), cy_sir_at(func, PHI)->type = CY_SIR_VOID;
    expect(func, "b1: %3 = phi: it needs a type");
    func = small(), func->form = CY_SIR_FORM_VECTOR, func->strip = (struct cy_sir_strip){.lanes = 4, .width = 4};
    cy_sir_at(func, BARRIER)->op = CY_SIR_BARRIERSUB;
    cy_sir_at(func, PHI)->mask = COPY;
    expect(func, "b1: %3 = phi: a phi has no mask");
}

static void test_tables(void)
{
    struct cy_sir_func *func = small();
    func->target = CY_TARGET_COUNT;
    expect(func, "there is no such form, generation or host");
    func = small();
    *cy_vec_push(&func->groups) = (struct cy_sir_group){0, 4, 1, 3, 4};
    expect(func, "group 0: there is no such space");
    func = small();
    *cy_vec_push(&func->accesses) = (struct cy_sir_access){.rights = 1, .bytes = 4, .space = 3};
    expect(func, "access 0: there is no such space");
    func = small();
    *cy_vec_push(&func->accesses) =
        (struct cy_sir_access){.rights = 1, .bytes = 4, .align = 4, .form = 99, .group = CY_SIR_NOTHING};
    expect(func, "access 0: there is no such form of access");
}

TEST_MAIN(test_texts, test_blocks, test_lists, test_insns, test_tables)
