/* What warps compute alike at their start is computed once in large launches (gpu/engine/start.c): there their registers, and the
 * count of instructions, are those of a launch whose lanes are counted, which runs all of the code. */
#include "gpu_device/guest.h"

enum { WARPS = 200, LANES = 32, REGISTERS = 32, WORDS = WARPS * LANES * REGISTERS };

/* Every lane of warp g stores x1 to x31 at ((g * 32 + lane) * 32 + number) * 4 of the buffer, by v registers only: the store that
 * may fault is where the warps go on for themselves. */
#define STORE(n) "    vmv.v.x v1, x" #n "\n    vsw12.v v1, 4*" #n "(v2)\n"
#define STORE_ALL                                                                                                      \
    STORE(1)                                                                                                           \
    STORE(2)                                                                                                           \
    STORE(3)                                                                                                           \
    STORE(4)                                                                                                           \
    STORE(5)                                                                                                           \
    STORE(6)                                                                                                           \
    STORE(7)                                                                                                           \
    STORE(8)                                                                                                           \
    STORE(9)                                                                                                           \
    STORE(10)                                                                                                          \
    STORE(11)                                                                                                          \
    STORE(12)                                                                                                          \
    STORE(13)                                                                                                          \
    STORE(14)                                                                                                          \
    STORE(15)                                                                                                          \
    STORE(16)                                                                                                          \
    STORE(17)                                                                                                          \
    STORE(18)                                                                                                          \
    STORE(19)                                                                                                          \
    STORE(20)                                                                                                          \
    STORE(21)                                                                                                          \
    STORE(22)                                                                                                          \
    STORE(23)                                                                                                          \
    STORE(24)                                                                                                          \
    STORE(25)                                                                                                          \
    STORE(26)                                                                                                          \
    STORE(27)                                                                                                          \
    STORE(28)                                                                                                          \
    STORE(29)                                                                                                          \
    STORE(30)                                                                                                          \
    STORE(31)
#define KERNEL(body)                                                                                                   \
    "    .text\n    .globl k\n    .type k, @function\nk:\n" body                                                       \
    "    csrr x26, CSR_GIDX\n    slli x27, x26, 12\n    lw x28, 0(a0)\n    add x27, x27, x28\n"                        \
    "    vid.v v2\n    vsll.vi v2, v2, 7\n    vadd.vx v2, v2, x27\n" STORE_ALL GUEST_END

static const char *const kernels[] = {
    /* registers with several values, some of them the same in all warps, before and after those that are not */
    KERNEL("    li t0, 5\n    csrr t1, CSR_GIDX\n    add t2, t1, t0\n    li t0, 7\n    add t3, t1, t0\n    li t1, 9\n"
           "    csrr t4, CSR_TID\n    li t4, 3\n    mul t5, t3, t4\n    lw s2, 4(a0)\n    xor s3, s2, t5\n"),
    /* branches and jumps whose way is known; a loop of known length; a value that is not used */
    KERNEL("    lw t0, 4(a0)\n    beqz t0, 1f\n    li s2, 11\n    j 2f\n1:  li s2, 22\n2:  li t1, 5\n    li s3, 0\n"
           "3:  add s3, s3, t1\n    addi t1, t1, -1\n    bnez t1, 3b\n    csrr t2, CSR_GIDX\n    mv t2, s3\n"
           "    auipc s4, 0\n    jal s5, 4f\n    li s2, 33\n4:  fcvt.s.w s6, s3\n    fadd.s s6, s6, s6\n"),
    /* a branch whose way depends on the warp, and what follows it */
    KERNEL("    csrr t0, CSR_GIDX\n    andi t0, t0, 1\n    li t1, 1\n    beq t0, t1, 1f\n    li t1, 2\n1:  add s2, t0, "
           "t1\n"
           "    auipc s3, 0\n    setrpc s4, s3, 64\n"),
    /* metadata; addresses computed from that of the warp's own */
    KERNEL("    csrr t0, CSR_KNL\n    lw s2, 24(t0)\n    lw s3, 12(t0)\n    addi t1, t0, 12\n    lw s4, 0(t1)\n"
           "    csrr s5, CSR_NUMW\n    csrr s6, CSR_NUMT\n    csrr s7, CSR_WID\n    sub s8, t1, t0\n    li t0, 1\n"
           "    li t1, 2\n"),
    /* divisions and shifts; x0 as a destination */
    KERNEL("    lw t0, 4(a0)\n    li t1, 0\n    divu s2, t0, t1\n    rem s3, t0, t1\n    sra s4, t0, t0\n    sltiu s5, "
           "t0, -1\n"
           "    addi x0, t0, 1\n    mulhu s6, t0, t0\n    csrr t2, CSR_GIDX\n    divu s7, t0, t2\n"),
};

/* Runs the kernel with its buffer, a number and perhaps local memory; returns the instructions. */
static uint64_t run(struct cy_device *device, struct cy_program *program, uint32_t buffer, bool with_local, bool counts)
{
    const uint32_t number = 0x87654321;
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    struct cy_counters counters = {0};
    cy_arguments_pointer(arguments, buffer);
    cy_arguments_value(arguments, &number, sizeof(number));
    if (with_local)
        cy_arguments_local(arguments, 64);
    memset(cy_device_map(device, buffer, WORDS * 4), 0, WORDS * 4);
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .global = {WARPS * LANES},
                                  .local = {LANES},
                                  .count_lanes = counts};
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    fputs(cy_launch_message(launch), stderr);
    cy_launch_counters(launch, &counters);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    return counters.instructions;
}

/* A warp of a larger launch has its own place in memory: addresses of its metadata and of local memory differ from run to run
 * where the host's threads take workgroups, so there is one SM. */
static void compare(const char *settings, const char *kernel, bool with_local)
{
    struct cy_device *device = guest_device(settings);
    struct cy_program *program = guest_program(device, kernel);
    uint32_t buffer;
    uint32_t *expected = malloc(WORDS * 4);
    CHECK_EQ(cy_device_alloc(device, WORDS * 4, 0, &buffer), CY_OK);
    const uint64_t all = run(device, program, buffer, with_local, true);
    memcpy(expected, cy_device_map(device, buffer, WORDS * 4), WORDS * 4);
    CHECK(expected[WORDS - REGISTERS + 26] == WARPS - 1); /* the last lane */
    CHECK_EQ(run(device, program, buffer, with_local, false), all);
    CHECK(memcmp(expected, cy_device_map(device, buffer, WORDS * 4), WORDS * 4) == 0);
    free(expected);
    cy_program_release(program);
    cy_device_close(device);
}

int main(void)
{
    for (size_t i = 0; i < CY_COUNT(kernels); i++) {
        compare("sms=1 engine=interp", kernels[i], false);
        compare("sms=1 engine=interp", kernels[i], true);
        compare("sms=1 engine=interp slice=7", kernels[i], true); /* too few for a start */
        compare("sms=1 engine=interp deterministic=yes", kernels[i], false);
    }
    return test_finish();
}
