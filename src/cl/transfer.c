/* Commands that move bytes: read, write, copy, fill, rectangles, map and unmap, migrate. */
#include "cl/cl_priv.h"

/* The checks common to all of them. */
static cl_int check(cl_command_queue queue, cl_mem mem, cl_uint count, const cl_event *list)
{
    CHECK(cy_cl_is(queue, CY_CL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    CHECK(cy_cl_is(mem, CY_CL_MEM), CL_INVALID_MEM_OBJECT);
    CHECK(mem->context == queue->context, CL_INVALID_CONTEXT);
    return cy_cl_check_wait_list(queue->context, count, list);
}
static cl_int check_buffer(cl_command_queue queue, cl_mem mem, cl_uint count, const cl_event *list)
{
    CHECK(cy_cl_is(queue, CY_CL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    CHECK(cy_cl_is(mem, CY_CL_MEM) && cy_cl_is_buffer(mem), CL_INVALID_MEM_OBJECT);
    return check(queue, mem, count, list);
}
#define CHECK_COMMAND(mem)                                                                                             \
    do {                                                                                                               \
        cl_int error_ = check_buffer(queue, mem, count, list);                                                         \
        CHECK(error_ == CL_SUCCESS, error_);                                                                           \
    } while (0)

static bool inside(cl_mem mem, size_t offset, size_t size)
{
    return offset <= mem->size && size <= mem->size - offset;
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

/* ---- contiguous transfers ---- */

/* May a command be done at once?  Only if it has no event and nothing precedes it in its queue.  The context's lock is
 * held until it is done: it keeps out concurrent enqueues. */
bool cy_cl_may_do_now(cl_command_queue queue, cl_uint count, const cl_event *event)
{
    if (cy_cl_profile_wanted() || cy_cl_check()) /* a time line shows every command, a checker wants to see it */
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
    cy_cl_check_written(c->to, c->to_offset, c->size);
    return CL_COMPLETE;
}

static cl_int run_copy(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    memmove(c->to->bytes + c->to_offset, c->from->bytes + c->from_offset, c->size);
    cy_cl_check_copied(c->to, c->to_offset, c->from, c->from_offset, c->size);
    return CL_COMPLETE;
}

static cl_int run_fill(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    const cl_uint home = c->to->home;
    enum cy_status status = cy_device_fill(c->to->context->devices[home]->machine, c->to->address[home] + c->to_offset,
                                           c->pattern, c->from_offset, c->size);
    cy_cl_check_written(c->to, c->to_offset, c->size);
    return status == CY_OK ? CL_COMPLETE : CL_OUT_OF_RESOURCES;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset,
                                                    size_t size, void *target, cl_uint count, const cl_event *list,
                                                    cl_event *event)
{
    CHECK_COMMAND(mem);
    CHECK(target && inside(mem, offset, size), CL_INVALID_VALUE);
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
    CHECK_COMMAND(mem);
    CHECK(source && inside(mem, offset, size), CL_INVALID_VALUE);
    CHECK(!(mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT)), CL_INVALID_OPERATION);
    if (copy_now(queue, mem->bytes + offset, source, size, count, event)) {
        cy_cl_check_written(mem, offset, size);
        return CL_SUCCESS;
    }
    cl_event created = cy_cl_transfer(queue, CL_COMMAND_WRITE_BUFFER, run_write, NULL, mem);
    CHECK(created, CL_OUT_OF_HOST_MEMORY);
    created->command.to_offset = offset;
    created->command.size = size;
    created->command.source = source;
    return cy_cl_submit(created, count, list, event, blocking);
}

static bool overlap(cl_mem from, size_t from_offset, size_t from_size, cl_mem to, size_t to_offset, size_t to_size)
{
    const uintptr_t a = (uintptr_t)from->bytes + from_offset, b = (uintptr_t)to->bytes + to_offset;
    return a < b + to_size && b < a + from_size;
}

static cl_int check_copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                         size_t size, cl_uint count, const cl_event *list)
{
    CHECK_COMMAND(from);
    CHECK_COMMAND(to);
    CHECK(inside(from, from_offset, size) && inside(to, to_offset, size), CL_INVALID_VALUE);
    CHECK(!overlap(from, from_offset, size, to, to_offset, size), CL_MEM_COPY_OVERLAP);
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
        cy_cl_check_copied(to, to_offset, from, from_offset, size);
        return CL_SUCCESS;
    }
    cl_event created = make_copy(queue, from, to, from_offset, to_offset, size);
    return cy_cl_submit(created, count, list, event, false);
}

cl_int cy_cl_prepare_fill(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_size, size_t offset,
                          size_t size, cl_uint count, const cl_event *list, cl_event *created)
{
    CHECK_COMMAND(mem);
    CHECK(inside(mem, offset, size), CL_INVALID_VALUE);
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

/* ---- rectangles ---- */

static size_t rect_start(const struct cy_cl_rect *rect)
{
    return rect->origin[2] * rect->slice + rect->origin[1] * rect->row + rect->origin[0];
}

/* Fills in omitted pitches; false: they do not fit the region. */
static bool complete_rect(struct cy_cl_rect *rect, const size_t *origin, const size_t *region, size_t row, size_t slice)
{
    memcpy(rect->origin, origin, sizeof(rect->origin));
    rect->row = row ? row : region[0];
    rect->slice = slice ? slice : region[1] * rect->row;
    return rect->row >= region[0] && rect->slice >= region[1] * rect->row && rect->slice % rect->row == 0;
}

/* start += factor * step; false: overflow */
static bool advance(size_t *start, size_t factor, size_t step)
{
    size_t distance;
    return !__builtin_mul_overflow(factor, step, &distance) && !__builtin_add_overflow(*start, distance, start);
}

static bool rect_inside(cl_mem mem, const struct cy_cl_rect *rect, const size_t *region)
{
    size_t end = 0;
    return advance(&end, rect->origin[2], rect->slice) && advance(&end, rect->origin[1], rect->row) &&
           advance(&end, rect->origin[0], 1) && advance(&end, region[2] - 1, rect->slice) &&
           advance(&end, region[1] - 1, rect->row) && advance(&end, region[0], 1) && end <= mem->size;
}

static void copy_rect(char *to, const struct cy_cl_rect *to_rect, const char *from, const struct cy_cl_rect *from_rect,
                      const size_t *region)
{
    to += rect_start(to_rect);
    from += rect_start(from_rect);
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memmove(to + z * to_rect->slice + y * to_rect->row, from + z * from_rect->slice + y * from_rect->row,
                    region[0]);
}

cl_int cy_cl_run_rect(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    copy_rect(c->to ? c->to->bytes : c->target, &c->to_rect, c->from ? c->from->bytes : c->source, &c->from_rect,
              c->region);
    if (c->to)
        cy_cl_check_rect(c->to, &c->to_rect, c->from, &c->from_rect, c->region);
    return CL_COMPLETE;
}

cl_event cy_cl_rect_command(cl_command_queue queue, cl_command_type type, cl_mem from,
                            const struct cy_cl_rect *from_rect, cl_mem to, const struct cy_cl_rect *to_rect,
                            const size_t *region)
{
    cl_event created = cy_cl_transfer(queue, type, cy_cl_run_rect, from, to);
    if (!created)
        return NULL;
    created->command.from_rect = *from_rect;
    created->command.to_rect = *to_rect;
    memcpy(created->command.region, region, sizeof(created->command.region));
    return created;
}

static bool region_valid(const size_t *region)
{
    return region && region[0] && region[1] && region[2];
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                                        const size_t *origin, const size_t *host_origin,
                                                        const size_t *region, size_t row, size_t slice, size_t host_row,
                                                        size_t host_slice, void *target, cl_uint count,
                                                        const cl_event *list, cl_event *event)
{
    struct cy_cl_rect from, to;
    CHECK_COMMAND(mem);
    CHECK(target && origin && host_origin && region_valid(region), CL_INVALID_VALUE);
    CHECK(complete_rect(&from, origin, region, row, slice), CL_INVALID_VALUE);
    CHECK(complete_rect(&to, host_origin, region, host_row, host_slice), CL_INVALID_VALUE);
    CHECK(rect_inside(mem, &from, region), CL_INVALID_VALUE);
    CHECK(!(mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)), CL_INVALID_OPERATION);
    cl_event created = cy_cl_rect_command(queue, CL_COMMAND_READ_BUFFER_RECT, mem, &from, NULL, &to, region);
    CHECK(created, CL_OUT_OF_HOST_MEMORY);
    created->command.target = target;
    return cy_cl_submit(created, count, list, event, blocking);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                                         const size_t *origin, const size_t *host_origin,
                                                         const size_t *region, size_t row, size_t slice,
                                                         size_t host_row, size_t host_slice, const void *source,
                                                         cl_uint count, const cl_event *list, cl_event *event)
{
    struct cy_cl_rect from, to;
    CHECK_COMMAND(mem);
    CHECK(source && origin && host_origin && region_valid(region), CL_INVALID_VALUE);
    CHECK(complete_rect(&to, origin, region, row, slice), CL_INVALID_VALUE);
    CHECK(complete_rect(&from, host_origin, region, host_row, host_slice), CL_INVALID_VALUE);
    CHECK(rect_inside(mem, &to, region), CL_INVALID_VALUE);
    CHECK(!(mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT)), CL_INVALID_OPERATION);
    cl_event created = cy_cl_rect_command(queue, CL_COMMAND_WRITE_BUFFER_RECT, NULL, &from, mem, &to, region);
    CHECK(created, CL_OUT_OF_HOST_MEMORY);
    created->command.source = source;
    return cy_cl_submit(created, count, list, event, blocking);
}

/* Do two boxes share a byte?  With equal pitches, two of their rows must, some rows and slices apart; with different
 * pitches the test is on the ranges between their ends. */
static bool rects_overlap(cl_mem from, const struct cy_cl_rect *a, cl_mem to, const struct cy_cl_rect *b,
                          const size_t *region)
{
    int64_t width = (int64_t)region[0], height = (int64_t)region[1], depth = (int64_t)region[2];
    int64_t row = (int64_t)a->row, slice = (int64_t)a->slice;
    int64_t distance =
        (int64_t)((uintptr_t)to->bytes + rect_start(b)) - (int64_t)((uintptr_t)from->bytes + rect_start(a));
    if (a->row != b->row || a->slice != b->slice) {
        size_t span_a = (region[2] - 1) * a->slice + (region[1] - 1) * a->row + region[0];
        size_t span_b = (region[2] - 1) * b->slice + (region[1] - 1) * b->row + region[0];
        return overlap(from, rect_start(a), span_a, to, rect_start(b), span_b);
    }
    for (int64_t z = 1 - depth; z < depth; z++) {
        int64_t rest = distance - z * slice;
        for (int64_t y = rest / row - 1; y <= rest / row + 1; y++)
            if (y > -height && y < height && rest - y * row > -width && rest - y * row < width)
                return true;
    }
    return false;
}

cl_int cy_cl_prepare_copy_rect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                               const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
                               size_t to_row, size_t to_slice, cl_uint count, const cl_event *list, cl_event *created)
{
    struct cy_cl_rect from_rect, to_rect;
    CHECK_COMMAND(from);
    CHECK_COMMAND(to);
    CHECK(from_origin && to_origin && region_valid(region), CL_INVALID_VALUE);
    CHECK(complete_rect(&from_rect, from_origin, region, from_row, from_slice), CL_INVALID_VALUE);
    CHECK(complete_rect(&to_rect, to_origin, region, to_row, to_slice), CL_INVALID_VALUE);
    CHECK(rect_inside(from, &from_rect, region) && rect_inside(to, &to_rect, region), CL_INVALID_VALUE);
    CHECK(from != to || (from_rect.row == to_rect.row && from_rect.slice == to_rect.slice), CL_INVALID_VALUE);
    CHECK(!rects_overlap(from, &from_rect, to, &to_rect, region), CL_MEM_COPY_OVERLAP);
    CHECK(!(to->flags & CL_MEM_IMMUTABLE_EXT), CL_INVALID_OPERATION);
    *created = cy_cl_rect_command(queue, CL_COMMAND_COPY_BUFFER_RECT, from, &from_rect, to, &to_rect, region);
    return *created ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to,
                                                        const size_t *from_origin, const size_t *to_origin,
                                                        const size_t *region, size_t from_row, size_t from_slice,
                                                        size_t to_row, size_t to_slice, cl_uint count,
                                                        const cl_event *list, cl_event *event)
{
    cl_event created;
    cl_int error = cy_cl_prepare_copy_rect(queue, from, to, from_origin, to_origin, region, from_row, from_slice,
                                           to_row, to_slice, count, list, &created);
    CHECK(error == CL_SUCCESS, error);
    return cy_cl_submit(created, count, list, event, false);
}

/* ---- maps ---- */

static cl_int run_map(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    if (c->from->host && !(c->map_flags & CL_MAP_WRITE_INVALIDATE_REGION))
        memcpy(c->target, c->from->bytes + c->from_offset, c->size);
    return CL_COMPLETE;
}

static cl_int run_unmap(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    if (!c->to->host || !(c->map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)))
        return CL_COMPLETE;
    if (c->to->image)
        copy_rect(c->to->bytes, &c->to_rect, c->to->host, &c->to_rect, c->region);
    else
        memcpy(c->to->bytes + c->to_offset, c->target, c->size);
    return CL_COMPLETE;
}

/* The context's lock is held. */
static bool writes_overlap(cl_mem mem, size_t offset, size_t size, cl_map_flags flags)
{
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    for (size_t i = 0; i < mem->mappings.count && (flags & writes); i++) {
        const struct cy_cl_mapping *other = &mem->mappings.at[i];
        if ((other->flags & writes) && offset < other->offset + other->size && other->offset < offset + size)
            return true;
    }
    return false;
}

/* Removes a mapping from the buffer's list; its pointer is NULL if there is none.  The context's lock is held. */
static struct cy_cl_mapping take_mapping(cl_mem mem, const void *pointer)
{
    struct cy_cl_mapping mapping = {0};
    for (size_t i = 0; i < mem->mappings.count && !mapping.pointer; i++)
        if (mem->mappings.at[i].pointer == pointer) {
            mapping = mem->mappings.at[i];
            mem->mappings.at[i] = mem->mappings.at[--mem->mappings.count];
        }
    return mapping;
}

/* There is room: the removed one leaves it.  Unless the buffer has been mapped meanwhile; then it needs memory, and
 * without that the mapping is lost from the list, which only counts them. */
static void give_mapping_back(cl_mem mem, struct cy_cl_mapping mapping)
{
    struct cy_cl_mapping *place = cy_vec_try_push(&mem->mappings);
    if (place)
        *place = mapping;
}

static cl_int check_map(cl_command_queue queue, cl_mem mem, cl_map_flags flags, size_t offset, size_t size,
                        cl_uint count, const cl_event *list)
{
    CHECK_COMMAND(mem);
    CHECK(size && inside(mem, offset, size), CL_INVALID_VALUE);
    CHECK(!(flags & ~(cl_map_flags)(CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)), CL_INVALID_VALUE);
    CHECK(!(flags & CL_MAP_WRITE_INVALIDATE_REGION) || !(flags & (CL_MAP_READ | CL_MAP_WRITE)), CL_INVALID_VALUE);
    CHECK(!(flags & CL_MAP_READ) || !(mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)),
          CL_INVALID_OPERATION);
    CHECK(!(flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) ||
              !(mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT)),
          CL_INVALID_OPERATION);
    return CL_SUCCESS;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                                  cl_map_flags flags, size_t offset, size_t size, cl_uint count,
                                                  const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
    cl_int error = check_map(queue, mem, flags, offset, size, count, list);
    CHECK_CREATE(error == CL_SUCCESS, error);
    cy_cl_check_unmapped_use(mem, true);
    char *pointer = (mem->host ? mem->host : mem->bytes) + offset;
    pthread_mutex_lock(&mem->context->lock);
    bool overlaps = writes_overlap(mem, offset, size, flags);
    bool now = !mem->host && cy_cl_may_do_now(queue, count, event);
    struct cy_cl_mapping *mapping = overlaps ? NULL : cy_vec_try_push(&mem->mappings);
    if (mapping)
        *mapping = (struct cy_cl_mapping){.pointer = pointer, .offset = offset, .size = size, .flags = flags};
    pthread_mutex_unlock(&mem->context->lock);
    CHECK_CREATE(!overlaps, CL_INVALID_OPERATION);
    CHECK_CREATE(mapping, CL_OUT_OF_HOST_MEMORY);
    if (flags &
        (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) /* nobody sees what the host writes through the pointer */
        cy_cl_check_written(mem, offset, size);
    if (now) {
        cy_cl_set_error(errcode_ret, CL_SUCCESS);
        return pointer;
    }
    cl_event created = cy_cl_transfer(queue, CL_COMMAND_MAP_BUFFER, run_map, mem, NULL);
    if (created) {
        created->command.from_offset = offset;
        created->command.size = size;
        created->command.target = pointer;
        created->command.map_flags = flags;
    }
    error = cy_cl_submit(created, count, list, event, blocking);
    if (error != CL_SUCCESS) {
        pthread_mutex_lock(&mem->context->lock);
        take_mapping(mem, pointer);
        pthread_mutex_unlock(&mem->context->lock);
    }
    cy_cl_set_error(errcode_ret, error);
    return error == CL_SUCCESS ? pointer : NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *pointer,
                                                        cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int error = check(queue, mem, count, list);
    CHECK(error == CL_SUCCESS, error);
    pthread_mutex_lock(&mem->context->lock);
    struct cy_cl_mapping mapping = take_mapping(mem, pointer);
    bool now = !mem->host && cy_cl_may_do_now(queue, count, event);
    pthread_mutex_unlock(&mem->context->lock);
    CHECK(mapping.pointer, CL_INVALID_VALUE);
    cy_cl_check_unmapped(mem, mapping.pointer, mapping.size);
    CHECK(!now, CL_SUCCESS); /* nothing to copy, nothing to signal */
    cl_event created = cy_cl_transfer(queue, CL_COMMAND_UNMAP_MEM_OBJECT, run_unmap, NULL, mem);
    if (created) {
        created->command.to_offset = mapping.offset;
        created->command.size = mapping.size;
        created->command.to_rect = mapping.rect;
        memcpy(created->command.region, mapping.region, sizeof(mapping.region));
        created->command.target = mapping.pointer;
        created->command.map_flags = mapping.flags;
    }
    error = cy_cl_submit(created, count, list, event, false);
    if (error != CL_SUCCESS) { /* it is still mapped */
        pthread_mutex_lock(&mem->context->lock);
        give_mapping_back(mem, mapping);
        pthread_mutex_unlock(&mem->context->lock);
    }
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint mem_count,
                                                           const cl_mem *mems, cl_mem_migration_flags flags,
                                                           cl_uint count, const cl_event *list, cl_event *event)
{
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    CHECK(cy_cl_is(queue, CY_CL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    CHECK(mem_count && mems && !(flags & ~known), CL_INVALID_VALUE);
    for (cl_uint i = 0; i < mem_count; i++) {
        cl_int error = check(queue, mems[i], count, list);
        CHECK(error == CL_SUCCESS, error);
    }
    return cy_cl_submit(cy_cl_transfer(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, NULL, NULL, NULL), count, list, event,
                        false);
}
