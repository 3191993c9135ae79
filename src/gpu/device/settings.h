/* The machine's settings, for the tools that set them. */
#ifndef CY_GPU_DEVICE_SETTINGS_H
#define CY_GPU_DEVICE_SETTINGS_H

#include "base/mem.h"
#include "chengying/device.h"

/* The keys, with commas, of what `before` had set and `after` has otherwise. */
void cy_config_undone(const struct cy_config *before, const struct cy_config *after, struct cy_buf *out);

#endif
