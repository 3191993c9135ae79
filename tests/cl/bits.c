/* The functions of cl_khr_extended_bit_ops and cl_khr_integer_dot_product, next to the host's: every type and width,
 * every field that fits; and the device's properties of dot products. */
#include "cl_test.h"

#include <CL/cl_ext.h>
#include <inttypes.h>

static const char field_source[] =
    "#define vload1(i, p) (p)[i]\n"
    "#define vstore1(x, i, p) (p)[i] = (x)\n"
    "#define FIELDS(n) \\\n"
    "    kernel void fields##n(global S *s, global U *u, global T *inserted, global T *reversed, global const T *base, "
    "\\\n"
    "                          global const T *insert) \\\n"
    "    { \\\n"
    "        uint i = get_global_id(0), offset = i / (W + 1), count = min(i % (W + 1), W - offset); \\\n"
    "        vstore##n(bitfield_extract_signed(vload##n(i, base), offset, count), i, s); \\\n"
    "        vstore##n(bitfield_extract_unsigned(vload##n(i, base), offset, count), i, u); \\\n"
    "        vstore##n(bitfield_insert(vload##n(i, base), vload##n(i, insert), offset, count), i, inserted); \\\n"
    "        vstore##n(bit_reverse(vload##n(i, base)), i, reversed); \\\n"
    "    }\n"
    "FIELDS(1) FIELDS(2) FIELDS(3) FIELDS(4) FIELDS(8) FIELDS(16)\n";

static const char dot_source[] =
    "kernel void dots(global int *out, global const uint *a, global const uint *b, global const int *c)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    uchar4 ua = as_uchar4(a[i]), ub = as_uchar4(b[i]);\n"
    "    char4 sa = as_char4(a[i]), sb = as_char4(b[i]);\n"
    "    out += 16 * i;\n"
    "    out[0] = dot(ua, ub), out[1] = dot(ua, sb), out[2] = dot(sa, ub), out[3] = dot(sa, sb);\n"
    "    out[4] = dot_acc_sat(ua, ub, (uint)c[i]), out[5] = dot_acc_sat(ua, sb, c[i]);\n"
    "    out[6] = dot_acc_sat(sa, ub, c[i]), out[7] = dot_acc_sat(sa, sb, c[i]);\n"
    "    out[8] = dot_4x8packed_uu_uint(a[i], b[i]), out[9] = dot_4x8packed_us_int(a[i], b[i]);\n"
    "    out[10] = dot_4x8packed_su_int(a[i], b[i]), out[11] = dot_4x8packed_ss_int(a[i], b[i]);\n"
    "    out[12] = dot_acc_sat_4x8packed_uu_uint(a[i], b[i], c[i]);\n"
    "    out[13] = dot_acc_sat_4x8packed_us_int(a[i], b[i], c[i]);\n"
    "    out[14] = dot_acc_sat_4x8packed_su_int(a[i], b[i], c[i]);\n"
    "    out[15] = dot_acc_sat_4x8packed_ss_int(a[i], b[i], c[i]);\n"
    "}\n";

static uint64_t random_bits(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 29;
}

static void run(cl_kernel kernel, const cl_mem *args, cl_uint count, size_t items)
{
    for (cl_uint i = 0; i < count; i++)
        CHECK_EQ(clSetKernelArg(kernel, i, sizeof(args[i]), &args[i]), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
}

/* ---- bit fields ---- */

enum { MOST_BYTES = 65 * 65 * 16 * 8 };

static uint64_t element(const unsigned char *bytes, size_t i, unsigned width)
{
    uint64_t value = 0;
    memcpy(&value, bytes + i * (width / 8), width / 8);
    return value;
}

static uint64_t ones(unsigned count)
{
    return count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

/* The four results for one element; fields of no bits are 0. */
static void expect_fields(uint64_t base, uint64_t insert, unsigned offset, unsigned count, unsigned width,
                          uint64_t *out)
{
    uint64_t field = count ? base >> offset & ones(count) : 0, mask = count ? ones(count) << offset : 0;
    out[0] = count && field >> (count - 1) ? (field | ~ones(count)) & ones(width) : field;
    out[1] = field;
    out[2] = (base & ~mask) | (count ? insert << offset & mask : 0);
    out[3] = 0;
    for (unsigned bit = 0; bit < width; bit++)
        out[3] |= (base >> bit & 1) << (width - 1 - bit);
}

static void check_fields(const char *type, unsigned width, int lanes, unsigned char *const *data)
{
    for (size_t i = 0, items = (size_t)(width + 1) * (width + 1) * (size_t)lanes; i < items; i++) {
        unsigned field = (unsigned)(i / (size_t)lanes), offset = field / (width + 1), count = field % (width + 1);
        uint64_t expected[4];
        if (count > width - offset)
            count = width - offset;
        expect_fields(element(data[4], i, width), element(data[5], i, width), offset, count, width, expected);
        for (int k = 0; k < 4; k++)
            if (!CHECK_EQ(element(data[k], i, width), expected[k])) {
                fprintf(stderr, "%s%d: result %d, offset %u, count %u\n", type, lanes, k, offset, count);
                return;
            }
    }
}

static void test_fields(const char *type, const char *sign, const char *no_sign, unsigned width)
{
    static const int widths[] = {1, 2, 3, 4, 8, 16};
    char options[128];
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DT=%s -DS=%s -DU=%s -DW=%uu", type, sign, no_sign, width);
    cl_program program = build(field_source, options);
    unsigned char *data[6];
    cl_mem args[6];
    for (int i = 0; i < 6; i++) {
        data[i] = malloc(MOST_BYTES);
        for (size_t k = 0; k < MOST_BYTES; k++)
            data[i][k] = (unsigned char)random_bits();
        args[i] = buffer_of(CL_MEM_USE_HOST_PTR, MOST_BYTES, data[i]);
    }
    for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
        char name[16];
        snprintf(name, sizeof(name), "fields%d", widths[i]);
        cl_kernel kernel = kernel_of(program, name);
        run(kernel, args, 6, (size_t)(width + 1) * (width + 1));
        for (int k = 0; k < 4; k++)
            CHECK_EQ(clEnqueueReadBuffer(queue, args[k], CL_TRUE, 0, MOST_BYTES, data[k], 0, NULL, NULL), CL_SUCCESS);
        check_fields(type, width, widths[i], data);
        CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    }
    for (int i = 0; i < 6; i++) {
        CHECK_EQ(clReleaseMemObject(args[i]), CL_SUCCESS);
        free(data[i]);
    }
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
}

/* ---- dot products ---- */

static int64_t dot_of(cl_uint a, cl_uint b, bool signed_a, bool signed_b)
{
    int64_t sum = 0;
    for (int i = 0; i < 32; i += 8) {
        unsigned char x = (unsigned char)(a >> i), y = (unsigned char)(b >> i);
        sum += (signed_a ? (signed char)x : x) * (signed_b ? (signed char)y : y);
    }
    return sum;
}

static int64_t clamped(int64_t x, int64_t least, int64_t most)
{
    return x < least ? least : x > most ? most : x;
}

static void test_dot(void)
{
    enum { ITEMS = 1000 };
    static cl_uint a[ITEMS], b[ITEMS], c[ITEMS], out[16 * ITEMS];
    static const cl_uint corners[] = {0, 0x7f7f7f7f, 0x80808080, 0xffffffff, 0x7fffffff, 0x80000000, 1};
    for (size_t i = 0; i < ITEMS; i++) {
        a[i] = i < 343 ? corners[i % 7] : (cl_uint)random_bits();
        b[i] = i < 343 ? corners[i / 7 % 7] : (cl_uint)random_bits();
        c[i] = i < 343 ? corners[i / 49] : (cl_uint)random_bits() | (i % 2 ? 0x7ffff000 : 0);
    }
    cl_program program = build(dot_source, "-cl-std=CL3.0");
    cl_kernel kernel = kernel_of(program, "dots");
    cl_mem args[4] = {buffer_of(0, sizeof(out), NULL), buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(a), a),
                      buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(b), b), buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(c), c)};
    run(kernel, args, 4, ITEMS);
    CHECK_EQ(clEnqueueReadBuffer(queue, args[0], CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS);
    for (size_t i = 0; i < ITEMS; i++)
        for (int k = 0; k < 16; k++) {
            int kind = k % 4; /* which of the two is signed: 0 none, 1 b, 2 a, 3 both */
            int64_t expected = dot_of(a[i], b[i], kind & 2, kind & 1);
            if (k & 4)
                expected = kind ? clamped(expected + (cl_int)c[i], INT32_MIN, INT32_MAX)
                                : clamped(expected + c[i], 0, UINT32_MAX);
            if (!CHECK_EQ(out[16 * i + (size_t)k], (cl_uint)expected)) {
                fprintf(stderr, "dot %d of %08" PRIx32 " %08" PRIx32 " %08" PRIx32 "\n", k, a[i], b[i], c[i]);
                i = ITEMS;
                break;
            }
        }
    for (int i = 0; i < 4; i++)
        CHECK_EQ(clReleaseMemObject(args[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
}

static void test_queries(void)
{
    cl_device_integer_dot_product_capabilities_khr can = 0;
    cl_device_integer_dot_product_acceleration_properties_khr fast;
    static const cl_device_info names[] = {CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
                                           CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR};
    size_t size;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR, sizeof(can), &can, NULL),
             CL_SUCCESS);
    CHECK_EQ(can,
             CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR);
    for (int i = 0; i < 2; i++) {
        memset(&fast, 0xff, sizeof(fast));
        CHECK_EQ(clGetDeviceInfo(device, names[i], sizeof(fast), &fast, &size), CL_SUCCESS);
        CHECK_EQ(size, sizeof(fast));
        CHECK(!fast.signed_accelerated && !fast.accumulating_saturating_mixed_signedness_accelerated);
    }
}

int main(void)
{
    set_up(0);
    test_fields("char", "char", "uchar", 8);
    test_fields("uchar", "char", "uchar", 8);
    test_fields("short", "short", "ushort", 16);
    test_fields("ushort", "short", "ushort", 16);
    test_fields("int", "int", "uint", 32);
    test_fields("uint", "int", "uint", 32);
    test_fields("long", "long", "ulong", 64);
    test_fields("ulong", "long", "ulong", 64);
    test_dot();
    test_queries();
    tear_down();
    return test_finish();
}
