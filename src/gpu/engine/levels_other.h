/* Any other host: the compiler's default flags. */
#ifndef CY_GPU_ENGINE_LEVELS_OTHER_H
#define CY_GPU_ENGINE_LEVELS_OTHER_H

#define LEVELS(LEVEL) LEVEL(generic, "", true)

#endif
