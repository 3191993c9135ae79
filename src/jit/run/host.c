/* Which features of this processor translated code may use: decided only here. */
#include "jit/run/run_priv.h"

#if defined(__x86_64__)
uint32_t cy_jit_host(uint32_t *level)
{
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    *level = avx512 ? 2 : avx2;
    return CY_JIT_X86_64;
}
enum { WIDEST = 16 };
#elif defined(__aarch64__)
uint32_t cy_jit_host(uint32_t *level)
{
    *level = 0;
    return CY_JIT_AARCH64;
}
enum { WIDEST = 16 };
#else
uint32_t cy_jit_host(uint32_t *level)
{
    *level = 0;
    return 0;
}
enum { WIDEST = 8 };
#endif

/* Strips that divide the rows of the workgroup have consecutive ids. */
uint32_t cy_jit_strip(uint32_t threads, const uint32_t local[3])
{
    const uint32_t items = local[0] * local[1] * local[2];
    uint32_t strip = WIDEST < threads ? WIDEST : threads;
    while (strip > 4 && local[1] * local[2] > 1 && local[0] % strip && strip % local[0])
        strip /= 2;
    while (strip > 4 && strip / 2 >= items)
        strip /= 2;
    return strip;
}
