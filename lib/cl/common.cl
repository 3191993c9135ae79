/* Common functions. */
#include "real.h"

#ifdef CY_DOUBLE
#define DEGREES 0x1.ca5dc1a63c1f8p+5
#define RADIANS 0x1.1df46a2529d39p-6
#else
#define DEGREES 0x1.ca5dc2p+5f
#define RADIANS 0x1.1df46ap-6f
#endif

OVL REAL min(REAL x, REAL y) { return min1(x, y); }
OVL REAL max(REAL x, REAL y) { return max1(x, y); }
OVL REAL clamp(REAL x, REAL low, REAL high) { return min1(max1(x, low), high); }
SPLIT2(REAL, min, REAL, REAL)
SPLIT2(REAL, max, REAL, REAL)
SPLIT3(REAL, clamp, REAL, REAL, REAL)

#define COMMON(n, ...)                                                                                                 \
    OVL REALS(n) degrees(REALS(n) x) { return x * DEGREES; }                                                    \
    OVL REALS(n) radians(REALS(n) x) { return x * RADIANS; }                                                    \
    OVL REALS(n) mix(REALS(n) x, REALS(n) y, REALS(n) a) { return __builtin_elementwise_fma(y - x, a, x); }            \
    OVL REALS(n) step(REALS(n) edge, REALS(n) x) { return x < edge ? (REALS(n))0.0f : (REALS(n))1.0f; }                \
    OVL REALS(n) smoothstep(REALS(n) low, REALS(n) high, REALS(n) x)                                                   \
    {                                                                                                                  \
        REALS(n) t = clamp((x - low) / (high - low), (REALS(n))0.0f, (REALS(n))1.0f);                                  \
        return t * t * (3.0f - 2.0f * t);                                                                              \
    }                                                                                                                  \
    OVL REALS(n) sign(REALS(n) x)                                                                                      \
    {                                                                                                                  \
        return x > 0.0f ? (REALS(n))1.0f : x < 0.0f ? (REALS(n))-1.0f : x == 0.0f ? x : (REALS(n))0.0f;                \
    }
WIDTHS(COMMON, )

#define WITH_SCALARS(n, ...)                                                                                           \
    OVL REALS(n) min(REALS(n) x, REAL y) { return min(x, (REALS(n))y); }                                              \
    OVL REALS(n) max(REALS(n) x, REAL y) { return max(x, (REALS(n))y); }                                              \
    OVL REALS(n) clamp(REALS(n) x, REAL low, REAL high) { return clamp(x, (REALS(n))low, (REALS(n))high); }          \
    OVL REALS(n) mix(REALS(n) x, REALS(n) y, REAL a) { return mix(x, y, (REALS(n))a); }                               \
    OVL REALS(n) step(REAL edge, REALS(n) x) { return step((REALS(n))edge, x); }                                      \
    OVL REALS(n) smoothstep(REAL low, REAL high, REALS(n) x)                                                         \
    {                                                                                                                  \
        return smoothstep((REALS(n))low, (REALS(n))high, x);                                                           \
    }
VECTORS(WITH_SCALARS, )
