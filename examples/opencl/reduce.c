/* The sum of many numbers.  Each workgroup adds its share in local memory, halving the number of work-items that add;
 * the host adds up the workgroups' results.
 *
 *     cy exec -- build/bin/examples/reduce */
#include "example.h"

enum { COUNT = 1 << 18, GROUP = 128, GROUPS = 64 };

static const char *source = "kernel void sum(global const uint *in, uint count, local uint *part, global uint *out)\n"
                            "{\n"
                            "    uint me = get_local_id(0), total = 0;\n"
                            "    for (uint i = get_global_id(0); i < count; i += get_global_size(0))\n"
                            "        total += in[i];\n"
                            "    part[me] = total;\n"
                            "    for (uint n = get_local_size(0) / 2; n > 0; n /= 2) {\n"
                            "        barrier(CLK_LOCAL_MEM_FENCE); /* every item's part is there */\n"
                            "        if (me < n)\n"
                            "            part[me] += part[me + n];\n"
                            "    }\n"
                            "    if (me == 0)\n"
                            "        out[get_group_id(0)] = part[0];\n"
                            "}\n";

int main(void)
{
    static cl_uint numbers[COUNT];
    cl_uint expected = 0, sums[GROUPS], total = 0;
    for (cl_uint i = 0; i < COUNT; i++) {
        numbers[i] = i * 2654435761u >> 12;
        expected += numbers[i];
    }

    struct example example = start(source, 0, NULL);
    cl_kernel kernel = kernel_of(&example, "sum");
    cl_mem in = buffer_of(&example, sizeof(numbers), numbers), out = buffer_of(&example, sizeof(sums), NULL);
    const cl_uint count = COUNT;
    check(clSetKernelArg(kernel, 0, sizeof(in), &in), "argument 0");
    check(clSetKernelArg(kernel, 1, sizeof(count), &count), "argument 1");
    check(clSetKernelArg(kernel, 2, GROUP * sizeof(cl_uint), NULL), "argument 2"); /* local memory only has a size */
    check(clSetKernelArg(kernel, 3, sizeof(out), &out), "argument 3");
    const size_t global = GROUP * GROUPS, local = GROUP;
    check(clEnqueueNDRangeKernel(example.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "the launch");
    check(clEnqueueReadBuffer(example.queue, out, CL_TRUE, 0, sizeof(sums), sums, 0, NULL, NULL), "reading the result");
    for (int i = 0; i < GROUPS; i++)
        total += sums[i];
    printf("the sum of %d numbers is %u, the host says %u\n", COUNT, total, expected);

    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    finish(&example);
    return total != expected;
}
