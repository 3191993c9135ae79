/* A program that ends soon leaves its kernels to the compile server, which translates all of them, but not all at once. */
#define _GNU_SOURCE
#include "cl_test.h"
#include "support/processes.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KERNELS = 12 };

static void run_all(void)
{
    char source[KERNELS * 200] = "", name[16];
    const size_t items = 16384, group = 64;
    for (int i = 0; i < KERNELS; i++)
        snprintf(source + strlen(source), sizeof(source) - strlen(source),
                 "kernel void k%d(global int *p) { int i = get_global_id(0); for (int k = 0; k < 20; k++) p[i] += p[(i "
                 "+ k) & 1023] + %d; }\n",
                 i, i);
    set_up(0);
    cl_program program = build(source, NULL);
    cl_mem mem = buffer_of(0, items * 4, NULL);
    for (int i = 0; i < KERNELS; i++) {
        snprintf(name, sizeof(name), "k%d", i);
        cl_kernel kernel = kernel_of(program, name);
        CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
        CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFinish(queue), CL_SUCCESS);
        clReleaseKernel(kernel);
    }
    clReleaseMemObject(mem);
    clReleaseProgram(program);
    tear_down();
}

/* The server, the compiler that it forks, and at least one translator. */
static void test_no_more_at_once_than_processors(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    char cache[4200];
    int status = 1;
    snprintf(cache, sizeof(cache), "%s/cache", test_env("CY_TMP"));
    setenv("CHENGYING_CACHE", "1", 1);
    setenv("CHENGYING_CACHE_DIR", cache, 1);
    setenv("CHENGYING_ENGINE", "auto", 1);
    const pid_t child = fork();
    if (!child) {
        run_all();
        exit(test_finish());
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    size_t most = 0, now = 1;
    for (int tries = 0; tries < 60000 && now; tries++) {
        pid_t found;
        now = count_processes("compile-server", &found);
        now += count_processes("clang", &found);
        most = now > most ? now : most;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    CHECK(most > 1 && most <= 2 + (size_t)processors);
    CHECK_EQ(system("\"$CY\" cache | grep '^translated 12$'"), 0);
}

TEST_MAIN(test_no_more_at_once_than_processors)
