/* all_hosts OUT [-march=TARGET] PROGRAM...: translates the kernels of the programs for every kind of host and every level, whichever this one is: all
 * of them must be able to, without a call to the outside, or reject the kernel for the same reason.  Each kernel's LLVM IR is
 * written to OUT/N.ll. */
#include "base/file.h"
#include "gpu_device/guest.h"
#include "jit/abi.h"
#include "jit/translate/translate.h"

#include <stdlib.h>

static const struct {
    const char *name;
    enum cy_jit_host host;
    uint32_t level;
    enum cy_jit_forms forms;
} hosts[] = {{"aarch64", CY_JIT_AARCH64, 0, CY_JIT_FORMS_128},
             {"aarch64 with SVE of 256 bits", CY_JIT_AARCH64, 1, CY_JIT_FORMS_256_GATHERS},
             {"aarch64 with SVE of 512 bits", CY_JIT_AARCH64, 2, CY_JIT_FORMS_512},
             {"x86-64 with SSE2", CY_JIT_X86_64, 0, CY_JIT_FORMS_128},
             {"x86-64 with AVX2", CY_JIT_X86_64, 1, CY_JIT_FORMS_256},
             {"x86-64 with AVX-512", CY_JIT_X86_64, 2, CY_JIT_FORMS_512},
             {"x86-64 with AVX-512 that gathers slowly", CY_JIT_X86_64, 3, CY_JIT_FORMS_512}};

static struct {
    const char *out, *kernel;
    unsigned translated, rejected;
} job;

static void write_ir(const void *request, size_t size)
{
    struct cy_buf text = {0}, why = {0};
    char path[1000];
    snprintf(path, sizeof(path), "%s/%u.ll", job.out, job.translated);
    CHECK(cy_jit_print_ir(request, size, false, &text, &why));
    FILE *file = fopen(path, "w");
    if (CHECK(file != NULL)) {
        CHECK_EQ(fwrite(text.data, 1, text.size, file), text.size);
        CHECK_EQ(fclose(file), 0);
    }
    cy_buf_free(&text);
    cy_buf_free(&why);
}

/* All succeed, or fail for the same reason, which is left in `first`. */
static void translate_for_all(struct cy_buf *copy, struct cy_buf *first)
{
    struct cy_jit_request *head = (struct cy_jit_request *)(void *)copy->data;
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        struct cy_buf made = {0}, reason = {0};
        head->host = hosts[i].host;
        head->level = hosts[i].level;
        head->forms = hosts[i].forms;
        const bool ok = cy_jit_translate(NULL, copy->data, copy->size, &made, &reason);
        if (!i)
            cy_buf_puts(first, ok ? "" : reason.data);
        if (!CHECK_STR(ok ? "" : reason.data, first->data))
            printf("%s for %s\n", job.kernel, hosts[i].name);
        cy_buf_free(&made);
        cy_buf_free(&reason);
    }
}

/* The device's translator, after which the device interprets. */
static bool for_all_hosts(void *context, const void *request, size_t size, void **image, size_t *image_size, char *why,
                          size_t room)
{
    struct cy_buf copy = {0}, first = {0}, profiled = {0}, unused = {0};
    (void)context, (void)image, (void)image_size;
    cy_buf_append(&copy, request, size);
    translate_for_all(&copy, &first);
    if (((const struct cy_jit_request *)request)->counts == CY_JIT_COUNT_NOTHING) {
        cy_buf_append(&profiled, request, size);
        ((struct cy_jit_request *)(void *)profiled.data)->counts = CY_JIT_COUNT_INSNS;
        translate_for_all(&profiled, &unused);
    }
    cy_buf_free(&profiled);
    cy_buf_free(&unused);
    if (first.size) {
        printf("%s: %s\n", job.kernel, first.data);
        job.rejected++;
    } else {
        write_ir(copy.data, copy.size);
        job.translated++;
    }
    snprintf(why, room, "this is a test");
    cy_buf_free(&copy);
    cy_buf_free(&first);
    return false;
}

/* With null pointers and zeros: how it ends does not matter. */
static void launch(struct cy_device *device, struct cy_program *program, uint32_t global, uint32_t local, bool counts)
{
    static const uint8_t zeros[256];
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch = NULL;
    cy_arguments_aligned(arguments, zeros, sizeof(zeros), 8);
    const struct cy_launch_desc desc = {.program = program,
                                        .kernel = job.kernel,
                                        .arguments = arguments,
                                        .global = {global},
                                        .local = {local},
                                        .count_lanes = counts};
    guest_launch(device, &desc, &launch);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
}

static void translate_all(struct cy_device *device, struct cy_program *program)
{
    for (size_t i = 0; i < cy_program_kernel_count(program); i++) {
        struct cy_kernel_info info;
        CHECK(cy_program_kernel(program, i, &info));
        job.kernel = info.name;
        launch(device, program, 50, 20, i & 1); /* strips that are not full, and whole warps */
    }
}

static struct cy_program *load(struct cy_device *device, const char *path, const char *march)
{
    struct cy_buf bytes = {0};
    struct cy_diags diags = {0};
    struct cy_program *program = NULL;
    char *message = NULL;
    const bool is_source = strcmp(path + strlen(path) - 2, ".s") == 0;
    if (!CHECK(cy_file_read(path, &bytes, &diags)))
        return NULL;
    if (is_source) {
        cy_buf_append(&bytes, "", 1);
        program = guest_program_for(device, bytes.data, march);
    } else if (!CHECK_EQ(cy_program_load(device, path, bytes.data, bytes.size, &program, &message), CY_OK)) {
        fputs(message, stderr);
    }
    cy_buf_free(&bytes);
    cy_diags_free(&diags);
    free(message);
    return program;
}

int main(int argc, char **argv)
{
    const char *march = "ventus";
    if (argc < 3)
        return 2;
    job.out = argv[1];
    for (int i = 2; i < argc; i++) {
        if (strncmp(argv[i], "-march=", 7) == 0) {
            march = argv[i] + 7;
            continue;
        }
        struct cy_device *device = guest_device("engine=jit");
        cy_device_set_translator(device, &(struct cy_translator){.translate = for_all_hosts});
        struct cy_program *program = load(device, argv[i], march);
        if (program)
            translate_all(device, program);
        cy_program_release(program);
        cy_device_close(device);
    }
    printf("%u translated, %u rejected\n", job.translated, job.rejected);
    return test_finish();
}
