/* Two programs, one from a file, and two queues. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *other = "__kernel void second(__global int *p)\n"
                           "{\n"
                           "    int id = get_global_id(0);\n"
                           "    int x = p[id] * 2;\n"
                           "    p[id] = x;\n"
                           "}\n";

int main(void)
{
    static char text[65536];
    FILE *file = fopen("control.cl", "r");
    text[file ? fread(text, 1, sizeof(text) - 1, file) : 0] = 0;
    const char *source = text;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queues[2] = {clCreateCommandQueue(context, device, 0, NULL),
                                  clCreateCommandQueue(context, device, 0, NULL)};
    cl_program programs[2] = {clCreateProgramWithSource(context, 1, &source, NULL, NULL),
                              clCreateProgramWithSource(context, 1, &other, NULL, NULL)};
    clBuildProgram(programs[0], 1, &device, "", NULL, NULL);
    clBuildProgram(programs[1], 1, &device, "", NULL, NULL);
    cl_kernel first = clCreateKernel(programs[0], "diverge", NULL),
              second = clCreateKernel(programs[1], "second", NULL);
    cl_mem buffers[2] = {clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL),
                         clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL)};
    int three = 3, out[64];
    size_t global = 64, local = 32;
    for (int i = 0; i < 2; i++) {
        clSetKernelArg(first, 0, sizeof(buffers[i]), &buffers[i]);
        clSetKernelArg(first, 1, sizeof(three), &three);
        clSetKernelArg(second, 0, sizeof(buffers[i]), &buffers[i]);
        clEnqueueNDRangeKernel(queues[i], first, 1, NULL, &global, &local, 0, NULL, NULL);
        clEnqueueNDRangeKernel(queues[i], second, 1, NULL, &global, &local, 0, NULL, NULL);
    }
    clFinish(queues[0]);
    clFinish(queues[1]);
    for (int i = 0; i < 2; i++) {
        clEnqueueReadBuffer(queues[i], buffers[i], CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL);
        printf("out %d: %d %d %d %d\n", i, out[0], out[1], out[2], out[3]);
    }
    clReleaseKernel(first), clReleaseKernel(second);
    for (int i = 0; i < 2; i++)
        clReleaseMemObject(buffers[i]), clReleaseProgram(programs[i]), clReleaseCommandQueue(queues[i]);
    clReleaseContext(context);
    if (file)
        fclose(file);
    return 0;
}
