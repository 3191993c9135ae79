#define _POSIX_C_SOURCE 200809L
#include "verify/verify_priv.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cy_verifying_from_environment(struct cy_verifying_options *options)
{
    const char *stop = getenv("CHENGYING_VERIFY_STOP"), *folder = getenv("CHENGYING_VERIFY_DIR");
    *options = (struct cy_verifying_options){.folder = folder && *folder ? folder : NULL,
                                             .stop = stop && *stop && strcmp(stop, "0") != 0};
}

void cy_verifying_note_idle(FILE *out)
{
    struct cy_verifying_options options;
    cy_verifying_from_environment(&options);
    if (options.stop)
        fputs("chengying: note: CHENGYING_VERIFY_STOP stops nothing: no launch is verified "
              "(CHENGYING_ENGINE=verify verifies them)\n",
              out);
}

struct cy_verifying *cy_verifying_create(const struct cy_verifying_options *options)
{
    const char *folder = options->folder ? options->folder : "chengying-verify";
    struct cy_verifying *verifying = cy_try_alloc(sizeof(*verifying));
    if (!verifying)
        return NULL;
    verifying->options = *options;
    verifying->folder = cy_try_alloc(strlen(folder) + 1);
    pthread_mutex_init(&verifying->lock, NULL);
    if (verifying->folder)
        strcpy(verifying->folder, folder);
    if (verifying->folder)
        return verifying;
    cy_verifying_destroy(verifying);
    return NULL;
}

/* ---- a difference ---- */

struct report {
    const struct verified_device *device;
    struct cy_launch *launch;
    const struct cy_difference *difference;
    struct cy_buf text;
};

static void put_report(void *argument)
{
    struct report *report = argument;
    describe(&report->text, report->launch, report->difference, &report->device->race);
}

static void tell_folder(struct cy_verifying *verifying, struct cy_launch *launch,
                        const struct cy_difference *difference)
{
    struct cy_buf path = {0}, why = {0};
    if (record_difference(verifying, launch, difference, &path, &why))
        fprintf(stderr,
                "  recorded: 'cy verify %s' runs it again, anywhere\n"
                "  please report it: pack that folder (tar czf difference.tar.gz %s) and attach it\n",
                path.data, path.data);
    else
        fprintf(stderr, "  not recorded: %s", why.size ? why.data : "no memory\n");
    cy_buf_free(&path);
    cy_buf_free(&why);
}

static void differs(void *context, struct cy_launch *launch, const struct cy_difference *difference)
{
    struct verified_device *device = context;
    struct cy_verifying *verifying = device->owner;
    struct report report = {.device = device, .launch = launch, .difference = difference};
    const bool is_fault = !difference->depends_on_order;
    pthread_mutex_lock(&verifying->lock);
    const bool is_shown = verifying->reports++ < MOST_REPORTS;
    if (is_shown && cy_mem_try(put_report, &report))
        fprintf(stderr, "%.*s", (int)report.text.size, report.text.data);
    else if (is_shown)
        fprintf(stderr, "verify: kernel '%s' differs, and there is no memory to say how\n", difference->kernel);
    cy_buf_free(&report.text);
    if (is_shown && is_fault)
        tell_folder(verifying, launch, difference);
    device->race.size = 0;
    pthread_mutex_unlock(&verifying->lock);
    if (is_fault && verifying->options.stop) {
        fputs("verify: the program ends here, as was asked (--verify-stop)\n", stderr);
        kill(getpid(), SIGTERM); /* as a user would end it: its handlers run */
        pause();
    }
}

/* ---- devices ---- */

bool cy_verifying_attach(struct cy_verifying *verifying, struct cy_device *device)
{
    struct verified_device *verified = cy_try_alloc(sizeof(*verified));
    if (!verified)
        return false;
    pthread_mutex_lock(&verifying->lock);
    struct verified_device **place = cy_vec_try_push(&verifying->devices);
    if (place)
        *place = verified;
    pthread_mutex_unlock(&verifying->lock);
    if (!place) {
        cy_free(verified);
        return false;
    }
    verified->device = device;
    verified->owner = verifying;
    cy_device_set_verifier(
        device,
        &(struct cy_verifier){.context = verified, .watch = watch_races, .watched = found_race, .differs = differs});
    return true;
}

/* ---- the end ---- */

static void put_count(uint64_t count, const char *what)
{
    if (count)
        fprintf(stderr, ", %" PRIu64 " %s", count, what);
}

uint64_t cy_verifying_finish(struct cy_verifying *verifying)
{
    struct cy_verified sums = {0};
    pthread_mutex_lock(&verifying->lock);
    for (size_t i = 0; i < verifying->devices.count; i++) {
        struct cy_verified own;
        cy_device_verified(verifying->devices.at[i]->device, &own);
        sums.verified += own.verified;
        sums.different += own.different;
        sums.ordered += own.ordered;
        sums.skipped += own.skipped;
        sums.unfit += own.unfit;
        sums.interpreted += own.interpreted;
    }
    pthread_mutex_unlock(&verifying->lock);
    fprintf(stderr, "verify: %" PRIu64 " launch%s verified", sums.verified, sums.verified == 1 ? "" : "es");
    if (!sums.verified)
        fputs(": nothing was compared", stderr);
    else if (!sums.different && !sums.ordered)
        fputs(", no difference", stderr);
    put_count(sums.different, sums.different == 1 ? "differs" : "differ");
    put_count(sums.ordered,
              sums.ordered == 1 ? "depends on the order of its work-items" : "depend on the order of their work-items");
    put_count(sums.skipped, "skipped");
    put_count(sums.unfit, "could not be compared");
    put_count(sums.interpreted, "interpreted anyway");
    fputs("\n", stderr);
    return sums.different;
}

void cy_verifying_destroy(struct cy_verifying *verifying)
{
    if (!verifying)
        return;
    for (size_t i = 0; i < verifying->devices.count; i++) {
        cy_buf_free(&verifying->devices.at[i]->race);
        cy_vec_free(&verifying->devices.at[i]->buffers);
        cy_free(verifying->devices.at[i]);
    }
    cy_vec_free(&verifying->devices);
    cy_free(verifying->folder);
    pthread_mutex_destroy(&verifying->lock);
    cy_free(verifying);
}
