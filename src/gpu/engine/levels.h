/* Levels: the handlers that loop over the lanes of a warp (exec_lanes.c, exec_memory_fast.c) are compiled once for each
 * instruction set extension of the host that is worth it, from the same sources, and the best one that the processor has
 * is taken when a device is opened.  All of them compute the same, bit for bit.
 *
 * A level is one row in the file of its kind of host, levels_<host>.h, which also says how to detect it.  CMake reads the
 * compiler flags from the row and compiles the sources with them and with CY_LEVEL, the level's name. */
#ifndef CY_GPU_ENGINE_LEVELS_H
#define CY_GPU_ENGINE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

/* What a file compiled for a level exports ends in the level's name; everything else in it must be static.  A function
 * of a header that the compiler does not inline and emits for everybody to call would be a trap: the linker is free to
 * keep the copy with instructions that the processor does not have. */
#define CY_OF_LEVEL(name, level) CY_OF_LEVEL2(name, level)
#define CY_OF_LEVEL2(name, level) name##_##level

/* Lanes that a loop does together: one vector or two.  A level's flags may say otherwise. */
#ifndef CY_GROUP
#define CY_GROUP 8u
#endif

struct cy_handlers;
struct cy_level {
    const char *name;
    bool (*is_there)(void);             /* does this processor, and the system that runs on it, have it? */
    const struct cy_handlers *lanes32;  /* by row: for 32 lanes, a constant */
    const struct cy_handlers *lanes;    /* for any number of lanes */
    const struct cy_handlers *memory32; /* the rows with a fast path to memory */
    const struct cy_handlers *memory;   /* the same for any number of lanes */
};

/* The levels that were compiled for this kind of host, the lowest first; NULL behind the last. */
const struct cy_level *cy_level_at(size_t index);
/* The best that this processor has. */
const struct cy_level *cy_level_best(void);

#endif
