/* What a launch needs in device memory before it runs: private memory, metadata and arguments, the program's image. */
#include "gpu/device/machine.h"
#include "gpu/device/translated.h"
#include "gpu/device/verify.h"

#include <inttypes.h>
#include <string.h>

static bool scratch_grow(struct cy_device *device, struct cy_scratch *scratch, uint64_t size, uint8_t rights)
{
    if (size <= scratch->size)
        return true;
    if (scratch->address)
        cy_memory_free(&device->memory, scratch->address);
    *scratch = (struct cy_scratch){0};
    uint32_t address = size < 1ull << 32 ? cy_memory_alloc(&device->memory, size, 0) : 0;
    if (!address)
        return false;
    uint64_t pages = (size + CY_PAGE_SIZE - 1) & ~(uint64_t)(CY_PAGE_SIZE - 1);
    if (rights != (CY_READ | CY_WRITE))
        cy_memory_protect(&device->memory, address, pages, rights);
    *scratch = (struct cy_scratch){address, size};
    return true;
}

/* Private memory for every workgroup that can be resident; if there is too little, fewer are. */
static bool give_private(struct cy_launch *launch)
{
    struct cy_device *device = launch->device;
    uint64_t each = (uint64_t)launch->warps * device->config.threads * launch->pds_bytes;
    while (each && !scratch_grow(device, &device->buffers.pds, each * launch->slots_per_sm * launch->sm_count,
                                 CY_READ | CY_WRITE)) {
        if (device->aside.head) /* there will be more when they have ended */
            return false;
        launch->limited_by = "private memory";
        if (launch->slots_per_sm > 1)
            launch->slots_per_sm /= 2;
        else if (launch->sm_count > 1)
            launch->sm_count /= 2;
        else {
            cy_buf_try_printf(&launch->message,
                              "error: out of device memory: a workgroup needs %" PRIu64
                              " bytes of private memory (%u warps of "
                              "%u threads, %u bytes each)\n",
                              each, launch->warps, device->config.threads, launch->pds_bytes);
            return false;
        }
    }
    launch->pds = device->buffers.pds.address;
    return true;
}

void cy_launch_metadata(const struct cy_launch *launch, uint32_t at, void *to)
{
    uint32_t words[CY_METADATA_BYTES / 4] = {0};
    words[CY_KNL_ENTRY / 4] = launch->kernel.entry;
    words[CY_KNL_ARG_BASE / 4] = at + CY_METADATA_BYTES;
    words[CY_KNL_WORK_DIM / 4] = launch->dimensions;
    for (unsigned i = 0; i < 3; i++) {
        words[CY_KNL_GL_SIZE / 4 + i] = (uint32_t)launch->global[i];
        words[CY_KNL_GL_SIZE_HIGH / 4 + i] = (uint32_t)(launch->global[i] >> 32);
        words[CY_KNL_LC_SIZE / 4 + i] = launch->local[i];
        words[CY_KNL_GL_OFFSET / 4 + i] = (uint32_t)launch->offset[i];
        words[CY_KNL_GL_OFFSET_HIGH / 4 + i] = (uint32_t)(launch->offset[i] >> 32);
    }
    words[CY_KNL_PRINT_SIZE / 4] = launch->print_bytes;
    words[CY_KNL_LDS_STACK_SIZE_PER_WF / 4] = launch->stack_bytes;
    words[CY_KNL_LDS_NON_STACK_SIZE / 4] = launch->needs.of[CY_RES_LDS] - launch->stack_bytes * launch->warps;
    words[CY_KNL_PDS_SIZE_PER_THREAD / 4] = launch->pds_bytes;
    memcpy(to, words, sizeof(words));
    if (launch->arguments.bytes.size)
        memcpy((uint8_t *)to + CY_METADATA_BYTES, launch->arguments.bytes.data, launch->arguments.bytes.size);
}

/* Metadata and arguments, shared by all warps or one view per warp slot; print buffers. */
static bool give_constants(struct cy_launch *launch)
{
    struct cy_device *device = launch->device;
    struct cy_launch_buffers *buffers = &device->buffers;
    uint64_t slots = launch->views ? (uint64_t)launch->sm_count * device->config.warps : 1;
    uint64_t each =
        (CY_METADATA_BYTES + launch->arguments.bytes.size + CY_LDS_GRANULE - 1) & ~(uint64_t)(CY_LDS_GRANULE - 1);
    if (!scratch_grow(device, &buffers->constants, slots * each, CY_READ) ||
        !scratch_grow(device, &buffers->prints, launch->print_bytes ? slots * launch->print_bytes : 0,
                      CY_READ | CY_WRITE)) {
        cy_buf_try_printf(&launch->message, "error: out of device memory for arguments and print buffers\n");
        return false;
    }
    launch->constants = buffers->constants.address;
    launch->view_bytes = (uint32_t)each;
    launch->prints = buffers->prints.address;
    for (uint64_t i = 0; i < slots; i++) {
        const uint32_t at = launch->constants + (uint32_t)(i * each);
        cy_launch_metadata(launch, at, device->memory.base + at);
    }
    if (launch->print_bytes)
        for (uint64_t i = 0; i < slots; i++)
            memset(device->memory.base + launch->prints + i * launch->print_bytes, 0, CY_PRINT_RECORDS);
    return true;
}

enum { PT_LOAD = 1 };

/* With our own page tables: identity-maps the driver's ranges. */
static bool map_own_ranges(struct cy_launch *launch)
{
    const struct cy_launch_buffers *buffers = &launch->device->buffers;
    struct cy_space *space = launch->space;
    const unsigned data = CY_SPACE_READ | CY_SPACE_WRITE;
    bool ok = cy_space_identity(space, buffers->constants.address, buffers->constants.size, CY_SPACE_READ) &&
              cy_space_identity(space, buffers->prints.address, launch->print_bytes ? buffers->prints.size : 0, data) &&
              cy_space_identity(space, buffers->pds.address, launch->pds_bytes ? buffers->pds.size : 0, data);
    for (size_t i = 0; ok && i < launch->program->object.segments.count; i++) {
        const struct cy_segment *segment = &launch->program->object.segments.at[i];
        if (segment->type == PT_LOAD) /* segments may share a page, and the physical pages' rights still apply */
            ok = cy_space_identity(space, segment->address, segment->memory_size, data | CY_SPACE_EXECUTE);
    }
    if (!ok)
        cy_buf_try_printf(&launch->message, "error: out of device memory for page tables\n");
    return ok;
}

bool cy_launch_load_image(struct cy_launch *launch)
{
    struct cy_device *device = launch->device;
    if (device->loaded == launch->program)
        return true;
    bool ok = !device->loaded || cy_image_unload(device->loaded, &device->memory);
    if (ok) {
        cy_program_release(device->loaded);
        device->loaded = NULL;
        ok = cy_image_load(launch->program, &device->memory);
    }
    if (ok) {
        device->loaded = launch->program;
        atomic_fetch_add(&launch->program->references, 1);
    }
    if (!ok)
        cy_buf_try_printf(&launch->message, "error: the host has no memory for the program's image\n");
    return ok;
}

/* What the warps have in common when they start.  It takes as long as a few warps gain by it. */
static void prepare_start(struct cy_launch *launch)
{
    enum { FEW_WARPS = 64, MOST_LOCALS = 16 };
    const size_t locals = launch->arguments.locals.count;
    uint32_t own[MOST_LOCALS];
    if (launch->translated || !launch->alone || launch->counts || launch->count_lanes || launch->ptbr ||
        launch->watched || locals > MOST_LOCALS || launch->group_count * launch->warps < FEW_WARPS)
        return;
    for (size_t i = 0; i < locals; i++)
        own[i] = CY_METADATA_BYTES + launch->arguments.locals.at[i].offset;
    const struct cy_constants constants = {
        .bytes = launch->view_bytes, .warps = launch->warps, .varies = launch->views, .own = own, .own_count = locals};
    launch->run.start = launch->start = cy_start_build(&launch->run, launch->program->object.entry, &constants);
}

enum cy_status cy_launch_prepare(struct cy_launch *launch)
{
    struct cy_device *device = launch->device;
    const struct cy_config *config = &device->config;
    if (!give_private(launch) || !give_constants(launch))
        return CY_ERROR_MEMORY;
    if (!cy_launch_load_image(launch))
        return CY_ERROR_HOST;
    if (config->clear_bss)
        cy_image_clear_bss(launch->program, &device->memory);
    if (launch->space && !map_own_ranges(launch))
        return CY_ERROR_MEMORY;
    launch->run = (struct cy_run){
        .memory = &device->memory,
        .code = launch->program->code,
        .target = launch->program->target,
        .lanes = config->threads,
        .stack_depth = config->stack_depth,
        .ptbr = launch->ptbr,
        .gds = launch->gds,
        .knl = launch->constants,
        .mask_per_lane = config->mask == CY_MASK_LANE,
        .scalar_atomics = launch->scalar_atomics,
        .keeps_scalars = launch->kernel.may_spin && config->spin_instructions && !launch->controller,
        .checking = config->checking,
        .counting = launch->count_lanes,
    };
    if (launch->engine_observer && launch->engine_observer->check &&
        !(launch->watched = cy_code_watch(launch->run.code, launch->engine_observer))) {
        cy_buf_try_printf(&launch->message, "error: the host has no memory for the checked code\n");
        return CY_ERROR_HOST;
    }
    cy_watch_init(launch);
    launch->alone = cy_sm_is_alone(launch);
    cy_translated_prepare(launch);
    cy_verify_begin(launch);
    prepare_start(launch);
    launch->sms = device->sms;
    for (unsigned i = 0; i < launch->sm_count; i++) {
        struct cy_sm *sm = &launch->sms[i];
        if ((launch->ptbr && !sm->tlb && !(sm->tlb = cy_tlb_create())) ||
            !cy_sm_reset(sm, launch, launch->translated ? 0 : launch->slots_per_sm * launch->warps)) {
            cy_buf_try_printf(&launch->message, "error: the host has no memory for the warps\n");
            return CY_ERROR_HOST;
        }
    }
    launch->last_sm = launch->sm_count - 1;
    return CY_OK;
}
