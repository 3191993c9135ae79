/* A program that rounds upwards, flushes subnormals to zero or traps gets the same code, results and text as every
 * other program, and its mode and flags are preserved.
 *
 * Threads of the runtime inherit their creator's mode, so each mode is tested in its own process. */
#include "cl_test.h"

#include "support/host_fp.h"

#include <sys/wait.h>
#include <unistd.h>

#define ITEMS 256
#define RESULTS 12

static const char source[] =
    "constant float table[4] = {0x1p-140f, 0x1.8p-127f, 0.1f, __builtin_nanf(\"0x77\")};\n"
    "kernel void compute(global const float *x, global float *out)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    float a = x[i];\n"
    "    out += 12 * i;\n"
    "    out[0] = a + table[i & 1];\n"
    "    out[1] = a * 0.1f;\n"
    "    out[2] = a / 3.0f;\n"
    "    out[3] = sqrt(fabs(a));\n"
    "    out[4] = fma(a, 0.7f, table[i & 3]);\n"
    "    out[5] = (float)(i * 16777213);\n"
    "    out[6] = exp(a) + sin(a);\n"
    "    out[7] = as_float(rint(a) > 1 ? as_int(a) : convert_int_rte(a * 1000));\n"
    "    out[8] = 0x1p-100f * 0x1p-40f + sqrt(2.0f) * 0x1p-127f;\n" /* known to the compiler */
    "    out[9] = 1.0f / 3.0f + sin(1.0f) + pow(0.3f, 0.7f);\n"
    "    out[10] = table[i & 3];\n"
    "    out[11] = 0x1p-130f;\n"
    "    if (i == 3)\n"
    "        printf(\"%.2f %.2f %g %.1f\\n\", 0.125f, a, 0x1p-140f, as_float(0x00400000) * 0x1p127f);\n"
    "}\n";

static const char printed[] = "0.12 0.38 7.17465e-43 1.0\n";

static void put(const char *directory, const char *mode, const char *what, const void *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s.%s", directory, mode, what);
    FILE *file = fopen(path, "wb");
    if (CHECK(file != NULL)) {
        CHECK_EQ(fwrite(data, 1, size, file), size);
        fclose(file);
    }
}

static size_t get(const char *directory, const char *mode, const char *what, char *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s.%s", directory, mode, what);
    FILE *file = fopen(path, "rb");
    if (!CHECK(file != NULL))
        return 0;
    size_t got = fread(data, 1, size, file);
    fclose(file);
    return got;
}

static const uint32_t inputs[] = {1,          0x80000001, 0x00400000, 0x3ec00000,
                                  0x007fffff, 0x00800000, 0x3f7fffff, 0x7fc00055};

/* Writes everything that a mode could change to files. */
static void use(const char *directory, const char *mode)
{
    uint32_t x[ITEMS], out[RESULTS * ITEMS] = {0};
    for (uint32_t i = 0; i < ITEMS; i++)
        x[i] = i < 8 ? inputs[i] : (i * 2654435761u) >> 2;
    static unsigned char binary[1 << 20];
    unsigned char *binaries[] = {binary};
    size_t size = 0, global = ITEMS;

#define UNTOUCHED(call)                                                                                                \
    do {                                                                                                               \
        struct host_fp before = host_fp_get();                                                                         \
        call;                                                                                                          \
        struct host_fp after = host_fp_get();                                                                          \
        if (!CHECK(host_fp_same(before, after)))                                                                       \
            fprintf(stderr, "  %s: control %" PRIx64 " to %" PRIx64 ", status %" PRIx64 " to %" PRIx64 "\n", mode,     \
                    before.control, after.control, before.status, after.status);                                       \
    } while (0)

    cl_program program;
    cl_kernel kernel;
    UNTOUCHED(set_up(0));
    UNTOUCHED(program = build(source, ""));
    UNTOUCHED(kernel = kernel_of(program, "compute"));
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL), CL_SUCCESS);
    CHECK(size && size <= sizeof(binary));
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binaries), binaries, NULL), CL_SUCCESS);
    put(directory, mode, "code", binary, size);

    cl_mem from = buffer_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(x), x);
    cl_mem to = buffer_of(CL_MEM_WRITE_ONLY, sizeof(out), NULL);
    clSetKernelArg(kernel, 0, sizeof(from), &from);
    clSetKernelArg(kernel, 1, sizeof(to), &to);
    for (int round = 0; round < 2; round++) {
        UNTOUCHED(CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS));
        UNTOUCHED(CHECK_EQ(clFinish(queue), CL_SUCCESS));
    }
    UNTOUCHED(CHECK_EQ(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), CL_SUCCESS));
    put(directory, mode, "results", out, sizeof(out));
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    tear_down();
}

/* Standard output, where kernels print, goes to a file of the mode. */
static void use_in_process(const char *directory, const char *mode, int rounding, bool flush, bool trap)
{
    pid_t child = fork();
    if (child == 0) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s.text", directory, mode);
        if (!freopen(path, "w", stdout))
            _exit(3);
        feraiseexcept(FE_DIVBYZERO); /* to be found again */
        fesetround(rounding);
        if (flush)
            host_fp_flush();
        if (trap) {
            feclearexcept(FE_ALL_EXCEPT);
            host_fp_trap();
        }
        use(directory, mode);
        fflush(stdout);
        _exit(test_counts.failed || !test_counts.passed);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (!CHECK_EQ(status, 0))
        fprintf(stderr, "  in mode %s\n", mode);
}

static void compare(const char *directory, const char *mode, const char *what)
{
    static char plain[1 << 20], other[1 << 20];
    size_t plain_size = get(directory, "plain", what, plain, sizeof(plain));
    size_t other_size = get(directory, mode, what, other, sizeof(other));
    CHECK(plain_size > 0);
    if (!CHECK(plain_size == other_size && memcmp(plain, other, plain_size) == 0))
        fprintf(stderr, "  %s differs in mode %s\n", what, mode);
}

static uint32_t result_of(const char *results, unsigned item, unsigned which)
{
    uint32_t bits;
    memcpy(&bits, results + 4 * (RESULTS * item + which), sizeof(bits));
    return bits;
}

int main(void)
{
    static const struct {
        const char *name;
        int rounding;
        bool flush, trap;
    } modes[] = {
        {"plain", FE_TONEAREST, false, false},        {"upward", FE_UPWARD, false, false},
        {"zero", FE_TOWARDZERO, false, false},        {"flush", FE_TONEAREST, true, false},
        {"downward_flush", FE_DOWNWARD, true, false}, {"trap", FE_TONEAREST, false, true},
    };
    const char *directory = test_env("CY_TMP");
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        if (modes[i].trap && !HOST_FP_TRAPS)
            continue;
        use_in_process(directory, modes[i].name, modes[i].rounding, modes[i].flush, modes[i].trap);
        compare(directory, modes[i].name, "code");
        compare(directory, modes[i].name, "results");
        compare(directory, modes[i].name, "text");
    }

    /* The results in the default mode are correct. */
    static char text[256], results[4 * RESULTS * ITEMS];
    get(directory, "plain", "text", text, sizeof(text) - 1);
    CHECK(strncmp(text, printed, strlen(printed)) == 0);
    CHECK_EQ(get(directory, "plain", "results", results, sizeof(results)), sizeof(results));
    CHECK_EQ(result_of(results, 0, 0), 0x201);       /* 1 + 0x200 units of subnormal numbers */
    CHECK_EQ(result_of(results, 3, 1), 0x3d19999a);  /* 0.375 * 0.1f */
    CHECK_EQ(result_of(results, 3, 2), 0x3e000000);  /* 0.375 / 3 */
    CHECK_EQ(result_of(results, 7, 1), 0x7fc00000);  /* the NaN of arithmetic */
    CHECK_EQ(result_of(results, 7, 10), 0x7fc00077); /* a NaN that is only copied */
    CHECK_EQ(result_of(results, 0, 8),
             0x200 + 0x5a827a); /* sqrt(2.0f) = 0xb504f3 * 2^-23, times 2^22 to even: 0x5a827a */
    CHECK_EQ(result_of(results, 0, 11), 0x00080000);
    return test_finish();
}
