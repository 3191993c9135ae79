/* Commands that move boxes of bytes: rectangles of buffers, and what commands on images share with them. */
#include "cl/command/command_priv.h"

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

void cy_cl_copy_rect(char *to, const struct cy_cl_rect *to_rect, const char *from, const struct cy_cl_rect *from_rect,
                     const size_t *region)
{
    to += cy_cl_rect_start(to_rect);
    from += cy_cl_rect_start(from_rect);
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memmove(to + z * to_rect->slice + y * to_rect->row, from + z * from_rect->slice + y * from_rect->row,
                    region[0]);
}

void cy_cl_tell_rect(cl_mem to, const struct cy_cl_rect *to_rect, cl_mem from, const struct cy_cl_rect *from_rect,
                     const size_t *region)
{
    const size_t to_start = cy_cl_rect_start(to_rect), from_start = cy_cl_rect_start(from_rect);
    for (size_t z = 0; cy_cl_watchers[0] && z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++) {
            const size_t at = to_start + z * to_rect->slice + y * to_rect->row;
            if (from)
                CY_CL_TELL(copied, to, at, from, from_start + z * from_rect->slice + y * from_rect->row, region[0]);
            else
                CY_CL_TELL(written, to, at, region[0]);
        }
}

static cl_int run_rect(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    cy_cl_copy_rect(c->to ? c->to->bytes : c->target, &c->to_rect, c->from ? c->from->bytes : c->source, &c->from_rect,
                    c->region);
    if (c->to)
        cy_cl_tell_rect(c->to, &c->to_rect, c->from, &c->from_rect, c->region);
    return CL_COMPLETE;
}

cl_event cy_cl_rect_command(cl_command_queue queue, cl_command_type type, cl_mem from,
                            const struct cy_cl_rect *from_rect, cl_mem to, const struct cy_cl_rect *to_rect,
                            const size_t *region)
{
    cl_event created = cy_cl_transfer(queue, type, run_rect, from, to);
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
    CHECK_BUFFER(mem);
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
    CHECK_BUFFER(mem);
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
        (int64_t)((uintptr_t)to->bytes + cy_cl_rect_start(b)) - (int64_t)((uintptr_t)from->bytes + cy_cl_rect_start(a));
    if (a->row != b->row || a->slice != b->slice) {
        size_t span_a = (region[2] - 1) * a->slice + (region[1] - 1) * a->row + region[0];
        size_t span_b = (region[2] - 1) * b->slice + (region[1] - 1) * b->row + region[0];
        return cy_cl_overlap(from, cy_cl_rect_start(a), span_a, to, cy_cl_rect_start(b), span_b);
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
    CHECK_BUFFER(from);
    CHECK_BUFFER(to);
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
