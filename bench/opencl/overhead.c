/* What a call costs: launches of an empty kernel, and copies next to memcpy. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- launches ---- */

void bench_launches(const struct bench *bench)
{
    enum { COUNT = 500 };
    static const char source[] = "__kernel void nothing(int unused) {}";
    cl_kernel kernel = bench_kernel(bench, "nothing", source, sizeof(source) - 1);
    cl_int unused = 0;
    size_t one = 1;
    double piped = INFINITY, waited = INFINITY, piped_cpu = INFINITY,
           waited_cpu = INFINITY; /* CPU time of all threads */
    CALL(clSetKernelArg(kernel, 0, sizeof(unused), &unused));
    for (unsigned rep = 0; rep < bench->reps; rep++) {
        double start = bench_wall(), cpu = bench_cpu();
        for (int i = 0; i < COUNT; i++)
            CALL(clEnqueueNDRangeKernel(bench->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        CALL(clFinish(bench->queue));
        piped = fmin(piped, (bench_wall() - start) / (double)COUNT);
        piped_cpu = fmin(piped_cpu, bench_cpu_since(cpu) / (double)COUNT);
        cpu = bench_cpu();
        for (int i = 0; i < COUNT; i++) {
            start = bench_wall();
            CALL(clEnqueueNDRangeKernel(bench->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
            CALL(clFinish(bench->queue));
            waited = fmin(waited, bench_wall() - start);
        }
        waited_cpu = fmin(waited_cpu, bench_cpu_since(cpu) / (double)COUNT);
    }
    printf("launches %.3f us in a row %.3f us waited for, cpu %.3f us %.3f us\n", piped * 1e6, waited * 1e6,
           piped_cpu * 1e6, waited_cpu * 1e6);
    CALL(clReleaseKernel(kernel));
}

/* ---- copies ---- */

enum way { MEMCPY, READ, WRITE, COPY, MAP, WAYS };
static const char *const way_names[WAYS] = {"memcpy", "read", "write", "copy", "map"};

struct bytes {
    char *host, *other;
    cl_mem buffer, target;
};

static double once(const struct bench *bench, enum way way, const struct bytes *b, size_t size)
{
    cl_command_queue queue = bench->queue;
    cl_int error = CL_SUCCESS;
    double start = bench_wall();
    switch (way) {
    case MEMCPY:
        memcpy(b->other, b->host, size);
        __asm__ volatile("" : : "r"(b->other) : "memory"); /* or the compiler drops it */
        break;
    case READ: error = clEnqueueReadBuffer(queue, b->buffer, CL_TRUE, 0, size, b->other, 0, NULL, NULL); break;
    case WRITE: error = clEnqueueWriteBuffer(queue, b->buffer, CL_TRUE, 0, size, b->host, 0, NULL, NULL); break;
    case COPY:
        CALL(clEnqueueCopyBuffer(queue, b->buffer, b->target, 0, 0, size, 0, NULL, NULL));
        error = clFinish(queue);
        break;
    case MAP: { /* to read what is in the buffer: the copy is the application's */
        void *seen = clEnqueueMapBuffer(queue, b->buffer, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &error);
        CALL(error);
        memcpy(b->other, seen, size);
        CALL(clEnqueueUnmapMemObject(queue, b->buffer, seen, 0, NULL, NULL));
        error = clFinish(queue);
        break;
    }
    case WAYS: break;
    }
    CALL(error);
    return bench_wall() - start;
}

static double best(const struct bench *bench, enum way way, const struct bytes *b, size_t size)
{
    /* about a millisecond of copying in each run, several runs */
    unsigned count = (unsigned)((size_t)(1 << 22) / size) + 1;
    double result = INFINITY;
    for (unsigned rep = 0; rep < bench->reps; rep++)
        for (unsigned i = 0; i < count; i++)
            result = fmin(result, once(bench, way, b, size));
    return result;
}

/* The first write to a buffer, next to the first write to memory of the host. */
static void first_writes(const struct bench *bench, const struct bytes *b, size_t size)
{
    double ours = INFINITY, hosts = INFINITY;
    for (unsigned rep = 0; rep < bench->reps; rep++) {
        cl_int error;
        cl_mem fresh = clCreateBuffer(bench->context, CL_MEM_READ_WRITE, size, NULL, &error);
        CALL(error);
        double start = bench_wall();
        CALL(clEnqueueWriteBuffer(bench->queue, fresh, CL_TRUE, 0, size, b->host, 0, NULL, NULL));
        ours = fmin(ours, bench_wall() - start);
        CALL(clReleaseMemObject(fresh));
        start = bench_wall();
        char *memory = malloc(size);
        if (!memory)
            abort();
        memcpy(memory, b->host, size);
        __asm__ volatile("" : : "r"(memory) : "memory");
        hosts = fmin(hosts, bench_wall() - start);
        free(memory);
    }
    printf("first %zu bytes memcpy %.3f us write %.3f us\n", size, hosts * 1e6, ours * 1e6);
}

void bench_copies(const struct bench *bench)
{
    static const size_t sizes[] = {4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20};
    const size_t most = sizes[sizeof(sizes) / sizeof(sizes[0]) - 1];
    struct bytes b = {malloc(most), malloc(most), NULL, NULL};
    cl_int error;
    if (!b.host || !b.other)
        abort();
    memset(b.host, 1, most);
    memset(b.other, 2, most);
    b.buffer = clCreateBuffer(bench->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, most, b.host, &error);
    CALL(error);
    b.target = clCreateBuffer(bench->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, most, b.host, &error);
    CALL(error);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        printf("copies %zu bytes", sizes[i]);
        for (int way = 0; way < WAYS; way++)
            printf(" %s %.3f us", way_names[way], best(bench, (enum way)way, &b, sizes[i]) * 1e6);
        printf("\n");
    }
    first_writes(bench, &b, most);
    CALL(clReleaseMemObject(b.buffer));
    CALL(clReleaseMemObject(b.target));
    free(b.host);
    free(b.other);
}
