/* Platform, device, context, queue, buffers, events: what they answer and which error each wrong call gets. */
#define _POSIX_C_SOURCE 200809L
#include "cl_test.h"

#include <stdatomic.h>
#include <time.h>

#define CHECK_FAILS(call, code)                                                                                        \
    do {                                                                                                               \
        cl_int error = CL_SUCCESS;                                                                                     \
        CHECK((call) == NULL);                                                                                         \
        CHECK_EQ(error, code);                                                                                         \
    } while (0)

/* The tests also run where that is the only device. */
static bool is_gen2(void)
{
    const char *devices = getenv("CHENGYING_DEVICES");
    return devices && !strcmp(devices, "gen2");
}

static void test_platform_and_device(void)
{
    char text[256];
    size_t size;
    cl_uint number;
    cl_device_id found;
    CHECK_EQ(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof(text), text, &size), CL_SUCCESS);
    CHECK(!strncmp(text, "OpenCL 3.0 Chengying", 20));
    CHECK_EQ(size, strlen(text) + 1);
    CHECK_EQ(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, 3, text, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetPlatformInfo(platform, 0x1234, sizeof(text), text, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &found, &number), CL_DEVICE_NOT_FOUND);
    CHECK_EQ(clGetDeviceIDs(platform, 0x100000, 1, &found, NULL), CL_INVALID_DEVICE_TYPE);
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &found, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &number), CL_SUCCESS);
    CHECK_EQ(number, is_gen2() ? 1 : 2); /* a device of each generation; by default the first */
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 0, NULL, &number), CL_SUCCESS);
    CHECK_EQ(number, 1);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, 0, NULL, &size), CL_SUCCESS);
    CHECK_EQ(size, 3 * sizeof(size_t));
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_ADDRESS_BITS, sizeof(number), &number, NULL), CL_SUCCESS);
    CHECK_EQ(number, is_gen2() ? 64 : 32);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_ADDRESS_BITS, 1, &number, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetDeviceInfo(device, 0x9999, sizeof(number), &number, NULL), CL_INVALID_VALUE);
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 0, 0};
    CHECK_EQ(clCreateSubDevices(device, equally, 1, &found, NULL), CL_INVALID_VALUE);
}

static void test_context_and_queue(void)
{
    cl_uint count;
    const cl_context_properties unknown[] = {0x7777, 1, 0},
                                twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, CL_CONTEXT_PLATFORM,
                                           (cl_context_properties)platform, 0};
    const cl_queue_properties sized[] = {CL_QUEUE_SIZE, 16, 0};
    CHECK_FAILS(clCreateContext(unknown, 1, &device, NULL, NULL, &error), CL_INVALID_PROPERTY);
    CHECK_FAILS(clCreateContext(twice, 1, &device, NULL, NULL, &error), CL_INVALID_PROPERTY);
    CHECK_FAILS(clCreateContext(NULL, 0, &device, NULL, NULL, &error), CL_INVALID_VALUE);
    CHECK_FAILS(clCreateContext(NULL, 1, &device, NULL, &count, &error), CL_INVALID_VALUE);
    CHECK_EQ(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count, NULL), CL_SUCCESS);
    CHECK_EQ(count, 2); /* ours and the queue's */
    CHECK_FAILS(clCreateCommandQueue(context, device, 1 << 20, &error), CL_INVALID_VALUE);
    CHECK_FAILS(clCreateCommandQueue(context, device, CL_QUEUE_ON_DEVICE, &error), CL_INVALID_QUEUE_PROPERTIES);
    CHECK_FAILS(clCreateCommandQueueWithProperties(context, device, sized, &error), CL_INVALID_QUEUE_PROPERTIES);
    CHECK_EQ(clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof(count), &count, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clFlush(queue), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
}

static void test_buffer_errors(void)
{
    char bytes[256];
    cl_mem mem = buffer_of(CL_MEM_READ_WRITE, 256, NULL), locked = buffer_of(CL_MEM_HOST_NO_ACCESS, 256, NULL);
    const cl_buffer_region empty = {0, 0}, outside = {128, 200}, crooked = {3, 8}, good = {128, 64};
    CHECK_FAILS(clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &error), CL_INVALID_VALUE);
    CHECK_FAILS(clCreateBuffer(context, 0, 0, NULL, &error), CL_INVALID_BUFFER_SIZE);
    CHECK_FAILS(clCreateBuffer(context, 0, (size_t)1 << 40, NULL, &error), CL_INVALID_BUFFER_SIZE);
    CHECK_FAILS(clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, NULL, &error), CL_INVALID_HOST_PTR);
    CHECK_FAILS(clCreateBuffer(context, 0, 4, bytes, &error), CL_INVALID_HOST_PTR);
    CHECK_FAILS(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &error), CL_INVALID_BUFFER_SIZE);
    CHECK_FAILS(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, &error), CL_INVALID_VALUE);
    CHECK_FAILS(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &crooked, &error),
                CL_MISALIGNED_SUB_BUFFER_OFFSET);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 200, 57, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueReadBuffer(queue, locked, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueWriteBuffer(queue, locked, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, bytes, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueCopyBuffer(queue, mem, mem, 0, 4, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueFillBuffer(queue, mem, bytes, 3, 0, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueFillBuffer(queue, mem, bytes, 4, 2, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueUnmapMemObject(queue, mem, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_int code;
    cl_mem part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &good, &code);
    CHECK_EQ(code, CL_SUCCESS);
    CHECK_FAILS(clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &good, &error), CL_INVALID_MEM_OBJECT);
    memset(bytes, 7, sizeof(bytes));
    CHECK_EQ(clEnqueueWriteBuffer(queue, part, CL_TRUE, 0, 64, bytes, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 256, bytes, 0, NULL, NULL), CL_SUCCESS);
    CHECK(bytes[127] == 0 && bytes[128] == 7 && bytes[191] == 7 && bytes[192] == 0);
    clReleaseMemObject(part);
    clReleaseMemObject(locked);
    clReleaseMemObject(mem);
}

static void test_transfers(void)
{
    unsigned char bytes[64], back[64], pattern[2] = {0xab, 0xcd};
    for (int i = 0; i < 64; i++)
        bytes[i] = (unsigned char)i;
    cl_mem a = buffer_of(CL_MEM_COPY_HOST_PTR, 64, bytes), b = buffer_of(CL_MEM_USE_HOST_PTR, 64, back);
    CHECK_EQ(clEnqueueFillBuffer(queue, b, pattern, 2, 0, 64, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBuffer(queue, a, b, 8, 16, 8, 0, NULL, NULL), CL_SUCCESS);
    const size_t from[] = {1, 2, 0}, to[] = {0, 0, 0}, region[] = {3, 2, 1};
    CHECK_EQ(clEnqueueCopyBufferRect(queue, a, b, from, to, region, 8, 0, 4, 0, 0, NULL, NULL), CL_SUCCESS);
    cl_int error;
    unsigned char *map =
        clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK(map == back);
    static const unsigned char expected[8] = {17, 18, 19, 0xcd, 25, 26, 27, 0xcd};
    CHECK(!memcmp(map, expected, 8));
    CHECK(map[15] == 0xcd && map[16] == 8 && map[23] == 15 && map[24] == 0xab);
    map[63] = 99;
    CHECK_EQ(clEnqueueUnmapMemObject(queue, b, map, 0, NULL, NULL), CL_SUCCESS);
    unsigned char rows[8] = {0};
    const size_t origin[] = {6, 7, 0}, host[] = {1, 1, 0}, two[] = {2, 1, 1};
    CHECK_EQ(clEnqueueReadBufferRect(queue, b, CL_TRUE, origin, host, two, 8, 0, 4, 0, rows, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK(rows[4] == 0 && rows[5] == 0xab && rows[6] == 99 && rows[7] == 0);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
}

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *data)
{
    (void)event;
    atomic_store((atomic_int *)data, status + 100);
}

static void test_events(void)
{
    cl_int error, status;
    atomic_int called = 0;
    int value = 5, back = 0;
    cl_ulong times[4];
    cl_event user = clCreateUserEvent(context, &error), write, read;
    cl_mem mem = buffer_of(0, 4, NULL);
    CHECK_EQ(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4, &value, 1, &user, &write), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, 4, &back, 1, &write, &read), CL_SUCCESS);
    CHECK_EQ(clSetEventCallback(read, CL_COMPLETE, count_call, &called), CL_SUCCESS);
    CHECK_EQ(clSetEventCallback(read, 17, count_call, &called), CL_INVALID_VALUE);
    CHECK_EQ(clGetEventInfo(write, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), CL_SUCCESS);
    CHECK_EQ(status, CL_QUEUED);
    CHECK_EQ(clGetEventProfilingInfo(write, CL_PROFILING_COMMAND_END, 8, times, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK_EQ(clSetUserEventStatus(write, CL_COMPLETE), CL_INVALID_EVENT);
    CHECK_EQ(clSetUserEventStatus(user, CL_RUNNING), CL_INVALID_VALUE);
    CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
    CHECK_EQ(clWaitForEvents(1, &read), CL_SUCCESS);
    CHECK_EQ(back, 5);
    for (cl_uint i = 0; i < 4; i++)
        CHECK_EQ(clGetEventProfilingInfo(write, CL_PROFILING_COMMAND_QUEUED + i, 8, &times[i], NULL), CL_SUCCESS);
    CHECK(times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
    const struct timespec moment = {0, 1000000};
    for (int i = 0; i < 10000 && !atomic_load(&called); i++) /* the callback may come after the wait has ended */
        nanosleep(&moment, NULL);
    CHECK_EQ(atomic_load(&called), 100 + CL_COMPLETE);
    clReleaseEvent(user), clReleaseEvent(write), clReleaseEvent(read);

    user = clCreateUserEvent(context, &error); /* commands that wait for a failed event fail, those that merely follow
                                                * it do not */
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, 4, &back, 1, &user, &read), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(user, -77), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &read), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &back, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &back, 1, &user, NULL),
             CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    clReleaseEvent(user), clReleaseEvent(read);
    clReleaseMemObject(mem);
}

/* In an out-of-order queue a command that can run does not wait for one that cannot; barriers and markers do. */
static void test_out_of_order(void)
{
    cl_int error, status;
    int value = 1, back = 0, late = 0;
    cl_command_queue loose = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    cl_mem a = buffer_of(CL_MEM_COPY_HOST_PTR, 4, &value), b = buffer_of(CL_MEM_COPY_HOST_PTR, 4, &value);
    cl_event gate = clCreateUserEvent(context, &error), held, free_one, barrier, behind, marker;
    value = 2;
    CHECK_EQ(clEnqueueWriteBuffer(loose, a, CL_FALSE, 0, 4, &value, 1, &gate, &held), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(loose, b, CL_FALSE, 0, 4, &back, 0, NULL, &free_one), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &free_one), CL_SUCCESS);
    CHECK_EQ(back, 1);
    CHECK_EQ(clEnqueueBarrierWithWaitList(loose, 0, NULL, &barrier), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(loose, a, CL_FALSE, 0, 4, &late, 0, NULL, &behind), CL_SUCCESS);
    CHECK_EQ(clEnqueueMarkerWithWaitList(loose, 1, &free_one, &marker), CL_SUCCESS);
    const cl_event waiting[] = {held, barrier, behind, marker};
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(clGetEventInfo(waiting[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL),
                 CL_SUCCESS);
        CHECK_EQ(status, CL_QUEUED);
    }
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clFinish(loose), CL_SUCCESS);
    CHECK_EQ(late, 2);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(clGetEventInfo(waiting[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL),
                 CL_SUCCESS);
        CHECK_EQ(status, CL_COMPLETE);
        clReleaseEvent(waiting[i]);
    }
    clReleaseEvent(free_one), clReleaseEvent(gate);
    clReleaseMemObject(a), clReleaseMemObject(b), clReleaseCommandQueue(loose);
}

static void CL_CALLBACK note_mem(cl_mem mem, void *data)
{
    (void)mem;
    strcat(data, "m");
}

static void CL_CALLBACK note_mem_again(cl_mem mem, void *data)
{
    (void)mem;
    strcat(data, "M");
}

static void CL_CALLBACK note_context(cl_context of, void *data)
{
    (void)of;
    strcat(data, "c");
}

static void CL_CALLBACK note_context_again(cl_context of, void *data)
{
    (void)of;
    strcat(data, "C");
}

/* Destructors are called when the last reference is released, in reverse order, a context's after those of its
 * buffers. */
static void test_destructors(void)
{
    char order[8] = "";
    cl_int error;
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_mem mem = clCreateBuffer(other, 0, 16, NULL, &error);
    CHECK_EQ(clSetMemObjectDestructorCallback(mem, note_mem, order), CL_SUCCESS);
    CHECK_EQ(clSetMemObjectDestructorCallback(mem, note_mem_again, order), CL_SUCCESS);
    CHECK_EQ(clSetMemObjectDestructorCallback(mem, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clSetContextDestructorCallback(other, note_context, order), CL_SUCCESS);
    CHECK_EQ(clSetContextDestructorCallback(other, note_context_again, order), CL_SUCCESS);
    clRetainMemObject(mem);
    clReleaseContext(other);
    clReleaseMemObject(mem);
    CHECK_STR(order, "");
    /* objects of different contexts cannot be mixed */
    char byte;
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 1, &byte, 0, NULL, NULL), CL_INVALID_CONTEXT);
    clReleaseMemObject(mem);
    CHECK_STR(order, "MmCc");
}

static void CL_CALLBACK native(void *data)
{
    (void)data;
}

static void test_unsupported(void)
{
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    CHECK_EQ(shared != NULL, is_gen2());
    clSVMFree(context, shared);
    CHECK_EQ(clEnqueueNativeKernel(queue, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
}

int main(void)
{
    set_up(CL_QUEUE_PROFILING_ENABLE);
    test_platform_and_device();
    test_context_and_queue();
    test_buffer_errors();
    test_transfers();
    test_events();
    test_out_of_order();
    test_destructors();
    test_unsupported();
    tear_down();
    return test_finish();
}
