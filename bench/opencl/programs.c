/* Small programs of the kinds that public benchmark suites hold, in programs/NAME.cl.  Each says in lines that begin with
 * //! how it is run:
 *
 *     //! buffer NAME TYPE COUNT FILL [N]    TYPE: float, double, int, uint, ushort or uchar; FILL: see fill()
 *     //! loop N                             what follows is done N times, in order
 *     //! launch KERNEL X [Y [Z]] / [X [Y [Z]]] : ARGUMENTS
 *
 * An argument is a buffer's name, a number with a point (float or double) or without (int or long), l and a number of bytes of local memory,
 * or the loop's turn: $ or $*N.  Without sizes after the slash the platform chooses them.
 *
 * Measured is one pass through all launches; buffers are filled again before each.  Results are not checked here but
 * printed, as a sum and a hash per program, for bench/run to compare. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include "job.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

struct buffer {
    char name[32], type[16], fill[16];
    size_t count, extra, bytes;
    void *first; /* its contents at the start */
    cl_mem memory;
};

struct launch {
    cl_kernel kernel;
    cl_uint dimensions;
    size_t global[3], local[3];
    bool has_local, in_loop;
    char arguments[24][32];
    cl_uint count;
};

struct program {
    const struct bench *bench;
    cl_program program;
    struct buffer buffers[MOST];
    struct launch launches[MOST];
    size_t buffer_count, launch_count, turns;
};

/* ---- reading ---- */

static void fail(const char *what, const char *where)
{
    fprintf(stderr, "bench_opencl: %s: %s\n", what, where);
    exit(2);
}

static double value_at(const struct buffer *buffer, size_t i)
{
    const char *fill = buffer->fill;
    const size_t n = buffer->count, extra = buffer->extra;
    if (!strcmp(fill, "zero"))
        return 0;
    if (!strcmp(fill, "noise"))
        return (double)job_noise();
    if (!strcmp(fill, "positive"))
        return (double)job_noise() + 1;
    if (!strcmp(fill, "below"))
        return (double)job_sample(extra);
    if (!strcmp(fill, "some")) /* one of N */
        return !job_sample(extra);
    if (!strcmp(fill, "rising"))
        return (double)i / (double)n;
    if (!strcmp(fill, "falling"))
        return 1 - 2 * (double)i / (double)n;
    if (!strcmp(fill, "sorted"))
        return (double)i;
    if (!strcmp(fill, "steps"))
        return (double)(i * extra);
    if (!strcmp(fill, "ragged")) /* first elements of rows of 0 to N */
        return (double)(i * extra / 2 + (i && i + 1 < n ? job_sample(extra / 2) : 0));
    if (!strcmp(fill, "neighbours")) /* 26 of each of 64 boxes */
        return (double)((i / 26 + 1 + i % 26 * 2) % 64);
    if (!strcmp(fill, "diagonal")) /* a matrix of N columns that can be factored */
        return (double)job_noise() + (i / extra == i % extra ? (double)extra : 0);
    fail("no such fill", fill);
    return 0;
}

static void fill_buffer(struct buffer *buffer)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"float", 4}, {"double", 8}, {"int", 4}, {"uint", 4}, {"ushort", 2}, {"uchar", 1}};
    size_t size = 0;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (!strcmp(buffer->type, types[i].name))
            size = types[i].size;
    if (!size)
        fail("no such type", buffer->type);
    buffer->bytes = buffer->count * size;
    buffer->first = job_allocate(buffer->bytes);
    for (size_t i = 0; i < buffer->count; i++) {
        double value = value_at(buffer, i);
        char *at = (char *)buffer->first + i * size;
        if (!strcmp(buffer->type, "float"))
            memcpy(at, &(float){(float)value}, size);
        else if (!strcmp(buffer->type, "double"))
            memcpy(at, &value, size);
        else /* both hosts are little-endian */
            memcpy(at, &(int32_t){(int32_t)value}, size);
    }
}

static void read_buffer(struct program *program, const char *line)
{
    struct buffer *buffer = &program->buffers[program->buffer_count++];
    if (program->buffer_count > MOST || sscanf(line, "buffer %31s %15s %zu %15s %zu", buffer->name, buffer->type,
                                               &buffer->count, buffer->fill, &buffer->extra) < 4)
        fail("a buffer", line);
    fill_buffer(buffer);
    cl_int error;
    buffer->memory = clCreateBuffer(program->bench->context, CL_MEM_READ_WRITE, buffer->bytes, NULL, &error);
    CALL(error);
}

static void read_launch(struct program *program, char *line)
{
    struct launch *launch = &program->launches[program->launch_count++];
    char *next = NULL, *word = strtok_r(line, " ", &next), *name = strtok_r(NULL, " ", &next);
    cl_int error;
    if (program->launch_count > MOST || !name)
        fail("a launch", word);
    launch->kernel = clCreateKernel(program->program, name, &error);
    CALL(error);
    launch->in_loop = program->turns > 1;
    for (unsigned i = 0; (word = strtok_r(NULL, " ", &next)) && *word != '/' && i < 3; i++)
        launch->global[launch->dimensions++] = strtoul(word, NULL, 10);
    for (unsigned i = 0; (word = strtok_r(NULL, " ", &next)) && *word != ':' && i < 3; i++) {
        launch->local[i] = strtoul(word, NULL, 10);
        launch->has_local = true;
    }
    while ((word = strtok_r(NULL, " ", &next)) && launch->count < 24)
        snprintf(launch->arguments[launch->count++], sizeof(launch->arguments[0]), "%s", word);
}

static void read_program(struct program *program, const char *source)
{
    for (const char *at = strstr(source, "//!"); at; at = strstr(at + 1, "//!")) {
        char line[512];
        snprintf(line, sizeof(line), "%.*s", (int)strcspn(at + 4, "\n"), at + 4);
        if (!strncmp(line, "buffer", 6))
            read_buffer(program, line);
        else if (!strncmp(line, "loop", 4))
            program->turns = strtoul(line + 4, NULL, 10);
        else
            read_launch(program, line);
    }
}

/* ---- running ---- */

static void pass(const struct program *program, const struct launch *launch, cl_uint number, size_t turn)
{
    const char *text = launch->arguments[number];
    for (size_t i = 0; i < program->buffer_count; i++)
        if (!strcmp(program->buffers[i].name, text)) {
            CALL(clSetKernelArg(launch->kernel, number, sizeof(cl_mem), &program->buffers[i].memory));
            return;
        }
    if (*text == 'l' || *text == '$') {
        size_t factor = strchr(text, '*') ? strtoul(strchr(text, '*') + 1, NULL, 10) : 1;
        cl_int value = (cl_int)(turn * factor);
        if (*text == 'l')
            CALL(clSetKernelArg(launch->kernel, number, strtoul(text + 1, NULL, 10), NULL));
        else
            CALL(clSetKernelArg(launch->kernel, number, sizeof(value), &value));
        return;
    }
    cl_float real = strtof(text, NULL);
    cl_int whole = (cl_int)strtol(text, NULL, 10);
    if (strchr(text, '.')) {
        if (clSetKernelArg(launch->kernel, number, sizeof(real), &real) != CL_SUCCESS)
            CALL(clSetKernelArg(launch->kernel, number, sizeof(cl_double), &(cl_double){strtod(text, NULL)}));
    } else if (clSetKernelArg(launch->kernel, number, sizeof(whole), &whole) != CL_SUCCESS) /* a long */
        CALL(clSetKernelArg(launch->kernel, number, sizeof(cl_long), &(cl_long){whole}));
}

static void enqueue(const struct program *program, const struct launch *launch, size_t turn)
{
    for (cl_uint i = 0; i < launch->count; i++)
        if (!turn || launch->arguments[i][0] == '$') /* the others are set */
            pass(program, launch, i, turn);
    CALL(clEnqueueNDRangeKernel(program->bench->queue, launch->kernel, launch->dimensions, NULL, launch->global,
                                launch->has_local ? launch->local : NULL, 0, NULL, NULL));
}

static void run_all(const struct program *program)
{
    for (size_t i = 0; i < program->launch_count; i++)
        if (!program->launches[i].in_loop)
            enqueue(program, &program->launches[i], 0);
    for (size_t turn = 0; turn < program->turns; turn++)
        for (size_t i = 0; i < program->launch_count; i++)
            if (program->launches[i].in_loop)
                enqueue(program, &program->launches[i], turn);
    CALL(clFinish(program->bench->queue));
}

static void reset(const struct program *program)
{
    for (size_t i = 0; i < program->buffer_count; i++) {
        const struct buffer *buffer = &program->buffers[i];
        CALL(clEnqueueWriteBuffer(program->bench->queue, buffer->memory, CL_TRUE, 0, buffer->bytes, buffer->first, 0,
                                  NULL, NULL));
    }
    CALL(clFinish(program->bench->queue));
}

static void report(const struct program *program, const char *name, double cpu, double wall)
{
    double sum = 0;
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < program->buffer_count; i++) {
        const struct buffer *buffer = &program->buffers[i];
        unsigned char *bytes = job_allocate(buffer->bytes);
        CALL(clEnqueueReadBuffer(program->bench->queue, buffer->memory, CL_TRUE, 0, buffer->bytes, bytes, 0, NULL,
                                 NULL));
        for (size_t k = 0; k < buffer->bytes; k++)
            hash = (hash ^ bytes[k]) * 0x100000001b3;
        const size_t size = !strcmp(buffer->type, "double") ? 8 : 4;
        for (size_t k = 0; k + size <= buffer->bytes; k += size) {
            float real;
            double number = 0;
            uint32_t word;
            memcpy(&real, bytes + k, 4);
            if (size == 8)
                memcpy(&number, bytes + k, 8);
            memcpy(&word, bytes + k, 4);
            sum += size == 8                        ? fabs(number)
                   : !strcmp(buffer->type, "float") ? fabs((double)real)
                                                    : (double)(word % 65521);
        }
        free(bytes);
    }
    printf("%s 1 operations %.0f ns cpu %.0f ns wall sum %.9g hash %016llx\n", name, cpu * 1e9, wall * 1e9, sum,
           (unsigned long long)hash);
}

bool bench_program(const struct bench *bench, const char *name)
{
    char path[4096], options[4096], source[65536];
    snprintf(path, sizeof(path), "%s/programs/%s.cl", bench->directory, name);
    snprintf(options, sizeof(options), "-I %s/programs", bench->directory); /* kernels of several programs: *.h */
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t size = fread(source, 1, sizeof(source) - 1, file);
    source[size] = 0;
    fclose(file);
    struct program program = {.bench = bench, .turns = 1};
    const char *text = source;
    cl_int error;
    program.program = clCreateProgramWithSource(bench->context, 1, &text, &size, &error);
    CALL(error);
    CALL(clBuildProgram(program.program, 1, &bench->device, options, NULL, NULL));
    read_program(&program, source);
    double least_cpu = INFINITY, least_wall = INFINITY;
    const bool warm = bench->reps > 1;
    for (unsigned i = 0; i < bench->reps + warm; i++) {
        reset(&program);
        double wall = bench_wall(), cpu = bench_cpu();
        run_all(&program);
        wall = bench_wall() - wall, cpu = bench_cpu_since(cpu);
        if (i || !warm) {
            least_cpu = fmin(least_cpu, cpu);
            least_wall = fmin(least_wall, wall);
        }
    }
    report(&program, name, least_cpu, least_wall);
    for (size_t i = 0; i < program.buffer_count; i++) {
        free(program.buffers[i].first);
        clReleaseMemObject(program.buffers[i].memory);
    }
    for (size_t i = 0; i < program.launch_count; i++)
        clReleaseKernel(program.launches[i].kernel);
    clReleaseProgram(program.program);
    return true;
}
