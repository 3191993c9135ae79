/* Commands on images: read, write, copy, fill.  An image is a box of bytes with pitches, as rectangles of buffers
 * are. */
#include "cl/command/command_priv.h"

cl_int cy_cl_check_image(cl_command_queue queue, cl_mem mem, cl_uint count, const cl_event *list)
{
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    CHECK(cy_cl_is(mem, &cy_cl_mem_class), CL_INVALID_MEM_OBJECT);
    CHECK(mem->context == queue->context, CL_INVALID_CONTEXT); /* before its kind: the conformance tests mix both */
    CHECK(mem->image, CL_INVALID_MEM_OBJECT);
    return cy_cl_check_wait_list(queue->context, count, list);
}

cl_int cy_cl_image_box(cl_mem mem, const size_t *origin, const size_t *region, struct cy_cl_rect *rect, size_t bytes[3])
{
    const struct cy_cl_image *image = mem->image;
    CHECK(origin && region, CL_INVALID_VALUE);
    for (int d = 0; d < 3; d++)
        CHECK(region[d] && origin[d] <= image->extent[d] && region[d] <= image->extent[d] - origin[d],
              CL_INVALID_VALUE);
    *rect = (struct cy_cl_rect){{origin[0] * image->element, origin[1], origin[2]}, image->row, image->slice};
    bytes[0] = region[0] * image->element;
    bytes[1] = region[1];
    bytes[2] = region[2];
    return CL_SUCCESS;
}

/* The application's memory, with its pitches. */
static cl_int host_box(cl_mem mem, const size_t *bytes, size_t row, size_t slice, struct cy_cl_rect *rect)
{
    const struct cy_cl_image *image = mem->image;
    bool has_slices = image->desc.image_slice_pitch != 0;
    CHECK(!row || row >= bytes[0], CL_INVALID_VALUE);
    CHECK(has_slices || !slice, CL_INVALID_VALUE);
    row = row ? row : bytes[0];
    bool is_1d_array = image->type == CY_IMAGE_1D_ARRAY; /* its layers are the second coordinate */
    CHECK(!slice || slice >= (is_1d_array ? row : row * bytes[1]), CL_INVALID_VALUE);
    *rect = (struct cy_cl_rect){.row = is_1d_array && slice ? slice : row, .slice = slice ? slice : row * bytes[1]};
    return CL_SUCCESS;
}

static cl_int read_or_write(cl_command_queue queue, cl_mem mem, bool reads, cl_bool blocking, const size_t *origin,
                            const size_t *region, size_t row, size_t slice, void *host, cl_uint count,
                            const cl_event *list, cl_event *event)
{
    struct cy_cl_rect rect, host_rect;
    size_t bytes[3];
    cl_int error = cy_cl_check_image(queue, mem, count, list);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_image_box(mem, origin, region, &rect, bytes);
    CHECK(error == CL_SUCCESS, error);
    CHECK(host, CL_INVALID_VALUE);
    error = host_box(mem, bytes, row, slice, &host_rect);
    CHECK(error == CL_SUCCESS, error);
    cl_mem_flags never =
        CL_MEM_HOST_NO_ACCESS | (reads ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY | CL_MEM_IMMUTABLE_EXT);
    CHECK(!(mem->flags & never), CL_INVALID_OPERATION);
    cl_event created = reads ? cy_cl_rect_command(queue, CL_COMMAND_READ_IMAGE, mem, &rect, NULL, &host_rect, bytes)
                             : cy_cl_rect_command(queue, CL_COMMAND_WRITE_IMAGE, NULL, &host_rect, mem, &rect, bytes);
    CHECK(created, CL_OUT_OF_HOST_MEMORY);
    created->command.target = host;
    created->command.source = host;
    return cy_cl_submit(created, count, list, event, blocking);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                                   const size_t *origin, const size_t *region, size_t row, size_t slice,
                                                   void *target, cl_uint count, const cl_event *list, cl_event *event)
{
    return read_or_write(queue, image, true, blocking, origin, region, row, slice, target, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                                    const size_t *origin, const size_t *region, size_t row,
                                                    size_t slice, const void *source, cl_uint count,
                                                    const cl_event *list, cl_event *event)
{
    void *host;
    memcpy(&host, &source, sizeof(host)); /* it is only read */
    return read_or_write(queue, image, false, blocking, origin, region, row, slice, host, count, list, event);
}

/* ---- copies ---- */

static bool boxes_overlap(const size_t *a, const size_t *b, const size_t *region)
{
    for (int d = 0; d < 3; d++)
        if (a[d] >= b[d] + region[d] || b[d] >= a[d] + region[d])
            return false;
    return true;
}

cl_int cy_cl_prepare_copy_image(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                                const size_t *to_origin, const size_t *region, cl_uint count, const cl_event *list,
                                cl_event *created)
{
    struct cy_cl_rect from_rect, to_rect;
    size_t bytes[3];
    cl_int error = cy_cl_check_image(queue, from, count, list);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_check_image(queue, to, count, list);
    CHECK(error == CL_SUCCESS, error);
    CHECK(from->image->format.image_channel_order == to->image->format.image_channel_order &&
              from->image->format.image_channel_data_type == to->image->format.image_channel_data_type,
          CL_IMAGE_FORMAT_MISMATCH);
    error = cy_cl_image_box(from, from_origin, region, &from_rect, bytes);
    CHECK(error == CL_SUCCESS, error);
    error = cy_cl_image_box(to, to_origin, region, &to_rect, bytes);
    CHECK(error == CL_SUCCESS, error);
    CHECK(from != to || !boxes_overlap(from_origin, to_origin, region), CL_MEM_COPY_OVERLAP);
    CHECK(!(to->flags & CL_MEM_IMMUTABLE_EXT), CL_INVALID_OPERATION);
    *created = cy_cl_rect_command(queue, CL_COMMAND_COPY_IMAGE, from, &from_rect, to, &to_rect, bytes);
    return *created ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to,
                                                   const size_t *from_origin, const size_t *to_origin,
                                                   const size_t *region, cl_uint count, const cl_event *list,
                                                   cl_event *event)
{
    cl_event created;
    cl_int error = cy_cl_prepare_copy_image(queue, from, to, from_origin, to_origin, region, count, list, &created);
    CHECK(error == CL_SUCCESS, error);
    return cy_cl_submit(created, count, list, event, false);
}

/* Between an image and a buffer, which holds the box without gaps. */
cl_int cy_cl_prepare_copy_image_buffer(cl_command_queue queue, cl_mem image, cl_mem buffer, bool to_buffer,
                                       const size_t *origin, const size_t *region, size_t offset, cl_uint count,
                                       const cl_event *list, cl_event *created)
{
    struct cy_cl_rect rect;
    size_t bytes[3];
    cl_int error = cy_cl_check_image(queue, image, count, list);
    CHECK(error == CL_SUCCESS, error);
    CHECK(cy_cl_is(buffer, &cy_cl_mem_class), CL_INVALID_MEM_OBJECT);
    CHECK(buffer->context == queue->context, CL_INVALID_CONTEXT);
    CHECK(cy_cl_is_buffer(buffer), CL_INVALID_MEM_OBJECT);
    error = cy_cl_image_box(image, origin, region, &rect, bytes);
    CHECK(error == CL_SUCCESS, error);
    CHECK(offset <= buffer->size && bytes[0] * bytes[1] * bytes[2] <= buffer->size - offset, CL_INVALID_VALUE);
    CHECK(!((to_buffer ? buffer : image)->flags & CL_MEM_IMMUTABLE_EXT), CL_INVALID_OPERATION);
    struct cy_cl_rect linear = {{offset, 0, 0}, bytes[0], bytes[0] * bytes[1]};
    *created = to_buffer
                   ? cy_cl_rect_command(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, image, &rect, buffer, &linear, bytes)
                   : cy_cl_rect_command(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, buffer, &linear, image, &rect, bytes);
    return *created ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                           const size_t *origin, const size_t *region, size_t offset,
                                                           cl_uint count, const cl_event *list, cl_event *event)
{
    cl_event created;
    cl_int error =
        cy_cl_prepare_copy_image_buffer(queue, from, to, true, origin, region, offset, count, list, &created);
    CHECK(error == CL_SUCCESS, error);
    return cy_cl_submit(created, count, list, event, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem to,
                                                           size_t offset, const size_t *origin, const size_t *region,
                                                           cl_uint count, const cl_event *list, cl_event *event)
{
    cl_event created;
    cl_int error =
        cy_cl_prepare_copy_image_buffer(queue, to, from, false, origin, region, offset, count, list, &created);
    CHECK(error == CL_SUCCESS, error);
    return cy_cl_submit(created, count, list, event, false);
}

/* ---- fill ---- */

static cl_int run_fill(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    size_t element = c->to->image->element;
    for (size_t z = 0; z < c->region[2]; z++)
        for (size_t y = 0; y < c->region[1]; y++) {
            char *row = c->to->bytes + (c->to_rect.origin[2] + z) * c->to_rect.slice +
                        (c->to_rect.origin[1] + y) * c->to_rect.row + c->to_rect.origin[0];
            for (size_t x = 0; x < c->region[0]; x += element)
                memcpy(row + x, c->pattern, element);
            CY_CL_TELL(written, c->to, (size_t)(row - c->to->bytes), c->region[0]);
        }
    return CL_COMPLETE;
}

cl_int cy_cl_prepare_fill_image(cl_command_queue queue, cl_mem image, const void *colour, const size_t *origin,
                                const size_t *region, cl_uint count, const cl_event *list, cl_event *created)
{
    struct cy_cl_rect rect;
    size_t bytes[3];
    cl_int error = cy_cl_check_image(queue, image, count, list);
    CHECK(error == CL_SUCCESS, error);
    CHECK(colour, CL_INVALID_VALUE);
    error = cy_cl_image_box(image, origin, region, &rect, bytes);
    CHECK(error == CL_SUCCESS, error);
    CHECK(!(image->flags & CL_MEM_IMMUTABLE_EXT), CL_INVALID_OPERATION);
    *created = cy_cl_transfer(queue, CL_COMMAND_FILL_IMAGE, run_fill, NULL, image);
    CHECK(*created, CL_OUT_OF_HOST_MEMORY);
    cy_cl_image_encode(&image->image->format, colour, (*created)->command.pattern);
    (*created)->command.to_rect = rect;
    memcpy((*created)->command.region, bytes, sizeof(bytes));
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *colour,
                                                   const size_t *origin, const size_t *region, cl_uint count,
                                                   const cl_event *list, cl_event *event)
{
    cl_event created;
    cl_int error = cy_cl_prepare_fill_image(queue, image, colour, origin, region, count, list, &created);
    CHECK(error == CL_SUCCESS, error);
    return cy_cl_submit(created, count, list, event, false);
}
