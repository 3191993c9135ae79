/* The environment, as the driver reads it.
 *
 * Kernels are translated on threads of our own, while the host program may call setenv(), which no lock makes safe.  Such
 * threads read a copy that was made when the device was opened. */
#ifndef CY_CC_DRIVER_ENVIRONMENT_H
#define CY_CC_DRIVER_ENVIRONMENT_H

char **cc_environment_copy(void); /* freed with free(); NULL: no memory */

/* This thread reads `copy`, or with NULL the process's own environment again. */
void cc_environment_use(char **copy);

char **cc_environment(void);
const char *cc_getenv(const char *name);

#endif
