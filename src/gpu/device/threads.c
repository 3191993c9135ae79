/* The device's threads: a leader, which takes launches from the queue, and helpers, which run some of the SMs. */
#include "gpu/device/machine.h"

/* Nothing runs or waits.  The lock is held. */
bool cy_device_is_idle(const struct cy_device *device)
{
    return !device->current && !device->queue.head && !device->aside.head;
}

static void *leader_main(void *argument)
{
    struct cy_device *device = argument;
    pthread_mutex_lock(&device->lock);
    for (;;) {
        struct cy_launch *launch = device->current ? NULL : cy_turns_next(device);
        if (!launch && device->closing && !device->queue.head && !device->aside.head)
            break;
        if (!launch) {
            pthread_cond_wait(&device->queued, &device->lock);
            continue;
        }
        uint64_t start_ns = !launch->begun && device->aside.head ? cy_now_ns() : 0;
        device->current = launch;
        pthread_mutex_unlock(&device->lock);
        cy_launch_run_current(launch, true);
        pthread_mutex_lock(&device->lock);
        device->new_ns += start_ns ? cy_now_ns() - start_ns : 0;
    }
    pthread_mutex_unlock(&device->lock);
    return NULL;
}

/* Its share is done; the lock is not held.  The thread that runs the launch spins for a moment, and may soon want the lock. */
static void end_share(struct cy_device *device)
{
    if (atomic_fetch_sub(&device->busy, 1) != 1 || !atomic_load(&device->awaited))
        return;
    pthread_mutex_lock(&device->lock);
    pthread_cond_broadcast(&device->helped); /* a thread that closes the device may wait along with the leader */
    pthread_mutex_unlock(&device->lock);
}

/* Programs that launch one short kernel after the other find their helpers awake.  A program that pauses pays for it once: only after
 * another two calls in a row do they look out again. */
static void look_out(const struct cy_device *device, unsigned calls)
{
    const uint64_t start_ns = cy_now_ns();
    while (atomic_load_explicit(&device->calls, memory_order_relaxed) == calls && cy_now_ns() - start_ns < CY_AWAKE_NS)
        ;
}

static void *helper_main(void *argument)
{
    struct cy_device *device = argument;
    pthread_mutex_lock(&device->lock);
    for (;;) {
        while (device->joined >= device->helpers && !(device->closing && cy_device_is_idle(device)))
            pthread_cond_wait(&device->wanted, &device->lock);
        if (device->joined >= device->helpers)
            break;
        struct cy_launch *launch = device->current;
        const unsigned part = ++device->joined, parts = device->parts;
        const unsigned calls = atomic_load_explicit(&device->calls, memory_order_relaxed);
        const bool is_called_often = device->is_called_often;
        atomic_fetch_add(&device->busy, 1);
        pthread_mutex_unlock(&device->lock);
        cy_launch_run_share(launch, part, parts);
        end_share(device);
        if (is_called_often)
            look_out(device, calls);
        pthread_mutex_lock(&device->lock);
    }
    pthread_mutex_unlock(&device->lock);
    return NULL;
}

/* The threads start with the first launch: a device that is only queried for its capabilities has none.  With the lock
 * held.  If the host provides fewer threads than configured, fewer run the SMs. */
bool cy_threads_start(struct cy_device *device)
{
    const struct cy_config *config = &device->config;
    unsigned wanted = config->host_threads < config->sms ? config->host_threads : config->sms;
    if (device->thread_count)
        return true;
    if (!device->threads && !(device->threads = cy_try_alloc(wanted * sizeof(device->threads[0]))))
        return false;
    while (device->thread_count < wanted &&
           pthread_create(&device->threads[device->thread_count], NULL,
                          device->thread_count ? helper_main : leader_main, device) == 0)
        device->thread_count++;
    return device->thread_count > 0;
}

void cy_device_shutdown(struct cy_device *device)
{
    pthread_mutex_lock(&device->lock);
    device->closing = true;
    for (struct cy_launch *launch = device->queue.head; launch; launch = launch->next)
        atomic_store(&launch->cancel, true);
    for (struct cy_launch *launch = device->aside.head; launch; launch = launch->next)
        atomic_store(&launch->cancel, true);
    if (device->current)
        atomic_store(&device->current->cancel, true);
    pthread_cond_broadcast(&device->queued);
    pthread_cond_broadcast(&device->wanted);
    while (device->current)
        pthread_cond_wait(&device->helped, &device->lock);
    pthread_mutex_unlock(&device->lock);
    for (unsigned i = 0; i < device->thread_count; i++)
        pthread_join(device->threads[i], NULL);
    cy_free(device->threads);
    cy_program_release(device->loaded);
    device->loaded = NULL;
}
