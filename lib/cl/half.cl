/* half in memory: vload_half and vstore_half with all roundings, by integer arithmetic. */
#include "builtins.h"

INTERNAL float from_half(ushort h)
{
    uint sign = (uint)(h & 0x8000) << 16, rest = h & 0x7fff;
    if (rest >= 0x7c00)
        return AS(float, sign | 0x7f800000 | (rest & 0x3ff) << 13 | (rest > 0x7c00 ? 0x400000 : 0));
    if (rest < 0x400)
        return AS(float, sign | AS(uint, (float)rest * 0x1p-24f));
    return AS(float, sign | ((rest << 13) + (112u << 23)));
}

/* `up`(kept, lost, sticky, negative): whether the magnitude `kept` is rounded up, when its next bit is `lost` and any bit
 * behind that `sticky`. */
INTERNAL bool up_rte(uint kept, uint lost, uint sticky, uint negative) { return lost && (sticky || (kept & 1)); }
INTERNAL bool up_rtz(uint kept, uint lost, uint sticky, uint negative) { return false; }
INTERNAL bool up_rtp(uint kept, uint lost, uint sticky, uint negative) { return (lost || sticky) && !negative; }
INTERNAL bool up_rtn(uint kept, uint lost, uint sticky, uint negative) { return (lost || sticky) && negative; }

/* Bits of the half, and one rounding step that carries from mantissa to exponent and on to infinity by itself. */
#define TO_HALF(mode)                                                                                                  \
    INTERNAL ushort to_half_##mode(float x)                                                                            \
    {                                                                                                                  \
        uint bits = AS(uint, x), size = bits & 0x7fffffff, negative = bits >> 31, kept, rest, width;                   \
        if (size > 0x7f800000)                                                                                         \
            return (ushort)(negative << 15 | 0x7e00 | (size >> 13 & 0x1ff));                                           \
        if (size == 0x7f800000)                                                                                        \
            return (ushort)(negative << 15 | 0x7c00);                                                                  \
        if (size >= 143u << 23) { /* 2^16 and more */                                                                  \
            kept = 0x7bff, width = 1, rest = 3;                                                                        \
        } else if (size >= 113u << 23) {                                                                               \
            kept = (size - (112u << 23)) >> 13, width = 12, rest = size & 0x1fff;                                      \
        } else {                                                                                                       \
            uint mantissa = (size & 0x7fffff) | (size >> 23 ? 0x800000 : 0);                                           \
            uint shift = 126 - (size >> 23); /* 14 for 2^-14 and up */                                                 \
            shift = shift > 26 ? 26 : shift;                                                                           \
            kept = mantissa >> shift, width = shift - 1, rest = mantissa & ((1u << shift) - 1);                        \
        }                                                                                                              \
        kept += up_##mode(kept, rest >> width & 1, rest & ((1u << width) - 1), negative);                              \
        return (ushort)(negative << 15 | kept);                                                                        \
    }
TO_HALF(rte)
TO_HALF(rtz)
TO_HALF(rtp)
TO_HALF(rtn)

/* ---- loads: the a-forms have vectors of three at multiples of four ---- */

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

/* ---- stores: without a rounding mode to nearest even ---- */

#define STORE_N(n, name, suffix, mode, stride, space)                                                                  \
    OVL void name##n##suffix(float##n v, size_t i, space half *p)                                                      \
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
    INTERNAL OVL void store##n##_##mode(float##n v, space ushort *p)                                                   \
    {                                                                                                                  \
        store##half_n##_##mode(v.lo, p);                                                                               \
        store##half_n##_##mode(v.hi, p + n / 2);                                                                       \
    }
#define STORE_MODE(mode, space)                                                                                        \
    INTERNAL OVL void store_##mode(float v, space ushort *p) { *p = to_half_##mode(v); }                               \
    STORE_PARTS(2, , mode, space)                                                                                      \
    INTERNAL OVL void store3_##mode(float3 v, space ushort *p)                                                         \
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
