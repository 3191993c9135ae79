/* test_cl_binary_files write SOURCE EXECUTABLE OBJECT: builds and compiles a program, and writes its binaries.
 * test_cl_binary_files load FILE: makes a program of a binary (linked first when it is an object) and runs its kernels.
 * binary_files.sh does both, with other tools in between. */
#include "cl_test.h"

enum { MOST = 1 << 20 };
static unsigned char bytes[MOST + 1];

static size_t read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!CHECK(file))
        exit(test_finish());
    size_t size = fread(bytes, 1, MOST, file);
    fclose(file);
    bytes[size] = 0;
    return size;
}

static void write_binary(cl_program program, const char *path)
{
    unsigned char *to = bytes;
    size_t size = 0;
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL), CL_SUCCESS);
    CHECK(size && size < MOST);
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(to), &to, NULL), CL_SUCCESS);
    FILE *file = fopen(path, "wb");
    if (CHECK(file)) {
        CHECK_EQ(fwrite(bytes, 1, size, file), size);
        fclose(file);
    }
}

static void write_files(const char *source, const char *executable, const char *object)
{
    cl_int error;
    read_file(source);
    const char *text = (const char *)bytes;
    cl_program built = build(text, "-cl-kernel-arg-info -cl-std=CL2.0");
    read_file(source);
    cl_program compiled = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    CHECK_EQ(clCompileProgram(compiled, 0, NULL, "-cl-std=CL2.0", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    write_binary(built, executable);
    write_binary(compiled, object);
    clReleaseProgram(built);
    clReleaseProgram(compiled);
}

static void use(cl_program program)
{
    size_t global[3] = {8, 2, 1}, sizes[3] = {0}, items = 3;
    char text[64] = "";
    cl_int error, factor = 7, out[16] = {0};
    cl_mem mem = buffer_of(CL_MEM_READ_WRITE, sizeof(out), NULL);
    cl_kernel scale = kernel_of(program, "scale"), says = kernel_of(program, "says");
    CHECK_EQ(clGetKernelWorkGroupInfo(scale, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(sizes), sizes, NULL),
             CL_SUCCESS);
    CHECK(sizes[0] == 4 && sizes[1] == 2 && sizes[2] == 1);
    CHECK_EQ(clGetKernelArgInfo(scale, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK_STR(text, "int");
    CHECK_EQ(clGetKernelArgInfo(scale, 1, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL), CL_SUCCESS);
    CHECK_STR(text, "factor");
    CHECK_EQ(clSetKernelArg(scale, 0, sizeof(mem), &mem), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(scale, 1, sizeof(factor), &factor), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(says, 0, sizeof(mem), &mem), CL_SUCCESS);
    for (int i = 0; i < 2; i++) /* `calls` stays from launch to launch */
        CHECK_EQ(clEnqueueNDRangeKernel(queue, scale, 3, NULL, global, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 16; i++)
        CHECK_EQ(out[i], i * 7 + 100 + 32);
    error = clEnqueueNDRangeKernel(queue, says, 1, NULL, &items, NULL, 0, NULL, NULL);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    clReleaseKernel(scale);
    clReleaseKernel(says);
    clReleaseMemObject(mem);
}

static void load(const char *path)
{
    size_t size = read_file(path);
    const unsigned char *given = bytes;
    cl_int error = 1, status = 1;
    cl_program_binary_type type = 0;
    cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &given, &status, &error), linked = NULL;
    if (!CHECK_EQ(error, CL_SUCCESS))
        exit(test_finish());
    CHECK_EQ(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, NULL), CL_SUCCESS);
    if (type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
        CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
        use(program);
    } else {
        CHECK_EQ(type, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
        linked = clLinkProgram(context, 0, NULL, NULL, 1, &program, NULL, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        use(linked);
        clReleaseProgram(linked);
    }
    clReleaseProgram(program);
}

int main(int argc, char **argv)
{
    set_up(0);
    if (argc == 5 && !strcmp(argv[1], "write"))
        write_files(argv[2], argv[3], argv[4]);
    else if (argc == 3 && !strcmp(argv[1], "load"))
        load(argv[2]);
    else
        CHECK(!"how it is called");
    tear_down();
    return test_finish();
}
