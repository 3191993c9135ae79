/* Failures and long runs: faults, the watchdog, output of a running kernel, forks, exits. */
#define _POSIX_C_SOURCE 200809L
#include "cl_test.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static cl_program program;

static void sleep_ms(long ms)
{
    const struct timespec moment = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&moment, NULL);
}

static cl_int status_of(cl_event event)
{
    cl_int status = 99;
    CHECK_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), CL_SUCCESS);
    return status;
}

static void CL_CALLBACK keep_text(const char *text, const void *info, size_t size, void *data)
{
    (void)info, (void)size;
    snprintf(data, 2048, "%s", text);
}

/* Files of the test's own directory. */
static char *path_of(const char *name, char path[4096])
{
    snprintf(path, 4096, "%s/%s", test_env("CY_TMP"), name);
    return path;
}

static void read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t got = file ? fread(text, 1, size - 1, file) : 0;
    text[got] = 0;
    if (file)
        fclose(file);
}

/* A fault is the status of its own event; its text goes to its own context's callback and to standard error. */
static void test_fault(void)
{
    static const char source[] = "kernel void wild(global int *p) { p[1 << 28] = 1; }\n"
                                 "kernel void fine(global int *p) { p[get_global_id(0)] = 7; }\n";
    char text[2048] = "", quiet[2048] = "", printed[4096], path[4096];
    const char *text_of_program = source;
    cl_int error, got = 0;
    size_t one = 1;
    cl_event faulted, dependent, behind;
    cl_context own = clCreateContext(NULL, 1, &device, keep_text, text, &error);
    cl_context other = clCreateContext(NULL, 1, &device, keep_text, quiet, &error);
    cl_command_queue first = clCreateCommandQueue(own, device, 0, &error);
    cl_command_queue second = clCreateCommandQueue(own, device, 0, &error);
    cl_command_queue third = clCreateCommandQueue(other, device, 0, &error);
    cl_mem mem = clCreateBuffer(own, 0, 4, NULL, &error), others = clCreateBuffer(other, 0, 4, NULL, &error);
    cl_program parts[2];
    cl_kernel wild, fine[2];
    for (int i = 0; i < 2; i++) {
        parts[i] = clCreateProgramWithSource(i ? other : own, 1, &text_of_program, NULL, &error);
        CHECK_EQ(clBuildProgram(parts[i], 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
        fine[i] = kernel_of(parts[i], "fine");
        CHECK_EQ(clSetKernelArg(fine[i], 0, sizeof(mem), i ? &others : &mem), CL_SUCCESS);
    }
    wild = kernel_of(parts[0], "wild");
    CHECK_EQ(clSetKernelArg(wild, 0, sizeof(mem), &mem), CL_SUCCESS);
    setenv("CHENGYING_DEBUG", "1", 1);
    fflush(stderr);
    int saved = dup(2);
    FILE *file = freopen(path_of("stderr", path), "w", stderr);
    CHECK(file != NULL);
    CHECK_EQ(clEnqueueNDRangeKernel(first, wild, 1, NULL, &one, NULL, 0, NULL, &faulted), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(second, mem, CL_FALSE, 0, 4, &got, 1, &faulted, &dependent), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(first, fine[0], 1, NULL, &one, NULL, 0, NULL, &behind), CL_SUCCESS);
    cl_int waited = clWaitForEvents(1, &faulted);
    clFinish(first), clFinish(second);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    unsetenv("CHENGYING_DEBUG");
    CHECK_EQ(waited, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(status_of(faulted), CL_OUT_OF_RESOURCES);
    CHECK_EQ(status_of(dependent), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(status_of(behind), CL_COMPLETE);
    read_text(path, printed, sizeof(printed));
    CHECK(strstr(text, "unmapped memory: write of 4 bytes") && strstr(text, "wild"));
    CHECK(strstr(printed, text));
    CHECK_STR(quiet, "");
    CHECK_EQ(clEnqueueReadBuffer(second, mem, CL_TRUE, 0, 4, &got, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(got, 7);
    CHECK_EQ(clEnqueueNDRangeKernel(third, fine[1], 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(third, others, CL_TRUE, 0, 4, &got, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(got, 7);
    clReleaseEvent(faulted), clReleaseEvent(dependent), clReleaseEvent(behind);
    clReleaseKernel(wild), clReleaseKernel(fine[0]), clReleaseKernel(fine[1]);
    clReleaseProgram(parts[0]), clReleaseProgram(parts[1]);
    clReleaseMemObject(mem), clReleaseMemObject(others);
    clReleaseCommandQueue(first), clReleaseCommandQueue(second), clReleaseCommandQueue(third);
    clReleaseContext(own), clReleaseContext(other);
}

/* What is printed on standard error when two kernels fault twice each, with CHENGYING_DEBUG as given. */
static void print_faults(const char *setting, char *printed, size_t size)
{
    const char *source = "kernel void wild(global int *p)\n{\n    p[1 << 28] = 1;\n}\n"
                         "kernel void other(global int *p)\n{\n#line 77 \"there.h\"\n    p[-1 << 28] = 1;\n}\n";
    static const char *const names[] = {"wild", "other"};
    cl_int error;
    size_t one = 1;
    char path[4096];
    cl_program faulty = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    cl_mem mem = buffer_of(0, 4, NULL);
    CHECK_EQ(clBuildProgram(faulty, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    if (setting)
        setenv("CHENGYING_DEBUG", setting, 1);
    fflush(stderr);
    int saved = dup(2);
    CHECK(freopen(path_of("stderr", path), "w", stderr) != NULL);
    for (size_t i = 0; i < 4; i++) {
        cl_kernel kernel = kernel_of(faulty, names[i / 2]); /* another object, the same kernel */
        clSetKernelArg(kernel, 0, sizeof(mem), &mem);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
        clFinish(queue);
        clReleaseKernel(kernel);
    }
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    unsetenv("CHENGYING_DEBUG");
    read_text(path, printed, size);
    clReleaseMemObject(mem), clReleaseProgram(faulty);
}

static unsigned count_of(const char *text, const char *what)
{
    unsigned count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

/* Faults are printed by default, with their source line, once per kernel. */
static void test_printed_faults(void)
{
    char printed[16384];
    print_faults(NULL, printed, sizeof(printed));
    CHECK_EQ(count_of(printed, "fault: "), 2);
    CHECK_EQ(count_of(printed, "source    <source>:3\n"), 1);
    CHECK_EQ(count_of(printed, "source    there.h:77\n"), 1);
    CHECK_EQ(count_of(printed, "CHENGYING_DEBUG=0 to silence"), 2);
    CHECK(strstr(printed, "further faults of kernel 'wild'"));
    print_faults("1", printed, sizeof(printed));
    CHECK_EQ(count_of(printed, "fault: "), 4);
    CHECK_EQ(count_of(printed, "silence"), 0);
    print_faults("0", printed, sizeof(printed));
    CHECK_STR(printed, "");
}

/* A trap is a fault with its line, warp and lane; what was stored before it stays. */
static void test_trap(const char *options)
{
    const char *source = "kernel void trap(global int *p)\n{\n    int i = get_global_id(0);\n    p[i] = i + 1;\n"
                         "    if (i == 101)\n        __builtin_trap();\n    p[i] = -1;\n}\n";
    char text[2048] = "";
    cl_int error, got[128] = {0};
    size_t all = 128;
    cl_event event;
    cl_context own = clCreateContext(NULL, 1, &device, keep_text, text, &error);
    cl_command_queue first = clCreateCommandQueue(own, device, 0, &error);
    cl_mem mem = clCreateBuffer(own, CL_MEM_COPY_HOST_PTR, sizeof(got), got, &error);
    cl_program traps = clCreateProgramWithSource(own, 1, &source, NULL, &error);
    CHECK_EQ(clBuildProgram(traps, 0, NULL, options, NULL, NULL), CL_SUCCESS);
    cl_kernel trap = kernel_of(traps, "trap");
    CHECK_EQ(clSetKernelArg(trap, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(first, trap, 1, NULL, &all, &all, 0, NULL, &event), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(status_of(event), CL_OUT_OF_RESOURCES);
    CHECK(strstr(text, "the kernel trapped") && strstr(text, ":6\n") && strstr(text, "warp 3, lane 5") &&
          strstr(text, "global id (101, 0, 0)"));
    CHECK_EQ(clEnqueueReadBuffer(first, mem, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(got[101], 102);
    clReleaseEvent(event), clReleaseKernel(trap), clReleaseProgram(traps), clReleaseMemObject(mem);
    clReleaseCommandQueue(first), clReleaseContext(own);
}

/* A kernel that never ends is stopped; the commands after it run. */
static void test_watchdog(void)
{
    cl_int zero = 0, got = 0;
    size_t one = 1;
    cl_event event;
    cl_kernel spin = kernel_of(program, "spin"), fine = kernel_of(program, "fine");
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, 4, &zero);
    CHECK_EQ(clSetKernelArg(spin, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(fine, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, spin, 1, NULL, &one, NULL, 0, NULL, &event), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, fine, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &got, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(got, 7);
    clReleaseEvent(event), clReleaseKernel(spin), clReleaseKernel(fine), clReleaseMemObject(mem);
}

/* A kernel's output arrives while it runs: it continues only when the host has seen the first line. */
static void test_output_meanwhile(void)
{
    cl_int error, zero = 0;
    size_t one = 1;
    char path[4096], text[256] = "";
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &error);
    cl_kernel say = kernel_of(program, "say");
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, 4, &zero);
    CHECK_EQ(clSetKernelArg(say, 0, sizeof(mem), &mem), CL_SUCCESS);
    fflush(stdout);
    int saved = dup(1);
    FILE *file = freopen(path_of("stdout", path), "w", stdout);
    cl_int launched = clEnqueueNDRangeKernel(queue, say, 1, NULL, &one, NULL, 0, NULL, NULL);
    clFlush(queue);
    for (int i = 0; i < 400 && strcmp(text, "first\n") != 0; i++) {
        sleep_ms(2);
        read_text(path, text, sizeof(text));
    }
    bool early = !strcmp(text, "first\n");
    cl_int *shared = clEnqueueMapBuffer(other, mem, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &error);
    if (shared)
        __atomic_store_n(shared, 1, __ATOMIC_RELEASE); /* as the kernel reads it */
    clEnqueueUnmapMemObject(other, mem, shared, 0, NULL, NULL);
    clFinish(queue);
    read_text(path, text, sizeof(text));
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    CHECK(file != NULL);
    CHECK_EQ(launched, CL_SUCCESS);
    CHECK(early);
    CHECK_STR(text, "first\nsecond\n");
    clReleaseKernel(say), clReleaseMemObject(mem), clReleaseCommandQueue(other);
}

/* A child that only exits, or execs another program, is not blocked by threads that it does not have. */
static void test_fork(void)
{
    for (int kind = 0; kind < 3; kind++) {
        pid_t child = fork();
        if (!child) {
            if (kind == 0)
                _exit(0);
            if (kind == 1)
                execlp("true", "true", (char *)NULL);
            exit(0);
        }
        int status = -1;
        for (int i = 0; i < 5000 && !waitpid(child, &status, WNOHANG); i++)
            sleep_ms(2);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    int got = 0; /* the parent continues */
    cl_mem mem = buffer_of(0, 4, NULL);
    cl_kernel fine = kernel_of(program, "fine");
    CHECK_EQ(clSetKernelArg(fine, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, fine, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &got, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(got, 7);
    clReleaseMemObject(mem), clReleaseKernel(fine);
}

int main(void)
{
    setenv("CHENGYING_MACHINE", "watchdog-seconds=1", 1);
    set_up(0);
    program = build("kernel void fine(global int *p) { p[get_global_id(0)] = 7; }\n"
                    "kernel void spin(global volatile int *p) { while (*p == 0); }\n"
                    "kernel void say(global volatile int *p)\n"
                    "{ printf(\"first\\n\"); while (atomic_or(p, 0) == 0); printf(\"second\\n\"); }\n",
                    NULL);
    test_fault();
    test_printed_faults();
    test_trap(NULL);
    test_trap("-g");
    test_trap("-g -cl-opt-disable");
    test_watchdog();
    test_output_meanwhile();
    test_fork();
    clReleaseProgram(program);
    tear_down();
    return test_finish();
}
