/* C++ for OpenCL: the language, and objects of the program whose constructors run before the first kernel. */
#include "cl_test.h"

#include <CL/cl_ext.h>

static cl_program program_of(const char *source)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return program;
}

static const char *log_of(cl_program program)
{
    static char log[8192];
    *log = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
    return log;
}

/* Runs kernel `k` of the program for four work-items. */
static void run(cl_program program, cl_int out[4])
{
    cl_int error, zeros[4] = {0};
    const size_t items = 4;
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(zeros), zeros, &error);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4 * sizeof(*out), out, 0, NULL, NULL), CL_SUCCESS);
    clReleaseMemObject(buffer), clReleaseKernel(kernel);
}

static const char language[] =
    "struct P { int x, y; P(int a) : x(a), y(a * 3 + 1) {} int sum() const { return x + y; } };\n"
    "struct D { int *p; D(int *q) : p(q) {} ~D() { *p = 7; } };\n"
    "template <int N> struct Fact { static constexpr int value = N * Fact<N - 1>::value; };\n"
    "template <> struct Fact<0> { static constexpr int value = 1; };\n"
    "enum class Color { Red = 3 };\n"
    "namespace ns { int f(int a) { return a + 1; } int f(float a) { return 100; } }\n"
    "inline int operator+(P a, int b) { return a.x + b; }\n"
    "int twice(int a, int b = 2) { return a * b; }\n"
    "template <typename T> T most(T a, T b) { return max(a, b); }\n"
    "kernel void k(global int *out)\n"
    "{\n"
    "    int i = get_global_id(0), z = 0;\n"
    "    { D d(&z); }\n" /* z is 7 */
    "    int &r = z;\n"
    "    r += static_cast<int>(Color::Red);\n" /* 10 */
    "    auto add = [](int a) { return a + 1000; };\n"
    "    out[i] = add(P(5).sum() + z + Fact<5>::value + ns::f(1) + ns::f(1.0f) + (P(2) + 1) + twice(4) + most(i, 2));\n"
    "}\n";

static void test_language(void)
{
    static const char *const options[] = {"-cl-std=CLC++", "-cl-std=CLC++1.0", "-cl-std=CLC++2021",
                                          "-cl-std=CLC++2021 -cl-opt-disable"};
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
        cl_int out[4];
        cl_program program = program_of(language);
        if (!CHECK_EQ(clBuildProgram(program, 0, NULL, options[i], NULL, NULL), CL_SUCCESS)) {
            fprintf(stderr, "%s\n%s", options[i], log_of(program));
            continue;
        }
        run(program, out);
        for (int k = 0; k < 4; k++)
            CHECK_EQ(out[k], 1000 + 21 + 10 + 120 + 2 + 100 + 3 + 8 + (k > 2 ? k : 2));
        clReleaseProgram(program);
    }
    cl_program wrong = program_of("kernel void k(global int *p) { class { int x; } a; *p = a.x; }\n");
    CHECK_EQ(clBuildProgram(wrong, 0, NULL, "-cl-std=CLC++2021", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(strstr(log_of(wrong), "private member"));
    clReleaseProgram(wrong);
}

/* The first constructor can be evaluated by the compiler, the second one cannot: it needs a built-in function. */
static const char objects[] = "struct P { int x; P(int a) : x(a * 3) {} };\n"
                              "struct Q { int x; Q(int a) { x = 0; for (int i = 0; i < a; i++) x += "
                              "(int)sqrt((float)(i * i)) + get_global_id(0); } };\n"
                              "global P p(5);\n"
                              "global Q q(10);\n"
                              "global int calls = 1;\n"
                              "kernel void k(global int *out) { out[get_global_id(0)] = p.x + q.x + calls; }\n";

static void test_initialisers(void)
{
    for (int optimised = 0; optimised < 2; optimised++) {
        cl_int out[4];
        size_t count;
        char names[64];
        cl_program program = program_of(objects);
        const char *options = optimised ? "-cl-std=CLC++2021" : "-cl-std=CLC++2021 -cl-opt-disable";
        if (!CHECK_EQ(clBuildProgram(program, 0, NULL, options, NULL, NULL), CL_SUCCESS))
            fprintf(stderr, "%s", log_of(program));
        CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL), CL_SUCCESS);
        CHECK_EQ(count, 1);
        CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL), CL_SUCCESS);
        CHECK(!strcmp(names, "k"));
        run(program, out);
        for (int k = 0; k < 4; k++)
            CHECK_EQ(out[k], 15 + 45 + 1);
        clReleaseProgram(program);
    }
    cl_program faulty = program_of("struct F { int x; F() { global int *p = (global int *)4; x = *p; } };\n"
                                   "global F f;\nkernel void k(global int *out) { *out = f.x; }\n");
    CHECK_EQ(clBuildProgram(faulty, 0, NULL, "-cl-std=CLC++2021", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    if (!CHECK(strstr(log_of(faulty), "_GLOBAL__sub_I")))
        fprintf(stderr, "%s", log_of(faulty));
    clReleaseProgram(faulty);
}

/* The version that the device reports is that of -cl-std=CLC++. */
static void test_version(void)
{
    cl_int out[4];
    cl_uint version = 0;
    cl_program program =
        program_of("kernel void k(global int *out) { out[get_global_id(0)] = __OPENCL_CPP_VERSION__; }");
    CHECK_EQ(clBuildProgram(program, 0, NULL, "-cl-std=CLC++", NULL, NULL), CL_SUCCESS);
    run(program, out);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT, sizeof(version), &version, NULL),
             CL_SUCCESS);
    CHECK_EQ(out[0], CL_VERSION_MAJOR(version) * 100 + CL_VERSION_MINOR(version) * 10 + CL_VERSION_PATCH(version));
    clReleaseProgram(program);
}

int main(void)
{
    set_up(0);
    test_language();
    test_version();
    test_initialisers();
    tear_down();
    return test_finish();
}
