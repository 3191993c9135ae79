/* read_imageh and write_imageh (cl_khr_fp16): what the functions for floats read, rounded, and write. */
#include "image.h"

#define READ(type, access, P)                                                                                          \
    OVL float4 read_imagef(access type##_t i, P p);                                                                    \
    OVL half4 read_imageh(access type##_t i, P p)                                                                      \
    {                                                                                                                  \
        return __builtin_convertvector(read_imagef(i, p), half4);                                                      \
    }
#define SAMPLE(type, P)                                                                                                \
    OVL float4 read_imagef(read_only type##_t i, sampler_t s, P p);                                                    \
    OVL half4 read_imageh(read_only type##_t i, sampler_t s, P p)                                                      \
    {                                                                                                                  \
        return __builtin_convertvector(read_imagef(i, s, p), half4);                                                   \
    }
#define WRITE(type, access, P)                                                                                         \
    OVL void write_imagef(access type##_t i, P p, float4 c);                                                           \
    OVL void write_imageh(access type##_t i, P p, half4 c)                                                             \
    {                                                                                                                  \
        write_imagef(i, p, __builtin_convertvector(c, float4));                                                        \
    }
#define HALVES(type, P)                                                                                                \
    READ(type, read_only, P) READ(type, read_write, P) WRITE(type, write_only, P) WRITE(type, read_write, P)
HALVES(image1d, int)
HALVES(image1d_buffer, int)
HALVES(image1d_array, int2)
HALVES(image2d, int2)
HALVES(image2d_array, int4)
HALVES(image3d, int4)
SAMPLE(image1d, int)
SAMPLE(image1d, float)
SAMPLE(image1d_array, int2)
SAMPLE(image1d_array, float2)
SAMPLE(image2d, int2)
SAMPLE(image2d, float2)
SAMPLE(image2d_array, int4)
SAMPLE(image2d_array, float4)
SAMPLE(image3d, int4)
SAMPLE(image3d, float4)
