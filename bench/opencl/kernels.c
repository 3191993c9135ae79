/* The five kernels: inputs, launches, and what the host computes to hold their results against. */
#include "job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 256, TILE = 16, MAX_ITERATIONS = 256 };

static bool vecadd(const struct bench *bench, size_t n)
{
    struct job job = job_load(bench, "vecadd");
    size_t local = GROUP, bytes, global;
    n = n ? n : 1 << 20;
    bytes = n * sizeof(float);
    global = (n + local - 1) / local * local;
    float *a = job_noises(n), *b = job_noises(n), *c = job_allocate(bytes);
    cl_int count = (cl_int)n;
    bool ok = true;
    job_buffer(&job, bytes, a);
    job_buffer(&job, bytes, b);
    cl_mem out = job_buffer(&job, bytes, NULL);
    job_pass(&job, sizeof(count), &count);
    job_run(&job, 1, &global, &local);
    job_read(&job, out, bytes, c);
    for (size_t i = 0; i < n; i++)
        ok &= c[i] == a[i] + b[i];
    free(a);
    free(b);
    free(c);
    return job_report(&job, "vecadd", (double)n, ok);
}

static bool matmul(const struct bench *bench, size_t n)
{
    struct job job = job_load(bench, "matmul");
    n = n ? (n + TILE - 1) / TILE * TILE : 512;
    const size_t global[2] = {n, n}, local[2] = {TILE, TILE}, bytes = n * n * sizeof(float);
    float *a = job_noises(n * n), *b = job_noises(n * n), *c = job_allocate(bytes);
    cl_int order = (cl_int)n;
    bool ok = true;
    job_buffer(&job, bytes, a);
    job_buffer(&job, bytes, b);
    cl_mem out = job_buffer(&job, bytes, NULL);
    job_pass(&job, sizeof(order), &order);
    job_run(&job, 2, global, local);
    job_read(&job, out, bytes, c);
    for (int i = 0; i < 200; i++) {
        size_t y = job_sample(n), x = job_sample(n);
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += (double)a[y * n + k] * (double)b[k * n + x];
        ok &= fabs(sum - (double)c[y * n + x]) <= 1e-4 * sqrt((double)n);
    }
    free(a);
    free(b);
    free(c);
    return job_report(&job, "matmul", (double)n * (double)n * (double)n, ok);
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
    struct job job = job_load(bench, "nbody");
    size_t local = GROUP, bytes;
    n = n ? (n + local - 1) / local * local : 4096;
    bytes = n * 4 * sizeof(float);
    float *bodies = job_noises(4 * n), *result = job_allocate(bytes);
    cl_int count = (cl_int)n;
    cl_float softening = 0.01f;
    bool ok = true;
    for (size_t i = 0; i < n; i++)
        bodies[4 * i + 3] = 1.0f;
    job_buffer(&job, bytes, bodies);
    cl_mem out = job_buffer(&job, bytes, NULL);
    job_pass(&job, sizeof(count), &count);
    job_pass(&job, sizeof(softening), &softening);
    job_pass(&job, local * 4 * sizeof(float), NULL);
    job_run(&job, 1, &n, &local);
    job_read(&job, out, bytes, result);
    for (int s = 0; s < 32; s++) {
        size_t i = job_sample(n);
        double sum[3] = {0, 0, 0};
        pull(bodies, n, i, (double)softening, sum);
        for (size_t x = 0; x < 3; x++)
            ok &= fabs(sum[x] - (double)result[4 * i + x]) <= 1e-3 * (1 + fabs(sum[x]));
    }
    free(bodies);
    free(result);
    return job_report(&job, "nbody", (double)n * (double)n, ok);
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
    struct job job = job_load(bench, "mandel");
    n = n ? (n + TILE - 1) / TILE * TILE : 512;
    const size_t global[2] = {n, n}, local[2] = {TILE, TILE}, bytes = n * n * sizeof(cl_int);
    cl_int *picture = job_allocate(bytes), side = (cl_int)n, most = MAX_ITERATIONS;
    double iterations = 0;
    size_t different = 0;
    cl_mem out = job_buffer(&job, bytes, NULL);
    job_pass(&job, sizeof(side), &side);
    job_pass(&job, sizeof(side), &side);
    job_pass(&job, sizeof(most), &most);
    job_run(&job, 2, global, local);
    job_read(&job, out, bytes, picture);
    for (size_t i = 0; i < n * n; i++) {
        float cr = -2.0f + 3.0f * (float)(i % n) / (float)n, ci = -1.5f + 3.0f * (float)(i / n) / (float)n;
        iterations += picture[i];
        different += picture[i] != escape(cr, ci);
    }
    free(picture);
    return job_report(&job, "mandel", iterations,
                      different * 100 <= n * n); /* a compiler may fuse, at the border it shows */
}

static bool reduce(const struct bench *bench, size_t n)
{
    struct job job = job_load(bench, "reduce");
    size_t local = GROUP, global, groups;
    n = n ? n : 1 << 20;
    global = (n + local - 1) / local * local;
    groups = global / local;
    float *values = job_noises(n), *parts = job_allocate(groups * sizeof(*parts));
    double wanted = 0, sum = 0;
    cl_int count = (cl_int)n;
    for (size_t i = 0; i < n; i++)
        wanted += (double)(values[i] += 0.5f);
    job_buffer(&job, n * sizeof(*values), values);
    cl_mem out = job_buffer(&job, groups * sizeof(*parts), NULL);
    job_pass(&job, sizeof(count), &count);
    job_pass(&job, local * sizeof(float), NULL);
    job_run(&job, 1, &global, &local);
    job_read(&job, out, groups * sizeof(*parts), parts);
    for (size_t i = 0; i < groups; i++)
        sum += (double)parts[i];
    free(values);
    free(parts);
    return job_report(&job, "reduce", (double)n, fabs(sum - wanted) < 1e-4 * wanted);
}

const struct bench_entry bench_five[] = {{"vecadd", vecadd}, {"matmul", matmul}, {"nbody", nbody},
                                         {"mandel", mandel}, {"reduce", reduce}, {NULL, NULL}};
