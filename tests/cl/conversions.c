/* Every explicit conversion from or to half and double: all types, roundings and saturations, scalars and vectors, against
 * exact arithmetic on the host.  The conversions among the other types are those of tests/builtins/convert.c. */
#include "cl_test.h"
#include "conversion_cases.h"
#include "support/xorshift.h"

enum { COUNT = 2048 };

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
        if (!test_check(is_right(to, got, want), what, __FILE__, __LINE__)) {
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
