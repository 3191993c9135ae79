/* Every kind of fault once: the launch fails with all the facts, and the device remains usable. */
#include "gpu_device/guest.h"

static const char *const good_kernel = GUEST_ID "    li t1, 7\n    sw t1, 0(t0)\n" GUEST_END;

struct expected {
    const char *settings, *body; /* of the kernel, after GUEST_ID; the label `at` is where it faults */
    const char *kind;
    int lane;            /* -1: the warp */
    uint64_t address;    /* UINT64_MAX: not checked */
    const char *text[6]; /* pieces of the report */
};

/* Runs the body over one workgroup of 16 work-items, 8 to a warp. */
static void check_fault(const struct expected *expected, const char *source, struct cy_device *device, uint32_t items)
{
    struct cy_program *program = guest_program(device, source), *good = guest_program(device, good_kernel);
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch = NULL;
    uint32_t buffer, at = 0;
    if (!program)
        return;
    CHECK_EQ(cy_device_alloc(device, 4096, 0, &buffer), CY_OK);
    cy_arguments_pointer(arguments, buffer);
    struct cy_launch_desc desc = {
        .program = program, .kernel = "k", .arguments = arguments, .global = {items}, .local = {items}};
    enum cy_status status = guest_launch(device, &desc, &launch);
    const struct cy_fault_info *fault = launch ? cy_launch_fault(launch) : NULL;
    CHECK_EQ(status, CY_ERROR_FAULT);
    if (CHECK(fault != NULL)) {
        CHECK_STR(fault->kind, expected->kind);
        CHECK_EQ(fault->lane, expected->lane);
        if (expected->address != UINT64_MAX)
            CHECK_EQ(fault->address, expected->address);
        if (cy_program_symbol(program, "at", &at))
            CHECK_EQ(fault->pc, at);
        CHECK_STR(fault->kernel, "k");
        CHECK_STR(fault->symbol, "k");
        CHECK_STR(cy_launch_message(launch), fault->report);
        for (size_t i = 0; i < CY_COUNT(expected->text) && expected->text[i]; i++)
            if (!CHECK(strstr(fault->report, expected->text[i]) != NULL))
                fprintf(stderr, "  no '%s' in:\n%s", expected->text[i], fault->report);
    }
    cy_launch_release(launch);
    /* the device remains usable */
    guest_run(device, good, buffer, 1, 1);
    CHECK_EQ(*(uint32_t *)cy_device_map(device, buffer, 4), 7);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_program_release(good);
}

static void test_kinds(void)
{
    static const struct expected rows[] = {
        {"",
         "at: .word 0xffffffff\n",
         "ILLEGAL",
         -1,
         UINT64_MAX,
         {"illegal instruction", "<k+0x24>: .word 0xffffffff"}},
        {"", "at: .word 0x00000073\n", "ILLEGAL", -1, UINT64_MAX, {"illegal instruction"}}, /* ecall */
        {"", "    lui t1, 0x12345\nat: jr t1\n", "FETCH", -1, 0x12345000, {"to 0x12345000", "t1 = 0x12345000"}},
        {"", "    la t1, k\n    addi t1, t1, 2\nat: jr t1\n", "FETCH_MISALIGNED", -1, UINT64_MAX, {"misaligned"}},
        {"",
         "    vmv.v.i v1, 4\nat: vlw12.v v2, 12(v1)\n",
         "UNMAPPED",
         0,
         16,
         {"read of 4 bytes at 0x00000010", "workgroup (0, 0, 0), warp 0, lane 0", "v1 = 0x00000004",
          "vlw12.v v2, 12(v1)", "kernel    k of test.riscv"}},
        {"",
         "    vmv.v.x v1, t0\n    li t1, 5\n    vmv.v.x v3, t1\n    vbne v0, v3, 1f\n    vmv.v.i v1, 0\n1:  nop\n"
         "at: vsw12.v v0, 8(v1)\n",
         "UNMAPPED",
         5,
         8,
         {"write of 4 bytes at 0x00000008", "lane 5", "v0 = 0x00000005"}},
        {"", "at: lw t1, 1(t0)\n", "MISALIGNED", -1, UINT64_MAX, {"misaligned access: read of 4 bytes at 0x9000"}},
        {"", "    vmv.v.x v1, t0\nat: vsh12.v v0, 3(v1)\n", "MISALIGNED", 0, UINT64_MAX, {"write of 2 bytes"}},
        {"", "    la t1, k\nat: sw t0, 0(t1)\n", "FORBIDDEN", -1, UINT64_MAX, {"access without permission: write"}},
        {"", "    csrr t1, CSR_KNL\nat: sw t0, 0(t1)\n", "FORBIDDEN", -1, UINT64_MAX, {"write of 4 bytes"}},
        {"",
         "    lui t1, 0x7ffff\nat: lw t2, 0(t1)\n",
         "LDS",
         -1,
         0x7ffff000,
         {"outside the workgroup's local memory"}},
        {"",
         "    csrr t1, CSR_LDS\n    li t2, 16384\n    add t1, t1, t2\n    vmv.v.x v1, t1\nat: vsw12.v v0, 0(v1)\n",
         "LDS",
         0,
         0x70004000,
         {"which has 0x70000000 to 0x70000c00"}},
        {"",
         "    vmv.v.i v1, 15\nat: vsw.v v0, 1(v1)\n",
         "PRIVATE",
         0,
         16,
         {"private address 0x10, which has 16 bytes"}},
        {"", "at: csrw 0x805, t0\n", "CSR", -1, 0x805, {"CSR 0x805"}},
        {"", "at: csrr t0, 0x7c0\n", "CSR", -1, 0x7c0, {"CSR 0x7c0"}},
        {"", "at: .word 0x0000200b\n    .word 0xffffffff\n", "PREFIX", -1, UINT64_MAX, {"prefix without"}},
        {"", "    j at\n    .word 0x0000200b\nat: nop\n", "PREFIX_TARGET", -1, UINT64_MAX, {"jump between a prefix"}},
        {"", "    vsetvli t1, zero, e64, m1, ta, ma\nat: vadd.vv v1, v2, v4\n", "REGISTER", -1, UINT64_MAX, {"pair"}},
        {"stack=2",
         "    vmv.v.i v1, 4\n    vmv.v.i v2, 2\n1:  auipc t1, %pcrel_hi(.Lend)\n    setrpc zero, t1, %pcrel_lo(1b)\n"
         "    vblt v0, v1, 2f\n    j .Lend\n2:  nop\nat: vblt v0, v2, .Lend\n    nop\n.Lend: join zero, zero, 0\n",
         "STACK_OVERFLOW",
         -1,
         4,
         {"4 entries are needed, there are 2", "SIMT stack 2 deep"}},
        {"",
         "    vmv.v.i v1, 4\n1:  auipc t1, %pcrel_hi(.Lend)\n    setrpc zero, t1, %pcrel_lo(1b)\n"
         "    vblt v0, v1, at\n    nop\n    endprg x0, x0, x0\nat: endprg x0, x0, x0\n.Lend: join zero, zero, 0\n",
         "DIVERGENT_END",
         -1,
         UINT64_MAX,
         {"endprg while lanes have diverged", "active 0x0f of 0xff"}},
        {"",
         "    vmv.v.i v1, 4\n1:  auipc t1, %pcrel_hi(.Lend)\n    setrpc zero, t1, %pcrel_lo(1b)\n"
         "    vblt v0, v1, at\n    nop\n    barrier x0, x0, 0\nat: barrier x0, x0, 0\n.Lend: join zero, zero, 0\n",
         "DIVERGENT_BARRIER",
         -1,
         UINT64_MAX,
         {"barrier while lanes have diverged"}},
        {"", "    li t1, 0xff\n    vsetvl t1, t1, t1\nat: vadd.vv v1, v1, v1\n", "VTYPE", -1, UINT64_MAX, {"vtype"}},
        {"watchdog-instructions=5000",
         "at: j at\n",
         "WATCHDOG",
         -1,
         UINT64_MAX,
         {"more than 5000 instructions", "workgroup (0, 0, 0) warp 0 is at 0x8000", "warp 1 is at", "<k+0x24>"}},
        {"watchdog-seconds=1 host-threads=1", "at: j at\n", "WATCHDOG", -1, UINT64_MAX, {"more than 1 seconds"}},
    };
    for (size_t i = 0; i < CY_COUNT(rows); i++) {
        char settings[256];
        struct cy_buf source = {0};
        snprintf(settings, sizeof(settings), "sms=2 threads=8 %s", rows[i].settings);
        struct cy_device *device = guest_device(settings);
        cy_buf_printf(&source, "%s%s    ret\n    .size k, .-k\n    .ventus_kernel k, pds=16, lds=1024\n", GUEST_ID,
                      rows[i].body);
        unsigned long failed = test_counts.failed;
        check_fault(&rows[i], source.data, device, 16);
        if (test_counts.failed != failed)
            fprintf(stderr, "  that was row %zu:\n%s", i, rows[i].body);
        cy_buf_free(&source);
        cy_device_close(device);
    }
}

/* The fault is reported to whichever thread runs the launch: the caller's, the device's own, or a later query. */
static void test_status(void)
{
    static const char *const source = GUEST_ID "    sw t1, 0(zero)\n" GUEST_END;
    static const char *const settings[] = {"sms=1", "sms=2 host-threads=2", "deterministic=yes"};
    for (size_t i = 0; i < CY_COUNT(settings); i++) {
        struct cy_device *device = guest_device(settings[i]);
        struct cy_program *program = guest_program(device, source);
        struct cy_launch_desc desc = {.program = program, .kernel = "k", .global = {256}, .local = {32}};
        struct cy_launch *launch = NULL;
        CHECK_EQ(cy_launch_run(device, &desc, &launch, NULL), CY_ERROR_FAULT);
        CHECK(launch && cy_launch_fault(launch) && *cy_launch_message(launch));
        CHECK_EQ(cy_launch_wait(launch), CY_ERROR_FAULT);
        cy_launch_release(launch);
        CHECK_EQ(cy_launch_try(device, &desc, &launch, NULL), CY_ERROR_FAULT);
        CHECK(launch && cy_launch_fault(launch));
        cy_launch_release(launch);
        desc.kernel = "none"; /* not started: there is nothing to release */
        CHECK_EQ(cy_launch_run(device, &desc, &launch, NULL), CY_ERROR_INVALID);
        CHECK(!launch);
        launch = (struct cy_launch *)device;
        CHECK_EQ(cy_launch_try(device, &desc, &launch, NULL), CY_ERROR_INVALID);
        CHECK(!launch);
        cy_program_release(program);
        cy_device_close(device);
    }
}

/* Two warps of one workgroup at different barriers: each is reported with its position. */
static void test_deadlock(void)
{
    static const char *const source =
        GUEST_ID "    csrr t1, CSR_WID\n    bnez t1, other\nat: barrier x0, x0, 0\n    ret\n"
                 "other: barrier x0, x0, 0\n" GUEST_END;
    static const struct expected expected = {
        .kind = "DEADLOCK",
        .lane = -1,
        .address = UINT64_MAX,
        .text = {"barrier deadlock: all 2 live warps of workgroup (0, 0, 0) wait at different barriers (0 of 2 ended)",
                 "warp 0 waits at the barrier 0x8000", "<k+0x2c>", "warp 1 waits at the barrier 0x8000", "<k+0x34>"}};
    struct cy_device *device = guest_device("sms=1 threads=8");
    check_fault(&expected, source, device, 16);
    cy_device_close(device);
    /* hardware only counts: without checking the two barriers are one */
    device = guest_device("sms=1 threads=8 checking=no");
    struct cy_program *program = guest_program(device, source);
    guest_run(device, program, 0, 16, 16);
    cy_program_release(program);
    cy_device_close(device);
}

/* Warps that have ended count as arrived. */
static void test_early_end(void)
{
    static const char *const source = GUEST_ID "    csrr t1, CSR_WID\n    bnez t1, 1f\n    barrier x0, x0, 0\n"
                                               "    li t1, 5\n    sw t1, 0(t0)\n1:\n" GUEST_END;
    struct cy_device *device = guest_device("sms=1 threads=8");
    struct cy_program *program = guest_program(device, source);
    uint32_t buffer;
    CHECK_EQ(cy_device_alloc(device, 4096, 0, &buffer), CY_OK);
    guest_run(device, program, buffer, 64, 64);
    CHECK_EQ(*(uint32_t *)cy_device_map(device, buffer, 4), 5);
    cy_program_release(program);
    cy_device_close(device);
}

/* A memory fault leaves memory unchanged: no lane stores if one faults. */
static void test_precise(void)
{
    static const char *const source = GUEST_ID "    vsll.vi v1, v0, 2\n    vadd.vx v1, v1, t0\n    li t2, 4080\n"
                                               "    vadd.vx v1, v1, t2\nat: vsw12.v v0, 0(v1)\n" GUEST_END;
    static const struct expected expected = {
        .kind = "UNMAPPED", .lane = 4, .address = 0x90001000u, .text = {"lane 4", "global id (4, 0, 0)"}};
    struct cy_device *device = guest_device("sms=1 threads=8 guards=yes");
    check_fault(&expected, source, device, 8);
    cy_device_close(device);
}

/* The observer is notified; the fault names the right workgroup, warp and work-item of a 3-D range. */
static void see_fault(void *context, const struct cy_fault_info *fault)
{
    CHECK_STR(fault->kind, "UNMAPPED");
    ++*(int *)context;
}

static void test_where(void)
{
    /* only work-item x = 9, y = 5, z = 3 reads address 0: local size 4x2x2, so group (2, 2, 1), local id (1, 1, 1) */
    static const char *const source =
        "    .text\n    .globl k\n    .type k, @function\nk:\n    csrr t1, CSR_GIDX\n    csrr t2, CSR_GIDY\n"
        "    csrr t3, CSR_GIDZ\n    li t4, 2\n    bne t1, t4, 9f\n    bne t2, t4, 9f\n    li t4, 1\n    bne t3, t4, "
        "9f\n"
        "    csrr t4, CSR_TID\n    vid.v v0\n    vadd.vx v0, v0, t4\n    li t4, 13\n    vmv.v.x v1, t4\n"
        "1:  auipc t5, %pcrel_hi(8f)\n    setrpc zero, t5, %pcrel_lo(1b)\n    vbne v0, v1, 8f\n    vmv.v.i v2, 0\n"
        "at: vlw12.v v3, 0(v2)\n8:  join zero, zero, 0\n9:\n" GUEST_END;
    struct cy_device *device = guest_device("sms=2 threads=8");
    struct cy_program *program = guest_program(device, source);
    int calls = 0;
    struct cy_observers observers = {.context = &calls, .fault = see_fault};
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .dimensions = 3,
                                  .global = {12, 6, 4},
                                  .local = {4, 2, 2},
                                  .offset = {100, 0, 0},
                                  .observers = &observers};
    struct cy_launch *launch;
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_ERROR_FAULT);
    const struct cy_fault_info *fault = cy_launch_fault(launch);
    if (CHECK(fault != NULL)) {
        CHECK_EQ(fault->workgroup[0], 2);
        CHECK_EQ(fault->workgroup[1], 2);
        CHECK_EQ(fault->workgroup[2], 1);
        CHECK_EQ(fault->warp, 1);
        CHECK_EQ(fault->lane, 5);
        CHECK(strstr(fault->report, "global id (109, 5, 3)") != NULL);
    }
    CHECK_EQ(calls, 1);
    cy_launch_release(launch);
    cy_program_release(program);
    cy_device_close(device);
}

TEST_MAIN(test_kinds, test_status, test_deadlock, test_early_end, test_precise, test_where)
