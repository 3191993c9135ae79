/* The environment variables that Chengying reads: environment.def lists them. */
#ifndef CY_BASE_ENVIRONMENT_H
#define CY_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stdio.h>

/* Warns of variables that begin with CHENGYING_ and that nobody reads, with the nearest that somebody does.  Returns
 * whether there are any; programs do not repeat it if the variable CY_ENVIRONMENT_TOLD is set. */
#define CY_ENVIRONMENT_TOLD "CHENGYING_UNKNOWN_TOLD"
bool cy_environment_warn(FILE *out);

#endif
