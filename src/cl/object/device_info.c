/* The answers of clGetPlatformInfo and clGetDeviceInfo. */
#include "cl/object/object_priv.h"

#include "abi/abi.h"
#include "cc/driver/spirv.h"

#include <stdio.h>

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

static bool has_translator;

static void find_translator(void)
{
    has_translator = cc_spirv_exists();
}

bool cy_cl_has_il(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_translator);
    return has_translator;
}

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
    memset(uuid, 0, CL_UUID_SIZE_KHR);
    memcpy(uuid, "Chengying", 9);
    uuid[9] = (cl_uchar)device->ventus;
    uuid[10] = (cl_uchar)cy_cl_device_number(root);
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

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id of, cl_platform_info name, size_t size, void *value,
                                                  size_t *size_ret)
{
    struct list list;
    CHECK(cy_cl_is(of, &cy_cl_platform_class), CL_INVALID_PLATFORM);
    list_rows(&list, extensions, CY_COUNT(extensions), cy_cl_common_generation());
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

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id of, cl_device_info name, size_t size, void *value,
                                                size_t *size_ret)
{
    CHECK(cy_cl_is(of, &cy_cl_device_class), CL_INVALID_DEVICE);
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
#include "cl/object/device_info.def"
    return CL_INVALID_VALUE;
}
