/* Launches the kernels `k` of sources, for sources.py: `sources FILE OPTIONS [FILE OPTIONS]...`, three times each.  With `binary` as the
 * first word they come from binaries; with `many` there are a hundred larger launches, whose number is an argument. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    printf("%s: %d\n", what, status);
    exit(99);
}

static cl_program build(cl_context context, const char *path, const char *options)
{
    static char text[1 << 16];
    const char *at = text;
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(text, 1, sizeof(text), file) : 0;
    cl_int status;
    if (file)
        fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, &at, &size, &status);
    need(status, "clCreateProgramWithSource");
    need(clBuildProgram(program, 0, NULL, options, NULL, NULL), path);
    return program;
}

static cl_program from_binary(cl_context context, cl_device_id device, cl_program source)
{
    static unsigned char binary[1 << 20];
    unsigned char *place = binary;
    const unsigned char *bytes = binary;
    size_t size;
    cl_int status;
    need(clGetProgramInfo(source, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL), "CL_PROGRAM_BINARY_SIZES");
    if (size > sizeof(binary))
        need(CL_OUT_OF_RESOURCES, "the binary's size");
    need(clGetProgramInfo(source, CL_PROGRAM_BINARIES, sizeof(place), &place, NULL), "CL_PROGRAM_BINARIES");
    clReleaseProgram(source);
    cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &bytes, NULL, &status);
    need(status, "clCreateProgramWithBinary");
    need(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
    return program;
}

int main(int argc, char **argv)
{
    const bool is_binary = argc > 1 && !strcmp(argv[1], "binary"), is_many = argc > 1 && !strcmp(argv[1], "many");
    const size_t global = is_many ? 16384 : 128, local = 64;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    need(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    need(status, "clCreateCommandQueueWithProperties");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 22, NULL, &status);
    need(status, "clCreateBuffer");
    for (int i = is_binary || is_many ? 2 : 1; i + 1 < argc; i += 2) {
        cl_program program = build(context, argv[i], argv[i + 1]);
        if (is_binary)
            program = from_binary(context, device, program);
        cl_kernel kernel = clCreateKernel(program, "k", &status);
        need(status, "clCreateKernel");
        need(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
        for (cl_int n = 0; n < (is_many ? 100 : 3); n++) {
            if (is_many)
                need(clSetKernelArg(kernel, 1, sizeof(n), &n), "clSetKernelArg");
            need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "a launch");
        }
        need(clFinish(queue), "clFinish");
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
