/* `cy run --record`: its launch as a recorded one. */
#ifndef CY_TOOLS_RECORD_LAUNCH_H
#define CY_TOOLS_RECORD_LAUNCH_H

#include "gpu/replay/record.h"
#include "paths.h"
#include "run_arguments.h"

struct cy_recorded {
    struct cy_record record;
    struct cy_buf printed; /* what the launch has printed so far */
};
/* Before the launch: memory as it is. */
void cy_recorded_begin(struct cy_recorded *recorded, struct cy_device *device, const struct cy_program *program);
/* After it: writes the folder.  A launch that was interrupted is not written. */
bool cy_recorded_end(struct cy_recorded *recorded, struct cy_device *device, struct cy_launch *launch,
                     const struct cy_run_argument *arguments, size_t count, const char *folder, struct cy_diags *diags);
void cy_recorded_free(struct cy_recorded *recorded);
/* The files of the folder as outputs; NULL: none. */
void cy_recorded_paths(const char *folder, struct cy_paths *paths);

#endif
