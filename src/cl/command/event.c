/* Events: every command is one.  An event has a list of the events that wait for it, and notifies them when it ends.  How
 * they get there: submit.c. */
#define _POSIX_C_SOURCE 200809L
#include "cl/command/command_priv.h"

#include <errno.h>
#include <time.h>

cl_int cy_cl_check_wait_list(cl_context context, cl_uint count, const cl_event *list)
{
    CHECK(!count == !list, CL_INVALID_EVENT_WAIT_LIST);
    for (cl_uint i = 0; i < count; i++)
        CHECK(cy_cl_is(list[i], &cy_cl_event_class), CL_INVALID_EVENT_WAIT_LIST);
    for (cl_uint i = 0; i < count; i++)
        CHECK(list[i]->context == context, CL_INVALID_CONTEXT);
    return CL_SUCCESS;
}

/* ---- commands ---- */

cl_event cy_cl_command(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event event))
{
    cl_event event = cy_cl_create(&cy_cl_event_class, sizeof(*event));
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
    cy_free(command->watched);
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
static void leave_queue(cl_event event)
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
    event->times[CY_CL_TIME_ENDED] = cy_cl_now();
    CY_CL_TELL(ended, event);
    struct cy_cl_command command = event->command;
    event->command = (struct cy_cl_command){0};
    free_command(&command); /* before the end becomes visible: reference counts are as the application expects */
    pthread_mutex_lock(&context->lock);
    event->status = status;
    if (event->queue)
        cy_cl_unlink(event->queue, event);
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
        leave_queue(event);
    pthread_cond_broadcast(&context->changed);
    pthread_mutex_unlock(&context->lock);
    if (!count)
        return next;
    CY_CL_TELL(waited, NULL, event);
    callback_depth++;
    for (size_t i = 0; i < count; i++)
        callbacks[i].call(event, status < 0 ? status : callbacks[i].type, callbacks[i].data);
    callback_depth--;
    cy_free(callbacks);
    pthread_mutex_lock(&context->lock);
    leave_queue(event);
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
    CY_CL_TELL(waited, NULL, event);
    return status;
}

static void destroy(void *object)
{
    cl_event event = object;
    free_command(&event->command);
    cy_vec_free(&event->dependents);
    cy_vec_free(&event->callbacks);
    cy_cl_drop(event->queue);
    cy_cl_drop(event->context);
}

const struct cy_cl_class cy_cl_event_class = {.plural = "events", .destroy = destroy};
CY_CL_COUNTED(Event, cl_event, cy_cl_event_class, CL_INVALID_EVENT)

/* ---- the API ---- */

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *list)
{
    cl_int result = CL_SUCCESS;
    CHECK(count && list, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        CHECK(cy_cl_is(list[i], &cy_cl_event_class), CL_INVALID_EVENT);
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
        CY_CL_TELL(waited, NULL, event);
    if (status > CL_COMPLETE) /* who asks may ask until it has ended */
        cy_cl_start_offered();
    return status;
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t size, void *value,
                                               size_t *size_ret)
{
    CHECK(cy_cl_is(event, &cy_cl_event_class), CL_INVALID_EVENT);
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
    CHECK(cy_cl_is(event, &cy_cl_event_class), CL_INVALID_EVENT);
    CHECK(event->queue && (event->queue->properties & CL_QUEUE_PROFILING_ENABLE) && status_of(event) == CL_COMPLETE,
          CL_PROFILING_INFO_NOT_AVAILABLE);
    switch (name) {
    case CL_PROFILING_COMMAND_QUEUED: INFO(cl_ulong, event->times[CY_CL_TIME_QUEUED]);
    case CL_PROFILING_COMMAND_SUBMIT: INFO(cl_ulong, event->times[CY_CL_TIME_SUBMITTED]);
    case CL_PROFILING_COMMAND_START: INFO(cl_ulong, event->times[CY_CL_TIME_STARTED]);
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE: INFO(cl_ulong, event->times[CY_CL_TIME_ENDED]);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int type,
                                                   void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *data)
{
    CHECK(cy_cl_is(event, &cy_cl_event_class), CL_INVALID_EVENT);
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
        CY_CL_TELL(waited, NULL, event);
    if (status <= type)
        call(event, status < 0 ? status : type, data);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    cl_event event = cy_cl_create(&cy_cl_event_class, sizeof(*event));
    CHECK_CREATE(event, CL_OUT_OF_HOST_MEMORY);
    event->context = context;
    event->type = CL_COMMAND_USER;
    event->may_wait = true;
    event->gate = event;
    event->status = CL_SUBMITTED;
    cy_cl_hold(context);
    const struct cy_cl_group group = {.commands = &event, .command_count = 1};
    bool ok = true;
    CY_CL_ASK(ok, enqueued, &group);
    if (!ok) {
        cy_cl_release(event);
        CHECK_CREATE(false, CL_OUT_OF_HOST_MEMORY);
    }
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return event;
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status)
{
    CHECK(cy_cl_is(event, &cy_cl_event_class) && !event->queue, CL_INVALID_EVENT);
    CHECK(status <= CL_COMPLETE, CL_INVALID_VALUE);
    pthread_mutex_lock(&event->context->lock);
    bool first = !event->times[CY_CL_TIME_SUBMITTED];
    event->times[CY_CL_TIME_SUBMITTED] = 1; /* marks it as set */
    pthread_mutex_unlock(&event->context->lock);
    CHECK(first, CL_INVALID_OPERATION);
    cy_cl_hold(event); /* a callback may release the last reference */
    cy_cl_ready(cy_cl_complete(event, status));
    cy_cl_drop(event);
    return CL_SUCCESS;
}
