/* Commands on images: read, write, copy, fill, map.  An image is a box of bytes with pitches, as rectangles of buffers
 * are. */
#include "cl/cl_priv.h"

#include <math.h>

static cl_int check(cl_command_queue queue, cl_mem mem, cl_uint count, const cl_event *list)
{
    CHECK(cy_cl_is(queue, CY_CL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    CHECK(cy_cl_is(mem, CY_CL_MEM), CL_INVALID_MEM_OBJECT);
    CHECK(mem->context == queue->context, CL_INVALID_CONTEXT); /* before its kind: the conformance tests mix both */
    CHECK(mem->image, CL_INVALID_MEM_OBJECT);
    return cy_cl_check_wait_list(queue->context, count, list);
}

/* A box inside the image: its place, and the size of its first dimension in bytes. */
static cl_int box_of(cl_mem mem, const size_t *origin, const size_t *region, struct cy_cl_rect *rect, size_t bytes[3])
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
    cl_int error = check(queue, mem, count, list);
    CHECK(error == CL_SUCCESS, error);
    error = box_of(mem, origin, region, &rect, bytes);
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
    cl_int error = check(queue, from, count, list);
    CHECK(error == CL_SUCCESS, error);
    error = check(queue, to, count, list);
    CHECK(error == CL_SUCCESS, error);
    CHECK(from->image->format.image_channel_order == to->image->format.image_channel_order &&
              from->image->format.image_channel_data_type == to->image->format.image_channel_data_type,
          CL_IMAGE_FORMAT_MISMATCH);
    error = box_of(from, from_origin, region, &from_rect, bytes);
    CHECK(error == CL_SUCCESS, error);
    error = box_of(to, to_origin, region, &to_rect, bytes);
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
    cl_int error = check(queue, image, count, list);
    CHECK(error == CL_SUCCESS, error);
    CHECK(cy_cl_is(buffer, CY_CL_MEM), CL_INVALID_MEM_OBJECT);
    CHECK(buffer->context == queue->context, CL_INVALID_CONTEXT);
    CHECK(cy_cl_is_buffer(buffer), CL_INVALID_MEM_OBJECT);
    error = box_of(image, origin, region, &rect, bytes);
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

/* Round to nearest even within a range; NaN becomes the lower end.  The host's rounding mode may be another. */
static int32_t nearest(double x, double least, double most)
{
    x = !(x >= least) ? least : x > most ? most : x;
    double down = floor(x), rest = x - down;
    return (int32_t)(rest > 0.5 || (rest == 0.5 && fmod(down, 2.0) != 0.0) ? down + 1 : down);
}

static uint16_t to_half(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000)
        return (uint16_t)(sign | 0x7e00 | (size >> 13 & 0x1ff));
    if (size >= 0x477ff000) /* rounds to 2^16 or more */
        return (uint16_t)(sign | 0x7c00);
    uint32_t shift = size < 113u << 23 ? 126 - (size >> 23) : 13;
    if (shift > 24)
        return (uint16_t)sign;
    uint32_t mantissa = size < 113u << 23 ? (size & 0x7fffff) | 0x800000 : size - (112u << 23);
    uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
    return (uint16_t)(sign | (kept + (rest > half || (rest == half && (kept & 1)))));
}

static uint32_t encode_channel(cl_channel_type type, uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    int32_t s = (int32_t)bits;
    switch (type) {
    case CL_SNORM_INT8: return (uint32_t)nearest(x * 127.0f, -127, 127);
    case CL_SNORM_INT16: return (uint32_t)nearest(x * 32767.0f, -32767, 32767);
    case CL_UNORM_INT8: return (uint32_t)nearest(x * 255.0f, 0, 255);
    case CL_UNORM_INT16: return (uint32_t)nearest(x * 65535.0f, 0, 65535);
    case CL_SIGNED_INT8: return (uint32_t)(s < -128 ? -128 : s > 127 ? 127 : s);
    case CL_SIGNED_INT16: return (uint32_t)(s < -32768 ? -32768 : s > 32767 ? 32767 : s);
    case CL_UNSIGNED_INT8: return bits > 255 ? 255 : bits;
    case CL_UNSIGNED_INT16: return bits > 65535 ? 65535 : bits;
    case CL_HALF_FLOAT: return to_half(x);
    default: return bits;
    }
}

/* The code of a linear value; the reverse of what kernels read. */
static uint32_t encode_srgb(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    double c = x > 0 ? (x < 1 ? x : 1) : 0;
    c = c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
    return (uint32_t)nearest(c * 255, 0, 255);
}

/* Which channel of a colour the i-th one of an element is. */
static size_t channel_at(cl_channel_order order, size_t i)
{
    switch (order) {
    case CL_A: return 3;
    case CL_BGRA: return i < 3 ? 2 - i : 3;
    case CL_ARGB: return (i + 3) % 4;
    case CL_ABGR: return 3 - i;
    default: return i;
    }
}

size_t cy_cl_image_encode(const cl_image_format *format, const void *colour, unsigned char element[16])
{
    cl_channel_type type = format->image_channel_data_type;
    cl_channel_order order = format->image_channel_order;
    size_t channels = cy_cl_image_channels(order);
    size_t bytes =
        type == CL_FLOAT || type == CL_SIGNED_INT32 || type == CL_UNSIGNED_INT32                               ? 4
        : type == CL_SNORM_INT8 || type == CL_UNORM_INT8 || type == CL_SIGNED_INT8 || type == CL_UNSIGNED_INT8 ? 1
                                                                                                               : 2;
    for (size_t i = 0; i < channels; i++) {
        uint32_t bits;
        memcpy(&bits, (const char *)colour + 4 * channel_at(order, i), sizeof(bits));
        bits = order == CL_sRGBA && i < 3 ? encode_srgb(bits) : encode_channel(type, bits);
        memcpy(element + i * bytes, &bits, bytes); /* little-endian hosts only */
    }
    return channels * bytes;
}

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
            cy_cl_check_written(c->to, (size_t)(row - c->to->bytes), c->region[0]);
        }
    return CL_COMPLETE;
}

cl_int cy_cl_prepare_fill_image(cl_command_queue queue, cl_mem image, const void *colour, const size_t *origin,
                                const size_t *region, cl_uint count, const cl_event *list, cl_event *created)
{
    struct cy_cl_rect rect;
    size_t bytes[3];
    cl_int error = check(queue, image, count, list);
    CHECK(error == CL_SUCCESS, error);
    CHECK(colour, CL_INVALID_VALUE);
    error = box_of(image, origin, region, &rect, bytes);
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

/* ---- maps ---- */

static cl_int run_map(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    if (!c->to || (c->map_flags & CL_MAP_WRITE_INVALIDATE_REGION))
        return CL_COMPLETE;
    for (size_t z = 0; z < c->region[2]; z++)
        for (size_t y = 0; y < c->region[1]; y++) {
            size_t at = (c->to_rect.origin[2] + z) * c->to_rect.slice + (c->to_rect.origin[1] + y) * c->to_rect.row +
                        c->to_rect.origin[0];
            memcpy(c->to->host + at, c->to->bytes + at, c->region[0]);
        }
    return CL_COMPLETE;
}

static bool writes_overlap(cl_mem mem, const struct cy_cl_rect *rect, const size_t *bytes, cl_map_flags flags)
{
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    for (size_t i = 0; i < mem->mappings.count && (flags & writes); i++) {
        const struct cy_cl_mapping *other = &mem->mappings.at[i];
        bool meets = (other->flags & writes) != 0;
        for (int d = 0; d < 3; d++)
            meets = meets && rect->origin[d] < other->rect.origin[d] + other->region[d] &&
                    other->rect.origin[d] < rect->origin[d] + bytes[d];
        if (meets)
            return true;
    }
    return false;
}

static cl_int check_map(cl_mem mem, cl_map_flags flags, const size_t *row, const size_t *slice)
{
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    CHECK(!(flags & ~(CL_MAP_READ | writes)), CL_INVALID_VALUE);
    CHECK(!(flags & CL_MAP_WRITE_INVALIDATE_REGION) || !(flags & (CL_MAP_READ | CL_MAP_WRITE)), CL_INVALID_VALUE);
    CHECK(!(flags & CL_MAP_READ) || !(mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)),
          CL_INVALID_OPERATION);
    CHECK(!(flags & writes) || !(mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT)),
          CL_INVALID_OPERATION);
    CHECK(row && (slice || !mem->image->desc.image_slice_pitch), CL_INVALID_VALUE);
    return CL_SUCCESS;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                                 cl_map_flags flags, const size_t *origin, const size_t *region,
                                                 size_t *row, size_t *slice, cl_uint count, const cl_event *list,
                                                 cl_event *event, cl_int *errcode_ret)
{
    struct cy_cl_rect rect;
    size_t bytes[3];
    cl_int error = check(queue, image, count, list);
    CHECK_CREATE(error == CL_SUCCESS, error);
    error = box_of(image, origin, region, &rect, bytes);
    CHECK_CREATE(error == CL_SUCCESS, error);
    error = check_map(image, flags, row, slice);
    CHECK_CREATE(error == CL_SUCCESS, error);
    size_t offset = rect.origin[2] * rect.slice + rect.origin[1] * rect.row + rect.origin[0];
    char *pointer = (image->host ? image->host : image->bytes) + offset;
    cl_event created = cy_cl_transfer(queue, CL_COMMAND_MAP_IMAGE, run_map, NULL, image->host ? image : NULL);
    CHECK_CREATE(created, CL_OUT_OF_HOST_MEMORY);
    created->command.to_rect = rect;
    memcpy(created->command.region, bytes, sizeof(bytes));
    created->command.map_flags = flags;
    pthread_mutex_lock(&image->context->lock);
    bool overlaps = writes_overlap(image, &rect, bytes, flags);
    struct cy_cl_mapping *mapping = overlaps ? NULL : cy_vec_try_push(&image->mappings);
    if (mapping) {
        *mapping = (struct cy_cl_mapping){.pointer = pointer, .flags = flags, .rect = rect};
        memcpy(mapping->region, bytes, sizeof(bytes));
    }
    pthread_mutex_unlock(&image->context->lock);
    if (!mapping) {
        cy_cl_release(created);
        CHECK_CREATE(!overlaps, CL_INVALID_OPERATION);
        CHECK_CREATE(false, CL_OUT_OF_HOST_MEMORY);
    }
    error = cy_cl_submit(created, count, list, event, blocking);
    cy_cl_set_error(errcode_ret, error);
    if (error != CL_SUCCESS) {
        pthread_mutex_lock(&image->context->lock);
        for (size_t i = 0; i < image->mappings.count; i++)
            if (image->mappings.at[i].pointer == pointer) {
                image->mappings.at[i] = image->mappings.at[--image->mappings.count];
                break;
            }
        pthread_mutex_unlock(&image->context->lock);
        return NULL;
    }
    if (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
        cy_cl_check_rect(image, &rect, NULL, &rect, bytes);
    *row = image->image->desc.image_row_pitch;
    if (slice)
        *slice = image->image->desc.image_slice_pitch;
    return pointer;
}
