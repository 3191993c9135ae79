/* Geometric functions.  length, distance and normalize avoid intermediate overflow and underflow: they scale by a power
 * of two, the inverse of the largest component's.  The fast_ ones do not. */
#include "real.h"

OVL REALS(3) cross(REALS(3) a, REALS(3) b)
{
    return __builtin_elementwise_fma(a.yzx, b.zxy, -(a.zxy * b.yzx));
}
OVL REALS(4) cross(REALS(4) a, REALS(4) b) { return (REALS(4))(cross(a.xyz, b.xyz), 0.0f); }

OVL REAL dot(REAL a, REAL b) { return a * b; }
OVL REAL dot(REALS(2) a, REALS(2) b) { return fma1(a.x, b.x, a.y * b.y); }
OVL REAL dot(REALS(3) a, REALS(3) b) { return fma1(a.x, b.x, fma1(a.y, b.y, a.z * b.z)); }
OVL REAL dot(REALS(4) a, REALS(4) b)
{
    return fma1(a.x, b.x, fma1(a.y, b.y, fma1(a.z, b.z, a.w * b.w)));
}

/* fmax drops a NaN here; it is still in the sum of squares. */
INTERNAL REAL largest(REALS(2) v) { return max1(abs1(v.x), abs1(v.y)); }
INTERNAL OVL REAL greatest(REALS(2) v) { return largest(v); }
INTERNAL OVL REAL greatest(REALS(3) v) { return max1(largest(v.xy), abs1(v.z)); }
INTERNAL OVL REAL greatest(REALS(4) v) { return max1(largest(v.xy), largest(v.zw)); }

/* 2^-e for 2^e <= size < 2^(e+1), limited so that it and its inverse are normal numbers. */
INTERNAL REAL scale_of(REAL size)
{
    INT exponent = AS(INT, size) >> FRACTION;
    exponent = exponent < 1 ? 1 : exponent > 2 * BIAS - 2 ? 2 * BIAS - 2 : exponent;
    return AS(REAL, (2 * BIAS - exponent) << FRACTION);
}
INTERNAL REAL inverse(REAL power) { return AS(REAL, ((INT)(2 * BIAS) << FRACTION) - AS(INT, power)); }

OVL REAL length(REAL v) { return abs1(v); }
OVL REAL fast_length(REAL v) { return abs1(v); }
OVL REAL normalize(REAL v)
{
    return v > 0.0f ? 1.0f : v < 0.0f ? -1.0f : v;
}
OVL REAL fast_normalize(REAL v) { return normalize(v); }

#define LENGTH(T, I)                                                                                                   \
    OVL REAL length(T v)                                                                                              \
    {                                                                                                                  \
        REAL size = greatest(v), scale = scale_of(size);                                                              \
        T w = v * scale;                                                                                               \
        REAL r = __builtin_elementwise_sqrt(dot(w, w)) * inverse(scale);                                              \
        return size == INFINITY ? INFINITY : r;                                                                        \
    }                                                                                                                  \
    OVL REAL fast_length(T v) { return __builtin_elementwise_sqrt(dot(v, v)); }                                       \
    /* A vector with infinite components points along these; a zero vector is returned unchanged. */                   \
    OVL T normalize(T v)                                                                                               \
    {                                                                                                                  \
        REAL size = greatest(v);                                                                                      \
        T w = v * scale_of(size);                                                                                      \
        if (size == INFINITY)                                                                                          \
            w = __builtin_elementwise_abs(v) == (T)INFINITY ? __builtin_elementwise_copysign((T)1.0f, v)                     \
                                                      : __builtin_elementwise_copysign((T)0.0f, v);                    \
        REAL square = dot(w, w);                                                                                      \
        return square == 0.0f ? v : w / __builtin_elementwise_sqrt(square);                                            \
    }                                                                                                                  \
    OVL T fast_normalize(T v)                                                                                          \
    {                                                                                                                  \
        REAL square = dot(v, v);                                                                                      \
        return square == 0.0f ? v : v * (1.0f / __builtin_elementwise_sqrt(square));                                   \
    }
LENGTH(REALS(2), INTS(2))
LENGTH(REALS(3), INTS(3))
LENGTH(REALS(4), INTS(4))

#define DISTANCE(T)                                                                                                    \
    OVL REAL distance(T a, T b) { return length(a - b); }                                                             \
    OVL REAL fast_distance(T a, T b) { return fast_length(a - b); }
DISTANCE(REAL)
DISTANCE(REALS(2))
DISTANCE(REALS(3))
DISTANCE(REALS(4))
