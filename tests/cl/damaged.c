/* Objects with damaged bitcode: LLVM's reader crashes on some of them, the program that links them never does. */
#define _GNU_SOURCE /* setenv */
#include "cl_test.h"

#include <string.h>

static const char part_source[] = "int twice(int x) { return 2 * x; }\n"
                                  "kernel void f(global int *a) { a[get_global_id(0)] = twice(a[0]); }\n";

/* Links an object of these bytes; reports the outcome. */
static cl_int link_bytes(const unsigned char *bytes, size_t size)
{
    cl_int error, status;
    char log[4096] = "";
    cl_program part = clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &status, &error);
    if (!part) {
        CHECK_EQ(error, CL_INVALID_BINARY);
        return error;
    }
    cl_program whole = clLinkProgram(context, 1, &device, NULL, 1, &part, NULL, NULL, &error);
    CHECK(error == CL_SUCCESS || error == CL_LINK_PROGRAM_FAILURE);
    if (error == CL_LINK_PROGRAM_FAILURE) {
        CHECK_EQ(clGetProgramBuildInfo(whole, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL), CL_SUCCESS);
        CHECK(strstr(log, "error: ") != NULL);
    }
    clReleaseProgram(whole);
    clReleaseProgram(part);
    return error;
}

int main(void)
{
    static unsigned char whole[1 << 16], bytes[sizeof(whole)];
    unsigned char *binary = whole;
    const char *source = part_source;
    unsigned failed = 0, random = 1;
    size_t size;
    cl_int error;
    setenv("TMPDIR", test_env("CY_TMP"), 1);
    setenv("CHENGYING_COMPILE_SECONDS", "20", 1);
    set_up(0);
    cl_program part = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    CHECK_EQ(clCompileProgram(part, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clGetProgramInfo(part, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL), CL_SUCCESS);
    CHECK(size < sizeof(whole));
    CHECK_EQ(clGetProgramInfo(part, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL), CL_SUCCESS);
    clReleaseProgram(part);
    CHECK_EQ(link_bytes(whole, size), CL_SUCCESS);
    for (unsigned i = 0; i < 80; i++) {
        memcpy(bytes, whole, size);
        random = random * 1664525 + 1013904223;
        size_t at = size / 8 + (random >> 8) % (size - size / 8); /* after the header */
        bytes[at] ^= (unsigned char)(1u << (random >> 5 & 7));
        failed += link_bytes(bytes, size) != CL_SUCCESS;
    }
    for (size_t i = 1; i < 10; i++) { /* the rest is zeros: a shorter file is rejected before LLVM sees it */
        memcpy(bytes, whole, size);
        memset(bytes + i * size / 10, 0, size - i * size / 10 - 1);
        failed += link_bytes(bytes, size) != CL_SUCCESS;
    }
    for (unsigned i = 1; i < 10; i++)
        CHECK_EQ(link_bytes(whole, i * size / 10), CL_INVALID_BINARY);
    CHECK(failed > 20);
    CHECK_EQ(link_bytes(whole, size), CL_SUCCESS);
    tear_down();
    return test_finish();
}
