/* The engine alone: divergence, memory, modes, faults of one warp. */
#include "harness.h"

static const unsigned lane_counts[] = {4, 8, 16, 32, 64};

static void test_vid_and_memory(void)
{
    for (size_t c = 0; c < 5; c++) {
        unsigned lanes = lane_counts[c];
        struct harness h;
        if (!harness_open(&h, "ventus",
                          "vid.v v1\n vsll.vi v2, v1, 2\n li t0, 0x90000000\n vadd.vx v2, v2, t0\n"
                          "vmul.vv v3, v1, v1\n vsw12.v v3, 8(v2)\n vlw12.v v2, 8(v2)\n vadd.vv v40, v2, v1\n"
                          "vmv.x.s a0, v40\n endprg\n",
                          lanes))
            return;
        CHECK_EQ(cy_warp_run(&h.warp, 1000), CY_STOP_END);
        for (unsigned i = 0; i < lanes; i++) {
            uint32_t word;
            memcpy(&word, h.memory.base + DATA + 8 + 4 * i, 4);
            CHECK_EQ(word, i * i);
            CHECK_EQ(harness_lane(&h, 40, i), i * i + i);
        }
        CHECK_EQ(h.warp.x[10], (lanes - 1) * lanes);
        harness_close(&h);
    }
}

/* if (lane < 3) v2 = 100 + lane; else v2 = 200 + lane; nested: lane 1 gets 1000 added */
static void test_divergence(void)
{
    for (size_t c = 0; c < 5; c++) {
        unsigned lanes = lane_counts[c];
        struct harness h;
        if (!harness_open(&h, "ventus",
                          "vid.v v1\n li t0, 3\n vmv.v.x v3, t0\n"
                          "1: auipc t1, %pcrel_hi(join1)\n setrpc zero, t1, %pcrel_lo(1b)\n vblt v1, v3, small\n"
                          " li t2, 200\n vadd.vx v2, v1, t2\n j join1\n"
                          "small: li t2, 100\n vadd.vx v2, v1, t2\n li t0, 1\n vmv.v.x v4, t0\n"
                          "2: auipc t1, %pcrel_hi(join2)\n setrpc zero, t1, %pcrel_lo(2b)\n vbne v1, v4, join2\n"
                          " li t2, 1000\n vadd.vx v2, v2, t2\n"
                          "join2: join\n"
                          "join1: join\n endprg\n",
                          lanes))
            return;
        CHECK_EQ(cy_warp_run(&h.warp, 1000), CY_STOP_END);
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(harness_lane(&h, 2, i), i == 1 ? 1101 : i < 3 ? 100 + i : 200 + i);
        CHECK_EQ(h.warp.depth, 0);
        harness_close(&h);
    }
}

TEST_MAIN(test_vid_and_memory, test_divergence)
