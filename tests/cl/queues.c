/* Many queues on one device: kernels that never end do not block the others. */
#define _GNU_SOURCE /* setenv */
#include "cl_test.h"
#include "gpu/engine/guest_access.h" /* CY_TSAN */

#include <pthread.h>

enum { ENDLESS = 13 };

static cl_program program;

static cl_command_queue queue_of(void)
{
    cl_int error;
    cl_command_queue made = clCreateCommandQueue(context, device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return made;
}

static void launch(cl_command_queue on, const char *name, cl_mem mem, size_t items, cl_event *event)
{
    cl_kernel kernel = kernel_of(program, name);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, NULL, 0, NULL, event), CL_SUCCESS);
    clReleaseKernel(kernel);
}

static cl_int status_of(cl_event event)
{
    cl_int status = 1234;
    CHECK_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), CL_SUCCESS);
    return status;
}

static void CL_CALLBACK call(cl_event event, cl_int status, void *data)
{
    cl_event *user = data;
    (void)event;
    clSetUserEventStatus(*user, status);
}

/* Infinite kernels on many queues, each followed by another command, some of them waited for by a thread. */
struct endless {
    cl_command_queue queues[ENDLESS];
    cl_event events[ENDLESS], behind[ENDLESS];
    cl_mem flag, source, target;
    pthread_t threads[2];
};

static void *finish(void *of)
{
    clFinish(of);
    return NULL;
}

static void begin(struct endless *e)
{
    cl_int zero = 0;
    e->flag = buffer_of(CL_MEM_COPY_HOST_PTR, 4, &zero);
    e->source = buffer_of(CL_MEM_COPY_HOST_PTR, 4, &zero);
    e->target = buffer_of(0, 4 * ENDLESS, NULL);
    for (int i = 0; i < ENDLESS; i++) {
        e->queues[i] = queue_of();
        launch(e->queues[i], "endless", e->flag, i % 3 ? 1 : 10000, &e->events[i]);
        CHECK_EQ(clEnqueueCopyBuffer(e->queues[i], e->source, e->target, 0, (size_t)i * 4, 4, 0, NULL, &e->behind[i]),
                 CL_SUCCESS);
        clFlush(e->queues[i]);
    }
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_create(&e->threads[i], NULL, finish, e->queues[i]), 0);
}

static void end(struct endless *e, cl_int status)
{
    for (int i = 0; i < ENDLESS; i++) {
        clFinish(e->queues[i]);
        CHECK_EQ(status_of(e->events[i]), status);
        CHECK_EQ(status_of(e->behind[i]), CL_COMPLETE);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(e->threads[i], NULL);
    for (int i = 0; i < ENDLESS; i++)
        clReleaseEvent(e->events[i]), clReleaseEvent(e->behind[i]), clReleaseCommandQueue(e->queues[i]);
    clReleaseMemObject(e->flag), clReleaseMemObject(e->source), clReleaseMemObject(e->target);
}

/* Everything that another queue can do gets done while none of them has ended. */
static void do_other_things(struct endless *e)
{
    cl_int error, got[64], seven = 7;
    cl_command_queue other = queue_of();
    cl_mem a = buffer_of(0, sizeof(got), NULL), b = buffer_of(0, sizeof(got), NULL);
    cl_event user = clCreateUserEvent(context, &error), copied, marker;
    CHECK_EQ(clEnqueueFillBuffer(other, a, &seven, 4, 0, sizeof(got), 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 5; i++)
        launch(other, "add", a, 64, NULL);
    CHECK_EQ(clEnqueueCopyBuffer(other, a, b, 0, 0, sizeof(got), 0, NULL, &copied), CL_SUCCESS);
    CHECK_EQ(clSetEventCallback(copied, CL_COMPLETE, call, &user), CL_SUCCESS);
    CHECK_EQ(clEnqueueMarkerWithWaitList(other, 1, &user, &marker), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &marker), CL_SUCCESS);
    launch(other, "add", b, 64, NULL);
    CHECK_EQ(clEnqueueReadBuffer(other, b, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(got[i], 7 + 6);
    for (int i = 0; i < ENDLESS; i++)
        CHECK(status_of(e->events[i]) > CL_COMPLETE);
    clReleaseEvent(user), clReleaseEvent(copied), clReleaseEvent(marker);
    clReleaseMemObject(a), clReleaseMemObject(b), clReleaseCommandQueue(other);
}

static void test_ended_by_host(void)
{
    struct endless e;
    cl_int error;
    begin(&e);
    do_other_things(&e);
    cl_int *shared = clEnqueueMapBuffer(queue, e.flag, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &error);
    if (CHECK(shared))
        __atomic_store_n(shared, 1, __ATOMIC_RELEASE); /* as the kernels read it */
    CHECK_EQ(clEnqueueUnmapMemObject(queue, e.flag, shared, 0, NULL, NULL), CL_SUCCESS);
    end(&e, CL_COMPLETE);
}

static void test_ended_by_watchdog(void)
{
    struct endless e;
    begin(&e);
    do_other_things(&e);
    end(&e, CL_OUT_OF_RESOURCES);
}

int main(int argc, char **argv)
{
    (void)argv;
    bool watched = argc > 1;
    const char *budget = CY_TSAN ? "watchdog-instructions=200000" : "watchdog-instructions=3000000";
    setenv("CHENGYING_MACHINE", watched ? budget : "watchdog-seconds=60", 1);
    set_up(0);
    program = build("kernel void endless(global int *p) { while (atomic_or((global volatile int *)p, 0) == 0); }\n"
                    "kernel void add(global int *p) { p[get_global_id(0)]++; }\n",
                    NULL);
    if (watched)
        test_ended_by_watchdog();
    else
        test_ended_by_host();
    clReleaseProgram(program);
    tear_down();
    return test_finish();
}
