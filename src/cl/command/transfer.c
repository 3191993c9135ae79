/* Commands that move consecutive bytes of buffers: read, write, copy, fill, migrate. */
#include "cl/command/command_priv.h"

cl_int cy_cl_check_mem(cl_command_queue queue, cl_mem mem, cl_uint count, const cl_event *list)
{
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    CHECK(cy_cl_is(mem, &cy_cl_mem_class), CL_INVALID_MEM_OBJECT);
    CHECK(mem->context == queue->context, CL_INVALID_CONTEXT);
    return cy_cl_check_wait_list(queue->context, count, list);
}

cl_int cy_cl_check_buffer(cl_command_queue queue, cl_mem mem, cl_uint count, const cl_event *list)
{
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    CHECK(cy_cl_is(mem, &cy_cl_mem_class) && cy_cl_is_buffer(mem), CL_INVALID_MEM_OBJECT);
    return cy_cl_check_mem(queue, mem, count, list);
}

cl_event cy_cl_transfer(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event), cl_mem from, cl_mem to)
{
    cl_event event = cy_cl_command(queue, type, run);
    if (!event)
        return NULL;
    event->command.from = from;
    event->command.to = to;
    if (from)
        cy_cl_retain(from);
    if (to)
        cy_cl_retain(to);
    return event;
}

/* May a command be done at once?  Only if it has no event and nothing precedes it in its queue.  The context's lock is
 * held until it is done: it keeps out concurrent enqueues. */
bool cy_cl_may_do_now(cl_command_queue queue, cl_uint count, const cl_event *event)
{
    if (cy_cl_demands.every_command)
        return false;
    return !count && !event && !queue->last;
}

/* Only small copies are done at once. */
enum { SMALL_BYTES = 64 << 10 };
static bool copy_now(cl_command_queue queue, void *to, const void *from, size_t size, cl_uint count,
                     const cl_event *event)
{
    if (size > SMALL_BYTES)
        return false;
    pthread_mutex_lock(&queue->context->lock);
    bool now = cy_cl_may_do_now(queue, count, event);
    if (now)
        memcpy(to, from, size);
    pthread_mutex_unlock(&queue->context->lock);
    return now;
}

static cl_int run_read(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    memcpy(c->target, c->from->bytes + c->from_offset, c->size);
    return CL_COMPLETE;
}

static cl_int run_write(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    memcpy(c->to->bytes + c->to_offset, c->source, c->size);
    CY_CL_TELL(written, c->to, c->to_offset, c->size);
    return CL_COMPLETE;
}

static cl_int run_copy(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    memmove(c->to->bytes + c->to_offset, c->from->bytes + c->from_offset, c->size);
    CY_CL_TELL(copied, c->to, c->to_offset, c->from, c->from_offset, c->size);
    return CL_COMPLETE;
}

static cl_int run_fill(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    const cl_uint home = c->to->home;
    enum cy_status status = cy_device_fill(c->to->context->devices[home]->machine, c->to->address[home] + c->to_offset,
                                           c->pattern, c->from_offset, c->size);
    CY_CL_TELL(written, c->to, c->to_offset, c->size);
    return status == CY_OK ? CL_COMPLETE : CL_OUT_OF_RESOURCES;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset,
                                                    size_t size, void *target, cl_uint count, const cl_event *list,
                                                    cl_event *event)
{
    CHECK_BUFFER(mem);
    CHECK(target && cy_cl_is_inside(mem, offset, size), CL_INVALID_VALUE);
    CHECK(!(mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)), CL_INVALID_OPERATION);
    if (copy_now(queue, target, mem->bytes + offset, size, count, event))
        return CL_SUCCESS;
    cl_event created = cy_cl_transfer(queue, CL_COMMAND_READ_BUFFER, run_read, mem, NULL);
    CHECK(created, CL_OUT_OF_HOST_MEMORY);
    created->command.from_offset = offset;
    created->command.size = size;
    created->command.target = target;
    return cy_cl_submit(created, count, list, event, blocking);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                                     size_t offset, size_t size, const void *source, cl_uint count,
                                                     const cl_event *list, cl_event *event)
{
    CHECK_BUFFER(mem);
    CHECK(source && cy_cl_is_inside(mem, offset, size), CL_INVALID_VALUE);
    CHECK(!(mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT)), CL_INVALID_OPERATION);
    if (copy_now(queue, mem->bytes + offset, source, size, count, event)) {
        CY_CL_TELL(written, mem, offset, size);
        return CL_SUCCESS;
    }
    cl_event created = cy_cl_transfer(queue, CL_COMMAND_WRITE_BUFFER, run_write, NULL, mem);
    CHECK(created, CL_OUT_OF_HOST_MEMORY);
    created->command.to_offset = offset;
    created->command.size = size;
    created->command.source = source;
    return cy_cl_submit(created, count, list, event, blocking);
}

bool cy_cl_overlap(cl_mem from, size_t from_offset, size_t from_size, cl_mem to, size_t to_offset, size_t to_size)
{
    const uintptr_t a = (uintptr_t)from->bytes + from_offset, b = (uintptr_t)to->bytes + to_offset;
    return a < b + to_size && b < a + from_size;
}

static cl_int check_copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                         size_t size, cl_uint count, const cl_event *list)
{
    CHECK_BUFFER(from);
    CHECK_BUFFER(to);
    CHECK(cy_cl_is_inside(from, from_offset, size) && cy_cl_is_inside(to, to_offset, size), CL_INVALID_VALUE);
    CHECK(!cy_cl_overlap(from, from_offset, size, to, to_offset, size), CL_MEM_COPY_OVERLAP);
    CHECK(!(to->flags & CL_MEM_IMMUTABLE_EXT), CL_INVALID_OPERATION);
    return CL_SUCCESS;
}

static cl_event make_copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                          size_t size)
{
    cl_event created = cy_cl_transfer(queue, CL_COMMAND_COPY_BUFFER, run_copy, from, to);
    if (!created)
        return NULL;
    created->command.from_offset = from_offset;
    created->command.to_offset = to_offset;
    created->command.size = size;
    return created;
}

cl_int cy_cl_prepare_copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                          size_t size, cl_event *created)
{
    cl_int error = check_copy(queue, from, to, from_offset, to_offset, size, 0, NULL);
    CHECK(error == CL_SUCCESS, error);
    *created = make_copy(queue, from, to, from_offset, to_offset, size);
    return *created ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                                    size_t to_offset, size_t size, cl_uint count, const cl_event *list,
                                                    cl_event *event)
{
    cl_int error = check_copy(queue, from, to, from_offset, to_offset, size, count, list);
    CHECK(error == CL_SUCCESS, error);
    if (copy_now(queue, to->bytes + to_offset, from->bytes + from_offset, size, count, event)) {
        CY_CL_TELL(copied, to, to_offset, from, from_offset, size);
        return CL_SUCCESS;
    }
    cl_event created = make_copy(queue, from, to, from_offset, to_offset, size);
    return cy_cl_submit(created, count, list, event, false);
}

cl_int cy_cl_prepare_fill(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_size, size_t offset,
                          size_t size, cl_uint count, const cl_event *list, cl_event *created)
{
    CHECK_BUFFER(mem);
    CHECK(cy_cl_is_inside(mem, offset, size), CL_INVALID_VALUE);
    CHECK(pattern && pattern_size && pattern_size <= 128 && !(pattern_size & (pattern_size - 1)), CL_INVALID_VALUE);
    CHECK(offset % pattern_size == 0 && size % pattern_size == 0, CL_INVALID_VALUE);
    CHECK(!(mem->flags & CL_MEM_IMMUTABLE_EXT), CL_INVALID_OPERATION);
    *created = cy_cl_transfer(queue, CL_COMMAND_FILL_BUFFER, size ? run_fill : NULL, NULL, mem);
    CHECK(*created, CL_OUT_OF_HOST_MEMORY);
    struct cy_cl_command *command = &(*created)->command;
    memcpy(command->pattern, pattern, pattern_size);
    command->from_offset = pattern_size;
    command->to_offset = offset;
    command->size = size;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern,
                                                    size_t pattern_size, size_t offset, size_t size, cl_uint count,
                                                    const cl_event *list, cl_event *event)
{
    cl_event created;
    cl_int error = cy_cl_prepare_fill(queue, mem, pattern, pattern_size, offset, size, count, list, &created);
    CHECK(error == CL_SUCCESS, error);
    return cy_cl_submit(created, count, list, event, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint mem_count,
                                                           const cl_mem *mems, cl_mem_migration_flags flags,
                                                           cl_uint count, const cl_event *list, cl_event *event)
{
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    CHECK(mem_count && mems && !(flags & ~known), CL_INVALID_VALUE);
    for (cl_uint i = 0; i < mem_count; i++) {
        cl_int error = cy_cl_check_mem(queue, mems[i], count, list);
        CHECK(error == CL_SUCCESS, error);
    }
    return cy_cl_submit(cy_cl_transfer(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, NULL, NULL, NULL), count, list, event,
                        false);
}
