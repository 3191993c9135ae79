/* The command scheduler.  A command arrives here when everything it waits for has ended, so that no command ever blocks
 * a thread waiting for another one.  A launch on a busy machine waits there, without a thread; one on an idle machine
 * may occupy its thread for as long as it takes, and then another thread may serve the other commands.  Threads are
 * started on demand and live as long as the process; an application thread that waits for an event runs the commands
 * that lead to it itself, if no other thread has started them. */
#include "cl/cl_priv.h"

enum { THREADS = 4, SUBMITTED = 1, STARTED = 2 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    cl_event first, last;
    unsigned threads, idle;
    unsigned called;    /* idle threads that have been woken but have not arrived yet */
    unsigned launching; /* threads that have started a launch */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

/* Removes the first callback registered for this status from the event's list.  The context's lock is held. */
static bool take_callback(cl_event event, cl_int status, struct cy_cl_event_callback *due)
{
    for (size_t i = 0; i < event->callbacks.count; i++) {
        if (event->callbacks.at[i].type != status)
            continue;
        *due = event->callbacks.at[i];
        event->callbacks.count--;
        memmove(&event->callbacks.at[i], &event->callbacks.at[i + 1],
                (event->callbacks.count - i) * sizeof(event->callbacks.at[0]));
        return true;
    }
    return false;
}

/* Sets a new status and calls the callbacks registered for it: one at a time, so that no memory is needed to remember
 * them. */
static void reach(cl_event event, cl_int status, int time)
{
    struct cy_cl_event_callback due;
    pthread_mutex_lock(&event->context->lock);
    event->status = status;
    event->times[time] = cy_cl_device_now(event->queue ? event->queue->device : NULL);
    while (take_callback(event, status, &due)) {
        pthread_mutex_unlock(&event->context->lock);
        due.call(event, status, due.data);
        pthread_mutex_lock(&event->context->lock);
    }
    pthread_mutex_unlock(&event->context->lock);
}

void cy_cl_begin_group(cl_event event)
{
    reach(event, CL_SUBMITTED, SUBMITTED);
    reach(event, CL_RUNNING, STARTED);
}

cl_event cy_cl_execute(cl_event event)
{
    cl_int status = CL_COMPLETE;
    if (event->status != CL_RUNNING)
        reach(event, CL_SUBMITTED, SUBMITTED);
    if (event->wait_failed) {
        status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    } else {
        if (event->status != CL_RUNNING)
            reach(event, CL_RUNNING, STARTED);
        cy_cl_check_starting(event);
        if (event->command.run)
            status = event->command.run(event);
        if (status == CL_RUNNING)
            return NULL;
    }
    const bool is_counted = event->order != 0;
    cl_event next = cy_cl_complete(event, status);
    cy_cl_drop(event);
    cy_cl_check_ended(is_counted);
    return next;
}

/* Removes the command after `previous` (NULL: the first) from the list. */
static cl_event take(cl_event previous)
{
    cl_event event = previous ? previous->next_ready : pool.first;
    *(previous ? &previous->next_ready : &pool.first) = event->next_ready;
    if (pool.last == event)
        pool.last = previous;
    return event;
}

static void *work(void *unused);

/* There is work: wakes a waiting thread, or starts one.  The lock is held. */
static void call_thread(void)
{
    pthread_t thread;
    if (pool.idle > pool.called) {
        pool.called++;
        pthread_cond_signal(&pool.wake);
    } else if (pool.threads < THREADS + pool.launching && pool.threads < THREADS + CY_CL_MAX_DEVICES &&
               !pthread_create(&thread, NULL, work, NULL)) {
        pthread_detach(thread);
        pool.threads++;
    }
}

static bool is_launch(cl_event event)
{
    return event->type == CL_COMMAND_NDRANGE_KERNEL || event->type == CL_COMMAND_TASK;
}

/* This thread may be busy for long.  The lock is held. */
static void begin_launching(void)
{
    pool.launching++;
    if (pool.first)
        call_thread();
}

/* Runs a command, and those that become ready through it.  Called and left with the lock held. */
static void run_chain(cl_event event)
{
    bool launching = is_launch(event);
    if (launching)
        begin_launching();
    pthread_mutex_unlock(&pool.lock);
    while ((event = cy_cl_execute(event)))
        if (is_launch(event) && !launching) {
            launching = true;
            pthread_mutex_lock(&pool.lock);
            begin_launching();
            pthread_mutex_unlock(&pool.lock);
        }
    pthread_mutex_lock(&pool.lock);
    pool.launching -= launching;
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!pool.first) {
            pool.idle++;
            pthread_cond_wait(&pool.wake, &pool.lock);
            pool.idle--;
            pool.called -= pool.called > 0;
        }
        run_chain(take(NULL));
    }
    return NULL;
}

void cy_cl_ready(cl_event event)
{
    if (!event)
        return;
    pthread_mutex_lock(&pool.lock);
    cl_event before = pool.last; /* by rank, and in the order of arrival */
    if (before && before->queue->rank > event->queue->rank) {
        before = NULL;
        for (cl_event at = pool.first; at->queue->rank <= event->queue->rank; at = at->next_ready)
            before = at;
    }
    cl_event *place = before ? &before->next_ready : &pool.first;
    event->next_ready = *place;
    *place = event;
    if (!event->next_ready)
        pool.last = event;
    call_thread();
    pthread_mutex_unlock(&pool.lock);
}

bool cy_cl_schedule_start(void)
{
    pthread_t thread;
    pthread_mutex_lock(&pool.lock);
    if (!pool.threads && !pthread_create(&thread, NULL, work, NULL)) {
        pthread_detach(thread);
        pool.threads++;
    }
    bool ok = pool.threads > 0;
    pthread_mutex_unlock(&pool.lock);
    return ok;
}

/* In an in-order queue, a ready command precedes everything that has not ended.  A command with callbacks is left to
 * the threads: callbacks may want a lock that the application holds while it waits.  The lock of the event's context is
 * held, so callbacks are checked last, when the command is known to belong to that context. */
bool cy_cl_leads_to(cl_event command, cl_event event)
{
    if (command != event &&
        (command->queue != event->queue || (event->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)))
        return false;
    return !command->callbacks.count;
}

cl_event cy_cl_claim(cl_event event)
{
    cl_event found = NULL, previous = NULL;
    pthread_mutex_lock(&pool.lock);
    for (cl_event at = pool.first; at && !found; previous = at, at = at->next_ready)
        if (cy_cl_leads_to(at, event))
            found = take(previous);
    pthread_mutex_unlock(&pool.lock);
    return found;
}

void cy_cl_schedule_forked(void)
{
    cy_cl_leave_behind(pool.first);
    memset(&pool, 0, sizeof(pool));
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.wake, NULL);
}
