/* cl_khr_semaphore: signals, waits, queries, errors. */
#include "cl_test.h"

#include "cl/extensions.h"

#include <string.h>

typedef cl_semaphore_khr semaphore_t;
static semaphore_t(CL_API_CALL *Create)(cl_context, const cl_semaphore_properties_khr *, cl_int *);
static cl_int(CL_API_CALL *Retain)(semaphore_t);
static cl_int(CL_API_CALL *Release)(semaphore_t);
static cl_int(CL_API_CALL *Info)(semaphore_t, cl_semaphore_info_khr, size_t, void *, size_t *);
typedef cl_int(CL_API_CALL *enqueue_t)(cl_command_queue, cl_uint, const semaphore_t *, const cl_semaphore_payload_khr *,
                                       cl_uint, const cl_event *, cl_event *);
static enqueue_t Wait, Signal;

static const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};

static void load(const char *name, void *pointer)
{
    void *address = clGetExtensionFunctionAddressForPlatform(platform, name);
    if (!CHECK(address))
        exit(test_finish());
    memcpy(pointer, &address, sizeof(address));
}

static void start(cl_command_queue_properties properties)
{
    set_up(properties);
    load("clCreateSemaphoreWithPropertiesKHR", &Create);
    load("clRetainSemaphoreKHR", &Retain);
    load("clReleaseSemaphoreKHR", &Release);
    load("clGetSemaphoreInfoKHR", &Info);
    load("clEnqueueWaitSemaphoresKHR", &Wait);
    load("clEnqueueSignalSemaphoresKHR", &Signal);
}

static semaphore_t create(void)
{
    cl_int error = 1;
    semaphore_t semaphore = Create(context, binary, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return semaphore;
}

static cl_int status_of(cl_event event)
{
    cl_int status = -99;
    CHECK_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), CL_SUCCESS);
    return status;
}

static cl_semaphore_payload_khr payload_of(semaphore_t semaphore)
{
    cl_semaphore_payload_khr payload = 99;
    CHECK_EQ(Info(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, sizeof(payload), &payload, NULL), CL_SUCCESS);
    return payload;
}

static void release(cl_event *events, int count)
{
    for (int i = 0; i < count; i++)
        CHECK_EQ(clReleaseEvent(events[i]), CL_SUCCESS);
}

/* Between queues of both kinds, either command first; the signal is used up. */
static void test_queues(void)
{
    start(0);
    cl_int error;
    cl_command_queue second = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    semaphore_t semaphore = create();
    cl_event events[2];
    for (int wait_first = 0; wait_first < 2; wait_first++)
        for (int i = 0; i < 10; i++) {
            if (wait_first) {
                CHECK_EQ(Wait(second, 1, &semaphore, NULL, 0, NULL, &events[1]), CL_SUCCESS);
                CHECK(status_of(events[1]) > CL_COMPLETE);
            }
            CHECK_EQ(Signal(queue, 1, &semaphore, NULL, 0, NULL, &events[0]), CL_SUCCESS);
            CHECK_EQ(clWaitForEvents(1, &events[0]), CL_SUCCESS);
            if (!wait_first) {
                CHECK_EQ(payload_of(semaphore), 1);
                CHECK_EQ(Wait(second, 1, &semaphore, NULL, 0, NULL, &events[1]), CL_SUCCESS);
            }
            CHECK_EQ(clWaitForEvents(1, &events[1]), CL_SUCCESS);
            CHECK_EQ(payload_of(semaphore), 0);
            release(events, 2);
        }
    CHECK_EQ(Release(semaphore), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(second), CL_SUCCESS);
    tear_down();
}

/* Commands after a wait run when the signal has come; what comes before a signal has ended by then. */
static void test_order(void)
{
    start(0);
    cl_int error;
    cl_command_queue second = clCreateCommandQueue(context, device, 0, &error);
    semaphore_t semaphore = create();
    cl_program program = build("kernel void add(global int *x) { x[0] = x[0] * 2 + 1; }", "");
    cl_kernel kernel = kernel_of(program, "add");
    int x = 0;
    const size_t one = 1;
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(x), &x);
    cl_event gate = clCreateUserEvent(context, &error), read;
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(Wait(second, 1, &semaphore, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(second, mem, CL_FALSE, 0, sizeof(x), &x, 0, NULL, &read), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &gate, NULL), CL_SUCCESS);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(Signal(queue, 1, &semaphore, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK(status_of(read) > CL_COMPLETE);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clFinish(second), CL_SUCCESS);
    CHECK_EQ(x, 31);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    release(&gate, 1);
    release(&read, 1);
    CHECK_EQ(Release(semaphore), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(mem), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(second), CL_SUCCESS);
    tear_down();
}

/* One command for several semaphores, and several commands for one: each signal lets one of them through. */
static void test_several(void)
{
    start(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    semaphore_t semaphores[3] = {create(), create(), create()};
    const cl_semaphore_payload_khr ignored[3] = {1, 2, 3};
    cl_event events[3], all;
    CHECK_EQ(Wait(queue, 3, semaphores, ignored, 0, NULL, &all), CL_SUCCESS);
    CHECK_EQ(Signal(queue, 1, &semaphores[2], NULL, 0, NULL, &events[0]), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &events[0]), CL_SUCCESS);
    CHECK(status_of(all) > CL_COMPLETE);
    CHECK_EQ(Signal(queue, 2, semaphores, ignored, 0, NULL, &events[1]), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &all), CL_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(payload_of(semaphores[i]), 0);
    release(events, 2);
    release(&all, 1);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(Wait(queue, 1, semaphores, NULL, 0, NULL, &events[i]), CL_SUCCESS);
    CHECK_EQ(Signal(queue, 1, semaphores, NULL, 0, NULL, NULL), CL_SUCCESS);
    for (int signals = 1; signals < 3; signals++) { /* a second one before the first is taken would be lost */
        int done;
        do {
            done = 0;
            for (int i = 0; i < 3; i++)
                done += status_of(events[i]) == CL_COMPLETE;
        } while (done < signals);
        CHECK_EQ(done, signals);
        CHECK_EQ(Signal(queue, 1, semaphores, NULL, 0, NULL, NULL), CL_SUCCESS);
    }
    CHECK_EQ(clWaitForEvents(3, events), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    release(events, 3);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(Release(semaphores[i]), CL_SUCCESS);
    tear_down();
}

static void test_info(void)
{
    start(0);
    const cl_semaphore_properties_khr with_device[] = {CL_SEMAPHORE_TYPE_KHR,
                                                       CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                       CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                                       (cl_semaphore_properties_khr)(uintptr_t)device,
                                                       CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR,
                                                       0};
    cl_semaphore_properties_khr told[6] = {0};
    cl_int error;
    size_t size;
    cl_uint number;
    semaphore_t semaphore = Create(context, with_device, &error), plain = create();
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(Info(semaphore, CL_SEMAPHORE_TYPE_KHR, sizeof(number), &number, &size), CL_SUCCESS);
    CHECK(number == CL_SEMAPHORE_TYPE_BINARY_KHR && size == sizeof(number));
    cl_context in;
    CHECK_EQ(Info(semaphore, CL_SEMAPHORE_CONTEXT_KHR, sizeof(in), &in, &size), CL_SUCCESS);
    CHECK(in == context);
    cl_device_id of;
    CHECK_EQ(Info(semaphore, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, sizeof(of), &of, &size), CL_SUCCESS);
    CHECK(of == device && size == sizeof(of));
    CHECK_EQ(Info(plain, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, sizeof(of), &of, &size), CL_SUCCESS);
    CHECK(of == device && size == sizeof(of));
    CHECK_EQ(Info(semaphore, CL_SEMAPHORE_PROPERTIES_KHR, sizeof(told), told, &size), CL_SUCCESS);
    CHECK(size == sizeof(with_device) && !memcmp(told, with_device, size));
    CHECK_EQ(Info(plain, CL_SEMAPHORE_PROPERTIES_KHR, sizeof(told), told, &size), CL_SUCCESS);
    CHECK_EQ(size, sizeof(binary));
    CHECK_EQ(payload_of(semaphore), 0);
    CHECK_EQ(Retain(semaphore), CL_SUCCESS);
    CHECK_EQ(Info(semaphore, CL_SEMAPHORE_REFERENCE_COUNT_KHR, sizeof(number), &number, &size), CL_SUCCESS);
    CHECK_EQ(number, 2);
    CHECK_EQ(Release(semaphore), CL_SUCCESS);
    CHECK_EQ(Info(semaphore, (cl_semaphore_info_khr)-1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(Info(semaphore, CL_SEMAPHORE_PROPERTIES_KHR, 8, told, NULL), CL_INVALID_VALUE);
    CHECK_EQ(Info(semaphore, CL_SEMAPHORE_TYPE_KHR, 0, &number, NULL), CL_INVALID_VALUE);
    CHECK_EQ(Info(NULL, CL_SEMAPHORE_TYPE_KHR, sizeof(number), &number, NULL), CL_INVALID_SEMAPHORE_KHR);
    cl_semaphore_type_khr types[4];
    CHECK_EQ(clGetPlatformInfo(platform, CL_PLATFORM_SEMAPHORE_TYPES_KHR, sizeof(types), types, &size), CL_SUCCESS);
    CHECK(size == sizeof(types[0]) && types[0] == CL_SEMAPHORE_TYPE_BINARY_KHR);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_SEMAPHORE_TYPES_KHR, sizeof(types), types, &size), CL_SUCCESS);
    CHECK(size == sizeof(types[0]) && types[0] == CL_SEMAPHORE_TYPE_BINARY_KHR);
    CHECK_EQ(Release(semaphore), CL_SUCCESS);
    CHECK_EQ(Release(plain), CL_SUCCESS);
    tear_down();
}

static void refuse(const cl_semaphore_properties_khr *properties, cl_int wanted)
{
    cl_int error = 0;
    CHECK(!Create(context, properties, &error));
    CHECK_EQ(error, wanted);
}

static void test_errors(void)
{
    start(0);
    cl_int error;
    const cl_semaphore_properties_khr unknown[] = {(cl_properties)-1, 1, 0},
                                      wrong[] = {CL_SEMAPHORE_TYPE_KHR, (cl_properties)-1, 0},
                                      twice[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                 CL_SEMAPHORE_TYPE_KHR, 0},
                                      none[] = {0},
                                      no_device[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                     CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, 0, 0},
                                      two_devices[] = {CL_SEMAPHORE_TYPE_KHR,
                                                       CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                       CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                                       (cl_semaphore_properties_khr)(uintptr_t)device,
                                                       (cl_semaphore_properties_khr)(uintptr_t)device,
                                                       0,
                                                       0};
    refuse(NULL, CL_INVALID_VALUE);
    refuse(none, CL_INVALID_VALUE);
    refuse(unknown, CL_INVALID_PROPERTY);
    refuse(wrong, CL_INVALID_PROPERTY);
    refuse(twice, CL_INVALID_PROPERTY);
    refuse(no_device, CL_INVALID_DEVICE);
    refuse(two_devices, CL_INVALID_DEVICE);
    CHECK(!Create(NULL, binary, &error));
    CHECK_EQ(error, CL_INVALID_CONTEXT);
    CHECK_EQ(Retain(NULL), CL_INVALID_SEMAPHORE_KHR);
    CHECK_EQ(Release(NULL), CL_INVALID_SEMAPHORE_KHR);

    cl_context elsewhere = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue foreign = clCreateCommandQueue(elsewhere, device, 0, &error);
    cl_event far = clCreateUserEvent(elsewhere, &error), failed = clCreateUserEvent(context, &error), no_event = NULL;
    CHECK_EQ(clSetUserEventStatus(failed, -1), CL_SUCCESS);
    semaphore_t semaphore = create(), invalid[2] = {semaphore, NULL};
    const enqueue_t calls[] = {Wait, Signal};
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(calls[i](NULL, 1, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        CHECK_EQ(calls[i](queue, 0, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_EQ(calls[i](queue, 1, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_EQ(calls[i](queue, 2, invalid, NULL, 0, NULL, NULL), CL_INVALID_SEMAPHORE_KHR);
        CHECK_EQ(calls[i](foreign, 1, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
        CHECK_EQ(calls[i](queue, 1, &semaphore, NULL, 1, &far, NULL), CL_INVALID_CONTEXT);
        CHECK_EQ(calls[i](queue, 1, &semaphore, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
        CHECK_EQ(calls[i](queue, 1, &semaphore, NULL, 0, &failed, NULL), CL_INVALID_EVENT_WAIT_LIST);
        CHECK_EQ(calls[i](queue, 1, &semaphore, NULL, 1, &no_event, NULL), CL_INVALID_EVENT_WAIT_LIST);
        CHECK_EQ(calls[i](queue, 1, &semaphore, NULL, 1, &failed, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
    release(&far, 1);
    release(&failed, 1);
    CHECK_EQ(Release(semaphore), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(foreign), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(elsewhere), CL_SUCCESS);
    tear_down();
}

/* A semaphore of a sub-device: its own queue waits, other sub-devices' may not, the whole device's may signal. */
static void test_parts(void)
{
    start(0);
    const cl_device_partition_property two[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
    cl_device_id parts[2];
    cl_uint count;
    cl_int error;
    CHECK_EQ(clCreateSubDevices(device, two, 2, parts, &count), CL_SUCCESS);
    cl_context both = clCreateContext(NULL, count, parts, NULL, NULL, &error);
    cl_command_queue own = clCreateCommandQueue(both, parts[0], 0, &error),
                     other = clCreateCommandQueue(both, parts[count - 1], 0, &error);
    const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR,
                                                      CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                      CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                                      (cl_semaphore_properties_khr)(uintptr_t)parts[0],
                                                      0,
                                                      0};
    CHECK(!Create(both, binary, &error)); /* of which device? */
    CHECK_EQ(error, CL_INVALID_PROPERTY);
    semaphore_t semaphore = Create(both, properties, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_event waited;
    CHECK_EQ(Wait(own, 1, &semaphore, NULL, 0, NULL, &waited), CL_SUCCESS);
    CHECK_EQ(clFlush(own), CL_SUCCESS);
    CHECK_EQ(Signal(other, 1, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(Wait(other, 1, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(Wait(queue, 1, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK(status_of(waited) > CL_COMPLETE);
    CHECK_EQ(Signal(queue, 1, &semaphore, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &waited), CL_SUCCESS);
    CHECK_EQ(payload_of(semaphore), 0);
    release(&waited, 1);
    CHECK_EQ(Release(semaphore), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(own), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(other), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(both), CL_SUCCESS);
    for (cl_uint i = 0; i < count; i++)
        CHECK_EQ(clReleaseDevice(parts[i]), CL_SUCCESS);
    tear_down();
}

TEST_MAIN(test_queues, test_order, test_several, test_info, test_errors, test_parts)
