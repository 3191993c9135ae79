/* Shared by the sub-group functions.  A sub-group is a warp; its lanes exchange values through words of local memory
 * that belong to the warp, at the end of its scalar stack. */
#ifndef CY_SUBGROUP_H
#define CY_SUBGROUP_H

#include "abi/abi.h"
#include "builtins.h"

#define COLLECTIVE OVL __attribute__((convergent))

OVL uint get_sub_group_local_id(void);
OVL uint get_sub_group_size(void);

INTERNAL uint launch_word(uint offset) { return ((__constant const uint *)(size_t)__cy_csr_knl())[offset / 4]; }

/* A word for every lane. */
INTERNAL __local uint *slots(void)
{
    uint stack = launch_word(CY_KNL_LDS_STACK_SIZE_PER_WF);
    stack = stack ? stack : CY_STACK_BYTES;
    return (__local uint *)(size_t)(__cy_csr_lds() + (__cy_csr_wid() + 1) * stack - CY_EXCHANGE_BYTES);
}
/* A wrong index gives a wrong value, not a wrong access. */
INTERNAL __local uint *slot(uint index) { return slots() + index % (CY_EXCHANGE_BYTES / 4); }

/* ---- moving a value of any type: the work-item gives x away at `mine` and gets what is at `theirs` ---- */

#define MOVE_WORD(T, to, from)                                                                                         \
    INTERNAL T move_##T(__local uint *mine, T x, __local uint *theirs)                                                 \
    {                                                                                                                  \
        return from(T, __cy_exchange(mine, to(x), theirs));                                                            \
    }
#define MOVE_LONG(T)                                                                                                   \
    INTERNAL T move_##T(__local uint *mine, T x, __local uint *theirs)                                                 \
    {                                                                                                                  \
        uint lo = __cy_exchange(mine, (uint)x, theirs), hi = __cy_exchange(mine, (uint)((ulong)x >> 32), theirs);      \
        return (T)((ulong)hi << 32 | lo);                                                                              \
    }
#define TO_WORD(x)      ((uint)(x))
#define FROM_WORD(T, x) ((T)(x))
#define TO_BITS(x)      AS(uint, x)
#define TO_SHORT(x)     ((uint)AS(ushort, x))
#define FROM_SHORT(T, x) AS(T, (ushort)(x))
/* Doubles and halves are compiled into modules of their own. */
#if defined CY_DOUBLE
MOVE_LONG(ulong)
INTERNAL double move_double(__local uint *mine, double x, __local uint *theirs)
{
    return AS(double, move_ulong(mine, AS(ulong, x), theirs));
}
#define SUBGROUP_TYPES(M) M(double)
#elif defined CY_HALF
MOVE_WORD(half, TO_SHORT, FROM_SHORT)
#define SUBGROUP_TYPES(M) M(half)
#else
MOVE_WORD(char, TO_WORD, FROM_WORD)
MOVE_WORD(uchar, TO_WORD, FROM_WORD)
MOVE_WORD(short, TO_WORD, FROM_WORD)
MOVE_WORD(ushort, TO_WORD, FROM_WORD)
MOVE_WORD(int, TO_WORD, FROM_WORD)
MOVE_WORD(uint, TO_WORD, FROM_WORD)
MOVE_WORD(float, TO_BITS, AS)
MOVE_LONG(long)
MOVE_LONG(ulong)

#define SUBGROUP_TYPES(M) M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong) M(float)
#endif

/* ---- sets of lanes, by sub-group local id ---- */

INTERNAL ulong all_lanes(void)
{
    uint threads = __cy_csr_numt();
    return threads == 64 ? ~0ul : (1ul << threads) - 1;
}

/* The active lanes for which it holds. */
INTERNAL __attribute__((convergent)) ulong lanes_with(bool holds)
{
    uint own = get_sub_group_local_id(), hi = 0;
    uint lo = __cy_unite(slots(), holds && own < 32 ? 1u << own : 0);
    if (__cy_csr_numt() > 32)
        hi = __cy_unite(slots(), holds && own >= 32 ? 1u << (own - 32) : 0);
    return (ulong)hi << 32 | lo;
}

INTERNAL uint count_lanes(ulong lanes) { return (uint)__builtin_popcountl((long)lanes); }
INTERNAL uint first_lane(ulong lanes)
{
    return (uint)lanes ? (uint)__builtin_ctz((uint)lanes) : 32 + (uint)__builtin_ctz((uint)(lanes >> 32) | 0x80000000u);
}
INTERNAL ulong lanes_below(uint index) { return (1ul << index) - 1; }

#endif
