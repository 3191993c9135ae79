/* The dispatcher: pools, the order of placement, limits, and kernels that never fit. */
#include "gpu/device/machine.h"
#include "gpu_device/guest.h"

/* ---- pools ---- */

static void test_best_fit(void)
{
    struct cy_range used[16];
    struct cy_pool pool = {.size = 64, .granule = 4, .used = used};
    uint32_t a, b, c, d, start;
    CHECK(cy_pool_take(&pool, 10, &a)); /* 12 */
    CHECK(cy_pool_take(&pool, 16, &b));
    CHECK(cy_pool_take(&pool, 8, &c));
    CHECK(cy_pool_take(&pool, 20, &d));
    CHECK_EQ(a, 0);
    CHECK_EQ(b, 12);
    CHECK_EQ(c, 28);
    CHECK_EQ(d, 36);
    CHECK(!cy_pool_take(&pool, 9, &start)); /* 8 are left */
    cy_pool_give(&pool, b, 16);             /* holes of 16 at 12, and of 8 at 56 */
    CHECK(cy_pool_take(&pool, 8, &start));
    CHECK_EQ(start, 56); /* the smaller hole */
    CHECK(cy_pool_take(&pool, 8, &start));
    CHECK_EQ(start, 12);
    CHECK(!cy_pool_take(&pool, 12, &start));
    cy_pool_give(&pool, c, 8); /* 20..36 merge */
    CHECK(cy_pool_take(&pool, 16, &start));
    CHECK_EQ(start, 20);
}

/* Against a map of bytes. */
static void test_pool_random(void)
{
    enum { SIZE = 96, SLOTS = 8 };
    struct cy_range used[SLOTS + 1], held[SLOTS];
    struct cy_pool pool = {.size = SIZE, .granule = 4, .used = used};
    uint8_t map[SIZE] = {0};
    size_t count = 0;
    uint32_t state = 1;
    for (int round = 0; round < 20000; round++) {
        state = state * 1664525 + 1013904223;
        if (count == SLOTS || (count && state >> 31)) {
            size_t i = (state >> 8) % count;
            cy_pool_give(&pool, held[i].start, held[i].size);
            memset(map + held[i].start, 0, held[i].size);
            held[i] = held[--count];
            continue;
        }
        uint32_t size = 1 + (state >> 8) % 40, rounded = (size + 3) / 4 * 4, start, best = UINT32_MAX, best_at = 0;
        for (uint32_t at = 0; at < SIZE;) { /* the smallest hole that is large enough, the first of equals */
            uint32_t end = at;
            while (end < SIZE && !map[end])
                end++;
            if (end - at >= rounded && end - at < best) {
                best = end - at;
                best_at = at;
            }
            at = end + 1;
            while (at < SIZE && map[at])
                at++;
        }
        bool taken = cy_pool_take(&pool, size, &start);
        if (!CHECK_EQ(taken, best != UINT32_MAX) || !taken)
            continue;
        CHECK_EQ(start, best_at);
        memset(map + start, 1, rounded);
        held[count++] = (struct cy_range){start, rounded};
    }
}

/* ---- placement ---- */

/* A few thousand instructions, so that workgroups stay until all first ones are placed. */
static const char *const busy_kernel = GUEST_ID "    li t1, 2000\n1:  addi t1, t1, -1\n    bnez t1, 1b\n" GUEST_END;

struct placed {
    uint32_t sm[64], count, resident[8], most[8];
};

static void on_start(void *context, uint32_t sm, const uint32_t workgroup[3])
{
    struct placed *placed = context;
    CHECK_EQ(workgroup[0], placed->count); /* x fastest */
    placed->sm[placed->count++] = sm;
    if (++placed->resident[sm] > placed->most[sm])
        placed->most[sm] = placed->resident[sm];
}

static void on_end(void *context, uint32_t sm, const uint32_t workgroup[3])
{
    (void)workgroup;
    ((struct placed *)context)->resident[sm]--;
}

static void place(const char *settings, const char *source, uint32_t groups, uint32_t local, uint32_t lds,
                  struct placed *placed, struct cy_counters *counters)
{
    struct cy_device *device = guest_device(settings);
    struct cy_program *program = guest_program(device, source);
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_observers observers = {.context = placed, .workgroup_start = on_start, .workgroup_end = on_end};
    struct cy_launch *launch;
    memset(placed, 0, sizeof(*placed));
    cy_arguments_pointer(arguments, 0);
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .global = {groups * local},
                                  .local = {local},
                                  .lds_bytes = lds,
                                  .observers = &observers};
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    cy_launch_counters(launch, counters);
    CHECK_EQ(placed->count, groups);
    CHECK_EQ(counters->workgroups, groups);
    CHECK_EQ(counters->workgroups_total, groups);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
}

static void test_order(void)
{
    struct placed placed;
    struct cy_counters counters;
    place("sms=3 threads=8 deterministic=yes", busy_kernel, 7, 8, 0, &placed, &counters);
    for (uint32_t i = 0; i < 7; i++)
        CHECK_EQ(placed.sm[i], i % 3); /* the next SM after the last used */
    CHECK_STR(counters.limited_by, "grid");
}

static void test_limits(void)
{
    struct placed placed;
    struct cy_counters counters;
    /* two warps of 8 each: four workgroups fill the eight warps */
    place("sms=2 warps=8 threads=8 deterministic=yes", busy_kernel, 30, 16, 0, &placed, &counters);
    CHECK_EQ(placed.most[0], 4);
    CHECK_EQ(counters.resident_workgroups, 4);
    CHECK_EQ(counters.resident_warps, 8);
    CHECK_EQ(counters.most_warps, 8);
    CHECK_STR(counters.limited_by, "warps");
    place("sms=2 warps=8 threads=8 deterministic=yes workgroups=3", busy_kernel, 30, 16, 0, &placed, &counters);
    CHECK_EQ(placed.most[0], 3);
    CHECK_STR(counters.limited_by, "workgroup slots");
    /* 1 KiB of stack per warp, 1 KiB of the record, 28 KiB: 30 KiB and more twice in 64 KiB */
    place("sms=2 warps=8 threads=8 deterministic=yes lds=64K", busy_kernel, 30, 8, 28 << 10, &placed, &counters);
    CHECK_EQ(placed.most[0], 2);
    CHECK_EQ(placed.most[1], 2);
    CHECK_STR(counters.limited_by, "local memory");
}

static void test_registers(void)
{
    struct placed placed;
    struct cy_counters counters;
    static const char *const source =
        GUEST_ID "    li t1, 2000\n1:  addi t1, t1, -1\n    bnez t1, 1b\n    vmv.v.i v101, 0\n"
                 "    ret\n    .size k, .-k\n    .ventus_kernel k, vgpr=102, sgpr=30\n";
    /* 102 vGPRs take 104 */
    place("sms=1 threads=8 deterministic=yes vgprs=320", source, 9, 8, 0, &placed, &counters);
    CHECK_EQ(placed.most[0], 3);
    CHECK_STR(counters.limited_by, "vGPRs");
    place("sms=1 threads=8 deterministic=yes sgprs=64", source, 9, 8, 0, &placed, &counters);
    CHECK_EQ(placed.most[0], 2);
    CHECK_STR(counters.limited_by, "sGPRs");
}

/* ---- never ---- */

static void never(const char *settings, const char *source, uint32_t local, uint32_t lds, const char *expected)
{
    struct cy_device *device = guest_device(settings);
    struct cy_program *program = guest_program(device, source);
    struct cy_launch_desc desc = {
        .program = program, .kernel = "k", .global = {local}, .local = {local}, .lds_bytes = lds};
    struct cy_launch *launch;
    char *message = NULL;
    CHECK_EQ(cy_launch_start(device, &desc, &launch, &message), CY_ERROR_RESOURCES);
    CHECK_STR(message, expected);
    free(message);
    cy_program_release(program);
    cy_device_close(device);
}

static void test_never_fits(void)
{
    static const char *const source =
        GUEST_ID "    ret\n    .size k, .-k\n    .ventus_kernel k, vgpr=64, sgpr=40, lds=2048\n";
    never("threads=32 warps=8", source, 300, 0,
          "error: kernel 'k' can never run: a workgroup of 300x1x1 work-items needs 10 warps of 32 threads; an SM has "
          "8\n");
    never("threads=32 lds=4K", source, 64, 1,
          "error: kernel 'k' can never run: a workgroup needs 4097 bytes of local memory (stacks of 2 warps 2048, "
          "variables 2048, arguments and extra 1); an SM has 4096\n");
    never("threads=32 sgprs=64 vgprs=100", source, 64, 0,
          "error: kernel 'k' can never run: a workgroup needs 80 sGPRs (2 warps of 40); an SM has 64\n"
          "error: kernel 'k' can never run: a workgroup needs 128 vGPRs (2 warps of 64); an SM has 100\n");
}

TEST_MAIN(test_best_fit, test_pool_random, test_order, test_limits, test_registers, test_never_fits)
