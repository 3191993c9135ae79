/* Host programs with one mistake each, and the same without it: host SCENARIO.  tests/check/host.py runs them. */
#define _DEFAULT_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const char *source = "kernel void add(global const int *in, global int *out, int n)\n"
                            "{\n"
                            "    int i = get_global_id(0);\n"
                            "    out[i] = in[i] + n;\n"
                            "}\n"
                            "kernel void put(global int *out, int n)\n"
                            "{\n"
                            "    out[get_global_id(0)] = n;\n"
                            "}\n"
                            "kernel void all(global const int *in, global int *out)\n"
                            "{\n"
                            "    int sum = 0;\n"
                            "    for (int i = 0; i < 8; i++)\n"
                            "        sum += in[i];\n"
                            "    out[get_global_id(0)] = sum;\n"
                            "}\n";

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void must(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, error);
        exit(1);
    }
}

static cl_mem buffer(cl_mem_flags flags, size_t size, void *host)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(context, flags, size, host, &error);
    must(error, "buffer");
    return mem;
}

enum { PAGE = 4096 };
static void CL_CALLBACK take_back(cl_mem mem, void *memory)
{
    (void)mem;
    munmap(memory, PAGE);
}

/* A buffer in memory of ours, which goes with it; and it has been mapped. */
static cl_mem lend(void)
{
    cl_int error;
    void *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cl_mem mem = buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, PAGE, memory);
    must(clSetMemObjectDestructorCallback(mem, take_back, memory), "callback");
    void *p = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE, 0, PAGE, 0, NULL, NULL, &error);
    must(error, "map");
    must(clEnqueueUnmapMemObject(queue, mem, p, 0, NULL, NULL), "unmap");
    must(clFinish(queue), "finish");
    return mem;
}

static cl_kernel kernel(const char *name)
{
    cl_int error;
    cl_kernel made = clCreateKernel(program, name, &error);
    must(error, "kernel");
    return made;
}

static void set(cl_kernel k, cl_mem a, cl_mem b, cl_int n)
{
    cl_uint at = 0;
    if (a)
        must(clSetKernelArg(k, at++, sizeof(a), &a), "argument");
    if (b)
        must(clSetKernelArg(k, at++, sizeof(b), &b), "argument");
    if (n >= 0)
        must(clSetKernelArg(k, at, sizeof(n), &n), "argument");
}

static void run(cl_kernel k, size_t count, cl_mem a, cl_mem b, cl_int n)
{
    set(k, a, b, n);
    must(clEnqueueNDRangeKernel(queue, k, 1, NULL, &count, NULL, 0, NULL, NULL), "launch");
    must(clFinish(queue), "finish");
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const int wrong = strncmp(name, "wrong_", 6) == 0;
    const char *what = strchr(name, '_') ? strchr(name, '_') + 1 : name;
    cl_platform_id platform;
    cl_device_id device;
    cl_int error, numbers[64] = {0};
    must(clGetPlatformIDs(1, &platform, NULL), "platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error, "context");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    must(error, "queue");
    program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    must(error, "program");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel add = kernel("add"), put = kernel("put"), all = kernel("all");
    if (clCreateKernel(program, "none", &error)) /* not made, so it is not a leak */
        return 1;
    cl_mem in = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(numbers), numbers);
    cl_mem out = buffer(CL_MEM_READ_WRITE, sizeof(numbers), NULL), extra = NULL;

    if (!strcmp(what, "mapped")) {
        int *p = clEnqueueMapBuffer(queue, out, CL_TRUE, CL_MAP_WRITE, 0, sizeof(numbers), 0, NULL, NULL, &error);
        must(error, "map");
        p[0] = 1;
        if (!wrong)
            must(clEnqueueUnmapMemObject(queue, out, p, 0, NULL, NULL), "unmap");
        run(put, 64, out, NULL, 7);
        if (wrong)
            must(clEnqueueUnmapMemObject(queue, out, p, 0, NULL, NULL), "unmap");
    } else if (!strcmp(what, "mapped_read")) {
        int *p = clEnqueueMapBuffer(queue, in, CL_TRUE, CL_MAP_READ, 0, sizeof(numbers), 0, NULL, NULL, &error);
        must(error, "map");
        if (wrong)
            run(put, 64, in, NULL, 7);
        else
            run(add, 64, in, out, 7); /* both may read */
        must(clEnqueueUnmapMemObject(queue, in, p, 0, NULL, NULL), "unmap");
    } else if (!strcmp(what, "sub_buffer")) {
        const cl_buffer_region region = {0, wrong ? 124 : 128};
        extra = clCreateSubBuffer(out, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        must(error, "sub-buffer");
        run(add, 32, in, extra, 7);
    } else if (!strcmp(what, "host_pointer")) {
        extra = buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, wrong ? 255 : 256, numbers);
        run(add, 64, extra, out, 7);
    } else if (!strcmp(what, "released")) {
        extra = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 256, numbers);
        must(clSetKernelArg(add, 0, sizeof(extra), &extra), "argument");
        must(clSetKernelArg(add, 1, sizeof(out), &out), "argument");
        must(clSetKernelArg(add, 2, sizeof(cl_int), &(cl_int){1}), "argument");
        if (wrong)
            must(clReleaseMemObject(extra), "release");
        must(clEnqueueNDRangeKernel(queue, add, 1, NULL, &(size_t){64}, NULL, 0, NULL, NULL), "launch");
        must(clFinish(queue), "finish");
        extra = wrong ? NULL : extra;
    } else if (!strcmp(what, "read_only")) {
        extra = buffer(wrong ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY, 256, NULL);
        run(put, 64, extra, NULL, 7);
    } else if (!strcmp(what, "write_only")) {
        extra = buffer((wrong ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY) | CL_MEM_COPY_HOST_PTR, 256, numbers);
        run(add, 64, extra, out, 7);
    } else if (!strcmp(what, "uninitialised")) {
        extra = buffer(CL_MEM_READ_WRITE, 256, NULL);
        if (!wrong)
            must(clEnqueueFillBuffer(queue, extra, &(cl_int){3}, 4, 0, 256, 0, NULL, NULL), "fill");
        run(add, 64, extra, out, 7);
    } else if (!strcmp(what, "half_written")) {
        extra = buffer(CL_MEM_READ_WRITE, 256, NULL);
        must(clEnqueueWriteBuffer(queue, extra, CL_TRUE, 0, wrong ? 128 : 256, numbers, 0, NULL, NULL), "write");
        run(add, 64, extra, out, 7);
    } else if (!strcmp(what, "copied")) {
        extra = buffer(CL_MEM_READ_WRITE, 256, NULL);
        must(clEnqueueCopyBuffer(queue, wrong ? out : in, extra, 0, 0, 256, 0, NULL, NULL), "copy");
        run(add, 64, extra, out, 7);
    } else if (!strcmp(what, "written_by_kernel")) {
        extra = buffer(CL_MEM_READ_WRITE, 256, NULL);
        run(put, wrong ? 63 : 64, extra, NULL, 7);
        run(add, 64, extra, out, 7);
    } else if (!strcmp(what, "between_launches")) { /* launches in a row do not race; work-items of one do */
        run(put, 64, in, NULL, 7);
        run(all, 64, in, wrong ? in : out, -1);
    } else if (!strcmp(what, "two_queues")) { /* the second reads what the first writes */
        cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &error);
        cl_event written;
        must(error, "queue");
        set(put, out, NULL, 7);
        must(clEnqueueNDRangeKernel(queue, put, 1, NULL, &(size_t){64}, NULL, 0, NULL, &written), "launch");
        must(clEnqueueReadBuffer(other, out, CL_TRUE, 0, 256, numbers, wrong ? 0 : 1, wrong ? NULL : &written, NULL),
             "read");
        must(clFinish(queue), "finish");
        must(clReleaseEvent(written), "event");
        must(clReleaseCommandQueue(other), "queue");
    } else if (!strcmp(what, "out_of_order")) {
        const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
        cl_command_queue other = clCreateCommandQueueWithProperties(context, device, properties, &error);
        must(error, "queue");
        set(put, out, NULL, 7);
        must(clEnqueueNDRangeKernel(other, put, 1, NULL, &(size_t){64}, NULL, 0, NULL, NULL), "launch");
        if (!wrong)
            must(clEnqueueBarrierWithWaitList(other, 0, NULL, NULL), "barrier");
        set(all, out, in, -1);
        must(clEnqueueNDRangeKernel(other, all, 1, NULL, &(size_t){64}, NULL, 0, NULL, NULL), "launch");
        must(clFinish(other), "finish");
        must(clReleaseCommandQueue(other), "queue");
    } else if (!strcmp(what, "halves")) { /* of one buffer, on two queues; the wrong ones overlap */
        cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &error);
        must(error, "queue");
        set(put, out, NULL, 7);
        must(clEnqueueNDRangeKernel(queue, put, 1, NULL, &(size_t){wrong ? 33 : 32}, NULL, 0, NULL, NULL), "launch");
        must(clEnqueueNDRangeKernel(other, put, 1, &(size_t){32}, &(size_t){32}, NULL, 0, NULL, NULL), "launch");
        must(clFinish(queue), "finish");
        must(clFinish(other), "finish");
        must(clReleaseCommandQueue(other), "queue");
    } else if (!strcmp(what, "host_waits")) { /* between two queues, or does not */
        cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &error);
        must(error, "queue");
        must(clEnqueueFillBuffer(queue, out, &(cl_int){3}, 4, 0, 256, 0, NULL, NULL), "fill");
        must(wrong ? clFlush(queue) : clFinish(queue), "finish");
        must(clEnqueueCopyBuffer(other, out, in, 0, 0, 256, 0, NULL, NULL), "copy");
        must(clFinish(other), "finish");
        must(clFinish(queue), "finish");
        must(clReleaseCommandQueue(other), "queue");
    } else if (!strcmp(what, "unmapped")) {
        int *p = clEnqueueMapBuffer(queue, in, CL_TRUE, CL_MAP_WRITE, 0, sizeof(numbers), 0, NULL, NULL, &error);
        must(error, "map");
        p[0] = 1;
        must(clEnqueueUnmapMemObject(queue, in, p, 0, NULL, NULL), "unmap");
        must(clFinish(queue), "finish");
        if (wrong)
            p[1] = 2;
        run(add, 64, in, out, 7);
        extra = lend();
    } else if (!strcmp(what, "released_mapped")) {
        extra = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 256, numbers);
        int *p = clEnqueueMapBuffer(queue, extra, CL_TRUE, CL_MAP_READ, 0, 256, 0, NULL, NULL, &error);
        must(error, "map");
        if (!wrong)
            must(clEnqueueUnmapMemObject(queue, extra, p, 0, NULL, NULL), "unmap");
        must(clFinish(queue), "finish");
    } else if (!strcmp(what, "small_argument")) { /* a buffer, and local memory, smaller than the kernel uses */
        extra = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, wrong ? 28 : 32, numbers);
        run(all, 64, extra, out, -1);
    } else {
        fprintf(stderr, "no scenario '%s'\n", name);
        return 1;
    }
    if (extra)
        clReleaseMemObject(extra);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseKernel(add);
    clReleaseKernel(put);
    clReleaseKernel(all);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
