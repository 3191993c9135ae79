/* Launches kernels and ends as its argument says, for ends.py: `ends HOW [DEVICES]`. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] = "kernel void fill(global int *p, int far) { int i = get_global_id(0); p[i] = i;\n"
                             "    if (far && i == 70) p[far] = 1; }\n"
                             "kernel void loops(global volatile int *p) { while (!p[0]) p[1]++; }\n";

static void need(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    printf("%s: %d\n", what, status);
    exit(99);
}

static cl_int launch(cl_command_queue queue, cl_program program, cl_mem buffer, cl_int far)
{
    const size_t global = 128, local = 64;
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "fill", &status);
    need(status, "clCreateKernel");
    need(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
    need(clSetKernelArg(kernel, 1, sizeof(far), &far), "clSetKernelArg");
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    clReleaseKernel(kernel);
    return clFinish(queue);
}

/* More programs than a profile ever held at first. */
static void load_many(cl_context context, cl_device_id device, cl_command_queue queue, cl_program like, cl_mem buffer)
{
    static unsigned char binary[1 << 20];
    unsigned char *place = binary;
    const unsigned char *bytes = binary;
    size_t size;
    need(clGetProgramInfo(like, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL), "CL_PROGRAM_BINARY_SIZES");
    if (size > sizeof(binary))
        need(CL_OUT_OF_RESOURCES, "the binary's size");
    need(clGetProgramInfo(like, CL_PROGRAM_BINARIES, sizeof(place), &place, NULL), "CL_PROGRAM_BINARIES");
    for (int i = 0; i < 1100; i++) {
        cl_int status;
        cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &bytes, NULL, &status);
        need(status, "clCreateProgramWithBinary");
        need(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
        need(launch(queue, program, buffer, 0), "one of many");
        clReleaseProgram(program);
    }
}

/* A kernel that does not end, and the process while it runs. */
static void end_running(cl_command_queue queue, cl_program program, cl_mem buffer)
{
    const size_t global = 1;
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "loops", &status);
    need(status, "clCreateKernel");
    need(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    clFlush(queue);
    sleep(1);
    raise(SIGKILL);
}

static void end(const char *how, char *self)
{
    if (!strcmp(how, "exec"))
        execl("/proc/self/exe", self, (char *)NULL);
    if (!strcmp(how, "_exit"))
        _exit(5);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "quick"))
        quick_exit(6);
    if (!strcmp(how, "sleep")) {
        puts("asleep");
        fflush(stdout);
        for (;;)
            pause();
    }
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id devices[2];
    const char *how = argc > 1 ? argv[1] : "";
    const cl_uint count = argc > 2 ? 2 : 1;
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices, NULL), "clGetDeviceIDs");
    for (cl_uint i = 0; i < count; i++) {
        cl_int status;
        const char *text = source;
        cl_context context = clCreateContext(NULL, 1, &devices[i], NULL, NULL, &status);
        need(status, "clCreateContext");
        cl_command_queue queue = clCreateCommandQueueWithProperties(context, devices[i], NULL, &status);
        need(status, "clCreateCommandQueueWithProperties");
        cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
        need(status, "clCreateProgramWithSource");
        need(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
        cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &status);
        need(status, "clCreateBuffer");
        need(launch(queue, program, buffer, 0), "fill");
        if (!strcmp(how, "fault"))
            launch(queue, program, buffer, 400000000);
        need(launch(queue, program, buffer, 0), "fill again");
        if (!strcmp(how, "many"))
            load_many(context, devices[i], queue, program, buffer);
        need(launch(queue, program, buffer, 0), "fill again");
        if (!strcmp(how, "running"))
            end_running(queue, program, buffer);
        if (i + 1 == count)
            end(how, argv[0]);
        clReleaseMemObject(buffer);
        clReleaseProgram(program);
        clReleaseCommandQueue(queue);
        clReleaseContext(context);
    }
    return 0;
}
