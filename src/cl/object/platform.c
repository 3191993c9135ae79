/* The platform, its devices, and their configuration from the environment. */
#define _POSIX_C_SOURCE 200809L
#include "cl/object/object_priv.h"

#include "base/environment.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The platform is the same in every process. */
static bool renew(void *object)
{
    (void)object;
    return true;
}

const struct cy_cl_class cy_cl_platform_class = {.plural = "platforms", .renew = renew};

static struct _cl_platform_id platform = {.object = {&cy_cl_dispatch, &cy_cl_platform_class, 1, 0}};
static struct _cl_device_id devices[CY_CL_MAX_ROOTS];
static cl_uint device_count;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

cl_platform_id cy_cl_platform(void)
{
    return &platform;
}

bool cy_cl_setting(const char *name)
{
    const char *value = getenv(name);
    return value && *value && strcmp(value, "0") != 0;
}

/* CHENGYING_MACHINE="preset=rtl,sms=4": settings as `cy run --set` takes them, separated by commas. */
static enum cy_status apply_settings(struct cy_config *config, char **why)
{
    const char *settings = getenv("CHENGYING_MACHINE");
    char *copy = strdup(settings ? settings : ""), *rest = copy;
    enum cy_status status = copy ? CY_OK : CY_ERROR_HOST;
    for (char *setting; status == CY_OK && (setting = strtok_r(rest, ", ", &rest));)
        status = cy_config_set(config, setting, why);
    free(copy); /* libc's */
    const char *engine = getenv("CHENGYING_ENGINE");
    if (status == CY_OK && engine && *engine) {
        char assignment[32];
        snprintf(assignment, sizeof(assignment), "engine=%s", engine);
        status = cy_config_set(config, assignment, why);
    }
    return status;
}

static enum cy_status configure(struct cy_config *config, char **why)
{
    cy_config_default(config);
    for (const struct cy_cl_attachment *const *at = cy_cl_attached; *at; at++)
        if ((*at)->prepare)
            (*at)->prepare(config);
    enum cy_status status = apply_settings(config, why);
    for (const struct cy_cl_attachment *const *at = cy_cl_attached; *at && status == CY_OK; at++)
        if ((*at)->configure)
            status = (*at)->configure(config, why);
    return status;
}

static const char default_devices[] = "gen1,gen2";

/* CHENGYING_DEVICES="2": two of generation 1; "gen1,gen2": one of each.  Returns how many there are, 0: not
 * valid. */
static long choose_devices(const char *setting, unsigned generations[CY_CL_MAX_ROOTS])
{
    static const char *const names[] = {"gen1", "gen2"};
    char *end;
    long count = strtol(setting, &end, 10);
    if (end != setting) {
        for (long i = 0; i < count && i < CY_CL_MAX_ROOTS; i++)
            generations[i] = 1;
        return *end || count < 1 || count > CY_CL_MAX_ROOTS ? 0 : count;
    }
    for (count = 0; *setting; count++) {
        size_t length = strcspn(setting, ",");
        if (count == CY_CL_MAX_ROOTS)
            return 0;
        generations[count] = 0;
        for (unsigned i = 0; i < CY_COUNT(names); i++)
            if (strlen(names[i]) == length && !strncmp(setting, names[i], length))
                generations[count] = i + 1;
        if (!generations[count])
            return 0;
        setting += length;
        setting += *setting == ',';
    }
    return count;
}

/* Returns whether it is done.  Without host memory it is not, and there are no devices: it can be retried. */
static bool open_devices(void)
{
    struct cy_config config;
    char *why = NULL;
    const char *setting = getenv("CHENGYING_DEVICES");
    unsigned generations[CY_CL_MAX_ROOTS];
    long count = choose_devices(setting && *setting ? setting : default_devices, generations);
    cy_environment_warn(stderr);
    if (!count) {
        fprintf(stderr,
                "chengying: CHENGYING_DEVICES must be a number from 1 to %d, or a list of gen1 and gen2 with commas\n",
                CY_CL_MAX_ROOTS);
        return true;
    }
    enum cy_status status = configure(&config, &why);
    cy_cl_watch_forks();
    for (long i = 0; i < count && status == CY_OK; i++) {
        cl_device_id device = &devices[i];
        device->object = (struct cy_cl_object){&cy_cl_dispatch, &cy_cl_device_class, 1, cy_cl_generation()};
        device->ventus = generations[i];
        status = cy_cl_open_device(device, &config, &why);
        device_count += status == CY_OK;
    }
    if (status != CY_OK)
        fprintf(stderr, "chengying: %s\n", why ? why : "the machine cannot be opened");
    cy_free(why);
    while (status == CY_ERROR_HOST && device_count > 0)
        cy_device_close(devices[--device_count].machine);
    return status != CY_ERROR_HOST;
}

cl_int cy_cl_devices(cl_device_id list[CY_CL_MAX_ROOTS], cl_uint *count)
{
    static bool opened;
    pthread_mutex_lock(&opening);
    opened = opened || open_devices();
    bool ok = opened;
    pthread_mutex_unlock(&opening);
    for (cl_uint i = 0; i < device_count; i++)
        list[i] = &devices[i];
    *count = device_count;
    return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

void cy_cl_platform_forked(void)
{
    pthread_mutex_init(&opening, NULL);
}

/* `cy exec` and its like say so if a program ends without this. */
static void tell_called(void)
{
    const char *path = getenv("CHENGYING_CALLED");
    const int file = path && *path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    if (write(file, "1", 1) != 1)
        fprintf(stderr, "chengying: cannot write %s\n", path);
    close(file);
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint count, cl_platform_id *platforms, cl_uint *count_ret)
{
    CHECK(platforms || count_ret, CL_INVALID_VALUE);
    CHECK(!platforms || count, CL_INVALID_VALUE);
    static pthread_once_t called = PTHREAD_ONCE_INIT;
    pthread_once(&called, tell_called);
    if (platforms)
        platforms[0] = &platform;
    if (count_ret)
        *count_ret = 1;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id *platforms, cl_uint *count_ret)
{
    return clGetPlatformIDs(count, platforms, count_ret);
}

cl_uint cy_cl_device_number(cl_device_id root)
{
    cl_uint number = 0;
    while (number < device_count && &devices[number] != root)
        number++;
    return number;
}

unsigned cy_cl_common_generation(void)
{
    const char *setting = getenv("CHENGYING_DEVICES");
    unsigned generations[CY_CL_MAX_ROOTS];
    long count = choose_devices(setting && *setting ? setting : default_devices, generations);
    unsigned common = 1;
    for (long i = 0; i < count; i++)
        common = generations[i] > common ? generations[i] : common;
    return common;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id of, cl_device_type type, cl_uint count,
                                               cl_device_id *found, cl_uint *count_ret)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    CHECK(cy_cl_is(of, &cy_cl_platform_class), CL_INVALID_PLATFORM);
    CHECK(type == CL_DEVICE_TYPE_ALL || (type && !(type & ~known)), CL_INVALID_DEVICE_TYPE);
    CHECK((found || count_ret) && (!found || count), CL_INVALID_VALUE);
    cl_device_id all[CY_CL_MAX_ROOTS];
    cl_uint there;
    cl_int error = cy_cl_devices(all, &there);
    CHECK(error == CL_SUCCESS, error);
    if (!(type & CL_DEVICE_TYPE_GPU)) /* part of CL_DEVICE_TYPE_ALL */
        there = (type & CL_DEVICE_TYPE_DEFAULT) && there ? 1 : 0;
    if (count_ret)
        *count_ret = there;
    CHECK(there, CL_DEVICE_NOT_FOUND);
    for (cl_uint i = 0; found && i < count && i < there; i++)
        found[i] = all[i];
    return CL_SUCCESS;
}
