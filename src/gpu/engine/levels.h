/* Levels: the handlers that loop over the lanes of a warp (exec_lanes.c, exec_pairs.c, exec_memory_fast.c) are compiled once per
 * useful instruction set extension of the host, from the same sources, and the best one that the processor supports is
 * chosen when a device is opened.  All compute the same results, bit for bit.
 *
 * A level is one row in its architecture's file, levels_<host>.h, which also has the detection.  CMake reads the
 * compiler flags from the row and compiles the sources with them and with CY_LEVEL, the level's name. */
#ifndef CY_GPU_ENGINE_LEVELS_H
#define CY_GPU_ENGINE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

/* Symbols exported by a file compiled for a level end in the level's name; everything else in it must be static.  An
 * inline function from a header that the compiler emits out of line would be a trap: the linker may keep the copy with
 * instructions that the processor lacks. */
#define CY_OF_LEVEL(name, level) CY_OF_LEVEL2(name, level)
#define CY_OF_LEVEL2(name, level) name##_##level

/* Lanes that a loop processes together: one vector or two.  A level's flags may override it. */
#ifndef CY_GROUP
#define CY_GROUP 8u
#endif

struct cy_handlers;
struct cy_level {
    const char *name;
    bool (*is_there)(void);             /* do this processor and the operating system support it? */
    const struct cy_handlers *lanes32;  /* by row: for 32 lanes, a constant */
    const struct cy_handlers *lanes;    /* for any number of lanes */
    const struct cy_handlers *pairs32;  /* the rows with a loop on register pairs */
    const struct cy_handlers *pairs;    /* the same for any number of lanes */
    const struct cy_handlers *memory32; /* the rows with a fast memory path */
    const struct cy_handlers *memory;   /* the same for any number of lanes */
    const struct cy_handlers *words32;  /* accesses to several words: those of the rows for one */
    const struct cy_handlers *words;    /* the same for any number of lanes */
};

/* The levels compiled for this architecture, the lowest first; NULL after the last. */
const struct cy_level *cy_level_at(size_t index);
/* The best that this processor supports. */
const struct cy_level *cy_level_best(void);

#endif
