/* Geometric functions.  length, distance and normalize avoid intermediate overflow and underflow: they scale by a power
 * of two, the inverse of the largest component's.  The fast_ ones do not. */
#include "builtins.h"

OVL float3 cross(float3 a, float3 b)
{
    return __builtin_elementwise_fma(a.yzx, b.zxy, -(a.zxy * b.yzx));
}
OVL float4 cross(float4 a, float4 b) { return (float4)(cross(a.xyz, b.xyz), 0.0f); }

OVL float dot(float a, float b) { return a * b; }
OVL float dot(float2 a, float2 b) { return __builtin_fmaf(a.x, b.x, a.y * b.y); }
OVL float dot(float3 a, float3 b) { return __builtin_fmaf(a.x, b.x, __builtin_fmaf(a.y, b.y, a.z * b.z)); }
OVL float dot(float4 a, float4 b)
{
    return __builtin_fmaf(a.x, b.x, __builtin_fmaf(a.y, b.y, __builtin_fmaf(a.z, b.z, a.w * b.w)));
}

/* fmax drops a NaN here; it is still in the sum of squares. */
INTERNAL float largest(float2 v) { return __cy_fmax(__builtin_fabsf(v.x), __builtin_fabsf(v.y)); }
INTERNAL OVL float greatest(float2 v) { return largest(v); }
INTERNAL OVL float greatest(float3 v) { return __cy_fmax(largest(v.xy), __builtin_fabsf(v.z)); }
INTERNAL OVL float greatest(float4 v) { return __cy_fmax(largest(v.xy), largest(v.zw)); }

/* 2^-e for 2^e <= size < 2^(e+1), limited so that it and its inverse are normal numbers. */
INTERNAL float scale_of(float size)
{
    int exponent = AS(int, size) >> 23;
    exponent = exponent < 1 ? 1 : exponent > 252 ? 252 : exponent;
    return AS(float, (254 - exponent) << 23);
}
INTERNAL float inverse(float power) { return AS(float, (254 << 23) - AS(int, power)); }

OVL float length(float v) { return __builtin_fabsf(v); }
OVL float fast_length(float v) { return __builtin_fabsf(v); }
OVL float normalize(float v)
{
    return v > 0.0f ? 1.0f : v < 0.0f ? -1.0f : v;
}
OVL float fast_normalize(float v) { return normalize(v); }

#define LENGTH(T, I)                                                                                                   \
    OVL float length(T v)                                                                                              \
    {                                                                                                                  \
        float size = greatest(v), scale = scale_of(size);                                                              \
        T w = v * scale;                                                                                               \
        float r = __builtin_elementwise_sqrt(dot(w, w)) * inverse(scale);                                              \
        return size == INFINITY ? INFINITY : r;                                                                        \
    }                                                                                                                  \
    OVL float fast_length(T v) { return __builtin_elementwise_sqrt(dot(v, v)); }                                       \
    /* A vector with infinite components points along these; a zero vector is returned unchanged. */                   \
    OVL T normalize(T v)                                                                                               \
    {                                                                                                                  \
        float size = greatest(v);                                                                                      \
        T w = v * scale_of(size);                                                                                      \
        if (size == INFINITY)                                                                                          \
            w = (AS(I, v) & 0x7fffffff) == 0x7f800000 ? __builtin_elementwise_copysign((T)1.0f, v)                     \
                                                      : __builtin_elementwise_copysign((T)0.0f, v);                    \
        float square = dot(w, w);                                                                                      \
        return square == 0.0f ? v : w / __builtin_elementwise_sqrt(square);                                            \
    }                                                                                                                  \
    OVL T fast_normalize(T v)                                                                                          \
    {                                                                                                                  \
        float square = dot(v, v);                                                                                      \
        return square == 0.0f ? v : v * (1.0f / __builtin_elementwise_sqrt(square));                                   \
    }
LENGTH(float2, int2)
LENGTH(float3, int3)
LENGTH(float4, int4)

#define DISTANCE(T)                                                                                                    \
    OVL float distance(T a, T b) { return length(a - b); }                                                             \
    OVL float fast_distance(T a, T b) { return fast_length(a - b); }
DISTANCE(float)
DISTANCE(float2)
DISTANCE(float3)
DISTANCE(float4)
