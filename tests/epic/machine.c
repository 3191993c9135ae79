/* The machine as a whole: barriers, depth, frames, faults, watchdog, threads, counters, callbacks. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "epic/gpu.h"
#include "support/host_fp.h"

static const struct cy_epic_config small = {.memory_bytes = 1 << 16, .width = 8, .height = 4};

static enum cy_epic_status launch_code(struct cy_epic *gpu, const struct code *code, uint32_t blocks,
                                       struct cy_epic_fault *fault)
{
    load_code(gpu, code, 0, 0x40);
    return cy_epic_launch(gpu, 0, blocks, fault);
}

/* ---- barriers ---- */

/* Lanes reach the barrier by paths of different lengths, some have ended: after it every lane sees every value. */
static void test_sync(void)
{
    struct cy_epic *gpu = make_gpu(&small);
    struct code code = {.count = 0};
    emit(&code, i_type(SEQ, 9, 3, 5)); /* lane 5 ends at once */
    emit(&code, branch(8));
    emit(&code, jump(8));
    emit(&code, EXIT);
    emit(&code, i_type(ADD, 10, 3, 0)); /* lane n iterates n times */
    emit(&code, i_type(SLT, 9, 10, 1));
    emit(&code, branch(12));
    emit(&code, i_type(SUB, 10, 10, 1));
    emit(&code, jump(-12));
    emit(&code, i_type(SLL, 10, 3, 2));
    emit(&code, i_type(ADD, 11, 3, 100));
    emit(&code, sw(11, 10));
    emit(&code, i_type(SLT, 9, 3, 4)); /* half of the lanes wait here, */
    emit(&code, branch(12));
    emit(&code, SYNC);
    emit(&code, jump(8));
    emit(&code, SYNC);                  /* the others there */
    emit(&code, i_type(ADD, 12, 3, 1)); /* the value of the next lane */
    emit(&code, r_type(REM, 12, 12, 2));
    emit(&code, i_type(SLL, 12, 12, 2));
    emit(&code, lw(13, 12));
    emit(&code, i_type(ADD, 10, 10, 64));
    emit(&code, sw(13, 10));
    emit(&code, EXIT);
    run_code(gpu, &code, 1);
    for (uint32_t lane = 0; lane < 8; lane++) {
        CHECK_EQ(read_word(gpu, lane * 4), lane == 5 ? 0 : 100 + lane);
        CHECK_EQ(read_word(gpu, 64 + lane * 4), lane == 5 || lane == 4 ? 0 : 100 + (lane + 1) % 8);
    }
    cy_epic_destroy(gpu);
}

/* ---- depth ---- */

/* Lanes of one instruction act in lane order; signed comparison; equal is not nearer. */
static void test_depth(void)
{
    struct cy_epic *gpu = make_gpu(&small);
    const int32_t values[8] = {7, 5, 6, 5, -1, 0, INT32_MIN, INT32_MAX};
    const uint32_t wins[8] = {1, 1, 0, 0, 1, 0, 1, 0};
    struct code code = {.count = 0};
    CHECK_EQ(cy_epic_write(gpu, 0x100, values, sizeof(values)), CY_EPIC_OK);
    emit(&code, i_type(SLL, 10, 3, 2));
    emit(&code, i_type(ADD, 10, 10, 0x100));
    emit(&code, lw(11, 10));
    emit(&code, i_type(ADD, 12, 0, 0x400));
    emit(&code, sz(11, 12)); /* all lanes the same pixel */
    emit(&code, sw(11, 12) | PREDICATED);
    emit(&code, i_type(ADD, 13, 0, 0));
    emit(&code, i_type(ADD, 13, 0, 1) | PREDICATED);
    emit(&code, i_type(ADD, 10, 10, 0x100));
    emit(&code, sw(13, 10));
    emit(&code, EXIT);
    run_code(gpu, &code, 1);
    int32_t depth[2];
    for (uint32_t lane = 0; lane < 8; lane++)
        CHECK_EQ(read_word(gpu, 0x200 + lane * 4), wins[lane]);
    CHECK_EQ(cy_epic_read_depth(gpu, 0x400, depth, 2), CY_EPIC_OK);
    CHECK_EQ(depth[0], INT32_MIN);
    CHECK_EQ(depth[1], CY_EPIC_DEPTH_FAR);
    CHECK_EQ(read_word(gpu, 0x400), (uint32_t)INT32_MIN);
    CHECK_EQ(cy_epic_clear_depth(gpu), CY_EPIC_OK);
    CHECK_EQ(cy_epic_read_depth(gpu, 0x400, depth, 1), CY_EPIC_OK);
    CHECK_EQ(depth[0], CY_EPIC_DEPTH_FAR);
    cy_epic_destroy(gpu);
}

/* disp clears the depth of what it shows, and of nothing else; keep_depth leaves it. */
static void test_depth_of_frames(void)
{
    for (int keep = 0; keep < 2; keep++) {
        struct cy_epic_config config = small;
        config.keep_depth = keep;
        struct cy_epic *gpu = make_gpu(&config);
        struct code code = {.count = 0};
        emit(&code, i_type(ADD, 10, 0, 3));
        emit(&code, i_type(ADD, 11, 0, 0x100)); /* a frame is 128 bytes */
        emit(&code, sz(10, 11));
        emit(&code, i_type(ADD, 12, 0, 0x17c));
        emit(&code, sz(10, 12));
        emit(&code, i_type(ADD, 13, 0, 0x180));
        emit(&code, sz(10, 13));
        emit(&code, disp(11));
        emit(&code, EXIT);
        run_code(gpu, &code, 1);
        int32_t depth[33];
        CHECK_EQ(cy_epic_read_depth(gpu, 0x100, depth, 33), CY_EPIC_OK);
        CHECK_EQ(depth[0], keep ? 3 : CY_EPIC_DEPTH_FAR);
        CHECK_EQ(depth[31], keep ? 3 : CY_EPIC_DEPTH_FAR);
        CHECK_EQ(depth[32], 3);
        cy_epic_destroy(gpu);
    }
}

/* ---- frames ---- */

struct frame_log {
    uint32_t count, stop_after;
    struct {
        uint32_t block, address, first_pixel;
    } at[4096];
    struct cy_epic *gpu;
    pthread_t thread;
};

static bool log_frame(void *user, const struct cy_epic_frame *frame)
{
    struct frame_log *log = user;
    uint32_t word;
    CHECK_EQ(frame->number, log->count);
    CHECK(pthread_equal(pthread_self(), log->thread));
    if (log->count < 4096) {
        log->at[log->count].block = frame->block;
        log->at[log->count].address = frame->address;
        log->at[log->count].first_pixel = frame->pixels[0];
    }
    log->count++;
    /* The device is busy during its own callback. */
    if (log->gpu) {
        CHECK_EQ(cy_epic_read(log->gpu, 0, &word, 4), CY_EPIC_BUSY);
        CHECK_EQ(cy_epic_launch(log->gpu, 0, 1, NULL), CY_EPIC_BUSY);
        CHECK_EQ(cy_epic_load(log->gpu, &word, 0, NULL), CY_EPIC_BUSY);
    }
    return log->count != log->stop_after;
}

static struct frame_log frame_log;

static struct cy_epic *make_logged(uint32_t cores, uint32_t threads)
{
    struct cy_epic_config config = small;
    config.cores = cores;
    config.threads = threads;
    struct cy_epic *gpu = make_gpu(&config);
    memset(&frame_log, 0, sizeof(frame_log));
    frame_log.thread = pthread_self();
    CHECK_EQ(cy_epic_on_frame(gpu, log_frame, &frame_log), CY_EPIC_OK);
    return gpu;
}

/* Lanes that show the same buffer show it once; different buffers are shown in lane order; predicates apply. */
static void test_disp_lanes(void)
{
    struct cy_epic *gpu = make_logged(1, 1);
    struct code code = {.count = 0};
    emit(&code, disp(0));
    emit(&code, i_type(AND, 10, 3, 3)); /* four buffers */
    emit(&code, i_type(XOR, 10, 10, 1));
    emit(&code, i_type(SLL, 10, 10, 7));
    emit(&code, disp(10));
    emit(&code, i_type(SEQ, 9, 3, 6));
    emit(&code, disp(10) | PREDICATED);
    emit(&code, i_type(SEQ, 9, 3, 9));
    emit(&code, disp(10) | PREDICATED); /* nobody */
    emit(&code, EXIT);
    run_code(gpu, &code, 1);
    static const uint32_t addresses[] = {0, 0x80, 0, 0x180, 0x100, 0x180};
    CHECK_EQ(frame_log.count, 6);
    for (int i = 0; i < 6; i++)
        CHECK_EQ(frame_log.at[i].address, addresses[i]);
    cy_epic_destroy(gpu);
}

/* Every block draws and shows two frames: they come in the order of the blocks, each with what its block drew, on one
 * thread or on many. */
static void test_frame_order(void)
{
    static const uint32_t threads[] = {1, 2, 7, 16};
    for (size_t n = 0; n < 4; n++) {
        struct cy_epic *gpu = make_logged(16, threads[n]);
        frame_log.gpu = gpu;
        struct code code = {.count = 0};
        emit(&code, i_type(AND, 10, 1, 255)); /* a buffer of 128 bytes for each of 256 blocks */
        emit(&code, i_type(SLL, 10, 10, 7));
        emit(&code, i_type(MUL, 11, 1, 3));
        emit(&code, sw(11, 10));
        emit(&code, disp(10));
        emit(&code, i_type(ADD, 11, 11, 1));
        emit(&code, sw(11, 10));
        emit(&code, disp(10));
        emit(&code, EXIT);
        run_code(gpu, &code, 1000);
        CHECK_EQ(frame_log.count, 2000);
        for (uint32_t i = 0; i < 2000; i++) {
            CHECK_EQ(frame_log.at[i].block, i / 2);
            CHECK_EQ(frame_log.at[i].address, (i / 2 & 255) * 128);
            CHECK_EQ(frame_log.at[i].first_pixel, i / 2 * 3 + i % 2);
        }
        cy_epic_destroy(gpu);
    }
}

/* The last block shows what all the others drew. */
static void test_last_block_shows(void)
{
    for (int round = 0; round < 20; round++) {
        struct cy_epic *gpu = make_logged(8, 8);
        struct code code = {.count = 0};
        emit(&code, i_type(SUB, 10, 0, 0));
        emit(&code, i_type(SEQ, 9, 1, 0)); /* block 0, whose pixel is looked at, takes its time */
        emit(&code, i_type(ADD, 10, 0, 2000) | PREDICATED);
        emit(&code, i_type(SUB, 10, 10, 1));
        emit(&code, r_type(SLT, 9, 0, 10));
        emit(&code, branch(-8));
        emit(&code, i_type(SLL, 11, 1, 2));
        emit(&code, i_type(ADD, 12, 1, 1234));
        emit(&code, sw(12, 11));
        emit(&code, i_type(SEQ, 9, 1, 31));
        emit(&code, disp(0) | PREDICATED);
        emit(&code, EXIT);
        run_code(gpu, &code, 32);
        CHECK_EQ(frame_log.count, 1);
        CHECK_EQ(frame_log.at[0].first_pixel, 1234);
        cy_epic_destroy(gpu);
    }
}

static void test_stop(void)
{
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        struct cy_epic *gpu = make_logged(4, threads);
        struct code code = {.count = 0};
        frame_log.stop_after = 3;
        emit(&code, disp(0));
        emit(&code, jump(-4)); /* for ever */
        load_code(gpu, &code, 0, 0);
        CHECK_EQ(cy_epic_launch(gpu, 0, 100, NULL), CY_EPIC_STOPPED);
        CHECK_EQ(frame_log.count, 3);
        cy_epic_destroy(gpu);
    }
}

/* ---- faults ---- */

static void check_fault(uint32_t word, uint32_t value, enum cy_epic_fault_kind kind, uint32_t lane, uint32_t address,
                        const char *text)
{
    struct cy_epic *gpu = make_gpu(&small);
    struct cy_epic_fault fault;
    struct code code = {.count = 0};
    load_value(&code, 10, value); /* it is wrong only from lane 3 on */
    emit(&code, i_type(SLT, 9, 3, 3));
    emit(&code, i_type(ADD, 10, 0, 0) | PREDICATED);
    emit(&code, word);
    emit(&code, EXIT);
    CHECK_EQ(launch_code(gpu, &code, 2, &fault), CY_EPIC_FAULT);
    CHECK_EQ(fault.kind, kind);
    CHECK_EQ(fault.block, 0);
    CHECK_EQ(fault.core, 0);
    CHECK_EQ(fault.lane, lane);
    CHECK_EQ(fault.pc, 0x100 + 7 * 4);
    CHECK_EQ(fault.address, address);
    CHECK_EQ(fault.word, word);
    CHECK_EQ(fault.line, 0);
    CHECK_STR(fault.text, text);
    /* Only the launch failed. */
    code.count = 0;
    emit(&code, EXIT);
    CHECK_EQ(launch_code(gpu, &code, 2, &fault), CY_EPIC_OK);
    CHECK_EQ(fault.kind, CY_EPIC_FAULT_NONE);
    cy_epic_destroy(gpu);
}

static void test_faults(void)
{
    check_fault(
        lw(11, 10), 2, CY_EPIC_FAULT_MISALIGNED, 3, 2,
        "misaligned address: address 0x00000002 is not a multiple of 4 (block 0, core 0, lane 3, pc 0x0000011c: "
        "lw r11, (r10))");
    check_fault(
        sw(11, 10), 0x10000, CY_EPIC_FAULT_OUT_OF_RANGE, 3, 0x10000,
        "address out of range: address 0x00010000 is beyond the 65536 bytes of memory (block 0, core 0, lane 3, pc "
        "0x0000011c: sw r11, (r10))");
    check_fault(
        sz(11, 10), 0xfffffffc, CY_EPIC_FAULT_OUT_OF_RANGE, 3, 0xfffffffc,
        "address out of range: address 0xfffffffc is beyond the 65536 bytes of memory (block 0, core 0, lane 3, pc "
        "0x0000011c: sz r11, (r10))");
    check_fault(
        disp(10), 0xff84, CY_EPIC_FAULT_OUT_OF_RANGE, 3, 0xff84,
        "address out of range: address 0x0000ff84 is beyond the 65536 bytes of memory (block 0, core 0, lane 3, pc "
        "0x0000011c: disp r10)");
    check_fault(
        disp(10), 0x81, CY_EPIC_FAULT_MISALIGNED, 3, 0x81,
        "misaligned address: address 0x00000081 is not a multiple of 4 (block 0, core 0, lane 3, pc 0x0000011c: "
        "disp r10)");
    check_fault(0x6ffffc00, 0, CY_EPIC_FAULT_ILLEGAL, 0, 0,
                "illegal instruction: 0x6ffffc00 is no instruction (block 0, core 0, lane 0, pc 0x0000011c: .word "
                "0x6ffffc00)");
    check_fault(XEND, 0, CY_EPIC_FAULT_ILLEGAL, 0, 0,
                "illegal instruction: 0xb0000000 is a host command, not an instruction for lanes (block 0, core 0, "
                "lane 0, pc 0x0000011c: xend)");
    check_fault(jump(64), 0, CY_EPIC_FAULT_BAD_TARGET, 0, 0x15c,
                "bad jump target: there is no instruction at 0x0000015c (block 0, core 0, lane 0, pc 0x0000011c: "
                "jump 0x15c)");
    check_fault(branch(-0x200), 0, CY_EPIC_FAULT_BAD_TARGET, 0, 0xffffff1c,
                "bad jump target: there is no instruction at 0xffffff1c (block 0, core 0, lane 0, pc 0x0000011c: "
                "branch 0xffffff1c)");
    check_fault(call(31, 4, 10), 0x104, CY_EPIC_FAULT_BAD_TARGET, 0, 4,
                "bad jump target: there is no instruction at 0x00000004 (block 0, core 0, lane 0, pc 0x0000011c: "
                "call r31, 4(r10))");
    check_fault(ret(10), 0x122, CY_EPIC_FAULT_BAD_TARGET, 0, 0,
                "bad jump target: there is no instruction at 0x00000000 (block 0, core 0, lane 0, pc 0x0000011c: "
                "ret r10)");
}

static void test_falling_off(void)
{
    struct cy_epic *gpu = make_gpu(&small);
    struct cy_epic_fault fault;
    struct code code = {.count = 0};
    emit(&code, i_type(ADD, 10, 0, 1));
    CHECK_EQ(launch_code(gpu, &code, 1, &fault), CY_EPIC_FAULT);
    CHECK_EQ(fault.kind, CY_EPIC_FAULT_FELL_OFF);
    CHECK_EQ(fault.pc, 0x104);
    CHECK_STR(fault.text, "end of the program: ran past the last instruction of the program (block 0, core 0, lane 0, "
                          "pc 0x00000104)");
    /* Another program right after it does not help; but it may be called. */
    struct code next = {.count = 0};
    emit(&next, i_type(ADD, 11, 0, 5));
    emit(&next, ret(31));
    load_code(gpu, &next, 1, 0x41);
    CHECK_EQ(cy_epic_launch(gpu, 0, 1, &fault), CY_EPIC_FAULT);
    CHECK_EQ(fault.kind, CY_EPIC_FAULT_FELL_OFF);
    struct code caller = {.count = 0};
    emit(&caller, call(31, 0x104, 0));
    emit(&caller, sw(11, 0));
    emit(&caller, EXIT);
    load_code(gpu, &caller, 2, 0x80);
    CHECK_EQ(cy_epic_launch(gpu, 2, 1, &fault), CY_EPIC_OK);
    CHECK_EQ(read_word(gpu, 0), 5);
    cy_epic_destroy(gpu);
}

/* Predicated off, a bad access does nothing. */
static void test_predicated_faults(void)
{
    struct cy_epic *gpu = make_gpu(&small);
    struct code code = {.count = 0};
    emit(&code, i_type(ADD, 10, 0, 1));
    emit(&code, lw(11, 10) | PREDICATED);
    emit(&code, sw(11, 10) | PREDICATED);
    emit(&code, sz(11, 10) | PREDICATED);
    emit(&code, disp(10) | PREDICATED);
    emit(&code, r_type(31, 10, 10, 10) | PREDICATED); /* no instruction at all */
    emit(&code, branch(0x4000));
    emit(&code, EXIT);
    run_code(gpu, &code, 1);
    cy_epic_destroy(gpu);
}

/* A faulting instruction has no effect, and of several blocks the lowest is reported, on any number of threads. */
static void test_which_fault(void)
{
    for (uint32_t threads = 1; threads <= 16; threads *= 4) {
        struct cy_epic_config config = small;
        config.cores = 16;
        config.threads = threads;
        struct cy_epic *gpu = make_gpu(&config);
        struct cy_epic_fault fault;
        struct code code = {.count = 0};
        emit(&code, i_type(SEQ, 9, 1, 37)); /* block 37 takes long: others fault before it does */
        emit(&code, lui(10, 4) | PREDICATED);
        emit(&code, i_type(SUB, 10, 10, 1));
        emit(&code, r_type(SLT, 9, 0, 10));
        emit(&code, branch(-8));
        emit(&code, i_type(SLT, 9, 1, 37)); /* blocks from 37 on store to a wrong place, lane 7 does */
        emit(&code, i_type(SEQ, 9, 9, 0));
        emit(&code, i_type(SEQ, 9, 3, 7) | PREDICATED);
        emit(&code, i_type(SLL, 11, 3, 2));
        emit(&code, i_type(ADD, 11, 11, 1) | PREDICATED);
        emit(&code, i_type(ADD, 12, 1, 1));
        emit(&code, sw(12, 11));
        emit(&code, EXIT);
        CHECK_EQ(launch_code(gpu, &code, 300, &fault), CY_EPIC_FAULT);
        CHECK_EQ(fault.block, 37);
        CHECK_EQ(fault.core, 37 % 16);
        CHECK_EQ(fault.lane, 7);
        CHECK_EQ(fault.address, 29);
        if (threads == 1)
            for (uint32_t lane = 0; lane < 8; lane++)
                CHECK_EQ(read_word(gpu, lane * 4), 37); /* of block 36 */
        cy_epic_destroy(gpu);
    }
}

static void test_fpga(void)
{
    struct cy_epic_config config = small;
    config.fpga = true;
    struct cy_epic *gpu = make_gpu(&config);
    struct cy_epic_fault fault;
    struct code code = {.count = 0};
    emit(&code, r_type(ADD, 10, 1, 2));
    emit(&code, f_type(FSQRT, 10, 10, 0));
    emit(&code, r_type(OR, 10, 1, 2));
    emit(&code, EXIT);
    CHECK_EQ(launch_code(gpu, &code, 1, &fault), CY_EPIC_FAULT);
    CHECK_EQ(fault.kind, CY_EPIC_FAULT_ILLEGAL);
    CHECK_EQ(fault.pc, 0x108);
    CHECK(strstr(fault.text, "is an instruction that the FPGA does not have") && strstr(fault.text, "or r10, r1, r2"));
    cy_epic_destroy(gpu);
}

static void test_lines(void)
{
    static const struct cy_epic_line lines[] = {{0x40, 3}, {0x41, 7}, {0x43, 9}};
    struct cy_epic *gpu = make_gpu(&small);
    struct cy_epic_fault fault;
    struct code code = {.count = 0};
    CHECK_EQ(cy_epic_set_lines(gpu, 0, "a.s", lines, 3), CY_EPIC_EMPTY);
    CHECK_EQ(cy_epic_set_lines(gpu, 8, "a.s", lines, 3), CY_EPIC_BAD_ARGUMENT);
    emit(&code, i_type(ADD, 10, 0, 1));
    emit(&code, i_type(ADD, 10, 0, 1));
    emit(&code, lw(10, 10));
    emit(&code, EXIT);
    load_code(gpu, &code, 0, 0x40);
    CHECK_EQ(cy_epic_set_lines(gpu, 0, "a.s", lines, 3), CY_EPIC_OK);
    CHECK_EQ(cy_epic_launch(gpu, 0, 1, &fault), CY_EPIC_FAULT);
    CHECK_EQ(fault.line, 7);
    CHECK_STR(fault.file, "a.s");
    CHECK_STR(fault.instruction, "lw r10, (r10)");
    CHECK(strncmp(fault.text, "a.s:7: misaligned address: ", 27) == 0);
    load_code(gpu, &code, 0, 0x40); /* loaded again: the lines are discarded */
    CHECK_EQ(cy_epic_launch(gpu, 0, 1, &fault), CY_EPIC_FAULT);
    CHECK_EQ(fault.line, 0);
    cy_epic_destroy(gpu);
}

/* ---- watchdog ---- */

static void test_watchdog(void)
{
    struct cy_epic_config config = small;
    config.watchdog_instructions = 100000;
    struct cy_epic *gpu = make_gpu(&config);
    struct cy_epic_fault fault;
    struct code code = {.count = 0};
    emit(&code, i_type(SEQ, 9, 1, 2)); /* block 2 does not end: lane 3 runs, the others wait for it */
    emit(&code, branch(8));
    emit(&code, EXIT);
    emit(&code, i_type(SEQ, 9, 3, 3));
    emit(&code, branch(12));
    emit(&code, SYNC);
    emit(&code, EXIT);
    emit(&code, jump(0));
    CHECK_EQ(launch_code(gpu, &code, 5, &fault), CY_EPIC_FAULT);
    CHECK_EQ(fault.kind, CY_EPIC_FAULT_WATCHDOG);
    CHECK_EQ(fault.block, 2);
    CHECK_EQ(fault.lane, 3);
    CHECK_EQ(fault.pc, 0x11c);
    CHECK_STR(fault.text,
              "watchdog: issued 100000 instructions and has not ended; 7 lanes wait at a sync (block 2, core 2, "
              "lane 3, pc 0x0000011c: jump 0x11c)");
    struct cy_epic_counters counters;
    cy_epic_read_counters(gpu, &counters);
    CHECK(counters.issued >= 100000 && counters.issued < 100100);
    cy_epic_destroy(gpu);

    config.watchdog_instructions = UINT64_MAX;
    config.watchdog_seconds = 0.05;
    gpu = make_gpu(&config);
    CHECK_EQ(launch_code(gpu, &code, 5, &fault), CY_EPIC_FAULT);
    CHECK_EQ(fault.kind, CY_EPIC_FAULT_WATCHDOG);
    CHECK(strncmp(fault.text, "watchdog: the launch took more than 0.05 seconds; 7 lanes wait at a sync", 71) == 0);
    cy_epic_destroy(gpu);

    /* A budget that is exactly enough, and one that is one too small. */
    config = small;
    code.count = 0;
    for (int i = 0; i < 9; i++)
        emit(&code, i_type(ADD, 10, 0, 1));
    emit(&code, EXIT);
    for (uint64_t budget = 9; budget <= 10; budget++) {
        config.watchdog_instructions = budget;
        gpu = make_gpu(&config);
        CHECK_EQ(launch_code(gpu, &code, 3, &fault), budget == 10 ? CY_EPIC_OK : CY_EPIC_FAULT);
        cy_epic_destroy(gpu);
    }
}

/* Infinite blocks below one that waits to show a frame. */
static void test_watchdog_and_disp(void)
{
    struct cy_epic_config config = small;
    config.watchdog_instructions = 100000;
    config.threads = 4;
    struct cy_epic *gpu = make_gpu(&config);
    struct cy_epic_fault fault;
    struct code code = {.count = 0};
    emit(&code, i_type(SEQ, 9, 1, 3));
    emit(&code, disp(0) | PREDICATED);
    emit(&code, i_type(SEQ, 9, 1, 1));
    emit(&code, branch(0));
    emit(&code, EXIT);
    CHECK_EQ(launch_code(gpu, &code, 4, &fault), CY_EPIC_FAULT);
    CHECK_EQ(fault.kind, CY_EPIC_FAULT_WATCHDOG);
    CHECK_EQ(fault.block, 1);
    struct cy_epic_counters counters;
    cy_epic_read_counters(gpu, &counters);
    CHECK_EQ(counters.frames, 0);
    cy_epic_destroy(gpu);
}

/* ---- threads ---- */

/* Blocks that write separate locations give the same memory and counters on any number of threads. */
static void test_threads(void)
{
    static uint32_t first[1 << 14], memory[1 << 14];
    struct cy_epic_counters first_counters, counters;
    for (uint32_t threads = 1; threads <= 16; threads++) {
        struct cy_epic_config config = small;
        config.cores = 16;
        config.threads = threads;
        config.counters = true;
        struct cy_epic *gpu = make_gpu(&config);
        struct code code = {.count = 0};
        emit(&code, r_type(MUL, 10, 1, 2));
        emit(&code, r_type(ADD, 10, 10, 3));
        emit(&code, i_type(SLL, 11, 10, 2));
        emit(&code, i_type(ADD, 12, 10, 1)); /* a few steps of 3n + 1 */
        emit(&code, i_type(AND, 13, 12, 1));
        emit(&code, i_type(SEQ, 9, 13, 1));
        emit(&code, branch(12));
        emit(&code, i_type(SRL, 12, 12, 1));
        emit(&code, jump(12));
        emit(&code, i_type(MUL, 12, 12, 3));
        emit(&code, i_type(ADD, 12, 12, 1));
        emit(&code, i_type(ADD, 14, 14, 1));
        emit(&code, i_type(SLT, 9, 14, 40));
        emit(&code, i_type(SEQ, 15, 12, 1));
        emit(&code, i_type(SEQ, 9, 9, 1));
        emit(&code, branch(-44));
        emit(&code, sw(12, 11));
        emit(&code, EXIT);
        run_code(gpu, &code, 2048);
        CHECK_EQ(cy_epic_read(gpu, 0, memory, sizeof(memory)), CY_EPIC_OK);
        cy_epic_read_counters(gpu, &counters);
        if (threads == 1) {
            memcpy(first, memory, sizeof(memory));
            first_counters = counters;
            CHECK_EQ(counters.blocks, 2048);
            CHECK_EQ(counters.stores, 2048 * 8);
        }
        CHECK(memcmp(first, memory, sizeof(memory)) == 0);
        CHECK(memcmp(&first_counters, &counters, sizeof(counters)) == 0);
        cy_epic_destroy(gpu);
    }
}

/* Blocks that share memory: on any number of threads the result is as if they ran one after the other. */
struct outcome {
    enum cy_epic_status status;
    struct cy_epic_fault fault;
    struct cy_epic_counters counters;
    uint32_t frames, first_pixels;
    uint8_t memory[1 << 22];
    int32_t depth[1 << 20];
};

static void run_in_order(const struct code *code, uint32_t blocks, uint32_t threads, uint32_t stop_after,
                         struct outcome *outcome)
{
    struct cy_epic_config config = small;
    config.cores = 16;
    config.threads = threads;
    config.memory_bytes = sizeof(outcome->memory);
    config.counters = true;
    struct cy_epic *gpu = make_gpu(&config);
    memset(outcome, 0, sizeof(*outcome));
    memset(&frame_log, 0, sizeof(frame_log));
    frame_log.thread = pthread_self();
    frame_log.stop_after = stop_after;
    CHECK_EQ(cy_epic_on_frame(gpu, log_frame, &frame_log), CY_EPIC_OK);
    outcome->status = launch_code(gpu, code, blocks, &outcome->fault);
    outcome->frames = frame_log.count;
    for (uint32_t i = 0; i < frame_log.count && i < 4096; i++)
        outcome->first_pixels = outcome->first_pixels * 31 + frame_log.at[i].first_pixel;
    cy_epic_read_counters(gpu, &outcome->counters);
    cy_epic_read(gpu, 0, outcome->memory, sizeof(outcome->memory));
    cy_epic_read_depth(gpu, 0, outcome->depth, sizeof(outcome->depth) / 4);
    cy_epic_destroy(gpu);
}

/* On one thread, then on others; the first outcome is left in `alone`. */
static struct outcome alone, together;
static void check_order(const struct code *code, uint32_t blocks, uint32_t stop_after)
{
    static const uint32_t threads[] = {2, 3, 16, 16, 16};
    run_in_order(code, blocks, 1, stop_after, &alone);
    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
        run_in_order(code, blocks, threads[i], stop_after, &together);
        CHECK_EQ(together.status, alone.status);
        CHECK_EQ(together.fault.block, alone.fault.block);
        CHECK_STR(together.fault.text, alone.fault.text);
        CHECK_EQ(together.frames, alone.frames);
        CHECK_EQ(together.first_pixels, alone.first_pixels);
        CHECK_EQ(together.counters.issued, alone.counters.issued);
        CHECK_EQ(together.counters.depth_passed, alone.counters.depth_passed);
        CHECK(memcmp(&together.counters, &alone.counters, sizeof(alone.counters)) == 0);
        CHECK(memcmp(together.memory, alone.memory, sizeof(alone.memory)) == 0);
        CHECK(memcmp(together.depth, alone.depth, sizeof(alone.depth)) == 0);
    }
}

static uint32_t word_of(const struct outcome *outcome, uint32_t address)
{
    uint32_t word;
    memcpy(&word, outcome->memory + address, 4);
    return word;
}

/* Some blocks take longer than others. */
static void emit_delay(struct code *code)
{
    emit(code, i_type(MUL, 20, 1, 37));
    emit(code, i_type(AND, 20, 20, 255));
    emit(code, i_type(SUB, 20, 20, 1));
    emit(code, r_type(SLT, 9, 0, 20));
    emit(code, branch(-8));
}

static void test_order(void)
{
    /* Every block increments word 0, and stores what it found there. */
    struct code code = {.count = 0};
    emit_delay(&code);
    emit(&code, lw(10, 0));
    emit(&code, i_type(SLL, 11, 1, 2));
    emit(&code, i_type(ADD, 11, 11, 0x400));
    emit(&code, sw(10, 11));
    emit(&code, i_type(ADD, 10, 10, 1));
    emit(&code, sw(10, 0));
    emit(&code, EXIT);
    check_order(&code, 500, 0);
    CHECK_EQ(word_of(&alone, 0), 500);
    for (uint32_t block = 0; block < 500; block++)
        CHECK_EQ(word_of(&alone, 0x400 + block * 4), block);

    /* They draw on the same pixels: depths that go up and down with the block. */
    code.count = 0;
    emit_delay(&code);
    emit(&code, i_type(SLL, 10, 3, 2));
    emit(&code, i_type(MUL, 11, 1, 97));
    emit(&code, r_type(ADD, 11, 11, 3));
    emit(&code, i_type(AND, 11, 11, 127));
    emit(&code, i_type(SRL, 12, 1, 1));
    emit(&code, r_type(SUB, 11, 11, 12)); /* nearer from block to block, now and then */
    emit(&code, sz(11, 10));
    emit(&code, sw(1, 10) | PREDICATED);
    emit(&code, EXIT);
    check_order(&code, 500, 0);
    CHECK_EQ(alone.counters.depth_passed + alone.counters.depth_rejected, 500 * 8);
    CHECK(alone.counters.depth_passed > 100 && alone.counters.depth_rejected > 100);

    /* One of them faults: those above it have no effect. */
    code.count--;
    emit(&code, i_type(SEQ, 9, 1, 137));
    emit(&code, sw(1, 1) | PREDICATED);
    emit(&code, EXIT);
    check_order(&code, 500, 0);
    CHECK_EQ(alone.status, CY_EPIC_FAULT);
    CHECK_EQ(alone.fault.block, 137);
    CHECK_EQ(alone.counters.blocks, 138);

    /* They show one buffer, and the host has seen enough. */
    code.count = 0;
    emit_delay(&code);
    emit(&code, lw(10, 0));
    emit(&code, r_type(ADD, 10, 10, 1));
    emit(&code, sw(10, 0));
    emit(&code, sz(10, 0));
    emit(&code, disp(0));
    emit(&code, sz(1, 0));
    emit(&code, EXIT);
    check_order(&code, 200, 0);
    CHECK_EQ(alone.frames, 200);
    check_order(&code, 200, 77);
    CHECK_EQ(alone.status, CY_EPIC_STOPPED);
    CHECK_EQ(alone.frames, 77);

    /* More pages than a block may touch before its turn, and a word that the block below has just written. */
    code.count = 0;
    load_value(&code, 10, 0);
    load_value(&code, 12, 1 << 22);
    emit(&code, lw(11, 10));
    emit(&code, r_type(ADD, 11, 11, 1));
    emit(&code, sw(11, 10));
    emit(&code, i_type(ADD, 10, 10, 2048));
    emit(&code, r_type(SLT, 9, 10, 12));
    emit(&code, branch(-20));
    emit(&code, EXIT);
    check_order(&code, 20, 0);
    CHECK_EQ(word_of(&alone, 2048), 19 * 20 / 2);

    /* A block that trusted what it read too early would never end; the first one takes its time. */
    code.count = 0;
    load_value(&code, 10, 300000);
    emit(&code, i_type(SEQ, 9, 1, 0));
    emit(&code, branch(8));
    emit(&code, jump(16));
    emit(&code, i_type(SUB, 10, 10, 1));
    emit(&code, r_type(SLT, 9, 0, 10));
    emit(&code, branch(-8));
    emit(&code, i_type(SEQ, 9, 1, 0)); /* block 0 sets the word, */
    emit(&code, sw(10, 0));            /* (the others write a place of their own) */
    emit(&code, i_type(ADD, 12, 0, 64));
    emit(&code, i_type(ADD, 13, 0, 1));
    emit(&code, sw(13, 12) | PREDICATED);
    emit(&code, lw(14, 12)); /* they wait for it */
    emit(&code, i_type(SEQ, 9, 14, 0));
    emit(&code, branch(-8));
    emit(&code, EXIT);
    check_order(&code, 20, 0);
    CHECK_EQ(alone.status, CY_EPIC_OK);
}

static void *user_thread(void *argument)
{
    struct cy_epic *gpu = argument;
    for (int i = 0; i < 50; i++) {
        uint32_t words[2] = {1, 2};
        if (cy_epic_launch(gpu, 0, 64, NULL) != CY_EPIC_OK || cy_epic_read(gpu, 0, words, 8) != CY_EPIC_OK ||
            words[0] != words[1])
            return argument;
    }
    return NULL;
}

/* Several threads use one device: launches do not overlap. */
static void test_shared_device(void)
{
    struct cy_epic_config config = small;
    config.threads = 2;
    struct cy_epic *gpu = make_gpu(&config);
    struct code code = {.count = 0};
    emit(&code, lw(10, 0)); /* block 63 counts launches in two words */
    emit(&code, i_type(ADD, 10, 10, 1));
    emit(&code, i_type(ADD, 11, 0, 4));
    emit(&code, i_type(SEQ, 9, 1, 63));
    emit(&code, sw(10, 0) | PREDICATED);
    emit(&code, sw(10, 11) | PREDICATED);
    emit(&code, EXIT);
    load_code(gpu, &code, 0, 0);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, user_thread, gpu);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        CHECK(!failed);
    }
    CHECK_EQ(read_word(gpu, 0), 200);
    cy_epic_destroy(gpu);
}

/* The guest rounds to nearest even and keeps subnormal numbers, whatever the host program does. */
static void test_rounding_mode(void)
{
    struct cy_epic *gpu = make_gpu(&(struct cy_epic_config){.threads = 1});
    struct code code = {.count = 0};
    load_value(&code, 10, 0x3f800000);
    load_value(&code, 11, 0x33800001); /* a little more than half of the last place of 1 */
    emit(&code, f_type(FADD, 12, 10, 11));
    emit(&code, sw(12, 0));
    load_value(&code, 10, 1);
    load_value(&code, 11, 4);
    emit(&code, f_type(FADD, 12, 10, 10));
    emit(&code, sw(12, 11));
    emit(&code, EXIT);
    fenv_t usual;
    fegetenv(&usual);
    fesetround(FE_DOWNWARD);
    host_fp_flush();
    struct host_fp before = host_fp_get();
    run_code(gpu, &code, 1);
    CHECK(host_fp_same(before, host_fp_get()));
    fesetenv(&usual);
    CHECK_EQ(read_word(gpu, 0), 0x3f800001);
    CHECK_EQ(read_word(gpu, 4), 2);
    cy_epic_destroy(gpu);
}

/* ---- counters, steps, memory, configuration ---- */

static void test_counters(void)
{
    struct cy_epic_config config = small;
    config.counters = true;
    struct cy_epic *gpu = make_gpu(&config);
    struct cy_epic_counters counters;
    struct code code = {.count = 0};
    emit(&code, i_type(SLL, 10, 3, 2));
    emit(&code, i_type(SLT, 9, 3, 3));
    emit(&code, lw(11, 10) | PREDICATED);
    emit(&code, sz(3, 10)); /* all pass */
    emit(&code, sz(3, 0));  /* all at one pixel, which holds 0 now: all fail */
    emit(&code, i_type(SLT, 9, 3, 2));
    emit(&code, sw(11, 10) | PREDICATED);
    emit(&code, f_type(FADD, 12, 11, 11));
    emit(&code, f_type(FSIN, 12, 12, 0));
    emit(&code, r_type(MUL, 12, 12, 12));
    emit(&code, disp(0));
    emit(&code, i_type(SLT, 9, 3, 6)); /* six lanes end here */
    emit(&code, branch(8));
    emit(&code, i_type(ADD, 12, 12, 1));
    emit(&code, EXIT);
    run_code(gpu, &code, 2);
    cy_epic_read_counters(gpu, &counters);
    CHECK_EQ(counters.launches, 1);
    CHECK_EQ(counters.blocks, 2);
    CHECK_EQ(counters.frames, 2);
    CHECK_EQ(counters.issued, 2 * 15);
    CHECK_EQ(counters.lane_instructions, 2 * (13 * 8 + 2 + 8));
    CHECK_EQ(counters.lane_slots, 2 * 15 * 8);
    CHECK_EQ(counters.predicated_off, 2 * (5 + 6));
    CHECK_EQ(counters.loads, 2 * 3);
    CHECK_EQ(counters.stores, 2 * 2);
    CHECK_EQ(counters.depth_passed, 2 * 8);
    CHECK_EQ(counters.depth_rejected, 2 * 8);
    static const struct {
        const char *name;
        unsigned issued, lanes;
    } classes[] = {
        {"EpicGPU integer", 5, 4 * 8 + 2},
        {"EpicGPU multiply and divide", 1, 8},
        {"EpicGPU floating point", 1, 8},
        {"EpicGPU special function", 1, 8},
        {"EpicGPU memory, depth, display", 5, 3 + 8 + 8 + 2 + 8},
        {"EpicGPU control flow", 2, 8 + 8},
    };
    for (int i = 0; i < CY_EPIC_CLASSES; i++) {
        CHECK_STR(counters.by_class[i].name, classes[i].name);
        CHECK_EQ(counters.by_class[i].issued, 2 * classes[i].issued);
        CHECK_EQ(counters.by_class[i].lanes, 2 * classes[i].lanes);
    }
    cy_epic_clear_counters(gpu);
    cy_epic_read_counters(gpu, &counters);
    CHECK_EQ(counters.issued, 0);
    cy_epic_destroy(gpu);
}

struct step_log {
    unsigned count, stop_after;
    struct cy_epic_step at[32];
    uint32_t last_result[8];
};

static bool log_step(void *user, const struct cy_epic_step *step)
{
    struct step_log *log = user;
    if (log->count < 32)
        log->at[log->count] = *step;
    if (step->result)
        memcpy(log->last_result, step->result, sizeof(log->last_result));
    return ++log->count != log->stop_after;
}

static void test_steps(void)
{
    struct cy_epic *gpu = make_gpu(&small);
    struct step_log log = {.count = 0};
    struct code code = {.count = 0};
    emit(&code, i_type(SLT, 9, 3, 4));
    emit(&code, i_type(ADD, 10, 3, 5) | PREDICATED);
    emit(&code, branch(8));
    emit(&code, sw(10, 0));
    emit(&code, EXIT);
    cy_epic_on_step(gpu, log_step, &log);
    CHECK_EQ(launch_code(gpu, &code, 1, NULL), CY_EPIC_OK);
    CHECK_EQ(log.count, 5);
    CHECK_STR(log.at[1].text, "@p addi r10, r3, 5");
    CHECK_EQ(log.at[1].active, 0xff);
    CHECK_EQ(log.at[1].enabled, 0x0f);
    CHECK_EQ(log.at[1].rd, 10);
    CHECK_EQ(log.at[1].pc, 0x104);
    for (uint32_t lane = 0; lane < 8; lane++)
        CHECK_EQ(log.last_result[lane], lane < 4 ? lane + 5 : 0);
    CHECK_EQ(log.at[3].active, 0xf0);
    CHECK(log.at[3].result == NULL);
    CHECK_EQ(log.at[4].active, 0xff);
    log = (struct step_log){.stop_after = 3};
    CHECK_EQ(cy_epic_launch(gpu, 0, 5, NULL), CY_EPIC_STOPPED);
    CHECK_EQ(log.count, 3);
    cy_epic_destroy(gpu);
}

/* The lanes at the lowest pc run next: three paths that join, then a loop that lanes leave one after the other. */
static void test_schedule(void)
{
    static const struct {
        uint8_t pc, active;
    } expected[] = {
        {0x00, 0xff}, {0x04, 0xff}, {0x08, 0xfc}, {0x0c, 0xfc}, /* lanes 0, 1 go to 20, lanes 2 to 4 to 18 */
        {0x10, 0xe0}, {0x14, 0xe0}, {0x18, 0xfc}, {0x1c, 0xfc}, {0x20, 0xff}, {0x24, 0xff},
        {0x14, 0xe3}, {0x18, 0xe3}, {0x1c, 0xe3}, {0x20, 0xe3}, {0x24, 0xe3}, {0x14, 0x03},
        {0x18, 0x03}, {0x1c, 0x03}, {0x20, 0x03}, {0x24, 0x03}, {0x28, 0xff},
    };
    struct cy_epic *gpu = make_gpu(&small);
    struct step_log log = {.count = 0};
    struct code code = {.count = 0};
    emit(&code, i_type(SLT, 9, 3, 2));   /* 00 */
    emit(&code, branch(28));             /* 04 */
    emit(&code, i_type(SLT, 9, 3, 5));   /* 08 */
    emit(&code, branch(12));             /* 0c */
    emit(&code, i_type(ADD, 10, 0, 1));  /* 10 */
    emit(&code, i_type(ADD, 12, 12, 1)); /* 14: counts turns */
    emit(&code, i_type(ADD, 10, 0, 1));  /* 18 */
    emit(&code, i_type(SEQ, 9, 12, 1));  /* 1c: once more after the first; lanes 0, 1 skip this at first */
    emit(&code, i_type(ADD, 11, 0, 1));  /* 20 */
    emit(&code, branch(-16));            /* 24 */
    emit(&code, EXIT);                   /* 28 */
    cy_epic_on_step(gpu, log_step, &log);
    load_code(gpu, &code, 0, 0);
    CHECK_EQ(cy_epic_launch(gpu, 0, 1, NULL), CY_EPIC_OK);
    CHECK_EQ(log.count, sizeof(expected) / sizeof(expected[0]));
    for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        CHECK_EQ(log.at[i].pc, expected[i].pc);
        CHECK_EQ(log.at[i].active, expected[i].active);
    }
    cy_epic_destroy(gpu);
}

static void test_memory(void)
{
    struct cy_epic *gpu = make_gpu(&small);
    uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8];
    int32_t depth[2];
    CHECK_EQ(cy_epic_write(gpu, 3, bytes, 8), CY_EPIC_OK);
    CHECK_EQ(cy_epic_read(gpu, 3, back, 8), CY_EPIC_OK);
    CHECK(memcmp(bytes, back, 8) == 0);
    CHECK_EQ(read_word(gpu, 4), 0x05040302);
    CHECK_EQ(cy_epic_write(gpu, 0xfff8, bytes, 8), CY_EPIC_OK);
    CHECK_EQ(cy_epic_write(gpu, 0xfff9, bytes, 8), CY_EPIC_BAD_ARGUMENT);
    CHECK_EQ(cy_epic_read(gpu, 0xfffffffc, back, 8), CY_EPIC_BAD_ARGUMENT);
    CHECK_EQ(cy_epic_read(gpu, 0x10000, back, 0), CY_EPIC_OK);
    CHECK_EQ(cy_epic_read(gpu, 0, back, (size_t)1 << 40), CY_EPIC_BAD_ARGUMENT);
    CHECK_EQ(cy_epic_read_depth(gpu, 2, depth, 1), CY_EPIC_BAD_ARGUMENT);
    CHECK_EQ(cy_epic_read_depth(gpu, 0xfffc, depth, 2), CY_EPIC_BAD_ARGUMENT);
    cy_epic_destroy(gpu);
}

static void test_config(void)
{
    struct cy_epic *gpu;
    struct cy_epic_config config;
    CHECK_EQ(cy_epic_create(NULL, &gpu), CY_EPIC_OK);
    cy_epic_get_config(gpu, &config);
    CHECK_EQ(config.cores, 4);
    CHECK_EQ(config.lanes, 8);
    CHECK_EQ(config.memory_bytes, 4 << 20);
    CHECK_EQ(config.width, 320);
    CHECK_EQ(config.height, 240);
    CHECK(config.threads >= 1 && config.threads <= 4);
    cy_epic_destroy(gpu);
    static const struct cy_epic_config bad[] = {
        {.cores = 257},   {.lanes = 65},     {.memory_bytes = 6},
        {.width = 16385}, {.height = 16385}, {.watchdog_seconds = -1},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_EQ(cy_epic_create(&bad[i], &gpu), CY_EPIC_BAD_ARGUMENT);
        CHECK(gpu == NULL);
    }
    cy_epic_destroy(NULL);
    for (int status = CY_EPIC_OK; status <= CY_EPIC_NO_MEMORY; status++)
        CHECK(strcmp(cy_epic_status_text((enum cy_epic_status)status), "unknown status") != 0);
}

TEST_MAIN(test_sync, test_depth, test_depth_of_frames, test_disp_lanes, test_frame_order, test_last_block_shows,
          test_stop, test_faults, test_falling_off, test_predicated_faults, test_which_fault, test_fpga, test_lines,
          test_watchdog, test_watchdog_and_disp, test_threads, test_order, test_shared_device, test_rounding_mode,
          test_counters, test_steps, test_schedule, test_memory, test_config)
