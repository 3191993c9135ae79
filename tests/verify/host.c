/* An OpenCL program for the engine verify: launches of every kind of argument, in the numbers that are asked for.
 *
 *     host DEVICE (KERNEL LAUNCHES)...    the first device whose name has DEVICE in it; the kernels are those below */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 50, HEIGHT = 12, ITEMS = WIDTH * HEIGHT };

static const char source[] = "kernel void buffers(global const float *in, global float *result, float by)\n"
                             "{ size_t i = get_global_id(0) + get_global_id(1) * 50; result[i] = in[i] * by; }\n"
                             "kernel void again(global const float *in, global float *result, float by)\n"
                             "{ size_t i = get_global_id(0) + get_global_id(1) * 50; float x = in[i];\n"
                             "  for (int k = 0; k < 100 + (i & 3); k++) x = x * 0.5f + by; result[i] = x; }\n"
                             "kernel void picture(global const float *in, write_only image2d_t drawn)\n"
                             "{ int x = get_global_id(0), y = get_global_id(1); write_imageui(drawn, (int2)(x, y), "
                             "(uint4)((uint)in[x], x, y, 7)); }\n"
                             "kernel void pointers(global const float *in, global float *shared)\n"
                             "{ size_t i = get_global_id(0) + get_global_id(1) * 50; shared[i] = in[i] - 1; }\n"
                             "global float kept[600];\n"
                             "kernel void variable(global const float *in)\n"
                             "{ size_t i = get_global_id(0) + get_global_id(1) * 50; kept[i] = in[i] - 1; }\n";

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static void must(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, error);
        exit(3);
    }
}

static void find_device(const char *wanted)
{
    cl_platform_id platform;
    cl_device_id all[16];
    cl_uint count;
    char name[128];
    must(clGetPlatformIDs(1, &platform, NULL), "platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, all, &count), "devices");
    for (cl_uint i = 0; i < count; i++) {
        must(clGetDeviceInfo(all[i], CL_DEVICE_NAME, sizeof(name), name, NULL), "name");
        if (!device && strstr(name, wanted))
            device = all[i];
    }
}

static cl_mem draw_on(void)
{
    cl_int error;
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_mem image = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &error);
    must(error, "image");
    return image;
}

struct given {
    cl_mem mem;
    void *shared;
};

/* Every argument but the first. */
static struct given give(cl_kernel kernel, const char *name)
{
    struct given given = {0};
    cl_int error = CL_SUCCESS;
    const cl_float by = 2;
    if (strcmp(name, "pointers") == 0) {
        given.shared = clSVMAlloc(context, CL_MEM_READ_WRITE, ITEMS * 4, 0);
        must(given.shared ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "shared memory");
        must(clSetKernelArgSVMPointer(kernel, 1, given.shared), "argument");
    } else if (strcmp(name, "variable") != 0) {
        given.mem = strcmp(name, "picture") == 0 ? draw_on() : clCreateBuffer(context, 0, ITEMS * 4, NULL, &error);
        must(error, "buffer");
        must(clSetKernelArg(kernel, 1, sizeof(given.mem), &given.mem), "argument");
        if (strcmp(name, "picture") != 0)
            must(clSetKernelArg(kernel, 2, sizeof(by), &by), "argument");
    }
    return given;
}

static void release(cl_kernel kernel, const struct given *given)
{
    clReleaseKernel(kernel);
    if (given->mem)
        clReleaseMemObject(given->mem);
    if (given->shared)
        clSVMFree(context, given->shared);
}

static void launch(cl_kernel kernel, unsigned count)
{
    const size_t global[2] = {WIDTH, HEIGHT}, local[2] = {25, 2};
    for (unsigned i = 0; i < count; i++)
        must(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL), "launch");
    must(clFinish(queue), "finish");
}

int main(int argc, char **argv)
{
    const char *text = source;
    float numbers[ITEMS];
    cl_int error;
    for (unsigned i = 0; i < ITEMS; i++)
        numbers[i] = (float)(i * i % 1000) + 0.25f;
    find_device(argc > 1 ? argv[1] : "");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error, "context");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    must(error, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    must(error, "program");
    must(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), "build");
    cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(numbers), numbers, &error);
    must(error, "buffer");
    for (int i = 2; i < argc; i += 2) {
        cl_kernel kernel = clCreateKernel(program, argv[i], &error);
        must(error, argv[i]);
        must(clSetKernelArg(kernel, 0, sizeof(in), &in), "argument");
        const struct given given = give(kernel, argv[i]);
        launch(kernel, i + 1 < argc ? (unsigned)atoi(argv[i + 1]) : 1);
        release(kernel, &given);
    }
    clReleaseMemObject(in);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    puts("the program's own end");
    return 0;
}
