/* The explicit conversions in full: of all 2^32 ints, uints and floats, and of all values of the shorter types, to every type, with every
 * rounding, saturated or not.  Each chunk runs in another width of vectors.  The host's arithmetic, in the same rounding mode, finds the
 * results that may be wrong, and exact arithmetic judges them (conversion_cases.h).
 *
 *     full_conversions [--stride=N] FROM [TO...]   types as in OpenCL; without TO all; --stride: every N-th value, a quick look */
#include "cl_test.h"
#include "conversion_cases.h"
#include "math_fast.h"

#include <fenv.h>
#include <stdlib.h>

enum { CHUNK = 3 << 18, PAD = 16, REPORTED = 8 };
static const char *const widths[] = {"", "2", "3", "4", "8", "16"};
enum { WIDTHS = sizeof(widths) / sizeof(*widths) };

static uint64_t stride = 1;
static _Alignas(64) unsigned char arguments[(CHUNK + PAD) * 4], results[(CHUNK + PAD) * 8];
/* The arguments, and results: of the host, the same without saturation, of the device.  Double holds them but for some of 64 bits. */
static double values[CHUNK], about[CHUNK], unsaturated[CHUNK], got[CHUNK];
static cl_mem in, out;

struct conversion {
    enum type from, to;
    enum rounding rounding;
    bool saturates;
};

static void must(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, error);
        exit(2);
    }
}

/* ---- what the host computes ---- */

#define TO_DOUBLES(type)                                                                                               \
    for (size_t i = 0; i < count; i++)                                                                                 \
        to[i] = (double)((const type *)elements)[i];                                                                   \
    break
LOOPS static void to_doubles(enum type type, const void *elements, double *restrict to, size_t count)
{
    switch (type) {
    case CHAR: TO_DOUBLES(int8_t);
    case UCHAR: TO_DOUBLES(uint8_t);
    case SHORT: TO_DOUBLES(int16_t);
    case USHORT: TO_DOUBLES(uint16_t);
    case INT: TO_DOUBLES(int32_t);
    case UINT: TO_DOUBLES(uint32_t);
    case FLOAT: TO_DOUBLES(float);
    case DOUBLE: TO_DOUBLES(double);
    default:
        for (size_t i = 0; i < count; i++)
            to[i] = (double)value_of(type, elements, i);
    }
}

/* The nearest multiple of 1 in the host's rounding mode. */
static inline double rounded(double x)
{
    const double to_ones = 0x1.8p52, sum = x + to_ones, result = sum - to_ones;
    return fabs(x) < 0x1p51 ? copysign(result, x) : x;
}

LOOPS static void round_to_integers(double least, double most, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double r = rounded(values[i]), low = r < least ? least : r, high = low > most ? most : low;
        unsaturated[i] = r;
        about[i] = r != r || r == 0 ? 0 : high; /* no NaN, no sign of a zero */
    }
}

LOOPS static void round_to_floats(size_t count)
{
    for (size_t i = 0; i < count; i++)
        about[i] = (double)(float)values[i];
}

LOOPS static void round_to_halves(size_t count, double beyond_positive, double beyond_negative)
{
    for (size_t i = 0; i < count; i++) {
        const double x = values[i];
        uint64_t bits, unit_bits, scale_bits;
        double unit, scale;
        memcpy(&bits, &x, 8);
        uint64_t exponent = bits >> 52 & 2047;
        exponent = exponent < 1023 - 14 ? 1023 - 14 : exponent > 1023 + 16 ? 1023 + 16 : exponent;
        unit_bits = (exponent - 10) << 52;
        scale_bits = (2046 - exponent + 10) << 52;
        memcpy(&unit, &unit_bits, 8);
        memcpy(&scale, &scale_bits, 8);
        const double r = rounded(x * scale) * unit;
        const double positive = r > 65504 ? (x > 0x1p1000 ? x : beyond_positive) : r;
        about[i] = r < -65504 ? (x < -0x1p1000 ? x : beyond_negative) : positive;
    }
}

static void refer(const struct conversion *c, size_t count)
{
    static const int modes[ROUNDINGS] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    const bool truncates = c->rounding == DEFAULT && is_integer(c->to) && !is_integer(c->from);
    fesetround(truncates ? FE_TOWARDZERO : modes[c->rounding]);
    if (is_integer(c->to))
        round_to_integers((double)types[c->to].least, (double)types[c->to].most, count);
    else if (c->to == HALF)
        round_to_halves(count, c->rounding == RTZ || c->rounding == RTN ? 65504 : INFINITY,
                        c->rounding == RTZ || c->rounding == RTP ? -65504 : -INFINITY);
    else if (c->to == FLOAT)
        round_to_floats(count);
    else
        memcpy(about, values, count * sizeof(*about));
    fesetround(FE_TONEAREST);
}

/* Is a result another one than the host's?  Undefined ones are not. */
LOOPS static bool differ(size_t count, bool has_undefined)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t a, b;
        memcpy(&a, &about[i], 8);
        memcpy(&b, &got[i], 8);
        const bool same = (a == b) | ((about[i] != about[i]) & (got[i] != got[i]));
        found |= !(same | (has_undefined & (about[i] != unsaturated[i])));
    }
    return found;
}

static bool wide_differ(size_t count, bool is_signed, bool has_undefined)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t result;
        memcpy(&result, results + 8 * i, 8);
        const uint64_t want = is_signed            ? about[i] >= 0x1p63 ? INT64_MAX : (uint64_t)(int64_t)about[i]
                                         : about[i] >= 0x1p64 ? UINT64_MAX
                                                   : (uint64_t)about[i];
        found |= result != want && !(has_undefined && about[i] != unsaturated[i]);
    }
    return found;
}

/* ---- the device ---- */

static cl_program make_program(enum type from, enum type to)
{
    static char source[32768];
    char *end = source + sprintf(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                                         "#define vload(i, p) (p)[i]\n#define vstore(v, i, p) (p)[i] = (v)\n");
    for (int saturates = 0; saturates <= is_integer(to); saturates++)
        for (int r = 0; r < ROUNDINGS; r++)
            for (int w = 0; w < WIDTHS; w++)
                end += sprintf(end,
                               "kernel void k%d%d%d(global const %s *in, global %s *out)\n"
                               "{ size_t g = get_global_id(0); vstore%s(convert_%s%s%s%s(vload%s(g, in)), g, out); }\n",
                               saturates, r, w, types[from].name, types[to].name, widths[w], types[to].name, widths[w],
                               saturates ? "_sat" : "", suffixes[r], widths[w]);
    return build(source, "");
}

static void convert(const struct conversion *c, cl_program program, int width, size_t count)
{
    char name[16];
    snprintf(name, sizeof(name), "k%d%d%d", c->saturates, c->rounding, width);
    cl_kernel kernel = kernel_of(program, name);
    const size_t elements = *widths[width] ? (size_t)atoi(widths[width]) : 1, items = (count + elements - 1) / elements;
    must(clSetKernelArg(kernel, 0, sizeof(in), &in), "argument");
    must(clSetKernelArg(kernel, 1, sizeof(out), &out), "argument");
    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "kernel");
    must(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, count * types[c->to].size, results, 0, NULL, NULL), "read");
    must(clReleaseKernel(kernel), "release");
}

/* ---- judging ---- */

static uint64_t judge(const struct conversion *c, int width, size_t count, uint64_t wrong)
{
    for (size_t i = 0; i < count; i++) {
        const long double x = value_of(c->from, arguments, i), result = value_of(c->to, results, i);
        long double want;
        if (!expect(c->to, c->from, c->rounding, c->saturates, x, &want) || is_right(c->to, result, want))
            continue;
        if (wrong++ < REPORTED)
            printf("    convert_%s%s%s%s of %s %La gives %La, not %La\n", types[c->to].name, widths[width],
                   c->saturates ? "_sat" : "", suffixes[c->rounding], types[c->from].name, x, result, want);
    }
    return wrong;
}

static void fill(enum type from, uint64_t first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = (first + i) * stride;
        memcpy(arguments + i * types[from].size, &bits, types[from].size);
    }
}

static void run(enum type from, enum type to)
{
    const uint64_t all = 1ull << 8 * types[from].size, total = (all + stride - 1) / stride;
    cl_program program = make_program(from, to);
    uint64_t wrong = 0;
    int width = 0;
    for (uint64_t first = 0; first < total; first += CHUNK, width = (width + 1) % WIDTHS) {
        const size_t count = total - first < CHUNK ? (size_t)(total - first) : CHUNK;
        struct conversion c = {.from = from, .to = to};
        fill(from, first, count);
        must(clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, count * types[from].size, arguments, 0, NULL, NULL), "write");
        to_doubles(from, arguments, values, count);
        for (int r = 0; r < ROUNDINGS; r++) {
            c.rounding = (enum rounding)r;
            refer(&c, count);
            for (int saturates = 0; saturates <= is_integer(to); saturates++) {
                c.saturates = saturates;
                convert(&c, program, width, count);
                const bool is_wide = to == LONG || to == ULONG, has_undefined = is_integer(to) && !saturates;
                if (!is_wide)
                    to_doubles(to, results, got, count);
                if (is_wide ? wide_differ(count, to == LONG, has_undefined) : differ(count, has_undefined))
                    wrong = judge(&c, width, count, wrong);
            }
        }
    }
    must(clReleaseProgram(program), "release");
    printf("%-6s to %-6s %11llu values%s: %llu wrong\n", types[from].name, types[to].name, (unsigned long long)total,
           stride == 1 ? ", all" : "", (unsigned long long)wrong);
    fflush(stdout);
    CHECK_EQ(wrong, 0);
}

static enum type type_named(const char *name)
{
    for (int type = 0; type < TYPES; type++)
        if (strcmp(types[type].name, name) == 0)
            return (enum type)type;
    fprintf(stderr, "full_conversions: no type %s\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    int at = 1;
    if (at < argc && strncmp(argv[at], "--stride=", 9) == 0)
        stride = strtoull(argv[at++] + 9, NULL, 0);
    const enum type from = at < argc ? type_named(argv[at++]) : DOUBLE;
    if (types[from].size > 4 || !stride) {
        fprintf(stderr, "usage: full_conversions [--stride=N] FROM [TO...], FROM of at most 32 bits\n");
        return 2;
    }
    set_up(0);
    in = buffer_of(0, sizeof(arguments), NULL);
    out = buffer_of(0, sizeof(results), NULL);
    for (int to = 0; to < TYPES && at == argc; to++)
        run(from, (enum type)to);
    for (; at < argc; at++)
        run(from, type_named(argv[at]));
    must(clReleaseMemObject(in), "release");
    must(clReleaseMemObject(out), "release");
    tear_down();
    return test_finish();
}
