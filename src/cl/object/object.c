/* Handles, reference counts, and who watches. */
#include "cl/object/object_priv.h"

#include <assert.h>

const struct cy_cl_watcher *cy_cl_watchers[CY_CL_MOST_WATCHERS + 1];
struct cy_cl_demands cy_cl_demands;

static unsigned generation; /* only changed while there is a single thread */

unsigned cy_cl_generation(void)
{
    return generation;
}

void cy_cl_next_generation(void)
{
    generation++;
}

static void add_demands(const struct cy_cl_demands *more)
{
    struct cy_cl_demands *sum = &cy_cl_demands;
    sum->every_command |= more->every_command;
    sum->lone_launches |= more->lone_launches;
    sum->lane_counts |= more->lane_counts;
    sum->near_memory |= more->near_memory;
    sum->stale_arguments |= more->stale_arguments;
    sum->variables = more->variables ? more->variables : sum->variables;
    sum->checks = more->checks ? more->checks : sum->checks;
    sum->lines = more->lines ? more->lines : sum->lines;
}

/* Once, though the platform may be configured again: the host had no memory for a device. */
void cy_cl_watch(const struct cy_cl_watcher *watcher)
{
    size_t count = 0;
    for (; cy_cl_watchers[count]; count++)
        if (cy_cl_watchers[count] == watcher)
            return;
    assert(count < CY_CL_MOST_WATCHERS);
    cy_cl_watchers[count] = watcher;
    add_demands(&watcher->demands);
}

void *cy_cl_create(const struct cy_cl_class *class, size_t size)
{
    struct cy_cl_object *object = cy_try_alloc(size);
    if (!object)
        return NULL;
    object->dispatch = &cy_cl_dispatch;
    object->class = class;
    atomic_init(&object->generation, generation);
    atomic_init(&object->references, 1);
    CY_CL_TELL(counts, class, 1);
    return object;
}

void cy_cl_discard(void *handle)
{
    struct cy_cl_object *object = handle;
    CY_CL_TELL(counts, object->class, -1);
    cy_free(object);
}

bool cy_cl_is(const void *handle, const struct cy_cl_class *class)
{
    const struct cy_cl_object *object = handle;
    if (!object || object->dispatch != &cy_cl_dispatch || object->class != class)
        return false;
    return atomic_load_explicit(&object->generation, memory_order_acquire) == generation ||
           (class->renew && class->renew((void *)(uintptr_t)handle));
}

void cy_cl_retain(void *handle)
{
    struct cy_cl_object *object = handle;
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
}

static void release(struct cy_cl_object *object, uint64_t unit)
{
    if (!object || atomic_fetch_sub_explicit(&object->references, unit, memory_order_acq_rel) != unit)
        return;
    const struct cy_cl_class *class = object->class;
    CY_CL_TELL(destroys, object);
    class->destroy(object);
    object->dispatch = NULL; /* so that a stale handle is likely to be noticed */
    CY_CL_TELL(counts, class, -1);
    if (!class->is_argument || !cy_cl_demands.stale_arguments)
        cy_free(object);
}

void cy_cl_release(void *handle)
{
    release(handle, 1);
}

static const uint64_t ours = (uint64_t)1 << 32;

void cy_cl_hold(void *handle)
{
    struct cy_cl_object *object = handle;
    atomic_fetch_add_explicit(&object->references, ours, memory_order_relaxed);
}

void cy_cl_drop(void *handle)
{
    release(handle, ours);
}

void cy_cl_own(void *handle)
{
    struct cy_cl_object *object = handle;
    atomic_fetch_add_explicit(&object->references, ours - 1, memory_order_relaxed);
}

cl_int cy_cl_answer(const void *data, size_t data_size, size_t size, void *value, size_t *size_ret)
{
    if (value && size < data_size)
        return CL_INVALID_VALUE;
    if (value && data_size)
        memcpy(value, data, data_size);
    if (size_ret)
        *size_ret = data_size;
    return CL_SUCCESS;
}
