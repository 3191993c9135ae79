/* Images and samplers on the host: creation, queries, every command with pitches, memory of the application, and the
 * errors of each call. */
#include "cl_test.h"

static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8}, r32 = {CL_R, CL_UNSIGNED_INT32};
static cl_int error;
static const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};

#define FAILS(call, expected)                                                                                          \
    do {                                                                                                               \
        error = 1;                                                                                                     \
        CHECK(!(call));                                                                                                \
        CHECK_EQ(error, expected);                                                                                     \
    } while (0)

static cl_mem image_of(cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *host)
{
    cl_mem image = clCreateImage(context, flags, format, desc, host, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return image;
}

static size_t info(cl_mem image, cl_image_info name)
{
    size_t value = 0;
    CHECK_EQ(clGetImageInfo(image, name, sizeof(value), &value, NULL), CL_SUCCESS);
    return value;
}

static void test_creation_errors(void)
{
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8}, bad;
    cl_image_format format = rgba8;
    char bytes[1024];
    cl_mem buffer = buffer_of(0, 256, NULL);
    FAILS(clCreateImage(NULL, 0, &rgba8, &desc, NULL, &error), CL_INVALID_CONTEXT);
    FAILS(clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba8, &desc, NULL, &error), CL_INVALID_VALUE);
    FAILS(clCreateImage(context, CL_MEM_KERNEL_READ_AND_WRITE, &rgba8, &desc, NULL, &error), CL_INVALID_VALUE);
    FAILS(clCreateImage(context, 0, NULL, &desc, NULL, &error), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    format.image_channel_order = 0;
    FAILS(clCreateImage(context, 0, &format, &desc, NULL, &error), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    format = (cl_image_format){CL_RGB, CL_UNORM_SHORT_565};
    FAILS(clCreateImage(context, 0, &format, &desc, NULL, &error), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    format = (cl_image_format){CL_sRGBA, CL_UNORM_INT8};
    FAILS(clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &error), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    bad = desc, bad.image_type = CL_MEM_OBJECT_BUFFER;
    FAILS(clCreateImage(context, 0, &rgba8, &bad, NULL, &error), CL_INVALID_IMAGE_DESCRIPTOR);
    bad = desc, bad.image_width = 0;
    FAILS(clCreateImage(context, 0, &rgba8, &bad, NULL, &error), CL_INVALID_IMAGE_SIZE);
    bad = desc, bad.image_height = 1 << 20;
    FAILS(clCreateImage(context, 0, &rgba8, &bad, NULL, &error), CL_INVALID_IMAGE_SIZE);
    bad = desc, bad.image_row_pitch = 64;
    FAILS(clCreateImage(context, 0, &rgba8, &bad, NULL, &error), CL_INVALID_IMAGE_DESCRIPTOR);
    bad.image_row_pitch = 28;
    FAILS(clCreateImage(context, CL_MEM_COPY_HOST_PTR, &rgba8, &bad, bytes, &error), CL_INVALID_IMAGE_DESCRIPTOR);
    bad.image_row_pitch = 33;
    FAILS(clCreateImage(context, CL_MEM_COPY_HOST_PTR, &rgba8, &bad, bytes, &error), CL_INVALID_IMAGE_DESCRIPTOR);
    bad = desc, bad.num_samples = 1;
    FAILS(clCreateImage(context, 0, &rgba8, &bad, NULL, &error), CL_INVALID_IMAGE_DESCRIPTOR);
    FAILS(clCreateImage(context, CL_MEM_USE_HOST_PTR, &rgba8, &desc, NULL, &error), CL_INVALID_HOST_PTR);
    FAILS(clCreateImage(context, 0, &rgba8, &desc, bytes, &error), CL_INVALID_HOST_PTR);
    bad = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64};
    FAILS(clCreateImage(context, 0, &rgba8, &bad, NULL, &error), CL_INVALID_IMAGE_DESCRIPTOR);
    bad.buffer = buffer, bad.image_width = 65;
    FAILS(clCreateImage(context, 0, &rgba8, &bad, NULL, &error), CL_INVALID_IMAGE_DESCRIPTOR);
    bad = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 4, .image_height = 4};
    FAILS(clCreateImage(context, 0, &rgba8, &bad, NULL, &error), CL_INVALID_IMAGE_SIZE);
    bad.image_array_size = 2, bad.image_slice_pitch = 48;
    FAILS(clCreateImage(context, CL_MEM_COPY_HOST_PTR, &rgba8, &bad, bytes, &error), CL_INVALID_IMAGE_DESCRIPTOR);
    bad = desc, bad.image_height = 3, bad.image_row_pitch = (size_t)1 << 63,
    bad.mem_object = buffer; /* twice that is 0 */
    FAILS(clCreateImage(context, 0, &rgba8, &bad, NULL, &error), CL_INVALID_IMAGE_SIZE);
    bad = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY,
                          .image_width = 16,
                          .image_array_size = 2000,
                          .image_slice_pitch = 1 << 30};
    FAILS(clCreateImage(context, CL_MEM_USE_HOST_PTR, &rgba8, &bad, bytes, &error), CL_INVALID_IMAGE_SIZE);
    const cl_mem_properties unknown[] = {0x1234, 0, 0};
    FAILS(clCreateImageWithProperties(context, unknown, 0, &rgba8, &desc, NULL, &error), CL_INVALID_PROPERTY);
    clReleaseMemObject(buffer);
}

static void test_infos(void)
{
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 5, .image_height = 4, .image_depth = 3};
    cl_image_format format;
    cl_mem_object_type type;
    cl_mem parent = NULL;
    static char bytes[1024];
    cl_mem image = image_of(CL_MEM_READ_ONLY, &rgba8, &desc, NULL);
    CHECK(info(image, CL_IMAGE_WIDTH) == 5 && info(image, CL_IMAGE_HEIGHT) == 4 && info(image, CL_IMAGE_DEPTH) == 3);
    CHECK(info(image, CL_IMAGE_ROW_PITCH) == 20 && info(image, CL_IMAGE_SLICE_PITCH) == 80);
    CHECK(info(image, CL_IMAGE_ELEMENT_SIZE) == 4 && info(image, CL_IMAGE_ARRAY_SIZE) == 0);
    CHECK_EQ(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof(format), &format, NULL), CL_SUCCESS);
    CHECK(format.image_channel_order == CL_RGBA && format.image_channel_data_type == CL_UNORM_INT8);
    CHECK_EQ(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof(type), &type, NULL), CL_SUCCESS);
    CHECK_EQ(type, CL_MEM_OBJECT_IMAGE3D);
    CHECK_EQ(clGetImageInfo(image, 0, sizeof(format), &format, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetImageInfo(image, CL_IMAGE_FORMAT, 4, &format, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetImageInfo(NULL, CL_IMAGE_FORMAT, sizeof(format), &format, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clReleaseMemObject(image), CL_SUCCESS);
    desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY,
                           .image_width = 5,
                           .image_array_size = 3,
                           .image_row_pitch = 24,
                           .image_slice_pitch = 48};
    image = image_of(CL_MEM_USE_HOST_PTR, &rgba8, &desc, bytes);
    CHECK(info(image, CL_IMAGE_ROW_PITCH) == 24 && info(image, CL_IMAGE_SLICE_PITCH) == 48);
    CHECK(info(image, CL_IMAGE_HEIGHT) == 0 && info(image, CL_IMAGE_ARRAY_SIZE) == 3);
    clReleaseMemObject(image);
    cl_mem buffer = buffer_of(0, 512, NULL);
    desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D,
                           .image_width = 5,
                           .image_height = 4,
                           .image_row_pitch = 64,
                           .mem_object = buffer};
    image = image_of(0, &rgba8, &desc, NULL);
    CHECK_EQ(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof(parent), &parent, NULL), CL_SUCCESS);
    CHECK(parent == buffer && info(image, CL_IMAGE_ROW_PITCH) == 64 && info(image, CL_IMAGE_SLICE_PITCH) == 0);
    CHECK_EQ(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL), CL_SUCCESS);
    CHECK(parent == buffer);
    const cl_buffer_region part = {0, 128};
    FAILS(clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &error), CL_INVALID_MEM_OBJECT);
    /* what is written through the buffer is in the image */
    cl_uint pixel = 0x01020304, got = 0;
    const size_t at[3] = {2, 1, 0};
    CHECK_EQ(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 64 + 8, 4, &pixel, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadImage(queue, image, CL_TRUE, at, one, 0, 0, &got, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(got, pixel);
    clReleaseMemObject(image);
    clReleaseMemObject(buffer);
}

/* A box with pitches, there and back; the bytes between rows are left alone. */
static void test_transfers(cl_mem_flags flags)
{
    enum { W = 6, H = 5, D = 4 };
    cl_uint host[D][H][W], from[3][4][8], to[3][4][8], colour[4] = {77, 0, 0, 0};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = W, .image_height = H, .image_depth = D};
    const size_t origin[3] = {1, 2, 1}, region[3] = {4, 3, 2};
    size_t row = 0, slice = 0, wrong = 0;
    memset(host, 0, sizeof(host)), memset(to, 0, sizeof(to));
    for (cl_uint i = 0; i < sizeof(from) / 4; i++)
        ((cl_uint *)from)[i] = 1000 + i;
    bool uses = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    cl_mem image = image_of(flags, &r32, &desc, uses ? host : NULL), other = image_of(0, &r32, &desc, NULL);
    cl_mem buffer = buffer_of(0, 4096, NULL);
    CHECK_EQ(clEnqueueFillImage(queue, image, colour, zero, (size_t[]){W, H, D}, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueWriteImage(queue, image, CL_FALSE, origin, region, sizeof(from[0][0]), sizeof(from[0]), from, 0,
                                 NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(
        clEnqueueReadImage(queue, image, CL_TRUE, origin, region, sizeof(to[0][0]), sizeof(to[0]), to, 0, NULL, NULL),
        CL_SUCCESS);
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 8; x++)
                wrong += to[z][y][x] != (z < 2 && y < 3 && x < 4 ? from[z][y][x] : 0);
    CHECK_EQ(wrong, 0);
    /* image to image to buffer to image, each to another place */
    CHECK_EQ(clEnqueueCopyImage(queue, image, other, origin, zero, region, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyImageToBuffer(queue, other, buffer, zero, region, 12, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBufferToImage(queue, buffer, other, 12, (size_t[]){2, 2, 2}, region, 0, NULL, NULL),
             CL_SUCCESS);
    cl_uint *mapped = clEnqueueMapImage(queue, other, CL_TRUE, CL_MAP_READ, (size_t[]){2, 2, 2}, region, &row, &slice,
                                        0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK(row == 4 * W && slice == 4 * W * H);
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 3; y++)
            for (size_t x = 0; x < 4; x++)
                wrong += mapped[z * slice / 4 + y * row / 4 + x] != from[z][y][x];
    CHECK_EQ(wrong, 0);
    CHECK_EQ(clEnqueueUnmapMemObject(queue, other, mapped, 0, NULL, NULL), CL_SUCCESS);
    /* writing through a map */
    mapped = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, one, &row, &slice, 0, NULL,
                               NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK(!(flags & CL_MEM_USE_HOST_PTR) || mapped == &host[1][2][1]);
    CHECK_EQ(*mapped, from[0][0][0]);
    FAILS(clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, origin, region, &row, &slice, 0, NULL, NULL, &error),
          CL_INVALID_OPERATION);
    *mapped = 4711;
    CHECK_EQ(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueReadImage(queue, image, CL_TRUE, origin, one, 0, 0, to, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(to[0][0][0], 4711);
    CHECK_EQ(clEnqueueReadImage(queue, image, CL_TRUE, zero, one, 0, 0, to, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(to[0][0][0], 77);
    clReleaseMemObject(image);
    clReleaseMemObject(other);
    clReleaseMemObject(buffer);
}

static void test_command_errors(void)
{
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
    cl_mem image = image_of(0, &rgba8, &desc, NULL), other = image_of(0, &r32, &desc, NULL);
    cl_mem hidden = image_of(CL_MEM_HOST_NO_ACCESS, &rgba8, &desc, NULL), buffer = buffer_of(0, 100, NULL);
    char bytes[256] = {0};
    size_t row;
    const size_t big[3] = {8, 5, 1}, deep[3] = {1, 1, 2}, all[3] = {8, 4, 1}, flat[3] = {1, 0, 1};
#define READ(image, origin, region, row, slice, to)                                                                    \
    clEnqueueReadImage(queue, image, CL_TRUE, origin, region, row, slice, to, 0, NULL, NULL)
    CHECK_EQ(clEnqueueReadImage(NULL, image, CL_TRUE, zero, one, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(READ(buffer, zero, one, 0, 0, bytes), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(READ(image, NULL, one, 0, 0, bytes), CL_INVALID_VALUE);
    CHECK_EQ(READ(image, zero, NULL, 0, 0, bytes), CL_INVALID_VALUE);
    CHECK_EQ(READ(image, zero, big, 0, 0, bytes), CL_INVALID_VALUE);
    CHECK_EQ(READ(image, zero, deep, 0, 0, bytes), CL_INVALID_VALUE);
    CHECK_EQ(READ(image, zero, flat, 0, 0, bytes), CL_INVALID_VALUE);
    CHECK_EQ(READ(image, deep, one, 0, 0, bytes), CL_INVALID_VALUE);
    CHECK_EQ(READ(image, zero, one, 0, 0, NULL), CL_INVALID_VALUE);
    CHECK_EQ(READ(image, zero, all, 31, 0, bytes), CL_INVALID_VALUE);
    CHECK_EQ(READ(image, zero, all, 0, 128, bytes), CL_INVALID_VALUE);
    CHECK_EQ(READ(hidden, zero, one, 0, 0, bytes), CL_INVALID_OPERATION);
    CHECK_EQ(READ(image, zero, one, 0, 0, bytes), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadImage(queue, image, CL_TRUE, zero, one, 0, 0, bytes, 1, NULL, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueWriteImage(queue, hidden, CL_TRUE, zero, one, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueWriteImage(queue, image, CL_TRUE, zero, big, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillImage(queue, image, NULL, zero, one, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillImage(queue, image, bytes, zero, big, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyImage(queue, image, other, zero, zero, one, 0, NULL, NULL), CL_IMAGE_FORMAT_MISMATCH);
    CHECK_EQ(clEnqueueCopyImage(queue, image, image, zero, zero, one, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueCopyImage(queue, image, image, zero, one, big, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyImageToBuffer(queue, image, buffer, zero, all, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyImageToBuffer(queue, image, image, zero, one, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clEnqueueCopyBufferToImage(queue, buffer, image, 99, zero, one, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueReadBuffer(queue, image, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clEnqueueFillBuffer(queue, image, bytes, 4, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    FAILS(clEnqueueMapImage(queue, buffer, CL_TRUE, CL_MAP_READ, zero, one, &row, NULL, 0, NULL, NULL, &error),
          CL_INVALID_MEM_OBJECT);
    FAILS(clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, zero, one, NULL, NULL, 0, NULL, NULL, &error),
          CL_INVALID_VALUE);
    FAILS(clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, zero, big, &row, NULL, 0, NULL, NULL, &error),
          CL_INVALID_VALUE);
    FAILS(clEnqueueMapImage(queue, image, CL_TRUE, 1 << 20, zero, one, &row, NULL, 0, NULL, NULL, &error),
          CL_INVALID_VALUE);
    FAILS(clEnqueueMapImage(queue, hidden, CL_TRUE, CL_MAP_READ, zero, one, &row, NULL, 0, NULL, NULL, &error),
          CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueMigrateMemObjects(queue, 1, &image, 0, 0, NULL, NULL), CL_SUCCESS);
    clReleaseMemObject(image), clReleaseMemObject(other), clReleaseMemObject(hidden), clReleaseMemObject(buffer);
}

static void test_samplers(void)
{
    cl_uint number = 0;
    cl_context found;
    cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0}, got[4];
    size_t size;
    cl_sampler sampler = clCreateSamplerWithProperties(context, list, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof(number), &number, NULL), CL_SUCCESS);
    CHECK_EQ(number, CL_FILTER_LINEAR);
    CHECK_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof(number), &number, NULL), CL_SUCCESS);
    CHECK_EQ(number, CL_ADDRESS_CLAMP);
    CHECK_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof(number), &number, NULL), CL_SUCCESS);
    CHECK_EQ(number, CL_TRUE);
    CHECK_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, sizeof(found), &found, NULL), CL_SUCCESS);
    CHECK(found == context);
    CHECK_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof(got), got, &size), CL_SUCCESS);
    CHECK(size == sizeof(list) && !memcmp(got, list, size));
    CHECK_EQ(clRetainSampler(sampler), CL_SUCCESS);
    CHECK_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof(number), &number, NULL), CL_SUCCESS);
    CHECK_EQ(number, 2);
    CHECK_EQ(clGetSamplerInfo(sampler, 0, sizeof(number), &number, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetSamplerInfo(NULL, CL_SAMPLER_FILTER_MODE, sizeof(number), &number, NULL), CL_INVALID_SAMPLER);
    CHECK_EQ(clReleaseSampler(sampler), CL_SUCCESS);
    CHECK_EQ(clReleaseSampler(sampler), CL_SUCCESS);
    const cl_sampler_properties unknown[] = {0x1234, 1, 0},
                                twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE,
                                           CL_FILTER_NEAREST, 0},
                                bad[] = {CL_SAMPLER_FILTER_MODE, 1, 0};
    FAILS(clCreateSamplerWithProperties(context, unknown, &error), CL_INVALID_VALUE);
    FAILS(clCreateSamplerWithProperties(context, twice, &error), CL_INVALID_VALUE);
    FAILS(clCreateSamplerWithProperties(context, bad, &error), CL_INVALID_VALUE);
    FAILS(clCreateSampler(context, 7, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error), CL_INVALID_VALUE);
    FAILS(clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, 0, &error), CL_INVALID_VALUE);
}

static void test_arguments(void)
{
    static const char source[] = "kernel void k(read_only image2d_t r, write_only image3d_t w, sampler_t s, global int "
                                 "*p) { write_imagef(w, (int4)(0), read_imagef(r, s, (float2)(p[0]))); }";
    cl_program program = build(source, "-cl-kernel-arg-info");
    cl_kernel kernel = kernel_of(program, "k");
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4, .image_depth = 2};
    cl_mem image = image_of(CL_MEM_READ_ONLY, &rgba8, &desc, NULL),
           written = image_of(CL_MEM_WRITE_ONLY, &rgba8, &desc, NULL);
    desc.image_type = CL_MEM_OBJECT_IMAGE3D;
    cl_mem solid = image_of(0, &rgba8, &desc, NULL), buffer = buffer_of(0, 16, NULL);
    cl_uint number = 0;
    char text[32] = "";
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
#define SET(index, value) clSetKernelArg(kernel, index, sizeof(value), &(value))
    CHECK_EQ(SET(0, buffer), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(SET(0, solid), CL_INVALID_ARG_VALUE);
    CHECK_EQ(SET(0, written), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(image), NULL), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArg(kernel, 0, 4, &image), CL_INVALID_ARG_SIZE);
    CHECK_EQ(SET(0, image), CL_SUCCESS);
    CHECK_EQ(SET(1, image), CL_INVALID_ARG_VALUE);
    CHECK_EQ(SET(1, solid), CL_SUCCESS);
    CHECK_EQ(SET(2, image), CL_INVALID_SAMPLER);
    CHECK_EQ(clSetKernelArg(kernel, 2, sizeof(sampler), NULL), CL_INVALID_SAMPLER);
    CHECK_EQ(clSetKernelArg(kernel, 2, 4, &sampler), CL_INVALID_ARG_SIZE);
    CHECK_EQ(SET(2, sampler), CL_SUCCESS);
    CHECK_EQ(SET(3, image), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(SET(3, buffer), CL_SUCCESS);
    static const cl_uint access[] = {CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                                     CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_ACCESS_NONE};
    static const cl_uint address[] = {CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_GLOBAL,
                                      CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL};
    for (cl_uint i = 0; i < 4; i++) {
        CHECK_EQ(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, 4, &number, NULL), CL_SUCCESS);
        CHECK_EQ(number, access[i]);
        CHECK_EQ(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, 4, &number, NULL), CL_SUCCESS);
        CHECK_EQ(number, address[i]);
    }
    CHECK_EQ(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK_STR(text, "image2d_t");
    CHECK_EQ(clEnqueueTask(queue, kernel, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    clReleaseSampler(sampler);
    clReleaseMemObject(image), clReleaseMemObject(written), clReleaseMemObject(solid), clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

int main(void)
{
    set_up(0);
    test_creation_errors();
    test_infos();
    test_transfers(0);
    test_transfers(CL_MEM_COPY_HOST_PTR);
    test_transfers(CL_MEM_USE_HOST_PTR);
    test_transfers(CL_MEM_ALLOC_HOST_PTR);
    test_command_errors();
    test_samplers();
    test_arguments();
    tear_down();
    return test_finish();
}
