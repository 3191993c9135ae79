/* Running the current launch: turns of the SMs on one thread or several, time slices, completion. */
#define _POSIX_C_SOURCE 200809L
#include "gpu/device/machine.h"
#include "gpu/device/translated.h"
#include "gpu/device/verify.h"

#include "gpu/fp/fp32_native.h"

#include <time.h>

uint64_t cy_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool makes_way(const struct cy_launch *launch)
{
    return atomic_load_explicit(&launch->makes_way, memory_order_relaxed);
}

/* One turn of a thread's share: SMs `first`, `first + step` ...  False: none of them has anything left, or the launch
 * yields. */
static bool turn_share(struct cy_launch *launch, unsigned first, unsigned step)
{
    bool busy = false;
    for (unsigned i = first; i < launch->sm_count; i += step) {
        busy |= cy_sm_turn(&launch->sms[i], launch);
        if (launch->translated) /* a thread needs no more than one */
            break;
    }
    return busy && !makes_way(launch);
}

/* What was counted per instruction, once a thread has done its share, or the launch yields. */
static void deliver_share(struct cy_launch *launch, unsigned first, unsigned step)
{
    for (unsigned i = first; launch->counts && i < launch->sm_count; i += step)
        cy_sm_deliver(&launch->sms[i], launch);
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

void cy_launch_no_memory(struct cy_launch *launch)
{
    pthread_mutex_lock(&launch->lock);
    launch->no_memory = true;
    pthread_mutex_unlock(&launch->lock);
    atomic_store(&launch->stop, true);
}

void cy_launch_run_share(struct cy_launch *launch, unsigned part, unsigned parts)
{
    struct fp_host_saved saved = {0};
    enter(launch, &saved);
    while (turn_share(launch, part, parts))
        ;
    deliver_share(launch, part, parts);
    leave(launch, &saved);
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

static void run_controlled(struct cy_launch *launch)
{
    launch->controller->run(launch->controller->context, launch);
    turn_share(launch, 0, 1); /* the SMs deliver their counters */
}

/* Before the first turn of a translated launch: by what its code says about its length; later by what it has run. */
static bool is_worth_help(const struct cy_launch *launch)
{
    if (cy_dispatch_empty(launch))
        return false;
    if (launch->translated)
        return cy_translated_is_long(launch) || cy_now_ns() - launch->turn_start_ns >= CY_ALONE_NS;
    return atomic_load_explicit(&launch->instructions, memory_order_relaxed) + launch->sms[0].fresh.instructions >=
           CY_ALONE_INSTRUCTIONS;
}

static void call_helpers(struct cy_device *device, unsigned parts)
{
    pthread_mutex_lock(&device->lock);
    device->parts = parts;
    device->joined = 0;
    device->helpers = parts - 1;
    device->is_called_often = cy_now_ns() - device->helped_ns < CY_AWAKE_NS;
    pthread_cond_broadcast(&device->wanted);
    atomic_fetch_add(&device->calls, 1);
    pthread_mutex_unlock(&device->lock);
}

/* Helpers end at nearly the same time: waking up would take longer. */
static void await_helpers(const struct cy_device *device)
{
    const uint64_t start_ns = cy_now_ns();
    while (atomic_load_explicit(&device->busy, memory_order_relaxed) && cy_now_ns() - start_ns < CY_AWAKE_NS)
        ;
}

static void run_parallel(struct cy_launch *launch)
{
    struct cy_device *device = launch->device;
    pthread_mutex_lock(&device->lock);
    unsigned threads = device->thread_count ? device->thread_count : 1;
    unsigned parts = threads < launch->sm_count ? threads : launch->sm_count;
    launch->parts = parts;
    pthread_mutex_unlock(&device->lock);
    bool begun = launch->begun; /* then there may be workgroups on all SMs */
    bool called = parts == 1;
    struct fp_host_saved saved = {0};
    enter(launch, &saved);
    do {
        if (called || !(begun || is_worth_help(launch)))
            continue;
        called = true;
        if (!begun)
            cy_translated_divide(launch, parts);
        call_helpers(device, parts);
    } while (turn_share(launch, 0, parts));
    deliver_share(launch, 0, parts);
    leave(launch, &saved);
    if (parts == 1 || !called)
        return;
    await_helpers(device);
    pthread_mutex_lock(&device->lock);
    atomic_store(&device->awaited, true);
    while (begun && !makes_way(launch) && device->joined < device->helpers)
        pthread_cond_wait(&device->helped, &device->lock);
    device->helpers = device->joined; /* late helpers have missed this launch */
    while (atomic_load(&device->busy))
        pthread_cond_wait(&device->helped, &device->lock);
    atomic_store(&device->awaited, false);
    device->helped_ns = cy_now_ns();
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
        if (launch->controller)
            run_controlled(launch);
        else if (launch->device->config.deterministic)
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
        status = cy_launch_load_image(launch) ? CY_OK : CY_ERROR_HOST;
    } else if (!launch->begun) {
        status = cy_launch_prepare(launch);
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
    do {
        run_turn(launch);
        if (makes_way(launch))
            return CY_RUNNING;
        cy_translated_end(launch);
    } while (launch->verification && cy_verify_next(launch));
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
bool cy_launch_run_current(struct cy_launch *launch, bool tell)
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
