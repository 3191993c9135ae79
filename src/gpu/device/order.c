/* Other orders of workgroups and warps, all of them legal: what a program computes must not depend on which of them the machine takes.
 * Order 0 is that of the numbers, 1 the reverse; every other number is the seed of a random one. */
#include "gpu/device/machine.h"

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

/* A permutation of [0, 2^(2 * half)): four rounds of a Feistel network. */
static uint64_t shuffle(uint64_t value, unsigned half, uint64_t seed)
{
    const uint64_t mask = (1ull << half) - 1;
    uint64_t left = value >> half, right = value & mask;
    for (unsigned round = 0; round < 4; round++) {
        const uint64_t next = left ^ (mix(right + seed * 4 + round) & mask);
        left = right;
        right = next;
    }
    return left << half | right;
}

uint64_t cy_order_group(const struct cy_launch *launch, uint64_t number)
{
    const uint64_t count = launch->group_count;
    if (launch->order == 1)
        return count - 1 - number;
    unsigned half = 1;
    while (count > 1ull << (2 * half))
        half++;
    do /* as often as it leaves the range */
        number = shuffle(number, half, launch->order);
    while (number >= count);
    return number;
}

unsigned cy_order_warp(const struct cy_launch *launch, struct cy_sm *sm, uint64_t ready)
{
    if (launch->order == 1)
        return 63 - (unsigned)__builtin_clzll(ready);
    uint64_t skip = mix(launch->order + ++sm->chosen) % (unsigned)__builtin_popcountll(ready);
    while (skip--)
        ready &= ready - 1;
    return (unsigned)__builtin_ctzll(ready);
}

uint64_t cy_order_budget(const struct cy_launch *launch, struct cy_sm *sm, uint64_t budget)
{
    enum { LONGEST = 256 };
    const uint64_t short_one = 1 + mix(launch->order * 3ull + ++sm->chosen) % LONGEST;
    return launch->order == 1 || budget < short_one ? budget : short_one;
}
