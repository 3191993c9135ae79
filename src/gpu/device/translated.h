/* Launches whose kernels run as translated code (src/jit) instead of on the interpreter. */
#ifndef CY_GPU_DEVICE_TRANSLATED_H
#define CY_GPU_DEVICE_TRANSLATED_H

#include "gpu/device/machine.h"

/* Chooses the engine: sets launch->translated, or launch->not_translated to the reason why not and launch->awaited if that
 * may change while it runs. */
void cy_translated_prepare(struct cy_launch *launch);
/* Is what the launch awaits there?  Then workgroups that have not begun may run translated.  Has it translated once the
 * interpreter has run enough instructions of it, `fresh` of which are not yet added to the launch's. */
bool cy_translated_arrived(struct cy_launch *launch, uint64_t fresh);
/* Appends what the translator is given for it, with the code.  False: there is none for this host or shape. */
bool cy_translated_request(const struct cy_launch *launch, struct cy_buf *request);
/* One turn of an SM: some workgroups.  False: there are none left, or the launch is stopped. */
bool cy_translated_turn(struct cy_sm *sm, struct cy_launch *launch);
/* Adds what the SM's turns have counted per instruction to the launch's counts. */
void cy_translated_tally(struct cy_sm *sm, struct cy_launch *launch);
/* May its work-items wait for those of earlier workgroups? */
bool cy_translated_follows(const struct cy_launch *launch);
/* Is it the first launch that asks this and runs this translation? */
bool cy_translated_is_first(const struct cy_launch *launch);
/* Is the launch worth several threads, by the number of its instructions?  Loops may make others long, too. */
bool cy_translated_is_long(const struct cy_launch *launch);
/* Gives each of so many threads, the first SMs, a range of the workgroups that are left. */
void cy_translated_divide(struct cy_launch *launch, unsigned parts);
/* The launch has ended. */
void cy_translated_end(struct cy_launch *launch);
/* Frees what an SM keeps, and what a program has. */
void cy_translated_leave(struct cy_sm *sm);
void cy_translated_forget(struct cy_program *program);

#endif
