/* Launches: NDRanges of every shape, arguments, local memory, threads, queues, cancelling, several devices. */
#define _POSIX_C_SOURCE 200809L
#include "gpu_device/guest.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* ---- every work-item runs exactly once, with the right ids ---- */

/* Kernel k(global uint *count, global uint *ids): computes its three global ids from metadata and CSRs as device code
 * does, and at the linear index adds 1 to count and notes the packed ids (x | y << 8 | z << 16) minus the offset. */
static const char *const ids_kernel =
    "    .text\n    .globl k\n    .type k, @function\nk:\n"
    "    lw t0, 0(a0)\n    lw t1, 4(a0)\n    csrr t2, CSR_KNL\n"
    "    csrr t3, CSR_TID\n    vid.v v0\n    vadd.vx v0, v0, t3\n" /* local linear id */
    "    lw t3, 24(t2)\n    vremu.vx v1, v0, t3\n    vdivu.vx v0, v0, t3\n"
    "    lw t4, 28(t2)\n    vremu.vx v2, v0, t4\n    vdivu.vx v3, v0, t4\n" /* v1, v2, v3: local ids */
    "    csrr t5, CSR_GIDX\n    mul t5, t5, t3\n    vadd.vx v1, v1, t5\n"
    "    csrr t5, CSR_GIDY\n    mul t5, t5, t4\n    vadd.vx v2, v2, t5\n"
    "    lw t4, 32(t2)\n    csrr t5, CSR_GIDZ\n    mul t5, t5, t4\n    vadd.vx v3, v3, t5\n"
    "    lw t3, 12(t2)\n    lw t4, 16(t2)\n" /* global sizes */
    "    vmul.vx v4, v3, t4\n    vadd.vv v4, v4, v2\n    vmul.vx v4, v4, t3\n    vadd.vv v4, v4, v1\n    vsll.vi v4, "
    "v4, 2\n"
    "    lw t3, 36(t2)\n    vadd.vx v1, v1, t3\n    lw t3, 40(t2)\n    vadd.vx v2, v2, t3\n    lw t3, 44(t2)\n"
    "    vadd.vx v3, v3, t3\n"
    "    vsll.vi v2, v2, 8\n    vsll.vi v3, v3, 16\n    vor.vv v1, v1, v2\n    vor.vv v1, v1, v3\n"
    "    vadd.vx v5, v4, t0\n    vmv.v.i v6, 1\n    amoadd.w v7, v6, (v5)\n"
    "    vadd.vx v5, v4, t1\n    vsw12.v v1, 0(v5)\n" GUEST_END;

static void check_range(struct cy_device *device, struct cy_program *program, unsigned dimensions,
                        const uint32_t global[3], const uint32_t local[3], const uint32_t offset[3])
{
    uint32_t total = global[0] * global[1] * global[2], counts, ids;
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    CHECK_EQ(cy_device_alloc(device, total * 4, 0, &counts), CY_OK);
    CHECK_EQ(cy_device_alloc(device, total * 4, 0, &ids), CY_OK);
    cy_arguments_pointer(arguments, counts);
    cy_arguments_pointer(arguments, ids);
    struct cy_launch_desc desc = {.program = program, .kernel = "k", .arguments = arguments, .dimensions = dimensions};
    memcpy(desc.global, global, sizeof(desc.global));
    memcpy(desc.local, local, sizeof(desc.local));
    memcpy(desc.offset, offset, sizeof(desc.offset));
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    fputs(cy_launch_message(launch), stderr);
    struct cy_counters counters;
    cy_launch_counters(launch, &counters);
    CHECK_EQ(counters.work_items, total);
    const uint32_t *count = cy_device_map(device, counts, total * 4), *id = cy_device_map(device, ids, total * 4);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < total; i++) {
        uint32_t x = i % global[0] + offset[0], y = i / global[0] % global[1] + offset[1];
        uint32_t z = i / global[0] / global[1] + offset[2];
        wrong += count[i] != 1 || id[i] != (x | y << 8 | z << 16);
    }
    CHECK_EQ(wrong, 0);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    cy_device_free(device, counts);
    cy_device_free(device, ids);
}

static void test_ranges(void)
{
    static const struct {
        unsigned dimensions;
        uint32_t global[3], local[3], offset[3];
    } rows[] = {
        {1, {256, 1, 1}, {64, 1, 1}, {0, 0, 0}}, {1, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}},
        {1, {5, 1, 1}, {5, 1, 1}, {0, 0, 0}},    /* a partial warp */
        {1, {100, 1, 1}, {64, 1, 1}, {7, 0, 0}}, /* a smaller last workgroup */
        {2, {16, 16, 1}, {4, 4, 1}, {0, 0, 0}},  {2, {17, 9, 1}, {8, 4, 1}, {1, 2, 0}},
        {3, {8, 4, 2}, {4, 2, 2}, {0, 0, 0}},    {3, {13, 7, 5}, {4, 3, 2}, {1, 2, 3}}, /* all eight kinds of border */
        {3, {3, 3, 3}, {4, 4, 4}, {0, 0, 0}},   /* one workgroup, larger than the range */
        {1, {250, 1, 1}, {0, 1, 1}, {0, 0, 0}}, /* the driver chooses */
        {3, {20, 10, 1}, {0, 0, 0}, {0, 0, 0}},
    };
    static const char *const machines[] = {"sms=2 threads=4 warps=16", "sms=2 threads=8",
                                           "sms=1 threads=16",         "sms=3 threads=32",
                                           "sms=1 threads=64",         "sms=2 threads=8 deterministic=yes"};
    for (size_t m = 0; m < CY_COUNT(machines); m++) {
        struct cy_device *device = guest_device(machines[m]);
        struct cy_program *program = guest_program(device, ids_kernel);
        for (size_t i = 0; i < CY_COUNT(rows); i++)
            check_range(device, program, rows[i].dimensions, rows[i].global, rows[i].local, rows[i].offset);
        cy_program_release(program);
        cy_device_close(device);
    }
}

/* ---- arguments and metadata ---- */

/* Copies its first 64 argument bytes and the 17 words of metadata to where the first argument points. */
static const char *const dump_kernel =
    "    .text\n    .globl k\n    .type k, @function\nk:\n"
    "    lw t0, 0(a0)\n    vid.v v0\n    vsll.vi v0, v0, 2\n    vadd.vx v1, v0, a0\n    vadd.vx v2, v0, t0\n"
    "    vlw12.v v3, 0(v1)\n    vsw12.v v3, 0(v2)\n    csrr t1, CSR_KNL\n    vadd.vx v1, v0, t1\n    vlw12.v v3, "
    "0(v1)\n"
    "    vsw12.v v3, 128(v2)\n    csrr t2, CSR_LDS\n    sw t2, 256(t0)\n    csrr t2, CSR_PDS\n    sw t2, 260(t0)\n"
    "    csrr t2, CSR_NUMW\n    sw t2, 264(t0)\n    csrr t2, CSR_NUMT\n    sw t2, 268(t0)\n"
    "    ret\n    .size k, .-k\n    .ventus_kernel k, lds=256, pds=64\n";

static void test_arguments(void)
{
    struct cy_device *device = guest_device("sms=1");
    struct cy_program *program = guest_program(device, dump_kernel);
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    uint32_t buffer;
    CHECK_EQ(cy_device_alloc(device, 4096, 0, &buffer), CY_OK);
    const uint32_t *words = cy_device_map(device, buffer, 4096);
    cy_arguments_pointer(arguments, buffer);
    cy_arguments_value(arguments, "\x12", 1);                             /* a char takes 4 bytes' alignment, at 4 */
    cy_arguments_value(arguments, "\x01\x02\x03\x04\x05\x06\x07\x08", 8); /* at 8 */
    cy_arguments_value(arguments, "abcdefghijkl", 12);                    /* a vector of 3: at 16 */
    cy_arguments_local(arguments, 100);                                   /* at 28 */
    cy_arguments_value(arguments, "\x44\x33", 2);                         /* at 32 */
    cy_arguments_local(arguments, 4);                                     /* at 36 */
    CHECK_EQ(cy_arguments_size(arguments), 40);
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .dimensions = 2,
                                  .global = {30, 2},
                                  .local = {16, 2},
                                  .offset = {5, 6}};
    desc.global[0] = 16; /* one workgroup of one warp */
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    fputs(cy_launch_message(launch), stderr);
    CHECK_EQ(words[0], buffer);
    CHECK_EQ(words[1] & 255, 0x12);
    CHECK_EQ(words[2], 0x04030201);
    CHECK_EQ(words[3], 0x08070605);
    CHECK(memcmp(words + 4, "abcdefghijkl", 12) == 0);
    uint32_t lds = words[64];
    CHECK_EQ(lds, 0x70000000);
    CHECK_EQ(words[7], lds + 1024 + 256); /* after the stack of one warp and the variables */
    CHECK_EQ(words[8] & 65535, 0x3344);
    CHECK_EQ(words[9], lds + 1024 + 256 + 128);
    const uint32_t *metadata = words + 32;
    struct cy_kernel_info info;
    CHECK(cy_program_find_kernel(program, "k", &info));
    CHECK_EQ(metadata[0], info.entry);
    CHECK_EQ(metadata[2], 2);
    CHECK_EQ(metadata[3], 16);
    CHECK_EQ(metadata[4], 2);
    CHECK_EQ(metadata[5], 1);
    CHECK_EQ(metadata[6], 16);
    CHECK_EQ(metadata[7], 2);
    CHECK_EQ(metadata[8], 1);
    CHECK_EQ(metadata[9], 5);
    CHECK_EQ(metadata[10], 6);
    CHECK_EQ(metadata[11], 0);
    CHECK_EQ(metadata[14], 1024);
    CHECK_EQ(metadata[15], 256 + 128 + 128);
    CHECK_EQ(metadata[16], 64);
    CHECK(words[65] != 0);
    CHECK_EQ(words[66], 1);
    CHECK_EQ(words[67], 32);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
}

/* ---- local memory, barriers, private memory: a reduction whose result must not depend on anything ---- */

/* k(out, local scratch): every work-item keeps its global id in private memory, puts it into scratch, and after a barrier
 * work-item 0 of each warp's lane 0 position sums neighbours in a tree; out[group] = sum of ids. */
static const char *const reduce_kernel = GUEST_ID
    "    lw t1, 4(a0)\n"                                           /* scratch */
    "    vmv.v.i v10, 8\n    vsw.v v0, 0(v10)\n"                   /* private memory */
    "    csrr t2, CSR_TID\n    vid.v v1\n    vadd.vx v1, v1, t2\n" /* local id */
    "    vsll.vi v2, v1, 2\n    vadd.vx v2, v2, t1\n"
    "    vlw.v v3, 0(v10)\n    vsw12.v v3, 0(v2)\n"
    "    csrr t3, CSR_NUMW\n    csrr t4, CSR_NUMT\n    mul t3, t3, t4\n" /* size */
    "2:  srli t3, t3, 1\n    beqz t3, 5f\n    barrier x0, x0, 1\n"
    "    vmv.v.x v4, t3\n3:  auipc t5, %pcrel_hi(.Lmeet)\n    setrpc zero, t5, %pcrel_lo(3b)\n    vbgeu v1, v4, "
    ".Lmeet\n"
    "    slli t5, t3, 2\n    vadd.vx v5, v2, t5\n    vlw12.v v6, 0(v5)\n    vlw12.v v7, 0(v2)\n    vadd.vv v7, v7, v6\n"
    "    vsw12.v v7, 0(v2)\n.Lmeet:\n    join zero, zero, 0\n    j 2b\n"
    "5:  barrier x0, x0, 1\n    lw t6, 0(t1)\n    csrr t5, CSR_GIDX\n    slli t5, t5, 2\n    add t5, t5, t0\n    sw "
    "t6, 0(t5)\n"
    "    ret\n    .size k, .-k\n    .ventus_kernel k, pds=16\n";

static void run_reduce(const char *settings, uint32_t groups, uint32_t local, uint32_t *results,
                       struct cy_counters *counters)
{
    struct cy_device *device = guest_device(settings);
    struct cy_program *program = guest_program(device, reduce_kernel);
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    uint32_t out;
    CHECK_EQ(cy_device_alloc(device, groups * 4, 0, &out), CY_OK);
    cy_arguments_pointer(arguments, out);
    cy_arguments_local(arguments, local * 4);
    struct cy_launch_desc desc = {
        .program = program, .kernel = "k", .arguments = arguments, .global = {groups * local}, .local = {local}};
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    fputs(cy_launch_message(launch), stderr);
    cy_launch_counters(launch, counters);
    CHECK_EQ(cy_device_read(device, out, results, groups * 4), CY_OK);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
}

/* Generation 2: the launch's global base is in CSR gds, and pre_m_global adds it. */
static void test_global_base(void)
{
    struct cy_device *device = guest_device("sms=1");
    struct cy_program *program = guest_program_for(
        device,
        "    .text\n    .globl k\n    .type k, @function\nk:\n    csrr t1, gds\n    lw t0, 0(a0)\n    sw t1, 0(t0)\n"
        "    vmv.v.i v1, 5\n    vmv.v.i v2, 0\n    pre_m_global_32 0, 0\n    vsw12.v v1, 8(v2)\n"
        "    ret\n    .size k, .-k\n    .ventus_kernel k\n",
        "ventus-gen2");
    uint32_t buffer;
    CHECK_EQ(cy_device_alloc(device, 4096, 0, &buffer), CY_OK);
    const uint32_t *words = cy_device_map(device, buffer, 4096);
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    cy_arguments_pointer(arguments, buffer);
    struct cy_launch_desc desc = {
        .program = program, .kernel = "k", .arguments = arguments, .global = {1}, .local = {1}, .gds = buffer + 64};
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    fputs(cy_launch_message(launch), stderr);
    CHECK_EQ(words[0], buffer + 64);
    CHECK_EQ(words[18], 5);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
}

static void test_threads(void)
{
    enum { GROUPS = 200, LOCAL = 128 };
    static const char *const machines[] = {
        "sms=4 host-threads=1",         "sms=4 host-threads=2",
        "sms=4 host-threads=4",         "sms=4 host-threads=4 slice=1",
        "sms=1 host-threads=1 slice=7", "sms=3 host-threads=2 threads=16",
        "sms=4 deterministic=yes",      "sms=2 threads=64",
        "sms=2 threads=4 warps=32",
    };
    uint32_t results[GROUPS];
    struct cy_counters counters;
    for (size_t m = 0; m < CY_COUNT(machines); m++) {
        unsigned wrong = 0;
        memset(results, 0, sizeof(results));
        run_reduce(machines[m], GROUPS, LOCAL, results, &counters);
        for (uint32_t g = 0; g < GROUPS; g++)
            wrong += results[g] != LOCAL * LOCAL * g + LOCAL * (LOCAL - 1) / 2;
        CHECK_EQ(wrong, 0);
        CHECK_EQ(counters.barriers, GROUPS * 8); /* seven steps and the last one */
    }
}

/* A race (every work-item stores its id to one word): on a deterministic machine the winner is always the same. */
static void test_deterministic(void)
{
    static const char *const source =
        GUEST_ID "    vmv.v.x v1, t0\n    vsw12.v v0, 0(v1)\n    li t1, 50\n"
                 "1:  addi t1, t1, -1\n    bnez t1, 1b\n    vsw12.v v0, 0(v1)\n" GUEST_END;
    uint32_t first = 0;
    for (int round = 0; round < 5; round++) {
        struct cy_device *device = guest_device("sms=4 deterministic=yes slice=13");
        struct cy_program *program = guest_program(device, source);
        uint32_t buffer;
        CHECK_EQ(cy_device_alloc(device, 4, 0, &buffer), CY_OK);
        guest_run(device, program, buffer, 4000, 100);
        uint32_t winner = *(uint32_t *)cy_device_map(device, buffer, 4);
        if (round == 0)
            first = winner;
        CHECK_EQ(winner, first);
        cy_program_release(program);
        cy_device_close(device);
    }
}

/* ---- loading ---- */

/* Counters in .data and .bss: the first launch starts with the file's values, the next with those left. */
static const char *const data_kernel =
    "    .data\nvalue: .word 41\n    .bss\nempty: .space 8192\n" GUEST_ID
    "    la t1, value\n    lw t2, 0(t1)\n    addi t2, t2, 1\n    sw t2, 0(t1)\n    sw t2, 0(t0)\n"
    "    la t1, empty\n    lw t2, 2044(t1)\n    addi t2, t2, 1\n    sw t2, 2044(t1)\n    sw t2, 4(t0)\n" GUEST_END;

static void test_loading(void)
{
    struct cy_device *device = guest_device("sms=2");
    struct cy_program *program = guest_program(device, data_kernel), *other = guest_program(device, ids_kernel);
    uint32_t buffer, value;
    CHECK_EQ(cy_device_alloc(device, 4096, 0, &buffer), CY_OK);
    const uint32_t *words = cy_device_map(device, buffer, 4096);
    for (int round = 0; round < 6; round++) {
        guest_run(device, program, buffer, 1, 1);
        CHECK_EQ(words[0], 42 + round);
        CHECK_EQ(words[1], 1 + round);
        if (round == 2) /* another program takes its place in between */
            check_range(device, other, 1, (uint32_t[]){64, 1, 1}, (uint32_t[]){64, 1, 1}, (uint32_t[]){0, 0, 0});
    }
    uint32_t symbol;
    CHECK(cy_program_symbol(program, "k", &symbol));
    CHECK(!cy_program_symbol(program, "nothing", &symbol));
    CHECK_EQ(cy_device_read(device, symbol, &value, 4), CY_OK); /* the image can be read, not written */
    CHECK_EQ(cy_device_write(device, symbol, &value, 4), CY_ERROR_INVALID);
    cy_program_release(program);
    cy_program_release(other);
    cy_device_close(device);
}

static void test_bad_images(void)
{
    struct cy_device *device = guest_device("sms=1");
    struct cy_program *program = NULL;
    char *message = NULL;
    CHECK_EQ(cy_program_load(device, "x", "hello", 5, &program, &message), CY_ERROR_IMAGE);
    CHECK(message && strstr(message, "x: error: "));
    free(message);
    CHECK_EQ(cy_program_load(device, "x", NULL, 0, &program, NULL), CY_ERROR_IMAGE);
    struct cy_asm_result result;
    CHECK(cy_asm("a.s", "nop\n", 4, NULL, &result));
    message = NULL;
    CHECK_EQ(cy_program_load(device, "a.o", result.object, result.object_size, &program, &message), CY_ERROR_IMAGE);
    CHECK_STR(message, "a.o: error: not an executable: link it first ('cy ld')\n");
    free(message);
    cy_asm_result_free(&result);
    cy_device_close(device);
}

static void test_bad_launches(void)
{
    struct cy_device *device = guest_device("sms=1");
    struct cy_program *program = guest_program(device, ids_kernel);
    static const struct {
        const char *kernel, *message;
        unsigned dimensions;
        uint32_t global, local, offset;
    } rows[] = {
        {"nokernel", "error: test.riscv has no kernel 'nokernel'\n", 1, 1, 1, 0},
        {"k", "error: an NDRange has 1 to 3 dimensions, not 4\n", 4, 1, 1, 0},
        {"k", "error: global size of dimension 0 is 0\n", 1, 0, 1, 0},
        {"k", "error: global ids of dimension 0 do not fit in 32 bits\n", 1, 2, 1, UINT32_MAX},
        {NULL, "error: a launch needs a program and the name of a kernel\n", 1, 1, 1, 0},
    };
    for (size_t i = 0; i < CY_COUNT(rows); i++) {
        struct cy_launch_desc desc = {.program = program,
                                      .kernel = rows[i].kernel,
                                      .dimensions = rows[i].dimensions,
                                      .global = {rows[i].global},
                                      .local = {rows[i].local},
                                      .offset = {rows[i].offset}};
        struct cy_launch *launch = NULL;
        char *message = NULL;
        CHECK_EQ(cy_launch_start(device, &desc, &launch, &message), CY_ERROR_INVALID);
        CHECK_STR(message, rows[i].message);
        free(message);
    }
    cy_program_release(program);
    cy_device_close(device);
}

static void test_memory_calls(void)
{
    struct cy_device *device = guest_device("sms=1 memory=1M");
    uint32_t a, b;
    uint8_t bytes[64];
    CHECK_EQ(cy_device_alloc(device, 100, 0, &a), CY_OK);
    CHECK_EQ(cy_device_alloc(device, 1 << 20, 0, &b), CY_ERROR_MEMORY);
    CHECK_EQ(cy_device_alloc(device, 100, 3, &b), CY_ERROR_INVALID);
    CHECK_EQ(cy_device_alloc(device, 0, 0, &b), CY_ERROR_INVALID);
    CHECK_EQ(cy_device_alloc(device, 100, 65536, &b), CY_OK);
    CHECK_EQ(b % 65536, 0);
    CHECK_EQ(cy_device_fill(device, a, "abc", 3, 99), CY_OK);
    CHECK_EQ(cy_device_fill(device, a, "abc", 3, 100), CY_ERROR_INVALID);
    CHECK_EQ(cy_device_copy(device, b + 10, a, 20), CY_OK);
    CHECK_EQ(cy_device_copy(device, a + 1, a, 60), CY_OK); /* overlapping */
    CHECK_EQ(cy_device_read(device, b + 10, bytes, 20), CY_OK);
    CHECK(memcmp(bytes, "abcabcabcabcabcabcab", 20) == 0);
    CHECK_EQ(cy_device_read(device, a, bytes, 5), CY_OK);
    CHECK(memcmp(bytes, "aabca", 5) == 0);
    CHECK_EQ(cy_device_read(device, a + 90, bytes, 11), CY_ERROR_INVALID);
    CHECK(cy_device_map(device, a + 100, 0) != NULL);
    CHECK(cy_device_map(device, a + 101, 0) == NULL);
    CHECK_EQ(cy_device_write(device, 0x12345678, bytes, 1), CY_ERROR_INVALID);
    CHECK_EQ(cy_device_free(device, a + 4), CY_ERROR_INVALID);
    CHECK_EQ(cy_device_free(device, a), CY_OK);
    CHECK_EQ(cy_device_free(device, a), CY_ERROR_INVALID);
    CHECK_EQ(cy_device_alloc_at(device, 0x90005000u, 4096), CY_OK);
    CHECK_EQ(cy_device_alloc_at(device, 0x80000000u, 4096), CY_ERROR_INVALID);
    cy_device_close(device);
}

/* ---- queues ---- */

static const char *const forever_kernel = GUEST_ID "1:  j 1b\n" GUEST_END;
static const char *const add_kernel =
    GUEST_ID "    vmv.v.x v1, t0\n    vmv.v.i v2, 1\n    amoadd.w v3, v2, (v1)\n" GUEST_END;

static void test_queue(void)
{
    enum { COUNT = 100 };
    struct cy_device *device = guest_device("sms=2");
    struct cy_program *program = guest_program(device, add_kernel);
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launches[COUNT];
    uint32_t buffer;
    CHECK_EQ(cy_device_alloc(device, 4, 0, &buffer), CY_OK);
    cy_arguments_pointer(arguments, buffer);
    struct cy_launch_desc desc = {
        .program = program, .kernel = "k", .arguments = arguments, .global = {300}, .local = {64}};
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(cy_launch_start(device, &desc, &launches[i], NULL), CY_OK);
    cy_arguments_destroy(arguments); /* was copied */
    cy_program_release(program);     /* kept alive by its launches */
    CHECK_EQ(cy_launch_wait(launches[COUNT - 1]), CY_OK);
    for (int i = 0; i < COUNT; i++) {
        CHECK_EQ(cy_launch_poll(launches[i]), CY_OK); /* in order: the last one's end implies the others' */
        cy_launch_release(launches[i]);
    }
    CHECK_EQ(*(uint32_t *)cy_device_map(device, buffer, 4), COUNT * 300);
    cy_device_close(device);
}

static void on_done(void *context, struct cy_launch *launch)
{
    (void)launch;
    atomic_fetch_add((atomic_int *)context, 1);
}

static void test_cancel(void)
{
    struct cy_device *device = guest_device("sms=2");
    struct cy_program *program = guest_program(device, forever_kernel), *add = guest_program(device, add_kernel);
    struct cy_arguments *arguments = cy_arguments_create();
    atomic_int done = 0;
    uint32_t buffer;
    CHECK_EQ(cy_device_alloc(device, 4, 0, &buffer), CY_OK);
    cy_arguments_pointer(arguments, buffer);
    struct cy_launch *running, *queued, *later;
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .global = {1000},
                                  .local = {100},
                                  .done = on_done,
                                  .done_context = &done};
    CHECK_EQ(cy_launch_start(device, &desc, &running, NULL), CY_OK);
    CHECK_EQ(cy_launch_start(device, &desc, &queued, NULL), CY_OK);
    desc.program = add;
    CHECK_EQ(cy_launch_start(device, &desc, &later, NULL), CY_OK);
    struct cy_counters counters = {0};
    for (int i = 0; i < 1000 && !counters.instructions; i++) { /* counters are available after the first time slice */
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        cy_launch_counters(running, &counters);
    }
    CHECK_EQ(cy_launch_poll(running), CY_RUNNING);
    CHECK(cy_launch_fault(running) == NULL);
    CHECK(counters.instructions > 0);
    CHECK(counters.seconds > 0);
    cy_launch_cancel(queued);
    cy_launch_cancel(running);
    CHECK_EQ(cy_launch_wait(running), CY_ERROR_CANCELLED);
    CHECK_STR(cy_launch_message(running), "the launch was cancelled\n");
    CHECK_EQ(cy_launch_wait(queued), CY_ERROR_CANCELLED);
    CHECK_EQ(cy_launch_wait(later), CY_OK); /* the device remains usable */
    cy_launch_release(running);
    cy_launch_release(queued);
    cy_launch_release(later);

    /* closing cancels what runs; the launch can still be queried */
    desc.program = program;
    CHECK_EQ(cy_launch_start(device, &desc, &running, NULL), CY_OK);
    CHECK_EQ(cy_launch_start(device, &desc, &queued, NULL), CY_OK);
    cy_launch_release(queued); /* released without waiting */
    cy_program_release(program);
    cy_program_release(add);
    cy_device_close(device);
    CHECK_EQ(cy_launch_wait(running), CY_ERROR_CANCELLED);
    cy_launch_release(running);
    CHECK_EQ(atomic_load(&done), 5);
    cy_arguments_destroy(arguments);
}

/* A device that is closed while all its threads run: whichever finishes last, the leader and the caller continue. */
static void test_close(void)
{
    struct cy_arguments *arguments = cy_arguments_create();
    cy_arguments_pointer(arguments, 0);
    for (int round = 0; round < 20; round++) {
        struct cy_device *device = guest_device("sms=2 host-threads=2");
        struct cy_program *program = guest_program(device, forever_kernel);
        struct cy_launch_desc desc = {
            .program = program, .kernel = "k", .arguments = arguments, .global = {100000}, .local = {100}};
        struct cy_launch *running;
        CHECK_EQ(cy_launch_start(device, &desc, &running, NULL), CY_OK);
        struct cy_counters counters = {0};
        for (int i = 0; i < 1000 && counters.instructions < 1000000; i++) { /* long after the helper was woken */
            nanosleep(&(struct timespec){0, 2000000}, NULL);
            cy_launch_counters(running, &counters);
        }
        cy_program_release(program);
        cy_device_close(device);
        CHECK_EQ(cy_launch_wait(running), CY_ERROR_CANCELLED);
        cy_launch_release(running);
    }
    cy_arguments_destroy(arguments);
}

/* Several devices, each driven by its own thread, and two threads that share one. */
struct driver {
    struct cy_device *device;
    struct cy_program *program;
    uint32_t buffer;
    int wrong;
};

static void *drive(void *context)
{
    struct driver *driver = context;
    struct cy_arguments *arguments = cy_arguments_create();
    cy_arguments_pointer(arguments, driver->buffer);
    for (int i = 0; i < 20; i++) {
        struct cy_launch_desc desc = {
            .program = driver->program, .kernel = "k", .arguments = arguments, .global = {64}, .local = {32}};
        struct cy_launch *launch;
        uint32_t extra;
        driver->wrong += cy_device_alloc(driver->device, 5000, 0, &extra) != CY_OK;
        driver->wrong += cy_launch_start(driver->device, &desc, &launch, NULL) != CY_OK;
        driver->wrong += cy_launch_wait(launch) != CY_OK;
        cy_launch_release(launch);
        driver->wrong += cy_device_free(driver->device, extra) != CY_OK;
    }
    cy_arguments_destroy(arguments);
    return NULL;
}

static void test_devices(void)
{
    struct driver drivers[4];
    pthread_t threads[4];
    struct cy_device *devices[3];
    struct cy_program *programs[3];
    for (int i = 0; i < 3; i++) {
        devices[i] = guest_device(i ? "sms=2 threads=8" : "sms=2");
        programs[i] = guest_program(devices[i], add_kernel);
    }
    for (int i = 0; i < 4; i++) {
        drivers[i] = (struct driver){.device = devices[i % 3], .program = programs[i % 3]};
        CHECK_EQ(cy_device_alloc(drivers[i].device, 4, 0, &drivers[i].buffer), CY_OK);
    }
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, drive, &drivers[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK_EQ(drivers[i].wrong, 0);
        CHECK_EQ(*(uint32_t *)cy_device_map(drivers[i].device, drivers[i].buffer, 4), 20 * 64);
    }
    for (int i = 0; i < 3; i++) {
        cy_program_release(programs[i]);
        cy_device_close(devices[i]);
    }
}

/* ---- observers ---- */

struct seen {
    uint64_t retired, loads, stores, atomics, branches, divergent, barriers, started, ended;
    uint32_t last_pc;
};

static void see_retired(void *context, const struct cy_event *event)
{
    struct seen *seen = context;
    seen->retired++;
    seen->last_pc = event->pc;
    CHECK_EQ(event->lanes, 8);
    CHECK(event->mnemonic && event->unit);
}
static void see_memory(void *context, const struct cy_event *event, const struct cy_memory_event *access)
{
    struct seen *seen = context;
    CHECK(event->mnemonic && event->unit);
    if (access->read && access->write)
        seen->atomics++;
    else if (access->write)
        seen->stores++;
    else
        seen->loads++;
}
static void see_branch(void *context, const struct cy_event *event, uint64_t taken)
{
    struct seen *seen = context;
    CHECK(event->mnemonic && strncmp(event->mnemonic, "vb", 2) == 0);
    CHECK_STR(event->unit, "simt");
    CHECK(event->word);
    seen->branches++;
    seen->divergent += taken && taken != event->active;
}
static void see_barrier(void *context, const struct cy_event *event)
{
    CHECK_STR(event->mnemonic, "barrier");
    CHECK(event->unit && event->word);
    ((struct seen *)context)->barriers++;
}
static void see_start(void *context, uint32_t sm, const uint32_t workgroup[3])
{
    (void)sm, (void)workgroup;
    ((struct seen *)context)->started++;
}
static void see_end(void *context, uint32_t sm, const uint32_t workgroup[3])
{
    (void)sm, (void)workgroup;
    ((struct seen *)context)->ended++;
}

/* Variables of a program keep their values, unless .bss is cleared as the ABI says; .data keeps them always. */
static void test_bss(void)
{
    static const char *const source = GUEST_ID
        "    lui t1, %hi(zeroed)\n    lw t2, %lo(zeroed)(t1)\n    addi t2, t2, 1\n    sw t2, %lo(zeroed)(t1)\n"
        "    sw t2, 0(t0)\n    lui t1, %hi(valued)\n    lw t2, %lo(valued)(t1)\n    addi t2, t2, 1\n"
        "    sw t2, %lo(valued)(t1)\n    sw t2, 4(t0)\n" GUEST_END
        "    .bss\n    .p2align 2\n    .space 4096\nzeroed: .space 4\n    .data\n    .p2align 2\nvalued: .word 10\n";
    for (unsigned clears = 0; clears < 2; clears++) {
        struct cy_device *device = guest_device(clears ? "sms=1 clear-bss=yes" : "sms=1");
        struct cy_program *program = guest_program(device, source), *other = guest_program(device, source);
        uint32_t out;
        CHECK_EQ(cy_device_alloc(device, 4096, 0, &out), CY_OK);
        const uint32_t *words = cy_device_map(device, out, 8);
        for (uint32_t i = 1; i <= 3; i++) {
            guest_run(device, program, out, 1, 1);
            CHECK_EQ(words[0], clears ? 1 : i);
            CHECK_EQ(words[1], 10 + i);
            if (i == 2) /* another program in between, which has variables of its own */
                guest_run(device, other, out, 1, 1);
            if (i == 2)
                CHECK_EQ(words[0], 1);
        }
        cy_program_release(other);
        cy_program_release(program);
        cy_device_close(device);
    }
}

/* The reduction of three workgroups of two warps, and its sums. */
static void observe_reduction(const struct cy_observers *observers, struct cy_counters *counters, uint32_t sums[3])
{
    struct cy_device *device = guest_device("sms=2 threads=8 deterministic=yes");
    struct cy_program *program = guest_program(device, reduce_kernel);
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    uint32_t out;
    CHECK_EQ(cy_device_alloc(device, 4096, 0, &out), CY_OK);
    cy_arguments_pointer(arguments, out);
    cy_arguments_local(arguments, 64);
    const struct cy_launch_desc desc = {.program = program,
                                        .kernel = "k",
                                        .arguments = arguments,
                                        .global = {48},
                                        .local = {16},
                                        .observers = observers};
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    cy_launch_counters(launch, counters);
    memcpy(sums, cy_device_map(device, out, 12), 12);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
}

static void test_observers(void)
{
    struct seen seen = {0};
    const struct cy_observers observers = {.context = &seen,
                                           .retired = see_retired,
                                           .memory = see_memory,
                                           .branch = see_branch,
                                           .barrier = see_barrier,
                                           .workgroup_start = see_start,
                                           .workgroup_end = see_end};
    struct cy_counters counters;
    uint32_t sums[3];
    observe_reduction(&observers, &counters, sums);
    CHECK_EQ(seen.retired, counters.instructions);
    CHECK_EQ(seen.started, 3);
    CHECK_EQ(seen.ended, 3);
    CHECK_EQ(seen.barriers, 3 * 2 * 5); /* two warps, four steps and the last one */
    CHECK_EQ(seen.branches, 3 * 2 * 4);
    CHECK_EQ(seen.divergent, 3 * 3); /* warp 0 with 4, 2 and 1 of 8 lanes */
    CHECK_EQ(seen.atomics, 0);
    CHECK(seen.loads > 0 && seen.stores > 0);
    CHECK_EQ(sums[2], 16 * 32 + 120);
}

struct passing {
    uint64_t retired, asked, passed, instructions;
};
static void count_retired(void *context, const struct cy_event *event)
{
    struct passing *passing = context;
    passing->retired += event->workgroup[0] == 1;
}
static bool pass_late(void *context, const uint32_t workgroup[3])
{
    enum { OFTEN = 5 }; /* once for each warp after each barrier */
    struct passing *passing = context;
    return workgroup[0] == 1 && ++passing->asked > OFTEN;
}
static void count_passed(void *context, const uint32_t workgroup[3], uint64_t instructions)
{
    struct passing *passing = context;
    CHECK_EQ(workgroup[0], 1);
    passing->passed++;
    passing->instructions = instructions;
}

/* An observer that has seen enough of a workgroup hears how many instructions it had. */
static void test_passing(void)
{
    struct passing passing = {0};
    const struct cy_observers observers = {
        .context = &passing, .retired = count_retired, .passes = pass_late, .passed = count_passed};
    struct cy_counters counters;
    uint32_t sums[3];
    observe_reduction(&observers, &counters, sums);
    CHECK_EQ(passing.passed, 1);
    CHECK_EQ(passing.instructions, counters.instructions / 3);
    CHECK(passing.retired > 0 && passing.retired < passing.instructions);
    CHECK_EQ(sums[1], 16 * 16 + 120);
}

/* The same kernel, counted without an observer. */
static void test_lane_counters(void)
{
    struct cy_device *device = guest_device("sms=2 threads=8");
    struct cy_program *program = guest_program(device, reduce_kernel);
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_counters counters, uncounted;
    struct cy_launch *launch;
    uint32_t out;
    CHECK_EQ(cy_device_alloc(device, 4096, 0, &out), CY_OK);
    cy_arguments_pointer(arguments, out);
    cy_arguments_local(arguments, 64);
    struct cy_launch_desc desc = {
        .program = program, .kernel = "k", .arguments = arguments, .global = {48}, .local = {16}, .count_lanes = true};
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    cy_launch_counters(launch, &counters);
    cy_launch_release(launch);
    CHECK_EQ(counters.lanes.branches, 3 * 2 * 4);
    CHECK_EQ(counters.lanes.splits, 3 * 3);
    CHECK(counters.lanes.partial > 0 && counters.lanes.partial < counters.lanes.vectors);
    CHECK(counters.lanes.vectors < counters.instructions);
    CHECK(counters.lanes.active < 8 * counters.lanes.vectors);
    CHECK(counters.lanes.active > 8 * (counters.lanes.vectors - counters.lanes.partial));
    desc.count_lanes = false;
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    cy_launch_counters(launch, &uncounted);
    cy_launch_release(launch);
    CHECK_EQ(uncounted.instructions, counters.instructions);
    CHECK_EQ(uncounted.lanes.vectors, 0);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
}

/* Callers that run the device themselves when it is idle, and queue up when it is not. */
struct runner {
    struct cy_device *device;
    struct cy_program *program;
    uint32_t buffer;
    unsigned good;
};

static void *run_many(void *data)
{
    struct runner *runner = data;
    struct cy_arguments *arguments = cy_arguments_create();
    cy_arguments_pointer(arguments, runner->buffer);
    for (unsigned i = 0; i < 50; i++) {
        struct cy_launch_desc desc = {
            .program = runner->program, .kernel = "k", .arguments = arguments, .global = {64 * 20}, .local = {64}};
        struct cy_launch *launch;
        bool waits = i % 3 == 2;
        enum cy_status status = (waits ? cy_launch_start : cy_launch_run)(runner->device, &desc, &launch, NULL);
        if (!launch)
            break;
        runner->good -= status != CY_OK;
        runner->good += (waits ? cy_launch_wait : cy_launch_poll)(launch) == CY_OK;
        cy_launch_release(launch);
    }
    cy_arguments_destroy(arguments);
    return NULL;
}

static void test_run_by_caller(void)
{
    enum { RUNNERS = 4 };
    struct cy_device *device = guest_device("sms=4 host-threads=3");
    struct cy_program *program = guest_program(device, add_kernel);
    struct runner runners[RUNNERS];
    pthread_t threads[RUNNERS];
    for (unsigned i = 0; i < RUNNERS; i++) {
        runners[i] = (struct runner){.device = device, .program = program};
        CHECK_EQ(cy_device_alloc(device, 4, 0, &runners[i].buffer), CY_OK);
        CHECK_EQ(pthread_create(&threads[i], NULL, run_many, &runners[i]), 0);
    }
    for (unsigned i = 0; i < RUNNERS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_EQ(runners[i].good, 50);
        CHECK_EQ(*(uint32_t *)cy_device_map(device, runners[i].buffer, 4), 50 * 64 * 20);
    }
    cy_program_release(program);
    cy_device_close(device);
}

/* A kernel may use more private memory than there is room for all at once: then fewer workgroups are resident. */
static void test_private_limit(void)
{
    struct cy_device *device = guest_device("sms=4 threads=32 memory=4M");
    struct cy_program *program = guest_program(device, add_kernel);
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    uint32_t buffer, pds = 8192;
    CHECK_EQ(cy_device_alloc(device, 4, 0, &buffer), CY_OK);
    cy_arguments_pointer(arguments, buffer);
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .global = {64 * 100},
                                  .local = {64},
                                  .pds_bytes = &pds};
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    struct cy_counters counters;
    cy_launch_counters(launch, &counters);
    CHECK_STR(counters.limited_by, "private memory");
    CHECK_EQ(*(uint32_t *)cy_device_map(device, buffer, 4), 6400);
    cy_launch_release(launch);
    pds = 1 << 20;
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_ERROR_MEMORY);
    CHECK(
        strstr(cy_launch_message(launch), "out of device memory: a workgroup needs 67108864 bytes of private memory"));
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
}

TEST_MAIN(test_ranges, test_arguments, test_global_base, test_threads, test_deterministic, test_loading,
          test_bad_images, test_bad_launches, test_memory_calls, test_queue, test_cancel, test_close, test_devices,
          test_bss, test_observers, test_passing, test_lane_counters, test_run_by_caller, test_private_limit)
