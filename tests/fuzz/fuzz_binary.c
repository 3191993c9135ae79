/* OpenCL program binaries: whatever happened to one, it is refused, or it builds, answers and runs without harm.
 *
 * The program is compiled once.  An input is a list of changes to its binary: byte 0 says whether the checksum is made
 * right afterwards (otherwise the binary must be refused), how much is cut off, and whether the changes are in the
 * notes and what follows them or anywhere; then seven bytes for each change: where (3) and what is written there (4; byte 0 of `where`
 * chooses the width). */
#define _POSIX_C_SOURCE 200809L /* setenv */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "fuzz/fuzz.h"
#include "obj/notes.h"

#include <stdbool.h>
#include <string.h>

enum { CHANGE_BYTES = 7, MOST_CHANGES = 32, BUFFER_BYTES = 4096 };

static const char source[] =
    "struct pair { int a; long b; };\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void shaped(global int *out, struct pair value, float3 v)\n"
    "{ local int sum[64]; sum[get_local_id(0)] = value.a; barrier(1); out[get_global_id(0)] = sum[0] + (int)v.x; }\n"
    "kernel void plain(constant float4 *a, local float *b, char c, global float *d)\n"
    "{ float t[8]; for (int i = 0; i < 8; i++) t[i] = a[i].x; b[0] = t[c & 7]; d[get_global_id(0)] = b[0]; }\n"
    "kernel void says(global int *n) { if (!get_global_id(0)) printf(\"%d %s\\n\", n[0], \"said\"); }\n";

static struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
    unsigned char *binary;
    size_t size, notes_at;
} fuzz;

static void start(void)
{
    cl_platform_id platform;
    cl_int error;
    const char *text = source;
    FUZZ_CHECK(freopen("/dev/null", "w", stdout)); /* what kernels print */
    setenv("CHENGYING_MACHINE", "sms=1,host-threads=1,watchdog-instructions=20000,memory=16M", 1);
    FUZZ_CHECK(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    FUZZ_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &fuzz.device, NULL) == CL_SUCCESS);
    fuzz.context = clCreateContext(NULL, 1, &fuzz.device, NULL, NULL, &error);
    fuzz.queue = clCreateCommandQueueWithProperties(fuzz.context, fuzz.device, NULL, &error);
    fuzz.buffer = clCreateBuffer(fuzz.context, CL_MEM_READ_WRITE, BUFFER_BYTES, NULL, &error);
    FUZZ_CHECK(error == CL_SUCCESS);
    cl_program program = clCreateProgramWithSource(fuzz.context, 1, &text, NULL, &error);
    FUZZ_CHECK(clBuildProgram(program, 0, NULL, "-cl-kernel-arg-info", NULL, NULL) == CL_SUCCESS);
    FUZZ_CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size_t), &fuzz.size, NULL) == CL_SUCCESS);
    fuzz.binary = malloc(fuzz.size);
    FUZZ_CHECK(fuzz.binary);
    FUZZ_CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(fuzz.binary), &fuzz.binary, NULL) == CL_SUCCESS);
    while (memcmp(fuzz.binary + fuzz.notes_at + 12, CY_NOTE_OWNER, sizeof(CY_NOTE_OWNER)) != 0)
        fuzz.notes_at++;
    clReleaseProgram(program);
}

static size_t change(unsigned char *bytes, const uint8_t *data, size_t size)
{
    size_t whole = fuzz.size - (data[0] & 2 ? (size_t)(data[0] >> 3) * 97 : 0), changes = 0;
    size_t from = data[0] & 4 ? 0 : fuzz.notes_at < whole ? fuzz.notes_at : 0, range = whole - from;
    for (data++, size--; size >= CHANGE_BYTES && changes < MOST_CHANGES; changes++) {
        size_t width = (size_t)1 << data[0] % 3;
        size_t at = from + (size_t)(data[0] / 3 + 85 * (data[1] | data[2] << 8)) % (range - 3);
        memcpy(bytes + at, data + 3, width);
        data += CHANGE_BYTES;
        size -= CHANGE_BYTES;
    }
    return whole;
}

/* ---- everything that can be asked ---- */

#define ASK(call, object, ...)                                                                                         \
    do {                                                                                                               \
        const cl_uint names[] = {__VA_ARGS__};                                                                         \
        for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {                                                  \
            char answer[4096];                                                                                         \
            size_t got = 0;                                                                                            \
            if (call(object, names[n], sizeof(answer), answer, &got) == CL_SUCCESS)                                    \
                FUZZ_CHECK(got <= sizeof(answer));                                                                     \
        }                                                                                                              \
    } while (0)
#define WORK_GROUP_INFO(kernel, ...) clGetKernelWorkGroupInfo(kernel, fuzz.device, __VA_ARGS__)
#define BUILD_INFO(program, ...) clGetProgramBuildInfo(program, fuzz.device, __VA_ARGS__)

static void ask(cl_program program)
{
    ASK(clGetProgramInfo, program, CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES, CL_PROGRAM_BINARY_SIZES,
        CL_PROGRAM_NUM_DEVICES, CL_PROGRAM_SOURCE);
    ASK(BUILD_INFO, program, CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_BUILD_LOG, CL_PROGRAM_BINARY_TYPE,
        CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE);
}

static void set_arguments(cl_kernel kernel, cl_uint count)
{
    static unsigned char value[1 << 20] = {[8] = 1, 2, 3};
    static void *const nothing[64]; /* a handle of no object, if the argument is an image or a sampler */
    memcpy(value, &(const void *){nothing}, sizeof(void *));
    for (cl_uint i = 0; i < count; i++) {
#define ARG_INFO(kernel, ...) clGetKernelArgInfo(kernel, i, __VA_ARGS__)
        ASK(ARG_INFO, kernel, CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_ACCESS_QUALIFIER, CL_KERNEL_ARG_TYPE_NAME,
            CL_KERNEL_ARG_TYPE_QUALIFIER, CL_KERNEL_ARG_NAME);
        if (clSetKernelArg(kernel, i, sizeof(fuzz.buffer), &fuzz.buffer) == CL_SUCCESS ||
            clSetKernelArg(kernel, i, 256, NULL) == CL_SUCCESS)
            continue;
        for (size_t size = 1; size <= 64; size++)
            if (clSetKernelArg(kernel, i, size, value) == CL_SUCCESS)
                break;
    }
}

static void use(cl_kernel kernel)
{
    static const size_t globals[][3] = {{8, 2, 1}, {5, 1, 1}}, locals[][3] = {{4, 2, 1}, {1, 1, 1}};
    cl_uint count = 0;
    ASK(clGetKernelInfo, kernel, CL_KERNEL_FUNCTION_NAME, CL_KERNEL_NUM_ARGS, CL_KERNEL_ATTRIBUTES);
    ASK(WORK_GROUP_INFO, kernel, CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_LOCAL_MEM_SIZE,
        CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_PRIVATE_MEM_SIZE);
    FUZZ_CHECK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL) == CL_SUCCESS);
    set_arguments(kernel, count);
    ASK(WORK_GROUP_INFO, kernel, CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_LOCAL_MEM_SIZE);
    for (size_t g = 0; g < 2; g++)
        for (size_t l = 0; l < 3; l++)
            clEnqueueNDRangeKernel(fuzz.queue, kernel, 3, NULL, globals[g], l < 2 ? locals[l] : NULL, 0, NULL, NULL);
    clFinish(fuzz.queue);
}

static void try_binary(const unsigned char *bytes, size_t size, bool is_signed)
{
    cl_int status = 0, error = 0;
    cl_kernel kernels[64];
    cl_uint count = 0;
    cl_program program = clCreateProgramWithBinary(fuzz.context, 1, &fuzz.device, &size, &bytes, &status, &error);
    FUZZ_CHECK(program ? error == CL_SUCCESS && status == CL_SUCCESS
                       : error == CL_INVALID_BINARY && status == CL_INVALID_BINARY);
    FUZZ_CHECK(is_signed || !program || !memcmp(bytes, fuzz.binary, size));
    if (!program)
        return;
    ask(program);
    FUZZ_CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
    ask(program);
    if (clCreateKernelsInProgram(program, 64, kernels, &count) == CL_SUCCESS)
        for (cl_uint i = 0; i < count; i++) {
            use(kernels[i]);
            clReleaseKernel(kernels[i]);
        }
    clReleaseProgram(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!fuzz.context)
        start();
    if (!size)
        return 0;
    unsigned char *bytes = malloc(fuzz.size);
    FUZZ_CHECK(bytes);
    memcpy(bytes, fuzz.binary, fuzz.size);
    size_t whole = change(bytes, data, size);
    if (data[0] & 1)
        cy_checksum_set(bytes, whole);
    unsigned char *exact = malloc(whole); /* its end is the end of an allocation */
    FUZZ_CHECK(exact);
    memcpy(exact, bytes, whole);
    try_binary(exact, whole, data[0] & 1);
    free(exact);
    free(bytes);
    return 0;
}
