/* Commands on shared virtual memory: copy, fill, free; mapping and migrating only keep the order. */
#include "cl/command/command_priv.h"

static cl_int check_command(cl_command_queue queue, cl_uint count, const cl_event *list)
{
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
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
            cy_cl_svm_free(event->context, c->svms[i], false);
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
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    /* First: Khronos's test of it enqueues to any device of a context in which one has shared memory. */
    CHECK(!to || !from || !size || (a - b >= size && b - a >= size) || !cy_cl_svm_exists(queue->context),
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
