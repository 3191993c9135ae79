/* For the checker: a launch and its arguments. */
#include "cl/observe/check_priv.h"

#include "abi/abi.h"

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

static size_t count_shared(cl_context context)
{
    size_t count = 0;
    pthread_mutex_lock(&context->lock);
    for (const struct cy_cl_svm *svm = context->svms; svm; svm = svm->next)
        count++;
    pthread_mutex_unlock(&context->lock);
    return count;
}

/* All of the context's, which kernels can reach by pointers in memory; an argument gives its name to what it points to. */
static void add_shared(cl_kernel kernel, struct cy_check_argument *arguments, size_t *count, size_t room)
{
    cl_context context = kernel->program->context;
    pthread_mutex_lock(&context->lock);
    for (const struct cy_cl_svm *svm = context->svms; svm && *count < room; svm = svm->next) {
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
    cy_check_api(cy_cl_checker(), "released-argument", "kernel %s is enqueued with a released %s, argument %zu (%s)",
                 kernel->info->name, what, argument, kernel->info->arguments[argument].name);
}

/* An image is two pieces of memory: the description, to which the argument points, and the elements, which follow the other
 * arguments. */
static void note_image(const struct cy_cl_argument *argument, cl_uint device, struct cy_check_argument *description,
                       struct cy_check_argument *elements)
{
    description->is_buffer = elements->is_buffer = true;
    description->address = argument->mem->image->address[device];
    description->size = CY_IMG_BYTES;
    description->rights = CY_CHECK_READ;
    elements->name = description->name;
    elements->address = argument->mem->address[device];
    elements->size = argument->mem->size;
    elements->rights = rights_of(argument->mem);
    elements->mapped = mapped(argument->mem);
}

static void note_argument(cl_kernel kernel, cl_uint device, size_t i, struct cy_check_argument *arguments)
{
    const size_t count = kernel->info->argument_count;
    const struct cy_kernel_argument *info = &kernel->info->arguments[i];
    const struct cy_cl_argument *argument = &kernel->arguments[i];
    struct cy_check_argument *note = &arguments[i];
    note->name = info->name;
    note->parameter = arguments[count + i].parameter = (unsigned)i;
    note->is_local = info->is_pointer && info->address == CY_ADDRESS_LOCAL;
    note->size = argument->size;
    if (argument->sampler && !cy_cl_is(argument->sampler, &cy_cl_sampler_class))
        released(kernel, i, "sampler");
    const bool is_image = info->qualifiers & CY_TYPE_IMAGE, is_pipe = info->qualifiers & CY_TYPE_PIPE;
    if (!argument->mem || note->is_local || !(info->is_pointer || is_image || is_pipe))
        return;
    if (!cy_cl_is(argument->mem, &cy_cl_mem_class)) {
        released(kernel, i, is_image ? "image" : is_pipe ? "pipe" : "buffer");
        return;
    }
    if (is_image) {
        note_image(argument, device, note, &arguments[count + i]);
        return;
    }
    note->is_buffer = true;
    note->address = argument->mem->address[device];
    note->size = argument->mem->size;
    note->rights = rights_of(argument->mem);
    note->mapped = mapped(argument->mem);
}

/* Takes note of the arguments while they are those of this command. */
bool cy_cl_check_prepared(cl_event event)
{
    cl_kernel kernel = event->command.kernel;
    const size_t count = kernel->info->argument_count;
    if (!cy_cl_checker())
        return true;
    const size_t room = 2 * count + count_shared(kernel->program->context);
    struct cy_cl_watched *watched = cy_cl_watched(event, room);
    if (!watched)
        return false;
    watched->argument_count = 2 * count;
    add_shared(kernel, watched->arguments, &watched->argument_count, room);
    for (size_t i = 0; i < count; i++)
        note_argument(kernel, event->queue->index, i, watched->arguments);
    return true;
}

bool cy_cl_check_begins(cl_event event, struct cy_observers *observers)
{
    struct cy_cl_command *command = &event->command;
    cl_kernel kernel = command->kernel;
    struct cy_cl_watched *watched = command->watched;
    (void)observers;
    if (!cy_cl_checker() || !watched)
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
                                       .arguments = watched->arguments,
                                       .argument_count = watched->argument_count};
    watched->checked = cy_check_begin(cy_cl_checker(), &info);
    if (!watched->checked)
        return false;
    command->launch.engine_observer = cy_check_observer(watched->checked);
    return true;
}

void cy_cl_check_stopped(cl_event event)
{
    struct cy_cl_watched *watched = event->command.watched;
    if (!watched || !watched->checked)
        return;
    cy_cl_access_ended(event);
    cy_check_end(watched->checked);
    watched->checked = NULL;
}
