/* What a process may use of the host's memory, by files like those of the kernel; and that the device of generation 2 says
 * half of it, so that programs that fill it are not killed. */
#define _GNU_SOURCE
#include "cl/cl_test.h"

#include "cl/object/host_memory.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *root;

static void put(const char *path, const char *text)
{
    char whole[4096];
    snprintf(whole, sizeof(whole), "%s%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    if (CHECK(file)) {
        fputs(text, file);
        fclose(file);
    }
}

static uint64_t limit_with(const char *groups)
{
    put("/proc/self/cgroup", groups);
    return cy_cl_cgroup_limit(root);
}

static void test_limits(void)
{
    CHECK_EQ(cy_cl_cgroup_limit(root), UINT64_MAX); /* no such files */
    /* version 2: the smallest limit on the way up; "max" is none */
    put("/sys/fs/cgroup/a/b/memory.max", "max\n");
    CHECK_EQ(limit_with("0::/a/b\n"), UINT64_MAX);
    put("/sys/fs/cgroup/a/memory.max", "5000000000\n");
    CHECK_EQ(limit_with("0::/a/b\n"), 5000000000);
    put("/sys/fs/cgroup/a/b/memory.max", "4000000000\n");
    CHECK_EQ(limit_with("0::/a/b\n"), 4000000000);
    CHECK_EQ(limit_with("0::/a\n"), 5000000000);
    CHECK_EQ(limit_with("0::/\n"), UINT64_MAX);
    /* a container, which sees its own group as the root of the mount */
    put("/sys/fs/cgroup/memory.max", "3000000000\n");
    CHECK_EQ(limit_with("0::/\n"), 3000000000);
    CHECK_EQ(limit_with("0::/not/mounted/here\n"), 3000000000);
    /* version 1 among other controllers, and both */
    put("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "2000000000\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK_EQ(limit_with("9:pids:/c\n4:cpu,memory:/c\n"), 2000000000);
    CHECK_EQ(limit_with("4:memory:/c\n0::/\n"), 2000000000);
    CHECK_EQ(limit_with("4:memory:/\n0::/\n"), 3000000000);
    CHECK_EQ(limit_with("4:nomemory,memoryless:/c\n"), UINT64_MAX);
    CHECK_EQ(limit_with("nonsense\n\n:\n::\n"), 3000000000);
    put("/sys/fs/cgroup/memory.max", "");
    CHECK_EQ(limit_with("0::/\n"), UINT64_MAX);
}

static void test_device(void)
{
    cl_ulong total = 0, most = 0;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(total), &total, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most), &most, NULL), CL_SUCCESS);
    const uint64_t usable = cy_cl_usable_memory(), host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)getpagesize();
    CHECK(usable && usable <= host);
    CHECK(total <= usable / 2 || total == 256 << 20);
    CHECK(total > usable / 2 - (8 << 20) || total == 128ull << 30);
    CHECK(most >= total / 4 && most <= total && most >= 128 << 20);
}

/* Buffers and shared virtual memory end where the device's memory does, and are there again when others are released. */
static void test_full(void)
{
    enum { PARTS = 8 };
    cl_ulong total = 0;
    cl_mem mems[PARTS] = {0};
    cl_int error = CL_SUCCESS;
    unsigned count = 0;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(total), &total, NULL), CL_SUCCESS);
    const size_t size = total / PARTS;
    for (; count < PARTS && error == CL_SUCCESS; count += error == CL_SUCCESS)
        mems[count] = clCreateBuffer(context, 0, size, NULL, &error);
    CHECK(count == PARTS || (count == PARTS - 1 && error == CL_MEM_OBJECT_ALLOCATION_FAILURE));
    CHECK(!clCreateBuffer(context, 0, size, NULL, &error));
    CHECK_EQ(error, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0));
    CHECK_EQ(clReleaseMemObject(mems[--count]), CL_SUCCESS);
    void *svm = clSVMAlloc(context, CL_MEM_READ_WRITE, size / 2, 0);
    CHECK(svm);
    clSVMFree(context, svm);
    mems[count++] = clCreateBuffer(context, 0, size / 2, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    while (count)
        clReleaseMemObject(mems[--count]);
}

int main(void)
{
    root = test_env("CY_TMP");
    setenv("CHENGYING_DEVICES", "gen2", 1);
    test_limits();
    set_up(0);
    test_device();
    test_full();
    tear_down();
    return test_finish();
}
