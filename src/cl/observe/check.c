/* CHENGYING_CHECK: the checker (src/check) sees what a program does with its buffers and kernels. */
#define _POSIX_C_SOURCE 200809L
#include "cl/observe/check_priv.h"

#include <stdlib.h>
#include <unistd.h>

/* What the program should release, in the order of the report.  The rest belongs to one of these. */
static const struct cy_cl_class *const counted[] = {
    &cy_cl_context_class,   &cy_cl_queue_class,   &cy_cl_mem_class,   &cy_cl_program_class,
    &cy_cl_kernel_class,    &cy_cl_sampler_class, &cy_cl_event_class, &cy_cl_command_buffer_class,
    &cy_cl_semaphore_class, &cy_cl_svm_class};

static struct cy_check *checker; /* set once, and again in a forked child; NULL: nothing is checked */
static pid_t owner;
static atomic_uint live[CY_COUNT(counted)], open_user_events;

struct cy_check *cy_cl_checker(void)
{
    return checker;
}

bool cy_cl_checks_api(void)
{
    return checker && cy_check_tools(checker) & CY_CHECK_API;
}

/* ---- objects ---- */

static void counts(const struct cy_cl_class *class, int change)
{
    for (size_t i = 0; i < CY_COUNT(counted); i++)
        if (counted[i] == class)
            atomic_fetch_add(&live[i], (unsigned)change);
}

static void mem_goes(cl_mem mem)
{
    if (!mem->parent)
        cy_cl_unmap_use(mem, true);
    if (mem->mappings.count)
        cy_check_api(checker, "released-while-mapped", "a buffer of %zu bytes is released while the host has it mapped",
                     mem->size);
}

static void destroys(void *object)
{
    const struct cy_cl_object *header = object;
    if (checker && header->class == &cy_cl_mem_class)
        mem_goes(object);
    else if (header->class == &cy_cl_queue_class)
        cy_cl_order_queue_gone(object);
}

/* ---- memory ---- */

static void allocated(cl_device_id device, uint64_t address, size_t size, bool has_contents)
{
    if (checker)
        cy_check_allocated(checker, device->machine, address, size);
    if (checker && has_contents)
        cy_check_written(checker, device->machine, address, size, true);
}

static void freed(cl_device_id device, uint64_t address)
{
    if (checker)
        cy_check_freed(checker, device->machine, address);
}

static void written(cl_mem mem, size_t offset, size_t size)
{
    for (cl_uint i = 0; checker && i < mem->context->device_count; i++)
        cy_check_written(checker, mem->context->devices[i]->machine, mem->address[i] + offset, size, true);
}

static void copied(cl_mem to, size_t to_offset, cl_mem from, size_t from_offset, size_t size)
{
    for (cl_uint i = 0; checker && i < to->context->device_count; i++)
        cy_check_copied(checker, to->context->devices[i]->machine, to->address[i] + to_offset,
                        from->address[i] + from_offset, size);
}

static void maps(cl_mem mem)
{
    cy_cl_unmap_use(mem, true);
}

/* ---- commands ---- */

static bool enqueued(const struct cy_cl_group *group)
{
    if (checker && !group->commands[0]->queue)
        atomic_fetch_add(&open_user_events, 1);
    return cy_cl_order_enqueued(group);
}

/* A launch has been looked at when the machine stopped. */
static void ended(cl_event event)
{
    if (!event->queue) {
        atomic_fetch_sub(&open_user_events, 1);
        cy_cl_order_user_event_set(event);
    } else if (!event->command.kernel) {
        cy_cl_access_ended(event);
    }
}

/* ---- the platform ---- */

static void finish(void)
{
    uint64_t found;
    if (getpid() != owner) /* a child whose parent reports */
        return;
    cy_cl_unmap_use(NULL, false);
    const bool idle = cy_cl_order_idle();
    if (!idle && atomic_load(&open_user_events))
        cy_check_api(checker, "event-never-completed",
                     "the program ends while commands wait for a user event, which nobody has completed");
    for (size_t i = 0; idle && i < CY_COUNT(counted); i++) { /* commands keep what they use */
        const unsigned count = atomic_load(&live[i]);
        if (count)
            cy_check_leak(checker, counted[i]->plural, count);
    }
    cy_check_finish(checker, &found);
}

static const struct cy_cl_watcher watcher = {
    .demands = {.every_command = true, .lone_launches = true, .stale_arguments = true, .checks = "cy check"},
    .counts = counts,
    .destroys = destroys,
    .allocated = allocated,
    .freed = freed,
    .frees_svm = cy_cl_access_frees_svm,
    .written = written,
    .copied = copied,
    .maps = maps,
    .unmapped = cy_cl_unmap_done,
    .enqueued = enqueued,
    .signalled = cy_cl_order_signalled,
    .starts = cy_cl_unmap_starts,
    .ended = ended,
    .left = cy_cl_order_left,
    .waited = cy_cl_order_waited,
    .launch_prepared = cy_cl_check_prepared,
    .launch_begins = cy_cl_check_begins,
    .launch_stopped = cy_cl_check_stopped,
};

static void prepare(struct cy_config *config)
{
    struct cy_check_options options;
    (void)config;
    if (checker || !cy_check_from_environment(&options))
        return;
    checker = cy_check_create(&options);
    owner = getpid();
    if (!checker)
        return;
    atexit(finish);
    cy_cl_watch(&watcher);
}

/* Reports are the same in every run, and next to a buffer there is no other. */
static enum cy_status configure(struct cy_config *config, char **why)
{
    (void)why;
    if (!checker)
        return CY_OK;
    config->deterministic = config->guards = true;
    if (config->engine != CY_ENGINE_VERIFY) /* which says that there is nothing to compare */
        config->engine = CY_ENGINE_INTERP;
    return CY_OK;
}

/* The child's launches are checked, too; a launch of the parent's may have had the checker to itself. */
static void forked(void)
{
    struct cy_check_options options;
    if (!checker)
        return;
    cy_cl_leave_behind(checker);
    checker = cy_check_from_environment(&options) ? cy_check_create(&options) : NULL;
    cy_cl_order_forked();
    cy_cl_access_forked();
    cy_cl_unmap_forked();
}

const struct cy_cl_attachment cy_cl_check_attachment = {.prepare = prepare, .configure = configure, .forked = forked};
