/* The platform, its devices, and their configuration from the environment. */
#define _POSIX_C_SOURCE 200809L
#include "abi/abi.h"
#include "cl/cl_priv.h"

#include <stdio.h>
#include <stdlib.h>

static struct _cl_platform_id platform = {.object = {&cy_cl_dispatch, CY_CL_PLATFORM, 1, 0}};
static struct _cl_device_id devices[CY_CL_MAX_DEVICES];
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
    config->warps = 32; /* workgroups of 1,024 work-items, which programs written for other GPUs expect */
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
    if (cy_cl_check()) { /* reports are the same in every run, and next to a buffer there is no other */
        config->deterministic = config->guards = true;
        config->engine = CY_ENGINE_INTERP;
    }
    return status;
}

/* CHENGYING_DEVICES="2": so many of generation 1; "gen1,gen2": one of each.  Returns how many there are, 0: not
 * valid. */
static long choose_devices(const char *setting, unsigned generations[CY_CL_MAX_DEVICES])
{
    static const char *const names[] = {"gen1", "gen2"};
    char *end;
    long count = strtol(setting, &end, 10);
    if (end != setting) {
        for (long i = 0; i < count && i < CY_CL_MAX_DEVICES; i++)
            generations[i] = 1;
        return *end || count < 1 || count > CY_CL_MAX_DEVICES ? 0 : count;
    }
    for (count = 0; *setting; count++) {
        size_t length = strcspn(setting, ",");
        if (count == CY_CL_MAX_DEVICES)
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
    unsigned generations[CY_CL_MAX_DEVICES];
    long count = choose_devices(setting && *setting ? setting : "gen1", generations);
    if (!count) {
        fprintf(stderr,
                "chengying: CHENGYING_DEVICES must be a number from 1 to %d, or a list of gen1 and gen2 with commas\n",
                CY_CL_MAX_DEVICES);
        return true;
    }
    enum cy_status status = configure(&config, &why);
    cy_cl_watch_forks();
    for (long i = 0; i < count && status == CY_OK; i++) {
        cl_device_id device = &devices[i];
        device->object = (struct cy_cl_object){&cy_cl_dispatch, CY_CL_DEVICE, 1, cy_cl_generation()};
        device->ventus = generations[i];
        status = cy_device_open(&config, &device->machine, &why);
        if (status != CY_OK)
            break;
        cy_cl_give_translator(device->machine);
        cy_device_capabilities(device->machine, &device->capabilities);
        status = cy_cl_timing_open(device, &why);
        if (status != CY_OK) {
            cy_device_close(device->machine);
            break;
        }
        device_count++;
    }
    if (status != CY_OK)
        fprintf(stderr, "chengying: %s\n", why ? why : "the machine cannot be opened");
    cy_free(why);
    while (status == CY_ERROR_HOST && device_count > 0)
        cy_device_close(devices[--device_count].machine);
    return status != CY_ERROR_HOST;
}

cl_int cy_cl_devices(cl_device_id list[CY_CL_MAX_DEVICES], cl_uint *count)
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

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint count, cl_platform_id *platforms, cl_uint *count_ret)
{
    CHECK(platforms || count_ret, CL_INVALID_VALUE);
    CHECK(!platforms || count, CL_INVALID_VALUE);
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

/* cl_ext_float_atomics, which Debian's headers do not have yet */
#ifndef CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
typedef cl_bitfield cl_device_fp_atomic_capabilities_ext;
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 0x4233
#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 0)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT (1 << 1)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT (1 << 2)
#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 16)
#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT (1 << 17)
#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT (1 << 18)
#endif
static const cl_device_fp_atomic_capabilities_ext fp_atomics =
    CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
    CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |
    CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;

#define EXTENSION_LIST(ROW)                                                                                            \
    ROW(cl_ext_cxx_for_opencl, 1)                                                                                      \
    ROW(cl_khr_3d_image_writes, 1)                                                                                     \
    ROW(cl_khr_byte_addressable_store, 1)                                                                              \
    ROW(cl_khr_global_int32_base_atomics, 1)                                                                           \
    ROW(cl_khr_global_int32_extended_atomics, 1)                                                                       \
    ROW(cl_khr_local_int32_base_atomics, 1)                                                                            \
    ROW(cl_khr_local_int32_extended_atomics, 1)                                                                        \
    ROW(cl_khr_int64_base_atomics, 1)                                                                                  \
    ROW(cl_khr_int64_extended_atomics, 1)                                                                              \
    ROW(cl_khr_fp16, 1)                                                                                                \
    ROW(cl_khr_fp64, 1)                                                                                                \
    ROW(cl_ext_float_atomics, 1)                                                                                       \
    ROW(cl_khr_create_command_queue, 1)                                                                                \
    ROW(cl_khr_depth_images, 1)                                                                                        \
    ROW(cl_khr_extended_bit_ops, 1)                                                                                    \
    ROW(cl_khr_extended_versioning, 1)                                                                                 \
    ROW(cl_khr_icd, 1)                                                                                                 \
    ROW(cl_khr_image2d_from_buffer, 1)                                                                                 \
    ROW(cl_khr_integer_dot_product, 2)                                                                                 \
    ROW(cl_khr_subgroup_ballot, 1)                                                                                     \
    ROW(cl_khr_subgroup_clustered_reduce, 1)                                                                           \
    ROW(cl_khr_subgroup_extended_types, 1)                                                                             \
    ROW(cl_khr_subgroup_non_uniform_arithmetic, 1)                                                                     \
    ROW(cl_khr_subgroup_non_uniform_vote, 1)                                                                           \
    ROW(cl_khr_subgroup_rotate, 1)                                                                                     \
    ROW(cl_khr_subgroup_shuffle, 1)                                                                                    \
    ROW(cl_khr_subgroup_shuffle_relative, 1)                                                                           \
    ROW(cl_khr_subgroups, 1)                                                                                           \
    ROW(cl_khr_suggested_local_work_size, 1)
#define EXTENSION_TEXT(name, major) " " #name
#define EXTENSION_ROW(name, major) {CL_MAKE_VERSION(major, 0, 0), #name},
#define VERSION_ROW(version, text)                                                                                     \
    {                                                                                                                  \
        version, text                                                                                                  \
    }

/* SPIR-V comes last: it depends on an installed translator. */
#define IL_EXTENSION(ROW) ROW(cl_khr_il_program, 1)
static const char extension_text[] = EXTENSION_LIST(EXTENSION_TEXT);
static const char extension_text_il[] = EXTENSION_LIST(EXTENSION_TEXT) IL_EXTENSION(EXTENSION_TEXT);
#define EXTENSIONS ((cy_cl_has_il() ? extension_text_il : extension_text) + 1)
static const cl_name_version extensions[] = {EXTENSION_LIST(EXTENSION_ROW) IL_EXTENSION(EXTENSION_ROW)};
#define EXTENSIONS_SIZE (sizeof(extensions) - (cy_cl_has_il() ? 0 : sizeof(*extensions)))
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
static const cl_name_version c_features[] = {
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_3d_image_writes"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_images"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_read_write_images"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_fp64"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_int64"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_generic_address_space"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_program_scope_global_variables"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_order_acq_rel"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_order_seq_cst"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_scope_device"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_scope_all_devices"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_integer_dot_product_input_4x8bit"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_integer_dot_product_input_4x8bit_packed"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_subgroups"),
    VERSION_ROW(CL_MAKE_VERSION(3, 0, 0), "__opencl_c_work_group_collective_functions"),
};
/* Dot products are ordinary multiplications and additions. */
static const cl_device_integer_dot_product_acceleration_properties_khr no_dot_unit[1];

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id of, cl_platform_info name, size_t size, void *value,
                                                  size_t *size_ret)
{
    CHECK(cy_cl_is(of, CY_CL_PLATFORM), CL_INVALID_PLATFORM);
    switch (name) {
    case CL_PLATFORM_PROFILE: INFO_TEXT("FULL_PROFILE");
    case CL_PLATFORM_VERSION: INFO_TEXT("OpenCL 3.0 Chengying " CY_VERSION);
    case CL_PLATFORM_NUMERIC_VERSION: INFO(cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_NAME: INFO_TEXT("Chengying");
    case CL_PLATFORM_VENDOR: INFO_TEXT("Chengying");
    case CL_PLATFORM_EXTENSIONS: INFO_TEXT(EXTENSIONS);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION: INFO_DATA(extensions, EXTENSIONS_SIZE);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: INFO(cl_ulong, 1);
    case CL_PLATFORM_ICD_SUFFIX_KHR: INFO_TEXT("CHENGYING");
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
    cl_device_id all[CY_CL_MAX_DEVICES];
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
    /* What the warps' stacks leave; a kernel's resource record counts to 64 KiB, stacks included. */
    uint32_t stacks = machine->config.warps * CY_STACK_BYTES;
    cl_ulong local_bytes = machine->config.lds_bytes > stacks ? machine->config.lds_bytes - stacks : 0;
    if (local_bytes > 48 * 1024)
        local_bytes = 48 * 1024;
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

CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id of)
{
    CHECK(cy_cl_is(of, CY_CL_DEVICE), CL_INVALID_DEVICE);
    return CL_SUCCESS; /* root devices are not reference-counted */
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id of)
{
    CHECK(cy_cl_is(of, CY_CL_DEVICE), CL_INVALID_DEVICE);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevices(cl_device_id of, const cl_device_partition_property *properties,
                                                   cl_uint count, cl_device_id *created, cl_uint *count_ret)
{
    (void)count, (void)created, (void)count_ret;
    CHECK(cy_cl_is(of, CY_CL_DEVICE), CL_INVALID_DEVICE);
    CHECK(properties && properties[0], CL_INVALID_VALUE);
    return CL_INVALID_VALUE; /* no partition type is supported */
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
