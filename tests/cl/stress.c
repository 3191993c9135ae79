/* Threads, queues of both kinds and events at once: every thread's results are the same as if it ran alone. */
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

/* ---- a random graph of commands ---- */

enum { BUFFERS = 5, STEPS = 120, WORDS = 64 };

struct slot {
    cl_mem mem;
    cl_event writer, readers[STEPS];
    int reader_count;
    int model[WORDS];
};

struct graph {
    unsigned seed;
    bool good;
};

static unsigned pick(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % below;
}

/* What a command that reads `from` (or not) and writes `to` has to wait for. */
static cl_uint hazards(struct slot *from, struct slot *to, cl_event list[STEPS + 2])
{
    cl_uint count = 0;
    if (from && from->writer)
        list[count++] = from->writer;
    if (to->writer)
        list[count++] = to->writer;
    for (int i = 0; i < to->reader_count; i++)
        list[count++] = to->readers[i];
    return count;
}

static void done_with(struct slot *from, struct slot *to, cl_event event)
{
    if (from) {
        clRetainEvent(event);
        from->readers[from->reader_count++] = event;
    }
    while (to->reader_count)
        clReleaseEvent(to->readers[--to->reader_count]);
    if (to->writer)
        clReleaseEvent(to->writer);
    to->writer = event;
}

/* Fills, copies and kernels on five buffers in queues of both kinds, ordered only by events.  A user event holds
 * everything back until the graph is complete.  The result must be that of sequential execution. */
static void *run_graph(void *data)
{
    struct graph *graph = data;
    const size_t global = WORDS;
    struct slot slots[BUFFERS];
    cl_command_queue queues[3];
    cl_event list[STEPS + 2], event, gate;
    cl_int error;
    bool ok = true;
    memset(slots, 0, sizeof(slots));
    for (int q = 0; q < 3; q++)
        queues[q] = clCreateCommandQueue(context, device, q ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
    cl_kernel add = clCreateKernel(program, "add", &error);
    gate = clCreateUserEvent(context, &error);
    for (int b = 0; b < BUFFERS; b++) {
        slots[b].mem = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(slots[b].model), slots[b].model, &error);
        clRetainEvent(gate);
        slots[b].writer = gate;
    }
    for (int step = 1; step <= STEPS && ok; step++) {
        struct slot *to = &slots[pick(&graph->seed, BUFFERS)], *from = &slots[pick(&graph->seed, BUFFERS)];
        cl_command_queue to_queue = queues[pick(&graph->seed, 3)];
        unsigned kind = pick(&graph->seed, 3);
        if (kind == 0 && from != to) {
            cl_uint count = hazards(from, to, list);
            ok &= clEnqueueCopyBuffer(to_queue, from->mem, to->mem, 0, 0, sizeof(to->model), count, list, &event) ==
                  CL_SUCCESS;
            memcpy(to->model, from->model, sizeof(to->model));
            done_with(from, to, event);
        } else if (kind == 1) {
            cl_uint count = hazards(NULL, to, list);
            ok &= clEnqueueFillBuffer(to_queue, to->mem, &step, 4, 0, sizeof(to->model) / 2, count, list, &event) ==
                  CL_SUCCESS;
            for (int i = 0; i < WORDS / 2; i++)
                to->model[i] = step;
            done_with(NULL, to, event);
        } else {
            cl_uint count = hazards(NULL, to, list);
            ok &= clSetKernelArg(add, 0, sizeof(to->mem), &to->mem) == CL_SUCCESS;
            ok &= clSetKernelArg(add, 1, sizeof(step), &step) == CL_SUCCESS;
            ok &= clEnqueueNDRangeKernel(to_queue, add, 1, NULL, &global, NULL, count, list, &event) == CL_SUCCESS;
            for (int i = 0; i < WORDS; i++)
                to->model[i] += step + i;
            done_with(NULL, to, event);
        }
    }
    ok &= clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS;
    clReleaseEvent(gate);
    for (int b = 0; b < BUFFERS; b++) {
        int got[WORDS];
        ok &= clEnqueueReadBuffer(queues[0], slots[b].mem, CL_TRUE, 0, sizeof(got), got, 1, &slots[b].writer, NULL) ==
              CL_SUCCESS;
        ok &= !memcmp(got, slots[b].model, sizeof(got));
        while (slots[b].reader_count)
            clReleaseEvent(slots[b].readers[--slots[b].reader_count]);
        clReleaseEvent(slots[b].writer);
        clReleaseMemObject(slots[b].mem);
    }
    clReleaseKernel(add);
    for (int q = 0; q < 3; q++)
        clReleaseCommandQueue(queues[q]);
    graph->good = ok;
    return NULL;
}

static void test_graphs(void)
{
    const char *rounds = getenv("CY_STRESS_ROUNDS");
    for (int round = 0; round < (rounds ? atoi(rounds) : 5); round++) {
        pthread_t threads[THREADS];
        struct graph graphs[THREADS];
        for (int i = 0; i < THREADS; i++) {
            graphs[i] = (struct graph){(unsigned)(round * THREADS + i), false};
            pthread_create(&threads[i], NULL, run_graph, &graphs[i]);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            CHECK(graphs[i].good);
        }
    }
}

/* Contexts, queues, programs and buffers created and released in several threads at once. */
static void *come_and_go(void *data)
{
    bool *good = data;
    for (int i = 0; i < 8 && *good; i++) {
        const char *text = "kernel void one(global int *p) { *p = 1; }";
        cl_int error, got = 0;
        size_t one = 1;
        cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
        cl_command_queue commands = clCreateCommandQueue(own, device, 0, &error);
        cl_program small = clCreateProgramWithSource(own, 1, &text, NULL, &error);
        cl_mem mem = clCreateBuffer(own, 0, 4, NULL, &error);
        clReleaseContext(own);
        *good &= clBuildProgram(small, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS;
        cl_kernel kernel = clCreateKernel(small, "one", &error);
        clReleaseProgram(small);
        *good &= clSetKernelArg(kernel, 0, sizeof(mem), &mem) == CL_SUCCESS;
        *good &= clEnqueueNDRangeKernel(commands, kernel, 1, NULL, &one, NULL, 0, NULL, NULL) == CL_SUCCESS;
        clReleaseKernel(kernel);
        *good &= clEnqueueReadBuffer(commands, mem, CL_TRUE, 0, 4, &got, 0, NULL, NULL) == CL_SUCCESS && got == 1;
        clReleaseMemObject(mem);
        clReleaseCommandQueue(commands);
    }
    return NULL;
}

static void test_come_and_go(void)
{
    pthread_t threads[THREADS];
    bool good[THREADS];
    for (int i = 0; i < THREADS; i++) {
        good[i] = true;
        pthread_create(&threads[i], NULL, come_and_go, &good[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(good[i]);
    }
}

/* Objects released while commands still need them. */
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

/* A callback that needs a lock which the application holds while it waits: it must run on another thread. */
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

/* Callbacks asked for in one context while a thread that waits in another one looks for commands it may run. */
enum { COMMANDS = 16 };

static void *ask_for_calls(void *data)
{
    const size_t size = 1 << 18;
    cl_int error, step = 1;
    bool *good = data;
    cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue commands = clCreateCommandQueue(own, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    cl_mem mem = clCreateBuffer(own, 0, COMMANDS * size, NULL, &error);
    for (int round = 0; round < ROUNDS; round++) {
        cl_event events[COMMANDS], gate = clCreateUserEvent(own, &error);
        for (size_t i = 0; i < COMMANDS; i++)
            *good &= clEnqueueFillBuffer(commands, mem, &step, 4, i * size, size, 1, &gate, &events[i]) == CL_SUCCESS;
        *good &= clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS;
        for (size_t i = COMMANDS; i-- > 0;)
            *good &= clSetEventCallback(events[i], CL_COMPLETE, count_call, NULL) == CL_SUCCESS;
        clReleaseEvent(gate);
        *good &= clFinish(commands) == CL_SUCCESS;
        for (int i = 0; i < COMMANDS; i++)
            clReleaseEvent(events[i]);
    }
    clReleaseMemObject(mem), clReleaseCommandQueue(commands), clReleaseContext(own);
    return NULL;
}

static void test_callbacks_of_another_context(void)
{
    const size_t global = SIZE;
    cl_int step = 1;
    bool good = true, others_good = true;
    int before = calls;
    pthread_t thread;
    cl_kernel add = kernel_of(program, "add");
    cl_mem mem = buffer_of(0, SIZE * sizeof(int), NULL);
    clSetKernelArg(add, 0, sizeof(mem), &mem);
    clSetKernelArg(add, 1, sizeof(step), &step);
    pthread_create(&thread, NULL, ask_for_calls, &others_good);
    for (int round = 0; round < 20 * ROUNDS; round++)
        good &= clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS &&
                clFinish(queue) == CL_SUCCESS;
    pthread_join(thread, NULL);
    CHECK(good && others_good);
    pthread_mutex_lock(&held);
    while (calls < before + ROUNDS * COMMANDS)
        pthread_cond_wait(&heard, &held);
    pthread_mutex_unlock(&held);
    clReleaseMemObject(mem), clReleaseKernel(add);
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
    test_callbacks_of_another_context();
    test_graphs();
    test_come_and_go();
    clReleaseProgram(program);
    tear_down();
    return test_finish();
}
