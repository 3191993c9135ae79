/* The device: configuration, memory, counters, callbacks. */
#define _POSIX_C_SOURCE 200809L
#include "epic/epic_priv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PIXELS_PER_SIDE = 16384 };

const char *cy_epic_status_text(enum cy_epic_status status)
{
    switch (status) {
    case CY_EPIC_OK: return "done";
    case CY_EPIC_BAD_ARGUMENT: return "an argument is out of range";
    case CY_EPIC_BAD_STREAM: return "the command stream is invalid";
    case CY_EPIC_EMPTY: return "there is no program in this slot";
    case CY_EPIC_FAULT: return "the program faulted";
    case CY_EPIC_STOPPED: return "stopped by a callback";
    case CY_EPIC_BUSY: return "the device is busy with the launch that called back";
    case CY_EPIC_NO_MEMORY: return "out of memory";
    }
    return "unknown status";
}

bool cy_epic_enter(struct cy_epic *device)
{
    return pthread_mutex_lock(&device->lock) == 0;
}

void cy_epic_leave(struct cy_epic *device)
{
    pthread_mutex_unlock(&device->lock);
}

static void fill_defaults(struct cy_epic_config *config)
{
    config->cores = config->cores ? config->cores : 4;
    config->lanes = config->lanes ? config->lanes : 8;
    config->memory_bytes = config->memory_bytes ? config->memory_bytes : 4 << 20;
    config->width = config->width ? config->width : 320;
    config->height = config->height ? config->height : 240;
    config->watchdog_instructions = config->watchdog_instructions ? config->watchdog_instructions : 1000000000;
    if (config->threads == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        config->threads = processors < 1                     ? 1
                          : processors > CY_EPIC_MAX_THREADS ? CY_EPIC_MAX_THREADS
                                                             : (uint32_t)processors;
    }
    if (config->threads > config->cores)
        config->threads = config->cores;
}

static bool config_is_good(const struct cy_epic_config *config)
{
    return config->cores <= CY_EPIC_MAX_CORES && config->lanes <= CY_EPIC_MAX_LANES && config->memory_bytes % 4 == 0 &&
           config->width <= MAX_PIXELS_PER_SIDE && config->height <= MAX_PIXELS_PER_SIDE &&
           config->threads <= CY_EPIC_MAX_THREADS && config->watchdog_seconds >= 0;
}

static bool init_locks(struct cy_epic *device)
{
    pthread_mutexattr_t checked;
    if (pthread_mutexattr_init(&checked) != 0)
        return false;
    bool ok = pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK) == 0 &&
              pthread_mutex_init(&device->lock, &checked) == 0;
    pthread_mutexattr_destroy(&checked);
    return ok && pthread_mutex_init(&device->launch_lock, NULL) == 0 &&
           pthread_cond_init(&device->launch_changed, NULL) == 0;
}

static bool allocate(struct cy_epic *device)
{
    const struct cy_epic_config *config = &device->config;
    void *memory = calloc(config->memory_bytes / 4, sizeof(*device->memory));
    device->memory = memory;
    device->bytes = memory;
    device->depth = calloc(config->memory_bytes / 4, sizeof(*device->depth));
    device->frame_pixels = calloc((size_t)config->width * config->height, sizeof(*device->frame_pixels));
    device->cores = calloc(config->threads, sizeof(*device->cores));
    device->launch.finished = calloc(2 * config->threads, sizeof(*device->launch.finished));
    if (!device->memory || !device->depth || !device->frame_pixels || !device->cores || !device->launch.finished)
        return false;
    for (; device->core_count < config->threads; device->core_count++)
        if (!cy_epic_core_init(&device->cores[device->core_count], device))
            return false;
    return cy_epic_image_build(&device->image, device->slots, device->target, device->cores[0].stride);
}

enum cy_epic_status cy_epic_create(const struct cy_epic_config *config, struct cy_epic **device)
{
    *device = NULL;
    struct cy_epic *created = calloc(1, sizeof(*created));
    if (!created)
        return CY_EPIC_NO_MEMORY;
    if (config)
        created->config = *config;
    fill_defaults(&created->config);
    if (!config_is_good(&created->config)) {
        free(created);
        return CY_EPIC_BAD_ARGUMENT;
    }
    created->target = created->config.fpga ? CY_EPIC_FPGA : CY_EPIC;
    if (!init_locks(created)) {
        free(created);
        return CY_EPIC_NO_MEMORY;
    }
    if (!allocate(created)) {
        cy_epic_destroy(created);
        return CY_EPIC_NO_MEMORY;
    }
    *device = created;
    return CY_EPIC_OK;
}

void cy_epic_destroy(struct cy_epic *device)
{
    if (!device)
        return;
    cy_epic_pool_free(device->pool);
    for (unsigned i = 0; i < device->core_count; i++)
        cy_epic_core_free(&device->cores[i]);
    cy_epic_free_slots(device->slots);
    free(device->image.insns);
    for (struct log *log; (log = device->launch.logs);) {
        device->launch.logs = log->next;
        cy_epic_log_free(log);
    }
    free(device->launch.finished);
    free(device->cores);
    free(device->frame_pixels);
    free(device->depth);
    free(device->memory);
    pthread_cond_destroy(&device->launch_changed);
    pthread_mutex_destroy(&device->launch_lock);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

void cy_epic_get_config(const struct cy_epic *device, struct cy_epic_config *config)
{
    *config = device->config; /* never changes: no lock */
}

/* ---- memory ---- */

static bool in_memory(const struct cy_epic *device, uint32_t address, uint64_t size)
{
    return size <= device->config.memory_bytes && address <= device->config.memory_bytes - size;
}

enum cy_epic_status cy_epic_read(struct cy_epic *device, uint32_t address, void *bytes, size_t size)
{
    if (!cy_epic_enter(device))
        return CY_EPIC_BUSY;
    bool good = in_memory(device, address, size);
    if (good && size)
        memcpy(bytes, device->bytes + address, size);
    cy_epic_leave(device);
    return good ? CY_EPIC_OK : CY_EPIC_BAD_ARGUMENT;
}

enum cy_epic_status cy_epic_write(struct cy_epic *device, uint32_t address, const void *bytes, size_t size)
{
    if (!cy_epic_enter(device))
        return CY_EPIC_BUSY;
    bool good = in_memory(device, address, size);
    if (good && size)
        memcpy(device->bytes + address, bytes, size);
    cy_epic_leave(device);
    return good ? CY_EPIC_OK : CY_EPIC_BAD_ARGUMENT;
}

enum cy_epic_status cy_epic_read_depth(struct cy_epic *device, uint32_t address, int32_t *depth, size_t count)
{
    if (!cy_epic_enter(device))
        return CY_EPIC_BUSY;
    bool good = address % 4 == 0 && count <= UINT32_MAX / 4 && in_memory(device, address, (uint64_t)count * 4);
    for (size_t i = 0; good && i < count; i++)
        depth[i] =
            (int32_t)(atomic_load_explicit(&device->depth[address / 4 + i], memory_order_relaxed) ^ CY_EPIC_DEPTH_FAR);
    cy_epic_leave(device);
    return good ? CY_EPIC_OK : CY_EPIC_BAD_ARGUMENT;
}

enum cy_epic_status cy_epic_clear_depth(struct cy_epic *device)
{
    if (!cy_epic_enter(device))
        return CY_EPIC_BUSY;
    for (size_t i = 0; i < device->config.memory_bytes / 4; i++)
        atomic_store_explicit(&device->depth[i], 0, memory_order_relaxed);
    cy_epic_leave(device);
    return CY_EPIC_OK;
}

/* ---- callbacks ---- */

enum cy_epic_status cy_epic_on_frame(struct cy_epic *device,
                                     bool (*callback)(void *user, const struct cy_epic_frame *frame), void *user)
{
    if (!cy_epic_enter(device))
        return CY_EPIC_BUSY;
    device->on_frame = callback;
    device->frame_user = user;
    cy_epic_leave(device);
    return CY_EPIC_OK;
}

enum cy_epic_status cy_epic_on_step(struct cy_epic *device,
                                    bool (*callback)(void *user, const struct cy_epic_step *step), void *user)
{
    if (!cy_epic_enter(device))
        return CY_EPIC_BUSY;
    device->on_step = callback;
    device->step_user = user;
    cy_epic_leave(device);
    return CY_EPIC_OK;
}

enum cy_epic_status cy_epic_read_counters(struct cy_epic *device, struct cy_epic_counters *counters)
{
    if (!cy_epic_enter(device))
        return CY_EPIC_BUSY;
    *counters = device->counters;
    for (unsigned i = 0; i < CY_EPIC_CLASSES; i++)
        counters->by_class[i].name = cy_scheds[CY_SCHED_ealu + i].text;
    cy_epic_leave(device);
    return CY_EPIC_OK;
}

enum cy_epic_status cy_epic_clear_counters(struct cy_epic *device)
{
    if (!cy_epic_enter(device))
        return CY_EPIC_BUSY;
    device->counters = (struct cy_epic_counters){0};
    cy_epic_leave(device);
    return CY_EPIC_OK;
}
