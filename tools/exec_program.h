/* What the commands that run an OpenCL program have in common: exec, profile, check, debug. */
#ifndef CY_TOOLS_EXEC_PROGRAM_H
#define CY_TOOLS_EXEC_PROGRAM_H

#include "base/diag.h"
#include "timing_options.h"

/* Where the program's own words start: after "--", or at the first word that is not an option. */
int cy_exec_split(const struct cy_usage *usage, int argc, char **argv);
/* Passes the cycle model's options to the runtime, after checking them here, where the message belongs; `print`: a line of
 * cycles per launch.  False: messages are in diags. */
bool cy_exec_pass_timing(const struct cy_timing_options *timing, bool print, struct cy_diags *diags);
/* Makes our OpenCL platform, and no other, visible to programs.  False: a message is in diags. */
bool cy_exec_environment(struct cy_diags *diags);
/* Runs the program and waits; its exit status, 128 + the signal that ended it, as a shell says, or `not_found` if it cannot
 * be started.  It says so if the program ends without calling OpenCL: then nothing ran on the machine. */
int cy_exec_run(char **program, int not_found, struct cy_diags *diags);

#endif
