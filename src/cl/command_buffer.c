/* cl_khr_command_buffer: recording commands and running what was recorded.  A recorded transfer is a command without an
 * event, a recorded launch a clone of its kernel; running a command-buffer makes events of all of them, which depend on
 * each other as their synchronization points say, between a first one that waits as the whole does and a last one that the
 * application sees. */
#include "cl/command_buffer.h"

static cl_int check_properties(const cl_command_buffer_properties_khr *properties, size_t *count,
                               cl_command_buffer_flags_khr *flags, cl_mutable_dispatch_asserts_khr *asserts)
{
    const cl_command_buffer_flags_khr supported =
        CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR;
    bool seen_flags = false, seen_asserts = false, is_supported = true;
    *count = 0;
    if (!properties)
        return CL_SUCCESS;
    for (; properties[*count]; *count += 2) {
        cl_command_buffer_properties_khr value;
        switch (properties[*count]) {
        case CL_COMMAND_BUFFER_FLAGS_KHR:
            CHECK(!seen_flags, CL_INVALID_VALUE);
            value = properties[*count + 1];
            CHECK(!(value & ~(supported | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR)), CL_INVALID_VALUE);
            is_supported = !(value & CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR);
            seen_flags = true;
            *flags = value;
            break;
        case CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR:
            CHECK(!seen_asserts, CL_INVALID_VALUE);
            value = properties[*count + 1];
            CHECK(!(value & ~(cl_properties)CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR),
                  CL_INVALID_VALUE);
            seen_asserts = true;
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
    CHECK_CREATE(cy_cl_is(queues[0], CY_CL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    cl_int error = check_properties(properties, &count, &flags, &asserts);
    CHECK_CREATE(error == CL_SUCCESS, error);
    cl_command_buffer_khr buffer = cy_cl_create(CY_CL_COMMAND_BUFFER, sizeof(*buffer));
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

void cy_cl_command_buffer_destroy(cl_command_buffer_khr buffer)
{
    for (size_t i = 0; i < buffer->commands.count; i++)
        cy_cl_release(buffer->commands.at[i]);
    cy_vec_free(&buffer->commands);
    cy_vec_free(&buffer->edges);
    cy_free(buffer->properties);
    pthread_mutex_destroy(&buffer->lock);
    cy_cl_release(buffer->queue);
    cy_cl_release(buffer->context);
}

void cy_cl_mutable_command_destroy(cl_mutable_command_khr command)
{
    cy_cl_release(command->command.from);
    cy_cl_release(command->command.to);
    cy_vec_free(&command->waits);
    cy_free(command->properties);
    cy_cl_dispatch_free(command->dispatch);
    cy_cl_dispatch_free(command->staged);
    cy_cl_release(command->kernel);
}

static cl_int CL_API_CALL retain_command_buffer(cl_command_buffer_khr buffer)
{
    CHECK(cy_cl_is(buffer, CY_CL_COMMAND_BUFFER), CL_INVALID_COMMAND_BUFFER_KHR);
    cy_cl_retain(buffer);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_command_buffer(cl_command_buffer_khr buffer)
{
    CHECK(cy_cl_is(buffer, CY_CL_COMMAND_BUFFER), CL_INVALID_COMMAND_BUFFER_KHR);
    cy_cl_release(buffer);
    return CL_SUCCESS;
}

/* ---- kernel commands ---- */

bool cy_cl_dispatch_retain(struct cy_cl_dispatch *dispatch)
{
    const cl_kernel state = dispatch->state;
    for (size_t i = 0; i < state->info->argument_count; i++) {
        cl_mem mem = state->arguments[i].mem;
        if (!mem || !cy_cl_is(mem, CY_CL_MEM))
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

static struct cy_cl_dispatch *dispatch_of(cl_kernel kernel)
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
    struct cy_cl_dispatch *clone = dispatch_of(dispatch->state);
    if (!clone)
        return NULL;
    memcpy(clone->offset, dispatch->offset, sizeof(clone->offset));
    memcpy(clone->global, dispatch->global, sizeof(clone->global));
    memcpy(clone->local, dispatch->local, sizeof(clone->local));
    clone->has_local = dispatch->has_local;
    return clone;
}

/* ---- recording ---- */

/* What every function that records checks first. */
static cl_int check_recording(cl_command_buffer_khr buffer, cl_command_queue queue, cl_uint count,
                              const cl_sync_point_khr *list)
{
    CHECK(cy_cl_is(buffer, CY_CL_COMMAND_BUFFER), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK(!queue, CL_INVALID_COMMAND_QUEUE); /* it was said at the creation */
    CHECK(!count == !list, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    pthread_mutex_lock(&buffer->lock);
    bool is_finalized = buffer->is_finalized, is_valid = true;
    for (cl_uint i = 0; i < count; i++)
        is_valid &= list[i] >= 1 && list[i] <= buffer->commands.count;
    pthread_mutex_unlock(&buffer->lock);
    CHECK(!is_finalized, CL_INVALID_OPERATION);
    CHECK(is_valid, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    return CL_SUCCESS;
}

/* The same for commands that cannot be changed later and have no properties. */
static cl_int check_transfer(cl_command_buffer_khr buffer, cl_command_queue queue,
                             const cl_command_properties_khr *properties, cl_uint count, const cl_sync_point_khr *list,
                             const cl_mutable_command_khr *handle)
{
    cl_int error = check_recording(buffer, queue, count, list);
    CHECK(error == CL_SUCCESS, error);
    CHECK(!properties || !properties[0], CL_INVALID_VALUE);
    CHECK(!handle, CL_INVALID_VALUE);
    return CL_SUCCESS;
}

static bool wait_for(cl_mutable_command_khr command, size_t other)
{
    uint32_t *place = cy_vec_try_push(&command->waits);
    if (place)
        *place = (uint32_t)other;
    return place != NULL;
}

/* Which commands a new one waits for.  The buffer's lock is held, as in `append`. */
static bool add_waits(cl_command_buffer_khr buffer, cl_mutable_command_khr command, cl_uint count,
                      const cl_sync_point_khr *list)
{
    const size_t index = buffer->commands.count, barrier = buffer->barrier;
    bool ok = true;
    if (!(buffer->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return !index || wait_for(command, index - 1);
    for (cl_uint i = 0; ok && i < count; i++)
        ok = wait_for(command, list[i] - 1);
    if (command->type == CL_COMMAND_BARRIER && !count)
        for (size_t i = barrier; ok && i < index; i++)
            ok = wait_for(command, i);
    if (barrier)
        ok = ok && wait_for(command, barrier - 1);
    if (command->type == CL_COMMAND_BARRIER)
        buffer->barrier = (uint32_t)index + 1;
    return ok;
}

/* Takes over the command. */
static cl_int append(cl_command_buffer_khr buffer, cl_mutable_command_khr command, cl_uint count,
                     const cl_sync_point_khr *list, cl_sync_point_khr *sync_point, cl_mutable_command_khr *handle)
{
    const uint32_t barrier = buffer->barrier;
    cl_int error = buffer->is_finalized ? CL_INVALID_OPERATION : CL_SUCCESS;
    cl_mutable_command_khr *place = NULL;
    if (error == CL_SUCCESS && add_waits(buffer, command, count, list))
        place = cy_vec_try_push(&buffer->commands);
    if (!place) {
        buffer->barrier = barrier;
        cy_cl_release(command);
        return error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error;
    }
    *place = command;
    if (sync_point)
        *sync_point = (cl_sync_point_khr)buffer->commands.count;
    if (handle)
        *handle = command;
    return CL_SUCCESS;
}

static cl_mutable_command_khr make(cl_command_buffer_khr buffer, cl_command_type type)
{
    cl_mutable_command_khr command = cy_cl_create(CY_CL_MUTABLE_COMMAND, sizeof(*command));
    if (!command)
        return NULL;
    command->buffer = buffer;
    command->type = type;
    return command;
}

/* Takes over a command that was prepared for the queue. */
static cl_int record(cl_command_buffer_khr buffer, cl_event prepared, cl_uint count, const cl_sync_point_khr *list,
                     cl_sync_point_khr *sync_point)
{
    cl_mutable_command_khr command = make(buffer, prepared->type);
    if (command) {
        command->command = prepared->command;
        prepared->command = (struct cy_cl_command){0};
    }
    cy_cl_release(prepared);
    CHECK(command, CL_OUT_OF_HOST_MEMORY);
    pthread_mutex_lock(&buffer->lock);
    cl_int error = append(buffer, command, count, list, sync_point, NULL);
    pthread_mutex_unlock(&buffer->lock);
    return error;
}

static cl_int CL_API_CALL command_barrier(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_command_properties_khr *properties, cl_uint count,
                                          const cl_sync_point_khr *list, cl_sync_point_khr *sync_point,
                                          cl_mutable_command_khr *handle)
{
    cl_int error = check_transfer(buffer, queue, properties, count, list, handle);
    CHECK(error == CL_SUCCESS, error);
    cl_event prepared = cy_cl_command(buffer->queue, CL_COMMAND_BARRIER, NULL);
    CHECK(prepared, CL_OUT_OF_HOST_MEMORY);
    return record(buffer, prepared, count, list, sync_point);
}

static cl_int CL_API_CALL command_copy_buffer(cl_command_buffer_khr buffer, cl_command_queue queue,
                                              const cl_command_properties_khr *properties, cl_mem from, cl_mem to,
                                              size_t from_offset, size_t to_offset, size_t size, cl_uint count,
                                              const cl_sync_point_khr *list, cl_sync_point_khr *sync_point,
                                              cl_mutable_command_khr *handle)
{
    cl_event prepared;
    cl_int error = check_transfer(buffer, queue, properties, count, list, handle);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_prepare_copy(buffer->queue, from, to, from_offset, to_offset, size, &prepared);
    CHECK(error == CL_SUCCESS, error);
    return record(buffer, prepared, count, list, sync_point);
}

static cl_int CL_API_CALL command_copy_buffer_rect(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                   const cl_command_properties_khr *properties, cl_mem from, cl_mem to,
                                                   const size_t *from_origin, const size_t *to_origin,
                                                   const size_t *region, size_t from_row, size_t from_slice,
                                                   size_t to_row, size_t to_slice, cl_uint count,
                                                   const cl_sync_point_khr *list, cl_sync_point_khr *sync_point,
                                                   cl_mutable_command_khr *handle)
{
    cl_event prepared;
    cl_int error = check_transfer(buffer, queue, properties, count, list, handle);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_prepare_copy_rect(buffer->queue, from, to, from_origin, to_origin, region, from_row, from_slice,
                                    to_row, to_slice, 0, NULL, &prepared);
    CHECK(error == CL_SUCCESS, error);
    return record(buffer, prepared, count, list, sync_point);
}

static cl_int CL_API_CALL command_copy_buffer_to_image(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                       const cl_command_properties_khr *properties, cl_mem from,
                                                       cl_mem to, size_t offset, const size_t *origin,
                                                       const size_t *region, cl_uint count,
                                                       const cl_sync_point_khr *list, cl_sync_point_khr *sync_point,
                                                       cl_mutable_command_khr *handle)
{
    cl_event prepared;
    cl_int error = check_transfer(buffer, queue, properties, count, list, handle);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_prepare_copy_image_buffer(buffer->queue, to, from, false, origin, region, offset, 0, NULL, &prepared);
    CHECK(error == CL_SUCCESS, error);
    return record(buffer, prepared, count, list, sync_point);
}

static cl_int CL_API_CALL command_copy_image_to_buffer(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                       const cl_command_properties_khr *properties, cl_mem from,
                                                       cl_mem to, const size_t *origin, const size_t *region,
                                                       size_t offset, cl_uint count, const cl_sync_point_khr *list,
                                                       cl_sync_point_khr *sync_point, cl_mutable_command_khr *handle)
{
    cl_event prepared;
    cl_int error = check_transfer(buffer, queue, properties, count, list, handle);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_prepare_copy_image_buffer(buffer->queue, from, to, true, origin, region, offset, 0, NULL, &prepared);
    CHECK(error == CL_SUCCESS, error);
    return record(buffer, prepared, count, list, sync_point);
}

static cl_int CL_API_CALL command_copy_image(cl_command_buffer_khr buffer, cl_command_queue queue,
                                             const cl_command_properties_khr *properties, cl_mem from, cl_mem to,
                                             const size_t *from_origin, const size_t *to_origin, const size_t *region,
                                             cl_uint count, const cl_sync_point_khr *list,
                                             cl_sync_point_khr *sync_point, cl_mutable_command_khr *handle)
{
    cl_event prepared;
    cl_int error = check_transfer(buffer, queue, properties, count, list, handle);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_prepare_copy_image(buffer->queue, from, to, from_origin, to_origin, region, 0, NULL, &prepared);
    CHECK(error == CL_SUCCESS, error);
    return record(buffer, prepared, count, list, sync_point);
}

static cl_int CL_API_CALL command_fill_buffer(cl_command_buffer_khr buffer, cl_command_queue queue,
                                              const cl_command_properties_khr *properties, cl_mem mem,
                                              const void *pattern, size_t pattern_size, size_t offset, size_t size,
                                              cl_uint count, const cl_sync_point_khr *list,
                                              cl_sync_point_khr *sync_point, cl_mutable_command_khr *handle)
{
    cl_event prepared;
    cl_int error = check_transfer(buffer, queue, properties, count, list, handle);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_prepare_fill(buffer->queue, mem, pattern, pattern_size, offset, size, 0, NULL, &prepared);
    CHECK(error == CL_SUCCESS, error);
    return record(buffer, prepared, count, list, sync_point);
}

static cl_int CL_API_CALL command_fill_image(cl_command_buffer_khr buffer, cl_command_queue queue,
                                             const cl_command_properties_khr *properties, cl_mem image,
                                             const void *colour, const size_t *origin, const size_t *region,
                                             cl_uint count, const cl_sync_point_khr *list,
                                             cl_sync_point_khr *sync_point, cl_mutable_command_khr *handle)
{
    cl_event prepared;
    cl_int error = check_transfer(buffer, queue, properties, count, list, handle);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_prepare_fill_image(buffer->queue, image, colour, origin, region, 0, NULL, &prepared);
    CHECK(error == CL_SUCCESS, error);
    return record(buffer, prepared, count, list, sync_point);
}

static cl_int CL_API_CALL command_svm_copy(cl_command_buffer_khr buffer, cl_command_queue queue,
                                           const cl_command_properties_khr *properties, void *to, const void *from,
                                           size_t size, cl_uint count, const cl_sync_point_khr *list,
                                           cl_sync_point_khr *sync_point, cl_mutable_command_khr *handle)
{
    cl_event prepared;
    cl_int error = check_transfer(buffer, queue, properties, count, list, handle);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_prepare_svm_copy(buffer->queue, to, from, size, 0, NULL, &prepared);
    CHECK(error == CL_SUCCESS, error);
    return record(buffer, prepared, count, list, sync_point);
}

static cl_int CL_API_CALL command_svm_fill(cl_command_buffer_khr buffer, cl_command_queue queue,
                                           const cl_command_properties_khr *properties, void *to, const void *pattern,
                                           size_t pattern_size, size_t size, cl_uint count,
                                           const cl_sync_point_khr *list, cl_sync_point_khr *sync_point,
                                           cl_mutable_command_khr *handle)
{
    cl_event prepared;
    cl_int error = check_transfer(buffer, queue, properties, count, list, handle);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_prepare_svm_fill(buffer->queue, to, pattern, pattern_size, size, 0, NULL, &prepared);
    CHECK(error == CL_SUCCESS, error);
    return record(buffer, prepared, count, list, sync_point);
}

/* ---- kernels ---- */

/* Fields that no device can update are no error: they are not updatable. */
static cl_int dispatch_properties(const cl_command_properties_khr *properties, size_t *count,
                                  cl_mutable_dispatch_fields_khr *fields, cl_mutable_dispatch_asserts_khr *asserts)
{
    bool seen_fields = false, seen_asserts = false;
    *count = 0;
    if (!properties)
        return CL_SUCCESS;
    for (; properties[*count]; *count += 2) {
        const bool is_fields = properties[*count] == CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR;
        CHECK(is_fields || properties[*count] == CL_MUTABLE_DISPATCH_ASSERTS_KHR, CL_INVALID_VALUE);
        const cl_command_properties_khr value = properties[*count + 1]; /* an unknown name may have none */
        if (is_fields) {
            CHECK(!seen_fields && !(value & ~cy_cl_updatable_fields), CL_INVALID_VALUE);
            seen_fields = true;
            *fields = value;
        } else {
            CHECK(!seen_asserts, CL_INVALID_VALUE);
            CHECK(!(value & ~(cl_properties)CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR),
                  CL_INVALID_VALUE);
            seen_asserts = true;
            *asserts |= value;
        }
    }
    ++*count;
    return CL_SUCCESS;
}

static size_t groups_of(const struct cy_cl_dispatch *dispatch, cl_uint dimensions)
{
    size_t groups = 1;
    for (cl_uint d = 0; d < dimensions && dispatch->has_local; d++)
        groups *= (dispatch->global[d] + dispatch->local[d] - 1) / dispatch->local[d];
    return dispatch->has_local ? groups : SIZE_MAX;
}

/* Fills in a new command; false: no memory. */
static bool set_kernel(cl_mutable_command_khr command, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                       const size_t *global, const size_t *local, const cl_command_properties_khr *properties,
                       size_t property_count)
{
    struct cy_cl_dispatch *dispatch = command->dispatch = dispatch_of(kernel);
    if (!dispatch)
        return false;
    command->properties = property_count ? cy_try_alloc(property_count * sizeof(*properties)) : NULL;
    if (property_count && !command->properties)
        return false;
    if (property_count)
        memcpy(command->properties, properties, property_count * sizeof(*properties));
    command->property_count = property_count;
    command->kernel = kernel;
    cy_cl_retain(kernel);
    command->dimensions = dimensions;
    dispatch->has_local = local != NULL;
    for (cl_uint d = 0; d < dimensions; d++) {
        dispatch->offset[d] = offset ? offset[d] : 0;
        dispatch->global[d] = global ? global[d] : 0;
        dispatch->local[d] = local ? local[d] : 0;
    }
    command->most_groups = groups_of(dispatch, dimensions);
    return true;
}

static cl_int CL_API_CALL command_kernel(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_command_properties_khr *properties, cl_kernel kernel,
                                         cl_uint dimensions, const size_t *offset, const size_t *global,
                                         const size_t *local, cl_uint count, const cl_sync_point_khr *list,
                                         cl_sync_point_khr *sync_point, cl_mutable_command_khr *handle)
{
    cl_mutable_dispatch_fields_khr fields = cy_cl_updatable_fields;
    size_t property_count;
    cl_int error = check_recording(buffer, queue, count, list);
    CHECK(error == CL_SUCCESS, error);
    cl_mutable_dispatch_asserts_khr asserts = buffer->asserts;
    error = dispatch_properties(properties, &property_count, &fields, &asserts);
    CHECK(error == CL_SUCCESS, error);
    const bool is_mutable = (buffer->flags & CL_COMMAND_BUFFER_MUTABLE_KHR) != 0;
    error = cy_cl_check_launch(buffer->queue, kernel, dimensions, offset, global, local,
                               is_mutable && (fields & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR));
    CHECK(error == CL_SUCCESS, error);
    cl_mutable_command_khr command = make(buffer, CL_COMMAND_NDRANGE_KERNEL);
    CHECK(command, CL_OUT_OF_HOST_MEMORY);
    command->updatable = is_mutable ? fields : 0;
    command->asserts = asserts;
    if (!set_kernel(command, kernel, dimensions, offset, global, local, properties, property_count)) {
        cy_cl_release(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_lock(&buffer->lock);
    error = append(buffer, command, count, list, sync_point, handle);
    pthread_mutex_unlock(&buffer->lock);
    return error;
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
    CHECK(cy_cl_is(buffer, CY_CL_COMMAND_BUFFER), CL_INVALID_COMMAND_BUFFER_KHR);
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
        error = cy_cl_submit_group(events, total, buffer->edges.at, buffer->edges.count, count, list, event);
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
    CHECK(cy_cl_is(buffer, CY_CL_COMMAND_BUFFER), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK(!queue_count == !queues, CL_INVALID_VALUE);
    CHECK(queue_count <= 1, CL_INVALID_VALUE);
    cl_command_queue queue = queue_count ? queues[0] : buffer->queue;
    CHECK(cy_cl_is(queue, CY_CL_QUEUE), CL_INVALID_COMMAND_QUEUE);
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
    CHECK(cy_cl_is(buffer, CY_CL_COMMAND_BUFFER), CL_INVALID_COMMAND_BUFFER_KHR);
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

void (*cy_cl_command_buffer_function(const char *name))(void)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } functions[] = {
        {"clCreateCommandBufferKHR", (void (*)(void))create_command_buffer},
        {"clRetainCommandBufferKHR", (void (*)(void))retain_command_buffer},
        {"clReleaseCommandBufferKHR", (void (*)(void))release_command_buffer},
        {"clFinalizeCommandBufferKHR", (void (*)(void))finalize_command_buffer},
        {"clEnqueueCommandBufferKHR", (void (*)(void))enqueue_command_buffer},
        {"clGetCommandBufferInfoKHR", (void (*)(void))get_command_buffer_info},
        {"clCommandBarrierWithWaitListKHR", (void (*)(void))command_barrier},
        {"clCommandCopyBufferKHR", (void (*)(void))command_copy_buffer},
        {"clCommandCopyBufferRectKHR", (void (*)(void))command_copy_buffer_rect},
        {"clCommandCopyBufferToImageKHR", (void (*)(void))command_copy_buffer_to_image},
        {"clCommandCopyImageKHR", (void (*)(void))command_copy_image},
        {"clCommandCopyImageToBufferKHR", (void (*)(void))command_copy_image_to_buffer},
        {"clCommandFillBufferKHR", (void (*)(void))command_fill_buffer},
        {"clCommandFillImageKHR", (void (*)(void))command_fill_image},
        {"clCommandNDRangeKernelKHR", (void (*)(void))command_kernel},
        {"clCommandSVMMemcpyKHR", (void (*)(void))command_svm_copy},
        {"clCommandSVMMemFillKHR", (void (*)(void))command_svm_fill},
        {"clUpdateMutableCommandsKHR", (void (*)(void))cy_cl_update_commands},
        {"clGetMutableCommandInfoKHR", (void (*)(void))cy_cl_mutable_command_info},
    };
    for (size_t i = 0; i < CY_COUNT(functions); i++)
        if (!strcmp(name, functions[i].name))
            return functions[i].function;
    return NULL;
}
