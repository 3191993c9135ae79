/* For the checker: which commands wait for which.  Two commands that access the same bytes of a buffer, one of them writing,
 * must be ordered: by their queue, by wait lists, or by the host, which waited for the first before it enqueued the second.
 *
 * The last commands are remembered, each with the set of those that end before it starts.  A user event is one of them: it
 * has ended when the host says so, and with it everything that the host knows to have ended. */
#define _POSIX_C_SOURCE 200809L
#include "cl/observe/check_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

struct cy_cl_watched_queue {
    struct cy_cl_watched_queue *next;
    unsigned number;                 /* from 1, for messages */
    struct cy_cl_order_set commands; /* all of them, and what is before them */
    struct cy_cl_order_set barrier;  /* what the last barrier waits for, of an out-of-order queue */
    struct cy_cl_order_set groups;   /* its command-buffers, and what is before them */
};

static struct {
    pthread_mutex_t lock;
    unsigned count, queue_count;
    struct cy_cl_watched_queue *queues;
    struct cy_cl_order_set host; /* commands that the host knows to have ended */
    struct cy_cl_order_command *commands;
} order = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_uint running; /* commands that have not ended */

static void add(struct cy_cl_order_set *to, const struct cy_cl_order_set *from)
{
    for (unsigned i = 0; i < CY_COUNT(to->bits); i++)
        to->bits[i] |= from->bits[i];
}

static void put(struct cy_cl_order_set *set, unsigned number)
{
    set->bits[number % CY_CL_ORDER_WINDOW / 64] |= 1ull << (number % 64);
}

static struct cy_cl_order_command *command_of(unsigned number)
{
    return &order.commands[number % CY_CL_ORDER_WINDOW];
}

static bool is_recent(unsigned number)
{
    return number && number + CY_CL_ORDER_WINDOW > order.count;
}

/* What is before this command, and itself. */
static void add_command(struct cy_cl_order_set *to, unsigned number)
{
    if (!is_recent(number))
        return;
    add(to, &command_of(number)->before);
    put(to, number);
}

static struct cy_cl_watched_queue *queue_of(cl_command_queue queue)
{
    if (!queue->watched && (queue->watched = cy_try_alloc(sizeof(*queue->watched)))) {
        queue->watched->number = ++order.queue_count;
        queue->watched->next = order.queues;
        order.queues = queue->watched;
    }
    return queue->watched;
}

void cy_cl_order_queue_gone(cl_command_queue queue)
{
    if (!queue->watched)
        return;
    pthread_mutex_lock(&order.lock);
    struct cy_cl_watched_queue **link = &order.queues;
    while (*link != queue->watched)
        link = &(*link)->next;
    *link = queue->watched->next;
    pthread_mutex_unlock(&order.lock);
    cy_free(queue->watched);
}

static void drop(struct cy_cl_order_set *set, unsigned number)
{
    set->bits[number % CY_CL_ORDER_WINDOW / 64] &= ~(1ull << (number % 64));
}

/* A number is used again: nobody knows the old command any more. */
static void forget(unsigned number)
{
    struct cy_cl_order_command *old = command_of(number);
    for (unsigned i = 0; i < CY_CL_ORDER_WINDOW; i++) {
        struct cy_cl_order_command *c = &order.commands[i];
        c->is_unknown |= old->is_open && cy_cl_order_has(&c->before, number);
        drop(&c->before, number);
    }
    for (struct cy_cl_watched_queue *queue = order.queues; queue; queue = queue->next) {
        drop(&queue->commands, number);
        drop(&queue->barrier, number);
        drop(&queue->groups, number);
    }
    drop(&order.host, number);
    cy_cl_access_forget(old);
    cy_vec_free(&old->shared);
    cy_vec_free(&old->coarse);
}

/* The next command, which the host enqueues now.  NULL: no memory. */
static struct cy_cl_order_command *start_command(cl_event event)
{
    if (!order.commands && !(order.commands = cy_try_alloc(CY_CL_ORDER_WINDOW * sizeof(*order.commands))))
        return NULL;
    const unsigned number = ++order.count;
    forget(number);
    event->order = number;
    *command_of(number) = (struct cy_cl_order_command){.before = order.host};
    return command_of(number);
}

static void add_if(struct cy_cl_order_set *set, unsigned number, const struct cy_cl_order_set *more)
{
    if (cy_cl_order_has(set, number))
        add(set, more);
}

/* What an open command waited for is known now: it is also before everything that comes after the command. */
static void close_command(unsigned number, const struct cy_cl_order_set *more)
{
    if (!is_recent(number))
        return;
    command_of(number)->is_open = false;
    add(&command_of(number)->before, more);
    for (unsigned i = 0; i < CY_CL_ORDER_WINDOW; i++)
        add_if(&order.commands[i].before, number, more);
    for (struct cy_cl_watched_queue *queue = order.queues; queue; queue = queue->next) {
        add_if(&queue->commands, number, more);
        add_if(&queue->barrier, number, more);
        add_if(&queue->groups, number, more);
    }
}

static void describe(cl_event event, struct cy_cl_order_command *c)
{
    static const struct {
        cl_command_type type;
        const char *name;
    } names[] = {{CL_COMMAND_READ_BUFFER, "clEnqueueReadBuffer"},
                 {CL_COMMAND_WRITE_BUFFER, "clEnqueueWriteBuffer"},
                 {CL_COMMAND_COPY_BUFFER, "clEnqueueCopyBuffer"},
                 {CL_COMMAND_FILL_BUFFER, "clEnqueueFillBuffer"},
                 {CL_COMMAND_READ_BUFFER_RECT, "clEnqueueReadBufferRect"},
                 {CL_COMMAND_WRITE_BUFFER_RECT, "clEnqueueWriteBufferRect"},
                 {CL_COMMAND_COPY_BUFFER_RECT, "clEnqueueCopyBufferRect"},
                 {CL_COMMAND_MAP_BUFFER, "clEnqueueMapBuffer"},
                 {CL_COMMAND_UNMAP_MEM_OBJECT, "clEnqueueUnmapMemObject"},
                 {CL_COMMAND_READ_IMAGE, "clEnqueueReadImage"},
                 {CL_COMMAND_WRITE_IMAGE, "clEnqueueWriteImage"},
                 {CL_COMMAND_COPY_IMAGE, "clEnqueueCopyImage"},
                 {CL_COMMAND_FILL_IMAGE, "clEnqueueFillImage"},
                 {CL_COMMAND_COPY_IMAGE_TO_BUFFER, "clEnqueueCopyImageToBuffer"},
                 {CL_COMMAND_COPY_BUFFER_TO_IMAGE, "clEnqueueCopyBufferToImage"},
                 {CL_COMMAND_MAP_IMAGE, "clEnqueueMapImage"},
                 {CL_COMMAND_SVM_MEMCPY, "clEnqueueSVMMemcpy"},
                 {CL_COMMAND_SVM_MEMFILL, "clEnqueueSVMMemFill"}};
    const char *name = "a command";
    for (size_t i = 0; i < CY_COUNT(names); i++)
        if (names[i].type == event->type)
            name = names[i].name;
    const unsigned queue = event->queue->watched ? event->queue->watched->number : 0;
    if (event->command.kernel)
        snprintf(c->what, sizeof(c->what), "kernel %.40s on queue %u", event->command.kernel->info->name, queue);
    else
        snprintf(c->what, sizeof(c->what), "%s on queue %u", name, queue);
}

static void add_shared(struct cy_cl_order_command *c, const void *pointer)
{
    const void **fresh = pointer ? cy_vec_try_push(&c->shared) : NULL;
    if (fresh)
        *fresh = pointer;
}

static void find_shared(struct cy_cl_order_command *c, cl_event event)
{
    const struct cy_cl_command *command = &event->command;
    for (size_t i = 0; command->kernel && i < command->kernel->info->argument_count; i++)
        if (command->kernel->arguments[i].is_svm)
            add_shared(c, command->kernel->arguments[i].svm);
    if (event->type == CL_COMMAND_SVM_MEMCPY || event->type == CL_COMMAND_SVM_MEMFILL) {
        add_shared(c, command->source);
        add_shared(c, command->target);
    } else if (!command->kernel) {
        return;
    }
    for (const struct cy_cl_svm *svm = event->context->svms; svm; svm = svm->next) {
        struct cy_cl_order_run *run = svm->is_fine ? NULL : cy_vec_try_push(&c->coarse);
        if (run)
            *run = (struct cy_cl_order_run){(uintptr_t)svm->pointer, (uintptr_t)svm->pointer + svm->size};
    }
}

static void enqueue(cl_event event, cl_uint count, const cl_event *list, bool after_groups)
{
    pthread_mutex_lock(&order.lock);
    struct cy_cl_watched_queue *queue = queue_of(event->queue);
    struct cy_cl_order_command *c = queue ? start_command(event) : NULL;
    if (c) {
        const bool in_order = !(event->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        const bool orders = event->type == CL_COMMAND_MARKER || event->type == CL_COMMAND_BARRIER;
        describe(event, c);
        find_shared(c, event);
        c->is_open = event->type == CL_COMMAND_SEMAPHORE_WAIT_KHR;
        for (cl_uint i = 0; i < count; i++) {
            add_command(&c->before, list[i]->order);
            c->is_unknown |= list[i]->may_wait && !is_recent(list[i]->order);
        }
        add(&c->before, in_order || (orders && !count) ? &queue->commands : &queue->barrier);
        if (after_groups)
            add(&c->before, &queue->groups);
        add_command(&queue->commands, event->order);
        if (event->type == CL_COMMAND_BARRIER)
            add_command(&queue->barrier, event->order);
        if (event->type == CL_COMMAND_COMMAND_BUFFER_KHR)
            add_command(&queue->groups, event->order);
        atomic_fetch_add(&running, 1);
    }
    pthread_mutex_unlock(&order.lock);
}

static void enqueue_user_event(cl_event event)
{
    pthread_mutex_lock(&order.lock);
    struct cy_cl_order_command *c = start_command(event);
    if (c)
        c->is_open = true;
    pthread_mutex_unlock(&order.lock);
}

void cy_cl_order_user_event_set(cl_event event)
{
    if (!event->order)
        return;
    pthread_mutex_lock(&order.lock);
    const struct cy_cl_order_set known = order.host;
    close_command(event->order, &known);
    pthread_mutex_unlock(&order.lock);
}

/* A wait for a semaphore takes the signal of this number. */
void cy_cl_order_signalled(cl_event wait, unsigned signal)
{
    if (!wait->order)
        return;
    pthread_mutex_lock(&order.lock);
    struct cy_cl_order_set known = {0};
    add_command(&known, signal);
    close_command(wait->order, &known);
    pthread_mutex_unlock(&order.lock);
}

/* A command-buffer: its commands are ordered by its edges, of which those to one command need not be together. */
static bool enqueue_group(const struct cy_cl_group *group)
{
    const size_t count = group->command_count;
    cl_event *const commands = group->commands;
    cl_event *before = cy_try_alloc((group->edge_count + 1) * sizeof(*before));
    size_t *ends = cy_try_alloc((count + 1) * sizeof(*ends)); /* in `before`, of what is before each command */
    if (before && ends) {
        for (size_t k = 0; k < group->edge_count; k++)
            ends[group->edges[k].to + 1]++;
        for (size_t i = 1; i <= count; i++)
            ends[i] += ends[i - 1];
        for (size_t k = 0; k < group->edge_count; k++) /* moves the start of each to its end */
            before[ends[group->edges[k].to]++] = commands[group->edges[k].from];
        enqueue(commands[0], group->wait_count, group->wait_list, group->after_groups);
        for (size_t i = 1; i < count; i++)
            enqueue(commands[i], (cl_uint)(ends[i] - ends[i - 1]), &before[ends[i - 1]], false);
    }
    const bool ok = before && ends;
    cy_free(before);
    cy_free(ends);
    return ok;
}

bool cy_cl_order_enqueued(const struct cy_cl_group *group)
{
    if (!cy_cl_checks_api())
        return true;
    if (!group->commands[0]->queue)
        enqueue_user_event(group->commands[0]);
    else if (group->command_count == 1)
        enqueue(group->commands[0], group->wait_count, group->wait_list, group->after_groups);
    else
        return enqueue_group(group);
    return true;
}

/* The host knows that it has ended, and what came before it; or all of the queue. */
void cy_cl_order_waited(cl_command_queue queue, cl_event event)
{
    if (queue ? !queue->watched : !event->order)
        return;
    pthread_mutex_lock(&order.lock);
    if (queue)
        add(&order.host, &queue->watched->commands);
    else
        add_command(&order.host, event->order);
    pthread_mutex_unlock(&order.lock);
}

/* ---- for those who compare commands ---- */

void cy_cl_order_lock(void)
{
    pthread_mutex_lock(&order.lock);
}

void cy_cl_order_unlock(void)
{
    pthread_mutex_unlock(&order.lock);
}

struct cy_cl_order_command *cy_cl_order_command(unsigned number)
{
    return is_recent(number) ? command_of(number) : NULL;
}

void cy_cl_order_recent(unsigned *first, unsigned *last)
{
    *first = order.count > CY_CL_ORDER_WINDOW ? order.count - CY_CL_ORDER_WINDOW + 1 : 1;
    *last = order.count;
}

bool cy_cl_order_host_knows(unsigned number)
{
    return cy_cl_order_has(&order.host, number);
}

/* ---- the end ---- */

void cy_cl_order_left(unsigned number)
{
    (void)number;
    atomic_fetch_sub(&running, 1);
}

bool cy_cl_order_idle(void)
{
    for (unsigned i = 0; i < 500 && atomic_load(&running); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return !atomic_load(&running);
}

/* The parent's commands are none of the child's; its queues are. */
void cy_cl_order_forked(void)
{
    struct cy_cl_watched_queue *queues = order.queues;
    const unsigned queue_count = order.queue_count;
    cy_cl_leave_behind(order.commands);
    memset(&order, 0, sizeof(order));
    pthread_mutex_init(&order.lock, NULL);
    order.queue_count = queue_count;
    for (order.queues = queues; queues; queues = queues->next)
        queues->commands = queues->barrier = queues->groups = (struct cy_cl_order_set){0};
    atomic_store(&running, 0);
}
