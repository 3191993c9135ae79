/* aarch64: NEON is part of the base architecture. */
#ifndef CY_GPU_ENGINE_LEVELS_AARCH64_H
#define CY_GPU_ENGINE_LEVELS_AARCH64_H

#define LEVELS(LEVEL) LEVEL(neon, "", true)

#endif
