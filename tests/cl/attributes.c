/* What kernels report about themselves: attributes, and the arguments' types as written. */
#include "cl_test.h"

#include <CL/cl_ext.h>
#include <string.h>

#define TEN(text) text text text text text text text text text text
#define LONG TEN(TEN("name")) /* of 400 characters */

static const char source[] =
    "typedef float4 colour;\n"
    "struct pair { int a, b; };\n"
    "typedef struct { char c[3]; } triple;\n"
    "kernel void plain(global int *p) { *p = 1; }\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void sized(global int *p) { *p = 1; }\n"
    "kernel __attribute__((vec_type_hint(uchar4))) __attribute__((work_group_size_hint(8, 8, 2)))\n"
    "__attribute__((reqd_work_group_size(8, 8, 2))) void hinted(global int *p) { *p = 1; }\n"
    "kernel __attribute__((vec_type_hint(long))) void scalar(global int *p) { *p = 1; }\n"
    "kernel __attribute__((vec_type_hint(float3))) void three(global int *p) { *p = 1; }\n"
    "kernel void arguments(global const colour *restrict a, constant struct pair *b, local volatile uint *c, triple "
    "d,\n"
    "                      unsigned long e, const short3 f, global float *const g, struct pair h) {}\n"
    "kernel __attribute__((work_group_size_hint(1, 2, 3))) void " LONG "(void) {}\n";

static const struct {
    const char *kernel, *attributes;
} expected[] = {
    {"plain", ""},
    {"sized", "reqd_work_group_size(4,2,1)"},
    {"hinted", "vec_type_hint(uchar4) work_group_size_hint(8,8,2) reqd_work_group_size(8,8,2)"},
    {"scalar", "vec_type_hint(long)"},
    {"three", "vec_type_hint(float3)"},
    {LONG, "work_group_size_hint(1,2,3)"},
};

static const struct {
    const char *name, *type;
    cl_kernel_arg_address_qualifier space;
    cl_kernel_arg_type_qualifier qualifiers;
} arguments[] = {
    {"a", "colour*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
    {"b", "struct pair*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
    {"c", "uint*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_VOLATILE},
    {"d", "triple", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
    {"e", "ulong", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
    {"f", "short3", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
    {"g", "float*", CL_KERNEL_ARG_ADDRESS_GLOBAL, 0},
    {"h", "struct pair", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
};

static void check_arguments(cl_program program)
{
    cl_kernel kernel = kernel_of(program, "arguments");
    for (cl_uint i = 0; i < sizeof(arguments) / sizeof(*arguments); i++) {
        char text[64] = "";
        cl_kernel_arg_address_qualifier space = 0;
        cl_kernel_arg_access_qualifier access = 0;
        cl_kernel_arg_type_qualifier qualifiers = 99;
        CHECK_EQ(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL), CL_SUCCESS);
        CHECK_STR(text, arguments[i].name);
        CHECK_EQ(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL), CL_SUCCESS);
        CHECK_STR(text, arguments[i].type);
        CHECK_EQ(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(space), &space, NULL),
                 CL_SUCCESS);
        CHECK_EQ(space, arguments[i].space);
        CHECK_EQ(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access, NULL),
                 CL_SUCCESS);
        CHECK_EQ(access, CL_KERNEL_ARG_ACCESS_NONE);
        CHECK_EQ(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifiers), &qualifiers, NULL),
                 CL_SUCCESS);
        CHECK_EQ(qualifiers, arguments[i].qualifiers);
    }
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
}

static void check_attributes(cl_program program)
{
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        char text[256] = "";
        cl_kernel kernel = kernel_of(program, expected[i].kernel);
        CHECK_EQ(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof(text), text, NULL), CL_SUCCESS);
        CHECK_STR(text, expected[i].attributes);
        CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    }
}

static size_t sub_group_size_of(cl_kernel kernel)
{
    size_t size = 99;
    CHECK_EQ(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0, NULL, sizeof(size),
                                     &size, NULL),
             CL_SUCCESS);
    return size;
}

static cl_ulong spill_bytes_of(cl_kernel kernel)
{
    cl_ulong bytes = 99;
    CHECK_EQ(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_SPILL_MEM_SIZE_INTEL, sizeof(bytes), &bytes, NULL),
             CL_SUCCESS);
    return bytes;
}

/* cl_intel_required_subgroup_size: there is one size, and kernels that require another do not build. */
static void check_sub_group_size(cl_program program)
{
    size_t sizes[4] = {0}, size = 0;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof(sizes), sizes, &size), CL_SUCCESS);
    CHECK(size == sizeof(size_t) && sizes[0] == 32);
    cl_kernel plain = kernel_of(program, "plain");
    CHECK_EQ(sub_group_size_of(plain), 0);
    CHECK_EQ(spill_bytes_of(plain), 0);
    CHECK_EQ(clReleaseKernel(plain), CL_SUCCESS);

    const char *required = "#ifndef cl_intel_required_subgroup_size\n#error\n#endif\n"
                           "__attribute__((intel_reqd_sub_group_size(N))) kernel void k(global uint *p)\n"
                           "{ p[get_global_id(0)] = get_max_sub_group_size(); }\n";
    cl_program fitting = build(required, "-cl-std=CL3.0 -DN=32");
    cl_kernel kernel = kernel_of(fitting, "k");
    char text[64] = "", log[1024] = "";
    CHECK_EQ(sub_group_size_of(kernel), 32);
    CHECK_EQ(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK_STR(text, "intel_reqd_sub_group_size(32)");
    const size_t items = 40;
    cl_uint result[40] = {0};
    cl_mem mem = buffer_of(0, sizeof(result), NULL);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(result), result, 0, NULL, NULL), CL_SUCCESS);
    CHECK(result[0] == 32 && result[39] == 32);
    CHECK_EQ(clReleaseMemObject(mem), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(fitting), CL_SUCCESS);

    cl_program other = clCreateProgramWithSource(context, 1, &required, NULL, NULL);
    CHECK_EQ(clBuildProgram(other, 1, &device, "-cl-std=CL3.0 -DN=16", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_EQ(clGetProgramBuildInfo(other, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL), CL_SUCCESS);
    CHECK(strstr(log, "kernel 'k' requires sub-groups of 16 work-items, this device's have 32"));
    CHECK_EQ(clReleaseProgram(other), CL_SUCCESS);
}

/* More values at a time than a work-item has registers. */
static void check_spills(void)
{
    enum { VALUES = 300 };
    char *text = malloc(VALUES * 64 + 128), *end = text;
    end += sprintf(end, "kernel void k(global volatile int *p) { p += get_global_id(0) * %d;\n", VALUES);
    for (int i = 0; i < VALUES; i++)
        end += sprintf(end, "int v%d = p[%d];\n", i, i);
    for (int i = 0; i < VALUES; i++)
        end += sprintf(end, "p[%d] = v%d;\n", i, VALUES - 1 - i);
    strcpy(end, "}\n");
    cl_program program = build(text, "");
    cl_kernel kernel = kernel_of(program, "k");
    CHECK(spill_bytes_of(kernel) > 0);
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    free(text);
}

int main(void)
{
    set_up(0);
    cl_program program = build(source, "-cl-kernel-arg-info");
    check_attributes(program);
    check_arguments(program);
    check_sub_group_size(program);
    check_spills();
    size_t size;
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL), CL_SUCCESS);
    unsigned char *binary = malloc(size);
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL), CL_SUCCESS);
    cl_int status, error;
    const unsigned char *bytes = binary;
    cl_program again = clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &status, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(again, 1, &device, NULL, NULL, NULL), CL_SUCCESS);
    check_attributes(again);
    free(binary);
    CHECK_EQ(clReleaseProgram(again), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    tear_down();
    return test_finish();
}
