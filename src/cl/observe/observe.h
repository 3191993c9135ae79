/* The room of those who watch, and the door of this folder: the tools that `cy exec`, `check`, `debug`, `profile` and `view`
 * attach to the platform.  Nothing below knows them: they are told by the hooks of object.h. */
#ifndef CY_CL_OBSERVE_OBSERVE_H
#define CY_CL_OBSERVE_OBSERVE_H

#include "cl/object/object.h"

extern const struct cy_cl_attachment cy_cl_debug_attachment, cy_cl_verify_attachment, cy_cl_timing_attachment,
    cy_cl_check_attachment, cy_cl_engine_attachment, cy_cl_stats_attachment, cy_cl_profile_attachment,
    cy_cl_view_attachment;

#endif
