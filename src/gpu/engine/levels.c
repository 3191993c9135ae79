/* The table of levels, and which of them this processor supports. */
#include "gpu/engine/levels.h"

#include "base/mem.h"
#include "gpu/engine/engine_priv.h"
#include "gpu/engine/vector_length.h"

/* Every host file defines LEVELS(LEVEL), with a row LEVEL(name, compiler flags, condition) per level, the lowest first.
 * The lowest is supported by every processor of the architecture.  Levels of translated code alone follow in CODE_LEVELS(LEVEL), by rows
 * LEVEL(name, level of the interpreter, condition); where there are some, vector_bytes() is what cy_vector_bytes() returns. */
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

#ifdef CODE_LEVELS
#define DETECT(level, handlers, condition)                                                                             \
    static bool has_##level(void)                                                                                      \
    {                                                                                                                  \
        return (condition);                                                                                            \
    }
CODE_LEVELS(DETECT)
#else
#define CODE_LEVELS(LEVEL)
static unsigned vector_bytes(void)
{
    return 0;
}
#endif

static const struct cy_level levels[] = {
#define CODE_ROW(level, handlers, condition)                                                                           \
    {#level,                                                                                                           \
     has_##level,                                                                                                      \
     cy_lane32_handlers_##handlers,                                                                                    \
     cy_lanes_handlers_##handlers,                                                                                     \
     cy_pair32_handlers_##handlers,                                                                                    \
     cy_pair_handlers_##handlers,                                                                                      \
     cy_memory32_handlers_##handlers,                                                                                  \
     cy_memory_handlers_##handlers,                                                                                    \
     cy_words32_handlers_##handlers,                                                                                   \
     cy_words_handlers_##handlers},
#define ROW(level, flags, condition) CODE_ROW(level, level, condition)
    LEVELS(ROW) CODE_LEVELS(CODE_ROW)};

unsigned cy_vector_bytes(void)
{
    return vector_bytes();
}

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
