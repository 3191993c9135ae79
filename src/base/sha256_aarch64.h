/* SHA-256 by aarch64's instructions, where the processor has them. */
#include <arm_neon.h>
#include <sys/auxv.h>

static bool has_instructions(void)
{
    const unsigned long sha2 = 1u << 6; /* HWCAP_SHA2 */
    return getauxval(AT_HWCAP) & sha2;
}

__attribute__((target("+crypto"))) static void compress_by_instructions(uint32_t state[8], const unsigned char *blocks,
                                                                        size_t count)
{
    uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4), words[16];
    for (; count; count--, blocks += 64) {
        const uint32x4_t abcd_before = abcd, efgh_before = efgh;
        for (int i = 0; i < 4; i++)
            words[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(blocks + 16 * i)));
        for (int i = 4; i < 16; i++)
            words[i] = vsha256su1q_u32(vsha256su0q_u32(words[i - 4], words[i - 3]), words[i - 2], words[i - 1]);
        for (int i = 0; i < 16; i++) {
            const uint32x4_t four = vaddq_u32(words[i], vld1q_u32(constants + 4 * i)), first = abcd;
            abcd = vsha256hq_u32(abcd, efgh, four);
            efgh = vsha256h2q_u32(efgh, first, four);
        }
        abcd = vaddq_u32(abcd, abcd_before);
        efgh = vaddq_u32(efgh, efgh_before);
    }
    vst1q_u32(state, abcd);
    vst1q_u32(state + 4, efgh);
}
