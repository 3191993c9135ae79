/* Processes that fork: a child gets errors for its parent's objects, at once and whatever the parent was doing, and can
 * use OpenCL itself. */
#define _GNU_SOURCE /* setenv */
#include "cl_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* LeakSanitizer asks this.  A child has the memory of its parent's threads, but not the threads that would free it. */
int __lsan_is_turned_off(void);
static pid_t parent;
int __lsan_is_turned_off(void)
{
    return getpid() != parent;
}

static const char source[] = "kernel void add(global int *p) { p[get_global_id(0)] += 3; }\n"
                             "kernel void endless(global int *p)\n"
                             "{ while (atomic_or((global volatile int *)p, 0) == 0); }\n";
static cl_program program;
static unsigned char *binary;
static size_t binary_size;

/* True: the child exited by itself, with status 0. */
static bool ended_well(pid_t child)
{
    int status = -1;
    pid_t ended = 0;
    for (int i = 0; i < 30000 && !ended; i++) {
        ended = waitpid(child, &status, WNOHANG);
        if (!ended)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    if (!ended) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A context, a program from the binary, a kernel: a complete run. */
static void compute(void)
{
    cl_int error, status, got[64] = {0};
    size_t items = 64;
    const unsigned char *bytes = binary;
    cl_context own = clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_command_queue mine = clCreateCommandQueue(own, device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_program made = clCreateProgramWithBinary(own, 1, &device, &binary_size, &bytes, &status, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(made, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_kernel kernel = kernel_of(made, "add");
    cl_mem mem = clCreateBuffer(own, CL_MEM_COPY_HOST_PTR, sizeof(got), got, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(clEnqueueNDRangeKernel(mine, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(mine, mem, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(got[i], 9);
    clReleaseMemObject(mem), clReleaseKernel(kernel), clReleaseProgram(made), clReleaseCommandQueue(mine);
    CHECK_EQ(clReleaseContext(own), CL_SUCCESS);
}

/* What the parent had. */
struct objects {
    cl_mem mem;
    cl_kernel kernel;
    cl_event event, user;
};

static void expect_errors(const struct objects *o)
{
    cl_int error, number = 0, status;
    size_t one = 1;
    const char *text = source;
    CHECK_EQ(clFinish(queue), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clFlush(queue), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clWaitForEvents(1, &o->event), CL_INVALID_EVENT);
    CHECK_EQ(clGetEventInfo(o->event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &status, NULL), CL_INVALID_EVENT);
    CHECK_EQ(clSetUserEventStatus(o->user, CL_COMPLETE), CL_INVALID_EVENT);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, o->kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueReadBuffer(queue, o->mem, CL_TRUE, 0, 4, &number, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK(!clEnqueueMapBuffer(queue, o->mem, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &error));
    CHECK_EQ(error, CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
    CHECK(!clCreateKernel(program, "add", &error));
    CHECK_EQ(error, CL_INVALID_PROGRAM);
    CHECK(!clCreateProgramWithSource(context, 1, &text, NULL, &error));
    CHECK_EQ(error, CL_INVALID_CONTEXT);
    CHECK(!clCreateBuffer(context, 0, 4, NULL, &error));
    CHECK_EQ(error, CL_INVALID_CONTEXT);
    CHECK(!clCreateCommandQueue(context, device, 0, &error));
    CHECK_EQ(error, CL_INVALID_CONTEXT);
    CHECK_EQ(clSetKernelArg(o->kernel, 0, sizeof(o->mem), &o->mem), CL_INVALID_KERNEL);
    CHECK_EQ(clReleaseEvent(o->event), CL_INVALID_EVENT);
    CHECK_EQ(clReleaseKernel(o->kernel), CL_INVALID_KERNEL);
    CHECK_EQ(clReleaseMemObject(o->mem), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clReleaseProgram(program), CL_INVALID_PROGRAM);
    CHECK_EQ(clReleaseCommandQueue(queue), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clReleaseContext(context), CL_INVALID_CONTEXT);
}

static void fork_and_use(const struct objects *o)
{
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        expect_errors(o);
        compute();
        pid_t grandchild = fork();
        if (!grandchild) {
            compute();
            exit(test_finish());
        }
        CHECK(ended_well(grandchild));
        exit(test_finish());
    }
    CHECK(ended_well(child));
}

/* ---- a busy parent ---- */

static atomic_bool enough;

static void *finish(void *of)
{
    clFinish(of);
    return NULL;
}

/* Takes every lock, as often as it can. */
static void *hammer(void *data)
{
    const struct objects *o = data;
    cl_int error, numbers[16] = {0};
    size_t one = 1;
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &error);
    while (!atomic_load(&enough)) {
        cl_event event;
        clEnqueueWriteBuffer(other, o->mem, CL_FALSE, 0, sizeof(numbers), numbers, 0, NULL, NULL);
        clEnqueueNDRangeKernel(other, o->kernel, 1, NULL, &one, NULL, 0, NULL, &event);
        clWaitForEvents(1, &event);
        clReleaseEvent(event);
    }
    clReleaseCommandQueue(other);
    return NULL;
}

static void test_children(void)
{
    cl_int error, zero = 0, one = 1;
    size_t items = 1;
    struct objects o = {.mem = buffer_of(0, 64, NULL), .kernel = kernel_of(program, "add")};
    cl_mem flag = buffer_of(CL_MEM_COPY_HOST_PTR, 4, &zero);
    cl_kernel endless = kernel_of(program, "endless");
    o.user = clCreateUserEvent(context, &error);
    CHECK_EQ(clSetKernelArg(o.kernel, 0, sizeof(o.mem), &o.mem), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, o.kernel, 1, NULL, &items, NULL, 0, NULL, &o.event), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    fork_and_use(&o); /* threads that wait */
    pthread_t threads[3];
    CHECK_EQ(clSetKernelArg(endless, 0, sizeof(flag), &flag), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, endless, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(pthread_create(&threads[0], NULL, finish, queue), 0);
    for (int i = 1; i < 3; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, hammer, &o), 0);
    for (int i = 0; i < 20; i++)
        fork_and_use(&o);
    atomic_store(&enough, true);
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &error);
    CHECK_EQ(clEnqueueWriteBuffer(other, flag, CL_TRUE, 0, 4, &one, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    compute();
    clReleaseCommandQueue(other), clReleaseKernel(endless), clReleaseKernel(o.kernel), clReleaseMemObject(flag);
    clReleaseMemObject(o.mem), clReleaseEvent(o.user), clReleaseEvent(o.event);
}

/* A process forked before its parent has used OpenCL is like any other. */
static void test_early_child(void)
{
    pid_t child = fork();
    if (!child) {
        set_up(0);
        clReleaseProgram(build(source, NULL));
        tear_down();
        exit(test_finish());
    }
    CHECK(ended_well(child));
}

/* CHENGYING_STATS: each process shows the kernels it ran, once. */
static void test_statistics(void)
{
    int pipes[2];
    char text[8192] = "";
    size_t size = 0, tables = 0;
    CHECK(!pipe(pipes));
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        setenv("CHENGYING_STATS", "1", 1);
        dup2(pipes[1], 2);
        close(pipes[0]), close(pipes[1]);
        set_up(0);
        program = build(source, NULL);
        struct objects o = {.mem = buffer_of(0, 64, NULL), .kernel = kernel_of(program, "add")};
        clSetKernelArg(o.kernel, 0, sizeof(o.mem), &o.mem);
        clEnqueueNDRangeKernel(queue, o.kernel, 1, NULL, &(size_t){16}, NULL, 0, NULL, NULL);
        clFinish(queue);
        pid_t idle = fork();
        if (!idle)
            exit(0);
        bool well = ended_well(idle);
        exit(!well || test_finish());
    }
    close(pipes[1]);
    for (ssize_t got; (got = read(pipes[0], text + size, sizeof(text) - 1 - size)) > 0;)
        size += (size_t)got;
    close(pipes[0]);
    CHECK(ended_well(child));
    for (const char *at = text; (at = strstr(at, "milliseconds")); at++)
        tables++;
    CHECK_EQ(tables, 1);
}

int main(void)
{
    parent = getpid();
    test_early_child();
    test_statistics();
    set_up(0);
    program = build(source, NULL);
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(binary_size), &binary_size, NULL), CL_SUCCESS);
    binary = malloc(binary_size);
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL), CL_SUCCESS);
    test_children();
    clReleaseProgram(program);
    tear_down();
    free(binary);
    return test_finish();
}
