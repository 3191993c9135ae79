/* Shared virtual memory, on devices of generation 2: an allocation is mapped into the machines at its host address, so a
 * pointer is the same everywhere, and host and kernels see each other's writes and atomic operations at once.  That makes
 * every allocation fine-grained; mapping and migrating only keep the order of commands.  A kernel reaches nothing else of
 * the process: other addresses are not mapped in the machine, and fault. */
#include "cl/cl_priv.h"

bool cy_cl_has_svm(cl_device_id device)
{
    return cy_cl_has_far(device);
}

static size_t machines_of(cl_context context, struct cy_device *machines[CY_CL_MAX_DEVICES])
{
    size_t count = 0, known;
    for (cl_uint i = 0; i < context->device_count; i++) {
        struct cy_device *machine = context->devices[i]->machine;
        for (known = 0; known < count && machines[known] != machine; known++) /* parts of a device share one */
            ;
        if (cy_cl_has_svm(context->devices[i]) && known == count)
            machines[count++] = machine;
    }
    return count;
}

/* The context's lock is held. */
static struct cy_cl_svm *find(cl_context context, const void *pointer, size_t size)
{
    for (size_t i = 0; i < context->svms.count; i++) {
        struct cy_cl_svm *svm = &context->svms.at[i];
        const uintptr_t offset = (uintptr_t)pointer - (uintptr_t)svm->pointer;
        if (offset <= svm->size && size <= svm->size - offset)
            return svm;
    }
    return NULL;
}

char *cy_cl_svm_find(cl_context context, const void *pointer, size_t size)
{
    pthread_mutex_lock(&context->lock);
    const struct cy_cl_svm *svm = find(context, pointer, size);
    char *start = svm ? svm->pointer : NULL;
    pthread_mutex_unlock(&context->lock);
    return start;
}

static bool flags_valid(cl_svm_mem_flags flags)
{
    const cl_svm_mem_flags access = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY),
                           fine = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    return !(flags & ~(access | fine)) && !(access & (access - 1)) && (flags & fine) != CL_MEM_SVM_ATOMICS;
}

CL_API_ENTRY void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint align)
{
    struct cy_device *machines[CY_CL_MAX_DEVICES];
    void *pointer = NULL;
    CHECK(cy_cl_is(context, CY_CL_CONTEXT) && flags_valid(flags) && size && !(align & (align - 1)), NULL);
    for (cl_uint i = 0; i < context->device_count; i++)
        CHECK(!cy_cl_has_svm(context->devices[i]) ||
                  (size <= cy_cl_memory_bytes(context->devices[i]) / 2 && cy_cl_has_room(context->devices[i], size)),
              NULL);
    const size_t count = machines_of(context, machines);
    CHECK(count && cy_device_alloc_svm(machines, count, size, align, &pointer) == CY_OK, NULL);
    pthread_mutex_lock(&context->lock);
    struct cy_cl_svm *svm = cy_vec_try_push(&context->svms);
    if (svm)
        *svm = (struct cy_cl_svm){pointer, size, flags & CL_MEM_SVM_FINE_GRAIN_BUFFER};
    pthread_mutex_unlock(&context->lock);
    if (svm) {
        cy_cl_check_svm(context, pointer, size);
        return pointer;
    }
    cy_device_free_svm(machines, count, pointer);
    return NULL;
}

/* by_host: not by a command of a queue, which waits for those before it. */
static void free_svm(cl_context context, void *pointer, bool by_host)
{
    struct cy_device *machines[CY_CL_MAX_DEVICES];
    size_t size = 0;
    pthread_mutex_lock(&context->lock);
    for (size_t i = 0; i < context->svms.count && !size; i++)
        if (context->svms.at[i].pointer == pointer) {
            size = context->svms.at[i].size;
            context->svms.at[i] = context->svms.at[--context->svms.count];
        }
    pthread_mutex_unlock(&context->lock);
    if (!size)
        return;
    cy_cl_check_freeing(pointer, size, by_host);
    cy_cl_check_svm(context, pointer, 0);
    cy_device_free_svm(machines, machines_of(context, machines), pointer);
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void *pointer)
{
    if (cy_cl_is(context, CY_CL_CONTEXT) && pointer)
        free_svm(context, pointer, true);
}

void cy_cl_svm_free_all(cl_context context)
{
    struct cy_device *machines[CY_CL_MAX_DEVICES];
    const size_t count = machines_of(context, machines);
    for (size_t i = 0; i < context->svms.count; i++)
        cy_device_free_svm(machines, count, context->svms.at[i].pointer);
    cy_vec_free(&context->svms);
}

/* ---- commands ---- */

static bool context_has_svm(cl_context context)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (cy_cl_has_svm(context->devices[i]))
            return true;
    return false;
}

static cl_int check_command(cl_command_queue queue, cl_uint count, const cl_event *list)
{
    CHECK(cy_cl_is(queue, CY_CL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    CHECK(cy_cl_has_svm(queue->device), CL_INVALID_OPERATION);
    return cy_cl_check_wait_list(queue->context, count, list);
}
#define CHECK_COMMAND()                                                                                                \
    do {                                                                                                               \
        const cl_int error_ = check_command(queue, count, list);                                                       \
        CHECK(error_ == CL_SUCCESS, error_);                                                                           \
    } while (0)

static cl_int run_free(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    if (c->free_svms)
        c->free_svms(event->queue, c->svm_count, c->svms, c->free_data);
    else
        for (cl_uint i = 0; i < c->svm_count; i++)
            free_svm(event->context, c->svms[i], false);
    return CL_COMPLETE;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint pointer_count, void *pointers[],
                                                 void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *),
                                                 void *data, cl_uint count, const cl_event *list, cl_event *event)
{
    CHECK_COMMAND();
    CHECK(!pointer_count == !pointers, CL_INVALID_VALUE);
    cl_event created = cy_cl_command(queue, CL_COMMAND_SVM_FREE, run_free);
    CHECK(created, CL_OUT_OF_HOST_MEMORY);
    created->command.svms = cy_try_alloc((pointer_count + 1) * sizeof(*pointers));
    if (!created->command.svms) {
        cy_cl_release(created);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (pointer_count)
        memcpy(created->command.svms, pointers, pointer_count * sizeof(*pointers));
    created->command.svm_count = pointer_count;
    created->command.free_svms = call;
    created->command.free_data = data;
    return cy_cl_submit(created, count, list, event, false);
}

static cl_int run_copy(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    if (c->size)
        memcpy(c->target, c->source, c->size);
    return CL_COMPLETE;
}

cl_int cy_cl_prepare_svm_copy(cl_command_queue queue, void *to, const void *from, size_t size, cl_uint count,
                              const cl_event *list, cl_event *result)
{
    const uintptr_t a = (uintptr_t)from, b = (uintptr_t)to;
    CHECK(cy_cl_is(queue, CY_CL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    /* First: Khronos's test of it enqueues to any device of a context in which one has shared memory. */
    CHECK(!to || !from || !size || (a - b >= size && b - a >= size) || !context_has_svm(queue->context),
          CL_MEM_COPY_OVERLAP);
    CHECK_COMMAND();
    CHECK((to && from) || !size, CL_INVALID_VALUE);
    cl_event created = *result = cy_cl_command(queue, CL_COMMAND_SVM_MEMCPY, run_copy);
    CHECK(created, CL_OUT_OF_HOST_MEMORY);
    created->command.source = from;
    created->command.target = to;
    created->command.size = size;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
                                                   size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_event created;
    cl_int error = cy_cl_prepare_svm_copy(queue, to, from, size, count, list, &created);
    CHECK(error == CL_SUCCESS, error);
    return cy_cl_submit(created, count, list, event, blocking);
}

static cl_int run_fill(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    char *to = c->target;
    for (size_t done = 0; done < c->size; done += c->from_offset)
        memcpy(to + done, c->pattern, c->from_offset);
    return CL_COMPLETE;
}

cl_int cy_cl_prepare_svm_fill(cl_command_queue queue, void *to, const void *pattern, size_t pattern_size, size_t size,
                              cl_uint count, const cl_event *list, cl_event *result)
{
    CHECK_COMMAND();
    CHECK(to && pattern && pattern_size && pattern_size <= 128, CL_INVALID_VALUE);
    CHECK(!(pattern_size & (pattern_size - 1)), CL_INVALID_VALUE);
    CHECK((uintptr_t)to % pattern_size == 0 && size % pattern_size == 0, CL_INVALID_VALUE);
    cl_event created = *result = cy_cl_command(queue, CL_COMMAND_SVM_MEMFILL, run_fill);
    CHECK(created, CL_OUT_OF_HOST_MEMORY);
    created->command.target = to;
    memcpy(created->command.pattern, pattern, pattern_size);
    created->command.from_offset = pattern_size;
    created->command.size = size;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern,
                                                    size_t pattern_size, size_t size, cl_uint count,
                                                    const cl_event *list, cl_event *event)
{
    cl_event created;
    cl_int error = cy_cl_prepare_svm_fill(queue, to, pattern, pattern_size, size, count, list, &created);
    CHECK(error == CL_SUCCESS, error);
    return cy_cl_submit(created, count, list, event, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags,
                                                void *pointer, size_t size, cl_uint count, const cl_event *list,
                                                cl_event *event)
{
    const cl_map_flags invalidate = CL_MAP_WRITE_INVALIDATE_REGION;
    CHECK_COMMAND();
    CHECK(pointer && size && cy_cl_svm_find(queue->context, pointer, size), CL_INVALID_VALUE);
    CHECK(!(flags & ~(CL_MAP_READ | CL_MAP_WRITE | invalidate)), CL_INVALID_VALUE);
    CHECK(!(flags & invalidate) || !(flags & (CL_MAP_READ | CL_MAP_WRITE)), CL_INVALID_VALUE);
    return cy_cl_submit(cy_cl_command(queue, CL_COMMAND_SVM_MAP, NULL), count, list, event, blocking);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void *pointer, cl_uint count,
                                                  const cl_event *list, cl_event *event)
{
    CHECK_COMMAND();
    CHECK(pointer && cy_cl_svm_find(queue->context, pointer, 1), CL_INVALID_VALUE);
    return cy_cl_submit(cy_cl_command(queue, CL_COMMAND_SVM_UNMAP, NULL), count, list, event, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint pointer_count,
                                                       const void **pointers, const size_t *sizes,
                                                       cl_mem_migration_flags flags, cl_uint count,
                                                       const cl_event *list, cl_event *event)
{
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    CHECK_COMMAND();
    CHECK(pointer_count && pointers && !(flags & ~known), CL_INVALID_VALUE);
    for (cl_uint i = 0; i < pointer_count; i++) {
        const size_t size = sizes && sizes[i] ? sizes[i] : 1; /* 0: all of it */
        CHECK(pointers[i] && cy_cl_svm_find(queue->context, pointers[i], size), CL_INVALID_VALUE);
    }
    return cy_cl_submit(cy_cl_command(queue, CL_COMMAND_SVM_MIGRATE_MEM, NULL), count, list, event, false);
}

/* ---- kernels ---- */

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
    CHECK(cy_cl_is(kernel, CY_CL_KERNEL), CL_INVALID_KERNEL);
    CHECK(context_has_svm(kernel->program->context), CL_INVALID_OPERATION);
    CHECK(index < kernel->info->argument_count, CL_INVALID_ARG_INDEX);
    const struct cy_kernel_argument *info = &kernel->info->arguments[index];
    struct cy_cl_argument *argument = &kernel->arguments[index];
    CHECK(info->is_pointer && info->address != CY_ADDRESS_LOCAL, CL_INVALID_ARG_VALUE);
    CHECK(!value || cy_cl_svm_find(kernel->program->context, value, 0), CL_INVALID_ARG_VALUE);
    argument->mem = NULL;
    argument->svm = value;
    argument->is_svm = argument->is_set = true;
    return CL_SUCCESS;
}

/* Kernels reach all allocations, named or not. */
CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size,
                                                    const void *value)
{
    cl_bool system;
    CHECK(cy_cl_is(kernel, CY_CL_KERNEL), CL_INVALID_KERNEL);
    CHECK(context_has_svm(kernel->program->context), CL_INVALID_OPERATION);
    CHECK(value, CL_INVALID_VALUE);
    switch (name) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
        CHECK(size && size % sizeof(void *) == 0, CL_INVALID_VALUE);
        for (size_t i = 0; i < size / sizeof(void *); i++) {
            const void *pointer = ((const void *const *)value)[i];
            CHECK(pointer && cy_cl_svm_find(kernel->program->context, pointer, 0), CL_INVALID_VALUE);
        }
        return CL_SUCCESS;
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
        CHECK(size == sizeof(system), CL_INVALID_VALUE);
        memcpy(&system, value, sizeof(system));
        return system ? CL_INVALID_OPERATION : CL_SUCCESS;
    default: return CL_INVALID_VALUE;
    }
}
