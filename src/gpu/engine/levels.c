/* The table of levels, and which of them this processor supports. */
#include "gpu/engine/levels.h"

#include "base/mem.h"
#include "gpu/engine/engine_priv.h"

/* Every host file defines LEVELS(LEVEL), with a row LEVEL(name, compiler flags, condition) per level, the lowest first.
 * The lowest is supported by every processor of the architecture. */
#if defined(__x86_64__)
#include "gpu/engine/levels_x86.h"
#elif defined(__aarch64__)
#include "gpu/engine/levels_aarch64.h"
#else
#include "gpu/engine/levels_other.h"
#endif

#define DECLARE(level, flags, condition)                                                                               \
    extern const struct cy_handlers cy_lane32_handlers_##level[CY_OP_COUNT];                                           \
    extern const struct cy_handlers cy_lanes_handlers_##level[CY_OP_COUNT];                                            \
    extern const struct cy_handlers cy_pair32_handlers_##level[CY_OP_COUNT];                                           \
    extern const struct cy_handlers cy_pair_handlers_##level[CY_OP_COUNT];                                             \
    extern const struct cy_handlers cy_memory32_handlers_##level[CY_OP_COUNT];                                         \
    extern const struct cy_handlers cy_memory_handlers_##level[CY_OP_COUNT];                                           \
    extern const struct cy_handlers cy_words32_handlers_##level[CY_OP_COUNT];                                          \
    extern const struct cy_handlers cy_words_handlers_##level[CY_OP_COUNT];                                            \
    static bool has_##level(void)                                                                                      \
    {                                                                                                                  \
        return (condition);                                                                                            \
    }
LEVELS(DECLARE)

static const struct cy_level levels[] = {
#define ROW(level, flags, condition)                                                                                   \
    {#level,                                                                                                           \
     has_##level,                                                                                                      \
     cy_lane32_handlers_##level,                                                                                       \
     cy_lanes_handlers_##level,                                                                                        \
     cy_pair32_handlers_##level,                                                                                       \
     cy_pair_handlers_##level,                                                                                         \
     cy_memory32_handlers_##level,                                                                                     \
     cy_memory_handlers_##level,                                                                                       \
     cy_words32_handlers_##level,                                                                                      \
     cy_words_handlers_##level},
    LEVELS(ROW)};

const struct cy_level *cy_level_at(size_t index)
{
    return index < CY_COUNT(levels) ? &levels[index] : NULL;
}

const struct cy_level *cy_level_best(void)
{
    size_t best = CY_COUNT(levels) - 1;
    while (best && !levels[best].is_there())
        best--;
    return &levels[best];
}
