/* Code for vector registers of one length runs only in threads whose registers have it; others interpret. */
#include "gpu_device/guest.h"
#include "jit/abi.h"
#include "jit/translate/translate.h"

#include <stdlib.h>
#ifdef __aarch64__
#include <sys/prctl.h>
#endif

enum { ITEMS = 256, STRANGE_BYTES = 40 };

static const char *const kernel = "    .section .cy.lanes,\"\",@progbits\n    .asciz \"k\"\n"
                                  "    .text\n    .globl k\n    .type k, @function\nk:\n"
                                  "    lw t0, 0(a0)\n    csrr t4, CSR_TID\n    vid.v v0\n    vadd.vx v0, v0, t4\n"
                                  "    vsll.vi v1, v0, 2\n    vadd.vx v1, v1, t0\n    vadd.vi v0, v0, 3\n"
                                  "    vsw12.v v0, 0(v1)\n" GUEST_END;

static struct {
    bool is_strange; /* images are for registers that no thread has */
    uint32_t level, vector_bytes;
} last;

static bool translate(void *context, const void *request, size_t size, void **image, size_t *image_size, char *why,
                      size_t room)
{
    struct cy_buf out = {0}, reason = {0};
    (void)context;
    last.level = ((const struct cy_jit_request *)request)->level;
    const bool ok = CHECK(cy_jit_translate(NULL, request, size, &out, &reason));
    snprintf(why, room, "%s", reason.data ? reason.data : "");
    if (ok) {
        struct cy_jit_image *header = (struct cy_jit_image *)(void *)out.data;
        last.vector_bytes = header->vector_bytes;
        if (last.is_strange)
            header->vector_bytes = STRANGE_BYTES;
        *image = malloc(out.size);
        *image_size = out.size;
        memcpy(*image, out.data, out.size);
    }
    cy_buf_free(&out);
    cy_buf_free(&reason);
    return ok;
}

/* Work-items that ran translated. */
static uint64_t run(struct cy_device *device, struct cy_program *program)
{
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    struct cy_counters counters = {0};
    uint32_t buffer;
    CHECK_EQ(cy_device_alloc(device, ITEMS * 4, 0, &buffer), CY_OK);
    cy_arguments_pointer(arguments, buffer);
    const struct cy_launch_desc desc = {.program = program,
                                        .kernel = "k",
                                        .arguments = arguments,
                                        .dimensions = 1,
                                        .global = {ITEMS},
                                        .local = {ITEMS}};
    if (CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK))
        cy_launch_counters(launch, &counters);
    const uint32_t *out = cy_device_map(device, buffer, ITEMS * 4);
    for (uint32_t i = 0; i < ITEMS; i++)
        CHECK_EQ(out[i], i + 3);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    return counters.work_items_translated;
}

static struct cy_device *open_device(struct cy_program **program)
{
    struct cy_device *device = guest_device("engine=jit host-threads=1");
    cy_device_set_translator(device, &(struct cy_translator){.translate = translate});
    *program = guest_program(device, kernel);
    return device;
}

static void close_device(struct cy_device *device, struct cy_program *program)
{
    cy_program_release(program);
    cy_device_close(device);
}

static void test_other_registers(void)
{
    struct cy_program *program;
    struct cy_device *device = open_device(&program);
    last.is_strange = true;
    CHECK_EQ(run(device, program), 0);
    last.is_strange = false;
    close_device(device, program);
    device = open_device(&program);
    CHECK_EQ(run(device, program), ITEMS);
    close_device(device, program);
}

/* A thread that shortens its registers gets NEON's code from a device that it opens then. */
static void test_shorter_registers(void)
{
#if defined(__aarch64__) && defined(PR_SVE_SET_VL)
    struct cy_program *program;
    const int before = prctl(PR_SVE_GET_VL), bytes = before < 0 ? 0 : before & PR_SVE_VL_LEN_MASK;
    struct cy_device *device = open_device(&program);
    CHECK_EQ(run(device, program), ITEMS);
    CHECK_EQ(last.level, bytes == 32 ? 1 : bytes == 64 ? 2 : 0);
    CHECK_EQ(last.vector_bytes, last.level ? (uint32_t)bytes : 0);
    close_device(device, program);
    if (bytes > 16 && CHECK(prctl(PR_SVE_SET_VL, 16) >= 0)) {
        device = open_device(&program);
        CHECK_EQ(run(device, program), ITEMS);
        CHECK_EQ(last.level, 0);
        CHECK_EQ(last.vector_bytes, 0);
        CHECK(prctl(PR_SVE_SET_VL, bytes) >= 0);
        close_device(device, program);
    }
#endif
}

TEST_MAIN(test_other_registers, test_shorter_registers)
