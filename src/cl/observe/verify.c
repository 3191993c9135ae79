/* CHENGYING_ENGINE=verify, or CHENGYING_VERIFY=N: launches run translated and interpreted, and are compared (src/verify). */
#define _POSIX_C_SOURCE 200809L
#include "cl/observe/observe_priv.h"

#include "verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct cy_verifying *verifying; /* set once; NULL: nothing is verified */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t owner;
static bool is_idle_told; /* once, however many devices there are */

static void finish(void)
{
    if (getpid() == owner) /* a child that was forked has not begun its own */
        cy_verifying_finish(verifying);
}

static enum cy_status configure(struct cy_config *config, char **why)
{
    const char *every = getenv("CHENGYING_VERIFY");
    char assignment[64];
    if (!every || !*every)
        return CY_OK;
    config->engine = CY_ENGINE_VERIFY;
    snprintf(assignment, sizeof(assignment), "verify-every=%s", every);
    return cy_config_set(config, assignment, why);
}

static enum cy_status attach(cl_device_id device, char **why)
{
    (void)why;
    struct cy_verifying_options options;
    const bool is_wanted = device->capabilities.config.engine == CY_ENGINE_VERIFY;
    pthread_mutex_lock(&lock);
    if (!is_wanted && !is_idle_told)
        cy_verifying_note_idle(stderr);
    is_idle_told = true;
    if (!is_wanted) {
        pthread_mutex_unlock(&lock);
        return CY_OK;
    }
    if (!verifying) {
        cy_verifying_from_environment(&options);
        verifying = cy_verifying_create(&options);
        if (verifying && !owner)
            atexit(finish);
        owner = getpid();
    }
    const bool ok = verifying && cy_verifying_attach(verifying, device->machine);
    pthread_mutex_unlock(&lock);
    return ok ? CY_OK : CY_ERROR_HOST;
}

/* The parent's devices are the parent's to report. */
static void forked(void)
{
    cy_cl_leave_behind(verifying);
    verifying = NULL;
    pthread_mutex_init(&lock, NULL);
}

const struct cy_cl_attachment cy_cl_verify_attachment = {.configure = configure, .open = attach, .forked = forked};
