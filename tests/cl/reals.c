/* Doubles, halves and 64-bit atomics on the machine: operators and conversions bit by bit against the host's arithmetic,
 * for random numbers and special ones, optimised and not; results of atomics that collide. */
#include "cl_test.h"

#include "support/xorshift.h"

#include <math.h>
#include <string.h>

enum { COUNT = 2048 };

static const uint64_t specials[] = {
    0,
    1,
    0x000fffffffffffff,
    0x0010000000000000,
    0x3ff0000000000000,
    0x3fefffffffffffff,
    0x7fefffffffffffff,
    0x7ff0000000000000,
    0x7ff8000000000000,
    0x4340000000000001,
    0x43e0000000000000, /* 2^63 */
    0x41dfffffffc00000, /* 2^31 - 1 */
    0x36a0000000000000, /* float: the smallest, half of it, its neighbours */
    0x3690000000000000,
    0x3690000000000001,
    0x380fffffffffffff,
    0x47efffffe0000000, /* float: the largest, and where rounding gives infinity */
    0x47efffffefffffff,
    0x47effffff0000000,
};

/* A third special, a third of moderate size, a third of any bits. */
static double any_double(unsigned i)
{
    uint64_t bits = random_bits();
    double value;
    if (i % 3 == 0)
        bits = specials[bits % (sizeof(specials) / sizeof(*specials))] | (bits & 1ull << 63);
    else if (i % 3 == 1)
        bits = (bits & 0x800fffffffffffff) | (1023 - 40 + bits % 80) << 52;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static double x[COUNT], y[COUNT], z[COUNT];
static uint64_t results[COUNT];

static void launch(cl_program program, const char *name, size_t bytes)
{
    const void *inputs[] = {x, y, z};
    cl_kernel kernel = kernel_of(program, name);
    cl_mem out = buffer_of(CL_MEM_READ_WRITE, sizeof(results), NULL), in[3];
    size_t global = COUNT;
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(out), &out), CL_SUCCESS);
    for (cl_uint i = 0; i < 3; i++) {
        double copy[COUNT];
        memcpy(copy, inputs[i], sizeof(copy));
        in[i] = buffer_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(copy), copy);
        CHECK_EQ(clSetKernelArg(kernel, i + 1, sizeof(cl_mem), &in[i]), CL_SUCCESS);
    }
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
    memset(results, 0, sizeof(results));
    CHECK_EQ(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, COUNT * bytes, results, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(in[i]);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
}

/* Same bits, or both NaN. */
static void check_double(const char *name, unsigned i, double expected)
{
    double got;
    memcpy(&got, &results[i], sizeof(got));
    if (!CHECK((isnan(got) && isnan(expected)) || memcmp(&got, &expected, sizeof(got)) == 0))
        printf("    %s(%a, %a, %a) = %a, expected %a\n", name, x[i], y[i], z[i], got, expected);
}
static void check_float(const char *name, unsigned i, float expected)
{
    float got;
    memcpy(&got, (const char *)results + 4 * i, sizeof(got));
    if (!CHECK((isnan(got) && isnan(expected)) || memcmp(&got, &expected, sizeof(got)) == 0))
        printf("    %s(%a) = %a, expected %a\n", name, x[i], (double)got, (double)expected);
}
static void check_word(const char *name, unsigned i, int32_t expected)
{
    int32_t got;
    memcpy(&got, (const char *)results + 4 * i, sizeof(got));
    if (!CHECK_EQ(got, expected))
        printf("    %s(%a, %a)\n", name, x[i], y[i]);
}
static void check_long(const char *name, unsigned i, uint64_t expected)
{
    if (!CHECK_EQ(results[i], expected))
        printf("    %s(%a, %a)\n", name, x[i], y[i]);
}

static bool within(double value, double low, double high)
{
    return value > low && value < high;
}

/* ROW(name, type in OpenCL C, expression there, kind of check, expression here) */
#define DOUBLE_ROWS(ROW)                                                                                               \
    ROW(add, double, x + y, double, x[i] + y[i])                                                                       \
    ROW(sub, double, x - y, double, x[i] - y[i])                                                                       \
    ROW(mul, double, x *y, double, x[i] * y[i])                                                                        \
    ROW(div, double, x / y, double, x[i] / y[i])                                                                       \
    ROW(fused, double, fma(x, y, z), double, fma(x[i], y[i], z[i]))                                                    \
    ROW(fused_minus, double, fma(-x, y, -z), double, fma(-x[i], y[i], -z[i]))                                          \
    ROW(root, double, sqrt(x), double, sqrt(x[i]))                                                                     \
    ROW(minus, double, -x, double, -x[i])                                                                              \
    ROW(magnitude, double, fabs(x), double, fabs(x[i]))                                                                \
    ROW(signs, double, copysign(x, y), double, copysign(x[i], y[i]))                                                   \
    ROW(rest, double, fmod(x, y), double, fmod(x[i], y[i]))                                                            \
    ROW(whole, double, floor(x), double, floor(x[i]))                                                                  \
    ROW(near, double, rint(x), double, rint(x[i]))                                                                     \
    ROW(chosen, double, x < y ? z : x, double, x[i] < y[i] ? z[i] : x[i])                                              \
    ROW(third, double, ((double3)(y, z, x)).s1 *x, double, x[i] * z[i])                                                \
    ROW(less, int, x < y, word, x[i] < y[i])                                                                           \
    ROW(less_equal, int, x <= y, word, x[i] <= y[i])                                                                   \
    ROW(equal, int, x == y, word, x[i] == y[i])                                                                        \
    ROW(different, int, x != y, word, x[i] != y[i])                                                                    \
    ROW(not_less, int, !(x < y), word, !(x[i] < y[i]))                                                                 \
    ROW(unordered, int, isunordered(x, y), word, isnan(x[i]) || isnan(y[i]))                                           \
    ROW(vector_less, int, ((double2)(x, y) < (double2)(y, x)).s0 != 0, word, x[i] < y[i])                              \
    ROW(normal, int, isnormal(x), word, isnormal(x[i]) != 0)                                                           \
    ROW(to_float, float, (float)x, float, (float)x[i])                                                                 \
    ROW(to_int, int, fabs(x) < 2e9 ? (int)x : 0, word, within(x[i], -2e9, 2e9) ? (int32_t)x[i] : 0)                    \
    ROW(to_uchar, int, convert_uchar_sat(x), word, isnan(x[i]) ? 0 : x[i] > 255 ? 255 : x[i] < 0 ? 0 : (int32_t)x[i])  \
    ROW(to_long, long, fabs(x) < 9e18 ? (long)x : 0, long, within(x[i], -9e18, 9e18) ? (uint64_t)(int64_t)x[i] : 0)    \
    ROW(to_ulong, ulong, x > -1 && x < 1.8e19 ? (ulong)x : 0, long, within(x[i], -1, 1.8e19) ? (uint64_t)x[i] : 0)     \
    ROW(to_ulong_sat, ulong, convert_ulong_sat(x), long,                                                               \
        isnan(x[i]) || x[i] < 0 ? 0                                                                                    \
        : x[i] >= 0x1p64        ? UINT64_MAX                                                                           \
                                : (uint64_t)x[i])                                                                             \
    ROW(from_long, double, as_long(x), double, (double)long_of(x[i]))                                                  \
    ROW(from_ulong, double, as_ulong(x), double, (double)(uint64_t)long_of(x[i]))                                      \
    ROW(from_int, double, (int)as_long(x), double, (double)(int32_t)long_of(x[i]))                                     \
    ROW(from_uint, double, (uint)as_long(x), double, (double)(uint32_t)long_of(x[i]))                                  \
    ROW(from_float, double, as_float((int)as_long(x)), double, (double)float_of(x[i]))                                 \
    ROW(down, float, convert_float_rtn(x), float, directed(x[i], -1))                                                  \
    ROW(up, float, convert_float_rtp(x), float, directed(x[i], 1))

static int64_t long_of(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}
static float float_of(double value)
{
    uint32_t bits = (uint32_t)long_of(value);
    float f;
    memcpy(&f, &bits, sizeof(f));
    return f;
}
static float directed(double value, int direction)
{
    float near = (float)value;
    if (direction < 0 ? (double)near > value : (double)near < value)
        near = nextafterf(near, direction < 0 ? -INFINITY : INFINITY);
    return near;
}

#define KERNEL(name, T, there, kind, here)                                                                             \
    "kernel void " #name "(global " #T " *o, global const double *a, global const double *b, global const double *c)"  \
    "{ size_t i = get_global_id(0); double x = a[i], y = b[i], z = c[i]; o[i] = " #there "; }\n",
#define ROW_CHECK(name, T, there, kind, here)                                                                          \
    launch(program, #name, sizeof(BYTES_##kind));                                                                      \
    for (unsigned i = 0; i < COUNT; i++)                                                                               \
        check_##kind(#name, i, here);
typedef double BYTES_double;
typedef float BYTES_float;
typedef int32_t BYTES_word;
typedef int64_t BYTES_long;

/* One program of many pieces: a single literal would be too long for C. */
static cl_program build_rows(const char *const *pieces, size_t count, const char *options)
{
    char source[16384], *end = source;
    for (size_t i = 0; i < count; i++)
        end += snprintf(end, (size_t)(source + sizeof(source) - end), "%s", pieces[i]);
    return build(source, options);
}

static void test_doubles(const char *options)
{
    static const char *const pieces[] = {DOUBLE_ROWS(KERNEL)};
    cl_program program = build_rows(pieces, sizeof(pieces) / sizeof(*pieces), options);
    for (unsigned i = 0; i < COUNT; i++) {
        x[i] = any_double(i);
        y[i] = any_double(i / 3);
        z[i] = any_double(i / 9);
    }
    DOUBLE_ROWS(ROW_CHECK)
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
}

/* Many doubles live at once, more than there are registers, through calls and a loop. */
static void test_pressure(void)
{
    static const char source[] =
        "__attribute__((noinline)) double2 twist(double a, double b, double3 c)"
        "{ return (double2)(fma(a, c.x, b), c.y - c.z * a); }\n"
        "kernel void k(global double *o, global const double *a, global const double *b, global const double *c)\n"
        "{ size_t i = get_global_id(0); double v[160];\n"
        "  for (int k = 0; k < 160; k++) v[k] = b[(i + k) % 64] + k;\n"
        "  for (int n = 0; n < 3; n++)\n"
        "    for (int k = 0; k < 160; k++) {\n"
        "      double2 t = twist(v[k], v[(k + 7) % 160], (double3)(0.5, v[(k + 31) % 160], 0.25));\n"
        "      v[k] = t.x; v[(k + 80) % 160] = t.y; }\n"
        "  double s = 0; for (int k = 0; k < 160; k++) s += v[k]; o[i] = s; }\n";
    cl_program program = build(source, "");
    for (unsigned i = 0; i < COUNT; i++)
        x[i] = y[i] = z[i] = i % 64 * 0.125;
    launch(program, "k", sizeof(double));
    for (unsigned i = 0; i < COUNT; i++) {
        double v[160], s = 0;
        for (unsigned k = 0; k < 160; k++)
            v[k] = y[(i + k) % 64] + k;
        for (int n = 0; n < 3; n++)
            for (int k = 0; k < 160; k++) {
                double a = v[k], first = fma(a, 0.5, v[(k + 7) % 160]);
                double second = fma(-0.25, a, v[(k + 31) % 160]); /* what -ffp-contract=on makes of it */
                v[k] = first;
                v[(k + 80) % 160] = second;
            }
        for (int k = 0; k < 160; k++)
            s += v[k];
        check_double("pressure", i, s);
    }
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
}

/* ---- halves: floats, rounded once more ---- */

/* The nearest half, ties to even, by its definition. */
static double to_half(double value)
{
    if (value == 0 || !isfinite(value))
        return value;
    int exponent = ilogb(value);
    exponent = exponent < -14 ? -14 : exponent;
    double rounded = ldexp(nearbyint(ldexp(value, 10 - exponent)), exponent - 10);
    return fabs(rounded) >= 65520 ? copysign(INFINITY, value) : rounded;
}

#define HALF_ROWS(ROW)                                                                                                 \
    ROW(add, double, x + y, double, to_half(h(x[i]) + h(y[i])))                                                        \
    ROW(sub, double, x - y, double, to_half(h(x[i]) - h(y[i])))                                                        \
    ROW(mul, double, x *y, double, to_half(h(x[i]) * h(y[i])))                                                         \
    ROW(div, double, x / y, double, to_half(h(x[i]) / h(y[i])))                                                        \
    ROW(root, double, sqrt(x), double, to_half(sqrt(h(x[i]))))                                                         \
    ROW(minus, double, -x, double, -h(x[i]))                                                                           \
    ROW(whole, double, floor(x), double, floor(h(x[i])))                                                               \
    ROW(less, int, x < y, word, h(x[i]) < h(y[i]))                                                                     \
    ROW(equal, int, x == y, word, h(x[i]) == h(y[i]))                                                                  \
    ROW(finite, int, isfinite(x), word, isfinite(h(x[i])) != 0)                                                        \
    ROW(to_int, int, isfinite(x) ? (int)x : 0, word, isfinite(h(x[i])) ? (int32_t)h(x[i]) : 0)                         \
    ROW(to_char, int, convert_char_sat_rte(x), word, saturated(h(x[i])))                                               \
    ROW(from_int, double, (half)(int)as_long(a[i]), double, to_half((int32_t)long_of(x[i])))                           \
    ROW(from_double, double, (half)a[i], double, to_half(x[i]))                                                        \
    ROW(down, double, convert_half_rtn(a[i]), double, half_down(x[i]))                                                 \
    ROW(vector, double, ((half4)(x, y, x, y) * (half4)(2.0h)).s3, double, to_half(h(y[i]) * 2))

/* The half in the low bits of a double. */
static double h(double value)
{
    uint64_t bits = (uint64_t)long_of(value) & 0xffff;
    unsigned exponent = bits >> 10 & 31;
    double size = exponent == 31 ? (bits & 0x3ff ? (double)NAN : (double)INFINITY)
                  : exponent     ? ldexp((double)(bits & 0x3ff) + 1024, (int)exponent - 25)
                                 : ldexp((double)(bits & 0x3ff), -24);
    return bits >> 15 ? -size : size;
}
static int32_t saturated(double value)
{
    return isnan(value) ? 0 : value > 127 ? 127 : value < -128 ? -128 : (int32_t)nearbyint(value);
}
static double half_down(double value)
{
    if (value == 0 || !isfinite(value))
        return value;
    int exponent = ilogb(value);
    exponent = exponent < -14 ? -14 : exponent;
    double rounded = exponent > 15 ? copysign(65536, value) : ldexp(floor(ldexp(value, 10 - exponent)), exponent - 10);
    return rounded > 65504 ? 65504 : rounded < -65504 ? -(double)INFINITY : rounded == 0 ? copysign(0, value) : rounded;
}

#define HALF_KERNEL(name, T, there, kind, here)                                                                        \
    "kernel void " #name "(global " #T " *o, global const double *a, global const double *b, global const double *c)"  \
    "{ size_t i = get_global_id(0); half x = as_half((ushort)as_long(a[i])), y = as_half((ushort)as_long(b[i]));"      \
    "  o[i] = " #there "; }\n",

static void test_halves(const char *options)
{
    static const char *const pieces[] = {"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n", HALF_ROWS(HALF_KERNEL)};
    cl_program program = build_rows(pieces, sizeof(pieces) / sizeof(*pieces), options);
    for (unsigned i = 0; i < COUNT; i++) {
        uint64_t bits = random_bits(), exponent = 1023 - 30 + random_bits() % 50;
        bits = (bits & 0x800fffffffffffff) | exponent << 52;
        bits = i % 2 ? bits : (bits & ~0x3ffull << 42) | 1ull << 41; /* often between two halves */
        memcpy(&x[i], &bits, sizeof(bits));
        y[i] = any_double(1);
    }
    HALF_ROWS(ROW_CHECK)
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
}

/* ---- atomics ---- */

static void test_atomics(const char *options)
{
    static const char source[] =
        "kernel void k(global atomic_long *a, global atomic_double *d, global atomic_ulong *u, global atomic_float "
        "*f)\n"
        "{\n"
        "  long i = get_global_id(0);\n"
        "  local atomic_ulong sum; local atomic_double most;\n"
        "  if (get_local_id(0) == 0) { atomic_init(&sum, 0ul); atomic_init(&most, -1.0); }\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  atomic_fetch_add(a, 1l << 33); atomic_fetch_max(a + 1, (i << 32) - 5); atomic_fetch_min(a + 2, -i * "
        "0x100000003);\n"
        "  atomic_fetch_xor(a + 3, 1l << (i & 62)); atomic_fetch_sub(a + 4, 3l);\n"
        "  atomic_fetch_add(d, 0.5); atomic_fetch_max(d + 1, (double)i); atomic_fetch_min(d + 2, -(double)i);\n"
        "  atomic_fetch_add_explicit(f, 1.0f, memory_order_relaxed, memory_scope_device); atomic_fetch_max(f + 1, "
        "(float)i);\n"
        "  ulong seen = atomic_load(u);\n"
        "  while (!atomic_compare_exchange_weak(u, &seen, seen * 3 + 1)) {}\n"
        "  atomic_fetch_add_explicit(&sum, 1ul << 35, memory_order_relaxed, memory_scope_work_group);\n"
        "  atomic_fetch_max(&most, (double)get_local_id(0));\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  if (get_local_id(0) == 0) { atomic_fetch_add(u + 1, atomic_load(&sum)); atomic_fetch_add(d + 3, "
        "atomic_load(&most)); }\n"
        "  private atomic_long own; atomic_init(&own, 5l);\n"
        "  atomic_fetch_add(&own, i << 32);\n"
        "  if (atomic_exchange(&own, 1l) != (i << 32) + 5) atomic_store(a + 5, 1l);\n"
        "}\n";
    enum { ITEMS = 1024, GROUP = 64 };
    cl_program program = build(source, options);
    cl_kernel kernel = kernel_of(program, "k");
    int64_t a[6] = {0};
    double d[4] = {0};
    uint64_t u[2] = {0}, expected = 0;
    float f[2] = {0};
    void *host[] = {a, d, u, f};
    size_t sizes[] = {sizeof(a), sizeof(d), sizeof(u), sizeof(f)}, global = ITEMS, local = GROUP;
    cl_mem mem[4];
    for (cl_uint i = 0; i < 4; i++) {
        mem[i] = buffer_of(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizes[i], host[i]);
        CHECK_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &mem[i]), CL_SUCCESS);
    }
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(clEnqueueReadBuffer(queue, mem[i], CL_TRUE, 0, sizes[i], host[i], 0, NULL, NULL), CL_SUCCESS);
        clReleaseMemObject(mem[i]);
    }
    for (int i = 0; i < ITEMS; i++)
        expected = expected * 3 + 1;
    CHECK_EQ(a[0], (int64_t)ITEMS << 33);
    CHECK_EQ(a[1], ((int64_t)(ITEMS - 1) << 32) - 5);
    CHECK_EQ(a[2], -(int64_t)(ITEMS - 1) * 0x100000003);
    CHECK_EQ(a[3], 0);
    CHECK_EQ(a[4], -3 * ITEMS);
    CHECK_EQ(a[5], 0);
    CHECK(d[0] == ITEMS / 2 && d[1] == ITEMS - 1 && d[2] == -(ITEMS - 1));
    CHECK(d[3] == (double)(GROUP - 1) * (ITEMS / GROUP));
    CHECK(f[0] == (float)ITEMS && f[1] == ITEMS - 1);
    CHECK_EQ(u[0], expected);
    CHECK_EQ(u[1], (uint64_t)ITEMS << 35);
    clReleaseKernel(kernel);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
}

int main(void)
{
    set_up(0);
    test_doubles("");
    test_doubles("-cl-opt-disable");
    test_pressure();
    test_halves("");
    test_halves("-cl-opt-disable");
    test_atomics("-cl-std=CL3.0");
    test_atomics("-cl-std=CL3.0 -cl-opt-disable");
    tear_down();
    return test_finish();
}
