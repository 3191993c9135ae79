/* Out of memory in an OpenCL program: every call that runs out of memory reports it, no command is lost, and a repeated
 * call succeeds.  The library is linked without the ICD loader, whose failures are not ours. */
#define _GNU_SOURCE
#include "memory/cl.h"

#include <time.h>

static const char *const source = "int helper(int x) { return 3 * x; }\n"
                                  "kernel void triple(global int *a, int plus, local int *l, float4 unused) {\n"
                                  "    size_t i = get_global_id(0);\n"
                                  "    l[get_local_id(0)] = a[i];\n"
                                  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "    a[i] = helper(l[get_local_id(0)]) + plus;\n"
                                  "}\n"
                                  "kernel void add(global int *a, global const int *b) { a[get_global_id(0)] += "
                                  "b[get_global_id(0)]; }\n";

enum { ITEMS = 256 };

struct program {
    unsigned char *binary; /* of the first run */
    size_t binary_size;
};

static atomic_int callbacks;
static void CL_CALLBACK count_callback(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    atomic_fetch_add(&callbacks, 1);
}
static void CL_CALLBACK count_destroyed(cl_mem mem, void *data)
{
    (void)mem;
    ++*(int *)data;
}

static cl_uint references(cl_mem mem)
{
    cl_uint count = 0;
    CHECK_EQ(clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof(count), &count, NULL), CL_SUCCESS);
    return count;
}

/* a = 3 a + 7, with an event that is waited for. */
static void launch(cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event *list, bool failing)
{
    cl_event event;
    const size_t global = ITEMS, local = 64;
    TRY(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, count, list, &event));
    bool done = is_done(event, failing);
    CHECK_EQ(clReleaseEvent(event), CL_SUCCESS);
    if (done)
        return;
    oom_disarm();
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, count, list, &event), CL_SUCCESS);
    CHECK(is_done(event, false));
    CHECK_EQ(clReleaseEvent(event), CL_SUCCESS);
}

static bool holds(cl_command_queue queue, cl_mem mem, int expected, bool failing)
{
    int values[ITEMS];
    TRY(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        if (values[i] != expected)
            return false;
    return true;
}

static void use_queue(cl_context context, cl_device_id device, cl_program program, cl_queue_properties flags,
                      bool failing)
{
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, flags, 0};
    const int two = 2, seven = 7, zero = 0;
    const cl_float4 unused = {{0}};
    int host[ITEMS], destroyed = 0;
    cl_command_queue queue;
    cl_mem mem, part, mapped;
    cl_kernel triple, add, clone;
    cl_event user, written, filled, marker;
    TRY_MAKE(queue, clCreateCommandQueueWithProperties(context, device, properties, &error));
    TRY_MAKE(mem, clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(host), NULL, &error));
    TRY(clSetMemObjectDestructorCallback(mem, count_destroyed, &destroyed));
    const cl_buffer_region region = {128, 256};
    TRY_MAKE(part, clCreateSubBuffer(mem, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    const cl_mem_properties none[] = {0};
    for (int i = 0; i < ITEMS; i++)
        host[i] = 1;
    TRY_MAKE(mapped, clCreateBufferWithProperties(context, none, CL_MEM_USE_HOST_PTR, sizeof(host), host, &error));

    TRY_MAKE(triple, clCreateKernel(program, "triple", &error));
    TRY_MAKE(add, clCreateKernel(program, "add", &error));
    TRY(clSetKernelArg(triple, 0, sizeof(mem), &mem));
    TRY(clSetKernelArg(triple, 1, sizeof(seven), &seven));
    TRY(clSetKernelArg(triple, 2, 64 * sizeof(int), NULL));
    TRY(clSetKernelArg(triple, 3, sizeof(unused), &unused));
    TRY_MAKE(clone, clCloneKernel(triple, &error));
    TRY(clSetKernelArg(triple, 1, sizeof(two), &two)); /* the clone keeps the 7 */

    /* A chain after a user event, with callbacks: none of it may be lost. */
    int before = atomic_load(&callbacks), expected = 0;
    TRY_MAKE(user, clCreateUserEvent(context, &error));
    for (int i = 0; i < ITEMS; i++)
        host[i] = 2;
    TRY(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, sizeof(host), host, 1, &user, &written));
    TRY(clSetEventCallback(written, CL_COMPLETE, count_callback, NULL));
    TRY(clSetEventCallback(written, CL_RUNNING, count_callback, NULL));
    TRY(clSetEventCallback(written, CL_SUBMITTED, count_callback, NULL));
    expected += 3;
    TRY(clEnqueueFillBuffer(queue, mem, &two, sizeof(two), 0, sizeof(host), 1, &written, &filled));
    TRY(clSetEventCallback(filled, CL_COMPLETE, count_callback, NULL));
    expected++;
    const cl_event both[] = {written, filled, user};
    TRY(clEnqueueMarkerWithWaitList(queue, 3, both, &marker));
    TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &marker), CL_SUCCESS);
    TRY(clFinish(queue));
    for (int spin = 0; atomic_load(&callbacks) != before + expected && spin < 2000; spin++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    CHECK_EQ(atomic_load(&callbacks), before + expected);
    CHECK_EQ(clReleaseEvent(user), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(written), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(filled), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(marker), CL_SUCCESS);
    CHECK(holds(queue, mem, 2, failing));

    launch(queue, clone, 0, NULL, failing);  /* 2 * 3 + 7 */
    launch(queue, triple, 0, NULL, failing); /* 13 * 3 + 2 */
    CHECK(holds(queue, mem, 41, failing));
    CHECK_EQ(references(mem), 2); /* ours and the sub-buffer's */

    /* maps */
    int *pointer;
    TRY_MAKE(pointer, clEnqueueMapBuffer(queue, mapped, CL_TRUE, CL_MAP_WRITE, 0, sizeof(host), 0, NULL, NULL, &error));
    for (int i = 0; i < ITEMS; i++)
        pointer[i] = 100;
    TRY(clEnqueueUnmapMemObject(queue, mapped, pointer, 0, NULL, NULL));
    TRY(clSetKernelArg(add, 0, sizeof(mem), &mem));
    TRY(clSetKernelArg(add, 1, sizeof(mapped), &mapped));
    TRY(clFinish(queue));
    launch(queue, add, 0, NULL, failing);
    CHECK(holds(queue, mem, 141, failing));
    const size_t origin[3] = {0}, rect[3] = {16, 4, 1};
    int corner[16];
    TRY(clEnqueueReadBufferRect(queue, mem, CL_TRUE, origin, origin, rect, 64, 0, 0, 0, corner, 0, NULL, NULL));
    CHECK_EQ(corner[15], 141);
    TRY(clEnqueueCopyBuffer(queue, mem, mapped, 0, 0, sizeof(host), 0, NULL, NULL));
    TRY(clEnqueueFillBuffer(queue, mapped, &zero, sizeof(zero), 0, sizeof(zero), 0, NULL, NULL));
    TRY(clFinish(queue));

    CHECK_EQ(clReleaseKernel(triple), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(add), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(clone), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(part), CL_SUCCESS);
    CHECK_EQ(destroyed, 0);
    CHECK_EQ(clReleaseMemObject(mem), CL_SUCCESS);
    CHECK_EQ(destroyed, 1);
    CHECK_EQ(clReleaseMemObject(mapped), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
}

static void CL_CALLBACK built(cl_program program, void *data)
{
    (void)program;
    atomic_store((atomic_bool *)data, true);
}

/* A build that ran out of memory has failed; it can be repeated. */
static void build(cl_program program, bool failing)
{
    cl_int error = clBuildProgram(program, 0, NULL, "-DSOMETHING=\"1 2\" -cl-mad-enable", NULL, NULL);
    if (error == CL_SUCCESS)
        return;
    CHECK(failing);
    if (!CHECK(is_lack(error)))
        fprintf(stderr, "clBuildProgram: %d\n", error);
    oom_disarm();
    CHECK_EQ(clBuildProgram(program, 0, NULL, "-DSOMETHING=\"1 2\" -cl-mad-enable", NULL, NULL), CL_SUCCESS);
}

static void run(void *context, bool failing)
{
    struct program *kept = context;
    cl_platform_id platform;
    cl_device_id device;
    cl_context cl;
    cl_program program;
    char text[200];
    size_t size;
    TRY(clGetPlatformIDs(1, &platform, NULL));
    TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    TRY_MAKE(cl, clCreateContext(properties, 1, &device, NULL, NULL, &error));

    const char *texts[] = {source, "\n"};
    TRY_MAKE(program, clCreateProgramWithSource(cl, 2, texts, NULL, &error));
    build(program, failing);
    TRY(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(text), text, &size));
    CHECK(strstr(text, "triple") && strstr(text, "add"));
    TRY(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof(text), text, NULL));
    CHECK(strstr(text, "SOMETHING") != NULL);
    use_queue(cl, device, program, 0, failing);
    TRY(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    if (!kept->binary) {
        kept->binary = malloc(size);
        kept->binary_size = size;
        CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(kept->binary), &kept->binary, NULL), CL_SUCCESS);
    }
    CHECK_EQ(size, kept->binary_size);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);

    const unsigned char *binary = kept->binary;
    cl_int status;
    TRY_MAKE(program, clCreateProgramWithBinary(cl, 1, &device, &size, &binary, &status, &error));
    atomic_bool done = false;
    cl_int begun = clBuildProgram(program, 1, &device, NULL, built, &done);
    CHECK(begun == CL_SUCCESS || (failing && is_lack(begun)));
    for (int spin = 0; begun == CL_SUCCESS && !atomic_load(&done) && spin < 5000; spin++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    cl_build_status state = CL_BUILD_NONE;
    CHECK_EQ(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof(state), &state, NULL), CL_SUCCESS);
    if (state != CL_BUILD_SUCCESS) { /* its inputs are gone after a failed build: create it anew */
        CHECK(failing);
        oom_disarm();
        CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
        TRY_MAKE(program, clCreateProgramWithBinary(cl, 1, &device, &size, &binary, &status, &error));
        build(program, false);
    }
    use_queue(cl, device, program, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, failing);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(cl), CL_SUCCESS);
}

/* A program that is not in the cache: the call to the compile server, its answer and the stored entry. */
static void compile_anew(void *context, bool failing)
{
    static unsigned serial;
    cl_context cl = *(cl_context *)context;
    char options[40];
    const char *text = "kernel void k(global int *a) { a[0] = N; }";
    cl_program program;
    TRY_MAKE(program, clCreateProgramWithSource(cl, 1, &text, NULL, &error));
    snprintf(options, sizeof(options), "-DN=%u", serial++);
    TRY(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
}

int main(void)
{
    char cache[4096];
    struct program kept = {0};
    snprintf(cache, sizeof(cache), "%s/cache", getenv("CY_TMP") ? getenv("CY_TMP") : "/tmp");
    setenv("CHENGYING_CACHE", "1", true);
    setenv("CHENGYING_CACHE_DIR", cache, true);
    setenv("CHENGYING_MACHINE", "sms=2,host-threads=2", true);
    /* The first call opens the devices: if that fails, the next one does. */
    cl_platform_id platform;
    cl_device_id device;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    for (unsigned long n = 1, failed = 1; failed; n++) {
        oom_arm(n, n % 2 ? OOM_ONCE : OOM_FROM_THEN_ON);
        cl_int error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
        failed = oom_disarm();
        CHECK(error == CL_SUCCESS || (failed && error == CL_OUT_OF_HOST_MEMORY));
    }
    oom_each(run, &kept);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    if (CHECK(context))
        oom_each(compile_anew, &context);
    CHECK_EQ(clReleaseContext(context), CL_SUCCESS);
    free(kept.binary);
    return test_finish();
}
