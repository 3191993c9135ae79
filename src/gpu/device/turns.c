/* Time slicing between launches.
 *
 * A launch has the whole device while it runs: its program is at addresses that other programs use as well.  Launches
 * that do not depend on each other (cy_launch_desc.independent) are time-sliced, so that none has to wait for the end
 * of a long one.  Between its turns a launch is suspended: it keeps its SMs with all their state and its buffers in
 * device memory; only its local memory, which has a fixed address, is copied.
 *
 * New launches go first, so that short ones finish soon; after they have used as much time as a turn, a suspended
 * launch gets its turn. */
#include "gpu/device/machine.h"

#include <string.h>

enum { TURN_NS = 20000000, LATER_TURN_NS = 2000000, SPARE_SETS = 2 };

/* ---- sets of SMs ---- */

static void free_sms(struct cy_device *device, struct cy_sm *sms)
{
    for (unsigned i = 0; sms && i < device->config.sms; i++)
        cy_sm_destroy(&sms[i]);
    cy_free(sms);
}

static struct cy_sm *make_sms(struct cy_device *device)
{
    struct cy_sm *sms = cy_try_alloc(device->config.sms * sizeof(*sms));
    bool ok = sms != NULL;
    for (unsigned i = 0; ok && i < device->config.sms; i++)
        ok = cy_sm_init(&sms[i], device, i);
    if (ok)
        return sms;
    free_sms(device, sms);
    return NULL;
}

static struct cy_sm *take_sms(struct cy_device *device)
{
    struct cy_sm *sms = device->spare_sms;
    if (!sms)
        return make_sms(device);
    device->spare_sms = sms->next_set;
    device->spare_sets--;
    return sms;
}

static void give_sms(struct cy_device *device, struct cy_sm *sms)
{
    if (device->spare_sets == SPARE_SETS) {
        free_sms(device, sms);
        return;
    }
    sms->next_set = device->spare_sms;
    device->spare_sms = sms;
    device->spare_sets++;
}

bool cy_turns_init(struct cy_device *device)
{
    device->turn_ns = TURN_NS;
    device->later_turn_ns = LATER_TURN_NS;
    device->sms = make_sms(device);
    return device->sms != NULL;
}

void cy_turns_destroy(struct cy_device *device)
{
    free_sms(device, device->sms);
    while (device->spare_sms)
        free_sms(device, take_sms(device));
}

/* ---- local memory ---- */

/* Copies the local memory of the resident workgroups to `bytes`, or back; returns its size.  NULL: returns the size
 * only. */
static size_t copy_lds(const struct cy_launch *launch, uint8_t *bytes, bool back)
{
    const struct cy_config *config = &launch->device->config;
    const uint32_t size = launch->needs.of[CY_RES_LDS];
    size_t done = 0;
    for (unsigned i = 0; i < launch->sm_count; i++)
        for (unsigned g = 0; g < config->workgroups; g++) {
            const struct cy_workgroup *group = &launch->sms[i].groups[g];
            if (!group->live)
                continue;
            uint8_t *lds = launch->device->memory.base + CY_LDS_BASE + i * cy_config_lds_slice(config) + group->lds;
            if (bytes)
                memcpy(back ? lds : bytes + done, back ? bytes + done : lds, size);
            done += size;
        }
    return done;
}

/* ---- suspending ---- */

bool cy_turns_set_aside(struct cy_launch *launch)
{
    struct cy_device *device = launch->device;
    struct cy_sm *sms = take_sms(device);
    launch->lds = sms ? cy_try_alloc(copy_lds(launch, NULL, false) + 1) : NULL;
    if (!launch->lds) {
        if (sms)
            give_sms(device, sms);
        return false;
    }
    copy_lds(launch, launch->lds, false);
    launch->buffers = device->buffers;
    device->buffers = (struct cy_launch_buffers){0};
    device->sms = sms;
    return true;
}

static void free_buffers(struct cy_device *device)
{
    const struct cy_scratch *all[] = {&device->buffers.constants, &device->buffers.prints, &device->buffers.pds};
    for (unsigned i = 0; i < CY_COUNT(all); i++)
        if (all[i]->address)
            cy_memory_free(&device->memory, all[i]->address);
}

void cy_turns_take_back(struct cy_launch *launch)
{
    struct cy_device *device = launch->device;
    free_buffers(device);
    device->buffers = launch->buffers;
    give_sms(device, device->sms);
    device->sms = launch->sms;
    copy_lds(launch, launch->lds, true);
    cy_free(launch->lds);
    launch->lds = NULL;
}

/* ---- choosing the next launch: with the device's lock held ---- */

static bool may_begin(const struct cy_device *device, bool others)
{
    const struct cy_launch *first = device->queue.head;
    return first && (!others || (first->independent && !first->needs_memory));
}

static void update(struct cy_device *device)
{
    bool begins = may_begin(device, true);
    atomic_store_explicit(&device->new_waits, begins, memory_order_relaxed);
    atomic_store_explicit(&device->other_waits, begins || device->aside.head, memory_order_relaxed);
}

static void append(struct cy_launch_list *list, struct cy_launch *launch)
{
    launch->next = NULL;
    *(list->tail ? &list->tail->next : &list->head) = launch;
    list->tail = launch;
}

static struct cy_launch *remove_first(struct cy_launch_list *list)
{
    struct cy_launch *launch = list->head;
    list->head = launch->next;
    if (!list->head)
        list->tail = NULL;
    return launch;
}

void cy_turns_queue(struct cy_device *device, struct cy_launch *launch)
{
    append(launch->begun ? &device->aside : &device->queue, launch);
    update(device);
}

void cy_turns_postpone(struct cy_device *device, struct cy_launch *launch)
{
    launch->needs_memory = true;
    launch->next = device->queue.head;
    device->queue.head = launch;
    if (!device->queue.tail)
        device->queue.tail = launch;
    update(device);
}

struct cy_launch *cy_turns_next(struct cy_device *device)
{
    struct cy_launch *launch = NULL;
    bool begins = may_begin(device, device->aside.head != NULL);
    if (begins && !(device->aside.head && device->new_ns >= device->turn_ns)) {
        launch = remove_first(&device->queue);
    } else if (device->aside.head) {
        launch = remove_first(&device->aside);
        device->new_ns = 0;
    }
    update(device);
    return launch;
}

/* A launch has ended: there may be memory again. */
void cy_turns_ended(struct cy_device *device)
{
    if (device->queue.head)
        device->queue.head->needs_memory = false;
    update(device);
}

bool cy_turns_is_over(const struct cy_launch *launch, uint64_t turn_ns)
{
    const struct cy_device *device = launch->device;
    bool later = launch->ran_ns && atomic_load_explicit(&device->new_waits, memory_order_relaxed);
    return turn_ns >= (later ? device->later_turn_ns : device->turn_ns);
}
