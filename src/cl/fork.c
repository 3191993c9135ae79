/* A process that forks.  The child has none of our threads, our locks are as they happened to be, and a launch may have stopped
 * half-way.  So the parent's objects are not the child's: they are told by their generation, and every call with one gets
 * the error for an invalid object.  The child begins anew: devices, which are no objects of a context, open their machine
 * again when they are used. */
#include "cl/cl_priv.h"

/* Nobody frees it, since nobody knows in which state it is; but a leak checker finds it in use. */
void cy_cl_leave_behind(void *memory)
{
    static struct left {
        struct left *next;
        void *memory;
    } * list;
    struct left *left = memory ? cy_try_alloc(sizeof(*left)) : NULL;
    if (!left)
        return;
    *left = (struct left){list, memory};
    list = left;
}

static void in_child(void)
{
    cy_cl_next_generation();
    cy_cl_schedule_forked();
    cy_cl_stats_forked();
    cy_cl_platform_forked();
}

void cy_cl_watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}
