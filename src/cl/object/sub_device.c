/* Sub-devices: some of a device's SMs as a device.  Each is a machine of its own with as many SMs, so that sub-devices run
 * next to each other; the machines of a context share the memory of its objects in any case. */
#include "cl/object/object_priv.h"

void cy_cl_sub_device_destroy(void *object)
{
    cl_device_id device = object;
    cy_device_close(device->machine);
    cy_free(device->timing);
    cy_free(device->partition);
    cy_cl_release(device->parent);
}

static cl_device_id create(cl_device_id parent, uint32_t sms, const cl_device_partition_property *properties,
                           size_t property_count)
{
    struct cy_config config = parent->capabilities.config;
    cl_device_id device = cy_cl_create(&cy_cl_device_class, sizeof(*device));
    if (!device)
        return NULL;
    device->ventus = parent->ventus;
    device->partition = cy_try_alloc(property_count * sizeof(*properties));
    config.sms = sms;
    if (config.host_threads > sms)
        config.host_threads = sms;
    if (!device->partition || cy_cl_open_device(device, &config, NULL) != CY_OK) {
        cy_free(device->partition);
        cy_cl_discard(device);
        return NULL;
    }
    memcpy(device->partition, properties, property_count * sizeof(*properties));
    device->partition_count = property_count;
    device->parent = parent;
    cy_cl_retain(parent);
    return device;
}

/* How many SMs each sub-device gets. */
struct shares {
    uint32_t sms[CY_CL_MAX_PARTS];
    cl_uint count;
    size_t property_count; /* with the closing 0 */
};

static cl_int share_equally(uint32_t sms, cl_device_partition_property each, struct shares *shares)
{
    CHECK(each > 0, CL_INVALID_VALUE);
    CHECK((uint64_t)each <= sms, CL_INVALID_DEVICE_PARTITION_COUNT);
    CHECK((uint64_t)each < sms, CL_DEVICE_PARTITION_FAILED); /* the whole device is no partition */
    CHECK(sms / (uint32_t)each <= CY_CL_MAX_PARTS, CL_DEVICE_PARTITION_FAILED);
    shares->count = sms / (uint32_t)each;
    for (cl_uint i = 0; i < shares->count; i++)
        shares->sms[i] = (uint32_t)each;
    return CL_SUCCESS;
}

static cl_int share_by_counts(uint32_t sms, const cl_device_partition_property *counts, struct shares *shares)
{
    uint64_t total = 0;
    for (; *counts != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; counts++) {
        CHECK(*counts > 0 && (uint64_t)*counts <= sms, CL_INVALID_DEVICE_PARTITION_COUNT);
        CHECK(shares->count < CY_CL_MAX_PARTS, CL_INVALID_DEVICE_PARTITION_COUNT);
        shares->sms[shares->count++] = (uint32_t)*counts;
        total += (uint64_t)*counts;
    }
    CHECK(total <= sms, CL_INVALID_DEVICE_PARTITION_COUNT);
    return shares->count ? CL_SUCCESS : CL_INVALID_VALUE;
}

static cl_int share(cl_device_id of, const cl_device_partition_property *properties, struct shares *shares)
{
    const uint32_t sms = of->capabilities.config.sms;
    cl_int error;
    switch (properties[0]) {
    case CL_DEVICE_PARTITION_EQUALLY:
        shares->property_count = 3;
        CHECK(!properties[2], CL_INVALID_VALUE);
        return share_equally(sms, properties[1], shares);
    case CL_DEVICE_PARTITION_BY_COUNTS:
        error = share_by_counts(sms, properties + 1, shares);
        CHECK(error == CL_SUCCESS, error);
        shares->property_count = shares->count + 3;
        CHECK(!properties[shares->count + 2], CL_INVALID_VALUE);
        return CL_SUCCESS;
    case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN: /* an SM has an L1 cache of its own */
        shares->property_count = 3;
        CHECK(properties[1] == CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE ||
                  properties[1] == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE,
              CL_INVALID_VALUE);
        CHECK(!properties[2], CL_INVALID_VALUE);
        return share_equally(sms, 1, shares);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevices(cl_device_id of, const cl_device_partition_property *properties,
                                                   cl_uint count, cl_device_id *created, cl_uint *count_ret)
{
    struct shares shares = {0};
    CHECK(cy_cl_is(of, &cy_cl_device_class), CL_INVALID_DEVICE);
    CHECK(properties && properties[0], CL_INVALID_VALUE);
    CHECK(of->capabilities.config.sms > 1, CL_INVALID_VALUE); /* no kind of partition is supported */
    cl_int error = share(of, properties, &shares);
    CHECK(error == CL_SUCCESS, error);
    CHECK(!created || count >= shares.count, CL_INVALID_VALUE);
    for (cl_uint i = 0; created && i < shares.count; i++) {
        created[i] = create(of, shares.sms[i], properties, shares.property_count);
        if (!created[i]) {
            while (i-- > 0)
                cy_cl_release(created[i]);
            return CL_OUT_OF_HOST_MEMORY;
        }
    }
    if (count_ret)
        *count_ret = shares.count;
    return CL_SUCCESS;
}

/* Devices of the platform are not reference-counted. */
CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id of)
{
    CHECK(cy_cl_is(of, &cy_cl_device_class), CL_INVALID_DEVICE);
    if (of->parent)
        cy_cl_retain(of);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id of)
{
    CHECK(cy_cl_is(of, &cy_cl_device_class), CL_INVALID_DEVICE);
    if (of->parent)
        cy_cl_release(of);
    return CL_SUCCESS;
}
