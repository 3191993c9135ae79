/* Programs and kernels: building, arguments of every kind, ranges, binaries, compile and link, faults. */
#include "cl_test.h"

static const char source[] =
    "typedef struct { char c; int i; float4 f; } mix;\n"
    "kernel void arguments(global int *out, constant int *in, char c, short3 s, long l, float f, mix m,\n"
    "                      local int *scratch)\n"
    "{\n"
    "    scratch[get_local_id(0)] = in[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    int other = scratch[get_local_size(0) - 1 - get_local_id(0)];\n"
    "    out[get_global_id(0)] = other + c + s.x + s.y + s.z + (int)(l >> 32) + (int)f + m.c + m.i + (int)m.f.w;\n"
    "}\n"
    "kernel void range(global int *out)\n"
    "{\n"
    "    int at = (int)(get_global_id(0) - get_global_offset(0) + get_global_size(0) *\n"
    "             ((get_global_id(1) - get_global_offset(1)) + get_global_size(1) * (get_global_id(2) - "
    "get_global_offset(2))));\n"
    "    out[at] = (int)(get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2));\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed(global int *out)\n"
    "{ out[get_global_id(0)] = (int)get_local_size(0); }\n"
    "kernel void wild(global int *out) { out[1 << 28] = 1; }\n";

struct mix {
    cl_char c;
    cl_int i;
    cl_float4 f;
};

static cl_int run(cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local)
{
    cl_int error = clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, NULL, NULL);
    return error == CL_SUCCESS ? clFinish(queue) : error;
}

static void test_arguments(cl_program program)
{
    int in[64], out[64];
    size_t global = 64, local = 16;
    cl_kernel kernel = kernel_of(program, "arguments");
    for (int i = 0; i < 64; i++)
        in[i] = i * i;
    cl_mem from = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(in), in), to = buffer_of(0, sizeof(out), NULL);
    cl_char c = -3;
    cl_short3 s = {{100, 200, 300, 9}};
    cl_long l = 7ll << 32;
    cl_float f = 11.5f;
    struct mix m = {-5, 1000, {{0, 0, 0, 50}}};
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(to), &to), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(from), &from), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 2, sizeof(c), &c), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 3, sizeof(s), &s), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 4, sizeof(l), &l), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 5, sizeof(f), &f), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 6, sizeof(m), &m), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 7, 16 * sizeof(int), NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 8, 4, &c), CL_INVALID_ARG_INDEX);
    CHECK_EQ(clSetKernelArg(kernel, 2, 4, &l), CL_INVALID_ARG_SIZE);
    CHECK_EQ(clSetKernelArg(kernel, 2, 1, NULL), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArg(kernel, 7, 4, &c), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArg(kernel, 7, 0, NULL), CL_INVALID_ARG_SIZE);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(queue), &queue), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(run(kernel, 1, NULL, &global, &local), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(out[i], in[i / 16 * 16 + 15 - i % 16] - 3 + 600 + 7 + 11 - 5 + 1000 + 50);
    char text[64];
    cl_kernel_arg_address_qualifier address;
    CHECK_EQ(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK_STR(text, "in");
    CHECK_EQ(clGetKernelArgInfo(kernel, 3, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK_STR(text, "short3");
    CHECK_EQ(clGetKernelArgInfo(kernel, 7, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address, NULL),
             CL_SUCCESS);
    CHECK_EQ(address, CL_KERNEL_ARG_ADDRESS_LOCAL);
    CHECK_EQ(clGetKernelArgInfo(kernel, 8, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL), CL_INVALID_ARG_INDEX);
    clReleaseMemObject(from), clReleaseMemObject(to), clReleaseKernel(kernel);
}

static void test_ranges(cl_program program)
{
    int out[6 * 5 * 4];
    size_t global[] = {6, 5, 4}, offset[] = {3, 2, 1}, local[] = {3, 5, 2}, crooked[] = {4, 1, 1}, zero[] = {0, 1, 1};
    size_t huge[] = {4096, 1, 1};
    cl_kernel kernel = kernel_of(program, "range");
    cl_mem mem = buffer_of(0, sizeof(out), NULL);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    for (int with_local = 0; with_local < 2; with_local++) {
        CHECK_EQ(run(kernel, 3, offset, global, with_local ? local : NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
        for (int i = 0; i < 120; i++)
            CHECK_EQ(out[i], (i % 6 + 3) + 100 * (i / 6 % 5 + 2) + 10000 * (i / 30 + 1));
    }
    CHECK_EQ(run(kernel, 0, NULL, global, NULL), CL_INVALID_WORK_DIMENSION);
    CHECK_EQ(run(kernel, 4, NULL, global, NULL), CL_INVALID_WORK_DIMENSION);
    CHECK_EQ(run(kernel, 1, NULL, NULL, NULL), CL_SUCCESS); /* nothing to do */
    CHECK_EQ(run(kernel, 3, NULL, zero, NULL), CL_SUCCESS);
    CHECK_EQ(run(kernel, 3, NULL, global, crooked), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(run(kernel, 3, NULL, global, zero), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(run(kernel, 3, NULL, huge, huge), CL_INVALID_WORK_ITEM_SIZE);
    clReleaseKernel(kernel);
    kernel = kernel_of(program, "fixed");
    size_t sizes[3], flat[] = {16, 2}, right[] = {8, 2}, wrong[] = {4, 2};
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(sizes), sizes, NULL),
             CL_SUCCESS);
    CHECK(sizes[0] == 8 && sizes[1] == 2 && sizes[2] == 1);
    CHECK_EQ(run(kernel, 2, NULL, flat, wrong), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(run(kernel, 2, NULL, flat, right), CL_SUCCESS);
    clReleaseKernel(kernel);
    clReleaseMemObject(mem);
}

/* OpenCL C 3.0: the last workgroup may be smaller. */
static void test_partial_groups(void)
{
    int out[100];
    size_t global = 100, local = 64;
    cl_program program =
        build("kernel void sizes(global int *out)\n"
              "{ out[get_global_id(0)] = (int)(get_local_size(0) + 1000 * get_enqueued_local_size(0)); }\n",
              "-cl-std=CL3.0");
    cl_kernel kernel = kernel_of(program, "sizes");
    cl_mem mem = buffer_of(0, sizeof(out), NULL);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(run(kernel, 1, NULL, &global, &local), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 100; i++)
        CHECK_EQ(out[i], 64000 + (i < 64 ? 64 : 36));
    clReleaseMemObject(mem), clReleaseKernel(kernel), clReleaseProgram(program);
}

static void test_fault(cl_program program)
{
    size_t one = 1;
    cl_event event;
    cl_int status, value = 4;
    cl_kernel kernel = kernel_of(program, "wild");
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, 4, &value);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), CL_SUCCESS);
    CHECK_EQ(status, CL_OUT_OF_RESOURCES);
    value = 0;
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &value, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(value, 4);
    clReleaseEvent(event), clReleaseKernel(kernel), clReleaseMemObject(mem);
}

enum { TEXT_SIZE = 1024 };

static void CL_CALLBACK keep_text(const char *text, const void *info, size_t size, void *data)
{
    (void)info, (void)size;
    snprintf(data, TEXT_SIZE, "%s", text);
}

/* The context's callback receives the fault message. */
static void fault_in_range(const char *code, cl_uint dimensions, const size_t *global, const size_t *local,
                           char text[TEXT_SIZE])
{
    cl_int error;
    cl_context old_context = context;
    cl_command_queue old_queue = queue;
    context = clCreateContext(NULL, 1, &device, keep_text, text, &error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    cl_program program = build(code, NULL);
    cl_kernel kernel = kernel_of(program, "wild");
    cl_mem mem = buffer_of(0, 4, NULL);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(run(kernel, dimensions, NULL, global, local), CL_SUCCESS);
    clReleaseMemObject(mem), clReleaseKernel(kernel), clReleaseProgram(program);
    tear_down();
    context = old_context;
    queue = old_queue;
}

static void fault_text(const char *code, size_t count, const size_t *local, char text[TEXT_SIZE])
{
    fault_in_range(code, 1, &count, local, text);
}

static void test_notify(void)
{
    char text[TEXT_SIZE] = "";
    fault_text("kernel void wild(global int *out) { out[1 << 28] = 1; }", 1, NULL, text);
    CHECK(strstr(text, "unmapped memory: write of 4 bytes"));
}

/* Without a local size, a range of prime length runs in full warps if the kernel does not observe the work-group
 * decomposition: OpenCL C 1.2 requires workgroups of one size.  The same holds for a local size that does not fill a
 * warp, if no work-item may wait for another.  The workgroup of a fault shows it. */
static void test_blind_groups(void)
{
#define WILD(use) "kernel void wild(global int *out) { " use " if (get_global_id(0) == 77) out[1 << 28] = 1; }"
    static const struct {
        const char *code;
        enum { BLIND, WAITS, SEES } kind;
    } rows[] = {
        {WILD(""), BLIND},
        {WILD("atomic_inc(out);"), WAITS},
        {WILD("mem_fence(CLK_GLOBAL_MEM_FENCE);"), WAITS},
        {WILD("__sync_fetch_and_add(out, 1);"), WAITS},
        {WILD("out[0] = *(volatile global int *)out;"), WAITS},
        {"void look(volatile global int *p) { if (*p) *p = 2; }" WILD("look(out);"), WAITS},
        {WILD("out[0] = get_global_size(0) + get_global_offset(0) + get_work_dim();"), BLIND},
        {WILD("out[0] = get_local_size(0);"), SEES},
        {WILD("out[0] = get_local_id(1);"), SEES},
        {WILD("out[0] = get_group_id(0);"), SEES},
        {WILD("out[0] = get_num_groups(0);"), SEES},
        {WILD("barrier(CLK_LOCAL_MEM_FENCE);"), SEES},
        {WILD("local int shared; shared = 3; out[0] = shared;"), SEES},
        {WILD("event_t e = 0; wait_group_events(1, &e);"), SEES},
        {"int inner(int i) { return i + get_local_id(0); } int outer(int i) { return inner(i) + 1; }" WILD(
             "out[0] = outer(3);"),
         SEES},
        {"kernel void other(global int *out) { out[0] = get_local_id(0); }" WILD(""), BLIND},
        {"kernel void other(global int *out) { out[0] = get_local_id(0); }" WILD("other(out);"), SEES},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[TEXT_SIZE] = "";
        size_t one = 1;
        fault_text(rows[i].code, 1009, NULL, text);
        CHECK(strstr(text, rows[i].kind == SEES ? "workgroup (77," : "workgroup (0,"));
        fault_text(rows[i].code, 1009, &one, text);
        CHECK(strstr(text, rows[i].kind != BLIND ? "workgroup (77," : "workgroup (0,"));
    }
#undef WILD
}

/* Work-groups are along the dimension in which memory is consecutive, and squares where it is so in two. */
static void test_groups_along_rows(void)
{
#define WILD(index)                                                                                                    \
    "kernel void wild(global int *out) { int i = get_global_id(0), j = get_global_id(1);"                              \
    " if (i == 9 && j == 70) out[1 << 28] = 1; if (i < 0) out[" index "] = out[i * 512 + j]; }"
    static const struct {
        const char *code, *place;
        size_t local[2]; /* 0: none */
    } rows[] = {
        {WILD("j * 512 + i") /* and a column */, "workgroup (0, 4,", {8, 8}},
        {WILD("i * 512 + j"), "workgroup (9, 0,", {8, 8}},
        {WILD("i * 512 + j"), "workgroup (9, 0,", {0, 0}},
        {WILD("i * 512 + j"), "workgroup (9, 0,", {16, 16}},
        {WILD("i * 512 + j"), "workgroup (9, 1,", {1, 64}},
        {WILD("i * 512 + j + get_local_id(0)"), "workgroup (1, 8,", {8, 8}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[TEXT_SIZE] = "";
        fault_in_range(rows[i].code, 2, (size_t[]){512, 512}, rows[i].local[0] ? rows[i].local : NULL, text);
        if (!CHECK(strstr(text, rows[i].place)))
            fprintf(stderr, "row %zu: %s\n", i, text);
    }
#undef WILD
}

static void test_binary(cl_program program)
{
    size_t size = 0;
    cl_int status, error;
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL), CL_SUCCESS);
    unsigned char *bytes = malloc(size);
    const unsigned char *given = bytes;
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL), CL_SUCCESS);
    cl_program again = clCreateProgramWithBinary(context, 1, &device, &size, &given, &status, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(again, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    test_arguments(again);
    clReleaseProgram(again);
    for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 97) { /* no prefix of a binary is a valid one */
        size_t less = cut ? cut : 1;
        CHECK(!clCreateProgramWithBinary(context, 1, &device, &less, &given, &status, &error));
        CHECK_EQ(error, CL_INVALID_BINARY);
    }
    free(bytes);
}

static void test_build_errors(void)
{
    const char *bad = "kernel void k(global int *p) { *p = undeclared; }", *none = NULL;
    char log[2048] = "";
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &bad, NULL, &error);
    CHECK(!clCreateProgramWithSource(context, 1, &none, NULL, &error));
    CHECK_EQ(error, CL_INVALID_VALUE);
    CHECK(!clCreateKernel(program, "k", &error));
    CHECK_EQ(error, CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(clBuildProgram(program, 0, NULL, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_EQ(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL), CL_SUCCESS);
    CHECK(strstr(log, "undeclared"));
    CHECK_EQ(clBuildProgram(program, 0, NULL, "-D undeclared=3", NULL, NULL), CL_SUCCESS);
    cl_kernel kernel = kernel_of(program, "k");
    CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(!clCreateKernel(program, "other", &error));
    CHECK_EQ(error, CL_INVALID_KERNEL_NAME);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void test_compile_and_link(void)
{
    const char *texts[] = {
        "#include \"part/twice.h\"\nkernel void k(global int *p) { p[get_global_id(0)] = twice(21); }",
        "#include \"part/twice.h\"\nint twice(int x) { return 2 * x; }", "int twice(int x);\n"};
    const char *name = "part/twice.h";
    cl_program parts[3];
    cl_int error, value = 0;
    size_t one = 1;
    for (int i = 0; i < 3; i++)
        parts[i] = clCreateProgramWithSource(context, 1, &texts[i], NULL, &error);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(clCompileProgram(parts[i], 0, NULL, "", 1, &parts[2], &name, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clCompileProgram(parts[0], 0, NULL, "-create-library", 0, NULL, NULL, NULL, NULL),
             CL_INVALID_COMPILER_OPTIONS);
    cl_program library = clLinkProgram(context, 0, NULL, "-create-library", 1, &parts[1], NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    const cl_program inputs[] = {parts[0], library};
    cl_program whole = clLinkProgram(context, 0, NULL, NULL, 2, inputs, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK(!clLinkProgram(context, 0, NULL, NULL, 1, &parts[2], NULL, NULL, &error));
    CHECK_EQ(error, CL_INVALID_OPERATION);
    cl_kernel kernel = kernel_of(whole, "k");
    cl_mem mem = buffer_of(0, 4, NULL);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(run(kernel, 1, NULL, &one, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &value, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(value, 42);
    clReleaseMemObject(mem), clReleaseKernel(kernel), clReleaseProgram(whole), clReleaseProgram(library);
    for (int i = 0; i < 3; i++)
        clReleaseProgram(parts[i]);
}

int main(void)
{
    set_up(0);
    cl_program program = build(source, "-cl-kernel-arg-info");
    test_arguments(program);
    test_ranges(program);
    test_partial_groups();
    test_fault(program);
    test_notify();
    test_blind_groups();
    test_groups_along_rows();
    test_binary(program);
    test_build_errors();
    test_compile_and_link();
    clReleaseProgram(program);
    tear_down();
    return test_finish();
}
