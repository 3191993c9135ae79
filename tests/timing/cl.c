/* With CHENGYING_TIMING events have the modelled device's time: whole cycles of its clock, the same in every run. */
#define _GNU_SOURCE /* setenv */
#include "cl_test.h"

enum { CYCLE_NS = 4 }; /* at 250 MHz */

static const char source[] = "kernel void work(global float *x, int n) {"
                             "    int i = get_global_id(0);"
                             "    float a = x[i];"
                             "    for (int k = 0; k < n; k++) a = a * 0.5f + 1.0f;"
                             "    x[i] = a;"
                             "}";

struct times {
    cl_ulong queued, submitted, started, ended;
};

static struct times times_of(cl_event event)
{
    struct times times = {0};
    CHECK_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    const struct {
        cl_profiling_info name;
        cl_ulong *value;
    } all[] = {{CL_PROFILING_COMMAND_QUEUED, &times.queued},
               {CL_PROFILING_COMMAND_SUBMIT, &times.submitted},
               {CL_PROFILING_COMMAND_START, &times.started},
               {CL_PROFILING_COMMAND_END, &times.ended}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        CHECK_EQ(clGetEventProfilingInfo(event, all[i].name, sizeof(cl_ulong), all[i].value, NULL), CL_SUCCESS);
    CHECK(times.queued <= times.submitted && times.submitted <= times.started && times.started < times.ended);
    clReleaseEvent(event);
    return times;
}

static struct times launch(cl_kernel kernel, cl_mem mem, cl_int n)
{
    const size_t global = 256, local = 64;
    cl_event event;
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(n), &n), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &event), CL_SUCCESS);
    return times_of(event);
}

/* The second one is generation 2's. */
static void use_device(cl_uint number)
{
    cl_device_id devices[2] = {0};
    cl_int error;
    tear_down();
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 2, devices, NULL), CL_SUCCESS);
    device = devices[number];
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    CHECK_EQ(error, CL_SUCCESS);
}

static void check_times(void)
{
    float values[256] = {0};
    cl_uint megahertz = 0;
    cl_ulong device_time = 0, host_time = 0;
    cl_event event;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof(megahertz), &megahertz, NULL), CL_SUCCESS);
    CHECK_EQ(megahertz, 250);
    cl_program program = build(source, "");
    cl_kernel kernel = kernel_of(program, "work");
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(values), values);

    const struct times first = launch(kernel, mem, 10), again = launch(kernel, mem, 10),
                       longer = launch(kernel, mem, 100);
    CHECK_EQ((first.ended - first.started) % CYCLE_NS, 0);
    CHECK_EQ(first.ended - first.started, again.ended - again.started);
    /* 90 rounds more of at least 3 instructions, in 32 warps on 2 SMs, at most an instruction per cycle each */
    CHECK(longer.ended - longer.started > again.ended - again.started + 90 * 3 * 16 * CYCLE_NS);
    CHECK(again.started >= first.ended && longer.started >= again.ended);

    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, sizeof(values), values, 0, NULL, &event), CL_SUCCESS);
    const struct times read = times_of(event);
    CHECK_EQ(read.ended - read.started, CYCLE_NS);
    CHECK_EQ(clGetDeviceAndHostTimer(device, &device_time, &host_time), CL_SUCCESS);
    CHECK_EQ(device_time, read.ended);
    CHECK(values[5] > 1.9f && values[5] <= 2.0f);

    clReleaseMemObject(mem);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

int main(void)
{
    setenv("CHENGYING_MACHINE", "sms=2,warps=8,threads=8", 1);
    setenv("CHENGYING_TIMING", "ventus-verilog,clock_mhz=250,memory_latency=20", 1);
    set_up(CL_QUEUE_PROFILING_ENABLE);
    check_times();
    use_device(1);
    check_times();
    tear_down();
    return test_finish();
}
