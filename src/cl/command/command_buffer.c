/* cl_khr_command_buffer: command-buffers, and running what was recorded (command_buffer_record.c).  A recorded transfer is a command without an
 * event, a recorded launch a clone of its kernel; running a command-buffer makes events of all of them, which depend on
 * each other as their synchronization points say, between a first one that waits as the whole does and a last one that the
 * application sees. */
#include "cl/command/command_buffer_priv.h"

static cl_int check_properties(const cl_command_buffer_properties_khr *properties, size_t *count,
                               cl_command_buffer_flags_khr *flags, cl_mutable_dispatch_asserts_khr *asserts)
{
    const cl_command_buffer_flags_khr supported =
        CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR;
    bool has_flags = false, has_asserts = false, is_supported = true;
    *count = 0;
    if (!properties)
        return CL_SUCCESS;
    for (; properties[*count]; *count += 2) {
        cl_command_buffer_properties_khr value;
        switch (properties[*count]) {
        case CL_COMMAND_BUFFER_FLAGS_KHR:
            CHECK(!has_flags, CL_INVALID_VALUE);
            value = properties[*count + 1];
            CHECK(!(value & ~(supported | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR)), CL_INVALID_VALUE);
            is_supported = !(value & CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR);
            has_flags = true;
            *flags = value;
            break;
        case CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR:
            CHECK(!has_asserts, CL_INVALID_VALUE);
            value = properties[*count + 1];
            CHECK(!(value & ~(cl_properties)CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR),
                  CL_INVALID_VALUE);
            has_asserts = true;
            *asserts = value;
            break;
        default: return CL_INVALID_VALUE;
        }
    }
    ++*count;
    return is_supported ? CL_SUCCESS : CL_INVALID_PROPERTY;
}

static cl_command_buffer_khr CL_API_CALL create_command_buffer(cl_uint queue_count, const cl_command_queue *queues,
                                                               const cl_command_buffer_properties_khr *properties,
                                                               cl_int *errcode_ret)
{
    cl_command_buffer_flags_khr flags = 0;
    cl_mutable_dispatch_asserts_khr asserts = 0;
    size_t count;
    CHECK_CREATE(queue_count == 1 && queues, CL_INVALID_VALUE);
    CHECK_CREATE(cy_cl_is(queues[0], &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    cl_int error = check_properties(properties, &count, &flags, &asserts);
    CHECK_CREATE(error == CL_SUCCESS, error);
    cl_command_buffer_khr buffer = cy_cl_create(&cy_cl_command_buffer_class, sizeof(*buffer));
    CHECK_CREATE(buffer, CL_OUT_OF_HOST_MEMORY);
    pthread_mutex_init(&buffer->lock, NULL);
    buffer->queue = queues[0];
    buffer->context = queues[0]->context;
    buffer->flags = flags;
    buffer->asserts = asserts;
    cy_cl_retain(buffer->queue);
    cy_cl_retain(buffer->context);
    buffer->properties = count ? cy_try_alloc(count * sizeof(*properties)) : NULL;
    if (count && !buffer->properties) {
        cy_cl_release(buffer);
        CHECK_CREATE(false, CL_OUT_OF_HOST_MEMORY);
    }
    if (count)
        memcpy(buffer->properties, properties, count * sizeof(*properties));
    buffer->property_count = count;
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return buffer;
}

static void destroy_buffer(void *object)
{
    cl_command_buffer_khr buffer = object;
    for (size_t i = 0; i < buffer->commands.count; i++)
        cy_cl_release(buffer->commands.at[i]);
    cy_vec_free(&buffer->commands);
    cy_vec_free(&buffer->edges);
    cy_free(buffer->properties);
    pthread_mutex_destroy(&buffer->lock);
    cy_cl_release(buffer->queue);
    cy_cl_release(buffer->context);
}

const struct cy_cl_class cy_cl_command_buffer_class = {.plural = "command-buffers", .destroy = destroy_buffer};
CY_CL_COUNTED_BY(static, retain_command_buffer, release_command_buffer, cl_command_buffer_khr,
                 cy_cl_command_buffer_class, CL_INVALID_COMMAND_BUFFER_KHR)

static void destroy_command(void *object)
{
    cl_mutable_command_khr command = object;
    cy_cl_release(command->command.from);
    cy_cl_release(command->command.to);
    cy_vec_free(&command->waits);
    cy_free(command->properties);
    cy_cl_dispatch_free(command->dispatch);
    cy_cl_dispatch_free(command->staged);
    cy_cl_release(command->kernel);
}

const struct cy_cl_class cy_cl_mutable_command_class = {.plural = "mutable commands", .destroy = destroy_command};

/* ---- kernel commands ---- */

bool cy_cl_dispatch_retain(struct cy_cl_dispatch *dispatch)
{
    const cl_kernel state = dispatch->state;
    for (size_t i = 0; i < state->info->argument_count; i++) {
        cl_mem mem = state->arguments[i].mem;
        if (!mem || !cy_cl_is(mem, &cy_cl_mem_class))
            continue;
        cl_mem *place = cy_vec_try_push(&dispatch->mems);
        if (!place)
            return false;
        *place = mem;
        cy_cl_retain(mem);
    }
    return true;
}

void cy_cl_dispatch_free(struct cy_cl_dispatch *dispatch)
{
    if (!dispatch)
        return;
    for (size_t i = 0; i < dispatch->mems.count; i++)
        cy_cl_release(dispatch->mems.at[i]);
    cy_vec_free(&dispatch->mems);
    cy_cl_release(dispatch->state);
    cy_free(dispatch);
}

struct cy_cl_dispatch *cy_cl_dispatch_of(cl_kernel kernel)
{
    struct cy_cl_dispatch *dispatch = cy_try_alloc(sizeof(*dispatch));
    if (!dispatch)
        return NULL;
    dispatch->state = clCloneKernel(kernel, NULL);
    if (dispatch->state && cy_cl_dispatch_retain(dispatch))
        return dispatch;
    cy_cl_dispatch_free(dispatch);
    return NULL;
}

struct cy_cl_dispatch *cy_cl_dispatch_clone(const struct cy_cl_dispatch *dispatch)
{
    struct cy_cl_dispatch *clone = cy_cl_dispatch_of(dispatch->state);
    if (!clone)
        return NULL;
    memcpy(clone->offset, dispatch->offset, sizeof(clone->offset));
    memcpy(clone->global, dispatch->global, sizeof(clone->global));
    memcpy(clone->local, dispatch->local, sizeof(clone->local));
    clone->has_local = dispatch->has_local;
    return clone;
}

/* ---- running ---- */

static bool add_edge(cl_command_buffer_khr buffer, size_t from, size_t to)
{
    struct cy_cl_edge *edge = cy_vec_try_push(&buffer->edges);
    if (edge)
        *edge = (struct cy_cl_edge){(uint32_t)from, (uint32_t)to};
    return edge != NULL;
}

/* The group is the first event, those of the commands, and the last one. */
static bool find_edges(cl_command_buffer_khr buffer)
{
    const size_t count = buffer->commands.count, last = count + 1;
    bool ok = true;
    bool *has_successor = cy_try_alloc(count + 1);
    if (!has_successor)
        return false;
    for (size_t i = 0; ok && i < count; i++) {
        const cl_mutable_command_khr command = buffer->commands.at[i];
        if (!command->waits.count)
            ok = add_edge(buffer, 0, i + 1);
        for (size_t j = 0; ok && j < command->waits.count; j++) {
            has_successor[command->waits.at[j]] = true;
            ok = add_edge(buffer, command->waits.at[j] + 1, i + 1);
        }
    }
    if (!count)
        ok = add_edge(buffer, 0, last);
    for (size_t i = 0; ok && i < count; i++)
        if (!has_successor[i])
            ok = add_edge(buffer, i + 1, last);
    cy_free(has_successor);
    if (!ok)
        buffer->edges.count = 0;
    return ok;
}

static cl_int CL_API_CALL finalize_command_buffer(cl_command_buffer_khr buffer)
{
    CHECK(cy_cl_is(buffer, &cy_cl_command_buffer_class), CL_INVALID_COMMAND_BUFFER_KHR);
    pthread_mutex_lock(&buffer->lock);
    cl_int error = buffer->is_finalized ? CL_INVALID_OPERATION
                   : find_edges(buffer) ? CL_SUCCESS
                                        : CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS)
        buffer->is_finalized = true;
    pthread_mutex_unlock(&buffer->lock);
    return error;
}

/* The lock is held, as in the functions that follow. */
static cl_command_buffer_state_khr state_of(cl_command_buffer_khr buffer)
{
    if (!buffer->is_finalized)
        return CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
    for (size_t i = 0; i < buffer->commands.count; i++) {
        const struct cy_cl_dispatch *dispatch = buffer->commands.at[i]->dispatch;
        if (dispatch && !cy_cl_all_arguments_set(dispatch->state))
            return CL_COMMAND_BUFFER_STATE_FINALIZED_KHR;
    }
    return CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
}

static cl_int run_first(cl_event event)
{
    cy_cl_begin_group(event->command.group);
    return CL_COMPLETE;
}

static cl_int make_event(cl_mutable_command_khr command, cl_command_queue queue, cl_event *event)
{
    const struct cy_cl_dispatch *dispatch = command->dispatch;
    if (dispatch)
        return cy_cl_prepare_launch(queue, dispatch->state, command->type, command->dimensions, dispatch->offset,
                                    dispatch->global, dispatch->has_local ? dispatch->local : NULL, 0, NULL, event);
    *event = cy_cl_transfer(queue, command->type, command->command.run, command->command.from, command->command.to);
    CHECK(*event, CL_OUT_OF_HOST_MEMORY);
    (*event)->command = command->command; /* the references are there */
    return CL_SUCCESS;
}

static cl_int run(cl_command_buffer_khr buffer, cl_command_queue queue, cl_uint count, const cl_event *list,
                  cl_event *event)
{
    const size_t commands = buffer->commands.count, total = commands + 2;
    cl_event *events = cy_try_alloc(total * sizeof(*events));
    CHECK(events, CL_OUT_OF_HOST_MEMORY);
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; error == CL_SUCCESS && i < commands; i++)
        error = make_event(buffer->commands.at[i], queue, &events[i + 1]);
    if (error == CL_SUCCESS) {
        events[0] = cy_cl_command(queue, CL_COMMAND_COMMAND_BUFFER_KHR, run_first);
        events[total - 1] = cy_cl_command(queue, CL_COMMAND_COMMAND_BUFFER_KHR, NULL);
        error = events[0] && events[total - 1] ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (error == CL_SUCCESS) {
        events[0]->command.group = events[total - 1];
        events[total - 1]->recorded = buffer;
        const struct cy_cl_group group = {.commands = events,
                                          .command_count = total,
                                          .edges = buffer->edges.at,
                                          .edge_count = buffer->edges.count,
                                          .wait_count = count,
                                          .wait_list = list};
        error = cy_cl_submit_group(&group, event);
    } else {
        for (size_t i = 0; i < total; i++)
            cy_cl_release(events[i]);
    }
    cy_free(events);
    return error;
}

static cl_int CL_API_CALL enqueue_command_buffer(cl_uint queue_count, cl_command_queue *queues,
                                                 cl_command_buffer_khr buffer, cl_uint count, const cl_event *list,
                                                 cl_event *event)
{
    CHECK(cy_cl_is(buffer, &cy_cl_command_buffer_class), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK(!queue_count == !queues, CL_INVALID_VALUE);
    CHECK(queue_count <= 1, CL_INVALID_VALUE);
    cl_command_queue queue = queue_count ? queues[0] : buffer->queue;
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    CHECK(queue->context == buffer->context, CL_INVALID_CONTEXT);
    CHECK(queue->device == buffer->queue->device, CL_INCOMPATIBLE_COMMAND_QUEUE_KHR);
    cl_int error = cy_cl_check_wait_list(buffer->context, count, list);
    CHECK(error == CL_SUCCESS, error);
    pthread_mutex_lock(&buffer->lock);
    error = state_of(buffer) == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR ? run(buffer, queue, count, list, event)
                                                                       : CL_INVALID_OPERATION;
    pthread_mutex_unlock(&buffer->lock);
    return error;
}

static cl_int CL_API_CALL get_command_buffer_info(cl_command_buffer_khr buffer, cl_command_buffer_info_khr name,
                                                  size_t size, void *value, size_t *size_ret)
{
    CHECK(cy_cl_is(buffer, &cy_cl_command_buffer_class), CL_INVALID_COMMAND_BUFFER_KHR);
    pthread_mutex_lock(&buffer->lock);
    cl_command_buffer_state_khr state = state_of(buffer);
    pthread_mutex_unlock(&buffer->lock);
    switch (name) {
    case CL_COMMAND_BUFFER_QUEUES_KHR: INFO(cl_command_queue, buffer->queue);
    case CL_COMMAND_BUFFER_NUM_QUEUES_KHR: INFO(cl_uint, 1);
    case CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR: INFO(cl_uint, atomic_load(&buffer->object.references));
    case CL_COMMAND_BUFFER_STATE_KHR: INFO(cl_command_buffer_state_khr, state);
    case CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR:
        INFO_DATA(buffer->properties, buffer->property_count * sizeof(*buffer->properties));
    case CL_COMMAND_BUFFER_CONTEXT_KHR: INFO(cl_context, buffer->context);
    default: return CL_INVALID_VALUE;
    }
}

const struct cy_cl_entry_point cy_cl_command_buffer_functions[] = {
    {"clCreateCommandBufferKHR", (cy_cl_function)create_command_buffer},
    {"clRetainCommandBufferKHR", (cy_cl_function)retain_command_buffer},
    {"clReleaseCommandBufferKHR", (cy_cl_function)release_command_buffer},
    {"clFinalizeCommandBufferKHR", (cy_cl_function)finalize_command_buffer},
    {"clEnqueueCommandBufferKHR", (cy_cl_function)enqueue_command_buffer},
    {"clGetCommandBufferInfoKHR", (cy_cl_function)get_command_buffer_info},
    {NULL, NULL},
};
