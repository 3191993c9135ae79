/* Between the files of this room. */
#ifndef CY_CL_OBJECT_OBJECT_PRIV_H
#define CY_CL_OBJECT_OBJECT_PRIV_H

#include "cl/object/object.h"

/* ---- object.c ---- */
unsigned cy_cl_generation(void); /* of processes: incremented in a forked child */
void cy_cl_next_generation(void);

/* ---- fork.c ---- */
void cy_cl_watch_forks(void);

/* ---- platform.c ---- */
void cy_cl_platform_forked(void);
cl_uint cy_cl_device_number(cl_device_id root); /* among the platform's */
unsigned cy_cl_common_generation(void);         /* an extension of the platform is one of all its devices */

/* ---- device.c ---- */
/* Fills in a device that has its generation; an error: `why` may say which. */
enum cy_status cy_cl_open_device(cl_device_id device, const struct cy_config *config, char **why);
void cy_cl_device_forked(void);

/* ---- sub_device.c ---- */
void cy_cl_sub_device_destroy(void *device);

#endif
