/* For the checker: what commands access.  Of two that access the same bytes, one of them writing, one must wait for the
 * other (check_order.c). */
#include "cl/observe/check_priv.h"

enum { MOST_RUNS = 1 << 21 };

static size_t run_count; /* of all commands, with the lock of the order */

static void drop_runs(struct cy_cl_order_range *range)
{
    run_count -= range->runs.count;
    cy_vec_free(&range->runs);
}

void cy_cl_access_forget(struct cy_cl_order_command *command)
{
    for (size_t i = 0; i < command->ranges.count; i++)
        drop_runs(&command->ranges.at[i]);
    cy_vec_free(&command->ranges);
}

/* The parent's commands have been left behind. */
void cy_cl_access_forked(void)
{
    run_count = 0;
}

static struct cy_cl_order_range *access_bytes(struct cy_cl_order_command *c, cl_mem root, size_t low, size_t high,
                                              bool write)
{
    struct cy_cl_order_range *fresh = low < high ? cy_vec_try_push(&c->ranges) : NULL;
    if (fresh)
        *fresh = (struct cy_cl_order_range){.root = root, .low = low, .high = high, .write = write};
    return fresh;
}

static struct cy_cl_order_range *access_range(struct cy_cl_order_command *c, cl_mem mem, size_t low, size_t high,
                                              bool write)
{
    size_t offset = 0;
    if (!mem)
        return NULL;
    for (; mem->parent; mem = mem->parent)
        offset += mem->offset;
    return access_bytes(c, mem, low + offset, high + offset, write);
}

/* By a copy or a fill of shared virtual memory; other memory of the host is its own affair. */
static void access_shared(struct cy_cl_order_command *c, const void *pointer, size_t size, bool write)
{
    for (size_t i = 0; i < c->coarse.count; i++)
        if ((uintptr_t)pointer - c->coarse.at[i].low < c->coarse.at[i].high - c->coarse.at[i].low)
            access_bytes(c, NULL, (uintptr_t)pointer, (uintptr_t)pointer + size, write);
}

static void access_rect(struct cy_cl_order_command *c, cl_mem mem, const struct cy_cl_rect *r, const size_t *region,
                        bool write)
{
    const size_t start = r->origin[2] * r->slice + r->origin[1] * r->row + r->origin[0];
    const size_t end = start + (region[2] - 1) * r->slice + (region[1] - 1) * r->row + region[0];
    struct cy_cl_order_range *range = access_range(c, mem, start, end, write);
    if (!range)
        return;
    range->row = r->row ? r->row : region[0];
    range->width = region[0];
    range->depth = (region[1] - 1) * range->row + region[0];
    range->slice = r->slice > range->depth ? r->slice : range->depth;
}

struct collecting {
    struct cy_cl_order_range *range;
    uint64_t base; /* of the range's root */
    bool failed;
};

static void add_run(void *context, uint64_t low, uint64_t high)
{
    struct collecting *c = context;
    struct cy_cl_order_run *run = c->failed || run_count >= MOST_RUNS ? NULL : cy_vec_try_push(&c->range->runs);
    c->failed |= !run;
    if (!run)
        return;
    *run = (struct cy_cl_order_run){low - c->base, high - c->base};
    run_count++;
}

/* Parts that are not together: a kernel of another queue may have what is between them. */
static void find_runs(struct cy_cl_order_range *range, const struct cy_cl_command *command,
                      const struct cy_check_touch *touch)
{
    struct collecting c = {.range = range, .base = touch->low - range->low};
    if (!cy_check_runs(command->watched->checked, touch, range->write, add_run, &c) || c.failed) {
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
static void access_touched(struct cy_cl_order_command *c, struct cy_cl_command *command, cl_mem mem, uint64_t base,
                           size_t size)
{
    for (unsigned write = 0; write < 2; write++) {
        struct cy_check_touch touch;
        cy_check_touched(command->watched->checked, base, size, write, &touch);
        struct cy_cl_order_range *range = mem ? access_range(c, mem, touch.low - base, touch.high - base, write)
                                              : access_bytes(c, NULL, touch.low, touch.high, write);
        if (range)
            find_runs(range, command, &touch);
    }
}

static void access_kernel(struct cy_cl_order_command *c, struct cy_cl_command *command, cl_uint device)
{
    if (!command->watched || !command->watched->checked)
        return;
    for (size_t i = 0; i < command->mem_count; i++)
        if (command->mems[i])
            access_touched(c, command, command->mems[i], command->mems[i]->address[device], command->mems[i]->size);
    for (size_t i = 0; i < c->coarse.count; i++)
        access_touched(c, command, NULL, c->coarse.at[i].low, c->coarse.at[i].high - c->coarse.at[i].low);
}

static size_t next_in_runs(const struct cy_cl_order_range *r, size_t at)
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
static size_t next_in(const struct cy_cl_order_range *r, size_t at)
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

static bool overlap(const struct cy_cl_order_range *x, const struct cy_cl_order_range *y)
{
    const size_t end = x->high < y->high ? x->high : y->high;
    for (size_t at = 0, in_y; (at = next_in(x, at)) < end; at = in_y) {
        in_y = next_in(y, at);
        if (in_y == at)
            return true;
    }
    return false;
}

static bool conflict(const struct cy_cl_order_command *a, const struct cy_cl_order_command *b, bool *writes)
{
    for (size_t i = 0; i < a->ranges.count; i++)
        for (size_t k = 0; k < b->ranges.count; k++) {
            const struct cy_cl_order_range *x = &a->ranges.at[i], *y = &b->ranges.at[k];
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
    const struct cy_cl_order_command *c = cy_cl_order_command(number);
    unsigned first, last;
    cy_cl_order_recent(&first, &last);
    for (unsigned other = first; other <= last && c->ranges.count && !c->is_unknown; other++) {
        const struct cy_cl_order_command *o = cy_cl_order_command(other);
        bool writes[2];
        if (other == number || !o->ranges.count || o->is_unknown || cy_cl_order_has(&c->before, other) ||
            cy_cl_order_has(&o->before, number) || !conflict(c, o, writes))
            continue;
        const struct cy_cl_order_command *one = other < number ? o : c, *two = other < number ? c : o;
        const bool one_writes = writes[other < number], two_writes = writes[other > number];
        cy_check_api(cy_cl_checker(), "missing-wait", "%s %s what %s %s, and neither waits for the other", two->what,
                     two_writes ? "writes" : "reads", one->what, one_writes ? "writes" : "reads");
    }
}

/* What a command that is no launch reads and writes by its operands. */
static void access_operands(struct cy_cl_order_command *c, const struct cy_cl_command *command, cl_command_type type)
{
    const bool is_rect = command->region[0] != 0;
    if (command->from && is_rect)
        access_rect(c, command->from, &command->from_rect, command->region, false);
    else if (command->from)
        access_range(c, command->from, command->from_offset, command->from_offset + command->size, false);
    if (!command->to || (command->to->image && type == CL_COMMAND_UNMAP_MEM_OBJECT))
        return;
    if (is_rect)
        access_rect(c, command->to, &command->to_rect, command->region, true);
    else
        access_range(c, command->to, command->to_offset, command->to_offset + command->size, true);
}

static void access_all(struct cy_cl_order_command *c, cl_event event)
{
    struct cy_cl_command *command = &event->command;
    switch (event->type) {
    case CL_COMMAND_NDRANGE_KERNEL:
    case CL_COMMAND_TASK: access_kernel(c, command, event->queue->index); break;
    case CL_COMMAND_SVM_MEMCPY: access_shared(c, command->source, command->size, false); /* fall through */
    case CL_COMMAND_SVM_MEMFILL: access_shared(c, command->target, command->size, true); break;
    case CL_COMMAND_MAP_IMAGE:
        if (command->to)
            access_rect(c, command->to, &command->to_rect, command->region, command->map_flags & cy_cl_map_writes);
        break;
    case CL_COMMAND_MAP_BUFFER:
        access_range(c, command->from, command->from_offset, command->from_offset + command->size,
                     command->map_flags & cy_cl_map_writes);
        break;
    default: access_operands(c, command, event->type);
    }
}

void cy_cl_access_ended(cl_event event)
{
    if (!event->order)
        return;
    cy_cl_order_lock();
    struct cy_cl_order_command *c = cy_cl_order_command(event->order);
    if (c) {
        access_all(c, event);
        compare(event->order);
    }
    cy_cl_order_unlock();
}

/* ---- shared virtual memory that is freed ---- */

static bool uses(const struct cy_cl_order_command *c, const void *pointer, size_t size)
{
    for (size_t i = 0; i < c->shared.count; i++)
        if ((uintptr_t)c->shared.at[i] - (uintptr_t)pointer < size)
            return true;
    return false;
}

/* Has every command that uses it ended, and does the host know?  What comes to these addresses later has nothing to do with
 * them. */
void cy_cl_access_frees_svm(const void *pointer, size_t size, bool by_host)
{
    unsigned first, last;
    if (!cy_cl_checker())
        return;
    cy_cl_order_lock();
    cy_cl_order_recent(&first, &last);
    for (unsigned number = first; number <= last; number++) {
        struct cy_cl_order_command *c = cy_cl_order_command(number);
        if (by_host && uses(c, pointer, size) && !cy_cl_order_host_knows(number))
            cy_check_api(cy_cl_checker(), "freed-while-in-use",
                         "clSVMFree frees %zu bytes that %s uses, and the host has not waited for it", size, c->what);
        for (size_t i = 0; i < c->ranges.count; i++) {
            struct cy_cl_order_range *range = &c->ranges.at[i];
            if (!range->root && range->low - (uintptr_t)pointer < size)
                range->high = range->low;
        }
    }
    cy_cl_order_unlock();
}
