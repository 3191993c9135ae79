/* AVX2: what the compiler's portable vectors cannot say in few instructions, of eight lanes in a register. */
#ifndef CY_GPU_ENGINE_LANES_X86_H
#define CY_GPU_ENGINE_LANES_X86_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint32_t cy_eight __attribute__((vector_size(32)));

/* Is any bit of it set? */
static inline __attribute__((always_inline)) bool cy_eight_any(const cy_eight *bits)
{
    return !_mm256_testz_si256((__m256i)*bits, (__m256i)*bits);
}

/* The conditions of 32 lanes, each all ones or zeros, as bits.  Packing works in each half of a register: afterwards its words are
 * the lanes from 0, 8, 16, 24 and then from 4, 12, 20, 28 on. */
static inline __attribute__((always_inline)) uint32_t cy_eight_bits(const cy_eight of[4])
{
    const __m256i low = _mm256_packs_epi32((__m256i)of[0], (__m256i)of[1]);
    const __m256i high = _mm256_packs_epi32((__m256i)of[2], (__m256i)of[3]);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order));
}

#endif
