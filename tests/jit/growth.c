/* What LLVM is given grows with the kernel, not faster: its IR for sixty loops is three times that for twenty, and none of its functions
 * is longer for two hundred.  And what is made of it: a tree of comparisons that lanes go through alone is a table of jumps. */
#include "gpu_device/guest.h"
#include "jit/translate/translate.h"

#include <string.h>

static size_t lines, longest, cases; /* of the last kernel's IR, of its longest function, and of its tables */
static bool is_optimised;
static const char *settings = "engine=jit";

static bool translate(void *context, const void *request, size_t size, void **image, size_t *image_size, char *why,
                      size_t room)
{
    struct cy_buf text = {0}, reason = {0};
    (void)context, (void)image, (void)image_size;
    size_t length = 0;
    lines = longest = cases = 0;
    if (!CHECK(cy_jit_print_ir(request, size, is_optimised, &text, &reason)))
        fprintf(stderr, "%s\n", reason.data ? reason.data : "");
    for (const char *at = text.data; at && (at = strstr(at, ", label %case")); at++)
        cases++;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '\n')
            continue;
        lines++;
        length = i && text.data[i - 1] == '}' ? 0 : length + 1;
        longest = length > longest ? length : longest;
    }
    cy_buf_free(&text);
    cy_buf_free(&reason);
    snprintf(why, room, "it was only tried");
    return false;
}

/* Translates a kernel, which ends with a store of v3. */
static void translate_kernel(struct cy_buf *text)
{
    struct cy_device *device = guest_device(settings);
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    uint32_t buffer;
    cy_buf_puts(text, "    vsw12.v v3, 0(v1)\n" GUEST_END);
    cy_device_set_translator(device, &(struct cy_translator){.translate = translate});
    struct cy_program *program = guest_program(device, text->data);
    CHECK_EQ(cy_device_alloc(device, 4096, 0, &buffer), CY_OK);
    cy_arguments_pointer(arguments, buffer);
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .dimensions = 1,
                                  .global = {64, 1, 1},
                                  .local = {64, 1, 1}};
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
    cy_buf_free(text);
}

static void begin_kernel(struct cy_buf *text)
{
    cy_buf_puts(text, "    .section .cy.lanes,\"\",@progbits\n    .asciz \"k\"\n"
                      "    .text\n    .globl k\n    .type k, @function\nk:\n"
                      "    lw t0, 0(a0)\n    vid.v v0\n    vsll.vi v1, v0, 2\n    vadd.vx v1, v1, t0\n"
                      "    vlw12.v v2, 0(v1)\n    vmv.v.x v3, zero\n");
}

/* Under a condition that parts lanes, a loop that each of them leaves in a turn of its own: two joins. */
static size_t lines_of_loops(unsigned count)
{
    struct cy_buf text = {0};
    begin_kernel(&text);
    for (unsigned i = 0; i < count; i++)
        cy_buf_printf(&text,
                      "if%u: auipc t6, %%pcrel_hi(end%u)\n    setrpc zero, t6, %%pcrel_lo(if%u)\n"
                      "    vblt v2, v3, end%u\nloop%u: vadd.vv v3, v3, v0\n    vadd.vi v3, v3, 1\n"
                      "turn%u: auipc t6, %%pcrel_hi(left%u)\n    setrpc zero, t6, %%pcrel_lo(turn%u)\n"
                      "    vblt v3, v2, loop%u\nleft%u: join zero, zero, 0\n    vadd.vi v2, v2, 7\n"
                      "end%u: join zero, zero, 0\n",
                      i, i, i, i, i, i, i, i, i, i, i);
    is_optimised = false;
    translate_kernel(&text);
    return lines;
}

static void test_growth(void)
{
    const size_t few = lines_of_loops(20), many = lines_of_loops(60);
    CHECK(few > 0);
    if (!CHECK(many < few * 33 / 10))
        fprintf(stderr, "%zu and %zu lines\n", few, many);
    const size_t part = longest; /* parts copy what they share: a third more with registers of 128 bits */
    const size_t most = lines_of_loops(200);
    if (!CHECK(most < few * 14) || !CHECK(longest < part * 3 / 2))
        fprintf(stderr, "%zu and %zu lines, functions of %zu and %zu\n", few, most, part, longest);
}

/* Of the numbers from low to high, each of which has code of its own. */
static void add_tree(struct cy_buf *text, unsigned low, unsigned high)
{
    const unsigned middle = (low + high) / 2;
    if (low + 1 == high) {
        cy_buf_printf(text, "    vlw12.v v4, 0(v5)\n    vadd.vi v3, v4, %u\n    vmul.vv v3, v3, v2\n    j end\n",
                      low % 16);
        return;
    }
    cy_buf_printf(text, "    vblt v2, v%u, below%u\n", 16 + middle, middle);
    add_tree(text, middle, high);
    cy_buf_printf(text, "below%u:\n", middle);
    add_tree(text, low, middle);
}

static void test_tables(void)
{
    enum { NUMBERS = 48 };
    struct cy_buf text = {0};
    begin_kernel(&text);
    for (unsigned i = 0; i < NUMBERS; i++)
        cy_buf_printf(&text, "    li t1, %u\n    vmv.v.x v%u, t1\n", i, 16 + i);
    cy_buf_puts(&text, "    vand.vi v5, v2, 15\n    vsll.vi v5, v5, 2\n    vadd.vx v5, v5, t0\n"
                       "tree: auipc t6, %pcrel_hi(end)\n    setrpc zero, t6, %pcrel_lo(tree)\n");
    add_tree(&text, 0, NUMBERS);
    cy_buf_puts(&text, "end: join zero, zero, 0\n");
    for (unsigned i = 0; i < NUMBERS; i++) /* they are live all the time, as in a loop */
        cy_buf_printf(&text, "    vadd.vv v3, v3, v%u\n", 16 + i);
    is_optimised = true;
    translate_kernel(&text);
#if defined(__x86_64__)
    if (!CHECK(cases >= NUMBERS / 3))
        fprintf(stderr, "%zu cases\n", cases);
#endif
}

/* By the strip IR, whose functions are not cut. */
static void test_growth_by_sir(void)
{
    settings = "engine=jit sir=on";
    const size_t few = lines_of_loops(20), many = lines_of_loops(60), most = lines_of_loops(200);
    if (!CHECK(few > 0 && many < few * 33 / 10 && most < few * 11))
        fprintf(stderr, "%zu, %zu and %zu lines\n", few, many, most);
    settings = "engine=jit";
}

static void test_all(void)
{
    test_growth();
    test_growth_by_sir();
    test_tables();
}

TEST_MAIN(test_all)
