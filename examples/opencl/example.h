/* Shared by the examples: the device, a context, a queue and a built program.  vecadd.c does it step by step. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

struct example {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    char name[128]; /* of the device */
};

static inline void check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, error);
    exit(1);
}

/* `notify`, or NULL, receives the context's errors; a program that does not compile exits with its messages. */
static inline struct example start(const char *source, cl_command_queue_properties properties,
                                   void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *))
{
    struct example example;
    cl_platform_id platform;
    cl_int error;
    check(clGetPlatformIDs(1, &platform, NULL), "no platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &example.device, NULL), "no device");
    check(clGetDeviceInfo(example.device, CL_DEVICE_NAME, sizeof(example.name), example.name, NULL),
          "the device's name");
    example.context = clCreateContext(NULL, 1, &example.device, notify, NULL, &error);
    check(error, "the context");
    example.queue = clCreateCommandQueue(example.context, example.device, properties, &error);
    check(error, "the queue");
    example.program = clCreateProgramWithSource(example.context, 1, &source, NULL, &error);
    check(error, "the program");
    error = clBuildProgram(example.program, 1, &example.device, "", NULL, NULL);
    if (error != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(example.program, example.device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fputs(log, stderr);
    }
    check(error, "building");
    return example;
}

static inline cl_kernel kernel_of(const struct example *example, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(example->program, name, &error);
    check(error, name);
    return kernel;
}

/* Device memory; with `data` it starts with a copy of it. */
static inline cl_mem buffer_of(const struct example *example, size_t size, void *data)
{
    cl_int error;
    cl_mem mem =
        clCreateBuffer(example->context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), size, data, &error);
    check(error, "a buffer");
    return mem;
}

static inline void finish(struct example *example)
{
    clReleaseProgram(example->program);
    clReleaseCommandQueue(example->queue);
    clReleaseContext(example->context);
}

#endif
