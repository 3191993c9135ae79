/* A launch: blocks are handed out to host threads in order, and end in order.
 *
 * Block b belongs to core b mod cores; a host thread takes the next block when it has finished one.  Nothing that a
 * program can observe depends on the thread or on their number: memory, frames, counters and faults are those of blocks
 * that run one after the other (order.c).  A block that ran before its turn is left in launch->finished, and the thread
 * that ends the block below it ends this one too.  Lower blocks never wait for higher ones and were handed out earlier,
 * so this cannot deadlock; the last block can show what all the others drew. */
#define _POSIX_C_SOURCE 200809L
#include "epic/epic_priv.h"

#include "base/fenv_guard.h"

#include <stdlib.h>
#include <time.h>

/* Threads that wait for launches. */
struct pool {
    struct cy_epic *device;
    pthread_mutex_t lock;
    pthread_cond_t called;
    uint64_t generation; /* counts launches */
    unsigned workers;    /* of the last launch */
    bool ended;
    unsigned count;
    struct member {
        struct pool *pool;
        unsigned number;
        pthread_t thread;
    } members[CY_EPIC_MAX_THREADS];
};

bool cy_epic_past_deadline(const struct launch *launch)
{
    if (!launch->has_deadline)
        return false;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec != launch->deadline_seconds ? now.tv_sec > launch->deadline_seconds
                                                  : now.tv_nsec >= launch->deadline_nanoseconds;
}

static void set_deadline(struct launch *launch, double seconds)
{
    struct timespec now;
    if (seconds == 0 || seconds > 1e9)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double nanoseconds = (double)now.tv_nsec + (seconds - (double)(int64_t)seconds) * 1e9;
    launch->has_deadline = true;
    launch->deadline_seconds = now.tv_sec + (int64_t)seconds + (int64_t)(nanoseconds / 1e9);
    launch->deadline_nanoseconds = (int64_t)nanoseconds % 1000000000;
}

/* ---- blocks ---- */

/* Blocks from `block` on are not needed any more.  Called with the launch locked. */
static void stop_from(struct cy_epic *device, uint64_t block)
{
    if (block < atomic_load(&device->launch.stop_from))
        atomic_store(&device->launch.stop_from, block);
    pthread_cond_broadcast(&device->launch_changed);
}

/* NULL: no memory. */
static struct log *take_log(struct cy_epic *device)
{
    pthread_mutex_lock(&device->launch_lock);
    struct log *log = device->launch.logs;
    if (log)
        device->launch.logs = log->next;
    pthread_mutex_unlock(&device->launch_lock);
    return log ? log : cy_epic_log_create(device->config.memory_bytes / 4);
}

static void give_log(struct cy_epic *device, struct log *log)
{
    cy_epic_log_clear(log);
    pthread_mutex_lock(&device->launch_lock);
    log->next = device->launch.logs;
    device->launch.logs = log;
    pthread_mutex_unlock(&device->launch_lock);
}

static bool is_wanted(const struct core *core)
{
    return atomic_load(&core->launch->stop_from) > core->block;
}

/* Waits until fewer than `ahead` blocks below this one have not ended; false: the block is not needed any more.  Called
 * with the launch locked. */
static bool wait_for_lower(struct core *core, uint64_t ahead)
{
    struct launch *launch = core->launch;
    launch->waiters++;
    while (core->block - atomic_load(&launch->ended) >= ahead && is_wanted(core))
        pthread_cond_wait(&core->device->launch_changed, &core->device->launch_lock);
    launch->waiters--;
    return is_wanted(core);
}

bool cy_epic_take_turn(struct core *core)
{
    struct cy_epic *device = core->device;
    pthread_mutex_lock(&device->launch_lock);
    bool wanted = wait_for_lower(core, 1);
    pthread_mutex_unlock(&device->launch_lock);
    if (wanted && core->log) {
        core->again = !cy_epic_log_commit(device, core->log);
        give_log(device, core->log);
        core->log = NULL;
    }
    core->abandoned = !wanted || core->again;
    if (core->abandoned)
        core->live = 0;
    return !core->abandoned;
}

static void add_counters(struct cy_epic_counters *sum, const struct cy_epic_counters *more)
{
    sum->blocks += more->blocks;
    sum->frames += more->frames;
    sum->issued += more->issued;
    sum->lane_instructions += more->lane_instructions;
    sum->lane_slots += more->lane_slots;
    sum->predicated_off += more->predicated_off;
    for (unsigned i = 0; i < CY_EPIC_CLASSES; i++) {
        sum->by_class[i].issued += more->by_class[i].issued;
        sum->by_class[i].lanes += more->by_class[i].lanes;
    }
    sum->loads += more->loads;
    sum->stores += more->stores;
    sum->depth_passed += more->depth_passed;
    sum->depth_rejected += more->depth_rejected;
}

static struct finished *finished_place(const struct core *core)
{
    return &core->launch->finished[core->block % (2 * core->launch->workers)];
}

/* The core's block has had its turn, and the next block's turn has come.  If that one has already run, the core takes
 * over its result and its log. */
static struct log *end_block(struct core *core)
{
    struct cy_epic *device = core->device;
    struct launch *launch = core->launch;
    add_counters(&launch->counters, &core->counters);
    if (core->abandoned)
        return NULL;
    pthread_mutex_lock(&device->launch_lock);
    if (core->fault.kind != CY_EPIC_FAULT_NONE) {
        launch->fault = core->fault;
        stop_from(device, (uint64_t)core->block + 1);
    }
    atomic_store_explicit(&launch->ended, (uint64_t)core->block + 1, memory_order_release);
    if (launch->waiters)
        pthread_cond_broadcast(&device->launch_changed);
    core->block++;
    struct finished *next = finished_place(core);
    struct log *log = next->log && is_wanted(core) ? next->log : NULL;
    if (log) {
        core->counters = next->counters;
        core->fault = next->fault;
        next->log = NULL;
    }
    pthread_mutex_unlock(&device->launch_lock);
    return log;
}

/* Leaves a block that ran before its turn to the thread that ends the one below it.  Called with the launch locked. */
static void leave_block(struct core *core)
{
    *finished_place(core) = (struct finished){core->log, core->counters, core->fault};
    core->log = NULL;
}

static void run_block(struct core *core, uint32_t block)
{
    struct cy_epic *device = core->device;
    struct launch *launch = core->launch;
    core->block = block;
    if (!cy_epic_is_turn(core) && !(core->log = take_log(device)) && !cy_epic_take_turn(core))
        return;
    do
        cy_epic_core_run(core, launch->start, block);
    while (core->again);
    struct log *log = core->log;
    if (log) {
        pthread_mutex_lock(&device->launch_lock);
        bool wanted = !core->abandoned && wait_for_lower(core, 2 * launch->workers);
        bool early = wanted && !cy_epic_is_turn(core);
        if (early)
            leave_block(core);
        pthread_mutex_unlock(&device->launch_lock);
        if (early)
            return;
        core->log = NULL;
        if (!wanted) {
            give_log(device, log);
            return;
        }
    }
    /* Its turn has come, and perhaps that of others above it. */
    do {
        bool good = !log || cy_epic_log_commit(device, log);
        if (log)
            give_log(device, log);
        if (!good)
            cy_epic_core_run(core, launch->start, core->block);
    } while ((log = end_block(core)));
}

static void work(struct core *core)
{
    struct launch *launch = core->launch;
    fenv_t callers;
    cy_fenv_enter(&callers);
    for (;;) {
        uint64_t block = atomic_fetch_add(&launch->next, 1);
        if (block >= launch->blocks || block >= atomic_load(&launch->stop_from))
            break;
        run_block(core, (uint32_t)block);
        if (launch->workers == 1 && launch->stopped)
            break;
    }
    cy_fenv_leave(&callers);
}

/* ---- frames ---- */

static void copy_frame(struct core *core, uint32_t address)
{
    struct cy_epic *device = core->device;
    const size_t first = address / 4, count = (size_t)device->config.width * device->config.height;
    for (size_t i = 0; i < count; i++)
        device->frame_pixels[i] = atomic_load_explicit(&device->memory[first + i], memory_order_relaxed);
    if (!device->config.keep_depth)
        for (size_t i = 0; i < count; i++)
            atomic_store_explicit(&device->depth[first + i], 0, memory_order_relaxed);
    core->launch->frame = (struct cy_epic_frame){
        .pixels = device->frame_pixels,
        .width = device->config.width,
        .height = device->config.height,
        .address = address,
        .block = core->block,
        .number = device->frames_shown++,
    };
    core->counters.frames++;
}

/* Called and left with the launch locked. */
static void call_back(struct cy_epic *device)
{
    struct launch *launch = &device->launch;
    pthread_mutex_unlock(&device->launch_lock);
    bool go_on = device->on_frame(device->frame_user, &launch->frame);
    pthread_mutex_lock(&device->launch_lock);
    if (!go_on) {
        launch->stopped = true;
        stop_from(device, 0);
    }
}

bool cy_epic_show(struct core *core, uint32_t address)
{
    struct launch *launch = core->launch;
    struct cy_epic *device = core->device;
    pthread_mutex_lock(&device->launch_lock);
    bool wanted = is_wanted(core);
    if (wanted) {
        copy_frame(core, address);
        if (device->on_frame && launch->workers == 1) {
            call_back(device);
        } else if (device->on_frame) {
            launch->frame_ready = true;
            pthread_cond_broadcast(&device->launch_changed);
            while (launch->frame_ready)
                pthread_cond_wait(&device->launch_changed, &device->launch_lock);
        }
        wanted = !launch->stopped;
    }
    pthread_mutex_unlock(&device->launch_lock);
    return wanted;
}

/* ---- threads ---- */

static void *member_main(void *argument)
{
    struct member *self = argument;
    struct pool *pool = self->pool;
    struct cy_epic *device = pool->device;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->ended && pool->generation == seen)
            pthread_cond_wait(&pool->called, &pool->lock);
        if (pool->ended)
            break;
        seen = pool->generation;
        if (self->number >= pool->workers)
            continue;
        pthread_mutex_unlock(&pool->lock);
        work(&device->cores[self->number]);
        pthread_mutex_lock(&device->launch_lock);
        device->launch.running--;
        pthread_cond_broadcast(&device->launch_changed);
        pthread_mutex_unlock(&device->launch_lock);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* As many threads as the host allows; perhaps none. */
static struct pool *start_pool(struct cy_epic *device)
{
    struct pool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return NULL;
    pool->device = device;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->called, NULL);
    for (; pool->count < device->core_count; pool->count++) {
        struct member *member = &pool->members[pool->count];
        member->pool = pool;
        member->number = pool->count;
        if (pthread_create(&member->thread, NULL, member_main, member) != 0)
            break;
    }
    return pool;
}

void cy_epic_pool_free(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->ended = true;
    pthread_cond_broadcast(&pool->called);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->count; i++)
        pthread_join(pool->members[i].thread, NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->called);
    free(pool);
}

/* The threads run blocks; this one waits for them, and shows frames. */
static void run_on_pool(struct cy_epic *device)
{
    struct pool *pool = device->pool;
    struct launch *launch = &device->launch;
    launch->running = launch->workers;
    pthread_mutex_lock(&pool->lock);
    pool->workers = launch->workers;
    pool->generation++;
    pthread_cond_broadcast(&pool->called);
    pthread_mutex_unlock(&pool->lock);

    pthread_mutex_lock(&device->launch_lock);
    while (launch->running) {
        if (launch->frame_ready) {
            call_back(device);
            launch->frame_ready = false;
            pthread_cond_broadcast(&device->launch_changed);
        } else {
            pthread_cond_wait(&device->launch_changed, &device->launch_lock);
        }
    }
    pthread_mutex_unlock(&device->launch_lock);
}

/* How many threads are worthwhile for this launch. */
static unsigned count_workers(struct cy_epic *device, uint32_t blocks)
{
    unsigned workers = device->core_count < blocks ? device->core_count : blocks;
    if (device->on_step || workers <= 1)
        return 1;
    if (!device->pool)
        device->pool = start_pool(device);
    if (!device->pool || device->pool->count == 0)
        return 1;
    return workers < device->pool->count ? workers : device->pool->count;
}

/* ---- the launch ---- */

/* Discards blocks that ran but are not needed any more. */
static void drop_finished(struct cy_epic *device)
{
    struct launch *launch = &device->launch;
    for (unsigned i = 0; i < 2 * launch->workers; i++)
        if (launch->finished[i].log) {
            give_log(device, launch->finished[i].log);
            launch->finished[i].log = NULL;
        }
}

static void run_launch(struct cy_epic *device, unsigned program, uint32_t blocks)
{
    struct launch *launch = &device->launch;
    launch->blocks = blocks;
    launch->start = device->image.starts[program];
    launch->workers = count_workers(device, blocks);
    launch->has_deadline = launch->stopped = launch->frame_ready = false;
    launch->fault.kind = CY_EPIC_FAULT_NONE;
    launch->counters = (struct cy_epic_counters){0};
    atomic_store(&launch->next, 0);
    atomic_store(&launch->ended, 0);
    atomic_store(&launch->stop_from, UINT64_MAX);
    set_deadline(launch, device->config.watchdog_seconds);
    for (unsigned i = 0; i < launch->workers; i++) {
        struct core *core = &device->cores[i];
        core->launch = launch;
        core->image = &device->image;
        core->end = device->image.insns + device->image.count;
    }
    if (launch->workers == 1)
        work(&device->cores[0]);
    else
        run_on_pool(device);
    drop_finished(device);
    add_counters(&device->counters, &launch->counters);
    device->counters.launches++;
}

enum cy_epic_status cy_epic_launch(struct cy_epic *device, unsigned program, uint32_t blocks,
                                   struct cy_epic_fault *fault)
{
    if (fault)
        *fault = (struct cy_epic_fault){.kind = CY_EPIC_FAULT_NONE};
    if (!cy_epic_enter(device))
        return CY_EPIC_BUSY;
    enum cy_epic_status status = CY_EPIC_OK;
    if (program >= CY_EPIC_PROGRAMS) {
        status = CY_EPIC_BAD_ARGUMENT;
    } else if (!device->slots[program].loaded) {
        status = CY_EPIC_EMPTY;
    } else if (blocks) {
        run_launch(device, program, blocks);
        if (device->launch.fault.kind != CY_EPIC_FAULT_NONE) {
            status = CY_EPIC_FAULT;
            cy_epic_fault_describe(device, &device->launch.fault);
            if (fault)
                *fault = device->launch.fault;
        } else if (device->launch.stopped) {
            status = CY_EPIC_STOPPED;
        }
    }
    cy_epic_leave(device);
    return status;
}
