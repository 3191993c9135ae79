/* A sampled launch takes the same cycles on any number of host threads, in whatever order these run workgroups.  The tools time launches
 * on a deterministic device; programs need not. */
#include "chengying/timing.h"
#include "gpu_device/guest.h"

/* A loop that is longer in some workgroups than in others, and stores. */
static const char *const source =
    GUEST_ID "    csrr t1, CSR_GIDX\n    andi t2, t1, 7\n    addi t2, t2, 20\n    slli t1, t1, 5\n    add t1, t1, t0\n"
             "2:  sw t2, 0(t1)\n    lw t3, 0(t1)\n    vadd.vx v1, v1, t3\n    addi t2, t2, -1\n    bnez t2, 2b\n"
             "    ret\n    .size k, .-k\n    .ventus_kernel k\n";

static uint64_t cycles_of(const char *settings, bool is_sampled, struct cy_timing_sampled *sampled)
{
    enum { GROUPS = 3000, LOCAL = 16 };
    struct cy_timing_config config;
    cy_timing_config_default(&config);
    CHECK_EQ(cy_timing_config_set(&config, is_sampled ? "sample_after=20000" : "sample_after=0", NULL), CY_OK);
    CHECK_EQ(cy_timing_config_set(&config, "sample_window=2000", NULL), CY_OK);
    struct cy_device *device = guest_device(settings);
    struct cy_program *program = guest_program(device, source);
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_timing *timing = cy_timing_create(&config);
    struct cy_observers observers = cy_timing_observers(timing);
    struct cy_launch *launch;
    uint32_t out;
    CHECK_EQ(cy_device_alloc(device, GROUPS * 32, 0, &out), CY_OK);
    cy_arguments_pointer(arguments, out);
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .global = {GROUPS * LOCAL},
                                  .local = {LOCAL},
                                  .observers = &observers};
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    const uint64_t cycles = cy_timing_finish(timing);
    cy_timing_sampled(timing, sampled);
    CHECK_EQ(*(uint32_t *)cy_device_map(device, out + (GROUPS - 1) * 32, 4), 1);
    cy_launch_release(launch);
    cy_timing_destroy(timing);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
    return cycles;
}

static void test_hosts(void)
{
    static const char *const hosts[] = {"sms=4 threads=8 host-threads=1", "sms=4 threads=8 host-threads=2",
                                        "sms=4 threads=8 host-threads=4", "sms=4 threads=8 host-threads=4 slice=50"};
    struct cy_timing_sampled first, sampled;
    const uint64_t exact = cycles_of("sms=4 threads=8 deterministic=yes", false, &sampled);
    CHECK_EQ(sampled.computed, sampled.instructions);
    const uint64_t cycles = cycles_of("sms=4 threads=8 deterministic=yes", true, &first);
    CHECK_EQ(first.instructions, sampled.instructions);
    CHECK(first.computed < first.instructions / 4 * 3);
    CHECK(cycles > exact - exact / 50 && cycles < exact + exact / 50);
    for (size_t i = 0; i < CY_COUNT(hosts); i++) {
        CHECK_EQ(cycles_of(hosts[i], true, &sampled), cycles);
        CHECK_EQ(sampled.computed, first.computed);
        CHECK(sampled.error == first.error);
    }
}

TEST_MAIN(test_hosts)
