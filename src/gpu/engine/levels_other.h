/* Any other host: what the compiler's own flags say. */
#ifndef CY_GPU_ENGINE_LEVELS_OTHER_H
#define CY_GPU_ENGINE_LEVELS_OTHER_H

#define LEVELS(LEVEL) LEVEL(generic, "", true)

#endif
