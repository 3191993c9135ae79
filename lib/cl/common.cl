/* Common functions on float. */
#include "builtins.h"

OVL float min(float x, float y) { return __cy_fmin(x, y); }
OVL float max(float x, float y) { return __cy_fmax(x, y); }
OVL float clamp(float x, float low, float high) { return __cy_fmin(__cy_fmax(x, low), high); }
SPLIT2(float, min, float, float)
SPLIT2(float, max, float, float)
SPLIT3(float, clamp, float, float, float)

#define COMMON(n, ...)                                                                                                 \
    OVL float##n degrees(float##n x) { return x * 0x1.ca5dc2p+5f; }                                                    \
    OVL float##n radians(float##n x) { return x * 0x1.1df46ap-6f; }                                                    \
    OVL float##n mix(float##n x, float##n y, float##n a) { return __builtin_elementwise_fma(y - x, a, x); }            \
    OVL float##n step(float##n edge, float##n x) { return x < edge ? (float##n)0.0f : (float##n)1.0f; }                \
    OVL float##n smoothstep(float##n low, float##n high, float##n x)                                                   \
    {                                                                                                                  \
        float##n t = clamp((x - low) / (high - low), (float##n)0.0f, (float##n)1.0f);                                  \
        return t * t * (3.0f - 2.0f * t);                                                                              \
    }                                                                                                                  \
    OVL float##n sign(float##n x)                                                                                      \
    {                                                                                                                  \
        return x > 0.0f ? (float##n)1.0f : x < 0.0f ? (float##n)-1.0f : x == 0.0f ? x : (float##n)0.0f;                \
    }
WIDTHS(COMMON, )

#define WITH_SCALARS(n, ...)                                                                                           \
    OVL float##n min(float##n x, float y) { return min(x, (float##n)y); }                                              \
    OVL float##n max(float##n x, float y) { return max(x, (float##n)y); }                                              \
    OVL float##n clamp(float##n x, float low, float high) { return clamp(x, (float##n)low, (float##n)high); }          \
    OVL float##n mix(float##n x, float##n y, float a) { return mix(x, y, (float##n)a); }                               \
    OVL float##n step(float edge, float##n x) { return step((float##n)edge, x); }                                      \
    OVL float##n smoothstep(float low, float high, float##n x)                                                         \
    {                                                                                                                  \
        return smoothstep((float##n)low, (float##n)high, x);                                                           \
    }
VECTORS(WITH_SCALARS, )
