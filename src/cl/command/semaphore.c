/* cl_khr_semaphore: binary semaphores.  A command that waits for one takes the signal, or joins the list of those who
 * wait, without a thread; a signal goes to the first of them, or stays until one comes. */
#include "cl/command/command_priv.h"

struct _cl_semaphore_khr {
    struct cy_cl_object object;
    cl_context context;
    cl_device_id device; /* whose queues may use it */
    cl_semaphore_properties_khr *properties;
    size_t property_count;
    bool has_signal;                /* with the context's lock held, as the list */
    unsigned signal;                /* the `order` of the command that gave it */
    cl_event waiting, waiting_last; /* by `next_ready`, which the scheduler does not use meanwhile */
};

static cl_int read_properties(cl_context context, const cl_semaphore_properties_khr *properties, size_t *count,
                              cl_device_id *device)
{
    bool has_type = false, has_devices = false;
    cl_uint index;
    size_t i = 0;
    CHECK(properties, CL_INVALID_VALUE);
    while (properties[i]) {
        switch (properties[i++]) {
        case CL_SEMAPHORE_TYPE_KHR:
            CHECK(!has_type && properties[i] == CL_SEMAPHORE_TYPE_BINARY_KHR, CL_INVALID_PROPERTY);
            has_type = true;
            i++;
            break;
        case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
            CHECK(!has_devices, CL_INVALID_PROPERTY);
            has_devices = true;
            *device = (cl_device_id)(uintptr_t)properties[i];
            CHECK(cy_cl_is(*device, &cy_cl_device_class) && cy_cl_find_device(context, *device, &index),
                  CL_INVALID_DEVICE);
            CHECK(properties[i + 1] == CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR, CL_INVALID_DEVICE); /* exactly one */
            i += 2;
            break;
        default: return CL_INVALID_PROPERTY;
        }
    }
    *count = i + 1;
    CHECK(has_type, CL_INVALID_VALUE);
    CHECK(has_devices || context->device_count == 1, CL_INVALID_PROPERTY);
    return CL_SUCCESS;
}

static cl_semaphore_khr CL_API_CALL create_semaphore(cl_context context, const cl_semaphore_properties_khr *properties,
                                                     cl_int *errcode_ret)
{
    size_t count = 0;
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    cl_device_id device = context->devices[0];
    cl_int error = read_properties(context, properties, &count, &device);
    CHECK_CREATE(error == CL_SUCCESS, error);
    cl_semaphore_khr semaphore = cy_cl_create(&cy_cl_semaphore_class, sizeof(*semaphore));
    CHECK_CREATE(semaphore, CL_OUT_OF_HOST_MEMORY);
    semaphore->context = context;
    semaphore->device = device;
    cy_cl_retain(context);
    semaphore->properties = cy_try_alloc(count * sizeof(*properties));
    if (!semaphore->properties) {
        cy_cl_release(semaphore);
        CHECK_CREATE(false, CL_OUT_OF_HOST_MEMORY);
    }
    memcpy(semaphore->properties, properties, count * sizeof(*properties));
    semaphore->property_count = count;
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return semaphore;
}

/* Commands retain their semaphores: nothing waits any more. */
static void destroy(void *object)
{
    cl_semaphore_khr semaphore = object;
    cy_free(semaphore->properties);
    cy_cl_release(semaphore->context);
}

const struct cy_cl_class cy_cl_semaphore_class = {.plural = "semaphores", .destroy = destroy};
CY_CL_COUNTED_BY(static, retain_semaphore, release_semaphore, cl_semaphore_khr, cy_cl_semaphore_class,
                 CL_INVALID_SEMAPHORE_KHR)

static cl_int CL_API_CALL get_semaphore_info(cl_semaphore_khr semaphore, cl_semaphore_info_khr name, size_t size,
                                             void *value, size_t *size_ret)
{
    CHECK(cy_cl_is(semaphore, &cy_cl_semaphore_class), CL_INVALID_SEMAPHORE_KHR);
    pthread_mutex_lock(&semaphore->context->lock);
    bool has_signal = semaphore->has_signal;
    pthread_mutex_unlock(&semaphore->context->lock);
    switch (name) {
    case CL_SEMAPHORE_CONTEXT_KHR: INFO(cl_context, semaphore->context);
    case CL_SEMAPHORE_REFERENCE_COUNT_KHR: INFO(cl_uint, atomic_load(&semaphore->object.references));
    case CL_SEMAPHORE_PROPERTIES_KHR:
        INFO_DATA(semaphore->properties, semaphore->property_count * sizeof(*semaphore->properties));
    case CL_SEMAPHORE_TYPE_KHR: INFO(cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
    case CL_SEMAPHORE_PAYLOAD_KHR: INFO(cl_semaphore_payload_khr, has_signal);
    case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR: INFO(cl_device_id, semaphore->device);
    default: return CL_INVALID_VALUE;
    }
}

/* ---- commands ---- */

/* Takes the signals of the command's semaphores one after the other.  Where it must wait, the signal is passed to it and
 * it becomes ready again. */
static cl_int run_wait(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    cl_int status = CL_COMPLETE;
    pthread_mutex_lock(&event->context->lock);
    for (; status == CL_COMPLETE && c->semaphore_next < c->semaphore_count; c->semaphore_next++) {
        cl_semaphore_khr semaphore = c->semaphores[c->semaphore_next];
        if (semaphore->has_signal) {
            semaphore->has_signal = false;
            CY_CL_TELL(signalled, event, semaphore->signal);
            continue;
        }
        event->next_ready = NULL;
        *(semaphore->waiting_last ? &semaphore->waiting_last->next_ready : &semaphore->waiting) = event;
        semaphore->waiting_last = event;
        status = CL_RUNNING;
    }
    pthread_mutex_unlock(&event->context->lock);
    return status;
}

static cl_int run_signal(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    for (size_t i = 0; i < c->semaphore_count; i++) {
        cl_semaphore_khr semaphore = c->semaphores[i];
        pthread_mutex_lock(&semaphore->context->lock);
        cl_event first = semaphore->waiting;
        if (first) {
            semaphore->waiting = first->next_ready;
            if (!semaphore->waiting)
                semaphore->waiting_last = NULL;
            CY_CL_TELL(signalled, first, event->order);
        } else {
            semaphore->has_signal = true;
            semaphore->signal = event->order;
        }
        pthread_mutex_unlock(&semaphore->context->lock);
        cy_cl_ready(first);
    }
    return CL_COMPLETE;
}

static bool has_failed(cl_context context, cl_uint count, const cl_event *list)
{
    bool failed = false;
    pthread_mutex_lock(&context->lock);
    for (cl_uint i = 0; i < count; i++)
        failed |= list[i]->status < 0;
    pthread_mutex_unlock(&context->lock);
    return failed;
}

/* Khronos's tests signal the semaphore of a sub-device, in a context of sub-devices, by a queue of the whole device. */
static bool signals_part(cl_command_queue queue, cl_command_type type, cl_semaphore_khr semaphore)
{
    return type == CL_COMMAND_SEMAPHORE_SIGNAL_KHR && semaphore->device->parent == queue->device;
}

/* Payloads are for kinds of semaphores that we do not have. */
static cl_int enqueue(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event), cl_uint semaphore_count,
                      const cl_semaphore_khr *semaphores, cl_uint count, const cl_event *list, cl_event *event)
{
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    CHECK(semaphore_count && semaphores, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < semaphore_count; i++)
        CHECK(cy_cl_is(semaphores[i], &cy_cl_semaphore_class), CL_INVALID_SEMAPHORE_KHR);
    for (cl_uint i = 0; i < semaphore_count; i++)
        CHECK(semaphores[i]->context == queue->context || signals_part(queue, type, semaphores[i]), CL_INVALID_CONTEXT);
    for (cl_uint i = 0; i < semaphore_count; i++)
        CHECK(semaphores[i]->device == queue->device || signals_part(queue, type, semaphores[i]),
              CL_INVALID_COMMAND_QUEUE);
    cl_int error = cy_cl_check_wait_list(queue->context, count, list);
    CHECK(error == CL_SUCCESS, error);
    CHECK(!has_failed(queue->context, count, list), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_event created = cy_cl_command(queue, type, run);
    CHECK(created, CL_OUT_OF_HOST_MEMORY);
    created->command.semaphores = cy_try_alloc(semaphore_count * sizeof(cl_semaphore_khr));
    if (!created->command.semaphores) {
        cy_cl_release(created);
        return CL_OUT_OF_HOST_MEMORY;
    }
    created->command.semaphore_count = semaphore_count;
    created->may_wait = type == CL_COMMAND_SEMAPHORE_WAIT_KHR;
    created->gate = created;
    for (cl_uint i = 0; i < semaphore_count; i++) {
        created->command.semaphores[i] = semaphores[i];
        cy_cl_retain(semaphores[i]);
    }
    return cy_cl_submit(created, count, list, event, false);
}

static cl_int CL_API_CALL enqueue_wait(cl_command_queue queue, cl_uint semaphore_count,
                                       const cl_semaphore_khr *semaphores, const cl_semaphore_payload_khr *payloads,
                                       cl_uint count, const cl_event *list, cl_event *event)
{
    (void)payloads;
    return enqueue(queue, CL_COMMAND_SEMAPHORE_WAIT_KHR, run_wait, semaphore_count, semaphores, count, list, event);
}

static cl_int CL_API_CALL enqueue_signal(cl_command_queue queue, cl_uint semaphore_count,
                                         const cl_semaphore_khr *semaphores, const cl_semaphore_payload_khr *payloads,
                                         cl_uint count, const cl_event *list, cl_event *event)
{
    (void)payloads;
    return enqueue(queue, CL_COMMAND_SEMAPHORE_SIGNAL_KHR, run_signal, semaphore_count, semaphores, count, list, event);
}

const struct cy_cl_entry_point cy_cl_semaphore_functions[] = {
    {"clCreateSemaphoreWithPropertiesKHR", (cy_cl_function)create_semaphore},
    {"clRetainSemaphoreKHR", (cy_cl_function)retain_semaphore},
    {"clReleaseSemaphoreKHR", (cy_cl_function)release_semaphore},
    {"clGetSemaphoreInfoKHR", (cy_cl_function)get_semaphore_info},
    {"clEnqueueWaitSemaphoresKHR", (cy_cl_function)enqueue_wait},
    {"clEnqueueSignalSemaphoresKHR", (cy_cl_function)enqueue_signal},
    {NULL, NULL},
};
