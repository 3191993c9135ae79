/* cl_khr_command_buffer: recording.  A transfer is prepared as for a queue, and its command kept; a launch is kept with a clone of
 * its kernel. */
#include "cl/command/command_buffer_priv.h"

/* What every function that records checks first. */
static cl_int check_recording(cl_command_buffer_khr buffer, cl_command_queue queue, cl_uint count,
                              const cl_sync_point_khr *list)
{
    CHECK(cy_cl_is(buffer, &cy_cl_command_buffer_class), CL_INVALID_COMMAND_BUFFER_KHR);
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
    cl_mutable_command_khr command = cy_cl_create(&cy_cl_mutable_command_class, sizeof(*command));
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
    bool has_fields = false, has_asserts = false;
    *count = 0;
    if (!properties)
        return CL_SUCCESS;
    for (; properties[*count]; *count += 2) {
        const bool is_fields = properties[*count] == CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR;
        CHECK(is_fields || properties[*count] == CL_MUTABLE_DISPATCH_ASSERTS_KHR, CL_INVALID_VALUE);
        const cl_command_properties_khr value = properties[*count + 1]; /* an unknown name may have none */
        if (is_fields) {
            CHECK(!has_fields && !(value & ~cy_cl_updatable_fields), CL_INVALID_VALUE);
            has_fields = true;
            *fields = value;
        } else {
            CHECK(!has_asserts, CL_INVALID_VALUE);
            CHECK(!(value & ~(cl_properties)CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR),
                  CL_INVALID_VALUE);
            has_asserts = true;
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
    struct cy_cl_dispatch *dispatch = command->dispatch = cy_cl_dispatch_of(kernel);
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

const struct cy_cl_entry_point cy_cl_recording_functions[] = {
    {"clCommandBarrierWithWaitListKHR", (cy_cl_function)command_barrier},
    {"clCommandCopyBufferKHR", (cy_cl_function)command_copy_buffer},
    {"clCommandCopyBufferRectKHR", (cy_cl_function)command_copy_buffer_rect},
    {"clCommandCopyBufferToImageKHR", (cy_cl_function)command_copy_buffer_to_image},
    {"clCommandCopyImageKHR", (cy_cl_function)command_copy_image},
    {"clCommandCopyImageToBufferKHR", (cy_cl_function)command_copy_image_to_buffer},
    {"clCommandFillBufferKHR", (cy_cl_function)command_fill_buffer},
    {"clCommandFillImageKHR", (cy_cl_function)command_fill_image},
    {"clCommandNDRangeKernelKHR", (cy_cl_function)command_kernel},
    {"clCommandSVMMemcpyKHR", (cy_cl_function)command_svm_copy},
    {"clCommandSVMMemFillKHR", (cy_cl_function)command_svm_fill},
    {NULL, NULL},
};
