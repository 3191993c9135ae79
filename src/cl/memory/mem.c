/* Buffers.  A buffer's memory is in the machines, and the host sees the same memory, except with CL_MEM_USE_HOST_PTR,
 * where maps copy between the machine and the application's memory. */
#include "cl/memory/memory_priv.h"

#define ACCESS_FLAGS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define HOST_PTR_FLAGS (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)
#define HOST_ACCESS_FLAGS (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)

static bool at_most_one(cl_mem_flags flags)
{
    return !(flags & (flags - 1));
}

bool cy_cl_mem_flags_valid(cl_mem_flags flags)
{
    return !(flags & ~(cl_mem_flags)(ACCESS_FLAGS | HOST_PTR_FLAGS | HOST_ACCESS_FLAGS | CL_MEM_IMMUTABLE_EXT)) &&
           at_most_one(flags & ACCESS_FLAGS) && at_most_one(flags & HOST_ACCESS_FLAGS) &&
           !((flags & CL_MEM_IMMUTABLE_EXT) &&
             (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY))) &&
           !((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)));
}

/* What can never be written must get its contents when it is created. */
bool cy_cl_mem_has_contents(cl_mem_flags flags)
{
    return !(flags & CL_MEM_IMMUTABLE_EXT) || (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR));
}

static bool alloc_one(cl_device_id device, size_t size, uint64_t *address)
{
    if (cy_cl_has_far(device))
        return cy_device_alloc_far(device->machine, size, 0, address) == CY_OK;
    uint32_t near;
    bool ok = cy_device_alloc(device->machine, size, 0, &near) == CY_OK;
    *address = ok ? near : 0;
    return ok;
}

/* The machines of a context share the memory of their buffers: nothing has to be migrated between them.  A buffer that
 * is too large for some of them is in the others. */
static bool allocate(cl_mem mem, cl_context context, size_t size)
{
    struct cy_device *machines[CY_CL_MAX_DEVICES];
    bool far[CY_CL_MAX_DEVICES];
    cl_uint index[CY_CL_MAX_DEVICES];
    uint64_t address[CY_CL_MAX_DEVICES];
    size_t count = 0;
    for (cl_uint i = 0; i < context->device_count; i++)
        if (size <= cy_cl_memory_bytes(context->devices[i]) / 2 && cy_cl_has_room(context->devices[i], size)) {
            machines[count] = context->devices[i]->machine;
            far[count] = cy_cl_has_far(context->devices[i]);
            index[count++] = i;
        }
    if (!count)
        return false;
    mem->home = index[0];
    if (count == 1)
        return alloc_one(context->devices[mem->home], size, &mem->address[mem->home]);
    if (cy_device_alloc_shared(machines, count, far, size, address) != CY_OK)
        return false;
    for (size_t i = 0; i < count; i++)
        mem->address[index[i]] = address[i];
    return true;
}

static bool fits_some_device(cl_context context, size_t size)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (size <= cy_cl_memory_bytes(context->devices[i]) / 2)
            return true;
    return false;
}

static cl_mem create(cl_context context)
{
    cl_mem mem = NULL;
    return cy_cl_create(&cy_cl_mem_class, sizeof(*mem) + context->device_count * sizeof(mem->address[0]));
}

cl_mem cy_cl_mem_allocate(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *errcode_ret)
{
    cl_mem mem = create(context);
    CHECK_CREATE(mem, CL_OUT_OF_HOST_MEMORY);
    if (!allocate(mem, context, size)) {
        cy_cl_discard(mem);
        CHECK_CREATE(false, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    mem->context = context;
    mem->flags = flags; /* as given: 0 means read and write */
    mem->size = size;
    mem->bytes = cy_device_map(context->devices[mem->home]->machine, mem->address[mem->home], size);
    for (cl_uint i = 0; i < context->device_count; i++)
        if (mem->address[i])
            CY_CL_TELL(allocated, context->devices[i], mem->address[i], size, false);
    if (host) {
        memcpy(mem->bytes, host, size);
        CY_CL_TELL(written, mem, 0, size);
    }
    if (flags & CL_MEM_USE_HOST_PTR)
        mem->host = host;
    cy_cl_retain(context);
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return mem;
}

/* A buffer that is shared virtual memory, on the devices that have it. */
static cl_mem share_svm(cl_context context, cl_mem_flags flags, size_t size, char *pointer, cl_int *errcode_ret)
{
    cl_mem mem = create(context);
    CHECK_CREATE(mem, CL_OUT_OF_HOST_MEMORY);
    mem->context = context;
    mem->flags = flags;
    mem->size = size;
    mem->bytes = mem->svm = pointer;
    for (cl_uint i = context->device_count; i-- > 0;)
        if (cy_cl_has_svm(context->devices[i])) {
            mem->address[i] = (uintptr_t)pointer;
            mem->home = i;
        }
    cy_cl_retain(context);
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return mem;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                               cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK_CREATE(cy_cl_mem_flags_valid(flags) && cy_cl_mem_has_contents(flags), CL_INVALID_VALUE);
    CHECK_CREATE(size, CL_INVALID_BUFFER_SIZE);
    CHECK_CREATE(fits_some_device(context, size), CL_INVALID_BUFFER_SIZE);
    CHECK_CREATE(!host == !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)), CL_INVALID_HOST_PTR);
    if (flags & CL_MEM_USE_HOST_PTR && cy_cl_svm_find(context, host, 1)) {
        CHECK_CREATE(cy_cl_svm_find(context, host, size), CL_INVALID_BUFFER_SIZE);
        return share_svm(context, flags, size, host, errcode_ret);
    }
    return cy_cl_mem_allocate(context, flags, size, host, errcode_ret);
}

cl_mem cy_cl_mem_with_properties(cl_mem mem, const cl_mem_properties *properties, cl_int *errcode_ret)
{
    if (!mem || !properties)
        return mem;
    mem->properties = cy_try_alloc(sizeof(*mem->properties)); /* the closing 0 */
    if (!mem->properties) {
        cy_cl_release(mem);
        CHECK_CREATE(false, CL_OUT_OF_HOST_MEMORY);
    }
    mem->property_count = 1;
    return mem;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                                             cl_mem_flags flags, size_t size, void *host,
                                                             cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK_CREATE(!properties || !properties[0], CL_INVALID_PROPERTY);
    return cy_cl_mem_with_properties(clCreateBuffer(context, flags, size, host, errcode_ret), properties, errcode_ret);
}

/* A sub-buffer inherits the flags it does not specify; those it specifies must not allow more. */
bool cy_cl_mem_inherit(cl_mem_flags parent, cl_mem_flags *flags)
{
    if (*flags & HOST_PTR_FLAGS || !cy_cl_mem_flags_valid(*flags))
        return false;
    if (((parent & CL_MEM_IMMUTABLE_EXT) &&
         (*flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY))) ||
        ((parent & CL_MEM_WRITE_ONLY) && (*flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) ||
        ((parent & CL_MEM_READ_ONLY) && (*flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))) ||
        ((parent & CL_MEM_HOST_WRITE_ONLY) && (*flags & CL_MEM_HOST_READ_ONLY)) ||
        ((parent & CL_MEM_HOST_READ_ONLY) && (*flags & CL_MEM_HOST_WRITE_ONLY)) ||
        ((parent & CL_MEM_HOST_NO_ACCESS) && (*flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))))
        return false;
    if (!(*flags & ACCESS_FLAGS))
        *flags |= parent & ACCESS_FLAGS;
    if (!(*flags & HOST_ACCESS_FLAGS))
        *flags |= parent & HOST_ACCESS_FLAGS;
    *flags |= parent & (HOST_PTR_FLAGS | CL_MEM_IMMUTABLE_EXT);
    return true;
}

cl_mem cy_cl_mem_share(cl_mem parent, cl_mem_flags flags, size_t offset, size_t size)
{
    cl_mem mem = create(parent->context);
    if (!mem)
        return NULL;
    mem->context = parent->context;
    mem->parent = parent;
    mem->home = parent->home;
    mem->flags = flags;
    mem->offset = offset;
    mem->size = size;
    for (cl_uint i = 0; i < mem->context->device_count; i++)
        mem->address[i] = parent->address[i] ? parent->address[i] + offset : 0;
    mem->bytes = parent->bytes + offset;
    mem->host = parent->host ? parent->host + offset : NULL;
    mem->svm = parent->svm ? parent->svm + offset : NULL;
    cy_cl_retain(parent);
    cy_cl_retain(mem->context);
    return mem;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                                                  const void *info, cl_int *errcode_ret)
{
    const cl_buffer_region *region = info;
    CHECK_CREATE(cy_cl_is(parent, &cy_cl_mem_class) && !parent->parent && cy_cl_is_buffer(parent),
                 CL_INVALID_MEM_OBJECT);
    CHECK_CREATE(cy_cl_mem_inherit(parent->flags, &flags), CL_INVALID_VALUE);
    CHECK_CREATE(type == CL_BUFFER_CREATE_TYPE_REGION && region, CL_INVALID_VALUE);
    CHECK_CREATE(region->size, CL_INVALID_BUFFER_SIZE);
    CHECK_CREATE(region->origin <= parent->size && region->size <= parent->size - region->origin, CL_INVALID_VALUE);
    CHECK_CREATE(region->origin % 128 == 0, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    cl_mem mem = cy_cl_mem_share(parent, flags, region->origin, region->size);
    cy_cl_set_error(errcode_ret, mem ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
    return mem;
}

static void free_memory(cl_mem mem)
{
    for (cl_uint i = 0; i < mem->context->device_count; i++)
        if (mem->address[i]) {
            CY_CL_TELL(freed, mem->context->devices[i], mem->address[i]);
            cy_device_free(mem->context->devices[i]->machine, mem->address[i]);
        }
}

static void destroy(void *object)
{
    cl_mem mem = object;
    for (size_t i = mem->destructors.count; i-- > 0;)
        mem->destructors.at[i].call(mem, mem->destructors.at[i].data);
    cy_vec_free(&mem->destructors);
    cy_vec_free(&mem->mappings);
    cy_free(mem->properties);
    cy_cl_image_destroy(mem);
    if (!mem->parent && !mem->svm)
        free_memory(mem);
    cy_cl_release(mem->parent);
    cy_cl_release(mem->context);
}

const struct cy_cl_class cy_cl_mem_class = {.plural = "buffers", .destroy = destroy, .is_argument = true};
CY_CL_COUNTED(MemObject, cl_mem, cy_cl_mem_class, CL_INVALID_MEM_OBJECT)

CL_API_ENTRY cl_int CL_API_CALL clGetMemObjectInfo(cl_mem mem, cl_mem_info name, size_t size, void *value,
                                                   size_t *size_ret)
{
    CHECK(cy_cl_is(mem, &cy_cl_mem_class), CL_INVALID_MEM_OBJECT);
    switch (name) {
    case CL_MEM_TYPE:
        INFO(cl_mem_object_type, mem->image          ? mem->image->desc.image_type
                                 : mem->pipe_packets ? CL_MEM_OBJECT_PIPE
                                                     : CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS: INFO(cl_mem_flags, mem->flags);
    case CL_MEM_SIZE: INFO(size_t, mem->size);
    case CL_MEM_HOST_PTR: INFO(void *, mem->host ? mem->host : mem->svm);
    case CL_MEM_MAP_COUNT: INFO(cl_uint, mem->mappings.count);
    case CL_MEM_REFERENCE_COUNT: INFO(cl_uint, atomic_load(&mem->object.references));
    case CL_MEM_CONTEXT: INFO(cl_context, mem->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT: INFO(cl_mem, mem->parent);
    case CL_MEM_OFFSET: INFO(size_t, mem->image ? 0 : mem->offset);
    case CL_MEM_USES_SVM_POINTER: INFO(cl_bool, mem->svm != NULL);
    case CL_MEM_PROPERTIES: INFO_DATA(mem->properties, mem->property_count * sizeof(*mem->properties));
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *call)(cl_mem, void *),
                                                                 void *data)
{
    CHECK(cy_cl_is(mem, &cy_cl_mem_class), CL_INVALID_MEM_OBJECT);
    CHECK(call, CL_INVALID_VALUE);
    pthread_mutex_lock(&mem->context->lock);
    struct cy_cl_mem_callback *fresh = cy_vec_try_push(&mem->destructors);
    if (fresh)
        *fresh = (struct cy_cl_mem_callback){call, data};
    pthread_mutex_unlock(&mem->context->lock);
    return fresh ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}
