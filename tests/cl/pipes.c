/* Pipes: creation, queries, errors, and every built-in function of kernels. */
#include "cl_test.h"

#include <string.h>

enum { N = 1024 };
static unsigned char input[N * 128], output[N * 128];

static cl_mem pipe_of(cl_uint packet, cl_uint packets)
{
    cl_int error;
    cl_mem pipe = clCreatePipe(context, CL_MEM_HOST_NO_ACCESS, packet, packets, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return pipe;
}

static void run(cl_kernel kernel, cl_mem pipe, cl_mem buffer, size_t global, size_t local)
{
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(pipe), &pipe), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(buffer), &buffer), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL), CL_SUCCESS);
}

static int compare_bytes(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size);
}
static int by_4(const void *a, const void *b)
{
    return compare_bytes(a, b, 4);
}
static int by_1(const void *a, const void *b)
{
    return compare_bytes(a, b, 1);
}
static int by_2(const void *a, const void *b)
{
    return compare_bytes(a, b, 2);
}
static int by_8(const void *a, const void *b)
{
    return compare_bytes(a, b, 8);
}
static int by_64(const void *a, const void *b)
{
    return compare_bytes(a, b, 64);
}
static int by_128(const void *a, const void *b)
{
    return compare_bytes(a, b, 128);
}

#define FORMS                                                                                                          \
    "kernel void write1(write_only pipe T p, global T *x) {\n"                                                         \
    "    write_pipe(p, &x[get_global_id(0)]);\n"                                                                       \
    "}\n"                                                                                                              \
    "kernel void read1(read_only pipe T p, global T *x) {\n"                                                           \
    "    read_pipe(p, &x[get_global_id(0)]);\n"                                                                        \
    "}\n"                                                                                                              \
    "kernel void write2(write_only pipe T p, global T *x) {\n"                                                         \
    "    reserve_id_t id = reserve_write_pipe(p, 1);\n"                                                                \
    "    if (is_valid_reserve_id(id)) {\n"                                                                             \
    "        write_pipe(p, id, 0, &x[get_global_id(0)]);\n"                                                            \
    "        commit_write_pipe(p, id);\n"                                                                              \
    "    }\n"                                                                                                          \
    "}\n"                                                                                                              \
    "kernel void read2(read_only pipe T p, global T *x) {\n"                                                           \
    "    reserve_id_t id = reserve_read_pipe(p, 1);\n"                                                                 \
    "    if (is_valid_reserve_id(id)) {\n"                                                                             \
    "        read_pipe(p, id, 0, &x[get_global_id(0)]);\n"                                                             \
    "        commit_read_pipe(p, id);\n"                                                                               \
    "    }\n"                                                                                                          \
    "}\n"                                                                                                              \
    "kernel void write3(write_only pipe T p, global T *x) {\n"                                                         \
    "    local reserve_id_t id;\n"                                                                                     \
    "    id = work_group_reserve_write_pipe(p, get_local_size(0));\n"                                                  \
    "    if (is_valid_reserve_id(id)) {\n"                                                                             \
    "        write_pipe(p, id, get_local_id(0), &x[get_global_id(0)]);\n"                                              \
    "        work_group_commit_write_pipe(p, id);\n"                                                                   \
    "    }\n"                                                                                                          \
    "}\n"                                                                                                              \
    "kernel void read3(read_only pipe T p, global T *x) {\n"                                                           \
    "    local reserve_id_t id;\n"                                                                                     \
    "    id = work_group_reserve_read_pipe(p, get_local_size(0));\n"                                                   \
    "    if (is_valid_reserve_id(id)) {\n"                                                                             \
    "        read_pipe(p, id, get_local_id(0), &x[get_global_id(0)]);\n"                                               \
    "        work_group_commit_read_pipe(p, id);\n"                                                                    \
    "    }\n"                                                                                                          \
    "}\n"                                                                                                              \
    "kernel void write4(write_only pipe T p, global T *x) {\n"                                                         \
    "    reserve_id_t id = sub_group_reserve_write_pipe(p, get_sub_group_size());\n"                                   \
    "    if (is_valid_reserve_id(id)) {\n"                                                                             \
    "        write_pipe(p, id, get_sub_group_local_id(), &x[get_global_id(0)]);\n"                                     \
    "        sub_group_commit_write_pipe(p, id);\n"                                                                    \
    "    }\n"                                                                                                          \
    "}\n"                                                                                                              \
    "kernel void read4(read_only pipe T p, global T *x) {\n"                                                           \
    "    reserve_id_t id = sub_group_reserve_read_pipe(p, get_sub_group_size());\n"                                    \
    "    if (is_valid_reserve_id(id)) {\n"                                                                             \
    "        read_pipe(p, id, get_sub_group_local_id(), &x[get_global_id(0)]);\n"                                      \
    "        sub_group_commit_read_pipe(p, id);\n"                                                                     \
    "    }\n"                                                                                                          \
    "}\n"

/* All packets arrive, each once: what is read is what was written, in some order. */
static void test_forms(void)
{
    static const struct {
        const char *options;
        unsigned size;
        int (*compare)(const void *, const void *);
    } types[] = {{"-cl-std=CL2.0 -DT=uchar", 1, by_1},      {"-cl-std=CL2.0 -DT=short", 2, by_2},
                 {"-cl-std=CL3.0 -DT=int", 4, by_4},        {"-cl-std=CL2.0 -DT=double", 8, by_8},
                 {"-cl-std=CL2.0 -DT=float16", 64, by_64},  {"-cl-std=CL3.0 -DT=S -DSTRUCT", 8, by_8},
                 {"-cl-std=CL2.0 -DT=ulong16", 128, by_128}};
    set_up(0);
    for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++) {
        const size_t size = types[t].size;
        cl_program program =
            build("#ifdef STRUCT\ntypedef struct { char a; int b; } S;\n#endif\n" FORMS, types[t].options);
        for (char form = '1'; form <= '4'; form++) {
            const char write_name[] = {'w', 'r', 'i', 't', 'e', form, 0}, read_name[] = {'r', 'e', 'a', 'd', form, 0};
            cl_kernel writer = kernel_of(program, write_name), reader = kernel_of(program, read_name);
            for (size_t i = 0; i < N * size; i++)
                input[i] = (unsigned char)(i * 2654435761u >> 11);
            for (size_t i = 0; i < N && size >= 8; i++) /* the gap of the structure */
                memset(input + i * size + 1, 0, types[t].options[20] == 'S' ? 3 : 0);
            memset(output, 0, sizeof(output));
            cl_mem from = buffer_of(CL_MEM_COPY_HOST_PTR, N * size, input),
                   to = buffer_of(CL_MEM_COPY_HOST_PTR, N * size, output), pipe = pipe_of((cl_uint)size, N);
            for (int lap = 0; lap < 2; lap++) {
                run(writer, pipe, from, N, 64);
                run(reader, pipe, to, N, 64);
            }
            CHECK_EQ(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, N * size, output, 0, NULL, NULL), CL_SUCCESS);
            qsort(input, N, size, types[t].compare);
            qsort(output, N, size, types[t].compare);
            if (!CHECK(!memcmp(input, output, N * size)))
                fprintf(stderr, "%s %s\n", types[t].options, write_name);
            CHECK_EQ(clReleaseMemObject(from), CL_SUCCESS);
            CHECK_EQ(clReleaseMemObject(to), CL_SUCCESS);
            CHECK_EQ(clReleaseMemObject(pipe), CL_SUCCESS);
            CHECK_EQ(clReleaseKernel(writer), CL_SUCCESS);
            CHECK_EQ(clReleaseKernel(reader), CL_SUCCESS);
        }
        CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    }
    tear_down();
}

/* A pipe holds as many packets as it says; what does not fit is refused, and packets come out in order. */
static void test_capacity(void)
{
    set_up(0);
    cl_program program =
        build("kernel void put(write_only pipe int p, global int *out) {\n"
              "    for (int i = 0; i < 10; i++) out[i] = write_pipe(p, &i);\n"
              "    out[10] = is_valid_reserve_id(reserve_write_pipe(p, 1));\n"
              "    out[11] = get_pipe_num_packets(p);\n"
              "    out[12] = get_pipe_max_packets(p);\n"
              "}\n"
              "kernel void get(read_only pipe int p, global int *out) {\n"
              "    for (int i = 0; i < 10; i++) { out[20 + i] = -7; out[i] = read_pipe(p, &out[20 + i]); }\n"
              "    out[10] = is_valid_reserve_id(reserve_read_pipe(p, 1));\n"
              "    out[11] = get_pipe_num_packets(p);\n"
              "    out[12] = get_pipe_max_packets(p);\n"
              "}\n",
              "-cl-std=CL3.0");
    cl_kernel put = kernel_of(program, "put"), get = kernel_of(program, "get");
    int out[32];
    cl_mem buffer = buffer_of(0, sizeof(out), NULL), pipe = pipe_of(4, 7);
    for (int lap = 0; lap < 3; lap++) { /* of which the later ones begin in the middle */
        run(put, pipe, buffer, 1, 1);
        CHECK_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
        for (int i = 0; i < 10; i++)
            CHECK(i < 7 ? out[i] == 0 : out[i] < 0);
        CHECK_EQ(out[10], 0);
        CHECK_EQ(out[11], 7);
        CHECK_EQ(out[12], 7);
        run(get, pipe, buffer, 1, 1);
        CHECK_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
        for (int i = 0; i < 10; i++) {
            CHECK(i < 7 ? out[i] == 0 : out[i] < 0);
            CHECK_EQ(out[20 + i], i < 7 ? i : -7);
        }
        CHECK_EQ(out[10], 0);
        CHECK_EQ(out[11], 0);
        CHECK_EQ(out[12], 7);
    }
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(pipe), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(put), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(get), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    tear_down();
}

/* Commits in another order than reservations: a packet is visible once it and all before it are committed. */
static void test_order(void)
{
    set_up(0);
    cl_program program = build("kernel void put(write_only pipe int p, global int *out) {\n"
                               "    reserve_id_t a = reserve_write_pipe(p, 2), b = reserve_write_pipe(p, 1);\n"
                               "    int x = 30, y = 10, z = 20;\n"
                               "    out[0] = write_pipe(p, b, 0, &x);\n"
                               "    out[1] = write_pipe(p, b, 1, &x);\n" /* no such packet */
                               "    commit_write_pipe(p, b);\n"
                               "    out[2] = get_pipe_num_packets(p);\n"
                               "    out[3] = write_pipe(p, a, 0, &y) | write_pipe(p, a, 1, &z);\n"
                               "    commit_write_pipe(p, a);\n"
                               "    out[4] = get_pipe_num_packets(p);\n"
                               "}\n"
                               "kernel void get(read_only pipe int p, global int *out) {\n"
                               "    reserve_id_t a = reserve_read_pipe(p, 1), b = reserve_read_pipe(p, 2);\n"
                               "    read_pipe(p, b, 1, &out[7]);\n"
                               "    read_pipe(p, b, 0, &out[6]);\n"
                               "    commit_read_pipe(p, b);\n"
                               "    read_pipe(p, a, 0, &out[5]);\n"
                               "    commit_read_pipe(p, a);\n"
                               "}\n",
                               "-cl-std=CL3.0");
    cl_kernel put = kernel_of(program, "put"), get = kernel_of(program, "get");
    int out[8];
    cl_mem buffer = buffer_of(0, sizeof(out), NULL), pipe = pipe_of(4, 3);
    for (int lap = 0; lap < 5; lap++) {
        run(put, pipe, buffer, 1, 1);
        run(get, pipe, buffer, 1, 1);
        CHECK_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(out[0], 0);
        CHECK(out[1] < 0);
        CHECK_EQ(out[2], 0);
        CHECK_EQ(out[3], 0);
        CHECK_EQ(out[4], 3);
        for (int i = 0; i < 3; i++)
            CHECK_EQ(out[5 + i], 10 * (i + 1));
    }
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(pipe), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(put), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(get), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    tear_down();
}

/* Reading and writing at the same time, from all SMs. */
static void test_concurrent(void)
{
    set_up(0);
    cl_program program =
        build("kernel void relay(read_only pipe uint from, write_only pipe uint to, global uint *lost) {\n"
              "    for (int i = 0; i < 8; i++) {\n"
              "        uint x;\n"
              "        if (!read_pipe(from, &x) && write_pipe(to, &x)) atomic_inc(lost);\n"
              "    }\n"
              "}\n"
              "kernel void fill(write_only pipe uint p) { uint x = get_global_id(0); write_pipe(p, &x); }\n"
              "kernel void sum(read_only pipe uint p, global uint *lost) {\n"
              "    uint x; if (!read_pipe(p, &x)) { atomic_add(&lost[1], x); atomic_inc(&lost[2]); }\n"
              "}\n",
              "-cl-std=CL3.0");
    cl_kernel relay = kernel_of(program, "relay"), fill = kernel_of(program, "fill"), sum = kernel_of(program, "sum");
    unsigned out[3] = {0};
    const size_t n = N;
    cl_mem buffer = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(out), out), pipe[2] = {pipe_of(4, N), pipe_of(4, N)};
    CHECK_EQ(clSetKernelArg(fill, 0, sizeof(cl_mem), &pipe[0]), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, fill, 1, NULL, &n, NULL, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 2; i++) {
        for (cl_uint j = 0; j < 2; j++)
            CHECK_EQ(clSetKernelArg(relay, j, sizeof(cl_mem), &pipe[i ^ (int)j]), CL_SUCCESS);
        CHECK_EQ(clSetKernelArg(relay, 2, sizeof(cl_mem), &buffer), CL_SUCCESS);
        CHECK_EQ(clEnqueueNDRangeKernel(queue, relay, 1, NULL, &n, NULL, 0, NULL, NULL), CL_SUCCESS);
    }
    run(sum, pipe[0], buffer, N, 0);
    CHECK_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(out[0], 0);
    CHECK_EQ(out[1], N * (N - 1) / 2);
    CHECK_EQ(out[2], N);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(clReleaseMemObject(pipe[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(relay), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(fill), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(sum), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    tear_down();
}

/* Many reservations at a time, and many pipes. */
static void test_limits(void)
{
    set_up(0);
    cl_uint arguments, reservations, packet;
    cl_bool has;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_PIPE_SUPPORT, sizeof(has), &has, NULL), CL_SUCCESS);
    CHECK_EQ(has, CL_TRUE);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_MAX_PIPE_ARGS, sizeof(arguments), &arguments, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, sizeof(reservations), &reservations, NULL),
             CL_SUCCESS);
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_PIPE_MAX_PACKET_SIZE, sizeof(packet), &packet, NULL), CL_SUCCESS);
    CHECK(arguments >= 16 && reservations >= 1 && packet >= 1024);
    char source[16384], *end = source;
    end += sprintf(end,
                   "kernel void many(write_only pipe int p, global reserve_id_t *id, global int *bad) {\n"
                   "    for (int i = 0; i < %u; i++) {\n"
                   "        id[i] = reserve_write_pipe(p, 1);\n"
                   "        if (!is_valid_reserve_id(id[i]) || write_pipe(p, id[i], 0, &i)) ++*bad;\n"
                   "    }\n"
                   "    for (int i = 0; i < %u; i++) commit_write_pipe(p, id[i]);\n"
                   "    if (get_pipe_num_packets(p) != %u) ++*bad;\n"
                   "}\n"
                   "typedef struct { char a[%u]; } large;\n"
                   "kernel void put(write_only pipe large p, global large *x) { write_pipe(p, x); }\n"
                   "kernel void get(read_only pipe large p, global large *x) { read_pipe(p, x + 1); }\n"
                   "kernel void all(global int *x",
                   reservations, reservations, reservations, packet);
    for (cl_uint i = 0; i < arguments; i++)
        end += sprintf(end, ", write_only pipe int p%u", i);
    end += sprintf(end, ") {\n");
    for (cl_uint i = 0; i < arguments; i++)
        end += sprintf(end, "    x[0] += write_pipe(p%u, x) + get_pipe_num_packets(p%u);\n", i, i);
    sprintf(end, "}\n");
    cl_program program = build(source, "-cl-std=CL3.0");
    cl_kernel many = kernel_of(program, "many"), all = kernel_of(program, "all"), put = kernel_of(program, "put"),
              get = kernel_of(program, "get");
    const size_t one = 1;
    int bad = 0;
    cl_mem pipe = pipe_of(4, reservations), ids = buffer_of(0, 8 * reservations, NULL),
           result = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(bad), &bad);
    CHECK_EQ(clSetKernelArg(many, 2, sizeof(result), &result), CL_SUCCESS);
    run(many, pipe, ids, 1, 1);
    CHECK_EQ(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof(bad), &bad, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(bad, 0);
    cl_mem pipes[64];
    CHECK_EQ(clSetKernelArg(all, 0, sizeof(result), &result), CL_SUCCESS);
    for (cl_uint i = 0; i < arguments; i++) {
        pipes[i] = pipe_of(4, 1 + i);
        CHECK_EQ(clSetKernelArg(all, 1 + i, sizeof(cl_mem), &pipes[i]), CL_SUCCESS);
    }
    CHECK_EQ(clEnqueueNDRangeKernel(queue, all, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof(bad), &bad, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(bad, (int)arguments);
    for (unsigned i = 0; i < packet; i++)
        input[i] = (unsigned char)(i * 7);
    cl_mem wide = pipe_of(packet, 2), bytes = buffer_of(CL_MEM_COPY_HOST_PTR, 2 * packet, input);
    run(put, wide, bytes, 1, 1);
    run(get, wide, bytes, 1, 1);
    CHECK_EQ(clEnqueueReadBuffer(queue, bytes, CL_TRUE, packet, packet, output, 0, NULL, NULL), CL_SUCCESS);
    CHECK(!memcmp(input, output, packet));
    for (cl_uint i = 0; i < arguments; i++)
        CHECK_EQ(clReleaseMemObject(pipes[i]), CL_SUCCESS);
    const cl_mem mems[] = {pipe, ids, result, wide, bytes};
    for (int i = 0; i < 5; i++)
        CHECK_EQ(clReleaseMemObject(mems[i]), CL_SUCCESS);
    const cl_kernel kernels[] = {many, all, put, get};
    for (int i = 0; i < 4; i++)
        CHECK_EQ(clReleaseKernel(kernels[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    tear_down();
}

static void test_api(void)
{
    set_up(0);
    cl_int error = 0;
    cl_uint number = 0;
    size_t size;
    const cl_pipe_properties none[] = {0}, wrong[] = {1, 1, 0};
#define REFUSE(flags, packet, packets, properties, wanted)                                                             \
    do {                                                                                                               \
        CHECK(!clCreatePipe(context, flags, packet, packets, properties, &error));                                     \
        CHECK_EQ(error, wanted);                                                                                       \
    } while (0)
    REFUSE(CL_MEM_READ_ONLY, 4, 4, NULL, CL_INVALID_VALUE);
    REFUSE(CL_MEM_USE_HOST_PTR, 4, 4, NULL, CL_INVALID_VALUE);
    REFUSE(0, 4, 4, wrong, CL_INVALID_VALUE);
    REFUSE(0, 0, 4, NULL, CL_INVALID_PIPE_SIZE);
    REFUSE(0, 4, 0, NULL, CL_INVALID_PIPE_SIZE);
    REFUSE(0, 1 << 20, 4, NULL, CL_INVALID_PIPE_SIZE);
    CHECK(!clCreatePipe(NULL, 0, 4, 4, NULL, &error));
    CHECK_EQ(error, CL_INVALID_CONTEXT);
    cl_mem pipe = clCreatePipe(context, 0, 12, 100, none, &error), buffer = buffer_of(0, 64, NULL);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof(number), &number, &size), CL_SUCCESS);
    CHECK_EQ(number, 12);
    CHECK_EQ(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof(number), &number, &size), CL_SUCCESS);
    CHECK_EQ(number, 100);
    CHECK_EQ(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, 0, NULL, &size), CL_SUCCESS);
    CHECK_EQ(size, sizeof(none));
    CHECK_EQ(clGetPipeInfo(pipe, CL_MEM_SIZE, sizeof(number), &number, &size), CL_INVALID_VALUE);
    CHECK_EQ(clGetPipeInfo(buffer, CL_PIPE_MAX_PACKETS, sizeof(number), &number, &size), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clGetPipeInfo(NULL, CL_PIPE_MAX_PACKETS, sizeof(number), &number, &size), CL_INVALID_MEM_OBJECT);
    cl_mem_object_type type;
    cl_mem_flags flags;
    CHECK_EQ(clGetMemObjectInfo(pipe, CL_MEM_TYPE, sizeof(type), &type, NULL), CL_SUCCESS);
    CHECK_EQ(type, CL_MEM_OBJECT_PIPE);
    CHECK_EQ(clGetMemObjectInfo(pipe, CL_MEM_FLAGS, sizeof(flags), &flags, NULL), CL_SUCCESS);
    CHECK_EQ(flags, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
    /* the host has no access */
    char byte;
    CHECK_EQ(clEnqueueReadBuffer(queue, pipe, CL_TRUE, 0, 1, &byte, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK(!clCreateSubBuffer(pipe, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 4}, &error));
    CHECK_EQ(error, CL_INVALID_MEM_OBJECT);

    cl_program program = build("kernel void k(write_only pipe int p, global int *x) { write_pipe(p, x); }",
                               "-cl-std=CL3.0 -cl-kernel-arg-info");
    cl_kernel kernel = kernel_of(program, "k");
    cl_kernel_arg_type_qualifier qualifier = 0;
    cl_kernel_arg_access_qualifier access = 0;
    cl_kernel_arg_address_qualifier address = 0;
    char name[16] = "";
    CHECK_EQ(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifier), &qualifier, NULL),
             CL_SUCCESS);
    CHECK_EQ(qualifier, CL_KERNEL_ARG_TYPE_PIPE);
    CHECK_EQ(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access, NULL), CL_SUCCESS);
    CHECK_EQ(access, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
    CHECK_EQ(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address, NULL),
             CL_SUCCESS);
    CHECK_EQ(address, CL_KERNEL_ARG_ADDRESS_GLOBAL);
    CHECK_EQ(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof(name), name, NULL), CL_SUCCESS);
    CHECK_STR(name, "int");
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(pipe), &pipe), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(pipe), &buffer), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(pipe), &pipe), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(kernel, 0, 4, &pipe), CL_INVALID_ARG_SIZE);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(pipe), NULL), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(pipe), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    tear_down();
}

TEST_MAIN(test_forms, test_capacity, test_order, test_concurrent, test_limits, test_api)
