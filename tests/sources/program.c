/* For binaries.py: `program write FILE.cl OPTIONS BINARY` writes a program's binary; `program run BINARY` launches its kernel `average`
 * on eight ones and prints the results. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 8 };
static cl_device_id device;
static cl_context context;
static char bytes[1 << 20];

static void need(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    printf("%s: %d\n", what, status);
    exit(99);
}

static size_t read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
    if (file)
        fclose(file);
    need(size ? CL_SUCCESS : CL_INVALID_VALUE, path);
    return size;
}

static void write_binary(const char *source, const char *options, const char *path)
{
    const char *text = bytes;
    unsigned char *place = (unsigned char *)bytes;
    size_t size = read_file(source);
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &text, &size, &status);
    need(status, "clCreateProgramWithSource");
    need(clBuildProgram(program, 0, NULL, options, NULL, NULL), source);
    need(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL), "CL_PROGRAM_BINARY_SIZES");
    need(size > sizeof(bytes) ? CL_OUT_OF_RESOURCES : CL_SUCCESS, "the binary's size");
    need(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(place), &place, NULL), "CL_PROGRAM_BINARIES");
    FILE *file = fopen(path, "wb");
    need(file && fwrite(bytes, 1, size, file) == size && !fclose(file) ? CL_SUCCESS : CL_INVALID_VALUE, path);
    clReleaseProgram(program);
}

static void run(const char *path)
{
    const unsigned char *binary = (const unsigned char *)bytes;
    const size_t size = read_file(path), global = ITEMS;
    float in[ITEMS], out[ITEMS];
    const cl_int n = ITEMS;
    cl_int status;
    for (int i = 0; i < ITEMS; i++)
        in[i] = 1;
    cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &binary, NULL, &status);
    need(status, "clCreateProgramWithBinary");
    need(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "average", &status);
    need(status, "clCreateKernel");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    need(status, "clCreateCommandQueueWithProperties");
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(in), in, &status);
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof(out), NULL, &status);
    need(clSetKernelArg(kernel, 0, sizeof(from), &from), "in");
    need(clSetKernelArg(kernel, 1, sizeof(to), &to), "out");
    need(clSetKernelArg(kernel, 2, sizeof(n), &n), "n");
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), "the launch");
    need(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), "the results");
    for (int i = 0; i < ITEMS - 1; i++)
        printf("%g%s", (double)out[i], i < ITEMS - 2 ? " " : "\n");
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseCommandQueue(queue);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_int status;
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    need(status, "clCreateContext");
    if (argc == 5 && !strcmp(argv[1], "write"))
        write_binary(argv[2], argv[3], argv[4]);
    else if (argc == 3)
        run(argv[2]);
    clReleaseContext(context);
    return 0;
}
