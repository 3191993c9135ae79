/* Shared by the tests of the OpenCL runtime: a context and a queue on our platform, found through the ICD loader. */
#ifndef CY_TESTS_CL_TEST_H
#define CY_TESTS_CL_TEST_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>

#include "support/test.h"

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static inline void set_up(cl_command_queue_properties properties)
{
    cl_uint count = 0;
    cl_int error = clGetPlatformIDs(1, &platform, &count);
    char name[64] = "";
    if (error == CL_SUCCESS)
        clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, NULL);
    if (!CHECK_EQ(error, CL_SUCCESS) || !CHECK_EQ(count, 1) || !CHECK_STR(name, "Chengying"))
        exit(test_finish());
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), CL_SUCCESS);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    queue = clCreateCommandQueue(context, device, properties, &error);
    if (!CHECK_EQ(error, CL_SUCCESS))
        exit(test_finish());
}

static inline void tear_down(void)
{
    CHECK_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(context), CL_SUCCESS);
}

static inline cl_program build(const char *source, const char *options)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    error = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    if (!CHECK_EQ(error, CL_SUCCESS)) {
        char log[65536] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fputs(log, stderr);
        exit(test_finish());
    }
    return program;
}

static inline cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    if (!CHECK_EQ(error, CL_SUCCESS)) {
        char log[4096] = ""; /* a build with a callback may have failed */
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fputs(log, stderr);
        exit(test_finish());
    }
    return kernel;
}

static inline cl_mem buffer_of(cl_mem_flags flags, size_t size, void *host)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(context, flags, size, host, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return mem;
}

#endif
