/* Between the files of this room. */
#ifndef CY_CL_OBSERVE_OBSERVE_PRIV_H
#define CY_CL_OBSERVE_OBSERVE_PRIV_H

#include "cl/observe/observe.h"

#include "check/check.h"
#include "chengying/timing.h"
#include "cl/command/command.h"
#include "profile/profile.h"
#include "view/view.h"

/* What the tools keep with a launch. */
struct cy_cl_watched {
    struct cy_timing *timing; /* NULL: its cycles are not counted */
    uint64_t cycles;          /* once it has ended; UINT64_MAX: not known */
    struct cy_profile_launch profiled;
    struct cy_view_launch *viewed;   /* while it runs; NULL: it is not recorded */
    struct cy_check_launch *checked; /* while it runs */
    size_t argument_count;
    struct cy_check_argument arguments[]; /* as the checker wants them */
};

/* Of the event's command, made if there is none yet, with room for `argument_count` arguments; NULL: no memory. */
struct cy_cl_watched *cy_cl_watched(cl_event event, size_t argument_count);

#endif
