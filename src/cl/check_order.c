/* For the checker: which commands wait for which, and what they access.  Two commands that access the same bytes of a
 * buffer, one of them writing, must be ordered: by their queue, by wait lists, or by the host, which waited for the
 * first before it enqueued the second.  And who writes through a pointer that is no longer mapped.
 *
 * The last commands are remembered, each with the set of those that end before it starts.  A user event is one of them: it
 * has ended when the host says so, and with it everything that the host knows to have ended. */
#define _POSIX_C_SOURCE 200809L
#include "cl/cl_priv.h"

#include "check/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum { WINDOW = 1024, WORDS = WINDOW / 64, MOST_UNMAPPED = 64, MOST_RUNS = 1 << 21 };

struct set {
    uint64_t bits[WORDS]; /* by number modulo WINDOW */
};
struct run {
    size_t low, high;
};
struct range {
    cl_mem root; /* NULL: addresses of shared virtual memory */
    size_t low, high;
    size_t row, width, slice, depth; /* of a box: `width` bytes of each row, `depth` of each slice; row 0: all bytes */
    CY_VEC(struct run) runs;         /* of these only, ascending; none: of all of them */
    bool write;
};
struct command {
    struct set before;
    char what[96];
    bool is_open;    /* what is before it is not known yet: a user event, a wait for a semaphore */
    bool is_unknown; /* waits for an open one that was forgotten */
    CY_VEC(struct range) ranges;
    CY_VEC(const void *) shared; /* shared virtual memory that it may use */
    CY_VEC(struct run) coarse;   /* such allocations that no two commands may use at once, by address */
};
struct cy_cl_order_queue {
    struct cy_cl_order_queue *next;
    unsigned number;     /* from 1, for messages */
    struct set commands; /* all of them, and what is before them */
    struct set barrier;  /* what the last barrier waits for, of an out-of-order queue */
    struct set groups;   /* its command-buffers, and what is before them */
};
struct unmapped {
    cl_mem mem; /* NULL: free */
    const char *pointer;
    size_t size;
    uint64_t hash;
};

static struct {
    pthread_mutex_t lock;
    unsigned count, queue_count;
    size_t run_count; /* of all commands */
    struct cy_cl_order_queue *queues;
    struct set host; /* commands that the host knows to have ended */
    struct command *commands;
    struct unmapped unmapped[MOST_UNMAPPED];
    unsigned next_unmapped;
} order = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_uint running; /* commands that have not ended */

/* The parent's commands are none of the child's; its queues are. */
void cy_cl_check_order_forked(void)
{
    struct cy_cl_order_queue *queues = order.queues;
    const unsigned queue_count = order.queue_count;
    cy_cl_leave_behind(order.commands);
    memset(&order, 0, sizeof(order));
    pthread_mutex_init(&order.lock, NULL);
    order.queue_count = queue_count;
    for (order.queues = queues; queues; queues = queues->next)
        queues->commands = queues->barrier = queues->groups = (struct set){0};
    atomic_store(&running, 0);
}

void cy_cl_check_ended(bool is_counted)
{
    if (is_counted)
        atomic_fetch_sub(&running, 1);
}

bool cy_cl_check_idle(void)
{
    for (unsigned i = 0; i < 500 && atomic_load(&running); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return !atomic_load(&running);
}

static void add(struct set *to, const struct set *from)
{
    for (unsigned i = 0; i < WORDS; i++)
        to->bits[i] |= from->bits[i];
}

static void put(struct set *set, unsigned number)
{
    set->bits[number % WINDOW / 64] |= 1ull << (number % 64);
}

static bool has(const struct set *set, unsigned number)
{
    return set->bits[number % WINDOW / 64] >> (number % 64) & 1;
}

static struct command *command_of(unsigned number)
{
    return &order.commands[number % WINDOW];
}

static bool is_recent(unsigned number)
{
    return number && number + WINDOW > order.count;
}

/* What is before this command, and itself. */
static void add_command(struct set *to, unsigned number)
{
    if (!is_recent(number))
        return;
    add(to, &command_of(number)->before);
    put(to, number);
}

static struct cy_cl_order_queue *queue_of(cl_command_queue queue)
{
    if (!queue->order && (queue->order = cy_try_alloc(sizeof(*queue->order)))) {
        queue->order->number = ++order.queue_count;
        queue->order->next = order.queues;
        order.queues = queue->order;
    }
    return queue->order;
}

void cy_cl_check_queue_gone(cl_command_queue queue)
{
    if (!queue->order)
        return;
    pthread_mutex_lock(&order.lock);
    struct cy_cl_order_queue **link = &order.queues;
    while (*link != queue->order)
        link = &(*link)->next;
    *link = queue->order->next;
    pthread_mutex_unlock(&order.lock);
    cy_free(queue->order);
}

/* ---- what waits for what ---- */

static void drop(struct set *set, unsigned number)
{
    set->bits[number % WINDOW / 64] &= ~(1ull << (number % 64));
}

static void drop_runs(struct range *range)
{
    order.run_count -= range->runs.count;
    cy_vec_free(&range->runs);
}

/* A number is used again: nobody knows the old command any more. */
static void forget(unsigned number)
{
    struct command *old = command_of(number);
    for (unsigned i = 0; i < WINDOW; i++) {
        struct command *c = &order.commands[i];
        c->is_unknown |= old->is_open && has(&c->before, number);
        drop(&c->before, number);
    }
    for (struct cy_cl_order_queue *queue = order.queues; queue; queue = queue->next) {
        drop(&queue->commands, number);
        drop(&queue->barrier, number);
        drop(&queue->groups, number);
    }
    drop(&order.host, number);
    for (size_t i = 0; i < old->ranges.count; i++)
        drop_runs(&old->ranges.at[i]);
    cy_vec_free(&old->ranges);
    cy_vec_free(&old->shared);
    cy_vec_free(&old->coarse);
}

/* The next command, which the host enqueues now.  NULL: no memory. */
static struct command *start_command(cl_event event)
{
    if (!order.commands && !(order.commands = cy_try_alloc(WINDOW * sizeof(*order.commands))))
        return NULL;
    const unsigned number = ++order.count;
    forget(number);
    event->order = number;
    *command_of(number) = (struct command){.before = order.host};
    return command_of(number);
}

static void add_if(struct set *set, unsigned number, const struct set *more)
{
    if (has(set, number))
        add(set, more);
}

/* What an open command waited for is known now: it is also before everything that comes after the command. */
static void close_command(unsigned number, const struct set *more)
{
    if (!is_recent(number))
        return;
    command_of(number)->is_open = false;
    add(&command_of(number)->before, more);
    for (unsigned i = 0; i < WINDOW; i++)
        add_if(&order.commands[i].before, number, more);
    for (struct cy_cl_order_queue *queue = order.queues; queue; queue = queue->next) {
        add_if(&queue->commands, number, more);
        add_if(&queue->barrier, number, more);
        add_if(&queue->groups, number, more);
    }
}

static void describe(cl_event event, struct command *c)
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
    const unsigned queue = event->queue->order ? event->queue->order->number : 0;
    if (event->command.kernel)
        snprintf(c->what, sizeof(c->what), "kernel %.40s on queue %u", event->command.kernel->info->name, queue);
    else
        snprintf(c->what, sizeof(c->what), "%s on queue %u", name, queue);
}

static void add_shared(struct command *c, const void *pointer)
{
    const void **fresh = pointer ? cy_vec_try_push(&c->shared) : NULL;
    if (fresh)
        *fresh = pointer;
}

static void find_shared(struct command *c, cl_event event)
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
    for (size_t i = 0; i < event->context->svms.count; i++) {
        const struct cy_cl_svm *svm = &event->context->svms.at[i];
        struct run *run = svm->is_fine ? NULL : cy_vec_try_push(&c->coarse);
        if (run)
            *run = (struct run){(uintptr_t)svm->pointer, (uintptr_t)svm->pointer + svm->size};
    }
}

static bool is_watched(void)
{
    return cy_cl_check() && cy_check_tools(cy_cl_check()) & CY_CHECK_API;
}

/* The context's lock is held. */
void cy_cl_check_submitted(cl_event event, cl_uint count, const cl_event *list, bool after_groups)
{
    if (!is_watched())
        return;
    pthread_mutex_lock(&order.lock);
    struct cy_cl_order_queue *queue = queue_of(event->queue);
    struct command *c = queue ? start_command(event) : NULL;
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

void cy_cl_check_user_event_created(cl_event event)
{
    if (!is_watched())
        return;
    pthread_mutex_lock(&order.lock);
    struct command *c = start_command(event);
    if (c)
        c->is_open = true;
    pthread_mutex_unlock(&order.lock);
}

void cy_cl_check_user_event_set(cl_event event)
{
    if (!event->order)
        return;
    pthread_mutex_lock(&order.lock);
    const struct set known = order.host;
    close_command(event->order, &known);
    pthread_mutex_unlock(&order.lock);
}

/* A wait for a semaphore takes the signal of this number. */
void cy_cl_check_signalled(cl_event wait, unsigned signal)
{
    if (!wait->order)
        return;
    pthread_mutex_lock(&order.lock);
    struct set known = {0};
    add_command(&known, signal);
    close_command(wait->order, &known);
    pthread_mutex_unlock(&order.lock);
}

/* A command-buffer: its commands are ordered by its edges, of which those to one command need not be together. */
bool cy_cl_check_submitted_group(cl_event *commands, size_t command_count, const struct cy_cl_edge *edges,
                                 size_t edge_count, cl_uint count, const cl_event *list)
{
    if (!is_watched())
        return true;
    cl_event *before = cy_try_alloc((edge_count + 1) * sizeof(*before));
    size_t *ends = cy_try_alloc((command_count + 1) * sizeof(*ends)); /* in `before`, of what is before each command */
    if (before && ends) {
        for (size_t k = 0; k < edge_count; k++)
            ends[edges[k].to + 1]++;
        for (size_t i = 1; i <= command_count; i++)
            ends[i] += ends[i - 1];
        for (size_t k = 0; k < edge_count; k++) /* moves the start of each to its end */
            before[ends[edges[k].to]++] = commands[edges[k].from];
        cy_cl_check_submitted(commands[0], count, list, false);
        for (size_t i = 1; i < command_count; i++)
            cy_cl_check_submitted(commands[i], (cl_uint)(ends[i] - ends[i - 1]), &before[ends[i - 1]], false);
    }
    const bool ok = before && ends;
    cy_free(before);
    cy_free(ends);
    return ok;
}

/* The host knows that it has ended, and what came before it. */
void cy_cl_check_waited(cl_event event)
{
    if (!event->order)
        return;
    pthread_mutex_lock(&order.lock);
    add_command(&order.host, event->order);
    pthread_mutex_unlock(&order.lock);
}

void cy_cl_check_finished(cl_command_queue queue)
{
    if (!queue->order)
        return;
    pthread_mutex_lock(&order.lock);
    add(&order.host, &queue->order->commands);
    pthread_mutex_unlock(&order.lock);
}

/* Shared virtual memory is freed: has every command that uses it ended, and does the host know?  What comes to these
 * addresses later has nothing to do with them. */
void cy_cl_check_freeing(const void *pointer, size_t size, bool by_host)
{
    if (!cy_cl_check() || !order.commands)
        return;
    pthread_mutex_lock(&order.lock);
    const unsigned first = order.count > WINDOW ? order.count - WINDOW + 1 : 1;
    for (unsigned number = first; number <= order.count; number++) {
        struct command *c = command_of(number);
        bool uses = false;
        for (size_t i = 0; i < c->shared.count; i++)
            uses |= (uintptr_t)c->shared.at[i] - (uintptr_t)pointer < size;
        if (by_host && uses && !has(&order.host, number))
            cy_check_api(cy_cl_check(), "freed-while-in-use",
                         "clSVMFree frees %zu bytes that %s uses, and the host has not waited for it", size, c->what);
        for (size_t i = 0; i < c->ranges.count; i++) {
            struct range *range = &c->ranges.at[i];
            if (!range->root && range->low - (uintptr_t)pointer < size)
                range->high = range->low;
        }
    }
    pthread_mutex_unlock(&order.lock);
}

/* ---- what they access ---- */

static struct range *access_bytes(struct command *c, cl_mem root, size_t low, size_t high, bool write)
{
    struct range *fresh = low < high ? cy_vec_try_push(&c->ranges) : NULL;
    if (fresh)
        *fresh = (struct range){.root = root, .low = low, .high = high, .write = write};
    return fresh;
}

static struct range *access_range(struct command *c, cl_mem mem, size_t low, size_t high, bool write)
{
    size_t offset = 0;
    if (!mem)
        return NULL;
    for (; mem->parent; mem = mem->parent)
        offset += mem->offset;
    return access_bytes(c, mem, low + offset, high + offset, write);
}

/* By a copy or a fill of shared virtual memory; other memory of the host is its own affair. */
static void access_shared(struct command *c, const void *pointer, size_t size, bool write)
{
    for (size_t i = 0; i < c->coarse.count; i++)
        if ((uintptr_t)pointer - c->coarse.at[i].low < c->coarse.at[i].high - c->coarse.at[i].low)
            access_bytes(c, NULL, (uintptr_t)pointer, (uintptr_t)pointer + size, write);
}

static void access_rect(struct command *c, cl_mem mem, const struct cy_cl_rect *r, const size_t *region, bool write)
{
    const size_t start = r->origin[2] * r->slice + r->origin[1] * r->row + r->origin[0];
    const size_t end = start + (region[2] - 1) * r->slice + (region[1] - 1) * r->row + region[0];
    struct range *range = access_range(c, mem, start, end, write);
    if (!range)
        return;
    range->row = r->row ? r->row : region[0];
    range->width = region[0];
    range->depth = (region[1] - 1) * range->row + region[0];
    range->slice = r->slice > range->depth ? r->slice : range->depth;
}

struct collecting {
    struct range *range;
    uint64_t base; /* of the range's root */
    bool failed;
};

static void add_run(void *context, uint64_t low, uint64_t high)
{
    struct collecting *c = context;
    struct run *run = c->failed || order.run_count >= MOST_RUNS ? NULL : cy_vec_try_push(&c->range->runs);
    c->failed |= !run;
    if (!run)
        return;
    *run = (struct run){low - c->base, high - c->base};
    order.run_count++;
}

/* Parts that are not together: a kernel of another queue may have what is between them. */
static void find_runs(struct range *range, const struct cy_cl_command *command, const struct cy_check_touch *touch)
{
    struct collecting c = {.range = range, .base = touch->low - range->low};
    if (!cy_check_runs(command->checked, touch, range->write, add_run, &c) || c.failed) {
        drop_runs(range);
        return;
    }
    const size_t count = range->runs.count;
    range->low = count ? range->runs.at[0].low : range->high;
    range->high = count ? range->runs.at[count - 1].high : range->high;
    if (count < 2)
        drop_runs(range);
}

/* What the kernel really touched of a buffer, or of shared virtual memory. */
static void access_touched(struct command *c, struct cy_cl_command *command, cl_mem mem, uint64_t base, size_t size)
{
    for (unsigned write = 0; write < 2; write++) {
        struct cy_check_touch touch;
        cy_check_touched(command->checked, base, size, write, &touch);
        struct range *range = mem ? access_range(c, mem, touch.low - base, touch.high - base, write)
                                  : access_bytes(c, NULL, touch.low, touch.high, write);
        if (range)
            find_runs(range, command, &touch);
    }
}

static void access_kernel(struct command *c, struct cy_cl_command *command, cl_uint device)
{
    for (size_t i = 0; i < command->mem_count && command->checked; i++)
        if (command->mems[i])
            access_touched(c, command, command->mems[i], command->mems[i]->address[device], command->mems[i]->size);
    for (size_t i = 0; i < c->coarse.count && command->checked; i++)
        access_touched(c, command, NULL, c->coarse.at[i].low, c->coarse.at[i].high - c->coarse.at[i].low);
}

static size_t next_in_runs(const struct range *r, size_t at)
{
    size_t low = 0, high = r->runs.count; /* of the first run that ends after it */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (r->runs.at[middle].high > at)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == r->runs.count)
        return r->high;
    return at > r->runs.at[low].low ? at : r->runs.at[low].low;
}

/* The first byte of the range from `at` on; `high` if there is none. */
static size_t next_in(const struct range *r, size_t at)
{
    if (at <= r->low)
        return r->low;
    if (r->runs.count)
        return next_in_runs(r, at);
    if (!r->row || at >= r->high)
        return at < r->high ? at : r->high;
    const size_t slice = (at - r->low) / r->slice, in_slice = (at - r->low) % r->slice;
    if (in_slice >= r->depth)
        return r->low + (slice + 1) * r->slice;
    return in_slice % r->row < r->width ? at : r->low + slice * r->slice + (in_slice / r->row + 1) * r->row;
}

static bool overlap(const struct range *x, const struct range *y)
{
    const size_t end = x->high < y->high ? x->high : y->high;
    for (size_t at = 0, in_y; (at = next_in(x, at)) < end; at = in_y) {
        in_y = next_in(y, at);
        if (in_y == at)
            return true;
    }
    return false;
}

static bool conflict(const struct command *a, const struct command *b, bool *writes)
{
    for (size_t i = 0; i < a->ranges.count; i++)
        for (size_t k = 0; k < b->ranges.count; k++) {
            const struct range *x = &a->ranges.at[i], *y = &b->ranges.at[k];
            if (x->root == y->root && (x->write || y->write) && overlap(x, y)) {
                writes[0] = x->write;
                writes[1] = y->write;
                return true;
            }
        }
    return false;
}

/* Two commands of which the first to end is compared with when the second ends. */
static void compare(unsigned number)
{
    const struct command *c = command_of(number);
    const unsigned first = order.count > WINDOW ? order.count - WINDOW + 1 : 1;
    for (unsigned other = first; other <= order.count && c->ranges.count && !c->is_unknown; other++) {
        const struct command *o = command_of(other);
        bool writes[2];
        if (other == number || !o->ranges.count || o->is_unknown || has(&c->before, other) || has(&o->before, number) ||
            !conflict(c, o, writes))
            continue;
        const struct command *one = other < number ? o : c, *two = other < number ? c : o;
        const bool one_writes = writes[other < number], two_writes = writes[other > number];
        cy_check_api(cy_cl_check(), "missing-wait", "%s %s what %s %s, and neither waits for the other", two->what,
                     two_writes ? "writes" : "reads", one->what, one_writes ? "writes" : "reads");
    }
}

/* With the command's own fields still there. */
void cy_cl_check_accessed(cl_event event)
{
    struct cy_cl_command *command = &event->command;
    if (!event->order)
        return;
    pthread_mutex_lock(&order.lock);
    if (is_recent(event->order)) {
        struct command *c = command_of(event->order);
        const bool is_rect = command->region[0] != 0;
        switch (event->type) {
        case CL_COMMAND_NDRANGE_KERNEL:
        case CL_COMMAND_TASK: access_kernel(c, command, event->queue->index); break;
        case CL_COMMAND_SVM_MEMCPY: access_shared(c, command->source, command->size, false); /* fall through */
        case CL_COMMAND_SVM_MEMFILL: access_shared(c, command->target, command->size, true); break;
        case CL_COMMAND_MAP_IMAGE:
            if (command->to)
                access_rect(c, command->to, &command->to_rect, command->region,
                            command->map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION));
            break;
        case CL_COMMAND_MAP_BUFFER:
            access_range(c, command->from, command->from_offset, command->from_offset + command->size,
                         command->map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION));
            break;
        default:
            if (command->from) {
                if (is_rect)
                    access_rect(c, command->from, &command->from_rect, command->region, false);
                else
                    access_range(c, command->from, command->from_offset, command->from_offset + command->size, false);
            }
            if (command->to && !(command->to->image && event->type == CL_COMMAND_UNMAP_MEM_OBJECT)) {
                if (is_rect)
                    access_rect(c, command->to, &command->to_rect, command->region, true);
                else
                    access_range(c, command->to, command->to_offset, command->to_offset + command->size, true);
            }
        }
        compare(event->order);
    }
    pthread_mutex_unlock(&order.lock);
}

/* ---- pointers that are no longer mapped ---- */

static uint64_t hash_of(const char *bytes, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return hash;
}

static cl_mem root_of(cl_mem mem)
{
    while (mem->parent)
        mem = mem->parent;
    return mem;
}

void cy_cl_check_unmapped(cl_mem mem, const void *pointer, size_t size)
{
    if (!is_watched() || mem->image)
        return;
    pthread_mutex_lock(&order.lock);
    order.unmapped[order.next_unmapped++ % MOST_UNMAPPED] =
        (struct unmapped){root_of(mem), pointer, size, hash_of(pointer, size)};
    pthread_mutex_unlock(&order.lock);
}

/* A command is about to use the memory, or it goes: has the host written there meanwhile?  NULL: all. */
void cy_cl_check_unmapped_use(cl_mem mem, bool may_change)
{
    if (!cy_cl_check())
        return;
    pthread_mutex_lock(&order.lock);
    for (unsigned i = 0; i < MOST_UNMAPPED; i++) {
        struct unmapped *u = &order.unmapped[i];
        if (!u->mem || (mem && u->mem != root_of(mem)))
            continue;
        const bool changed = hash_of(u->pointer, u->size) != u->hash;
        if (changed)
            cy_check_api(cy_cl_check(), "write-after-unmap",
                         "the host writes through a pointer of clEnqueueMapBuffer (%zu bytes) after it was unmapped",
                         u->size);
        if (changed || may_change)
            u->mem = NULL;
    }
    pthread_mutex_unlock(&order.lock);
}

/* Before a command runs. */
void cy_cl_check_starting(cl_event event)
{
    const struct cy_cl_command *c = &event->command;
    if (!event->order)
        return;
    if (c->from)
        cy_cl_check_unmapped_use(c->from, event->type == CL_COMMAND_MAP_BUFFER);
    if (c->to && event->type != CL_COMMAND_UNMAP_MEM_OBJECT)
        cy_cl_check_unmapped_use(c->to, true);
    for (size_t i = 0; i < c->mem_count; i++)
        if (c->mems[i])
            cy_cl_check_unmapped_use(c->mems[i], true);
}
