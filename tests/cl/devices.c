/* Two devices (CHENGYING_DEVICES=2, or the argument, such as gen1,gen2): contexts over both, one buffer in both, programs built for one or for both. */
#define _POSIX_C_SOURCE 200809L
#include "cl_test.h"

static cl_device_id devices[2];
static cl_command_queue queues[2];

static void create_queues(void)
{
    cl_int error;
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(context, devices[i], 0, &error);
        CHECK_EQ(error, CL_SUCCESS);
    }
}

static cl_int run_on(int i, cl_kernel kernel, size_t items)
{
    cl_int error = clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    return error == CL_SUCCESS ? clFinish(queues[i]) : error;
}

/* What one device writes the other reads, through a sub-buffer, a map and the application's memory too. */
static void test_shared_buffers(void)
{
    enum { SIZE = 3000 };
    static int in[SIZE], out[SIZE];
    const cl_buffer_region half = {SIZE / 2 * sizeof(int) / 128 * 128, 256};
    cl_int error;
    cl_program program = build("kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }", NULL);
    cl_kernel add = kernel_of(program, "add");
    for (int kind = 0; kind < 2; kind++) {
        for (int i = 0; i < SIZE; i++)
            in[i] = i;
        cl_mem mem = buffer_of(kind ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, sizeof(in), in);
        cl_mem part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(clSetKernelArg(add, 0, sizeof(mem), &mem), CL_SUCCESS);
        for (int n = 1; n <= 4; n++) {
            CHECK_EQ(clSetKernelArg(add, 1, sizeof(n), &n), CL_SUCCESS);
            CHECK_EQ(run_on(n % 2, add, SIZE), CL_SUCCESS);
        }
        CHECK_EQ(clSetKernelArg(add, 0, sizeof(part), &part), CL_SUCCESS);
        CHECK_EQ(run_on(1, add, 64), CL_SUCCESS);
        CHECK_EQ(clEnqueueMigrateMemObjects(queues[1], 1, &mem, 0, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(queues[0], mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
        int *map = clEnqueueMapBuffer(queues[1], mem, CL_TRUE, CL_MAP_READ, 0, sizeof(out), 0, NULL, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK(!memcmp(map, out, sizeof(out)));
        CHECK_EQ(clEnqueueUnmapMemObject(queues[1], mem, map, 0, NULL, NULL), CL_SUCCESS);
        int first = (int)(half.origin / sizeof(int));
        for (int i = 0; i < SIZE; i++)
            CHECK_EQ(out[i], i + 10 + (i >= first && i < first + 64 ? 4 : 0));
        CHECK_EQ(clFinish(queues[1]), CL_SUCCESS);
        clReleaseMemObject(part), clReleaseMemObject(mem);
    }
    clReleaseKernel(add), clReleaseProgram(program);
}

/* One kernel on both, though images, samplers and pipes are wider pointers on one of them. */
static void test_shared_objects(void)
{
    const size_t origin[3] = {0}, region[3] = {8, 1, 1};
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 8};
    const char *text =
        "kernel void take(read_only image1d_t in, sampler_t s, global float *out, write_only pipe int p)\n"
        "{ int i = get_global_id(0); out[i] += read_imagef(in, s, i - 1).x; write_pipe(p, &i); }\n"
        "kernel void count(read_only pipe int p, global float *out)\n"
        "{ int i; while (!read_pipe(p, &i)) out[i] += 100; }";
    float texels[8], out[8] = {0};
    cl_int error;
    for (int i = 0; i < 8; i++)
        texels[i] = (float)(i + 1);
    cl_program program = build(text, "-cl-std=CL3.0");
    cl_kernel take = kernel_of(program, "take"), count = kernel_of(program, "count");
    cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueWriteImage(queues[0], image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL), CL_SUCCESS);
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(out), out), pipe = clCreatePipe(context, 0, 4, 8, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(take, 0, sizeof(image), &image), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(take, 1, sizeof(sampler), &sampler), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(take, 2, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(take, 3, sizeof(pipe), &pipe), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(count, 0, sizeof(pipe), &pipe), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(count, 1, sizeof(mem), &mem), CL_SUCCESS);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(run_on(i, take, 8), CL_SUCCESS);
        CHECK_EQ(run_on(1 - i, count, 1), CL_SUCCESS);
    }
    CHECK_EQ(clEnqueueReadBuffer(queues[0], mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 8; i++)
        CHECK_EQ((int)out[i], 200 + 2 * (i ? i : 1));
    clReleaseMemObject(image), clReleaseMemObject(mem), clReleaseMemObject(pipe), clReleaseSampler(sampler);
    clReleaseKernel(take), clReleaseKernel(count), clReleaseProgram(program);
}

/* An event of one device's queue orders the other's. */
static void test_events_between(void)
{
    cl_int error, value = 1, got = 0;
    cl_event gate = clCreateUserEvent(context, &error), written;
    cl_mem mem = buffer_of(0, 4, NULL);
    CHECK_EQ(clEnqueueWriteBuffer(queues[0], mem, CL_FALSE, 0, 4, &value, 1, &gate, &written), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queues[1], mem, CL_FALSE, 0, 4, &got, 1, &written, NULL), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clFinish(queues[1]), CL_SUCCESS);
    CHECK_EQ(got, 1);
    clReleaseEvent(gate), clReleaseEvent(written), clReleaseMemObject(mem);
}

static cl_build_status status_on(cl_program program, int i)
{
    cl_build_status status = 99;
    CHECK_EQ(clGetProgramBuildInfo(program, devices[i], CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL),
             CL_SUCCESS);
    return status;
}

static void test_programs(void)
{
    const char *source = "kernel void k(global int *p) { *p = N; }";
    char text[64];
    size_t sizes[2], multiple;
    unsigned char *binaries[2];
    cl_int error, got, status[2];
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    cl_mem mem = buffer_of(0, 4, NULL);
    CHECK_EQ(clBuildProgram(program, 1, &devices[1], "-DN=7", NULL, NULL), CL_SUCCESS);
    CHECK_EQ(status_on(program, 0), CL_BUILD_NONE);
    CHECK_EQ(status_on(program, 1), CL_BUILD_SUCCESS);
    cl_kernel kernel = kernel_of(program, "k");
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(run_on(0, kernel, 1), CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(run_on(1, kernel, 1), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queues[1], mem, CL_TRUE, 0, 4, &got, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(got, 7);
    CHECK_EQ(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(multiple),
                                      &multiple, NULL),
             CL_INVALID_DEVICE); /* which of the two? */
    clReleaseKernel(kernel);

    CHECK_EQ(clBuildProgram(program, 1, &devices[0], "-DN=8", NULL, NULL), CL_SUCCESS); /* each device its own */
    CHECK_EQ(clGetProgramBuildInfo(program, devices[1], CL_PROGRAM_BUILD_OPTIONS, sizeof(text), text, NULL),
             CL_SUCCESS);
    CHECK_STR(text, "-DN=7");
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(sizes), sizes, NULL), CL_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK((binaries[i] = malloc(sizes[i])));
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(*binaries), binaries, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binaries), binaries, NULL), CL_SUCCESS);
    clReleaseProgram(program);

    const unsigned char *given[] = {binaries[0], binaries[1]};
    program = clCreateProgramWithBinary(context, 2, devices, sizes, given, status, &error);
    CHECK(error == CL_SUCCESS && status[0] == CL_SUCCESS && status[1] == CL_SUCCESS);
    CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    kernel = kernel_of(program, "k");
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(run_on(i, kernel, 1), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(queues[i], mem, CL_TRUE, 0, 4, &got, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(got, i ? 7 : 8);
    }
    clReleaseKernel(kernel), clReleaseProgram(program);

    memset(binaries[1], 0, 4); /* one good, one bad: the program is not created, and the status tells which */
    CHECK(!clCreateProgramWithBinary(context, 2, devices, sizes, given, status, &error));
    CHECK(error == CL_INVALID_BINARY && status[0] == CL_SUCCESS && status[1] == CL_INVALID_BINARY);
    program = clCreateProgramWithBinary(context, 1, devices, sizes, given, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(program, 1, &devices[1], NULL, NULL, NULL), CL_INVALID_DEVICE);
    CHECK_EQ(clGetProgramBuildInfo(program, devices[1], CL_PROGRAM_BUILD_STATUS, sizeof(error), &error, NULL),
             CL_INVALID_DEVICE);
    clReleaseProgram(program);
    for (int i = 0; i < 2; i++)
        free(binaries[i]);
    clReleaseMemObject(mem);
}

/* Kernels of the same name that take different arguments on the two devices cannot be created. */
static void test_definitions_differ(void)
{
    const char *source = "kernel void k(global int *p EXTRA) { *p = 1; }";
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    CHECK_EQ(clBuildProgram(program, 1, &devices[0], "-DEXTRA=", NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clBuildProgram(program, 1, &devices[1], "-DEXTRA=,int\\ n", NULL, NULL), CL_SUCCESS);
    CHECK(!clCreateKernel(program, "k", &error));
    CHECK_EQ(error, CL_INVALID_KERNEL_DEFINITION);
    clReleaseProgram(program);
}

static void test_link(void)
{
    const char *sources[] = {"int f(void); kernel void k(global int *p) { *p = f(); }", "int f(void) { return N; }"};
    cl_program parts[2];
    cl_int error, got;
    for (int i = 0; i < 2; i++)
        parts[i] = clCreateProgramWithSource(context, 1, &sources[i], NULL, &error);
    CHECK_EQ(clCompileProgram(parts[0], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clCompileProgram(parts[1], 1, &devices[0], "-DN=3", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK(!clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &error));
    CHECK_EQ(error, CL_INVALID_OPERATION); /* not compiled for the second device */
    CHECK_EQ(clCompileProgram(parts[1], 1, &devices[1], "-DN=4", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_program whole = clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(whole, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cl_kernel kernel = kernel_of(whole, "k");
    cl_mem mem = buffer_of(0, 4, NULL);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(run_on(i, kernel, 1), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(queues[i], mem, CL_TRUE, 0, 4, &got, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(got, 3 + i);
    }
    clReleaseKernel(kernel), clReleaseMemObject(mem), clReleaseProgram(whole);
    clReleaseProgram(parts[0]), clReleaseProgram(parts[1]);
}

/* One of each generation: what they say of themselves, what size_t is, and that neither takes the other's binary. */
static void test_generations(void)
{
    static const char *const names[] = {"Chengying Ventus", "Chengying Ventus gen2"};
    const char *source = "kernel void k(global ulong *p, local char *l)"
                         "{ p[0] = sizeof(size_t) + 16 * sizeof(p); p[1] = (size_t)l; p[2] = (ulong)(size_t)p >> 63; }";
    cl_int error, status;
    cl_uint bits;
    char text[64];
    size_t sizes[2];
    cl_ulong got[3];
    cl_program program = build(source, NULL);
    cl_kernel kernel = kernel_of(program, "k");
    cl_mem mem = buffer_of(0, sizeof(got), NULL);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 1, 16, NULL), CL_SUCCESS);
    for (cl_ulong i = 0; i < 2; i++) {
        CHECK_EQ(clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof(text), text, NULL), CL_SUCCESS);
        CHECK_STR(text, names[i]);
        CHECK_EQ(clGetDeviceInfo(devices[i], CL_DEVICE_ADDRESS_BITS, sizeof(bits), &bits, NULL), CL_SUCCESS);
        CHECK_EQ(bits, 32 + 32 * i);
        CHECK_EQ(run_on((int)i, kernel, 1), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(queues[i], mem, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(got[0], 17 * (4 + 4 * i));
        CHECK_EQ(got[1] >> 28, 7); /* local memory is below 4 GiB: the high word is clear */
        CHECK_EQ(got[2], 0);
    }
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(sizes), sizes, NULL), CL_SUCCESS);
    unsigned char *binaries[2] = {malloc(sizes[0]), malloc(sizes[1])};
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binaries), binaries, NULL), CL_SUCCESS);
    for (int i = 0; i < 2; i++) {
        const unsigned char *other = binaries[!i];
        CHECK(!clCreateProgramWithBinary(context, 1, &devices[i], &sizes[!i], &other, &status, &error));
        CHECK(error == CL_INVALID_BINARY && status == CL_INVALID_BINARY);
    }
    free(binaries[0]), free(binaries[1]);
    clReleaseMemObject(mem), clReleaseKernel(kernel), clReleaseProgram(program);
}

/* A context of one device does not involve the other. */
static void test_foreign_device(void)
{
    cl_int error;
    cl_device_id twice[] = {devices[0], devices[0]};
    cl_uint count;
    cl_context own = clCreateContext(NULL, 2, twice, NULL, NULL, &error);
    CHECK_EQ(clGetContextInfo(own, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, NULL), CL_SUCCESS);
    CHECK_EQ(count, 1);
    CHECK(!clCreateCommandQueue(own, devices[1], 0, &error));
    CHECK_EQ(error, CL_INVALID_DEVICE);
    CHECK(!clCreateCommandQueueWithProperties(own, devices[1], NULL, &error));
    CHECK_EQ(error, CL_INVALID_DEVICE);
    clReleaseContext(own);
}

int main(int argc, char **argv)
{
    cl_int error;
    cl_uint count;
    setenv("CHENGYING_DEVICES", argc > 1 ? argv[1] : "2", 1);
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count), CL_SUCCESS);
    if (!CHECK_EQ(count, 2))
        return test_finish();
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 0, NULL, &count), CL_SUCCESS);
    CHECK_EQ(count, 1);
    device = devices[0];
    context = clCreateContextFromType(NULL, CL_DEVICE_TYPE_GPU, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    create_queues();
    test_shared_buffers();
    test_shared_objects();
    test_events_between();
    test_programs();
    test_definitions_differ();
    test_link();
    test_foreign_device();
    if (argc > 1)
        test_generations();
    clReleaseCommandQueue(queues[0]), clReleaseCommandQueue(queues[1]);
    clReleaseContext(context);
    return test_finish();
}
