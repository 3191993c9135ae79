/* For the checker: pointers that are no longer mapped.  Who writes through one is found by the bytes, which change while nothing uses
 * them. */
#include "cl/observe/check_priv.h"

enum { MOST_UNMAPPED = 64 };

struct unmapped {
    cl_mem mem; /* NULL: free */
    const char *pointer;
    size_t size;
    uint64_t hash;
};

static struct {
    pthread_mutex_t lock;
    struct unmapped last[MOST_UNMAPPED];
    unsigned next;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

void cy_cl_unmap_forked(void)
{
    memset(&state, 0, sizeof(state));
    pthread_mutex_init(&state.lock, NULL);
}

static uint64_t hash_of(const char *bytes, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return hash;
}

static cl_mem root_of(cl_mem mem)
{
    while (mem->parent)
        mem = mem->parent;
    return mem;
}

void cy_cl_unmap_done(cl_mem mem, const void *pointer, size_t size)
{
    if (!cy_cl_checks_api() || mem->image)
        return;
    pthread_mutex_lock(&state.lock);
    state.last[state.next++ % MOST_UNMAPPED] = (struct unmapped){root_of(mem), pointer, size, hash_of(pointer, size)};
    pthread_mutex_unlock(&state.lock);
}

void cy_cl_unmap_use(cl_mem mem, bool may_change)
{
    if (!cy_cl_checker())
        return;
    pthread_mutex_lock(&state.lock);
    for (unsigned i = 0; i < MOST_UNMAPPED; i++) {
        struct unmapped *u = &state.last[i];
        if (!u->mem || (mem && u->mem != root_of(mem)))
            continue;
        const bool changed = hash_of(u->pointer, u->size) != u->hash;
        if (changed)
            cy_check_api(cy_cl_checker(), "write-after-unmap",
                         "the host writes through a pointer of clEnqueueMapBuffer (%zu bytes) after it was unmapped",
                         u->size);
        if (changed || may_change)
            u->mem = NULL;
    }
    pthread_mutex_unlock(&state.lock);
}

void cy_cl_unmap_starts(cl_event event)
{
    const struct cy_cl_command *c = &event->command;
    if (!event->order)
        return;
    if (c->from)
        cy_cl_unmap_use(c->from, event->type == CL_COMMAND_MAP_BUFFER);
    if (c->to && event->type != CL_COMMAND_UNMAP_MEM_OBJECT)
        cy_cl_unmap_use(c->to, true);
    for (size_t i = 0; i < c->mem_count; i++)
        if (c->mems[i])
            cy_cl_unmap_use(c->mems[i], true);
}
