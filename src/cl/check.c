/* CHENGYING_CHECK: the checker (src/check) sees what a program does with its buffers and kernels. */
#define _POSIX_C_SOURCE 200809L
#include "abi/abi.h"
#include "cl/cl_priv.h"

#include "check/check.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { KINDS = CY_CL_SEMAPHORE - CY_CL_PLATFORM + 1 };
#define OF(kind) [(kind)-CY_CL_PLATFORM]

static struct cy_check *checker; /* set once; NULL: nothing is checked */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pid_t owner;
static atomic_uint live[KINDS], live_svms, open_user_events;

static void finish(void)
{
    static const char *const names[KINDS] = {
        OF(CY_CL_CONTEXT) = "contexts",    OF(CY_CL_QUEUE) = "command queues",
        OF(CY_CL_MEM) = "buffers",         OF(CY_CL_PROGRAM) = "programs",
        OF(CY_CL_KERNEL) = "kernels",      OF(CY_CL_SAMPLER) = "samplers",
        OF(CY_CL_EVENT) = "events",        OF(CY_CL_COMMAND_BUFFER) = "command-buffers",
        OF(CY_CL_SEMAPHORE) = "semaphores"};
    uint64_t found;
    if (getpid() != owner) /* a child whose parent reports */
        return;
    cy_cl_check_unmapped_use(NULL, false);
    const bool idle = cy_cl_check_idle();
    if (!idle && atomic_load(&open_user_events))
        cy_check_api(checker, "event-never-completed",
                     "the program ends while commands wait for a user event, which nobody has completed");
    for (unsigned kind = 0; idle && kind < KINDS; kind++) { /* commands keep what they use */
        const unsigned count = atomic_load(&live[kind]);
        if (count && names[kind])
            cy_check_leak(checker, names[kind], count);
    }
    if (idle && atomic_load(&live_svms))
        cy_check_leak(checker, "blocks of shared virtual memory", atomic_load(&live_svms));
    cy_check_finish(checker, &found);
}

static void start(void)
{
    struct cy_check_options options;
    if (!cy_check_from_environment(&options))
        return;
    checker = cy_check_create(&options);
    owner = getpid();
    if (checker)
        atexit(finish);
}

struct cy_check *cy_cl_check(void)
{
    pthread_once(&once, start);
    return checker;
}

/* The child's launches are checked, too; a launch of the parent's may have had the checker to itself. */
void cy_cl_check_forked(void)
{
    struct cy_check_options options;
    if (!checker)
        return;
    cy_cl_leave_behind(checker);
    checker = cy_check_from_environment(&options) ? cy_check_create(&options) : NULL;
    cy_cl_check_order_forked();
}

void cy_cl_check_count(unsigned kind, int change)
{
    if (cy_cl_check())
        atomic_fetch_add(&live[kind - CY_CL_PLATFORM], (unsigned)change);
}

void cy_cl_check_user_event(int change)
{
    if (cy_cl_check())
        atomic_fetch_add(&open_user_events, (unsigned)change);
}

/* ---- buffers ---- */

void cy_cl_check_created(cl_mem mem)
{
    if (!cy_cl_check())
        return;
    for (cl_uint i = 0; i < mem->context->device_count; i++)
        cy_check_allocated(checker, mem->context->devices[i]->machine, mem->address[i], mem->size);
}

void cy_cl_check_destroyed(cl_mem mem)
{
    if (cy_cl_check() && !mem->parent)
        cy_cl_check_unmapped_use(mem, true);
    if (cy_cl_check() && mem->mappings.count)
        cy_check_api(checker, "released-while-mapped", "a buffer of %zu bytes is released while the host has it mapped",
                     mem->size);
    for (cl_uint i = 0; cy_cl_check() && !mem->parent && i < mem->context->device_count; i++)
        cy_check_freed(checker, mem->context->devices[i]->machine, mem->address[i]);
}

void cy_cl_check_written(cl_mem mem, size_t offset, size_t size)
{
    for (cl_uint i = 0; cy_cl_check() && i < mem->context->device_count; i++)
        cy_check_written(checker, mem->context->devices[i]->machine, mem->address[i] + offset, size, true);
}

void cy_cl_check_copied(cl_mem to, size_t to_offset, cl_mem from, size_t from_offset, size_t size)
{
    for (cl_uint i = 0; cy_cl_check() && i < to->context->device_count; i++)
        cy_check_copied(checker, to->context->devices[i]->machine, to->address[i] + to_offset,
                        from->address[i] + from_offset, size);
}

/* A rectangle: from another buffer, or from the host. */
void cy_cl_check_rect(cl_mem to, const struct cy_cl_rect *to_rect, cl_mem from, const struct cy_cl_rect *from_rect,
                      const size_t *region)
{
    const size_t to_start =
        to_rect->origin[2] * to_rect->slice + to_rect->origin[1] * to_rect->row + to_rect->origin[0];
    const size_t from_start =
        from_rect->origin[2] * from_rect->slice + from_rect->origin[1] * from_rect->row + from_rect->origin[0];
    for (size_t z = 0; cy_cl_check() && z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++) {
            const size_t at = to_start + z * to_rect->slice + y * to_rect->row;
            if (from)
                cy_cl_check_copied(to, at, from, from_start + z * from_rect->slice + y * from_rect->row, region[0]);
            else
                cy_cl_check_written(to, at, region[0]);
        }
}

/* What kernels read of an image besides its elements; no bytes: it has gone. */
void cy_cl_check_description(cl_device_id device, uint32_t address, size_t size)
{
    if (!cy_cl_check())
        return;
    if (!size) {
        cy_check_freed(checker, device->machine, address);
        return;
    }
    cy_check_allocated(checker, device->machine, address, size);
    cy_check_written(checker, device->machine, address, size, true);
}

/* Shared virtual memory; no bytes: it has been freed.  The host writes it without telling anybody. */
void cy_cl_check_svm(cl_context context, const void *pointer, size_t size)
{
    if (cy_cl_check())
        atomic_fetch_add(&live_svms, size ? 1u : UINT_MAX);
    for (cl_uint i = 0; cy_cl_check() && i < context->device_count; i++) {
        const void *machine = context->devices[i]->machine;
        if (!cy_cl_has_svm(context->devices[i]))
            continue;
        if (!size) {
            cy_check_freed(checker, machine, (uintptr_t)pointer);
            continue;
        }
        cy_check_allocated(checker, machine, (uintptr_t)pointer, size);
        cy_check_written(checker, machine, (uintptr_t)pointer, size, true);
    }
}

/* ---- launches ---- */

static unsigned rights_of(cl_mem mem)
{
    if (mem->flags & CL_MEM_READ_ONLY)
        return CY_CHECK_READ;
    return mem->flags & CL_MEM_WRITE_ONLY ? CY_CHECK_WRITE : CY_CHECK_READ | CY_CHECK_WRITE;
}

/* What a kernel must not do while the host has it mapped. */
static unsigned mapped(cl_mem mem)
{
    unsigned rights = 0;
    for (size_t i = 0; i < mem->mappings.count; i++)
        rights |= mem->mappings.at[i].flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)
                      ? CY_CHECK_READ | CY_CHECK_WRITE
                      : CY_CHECK_WRITE;
    return mem->parent ? rights | mapped(mem->parent) : rights;
}

/* All of the context's, which kernels can reach by pointers in memory; an argument gives its name to what it points to. */
static void add_shared(cl_kernel kernel, struct cy_check_argument *arguments, size_t *count, size_t room)
{
    cl_context context = kernel->program->context;
    pthread_mutex_lock(&context->lock);
    for (size_t i = 0; i < context->svms.count && *count < room; i++) {
        const struct cy_cl_svm *svm = &context->svms.at[i];
        struct cy_check_argument *to = &arguments[(*count)++];
        *to = (struct cy_check_argument){.name = "shared virtual memory",
                                         .is_buffer = true,
                                         .is_shared = true,
                                         .address = (uintptr_t)svm->pointer,
                                         .size = svm->size,
                                         .rights = CY_CHECK_READ | CY_CHECK_WRITE};
        for (unsigned k = 0; k < kernel->info->argument_count && to->is_shared; k++)
            if (kernel->arguments[k].is_svm && (uintptr_t)kernel->arguments[k].svm - to->address < to->size) {
                to->name = kernel->info->arguments[k].name;
                to->parameter = k;
                to->is_shared = false;
            }
    }
    pthread_mutex_unlock(&context->lock);
}

static void released(cl_kernel kernel, size_t argument, const char *what)
{
    cy_check_api(checker, "released-argument", "kernel %s is enqueued with a released %s, argument %zu (%s)",
                 kernel->info->name, what, argument, kernel->info->arguments[argument].name);
}

/* Takes note of the arguments while they are those of this command.  An image is two pieces of memory: the description,
 * to which the argument points, and the elements, which follow the other arguments. */
bool cy_cl_check_enqueue(cl_kernel kernel, cl_uint device, struct cy_cl_command *command)
{
    const size_t count = kernel->info->argument_count;
    if (!cy_cl_check())
        return true;
    pthread_mutex_lock(&kernel->program->context->lock);
    const size_t room = 2 * count + kernel->program->context->svms.count;
    pthread_mutex_unlock(&kernel->program->context->lock);
    struct cy_check_argument *arguments = cy_try_alloc((room + 1) * sizeof(*arguments));
    if (!arguments)
        return false;
    command->checked_count = 2 * count;
    add_shared(kernel, arguments, &command->checked_count, room);
    for (size_t i = 0; i < count; i++) {
        const struct cy_kernel_argument *info = &kernel->info->arguments[i];
        const struct cy_cl_argument *argument = &kernel->arguments[i];
        arguments[i].name = info->name;
        arguments[i].parameter = arguments[count + i].parameter = (unsigned)i;
        arguments[i].is_local = info->is_pointer && info->address == CY_ADDRESS_LOCAL;
        arguments[i].size = argument->size;
        if (argument->sampler && !cy_cl_is(argument->sampler, CY_CL_SAMPLER))
            released(kernel, i, "sampler");
        if (info->qualifiers & CY_TYPE_IMAGE && argument->mem && !cy_cl_is(argument->mem, CY_CL_MEM)) {
            released(kernel, i, "image");
            continue;
        }
        if (info->qualifiers & CY_TYPE_IMAGE && argument->mem) {
            arguments[i].is_buffer = arguments[count + i].is_buffer = true;
            arguments[i].address = argument->mem->image->address[device];
            arguments[i].size = CY_IMG_BYTES;
            arguments[i].rights = CY_CHECK_READ;
            arguments[count + i].name = info->name;
            arguments[count + i].address = argument->mem->address[device];
            arguments[count + i].size = argument->mem->size;
            arguments[count + i].rights = rights_of(argument->mem);
            arguments[count + i].mapped = mapped(argument->mem);
            continue;
        }
        if ((!info->is_pointer && !(info->qualifiers & CY_TYPE_PIPE)) || arguments[i].is_local || !argument->mem)
            continue;
        arguments[i].is_buffer = true;
        arguments[i].address = argument->mem->address[device];
        arguments[i].size = argument->mem->size;
        arguments[i].rights = rights_of(argument->mem);
        if (!cy_cl_is(argument->mem, CY_CL_MEM)) {
            arguments[i].is_buffer = false;
            released(kernel, i, info->qualifiers & CY_TYPE_PIPE ? "pipe" : "buffer");
        } else {
            arguments[i].mapped = mapped(argument->mem);
        }
    }
    command->checked_arguments = arguments;
    return true;
}

bool cy_cl_check_begin(cl_event event)
{
    struct cy_cl_command *command = &event->command;
    cl_kernel kernel = command->kernel;
    if (!cy_cl_check())
        return true;
    const struct cy_cl_kernel_part *part = &kernel->parts[event->queue->index];
    const struct cy_check_info info = {.machine = event->queue->device->machine,
                                       .program = "<source>",
                                       .source = kernel->program->source,
                                       .elf = part->build->elf,
                                       .elf_size = part->build->elf_size,
                                       .kernel = kernel->info->name,
                                       .lds_bytes = part->info->lds_bytes,
                                       .may_spin = part->info->may_spin,
                                       .argument_bytes = (uint32_t)cy_arguments_size(command->arguments),
                                       .arguments = command->checked_arguments,
                                       .argument_count = command->checked_count};
    command->checked = cy_check_begin(checker, &info);
    if (!command->checked)
        return false;
    command->launch.engine_observer = cy_check_observer(command->checked);
    return true;
}

void cy_cl_check_end(cl_event event)
{
    if (event->command.checked)
        cy_cl_check_accessed(event);
    cy_check_end(event->command.checked);
    event->command.checked = NULL;
}
