/* printf: records to text, and draining while a kernel runs. */
#include "gpu/device/machine.h"
#include "gpu_device/guest.h"

static struct cy_memory memory;

static void check_format(const char *format, const void *arguments, size_t size, const char *expected)
{
    struct cy_buf out = {0};
    cy_print_format(&out, &memory, format, strlen(format) + 1, arguments, size, 4);
    CHECK_STR(out.size ? out.data : "", expected);
    cy_buf_free(&out);
}
#define FORMAT_WORDS(expected, format, ...)                                                                            \
    do {                                                                                                               \
        uint32_t words[] = {__VA_ARGS__};                                                                              \
        check_format(format, words, sizeof(words), expected);                                                          \
    } while (0)

static void test_formats(void)
{
    struct cy_diags diags = {0};
    double pi = 3.141592653589793;
    uint32_t d[2];
    CHECK(cy_memory_init(&memory, 0, &diags));
    memcpy(d, &pi, 8);
    check_format("no argument 100%%\n", NULL, 0, "no argument 100%\n");
    FORMAT_WORDS("-5 4294967291 fffffffb", "%d %u %x", 0xfffffffb, 0xfffffffb, 0xfffffffb);
    FORMAT_WORDS("[   42] [42   ] [00042] [+42]", "[%5d] [%-5i] [%05d] [%+d]", 42, 42, 42, 42);
    FORMAT_WORDS("-1 65535 -1 255", "%hd %hu %hhd %hhu", 0x1ffff, 0x1ffff, 0x1ff, 0x1ff);
    FORMAT_WORDS("1311768467463790320 0x123456789abcdef0", "%ld %#lx", 0x9abcdef0, 0x12345678, 0x9abcdef0, 0x12345678);
    FORMAT_WORDS("3.141593 3.14e+00 3.14159", "%f %.2e %g", d[0], d[1], d[0], d[1], d[0], d[1]);
    FORMAT_WORDS("A!", "%c%c", 'A', '!');
    FORMAT_WORDS("[    x] [y    ]", "[%5c] [%-5c]", 'x', 'y');
    FORMAT_WORDS("0x90001234", "%p", 0x90001234);
    FORMAT_WORDS("    0x1f|0x1f    |", "%8p|%-8p|", 0x1f, 0x1f);
    FORMAT_WORDS("1,2,3,4 end", "%v4hld end", 1, 2, 3, 4);
    FORMAT_WORDS("1.00,-2.50", "%.2v2hlf", 0x3f800000, 0xc0200000);
    FORMAT_WORDS("1,2,3|7", "%v3hhu|%d", 0xff030201, 7);
    FORMAT_WORDS("-1,2", "%v2hd", 0x0002ffff);
    FORMAT_WORDS("1.5,-2", "%v2hg", 0xc0003e00);
    FORMAT_WORDS("5 (missing)", "%d %d", 5);
    FORMAT_WORDS("%q %", "%q %", 5);
    uint32_t text = cy_memory_alloc(&memory, 4096, 0);
    strcpy((char *)memory.base + text, "hello");
    FORMAT_WORDS("[hello] [  hello] [hello  ] [he]", "[%s] [%7s] [%-7s] [%.2s]", text, text, text, text);
    FORMAT_WORDS("[]", "[%s]", 16); /* nothing there */
    memset(memory.base + text, 'x', 4096);
    struct cy_buf out = {0};
    uint32_t near_end = text + 4090;
    cy_print_format(&out, &memory, "%s", 3, (const uint8_t *)&near_end, 4, 4);
    CHECK_EQ(out.size, 6); /* ends where memory ends */
    cy_buf_free(&out);
    cy_memory_destroy(&memory);
}

/* ---- draining ---- */

/* Every work-item prints its id twice, in a loop; the record is reserved lane by lane, as the library does it. */
static const char *const print_kernel =
    "    .section .cy.printf, \"\", @progbits\n    .asciz \"unused\"\n    .asciz \"item %d round %u\\n\"\n" GUEST_ID
    "    csrr t0, CSR_KNL\n    lw t1, 48(t0)\n    lw t2, 52(t0)\n" /* buffer, its size */
    "    li t3, 2\n"
    "1:  vmv.v.x v1, t1\n    vmv.v.i v2, 8\n    vadd.vi v2, v2, 8\n"       /* 16 bytes */
    "    amoadd.w v3, v2, (v1)\n"                                          /* old cursor */
    "    vadd.vi v4, v3, 12\n    vadd.vi v4, v4, 12\n    vmv.v.x v5, t2\n" /* end of the record from the buffer's start */
    "2:  auipc t4, %pcrel_hi(4f)\n    setrpc zero, t4, %pcrel_lo(2b)\n    vbltu v5, v4, 3f\n"
    "    vadd.vx v6, v3, t1\n    vmv.v.i v7, 7\n    vsw12.v v7, 12(v6)\n    vsw12.v v0, 16(v6)\n    vmv.v.x v8, t3\n"
    "    vsw12.v v8, 20(v6)\n    vsw12.v v2, 8(v6)\n    j 4f\n"
    "3:  vmv.v.i v9, 1\n    vadd.vi v10, v1, 4\n    amoadd.w v11, v9, (v10)\n"
    "4:  join zero, zero, 0\n    csrwi CSR_PRINT, 1\n    addi t3, t3, -1\n    bnez t3, 1b\n" GUEST_END;

struct output {
    struct cy_buf text;
    unsigned calls;
};
static void take(void *context, const char *text, size_t size)
{
    struct output *output = context;
    cy_buf_append(&output->text, text, size);
    output->calls++;
}

static void run_print(const char *settings, uint32_t items, uint32_t local, uint32_t bytes, struct output *output,
                      struct cy_counters *counters)
{
    struct cy_device *device = guest_device(settings);
    struct cy_program *program = guest_program(device, print_kernel);
    struct cy_launch *launch;
    struct cy_arguments *arguments = cy_arguments_create();
    cy_arguments_pointer(arguments, 0);
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .global = {items},
                                  .local = {local},
                                  .print_bytes = bytes,
                                  .print = take,
                                  .print_context = output};
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    fputs(cy_launch_message(launch), stderr);
    cy_launch_counters(launch, counters);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
}

/* Every line complete, every item's two iterations once and in order. */
static void check_lines(const struct output *output, uint32_t items)
{
    uint8_t *rounds = calloc(items, 1);
    unsigned wrong = 0, lines = 0;
    const char *at = output->text.data;
    while (at && *at) {
        unsigned item, round;
        int used = 0;
        if (sscanf(at, "item %u round %u\n%n", &item, &round, &used) != 2 || item >= items ||
            round != 2u - rounds[item]) {
            wrong++;
            break;
        }
        rounds[item]++;
        lines++;
        at += used;
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(lines, 2 * items);
    free(rounds);
}

static void test_drain(void)
{
    static const char *const machines[] = {"sms=4 host-threads=4 slice=5", "sms=2 threads=8 slice=1",
                                           "sms=1 deterministic=yes"};
    for (size_t m = 0; m < CY_COUNT(machines); m++) {
        struct output output = {0};
        struct cy_counters counters;
        run_print(machines[m], 500, 50, 0, &output, &counters);
        check_lines(&output, 500);
        CHECK_EQ(counters.prints, 1000);
        CHECK_EQ(counters.prints_dropped, 0);
        CHECK(output.calls > 2); /* while it ran, not only at the end */
        cy_buf_free(&output.text);
    }
    struct output output = {0};
    struct cy_counters counters;
    run_print("sms=1 threads=8 deterministic=yes", 8, 8, 0, &output, &counters);
    CHECK_STR(output.text.data, "item 0 round 2\nitem 1 round 2\nitem 2 round 2\nitem 3 round 2\n"
                                "item 4 round 2\nitem 5 round 2\nitem 6 round 2\nitem 7 round 2\n"
                                "item 0 round 1\nitem 1 round 1\nitem 2 round 1\nitem 3 round 1\n"
                                "item 4 round 1\nitem 5 round 1\nitem 6 round 1\nitem 7 round 1\n");
    cy_buf_free(&output.text);
}

/* A buffer for five records of eight: the others are counted. */
static void test_dropped(void)
{
    struct output output = {0};
    struct cy_counters counters;
    run_print("sms=1 threads=8 deterministic=yes", 8, 8, 8 + 5 * 16, &output, &counters);
    CHECK_EQ(counters.prints, 10);
    CHECK_EQ(counters.prints_dropped, 6);
    CHECK(output.text.data && strncmp(output.text.data, "item 0 round 2\n", 15) == 0);
    cy_buf_free(&output.text);
}

TEST_MAIN(test_formats, test_drain, test_dropped)
