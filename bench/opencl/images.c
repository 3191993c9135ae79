/* Images: a 5x5 Gaussian by image reads, for each common format and both filters; one line of figures each.  A format
 * that the platform lacks is left out. */
#include "job.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct order {
    const char *name;
    cl_channel_order order;
    unsigned channels;
} orders[] = {{"r", CL_R, 1}, {"rg", CL_RG, 2}, {"rgba", CL_RGBA, 4}};

static const struct type {
    const char *name;
    cl_channel_type type;
    unsigned bytes;
} types[] = {
    {"float", CL_FLOAT, 4}, {"half", CL_HALF_FLOAT, 2}, {"unorm8", CL_UNORM_INT8, 1}, {"unorm16", CL_UNORM_INT16, 2}};

/* Any bits but for the exponents of floats and halves, which stay near 1. */
static void *elements(const struct type *type, size_t count)
{
    unsigned char *data = job_allocate(count * type->bytes);
    for (size_t i = 0; i < count; i++) {
        float value = job_noise() + 0.5f;
        uint16_t half = (uint16_t)(0x3800 + (unsigned)(value * 1023.0f)), unorm = (uint16_t)(value * 65535.0f);
        memcpy(data + i * type->bytes,
               type->type == CL_FLOAT        ? (void *)&value
               : type->type == CL_HALF_FLOAT ? &half
                                             : &unorm,
               type->bytes);
    }
    return data;
}

static double sum_of(const struct job *job, cl_mem out, size_t count)
{
    float *values = job_allocate(count * sizeof(*values));
    double sum = 0;
    job_read(job, out, count * sizeof(*values), values);
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i] * (double)(1 + i % 7); /* a picture shifted or mixed up has another sum */
    free(values);
    return sum;
}

static void one(const struct bench *bench, const struct order *order, const struct type *type, bool linear, size_t side)
{
    struct job job = job_load(bench, "images");
    cl_int error;
    void *data = elements(type, side * side * order->channels);
    cl_image_format format = {order->order, type->type};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = side, .image_height = side};
    cl_mem image = clCreateImage(bench->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, data, &error);
    if (error == CL_IMAGE_FORMAT_NOT_SUPPORTED || error == CL_INVALID_OPERATION) { /* PoCL 3.1 says the latter */
        free(data);
        CALL(clReleaseKernel(job.kernel));
        return;
    }
    CALL(error);
    cl_sampler sampler = clCreateSampler(bench->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
                                         linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &error);
    CALL(error);
    float offset = linear ? 0.75f : 0.5f;
    size_t global[2] = {side, side}, local[2] = {16, 8};
    char name[64];
    job_pass(&job, sizeof(image), &image);
    job_pass(&job, sizeof(sampler), &sampler);
    cl_mem out = job_buffer(&job, side * side * 16, NULL);
    job_pass(&job, sizeof(offset), &offset);
    job_run(&job, 2, global, local);
    double sum = sum_of(&job, out, side * side * 4);
    snprintf(name, sizeof(name), "%s %s %s sum %.9g", order->name, type->name, linear ? "linear" : "nearest", sum);
    job_report(&job, name, (double)(side * side), true);
    clReleaseMemObject(image);
    clReleaseSampler(sampler);
    free(data);
}

void bench_images(const struct bench *bench, size_t side)
{
    for (size_t o = 0; o < sizeof(orders) / sizeof(orders[0]); o++)
        for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
            for (int linear = 0; linear < 2; linear++)
                one(bench, &orders[o], &types[t], linear, side ? side : 512);
}
