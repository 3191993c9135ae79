/* Programs and devices for the tests: assembly text to a loaded program, a launch in one call. */
#ifndef CY_TESTS_GPU_DEVICE_GUEST_H
#define CY_TESTS_GPU_DEVICE_GUEST_H

#include "ld/link.h"
#include "chengying/asm.h"
#include "chengying/device.h"
#include "support/test.h"

/* Assembles and links; with the start-up code of the device library unless the text has a _start. */
static inline bool guest_build(const char *source, const char *march, struct cy_buf *elf)
{
    struct cy_asm_options options = {.march = march};
    struct cy_asm_result result;
    struct cy_diags diags = {0};
    struct cy_object object, program;
    struct cy_buf directory = {0};
    bool gen2 = march && strcmp(march, "ventus-gen2") == 0, ok = false;
    if (!cy_asm("test.s", source, strlen(source), &options, &result)) {
        fputs(result.messages, stderr);
    } else if (cy_object_read(&object, "test.o", result.object, result.object_size, &diags)) {
        const struct cy_object *objects[] = {&object};
        struct cy_library *library = NULL;
        if (cy_library_directory(gen2 ? "ventus-gen2" : "ventus", &directory))
            library = cy_library_open(directory.data, &diags);
        const struct cy_library *libraries[] = {library};
        struct cy_link_job job = {.objects = objects,
                                  .object_count = 1,
                                  .libraries = libraries,
                                  .library_count = library != NULL,
                                  .gen2 = gen2};
        ok = cy_link(&job, &program, &diags);
        if (ok)
            cy_object_write(&program, elf);
        cy_object_free(&program);
        cy_object_free(&object);
        if (library)
            cy_library_close(library);
    }
    if (diags.text.size)
        fputs(diags.text.data, stderr);
    cy_diags_free(&diags);
    cy_buf_free(&directory);
    cy_asm_result_free(&result);
    return CHECK(ok);
}

/* Settings separated by spaces: "sms=2 threads=8". */
static inline struct cy_device *guest_device(const char *settings)
{
    struct cy_config config;
    struct cy_device *device = NULL;
    char *message = NULL, copy[512];
    cy_config_default(&config);
    config.watchdog_seconds = 60;
    snprintf(copy, sizeof(copy), "%s", settings);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        CHECK_EQ(cy_config_set(&config, word, NULL), CY_OK);
    if (!CHECK_EQ(cy_device_open(&config, &device, &message), CY_OK))
        fputs(message, stderr);
    free(message);
    return device;
}

static inline struct cy_program *guest_program_for(struct cy_device *device, const char *source, const char *march)
{
    struct cy_buf elf = {0};
    struct cy_program *program = NULL;
    char *message = NULL;
    if (guest_build(source, march, &elf) &&
        !CHECK_EQ(cy_program_load(device, "test.riscv", elf.data, elf.size, &program, &message), CY_OK))
        fputs(message, stderr);
    free(message);
    cy_buf_free(&elf);
    return program;
}

static inline struct cy_program *guest_program(struct cy_device *device, const char *source)
{
    return guest_program_for(device, source, NULL);
}

/* Starts and waits; the launch is kept for inspection. */
static inline enum cy_status guest_launch(struct cy_device *device, const struct cy_launch_desc *desc,
                                          struct cy_launch **launch)
{
    char *message = NULL;
    *launch = NULL;
    enum cy_status status = cy_launch_start(device, desc, launch, &message);
    if (status == CY_OK)
        return cy_launch_wait(*launch);
    fprintf(stderr, "not started: %s", message);
    free(message);
    return status;
}

/* Runs a kernel "k" over `items` work-items of `local`, with one buffer as its argument.  True: success. */
static inline bool guest_run(struct cy_device *device, struct cy_program *program, uint32_t buffer, uint32_t items,
                             uint32_t local)
{
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    cy_arguments_pointer(arguments, buffer);
    struct cy_launch_desc desc = {
        .program = program, .kernel = "k", .arguments = arguments, .global = {items}, .local = {local}};
    enum cy_status status = guest_launch(device, &desc, &launch);
    if (!CHECK_EQ(status, CY_OK) && launch)
        fputs(cy_launch_message(launch), stderr);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    return status == CY_OK;
}

/* v0 = global linear id of a one-dimensional range (without offset), t0 = the argument buffer's first word. */
#define GUEST_ID                                                                                                       \
    "    .text\n    .globl k\n    .type k, @function\nk:\n"                                                            \
    "    lw t0, 0(a0)\n    csrr t4, CSR_KNL\n    lw t4, 24(t4)\n    csrr t5, CSR_GIDX\n    mul t4, t4, t5\n"           \
    "    csrr t5, CSR_TID\n    add t4, t4, t5\n    vid.v v0\n    vadd.vx v0, v0, t4\n"
#define GUEST_END "    ret\n    .size k, .-k\n    .ventus_kernel k\n"

#endif
