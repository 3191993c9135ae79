#include "jit_request.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/device/request.h"
#include "run_kernel.h"

/* ---- levels ---- */

static const struct {
    const char *name;
    enum cy_jit_host host;
    uint32_t level;
    enum cy_jit_forms forms;
} levels[] = {
#define LEVEL(name, host, level, forms) {#name, CY_JIT_##host, level, CY_JIT_FORMS_##forms},
#include "jit/levels.def"
};

bool cy_jit_knows_level(const char *name, struct cy_buf *names)
{
    bool is_known = false;
    for (size_t i = 0; i < CY_COUNT(levels); i++) {
        cy_buf_printf(names, "%s%s", i ? ", " : "", levels[i].name);
        is_known |= strcmp(levels[i].name, name) == 0;
    }
    return is_known;
}

static void set_level(const char *name, struct cy_jit_request *request)
{
    for (size_t i = 0; name && i < CY_COUNT(levels); i++)
        if (strcmp(levels[i].name, name) == 0) {
            request->host = levels[i].host;
            request->level = levels[i].level;
            request->forms = levels[i].forms;
        }
}

/* ---- the launch that is not made ---- */

struct opened {
    struct cy_device *device;
    struct cy_program *program;
    struct cy_arguments *arguments;
};

static bool take(struct cy_diags *diags, enum cy_status status, char *message)
{
    if (status != CY_OK) {
        cy_buf_puts(&diags->text, message ? message : "error\n");
        diags->errors++;
    }
    free(message);
    return status == CY_OK;
}

static bool open_program(struct jit_kernel *kernel, struct opened *opened, struct cy_diags *diags)
{
    struct cy_buf included = {0};
    char *message = NULL;
    bool ok = cy_run_program(&kernel->inputs, &kernel->elf, &included, diags);
    cy_buf_free(&included);
    const uint32_t threads = ok ? cy_run_required_threads(&kernel->elf, kernel->name) : 0;
    if (threads && !kernel->threads_given)
        kernel->config.threads = threads;
    if (!ok)
        return false;
    enum cy_status status = cy_device_open(&kernel->config, &opened->device, &message);
    if (!take(diags, status, message))
        return false;
    message = NULL;
    status = cy_program_load(opened->device, kernel->inputs.files[0], kernel->elf.data, kernel->elf.size,
                             &opened->program, &message);
    return take(diags, status, message);
}

/* As many bytes of arguments as the kernel has, or as most have: what they hold is not looked at. */
static void give_arguments(const struct cy_kernel_info *info, struct opened *opened)
{
    static const uint8_t zeros[256];
    opened->arguments = cy_arguments_create();
    if (!opened->arguments)
        cy_mem_fail();
    for (size_t i = 0; info->has_signature && i < info->argument_count; i++)
        for (uint32_t at = 0; at < info->arguments[i].size; at += sizeof(zeros))
            cy_arguments_aligned(opened->arguments, zeros,
                                 info->arguments[i].size - at < sizeof(zeros) ? info->arguments[i].size - at
                                                                              : sizeof(zeros),
                                 at ? 1 : info->arguments[i].align);
    if (!info->has_signature)
        cy_arguments_aligned(opened->arguments, zeros, sizeof(zeros), sizeof(uint64_t));
}

static void choose_range(struct cy_run_range *range)
{
    enum { USUAL = 64 };
    if (!range->local[0]) {
        range->local[0] = range->global[0] && range->global[0] < USUAL ? range->global[0] : USUAL;
        range->local[1] = range->local[2] = 1;
    }
    for (unsigned i = 0; i < 3; i++)
        if (!range->global[i])
            range->global[i] = range->local[i];
}

static bool ask(const struct jit_kernel *kernel, const char *name, const struct opened *opened, struct cy_buf *request,
                struct cy_diags *diags)
{
    char *message = NULL;
    const struct cy_run_range *range = &kernel->range;
    struct cy_launch_desc desc = {
        .program = opened->program, .kernel = name, .arguments = opened->arguments, .dimensions = range->dimensions};
    for (unsigned i = 0; i < 3; i++) {
        desc.global[i] = (uint32_t)range->global[i];
        desc.global_high[i] = (uint32_t)(range->global[i] >> 32);
        desc.local[i] = (uint32_t)range->local[i];
    }
    const enum cy_status status = cy_launch_request(opened->device, &desc, request, &message);
    if (status == CY_OK) {
        struct cy_jit_request *head = (struct cy_jit_request *)(void *)request->data;
        set_level(kernel->level, head);
        head->counts = kernel->counts;
    }
    return take(diags, status, message);
}

static bool choose_and_ask(struct jit_kernel *kernel, struct opened *opened, struct cy_buf *request,
                           struct cy_diags *diags)
{
    const char *file = kernel->inputs.files[0];
    struct cy_kernel_info info;
    if (!cy_run_choose_kernel(opened->program, kernel->name, file, &info, diags) ||
        !cy_run_obey_attributes(&info, &kernel->config, file, &kernel->range, diags))
        return false;
    choose_range(&kernel->range);
    give_arguments(&info, opened);
    cy_buf_printf(&kernel->label, "%s", info.name);
    return ask(kernel, info.name, opened, request, diags);
}

bool cy_jit_kernel_request(struct jit_kernel *kernel, struct cy_buf *request, struct cy_diags *diags)
{
    struct opened opened = {0};
    const bool ok = open_program(kernel, &opened, diags) && choose_and_ask(kernel, &opened, request, diags);
    cy_arguments_destroy(opened.arguments);
    cy_program_release(opened.program);
    cy_device_close(opened.device);
    return ok;
}
