/* bench_opencl PLATFORM DIRECTORY REPS WHAT [N]: OpenCL micro-benchmarks, one line of figures each, for bench/run.
 *
 *     PLATFORM   part of the platform's name
 *     DIRECTORY  of the kernels' sources
 *     REPS       runs, of which the best counts; with 1 there is no run to warm up
 *     WHAT       vecadd, matmul ... (kernels.c) or bfs, dwt ... (suite.c): CPU and wall time per operation, results checked
 *                a program (programs.c): CPU and wall time, sum and hash of its results
 *                images: reads of every common format (images.c)
 *                launches: an empty kernel    copies: buffers against memcpy
 *     N          elements, order of the matrix, bodies, side of the picture */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void bench_check(cl_int error, const char *file, int line, const char *call)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s:%d: error %d from %s\n", file, line, error, call);
    exit(2);
}

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double bench_wall(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double bench_cpu(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* The process's time has that of a thread only up to the last tick or until it last stopped: of one that has just told us that it is done,
 * all may be missing.  Asking for a thread's own time adds it. */
static void add_threads(void)
{
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *thread; threads && (thread = readdir(threads));) {
        const unsigned id = (unsigned)strtoul(thread->d_name, NULL, 10);
        if (id)
            clock_gettime((clockid_t)(~id << 3 | 6), &(struct timespec){0}); /* the number of its clock */
    }
    if (threads)
        closedir(threads);
}

double bench_cpu_since(double start)
{
    const double own = read_clock(CLOCK_THREAD_CPUTIME_ID);
    add_threads();
    const double asking = read_clock(CLOCK_THREAD_CPUTIME_ID) - own;
    return bench_cpu() - start - asking;
}

cl_kernel bench_kernel(const struct bench *bench, const char *name, const char *source, size_t size)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(bench->context, 1, &source, &size, &error);
    CALL(error);
    CALL(clBuildProgram(program, 1, &bench->device, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, name, &error);
    CALL(error);
    CALL(clReleaseProgram(program));
    return kernel;
}

static void open_platform(struct bench *bench, const char *name)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    cl_int error;
    CALL(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char text[256] = "";
        CALL(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(text), text, NULL));
        if (!strstr(text, name) ||
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &bench->device, NULL) != CL_SUCCESS)
            continue;
        bench->context = clCreateContext(NULL, 1, &bench->device, NULL, NULL, &error);
        CALL(error);
        bench->queue = clCreateCommandQueue(bench->context, bench->device, 0, &error);
        CALL(error);
        return;
    }
    fprintf(stderr, "bench_opencl: no platform '%s' with a device among %u\n", name, count);
    exit(2);
}

static bool run_kernel(const struct bench *bench, const char *name, size_t n)
{
    const struct bench_entry *const lists[] = {bench_five, bench_suite};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        for (const struct bench_entry *entry = lists[i]; entry->name; entry++)
            if (!strcmp(name, entry->name))
                return entry->run(bench, n);
    if (bench_program(bench, name))
        return true;
    fprintf(stderr, "bench_opencl: no benchmark '%s'\n", name);
    return false;
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    bool ok = true;
    if (argc < 5) {
        fprintf(stderr, "usage: bench_opencl PLATFORM DIRECTORY REPS WHAT [N]\n");
        return 1;
    }
    bench.directory = argv[2];
    bench.reps = (unsigned)strtoul(argv[3], NULL, 10);
    open_platform(&bench, argv[1]);
    if (!strcmp(argv[4], "launches"))
        bench_launches(&bench);
    else if (!strcmp(argv[4], "copies"))
        bench_copies(&bench);
    else if (!strcmp(argv[4], "images"))
        bench_images(&bench, argc > 5 ? strtoul(argv[5], NULL, 10) : 0);
    else
        ok = run_kernel(&bench, argv[4], argc > 5 ? strtoul(argv[5], NULL, 10) : 0);
    CALL(clReleaseCommandQueue(bench.queue));
    CALL(clReleaseContext(bench.context));
    return ok ? 0 : 1;
}
