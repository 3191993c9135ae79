/* Events: the status of commands, callbacks for every status, failures along wait lists, times. */
#define _POSIX_C_SOURCE 200809L
#include "cl_test.h"

#include <stdatomic.h>
#include <time.h>

static cl_mem mem;
static cl_kernel kernel;
static char bytes[1024];

static cl_int status_of(cl_event event)
{
    cl_int status = 99;
    CHECK_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), CL_SUCCESS);
    return status;
}

static void sleep_ms(long ms)
{
    const struct timespec moment = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&moment, NULL);
}

/* Waits for another thread's action. */
static bool becomes(atomic_int *counter, int value)
{
    for (int i = 0; i < 5000 && atomic_load(counter) != value; i++)
        sleep_ms(2);
    return atomic_load(counter) == value;
}

/* Every kind of command, waiting for `list`. */
enum { COMMANDS = 16 };
static void enqueue_all(cl_command_queue to, cl_uint count, const cl_event *list, cl_event events[COMMANDS])
{
    const size_t one = 1, origin[3] = {0, 0, 0}, other[3] = {512, 0, 0}, region[3] = {16, 2, 1};
    const cl_uint pattern = 0; /* read here, while a command may still write `bytes` */
    cl_int error;
    int i = 0;
    CHECK_EQ(clEnqueueReadBuffer(to, mem, CL_FALSE, 0, 64, bytes, count, list, &events[i++]), CL_SUCCESS);
    CHECK_EQ(clEnqueueWriteBuffer(to, mem, CL_FALSE, 0, 64, bytes, count, list, &events[i++]), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBuffer(to, mem, mem, 0, 512, 64, count, list, &events[i++]), CL_SUCCESS);
    CHECK_EQ(clEnqueueFillBuffer(to, mem, &pattern, sizeof(pattern), 0, 64, count, list, &events[i++]), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBufferRect(to, mem, CL_FALSE, origin, origin, region, 0, 0, 0, 0, bytes, count, list,
                                     &events[i++]),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueWriteBufferRect(to, mem, CL_FALSE, origin, origin, region, 0, 0, 0, 0, bytes, count, list,
                                      &events[i++]),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBufferRect(to, mem, mem, origin, other, region, 0, 0, 0, 0, count, list, &events[i++]),
             CL_SUCCESS);
    void *map = clEnqueueMapBuffer(to, mem, CL_FALSE, CL_MAP_READ, 0, 64, count, list, &events[i++], &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(to, mem, map, count, list, &events[i++]), CL_SUCCESS);
    CHECK_EQ(clEnqueueMigrateMemObjects(to, 1, &mem, 0, count, list, &events[i++]), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(to, kernel, 1, NULL, &one, NULL, count, list, &events[i++]), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(to, kernel, 1, NULL, NULL, NULL, count, list, &events[i++]), CL_SUCCESS);
    CHECK_EQ(clEnqueueTask(to, kernel, count, list, &events[i++]), CL_SUCCESS);
    CHECK_EQ(clEnqueueMarkerWithWaitList(to, count, list, &events[i++]), CL_SUCCESS);
    CHECK_EQ(clEnqueueBarrierWithWaitList(to, count, list, &events[i++]), CL_SUCCESS);
    CHECK_EQ(clEnqueueMarker(to, &events[i++]), CL_SUCCESS);
    CHECK_EQ(i, COMMANDS);
}

static void release_all(cl_event events[COMMANDS])
{
    for (int i = 0; i < COMMANDS; i++)
        CHECK_EQ(clReleaseEvent(events[i]), CL_SUCCESS);
}

static void test_questions(void)
{
    static const cl_command_type types[COMMANDS] = {
        CL_COMMAND_READ_BUFFER,
        CL_COMMAND_WRITE_BUFFER,
        CL_COMMAND_COPY_BUFFER,
        CL_COMMAND_FILL_BUFFER,
        CL_COMMAND_READ_BUFFER_RECT,
        CL_COMMAND_WRITE_BUFFER_RECT,
        CL_COMMAND_COPY_BUFFER_RECT,
        CL_COMMAND_MAP_BUFFER,
        CL_COMMAND_UNMAP_MEM_OBJECT,
        CL_COMMAND_MIGRATE_MEM_OBJECTS,
        CL_COMMAND_NDRANGE_KERNEL,
        CL_COMMAND_NDRANGE_KERNEL,
        CL_COMMAND_TASK,
        CL_COMMAND_MARKER,
        CL_COMMAND_BARRIER,
        CL_COMMAND_MARKER,
    };
    cl_event events[COMMANDS];
    cl_int error;
    cl_command_queue of = NULL;
    cl_context in = NULL;
    cl_command_type type = 0;
    cl_uint count = 0;
    cl_event user = clCreateUserEvent(context, &error);
    enqueue_all(queue, 1, &user, events);
    for (int i = 0; i < COMMANDS; i++) {
        CHECK_EQ(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL), CL_SUCCESS);
        CHECK_EQ(type, types[i]);
        CHECK_EQ(clGetEventInfo(events[i], CL_EVENT_COMMAND_QUEUE, sizeof(of), &of, NULL), CL_SUCCESS);
        CHECK(of == queue);
        CHECK_EQ(clGetEventInfo(events[i], CL_EVENT_CONTEXT, sizeof(in), &in, NULL), CL_SUCCESS);
        CHECK(in == context);
        CHECK_EQ(status_of(events[i]), CL_QUEUED);
    }
    CHECK_EQ(clGetEventInfo(user, CL_EVENT_COMMAND_QUEUE, sizeof(of), &of, NULL), CL_SUCCESS);
    CHECK(!of);
    CHECK_EQ(clGetEventInfo(user, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL), CL_SUCCESS);
    CHECK_EQ(type, CL_COMMAND_USER);
    CHECK_EQ(status_of(user), CL_SUBMITTED);
    CHECK_EQ(clRetainEvent(user), CL_SUCCESS);
    CHECK_EQ(clGetEventInfo(user, CL_EVENT_REFERENCE_COUNT, sizeof(count), &count, NULL), CL_SUCCESS);
    CHECK(count >= 2);
    CHECK_EQ(clReleaseEvent(user), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(COMMANDS, events), CL_SUCCESS);
    for (int i = 0; i < COMMANDS; i++)
        CHECK_EQ(status_of(events[i]), CL_COMPLETE);
    release_all(events);
    clReleaseEvent(user);
}

/* Times of every kind of command never decrease, and are available only if profiling is enabled. */
static void test_times(void)
{
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                              CL_PROFILING_COMMAND_COMPLETE};
    cl_event events[COMMANDS];
    cl_int error;
    cl_ulong before, after, last_end = 0, device_time;
    cl_command_queue clock = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    CHECK_EQ(clGetDeviceAndHostTimer(device, &before, &device_time), CL_SUCCESS);
    enqueue_all(clock, 0, NULL, events);
    CHECK_EQ(clFinish(clock), CL_SUCCESS);
    CHECK_EQ(clGetDeviceAndHostTimer(device, &after, &device_time), CL_SUCCESS);
    for (int i = 0; i < COMMANDS; i++) {
        cl_ulong times[5] = {0};
        for (int t = 0; t < 5; t++)
            CHECK_EQ(clGetEventProfilingInfo(events[i], names[t], sizeof(times[t]), &times[t], NULL), CL_SUCCESS);
        for (int t = 1; t < 5; t++)
            CHECK(times[t] >= times[t - 1]);
        CHECK(times[0] >= before && times[4] <= after); /* the device's clock */
        CHECK(times[2] >= last_end);                    /* in order */
        last_end = times[3];
    }
    release_all(events);
    clReleaseCommandQueue(clock);
}

struct calls {
    atomic_int submitted, running, complete, error;
};

static void CL_CALLBACK note(cl_event event, cl_int status, void *data)
{
    struct calls *calls = data;
    (void)event;
    atomic_fetch_add(status == CL_SUBMITTED  ? &calls->submitted
                     : status == CL_RUNNING  ? &calls->running
                     : status == CL_COMPLETE ? &calls->complete
                                             : &calls->error,
                     1);
}

static void test_callbacks(void)
{
    static const cl_int types[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE};
    cl_event events[COMMANDS];
    cl_int error;
    for (int fails = 0; fails < 2; fails++) {
        struct calls calls = {0};
        cl_event user = clCreateUserEvent(context, &error);
        enqueue_all(queue, 1, &user, events);
        for (int i = 0; i < COMMANDS - 1; i++) /* the last has no wait list */
            for (int t = 0; t < 3; t++)
                CHECK_EQ(clSetEventCallback(events[i], types[t], note, &calls), CL_SUCCESS);
        CHECK_EQ(clSetEventCallback(user, CL_COMPLETE, note, &calls), CL_SUCCESS);
        sleep_ms(5);
        CHECK(!calls.submitted && !calls.running && !calls.complete && !calls.error);
        CHECK_EQ(clSetUserEventStatus(user, fails ? -5 : CL_COMPLETE), CL_SUCCESS);
        CHECK_EQ(clFinish(queue), CL_SUCCESS);
        int n = COMMANDS - 1;
        if (fails) { /* they were submitted, but never ran */
            CHECK(becomes(&calls.error, 2 * n + 1) && becomes(&calls.submitted, n));
            CHECK(!calls.running && !calls.complete);
            for (int i = 0; i < n; i++)
                CHECK_EQ(status_of(events[i]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        } else {
            CHECK(becomes(&calls.complete, n + 1) && becomes(&calls.running, n) && becomes(&calls.submitted, n));
            CHECK(!calls.error);
        }
        /* for an event that has ended each is called at once */
        struct calls late = {0};
        for (int t = 0; t < 3; t++)
            CHECK_EQ(clSetEventCallback(events[0], types[t], note, &late), CL_SUCCESS);
        if (fails)
            CHECK(becomes(&late.error, 3));
        else
            CHECK(becomes(&late.submitted, 1) && becomes(&late.running, 1) && becomes(&late.complete, 1));
        release_all(events);
        clReleaseEvent(user);
    }
}

/* A callback may enqueue further commands, and release the event.  It runs on another thread: it only counts. */
static struct {
    atomic_int rounds, errors;
    int value;
} chain;

static void CL_CALLBACK next_link(cl_event event, cl_int status, void *data)
{
    cl_event next;
    bool ok = status == CL_COMPLETE;
    (void)data;
    int round = atomic_load(&chain.rounds);
    if (round < 20) {
        chain.value++;
        ok = ok && clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4, &chain.value, 0, NULL, &next) == CL_SUCCESS;
    }
    ok = clReleaseEvent(event) == CL_SUCCESS && ok;
    atomic_fetch_add(&chain.errors, !ok);
    atomic_fetch_add(&chain.rounds, 1); /* the next one may start, or the test may check */
    if (round < 20) {
        ok = clSetEventCallback(next, CL_COMPLETE, next_link, NULL) == CL_SUCCESS && clFlush(queue) == CL_SUCCESS;
        atomic_fetch_add(&chain.errors, !ok);
    }
}

static void test_callback_chain(void)
{
    cl_int error;
    cl_event first = clCreateUserEvent(context, &error);
    CHECK_EQ(clSetEventCallback(first, CL_COMPLETE, next_link, NULL), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(first, CL_COMPLETE), CL_SUCCESS);
    CHECK(becomes(&chain.rounds, 21));
    CHECK_EQ(atomic_load(&chain.errors), 0);
    int got = 0;
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &got, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(got, 20);
}

/* Who has waited for an event, or for its queue, finds its callbacks done; a callback that waits itself does not wait for
 * callbacks, its own among them. */
struct slow_calls {
    atomic_int ended, errors;
    bool waits;
};

static void CL_CALLBACK slow(cl_event event, cl_int status, void *data)
{
    struct slow_calls *calls = data;
    sleep_ms(2);
    bool ok = status == CL_COMPLETE;
    if (calls->waits)
        ok = clWaitForEvents(1, &event) == CL_SUCCESS && clFinish(queue) == CL_SUCCESS && ok;
    atomic_fetch_add(&calls->errors, !ok);
    atomic_fetch_add(&calls->ended, 1);
}

static void test_callbacks_done(void)
{
    cl_int error;
    cl_event event;
    cl_command_queue unordered = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    for (int round = 0; round < 48; round++) {
        struct slow_calls calls = {.waits = round % 3 == 2};
        cl_command_queue at = round & 1 ? unordered : queue;
        const char zero = 0;
        CHECK_EQ(clEnqueueFillBuffer(at, mem, &zero, 1, 0, 4, 0, NULL, &event), CL_SUCCESS);
        CHECK_EQ(clSetEventCallback(event, CL_COMPLETE, slow, &calls), CL_SUCCESS);
        CHECK_EQ(clFlush(at), CL_SUCCESS);
        if (round & 4)
            sleep_ms(1); /* another thread has run it by now */
        CHECK_EQ(round & 2 ? clFinish(at) : clWaitForEvents(1, &event), CL_SUCCESS);
        CHECK_EQ(atomic_load(&calls.ended), 1);
        CHECK_EQ(atomic_load(&calls.errors), 0);
        clReleaseEvent(event);
    }
    for (int round = 0; round < 100; round++) { /* the reference count is the application's own at any time */
        const char zero = 0;
        cl_uint count = 0;
        const size_t at = (size_t)round; /* the one before may still run */
        CHECK_EQ(clEnqueueFillBuffer(unordered, mem, &zero, 1, at, 1, 0, NULL, &event), CL_SUCCESS);
        CHECK_EQ(clFlush(unordered), CL_SUCCESS);
        if (round & 1)
            CHECK_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
        CHECK_EQ(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(count), &count, NULL), CL_SUCCESS);
        CHECK_EQ(count, 1);
        CHECK_EQ(clGetCommandQueueInfo(unordered, CL_QUEUE_REFERENCE_COUNT, sizeof(count), &count, NULL), CL_SUCCESS);
        CHECK_EQ(count, 1);
        clReleaseEvent(event);
    }
    CHECK_EQ(clFinish(unordered), CL_SUCCESS);
    clReleaseCommandQueue(unordered);
}

/* A failure propagates along wait lists, across queues, but not to commands that merely follow it in a queue. */
static void test_failures(void)
{
    cl_int error, value = 3, got = 0;
    cl_command_queue other = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    cl_event user = clCreateUserEvent(context, &error), chained[3], behind;
    CHECK_EQ(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 4, &value, 0, NULL, NULL), CL_SUCCESS);
    value = 4;
    CHECK_EQ(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4, &value, 1, &user, &chained[0]), CL_SUCCESS);
    CHECK_EQ(clEnqueueMarkerWithWaitList(other, 1, &chained[0], &chained[1]), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(other, mem, CL_FALSE, 0, 4, &got, 1, &chained[1], &chained[2]), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, 4, &got, 0, NULL, &behind), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(user, -42), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(3, chained), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(status_of(user), -42);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(status_of(chained[i]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(clWaitForEvents(1, &behind), CL_SUCCESS);
    CHECK_EQ(got, 3);
    for (int i = 0; i < 3; i++)
        clReleaseEvent(chained[i]);
    clReleaseEvent(behind), clReleaseEvent(user), clReleaseCommandQueue(other);
}

/* clFlush submits commands; their status changes without anyone waiting. */
static void test_flush(void)
{
    cl_event event;
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){1}, NULL, 0, NULL, &event), CL_SUCCESS);
    CHECK_EQ(clFlush(queue), CL_SUCCESS);
    for (int i = 0; i < 5000 && status_of(event) != CL_COMPLETE; i++)
        sleep_ms(1);
    CHECK_EQ(status_of(event), CL_COMPLETE);
    clReleaseEvent(event);
}

/* Whoever releases the last reference when: the event, its queue and context live as long as they are needed. */
static void test_lifetime(void)
{
    for (int order = 0; order < 6; order++) {
        cl_int error, value = order, status = 99;
        cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
        cl_command_queue commands = clCreateCommandQueue(own, device, 0, &error);
        cl_event user = clCreateUserEvent(own, &error), event;
        cl_mem buffer = clCreateBuffer(own, 0, 4, NULL, &error);
        CHECK_EQ(clEnqueueWriteBuffer(commands, buffer, CL_FALSE, 0, 4, &value, 1, &user, &event), CL_SUCCESS);
        for (int step = 0; step < 3; step++)
            switch ((order / 2 + (order % 2 ? 2 - step : step)) % 3) {
            case 0: CHECK_EQ(clReleaseCommandQueue(commands), CL_SUCCESS); break;
            case 1: CHECK_EQ(clReleaseContext(own), CL_SUCCESS); break;
            default: CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS); break;
            }
        CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
        CHECK_EQ(clReleaseEvent(user), CL_SUCCESS);
        CHECK_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
        CHECK_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), CL_SUCCESS);
        CHECK_EQ(status, CL_COMPLETE);
        CHECK_EQ(clReleaseEvent(event), CL_SUCCESS);
    }
}

/* A command keeps its buffers until it has ended. */
static bool is_kept(cl_mem buffer)
{
    cl_uint count = 0;
    CHECK_EQ(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof(count), &count, NULL), CL_SUCCESS);
    return count > 1;
}

/* Commands end that nobody waits for, flushes or asks about, while there are no others and while more and more are enqueued. */
static void test_left_alone(void)
{
    const size_t one = 1;
    for (int more = 0; more < 2; more++)
        for (int round = 0; round < 20; round++) {
            CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
            for (int i = 0; more && i < 1000000 && is_kept(mem); i++)
                CHECK_EQ(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL), CL_SUCCESS);
            for (int i = 0; i < 5000 && is_kept(mem); i++)
                sleep_ms(1);
            CHECK(!is_kept(mem));
            if (round % 2) /* both after work that our threads do and after work that this one does */
                CHECK_EQ(clFinish(queue), CL_SUCCESS);
        }
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
}

int main(void)
{
    set_up(0);
    cl_program program = build("kernel void k(global int *p) { p[8] = 1; }", NULL);
    mem = buffer_of(0, sizeof(bytes), NULL);
    kernel = kernel_of(program, "k");
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    test_questions();
    test_times();
    test_callbacks();
    test_callback_chain();
    test_callbacks_done();
    test_failures();
    test_flush();
    test_lifetime();
    test_left_alone();
    clReleaseKernel(kernel), clReleaseProgram(program), clReleaseMemObject(mem);
    tear_down();
    return test_finish();
}
