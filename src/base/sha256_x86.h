/* SHA-256 by x86-64's instructions, where the processor has them. */
#include <cpuid.h>
#include <immintrin.h>

static bool has_instructions(void)
{
    const unsigned ssse3 = 1u << 9, sse41 = 1u << 19, sha = 1u << 29;
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & ssse3) && (c & sse41) && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
           (b & sha);
}

/* The instructions want the state as words a, b, e, f and c, d, g, h, the first in the highest element. */
__attribute__((target("sha,sse4.1"))) static void compress_by_instructions(uint32_t state[8],
                                                                           const unsigned char *blocks, size_t count)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i *to = (__m128i *)(void *)state, words[16];
    __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(to), 0xb1),
            hgfe = _mm_shuffle_epi32(_mm_loadu_si128(to + 1), 0x1b);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
    for (; count; count--, blocks += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        for (int i = 0; i < 4; i++)
            words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)blocks + i), swap);
        for (int i = 4; i < 16; i++) {
            const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(words[i - 4], words[i - 3]),
                                              _mm_alignr_epi8(words[i - 1], words[i - 2], 4));
            words[i] = _mm_sha256msg2_epu32(sum, words[i - 1]);
        }
        for (int i = 0; i < 16; i++) {
            const __m128i four =
                _mm_add_epi32(words[i], _mm_loadu_si128((const __m128i *)(const void *)(constants + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, four);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(four, 0x0e));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128(to, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(to + 1, _mm_alignr_epi8(dchg, feba, 8));
}
