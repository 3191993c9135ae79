/* Launches: from a description to a queue, through the machine, to completion.
 *
 * The device runs one launch at a time, to its end or until its time slice is over (turns.c).  A launch is run by the
 * device's leader thread, or by a caller of cy_launch_run that finds the device idle: that thread loads the image,
 * prepares buffers and starts with the first SMs; if the launch takes more than a moment, helper threads are woken for
 * the other SMs.  Each thread runs its own SMs until they run out of work. */
#define _POSIX_C_SOURCE 200809L
#include "gpu/device/machine.h"
#include "gpu/device/translated.h"

#include "gpu/fp/fp32_native.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define DEFAULT_PRINT_BYTES 65536
#define MAX_GROUPS (1ull << 40)

uint64_t cy_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- validating ---- */

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

/* The driver's choice of a local size: as much of the first dimension as fits, so that warps are full. */
static bool choose_local(struct cy_launch *launch, const struct cy_config *config, struct cy_diags *diags)
{
    uint32_t most = config->warps * config->threads;
    if (launch->dimensions > 1 && most > 256)
        most = 256;
    for (launch->local[0] = launch->global[0] < most ? launch->global[0] : most; launch->local[0] > 1;
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
        launch->global[i] = used ? desc->global[i] : 1;
        launch->local[i] = used && desc->local[0] ? desc->local[i] : 1;
        launch->offset[i] = used ? desc->offset[i] : 0;
        if (!launch->global[i] || !launch->local[i])
            return complain(diags, "%s size of dimension %u is 0", launch->global[i] ? "local" : "global", i);
        if ((uint64_t)launch->global[i] + launch->offset[i] > 1ull << 32)
            return complain(diags, "global ids of dimension %u do not fit in 32 bits", i);
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
        launch->grid[i] = (uint32_t)(((uint64_t)launch->global[i] + launch->local[i] - 1) / launch->local[i]);
        if (launch->grid[i] > MAX_GROUPS / launch->group_count)
            return complain(diags, "more than %llu workgroups", MAX_GROUPS);
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
    launch->independent = desc->independent;
    if (desc->observers)
        launch->observers = *desc->observers;
    launch->engine_observer = desc->engine_observer;
    launch->done = desc->done;
    launch->done_context = desc->done_context;
    launch->views = launch->print_bytes || launch->arguments.locals.count;
    return true;
}

/* ---- device memory of a launch ---- */

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

static void write_metadata(const struct cy_launch *launch, uint32_t at)
{
    uint32_t words[CY_METADATA_BYTES / 4] = {0};
    words[CY_KNL_ENTRY / 4] = launch->kernel.entry;
    words[CY_KNL_ARG_BASE / 4] = at + CY_METADATA_BYTES;
    words[CY_KNL_WORK_DIM / 4] = launch->dimensions;
    for (unsigned i = 0; i < 3; i++) {
        words[CY_KNL_GL_SIZE / 4 + i] = launch->global[i];
        words[CY_KNL_LC_SIZE / 4 + i] = launch->local[i];
        words[CY_KNL_GL_OFFSET / 4 + i] = launch->offset[i];
    }
    words[CY_KNL_PRINT_SIZE / 4] = launch->print_bytes;
    words[CY_KNL_LDS_STACK_SIZE_PER_WF / 4] = launch->stack_bytes;
    words[CY_KNL_LDS_NON_STACK_SIZE / 4] = launch->needs.of[CY_RES_LDS] - launch->stack_bytes * launch->warps;
    words[CY_KNL_PDS_SIZE_PER_THREAD / 4] = launch->pds_bytes;
    uint8_t *to = launch->device->memory.base + at;
    memcpy(to, words, sizeof(words));
    if (launch->arguments.bytes.size)
        memcpy(to + CY_METADATA_BYTES, launch->arguments.bytes.data, launch->arguments.bytes.size);
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
    for (uint64_t i = 0; i < slots; i++)
        write_metadata(launch, launch->constants + (uint32_t)(i * each));
    if (launch->print_bytes)
        for (uint64_t i = 0; i < slots; i++)
            memset(device->memory.base + launch->prints + i * launch->print_bytes, 0, CY_PRINT_RECORDS);
    return true;
}

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
        if (segment->type == 1) /* PT_LOAD; the physical pages' rights still apply */
            ok = cy_space_identity(space, segment->address, segment->memory_size, data | CY_SPACE_EXECUTE);
    }
    if (!ok)
        cy_buf_try_printf(&launch->message, "error: out of device memory for page tables\n");
    return ok;
}

static void release_program(struct cy_program *program)
{
    if (program && atomic_fetch_sub(&program->references, 1) == 1) {
        cy_program_clear(program);
        cy_free(program);
    }
}

void cy_program_release(struct cy_program *program)
{
    release_program(program);
}

static bool load_image(struct cy_launch *launch)
{
    struct cy_device *device = launch->device;
    if (device->loaded == launch->program)
        return true;
    bool ok = !device->loaded || cy_image_unload(device->loaded, &device->memory);
    if (ok) {
        release_program(device->loaded);
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

static enum cy_status prepare(struct cy_launch *launch)
{
    struct cy_device *device = launch->device;
    const struct cy_config *config = &device->config;
    if (!give_private(launch) || !give_constants(launch))
        return CY_ERROR_MEMORY;
    if (!load_image(launch))
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
        .checking = config->checking,
        .counting = launch->count_lanes,
    };
    cy_watch_init(launch);
    launch->alone = cy_sm_is_alone(launch);
    cy_translated_prepare(launch);
    launch->sms = device->sms;
    for (unsigned i = 0; i < launch->sm_count; i++) {
        struct cy_sm *sm = &launch->sms[i];
        if ((launch->ptbr && !sm->tlb && !(sm->tlb = cy_tlb_create())) ||
            !cy_sm_reset(sm, launch->translated ? 0 : launch->slots_per_sm * launch->warps)) {
            cy_buf_try_printf(&launch->message, "error: the host has no memory for the warps\n");
            return CY_ERROR_HOST;
        }
    }
    launch->last_sm = launch->sm_count - 1;
    return CY_OK;
}

/* ---- running ---- */

static bool makes_way(const struct cy_launch *launch)
{
    return atomic_load_explicit(&launch->makes_way, memory_order_relaxed);
}

/* One turn of a thread's share: SMs `first`, `first + step` ...  False: none of them has anything left, or the launch
 * yields. */
static bool turn_share(struct cy_launch *launch, unsigned first, unsigned step)
{
    bool busy = false;
    for (unsigned i = first; i < launch->sm_count; i += step)
        busy |= cy_sm_turn(&launch->sms[i], launch);
    return busy && !makes_way(launch);
}

/* Brackets a thread's work on its share. */
static void enter(const struct cy_launch *launch, struct fp_host_saved *saved)
{
    if (launch->alone)
        fp_host_begin(saved);
}
static void leave(const struct cy_launch *launch, const struct fp_host_saved *saved)
{
    if (launch->alone)
        fp_host_end(saved);
}

static void run_deterministic(struct cy_launch *launch)
{
    struct fp_host_saved saved = {0};
    enter(launch, &saved);
    do
        cy_dispatch_all(launch);
    while (turn_share(launch, 0, 1));
    leave(launch, &saved);
}

/* Waking a thread takes longer than many launches: helpers are woken after this many instructions, if there is work
 * left. */
#define ALONE_INSTRUCTIONS 5000

static bool is_worth_help(const struct cy_launch *launch)
{
    uint64_t done = atomic_load_explicit(&launch->instructions, memory_order_relaxed);
    if (launch->translated)
        done = cy_translated_estimate(launch);
    return !cy_dispatch_empty(launch) && done + launch->sms[0].fresh.instructions >= ALONE_INSTRUCTIONS;
}

static void call_helpers(struct cy_device *device, unsigned parts)
{
    pthread_mutex_lock(&device->lock);
    device->parts = parts;
    device->joined = 0;
    device->helpers = parts - 1;
    pthread_cond_broadcast(&device->wanted);
    pthread_mutex_unlock(&device->lock);
}

static void run_parallel(struct cy_launch *launch)
{
    struct cy_device *device = launch->device;
    pthread_mutex_lock(&device->lock);
    unsigned threads = device->thread_count ? device->thread_count : 1;
    unsigned parts = threads < launch->sm_count ? threads : launch->sm_count;
    pthread_mutex_unlock(&device->lock);
    bool begun = launch->begun; /* then there may be workgroups on all SMs */
    bool called = parts == 1;
    struct fp_host_saved saved = {0};
    enter(launch, &saved);
    do {
        if (called || !(begun || is_worth_help(launch)))
            continue;
        called = true;
        call_helpers(device, parts);
    } while (turn_share(launch, 0, parts));
    leave(launch, &saved);
    if (parts == 1)
        return;
    pthread_mutex_lock(&device->lock);
    while (begun && !makes_way(launch) && device->joined < device->helpers)
        pthread_cond_wait(&device->helped, &device->lock);
    device->helpers = device->joined; /* late helpers have missed this launch */
    while (device->busy)
        pthread_cond_wait(&device->helped, &device->lock);
    pthread_mutex_unlock(&device->lock);
}

/* Is there nothing left to run? */
static bool is_done(const struct cy_launch *launch)
{
    bool done = cy_dispatch_empty(launch);
    for (unsigned i = 0; i < launch->sm_count; i++)
        done &= !launch->sms[i].live_warps;
    return done || atomic_load(&launch->stop);
}

static void run_turn(struct cy_launch *launch)
{
    do {
        atomic_store_explicit(&launch->makes_way, false, memory_order_relaxed);
        if (launch->device->config.deterministic)
            run_deterministic(launch);
        else
            run_parallel(launch);
        launch->begun = true;
    } while (makes_way(launch) && is_done(launch)); /* once more: the SMs have to deliver their counters */
}

/* Prepares the launch for its first turn, or resumes it; CY_RUNNING: it cannot begin while others are suspended. */
static enum cy_status begin(struct cy_launch *launch)
{
    enum cy_status status = CY_OK;
    if (launch->lds) {
        cy_turns_take_back(launch);
        status = load_image(launch) ? CY_OK : CY_ERROR_HOST;
    } else if (!launch->begun) {
        status = prepare(launch);
    }
    if (status == CY_ERROR_MEMORY && !launch->begun && launch->device->aside.head) {
        launch->message.size = 0;
        return CY_RUNNING;
    }
    launch->turn_start_ns = cy_now_ns();
    return status;
}

/* One turn of the launch; CY_RUNNING: it must continue, or begin, later. */
static enum cy_status run(struct cy_launch *launch)
{
    pthread_mutex_lock(&launch->lock); /* another thread may read the counters */
    enum cy_status status = begin(launch);
    pthread_mutex_unlock(&launch->lock);
    if (status != CY_OK)
        return status;
    run_turn(launch);
    if (makes_way(launch))
        return CY_RUNNING;
    cy_translated_end(launch);
    pthread_mutex_lock(&launch->lock);
    for (unsigned i = 0; i < launch->sm_count; i++) {
        const struct cy_sm *sm = &launch->sms[i];
        launch->most_groups = sm->most_groups > launch->most_groups ? sm->most_groups : launch->most_groups;
        launch->most_warps = sm->most_warps > launch->most_warps ? sm->most_warps : launch->most_warps;
    }
    pthread_mutex_unlock(&launch->lock);
    if (launch->faulted)
        return CY_ERROR_FAULT;
    if (launch->no_memory)
        return CY_ERROR_HOST;
    if (atomic_load(&launch->cancel) && atomic_load(&launch->groups_done) < launch->group_count)
        return CY_ERROR_CANCELLED;
    return CY_OK;
}

/* The turn is over: accounts for its time.  With the launch's lock held. */
static void count_turn(struct cy_launch *launch)
{
    launch->ran_ns += launch->turn_start_ns ? cy_now_ns() - launch->turn_start_ns : 0;
    launch->turn_start_ns = 0;
}

static void finish(struct cy_launch *launch, enum cy_status status, bool tell)
{
    pthread_mutex_lock(&launch->lock);
    if (status == CY_ERROR_CANCELLED && !launch->message.size)
        cy_buf_try_printf(&launch->message, "%s\n", cy_fault_text(CY_FAULT_CANCELLED));
    count_turn(launch);
    atomic_store(&launch->state, (int)status);
    pthread_cond_broadcast(&launch->ended);
    pthread_mutex_unlock(&launch->lock);
    if (launch->done && tell)
        launch->done(launch->done_context, launch);
    cy_launch_release(launch);
}

/* The launch has used up its turn, or cannot begin: another one may get the device.  False: it continues. */
static bool make_way(struct cy_launch *launch)
{
    struct cy_device *device = launch->device;
    pthread_mutex_lock(&launch->lock);
    count_turn(launch);
    pthread_mutex_unlock(&launch->lock);
    if (launch->begun && !cy_turns_set_aside(launch))
        return false;
    pthread_mutex_lock(&device->lock);
    bool gone = !device->closing; /* or it has been cancelled, and there may be no thread left */
    if (gone) {
        device->current = NULL;
        if (launch->begun)
            cy_turns_queue(device, launch);
        else
            cy_turns_postpone(device, launch);
        pthread_cond_signal(&device->queued);
    }
    pthread_mutex_unlock(&device->lock);
    return gone;
}

/* Runs the device's current launch and ends it: true.  False: the leader will continue it.  `tell`: whether to call
 * `done`. */
static bool run_current(struct cy_launch *launch, bool tell)
{
    struct cy_device *device = launch->device;
    enum cy_status status = CY_RUNNING;
    while (status == CY_RUNNING) {
        status = atomic_load(&launch->cancel) && !launch->begun ? CY_ERROR_CANCELLED : run(launch);
        if (status == CY_RUNNING && make_way(launch))
            return false;
    }
    pthread_mutex_lock(&device->lock);
    device->current = NULL; /* it may be freed by finish */
    cy_turns_ended(device);
    if (device->queue.head || device->aside.head)
        pthread_cond_signal(&device->queued);
    if (device->closing) {
        pthread_cond_broadcast(&device->helped);
        pthread_cond_broadcast(&device->wanted);
    }
    pthread_mutex_unlock(&device->lock);
    finish(launch, status, tell);
    return true;
}

/* ---- threads ---- */

/* Nothing runs or waits.  The lock is held. */
static bool is_idle(const struct cy_device *device)
{
    return !device->current && !device->queue.head && !device->aside.head;
}

static void *leader_main(void *argument)
{
    struct cy_device *device = argument;
    pthread_mutex_lock(&device->lock);
    for (;;) {
        struct cy_launch *launch = device->current ? NULL : cy_turns_next(device);
        if (!launch && device->closing && !device->queue.head && !device->aside.head)
            break;
        if (!launch) {
            pthread_cond_wait(&device->queued, &device->lock);
            continue;
        }
        uint64_t start_ns = !launch->begun && device->aside.head ? cy_now_ns() : 0;
        device->current = launch;
        pthread_mutex_unlock(&device->lock);
        run_current(launch, true);
        pthread_mutex_lock(&device->lock);
        device->new_ns += start_ns ? cy_now_ns() - start_ns : 0;
    }
    pthread_mutex_unlock(&device->lock);
    return NULL;
}

static void *helper_main(void *argument)
{
    struct cy_device *device = argument;
    pthread_mutex_lock(&device->lock);
    for (;;) {
        while (device->joined >= device->helpers && !(device->closing && is_idle(device)))
            pthread_cond_wait(&device->wanted, &device->lock);
        if (device->joined >= device->helpers)
            break;
        struct cy_launch *launch = device->current;
        unsigned part = ++device->joined, parts = device->parts;
        device->busy++;
        pthread_mutex_unlock(&device->lock);
        struct fp_host_saved saved = {0};
        enter(launch, &saved);
        while (turn_share(launch, part, parts))
            ;
        leave(launch, &saved);
        pthread_mutex_lock(&device->lock);
        if (--device->busy == 0)
            pthread_cond_broadcast(&device->helped); /* a thread that closes the device may wait along with the
                                                      * leader */
    }
    pthread_mutex_unlock(&device->lock);
    return NULL;
}

/* The threads start with the first launch: a device that is only queried for its capabilities has none.  With the lock
 * held.  If the host provides fewer threads than configured, fewer run the SMs. */
static bool start_threads(struct cy_device *device)
{
    const struct cy_config *config = &device->config;
    unsigned wanted = config->host_threads < config->sms ? config->host_threads : config->sms;
    if (device->thread_count)
        return true;
    if (!device->threads && !(device->threads = cy_try_alloc(wanted * sizeof(device->threads[0]))))
        return false;
    while (device->thread_count < wanted &&
           pthread_create(&device->threads[device->thread_count], NULL,
                          device->thread_count ? helper_main : leader_main, device) == 0)
        device->thread_count++;
    return device->thread_count > 0;
}

void cy_device_shutdown(struct cy_device *device)
{
    pthread_mutex_lock(&device->lock);
    device->closing = true;
    for (struct cy_launch *launch = device->queue.head; launch; launch = launch->next)
        atomic_store(&launch->cancel, true);
    for (struct cy_launch *launch = device->aside.head; launch; launch = launch->next)
        atomic_store(&launch->cancel, true);
    if (device->current)
        atomic_store(&device->current->cancel, true);
    pthread_cond_broadcast(&device->queued);
    pthread_cond_broadcast(&device->wanted);
    while (device->current)
        pthread_cond_wait(&device->helped, &device->lock);
    pthread_mutex_unlock(&device->lock);
    for (unsigned i = 0; i < device->thread_count; i++)
        pthread_join(device->threads[i], NULL);
    cy_free(device->threads);
    release_program(device->loaded);
    device->loaded = NULL;
}

/* ---- the public functions ---- */

/* Queues a launch, or makes it the current one for the caller to run if it `may_run` and the device is idle. */
static enum cy_status enqueue(struct cy_device *device, struct cy_launch *launch, bool *may_run)
{
    enum cy_status status = CY_ERROR_HOST;
    pthread_mutex_lock(&device->lock);
    *may_run = *may_run && is_idle(device);
    bool alone =
        *may_run && (device->config.deterministic || launch->sm_count == 1 || device->config.host_threads == 1);
    if (!device->closing && (alone || start_threads(device))) {
        atomic_store(&launch->references, 2); /* the caller's and the device's */
        if (*may_run) {
            device->current = launch;
        } else {
            cy_turns_queue(device, launch);
            pthread_cond_signal(&device->queued);
        }
        status = CY_OK;
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

struct describing {
    struct cy_launch *launch;
    const struct cy_launch_desc *desc;
    struct cy_diags diags;
    enum cy_status status;
};

static void describe_all(void *argument)
{
    struct describing *describing = argument;
    struct cy_launch *launch = describing->launch;
    const struct cy_config *config = &launch->device->config;
    struct cy_diags *diags = &describing->diags;
    describing->status = CY_ERROR_INVALID;
    if (!describe(launch, describing->desc, diags))
        return;
    if (!set_range(launch, describing->desc, config, diags))
        describing->status = launch->needs.of[CY_RES_WARPS] ? CY_ERROR_RESOURCES : CY_ERROR_INVALID;
    else if (count_groups(launch, config, diags))
        describing->status = CY_OK;
}

static enum cy_status start(struct cy_device *device, const struct cy_launch_desc *desc, struct cy_launch **result,
                            char **message, bool *may_run)
{
    struct cy_launch *launch = cy_try_alloc(sizeof(*launch));
    struct describing describing = {.launch = launch, .desc = desc};
    if (!launch)
        return cy_finish(CY_ERROR_HOST, &describing.diags, message);
    launch->device = device;
    atomic_store(&launch->references, 1);
    atomic_store(&launch->state, CY_RUNNING);
    pthread_mutex_init(&launch->lock, NULL);
    pthread_cond_init(&launch->ended, NULL);
    if (!cy_diags_try(&describing.diags, describe_all, &describing)) {
        launch->arguments = (struct cy_arguments){0}; /* freed with the scope */
        describing.status = CY_ERROR_HOST;
    }
    if (describing.status == CY_OK) {
        describing.status = enqueue(device, launch, may_run);
        if (describing.status != CY_OK)
            cy_buf_try_printf(&describing.diags.text, "error: the host has no thread to run the device\n");
    }
    if (describing.status == CY_OK)
        *result = launch;
    else
        cy_launch_release(launch);
    return cy_finish(describing.status, &describing.diags, message);
}

enum cy_status cy_launch_start(struct cy_device *device, const struct cy_launch_desc *desc, struct cy_launch **result,
                               char **message)
{
    bool may_run = false;
    return start(device, desc, result, message, &may_run);
}

enum cy_status cy_launch_run(struct cy_device *device, const struct cy_launch_desc *desc, struct cy_launch **result,
                             char **message)
{
    bool may_run = true;
    *result = NULL;
    enum cy_status status = start(device, desc, result, message, &may_run);
    if (status != CY_OK)
        return status;
    if (may_run)
        run_current(*result, true);
    return cy_launch_wait(*result);
}

enum cy_status cy_launch_try(struct cy_device *device, const struct cy_launch_desc *desc, struct cy_launch **result,
                             char **message)
{
    bool may_run = true;
    struct cy_launch *launch;
    *result = NULL;
    enum cy_status status = start(device, desc, &launch, message, &may_run);
    if (status != CY_OK)
        return status;
    if (!may_run || !run_current(launch, false))
        return CY_RUNNING; /* and the `done` callback may have released it */
    *result = launch;
    return cy_launch_poll(launch);
}

enum cy_status cy_launch_poll(struct cy_launch *launch)
{
    return (enum cy_status)atomic_load(&launch->state);
}

enum cy_status cy_launch_wait(struct cy_launch *launch)
{
    pthread_mutex_lock(&launch->lock);
    while (atomic_load(&launch->state) == CY_RUNNING)
        pthread_cond_wait(&launch->ended, &launch->lock);
    pthread_mutex_unlock(&launch->lock);
    return (enum cy_status)atomic_load(&launch->state);
}

void cy_launch_cancel(struct cy_launch *launch)
{
    atomic_store(&launch->cancel, true);
}

void cy_launch_release(struct cy_launch *launch)
{
    if (!launch || atomic_fetch_sub(&launch->references, 1) != 1)
        return;
    release_program(launch->program);
    cy_buf_free(&launch->arguments.bytes);
    cy_vec_free(&launch->arguments.locals);
    cy_buf_free(&launch->message);
    cy_arena_free(&launch->arena);
    pthread_cond_destroy(&launch->ended);
    pthread_mutex_destroy(&launch->lock);
    cy_free(launch);
}

const char *cy_launch_message(const struct cy_launch *launch)
{
    enum cy_status status = (enum cy_status)atomic_load(&launch->state);
    if (status == CY_RUNNING || status == CY_OK || launch->message.size)
        return status != CY_RUNNING && launch->message.size ? launch->message.data : "";
    return launch->faulted ? launch->fault.report : "error: the host has no memory left\n";
}

const struct cy_fault_info *cy_launch_fault(const struct cy_launch *launch)
{
    return atomic_load(&launch->state) != CY_RUNNING && launch->faulted ? &launch->fault : NULL;
}

void cy_launch_counters(struct cy_launch *launch, struct cy_counters *counters)
{
    pthread_mutex_lock(&launch->lock);
    uint64_t turn_ns = launch->turn_start_ns ? cy_now_ns() - launch->turn_start_ns : 0;
    *counters = (struct cy_counters){
        .instructions = atomic_load(&launch->instructions),
        .workgroups = atomic_load(&launch->groups_done),
        .workgroups_total = launch->group_count,
        .warps = atomic_load(&launch->warps_done),
        .work_items = atomic_load(&launch->items_done),
        .barriers = atomic_load(&launch->barriers),
        .lanes = launch->lanes,
        .prints = launch->prints_done,
        .prints_dropped = launch->prints_dropped,
        .seconds = (double)(launch->ran_ns + turn_ns) * 1e-9,
        .resident_workgroups = launch->slots_per_sm,
        .resident_warps = launch->slots_per_sm * launch->warps,
        .most_workgroups = launch->most_groups,
        .most_warps = launch->most_warps,
        .limited_by = launch->limited_by,
        .engine_level = cy_code_level(launch->program->code)->name,
        .engine = launch->device->config.engine,
        .translated = launch->translated != NULL,
        .not_translated = launch->not_translated,
    };
    pthread_mutex_unlock(&launch->lock);
}
