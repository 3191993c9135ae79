/* Who asks for translated code, or measures for long, learns which kernels the interpreter ran, and why: once for each kernel.  The table
 * of CHENGYING_STATS has its own lines for that. */
#define _POSIX_C_SOURCE 200809L
#include "cl/cl_priv.h"

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

void cy_cl_engine_tell(const char *kernel, struct cy_launch *launch)
{
    const double long_seconds = 0.25;
    struct cy_counters counters;
    cy_launch_counters(launch, &counters);
    const bool was_asked_for = counters.engine == CY_ENGINE_JIT;
    const bool is_slow =
        counters.engine == CY_ENGINE_AUTO && counters.seconds >= long_seconds && cy_cl_profile_wanted();
    if (!counters.translated && !counters.work_items_translated && (was_asked_for || is_slow) &&
        !cy_cl_stats_wanted() && is_new(kernel))
        fprintf(stderr, "chengying: the interpreter ran '%s': %s\n", kernel, counters.not_translated);
}

/* The parent's are told. */
void cy_cl_engine_forked(void)
{
    cy_cl_leave_behind(told.kernels.at);
    memset(&told.kernels, 0, sizeof(told.kernels));
    pthread_mutex_init(&told.lock, NULL);
}
