/* Sub-devices: partitions, queries, errors; and kernels on them. */
#define _POSIX_C_SOURCE 200809L
#include "cl_test.h"

#include "cl/extensions.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 48 };
static cl_device_id parts[MOST];

static cl_uint units_of(cl_device_id of)
{
    cl_uint units = 0;
    CHECK_EQ(clGetDeviceInfo(of, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL), CL_SUCCESS);
    return units;
}

static cl_uint references_of(cl_device_id of)
{
    cl_uint count = 0;
    CHECK_EQ(clGetDeviceInfo(of, CL_DEVICE_REFERENCE_COUNT, sizeof(count), &count, NULL), CL_SUCCESS);
    return count;
}

/* Creates the sub-devices of a partition and checks what they say. */
static cl_uint partition(const cl_device_partition_property *properties, size_t size, cl_uint wanted)
{
    cl_uint count = 99, again = 99;
    cl_device_id parent;
    cl_device_partition_property told[8];
    size_t told_size;
    CHECK_EQ(clCreateSubDevices(device, properties, 0, NULL, &count), CL_SUCCESS);
    CHECK_EQ(count, wanted);
    CHECK_EQ(clCreateSubDevices(device, properties, wanted - 1, parts, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clCreateSubDevices(device, properties, MOST, parts, &again), CL_SUCCESS);
    CHECK_EQ(again, wanted);
    for (cl_uint i = 0; i < wanted; i++) {
        CHECK_EQ(clGetDeviceInfo(parts[i], CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent, NULL), CL_SUCCESS);
        CHECK(parent == device);
        CHECK_EQ(clGetDeviceInfo(parts[i], CL_DEVICE_PARTITION_TYPE, sizeof(told), told, &told_size), CL_SUCCESS);
        CHECK(told_size == size && !memcmp(told, properties, size));
        CHECK_EQ(references_of(parts[i]), 1);
        CHECK_EQ(clRetainDevice(parts[i]), CL_SUCCESS);
        CHECK_EQ(references_of(parts[i]), 2);
        CHECK_EQ(clReleaseDevice(parts[i]), CL_SUCCESS);
    }
    return wanted;
}

static void drop(cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        CHECK_EQ(clReleaseDevice(parts[i]), CL_SUCCESS);
}

/* The machine has six SMs. */
static void test_partitions(void)
{
    set_up(0);
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0},
                                       uneven[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0},
                                       counts[] = {CL_DEVICE_PARTITION_BY_COUNTS,          1, 3, 2,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0},
                                       domain[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                   CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0},
                                       l1[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                               CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, 0};
    cl_uint most;
    cl_device_partition_property supported[8];
    cl_device_affinity_domain domains;
    size_t size;
    CHECK_EQ(units_of(device), 6);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof(most), &most, NULL), CL_SUCCESS);
    CHECK_EQ(most, 6);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof(supported), supported, &size), CL_SUCCESS);
    CHECK_EQ(size, 3 * sizeof(*supported));
    CHECK(supported[0] == CL_DEVICE_PARTITION_EQUALLY && supported[1] == CL_DEVICE_PARTITION_BY_COUNTS &&
          supported[2] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof(domains), &domains, NULL), CL_SUCCESS);
    CHECK_EQ(domains, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_PARTITION_TYPE, 0, NULL, &size), CL_SUCCESS);
    CHECK_EQ(size, 0);
    cl_device_id parent = device;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent, NULL), CL_SUCCESS);
    CHECK(!parent);

    cl_uint count = partition(equally, sizeof(equally), 3);
    for (cl_uint i = 0; i < count; i++)
        CHECK_EQ(units_of(parts[i]), 2);
    drop(count);
    drop(partition(uneven, sizeof(uneven), 1));
    count = partition(counts, sizeof(counts), 3);
    CHECK(units_of(parts[0]) == 1 && units_of(parts[1]) == 3 && units_of(parts[2]) == 2);
    drop(count);
    count = partition(domain, sizeof(domain), 6);
    for (cl_uint i = 0; i < count; i++)
        CHECK_EQ(units_of(parts[i]), 1);
    /* one SM cannot be partitioned */
    cl_device_id *none = NULL;
    CHECK_EQ(clCreateSubDevices(parts[0], domain, 0, none, &most), CL_INVALID_VALUE);
    CHECK_EQ(clGetDeviceInfo(parts[0], CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof(most), &most, NULL), CL_SUCCESS);
    CHECK_EQ(most, 0);
    drop(count);
    drop(partition(l1, sizeof(l1), 6));
    tear_down();
}

static void test_errors(void)
{
    set_up(0);
    const cl_device_partition_property none[] = {0}, unknown[] = {99, 1, 0},
                                       large[] = {CL_DEVICE_PARTITION_EQUALLY, 7, 0},
                                       whole[] = {CL_DEVICE_PARTITION_EQUALLY, 6, 0},
                                       beyond[] = {CL_DEVICE_PARTITION_BY_COUNTS, 7, 0, 0},
                                       zero[] = {CL_DEVICE_PARTITION_EQUALLY, 0, 0},
                                       longer[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 1, 0},
                                       sum[] = {CL_DEVICE_PARTITION_BY_COUNTS, 4, 3, 0, 0},
                                       negative[] = {CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0},
                                       empty[] = {CL_DEVICE_PARTITION_BY_COUNTS, 0, 0},
                                       numa[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA,
                                                 0};
    cl_uint count;
    CHECK_EQ(clCreateSubDevices(NULL, large, 0, NULL, &count), CL_INVALID_DEVICE);
    CHECK_EQ(clCreateSubDevices(device, NULL, 0, NULL, &count), CL_INVALID_VALUE);
    CHECK_EQ(clCreateSubDevices(device, none, 0, NULL, &count), CL_INVALID_VALUE);
    CHECK_EQ(clCreateSubDevices(device, unknown, 0, NULL, &count), CL_INVALID_VALUE);
    CHECK_EQ(clCreateSubDevices(device, large, 0, NULL, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
    CHECK_EQ(clCreateSubDevices(device, whole, 0, NULL, &count), CL_DEVICE_PARTITION_FAILED);
    CHECK_EQ(clCreateSubDevices(device, beyond, 0, NULL, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
    CHECK_EQ(clCreateSubDevices(device, zero, 0, NULL, &count), CL_INVALID_VALUE);
    CHECK_EQ(clCreateSubDevices(device, longer, 0, NULL, &count), CL_INVALID_VALUE);
    CHECK_EQ(clCreateSubDevices(device, sum, 0, NULL, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
    CHECK_EQ(clCreateSubDevices(device, negative, 0, NULL, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
    CHECK_EQ(clCreateSubDevices(device, empty, 0, NULL, &count), CL_INVALID_VALUE);
    CHECK_EQ(clCreateSubDevices(device, numa, 0, NULL, &count), CL_INVALID_VALUE);
    /* devices of the platform are not counted */
    CHECK_EQ(clReleaseDevice(device), CL_SUCCESS);
    CHECK_EQ(clRetainDevice(device), CL_SUCCESS);
    CHECK_EQ(references_of(device), 1);
    CHECK_EQ(clRetainDevice(NULL), CL_INVALID_DEVICE);
    CHECK_EQ(clReleaseDevice(NULL), CL_INVALID_DEVICE);
    tear_down();
}

/* A context of sub-devices and of their parent: one buffer, changed by each in turn; and at the same time. */
static void test_kernels(void)
{
    set_up(0);
    const cl_device_partition_property properties[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 2, 0, 0};
    enum { N = 4096 };
    static int values[N];
    cl_int error;
    const size_t n = N;
    cl_uint count = partition(properties, sizeof(properties), 2);
    cl_device_id all[3] = {parts[0], parts[1], device};
    cl_context shared = clCreateContext(NULL, 3, all, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    drop(count); /* the context keeps them */
    CHECK_EQ(references_of(all[0]), 1);
    const char *source = "kernel void add(global int *x, int k) { x[get_global_id(0)] += k; }";
    cl_program program = clCreateProgramWithSource(shared, 1, &source, NULL, &error);
    CHECK_EQ(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "add", &error);
    cl_mem mem = clCreateBuffer(shared, CL_MEM_COPY_HOST_PTR, sizeof(values), values, &error), own[3];
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    cl_command_queue queues[3];
    cl_event last = NULL;
    for (int i = 0; i < 3; i++) {
        cl_device_id of;
        queues[i] = clCreateCommandQueue(shared, all[i], 0, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(clGetCommandQueueInfo(queues[i], CL_QUEUE_DEVICE, sizeof(of), &of, NULL), CL_SUCCESS);
        CHECK(of == all[i]);
        int k = 1 << 4 * i;
        cl_event next;
        CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(k), &k), CL_SUCCESS);
        CHECK_EQ(clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &n, NULL, last != NULL, last ? &last : NULL, &next),
                 CL_SUCCESS);
        if (last)
            CHECK_EQ(clReleaseEvent(last), CL_SUCCESS);
        last = next;
    }
    CHECK_EQ(clEnqueueReadBuffer(queues[0], mem, CL_TRUE, 0, sizeof(values), values, 1, &last, NULL), CL_SUCCESS);
    for (int i = 0; i < N; i++)
        if (!CHECK_EQ(values[i], 0x111))
            break;
    CHECK_EQ(clReleaseEvent(last), CL_SUCCESS);
    for (int i = 0; i < 3; i++) { /* at the same time */
        int k = i + 1;
        memset(values, 0, sizeof(values));
        own[i] = clCreateBuffer(shared, CL_MEM_COPY_HOST_PTR, sizeof(values), values, &error);
        CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &own[i]), CL_SUCCESS);
        CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(k), &k), CL_SUCCESS);
        for (int j = 0; j < 10; j++)
            CHECK_EQ(clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &n, NULL, 0, NULL, NULL), CL_SUCCESS);
    }
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(clEnqueueReadBuffer(queues[i], own[i], CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL), CL_SUCCESS);
        for (int j = 0; j < N; j++)
            if (!CHECK_EQ(values[j], 10 * (i + 1)))
                break;
        CHECK_EQ(clReleaseMemObject(own[i]), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandQueue(queues[i]), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseMemObject(mem), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(shared), CL_SUCCESS);
    tear_down();
}

/* What a queue of one device may not do in a context of several. */
static void test_other_devices(void)
{
    set_up(0);
    const cl_device_partition_property properties[] = {CL_DEVICE_PARTITION_EQUALLY, 3, 0};
    cl_int error;
    cl_uint count = partition(properties, sizeof(properties), 2);
    cl_context shared = clCreateContext(NULL, 2, parts, NULL, NULL, &error);
    cl_command_queue queues[2];
    for (int i = 0; i < 2; i++)
        queues[i] = clCreateCommandQueue(shared, parts[i], 0, &error);
    CHECK(!clCreateCommandQueue(shared, device, 0, &error)); /* the parent is not in the context */
    CHECK_EQ(error, CL_INVALID_DEVICE);
#define ADDRESS(name)                                                                                                  \
    void *name##_address = clGetExtensionFunctionAddressForPlatform(platform, #name);                                  \
    memcpy(&name, &name##_address, sizeof(name))
    cl_command_buffer_khr(CL_API_CALL * clCreateCommandBufferKHR)(cl_uint, const cl_command_queue *,
                                                                  const cl_command_buffer_properties_khr *, cl_int *);
    cl_int(CL_API_CALL * clFinalizeCommandBufferKHR)(cl_command_buffer_khr);
    cl_int(CL_API_CALL * clReleaseCommandBufferKHR)(cl_command_buffer_khr);
    cl_int(CL_API_CALL * clEnqueueCommandBufferKHR)(cl_uint, cl_command_queue *, cl_command_buffer_khr, cl_uint,
                                                    const cl_event *, cl_event *);
    cl_semaphore_khr(CL_API_CALL * clCreateSemaphoreWithPropertiesKHR)(cl_context, const cl_semaphore_properties_khr *,
                                                                       cl_int *);
    cl_int(CL_API_CALL * clReleaseSemaphoreKHR)(cl_semaphore_khr);
    cl_int(CL_API_CALL * clEnqueueSignalSemaphoresKHR)(cl_command_queue, cl_uint, const cl_semaphore_khr *,
                                                       const cl_semaphore_payload_khr *, cl_uint, const cl_event *,
                                                       cl_event *);
    ADDRESS(clCreateCommandBufferKHR);
    ADDRESS(clFinalizeCommandBufferKHR);
    ADDRESS(clReleaseCommandBufferKHR);
    ADDRESS(clEnqueueCommandBufferKHR);
    ADDRESS(clCreateSemaphoreWithPropertiesKHR);
    ADDRESS(clReleaseSemaphoreKHR);
    ADDRESS(clEnqueueSignalSemaphoresKHR);
    cl_command_buffer_khr buffer = clCreateCommandBufferKHR(1, &queues[0], NULL, &error);
    CHECK_EQ(clFinalizeCommandBufferKHR(buffer), CL_SUCCESS);
    CHECK_EQ(clEnqueueCommandBufferKHR(1, &queues[1], buffer, 0, NULL, NULL), CL_INCOMPATIBLE_COMMAND_QUEUE_KHR);
    CHECK_EQ(clEnqueueCommandBufferKHR(1, &queues[0], buffer, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(buffer), CL_SUCCESS);
    const cl_semaphore_properties_khr plain[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0},
                                      listed[] = {CL_SEMAPHORE_TYPE_KHR,
                                                  CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                  CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                                  (cl_semaphore_properties_khr)(uintptr_t)parts[0],
                                                  0,
                                                  0},
                                      foreign[] = {CL_SEMAPHORE_TYPE_KHR,
                                                   CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                   CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                                   (cl_semaphore_properties_khr)(uintptr_t)device,
                                                   0,
                                                   0};
    CHECK(!clCreateSemaphoreWithPropertiesKHR(shared, plain, &error));
    CHECK_EQ(error, CL_INVALID_PROPERTY);
    CHECK(!clCreateSemaphoreWithPropertiesKHR(shared, foreign, &error));
    CHECK_EQ(error, CL_INVALID_DEVICE);
    cl_semaphore_khr semaphore = clCreateSemaphoreWithPropertiesKHR(shared, listed, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueSignalSemaphoresKHR(queues[1], 1, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueSignalSemaphoresKHR(queues[0], 1, &semaphore, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseSemaphoreKHR(semaphore), CL_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(clReleaseCommandQueue(queues[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(shared), CL_SUCCESS);
    drop(count);
    tear_down();
}

/* Every device has another number, and the same one whenever it is asked. */
/* A program that is built for a device runs on the sub-devices that are in its context, too. */
static void test_parents_program(void)
{
    static const cl_device_partition_property in_halves[] = {CL_DEVICE_PARTITION_EQUALLY, 3, 0};
    static const char *source = "kernel void k(global int *x) { x[get_global_id(0)] += 5; }";
    const size_t items = 64;
    cl_int error, values[64] = {0};
    set_up(0);
    cl_uint count = partition(in_halves, sizeof(in_halves), 2);
    const cl_device_id all[3] = {parts[0], device, parts[1]};
    cl_context both = clCreateContext(NULL, 3, all, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_program program = clCreateProgramWithSource(both, 1, &source, NULL, &error);
    CHECK_EQ(clBuildProgram(program, 1, &device, NULL, NULL, NULL), CL_SUCCESS);
    cl_mem buffer = clCreateBuffer(both, CL_MEM_COPY_HOST_PTR, sizeof(values), values, &error);
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), CL_SUCCESS);
    for (int i = 0; i < 3; i++) {
        cl_build_status status = CL_BUILD_NONE;
        CHECK_EQ(clGetProgramBuildInfo(program, all[i], CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL),
                 CL_SUCCESS);
        CHECK_EQ(status, CL_BUILD_SUCCESS);
        cl_command_queue on = clCreateCommandQueue(both, all[i], 0, &error);
        CHECK_EQ(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(on, buffer, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(values[63], 5 * (i + 1));
        clReleaseCommandQueue(on);
    }
    clReleaseKernel(kernel), clReleaseMemObject(buffer), clReleaseProgram(program), clReleaseContext(both);
    drop(count);
    tear_down();
}

static void test_uuids(void)
{
    set_up(0);
    const cl_device_partition_property properties[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 2, 0, 0};
    cl_uchar uuid[3][CL_UUID_SIZE_KHR], again[CL_UUID_SIZE_KHR];
    cl_uint count = partition(properties, sizeof(properties), 2);
    const cl_device_id all[3] = {parts[0], parts[1], device};
    size_t size;
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(clGetDeviceInfo(all[i], CL_DEVICE_UUID_KHR, sizeof(uuid[i]), uuid[i], &size), CL_SUCCESS);
        CHECK_EQ(size, CL_UUID_SIZE_KHR);
        CHECK_EQ(clGetDeviceInfo(all[i], CL_DEVICE_UUID_KHR, sizeof(again), again, NULL), CL_SUCCESS);
        CHECK(!memcmp(uuid[i], again, sizeof(again)));
        for (int j = 0; j < i; j++)
            CHECK(memcmp(uuid[i], uuid[j], sizeof(again)) != 0);
    }
    cl_bool valid = CL_TRUE;
    cl_uint mask;
    cl_uchar luid[CL_LUID_SIZE_KHR];
    CHECK_EQ(clGetDeviceInfo(device, CL_DRIVER_UUID_KHR, sizeof(again), again, &size), CL_SUCCESS);
    CHECK_EQ(size, CL_UUID_SIZE_KHR);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_LUID_VALID_KHR, sizeof(valid), &valid, NULL), CL_SUCCESS);
    CHECK_EQ(valid, CL_FALSE);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_LUID_KHR, sizeof(luid), luid, &size), CL_SUCCESS);
    CHECK_EQ(size, CL_LUID_SIZE_KHR);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_NODE_MASK_KHR, sizeof(mask), &mask, NULL), CL_SUCCESS);
    drop(count);
    tear_down();
}

/* As many SMs as a large host has cores: each of them can be a device, and all be in a context with the whole. */
static void test_many(void)
{
    set_up(0);
    const cl_device_partition_property domain[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                   CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0},
                                       one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const char *source = "kernel void k(global int *a) { a[get_global_id(0)]++; }";
    const size_t items = 64;
    cl_uint most = 0, got[64] = {0};
    cl_int error;
    CHECK_EQ(units_of(device), 40);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof(most), &most, NULL), CL_SUCCESS);
    CHECK_EQ(most, 40);
    const cl_device_partition_property beyond[] = {CL_DEVICE_PARTITION_BY_COUNTS, most + 1, 0, 0};
    CHECK_EQ(clCreateSubDevices(device, beyond, most + 1, parts, NULL), CL_INVALID_DEVICE_PARTITION_COUNT);
    CHECK_EQ(clCreateSubDevices(device, one, 0, parts, NULL), CL_INVALID_VALUE);
    const cl_uint count = partition(domain, sizeof(domain), 40);
    parts[count] = device;
    cl_context all = clCreateContext(NULL, count + 1, parts, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_program program = clCreateProgramWithSource(all, 1, &source, NULL, &error);
    CHECK_EQ(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_SUCCESS);
    cl_kernel kernel = kernel_of(program, "k");
    cl_mem buffer = clCreateBuffer(all, CL_MEM_COPY_HOST_PTR, sizeof(got), got, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), CL_SUCCESS);
    for (cl_uint i = 0; i <= count; i++) {
        cl_command_queue of_part = clCreateCommandQueue(all, parts[i], 0, &error);
        CHECK_EQ(clEnqueueNDRangeKernel(of_part, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(of_part, buffer, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(got[63], i + 1);
        clReleaseCommandQueue(of_part);
    }
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseContext(all);
    drop(count);
    tear_down();
}

int main(int argc, char **argv)
{
    setenv("CHENGYING_MACHINE", argc > 1 ? argv[1] : "sms=6", 1);
    if (argc > 1) {
        test_many();
        return test_finish();
    }
    test_partitions();
    test_errors();
    test_kernels();
    test_other_devices();
    test_parents_program();
    test_uuids();
    return test_finish();
}
