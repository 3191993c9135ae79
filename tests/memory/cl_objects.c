/* Out of memory with each kind of OpenCL object: images and samplers, pipes, shared virtual memory, command buffers, semaphores,
 * sub-devices; and with a kernel that is translated or observed (the argument says how).
 * Programs are built before anything fails; memory/cl.c has their builds. */
#define _GNU_SOURCE
#include "memory/cl.h"

#include "cl/extensions.h"

static const char source[] =
    "kernel void fill(global int *a, int k) { a[get_global_id(0)] = k; }\n"
    "kernel void sample(read_only image2d_t i, sampler_t s, global float4 *out) {\n"
    "    out[get_global_id(0)] = read_imagef(i, s, (float2)(get_global_id(0) + 0.5f, 0.5f));\n"
    "}\n"
    "kernel void put(write_only pipe int p) { int i = get_global_id(0); write_pipe(p, &i); }\n"
    "kernel void take(read_only pipe int p, global int *a) { int i; if (!read_pipe(p, &i)) a[i] = i; }\n";

enum { ITEMS = 64 };
static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

/* The kernels write the same however often they run. */
static void launch(cl_kernel kernel, bool failing)
{
    cl_event event;
    const size_t items = ITEMS;
    TRY(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    const bool done = is_done(event, failing);
    CHECK_EQ(clReleaseEvent(event), CL_SUCCESS);
    if (done)
        return;
    oom_disarm();
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
}

static cl_mem new_buffer(size_t size, bool failing)
{
    cl_mem mem;
    TRY_MAKE(mem, clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &error));
    return mem;
}

static cl_kernel new_kernel(const char *name, bool failing)
{
    cl_kernel kernel;
    TRY_MAKE(kernel, clCreateKernel(program, name, &error));
    return kernel;
}

static void check_ints(cl_mem mem, int first, int step, bool failing)
{
    int got[ITEMS];
    TRY(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        if (!CHECK_EQ(got[i], first + i * step))
            return;
}

static void use_kernel(void *unused, bool failing)
{
    (void)unused;
    const int seven = 7;
    cl_mem mem = new_buffer(ITEMS * sizeof(int), failing);
    cl_kernel fill = new_kernel("fill", failing);
    TRY(clSetKernelArg(fill, 0, sizeof(mem), &mem));
    TRY(clSetKernelArg(fill, 1, sizeof(seven), &seven));
    launch(fill, failing);
    check_ints(mem, 7, 0, failing);
    CHECK_EQ(clReleaseKernel(fill), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(mem), CL_SUCCESS);
}

static void use_images(void *unused, bool failing)
{
    (void)unused;
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = ITEMS, .image_height = 2};
    const size_t origin[3] = {0}, region[3] = {ITEMS, 2, 1};
    const cl_sampler_properties nearest[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_FILTER_MODE,
                                             CL_FILTER_NEAREST, 0};
    const float colour[4] = {1, 0, 1, 0};
    unsigned char pixels[ITEMS * 2 * 4];
    float got[ITEMS][4];
    size_t pitch;
    cl_mem image, copy, out = new_buffer(sizeof(got), failing);
    cl_sampler sampler;
    cl_kernel sample = new_kernel("sample", failing);
    memset(pixels, 255, sizeof(pixels));
    TRY_MAKE(image, clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, pixels, &error));
    TRY_MAKE(copy, clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error));
    TRY_MAKE(sampler, clCreateSamplerWithProperties(context, nearest, &error));
    TRY(clEnqueueFillImage(queue, copy, colour, origin, region, 0, NULL, NULL));
    TRY(clEnqueueCopyImage(queue, copy, image, origin, origin, region, 0, NULL, NULL));
    TRY(clEnqueueWriteImage(queue, copy, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL));
    TRY(clSetKernelArg(sample, 0, sizeof(image), &image));
    TRY(clSetKernelArg(sample, 1, sizeof(sampler), &sampler));
    TRY(clSetKernelArg(sample, 2, sizeof(out), &out));
    TRY(clFinish(queue));
    launch(sample, failing);
    TRY(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    CHECK(got[0][0] == 1 && got[ITEMS - 1][1] == 0 && got[5][2] == 1);
    unsigned char *mapped;
    TRY_MAKE(mapped,
             clEnqueueMapImage(queue, copy, CL_TRUE, CL_MAP_READ, origin, region, &pitch, NULL, 0, NULL, NULL, &error));
    CHECK(mapped[0] == 255 && mapped[pitch + 4] == 255);
    TRY(clEnqueueUnmapMemObject(queue, copy, mapped, 0, NULL, NULL));
    TRY(clEnqueueCopyImageToBuffer(queue, image, out, origin, region, 0, 0, NULL, NULL));
    TRY(clEnqueueCopyBufferToImage(queue, out, copy, 0, origin, region, 0, NULL, NULL));
    TRY(clEnqueueReadImage(queue, copy, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL));
    CHECK(pixels[0] == 255 && pixels[1] == 0);
    TRY(clFinish(queue));
    CHECK_EQ(clReleaseKernel(sample), CL_SUCCESS);
    CHECK_EQ(clReleaseSampler(sampler), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(image), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(copy), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
}

static void use_pipes(void *unused, bool failing)
{
    (void)unused;
    cl_mem pipe, mem = new_buffer(ITEMS * sizeof(int), failing);
    cl_kernel put = new_kernel("put", failing), take = new_kernel("take", failing);
    TRY_MAKE(pipe, clCreatePipe(context, 0, sizeof(int), ITEMS, NULL, &error));
    TRY(clSetKernelArg(put, 0, sizeof(pipe), &pipe));
    TRY(clSetKernelArg(take, 0, sizeof(pipe), &pipe));
    TRY(clSetKernelArg(take, 1, sizeof(mem), &mem));
    launch(put, failing);
    launch(take, failing);
    check_ints(mem, 0, 1, failing);
    CHECK_EQ(clReleaseKernel(put), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(take), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(pipe), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(mem), CL_SUCCESS);
}

static void use_svm(void *unused, bool failing)
{
    (void)unused;
    const int one = 1, nine = 9;
    int *a = NULL, *b = NULL;
    for (int i = 0; i < 2; i++) {
        int **to = i ? &b : &a;
        *to = clSVMAlloc(context, CL_MEM_READ_WRITE, ITEMS * sizeof(int), 0);
        if (*to)
            continue;
        CHECK(failing);
        oom_disarm();
        *to = clSVMAlloc(context, CL_MEM_READ_WRITE, ITEMS * sizeof(int), 0);
        CHECK(*to);
    }
    cl_kernel fill = new_kernel("fill", failing);
    const void *used[] = {a, b};
    TRY(clSetKernelArgSVMPointer(fill, 0, a));
    TRY(clSetKernelArg(fill, 1, sizeof(nine), &nine));
    TRY(clSetKernelExecInfo(fill, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(used), used));
    TRY(clEnqueueSVMMemFill(queue, a, &one, sizeof(one), ITEMS * sizeof(int), 0, NULL, NULL));
    TRY(clFinish(queue));
    launch(fill, failing);
    TRY(clEnqueueSVMMemcpy(queue, CL_TRUE, b, a, ITEMS * sizeof(int), 0, NULL, NULL));
    TRY(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, b, sizeof(int), 0, NULL, NULL));
    CHECK(b[0] == 9 && b[ITEMS - 1] == 9);
    TRY(clEnqueueSVMUnmap(queue, b, 0, NULL, NULL));
    void *freed[] = {b};
    TRY(clEnqueueSVMFree(queue, 1, freed, NULL, NULL, 0, NULL, NULL));
    TRY(clFinish(queue));
    CHECK_EQ(clReleaseKernel(fill), CL_SUCCESS);
    clSVMFree(context, a);
}

/* The extensions' functions. */
static cl_command_buffer_khr(CL_API_CALL *new_commands)(cl_uint, const cl_command_queue *,
                                                        const cl_command_buffer_properties_khr *, cl_int *);
static cl_int(CL_API_CALL *end_commands)(cl_command_buffer_khr);
static cl_int(CL_API_CALL *release_commands)(cl_command_buffer_khr);
static cl_int(CL_API_CALL *run_commands)(cl_uint, cl_command_queue *, cl_command_buffer_khr, cl_uint, const cl_event *,
                                         cl_event *);
static cl_int(CL_API_CALL *add_kernel)(cl_command_buffer_khr, cl_command_queue, const cl_command_properties_khr *,
                                       cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                                       const cl_sync_point_khr *, cl_sync_point_khr *, cl_mutable_command_khr *);
static cl_int(CL_API_CALL *add_copy)(cl_command_buffer_khr, cl_command_queue, const cl_command_properties_khr *, cl_mem,
                                     cl_mem, size_t, size_t, size_t, cl_uint, const cl_sync_point_khr *,
                                     cl_sync_point_khr *, cl_mutable_command_khr *);
static cl_semaphore_khr(CL_API_CALL *new_semaphore)(cl_context, const cl_semaphore_properties_khr *, cl_int *);
static cl_int(CL_API_CALL *release_semaphore)(cl_semaphore_khr);
static cl_int(CL_API_CALL *await)(cl_command_queue, cl_uint, const cl_semaphore_khr *, const cl_semaphore_payload_khr *,
                                  cl_uint, const cl_event *, cl_event *);
static cl_int(CL_API_CALL *signal)(cl_command_queue, cl_uint, const cl_semaphore_khr *,
                                   const cl_semaphore_payload_khr *, cl_uint, const cl_event *, cl_event *);

static void find(const char *name, void *function)
{
    void *address = clGetExtensionFunctionAddressForPlatform(platform, name);
    CHECK(address);
    memcpy(function, &address, sizeof(address));
}

static void use_command_buffers(void *unused, bool failing)
{
    (void)unused;
    const int five = 5;
    const size_t items = ITEMS;
    cl_mem from = new_buffer(ITEMS * sizeof(int), failing), to = new_buffer(ITEMS * sizeof(int), failing);
    cl_kernel fill = new_kernel("fill", failing);
    cl_command_buffer_khr commands;
    cl_sync_point_khr filled;
    cl_mutable_command_khr handle;
    cl_event event;
    TRY(clSetKernelArg(fill, 0, sizeof(from), &from));
    TRY(clSetKernelArg(fill, 1, sizeof(five), &five));
    TRY_MAKE(commands, new_commands(1, &queue, NULL, &error));
    TRY(add_kernel(commands, NULL, NULL, fill, 1, NULL, &items, NULL, 0, NULL, &filled, &handle));
    TRY(add_copy(commands, NULL, NULL, from, to, 0, 0, ITEMS * sizeof(int), 1, &filled, NULL, NULL));
    TRY(end_commands(commands));
    TRY(run_commands(0, NULL, commands, 0, NULL, &event));
    const bool done = clWaitForEvents(1, &event) == CL_SUCCESS; /* its commands' errors are theirs */
    CHECK(done || failing);
    CHECK_EQ(clReleaseEvent(event), CL_SUCCESS);
    if (!done) {
        oom_disarm();
        CHECK_EQ(run_commands(0, NULL, commands, 0, NULL, NULL), CL_SUCCESS);
    }
    TRY(clFinish(queue));
    check_ints(to, 5, 0, failing);
    CHECK_EQ(release_commands(commands), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(fill), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(from), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(to), CL_SUCCESS);
}

static void use_semaphores(void *unused, bool failing)
{
    (void)unused;
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_semaphore_khr semaphore;
    TRY_MAKE(semaphore, new_semaphore(context, binary, &error));
    for (int i = 0; i < 2; i++) {
        TRY(signal(queue, 1, &semaphore, NULL, 0, NULL, NULL));
        TRY(await(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    }
    TRY(clFinish(queue));
    CHECK_EQ(release_semaphore(semaphore), CL_SUCCESS);
}

static void use_sub_devices(void *unused, bool failing)
{
    (void)unused;
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[2];
    cl_context own;
    cl_command_queue on_part;
    TRY(clCreateSubDevices(device, equally, 2, parts, NULL));
    TRY_MAKE(own, clCreateContext(NULL, 2, parts, NULL, NULL, &error));
    TRY_MAKE(on_part, clCreateCommandQueueWithProperties(own, parts[1], NULL, &error));
    TRY(clFinish(on_part));
    CHECK_EQ(clReleaseCommandQueue(on_part), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(own), CL_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(clReleaseDevice(parts[i]), CL_SUCCESS);
}

static void set_up(unsigned index)
{
    cl_device_id devices[2];
    cl_int error;
    const char *text = source;
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 2, devices, NULL), CL_SUCCESS);
    device = devices[index];
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    CHECK_EQ(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_SUCCESS);
}

static void tear_down(void)
{
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(context), CL_SUCCESS);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "", *directory = getenv("CY_TMP") ? getenv("CY_TMP") : "/tmp";
    setenv("CHENGYING_MACHINE", "sms=2,host-threads=2", true);
    const struct {
        const char *how, *variable, *value;
    } settings[] = {{"jit", "CHENGYING_ENGINE", "jit"},
                    {"check", "CHENGYING_CHECK", "all"},
                    {"profile", "CHENGYING_PROFILE", directory},
                    {"timing", "CHENGYING_TIMING", "1"},
                    {"view", "CHENGYING_VIEW", directory}};
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        if (!strcmp(how, settings[i].how))
            setenv(settings[i].variable, settings[i].value, true);
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    find("clCreateCommandBufferKHR", &new_commands);
    find("clFinalizeCommandBufferKHR", &end_commands);
    find("clReleaseCommandBufferKHR", &release_commands);
    find("clEnqueueCommandBufferKHR", &run_commands);
    find("clCommandNDRangeKernelKHR", &add_kernel);
    find("clCommandCopyBufferKHR", &add_copy);
    find("clCreateSemaphoreWithPropertiesKHR", &new_semaphore);
    find("clReleaseSemaphoreKHR", &release_semaphore);
    find("clEnqueueWaitSemaphoresKHR", &await);
    find("clEnqueueSignalSemaphoresKHR", &signal);
    for (unsigned index = 0; index < 2; index++) {
        set_up(index);
        oom_each(use_kernel, NULL);
        if (!*how) {
            oom_each(use_images, NULL);
            oom_each(use_pipes, NULL);
            oom_each(use_command_buffers, NULL);
            oom_each(use_semaphores, NULL);
            oom_each(use_sub_devices, NULL);
        }
        if (!*how && index == 1)
            oom_each(use_svm, NULL);
        tear_down();
    }
    return test_finish();
}
