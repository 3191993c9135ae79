/* Events: every command is one.  An event has a list of the events that wait for it, and notifies them when it ends. */
#define _POSIX_C_SOURCE 200809L
#include "cl/cl_priv.h"

#include <errno.h>
#include <time.h>

enum { QUEUED, SUBMITTED, STARTED, ENDED };

cl_ulong cy_cl_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (cl_ulong)now.tv_sec * 1000000000u + (cl_ulong)now.tv_nsec;
}

cl_int cy_cl_check_wait_list(cl_context context, cl_uint count, const cl_event *list)
{
    CHECK(!count == !list, CL_INVALID_EVENT_WAIT_LIST);
    for (cl_uint i = 0; i < count; i++)
        CHECK(cy_cl_is(list[i], CY_CL_EVENT), CL_INVALID_EVENT_WAIT_LIST);
    for (cl_uint i = 0; i < count; i++)
        CHECK(list[i]->context == context, CL_INVALID_CONTEXT);
    return CL_SUCCESS;
}

/* ---- commands ---- */

cl_event cy_cl_command(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event event))
{
    cl_event event = cy_cl_create(CY_CL_EVENT, sizeof(*event));
    if (!event)
        return NULL;
    event->context = queue->context;
    event->queue = queue;
    event->type = type;
    event->status = CL_QUEUED;
    event->command.run = run;
    cy_cl_hold(event->context);
    cy_cl_hold(queue);
    return event;
}

/* The context's lock is held, as in all functions up to cy_cl_submit. */
static bool depend(cl_event event, cl_event on, bool is_explicit)
{
    if (on->status > CL_COMPLETE) {
        struct cy_cl_dependent *fresh = cy_vec_try_push(&on->dependents);
        if (!fresh)
            return false;
        *fresh = (struct cy_cl_dependent){event, is_explicit};
        event->pending++;
        if (on->may_wait) {
            event->gate = !event->may_wait || event->gate == on->gate ? on->gate : NULL;
            event->may_wait = true;
        }
    } else if (is_explicit && on->status < 0) {
        event->wait_failed = true;
    }
    return true;
}

/* Adds the dependencies implied by the queue's order. */
static bool depend_on_queue(cl_event event, bool has_list)
{
    cl_command_queue queue = event->queue;
    bool orders = event->type == CL_COMMAND_MARKER || event->type == CL_COMMAND_BARRIER, ok = true;
    if (!(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {
        if (queue->last)
            ok = depend(event, queue->last, false);
    } else if (orders && !has_list) {
        for (cl_event earlier = queue->first; ok && earlier; earlier = earlier->next)
            ok = depend(event, earlier, false);
    } else if (queue->barrier) {
        ok = depend(event, queue->barrier, false);
    }
    if (ok && event->type == CL_COMMAND_BARRIER)
        queue->barrier = event;
    return ok;
}

/* Nothing else has been added since: the lock was held. */
static void depend_no_more(cl_event event, cl_event on)
{
    while (on->dependents.count && on->dependents.at[on->dependents.count - 1].event == event)
        on->dependents.count--;
}

static void depend_on_none(cl_event event, cl_uint count, const cl_event *list)
{
    for (cl_uint i = 0; i < count; i++)
        depend_no_more(event, list[i]);
    for (cl_event earlier = event->queue->first; earlier; earlier = earlier->next)
        depend_no_more(event, earlier);
}

/* Adds all dependencies, or none if memory runs out. */
static bool depend_on_all(cl_event event, cl_uint count, const cl_event *list)
{
    bool ok = true;
    for (cl_uint i = 0; ok && i < count; i++)
        ok = depend(event, list[i], true);
    if (ok && depend_on_queue(event, count != 0))
        return true;
    depend_on_none(event, count, list);
    return false;
}

static void append(cl_command_queue queue, cl_event event)
{
    event->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = event;
    queue->last = event;
    atomic_fetch_add_explicit(&queue->length, 1, memory_order_relaxed);
}

static void unlink_event(cl_command_queue queue, cl_event event)
{
    *(event->previous ? &event->previous->next : &queue->first) = event->next;
    *(event->next ? &event->next->previous : &queue->last) = event->previous;
    event->next = event->previous = NULL;
    if (queue->barrier == event)
        queue->barrier = NULL;
}

/* A blocking command in an out-of-order queue, without a wait list, comes after the command-buffers before it.  Nothing
 * promises that, but programs that read a command-buffer's results rely on it, the conformance tests among them. */
static bool depend_on_groups(cl_event event)
{
    bool ok = true;
    for (cl_event earlier = event->queue->first; ok && earlier; earlier = earlier->next)
        if (earlier->type == CL_COMMAND_COMMAND_BUFFER_KHR && !earlier->may_wait)
            ok = depend(event, earlier, false);
    if (!ok)
        depend_on_none(event, 0, NULL);
    return ok;
}

cl_int cy_cl_submit(cl_event command, cl_uint count, const cl_event *list, cl_event *event, bool blocking)
{
    cl_int error = CL_SUCCESS;
    CHECK(command, CL_OUT_OF_HOST_MEMORY);
    cl_context context = command->context;
    pthread_mutex_lock(&context->lock);
    command->times[QUEUED] = cy_cl_device_now(command->queue ? command->queue->device : NULL);
    const bool after_groups =
        blocking && !count && (command->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (!depend_on_all(command, count, list) || (after_groups && !depend_on_groups(command))) {
        pthread_mutex_unlock(&context->lock);
        cy_cl_release(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    cy_cl_check_submitted(command, count, list, after_groups);
    cy_cl_hold(command); /* the scheduler's reference, until it has ended */
    append(command->queue, command);
    cy_cl_note_enqueued();
    bool ready = !command->pending;
    /* A blocking command that can start at once runs here: no other thread has to wake up for it. */
    bool here = ready && blocking;
    if (ready && !here)
        cy_cl_offer(command);
    pthread_mutex_unlock(&context->lock);
    if (here)
        cy_cl_ready(cy_cl_execute(command));
    if (blocking) {
        cl_int status = cy_cl_wait(command);
        error = status < 0 ? status : CL_SUCCESS;
    }
    if (event)
        *event = command;
    else
        cy_cl_release(command);
    return error;
}

/* The same command-buffer again in an out-of-order queue, before its last run has ended: it comes after all commands
 * before it, if nothing of theirs waits for what it does not wait for itself.  Nothing promises that either, but the
 * conformance tests read the results of both runs into one place. */
static bool depend_on_runs(cl_event first, cl_event last)
{
    cl_command_queue queue = first->queue;
    bool again = false, ok = true;
    if (!(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return true;
    for (cl_event earlier = queue->first; !again && earlier; earlier = earlier->next)
        again = earlier->recorded == last->recorded;
    for (cl_event earlier = queue->first; again && ok && earlier; earlier = earlier->next)
        if (!earlier->may_wait || (earlier->gate && earlier->gate == first->gate))
            ok = depend(first, earlier, false);
    return ok;
}

cl_int cy_cl_submit_group(cl_event *commands, size_t command_count, const struct cy_cl_edge *edges, size_t edge_count,
                          cl_uint count, const cl_event *list, cl_event *event)
{
    cl_event first = commands[0], last = commands[command_count - 1];
    cl_context context = first->context;
    pthread_mutex_lock(&context->lock);
    bool ok = depend_on_all(first, count, list);
    if (ok && !depend_on_runs(first, last)) {
        depend_on_none(first, count, list);
        ok = false;
    }
    for (size_t i = 0; ok && i < edge_count; i++) {
        ok = depend(commands[edges[i].to], commands[edges[i].from], true);
        if (!ok)
            depend_on_none(first, count, list);
    }
    if (ok && !cy_cl_check_submitted_group(commands, command_count, edges, edge_count, count, list)) {
        depend_on_none(first, count, list);
        ok = false;
    }
    if (!ok) {
        pthread_mutex_unlock(&context->lock);
        for (size_t i = 0; i < command_count; i++)
            cy_cl_release(commands[i]);
        return CL_OUT_OF_HOST_MEMORY;
    }
    const cl_ulong now = cy_cl_device_now(first->queue->device);
    for (size_t i = 0; i < command_count; i++) { /* the references are the scheduler's now */
        commands[i]->times[QUEUED] = now;
        append(commands[i]->queue, commands[i]);
        cy_cl_own(commands[i]);
    }
    if (event) {
        *event = last;
        cy_cl_retain(last);
    }
    if (!first->pending)
        cy_cl_offer(first);
    pthread_mutex_unlock(&context->lock);
    return CL_SUCCESS;
}

static void free_command(struct cy_cl_command *command)
{
    cy_cl_release(command->from);
    cy_cl_release(command->to);
    for (size_t i = 0; i < command->mem_count; i++)
        cy_cl_release(command->mems[i]);
    cy_free(command->mems);
    cy_free(command->svms);
    cy_cl_release(command->kernel);
    cy_arguments_destroy(command->arguments);
    cy_free(command->checked_arguments);
    for (size_t i = 0; i < command->semaphore_count; i++)
        cy_cl_release(command->semaphores[i]);
    cy_free(command->semaphores);
    *command = (struct cy_cl_command){0};
}

/* Who waits for an event or a queue finds its callbacks done: nothing promises that, but programs rely on it, the
 * conformance tests among them.  A callback itself does not wait for any. */
static _Thread_local unsigned callback_depth;

static void start_calling(cl_event event)
{
    event->calling = 1;
    if (event->queue)
        event->queue->calling++;
}

/* The end of a command, of its callbacks if it has any. */
static void settle(cl_event event)
{
    if (event->queue) {
        event->queue->calling -= event->calling;
        atomic_fetch_sub_explicit(&event->queue->length, 1, memory_order_release);
    }
    event->calling = 0;
}

cl_event cy_cl_complete(cl_event event, cl_int status)
{
    cl_context context = event->context;
    cl_event next = NULL;
    if (!event->command.kernel)
        cy_cl_check_accessed(event);
    struct cy_cl_command command = event->command;
    event->command = (struct cy_cl_command){0};
    free_command(&command); /* before the end becomes visible: reference counts are as the application expects */
    pthread_mutex_lock(&context->lock);
    cy_cl_timing_stamp(event, &event->times[STARTED], &event->times[ENDED]);
    cy_cl_profile_command(event, event->times[QUEUED], event->times[STARTED], event->times[ENDED]);
    event->status = status;
    if (event->queue)
        unlink_event(event->queue, event);
    for (size_t i = 0; i < event->dependents.count; i++) {
        struct cy_cl_dependent *dependent = &event->dependents.at[i];
        dependent->event->wait_failed |= dependent->is_explicit && status < 0;
        if (--dependent->event->pending)
            continue;
        cy_cl_ready(next); /* all but one */
        next = dependent->event;
    }
    event->dependents.count = 0;
    struct cy_cl_event_callback *callbacks = event->callbacks.at;
    size_t count = event->callbacks.count;
    memset(&event->callbacks, 0, sizeof(event->callbacks));
    if (count)
        start_calling(event);
    else
        settle(event);
    pthread_cond_broadcast(&context->changed);
    pthread_mutex_unlock(&context->lock);
    if (!count)
        return next;
    cy_cl_check_waited(event);
    callback_depth++;
    for (size_t i = 0; i < count; i++)
        callbacks[i].call(event, status < 0 ? status : callbacks[i].type, callbacks[i].data);
    callback_depth--;
    cy_free(callbacks);
    pthread_mutex_lock(&context->lock);
    settle(event);
    pthread_cond_broadcast(&context->changed);
    pthread_mutex_unlock(&context->lock);
    return next;
}

/* Not for long: who waits may hold a lock that the callback takes.  Then the context's callbacks are no longer waited
 * for. */
void cy_cl_wait_for_callbacks(cl_context context, const size_t *calling)
{
    const bool waits = *calling && !callback_depth && !context->callbacks_block;
    struct timespec end;
    if (!waits)
        return;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += 200000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    while (*calling && !context->callbacks_block)
        context->callbacks_block = pthread_cond_timedwait(&context->changed, &context->lock, &end) == ETIMEDOUT;
}

/* A waiting thread may as well do the work: commands that precede the event and that no thread has started run here. */
cl_int cy_cl_wait(cl_event event)
{
    cl_event next = NULL;
    pthread_mutex_lock(&event->context->lock);
    while (event->status > CL_COMPLETE) {
        bool leads = next && cy_cl_leads_to(next, event);
        cl_event mine = leads ? next : cy_cl_claim(event);
        if (!leads)
            cy_cl_ready(next);
        next = NULL;
        if (!mine) {
            pthread_cond_wait(&event->context->changed, &event->context->lock);
            continue;
        }
        pthread_mutex_unlock(&event->context->lock);
        next = cy_cl_execute(mine);
        pthread_mutex_lock(&event->context->lock);
    }
    cl_int status = event->status;
    cy_cl_offer(next);
    cy_cl_wait_for_callbacks(event->context, &event->calling);
    pthread_mutex_unlock(&event->context->lock);
    cy_cl_check_waited(event);
    return status;
}

void cy_cl_event_destroy(cl_event event)
{
    free_command(&event->command);
    cy_vec_free(&event->dependents);
    cy_vec_free(&event->callbacks);
    cy_cl_drop(event->queue);
    cy_cl_drop(event->context);
}

/* ---- the API ---- */

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *list)
{
    cl_int result = CL_SUCCESS;
    CHECK(count && list, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        CHECK(cy_cl_is(list[i], CY_CL_EVENT), CL_INVALID_EVENT);
    for (cl_uint i = 0; i < count; i++)
        CHECK(list[i]->context == list[0]->context, CL_INVALID_CONTEXT);
    for (cl_uint i = 0; i < count; i++)
        if (cy_cl_wait(list[i]) < 0)
            result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return result;
}

static cl_int status_of(cl_event event)
{
    pthread_mutex_lock(&event->context->lock);
    cl_int status = event->status;
    pthread_mutex_unlock(&event->context->lock);
    if (status == CL_COMPLETE)
        cy_cl_check_waited(event);
    if (status > CL_COMPLETE) /* who asks may ask until it has ended */
        cy_cl_start_offered();
    return status;
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t size, void *value,
                                               size_t *size_ret)
{
    CHECK(cy_cl_is(event, CY_CL_EVENT), CL_INVALID_EVENT);
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE: INFO(cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT: INFO(cl_context, event->context);
    case CL_EVENT_COMMAND_TYPE: INFO(cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: INFO(cl_int, status_of(event));
    case CL_EVENT_REFERENCE_COUNT: INFO(cl_uint, atomic_load(&event->object.references));
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size,
                                                        void *value, size_t *size_ret)
{
    CHECK(cy_cl_is(event, CY_CL_EVENT), CL_INVALID_EVENT);
    CHECK(event->queue && (event->queue->properties & CL_QUEUE_PROFILING_ENABLE) && status_of(event) == CL_COMPLETE,
          CL_PROFILING_INFO_NOT_AVAILABLE);
    switch (name) {
    case CL_PROFILING_COMMAND_QUEUED: INFO(cl_ulong, event->times[QUEUED]);
    case CL_PROFILING_COMMAND_SUBMIT: INFO(cl_ulong, event->times[SUBMITTED]);
    case CL_PROFILING_COMMAND_START: INFO(cl_ulong, event->times[STARTED]);
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE: INFO(cl_ulong, event->times[ENDED]);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int type,
                                                   void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *data)
{
    CHECK(cy_cl_is(event, CY_CL_EVENT), CL_INVALID_EVENT);
    CHECK(call && (type == CL_SUBMITTED || type == CL_RUNNING || type == CL_COMPLETE), CL_INVALID_VALUE);
    pthread_mutex_lock(&event->context->lock);
    cl_int status = event->status;
    struct cy_cl_event_callback *fresh = status > type ? cy_vec_try_push(&event->callbacks) : NULL;
    if (fresh)
        *fresh = (struct cy_cl_event_callback){call, data, type};
    pthread_mutex_unlock(&event->context->lock);
    CHECK(fresh || status <= type, CL_OUT_OF_HOST_MEMORY);
    if (fresh) /* instead of waiting for it */
        cy_cl_start_offered();
    if (status <= CL_COMPLETE)
        cy_cl_check_waited(event);
    if (status <= type)
        call(event, status < 0 ? status : type, data);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, CY_CL_CONTEXT), CL_INVALID_CONTEXT);
    cl_event event = cy_cl_create(CY_CL_EVENT, sizeof(*event));
    CHECK_CREATE(event, CL_OUT_OF_HOST_MEMORY);
    event->context = context;
    event->type = CL_COMMAND_USER;
    event->may_wait = true;
    event->gate = event;
    event->status = CL_SUBMITTED;
    cy_cl_check_user_event(1);
    cy_cl_check_user_event_created(event);
    cy_cl_hold(context);
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return event;
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status)
{
    CHECK(cy_cl_is(event, CY_CL_EVENT) && !event->queue, CL_INVALID_EVENT);
    CHECK(status <= CL_COMPLETE, CL_INVALID_VALUE);
    pthread_mutex_lock(&event->context->lock);
    bool first = !event->times[SUBMITTED];
    event->times[SUBMITTED] = 1; /* marks it as set */
    pthread_mutex_unlock(&event->context->lock);
    CHECK(first, CL_INVALID_OPERATION);
    cy_cl_check_user_event(-1);
    cy_cl_check_user_event_set(event);
    cy_cl_hold(event); /* a callback may release the last reference */
    cy_cl_ready(cy_cl_complete(event, status));
    cy_cl_drop(event);
    return CL_SUCCESS;
}
