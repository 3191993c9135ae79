/* Shared virtual memory on generation 2: lists that host and device build, pointers inside buffers, atomic operations of
 * both at the same time, commands and their errors.  On generation 1 every call answers that there is none. */
#define _GNU_SOURCE
#include "cl/cl_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

static const char source[] =
    "struct node { global struct node *next; int value, extra; };\n"
    "kernel void sum(global const struct node *list, global long *out) {\n"
    "    long s = 0;\n"
    "    for (; list; list = list->next) s += list->value;\n"
    "    out[get_global_id(0)] = s;\n"
    "}\n"
    "kernel void grow(global struct node *nodes, global struct node *global *head, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    nodes[i].value = 3 * i;\n"
    "    nodes[i].next = i + 1 < n ? &nodes[i + 1] : *head;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (!i) *head = nodes;\n"
    "}\n"
    "kernel void count(global atomic_int *c, int n) {\n"
    "    for (int i = 0; i < n; i++)\n"
    "        atomic_fetch_add_explicit(c, 1, memory_order_seq_cst, memory_scope_all_svm_devices);\n"
    "}\n"
    "kernel void answer(global atomic_int *flag, global int *data) {\n"
    "    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_all_svm_devices) != 1) ;\n"
    "    data[1] = data[0] * 2;\n"
    "    atomic_store_explicit(flag, 2, memory_order_release, memory_scope_all_svm_devices);\n"
    "}\n"
    "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
    "kernel void follow(global int *global *p) { *p[get_global_id(0)] = 5; }\n";

struct node {
    struct node *next;
    int value, extra;
};

static cl_program program;

static void run(cl_kernel kernel, size_t items)
{
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
}

static void *allocate(cl_svm_mem_flags flags, size_t size)
{
    void *pointer = clSVMAlloc(context, flags, size, 0);
    CHECK(pointer);
    return pointer;
}

/* The host builds a list across allocations, the device reads it; the device extends it, the host reads that. */
static void test_lists(void)
{
    enum { N = 300 };
    struct node *first = allocate(CL_MEM_READ_WRITE, N * sizeof(*first));
    struct node *second = allocate(CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, N * sizeof(*second));
    struct node *fresh = allocate(CL_MEM_READ_WRITE, 64 * sizeof(*fresh)), **head = allocate(0, sizeof(*head));
    long *out = allocate(CL_MEM_WRITE_ONLY, 64 * sizeof(*out)), expected = 0;
    cl_kernel sum = kernel_of(program, "sum"), grow = kernel_of(program, "grow");
    CHECK_EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, first, N * sizeof(*first), 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < N; i++) {
        first[i] = (struct node){&second[(i * 7) % N], i, 0};
        second[(i * 7) % N] = (struct node){i + 1 < N ? &first[i + 1] : NULL, -2 * i, 0};
        expected -= i;
    }
    CHECK_EQ(clEnqueueSVMUnmap(queue, first, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArgSVMPointer(sum, 0, first), CL_SUCCESS);
    CHECK_EQ(clSetKernelArgSVMPointer(sum, 1, out), CL_SUCCESS);
    const void *used[] = {second, first};
    CHECK_EQ(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(used), used), CL_SUCCESS);
    run(sum, 64);
    CHECK(out[0] == expected && out[63] == expected);
    /* in the middle of an allocation */
    CHECK_EQ(clSetKernelArgSVMPointer(sum, 0, &first[N - 1]), CL_SUCCESS);
    run(sum, 1);
    CHECK_EQ(out[0], N - 1 - 2 * (N - 1));
    CHECK_EQ(clSetKernelArgSVMPointer(sum, 0, NULL), CL_SUCCESS);
    run(sum, 1);
    CHECK_EQ(out[0], 0);

    const cl_int n = 64;
    *head = first;
    CHECK_EQ(clSetKernelArgSVMPointer(grow, 0, fresh), CL_SUCCESS);
    CHECK_EQ(clSetKernelArgSVMPointer(grow, 1, head), CL_SUCCESS);
    clSetKernelArg(grow, 2, sizeof(n), &n);
    const size_t items = 64;
    CHECK_EQ(clEnqueueNDRangeKernel(queue, grow, 1, NULL, &items, &items, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    long got = 0;
    int length = 0;
    for (const struct node *at = *head; at && length < 10000; at = at->next, length++)
        got += at->value;
    CHECK_EQ(length, 64 + 2 * N);
    CHECK_EQ(got, expected + 3 * 63 * 64 / 2);
    clReleaseKernel(sum);
    clReleaseKernel(grow);
    clSVMFree(context, first);
    clSVMFree(context, second);
    clSVMFree(context, fresh);
    clSVMFree(context, head);
    clSVMFree(context, out);
}

static void *count_here(void *counter)
{
    for (int i = 0; i < 20000; i++)
        atomic_fetch_add((atomic_int *)counter, 1);
    return NULL;
}

/* Host threads and work-items count together; then each waits for the other's flag while the kernel runs. */
static void test_atomics(void)
{
    const cl_svm_mem_flags fine = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    atomic_int *counter = allocate(fine, 4096);
    int *data = allocate(fine, 8);
    cl_kernel count = kernel_of(program, "count"), answer = kernel_of(program, "answer");
    const cl_int n = 20;
    const size_t items = 1024, one = 1;
    pthread_t threads[2];
    atomic_store(counter, 0);
    clSetKernelArgSVMPointer(count, 0, counter);
    clSetKernelArg(count, 1, sizeof(n), &n);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, count, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFlush(queue), CL_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, count_here, counter), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    CHECK_EQ(atomic_load(counter), 2 * 20000 + 1024 * 20);

    atomic_store(counter, 0);
    clSetKernelArgSVMPointer(answer, 0, counter);
    clSetKernelArgSVMPointer(answer, 1, data);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, answer, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFlush(queue), CL_SUCCESS);
    nanosleep(&(struct timespec){0, 50000000},
              NULL); /* the kernel waits for long: `cy check` must not take it for one that hangs */
    data[0] = 21;
    atomic_store_explicit(counter, 1, memory_order_release);
    while (atomic_load_explicit(counter, memory_order_acquire) != 2)
        sched_yield();
    CHECK_EQ(data[1], 42);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    clReleaseKernel(count);
    clReleaseKernel(answer);
    clSVMFree(context, counter);
    clSVMFree(context, data);
}

static atomic_int freed;
static void CL_CALLBACK free_them(cl_command_queue from, cl_uint count, void *pointers[], void *data)
{
    CHECK(from == queue && count == 2 && data == &freed);
    for (cl_uint i = 0; i < count; i++)
        clSVMFree(context, pointers[i]);
    atomic_fetch_add(&freed, 1);
}

static cl_command_type type_of(cl_event event)
{
    cl_command_type type = 0;
    CHECK_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL), CL_SUCCESS);
    clReleaseEvent(event);
    return type;
}

static void test_commands(void)
{
    int *a = allocate(CL_MEM_READ_WRITE, 4096), *b = allocate(CL_MEM_READ_WRITE, 4096), local[4] = {1, 2, 3, 4};
    const int pattern[2] = {7, 8};
    cl_event event;
    CHECK_EQ(clEnqueueSVMMemFill(queue, a, pattern, 8, 4096, 0, NULL, &event), CL_SUCCESS);
    CHECK_EQ(type_of(event), CL_COMMAND_SVM_MEMFILL);
    CHECK_EQ(clEnqueueSVMMemcpy(queue, CL_FALSE, b, a, 4096, 0, NULL, &event), CL_SUCCESS);
    CHECK_EQ(type_of(event), CL_COMMAND_SVM_MEMCPY);
    CHECK_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, b + 2, local, sizeof(local), 0, NULL, NULL), CL_SUCCESS);
    CHECK(b[0] == 7 && b[1] == 8 && b[2] == 1 && b[5] == 4 && b[6] == 7 && b[1023] == 8);
    const void *both[] = {a, b + 10};
    const size_t sizes[] = {0, 100};
    CHECK_EQ(clEnqueueSVMMigrateMem(queue, 2, both, sizes, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &event), CL_SUCCESS);
    CHECK_EQ(type_of(event), CL_COMMAND_SVM_MIGRATE_MEM);
    CHECK_EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a, 16, 0, NULL, &event), CL_SUCCESS);
    CHECK_EQ(type_of(event), CL_COMMAND_SVM_MAP);
    CHECK_EQ(clEnqueueSVMUnmap(queue, a, 0, NULL, &event), CL_SUCCESS);
    CHECK_EQ(type_of(event), CL_COMMAND_SVM_UNMAP);

    /* a buffer on it, and a kernel through both */
    cl_int error;
    CHECK(!clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 1 << 20, a + 128, &error)); /* more than was allocated */
    CHECK_EQ(error, CL_INVALID_BUFFER_SIZE);
    cl_mem mem = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 1024, a + 128, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_bool uses = CL_FALSE;
    void *host = NULL;
    CHECK_EQ(clGetMemObjectInfo(mem, CL_MEM_USES_SVM_POINTER, sizeof(uses), &uses, NULL), CL_SUCCESS);
    CHECK_EQ(clGetMemObjectInfo(mem, CL_MEM_HOST_PTR, sizeof(host), &host, NULL), CL_SUCCESS);
    CHECK(uses && host == a + 128);
    cl_kernel add = kernel_of(program, "add");
    const cl_int n = 100;
    clSetKernelArg(add, 0, sizeof(mem), &mem);
    clSetKernelArg(add, 1, sizeof(n), &n);
    run(add, 4);
    CHECK_EQ(clSetKernelArgSVMPointer(add, 0, a + 130), CL_SUCCESS);
    run(add, 1);
    CHECK(a[127] == 8 && a[128] == 107 && a[130] == 207 && a[131] == 108 && a[132] == 7);
    int *mapped = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 8, 4, 0, NULL, NULL, &error);
    CHECK(mapped == a + 130);
    CHECK_EQ(clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    clReleaseMemObject(mem);
    clReleaseKernel(add);

    void *pointers[2] = {a, b};
    cl_event gate = clCreateUserEvent(context, &error);
    CHECK_EQ(clEnqueueSVMFree(queue, 2, pointers, free_them, &freed, 1, &gate, &event), CL_SUCCESS);
    pointers[0] = pointers[1] = NULL; /* they were copied */
    CHECK_EQ(atomic_load(&freed), 0);
    clSetUserEventStatus(gate, CL_COMPLETE);
    CHECK_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    CHECK_EQ(atomic_load(&freed), 1);
    CHECK_EQ(type_of(event), CL_COMMAND_SVM_FREE);
    clReleaseEvent(gate);
    pointers[0] = allocate(0, 64);
    CHECK_EQ(clEnqueueSVMFree(queue, 1, pointers, NULL, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMUnmap(queue, pointers[0], 0, NULL, NULL), CL_INVALID_VALUE); /* it is gone */
}

static void test_errors(void)
{
    char *p = allocate(0, 256), other[64];
    cl_kernel add = kernel_of(program, "add");
    void *null = NULL;
    const void *outside = other;
    const cl_bool yes = CL_TRUE, no = CL_FALSE;
    CHECK(!clSVMAlloc(NULL, 0, 64, 0) && !clSVMAlloc(context, 0, 0, 0) && !clSVMAlloc(context, 0, SIZE_MAX, 0));
    CHECK(!clSVMAlloc(context, 0, 64, 3) && !clSVMAlloc(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0));
    CHECK(!clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 64, 0) && !clSVMAlloc(context, CL_MEM_USE_HOST_PTR, 64, 0));
    void *aligned = clSVMAlloc(context, 0, 64, 8192);
    CHECK(aligned && (uintptr_t)aligned % 8192 == 0);
    clSVMFree(context, aligned);
    clSVMFree(context, NULL);
    clSVMFree(context, other);
    CHECK_EQ(clEnqueueSVMFree(NULL, 0, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueSVMFree(queue, 0, &null, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMFree(queue, 1, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, NULL, p, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, p, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, p, p + 7, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, p + 7, p, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, p, p + 8, 8, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, p, p + 8, 8, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueSVMMemFill(queue, NULL, p, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemFill(queue, p, NULL, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemFill(queue, p, other, 3, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemFill(queue, p + 2, other, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMemFill(queue, p, other, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMap(queue, CL_TRUE, 0x100, p, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMUnmap(queue, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMigrateMem(queue, 0, NULL, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueSVMMigrateMem(queue, 1, &outside, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clSetKernelArgSVMPointer(NULL, 0, p), CL_INVALID_KERNEL);
    CHECK_EQ(clSetKernelArgSVMPointer(add, 7, p), CL_INVALID_ARG_INDEX);
    CHECK_EQ(clSetKernelArgSVMPointer(add, 1, p), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArgSVMPointer(add, 0, other), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, &p), CL_INVALID_KERNEL);
    CHECK_EQ(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, 7, &p), CL_INVALID_VALUE);
    CHECK_EQ(clSetKernelExecInfo(add, 0x1234, 8, &p), CL_INVALID_VALUE);
    CHECK_EQ(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(yes), &yes),
             CL_INVALID_OPERATION);
    CHECK_EQ(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(no), &no), CL_SUCCESS);
    clReleaseKernel(add);
    clSVMFree(context, p);
}

/* A kernel follows pointers into the process's own memory, and into memory that was freed: faults, and the host lives. */
static void test_wild(void)
{
    static int ours = 1;
    int **pointers = allocate(0, 64), *gone = allocate(0, 4096), *stack[1] = {&ours};
    cl_kernel follow = kernel_of(program, "follow");
    int *targets[] = {&ours, (int *)(void *)stack, gone, (int *)(void *)program};
    clSVMFree(context, gone);
    CHECK_EQ(clSetKernelArgSVMPointer(follow, 0, pointers), CL_SUCCESS);
    for (unsigned i = 0; i < 4; i++) {
        const size_t one = 1;
        cl_event event;
        pointers[0] = targets[i];
        CHECK_EQ(clEnqueueNDRangeKernel(queue, follow, 1, NULL, &one, NULL, 0, NULL, &event), CL_SUCCESS);
        CHECK_EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        clReleaseEvent(event);
    }
    CHECK_EQ(ours, 1);
    pointers[0] = (int *)(void *)(pointers + 4);
    run(follow, 1);
    CHECK_EQ(*(int *)(void *)(pointers + 4), 5);
    clReleaseKernel(follow);
    clSVMFree(context, pointers);
}

/* Both generations in one context: generation 2 has shared virtual memory, generation 1 says that it has none. */
static void test_mixed(void)
{
    cl_device_id both[2];
    cl_int error;
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, both, NULL), CL_SUCCESS);
    cl_device_svm_capabilities first = 1, second = 0;
    clGetDeviceInfo(both[0], CL_DEVICE_SVM_CAPABILITIES, sizeof(first), &first, NULL);
    clGetDeviceInfo(both[1], CL_DEVICE_SVM_CAPABILITIES, sizeof(second), &second, NULL);
    CHECK_EQ(first, 0);
    CHECK_EQ(second, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS);
    cl_context mixed = clCreateContext(NULL, 2, both, NULL, NULL, &error);
    cl_command_queue queues[2];
    const char *text = source;
    for (int i = 0; i < 2; i++)
        queues[i] = clCreateCommandQueue(mixed, both[i], 0, &error);
    cl_program built = clCreateProgramWithSource(mixed, 1, &text, NULL, &error);
    CHECK_EQ(clBuildProgram(built, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_SUCCESS);
    cl_kernel add = clCreateKernel(built, "add", &error);
    int *p = clSVMAlloc(mixed, 0, 256, 0);
    const cl_int n = 3, zero = 0;
    const size_t items = 64;
    if (!CHECK(p))
        return;
    CHECK_EQ(clEnqueueSVMMemFill(queues[1], p, &zero, sizeof(zero), 256, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArgSVMPointer(add, 0, p), CL_SUCCESS);
    clSetKernelArg(add, 1, sizeof(n), &n);
    CHECK_EQ(clEnqueueNDRangeKernel(queues[0], add, 1, NULL, &items, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueSVMMap(queues[0], CL_TRUE, CL_MAP_READ, p, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueSVMMemcpy(queues[0], CL_TRUE, p + 8, p, 32, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueSVMMemcpy(queues[0], CL_TRUE, NULL, NULL, 32, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueSVMMemcpy(queues[0], CL_TRUE, p + 7, p, 32, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueSVMMemcpy(queues[0], CL_TRUE, p, p, 32, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueNDRangeKernel(queues[1], add, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queues[1]), CL_SUCCESS);
    CHECK(p[0] == 3 && p[63] == 3);
    /* an ordinary buffer is seen by both */
    cl_mem mem = clCreateBuffer(mixed, CL_MEM_COPY_HOST_PTR, 256, p, &error);
    clSetKernelArg(add, 0, sizeof(mem), &mem);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(clEnqueueNDRangeKernel(queues[i], add, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFinish(queues[i]), CL_SUCCESS);
    }
    CHECK_EQ(clEnqueueReadBuffer(queues[0], mem, CL_TRUE, 0, 256, p, 0, NULL, NULL), CL_SUCCESS);
    CHECK(p[0] == 9 && p[63] == 9);
    /* one that only generation 2 can hold */
    cl_mem large = clCreateBuffer(mixed, 0, 5ull << 30, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueFillBuffer(queues[1], large, &zero, sizeof(zero), 0, 256, 0, NULL, NULL), CL_SUCCESS);
    clSetKernelArg(add, 0, sizeof(large), &large);
    CHECK_EQ(clEnqueueNDRangeKernel(queues[0], add, 1, NULL, &items, NULL, 0, NULL, NULL),
             CL_MEM_OBJECT_ALLOCATION_FAILURE);
    CHECK_EQ(clEnqueueNDRangeKernel(queues[1], add, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queues[1]), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queues[0], large, CL_TRUE, 0, 256, p, 0, NULL, NULL), CL_SUCCESS);
    CHECK(p[0] == 3 && p[63] == 3);
    clReleaseMemObject(large);
    clReleaseMemObject(mem);
    clReleaseKernel(add);
    clReleaseProgram(built);
    for (int i = 0; i < 2; i++)
        clReleaseCommandQueue(queues[i]);
    clReleaseContext(mixed); /* with its allocation */
}

int main(void)
{
    cl_int error;
    cl_device_id devices[2];
    cl_uint count = 0;
    setenv("CHENGYING_DEBUG", "0", 1); /* faults are meant */
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    if (!CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 2, devices, &count), CL_SUCCESS) || !CHECK_EQ(count, 2))
        return test_finish();
    device = devices[1];
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    program = build(source, "-cl-std=CL3.0");
    test_lists();
    test_atomics();
    test_commands();
    test_errors();
    test_wild();
    test_mixed();
    clReleaseProgram(program);
    tear_down();
    return test_finish();
}
