/* Images: creation and queries.  An image's elements are linear memory like a buffer's; kernels get the address of
 * a description (IMG_... in abi.def), one in every machine. */
#include "cl/memory/memory_priv.h"

#include "abi/abi.h"

/* The numbers of a description by the type of the image. */
static const struct shape {
    cl_mem_object_type type;
    enum cy_image_type image;
    unsigned dimensions;
    bool is_array;
    size_t most;
} shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, CY_IMAGE_1D, 1, false, 16384},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, CY_IMAGE_1D_BUFFER, 1, false, 1 << 26},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, CY_IMAGE_1D_ARRAY, 1, true, 16384},
    {CL_MEM_OBJECT_IMAGE2D, CY_IMAGE_2D, 2, false, 16384},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, CY_IMAGE_2D_ARRAY, 2, true, 16384},
    {CL_MEM_OBJECT_IMAGE3D, CY_IMAGE_3D, 3, false, 2048},
};
enum { MOST_LAYERS = 2048 };

static const struct shape *shape_of(cl_mem_object_type type)
{
    for (size_t i = 0; i < CY_COUNT(shapes); i++)
        if (shapes[i].type == type)
            return &shapes[i];
    return NULL;
}

static cl_int check_size(const struct shape *shape, const cl_image_desc *desc)
{
    const size_t sizes[3] = {desc->image_width, desc->image_height, desc->image_depth};
    for (unsigned d = 0; d < shape->dimensions; d++)
        CHECK(sizes[d], CL_INVALID_IMAGE_SIZE);
    for (unsigned d = 0; d < shape->dimensions; d++)
        CHECK(sizes[d] <= shape->most, CL_INVALID_IMAGE_SIZE);
    CHECK(!shape->is_array || desc->image_array_size, CL_INVALID_IMAGE_SIZE);
    CHECK(!shape->is_array || desc->image_array_size <= MOST_LAYERS, CL_INVALID_IMAGE_SIZE);
    CHECK(desc->image_row_pitch <= UINT32_MAX && desc->image_slice_pitch <= UINT32_MAX, CL_INVALID_IMAGE_SIZE);
    return CL_SUCCESS;
}

/* Pitches may only be given for memory that has them: the application's, or a buffer's. */
static cl_int check_pitches(const struct shape *shape, const cl_image_desc *desc, size_t element, bool has_memory)
{
    size_t row = desc->image_row_pitch, slice = desc->image_slice_pitch;
    bool has_slices = shape->is_array || shape->dimensions == 3;
    CHECK(has_memory || (!row && !slice), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK(!row || (row >= desc->image_width * element && row % element == 0), CL_INVALID_IMAGE_DESCRIPTOR);
    row = row ? row : desc->image_width * element;
    size_t least = shape->dimensions == 1 ? row : row * desc->image_height;
    CHECK(!slice || !has_slices || (slice >= least && slice % row == 0), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK(!desc->num_mip_levels && !desc->num_samples, CL_INVALID_IMAGE_DESCRIPTOR);
    return CL_SUCCESS;
}

/* Only for two-dimensional images and images of a buffer. */
static cl_int check_parent(cl_context context, const struct shape *shape, const cl_image_format *format,
                           const cl_image_desc *desc, size_t element)
{
    cl_mem parent = desc->mem_object;
    if (!parent)
        return shape->image == CY_IMAGE_1D_BUFFER ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
    CHECK(shape->image == CY_IMAGE_1D_BUFFER || shape->image == CY_IMAGE_2D, CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK(cy_cl_is(parent, &cy_cl_mem_class) && parent->context == context && !parent->pipe_packets,
          CL_INVALID_IMAGE_DESCRIPTOR);
    if (parent->image) { /* the same memory with other names for its channels */
        const struct cy_cl_image *image = parent->image;
        CHECK(shape->image == CY_IMAGE_2D && image->type == CY_IMAGE_2D, CL_INVALID_IMAGE_DESCRIPTOR);
        CHECK(desc->image_width == image->extent[0] && desc->image_height == image->extent[1],
              CL_INVALID_IMAGE_DESCRIPTOR);
        CHECK(!desc->image_row_pitch || desc->image_row_pitch == image->row, CL_INVALID_IMAGE_DESCRIPTOR);
        CHECK(format->image_channel_data_type == image->format.image_channel_data_type && element == image->element,
              CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        return CL_SUCCESS;
    }
    size_t row = desc->image_row_pitch ? desc->image_row_pitch : desc->image_width * element;
    size_t height = shape->image == CY_IMAGE_2D ? desc->image_height : 1;
    CHECK(row * (height - 1) + desc->image_width * element <= parent->size, CL_INVALID_IMAGE_DESCRIPTOR);
    return CL_SUCCESS;
}

static void complete(struct cy_cl_image *image, const struct shape *shape, const cl_image_format *format,
                     const cl_image_desc *desc, size_t element)
{
    bool has_slices = shape->is_array || shape->dimensions == 3;
    size_t row = desc->image_row_pitch, height = shape->dimensions > 1 ? desc->image_height : 1;
    if (!row)
        row = desc->mem_object && desc->mem_object->image ? desc->mem_object->image->row : desc->image_width * element;
    size_t slice = desc->image_slice_pitch && has_slices ? desc->image_slice_pitch : row * height;
    size_t layers = shape->is_array ? desc->image_array_size : 1;
    image->format = *format;
    image->desc = *desc;
    image->type = format->image_channel_order != CL_DEPTH ? shape->image
                  : shape->image == CY_IMAGE_2D           ? CY_IMAGE_2D_DEPTH
                                                          : CY_IMAGE_2D_ARRAY_DEPTH;
    image->element = element;
    image->desc.image_height = shape->dimensions > 1 ? desc->image_height : 0;
    image->desc.image_depth = shape->dimensions > 2 ? desc->image_depth : 0;
    image->desc.image_array_size = shape->is_array ? layers : 0;
    image->desc.image_row_pitch = row;
    image->desc.image_slice_pitch = has_slices ? slice : 0;
    image->extent[0] = desc->image_width;
    image->extent[1] = shape->dimensions > 1 ? height : layers;
    image->extent[2] = shape->dimensions > 2 ? desc->image_depth : shape->dimensions > 1 ? layers : 1;
    image->row = shape->dimensions > 1 ? row : slice;
    image->slice = slice;
}

static size_t bytes_of(const struct cy_cl_image *image)
{
    return image->type == CY_IMAGE_1D_ARRAY ? image->extent[1] * image->row : image->extent[2] * image->slice;
}

static uint32_t format_of(const cl_image_format *format)
{
    if (format->image_channel_order != CL_RGBA)
        return 0;
    switch (format->image_channel_data_type) {
    case CL_UNORM_INT8: return CY_IMG_RGBA_UNORM8;
    case CL_FLOAT: return CY_IMG_RGBA_FLOAT;
    case CL_UNSIGNED_INT8: return CY_IMG_RGBA_UINT8;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32: return CY_IMG_RGBA_INT32;
    default: return 0;
    }
}

/* The components that the channels in memory are, four bits each, red first; depth is read and written as red. */
static uint32_t places_of(cl_channel_order order)
{
    switch (order) {
    case CL_A: return 0x8;
    case CL_RA: return 0x81;
    case CL_RG: return 0x21;
    case CL_RGBA:
    case CL_sRGBA: return 0x8421;
    case CL_BGRA:
    case CL_sBGRA: return 0x8124;
    case CL_ARGB: return 0x4218;
    case CL_ABGR: return 0x1248;
    case CL_INTENSITY: return 0xf;
    case CL_LUMINANCE: return 0x7;
    default: return 0x1;
    }
}

static uint32_t channels_in(uint32_t places)
{
    return places > 0xff ? 4 : places > 0xf ? 2 : 1;
}

/* Writes the description into every machine; false: no memory there. */
static bool describe(cl_mem mem)
{
    struct cy_cl_image *image = mem->image;
    const cl_image_desc *desc = &image->desc;
    uint32_t words[CY_IMG_BYTES / 4] = {0};
    words[CY_IMG_WIDTH / 4] = (uint32_t)desc->image_width;
    words[CY_IMG_HEIGHT / 4] = desc->image_height ? (uint32_t)desc->image_height : 1;
    words[CY_IMG_DEPTH / 4] = desc->image_depth ? (uint32_t)desc->image_depth : 1;
    words[CY_IMG_LAYERS / 4] = desc->image_array_size ? (uint32_t)desc->image_array_size : 1;
    words[CY_IMG_ROW / 4] = (uint32_t)desc->image_row_pitch;
    words[CY_IMG_SLICE / 4] = (uint32_t)image->slice;
    words[CY_IMG_ELEMENT / 4] = (uint32_t)image->element;
    words[CY_IMG_ORDER / 4] = image->format.image_channel_order;
    words[CY_IMG_TYPE / 4] = image->format.image_channel_data_type;
    words[CY_IMG_FORMAT / 4] = format_of(&image->format);
    words[CY_IMG_PLACES / 4] = places_of(image->format.image_channel_order);
    words[CY_IMG_CHANNELS / 4] = channels_in(words[CY_IMG_PLACES / 4]);
    words[CY_IMG_CHANNEL / 4] = (uint32_t)image->element / words[CY_IMG_CHANNELS / 4];
    words[CY_IMG_OPAQUE / 4] = !(words[CY_IMG_PLACES / 4] & 0x8888);
    for (cl_uint i = 0; i < mem->context->device_count; i++) {
        struct cy_device *machine = mem->context->devices[i]->machine;
        words[CY_IMG_PIXELS / 4] = (uint32_t)mem->address[i];
        words[CY_IMG_PIXELS_HIGH / 4] = (uint32_t)(mem->address[i] >> 32);
        if (cy_device_alloc(machine, sizeof(words), 0, &image->address[i]) != CY_OK)
            return false;
        memcpy(cy_device_map(machine, image->address[i], sizeof(words)), words, sizeof(words));
        CY_CL_TELL(allocated, mem->context->devices[i], image->address[i], sizeof(words), true);
    }
    return true;
}

void cy_cl_image_destroy(cl_mem mem)
{
    for (cl_uint i = 0; mem->image && i < mem->context->device_count; i++)
        if (mem->image->address[i]) {
            CY_CL_TELL(freed, mem->context->devices[i], mem->image->address[i]);
            cy_device_free(mem->context->devices[i]->machine, mem->image->address[i]);
        }
    cy_free(mem->image);
}

static cl_mem create(cl_context context, cl_mem_flags flags, const struct cy_cl_image *complete_image, void *host,
                     cl_int *errcode_ret)
{
    cl_mem mem, parent = complete_image->desc.mem_object;
    const size_t size = bytes_of(complete_image);
    struct cy_cl_image *image = cy_try_alloc(sizeof(*image) + context->device_count * sizeof(image->address[0]));
    CHECK_CREATE(image, CL_OUT_OF_HOST_MEMORY);
    *image = *complete_image;
    if (parent) {
        mem = cy_cl_mem_share(parent, flags, 0, size < parent->size ? size : parent->size);
        cy_cl_set_error(errcode_ret, mem ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
    } else {
        mem = cy_cl_mem_allocate(context, flags, size, host, errcode_ret);
    }
    if (!mem) {
        cy_free(image);
        return NULL;
    }
    mem->image = image;
    if (!describe(mem)) {
        cy_cl_release(mem);
        CHECK_CREATE(false, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    return mem;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                              const cl_image_desc *desc, void *host, cl_int *errcode_ret)
{
    struct cy_cl_image image = {0};
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK_CREATE(cy_cl_mem_flags_valid(flags), CL_INVALID_VALUE);
    CHECK_CREATE(cy_cl_image_is_format(format), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    const struct shape *shape = desc ? shape_of(desc->image_type) : NULL;
    CHECK_CREATE(shape, CL_INVALID_IMAGE_DESCRIPTOR);
    size_t element = cy_cl_image_element(format);
    cl_int error = check_size(shape, desc);
    CHECK_CREATE(error == CL_SUCCESS, error);
    error = check_parent(context, shape, format, desc, element);
    CHECK_CREATE(error == CL_SUCCESS, error);
    CHECK_CREATE(desc->mem_object || !host == !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)),
                 CL_INVALID_HOST_PTR);
    CHECK_CREATE(!desc->mem_object || !host, CL_INVALID_HOST_PTR);
    error = check_pitches(shape, desc, element, host || desc->mem_object);
    CHECK_CREATE(error == CL_SUCCESS, error);
    CHECK_CREATE(desc->mem_object ? (flags & CL_MEM_IMMUTABLE_EXT) || !(desc->mem_object->flags & CL_MEM_IMMUTABLE_EXT)
                                  : cy_cl_mem_has_contents(flags),
                 CL_INVALID_VALUE);
    CHECK_CREATE(!desc->mem_object || cy_cl_mem_inherit(desc->mem_object->flags, &flags), CL_INVALID_VALUE);
    CHECK_CREATE(cy_cl_image_supports(format, flags, desc->image_type), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    complete(&image, shape, format, desc, element);
    for (cl_uint i = 0; i < context->device_count; i++)
        CHECK_CREATE(bytes_of(&image) <= cy_cl_max_image_bytes(context->devices[i]), CL_INVALID_IMAGE_SIZE);
    return create(context, flags, &image, host, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                                            cl_mem_flags flags, const cl_image_format *format,
                                                            const cl_image_desc *desc, void *host, cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK_CREATE(!properties || !properties[0], CL_INVALID_PROPERTY);
    return cy_cl_mem_with_properties(clCreateImage(context, flags, format, desc, host, errcode_ret), properties,
                                     errcode_ret);
}

/* The functions of OpenCL 1.1 report wrong sizes and pitches by one error. */
static cl_mem create_old(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc, void *host, cl_int *errcode_ret)
{
    cl_int error;
    cl_mem mem = clCreateImage(context, flags, format, desc, host, &error);
    cy_cl_set_error(errcode_ret, error == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : error);
    return mem;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t pitch, void *host,
                                                cl_int *errcode_ret)
{
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height, .image_row_pitch = pitch};
    return create_old(context, flags, format, &desc, host, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t depth, size_t row, size_t slice,
                                                void *host, cl_int *errcode_ret)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_row_pitch = row,
                                .image_slice_pitch = slice};
    return create_old(context, flags, format, &desc, host, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem mem, cl_image_info name, size_t size, void *value,
                                               size_t *size_ret)
{
    CHECK(cy_cl_is(mem, &cy_cl_mem_class) && mem->image, CL_INVALID_MEM_OBJECT);
    const struct cy_cl_image *image = mem->image;
    cl_mem parent = image->desc.mem_object;
    switch (name) {
    case CL_IMAGE_FORMAT: INFO_DATA(&image->format, sizeof(image->format));
    case CL_IMAGE_ELEMENT_SIZE: INFO(size_t, image->element);
    case CL_IMAGE_ROW_PITCH: INFO(size_t, image->desc.image_row_pitch);
    case CL_IMAGE_SLICE_PITCH: INFO(size_t, image->desc.image_slice_pitch);
    case CL_IMAGE_WIDTH: INFO(size_t, image->desc.image_width);
    case CL_IMAGE_HEIGHT: INFO(size_t, image->desc.image_height);
    case CL_IMAGE_DEPTH: INFO(size_t, image->desc.image_depth);
    case CL_IMAGE_ARRAY_SIZE: INFO(size_t, image->desc.image_array_size);
    case CL_IMAGE_BUFFER: INFO(cl_mem, parent && !parent->image ? parent : NULL);
    case CL_IMAGE_NUM_MIP_LEVELS: INFO(cl_uint, 0);
    case CL_IMAGE_NUM_SAMPLES: INFO(cl_uint, 0);
    default: return CL_INVALID_VALUE;
    }
}
