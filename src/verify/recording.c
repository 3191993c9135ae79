/* A launch that differs as a folder that reproduces it anywhere (gpu/replay/record.h). */
#define _POSIX_C_SOURCE 200809L
#include "verify/verify_priv.h"

#include "gpu/replay/record.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

struct recording {
    struct cy_launch *launch;
    const struct cy_difference *difference;
    struct cy_record record;
    struct cy_diags diags;
    const char *folder; /* of all recordings */
    struct cy_buf *path;
    bool ok;
};

/* FOLDER/KERNEL-LAUNCH, or with another number behind it if there is one already. */
static void choose_path(struct recording *recording)
{
    struct cy_buf *path = recording->path;
    struct stat there;
    for (unsigned i = 1;; i++) {
        path->size = 0;
        cy_buf_printf(path, "%s/%s-%" PRIu64, recording->folder, recording->difference->kernel,
                      recording->difference->launch);
        if (i > 1)
            cy_buf_printf(path, "-%u", i);
        if (stat(path->data, &there) != 0)
            return;
    }
}

static void record_all(void *argument)
{
    struct recording *recording = argument;
    struct cy_launch *launch = recording->launch;
    struct cy_record *record = &recording->record;
    const struct cy_buf *printed = &launch->verification->results[CY_VERIFY_INTERPRETED].text;
    if (mkdir(recording->folder, 0777) != 0 && errno != EEXIST) {
        cy_diag_file(&recording->diags, CY_ERROR, recording->folder, "cannot create: %s", strerror(errno));
        return;
    }
    if (!cy_record_of_launch(record, launch, &recording->diags))
        return;
    record->number = recording->difference->launch;
    record->strip = recording->difference->strip;
    cy_record_add_memory(record, launch->device, launch->program);
    if (!cy_record_set_interpreted(record, launch, printed->data, printed->size, &recording->diags))
        return;
    choose_path(recording);
    recording->ok = cy_record_write(record, recording->path->data, &recording->diags);
}

bool record_difference(struct cy_verifying *verifying, struct cy_launch *launch, const struct cy_difference *difference,
                       struct cy_buf *path, struct cy_buf *why)
{
    struct recording recording = {
        .launch = launch, .difference = difference, .folder = verifying->folder, .path = path};
    const bool ok = cy_mem_try(record_all, &recording) && recording.ok;
    if (ok)
        cy_record_free(&recording.record);
    *why = recording.diags.text;
    return ok;
}
