/* What happens when a kernel faults: a work-item prints, then writes far outside its buffer.  The event has an error
 * status, the context's callback receives the details, and the queue continues with the next command.
 *
 *     cy exec -- build/bin/examples/fault        (-q: without the report on standard error) */
#include "example.h"

static const char *source = "kernel void careless(global int *out, int far)\n"
                            "{\n"
                            "    int i = get_global_id(0);\n"
                            "    if (i % 4 == 3)\n"
                            "        printf(\"work-item %d writes to out[%d]\\n\", i, i * far);\n"
                            "    out[i * far] = i;\n"
                            "}\n";

static void CL_CALLBACK notify(const char *text, const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    printf("--- the context was told:\n%s---\n", text);
}

static cl_int run(struct example *example, cl_kernel kernel, cl_int far)
{
    const size_t count = 8;
    cl_event done;
    cl_int status;
    check(clSetKernelArg(kernel, 1, sizeof(far), &far), "argument 1");
    check(clEnqueueNDRangeKernel(example->queue, kernel, 1, NULL, &count, NULL, 0, NULL, &done), "the launch");
    clFinish(example->queue);
    check(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), "the status");
    clReleaseEvent(done);
    return status;
}

int main(void)
{
    struct example example = start(source, 0, notify);
    cl_kernel kernel = kernel_of(&example, "careless");
    cl_mem out = buffer_of(&example, 8 * sizeof(int), NULL);
    check(clSetKernelArg(kernel, 0, sizeof(out), &out), "argument 0");
    cl_int good = run(&example, kernel, 1), bad = run(&example, kernel, 10000000), again = run(&example, kernel, 1);
    printf("status of the good launch %d, of the bad one %d, of the good one again %d\n", good, bad, again);

    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    finish(&example);
    return !(good == CL_COMPLETE && bad < 0 && again == CL_COMPLETE);
}
