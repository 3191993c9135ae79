/* Devices: their machines, their memory, their time. */
#define _POSIX_C_SOURCE 200809L
#include "cl/object/object_priv.h"

#include "cl/object/host_memory.h"

#include <time.h>

static pthread_mutex_t renewing = PTHREAD_MUTEX_INITIALIZER;

/* Everybody who is attached hears of the device's machine. */
static enum cy_status tell_opened(cl_device_id device, char **why)
{
    enum cy_status status = CY_OK;
    for (const struct cy_cl_attachment *const *at = cy_cl_attached; *at && status == CY_OK; at++)
        if ((*at)->open)
            status = (*at)->open(device, why);
    return status;
}

enum cy_status cy_cl_open_device(cl_device_id device, const struct cy_config *config, char **why)
{
    enum cy_status status = cy_device_open(config, &device->machine, why);
    if (status != CY_OK)
        return status;
    cy_device_capabilities(device->machine, &device->capabilities);
    status = tell_opened(device, why);
    if (status != CY_OK)
        cy_device_close(device->machine);
    return status;
}

/* In a forked child.  The parent's machine is left as it is: nothing uses it any more.  False: there is no memory for another. */
static bool renew(void *object)
{
    cl_device_id device = object;
    struct cy_device *machine;
    pthread_mutex_lock(&renewing);
    bool ok = atomic_load(&device->object.generation) == cy_cl_generation();
    if (!ok && cy_device_open(&device->capabilities.config, &machine, NULL) == CY_OK) {
        cy_cl_leave_behind(device->machine);
        device->machine = machine;
        tell_opened(device, NULL); /* who has no memory for it does without */
        atomic_store_explicit(&device->object.generation, cy_cl_generation(), memory_order_release);
        ok = true;
    }
    pthread_mutex_unlock(&renewing);
    return ok;
}

void cy_cl_device_forked(void)
{
    pthread_mutex_init(&renewing, NULL);
}

/* Devices of the platform live as long as the process: only sub-devices are released. */
const struct cy_cl_class cy_cl_device_class = {
    .plural = "devices", .destroy = cy_cl_sub_device_destroy, .renew = renew};

/* ---- memory ---- */

bool cy_cl_has_far(cl_device_id device)
{
    return device->ventus == 2 && !cy_cl_demands.near_memory;
}

/* Memory of generation 2 is sparse, and far larger than the host's.  Programs that fill what a device says it has must not
 * bring themselves or the host down: half of what the process may use is the device's, unless a setting says more or less.
 * Found once: what a device says of itself never changes. */
uint64_t cy_cl_memory_bytes(cl_device_id device)
{
    static _Atomic uint64_t host_share;
    if (!cy_cl_has_far(device))
        return device->capabilities.memory_bytes;
    if (device->capabilities.config.memory_bytes)
        return device->capabilities.far_memory_bytes;
    uint64_t bytes = atomic_load(&host_share);
    if (!bytes) {
        const uint64_t unit = 4 << 20, least = 256 << 20; /* the full profile: buffers of 128 MiB */
        bytes = cy_cl_usable_memory() / 2 / unit * unit;
        bytes = bytes < least ? least : bytes;
        atomic_store(&host_share, bytes);
    }
    return bytes < device->capabilities.far_memory_bytes ? bytes : device->capabilities.far_memory_bytes;
}

uint64_t cy_cl_max_image_bytes(cl_device_id device)
{
    const uint64_t most = cy_cl_memory_bytes(device) / 2, space = 1ull << 32; /* offsets in images have 32 bits */
    return most < space ? most : space;
}

/* Sparse memory has an end by what the device says only: what the host cannot back must not be promised. */
bool cy_cl_has_room(cl_device_id device, size_t size)
{
    const uint64_t total = cy_cl_memory_bytes(device);
    if (!cy_cl_has_far(device))
        return true; /* the machine counts for itself */
    struct cy_capabilities now;
    cy_device_capabilities(device->machine, &now);
    return now.memory_used_bytes <= total && size <= total - now.memory_used_bytes;
}

bool cy_cl_has_svm(cl_device_id device)
{
    return cy_cl_has_far(device);
}

/* ---- time ---- */

cl_ulong cy_cl_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (cl_ulong)now.tv_sec * 1000000000u + (cl_ulong)now.tv_nsec;
}

cl_ulong cy_cl_device_now(cl_device_id device)
{
    return device && device->timing ? atomic_load(&device->now_ns) : cy_cl_now();
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id of, cl_ulong *device_time, cl_ulong *host_time)
{
    CHECK(cy_cl_is(of, &cy_cl_device_class), CL_INVALID_DEVICE);
    CHECK(device_time && host_time, CL_INVALID_VALUE);
    *host_time = cy_cl_now();
    *device_time = of->timing ? cy_cl_device_now(of) : *host_time;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetHostTimer(cl_device_id of, cl_ulong *host_time)
{
    CHECK(cy_cl_is(of, &cy_cl_device_class), CL_INVALID_DEVICE);
    CHECK(host_time, CL_INVALID_VALUE);
    *host_time = cy_cl_now();
    return CL_SUCCESS;
}
