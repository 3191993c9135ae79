/* The five kernels: inputs, launches, and what the host computes to hold their results against. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 256, TILE = 16, MAX_ITERATIONS = 256 };

/* A launch being set up and measured. */
struct job {
    const struct bench *bench;
    cl_kernel kernel;
    cl_uint arguments;
    cl_mem buffers[4];
    unsigned buffer_count;
    double wall, cpu; /* the best run, seconds */
};

static struct job load(const struct bench *bench, const char *name)
{
    char path[4096], source[65536];
    snprintf(path, sizeof(path), "%s/%s.cl", bench->directory, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    size_t size = fread(source, 1, sizeof(source), file);
    fclose(file);
    return (struct job){.bench = bench, .kernel = bench_kernel(bench, name, source, size)};
}

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        abort();
    return memory;
}

/* The next argument: a buffer with the host's data in it (NULL: nothing). */
static cl_mem pass_buffer(struct job *job, size_t size, void *data)
{
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(job->bench->context, data ? CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE, size, data, &error);
    CALL(error);
    CALL(clSetKernelArg(job->kernel, job->arguments++, sizeof(buffer), &buffer));
    return job->buffers[job->buffer_count++] = buffer;
}

static void pass(struct job *job, size_t size, const void *value)
{
    CALL(clSetKernelArg(job->kernel, job->arguments++, size, value));
}

static void run(struct job *job, cl_uint dimensions, const size_t *global, const size_t *local)
{
    bool warm = job->bench->reps > 1;
    job->wall = job->cpu = INFINITY;
    for (unsigned i = 0; i < job->bench->reps + warm; i++) {
        double wall = bench_wall(), cpu = bench_cpu();
        CALL(clEnqueueNDRangeKernel(job->bench->queue, job->kernel, dimensions, NULL, global, local, 0, NULL, NULL));
        CALL(clFinish(job->bench->queue));
        wall = bench_wall() - wall, cpu = bench_cpu() - cpu;
        if (i || !warm) {
            job->wall = fmin(job->wall, wall);
            job->cpu = fmin(job->cpu, cpu);
        }
    }
}

static void read_back(const struct job *job, cl_mem buffer, size_t size, void *to)
{
    CALL(clEnqueueReadBuffer(job->bench->queue, buffer, CL_TRUE, 0, size, to, 0, NULL, NULL));
}

static bool report(struct job *job, const char *name, double operations, bool ok)
{
    printf("%s %.0f operations %.5f ns cpu %.5f ns wall %s\n", name, operations, job->cpu * 1e9 / operations,
           job->wall * 1e9 / operations, ok ? "right" : "WRONG");
    for (unsigned i = 0; i < job->buffer_count; i++)
        clReleaseMemObject(job->buffers[i]);
    clReleaseKernel(job->kernel);
    return ok;
}

/* -0.5 to 0.5, the same in every run */
static float noise(void)
{
    static unsigned state = 12345;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 16777216.0f - 0.5f;
}

static size_t sample(size_t n)
{
    return (size_t)((noise() + 0.5f) * (float)n) % n;
}

static float *noises(size_t count)
{
    float *values = allocate(count * sizeof(*values));
    for (size_t i = 0; i < count; i++)
        values[i] = noise();
    return values;
}

static bool vecadd(const struct bench *bench, size_t n)
{
    struct job job = load(bench, "vecadd");
    size_t local = GROUP, bytes, global;
    n = n ? n : 1 << 20;
    bytes = n * sizeof(float);
    global = (n + local - 1) / local * local;
    float *a = noises(n), *b = noises(n), *c = allocate(bytes);
    cl_int count = (cl_int)n;
    bool ok = true;
    pass_buffer(&job, bytes, a);
    pass_buffer(&job, bytes, b);
    cl_mem out = pass_buffer(&job, bytes, NULL);
    pass(&job, sizeof(count), &count);
    run(&job, 1, &global, &local);
    read_back(&job, out, bytes, c);
    for (size_t i = 0; i < n; i++)
        ok &= c[i] == a[i] + b[i];
    free(a);
    free(b);
    free(c);
    return report(&job, "vecadd", (double)n, ok);
}

static bool matmul(const struct bench *bench, size_t n)
{
    struct job job = load(bench, "matmul");
    n = n ? (n + TILE - 1) / TILE * TILE : 512;
    const size_t global[2] = {n, n}, local[2] = {TILE, TILE}, bytes = n * n * sizeof(float);
    float *a = noises(n * n), *b = noises(n * n), *c = allocate(bytes);
    cl_int order = (cl_int)n;
    bool ok = true;
    pass_buffer(&job, bytes, a);
    pass_buffer(&job, bytes, b);
    cl_mem out = pass_buffer(&job, bytes, NULL);
    pass(&job, sizeof(order), &order);
    run(&job, 2, global, local);
    read_back(&job, out, bytes, c);
    for (int i = 0; i < 200; i++) {
        size_t y = sample(n), x = sample(n);
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += (double)a[y * n + k] * (double)b[k * n + x];
        ok &= fabs(sum - (double)c[y * n + x]) <= 1e-4 * sqrt((double)n);
    }
    free(a);
    free(b);
    free(c);
    return report(&job, "matmul", (double)n * (double)n * (double)n, ok);
}

/* The acceleration of one body, in double. */
static void pull(const float *bodies, size_t n, size_t i, double softening, double sum[3])
{
    for (size_t j = 0; j < n; j++) {
        double d[3], r2 = softening;
        for (int x = 0; x < 3; x++) {
            d[x] = (double)bodies[4 * j + (size_t)x] - (double)bodies[4 * i + (size_t)x];
            r2 += d[x] * d[x];
        }
        for (int x = 0; x < 3; x++)
            sum[x] += d[x] * (double)bodies[4 * j + 3] / (r2 * sqrt(r2));
    }
}

static bool nbody(const struct bench *bench, size_t n)
{
    struct job job = load(bench, "nbody");
    size_t local = GROUP, bytes;
    n = n ? (n + local - 1) / local * local : 4096;
    bytes = n * 4 * sizeof(float);
    float *bodies = noises(4 * n), *result = allocate(bytes);
    cl_int count = (cl_int)n;
    cl_float softening = 0.01f;
    bool ok = true;
    for (size_t i = 0; i < n; i++)
        bodies[4 * i + 3] = 1.0f;
    pass_buffer(&job, bytes, bodies);
    cl_mem out = pass_buffer(&job, bytes, NULL);
    pass(&job, sizeof(count), &count);
    pass(&job, sizeof(softening), &softening);
    pass(&job, local * 4 * sizeof(float), NULL);
    run(&job, 1, &n, &local);
    read_back(&job, out, bytes, result);
    for (int s = 0; s < 32; s++) {
        size_t i = sample(n);
        double sum[3] = {0, 0, 0};
        pull(bodies, n, i, (double)softening, sum);
        for (size_t x = 0; x < 3; x++)
            ok &= fabs(sum[x] - (double)result[4 * i + x]) <= 1e-3 * (1 + fabs(sum[x]));
    }
    free(bodies);
    free(result);
    return report(&job, "nbody", (double)n * (double)n, ok);
}

static int escape(float cr, float ci)
{
    float zr = 0, zi = 0;
    int i = 0;
    while (i < MAX_ITERATIONS) {
        float a = zr * zr, b = zi * zi;
        if (a + b > 4.0f)
            break;
        zi = 2.0f * zr * zi + ci;
        zr = a - b + cr;
        i++;
    }
    return i;
}

static bool mandel(const struct bench *bench, size_t n)
{
    struct job job = load(bench, "mandel");
    n = n ? (n + TILE - 1) / TILE * TILE : 512;
    const size_t global[2] = {n, n}, local[2] = {TILE, TILE}, bytes = n * n * sizeof(cl_int);
    cl_int *picture = allocate(bytes), side = (cl_int)n, most = MAX_ITERATIONS;
    double iterations = 0;
    size_t different = 0;
    cl_mem out = pass_buffer(&job, bytes, NULL);
    pass(&job, sizeof(side), &side);
    pass(&job, sizeof(side), &side);
    pass(&job, sizeof(most), &most);
    run(&job, 2, global, local);
    read_back(&job, out, bytes, picture);
    for (size_t i = 0; i < n * n; i++) {
        float cr = -2.0f + 3.0f * (float)(i % n) / (float)n, ci = -1.5f + 3.0f * (float)(i / n) / (float)n;
        iterations += picture[i];
        different += picture[i] != escape(cr, ci);
    }
    free(picture);
    return report(&job, "mandel", iterations,
                  different * 100 <= n * n); /* a compiler may fuse, at the border it shows */
}

static bool reduce(const struct bench *bench, size_t n)
{
    struct job job = load(bench, "reduce");
    size_t local = GROUP, global, groups;
    n = n ? n : 1 << 20;
    global = (n + local - 1) / local * local;
    groups = global / local;
    float *values = noises(n), *parts = allocate(groups * sizeof(*parts));
    double wanted = 0, sum = 0;
    cl_int count = (cl_int)n;
    for (size_t i = 0; i < n; i++)
        wanted += (double)(values[i] += 0.5f);
    pass_buffer(&job, n * sizeof(*values), values);
    cl_mem out = pass_buffer(&job, groups * sizeof(*parts), NULL);
    pass(&job, sizeof(count), &count);
    pass(&job, local * sizeof(float), NULL);
    run(&job, 1, &global, &local);
    read_back(&job, out, groups * sizeof(*parts), parts);
    for (size_t i = 0; i < groups; i++)
        sum += (double)parts[i];
    free(values);
    free(parts);
    return report(&job, "reduce", (double)n, fabs(sum - wanted) < 1e-4 * wanted);
}

bool bench_kernels(const struct bench *bench, const char *name, size_t n)
{
    static const struct {
        const char *name;
        bool (*run)(const struct bench *bench, size_t n);
    } all[] = {{"vecadd", vecadd}, {"matmul", matmul}, {"nbody", nbody}, {"mandel", mandel}, {"reduce", reduce}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (!strcmp(name, all[i].name))
            return all[i].run(bench, n);
    fprintf(stderr, "bench_opencl: no benchmark '%s'\n", name);
    return false;
}
