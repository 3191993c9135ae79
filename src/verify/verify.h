/* The engine `verify` as its users see it: every difference is reported on standard error, with what it is, where it comes from, and a
 * folder that reproduces it; at the end stands a summary.
 *
 *     struct cy_verifying *verifying = cy_verifying_create(&options);
 *     cy_verifying_attach(verifying, device);            // one or several, opened with the engine verify
 *     ... launches ...
 *     uint64_t differences = cy_verifying_finish(verifying); // the summary; the devices are still there
 *     cy_verifying_destroy(verifying);
 */
#ifndef CY_VERIFY_VERIFY_H
#define CY_VERIFY_VERIFY_H

#include "chengying/device.h"

#include <stdio.h>

struct cy_verifying_options {
    const char *folder; /* in which there will be a folder for each difference; NULL: chengying-verify */
    bool stop;          /* the first difference ends the process with SIGTERM, as its user asked */
};
/* What the environment says: CHENGYING_VERIFY_DIR, CHENGYING_VERIFY_STOP. */
void cy_verifying_from_environment(struct cy_verifying_options *options);
/* For those who verify nothing: says so if CHENGYING_VERIFY_STOP is set. */
void cy_verifying_note_idle(FILE *out);

struct cy_verifying;
struct cy_verifying *cy_verifying_create(const struct cy_verifying_options *options); /* NULL: no memory */
bool cy_verifying_attach(struct cy_verifying *verifying, struct cy_device *device);   /* false: no memory */
uint64_t cy_verifying_finish(struct cy_verifying *verifying);
void cy_verifying_destroy(struct cy_verifying *verifying);

#endif
