/* Launches: from a description to a queue, through the machine, to completion.
 *
 * The device runs one launch at a time, to its end or until its time slice is over (turns.c).  A launch is run by the
 * device's leader thread, or by a caller of cy_launch_run that finds the device idle: that thread loads the image,
 * prepares buffers and starts with the first SMs; if the launch takes more than a moment, helper threads are woken for
 * the other SMs.  Each thread runs its own SMs until they run out of work. */
#include "gpu/device/machine.h"
#include "gpu/device/request.h"
#include "gpu/device/translated.h"
#include "gpu/device/verify.h"

#include <string.h>

/* Queues a launch, or makes it the current one for the caller to run if it `may_run` and the device is idle. */
static enum cy_status enqueue(struct cy_device *device, struct cy_launch *launch, bool *may_run)
{
    enum cy_status status = CY_ERROR_HOST;
    pthread_mutex_lock(&device->lock);
    *may_run = *may_run && cy_device_is_idle(device);
    bool alone =
        *may_run && (device->config.deterministic || launch->sm_count == 1 || device->config.host_threads == 1);
    if (!device->closing && (alone || cy_threads_start(device))) {
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
    describing->status = cy_launch_describe(describing->launch, describing->desc, &describing->diags);
}

/* A launch that was described, or the reason why it cannot be; NULL: no memory. */
static struct cy_launch *create(struct cy_device *device, struct describing *describing)
{
    struct cy_launch *launch = cy_try_alloc(sizeof(*launch));
    describing->launch = launch;
    describing->status = CY_ERROR_HOST;
    if (!launch)
        return NULL;
    launch->device = device;
    atomic_store(&launch->references, 1);
    atomic_store(&launch->state, CY_RUNNING);
    pthread_mutex_init(&launch->lock, NULL);
    pthread_cond_init(&launch->ended, NULL);
    if (!cy_diags_try(&describing->diags, describe_all, describing)) {
        launch->arguments = (struct cy_arguments){0}; /* freed with the scope */
        describing->status = CY_ERROR_HOST;
    }
    return launch;
}

static enum cy_status start(struct cy_device *device, const struct cy_launch_desc *desc, struct cy_launch **result,
                            char **message, bool *may_run)
{
    struct describing describing = {.desc = desc};
    struct cy_launch *launch = create(device, &describing);
    if (launch && describing.status == CY_OK) {
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

enum cy_status cy_launch_request(struct cy_device *device, const struct cy_launch_desc *desc, struct cy_buf *request,
                                 char **message)
{
    struct describing describing = {.desc = desc};
    struct cy_launch *launch = create(device, &describing);
    if (describing.status == CY_OK && !cy_translated_request(launch, request)) {
        describing.status = CY_ERROR_INVALID;
        cy_buf_try_printf(&describing.diags.text, "error: this host has no translator for launches of this shape\n");
    }
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
        cy_launch_run_current(*result, true);
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
    if (!may_run || !cy_launch_run_current(launch, false))
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
    cy_program_release(launch->program);
    cy_buf_free(&launch->arguments.bytes);
    cy_vec_free(&launch->arguments.locals);
    cy_buf_free(&launch->message);
    cy_arena_free(&launch->arena);
    cy_code_free(launch->watched);
    cy_start_free(launch->start);
    cy_verify_free(launch->verification);
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
        .splits = atomic_load(&launch->splits),
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
        .work_items_translated = atomic_load(&launch->items_translated),
        .instructions_translated = atomic_load(&launch->instructions_translated),
        .workgroups_counted = atomic_load(&launch->groups_counted),
        .workgroups_sampled = atomic_load(&launch->groups_sampled),
        .not_translated = launch->not_translated,
        .interpreted = launch->interpreted ? launch->interpreted : "",
    };
    pthread_mutex_unlock(&launch->lock);
}
