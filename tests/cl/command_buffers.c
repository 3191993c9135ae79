/* cl_khr_command_buffer and cl_khr_command_buffer_mutable_dispatch: recording, running, queries, changes, errors. */
#include "cl_test.h"

#include "cl/extensions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef cl_command_buffer_khr buffer_t;
typedef const cl_command_properties_khr *properties_t;
typedef const cl_sync_point_khr *points_t;
typedef cl_sync_point_khr *point_t;
typedef cl_mutable_command_khr *handle_t;

/* Every entry point: result, name, parameters. */
#define WAITS cl_uint, points_t, point_t, handle_t
#define FUNCTIONS(F)                                                                                                   \
    F(buffer_t, Create, clCreateCommandBufferKHR,                                                                      \
      (cl_uint, const cl_command_queue *, const cl_command_buffer_properties_khr *, cl_int *))                         \
    F(cl_int, Retain, clRetainCommandBufferKHR, (buffer_t))                                                            \
    F(cl_int, Release, clReleaseCommandBufferKHR, (buffer_t))                                                          \
    F(cl_int, Finalize, clFinalizeCommandBufferKHR, (buffer_t))                                                        \
    F(cl_int, Enqueue, clEnqueueCommandBufferKHR,                                                                      \
      (cl_uint, cl_command_queue *, buffer_t, cl_uint, const cl_event *, cl_event *))                                  \
    F(cl_int, Info, clGetCommandBufferInfoKHR, (buffer_t, cl_uint, size_t, void *, size_t *))                          \
    F(cl_int, Barrier, clCommandBarrierWithWaitListKHR, (buffer_t, cl_command_queue, properties_t, WAITS))             \
    F(cl_int, Copy, clCommandCopyBufferKHR,                                                                            \
      (buffer_t, cl_command_queue, properties_t, cl_mem, cl_mem, size_t, size_t, size_t, WAITS))                       \
    F(cl_int, CopyRect, clCommandCopyBufferRectKHR,                                                                    \
      (buffer_t, cl_command_queue, properties_t, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *,       \
       size_t, size_t, size_t, size_t, WAITS))                                                                         \
    F(cl_int, CopyBufferToImage, clCommandCopyBufferToImageKHR,                                                        \
      (buffer_t, cl_command_queue, properties_t, cl_mem, cl_mem, size_t, const size_t *, const size_t *, WAITS))       \
    F(cl_int, CopyImage, clCommandCopyImageKHR,                                                                        \
      (buffer_t, cl_command_queue, properties_t, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *,       \
       WAITS))                                                                                                         \
    F(cl_int, CopyImageToBuffer, clCommandCopyImageToBufferKHR,                                                        \
      (buffer_t, cl_command_queue, properties_t, cl_mem, cl_mem, const size_t *, const size_t *, size_t, WAITS))       \
    F(cl_int, Fill, clCommandFillBufferKHR,                                                                            \
      (buffer_t, cl_command_queue, properties_t, cl_mem, const void *, size_t, size_t, size_t, WAITS))                 \
    F(cl_int, FillImage, clCommandFillImageKHR,                                                                        \
      (buffer_t, cl_command_queue, properties_t, cl_mem, const void *, const size_t *, const size_t *, WAITS))         \
    F(cl_int, Kernel, clCommandNDRangeKernelKHR,                                                                       \
      (buffer_t, cl_command_queue, properties_t, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,   \
       WAITS))                                                                                                         \
    F(cl_int, SvmCopy, clCommandSVMMemcpyKHR,                                                                          \
      (buffer_t, cl_command_queue, properties_t, void *, const void *, size_t, WAITS))                                 \
    F(cl_int, SvmFill, clCommandSVMMemFillKHR,                                                                         \
      (buffer_t, cl_command_queue, properties_t, void *, const void *, size_t, size_t, WAITS))                         \
    F(cl_int, Update, clUpdateMutableCommandsKHR,                                                                      \
      (buffer_t, cl_uint, const cl_command_buffer_update_type_khr *, const void **))                                   \
    F(cl_int, CommandInfo, clGetMutableCommandInfoKHR, (cl_mutable_command_khr, cl_uint, size_t, void *, size_t *))

#define POINTER(result, name, entry, parameters) static result(CL_API_CALL *name) parameters;
FUNCTIONS(POINTER)

enum { N = 256 };
static const size_t n = N;
static cl_program program;
static cl_kernel add, scale;
static cl_mem data, other;
static int values[N];

static void load_functions(void)
{
#define LOAD(result, name, entry, parameters)                                                                          \
    do {                                                                                                               \
        void *address = clGetExtensionFunctionAddressForPlatform(platform, #entry);                                    \
        if (!CHECK(address))                                                                                           \
            exit(test_finish());                                                                                       \
        memcpy(&(name), &address, sizeof(address));                                                                    \
    } while (0);
    FUNCTIONS(LOAD)
}

static void start(cl_command_queue_properties properties)
{
    set_up(properties);
    load_functions();
    program = build("kernel void add(global int *x, int k) { x[get_global_id(0)] += k; }\n"
                    "kernel void scale(global int *x, int k) { x[get_global_id(0)] *= k; }\n",
                    "");
    add = kernel_of(program, "add");
    scale = kernel_of(program, "scale");
    data = buffer_of(0, sizeof(values), NULL);
    other = buffer_of(0, sizeof(values), NULL);
    const int zero = 0;
    CHECK_EQ(clEnqueueFillBuffer(queue, data, &zero, 4, 0, sizeof(values), 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueFillBuffer(queue, other, &zero, 4, 0, sizeof(values), 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
}

static void stop(void)
{
    CHECK_EQ(clReleaseMemObject(data), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(other), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(add), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(scale), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    tear_down();
}

static void set(cl_kernel kernel, cl_mem mem, int k)
{
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(k), &k), CL_SUCCESS);
}

static buffer_t create(cl_command_queue on, cl_command_buffer_flags_khr flags)
{
    const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_int error = 1;
    buffer_t buffer = Create(1, &on, flags ? properties : NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return buffer;
}

static void record(buffer_t buffer, cl_kernel kernel, cl_mem mem, int k)
{
    set(kernel, mem, k);
    CHECK_EQ(Kernel(buffer, NULL, NULL, kernel, 1, NULL, &n, NULL, 0, NULL, NULL, NULL), CL_SUCCESS);
}

static void run(buffer_t buffer)
{
    CHECK_EQ(Enqueue(0, NULL, buffer, 0, NULL, NULL), CL_SUCCESS);
}

static void expect(cl_mem mem, int wanted)
{
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    memset(values, 0x55, sizeof(values));
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < N; i++)
        if (!CHECK_EQ(values[i], wanted))
            return;
}

static cl_command_buffer_state_khr state(buffer_t buffer)
{
    cl_command_buffer_state_khr answer = 99;
    CHECK_EQ(Info(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof(answer), &answer, NULL), CL_SUCCESS);
    return answer;
}

static bool has_svm(void)
{
    cl_device_svm_capabilities capabilities = 0;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(capabilities), &capabilities, NULL),
             CL_SUCCESS);
    return capabilities != 0;
}

/* ---- running ---- */

static void test_repeated(void)
{
    start(0);
    buffer_t buffer = create(queue, 0);
    record(buffer, add, data, 3);
    record(buffer, scale, data, 2);
    set(add, other, 100); /* does not change what is recorded */
    CHECK_EQ(state(buffer), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    CHECK_EQ(state(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    int wanted = 0;
    for (int i = 0; i < 5; i++) { /* without waiting in between */
        run(buffer);
        wanted = (wanted + 3) * 2;
    }
    expect(data, wanted);
    expect(other, 0);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    stop();
}

static void test_transfers(void)
{
    start(0);
    const int seven = 7;
    const size_t origin[3] = {0, 0, 0}, shifted[3] = {0, 1, 0}, region[3] = {64, 4, 1}, pixels[3] = {4, 4, 1};
    const unsigned colour[4] = {1, 2, 3, 4};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_int error;
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem second = clCreateImage(context, 0, &format, &desc, NULL, &error);
    buffer_t buffer = create(queue, 0);
    CHECK_EQ(Fill(buffer, NULL, NULL, data, &seven, 4, 0, sizeof(values), 0, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(Copy(buffer, NULL, NULL, data, other, 0, 512, 512, 0, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(CopyRect(buffer, NULL, NULL, data, other, origin, shifted, region, 64, 0, 64, 0, 0, NULL, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(FillImage(buffer, NULL, NULL, image, colour, origin, pixels, 0, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(CopyImage(buffer, NULL, NULL, image, second, origin, origin, pixels, 0, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(CopyImageToBuffer(buffer, NULL, NULL, second, other, origin, pixels, 0, 0, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(CopyBufferToImage(buffer, NULL, NULL, other, second, 512, origin, pixels, 0, NULL, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    run(buffer);
    CHECK_EQ(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < N; i++)
        CHECK_EQ(values[i], i < 16 ? 0x04030201 : i < 80 || i >= 128 ? 7 : 0);
    CHECK_EQ(clEnqueueReadImage(queue, second, CL_TRUE, origin, pixels, 0, 0, values, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 16; i++)
        CHECK_EQ(values[i], 7);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(image), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(second), CL_SUCCESS);
    stop();
}

/* Without order, only synchronization points and barriers order the commands. */
static void test_sync_points(void)
{
    start(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const int one = 1;
    cl_sync_point_khr point[4] = {0};
    for (int with_barrier = 0; with_barrier < 3; with_barrier++) {
        buffer_t buffer = create(queue, 0);
        CHECK_EQ(Fill(buffer, NULL, NULL, data, &one, 4, 0, sizeof(values), 0, NULL, &point[0], NULL), CL_SUCCESS);
        if (with_barrier)
            CHECK_EQ(Barrier(buffer, NULL, NULL, with_barrier == 2, with_barrier == 2 ? point : NULL, &point[1], NULL),
                     CL_SUCCESS);
        set(add, data, 4);
        CHECK_EQ(Kernel(buffer, NULL, NULL, add, 1, NULL, &n, NULL, !with_barrier, with_barrier ? NULL : point,
                        &point[2], NULL),
                 CL_SUCCESS);
        CHECK(point[2] && point[2] != point[0]);
        set(scale, data, 6);
        CHECK_EQ(Kernel(buffer, NULL, NULL, scale, 1, NULL, &n, NULL, 1, &point[2], &point[3], NULL), CL_SUCCESS);
        CHECK_EQ(Copy(buffer, NULL, NULL, data, other, 0, 0, sizeof(values), 1, &point[3], NULL, NULL), CL_SUCCESS);
        CHECK_EQ(Finalize(buffer), CL_SUCCESS);
        for (int i = 0; i < 20; i++) {
            cl_event event;
            CHECK_EQ(Enqueue(0, NULL, buffer, 0, NULL, &event), CL_SUCCESS);
            CHECK_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
            CHECK_EQ(clReleaseEvent(event), CL_SUCCESS);
            expect(other, 30);
        }
        CHECK_EQ(Release(buffer), CL_SUCCESS);
    }
    stop();
}

/* A blocking read of an out-of-order queue sees what command-buffers before it wrote, unless these wait for the
 * application. */
static void test_read_after(void)
{
    start(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_int error;
    buffer_t buffer = create(queue, 0), later = create(queue, 0);
    record(buffer, add, data, 1);
    record(later, add, other, 1);
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    CHECK_EQ(Finalize(later), CL_SUCCESS);
    cl_event user = clCreateUserEvent(context, &error), ended;
    CHECK_EQ(Enqueue(0, NULL, later, 1, &user, &ended), CL_SUCCESS);
    for (int i = 1; i <= 20; i++) {
        run(buffer);
        CHECK_EQ(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(values[0], i);
        CHECK_EQ(values[N - 1], i);
    }
    CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &ended), CL_SUCCESS);
    expect(other, 1);
    clReleaseEvent(user), clReleaseEvent(ended);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    CHECK_EQ(Release(later), CL_SUCCESS);
    stop();
}

/* Commands after the command-buffer wait for all of it, those before it are waited for. */
static void test_events(void)
{
    start(CL_QUEUE_PROFILING_ENABLE);
    cl_int error, status = 1;
    buffer_t buffer = create(queue, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    for (int i = 0; i < 10; i++)
        record(buffer, add, data, 1);
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    cl_event gate = clCreateUserEvent(context, &error), event[2];
    CHECK_EQ(Enqueue(0, NULL, buffer, 1, &gate, &event[0]), CL_SUCCESS);
    CHECK_EQ(Enqueue(0, NULL, buffer, 1, &event[0], &event[1]), CL_SUCCESS);
    CHECK_EQ(clGetEventInfo(event[0], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), CL_SUCCESS);
    CHECK(status == CL_QUEUED || status == CL_SUBMITTED);
    cl_command_queue on;
    cl_context in;
    cl_command_type type;
    CHECK_EQ(clGetEventInfo(event[0], CL_EVENT_COMMAND_QUEUE, sizeof(on), &on, NULL), CL_SUCCESS);
    CHECK(on == queue);
    CHECK_EQ(clGetEventInfo(event[0], CL_EVENT_CONTEXT, sizeof(in), &in, NULL), CL_SUCCESS);
    CHECK(in == context);
    CHECK_EQ(clGetEventInfo(event[0], CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL), CL_SUCCESS);
    CHECK_EQ(type, CL_COMMAND_COMMAND_BUFFER_KHR);
    CHECK_EQ(Release(buffer), CL_SUCCESS); /* what is enqueued runs */
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    expect(data, 20);
    CHECK_EQ(clGetEventInfo(event[1], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), CL_SUCCESS);
    CHECK_EQ(status, CL_COMPLETE);
    cl_ulong time[4];
    for (cl_uint i = 0; i < 4; i++)
        CHECK_EQ(clGetEventProfilingInfo(event[0], CL_PROFILING_COMMAND_QUEUED + i, sizeof(time[i]), &time[i], NULL),
                 CL_SUCCESS);
    CHECK(time[0] <= time[1] && time[1] <= time[2] && time[2] < time[3]);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(clReleaseEvent(event[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    stop();
}

static void test_failed_wait(void)
{
    start(0);
    cl_int error, status = 1;
    buffer_t buffer = create(queue, 0);
    record(buffer, add, data, 1);
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    cl_event gate = clCreateUserEvent(context, &error), event;
    CHECK_EQ(Enqueue(0, NULL, buffer, 1, &gate, &event), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(gate, -7), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), CL_SUCCESS);
    CHECK(status < 0);
    expect(data, 0);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(event), CL_SUCCESS);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    stop();
}

static void test_other_queue(void)
{
    start(0);
    cl_int error;
    cl_command_queue second = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    buffer_t buffer = create(queue, 0), empty = create(queue, 0);
    record(buffer, add, data, 3);
    record(buffer, scale, data, 5); /* recorded in order: runs in order anywhere */
    record(buffer, add, data, 1);
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    CHECK_EQ(Finalize(empty), CL_SUCCESS);
    cl_event event[2];
    CHECK_EQ(Enqueue(1, &second, buffer, 0, NULL, &event[0]), CL_SUCCESS);
    CHECK_EQ(Enqueue(1, &second, empty, 1, event, &event[1]), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &event[1]), CL_SUCCESS);
    expect(data, 16);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(clReleaseEvent(event[i]), CL_SUCCESS);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    CHECK_EQ(Release(empty), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(second), CL_SUCCESS);
    stop();
}

/* The recorded commands keep what they use. */
static void test_references(void)
{
    start(0);
    buffer_t buffer = create(queue, 0);
    cl_mem source = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(values), memset(values, 1, sizeof(values)));
    cl_kernel kernel = kernel_of(program, "add");
    record(buffer, kernel, source, 2);
    CHECK_EQ(Copy(buffer, NULL, NULL, source, data, 0, 0, sizeof(values), 0, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(source), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    run(buffer);
    expect(data, 0x01010103);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    stop();
}

/* ---- queries ---- */

static void test_info(void)
{
    start(0);
    const cl_command_buffer_properties_khr properties[] = {
        CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    cl_command_buffer_properties_khr told[3] = {0};
    cl_int error;
    size_t size;
    cl_uint number;
    cl_command_queue on;
    cl_context in;
    buffer_t buffer = Create(1, &queue, properties, &error), plain = create(queue, 0);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(Info(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof(number), &number, &size), CL_SUCCESS);
    CHECK_EQ(number, 1);
    CHECK_EQ(size, sizeof(number));
    CHECK_EQ(Info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof(on), &on, &size), CL_SUCCESS);
    CHECK(on == queue);
    CHECK_EQ(Info(buffer, CL_COMMAND_BUFFER_CONTEXT_KHR, sizeof(in), &in, &size), CL_SUCCESS);
    CHECK(in == context);
    CHECK_EQ(Info(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof(told), told, &size), CL_SUCCESS);
    CHECK_EQ(size, sizeof(told));
    CHECK(!memcmp(told, properties, sizeof(told)));
    CHECK_EQ(Info(plain, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof(told), told, &size), CL_SUCCESS);
    CHECK_EQ(size, 0);
    CHECK_EQ(Retain(buffer), CL_SUCCESS);
    CHECK_EQ(Info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof(number), &number, NULL), CL_SUCCESS);
    CHECK_EQ(number, 2);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    CHECK_EQ(Info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof(number), &number, NULL), CL_SUCCESS);
    CHECK_EQ(number, 1);
    CHECK_EQ(Info(buffer, CL_COMMAND_BUFFER_STATE_KHR, 1, &number, NULL), CL_INVALID_VALUE);
    CHECK_EQ(Info(buffer, CL_QUEUE_SIZE, sizeof(number), &number, NULL), CL_INVALID_VALUE);
    CHECK_EQ(Info(NULL, CL_COMMAND_BUFFER_STATE_KHR, sizeof(number), &number, NULL), CL_INVALID_COMMAND_BUFFER_KHR);

    cl_device_command_buffer_capabilities_khr capabilities;
    cl_command_queue_properties supported, required;
    CHECK_EQ(
        clGetDeviceInfo(device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof(capabilities), &capabilities, NULL),
        CL_SUCCESS);
    CHECK_EQ(capabilities,
             CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR, sizeof(supported),
                             &supported, NULL),
             CL_SUCCESS);
    CHECK_EQ(supported, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, sizeof(required),
                             &required, NULL),
             CL_SUCCESS);
    CHECK_EQ(required, 0);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    CHECK_EQ(Release(plain), CL_SUCCESS);
    stop();
}

static void test_command_info(void)
{
    start(0);
    const size_t offset[3] = {1, 2, 3}, global[3] = {8, 4, 2}, local[3] = {4, 2, 1};
    const cl_command_properties_khr properties[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                                    CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
    cl_command_properties_khr told[3] = {0};
    cl_mutable_command_khr full = NULL, plain = NULL;
    size_t sizes[3], size;
    buffer_t buffer = create(queue, CL_COMMAND_BUFFER_MUTABLE_KHR), of;
    set(add, data, 1);
    CHECK_EQ(Kernel(buffer, NULL, properties, add, 3, offset, global, local, 0, NULL, NULL, &full), CL_SUCCESS);
    CHECK_EQ(Kernel(buffer, NULL, NULL, add, 1, NULL, &n, NULL, 0, NULL, NULL, &plain), CL_SUCCESS);
    CHECK(full && plain && full != plain);
    CHECK_EQ(CommandInfo(full, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, sizeof(sizes), sizes, &size), CL_SUCCESS);
    CHECK(size == sizeof(offset) && !memcmp(sizes, offset, size));
    CHECK_EQ(CommandInfo(full, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, sizeof(sizes), sizes, &size), CL_SUCCESS);
    CHECK(size == sizeof(global) && !memcmp(sizes, global, size));
    CHECK_EQ(CommandInfo(full, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, sizeof(sizes), sizes, &size), CL_SUCCESS);
    CHECK(size == sizeof(local) && !memcmp(sizes, local, size));
    CHECK_EQ(CommandInfo(plain, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, sizeof(sizes), sizes, &size), CL_SUCCESS);
    CHECK(size == sizeof(size_t) && sizes[0] == 0);
    cl_uint dimensions;
    cl_command_type type;
    cl_command_queue on;
    cl_kernel kernel;
    CHECK_EQ(CommandInfo(full, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, sizeof(dimensions), &dimensions, &size), CL_SUCCESS);
    CHECK_EQ(dimensions, 3);
    CHECK_EQ(CommandInfo(full, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, sizeof(type), &type, &size), CL_SUCCESS);
    CHECK_EQ(type, CL_COMMAND_NDRANGE_KERNEL);
    CHECK_EQ(CommandInfo(full, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, sizeof(on), &on, &size), CL_SUCCESS);
    CHECK(on == queue);
    CHECK_EQ(CommandInfo(full, CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, sizeof(of), &of, &size), CL_SUCCESS);
    CHECK(of == buffer);
    CHECK_EQ(CommandInfo(full, CL_MUTABLE_DISPATCH_KERNEL_KHR, sizeof(kernel), &kernel, &size), CL_SUCCESS);
    CHECK(kernel == add);
    CHECK_EQ(CommandInfo(full, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, sizeof(told), told, &size), CL_SUCCESS);
    CHECK(size == sizeof(properties) && !memcmp(told, properties, size));
    CHECK_EQ(CommandInfo(plain, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, 0, NULL, &size), CL_SUCCESS);
    CHECK_EQ(size, 0);
    CHECK_EQ(CommandInfo(full, 0, sizeof(told), told, NULL), CL_INVALID_VALUE);
    CHECK_EQ(CommandInfo(full, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, 1, told, NULL), CL_INVALID_VALUE);
    CHECK_EQ(CommandInfo(NULL, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, sizeof(told), told, NULL),
             CL_INVALID_MUTABLE_COMMAND_KHR);
    cl_mutable_dispatch_fields_khr fields;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR, sizeof(fields), &fields, NULL),
             CL_SUCCESS);
    CHECK_EQ(fields, CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR |
                         CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    stop();
}

/* ---- changes ---- */

static cl_int change(buffer_t buffer, const struct cy_cl_dispatch_config *config)
{
    const cl_command_buffer_update_type_khr type = CY_CL_UPDATE_DISPATCH;
    const void *configs[] = {config};
    return Update(buffer, 1, &type, configs);
}

static void test_update_arguments(void)
{
    start(0);
    cl_int error;
    cl_mutable_command_khr command;
    buffer_t buffer = create(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    set(add, data, 1);
    CHECK_EQ(Kernel(buffer, NULL, NULL, add, 1, NULL, &n, NULL, 0, NULL, NULL, &command), CL_SUCCESS);
    const int ten = 10, hundred = 100;
    const cl_mutable_dispatch_arg_khr k = {1, sizeof(int), &ten}, both[] = {{0, sizeof(other), &other}, k};
    const struct cy_cl_dispatch_config early = {.command = command, .num_args = 1, .arg_list = &k};
    CHECK_EQ(change(buffer, &early), CL_INVALID_OPERATION); /* not finalized */
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    cl_event gate = clCreateUserEvent(context, &error);
    CHECK_EQ(Enqueue(0, NULL, buffer, 1, &gate, NULL), CL_SUCCESS); /* runs with the old values */
    CHECK_EQ(change(buffer, &early), CL_SUCCESS);
    run(buffer);
    const struct cy_cl_dispatch_config two = {.command = command, .num_args = 2, .arg_list = both};
    CHECK_EQ(change(buffer, &two), CL_SUCCESS);
    run(buffer);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    expect(data, 11);
    expect(other, 10);
    /* of two changes the later counts; with an error nothing changes */
    const cl_mutable_dispatch_arg_khr large = {1, sizeof(int), &hundred}, wrong = {1, 2, &hundred};
    const struct cy_cl_dispatch_config last = {.command = command, .num_args = 1, .arg_list = &large},
                                       bad = {.command = command, .num_args = 1, .arg_list = &wrong};
    const cl_command_buffer_update_type_khr types[] = {CY_CL_UPDATE_DISPATCH, CY_CL_UPDATE_DISPATCH};
    const void *good[] = {&early, &last}, *damaged[] = {&early, &bad};
    CHECK_EQ(Update(buffer, 2, types, good), CL_SUCCESS);
    CHECK_EQ(Update(buffer, 2, types, damaged), CL_INVALID_ARG_SIZE);
    run(buffer);
    expect(other, 110);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    stop();
}

/* Where the device has shared virtual memory: commands on it, and an argument that becomes a pointer to it. */
/* A command-buffer that is enqueued again in an out-of-order queue before its last run has ended comes after the
 * commands between them, if these wait for nothing else than it does: of two reads into one place the second counts. */
static void test_update_unordered(void)
{
    cl_int error;
    const int zero = 0;
    int got[N];
    for (int round = 0; round < 40; round++) {
        start(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        cl_sync_point_khr filled;
        cl_mutable_command_khr command;
        cl_event gate = clCreateUserEvent(context, &error), ran[2];
        buffer_t buffer = create(queue, CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
        set(add, data, 1);
        CHECK_EQ(Fill(buffer, NULL, NULL, data, &zero, 4, 0, sizeof(got), 0, NULL, &filled, NULL), CL_SUCCESS);
        CHECK_EQ(Kernel(buffer, NULL, NULL, add, 1, NULL, &n, NULL, 1, &filled, NULL, &command), CL_SUCCESS);
        CHECK_EQ(Finalize(buffer), CL_SUCCESS);
        for (int i = 0; i < 2; i++) {
            const cl_mutable_dispatch_arg_khr next = {1, sizeof(int), &(int){i + 2}};
            const struct cy_cl_dispatch_config config = {.command = command, .num_args = 1, .arg_list = &next};
            CHECK_EQ(Enqueue(0, NULL, buffer, 1, &gate, &ran[i]), CL_SUCCESS);
            CHECK_EQ(clEnqueueReadBuffer(queue, data, CL_FALSE, 0, sizeof(got), got, 1, &ran[i], NULL), CL_SUCCESS);
            CHECK_EQ(change(buffer, &config), CL_SUCCESS);
        }
        CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        CHECK_EQ(clFinish(queue), CL_SUCCESS);
        for (int i = 0; i < N; i++)
            CHECK_EQ(got[i], 2);
        for (int i = 0; i < 2; i++)
            CHECK_EQ(clReleaseEvent(ran[i]), CL_SUCCESS);
        CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
        CHECK_EQ(Release(buffer), CL_SUCCESS);
        stop();
    }
    /* one that waits for another event does not hold it up */
    start(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event gate = clCreateUserEvent(context, &error), held, ran;
    buffer_t buffer = create(queue, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    CHECK_EQ(Fill(buffer, NULL, NULL, data, &zero, 4, 0, sizeof(got), 0, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    CHECK_EQ(Enqueue(0, NULL, buffer, 1, &gate, &held), CL_SUCCESS);
    CHECK_EQ(Enqueue(0, NULL, buffer, 0, NULL, &ran), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &ran), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &held), CL_SUCCESS);
    clReleaseEvent(gate), clReleaseEvent(held), clReleaseEvent(ran);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    stop();
}

static void test_svm(void)
{
    start(0);
    if (has_svm()) {
        int *first = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof(values), 0),
            *second = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof(values), 0);
        const int nine = 9;
        cl_mutable_command_khr command;
        buffer_t buffer = create(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
        CHECK_EQ(SvmFill(buffer, NULL, NULL, first, &nine, 4, sizeof(values), 0, NULL, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(SvmCopy(buffer, NULL, NULL, second, first, sizeof(values), 0, NULL, NULL, NULL), CL_SUCCESS);
        set(add, data, 5);
        CHECK_EQ(Kernel(buffer, NULL, NULL, add, 1, NULL, &n, NULL, 0, NULL, NULL, &command), CL_SUCCESS);
        CHECK_EQ(Finalize(buffer), CL_SUCCESS);
        const cl_mutable_dispatch_arg_khr arg = {0, 0, second};
        const struct cy_cl_dispatch_config config = {.command = command, .num_svm_args = 1, .arg_svm_list = &arg};
        CHECK_EQ(change(buffer, &config), CL_SUCCESS);
        run(buffer);
        expect(data, 0);
        for (int i = 0; i < N; i++)
            if (!CHECK_EQ(first[i], 9) || !CHECK_EQ(second[i], 14))
                break;
        CHECK_EQ(Release(buffer), CL_SUCCESS);
        clSVMFree(context, first);
        clSVMFree(context, second);
    }
    stop();
}

static void test_update_sizes(void)
{
    start(0);
    cl_program where = build("kernel void where(global int *x) { size_t i = get_global_id(0);\n"
                             "    x[i] = 1000 * get_global_offset(0) + 10 * get_local_size(0) + get_num_groups(0); }",
                             "");
    cl_kernel kernel = kernel_of(where, "where");
    cl_mutable_command_khr command;
    buffer_t buffer = create(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    const size_t sixteen = 16, eight = 8, four = 4;
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(data), &data), CL_SUCCESS);
    CHECK_EQ(Kernel(buffer, NULL, NULL, kernel, 1, NULL, &sixteen, &eight, 0, NULL, NULL, &command), CL_SUCCESS);
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    run(buffer);
    const struct cy_cl_dispatch_config config = {.command = command,
                                                 .work_dim = 1,
                                                 .global_work_offset = &four,
                                                 .global_work_size = &eight,
                                                 .local_work_size = &four};
    CHECK_EQ(change(buffer, &config), CL_SUCCESS);
    run(buffer);
    CHECK_EQ(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 20; i++)
        CHECK_EQ(values[i], i >= 4 && i < 12 ? 4042 : i < 16 ? 82 : 0);
    size_t told[3] = {0};
    CHECK_EQ(CommandInfo(command, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, sizeof(told), told, NULL), CL_SUCCESS);
    CHECK_EQ(told[0], 8);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(where), CL_SUCCESS);
    stop();
}

/* A kernel may be recorded before its arguments are known, if a change can set them. */
static void test_deferred_arguments(void)
{
    start(0);
    cl_kernel kernel = kernel_of(program, "add");
    cl_mutable_command_khr command;
    buffer_t fixed = create(queue, 0), buffer = create(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    const int two = 2;
    CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(two), &two), CL_SUCCESS);
    CHECK_EQ(Kernel(fixed, NULL, NULL, kernel, 1, NULL, &n, NULL, 0, NULL, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    const cl_command_properties_khr sizes[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                               CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0};
    CHECK_EQ(Kernel(buffer, NULL, sizes, kernel, 1, NULL, &n, NULL, 0, NULL, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    CHECK_EQ(Kernel(buffer, NULL, NULL, kernel, 1, NULL, &n, NULL, 0, NULL, NULL, &command), CL_SUCCESS);
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    CHECK_EQ(state(buffer), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    CHECK_EQ(Enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
    const cl_mutable_dispatch_arg_khr arg = {0, sizeof(data), &data};
    const struct cy_cl_dispatch_config config = {.command = command, .num_args = 1, .arg_list = &arg};
    CHECK_EQ(change(buffer, &config), CL_SUCCESS);
    CHECK_EQ(state(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    run(buffer);
    expect(data, 2);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    CHECK_EQ(Release(fixed), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    stop();
}

static void test_update_errors(void)
{
    start(0);
    const cl_command_properties_khr properties[] = {
        CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, CL_MUTABLE_DISPATCH_ASSERTS_KHR,
        CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR, 0};
    const size_t sixteen = 16, eight = 8, zero = 0;
    const int one = 1;
    const cl_mutable_dispatch_arg_khr arg = {1, sizeof(one), &one};
    const cl_mutable_dispatch_exec_info_khr info = {CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(one), &one};
    cl_mutable_command_khr command, foreign, any;
    buffer_t buffer = create(queue, CL_COMMAND_BUFFER_MUTABLE_KHR), fixed = create(queue, 0),
             second = create(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    set(add, data, 1);
    CHECK_EQ(Kernel(buffer, NULL, properties, add, 1, NULL, &sixteen, &eight, 0, NULL, NULL, &command), CL_SUCCESS);
    CHECK_EQ(Kernel(buffer, NULL, NULL, add, 1, NULL, &sixteen, &eight, 0, NULL, NULL, &any), CL_SUCCESS);
    CHECK_EQ(Kernel(second, NULL, NULL, add, 1, NULL, &sixteen, &eight, 0, NULL, NULL, &foreign), CL_SUCCESS);
    CHECK_EQ(Kernel(fixed, NULL, NULL, add, 1, NULL, &sixteen, &eight, 0, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    CHECK_EQ(Finalize(fixed), CL_SUCCESS);
    CHECK_EQ(Finalize(second), CL_SUCCESS);
#define TRY(...) change(buffer, &(const struct cy_cl_dispatch_config){__VA_ARGS__})
    CHECK_EQ(TRY(.command = NULL), CL_INVALID_MUTABLE_COMMAND_KHR);
    CHECK_EQ(TRY(.command = foreign), CL_INVALID_MUTABLE_COMMAND_KHR);
    CHECK_EQ(TRY(.command = command, .num_args = 1, .arg_list = &arg), CL_INVALID_OPERATION);
    CHECK_EQ(TRY(.command = command, .global_work_offset = &zero), CL_INVALID_OPERATION);
    CHECK_EQ(TRY(.command = command, .local_work_size = &eight), CL_INVALID_OPERATION);
    CHECK_EQ(TRY(.command = command, .work_dim = 2), CL_INVALID_VALUE);
    CHECK_EQ(TRY(.command = any, .num_args = 1), CL_INVALID_VALUE);
    CHECK_EQ(TRY(.command = any, .arg_list = &arg), CL_INVALID_VALUE);
    CHECK_EQ(TRY(.command = any, .num_svm_args = 1), CL_INVALID_VALUE);
    if (!has_svm())
        CHECK_EQ(TRY(.command = any, .num_svm_args = 1, .arg_svm_list = &arg), CL_INVALID_OPERATION);
    CHECK_EQ(TRY(.command = any, .num_exec_infos = 1, .exec_info_list = &info), CL_INVALID_OPERATION);
    CHECK_EQ(TRY(.command = any, .local_work_size = &zero), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(TRY(.command = command, .global_work_size = &n), CL_INVALID_OPERATION); /* more work-groups */
    CHECK_EQ(TRY(.command = command, .global_work_size = &eight), CL_SUCCESS);
    CHECK_EQ(TRY(.command = command, .global_work_size = &sixteen), CL_SUCCESS);
    const struct cy_cl_dispatch_config config = {.command = any};
    const void *configs[] = {&config}, *none[] = {NULL};
    const cl_command_buffer_update_type_khr type = CY_CL_UPDATE_DISPATCH, unknown = 77;
    CHECK_EQ(Update(NULL, 1, &type, configs), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(Update(fixed, 1, &type, configs), CL_INVALID_OPERATION);
    CHECK_EQ(Update(buffer, 1, NULL, configs), CL_INVALID_VALUE);
    CHECK_EQ(Update(buffer, 1, &type, NULL), CL_INVALID_VALUE);
    CHECK_EQ(Update(buffer, 0, &type, configs), CL_INVALID_VALUE);
    CHECK_EQ(Update(buffer, 1, &unknown, configs), CL_INVALID_VALUE);
    CHECK_EQ(Update(buffer, 1, &type, none), CL_INVALID_VALUE);
    CHECK_EQ(Update(buffer, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    CHECK_EQ(Release(fixed), CL_SUCCESS);
    CHECK_EQ(Release(second), CL_SUCCESS);
    stop();
}

/* ---- errors ---- */

static void test_create_errors(void)
{
    start(0);
    const cl_command_buffer_properties_khr twice[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1, CL_COMMAND_BUFFER_FLAGS_KHR, 1,
                                                      0},
                                           wrong[] = {CL_COMMAND_BUFFER_FLAGS_KHR, (cl_properties)-1, 0},
                                           unknown[] = {CL_QUEUE_SIZE, 1, 0},
                                           absent[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                       CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0};
    const cl_command_queue two[] = {queue, queue}, none = NULL;
    cl_int error = 0;
#define TRY_CREATE(count, queues, properties, wanted)                                                                  \
    do {                                                                                                               \
        CHECK(!Create(count, queues, properties, &error));                                                             \
        CHECK_EQ(error, wanted);                                                                                       \
    } while (0)
    TRY_CREATE(2, two, NULL, CL_INVALID_VALUE);
    TRY_CREATE(0, two, NULL, CL_INVALID_VALUE);
    TRY_CREATE(1, NULL, NULL, CL_INVALID_VALUE);
    TRY_CREATE(1, &none, NULL, CL_INVALID_COMMAND_QUEUE);
    TRY_CREATE(1, &queue, twice, CL_INVALID_VALUE);
    TRY_CREATE(1, &queue, wrong, CL_INVALID_VALUE);
    TRY_CREATE(1, &queue, unknown, CL_INVALID_VALUE);
    TRY_CREATE(1, &queue, absent, CL_INVALID_PROPERTY);
    CHECK_EQ(Retain(NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(Release(NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(Finalize(NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    stop();
}

/* The errors that all functions share, for each of them. */
static void test_record_errors(void)
{
    start(0);
    const int one = 1;
    const cl_command_properties_khr wrong = (cl_command_properties_khr)-1;
    const size_t origin[3] = {0}, region[3] = {4, 4, 1};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_int error;
    cl_context elsewhere = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_mem image[2], foreign = clCreateBuffer(elsewhere, 0, sizeof(values), NULL, &error),
                     foreign_image = clCreateImage(elsewhere, 0, &format, &desc, NULL, &error);
    for (int i = 0; i < 2; i++)
        image[i] = clCreateImage(context, 0, &format, &desc, NULL, &error);
    cl_sync_point_khr point = 0, zero = 0, far = 99;
    cl_mutable_command_khr handle;
    buffer_t buffer = create(queue, 0), finalized = create(queue, 0);
    CHECK_EQ(Finalize(finalized), CL_SUCCESS);
    CHECK_EQ(Barrier(buffer, NULL, NULL, 0, NULL, &point, NULL), CL_SUCCESS);
    set(add, data, 1);
#define TRY_CALL(CALL)                                                                                                 \
    CHECK_EQ(CALL(NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_BUFFER_KHR);                                    \
    CHECK_EQ(CALL(buffer, queue, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);                                      \
    CHECK_EQ(CALL(finalized, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);                                        \
    CHECK_EQ(CALL(buffer, NULL, &wrong, 0, NULL, NULL), CL_INVALID_VALUE);                                             \
    CHECK_EQ(CALL(buffer, NULL, NULL, 1, NULL, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);                            \
    CHECK_EQ(CALL(buffer, NULL, NULL, 0, &point, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);                          \
    CHECK_EQ(CALL(buffer, NULL, NULL, 1, &zero, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);                           \
    CHECK_EQ(CALL(buffer, NULL, NULL, 1, &far, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);                            \
    CHECK_EQ(CALL(buffer, NULL, NULL, 1, &point, NULL), CL_SUCCESS)
#define TRY_FIXED(CALL)                                                                                                \
    TRY_CALL(CALL);                                                                                                    \
    CHECK_EQ(CALL(buffer, NULL, NULL, 0, NULL, &handle), CL_INVALID_VALUE)
#define A(b, q, p, c, l, h) Barrier(b, q, p, c, l, NULL, h)
    TRY_FIXED(A);
#define B(b, q, p, c, l, h) Copy(b, q, p, data, other, 0, 0, 64, c, l, NULL, h)
    TRY_FIXED(B);
#define C(b, q, p, c, l, h) CopyRect(b, q, p, data, other, origin, origin, region, 0, 0, 0, 0, c, l, NULL, h)
    TRY_FIXED(C);
#define D(b, q, p, c, l, h) CopyBufferToImage(b, q, p, data, image[0], 0, origin, region, c, l, NULL, h)
    TRY_FIXED(D);
#define E(b, q, p, c, l, h) CopyImageToBuffer(b, q, p, image[0], data, origin, region, 0, c, l, NULL, h)
    TRY_FIXED(E);
#define F(b, q, p, c, l, h) CopyImage(b, q, p, image[0], image[1], origin, origin, region, c, l, NULL, h)
    TRY_FIXED(F);
#define G(b, q, p, c, l, h) Fill(b, q, p, data, &one, 4, 0, 64, c, l, NULL, h)
    TRY_FIXED(G);
#define H(b, q, p, c, l, h) FillImage(b, q, p, image[0], values, origin, region, c, l, NULL, h)
    TRY_FIXED(H);
#define I(b, q, p, c, l, h) Kernel(b, q, p, add, 1, NULL, &n, NULL, c, l, NULL, h)
    TRY_CALL(I);
    /* those of a function itself */
    CHECK_EQ(Copy(buffer, NULL, NULL, foreign, other, 0, 0, 64, 0, NULL, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(Copy(buffer, NULL, NULL, data, foreign, 0, 0, 64, 0, NULL, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(Copy(buffer, NULL, NULL, data, NULL, 0, 0, 64, 0, NULL, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(Copy(buffer, NULL, NULL, data, data, 0, 32, 64, 0, NULL, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(CopyRect(buffer, NULL, NULL, foreign, other, origin, origin, region, 0, 0, 0, 0, 0, NULL, NULL, NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(Fill(buffer, NULL, NULL, foreign, &one, 4, 0, 64, 0, NULL, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(Fill(buffer, NULL, NULL, data, &one, 3, 0, 66, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(FillImage(buffer, NULL, NULL, foreign_image, values, origin, region, 0, NULL, NULL, NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(CopyImage(buffer, NULL, NULL, image[0], foreign_image, origin, origin, region, 0, NULL, NULL, NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(CopyImageToBuffer(buffer, NULL, NULL, image[0], foreign, origin, region, 0, 0, NULL, NULL, NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(CopyBufferToImage(buffer, NULL, NULL, foreign, image[0], 0, origin, region, 0, NULL, NULL, NULL),
             CL_INVALID_CONTEXT);
    /* of another context, and of the wrong kind as well */
    CHECK_EQ(CopyImageToBuffer(buffer, NULL, NULL, image[0], foreign_image, origin, region, 0, 0, NULL, NULL, NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(CopyBufferToImage(buffer, NULL, NULL, data, foreign, 0, origin, region, 0, NULL, NULL, NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(CopyImageToBuffer(buffer, NULL, NULL, image[0], image[1], origin, region, 0, 0, NULL, NULL, NULL),
             CL_INVALID_MEM_OBJECT);
    CHECK_EQ(CopyBufferToImage(buffer, NULL, NULL, data, other, 0, origin, region, 0, NULL, NULL, NULL),
             CL_INVALID_MEM_OBJECT);
    CHECK_EQ(Kernel(buffer, NULL, NULL, NULL, 1, NULL, &n, NULL, 0, NULL, NULL, NULL), CL_INVALID_KERNEL);
    CHECK_EQ(Kernel(buffer, NULL, NULL, add, 4, NULL, &n, NULL, 0, NULL, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    const cl_command_properties_khr fields[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1 << 20, 0};
    CHECK_EQ(Kernel(buffer, NULL, fields, add, 1, NULL, &n, NULL, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
    if (!has_svm()) {
        CHECK_EQ(SvmCopy(buffer, NULL, NULL, values, values, 4, 0, NULL, NULL, NULL), CL_INVALID_OPERATION);
        CHECK_EQ(SvmFill(buffer, NULL, NULL, values, &one, 4, 4, 0, NULL, NULL, NULL), CL_INVALID_OPERATION);
    }
    for (int i = 0; i < 2; i++)
        CHECK_EQ(clReleaseMemObject(image[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(foreign), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(foreign_image), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(elsewhere), CL_SUCCESS);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    CHECK_EQ(Release(finalized), CL_SUCCESS);
    stop();
}

static void test_enqueue_errors(void)
{
    start(0);
    cl_int error;
    buffer_t buffer = create(queue, 0);
    cl_context elsewhere = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue two[] = {queue, queue}, none = NULL, foreign = clCreateCommandQueue(elsewhere, device, 0, &error);
    cl_event gate = clCreateUserEvent(elsewhere, &error), no_event = NULL;
    CHECK_EQ(Enqueue(0, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(Enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(Finalize(buffer), CL_SUCCESS);
    CHECK_EQ(Finalize(buffer), CL_INVALID_OPERATION);
    CHECK_EQ(Enqueue(1, NULL, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(Enqueue(0, two, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(Enqueue(2, two, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(Enqueue(1, &none, buffer, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(Enqueue(1, &foreign, buffer, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(Enqueue(0, NULL, buffer, 1, &gate, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(Enqueue(0, NULL, buffer, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(Enqueue(0, NULL, buffer, 0, &gate, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(Enqueue(0, NULL, buffer, 1, &no_event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    run(buffer); /* empty */
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(foreign), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(elsewhere), CL_SUCCESS);
    CHECK_EQ(Release(buffer), CL_SUCCESS);
    stop();
}

/* ---- threads ---- */

static buffer_t shared;
static cl_mutable_command_khr shared_command;
static atomic_int errors; /* checks are the main thread's */

static void *enqueue_often(void *unused)
{
    for (int i = 0; i < 50; i++) {
        const int one = 1;
        const cl_mutable_dispatch_arg_khr k = {1, sizeof(int), &one};
        const struct cy_cl_dispatch_config config = {.command = shared_command, .num_args = 1, .arg_list = &k};
        cl_command_buffer_state_khr now = 99;
        errors += change(shared, &config) != CL_SUCCESS;
        errors += Enqueue(0, NULL, shared, 0, NULL, NULL) != CL_SUCCESS;
        errors += Info(shared, CL_COMMAND_BUFFER_STATE_KHR, sizeof(now), &now, NULL) != CL_SUCCESS;
        errors += now != CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
    }
    return unused;
}

/* One command-buffer in several threads: its commands stay together in the queue. */
static void test_threads(void)
{
    start(0);
    pthread_t threads[4];
    shared = create(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    set(add, data, 1);
    CHECK_EQ(Kernel(shared, NULL, NULL, add, 1, NULL, &n, NULL, 0, NULL, NULL, &shared_command), CL_SUCCESS);
    record(shared, scale, data, 2);
    record(shared, add, data, -1);
    CHECK_EQ(Finalize(shared), CL_SUCCESS);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, enqueue_often, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQ(errors, 0);
    unsigned wanted = 0;
    for (int i = 0; i < 200; i++)
        wanted = (wanted + 1) * 2 - 1;
    expect(data, (int)wanted);
    CHECK_EQ(Release(shared), CL_SUCCESS);
    stop();
}

TEST_MAIN(test_repeated, test_transfers, test_sync_points, test_read_after, test_events, test_failed_wait,
          test_other_queue, test_references, test_info, test_command_info, test_update_arguments, test_update_unordered,
          test_svm, test_update_sizes, test_deferred_arguments, test_update_errors, test_create_errors,
          test_record_errors, test_enqueue_errors, test_threads)
