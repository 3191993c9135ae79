/* half in memory: vload_half and vstore_half with all roundings.  Branch-free: lanes would diverge at each branch. */
#include "builtins.h"

#if CY_IS_FLOAT
/* The bits at a float's position are the value times 2^-112, for subnormals too; infinities and NaN differ. */
INTERNAL float from_half(ushort h)
{
    uint sign = (uint)(h & 0x8000) << 16, rest = h & 0x7fff;
    uint bits = AS(uint, AS(float, rest << 13) * 0x1p112f);
    bits |= rest >= 0x7c00 ? 0x7f800000 : 0;
    bits |= rest > 0x7c00 ? 0x400000 : 0;
    return AS(float, sign | bits);
}
float __cy_f16_to_f32(ushort h) { return from_half(h); }
#endif

/* `step`(over, negative): the correction to the magnitude nearest to x; `over` is by how much it falls short of x. */
INTERNAL int step_rte(REAL over, uint negative) { return 0; }
INTERNAL int step_rtz(REAL over, uint negative) { return over < 0.0f ? -1 : 0; }
INTERNAL int step_rtp(REAL over, uint negative) { return negative ? step_rtz(over, 1) : over > 0.0f; }
INTERNAL int step_rtn(REAL over, uint negative) { return negative ? over > 0.0f : step_rtz(over, 0); }

/* Near 2^13 (2^42 for doubles) times the power of two in x, but at least 2^-14, the last bit is that of the half: the sum
 * rounds x, and its excess over that number counts the units of the half.  Carries propagate from mantissa to exponent
 * and on to infinity; from 2^16 on x, also if it is no number, rounds like the largest number below that. */
#define LESSER(a, b) __builtin_elementwise_min(a, b)
#define GREATER(a, b) __builtin_elementwise_max(a, b)
enum { OVERFLOWS_rte = 1, OVERFLOWS_rtz = 0, OVERFLOWS_rtp = 0, OVERFLOWS_rtn = 0 }; /* does that become infinite? */
#define TO_HALF(mode)                                                                                                  \
    INTERNAL ushort to_half_##mode(REAL x)                                                                             \
    {                                                                                                                  \
        const UINT large = (UINT)(BIAS + 16) << FRACTION, infinite = (UINT)(2 * BIAS + 1) << FRACTION;                 \
        const UINT least = (UINT)(BIAS - 14) << FRACTION;                                                              \
        UINT size = AS(UINT, x) & ~((UINT)1 << (8 * sizeof(REAL) - 1)), finite = LESSER(size, large - 1);              \
        UINT exponent = GREATER(finite & infinite, least), base = exponent + ((UINT)(FRACTION - 10) << FRACTION);      \
        uint sign = (uint)(AS(UINT, x) >> (8 * sizeof(REAL) - 16)) & 0x8000;                                           \
        REAL sum = AS(REAL, finite) + AS(REAL, base);                                                                  \
        uint rounded = (uint)((exponent - least) >> (FRACTION - 10)) + (uint)(AS(UINT, sum) - base);                   \
        rounded += (uint)step_##mode(AS(REAL, finite) - (sum - AS(REAL, base)), sign);                                 \
        rounded = OVERFLOWS_##mode ? rounded : GREATER(rounded, size >= infinite ? 0x7c00u : 0);                       \
        UINT payload = GREATER(size, infinite) - infinite;                                                             \
        rounded |= (uint)(payload >> (FRACTION - 10)) | (uint)LESSER(payload, (UINT)1) << 9;                           \
        return (ushort)(rounded | sign);                                                                               \
    }
TO_HALF(rte)
TO_HALF(rtz)
TO_HALF(rtp)
TO_HALF(rtn)

#if CY_IS_FLOAT
/* ---- loads: in the a-forms vectors of three have a stride of four ---- */

#define LOAD_N(n, half_n, name, stride, space)                                                                         \
    OVL float##n name##n(size_t i, const space half *p) { return load##half_n((const space ushort *)p + stride * i); }
#define LOADS(space)                                                                                                   \
    INTERNAL OVL float2 load2(const space ushort *p) { return (float2)(from_half(p[0]), from_half(p[1])); }            \
    INTERNAL OVL float3 load3(const space ushort *p) { return (float3)(load2(p), from_half(p[2])); }                   \
    INTERNAL OVL float4 load4(const space ushort *p) { return (float4)(load2(p), load2(p + 2)); }                      \
    INTERNAL OVL float8 load8(const space ushort *p) { return (float8)(load4(p), load4(p + 4)); }                      \
    INTERNAL OVL float16 load16(const space ushort *p) { return (float16)(load8(p), load8(p + 8)); }                   \
    OVL float vload_half(size_t i, const space half *p) { return from_half(((const space ushort *)p)[i]); }            \
    OVL float vloada_half(size_t i, const space half *p) { return from_half(((const space ushort *)p)[i]); }           \
    LOAD_N(2, 2, vload_half, 2, space) LOAD_N(3, 3, vload_half, 3, space) LOAD_N(4, 4, vload_half, 4, space)           \
    LOAD_N(8, 8, vload_half, 8, space) LOAD_N(16, 16, vload_half, 16, space)                                           \
    LOAD_N(2, 2, vloada_half, 2, space) LOAD_N(3, 3, vloada_half, 4, space) LOAD_N(4, 4, vloada_half, 4, space)        \
    LOAD_N(8, 8, vloada_half, 8, space) LOAD_N(16, 16, vloada_half, 16, space)
LOADS(__global)
LOADS(__local)
LOADS(__private)
LOADS(__constant)
LOADS(__generic)
#endif

/* ---- stores: to nearest even unless a rounding mode is given ---- */

#define STORE_N(n, name, suffix, mode, stride, space)                                                                  \
    OVL void name##n##suffix(REALS(n) v, size_t i, space half *p)                                                      \
    {                                                                                                                  \
        store##n##_##mode(v, (space ushort *)p + stride * i);                                                          \
    }
#define STORE_NAMES(suffix, mode, space)                                                                               \
    STORE_N(, vstore_half, suffix, mode, 1, space) STORE_N(, vstorea_half, suffix, mode, 1, space)                     \
    STORE_N(2, vstore_half, suffix, mode, 2, space) STORE_N(2, vstorea_half, suffix, mode, 2, space)                   \
    STORE_N(3, vstore_half, suffix, mode, 3, space) STORE_N(3, vstorea_half, suffix, mode, 4, space)                   \
    STORE_N(4, vstore_half, suffix, mode, 4, space) STORE_N(4, vstorea_half, suffix, mode, 4, space)                   \
    STORE_N(8, vstore_half, suffix, mode, 8, space) STORE_N(8, vstorea_half, suffix, mode, 8, space)                   \
    STORE_N(16, vstore_half, suffix, mode, 16, space) STORE_N(16, vstorea_half, suffix, mode, 16, space)
#define STORE_PARTS(n, half_n, mode, space)                                                                            \
    INTERNAL OVL void store##n##_##mode(REALS(n) v, space ushort *p)                                                   \
    {                                                                                                                  \
        store##half_n##_##mode(v.lo, p);                                                                               \
        store##half_n##_##mode(v.hi, p + n / 2);                                                                       \
    }
#define STORE_MODE(mode, space)                                                                                        \
    INTERNAL OVL void store_##mode(REAL v, space ushort *p) { *p = to_half_##mode(v); }                               \
    STORE_PARTS(2, , mode, space)                                                                                      \
    INTERNAL OVL void store3_##mode(REALS(3) v, space ushort *p)                                                         \
    {                                                                                                                  \
        store2_##mode(v.xy, p);                                                                                        \
        store_##mode(v.z, p + 2);                                                                                      \
    }                                                                                                                  \
    STORE_PARTS(4, 2, mode, space) STORE_PARTS(8, 4, mode, space) STORE_PARTS(16, 8, mode, space)                      \
    STORE_NAMES(_##mode, mode, space)
#define STORES(space)                                                                                                  \
    STORE_MODE(rte, space) STORE_MODE(rtz, space) STORE_MODE(rtp, space) STORE_MODE(rtn, space)                        \
    STORE_NAMES(, rte, space)
STORES(__global)
STORES(__local)
STORES(__private)
STORES(__generic)

#if CY_IS_FLOAT
ushort __cy_f32_to_f16(float x) { return to_half_rte(x); }
#else
ushort __cy_f64_to_f16(double x) { return to_half_rte(x); }
#endif
/* For convert_half; M(mode) */
#define AS_FUNCTION(mode) ushort CAT(CAT(__cy_half_, mode), CAT(_, REAL))(REAL x) { return to_half_##mode(x); }
AS_FUNCTION(rtz)
AS_FUNCTION(rtp)
AS_FUNCTION(rtn)
