/* The text form: functions are printed, read, and printed again, which gives the same text and the same function.  There is a function for
 * each operation, made from its row; functions written by hand, with everything that blocks and tables can have; and random ones.
 * Texts that are wrong get a message that points at the place. */
#include "support/test.h"

#include "isa/isa.h"
#include "random.h"
#include "same.h"

/* ---- there and back ---- */

static bool comes_back(struct cy_sir_func *func)
{
    struct cy_buf text = {0}, second = {0};
    struct cy_diags diags = {0};
    const char *wrong = cy_sir_validate(func);
    cy_sir_print(func, &text);
    bool ok = CHECK_STR(wrong, NULL);
    struct cy_sir_func *again = cy_sir_read("again.sir", text.data, text.size, &diags);
    ok = CHECK(again != NULL) && ok;
    if (again) {
        cy_sir_print(again, &second);
        ok = CHECK_STR(second.data, text.data) && CHECK(same_func(func, again)) && ok;
        ok = CHECK_STR(cy_sir_validate(again), NULL) && ok;
    }
    if (!ok)
        fprintf(stderr, "%s%s", text.data, diags.text.data ? diags.text.data : "");
    cy_sir_free(again);
    cy_diags_free(&diags);
    cy_buf_free(&text);
    cy_buf_free(&second);
    return ok;
}

/* ---- each operation ---- */

static enum cy_sir_type argument_type(unsigned op, unsigned nth)
{
    switch (op) {
    case CY_SIR_SELECT: return nth ? CY_SIR_I32 : CY_SIR_I1;
    case CY_SIR_ZEXT:
    case CY_SIR_SEXT:
    case CY_SIR_HTOF:
    case CY_SIR_FWIDEN: return CY_SIR_I16;
    case CY_SIR_TRUNC:
    case CY_SIR_LOW:
    case CY_SIR_HIGH:
    case CY_SIR_FNARROW: return CY_SIR_I64;
    case CY_SIR_SPLIT:
    case CY_SIR_ANY:
    case CY_SIR_ALL:
    case CY_SIR_POPCOUNT:
    case CY_SIR_FIRST: return CY_SIR_I1;
    default: return CY_SIR_I32;
    }
}

static enum cy_sir_type result_type(unsigned op)
{
    if (cy_sir_ops[op].result == CY_SIR_RESULT_VOID)
        return CY_SIR_VOID;
    if (cy_sir_ops[op].result == CY_SIR_RESULT_BOOL)
        return CY_SIR_I1;
    switch (op) {
    case CY_SIR_ZEXT:
    case CY_SIR_SEXT:
    case CY_SIR_PAIR:
    case CY_SIR_FWIDEN: return CY_SIR_I64;
    case CY_SIR_TRUNC: return CY_SIR_I8;
    case CY_SIR_FTOH:
    case CY_SIR_FNARROW: return CY_SIR_I16;
    default: return CY_SIR_I32;
    }
}

static uint64_t example_imm(unsigned op)
{
    switch (op) {
    case CY_SIR_CONST: return 0xdeadbeef;
    case CY_SIR_SOURCE: return CY_SIR_SOURCE_LDS;
    case CY_SIR_ROW: return CY_OP_vfadd_vv | 2 << 16;
    case CY_SIR_FENCE: return 0x33;
    case CY_SIR_PUT_X:
    case CY_SIR_GET_X: return 63;
    case CY_SIR_PUT_V:
    case CY_SIR_GET_V: return 255;
    case CY_SIR_SET:
    case CY_SIR_GET:
    case CY_SIR_SAVE:
    case CY_SIR_RESTORE:
    case CY_SIR_COUNT:
    case CY_SIR_ISSUE:
    case CY_SIR_SPLIT:
    case CY_SIR_CHECK:
    case CY_SIR_TRAP: return 1;
    default: return 0;
    }
}

static bool has_access(unsigned op)
{
    return cy_sir_ops[op].flags & CY_SIR_FAULTS || op == CY_SIR_PREFETCH;
}

static void add_tables(struct cy_sir_func *func)
{
    func->slots = func->counters = 2;
    func->strip = (struct cy_sir_strip){.lanes = 3, .width = 4};
    for (unsigned i = 0; i < 2; i++) {
        *cy_vec_push(&func->cells) = (struct cy_sir_cell){CY_SIR_I32, i, i ? CY_SIR_NOTHING : 7, i};
        *cy_vec_push(&func->groups) = (struct cy_sir_group){-8, 16, 3, CY_SIR_NEAR, 4};
        *cy_vec_push(&func->codes) = (struct cy_sir_code){4, 12, 16 * i, 20 * i, 2, (uint16_t)i, 0, 3, i};
    }
    *cy_vec_push(&func->accesses) =
        (struct cy_sir_access){.bytes = 4, .rights = 3, .space = CY_SIR_NEAR, .align = 4, .group = 1, .is_apart = true};
}

/* b0 goes to b1 and b2, both go to b3. */
static void add_diamond(struct cy_sir_func *func, cy_sir_value condition)
{
    for (unsigned i = 0; i < 3; i++)
        cy_sir_block_new(func);
    cy_sir_set_branch(func, 0, condition, 1, 2);
    cy_sir_set_jump(func, 1, 3);
    cy_sir_set_jump(func, 2, 3);
    func->blocks.at[3].terminator = CY_SIR_END;
    cy_sir_find_preds(func);
}

static void finish_example(struct cy_sir_func *func, cy_sir_value value, bool has_mask, cy_sir_value mask)
{
    struct cy_sir_insn *insn = cy_sir_at(func, value);
    insn->imm = example_imm(insn->op);
    insn->pc = 0x80000000u + insn->op;
    insn->variable = insn->op % 2 ? CY_SIR_NOTHING : insn->op % 4 ? 63 : 64 + 255;
    insn->access = has_access(insn->op) ? 0 : CY_SIR_NOTHING;
    insn->mask = has_mask ? mask : 0;
}

/* Without an index, if it may be left out, or with all. */
static struct cy_sir_func *example(unsigned op, bool has_all)
{
    struct cy_sir_func *func = cy_sir_new(cy_sir_ops[op].name);
    cy_sir_value of_type[CY_SIR_TYPES] = {0}, args[4];
    add_tables(func);
    func->form = CY_SIR_FORM_VECTOR;
    cy_sir_block_new(func);
    func->blocks.at[0].terminator = CY_SIR_END;
    for (unsigned type = CY_SIR_I1; type < CY_SIR_TYPES; type++)
        of_type[type] = cy_sir_const(func, 0, (enum cy_sir_type)type, UINT64_MAX);
    for (unsigned i = 0; i < 4; i++)
        args[i] = i < cy_sir_ops[op].arguments ? of_type[argument_type(op, i)] : 0;
    const bool may_lack = op == CY_SIR_ROW || (cy_sir_ops[op].arguments > 1 && has_access(op));
    if (!has_all && may_lack)
        args[1] = 0;
    cy_sir_value made;
    if (op == CY_SIR_PHI) {
        add_diamond(func, of_type[CY_SIR_I1]);
        made = cy_sir_phi(func, 3, CY_SIR_I32);
        func->phi_args.at[cy_sir_at(func, made)->args[0]] = of_type[CY_SIR_I32];
        const cy_sir_value second = cy_sir_const(func, 2, CY_SIR_I32, 1);
        func->phi_args.at[cy_sir_at(func, made)->args[0] + 1] = second;
    } else {
        made = cy_sir_append(func, 0, (enum cy_sir_op)op, result_type(op), args[0], args[1], args[2]);
        cy_sir_at(func, made)->args[3] = args[3];
    }
    const bool has_mask = has_all && op != CY_SIR_PHI && !(cy_sir_ops[op].flags & CY_SIR_PURE);
    finish_example(func, made, has_mask, of_type[CY_SIR_I1]);
    return func;
}

static void test_operations(void)
{
    unsigned count = 0;
    for (unsigned op = CY_SIR_NONE + 1; op < CY_SIR_OPS; op++)
        for (unsigned has_all = 0; has_all < 2; has_all++) {
            struct cy_sir_func *func = example(op, has_all);
            count += comes_back(func);
            cy_sir_free(func);
        }
    CHECK_EQ(count, 2 * (CY_SIR_OPS - 1));
}

/* A row of another generation has no name in this one. */
static void test_foreign_row(void)
{
    struct cy_sir_func *func = example(CY_SIR_ROW, true);
    cy_sir_at(func, func->blocks.at[0].list.at[func->blocks.at[0].list.count - 1])->imm = CY_OP_COUNT - 1;
    comes_back(func);
    cy_sir_free(func);
}

/* ---- written by hand ---- */

static void check_same_text(const char *text)
{
    struct cy_diags diags = {0};
    struct cy_buf out = {0};
    struct cy_sir_func *func = cy_sir_read("k.sir", text, strlen(text), &diags);
    if (!CHECK(func != NULL))
        fputs(diags.text.data, stderr);
    if (func) {
        cy_sir_print(func, &out);
        CHECK_STR(out.data, text);
        comes_back(func);
    }
    cy_sir_free(func);
    cy_diags_free(&diags);
    cy_buf_free(&out);
}

static void test_alone(void)
{
    check_same_text("kernel \"k\" simt gen1 local 0 0 0 threads 0 warps 0 private 0 strip 0/0 items 0 row 0\n"
                    "b0:\n"
                    "  %1 = const i1 1\n"
                    "  vbranch %1, b1, b2, join b2, alone\n"
                    "b1: ; from b0\n"
                    "  vbranch %1, b2, b2, join b2, in_order\n"
                    "b2: ; from b0, b1, b1\n"
                    "  vbranch %1, b3, b4, join b4, in_order, alone_first\n"
                    "b3: ; from b2\n"
                    "  jump b4\n"
                    "b4: ; from b2, b3\n"
                    "  end\n");
}

static void test_simt(void)
{
    check_same_text(
        "kernel \"a \\22name\\5c\\0a\" simt gen2 local 8 2 1 threads 8 warps 2 private 64 strip 8/8 items 16 row 8"
        " straddles whole exchanges counters 4 counts insns\n"
        "cell c0 i32 warp !x8\n"
        "cell c1 i64\n"
        "access 0 read 4 near align 4 pc 0x80000120 op vlw12.v word 0x12345678 prefix 0xb offset -16 scale 2 signed"
        " scalar words 4 nth 1\n"
        "access 1 readwrite 8 far align 8 op amoadd.d offset 9223372036854775807 form helper\n"
        "code 0 0x80000100 to 0x8000010c insns 3 vectors 2 branches 1 interpreted 0 looping\n"
        "code 1 0x80000108 to 0x8000010c join 0x80000120 to 0x80000124 insns 0 vectors 0 branches 0 interpreted 0\n"
        "b0: @0x80000100\n"
        "  issue code 0\n"
        "  %1 = const i32 65535\n"
        "  %2 = const i64 0xffffffffffffffff @0x80000104 !v255\n"
        "  %3 = source i32 lds !x0\n"
        "  %9 = load i32 %3, index %1, access 0\n"
        "  %8 = lts i1 %9, %1\n"
        "  split %8, code 1\n"
        "  vbranch %8, b1, b2, join b2, in_order\n"
        "b1: @0x80000110 ; from b0\n"
        "  set c0, %9\n"
        "  %10 = atomic i64 %2, %2, access 1\n"
        "  %11 = const i16 7\n"
        "  jump b2\n"
        "b2: ; from b1, b0\n"
        "  %20 = phi i32 %1 from b1, %9 from b0 !v3\n"
        "  barriersub\n"
        "  barrier\n"
        "  switch %1, 0x80000100 b3, 4 b3, 7 b4\n"
        "b3: preds b2, b4, b2 @0x80000200\n"
        "  trap diverged\n"
        "  unreachable\n"
        "b4: ; from b2\n"
        "  %30 = eq i1 %20, %20\n"
        "  branch %30, b5, b3\n"
        "b5: ; from b4\n"
        "  end\n");
}

static void test_vector(void)
{
    check_same_text(
        "kernel \"k\" vector gen1 local 4 1 1 threads 4 warps 1 private 0 strip 4/4 items 4 row 4 slots 2 counters 1\n"
        "group 0 write near low -4 high 4 align 4\n"
        "access 0 write 4 near align 4 group 0 form row\n"
        "phases b0, b1\n"
        "b0:\n"
        "  %1 = const i32 1\n"
        "  %2 = eq i1 %1, %1\n"
        "  check %1, access 0, group 0\n"
        "  store %1, %1, access 0, mask %2\n"
        "  save %1, slot 1, mask %2\n"
        "  count %1, counter 0\n"
        "  phase 1\n"
        "b1:\n"
        "  %3 = restore i32 slot 1\n"
        "  %4 = row i32 vfadd.vv, %3, %3, none, rounding 3\n"
        "  end\n");
}

/* What may be written, but is not what is printed. */
static void test_freedom(void)
{
    static const char text[] = "; a comment\n\n"
                               "kernel \"k\" simt gen1 row 0 threads 32\n"
                               "b0:\n"
                               "  %7 = const i8 -1 ; all ones\n"
                               "\n"
                               "  %9 = const i32 0x10\n"
                               "  end\n"
                               "---\n"
                               "anything\n";
    struct cy_diags diags = {0};
    struct cy_sir_func *func = cy_sir_read("k.sir", text, strlen(text), &diags);
    if (!CHECK(func != NULL))
        return;
    CHECK_EQ(cy_sir_at(func, 7)->imm, 0xff);
    CHECK_EQ(cy_sir_at(func, 9)->imm, 16);
    CHECK_EQ(func->threads, 32);
    cy_sir_free(func);
    cy_diags_free(&diags);
}

/* ---- random ---- */

static void test_random(void)
{
    enum { FUNCTIONS = 2000 };
    unsigned long ops[CY_SIR_OPS] = {0}, ends[CY_SIR_PHASE + 1] = {0}, joins = 0;
    for (uint64_t seed = 0; seed < FUNCTIONS; seed++) {
        struct cy_sir_func *func = random_sir(seed), *same = random_sir(seed);
        CHECK(same_func(func, same));
        if (!comes_back(func))
            fprintf(stderr, "seed %" PRIu64 "\n", seed);
        for (size_t i = 1; i < func->insns.count; i++)
            ops[func->insns.at[i].op]++;
        for (size_t b = 0; b < func->blocks.count; b++) {
            ends[func->blocks.at[b].terminator]++;
            joins += func->blocks.at[b].in_order;
        }
        cy_sir_free(func);
        cy_sir_free(same);
    }
    static const uint8_t expected[] = {CY_SIR_ADD,    CY_SIR_GEU, CY_SIR_FADD, CY_SIR_FEXP,    CY_SIR_PAIR,
                                       CY_SIR_SELECT, CY_SIR_PHI, CY_SIR_LOAD, CY_SIR_LAST,    CY_SIR_STORE,
                                       CY_SIR_ATOMIC, CY_SIR_GET, CY_SIR_SET,  CY_SIR_BARRIER, CY_SIR_POLL};
    for (size_t i = 0; i < CY_COUNT(expected); i++)
        CHECK(ops[expected[i]] > 100);
    for (unsigned i = CY_SIR_JUMP; i <= CY_SIR_END; i++)
        CHECK(ends[i] > 100);
    CHECK(joins > 100);
}

/* ---- errors ---- */

#define HEAD "kernel \"k\" simt gen1\nb0:\n"
static const struct {
    const char *text, *message;
} errors[] = {
    {"", "e.sir:1:1: error: expected 'kernel'"},
    {"kernel k", "e.sir:1:8: error: expected the kernel's name in quotes"},
    {"kernel \"k", "e.sir:1:8: error: the string does not end, or has a backslash without two digits 0-9a-f"},
    {"kernel \"\\00\" simt gen1", "e.sir:1:8: error: expected a name without a zero byte"},
    {"kernel \"k\" scalar", "e.sir:1:12: error: expected the form: simt or vector"},
    {"kernel \"k\" simt gen3", "e.sir:1:17: error: expected the generation: gen1, gen2, epic or epic_fpga"},
    {"kernel \"k\" simt gen1 lanes 3", "e.sir:1:22: error: expected the end of the line"},
    {"kernel \"k\" simt gen1 strip 4 4", "e.sir:1:30: error: expected '/'"},
    {"kernel \"k\" simt gen1 threads 4294967296", "e.sir:1:30: error: expected a number from 0 to 4294967295"},
    {"kernel \"k\" simt gen1\n", "e.sir:2:1: error: expected a block"},
    {"kernel \"k\" simt gen1\ncells\n", "e.sir:2:1: error: expected cell, group, access, code, phases or a block"},
    {"kernel \"k\" simt gen1\ncell c1 i32\n", "e.sir:2:6: error: expected 0: they are numbered from 0"},
    {"kernel \"k\" simt gen1\ncell c0 f32\n", "e.sir:2:9: error: expected a type: i1, i8, i16, i32 or i64"},
    {"kernel \"k\" simt gen1\ncell c0 i32 !y3\n",
     "e.sir:2:13: error: expected a register: !x and a number, or !v and a number"},
    {"kernel \"k\" simt gen1\ncell c0 i32 !x64\n", "e.sir:2:13: error: expected a number from 0 to 63"},
    {"kernel \"k\" simt gen1\naccess 0 look 4 near\n",
     "e.sir:2:10: error: expected what is done: read, write or readwrite"},
    {"kernel \"k\" simt gen1\naccess 0 read 4 here\n", "e.sir:2:17: error: expected a space: near, far or private"},
    {"kernel \"k\" simt gen1\naccess 0 read 4 near op vnothing.v\n",
     "e.sir:2:25: error: expected the name of an instruction"},
    {"kernel \"k\" simt gen1\naccess 0 read 4 near form best\n", "e.sir:2:27: error: expected a form of access"},
    {"kernel \"k\" simt gen1\ngroup 0 read near high 4\n", "e.sir:2:19: error: expected 'low'"},
    {"kernel \"k\" vector gen1\nphases b3\nb0:\n  end\n", "e.sir:2:8: error: there is no block 3"},
    {"kernel \"k\" simt gen1\nb1:\n", "e.sir:2:1: error: expected b0: blocks are numbered from 0"},
    {HEAD, "e.sir:3:1: error: expected a terminator"},
    {HEAD "b1:\n", "e.sir:3:1: error: block 0 has no terminator"},
    {HEAD "  end\n  end\n", "e.sir:4:3: error: expected a block"},
    {HEAD "  end now\n", "e.sir:3:7: error: expected the end of the line"},
    {HEAD "  jump 1\n", "e.sir:3:8: error: expected a block: b and its number"},
    {HEAD "  jump b7\n", "e.sir:3:8: error: there is no block 7"},
    {HEAD "  branch %1, b0, b0\n", "e.sir:3:10: error: there is no value 1"},
    {HEAD "  %1 = const i1 1\n  vbranch %1, b0, b0\n", "e.sir:4:21: error: expected ','"},
    {HEAD "  %1 = const i1 1\n  vbranch %1, b0, b0, join b0, sorted\n",
     "e.sir:4:32: error: expected in_order, alone or alone_first"},
    {HEAD "  %0 = const i1 1\n", "e.sir:3:3: error: expected a value: % and its number"},
    {HEAD "  %70000 = const i1 1\n", "e.sir:3:3: error: the number of the value is too large for a text of this size"},
    {HEAD "  %1 = const i1 1\n  %1 = const i1 1\n", "e.sir:4:3: error: value 1 is already defined"},
    {HEAD "  %1 = plus i32 %2\n", "e.sir:3:8: error: expected an operation"},
    {HEAD "  add i32 %2, %2\n", "e.sir:3:3: error: 'add' has a result: %number = add"},
    {HEAD "  %1 = barrier\n", "e.sir:3:8: error: 'barrier' has no result"},
    {HEAD "  %1 = add i32 %2, %3\n  end\n", "e.sir:3:16: error: there is no value 2"},
    {HEAD "  %1 = add i32 %1 %1\n", "e.sir:3:19: error: expected ','"},
    {HEAD "  %1 = add i32 1\n", "e.sir:3:16: error: expected a value: % and its number, or none"},
    {HEAD "  %1 = add i32 %1, %1, %1, %1, %1\n",
     "e.sir:3:32: error: expected the end of the line: an instruction has at most four arguments"},
    {HEAD "  %1 = const i32 18446744073709551616\n",
     "e.sir:3:18: error: expected a number from 0 to 18446744073709551615"},
    {HEAD "  %1 = source i32 moon\n", "e.sir:3:19: error: expected a source"},
    {HEAD "  %1 = get i32 3\n", "e.sir:3:16: error: expected a cell: c and its number"},
    {HEAD "  trap door\n", "e.sir:3:8: error: expected a trap: trap, diverged or mixed_barriers"},
    {HEAD "  jump b1\nb1:\n  %2 = phi i32 none b0\n", "e.sir:5:21: error: expected 'from'"},
    {HEAD "  jump b1\nb1: preds b0\n  %2 = phi i32 none from b1\n",
     "e.sir:5:26: error: a different predecessor than before"},
    {HEAD "  jump b1\nb1: preds b0\n  %2 = phi i32\n", "e.sir:5:15: error: expected as many predecessors as before"},
};

static void test_errors(void)
{
    for (size_t i = 0; i < CY_COUNT(errors); i++) {
        struct cy_diags diags = {0};
        struct cy_sir_func *func = cy_sir_read("e.sir", errors[i].text, strlen(errors[i].text), &diags);
        char line[256] = "";
        CHECK(!func);
        CHECK_EQ(diags.errors, 1);
        snprintf(line, sizeof(line), "%.*s", diags.text.data ? (int)strcspn(diags.text.data, "\n") : 0,
                 diags.text.data);
        CHECK_STR(line, errors[i].message);
        cy_sir_free(func);
        cy_diags_free(&diags);
    }
}

TEST_MAIN(test_operations, test_foreign_row, test_simt, test_alone, test_vector, test_freedom, test_random, test_errors)
