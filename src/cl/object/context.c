/* Contexts. */
#include "cl/object/object.h"

#include <stdio.h>
#include <stdlib.h>

typedef void(CL_CALLBACK *notify_function)(const char *text, const void *info, size_t size, void *data);

static cl_int check_properties(const cl_context_properties *properties, size_t *count)
{
    bool has_platform = false, has_sync = false;
    *count = 0;
    if (!properties)
        return CL_SUCCESS;
    for (; properties[*count]; *count += 2) {
        cl_context_properties value = properties[*count + 1];
        switch (properties[*count]) {
        case CL_CONTEXT_PLATFORM:
            CHECK(!has_platform, CL_INVALID_PROPERTY);
            CHECK((cl_platform_id)value == cy_cl_platform(), CL_INVALID_PLATFORM);
            has_platform = true;
            break;
        case CL_CONTEXT_INTEROP_USER_SYNC:
            CHECK(!has_sync && (value == CL_TRUE || value == CL_FALSE), CL_INVALID_PROPERTY);
            has_sync = true;
            break;
        default: return CL_INVALID_PROPERTY;
        }
    }
    ++*count;
    return CL_SUCCESS;
}

bool cy_cl_find_device(cl_context context, cl_device_id device, cl_uint *index)
{
    for (*index = 0; *index < context->device_count; ++*index)
        if (context->devices[*index] == device)
            return true;
    return false;
}

static void free_parts(cl_context context)
{
    cy_free(context->properties);
    for (cl_uint i = 0; i < context->device_count; i++)
        clReleaseDevice(context->devices[i]);
}

static void destroy(void *object)
{
    cl_context context = object;
    for (size_t i = context->destructors.count; i-- > 0;)
        context->destructors.at[i].call(context, context->destructors.at[i].data);
    cy_vec_free(&context->destructors);
    if (context->free_svms)
        context->free_svms(context);
    pthread_mutex_destroy(&context->lock);
    pthread_cond_destroy(&context->changed);
    free_parts(context);
}

const struct cy_cl_class cy_cl_context_class = {.plural = "contexts", .destroy = destroy};
CY_CL_COUNTED(Context, cl_context, cy_cl_context_class, CL_INVALID_CONTEXT)

/* NULL: no memory, or more devices than a context holds. */
static cl_context create(const cl_context_properties *properties, size_t property_count, const cl_device_id *devices,
                         cl_uint count, notify_function notify, void *data)
{
    cl_context context = cy_cl_create(&cy_cl_context_class, sizeof(*context));
    cl_uint known;
    if (!context)
        return NULL;
    for (cl_uint i = 0; i < count; i++) {
        if (cy_cl_find_device(context, devices[i], &known)) /* a device listed twice is added once */
            continue;
        if (context->device_count == CY_CL_MAX_DEVICES) {
            free_parts(context);
            cy_cl_discard(context);
            return NULL;
        }
        context->devices[context->device_count++] = devices[i];
        clRetainDevice(devices[i]);
    }
    context->notify = notify;
    context->notify_data = data;
    if (property_count) {
        context->properties = cy_try_alloc(property_count * sizeof(*properties));
        if (!context->properties) {
            free_parts(context);
            cy_cl_discard(context);
            return NULL;
        }
        memcpy(context->properties, properties, property_count * sizeof(*properties));
        context->property_count = property_count;
    }
    pthread_mutex_init(&context->lock, NULL);
    pthread_cond_init(&context->changed, NULL);
    return context;
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint count,
                                                    const cl_device_id *devices, notify_function notify, void *data,
                                                    cl_int *errcode_ret)
{
    size_t property_count;
    cl_int error = check_properties(properties, &property_count);
    CHECK_CREATE(error == CL_SUCCESS, error);
    CHECK_CREATE(devices && count, CL_INVALID_VALUE);
    CHECK_CREATE(notify || !data, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        CHECK_CREATE(cy_cl_is(devices[i], &cy_cl_device_class), CL_INVALID_DEVICE);
    cl_context context = create(properties, property_count, devices, count, notify, data);
    cy_cl_set_error(errcode_ret, context ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
    return context;
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties *properties,
                                                            cl_device_type type, notify_function notify, void *data,
                                                            cl_int *errcode_ret)
{
    size_t property_count;
    cl_device_id devices[CY_CL_MAX_ROOTS];
    cl_uint count;
    cl_int error = check_properties(properties, &property_count);
    CHECK_CREATE(error == CL_SUCCESS, error);
    CHECK_CREATE(notify || !data, CL_INVALID_VALUE);
    error = clGetDeviceIDs(cy_cl_platform(), type, CY_CL_MAX_ROOTS, devices, &count);
    CHECK_CREATE(error == CL_SUCCESS, error);
    for (cl_uint i = 0; i < count; i++)
        CHECK_CREATE(cy_cl_is(devices[i], &cy_cl_device_class), CL_DEVICE_NOT_AVAILABLE);
    cl_context context = create(properties, property_count, devices, count, notify, data);
    cy_cl_set_error(errcode_ret, context ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
    return context;
}

void cy_cl_notify(cl_context context, const char *text)
{
    if (cy_cl_setting("CHENGYING_DEBUG"))
        fputs(text, stderr);
    if (context->notify)
        context->notify(text, NULL, 0, context->notify_data);
}

CL_API_ENTRY cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info name, size_t size, void *value,
                                                 size_t *size_ret)
{
    CHECK(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT: INFO(cl_uint, atomic_load(&context->object.references));
    case CL_CONTEXT_NUM_DEVICES: INFO(cl_uint, context->device_count);
    case CL_CONTEXT_DEVICES: INFO_DATA(context->devices, context->device_count * sizeof(cl_device_id));
    case CL_CONTEXT_PROPERTIES: INFO_DATA(context->properties, context->property_count * sizeof(*context->properties));
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context,
                                                               void(CL_CALLBACK *call)(cl_context, void *), void *data)
{
    CHECK(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK(call, CL_INVALID_VALUE);
    pthread_mutex_lock(&context->lock);
    struct cy_cl_context_callback *fresh = cy_vec_try_push(&context->destructors);
    if (fresh)
        *fresh = (struct cy_cl_context_callback){call, data};
    pthread_mutex_unlock(&context->lock);
    return fresh ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}
