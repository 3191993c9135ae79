/* cl_ext_immutable_memory_objects, and the hints of queues. */
#include "cl_test.h"

#include "cl/extensions.h"

#include <string.h>

enum { N = 64 };
static int values[N], out[N];
static const size_t origin[3] = {0, 0, 0}, region[3] = {4, 4, 1};
static const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
static const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};

static void refuse(cl_mem_flags flags)
{
    cl_int error = 0;
    void *host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? values : NULL;
    CHECK(!clCreateBuffer(context, flags, sizeof(values), host, &error));
    CHECK_EQ(error, CL_INVALID_VALUE);
    CHECK(!clCreateImage(context, flags, &format, &desc, host, &error));
    CHECK_EQ(error, CL_INVALID_VALUE);
}

static void test_creation(void)
{
    set_up(0);
    const cl_mem_flags with = CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR;
    refuse(CL_MEM_IMMUTABLE_EXT);
    refuse(CL_MEM_IMMUTABLE_EXT | CL_MEM_ALLOC_HOST_PTR);
    refuse(with | CL_MEM_READ_WRITE);
    refuse(with | CL_MEM_WRITE_ONLY);
    refuse(with | CL_MEM_HOST_WRITE_ONLY);
    cl_int error;
    cl_mem_flags flags;
    cl_mem mem = buffer_of(with | CL_MEM_READ_ONLY, sizeof(values), values);
    CHECK_EQ(clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof(flags), &flags, NULL), CL_SUCCESS);
    CHECK_EQ(flags, with | CL_MEM_READ_ONLY);
    const cl_buffer_region part = {128, 64};
    CHECK(!clCreateSubBuffer(mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &error));
    CHECK_EQ(error, CL_INVALID_VALUE);
    cl_mem sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueWriteBuffer(queue, sub, CL_TRUE, 0, 4, out, 0, NULL, NULL), CL_INVALID_OPERATION);
    /* an image of an immutable buffer is immutable too */
    cl_image_desc of = desc;
    of.mem_object = mem;
    CHECK(!clCreateImage(context, CL_MEM_READ_ONLY, &format, &of, NULL, &error));
    CHECK_EQ(error, CL_INVALID_VALUE);
    cl_mem image = clCreateImage(context, CL_MEM_IMMUTABLE_EXT, &format, &of, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(image), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(sub), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(mem), CL_SUCCESS);
    cl_uint count = 0;
    CHECK_EQ(clGetSupportedImageFormats(context, CL_MEM_IMMUTABLE_EXT, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count),
             CL_SUCCESS);
    CHECK(count > 0);
    tear_down();
}

/* Everything may read, nothing may write. */
static void test_commands(void)
{
    set_up(0);
    for (int i = 0; i < N; i++)
        values[i] = i * 77;
    cl_int error;
    cl_mem mem = buffer_of(CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR, sizeof(values), values),
           other = buffer_of(0, sizeof(values), NULL);
    cl_mem image = clCreateImage(context, CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR, &format, &desc, values, &error),
           second = clCreateImage(context, 0, &format, &desc, NULL, &error);
    const cl_mem_flags writes[] = {CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, CL_MAP_READ | CL_MAP_WRITE};
    const int one = 1;
    size_t pitch;
    CHECK_EQ(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 4, out, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueWriteBufferRect(queue, mem, CL_TRUE, origin, origin, region, 0, 0, 0, 0, out, 0, NULL, NULL),
             CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueFillBuffer(queue, mem, &one, 4, 0, 64, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueCopyBuffer(queue, other, mem, 0, 0, 64, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueCopyBufferRect(queue, other, mem, origin, origin, region, 0, 0, 0, 0, 0, NULL, NULL),
             CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueCopyImageToBuffer(queue, second, mem, origin, region, 0, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueCopyBufferToImage(queue, other, image, 0, origin, region, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueCopyImage(queue, second, image, origin, origin, region, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL),
             CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueFillImage(queue, image, values, origin, region, 0, NULL, NULL), CL_INVALID_OPERATION);
    for (int i = 0; i < 3; i++) {
        CHECK(!clEnqueueMapBuffer(queue, mem, CL_TRUE, writes[i], 0, 64, 0, NULL, NULL, &error));
        CHECK_EQ(error, CL_INVALID_OPERATION);
        CHECK(
            !clEnqueueMapImage(queue, image, CL_TRUE, writes[i], origin, region, &pitch, NULL, 0, NULL, NULL, &error));
        CHECK_EQ(error, CL_INVALID_OPERATION);
        CHECK(!clEnqueueMapImage(queue, image, CL_TRUE, writes[i], origin, region, NULL, NULL, 0, NULL, NULL, &error));
        CHECK_EQ(error, CL_INVALID_OPERATION); /* although there is no room for the pitch */
    }
    cl_program program = build("kernel void w(write_only image2d_t i) { write_imageui(i, (int2)(0), (uint4)(1)); }\n"
                               "kernel void r(read_only image2d_t i, constant int *x, global int *y) {\n"
                               "    y[get_global_id(0)] = x[get_global_id(0)] + read_imageui(i, (int2)(0)).x; }\n"
                               "kernel void c(global const int *x, global int *y) { y[0] = x[0]; }\n",
                               "-cl-std=CL3.0");
    cl_kernel w = kernel_of(program, "w"), r = kernel_of(program, "r"), c = kernel_of(program, "c");
    const size_t n = N;
    CHECK_EQ(clSetKernelArg(w, 0, sizeof(image), &image), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArg(c, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(c, 1, sizeof(mem), &mem), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArg(r, 0, sizeof(image), &image), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(r, 1, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(r, 2, sizeof(other), &other), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, r, 1, NULL, &n, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
    CHECK(!memcmp(out, values, sizeof(out)));
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
    CHECK(!memcmp(out, values, sizeof(out)));
    CHECK_EQ(clEnqueueCopyBuffer(queue, mem, other, 0, 0, sizeof(values), 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyImage(queue, image, second, origin, origin, region, 0, NULL, NULL), CL_SUCCESS);
    int *map = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, sizeof(values), 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK(map && !memcmp(map, values, sizeof(values)));
    CHECK_EQ(clEnqueueUnmapMemObject(queue, mem, map, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(c), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(w), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(r), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    const cl_mem mems[] = {mem, other, image, second};
    for (int i = 0; i < 4; i++)
        CHECK_EQ(clReleaseMemObject(mems[i]), CL_SUCCESS);
    tear_down();
}

/* Hints are accepted; what is not one is refused. */
static void test_hints(void)
{
    set_up(0);
    static const cl_queue_properties values_of[] = {1, 2, 4};
    cl_int error;
    for (int throttles = 0; throttles < 2; throttles++) {
        const cl_queue_properties name = throttles ? CL_QUEUE_THROTTLE_KHR : CL_QUEUE_PRIORITY_KHR;
        for (int i = 0; i < 3; i++) {
            const cl_queue_properties properties[] = {name, values_of[i], CL_QUEUE_PROPERTIES,
                                                      CL_QUEUE_PROFILING_ENABLE, 0};
            cl_queue_properties told[5];
            cl_command_queue fresh = clCreateCommandQueueWithProperties(context, device, properties, &error);
            CHECK_EQ(error, CL_SUCCESS);
            CHECK_EQ(clGetCommandQueueInfo(fresh, CL_QUEUE_PROPERTIES_ARRAY, sizeof(told), told, NULL), CL_SUCCESS);
            CHECK(!memcmp(told, properties, sizeof(told)));
            CHECK_EQ(clFinish(fresh), CL_SUCCESS);
            CHECK_EQ(clReleaseCommandQueue(fresh), CL_SUCCESS);
        }
        for (cl_queue_properties value = 0; value < 16; value += 3) {
            const cl_queue_properties properties[] = {name, value, 0};
            CHECK(!clCreateCommandQueueWithProperties(context, device, properties, &error));
            CHECK_EQ(error, CL_INVALID_VALUE);
        }
    }
    tear_down();
}

TEST_MAIN(test_creation, test_commands, test_hints)
