/* The smallest complete OpenCL program: two vectors are added on the device.
 *
 *     cy exec -- build/bin/examples/vecadd */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };

static const char *source = "kernel void vecadd(global const float *a, global const float *b, global float *c)\n"
                            "{\n"
                            "    size_t i = get_global_id(0);\n"
                            "    c[i] = a[i] + b[i];\n"
                            "}\n";

static void check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "vecadd: %s: error %d\n", what, error);
    exit(1);
}

int main(void)
{
    static float a[COUNT], b[COUNT], c[COUNT];
    for (int i = 0; i < COUNT; i++) {
        a[i] = (float)i;
        b[i] = 1000.0f - (float)i;
    }

    /* the device, a context for it, a command queue */
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    char name[128];
    check(clGetPlatformIDs(1, &platform, NULL), "no platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no device");
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL), "the device's name");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "the context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "the queue");

    /* the program, compiled for the device */
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "the program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "building");
    cl_kernel kernel = clCreateKernel(program, "vecadd", &error);
    check(error, "the kernel");

    /* device memory: two inputs with their contents, one output */
    cl_mem in_a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(a), a, &error);
    check(error, "a buffer");
    cl_mem in_b = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(b), b, &error);
    check(error, "a buffer");
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof(c), NULL, &error);
    check(error, "a buffer");

    /* one work-item per element */
    const size_t count = COUNT;
    check(clSetKernelArg(kernel, 0, sizeof(in_a), &in_a), "argument 0");
    check(clSetKernelArg(kernel, 1, sizeof(in_b), &in_b), "argument 1");
    check(clSetKernelArg(kernel, 2, sizeof(out), &out), "argument 2");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL), "the launch");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(c), c, 0, NULL, NULL), "reading the result");

    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += c[i] != 1000.0f;
    printf("%s added %d pairs, %d of them wrong\n", name, COUNT, wrong);

    clReleaseMemObject(in_a);
    clReleaseMemObject(in_b);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong != 0;
}
