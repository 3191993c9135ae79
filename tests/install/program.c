/* A program like a user of the library would write: compiles a kernel, runs it, and assembles something. */
#include <chengying/asm.h>
#include <chengying/cc.h>
#include <chengying/device.h>

#include <stdio.h>
#include <string.h>

static int run(const struct cy_cc_result *built)
{
    struct cy_config config;
    struct cy_device *device;
    struct cy_program *program;
    struct cy_launch *launch;
    char *message = NULL;
    uint32_t buffer, values[64];
    int sum = 0;
    cy_config_default(&config);
    if (cy_device_open(&config, &device, &message) != CY_OK ||
        cy_program_load(device, "square", built->elf, built->elf_size, &program, &message) != CY_OK ||
        cy_device_alloc(device, sizeof(values), 0, &buffer) != CY_OK) {
        fprintf(stderr, "%s\n", message ? message : "no memory");
        return -1;
    }
    struct cy_arguments *arguments = cy_arguments_create();
    cy_arguments_pointer(arguments, buffer);
    struct cy_launch_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.program = program;
    desc.kernel = "square";
    desc.arguments = arguments;
    desc.global[0] = 64;
    if (cy_launch_run(device, &desc, &launch, &message) != CY_OK)
        return -1;
    cy_launch_release(launch);
    cy_device_read(device, buffer, values, sizeof(values));
    for (int i = 0; i < 64; i++)
        sum += (int)values[i];
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
    return sum;
}

int main(void)
{
    static const char kernel[] = "kernel void square(global int *out) { int i = get_global_id(0); out[i] = i * i; }";
    static const char code[] = "vadd.vv v1, v2, v3\n";
    struct cy_cc_result built;
    struct cy_asm_result assembled;
    if (!cy_cc("square.cl", kernel, strlen(kernel), NULL, &built)) {
        fprintf(stderr, "%s", built.log);
        return 1;
    }
    if (!cy_asm("code.s", code, strlen(code), NULL, &assembled))
        return 1;
    printf("%d, %s\n", run(&built), assembled.object_size > 52 ? "an object" : "nothing");
    cy_asm_result_free(&assembled);
    cy_cc_result_free(&built);
    return 0;
}
