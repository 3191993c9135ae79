/* Forked processes.  The child has none of our threads, our locks are in an arbitrary state, and a launch may have
 * stopped halfway.  So the parent's objects are invalid in the child: they are recognised by their generation, and
 * every call with one returns the error for an invalid object.  The child starts afresh: devices, which belong to no
 * context, reopen their machine when they are used. */
#include "cl/object/object_priv.h"

/* Never freed, since its state is unknown; but a leak checker finds it reachable. */
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
    for (const struct cy_cl_attachment *const *at = cy_cl_attached; *at; at++)
        if ((*at)->forked)
            (*at)->forked();
    cy_cl_platform_forked();
    cy_cl_device_forked();
}

void cy_cl_watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}
