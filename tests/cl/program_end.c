/* What a kernel prints arrives in order; a process may end in the middle, with nothing released. */
#include "cl_test.h"

/* Never released, but not leaked either: the sanitizer reports what is unreachable. */
static cl_program program;
static cl_kernel say, loop;
static cl_mem mem;

int main(void)
{
    set_up(0);
    program = build("kernel void say(int n) { printf(\"n %d, half %.2f, %s\\n\", n, n / 2.0f, \"text\"); }\n"
                    "kernel void loop(global volatile int *p) { while (*p == 0) p[1]++; }\n",
                    NULL);
    say = kernel_of(program, "say");
    loop = kernel_of(program, "loop");
    const size_t one = 1;
    char path[4096], text[256] = "";
    snprintf(path, sizeof(path), "%s/out", test_env("CY_TMP"));
    FILE *saved = stdout;
    CHECK(freopen(path, "w", stdout) == saved);
    for (int n = 1; n <= 3; n++) {
        CHECK_EQ(clSetKernelArg(say, 0, sizeof(n), &n), CL_SUCCESS);
        CHECK_EQ(clEnqueueNDRangeKernel(queue, say, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    }
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    FILE *file = fopen(path, "r");
    CHECK(file && fread(text, 1, sizeof(text) - 1, file) > 0);
    if (file)
        fclose(file);
    CHECK_STR(text, "n 1, half 0.50, text\nn 2, half 1.00, text\nn 3, half 1.50, text\n");

    mem = buffer_of(0, 8, NULL);
    CHECK_EQ(clSetKernelArg(loop, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, loop, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFlush(queue), CL_SUCCESS);
    return test_finish(); /* the kernel runs on */
}
