/* The same random numbers in every run. */
#ifndef CY_TESTS_XORSHIFT_H
#define CY_TESTS_XORSHIFT_H

#include <stdint.h>

static inline uint64_t random_bits(void)
{
    static uint64_t seed = 0x9e3779b97f4a7c15u;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1du;
}

#endif
