#include "job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job job_load(const struct bench *bench, const char *name)
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
    const char *folder = strrchr(name, '/');
    return (struct job){.bench = bench, .kernel = bench_kernel(bench, folder ? folder + 1 : name, source, size)};
}

void *job_allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        abort();
    return memory;
}

cl_mem job_buffer(struct job *job, size_t size, void *data)
{
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(job->bench->context, data ? CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE, size, data, &error);
    CALL(error);
    CALL(clSetKernelArg(job->kernel, job->arguments++, sizeof(buffer), &buffer));
    return job->buffers[job->buffer_count++] = buffer;
}

void job_pass(struct job *job, size_t size, const void *value)
{
    CALL(clSetKernelArg(job->kernel, job->arguments++, size, value));
}

void job_run(struct job *job, cl_uint dimensions, const size_t *global, const size_t *local)
{
    bool warm = job->bench->reps > 1;
    job->wall = job->cpu = INFINITY;
    for (unsigned i = 0; i < job->bench->reps + warm; i++) {
        double wall = bench_wall(), cpu = bench_cpu();
        CALL(clEnqueueNDRangeKernel(job->bench->queue, job->kernel, dimensions, NULL, global, local, 0, NULL, NULL));
        CALL(clFinish(job->bench->queue));
        job->runs++;
        wall = bench_wall() - wall, cpu = bench_cpu_since(cpu);
        if (i || !warm) {
            job->wall = fmin(job->wall, wall);
            job->cpu = fmin(job->cpu, cpu);
        }
    }
}

void job_read(const struct job *job, cl_mem buffer, size_t size, void *to)
{
    CALL(clEnqueueReadBuffer(job->bench->queue, buffer, CL_TRUE, 0, size, to, 0, NULL, NULL));
}

bool job_report(struct job *job, const char *name, double operations, bool ok)
{
    printf("%s %.0f operations %.5f ns cpu %.5f ns wall %s\n", name, operations, job->cpu * 1e9 / operations,
           job->wall * 1e9 / operations, ok ? "right" : "WRONG");
    for (unsigned i = 0; i < job->buffer_count; i++)
        clReleaseMemObject(job->buffers[i]);
    clReleaseKernel(job->kernel);
    return ok;
}

float job_noise(void)
{
    static unsigned state = 12345;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 16777216.0f - 0.5f;
}

size_t job_sample(size_t n)
{
    return (size_t)((job_noise() + 0.5f) * (float)n) % n;
}

float *job_noises(size_t count)
{
    float *values = job_allocate(count * sizeof(*values));
    for (size_t i = 0; i < count; i++)
        values[i] = job_noise();
    return values;
}
