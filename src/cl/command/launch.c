/* clEnqueueNDRangeKernel: checks, a snapshot of the arguments, and the launch. */
#include "cl/command/command_priv.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHOSEN_SIZE = 256 }; /* of a workgroup whose size we choose: larger ones leave SMs idle in small ranges */

static void print(void *context, const char *text, size_t size)
{
    (void)context;
    fwrite(text, 1, size, stdout);
    fflush(stdout);
}

static cl_int end_launch(cl_event event, struct cy_launch *launch)
{
    const enum cy_status status = cy_launch_poll(launch);
    const char *fault = status == CY_OK ? NULL : cy_launch_message(launch);
    if (status == CY_ERROR_FAULT)
        cy_cl_notify_fault(event->command.kernel, fault);
    else if (fault)
        cy_cl_notify(event->context, fault);
    CY_CL_TELL(launch_ended, event, launch, fault);
    cy_launch_release(launch);
    return status == CY_OK ? CL_COMPLETE : cy_cl_error(status, CL_OUT_OF_RESOURCES);
}

static cl_int end_kernel(cl_event event)
{
    return end_launch(event, event->command.launched);
}

/* Runs on a machine thread, which has other launches to run: consequences of the end are left to other threads. */
static void launch_done(void *context, struct cy_launch *launch)
{
    cl_event event = context;
    CY_CL_TELL(launch_stopped, event); /* here: all other threads may be waiting for what a watcher gives back */
    event->command.launched = launch;
    event->command.run = end_kernel;
    cy_cl_ready(event);
}

static cl_int fail_launch(cl_event event, enum cy_status status, const char *why)
{
    CY_CL_TELL(launch_stopped, event);
    CY_CL_TELL(launch_ended, event, NULL, why);
    return cy_cl_error(status, CL_OUT_OF_RESOURCES);
}

/* An idle machine runs the launch in this thread; a busy one takes it over, and then the event is no longer ours. */
static cl_int run_kernel(cl_event event)
{
    struct cy_launch *launch;
    struct cy_observers observers; /* copied when the launch begins */
    char *why = NULL;
    bool ok = true;
    CY_CL_ASK(ok, launch_begins, event, &observers);
    if (!ok)
        return fail_launch(event, CY_ERROR_HOST, "the host has no memory to observe the kernel\n");
    enum cy_status status = cy_launch_try(event->queue->device->machine, &event->command.launch, &launch, &why);
    if (status == CY_RUNNING)
        return CL_RUNNING;
    if (launch) {
        CY_CL_TELL(launch_stopped, event);
        return end_launch(event, launch);
    }
    const char *text = why ? why : "the kernel cannot be started\n";
    const cl_int error = fail_launch(event, status, text);
    cy_cl_notify(event->context, text);
    cy_free(why);
    return error;
}

static uint64_t global_of(const struct cy_launch_desc *launch, unsigned d)
{
    return (uint64_t)launch->global_high[d] << 32 | launch->global[d];
}

/* The largest divisor of `size` that is at most `limit`. */
static uint32_t divisor(uint64_t size, uint32_t limit)
{
    uint32_t d = size < limit ? (uint32_t)size : limit;
    while (size % d)
        d--;
    return d;
}

/* The same of a row, one that is made of whole strips (docs/jit.md) if there is one that is not short. */
static uint32_t row_divisor(uint64_t size, uint32_t limit)
{
    enum { STRIP = 16, SHORT = 64 };
    if (size <= limit)
        return (uint32_t)size;
    for (uint32_t d = limit - limit % STRIP; d >= SHORT; d -= STRIP)
        if (size % d == 0)
            return d;
    return divisor(size, limit);
}

/* Without a local size: the largest workgroups that divide the range, long in dimension `along`, mostly the first.  Where the last ones
 * may be smaller (OpenCL C 2.0 and later, or a kernel that does not observe the work-group decomposition), a range of
 * awkward length is not split into one-item workgroups. */
static void choose_local(struct cy_launch_desc *launch, uint32_t limit, bool uniform, unsigned along)
{
    if (limit > CHOSEN_SIZE)
        limit = CHOSEN_SIZE;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned d = i == 0 ? along : i <= along ? i - 1 : i;
        const uint64_t size = global_of(launch, d);
        uint32_t most = size < limit ? (uint32_t)size : limit;
        uint32_t even = i == 0 ? row_divisor(size, limit) : divisor(size, limit);
        launch->local[d] = uniform || even > most / 2 ? even : most;
        limit /= launch->local[d];
    }
}

static cl_int check_range(cl_command_queue queue, cl_kernel kernel, struct cy_launch_desc *launch, cl_uint dimensions,
                          const size_t *offset, const size_t *global, const size_t *local, bool uniform)
{
    const struct cy_cl_kernel_part *part = &kernel->parts[queue->index];
    const uint32_t *reqd = part->info->reqd_size;
    uint32_t limit = cy_cl_kernel_max_size(kernel, queue->index);
    size_t items = 1;
    CHECK(limit, CL_OUT_OF_RESOURCES);
    const uint64_t most = queue->device->ventus == 2 ? UINT64_MAX : UINT32_MAX; /* size_t of the device */
    for (cl_uint d = 0; d < dimensions; d++) {
        CHECK(global[d] <= most, CL_INVALID_GLOBAL_WORK_SIZE);
        CHECK(!offset || offset[d] <= most - global[d], CL_INVALID_GLOBAL_OFFSET);
    }
    launch->dimensions = dimensions;
    for (cl_uint d = 0; d < 3; d++) {
        const uint64_t size = d < dimensions ? global[d] : 1, start = d < dimensions && offset ? offset[d] : 0;
        launch->global[d] = (uint32_t)size;
        launch->global_high[d] = (uint32_t)(size >> 32);
        launch->offset[d] = (uint32_t)start;
        launch->offset_high[d] = (uint32_t)(start >> 32);
        launch->local[d] = 1;
    }
    if (!local) {
        choose_local(launch, limit, uniform, 0);
        for (cl_uint d = 0; d < dimensions && reqd[0]; d++)
            launch->local[d] = reqd[d];
    }
    for (cl_uint d = 0; d < dimensions && local; d++) {
        CHECK(local[d], CL_INVALID_WORK_GROUP_SIZE);
        CHECK(local[d] <= queue->device->capabilities.max_workgroup_size, CL_INVALID_WORK_ITEM_SIZE);
        launch->local[d] = (uint32_t)local[d];
    }
    for (int d = 0; d < 3; d++) {
        items = items <= limit ? items * launch->local[d] : items; /* three sizes can be more than 64 bits */
        CHECK(!reqd[0] || launch->local[d] == reqd[d] || (cl_uint)d >= dimensions, CL_INVALID_WORK_GROUP_SIZE);
        CHECK(!uniform || global_of(launch, (unsigned)d) % launch->local[d] == 0, CL_INVALID_WORK_GROUP_SIZE);
    }
    CHECK(items <= limit, CL_INVALID_WORK_GROUP_SIZE);
    for (int d = 0; d < 3; d++) /* the machine numbers workgroups in 32 bits */
        CHECK((global_of(launch, (unsigned)d) - 1) / launch->local[d] < UINT32_MAX, CL_INVALID_GLOBAL_WORK_SIZE);
    return CL_SUCCESS;
}

/* Accesses along rows and along columns: squares touch the fewest lines of a cache. */
static void choose_square(struct cy_launch_desc *launch, uint32_t limit)
{
    enum { SIDE = 16 };
    const bool is_one = launch->local[0] >= SIDE && launch->local[1] >= SIDE / 2;
    if (is_one || limit < SIDE * SIDE || global_of(launch, 0) % SIDE || global_of(launch, 1) % SIDE)
        return;
    launch->local[0] = launch->local[1] = SIDE;
    launch->local[2] = 1;
}

/* Workgroups that do not fill a warp, whose rows are short, or whose warps are not along the dimension in which the kernel
 * accesses consecutive memory, in a kernel that does not observe the decomposition: use larger ones. */
static void fill_warps(cl_command_queue queue, cl_kernel kernel, struct cy_launch_desc *launch)
{
    enum { SHORT_ROW = 16, BOTH = 3 };
    const struct cy_kernel_info *info = kernel->parts[queue->index].info;
    const uint32_t limit = cy_cl_kernel_max_size(kernel, queue->index), *local = launch->local;
    if (cy_cl_demands.lone_launches || info->reqd_size[0] || info->observes_workgroup || info->may_spin)
        return;
    if (info->row_dimension == BOTH)
        choose_square(launch, limit);
    const uint32_t items = local[0] * local[1] * local[2];
    const unsigned wanted = info->row_dimension % BOTH, along = global_of(launch, wanted) >= SHORT_ROW ? wanted : 0;
    const bool is_across = along && local[along] < items;
    const bool has_short_rows = !along && items > local[0] && local[0] < SHORT_ROW && launch->global[0] >= SHORT_ROW;
    if (items < queue->device->capabilities.config.threads || is_across || has_short_rows)
        choose_local(launch, limit, false, along);
}

/* One that the application has released is not kept: the checker reports it. */
static void keep(struct cy_cl_command *command, cl_mem mem)
{
    if (!mem || !cy_cl_is(mem, &cy_cl_mem_class))
        return;
    cy_cl_retain(mem);
    command->mems[command->mem_count++] = mem;
}

/* Captures the arguments: the application may set others right afterwards.  False: out of memory. */
static bool take_arguments(cl_kernel kernel, cl_uint device, struct cy_cl_command *command)
{
    size_t count = kernel->info->argument_count;
    command->arguments = cy_arguments_create();
    command->mems = cy_try_alloc((count + 1) * sizeof(cl_mem));
    if (!command->arguments || !command->mems)
        return false;
    cy_arguments_set_pointer_bytes(command->arguments, kernel->parts[device].build->ventus == 2 ? 8 : 4);
    for (size_t i = 0; i < count; i++) {
        const struct cy_kernel_argument *info = &kernel->parts[device].info->arguments[i];
        const struct cy_cl_argument *argument = &kernel->arguments[i];
        if (info->is_pointer && info->address == CY_ADDRESS_LOCAL) {
            cy_arguments_local(command->arguments, (uint32_t)argument->size);
        } else if (info->is_pointer) {
            cy_arguments_pointer(command->arguments, argument->is_svm ? (uintptr_t)argument->svm
                                                     : argument->mem  ? argument->mem->address[device]
                                                                      : 0);
            keep(command, argument->mem);
        } else if (info->qualifiers & CY_TYPE_IMAGE) {
            const bool lives = cy_cl_is(argument->mem, &cy_cl_mem_class);
            cy_arguments_pointer(command->arguments, lives ? argument->mem->image->address[device] : 0);
            keep(command, argument->mem);
        } else if (info->qualifiers & CY_TYPE_PIPE) {
            cy_arguments_set_pointer_bytes(command->arguments, info->size);
            cy_arguments_pointer(command->arguments, argument->mem->address[device]);
            keep(command, argument->mem);
        } else if (info->qualifiers & CY_TYPE_SAMPLER) {
            cy_arguments_pointer(command->arguments, (uint32_t)argument->size);
        } else {
            cy_arguments_aligned(command->arguments, argument->value, argument->size, info->align);
        }
    }
    return cy_arguments_complete(command->arguments);
}

/* A range without work-items is a no-op command (OpenCL 2.1 and later). */
static bool is_empty(cl_uint dimensions, const size_t *global)
{
    for (cl_uint d = 0; global && d < dimensions; d++)
        if (!global[d])
            return true;
    return !global;
}

static cl_int check_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, bool may_lack_arguments)
{
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    CHECK(cy_cl_is(kernel, &cy_cl_kernel_class), CL_INVALID_KERNEL);
    CHECK(kernel->program->context == queue->context, CL_INVALID_CONTEXT);
    CHECK(kernel->parts[queue->index].build, CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK(may_lack_arguments || cy_cl_all_arguments_set(kernel), CL_INVALID_KERNEL_ARGS);
    for (size_t i = 0; i < kernel->info->argument_count; i++)
        CHECK(!kernel->arguments[i].mem || !cy_cl_is(kernel->arguments[i].mem, &cy_cl_mem_class) ||
                  kernel->arguments[i].mem->address[queue->index],
              CL_MEM_OBJECT_ALLOCATION_FAILURE); /* too large for this device */
    for (size_t i = 0; i < kernel->info->argument_count; i++)
        CHECK(!kernel->arguments[i].is_svm || cy_cl_has_svm(queue->device), CL_INVALID_OPERATION);
    CHECK(dimensions >= 1 && dimensions <= 3, CL_INVALID_WORK_DIMENSION);
    return CL_SUCCESS;
}

/* The launch of a range that is not empty. */
static cl_int lay_out(cl_command_queue queue, cl_kernel kernel, struct cy_launch_desc *launch, cl_uint dimensions,
                      const size_t *offset, const size_t *global, const size_t *local)
{
    const struct cy_kernel_info *info = kernel->parts[queue->index].info;
    bool is_told = local || info->reqd_size[0] || info->observes_workgroup;
    cl_int error =
        check_range(queue, kernel, launch, dimensions, offset, global, local, info->uniform_groups && is_told);
    CHECK(error == CL_SUCCESS, error);
    fill_warps(queue, kernel, launch);
    return CL_SUCCESS;
}

cl_int cy_cl_check_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                          const size_t *global, const size_t *local, bool may_lack_arguments)
{
    struct cy_launch_desc launch = {0};
    cl_int error = check_kernel(queue, kernel, dimensions, may_lack_arguments);
    CHECK(error == CL_SUCCESS, error);
    return is_empty(dimensions, global) ? CL_SUCCESS
                                        : lay_out(queue, kernel, &launch, dimensions, offset, global, local);
}

cl_int cy_cl_prepare_launch(cl_command_queue queue, cl_kernel kernel, cl_command_type type, cl_uint dimensions,
                            const size_t *offset, const size_t *global, const size_t *local, cl_uint count,
                            const cl_event *list, cl_event *result)
{
    struct cy_launch_desc launch = {0};
    cl_int error = check_kernel(queue, kernel, dimensions, false);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_check_wait_list(queue->context, count, list);
    CHECK(error == CL_SUCCESS, error);
    bool empty = is_empty(dimensions, global);
    error = empty ? CL_SUCCESS : lay_out(queue, kernel, &launch, dimensions, offset, global, local);
    CHECK(error == CL_SUCCESS, error);
    cl_event created = cy_cl_command(queue, type, empty ? NULL : run_kernel);
    CHECK(created, CL_OUT_OF_HOST_MEMORY);
    if (empty) {
        *result = created;
        return CL_SUCCESS;
    }
    created->command.kernel = kernel;
    cy_cl_retain(kernel);
    bool ok = take_arguments(kernel, queue->index, &created->command);
    CY_CL_ASK(ok, launch_prepared, created);
    if (!ok) {
        cy_cl_release(created);
        return CL_OUT_OF_HOST_MEMORY;
    }
    launch.program = kernel->parts[queue->index].build->code[queue->index];
    launch.kernel = kernel->info->name;
    launch.arguments = created->command.arguments;
    launch.print = print;
    launch.count_lanes = cy_cl_demands.lane_counts;
    launch.independent =
        !cy_cl_demands.lone_launches; /* submitted to the machine once everything it waits for has ended */
    launch.done = launch_done;
    launch.done_context = created;
    created->command.launch = launch;
    *result = created;
    return CL_SUCCESS;
}

static cl_int enqueue(cl_command_queue queue, cl_kernel kernel, cl_command_type type, cl_uint dimensions,
                      const size_t *offset, const size_t *global, const size_t *local, cl_uint count,
                      const cl_event *list, cl_event *event)
{
    cl_event created;
    cl_int error = cy_cl_prepare_launch(queue, kernel, type, dimensions, offset, global, local, count, list, &created);
    CHECK(error == CL_SUCCESS, error);
    return cy_cl_submit(created, count, list, event, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                                       const size_t *offset, const size_t *global, const size_t *local,
                                                       cl_uint count, const cl_event *list, cl_event *event)
{
    return enqueue(queue, kernel, CL_COMMAND_NDRANGE_KERNEL, dimensions, offset, global, local, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count,
                                              const cl_event *list, cl_event *event)
{
    const size_t one = 1;
    return enqueue(queue, kernel, CL_COMMAND_TASK, 1, NULL, &one, &one, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue queue, cl_kernel kernel,
                                                                     cl_uint dimensions, const size_t *offset,
                                                                     const size_t *global, size_t *suggested)
{
    struct cy_launch_desc launch = {0};
    cl_int error = check_kernel(queue, kernel, dimensions, false);
    CHECK(error == CL_SUCCESS, error);
    CHECK(!is_empty(dimensions, global), CL_INVALID_GLOBAL_WORK_SIZE);
    CHECK(suggested, CL_INVALID_VALUE);
    bool uniform = kernel->parts[queue->index].info->uniform_groups; /* the answer may be passed to a launch */
    error = check_range(queue, kernel, &launch, dimensions, offset, global, NULL, uniform);
    CHECK(error == CL_SUCCESS, error);
    for (cl_uint d = 0; d < dimensions; d++)
        suggested[d] = launch.local[d];
    return CL_SUCCESS;
}
