/* A product of matrices in tiles of local memory, on an out-of-order queue: the two uploads may run in parallel, and
 * only events order the commands.  The table at the end is from event profiling.
 *
 *     cy exec -- build/bin/examples/matmul */
#include "example.h"

#include <math.h>

enum { N = 128, TILE = 16 };
enum { WRITE_A, WRITE_B, MULTIPLY, READ, EVENTS };

static const char *source =
    "#define TILE 16\n"
    "kernel void multiply(global const float *a, global const float *b, global float *c, int n)\n"
    "{\n"
    "    local float tile_a[TILE][TILE], tile_b[TILE][TILE];\n"
    "    int x = get_local_id(0), y = get_local_id(1);\n"
    "    int column = get_global_id(0), row = get_global_id(1);\n"
    "    float sum = 0;\n"
    "    for (int at = 0; at < n; at += TILE) {\n"
    "        tile_a[y][x] = a[row * n + at + x];\n"
    "        tile_b[y][x] = b[(at + y) * n + column];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k = 0; k < TILE; k++)\n"
    "            sum += tile_a[y][k] * tile_b[k][x];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE); /* the tiles may be overwritten */\n"
    "    }\n"
    "    c[row * n + column] = sum;\n"
    "}\n";

static double microseconds(cl_event event, cl_profiling_info what, cl_event since)
{
    cl_ulong then, now;
    check(clGetEventProfilingInfo(since, CL_PROFILING_COMMAND_QUEUED, sizeof(then), &then, NULL), "a time");
    check(clGetEventProfilingInfo(event, what, sizeof(now), &now, NULL), "a time");
    return (double)(now - then) / 1000;
}

static int count_wrong(const float *a, const float *b, const float *c)
{
    int wrong = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += (double)a[i * N + k] * (double)b[k * N + j];
            wrong += fabs(sum - (double)c[i * N + j]) > 1e-4;
        }
    return wrong;
}

int main(void)
{
    static const char *const titles[EVENTS] = {"write a", "write b", "multiply", "read c"};
    static float a[N * N], b[N * N], c[N * N];
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i * 7 % 31) / 31 - 0.5f;
        b[i] = (float)(i * 11 % 29) / 29 - 0.5f;
    }

    struct example example = start(source, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, NULL);
    cl_kernel kernel = kernel_of(&example, "multiply");
    cl_mem in_a = buffer_of(&example, sizeof(a), NULL), in_b = buffer_of(&example, sizeof(b), NULL);
    cl_mem out = buffer_of(&example, sizeof(c), NULL);
    const cl_int n = N;
    check(clSetKernelArg(kernel, 0, sizeof(in_a), &in_a), "argument 0");
    check(clSetKernelArg(kernel, 1, sizeof(in_b), &in_b), "argument 1");
    check(clSetKernelArg(kernel, 2, sizeof(out), &out), "argument 2");
    check(clSetKernelArg(kernel, 3, sizeof(n), &n), "argument 3");

    cl_event done[EVENTS];
    const size_t global[] = {N, N}, local[] = {TILE, TILE};
    check(clEnqueueWriteBuffer(example.queue, in_a, CL_FALSE, 0, sizeof(a), a, 0, NULL, &done[WRITE_A]), "writing a");
    check(clEnqueueWriteBuffer(example.queue, in_b, CL_FALSE, 0, sizeof(b), b, 0, NULL, &done[WRITE_B]), "writing b");
    check(clEnqueueNDRangeKernel(example.queue, kernel, 2, NULL, global, local, 2, &done[WRITE_A], &done[MULTIPLY]),
          "the launch");
    check(clEnqueueReadBuffer(example.queue, out, CL_FALSE, 0, sizeof(c), c, 1, &done[MULTIPLY], &done[READ]),
          "reading c");
    check(clWaitForEvents(1, &done[READ]), "waiting");

    printf("%-10s %12s %12s %12s\n", "command", "queued us", "started us", "ended us");
    for (int i = 0; i < EVENTS; i++) {
        const double queued = microseconds(done[i], CL_PROFILING_COMMAND_QUEUED, done[0]);
        const double started = microseconds(done[i], CL_PROFILING_COMMAND_START, done[0]);
        const double ended = microseconds(done[i], CL_PROFILING_COMMAND_END, done[0]);
        printf("%-10s %12.1f %12.1f %12.1f\n", titles[i], queued, started, ended);
    }
    int wrong = count_wrong(a, b, c);
    printf("%d of %d elements are wrong\n", wrong, N * N);

    for (int i = 0; i < EVENTS; i++)
        clReleaseEvent(done[i]);
    clReleaseMemObject(in_a);
    clReleaseMemObject(in_b);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    finish(&example);
    return wrong != 0;
}
