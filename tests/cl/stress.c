/* Threads, queues of both kinds and events at once: every thread's buffers come out as if it had been alone. */
#include "cl_test.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 40, SIZE = 256 };

static cl_program program;

/* An out-of-order queue: two increments and a copy, ordered by events alone; then a barrier. */
static bool one_round(cl_command_queue own, cl_kernel add, cl_mem a, cl_mem b, int step)
{
    const size_t global = SIZE;
    cl_event events[4];
    int got[SIZE], zero = 0;
    bool ok = clEnqueueFillBuffer(own, a, &zero, 4, 0, sizeof(got), 0, NULL, &events[0]) == CL_SUCCESS;
    ok &= clSetKernelArg(add, 0, sizeof(a), &a) == CL_SUCCESS && clSetKernelArg(add, 1, 4, &step) == CL_SUCCESS;
    ok &= clEnqueueNDRangeKernel(own, add, 1, NULL, &global, NULL, 1, &events[0], &events[1]) == CL_SUCCESS;
    ok &= clEnqueueNDRangeKernel(own, add, 1, NULL, &global, NULL, 1, &events[1], &events[2]) == CL_SUCCESS;
    ok &= clEnqueueCopyBuffer(own, a, b, 0, 0, sizeof(got), 1, &events[2], &events[3]) == CL_SUCCESS;
    ok &= clEnqueueBarrierWithWaitList(own, 0, NULL, NULL) == CL_SUCCESS;
    ok &= clEnqueueReadBuffer(own, b, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL) == CL_SUCCESS;
    for (int i = 0; i < 4; i++)
        clReleaseEvent(events[i]);
    for (int i = 0; i < SIZE && ok; i++)
        ok = got[i] == 2 * (step + i);
    return ok;
}

static void *work(void *data)
{
    int number = *(int *)data;
    bool *good = calloc(1, sizeof(*good));
    cl_int error;
    cl_command_queue own =
        clCreateCommandQueue(context, device, number % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
    cl_kernel add = clCreateKernel(program, "add", &error);
    *good = error == CL_SUCCESS;
    for (int round = 0; round < ROUNDS && *good; round++) {
        cl_mem a = clCreateBuffer(context, 0, SIZE * sizeof(int), NULL, &error);
        cl_mem b = clCreateBuffer(context, 0, SIZE * sizeof(int), NULL, &error);
        *good = one_round(own, add, a, b, number * 1000 + round);
        clReleaseMemObject(a);
        clReleaseMemObject(b);
    }
    clReleaseKernel(add);
    clReleaseCommandQueue(own);
    return good;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        void *good;
        pthread_join(threads[i], &good);
        CHECK(*(bool *)good);
        free(good);
    }
}

/* Objects that are let go while commands still need them. */
static void test_early_release(void)
{
    const size_t global = SIZE;
    cl_int error, step = 1;
    for (int i = 0; i < 20; i++) {
        cl_event gate = clCreateUserEvent(context, &error), last;
        cl_command_queue own = clCreateCommandQueue(context, device, 0, &error);
        cl_kernel add = kernel_of(program, "add");
        cl_mem mem = buffer_of(0, SIZE * sizeof(int), NULL);
        clSetKernelArg(add, 0, sizeof(mem), &mem);
        clSetKernelArg(add, 1, sizeof(step), &step);
        CHECK_EQ(clEnqueueNDRangeKernel(own, add, 1, NULL, &global, NULL, 1, &gate, &last), CL_SUCCESS);
        clReleaseMemObject(mem), clReleaseKernel(add), clReleaseCommandQueue(own);
        CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        CHECK_EQ(clWaitForEvents(1, &last), CL_SUCCESS);
        clReleaseEvent(last), clReleaseEvent(gate);
    }
}

/* A callback that wants what the application holds while it waits: it has to run on another thread. */
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t heard = PTHREAD_COND_INITIALIZER;
static int calls;

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    pthread_mutex_lock(&held);
    calls++;
    pthread_cond_signal(&heard);
    pthread_mutex_unlock(&held);
}

static void test_callback_while_waiting(void)
{
    enum { CALLS = 50 };
    const size_t global = SIZE;
    cl_int error, step = 1;
    cl_command_queue own = clCreateCommandQueue(context, device, 0, &error);
    cl_kernel add = kernel_of(program, "add");
    cl_mem mem = buffer_of(0, SIZE * sizeof(int), NULL);
    clSetKernelArg(add, 0, sizeof(mem), &mem);
    clSetKernelArg(add, 1, sizeof(step), &step);
    for (int i = 0; i < CALLS; i++) {
        cl_event gate = clCreateUserEvent(context, &error), event;
        pthread_mutex_lock(&held);
        CHECK_EQ(clEnqueueNDRangeKernel(own, add, 1, NULL, &global, NULL, 1, &gate, &event), CL_SUCCESS);
        CHECK_EQ(clSetEventCallback(event, CL_COMPLETE, count_call, NULL), CL_SUCCESS);
        CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        CHECK_EQ(i % 2 ? clFinish(own) : clWaitForEvents(1, &event), CL_SUCCESS);
        while (calls <= i)
            pthread_cond_wait(&heard, &held);
        pthread_mutex_unlock(&held);
        clReleaseEvent(event), clReleaseEvent(gate);
    }
    clReleaseMemObject(mem), clReleaseKernel(add), clReleaseCommandQueue(own);
}

int main(void)
{
    set_up(0);
    program = build("kernel void add(global int *p, int step)\n"
                    "{ p[get_global_id(0)] += step + (int)get_global_id(0); }\n",
                    NULL);
    test_threads();
    test_early_release();
    test_callback_while_waiting();
    clReleaseProgram(program);
    tear_down();
    return test_finish();
}
