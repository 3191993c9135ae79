/* Everything that takes part in the platform's life, in the order in which it is told: the only file that knows all rooms. */
#include "cl/command/command.h"
#include "cl/object/object.h"
#include "cl/observe/observe.h"
#include "cl/program/program.h"

const struct cy_cl_attachment *const cy_cl_attached[] = {
    &cy_cl_compiler_attachment,
    &cy_cl_scheduler_attachment,
    &cy_cl_debug_attachment,
    &cy_cl_verify_attachment,
    &cy_cl_timing_attachment,
    &cy_cl_check_attachment,  /* after verify, whose engine it leaves */
    &cy_cl_engine_attachment, /* after those that choose an engine */
    &cy_cl_stats_attachment,
    &cy_cl_profile_attachment, /* after timing, whose model it asks; and so does the next */
    &cy_cl_view_attachment,    /* after profile, whose observers it takes in */
    NULL,
};
