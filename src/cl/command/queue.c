/* Command queues, and the commands that only order others. */
#include "cl/command/command_priv.h"

static cl_command_queue create(cl_context context, cl_uint device, cl_command_queue_properties properties)
{
    cl_command_queue queue = cy_cl_schedule_start() ? cy_cl_create(&cy_cl_queue_class, sizeof(*queue)) : NULL;
    if (!queue)
        return NULL;
    queue->context = context;
    queue->device = context->devices[device];
    queue->index = device;
    queue->properties = properties;
    cy_cl_retain(context);
    return queue;
}

static const cl_command_queue_properties known_properties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
static const cl_command_queue_properties device_properties = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

/* What can run of a queue with a high priority precedes what can run of others; throttling is a hint that there is nothing
 * to do about. */
enum { NORMAL_RANK = 1 };
static cl_int read_property(cl_queue_properties name, cl_queue_properties value, cl_command_queue_properties *flags,
                            unsigned *rank)
{
    switch (name) {
    case CL_QUEUE_PROPERTIES:
        CHECK(!(value & ~(known_properties | device_properties)), CL_INVALID_VALUE);
        CHECK(!(value & ~known_properties), CL_INVALID_QUEUE_PROPERTIES);
        *flags = value;
        return CL_SUCCESS;
    case CL_QUEUE_SIZE: return CL_INVALID_QUEUE_PROPERTIES;
    case CL_QUEUE_PRIORITY_KHR:
        CHECK(value == CL_QUEUE_PRIORITY_HIGH_KHR || value == CL_QUEUE_PRIORITY_MED_KHR ||
                  value == CL_QUEUE_PRIORITY_LOW_KHR,
              CL_INVALID_VALUE);
        *rank = value == CL_QUEUE_PRIORITY_HIGH_KHR ? 0 : value == CL_QUEUE_PRIORITY_MED_KHR ? NORMAL_RANK : 2;
        return CL_SUCCESS;
    case CL_QUEUE_THROTTLE_KHR:
        CHECK(value == CL_QUEUE_THROTTLE_HIGH_KHR || value == CL_QUEUE_THROTTLE_MED_KHR ||
                  value == CL_QUEUE_THROTTLE_LOW_KHR,
              CL_INVALID_VALUE);
        return CL_SUCCESS;
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                               cl_command_queue_properties properties,
                                                               cl_int *errcode_ret)
{
    cl_uint index;
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK_CREATE(cy_cl_find_device(context, device, &index), CL_INVALID_DEVICE);
    CHECK_CREATE(!(properties & ~(known_properties | device_properties)), CL_INVALID_VALUE);
    CHECK_CREATE(!(properties & ~known_properties), CL_INVALID_QUEUE_PROPERTIES);
    cl_command_queue queue = create(context, index, properties);
    if (queue)
        queue->rank = NORMAL_RANK;
    cy_cl_set_error(errcode_ret, queue ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
    return queue;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                             const cl_queue_properties *properties,
                                                                             cl_int *errcode_ret)
{
    cl_command_queue_properties flags = 0;
    size_t count = 0;
    cl_uint index;
    unsigned rank = NORMAL_RANK;
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK_CREATE(cy_cl_find_device(context, device, &index), CL_INVALID_DEVICE);
    for (; properties && properties[count]; count += 2) {
        cl_int error = read_property(properties[count], properties[count + 1], &flags, &rank);
        CHECK_CREATE(error == CL_SUCCESS, error);
    }
    cl_command_queue queue = create(context, index, flags);
    CHECK_CREATE(queue, CL_OUT_OF_HOST_MEMORY);
    queue->rank = rank;
    if (properties) {
        queue->given_count = count + 1;
        queue->given = cy_try_alloc(queue->given_count * sizeof(*properties));
        if (!queue->given) {
            cy_cl_release(queue);
            CHECK_CREATE(false, CL_OUT_OF_HOST_MEMORY);
        }
        memcpy(queue->given, properties, queue->given_count * sizeof(*properties));
    }
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return queue;
}

/* Commands retain their queue: when the last reference is released, none is left. */
static void destroy(void *object)
{
    cl_command_queue queue = object;
    cy_free(queue->given);
    cy_cl_release(queue->context);
}

const struct cy_cl_class cy_cl_queue_class = {.plural = "command queues", .destroy = destroy};
CY_CL_COUNTED(CommandQueue, cl_command_queue, cy_cl_queue_class, CL_INVALID_COMMAND_QUEUE)

CL_API_ENTRY cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t size,
                                                      void *value, size_t *size_ret)
{
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    switch (name) {
    case CL_QUEUE_CONTEXT: INFO(cl_context, queue->context);
    case CL_QUEUE_DEVICE: INFO(cl_device_id, queue->device);
    case CL_QUEUE_REFERENCE_COUNT: INFO(cl_uint, atomic_load(&queue->object.references));
    case CL_QUEUE_PROPERTIES: INFO(cl_command_queue_properties, queue->properties);
    case CL_QUEUE_PROPERTIES_ARRAY: INFO_DATA(queue->given, queue->given_count * sizeof(*queue->given));
    case CL_QUEUE_SIZE: return CL_INVALID_COMMAND_QUEUE; /* not a device queue */
    case CL_QUEUE_DEVICE_DEFAULT: INFO(cl_command_queue, NULL);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue,
                                                          cl_command_queue_properties properties, cl_bool enable,
                                                          cl_command_queue_properties *old)
{
    (void)enable, (void)old;
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    CHECK(!(properties & ~known_properties), CL_INVALID_VALUE);
    return CL_INVALID_OPERATION; /* deprecated by OpenCL 1.1 */
}

CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    if (atomic_load_explicit(&queue->length, memory_order_relaxed))
        cy_cl_start_offered();
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    if (!atomic_load_explicit(&queue->length, memory_order_acquire)) { /* nothing to wait for */
        CY_CL_TELL(waited, queue, NULL);
        return CL_SUCCESS;
    }
    cl_int error = CL_SUCCESS;
    if (queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
        error = cy_cl_submit(cy_cl_command(queue, CL_COMMAND_MARKER, NULL), 0, NULL, NULL, true);
    } else {
        pthread_mutex_lock(&queue->context->lock);
        cl_event last = queue->last;
        if (last)
            cy_cl_hold(last);
        pthread_mutex_unlock(&queue->context->lock);
        if (last)
            cy_cl_wait(last);
        cy_cl_drop(last);
    }
    pthread_mutex_lock(&queue->context->lock);
    cy_cl_wait_for_callbacks(queue->context, &queue->calling);
    pthread_mutex_unlock(&queue->context->lock);
    CY_CL_TELL(waited, queue, NULL);
    return error;
}

static cl_int enqueue_order(cl_command_queue queue, cl_command_type type, cl_uint count, const cl_event *list,
                            cl_event *event)
{
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    cl_int error = cy_cl_check_wait_list(queue->context, count, list);
    CHECK(error == CL_SUCCESS, error);
    return cy_cl_submit(cy_cl_command(queue, type, NULL), count, list, event, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *list,
                                                            cl_event *event)
{
    return enqueue_order(queue, CL_COMMAND_MARKER, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count,
                                                             const cl_event *list, cl_event *event)
{
    return enqueue_order(queue, CL_COMMAND_BARRIER, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    CHECK(event, CL_INVALID_VALUE);
    return enqueue_order(queue, CL_COMMAND_MARKER, 0, NULL, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue)
{
    return enqueue_order(queue, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *list)
{
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    CHECK(count && list, CL_INVALID_VALUE);
    cl_int error = enqueue_order(queue, CL_COMMAND_BARRIER, count, list, NULL);
    return error == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : error;
}

CL_API_ENTRY cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                                               cl_command_queue queue)
{
    cl_uint index;
    (void)queue;
    CHECK(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK(cy_cl_find_device(context, device, &index), CL_INVALID_DEVICE);
    return CL_INVALID_OPERATION; /* no queues on the device */
}
