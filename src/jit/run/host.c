/* Which features of this processor translated code may use: decided only here. */
#include "gpu/engine/vector_length.h"
#include "jit/run/run_priv.h"

#if defined(__x86_64__)
/* The psABI's levels, like the interpreter's: they are detected there, with all their features. */
uint32_t cy_jit_host(const struct cy_level *engine, uint32_t *level, uint32_t *forms)
{
    for (*level = 0; cy_level_at(*level) && cy_level_at(*level) != engine;)
        ++*level;
    *forms = *level < CY_JIT_FORMS_512 ? *level : CY_JIT_FORMS_512; /* SSE2, AVX2, AVX-512 */
    return CY_JIT_X86_64;
}
enum { WIDEST = 16 };
#elif defined(__aarch64__)
/* NEON, SVE of 256 and of 512 bits, by what this thread's registers have now. */
uint32_t cy_jit_host(const struct cy_level *engine, uint32_t *level, uint32_t *forms)
{
    const unsigned bytes = engine == cy_level_at(0) ? 0 : cy_vector_bytes();
    *level = bytes == 32 ? 1 : bytes == 64 ? 2 : 0;
    *forms = bytes == 32 ? CY_JIT_FORMS_256_GATHERS : bytes == 64 ? CY_JIT_FORMS_512 : CY_JIT_FORMS_128;
    return CY_JIT_AARCH64;
}
enum { WIDEST = 16 };
#else
uint32_t cy_jit_host(const struct cy_level *engine, uint32_t *level, uint32_t *forms)
{
    (void)engine;
    *level = *forms = 0;
    return 0;
}
enum { WIDEST = 8 };
#endif

bool cy_jit_is_for_thread(const struct cy_jit_code *code)
{
    return !code->header.vector_bytes || code->header.vector_bytes == cy_vector_bytes();
}

/* Strips that divide the rows of the workgroup have consecutive ids, and none of them is partial.  Where that takes many, wide ones are
 * better of which the last one of each row is partial. */
uint32_t cy_jit_strip(uint32_t threads, const uint32_t local[3])
{
    enum { NARROWEST = 8, REGISTER = 4, OWN_COST = 4 }; /* a strip's own cost, in vector registers of work */
    const uint32_t items = local[0] * local[1] * local[2], most = WIDEST < threads ? WIDEST : threads;
    if (items == 1)
        return 1;
    const uint32_t row = cy_jit_row(local);
    uint32_t best = 0, least = UINT32_MAX;
    for (uint32_t strip = row == items ? NARROWEST : REGISTER; strip <= most; strip++) {
        uint32_t padded = REGISTER;
        while (padded < strip)
            padded *= 2;
        const bool divides = row % strip == 0;
        const uint32_t cost = 2 * ((row + strip - 1) / strip) * (padded / REGISTER + OWN_COST) + !divides;
        const bool is_wide = strip == padded && strip < row && row < items && strip < threads;
        if ((divides || is_wide) && cost <= least)
            best = strip, least = cost;
    }
    if (best)
        return best;
    uint32_t strip = most;
    while (strip > 4 && row < items && local[0] % strip && strip % local[0])
        strip /= 2;
    while (strip > 4 && strip / 2 >= items)
        strip /= 2;
    return strip;
}
