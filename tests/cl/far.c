/* Generation 2 beyond 4 GiB: buffers that are larger, or are many, with little of them touched; ids above 2^32; faults with
 * 64-bit addresses. */
#define _GNU_SOURCE
#include "cl/cl_test.h"

#include <inttypes.h>
#include <unistd.h>

#define GIB (1ull << 30)

static const char source[] =
    "kernel void put(global ulong *to, ulong first, ulong step) {\n"
    "    ulong i = first + get_global_id(0) * step;\n"
    "    to[i] = i * 3 + 1;\n"
    "}\n"
    "kernel void add(global const ulong *a, ulong from, global ulong *sum, int n) {\n"
    "    ulong s = 0;\n"
    "    for (int i = 0; i < n; i++) s += a[from + i * 4096ul];\n"
    "    sum[get_global_id(0)] = s;\n"
    "}\n"
    "kernel void bytes(global const uchar *a, long back, global uint *out) {\n"
    "    out[get_global_id(0)] = a[5368709120l - back + get_global_id(0)];\n"
    "}\n"
    "kernel void many(global int *a, global int *b, global int *c) {\n"
    "    size_t i = get_global_id(0) * 1048576;\n"
    "    c[i] = a[i] + b[i]; atomic_add(&c[i], 5);\n"
    "}\n"
    "kernel void ids(global ulong *out) {\n"
    "    size_t i = get_global_id(0) - get_global_offset(0);\n"
    "    out[6 * i] = get_global_id(0); out[6 * i + 1] = get_global_id(1); out[6 * i + 2] = get_global_offset(0);\n"
    "    out[6 * i + 3] = get_global_size(0); out[6 * i + 4] = get_num_groups(0); out[6 * i + 5] = sizeof(size_t);\n"
    "}\n"
    "kernel void sizes(global ulong *out) {\n"
    "    if (get_group_id(0) == 0 && get_local_id(0) == 0) { out[0] = get_global_size(0); out[1] = get_num_groups(0); "
    "}\n"
    "    else if (get_global_id(0) == get_global_size(0) - 1) out[2] = get_global_id(0);\n"
    "}\n"
    "kernel void wild(global int *a, ulong i) { a[get_local_id(0) ? i : 0] = 1; }\n";

static cl_program program;

static uint64_t resident(void)
{
    unsigned long long total = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%llu %llu", &total, &pages) == 2);
    if (file)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static cl_mem buffer(size_t size)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return mem;
}

static void launch(cl_kernel kernel, size_t offset, size_t items)
{
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
}

static void test_info(void)
{
    cl_uint bits = 0;
    cl_ulong most = 0, total = 0;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_ADDRESS_BITS, sizeof(bits), &bits, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most), &most, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(total), &total, NULL), CL_SUCCESS);
    CHECK_EQ(bits, 64);
    CHECK(total == 128 * GIB && most == 64 * GIB);
    cl_int error;
    CHECK(!clCreateBuffer(context, 0, most + 1, NULL, &error));
    CHECK_EQ(error, CL_INVALID_BUFFER_SIZE);
}

/* One buffer of 5 GiB, by kernels and by every kind of host command. */
static void test_large(void)
{
    const uint64_t step = 65536, count = 8192; /* words: all of the first 4 GiB, 512 KiB apart */
    cl_mem mem = buffer(5 * GIB), sums = buffer(64 * 8), small = buffer(4096);
    cl_kernel put = kernel_of(program, "put"), add = kernel_of(program, "add"), bytes = kernel_of(program, "bytes");
    cl_ulong first = 7, word = 0;
    clSetKernelArg(put, 0, sizeof(mem), &mem);
    clSetKernelArg(put, 1, sizeof(first), &first);
    clSetKernelArg(put, 2, sizeof(step), &step);
    launch(put, 0, count);
    for (uint64_t i = 0; i < count; i += 511) {
        const uint64_t at = first + i * step;
        CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, at * 8, 8, &word, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(word, at * 3 + 1);
    }
    /* across 4 GiB */
    first = 4 * GIB / 8 - 100;
    const uint64_t one = 1;
    clSetKernelArg(put, 1, sizeof(first), &first);
    clSetKernelArg(put, 2, sizeof(one), &one);
    launch(put, 0, 200);
    cl_ulong words[200];
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, first * 8, sizeof(words), words, 0, NULL, NULL), CL_SUCCESS);
    for (unsigned i = 0; i < 200; i++)
        CHECK_EQ(words[i], (first + i) * 3 + 1);
    /* the host's commands beyond 4 GiB */
    const uint64_t high = 5 * GIB - 65536;
    cl_uint pattern = 0x01020304, seen[4];
    CHECK_EQ(clEnqueueFillBuffer(queue, mem, &pattern, 4, high, 4096, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBuffer(queue, mem, mem, high + 16, high + 32768, 1024, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBuffer(queue, mem, small, high + 32768, 0, 1024, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, small, CL_TRUE, 1008, 16, seen, 0, NULL, NULL), CL_SUCCESS);
    CHECK(seen[0] == pattern && seen[3] == pattern);
    const char text[] = "the end";
    CHECK_EQ(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 5 * GIB - 8, 8, text, 0, NULL, NULL), CL_SUCCESS);
    cl_int error;
    char *mapped =
        clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 5 * GIB - 8, 8, 0, NULL, NULL, &error);
    if (CHECK_EQ(error, CL_SUCCESS)) {
        CHECK_STR(mapped, text);
        mapped[0] = 'T';
        CHECK_EQ(clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL), CL_SUCCESS);
    }
    const size_t origin[3] = {high, 0, 0}, zero[3] = {0, 0, 0}, region[3] = {4, 4, 1};
    CHECK_EQ(clEnqueueReadBufferRect(queue, mem, CL_TRUE, origin, zero, region, 1024, 0, 4, 0, seen, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK(seen[0] == pattern && seen[3] == pattern);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 5 * GIB - 7, 8, seen, 0, NULL, NULL), CL_INVALID_VALUE);
    /* a kernel sees them: bytes at the end, with a negative distance */
    cl_long back = 8;
    clSetKernelArg(bytes, 0, sizeof(mem), &mem);
    clSetKernelArg(bytes, 1, sizeof(back), &back);
    clSetKernelArg(bytes, 2, sizeof(small), &small);
    launch(bytes, 0, 7);
    cl_uint letters[7];
    CHECK_EQ(clEnqueueReadBuffer(queue, small, CL_TRUE, 0, sizeof(letters), letters, 0, NULL, NULL), CL_SUCCESS);
    CHECK(letters[0] == 'T' && letters[6] == 'd');
    /* a uniform loop beyond 4 GiB */
    const cl_ulong from = 4 * GIB / 8;
    const cl_int n = 100;
    clSetKernelArg(add, 0, sizeof(mem), &mem);
    clSetKernelArg(add, 1, sizeof(from), &from);
    clSetKernelArg(add, 2, sizeof(sums), &sums);
    clSetKernelArg(add, 3, sizeof(n), &n);
    launch(add, 0, 64);
    CHECK_EQ(clEnqueueReadBuffer(queue, sums, CL_TRUE, 63 * 8, 8, &word, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(word, from * 3 + 1);
    /* a sub-buffer there */
    const cl_buffer_region part = {high, 4096};
    cl_mem sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &error);
    CHECK_EQ(error, CL_SUCCESS);
    first = 2;
    clSetKernelArg(put, 0, sizeof(sub), &sub);
    clSetKernelArg(put, 1, sizeof(first), &first);
    launch(put, 0, 1);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, high + 16, 8, &word, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(word, 7);
    clReleaseMemObject(sub);
    clReleaseKernel(put);
    clReleaseKernel(add);
    clReleaseKernel(bytes);
    clReleaseMemObject(mem);
    clReleaseMemObject(sums);
    clReleaseMemObject(small);
}

/* 64 GiB in 64 buffers, three at a time. */
static void test_sum(void)
{
    cl_mem mems[64];
    cl_kernel many = kernel_of(program, "many");
    for (unsigned i = 0; i < 64; i++)
        mems[i] = buffer(GIB);
    for (unsigned i = 0; i < 64; i++) {
        const cl_int value = (cl_int)i + 1;
        CHECK_EQ(clEnqueueWriteBuffer(queue, mems[i], CL_TRUE, 3 * 4194304, 4, &value, 0, NULL, NULL), CL_SUCCESS);
    }
    for (unsigned i = 0; i + 2 < 64; i += 3) {
        for (unsigned k = 0; k < 3; k++)
            clSetKernelArg(many, k, sizeof(cl_mem), &mems[i + k]);
        launch(many, 0, 64);
        cl_int got = 0;
        CHECK_EQ(clEnqueueReadBuffer(queue, mems[i + 2], CL_TRUE, 3 * 4194304, 4, &got, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(got, (cl_int)(i + 1 + i + 2 + 5));
    }
    clReleaseKernel(many);
    for (unsigned i = 0; i < 64; i++)
        clReleaseMemObject(mems[i]);
}

static void test_ids(void)
{
    cl_mem out = buffer(64 * 48);
    cl_kernel ids = kernel_of(program, "ids");
    cl_ulong words[64][6];
    const size_t offset = 0x300000007, items = 64, local = 32;
    clSetKernelArg(ids, 0, sizeof(out), &out);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, ids, 1, &offset, &items, &local, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL), CL_SUCCESS);
    for (unsigned i = 0; i < 64; i++)
        CHECK(words[i][0] == offset + i && words[i][1] == 0 && words[i][2] == offset && words[i][3] == 64 &&
              words[i][4] == 2 && words[i][5] == 8);
    /* ids that do not fit in 64 bits, and more workgroups than the machine numbers */
    const size_t last = SIZE_MAX - 10, huge = 1ull << 40, single = 1;
    CHECK_EQ(clEnqueueNDRangeKernel(queue, ids, 1, &last, &items, NULL, 0, NULL, NULL), CL_INVALID_GLOBAL_OFFSET);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, ids, 1, NULL, &huge, &single, 0, NULL, NULL), CL_INVALID_GLOBAL_WORK_SIZE);
    clReleaseKernel(ids);
    clReleaseMemObject(out);
}

static char reported[4096];
static void CL_CALLBACK notified(const char *text, const void *info, size_t size, void *data)
{
    (void)info, (void)size, (void)data;
    snprintf(reported, sizeof(reported), "%s", text);
}

/* An address that nothing is mapped at: the launch fails, and the report has all of it. */
static void test_fault(void)
{
    cl_int error;
    cl_context own = clCreateContext(NULL, 1, &device, notified, NULL, &error);
    cl_command_queue q = clCreateCommandQueue(own, device, 0, &error);
    const char *text = source;
    cl_program p = clCreateProgramWithSource(own, 1, &text, NULL, &error);
    CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_SUCCESS);
    cl_kernel wild = clCreateKernel(p, "wild", &error);
    cl_mem mem = clCreateBuffer(own, 0, 4096, NULL, &error);
    const cl_ulong far = 0x123456789000 / 4;
    const size_t items = 2;
    cl_event event;
    clSetKernelArg(wild, 0, sizeof(mem), &mem);
    clSetKernelArg(wild, 1, sizeof(far), &far);
    CHECK_EQ(clEnqueueNDRangeKernel(q, wild, 1, NULL, &items, NULL, 0, NULL, &event), CL_SUCCESS);
    CHECK(clWaitForEvents(1, &event) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_int status = 0;
    CHECK_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), CL_SUCCESS);
    CHECK(status < 0);
    CHECK(strstr(reported, "access to unmapped memory: write of 4 bytes at 0x123"));
    CHECK(strstr(reported, "warp 0, lane 1"));
    clReleaseEvent(event);
    clReleaseMemObject(mem);
    clReleaseKernel(wild);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseContext(own);
}

int main(void)
{
    setenv("CHENGYING_DEVICES", "gen2", 1);
    setenv("CHENGYING_MACHINE", "memory=128G", 1); /* whatever the host has */
    set_up(0);
    program = build(source, "-cl-std=CL3.0");
    test_info();
    test_large();
    test_sum();
    test_ids();
    test_fault();
    CHECK(resident() < GIB);
    clReleaseProgram(program);
    tear_down();
    return test_finish();
}
