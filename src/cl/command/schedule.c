/* The command scheduler.  A command arrives here when everything it waits for has ended, so that no command ever blocks
 * a thread waiting for another one.  A launch on a busy machine waits there, without a thread; one on an idle machine
 * may occupy its thread for as long as it takes, and then another thread may serve the other commands.  Threads are
 * started on demand and live as long as the process; an application thread that waits for an event runs the commands
 * that lead to it itself, if no other thread has started them.
 *
 * Waking a thread takes longer than many commands, and most programs soon wait for what they enqueue.  So a new command is
 * only offered: for a moment it is left to the application's thread.  One of ours, the watcher, looks from time to time
 * whether commands have been left over; only the first one after a pause has to wake it. */
#define _POSIX_C_SOURCE 200809L
#include "cl/command/command_priv.h"

#include <errno.h>
#include <time.h>

enum { THREADS = 4 };

/* How long a command is left to the application: longer while it takes all of them, and longest while it goes on enqueueing
 * small ones, which two threads do not do faster than one. */
enum { SHORT_NS = 50000, LONG_NS = 400000, LONGEST_NS = 2000000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake; /* by the monotonic clock */
    cl_event first, last;
    unsigned threads, idle;
    unsigned called;      /* idle threads that have been woken but have not arrived yet */
    unsigned launching;   /* threads that have started a launch */
    uint64_t offers;      /* commands that have been offered so far */
    atomic_uint enqueued; /* commands of any kind so far */
    bool watched;         /* there is a watcher, */
    long watch_ns;        /* which looks after this time, */
    long stayed_ns;       /* and has left the same command to the application for so long, */
    bool calm;            /* and nothing new the last time */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

/* Both at once, if nobody wants to hear of either. */
static void submit_and_start(cl_event event)
{
    pthread_mutex_lock(&event->context->lock);
    const bool silent = !event->callbacks.count;
    if (silent) {
        event->status = CL_RUNNING;
        event->times[CY_CL_TIME_SUBMITTED] = event->times[CY_CL_TIME_STARTED] =
            cy_cl_device_now(event->queue ? event->queue->device : NULL);
    }
    pthread_mutex_unlock(&event->context->lock);
    if (silent)
        return;
    reach(event, CL_SUBMITTED, CY_CL_TIME_SUBMITTED);
    reach(event, CL_RUNNING, CY_CL_TIME_STARTED);
}

void cy_cl_begin_group(cl_event event)
{
    submit_and_start(event);
}

cl_event cy_cl_execute(cl_event event)
{
    cl_int status = CL_COMPLETE;
    if (event->wait_failed) {
        if (event->status != CL_RUNNING)
            reach(event, CL_SUBMITTED, CY_CL_TIME_SUBMITTED);
        status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    } else {
        if (event->status != CL_RUNNING)
            submit_and_start(event);
        CY_CL_TELL(starts, event);
        if (event->command.run)
            status = event->command.run(event);
        if (status == CL_RUNNING)
            return NULL;
    }
    const unsigned order = event->order;
    cl_event next = cy_cl_complete(event, status);
    cy_cl_drop(event);
    if (order)
        CY_CL_TELL(left, order);
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

static bool has_due(void)
{
    for (cl_event at = pool.first; at; at = at->next_ready)
        if (!at->offered)
            return true;
    return false;
}

static cl_event take_due(void)
{
    cl_event previous = NULL;
    for (cl_event at = pool.first; at; previous = at, at = at->next_ready)
        if (!at->offered)
            return take(previous);
    return NULL;
}

/* Commands offered up to this one are no longer left to the application.  False: there is none.  The lock is held. */
static bool withdraw_offers(uint64_t last)
{
    bool any = false;
    for (cl_event at = pool.first; at; at = at->next_ready)
        if (at->offered && at->offered <= last) {
            at->offered = 0;
            any = true;
        }
    return any;
}

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

/* Unless one is on its way, which will watch if there is nothing else to do.  The lock is held. */
static void call_watcher(void)
{
    if (!pool.watched && !pool.called)
        call_thread();
}

/* This thread may be busy for long.  The lock is held. */
static void begin_launching(void)
{
    pool.launching++;
    if (has_due())
        call_thread();
    else if (pool.first)
        call_watcher();
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

static struct timespec after(long ns)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += ns;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return end;
}

/* Waits for a moment.  What has been on offer all the time then has to be run by our threads. */
static void watch(void)
{
    const uint64_t offers = pool.offers;
    const unsigned enqueued = atomic_load_explicit(&pool.enqueued, memory_order_relaxed);
    const struct timespec end = after(pool.watch_ns);
    pool.watched = true;
    const bool called = pthread_cond_timedwait(&pool.wake, &pool.lock, &end) != ETIMEDOUT;
    pool.watched = false;
    if (called)
        return;
    const bool enqueues = atomic_load_explicit(&pool.enqueued, memory_order_relaxed) != enqueued;
    bool left = false;
    for (cl_event at = pool.first; at && !left; at = at->next_ready)
        left = at->offered && at->offered <= offers;
    if (left && enqueues && (pool.stayed_ns += pool.watch_ns) < LONGEST_NS)
        return;
    pool.stayed_ns = 0;
    pool.calm = !enqueues;
    if (left && withdraw_offers(offers))
        pool.watch_ns = SHORT_NS;
    else if (pool.watch_ns < LONG_NS)
        pool.watch_ns *= 2;
}

static void rest(void)
{
    pool.idle++;
    if (!pool.watched && (pool.first || !pool.calm))
        watch();
    else
        pthread_cond_wait(&pool.wake, &pool.lock);
    pool.idle--;
    pool.called -= pool.called > 0;
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        cl_event event = take_due();
        if (event)
            run_chain(event);
        else
            rest();
    }
    return NULL;
}

/* By rank, and in the order of arrival.  The lock is held. */
static void insert(cl_event event)
{
    cl_event before = pool.last;
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
}

void cy_cl_ready(cl_event event)
{
    if (!event)
        return;
    pthread_mutex_lock(&pool.lock);
    event->offered = 0;
    insert(event);
    call_thread();
    pthread_mutex_unlock(&pool.lock);
}

void cy_cl_offer(cl_event event)
{
    if (!event)
        return;
    pthread_mutex_lock(&pool.lock);
    event->offered = ++pool.offers;
    pool.calm = false;
    insert(event);
    call_watcher();
    pthread_mutex_unlock(&pool.lock);
}

void cy_cl_note_enqueued(void)
{
    atomic_fetch_add_explicit(&pool.enqueued, 1, memory_order_relaxed);
}

void cy_cl_start_offered(void)
{
    pthread_mutex_lock(&pool.lock);
    if (withdraw_offers(UINT64_MAX))
        call_thread();
    pthread_mutex_unlock(&pool.lock);
}

/* Before the first thread.  The lock is held. */
static bool prepare(void)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes))
        return false;
    const bool ok =
        !pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) && !pthread_cond_init(&pool.wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pool.watch_ns = SHORT_NS;
    pool.calm = true;
    return ok;
}

bool cy_cl_schedule_start(void)
{
    pthread_t thread;
    pthread_mutex_lock(&pool.lock);
    if (!pool.threads && prepare() && !pthread_create(&thread, NULL, work, NULL)) {
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
    if (pool.first && withdraw_offers(UINT64_MAX)) /* they can run beside it, or are what it waits for */
        call_thread();
    pthread_mutex_unlock(&pool.lock);
    return found;
}

static void forked(void)
{
    cy_cl_leave_behind(pool.first);
    memset(&pool, 0, sizeof(pool));
    pthread_mutex_init(&pool.lock, NULL);
}

const struct cy_cl_attachment cy_cl_scheduler_attachment = {.forked = forked};
