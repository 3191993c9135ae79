#define _GNU_SOURCE /* setenv */
/* Programs in SPIR-V: modules that spirv-as has assembled, whose names are the arguments. */
#include "cl_test.h"

struct module {
    unsigned char *bytes;
    size_t size;
};

static struct module read_module(const char *path)
{
    struct module module = {0};
    FILE *file = fopen(path, "rb");
    if (!CHECK(file))
        exit(test_finish());
    fseek(file, 0, SEEK_END);
    module.size = (size_t)ftell(file);
    rewind(file);
    module.bytes = malloc(module.size);
    CHECK(module.bytes && fread(module.bytes, 1, module.size, file) == module.size);
    fclose(file);
    return module;
}

static cl_program program_of(const struct module *module)
{
    cl_int error;
    cl_program program = clCreateProgramWithIL(context, module->bytes, module->size, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return program;
}

static void show_log(cl_program program)
{
    char log[4096] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
    fprintf(stderr, "%s", log);
}

static void build_it(cl_program program)
{
    if (!CHECK_EQ(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_SUCCESS))
        show_log(program);
}

static void compile_it(cl_program program)
{
    if (!CHECK_EQ(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS))
        show_log(program);
}

static void run(cl_program program, cl_uint *words, size_t count, size_t local)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof(*words), words, &error);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, &local, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(*words), words, 0, NULL, NULL), CL_SUCCESS);
    clReleaseMemObject(buffer), clReleaseKernel(kernel);
}

static void test_kernel(const struct module *module)
{
    cl_uint words[8] = {0, 11, 12, 13, 14, 15, 16, 17};
    unsigned char il[4096];
    size_t size = 0;
    cl_program program = program_of(module);
    build_it(program);
    run(program, words, 8, 4);
    static const cl_uint expected[8] = {13, 12, 11, 2, 17, 16, 15, 14};
    for (int i = 0; i < 8; i++)
        CHECK_EQ(words[i], expected[i]);
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof(il), il, &size), CL_SUCCESS);
    CHECK(size == module->size && !memcmp(il, module->bytes, size));
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size), CL_SUCCESS);
    CHECK_EQ(size, 1);
    clReleaseProgram(program);
}

/* c1 (a number, 5) + (c2 (true) ? 1 : 2) + c3 (1.5, truncated) */
static void test_constants(const struct module *module)
{
    const cl_uint number = 40;
    const cl_uchar off = 0;
    const cl_float real = 7.75f;
    cl_uint word = 0;
    cl_program program = program_of(module);
    build_it(program);
    run(program, &word, 1, 1);
    CHECK_EQ(word, 7);
    CHECK_EQ(clSetProgramSpecializationConstant(program, 101, 4, &number), CL_SUCCESS);
    build_it(program);
    run(program, &word, 1, 1);
    CHECK_EQ(word, 42);
    CHECK_EQ(clSetProgramSpecializationConstant(program, 102, 1, &off), CL_SUCCESS);
    CHECK_EQ(clSetProgramSpecializationConstant(program, 103, 4, &real), CL_SUCCESS);
    build_it(program);
    run(program, &word, 1, 1);
    CHECK_EQ(word, 49);
    CHECK_EQ(clSetProgramSpecializationConstant(program, 104, 4, &number), CL_INVALID_SPEC_ID);
    CHECK_EQ(clSetProgramSpecializationConstant(program, 101, 8, &number), CL_INVALID_VALUE);
    CHECK_EQ(clSetProgramSpecializationConstant(program, 101, 4, NULL), CL_INVALID_VALUE);
    clReleaseProgram(program);
}

/* Compiled and linked; and what is no module. */
static void test_others(const struct module *module)
{
    cl_int error;
    cl_uint word = 0;
    cl_program program = program_of(module);
    CHECK_EQ(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &program, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    run(linked, &word, 1, 1);
    CHECK_EQ(word, 7);
    clReleaseProgram(linked), clReleaseProgram(program);

    struct module other = {malloc(module->size), module->size};
    memcpy(other.bytes, module->bytes, other.size);
    for (size_t at = 20; at + 12 <= other.size; at += 4)
        if (other.bytes[at] == 14 && other.bytes[at + 2] == 3) /* OpMemoryModel */
            other.bytes[at + 4] ^= 3;                          /* Physical32 (1) or Physical64 (2) */
    CHECK(!clCreateProgramWithIL(context, other.bytes, other.size, &error));
    CHECK_EQ(error, CL_INVALID_VALUE);
    free(other.bytes);
    CHECK(!clCreateProgramWithIL(context, "text", 4, &error));
    CHECK_EQ(error, CL_INVALID_VALUE);
    CHECK(!clCreateProgramWithIL(context, module->bytes, 10, &error));
    CHECK_EQ(error, CL_INVALID_VALUE);
    program = clCreateProgramWithIL(context, module->bytes, module->size - 40, &error); /* an incomplete function */
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    clReleaseProgram(program);
}

/* Buffer: its first number trebled; dot products; the square of a constant; a texel. */
static void test_various(const struct module *module)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 2};
    const cl_ushort half_three = 0x4200;
    const size_t one = 1;
    cl_float texels[16] = {[13] = 99};
    cl_uint words[4] = {5};
    cl_int error;
    cl_program program = program_of(module);
    CHECK_EQ(clSetProgramSpecializationConstant(program, 7, 2, &half_three), CL_SUCCESS);
    build_it(program);
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(words), words, &error);
    cl_mem image = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, texels, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(image), &image), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 2, sizeof(sampler), &sampler), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(words[0], 15);
    /* {1, 2, 3, 4} and {1, 2, 3, -2 or 254} */
    CHECK_EQ(words[1], (14 - 8) + (14 + 4 * 254) + (1000 + 14 + 4 * 254));
    CHECK_EQ(words[2], 9);
    CHECK_EQ(words[3], 99);
    clReleaseSampler(sampler), clReleaseMemObject(image), clReleaseMemObject(buffer);
    clReleaseKernel(kernel), clReleaseProgram(program);
}

/* Two modules that both may have a function, linked: 13 x + 8. */
static void test_linkonce(const struct module *kernel, const struct module *object)
{
    cl_uint words[4] = {0, 1, 7, 20};
    cl_int error;
    cl_program parts[2] = {program_of(object), program_of(kernel)};
    for (unsigned i = 0; i < 2; i++)
        compile_it(parts[i]);
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    run(linked, words, 4, 4);
    CHECK_EQ(words[0], 8);
    CHECK_EQ(words[1], 21);
    CHECK_EQ(words[2], 99);
    CHECK_EQ(words[3], 268);
    clReleaseProgram(linked), clReleaseProgram(parts[0]), clReleaseProgram(parts[1]);
}

static void test_queries(void)
{
    char text[4096];
    size_t size;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK(strstr(text, "SPIR-V_1.2"));
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_ILS_WITH_VERSION, 0, NULL, &size), CL_SUCCESS);
    CHECK_EQ(size, 3 * sizeof(cl_name_version));
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK(strstr(text, "cl_khr_il_program"));
    CHECK(strstr(text, "cl_khr_expect_assume"));
    CHECK(strstr(text, "cl_khr_spirv_linkonce_odr"));
    CHECK(strstr(text, "cl_khr_spirv_no_integer_wrap_decoration"));
    CHECK(clGetExtensionFunctionAddressForPlatform(platform, "clCreateProgramWithILKHR"));
}

/* Arguments: the width of the modules' addresses, which chooses the device, and the modules. */
int main(int argc, char **argv)
{
    if (argc != 8)
        return 2;
    setenv("CHENGYING_DEVICES", strcmp(argv[1], "64") ? "gen1" : "gen2", 1);
    struct module barrier = read_module(argv[2]), constants = read_module(argv[3]), various = read_module(argv[4]);
    struct module hints = read_module(argv[5]), imports = read_module(argv[6]), linkonce = read_module(argv[7]);
    set_up(0);
    test_queries();
    test_kernel(&barrier);
    test_constants(&constants);
    test_various(&various);
    test_others(&constants);
    test_linkonce(&hints, &linkonce);
    test_linkonce(&imports, &linkonce);
    tear_down();
    free(barrier.bytes), free(constants.bytes), free(various.bytes);
    free(hints.bytes), free(imports.bytes), free(linkonce.bytes);
    return test_finish();
}
