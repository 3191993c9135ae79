/* Every entry point and every condition under which the specification lets it fail: one row each.  The list of entry
 * points is the library's own, and one without a row fails the test.  The same rows run through the ICD loader and
 * with the library linked directly: the loader answers for NULL handles itself. */
#include "cl_test.h"

/* Objects of the context, and of another one. */
static cl_context other_context;
static cl_command_queue other_queue;
static cl_mem mem, sub, other_mem, host_none, host_read, host_write;
static cl_program built, unbuilt, compiled, other_program;
static cl_kernel ready, unset;
static cl_event done, user, other_user, failed;
static char bytes[4096];
/* Linked with the library itself, not with the loader. */
static bool direct;
/* Of the device's pointers. */
static cl_uint address_bits;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
}
static void CL_CALLBACK on_mem(cl_mem which, void *data)
{
    (void)which, (void)data;
}
static void CL_CALLBACK on_context(cl_context which, void *data)
{
    (void)which, (void)data;
}
static void CL_CALLBACK on_program(cl_program which, void *data)
{
    (void)which, (void)data;
}
static void CL_CALLBACK native(void *data)
{
    (void)data;
}

static void create_objects(void)
{
    const char *source = "kernel void k(global int *p, int n, local int *l) { if (l) *p = n; }\n"
                         "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global int *p) { *p = 1; }";
    const cl_buffer_region region = {1024, 1024};
    cl_int error, n = 1;
    other_context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    other_queue = clCreateCommandQueue(other_context, device, 0, &error);
    mem = buffer_of(CL_MEM_READ_WRITE, sizeof(bytes), NULL);
    sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    other_mem = clCreateBuffer(other_context, 0, sizeof(bytes), NULL, &error);
    host_none = buffer_of(CL_MEM_HOST_NO_ACCESS, sizeof(bytes), NULL);
    host_read = buffer_of(CL_MEM_HOST_READ_ONLY, sizeof(bytes), NULL);
    host_write = buffer_of(CL_MEM_HOST_WRITE_ONLY, sizeof(bytes), NULL);
    built = build(source, "-cl-kernel-arg-info");
    unbuilt = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    compiled = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    CHECK_EQ(clCompileProgram(compiled, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    other_program = clCreateProgramWithSource(other_context, 1, &source, NULL, &error);
    CHECK_EQ(clCompileProgram(other_program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    ready = kernel_of(built, "k");
    unset = kernel_of(built, "k");
    CHECK_EQ(clSetKernelArg(ready, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(ready, 1, sizeof(n), &n), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(ready, 2, 64, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 4, bytes, 0, NULL, &done), CL_SUCCESS);
    user = clCreateUserEvent(context, &error);
    failed = clCreateUserEvent(context, &error);
    CHECK_EQ(clSetUserEventStatus(failed, -1), CL_SUCCESS);
    other_user = clCreateUserEvent(other_context, &error);
}

static void release_objects(void)
{
    const cl_mem mems[] = {sub, mem, other_mem, host_none, host_read, host_write};
    const cl_event events[] = {done, user, other_user, failed};
    const cl_program programs[] = {built, unbuilt, compiled, other_program};
    for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
        clReleaseEvent(events[i]);
    for (size_t i = 0; i < sizeof(mems) / sizeof(*mems); i++)
        clReleaseMemObject(mems[i]);
    clReleaseKernel(ready), clReleaseKernel(unset);
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
        clReleaseProgram(programs[i]);
    clReleaseCommandQueue(other_queue), clReleaseContext(other_context);
}

/* ---- rows ---- */

static const char *seen[1000]; /* the calls, as text */
static size_t seen_count;

static void row(const char *call, bool is_nothing, cl_int got, cl_int expected, int line)
{
    seen[seen_count++] = call;
    if (!test_check(is_nothing, call, __FILE__, line))
        return;
    test_check_eq(got, expected, call, __FILE__, line);
}
#define ROW(call, expected) row(#call, true, call, expected, __LINE__)
/* A call that creates an object and returns the error in the variable `error`. */
#define MAKES_NONE(call, expected)                                                                                     \
    do {                                                                                                               \
        cl_int error = 1;                                                                                              \
        bool is_nothing = !(call);                                                                                     \
        row(#call, is_nothing, error, expected, __LINE__);                                                             \
    } while (0)
/* Invalid handles: objects of another kind. */
#define NO_PLATFORM (cl_platform_id)(void *) device
#define NO_DEVICE (cl_device_id)(void *) context
#define NO_CONTEXT (cl_context)(void *) device
#define NO_QUEUE (cl_command_queue)(void *) device
#define NO_MEM (cl_mem)(void *) device
#define NO_PROGRAM (cl_program)(void *) device
#define NO_KERNEL (cl_kernel)(void *) device
#define NO_EVENT (cl_event)(void *) device
/* What every clGet...Info rejects: an invalid name, and too little room. */
#define INFO_ROWS(function, name, ...)                                                                                 \
    do {                                                                                                               \
        char room[256];                                                                                                \
        row(#function "(bad name)", true, function(__VA_ARGS__, 0xffff, sizeof(room), room, NULL), CL_INVALID_VALUE,   \
            __LINE__);                                                                                                 \
        row(#function "(no room)", true, function(__VA_ARGS__, name, 1, room, NULL), CL_INVALID_VALUE, __LINE__);      \
        size_t needed = 0;                                                                                             \
        CHECK_EQ(function(__VA_ARGS__, name, 0, NULL, &needed), CL_SUCCESS);                                           \
        CHECK(needed > 1 && function(__VA_ARGS__, name, needed - 1, room, NULL) == CL_INVALID_VALUE);                  \
        CHECK_EQ(function(__VA_ARGS__, name, needed, room, NULL), CL_SUCCESS);                                         \
    } while (0)

static void platform_rows(void)
{
    cl_platform_id found;
    cl_device_id one;
    cl_uint count;
    cl_ulong time;
    const cl_device_partition_property none[] = {0}, equally[] = {CL_DEVICE_PARTITION_EQUALLY, 0, 0};
    ROW(clGetPlatformIDs(0, &found, NULL), CL_INVALID_VALUE);
    ROW(clGetPlatformIDs(1, NULL, NULL), CL_INVALID_VALUE);
    ROW(clGetPlatformInfo(NO_PLATFORM, CL_PLATFORM_NAME, 0, NULL, NULL), CL_INVALID_PLATFORM);
    INFO_ROWS(clGetPlatformInfo, CL_PLATFORM_NAME, platform);
    ROW(clGetDeviceIDs(NO_PLATFORM, CL_DEVICE_TYPE_ALL, 1, &one, NULL), CL_INVALID_PLATFORM);
    ROW(clGetDeviceIDs(platform, 0, 1, &one, NULL), CL_INVALID_DEVICE_TYPE);
    ROW(clGetDeviceIDs(platform, 1u << 20, 1, &one, NULL), CL_INVALID_DEVICE_TYPE);
    ROW(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &one, NULL), CL_INVALID_VALUE);
    ROW(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, NULL, NULL), CL_INVALID_VALUE);
    ROW(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &one, NULL), CL_DEVICE_NOT_FOUND);
    ROW(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &one, &count), CL_DEVICE_NOT_FOUND);
    ROW(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 1, &one, NULL), CL_DEVICE_NOT_FOUND);
    ROW(clGetDeviceInfo(NO_DEVICE, CL_DEVICE_NAME, 0, NULL, NULL), CL_INVALID_DEVICE);
    INFO_ROWS(clGetDeviceInfo, CL_DEVICE_NAME, device);
    ROW(clCreateSubDevices(NO_DEVICE, equally, 1, &one, NULL), CL_INVALID_DEVICE);
    ROW(clCreateSubDevices(device, NULL, 1, &one, NULL), CL_INVALID_VALUE);
    ROW(clCreateSubDevices(device, none, 1, &one, NULL), CL_INVALID_VALUE);
    ROW(clCreateSubDevices(device, equally, 1, &one, NULL), CL_INVALID_VALUE);
    ROW(clRetainDevice(NO_DEVICE), CL_INVALID_DEVICE);
    ROW(clReleaseDevice(NO_DEVICE), CL_INVALID_DEVICE);
    ROW(clGetDeviceAndHostTimer(NO_DEVICE, &time, &time), CL_INVALID_DEVICE);
    ROW(clGetDeviceAndHostTimer(device, NULL, &time), CL_INVALID_VALUE);
    ROW(clGetDeviceAndHostTimer(device, &time, NULL), CL_INVALID_VALUE);
    ROW(clGetHostTimer(NO_DEVICE, &time), CL_INVALID_DEVICE);
    ROW(clGetHostTimer(device, NULL), CL_INVALID_VALUE);
    ROW(clUnloadPlatformCompiler(NO_PLATFORM), CL_INVALID_PLATFORM);
    ROW(clUnloadCompiler(), CL_SUCCESS);
    row("clGetExtensionFunctionAddress(", !clGetExtensionFunctionAddress("clNoSuchFunction"), 0, 0, __LINE__);
    row("clGetExtensionFunctionAddressForPlatform(", !clGetExtensionFunctionAddressForPlatform(platform, "clNone"), 0,
        0, __LINE__);
}

static void context_rows(void)
{
    cl_device_id bad = NO_DEVICE, null = NULL;
    const cl_context_properties no_platform[] = {CL_CONTEXT_PLATFORM, 0, 0}, unknown[] = {0x7777, 1, 0},
                                sync[] = {CL_CONTEXT_INTEROP_USER_SYNC, 7, 0},
                                twice[] = {CL_CONTEXT_INTEROP_USER_SYNC, 0, CL_CONTEXT_INTEROP_USER_SYNC, 0, 0};
#define EACH_MAKER(properties, code)                                                                                   \
    MAKES_NONE(clCreateContext(properties, 1, &device, NULL, NULL, &error), code);                                     \
    MAKES_NONE(clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL, NULL, &error), code)
    EACH_MAKER(no_platform, CL_INVALID_PLATFORM);
    if (direct) { /* without a platform among the properties the loader takes the first it finds, or complains itself */
        EACH_MAKER(unknown, CL_INVALID_PROPERTY);
        EACH_MAKER(sync, CL_INVALID_PROPERTY);
        EACH_MAKER(twice, CL_INVALID_PROPERTY);
    }
    MAKES_NONE(clCreateContext(NULL, 0, &device, NULL, NULL, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateContext(NULL, 1, NULL, NULL, NULL, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateContext(NULL, 1, &device, NULL, &error, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateContext(NULL, 1, &bad, NULL, NULL, &error), CL_INVALID_DEVICE);
    MAKES_NONE(clCreateContext(NULL, 1, &null, NULL, NULL, &error), CL_INVALID_DEVICE);
    MAKES_NONE(clCreateContextFromType(NULL, CL_DEVICE_TYPE_GPU, NULL, &error, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateContextFromType(NULL, 0, NULL, NULL, &error), CL_INVALID_DEVICE_TYPE);
    MAKES_NONE(clCreateContextFromType(NULL, CL_DEVICE_TYPE_CPU, NULL, NULL, &error), CL_DEVICE_NOT_FOUND);
    ROW(clRetainContext(NO_CONTEXT), CL_INVALID_CONTEXT);
    ROW(clRetainContext(NULL), CL_INVALID_CONTEXT);
    ROW(clReleaseContext(NO_CONTEXT), CL_INVALID_CONTEXT);
    ROW(clReleaseContext(NULL), CL_INVALID_CONTEXT);
    ROW(clGetContextInfo(NO_CONTEXT, CL_CONTEXT_DEVICES, 0, NULL, NULL), CL_INVALID_CONTEXT);
    INFO_ROWS(clGetContextInfo, CL_CONTEXT_DEVICES, context);
    ROW(clSetContextDestructorCallback(NO_CONTEXT, on_context, NULL), CL_INVALID_CONTEXT);
    ROW(clSetContextDestructorCallback(context, NULL, NULL), CL_INVALID_VALUE);
}

static void queue_rows(void)
{
    const cl_queue_properties unknown[] = {0x7777, 1, 0}, bits[] = {CL_QUEUE_PROPERTIES, 1 << 20, 0},
                              on_device[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0},
                              sized[] = {CL_QUEUE_PROPERTIES, 0, CL_QUEUE_SIZE, 64, 0};
    MAKES_NONE(clCreateCommandQueue(NO_CONTEXT, device, 0, &error), CL_INVALID_CONTEXT);
    MAKES_NONE(clCreateCommandQueue(context, NO_DEVICE, 0, &error), CL_INVALID_DEVICE);
    MAKES_NONE(clCreateCommandQueue(context, NULL, 0, &error), CL_INVALID_DEVICE);
    MAKES_NONE(clCreateCommandQueue(context, device, (cl_command_queue_properties)-1, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateCommandQueue(context, device, CL_QUEUE_ON_DEVICE, &error), CL_INVALID_QUEUE_PROPERTIES);
    MAKES_NONE(clCreateCommandQueueWithProperties(NO_CONTEXT, device, NULL, &error), CL_INVALID_CONTEXT);
    MAKES_NONE(clCreateCommandQueueWithProperties(context, NO_DEVICE, NULL, &error), CL_INVALID_DEVICE);
    MAKES_NONE(clCreateCommandQueueWithProperties(context, NULL, NULL, &error), CL_INVALID_DEVICE);
    MAKES_NONE(clCreateCommandQueueWithProperties(context, device, unknown, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateCommandQueueWithProperties(context, device, bits, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateCommandQueueWithProperties(context, device, on_device, &error), CL_INVALID_QUEUE_PROPERTIES);
    MAKES_NONE(clCreateCommandQueueWithProperties(context, device, sized, &error), CL_INVALID_QUEUE_PROPERTIES);
    ROW(clRetainCommandQueue(NO_QUEUE), CL_INVALID_COMMAND_QUEUE);
    ROW(clReleaseCommandQueue(NO_QUEUE), CL_INVALID_COMMAND_QUEUE);
    ROW(clReleaseCommandQueue(NULL), CL_INVALID_COMMAND_QUEUE);
    ROW(clGetCommandQueueInfo(NO_QUEUE, CL_QUEUE_CONTEXT, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    INFO_ROWS(clGetCommandQueueInfo, CL_QUEUE_CONTEXT, queue);
    ROW(clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof(bytes), bytes, NULL), CL_INVALID_COMMAND_QUEUE);
    ROW(clSetCommandQueueProperty(NO_QUEUE, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL), CL_INVALID_COMMAND_QUEUE);
    ROW(clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL), CL_INVALID_OPERATION);
    ROW(clSetCommandQueueProperty(queue, ~(cl_command_queue_properties)0, CL_TRUE, NULL), CL_INVALID_VALUE);
    ROW(clSetDefaultDeviceCommandQueue(NO_CONTEXT, device, queue), CL_INVALID_CONTEXT);
    ROW(clSetDefaultDeviceCommandQueue(context, NO_DEVICE, queue), CL_INVALID_DEVICE);
    ROW(clSetDefaultDeviceCommandQueue(context, device, queue), CL_INVALID_OPERATION);
    ROW(clFlush(NO_QUEUE), CL_INVALID_COMMAND_QUEUE);
    ROW(clFinish(NO_QUEUE), CL_INVALID_COMMAND_QUEUE);
}

static void buffer_rows(void)
{
    const cl_buffer_region good = {1024, 64}, empty = {0, 0}, outside = {4096, 1}, over = {2048, 2049},
                           huge = {1024, SIZE_MAX}, crooked = {64, 64};
    const cl_mem_properties unknown[] = {0x7777, 1, 0};
    static const cl_mem_flags bad_flags[] = {
        CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
        CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
        CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
        CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
        CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
        CL_MEM_SVM_FINE_GRAIN_BUFFER,
        CL_MEM_SVM_ATOMICS,
        CL_MEM_KERNEL_READ_AND_WRITE,
        (cl_mem_flags)1 << 40,
    };
    static const struct {
        cl_mem_flags parent, part;
    } bad_parts[] = {
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE},
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
        {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE},
        {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY},
        {0, CL_MEM_USE_HOST_PTR},
        {0, CL_MEM_ALLOC_HOST_PTR},
        {0, CL_MEM_COPY_HOST_PTR},
        {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY},
        {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY},
        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY},
        {0, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY},
    };
    for (size_t i = 0; i < sizeof(bad_flags) / sizeof(*bad_flags); i++)
        MAKES_NONE(clCreateBuffer(context, bad_flags[i], 64, NULL, &error), CL_INVALID_VALUE);
    for (size_t i = 0; i < sizeof(bad_parts) / sizeof(*bad_parts); i++) {
        cl_mem parent = buffer_of(bad_parts[i].parent, 4096, NULL);
        MAKES_NONE(clCreateSubBuffer(parent, bad_parts[i].part, CL_BUFFER_CREATE_TYPE_REGION, &good, &error),
                   CL_INVALID_VALUE);
        clReleaseMemObject(parent);
    }
    MAKES_NONE(clCreateBuffer(NO_CONTEXT, 0, 64, NULL, &error), CL_INVALID_CONTEXT);
    MAKES_NONE(clCreateBuffer(context, 0, 0, NULL, &error), CL_INVALID_BUFFER_SIZE);
    MAKES_NONE(clCreateBuffer(context, 0, (size_t)1 << 40, NULL, &error), CL_INVALID_BUFFER_SIZE);
    MAKES_NONE(clCreateBuffer(context, 0, 64, bytes, &error), CL_INVALID_HOST_PTR);
    MAKES_NONE(clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, 64, bytes, &error), CL_INVALID_HOST_PTR);
    MAKES_NONE(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64, NULL, &error), CL_INVALID_HOST_PTR);
    MAKES_NONE(clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 64, NULL, &error), CL_INVALID_HOST_PTR);
    MAKES_NONE(clCreateBufferWithProperties(NO_CONTEXT, NULL, 0, 64, NULL, &error), CL_INVALID_CONTEXT);
    MAKES_NONE(clCreateBufferWithProperties(context, unknown, 0, 64, NULL, &error), CL_INVALID_PROPERTY);
    MAKES_NONE(clCreateBufferWithProperties(context, NULL, 0, 0, NULL, &error), CL_INVALID_BUFFER_SIZE);
    MAKES_NONE(clCreateSubBuffer(NO_MEM, 0, CL_BUFFER_CREATE_TYPE_REGION, &good, &error), CL_INVALID_MEM_OBJECT);
    MAKES_NONE(clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &error), CL_INVALID_MEM_OBJECT);
    MAKES_NONE(clCreateSubBuffer(mem, 0, 0x7777, &good, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &error), CL_INVALID_BUFFER_SIZE);
    MAKES_NONE(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &over, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &huge, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &crooked, &error),
               CL_MISALIGNED_SUB_BUFFER_OFFSET);
    ROW(clRetainMemObject(NO_MEM), CL_INVALID_MEM_OBJECT);
    ROW(clReleaseMemObject(NO_MEM), CL_INVALID_MEM_OBJECT);
    ROW(clReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);
    ROW(clGetMemObjectInfo(NO_MEM, CL_MEM_SIZE, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    INFO_ROWS(clGetMemObjectInfo, CL_MEM_SIZE, mem);
    ROW(clSetMemObjectDestructorCallback(NO_MEM, on_mem, NULL), CL_INVALID_MEM_OBJECT);
    ROW(clSetMemObjectDestructorCallback(mem, NULL, NULL), CL_INVALID_VALUE);
}

/* What all commands reject; COMMAND(queue, mem, count, list) is the call. */
#define COMMAND_ROWS                                                                                                   \
    do {                                                                                                               \
        cl_event none = NO_EVENT;                                                                                      \
        COMMAND(NO_QUEUE, mem, 0, NULL, CL_INVALID_COMMAND_QUEUE);                                                     \
        COMMAND(queue, NO_MEM, 0, NULL, CL_INVALID_MEM_OBJECT);                                                        \
        COMMAND(queue, NULL, 0, NULL, CL_INVALID_MEM_OBJECT);                                                          \
        COMMAND(queue, other_mem, 0, NULL, CL_INVALID_CONTEXT);                                                        \
        COMMAND(queue, mem, 1, &other_user, CL_INVALID_CONTEXT);                                                       \
        COMMAND(queue, mem, 1, NULL, CL_INVALID_EVENT_WAIT_LIST);                                                      \
        COMMAND(queue, mem, 0, &done, CL_INVALID_EVENT_WAIT_LIST);                                                     \
        COMMAND(queue, mem, 1, &none, CL_INVALID_EVENT_WAIT_LIST);                                                     \
    } while (0)

static void transfer_rows(void)
{
    const size_t zero[3] = {0, 0, 0}, box[3] = {8, 4, 2}, flat[3] = {8, 0, 2}, far[3] = {0, 127, 0},
                 next[3] = {4, 2, 0};
#define COMMAND(q, m, count, list, code) ROW(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, bytes, count, list, NULL), code)
    COMMAND_ROWS;
#undef COMMAND
    ROW(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueReadBuffer(queue, mem, CL_TRUE, 4096, 1, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueReadBuffer(queue, mem, CL_TRUE, 4, SIZE_MAX, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueReadBuffer(queue, host_none, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    ROW(clEnqueueReadBuffer(queue, host_write, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    ROW(clEnqueueReadBuffer(queue, host_read, CL_TRUE, 0, 0, bytes, 0, NULL, NULL), CL_SUCCESS);
    ROW(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, bytes, 1, &failed, NULL),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
#define COMMAND(q, m, count, list, code) ROW(clEnqueueWriteBuffer(q, m, CL_TRUE, 0, 4, bytes, count, list, NULL), code)
    COMMAND_ROWS;
#undef COMMAND
    ROW(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 4095, 2, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueWriteBuffer(queue, sub, CL_TRUE, 1000, 25, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueWriteBuffer(queue, host_none, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    ROW(clEnqueueWriteBuffer(queue, host_read, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    ROW(clEnqueueWriteBuffer(queue, host_write, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_SUCCESS);
    ROW(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 4, bytes, 1, &failed, NULL),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
#define COMMAND(q, m, count, list, code)                                                                               \
    ROW(clEnqueueCopyBuffer(q, m, host_none, 0, 0, 4, count, list, NULL), code);                                       \
    ROW(clEnqueueCopyBuffer(q, host_none, m, 0, 0, 4, count, list, NULL), code)
    COMMAND_ROWS;
#undef COMMAND
    ROW(clEnqueueCopyBuffer(queue, mem, host_none, 4096, 0, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueCopyBuffer(queue, mem, host_none, 0, 4096, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueCopyBuffer(queue, mem, host_none, 0, 0, 4097, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueCopyBuffer(queue, mem, mem, 0, 7, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    ROW(clEnqueueCopyBuffer(queue, mem, sub, 1000, 0, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    ROW(clEnqueueCopyBuffer(queue, mem, mem, 0, 8, 8, 0, NULL, NULL), CL_SUCCESS);
#define COMMAND(q, m, count, list, code) ROW(clEnqueueFillBuffer(q, m, bytes, 4, 0, 8, count, list, NULL), code)
    COMMAND_ROWS;
#undef COMMAND
    ROW(clEnqueueFillBuffer(queue, mem, NULL, 4, 0, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueFillBuffer(queue, mem, bytes, 0, 0, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueFillBuffer(queue, mem, bytes, 3, 0, 9, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueFillBuffer(queue, mem, bytes, 256, 0, 256, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueFillBuffer(queue, mem, bytes, 4, 2, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueFillBuffer(queue, mem, bytes, 4, 0, 10, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueFillBuffer(queue, mem, bytes, 4, 4096, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueFillBuffer(queue, host_none, bytes, 128, 0, 256, 0, NULL, NULL), CL_SUCCESS);

    /* rectangles: (origin, origin, region, row, slice, row, slice) that do not fit */
    static const struct {
        int from, to, region; /* 0: zero, 1: box, 2: flat, 3: far, 9: NULL */
        size_t pitch[4];
        bool host_side_only; /* the second pair of pitches is the host's */
    } bad[] = {
        {9, 0, 1, {0, 0, 0, 0}, false},   {0, 9, 1, {0, 0, 0, 0}, false},   {0, 0, 9, {0, 0, 0, 0}, false},
        {0, 0, 2, {0, 0, 0, 0}, false},   {3, 0, 1, {64, 0, 0, 0}, false},  {0, 0, 1, {7, 0, 0, 0}, false},
        {0, 0, 1, {0, 0, 7, 0}, false},   {0, 0, 1, {8, 24, 0, 0}, false},  {0, 0, 1, {0, 0, 8, 24}, false},
        {0, 0, 1, {16, 72, 0, 0}, false}, {0, 0, 1, {0, 0, 16, 72}, false}, {0, 0, 1, {0, 1 << 14, 0, 0}, false},
    };
    const size_t *const sets[10] = {zero, box, flat, far, [9] = NULL};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        const size_t *from = sets[bad[i].from], *to = sets[bad[i].to], *region = sets[bad[i].region], *p = bad[i].pitch;
        ROW(clEnqueueReadBufferRect(queue, mem, CL_TRUE, from, to, region, p[0], p[1], p[2], p[3], bytes, 0, NULL,
                                    NULL),
            CL_INVALID_VALUE);
        ROW(clEnqueueWriteBufferRect(queue, mem, CL_TRUE, from, to, region, p[0], p[1], p[2], p[3], bytes, 0, NULL,
                                     NULL),
            CL_INVALID_VALUE);
        ROW(clEnqueueCopyBufferRect(queue, mem, host_none, from, to, region, p[0], p[1], p[2], p[3], 0, NULL, NULL),
            CL_INVALID_VALUE);
    }
#define COMMAND(q, m, count, list, code)                                                                               \
    ROW(clEnqueueReadBufferRect(q, m, CL_TRUE, zero, zero, box, 0, 0, 0, 0, bytes, count, list, NULL), code);          \
    ROW(clEnqueueWriteBufferRect(q, m, CL_TRUE, zero, zero, box, 0, 0, 0, 0, bytes, count, list, NULL), code);         \
    ROW(clEnqueueCopyBufferRect(q, m, host_none, zero, zero, box, 0, 0, 0, 0, count, list, NULL), code);               \
    ROW(clEnqueueCopyBufferRect(q, host_none, m, zero, zero, box, 0, 0, 0, 0, count, list, NULL), code)
    COMMAND_ROWS;
#undef COMMAND
    ROW(clEnqueueReadBufferRect(queue, mem, CL_TRUE, zero, zero, box, 0, 0, 0, 0, NULL, 0, NULL, NULL),
        CL_INVALID_VALUE);
    ROW(clEnqueueWriteBufferRect(queue, mem, CL_TRUE, zero, zero, box, 0, 0, 0, 0, NULL, 0, NULL, NULL),
        CL_INVALID_VALUE);
    ROW(clEnqueueReadBufferRect(queue, host_write, CL_TRUE, zero, zero, box, 0, 0, 0, 0, bytes, 0, NULL, NULL),
        CL_INVALID_OPERATION);
    ROW(clEnqueueReadBufferRect(queue, host_none, CL_TRUE, zero, zero, box, 0, 0, 0, 0, bytes, 0, NULL, NULL),
        CL_INVALID_OPERATION);
    ROW(clEnqueueWriteBufferRect(queue, host_read, CL_TRUE, zero, zero, box, 0, 0, 0, 0, bytes, 0, NULL, NULL),
        CL_INVALID_OPERATION);
    ROW(clEnqueueWriteBufferRect(queue, host_none, CL_TRUE, zero, zero, box, 0, 0, 0, 0, bytes, 0, NULL, NULL),
        CL_INVALID_OPERATION);
    ROW(clEnqueueReadBufferRect(queue, mem, CL_TRUE, zero, zero, box, 0, 0, 0, 0, bytes, 1, &failed, NULL),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ROW(clEnqueueWriteBufferRect(queue, mem, CL_TRUE, zero, zero, box, 0, 0, 0, 0, bytes, 1, &failed, NULL),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ROW(clEnqueueCopyBufferRect(queue, mem, mem, zero, next, box, 64, 512, 64, 512, 0, NULL, NULL),
        CL_MEM_COPY_OVERLAP);
    ROW(clEnqueueCopyBufferRect(queue, mem, mem, zero, far, box, 64, 512, 32, 512, 0, NULL, NULL), CL_INVALID_VALUE);
    static const size_t beside[3] = {8, 0, 0}, wrapped[3] = {60, 0, 0}, behind[3] = {0, 1, 0},
                        vast[3] = {0, SIZE_MAX / 4, 0}, deep[3] = {0, 16, 0};
    ROW(clEnqueueCopyBufferRect(queue, mem, mem, zero, beside, box, 64, 512, 64, 512, 0, NULL, NULL), CL_SUCCESS);
    ROW(clEnqueueCopyBufferRect(queue, mem, mem, wrapped, behind, box, 64, 512, 64, 512, 0, NULL, NULL),
        CL_MEM_COPY_OVERLAP); /* a row that starts in one line and ends in the next */
    ROW(clEnqueueCopyBufferRect(queue, mem, sub, deep, zero, box, 64, 256, 64, 256, 0, NULL, NULL),
        CL_MEM_COPY_OVERLAP);
    ROW(clEnqueueReadBufferRect(queue, mem, CL_TRUE, vast, zero, box, 8, 0, 0, 0, bytes, 0, NULL, NULL),
        CL_INVALID_VALUE);
#define COMMAND(q, m, count, list, code)                                                                               \
    do {                                                                                                               \
        cl_mem one = m;                                                                                                \
        ROW(clEnqueueMigrateMemObjects(q, 1, &one, 0, count, list, NULL), code);                                       \
    } while (0)
    COMMAND_ROWS;
#undef COMMAND
    ROW(clEnqueueMigrateMemObjects(queue, 0, &mem, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueMigrateMemObjects(queue, 1, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueMigrateMemObjects(queue, 1, &mem, 1 << 9, 0, NULL, NULL), CL_INVALID_VALUE);
}

static void map_rows(void)
{
    static const cl_map_flags bad_flags[] = {CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION,
                                             CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 1 << 7};
    cl_int code;
#define COMMAND(q, m, count, list, expected)                                                                           \
    MAKES_NONE(clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, 64, count, list, NULL, &error), expected)
    COMMAND_ROWS;
#undef COMMAND
    for (size_t i = 0; i < sizeof(bad_flags) / sizeof(*bad_flags); i++)
        MAKES_NONE(clEnqueueMapBuffer(queue, mem, CL_TRUE, bad_flags[i], 0, 64, 0, NULL, NULL, &error),
                   CL_INVALID_VALUE);
    MAKES_NONE(clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, &error), CL_INVALID_VALUE);
    MAKES_NONE(clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 4090, 7, 0, NULL, NULL, &error), CL_INVALID_VALUE);
    MAKES_NONE(clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, 64, 1, &failed, NULL, &error),
               CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    static const struct {
        cl_mem *mem;
        cl_map_flags flags;
    } refused[] = {{&host_write, CL_MAP_READ}, {&host_none, CL_MAP_READ},
                   {&host_read, CL_MAP_WRITE}, {&host_read, CL_MAP_WRITE_INVALIDATE_REGION},
                   {&host_none, CL_MAP_WRITE}, {&host_none, CL_MAP_WRITE_INVALIDATE_REGION}};
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        MAKES_NONE(clEnqueueMapBuffer(queue, *refused[i].mem, CL_TRUE, refused[i].flags, 0, 64, 0, NULL, NULL, &error),
                   CL_INVALID_OPERATION);
    /* two maps for writing must not overlap; disjoint ones, or ones for reading, may */
    void *first = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &code);
    CHECK_EQ(code, CL_SUCCESS);
    MAKES_NONE(clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE, 63, 64, 0, NULL, NULL, &error),
               CL_INVALID_OPERATION);
    MAKES_NONE(clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 64, 0, NULL, NULL, &error),
               CL_INVALID_OPERATION);
    void *second = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE, 64, 64, 0, NULL, NULL, &code);
    CHECK_EQ(code, CL_SUCCESS);
    void *third = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 32, 64, 0, NULL, NULL, &code);
    CHECK_EQ(code, CL_SUCCESS);
#define COMMAND(q, m, count, list, expected) ROW(clEnqueueUnmapMemObject(q, m, first, count, list, NULL), expected)
    COMMAND_ROWS;
#undef COMMAND
    ROW(clEnqueueUnmapMemObject(queue, mem, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueUnmapMemObject(queue, mem, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueUnmapMemObject(queue, sub, first, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueUnmapMemObject(queue, mem, first, 0, NULL, NULL), CL_SUCCESS);
    ROW(clEnqueueUnmapMemObject(queue, mem, first, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueUnmapMemObject(queue, mem, second, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(queue, mem, third, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
}

static void program_rows(void)
{
    const char *text = "kernel void k(void) {}", *nothing = NULL, *name = "a.h";
    const unsigned char junk[] = "not a program", *binary = junk, *no_binary = NULL;
    const size_t length = sizeof(junk), no_length = 0;
    const cl_program bad = NO_PROGRAM, mixed[] = {compiled, unbuilt};
    cl_device_id stranger = NO_DEVICE;
    cl_int status = 1;
    MAKES_NONE(clCreateProgramWithSource(NO_CONTEXT, 1, &text, NULL, &error), CL_INVALID_CONTEXT);
    MAKES_NONE(clCreateProgramWithSource(context, 0, &text, NULL, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateProgramWithSource(context, 1, NULL, NULL, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateProgramWithSource(context, 1, &nothing, NULL, &error), CL_INVALID_VALUE);
#define FROM_BINARY(context, count, devices, lengths, binaries, code)                                                  \
    MAKES_NONE(clCreateProgramWithBinary(context, count, devices, lengths, binaries, &status, &error), code)
    FROM_BINARY(NO_CONTEXT, 1, &device, &length, &binary, CL_INVALID_CONTEXT);
    FROM_BINARY(context, 0, &device, &length, &binary, CL_INVALID_VALUE);
    FROM_BINARY(context, 1, NULL, &length, &binary, CL_INVALID_VALUE);
    FROM_BINARY(context, 1, &device, NULL, &binary, CL_INVALID_VALUE);
    FROM_BINARY(context, 1, &device, &length, NULL, CL_INVALID_VALUE);
    FROM_BINARY(context, 1, &stranger, &length, &binary, CL_INVALID_DEVICE);
    FROM_BINARY(context, 1, &device, &no_length, &binary, CL_INVALID_VALUE);
    CHECK_EQ(status, CL_INVALID_VALUE);
    FROM_BINARY(context, 1, &device, &length, &no_binary, CL_INVALID_VALUE);
    FROM_BINARY(context, 1, &device, &length, &binary, CL_INVALID_BINARY);
    CHECK_EQ(status, CL_INVALID_BINARY);
    MAKES_NONE(clCreateProgramWithBuiltInKernels(NO_CONTEXT, 1, &device, "k", &error), CL_INVALID_CONTEXT);
    MAKES_NONE(clCreateProgramWithBuiltInKernels(context, 0, &device, "k", &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateProgramWithBuiltInKernels(context, 1, NULL, "k", &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateProgramWithBuiltInKernels(context, 1, &device, NULL, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateProgramWithBuiltInKernels(context, 1, &stranger, "k", &error), CL_INVALID_DEVICE);
    MAKES_NONE(clCreateProgramWithBuiltInKernels(context, 1, &device, "k", &error), CL_INVALID_VALUE);
    ROW(clRetainProgram(NO_PROGRAM), CL_INVALID_PROGRAM);
    ROW(clReleaseProgram(NO_PROGRAM), CL_INVALID_PROGRAM);
    ROW(clReleaseProgram(NULL), CL_INVALID_PROGRAM);
    ROW(clBuildProgram(NO_PROGRAM, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
    ROW(clBuildProgram(unbuilt, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    ROW(clBuildProgram(unbuilt, 0, &device, NULL, NULL, NULL), CL_INVALID_VALUE);
    ROW(clBuildProgram(unbuilt, 0, NULL, NULL, NULL, &status), CL_INVALID_VALUE);
    ROW(clBuildProgram(unbuilt, 1, &stranger, NULL, NULL, NULL), CL_INVALID_DEVICE);
    ROW(clBuildProgram(unbuilt, 0, NULL, "-none", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    ROW(clBuildProgram(unbuilt, 0, NULL, "-create-library", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    ROW(clBuildProgram(unbuilt, 0, NULL, "-D", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    ROW(clBuildProgram(unbuilt, 0, NULL, "-Dglobal=error", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    ROW(clBuildProgram(built, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
#define COMPILE(program, count, devices, options, headers, list, names, data, code)                                    \
    ROW(clCompileProgram(program, count, devices, options, headers, list, names, NULL, data), code)
    COMPILE(NO_PROGRAM, 0, NULL, NULL, 0, NULL, NULL, NULL, CL_INVALID_PROGRAM);
    COMPILE(unbuilt, 1, NULL, NULL, 0, NULL, NULL, NULL, CL_INVALID_VALUE);
    COMPILE(unbuilt, 0, &device, NULL, 0, NULL, NULL, NULL, CL_INVALID_VALUE);
    COMPILE(unbuilt, 1, &stranger, NULL, 0, NULL, NULL, NULL, CL_INVALID_DEVICE);
    COMPILE(unbuilt, 0, NULL, NULL, 1, NULL, &name, NULL, CL_INVALID_VALUE);
    COMPILE(unbuilt, 0, NULL, NULL, 1, &compiled, NULL, NULL, CL_INVALID_VALUE);
    COMPILE(unbuilt, 0, NULL, NULL, 0, &compiled, &name, NULL, CL_INVALID_VALUE);
    COMPILE(unbuilt, 0, NULL, NULL, 0, NULL, NULL, &status, CL_INVALID_VALUE);
    COMPILE(unbuilt, 0, NULL, "-none", 0, NULL, NULL, NULL, CL_INVALID_COMPILER_OPTIONS);
    COMPILE(unbuilt, 0, NULL, "-Dglobal=error", 0, NULL, NULL, NULL, CL_COMPILE_PROGRAM_FAILURE);
    COMPILE(built, 0, NULL, NULL, 0, NULL, NULL, NULL, CL_INVALID_OPERATION);
#define LINK(context, count, devices, options, inputs, list, data, code)                                               \
    MAKES_NONE(clLinkProgram(context, count, devices, options, inputs, list, NULL, data, &error), code)
    LINK(NO_CONTEXT, 0, NULL, NULL, 1, &compiled, NULL, CL_INVALID_CONTEXT);
    LINK(context, 1, NULL, NULL, 1, &compiled, NULL, CL_INVALID_VALUE);
    LINK(context, 0, &device, NULL, 1, &compiled, NULL, CL_INVALID_VALUE);
    LINK(context, 0, NULL, NULL, 0, &compiled, NULL, CL_INVALID_VALUE);
    LINK(context, 0, NULL, NULL, 1, NULL, NULL, CL_INVALID_VALUE);
    LINK(context, 0, NULL, NULL, 1, &bad, NULL, CL_INVALID_PROGRAM);
    LINK(context, 0, NULL, NULL, 1, &other_program, NULL, CL_INVALID_PROGRAM);
    LINK(context, 0, NULL, NULL, 1, &compiled, &status, CL_INVALID_VALUE);
    LINK(context, 1, &stranger, NULL, 1, &compiled, NULL, CL_INVALID_DEVICE);
    LINK(context, 0, NULL, NULL, 1, &unbuilt, NULL, CL_INVALID_OPERATION);
    LINK(context, 0, NULL, NULL, 2, mixed, NULL, CL_INVALID_OPERATION);
    LINK(context, 0, NULL, "-none", 1, &compiled, NULL, CL_INVALID_LINKER_OPTIONS);
    ROW(clGetProgramInfo(NO_PROGRAM, CL_PROGRAM_SOURCE, 0, NULL, NULL), CL_INVALID_PROGRAM);
    INFO_ROWS(clGetProgramInfo, CL_PROGRAM_DEVICES, built);
    ROW(clGetProgramInfo(unbuilt, CL_PROGRAM_NUM_KERNELS, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    ROW(clGetProgramInfo(compiled, CL_PROGRAM_KERNEL_NAMES, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    ROW(clGetProgramBuildInfo(NO_PROGRAM, device, CL_PROGRAM_BUILD_LOG, 0, NULL, NULL), CL_INVALID_PROGRAM);
    ROW(clGetProgramBuildInfo(built, NO_DEVICE, CL_PROGRAM_BUILD_LOG, 0, NULL, NULL), CL_INVALID_DEVICE);
    INFO_ROWS(clGetProgramBuildInfo, CL_PROGRAM_BUILD_STATUS, built, device);
}

static void kernel_rows(void)
{
    cl_kernel two[2];
    cl_mem none = NO_MEM;
    cl_int n = 0;
    MAKES_NONE(clCreateKernel(NO_PROGRAM, "k", &error), CL_INVALID_PROGRAM);
    MAKES_NONE(clCreateKernel(unbuilt, "k", &error), CL_INVALID_PROGRAM_EXECUTABLE);
    MAKES_NONE(clCreateKernel(compiled, "k", &error), CL_INVALID_PROGRAM_EXECUTABLE);
    MAKES_NONE(clCreateKernel(built, "none", &error), CL_INVALID_KERNEL_NAME);
    MAKES_NONE(clCreateKernel(built, NULL, &error), CL_INVALID_VALUE);
    ROW(clCreateKernelsInProgram(NO_PROGRAM, 2, two, NULL), CL_INVALID_PROGRAM);
    ROW(clCreateKernelsInProgram(unbuilt, 2, two, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    ROW(clCreateKernelsInProgram(built, 1, two, NULL), CL_INVALID_VALUE);
    MAKES_NONE(clCloneKernel(NO_KERNEL, &error), CL_INVALID_KERNEL);
    ROW(clRetainKernel(NO_KERNEL), CL_INVALID_KERNEL);
    ROW(clReleaseKernel(NO_KERNEL), CL_INVALID_KERNEL);
    ROW(clReleaseKernel(NULL), CL_INVALID_KERNEL);
    ROW(clSetKernelArg(NO_KERNEL, 0, sizeof(mem), &mem), CL_INVALID_KERNEL);
    ROW(clSetKernelArg(ready, 3, sizeof(mem), &mem), CL_INVALID_ARG_INDEX);
    ROW(clSetKernelArg(ready, 0, sizeof(none), &none), CL_INVALID_MEM_OBJECT);
    ROW(clSetKernelArg(ready, 0, sizeof(other_mem), &other_mem), CL_INVALID_MEM_OBJECT);
    ROW(clSetKernelArg(ready, 0, sizeof(mem) / 2, &mem), CL_INVALID_ARG_SIZE);
    ROW(clSetKernelArg(ready, 0, sizeof(mem) * 2, &mem), CL_INVALID_ARG_SIZE);
    ROW(clSetKernelArg(ready, 1, sizeof(n), NULL), CL_INVALID_ARG_VALUE);
    ROW(clSetKernelArg(ready, 1, 2, &n), CL_INVALID_ARG_SIZE);
    ROW(clSetKernelArg(ready, 1, 8, bytes), CL_INVALID_ARG_SIZE);
    ROW(clSetKernelArg(ready, 2, 64, bytes), CL_INVALID_ARG_VALUE);
    ROW(clSetKernelArg(ready, 2, 0, NULL), CL_INVALID_ARG_SIZE);
    ROW(clGetKernelInfo(NO_KERNEL, CL_KERNEL_PROGRAM, 0, NULL, NULL), CL_INVALID_KERNEL);
    INFO_ROWS(clGetKernelInfo, CL_KERNEL_PROGRAM, ready);
    ROW(clGetKernelWorkGroupInfo(NO_KERNEL, device, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL), CL_INVALID_KERNEL);
    ROW(clGetKernelWorkGroupInfo(ready, NO_DEVICE, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL), CL_INVALID_DEVICE);
    ROW(clGetKernelWorkGroupInfo(ready, device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof(bytes), bytes, NULL),
        CL_INVALID_VALUE); /* neither a custom device nor a built-in kernel */
    INFO_ROWS(clGetKernelWorkGroupInfo, CL_KERNEL_WORK_GROUP_SIZE, ready, device);
    ROW(clGetKernelArgInfo(NO_KERNEL, 0, CL_KERNEL_ARG_NAME, 0, NULL, NULL), CL_INVALID_KERNEL);
    ROW(clGetKernelArgInfo(ready, 3, CL_KERNEL_ARG_NAME, 0, NULL, NULL), CL_INVALID_ARG_INDEX);
    INFO_ROWS(clGetKernelArgInfo, CL_KERNEL_ARG_TYPE_NAME, ready, 1);
    ROW(clGetKernelSubGroupInfo(NO_KERNEL, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL, NULL),
        CL_INVALID_KERNEL);
    ROW(clGetKernelSubGroupInfo(ready, NO_DEVICE, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL, NULL),
        CL_INVALID_DEVICE);
    ROW(clGetKernelSubGroupInfo(ready, device, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
}

static void launch_rows(void)
{
    const size_t one = 1, eight = 8, zero = 0, three = 3, much = (size_t)1 << 33,
                 most = address_bits == 32 ? UINT32_MAX : SIZE_MAX, wide[3] = {1 << 14, 1, 1}, many[3] = {64, 64, 64};
    cl_kernel four = kernel_of(built, "four");
    cl_event none = NO_EVENT;
    CHECK_EQ(clSetKernelArg(four, 0, sizeof(mem), &mem), CL_SUCCESS);
#define LAUNCH(q, k, dimensions, offset, global, local, count, list, code)                                             \
    ROW(clEnqueueNDRangeKernel(q, k, dimensions, offset, global, local, count, list, NULL), code)
    LAUNCH(NO_QUEUE, ready, 1, NULL, &eight, NULL, 0, NULL, CL_INVALID_COMMAND_QUEUE);
    LAUNCH(queue, NO_KERNEL, 1, NULL, &eight, NULL, 0, NULL, CL_INVALID_KERNEL);
    LAUNCH(other_queue, ready, 1, NULL, &eight, NULL, 0, NULL, CL_INVALID_CONTEXT);
    LAUNCH(queue, unset, 1, NULL, &eight, NULL, 0, NULL, CL_INVALID_KERNEL_ARGS);
    LAUNCH(queue, ready, 0, NULL, &eight, NULL, 0, NULL, CL_INVALID_WORK_DIMENSION);
    LAUNCH(queue, ready, 4, NULL, &eight, NULL, 0, NULL, CL_INVALID_WORK_DIMENSION);
    LAUNCH(queue, ready, 1, NULL, &much, &one, 0, NULL, CL_INVALID_GLOBAL_WORK_SIZE); /* or too many work-groups */
    LAUNCH(queue, ready, 1, &most, &eight, NULL, 0, NULL, CL_INVALID_GLOBAL_OFFSET);
    if (address_bits == 32) {
        LAUNCH(queue, ready, 1, NULL, &much, NULL, 0, NULL, CL_INVALID_GLOBAL_WORK_SIZE);
        LAUNCH(queue, ready, 1, &much, &eight, NULL, 0, NULL, CL_INVALID_GLOBAL_OFFSET);
    }
    LAUNCH(queue, ready, 1, NULL, &eight, &three, 0, NULL, CL_INVALID_WORK_GROUP_SIZE);
    LAUNCH(queue, ready, 1, NULL, &eight, &zero, 0, NULL, CL_INVALID_WORK_GROUP_SIZE);
    LAUNCH(queue, ready, 3, NULL, many, many, 0, NULL, CL_INVALID_WORK_GROUP_SIZE);
    LAUNCH(queue, ready, 1, NULL, wide, wide, 0, NULL, CL_INVALID_WORK_ITEM_SIZE);
    LAUNCH(queue, four, 1, NULL, &eight, &eight, 0, NULL, CL_INVALID_WORK_GROUP_SIZE);
    LAUNCH(queue, four, 1, NULL, &three, NULL, 0, NULL, CL_INVALID_WORK_GROUP_SIZE);
    LAUNCH(queue, ready, 1, NULL, &eight, NULL, 1, NULL, CL_INVALID_EVENT_WAIT_LIST);
    LAUNCH(queue, ready, 1, NULL, &eight, NULL, 0, &done, CL_INVALID_EVENT_WAIT_LIST);
    LAUNCH(queue, ready, 1, NULL, &eight, NULL, 1, &none, CL_INVALID_EVENT_WAIT_LIST);
    LAUNCH(queue, ready, 1, NULL, &eight, NULL, 1, &other_user, CL_INVALID_CONTEXT);
    CHECK_EQ(clSetKernelArg(ready, 2, 1 << 30, NULL), CL_SUCCESS);
    LAUNCH(queue, ready, 1, NULL, &eight, NULL, 0, NULL, CL_OUT_OF_RESOURCES);
    CHECK_EQ(clSetKernelArg(ready, 2, 64, NULL), CL_SUCCESS);
    ROW(clEnqueueTask(NO_QUEUE, ready, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    ROW(clEnqueueTask(queue, NO_KERNEL, 0, NULL, NULL), CL_INVALID_KERNEL);
    ROW(clEnqueueTask(other_queue, ready, 0, NULL, NULL), CL_INVALID_CONTEXT);
    ROW(clEnqueueTask(queue, unset, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    ROW(clEnqueueTask(queue, four, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    ROW(clEnqueueTask(queue, ready, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    ROW(clEnqueueNativeKernel(NO_QUEUE, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    ROW(clEnqueueNativeKernel(queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueNativeKernel(queue, native, NULL, 4, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueNativeKernel(queue, native, bytes, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueNativeKernel(queue, native, bytes, 8, 1, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueNativeKernel(queue, native, bytes, 8, 0, &mem, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueNativeKernel(queue, native, NULL, 0, 0, NULL, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    ROW(clEnqueueNativeKernel(queue, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    (void)one;
    clReleaseKernel(four);
}

static void event_rows(void)
{
    const cl_event none = NO_EVENT, two[] = {done, other_user};
    MAKES_NONE(clCreateUserEvent(NO_CONTEXT, &error), CL_INVALID_CONTEXT);
    ROW(clSetUserEventStatus(NO_EVENT, CL_COMPLETE), CL_INVALID_EVENT);
    ROW(clSetUserEventStatus(done, CL_COMPLETE), CL_INVALID_EVENT);
    ROW(clSetUserEventStatus(user, CL_SUBMITTED), CL_INVALID_VALUE);
    ROW(clSetUserEventStatus(failed, CL_COMPLETE), CL_INVALID_OPERATION);
    ROW(clWaitForEvents(0, &done), CL_INVALID_VALUE);
    if (direct) /* the loader looks into the list first */
        ROW(clWaitForEvents(1, NULL), CL_INVALID_VALUE);
    ROW(clWaitForEvents(1, &none), CL_INVALID_EVENT);
    ROW(clWaitForEvents(2, two), CL_INVALID_CONTEXT);
    ROW(clWaitForEvents(1, &failed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ROW(clGetEventInfo(NO_EVENT, CL_EVENT_CONTEXT, 0, NULL, NULL), CL_INVALID_EVENT);
    INFO_ROWS(clGetEventInfo, CL_EVENT_CONTEXT, done);
    ROW(clRetainEvent(NO_EVENT), CL_INVALID_EVENT);
    ROW(clReleaseEvent(NO_EVENT), CL_INVALID_EVENT);
    ROW(clReleaseEvent(NULL), CL_INVALID_EVENT);
    ROW(clSetEventCallback(NO_EVENT, CL_COMPLETE, on_event, NULL), CL_INVALID_EVENT);
    ROW(clSetEventCallback(done, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
    ROW(clSetEventCallback(done, CL_QUEUED, on_event, NULL), CL_INVALID_VALUE);
    ROW(clSetEventCallback(done, -1, on_event, NULL), CL_INVALID_VALUE);
    ROW(clGetEventProfilingInfo(NO_EVENT, CL_PROFILING_COMMAND_END, 0, NULL, NULL), CL_INVALID_EVENT);
    ROW(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, 8, bytes, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    ROW(clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, 8, bytes, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_int error;
    cl_event timed;
    cl_command_queue clock = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    CHECK_EQ(clEnqueueWriteBuffer(clock, mem, CL_TRUE, 0, 4, bytes, 0, NULL, &timed), CL_SUCCESS);
    INFO_ROWS(clGetEventProfilingInfo, CL_PROFILING_COMMAND_END, timed);
    clReleaseEvent(timed), clReleaseCommandQueue(clock);
#define ORDER(function)                                                                                                \
    ROW(function(NO_QUEUE, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);                                                  \
    ROW(function(queue, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);                                                   \
    ROW(function(queue, 0, &done, NULL), CL_INVALID_EVENT_WAIT_LIST);                                                  \
    ROW(function(queue, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);                                                  \
    ROW(function(queue, 1, &other_user, NULL), CL_INVALID_CONTEXT)
    ORDER(clEnqueueMarkerWithWaitList);
    ORDER(clEnqueueBarrierWithWaitList);
    ROW(clEnqueueMarker(NO_QUEUE, &timed), CL_INVALID_COMMAND_QUEUE);
    ROW(clEnqueueMarker(queue, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueBarrier(NO_QUEUE), CL_INVALID_COMMAND_QUEUE);
    ROW(clEnqueueWaitForEvents(NO_QUEUE, 1, &done), CL_INVALID_COMMAND_QUEUE);
    ROW(clEnqueueWaitForEvents(queue, 0, &done), CL_INVALID_VALUE);
    ROW(clEnqueueWaitForEvents(queue, 1, NULL), CL_INVALID_VALUE);
    ROW(clEnqueueWaitForEvents(queue, 1, &none), CL_INVALID_EVENT);
    ROW(clEnqueueWaitForEvents(queue, 1, &other_user), CL_INVALID_CONTEXT);
}

/* Shared virtual memory, on a device that has it and on one that has not.  tests/cl/svm.c has the details. */
static void svm_rows(void)
{
    cl_device_svm_capabilities has_svm = 0;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(has_svm), &has_svm, NULL), CL_SUCCESS);
    const cl_int refused = has_svm ? CL_INVALID_VALUE : CL_INVALID_OPERATION;
    void *pointer = bytes, *null = NULL;
    const void *constant = bytes;
    row("clSVMAlloc(", !clSVMAlloc(context, CL_MEM_READ_WRITE, has_svm ? 0 : 64, 0), 0, 0, __LINE__);
    clSVMFree(context, bytes); /* does nothing */
    row("clSVMFree(", true, 0, 0, __LINE__);
    ROW(clEnqueueSVMFree(queue, has_svm ? 0 : 1, &pointer, NULL, NULL, 0, NULL, NULL), refused);
    ROW(clEnqueueSVMMemcpy(queue, CL_TRUE, has_svm ? null : bytes, bytes + 64, 16, 0, NULL, NULL), refused);
    ROW(clEnqueueSVMMemFill(queue, bytes, bytes + 64, has_svm ? 3 : 4, 16, 0, NULL, NULL), refused);
    ROW(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, bytes, 16, 0, NULL, NULL), refused);
    ROW(clEnqueueSVMUnmap(queue, bytes, 0, NULL, NULL), refused);
    ROW(clEnqueueSVMMigrateMem(queue, 1, &constant, NULL, 0, 0, NULL, NULL), refused);
    ROW(clEnqueueSVMMap(NO_QUEUE, CL_TRUE, CL_MAP_READ, bytes, 16, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    ROW(clSetKernelArgSVMPointer(ready, 0, bytes), has_svm ? CL_INVALID_ARG_VALUE : CL_INVALID_OPERATION);
    ROW(clSetKernelExecInfo(ready, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL), refused);
}

/* Images, pipes and intermediate languages, which have tests of their own (image_api.c, pipes.c, spirv.c), and what is
 * missing. */
static void other_rows(void)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const size_t origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
    cl_image_format found;
    cl_uint count = 1;
    size_t pitch;
    MAKES_NONE(clCreateImage(NO_CONTEXT, 0, &format, &desc, NULL, &error), CL_INVALID_CONTEXT);
    MAKES_NONE(clCreateImage(context, 0, &format, NULL, NULL, &error), CL_INVALID_IMAGE_DESCRIPTOR);
    MAKES_NONE(clCreateImageWithProperties(context, NULL, 0, &format, NULL, NULL, &error), CL_INVALID_IMAGE_DESCRIPTOR);
    MAKES_NONE(clCreateImage2D(context, 0, &format, 0, 4, 0, NULL, &error), CL_INVALID_IMAGE_SIZE);
    MAKES_NONE(clCreateImage3D(context, 0, &format, 4, 4, 4, 3, 0, NULL, &error), CL_INVALID_IMAGE_SIZE);
    ROW(clGetSupportedImageFormats(NO_CONTEXT, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count), CL_INVALID_CONTEXT);
    ROW(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count), CL_INVALID_VALUE);
    ROW(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, &found, &count),
        CL_INVALID_VALUE);
    ROW(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count), CL_SUCCESS);
    CHECK(count > 0);
    ROW(clGetImageInfo(mem, CL_IMAGE_WIDTH, sizeof(pitch), &pitch, NULL), CL_INVALID_MEM_OBJECT);
    ROW(clEnqueueReadImage(NO_QUEUE, mem, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL),
        CL_INVALID_COMMAND_QUEUE);
    ROW(clEnqueueReadImage(queue, mem, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    ROW(clEnqueueWriteImage(queue, mem, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    ROW(clEnqueueFillImage(queue, mem, bytes, origin, region, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    ROW(clEnqueueCopyImage(queue, mem, sub, origin, origin, region, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    ROW(clEnqueueCopyImageToBuffer(queue, mem, sub, origin, region, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    ROW(clEnqueueCopyBufferToImage(queue, mem, sub, 0, origin, region, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    MAKES_NONE(clEnqueueMapImage(queue, mem, CL_TRUE, CL_MAP_READ, origin, region, &pitch, NULL, 0, NULL, NULL, &error),
               CL_INVALID_MEM_OBJECT);
    MAKES_NONE(clCreateSampler(NO_CONTEXT, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error), CL_INVALID_CONTEXT);
    MAKES_NONE(clCreateSampler(context, CL_TRUE, 0, CL_FILTER_NEAREST, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateSamplerWithProperties(NO_CONTEXT, NULL, &error), CL_INVALID_CONTEXT);
    ROW(clRetainSampler((cl_sampler)(void *)device), CL_INVALID_SAMPLER);
    ROW(clReleaseSampler((cl_sampler)(void *)device), CL_INVALID_SAMPLER);
    ROW(clGetSamplerInfo((cl_sampler)(void *)device, CL_SAMPLER_CONTEXT, 0, NULL, NULL), CL_INVALID_SAMPLER);
    MAKES_NONE(clCreatePipe(NO_CONTEXT, 0, 4, 4, NULL, &error), CL_INVALID_CONTEXT);
    MAKES_NONE(clCreatePipe(context, CL_MEM_HOST_NO_ACCESS, 0, 4, NULL, &error), CL_INVALID_PIPE_SIZE);
    ROW(clGetPipeInfo(mem, CL_PIPE_PACKET_SIZE, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    MAKES_NONE(clCreateProgramWithIL(NO_CONTEXT, bytes, 4, &error), CL_INVALID_CONTEXT);
    MAKES_NONE(clCreateProgramWithIL(context, bytes, 4, &error), CL_INVALID_VALUE);
    MAKES_NONE(clCreateProgramWithIL(context, NULL, 4, &error), CL_INVALID_VALUE);
    ROW(clSetProgramSpecializationConstant(NO_PROGRAM, 0, 4, bytes), CL_INVALID_PROGRAM);
    ROW(clSetProgramSpecializationConstant(built, 0, 4, bytes), CL_INVALID_PROGRAM);
    ROW(clSetProgramReleaseCallback(NO_PROGRAM, on_program, NULL), CL_INVALID_PROGRAM);
    ROW(clSetProgramReleaseCallback(built, on_program, NULL), CL_INVALID_OPERATION);
}

static void check_all_entries(void)
{
    static const char *const names[] = {
#define ENTRY(name) #name,
#include "cl/entries.def"
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        size_t length = strlen(names[i]), rows = 0;
        for (size_t s = 0; s < seen_count; s++)
            rows += !strncmp(seen[s], names[i], length) && seen[s][length] == '(';
        test_check(rows != 0, names[i], __FILE__, __LINE__);
    }
}

int main(int argc, char **argv)
{
    direct = argc > 1 && !strcmp(argv[1], "direct");
    set_up(0);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_ADDRESS_BITS, sizeof(address_bits), &address_bits, NULL), CL_SUCCESS);
    if (direct) { /* the loader answers itself */
        cl_device_id one;
        ROW(clGetPlatformInfo(NULL, CL_PLATFORM_NAME, 0, NULL, NULL), CL_INVALID_PLATFORM);
        ROW(clGetDeviceIDs(NULL, CL_DEVICE_TYPE_ALL, 1, &one, NULL), CL_INVALID_PLATFORM);
    }
    create_objects();
    platform_rows();
    context_rows();
    queue_rows();
    buffer_rows();
    transfer_rows();
    map_rows();
    program_rows();
    kernel_rows();
    launch_rows();
    event_rows();
    svm_rows();
    other_rows();
    check_all_entries();
    release_objects();
    tear_down();
    return test_finish();
}
