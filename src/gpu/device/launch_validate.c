/* A launch is described: everything that can be wrong with it is found before it is queued. */
#include "gpu/device/machine.h"
#include "gpu/device/translated.h"

#include <inttypes.h>

#define DEFAULT_PRINT_BYTES 65536
#define MAX_GROUPS (1ull << 40)

static bool complain(struct cy_diags *diags, const char *format, ...) CY_PRINTF(2, 3);
static bool complain(struct cy_diags *diags, const char *format, ...)
{
    struct cy_buf text = {0};
    va_list args;
    va_start(args, format);
    cy_buf_vprintf(&text, format, args);
    va_end(args);
    cy_diag_file(diags, CY_ERROR, NULL, "%s", text.data);
    cy_buf_free(&text);
    return false;
}

/* The driver's choice of a local size: as much of the first dimension as fits, so that warps are full, but not all of an SM. */
static bool choose_local(struct cy_launch *launch, const struct cy_config *config, struct cy_diags *diags)
{
    uint32_t most = config->warps * config->threads;
    if (most > 256)
        most = 256;
    for (launch->local[0] = launch->global[0] < most ? (uint32_t)launch->global[0] : most; launch->local[0] > 1;
         launch->local[0] /= 2) {
        struct cy_diags quiet = {0};
        bool fits = cy_dispatch_plan(launch, config, &quiet);
        cy_diags_free(&quiet);
        if (fits)
            return true;
    }
    return cy_dispatch_plan(launch, config, diags);
}

static bool set_range(struct cy_launch *launch, const struct cy_launch_desc *desc, const struct cy_config *config,
                      struct cy_diags *diags)
{
    launch->dimensions = desc->dimensions ? desc->dimensions : 1;
    if (launch->dimensions > 3)
        return complain(diags, "an NDRange has 1 to 3 dimensions, not %u", launch->dimensions);
    for (unsigned i = 0; i < 3; i++) {
        bool used = i < launch->dimensions;
        launch->global[i] = used ? (uint64_t)desc->global_high[i] << 32 | desc->global[i] : 1;
        launch->local[i] = used && desc->local[0] ? desc->local[i] : 1;
        launch->offset[i] = used ? (uint64_t)desc->offset_high[i] << 32 | desc->offset[i] : 0;
        if (!launch->global[i] || !launch->local[i])
            return complain(diags, "%s size of dimension %u is 0", launch->global[i] ? "local" : "global", i);
        if (launch->program->target == CY_GEN1 &&
            (launch->global[i] > 1ull << 32 || launch->offset[i] > (1ull << 32) - launch->global[i]))
            return complain(diags, "global ids of dimension %u do not fit in 32 bits", i);
        if (launch->offset[i] > UINT64_MAX - launch->global[i])
            return complain(diags, "global ids of dimension %u do not fit in 64 bits", i);
    }
    uint64_t items = (uint64_t)launch->local[0] * launch->local[1];
    if (items > UINT32_MAX || items * launch->local[2] > UINT32_MAX)
        return complain(diags, "a workgroup of %ux%ux%u work-items is too large", launch->local[0], launch->local[1],
                        launch->local[2]);
    return desc->local[0] ? cy_dispatch_plan(launch, config, diags) : choose_local(launch, config, diags);
}

static bool count_groups(struct cy_launch *launch, const struct cy_config *config, struct cy_diags *diags)
{
    launch->group_count = 1;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t groups = (launch->global[i] - 1) / launch->local[i] + 1;
        if (groups > UINT32_MAX || groups > MAX_GROUPS / launch->group_count)
            return complain(diags, "more than %llu workgroups, or %u in a dimension", MAX_GROUPS, UINT32_MAX);
        launch->grid[i] = (uint32_t)groups;
        launch->group_count *= launch->grid[i];
    }
    launch->sm_count = launch->group_count < config->sms ? (unsigned)launch->group_count : config->sms;
    uint64_t per_sm = (launch->group_count + launch->sm_count - 1) / launch->sm_count;
    if (per_sm < launch->slots_per_sm) {
        launch->slots_per_sm = (unsigned)per_sm;
        launch->limited_by = "grid";
    }
    return true;
}

static bool describe(struct cy_launch *launch, const struct cy_launch_desc *desc, struct cy_diags *diags)
{
    if (!desc->program || !desc->kernel)
        return complain(diags, "a launch needs a program and the name of a kernel");
    const struct cy_kernel_info *kernel = cy_program_kernel_by_name(desc->program, desc->kernel);
    if (!kernel)
        return complain(diags, "%s has no kernel '%s'", desc->program->name, desc->kernel);
    if (kernel->has_signature && kernel->reqd_sub_group && kernel->reqd_sub_group != launch->device->config.threads)
        return complain(diags, "kernel '%s' requires sub-groups of %u work-items, this device's have %u", desc->kernel,
                        kernel->reqd_sub_group, launch->device->config.threads);
    launch->program = desc->program;
    atomic_fetch_add(&launch->program->references, 1);
    launch->kernel = *kernel;
    if (desc->arguments && desc->arguments->incomplete)
        cy_mem_fail();
    if (desc->arguments) {
        cy_buf_append(&launch->arguments.bytes, desc->arguments->bytes.data, desc->arguments->bytes.size);
        for (size_t i = 0; i < desc->arguments->locals.count; i++)
            *cy_vec_push(&launch->arguments.locals) = desc->arguments->locals.at[i];
    }
    launch->lds_bytes = desc->lds_bytes;
    launch->stack_bytes =
        ((desc->stack_bytes ? desc->stack_bytes : CY_STACK_BYTES) + CY_STACK_ALIGN - 1) & ~(CY_STACK_ALIGN - 1u);
    launch->pds_bytes = desc->pds_bytes ? *desc->pds_bytes : kernel->pds_bytes;
    launch->pds_bytes = (launch->pds_bytes + 3) & ~3u;
    launch->print_bytes = desc->print_bytes               ? desc->print_bytes
                          : launch->program->formats_size ? DEFAULT_PRINT_BYTES
                                                          : 0;
    launch->print_bytes = (launch->print_bytes + 15) & ~15u;
    launch->print = desc->print;
    launch->print_context = desc->print_context;
    launch->space = desc->space;
    launch->ptbr = desc->space ? cy_space_root(desc->space) : desc->ptbr;
    launch->gds = desc->gds;
    launch->scalar_atomics = desc->scalar_atomics;
    launch->count_lanes = desc->count_lanes;
    launch->counts = desc->insn_counts;
    launch->sampled = desc->insn_counts ? desc->insn_counts_sampled : NULL;
    launch->counted_before = desc->insn_counts_before;
    launch->count_words = cy_program_count_words(launch->program);
    launch->controller = desc->controller;
    launch->memory = &launch->device->memory;
    launch->independent = desc->independent && !desc->controller;
    if (desc->observers)
        launch->observers = *desc->observers;
    launch->engine_observer = desc->engine_observer;
    launch->done = desc->done;
    launch->done_context = desc->done_context;
    launch->views = launch->print_bytes || launch->arguments.locals.count;
    return true;
}

enum cy_status cy_launch_describe(struct cy_launch *launch, const struct cy_launch_desc *desc, struct cy_diags *diags)
{
    const struct cy_config *config = &launch->device->config;
    if (!describe(launch, desc, diags))
        return CY_ERROR_INVALID;
    if (!set_range(launch, desc, config, diags))
        return launch->needs.of[CY_RES_WARPS] ? CY_ERROR_RESOURCES : CY_ERROR_INVALID;
    if (!count_groups(launch, config, diags))
        return CY_ERROR_INVALID;
    launch->order = cy_translated_follows(launch) ? 0 : config->order;
    return CY_OK;
}
