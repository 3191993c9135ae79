/* Who asks for translated code, or measures for long, learns which kernels the interpreter ran, and why: once for each kernel.  The table
 * of CHENGYING_STATS has its own lines for that. */
#define _POSIX_C_SOURCE 200809L
#include "base/fenv_guard.h"
#include "cl/observe/observe_priv.h"

#include <stdio.h>

static struct {
    pthread_mutex_t lock;
    CY_VEC(char *) kernels;
} told = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Whether it is the kernel's first time; without memory it never is. */
static bool is_new(const char *kernel)
{
    size_t i = 0;
    pthread_mutex_lock(&told.lock);
    while (i < told.kernels.count && strcmp(told.kernels.at[i], kernel) != 0)
        i++;
    char *copy = i == told.kernels.count ? cy_try_alloc(strlen(kernel) + 1) : NULL;
    char **place = copy ? cy_vec_try_push(&told.kernels) : NULL;
    if (place)
        *place = strcpy(copy, kernel);
    else
        cy_free(copy);
    pthread_mutex_unlock(&told.lock);
    return place;
}

/* Most launches cost nothing here: their time is not asked for.  It is a floating-point number, whose computation must not show in the
 * caller's flags. */
static void launch_ended(cl_event event, struct cy_launch *launch, const char *fault)
{
    const double long_seconds = 0.25;
    const char *kernel = event->command.launch.kernel;
    struct cy_counters counters;
    fenv_t callers;
    (void)fault;
    if (!launch)
        return;
    cy_fenv_enter(&callers);
    cy_launch_counters(launch, &counters);
    const bool is_slow =
        event->queue->device->capabilities.config.engine == CY_ENGINE_JIT || counters.seconds >= long_seconds;
    cy_fenv_leave(&callers);
    if (is_slow && !counters.translated && !counters.work_items_translated && is_new(kernel))
        fprintf(stderr, "chengying: the interpreter ran '%s': %s\n", kernel, counters.not_translated);
}

static enum cy_status configure(struct cy_config *config, char **why)
{
    static const struct cy_cl_watcher watcher = {.launch_ended = launch_ended};
    const bool asks = config->engine == CY_ENGINE_JIT,
               measures = config->engine == CY_ENGINE_AUTO && cy_cl_setting("CHENGYING_PROFILE");
    (void)why;
    if ((asks || measures) && !cy_cl_setting("CHENGYING_STATS"))
        cy_cl_watch(&watcher);
    return CY_OK;
}

/* The parent's are told. */
static void forked(void)
{
    cy_cl_leave_behind(told.kernels.at);
    memset(&told.kernels, 0, sizeof(told.kernels));
    pthread_mutex_init(&told.lock, NULL);
}

const struct cy_cl_attachment cy_cl_engine_attachment = {.configure = configure, .forked = forked};
