/* The integer helpers for every element width. */
#ifndef CY_GPU_ENGINE_INT_OPS_H
#define CY_GPU_ENGINE_INT_OPS_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 cy_u128;
__extension__ typedef __int128 cy_i128;

#define SEW 8
#include "gpu/engine/int_ops.inc"
#undef SEW
#define SEW 16
#include "gpu/engine/int_ops.inc"
#undef SEW
#define SEW 32
#include "gpu/engine/int_ops.inc"
#undef SEW
#define SEW 64
#include "gpu/engine/int_ops.inc"
#undef SEW

/* Division of many numbers by one, by multiplication (Granlund and Montgomery 1994): in a loop over lanes it
 * vectorises, which division does not.  Division by 0 and its remainder follow RISC-V. */
struct cy_divisor {
    uint32_t magic;
    unsigned half, shift;
};
static inline struct cy_divisor cy_divisor_of(uint32_t d)
{
    const unsigned bits = d > 1 ? 32 - (unsigned)__builtin_clz(d - 1) : 0; /* 2^bits is the least power of two >= d */
    const uint64_t rest = ((uint64_t)1 << bits) - d;
    const uint32_t magic = d && rest ? (uint32_t)((rest << 32) / d) + 1 : 1; /* no division for powers of two */
    return (struct cy_divisor){magic, bits != 0, bits ? bits - 1 : 0};
}
/* For d = 0 it is the quotient by 1. */
static inline uint32_t cy_quotient(uint32_t x, struct cy_divisor by)
{
    const uint32_t high = (uint32_t)((uint64_t)x * by.magic >> 32);
    return (high + ((x - high) >> by.half)) >> by.shift;
}
static inline uint32_t cy_magnitude(uint32_t x)
{
    return (int32_t)x < 0 ? 0 - x : x;
}

static inline uint32_t u_div_by(uint32_t x, uint32_t y, struct cy_divisor by)
{
    return cy_quotient(x, by) | (y ? 0 : UINT32_MAX);
}
static inline uint32_t u_rem_by(uint32_t x, uint32_t y, struct cy_divisor by)
{
    return x - cy_quotient(x, by) * y;
}
/* `by` is for the divisor's magnitude. */
static inline uint32_t i_div_by(uint32_t x, uint32_t y, struct cy_divisor by)
{
    const uint32_t quotient = cy_quotient(cy_magnitude(x), by);
    return ((int32_t)(x ^ y) < 0 ? 0 - quotient : quotient) | (y ? 0 : UINT32_MAX);
}
static inline uint32_t i_rem_by(uint32_t x, uint32_t y, struct cy_divisor by)
{
    const uint32_t quotient = cy_quotient(cy_magnitude(x), by);
    return x - ((int32_t)(x ^ y) < 0 ? 0 - quotient : quotient) * y;
}

#endif
