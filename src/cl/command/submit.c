/* Submitting commands: what each of them waits for. */
#include "cl/command/command_priv.h"

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

void cy_cl_unlink(cl_command_queue queue, cl_event event)
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

/* Watchers hear of commands whose dependencies are known.  False: one has no memory, and nothing depends on anything. */
static bool tell(const struct cy_cl_group *group)
{
    bool ok = true;
    CY_CL_ASK(ok, enqueued, group);
    if (!ok)
        depend_on_none(group->commands[0], group->wait_count, group->wait_list);
    return ok;
}

cl_int cy_cl_submit(cl_event command, cl_uint count, const cl_event *list, cl_event *event, bool blocking)
{
    cl_int error = CL_SUCCESS;
    CHECK(command, CL_OUT_OF_HOST_MEMORY);
    cl_context context = command->context;
    pthread_mutex_lock(&context->lock);
    command->times[CY_CL_TIME_QUEUED] = cy_cl_device_now(command->queue->device);
    const bool after_groups =
        blocking && !count && (command->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const struct cy_cl_group group = {
        .commands = &command, .command_count = 1, .wait_count = count, .wait_list = list, .after_groups = after_groups};
    if (!depend_on_all(command, count, list) || (after_groups && !depend_on_groups(command)) || !tell(&group)) {
        pthread_mutex_unlock(&context->lock);
        cy_cl_release(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
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

/* All dependencies of a command-buffer's commands, or none of those on commands before it. */
static bool depend_in_group(const struct cy_cl_group *group)
{
    cl_event first = group->commands[0], last = group->commands[group->command_count - 1];
    bool ok = depend_on_all(first, group->wait_count, group->wait_list);
    if (!ok)
        return false;
    ok = depend_on_runs(first, last);
    for (size_t i = 0; ok && i < group->edge_count; i++)
        ok = depend(group->commands[group->edges[i].to], group->commands[group->edges[i].from], true);
    if (!ok)
        depend_on_none(first, group->wait_count, group->wait_list);
    return ok;
}

cl_int cy_cl_submit_group(const struct cy_cl_group *group, cl_event *event)
{
    const size_t count = group->command_count;
    cl_event first = group->commands[0], last = group->commands[count - 1];
    cl_context context = first->context;
    pthread_mutex_lock(&context->lock);
    if (!depend_in_group(group) || !tell(group)) {
        pthread_mutex_unlock(&context->lock);
        for (size_t i = 0; i < count; i++)
            cy_cl_release(group->commands[i]);
        return CL_OUT_OF_HOST_MEMORY;
    }
    const cl_ulong now = cy_cl_device_now(first->queue->device);
    for (size_t i = 0; i < count; i++) { /* the references are the scheduler's now */
        cl_event command = group->commands[i];
        command->times[CY_CL_TIME_QUEUED] = now;
        append(command->queue, command);
        cy_cl_own(command);
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
