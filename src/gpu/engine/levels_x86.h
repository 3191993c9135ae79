/* x86-64: SSE2 is part of the base architecture; AVX2 with FMA (x86-64-v3) and AVX-512 (x86-64-v4) are not.
 *
 * The flags name the psABI's levels, so the conditions test for everything in them that a compiler may use.  Support by
 * the processor is not enough: the operating system must save the wider registers too, which XCR0 tells.
 *
 * AVX-512 uses 512-bit registers, two for a row of 32 lanes: the first processors that have it lower their clock a
 * little, but the handlers need a third fewer cycles than with four 256-bit registers. */
#ifndef CY_GPU_ENGINE_LEVELS_X86_H
#define CY_GPU_ENGINE_LEVELS_X86_H

#include <cpuid.h>
#include <stdatomic.h>
#include <stdint.h>

#define LEVELS(LEVEL)                                                                                                  \
    LEVEL(sse2, "-march=x86-64", true)                                                                                 \
    LEVEL(avx2, "-march=x86-64-v3 -DCY_LONG_RUNS=true", has_v3())                                                      \
    LEVEL(avx512, "-march=x86-64-v4 -mprefer-vector-width=512 -DCY_GROUP=16u -DCY_LONG_RUNS=true", has_v4())
#define CODE_LEVELS(LEVEL) LEVEL(avx512_slow_gather, avx512, has_v4() && gathers_slowly())

static bool has_all(uint32_t word, uint32_t bits)
{
    return (word & bits) == bits;
}

/* XCR0: the register state that the system saves when it switches threads. */
static uint32_t saved_state(void)
{
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* After all that comes before, and before all that follows. */
static uint64_t time_stamp(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return low | (uint64_t)high << 32;
}

static bool has_v3(void)
{
    enum { FMA = 1 << 12, CX16 = 1 << 13, MOVBE = 1 << 22, OSXSAVE = 1 << 27, AVX = 1 << 28, F16C = 1 << 29 };
    enum { BMI1 = 1 << 3, AVX2 = 1 << 5, BMI2 = 1 << 8, LZCNT = 1 << 5, XMM_YMM = 6 };
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !has_all(c, FMA | CX16 | MOVBE | OSXSAVE | AVX | F16C))
        return false;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has_all(b, BMI1 | AVX2 | BMI2))
        return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && has_all(c, LZCNT) && has_all(saved_state(), XMM_YMM);
}

static bool has_v4(void)
{
    const uint32_t f = 1u << 16, dq = 1u << 17, cd = 1u << 28, bw = 1u << 30, vl = 1u << 31, masks_zmm = 0xe0;
    uint32_t a, b, c, d;
    return has_v3() && __get_cpuid_count(7, 0, &a, &b, &c, &d) && has_all(b, f | dq | cd | bw | vl) &&
           has_all(saved_state(), masks_zmm);
}

/* Processors from Skylake to Ice Lake gather four to five times more slowly since their microcode keeps gathers from leaking data: whether
 * this one does, only the time tells, in loads that wait for each other (four or five cycles each).  A gather of four words usually
 * takes as long as one or two of these, and five here. */
static bool measure_gathers(void)
{
    enum { TURNS = 16, TRIES = 6, SLOW = 3 };
    static const uint32_t words[4];
    const void *const self = &self;
    uint64_t least[2] = {UINT64_MAX, UINT64_MAX};
    for (unsigned try = 0; try < TRIES; try++) {
        const void *at = &self;
        const uint64_t start = time_stamp();
        for (unsigned i = 0; i < TURNS; i++)
            __asm__ volatile("vpcmpeqd %%xmm0, %%xmm0, %%xmm0\n\t"
                             "vpxor %%xmm1, %%xmm1, %%xmm1\n\t"
                             "vpxor %%xmm2, %%xmm2, %%xmm2\n\t"
                             "vpgatherdd %%xmm0, (%0,%%xmm1), %%xmm2"
                             :
                             : "r"(words)
                             : "xmm0", "xmm1", "xmm2", "memory");
        const uint64_t gathered = time_stamp();
        for (unsigned i = 0; i < TURNS; i++)
            __asm__ volatile("mov (%0), %0" : "+r"(at) : : "memory");
        const uint64_t loaded = time_stamp();
        least[0] = gathered - start < least[0] ? gathered - start : least[0];
        least[1] = loaded - gathered < least[1] ? loaded - gathered : least[1];
    }
    return least[0] > SLOW * least[1];
}

/* Measured once: all of a process gets the same answer. */
static bool gathers_slowly(void)
{
    enum { UNKNOWN, SLOWLY, FAST };
    static _Atomic int known;
    int unknown = UNKNOWN;
    if (known == UNKNOWN)
        atomic_compare_exchange_strong(&known, &unknown, measure_gathers() ? SLOWLY : FAST);
    return known == SLOWLY;
}

static unsigned vector_bytes(void)
{
    return 0; /* instructions say it */
}

#endif
