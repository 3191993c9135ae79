/* Damaged program binaries: wrong bits and, with a corrected checksum, fields that no compiler writes.  All are
 * rejected when the program is created, and the context's callback receives the reason. */
#include "base/sha256.h"
#include "cl_test.h"
#include "obj/notes.h"

static const char source[] =
    "struct pair { int a; long b; };\n"
    "kernel __attribute__((reqd_work_group_size(7, 3, 5))) void shaped(global int *out, struct pair value)\n"
    "{ local int sum[321]; sum[get_local_id(0)] = value.a; barrier(1); out[get_global_id(0)] = sum[0]; }\n"
    "kernel void plain(constant float4 *a, local float *b, char c) { b[0] = a[c].x; }\n";

static char message[512];
static cl_context loud;

static void CL_CALLBACK keep_message(const char *text, const void *info, size_t size, void *data)
{
    (void)info, (void)size, (void)data;
    snprintf(message, sizeof(message), "%s", text);
}

static unsigned char *binary_of(cl_program program, size_t *size)
{
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(*size), size, NULL), CL_SUCCESS);
    unsigned char *bytes = malloc(*size + 1);
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL), CL_SUCCESS);
    return bytes;
}

static bool is_refused(const unsigned char *bytes, size_t size, const char *why)
{
    cl_int status = 1, error = 1;
    *message = 0;
    cl_program program = clCreateProgramWithBinary(loud, 1, &device, &size, &bytes, &status, &error);
    if (program)
        clReleaseProgram(program);
    return CHECK(!program) && CHECK_EQ(error, CL_INVALID_BINARY) && CHECK_EQ(status, CL_INVALID_BINARY) &&
           CHECK(strstr(message, why));
}

static void test_whole(const unsigned char *bytes, size_t size)
{
    cl_int status = 1, error = 1;
    size_t sizes[3] = {0};
    cl_program program = clCreateProgramWithBinary(loud, 1, &device, &size, &bytes, &status, &error);
    CHECK(error == CL_SUCCESS && status == CL_SUCCESS);
    CHECK(!clCreateKernel(program, "shaped", &error));
    CHECK_EQ(error, CL_INVALID_PROGRAM_EXECUTABLE); /* loaded, but not built */
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(*sizes), sizes, NULL),
             CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_kernel kernel = kernel_of(program, "shaped");
    CHECK_EQ(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(sizes), sizes, NULL),
             CL_SUCCESS);
    CHECK(sizes[0] == 7 && sizes[1] == 3 && sizes[2] == 5);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

/* Whether the global size must be a multiple of the local one goes through a binary of either kind, and through a link. */
static void test_uniform(const char *options, bool compile, bool uniform)
{
    cl_int error;
    const char *text = "kernel void f(global int *out) { out[get_global_id(0)] = (int)get_local_size(0); }\n";
    size_t size = 0, global = 3, local = 2;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    CHECK_EQ(compile ? clCompileProgram(program, 0, NULL, options, 0, NULL, NULL, NULL, NULL)
                     : clBuildProgram(program, 0, NULL, options, NULL, NULL),
             CL_SUCCESS);
    unsigned char *bytes = binary_of(program, &size);
    const unsigned char *given = bytes;
    cl_program again = clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &error), built = again;
    CHECK_EQ(error, CL_SUCCESS);
    if (compile)
        built = clLinkProgram(context, 0, NULL, NULL, 1, &again, NULL, NULL, &error);
    else
        error = clBuildProgram(again, 0, NULL, NULL, NULL, NULL);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);
    cl_kernel kernel = kernel_of(built, "f");
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
             uniform ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
    if (compile)
        clReleaseProgram(built);
    clReleaseProgram(again);
    clReleaseProgram(program);
    free(bytes);
}

/* What the compiler describes is taken back, whatever it is. */
static void test_odd_arguments(void)
{
    cl_int error;
    size_t size = 0;
    cl_program program =
        build("struct empty {}; struct large { int a[3000]; };\n"
              "typedef struct { int i __attribute__((aligned(512))); } aligned_type;\n"
              "kernel void odd(struct empty e, struct large l, aligned_type a, long16 v, global int *b)\n"
              "{ *b = l.a[5] + a.i + v.s3 > 0; }\n",
              "");
    unsigned char *bytes = binary_of(program, &size);
    const unsigned char *given = bytes;
    cl_program again = clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(again, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_kernel kernel = kernel_of(again, "odd");
    CHECK_EQ(clSetKernelArg(kernel, 0, 0, &size), CL_SUCCESS);
    clReleaseKernel(kernel);
    clReleaseProgram(again);
    clReleaseProgram(program);
    free(bytes);
}

static size_t find(const unsigned char *bytes, size_t size, const void *needle, size_t length)
{
    for (size_t at = 0; at + length <= size; at++)
        if (!memcmp(bytes + at, needle, length))
            return at;
    bool is_in_the_binary = false;
    CHECK(is_in_the_binary);
    return 0;
}

/* The descriptor of the first note of a type. */
static size_t find_note(const unsigned char *bytes, size_t size, uint32_t type)
{
    unsigned char wanted[16];
    memcpy(wanted, &type, 4);
    memcpy(wanted + 4, "Chengying\0\0", 12);
    return find(bytes, size, wanted, sizeof(wanted)) + sizeof(wanted);
}

/* The digest covers the whole file: computed here from the descriptor's place, not by the code that looks for it. */
static void test_checksum(const unsigned char *bytes, size_t size)
{
    unsigned char *zeroed = malloc(size);
    size_t at = find_note(bytes, size, CY_NOTE_CHECKSUM);
    memcpy(zeroed, bytes, size);
    memset(zeroed + at, 0, 32);
    struct cy_digest digest = cy_sha256(zeroed, size);
    CHECK(!memcmp(&digest, bytes + at, sizeof(digest)));
    free(zeroed);
}

static void test_damage(unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += at < 64 || at > size - 2000 ? 1 : 61) {
        bytes[at] ^= 16;
        is_refused(bytes, size, at < 4 ? "not a Chengying binary" : "checksum");
        bytes[at] ^= 16;
    }
    bytes[size] = 0;
    is_refused(bytes, size + 1, "checksum");
    for (size_t cut = 1; cut < size; cut += cut < 100 ? 1 : 173)
        is_refused(bytes, size - cut, size - cut < 4 ? "not a Chengying binary" : "checksum");
    unsigned char old[64] = "CYCLBIN5";
    is_refused(old, sizeof(old), "different version");
    is_refused(old, 7, "different version");
    is_refused(old, 3, "not a Chengying binary");
}

/* ---- fields ---- */

static size_t find_text(const unsigned char *bytes, size_t size, const char *text)
{
    unsigned char packed[64];
    uint32_t length = (uint32_t)strlen(text);
    memcpy(packed, &length, 4);
    memcpy(packed + 4, text, length + 1);
    return find(bytes, size, packed, length + 5) + 4;
}

/* One binary each: `count` bytes at `at` are changed. */
static void check_changed(const unsigned char *bytes, size_t size, size_t at, const void *other, size_t count,
                          const char *why)
{
    unsigned char *changed = malloc(size);
    memcpy(changed, bytes, size);
    memcpy(changed + at, other, count);
    cy_checksum_set(changed, size);
    if (!is_refused(changed, size, why))
        fprintf(stderr, "  at %zu, %zu bytes that begin with %02x; said '%s'\n", at, count, *(const char *)other,
                message);
    free(changed);
}

#define NOTHING "nothing describes the arguments of kernel 'shaped'"

static void test_sizes(const unsigned char *bytes, size_t size)
{
    static const uint32_t reqd[3] = {7, 3, 5}, wrong[][3] = {
                                                   {0, 3, 5},
                                                   {7, 0, 5},
                                                   {7, 3, 0},
                                                   {0, 0, 5},
                                                   {0, 3, 0},
                                                   {7, 0, 0},
                                                   {0x80000000, 2, 1},
                                                   {0x10000, 0x10000, 1},
                                                   {0x80000000, 0x80000000, 0x80000000},
                                                   {0x40000000, 1, 0x40000000},
                                               };
    size_t at = find(bytes, size, reqd, sizeof(reqd));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        check_changed(bytes, size, at, wrong[i], sizeof(wrong[i]), NOTHING);
    uint32_t flag = 2;
    check_changed(bytes, size, at + 32, &flag, 4, "requires sub-groups of 2 work-items"); /* after five figures */
    const uint32_t flags[] = {2, 8, 2}; /* and one more; the second has the rows' dimension besides */
    for (size_t i = 0; i < 3; i++)
        check_changed(bytes, size, at + 40 + 4 * i, &flags[i], 4, NOTHING);
}

static void test_names(const unsigned char *bytes, size_t size)
{
    size_t at = find_text(bytes, size, "shaped");
    check_changed(bytes, size, at, "shapes", 6, NOTHING);
    check_changed(bytes, size, at, "sh;ped", 6, NOTHING);
    check_changed(bytes, size, at, "sh\0ped", 6, NOTHING);
    check_changed(bytes, size, at - 4, "\x7", 1, NOTHING);
    check_changed(bytes, size, at - 4, "\xff\xff\xff\xff", 4, NOTHING);
}

static void test_arguments(const unsigned char *bytes, size_t size)
{
    static const uint32_t aligns[] = {0, 3, 8192, 0x80000000}, two = 2, four = 4, huge = 1u << 24,
                          no_bit = CY_MOST_QUALIFIERS + 1, none = 0, one = 1;
    cl_uint bits = 0;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_ADDRESS_BITS, sizeof(bits), &bits, NULL), CL_SUCCESS);
    const uint32_t other_pointer = bits == 64 ? 4 : 8, sizes[] = {0, 3, 5, other_pointer, 0xffffffff};
    size_t pointer = find_text(bytes, size, "int*") + 5, value = find_text(bytes, size, "struct pair") + 12;
    enum { ADDRESS = 0, QUALIFIERS = 4, SIZE = 8, ALIGN = 12, IS_POINTER = 16 };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        check_changed(bytes, size, pointer + SIZE, &sizes[i], 4, NOTHING);
    for (size_t i = 0; i < sizeof(aligns) / sizeof(*aligns); i++) {
        check_changed(bytes, size, pointer + ALIGN, &aligns[i], 4, NOTHING);
        check_changed(bytes, size, value + ALIGN, &aligns[i], 4, NOTHING);
    }
    check_changed(bytes, size, pointer + ADDRESS, &none, 4, NOTHING);
    check_changed(bytes, size, pointer + ADDRESS, &four, 4, NOTHING);
    check_changed(bytes, size, pointer + QUALIFIERS, &no_bit, 4, NOTHING);
    check_changed(bytes, size, pointer + IS_POINTER, &two, 4, NOTHING);
    check_changed(bytes, size, pointer + IS_POINTER, &none, 4, NOTHING);
    check_changed(bytes, size, value + SIZE, &huge, 4, NOTHING);
    check_changed(bytes, size, value + IS_POINTER, &one, 4, NOTHING);
    check_changed(bytes, size, value + ADDRESS, &one, 4, NOTHING);
    check_changed(bytes, size, value + 20, &huge, 4, "no checksum"); /* the next note's header: the rest is lost */
}

static void test_types(const unsigned char *bytes, size_t size)
{
    static const uint32_t wrong[] = {0, CY_PROGRAM_OBJECT, CY_PROGRAM_LIBRARY, 4, 0xffffffff}, two = 2,
                          other = CY_NOTE_VERSION + 1;
    size_t at = find_note(bytes, size, CY_NOTE_PROGRAM);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        check_changed(bytes, size, at + 4, &wrong[i], 4, "describes no program");
    check_changed(bytes, size, at, &other, 4, "different version");
    check_changed(bytes, size, at + 8, &two, 4, "describes no program");
    check_changed(bytes, size, at - 16, &two, 4, "describes no program");
    at = find_note(bytes, size, CY_NOTE_KERNEL);
    check_changed(bytes, size, at, &other, 4, NOTHING);
    check_changed(bytes, size, at - 12, "Someone\0\0", 9, NOTHING);
    at = find_note(bytes, size, CY_NOTE_CHECKSUM);
    check_changed(bytes, size, at - 12, "Someone\0\0", 9, "no checksum");
}

/* Where the ELF file stores the resources of kernel "shaped": vGPRs, sGPRs, local and private bytes. */
static size_t find_record(const unsigned char *bytes, size_t size, size_t from)
{
    for (uint16_t record[4]; from + sizeof(record) <= size; from++) {
        memcpy(record, bytes + from, sizeof(record));
        if (record[0] && record[0] <= 256 && record[1] && record[1] <= 64 && record[2] == 321 * 4)
            return from;
    }
    bool is_in_the_binary = false;
    CHECK(is_in_the_binary);
    return 0;
}

static void test_code(const unsigned char *bytes, size_t size)
{
    static const uint16_t vgprs = 257, sgprs = 65;
    size_t record = find_record(bytes, size, 0);
    enum { TYPE = 16, MACHINE = 18, SEGMENT_COUNT = 44 };
    check_changed(bytes, size, 0, "\177FLE", 4, "not a Chengying binary");
    check_changed(bytes, size, TYPE, "\1", 1, "describes no program");
    check_changed(bytes, size, MACHINE, "\3", 1, "describes no program");
    check_changed(bytes, size, SEGMENT_COUNT, "\xff\xff", 2, "describes no program");
    check_changed(bytes, size, record, &vgprs, 2, "resources of kernel 'shaped'");
    check_changed(bytes, size, record + 2, &sgprs, 2, "resources of kernel 'shaped'");
}

static cl_program_binary_type binary_type(cl_program program)
{
    cl_program_binary_type type = 0;
    CHECK_EQ(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, NULL), CL_SUCCESS);
    return type;
}

/* A compiled program: bitcode in a relocatable object. */
static void test_object(void)
{
    cl_int error;
    const char *text = source;
    size_t size = 0;
    uint32_t executable = CY_PROGRAM_EXECUTABLE;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error), linked = NULL;
    CHECK_EQ(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    unsigned char *bytes = binary_of(program, &size);
    const unsigned char *given = bytes;
    cl_program again = clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    linked = clLinkProgram(context, 0, NULL, NULL, 1, &again, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(binary_type(again), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    check_changed(bytes, size, find_note(bytes, size, CY_NOTE_PROGRAM) + 4, &executable, 4, "describes no program");
    check_changed(bytes, size, find(bytes, size, ".llvmbc", 7), ".llvmbd", 7, "describes no program");
    check_changed(bytes, size, 16, "\2", 1, "describes no program"); /* ET_EXEC */
    check_changed(bytes, size, find(bytes, size, "BC\xc0\xde", 4), "CB", 2, "describes no program");
    clReleaseProgram(linked);
    clReleaseProgram(again);
    clReleaseProgram(program);
    free(bytes);
}

int main(void)
{
    cl_int error;
    size_t size = 0;
    set_up(0);
    loud = clCreateContext(NULL, 1, &device, keep_message, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_program program = build(source, "-cl-kernel-arg-info");
    unsigned char *bytes = binary_of(program, &size);
    test_whole(bytes, size);
    test_odd_arguments();
    for (int compile = 0; compile < 2; compile++) {
        test_uniform("", compile, true);
        test_uniform("-cl-std=CL3.0", compile, false);
        test_uniform("-cl-std=CL3.0 -cl-uniform-work-group-size", compile, true);
    }
    test_checksum(bytes, size);
    test_damage(bytes, size);
    test_sizes(bytes, size);
    test_names(bytes, size);
    test_arguments(bytes, size);
    test_types(bytes, size);
    test_code(bytes, size);
    test_object();
    free(bytes);
    clReleaseProgram(program);
    clReleaseContext(loud);
    tear_down();
    return test_finish();
}
