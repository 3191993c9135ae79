/* What the queries answer, in which size, and that what the device promises is true: every limit is used to the full. */
#define _DEFAULT_SOURCE /* strsep */
#include "cl_test.h"

#include <CL/cl_ext.h>

/* ---- every device query: its size, and the full profile's least value ---- */

static const struct {
    cl_device_info name;
    size_t size;    /* 0: a text; 1: a list of cl_name_version; 2: any */
    cl_ulong least; /* of a number */
} queries[] = {
    {CL_DEVICE_TYPE, sizeof(cl_device_type), CL_DEVICE_TYPE_GPU},
    {CL_DEVICE_VENDOR_ID, sizeof(cl_uint), 0},
    {CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint), 1},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, sizeof(cl_uint), 3},
    {CL_DEVICE_MAX_WORK_ITEM_SIZES, 3 * sizeof(size_t), 1},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t), 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, sizeof(cl_uint), 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, sizeof(cl_uint), 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, sizeof(cl_uint), 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, sizeof(cl_uint), 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, sizeof(cl_uint), 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, sizeof(cl_uint), 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, sizeof(cl_uint), 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, sizeof(cl_uint), 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, sizeof(cl_uint), 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, sizeof(cl_uint), 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, sizeof(cl_uint), 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof(cl_uint), 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, sizeof(cl_uint), 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, sizeof(cl_uint), 1},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof(cl_uint), 0},
    {CL_DEVICE_ADDRESS_BITS, sizeof(cl_uint), 32},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong), 32 << 20},
    {CL_DEVICE_IMAGE_SUPPORT, sizeof(cl_bool), 0},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, sizeof(cl_uint), 0},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, sizeof(cl_uint), 0},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, sizeof(cl_uint), 0},
    {CL_DEVICE_IL_VERSION, 0, 0},
    {CL_DEVICE_ILS_WITH_VERSION, 3 * sizeof(cl_name_version), 0},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_MAX_SAMPLERS, sizeof(cl_uint), 0},
    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof(cl_uint), 0},
    {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, sizeof(cl_uint), 0},
    {CL_DEVICE_MAX_PIPE_ARGS, sizeof(cl_uint), 16},
    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, sizeof(cl_uint), 1},
    {CL_DEVICE_PIPE_MAX_PACKET_SIZE, sizeof(cl_uint), 1024},
    {CL_DEVICE_MAX_PARAMETER_SIZE, sizeof(size_t), 1024},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(cl_uint), 1024}, /* a long16, in bits */
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, sizeof(cl_uint), 128},
    {CL_DEVICE_SINGLE_FP_CONFIG, sizeof(cl_device_fp_config), CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN},
    {CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config),
     CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_INF_NAN | CL_FP_DENORM},
    {CL_DEVICE_HALF_FP_CONFIG, sizeof(cl_device_fp_config), CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, sizeof(cl_device_mem_cache_type), 0},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, sizeof(cl_uint), 0},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof(cl_ulong), 0},
    {CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong), 32 << 20},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, sizeof(cl_ulong), 64 << 10},
    {CL_DEVICE_MAX_CONSTANT_ARGS, sizeof(cl_uint), 8},
    {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_LOCAL_MEM_TYPE, sizeof(cl_device_local_mem_type), CL_LOCAL},
    {CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong), 32 << 10},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, sizeof(cl_bool), 0},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(cl_bool), 0},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof(size_t), 1},
    {CL_DEVICE_ENDIAN_LITTLE, sizeof(cl_bool), CL_TRUE},
    {CL_DEVICE_AVAILABLE, sizeof(cl_bool), CL_TRUE},
    {CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool), CL_TRUE},
    {CL_DEVICE_LINKER_AVAILABLE, sizeof(cl_bool), CL_TRUE},
    {CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(cl_device_exec_capabilities), CL_EXEC_KERNEL},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, sizeof(cl_command_queue_properties), CL_QUEUE_PROFILING_ENABLE},
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, sizeof(cl_command_queue_properties), 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, sizeof(cl_uint), 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, sizeof(cl_uint), 0},
    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, sizeof(cl_uint), 0},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, sizeof(cl_uint), 0},
    {CL_DEVICE_BUILT_IN_KERNELS, 0, 0},
    {CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, 1, 0},
    {CL_DEVICE_PLATFORM, sizeof(cl_platform_id), 1},
    {CL_DEVICE_NAME, 0, 0},
    {CL_DEVICE_VENDOR, 0, 0},
    {CL_DRIVER_VERSION, 0, 0},
    {CL_DEVICE_PROFILE, 0, 0},
    {CL_DEVICE_VERSION, 0, 0},
    {CL_DEVICE_NUMERIC_VERSION, sizeof(cl_version), CL_MAKE_VERSION(3, 0, 0)},
    {CL_DEVICE_OPENCL_C_VERSION, 0, 0},
    {CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, sizeof(cl_version), CL_MAKE_VERSION(1, 2, 0)},
    {CL_DEVICE_OPENCL_C_ALL_VERSIONS, 1, 0},
    {CL_DEVICE_OPENCL_C_FEATURES, 1, 0},
    {CL_DEVICE_EXTENSIONS, 0, 0},
    {CL_DEVICE_EXTENSIONS_WITH_VERSION, 1, 0},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof(size_t), 1 << 20},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, sizeof(cl_bool), 0},
    {CL_DEVICE_PARENT_DEVICE, sizeof(cl_device_id), 0},
    {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof(cl_uint), 0},
    {CL_DEVICE_PARTITION_PROPERTIES, 2, 0},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof(cl_device_affinity_domain), 0},
    {CL_DEVICE_PARTITION_TYPE, 2, 0},
    {CL_DEVICE_REFERENCE_COUNT, sizeof(cl_uint), 1},
    {CL_DEVICE_SVM_CAPABILITIES, sizeof(cl_device_svm_capabilities), 0},
    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, sizeof(cl_uint), 0},
    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, sizeof(cl_uint), 0},
    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, sizeof(cl_uint), 0},
    {CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof(cl_uint), 1},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, sizeof(cl_bool), 0},
    {CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof(size_t), 1},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, sizeof(cl_device_atomic_capabilities),
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, sizeof(cl_device_atomic_capabilities),
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof(cl_bool), 0},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, sizeof(cl_bool), 0},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, sizeof(cl_bool), 0},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof(cl_device_device_enqueue_capabilities), 0},
    {CL_DEVICE_PIPE_SUPPORT, sizeof(cl_bool), 1},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(size_t), 1},
    {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, 0, 0},
};

static cl_ulong number_of(cl_device_info name)
{
    cl_ulong words[32] = {0};
    CHECK_EQ(clGetDeviceInfo(device, name, sizeof(words), words, NULL), CL_SUCCESS);
    return words[0];
}

static void test_device_queries(void)
{
    static char text[8192];
    for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
        size_t size = 99999;
        if (!CHECK_EQ(clGetDeviceInfo(device, queries[i].name, 0, NULL, &size), CL_SUCCESS) || size > sizeof(text)) {
            fprintf(stderr, "  the query is 0x%x\n", queries[i].name);
            continue;
        }
        memset(text, 'x', sizeof(text));
        CHECK_EQ(clGetDeviceInfo(device, queries[i].name, size, text, NULL), CL_SUCCESS);
        CHECK(text[size] == 'x');
        if (size)
            CHECK_EQ(clGetDeviceInfo(device, queries[i].name, size - 1, text, NULL), CL_INVALID_VALUE);
        if (queries[i].size == 0)
            CHECK(size && strlen(text) + 1 == size);
        else if (queries[i].size == 1)
            CHECK_EQ(size % sizeof(cl_name_version), 0);
        else if (queries[i].size > 2)
            CHECK(size == queries[i].size && number_of(queries[i].name) >= queries[i].least);
    }
    /* relations between them */
    cl_ulong global = number_of(CL_DEVICE_GLOBAL_MEM_SIZE), quarter = global / 4;
    CHECK(number_of(CL_DEVICE_MAX_MEM_ALLOC_SIZE) >= (quarter < 1 << 30 ? quarter : 1 << 30));
    CHECK(number_of(CL_DEVICE_MAX_MEM_ALLOC_SIZE) <= global);
    CHECK_EQ(number_of(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES) & CL_DEVICE_ATOMIC_ORDER_ACQ_REL,
             CL_DEVICE_ATOMIC_ORDER_ACQ_REL);
    cl_bitfield capabilities; /* cl_ext_float_atomics: of float, double, half */
    for (cl_device_info name = 0x4231; name <= 0x4233; name++) {
        CHECK_EQ(clGetDeviceInfo(device, name, sizeof(capabilities), &capabilities, NULL), CL_SUCCESS);
        CHECK_EQ(capabilities, name == 0x4233 ? 0 : 0x70007);
    }
}

/* The texts and the lists with versions say the same. */
static void test_versions(void)
{
    char text[2048], *rest = text;
    cl_name_version rows[64];
    size_t size, names = 0;
    unsigned major, minor;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof(rows), rows, &size), CL_SUCCESS);
    for (char *name; (name = strsep(&rest, " ")); names++)
        CHECK(names < size / sizeof(*rows) && !strcmp(rows[names].name, name));
    CHECK_EQ(names, size / sizeof(*rows));
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK(sscanf(text, "OpenCL %u.%u ", &major, &minor) == 2 && major == 3 && minor == 0);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK(sscanf(text, "OpenCL C %u.%u ", &major, &minor) == 2 &&
          CL_MAKE_VERSION(major, minor, 0) == number_of(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR));
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, sizeof(text), text, NULL),
             CL_SUCCESS);
    CHECK(sscanf(text, "v%u-%u-", &major, &minor) == 2 && strlen(text) == 14);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof(rows), rows, &size), CL_SUCCESS);
    for (size_t i = 0; i < size / sizeof(*rows); i++) { /* each of them compiles */
        char option[32];
        snprintf(option, sizeof(option), "-cl-std=CL%u.%u", CL_VERSION_MAJOR(rows[i].version),
                 CL_VERSION_MINOR(rows[i].version));
        CHECK_STR(rows[i].name, "OpenCL C");
        clReleaseProgram(build("kernel void k(global int *p) { *p = 1; }", option));
    }
    CHECK_EQ(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof(rows), rows, &size), CL_SUCCESS);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK(size && size / sizeof(*rows) <= names);
    for (size_t i = 0; i < size / sizeof(*rows); i++) /* those of all devices */
        CHECK(strstr(text, rows[i].name));
    cl_ulong resolution = 0, there = 0, here = 0, later = 0;
    CHECK_EQ(clGetPlatformInfo(platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof(resolution), &resolution, NULL),
             CL_SUCCESS);
    CHECK(resolution != 0);
    CHECK_EQ(clGetDeviceAndHostTimer(device, &there, &here), CL_SUCCESS);
    CHECK_EQ(clGetHostTimer(device, &later), CL_SUCCESS);
    CHECK(there && here && later >= here);
}

/* ---- limits, used to the full ---- */

static cl_int run(cl_kernel kernel, cl_uint dimensions, const size_t *global, const size_t *local)
{
    cl_event event;
    cl_int status = CL_SUCCESS,
           error = clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL, &event);
    if (error != CL_SUCCESS)
        return error;
    clWaitForEvents(1, &event);
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL);
    clReleaseEvent(event);
    return status;
}

/* The largest buffer: its first and last words hold what a kernel writes. */
static void test_largest_buffer(void)
{
    size_t size = (size_t)number_of(CL_DEVICE_MAX_MEM_ALLOC_SIZE), one = 1;
    cl_uint last = (cl_uint)(size / 4 - 1), got[2];
    cl_mem mem = buffer_of(0, size, NULL);
    cl_program program = build("kernel void ends(global uint *p, uint last) { p[0] = 11; p[last] = 22; }", NULL);
    cl_kernel kernel = kernel_of(program, "ends");
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(last), &last), CL_SUCCESS);
    CHECK_EQ(run(kernel, 1, &one, NULL), CL_COMPLETE);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &got[0], 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, (size_t)last * 4, 4, &got[1], 0, NULL, NULL), CL_SUCCESS);
    CHECK(got[0] == 11 && got[1] == 22);
    clReleaseKernel(kernel), clReleaseProgram(program), clReleaseMemObject(mem);
}

/* Allocating more than there is fails and leaves existing buffers alone. */
static void test_all_memory(void)
{
    enum { MOST = 64 };
    cl_mem mems[MOST];
    size_t step = (size_t)number_of(CL_DEVICE_MAX_MEM_ALLOC_SIZE) / 4;
    int count = 0;
    cl_int error = CL_SUCCESS;
    while (count < MOST && (mems[count] = clCreateBuffer(context, 0, step, NULL, &error)))
        count++;
    CHECK(count >= 4 && count < MOST);
    CHECK_EQ(error, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    while (count-- > 0)
        CHECK_EQ(clReleaseMemObject(mems[count]), CL_SUCCESS);
    clReleaseMemObject(buffer_of(0, step, NULL));
}

static void test_constant(void)
{
    size_t size = (size_t)number_of(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), items = size / 4;
    cl_uint count = (cl_uint)number_of(CL_DEVICE_MAX_CONSTANT_ARGS), *in = malloc(size), *out = malloc(size);
    for (size_t i = 0; i < items; i++)
        in[i] = (cl_uint)(i * 2654435761u);
    cl_mem from = buffer_of(CL_MEM_COPY_HOST_PTR, size, in), to = buffer_of(0, size, NULL);
    cl_program program = build("kernel void copy(constant uint *from, global uint *to)\n"
                               "{ to[get_global_id(0)] = from[get_global_id(0)]; }",
                               NULL);
    cl_kernel kernel = kernel_of(program, "copy");
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(from), &from), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(to), &to), CL_SUCCESS);
    CHECK_EQ(run(kernel, 1, &items, NULL), CL_COMPLETE);
    CHECK_EQ(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, size, out, 0, NULL, NULL), CL_SUCCESS);
    CHECK(!memcmp(in, out, size));
    clReleaseKernel(kernel), clReleaseProgram(program);

    /* as many constant arguments as may be: the kernel adds up one word of each */
    char *source = malloc(64 * count + 256), *end = source;
    cl_uint expected = 0, got = 0;
    size_t one = 1;
    end += sprintf(end, "kernel void add(global uint *to");
    for (cl_uint i = 0; i < count; i++, expected += in[i - 1])
        end += sprintf(end, ", constant uint *c%u", i);
    end += sprintf(end, ") { *to = 0");
    for (cl_uint i = 0; i < count; i++)
        end += sprintf(end, " + c%u[%u]", i, i);
    strcpy(end, "; }");
    program = build(source, NULL);
    kernel = kernel_of(program, "add");
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(to), &to), CL_SUCCESS);
    for (cl_uint i = 0; i < count; i++)
        CHECK_EQ(clSetKernelArg(kernel, i + 1, sizeof(from), &from), CL_SUCCESS);
    CHECK_EQ(run(kernel, 1, &one, NULL), CL_COMPLETE);
    CHECK_EQ(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, 4, &got, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(got, expected);
    clReleaseKernel(kernel), clReleaseProgram(program), clReleaseMemObject(from), clReleaseMemObject(to);
    free(source), free(in), free(out);
}

/* Arguments of CL_DEVICE_MAX_PARAMETER_SIZE bytes: longs, the last four bytes a pointer. */
static void test_parameters(void)
{
    size_t count = (size_t)number_of(CL_DEVICE_MAX_PARAMETER_SIZE) / 8 - 1, one = 1;
    char *source = malloc(64 * count + 256), *end = source;
    cl_ulong expected = 0, got = 0;
    cl_mem mem = buffer_of(0, 8, NULL);
    end += sprintf(end, "kernel void add(");
    for (size_t i = 0; i < count; i++)
        end += sprintf(end, "ulong a%zu, ", i);
    end += sprintf(end, "global ulong *to) { ulong sum = 0;\n");
    for (size_t i = 0; i < count; i++)
        end += sprintf(end, "sum = sum * 3 + a%zu;\n", i);
    strcpy(end, "*to = sum; }");
    cl_program program = build(source, NULL);
    cl_kernel kernel = kernel_of(program, "add");
    for (size_t i = 0; i < count; i++) {
        cl_ulong value = i * 0x123456789abcdefu;
        expected = expected * 3 + value;
        CHECK_EQ(clSetKernelArg(kernel, (cl_uint)i, sizeof(value), &value), CL_SUCCESS);
    }
    CHECK_EQ(clSetKernelArg(kernel, (cl_uint)count, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(run(kernel, 1, &one, NULL), CL_COMPLETE);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 8, &got, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(got, expected);
    clReleaseKernel(kernel), clReleaseProgram(program), clReleaseMemObject(mem);
    free(source);
}

/* All of the local memory: as an argument and as a variable, in workgroups of one work-item and of the largest size. */
static void test_local_memory(void)
{
    size_t bytes = (size_t)number_of(CL_DEVICE_LOCAL_MEM_SIZE), words = bytes / 4;
    size_t most = (size_t)number_of(CL_DEVICE_MAX_WORK_GROUP_SIZE), sizes[] = {1, most};
    cl_uint *out = malloc(2 * bytes);
    cl_ulong used = 0;
    char options[32];
    snprintf(options, sizeof(options), "-DWORDS=%zu", words);
    cl_program program =
        build("#define BODY \\\n"
              "    uint items = get_local_size(0), me = get_local_id(0); \\\n"
              "    for (uint i = me; i < WORDS; i += items) l[i] = i * 7 + get_group_id(0); \\\n"
              "    barrier(CLK_LOCAL_MEM_FENCE); \\\n"
              "    for (uint i = me; i < WORDS; i += items) out[get_group_id(0) * WORDS + i] = l[WORDS - 1 - i];\n"
              "kernel void argument(global uint *out, local uint *l) { BODY }\n"
              "kernel void variable(global uint *out) { local uint l[WORDS]; BODY }\n",
              options);
    cl_mem mem = buffer_of(0, 2 * bytes, NULL);
    for (int kind = 0; kind < 2; kind++) {
        cl_kernel kernel = kernel_of(program, kind ? "variable" : "argument");
        CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
        if (!kind)
            CHECK_EQ(clSetKernelArg(kernel, 1, bytes, NULL), CL_SUCCESS);
        CHECK_EQ(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(used), &used, NULL),
                 CL_SUCCESS);
        CHECK_EQ(used, bytes);
        for (int i = 0; i < 2; i++) {
            size_t global = 2 * sizes[i];
            CHECK_EQ(run(kernel, 1, &global, &sizes[i]), CL_COMPLETE);
            CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 2 * bytes, out, 0, NULL, NULL), CL_SUCCESS);
            size_t wrong = 0;
            for (size_t w = 0; w < 2 * words; w++)
                wrong += out[w] != (words - 1 - w % words) * 7 + w / words;
            CHECK_EQ(wrong, 0);
        }
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program), clReleaseMemObject(mem);
    free(out);
}

/* The largest workgroup, along each dimension, with a barrier across all its work-items. */
static void test_workgroup_sizes(void)
{
    size_t most[3], group = (size_t)number_of(CL_DEVICE_MAX_WORK_GROUP_SIZE), allowed = 0;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(most), most, NULL), CL_SUCCESS);
    cl_program program = build("kernel void sum(global uint *p, local uint *l)\n"
                               "{\n"
                               "    uint id = get_local_id(0) + get_local_id(1) + get_local_id(2);\n"
                               "    uint size = get_local_size(0) * get_local_size(1) * get_local_size(2), s = 0;\n"
                               "    l[id] = id;\n"
                               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "    for (uint i = 0; i < size; i++) s += l[i];\n"
                               "    p[id] = s;\n"
                               "}\n",
                               NULL);
    cl_kernel kernel = kernel_of(program, "sum");
    CHECK_EQ(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(allowed), &allowed, NULL),
             CL_SUCCESS);
    CHECK_EQ(allowed, group);
    cl_mem mem = buffer_of(0, group * 4, NULL);
    cl_uint *out = malloc(group * 4);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 1, group * 4, NULL), CL_SUCCESS);
    for (int d = 0; d < 3; d++) {
        size_t size[3] = {1, 1, 1}, wrong = 0;
        size[d] = most[d] < group ? most[d] : group;
        CHECK_EQ(run(kernel, 3, size, size), CL_COMPLETE);
        CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, group * 4, out, 0, NULL, NULL), CL_SUCCESS);
        for (size_t i = 0; i < size[d]; i++)
            wrong += out[i] != size[d] * (size[d] - 1) / 2;
        CHECK_EQ(wrong, 0);
    }
    free(out);
    clReleaseKernel(kernel), clReleaseProgram(program), clReleaseMemObject(mem);
}

/* ---- other objects ---- */

static void test_object_queries(void)
{
    const char *source =
        "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global const int *restrict p,\n"
        "    constant float4 *c, volatile local uint *l, unsigned int n) { l[0] = p[0] + n + (int)c->x; }";
    char text[256];
    size_t size = 0, three[3], multiple = 0;
    cl_uint number = 0;
    cl_int error;
    void *pointer = NULL;
    cl_ulong bytes = 0;
    const cl_queue_properties given[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_queue_properties back[3];
    cl_command_queue own = clCreateCommandQueueWithProperties(context, device, given, &error);
    CHECK_EQ(clGetCommandQueueInfo(own, CL_QUEUE_PROPERTIES_ARRAY, sizeof(back), back, &size), CL_SUCCESS);
    CHECK(size == sizeof(given) && !memcmp(given, back, size));
    CHECK_EQ(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size), CL_SUCCESS);
    CHECK_EQ(size, 0); /* not made from a list */
    CHECK_EQ(clGetCommandQueueInfo(own, CL_QUEUE_DEVICE_DEFAULT, sizeof(pointer), &pointer, NULL), CL_SUCCESS);
    CHECK(!pointer);
    clReleaseCommandQueue(own);

    static const cl_mem_flags flags[] = {0, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                                         CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY};
    static char memory[512];
    const cl_buffer_region region = {256, 128};
    const cl_mem_properties none[] = {0};
    for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
        void *host = flags[i] & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) ? memory : NULL;
        cl_mem mem = clCreateBufferWithProperties(context, i % 2 ? none : NULL, flags[i], sizeof(memory), host, &error);
        cl_mem part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error), parent = NULL;
        cl_mem_flags got = 77;
        CHECK_EQ(clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof(got), &got, NULL), CL_SUCCESS);
        CHECK_EQ(got, flags[i]);
        CHECK_EQ(clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof(got), &got, NULL), CL_SUCCESS);
        CHECK_EQ(got, flags[i]); /* what it does not say it inherits */
        CHECK_EQ(clGetMemObjectInfo(part, CL_MEM_HOST_PTR, sizeof(pointer), &pointer, NULL), CL_SUCCESS);
        CHECK(pointer == (flags[i] & CL_MEM_USE_HOST_PTR ? memory + 256 : NULL));
        CHECK_EQ(clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof(size), &size, NULL), CL_SUCCESS);
        CHECK_EQ(size, 256);
        CHECK_EQ(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL), CL_SUCCESS);
        CHECK(parent == mem);
        CHECK_EQ(clGetMemObjectInfo(mem, CL_MEM_PROPERTIES, 0, NULL, &size), CL_SUCCESS);
        CHECK_EQ(size, i % 2 ? sizeof(none) : 0);
        CHECK_EQ(clGetMemObjectInfo(mem, CL_MEM_USES_SVM_POINTER, sizeof(number), &number, &size), CL_SUCCESS);
        CHECK(number == CL_FALSE && size == sizeof(cl_bool));
        clReleaseMemObject(part), clReleaseMemObject(mem);
    }

    cl_program program = build(source, "-cl-kernel-arg-info");
    cl_kernel kernel = kernel_of(program, "k");
    static const struct {
        const char *name, *type;
        cl_kernel_arg_address_qualifier address;
        cl_kernel_arg_type_qualifier qualifiers;
    } arguments[] = {
        {"p", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
        {"c", "float4*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
        {"l", "uint*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_VOLATILE},
        {"n", "uint", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
    };
    for (cl_uint i = 0; i < 4; i++) {
        cl_kernel_arg_address_qualifier address = 0;
        cl_kernel_arg_access_qualifier access = 0;
        cl_kernel_arg_type_qualifier qualifiers = 99;
        CHECK_EQ(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL), CL_SUCCESS);
        CHECK_STR(text, arguments[i].name);
        CHECK_EQ(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, &size), CL_SUCCESS);
        CHECK_STR(text, arguments[i].type);
        CHECK_EQ(size, strlen(text) + 1);
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address, NULL);
        CHECK_EQ(address, arguments[i].address);
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access, NULL);
        CHECK_EQ(access, CL_KERNEL_ARG_ACCESS_NONE);
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifiers), &qualifiers, NULL);
        CHECK_EQ(qualifiers, arguments[i].qualifiers);
    }
    CHECK_EQ(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(three), three, NULL),
             CL_SUCCESS);
    CHECK(three[0] == 4 && three[1] == 2 && three[2] == 1);
    CHECK_EQ(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(multiple),
                                      &multiple, NULL),
             CL_SUCCESS);
    CHECK_EQ(multiple, number_of(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE));
    CHECK_EQ(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof(bytes), &bytes, &size),
             CL_SUCCESS);
    CHECK_EQ(size, sizeof(cl_ulong));
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size), CL_SUCCESS);
    CHECK_EQ(size, strlen(source) + 1);
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK_STR(text, "k");
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof(text), text, &size), CL_SUCCESS);
    CHECK_EQ(size, 0);
    CHECK_EQ(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK_STR(text, "-cl-kernel-arg-info");
    clReleaseKernel(kernel), clReleaseProgram(program);
}

/* What a kernel's arguments are is told only if every part of the program was compiled with -cl-kernel-arg-info. */
static void test_argument_info_is_asked_for(void)
{
    static const char *const sources[] = {"int f(int x) { return x + 1; }",
                                          "int f(int x); kernel void k(global int *p) { *p = f(*p); }"};
    static const cl_kernel_arg_info asked_for[] = {CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_ACCESS_QUALIFIER,
                                                   CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_TYPE_QUALIFIER,
                                                   CL_KERNEL_ARG_NAME};
    for (unsigned with = 0; with < 4; with++) {
        cl_program parts[2],
            whole = build("kernel void k(global int *p) { *p = 1; }", with ? "-cl-kernel-arg-info" : "");
        cl_int error;
        for (unsigned i = 0; i < 2; i++) {
            parts[i] = clCreateProgramWithSource(context, 1, (const char **)(uintptr_t)&sources[i], NULL, NULL);
            CHECK_EQ(clCompileProgram(parts[i], 0, NULL, with >> i & 1 ? "-cl-kernel-arg-info" : NULL, 0, NULL, NULL,
                                      NULL, NULL),
                     CL_SUCCESS);
        }
        cl_program linked = clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        cl_kernel one = kernel_of(whole, "k"), two = kernel_of(linked, "k");
        for (size_t i = 0; i < sizeof(asked_for) / sizeof(*asked_for); i++) {
            CHECK_EQ(clGetKernelArgInfo(one, 0, asked_for[i], 0, NULL, NULL),
                     with ? CL_SUCCESS : CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
            CHECK_EQ(clGetKernelArgInfo(two, 0, asked_for[i], 0, NULL, NULL),
                     with == 3 ? CL_SUCCESS : CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        }
        clReleaseKernel(one), clReleaseKernel(two), clReleaseProgram(linked), clReleaseProgram(whole);
        clReleaseProgram(parts[0]), clReleaseProgram(parts[1]);
    }
}

/* Types as they are declared and as clGetKernelArgInfo calls them. */
static const char *const types[][2] = {
    {"char", "char"},
    {"signed char", "char"},
    {"char signed", "char"},
    {"unsigned char", "uchar"},
    {"char unsigned", "uchar"},
    {"uchar", "uchar"},
    {"short", "short"},
    {"signed short", "short"},
    {"short unsigned", "ushort"},
    {"unsigned short", "ushort"},
    {"int", "int"},
    {"signed", "int"},
    {"signed int", "int"},
    {"unsigned", "uint"},
    {"int unsigned", "uint"},
    {"uint", "uint"},
    {"long", "long"},
    {"signed long", "long"},
    {"long unsigned", "ulong"},
    {"ulong", "ulong"},
    {"float", "float"},
    {"float3", "float3"},
    {"uchar16", "uchar16"},
    {"ulong2", "ulong2"},
    {"pair", "pair"},
    {"void", "void"},
};
enum { TYPES = sizeof(types) / sizeof(*types), QUALIFIERS = 8 };

/* Every address space and every set of qualifiers: a kernel each, with an argument of every type. */
static void test_argument_info(void)
{
    static const char *const spaces[] = {"private", "global", "local", "constant"};
    static const cl_kernel_arg_address_qualifier addresses[] = {
        CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL,
        CL_KERNEL_ARG_ADDRESS_CONSTANT};
    char *source = malloc(4 * QUALIFIERS * TYPES * 64 + 256), *end = source, name[32], text[64];
    end += sprintf(end, "typedef struct { int a, b; } pair;\n");
    for (int space = 0; space < 4; space++)
        for (int q = 0; q < QUALIFIERS; q++) {
            end += sprintf(end, "kernel void k%d_%d(", space, q);
            for (int t = 0; t < TYPES - !space; t++) /* void is not a value */
                end += sprintf(end, "%s%s %s%s%s %s%s argument%d", t ? ", " : "", spaces[space], q & 1 ? "const " : "",
                               q & 2 ? "volatile " : "", types[t][0], space ? "*" : "",
                               space && q & 4 ? "restrict" : "", t);
            end += sprintf(end, ") {}\n");
        }
    cl_program program = build(source, "-cl-kernel-arg-info");
    for (int space = 0; space < 4; space++)
        for (int q = 0; q < QUALIFIERS; q++) {
            snprintf(name, sizeof(name), "k%d_%d", space, q);
            cl_kernel kernel = kernel_of(program, name);
            cl_kernel_arg_type_qualifier expected = space ? (q & 1 || space == 3 ? CL_KERNEL_ARG_TYPE_CONST : 0) |
                                                                (q & 2 ? CL_KERNEL_ARG_TYPE_VOLATILE : 0) |
                                                                (q & 4 ? CL_KERNEL_ARG_TYPE_RESTRICT : 0)
                                                          : CL_KERNEL_ARG_TYPE_NONE;
            for (int t = 0; t < TYPES - !space; t++) {
                cl_kernel_arg_type_qualifier got = 99;
                cl_kernel_arg_address_qualifier address = 0;
                CHECK_EQ(clGetKernelArgInfo(kernel, (cl_uint)t, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL),
                         CL_SUCCESS);
                snprintf(name, sizeof(name), "%s%s", types[t][1], space ? "*" : "");
                CHECK_STR(text, name);
                clGetKernelArgInfo(kernel, (cl_uint)t, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL);
                snprintf(name, sizeof(name), "argument%d", t);
                CHECK_STR(text, name);
                clGetKernelArgInfo(kernel, (cl_uint)t, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(got), &got, NULL);
                CHECK_EQ(got, expected);
                clGetKernelArgInfo(kernel, (cl_uint)t, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address,
                                   NULL);
                CHECK_EQ(address, addresses[space]);
            }
            clReleaseKernel(kernel);
        }
    clReleaseProgram(program);
    free(source);
}

/* Variables of a program: as large as promised, counted, and still there at the next launch. */
static void test_program_variables(void)
{
    size_t most = (size_t)number_of(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE), total = 0, items = 64;
    char options[64];
    cl_uint got[64];
    if (!most)
        return;
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DSIZE=%zu", most);
    cl_program program = build("global uint table[SIZE / 4];\n"
                               "kernel void put(global uint *p)\n"
                               "{ table[get_global_id(0) * (SIZE / 256)] = (uint)get_global_id(0) + 5; }\n"
                               "kernel void get(global uint *p)\n"
                               "{ p[get_global_id(0)] = table[get_global_id(0) * (SIZE / 256)]; }",
                               options);
    CHECK_EQ(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof(total), &total,
                                   NULL),
             CL_SUCCESS);
    CHECK(total >= most);
    cl_mem mem = buffer_of(0, sizeof(got), NULL);
    static const char *const names[] = {"get", "put", "get"};
    for (int i = 0; i < 3; i++) {
        cl_kernel kernel = kernel_of(program, names[i]);
        CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
        CHECK_EQ(run(kernel, 1, &items, NULL), CL_COMPLETE);
        CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL), CL_SUCCESS);
        for (cl_uint w = 0; w < 64 && i != 1; w++)
            CHECK_EQ(got[w], i ? w + 5 : 0);
        clReleaseKernel(kernel);
    }
    clReleaseMemObject(mem), clReleaseProgram(program);
}

/* The extension's suggestion is what a launch without a local size gets, for ranges of awkward length too. */
static void test_suggested_size(void)
{
    clGetKernelSuggestedLocalWorkSizeKHR_fn suggest = NULL;
    void *function = clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    static const size_t ranges[][3] = {{65537, 1, 1}, {1009, 3, 1}, {64, 64, 2}, {1, 1, 7}, {100, 1, 1}, {52400, 1, 1}};
    memcpy(&suggest, &function, sizeof(suggest));
    if (!CHECK(suggest != NULL))
        return;
    for (int standard = 0; standard < 2; standard++) {
        cl_program program = build("kernel void sizes(global uint *p)\n"
                                   "{ if (get_global_id(0) + get_global_id(1) + get_global_id(2) == 0)\n"
                                   "  for (uint d = 0; d < 3; d++) p[d] = get_local_size(d); }\n"
                                   "kernel void blind(global uint *p) { p[0] = 1; }",
                                   standard ? "-cl-std=CL3.0" : "-cl-std=CL1.2");
        cl_kernel kernel = kernel_of(program, "sizes"), blind = kernel_of(program, "blind");
        cl_mem mem = buffer_of(0, 12, NULL);
        CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
        CHECK_EQ(clSetKernelArg(blind, 0, sizeof(mem), &mem), CL_SUCCESS);
        for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
            size_t local[3] = {0};
            cl_uint got[3] = {0};
            CHECK_EQ(suggest(queue, kernel, 3, NULL, ranges[i], local), CL_SUCCESS);
            CHECK(i != 5 || local[0] % 16 == 0); /* 200 divides it, too */
            CHECK_EQ(run(kernel, 3, ranges[i], NULL), CL_COMPLETE);
            CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 12, got, 0, NULL, NULL), CL_SUCCESS);
            for (int d = 0; d < 3; d++) {
                CHECK_EQ(got[d], local[d]);
                CHECK(standard || ranges[i][d] % local[d] == 0);
            }
            /* the suggestion can be launched, even if the kernel does not observe the work-group decomposition */
            CHECK_EQ(suggest(queue, blind, 3, NULL, ranges[i], local), CL_SUCCESS);
            CHECK_EQ(run(blind, 3, ranges[i], local), CL_COMPLETE);
            if (standard)
                CHECK(local[0] * local[1] * local[2] * 2 > (i == 3 ? 6 : 64));
        }
        size_t zero[3] = {0}, local[3];
        CHECK_EQ(suggest(queue, kernel, 3, NULL, zero, local), CL_INVALID_GLOBAL_WORK_SIZE);
        CHECK_EQ(suggest(queue, kernel, 3, NULL, ranges[0], NULL), CL_INVALID_VALUE);
        CHECK_EQ(suggest(queue, kernel, 4, NULL, ranges[0], local), CL_INVALID_WORK_DIMENSION);
        clReleaseKernel(kernel), clReleaseKernel(blind), clReleaseProgram(program), clReleaseMemObject(mem);
    }
}

int main(void)
{
    set_up(0);
    test_device_queries();
    test_versions();
    test_largest_buffer();
    test_all_memory();
    test_constant();
    test_parameters();
    test_local_memory();
    test_workgroup_sizes();
    test_object_queries();
    test_argument_info_is_asked_for();
    test_argument_info();
    test_program_variables();
    test_suggested_size();
    tear_down();
    return test_finish();
}
