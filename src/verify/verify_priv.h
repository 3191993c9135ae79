#ifndef CY_VERIFY_VERIFY_PRIV_H
#define CY_VERIFY_VERIFY_PRIV_H

#include "base/mem.h"
#include "check/check.h"
#include "gpu/device/verify.h"
#include "verify/verify.h"

enum { MOST_REPORTS = 10 }; /* in full, and recorded; others are counted */

struct verified_device {
    struct cy_device *device;
    struct cy_verifying *owner;
    /* of the launch that is being looked at */
    struct cy_launch *launch;
    CY_VEC(struct cy_check_argument) buffers; /* all that it may use */
    struct cy_check *check;
    struct cy_check_launch *checked;
    char log[4096];     /* the file that the checker writes; empty: none */
    struct cy_buf race; /* "FILE:LINE: data race on ..."; empty: it knows none */
};

struct cy_verifying {
    struct cy_verifying_options options;
    char *folder;
    pthread_mutex_t lock; /* one report at a time */
    uint64_t reports;
    CY_VEC(struct verified_device *) devices;
};

/* race.c: a launch runs once more under the checker. */
const struct cy_observer *watch_races(void *context, struct cy_launch *launch);
bool found_race(void *context, struct cy_launch *launch, const struct cy_difference *difference);

/* describe.c: the lines about a difference, in a scope. */
void describe(struct cy_buf *out, struct cy_launch *launch, const struct cy_difference *difference,
              const struct cy_buf *race);

/* The name of an argument that leads there, or "a buffer". */
const char *name_buffer(const struct cy_launch *launch, uint64_t start, uint64_t bytes);

/* recording.c: the path of a new folder; false: why not. */
bool record_difference(struct cy_verifying *verifying, struct cy_launch *launch, const struct cy_difference *difference,
                       struct cy_buf *path, struct cy_buf *why);

#endif
