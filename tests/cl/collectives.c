/* Workgroup functions, compared with loops on the host: every type, groups of many shapes, the last ones of a range
 * smaller than the others, called twice in a row from a function that is not inlined. */
#include "cl_test.h"

#include <math.h>

/* Small numbers: their sums are exact in every type. */
static const char source[] =
    "__attribute__((noinline)) void all_of(T x, global T *out)\n"
    "{\n"
    "    out[0] = work_group_reduce_add(x), out[1] = work_group_reduce_min(x), out[2] = work_group_reduce_max(x);\n"
    "    out[3] = work_group_scan_inclusive_add(x), out[4] = work_group_scan_inclusive_min(x);\n"
    "    out[5] = work_group_scan_inclusive_max(x), out[6] = work_group_scan_exclusive_add(x);\n"
    "    out[7] = work_group_scan_exclusive_min(x), out[8] = work_group_scan_exclusive_max(x);\n"
    "}\n"
    "kernel void collect(global const T *in, global T *out, global int *flags)\n"
    "{\n"
    "    size_t i = get_global_linear_id();\n"
    "    all_of(in[i], out + 20 * i);\n"
    "    all_of((T)(in[i] + (T)get_group_id(0)), out + 20 * i + 9);\n"
    "    uint dims = get_work_dim(), x = get_local_size(0) - 1, y = get_local_size(1) / 2, z = get_local_size(2) - 1;\n"
    "    out[20 * i + 18] = dims == 1 ? work_group_broadcast(in[i], x) : dims == 2 ? work_group_broadcast(in[i], x, "
    "y)\n"
    "                       : work_group_broadcast(in[i], x, y, z);\n"
    "    out[20 * i + 19] = (T)get_local_linear_id();\n"
    "    flags[4 * i] = work_group_all(in[i] > 0), flags[4 * i + 1] = work_group_any(in[i] > 20);\n"
    "    flags[4 * i + 2] = work_group_all(1) * 2 + work_group_any(0), flags[4 * i + 3] = work_group_any(in[i] == 7);\n"
    "}\n";

enum { MOST_ITEMS = 1500 };

struct shape {
    cl_uint dims;
    size_t global[3], local[3];
};

/* A number of one of the types, in the type in which the host compares them all. */
static double number(const char *type, const void *values, size_t i)
{
    const char *bytes = values;
#define AS(T, t)                                                                                                       \
    do {                                                                                                               \
        T value;                                                                                                       \
        if (strcmp(type, #t) != 0)                                                                                     \
            break;                                                                                                     \
        memcpy(&value, bytes + i * sizeof(value), sizeof(value));                                                      \
        return (double)value;                                                                                          \
    } while (0)
    AS(cl_int, int);
    AS(cl_uint, uint);
    AS(cl_long, long);
    AS(cl_ulong, ulong);
    AS(cl_float, float);
#undef AS
    return NAN;
}

static void put(const char *type, void *values, size_t i, int value)
{
    char *bytes = values;
    cl_float single = (cl_float)value;
    cl_long wide = value;
    if (!strcmp(type, "float"))
        memcpy(bytes + 4 * i, &single, 4);
    else if (strstr(type, "long"))
        memcpy(bytes + 8 * i, &wide, 8);
    else
        memcpy(bytes + 4 * i, &value, 4);
}

static double least(const char *type)
{
    return !strcmp(type, "int") ? -0x1p31 : !strcmp(type, "long") ? -0x1p63 : !strcmp(type, "float") ? -INFINITY : 0;
}

static double most(const char *type)
{
    return !strcmp(type, "int")     ? 0x1p31 - 1
           : !strcmp(type, "uint")  ? 0x1p32 - 1
           : !strcmp(type, "float") ? INFINITY
           : !strcmp(type, "long")  ? (double)INT64_MAX
                                    : (double)UINT64_MAX;
}

/* The results of the nine functions of all_of for the `own`-th work-item of the workgroup. */
static unsigned fold(const char *type, const int *values, size_t count, size_t own, const void *out, size_t at)
{
    double sum = 0, low = most(type), high = least(type), expected[9];
    for (size_t i = 0; i < count; i++) {
        if (i == own)
            expected[6] = sum, expected[7] = low, expected[8] = high;
        sum += values[i], low = fmin(low, values[i]), high = fmax(high, values[i]);
        if (i == own)
            expected[3] = sum, expected[4] = low, expected[5] = high;
    }
    expected[0] = sum, expected[1] = low, expected[2] = high;
    unsigned wrong = 0;
    for (size_t i = 0; i < 9; i++)
        wrong += number(type, out, at + i) != expected[i];
    return wrong;
}

static void check_group(const char *type, const struct shape *shape, const size_t start[3], const void *in,
                        const void *out, const cl_int *flags)
{
    size_t size[3], items[1024], count = 0;
    int values[1024], shifted[1024];
    for (int d = 0; d < 3; d++)
        size[d] = start[d] + shape->local[d] <= shape->global[d] ? shape->local[d] : shape->global[d] - start[d];
    for (size_t z = start[2]; z < start[2] + size[2]; z++)
        for (size_t y = start[1]; y < start[1] + size[1]; y++)
            for (size_t x = start[0]; x < start[0] + size[0]; x++)
                items[count++] = (z * shape->global[1] + y) * shape->global[0] + x;
    int all = 1, any = 0, seven = 0;
    for (size_t i = 0; i < count; i++) {
        values[i] = (int)number(type, in, items[i]);
        shifted[i] = values[i] + (int)(start[0] / shape->local[0]);
        all &= values[i] > 0, any |= values[i] > 20, seven |= values[i] == 7;
    }
    size_t sender = (shape->dims > 2 ? size[2] - 1 : 0) * size[1] * size[0] +
                    (shape->dims > 1 ? size[1] / 2 : 0) * size[0] + size[0] - 1;
    for (size_t i = 0; i < count; i++) {
        const cl_int *flag = flags + 4 * items[i];
        CHECK_EQ(fold(type, values, count, i, out, 20 * items[i]), 0);
        CHECK_EQ(fold(type, shifted, count, i, out, 20 * items[i] + 9), 0);
        CHECK_EQ((int)number(type, out, 20 * items[i] + 18), values[sender]);
        CHECK_EQ((int)number(type, out, 20 * items[i] + 19), (int)i);
        CHECK(flag[0] == all && flag[1] == any && flag[2] == 2 && flag[3] == seven);
    }
}

static void check(const char *type, cl_kernel kernel, const struct shape *shape)
{
    static char in[8 * MOST_ITEMS], out[20 * 8 * MOST_ITEMS];
    static cl_int flags[4 * MOST_ITEMS];
    size_t count = shape->global[0] * shape->global[1] * shape->global[2], start[3];
    size_t bytes = strstr(type, "long") ? 8 : 4;
    for (size_t i = 0; i < count; i++)
        put(type, in, i, (int)(i * 7 % 23) + (type[0] == 'u' ? 0 : -2));
    cl_mem mems[3] = {buffer_of(CL_MEM_COPY_HOST_PTR, count * bytes, in), buffer_of(0, 20 * count * bytes, NULL),
                      buffer_of(0, 4 * count * sizeof(cl_int), NULL)};
    for (cl_uint i = 0; i < 3; i++)
        CHECK_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &mems[i]), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, shape->dims, NULL, shape->global, shape->local, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mems[1], CL_TRUE, 0, 20 * count * bytes, out, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mems[2], CL_TRUE, 0, 4 * count * sizeof(cl_int), flags, 0, NULL, NULL),
             CL_SUCCESS);
    for (start[2] = 0; start[2] < shape->global[2]; start[2] += shape->local[2])
        for (start[1] = 0; start[1] < shape->global[1]; start[1] += shape->local[1])
            for (start[0] = 0; start[0] < shape->global[0]; start[0] += shape->local[0])
                check_group(type, shape, start, in, out, flags);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(mems[i]);
}

int main(void)
{
    static const char *const types[] = {"int", "uint", "long", "ulong", "float"};
    static const struct shape shapes[] = {
        {1, {1, 1, 1}, {1, 1, 1}},       {1, {64, 1, 1}, {32, 1, 1}},  {1, {1100, 1, 1}, {1000, 1, 1}},
        {1, {1024, 1, 1}, {1024, 1, 1}}, {1, {100, 1, 1}, {33, 1, 1}}, {2, {30, 21, 1}, {7, 9, 1}},
        {3, {6, 10, 7}, {4, 3, 5}},
    };
    set_up(0);
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
        for (int plain = 0; plain < 2; plain++) {
            char options[96];
            snprintf(options, sizeof(options), "-cl-std=CL3.0 -DT=%s %s", types[t], plain ? "-cl-opt-disable" : "");
            cl_program program = build(source, options);
            cl_kernel kernel = kernel_of(program, "collect");
            for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
                check(types[t], kernel, &shapes[i]);
            clReleaseKernel(kernel);
            clReleaseProgram(program);
        }
    tear_down();
    return test_finish();
}
