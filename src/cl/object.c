/* Handles and reference counts. */
#include "cl/cl_priv.h"

static unsigned generation; /* only changed while there is a single thread */

unsigned cy_cl_generation(void)
{
    return generation;
}

void cy_cl_next_generation(void)
{
    generation++;
}

void *cy_cl_create(enum cy_cl_kind kind, size_t size)
{
    struct cy_cl_object *object = cy_try_alloc(size);
    if (!object)
        return NULL;
    object->dispatch = &cy_cl_dispatch;
    object->kind = kind;
    atomic_init(&object->generation, generation);
    atomic_init(&object->references, 1);
    cy_cl_check_count(kind, 1);
    return object;
}

void cy_cl_discard(void *handle)
{
    struct cy_cl_object *object = handle;
    cy_cl_check_count(object->kind, -1);
    cy_free(object);
}

bool cy_cl_is(const void *handle, enum cy_cl_kind kind)
{
    const struct cy_cl_object *object = handle;
    if (!object || object->dispatch != &cy_cl_dispatch || object->kind != kind)
        return false;
    return atomic_load_explicit(&object->generation, memory_order_acquire) == generation || kind == CY_CL_PLATFORM ||
           (kind == CY_CL_DEVICE && cy_cl_renew_device((cl_device_id)(uintptr_t)handle));
}

void cy_cl_retain(void *handle)
{
    struct cy_cl_object *object = handle;
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
}

static void release(struct cy_cl_object *object, uint64_t unit)
{
    void *handle = object;
    if (!object || atomic_fetch_sub_explicit(&object->references, unit, memory_order_acq_rel) != unit)
        return;
    switch (object->kind) {
    case CY_CL_PLATFORM: return;
    case CY_CL_DEVICE: cy_cl_sub_device_destroy(handle); break; /* the others live as long as the process */
    case CY_CL_CONTEXT: cy_cl_context_destroy(handle); break;
    case CY_CL_QUEUE: cy_cl_queue_destroy(handle); break;
    case CY_CL_MEM: cy_cl_mem_destroy(handle); break;
    case CY_CL_PROGRAM: cy_cl_program_destroy(handle); break;
    case CY_CL_KERNEL: cy_cl_kernel_destroy(handle); break;
    case CY_CL_EVENT: cy_cl_event_destroy(handle); break;
    case CY_CL_SAMPLER: cy_cl_sampler_destroy(handle); break;
    case CY_CL_COMMAND_BUFFER: cy_cl_command_buffer_destroy(handle); break;
    case CY_CL_MUTABLE_COMMAND: cy_cl_mutable_command_destroy(handle); break;
    case CY_CL_SEMAPHORE: cy_cl_semaphore_destroy(handle); break;
    }
    object->dispatch = NULL; /* so that a stale handle is likely to be noticed */
    cy_cl_check_count(object->kind, -1);
    if ((object->kind == CY_CL_MEM || object->kind == CY_CL_SAMPLER) && cy_cl_check())
        return; /* a kernel may still have it as its argument, which is reported */
    cy_free(object);
}

void cy_cl_release(void *handle)
{
    release(handle, 1);
}

static const uint64_t ours = (uint64_t)1 << 32;

void cy_cl_hold(void *handle)
{
    struct cy_cl_object *object = handle;
    atomic_fetch_add_explicit(&object->references, ours, memory_order_relaxed);
}

void cy_cl_drop(void *handle)
{
    release(handle, ours);
}

void cy_cl_own(void *handle)
{
    struct cy_cl_object *object = handle;
    atomic_fetch_add_explicit(&object->references, ours - 1, memory_order_relaxed);
}

cl_int cy_cl_answer(const void *data, size_t data_size, size_t size, void *value, size_t *size_ret)
{
    if (value && size < data_size)
        return CL_INVALID_VALUE;
    if (value && data_size)
        memcpy(value, data, data_size);
    if (size_ret)
        *size_ret = data_size;
    return CL_SUCCESS;
}

/* ---- clRetain and clRelease of every reference-counted kind ---- */

#define COUNTED(name, type, kind, error)                                                                               \
    CL_API_ENTRY cl_int CL_API_CALL clRetain##name(type object)                                                        \
    {                                                                                                                  \
        CHECK(cy_cl_is(object, kind), error);                                                                          \
        cy_cl_retain(object);                                                                                          \
        return CL_SUCCESS;                                                                                             \
    }                                                                                                                  \
    CL_API_ENTRY cl_int CL_API_CALL clRelease##name(type object)                                                       \
    {                                                                                                                  \
        CHECK(cy_cl_is(object, kind), error);                                                                          \
        cy_cl_release(object);                                                                                         \
        return CL_SUCCESS;                                                                                             \
    }
COUNTED(Context, cl_context, CY_CL_CONTEXT, CL_INVALID_CONTEXT)
COUNTED(CommandQueue, cl_command_queue, CY_CL_QUEUE, CL_INVALID_COMMAND_QUEUE)
COUNTED(MemObject, cl_mem, CY_CL_MEM, CL_INVALID_MEM_OBJECT)
COUNTED(Program, cl_program, CY_CL_PROGRAM, CL_INVALID_PROGRAM)
COUNTED(Kernel, cl_kernel, CY_CL_KERNEL, CL_INVALID_KERNEL)
COUNTED(Event, cl_event, CY_CL_EVENT, CL_INVALID_EVENT)
COUNTED(Sampler, cl_sampler, CY_CL_SAMPLER, CL_INVALID_SAMPLER)
