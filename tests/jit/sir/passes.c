/* passes [FIRST COUNT]: random functions give the same memory after each pass as before all of them, and are valid. */
#include "bytes_machine.h"
#include "support/test.h"

#include "jit/transform/transform.h"

#include <stdlib.h>
#include <string.h>

static uint64_t first, count = 400;

/* ---- before and after ---- */

static void show(const char *when, const struct cy_sir_func *func)
{
    struct cy_buf text = {0};
    cy_sir_print(func, &text);
    fprintf(stderr, "---- %s\n%.*s", when, (int)text.size, text.data);
    cy_buf_free(&text);
}

/* False: it is told, and the next passes are left out. */
static bool check_pass(size_t pass, struct cy_sir_func *func, uint64_t seed, const uint8_t *expected)
{
    static uint8_t memory[RANDOM_SIR_BYTES];
    struct cy_sir_fault fault;
    struct cy_sir_func *before = cy_sir_clone(func);
    cy_sir_passes[pass].run(func);
    bool is_right = CHECK_STR(cy_sir_validate(func), NULL);
    is_right = is_right && CHECK_EQ(evaluate_on_bytes(func, seed, memory, &fault), CY_SIR_DONE) &&
               CHECK(memcmp(memory, expected, sizeof(memory)) == 0);
    if (!is_right) {
        fprintf(stderr, "random function %llu: after the pass %s\n", (unsigned long long)seed,
                cy_sir_passes[pass].name);
        show("before", before);
        show("after", func);
    }
    cy_sir_free(before);
    return is_right;
}

static void test_random(void)
{
    static uint8_t expected[RANDOM_SIR_BYTES];
    bool is_right = true;
    for (uint64_t seed = first; seed < first + count && is_right; seed++) {
        struct cy_sir_func *func = random_sir(seed);
        struct cy_sir_fault fault;
        is_right = CHECK_STR(cy_sir_validate(func), NULL) &&
                   CHECK_EQ(evaluate_on_bytes(func, seed, expected, &fault), CY_SIR_DONE);
        for (size_t pass = 0; pass < CY_SIR_PASSES && is_right; pass++)
            is_right = check_pass(pass, func, seed, expected);
        cy_sir_free(func);
    }
}

/* ---- counters ---- */

static void insert_counted(struct cy_sir_func *func, uint32_t block, enum cy_sir_op op, cy_sir_value of, size_t at)
{
    const uint32_t code = (uint32_t)func->codes.count, pc = 0x80000000 + 16 * code;
    const cy_sir_value made = cy_sir_make(func, op, CY_SIR_VOID, of, 0, 0);
    cy_sir_at(func, made)->imm = code;
    cy_sir_insert(func, block, at, made);
    *cy_vec_push(&func->codes) =
        (struct cy_sir_code){pc, pc + 12, 0, 0, 3, (uint16_t)(1 + code % 2), 1, code % 3 == 0, code % 5 < 3};
}

/* Each block issues, and branches where lanes may part are looked at. */
static void add_counting(struct cy_sir_func *func, enum cy_jit_counting counts)
{
    for (uint32_t b = 0; b < func->blocks.count; b++) {
        const struct cy_sir_block *block = &func->blocks.at[b];
        size_t at = 0;
        while (at < block->list.count && cy_sir_at(func, block->list.at[at])->op == CY_SIR_PHI)
            at++;
        insert_counted(func, b, CY_SIR_ISSUE, 0, at);
        block = &func->blocks.at[b];
        if (block->terminator == CY_SIR_VBRANCH)
            insert_counted(func, b, CY_SIR_SPLIT, block->condition, block->list.count);
    }
    func->counts = (uint8_t)counts;
    func->counters = counts == CY_JIT_COUNT_LANES ? CY_JIT_COUNTS : 2 * (uint32_t)func->codes.count;
}

static bool same_counters(const struct cy_sir_func *func, const uint64_t *expected, const uint64_t *got)
{
    bool is_same = true;
    for (uint32_t i = 0; i < func->counters && is_same; i++)
        if (!(is_same = CHECK_EQ(got[i], expected[i])))
            fprintf(stderr, "counter %u\n", i);
    return is_same;
}

static bool check_counts(struct cy_sir_func *func, uint64_t seed)
{
    static uint8_t memory[RANDOM_SIR_BYTES];
    struct cy_sir_fault fault;
    const size_t bytes = func->counters * sizeof(uint64_t);
    uint64_t *expected = memset(cy_xrealloc(NULL, bytes), 0, bytes), *got = cy_xrealloc(NULL, bytes);
    struct cy_sir_func *before = cy_sir_clone(func);
    bool is_right = CHECK_STR(cy_sir_validate(func), NULL) &&
                    CHECK_EQ(count_on_bytes(func, seed, memory, expected, &fault), CY_SIR_DONE);
    for (size_t pass = 0; pass < CY_SIR_PASSES && is_right; pass++) {
        cy_sir_passes[pass].run(func);
        memset(got, 0, bytes);
        is_right = CHECK_STR(cy_sir_validate(func), NULL) &&
                   CHECK_EQ(count_on_bytes(func, seed, memory, got, &fault), CY_SIR_DONE) &&
                   same_counters(func, expected, got);
        if (!is_right) {
            fprintf(stderr, "counting in random function %llu: after the pass %s\n", (unsigned long long)seed,
                    cy_sir_passes[pass].name);
            show("before all", before);
            show("after", func);
        }
    }
    cy_free(expected);
    cy_free(got);
    cy_sir_free(before);
    return is_right;
}

static void test_counting(void)
{
    bool is_right = true;
    for (uint64_t seed = first; seed < first + count && is_right; seed++) {
        struct cy_sir_func *func = random_sir(seed);
        add_counting(func, seed % 2 ? CY_JIT_COUNT_LANES : CY_JIT_COUNT_INSNS);
        is_right = check_counts(func, seed);
        cy_sir_free(func);
    }
}

/* Each side appends its digit to the warp's variable: fewer lanes first, inner sides before the outer one that waits. */
static const char in_order[] = "kernel \"order\" simt gen1 local 8 1 1 threads 8 warps 1 strip 8/8 items 8 row 8\n"
                               "cell c0 i32 warp\n"
                               "access 0 write 4 near align 4\n"
                               "b0:\n"
                               "  %1 = source i32 item\n"
                               "  %2 = source i32 lds\n"
                               "  %3 = const i32 3\n"
                               "  %4 = const i32 10\n"
                               "  %5 = const i32 1\n"
                               "  %6 = const i32 2\n"
                               "  %7 = geu i1 %1, %3\n"
                               "  %8 = ltu i1 %1, %5\n"
                               "  vbranch %7, b1, b2, join b5, in_order\n"
                               "b1:\n"
                               "  %9 = get i32 c0\n"
                               "  %10 = mul i32 %9, %4\n"
                               "  %11 = add i32 %10, %3\n"
                               "  set c0, %11\n"
                               "  jump b5\n"
                               "b2:\n"
                               "  vbranch %8, b3, b4, join b5, in_order\n"
                               "b3:\n"
                               "  %12 = get i32 c0\n"
                               "  %13 = mul i32 %12, %4\n"
                               "  %14 = add i32 %13, %5\n"
                               "  set c0, %14\n"
                               "  jump b5\n"
                               "b4:\n"
                               "  %15 = get i32 c0\n"
                               "  %16 = mul i32 %15, %4\n"
                               "  %17 = add i32 %16, %6\n"
                               "  set c0, %17\n"
                               "  jump b5\n"
                               "b5:\n"
                               "  %18 = get i32 c0\n"
                               "  store %2, %18, access 0\n"
                               "  end\n";

static void test_order(void)
{
    static uint8_t memory[RANDOM_SIR_BYTES];
    struct cy_diags diags = {0};
    struct cy_sir_fault fault;
    struct cy_sir_func *func = cy_sir_read("order.sir", in_order, strlen(in_order), &diags);
    if (!CHECK(func != NULL)) {
        fputs(diags.text.data, stderr);
        return;
    }
    for (size_t pass = 0; pass <= CY_SIR_PASSES; pass++) {
        uint32_t digits;
        CHECK_STR(cy_sir_validate(func), NULL);
        CHECK_EQ(evaluate_on_bytes(func, 1, memory, &fault), CY_SIR_DONE);
        memcpy(&digits, memory, sizeof(digits));
        CHECK_EQ(digits, 123);
        if (pass < CY_SIR_PASSES)
            cy_sir_passes[pass].run(func);
    }
    cy_sir_free(func);
    cy_diags_free(&diags);
}

/* What compares them would see a pass that is wrong: this changes what masks has made. */
static void check_wrong(void (*spoil)(struct cy_sir_insn *insn))
{
    static uint8_t expected[RANDOM_SIR_BYTES], memory[RANDOM_SIR_BYTES];
    unsigned found = 0;
    for (uint64_t seed = 0; seed < 200 && !found; seed++) {
        struct cy_sir_func *func = random_sir(seed);
        struct cy_sir_fault fault;
        evaluate_on_bytes(func, seed, expected, &fault);
        cy_sir_pass_masks(func);
        for (size_t i = 1; i < func->insns.count; i++)
            spoil(&func->insns.at[i]);
        const enum cy_sir_outcome outcome = evaluate_on_bytes(func, seed, memory, &fault);
        found += outcome != CY_SIR_DONE || memcmp(memory, expected, sizeof(memory)) != 0;
        cy_sir_free(func);
    }
    CHECK(found);
}

/* Values that waiting lanes need are overwritten. */
static void forget_mask(struct cy_sir_insn *insn)
{
    insn->mask = insn->op == CY_SIR_SET ? 0 : insn->mask;
}

/* The version for all lanes is chosen although some wait, or do not exist. */
static void choose_full(struct cy_sir_insn *insn)
{
    insn->op = insn->op == CY_SIR_ALL ? CY_SIR_ANY : insn->op;
}

static void test_wrong_pass(void)
{
    check_wrong(forget_mask);
    check_wrong(choose_full);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        first = strtoull(argv[1], NULL, 0);
        count = strtoull(argv[2], NULL, 0);
    }
    test_random();
    test_counting();
    test_order();
    test_wrong_pass();
    return test_finish();
}
