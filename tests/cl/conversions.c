/* Every explicit conversion from or to half and double: all types, roundings and saturations, scalars and vectors, against
 * exact arithmetic on the host.  The conversions among the other types are those of tests/builtins/convert.c. */
#include "cl_test.h"

#include "support/xorshift.h"

#include <math.h>
#include <string.h>

enum { COUNT = 2048 };
enum type { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, HALF, FLOAT, DOUBLE, TYPES };
static const struct {
    const char *name;
    unsigned size;
    long double least, most; /* of integers */
    int precision, least_exponent, most_exponent;
} types[TYPES] = {
    {"char", 1, -0x1p7L, 0x1p7L - 1, 0, 0, 0},
    {"uchar", 1, 0, 0x1p8L - 1, 0, 0, 0},
    {"short", 2, -0x1p15L, 0x1p15L - 1, 0, 0, 0},
    {"ushort", 2, 0, 0x1p16L - 1, 0, 0, 0},
    {"int", 4, -0x1p31L, 0x1p31L - 1, 0, 0, 0},
    {"uint", 4, 0, 0x1p32L - 1, 0, 0, 0},
    {"long", 8, -0x1p63L, 0x1p63L - 1, 0, 0, 0},
    {"ulong", 8, 0, 0x1p64L - 1, 0, 0, 0},
    {"half", 2, 0, 0, 11, -14, 15},
    {"float", 4, 0, 0, 24, -126, 127},
    {"double", 8, 0, 0, 53, -1022, 1023},
};
enum rounding { DEFAULT, RTE, RTZ, RTP, RTN, ROUNDINGS };
static const char *const suffixes[ROUNDINGS] = {"", "_rte", "_rtz", "_rtp", "_rtn"};

static bool is_integer(enum type type)
{
    return type < HALF;
}

/* ---- what the host knows ---- */

/* An element's value; long double holds all of them exactly. */
static long double value_of(enum type type, const void *elements, size_t i)
{
    const unsigned size = types[type].size;
    uint64_t bits = 0;
    memcpy(&bits, (const char *)elements + i * size, size);
    if (is_integer(type)) {
        const bool is_signed = types[type].least < 0;
        return is_signed ? (long double)((int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size)) : (long double)bits;
    }
    const int digits = types[type].precision - 1, bias = types[type].most_exponent;
    const uint64_t mantissa = bits & ((1ull << digits) - 1);
    const int exponent = (int)(bits >> digits & (unsigned)(2 * bias + 1));
    long double value = exponent > 2 * bias ? (mantissa ? NAN : INFINITY)
                        : exponent          ? ldexpl(mantissa | 1ull << digits, exponent - bias - digits)
                                            : ldexpl(mantissa, 1 - bias - digits);
    return bits >> (8 * size - 1) & 1 ? -value : value;
}

static long double to_integer(long double x, enum rounding rounding)
{
    const long double below = floorl(x), rest = x - below;
    switch (rounding) {
    case RTZ: return truncl(x);
    case RTP: return ceill(x);
    case RTN: return below;
    default: return rest < 0.5L || (rest == 0.5L && fmodl(below, 2) == 0) ? below : below + 1;
    }
}

static long double to_real(long double x, enum type type, enum rounding rounding)
{
    int exponent;
    if (isnan(x) || isinf(x) || x == 0)
        return x;
    frexpl(x, &exponent);
    exponent = exponent - 1 < types[type].least_exponent ? types[type].least_exponent : exponent - 1;
    const long double unit = ldexpl(1, exponent - types[type].precision + 1);
    const long double most = ldexpl(2 - ldexpl(1, 1 - types[type].precision), types[type].most_exponent);
    const long double result = to_integer(x / unit, rounding) * unit;
    if (fabsl(result) <= most)
        return result == 0 ? copysignl(0, x) : result;
    const bool is_kept = rounding == RTZ || (rounding == RTP && x < 0) || (rounding == RTN && x > 0);
    return copysignl(is_kept ? most : INFINITY, x);
}

/* False: the result is undefined. */
static bool expect(enum type to, enum type from, enum rounding rounding, bool saturates, long double x,
                   long double *result)
{
    if (!is_integer(to)) {
        *result = to_real(x, to, rounding);
        return true;
    }
    *result = isnan(x) ? 0 : isinf(x) ? x : to_integer(x, rounding == DEFAULT && !is_integer(from) ? RTZ : rounding);
    if (!isnan(x) && *result >= types[to].least && *result <= types[to].most)
        return true;
    if (!isnan(x))
        *result = *result < 0 ? types[to].least : types[to].most;
    return saturates;
}

/* ---- numbers to convert ---- */

static uint64_t bits_of_real(enum type type, double x)
{
    float single = (float)x;
    uint64_t bits = 0;
    if (type == DOUBLE) {
        memcpy(&bits, &x, sizeof(x));
        return bits;
    }
    memcpy(&bits, &single, sizeof(single));
    if (type == FLOAT)
        return bits;
    /* the nearest half, ties away: which one does not matter */
    const uint64_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (isnan(x))
        return 0x7e00;
    if (fabs(x) >= 65520)
        return sign | 0x7c00;
    return sign | (fabs(x) < 0x1p-14 ? (uint64_t)round(fabs(x) * 0x1p24) : (rest + 0x1000 - 0x38000000) >> 13);
}

static void fill(enum type type, void *elements)
{
    static const double edges[] = {0,
                                   0.25,
                                   0.5,
                                   0.75,
                                   1,
                                   1.5,
                                   2.5,
                                   3.5,
                                   126.5,
                                   127.5,
                                   128,
                                   128.5,
                                   254.5,
                                   255,
                                   255.5,
                                   256,
                                   32767,
                                   32767.5,
                                   32768,
                                   65503,
                                   65504,
                                   65519,
                                   65520,
                                   65535,
                                   65535.5,
                                   65536,
                                   0x1p31,
                                   0x1p31 - 1,
                                   0x1p31 - 0.5,
                                   0x1p32,
                                   0x1p32 - 1,
                                   0x1p32 - 0.5,
                                   0x1p63,
                                   0x1.fffffffffffffp62,
                                   0x1p64,
                                   0x1.fffffffffffffp63,
                                   1e300,
                                   0x1p-1074,
                                   0x1p-24,
                                   0x1p-25,
                                   0x1.8p-25,
                                   0x1p-26,
                                   0x1p-14,
                                   0x1.ffcp-15,
                                   0x1.ffep-15,
                                   0x1p-149,
                                   0x1p-150,
                                   0x1.8p-150,
                                   0x1p-126,
                                   0x1.fffffep127,
                                   0x1.ffffffp127,
                                   0x1.fffffefffffffp127,
                                   INFINITY,
                                   NAN};
    const size_t edge_count = sizeof(edges) / sizeof(*edges);
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t bits = random_bits(), r = random_bits();
        if (is_integer(type) && i % 4 < 2) /* a power of two, and its neighbours */
            bits = ((1ull << (r >> 58)) + (r & 3) - 2) ^ (i % 4 ? ~0ull : 0);
        else if (is_integer(type) && i % 4 == 2)
            bits >>= r >> 58;
        else if (!is_integer(type) && i < 2 * edge_count)
            bits = bits_of_real(type, i & 1 ? -edges[i / 2] : edges[i / 2]);
        else if (!is_integer(type) && i % 2)
            bits = bits_of_real(type, ldexp((double)(int64_t)bits, (int)(r % 80) - 80));
        memcpy((char *)elements + i * types[type].size, &bits, types[type].size);
    }
}

/* ---- the device ---- */

static char *append(char *end, const char *kernel, const char *to, const char *from, const char *conversion)
{
    return end + sprintf(end, "kernel void %s(global %s *o, global %s *i)\n{ size_t g = get_global_id(0); %s; }\n",
                         kernel, to, from, conversion);
}

static cl_program make_program(enum type to, enum type from)
{
    char *source = malloc(32768), *end = source, name[16], code[128];
    end += sprintf(end, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    for (int saturates = 0; saturates <= is_integer(to); saturates++)
        for (int r = 0; r < ROUNDINGS; r++) {
            const char *sat = saturates ? "_sat" : "";
            sprintf(name, "s%d%d", saturates, r);
            sprintf(code, "o[g] = convert_%s%s%s(i[g])", types[to].name, sat, suffixes[r]);
            end = append(end, name, types[to].name, types[from].name, code);
            sprintf(name, "v%d%d", saturates, r);
            sprintf(code, "vstore4(convert_%s4%s%s(vload4(g, i)), g, o)", types[to].name, sat, suffixes[r]);
            end = append(end, name, types[to].name, types[from].name, code);
        }
    cl_program program = build(source, "");
    free(source);
    return program;
}

static void compare(enum type to, enum type from, enum rounding rounding, bool saturates, bool is_vector,
                    const char *in, const char *out)
{
    char what[64];
    snprintf(what, sizeof(what), "convert_%s%s%s%s(%s)", types[to].name, is_vector ? "4" : "", saturates ? "_sat" : "",
             suffixes[rounding], types[from].name);
    for (size_t i = 0; i < COUNT; i++) {
        long double x = value_of(from, in, i), got = value_of(to, out, i), want;
        if (!expect(to, from, rounding, saturates, x, &want))
            continue;
        bool is_right = isnan(want) ? isnan(got) : got == want && (is_integer(to) || !signbit(got) == !signbit(want));
        if (!test_check(is_right, what, __FILE__, __LINE__)) {
            fprintf(stderr, "  of %La is %La, expected %La\n", x, got, want);
            return;
        }
    }
}

static void test_pair(enum type to, enum type from)
{
    static char in[COUNT * 8], out[COUNT * 8];
    fill(from, in);
    cl_program program = make_program(to, from);
    cl_mem source = buffer_of(CL_MEM_COPY_HOST_PTR, COUNT * types[from].size, in);
    cl_mem result = buffer_of(0, COUNT * types[to].size, NULL);
    for (int saturates = 0; saturates <= is_integer(to); saturates++)
        for (int r = 0; r < ROUNDINGS; r++)
            for (int is_vector = 0; is_vector < 2; is_vector++) {
                char name[16];
                sprintf(name, "%c%d%d", is_vector ? 'v' : 's', saturates, r);
                cl_kernel kernel = kernel_of(program, name);
                const size_t items = (size_t)COUNT / (is_vector ? 4 : 1), bytes = COUNT * types[to].size;
                CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(result), &result), CL_SUCCESS);
                CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(source), &source), CL_SUCCESS);
                CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
                CHECK_EQ(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, bytes, out, 0, NULL, NULL), CL_SUCCESS);
                compare(to, from, (enum rounding)r, saturates, is_vector, in, out);
                CHECK_EQ(clReleaseKernel(kernel), CL_SUCCESS);
            }
    CHECK_EQ(clReleaseMemObject(source), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(result), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
}

int main(void)
{
    set_up(0);
    for (int to = 0; to < TYPES; to++)
        for (int from = 0; from < TYPES; from++)
            if (to == HALF || to == DOUBLE || from == HALF || from == DOUBLE)
                test_pair((enum type)to, (enum type)from);
    tear_down();
    return test_finish();
}
