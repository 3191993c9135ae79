/* The platform, its devices, and their configuration from the environment. */
#define _POSIX_C_SOURCE 200809L
#include "abi/abi.h"
#include "base/environment.h"
#include "cl/command_buffer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct _cl_platform_id platform = {.object = {&cy_cl_dispatch, CY_CL_PLATFORM, 1, 0}};
static struct _cl_device_id devices[CY_CL_MAX_ROOTS];
static cl_uint device_count;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER, renewing = PTHREAD_MUTEX_INITIALIZER;

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
static enum cy_status configure(struct cy_config *config, char **why)
{
    const char *settings = getenv("CHENGYING_MACHINE");
    cy_config_default(config);
    config->deterministic = cy_cl_timing_wanted();
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
    if (cy_cl_timing_wanted() && !config->sms)
        config->sms = CY_TIMING_SMS;
    if (status == CY_OK)
        status = cy_cl_verify_configure(config, why);
    if (cy_cl_check()) { /* reports are the same in every run, and next to a buffer there is no other */
        config->deterministic = config->guards = true;
        if (config->engine != CY_ENGINE_VERIFY) /* which says that there is nothing to compare */
            config->engine = CY_ENGINE_INTERP;
    }
    return status;
}

static const char default_devices[] = "gen1,gen2";

/* CHENGYING_DEVICES="2": so many of generation 1; "gen1,gen2": one of each.  Returns how many there are, 0: not
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

enum cy_status cy_cl_open_device(cl_device_id device, const struct cy_config *config, char **why)
{
    enum cy_status status = cy_device_open(config, &device->machine, why);
    if (status != CY_OK)
        return status;
    cy_cl_give_translator(device->machine);
    cy_device_capabilities(device->machine, &device->capabilities);
    status = cy_cl_verify_attach(device->machine) ? cy_cl_timing_open(device, why) : CY_ERROR_HOST;
    if (status != CY_OK)
        cy_device_close(device->machine);
    return status;
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
        device->object = (struct cy_cl_object){&cy_cl_dispatch, CY_CL_DEVICE, 1, cy_cl_generation()};
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

/* The parent's machine is left as it is: nothing uses it any more. */
bool cy_cl_renew_device(cl_device_id device)
{
    struct cy_device *machine;
    pthread_mutex_lock(&renewing);
    bool ok = atomic_load(&device->object.generation) == cy_cl_generation();
    if (!ok && cy_device_open(&device->capabilities.config, &machine, NULL) == CY_OK) {
        cy_cl_give_translator(machine);
        cy_cl_verify_attach(machine);
        cy_cl_leave_behind(device->machine);
        device->machine = machine;
        atomic_store_explicit(&device->object.generation, cy_cl_generation(), memory_order_release);
        ok = true;
    }
    pthread_mutex_unlock(&renewing);
    return ok;
}

void cy_cl_platform_forked(void)
{
    pthread_mutex_init(&opening, NULL);
    pthread_mutex_init(&renewing, NULL);
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

static const cl_device_fp_atomic_capabilities_ext fp_atomics =
    CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
    CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |
    CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;

#define VERSION_ROW(version, text)                                                                                     \
    {                                                                                                                  \
        version, text                                                                                                  \
    }

/* The rows of the compiler's list, and what they depend on. */
struct row {
    cl_name_version name;
    bool only_gen1, is_spirv;
};
enum { ALL, GEN1 };
enum { NONE, OPTION, DEFINE, BOTH, SPIRV };
#define FEATURE(name, generations, clang, library)
#define MACRO(name, generations, clang, library)
#define EXTENSION(name, major, minor, patch, generations, clang, library)                                              \
    {{CL_MAKE_VERSION(major, minor, patch), #name}, generations, clang == SPIRV},
static const struct row extensions[] = {
#include "cc/driver/extensions.def"
};
#define EXTENSION(name, major, minor, patch, generations, clang, library)
#define MACRO(name, generations, clang, library)
#define FEATURE(name, generations, clang, library) {{CL_MAKE_VERSION(3, 0, 0), #name}, generations, false},
static const struct row c_features[] = {
#include "cc/driver/extensions.def"
};

/* Those of a generation. */
struct list {
    cl_name_version names[CY_COUNT(extensions) + CY_COUNT(c_features)];
    size_t count, bytes; /* of the names */
    char text[4096];     /* with spaces in between */
};

static void list_rows(struct list *list, const struct row *rows, size_t count, unsigned generation)
{
    size_t length = 0;
    list->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        if ((row->only_gen1 && generation != 1) || (row->is_spirv && !cy_cl_has_il()))
            continue;
        length += (size_t)snprintf(list->text + length, sizeof(list->text) - length, "%s%s", length ? " " : "",
                                   row->name.name);
        list->names[list->count++] = row->name;
    }
    list->bytes = list->count * sizeof(list->names[0]);
}

static const cl_name_version ils[] = {
    VERSION_ROW(CL_MAKE_VERSION(1, 0, 0), "SPIR-V"),
    VERSION_ROW(CL_MAKE_VERSION(1, 1, 0), "SPIR-V"),
    VERSION_ROW(CL_MAKE_VERSION(1, 2, 0), "SPIR-V"),
};
static const cl_name_version c_versions[] = {
    VERSION_ROW(CL_MAKE_VERSION(1, 0, 0), "OpenCL C"),
    VERSION_ROW(CL_MAKE_VERSION(1, 1, 0), "OpenCL C"),
    VERSION_ROW(CL_MAKE_VERSION(1, 2, 0), "OpenCL C"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "OpenCL C"),
};
/* A device is the same one in every process of this version; sub-devices are told apart by their SMs only. */
static void make_uuid(cl_device_id device, cl_uchar uuid[CL_UUID_SIZE_KHR])
{
    const cl_device_id root = device->parent ? device->parent : device;
    cl_uint index = 0;
    while (index < device_count && &devices[index] != root)
        index++;
    memset(uuid, 0, CL_UUID_SIZE_KHR);
    memcpy(uuid, "Chengying", 9);
    uuid[9] = (cl_uchar)device->ventus;
    uuid[10] = (cl_uchar)index;
    uuid[11] = device->parent != NULL;
    memcpy(uuid + 12, &device->capabilities.config.sms, 4);
}

static const cl_uchar driver_uuid[CL_UUID_SIZE_KHR] = "Chengying " CY_VERSION, no_luid[CL_LUID_SIZE_KHR];
static const cl_semaphore_type_khr semaphore_types[] = {CL_SEMAPHORE_TYPE_BINARY_KHR};
/* of devices with more than one SM */
static const cl_device_partition_property partitions[] = {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS,
                                                          CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN};

/* Dot products are ordinary multiplications and additions. */
static const cl_device_integer_dot_product_acceleration_properties_khr no_dot_unit[1];

/* An extension of the platform is one of all its devices. */
static unsigned common_generation(void)
{
    const char *setting = getenv("CHENGYING_DEVICES");
    unsigned generations[CY_CL_MAX_ROOTS];
    long count = choose_devices(setting && *setting ? setting : default_devices, generations);
    unsigned common = 1;
    for (long i = 0; i < count; i++)
        common = generations[i] > common ? generations[i] : common;
    return common;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id of, cl_platform_info name, size_t size, void *value,
                                                  size_t *size_ret)
{
    struct list list;
    CHECK(cy_cl_is(of, CY_CL_PLATFORM), CL_INVALID_PLATFORM);
    list_rows(&list, extensions, CY_COUNT(extensions), common_generation());
    switch (name) {
    case CL_PLATFORM_PROFILE: INFO_TEXT("FULL_PROFILE");
    case CL_PLATFORM_VERSION: INFO_TEXT("OpenCL 3.0 Chengying " CY_VERSION);
    case CL_PLATFORM_NUMERIC_VERSION: INFO(cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_NAME: INFO_TEXT("Chengying");
    case CL_PLATFORM_VENDOR: INFO_TEXT("Chengying");
    case CL_PLATFORM_EXTENSIONS: INFO_TEXT(list.text);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION: INFO_DATA(list.names, list.bytes);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: INFO(cl_ulong, 1);
    case CL_PLATFORM_ICD_SUFFIX_KHR: INFO_TEXT("CHENGYING");
    case CL_PLATFORM_SEMAPHORE_TYPES_KHR: INFO_DATA(semaphore_types, sizeof(semaphore_types));
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id of, cl_device_type type, cl_uint count,
                                               cl_device_id *found, cl_uint *count_ret)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    CHECK(cy_cl_is(of, CY_CL_PLATFORM), CL_INVALID_PLATFORM);
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

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id of, cl_device_info name, size_t size, void *value,
                                                size_t *size_ret)
{
    CHECK(cy_cl_is(of, CY_CL_DEVICE), CL_INVALID_DEVICE);
    const struct cy_capabilities *machine = &of->capabilities;
    struct list list = {0};
    if (name == CL_DEVICE_OPENCL_C_FEATURES)
        list_rows(&list, c_features, CY_COUNT(c_features), of->ventus);
    else if (name == CL_DEVICE_EXTENSIONS || name == CL_DEVICE_EXTENSIONS_WITH_VERSION)
        list_rows(&list, extensions, CY_COUNT(extensions), of->ventus);
    /* What the warps' stacks leave; a kernel's resource record counts to 64 KiB, stacks included. */
    uint32_t stacks = machine->config.warps * CY_STACK_BYTES;
    cl_ulong local_bytes = machine->config.lds_bytes > stacks ? machine->config.lds_bytes - stacks : 0;
    if (local_bytes > 48 * 1024)
        local_bytes = 48 * 1024;
    const uint32_t sms = machine->config.sms;
    const cl_uint most_parts = sms < 2 ? 0 : sms < CY_CL_MAX_PARTS ? sms : CY_CL_MAX_PARTS;
    const cl_device_partition_property no_partition = 0;
    cl_uchar uuid[CL_UUID_SIZE_KHR];
    make_uuid(of, uuid);
    const size_t max_sizes[3] = {machine->max_workgroup_size, machine->max_workgroup_size, machine->max_workgroup_size};
#define DEVICE(id, type, expression)                                                                                   \
    if (name == (id))                                                                                                  \
        INFO(type, expression);
#define DEVICE_TEXT(id, text)                                                                                          \
    if (name == (id))                                                                                                  \
        INFO_TEXT(text);
#define DEVICE_LIST(id, array)                                                                                         \
    if (name == (id))                                                                                                  \
        INFO_DATA(array, sizeof(array));
#define DEVICE_PART(id, array, part_size)                                                                              \
    if (name == (id))                                                                                                  \
        INFO_DATA(array, part_size);
#define DEVICE_NONE(id)                                                                                                \
    if (name == (id))                                                                                                  \
        INFO_DATA(NULL, 0);
#include "cl/device_info.def"
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id of, cl_ulong *device_time, cl_ulong *host_time)
{
    CHECK(cy_cl_is(of, CY_CL_DEVICE), CL_INVALID_DEVICE);
    CHECK(device_time && host_time, CL_INVALID_VALUE);
    *host_time = cy_cl_now();
    *device_time = of->is_timed ? cy_cl_device_now(of) : *host_time;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetHostTimer(cl_device_id of, cl_ulong *host_time)
{
    CHECK(cy_cl_is(of, CY_CL_DEVICE), CL_INVALID_DEVICE);
    CHECK(host_time, CL_INVALID_VALUE);
    *host_time = cy_cl_now();
    return CL_SUCCESS;
}
