/* What a host does with commands, for `cy check`'s api tool: `commands wrong_NAME` forgets to wait, or uses what has gone;
 * `commands right_NAME` is the same program mended.  `commands leak_NAME` keeps an object. */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include "cl/extensions.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 64, BYTES = 4 * COUNT, WIDTH = 8, HEIGHT = 4 };

static const char *source = "kernel void put(global int *out, int n) { out[get_global_id(0)] = n; }\n"
                            "kernel void scaled(read_only image2d_t in, sampler_t s, global float *out) {\n"
                            "    int x = get_global_id(0), y = get_global_id(1);\n"
                            "    out[8 * y + x] = 2 * read_imagef(in, s, (int2)(x, y)).x;\n"
                            "}\n"
                            "kernel void drawn(write_only image2d_t out) {\n"
                            "    write_imagef(out, (int2)(get_global_id(0), get_global_id(1)), (float4)(1));\n"
                            "}\n"
                            "kernel void every_second(global int *p, int n) { p[2 * get_global_id(0) + n] = 1; }\n"
                            "kernel void bytes(global char *p, int n) { p[4 * get_global_id(0) + n] = 1; }\n"
                            "kernel void twenty(global int *p0, global int *p1, global int *p2, global int "
                            "*p3, global int *p4, global int *p5, global int *p6, global int *p7, global int "
                            "*p8, global int *p9, global int *p10, global int *p11, global int *p12, global "
                            "int *p13, global int *p14, global int *p15, global int *p16, global int *p17, "
                            "global int *p18, global int *p19) { int i = get_global_id(0); p0[i] = i; p1[i] = "
                            "i; p2[i] = i; p3[i] = i; p4[i] = i; p5[i] = i; p6[i] = i; p7[i] = i; p8[i] = i; "
                            "p9[i] = i; p10[i] = i; p11[i] = i; p12[i] = i; p13[i] = i; p14[i] = i; p15[i] = "
                            "i; p16[i] = i; p17[i] = i; p18[i] = i; p19[i] = i; }\n";

static bool wrong;
static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue first, second, loose; /* the last one is out of order */
static cl_program program;
static cl_kernel put, scaled, drawn, twenty, every_second, bytes;
static cl_mem in, out, image;
static cl_sampler sampler;
static int numbers[2 * COUNT];

static void must(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, error);
        exit(1);
    }
}

static cl_command_queue make_queue(cl_queue_properties flags)
{
    cl_int error;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, flags, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, properties, &error);
    must(error, "queue");
    return queue;
}

static cl_mem make_image(void)
{
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    float zeros[WIDTH * HEIGHT] = {0};
    cl_int error;
    cl_mem made = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, zeros, &error);
    must(error, "image");
    return made;
}

static void load(const char *name, void *function)
{
    void *address = clGetExtensionFunctionAddressForPlatform(platform, name);
    must(address ? CL_SUCCESS : CL_INVALID_OPERATION, name);
    memcpy(function, &address, sizeof(address));
}

static void launch_put(cl_command_queue queue, cl_mem to, size_t offset, size_t count, cl_event *event)
{
    must(clSetKernelArg(put, 0, sizeof(to), &to), "argument");
    must(clSetKernelArg(put, 1, sizeof(cl_int), &(cl_int){7}), "argument");
    must(clEnqueueNDRangeKernel(queue, put, 1, &offset, &count, NULL, 0, NULL, event), "launch");
}

static void finish(void)
{
    must(clFinish(first), "finish");
    must(clFinish(second), "finish");
    must(clFinish(loose), "finish");
}

/* ---- command-buffers and semaphores ---- */

typedef const cl_command_properties_khr *properties_t;
#define WAITS cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *, cl_mutable_command_khr *
static cl_command_buffer_khr(CL_API_CALL *create)(cl_uint, const cl_command_queue *,
                                                  const cl_command_buffer_properties_khr *, cl_int *);
static cl_int(CL_API_CALL *finalize)(cl_command_buffer_khr), (CL_API_CALL * drop)(cl_command_buffer_khr);
static cl_int(CL_API_CALL *enqueue)(cl_uint, cl_command_queue *, cl_command_buffer_khr, cl_uint, const cl_event *,
                                    cl_event *);
static cl_int(CL_API_CALL *record_copy)(cl_command_buffer_khr, cl_command_queue, properties_t, cl_mem, cl_mem, size_t,
                                        size_t, size_t, WAITS);
static cl_int(CL_API_CALL *record_kernel)(cl_command_buffer_khr, cl_command_queue, properties_t, cl_kernel, cl_uint,
                                          const size_t *, const size_t *, const size_t *, WAITS);

static cl_command_buffer_khr make_command_buffer(cl_command_queue queue)
{
    cl_int error;
    load("clCreateCommandBufferKHR", &create);
    load("clFinalizeCommandBufferKHR", &finalize);
    load("clReleaseCommandBufferKHR", &drop);
    load("clEnqueueCommandBufferKHR", &enqueue);
    load("clCommandCopyBufferKHR", &record_copy);
    load("clCommandNDRangeKernelKHR", &record_kernel);
    cl_command_buffer_khr made = create(1, &queue, NULL, &error);
    must(error, "command-buffer");
    must(clSetKernelArg(put, 0, sizeof(out), &out), "argument");
    must(clSetKernelArg(put, 1, sizeof(cl_int), &(cl_int){7}), "argument");
    return made;
}

static void record_put(cl_command_buffer_khr to, size_t count, cl_sync_point_khr *point)
{
    must(record_kernel(to, NULL, NULL, put, 1, NULL, &count, NULL, 0, NULL, point, NULL), "record");
}

/* Another queue reads what a command-buffer writes. */
static void command_buffer(void)
{
    cl_command_buffer_khr buffer = make_command_buffer(first);
    cl_event event;
    record_put(buffer, COUNT, NULL);
    must(finalize(buffer), "finalize");
    must(enqueue(0, NULL, buffer, 0, NULL, &event), "enqueue");
    must(clEnqueueReadBuffer(second, out, CL_TRUE, 0, BYTES, numbers, wrong ? 0 : 1, wrong ? NULL : &event, NULL),
         "read");
    finish();
    must(clReleaseEvent(event), "event");
    must(drop(buffer), "command-buffer");
}

/* A copy of what the command before writes, with and without its sync-point. */
static void sync_point(void)
{
    cl_command_buffer_khr buffer = make_command_buffer(loose);
    cl_sync_point_khr point;
    record_put(buffer, COUNT, &point);
    must(record_copy(buffer, NULL, NULL, out, in, 0, 0, BYTES, wrong ? 0 : 1, wrong ? NULL : &point, NULL, NULL),
         "record");
    must(finalize(buffer), "finalize");
    must(enqueue(0, NULL, buffer, 0, NULL, NULL), "enqueue");
    finish();
    must(drop(buffer), "command-buffer");
}

static void recorded_kernel(void)
{
    cl_command_buffer_khr buffer = make_command_buffer(first);
    record_put(buffer, wrong ? COUNT + 1 : COUNT, NULL);
    must(finalize(buffer), "finalize");
    must(enqueue(0, NULL, buffer, 0, NULL, NULL), "enqueue");
    finish();
    must(drop(buffer), "command-buffer");
}

static cl_semaphore_khr make_semaphore(void)
{
    static const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_semaphore_khr(CL_API_CALL * make)(cl_context, const cl_semaphore_properties_khr *, cl_int *);
    cl_int error;
    load("clCreateSemaphoreWithPropertiesKHR", &make);
    cl_semaphore_khr made = make(context, binary, &error);
    must(error, "semaphore");
    return made;
}

typedef cl_int(CL_API_CALL *semaphore_command_t)(cl_command_queue, cl_uint, const cl_semaphore_khr *,
                                                 const cl_semaphore_payload_khr *, cl_uint, const cl_event *,
                                                 cl_event *);
static semaphore_command_t wait, signal;

static void release_semaphore(cl_semaphore_khr made)
{
    cl_int(CL_API_CALL * release)(cl_semaphore_khr);
    load("clReleaseSemaphoreKHR", &release);
    must(release(made), "semaphore");
}

static cl_semaphore_khr make_used_semaphore(void)
{
    load("clEnqueueWaitSemaphoresKHR", &wait);
    load("clEnqueueSignalSemaphoresKHR", &signal);
    return make_semaphore();
}

static void semaphore(void)
{
    cl_semaphore_khr made = make_used_semaphore();
    launch_put(first, out, 0, COUNT, NULL);
    must(signal(first, 1, &made, NULL, 0, NULL, NULL), "signal");
    if (!wrong)
        must(wait(second, 1, &made, NULL, 0, NULL, NULL), "wait");
    must(clEnqueueCopyBuffer(second, out, in, 0, 0, BYTES, 0, NULL, NULL), "copy");
    finish();
    release_semaphore(made);
}

/* The wait is enqueued first; the signal comes after the kernel, or before it. */
static void semaphore_ahead(void)
{
    cl_semaphore_khr made = make_used_semaphore();
    must(wait(second, 1, &made, NULL, 0, NULL, NULL), "wait");
    must(clEnqueueCopyBuffer(second, out, in, 0, 0, BYTES, 0, NULL, NULL), "copy");
    if (wrong)
        must(signal(first, 1, &made, NULL, 0, NULL, NULL), "signal");
    launch_put(first, out, 0, COUNT, NULL);
    if (!wrong)
        must(signal(first, 1, &made, NULL, 0, NULL, NULL), "signal");
    finish();
    release_semaphore(made);
}

/* ---- images, sub-buffers, rectangles ---- */

static void image_queues(void)
{
    const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1};
    cl_event event;
    must(clSetKernelArg(drawn, 0, sizeof(image), &image), "argument");
    must(clEnqueueNDRangeKernel(first, drawn, 2, NULL, region, NULL, 0, NULL, &event), "launch");
    must(clEnqueueReadImage(second, image, CL_TRUE, origin, region, 0, 0, numbers, wrong ? 0 : 1, wrong ? NULL : &event,
                            NULL),
         "read");
    finish();
    must(clReleaseEvent(event), "event");
}

/* Left and right halves on two queues. */
static void image_halves(void)
{
    const float colour[4] = {1};
    const size_t left[3] = {0}, right[3] = {wrong ? WIDTH / 2 - 1 : WIDTH / 2, 0, 0},
                 region[3] = {WIDTH / 2, HEIGHT, 1};
    must(clEnqueueFillImage(first, image, colour, left, region, 0, NULL, NULL), "fill");
    must(clEnqueueFillImage(second, image, colour, right, region, 0, NULL, NULL), "fill");
    finish();
}

static void columns(void)
{
    const size_t left[3] = {0}, right[3] = {wrong ? 12 : 16, 0, 0}, host[3] = {0}, region[3] = {16, 8, 1};
    must(clEnqueueWriteBufferRect(first, out, CL_FALSE, left, host, region, 32, 0, 16, 0, numbers, 0, NULL, NULL),
         "write");
    must(clEnqueueWriteBufferRect(second, out, CL_FALSE, right, host, region, 32, 0, 16, 0, numbers, 0, NULL, NULL),
         "write");
    finish();
}

/* A row of the rectangle, or what is between two. */
static void row_between(void)
{
    const size_t left[3] = {0}, host[3] = {0}, region[3] = {16, 8, 1};
    must(clEnqueueWriteBufferRect(first, out, CL_FALSE, left, host, region, 32, 0, 16, 0, numbers, 0, NULL, NULL),
         "write");
    must(clEnqueueFillBuffer(second, out, &(cl_int){1}, 4, wrong ? 64 : 80, 16, 0, NULL, NULL), "fill");
    finish();
}

static void sub_buffers(void)
{
    cl_int error;
    const cl_buffer_region low = {0, 192}, high = {128, 128};
    cl_mem one = clCreateSubBuffer(out, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &low, &error);
    must(error, "sub-buffer");
    cl_mem two = clCreateSubBuffer(out, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &high, &error);
    must(error, "sub-buffer");
    launch_put(first, one, 0, wrong ? 33 : 32, NULL);
    launch_put(second, two, 0, 32, NULL);
    finish();
    must(clReleaseMemObject(one), "release");
    must(clReleaseMemObject(two), "release");
}

/* Even and odd elements on two queues; of bytes, too. */
static void interleaved(void)
{
    must(clSetKernelArg(every_second, 0, sizeof(out), &out), "argument");
    must(clSetKernelArg(every_second, 1, sizeof(cl_int), &(cl_int){0}), "argument");
    must(clEnqueueNDRangeKernel(first, every_second, 1, NULL, &(size_t){COUNT / 2}, NULL, 0, NULL, NULL), "launch");
    must(clFlush(first), "flush");
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* it has ended before the other queue is used */
    must(clSetKernelArg(every_second, 1, sizeof(cl_int), &(cl_int){wrong ? 2 : 1}), "argument");
    must(clEnqueueNDRangeKernel(second, every_second, 1, NULL, &(size_t){COUNT / 2 - 1}, NULL, 0, NULL, NULL),
         "launch");
    must(clSetKernelArg(bytes, 0, sizeof(in), &in), "argument");
    must(clSetKernelArg(bytes, 1, sizeof(cl_int), &(cl_int){0}), "argument");
    must(clEnqueueNDRangeKernel(first, bytes, 1, NULL, &(size_t){COUNT}, NULL, 0, NULL, NULL), "launch");
    must(clSetKernelArg(bytes, 1, sizeof(cl_int), &(cl_int){1}), "argument");
    must(clEnqueueNDRangeKernel(second, bytes, 1, NULL, &(size_t){COUNT}, NULL, 0, NULL, NULL), "launch");
    finish();
}

/* ---- the host waits, or does not ---- */

static void CL_CALLBACK on_end(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status;
    atomic_store((atomic_int *)data, 1);
}

static void pause_a_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void callback(void)
{
    static atomic_int ended;
    cl_event event;
    launch_put(first, out, 0, COUNT, &event);
    if (wrong) /* before the callback could have come */
        must(clEnqueueCopyBuffer(second, out, in, 0, 0, BYTES, 0, NULL, NULL), "copy");
    must(clSetEventCallback(event, CL_COMPLETE, on_end, &ended), "callback");
    must(clFlush(first), "flush");
    while (!atomic_load(&ended))
        pause_a_moment();
    if (!wrong)
        must(clEnqueueCopyBuffer(second, out, in, 0, 0, BYTES, 0, NULL, NULL), "copy");
    finish();
    must(clReleaseEvent(event), "event");
}

static void polled(void)
{
    cl_event event;
    cl_int status = CL_QUEUED;
    launch_put(first, out, 0, COUNT, &event);
    must(clFlush(first), "flush");
    while (!wrong && status != CL_COMPLETE) {
        must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), "status");
        pause_a_moment();
    }
    must(clEnqueueCopyBuffer(second, out, in, 0, 0, BYTES, 0, NULL, NULL), "copy");
    finish();
    must(clReleaseEvent(event), "event");
}

/* A marker with a wait list waits for its list, not for everything before it. */
static void marker(void)
{
    cl_event fill, marked;
    must(clEnqueueFillBuffer(loose, in, &(cl_int){1}, 4, 0, BYTES, 0, NULL, &fill), "fill");
    launch_put(loose, out, 0, COUNT, NULL);
    must(clEnqueueMarkerWithWaitList(loose, wrong ? 1 : 0, wrong ? &fill : NULL, &marked), "marker");
    must(clEnqueueCopyBuffer(loose, out, in, 0, 0, BYTES, 1, &marked, NULL), "copy");
    finish();
    must(clReleaseEvent(fill), "event");
    must(clReleaseEvent(marked), "event");
}

static void user_event(void)
{
    cl_int error;
    cl_event go = clCreateUserEvent(context, &error);
    must(error, "user event");
    must(clEnqueueFillBuffer(first, out, &(cl_int){1}, 4, 0, BYTES, 1, &go, NULL), "fill");
    if (!wrong) {
        must(clSetUserEventStatus(go, CL_COMPLETE), "status");
        finish();
    }
    must(clReleaseEvent(go), "event");
    if (wrong)
        exit(0);
}

/* The copy waits for a user event, which the host completes after it waited for the kernel, or without. */
static void user_event_ahead(void)
{
    cl_int error;
    cl_event go = clCreateUserEvent(context, &error);
    must(error, "user event");
    must(clEnqueueCopyBuffer(second, out, in, 0, 0, BYTES, 1, &go, NULL), "copy");
    launch_put(first, out, 0, COUNT, NULL);
    if (!wrong)
        must(clFinish(first), "finish");
    must(clSetUserEventStatus(go, CL_COMPLETE), "status");
    finish();
    must(clReleaseEvent(go), "event");
}

/* Far more commands than the checker remembers, on one queue; another one uses their numbers again. */
static void many_commands(void)
{
    cl_event event;
    for (unsigned i = 0; i < 1500; i++)
        must(clEnqueueFillBuffer(first, in, &(cl_int){1}, 4, 0, 4, 0, NULL, NULL), "fill");
    for (unsigned i = 0; i < 20; i++) {
        launch_put(second, out, 0, COUNT, &event);
        if (i < 19)
            must(clReleaseEvent(event), "event");
    }
    must(clEnqueueCopyBuffer(first, out, in, 0, 0, BYTES, wrong ? 0 : 1, wrong ? NULL : &event, NULL), "copy");
    finish();
    must(clReleaseEvent(event), "event");
}

/* The same with what a barrier waits for. */
static void many_before_barrier(void)
{
    cl_event event;
    for (unsigned i = 0; i < 1000; i++)
        must(clEnqueueMarkerWithWaitList(loose, 0, NULL, NULL), "marker");
    must(clEnqueueBarrierWithWaitList(loose, 0, NULL, NULL), "barrier");
    for (unsigned i = 0; i < 500; i++)
        must(clEnqueueMarkerWithWaitList(second, 0, NULL, NULL), "marker");
    launch_put(second, out, 0, COUNT, &event);
    must(clEnqueueCopyBuffer(loose, out, in, 0, 0, BYTES, wrong ? 0 : 1, wrong ? NULL : &event, NULL), "copy");
    finish();
    must(clReleaseEvent(event), "event");
}

/* More buffers than a kernel usually has: the last one counts, too. */
static void many_buffers(void)
{
    cl_mem all[20];
    cl_event event;
    cl_int error;
    for (cl_uint i = 0; i < 20; i++) {
        all[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
        must(error, "buffer");
        must(clSetKernelArg(twenty, i, sizeof(all[i]), &all[i]), "argument");
    }
    must(clEnqueueNDRangeKernel(first, twenty, 1, NULL, &(size_t){COUNT}, NULL, 0, NULL, &event), "launch");
    must(clEnqueueReadBuffer(second, all[19], CL_TRUE, 0, BYTES, numbers, wrong ? 0 : 1, wrong ? NULL : &event, NULL),
         "read");
    finish();
    must(clReleaseEvent(event), "event");
    for (unsigned i = 0; i < 20; i++)
        must(clReleaseMemObject(all[i]), "release");
}

/* ---- what has gone ---- */

static void launch_scaled(void)
{
    const size_t region[2] = {WIDTH, HEIGHT};
    must(clEnqueueNDRangeKernel(first, scaled, 2, NULL, region, NULL, 0, NULL, NULL), "launch");
    finish();
}

static void released_image(void)
{
    cl_mem other = make_image();
    must(clSetKernelArg(scaled, 0, sizeof(other), &other), "argument");
    if (wrong)
        must(clReleaseMemObject(other), "release");
    launch_scaled();
    if (!wrong)
        must(clReleaseMemObject(other), "release");
}

static void released_sampler(void)
{
    cl_int error;
    cl_sampler other = clCreateSamplerWithProperties(context, NULL, &error);
    must(error, "sampler");
    must(clSetKernelArg(scaled, 1, sizeof(other), &other), "argument");
    if (wrong)
        must(clReleaseSampler(other), "release");
    launch_scaled();
    if (!wrong)
        must(clReleaseSampler(other), "release");
}

static void svm_freed_early(void)
{
    int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    must(shared ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "SVM");
    must(clSetKernelArgSVMPointer(put, 0, shared), "argument");
    must(clSetKernelArg(put, 1, sizeof(cl_int), &(cl_int){7}), "argument");
    must(clEnqueueNDRangeKernel(first, put, 1, NULL, &(size_t){COUNT}, NULL, 0, NULL, NULL), "launch");
    if (!wrong)
        finish();
    clSVMFree(context, shared);
    finish();
}

static void svm_freed_by_queue(void)
{
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    must(shared ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "SVM");
    must(clEnqueueSVMMemFill(first, shared, &(cl_int){1}, 4, BYTES, 0, NULL, NULL), "fill");
    if (wrong)
        clSVMFree(context, shared);
    else
        must(clEnqueueSVMFree(first, 1, &shared, NULL, NULL, 0, NULL, NULL), "free");
    finish();
}

/* Another queue copies what a kernel writes to shared virtual memory. */
static void svm_queues(void)
{
    int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    cl_event event;
    must(shared ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "SVM");
    must(clSetKernelArgSVMPointer(put, 0, shared), "argument");
    must(clSetKernelArg(put, 1, sizeof(cl_int), &(cl_int){7}), "argument");
    must(clEnqueueNDRangeKernel(first, put, 1, NULL, &(size_t){COUNT / 2}, NULL, 0, NULL, &event), "launch");
    must(clEnqueueSVMMemcpy(second, CL_FALSE, numbers, shared + (wrong ? 0 : COUNT / 2), BYTES / 2, 0, NULL, NULL),
         "copy");
    must(clEnqueueSVMMemFill(second, shared, &(cl_int){1}, 4, BYTES, 1, &event, NULL), "fill");
    finish();
    clSVMFree(context, shared);
    must(clReleaseEvent(event), "event");
}

/* ---- leaks ---- */

static bool leak(const char *what)
{
    if (!strcmp(what, "contexts"))
        clRetainContext(context);
    else if (!strcmp(what, "command queues"))
        clRetainCommandQueue(first);
    else if (!strcmp(what, "buffers"))
        clRetainMemObject(in);
    else if (!strcmp(what, "programs"))
        clRetainProgram(program);
    else if (!strcmp(what, "kernels"))
        clRetainKernel(put);
    else if (!strcmp(what, "samplers"))
        clRetainSampler(sampler);
    else if (!strcmp(what, "events"))
        clCreateUserEvent(context, NULL);
    else if (!strcmp(what, "command-buffers"))
        make_command_buffer(first);
    else if (!strcmp(what, "semaphores"))
        make_semaphore();
    else if (!strcmp(what, "blocks of shared virtual memory"))
        clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    else
        return strcmp(what, "nothing") == 0;
    return true;
}

static const struct {
    const char *name;
    void (*run)(void);
} scenarios[] = {{"command_buffer", command_buffer},
                 {"sync_point", sync_point},
                 {"recorded_kernel", recorded_kernel},
                 {"semaphore", semaphore},
                 {"semaphore_ahead", semaphore_ahead},
                 {"user_event_ahead", user_event_ahead},
                 {"many_commands", many_commands},
                 {"many_before_barrier", many_before_barrier},
                 {"many_buffers", many_buffers},
                 {"interleaved", interleaved},
                 {"image_queues", image_queues},
                 {"image_halves", image_halves},
                 {"columns", columns},
                 {"row_between", row_between},
                 {"sub_buffers", sub_buffers},
                 {"callback", callback},
                 {"polled", polled},
                 {"marker", marker},
                 {"user_event", user_event},
                 {"released_image", released_image},
                 {"released_sampler", released_sampler},
                 {"svm_freed_early", svm_freed_early},
                 {"svm_freed_by_queue", svm_freed_by_queue},
                 {"svm_queues", svm_queues}};

static bool run(const char *name)
{
    const char *what = strchr(name, '_') ? strchr(name, '_') + 1 : name;
    wrong = strncmp(name, "wrong_", 6) == 0;
    if (strncmp(name, "leak_", 5) == 0)
        return leak(what);
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
        if (!strcmp(what, scenarios[i].name)) {
            scenarios[i].run();
            return true;
        }
    return false;
}

int main(int argc, char **argv)
{
    cl_int error;
    must(clGetPlatformIDs(1, &platform, NULL), "platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error, "context");
    first = make_queue(0);
    second = make_queue(0);
    loose = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    must(error, "program");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    put = clCreateKernel(program, "put", &error);
    must(error, "kernel");
    scaled = clCreateKernel(program, "scaled", &error);
    must(error, "kernel");
    drawn = clCreateKernel(program, "drawn", &error);
    must(error, "kernel");
    twenty = clCreateKernel(program, "twenty", &error);
    must(error, "kernel");
    every_second = clCreateKernel(program, "every_second", &error);
    must(error, "kernel");
    bytes = clCreateKernel(program, "bytes", &error);
    must(error, "kernel");
    in = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BYTES, numbers, &error);
    must(error, "buffer");
    out = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
    must(error, "buffer");
    sampler = clCreateSamplerWithProperties(context, NULL, &error);
    must(error, "sampler");
    image = make_image();
    must(clSetKernelArg(scaled, 0, sizeof(image), &image), "argument");
    must(clSetKernelArg(scaled, 1, sizeof(sampler), &sampler), "argument");
    must(clSetKernelArg(scaled, 2, sizeof(out), &out), "argument");
    if (argc < 2 || !run(argv[1])) {
        fprintf(stderr, "no scenario '%s'\n", argc < 2 ? "" : argv[1]);
        return 1;
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(image);
    clReleaseSampler(sampler);
    clReleaseKernel(put);
    clReleaseKernel(scaled);
    clReleaseKernel(drawn);
    clReleaseKernel(twenty);
    clReleaseKernel(every_second);
    clReleaseKernel(bytes);
    clReleaseProgram(program);
    clReleaseCommandQueue(first);
    clReleaseCommandQueue(second);
    clReleaseCommandQueue(loose);
    clReleaseContext(context);
    return 0;
}
