/* In a program whose locale has a decimal comma, a kernel's printf still prints a point: the text is that of the C
 * locale on every host. */
#define _GNU_SOURCE /* setenv */
#include "cl_test.h"

#include <locale.h>
#include <unistd.h>

/* A locale of our own, because a machine may have none but C. */
static bool use_commas(void)
{
    char command[4096];
    const char *directory = test_env("CY_TMP");
    snprintf(command, sizeof(command),
             "cd '%s' && { printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \"\"\\ngrouping -1\\nEND "
             "LC_NUMERIC\\n'\n"
             "for c in CTYPE COLLATE MONETARY TIME MESSAGES; do printf 'LC_%%s\\ncopy \"POSIX\"\\nEND LC_%%s\\n' $c "
             "$c; done\n"
             "} > source; localedef --no-archive -c -i source -f ANSI_X3.4-1968 ./comma > log 2>&1",
             directory);
    (void)!system(command); /* it warns of what is not in the source, and says so by its status */
    setenv("LOCPATH", directory, 1);
    return setlocale(LC_NUMERIC, "comma") != NULL;
}

int main(void)
{
    char text[64] = "", path[4096];
    size_t one = 1;
    snprintf(path, sizeof(path), "%s/printed", test_env("CY_TMP"));
    CHECK(use_commas());
    snprintf(text, sizeof(text), "%.1f", 0.5);
    CHECK_STR(text, "0,5");
    set_up(0);
    cl_program program =
        build("kernel void k(float x) { printf(\"%.2f %g %v2f\\n\", x, x, (float2)(x, 0.5f)); }", NULL);
    cl_kernel kernel = kernel_of(program, "k");
    cl_float value = 1.25f;
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(value), &value), CL_SUCCESS);
    int saved = dup(1);
    CHECK(freopen(path, "w", stdout) != NULL);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    FILE *file = fopen(path, "r");
    CHECK(file && fgets(text, sizeof(text), file));
    CHECK_STR(text, "1.25 1.25 1.250000,0.500000\n");
    fclose(file);
    snprintf(text, sizeof(text), "%.1f", 0.5); /* the program still has its commas */
    CHECK_STR(text, "0,5");
    clReleaseKernel(kernel), clReleaseProgram(program);
    tear_down();
    return test_finish();
}
